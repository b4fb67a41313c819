"""Student differences: closed forms agree with those of the base class and with the results on arrays."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.comparison.tables import RMSE, noisy, scores_of
from tiebreak.comparison.procedures import METHODS
from tiebreak.comparison.procedures.corrected_t import CORRECTED_T, StudentDifferences
from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.comparison.settings import Settings
from tiebreak.errors import MissingSizesError, TooFewSplitsError
from tiebreak.statistics import corrected_t

TABLE = noisy(0.80, 0.79, 0.75, 0.74)
FIRST, SECOND = np.array([0, 0, 1]), np.array([1, 3, 2])


def judged(name: str = "corrected-t") -> Differences:
    """Three pairs of four models."""
    return METHODS[name].judge(scores_of(TABLE), FIRST, SECOND, Settings())


@pytest.mark.parametrize("p", [1e-7, 0.025, 0.4])
def test_closed_form_is_what_bisection_finds(p: float) -> None:
    """Quantiles of both tails."""
    differences = judged()
    for upper in (False, True):
        assert_allclose(differences.quantile(p, upper=upper), Differences.quantile(differences, p, upper=upper), rtol=1e-10)


def test_tails_are_pvalues_and_probabilities() -> None:
    """Of the test and of the posterior on arrays, to 1e-12."""
    differences = judged()
    d = TABLE[FIRST] - TABLE[SECOND]
    law = corrected_t(d, 1 / 9)
    assert_allclose(differences.tail_below(0.0), law.pvalue("greater"), rtol=1e-12)
    probabilities = law.probabilities(0.01)
    assert_allclose(differences.tail_above(0.01), probabilities.better, rtol=1e-12)
    assert_allclose(differences.tail_below(-0.01), probabilities.worse, rtol=1e-12)


def test_one_pair_is_its_row() -> None:
    """Of shape (), for whoever asks about one."""
    many = judged()
    one = CORRECTED_T.judge(scores_of(TABLE), np.array(0), np.array(3), Settings())
    assert_allclose([one.estimate, one.tail_above(0.0)], [many.estimate[1], many.tail_above(0.0)[1]], rtol=1e-12)
    assert np.shape(one.estimate) == ()


def test_draws_have_the_spread_of_the_tails() -> None:
    """Half of 20,000 draws either way; the difference of two models lies below 0 as often as its tail says."""
    differences = judged()
    draws = differences.draws(20_000, np.random.default_rng(0))
    assert draws is not None
    drawn = np.concatenate(list(draws))
    assert drawn.shape == (20_000, 4)
    below = (drawn[:, FIRST] < drawn[:, SECOND]).mean(axis=0)
    assert_allclose(below, differences.tail_below(0.0), atol=4 * 0.5 / np.sqrt(20_000))


def test_draws_of_a_loss_are_turned() -> None:
    """The best model is that with the lowest mean."""
    differences = CORRECTED_T.judge(scores_of(TABLE, metric=RMSE), FIRST, SECOND, Settings())
    drawn = np.concatenate(list(differences.draws(2_000, np.random.default_rng(0))))
    assert drawn.mean(axis=0).argmax() == 3


def test_uncorrected_one_has_a_smaller_standard_error() -> None:
    """By sqrt(1 + n ratio), as nothing is corrected, and it needs no sizes."""
    assert_allclose(judged().standard_error, np.sqrt(1 + 10 / 9) * np.asarray(judged("paired-t").standard_error), rtol=1e-12)
    without = scores_of(TABLE, n_train=0, n_test=0)
    assert METHODS["paired-t"].applies(without) is None
    assert isinstance(CORRECTED_T.applies(without), MissingSizesError)
    assert isinstance(METHODS["paired-t"].applies(scores_of(TABLE[:, :1])), TooFewSplitsError)


def test_floor_is_the_limit_of_more_repeats() -> None:
    """The half-width of 10 times 1,000 splits with the same spread is the floor, to 1 percent; uncorrected, there is none."""
    differences = judged()
    assert isinstance(differences, StudentDifferences)
    many = CORRECTED_T.judge(scores_of(np.tile(TABLE, 1000)), FIRST, SECOND, Settings())
    low, high = many.interval(0.05)
    assert_allclose((high - low) / 2, differences.half_width_floor(0.05) * np.sqrt(9 / 10), rtol=1e-2)
    floor = judged("paired-t").half_width_floor(0.05)
    assert_allclose(floor, 0.0)
