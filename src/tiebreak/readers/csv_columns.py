"""Typed columns of a CSV, filled chunk by chunk from texts or from what numpy's parser has read already."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.readers.columns import Column, Labels, NotNumbers, not_a_number, number_text

_SPECIAL = dict.fromkeys(["", "NA", "null"], float("nan"))  # "nan" in any case is a float already
_SPECIAL |= dict.fromkeys(["True", "true", "TRUE"], 1.0) | dict.fromkeys(["False", "false", "FALSE"], 0.0)

Place = Callable[[int], str]
"""Where the row at a position of the chunk stands: "scores.csv, line 7"."""


class Collector(Protocol):
    """Gathers the cells of one column."""

    def wants_numbers(self) -> bool:
        """Whether numpy is to read the column as numbers rather than as text."""

    def add(self, cells: Sequence[str], place: Place) -> None:
        """Take the texts of a chunk."""

    def add_read(self, values: NDArray[Any]) -> None:
        """Take what numpy has read, numbers or texts as asked for."""

    def column(self) -> Column:
        """All cells."""


def collector(kind: str, name: str, is_free: bool, hint: str) -> Collector:
    """A collector of "words", "key" or "numbers"; `is_free` where a column need not be numeric, `hint` where it is not."""
    if kind == "words":
        return _Words()
    return _Keys() if kind == "key" else _Numbers(name, is_free, hint)


class _Numbers:
    """Numbers; the first cell that is none is an error, or ends a column that need not be numeric."""

    def __init__(self, name: str, is_free: bool, hint: str) -> None:
        self._name = name
        self._is_free = is_free
        self._hint = hint
        self._values = array("d")
        self._stopped: NotNumbers | None = None

    def wants_numbers(self) -> bool:
        return self._stopped is None

    def add(self, cells: Sequence[str], place: Place) -> None:
        if self._stopped is not None:
            return
        try:
            extend(self._values, cells)
        except ValueError:
            at = next(i for i, cell in enumerate(cells) if not _is_readable(cell))
            self._stopped = NotNumbers(place(at), cells[at])
            if not self._is_free:
                raise not_a_number(self._stopped.where, self._name, cells[at], self._hint) from None
            self._values = array("d")

    def add_read(self, values: NDArray[Any]) -> None:
        if self._stopped is None:
            self._values.frombytes(np.ascontiguousarray(values, dtype=float).tobytes())

    def column(self) -> Column:
        return self._stopped or np.frombuffer(self._values, dtype=float)


def extend(values: array[float], cells: Sequence[str]) -> None:
    """Append cells as numbers, an empty one as nan; a ValueError leaves the values as they were."""
    text = "".join(cells)
    if "_" in text or not text.isascii():  # Python would read 1_000 and digits of every script
        raise ValueError
    n_values = len(values)
    try:
        values.extend(map(float, cells))
    except ValueError:
        del values[n_values:]
        values.extend([_SPECIAL[cell] if cell in _SPECIAL else float(cell) for cell in map(str.strip, cells)])


def _is_readable(cell: str) -> bool:
    try:
        extend(array("d"), [cell])
    except ValueError:
        return False
    return True


class _Words:
    """Words, coded as they come; an empty cell has code -1."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {"": -1}
        self._index = _Index(self._names)
        self._code = array("i")

    def wants_numbers(self) -> bool:
        return False

    def add(self, cells: Iterable[str], place: Place | None = None) -> None:
        self._code.extend(map(self._index.__getitem__, cells))

    def add_read(self, values: NDArray[Any]) -> None:
        self.add(values.tolist())

    def column(self) -> Labels:
        return Labels(tuple(self._names)[1:], np.frombuffer(self._code, dtype=np.int32))


class _Index(dict[str, int]):
    """Codes by cell; the same word with blanks around it has the same code."""

    def __init__(self, names: dict[str, int]) -> None:
        self._names = names

    def __missing__(self, cell: str) -> int:
        code = self[cell] = self._names.setdefault(cell.strip(), len(self._names) - 1)
        return code


class _Keys:
    """Numbers, or words as soon as one cell is none."""

    def __init__(self) -> None:
        self._numbers: array[float] | None = array("d")
        self._words = _Words()

    def wants_numbers(self) -> bool:
        return self._numbers is not None

    def add(self, cells: Sequence[str], place: Place) -> None:
        if self._numbers is not None:
            try:
                extend(self._numbers, cells)
                return
            except ValueError:
                self._words.add("" if value != value else number_text(value) for value in self._numbers)
                self._numbers = None
        self._words.add(cells)

    def add_read(self, values: NDArray[Any]) -> None:
        if self._numbers is not None:
            self._numbers.frombytes(np.ascontiguousarray(values, dtype=float).tobytes())
        else:
            self._words.add_read(values)

    def column(self) -> Column:
        return self._words.column() if self._numbers is None else np.frombuffer(self._numbers, dtype=float)
