"""Walsh averages, the means of all pairs of values, in order: the estimate of Hodges and Lehmann, and ends of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics import FloatArray, IntArray, check_differences, plain

MOST_AT_ONCE = 300
"""Values of a row up to which all its Walsh averages are made, 45,150 of them; of longer rows only those near the wanted."""

_BLOCK = 250_000
"""Walsh averages that are held at once: larger blocks leave the cache of a processor."""


def hodges_lehmann(differences: ArrayLike) -> FloatArray:
    """Median of the means of all pairs of values, each with itself included: the centre that goes with the signed-rank test.

    It lies where as much speaks for a larger difference as for a smaller one. A few extreme values hardly move it.

    Parameters
    ----------
    differences : array_like of shape (..., n_units)
        First model minus second, one for each dataset, in the metric's unit; a nan is left out of its row.

    Returns
    -------
    ndarray of shape (...)
        In the metric's unit; nan for a row without values, or with an infinite one.

    References
    ----------
    .. [HL63] J. L. Hodges, E. L. Lehmann. Estimates of location based on rank tests. Annals of Mathematical Statistics 34, 1963.

    Examples
    --------
    >>> hodges_lehmann([1.0, 2.0, 6.0])
    2.75
    """
    d = check_differences(differences, min_splits=1, unit="dataset")
    rows = d.reshape(-1, d.shape[-1])
    n = np.count_nonzero(~np.isnan(rows), axis=1)
    total = n * (n + 1) // 2
    middle = walsh_order_statistics(rows, np.stack([(total - 1) // 2, total // 2], axis=1))
    return plain(middle.mean(axis=1).reshape(d.shape[:-1]))


def walsh_order_statistics(rows: FloatArray, ranks: IntArray) -> FloatArray:
    """Walsh averages of each row by their rank, counted from 0, the smallest first.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n)
        nan is left out.
    ranks : ndarray of shape (n_rows, n_ranks)
        Ranks below 0 give -inf, those beyond the last inf.

    Returns
    -------
    ndarray of shape (n_rows, n_ranks)
        nan for rows with an infinite value.
    """
    step = max(1, 4 * _BLOCK // rows.shape[1])
    found = [_order_statistics(rows[at : at + step], ranks[at : at + step]) for at in range(0, max(len(rows), 1), step)]
    return np.concatenate(found)


def _order_statistics(rows: FloatArray, ranks: IntArray) -> FloatArray:
    ordered = np.sort(rows, axis=1)  # nan last
    n = np.count_nonzero(~np.isnan(ordered), axis=1)
    total = n * (n + 1) // 2
    found = np.where(ranks < 0, -np.inf, np.inf)
    is_inside = (ranks >= 0) & (ranks < total[:, None])
    is_finite = ~np.isinf(ordered).any(axis=1) & (n > 0)
    key = np.concatenate([n[:, None], np.where(is_inside, ranks, -1)], axis=1)
    kinds, kind = np.unique(key, axis=0, return_inverse=True)
    for number, (size, *wanted) in enumerate(kinds.tolist()):
        columns = [column for column, rank in enumerate(wanted) if rank >= 0]
        mine = np.flatnonzero((kind.ravel() == number) & is_finite)
        if columns and mine.size:
            inside = sorted({wanted[column] for column in columns})
            values = _of_ranks(ordered[mine, :size], inside)
            for column in columns:
                found[mine, column] = values[:, inside.index(wanted[column])]
    found[~is_finite] = np.nan
    return found


def _of_ranks(ordered: FloatArray, ranks: list[int]) -> FloatArray:
    """Walsh averages at rising ranks, the same for all of some complete rows of one length in rising order."""
    n_rows, n = ordered.shape
    if n > MOST_AT_ONCE:
        return np.array([_near_ranks(row, ranks) for row in ordered])
    kept, n_below = _candidates(n, ranks[0], ranks[-1])
    n_averages = sum(end - first for first, end in kept)
    inside = [rank - n_below for rank in ranks]
    step = max(1, _BLOCK // n_averages)
    found = np.empty((n_rows, len(ranks)))
    for start in range(0, n_rows, step):
        block = np.ascontiguousarray(ordered[start : start + step].T)  # what is added then lies side by side
        averages, at = np.empty((n_averages, block.shape[1])), 0
        for lag, (first, end) in enumerate(kept):
            np.add(block[first:end], block[first + lag : end + lag], out=averages[at : at + end - first])
            at += end - first
        _select(np.ascontiguousarray(averages.T), inside, 0, found[start : start + step], 0)
    return found / 2


@lru_cache(maxsize=64)
def _candidates(n: int, lowest: int, highest: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Range of i, for each lag, in which the average of values i and i + lag may have one of these ranks; how many lie below.

    Of values in rising order an average is at least as large as all those of two values that are no larger: it has so many below
    it. Likewise above it.
    """
    kept, n_below = [], 0
    for lag in range(n):
        i, j = np.arange(n - lag), np.arange(lag, n)
        fewest_below = (i + 1) * (j + 1) - i * (i + 1) // 2 - 1
        fewest_above = fewest_below[::-1]  # the same read from the other end
        is_below = n * (n + 1) // 2 - 1 - fewest_above < lowest
        first = int(np.count_nonzero(is_below))
        kept.append((first, max(first, int(np.count_nonzero(fewest_below <= highest)))))
        n_below += first
    return tuple(kept), n_below


