"""Missing scores: an error, or pairs that each have their own splits, degrees of freedom and ratio."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.comparison.tables import compared, noisy
from tiebreak.errors import MissingSplitsError
from tiebreak.frequentist import corrected_ttest

NAN = np.nan


def holed() -> np.ndarray:
    """Three models on ten splits: a misses one, b misses three others, c is complete and the worst."""
    table = noisy(0.85, 0.82, 0.80)
    table[0, 4] = NAN
    table[1, [1, 2, 7]] = NAN
    return table


def test_missing_scores_are_an_error_that_names_them() -> None:
    """Model, number, splits, and three ways to go on."""
    with pytest.raises(MissingSplitsError) as caught:
        compared(holed())
    assert str(caught.value) == (
        "'a' lacks 1 of the 10 splits: repeat 0 fold 4 (so do 1 other model(s)); a score that is undefined (nan) counts as "
        'missing. Evaluate those, leave the model out with models=, or pass missing="pairwise" to compare each pair on the '
        "splits it shares."
    )


def test_many_missing_splits_are_counted() -> None:
    """Three named, the rest counted."""
    table = noisy(0.85, 0.82)
    table[1, 2:8] = NAN
    with pytest.raises(MissingSplitsError, match="repeat 0 fold 2, repeat 0 fold 3, repeat 0 fold 4 and 3 more;"):
        compared(table)


@pytest.mark.parametrize("missing", ["raise", "pairwise"])
def test_model_without_any_score_is_an_error(missing: str) -> None:
    """There is nothing to compare, however lenient the caller."""
    table = noisy(0.85, 0.82, 0.80)
    table[1] = NAN
    with pytest.raises(MissingSplitsError, match="'b' has no score on any split"):
        compared(table, missing=missing)


def test_each_pair_has_its_own_splits_and_ratio() -> None:
    """9, 6 and 7 shared splits, each with its mean n_test / n_train; equal to the pair alone on those splits."""
    table, n_test = holed(), np.array([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    answer = compared(table, n_train=100 - n_test, n_test=n_test, missing="pairwise", rope=0.01)
    for first, second, n in (("a", "c", 9), ("a", "b", 6), ("b", "c", 7)):
        pair = answer.pair(first, second)
        rows = table["abc".index(first)], table["abc".index(second)]
        shared = ~np.isnan(rows[0] - rows[1])
        d, ratio = (rows[0] - rows[1])[shared], np.mean((n_test / (100 - n_test))[shared])
        assert (pair.n_units, pair.df) == (n, n - 1)
        assert pair.ratio == pytest.approx(ratio)
        expected = corrected_ttest(d, test_train_ratio=ratio)
        assert_allclose([pair.statistic, pair.pvalue], [expected.statistic, expected.pvalue], rtol=1e-11)
        assert_allclose([pair.interval_low, pair.interval_high], expected.interval_at(0.05 / 3), rtol=1e-10)


def test_incomplete_models_rank_after_complete_ones() -> None:
    """Even with a better mean: then the difference to the first is positive, and it may be "better" and the best."""
    table = noisy(0.95, 0.82, 0.80)
    table[0, 4] = NAN
    answer = compared(table, missing="pairwise", p_best=True)
    ranking = answer.ranking
    assert list(ranking["model"]) == ["b", "c", "a"]
    assert_array_equal(ranking["n_units"], [10, 10, 9])
    assert answer.pair("a", "b").verdict == "better"
    assert list(ranking["standing"]) == ["not best", "not best", "best"]
    assert list(ranking["p_best"].isna()) == [False, False, True]
    assert list(ranking["expected_rank"].isna()) == [False, False, True]
    assert_allclose(ranking["p_best"][:2].sum(), 1.0)


def test_interval_of_a_mean_is_over_the_model_s_own_splits() -> None:
    """Their number and their mean n_test / n_train."""
    table, n_test = holed(), np.array([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    ranking = compared(table, n_train=100 - n_test, n_test=n_test, missing="pairwise").ranking.set_index("model")
    for name, row in zip("abc", table, strict=True):
        on = ~np.isnan(row)
        expected = corrected_ttest(row[on], test_train_ratio=np.mean((n_test / (100 - n_test))[on])).confidence_interval()
        assert_allclose(ranking.loc[name, ["mean_low", "mean_high"]].astype(float), expected, rtol=1e-11)


def test_single_complete_model_has_no_joint_posterior() -> None:
    """p_best needs two complete models."""
    ranking = compared(holed(), missing="pairwise", p_best=True).ranking
    assert list(ranking["model"]) == ["c", "a", "b"]
    assert ranking["p_best"].isna().all()


def test_pairs_that_never_met() -> None:
    """Fewer than two shared splits: nan with the reason, counted in the family; others keep their answer."""
    table = np.array([[0.8, 0.9, NAN, NAN], [NAN, NAN, 0.7, 0.8], [0.7, 0.85, 0.75, 0.6]])
    answer = compared(table, missing="pairwise", correction="bonferroni")
    pair = answer.pair("a", "b")
    assert (pair.n_units, pair.df, pair.reason) == (0, 0, "missing-splits")
    numbers = [pair.difference, pair.standard_error, pair.statistic, pair.pvalue, pair.adjusted_pvalue, pair.interval_low]
    assert np.all(np.isnan([*numbers, pair.p_better, pair.p_equivalent, pair.p_worse]))
    assert pair.verdict == "undecided"
    assert pair.differences.size == 0
    other = answer.pair("c", "a")
    assert other.n_units == 2
    assert_allclose(other.adjusted_pvalue, min(1.0, 3 * other.pvalue))


def test_one_shared_split_shows_its_difference_only() -> None:
    """A difference without a spread estimate."""
    pair = compared([[0.8, NAN, 0.9], [0.7, 0.6, NAN], [0.5, 0.6, 0.7]], missing="pairwise").pair("a", "b")
    assert pair.n_units == 1
    assert pair.difference == pytest.approx(0.1)
    assert np.all(np.isnan([pair.standard_error, pair.pvalue, pair.interval_high]))


def test_zero_spread_is_judged_by_the_shared_splits() -> None:
    """A giant score on a split that the other lacks does not enter the tolerance."""
    answer = compared([[0.5, 0.6, 0.7, 1e6], [0.5, 0.6, 0.7 + 1e-9, NAN]], missing="pairwise")
    assert answer.pair("a", "b").reason == "unsettled"
    copies = compared([[0.5, 0.6, 0.7, 1e6], [0.5, 0.6, 0.7, NAN]], missing="pairwise")
    assert copies.pair("a", "b").reason == "identical-scores"


def test_nothing_missing_is_the_same_either_way() -> None:
    """missing="pairwise" on a complete table changes nothing."""
    table = noisy(0.85, 0.82, 0.80)
    strict, lenient = compared(table, rope=0.01), compared(table, rope=0.01, missing="pairwise")
    assert strict.pairs.equals(lenient.pairs)
    assert strict.ranking.equals(lenient.ranking)


def test_missing_splits_are_said() -> None:
    """Which models, how many splits, and what follows."""
    texts = {notice.code: notice.text for notice in compared(holed(), missing="pairwise").notices}
    assert texts["missing-splits"] == (
        "'a' and 'b' lack scores on up to 3 of the 10 splits; each pair is compared on the splits it shares, and incomplete "
        "models are ranked after complete ones"
    )
