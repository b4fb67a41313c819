"""Mean differences over splits: corrected for the training data that splits share, and as if they shared none."""

from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError
from tiebreak.numerics import (
    SMALLEST_PVALUE,
    Interval,
    Law,
    Significance,
    check_choice,
    check_differences,
    check_probability,
    check_rope,
    check_sizes,
    divide,
    floats,
    law_of_rows,
    plain,
    student_multiplier,
    student_pvalue,
)


def corrected_t(
    differences: ArrayLike, test_train_ratio: ArrayLike, *, scale: ArrayLike | None = None, omit_missing: bool = False
) -> Law:
    """Law of the mean difference of cross-validated scores, with the variance raised for shared training data.

    Its tails are the p-values of the corrected resampled t-test [NB03]_, and at once the probabilities of the Bayesian correlated
    t-test: with the prior 1 / sigma^2 of [CB15]_ and the correlation n_test / (n_test + n_train) between splits the posterior
    has the same location, scale and degrees of freedom [B17]_.

    Parameters
    ----------
    differences : array_like of shape (..., n_splits)
        First model minus second, one per split, in the metric's unit; positive favours the first.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean ``n_test / n_train`` of the splits, without unit; 1 / (n_folds - 1) for k-fold.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted; spread below 1e-12 of it is rounding noise. The largest absolute difference of
        the row if not given.
    omit_missing : bool, default False
        Leave out the splits that are nan, instead of calling the row undefined.

    Returns
    -------
    Law
        Student's with n_splits - 1 degrees of freedom, of shape (...). A row without spread is "identical" (all zero), with
        p-value 1, or "constant", with statistic infinite and p-value nan; one with a value that is nan or infinite is undefined.

    Raises
    ------
    DataError
        Fewer than two splits.
    InvalidParameterError
        A ratio or scale that is negative or not finite.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003, section 3.
    .. [BF04] R. Bouckaert, E. Frank. Evaluating the replicability of significance tests for comparing learning
       algorithms. PAKDD 2004 (the form for repeated k-fold).
    .. [CB15] G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
       Machine Learning 100, 2015, section 3.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 3.1.

    Examples
    --------
    >>> law = corrected_t([0.03, 0.01, 0.02, 0.05, -0.01], 1 / 4)
    >>> round(law.statistic, 3), round(law.pvalue(), 3), [round(p, 3) for p in law.probabilities(rope=0.01)]
    (1.333, 0.253, [0.729, 0.213, 0.058])
    """
    d = check_differences(differences)
    ratio = check_sizes(test_train_ratio, d.shape[:-1])
    size = None if scale is None else check_sizes(scale, d.shape[:-1], "scale")
    return corrected_law(law_of_rows(d, size, omit_missing=omit_missing), ratio)


def paired_t(differences: ArrayLike, *, scale: ArrayLike | None = None, omit_missing: bool = False) -> Law:
    """Law of a mean of independent differences: the ordinary paired t-test.

    Right for runs with their own seeds, too sure for scores of overlapping training sets. Parameters and result are those of
    `corrected_t` without the ratio.

    Examples
    --------
    >>> round(paired_t([0.03, 0.01, 0.02, 0.05, -0.01]).pvalue(), 3)
    0.116
    """
    return corrected_t(differences, 0.0, scale=scale, omit_missing=omit_missing)


def corrected_law(law: Law, test_train_ratio: ArrayLike) -> Law:
    """Law of `corrected_t` from the one of independent differences, for many pairs at once."""
    times = np.sqrt(1.0 + np.asarray(law.n_units) * np.asarray(test_train_ratio))  # (1 / n + n_test / n_train) s^2 [NB03]
    return replace(law, se=plain(np.asarray(law.se) * times), is_posterior=True)


def five_by_two_cv_test(differences: ArrayLike) -> tuple[Significance, Significance]:
    """Compare two models over five repetitions of two-fold cross-validation.

    The training sets of a repetition share nothing, but they are half the data: the models are those of half as many examples.

    Parameters
    ----------
    differences : array_like of shape (..., 5, 2)
        First model minus second, one row for each repetition; positive favours the first.

    Returns
    -------
    tuple of Significance
        t with 5 degrees of freedom, two-sided, whose numerator is the first difference only, so that it depends on which fold
        comes first; and F with 10 and 5, in which all ten differences count, and their order does not. Where no repetition has
        any spread the statistics are nan, with p-value 1, if all differences are 0, and infinite, with p-value nan, if they are
        not.

    Raises
    ------
    DataError
        Another number of repetitions or folds.

    References
    ----------
    .. [D98] T. G. Dietterich. Approximate statistical tests for comparing supervised classification learning algorithms. Neural
       Computation 10, 1998.
    .. [A99] E. Alpaydin. Combined 5x2 cv F test for comparing supervised classification learning algorithms. Neural Computation
       11, 1999.
    """
    from scipy.special import fdtrc  # here, as listing what a run measured needs none of it

    d = floats(differences, "differences")
    if d.ndim < 2 or d.shape[-2:] != (5, 2):
        raise DataError(
            f"the 5x2cv tests need five repetitions of two folds, an array of shape (..., 5, 2); got {d.shape}. For other plans "
            "use tb.statistics.corrected_t."
        )
    d = np.where(np.isfinite(d), d, np.nan)
    variances = np.square(d - d.mean(axis=-1, keepdims=True)).sum(axis=-1)
    size = np.abs(d).max(axis=(-2, -1))
    mean_variance = np.where(variances.max(axis=-1) <= (1e-12 * size) ** 2, 0.0, variances.mean(axis=-1))
    t = divide(d[..., 0, 0], np.sqrt(mean_variance))  # [D98]_
    f = divide(np.square(d).sum(axis=(-2, -1)), 10 * mean_variance)  # [A99]_: sum d^2 / (2 sum s^2)
    tests = []
    for statistic, p, df, df2 in ((t, student_pvalue(t, 5), 5, 0), (f, fdtrc(10, 5, f), 10, 5)):
        p = np.where(mean_variance == 0, np.where(size == 0, 1.0, np.nan), np.maximum(p, SMALLEST_PVALUE))
        tests.append(Significance(plain(statistic), plain(p), df, df2))
    return tests[0], tests[1]


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
    check_choice(test, ("t", "F"), "test")
    return float(student_multiplier(alpha, 5) if test == "t" else fdtri(10, 5, 1 - alpha))


