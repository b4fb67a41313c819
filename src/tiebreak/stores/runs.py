"""Rows of runs: found, listed and verified.

Functions that need numpy import what does: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated

import msgspec

from tiebreak.errors import StoreError
from tiebreak.plan.record import RunRecord
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.cells import deleted_text
from tiebreak.stores.contract import MISMATCH, Damage, Report, RunSummary, refuse
from tiebreak.stores.encoding import MALFORMED, fault_text, from_json, require, sealed, to_json, unpack_plan, unsealed

if TYPE_CHECKING:
    from tiebreak.stores.database import Connection

Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Head(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Facts of a run that are listed, and numbers that change with each transaction; times are microseconds since 1970.

    `n_cells` are planned, `n_kept` recorded. `hash_sum` is the sum of the hashes of the recorded cells modulo 2**64, and `plan`
    the hash of its plan.
    """

    created: Count
    updated: Count
    name: str = ""
    n_cells: Count = 0
    n_models: Count = 0
    n_datasets: Count = 0
    n_splits: Count = 0
    metrics: tuple[str, ...] = ()
    n_kept: Count = 0
    n_done: Count = 0
    hash_sum: int = 0
    plan: str = ""


def described(head: Head, record: RunRecord, plan: bytes) -> Head:
    """The head with the facts of a record, and of the plan that was packed of it."""
    return msgspec.structs.replace(
        head,
        name=record.name,
        n_cells=record.n_cells,
        n_models=len(record.models),
        n_datasets=len(record.datasets),
        n_splits=sum(dataset.n_splits for dataset in record.datasets),
        metrics=tuple(metric.name for metric in record.metrics),
        plan=plan[:8].hex(),
    )


def pack_head(run: int, head: Head) -> bytes:
    """Pack a head for its row: nearly always as many bytes as before, so that the row is changed in its place."""
    content = to_json(msgspec.structs.astuple(head))
    return sealed(content.ljust(len(content) + -len(content) % 128), "head", run)


def _head(run: int, blob: bytes) -> Head:
    head = msgspec.convert(from_json(unsealed(blob, "head", run)), Head)
    require(head.n_done <= head.n_kept, "more cells done than kept")
    return head


def read_head(connection: Connection, run: int, name: str) -> Head:
    """Read the head of a run; raises `StoreError` where the run was deleted."""
    found = connection.execute("SELECT head FROM tiebreak_runs WHERE run = ?", [run])
    if not found:
        raise StoreError(deleted_text(name))
    try:
        return _head(run, found[0][0])
    except MALFORMED as error:
        refuse(Damage(name, "the description of the run", fault_text(error)))
        raise


def read_plan(connection: Connection, run: int, name: str) -> tuple[RunRecord, tuple[Mapping[str, str], ...], str]:
    """Read the plan of a run, the versions that it was measured with, and the hash of both."""
    from tiebreak.stores.plan_mapping import check_record

    found = connection.execute("SELECT plan FROM tiebreak_runs WHERE run = ?", [run])
    if not found:
        raise StoreError(deleted_text(name))
    blob = found[0][0]
    try:
        record, environments = unpack_plan(unsealed(blob, "plan", run))
        require(record.name == name, "the plan of another run")
        check_record(record)
    except MALFORMED as error:
        refuse(Damage(name, "the plan", fault_text(error)))
        raise
    return record, environments, blob[:8].hex()


def key_of(name: str) -> bytes:
    """Key of a run, as names of any length must be unique."""
    return blake2b(to_json(name), digest_size=16).digest()


def list_runs(report: Report, connection: Connection) -> dict[int, RunSummary]:
    """All runs by their numbers; what is wrong is reported."""
    runs = {}
    for run, key, blob in connection.execute("SELECT run, name_key, head FROM tiebreak_runs"):
        try:
            head = _head(run, blob)
            require(key == key_of(head.name), MISMATCH)
        except MALFORMED as error:
            report(Damage(_name_of(blob), "the description of the run", fault_text(error)))
        else:
            counts = head.n_cells, head.n_done, head.n_kept - head.n_done, head.n_models, head.n_datasets, head.n_splits
            runs[run] = RunSummary(head.name, head.created / 1e6, head.updated / 1e6, *counts, head.metrics)
    return runs


def _name_of(head: bytes) -> str:
    """Name in the head of a run; "" where it cannot be read any more."""
    try:
        return str(from_json(head[8:])[Head.__struct_fields__.index("name")])
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
