"""The bootstrap over examples: intervals for any metric of one model, or of the differences of two on the same examples.

A resample is a number for each example, of how often it was drawn. Metrics that are sums over examples are a matrix product with
these numbers; for ranking metrics the examples are sorted once, and only the numbers change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import (
    FloatArray,
    IntArray,
    Interval,
    check_count,
    check_probability,
    divide,
    floats,
    generator_of,
    positive_examples,
)

BootstrapMethod = Literal["bca", "percentile", "basic", "normal"]
Ties = Literal["half", "strict"]
Resampling = Literal["auto", "exact", "random"]


class Statistic(Protocol):
    """A metric of weighted examples."""

    @property
    def n_examples(self) -> int:
        """Number of examples that the counts are of."""

    def at(self, counts: IntArray) -> FloatArray:
        """Value for each row of counts, of shape (n_rows, n_examples): an array of shape (..., n_rows)."""

    def without(self, groups: IntArray, n_groups: int) -> FloatArray:
        """Value without each group of examples, of shape (..., n_groups)."""


@dataclass(frozen=True, slots=True)
class BootstrapResult:
    """Resampled values of a metric.

    Attributes
    ----------
    estimate : float
        The metric on the examples as they are.
    replicates : ndarray of shape (n_rows,)
        Its value on each resample; nan where a resample has none (a single class, say).
    n_resamples : int
        Number of resamples; of all that are possible where `is_exact`.
    is_exact : bool
        All possible resamples were taken, each row of `replicates` with its `probability`.
    probability : ndarray of shape (n_rows,)
    jackknife : ndarray of shape (n_examples,)
        The metric without each example.
    """

    estimate: float
    replicates: FloatArray
    n_resamples: int
    is_exact: bool
    probability: FloatArray
    jackknife: FloatArray

    @property
    def mean(self) -> float:
        """Mean of the resampled values."""
        return self._average(self.replicates)

    @property
    def standard_error(self) -> float:
        """Standard deviation of the resampled values."""
        n = np.count_nonzero(~np.isnan(self.replicates))
        factor = 1.0 if self.is_exact else divide(n, n - 1)
        return float(np.sqrt(self._average(np.square(self.replicates - self.mean)) * factor))

    @property
    def acceleration(self) -> float:
        """Skewness of the jackknife over six: how fast the standard error changes with the metric."""
        d = self.jackknife.mean() - self.jackknife
        if np.abs(d).max() <= 1e-12 * max(abs(self.estimate), 1e-300):
            return 0.0
        d = d / np.abs(d).max()
        return float((d**3).sum() / (6 * (d**2).sum() ** 1.5))

    def z0(self, ties: Ties = "half") -> float:
        """Normal quantile of the share of resampled values below the estimate; those equal to it by half, or not ("strict")."""
        from scipy.special import ndtri

        if ties not in get_args(Ties):
            raise InvalidParameterError(f"ties must be 'half' or 'strict'; got {ties!r}.", about="ties")
        tolerance = _TIE * max(abs(self.estimate), self._largest())
        below = self._average((self.replicates < self.estimate - tolerance).astype(float))
        equal = self._average((np.abs(self.replicates - self.estimate) <= tolerance).astype(float))
        return float(ndtri(below + (equal / 2 if ties == "half" else 0.0)))

    def bca_tails(self, level: float = 0.95, ties: Ties = "half") -> Interval:
        """Shares of the resampled values at which the limits of the "bca" interval of this level lie."""
        from scipy.special import ndtr, ndtri

        alpha = (1 - check_probability(level, "level")) / 2
        z0, a = self.z0(ties), self.acceleration
        ends = (z0 + divide(z0 + z, 1 - a * (z0 + z)) for z in (ndtri(alpha), -ndtri(alpha)))
        return Interval(*(ndtr(end) for end in ends))

    def confidence_interval(self, level: float = 0.95, method: BootstrapMethod = "bca", *, ties: Ties = "half") -> Interval:
        """Two-sided interval.

        Parameters
        ----------
        level : float, default 0.95
            Coverage, between 0 and 1. Random resamples must be 20 / (1 - level) or more, or the limits are noise.
        method : {"bca", "percentile", "basic", "normal"}
            "bca" moves the quantiles for bias and skewness, "percentile" takes them as they are, "basic" reflects them at
            the estimate, "normal" is ``estimate +- z se``. A quantile is the smallest value whose cumulative share reaches it.
        ties : {"half", "strict"}
            For "bca": how resampled values equal to the estimate count, see `z0`.

        Returns
        -------
        Interval
            nan where the resampled values are all the same, and where one in twenty of the resamples or more has no value.
        """
        if method not in get_args(BootstrapMethod):
            raise InvalidParameterError(
                f"unknown method {method!r}; choose one of {', '.join(map(repr, get_args(BootstrapMethod)))}.", about="method"
            )
        alpha = (1 - check_probability(level, "level")) / 2
        if not self.is_exact and self.n_resamples * 2 * alpha < _DRAWS_PER_TAIL:
            raise InvalidParameterError(
                f"{self.n_resamples} resamples are too few for an interval of level {level:g}; pass n_resamples="
                f"{int(np.ceil(_DRAWS_PER_TAIL / (2 * alpha)))} or more.",
                about="n_resamples",
            )
        spread = np.fmax.reduce(self.replicates) - np.fmin.reduce(self.replicates)
        is_flat = not spread > _TIE * self._largest()
        if is_flat or np.isnan(self.replicates).mean() >= _MOST_UNDEFINED or np.isnan(self.estimate):
            return Interval(np.asarray(np.nan), np.asarray(np.nan))
        if method == "normal":
            from scipy.special import ndtri

            half = -ndtri(alpha) * self.standard_error
            low, high = self.estimate - half, self.estimate + half
        elif method == "bca":
            low, high = map(self.quantile, self.bca_tails(level, ties))
        else:
            low, high = self.quantile(alpha), self.quantile(1 - alpha)
            if method == "basic":
                low, high = 2 * self.estimate - high, 2 * self.estimate - low
        return Interval(np.asarray(low), np.asarray(high))

    def quantile(self, share: ArrayLike) -> float:
        """Smallest resampled value whose cumulative probability reaches the share."""
        defined = ~np.isnan(self.replicates)
        order = np.argsort(self.replicates[defined])
        cumulative = np.cumsum(self.probability[defined][order])
        position = np.searchsorted(cumulative, np.asarray(share) * cumulative[-1] * (1 - 1e-12))
        return float(self.replicates[defined][order][min(int(position), order.size - 1)])

    def _average(self, values: FloatArray) -> float:
        defined = ~np.isnan(self.replicates)
        return float(divide(np.where(defined, values, 0.0) @ self.probability, defined @ self.probability))

    def _largest(self) -> float:
        """Size of the resampled values; nan where there are none."""
        return float(np.fmax.reduce(np.abs(self.replicates)))


_TIE = 1e-10
"""Values nearer to each other than this share of their size are equal but for rounding."""
_DRAWS_PER_TAIL = 20
_MOST_UNDEFINED = 0.05


def bootstrap_metric(
    statistic: Statistic,
    *,
    n_resamples: int = 9_999,
    resampling: Resampling = "auto",
    rng: int | np.random.Generator = 0,
) -> BootstrapResult:
    """Resample examples with replacement, and take a metric of each resample.

    Parameters
    ----------
    statistic : Statistic
        A metric of weighted examples, of one model or of the differences of two: `bootstrap_mean`, `bootstrap_auc`,
        `bootstrap_sums` and `bootstrap_function` make them.
    n_resamples : int, default 9,999
    resampling : {"auto", "exact", "random"}
        "exact" takes all possible resamples, "auto" does so where they are fewer than `n_resamples` but for their order.
    rng : int or numpy Generator, default 0

    Returns
    -------
    BootstrapResult

    Raises
    ------
    InvalidParameterError
        Fewer than one resample, or more possible ones than can be enumerated.
    InvalidScoresError
        The metric of several models at once.

    References
    ----------
    .. [E87] B. Efron. Better bootstrap confidence intervals. Journal of the American Statistical Association 82, 1987.
    .. [ET93] B. Efron, R. J. Tibshirani. An introduction to the bootstrap. Chapman & Hall, 1993.

    Examples
    --------
    >>> import tiebreak as tb
    >>> metric = tb.frequentist.bootstrap_mean([0.81, 0.78, 0.84, 0.79, 0.9, 0.83])
    >>> result = tb.frequentist.bootstrap_metric(metric)
    >>> result.is_exact, result.n_resamples, [round(float(limit), 4) for limit in result.confidence_interval()]
    (True, 46656, [0.8, 0.865])
    """
    n, n_resamples = statistic.n_examples, check_count(n_resamples, "n_resamples")
    if resampling not in get_args(Resampling):
        raise InvalidParameterError(f"resampling must be 'auto', 'exact' or 'random'; got {resampling!r}.", about="resampling")
    estimate = statistic.at(np.ones((1, n), dtype=np.int64))[..., 0]
    if np.ndim(estimate):
        raise InvalidScoresError(
            f"the bootstrap takes the metric of one model, or of the differences of two; got {np.size(estimate)} rows."
        )
    most = _MOST_ENUMERATED if resampling == "exact" else n_resamples
    # There are 2 ** (n - 1) or more of them: counted only where that is small, as it takes seconds for 100,000 examples.
    is_exact = resampling != "random" and n <= most.bit_length() and comb(2 * n - 1, n) <= most
    if resampling == "exact" and not is_exact:
        raise InvalidParameterError(
            f"{n} examples have too many resamples to take all of them; use resampling='random'.", about="resampling"
        )
    if is_exact:
        counts, probability = _all_resamples(n)
        replicates, total = statistic.at(counts), n**n
    else:
        replicates = np.concatenate([statistic.at(rows) for rows in _resamples(generator_of(rng), n_resamples, n)])
        probability, total = np.full(n_resamples, 1 / n_resamples), n_resamples
    return BootstrapResult(float(estimate), replicates, total, is_exact, probability, statistic.without(np.arange(n), n))


_MOST_ENUMERATED = 400_000
_BLOCK = 200_000
"""Counts handled at a time."""


def _resamples(rng: np.random.Generator, n_resamples: int, n: int) -> Iterator[IntArray]:
    """Counts of the examples, in blocks of resamples."""
    step = max(1, _BLOCK // n)
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        drawn = rng.integers(0, n, size=(rows, n)) + np.arange(rows)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def _all_resamples(n: int) -> tuple[IntArray, FloatArray]:
    """Counts of all resamples but for their order, and the probability of each: multinomial."""
    from scipy.special import gammaln

    rows = np.array(list(combinations_with_replacement(range(n), n)))
    offset = np.arange(rows.shape[0])[:, None] * n
    counts = np.bincount((rows + offset).ravel(), minlength=rows.shape[0] * n).reshape(-1, n)
    return counts, np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) - n * np.log(n))


# --- metrics of weighted examples -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MetricOfSums:
    """A metric that is a function of sums over examples: means, rates, F1, errors, correlations.

    Attributes
    ----------
    columns : ndarray or sparse array of scipy, of shape (n_examples, n_models * n_columns)
        The columns of each model follow one another.
    function : callable
        From sums of shape (..., n_columns) to values of shape (...).
    shape : tuple of int
        Of the models.
    """

    columns: Any
    function: Callable[[FloatArray], FloatArray]
    shape: tuple[int, ...]

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.columns.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of sums that a value is made of."""
        return int(self.columns.shape[1]) // int(np.prod(self.shape))

    def at(self, counts: IntArray) -> FloatArray:
        """Value for each row of counts."""
        return self.of(counts.astype(float) @ self.columns)

    def without(self, groups: IntArray, n_groups: int) -> FloatArray:
        """Value without each group of examples."""
        from scipy.sparse import csr_array

        whole, n = np.asarray(self.columns.sum(axis=0)), groups.size
        of_group = csr_array((np.ones(n), (groups, np.arange(n))), shape=(n_groups, n))
        step, blocks = max(1, 10 * _BLOCK // whole.size), []
        for start in range(0, n_groups, step):
            sums = of_group[start : start + step] @ self.columns
            blocks.append(self.of(whole - (sums if isinstance(sums, np.ndarray) else sums.toarray())))
        return np.concatenate(blocks, axis=-1)

    def of(self, sums: FloatArray) -> FloatArray:
        """Values of sums of shape (n_rows, n_models * n_columns), of shape (..., n_rows)."""
        n_models = int(np.prod(self.shape))
        split = sums.reshape(sums.shape[0], n_models, -1)
        return np.moveaxis(np.asarray(self.function(split)), 0, -1).reshape((*self.shape, sums.shape[0]))


def bootstrap_mean(values: ArrayLike) -> Statistic:
    """Mean of a score, or of a difference of scores, for `bootstrap_metric`.

    Parameters
    ----------
    values : array_like of shape (..., n_examples)
    """
    rows = _finite(values)
    return bootstrap_sums(np.stack([rows, np.ones(rows.shape)], axis=-1), lambda sums: divide(sums[..., 0], sums[..., 1]))


def bootstrap_sums(columns: ArrayLike, function: Callable[[FloatArray], FloatArray]) -> Statistic:
    """A metric that is a function of sums over examples, for `bootstrap_metric`.

    Parameters
    ----------
    columns : array_like of shape (..., n_examples, n_columns)
        Numbers to be summed, such as 1, error and squared error of each example.
    function : callable
        From sums of shape (..., n_columns) to values of shape (...).
    """
    table = _finite(columns)
    if table.ndim < 2:
        raise InvalidScoresError(f"columns must be of shape (..., n_examples, n_columns); got the shape {table.shape}.")
    shape, n = table.shape[:-2], table.shape[-2]
    return MetricOfSums(np.moveaxis(table, -2, 0).reshape(n, -1), function, shape)


@dataclass(frozen=True, slots=True)
class _Function:
    columns: tuple[FloatArray, ...]
    function: Callable[..., float]

    @property
    def n_examples(self) -> int:
        return len(self.columns[0])

    def at(self, counts: IntArray) -> FloatArray:
        rows = (np.repeat(np.arange(self.n_examples), row.astype(np.int64)) for row in counts)
        return np.array([float(self.function(*(column[row] for column in self.columns))) for row in rows])

    def without(self, groups: IntArray, n_groups: int) -> FloatArray:
        return _left_out(self, groups, n_groups)


def bootstrap_function(function: Callable[..., float], *columns: ArrayLike) -> Statistic:
    """Any metric of columns of examples, for `bootstrap_metric`: called once for each resample, and without each example.

    Parameters
    ----------
    function : callable
        Called with the resampled columns, such as a metric of scikit-learn with ``y_true`` and ``y_pred``.
    *columns : array_like of shape (n_examples, ...)
    """
    arrays = tuple(np.asarray(column) for column in columns)
    if not arrays or len({len(column) for column in arrays}) != 1:
        raise InvalidScoresError(f"all columns need the same number of examples; got {[len(column) for column in arrays]}.")
    return _Function(arrays, function)


def _left_out(statistic: Statistic, groups: IntArray, n_groups: int) -> FloatArray:
    step = max(1, _BLOCK // groups.size)
    blocks = [np.arange(start, min(start + step, n_groups)) for start in range(0, n_groups, step)]
    return np.concatenate([statistic.at((groups != block[:, None]).astype(np.int64)) for block in blocks], axis=-1)


@dataclass(frozen=True, slots=True)
class _Auc:
    """Areas under ROC curves: the examples sorted once for each model, and only their counts change."""

    positive: NDArray[np.bool_]
    scores: FloatArray  # (n_models, n_examples)
    shape: tuple[int, ...]

    @property
    def n_examples(self) -> int:
        return int(self.positive.size)

    def at(self, counts: IntArray) -> FloatArray:
        positives, negatives = counts[:, self.positive], counts[:, ~self.positive]
        n_pairs = positives.sum(axis=1) * negatives.sum(axis=1)
        found = np.empty((self.scores.shape[0], counts.shape[0]))
        for model, row in enumerate(self.scores):
            order = np.argsort(row[~self.positive])
            drawn_to = np.concatenate([np.zeros((counts.shape[0], 1)), np.cumsum(negatives[:, order], axis=1)], axis=1)
            below, up_to = (row[~self.positive][order].searchsorted(row[self.positive], side) for side in ("left", "right"))
            won = np.einsum("ij,ij->i", positives, drawn_to[:, below] + drawn_to[:, up_to])  # ties count half
            found[model] = divide(won / 2, n_pairs)
        return found.reshape((*self.shape, counts.shape[0]))

    def without(self, groups: IntArray, n_groups: int) -> FloatArray:
        """From the pairs that each example is in; those within a left-out cluster are counted once."""
        if n_groups < groups.size:
            return _left_out(self, groups, n_groups)
        n_positive = int(self.positive.sum())
        n_negative = self.positive.size - n_positive
        pairs = np.where(self.positive, (n_positive - 1) * n_negative, n_positive * (n_negative - 1))
        found = np.empty(self.scores.shape)
        for model, row in enumerate(self.scores):
            won = _pairs_won(row, self.positive)
            found[model] = divide(won[self.positive].sum() - won, pairs)
        back = np.empty_like(found)
        back[:, groups] = found
        return back.reshape((*self.shape, n_groups))


def _pairs_won(row: FloatArray, positive: NDArray[np.bool_]) -> FloatArray:
    """Pairs in the right order that each example is in, ties by half."""
    won = np.empty(row.size)
    for mine, sign in ((positive, 1), (~positive, -1)):
        others = np.sort(sign * row[~mine])
        own = sign * row[mine]
        won[mine] = (others.searchsorted(own) + others.searchsorted(own, "right")) / 2
    return won


def bootstrap_auc(is_positive: ArrayLike, scores: ArrayLike) -> Statistic:
    """Area under the ROC curve, of one model or several on the same examples, for `bootstrap_metric`.

    Parameters
    ----------
    is_positive : array_like of shape (n_examples,)
        True or False, 1 or 0, or 1 or -1.
    scores : array_like of shape (..., n_examples)
        The higher, the more the model is for "positive".
    """
    truth, values = positive_examples(is_positive), _finite(scores)
    if truth.ndim != 1 or values.shape[-1] != truth.size:
        raise InvalidScoresError(
            f"is_positive has the shape {truth.shape} and scores {values.shape}; one score for each example."
        )
    rows = values.reshape(-1, truth.size)
    return _Auc(truth, rows, values.shape[:-1])


def _finite(values: ArrayLike) -> FloatArray:
    found = floats(values, "values")
    if found.ndim == 0 or found.size == 0 or not np.isfinite(found).all():
        raise InvalidScoresError("the bootstrap needs finite values, one for each example; leave out examples that have none.")
    return found
