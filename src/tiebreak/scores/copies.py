"""Rows of scores that are the same, number by number."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from tiebreak.numerics import FloatArray, IntArray


def first_copies(rows: FloatArray) -> IntArray:
    """Number of the first row that is the same as each row, gaps included; its own for a row without copies."""
    total = rows.sum(axis=1)  # rows of different sums are no copies, and need no closer look; takes no room
    ordered = np.sort(total)
    if np.all(ordered[1:] > ordered[:-1]):  # not so with gaps
        return np.arange(len(rows))
    _, same, n = np.unique(total, return_inverse=True, return_counts=True)
    entry, first = np.arange(len(rows)), dict[bytes, int]()
    for row in np.flatnonzero(n[same] > 1).tolist():
        entry[row] = first.setdefault(sha256(rows[row] + 0.0).digest(), row)  # + 0.0: no -0.0
    return entry
