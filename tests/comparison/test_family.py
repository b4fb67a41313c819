"""Families: which pairs are judged together, how many they are, and what follows for p-values and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tests.comparison.tables import compared, noisy
from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import adjust_pvalues
from tiebreak.frequentist.adjustment import interval_level

MEANS = (0.80, 0.79, 0.77, 0.72)


def test_all_pairs_in_ranking_order() -> None:
    """M (M - 1) / 2 rows, best first."""
    pairs = compared(noisy(0.72, 0.80, 0.77)).pairs
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [("b", "c"), ("b", "a"), ("c", "a")]
    assert np.all(pairs["difference"] >= 0)


def test_order_sets_rows_and_orientation_but_not_the_ranking() -> None:
    """Each model is tested against those after it in the caller's order."""
    answer = compared(noisy(*MEANS), order=["d", "a", "c", "b"])
    pairs = answer.pairs
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [
        ("d", "a"),
        ("d", "c"),
        ("d", "b"),
        ("a", "c"),
        ("a", "b"),
        ("c", "b"),
    ]
    assert_allclose(pairs["difference"], [-0.08, -0.05, -0.07, 0.03, 0.01, -0.02], rtol=1e-9)
    assert answer.models == ("a", "b", "c", "d")
    assert list(answer.ranking["model"]) == ["a", "b", "c", "d"]


def test_baseline_is_second_in_every_pair() -> None:
    """M - 1 rows: each other model, in ranking order, against the baseline, also where it is the best."""
    for baseline in "abcd":
        pairs = compared(noisy(*MEANS), baseline=baseline).pairs
        assert list(pairs["first"]) == [name for name in "abcd" if name != baseline]
        assert set(pairs["second"]) == {baseline}


def test_baseline_with_an_order_of_the_others() -> None:
    """`order` lists the others and sets the rows."""
    pairs = compared(noisy(*MEANS), baseline="b", order=["d", "a", "c"]).pairs
    assert list(pairs["first"]) == ["d", "a", "c"]


@pytest.mark.parametrize(("options", "m"), [({}, 6), ({"baseline": "c"}, 3)])
def test_size_of_the_family(options: dict[str, str], m: int) -> None:
    """Bonferroni, the default of the t-tests, multiplies p-values by m, and the intervals have level 1 - alpha / m."""
    pairs = compared(noisy(*MEANS), rope=0.005, alpha=0.1, **options).pairs
    assert len(pairs) == m
    assert_allclose(pairs["adjusted_pvalue"], np.minimum(1, m * pairs["pvalue"]), rtol=1e-14)
    half_width = stats.t.isf(0.1 / m / 2, 9) * pairs["standard_error"]
    assert_allclose(pairs["interval_high"], pairs["difference"] + half_width, rtol=1e-12)
    assert_allclose(pairs["interval_low"], pairs["difference"] - half_width, rtol=1e-10, atol=1e-14)


def test_undefined_pairs_count_in_the_family() -> None:
    """Two copies: their pair has p 1 for d = 0 and no interval, and the family stays three."""
    table = noisy(0.80, 0.77)
    pairs = compared([table[0], table[1], table[1]], rope=0.001).pairs
    assert list(pairs["reason"])[2] == "identical-scores"
    assert np.isnan(pairs["interval_low"][2])
    half_width = stats.t.isf(0.05 / 6, 9) * pairs["standard_error"][0]
    assert_allclose(pairs["interval_high"][0], pairs["difference"][0] + half_width, rtol=1e-12)


@pytest.mark.parametrize("correction", ["bonferroni", "sidak", "holm", "hochberg", "hommel", "shaffer", "bh", "by", "none"])
def test_correction_is_that_of_the_settings(correction: str) -> None:
    """p-values are adjusted as a whole, and the level is that of `interval_level`."""
    answer = compared(noisy(*MEANS), rope=0.005, correction=correction)
    pairs = answer.pairs
    assert answer.correction == correction
    assert_array_equal(pairs["adjusted_pvalue"], adjust_pvalues(pairs["pvalue"].to_numpy(), correction))  # type: ignore[arg-type]
    assert set(pairs["interval_alpha"]) == {interval_level(pairs["pvalue"], correction, 0.05)}  # type: ignore[arg-type]


def test_without_a_correction_asked_for_it_is_the_procedures_own() -> None:
    """What was asked stays None; what was used is named."""
    answer = compared(noisy(*MEANS))
    assert (answer.settings.correction, answer.correction) == (None, "bonferroni")


@pytest.mark.parametrize("setting", [{"order": ["b", "a", "d", "c"]}, {"baseline": "b"}])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_alternative_changes_two_columns_only(alternative: str, setting: dict[str, object]) -> None:
    """p-value and adjusted p-value; not intervals, posteriors, verdicts, ranking or shortlist."""
    table = noisy(*MEANS)
    plain, one_sided = compared(table, rope=0.01, **setting), compared(table, rope=0.01, alternative=alternative, **setting)
    changed = {"pvalue", "adjusted_pvalue"}
    for column in plain.pairs.columns:
        same = plain.pairs[column].equals(one_sided.pairs[column])
        assert same == (column not in changed), column
    assert plain.ranking.equals(one_sided.ranking)
    assert plain.shortlist() == one_sided.shortlist()
    statistic = plain.pairs["statistic"]
    assert_allclose(one_sided.pairs["pvalue"], stats.t.sf(statistic if alternative == "greater" else -statistic, 9), rtol=1e-11)


def test_a_large_family_is_made_in_blocks_and_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that are not kept, blocks of a few pairs, and one pair of a table: the same numbers, with holes as well."""
    table = noisy(*np.linspace(0.7, 0.8, 9))
    table[3, 2] = np.nan
    options = {"rope": 0.01, "missing": "pairwise", "correction": "holm"}
    whole = compared(table, list("abcdefghi"), **options)
    monkeypatch.setattr("tiebreak.comparison.pairs.MOST_KEPT", 5)
    monkeypatch.setattr("tiebreak.comparison.best.BLOCK", 4)
    monkeypatch.setattr("tiebreak.numerics.moments.BLOCK", 20)
    blocks = compared(table, list("abcdefghi"), **options)
    assert blocks.pairs.equals(whole.pairs)
    assert blocks.ranking.equals(whole.ranking)
    assert str(blocks) == str(whole)
    assert_array_equal(blocks.pair_table.count_verdicts(), whole.pair_table.count_verdicts())


def test_shaffers_correction_is_for_all_pairs() -> None:
    """Three pairs with a baseline are as many as all of three models, and yet another family."""
    with pytest.raises(InvalidParameterError, match="the correction 'shaffer' is for all pairs; against a baseline"):
        compared(noisy(*MEANS), baseline="a", correction="shaffer")
