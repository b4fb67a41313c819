"""CSV by the standard library, in chunks: a large file is never held as text."""

from __future__ import annotations

import csv
import re
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from io import BufferedReader, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.columns import (
    COLUMNS_ARE_MODELS,
    Column,
    NotNumbers,
    ScoreTable,
    Where,
    Words,
    not_a_number,
    number_text,
    read_header,
)
from tiebreak.readers.source import ReadOptions, Source, is_path, read_file
from tiebreak.readers.tables import read_table


def reads(source: Any) -> bool:
    """True for the path of a CSV file."""
    return is_path(source, "", ".csv", ".tsv", ".txt")


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores in a CSV file: UTF-8, with or without byte-order mark; commas, or tabs if it is called .tsv."""
    return read_file(source, lambda path, name: read_table(_read_csv(path, name), options))


# --- cells of a column --------------------------------------------------------------------------------------------------

_SPECIAL = dict.fromkeys(["", "NA", "null"], float("nan"))  # "nan" in any case is a float already
_SPECIAL |= dict.fromkeys(["True", "true", "TRUE"], 1.0) | dict.fromkeys(["False", "false", "FALSE"], 0.0)


class _Cells:
    """Cells of one column: numbers as long as all cells are, then words, or nothing but the place of the first word.

    A column of "words" never holds numbers, one of "key" changes from numbers to words, and in one of "numbers" a word is an
    error, unless it `is_free` not to be numeric.
    """

    def __init__(self, kind: str, name: str, is_free: bool, hint: str) -> None:
        self._kind, self._name, self._is_free, self._hint = kind, name, is_free, hint
        self._numbers = None if kind == "words" else array("d")
        self._codes = _Codes()
        self._words = array("i")
        self._stopped: NotNumbers | None = None

    @property
    def is_numeric(self) -> bool:
        """True if all cells so far are numbers."""
        return self._numbers is not None

    def add(self, cells: Sequence[str], where: Where) -> None:
        """Take the texts of a chunk; `where` places the row at a position of it."""
        if self._numbers is not None:
            try:
                _extend(self._numbers, cells)
                return
            except ValueError:
                self._end_numbers(self._numbers, cells, where)
        if self._stopped is None:
            self._words.extend(map(self._codes.__getitem__, cells))

    def _end_numbers(self, numbers: array[float], cells: Sequence[str], where: Where) -> None:
        self._numbers = None
        if self._kind == "key":
            self._words.extend(self._codes["" if value != value else number_text(value)] for value in numbers)
            return
        first = next(i for i, cell in enumerate(cells) if not _is_readable(cell))
        self._stopped = NotNumbers(where(first), cells[first])
        if not self._is_free:
            raise not_a_number(self._stopped.where, self._name, cells[first], self._hint) from None

    def add_read(self, values: NDArray[Any]) -> None:
        """Take values read by numpy: numbers if the column was numeric before, else texts."""
        if self._numbers is not None:
            self._numbers.frombytes(np.ascontiguousarray(values, dtype=float).tobytes())
        elif self._stopped is None:
            self._words.extend(map(self._codes.__getitem__, values.tolist()))

    def column(self) -> Column:
        """All cells."""
        if self._numbers is not None:
            return np.frombuffer(self._numbers, dtype=float)
        return self._stopped or Words(self._codes.names, np.frombuffer(self._words, dtype=np.int32))


def _extend(values: array[float], cells: Sequence[str]) -> None:
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
        _extend(array("d"), [cell])
    except ValueError:
        return False
    return True


class _Codes(dict[str, int]):
    """Code of each cell, in order of appearance; -1 for an empty one, and blanks around a word do not count."""

    def __init__(self) -> None:
        self._code_of_word: dict[str, int] = {"": -1}

    @property
    def names(self) -> tuple[str, ...]:
        """Words by code."""
        return tuple(self._code_of_word)[1:]

    def __missing__(self, cell: str) -> int:
        code = self[cell] = self._code_of_word.setdefault(cell.strip(), len(self._code_of_word) - 1)
        return code


# --- the file -----------------------------------------------------------------------------------------------------------

CELLS_PER_CHUNK = 1 << 16
"""Cells held as text at a time (about 5 MB)."""


def _read_csv(path: Path, name: str) -> ScoreTable:
    with path.open("rb") as binary:
        _refuse_other_formats(binary, name)
        with TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text:
            lines = _Lines(text, name, "\t" if path.suffix.lower() == ".tsv" else ",")
            try:
                return _read_lines(lines)
            except UnicodeDecodeError:
                raise UnreadableSourceError(f"{_first_not_utf8(path, name)}. Save it as UTF-8.") from None
            except csv.Error as error:
                raise UnreadableSourceError(f"{name}, after line {lines.line}: {error}. Is a quotation mark left open?") from None


def _first_not_utf8(path: Path, name: str) -> str:
    """Place of the first byte that is not UTF-8; the decoder knows the place in its buffer only."""
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
    b"\0\0\0\0": "no text: it begins with NUL characters, and may be damaged",
}


def _read_lines(lines: _Lines) -> ScoreTable:
    names = [cell.strip() for cell in lines.header()]
    _check_names(names, lines)
    header = read_header(names, lines.name)
    kinds = header.wanted
    free = frozenset(header.others if header.form == "metrics" else ())
    models = frozenset(header.others if header.form == "wide" else ())
    cells = {
        position: _Cells(kinds[name], name, name in free, COLUMNS_ARE_MODELS if name in models else "")
        for position, name in enumerate(names)
        if name in kinds
    }
    n_rows = lines.fill(cells, names)
    return ScoreTable(lines.name, n_rows, header, {names[position]: cells[position].column() for position in cells}, lines.where)


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

    def fill(self, columns: Mapping[int, _Cells], names: Sequence[str]) -> int:
        """Read all rows into the columns; returns their number."""
        n_lines = max(1, CELLS_PER_CHUNK // len(names))
        while lines := list(islice(self._text, n_lines)):
            if '"' in "".join(lines):
                rest = csv.reader(chain(lines, self._text), delimiter=self.separator, strict=True)
                while rows := list(islice(rest, n_lines)):
                    self._add_rows(rows, columns, names)
                break
            values = self._parsed(lines, columns, len(names))
            if values is None:
                self._add_rows(list(csv.reader(lines, delimiter=self.separator, strict=True)), columns, names)
                continue
            for position, each in columns.items():
                each.add_read(values[f"f{position}"])
            self._n_rows += len(lines)
            self.line += len(lines)
        return self._n_rows

    def _parsed(self, lines: list[str], columns: Mapping[int, _Cells], n_columns: int) -> NDArray[Any] | None:
        """A record for each line; None where numpy cannot read them all alike."""
        if self._refused > _REFUSALS or any(map(str.isspace, lines)):
            return None
        numeric = {position for position, each in columns.items() if each.is_numeric}
        types = [(f"f{position}", "f8" if position in numeric else "O") for position in range(n_columns)]
        try:
            values = np.loadtxt(lines, dtype=types, delimiter=self.separator, comments=None, ndmin=1, max_rows=len(lines))
        except ValueError:
            self._refused += 1
            return None
        return np.asarray(values)

    def _add_rows(self, rows: list[list[str]], columns: Mapping[int, _Cells], names: Sequence[str]) -> None:
        kept = self._checked_rows(rows, names)
        first = self._n_rows
        if kept:
            cells = list(zip(*kept, strict=True))
            for position, each in columns.items():
                each.add(cells[position], lambda row: self.where(first + row))
        self._n_rows += len(kept)

    def _checked_rows(self, rows: list[list[str]], names: Sequence[str]) -> list[list[str]]:
        """Rows with anything in them, all as long as the header; their lines are noted."""
        kept: list[list[str]] = []
        for row in rows:
            if any(row) and any(cell.strip() for cell in row):
                if len(row) != len(names):
                    raise _ragged(f"{self.name}, line {self.line + 1}", row, names)
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
        """Line of a row, for messages."""
        return f"{self.name}, line {row + self._shifts[bisect_right(self._rows, row) - 1]}"


_REFUSALS = 8
"""Chunks that numpy may refuse before it is no longer asked: a file with empty cells all over is read cell by cell."""

_LINE_END = re.compile("\r\n|\r|\n")
_DECIMAL_COMMA = re.compile(r'(^|[;\t"])-?\d+,\d+($|[;\t"\r\n])')


def _ragged(where: str, row: list[str], names: Sequence[str]) -> UnreadableSourceError:
    hint = ""
    if len(row) > len(names) and all(re.fullmatch(r"\s*-?\d*\s*", cell) for cell in row):
        hint = " If these are decimal commas, write the numbers with a point, such as 0.83."
    return UnreadableSourceError(f"{where}: {len(row)} cell(s), but the header has {len(names)} column(s).{hint}")


# --- header -----------------------------------------------------------------------------------------------------------


def _check_names(names: list[str], lines: _Lines) -> None:
    name, separator, line = lines.name, lines.separator, lines.separator.join(names)
    for other, word in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        # names may hold commas and semicolons too, so that only many of them tell
        if other != separator and line.count(other) > (line.count(separator) if other != "," else 100 * (len(names) - 1)):
            raise UnreadableSourceError(_other_separator(lines, other, word))
    if any("\0" in cell for cell in names):
        raise UnreadableSourceError(f"{name}, line {lines.line}: it holds NUL characters, so it is not text, or damaged.")
    if all(_is_number(cell) for cell in names):
        raise UnreadableSourceError(
            f"{name}, line {lines.line}: the first row holds only numbers ({', '.join(names[:3])}...). A header with the "
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
