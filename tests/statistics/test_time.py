"""Diebold and Mariano's test, and the model confidence set, whose published case is in tests/reference."""

import numpy as np
import pytest
from scipy import fft, signal, stats

from tiebreak.statistics import diebold_mariano, model_confidence_set
from tiebreak.statistics.time import lasting_autocorrelation, n_cosines

D = np.random.default_rng(0).normal(0.2, 1, size=40)


def test_differences_that_rounding_leaves_are_none() -> None:
    """Losses of 1,000 that agree to 13 digits are the same; without their size the differences count as they are."""
    noise = 1e-13 * D
    assert diebold_mariano(noise, scale=1000.0).pvalue() == 1.0
    assert diebold_mariano(noise).statistic == pytest.approx(diebold_mariano(D).statistic)


def test_cosines_by_hand() -> None:
    """Mueller 2007: the mean square of the lowest coefficients of scipy's orthonormal cosine transform, and as many df.

    Each is raised as of an autoregression of order 1 (Andrews and Monahan 1992), here of the alternating series D not at all, and
    of |D|, of which a season of 12 is seen (by chance), by the autocorrelation of ranks there.
    """
    n, nu, turned = D.size, n_cosines(D.size), D * np.where(np.arange(D.size) % 2, 1, -1)
    for series, lag in ((D, 1), (np.abs(D), 12), (turned - 3 * np.sign(turned), 1)):
        result, centred = diebold_mariano(series), series - series.mean()
        first = (centred[1:] @ centred[:-1]) / (centred @ centred)
        first += (1 + 3 * first) / n
        raised = min(max(first, 0.0), 0.9)
        ranks = stats.rankdata(centred[1:] - raised * centred[:-1]) - n / 2
        season = min((ranks[lag:] @ ranks[:-lag]) / (ranks @ ranks) * (1 + 3 * lag / n) / (1 - lag / n), 0.9) * (lag == 12)
        squares, turn = fft.dct(series, norm="ortho")[1 : nu + 1] ** 2, np.exp(1j * np.pi * np.arange(1, nu + 1) / n)
        squares *= np.abs((1 - raised * turn) * (1 - season * turn**lag)) ** 2 / ((1 - raised) * (1 - season)) ** 2
        assert result.df == nu
        assert result.se == pytest.approx(np.sqrt(squares.mean() / n))
    assert [n_cosines(each) for each in (3, 15, 30, 60, 200)] == [2, 2, 4, 5, 10]  # 0.75 times the root of n


def test_equal_forecasts_of_an_autoregression_keep_their_error_rate() -> None:
    """AR(.7), n = 60: 5 % of 4,000 series but for chance, of AR(.9) the 11 % of the docstring."""
    rng = np.random.default_rng(7)
    series = signal.lfilter([1], [1, -0.7], rng.normal(size=(4000, 260)), axis=1)[:, 200:]
    assert (diebold_mariano(series).pvalue() < 0.05).mean() < 0.07
    assert lasting_autocorrelation(series).mean() < 0.09
    slow = signal.lfilter([1], [1, -0.9], rng.normal(size=(4000, 400)), axis=1)[:, 200:]
    assert (diebold_mariano(slow[:, :60]).pvalue() < 0.05).mean() < 0.12
    assert lasting_autocorrelation(np.cumsum(slow[:500], axis=1)).mean() > 0.9
    assert not lasting_autocorrelation(slow[:, :14]).any()


def test_independent_periods_are_told_apart_nearly_as_well_as_by_student() -> None:
    """Of 2,000 series of 60 with a mean of 0.4 standard deviations Student's t shows 86 %, this test 70 (3 cosines: 57)."""
    series = np.random.default_rng(9).normal(0.4, 1, size=(2000, 60))
    assert (stats.ttest_1samp(series, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.86, abs=0.03)
    assert (diebold_mariano(series).pvalue() < 0.05).mean() == pytest.approx(0.70, abs=0.04)


@pytest.mark.slow
def test_cycles_that_cancel_in_the_mean_are_not_named_and_seasons_are() -> None:
    """AR(2) with a damping of .9, periods of 4 to 10: at most 4 % of the docstring, and right in 95 %; AR(.7) at lag 12: 99 %."""
    noise = np.random.default_rng(8).normal(size=(1000, 700))
    for period in (4, 10):
        coefficients = [1, -1.8 * np.cos(2 * np.pi / period), 0.81]
        cycle = signal.lfilter([1], coefficients, noise, axis=1)[:, 200:]
        assert (diebold_mariano(cycle).pvalue() < 0.05).mean() < 0.07  # 1,000 series have a standard error of 0.7 %
        assert lasting_autocorrelation(cycle).mean() < 0.04
    season = signal.lfilter([1], [1] + [0] * 11 + [-0.7], noise, axis=1)[:, 200:]
    assert lasting_autocorrelation(season).mean() > 0.95
    assert not lasting_autocorrelation(np.zeros(40))


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_a_clearly_worse_model_is_left_out(statistic: str) -> None:
    """And its p-value is the smallest; the others stay."""
    losses = np.random.default_rng(0).normal(size=(4, 200)) + np.array([[0], [0], [0.05], [1]])
    result = model_confidence_set(losses, statistic=statistic, n_resamples=2_000)
    assert (result > 0.05).tolist() == [True, True, True, False]
    assert result.max() == 1.0


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_two_models_give_the_bootstrap_test_of_their_difference(statistic: str) -> None:
    """Two-sided, near the t-test: p 0.03 for this difference of 100 losses."""
    losses = np.random.default_rng(1).normal(size=(2, 100)) + np.array([[0], [0.25]])
    expected = stats.ttest_rel(*losses).pvalue
    assert model_confidence_set(losses, statistic=statistic).min() == pytest.approx(expected, abs=0.02)


def test_order_of_models_does_not_matter() -> None:
    """The same resamples for all models, so the p-values only change places."""
    losses = np.random.default_rng(2).normal(size=(4, 50)) + np.array([[0], [0.1], [0.3], [0.5]])
    one, other = model_confidence_set(losses), model_confidence_set(losses[::-1])
    np.testing.assert_array_equal(one, other[::-1])


def test_identical_models_stay_together() -> None:
    """No difference is no evidence, with p 1."""
    losses = np.tile(np.random.default_rng(3).normal(size=50), (3, 1))
    assert model_confidence_set(losses).tolist() == [1.0, 1.0, 1.0]


def test_blocks_keep_what_goes_together_in_time() -> None:
    """Losses that move slowly differ less surely: blocks of 20 give a larger p than single periods."""
    rng = np.random.default_rng(4)
    slow = np.repeat(rng.normal(size=(2, 15)), 20, axis=1) + np.array([[0], [0.3]])
    single, blocks = (model_confidence_set(slow, block_length=length).min() for length in (1, 20))
    assert blocks > 3 * single
