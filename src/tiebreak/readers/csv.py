"""CSV by the standard library, in chunks: a large file is never held as text."""

from __future__ import annotations

import csv
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BufferedReader, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.columns import (
    COLUMNS_ARE_MODELS,
    Column,
    Labels,
    Layout,
    NotNumbers,
    Table,
    find_layout,
    not_a_number,
    number_text,
    wanted_columns,
)

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


CELLS_PER_CHUNK = 1 << 16
"""Cells held as text at a time (about 5 MB)."""


def read_csv(path: Path, name: str) -> tuple[Table, Layout]:
    """A CSV file as typed columns.

    Parameters
    ----------
    path : Path
        UTF-8, with or without byte-order mark; separated by commas, or by tabs if it is called .tsv.
    name : str
        How messages call it.

    Raises
    ------
    UnreadableSourceError
        Not such a file; the text names line and column.
    InvalidScoresError
        A cell that should be a number and is not.
    """
    with path.open("rb") as binary:
        _refuse_other_formats(binary, name)
        with TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text:
            lines = _Lines(text, name, "\t" if path.suffix.lower() == ".tsv" else ",")
            try:
                return _read(lines)
            except UnicodeDecodeError:
                raise UnreadableSourceError(f"{_first_not_utf8(path, name)}. Save it as UTF-8.") from None
            except csv.Error as error:
                raise UnreadableSourceError(f"{name}, after line {lines.line}: {error}. Is a quotation mark left open?") from None


def _first_not_utf8(path: Path, name: str) -> str:
    """Where it is; the decoder knows the place in its buffer only."""
    if path.is_file():  # a pipe cannot be read again
        with path.open("rb") as binary:
            for number, line in enumerate(binary, start=1):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    return f"{name}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8"
    return f"{name} is not UTF-8 text"


def _refuse_other_formats(binary: BufferedReader, name: str) -> None:
    start = binary.peek(4)[:4]
    for magic, what in _FORMATS.items():
        if start.startswith(magic):
            raise UnreadableSourceError(f"{name} is {what}.")
    if not start:
        raise UnreadableSourceError(f"{name} is empty.")


_FORMATS = {
    b"\xff\xfe": "UTF-16 text. Save it as UTF-8 (in Excel: 'CSV UTF-8')",
    b"\xfe\xff": "UTF-16 text. Save it as UTF-8 (in Excel: 'CSV UTF-8')",
    b"PK\x03\x04": "no CSV but a zip file, perhaps an Excel sheet. Save it as CSV UTF-8",
    b"PAR1": "no CSV but Parquet. Give it the ending .parquet",
    b"\x1f\x8b": "compressed. Unpack it first",
}


def _read(lines: _Lines) -> tuple[Table, Layout]:
    header = [cell.strip() for cell in lines.header()]
    _check_header(header, lines)
    layout = find_layout(header, lines.name)
    kinds = wanted_columns(tuple(header), layout)
    free = layout.others if layout.form == "metrics" else ()
    models = layout.others if layout.form == "wide" else ()
    collectors = {
        position: collector(kinds[name], name, name in free, COLUMNS_ARE_MODELS if name in models else "")
        for position, name in enumerate(header)
        if name in kinds
    }
    n_rows = lines.fill(collectors, header)
    columns = {header[position]: collectors[position].column() for position in collectors}
    return Table(lines.name, n_rows, columns, lines.where), layout


# --- rows -------------------------------------------------------------------------------------------------------------


