"""Columns of numbers and names, and what is made of them: frames, records of JSON, lines of CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tiebreak.printable import printable
from tiebreak.views.json import finite

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.numerics import IntArray

Columns = Mapping[str, Any]
"""Lists, arrays or `Coded` of one length, by name."""

BLOCK = 4096
"""Rows that are Python objects at a time."""

# Spreadsheets take a cell that starts so for a formula, the full-width forms included.
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names as codes into `names`."""

    codes: IntArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.names)

    def tolist(self) -> list[str]:
        """The names themselves."""
        return [self.names[code] for code in self.codes.tolist()]


def named(columns: Mapping[str, Any | None]) -> dict[str, Any]:
    """Columns without those that are None."""
    return {name: column for name, column in columns.items() if column is not None}


def of_rows(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of rows that are known by name."""
    held = list(rows)
    return {name: [row[name] for row in held] for name in names}


def as_frame(columns: Columns | pd.DataFrame) -> pd.DataFrame:
    """Columns as a frame, coded names as categories; a frame stays as it is."""
    import pandas as pd

    if isinstance(columns, pd.DataFrame):
        return columns
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, dtype=_kind(column.names)) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )


@lru_cache(maxsize=8)
def _kind(names: tuple[str, ...]) -> pd.CategoricalDtype:
    """Type of a column of names, which pandas would check anew for each column."""
    import pandas as pd

    return pd.CategoricalDtype(pd.Index(names))


def rows_of(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Rows of Python's own numbers and texts, made block by block."""
    for start in range(0, len(next(iter(columns.values()))), BLOCK):
        blocks = (column[start : start + BLOCK] for column in columns.values())
        yield from zip(*(block.tolist() if hasattr(block, "tolist") else block for block in blocks), strict=True)


def records_of(columns: Columns) -> Iterator[dict[str, Any]]:
    """Rows by name, for JSON: what is undefined is None."""
    for row in rows_of(columns):
        yield dict(zip(columns, map(finite, row), strict=True))


def csv_lines(columns: Columns | pd.DataFrame, *, raw: bool = False) -> Iterator[str]:
    r"""Columns line by line under their names; what is undefined is an empty cell, and a list stands as JSON.

    Unless it is to be `raw`, text that a spreadsheet would run as a formula gets an apostrophe in front, and what a terminal
    would obey, or nobody can see, stands as an escape such as ``\x1b``.
    """
    last = _Last()
    writer = csv.writer(last, lineterminator="\r\n")  # so that a name with a carriage return is quoted
    if not isinstance(columns, Mapping):
        columns = {str(name): column for name, column in columns.reset_index(drop=True).items()}
    writer.writerow([_cell(name, raw) for name in columns])
    yield last.line
    for row in rows_of(columns):
        writer.writerow([_cell(value, raw) for value in row])
        yield last.line


class _Last:
    """A file to the csv module, which keeps the last row that was written."""

    line = ""

    def write(self, line: str) -> None:
        self.line = line.removesuffix("\r\n") + "\n"


def _cell(value: Any, raw: bool) -> Any:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, list | dict):
        value = json.dumps(value)
    if isinstance(value, str) and not raw:
        value = printable(value)
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return value
