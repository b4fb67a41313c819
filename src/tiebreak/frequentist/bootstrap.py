"""The bootstrap over examples: intervals for any metric, for one model or the difference of two on the same examples.

A resample is a number for each example, of how often it was drawn. Metrics that are sums over examples are a matrix product with
these numbers; for ranking metrics the examples are sorted once, and only the numbers change. All models of one call share the
resamples, so differences are paired and the models' joint distribution is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Literal, NamedTuple, Protocol, get_args

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
    group_codes,
    plain,
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
    """Resampled values of a metric; arrays of the leading shape of the models, or single numbers.

    Attributes
    ----------
    estimate : ndarray or float
        The metric on the examples as they are.
    replicates : ndarray of shape (..., n_rows)
        Its value on each resample, in the same order for all models; nan where a resample has none (a single class, say).
    n_resamples : int
        Number of resamples; of all that are possible where `is_exact`.
    is_exact : bool
        All possible resamples were taken, each row of `replicates` with its `probability`.
    probability : ndarray of shape (n_rows,)
    jackknife : ndarray of shape (..., n_groups)
        The metric without each example, or without each cluster.
    """

    estimate: FloatArray
    replicates: FloatArray
    n_resamples: int
    is_exact: bool
    probability: FloatArray
    jackknife: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean of the resampled values."""
        return plain(self._average(self.replicates))

    @property
    def standard_error(self) -> FloatArray:
        """Standard deviation of the resampled values."""
        centred = np.square(self.replicates - np.asarray(self.mean)[..., None])
        n = np.count_nonzero(~np.isnan(self.replicates), axis=-1)
        factor = 1.0 if self.is_exact else divide(n, n - 1)
        return plain(np.sqrt(self._average(centred) * factor))

    @property
    def acceleration(self) -> FloatArray:
        """Skewness of the jackknife over six: how fast the standard error changes with the metric."""
        d = self.jackknife.mean(axis=-1, keepdims=True) - self.jackknife
        size = np.abs(d).max(axis=-1, keepdims=True)
        flat = size <= 1e-12 * np.maximum(np.abs(np.asarray(self.estimate))[..., None], 1e-300)
        d = np.where(flat, 0.0, divide(d, size))
        value = divide((d**3).sum(axis=-1), 6 * (d**2).sum(axis=-1) ** 1.5)
        return plain(np.where(flat[..., 0], 0.0, value))

    def z0(self, ties: Ties = "half") -> FloatArray:
        """Normal quantile of the share of resampled values below the estimate; those equal to it by half, or not ("strict")."""
        from scipy.special import ndtri

        if ties not in get_args(Ties):
            raise InvalidParameterError(f"ties must be 'half' or 'strict'; got {ties!r}.", about="ties")
        estimate = np.asarray(self.estimate)[..., None]
        tolerance = _TIE * np.maximum(np.abs(estimate), self._largest()[..., None])
        below = self._average((self.replicates < estimate - tolerance).astype(float))
        equal = self._average((np.abs(self.replicates - estimate) <= tolerance).astype(float))
        return plain(ndtri(below + (equal / 2 if ties == "half" else 0.0)))

    def bca_tails(self, level: float = 0.95, ties: Ties = "half") -> Interval:
        """Shares of the resampled values at which the limits of the "bca" interval of this level lie."""
        from scipy.special import ndtr, ndtri

        alpha = (1 - check_probability(level, "level")) / 2
        z0, a = np.asarray(self.z0(ties)), np.asarray(self.acceleration)
        ends = (z0 + divide(z0 + z, 1 - a * (z0 + z)) for z in (ndtri(alpha), -ndtri(alpha)))
        return Interval(*(plain(ndtr(end)) for end in ends))

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
        estimate = np.asarray(self.estimate)
        if method == "normal":
            from scipy.special import ndtri

            half = -ndtri(alpha) * np.asarray(self.standard_error)
            low, high = estimate - half, estimate + half
        elif method == "bca":
            low, high = (self.quantile(end) for end in self.bca_tails(level, ties))
        else:
            low, high = self.quantile(alpha), self.quantile(1 - alpha)
            if method == "basic":
                low, high = 2 * estimate - high, 2 * estimate - low
        undefined = self._is_flat() | (np.isnan(self.replicates).mean(axis=-1) >= _MOST_UNDEFINED) | np.isnan(estimate)
        return Interval(*(plain(np.where(undefined, np.nan, end)) for end in (low, high)))

    def quantile(self, share: ArrayLike) -> FloatArray:
        """Smallest resampled value whose cumulative probability reaches the share."""
        shares = np.broadcast_to(np.asarray(share, dtype=float), self.replicates.shape[:-1])
        found = np.empty(shares.shape)
        for at in np.ndindex(shares.shape):
            values = self.replicates[at]
            defined = ~np.isnan(values)
            order = np.argsort(values[defined])
            cumulative = np.cumsum(self.probability[defined][order])
            if not cumulative.size or np.isnan(shares[at]):
                found[at] = np.nan
                continue
            position = np.searchsorted(cumulative, shares[at] * cumulative[-1] * (1 - 1e-12))
            found[at] = values[defined][order][min(position, order.size - 1)]
        return plain(found)

    def difference(self, first: ArrayLike = 0, second: ArrayLike = 1) -> BootstrapResult:
        """Differences between pairs of models, of the same resamples.

        Parameters
        ----------
        first, second : int or array_like of int
            Rows of the models of each pair; positive favours the first.
        """
        i, j = np.asarray(first), np.asarray(second)
        estimate = np.asarray(self.estimate)
        if estimate.ndim != 1:
            raise InvalidParameterError("differences need the metric of several models, one a row.", about="first")
        rows = (values[i] - values[j] for values in (estimate, self.replicates, self.jackknife))
        difference, replicates, jackknife = rows
        return BootstrapResult(plain(difference), replicates, self.n_resamples, self.is_exact, self.probability, jackknife)

    def p_best(self) -> FloatArray:
        """Share of the resamples in which each model has the highest value; equal ones share it."""
        values = self.replicates[:, ~np.isnan(self.replicates).any(axis=0)]
        best = values == values.max(axis=0)
        probability = self.probability[~np.isnan(self.replicates).any(axis=0)]
        return np.asarray((best / best.sum(axis=0)) @ probability / probability.sum())

    def _average(self, values: FloatArray) -> FloatArray:
        defined = ~np.isnan(self.replicates)
        weight = self.probability * defined
        return divide((np.where(defined, values, 0.0) * weight).sum(axis=-1), weight.sum(axis=-1))

    def _is_flat(self) -> NDArray[np.bool_]:
        spread = np.fmax.reduce(self.replicates, axis=-1) - np.fmin.reduce(self.replicates, axis=-1)
        return np.asarray(spread <= _TIE * self._largest())

    def _largest(self) -> FloatArray:
        """Size of the resampled values; nan where there are none."""
        return np.asarray(np.fmax.reduce(np.abs(self.replicates), axis=-1))


