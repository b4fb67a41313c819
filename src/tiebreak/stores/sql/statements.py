"""Every statement that a store executes on its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.stores.contract import Note
from tiebreak.stores.sql.tables import CELLS, Layout, Row, tables

if TYPE_CHECKING:
    from sqlalchemy import Connection, Delete, Executable, Insert, Select

CELL_KEY = ("dataset", "split", "model")


class _Compiled(NamedTuple):
    """SQL, the order of its parameters (None where they go by name), and those whose value is part of the statement."""

    text: str
    order: Sequence[str] | None
    constants: Mapping[str, Any]


class Statement:
    """A statement of SQLAlchemy Core that is compiled once for each kind of database, and then handed to its driver as text.

    Core's own way of executing takes longer than SQLite needs to keep a cell.

    Parameters
    ----------
    build : callable
        Makes the statement, given the name of the dialect.
    """

    def __init__(self, build: Callable[[str], Executable]) -> None:
        self._build = build
        self._compiled: dict[str, _Compiled] = {}

    def fetch(self, connection: Connection, parameters: Mapping[str, Any]) -> list[Row]:
        """The rows of a query with named parameters."""
        with _cursor(connection) as cursor:
            cursor.execute(*self._bound(connection, parameters))
            rows: list[Row] = cursor.fetchall()
        return rows

    def execute(self, connection: Connection, parameters: Mapping[str, Any]) -> None:
        """Execute with named parameters."""
        with _cursor(connection) as cursor:
            cursor.execute(*self._bound(connection, parameters))

    def execute_rows(self, connection: Connection, columns: Sequence[str], rows: Sequence[Row]) -> int:
        """Execute once for each row, and say how many rows of the table changed."""
        if not rows:
            return 0
        statement = self._for(connection)
        values: Sequence[Any] = rows
        if statement.order is None:
            values = [dict(zip(columns, row, strict=True)) for row in rows]
        with _cursor(connection) as cursor:
            cursor.executemany(statement.text, values)
            return int(cursor.rowcount)

    def _bound(self, connection: Connection, parameters: Mapping[str, Any]) -> tuple[str, Any]:
        statement = self._for(connection)
        values = {**statement.constants, **parameters}
        order = statement.order
        return statement.text, values if order is None else tuple([values[name] for name in order])

    def _for(self, connection: Connection) -> _Compiled:
        dialect = connection.dialect
        if dialect.name not in self._compiled:
            compiled: Any = self._build(dialect.name).compile(dialect=dialect)  # type: ignore[attr-defined]
            order = compiled.positiontup if compiled.positional else None
            self._compiled[dialect.name] = _Compiled(str(compiled), order, compiled.params)
        return self._compiled[dialect.name]


def _cursor(connection: Connection) -> closing[Any]:
    # in binary the numbers and blobs of PostgreSQL come as they are kept, and not as texts to be read
    options = {"binary": True} if connection.dialect.name == "postgresql" else {}
    return closing(connection.connection.cursor(**options))


# --- rows of any table ----------------------------------------------------------------------------------------------------


def fetch(connection: Connection, layout: Layout, **equal: int) -> list[Row]:
    """The rows with these values, in the order of their keys."""
    return _select_equal(layout, tuple(equal)).fetch(connection, equal)


def rows_after(connection: Connection, layout: Layout, key: Sequence[int], limit: int) -> list[Row]:
    """The next rows of a table behind the one with this key."""
    return _select_after(layout).fetch(connection, {**dict(zip(layout.keys, key, strict=True)), "limit": limit})


def insert_new(connection: Connection, layout: Layout, sealed: Sequence[Row]) -> int:
    """Insert the rows whose keys are not there yet, and say how many these were."""
    return _insert(layout, replaces=False).execute_rows(connection, layout.columns, sealed)


def put(connection: Connection, layout: Layout, rows: Sequence[Row]) -> None:
    """Seal the rows and write them, in the place of those with the same keys."""
    put_sealed(connection, layout, layout.seal(rows))


def put_sealed(connection: Connection, layout: Layout, sealed: Sequence[Row]) -> None:
    """Write rows with their hashes, in the place of those with the same keys."""
    _insert(layout, replaces=True).execute_rows(connection, layout.columns, sealed)


def delete(connection: Connection, layout: Layout, **equal: int) -> None:
    """Delete the rows with these values."""
    _delete_equal(layout, tuple(equal)).execute(connection, equal)


def delete_keys(connection: Connection, layout: Layout, keys: Sequence[Row]) -> None:
    """Delete the rows with these keys."""
    _delete_equal(layout, layout.keys).execute_rows(connection, layout.keys, keys)


@cache
def _select_equal(layout: Layout, names: tuple[str, ...]) -> Statement:
    def build(_: str) -> Select[Any]:
        from sqlalchemy import bindparam

        table = tables()[layout.name]
        return _ordered(layout).where(*(table.c[name] == bindparam(name) for name in names))

    return Statement(build)


@cache
def _select_after(layout: Layout) -> Statement:
    def build(_: str) -> Select[Any]:
        from sqlalchemy import bindparam, tuple_

        table = tables()[layout.name]
        behind = tuple_(*(table.c[name] for name in layout.keys)) > tuple_(*(bindparam(name) for name in layout.keys))
        return _ordered(layout).where(behind).limit(bindparam("limit"))

    return Statement(build)


@cache
def _delete_equal(layout: Layout, names: tuple[str, ...]) -> Statement:
    def build(_: str) -> Delete:
        from sqlalchemy import bindparam
        from sqlalchemy import delete as delete_from

        table = tables()[layout.name]
        return delete_from(table).where(*(table.c[name] == bindparam(name) for name in names))

    return Statement(build)


@cache
def _insert(layout: Layout, *, replaces: bool) -> Statement:
    def build(dialect: str) -> Insert:
        table = tables()[layout.name]
        insert: Any
        if dialect == "postgresql":
            from sqlalchemy.dialects.postgresql import insert
        else:
            from sqlalchemy.dialects.sqlite import insert
        statement = insert(table)
        if not replaces:
            return statement.on_conflict_do_nothing(index_elements=list(layout.keys))  # type: ignore[no-any-return]
        others = {name: statement.excluded[name] for name in layout.columns if name not in layout.keys}
        return statement.on_conflict_do_update(index_elements=list(layout.keys), set_=others)  # type: ignore[no-any-return]

    return Statement(build)


def _ordered(layout: Layout) -> Select[Any]:
    from sqlalchemy import select

    table = tables()[layout.name]
    return select(table).order_by(*(table.c[name] for name in layout.keys))


# --- cells ----------------------------------------------------------------------------------------------------------------


def cells_after(connection: Connection, run: int, key: Sequence[int], limit: int) -> list[Row]:
    """The next cells of a run behind one that is given by (dataset, split, model)."""
    values = dict(zip(CELL_KEY, key, strict=True))
    return _cells_after().fetch(connection, {"run": run, **values, "limit": limit})


def cells_noting(connection: Connection, run: int, what: Note, key: Sequence[int], limit: int) -> list[Row]:
    """The same of those cells alone that have, or seem to have, such a note: its name may stand in another text."""
    values = dict(zip(CELL_KEY, key, strict=True))
    return _cells_after(what).fetch(connection, {"run": run, **values, "limit": limit})


def cells_between(connection: Connection, layout: Layout, run: int, first: Sequence[int], last: Sequence[int]) -> list[Row]:
    """The cells of a run, or their outputs, from one (dataset, split, model) to another."""
    return _select_between(layout).fetch(connection, _between(run, first, last))


def delete_cells(connection: Connection, layout: Layout, run: int, first: Sequence[int], last: Sequence[int]) -> None:
    """Delete the cells of a run, or their outputs, from one (dataset, split, model) to another."""
    _delete_between(layout).execute(connection, _between(run, first, last))


def _between(run: int, first: Sequence[int], last: Sequence[int]) -> dict[str, int]:
    named = {f"first_{name}": value for name, value in zip(CELL_KEY, first, strict=True)}
    return {"run": run, **named, **{f"last_{name}": value for name, value in zip(CELL_KEY, last, strict=True)}}


@cache
def _cells_after(what: Note | None = None) -> Statement:
    def build(_: str) -> Select[Any]:
        from sqlalchemy import bindparam, tuple_

        table = tables()[CELLS.name]
        behind = tuple_(*(table.c[name] for name in CELL_KEY)) > tuple_(*(bindparam(name) for name in CELL_KEY))
        noting = [table.c.facts.contains(f'"{what}"')] if what is not None else []
        return _ordered(CELLS).where(table.c.run == bindparam("run"), behind, *noting).limit(bindparam("limit"))

    return Statement(build)


@cache
def _select_between(layout: Layout) -> Statement:
    return Statement(lambda _: _ordered(layout).where(*_range(layout)))


@cache
def _delete_between(layout: Layout) -> Statement:
    def build(_: str) -> Delete:
        from sqlalchemy import delete as delete_from

        return delete_from(tables()[layout.name]).where(*_range(layout))

    return Statement(build)


def _range(layout: Layout) -> list[Any]:
    from sqlalchemy import bindparam, tuple_

    table = tables()[layout.name]
    key = tuple_(*(table.c[name] for name in CELL_KEY))
    first, last = (tuple_(*(bindparam(f"{end}_{name}") for name in CELL_KEY)) for end in ("first", "last"))
    return [table.c.run == bindparam("run"), key >= first, key <= last]
