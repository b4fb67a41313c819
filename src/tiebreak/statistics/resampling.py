"""Resampling: the bootstrap of any metric, and permutation tests, which take no distribution for granted."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    Alternative,
    FloatArray,
    IntArray,
    Interval,
    blocks,
    check_array,
    check_choice,
    check_count,
    check_probability,
    divide,
    floats,
    generator_of,
    group_codes,
    row_counts,
)
from tiebreak.statistics.rates import proportion_interval

BootstrapMethod = Literal["bca", "percentile", "basic", "normal"]
Ties = Literal["half", "strict"]


class Bootstrap(NamedTuple):
    """Resampled values of a metric.

    Attributes
    ----------
    estimate : float
        The metric on the examples as they are.
    replicates : ndarray of shape (n_rows,)
        Its value on each resample; nan where a resample has none (a single class, say).
    probability : ndarray of shape (n_rows,)
    n_resamples : int
        Number of resamples; of all that are possible where `is_exact`.
    is_exact : bool
        All possible resamples were taken, each row of `replicates` with its `probability`.
    jackknife : ndarray of shape (n_examples,)
        The metric without each example.
    """

    estimate: float
    replicates: FloatArray
    probability: FloatArray
    n_resamples: int
    is_exact: bool
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
        largest = np.abs(d).max()
        if not largest > 1e-12 * abs(self.estimate):
            return 0.0
        return float(((d / largest) ** 3).sum() / (6 * np.square(d / largest).sum() ** 1.5))

    def z0(self, ties: Ties = "half") -> float:
        """Normal quantile of the share of resampled values below the estimate; those equal to it by half, or not ("strict")."""
        check_choice(ties, get_args(Ties), "ties")
        noise = _TIE * max(abs(self.estimate), self._largest())
        below, up_to = (self._average((self.replicates < self.estimate + side).astype(float)) for side in (-noise, noise))
        return float(ndtri((below + up_to) / 2 if ties == "half" else below))

    def bca_shares(self, level: float = 0.95, ties: Ties = "half") -> Interval:
        """Shares of the resampled values at which the limits of the "bca" interval of this level lie."""
        z = self.z0(ties) + np.array([1.0, -1.0]) * ndtri((1 - check_probability(level, "level")) / 2)
        return Interval(*ndtr(self.z0(ties) + divide(z, 1 - self.acceleration * z)))

    def interval(self, level: float = 0.95, method: BootstrapMethod = "bca", *, ties: Ties = "half") -> Interval:
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
        check_choice(method, get_args(BootstrapMethod), "method")
        alpha = 1 - check_probability(level, "level")
        if not self.is_exact and self.n_resamples * alpha < _DRAWS_PER_TAIL:
            raise InvalidParameterError(
                f"{self.n_resamples} resamples are too few for an interval of level {level:g}; pass n_resamples="
                f"{int(np.ceil(_DRAWS_PER_TAIL / alpha))} or more.",
                about="n_resamples",
            )
        has_value = ~np.isnan(self.replicates)
        if np.isnan(self.estimate) or has_value.mean() <= 0.95 or np.ptp(self.replicates[has_value]) <= _TIE * self._largest():
            return Interval(np.asarray(np.nan), np.asarray(np.nan))
        if method == "normal":
            half = ndtri(alpha / 2) * self.standard_error
            return Interval(np.asarray(self.estimate + half), np.asarray(self.estimate - half))
        shares = self.bca_shares(level, ties) if method == "bca" else (alpha / 2, 1 - alpha / 2)
        order = np.argsort(self.replicates)[: np.count_nonzero(has_value)]  # nan last
        cumulative = np.cumsum(self.probability[order])
        places = np.searchsorted(cumulative, np.array(shares) * cumulative[-1] * (1 - 1e-12))
        low, high = self.replicates[order[np.minimum(places, order.size - 1)]]
        return Interval(2 * self.estimate - high, 2 * self.estimate - low) if method == "basic" else Interval(low, high)

    def _average(self, values: FloatArray) -> float:
        has_value = ~np.isnan(self.replicates)
        return float(divide(np.where(has_value, values, 0.0) @ self.probability, has_value @ self.probability))

    def _largest(self) -> float:
        """Size of the resampled values; nan where there are none."""
        return float(np.fmax.reduce(np.abs(self.replicates)))


_TIE = 1e-10
"""Values nearer to each other than this share of their size are equal but for rounding."""
_DRAWS_PER_TAIL, _MOST_ENUMERATED = 20, 400_000
_BLOCK = 200_000
"""Examples drawn at a time."""


def bootstrap(
    function: Callable[..., ArrayLike],
    *columns: ArrayLike,
    n_resamples: int = 9_999,
    exact: bool | None = None,
    rng: int | np.random.Generator = 0,
) -> Bootstrap:
    """Resample examples with replacement, and take a metric of each resample.

    Parameters
    ----------
    function : callable
        The metric of one model, or of the differences of two: of columns of shape (n_rows, n_examples), each row a resample, it
        returns one value for each row, as ``lambda x: x.mean(axis=-1)`` does.
    *columns : array_like of shape (n_examples,)
        What an example has: a score, or a label and a prediction.
    n_resamples : int, default 9,999
    exact : bool, optional
        Take all possible resamples, up to 400,000 but for their order; if not given where these are `n_resamples` at most.
    rng : int or numpy Generator, default 0

    Returns
    -------
    Bootstrap

    Raises
    ------
    InvalidParameterError
        Fewer than one resample, or more possible ones than can be enumerated.
    DataError
        Columns of different lengths, or a function that does not return one number for each row.

    References
    ----------
    .. [E87] B. Efron. Better bootstrap confidence intervals. Journal of the American Statistical Association 82, 1987.
    .. [ET93] B. Efron, R. J. Tibshirani. An introduction to the bootstrap. Chapman & Hall, 1993.

    Examples
    --------
    >>> import tiebreak as tb
    >>> result = tb.statistics.bootstrap(lambda x: x.mean(axis=-1), [0.81, 0.78, 0.84, 0.79, 0.9, 0.83])
    >>> result.is_exact, result.n_resamples, [round(float(limit), 4) for limit in result.interval()]
    (True, 46656, [0.8, 0.865])
    """
    arrays = [np.asarray(column) for column in columns]
    n_resamples, n = check_count(n_resamples, "n_resamples"), arrays[0].size if arrays else 0
    if not n or any(each.shape != (n,) for each in arrays):
        raise DataError(
            f"the bootstrap takes columns of one length, one value for each example; got {[each.shape for each in arrays]}."
        )

    def values(rows: IntArray) -> FloatArray:
        found = floats(function(*(each[rows] for each in arrays)), "what the function returns")
        if found.shape != rows.shape[:1]:
            raise DataError(
                f"the function must return one value for each resample, a row of its arguments; got the shape {found.shape} for "
                f"{len(rows)} rows."
            )
        return found

    most = _MOST_ENUMERATED if exact else n_resamples
    # There are 2 ** (n - 1) or more of them: counted only where that is small, as it takes seconds for 100,000 examples.
    is_few = n <= most.bit_length() and comb(2 * n - 1, n) <= most
    if exact and not is_few:
        raise InvalidParameterError(f"{n} examples have too many resamples to take all of them; leave out exact.", about="exact")
    everyone = np.arange(n)
    if is_few and exact is not False:
        from scipy.stats import multinomial

        rows = np.array(list(combinations_with_replacement(range(n), n)))
        replicates, probability, total = values(rows), multinomial.pmf(row_counts(rows, n), n, np.full(n, 1 / n)), n**n
    else:
        generator = generator_of(rng)
        sizes = (part.stop - part.start for part in blocks(n_resamples, n, most=_BLOCK))
        replicates = np.concatenate([values(generator.integers(0, n, size=(size, n))) for size in sizes])
        probability, total = np.full(n_resamples, 1 / n_resamples), n_resamples
    left_out = (np.array([np.delete(everyone, i) for i in everyone[part]]) for part in blocks(n, n, most=_BLOCK))
    jackknife = np.concatenate([values(rows) for rows in left_out]) if n > 1 else np.full(1, np.nan)
    return Bootstrap(float(values(everyone[None])[0]), replicates, probability, total, total == n**n, jackknife)


# --- permutations ---------------------------------------------------------------------------------------------------------


class Permutations(NamedTuple):
    """A permutation test of one pair of models.

    Attributes
    ----------
    observed : float
        Mean difference, first minus second, in the metric's unit.
    n_permutations : int
        Permutations taken: all there are where `is_exact`.
    count_greater, count_less, count_extreme : int
        Permutations whose difference is at least, at most, and in absolute value at least, the observed one; the observed one
        counts, and so do those that differ from it by rounding only.
    is_exact : bool
    """

    observed: float
    n_permutations: int
    count_greater: int
    count_less: int
    count_extreme: int
    is_exact: bool

    def pvalue(self, alternative: Alternative = "two-sided") -> float:
        """Share of the permutations that are as extreme; for random ones (count + 1) / (n + 1), so that it is never 0."""
        check_choice(alternative, get_args(Alternative), "alternative")
        counts = {"two-sided": self.count_extreme, "greater": self.count_greater, "less": self.count_less}
        count, own = counts[alternative], 0 if self.is_exact else 1
        return (count + own) / (self.n_permutations + own)


def permutation_test_paired(
    differences: ArrayLike, *, n_permutations: int = 9_999, rng: int | np.random.Generator = 0
) -> Permutations:
    """Sign-flip test of paired differences: how often the mean would be as large if coins had said which model is the first.

    Parameters
    ----------
    differences : array_like of shape (n_examples,)
        First model minus second, in the metric's unit. For clustered examples pass the sum of each cluster.
    n_permutations : int, default 9,999
        Drawn where more than 18 differences are not 0; of fewer all choices of signs are counted.
    rng : int or numpy Generator, default 0

    Returns
    -------
    Permutations

    Raises
    ------
    DataError
        No differences, or some that are not finite.

    References
    ----------
    .. [F35] R. A. Fisher. The design of experiments. Oliver & Boyd, 1935, section 21.
    .. [PS10] B. Phipson, G. K. Smyth. Permutation p-values should never be zero. Statistical Applications in Genetics and
       Molecular Biology 9, 2010.

    Examples
    --------
    >>> import tiebreak as tb
    >>> darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    >>> test = tb.statistics.permutation_test_paired(darwin)
    >>> test.count_greater, test.n_permutations, round(test.pvalue(), 4)
    (863, 32768, 0.0527)
    """
    d, n_permutations = check_array(differences, "differences", "n_examples"), check_count(n_permutations, "n_permutations")
    flips, times = d[d != 0], 0
    if flips.size <= _FEW:
        sums, times = np.zeros(1), 2 ** (d.size - flips.size)
        for value in flips:
            sums = np.concatenate([sums + value, sums - value])
    else:
        # a random byte chooses the signs of eight differences, whose 256 sums are in a table
        eights, generator = np.pad(flips, (0, -flips.size % 8)).reshape(-1, 8), generator_of(rng)
        signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
        sums = np.zeros(n_permutations)
        for table in eights @ signs.T:
            sums += table.take(np.frombuffer(generator.bytes(n_permutations), dtype=np.uint8))
    return _counted(sums, float(d.sum()), flips, d.size, times)


def permutation_test_unpaired(
    first: ArrayLike, second: ArrayLike, *, n_permutations: int = 9_999, rng: int | np.random.Generator = 0
) -> Permutations:
    """Test of the difference of two means from test sets that share no example, by ways to deal out the scores.

    Parameters
    ----------
    first, second : array_like of shape (n_first,) and (n_second,)
        Scores of each model, in the metric's unit.
    n_permutations : int, default 9,999
        Drawn where there are more than 200,000 ways, else all are counted.
    rng : int or numpy Generator, default 0

    Returns
    -------
    Permutations

    Raises
    ------
    DataError
        No scores, or some that are not finite.

    References
    ----------
    .. [F35] R. A. Fisher. The design of experiments. Oliver & Boyd, 1935, section 21.
    """
    x, y = check_array(first, "first", "n_first"), check_array(second, "second", "n_second")
    n_permutations, few = check_count(n_permutations, "n_permutations"), min(x.size, y.size)
    pooled = np.concatenate([x, y])
    pooled = pooled - pooled.mean()  # which changes no difference, and keeps the digits
    # There are 2 ** few ways or more: their number is only taken where it is small.
    is_exact = few <= _SOME_WAYS.bit_length() and comb(pooled.size, few) <= _SOME_WAYS
    if is_exact:
        sums = pooled[np.array(list(combinations(range(pooled.size), few)))].sum(axis=1)
    else:
        generator, parts = generator_of(rng), blocks(n_permutations, pooled.size, most=_BLOCK)
        keys = (generator.random((part.stop - part.start, pooled.size), dtype=np.float32) for part in parts)
        sums = np.concatenate([pooled[np.argpartition(each, few - 1, axis=1)[:, :few]].sum(axis=1) for each in keys])
    # the difference of means is the sum of the smaller sample times this, as the pooled sum is 0
    scale = (1.0 if x.size <= y.size else -1.0) * (1 / few + 1 / (pooled.size - few))
    return _counted(sums * scale, float(x.mean() - y.mean()), pooled * scale, 1, int(is_exact))


_FEW, _SOME_WAYS = 18, 200_000


def _counted(sums: FloatArray, observed: float, moved: FloatArray, n: int, times: int) -> Permutations:
    """Counts of permuted sums; each stands for `times` permutations of all, or for 0 where they are random."""
    noise, weight = 1e-11 * float(np.abs(moved).sum()), times or 1
    masks = sums >= observed - noise, sums <= observed + noise, np.abs(sums) >= abs(observed) - noise
    greater, less, extreme = (int(np.count_nonzero(each)) * weight for each in masks)
    return Permutations(observed / n, sums.size * weight, greater, less, extreme, times > 0)


# --- the best of several models --------------------------------------------------------------------------------------------


Score = Callable[[IntArray, IntArray], ArrayLike]
"""Of rows (which may repeat) and of positions of models: a score for each of these models, nan where it is undefined."""

WinnerInterval = Literal["percentile", "exact", "none"]


@dataclass(frozen=True, slots=True)
class WinnerBootstrap:
    """Bootstrap answer about the best model.

    Attributes
    ----------
    winner : int
        The model with the best score over all examples, the first of equally good ones; -1 where no score is defined.
    claim : float
        Its score over all examples.
    mean : float
        Mean over the bootstraps of the out-of-bag score of the model that was best in the bag: the corrected score.
    low, high : float
        Interval of the score that picking the best leads to, on examples like these; `interval` says which one.
    interval : {"percentile", "exact", "none"}
        "percentile": percentiles of the out-of-bag scores. Out-of-bag sets hold about a third of the examples, so it is wider
        than an interval of all examples would be; it knows nothing of other training sets. "exact": where every bootstrap says
        the same and that is all right or all wrong, the percentiles would have no width, and these are the limits of Clopper and
        Pearson for so many examples (or groups). "none": every bootstrap says the same otherwise, and `low` and `high` are nan.
    chosen : ndarray of shape (n_models,)
        Share of the bootstraps in which each model was best; equally good ones share.
    n_resamples : int
        Of those that were drawn, how many have a score.
    n_undefined : int
        How many have none, as the metric is undefined there.
    """

    winner: int
    claim: float
    mean: float
    low: float
    high: float
    interval: WinnerInterval
    chosen: FloatArray
    n_resamples: int
    n_undefined: int


def bootstrap_winner(
    values: ArrayLike,
    *,
    higher_is_better: bool,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    groups: ArrayLike | None = None,
    rng: int = 0,
) -> WinnerBootstrap:
    """Bias-corrected score of the best model, where a score is a mean over examples (BBC-CV).

    Each bootstrap draws examples with replacement, chooses the model with the best mean over those drawn, and scores it on the
    examples that were not drawn. Nothing is fitted again.

    Parameters
    ----------
    values : array_like of shape (n_examples, n_models)
        What each example, predicted by a model that was not trained on it, contributes to the score: 1 or 0 for accuracy, a
        loss. For repeated cross-validation the mean over the repeats.
    higher_is_better : bool
    n_resamples : int
    alpha : float
        1 - coverage of the interval.
    groups : array_like of shape (n_examples,), optional
        Examples of one group are drawn together.
    rng : int

    Returns
    -------
    WinnerBootstrap
        Where models are equally good in a bag, the mean of their out-of-bag scores counts, so that their order does not.

    Raises
    ------
    DataError
        Values that are no table of finite numbers with two examples or groups at least.

    References
    ----------
    .. [TGB18] I. Tsamardinos, E. Greasidou, G. Borboudakis. Bootstrapping the out-of-sample predictions for efficient and
       accurate cross-validation. Machine Learning 107, 2018.
    .. [CP34] C. J. Clopper, E. S. Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial.
       Biometrika 26, 1934.

    Examples
    --------
    >>> right = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [0, 1], [1, 1]])
    >>> result = bootstrap_winner(right, higher_is_better=True)
    >>> round(result.claim, 3), bool(result.mean < result.claim)
    (0.667, True)
    """
    table = check_array(values, "the values", "n_examples, n_models", (2, 1))
    noise, is_binary = RELATIVE_TOLERANCE * float(np.abs(table).max()), bool(np.all((table == 0) | (table == 1)))

    def means(counts: IntArray, _: NDArray[np.bool_]) -> FloatArray:
        return divide(counts.astype(float) @ table, counts.sum(axis=1, keepdims=True))

    return _best_of_bootstraps(
        means,
        *table.shape,
        higher_is_better=higher_is_better,
        n_resamples=n_resamples,
        alpha=alpha,
        groups=groups,
        rng=rng,
        noise=noise,
        is_binary=is_binary,
    )


def bootstrap_winner_by(
    score: Score,
    n_examples: int,
    n_models: int,
    *,
    higher_is_better: bool,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    groups: ArrayLike | None = None,
    rng: int = 0,
) -> WinnerBootstrap:
    """As `bootstrap_winner`, for a score that is no mean over examples, such as an area under the ROC curve.

    Parameters
    ----------
    score : callable
        ``score(rows, models) -> (n,)``: of rows, which may repeat, and positions of models a score for each of these.
    n_examples, n_models : int
    higher_is_better, n_resamples, alpha, groups, rng
        As of `bootstrap_winner`.

    Returns
    -------
    WinnerBootstrap
        A bootstrap in which no model has a score in the bag, or the best one none out of it, is counted as undefined.
    """
    everything = np.arange(check_count(n_examples, "n_examples"))

    def one_by_one(counts: IntArray, wanted: NDArray[np.bool_]) -> FloatArray:
        found = np.full(wanted.shape, np.nan)
        for row, count, models in zip(found, counts, wanted, strict=True):
            if count.any() and models.any():
                row[models] = np.asarray(score(np.repeat(everything, count), np.flatnonzero(models)), dtype=float)
        return found

    return _best_of_bootstraps(
        one_by_one,
        everything.size,
        check_count(n_models, "n_models"),
        higher_is_better=higher_is_better,
        n_resamples=n_resamples,
        alpha=alpha,
        groups=groups,
        rng=rng,
    )


# --- parts ------------------------------------------------------------------------------------------------------------------


def _best_of_bootstraps(
    scored: Callable[[IntArray, NDArray[np.bool_]], FloatArray],
    n_examples: int,
    n_models: int,
    *,
    higher_is_better: bool,
    n_resamples: int,
    alpha: float,
    groups: ArrayLike | None,
    rng: int,
    noise: float = 0.0,
    is_binary: bool = False,
) -> WinnerBootstrap:
    """The answer from scores of rows of counts, how often each example counts, of the models that are wanted of each row."""
    unit, n_units = (np.arange(n_examples), n_examples) if groups is None else group_codes(groups, n_examples, "groups")
    if groups is not None and n_units < 2:
        raise DataError(f"two groups or more are needed; got {n_units}.")
    n_resamples, generator = check_count(n_resamples, "n_resamples"), generator_of(rng, np.random.PCG64)
    sign, everyone = 1.0 if higher_is_better else -1.0, np.ones((1, n_models), dtype=bool)
    found, chosen = [np.empty(0)], np.zeros(n_models)
    for rows in blocks(n_resamples, n_examples):  # how often each unit is drawn
        counts = row_counts(generator.integers(n_units, size=(rows.stop - rows.start, n_units)), n_units)[:, unit]
        is_best = _best(sign * scored(counts, np.repeat(everyone, len(counts), axis=0)), noise)
        share = divide(is_best, is_best.sum(axis=1, keepdims=True))
        values = np.where(is_best, scored((counts == 0).astype(np.int64), is_best) * share, 0.0).sum(axis=1)
        has = is_best.any(axis=1) & ~np.isnan(values)  # with few examples all may have been drawn
        found.append(values[has])
        chosen += share[has].sum(axis=0)
    overall, scores = scored(np.ones((1, n_examples), dtype=np.int64), everyone), np.concatenate(found)
    is_winner = _best(sign * overall, 0.0)[0]
    n, winner = scores.size, int(is_winner.argmax()) if is_winner.any() else -1
    low, high, interval = _interval(scores, check_probability(alpha, "alpha"), n_units if is_binary else 0)
    return WinnerBootstrap(
        winner=winner,
        claim=float(overall[0, winner]),
        mean=float(divide(scores.sum(), n)),
        low=low,
        high=high,
        interval=interval,
        chosen=chosen / max(n, 1),
        n_resamples=n,
        n_undefined=n_resamples - n,
    )


def _best(scores: FloatArray, noise: float) -> NDArray[np.bool_]:
    """Best ones of each row, all that are equally good; none where all are nan."""
    best = np.fmax.reduce(scores, axis=1)[:, None]
    return np.asarray(scores >= best - np.maximum(noise, RELATIVE_TOLERANCE * np.abs(best)))


def _interval(scores: FloatArray, alpha: float, n_binary: int) -> tuple[float, float, WinnerInterval]:
    """Ends of the interval and their kind; scores without spread say nothing of how sure they are."""
    if not scores.size:
        return float("nan"), float("nan"), "none"
    value = float(scores[0])
    if np.any(np.abs(scores - value) > RELATIVE_TOLERANCE * np.abs(scores).max()):
        low, high = np.quantile(scores, [alpha / 2, 1 - alpha / 2])
        return float(low), float(high), "percentile"
    if n_binary and value in (0.0, 1.0):
        low, high = proportion_interval(value * n_binary, n_binary, level=1 - alpha, method="clopper-pearson")
        return float(low), float(high), "exact"
    return float("nan"), float("nan"), "none"
