"""Columns of a table as plain arrays, whatever they were read from, so that a CSV needs no data frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.assemble import row_blocks

Where = Callable[[int], str]
"""How people are told of a row: "scores.csv, line 7"."""


class Labels(NamedTuple):
    """A column of words: a code for each row, -1 where there is none."""

    names: tuple[str, ...]
    code: IntArray

    def take(self, rows: IntArray) -> Labels:
        """The given rows, in their order."""
        return Labels(self.names, self.code[rows])


class NotNumbers(NamedTuple):
    """A column that is not wholly numeric and was not kept; where its first cell that is no number is, and what it says."""

    where: str
    text: str


Column = FloatArray | Labels | NotNumbers


@dataclass(slots=True)
class Table:
    """Columns of equal length, by the name they have in the source.

    Reading takes columns out (`pop`), so that a large table is never held twice.
    """

    name: str
    n_rows: int
    columns: dict[str, Column]
    where: Where

    def numbers(self, name: str, hint: str = "") -> FloatArray:
        """A column taken out as numbers; the hint is for a cell that is none, and speaks for itself.

        Raises
        ------
        InvalidScoresError
            A cell is not a number.
        """
        column = self.columns.pop(name)
        if isinstance(column, Labels):
            row = int(np.argmax(column.code >= 0))
            column = NotNumbers(self.where(row), column.names[column.code[row]])
        if isinstance(column, NotNumbers):
            raise not_a_number(column.where, name, column.text, hint)
        return column

    def labels(self, name: str) -> Labels:
        """A column taken out as words."""
        column = self.columns.pop(name)
        return as_labels(column) if isinstance(column, np.ndarray) else column  # type: ignore[return-value]


def not_a_number(where: str, column: str, text: str, hint: str = "") -> InvalidScoresError:
    """The error for a cell that should be a number, with what it probably is, or else the hint."""
    return InvalidScoresError(f"{where}, column {column!r}: {_short(text)} is not a number.{_cell_hint(text) or hint}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _cell_hint(text: str) -> str:
    if re.fullmatch(r"\s*[-+]?\d*,\d+\s*", text):
        return " It looks like a decimal comma: write numbers with a point, such as 0.83."
    if re.fullmatch(r"\s*[-+]?[\d.]+\s*%\s*", text):
        return " Leave the percent sign out."
    if re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", text, re.ASCII):
        return " It is text: turn the column into numbers."
    if "\0" in text:
        return " It holds a NUL character, so the file may be damaged or not be text."
    return ""


def as_labels(numbers: FloatArray) -> Labels:
    """Numbers as words, as people write them: 3, not 3.0."""
    present = ~np.isnan(numbers)
    values, code = np.unique(numbers[present], return_inverse=True)
    codes = np.full(numbers.size, -1, dtype=np.int32)
    codes[present] = code
    return Labels(tuple(number_text(value) for value in values.tolist()), codes)


def number_text(value: float) -> str:
    """A number as people write it."""
    return str(int(value)) if value.is_integer() else repr(value)


def in_order_of_appearance(labels: Labels) -> Labels:
    """The same words with codes by first row, where no row lacks one; words that no row uses are dropped."""
    first = np.full(len(labels.names), labels.code.size)
    for rows in row_blocks(labels.code.size):
        block = labels.code[rows]
        earliest = np.full(first.size, labels.code.size)
        earliest[block[::-1]] = np.arange(block.size)[::-1] + rows.start  # the last one written is the first there
        first = np.minimum(first, earliest)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < labels.code.size)]
    names = tuple(labels.names[code] for code in order)
    if names == labels.names:
        return labels
    rank = np.zeros(first.size, dtype=np.int32)
    rank[order] = np.arange(order.size)
    return Labels(names, rank[labels.code])


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key by which "fold 2" comes before "fold 10"."""
    parts = re.split(r"(\d+)", text.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part), text


def from_values(values: Iterable[Any]) -> Column:
    """A column of Python objects: numbers where all are (None is missing), else words."""
    values = [None if is_missing(value) else value for value in values]
    if all(value is None or is_number(value) for value in values):
        return np.array([np.nan if value is None else to_float(value) for value in values], dtype=float)
    index: dict[str, int] = {}
    texts = (None if value is None else _label_text(value) for value in values)
    code = [-1 if text is None else index.setdefault(text, len(index)) for text in texts]
    return Labels(tuple(index), np.array(code, dtype=np.int32))


def is_missing(value: Any) -> bool:
    """Whether this is how Python or pandas says that there is no value; nan is a number."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def is_number(value: Any) -> bool:
    """Whether this can be read as a float; text that spells a number cannot."""
    return not isinstance(value, (str, bytes)) and hasattr(value, "__float__") and not isinstance(value, complex)


def to_float(value: Any) -> float:
    """A number as a float; infinite if it is beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _label_text(value: Any) -> str:
    if isinstance(value, float):
        return number_text(value)
    return str(value)
