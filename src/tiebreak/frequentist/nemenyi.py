"""Nemenyi's test of average ranks: critical difference, p-values, groups not told apart, and its dependence on the pool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist.friedman import check_average_ranks, rank_models, rank_standard_error
from tiebreak.numerics import SMALLEST_PVALUE, FloatArray, IntArray, check_count, check_number, check_probability

RankTest = Literal["nemenyi", "bonferroni-dunn"]


@dataclass(frozen=True, slots=True)
class NemenyiResult:
    """Differences of average ranks of all pairs, judged together.

    Attributes
    ----------
    average_ranks : ndarray of shape (n_models,)
        1 is the best.
    n_datasets : int
    standard_error : float
        Of the difference of two average ranks.
    pvalues : ndarray of shape (n_models, n_models)
        Of each pair, allowing for all pairs; 1 on the diagonal.
    """

    average_ranks: FloatArray
    n_datasets: int
    standard_error: float
    pvalues: FloatArray

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Smallest difference of average ranks that is told apart."""
        return critical_difference(self.average_ranks.size, self.n_datasets, alpha)

    def cliques(self, alpha: float = 0.05) -> list[tuple[int, ...]]:
        """Largest groups of two or more models whose average ranks span no more than the critical difference.

        The group of the best model is the first; within a group the models are in the order of the table.
        """
        return rank_cliques(self.average_ranks, self.critical_difference(alpha))


def nemenyi_test(average_ranks: ArrayLike, n_datasets: int) -> NemenyiResult:
    """Nemenyi's test of all pairs of average ranks, by the studentized range.

    The verdict on two models depends on which others are in the table, as these move both average ranks and the critical
    difference: see `nemenyi_pool`. `wilcoxon` compares two models by themselves.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        As of `average_ranks`; 1 is the best.
    n_datasets : int

    Returns
    -------
    NemenyiResult

    Raises
    ------
    InvalidScoresError
        Ranks that do not add up to n_models (n_models + 1) / 2, or fewer than two models.

    References
    ----------
    .. [N63] P. Nemenyi. Distribution-free multiple comparisons. PhD thesis, Princeton University, 1963.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
    .. [BCM16] A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17, 2016.

    Examples
    --------
    >>> result = nemenyi_test([2.1, 3.25, 2.2, 4.3333333, 3.1166667], 30)
    >>> round(result.critical_difference(0.05), 3), result.cliques(0.05)
    (1.114, [(0, 2, 4), (1, 2, 4), (1, 3)])
    """
    ranks = check_average_ranks(average_ranks)
    if ranks.ndim != 1:
        raise InvalidScoresError(f"the average ranks of one table have one axis; got the shape {ranks.shape}.")
    error = rank_standard_error(ranks.size, check_count(n_datasets, "n_datasets", 2))
    span = np.abs(ranks[:, None] - ranks) / error * np.sqrt(2)
    pvalues = np.maximum(range_tail(span.ravel(), ranks.size).reshape(span.shape), SMALLEST_PVALUE)
    np.fill_diagonal(pvalues, 1.0)
    return NemenyiResult(ranks, int(n_datasets), error, pvalues)


def rank_quantile(n_models: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf) -> float:
    """Multiplier q of the standard error of a difference of average ranks.

    Parameters
    ----------
    n_models : int
    alpha : float, default 0.05
    test : {"nemenyi", "bonferroni-dunn"}
        "nemenyi" for all pairs: the quantile of the studentized range over the square root of 2. "bonferroni-dunn" for a control
        and each of the others: the normal quantile at alpha / (2 (n_models - 1)).
    df : float, default infinite
        Degrees of freedom of the studentized range. The test has infinitely many; some software takes n_models (n_datasets - 1).

    Examples
    --------
    >>> round(rank_quantile(5), 3), round(rank_quantile(5, test="bonferroni-dunn"), 3)
    (2.728, 2.498)
    """
    k, alpha = check_count(n_models, "n_models", 2), check_probability(alpha, "alpha")
    if test == "bonferroni-dunn":
        from scipy.special import ndtri

        return float(-ndtri(alpha / (2 * (k - 1))))
    if test != "nemenyi":
        raise InvalidParameterError(f"test must be 'nemenyi' or 'bonferroni-dunn'; got {test!r}.")
    if not check_number(df, "df", 0) > 0:
        raise InvalidParameterError(f"df must be above 0; got {df!r}.")
    return _range_quantile(k, alpha, float(df)) / 2**0.5


