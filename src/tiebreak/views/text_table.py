"""A table of text, and its rows in columns."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.views.words import columns

NAME_WIDTH = 34
"""Characters of a name in a table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, headers, rows of text, and which columns are right-aligned."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]


def aligned(table: Table) -> list[str]:
    """Rows of a table in columns, under their headers."""
    widths = [max(columns(cell) for cell in column) for column in zip(table.headers, *table.rows, strict=True)]
    lines = []
    for row in (table.headers, *table.rows):
        cells = []
        for cell, width, right in zip(row, widths, table.right, strict=True):
            space = " " * (width - columns(cell))
            cells.append(space + cell if right else cell + space)
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines
