"""View of a kind of result, and the forms that every one has: frame, records, lines of CSV, JSON, and files that are whole."""

from __future__ import annotations

import csv
import dataclasses
import errno
import itertools
import json
import math
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.errors import StoreError
from tiebreak.printable import printable
from tiebreak.views.page import Page

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.numerics import IntArray


def document(**content: Any) -> dict[str, Any]:
    """Plain content under the numbers of the schema (of comparisons and pairs it is 2) and of this version: docs/api.md."""
    return {"schema": 1, "tiebreak": tiebreak.__version__, **plain(content)}


def finite(value: Any) -> Any:
    """A number that is nan or infinite as None, which JSON can say; anything else as it is."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(value: Any) -> Any:
    """A value with all that it shows: arrays as lists, records as dicts, what is undefined as None, the rest by its repr.

    Iterators stay as they are.
    """
    if value is None or isinstance(value, bool | int | float | str | Iterator):
        return finite(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr}
    if hasattr(value, "tolist") and not isinstance(value, type):
        return plain(value.tolist())
    return repr(value)


def json_pieces(facts: Mapping[str, Any]) -> Iterator[str]:
    """Facts as text in pieces: a key on each line, and an entry on each line of what is an iterator.

    So a large table is never held as Python objects or as one text.
    """
    opening = "{\n"
    for key, value in facts.items():
        yield f"{opening}{encoded(key)}: "
        opening = ",\n"
        if isinstance(value, Iterator):
            before = "[\n"
            for entry in value:
                yield f"{before}{encoded(entry)}"
                before = ",\n"
            yield "[]" if before == "[\n" else "\n]"
        else:
            yield encoded(value)
    yield "\n}"


def encoded(value: Any, indent: int | None = None, *, is_tight: bool = False) -> str:
    """A plain value as JSON in printable ASCII, whatever stands in its texts; an iterator within is a list."""
    how: dict[str, Any] = {"indent": indent, "separators": (",", ":") if is_tight else None}
    return json.dumps(value, ensure_ascii=True, allow_nan=False, default=list, **how).replace("\x7f", r"\u007f")


Columns = Mapping[str, Any]
"""Lists, arrays or `Coded` of one length, by name."""

BLOCK = 4096
"""Rows that are Python objects at a time."""

# Spreadsheets take a cell that starts so for a formula, the full-width forms included.
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names as codes into `names`."""

    codes: IntArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.names)

    def tolist(self) -> list[str]:
        """The names themselves."""
        return [self.names[code] for code in self.codes.tolist()]


def named(columns: Mapping[str, Any | None]) -> dict[str, Any]:
    """Columns without those that are None."""
    return {name: column for name, column in columns.items() if column is not None}


def of_rows(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of rows that are known by name."""
    held = list(rows)
    return {name: [row[name] for row in held] for name in names}


def as_frame(columns: Columns | pd.DataFrame) -> pd.DataFrame:
    """Columns as a frame, coded names as categories; a frame stays as it is."""
    import pandas as pd

    if isinstance(columns, pd.DataFrame):
        return columns
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, pd.Index(column.names)) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )


def rows_of(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Rows of Python's own numbers and texts, made block by block."""
    for start in range(0, len(next(iter(columns.values()))), BLOCK):
        blocks = (column[start : start + BLOCK] for column in columns.values())
        yield from zip(*(block.tolist() if hasattr(block, "tolist") else block for block in blocks), strict=True)


def records_of(columns: Columns) -> Iterator[dict[str, Any]]:
    """Rows by name, for JSON: what is undefined is None."""
    for row in rows_of(columns):
        yield dict(zip(columns, map(finite, row), strict=True))


def csv_lines(columns: Columns | pd.DataFrame, *, raw: bool = False) -> Iterator[str]:
    r"""Columns line by line under their names; what is undefined is an empty cell, and a list stands as JSON.

    Unless it is to be `raw`, text that a spreadsheet would run as a formula gets an apostrophe in front, and what a terminal
    would obey, or nobody can see, stands as an escape such as ``\x1b``.
    """
    echo: Any = SimpleNamespace(write=lambda line: line.removesuffix("\r\n") + "\n")  # `writerow` gives the line back
    writer: Any = csv.writer(echo, lineterminator="\r\n")  # so that a name with a carriage return is quoted
    if not isinstance(columns, Mapping):
        columns = {str(name): column for name, column in columns.reset_index(drop=True).items()}
    for row in itertools.chain([tuple(columns)], rows_of(columns)):
        yield writer.writerow([_cell(value, raw) for value in row])


def _cell(value: Any, raw: bool) -> Any:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, list | dict):
        value = json.dumps(value)
    if isinstance(value, str) and not raw:
        value = printable(value)
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return value


