"""Rows and groups that stand on both sides of a split: by their numbers, as equal rows, or as near copies.

Among discrete columns rows coincide by chance, and then nothing is wrong. How many such coincidences chance makes is told
from rows that are equal in all columns but some: leave out a set S of columns, count the pairs that agree in all others and
differ in S, and multiply by the odds that S agrees by chance. Copies have no such near-duplicates; coincidences have many.
The largest estimate over many sets S is taken, single columns first.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.audits.findings import (
    MOST_CELLS,
    AuditInput,
    Column,
    Columns,
    Finding,
    Found,
    Hashes,
    Severity,
    codes_of,
    found,
    percent,
    standardised,
)
from tiebreak.numerics import FloatArray
from tiebreak.scores.vocabulary import count


def find_shared_rows(audit_input: AuditInput) -> Iterator[Finding]:
    """Rows that a split names on both sides, or more than once among its test rows."""
    shared = Found.of([np.unique(test[np.isin(test, train)]) for train, test in audit_input.splits])
    repeated = Found.of([np.unique(np.sort(test)[1:][np.diff(np.sort(test)) == 0]) for _, test in audit_input.splits])
    if shared.splits:
        n_shared, n_tested = shared.rows.size, sum(audit_input.splits[number].test.size for number in shared.splits)
        yield found(
            "overlapping-rows",
            "error",
            f"{count(n_shared, 'test row')} of {n_tested:,} also stand in training {audit_input.where(len(shared.splits))}, by "
            "their row numbers: models are tested on what they were trained on.",
            "Take these rows out of training. tb.evaluate refuses such splits.",
            **shared._asdict(),
            n_rows=n_shared,
            share=n_shared / n_tested,
        )
    if repeated.splits:
        yield found(
            "repeated-test-rows",
            "error",
            f"{count(repeated.rows.size, 'row')} stand more than once among the test rows of a split "
            f"({audit_input.where(len(repeated.splits))}), and would count as often.",
            "Name each test row once. tb.evaluate refuses such splits.",
            **repeated._asdict(),
            n_rows=repeated.rows.size,
        )


def find_torn_groups(audit_input: AuditInput) -> Iterator[Finding]:
    """Groups of which some rows are in training and others in test."""
    codes = codes_of(audit_input.data.groups)
    torn = Found.of([test[np.isin(codes[test], codes[train])] for train, test in audit_input.splits])
    if not torn.splits:
        return
    n_rows, n_tested = torn.rows.size, sum(split.test.size for split in audit_input.splits)
    groups = np.unique(codes[torn.rows])
    labels = np.unique(np.asarray(audit_input.data.groups))[groups[:3]].tolist()
    such_as = ", ".join(repr(label) for label in labels) + (", ..." if groups.size > 3 else "")
    yield found(
        "group-on-both-sides",
        "error",
        f"{count(groups.size, 'group')} of {codes.max() + 1:,} ({such_as}) stand on both sides of a split "
        f"{audit_input.where(len(torn.splits))}; {n_rows:,} of {n_tested:,} test rows have rows of their own group in "
        "training. Scores then say how well models recognise known groups, not how they do on new ones.",
        'Keep groups together: cv="group", or cv="stratified-group" for classes.',
        rows=np.flatnonzero(np.isin(codes, groups)),
        splits=torn.splits,
        n_groups=groups.size,
        n_rows=n_rows,
        share=n_rows / n_tested,
    )


MOST_SETS = 64
"""Sets of columns that are left out in turn, single ones and half as many random ones."""

BEYOND_CHANCE = 3.0
"""Duplicates must be so many times as many as chance makes, as columns that depend on each other make more than the estimate."""

FEW_ROWS = 0.5
"""Different rows among all, of discrete columns only, up to which copies cannot be told from coincidences."""

MOST_AGREEING = 0.3
"""Share of all pairs that may agree outside of S; below 1 / BEYOND_CHANCE, or copies would hide themselves."""

FEWEST_DUPLICATES = 5
"""Pairs of equal rows below which nothing is concluded."""

WARNING_SHARE, ERROR_SHARE = 0.01, 0.10
"""Share of test rows with a copy, or a near copy, in training from which on it is a warning, and an error."""


def find_duplicates(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows with an equal row in training; rows that overlap by their number are another finding's."""
    hashes = audit_input.columns.row_hashes()
    codes = codes_of(hashes)
    targets = codes  # rows that are equal in the target too
    for own in audit_input.data.y.reshape(codes.size, -1).T:
        of_column = codes_of(own)
        targets = codes_of(targets * (of_column.max() + 1) + of_column)
    trained = [train for train, _ in audit_input.splits]
    tested = [np.setdiff1d(test, train) for train, test in audit_input.splits]
    by_split = [rows[np.isin(codes[rows], codes[train])] for rows, train in zip(tested, trained, strict=True)]
    copied = Found.of(by_split)
    if not copied.splits:
        return
    n_same_target = sum(np.isin(targets[by_split[number]], targets[trained[number]]).sum() for number in copied.splits)
    n_duplicates, n_tested = copied.rows.size, sum(map(len, tested))
    pairs = _pairs(codes)
    expected = expected_pairs(audit_input.columns, hashes, audit_input.rng(), enough=pairs / BEYOND_CHANCE)
    is_beyond = pairs >= FEWEST_DUPLICATES and pairs > BEYOND_CHANCE * expected
    share = n_duplicates / n_tested
    severity = graded(share) if is_beyond else "note"
    chance = (
        "More than chance makes among these columns"
        if is_beyond
        else "About as many as chance makes among these columns"
        if pairs <= BEYOND_CHANCE * expected
        else "Too few to matter"
    )
    yield found(
        "duplicate-rows",
        severity,
        f"{count(n_duplicates, 'test row')} of {n_tested:,} ({percent(share)}) have an equal row in training "
        f"{audit_input.where(len(copied.splits))}, {n_same_target:,} of them with the same target. {chance}.",
        "Nothing needs to be done, unless these are copies of one example."
        if severity == "note"
        else "Find out where the copies come from. Drop them, or pass groups= so that copies stay on one side.",
        **copied._asdict(),
        n_rows=n_duplicates,
        share=share,
        n_same_target=n_same_target,
        n_pairs=pairs,
        n_pairs_by_chance=expected,
    )


