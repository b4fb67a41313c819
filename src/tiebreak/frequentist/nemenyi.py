"""Nemenyi's test of average ranks: critical difference, p-values and groups not told apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist.friedman import check_average_ranks, rank_standard_error
from tiebreak.numerics import SMALLEST_PVALUE, FloatArray, check_count, check_number, check_probability

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
    difference. `wilcoxon` compares two models by themselves.

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