def _select(values: FloatArray, ranks: Sequence[int], offset: int, found: FloatArray, column: int) -> None:
    """Write the values of some ranks into columns: one partition by the rank in the middle, then each side by itself.

    A single partition by several ranks is slower than sorting.
    """
    if not ranks:
        return
    middle = len(ranks) // 2
    at = ranks[middle] - offset
    values.partition(at, axis=1)
    found[:, column + middle] = values[:, at]
    if middle and ranks[middle - 1] == ranks[middle] - 1:  # the two in the middle of an even number
        found[:, column + middle - 1] = values[:, :at].max(axis=1)
        _select(values[:, :at], ranks[: middle - 1], offset, found, column)
    else:
        _select(values[:, :at], ranks[:middle], offset, found, column)
    _select(values[:, at + 1 :], ranks[middle + 1 :], offset + at + 1, found, column + middle + 1)


def _near_ranks(row: FloatArray, ranks: list[int]) -> list[float]:
    """Walsh averages of one long row: those between two limits that enclose the rank are made, and one of them is picked.

    The limits are guessed from the Walsh averages of some evenly spaced values, and counted.
    """
    some = row[np.linspace(0, row.size - 1, 48).astype(int)]
    guess = np.sort((some[:, None] + some)[np.triu_indices(48)])
    found: list[float] = []
    below, sums = 0, np.empty(0)
    for at, rank in enumerate(ranks):
        if at and rank == ranks[at - 1] + 1 and rank - below < sums.size:  # the neighbour of the one before
            found.append(float(sums[rank - below :].min()) / 2)
            continue
        below, sums = _between(row, guess, rank)
        sums.partition(rank - below)
        found.append(float(sums[rank - below]) / 2)
    return found


def _between(row: FloatArray, guess: FloatArray, rank: int) -> tuple[int, FloatArray]:
    """Sums of two values of the row near a rank, and how many are below all of these."""
    n = row.size
    share, width = rank / (n * (n + 1) / 2), 0.01
    while True:
        low = guess[int((share - width) * guess.size)] if share > width else -np.inf
        high = guess[int((share + width) * guess.size)] if share + width < 1 else np.inf
        first = np.arange(n)  # each pair once
        start = np.maximum(np.searchsorted(row, low - row, "left"), first)
        end = np.maximum(np.searchsorted(row, high - row, "right"), start)
        below, count = int((start - first).sum()), end - start
        if below <= rank < below + int(count.sum()):
            one = np.repeat(row, count)
            other = np.arange(one.size) + np.repeat(start - (np.cumsum(count) - count), count)
            return below, one + row[other]
        width *= 2
