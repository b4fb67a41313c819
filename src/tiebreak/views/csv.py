"""Tables as CSV, by the standard library: any name survives, and nothing in it is run by a spreadsheet."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.printable import printable

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison

BLOCK = 10_000
"""Rows of a frame that are Python objects at a time."""

# Spreadsheets take a cell that starts so for a formula, the full-width forms included.
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]], *, raw: bool = False) -> Iterator[str]:
    r"""A table line by line; what is undefined is an empty cell.

    Unless it is to be `raw`, text that a spreadsheet would run as a formula gets an apostrophe in front, and what a terminal
    would obey, or nobody can see, stands as an escape such as ``\x1b``.
    """
    last = _Last()
    writer = csv.writer(last, lineterminator="\r\n")  # so that a name with a carriage return is quoted
    writer.writerow([_cell(name, raw) for name in header])
    yield last.line
    for row in rows:
        writer.writerow([_cell(value, raw) for value in row])
        yield last.line


def frame_lines(frame: pd.DataFrame, *, raw: bool = False) -> Iterator[str]:
    """A data frame line by line, as `csv_lines`."""
    return csv_lines([str(name) for name in frame.columns], _frame_rows(frame), raw=raw)


def _frame_rows(frame: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    for start in range(0, len(frame), BLOCK):
        block = frame.iloc[start : start + BLOCK]
        yield from zip(*(block[name].tolist() for name in frame.columns), strict=True)


def pair_lines(comparison: Comparison, *, raw: bool = False) -> Iterator[str]:
    """All pairs with their columns as `Comparison.pairs` names them, as `csv_lines`."""
    from tiebreak.views.comparison_columns import pair_columns

    columns = pair_columns(comparison)
    return csv_lines(list(columns), zip(*(column.tolist() for column in columns.values()), strict=True), raw=raw)


class _Last:
    """A file to the csv module, which keeps the last row that was written."""

    line = ""

    def write(self, line: str) -> None:
        self.line = line.removesuffix("\r\n") + "\n"


def _cell(value: Any, raw: bool) -> Any:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, str) and not raw:
        value = printable(value)
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return value
