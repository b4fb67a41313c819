"""The table in a text file: how it is encoded and separated, its rows and their lines, its columns, typed once.

Whatever a table is of, it is read here: scores of splits and of items, battles, the data of a study. So the same file is the same
values everywhere, or the same error.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.columns import (
    MISSING,
    Column,
    NotNumbers,
    SourceTable,
    Wanted,
    Where,
    Words,
    not_a_number,
    number_text,
    refuse_doubled_names,
)
from tiebreak.readers.source import check_lines

if TYPE_CHECKING:
    import pandas as pd

TEXT = ("", ".csv", ".tsv", ".txt")
"""Endings of text files with a row in each line; one without may be a download."""

# --- how a file is written ------------------------------------------------------------------------------------------------

_SAMPLE = 1 << 16
"""Bytes of the beginning of a file by which its encoding, separator and decimal sign are told."""

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_FORMATS = {
    b"PK\x03\x04": "no CSV but a zip file, perhaps an Excel sheet. Save it as CSV UTF-8",
    b"PAR1": "no CSV but Parquet. Give it the ending .parquet",
    b"ARROW1": "no CSV but an Arrow file. Save it as Parquet or CSV",
    b"SQLite format 3": "no CSV but an SQLite database. A run in one is named as sqlite:///FILE#NAME",
    b"\xd0\xcf\x11\xe0": "no CSV but an old Excel or Office file. Save it as CSV UTF-8",
    **dict.fromkeys([b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"], "compressed. Unpack it first"),
    b"\0\0\0\0": "no text: it begins with NUL characters, and may be damaged",
}

_TEXTS = {
    r"\s*<(!doctype|html|table|\?xml)": "no CSV but a web page or XML, perhaps of a sign-in; download the file itself",
    r'\s*\[?\s*\{\s*"': "no CSV but JSON. Give it the ending .json, or .jsonl if each line is an object",
}
"""Beginnings of other texts, in small letters or others."""

_SAYS_SEPARATOR = re.compile('sep=([^\r\n"])[\r\n]')
"""First line by which Excel is told what separates cells."""


class TextForm(NamedTuple):
    """Encoding, separator and decimal sign of a text file, as its beginning tells with certainty."""

    encoding: str
    separator: str
    decimal: str
    names: tuple[str, ...]
    """Of the columns, without blanks around them."""
    first: tuple[str, ...]
    """Cells of the first row below."""
    says_separator: bool = False
    """True where the first line says what separates cells, and is no header."""
    skips_blanks: bool = False
    """True where blanks in front of a cell do not belong to it: between a separator and a quotation mark, say."""

    @property
    def is_plain(self) -> bool:
        """True where numpy's parser can be asked for the numbers."""
        return self.decimal == "." and not self.skips_blanks


def text_form(path: Path, name: str) -> TextForm:
    """Encoding, separator and decimal sign of a file; an `UnreadableSourceError` where they cannot be told, or it is no text."""
    with path.open("rb") as binary:
        start = binary.read(_SAMPLE)
    for magic, what in _FORMATS.items():
        if start.startswith(magic):
            raise UnreadableSourceError(f"{name} is {what}.")
    if not start:
        raise UnreadableSourceError(f"{name} is empty.")
    encoding = _encoding(start)
    text = codecs.getincrementaldecoder(encoding)("replace").decode(start)
    if not text.strip():
        raise UnreadableSourceError(f"{name} holds nothing but blank lines.")
    for beginning, what in _TEXTS.items():
        if re.match(beginning, text, re.IGNORECASE):
            raise UnreadableSourceError(f"{name} is {what}.")
    said = _SAYS_SEPARATOR.match(text)
    text = text[said.end() :] if said else text
    separator = said[1] if said else _separator(text, len(start) < _SAMPLE, name, "\t" if path.suffix.lower() == ".tsv" else ",")
    skips_blanks = separator == " " or re.search(f'{re.escape(separator)} +"', text) is not None
    rows = _rows_of(text, separator, skips_blanks)
    names, first = next(rows, []), next(rows, [])
    decimal = _decimal(chain([first], rows)) if separator != "," or '"' in text else "."
    return TextForm(encoding, separator, decimal, tuple(map(_name_of, names)), tuple(first), said is not None, skips_blanks)


def _name_of(cell: str) -> str:
    """Name of a column, without blanks and byte-order marks around it, of which files that were joined have several."""
    return cell.strip().strip("\ufeff").strip()


