"""The display of a nested cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.views.plots.samples import NAMES, misplaced, words_of
from tiebreak.views.plots import NestedDisplay

pytestmark = pytest.mark.slow

X, Y = make_classification(n_samples=60, n_features=4, flip_y=0.3, random_state=0)


def fails(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model that is never fitted."""
    raise ValueError("never")


@cache
def answer(names: Sequence[str], scoring: str = "accuracy", outer: int = 5) -> tb.NestedEvaluation:
    """A search for each name, of candidates with long names; the last of more than two fails, the one before has no choice."""
    models: dict[str, Any] = {
        name: {f"smoothing={10.0**-k:.0e}, of the variances": GaussianNB(var_smoothing=10.0**-k) for k in (row % 4, 5, 9)}
        for row, name in enumerate(names)
    }
    if len(names) > 2:
        models[names[-2]] = DummyClassifier(strategy="stratified")
        models[names[-1]] = {"a": fails, "b": fails}
    return tb.nested_cross_validate(models, X, Y, outer=outer, inner=2, scoring=scoring)


@pytest.mark.parametrize(("kind", "n_searches"), [("short", 1), ("60 characters", 8)])
def test_no_text_overlaps_or_is_cut(kind: str, n_searches: int) -> None:
    """Long names, searches without a score or a choice, and a loss."""
    scoring = "accuracy" if kind == "short" else "neg_log_loss"
    assert misplaced(answer(tuple(NAMES[kind][:n_searches]), scoring).plot().figure_) == []


def test_every_number_drawn_is_of_the_answer() -> None:
    """Dots are outer scores; diamond, ends, triangle and bar are the summary's."""
    nested = answer(("one", "two"))
    display = NestedDisplay.from_nested(nested)
    assert display.data["score"].tolist() == [*nested.outer_scores("one"), *nested.outer_scores("two")]
    for row, name in enumerate(nested.searches):
        honest, drawn = nested.score(name), display.searches.iloc[row]
        assert [drawn[key] for key in ("score", "interval_low", "interval_high", "claim", "inner_claim")] == [
            honest.mean,
            honest.low,
            honest.high,
            honest.claim,
            honest.inner_claim,
        ]
    axes = nested.plot().ax_
    dots = np.concatenate([part.get_offsets()[:, 0] for part in axes.collections if part.get_sizes()[0] == 14])
    assert sorted(dots) == pytest.approx(sorted(display.data["score"]))


def test_the_title_of_one_search_says_the_claim_and_by_how_much() -> None:
    """In the words of the text."""
    nested = answer(("one",))
    words = words_of(nested.plot().figure_)
    honest = nested.score()
    word = "better" if honest.optimism > 0 else "worse"
    how = "the same" if abs(honest.optimism) < 0.005 else f"{abs(honest.optimism):.2f} {word}"
    claim = f"plain cross-validation claims {honest.claim:.2f}, {how}"
    assert f"Choosing in one leads to accuracy {honest.mean:.2f}; {claim}" in words
    assert "95% interval of the mean, corrected for shared training data" in words


def test_what_is_missing_is_said() -> None:
    """No choice, no score: in words beside the row, and nothing is drawn there."""
    words = words_of(answer(("one", "two", "three")).plot().figure_)
    assert "n/a (0 splits) none was chosen" in words
    assert "nothing to choose" in words
    brief = tb.nested_cross_validate({"a": GaussianNB(), "b": GaussianNB(var_smoothing=1)}, X, Y, outer=3, inner=2, plain=False)
    assert "Triangle" not in words_of(brief.plot().figure_)


def test_another_metric_is_drawn_on_request() -> None:
    """By its name."""
    nested = tb.nested_cross_validate(
        {"a": GaussianNB(), "b": GaussianNB(var_smoothing=1)}, X, Y, outer=3, inner=2, scoring=["accuracy", "neg_log_loss"]
    )
    assert "log_loss (lower is better)" in words_of(nested.plot("neg_log_loss").figure_)
