"""Differences of models of which only means are left: bounds that hold whatever the overlap of their mistakes."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError
from tiebreak.numerics import (
    MOST_EXAMPLES,
    RELATIVE_TOLERANCE,
    SPREAD,
    UNDEFINED,
    FloatArray,
    Law,
    least_sure,
    plain,
    student,
    within,
)
from tiebreak.statistics.rates import tango


def summary_rates(
    first: ArrayLike, second: ArrayLike, n: ArrayLike, *, rounding: ArrayLike = 0.0, shared: ArrayLike = 0.0
) -> Law:
    """Law of the difference of two rates on one test set, of which no more than the two rates and its size are known.

    The 2 x 2 table of both models has these margins, and is known but for the number of examples that only one of them gets
    right. Among all such tables the one with the most of them has the widest interval of Tango (`tango`), which is this law's.

    Parameters
    ----------
    first, second : array_like
        Shares of right examples, 0 to 1, as they were printed; positive differences favour the first.
    n : array_like
        Number of examples of the test set.
    rounding : array_like
        Half of the last printed digit, in the unit of the rates: all counts that round to what is printed are allowed for. 0
        takes the nearest count.
    shared : array_like
        Share of the mistakes of the better model that the other one makes too, 0 to 1; at 0 it is the least that is possible.

    Returns
    -------
    Law
        Its two tails are those of the counts that are least sure. Undefined without examples.

    Raises
    ------
    DataError
        A rate outside 0 to 1, or one that no count of so many examples rounds to.

    References
    ----------
    .. [T98] T. Tango. Equivalence test and confidence interval for the difference in proportions for the paired-sample design.
       Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> import tiebreak as tb
    >>> [round(end, 3) for end in tb.statistics.summary_rates(0.95, 0.90, 1000).interval()]
    [0.026, 0.074]
    """
    one, other, total, half, share = within(
        first=(first, 0.0, 1.0),
        second=(second, 0.0, 1.0),
        n=(n, 0.0, MOST_EXAMPLES),
        rounding=(rounding, 0.0, 1.0),
        shared=(shared, 0.0, 1.0),
    )
    (one_low, one_high), (other_low, other_high) = (possible_counts(each, total, half) for each in (one, other))
    for rate, is_wrong in ((one, one_low > one_high), (other, other_low > other_high)):
        for at in np.flatnonzero(is_wrong)[:1]:
            raise DataError(no_such_count(rate.flat[at], total.flat[at]))
    law = least_sure([_law_of_margins(one_low, other_high, total, share), _law_of_margins(one_high, other_low, total, share)])
    return replace(
        law,
        estimate=plain(np.where(total > 0, one - other, np.nan)),
        se=plain(np.fmax(*(part.spread[0] for part in law.parts))),
        n_units=total.astype(np.int64)[()],
        kind=np.where(total > 0, SPREAD, UNDEFINED).astype(np.int8),
        tolerance=RELATIVE_TOLERANCE,
    )


def possible_counts(rate: FloatArray, n: FloatArray, rounding: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fewest and most right examples of `n` whose rate rounds to this one, the first above the second where there are none."""
    slack = 1e-9 * np.maximum(n, 1.0)
    low = np.where(rounding > 0, np.ceil((rate - rounding) * n - slack), np.rint(rate * n))
    high = np.where(rounding > 0, np.floor((rate + rounding) * n + slack), np.rint(rate * n))
    return np.clip(low, 0.0, n), np.clip(high, 0.0, n)


def no_such_count(rate: float, n: float) -> str:
    """Words on a rate that no number of `n` examples rounds to."""
    return (
        f"{rate:.12g} of {n:,.0f} examples is not possible: it would be {rate * n:.6g} of them. Is this the number of examples "
        "that the rate is of?"
    )


def _law_of_margins(first: FloatArray, second: FloatArray, n: FloatArray, shared: FloatArray) -> Law:
    """Law of the table with these numbers of right examples in which both are wrong as rarely as they can be, or share more."""
    both_wrong = np.maximum(np.maximum(n - first - second, 0.0), shared * (n - np.maximum(first, second)))
    only_first, only_second = n - second - both_wrong, n - first - both_wrong
    return tango(first - only_first, only_first, only_second, both_wrong)


