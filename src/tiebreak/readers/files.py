"""Paths: CSV and JSON by the standard library, Parquet through pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiebreak.errors import MissingDependencyError, SourceNotFoundError, UnreadableSourceError, UnsupportedSourceError
from tiebreak.readers.source import Request, Source
from tiebreak.readers.tables import read_table

_CSV = ("", ".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")


def read_path(given: str | Path, request: Request) -> Source:
    """Scores in a file.

    Raises
    ------
    SourceNotFoundError
        There is no such file, or it cannot be opened.
    UnsupportedSourceError
        Its ending is none of .csv, .tsv, .txt, .json and .parquet.
    UnreadableSourceError
        It cannot be read as scores; the text names line and column.
    """
    path, name = Path(given), str(given)
    _check_path(path, name)
    suffix = path.suffix.lower()
    suffixes = (path.stem, f"{path.parent.name}/{path.stem}")
    try:
        if suffix in _CSV:
            from tiebreak.readers.csv import read_csv

            table, layout = read_csv(path, name)
            return read_table(table, layout, request, suffixes)
        if suffix == ".json":
            from tiebreak.readers.json import read_json

            return read_json(path, name, request, suffixes)
        return _read_parquet(path, name, request, suffixes)
    except OSError as error:
        if isinstance(error, SourceNotFoundError):
            raise
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None


def _check_path(path: Path, name: str) -> None:
    if "://" in name:
        raise UnsupportedSourceError(f"{name!r} is an address; this version reads files only. Download it and pass its path.")
    if "\0" in name:
        raise SourceNotFoundError(f"{name!r} is no path: it holds a NUL character.")
    if path.is_dir():
        raise SourceNotFoundError(f"{name} is a directory. Pass the files in it.")
    if not path.exists():
        raise SourceNotFoundError(f"there is no file {name!r} (looked in {Path.cwd()}).{_sibling(path)}")
    if path.suffix.lower() not in (*_CSV, ".json", *_PARQUET):
        raise UnsupportedSourceError(
            f"{name} ends in {path.suffix!r}; files can be .csv, .tsv, .txt (read as CSV), .json and .parquet. Save it as one "
            "of these, or read it into a data frame and pass that."
        )


def _sibling(path: Path) -> str:
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, 1, 0.6)
    return f" Did you mean {str(path.with_name(near[0]))!r}?" if near else ""


def _read_parquet(path: Path, name: str, request: Request, suffixes: tuple[str, ...]) -> Source:
    from tiebreak.readers.frames import as_frame, read_frame

    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(f"reading {name} needs pyarrow: pip install 'tiebreak[parquet]'.") from None
    try:
        table: Any = parquet.ParquetFile(path).read()
    except (pyarrow.ArrowException, ValueError) as error:
        raise UnreadableSourceError(f"{name} cannot be read as Parquet: {error}.") from None
    frame = as_frame(table)
    if frame is None:
        raise UnreadableSourceError(f"{name} holds no table.")
    return read_frame(frame, request, name, suffixes)
