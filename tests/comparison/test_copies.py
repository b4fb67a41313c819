"""Copies: models with equal scores and the same gaps are one entry of a ranking."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tiebreak.comparison.comparison import Comparison

SHARED = ("rank", "rank_low", "rank_high", "shortfall_high", "may_be_best", "standing", "letters", "mean", "n_units")


def assert_shared(answer: Comparison, *names: str) -> None:
    """Everything that the ranking says is the same of these models, which stand together."""
    ranking = answer.ranking
    rows = [answer.models.index(name) for name in names]
    assert rows == list(range(min(rows), min(rows) + len(rows)))
    for column in set(SHARED) & set(ranking.columns):
        values = ranking[column].iloc[rows]
        assert values.nunique(dropna=False) == 1, column


@pytest.mark.parametrize("family", ["pairs", "best"])
@pytest.mark.parametrize("rope", [0.0, 0.02])
def test_copies_share_a_line_and_all_that_is_said(family: str, rope: float) -> None:
    """Depth 8 and depth 10 grow the same trees: one line, the place of the first, the next model counts on from both."""
    table = noisy(0.80, 0.78, 0.60, 0.79)
    answer = compared(np.vstack([table, table[1]]), ["a", "b", "c", "d", "b again"], family=family, rope=rope)
    assert_shared(answer, "b", "b again")
    assert list(answer.models) == ["a", "d", "b", "b again", "c"]
    assert list(answer.ranking["rank"]) == [1, 2, 3, 3, 5]
    assert answer.to_text().count("Identical scores: b and b again.") == 1
    assert answer.ranking["shortfall_high"].notna().all()


def test_the_best_and_its_copy_are_the_best() -> None:
    """No other may be the best, so both are; the sentence says why they are two."""
    table = noisy(0.90, 0.70)
    answer = compared([table[0], table[0], table[1]], ["a", "b", "c"])
    assert list(answer.ranking["standing"]) == ["best", "best", "not best"]
    assert list(answer.ranking["shortfall_high"][:2]) == [0, 0]
    assert answer.headline == "a and b are the best of the 3, with identical scores."
    assert answer.shortlist() == ("a", "b")


def test_a_copy_does_not_change_what_is_said_of_the_others_but_for_the_number_of_pairs() -> None:
    """m counts all pairs: at alpha / 6 for four models, as without the copy at alpha / 3 for three, it is the same ranking."""
    table = noisy(0.80, 0.79, 0.75)
    four = compared(np.vstack([table, table[0]]), alpha=0.1)
    three = compared(table, alpha=0.05)
    assert set(four.pairs["interval_alpha"]) == set(three.pairs["interval_alpha"]) == {0.05 / 3}
    for name in "abc":
        one, other = (each.ranking.set_index("model").loc[name] for each in (four, three))
        assert one["shortfall_high"] == pytest.approx(other["shortfall_high"], rel=1e-12)
        assert one["standing"] == other["standing"]


@pytest.mark.parametrize("family", ["pairs", "best"])
@pytest.mark.parametrize("rope", [0.0, 0.02])
@pytest.mark.parametrize("n", [2, 4])
def test_models_that_are_all_copies_are_not_told_apart(family: str, rope: float, n: int) -> None:
    """Of none is known by how much it falls short of another; the page says so, and the plot of the ranking keeps them."""
    answer = compared([noisy(0.8)[0]] * n, family=family, rope=rope)
    assert_shared(answer, *answer.models)
    assert answer.ranking["standing"][0] == "may be best"
    assert answer.ranking["shortfall_high"].isna().all()
    assert "nan" not in answer.to_text()
    if n > 2 or family == "best":
        assert answer.headline.startswith("No winner: ")
        assert answer.shortlist() == answer.models
    assert list(answer.plot.ranking().data["model"]) == list(answer.models)


def test_equal_columns_with_different_gaps_are_no_copies() -> None:
    """On what both have nothing tells them apart, but other models met them on other splits."""
    table = noisy(0.80, 0.78, 0.70)
    table = np.vstack([table, table[0]])
    table[3, [2, 5]] = np.nan
    answer = compared(table, missing="pairwise")
    assert answer.pair("a", "d").reason == "identical-scores"
    assert sorted(answer.ranking["rank"]) == [1, 2, 3, 4]
    assert "Identical scores:" not in answer.to_text()
    both = table.copy()
    both[0, [2, 5]] = np.nan
    same = compared(both, missing="pairwise")
    assert "Identical scores: a and d." in same.to_text()
    assert_shared(same, "a", "d")


def test_copies_of_the_baseline_keep_their_lines() -> None:
    """Each is judged by itself: undecided, as the scores are identical on all splits."""
    table = noisy(0.80, 0.78, 0.70)
    answer = compared([*table, table[1], table[1]], ["a", "b", "c", "d", "e"], baseline="b", rope=0.01)
    ranking = answer.ranking.set_index("model")
    assert list(ranking.loc[["d", "e"], "verdict"]) == ["undecided", "undecided"]
    assert ranking.loc["b", "verdict"] == ""
    assert list(ranking.loc[["d", "e"], "difference"]) == [0, 0]
    assert answer.pair("d", "b").reason == "identical-scores"
    assert set(answer.pairs["interval_alpha"]) == {0.05 / 4}


def test_a_procedure_that_has_an_interval_for_identical_scores_decides() -> None:
    """Tango's: on 400 questions all alike but for none, two models are equivalent at a rope of .05; they still are one line."""
    right = (np.arange(400) % 5 > 0).astype(int)
    other = right.copy()
    other[:120] = 0
    answer = tb.compare({"item": range(400), "a": right, "b": right, "c": other}, rope=0.05, metric="accuracy")
    assert answer.method.name == "tango"
    assert answer.pair("a", "b").verdict == "equivalent"
    assert list(answer.ranking["standing"])[:2] == ["near best", "near best"]
    assert "Identical scores: a and b." in answer.to_text()


