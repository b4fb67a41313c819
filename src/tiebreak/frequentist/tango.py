"""Two models, right or wrong on the same examples: the difference of their rates, by the score test of Tango and its relatives.

Only the examples on which the models disagree say which is better. How sure a difference is depends on their number, so
intervals of each rate by itself are no test: they forget that both models met the same examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import FloatArray, Interval, check_probability, check_rows, divide, floats, plain

PairedMethod = Literal["tango", "newcombe", "agresti-min", "bonett-price", "wald"]


class PairedCounts(NamedTuple):
    """Numbers of examples by who was right; arrays over pairs of models, or single numbers.

    Attributes
    ----------
    both, only_first, only_second, neither : ndarray or float
    """

    both: FloatArray
    only_first: FloatArray
    only_second: FloatArray
    neither: FloatArray


@dataclass(frozen=True, slots=True)
class PairedProportionsResult:
    """Two rates on the same examples; arrays over pairs, or single numbers.

    Attributes
    ----------
    n : ndarray or float
        Number of examples.
    only_first, only_second : ndarray or float
        Examples on which only that model was right.
    difference : ndarray or float
        Rate of the first minus that of the second; positive favours the first.
    """

    n: FloatArray
    only_first: FloatArray
    only_second: FloatArray
    difference: FloatArray

    @property
    def n_discordant(self) -> FloatArray:
        """Examples on which exactly one model was right."""
        return plain(np.add(self.only_first, self.only_second))

    @property
    def standard_error(self) -> FloatArray:
        """Wald's, ``sqrt(b + c - (b - c)^2 / n) / n``: 0 where the models never disagree, which is no certainty."""
        n, b, c = _arrays(self.n, self.only_first, self.only_second)
        return plain(_wald_error(b, c, n))

    def score_statistic(self, at: ArrayLike) -> FloatArray:
        """Standardised distance of the observed difference from `at`, with the variance that belongs to `at`.

        It falls as `at` rises, and is about standard normal where the true difference is `at`.

        Parameters
        ----------
        at : array_like
            Between -1 and 1, broadcast against the pairs.
        """
        n, b, c, at = _arrays(self.n, self.only_first, self.only_second, at)
        return plain(_tango_statistic(b, c, n, at))

    def confidence_interval(self, level: ArrayLike = 0.95, method: PairedMethod = "tango") -> Interval:
        """Two-sided interval of the difference.

        Parameters
        ----------
        level : float or array_like
            Coverage, between 0 and 1; one, or one for each pair.
        method : {"tango", "newcombe", "agresti-min", "bonett-price", "wald"}
            "tango" inverts the score test; it never loses its width, also where the models agree on every example.
            "newcombe" joins the Wilson limits of both rates, with their correlation (method 10). "agresti-min" adds half an
            example to each of the four counts, "bonett-price" one example to each kind of disagreement. "wald"
            is the interval of textbooks, ``d +- z se``, for contrast: it is too short where few examples are discordant. Limits
            are not cut off at -1 and 1; those of "tango", "newcombe" and "bonett-price" do not leave them.

        Returns
        -------
        Interval
        """
        if method not in get_args(PairedMethod):
            raise InvalidParameterError(
                f"unknown method {method!r}; choose one of {', '.join(map(repr, get_args(PairedMethod)))}.", about="method"
            )
        from scipy.special import ndtri

        for each in np.ravel(level):
            check_probability(each, "level")
        z = -ndtri((1 - np.asarray(level, dtype=float)) / 2)
        n, b, c, z = _arrays(self.n, self.only_first, self.only_second, z)
        low, high = _INTERVALS[method](b, c, n, z, np.asarray(self._first_rate))
        return Interval(plain(low), plain(high))

    def limit(self, p: ArrayLike, *, upper: bool, method: PairedMethod = "tango") -> FloatArray:
        """One limit of an interval; of Tango's the difference beyond which the score test has a tail smaller than `p`.

        Parameters
        ----------
        p : array_like
            One-sided, between 0 and 0.5, broadcast against the pairs; a two-sided interval at 1 - alpha has alpha / 2.
        upper : bool
        method : str
            As for `confidence_interval`.
        """
        from scipy.special import ndtri

        n, b, c, z = _arrays(self.n, self.only_first, self.only_second, -ndtri(np.asarray(p, dtype=float)))
        if method == "tango":
            return plain(_tango_upper(b, c, n, z) if upper else -_tango_upper(c, b, n, z))
        return plain(_INTERVALS[method](b, c, n, z, np.asarray(self._first_rate))[int(upper)])

    _first_rate: FloatArray


