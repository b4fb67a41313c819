"""What a family says of models: who is shown above whom, who may be the best, places, shortfalls, letters, order of rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tests.comparison.tables import (
    Ends,
    assert_ranked_as_by_hand,
    compared,
    noisy,
    ranked_by_hand,
)
from tiebreak.comparison.comparison import Comparison
from tiebreak.errors import DataError
from tiebreak.scores.means import adjusted_means
from tiebreak.statistics.copies import first_copies

N = float("nan")
CYCLE = [
    [0.90, 0.91, 0.90, 0.89, N, N, N, N, 0.70, 0.71, 0.70, 0.69],
    [0.70, 0.71, 0.71, 0.70, 0.90, 0.91, 0.90, 0.89, N, N, N, N],
    [N, N, N, N, 0.70, 0.71, 0.71, 0.70, 0.90, 0.91, 0.91, 0.90],
]
"""a beats b on what they share, b beats c, c beats a."""
BELOW = [0.5, 0.51, 0.5, 0.49, 0.5, 0.51, 0.5, 0.49, 0.5, 0.51, 0.5, 0.49]


def ends_by_hand(score: np.ndarray, one_sided: float) -> Ends:
    """Corrected t intervals [Nadeau and Bengio 2003] of all ordered pairs by scipy, 10 test examples for 90 of training."""
    ends: Ends = {}
    for j in range(len(score)):
        for i in range(len(score)):
            d = (score[j] - score[i])[~np.isnan(score[j] - score[i])]
            if i == j or d.size < 2 or np.ptp(d) <= 1e-12:
                continue
            half = stats.t.isf(one_sided, d.size - 1) * np.sqrt((1 / d.size + 1 / 9) * d.var(ddof=1))
            ends[j, i] = d.mean() - half, d.mean() + half
    return ends


def check(table: np.ndarray, family: str, rope: float, alpha: float) -> Comparison:
    """The answer, once it is the one by hand, of values and copies that tests of their own hold by hand."""
    names, m = list("abcdefgh")[: len(table)], len(table)
    level = alpha / (m * (m - 1) / 2) / 2 if family == "pairs" else alpha / max(2, m - 1)
    answer = compared(table, names, rope=rope, alpha=alpha, family=family, missing="pairwise")
    expected = ranked_by_hand(names, adjusted_means(table), first_copies(table).tolist(), ends_by_hand(table, level), rope)
    assert_ranked_as_by_hand(answer, expected, names)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("rope", [0.0, 0.02])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("family", ["pairs", "best"])
def test_everything_is_read_off_the_intervals_of_the_family(rope: float, alpha: float, family: str) -> None:
    """Twenty random tables of six models at Bonferroni's two-sided level, or at Hsu's one-sided one; all standings occur."""
    seen = set()
    for seed in range(20):
        means = np.random.default_rng(seed).uniform(0.66, 0.80, 6)
        seen.update(check(noisy(*means, seed=seed), family, rope, alpha).ranking["standing"])
    assert seen >= {"best", "may be best", "not best"}


@pytest.mark.slow
@pytest.mark.parametrize("rope", [0.0, 0.03])
@pytest.mark.parametrize("family", ["pairs", "best"])
def test_also_with_gaps_and_copies(rope: float, family: str) -> None:
    """Sixty tables: a fifth of the cells missing, one model a copy of another, one a copy but for its gaps, one constantly
    off, and one shown above another one whose value is higher."""
    n_reordered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = noisy(*rng.uniform(0.70, 0.80, 7), noise=0.015, n_splits=int(rng.integers(8, 16)), seed=seed)
        table[rng.random(table.shape) < 0.2] = np.nan
        table[:, 0] = rng.normal(0.75, 0.05, 7)  # one split that all have
        table[1] = table[0]
        table[2] = np.where(rng.random(table.shape[1]) < 0.3, np.nan, table[0])
        table[2, 0] = table[0, 0]
        table[5] = table[4] - 0.02 + rng.normal(0, 0.002, table.shape[1])
        table[4, 3], table[5, 3] = N, 1.4  # shown below 'e' where both were measured, and better than it by its value
        table[3] = table[4] - 0.01
        answer = check(table, family, rope, 0.2)
        ranking = answer.ranking
        rows = ranking.index[ranking["model"].isin(["a", "b"])]
        one, two = (ranking.iloc[row].drop("model") for row in rows)
        pd.testing.assert_series_equal(one, two, check_names=False, check_exact=False, rtol=1e-12)
        n_reordered += bool(np.any(np.diff(answer.ranking_table.mean) > 1e-9))
    assert n_reordered > 10


@pytest.mark.parametrize("end", [1.0, 1.0 + 1e-14, 1.0 - 1e-14])
@pytest.mark.parametrize("family", ["pairs", "best"])
def test_a_shortfall_that_ends_on_the_rope_is_within_it(family: str, end: float) -> None:
    """Also a last digit beyond it: the rope is the shortfall itself, times 1 + 1e-14, where rounding noise is 1e-12."""
    table = noisy(0.80, 0.60, noise=0.05)
    table = np.vstack([table, table[0] - 0.001 + np.random.default_rng(3).normal(0, 0.002, table.shape[1])])
    for row in (0, 1):  # not in one table: one of the two shortfalls is the larger one
        shortfall = compared(table, family=family).ranking["shortfall_high"][row]
        ranking = compared(table, rope=float(shortfall) * end, family=family).ranking
        assert ranking["standing"][row] == "near best"
        assert compared(table, rope=float(shortfall) * (1 - 1e-9), family=family).ranking["standing"][row] == "may be best"


@pytest.mark.parametrize("family", ["pairs", "best"])
def test_cyclic_gaps_leave_all_models(family: str) -> None:
    """a above b above c above a: each is in the one component that nobody outside enters, and any place is open to each."""
    answer = check(np.array(CYCLE), family, 0.0, 0.05)
    assert set(answer.shortlist()) == {"a", "b", "c"}
    assert "nan" not in str(answer)


@pytest.mark.parametrize("family", ["pairs", "best"])
def test_a_cycle_stands_together_below_the_best(family: str) -> None:
    """A model far above all of them: the three of the cycle are left, with the places 2 to 4."""
    top = [1.0, 0.99, 1.0, 0.98, 1.0, 0.99, 1.0, 0.98, 1.0, 0.99, 1.0, 0.98]
    answer = check(np.array([*(np.array([*CYCLE, BELOW]) - 0.3), top]), family, 0.0, 0.05)
    assert answer.shortlist() == ("e",)
    assert (answer.models[0], answer.models[4]) == ("e", "d")


def test_a_model_stands_above_one_of_a_higher_value_that_it_is_shown_above() -> None:
    """Wilcoxon's centre against the mean: b wins eleven datasets of twelve by .01 and loses one by .5."""
    a = np.full(12, 0.8)
    a[11] = 0.9
    b = a + np.array([0.01, 0.012, 0.011, 0.013, 0.009, 0.0105, 0.0115, 0.0125, 0.0095, 0.0135, 0.0085, -0.5])
    assert a.mean() > b.mean()
    answer = tb.compare({"dataset": [f"d{i}" for i in range(12)], "a": a, "b": b}, metric="accuracy")
    assert answer.pair("b", "a").verdict == "better"
    assert answer.models == ("b", "a")
    assert list(answer.ranking["rank"]) == list(answer.ranking["rank_low"]) == list(answer.ranking["rank_high"]) == [1, 2]


