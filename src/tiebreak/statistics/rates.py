"""Rates of right and wrong examples: the interval of one, and the difference of two, on their own test sets or on the same one.

A rate is what a model scores on one test set: so many right, or wrong, of n examples. Nothing here knows of folds; for scores of
cross-validation, whose training sets overlap, see `corrected_t`.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv, chdtrc, gammaln, ndtr, ndtri

from tiebreak.errors import DataError
from tiebreak.numerics import (
    MOST_EXAMPLES,
    RELATIVE_TOLERANCE,
    SPREAD,
    FloatArray,
    Interval,
    Law,
    Shape,
    Significance,
    bisected,
    blocks,
    check_array,
    check_choice,
    check_probability,
    check_rows,
    divide,
    floats_together,
    kind_of,
    plain,
    significance_of,
    student,
    within,
)

ProportionMethod = Literal["wilson", "clopper-pearson"]
McNemarVariant = Literal["exact", "mid-p", "chi2", "chi2-corrected"]
Limits = tuple[FloatArray, FloatArray]
LimitsBy = Callable[[FloatArray], Limits]
LimitsOf = Callable[[Law], LimitsBy]


# --- one model --------------------------------------------------------------------------------------------------------------


def proportion_interval(
    successes: ArrayLike, n: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "wilson"
) -> Interval:
    """Confidence interval of one proportion, such as the accuracy on one test set.

    Parameters
    ----------
    successes : array_like
        How many of the examples; need not be whole.
    n : array_like
        Number of examples, broadcast against `successes`.
    level : float, default 0.95
        Coverage, between 0 and 1.
    method : {"wilson", "clopper-pearson"}
        "wilson" inverts the score test [W27]_ and is the default, as its coverage is near the nominal one on average over the
        true rates p, for every n [BCD01]_. For some p it is less: with 95 % down to 0.835 at n = 10 and 0.838 at n = 1,000, both
        where n p or n (1 - p) is about 0.18. "clopper-pearson" inverts the exact tests [CP34]_: never too short, mostly too long.

    Returns
    -------
    Interval
        Low and high limit, arrays of the shape of `successes`, or floats.

    Raises
    ------
    DataError
        More successes than examples, a negative number of them, n of 0, or nan.

    References
    ----------
    .. [W27] E. B. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.
    .. [CP34] C. J. Clopper, E. S. Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial.
       Biometrika 26, 1934.
    .. [BCD01] L. D. Brown, T. T. Cai, A. DasGupta. Interval estimation for a binomial proportion. Statistical Science 16, 2001.

    Examples
    --------
    >>> import tiebreak as tb
    >>> low, high = tb.statistics.proportion_interval(81, 263)
    >>> f"{low:.4f} to {high:.4f}"
    '0.2553 to 0.3662'
    """
    x, n = _check_counts(successes, n)
    z = -ndtri((1 - check_probability(level, "level")) / 2)
    check_choice(method, get_args(ProportionMethod), "method")
    low, high = _mirrored(_wilson if method == "wilson" else _clopper_pearson, x, n, z)
    return Interval(plain(low), plain(high))


def _mirrored(lower: Callable[..., FloatArray], x: FloatArray, n: FloatArray, z: FloatArray | float) -> Limits:
    """Both limits; the upper one of successes is the lower one of failures."""
    return lower(x, n, z), 1 - lower(n - x, n, z)


def _wilson(x: FloatArray, n: FloatArray, z: FloatArray | float) -> FloatArray:
    """[W27]_; the product of both limits is known too, which spares a limit near 0 the cancellation."""
    middle = (x + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(x * (n - x) / n + z * z / 4)
    return np.where(x == 0, 0.0, divide(x * x / (n * (n + z * z)), middle + half))


def _clopper_pearson(x: FloatArray, n: FloatArray, z: float) -> FloatArray:
    """Quantile of a beta distribution, [CP34]_."""
    return np.where(x > 0, betaincinv(np.where(x > 0, x, 1), np.where(x > 0, n - x + 1, 1), ndtr(-z)), 0.0)


# --- two models, each on a test set of its own ------------------------------------------------------------------------------


def newcombe(
    first: ArrayLike, n_first: ArrayLike, second: ArrayLike, n_second: ArrayLike, *, higher_is_better: bool = True
) -> Law:
    """Law of the difference of two rates of independent test sets, whose interval joins the Wilson limits of both [N98]_.

    The two test sets share no example, and within each the examples were drawn independently of one another. If both models
    were scored on the same examples, this interval is too wide or too narrow by as much as their errors go together: use `tango`.
    If examples come in groups (of a patient, a document, a user), n counts more than there is to count.

    Parameters
    ----------
    first, second : array_like
        How many of the examples each model got right (or wrong). Need not be whole: 4.5 of 30 is a rate that was rounded, or a
        mean over runs. Several are compared at once, each with its own n.
    n_first, n_second : array_like
        Number of examples of each test set, broadcast against `first` and `second`.
    higher_is_better : bool, default True
        False for wrong ones, so that a positive difference favours the first all the same.

    Returns
    -------
    Law
        Its interval has a width also where both rates are 0 or 1.

    Raises
    ------
    DataError
        More successes than examples, a test set without examples, or nan.

    References
    ----------
    .. [N98] R. G. Newcombe. Interval estimation for the difference between independent proportions: comparison of eleven
       methods. Statistics in Medicine 17, 1998; method 10.

    Examples
    --------
    >>> import tiebreak as tb
    >>> law = tb.statistics.newcombe(56, 70, 48, 80)
    >>> [round(end, 4) for end in law.interval()]
    [0.0524, 0.3339]
    """
    x, n, y, m = _two_rates(first, n_first, second, n_second, higher_is_better)
    return Law(
        estimate=plain(x / n - y / m),
        n_units=(n + m).astype(np.int64)[()],
        kind=np.full(x.shape, SPREAD, dtype=np.int8),
        tolerance=RELATIVE_TOLERANCE,
        shape=NEWCOMBE,
        parts=(x, n, y, m),
    )


def z_test(
    first: ArrayLike,
    n_first: ArrayLike,
    second: ArrayLike,
    n_second: ArrayLike,
    *,
    pooled: bool = True,
    higher_is_better: bool = True,
) -> Law:
    """Normal law of the difference of two rates of independent test sets, as textbooks have it, for contrast.

    Parameters
    ----------
    first, n_first, second, n_second, higher_is_better
        As for `newcombe`. With a success and a failure more in each, and not pooled, the interval is that of Agresti and Caffo.
    pooled : bool, default True
        The standard error is that of equal rates, as the hypothesis has it (the score test), or that of two different ones. The
        latter is 0 where each rate is 0 or 1, and says nothing there: all of 10 against none of 20 is evidence, but that error
        cannot weigh it. Its interval is too short for small n and rates near 0 or 1.

    Examples
    --------
    >>> import tiebreak as tb
    >>> law = tb.statistics.z_test(0.15 * 30, 30, 0.25 * 5000, 5000, pooled=False, higher_is_better=False)
    >>> f"{law.estimate:.3f} +- {(law.interval().high - law.interval().low) / 2:.3f}"
    '0.100 +- 0.128'
    """
    x, n, y, m = _two_rates(first, n_first, second, n_second, higher_is_better)
    p, q = ((x + y) / (n + m),) * 2 if pooled else (x / n, y / m)
    error = np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return student(x / n - y / m, error, n_units=(n + m).astype(np.int64)[()], tolerance=RELATIVE_TOLERANCE)


def joined(p: FloatArray, own: Limits, q: FloatArray, other: Limits) -> Limits:
    """Limits of the difference of two independent estimates that join the limits of both: square and add [N98]_."""
    return p - q - np.hypot(p - own[0], other[1] - q), p - q + np.hypot(own[1] - p, q - other[0])


def joined_end(limits_of: LimitsOf, law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """End at which a tail is `p`, of limits as a function of the normal multiplier."""
    z = np.clip(ndtri(p), -_LARGEST, _LARGEST) * (-1.0 if upper else 1.0)
    return np.where(z < 0, *limits_of(law)(np.abs(z)))


def joined_tail(limits_of: LimitsOf, law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Tail of the multiplier at which `at` is a limit, found by bisection; one half in the middle."""
    at, is_above = np.broadcast_arrays(at, at > np.asarray(law.estimate))
    limits = limits_of(law)

    def is_inside(z: FloatArray) -> NDArray[np.bool_]:
        low, high = limits(z)
        return np.where(is_above, high < at, low > at)

    z = np.where(at == law.estimate, 0.0, bisected(is_inside, np.zeros(at.shape), np.full(at.shape, _LARGEST)))
    return np.asarray(ndtr(np.where(is_above == upper, -z, z)))


