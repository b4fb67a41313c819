"""Families: which pairs are judged together, how many they are, and what follows for p-values and intervals."""

import pytest
from numpy.testing import assert_array_equal

from tests.comparison.tables import compared, noisy
from tests.guarded import told
from tiebreak.comparison.family import family_alpha
from tiebreak.comparison.settings import Settings
from tiebreak.errors import InvalidParameterError
from tiebreak.statistics import adjust_pvalues
from tiebreak.statistics.family import shared_alpha

MEANS = (0.80, 0.79, 0.77, 0.72)


def test_baseline_is_second_in_every_pair() -> None:
    """M - 1 rows: each other model, in ranking order, against the baseline, also where it is the best."""
    for baseline in "abcd":
        pairs = compared(noisy(*MEANS), baseline=baseline).pairs
        assert list(pairs["first"]) == [name for name in "abcd" if name != baseline]
        assert set(pairs["second"]) == {baseline}


def test_looks_spend_the_alpha_of_one_pair_of_the_family() -> None:
    """That of six pairs of four models, of three with a baseline, and of Hsu's three one-sided comparisons."""
    assert family_alpha(Settings(), 4) == pytest.approx(0.05 / 6)
    assert family_alpha(Settings(baseline="a"), 4) == pytest.approx(0.05 / 3)
    assert family_alpha(Settings(family="best"), 4) == pytest.approx(2 * 0.05 / 3)


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "shaffer", "bh", "none"])
def test_correction_is_that_of_the_settings(correction: str) -> None:
    """p-values are adjusted as a whole, and the level is that of `shared_alpha`."""
    answer = compared(noisy(*MEANS), correction=correction)
    pairs = answer.pairs
    assert answer.correction == correction
    assert_array_equal(pairs["adjusted_pvalue"], adjust_pvalues(pairs["pvalue"].to_numpy(), correction))  # type: ignore[arg-type]
    assert set(pairs["interval_alpha"]) == {shared_alpha(pairs["pvalue"], correction, 0.05)}  # type: ignore[arg-type]


STEPWISE = ("holm", "shaffer", "bh")


@pytest.mark.parametrize("correction", STEPWISE)
@pytest.mark.parametrize("rope", [0.01, 1e-9, "1%"])
def test_a_stepwise_correction_takes_no_rope(correction: str, rope: float | str) -> None:
    """An error that says why, and what to choose."""
    assert told(InvalidParameterError, compared, noisy(*MEANS), rope=rope, correction=correction) == (
        f"the correction '{correction}' goes step by step, which is right for 'no difference' only: with a rope every pair lies "
        "above, inside or below it, none of these can be ruled out for free, and such intervals were measured to be wrong in "
        "11 to 22 of 100 families. With a rope choose 'bonferroni' (the default) or 'none', or compare with a rope of 0."
    )


@pytest.mark.parametrize("correction", STEPWISE)
@pytest.mark.parametrize("rope", [0, 0.0, "0%"])
def test_without_a_rope_stepwise_corrections_stay(correction: str, rope: float | str) -> None:
    """And the page says that their intervals do not hold at once."""
    answer = compared(noisy(*MEANS), rope=rope, correction=correction)
    assert f"({correction}, corrected-t)" in " ".join(answer.to_text().split())
    assert "hold together" not in answer.to_text()


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
    text = told(InvalidParameterError, compared, noisy(*MEANS), family="best", **setting)
    assert text == f'family="best" {why}. Leave one of the two out.'


def test_shaffers_correction_is_for_all_pairs() -> None:
    """Three pairs with a baseline are as many as all of three models, and yet another family."""
    with pytest.raises(InvalidParameterError, match="the correction 'shaffer' is for all pairs; against a baseline"):
        compared(noisy(*MEANS), baseline="a", correction="shaffer")
