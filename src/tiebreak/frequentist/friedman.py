"""Ranks of models on datasets; tests of whether any model differs, of Friedman and of Iman and Davenport; z-tests after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    SMALLEST_PVALUE,
    FloatArray,
    IntArray,
    check_count,
    check_rows,
    check_scale,
    divide,
    floats,
    plain,
)


class OmnibusTest(NamedTuple):
    """A test of "all models are alike"; numbers, or arrays of the tables' shape.

    Attributes
    ----------
    statistic, pvalue : ndarray or float
        nan and 1 where all models are tied on every dataset, so that nothing can be tested.
    df : int
        Degrees of freedom; of an F distribution those of the numerator.
    df2 : int
        Those of the denominator; 0 for a chi-squared distribution.
    """

    statistic: FloatArray
    pvalue: FloatArray
    df: int
    df2: int = 0


@dataclass(frozen=True, slots=True)
class FriedmanResult:
    """Ranks of models on datasets, and the tests whether their averages differ by more than chance.

    Attributes
    ----------
    average_ranks : ndarray of shape (..., n_models)
        1 is the best; tied models share the mean of their ranks.
    n_datasets, n_models : int
    friedman : OmnibusTest
        Chi-squared with n_models - 1 degrees of freedom.
    iman_davenport : OmnibusTest
        F with n_models - 1 and (n_models - 1) (n_datasets - 1) degrees of freedom; nearer to its level than Friedman's.
    kendall_w : ndarray or float
        Agreement of the datasets, from 0 to 1: the chi-squared statistic over its largest possible value.
    """

    average_ranks: FloatArray
    n_datasets: int
    n_models: int
    friedman: OmnibusTest
    iman_davenport: OmnibusTest
    kendall_w: FloatArray


class RankDifferences(NamedTuple):
    """z-tests of differences of average ranks; arrays over pairs.

    Attributes
    ----------
    first, second : ndarray of int
        Positions of the models.
    difference : ndarray
        Average rank of the second less that of the first; positive favours the first, as 1 is the best rank.
    standard_error : float
    zscore, pvalue : ndarray
        Two-sided, not adjusted: see `adjust_pvalues`.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    standard_error: float
    zscore: FloatArray
    pvalue: FloatArray


