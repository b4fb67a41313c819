"""Runs in a database: begun, gone on with, and read."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

from tiebreak.plan.record import RunRecord
from tiebreak.stores.database import Database
from tiebreak.stores.loading import StoredRun, begin_run, extend_run, find_run, known_run, load_run
from tiebreak.stores.merging import check_record, environment_of, merge_records
from tiebreak.stores.sql_log import SqlLog

if TYPE_CHECKING:
    from sqlalchemy import Connection


def open_run(database: Database, record: RunRecord, *, accept_versions: bool, lease_seconds: float) -> SqlLog:
    """Begin a run, or go on with the one of the same name."""
    check_record(record)
    run, environment = database.write(partial(_begun, record, accept_versions), record.name, create=True)
    return SqlLog(database, run, dataclasses.replace(record, threads=run.record.threads), environment, lease_seconds)


def read_run(database: Database, name: str, *, lease_seconds: float) -> SqlLog:
    """A stored run with everything that it has."""
    run = database.read(lambda connection: load_run(connection, known_run(connection, name)), name)
    return SqlLog(database, run, run.record, len(run.environments) - 1, lease_seconds)


def _begun(record: RunRecord, accept_versions: bool, connection: Connection) -> tuple[StoredRun, int]:
    """The stored run with what the record adds to it, and the position of the versions at work."""
    row = find_run(connection, record.name)
    if row is None:
        return begin_run(connection, record), 0
    stored = load_run(connection, row)
    merged = merge_records(stored.record, record)
    environment = environment_of(record.name, stored.environments, record.versions, accept_versions)
    is_new = environment == len(stored.environments)
    environments = (*stored.environments, dict(record.versions)) if is_new else stored.environments
    return extend_run(connection, stored, merged, environments), environment
