"""The statements, as the databases read them."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from tiebreak.stores.sql import statements
from tiebreak.stores.sql.tables import CELLS, LAYOUTS, OUTPUTS, Layout, tables


def all_statements(layout: Layout) -> list[statements.Statement]:
    some = [
        statements._select_equal(layout, layout.keys[:1]),
        statements._delete_equal(layout, layout.keys[:1]),
        statements._insert(layout, replaces=True),
        statements._insert(layout, replaces=False),
    ]
    if layout in (CELLS, OUTPUTS):
        some += [statements._cells_after(), statements._select_between(layout), statements._delete_between(layout)]
    return some


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_nothing_is_peculiar_to_sqlite(layout: Layout) -> None:
    """Every statement compiles for PostgreSQL too, with keys of 64 bits and the same parameters."""
    for statement in all_statements(layout):
        ours, theirs = (
            statement._build(dialect.name).compile(dialect=dialect)  # type: ignore[attr-defined]
            for dialect in (sqlite.dialect(), postgresql.psycopg.dialect())
        )
        assert set(ours.params) - {"param_1"} == set(theirs.params)  # SQLite has OFFSET 0 behind every LIMIT
    made = str(CreateTable(tables()[layout.name]).compile(dialect=postgresql.psycopg.dialect()))
    assert all(f"{name} BIGINT NOT NULL" in made for name in (*layout.integers, "hash"))
    assert "ROWID" not in made


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_rows_go_in_by_the_order_of_their_columns(layout: Layout) -> None:
    """As `Statement.execute_rows` hands them over as they are."""
    for replaces in (True, False):
        compiled = statements._insert(layout, replaces=replaces)._build("sqlite").compile(dialect=sqlite.dialect())  # type: ignore[attr-defined]
        assert tuple(compiled.positiontup) == layout.columns