def critical_difference(
    n_models: int, n_datasets: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf
) -> float:
    """Smallest difference of average ranks that is told apart: `rank_quantile` times sqrt(k (k + 1) / (6 n)).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demsar 2006, section 3.2.2, with alpha 0.05
    1.25
    """
    n = check_count(n_datasets, "n_datasets", 2)
    return rank_quantile(n_models, alpha, test=test, df=df) * rank_standard_error(n_models, n)


def rank_cliques(average_ranks: ArrayLike, span: float) -> list[tuple[int, ...]]:
    """Largest groups of two or more models whose average ranks differ by `span` at most, as lines of a diagram join them.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
    span : float

    Returns
    -------
    list of tuple of int
        Positions, rising within a group; the group that begins with the best rank is the first.
    """
    ranks = np.asarray(average_ranks, dtype=float)
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    ends = np.searchsorted(ordered, ordered + span * (1 + 1e-12), side="right")
    groups, reached = [], 0
    for start, end in enumerate(ends.tolist()):
        if end > reached and end - start > 1:
            groups.append(tuple(sorted(order[start:end].tolist())))
        reached = max(reached, end)
    return groups


# --- the pool ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NemenyiPool:
    """Verdicts of Nemenyi's test on each pair, over all tables that hold the pair and any of the other models.

    Attributes
    ----------
    first, second : ndarray of int
        The pairs (0, 1), (0, 2), ..., by the positions of their models.
    verdict : ndarray of int
        With all models: 1 where the first is told to be better, -1 where the second is, 0 where they are not told apart.
    can_be_first, can_be_tied, can_be_second : ndarray of bool
        Whether some table has this verdict.
    flips_without : ndarray of bool, of shape (n_pairs, n_models)
        Whether leaving out this one model alone changes the verdict.
    """

    first: IntArray
    second: IntArray
    verdict: IntArray
    can_be_first: NDArray[np.bool_]
    can_be_tied: NDArray[np.bool_]
    can_be_second: NDArray[np.bool_]
    flips_without: NDArray[np.bool_]

    @property
    def depends(self) -> NDArray[np.bool_]:
        """Pairs with more than one possible verdict."""
        return np.asarray(self.can_be_first.astype(int) + self.can_be_tied + self.can_be_second > 1)


