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
from tiebreak.readers.columns import Table
from tiebreak.readers.csv_columns import Collector, collector
from tiebreak.readers.layout import COLUMNS_ARE_MODELS, Layout, find_layout, wanted_columns

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
