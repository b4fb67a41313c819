"""Any table as columns: text files, JSON, Parquet and Feather files, data frames, dicts of columns and lists of records.

A column is numbers where all of its cells are, else words as they were typed. Whatever a table is of, scores, items, battles or
the data of a study, it is read here, so that the same file is the same values everywhere, or the same error.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from tiebreak.errors import UnsupportedSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.files import (
    CODECS,
    LONGEST_LINE,
    NamedRows,
    check_path,
    check_size,
    content_of,
    encoding_of,
    parse_json,
    refuse,
    text_of,
)
from tiebreak.scores.metric import has_direction
from tiebreak.scores.vocabulary import look_up

TEXT = ("", ".csv", ".tsv", ".tab", ".txt", ".dat", ".md", ".tex", ".gz", ".bz2", ".zst", ".zip")
"""Endings of text files with a row in each line, packed or not; one without may be a download."""
ARROW = (".parquet", ".pq", ".feather", ".arrow")
JSON = (".json", ".jsonl", ".ndjson")
ENDINGS = (*TEXT, *ARROW, *JSON)

MISSING = frozenset(
    ["", "-", "—", "–", *"NA N/A NaN nan -NaN -nan null NULL None none n/a na <NA> #N/A #NA 1.#IND -1.#IND 1.#QNAN".split()]
)
"""Texts of cells without a value, as pandas, R, databases, spreadsheets and people write them."""

Where = Callable[[int], str]
"""Place of a row, for messages: "line 7"."""

IsName = Callable[[str], bool]
"""True for the names of columns that hold names, which are kept as they are typed: 007, 1.0, NA."""


class Words(NamedTuple):
    """A column of words: a code for each row, -1 where there is none."""

    names: tuple[str, ...]
    code: IntArray

    def take(self, rows: IntArray) -> Words:
        """The given rows, in their order."""
        return Words(self.names, self.code[rows])

    def ordered(self) -> Words:
        """The words in order of appearance, without those that no row has."""
        highest = np.maximum.accumulate(self.code)  # where they stand in order it rises by one at each new word
        if self.code.size and highest[0] <= 0 and highest[-1] == len(self.names) - 1 and np.diff(highest).max(initial=0) <= 1:
            return self
        first = np.full(len(self.names) + 1, self.code.size)  # row of each word, and of none
        first[self.code[::-1]] = np.arange(self.code.size)[::-1]
        order = np.argsort(first[:-1], kind="stable")[: np.count_nonzero(first[:-1] < self.code.size)]
        rank = np.full(len(self.names) + 1, -1, dtype=np.int32)
        rank[order] = np.arange(order.size)
        return Words(tuple(self.names[code] for code in order.tolist()), rank[self.code])

    def renamed(self, names: Iterable[str]) -> Words:
        """The rows with other names in the place of the words; equal ones become one, "" is none."""
        found = words_of(names)
        return Words(found.names, np.append(found.code, np.int32(-1))[self.code])

    def texts(self) -> list[str]:
        """The word of each row, "" where there is none."""
        names = (*self.names, "")
        return [names[code] for code in self.code.tolist()]


def words_of(texts: Iterable[str]) -> Words:
    """Words of the text of each row, "" where there is none."""
    index: dict[str, int] = {}
    code = [index.setdefault(text, len(index)) if text else -1 for text in texts]
    return Words(tuple(index), np.array(code, dtype=np.int32))


def concatenated(columns: Sequence[Words]) -> Words:
    """Rows of several columns as one; a single one as it is."""
    if len(columns) == 1:
        return columns[0]
    place = {name: number for number, name in enumerate(dict.fromkeys(name for column in columns for name in column.names))}
    codes = [np.array([*map(place.__getitem__, each.names), -1], dtype=np.int32)[each.code] for each in columns]
    return Words(tuple(place), np.concatenate(codes))


def ranked(words: Words, keys: Sequence[Any]) -> Words:
    """Names numbered in the order of their keys."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return Words(tuple(words.names[code] for code in order), np.argsort(order)[words.code])


Column = FloatArray | Words


@dataclass(frozen=True, slots=True)
class SourceTable(NamedRows):
    """Columns of equal length, by the name they have in the source.

    Attributes
    ----------
    name : str
        Of the source in messages.
    columns : dict of str to ndarray or Words
    where : callable
        Place of a row, from 0 on, in messages.
    n_rows : int
    nested : dict of str to list
        Cells of columns that hold lists or objects.
    """

    name: str
    columns: dict[str, Column]
    where: Where
    n_rows: int
    nested: dict[str, list[Any]]

    def words(self, column: str) -> Words:
        """A column as words; of numbers 3, not 3.0."""
        return as_words(self.columns[column])

    def numbers(self, column: str) -> FloatArray:
        """A column as numbers, nan where there is none; an `DataError` for a cell that is none."""
        found = self.columns[column]
        if not isinstance(found, Words):
            return found
        values = _numbers(found.names)
        if are_letters(found):
            values = [float(name.strip().casefold() in [good for good, _ in _LETTERS]) for name in found.names]
        for row in np.flatnonzero(np.array([*(value is None for value in values), False])[found.code])[:1].tolist():
            text = found.names[found.code[row]].strip()
            hint = next(
                (hint for pattern, hint in _HINTS.items() if re.search(pattern, text)),
                "Scores are numbers." + _TWO_ROWS * (row == 0 and text[:1].isalpha()),
            )
            shown = text if len(text) <= 60 else text[:57] + "..."
            raise self.refuse(f"{shown!r} is not a number.", hint, column=column, row=row)
        return np.array([*values, math.nan], dtype=float)[found.code]

    def take(self, rows: IntArray) -> SourceTable:
        """The given rows, in their order."""
        nested = {name: [cells[row] for row in rows.tolist()] for name, cells in self.nested.items()}
        columns = {
            name: each.take(rows).ordered() if isinstance(each, Words) else each[rows] for name, each in self.columns.items()
        }
        return SourceTable(self.name, columns, lambda row: self.where(int(rows[row])), int(rows.size), nested)

    def kept(self, where: Mapping[str, str | Sequence[str]], what: str = "") -> SourceTable:
        """The rows in which columns have the values that are asked for; `what` these are called in messages."""
        table = self
        for name, wanted in where.items():
            column = list(self.columns)[look_up(name, list(self.columns), "column")]
            words = table.words(column)
            codes = [
                look_up(value, words.names, what or f"value of {column!r}")
                for value in ([wanted] if isinstance(wanted, str) else map(str, wanted))
            ]
            table = table.take(np.flatnonzero(np.isin(words.code, codes)))
        return table


