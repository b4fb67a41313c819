"""Forecasts of the same periods: Diebold and Mariano's test of two, the model confidence set of several."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, ndtri

from tiebreak.errors import DataError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    Law,
    blocks,
    check_array,
    check_choice,
    check_count,
    check_differences,
    divide,
    floats,
    generator_of,
    kind_of,
    mid_ranks,
    noise_of,
    plain,
    refuse_unless,
    row_counts,
    student,
)

SetStatistic = Literal["range", "max"]

MOST_WHITENED = 0.9
"""Largest first autocorrelation that the variance is raised for: what goes together longer than that has no known mean."""


def diebold_mariano(differences: ArrayLike, *, scale: ArrayLike | None = None, memory: bool = False) -> Law:
    """Law of the mean difference of the losses of two forecasts, which go together from one period to the next.

    Parameters
    ----------
    differences : array_like of shape (..., n_periods)
        Loss of the first forecast minus loss of the second, in the order of time.
    scale : array_like, broadcast over the leading axes, optional
        Size of the losses that were subtracted: 1e-12 of it is rounding noise. The largest absolute difference of the row if
        not given.
    memory : bool, default False
        Allow for long memory of the largest order that the lowest cosines do not rule out, as `memory_bound` has it.

    Returns
    -------
    Law
        Student's with as many degrees of freedom as there are cosines. Series that are the same are "identical", those that
        differ by a constant "constant".

    Raises
    ------
    DataError
        Fewer than two periods.
        Losses that are not finite.

    Notes
    -----
    The statistic is that of [DM95]_ without a horizon. The variance of the mean is the mean square of the ``n_cosines(n)``
    lowest cosine coefficients of the series over n [M07]_, and Student's t has as many degrees of freedom [LLSW18]_, [CI20]_.
    Each square is raised to what it is at frequency 0 in an autoregression of order 1 with the first autocorrelation (0 to
    0.9), as of a series that was prewhitened [AM92]_, and where one season is seen to go with the last (as by
    `lasting_autocorrelation`) in one of that lag too. Of equal forecasts it called different at n = 30, 60, 200 (4,000 series
    each) 4.7, 4.3, 4.9 % of independent ones, 5.1, 5.3, 4.5 % of AR(.3), 7.4, 5.7, 5.5 % of AR(.7), 14, 11, 6 % of AR(.9), 4.1,
    3.6, 4.3 % of a moving average of 4, and of AR(.9) beneath independent errors twice as large 18, 14, 10 %. Differences that
    Student's t of independent periods shows in 85 % are shown in 60, 69, 77 %.

    References
    ----------
    .. [DM95] F. X. Diebold, R. S. Mariano. Comparing predictive accuracy. Journal of Business & Economic Statistics 13, 1995.
    .. [M07] U. Mueller. A theory of robust long-run variance estimation. Journal of Econometrics 141, 2007.
    .. [AM92] D. Andrews, C. Monahan. An improved heteroskedasticity and autocorrelation consistent covariance matrix estimator.
       Econometrica 60, 1992.
    .. [LLSW18] E. Lazarus, D. Lewis, J. Stock, M. Watson. HAR inference: recommendations for practice. Journal of Business &
       Economic Statistics 36, 2018.
    .. [CI20] L. Coroneo, F. Iacone. Comparing predictive accuracy in small samples using fixed-smoothing asymptotics. Journal of
       Applied Econometrics 35, 2020.

    Examples
    --------
    >>> law = diebold_mariano([0.3, 0.1, 0.4, 0.2, -0.1, 0.3, 0.2, 0.5])
    >>> round(law.statistic, 3), round(law.pvalue(), 4)
    (3.65, 0.0675)
    """
    d = check_differences(differences, unit="period")
    if not np.isfinite(d).all():
        raise DataError(
            f"{np.count_nonzero(~np.isfinite(d))} of the differences are not finite. A missing period breaks the order of time; "
            "compare an unbroken stretch."
        )
    n, size, tolerance = d.shape[-1], np.abs(d).max(axis=-1), noise_of(d, scale)
    d = np.where(np.abs(d) <= tolerance[..., None], 0.0, d)
    mean = d.mean(axis=-1)
    deviation = d - mean[..., None]
    # the lowest cosines, each raised by what autoregressions of the last period, and of the last season, have less there [AM92]_
    df, first = n_cosines(n), np.clip(_first_autocorrelation(deviation), 0.0, MOST_WHITENED)[..., None]
    frequency = np.pi * np.arange(1, df + 1) / n
    plain_squares = squares = np.square(_cosine_coefficients(deviation, df))
    for lag, own in ((1, first), _seasons(deviation, first)):
        squares = squares * (1 + own**2 - 2 * own * np.cos(lag * frequency)) / np.square(1 - own)
    if memory:
        order = memory_bound(deviation)[..., None]
        squares = np.maximum(squares, plain_squares * np.arange(1, df + 1) ** (2 * order) / (1 - 2 * order))
    error = np.sqrt(squares.mean(axis=-1) / n)
    varies = (np.abs(deviation).max(axis=-1) > RELATIVE_TOLERANCE * size) & (error > tolerance / n)
    return student(mean, error, df, n_units=n, kind=kind_of(mean, varies, tolerance), tolerance=plain(tolerance))


def n_cosines(n: int) -> int:
    """Number of the lowest cosines by which the variance of the mean of n periods is estimated; 2 or more.

    More of them give shorter intervals where periods are independent, and fewer allow for what goes together longer than the
    first autocorrelation tells.
    """
    return max(2, int(0.75 * np.sqrt(n)))


def memory_bound(deviation: FloatArray) -> FloatArray:
    """Largest order d of long memory, up to 0.45, that deviations from their mean do not rule out.

    It lies 2.5 errors above Whittle's estimate [R95]_ from the lowest n^0.65 cosines. The mean of a series of order d has
    ``j^(2 d) / (1 - 2 d)`` times the variance of its j-th cosine.

    References
    ----------
    .. [R95] P. M. Robinson. Gaussian semiparametric estimation of long range dependence. Annals of Statistics 23, 1995.
    """
    n_low = min(deviation.shape[-1] - 1, max(8, int(deviation.shape[-1] ** 0.65)))
    squares, j = np.square(_cosine_coefficients(deviation, n_low)), np.arange(1.0, n_low + 1)
    means = [(squares * (j / np.exp(np.log(j).mean())) ** (2 * d)).mean(axis=-1) for d in MEMORY]
    return np.asarray(np.minimum(MEMORY[np.argmin(means, axis=0)] + 1.25 / np.sqrt(n_low), MEMORY[-1]))


MEMORY = np.linspace(0.0, 0.45, 10)
"""Orders of long memory that are tried: of 0.5 a mean has no limit."""


def _first_autocorrelation(deviation: FloatArray) -> FloatArray:
    """Correlation of each period with the next, with what n periods have too little of it on average."""
    first = divide((deviation[..., 1:] * deviation[..., :-1]).sum(axis=-1), np.square(deviation).sum(axis=-1))
    return np.asarray(first + (1 + 3 * first) / deviation.shape[-1])


def lasting_autocorrelation(differences: ArrayLike) -> NDArray[np.bool_]:
    """True where autocorrelation lasts longer than the smoothing of `diebold_mariano` allows for.

    Parameters
    ----------
    differences : array_like of shape (..., n_periods)
        Finite, in the order of time; 15 periods or more, or nothing is found.

    Returns
    -------
    ndarray of bool
        The first autocorrelation is above 0.85; or what an autoregression of order 1 leaves has more power in the lowest cosines
        than in the next ones (F test at 2.5 %), or goes together at one distant lag, as from season to season. Of 4,000
        series each with 60 to 500 periods, those up to AR(.7) and independent ones with heavy tails or skew are named in at most
        8 %, moving averages of four terms in 13 % at 60 and 4 % at 100; at n = 60, 100, 200 of random walks 91, 98, 100 %, of
        AR(.9) 67, 77, 88 %, of long memory d = .35 14, 25, 51 %, of AR(.9) beneath independent errors twice as large 26, 44,
        66 %, of an autoregression of .6 from one year to the next (lag 12) 83, 93, 99 %. Slow cycles (30 periods) and moving
        averages of eleven terms are named too, though equal forecasts are called different in less than 3 % there.
    """
    d = floats(differences, "differences")
    n = d.shape[-1]
    if n < FEWEST_TESTED:
        return np.zeros(d.shape[:-1], dtype=bool)
    deviation = d - d.mean(axis=-1, keepdims=True)
    first = _first_autocorrelation(deviation)
    n_low = n_cosines(n)
    n_all = min(n - 1, max(8, 4 * n_low))
    frequency = np.pi * np.arange(1, n_all + 1) / n
    r = np.clip(first, 0.0, 0.95)[..., None]
    power = np.square(_cosine_coefficients(deviation, n_all)) * (1 + r**2 - 2 * r * np.cos(frequency))
    ratio = divide(power[..., :n_low].mean(axis=-1), power[..., n_low:].mean(axis=-1))
    return np.asarray(
        (first > SLOW) | (_seasons(deviation, r)[1, ..., 0] > 0) | (fdtrc(n_low, n_all - n_low, np.nan_to_num(ratio)) < 0.025)
    )


def _seasons(deviation: FloatArray, first: FloatArray) -> FloatArray:
    """Lag and correlation of the season of each series, of shape (2, ..., 1); 0 where none is seen."""
    n = deviation.shape[-1]
    rows, own = deviation.reshape(-1, n), first.reshape(-1, 1)
    found = np.zeros((2, len(rows)))
    for part in blocks(len(rows) if n >= FEWEST_TESTED else 0, 4 * n):
        found[:, part] = _season(rows[part], own[part])
    return found.reshape(2, *first.shape)


def _season(deviation: FloatArray, first: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distant lag at which what an autoregression of order 1 leaves goes together, as from one season to the next.

    Of ranks, one-sided at 2 / n over the lags from 4 to a third of the series, and for usual seasons at 1 to 3 % each, less the
    longer the series is, with Bartlett's error of nearer lags. Half as far apart periods must go together less. A cycle, of which
    periods that are nearer go against each other more, cancels in the mean and is not named. The correlation is raised by what an
    autoregression from season to season shows too little of on average.
    """
    n = deviation.shape[-1]
    left = mid_ranks(deviation[:, 1:] - first * deviation[:, :-1]) - n / 2
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    products = np.fft.irfft(np.square(np.abs(np.fft.rfft(left, size, axis=-1))), size, axis=-1)[:, : n // 3 + 1]
    ratio = divide(products, products[:, :1])
    error = np.sqrt((1 + 2 * np.square(ratio[:, 1:4]).sum(axis=-1)) / n)[:, None]
    lag = np.arange(4, n // 3 + 1)
    least = np.where(np.isin(lag, SEASONS), min(1.6 + n / 150, 2.4), -ndtri(2 / (n * max(1, lag.size))))
    askew = np.square(divide((left**3).mean(axis=-1), np.square(left).mean(axis=-1) ** 1.5))[:, None] / np.sqrt(n)
    least = (least + askew * (least**2 - 1) / 6) * np.sqrt(1 - lag / n)  # products of ranks with many ties (Cornish and Fisher)
    peak, half = ratio[:, lag], ratio[:, lag // 2]
    lowest = np.minimum.accumulate(ratio, axis=-1)[:, lag]
    is_season = (peak > np.maximum(least * error, half)) & (half > -0.6 * peak) & (lowest > -1.5 * peak)
    shown = np.where(is_season, peak / least, 0.0)
    best = lag[shown.argmax(axis=-1)]
    raised = ratio[np.arange(len(best)), best] * (1 + 3 * best / n) / (1 - best / n)
    return best, np.where(shown.max(axis=-1) > 0, np.clip(raised, 0.0, MOST_WHITENED), 0.0)


SEASONS = (4, 7, 12, 24, 52)
"""Lags that need not be found among all others: quarters, months and weeks of a year, days of a week, hours of a day."""


SLOW = 0.85
"""First autocorrelation above which it cannot be told from that of a walk, whose mean is no property of the forecasts."""

FEWEST_TESTED = 15
"""Periods below which nothing can be seen of how long autocorrelation lasts."""


def _cosine_coefficients(deviation: FloatArray, n_lowest: int) -> FloatArray:
    """Coefficients of the lowest cosines, each of variance 2 pi times the spectral density, of shape (..., n_lowest)."""
    n = deviation.shape[-1]
    mirrored = np.fft.rfft(np.concatenate([deviation, deviation[..., ::-1]], axis=-1), axis=-1)[..., 1 : n_lowest + 1]
    return np.asarray(np.sqrt(0.5 / n) * (mirrored * np.exp(-0.5j * np.pi * np.arange(1, n_lowest + 1) / n)).real)


# --- several forecasts ------------------------------------------------------------------------------------------------------


def model_confidence_set(
    losses: ArrayLike,
    *,
    statistic: SetStatistic = "range",
    block_length: int = 1,
    n_resamples: int = 9_999,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """p-values of the model confidence set: models that may be the best, by elimination of the worst while the rest differ.

    Parameters
    ----------
    losses : array_like of shape (n_models, n_examples)
        Lower is better. For scores of which higher is better pass their negatives.
    statistic : {"range", "max"}
        "range" compares every pair of the models that are left, "max" each with the mean of them [HLN11]_.
    block_length : int, default 1
        Consecutive periods that are drawn together, in a circle; 1 for examples in no order. For forecasts take at least the
        length over which their errors go together.
    n_resamples : int, default 9,999
    rng : int or numpy Generator, default 0

    Returns
    -------
    ndarray of shape (n_models,)
        In the order of the rows; the last one left has 1. A model is in the set of level 1 - alpha, which holds all the best with
        that probability or more, when its p-value is above alpha.

    Raises
    ------
    DataError
        Losses that are not finite, or fewer than two of them or of the models.
    InvalidParameterError
        An unknown statistic, or a number of resamples or a length of blocks that is none or too long.

    References
    ----------
    .. [HLN11] P. R. Hansen, A. Lunde, J. M. Nason. The model confidence set. Econometrica 79, 2011.
    """
    table = check_array(losses, "losses", "n_models, n_examples", (2, 2))
    check_choice(statistic, get_args(SetStatistic), "statistic")
    n_resamples, length = check_count(n_resamples, "n_resamples"), check_count(block_length, "block_length")
    refuse_unless(length <= table.shape[1], "block_length", f"be a whole number from 1 to {table.shape[1]}", block_length)
    generator, n, mean = generator_of(rng, np.random.PCG64), table.shape[1], table.mean(axis=1)
    drawn = np.empty((n_resamples, mean.size))  # means of resampled blocks of examples, the same for all models
    for rows in blocks(n_resamples, n, most=2_000_000):
        first = generator.integers(0, n, size=(rows.stop - rows.start, -(-n // length)))
        resampled = ((first[:, :, None] + np.arange(length)) % n).reshape(len(first), -1)[:, :n]
        drawn[rows] = row_counts(resampled, n) @ table.T / n - mean
    left, pvalues, largest = list(range(mean.size)), np.ones(mean.size), 0.0
    while len(left) > 1:
        worst, pvalue = _worst(mean[left], drawn[:, left], statistic)
        largest = max(largest, pvalue)  # p-values of the set are cumulative maxima
        pvalues[left.pop(worst)] = largest
    return pvalues


def _worst(mean: FloatArray, drawn: FloatArray, statistic: SetStatistic) -> tuple[int, float]:
    """Position of the model to eliminate, and the p-value that all are equally good.

    By "range" the worse one of the pair with the largest standardised difference, by "max" the worst against the mean of all.
    """
    if statistic == "max":
        t, null = _standardised(mean - mean.mean(), drawn - drawn.mean(axis=1, keepdims=True))
        return int(t.argmax()), float(np.mean(null.max(axis=1) >= t.max()))
    i, j = np.triu_indices(mean.size, 1)
    t, null = _standardised(mean[i] - mean[j], drawn[:, i] - drawn[:, j])
    pair = int(np.abs(t).argmax())
    return int((i if t[pair] > 0 else j)[pair]), float(np.mean(np.abs(null).max(axis=1) >= np.abs(t).max()))


def _standardised(observed: FloatArray, resampled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Over the bootstrap's standard error; models with the same losses throughout do not differ."""
    error = np.sqrt(np.mean(resampled**2, axis=0))
    same = error <= 1e-14 * np.abs(resampled).max(initial=1e-300)
    zero = same & (np.abs(observed) <= 1e-12 * np.abs(observed).max(initial=1e-300))
    return np.where(zero, 0.0, divide(observed, np.where(same, 0.0, error))), np.where(same, 0.0, divide(resampled, error))
