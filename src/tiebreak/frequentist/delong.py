"""Areas under ROC curves: how often a positive example stands above a negative one, and which model's is larger.

All is read from one sort for each model [SX14]_: for each example the number of examples of the other class below it, ties by
half.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import (
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    StudentDistribution,
    alpha_of_level,
    check_alternative,
    check_probability,
    divide,
    floats,
    plain,
    positive_examples,
    student_quantile,
)

AucMethod = Literal["logit", "wald"]
AucDifferenceMethod = Literal["t", "logit", "wald"]


@dataclass(frozen=True, slots=True)
class AucResult:
    """Areas under ROC curves; arrays of the shape that the scores have without their last axis.

    Attributes
    ----------
    auc : ndarray
        Share of pairs, a positive and a negative example, that are in the right order; ties count half. nan where there is no
        such pair, or where a score is nan.
    variance : ndarray
        Of the area, over samples of examples for the same model; nan with fewer than two examples of either kind.
    n_positive, n_negative : int
    pairs_won, pairs_tied : ndarray
        Pairs in which the positive example has the higher score, and those in which both have the same; of all
        ``n_positive * n_negative``.
    """

    auc: FloatArray
    variance: FloatArray
    n_positive: int
    n_negative: int
    pairs_won: IntArray
    pairs_tied: IntArray

    @property
    def standard_error(self) -> FloatArray:
        """Square root of the variance."""
        return plain(np.sqrt(self.variance))

    def confidence_interval(self, level: float = 0.95, method: AucMethod = "logit") -> Interval:
        """Two-sided interval of the area.

        Parameters
        ----------
        level : float
            Coverage, between 0 and 1.
        method : {"logit", "wald"}
            "logit" is the normal interval ``auc +- z se`` on the scale of ``log(auc / (1 - auc))``, so that its limits stay
            between 0 and 1; where the variance is 0, as it is for a model that separates the classes, or a class has one example
            only, it is the pseudo-score interval of [N06]_, method 5. "wald" is the normal interval itself, cut at 0 and 1, as
            textbooks have it; nan where the variance is 0, which is no certainty.

        References
        ----------
        .. [N06] R. G. Newcombe. Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2.
           Statistics in Medicine 25, 2006.
        """
        _check_auc_method(method)
        check_probability(level, "level")
        auc, variance = np.asarray(self.auc), np.asarray(self.variance)
        low, high = _limits(auc, variance, self.n_positive, self.n_negative, np.asarray(_multiplier(level)), method)
        return Interval(plain(np.maximum(low, 0.0)), plain(np.minimum(high, 1.0)))


def delong_auc(is_positive: ArrayLike, scores: ArrayLike) -> AucResult:
    """Area under the ROC curve with DeLong's variance.

    The variance is about other examples for the same fitted model. It knows nothing of other training sets.

    Parameters
    ----------
    is_positive : array_like of shape (n_examples,)
        True or False, 1 or 0, or 1 or -1.
    scores : array_like of shape (..., n_examples)
        The higher, the more the model is for "positive".

    Returns
    -------
    AucResult

    Raises
    ------
    InvalidScoresError
        Shapes that do not go together, or labels that do not say which class is positive.

    References
    ----------
    .. [DDC88] E. DeLong, D. DeLong, D. Clarke-Pearson. Comparing the areas under two or more correlated receiver operating
       characteristic curves: a nonparametric approach. Biometrics 44, 1988.
    .. [SX14] X. Sun, W. Xu. Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver
       operating characteristic curves. IEEE Signal Processing Letters 21, 2014 (by sorting, instead of all pairs).

    Examples
    --------
    >>> result = delong_auc([1, 1, 0, 0, 0, 1, 0, 1, 0, 1], [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
    >>> result.auc, result.pairs_won, result.pairs_tied, round(result.variance, 6)
    (0.56, 13, 2, 0.0462)
    """
    truth, values = _checked(is_positive, scores)
    rows = values.reshape(-1, truth.size)
    columns = zip(*(_area(truth, row) for row in rows), strict=True)
    auc, variance, won, tied = (np.array(column).reshape(values.shape[:-1]) for column in columns)
    n_positive = int(np.count_nonzero(truth))
    return AucResult(plain(auc), plain(variance), n_positive, truth.size - n_positive, _whole(won), _whole(tied))


def _whole(counts: IntArray) -> IntArray:
    """A single number as a Python int; an array as it is."""
    return int(counts) if counts.ndim == 0 else counts  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class AucDifferenceResult:
    """Differences of areas under ROC curves; arrays over pairs of models, or single numbers.

    Attributes
    ----------
    first, second : ndarray or float
        The areas.
    difference : ndarray or float
        First minus second.
    standard_error : ndarray or float
        0 where both models put the examples in the same order.
    correlation : ndarray or float
        Of the two areas, over samples of examples; 0 where one of them has no variance, and for independent test sets.
    is_identical : ndarray of bool
        Both models count the same pairs as right, and some pairs as wrong.
    df : ndarray or float
        Degrees of freedom of the standard error by Satterthwaite: of the variances among positive and among negative examples
        for paired areas (with fewer than five examples of the rarer class their number less one), of those of both test sets
        for independent ones; nan where the standard error is 0.
    """

    first: FloatArray
    second: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    correlation: FloatArray
    is_identical: NDArray[np.bool_]
    df: FloatArray
    _one: tuple[FloatArray, int, int] = field(repr=False)
    _other: tuple[FloatArray, int, int] = field(repr=False)

    def ztest(self, alternative: Alternative = "two-sided", distribution: Literal["normal", "t"] = "normal") -> AucZTest:
        """DeLong's test that both areas are the same; statistic 0 and p-value 1 where both areas and all examples agree.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}
            "greater" asks whether the first area is the larger one.
        distribution : {"normal", "t"}
            "t" has Satterthwaite's degrees of freedom `df`: its p-value is that of the "t" interval where this is not cut.
        """
        if distribution not in ("normal", "t"):
            raise InvalidParameterError(f"distribution must be 'normal' or 't'; got {distribution!r}.", about="distribution")
        student = StudentDistribution(self.difference, self.standard_error, self.df if distribution == "t" else np.inf)
        statistic = np.where(self._is_flat & (np.asarray(self.difference) == 0), 0.0, student.statistic)
        return AucZTest(plain(statistic), student.pvalue(check_alternative(alternative)))

    def confidence_interval(self, level: ArrayLike = 0.95, method: AucDifferenceMethod = "t") -> Interval:
        """Two-sided interval of the difference; nan for identical models, whose areas cannot differ.

        Parameters
        ----------
        level : float or array_like
            Coverage, between 0 and 1; one, or one for each pair.
        method : {"t", "logit", "wald"}
            "t" is ``difference +- t se``, cut at -1 and 1: DeLong's variance of the difference itself and Student's quantile with
            `df` degrees of freedom. Of equal models with 10 positives of 200 it misses 0 in 4.5 % (area .76) or less, where
            "logit" misses in 9 to 13 %. Where the standard error is 0, as for two models that separate the classes, it joins the
            pseudo-score limits of both areas as independent ones, which have a width. "logit" joins the logit limits of both
            areas with their correlation [ZD08]_; it stays between -1 and 1 and has a width for models that separate the classes
            too. "wald" is ``difference +- z se``; nan where the standard error is 0.

        References
        ----------
        .. [ZD08] G. Y. Zou, A. Donner. Construction of confidence limits about effect measures: a general approach. Statistics in
           Medicine 27, 2008.
        """
        if method not in get_args(AucDifferenceMethod):
            raise InvalidParameterError(f"method must be 't', 'logit' or 'wald'; got {method!r}.", about="method")
        alpha = alpha_of_level(level)
        if method == "t":
            return Interval(self.limit(alpha / 2), self.limit(alpha / 2, upper=True))
        if method == "wald":
            return StudentDistribution(self.difference, self.standard_error, np.inf).interval(alpha)
        low, high = self._joined(_multiplier(level), np.asarray(self.correlation))
        nothing = np.where(self.is_identical, np.nan, 0.0)
        return Interval(plain(low + nothing), plain(high + nothing))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the difference is at least `at`", read from the "t" intervals; nan for identical models."""
        return plain(self._tail(at, -1.0))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the difference is at most `at`"."""
        return plain(self._tail(at, 1.0))

    def limit(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Point at which a tail is `p`: the lower one, or with `upper` the upper one; an end of "t" intervals.

        Of p = 0.025 both are the ends of the 95% interval; nan for identical models.
        """
        p, sign = np.asarray(p, dtype=float), -1.0 if upper else 1.0
        end = np.clip(self.student.quantile(p, upper=upper), -1.0, 1.0)
        if not self._is_flat.any():
            return plain(np.asarray(end))
        z = sign * student_quantile(p, np.inf)
        low, high = self._joined(np.abs(z), np.zeros(()))
        flat = np.where(self.is_identical, np.nan, np.where(z < 0, low, high))
        return plain(np.where(self._is_flat, flat, end))

    @property
    def _is_flat(self) -> NDArray[np.bool_]:
        """Pairs whose difference has no variance in these examples."""
        return np.asarray(np.asarray(self.standard_error) == 0)

    @property
    def student(self) -> StudentDistribution:
        """Student's t around the difference, before it is cut at -1 and 1."""
        return StudentDistribution(self.difference, self.standard_error, self.df)

    def _joined(self, z: FloatArray, correlation: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of the difference [ZD08]_, from those of each area."""
        a, b = np.asarray(self.first), np.asarray(self.second)
        (low1, high1), (low2, high2) = (_limits(x, *more, z, "logit") for x, more in ((a, self._one), (b, self._other)))
        below = _distance(a - low1, high2 - b, correlation)
        above = _distance(high1 - a, b - low2, correlation)
        return a - b - below, a - b + above

    def _tail(self, at: ArrayLike, sign: float) -> FloatArray:
        """Tail at `at`: that of the level at which `at` is an end."""
        at, middle = np.asarray(at, dtype=float), np.asarray(self.difference)
        tail = self.student.tail_below(at) if sign > 0 else self.student.tail_above(at)
        tail = np.where(np.abs(at) > 1.0, at * sign > 0, tail)
        if self._is_flat.any():
            tail = np.where(self._is_flat, self._flat_tail(at, sign), tail)
        return np.asarray(np.where(np.isnan(middle), np.nan, tail))

    def _flat_tail(self, at: FloatArray, sign: float) -> FloatArray:
        """Tail where there is no variance, by bisection on the multiplier."""
        from scipy.special import ndtr

        middle = np.asarray(self.difference)
        at, is_above = np.broadcast_arrays(at, at > middle)
        small, large = np.zeros(at.shape), np.full(at.shape, _LARGEST_MULTIPLIER)
        for _ in range(60):
            z = (small + large) / 2
            low, high = self._joined(z, np.zeros(()))
            inside = np.where(is_above, high < at, low > at)
            small, large = np.where(inside, z, small), np.where(inside, large, z)
        z = np.where(at == middle, 0.0, (small + large) / 2)
        return np.asarray(np.where(self.is_identical, np.nan, ndtr(sign * np.where(is_above, z, -z))))


class AucZTest(NamedTuple):
    """Standardised difference of two areas, and its p-value."""

    statistic: FloatArray
    pvalue: FloatArray


class AucContrastResult(NamedTuple):
    """Contrasts of areas.

    Attributes
    ----------
    estimate, standard_error : ndarray of shape (n_contrasts,)
    statistic, pvalue : ndarray of shape (n_contrasts,)
        Each contrast by itself: z, and its two-sided p-value.
    chi2 : float
        All contrasts at once.
    df : int
        Rank of their covariance.
    joint_pvalue : float
        1 where nothing differs and nothing varies.
    """

    estimate: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    chi2: float
    df: int
    joint_pvalue: float


@dataclass(frozen=True, slots=True)
class PairedAucResult:
    """Areas of several models on the same examples, with their covariance.

    Attributes
    ----------
    auc : ndarray of shape (n_models,)
        nan for a model with a score that is nan.
    covariance : ndarray of shape (n_models, n_models)
        Over samples of examples; nan with fewer than two examples of either class.
    n_positive, n_negative : int
    """

    auc: FloatArray
    covariance: FloatArray
    n_positive: int
    n_negative: int
    _placements: tuple[FloatArray, FloatArray] = field(repr=False)
    _halves: tuple[FloatArray, FloatArray] = field(repr=False)

    def difference(self, first: ArrayLike = 0, second: ArrayLike = 1) -> AucDifferenceResult:
        """Differences between pairs of models.

        Parameters
        ----------
        first, second : int or array_like of int
            Rows of the models of each pair.

        References
        ----------
        .. [S46] F. E. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics 2, 1946.
        """
        i, j = np.broadcast_arrays(np.asarray(first), np.asarray(second))
        v, w, both = self.covariance[i, i], self.covariance[j, j], self.covariance[i, j]
        parts = np.array([np.maximum(half[i, i] + half[j, j] - 2 * half[i, j], 0.0) for half in self._halves])
        same = np.zeros(i.shape, dtype=bool)
        for at in np.argwhere(~(parts.sum(axis=0) > 1e-6 * (v + w))):  # few digits would be left
            pair = tuple(at)
            rows = [half[i[pair]] - half[j[pair]] for half in self._placements]
            parts[(slice(None), *pair)] = [_variance_of_mean(row) for row in rows]
            same[pair] = not (rows[0].any() or rows[1].any())
        variance = parts.sum(axis=0)
        variance = np.where(variance <= SMALLEST_VARIANCE, 0.0, variance)
        correlation = divide(both, np.sqrt(v * w))
        correlation = np.clip(np.where(np.isfinite(correlation), correlation, 0.0), -1.0, 1.0)
        a, b = self.auc[i], self.auc[j]
        rarer = min(self.n_positive, self.n_negative)
        of_positive, of_negative = (
            np.square(part) / max(n - 1, 1) for part, n in zip(parts, (self.n_positive, self.n_negative), strict=True)
        )
        df = divide(np.square(variance), of_positive + of_negative)  # [S46]_
        df = np.where(variance > 0, df if rarer >= FEWEST_RARER else max(rarer - 1.0, 1.0), np.nan)
        sizes = (self.n_positive, self.n_negative)
        return AucDifferenceResult(
            plain(a),
            plain(b),
            plain(a - b),
            plain(np.sqrt(variance)),
            plain(correlation),
            same & (v > 0),
            plain(df),
            (v, *sizes),
            (w, *sizes),
        )

    def contrast(self, contrasts: ArrayLike) -> AucContrastResult:
        """Linear contrasts of the areas, such as (1, -1/2, -1/2): each by itself, and all at once by a chi-squared test.

        Parameters
        ----------
        contrasts : array_like of shape (n_models,) or (n_contrasts, n_models)
        """
        from scipy.special import chdtrc

        rows = np.atleast_2d(np.asarray(contrasts, dtype=float))
        if rows.shape[1] != self.auc.size or not np.all(np.isfinite(rows)):
            raise InvalidParameterError(
                f"a contrast needs one finite number for each of the {self.auc.size} models; got the shape {rows.shape}.",
                about="contrasts",
            )
        estimate, covariance = rows @ self.auc, rows @ self.covariance @ rows.T
        size = np.abs(rows) @ np.abs(self.covariance) @ np.abs(rows).T  # what cancels in the covariance is rounding noise
        covariance = np.where(np.abs(covariance) <= 1e-12 * size, 0.0, covariance)
        estimate = np.where(np.abs(estimate) <= 1e-12 * np.abs(rows).sum(axis=1), 0.0, estimate)
        error = np.sqrt(np.diag(covariance))
        statistic = np.where((estimate == 0) & (error == 0), 0.0, divide(estimate, error))
        pvalue = StudentDistribution(estimate, error, np.inf).pvalue()
        if np.isnan(covariance).any():
            return AucContrastResult(estimate, error, statistic, pvalue, np.nan, 0, np.nan)
        rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
        chi2 = float(estimate @ np.linalg.pinv(covariance, hermitian=True) @ estimate)
        return AucContrastResult(estimate, error, statistic, pvalue, chi2, rank, float(chdtrc(rank, chi2)) if rank else 1.0)


def paired_auc(is_positive: ArrayLike, scores: ArrayLike) -> PairedAucResult:
    """Areas under the ROC curves of several models on the same examples, with DeLong's covariance.

    Parameters
    ----------
    is_positive : array_like of shape (n_examples,)
        True or False, 1 or 0, or 1 or -1.
    scores : array_like of shape (n_models, n_examples)
        The higher, the more the model is for "positive".

    Returns
    -------
    PairedAucResult
        ``.difference(0, 1)`` compares two of the models, ``.contrast(...)`` several.

    Raises
    ------
    InvalidScoresError
        Shapes that do not go together, or labels that do not say which class is positive.

    Examples
    --------
    >>> is_positive = [1, 1, 1, 1, 0, 0, 0, 0, 0]
    >>> both = paired_auc(is_positive, [[8, 7, 5, 3, 6, 4, 2, 1, 0], [4, 8, 3, 6, 7, 5, 2, 0, 1]]).difference(0, 1)
    >>> round(both.difference, 3), round(both.ztest().pvalue, 3)
    (0.1, 0.484)
    """
    truth, values = _checked(is_positive, np.atleast_2d(floats(scores)))
    if values.ndim != 2:
        raise InvalidScoresError(f"scores must be of shape (n_models, n_examples); got the shape {values.shape}.")
    n_positive = int(np.count_nonzero(truth))
    n_negative = truth.size - n_positive
    counts = [_placements(truth, row) for row in values]
    of_positive = np.stack([(below + through)[truth] for below, through in counts]) / (2 * max(n_negative, 1))
    of_negative = np.stack([(below + through)[~truth] for below, through in counts]) / (2 * max(n_positive, 1))
    undefined = np.isnan(values).any(axis=1) | (n_positive == 0) | (n_negative == 0)
    auc = np.where(undefined, np.nan, of_positive.sum(axis=1) / max(n_positive, 1))
    of_positive[undefined] = of_negative[undefined] = np.nan
    halves = _covariance_of_mean(of_positive), _covariance_of_mean(of_negative)
    return PairedAucResult(auc, halves[0] + halves[1], n_positive, n_negative, (of_positive, of_negative), halves)


def independent_auc_difference(first: AucResult, second: AucResult) -> AucDifferenceResult:
    """Difference of two areas from test sets that share no example.

    For two models on the same examples it is the wrong test: it forgets that both met the same ones.

    Parameters
    ----------
    first, second : AucResult
        Of `delong_auc`, of the same shape.

    Returns
    -------
    AucDifferenceResult
        Its ``ztest(distribution="t")`` has the degrees of freedom of Satterthwaite, with n - 1 for each test set.
    """
    v, w = np.broadcast_arrays(np.asarray(first.variance, dtype=float), np.asarray(second.variance, dtype=float))
    sizes = [(each.n_positive, each.n_negative) for each in (first, second)]
    df = divide((v + w) ** 2, v**2 / max(sum(sizes[0]) - 1, 1) + w**2 / max(sum(sizes[1]) - 1, 1))
    a, b, nothing = np.asarray(first.auc), np.asarray(second.auc), np.zeros(v.shape)
    return AucDifferenceResult(
        plain(a),
        plain(b),
        plain(a - b),
        plain(np.sqrt(v + w)),
        plain(nothing),
        nothing.astype(bool),
        plain(df),
        (v, *sizes[0]),
        (w, *sizes[1]),
    )


# --- areas of one model: by one sort --------------------------------------------------------------------------------------


def _placements(truth: NDArray[np.bool_], row: FloatArray) -> tuple[IntArray, IntArray]:
    """For each example, how many of the other class stand below it, and how many not above it."""
    order = np.argsort(row)
    ordered, labels = row[order], truth[order]
    positives = np.cumsum(labels)
    negatives = np.arange(1, row.size + 1) - positives
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), row.size - 1)  # of each group of equal scores
    below, through = np.empty(row.size, dtype=np.int64), np.empty(row.size, dtype=np.int64)
    if last.size == row.size:
        below[order] = np.where(labels, negatives, positives)
        return below, below
    sizes = np.diff(last, prepend=-1)
    up_to = [np.repeat(counts[last], sizes) for counts in (negatives, positives)]
    before = [np.repeat(np.append(0, counts[last[:-1]]), sizes) for counts in (negatives, positives)]
    below[order], through[order] = np.where(labels, *before), np.where(labels, *up_to)
    return below, through


def _area(truth: NDArray[np.bool_], row: FloatArray) -> tuple[float, float, int, int]:
    """Area, variance, pairs won and pairs tied of one row of scores."""
    n_positive = int(np.count_nonzero(truth))
    n_negative = truth.size - n_positive
    if not (n_positive and n_negative) or np.isnan(row).any():
        return np.nan, np.nan, 0, 0
    below, through = _placements(truth, row)
    won, not_lost = int(below[truth].sum()), int(through[truth].sum())
    twice = below + through
    variance = _variance(twice[truth] / (2 * n_negative), twice[~truth] / (2 * n_positive))  # components of [DDC88]_
    return (won + not_lost) / (2 * n_positive * n_negative), variance, won, not_lost - won


def _variance(of_positive: FloatArray, of_negative: FloatArray) -> float:
    return _variance_of_mean(of_positive) + _variance_of_mean(of_negative)


def _variance_of_mean(values: FloatArray) -> float:
    return float(values.var(ddof=1) / values.size) if values.size > 1 else np.nan


def _covariance_of_mean(rows: FloatArray) -> FloatArray:
    """Covariance of the means of rows, the components of one class of examples [DDC88]_."""
    n = rows.shape[1]
    if n < 2:
        return np.full((rows.shape[0], rows.shape[0]), np.nan)
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred @ centred.T / ((n - 1) * n))


# --- intervals ------------------------------------------------------------------------------------------------------------

FEWEST_RARER = 5
"""Examples of the rarer class below which its number less one is the degrees of freedom.

Two to four of them differ by chance so little now and then that Satterthwaite's are those of the other class: 4 equal models, 3
positives of 100, were called different in 8.5 % of 4,000 tables.
"""

SMALLEST_VARIANCE = 1e-24
"""Variance of a difference of areas up to which it is rounding noise."""

_LARGEST_MULTIPLIER = 38.0
"""Standard normal quantile whose tail is the smallest float."""


def _limits(
    auc: FloatArray, variance: FloatArray, n_positive: int, n_negative: int, z: FloatArray, method: str
) -> tuple[FloatArray, FloatArray]:
    """Limits of each area."""
    auc, variance, z = np.broadcast_arrays(auc, variance, z)
    varies = variance > 0
    if method == "wald":
        half = np.where(varies, z * np.sqrt(np.where(varies, variance, 0.0)), np.nan)
        return auc - half, auc + half
    from scipy.special import expit, logit

    inside = varies & (auc > 0) & (auc < 1)
    a = np.where(inside, auc, 0.5)
    half = z * np.sqrt(np.where(inside, variance, 0.0)) / (a * (1 - a))
    low, high = expit(logit(a) - half), expit(logit(a) + half)
    if inside.all():
        return low, high
    if min(n_positive, n_negative) > 1:  # that there is no variance then has a reason that leaves no interval either
        auc = np.where(np.isnan(variance), np.nan, auc)
    upper = _pseudo_score_upper(auc, n_positive, n_negative, z)
    lower = 1 - _pseudo_score_upper(1 - auc, n_positive, n_negative, z)
    return np.where(inside, low, lower), np.where(inside, high, upper)


def _pseudo_score_upper(auc: FloatArray, m: int, n: int, z: FloatArray) -> FloatArray:
    """Largest area that lies z of its own standard errors above the observed one [N06]_, method 5."""
    low, high = np.array(auc, dtype=float), np.ones(auc.shape)
    for _ in range(60):
        at = (low + high) / 2
        spread = 1 + ((m + n) / 2 - 1) * ((1 - at) / (2 - at) + at / (1 + at))
        inside = at - auc < z * np.sqrt(at * (1 - at) * spread / max(m * n, 1))
        low, high = np.where(inside, at, low), np.where(inside, high, at)
    return np.asarray((low + high) / 2)


def _distance(one: FloatArray, other: FloatArray, rho: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(one * one + other * other - 2 * rho * one * other, 0.0)))


def _multiplier(level: ArrayLike) -> FloatArray:
    from scipy.special import ndtri

    return -np.asarray(ndtri((1 - np.asarray(level, dtype=float)) / 2))


def _check_auc_method(method: str) -> None:
    if method not in ("logit", "wald"):
        raise InvalidParameterError(f"method must be 'logit' or 'wald'; got {method!r}.", about="method")


def _checked(is_positive: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], FloatArray]:
    truth, values = positive_examples(is_positive), floats(scores)
    if truth.ndim != 1 or values.ndim == 0 or values.shape[-1] != truth.size:
        raise InvalidScoresError(
            f"is_positive has the shape {truth.shape} and scores {values.shape}; one score is needed for each example, on the "
            "last axis."
        )
    return truth, values