def _newcombe(law: Law) -> LimitsBy:
    """Limits by the multiplier."""
    x, n, y, m = law.parts
    return lambda z: joined(x / n, _mirrored(_wilson, x, n, z), y / m, _mirrored(_wilson, y, m, z))


_LARGEST = 38.0
"""Normal multiplier whose tail is near the smallest float."""


NEWCOMBE = Shape(partial(joined_tail, _newcombe), partial(joined_end, _newcombe))
"""Wilson limits of two rates, joined."""


# --- two models on the same examples ----------------------------------------------------------------------------------------


def paired_counts(
    correct: ArrayLike, first: ArrayLike = 0, second: ArrayLike = 1, *, omit_missing: bool = False
) -> tuple[FloatArray, ...]:
    """Count, for pairs of models, the examples on which both, one or neither was right, through one matrix product.

    Parameters
    ----------
    correct : array_like of shape (n_models, n_examples)
        1 or True where the model was right, 0 or False where not, nan where it has no answer.
    first, second : array_like of int
        Rows of the models of each pair; the first two rows unless given.
    omit_missing : bool, default False
        Count for each pair the examples that both models have. Otherwise nan is an error.

    Returns
    -------
    tuple of ndarray or float
        Numbers of examples on which both, only the first, only the second and neither was right, as `tango` takes them.

    Raises
    ------
    DataError
        Values other than 0 and 1, or nan without `omit_missing`.
    """
    table = check_array(correct, "correct", "n_models, n_examples", (0, 0), can_lack=True)
    size = table.shape[0]
    i, j = check_rows(first, size, "first"), check_rows(second, size, "second")
    right_right, right_failed, failed_failed = np.zeros((3, size, size))
    for columns in blocks(table.shape[1], most=_AT_ONCE):
        block = table[:, columns]
        missing = np.isnan(block)
        if missing.any() and not omit_missing:
            model, example = np.argwhere(np.isnan(table))[0]
            raise DataError(
                f"{np.count_nonzero(np.isnan(table))} of the values are nan, the first in row {model}, example {example}. Pass "
                "omit_missing=True to count for each pair the examples that both models have."
            )
        wrong = ~missing & (block != 0) & (block != 1)
        if wrong.any():
            model, example = np.argwhere(wrong)[0]
            raise DataError(
                f"correct holds 0 and 1 only, or nan; got {block[model, example]:g} in row {model}, example "
                f"{columns.start + example}. For scores on another scale use clustered_mean of their differences."
            )
        right, failed = (block == 1).astype(np.float32), (block == 0).astype(np.float32)
        right_right += right @ right.T
        right_failed += right @ failed.T
        failed_failed += failed @ failed.T
    both, only_first, neither = (counts[i, j] for counts in (right_right, right_failed, failed_failed))
    return tuple(plain(np.asarray(count)) for count in (both, only_first, right_failed[j, i], neither))