def as_words(column: Column) -> Words:
    """Numbers as words: 3, not 3.0; words as they are."""
    if isinstance(column, Words):
        return column
    low, high = (float(column.min()), float(column.max())) if column.size else (0.0, 0.0)
    if high - low < 2 * column.size and np.array_equal(column, np.floor(column)):  # none of which is nan
        return Words(tuple(map(str, range(int(low), int(high) + 1))), (column - low).astype(np.int32))
    values, code = np.unique(column, return_inverse=True)  # nan comes last
    return Words((), code).renamed(map(_number_text, values.tolist())).ordered()


def _number_text(value: float) -> str:
    return "" if math.isnan(value) else str(int(value)) if value.is_integer() else repr(value)


# --- cells ----------------------------------------------------------------------------------------------------------------

GOOD = frozenset(("correct", "pass", "passed", "✓", "✔", "✅"))
"""Words of which more are better, whatever their column is called; those of "true" may be errors."""

_TRUTH = {
    **dict.fromkeys(("true", "yes", *GOOD), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong", "fail", "failed", "✗", "✘", "❌"), 0.0),
}
_COMMA = re.compile(r"[-+]?\d*,\d+")
_POINT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_THOUSANDS = r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"
"""A number whose commas may part thousands."""

_HINTS = {
    r"±|\+/-|\+-|^[\d.,]+\s*\([\d.,]+\)$": (
        "It is a mean with its deviation, which does not say how two models differ on the same split: give the single scores of "
        "each split."
    ),
    r"^\([\d.,\s-]+\)$|^\[[\d.,\s-]+\]$": "It is an interval: give the single scores of each split, in one column.",
    f"^{_THOUSANDS}$": "Its comma may part thousands or decimals: write numbers with a point, as 0.83.",
    r"^[-+]?\d*,\d+\s*%?$": "A decimal comma is read where all numbers have one: write this one, or the others, as 0.83.",
    r"(?i)^(oom|tle|dnf|fail|failed|failure|err(or)?|crash(ed)?|time[ -]?out|timed out|killed|skipped|undefined|missing)$": (
        "Leave a cell without a score empty."
    ),
    r"[*†‡§]$|^\\\w+\{": "It has marks of a printed table: give the plain number.",
    "\0": "It holds a NUL character, so the file may be damaged or not be text.",
}
"""What a cell probably is that should be a number, by its pattern."""


_TWO_ROWS = (
    " If the header has two rows, as pandas writes columns in groups, make it one, such as model,accuracy_mean,accuracy_std: "
    "frame.columns = ['_'.join(map(str, names)) for names in frame.columns]."
)
"""Advice for a table that may have a second row of names."""


_AS_PYTHON_SHOWS = re.compile(r"((np|numpy)\.)?float\d+\(([^()]*)\)|(torch\.)?tensor\(([^(),[]*)(,.*)?\)")
"""A number as NumPy and PyTorch show it: np.float64(0.91), tensor(0.91, device='cuda:0')."""


def number_of(text: str, decimal: str = ".") -> float | None:
    """The number that a cell says, nan for one without a value, None for a word; per cent is a share, true is 1."""
    text = _AS_PYTHON_SHOWS.sub(r"\3\5", text.strip())
    if text in MISSING:
        return math.nan
    bare = text.removesuffix("%").rstrip()
    if decimal == "," and _COMMA.fullmatch(bare):
        bare = bare.replace(",", ".")
    if not bare.isascii() or "_" in bare:  # Python would read 1_000 and digits of every script
        return _TRUTH.get(text)
    try:
        return float(bare) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        return _TRUTH.get(text.casefold())


def decimal_of(columns: Iterable[Sequence[str]]) -> str:
    """The decimal sign: a comma where the numbers of some column have one for certain, and none of any column has a point."""
    present = [[cell.strip().rstrip("%").rstrip() for cell in cells if cell.strip() not in MISSING] for cells in columns]
    numbers = [
        cell for cells in present if all(_COMMA.fullmatch(cell) or _POINT.fullmatch(cell) for cell in cells) for cell in cells
    ]
    has_comma = any("," in cell and not re.fullmatch(_THOUSANDS, cell) for cell in numbers)
    return "," if has_comma and not any("." in cell for cell in numbers) else "."


def _numbers(names: Sequence[str], decimal: str = ".") -> list[float | None]:
    """The numbers that all words of a column say, None for those that say none; their decimal sign may be told by others."""
    own = "," if decimal == "," else decimal_of([names])
    values = [number_of(name, own) for name in names]
    # beside other numbers than 0 and 1 "failed" says why there is none
    is_odd = not {value for value in values if value == value} <= {0.0, 1.0, None}
    return [None if is_odd and name.strip().casefold() in _TRUTH else value for name, value in zip(names, values, strict=True)]


def is_numeric(column: Column, decimal: str = ".") -> bool:
    """True for a column of numbers, be they written in per cent or with decimal commas; one without any value is none."""
    if not isinstance(column, Words):
        return True
    is_like = bool(column.names) and all(number_of(each, ",") is not None for each in column.names)  # ends at the first word
    return is_like and None not in _numbers(column.names, decimal)


_LETTERS = (("y", "n"), ("t", "f"), ("c", "i"))


def are_letters(column: Column) -> bool:
    """True for a column of y and n, t and f, or Inspect's c and i, alone: right and wrong, where it is of marks."""
    names = column.names if isinstance(column, Words) else ()
    return bool(names) and any(all(name.strip().casefold() in letters for name in names) for letters in _LETTERS)


def has_fractions(column: Column) -> bool:
    """True for numbers that are not all whole, which name nothing."""
    if isinstance(column, Words):
        column = np.array(_numbers(column.names) if is_numeric(column) else [], dtype=float)
    return bool(np.any(column > np.floor(column)))


def is_empty(column: Column | list[Any]) -> bool:
    """True for a column without any value."""
    return bool(np.isnan(column).all()) if isinstance(column, np.ndarray) else isinstance(column, Words) and not column.names


def counts_rows(column: Column | list[Any]) -> bool:
    """True for numbers that count the rows, from 0 or 1 on."""
    return (
        isinstance(column, np.ndarray)
        and np.array_equal(column, column[:1] + np.arange(column.size))
        and column[:1].sum() in (0, 1)
    )


def column_of(values: Iterable[Any], *, as_typed: bool = False) -> Column | list[Any]:
    """Column of Python objects: numbers where all are, else words; the objects themselves where some are lists or objects."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "f" and not np.ma.isMaskedArray(values):
        return values.astype(float)  # a copy, so that nothing we do reaches the caller's data
    cells = list(values)
    numbers = [_float_of(value) for value in cells]
    if not as_typed and None not in numbers:
        return np.array(numbers, dtype=float)
    if any(isinstance(value, _NESTED) for value in cells):
        return cells
    texts = []
    for value, number in zip(cells, numbers, strict=True):
        text = value.decode("utf-8", "replace").strip() if isinstance(value, bytes) else str(value)
        if isinstance(value, float | np.floating):
            text = _number_text(float(text))
        texts.append("" if text.isspace() or (number is not None and math.isnan(number)) else text)
    return words_of(texts)


_NESTED = (list, tuple, set, dict, np.ndarray)


def _float_of(value: Any) -> float | None:
    """The number that an object is, nan for one that is missing; None for texts, and for what no float holds without loss."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return math.nan
    is_number = hasattr(value, "__float__") and not isinstance(value, str | bytes | complex) and not getattr(value, "ndim", False)
    if not is_number or (isinstance(value, int) and abs(value) > _EXACT):
        return None
    is_short = isinstance(value, np.floating) and not isinstance(value, float)
    return float(str(value)) if is_short else float(value)  # 0.1 of 32 bits is 0.1


_EXACT = 2**53
"""Whole numbers beyond it are not all floats."""


# --- any source -----------------------------------------------------------------------------------------------------------


def is_frame(source: Any) -> bool:
    """True for a data frame of any library, and for an array of records: they name their columns."""
    # asked of the class, since polars warns when a lazy frame is asked for its columns
    return getattr(getattr(source, "dtype", None), "names", None) is not None or any(
        hasattr(type(source), name) for name in ("columns", "__dataframe__", "__narwhals_dataframe__")
    )


def is_records(source: Any) -> bool:
    """True for a list of dicts, one for each row."""
    return isinstance(source, list | tuple) and len(source) > 0 and all(isinstance(row, Mapping) for row in source)


def read_table(
    source: Any, name: str, *, is_name: IsName = lambda _: False, objects: Callable[[Any], Any] | None = None
) -> SourceTable:
    """Table of a file, a frame, a dict of columns or a list of records, which messages call by the name.

    `objects` makes records or columns of an object of objects in a file, unless `of_objects` does.
    """
    if isinstance(source, np.ndarray) and source.dtype.names is not None:
        source = {column: source[column] for column in source.dtype.names}
    if isinstance(source, Mapping):
        return _of_columns(source, name, is_name)
    if is_records(source):
        rows = [  # the fields of an object stand in its place, with its name in front
            {
                f"{key}.{field}" if field else str(key): each
                for key, own in record.items()
                for field, each in (own.items() if isinstance(own, Mapping) else [("", own)])
            }
            for record in source
        ]
        return _of_columns(
            {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}, name, is_name
        )
    if not isinstance(source, str | os.PathLike):
        return _of_frame(source, name, is_name)
    path = Path(source)
    check_path(path, name)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnsupportedSourceError(
            f"{name} ends in {path.suffix!r}; tables are {', '.join(filter(None, ENDINGS))}. Save it as one of these; of an "
            "answer keep the JSON."
        )
    if ending in ARROW:
        return _of_arrow_file(path, name)
    return (
        _of_json(path, name, is_name, objects or of_objects)
        if ending in JSON
        else _of_text(content_of(path, name), name, is_name, ending)
    )


def column_names(path: Path, start: bytes) -> list[str]:
    """Names of the columns of a file that begins like this; an error of whoever reads it where that cannot be told."""
    ending = path.suffix.lower()
    if ending in (".parquet", ".pq"):
        from pyarrow import parquet

        return list(map(str, parquet.read_schema(path).names))
    if ending in JSON:
        return re.findall(r'"([^"]{1,40})"\s*:', start.decode("utf-8-sig", "replace").partition("}")[0])
    start = content_of(path, "")[:_SAMPLE] if start.startswith(tuple(CODECS)) else start
    return _form_of(start, "", ending).names if ending in TEXT else []


def _named(
    name: str,
    names: Sequence[str],
    columns: Iterable[Column | list[Any]],
    where: Where = lambda row: f"row {row + 1}",
) -> SourceTable:
    """Table of these columns: names without blanks around them, all different; nameless columns without cells are left out.

    So is a first one without a name that numbers the rows, as pandas and R write it beside a table.
    """
    held: dict[str, Column | list[Any]] = {}
    places: dict[str, int] = {}
    for place, (raw, column) in enumerate(zip(names, columns, strict=True), start=1):
        own = raw.strip().strip("\ufeff").strip()
        if not own or re.fullmatch(r"Unnamed: \d+(_level_\d+)?", own):
            if is_empty(column) or (place == 1 < len(names) and counts_rows(column)):
                continue
            own = f"column {place}"
        if own in held:
            raise refuse(
                name,
                f"it has two columns called {printable(own)!r} (columns {places[own]} and {place}).",
                f"Give each a name of its own.{_TWO_ROWS}",
            )
        held[own], places[own] = column, place
    sizes = {each: len(column.code) if isinstance(column, Words) else len(column) for each, column in held.items()}
    n_rows = next(iter(sizes.values()), 0)
    wrong = {
        f"its columns differ in length: {sizes!r:.200}.": len(set(sizes.values())) > 1,
        f"it has {'column names but no rows' if held else 'no columns, so there are no scores in it'}.": n_rows == 0,
    }
    for what in [what for what, is_so in wrong.items() if is_so][:1]:
        raise refuse(name, what)
    return SourceTable(
        name,
        {each: column for each, column in held.items() if not isinstance(column, list)},
        where,
        n_rows,
        {each: column for each, column in held.items() if isinstance(column, list)},
    )


# --- text files -----------------------------------------------------------------------------------------------------------

_SAMPLE = 1 << 16
"""Bytes of the beginning of a file by which its separator and decimal sign are told."""

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_NO_TABLE = {
    rb"PAR1": "it is Parquet. Give it the ending .parquet",
    rb"ARROW1": "it is an Arrow file. Give it the ending .feather",
    rb"SQLite format 3": "it is an SQLite database. A run in one is named as sqlite:///FILE#NAME",
    rb"\xd0\xcf\x11\xe0": "it is an old Excel or Office file. Save it as CSV UTF-8",
    rb"\xfd7zXZ": "it is packed by xz. Unpack it first",
    rb"\x00\x00\x00\x00": "it begins with NUL characters, so it is no text, or damaged",
    rb"(?i)\s*<(!doctype|html|table|\?xml)": "it is a web page or XML, perhaps of a sign-in. Download the file itself",
    rb'\s*\[?\s*\{\s*"': "it is JSON. Give it the ending .json, or .jsonl if each line is an object",
    rb"[\xef\xbb\xbf\xff\xfe\0 \t\r\n]+\Z": "it holds nothing but blank lines",
    rb"\Z": "it is empty",
}
"""What files are that are no text tables, by how they begin."""


class _Form(NamedTuple):
    """Separator, decimal sign and columns of a text table, those whose cells repeat, and whether pyarrow may read it as it is."""

    separator: str
    decimal: str
    names: list[str]
    repeated: frozenset[str]
    is_plain: bool


def _form_of(start: bytes, name: str, ending: str) -> _Form:
    if what := next((what for beginning, what in _NO_TABLE.items() if re.match(beginning, start)), ""):
        raise refuse(name, f"{what}.")
    encoding = encoding_of(start)
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        text = start.decode("cp1252", "replace")
    if "\0" in text[: text.find("\n")]:
        raise refuse(name, "it holds NUL characters, so it is not text, or damaged.", row="line 1")
    said = re.match('\ufeff*sep=([^\r\n"])[\r\n]+', text)
    body = (text[said.end() :] if said else text).lstrip("\ufeff")
    separator = said[1] if said else _separator(body, len(start) < _SAMPLE, name, "\t" if ending == ".tsv" else ",")
    # Markdown parts the header from the rows by a line of strokes
    skips = separator == " " or re.search(f'{re.escape(separator)}[ \t]+"|\\|[ :]*--', body) is not None
    form = _Form(separator, ".", [], frozenset(), not (said or skips or "\ufeff" in text or encoding != "utf-8-sig"))
    rows: list[list[str]] = []
    with suppress(csv.Error):  # whoever reads the file says where
        rows.extend(row for _, row in _rows_of(body, form, strict=False))
    names = [each.strip().strip("\ufeff") for each in (rows[0] if rows else [])]
    cells = list(zip(*rows[1 : None if len(start) < _SAMPLE else -1], strict=False))  # the last row may be cut short
    return form._replace(
        decimal=decimal_of(cells) if separator != "," or '"' in body else ".",
        names=names,
        repeated=frozenset(name for name, own in zip(names, cells, strict=False) if 2 * len(set(own)) < len(own)),
        is_plain=form.is_plain and rows[:1] in ([], [names]),
    )


_CLEANED: dict[str, Callable[[str], str]] = {
    " ": lambda line: f"{line.strip()}\n",
    "|": lambda line: re.sub(r"(?<![^|\s])(\*\*|__|\*|`)([^|*`]*[^|*`\s])\1(?![^|\s])", r"\2", line),  # marks of emphasis
}
"""Lines of a table without what is no part of its cells, by its separator."""


def _rows_of(text: str, form: _Form, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the number of its first line; a `csv.Error` where quotation marks do not match."""
    held = io.StringIO(text, newline="")
    lines = map(_CLEANED[form.separator], held) if form.separator in _CLEANED else held
    reader = csv.reader(lines, delimiter=form.separator, skipinitialspace=not form.is_plain, strict=strict)
    line = 1
    for row in reader:
        says_separator = line == 1 and re.fullmatch(r"\ufeff*sep=.?", "".join(row[:1]))
        if any(cell.strip("\ufeff \t\xa0" + ":-" * (form.separator == "|")) for cell in row) and not says_separator:
            yield line, row
        line = reader.line_num + 1


def _separator(text: str, is_whole: bool, name: str, usual: str) -> str:
    """The character between cells: the only one in the header, or of several the one that all rows have as often as it."""
    bare = re.sub(r'"(?:[^"]|"")*"', "Q", text) if '"' in text else text
    lines = [line for line in re.split(r"\r\n|\r|\n", bare) if line.strip(" ,;\t|")]
    header, *rows = lines[: 51 if is_whole or len(lines) < 2 else min(51, len(lines) - 1)] or [""]  # the last may be cut short
    found = {each: header.count(each) for each in _SEPARATORS if each in header}
    if not found:
        n_words, n_cells = len(header.split()), {len(row.split()) for row in rows}
        return " " if n_words > 1 and n_cells in ({n_words}, {n_words + 1}) else usual
    regular = {each: n for each, n in found.items() if rows and all(row.count(each) == n for row in rows)}
    if len(regular) > 1:
        words = " or ".join(f"{_SEPARATORS[each]} ({n + 1} columns)" for each, n in regular.items())
        raise refuse(
            name, f"it is separated by {words}, and every row fits either.", "Put what holds one of them into quotation marks."
        )
    return next(iter(regular), max(found, key=lambda each: (found[each], each == usual)))


def _of_text(content: bytes, name: str, is_name: IsName, ending: str) -> SourceTable:
    content = content.removeprefix(b"# ")  # in front of the header that numpy writes
    content = _of_latex(text_of(content, name)) if ending == ".tex" or rb"\begin{tabular" in content[:_SAMPLE] else content
    form = _form_of(content[:_SAMPLE], name, ending)
    is_plain = form.is_plain and content.count(b'"') % 2 == 0
    columns = _by_arrow(content, form, list(filter(is_name, form.names))) if is_plain else None
    names, text = form.names, ""
    if columns is None:
        text = text_of(content, name)
        names, columns = _by_lines(text, form, name)

    def where(row: int) -> str:
        lines = [line for line, _ in _rows_of(text or text_of(content, name), form, strict=False)]
        return f"line {lines[row + 1]}"

    _check_header(names, columns, name, where)
    return _named(
        name,
        names,
        [_as_numbers(each, form.decimal, is_name=is_name(own)) for own, each in zip(names, columns, strict=True)],
        where,
    )


_LATEX = re.compile(
    r"(?m)(?<!\\)%.*|\\\\.*|\\(cell|row)?color(\[[^\]]*\])?\{[^}]*\}|\\(?P<sign>pm\b|[%_#])|(?P<more>(?<=[\d}])\{?\\[a-zA-Z])|\\[a-zA-Z]+\*?(\[[^\]]*\])?|[{}$]"
)
"""What is no text of a cell in LaTeX: comments, ends of rows, signs, commands, braces; those behind a number say more of it."""


def _of_latex(text: str) -> bytes:
    """Rows of a table in LaTeX with bars between its cells; other lines are blank."""
    bare = _LATEX.sub(lambda found: {"pm": "±"}.get(found["sign"], found["sign"] or found["more"] or ""), text)
    return "\n".join(line.replace("&", "|") if "&" in line else "" for line in bare.split("\n")).encode()


def _as_numbers(column: Column, decimal: str, *, is_name: bool) -> Column:
    """Numbers of words that are nothing else; names only where the numbers are written as we would, truth as True and False."""
    if isinstance(column, np.ndarray):
        return column
    if is_name:
        held = [each for each in column.names if each not in MISSING]
        is_whole = bool(held) and all(map(str.isdecimal, held)) and max(map(len, held)) < 16  # there may be a million
        if not is_whole or list(map(str, map(int, held))) != held:
            return column
    elif column.names and not is_numeric(column, decimal):
        return column
    said = {each.casefold() for each in column.names if each not in MISSING}
    if not said.isdisjoint(_TRUTH) and not said <= {"true", "false"}:
        return column
    return np.array([*_numbers(column.names, decimal), math.nan], dtype=float)[column.code]


def _check_header(names: Sequence[str], columns: Sequence[Column], name: str, where: Where) -> None:
    """Refuse a first row that is no header, and one that comes again."""
    present = [each for each in names if each]
    again = [own for own, each in zip(names, columns, strict=True) if isinstance(each, Words) and own in each.names]
    if again and again == present:
        raise refuse(
            name,
            "it repeats the header.",
            "Remove the line; was one table put below another?",
            row=where(as_words(columns[names.index(again[0])]).texts().index(again[0])),
        )
    numbers = [each for each in present if number_of(each) is not None]
    # as pandas writes a series without a name: 0
    are_cells = len(numbers) == len(present) and names[0] and names != ["0"]
    wrong = {
        (
            f"the first row holds {'only ' if are_cells else ''}numbers ({', '.join(numbers[:3])} ...).",
            "A header with the names of the columns is needed there, such as the models' names.",
        ): numbers and (are_cells or {*again} - {*numbers}),
        (
            f"it is no header: it names {len(present)} of {len(names)} columns ({', '.join(present)!r}).",
            "Remove the lines above the header with the names of the columns.",
        ): len(names) >= 3 and len(present) < 2,
    }
    for what, fix in [texts for texts, is_so in wrong.items() if is_so][:1]:
        raise refuse(name, what, fix, row="line 1")


def _by_lines(text: str, form: _Form, name: str) -> tuple[list[str], list[Column]]:
    """Names and columns of words, row by row; what is no table is refused with its line."""
    cells: list[dict[str, int]] = []
    codes: list[list[int]] = []
    line = 0
    csv.field_size_limit(LONGEST_LINE)
    try:
        for line, row in _rows_of(text, form):
            if not cells:
                cells, codes = [{} for _ in row], [[] for _ in row]
            if len(row) != len(cells):
                hints = {
                    "If these are decimal commas, write the numbers with a point, such as 0.83.": len(row) > 2
                    and all(re.fullmatch(r"\s*-?\d*\s*", cell) for cell in row),
                    "If the header stands further down, remove the lines above it.": len(cells) == 1,
                    "If the rows have names, give their column a name too.": line == 2
                    and len(row) == len(cells) + 1
                    and form.separator in " \t",
                }
                raise refuse(
                    name,
                    f"{len(row)} cell(s), but the header has {len(cells)} column(s).",
                    *(hint for hint, is_so in hints.items() if is_so),
                    row=f"line {line}",
                )
            for known, code, cell in zip(cells, codes, row, strict=True):
                code.append(known.setdefault(cell, len(known)))
    except csv.Error as error:
        raise refuse(name, f"{error}.", "Is a quotation mark left open?", row=f"after line {line}") from None
    names = [[each.strip("\ufeff").strip() for each in known] for known in cells]  # the first of each column is its header
    return [known[0] for known in names], [
        Words((), np.array(code[1:], np.int32)).renamed(known).ordered() for known, code in zip(names, codes, strict=True)
    ]


def _by_arrow(content: bytes, form: _Form, named: Collection[str]) -> list[Column] | None:
    """Columns by pyarrow, of words in those that are `named`; None for what it cannot read."""
    import pyarrow as pa
    from pyarrow import csv, types

    held = _buffer(content)

    def read(columns: Collection[str], kind: Any, only: Sequence[str] = ()) -> Any:
        """All columns, or some only: of a kind, others of what they look like."""
        return csv.read_csv(
            pa.BufferReader(held),
            read_options=csv.ReadOptions(block_size=1 << 24),
            parse_options=csv.ParseOptions(delimiter=form.separator, newlines_in_values=b'"' in content),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(columns, kind),
                include_columns=only,
                null_values=sorted(MISSING),
                strings_can_be_null=False,
                decimal_point=form.decimal,
                auto_dict_encode=True,
                auto_dict_max_cardinality=2**31 - 1,
                true_values=["True", "true", "TRUE"],
                false_values=["False", "false", "FALSE"],
            ),
        )

    is_strange = b"0x" in content or b"0X" in content or b"\0" in content[:_SAMPLE]  # it reads numbers of base 16
    typed = {*form.names} if is_strange else form.repeated & {*named}  # numbers that differ in all rows take long as words
    as_words = pa.dictionary(pa.int32(), pa.string())
    try:
        table = read(typed, as_words)
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
        odd = {each for each, kind in kinds.items() if types.is_temporal(kind)}  # which is kept as it was written
        odd |= {each for each in named if not types.is_dictionary(kinds[each])}
        if whole := [each for each in odd if types.is_integer(kinds[each])]:  # of which words take long: are they the same?
            texts = read(whole, pa.string(), whole)
            odd -= {each for each in whole if table[each].cast(pa.string()).equals(texts[each])}
        table = read(typed | odd, as_words) if odd else table
    except (pa.ArrowException, LookupError, ValueError):
        return None
    is_binary = any(types.is_dictionary(each) and not types.is_string(each.value_type) for each in table.schema.types)
    if is_binary or table.column_names != form.names:  # text of another encoding
        return None
    columns = [cast(Column, _of_arrow(column)) for column in table.columns]  # a text file has no lists
    del table
    pa.default_memory_pool().release_unused()
    is_missing = np.logical_and.reduce([each.code < 0 if isinstance(each, Words) else np.isnan(each) for each in columns])
    return None if is_missing.any() else columns  # a row without values may be blank, or a split on which all models failed


def _buffer(content: bytes) -> Any:
    """The content in memory of pyarrow's own: its threads let go of it late, and of Python's memory they cannot at the exit."""
    import pyarrow as pa

    stream = pa.BufferOutputStream()
    stream.write(content)
    return stream.getvalue()


def _of_arrow(column: Any) -> Column | list[Any]:
    """Column of pyarrow as numbers or words, or as lists, without pandas, which `Array.to_numpy` imports."""
    import pyarrow as pa

    array = column.combine_chunks()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array.cast(pa.string()).dictionary_encode()
    are_words = pa.types.is_dictionary(array.type) and pa.types.is_string(array.type.value_type)
    if not (are_words or pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return column_of(array.to_pylist())
    numbers = pa.RecordBatch.from_arrays([array.indices if are_words else array], names=[""])
    values: FloatArray = numbers.to_tensor(null_to_nan=True).to_numpy().ravel()  # nan where there are none
    if are_words:
        names = tuple(array.dictionary.to_pylist())
        bare = tuple(map(str.strip, names))
        words = Words(names, np.nan_to_num(values, copy=False, nan=-1).astype(np.int32))
        return words if bare == names and "" not in bare else words.renamed(bare)
    is_too_large = pa.types.is_integer(array.type) and np.any(np.abs(values) >= _EXACT)
    return column_of(array.to_pylist()) if is_too_large else values.astype(float, copy=False)


# --- JSON, Parquet, frames, records ------------------------------------------------------------------------------------------


def _of_json(path: Path, name: str, is_name: IsName, objects: Callable[[Any], Any]) -> SourceTable:
    is_lines = path.suffix.lower() != ".json"
    content = content_of(path, name, has_lines=is_lines)
    found = _json_by_arrow(content, name, is_name) if is_lines else None
    if found is not None:
        return found
    text = text_of(content, name)
    if is_lines or re.match(r"\s*\{.*\}\s*\n\s*\{", text):
        lines = text.replace("\r\n", "\n").split("\n")  # U+2028 ends no line of JSON
        numbered = {number: line for number, line in enumerate(lines, start=1) if line.strip()}
        parsed = {number: parse_json(line, f"{name}, line {number}", is_table=True) for number, line in numbered.items()}
        for number in [number for number, record in parsed.items() if not isinstance(record, dict)][:1]:
            raise refuse(name, "it holds no object.", row=f"line {number}")
        held: Any = list(parsed.values())
    else:
        held = parse_json(text, name, is_table=True)
    if isinstance(held, Mapping) and "mteb_version" in held:
        held = [_of_mteb(held, path.absolute(), name)]
    if isinstance(held, Mapping) and {"lm_eval_version", "versions"} & held.keys() and isinstance(held.get("results"), Mapping):
        held = _of_lm_eval(held)
    lists = [own for key in ("columns", "data") if isinstance(held, Mapping) and isinstance(own := held.get(key), list)]
    if len(lists) == 2 and all(
        isinstance(row, list) and len(row) == len({*map(str, lists[0])}) == len(lists[0]) for row in lists[1]
    ):
        held = [dict(zip(map(str, lists[0]), row, strict=True)) for row in lists[1]]  # as MLflow and Weights & Biases keep tables
    if isinstance(held, Mapping):
        held = next((held[key] for key in ("data", "results", "records", "rows") if isinstance(held.get(key), list)), held)
    if isinstance(held, Mapping) and all(isinstance(each, Mapping) for each in held.values()):
        held = objects(held) if len({frozenset(each) for each in held.values()}) == 1 else held  # of one kind
    if isinstance(held, Mapping) and (run := _of_run(held)):
        held = [run]
    if isinstance(held, Mapping) or is_records(held):
        return read_table(held, name, is_name=is_name)
    raise refuse(
        name,
        "it is empty." if held == [] else "it is no table: a list of objects, an object of lists, or an object in each line.",
        kind=UnsupportedSourceError,
    )


def _of_mteb(held: Mapping[str, Any], path: Path, name: str) -> dict[str, Any]:
    """Row of a result of MTEB, one task of one model, which model_meta.json names; without that file its folder does."""
    meta = path.with_name("model_meta.json")
    try:
        its = printable(str(meta))
        named = parse_json(text_of(content_of(meta, its), its), its)["name"] if meta.is_file() else path.parent.name
        scores = [subset["main_score"] for subsets in held["scores"].values() for subset in subsets]
        return {"model": named, "dataset": held["task_name"], "main_score": sum(scores) / len(scores)}
    except (LookupError, TypeError, AttributeError, ZeroDivisionError):
        raise refuse(name, "it is of MTEB, but holds no main_score of a task.", kind=UnsupportedSourceError) from None


def _of_lm_eval(held: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the results of lm-evaluation-harness, the scores of one model on each task but those that sum up others."""
    groups, config = (dict(own) if isinstance(own := held.get(key), Mapping) else {} for key in ("group_subtasks", "config"))
    tasks = {task: own for task, own in held["results"].items() if not groups.get(task) and isinstance(own, Mapping)}
    model = held.get("model_name") or config.get("model_args")
    return [
        {"dataset": task, **({"model": str(model)} if model else {})}
        | {
            key.removesuffix(",none"): value  # which stands behind a name since version 0.4
            for key, value in own.items()
            if "_stderr" not in key and ("," in key or not any("," in each for each in own))
        }
        for task, own in tasks.items()
    ]


def _of_run(held: Mapping[str, Any]) -> dict[str, Any]:
    """Scores and settings of what one run has measured; {} for anything else.

    Lists, such as losses by epoch, are left out where a number beside them, or one level down, is called by a metric.
    """
    own = {key: each for key, each in held.items() if not isinstance(each, list)}
    inner = [each.items() if isinstance(each, Mapping) else [(key, each)] for key, each in own.items()]
    numbers = [name for pairs in inner for name, each in pairs if isinstance(each, int | float)]
    is_run = len(own) == len(held) or any(has_direction(re.split(r"[\W_]+", name)[-1]) for name in numbers)
    return own if is_run else {}


def of_objects(held: Mapping[str, Mapping[str, Any]]) -> Any:
    """Columns whose rows are numbered, as pandas writes a frame; else records of models, by key or place of their lists."""
    if all(str(key).isdecimal() for each in held.values() for key in each):
        return {name: list(column.values()) for name, column in held.items()}
    inner = [each for own in held.values() for each in own.values()]
    if inner and all(isinstance(each, Mapping) and each.keys() == inner[0].keys() for each in inner):
        return [
            {"model": model, "": name, **({"split": place} if len(rows) > 1 else {}), **row}
            for model, own in held.items()
            for name, each in own.items()
            for rows in [_rows_of_lists(each)]
            for place, row in enumerate(rows)
        ]
    return [{"model": model, **row} for model, own in held.items() for row in _rows_of_lists(own)]


def _rows_of_lists(held: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Rows of the longest lists of an object, by place; the object itself where it has none."""
    lists = {key: each for key, each in held.items() if hasattr(each, "__len__") and not isinstance(each, str | bytes | Mapping)}
    n = max(map(len, lists.values()), default=0)
    whole = {key: each for key, each in lists.items() if len(each) == n}
    return [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)] if n else [held]


def _json_by_arrow(content: bytes, name: str, is_name: IsName) -> SourceTable | None:
    """Table of JSON lines by pyarrow; None for what is nested or changes its type from row to row."""
    import pyarrow as pa
    from pyarrow import json as arrow

    try:
        table = arrow.read_json(
            pa.BufferReader(_buffer(content.removeprefix(codecs.BOM_UTF8))),
            read_options=arrow.ReadOptions(block_size=1 << 24),
        )
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
    except (pa.ArrowException, ValueError):
        return None
    is_odd = any(
        pa.types.is_nested(kind) or pa.types.is_temporal(kind) or (is_name(each) and pa.types.is_floating(kind))
        for each, kind in kinds.items()
    )
    return None if is_odd else _named(name, list(kinds), map(_of_arrow, table.columns))


def _of_arrow_file(path: Path, name: str) -> SourceTable:
    import pyarrow as pa
    from pyarrow import feather, parquet

    check_size(path.stat().st_size, name)
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            file = parquet.ParquetFile(path)
            check_size(8 * file.metadata.num_rows * file.metadata.num_columns, name, is_unpacked=True)
            table = file.read()
        else:
            table = feather.read_table(path)
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise refuse(name, f"it cannot be read as {path.suffix[1:]}: {error}.") from None
    columns = dict(enumerate(zip(map(str, table.column_names), table.columns, strict=True)))
    index = [place for place, (each, _) in columns.items() if re.fullmatch(r"__index_level_\d+__", each)]
    order = [*index, *(place for place in columns if place not in index)]  # the index stands first, as in a text file
    names = ["" if place in index[:1] else columns[place][0] for place in order]
    return _named(name, names, (_of_arrow(columns[place][1]) for place in order))


def _of_columns(columns: Mapping[Any, Any], name: str, is_name: IsName) -> SourceTable:
    held: list[Column | list[Any]] = []
    for key, values in columns.items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise refuse(
                name,
                f"it must be a list; got {printable(f'{values!r:.60}')}.",
                "A table has a list for each column, or is a list of rows, such as {'model': 'svm', 'fold': 1, 'accuracy': 0.9}.",
                column=str(key),
                kind=UnsupportedSourceError,
            )
        cells = list(values) if is_name(str(key)) else values
        is_of_names = cells is not values and any(isinstance(cell, bool) for cell in cells)  # where True is a word
        held.append(column_of(cells, as_typed=is_of_names))
    return _named(name, list(map(str, columns)), held)


def _of_frame(source: Any, name: str, is_name: IsName) -> SourceTable:
    import narwhals as nw

    source = _with_index(source)
    if hasattr(source, "set_axis") and source.columns.nlevels > 1:  # as pandas calls what was grouped: accuracy_mean
        source = source.set_axis(["_".join(str(each) for each in names if str(each)) for names in source.columns], axis=1)
    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise refuse(
            name, f"it has columns of the same name: {' '.join(str(error).split())}.", "Give each a name of its own."
        ) from None
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if not isinstance(frame, nw.DataFrame):
        raise UnsupportedSourceError(
            f"{name} is of type {type(source).__name__!r}, which holds no table. Pass a data frame, a dict of columns, a list of "
            "records, or the path of a file."
        )
    held: dict[Any, Any] = {}
    for series in frame.iter_columns():
        try:
            held[series.name] = series.to_numpy() if series.dtype.is_float() else series.to_list()
        except BaseException as error:  # a date beyond Python's; polars panics at some
            if not isinstance(error, OverflowError | ValueError) and type(error).__name__ != "PanicException":
                raise
            raise refuse(name, f"it has a value that Python cannot hold: {error}.", column=str(series.name)) from None
    return _of_columns(held, name, is_name)


def _with_index(source: Any) -> Any:
    """Frame of pandas with its index as columns, where it has names or holds texts; a running number says nothing."""
    index = getattr(source, "index", None) if hasattr(source, "reset_index") else None
    names = [*getattr(index, "names", ())]
    says_nothing = names in ([], [None]) and getattr(getattr(index, "dtype", None), "kind", "O") in "biuf"
    if not names or says_nothing or any(each in source.columns for each in names if each is not None):
        return source
    return source.reset_index(names=[each or ("" if place == 0 else f"column {place + 1}") for place, each in enumerate(names)])


def refuse_nested(table: SourceTable, columns: Collection[str]) -> None:
    """Refuse lists and objects where a name or a number is to be."""
    for column in columns:
        table.refuse_rows(
            [isinstance(cell, _NESTED) for cell in table.nested.get(column, ())],
            lambda row, its=column: f"it is {printable(f'{table.nested[its][row]!r:.60}')}; it must be a single text or number.",  # type: ignore[misc]
            "Of lists of scores write a row for each score, or pass a dict with the list of each model.",
            column=column,
        )
