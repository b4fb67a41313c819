"""Rows and groups that stand on both sides of a split: by their numbers, as equal rows, or as near copies.

Among discrete columns rows coincide by chance, and then nothing is wrong. How many such coincidences chance makes is told
from rows that are equal in all columns but some: leave out a set S of columns, count the pairs that agree in all others and
differ in S, and multiply by the odds that S agrees by chance. Copies have no such near-duplicates; coincidences have many.
The largest estimate over many sets S is taken, single columns first.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tiebreak.audits.audit_input import MOST_CELLS, AuditInput, Columns, Hashes, codes_of, standardised
from tiebreak.audits.findings import Finding, Severity, count, evidence, of_splits, percent
from tiebreak.numerics import FloatArray, IntArray


def find_shared_rows(audit_input: AuditInput) -> Iterator[Finding]:
    """Rows that a split names on both sides, or more than once among its test rows."""
    in_training = np.zeros(audit_input.n_samples, dtype=bool)
    shared, repeated = {}, {}
    for number, (train, test) in enumerate(audit_input.splits):
        in_training[train] = True
        both = np.unique(test[in_training[test]])
        in_training[train] = False
        if both.size:
            shared[number] = both
        named, times = np.unique(test, return_counts=True)
        if (times > 1).any():
            repeated[number] = named[times > 1]
    if shared:
        n_shared, n_tested = sum(map(len, shared.values())), sum(len(audit_input.splits[number].test) for number in shared)
        where = of_splits(len(shared), audit_input.n_splits)
        yield Finding(
            "overlapping-rows",
            "error",
            f"{count(n_shared, 'test row')} of {n_tested} also stand in training {where}, by their row numbers: models are "
            "tested on what they were trained on.",
            evidence(
                np.concatenate(list(shared.values())),
                splits=list(shared),
                numbers={"n_rows": n_shared, "share": n_shared / n_tested},
            ),
            "Take these rows out of training. tb.evaluate refuses such splits.",
        )
    if repeated:
        n_repeated = sum(map(len, repeated.values()))
        yield Finding(
            "repeated-test-rows",
            "error",
            f"{count(n_repeated, 'row')} stand more than once among the test rows of a split "
            f"({of_splits(len(repeated), audit_input.n_splits)}), and would count as often.",
            evidence(np.concatenate(list(repeated.values())), splits=list(repeated), numbers={"n_rows": n_repeated}),
            "Name each test row once. tb.evaluate refuses such splits.",
        )


def find_torn_groups(audit_input: AuditInput) -> Iterator[Finding]:
    """Groups of which some rows are in training and others in test."""
    codes = audit_input.group_codes
    if codes is None:
        return
    torn: dict[int, np.ndarray] = {}
    n_rows = n_tested = 0
    for number, (train, test) in enumerate(audit_input.splits):
        on_both = np.intersect1d(codes[train], codes[test])
        n_tested += test.size
        if on_both.size:
            torn[number] = on_both
            n_rows += int(np.isin(codes[test], on_both).sum())
    if not torn:
        return
    groups = np.unique(np.concatenate(list(torn.values())))
    labels = np.unique(np.asarray(audit_input.data.groups))[groups[:3]].tolist()
    such_as = ", ".join(repr(label) for label in labels) + (", ..." if groups.size > 3 else "")
    rows = np.flatnonzero(np.isin(codes, groups))
    yield Finding(
        "group-on-both-sides",
        "error",
        f"{count(groups.size, 'group')} of {codes.max() + 1} ({such_as}) stand on both sides of a split "
        f"{of_splits(len(torn), audit_input.n_splits)}; {n_rows} of {n_tested} test rows have rows of their own group in "
        "training. Scores then say how well models recognise known groups, not how they do on new ones.",
        evidence(
            rows,
            splits=list(torn),
            numbers={"n_groups": groups.size, "n_rows": n_rows, "share": n_rows / n_tested},
        ),
        'Keep groups together: cv="group", or cv="stratified-group" for classes.',
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


class _DuplicateRows(NamedTuple):
    """Test rows that are equal to training rows, over all splits."""

    rows: IntArray
    splits: IntArray
    n_tested: int
    n_duplicates: int
    n_same_target: int


def find_duplicates(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows with an equal row in training."""
    hashes = audit_input.columns.row_hashes()
    codes = codes_of(hashes)
    if codes.max() == codes.size - 1:
        return
    found = _duplicate_rows(audit_input, codes)
    if not found.n_duplicates:
        return
    pairs = _pairs(codes)
    expected = expected_pairs(audit_input.columns, hashes, audit_input.rng(), enough=pairs / BEYOND_CHANCE)
    is_beyond = pairs >= FEWEST_DUPLICATES and pairs > BEYOND_CHANCE * expected
    share = found.n_duplicates / found.n_tested
    severity: Severity = "note"
    if is_beyond and share >= WARNING_SHARE:
        severity = "error" if share >= ERROR_SHARE else "warning"
    chance = (
        "More than chance makes among these columns"
        if is_beyond
        else "About as many as chance makes among these columns"
        if pairs <= BEYOND_CHANCE * expected
        else "Too few to matter"
    )
    yield Finding(
        "duplicate-rows",
        severity,
        f"{count(found.n_duplicates, 'test row')} of {found.n_tested} ({percent(share)}) have an equal row in training "
        f"{of_splits(found.splits.size, audit_input.n_splits)}, {found.n_same_target} of them with the same target. {chance}.",
        evidence(
            found.rows,
            splits=found.splits,
            numbers={
                "n_rows": found.n_duplicates,
                "share": share,
                "n_same_target": found.n_same_target,
                "n_pairs": pairs,
                "n_pairs_by_chance": expected,
            },
        ),
        "Nothing needs to be done, unless these are copies of one example."
        if severity == "note"
        else "Find out where the copies come from. Drop them, or pass groups= so that copies stay on one side.",
    )


