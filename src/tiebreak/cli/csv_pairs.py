"""The table of pairs as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.cli.csv_text import csv_lines
from tiebreak.views.comparison import pair_columns

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison


def pairs_csv(comparison: Comparison, *, raw: bool = False) -> str:
    """All pairs with their columns as `Comparison.pairs` names them; what is undefined is an empty cell.

    Parameters
    ----------
    comparison : Comparison
    raw : bool
        Leave text as it is. Otherwise text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    columns = pair_columns(comparison)
    return "".join(csv_lines(list(columns), zip(*(column.tolist() for column in columns.values()), strict=True), raw=raw))
