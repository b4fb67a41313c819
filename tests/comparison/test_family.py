"""Families: which pairs are judged together, how many they are, and what follows for p-values and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tests.comparison.tables import compared, noisy
from tiebreak.errors import InvalidParameterError
from tiebreak.statistics import adjust_pvalues
from tiebreak.statistics.family import shared_alpha

MEANS = (0.80, 0.79, 0.77, 0.72)


def test_all_pairs_in_ranking_order() -> None:
    """M (M - 1) / 2 rows, best first."""
    pairs = compared(noisy(0.72, 0.80, 0.77)).pairs
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [("b", "c"), ("b", "a"), ("c", "a")]
    assert np.all(pairs["difference"] >= 0)


def test_baseline_is_second_in_every_pair() -> None:
    """M - 1 rows: each other model, in ranking order, against the baseline, also where it is the best."""
    for baseline in "abcd":
        pairs = compared(noisy(*MEANS), baseline=baseline).pairs
        assert list(pairs["first"]) == [name for name in "abcd" if name != baseline]
        assert set(pairs["second"]) == {baseline}


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


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "shaffer", "bh", "none"])
def test_correction_is_that_of_the_settings(correction: str) -> None:
    """p-values are adjusted as a whole, and the level is that of `shared_alpha`."""
    answer = compared(noisy(*MEANS), correction=correction)
    pairs = answer.pairs
    assert answer.correction == correction
    assert_array_equal(pairs["adjusted_pvalue"], adjust_pvalues(pairs["pvalue"].to_numpy(), correction))  # type: ignore[arg-type]
    assert set(pairs["interval_alpha"]) == {shared_alpha(pairs["pvalue"], correction, 0.05)}  # type: ignore[arg-type]


def test_without_a_correction_asked_for_it_is_bonferronis() -> None:
    """What was asked stays None; what was used is named."""
    answer = compared(noisy(*MEANS))
    assert (answer.settings.correction, answer.correction) == (None, "bonferroni")


STEPWISE = ("holm", "shaffer", "bh")


@pytest.mark.parametrize("correction", STEPWISE)
@pytest.mark.parametrize("rope", [0.01, 1e-9, "1%"])
def test_a_stepwise_correction_takes_no_rope(correction: str, rope: float | str) -> None:
    """An error that says why, and what to choose."""
    with pytest.raises(InvalidParameterError) as caught:
        compared(noisy(*MEANS), rope=rope, correction=correction)
    assert str(caught.value) == (
        f"the correction '{correction}' goes step by step, which is right for 'no difference' only: with a rope every pair lies "
        "above, inside or below it, none of these can be ruled out for free, and such intervals were measured to be wrong in "
        "11 to 22 of 100 families. With a rope choose 'bonferroni' (the default) or 'none', or compare with a rope of 0."
    )


@pytest.mark.parametrize("correction", STEPWISE)
@pytest.mark.parametrize("rope", [0, 0.0, "0%"])
def test_without_a_rope_stepwise_corrections_stay(correction: str, rope: float | str) -> None:
    """And the page says that their intervals do not hold at once."""
    answer = compared(noisy(*MEANS), rope=rope, correction=correction)
    assert answer.correction == correction
    assert f"({correction}, corrected-t)" in " ".join(answer.to_text().split())
    assert "hold together" not in answer.to_text()


@pytest.mark.parametrize("correction", ["bonferroni", "none"])
@pytest.mark.parametrize("rope", [0.01, "1%"])
def test_single_step_corrections_take_a_rope(correction: str, rope: float | str) -> None:
    """Their level does not depend on what is rejected."""
    assert compared(noisy(*MEANS), rope=rope, correction=correction).correction == correction


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ({"baseline": "a"}, "compares every model with the best one, whichever it is, so it does not go with baseline="),
        (
            {"correction": "none"},
            "shares alpha among the rivals of a model at a level of its own, so it does not go with correction=",
        ),
        (
            {"correction": "holm"},
            "shares alpha among the rivals of a model at a level of its own, so it does not go with correction=",
        ),
        ({"by": "topic"}, "judges models, and slices judge pairs, so it does not go with by="),
    ],
)
def test_comparisons_with_the_best_take_no_settings_of_pairs(setting: dict[str, object], why: str) -> None:
    """Each is refused in words, with what to do."""
    with pytest.raises(InvalidParameterError) as caught:
        compared(noisy(*MEANS), family="best", **setting)
    assert str(caught.value) == f'family="best" {why}. Leave one of the two out.'


def test_a_family_that_there_is_not_is_refused() -> None:
    """With the names that there are."""
    with pytest.raises(InvalidParameterError, match="family"):
        compared(noisy(*MEANS), family="baseline")
    assert compared(noisy(*MEANS), family="best", correction="bonferroni").settings.family == "best"


def test_interval_alpha_is_one_less_the_coverage() -> None:
    """The column, and the pair's: not `level`, which is coverage everywhere; a test asked at 1 - it gives the interval shown."""
    answer = compared(noisy(*MEANS))
    assert "level" not in answer.pairs.columns
    assert set(answer.pairs["interval_alpha"]) == {0.05 / 6}
    pair = answer.pair("a", "b")
    assert not hasattr(pair, "level")
    ends = pair.law.interval(level=1 - pair.interval_alpha)
    assert_allclose([pair.interval_low, pair.interval_high], ends, rtol=1e-12)


def test_shaffers_correction_is_for_all_pairs() -> None:
    """Three pairs with a baseline are as many as all of three models, and yet another family."""
    with pytest.raises(InvalidParameterError, match="the correction 'shaffer' is for all pairs; against a baseline"):
        compared(noisy(*MEANS), baseline="a", correction="shaffer")
