"""Forgetting a run, damaged or not, without keeping other writers waiting for long."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tiebreak.plan.outcome import STATES
from tiebreak.stores.database import Database
from tiebreak.stores.layout import CELLS, OUTPUTS, RUNS, STORE, TALLIES, add_hashes
from tiebreak.stores.loading import forget_rows, known_run, store_row
from tiebreak.stores.statements import cells_after, delete, delete_cells, fetch, put

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PAGE = 2_000
_BEFORE_ALL = (-1, -1, -1)


def delete_run(database: Database, name: str) -> None:
    """Delete the cells page by page, the tally always saying what is left, and then the run."""
    number = database.read(lambda connection: known_run(connection, name, even_damaged=True)[0], name)
    while _delete_page(database, name, number):
        pass
    database.write(partial(_delete_rest, number), name)


def _delete_page(database: Database, name: str, number: int) -> bool:
    """Whether there may be more to delete; damaged rows are left for the end."""
    return database.write(partial(_take_page, number), name)


def _take_page(number: int, connection: Connection) -> bool:
    tally = fetch(connection, TALLIES, run=number)
    page = cells_after(connection, number, _BEFORE_ALL, _PAGE)
    if len(page) < _PAGE or len(tally) != 1 or TALLIES.damaged(tally) or CELLS.damaged(page):
        return False
    for layout in (CELLS, OUTPUTS):
        delete_cells(connection, layout, number, page[0][1:4], page[-1][1:4])
    _, n_cells, n_done, hash_sum, updated = tally[0][:5]
    hash_sum = add_hashes(hash_sum, removed=[row[-1] for row in page])
    n_gone = sum(STATES[row[4]] == "done" for row in page)
    put(connection, TALLIES, [(number, n_cells - len(page), n_done - n_gone, hash_sum, updated)])
    return True


def _delete_rest(number: int, connection: Connection) -> None:
    """Delete what is left of the run, unless another process did."""
    if not fetch(connection, RUNS, id=number):
        return
    forget_rows(connection, number)
    delete(connection, RUNS, id=number)
    _, schema, made, n_runs, next_run, by = store_row(connection)[:6]
    put(connection, STORE, [(1, schema, made, n_runs - 1, next_run, by)])
