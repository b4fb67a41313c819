"""Reading everything in a store, to say what is not as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tiebreak.errors import DamagedStoreError, StoreError
from tiebreak.plan.record import Cell, RunRecord
from tiebreak.stores.cells import cell_text, is_planned
from tiebreak.stores.damage import Damage, Report
from tiebreak.stores.sql.database import Database, LostStoreError, NotAStoreError, readable_schema
from tiebreak.stores.sql.encoding import MALFORMED, from_json
from tiebreak.stores.sql.log import BLOCK, read_block, scan_cells
from tiebreak.stores.sql.runs import all_runs, load_run, run_name
from tiebreak.stores.sql.statements import fetch
from tiebreak.stores.sql.tables import HOLDERS, RUNS, SHARING, CellRow, RunRow, cell_of

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection


def check_database(database: Database) -> list[Damage]:
    """Find everything that is wrong, as far as it can be read."""
    damages: list[Damage] = []
    try:
        found = database.read(database.find_damage)
        damages += [Damage("", database.whole, f"{database.kind} says {found!r}")] if found else []
        rows, of_sharing = database.read(partial(_runs, database.shown, damages.append))
        damages += of_sharing
    except (DamagedStoreError, NotAStoreError) as error:
        return [*damages, Damage("", database.whole, _brief(database, error))]
    for row in rows:
        damages += _check_run(database, row)
    return list(dict.fromkeys(damages))


def _runs(shown: str, report: Report, connection: Connection) -> tuple[list[RunRow], list[Damage]]:
    """Fetch the rows of all runs, and find what is wrong with those by which processes share them."""
    rows = all_runs(connection, report)
    schema = readable_schema(connection, shown)
    names = {row.id: run_name(row) for row in rows}
    damages = []
    for table in SHARING:  # that a row of them is gone is no damage
        found = fetch(connection, table) if table.since <= schema else []
        damaged = table.damaged(found)
        for i in damaged:
            what = f"the hash of its row {i} does not match"
            damages.append(Damage(names.get(found[i].run, ""), f"the list of {table.name}", what))
        for i, each in enumerate(found):
            if table is HOLDERS and i not in damaged and not _is_json(each.place):
                damages.append(Damage(names.get(each.run, ""), f"the list of {table.name}", f"its row {i} names no process"))
    return rows, damages


def _check_run(database: Database, row: RunRow) -> list[Damage]:
    name = run_name(row)
    damages: list[Damage] = []
    try:
        damages, record = database.read(partial(_plan, row), name)
        for page in scan_cells(database, row.id, record, _cells, damages.append):
            outside = [cell for cell in page if record.models and not is_planned(record, cell)]  # of a plan that could be read
            damages += [Damage(name, "the list of cells", cell_text(record, cell)) for cell in outside]
            for start in range(0, len(page), BLOCK):
                cells = page[start : start + BLOCK]
                read_block(database, row.id, record, cells, outputs=True, report=damages.append)
    except DamagedStoreError as error:
        damages.append(Damage(name, database.whole, _brief(database, error)))
    except LostStoreError:
        raise
    except StoreError:
        if database.read(lambda connection: fetch(connection, RUNS, id=row.id)):
            raise
        return []  # deleted by another process meanwhile
    return damages


def _plan(row: RunRow, connection: Connection) -> tuple[list[Damage], RunRecord]:
    """Load the record of a run, and find what is wrong with it; an empty one where something is."""
    damages: list[Damage] = []
    run = load_run(connection, row, damages.append)
    return damages, RunRecord(run_name(row), (), (), ()) if run is None else run.record


def _is_json(text: str | None) -> bool:
    try:
        from_json(text or "")
    except MALFORMED:
        return False
    return True


def _cells(page: Sequence[CellRow]) -> list[Cell]:
    return [cell_of(row) for row in page]


def _brief(database: Database, error: Exception) -> str:
    """Say what is wrong, without the advice that an error ends with."""
    return str(error) if error.__cause__ is None else f"{database.kind} says {' '.join(str(error.__cause__).split())!r}"