# --- another doubling of the training data ---------------------------------------------------------------------------------


ANSWERS: Final = ("cannot be told", "yes", "less than the rope on doubling")
"""Words for the answers of `doubling_gain`."""

CANNOT_BE_TOLD, YES, LESS_THAN_ROPE = 0, 1, 2

KEPT: Final = 0.5
"""Share of a gain that the next doubling brings at the rate 1/n; see `doubling_gain`."""


def doubling_gain(
    last: ArrayLike,
    previous: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    rope: float = 0.0,
    alpha: float = 0.05,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> tuple[Law, Interval, NDArray[np.int8]]:
    """Say whether twice the training data would bring more than the rope.

    Parameters
    ----------
    last : array_like of shape (..., n_splits)
        g2, the score with all n training examples minus that with n / 2, on each split; positive is a gain.
    previous : array_like of shape (..., n_splits)
        g1, the score with n / 2 minus that with n / 4, on the same splits.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean n_test / n_train of the splits, n_train being all training rows that a split has: what splits share does not grow
        when fewer of the rows are used.
    rope : float
        Smallest gain that matters, in the metric's unit.
    alpha : float
        1 - coverage of the two-sided intervals of which the limits are taken; so each answer is wrong at most alpha / 2 of the
        time where the curve is as assumed.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted; as in `corrected_t`.
    omit_missing : bool
        Leave out the splits where either gain is nan, instead of telling nothing.

    Returns
    -------
    tuple
        Law of the gain of the last doubling, from half of the data to all; limits of the gain of the next one, in the metric's
        unit, nan where the last gain has no spread; and positions in `ANSWERS`. The kind of the law says why nothing can be told.

    Raises
    ------
    DataError
        Gains of different shapes.
        Fewer than two splits.

    Notes
    -----
    The next gain, g3 = score(2n) - score(n), is bounded by two properties of learning curves.

    From above: gains shrink, g3 <= g2. So an upper limit of g2 is one of g3, and "less than the rope on doubling" is said when
    it lies below the rope.

    From below: along a power law, score(n) = a - b n^-c, a gain is the one before times 2^-c, so that g3 = g2^2 / g1. For any
    number k, g2^2 / g1 >= 2 k g2 - k^2 g1, since (g2 - k g1)^2 >= 0: a lower bound that is linear in the gains, so that the
    t-test applies to it. With k = 1/2 it is g2 - g1 / 4, and exact for c = 1, the rate of the excess risk of a parametric
    model. As curves may flatten faster than they did (an offset, an exponential), the bound is taken to be half of the last
    gain at most. "Yes" is said when the lower limits of g2 - g1 / 4, of g2 / 2 and of g2 all lie above the rope: the claim that
    the smallest of them does has the level of each (intersection-union).

    A curve that rises in steps, or that dips where the number of examples meets the number of parameters, has other
    properties; no three points of a curve can tell.

    References
    ----------
    .. [VL23] T. Viering, M. Loog. The shape of learning curves: a review. IEEE Trans. PAMI 45, 2023 (power laws, and what is
       known of ill-behaved curves).
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003 (the variance).
    .. [B82] R. Berger. Multiparameter hypothesis testing and acceptance sampling. Technometrics 24, 1982 (intersection-union).

    Examples
    --------
    >>> *_, answer = doubling_gain([0.05, 0.06, 0.04, 0.05], [0.10, 0.11, 0.09, 0.10], test_train_ratio=1 / 3, rope=0.001)
    >>> ANSWERS[answer]
    'yes'
    """
    g2, g1 = check_differences(last), check_differences(previous)
    if g2.shape != g1.shape:
        raise DataError(f"the two gains must have the same shape; got {g2.shape} and {g1.shape}.")
    rope, alpha = check_rope(rope), check_probability(alpha, "alpha")
    if omit_missing:
        g2 = np.where(np.isnan(g1), np.nan, g2)
    gains = (g2, g2 - KEPT**2 * g1, KEPT * g2)
    bounds = [corrected_t(each, test_train_ratio, scale=scale, omit_missing=omit_missing) for each in gains]
    limits = [bound.interval_at(alpha) for bound in bounds]
    low = np.min([limit.low for limit in limits], axis=0)  # nan where any of them is
    high = np.asarray(limits[0].high)
    answer = np.where(low > rope, YES, np.where(high < rope, LESS_THAN_ROPE, CANNOT_BE_TOLD)).astype(np.int8)
    return bounds[0], Interval(plain(low), plain(high)), answer