_TIE = 1e-10
"""Values nearer to each other than this share of their size are equal but for rounding."""
_DRAWS_PER_TAIL = 20
_MOST_UNDEFINED = 0.05


def bootstrap_metric(
    statistic: Statistic,
    *,
    n_resamples: int = 9_999,
    clusters: Sequence[object] | ArrayLike | None = None,
    strata: Sequence[object] | ArrayLike | None = None,
    resampling: Resampling = "auto",
    rng: int | np.random.Generator = 0,
) -> BootstrapResult:
    """Resample examples with replacement, and take a metric of each resample.

    Parameters
    ----------
    statistic : Statistic
        A metric of weighted examples: `bootstrap_mean`, `bootstrap_median`, `bootstrap_auc`, `bootstrap_sums` and
        `bootstrap_function` make them.
    n_resamples : int, default 9,999
    clusters : sequence of length n_examples, optional
        Draw whole clusters.
    strata : sequence of length n_examples, optional
        Draw within each stratum as many examples, or clusters, as it has. A cluster lies in one stratum.
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

    References
    ----------
    .. [E87] B. Efron. Better bootstrap confidence intervals. Journal of the American Statistical Association 82, 1987.
    .. [ET93] B. Efron, R. J. Tibshirani. An introduction to the bootstrap. Chapman & Hall, 1993.

    Examples
    --------
    >>> import tiebreak as tb
    >>> metric = tb.frequentist.bootstrap_mean([0.81, 0.78, 0.84, 0.79, 0.9, 0.83])
    >>> result = tb.frequentist.bootstrap_metric(metric)
    >>> result.is_exact, result.n_resamples, [round(limit, 4) for limit in result.confidence_interval()]
    (True, 46656, [0.8, 0.865])
    """
    n = statistic.n_examples
    n_resamples = check_count(n_resamples, "n_resamples")
    if resampling not in get_args(Resampling):
        raise InvalidParameterError(f"resampling must be 'auto', 'exact' or 'random'; got {resampling!r}.", about="resampling")
    groups, n_groups = _numbered(clusters, n, "clusters")
    blocks = _strata(strata, groups, n, n_groups)
    most = _MOST_ENUMERATED if resampling == "exact" else n_resamples
    # There are 2 ** (n_groups - 1) or more of them: counted only where that is small, as it takes seconds for 100,000 groups.
    enumerable = len(blocks) == 1 and n_groups <= most.bit_length() and comb(2 * n_groups - 1, n_groups) <= most
    if resampling == "exact" and not enumerable:
        what = "strata have" if len(blocks) > 1 else f"{n_groups} examples or clusters have"
        raise InvalidParameterError(
            f"{what} too many resamples to take all of them; use resampling='random'.", about="resampling"
        )
    ones = np.ones((1, n), dtype=np.int64)
    estimate, jackknife = statistic.at(ones)[..., 0], statistic.without(groups, n_groups)
    if enumerable and resampling != "random":
        counts, probability = _all_resamples(n_groups)
        total = n_groups**n_groups
        replicates = statistic.at(counts[:, groups])
    else:
        generator = generator_of(rng)
        rows = _resamples(generator, n_resamples, groups, n_groups, blocks)
        replicates, total = np.concatenate([statistic.at(row) for row in rows], axis=-1), n_resamples
        probability = np.full(total, 1 / total)
    is_exact = enumerable and resampling != "random"
    return BootstrapResult(plain(estimate), replicates, total, is_exact, probability, jackknife)