def graded(share: float) -> Severity:
    """Severity of so large a share of test rows with a copy, or a near copy, in training."""
    return "error" if share >= ERROR_SHARE else "warning" if share >= WARNING_SHARE else "note"


def expected_pairs(columns: Columns, hashes: Hashes, rng: np.random.Generator, enough: float = np.inf) -> float:
    """Expected number of pairs of equal rows by chance, as far as it can be told; it need not be better than `enough`."""
    total, all_pairs, largest = _pairs(hashes), hashes.size * (hashes.size - 1) / 2, 0.0
    places, most = np.arange(len(columns.names)), min(MOST_SETS, max(2, MOST_CELLS // hashes.size))
    if places.size > most:  # a choice that fits into memory
        places = np.sort(rng.choice(places.size, most, replace=False))
    looked_at = [place for place in places.tolist() if columns[place].varies]
    cells = {place: columns.cell_hashes(place) for place in looked_at if _can_coincide(columns[place])}
    if len(cells) == len(looked_at) and np.unique(hashes).size <= FEW_ROWS * hashes.size:
        return total
    for left_out in _sets(list(cells), rng):
        own = sum((cells[place] for place in left_out), np.zeros(hashes.size, dtype=np.uint64))
        near, agreeing = _pairs(hashes - own) - total, _pairs(own) / all_pairs
        # with hardly anything left to agree in, copies themselves would be taken for the odds of S
        if near and agreeing < 1 and near + total <= MOST_AGREEING * all_pairs:
            largest = max(largest, near * agreeing / (1 - agreeing))
        if largest >= enough:
            break
    return largest


def _can_coincide(column: Column) -> bool:
    """True if values may repeat by chance; numbers with many digits and long texts do not."""
    if column.is_category:
        return not column.is_free_text
    values = column.values[np.isfinite(column.values)]
    if not values.any():
        return True
    decimals = 4 - int(np.floor(np.log10(np.abs(values).max())))  # that leave five significant digits of the largest
    return bool(np.mean(values != np.round(values, decimals)) < 0.5)


def _sets(places: list[int], rng: np.random.Generator) -> list[list[int]]:
    """Each column alone; then random sets, and runs of columns side by side, as the indicators of one category often stand."""
    sets = [[place] for place in places]
    if len(places) > 2:
        for number, size in enumerate(rng.integers(2, max(3, len(places) // 2 + 1), size=MOST_SETS // 2)):
            start = int(rng.integers(0, len(places) - size + 1))
            sets.append(sorted(rng.choice(places, size, replace=False).tolist()) if number % 2 else places[start : start + size])
    return sets


def _pairs(hashes: Any) -> float:
    """Pairs of equal numbers."""
    times = np.unique(hashes, return_counts=True)[1].astype(float)
    return float((times * (times - 1) / 2).sum())


NEAR, FAR, MIDDLE = 1, 10, 5
"""Which neighbours are compared, and which tell the dimension."""

SMALL_RATIO, SMALL_CHANCE = 0.1, 1e-3
MOST_ASKED = 2_000
"""Rows whose neighbours are looked for; with more, a sample."""


def find_near_duplicates(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows whose nearest neighbour is a near copy in training."""
    from sklearn.neighbors import NearestNeighbors

    table, first = np.unique(standardised(audit_input), axis=0, return_index=True)  # equal rows are another finding
    if len(table) < 5 * FAR:
        return
    asked = audit_input.sample(len(table), MOST_ASKED)
    distance, neighbour = NearestNeighbors(n_neighbors=FAR + 1).fit(table).kneighbors(table[asked])
    is_near = _is_near(distance)
    row, neighbour = first[asked], first[neighbour[:, NEAR]]
    n_tested = sum(int(np.isin(row, split.test).sum()) for split in audit_input.splits)
    near = Found.of([row[is_near & np.isin(row, test) & np.isin(neighbour, train)] for train, test in audit_input.splits])
    if not near.splits:
        return
    share = near.rows.size / n_tested
    severity = graded(share)
    yield found(
        "near-duplicate-rows",
        severity,
        f"{count(near.rows.size, 'test row')} of {n_tested:,} looked at ({percent(share)}) have a near copy in training "
        f"{audit_input.where(len(near.splits))}: it is less than a tenth as far away as the tenth neighbour.",
        "Look at these rows: repeated measurements, augmented or resampled examples belong on one side. Pass groups=."
        if severity != "note"
        else "Nothing needs to be done, unless these are copies of one example.",
        **near._asdict(),
        n_rows=near.rows.size,
        share=share,
        n_tested=n_tested,
    )


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