def paired_proportions(
    both: ArrayLike, only_first: ArrayLike, only_second: ArrayLike, neither: ArrayLike
) -> PairedProportionsResult:
    """Difference of two rates on the same examples, for one pair of models or many at once.

    Parameters
    ----------
    both, only_first, only_second, neither : array_like
        Numbers of examples on which both models, only the first, only the second, and neither was right; `paired_counts` makes
        them.

    Returns
    -------
    PairedProportionsResult

    Raises
    ------
    InvalidScoresError
        Counts that are negative or not finite, or a pair without examples.

    References
    ----------
    .. [T98] T. Tango. Equivalence test and confidence interval for the difference in proportions for the paired-sample design.
       Statistics in Medicine 17, 1998.
    .. [N98] R. G. Newcombe. Improved confidence intervals for the difference between binomial proportions based on paired data.
       Statistics in Medicine 17, 1998.
    .. [AM05] A. Agresti, Y. Min. Simple improved confidence intervals for comparing matched proportions. Statistics in Medicine
       24, 2005.
    .. [BP12] D. G. Bonett, R. M. Price. Adjusted Wald confidence interval for a difference of binomial proportions based on
       paired data. Journal of Educational and Behavioral Statistics 37, 2012.

    Examples
    --------
    >>> import tiebreak as tb
    >>> pair = tb.frequentist.paired_proportions(both=43, only_first=0, only_second=1, neither=0)
    >>> [round(limit, 4) for limit in pair.confidence_interval()]
    [-0.1181, 0.0594]
    """
    counts = _arrays(both, only_first, only_second, neither)
    for name, values in zip(PairedCounts._fields, counts, strict=True):
        if not np.all(np.isfinite(values)) or np.any(values < 0):
            raise InvalidScoresError(f"{name} must be numbers of examples, finite and not negative; got {values[()]}.")
    n = counts[0] + counts[1] + counts[2] + counts[3]
    if np.any(n == 0):
        raise InvalidScoresError("a pair of models without a single example says nothing about them.")
    _, b, c, _ = counts
    return PairedProportionsResult(plain(n), plain(b), plain(c), plain((b - c) / n), plain((counts[0] + b) / n))