_MOST_ENUMERATED = 400_000
_BLOCK = 200_000
"""Counts handled at a time."""


def _resamples(
    rng: np.random.Generator, n_resamples: int, groups: IntArray, n_groups: int, blocks: list[IntArray]
) -> Iterator[IntArray]:
    """Counts of the examples, in blocks of resamples."""
    step = max(1, _BLOCK // max(groups.size, n_groups))
    alone = n_groups == groups.size and bool((groups == np.arange(n_groups)).all())
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        counts = np.empty((rows, n_groups if len(blocks) > 1 else 0), dtype=np.int64)
        for block in blocks:
            drawn = rng.integers(0, block.size, size=(rows, block.size))
            drawn += np.arange(rows)[:, None] * block.size
            of_block = np.bincount(drawn.ravel(), minlength=rows * block.size).reshape(rows, block.size)
            if len(blocks) == 1:
                counts = of_block
            else:
                counts[:, block] = of_block
        yield counts if alone else counts[:, groups]


def _all_resamples(n: int) -> tuple[IntArray, FloatArray]:
    """Counts of all resamples but for their order, and the probability of each: multinomial."""
    from scipy.special import gammaln

    rows = np.array(list(combinations_with_replacement(range(n), n)))
    offset = np.arange(rows.shape[0])[:, None] * n
    counts = np.bincount((rows + offset).ravel(), minlength=rows.shape[0] * n).reshape(-1, n)
    return counts, np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) - n * np.log(n))


def _numbered(names: Sequence[object] | ArrayLike | None, n: int, what: str) -> tuple[IntArray, int]:
    return (np.arange(n), n) if names is None else group_codes(names, n, what)


