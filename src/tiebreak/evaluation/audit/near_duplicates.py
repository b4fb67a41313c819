"""Rows that are almost equal: far nearer to each other than rows of these data otherwise are.

Among rows drawn from any smooth density, the nearest neighbour is not much nearer than the tenth: with local dimension m,
(d1/d10)^m is the smallest of nine uniform numbers. The dimension is told from the fifth and tenth neighbours [Facco et al. 2017
use the first two, which copies would spoil]. A row is a near copy when d1 is below a tenth of d10 and chance would make it so
less than once in a thousand rows.
"""

from __future__ import annotations

import numpy as np

from tiebreak.evaluation.audit.finding import Finding, Severity, count, evidence, of_splits, percent
from tiebreak.evaluation.audit.material import MOST_CELLS, Material
from tiebreak.evaluation.audit.numbers import standardised
from tiebreak.numerics import FloatArray, IntArray

NEAR, FAR, MIDDLE = 1, 10, 5
"""Which neighbours are compared, and which tell the dimension."""

SMALL_RATIO, SMALL_CHANCE = 0.1, 1e-3
MOST_ASKED = 2_000
"""Rows whose neighbours are looked for; with more, a sample."""

WARNING_SHARE, ERROR_SHARE = 0.01, 0.10


def find_near_duplicates(material: Material) -> list[Finding]:
    """Test rows whose nearest neighbour is a near copy in training."""
    if material.n_samples < 5 * FAR:
        return []
    table = standardised(material, max_cells=MOST_CELLS)
    if table.shape[1] == 0:
        return []
    table, first = np.unique(table, axis=0, return_index=True)  # equal rows are another finding
    if len(table) < 5 * FAR:
        return []
    asked = np.arange(len(table))
    if asked.size > MOST_ASKED:
        asked = np.sort(material.rng().choice(asked, MOST_ASKED, replace=False))
    distance, neighbour = _neighbours(table, asked)
    is_near = _is_near(distance)
    return _finding(material, first[asked], first[neighbour[:, NEAR]], is_near) if is_near.any() else []


def _neighbours(table: FloatArray, asked: IntArray) -> tuple[FloatArray, IntArray]:
    from sklearn.neighbors import NearestNeighbors

    distance, neighbour = NearestNeighbors(n_neighbors=FAR + 1).fit(table).kneighbors(table[asked])
    return distance, neighbour


def _is_near(distance: FloatArray) -> np.ndarray:
    near, middle, far = distance[:, NEAR], distance[:, MIDDLE], distance[:, FAR]
    has_room = far > 0
    ratio = np.divide(near, far, out=np.ones_like(near), where=has_room)
    spread = np.divide(middle, far, out=np.ones_like(near), where=has_room)
    typical = float(np.median(spread[has_room])) if has_room.any() else 1.0
    if not 0 < typical < 1:
        return np.zeros(near.size, dtype=bool)
    dimension = np.log(0.5) / np.log(typical)  # (d5/d10)^m has the median 1/2
    chance = 1 - (1 - np.clip(ratio, 0, 1) ** dimension) ** (FAR - 1)
    return np.asarray(has_room & (ratio < SMALL_RATIO) & (chance < SMALL_CHANCE))


def _finding(material: Material, row: IntArray, neighbour: IntArray, is_near: np.ndarray) -> list[Finding]:
    n_tested, found, splits = 0, [], []
    in_test, in_training = np.zeros(material.n_samples, dtype=bool), np.zeros(material.n_samples, dtype=bool)
    for number, (train, test) in enumerate(material.splits):
        in_test[test], in_training[train] = True, True
        n_tested += int(in_test[row].sum())
        here = is_near & in_test[row] & in_training[neighbour]
        in_test[test], in_training[train] = False, False
        if here.any():
            found.append(row[here])
            splits.append(number)
    n_found = sum(map(len, found))
    if not n_found:
        return []
    share = n_found / n_tested
    severity: Severity = "error" if share >= ERROR_SHARE else "warning" if share >= WARNING_SHARE else "note"
    return [
        Finding(
            "near-duplicate-rows",
            severity,
            f"{count(n_found, 'test row')} of {n_tested} looked at ({percent(share)}) have a near copy in training "
            f"{of_splits(len(splits), material.n_splits)}: it is less than a tenth as far away as the tenth neighbour.",
            evidence(np.concatenate(found), splits=splits, numbers={"n_rows": n_found, "share": share, "n_tested": n_tested}),
            "Look at these rows: repeated measurements, augmented or resampled examples belong on one side. Pass groups=."
            if severity != "note"
            else "Nothing needs to be done, unless these are copies of one example.",
        )
    ]