def test_a_baseline_says_nothing_of_the_best() -> None:
    """No standing, shortfall, place range or letter; the shortlist is an error that says how to go on."""
    answer = compared(noisy(0.80, 0.60, 0.79), baseline="a", rope=0.01)
    assert not {"rank_low", "rank_high", "may_be_best", "shortfall_high", "standing", "letters"} & set(answer.ranking.columns)
    with pytest.raises(DataError, match=r"does not say which is the best\. Leave baseline= out"):
        answer.shortlist()
    assert "may be the best" not in answer.to_text()


def test_models_shown_above_a_baseline_stand_above_it() -> None:
    """Also where gaps give them a lower value: on the four splits that a and b share a is ahead, elsewhere b met easy ones."""
    answer = compared([*CYCLE, BELOW], baseline="b", missing="pairwise")
    against = dict(zip(answer.ranking["model"], answer.ranking["verdict"], strict=True))
    assert against == {"a": "better", "b": "", "c": "worse", "d": "worse"}
    assert answer.models.index("a") < answer.models.index("b") < min(answer.models.index(name) for name in "cd")


def test_comparisons_with_the_best_judge_no_pair() -> None:
    """Pairs stand outside the family: their own 1 - alpha interval, no verdict, no adjusted p-value, no interval_alpha."""
    answer = compared(noisy(0.80, 0.60, 0.79, 0.70), family="best", rope=0.01)
    pairs = answer.pairs
    assert set(pairs["verdict"]) == {""}
    assert pairs["adjusted_pvalue"].isna().all()
    assert pairs["interval_alpha"].isna().all()
    half = stats.t.isf(0.025, 9) * pairs["standard_error"]
    ends = [pairs["difference"] - half, pairs["difference"] + half]
    assert_allclose(pairs[["interval_low", "interval_high"]].T, ends, rtol=1e-9)
    assert not answer.pair("a", "b").is_in_family


def test_the_best_of_two_is_the_better_of_the_pair() -> None:
    """Both families have a one-sided 0.025 then: the same arrow and the same bounds, with and without a rope."""
    for mean in (0.80, 0.77, 0.70):
        one, other = (compared(noisy(0.80, mean), rope=0.02, family=family).ranking for family in ("pairs", "best"))
        assert_allclose(one["shortfall_high"], other["shortfall_high"], rtol=1e-12)
        assert list(one["standing"]) == list(other["standing"])