def _strata(strata: Sequence[object] | ArrayLike | None, groups: IntArray, n: int, n_groups: int) -> list[IntArray]:
    """Groups of each stratum."""
    if strata is None:
        return [np.arange(n_groups)]
    codes, n_strata = _numbered(strata, n, "strata")
    own = np.full(n_groups, -1)
    own[groups] = codes
    if np.any(own[groups] != codes):
        raise InvalidScoresError("a cluster lies in two strata; draw clusters, or strata whose clusters lie in one of them each.")
    return [np.flatnonzero(own == stratum) for stratum in range(n_strata)]


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
    strata : ndarray of int, of shape (n_examples,), optional
        Class of each example, where examples are of classes.
    """

    columns: Any
    function: Callable[[FloatArray], FloatArray]
    shape: tuple[int, ...]
    strata: IntArray | None = None

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
class _Median:
    values: FloatArray  # (..., n_examples)
    order: IntArray  # of the values, ascending

    @property
    def n_examples(self) -> int:
        return int(self.values.shape[-1])

    def at(self, counts: IntArray) -> FloatArray:
        found = np.empty((*self.values.shape[:-1], counts.shape[0]))
        for at in np.ndindex(self.values.shape[:-1]):
            order = self.order[at]
            up_to, ordered = np.cumsum(counts[:, order], axis=1), self.values[at][order]
            total = up_to[:, -1:]
            low, high = ((up_to < total / 2).sum(axis=1), (up_to <= total / 2).sum(axis=1))
            last = order.size - 1
            found[at] = (ordered[np.minimum(low, last)] + ordered[np.minimum(high, last)]) / 2
        return found

    def without(self, groups: IntArray, n_groups: int) -> FloatArray:
        return _left_out(self, groups, n_groups)


def bootstrap_median(values: ArrayLike) -> Statistic:
    """Median, for `bootstrap_metric`; its "bca" interval is rough, as it is no smooth function of the examples."""
    checked = _finite(values)
    return _Median(checked, np.argsort(checked, axis=-1))


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


class _Sorted(NamedTuple):
    """The examples in the order of one model's scores."""

    negatives: IntArray  # rows of the negative examples, ascending by score
    positives: IntArray  # rows of the positive ones, likewise
    below: IntArray  # for each positive one, the number of negative ones with a lower score
    up_to: IntArray | None  # and with a lower score or the same; None where no two are the same


@dataclass(frozen=True, slots=True)
class _Auc:
    """Areas under ROC curves: the examples sorted once for each model, and only their counts change."""

    positive: NDArray[np.bool_]
    scores: FloatArray  # (n_models, n_examples)
    shape: tuple[int, ...]
    sorted: list[_Sorted]

    @property
    def n_examples(self) -> int:
        return int(self.positive.size)

    def at(self, counts: IntArray) -> FloatArray:
        found = np.empty((self.scores.shape[0], counts.shape[0]))
        drawn_to = np.zeros(self.positive.size - int(self.positive.sum()) + 1, dtype=counts.dtype)
        for sample, row in enumerate(counts):
            for model, (negatives, positives, below, up_to) in enumerate(self.sorted):
                np.cumsum(row.take(negatives), out=drawn_to[1:])
                drawn = row.take(positives)
                won = drawn_to.take(below)  # drawn negatives below each positive; ties count half
                twice = 2 * int(drawn.dot(won)) if up_to is None else int(drawn.dot(won + drawn_to.take(up_to)))
                n_pairs = int(drawn.sum()) * int(drawn_to[-1])
                found[model, sample] = twice / (2 * n_pairs) if n_pairs else np.nan
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


def _sorted(row: FloatArray, positive: NDArray[np.bool_]) -> _Sorted:
    order = np.argsort(row)
    labels = positive[order]
    negatives, positives = order[~labels], order[labels]
    of_negative, of_positive = row[negatives], row[positives]
    below, up_to = of_negative.searchsorted(of_positive), of_negative.searchsorted(of_positive, "right")
    return _Sorted(negatives, positives, below, None if np.array_equal(below, up_to) else up_to)


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
    return _Auc(truth, rows, values.shape[:-1], [_sorted(row, truth) for row in rows])


def _finite(values: ArrayLike) -> FloatArray:
    found = floats(values, "values")
    if found.ndim == 0 or found.size == 0 or not np.isfinite(found).all():
        raise InvalidScoresError("the bootstrap needs finite values, one for each example; leave out examples that have none.")
    return found
