"""The tables of a store: their columns, their rows as named tuples, and the hash that every row carries."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import blake2b
from itertools import starmap
from typing import Any, Generic, NamedTuple, TypeVar, cast

from tiebreak.plan.record import Cell

SCHEMA = 2
"""Version of what follows. A change of tables, columns, coding or hash raises it, and needs a step in `upgrade`."""

PREFIX = "tiebreak_"


# Columns that are integers come first, those of the key before all others; then texts, then blobs, then the hash.


class StoreRow(NamedTuple):
    """Description of the store, in the only row of its table."""

    id: int
    schema_version: int
    created: int
    n_runs: int
    next_run: int
    written_by: str | None
    hash: int = 0


class RunRow(NamedTuple):
    """A run, and the number of rows that it has in each of the `LISTS`."""

    id: int
    created: int
    n_models: int
    n_datasets: int
    n_splits: int
    n_metrics: int
    n_environments: int
    name_key: str | None
    name: str
    rng: str
    threads: str
    settings: str
    hash: int = 0


class ModelRow(NamedTuple):
    """A model of a run."""

    run: int
    position: int
    name: str
    fingerprint: str
    written_as: str
    hash: int = 0


class DatasetRow(NamedTuple):
    """A dataset of a run."""

    run: int
    position: int
    n_samples: int
    n_features: int
    is_ordered: int
    name: str
    fingerprint: str
    kind: str
    classes: str | None
    target: bytes | None
    hash: int = 0


class SplitRow(NamedTuple):
    """A split of a dataset."""

    run: int
    dataset: int
    position: int
    repeat_number: int
    fold: int
    n_train: int
    n_test: int
    split_hash: str
    test_rows: bytes
    hash: int = 0


class MetricRow(NamedTuple):
    """A metric of a run."""

    run: int
    position: int
    higher_is_better: int
    name: str
    fingerprint: str
    hash: int = 0


class EnvironmentRow(NamedTuple):
    """Versions that cells of a run were measured with."""

    run: int
    position: int
    versions: str
    hash: int = 0


class TallyRow(NamedTuple):
    """Number of cells that a run has, and the sum of their hashes."""

    run: int
    n_cells: int
    n_done: int
    hash_sum: int
    updated: int
    hash: int = 0


class CellRow(NamedTuple):
    """A recorded cell."""

    run: int
    dataset: int
    split: int
    model: int
    state: int
    environment: int
    facts: str | None
    numbers: bytes
    train_scores: bytes | None
    hash: int = 0


class OutputRow(NamedTuple):
    """Predictions of a model for the test rows of a cell, by one of its methods."""

    run: int
    dataset: int
    split: int
    model: int
    position: int
    method: str
    content: bytes
    hash: int = 0


class HolderRow(NamedTuple):
    """A process that takes part in a run; its beat changes as long as it lives."""

    run: int
    id: int
    beat: int
    place: str
    hash: int = 0


class LeaseRow(NamedTuple):
    """A cell that a holder is about to measure."""

    run: int
    dataset: int
    split: int
    model: int
    holder: int
    hash: int = 0


AnyRow = (
    StoreRow
    | RunRow
    | ModelRow
    | DatasetRow
    | SplitRow
    | MetricRow
    | EnvironmentRow
    | TallyRow
    | CellRow
    | OutputRow
    | HolderRow
    | LeaseRow
)
Row = TypeVar("Row", bound=AnyRow)


def cell_of(row: CellRow | OutputRow | LeaseRow) -> Cell:
    """Return the cell that a row is about, by its stored positions."""
    return Cell(row.dataset, row.split, row.model)


class StoredTable(Generic[Row]):
    """A table: integer columns, the first `n_keys` of which are its key, then texts and blobs, then the hash.

    The hash is blake2b of 8 bytes, personalised with the name of the table, of: the integers as little-endian int64, the
    length of each text and blob as int64 (-1 for null), and their contents (texts in ASCII), all in the order of the columns.

    The name is without the prefix that the table has in the database (`in_database`), and `row` is a named tuple with a field for
    each column. Texts and blobs may be null, integers never are; `integers`, `texts` and `blobs` name the columns, the hash
    aside, `keys` those of the key, `columns` all of them. `since` is the schema that the table came with; an
    older store does not have it.
    """

    def __init__(self, name: str, row: type[Row], *, n_keys: int, n_texts: int = 0, n_blobs: int = 0, since: int = 1) -> None:
        self.name = name
        self.in_database = PREFIX + name
        self.row = row
        self.n_keys = n_keys
        self.n_texts = n_texts
        self.since = since
        self.columns = row._fields
        self.keys = self.columns[:n_keys]
        n_integers = len(self.columns) - 1 - n_texts - n_blobs
        self.integers = self.columns[:n_integers]
        self.texts = self.columns[n_integers : n_integers + n_texts]
        self.blobs = self.columns[n_integers + n_texts : -1]
        self._head = struct.Struct(f"<{len(self.columns) - 1}q")
        self._hasher = blake2b(digest_size=8, person=name.encode())

    def seal(self, rows: Sequence[Row]) -> list[Row]:
        """Put their hashes into the rows."""
        make = cast("Any", self.row)._make
        return [make((*row[:-1], number)) for row, number in zip(rows, self._hashes(rows), strict=True)]

    def damaged(self, rows: Sequence[Row]) -> list[int]:
        """Find those of the rows that are not as they were written."""
        try:
            if self._hashes(rows) == [row.hash for row in rows]:
                return []
        except (AttributeError, TypeError, UnicodeError, struct.error):  # a value is of another type than was written
            pass
        return [i for i, row in enumerate(rows) if len(rows) == 1 or self.damaged([row])]

    def _hashes(self, rows: Sequence[Row]) -> list[int]:
        """Hash each row; all at once, as a table may have a million of them."""
        if not rows:
            return []
        columns = list(zip(*rows, strict=True))
        n_integers = len(self.integers)
        lengths, contents = [], []
        for i, column in enumerate(columns[n_integers:-1]):
            lengths.append([-1 if value is None else len(value) for value in column])
            if i < self.n_texts:
                contents.append([b"" if text is None else text.encode("ascii") for text in column])
            else:
                contents.append([b"" if blob is None else blob for blob in column])
        heads = starmap(self._head.pack, zip(*columns[:n_integers], *lengths, strict=True))
        digests = []
        for parts in zip(heads, *contents, strict=True):
            hasher = self._hasher.copy()
            hasher.update(b"".join(parts))
            digests.append(hasher.digest())
        return list(struct.unpack(f"<{len(rows)}q", b"".join(digests)))


# Every release has to find the version of the schema in a store of any other one: this table never changes.
STORE = StoredTable("store", StoreRow, n_keys=1, n_texts=1)
RUNS = StoredTable("runs", RunRow, n_keys=1, n_texts=5)
MODELS = StoredTable("models", ModelRow, n_keys=2, n_texts=3)
DATASETS = StoredTable("datasets", DatasetRow, n_keys=2, n_texts=4, n_blobs=1)
SPLITS = StoredTable("splits", SplitRow, n_keys=3, n_texts=1, n_blobs=1)
METRICS = StoredTable("metrics", MetricRow, n_keys=2, n_texts=2)
ENVIRONMENTS = StoredTable("environments", EnvironmentRow, n_keys=2, n_texts=1)
TALLIES = StoredTable("tallies", TallyRow, n_keys=1)
CELLS = StoredTable("cells", CellRow, n_keys=4, n_texts=1, n_blobs=2)
OUTPUTS = StoredTable("outputs", OutputRow, n_keys=5, n_texts=1, n_blobs=1)
HOLDERS = StoredTable("holders", HolderRow, n_keys=2, n_texts=1, since=2)
LEASES = StoredTable("leases", LeaseRow, n_keys=4, since=2)

LISTS: tuple[StoredTable[Any], ...] = (MODELS, DATASETS, SPLITS, METRICS, ENVIRONMENTS)
"""What a run consists of; its row in `RUNS` says how many there are of each."""
SHARING: tuple[StoredTable[Any], ...] = (HOLDERS, LEASES)
"""Who takes part in a run, and which cells they are about to measure: no results, and none is missed when it is gone."""
TABLES: tuple[StoredTable[Any], ...] = (STORE, RUNS, *LISTS, TALLIES, CELLS, OUTPUTS, *SHARING)
"""All tables, in the order in which they are made."""


_MOST = 2**53
_LATEST = 253_402_300_799_000_000
"""Microseconds from 1970 to the end of the year 9999."""


def out_of_range(row: StoreRow | RunRow | TallyRow) -> str:
    """Say what no store counts so far, nor any clock shows; "" for a row that is right."""
    if isinstance(row, StoreRow):
        is_right = 0 <= row.n_runs < row.next_run < _MOST
    elif isinstance(row, RunRow):
        is_right = 0 <= row.created <= _LATEST and all(0 <= number < _MOST for number in (row.id, *row[2:7]))
    else:
        is_right = 0 <= row.updated <= _LATEST and 0 <= row.n_done <= row.n_cells < _MOST
    return "" if is_right else "its hash matches, but its numbers are none that a store has"


def add_hashes(total: int, added: Sequence[int] = (), removed: Sequence[int] = ()) -> int:
    """Sum of hashes modulo 2**64 after more were added and others removed, as the signed integer that is stored."""
    return (total + sum(added) - sum(removed) + 2**63) % 2**64 - 2**63