def column_names(path: Path) -> list[str]:
    """Names of the columns of a file, from its beginning; none where it cannot be read, of which its reader says why."""
    ending = path.suffix.lower()
    try:
        if ending == ".parquet":
            from pyarrow import parquet

            names: list[str] = parquet.read_schema(path).names
            return names
        if ending in (".json", ".jsonl"):
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                return re.findall(r'"([^"]{1,40})"\s*:', file.read(_SAMPLE).partition("}")[0])
        return list(text_form(path, "").names) if ending in TEXT else []
    except (ImportError, OSError, ValueError):  # errors of pyarrow and of this package are ValueErrors
        return []


def _encoding(start: bytes) -> str:
    """UTF-16 by its mark, or by a NUL in every other byte; else UTF-8, and other text is refused when it is read."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = start[0:2000:2], start[1:2000:2]
    if len(even) >= 2 and even.count(0) == 0 and odd.count(0) > 0.9 * len(odd):
        return "utf-16-le"
    if len(even) >= 2 and odd.count(0) == 0 and even.count(0) > 0.9 * len(even):
        return "utf-16-be"
    return "utf-8-sig"


_LOOKED_AT = 50
"""Rows by which a separator is told."""


def _separator(text: str, is_whole: bool, name: str, usual: str) -> str:
    """The character between cells: the only one in the header, or of several the one that all rows have as often as it."""
    bare = re.sub(r'"(?:[^"]|"")*"', "Q", text) if '"' in text else text
    lines = [line for line in re.split(r"\r\n|\r|\n", bare) if line.strip(" ,;\t|")]
    if not is_whole and len(lines) > 1:
        lines.pop()  # which the sample may cut short
    header, *rows = lines[: _LOOKED_AT + 1] or [""]
    found = {each: header.count(each) for each in _SEPARATORS if each in header}
    if not found:
        n_words = len(header.split())
        aligned = n_words > 1 and rows and all(len(row.split()) == n_words for row in rows)
        return " " if aligned else usual
    if len(found) == 1:
        (only,) = found
        return only if not rows or any(only in row for row in rows) else usual
    regular = {each: n for each, n in found.items() if rows and all(row.count(each) == n for row in rows)}
    if len(regular) > 1:
        words = " or ".join(f"{_SEPARATORS[each]} ({n + 1} columns)" for each, n in regular.items())
        raise UnreadableSourceError(
            f"{name} is separated by {words}, and every row fits either. Put what holds one of them into quotation marks, or "
            "pass the frame that pandas.read_csv(path, sep=...) reads."
        )
    if regular:
        return next(iter(regular))
    return max(found, key=lambda each: (found[each], each == usual))


def _rows_of(text: str, separator: str, skips_blanks: bool) -> Iterator[list[str]]:
    """Rows of the sample that are not blank, as far as they can be read."""
    reader = csv.reader(_bare(io.StringIO(text, newline=""), separator), delimiter=separator, skipinitialspace=skips_blanks)
    try:
        yield from (row for row in reader if any(map(_name_of, row)))
    except csv.Error:  # whoever reads the file says where
        return


_COMMA = re.compile(r"[-+]?\d*,\d+")
_POINT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_EITHER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
"""A number that may be one of thousands as well."""


def _decimal(rows: Iterable[Sequence[str]]) -> str:
    """The decimal sign: a comma where the numbers of some column have one for certain, and none of any column has a point."""
    columns: dict[int, list[str]] = {}
    for row in rows:
        for place, cell in enumerate(row):
            columns.setdefault(place, []).append(cell.strip())
    has_comma = False
    for cells in columns.values():
        present = [cell for cell in cells if cell not in MISSING]
        commas = [cell for cell in present if _COMMA.fullmatch(cell)]
        if len(commas) + sum(_POINT.fullmatch(cell) is not None for cell in present) < len(present):
            continue  # words
        if any("." in cell for cell in present):
            return "."
        has_comma = has_comma or any(not _EITHER.fullmatch(cell) for cell in commas)
    return "," if has_comma else "."


def _bare(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Lines without the blanks at their ends, where blanks separate."""
    return (f"{line.strip()}\n" for line in lines) if separator == " " else iter(lines)


# --- cells of a column --------------------------------------------------------------------------------------------------


