"""Rows of scores that are the same, number by number."""

from hashlib import sha256

import numpy as np

from tiebreak.numerics import FloatArray, IntArray


def first_copies(rows: FloatArray) -> IntArray:
    """Number of the first row that is the same as each row, gaps included; its own for a row without copies."""
    total = rows.sum(axis=1)  # rows of different sums are no copies, and need no closer look; takes no room
    order = np.argsort(total)
    ties = np.flatnonzero(~(total[order[1:]] > total[order[:-1]]))  # gaps too, whose sums are nan
    entry, first = np.arange(len(rows)), dict[bytes, int]()
    for row in np.unique([order[ties], order[ties + 1]]).tolist() if ties.size else ():
        entry[row] = first.setdefault(sha256(rows[row] + 0.0).digest(), row)  # + 0.0: no -0.0
    return entry