_AT_ONCE = 1 << 16
"""Examples of a matrix product: so many are counted exactly in single precision."""


def tango(both: ArrayLike, only_first: ArrayLike, only_second: ArrayLike, neither: ArrayLike) -> Law:
    """Law of the difference of two rates on the same examples, by the score test of Tango, for one pair of models or many.

    Only the examples on which the models disagree say which is better. How sure a difference is depends on their number, so
    intervals of each rate by itself are no test: they forget that both models met the same examples.

    Parameters
    ----------
    both, only_first, only_second, neither : array_like
        Numbers of examples on which both models, only the first, only the second, and neither was right; `paired_counts` makes
        them.

    Returns
    -------
    Law
        Its interval keeps a width also where the models agree on every example, and does not leave -1 to 1. Its standard error is
        Wald's, ``sqrt(b + c - (b - c)^2 / n) / n``, which is 0 there: no certainty. A pair without examples is undefined.

    Raises
    ------
    DataError
        Counts that are negative or above 1e15.

    References
    ----------
    .. [T98] T. Tango. Equivalence test and confidence interval for the difference in proportions for the paired-sample design.
       Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> import tiebreak as tb
    >>> [round(end, 4) for end in tb.statistics.tango(both=43, only_first=0, only_second=1, neither=0).interval()]
    [-0.1181, 0.0594]
    """
    counts = {"both": both, "only_first": only_first, "only_second": only_second, "neither": neither}
    a, b, c, d = within(**{name: (count, 0, MOST_EXAMPLES) for name, count in counts.items()})
    total = a + b + c + d
    n, estimate = np.maximum(total, 1.0), divide(b - c, total)
    return Law(
        estimate=plain(estimate),
        se=plain(_wald_error(b, c, n) + 0.0 * estimate),
        n_units=total.astype(np.int64)[()],
        kind=kind_of(estimate, has_spread=True),
        tolerance=RELATIVE_TOLERANCE,
        shape=TANGO,
        parts=(b, c, n),
    )