def _duplicate_rows(audit_input: AuditInput, codes: IntArray) -> _DuplicateRows:
    """Rows that overlap by their number are another finding's."""
    target = _with_target(audit_input, codes)
    seen, seen_target = np.zeros(codes.max() + 1, dtype=bool), np.zeros(target.max() + 1, dtype=bool)
    rows, splits, n_tested, n_same = [], [], 0, 0
    for number, (train, test) in enumerate(audit_input.splits):
        test = np.setdiff1d(test, train)
        seen[codes[train]] = seen_target[target[train]] = True
        found = test[seen[codes[test]]]
        n_same += int(seen_target[target[test]].sum())
        seen[codes[train]] = seen_target[target[train]] = False
        n_tested += test.size
        if found.size:
            rows.append(found)
            splits.append(number)
    n_duplicates = sum(map(len, rows))
    return _DuplicateRows(
        np.concatenate(rows) if rows else np.empty(0, np.intp), np.array(splits, int), n_tested, n_duplicates, n_same
    )


def _with_target(audit_input: AuditInput, codes: IntArray) -> IntArray:
    """Rows that are equal in the target too, as equal numbers."""
    y = audit_input.data.y
    columns = y.reshape(y.shape[0], -1)
    for place in range(columns.shape[1]):
        own = np.unique(columns[:, place], return_inverse=True)[1]
        codes = np.unique(codes.astype(np.int64) * (own.max() + 1) + own, return_inverse=True)[1]
    return codes


def expected_pairs(columns: Columns, hashes: Hashes, rng: np.random.Generator, enough: float = np.inf) -> float:
    """Expected number of pairs of equal rows by chance, as far as it can be told; it need not be better than `enough`."""
    total, all_pairs, largest = _pairs(hashes), hashes.size * (hashes.size - 1) / 2, 0.0
    looked_at = [place for place in _some(columns, rng) if _varies(columns, place)]
    cells = {place: columns.cell_hashes(place) for place in looked_at if _can_coincide(columns, place)}
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


