"""Reading everything in a store, to say what is not as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.plan.record import RunRecord
from tiebreak.stores.contract import Damage, Report
from tiebreak.stores.sql.database import Database, readable_schema
from tiebreak.stores.sql.faults import LaterStoreError, LostStoreError, NotAStoreError
from tiebreak.stores.sql.plan_mapping import all_runs, list_damages, load_run
from tiebreak.stores.sql.reading import BLOCK, cells_in, positions_of, read_block, scan_cells
from tiebreak.stores.sql.runs import run_name
from tiebreak.stores.sql.statements import fetch
from tiebreak.stores.sql.tables import RUNS, SHARING, Row

if TYPE_CHECKING:
    from sqlalchemy import Connection


def check_database(database: Database) -> list[Damage]:
    """Everything that is wrong, as far as it can be read."""
    damages: list[Damage] = []
    try:
        found = database.find_damage()
        damages += [Damage("", database.whole, f"{database.kind} says {found!r}")] if found else []
        rows, of_sharing = database.read(partial(_runs, database.shown, damages.append))
        damages += of_sharing
    except LaterStoreError:  # which may well be whole
        raise
    except (DamagedStoreError, NotAStoreError) as error:
        return [*damages, Damage("", database.whole, _what(database, error))]
    for row in rows:
        damages += _check_run(database, row)
    return list(dict.fromkeys(damages))


def _runs(shown: str, report: Report, connection: Connection) -> tuple[list[Row], list[Damage]]:
    """The rows of all runs, and what is wrong with those by which processes share them."""
    rows = all_runs(connection, report)
    return rows, _sharing_damages(connection, readable_schema(connection, shown), rows)


def _sharing_damages(connection: Connection, schema: int, runs: Sequence[Row]) -> list[Damage]:
    """What is wrong with the rows by which processes share runs. That one of them is gone is no damage."""
    names = {row[0]: run_name(row) for row in runs}
    damages = []
    for layout in SHARING:
        found = fetch(connection, layout) if layout.since <= schema else []
        for i in layout.damaged(found):
            what = f"the hash of its row {i} does not match"
            damages.append(Damage(names.get(found[i][0], ""), f"the list of {layout.name}", what))
    return damages


def _check_run(database: Database, row: Row) -> list[Damage]:
    number, name = row[0], run_name(row)
    damages: list[Damage] = []
    try:
        damages, record = database.read(partial(_lists, row), name)
        for page in scan_cells(database, number, record, positions_of, damages.append):
            for start in range(0, len(page), BLOCK):
                cells = cells_in(page[start : start + BLOCK])
                read_block(database, number, record, cells, outputs=True, report=damages.append)
    except DamagedStoreError as error:
        damages.append(Damage(name, database.whole, _what(database, error)))
    except LostStoreError:
        raise
    except StoreError:
        if database.read(lambda connection: fetch(connection, RUNS, id=number)):
            raise
        return []  # deleted by another process meanwhile
    return damages


def _lists(row: Row, connection: Connection) -> tuple[list[Damage], RunRecord]:
    """What is wrong with the lists of a run, and its record; an empty one where something is."""
    damages = list_damages(connection, row)
    return damages, RunRecord(run_name(row), (), (), ()) if damages else load_run(connection, row).record


def _what(database: Database, error: Exception) -> str:
    """What is wrong, without the advice that an error ends with."""
    cause = getattr(error.__cause__, "orig", None) or error.__cause__
    return str(error) if cause is None else f"{database.kind} says {' '.join(str(cause).split())!r}"
