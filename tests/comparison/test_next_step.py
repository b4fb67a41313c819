"""Units that would settle a pair: formula, floor, goal, cost; and advice that can be followed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiebreak as tb
from tests.comparison.tables import compared, pair_with, scores_of
from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.next_step import cheapest, detectable, need_of
from tiebreak.comparison.settings import Settings
from tiebreak.scores.scores import SplitDesign

RATIO = 1 / 9


def designed(kind: str, table: np.ndarray, **settings: object) -> Comparison:
    """Two models on folds of a kind, with times of fits of 1 and 3 seconds."""
    scores = scores_of(table, design=SplitDesign(kind, ordered=kind == "time", sizes="exact"))  # type: ignore[arg-type]
    times = {"a": (1.0, 0.0), "b": (3.0, 0.0)}
    return compare_scores(replace(scores, fit_times=times), Settings(**settings))  # type: ignore[arg-type]


def wins_and_losses(wins: int, n: int, alpha: float) -> tb.PairComparison:
    """Two models on n datasets of mixed metrics, of which the first wins so many."""
    kinds = [("accuracy", "r2")[i % 2] for i in range(n)]
    rows = [(i, kinds[i], model, score) for i in range(n) for model, score in (("a", float(i < wins)), ("b", 0.5))]
    return tb.compare(pd.DataFrame(rows, columns=["dataset", "metric", "model", "score"]), alpha=alpha).pair("a", "b")


@pytest.mark.slow
@pytest.mark.parametrize(("wins", "n", "alpha"), [(9, 11, 0.001), (8, 11, 0.05), (14, 20, 0.01), (12, 20, 0.05)])
def test_units_of_a_lopsided_interval_do_settle_the_pair(wins: int, n: int, alpha: float) -> None:
    """The sign test at the same share of wins, asked with more and more datasets, is settled at about the number that was said.

    With the mean of both sides for the side towards 0 it was up to half of that.
    """
    pair = wins_and_losses(wins, n, alpha)
    need = need_of(pair)
    assert need.times_data == pytest.approx(((pair.difference - pair.interval_low) / pair.difference) ** 2)

    def is_settled(more: int) -> bool:
        return wins_and_losses(round(more * wins / n), more, alpha).verdict != "undecided"

    first = next(more for more in range(n, 200) if is_settled(more) and is_settled(more + 1) and is_settled(more + 2))
    assert first == pytest.approx(need.n_units, rel=0.1)


@pytest.mark.parametrize(
    ("difference", "rope", "verdict", "goal", "margin"),
    [
        (0.012, 0.0, "undecided", "ahead", 0.012),
        (0.002, 0.01, "undecided", "equivalent", 0.008),
        (0.008, 0.01, "undecided", "ahead", 0.008),
        (0.012, 0.005, "undecided", "ahead", 0.012),
        (0.017, 0.01, "ahead", "better", 0.007),
        (0.017, 0.02, "ahead", "equivalent", 0.003),
    ],
)
def test_margin_and_units(difference: float, rope: float, verdict: str, goal: str, margin: float) -> None:
    """n (h^2 - f^2) / (margin^2 - f^2) with the floor f = z sqrt(n_test / n_train) s, infinite where the margin is below it."""
    pair = compared(pair_with(difference, 0.015), rope=rope).pair("a", "b")
    assert pair.verdict == verdict
    need = need_of(pair)
    assert need.goal == goal
    half = stats.t.isf(0.025, 9) * np.sqrt(0.1 + RATIO) * 0.015
    floor = stats.norm.isf(0.025) * np.sqrt(RATIO) * 0.015
    expected = 10 * (half**2 - floor**2) / (margin**2 - floor**2) if margin > floor else np.inf
    assert need.n_units == pytest.approx(expected, rel=1e-6)
    assert need.times_data == pytest.approx((half / margin) ** 2)


def test_what_is_settled_needs_nothing() -> None:
    """Better, worse, equivalent, and pairs without an interval."""
    for difference, sd in ((0.05, 0.01), (-0.05, 0.01), (0.001, 0.002)):
        assert need_of(compared(pair_with(difference, sd), rope=0.01).pair("a", "b")) is None
    assert need_of(compared([[0.8, 0.7], [0.8, 0.7]]).pair("a", "b")) is None


def test_repeats_fits_and_seconds() -> None:
    """Ten folds once; 15 splits are needed, so 2 repeats: ten more splits of two models, of 1 and 3 seconds."""
    answer = designed("kfold", pair_with(0.014, 0.015))
    need = need_of(answer.pair("a", "b"))
    assert 10 < need.n_units <= 20
    text = " ".join(str(answer).split())
    assert "To settle a and b: about 2 repeats of these splits instead of 1 (20 more fits, about 40 s)" in text


@pytest.mark.parametrize("kind", ["loo", "time", "holdout"])
def test_splits_that_cannot_be_repeated_are_never_advised(kind: str) -> None:
    """Examples instead, with the factor (half-width / margin)^2."""
    text = " ".join(str(designed(kind, pair_with(0.0115, 0.015))).split())
    assert "of these splits instead" not in text
    assert "To settle a and b: about 1.8 times as many examples; even odds at best." in text


@pytest.mark.parametrize(("seconds", "fastest"), [(1.0001, None), (1.09, None), (1.1, "a"), (3.0, "a")])
def test_times_that_hardly_differ_name_no_fastest(seconds: float, fastest: str | None) -> None:
    """Fits of 1.0000 and 1.0001 s once gave "take 'a', the faster"; ten percent is what medians of equal models differ by."""
    answer = designed("kfold", pair_with(-0.001, 0.002), rope=0.01)
    answer.scores.fit_times["b"] = (seconds, 0.0)
    assert cheapest(answer, ["a", "b"]) == fastest
    assert answer.next_step == ("Take a, the faster to fit (1 s a fit)." if fastest else "Take whichever is cheaper or simpler.")


@pytest.mark.parametrize(("error", "expected"), [(0.0, "a"), (0.2, "a"), (0.4, None)])
def test_times_within_twice_their_error_name_no_fastest(error: float, expected: str | None) -> None:
    """Fits of 1 and 2 s whose means vary by 0.4 s each differ by 1 s, less than twice the error of the difference, 1.13 s."""
    answer = designed("kfold", pair_with(-0.001, 0.002), rope=0.01)
    answer.scores.fit_times.update({"a": (1.0, error), "b": (2.0, error), "c": (9.0, 0.0)})
    assert cheapest(answer, ["a", "b", "c"]) == expected
    answer.scores.fit_times["b"] = (float("nan"), error)
    assert cheapest(answer, ["a", "b"]) is None


def runs_table(rng: np.random.Generator, *, of_items: float, of_runs: float) -> pd.DataFrame:
    """Scores of 200 items in three runs by two models that differ by 0.1, with parts of that size in the difference."""
    score = 0.1 + of_items * rng.normal(size=200)
    runs = [{"item": range(200), "run": run, "a": score + of_runs * rng.normal(), "b": 0.0} for run in range(3)]
    table = pd.concat(map(pd.DataFrame, runs), ignore_index=True)
    return table.melt(id_vars=["item", "run"], var_name="model", value_name="score")


def test_runs_that_would_settle_a_pair(rng: np.random.Generator) -> None:
    """Where only runs vary: the smallest number with t s / sqrt(r) <= |d|, by hand; more items alone would not do."""
    answer = tb.compare(runs_table(rng, of_items=0.001, of_runs=0.3), metric="grade", lower_is_better=False)
    pair = answer.pair("a", "b")
    assert pair.verdict == "undecided"
    means = answer.items.score.mean(axis=2)
    d = means[answer.models.index("a")] - means[answer.models.index("b")]
    by_hand = next(r for r in range(4, 400) if stats.t.ppf(0.975, r - 1) * d.std(ddof=1) / np.sqrt(r) <= abs(d.mean()))
    need = need_of(pair)
    assert (need.n_runs, need.runs_needed, need.n_units) == (3, by_hand, np.inf)
    assert f"about {by_hand} runs instead of 3" in " ".join(answer.to_text().split())


@pytest.mark.parametrize(("seed", "of_items", "of_runs"), [(4, 0.3, 0.2), (2, 0.6, 0.2), (5, 1.0, 0.2)])
def test_degrees_of_freedom_grow_with_the_runs(seed: int, of_items: float, of_runs: float) -> None:
    """Items and runs vary: by a loop, the first r at which both half-widths are at most |d|.

    The part of the items stays, the rest is divided by r / 3, with df (r - 1) / 2 degrees of freedom; the error of the three
    runs' means is divided by sqrt(r / 3), with r - 1. Degrees of freedom that stay, or are one more, need another number.
    """
    table = runs_table(np.random.default_rng(seed), of_items=of_items, of_runs=of_runs)
    pair = tb.compare(table, metric="grade", lower_is_better=False).pair("a", "b")
    need, beside = need_of(pair), pair.judged.beside
    assert need is not None
    stays, error, df = float(beside["from_items"]), pair.standard_error, pair.df

    def first(df_of_both: Callable[[int], float], df_of_runs: Callable[[int], float]) -> float:
        for r in range(4, 301):
            both = stats.t.isf(0.025, df_of_both(r)) * np.sqrt(stays + max(error**2 - stays, 0.0) * 3 / r)
            runs = stats.t.isf(0.025, df_of_runs(r)) * float(beside["by_runs"].se) * np.sqrt(3 / r)
            if max(both, runs) <= abs(pair.difference):
                return r
        return np.inf

    assert need.runs_needed == first(lambda r: df * (r - 1) / 2, lambda r: r - 1)
    assert need.runs_needed not in (first(lambda r: df, lambda r: r - 1), first(lambda r: df * (r - 1) / 2, lambda r: 2))


def graded(n: int, n_models: int = 2, seed: int = 0) -> pd.DataFrame:
    """Grades of models on the same items."""
    scores = np.random.default_rng(seed).normal(size=(n, n_models))
    return pd.DataFrame({"item": np.arange(n), **{f"m{k}": scores[:, k] for k in range(n_models)}})


def test_the_detectable_difference_is_seen_in_every_other_table() -> None:
    """1,500 tables of 12 splits whose common part is as the correction assumes.

    All default procedures are in ``benchmarks/validity/detectable.py``, with 4,000 tables each.
    """
    rng = np.random.default_rng(3)
    own = rng.normal(size=(1_500, 2, 12)) + np.sqrt(RATIO) * rng.normal(size=(1_500, 2, 1))
    said = [detectable(designed("kfold", table)) for table in own[:100]]
    tables = own + np.array([[np.mean([each["smallest"] for each in said if each is not None])], [0.0]])
    low, _ = tb.statistics.corrected_t(tables[:, 0] - tables[:, 1], RATIO).interval(0.95)
    assert low[0] == pytest.approx(designed("kfold", tables[0]).pair("a", "b").interval_low)
    assert np.mean(low > 0) == pytest.approx(0.5, abs=0.03)


def test_the_detectable_differences_of_several_pairs_are_a_range() -> None:
    """From the pair with the shortest interval to that with the longest, whose level is that of the family."""
    table = graded(200, 4)
    table["m3"] *= 3
    comparison = tb.compare(table, metric="grade", lower_is_better=False)
    found = detectable(comparison)
    widths = (comparison.pairs["interval_high"] - comparison.pairs["interval_low"]) / 2
    assert found == {"smallest": widths.min(), "largest": widths.max(), "power": 0.5}
    assert found["largest"] > 1.5 * found["smallest"]
    alone = detectable(tb.compare(table, metric="grade", lower_is_better=False, correction="none"))
    assert alone["smallest"] < found["smallest"]


@pytest.mark.parametrize(
    "settings",
    [{"correction": "holm"}, {"family": "best"}],
    ids=lambda settings: str(settings),
)
def test_no_detectable_difference_where_the_intervals_do_not_say_it(settings: dict[str, object]) -> None:
    """Levels that depend on p-values, pairs that are not judged, intervals of draws: None, and no sentence."""
    comparison = tb.compare(graded(60, 3), metric="grade", lower_is_better=False, **settings)
    assert detectable(comparison) is None
    assert "mostly go unseen" not in comparison.to_text()
    assert comparison.to_dict()["detectable"] is None


def test_few_items_right_or_wrong_do_not_say_it() -> None:
    """The score interval of 12 items is far from a normal one, that of 40 is near."""
    right = np.random.default_rng(2).random((40, 2)) < [0.8, 0.6]
    table = pd.DataFrame({"item": np.arange(40), "a": right[:, 0].astype(int), "b": right[:, 1].astype(int)})
    assert detectable(tb.compare(table.head(12), metric="accuracy")) is None
    assert detectable(tb.compare(table, metric="accuracy")) is not None
