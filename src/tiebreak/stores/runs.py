"""Rows of runs: found, listed and verified.

Functions that need numpy import what does: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tiebreak.errors import StoreError
from tiebreak.plan.record import RunRecord
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.cells import deleted_text
from tiebreak.stores.contract import RunSummary
from tiebreak.stores.damage import Damage, Report, refuse
from tiebreak.stores.encoding import MALFORMED, fault_text, from_json, require, sealed, to_json, unpack_plan, unsealed

if TYPE_CHECKING:
    from tiebreak.stores.database import Connection

_MOST = 2**53
_TALLY = struct.Struct("<6q")


class Tally(NamedTuple):
    """Numbers of a run that change with each transaction; times are microseconds since 1970.

    `hash_sum` is the sum of the hashes of its cells modulo 2**64, and `plan` the hash of its plan.
    """

    created: int
    updated: int
    n_cells: int = 0
    n_done: int = 0
    hash_sum: int = 0
    plan: int = 0


def _column(connection: Connection, run: int, name: str, column: str) -> Any:
    """Value of a run's row; raises `StoreError` where the run was deleted."""
    found = connection.execute(f"SELECT {column} FROM tiebreak_runs WHERE run = ?", [run])  # noqa: S608
    if not found:
        raise StoreError(deleted_text(name))
    return found[0][0]


def read_tally(connection: Connection, run: int, name: str) -> Tally:
    """Read the tally of a run; raises `StoreError` where the run was deleted."""
    try:
        return _tally(run, _column(connection, run, name, "tally"))
    except MALFORMED as error:
        refuse(Damage(name, "the tally of the cells", fault_text(error)))
        raise


def pack_tally(run: int, tally: Tally) -> bytes:
    """Pack a tally for its row: always as many bytes, so that the row is changed in its place."""
    return sealed(_TALLY.pack(*tally), "tally", run)


def _tally(run: int, blob: bytes) -> Tally:
    tally = Tally(*_TALLY.unpack(unsealed(blob, "tally", run)))
    is_right = 0 <= tally.n_done <= tally.n_cells < _MOST and 0 <= tally.created < _MOST and 0 <= tally.updated < _MOST
    require(is_right, "numbers that no store has")
    return tally


def read_plan(connection: Connection, run: int, name: str) -> tuple[RunRecord, tuple[Mapping[str, str], ...], int]:
    """Read the plan of a run, the versions that it was measured with, and the hash of both."""
    from tiebreak.stores.plan_mapping import check_record

    blob = _column(connection, run, name, "plan")
    try:
        record, environments = unpack_plan(unsealed(blob, "plan", run))
        require(record.name == name, "the plan of another run")
        check_record(record)
    except MALFORMED as error:
        refuse(Damage(name, "the plan", fault_text(error)))
        raise
    return record, environments, hash_of(blob)


def hash_of(blob: bytes) -> int:
    """Read the hash in front of a sealed blob, as a number."""
    return int.from_bytes(blob[:8], "little", signed=True)


def key_of(name: str) -> bytes:
    """Key of a run, as names of any length must be unique."""
    return blake2b(to_json(name), digest_size=16).digest()


def pack_head(record: RunRecord) -> bytes:
    """Facts of a run that are listed."""
    n_splits = sum(dataset.n_splits for dataset in record.datasets)
    counts = record.n_cells, len(record.models), len(record.datasets), n_splits
    return to_json([record.name, *counts, [metric.name for metric in record.metrics]])


def list_runs(report: Report, connection: Connection) -> dict[int, RunSummary]:
    """All runs by their numbers; what is wrong is reported."""
    runs = {}
    for run, key, tally_blob, head in connection.execute("SELECT run, name_key, tally, head FROM tiebreak_runs"):
        try:
            content, kind = from_json(unsealed(head, "head", run)), tuple[str, int, int, int, int, tuple[str, ...]]
            name, n_cells, n_models, n_datasets, n_splits, metrics = msgspec.convert(content, kind)
            require(key == key_of(name), "its hash does not match")
            require(all(0 <= n < _MOST for n in (n_cells, n_models, n_datasets, n_splits)), "counts that no run has")
            tally = _tally(run, tally_blob)
        except MALFORMED as error:
            report(Damage(_name_of(head), "the description of the run", fault_text(error)))
        else:
            times, counts = (tally.created / 1e6, tally.updated / 1e6), (n_cells, tally.n_done, tally.n_cells - tally.n_done)
            runs[run] = RunSummary(name, *times, *counts, n_models, n_datasets, n_splits, metrics)
    return runs


def _name_of(head: bytes) -> str:
    """Name in the head of a run; "" where it cannot be read any more."""
    try:
        return str(from_json(head[8:])[0])
    except MALFORMED:
        return ""


def find_run(connection: Connection, name: str) -> int | None:
    """Find the number of a run; None if there is certainly none of that name."""
    found = connection.execute("SELECT run FROM tiebreak_runs WHERE name_key = ?", [key_of(name)])
    if found:
        return int(found[0][0])
    if any(run.name == name for run in list_runs(refuse, connection).values()):  # else its name may be damaged
        refuse(Damage(name, "the list of runs", "its index does not lead to the run"))
    return None


def known_run(name: str, connection: Connection) -> int:
    """Find the number of a run; raises `UnknownNameError` if there is none of that name."""
    run = find_run(connection, name)
    if run is None:
        look_up(name, [each.name for each in list_runs(refuse, connection).values()], "run")
        raise AssertionError
    return run