def test_models_measured_on_their_own_units_are_never_copies() -> None:
    """Seeds that do not pair: equal numbers are chance, not the same model."""
    scores = {"model": ["a"] * 4 + ["b"] * 4 + ["c"] * 4, "seed": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
    scores["score"] = [0.80, 0.81, 0.82, 0.83] * 2 + [0.60, 0.62, 0.61, 0.63]
    answer = tb.compare(pd.DataFrame(scores), metric="accuracy")
    assert answer.method.name == "welch"
    assert list(answer.ranking["rank"]) == [1, 2, 3]
    assert answer.pair("a", "b").has_interval


class Constant(DecisionTreeClassifier):
    """Says one label of everything."""

    def __init__(self, label: int = 0) -> None:
        super().__init__()
        self.label = label

    def predict(self, X: np.ndarray) -> np.ndarray:  # type: ignore[override]
        return np.full(len(X), self.label)


@pytest.mark.parametrize(
    ("models", "keep", "found"),
    [
        (("zeros", "zeros again"), True, ("met", "same-predictions", 0.0)),
        (("zeros again", "zeros"), True, ("met", "same-predictions", 0.0)),
        (("zeros", "zeros again"), False, ("inconclusive", "identical-scores", 0.0)),
        (("zeros", "ones"), True, ("inconclusive", "identical-scores", 0.0)),  # as many right in every fold, not the same ones
    ],
)
def test_not_worse_between_models_that_predict_the_same_is_met(
    models: tuple[str, str], keep: bool, found: tuple[Any, ...]
) -> None:
    """Where kept predictions say so; equal scores alone leave it inconclusive, and "better" is not met by being the same."""
    X, y, halves = np.arange(40.0)[:, None], np.tile([0, 1], 20), (np.arange(20), np.arange(20, 40))
    three = {"zeros": Constant(0), "zeros again": Constant(0), "ones": Constant(1)}
    run = tb.evaluate(three, X, y, cv=[halves, halves[::-1]], scoring="accuracy", keep_predictions=keep)
    (met,) = run.compare(rope=0.01).meets(not_worse=models)
    assert (met.outcome, met.reason, met.difference) == found
    assert ("predict" in met.sentence) == (found[0] == "met")
    assert run.compare(rope=0.01).meets(better=models).outcome == "inconclusive"