@dataclass(frozen=True, slots=True)
class View:
    """View of one kind of result; `choices` are handed on to `page` and `facts`.

    `page` makes sentences, tables and notes of a result, `columns` its numbers by name (for frames and CSV), and `facts` what
    its JSON holds: plain values, and iterators for lists that may be long. `plots` are its plots by name, or "module:name" of
    these where they are loaded when one is asked for, `report` is that of what makes its report, `frames` and `texts` are further
    columns and texts by name, and `sentence` makes the first sentence of the page, where it can be had without the page.
    """

    page: Callable[..., Page]
    columns: Callable[[Any], Columns | pd.DataFrame]
    facts: Callable[..., dict[str, Any]]
    plots: Mapping[str, Any] | str = field(default_factory=dict)
    report: str = "tiebreak.views.report.document:report"
    frames: Mapping[str, Callable[[Any], Columns | pd.DataFrame]] = field(default_factory=dict)
    sentence: Callable[[Any], str] | None = None
    texts: Mapping[str, Callable[..., str]] = field(default_factory=dict)

    def frame(self, result: object, name: str = "") -> pd.DataFrame:
        """The columns, or further ones of that name, as a frame."""
        return as_frame((self.frames[name] if name else self.columns)(result))

    def as_html(self, result: object, path: str | os.PathLike[str] | None, *choices: Any, **heading: Any) -> str:
        """The report with this title and command, also written to a file if one is named."""
        return _written(resolve_name(self.report)(result, *choices, **heading), path)

    def headline(self, result: object) -> str:
        """First sentence of the page."""
        return self.page(result).headline if self.sentence is None else printable(self.sentence(result))

    def as_json(self, result: object, path: str | os.PathLike[str] | None, *choices: Any) -> str:
        """The facts as JSON, also written to a file if one is named."""
        text = "".join(json_pieces(self.facts(result, *choices)))
        _written(f"{text}\n", path)
        return text


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write_whole(Path(path), text.encode())
    return text


# --- files ------------------------------------------------------------------------------------------------------------------

_FILE_RIGHTS, _FOLDER_RIGHTS = 0o644, 0o755
"""At most; the umask takes from them."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file through a temporary one in the same folder, so that nobody ever sees half of it.

    A file is never written through a link, a device or pipe is written to as it is, and a file that is replaced keeps its rights.
    A failure is an `StoreError`, after which everything is as it was.
    """
    temporary = path.parent / f".{path.name[:40]}.{uuid.uuid4().hex}.tmp"
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        if path.is_symlink():
            what = f"it is a link to {os.path.realpath(path)}, and no file is written through a link"
            raise OSError(errno.ELOOP, f"{what}; name the file itself, or remove the link")
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, _FILE_RIGHTS)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        with suppress(OSError):  # such as that of a name that is no path, which was said above
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder for output where there is none, its parents included."""
    try:
        for each in (*reversed(folder.parents), folder):
            each.mkdir(_FOLDER_RIGHTS, exist_ok=True)
    except OSError as error:
        raise _unwritten(folder, error) from error


def _unwritten(path: Path, error: OSError) -> StoreError:
    advice = " Free some space there, or name another place." if error.errno in _NO_ROOM else ""
    reason = "a file is where the folder should be" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
    return StoreError(f"{path} could not be written: {reason or error}. No part of it was kept.{advice}")
