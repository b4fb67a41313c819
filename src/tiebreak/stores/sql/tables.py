"""The tables of a store: which columns they have, and the hash that every row carries."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import starmap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table


SCHEMA = 2
"""The version of what follows. A change of tables, columns, coding or hash raises it, and needs a step in `migrations`."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A table: integer columns, the first `n_keys` of which are its key, then texts and blobs, then the hash.

    The hash is blake2b of 8 bytes, personalised with the name of the table, of: the integers as little-endian int64, the
    length of each text and blob as int64 (-1 for null), and their contents (texts in ASCII), all in the order of the columns.

    Attributes
    ----------
    name : str
    n_keys : int
    integers : tuple of str
        Never null.
    texts, blobs : tuple of str
        May be null.
    since : int
        The schema that the table came with; an older store does not have it.
    """

    name: str
    n_keys: int
    integers: tuple[str, ...]
    texts: tuple[str, ...] = ()
    blobs: tuple[str, ...] = ()
    since: int = 1
    _head: struct.Struct = field(init=False, repr=False, compare=False)
    _hasher: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n_numbers = len(self.integers) + len(self.texts) + len(self.blobs)
        object.__setattr__(self, "_head", struct.Struct(f"<{n_numbers}q"))
        object.__setattr__(self, "_hasher", blake2b(digest_size=8, person=self.name.encode()))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the key."""
        return self.integers[: self.n_keys]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, the hash last."""
        return (*self.integers, *self.texts, *self.blobs, "hash")

    def seal(self, rows: Sequence[Row]) -> list[Row]:
        """The rows with their hashes."""
        return [(*row, number) for row, number in zip(rows, self._hashes(rows), strict=True)]

    def damaged(self, rows: Sequence[Row]) -> list[int]:
        """Which of the rows, read with their hashes, are not as they were written."""
        if self._are_whole(rows):
            return []
        return [i for i, row in enumerate(rows) if not self._are_whole([row])]

    def _are_whole(self, rows: Sequence[Row]) -> bool:
        try:
            return self._hashes(rows) == [row[-1] for row in rows]
        except (AttributeError, TypeError, UnicodeError, struct.error):  # a value is of another type than was written
            return False

    def _hashes(self, rows: Sequence[Row]) -> list[int]:
        """The hash of each row, with or without one at its end; all at once, as a table may have a million of them."""
        if not rows:
            return []
        columns = list(zip(*rows, strict=True))
        n_integers, n_texts = len(self.integers), len(self.texts)
        texts = columns[n_integers : n_integers + n_texts]
        blobs = columns[n_integers + n_texts : n_integers + n_texts + len(self.blobs)]
        lengths = [[-1 if value is None else len(value) for value in column] for column in (*texts, *blobs)]
        heads = starmap(self._head.pack, zip(*columns[:n_integers], *lengths, strict=True))
        contents = [[b"" if text is None else text.encode("ascii") for text in column] for column in texts]
        contents += [[b"" if blob is None else blob for blob in column] for column in blobs]
        digests = []
        for parts in zip(heads, *contents, strict=True):
            hasher = self._hasher.copy()
            hasher.update(b"".join(parts))
            digests.append(hasher.digest())
        return list(struct.unpack(f"<{len(rows)}q", b"".join(digests)))


# Every release has to find the version of the schema in a store of any other one: this table never changes.
STORE = Layout("store", 1, ("id", "schema_version", "created", "n_runs", "next_run"), ("written_by",))
RUNS = Layout(
    "runs",
    1,
    ("id", "created", "n_models", "n_datasets", "n_splits", "n_metrics", "n_environments"),
    ("name_key", "name", "rng", "threads", "settings"),
)
MODELS = Layout("models", 2, ("run", "position"), ("name", "fingerprint", "written_as"))
DATASETS = Layout(
    "datasets",
    2,
    ("run", "position", "n_samples", "n_features", "is_ordered"),
    ("name", "fingerprint", "kind", "classes"),
    ("target",),
)
SPLITS = Layout(
    "splits",
    3,
    ("run", "dataset", "position", "repeat_number", "fold", "n_train", "n_test"),
    ("split_hash",),
    ("test_rows",),
)
METRICS = Layout("metrics", 2, ("run", "position", "higher_is_better"), ("name", "fingerprint"))
ENVIRONMENTS = Layout("environments", 2, ("run", "position"), ("versions",))
TALLIES = Layout("tallies", 1, ("run", "n_cells", "n_done", "hash_sum", "updated"))
CELLS = Layout("cells", 4, ("run", "dataset", "split", "model", "state", "environment"), ("facts",), ("numbers", "train_scores"))
OUTPUTS = Layout("outputs", 5, ("run", "dataset", "split", "model", "position"), ("method",), ("content",))

HOLDERS = Layout("holders", 2, ("run", "id", "beat"), ("place",), since=2)
LEASES = Layout("leases", 4, ("run", "dataset", "split", "model", "holder"), since=2)

LISTS = (MODELS, DATASETS, SPLITS, METRICS, ENVIRONMENTS)
"""What a run consists of; its row in `RUNS` says how many there are of each."""
SHARING = (HOLDERS, LEASES)
"""Who takes part in a run, and which cells they are about to measure: no results, and none is missed when it is gone."""
LAYOUTS = (STORE, RUNS, *LISTS, TALLIES, CELLS, OUTPUTS, *SHARING)
PREFIX = "tiebreak_"


def add_hashes(total: int, added: Sequence[int] = (), removed: Sequence[int] = ()) -> int:
    """A sum of hashes modulo 2**64 after more were added and others removed, as the signed integer that is stored."""
    return (total + sum(added) - sum(removed) + 2**63) % 2**64 - 2**63


@cache
def tables() -> Mapping[str, Table]:
    """Every table by the name of its layout, in the order in which they are made."""
    from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Table, Text, UniqueConstraint

    metadata = MetaData()
    made = {}
    for layout in LAYOUTS:
        columns: list[Any] = [
            Column(name, BigInteger, primary_key=name in layout.keys, autoincrement=False, nullable=False)
            for name in layout.integers
        ]
        columns += [Column(name, Text) for name in layout.texts]
        columns += [Column(name, LargeBinary) for name in layout.blobs]
        columns.append(Column("hash", BigInteger, nullable=False))
        if layout is RUNS:
            columns.append(UniqueConstraint("name_key"))
        # one tree of pages instead of two, in the order of the key: fewer pages to write, and no index to disagree
        made[layout.name] = Table(PREFIX + layout.name, metadata, *columns, sqlite_with_rowid=False)
    return made


def create_tables(connection: Connection) -> None:
    """Make all tables in the transaction under way."""
    from sqlalchemy.schema import CreateTable

    for table in tables().values():
        connection.execute(CreateTable(table))
