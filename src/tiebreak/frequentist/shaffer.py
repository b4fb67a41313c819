"""Numbers of pairs that can be alike at once, which Shaffer's static correction counts by."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, check_count


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