def tango_statistic(only_first: ArrayLike, only_second: ArrayLike, n: ArrayLike, at: ArrayLike) -> FloatArray:
    """Score statistic of [T98]_: distance of the observed difference from `at`, with the variance that belongs to `at`.

    It falls as `at` rises, and is about standard normal where the true difference is `at`, between -1 and 1. Its square at 0 is
    McNemar's chi-squared without correction. Where the data are exactly as `at` says, it is 0.
    """
    b, c, total, x = floats_together(only_first=only_first, only_second=only_second, n=n, at=at)
    distance, (share, _) = b - c - total * x, _restricted_share(b, c, total, x)
    variance = np.maximum(2 * share + x * (1 - x), 0.0)  # of one difference
    return plain(np.where(distance == 0, 0.0, divide(distance, np.sqrt(total * variance))))


def _tango_tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    sign = 1.0 if upper else -1.0
    b, c, n = law.parts
    tail = ndtr(sign * np.asarray(tango_statistic(b, c, n, np.clip(at, -1.0, 1.0))))
    beyond = np.where(sign * at > 1.0, 0.0, 1.0)  # no difference of rates is larger than 1
    return np.asarray(np.where(np.abs(at) > 1.0, beyond, tail))


def _tango_end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Limit of the score test; both tails are one at every point, so one beyond a half is the other limit.

    The pair seen from the other side has the mirrored limits.
    """
    b, c, n = law.parts
    is_high = (p <= 0.5) == upper
    counts = np.broadcast_arrays(np.where(is_high, b, c), np.where(is_high, c, b), n, -ndtri(np.minimum(p, 1.0 - p)))
    return np.asarray(np.where(is_high, 1.0, -1.0) * _tango_upper(*counts))


def _tango_upper(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray) -> FloatArray:
    """Newton's method for all pairs at once, to the last digits, within ends that close in as in bisection.

    Beyond the observed difference the statistic falls, so that the limit lies where `at` is z standard errors away from it.
    """
    observed = (b - c) / n
    low, high = observed, np.ones(b.shape)
    at = np.clip((b - c) / (n + 2) + z * _wald_error(b + 1, c + 1, n + 2), low, high)  # Bonett and Price's limit
    for _ in range(_MOST_STEPS):
        share, slope = _restricted_share(b, c, n, at)
        error, distance = np.sqrt(np.maximum(2 * share + at * (1 - at), 0.0) / n), at - observed
        inside = (distance < z * error) | (distance == 0)
        low, high = np.where(inside, at, low), np.where(inside, high, at)
        step = divide(distance - z * error, z * divide(2 * slope + 1 - 2 * at, 2 * n * error) - 1)
        is_last = (np.abs(step) <= _LAST_STEP) & (error > 0)
        at = np.where(is_last | ((at + step > low) & (at + step < high)), at + step, (low + high) / 2)
        if np.all(is_last | (high - low <= _LAST_STEP)):
            break
    return np.asarray(np.clip(at, low, high))


_MOST_STEPS, _LAST_STEP = 60, 4e-16
"""Steps, of which most pairs take six, and bisection to the last digit would take 54; and the size at which they end."""


def _restricted_share(b: FloatArray, c: FloatArray, n: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Estimate of the share that only the second has right if the true difference is `at`, and its slope in `at`."""
    rise = 2 * n - b + c
    linear = rise * at - b - c
    constant = -c * at * (1 - at)
    root = np.sqrt(np.maximum(linear * linear - 8 * n * constant, 0.0))
    # (root - linear) / 4n, by the other form of the root where that would cancel
    share = np.where(linear > 0, divide(-2 * constant, root + linear), (root - linear) / (4 * n))
    share, least = np.where(np.isnan(share), 0.0, share), np.maximum(0.0, -at)
    slope = np.where(share > least, divide(c * (1 - 2 * at) - rise * share, root), np.where(at < 0, -1.0, 0.0))
    return np.maximum(share, least), slope