def paired_counts(correct: ArrayLike, first: ArrayLike = 0, second: ArrayLike = 1, *, omit_missing: bool = False) -> PairedCounts:
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
    PairedCounts

    Raises
    ------
    InvalidScoresError
        Values other than 0 and 1, or nan without `omit_missing`.
    """
    table = floats(correct, "correct")
    if table.ndim != 2:
        raise InvalidScoresError(f"correct must be an array of shape (n_models, n_examples); got the shape {table.shape}.")
    size = table.shape[0]
    i, j = check_rows(first, size, "first"), check_rows(second, size, "second")
    right_right, right_failed, failed_failed = np.zeros((3, size, size))
    for start in range(0, table.shape[1], _AT_ONCE):
        block = table[:, start : start + _AT_ONCE]
        missing = np.isnan(block)
        if missing.any() and not omit_missing:
            raise _missing(np.isnan(table))
        wrong = ~missing & (block != 0) & (block != 1)
        if wrong.any():
            model, example = np.argwhere(wrong)[0]
            raise InvalidScoresError(
                f"correct holds 0 and 1 only, or nan; got {block[model, example]:g} in row {model}, example {start + example}. "
                "For scores on another scale use clustered_mean of their differences."
            )
        right, failed = (block == 1).astype(np.float32), (block == 0).astype(np.float32)
        right_right += right @ right.T
        right_failed += right @ failed.T
        failed_failed += failed @ failed.T
    both, only_first, neither = (counts[i, j] for counts in (right_right, right_failed, failed_failed))
    only_second = right_failed[j, i]
    return PairedCounts(*(plain(np.asarray(count)) for count in (both, only_first, only_second, neither)))


_AT_ONCE = 1 << 16
"""Examples of a matrix product: so many are counted exactly in single precision."""


def _missing(missing: NDArray[np.bool_]) -> InvalidScoresError:
    model, example = np.argwhere(missing)[0]
    return InvalidScoresError(
        f"{np.count_nonzero(missing)} of the values are nan, the first in row {model}, example {example}. Pass "
        "omit_missing=True to count for each pair the examples that both models have."
    )


# --- intervals: examples that only the first and only the second has right, all examples, the normal multiplier ---------------

Limits = tuple[FloatArray, FloatArray]


def _tango(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray, p: FloatArray) -> Limits:
    """Differences at which the score statistic is z and -z; the pair seen from the other side has the mirrored limits."""
    return -_tango_upper(c, b, n, z), _tango_upper(b, c, n, z)


def _tango_upper(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray) -> FloatArray:
    """Newton's method for all pairs at once, to the last digits, within ends that close in as in bisection.

    Beyond the observed difference the statistic falls, so that the limit lies where `at` is z standard errors away from it.
    """
    observed = (b - c) / n
    low, high = observed, np.ones(b.shape)
    at = np.clip(_bonett_price(b, c, n, z, observed)[1], low, high)
    for _ in range(_MOST_STEPS):
        share, slope = _restricted_share(b, c, n, at)
        error, distance = np.sqrt(np.maximum(2 * share + at * (1 - at), 0.0) / n), at - observed
        inside = (distance < z * error) | (distance == 0)
        low, high = np.where(inside, at, low), np.where(inside, high, at)
        change = z * divide(2 * slope + 1 - 2 * at, 2 * n * error) - 1
        step = divide(distance - z * error, change)
        is_last = (np.abs(step) <= _LAST_STEP) & (error > 0)
        at = np.where(is_last | ((at + step > low) & (at + step < high)), at + step, (low + high) / 2)
        if np.all(is_last | (high - low <= _LAST_STEP)):
            break
    return np.asarray(np.clip(at, low, high))


_MOST_STEPS, _LAST_STEP = 60, 4e-16
"""Steps, of which most pairs take six, and bisection to the last digit would take 54; and the size at which they end."""


def _tango_statistic(b: FloatArray, c: FloatArray, n: FloatArray, at: FloatArray) -> FloatArray:
    """Score statistic of [T98]_; 0/0, where the data are exactly as `at` says, is 0."""
    distance = b - c - n * at
    return np.asarray(np.where(distance == 0, 0.0, divide(distance, np.sqrt(n * restricted_variance(b, c, n, at)))))


def restricted_variance(b: FloatArray, c: FloatArray, n: FloatArray, at: FloatArray) -> FloatArray:
    """Variance of one difference of [T98]_ if the true difference is `at`: the restricted estimate, in closed form."""
    share, _ = _restricted_share(b, c, n, at)
    return np.asarray(np.maximum(2 * share + at * (1 - at), 0.0))


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


def _newcombe(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray, p: FloatArray) -> Limits:
    """[N98]_, method 10: Wilson limits of both rates, and phi with the continuity correction of a positive product."""
    first, second = p, p - (b - c) / n
    both = p * n - b
    neither = n - both - b - c
    product = both * neither - b * c
    corrected = np.where(product > n / 2, product - n / 2, np.where(product >= 0, 0.0, product))
    phi = divide(corrected, np.sqrt((both + b) * (c + neither) * (both + c) * (b + neither)))
    phi = np.where(np.isfinite(phi), phi, 0.0)  # a model that is right always, or never
    (low1, high1), (low2, high2) = _wilson(first, n, z), _wilson(second, n, z)
    below = _joined(first - low1, high2 - second, phi)
    above = _joined(second - low2, high1 - first, phi)
    return first - second - below, first - second + above


def _joined(one: FloatArray, other: FloatArray, phi: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(one * one - 2 * phi * one * other + other * other, 0.0)))


def _wilson(p: FloatArray, n: FloatArray, z: FloatArray) -> Limits:
    middle, half = p + z * z / (2 * n), z * np.sqrt(np.maximum(p * (1 - p), 0.0) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return np.maximum((middle - half) / scale, 0.0), np.minimum((middle + half) / scale, 1.0)


def _agresti_min(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray, p: FloatArray) -> Limits:
    return _wald(b + 0.5, c + 0.5, n + 2, z, p)


def _bonett_price(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray, p: FloatArray) -> Limits:
    one, other = (b + 1) / (n + 2), (c + 1) / (n + 2)
    middle, half = one - other, z * np.sqrt((one + other - (one - other) ** 2) / (n + 2))
    return np.maximum(middle - half, -1.0), np.minimum(middle + half, 1.0)


def _wald(b: FloatArray, c: FloatArray, n: FloatArray, z: FloatArray, p: FloatArray) -> Limits:
    middle, half = (b - c) / n, z * _wald_error(b, c, n)
    return middle - half, middle + half


def _wald_error(b: FloatArray, c: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(b + c - (b - c) ** 2 / n, 0.0)) / n)


_INTERVALS = {
    "tango": _tango,
    "newcombe": _newcombe,
    "agresti-min": _agresti_min,
    "bonett-price": _bonett_price,
    "wald": _wald,
}


def _arrays(*values: ArrayLike) -> tuple[FloatArray, ...]:
    try:
        return tuple(np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in values)))
    except (TypeError, ValueError) as error:
        raise InvalidScoresError(f"counts must be numbers, of shapes that go together; {error}.") from None