class _Lines:
    """Rows in chunks, and where in the file each row stands.

    A chunk without quotation marks is left to numpy's parser, which is four times as fast. What it refuses (an empty cell, a
    row too long, a word among numbers) is read again cell by cell, which says what and where; and from the first quotation
    mark on everything is, since cells may then hold line ends.
    """

    def __init__(self, text: TextIOWrapper, name: str, separator: str) -> None:
        self.name = name
        self.separator = separator
        self.line = 0  # lines read so far
        self._text = text
        self._n_rows = 0
        self._refused = 0
        # rows from which on the number of the line is so much larger than that of the row
        self._rows, self._shifts = array("q"), array("q")

    def header(self) -> list[str]:
        """The first row that is not blank."""
        reader = csv.reader(self._text, delimiter=self.separator, strict=True)
        for row in reader:
            self.line = reader.line_num
            if any(cell.strip() for cell in row):
                self._note(0, self.line)
                return row
        raise UnreadableSourceError(f"{self.name} holds nothing but blank lines.")

    def next_line(self) -> str:
        """The line after the header, for messages."""
        return next(self._text, "")

    def fill(self, collectors: Mapping[int, Collector], header: Sequence[str]) -> int:
        """Read all rows into the collectors; returns their number."""
        n_lines = max(1, CELLS_PER_CHUNK // len(header))
        while lines := list(islice(self._text, n_lines)):
            if '"' in "".join(lines):
                rest = csv.reader(chain(lines, self._text), delimiter=self.separator, strict=True)
                while rows := list(islice(rest, n_lines)):
                    self._add_rows(rows, collectors, header)
                break
            values = self._parsed(lines, collectors, len(header))
            if values is None:
                self._add_rows(list(csv.reader(lines, delimiter=self.separator, strict=True)), collectors, header)
                continue
            for position, each in collectors.items():
                each.add_read(values[f"f{position}"])
            self._n_rows += len(lines)
            self.line += len(lines)
        return self._n_rows

    def _parsed(self, lines: list[str], collectors: Mapping[int, Collector], n_columns: int) -> NDArray[Any] | None:
        """A record for each line; None where numpy cannot read them all alike."""
        if self._refused > _REFUSALS or any(map(str.isspace, lines)):
            return None
        numeric = {position for position, each in collectors.items() if each.wants_numbers()}
        types = [(f"f{position}", "f8" if position in numeric else "O") for position in range(n_columns)]
        try:
            values = np.loadtxt(lines, dtype=types, delimiter=self.separator, comments=None, ndmin=1, max_rows=len(lines))
        except ValueError:
            self._refused += 1
            return None
        return np.asarray(values)

    def _add_rows(self, rows: list[list[str]], collectors: Mapping[int, Collector], header: Sequence[str]) -> None:
        kept = self._tidied(rows, header)
        first = self._n_rows
        if kept:
            cells = list(zip(*kept, strict=True))
            for position, each in collectors.items():
                each.add(cells[position], lambda row: self.where(first + row))
        self._n_rows += len(kept)

    def _tidied(self, rows: list[list[str]], header: Sequence[str]) -> list[list[str]]:
        """Rows with anything in them, all as long as the header; their lines are noted."""
        kept: list[list[str]] = []
        for row in rows:
            if any(row) and any(cell.strip() for cell in row):
                if len(row) != len(header):
                    raise _ragged(f"{self.name}, line {self.line + 1}", row, header)
                self._note(self._n_rows + len(kept), self.line)
                kept.append(row)
            self.line += 1 + sum(len(_LINE_END.findall(cell)) for cell in row if "\n" in cell or "\r" in cell)
        self._note(self._n_rows + len(kept), self.line)
        return kept

    def _note(self, row: int, lines_before: int) -> None:
        shift = lines_before + 1 - row
        if not self._shifts or shift != self._shifts[-1]:
            self._rows.append(row)
            self._shifts.append(shift)

    def where(self, row: int) -> str:
        """The line of a row, as people are told of it."""
        return f"{self.name}, line {row + self._shifts[bisect_right(self._rows, row) - 1]}"


_REFUSALS = 8
"""Chunks that numpy may refuse before it is no longer asked: a file with empty cells all over is read cell by cell."""

_LINE_END = re.compile("\r\n|\r|\n")
_DECIMAL_COMMA = re.compile(r'(^|[;\t"])-?\d+,\d+($|[;\t"\r\n])')


def _ragged(where: str, row: list[str], header: Sequence[str]) -> UnreadableSourceError:
    hint = ""
    if len(row) > len(header) and all(re.fullmatch(r"\s*-?\d*\s*", cell) for cell in row):
        hint = " If these are decimal commas, write the numbers with a point, such as 0.83."
    return UnreadableSourceError(f"{where}: {len(row)} cell(s), but the header has {len(header)} column(s).{hint}")


# --- header -----------------------------------------------------------------------------------------------------------


def _check_header(header: list[str], lines: _Lines) -> None:
    name, separator, line = lines.name, lines.separator, lines.separator.join(header)
    for other, word in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        # names may hold commas and semicolons too, so that only many of them tell
        if other != separator and line.count(other) > (line.count(separator) if other != "," else 100 * (len(header) - 1)):
            raise UnreadableSourceError(_other_separator(lines, other, word))
    if any("\0" in cell for cell in header):
        raise UnreadableSourceError(f"{name}, line {lines.line}: it holds NUL characters, so it is not text, or damaged.")
    if all(_is_number(cell) for cell in header):
        raise UnreadableSourceError(
            f"{name}, line {lines.line}: the first row holds only numbers ({', '.join(header[:3])}...). A header with the "
            "names of the columns is needed there, such as the models' names."
        )


def _other_separator(lines: _Lines, other: str, word: str) -> str:
    comma = other == ";" and _DECIMAL_COMMA.search(lines.next_line())
    found = f"{word} and its numbers have decimal commas" if comma else word
    wanted = "tabs, as its ending .tsv says" if lines.separator == "\t" else "commas, with decimal points"
    more = " or call it .tsv," if other == "\t" else ""
    pandas = f"pandas.read_csv(path, sep={other!r}{', decimal=' + repr(',') if comma else ''})"
    return f"{lines.name} is separated by {found}, not by {wanted}. Save it so,{more} or pass the frame that {pandas} reads."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