def summary_means(
    first: ArrayLike,
    second: ArrayLike,
    se_first: ArrayLike,
    se_second: ArrayLike,
    df: ArrayLike = np.inf,
    *,
    correlation: ArrayLike = -1.0,
    rounding: ArrayLike = 0.0,
    n_units: int = 0,
) -> Law:
    """Law of the difference of two means, of which no more than the means and their standard errors are known.

    The standard error of a difference is at most the sum of both, whatever links them; that is the default. Student's t of it is
    this law; for scores of folds give errors raised as those of `corrected_t`, ``sd * sqrt(1 / k + 1 / (k - 1))``.

    Parameters
    ----------
    first, second, se_first, se_second : array_like
        In the metric's unit; positive differences favour the first.
    df : array_like
        Degrees of freedom; infinite for the normal distribution.
    correlation : array_like
        Of both, -1 to 1: -1, the default, is the worst case, 0 that of independent means.
    rounding : array_like
        Largest error of the printed difference, half a digit for each mean: the interval is wider by that on both sides.
    n_units : int
        Number of scores that each mean is of, for `Law.n_units`.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> import tiebreak as tb
    >>> [round(end, 3) for end in tb.statistics.summary_means(0.95, 0.90, 0.01, 0.01, df=9).interval()]
    [0.005, 0.095]
    """
    one, other, se, se_other, own_df, rho, half = within(
        first=(first, -MOST_EXAMPLES, MOST_EXAMPLES),
        second=(second, -MOST_EXAMPLES, MOST_EXAMPLES),
        se_first=(se_first, 0.0, MOST_EXAMPLES),
        se_second=(se_second, 0.0, MOST_EXAMPLES),
        df=(df, 0.0, np.inf),
        correlation=(correlation, -1.0, 1.0),
        rounding=(rounding, 0.0, MOST_EXAMPLES),
    )
    # s^2 + t^2 - 2 r s t, exact at both ends of r
    error = np.sqrt((se - se_other) ** 2 * (1.0 + rho) / 2.0 + (se + se_other) ** 2 * (1.0 - rho) / 2.0)
    estimate, tolerance = one - other, RELATIVE_TOLERANCE * float(np.max(np.abs([one, other]), initial=0.0))
    ends = least_sure([student(estimate + shift, error, own_df) for shift in (-half, half)])
    return replace(student(estimate, error, own_df, n_units=n_units, tolerance=tolerance), shape=ends.shape, parts=ends.parts)


def hanley_mcneil(area: ArrayLike, n_positive: ArrayLike, n_negative: ArrayLike) -> FloatArray:
    """Standard error of an area under a ROC curve, of which no more than the area and the numbers of both classes are known.

    Parameters
    ----------
    area : array_like
        0 to 1. One that is as near to 1 as a single pair of items is taken for that, since the formula has no error at 1.
    n_positive, n_negative : array_like
        At least 1.

    References
    ----------
    .. [HM82] J. Hanley, B. McNeil. The meaning and use of the area under a receiver operating characteristic (ROC) curve.
       Radiology 143, 1982; formula 2 with the areas of exponential scores.

    Examples
    --------
    >>> round(hanley_mcneil(0.85, 40, 960), 4)
    0.0385
    """
    a, m, n = within(
        area=(area, 0.0, 1.0), n_positive=(n_positive, 1.0, MOST_EXAMPLES), n_negative=(n_negative, 1.0, MOST_EXAMPLES)
    )
    least = 0.5 / np.minimum(m, n)
    a = np.clip(a, least, 1.0 - least)
    two_positives, two_negatives = a / (2.0 - a), 2.0 * a**2 / (1.0 + a)
    return plain(np.sqrt((a * (1 - a) + (m - 1) * (two_positives - a**2) + (n - 1) * (two_negatives - a**2)) / (m * n)))