def nemenyi_pool(
    scores: ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True, scale: ArrayLike | None = None
) -> NemenyiPool:
    """Find the pairs whose verdict by Nemenyi's test depends on which other models are in the table.

    All subsets of the other models are covered exactly, without trying each. The difference of two average ranks is a term of the
    pair's own and a sum over the others of how much more often each beats the one than the other; so for each number of others
    its extremes are sums of the largest and of the smallest terms.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_models)
        Complete.
    alpha : float, default 0.05
    higher_is_better : bool, default True
    scale : array_like of shape (n_datasets,), optional
        As for `rank_models`.

    Returns
    -------
    NemenyiPool

    Raises
    ------
    InvalidScoresError
        A score that is missing or infinite, or fewer than two models or datasets.

    References
    ----------
    .. [BCM16] A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17, 2016.
    """
    ranks = rank_models(scores, higher_is_better=higher_is_better, scale=scale)
    if ranks.ndim != 2 or np.isnan(ranks).any() or min(ranks.shape) < 2:
        raise InvalidScoresError("a complete table of two datasets and two models or more is needed.")
    n, k = ranks.shape
    # losses[l, i]: twice the datasets on which l beats i, ties counted once; whole numbers, so that sums are exact
    losses = np.zeros((k, k), dtype=np.int64)
    for row in ranks:
        losses += np.sign(row - row[:, None]).astype(np.int64) + 1
    np.fill_diagonal(losses, 0)
    first, second = np.triu_indices(k, 1)
    own = (losses[second, first] - losses[first, second]).astype(float)
    terms = (losses[:, first] - losses[:, second]).T  # (n_pairs, n_models), of which two are not of others
    is_other = np.ones(terms.shape, dtype=bool)
    pairs = np.arange(first.size)
    is_other[pairs, first] = is_other[pairs, second] = False
    others = terms[is_other].reshape(first.size, k - 2)
    limits = np.array([2 * n * critical_difference(size, n, alpha) for size in range(2, k + 1)]) * (1 + 1e-12)
    rising = np.sort(others, axis=1)
    nothing = np.zeros((first.size, 1))
    low = own[:, None] + np.concatenate([nothing, np.cumsum(rising, axis=1)], axis=1)
    high = own[:, None] + np.concatenate([nothing, np.cumsum(rising[:, ::-1], axis=1)], axis=1)
    can_be_first, can_be_second = low < -limits, high > limits  # a small average rank is good
    touches = (low <= limits) & (high >= -limits)
    # by exchanging one model for another the sum goes from one extreme to the other; small steps cannot jump over the middle
    step = rising[:, -1] - rising[:, 0] if k > 2 else np.zeros(first.size)
    is_sure = ((low >= -limits) | (high <= limits) | (step[:, None] <= 2 * limits)) & touches
    can_be_tied = is_sure.any(axis=1)
    for pair in np.flatnonzero(touches.any(axis=1) & ~can_be_tied).tolist():
        can_be_tied[pair] = _reaches_middle(others[pair], own[pair], limits)
    total = own + others.sum(axis=1)
    without = total[:, None] - np.where(is_other, terms, 0)
    verdict = _told(total, limits[-1])
    fewer = _told(without, limits[-2]) if k > 2 else np.broadcast_to(verdict[:, None], without.shape)
    flips = (fewer != verdict[:, None]) & is_other
    return NemenyiPool(first, second, verdict, can_be_first.any(axis=1), can_be_tied, can_be_second.any(axis=1), flips)


def _told(difference: FloatArray, limit: float) -> IntArray:
    return np.where(difference < -limit, 1, np.where(difference > limit, -1, 0))


def _reaches_middle(terms: IntArray, own: float, limits: FloatArray) -> bool:
    """True where the own term and some of the others add up to a value that is not told apart, by all sums of each number.

    A set of whole numbers is one large number, whose bit b stands for b less the sum of all negative terms.
    """
    offset = int(-terms[terms < 0].sum())
    reached = [1 << offset, *([0] * terms.size)]
    for term in terms.tolist():
        for count in range(terms.size, 0, -1):
            before = reached[count - 1]
            reached[count] |= before << term if term >= 0 else before >> -term
    for sums, limit in zip(reached, limits.tolist(), strict=True):
        low, high = int(np.ceil(-limit - own)) + offset, int(np.floor(limit - own)) + offset
        if high >= 0 and (sums >> max(low, 0)) & ((1 << (high - max(low, 0) + 1)) - 1):
            return True
    return False


# --- the studentized range --------------------------------------------------------------------------------------------------


def range_tail(q: FloatArray, k: int) -> FloatArray:
    """P(range of k normal values > q), by Gauss-Legendre quadrature over the largest value.

    The largest is at z, the others are at most z and not all above z - q: k phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - q))^(k-1)).
    """
    from scipy.special import ndtr

    z, weight = _nodes()
    below = ndtr(z)
    density = k * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * weight
    out = []
    for part in np.array_split(np.asarray(q, dtype=float), max(1, q.size // 4096)):
        share = np.minimum(ndtr(z - part[:, None]) / below, 1.0)
        with np.errstate(divide="ignore"):
            lost = -np.expm1((k - 1) * np.log1p(-share))
        out.append((density * below ** (k - 1) * lost).sum(axis=1))
    return np.asarray(np.minimum(np.concatenate(out), 1.0))


@lru_cache(maxsize=1)
def _nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(400)
    reach = 18.0  # the largest of any number of values is below it, and so is what a difference of 37 leaves
    return nodes * reach, weights * reach


@lru_cache(maxsize=4096)
def _range_quantile(k: int, alpha: float, df: float) -> float:
    if np.isfinite(df):
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(1 - alpha, k, df))
    from scipy.optimize import brentq

    return float(brentq(lambda q: float(range_tail(np.array([q]), k)[0]) - alpha, 0.0, 40.0, xtol=1e-13, rtol=1e-14))
