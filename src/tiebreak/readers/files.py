"""Paths: the checks that files of every format share, and the answer to a format that none reads."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tiebreak.errors import SourceNotFoundError, UnsupportedSourceError
from tiebreak.readers.source import ReadOptions, Source


def is_path(source: Any, *endings: str) -> bool:
    """True for a path, as text or as a path object, that has one of the endings."""
    return isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in endings


def read_file(source: str | os.PathLike[str], read_format: Callable[[Path, str], Source]) -> Source:
    """Scores in a file, named after its path.

    Parameters
    ----------
    source : str or path-like
    read_format : callable
        Reads one format: is given the path, and the name of the file in messages.

    Raises
    ------
    SourceNotFoundError
        There is no such file, or it cannot be opened.
    """
    path, name = Path(source), os.fspath(source)
    _check_path(path, name)
    try:
        found = read_format(path, name)
    except OSError as error:
        if isinstance(error, SourceNotFoundError):
            raise
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    return dataclasses.replace(found, suffixes=(path.stem, f"{path.parent.name}/{path.stem}"))


def reads(source: Any) -> bool:
    """True for every path that no other reader reads."""
    return isinstance(source, (str, os.PathLike))


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Refuse a file of an unknown format.

    Raises
    ------
    SourceNotFoundError
        There is no such file.
    UnsupportedSourceError
        Its ending is none of .csv, .tsv, .txt, .json and .parquet.
    """
    return read_file(source, _refuse_format)


def _refuse_format(path: Path, name: str) -> Source:
    raise UnsupportedSourceError(
        f"{name} ends in {path.suffix!r}; files can be .csv, .tsv, .txt (read as CSV), .json and .parquet. Save it as one "
        "of these, or read it into a data frame and pass that."
    )


def _check_path(path: Path, name: str) -> None:
    if "\0" in name:
        raise SourceNotFoundError(f"{name!r} is no path: it holds a NUL character.")
    if path.is_dir():
        raise SourceNotFoundError(f"{name} is a directory. Pass the files in it.")
    if not path.exists():
        raise SourceNotFoundError(f"there is no file {name!r} (looked in {Path.cwd()}).{_similar_path(path)}")


def _similar_path(path: Path) -> str:
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, 1, 0.6)
    return f" Did you mean {str(path.with_name(near[0]))!r}?" if near else ""