class _Cells:
    """Cells of one column: numbers as long as all cells are, then words, or nothing but the place of the first word.

    A column of "words" never holds numbers, one of "key" changes from numbers to words, and in one of "numbers" a word is an
    error, unless it `is_free` not to be numeric. One of "any" is what its cells are: whole numbers, numbers, truth values, or
    texts as they stand.
    """

    def __init__(self, wanted: Wanted, name: str, decimal: str) -> None:
        self._wanted, self._name, self._decimal = wanted, name, decimal
        self._numbers = None if wanted.kind in ("words", "text") else array("b" if wanted.kind == "any" else "d")
        self._is_truth: bool | None = None  # told by the first cell that is there
        self._codes = _Codes(is_stripped=wanted.kind in ("words", "key"))
        self._words = array("i")
        self._texts: list[Any] = []  # after these words, as pyarrow holds them
        self._stopped: NotNumbers | None = None

    @property
    def type(self) -> str:
        """Type as which numpy reads the next cells."""
        return "O" if self._numbers is None else "f8" if self._numbers.typecode == "d" else "i8"

    def add(self, cells: Sequence[str], where: Where) -> bool:
        """Take the texts of a chunk, of which `where` places the rows; False where earlier ones have to be read anew."""
        if self._numbers is not None:
            try:
                self._extend(self._numbers, cells)
            except ValueError:
                if not self._end_numbers(self._numbers, cells, where):
                    return False
            else:
                return True
        if self._stopped is None:
            self._take_texts()
            self._words.extend(map(self._codes.__getitem__, cells))
        return True

    def _extend(self, numbers: array[Any], cells: Sequence[str]) -> None:
        """Append cells as numbers; a ValueError leaves them as they were."""
        if self._wanted.kind == "any":
            self._numbers, self._is_truth = _inferred(numbers, self._is_truth, cells, self._decimal)
        else:
            _extend(numbers, cells, self._decimal)

    def _end_numbers(self, numbers: array[Any], cells: Sequence[str], where: Where) -> bool:
        self._numbers = None
        if self._wanted.kind == "key":
            self._words.extend(self._codes["" if value != value else number_text(value)] for value in numbers)
            return True
        if self._wanted.kind == "any":
            return len(numbers) == 0
        first = next(i for i, cell in enumerate(cells) if not _is_readable(cell, self._decimal))
        self._stopped = NotNumbers(where(first), cells[first])
        if not self._wanted.is_free:
            raise not_a_number(self._stopped.where, self._name, cells[first], self._wanted.hint) from None
        return True

    def add_read(self, values: Any) -> None:
        """Take values read by numpy or pyarrow: numbers if the column was numeric before, else texts."""
        if self._numbers is not None:
            self._numbers, self._is_truth = _with_more(self._numbers, np.ascontiguousarray(values)), False
        elif self._stopped is None and isinstance(values, np.ndarray):
            self._take_texts()
            self._words.extend(map(self._codes.__getitem__, values.tolist()))
        elif self._stopped is None:
            self._texts.append(values)

    def _take_texts(self) -> None:
        for texts in self._texts:
            self._words.extend(map(self._codes.__getitem__, texts.to_pylist()))
        self._texts.clear()

    def column(self) -> Column:
        """All cells."""
        if self._numbers is not None:
            values = np.frombuffer(self._numbers, dtype=self._numbers.typecode)
            return values.astype(bool) if self._is_truth else values
        if self._texts and not self._words and self._stopped is None:
            return _words_of(self._texts, self._codes)
        self._take_texts()
        return self._stopped or Words(self._codes.names, np.frombuffer(self._words, dtype=np.int32))


def _words_of(texts: Sequence[Any], codes: _Codes) -> Words:
    """Texts of pyarrow as words in order of appearance."""
    import pyarrow

    found = pyarrow.chunked_array([chunk for each in texts for chunk in each.chunks]).combine_chunks().dictionary_encode()
    names, places = found.dictionary.to_pylist(), found.indices.to_numpy()
    if codes.keeps(names):
        return Words(tuple(names), places)
    code_of = np.fromiter(map(codes.__getitem__, names), dtype=np.int32, count=len(names))
    return Words(codes.names, code_of[places])


_TRUTH = dict.fromkeys(["True", "true", "TRUE"], 1.0) | dict.fromkeys(["False", "false", "FALSE"], 0.0)


def _extend(values: array[Any], cells: Sequence[str], decimal: str = ".") -> None:
    """Append cells as numbers, a missing one as nan; a ValueError leaves the values as they were."""
    text = "".join(cells)
    if "_" in text or not text.isascii():  # Python would read 1_000 and digits of every script
        raise ValueError
    if decimal == ",":
        if "." in text:
            raise ValueError
        cells = [cell.replace(",", ".") for cell in cells]
    n_values = len(values)
    try:
        values.extend(map(float, cells))
    except ValueError:
        del values[n_values:]
        values.extend([_number_of(cell) for cell in map(str.strip, cells)])