TANGO = Shape(_tango_tail, _tango_end)
"""Score test of the difference of two rates on the same examples."""


def _wald_error(b: FloatArray, c: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(b + c - (b - c) ** 2 / n, 0.0)) / n)


# --- tests without an interval ----------------------------------------------------------------------------------------------


def mcnemar(only_first: ArrayLike, only_second: ArrayLike, variant: McNemarVariant = "exact") -> Significance:
    """Test of whether two models are right equally often on the same examples.

    Parameters
    ----------
    only_first, only_second : array_like
        Numbers of examples on which only the first, and only the second, model was right.
    variant : {"exact", "mid-p", "chi2", "chi2-corrected"}
        "exact" is the binomial test of the discordant examples, never wrong too often; "mid-p" counts the observed outcome by
        half and is near its level [FLL13]_; "chi2" is ``(b - c)^2 / (b + c)``, "chi2-corrected" the same with the correction for
        continuity of Edwards, ``(|b - c| - 1)^2 / (b + c)``, which makes it as cautious as "exact".

    Returns
    -------
    Significance
        Chi-squared, nan without a discordant example; for "exact" and "mid-p" the statistic is the smaller of both counts. The
        p-value is two-sided, 1 where the models never disagree, as there is no evidence at all.

    Raises
    ------
    DataError
        Counts that are negative or not finite; for "exact" and "mid-p" also those that are not whole.

    References
    ----------
    .. [M47] Q. McNemar. Note on the sampling error of the difference between correlated proportions or percentages. Psychometrika
       12, 1947.
    .. [FLL13] M. W. Fagerland, S. Lydersen, P. Laake. The McNemar test for binary matched-pairs data: mid-p and asymptotic are
       better than exact conditional. BMC Medical Research Methodology 13:91, 2013.

    Examples
    --------
    >>> import tiebreak as tb
    >>> [round(tb.statistics.mcnemar(1, 7, variant).pvalue, 4) for variant in ("exact", "mid-p", "chi2")]
    [0.0703, 0.0391, 0.0339]
    """
    check_choice(variant, get_args(McNemarVariant), "variant")
    is_exact = variant in ("exact", "mid-p")
    b, c = within(only_first=(only_first, 0, MOST_EXAMPLES), only_second=(only_second, 0, MOST_EXAMPLES))
    if is_exact and not np.all((np.rint(b) == b) & (np.rint(c) == c)):
        raise DataError(f"only_first and only_second must be whole numbers for {variant!r}; got {b[()]} and {c[()]}.")
    n, statistic = b + c, np.minimum(b, c)
    if is_exact:
        pvalue = np.minimum(2 * betainc(np.maximum(n - statistic, 1), statistic + 1, 0.5), 1.0)  # twice P(X <= fewer)
    else:
        statistic = divide(np.maximum(np.abs(b - c) - (variant == "chi2-corrected"), 0.0) ** 2, n)
        pvalue = chdtrc(1, statistic)
    if variant == "mid-p":  # less the probability of the fewer themselves, or half of it where b = c [FLL13]_
        own = np.exp(gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - n * np.log(2.0))
        pvalue = np.where(b == c, 1 - own / 2, pvalue - own)
    return Significance(plain(statistic), plain(np.where(n == 0, 1.0, pvalue)), 0 if is_exact else 1)


