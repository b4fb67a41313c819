"""The table of pairs as CSV, by the standard library."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any

from tiebreak.views.tables import pair_columns

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison

# Spreadsheets take a cell that starts so for a formula, the full-width forms and those after a line break included.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def pairs_csv(comparison: Comparison, *, raw: bool = False) -> str:
    """All pairs with their columns as `Comparison.pairs` names them; what is undefined is an empty cell.

    Parameters
    ----------
    comparison : Comparison
    raw : bool
        Leave text as it is. Otherwise text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    columns = pair_columns(comparison)
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # so that a name with a carriage return is quoted
    writer.writerow(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        writer.writerow([_cell(value, raw) for value in row])
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


class _Lines(list[str]):
    """A file to the csv module, of which each row stays apart."""

    write = list.append


def _cell(value: Any, raw: bool) -> Any:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, str) and not raw and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
