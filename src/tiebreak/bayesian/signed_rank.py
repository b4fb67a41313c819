"""Bayesian signed-rank test over datasets: a Dirichlet process as prior, drawn in the time that sorting allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.bayesian.sign import check_dataset_differences, check_prior_place, check_prior_strength, rounding_tolerance, usable
from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, IntArray, check_count, check_rope, check_scale, generator_of, plain
from tiebreak.numerics.law import RopeProbabilities


@dataclass(frozen=True, slots=True)
class SignedRankPosterior:
    """Posterior of the chances that the mean of two further datasets' differences lies above, inside or below the rope.

    Attributes
    ----------
    differences : ndarray of shape (..., n_datasets)
    rope, prior_strength, prior_at : float
        As given.
    tolerance : ndarray of shape (...)
        Distance from a limit of the rope, in the metric's unit, up to which a mean of two lies on it and counts half.
    omit_missing : bool
    """

    differences: FloatArray
    rope: float
    prior_strength: float
    prior_at: float
    tolerance: FloatArray
    omit_missing: bool = False

    @property
    def mean(self) -> RopeProbabilities:
        """Posterior mean of the three chances, exact: the probabilities of the three regions for two further datasets."""
        rows = np.array([row.mean() if row else (np.nan,) * 3 for row in self._rows()]).reshape((*self.tolerance.shape, 3))
        return _regions(rows)

    def probabilities(self, *, n_draws: int = 50_000, rng: int = 0) -> RopeProbabilities:
        """Probability that each region is the most probable one of the three, counted over draws.

        Parameters
        ----------
        n_draws : int
            The standard error is at most 0.5 / sqrt(n_draws), 0.0022 for 50,000.
        rng : int
            Seed; the same seed gives the same answer, and the mirrored answer for swapped models.
        """
        n_draws = check_count(n_draws, "n_draws")
        rows = np.array([row.wins(n_draws, rng) if row else (np.nan,) * 3 for row in self._rows()])
        return _regions(rows.reshape((*self.tolerance.shape, 3)))

    def draws(self, n_draws: int = 50_000, rng: int = 0) -> FloatArray:
        """Draws of the three chances of a single row, of shape (n_draws, 3), better first.

        Parameters
        ----------
        n_draws : int
        rng : int
            Seed; the draws are those that `probabilities` counts.
        """
        (row,), n_draws = self._rows(), check_count(n_draws, "n_draws")
        if row is None:
            return np.full((n_draws, 3), np.nan)
        return np.concatenate(list(row.draws(n_draws, rng)), axis=1).T

    def centres(self, n_draws: int = 50_000, rng: int = 0) -> FloatArray:
        """Draws of the centre of the differences, of shape (..., n_draws), in the metric's unit; nan for a row without an answer.

        The centre is the median of the mean of two further datasets' differences, the pseudo-median, whose value for the
        differences as they are is that of Hodges and Lehmann. It is above a point with the probability that more than half of
        these means are.

        Parameters
        ----------
        n_draws : int
        rng : int
            Seed; the same seed gives the same draws, and mirrored ones for swapped models.
        """
        n_draws = check_count(n_draws, "n_draws")
        if not np.isfinite(self.prior_at) and self.prior_strength > 0:
            raise InvalidParameterError(
                f"a centre needs a prior at a finite difference; prior_at is {self.prior_at!r}.", about="prior_at"
            )
        rows = [np.full(n_draws, np.nan) if row is None else row.centres(n_draws, rng) for row in self._rows()]
        return np.reshape(rows, (*self.tolerance.shape, n_draws))

    def _rows(self) -> list[_Row | None]:
        """Each row ready for drawing, or None where it has no answer."""
        n = self.differences.shape[-1]
        present, defined = usable(self.differences, self.omit_missing)
        return [
            _row_of(d[here], self.rope, self.prior_strength, self.prior_at, tolerance) if is_defined else None
            for d, here, tolerance, is_defined in zip(
                self.differences.reshape(-1, n),
                present.reshape(-1, n),
                self.tolerance.reshape(-1),
                defined.reshape(-1),
                strict=True,
            )
        ]


def signed_rank_posterior(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    prior_at: float = 0.0,
    scale: ArrayLike | None = None,
    omit_missing: bool = False,
) -> SignedRankPosterior:
    """Posterior of the signed-rank statistic under a Dirichlet process.

    The distribution F of differences over datasets has the weights w ~ Dirichlet(s, 1, ..., 1) at the prior's pseudo-difference
    and at the differences; with Z and Z' independent from F the chances are those of (Z + Z') / 2 above, inside and below the
    rope [B17]_. A mean of two on a limit of the rope counts half for either side; at rope 0, none is inside.

    Parameters
    ----------
    differences : array_like of shape (..., n_datasets)
        First model minus second, one per dataset, in the metric's unit; positive favours the first.
    rope : float
        Half-width of practical equivalence, in the metric's unit.
    prior_strength : float
        Weight s of the prior, in datasets, at least 0.
    prior_at : float
        Its pseudo-difference, in the metric's unit; -inf and inf lie below and above everything.
    scale, omit_missing
        As in `sign_posterior`.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    TooFewDatasetsError
        No dataset at all.
    InvalidParameterError
        A negative rope or strength.

    References
    ----------
    .. [B14] A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri. A Bayesian Wilcoxon signed-rank test based on the
       Dirichlet process. ICML 2014.
    .. [B17] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017, section 4.2.

    Examples
    --------
    >>> posterior = signed_rank_posterior([0.03, 0.02, -0.01, 0.04, 0.05], rope=0.005)
    >>> [round(float(p), 3) for p in posterior.mean]
    [0.867, 0.063, 0.07]
    >>> [round(float(p), 2) for p in posterior.probabilities()]
    [0.99, 0.0, 0.01]
    """
    d = check_dataset_differences(differences)
    rope, strength, at = check_rope(rope), check_prior_strength(prior_strength), check_prior_place(prior_at)
    present, _ = usable(d, omit_missing)
    tolerance = rounding_tolerance(d, present, check_scale(scale, d.shape[:-1]))
    return SignedRankPosterior(d, rope, strength, at, np.asarray(tolerance), omit_missing)


@dataclass(frozen=True, slots=True)
class _Row:
    """Sorted differences with the prior's, and the places of the limits among them.

    A draw's weight above the rope is sum_i w_i sum_j w_j [d_i + d_j > 2 rope], and the inner sum is over the end of the sorted
    list: a difference of two cumulative sums, whose places are the same in every draw.
    """

    shapes: FloatArray
    """Dirichlet parameters in the order of the differences: 1, and the prior's strength at its place."""
    is_mirrored: bool
    """The models are swapped inside, so that either order of theirs uses the same draws."""
    order: FloatArray
    """The differences with the prior's, the smallest first, mirrored if the row is."""
    tolerance: float
    not_above: Sequence[IntArray]
    """For each difference, how many of the sorted ones do not lift the mean of the two above the rope.

    Two counts, the means on the limit in one of them, where there are such means; the average of the two is meant.
    """
    below: Sequence[IntArray]
    """For each difference, how many of the sorted ones pull the mean of the two below the rope."""

    def chances(self, weights: NDArray[np.floating]) -> FloatArray:
        """Chances above, inside and below for weights of shape (n, n_draws), which need not sum to 1; shape (3, n_draws)."""
        cumulative = np.zeros((weights.shape[0] + 1, weights.shape[1]), dtype=weights.dtype)
        np.cumsum(weights, axis=0, out=cumulative[1:])
        total = cumulative[-1]
        not_above, below = (
            sum(np.einsum("ij,ij->j", weights, cumulative[counts]) for counts in both) / (len(both) * np.square(total))
            for both in (self.not_above, self.below)
        )
        return np.stack([1 - not_above, not_above - below, below])

    def mean(self) -> tuple[float, ...]:
        """Expected chances, by E[w_i w_j] = a_i a_j / (A (A + 1)), and a_i (a_i + 1) for i = j."""
        total = self.shapes.sum()
        above, inside, below = self.chances(self.shapes[:, None])[:, 0] * total**2
        i = np.arange(self.shapes.size)
        up = self.shapes @ np.mean([i >= counts for counts in self.not_above], axis=0)
        down = self.shapes @ np.mean([i < counts for counts in self.below], axis=0)
        above, inside, below = above + up, inside + total - up - down, below + down
        values = np.maximum(np.array([above, inside, below]), 0.0) / (total * (total + 1))
        return tuple((values[::-1] if self.is_mirrored else values).tolist())

    def weights(self, n_draws: int, rng: int, least: int = 32) -> Iterator[NDArray[np.float32]]:
        """Weights of shape (n, block), at least so many draws at a time; over their sum they have the Dirichlet distribution."""
        generator = generator_of(rng, np.random.PCG64)
        n, prior = self.shapes.size, np.flatnonzero(self.shapes != 1)
        block = max(least, _BLOCK // n)
        for start in range(0, n_draws, block):
            weights = generator.standard_exponential((n, min(block, n_draws - start)), dtype=np.float32)
            if prior.size:
                weights[prior[0]] = generator.standard_gamma(self.shapes[prior[0]], weights.shape[1], dtype=np.float32)
            yield weights

    def draws(self, n_draws: int, rng: int) -> Iterator[FloatArray]:
        """Chances of shape (3, block), better first, one block after the other."""
        for weights in self.weights(n_draws, rng):
            chances = self.chances(weights)
            yield chances[::-1] if self.is_mirrored else chances

    def centres(self, n_draws: int, rng: int) -> FloatArray:
        """The weighted median of the means of two in each draw of the weights."""
        found = np.concatenate(
            [_Centres(self.order, weights, self.tolerance).found() for weights in self.weights(n_draws, rng, least=_TOGETHER)]
        )
        return -found if self.is_mirrored else found

    def wins(self, n_draws: int, rng: int) -> FloatArray:
        """Share of draws in which each region has the largest chance; equal ones share a draw."""
        total = np.zeros(3)
        for chances in self.draws(n_draws, rng):
            is_best = chances >= chances.max(axis=0) - _EQUAL
            total += (is_best / is_best.sum(axis=0)).sum(axis=1)
        return np.asarray(total / n_draws)


def _row_of(d: FloatArray, rope: float, strength: float, at: float, tolerance: float) -> _Row:
    """Sort once, and find the limits once."""
    order = np.sort(d)
    unlike = np.flatnonzero(order != -order[::-1])
    is_mirrored = bool(unlike.size and order[unlike[0]] > -order[::-1][unlike[0]])
    if is_mirrored:
        order, at = -order[::-1], -at
    shapes = np.ones(order.size)
    if strength > 0:
        place = np.searchsorted(order, at)
        order, shapes = np.insert(order, place, at), np.insert(shapes, place, strength)
    # the mean of two is above the limit where d_j > 2 rope - d_i; what is within the rounding of it counts half
    with np.errstate(invalid="ignore"):
        upper, lower = 2 * rope - order, -2 * rope - order
    counts = [
        (np.searchsorted(order, limit - 2 * tolerance, "left"), np.searchsorted(order, limit + 2 * tolerance, "right"))
        for limit in (upper, lower)
    ]
    not_above, below = ([fewer] if np.array_equal(fewer, more) else [fewer, more] for fewer, more in counts)
    return _Row(shapes, is_mirrored, order, tolerance, not_above, below)


class _Bracket(NamedTuple):
    """Draws whose centre is among some means: those of each value with partners from `start` on and before `end`."""

    draws: IntArray
    start: IntArray
    end: IntArray


class _Centres:
    """Weighted medians of the means of two sorted values, for weights of shape (n, n_draws) by draw.

    Draws whose medians lie between the same two means are handled together: the weight up to one of the means in between, and up
    to the one before it, tells which draws go on to either side and which have found theirs. Where few means are left, they are
    put in order, and the weights of all are added up.
    """

    def __init__(self, order: FloatArray, weights: NDArray[np.float32], tolerance: float) -> None:
        self.order, self.weights, self.noise = order, weights, 2.0 * tolerance
        self.cumulative = np.zeros((order.size + 1, weights.shape[1]), dtype=weights.dtype)
        np.cumsum(weights, axis=0, out=self.cumulative[1:])
        self.half = np.square(self.cumulative[-1]) / 2

    def found(self) -> FloatArray:
        """The medians."""
        n, n_draws = self.weights.shape
        waiting = [_Bracket(np.arange(n_draws), np.zeros(n, dtype=np.intp), np.full(n, n))]
        medians = np.empty(n_draws)
        while waiting:
            bracket = waiting.pop()
            first = np.maximum(bracket.start, np.arange(n))  # each pair once
            n_means = np.maximum(bracket.end - first, 0)
            if n_means.sum() <= max(_FEW_MEANS, n):
                medians[bracket.draws] = self._in_order(bracket, first, n_means)
            else:
                limit, is_found, parts = self._halves(bracket, first, n_means)
                medians[is_found] = limit / 2
                waiting += [each for each in parts if each.draws.size]
        return medians

    def _weight_up_to(self, counts: IntArray, draws: IntArray) -> FloatArray:
        """Weight of the means that each value has with so many of the smallest ones."""
        return np.asarray(np.einsum("ij,ij->j", self.weights[:, draws], self.cumulative[counts[:, None], draws]))

    def _in_order(self, bracket: _Bracket, first: IntArray, n_means: IntArray) -> FloatArray:
        one = np.repeat(np.arange(first.size), n_means)
        other = np.arange(one.size) + np.repeat(first - (np.cumsum(n_means) - n_means), n_means)
        sums = self.order[one] + self.order[other]
        rank = np.argsort(sums)
        one, other = one[rank], other[rank]
        draws = bracket.draws
        twice = np.where(one == other, 1, 2).astype(self.weights.dtype)[:, None]
        grown = np.cumsum(twice * self.weights[one[:, None], draws] * self.weights[other[:, None], draws], axis=0)
        is_reached = grown >= self.half[draws] - self._weight_up_to(bracket.start, draws)
        at = np.where(is_reached[-1], is_reached.argmax(axis=0), one.size - 1)  # the last, where rounding hides it
        return np.asarray(sums[rank][at] / 2)

    def _halves(self, bracket: _Bracket, first: IntArray, n_means: IntArray) -> tuple[float, IntArray, list[_Bracket]]:
        """A sum of two in the middle, the draws whose median it is, and the others below and above it."""
        order, draws = self.order, bracket.draws
        middles = order + order[np.minimum((first + bracket.end) // 2, order.size - 1)]
        by_size = np.argsort(middles)
        limit = float(middles[by_size][np.searchsorted(np.cumsum(n_means[by_size]), n_means.sum() / 2)])
        before = np.clip(np.searchsorted(order, limit - self.noise - order, "left"), bracket.start, bracket.end)
        after = np.clip(np.searchsorted(order, limit + self.noise - order, "right"), bracket.start, bracket.end)
        is_above = self._weight_up_to(after, draws) < self.half[draws]
        rest = draws[~is_above]
        is_below = self._weight_up_to(before, rest) >= self.half[rest]
        parts = [_Bracket(rest[is_below], bracket.start, before), _Bracket(draws[is_above], after, bracket.end)]
        return limit, rest[~is_below], parts


def _regions(rows: FloatArray) -> RopeProbabilities:
    better, equivalent, worse = np.moveaxis(rows, -1, 0)
    return RopeProbabilities(plain(better), plain(equivalent), plain(worse))


_BLOCK = 150_000
"""Numbers drawn at a time; with their sums they stay in the cache of a core."""

_TOGETHER = 4096
"""Draws whose centres are found together, at least."""

_FEW_MEANS = 200
"""Means of two that are put in order at once."""

_EQUAL = 1e-5
"""Chances that are this close are equal: they are drawn in single precision."""