def _some(columns: Columns, rng: np.random.Generator) -> list[int]:
    """Columns to leave out: all, or a choice that fits into memory."""
    most = min(MOST_SETS, max(2, MOST_CELLS // columns.n_rows))
    places = np.arange(len(columns)) if len(columns) <= most else np.sort(rng.choice(len(columns), most, replace=False))
    return [int(place) for place in places]


def _varies(columns: Columns, place: int) -> bool:
    values = columns[place].values
    return not np.array_equal(values, np.full(values.shape, values[0]), equal_nan=True)


def _can_coincide(columns: Columns, place: int) -> bool:
    """True if values may repeat by chance; numbers with many digits and long texts do not."""
    column = columns[place]
    if column.is_free_text:
        return False
    if column.is_category:
        return True
    values = column.values[np.isfinite(column.values)]
    return values.size == 0 or not values.any() or bool(np.mean(values != np.round(values, _decimals(values))) < 0.5)


def _decimals(values: np.ndarray) -> int:
    """Decimals that leave five significant digits of the largest value."""
    return 4 - int(np.floor(np.log10(np.abs(values).max())))


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
    ordered = np.sort(hashes)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    times = np.diff(ends, prepend=0).astype(float)
    return float((times * (times - 1) / 2).sum())


NEAR, FAR, MIDDLE = 1, 10, 5
"""Which neighbours are compared, and which tell the dimension."""

SMALL_RATIO, SMALL_CHANCE = 0.1, 1e-3
MOST_ASKED = 2_000
"""Rows whose neighbours are looked for; with more, a sample."""


def find_near_duplicates(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows whose nearest neighbour is a near copy in training."""
    from sklearn.neighbors import NearestNeighbors

    if audit_input.n_samples < 5 * FAR:
        return
    table = standardised(audit_input, max_cells=MOST_CELLS)
    if table.shape[1] == 0:
        return
    table, first = np.unique(table, axis=0, return_index=True)  # equal rows are another finding
    if len(table) < 5 * FAR:
        return
    asked = np.arange(len(table))
    if asked.size > MOST_ASKED:
        asked = np.sort(audit_input.rng().choice(asked, MOST_ASKED, replace=False))
    distance, neighbour = NearestNeighbors(n_neighbors=FAR + 1).fit(table).kneighbors(table[asked])
    is_near = _is_near(distance)
    if is_near.any():
        yield from _near_finding(audit_input, first[asked], first[neighbour[:, NEAR]], is_near)


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


def _near_finding(audit_input: AuditInput, row: IntArray, neighbour: IntArray, is_near: np.ndarray) -> Iterator[Finding]:
    n_tested, found, splits = 0, [], []
    in_test, in_training = np.zeros(audit_input.n_samples, dtype=bool), np.zeros(audit_input.n_samples, dtype=bool)
    for number, (train, test) in enumerate(audit_input.splits):
        in_test[test], in_training[train] = True, True
        n_tested += int(in_test[row].sum())
        here = is_near & in_test[row] & in_training[neighbour]
        in_test[test], in_training[train] = False, False
        if here.any():
            found.append(row[here])
            splits.append(number)
    n_found = sum(map(len, found))
    if not n_found:
        return
    share = n_found / n_tested
    severity: Severity = "error" if share >= ERROR_SHARE else "warning" if share >= WARNING_SHARE else "note"
    yield Finding(
        "near-duplicate-rows",
        severity,
        f"{count(n_found, 'test row')} of {n_tested} looked at ({percent(share)}) have a near copy in training "
        f"{of_splits(len(splits), audit_input.n_splits)}: it is less than a tenth as far away as the tenth neighbour.",
        evidence(np.concatenate(found), splits=splits, numbers={"n_rows": n_found, "share": share, "n_tested": n_tested}),
        "Look at these rows: repeated measurements, augmented or resampled examples belong on one side. Pass groups=."
        if severity != "note"
        else "Nothing needs to be done, unless these are copies of one example.",
    )
