"""A nested cross-validation and a corrected score in words, frames and JSON: the same numbers everywhere."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

X, Y = make_classification(n_samples=90, n_features=6, n_informative=2, flip_y=0.2, random_state=3)


@cache
def answer(*, plain: bool = True, alone: bool = False) -> tb.NestedEvaluation:
    """Two grids, one with names that HTML and Markdown have signs for, and a model without a choice; or one grid."""
    trees = tb.grid(DecisionTreeClassifier(), {"max_depth": [1, 2, 4]})
    near = {"<b>": KNeighborsClassifier(1), "a_b|c": KNeighborsClassifier(9)}
    models = trees if alone else {"trees": trees, "near & far": near, "bayes": GaussianNB()}
    return tb.nested_cross_validate(models, X, Y, outer=5, inner=2, plain=plain)


def test_the_sentence_says_what_to_expect_and_what_would_be_claimed() -> None:
    """Every number in it stands in the summary."""
    nested = answer(alone=True)
    s = nested.score()
    text = " ".join(str(nested).split())
    level = f"(95% interval {s.low:.3f} to {s.high:.3f})"
    start = f"Choosing among the 3 candidates of 'DecisionTreeClassifier' leads to a mean accuracy of {s.mean:.3f} {level}"
    assert text.startswith(f"{start} on examples that took no part in the choice. ")
    how = "which is the same here" if round(s.optimism, 3) == 0 else ""
    how = how or f"{abs(s.optimism):.3f} {'better' if s.optimism > 0 else 'worse'} than that"
    sign = "," if how.startswith("which") else ":"
    assert f"Without nesting '{s.claimed_by}' would have been chosen, and {s.claim:.3f} claimed{sign} {how}." in text


def test_the_page_has_scores_choices_warnings_and_the_design() -> None:
    """In this order, and no line is wider than 100 columns."""
    text = answer().to_text()
    parts = [
        "'bayes' scores",
        "Mean accuracy over outer splits",
        "Choices of 'trees'",
        "Choices of 'near & far'",
        "Warnings",
        "Run",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert max(map(len, text.splitlines())) <= 80
    assert "[one-candidate]" in text
    assert text == f"{answer()}\n"
    assert "5 outer splits (stratified, 72 training and 18 test examples each); chosen by accuracy on 2 inner" in " ".join(
        text.split()
    )


def test_without_plain_scores_nothing_is_claimed() -> None:
    """Neither in words nor as a column."""
    text = answer(plain=False).to_text()
    for word in ("Without nesting", "claim", "optimism", "plain mean"):
        assert word not in text
    assert "inner best" in text


def test_html_and_markdown_show_names_as_they_are() -> None:
    """Signs of the language are escaped."""
    html = answer()._repr_html_()
    assert "&lt;b&gt;" in html
    assert "near &amp; far" in html
    assert "<b>" not in html
    assert r"a\_b\|c" in answer().to_markdown()
    assert "<b>" not in answer().to_markdown()


def test_frames_hold_every_number() -> None:
    """Means of the outer frame are the honest scores; counts of the choices add up; inner rows are all there."""
    nested = answer()
    outer, summary, chosen, inner = nested.to_frame(), nested.summary(), nested.chosen(), nested.inner()
    means = outer.groupby("search", sort=False)["score"].mean()
    assert means.tolist() == pytest.approx(summary["score"].tolist())
    assert chosen.groupby("search", sort=False)["n_chosen"].sum().tolist() == [5, 5, 5]
    assert len(inner) == 5 * 2 * (3 + 2)
    assert set(inner["search"]) == {"trees", "near & far"}
    assert summary["n_candidates"].tolist() == [3, 2, 1]


def test_json_is_the_frames(tmp_path: Path) -> None:
    """Strict JSON in which nan is null, written whole, and the same at each call."""
    nested = answer()
    document = json.loads(nested.to_json(tmp_path / "nested.json"))
    assert json.loads((tmp_path / "nested.json").read_text()) == document == nested.to_dict()
    assert document["schema"] == 1
    assert [each["score"] for each in document["summary"]] == nested.summary()["score"].tolist()
    assert document["summary"][2]["claim"] is None
    assert [each["n_chosen"] for each in document["chosen"]] == nested.chosen()["n_chosen"].tolist()
    assert len(document["inner"]) == len(nested.inner())
    assert document["warnings"][0]["code"] == "one-candidate"


def test_a_corrected_score_says_where_it_comes_from() -> None:
    """Sentence, shares, bootstraps; the frame has the most frequent winner first."""
    score = answer().bias_corrected("trees")
    text = " ".join(str(score).split())
    assert text.startswith(
        f"Picking the best of 3 models by accuracy leads to {score.score:.3f} (95% interval {score.low:.3f} to"
    )
    assert f"'{score.winner}' was the best, with {score.claim:.3f}" in text
    assert "BBC-CV: predictions of 90 examples, 1000 bootstraps." in text
    frame = score.to_frame()
    assert frame["share_best"].is_monotonic_decreasing
    assert frame["share_best"].sum() == pytest.approx(1)
    assert score.to_dict()["share_best"] == dict(zip(score.models, score.chosen, strict=True))
    assert "<table>" in score._repr_html_()
    assert json.dumps(score.to_dict(), allow_nan=False)


def test_many_searches_are_counted_rather_than_told() -> None:
    """Four sentences would say what the table says."""
    models = {f"knn {k}": tb.grid(KNeighborsClassifier(), {"n_neighbors": [k, k + 2]}) for k in (1, 5, 9, 13)}
    nested = tb.nested_cross_validate(models, X, Y, outer=2, inner=2)
    assert str(nested).startswith("4 searches, each scored on examples that took no part in its choices:\n")


def test_what_failed_is_shown_as_missing() -> None:
    """A dash, and how many splits there are; never 0."""

    def fails(X_train: np.ndarray, y_train: np.ndarray, X_test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        raise ValueError("never")

    text = str(tb.nested_cross_validate({"a": fails, "b": fails}, X, Y, outer=2, inner=2))
    assert text.startswith("'best of 2' has no score on any outer split.\n")
    assert "best of 2      -" in text
    assert "0 of 2" in text
