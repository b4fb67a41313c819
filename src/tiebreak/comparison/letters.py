"""Compact letter display: models that share a letter are not told apart."""

import string

import numpy as np
from numpy.typing import NDArray

MOST_LETTERED = 40
"""Models up to which letters are shown; beyond, nobody can read them."""


def compact_letters(differs: NDArray[np.bool_]) -> list[str]:
    """Letters of each model: two models share one exactly where they are not told apart.

    Groups are grown along the ranking until every such pair is in one, and those that add nothing are swept.

    Parameters
    ----------
    differs : ndarray of bool, shape (n_models, n_models)
        Symmetric, the best model first.

    Returns
    -------
    list of str
        "a" for the group of the best model, "ab" for a model in two groups. Groups beyond the 52nd are numbered: "(53)".

    References
    ----------
    .. [P04] H.-P. Piepho. An algorithm for a letter-based representation of all-pairwise comparisons. Journal of Computational
       and Graphical Statistics 13, 2004.
    """
    n_models = len(differs)
    groups: list[list[int]] = []
    together = np.zeros(differs.shape, dtype=bool)
    for one in range(n_models):
        for other in range(one, n_models):
            if differs[one, other] or together[one, other]:
                continue
            group = [one, other] if other > one else [one]
            for model in range(n_models):
                if model not in group and not differs[model, group].any():
                    group.append(model)
            groups.append(sorted(group))
            together[np.ix_(group, group)] = True
    groups = sorted(_swept(groups))
    signs = [*string.ascii_letters, *(f"({number})" for number in range(53, len(groups) + 1))]
    return ["".join(sign for sign, group in zip(signs, groups, strict=False) if model in group) for model in range(n_models)]


def _swept(groups: list[list[int]]) -> list[list[int]]:
    """Groups without those all of whose pairs stand together in others."""
    counts: dict[tuple[int, int], int] = {}
    pairs = [[(one, other) for one in group for other in group if one <= other] for group in groups]
    for pair in (pair for each in pairs for pair in each):
        counts[pair] = counts.get(pair, 0) + 1
    kept = []
    for group, each in zip(groups, pairs, strict=True):
        if all(counts[pair] > 1 for pair in each):
            for pair in each:
                counts[pair] -= 1
        else:
            kept.append(group)
    return kept