def _number_of(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        if cell in _TRUTH:
            return _TRUTH[cell]
        if cell.casefold() in _FOLDED:
            return float("nan")
        raise


_FOLDED = frozenset(map(str.casefold, MISSING))


def _inferred(values: array[Any], is_truth: bool | None, cells: Sequence[str], decimal: str) -> tuple[array[Any], bool | None]:
    """Values with more cells: whole numbers as long as all are, or truth values if all are; a ValueError where some are texts."""
    stripped = [cell.strip() for cell in cells]
    if is_truth is None:
        first = next((cell for cell in stripped if cell not in MISSING), None)
        is_truth = None if first is None else first in _TRUTH
    if is_truth:
        if not all(cell in _TRUTH for cell in stripped) or values.typecode != "b":
            raise ValueError
        values.extend([int(_TRUTH[cell]) for cell in stripped])
        return values, True
    if any(cell in _TRUTH for cell in stripped):
        raise ValueError
    if values.typecode != "d":
        try:
            if not all(_WHOLE(cell) for cell in stripped):
                raise ValueError
            return _with_more(values, np.array(array("q", map(int, stripped)))), is_truth
        except (ValueError, OverflowError):
            values = array("d", values)
    _extend(values, stripped, decimal)
    return values, is_truth


def _with_more(values: array[Any], more: NDArray[Any]) -> array[Any]:
    """The values and more of them: whole numbers take one byte each as long as they fit."""
    if values.typecode == "b":
        if more.size and not -128 <= more.min() <= more.max() < 128:
            values = array("q", values)
        else:
            more = more.astype(np.int8)
    values.frombytes(more.tobytes())
    return values


_WHOLE = re.compile(r"[-+]?[0-9]+").fullmatch


def _is_readable(cell: str, decimal: str) -> bool:
    try:
        _extend(array("d"), [cell], decimal)
    except ValueError:
        return False
    return True


class _Codes(dict[str, int]):
    """Code of each cell, in order of appearance; -1 for an empty one. Blanks around a word do not count, unless they are kept."""

    def __init__(self, *, is_stripped: bool) -> None:
        super().__init__({"": -1})
        self._is_stripped = is_stripped
        self._words: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Words by code."""
        return tuple(self._words)

    def keeps(self, names: Sequence[str]) -> bool:
        """True of words that stand as they are: without blanks around them, where these do not count, and none empty."""
        text = "".join(names)
        has_blanks = self._is_stripped and len(text) != sum(map(len, text.split()))
        return "" not in names and not (has_blanks and any(name != name.strip() for name in names))

    def __missing__(self, cell: str) -> int:
        word = cell.strip() if self._is_stripped else cell
        if word == cell:
            code = self[cell] = len(self._words)
            self._words.append(cell)
        else:
            code = self[cell] = self[word]
        return code


# --- the file -----------------------------------------------------------------------------------------------------------

CELLS_PER_CHUNK = 1 << 16
"""Cells held as text at a time (about 5 MB)."""


def read_text(path: Path, name: str, wanted: Callable[[Sequence[str], Sequence[str]], Mapping[str, Wanted]]) -> SourceTable:
    """Columns of a text file; `wanted` is asked for those to read, given the names of all and the cells of the first row."""
    form = text_form(path, name)
    texts: frozenset[int] = frozenset()
    has_nameless = False
    while True:
        try:
            return _read_form(path, name, form, wanted, texts, has_nameless=has_nameless)
        except _TextsError as found:
            texts |= found.places
        except _NamelessError:
            has_nameless = True


class _TextsError(Exception):
    """Columns that were numbers in earlier chunks and are texts after all, so that these are read again as they stand."""

    def __init__(self, places: frozenset[int]) -> None:
        super().__init__()
        self.places = places


class _NamelessError(Exception):
    """Columns at the end that have no name, but cells; without cells they are separators at the ends of lines."""


def read_frame(
    path: Path, name: str, *, is_name: Callable[[str], bool] = lambda _: False, is_small: bool = False
) -> tuple[pd.DataFrame, Where]:
    """All columns of a text file as a data frame, and where its rows stand; one that `is_name` holds names: NA, 007.

    With `is_small`, whole numbers below 128 take one byte each.
    """
    import pandas as pd

    def wanted(names: Sequence[str], _: Sequence[str]) -> dict[str, Wanted]:
        if len(names) > MOST_COLUMNS_OF_FRAMES:
            raise UnreadableSourceError(
                f"{name} has {len(names):,} columns, and at most {MOST_COLUMNS_OF_FRAMES:,} are read. Is it a table?"
            )
        refuse_doubled_names(names, name)
        if names.count("") > 1:
            raise UnreadableSourceError(f"{name} has {names.count('')} columns without a name. Give each a name of its own.")
        return {each: Wanted("words" if is_name(each) else "any") for each in names}

    table = read_text(path, name, wanted)
    if table.n_rows == 0:
        raise UnreadableSourceError(f"{name} has column names but no rows.")
    columns = {}
    for each in list(table.columns):
        column = table.columns.pop(each)
        if not is_small and isinstance(column, np.ndarray) and column.dtype == np.int8:
            column = column.astype(np.int64)
        columns[each] = pd.Series(_texts(column, is_name=is_name(each))) if isinstance(column, Words) else column
    return pd.DataFrame(columns, copy=False), table.where


MOST_COLUMNS_OF_FRAMES = 100_000
"""Of a table of items, each of which may have a column."""


def _texts(column: Words, *, is_name: bool) -> NDArray[Any]:
    """Texts of a column, nan where there is none."""
    names: list[Any] = [np.nan if word in MISSING and not is_name else word for word in column.names]
    texts = np.empty(len(names) + 1, dtype=object)
    texts[:-1], texts[-1] = names, np.nan
    return texts[column.code]


def _read_form(
    path: Path,
    name: str,
    form: TextForm,
    wanted: Callable[[Sequence[str], Sequence[str]], Mapping[str, Wanted]],
    texts: frozenset[int],
    *,
    has_nameless: bool,
) -> SourceTable:
    is_large = path.stat().st_size >= LARGE
    if is_large:
        check_lines(path, name)
    with path.open(encoding=form.encoding, newline="") as text, path.open("rb") as binary:
        lines = _Lines(text, name, form, binary if is_large else None)
        try:
            names = list(map(_name_of, lines.header()))
            n_named = len(names) if has_nameless else max(place for place, each in enumerate(names, start=1) if each)
            _check_names(names, lines)
            chosen = wanted(names[:n_named], form.first[:n_named])
            cells = {
                place: _Cells(Wanted("text") if place in texts else chosen[each], each, form.decimal)
                for place, each in enumerate(names)
                if place < n_named and each in chosen
            }
            nameless = {place: _Cells(Wanted("words"), "", form.decimal) for place in range(n_named, len(names))}
            n_rows = lines.fill(cells | nameless, names)
            if any(isinstance(found := each.column(), Words) and found.names for each in nameless.values()):
                raise _NamelessError
        except UnicodeError:
            raise UnreadableSourceError(f"{_first_undecodable(path, name, form.encoding)}. Save it as UTF-8.") from None
        except csv.Error as error:
            raise UnreadableSourceError(f"{name}, after line {lines.line}: {error}. Is a quotation mark left open?") from None
    columns = {place: each.column() for place, each in cells.items()}
    _refuse_summary_row(columns.get(0), n_rows, lines.where)
    return SourceTable(name, n_rows, {names[place]: column for place, column in columns.items()}, lines.where)


def _first_undecodable(path: Path, name: str, encoding: str) -> str:
    """Place of the first byte that cannot be text; the decoder knows the place in its buffer only."""
    if encoding == "utf-8-sig":
        with path.open("rb") as binary:
            for number, line in enumerate(binary, start=1):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    return f"{name}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8"
    with path.open(encoding=encoding, errors="replace", newline="") as text:
        number = next((number for number, line in enumerate(text, start=1) if "\ufffd" in line), 1)
    return f"{name}, line {number}: what stands there is not UTF-16, or is cut short"


# --- rows -------------------------------------------------------------------------------------------------------------


class _Lines:
    """Rows in chunks, and where in the file each row stands.

    A chunk without quotation marks is left to numpy's parser, which is four times as fast, or of a large file to pyarrow's. What
    it refuses (a row too long, a word among numbers) is read again cell by cell, which says what and where; and so is all from
    the first quotation mark on that pyarrow does not read, since cells may then hold line ends.
    """

    def __init__(self, text: Iterable[str], name: str, form: TextForm, binary: BinaryIO | None = None) -> None:
        self.name = name
        self.form = form
        self.line = 0  # lines read so far
        self._text = _bare(text, form.separator)
        self._binary = binary  # of a large file
        self._n_rows = 0
        self._refused = 0
        # rows from which on the number of the line is so much larger than that of the row
        self._rows, self._shifts = array("q"), array("q")

    def header(self) -> list[str]:
        """The first row that names a column: one of blanks or a byte-order mark alone does not."""
        reader = self._cells_of(self._text)
        if self.form.says_separator:
            next(reader)
        for row in reader:
            self.line = reader.line_num
            if any(map(_name_of, row)):
                self._note(0, self.line)
                found: list[str] = row
                return found
        raise UnreadableSourceError(f"{self.name} holds nothing but blank lines.")

    def _cells_of(self, lines: Iterable[str]) -> Any:
        form = self.form
        return csv.reader(lines, delimiter=form.separator, skipinitialspace=form.skips_blanks, strict=True)

    def fill(self, columns: Mapping[int, _Cells], names: Sequence[str]) -> int:
        """Read all rows into the columns; returns their number."""
        if self._binary is not None and self.form.encoding == "utf-8-sig" and self.form.is_plain and len(names) > 1:
            self._fill_lines(self._fill_blocks(self._binary, columns, names), columns, names)
        else:
            self._fill_lines(self._text, columns, names)
        return self._n_rows

    def _fill_blocks(self, binary: BinaryIO, columns: Mapping[int, _Cells], names: Sequence[str]) -> Iterable[str]:
        """Read the rows block by block, as far as that can be done; returns the lines that are left."""
        for _ in range(self.line):
            binary.readline()
        size, rest = _FIRST_BLOCK, b""
        while block := rest + binary.read(max(size - len(rest), 0)):
            end = block.rfind(b"\n", 0, size) + 1
            if not end:
                end = len(block) if len(block) < size else block.find(b"\n") + 1
                if not end:  # a line that is longer than the block
                    size, rest = 2 * size, block
                    continue
            block, rest = block[:end], block[end:]
            types = [columns[place].type if place in columns else "O" for place in range(len(names))]
            values = _by_arrow(block, types, self.form.separator)
            if values is not None:
                for place, each in columns.items():
                    each.add_read(values[place])
                n_rows = len(values[next(iter(columns))])
                self._n_rows += n_rows
                self.line += n_rows
                size = min(16 * size, _LARGEST_BLOCK)
            elif size > _FIRST_BLOCK:  # so that little is read by cells
                size, rest = _FIRST_BLOCK, block + rest
            elif b'"' in block:
                return io.TextIOWrapper(io.BufferedReader(_Rest(block + rest, binary)), "utf-8", newline="")
            else:
                self._fill_lines(io.StringIO(block.decode(), newline=""), columns, names)
        return ()

    def _fill_lines(self, text: Iterable[str], columns: Mapping[int, _Cells], names: Sequence[str]) -> None:
        text, n_lines = iter(text), max(1, CELLS_PER_CHUNK // len(names))
        while lines := list(islice(text, n_lines)):
            if '"' in "".join(lines):
                rest = self._cells_of(chain(lines, text))
                while rows := list(islice(rest, n_lines)):
                    self._add_rows(rows, columns, names)
                break
            values = self._parsed(lines, columns, len(names))
            if values is None:
                self._add_rows(list(self._cells_of(lines)), columns, names)
                continue
            for position, each in columns.items():
                each.add_read(values[f"f{position}"])
            self._n_rows += len(lines)
            self.line += len(lines)

    def _parsed(self, lines: list[str], columns: Mapping[int, _Cells], n_columns: int) -> Mapping[str, NDArray[Any]] | None:
        """Values of each column, called f0 and so on; None where a parser of whole chunks cannot read them all alike."""
        if self._refused > _REFUSALS or not self.form.is_plain or any(map(str.isspace, lines)):
            return None
        types = [columns[place].type if place in columns else "O" for place in range(n_columns)]
        try:
            values = np.loadtxt(
                lines,
                dtype=[(f"f{place}", each) for place, each in enumerate(types)],
                delimiter=self.form.separator,
                comments=None,
                ndmin=1,
                max_rows=len(lines),
            )
        except ValueError:
            self._refused += 1
            return None
        return {f"f{place}": values[f"f{place}"] for place in columns}

    def _add_rows(self, rows: list[list[str]], columns: Mapping[int, _Cells], names: Sequence[str]) -> None:
        kept = self._checked_rows(rows, names)
        first = self._n_rows
        if kept:
            cells = list(zip(*kept, strict=True))
            texts = {place for place, each in columns.items() if not each.add(cells[place], lambda row: self.where(first + row))}
            if texts:
                raise _TextsError(frozenset(texts))
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


class _Rest(io.RawIOBase):
    """File of which a part was read already: that part, and then the rest."""

    def __init__(self, begun: bytes, binary: BinaryIO) -> None:
        super().__init__()
        self._begun, self._binary = memoryview(begun), binary

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = min(len(buffer), len(self._begun))
        if not n:
            return self._binary.readinto(buffer)  # type: ignore[attr-defined, no-any-return]
        buffer[:n], self._begun = self._begun[:n], self._begun[n:]
        return n


def _by_arrow(block: bytes, types: Sequence[str], separator: str) -> list[Any] | None:
    """Values of each column by pyarrow, to the last bit those of the other parsers; None where it cannot, or is not there.

    Texts are chunked arrays of pyarrow. Refused is what pyarrow reads in another way: whole numbers of base 16, which no other
    parser takes, line ends of other kinds or within cells, quotation marks that do not stand around a cell, and blank rows.
    """
    try:
        import pyarrow
        from pyarrow import compute
        from pyarrow import csv as arrow
    except ImportError:
        return None
    text = np.frombuffer(block, dtype=np.uint8)
    is_strange = set(types) == {"O"} or b"0x" in block or b"0X" in block
    if is_strange or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n")):
        return None
    if b'"' in block and not _stand_around_cells(text, separator):
        return None
    names = [f"f{place}" for place in range(len(types))]
    try:
        table = arrow.read_csv(
            pyarrow.BufferReader(block),
            read_options=arrow.ReadOptions(use_threads=False, column_names=names, block_size=1 << 22),
            parse_options=arrow.ParseOptions(delimiter=separator, ignore_empty_lines=False),
            convert_options=arrow.ConvertOptions(
                null_values=list(MISSING), column_types={name: _ARROW[each] for name, each in zip(names, types, strict=True)}
            ),
        )
    except (pyarrow.ArrowException, ValueError):
        return None
    n_lines = int(np.count_nonzero(text == ord("\n"))) + (not block.endswith(b"\n"))
    has_gaps = any(each == "i8" and table[name].null_count for name, each in zip(names, types, strict=True))
    if table.num_rows != n_lines or has_gaps:
        return None
    values, is_blank = [], np.ones(n_lines, dtype=bool)
    for name, each in zip(names, types, strict=True):
        values.append(table[name] if each == "O" else table[name].to_numpy())
        if is_blank.any():
            is_blank &= compute.equal(table[name], "").to_numpy() if each == "O" else table[name].is_null().to_numpy()
    return None if is_blank.any() else values


def _stand_around_cells(text: NDArray[np.uint8], separator: str) -> bool:
    """True if quotation marks stand around whole cells, and none within them."""
    marks, ends = np.flatnonzero(text == ord('"')), b"\n" + separator.encode()
    before, after = text[np.maximum(marks[::2] - 1, 0)], text[np.minimum(marks[1::2] + 1, text.size - 1)]
    begins = np.isin(before, list(ends)) | (marks[::2] == 0)
    closes = np.isin(after, list(ends + b"\r")) | (marks[1::2] == text.size - 1)
    return marks.size % 2 == 0 and bool(begins.all() and closes.all())


def json_lines_by_arrow(path: Path) -> dict[str, Any] | None:
    """Columns of a large file of JSON lines, as pandas reads them; None for what pyarrow reads in another way, or not at all.

    That is what is nested or changes its type from row to row, dates, columns named as numbers or dates, and whole numbers that
    floats do not hold. Whole numbers below 128 take one byte each.
    """
    try:
        import pyarrow
    except ImportError:
        return None
    parts: list[dict[str, Any]] = []
    rest = b""
    with path.open("rb") as binary:
        while block := binary.read(_LARGEST_BLOCK):
            block = rest + block
            end = block.rfind(b"\n") + 1
            block, rest = block[:end], block[end:]
            if block and (found := _of_json_lines(block)) is not None:
                parts.append(found)
            elif block:
                return None
    if rest:
        if (found := _of_json_lines(rest + b"\n")) is None:
            return None
        parts.append(found)
    sizes = [len(next(iter(part.values()))) for part in parts]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        own = [part.pop(name, None) for part in parts]
        if any(isinstance(each, pyarrow.ChunkedArray) for each in own):
            if any(isinstance(each, np.ndarray) and not np.isnan(each.astype(float)).all() for each in own):
                return None
            texts = [
                each.chunks if isinstance(each, pyarrow.ChunkedArray) else [pyarrow.nulls(size, pyarrow.string())]
                for each, size in zip(own, sizes, strict=True)
            ]
            columns[name] = pyarrow.chunked_array(list(chain(*texts))).to_pandas()
            continue
        filled = [np.full(size, np.nan) if each is None else each for each, size in zip(own, sizes, strict=True)]
        kinds = {each.dtype.kind for each in filled if each.dtype.kind != "f" or not np.isnan(each).all()}
        if "b" in kinds and (len(kinds) > 1 or any(each.dtype.kind == "f" for each in filled)):
            return None
        columns[name] = np.concatenate(filled)
    return columns


def _of_json_lines(block: bytes) -> dict[str, Any] | None:
    import pyarrow
    from pyarrow import json as arrow
    from pyarrow import types

    if b"NaN" in block or b"Infinity" in block:
        return None
    try:
        table = arrow.read_json(
            pyarrow.BufferReader(block), read_options=arrow.ReadOptions(use_threads=False, block_size=1 << 20)
        )
    except (pyarrow.ArrowException, ValueError):
        return None
    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if not name or name[0] in "+-.0123456789" or _DATED(name.lower()):
            return None
        if types.is_string(column.type):
            columns[name] = column
            continue
        if types.is_boolean(column.type) and not column.null_count:
            columns[name] = column.to_numpy()
            continue
        if not (types.is_null(column.type) or types.is_int64(column.type) or types.is_float64(column.type)):
            return None
        values = column.to_numpy() if not types.is_null(column.type) else np.full(len(column), np.nan)
        if values.dtype.kind == "f" and (np.abs(values) >= 2.0**53).any():
            return None
        is_small = values.dtype.kind == "i" and values.size and -128 <= values.min() <= values.max() < 128
        columns[name] = values.astype(np.int8) if is_small else values
    return columns if columns and table.num_rows == block.count(b"\n") else None


_DATED = re.compile(r".*_at|.*_time|timestamp.*|modified|date").fullmatch
"""Names of columns whose numbers pandas reads as dates."""


def give_back_memory() -> None:
    """Let go of the memory that pyarrow, where it is in use, has kept for later."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()


_ARROW = {"O": "string", "f8": "float64", "i8": "int64"}

LARGE = 20_000_000
"""Bytes of a file from which on the import of pyarrow pays."""

_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 16, 1 << 22
"""Bytes of a large file that are read at a time: few until its columns are known, then many."""

_REFUSALS = 8
"""Chunks that numpy may refuse before it is no longer asked: a file with empty cells all over is read cell by cell."""

_LINE_END = re.compile("\r\n|\r|\n")


def _ragged(where: str, row: list[str], names: Sequence[str]) -> UnreadableSourceError:
    hint = ""
    if len(row) > len(names) and all(re.fullmatch(r"\s*-?\d*\s*", cell) for cell in row):
        hint = " If these are decimal commas, write the numbers with a point, such as 0.83."
    return UnreadableSourceError(f"{where}: {len(row)} cell(s), but the header has {len(names)} column(s).{hint}")


# --- header -----------------------------------------------------------------------------------------------------------


def _check_names(names: list[str], lines: _Lines) -> None:
    if any("\0" in cell for cell in names):
        raise UnreadableSourceError(f"{lines.name}, line {lines.line}: it holds NUL characters, so it is not text, or damaged.")
    if all(_is_number(cell) for cell in names):
        raise UnreadableSourceError(
            f"{lines.name}, line {lines.line}: the first row holds only numbers ({', '.join(names[:3])}...). A header with the "
            "names of the columns is needed there, such as the models' names."
        )


_SUMMARIES = frozenset(("total", "mean", "average", "avg", "sum", "overall", "std", "sd", "median"))


def _refuse_summary_row(column: Column | None, n_rows: int, where: Where) -> None:
    """Refuse a last row that sums up the others: its first cell says so, where all others have a number."""
    if not isinstance(column, Words) or n_rows < 3 or column.code[-1] < 0:
        return
    last = column.names[column.code[-1]].strip()
    if last.casefold() not in _SUMMARIES:
        return
    others = [name for name in column.names if name.strip().casefold() not in _SUMMARIES]
    if others and all(map(_is_number, others)):
        raise UnreadableSourceError(
            f"{where(n_rows - 1)}: {last!r} stands where other rows have a number, so this row sums up the others. Leave it out."
        )


def is_text(cell: str) -> bool:
    """True for a cell that is there and is no number."""
    return cell.strip() not in MISSING and not _is_readable(cell, "," if "." not in cell else ".")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
