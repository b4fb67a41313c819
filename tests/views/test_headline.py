"""The first line of an answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.views.tables_of_all_kinds import table_of

GOLDEN = Path(__file__).with_name("golden") / "headlines.txt"

NOISE = np.tile([0.01, -0.01, 0.02, -0.02], 6)
"""Deviations on 24 splits, with a standard deviation of 0.016: intervals reach 0.02 to 0.04 from a difference."""


def compared(levels: Mapping[str, float], **settings: Any) -> tb.Comparison:
    """Models around so many levels, each with noise of its own."""
    table = {name: level + np.roll(NOISE, n) * (1 + n / 10) for n, (name, level) in enumerate(levels.items())}
    return tb.compare(table, metric="accuracy", n_train=900, n_test=100, **settings)


def levels(*values: float) -> dict[str, float]:
    """Models a, b, c and so on."""
    return dict(zip("abcdefgh", values, strict=False))


@pytest.mark.parametrize(
    ("values", "settings", "expected"),
    [
        ((0.9, 0.8), {}, "a is better than b: accuracy higher by 0.100."),
        ((0.9, 0.86), {"rope": 0.03}, "a is ahead of b: accuracy higher by 0.040, perhaps too little to matter."),
        ((0.9, 0.9), {"rope": 0.05}, "a and b are practically equivalent: accuracy within 0.05."),
        ((0.9, 0.9), {"rope": "5%"}, "a and b are practically equivalent: accuracy within 0.045 (5%)."),
        ((0.9, 0.899), {}, "No winner yet: a or b."),
        ((0.9, 0.8, 0.7), {}, "a is the best of the 3."),
        ((0.9, 0.899, 0.898), {}, "No winner yet: a, b or c."),
        ((0.9, 0.899, 0.7), {}, "No winner yet: a or b, not c."),
        ((0.9, 0.899, 0.7, 0.6), {}, "No winner yet: a or b, not the other 2."),
        ((0.9, 0.899, 0.898, 0.897, 0.896), {}, "No winner yet: any of the 5 may be best."),
        ((0.9, 0.899, 0.898, 0.897, 0.6), {}, "No winner yet: 4 of the 5 may be best."),
        ((0.9, 0.86, 0.7), {"rope": 0.03}, "a is the best of the 3."),
        ((0.7, 0.8, 0.9), {"baseline": "a"}, "c and b are better than a."),
        ((0.7, 0.9, 0.9, 0.9, 0.9), {"baseline": "a"}, "4 models are better than a."),
        ((0.9, 0.86, 0.7), {"baseline": "b", "rope": 0.03}, "a is ahead of b, perhaps by too little to matter."),
        ((0.9, 0.899, 0.7), {"baseline": "a"}, "No winner over a yet: 1 of 2 undecided."),
        ((0.9, 0.8, 0.7), {"baseline": "a"}, "Keep a: none of the 2 others is better."),
        ((0.9, 0.9, 0.7), {"baseline": "a", "rope": 0.06}, "Keep a: no other is better by more than 0.06."),
    ],
)
def test_each_kind_of_answer_has_its_headline(values: Sequence[float], settings: dict[str, Any], expected: str) -> None:
    """Levels 24 splits tell apart where they differ by 0.05 and more; the walk over random answers finds every other case."""
    answer = compared(levels(*values), **settings)
    assert answer.headline == expected
    assert answer.to_text().startswith(answer.headline + "\n\n")
    assert str(answer.to_html()).count(f'data-is="headline">{answer.headline}<') == 1


def test_the_fastest_of_those_near_the_best_is_to_be_taken() -> None:
    """Times come with an evaluation, and name the model of the next step; without them up to three are named."""
    X, y = load_iris(return_X_y=True)
    models = {
        "bayes": GaussianNB(),
        "forest": RandomForestClassifier(20, random_state=0),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    timed = tb.evaluate(models, X, y, cv=5, scoring="accuracy").compare(rope=0.5)
    fastest = min(models, key=timed.scores.fit_seconds.__getitem__)
    assert timed.headline == f"Take {fastest}, the fastest of 3 within 0.5 of the best."
    assert timed.next_step.startswith(f"Next step: take '{fastest}', the fastest to fit of those near best")
    answer = compared(levels(0.9, 0.899, 0.7), rope=0.1)
    assert answer.headline == "Take a or b: each is within 0.1 of the best."
    assert compared(levels(*[0.9] * 4, 0.5), rope=0.1).headline == "Take any of 4: each is within 0.1 of the best."


def test_models_that_are_alike_are_told_so() -> None:
    """Identical scores of two, of all, and of the best two."""
    same = dict.fromkeys("abc", 0.8 + NOISE)
    options = {"metric": "accuracy", "n_train": 900, "n_test": 100}
    assert tb.compare({"a": same["a"], "b": same["b"]}, **options).headline == "No winner: a and b have identical scores."
    assert tb.compare(same, **options).headline == "No winner: all 3 models have identical scores."
    worse = 0.5 + np.roll(NOISE, 1)
    best = tb.compare({"a": same["a"], "b": same["b"], "c": worse}, **options)
    assert best.headline == "a and b are the best of the 3, with identical scores."


def test_a_difference_that_never_varies_decides_nothing() -> None:
    """Two models a constant apart."""
    answer = tb.compare({"a": 0.8 + NOISE, "b": 0.7 + NOISE}, metric="accuracy", n_train=900, n_test=100)
    assert answer.headline == "No winner yet: a or b, as their difference never varies."


def test_a_name_with_a_comma_is_quoted() -> None:
    """It would read as two."""
    answer = compared({"knn, k=1": 0.9, "knn, k=5": 0.899, "svm": 0.898})
    assert answer.headline == "No winner yet: 'knn, k=1', 'knn, k=5' or svm."


def test_the_best_model_and_the_next_step_can_be_had_without_reading_text() -> None:
    """The one that alone may be the best, and None where there are several, or a baseline."""
    best = compared(levels(0.9, 0.8, 0.7))
    assert (best.best, best.next_step) == ("a", "Next step: take 'a'.")
    assert compared(levels(0.9, 0.899, 0.7)).best is None
    assert compared(levels(0.9, 0.8, 0.7), baseline="b").best is None
    assert best.next_step in best.to_text()


@pytest.mark.slow
def test_sixty_headlines_read_well() -> None:
    """Tables of all questions with 2 to 41 models, gaps, copies and ties; written to be read by a person: UPDATE_GOLDEN=1."""
    answers = [table_of(seed) for seed in range(60)]
    lines = [f"{answer.method.name:17} {len(answer.models):2}  {answer.headline}\n" for answer in answers]
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text("".join(lines), encoding="utf-8", newline="\n")
    assert "".join(lines) == GOLDEN.read_text(encoding="utf-8")