def rank_models(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Ranks of the models on each dataset: 1 is the best, tied models share the mean of their ranks.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        nan where a model was not measured: it has no rank there, and the others are ranked among themselves.
    higher_is_better : bool, default True
    scale : array_like of shape (..., n_datasets), optional
        Size of the scores; those nearer to each other than 1e-12 of it are tied. The largest absolute score of the dataset
        if not given.

    Returns
    -------
    ndarray of the shape of `scores`
        nan where there is no score.

    Raises
    ------
    InvalidScoresError
        An infinite score, or no table.

    Examples
    --------
    >>> rank_models([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]]
    """
    table = floats(scores)
    if table.ndim < 2 or np.isinf(table).any():
        raise InvalidScoresError(
            f"the scores must be finite, or nan, in an array of shape (n_datasets, n_models); got the shape {table.shape}."
        )
    size = np.abs(np.nan_to_num(table)).max(axis=-1, initial=0.0) if scale is None else check_scale(scale, table.shape[:-1])
    turned = -table if higher_is_better else table
    order = np.argsort(turned, axis=-1, kind="stable")  # nan last
    ordered = np.take_along_axis(turned, order, axis=-1)
    place = np.broadcast_to(np.arange(table.shape[-1]), table.shape)
    is_new = np.ones(table.shape, dtype=bool)
    is_new[..., 1:] = ~(np.diff(ordered, axis=-1) <= RELATIVE_TOLERANCE * np.asarray(size)[..., None])
    is_end = np.roll(is_new, -1, axis=-1)  # the first of a row is always new, and so its last always an end
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(is_end, place, table.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(table), np.nan, ranks)


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Mean over the datasets of the ranks of `rank_models`, of shape (..., n_models); smaller is better.

    They depend on which models are in the table. With missing scores the mean is over the datasets that a model was measured on,
    and no fair comparison: `skillings_mack_test` and pairwise tests allow for them. Parameters and errors are those of
    `rank_models`.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [1.75, 2.0, 2.25]
    """
    ranks = rank_models(scores, higher_is_better=higher_is_better, scale=scale)
    n = np.count_nonzero(~np.isnan(ranks), axis=-2)
    return divide(np.nansum(ranks, axis=-2), n)


def friedman_test(
    scores: ArrayLike, *, higher_is_better: bool = True, tie_correction: bool = True, scale: ArrayLike | None = None
) -> FriedmanResult:
    """Friedman's test, and Iman and Davenport's, of whether models differ on datasets.

    Datasets are the units. Folds or seeds of one dataset are not: they share what decides.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        One score for each model and dataset, such as a mean over splits; any metric, as only its order counts.
    higher_is_better : bool, default True
    tie_correction : bool, default True
        Whether to allow for ties, as scipy and R do; Demsar's formulas do not.
    scale : array_like, optional
        As for `rank_models`.

    Returns
    -------
    FriedmanResult

    Raises
    ------
    InvalidScoresError
        Fewer than two models or datasets, a missing score (see `skillings_mack_test`), or an infinite one.

    References
    ----------
    .. [F37] M. Friedman. The use of ranks to avoid the assumption of normality implicit in the analysis of variance. JASA 32,
       1937.
    .. [ID80] R. L. Iman, J. M. Davenport. Approximations of the critical region of the Friedman statistic. Communications in
       Statistics A 9, 1980.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> result = friedman_test([[84.5, 78.4, 83.1], [82.8, 79.1, 79.9], [79.1, 78.0, 77.8], [80.2, 76.0, 77.9]])
    >>> result.average_ranks.tolist(), round(result.friedman.statistic, 3), round(result.friedman.pvalue, 4)
    ([1.0, 2.75, 2.25], 6.5, 0.0388)
    """
    ranks = rank_models(scores, higher_is_better=higher_is_better, scale=scale)
    n, k = _check_size(*ranks.shape[-2:])
    if np.isnan(ranks).any():
        raise InvalidScoresError(
            f"{int(np.isnan(ranks).sum())} scores are missing, and Friedman's test needs every model on every dataset. Leave out "
            "models or datasets, or use skillings_mack_test."
        )
    spread = np.square(ranks - (k + 1) / 2).sum(axis=(-2, -1)) / (k - 1) if tie_correction else n * k * (k + 1) / 12
    return _friedman(ranks.mean(axis=-2), n, np.asarray(spread))


def friedman_from_ranks(average_ranks: ArrayLike, n_datasets: int) -> FriedmanResult:
    """The tests of `friedman_test` from average ranks alone, as papers print them; ties cannot be allowed for.

    Parameters
    ----------
    average_ranks : array_like of shape (..., n_models)
        1 is the best rank; they add up to n_models (n_models + 1) / 2, to the digits that were printed.
    n_datasets : int

    Returns
    -------
    FriedmanResult

    Raises
    ------
    InvalidScoresError
        Ranks that do not add up, or fewer than two models or datasets.

    Examples
    --------
    >>> result = friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14)  # Demsar 2006, section 3.2.2
    >>> round(result.friedman.statistic, 2), round(result.iman_davenport.statistic, 2)
    (9.28, 3.69)
    """
    ranks = check_average_ranks(average_ranks)
    n, k = _check_size(n_datasets, ranks.shape[-1])
    return _friedman(ranks, n, np.asarray(n * k * (k + 1) / 12))


def rank_differences(average_ranks: ArrayLike, n_datasets: int, *, control: int | None = None) -> RankDifferences:
    """z-tests of differences of average ranks after Friedman's test: of all pairs, or of a control and each other model.

    Like all that is read off average ranks, the outcome for two models depends on which others are in the table.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        1 is the best.
    n_datasets : int
    control : int, optional
        Position of the model that is compared with each of the others; all pairs if not given.

    Returns
    -------
    RankDifferences
        Pairs (0, 1), (0, 2), ..., (1, 2), ... or the control first in each.

    References
    ----------
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> rank_differences([1.2, 2.0, 2.8], 20).zscore.round(3).tolist()
    [2.53, 5.06, 2.53]
    """
    from scipy.special import ndtr

    ranks = check_average_ranks(average_ranks)
    if ranks.ndim != 1:
        raise InvalidScoresError(f"the average ranks of one table have one axis; got the shape {ranks.shape}.")
    n, k = _check_size(n_datasets, ranks.size)
    if control is None:
        first, second = np.triu_indices(k, 1)
    else:
        of = int(check_rows(check_count(control, "control", 0), k, "control"))
        second, first = np.delete(np.arange(k), of), np.full(k - 1, of)
    difference = ranks[second] - ranks[first]
    error = rank_standard_error(k, n)
    z = difference / error
    return RankDifferences(first, second, difference, error, z, np.maximum(2 * ndtr(-np.abs(z)), SMALLEST_PVALUE))


def rank_standard_error(n_models: int, n_datasets: int) -> float:
    """Standard error of the difference of two average ranks where all models are alike: sqrt(k (k + 1) / (6 n))."""
    return float(np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


# --- parts ------------------------------------------------------------------------------------------------------------------


def _friedman(ranks: FloatArray, n: int, spread: FloatArray) -> FriedmanResult:
    """Both tests; `spread` is the sum over datasets of the variance of the ranks, with divisor k - 1."""
    from scipy.special import chdtrc, fdtrc

    k = ranks.shape[-1]
    between = np.square(n * (ranks - (k + 1) / 2)).sum(axis=-1)
    chi2 = divide(between, spread)  # [F37]; 0 / 0 where all are tied
    most = n * (k - 1)
    chi2 = np.where(chi2 > most * (1 - 1e-12), most, chi2)  # all datasets agree, but for rounding
    f = divide((n - 1) * chi2, most - chi2)  # [ID80]
    df2 = (k - 1) * (n - 1)
    tests = []
    for statistic, p, second in ((chi2, chdtrc(k - 1, chi2), 0), (f, fdtrc(k - 1, df2, f), df2)):
        p = np.where(np.isnan(statistic), 1.0, np.maximum(np.where(np.isinf(statistic), 0.0, p), SMALLEST_PVALUE))
        tests.append(OmnibusTest(plain(np.asarray(statistic)), plain(p), k - 1, second))
    return FriedmanResult(ranks, n, k, tests[0], tests[1], plain(np.asarray(chi2 / most)))


def check_average_ranks(ranks: ArrayLike) -> FloatArray:
    """Average ranks that are finite and add up to what ranks of so many models do, but for rounding."""
    values = floats(ranks, "the average ranks")
    k = values.shape[-1] if values.ndim else 0
    if k < 2 or not np.isfinite(values).all():
        raise InvalidScoresError(f"the average ranks must be finite, of two models or more; got the shape {values.shape}.")
    off = np.abs(values.sum(axis=-1) - k * (k + 1) / 2).max()
    if off > 0.006 * k:
        raise InvalidScoresError(
            f"the average ranks of {k} models add up to {k * (k + 1) / 2:g}; these are off by {off:.3g}. Give each model's mean "
            "rank over the same datasets, tied models sharing the mean of their ranks."
        )
    return values


def _check_size(n_datasets: int, n_models: int) -> tuple[int, int]:
    if n_models < 2:
        raise InvalidScoresError(f"two models or more are needed; got {n_models}.")
    n = check_count(n_datasets, "n_datasets", 0)
    if n < 2:
        raise InvalidScoresError(f"two datasets or more are needed; got {n}.")
    return n, n_models
