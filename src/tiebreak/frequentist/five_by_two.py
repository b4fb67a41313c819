"""Five repetitions of two-fold cross-validation: Dietterich's t test and Alpaydin's F test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import FloatArray, check_probability, divide, floats, plain, student_multiplier, student_pvalue


@dataclass(frozen=True, slots=True)
class FiveByTwoResult:
    """Both tests of 5x2 cross-validation; arrays over pairs of models, or single numbers.

    Attributes
    ----------
    variances : ndarray of shape (..., 5)
        Of each repetition, ``(d1 - m)^2 + (d2 - m)^2``.
    t, t_pvalue : ndarray or float
        Student's with 5 degrees of freedom, two-sided. Its numerator is the first difference only, so it depends on which fold
        comes first; it is 0 where that difference happens to be.
    f, f_pvalue : ndarray or float
        F with 10 and 5 degrees of freedom: all ten differences count, and their order does not.
    t_df, f_df : int, (int, int)
    """

    variances: FloatArray
    t: FloatArray
    t_pvalue: FloatArray
    f: FloatArray
    f_pvalue: FloatArray
    t_df: int = 5
    f_df: tuple[int, int] = (10, 5)


def five_by_two_cv_test(differences: ArrayLike) -> FiveByTwoResult:
    """Compare two models over five repetitions of two-fold cross-validation.

    The training sets of a repetition share nothing, but they are half the data: the models are those of half as many examples.

    Parameters
    ----------
    differences : array_like of shape (..., 5, 2)
        First model minus second, one row for each repetition; positive favours the first.

    Returns
    -------
    FiveByTwoResult
        Where no repetition has any spread the statistics are nan, with p-value 1, if all differences are 0, and infinite, with
        p-value nan, if they are not.

    Raises
    ------
    InvalidScoresError
        Another number of repetitions or folds.

    References
    ----------
    .. [D98] T. G. Dietterich. Approximate statistical tests for comparing supervised classification learning algorithms. Neural
       Computation 10, 1998.
    .. [A99] E. Alpaydin. Combined 5x2 cv F test for comparing supervised classification learning algorithms. Neural Computation
       11, 1999.
    """
    from scipy.special import fdtrc

    d = floats(differences, "differences")
    if d.ndim < 2 or d.shape[-2:] != (5, 2):
        raise InvalidScoresError(
            f"the 5x2cv tests need five repetitions of two folds, an array of shape (..., 5, 2); got {d.shape}. For other plans "
            "use tb.statistics.corrected_t."
        )
    d = np.where(np.isfinite(d), d, np.nan)
    variances = np.square(d - d.mean(axis=-1, keepdims=True)).sum(axis=-1)
    size = np.abs(d).max(axis=(-2, -1))
    mean_variance = np.where(variances.max(axis=-1) <= (1e-12 * size) ** 2, 0.0, variances.mean(axis=-1))
    t = divide(d[..., 0, 0], np.sqrt(mean_variance))  # [D98]_
    f = divide(np.square(d).sum(axis=(-2, -1)), 10 * mean_variance)  # [A99]_: sum d^2 / (2 sum s^2)
    t_pvalue, f_pvalue = student_pvalue(t, 5), fdtrc(10, 5, f)
    flat = mean_variance == 0
    for_flat = np.where(size == 0, 1.0, np.nan)
    return FiveByTwoResult(
        variances, plain(t), plain(np.where(flat, for_flat, t_pvalue)), plain(f), plain(np.where(flat, for_flat, f_pvalue))
    )


def five_by_two_cv_critical_value(alpha: float = 0.05, *, test: Literal["t", "F"] = "F") -> float:
    """Smallest statistic at which `five_by_two_cv_test` rejects.

    Parameters
    ----------
    alpha : float, default 0.05
        Level of the test.
    test : {"F", "t"}
        "F" with 10 and 5 degrees of freedom; "t" with 5, two-sided: reject where abs(t) is at least the value.

    Examples
    --------
    >>> round(five_by_two_cv_critical_value(), 2), round(five_by_two_cv_critical_value(test="t"), 3)  # Alpaydin 1999 has 4.74
    (4.74, 2.571)
    """
    from scipy.special import fdtri

    alpha = check_probability(alpha, "alpha")
    if test not in ("t", "F"):
        raise InvalidParameterError(f"test must be 't' or 'F'; got {test!r}.")
    return float(student_multiplier(alpha, 5) if test == "t" else fdtri(10, 5, 1 - alpha))