def cochran_q(correct: ArrayLike) -> Significance:
    """Test of whether several models are right equally often on the same examples.

    With two models it is McNemar's chi-squared without correction. A small p-value says that they differ, not which.

    Parameters
    ----------
    correct : array_like of shape (..., n_models, n_examples)
        1 or True where the model was right, 0 or False where not.

    Returns
    -------
    Significance
        Chi-squared; nan with a p-value of 1 where all models agree on every example.

    Raises
    ------
    DataError
        Values other than 0 and 1, or fewer than two models.

    References
    ----------
    .. [C50] W. G. Cochran. The comparison of percentages in matched samples. Biometrika 37, 1950.
    """
    table = check_array(correct, "correct", "..., n_models, n_examples", (2, 1))
    wrong = (table != 0) & (table != 1)
    if wrong.any():
        raise DataError(f"correct holds 0 and 1, one for each model and example; got {table[wrong][0]:g}.")
    k = table.shape[-2]
    of_model, of_example = table.sum(axis=-1), table.sum(axis=-2)
    spread = ((of_model - of_model.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    statistic = divide(k * (k - 1) * spread, (of_example * (k - of_example)).sum(axis=-1))  # [C50]_
    return significance_of(statistic, chdtrc(k - 1, statistic), k - 1)


# --- checks -----------------------------------------------------------------------------------------------------------------


def _check_counts(successes: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Successes and examples as floats of one shape."""
    x, total = floats_together(successes=successes, n=n)
    wrong = ~((x >= 0) & (x <= total) & (total > 0) & (total <= MOST_EXAMPLES))  # nan too
    if wrong.any():
        at = np.flatnonzero(wrong)[0]
        raise DataError(
            f"successes are 0 to n, of n examples that are above 0 and at most {MOST_EXAMPLES:g}; got {x.flat[at]:g} of "
            f"{total.flat[at]:g}."
        )
    return x, total


def _two_rates(
    first: ArrayLike, n_first: ArrayLike, second: ArrayLike, n_second: ArrayLike, higher_is_better: bool
) -> tuple[FloatArray, ...]:
    """Counts and sizes of one shape, the model first that positive differences favour."""
    one, other = _check_counts(first, n_first), _check_counts(second, n_second)
    both = (*one, *other) if higher_is_better else (*other, *one)
    return floats_together(**dict(zip(("first", "n_first", "second", "n_second"), both, strict=True)))
