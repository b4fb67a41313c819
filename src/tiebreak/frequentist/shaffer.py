"""Corrections that know how the hypotheses of all pairs hang together: Shaffer's static one, and that of Bergmann and Hommel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, check_count

MOST_MODELS = 9
"""Models for which Bergmann and Hommel's correction is made: nine have 21,147 partitions, ten five times as many."""


def shaffer_sets(n_models: int) -> tuple[int, ...]:
    """Numbers of pairs that can be alike at the same time, in rising order.

    If two of three models are alike, and two others too, all three are: of three models none, one or all three pairs are alike.

    Parameters
    ----------
    n_models : int

    References
    ----------
    .. [S86] J. P. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.

    Examples
    --------
    >>> shaffer_sets(5)
    (0, 1, 2, 3, 4, 6, 10)
    """
    return _sets(check_count(n_models, "n_models", 0))


@lru_cache(maxsize=256)
def _sets(n_models: int) -> tuple[int, ...]:
    sets: list[set[int]] = [{0}]
    for k in range(1, n_models + 1):  # j models alike, and the k - j others in any way
        sets.append({j * (j - 1) // 2 + rest for j in range(1, k + 1) for rest in sets[k - j]})
    return tuple(sorted(sets[-1]))


def models_of_pairs(n_pairs: int) -> int:
    """Number of models that have so many pairs; an error where no number has."""
    k = (1 + int(np.sqrt(8 * n_pairs + 1))) // 2
    if k * (k - 1) // 2 != n_pairs:
        raise InvalidParameterError(
            f"this correction is for all pairs of models, which are 1, 3, 6, 10, ...; got {n_pairs} p-values. For pairs with "
            "one model only, use 'holm'.",
            about="correction",
        )
    return k


def shaffer_multipliers(n_pairs: int) -> FloatArray:
    """For each p-value in rising order the largest number of pairs that can be alike when those before it are not."""
    sets = np.array(shaffer_sets(models_of_pairs(n_pairs)))
    left = np.arange(n_pairs, 0, -1)
    return sets[np.searchsorted(sets, left, side="right") - 1].astype(float)


def bergmann_hommel(pvalues: ArrayLike) -> FloatArray:
    """Adjusted p-values of all pairs of up to nine models by the correction of Bergmann and Hommel.

    A set of pairs is exhaustive if they can be alike while all others are not. A pair is rejected unless it is in an exhaustive
    set whose smallest p-value is above alpha over the size of the set. That keeps the chance of any wrong rejection and rejects
    whatever Shaffer's correction does, and more.

    Parameters
    ----------
    pvalues : array_like of shape (n_models (n_models - 1) / 2,)
        Of the pairs (0, 1), (0, 2), ..., (1, 2), ... in this order. A nan counts as 1 and stays nan.

    Returns
    -------
    ndarray
        In the order given, at most 1.

    Raises
    ------
    InvalidParameterError
        More than nine models, a number of p-values that is none of all pairs, or a p-value outside [0, 1].

    References
    ----------
    .. [BH88] B. Bergmann, G. Hommel. Improvements of general multiple test procedures for redundant systems of hypotheses. In
       Multiple Hypotheses Testing, Springer, 1988.
    .. [GH08] S. Garcia, F. Herrera. An extension on "Statistical comparisons of classifiers over multiple data sets" for all
       pairwise comparisons. JMLR 9, 2008.

    Examples
    --------
    >>> bergmann_hommel([0.00131, 0.00269, 0.30793, 0.18076, 0.16228, 0.36847]).round(5).tolist()
    [0.00786, 0.00807, 0.36152, 0.48684, 0.48684, 0.48684]
    """
    p = np.asarray(pvalues, dtype=float)
    if p.ndim != 1 or np.any((p < 0) | (p > 1)):
        raise InvalidParameterError(f"the p-values of all pairs lie between 0 and 1, on one axis; got {pvalues!r}.")
    k = models_of_pairs(p.size)
    if k > MOST_MODELS:
        raise InvalidParameterError(f"this correction takes {MOST_MODELS} models at most; got {k}. Use 'shaffer'.")
    complete = np.where(np.isnan(p), 1.0, p)
    members = _exhaustive_sets(k)
    smallest = np.where(members, complete, np.inf).min(axis=1)
    bound = members.sum(axis=1) * smallest
    adjusted = np.minimum(np.where(members, bound[:, None], 0.0).max(axis=0), 1.0)
    return np.where(np.isnan(p), np.nan, adjusted)


@lru_cache(maxsize=16)
def _exhaustive_sets(k: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """For each partition of the models into groups of equals, but that of all alone, which pairs are within a group."""
    first, second = np.triu_indices(k, 1)
    groups = np.array(list(_partitions(k)))
    members = groups[:, first] == groups[:, second]
    return np.asarray(members[members.any(axis=1)])


def _partitions(k: int) -> Iterator[tuple[int, ...]]:
    """Number of the group of each model, for every partition once; groups are numbered as they come."""
    if k == 0:
        yield ()
        return
    for part in _partitions(k - 1):
        for group in range(max(part, default=-1) + 2):
            yield (*part, group)
