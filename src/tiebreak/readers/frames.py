"""Data frames of any library that narwhals reads, Parquet files, and dicts of columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import InvalidScoresError, MissingDependencyError, UnreadableSourceError
from tiebreak.readers.columns import (
    MOST_COLUMNS,
    Column,
    ScoreTable,
    Where,
    column_of,
    is_missing,
    is_reserved,
    numbered_rows,
    read_header,
)
from tiebreak.readers.score_tables import read_columns, read_table
from tiebreak.readers.search import is_cv_results, read_cv_results
from tiebreak.readers.source import ReadOptions, Source, is_path, read_file, unsupported

if TYPE_CHECKING:
    import narwhals as nw

_PARQUET = (".parquet", ".pq")


def reads(source: Any) -> bool:
    """True for a dict, the path of a Parquet file, and what may be a frame: frames of every library name their columns."""
    # asked of the class, since polars warns when a lazy frame is asked for its columns
    return (
        isinstance(source, Mapping)
        or is_path(source, *_PARQUET)
        or any(hasattr(type(source), name) for name in ("columns", "__dataframe__", "__narwhals_dataframe__"))
    )


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of a long or wide frame, or of a dict of columns."""
    if isinstance(source, Mapping):
        return read_columns(source, name, options)
    if is_path(source, *_PARQUET):
        return read_file(source, lambda path, name: _read_parquet(path, name, options))
    frame = _as_frame(source)
    if frame is None:
        raise unsupported(source, name)
    return _read_frame(frame, "the table" if name == "the source" else name, options)


def _as_frame(source: Any) -> nw.DataFrame[Any] | None:
    """Source as a narwhals frame, None if it is no frame."""
    try:
        import narwhals as nw
    except ImportError:
        raise MissingDependencyError("data frames are read through narwhals: pip install narwhals.") from None
    try:
        frame = nw.from_native(_with_index_columns(source), pass_through=True)
    except nw.exceptions.DuplicateError as error:
        text = " ".join(str(error).split())
        raise UnreadableSourceError(
            f"the table has columns of the same name: {text}. Give each model a name of its own."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _with_index_columns(source: Any) -> Any:
    """Frame of pandas with the index as columns, if it names splits or models; narwhals would drop the index."""
    names = getattr(getattr(source, "index", None), "names", None)
    if names is None or not any(map(is_reserved, names)):
        return source
    return source if any(name in source.columns for name in names) else source.reset_index()


def parquet_table(path: Path, name: str) -> Any:
    """Table of a Parquet file, as pyarrow has it; refuses what is damaged or too large."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(f"reading {name} needs pyarrow: pip install 'pyarrow>=17'.") from None
    try:
        file = parquet.ParquetFile(path)
        _check_size(file, name)
        return file.read()
    except (pyarrow.ArrowException, ValueError, MemoryError) as error:
        if isinstance(error, UnreadableSourceError):
            raise
        raise UnreadableSourceError(f"{name} cannot be read as Parquet: {error}.") from None


def _read_parquet(path: Path, name: str, options: ReadOptions) -> Source:
    frame = _as_frame(parquet_table(path, name))
    if frame is None:
        raise UnreadableSourceError(f"{name} holds no table.")
    return _read_frame(frame, name, options)


_MOST_CELLS = 100_000_000
"""Cells of a Parquet file that are read, 800 MB: repeated values take no room in the file, and all of it in memory."""


def _check_size(file: Any, name: str) -> None:
    n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
    if n_columns > MOST_COLUMNS or n_rows * n_columns > _MOST_CELLS:
        raise UnreadableSourceError(
            f"{name} holds {n_rows} rows and {n_columns} columns, more than {_MOST_CELLS:,} cells or {MOST_COLUMNS:,} columns: "
            "too many for a table of scores. Write a file of the rows and columns that are to be compared."
        )


def _read_frame(frame: nw.DataFrame[Any], name: str, options: ReadOptions) -> Source:
    native: dict[str, Any] = {}
    for column in frame.columns:
        if isinstance(column, tuple):
            raise UnreadableSourceError(
                f"{name} has columns with several levels, such as {column!r}. Give each model one name, for example with "
                "frame.columns = ['/'.join(map(str, names)) for names in frame.columns]."
            )
        if str(column) in native:
            raise UnreadableSourceError(f"{name} has two columns called {str(column)!r}. Give each model a name of its own.")
        native[str(column)] = column
    if is_cv_results(native) and "params" in native:
        return read_cv_results({column: frame.get_column(native[column]).to_list() for column in native}, name, options)
    header = read_header(tuple(native), name, lambda column: not _is_numeric(frame.get_column(native[column])))
    where = numbered_rows(name)
    columns = {each: _column(frame.get_column(native[each]), each, kind, where) for each, kind in header.wanted.items()}
    return read_table(ScoreTable(name, len(frame), columns, where, header), options)


def _is_numeric(series: nw.Series[Any]) -> bool:
    return bool(series.dtype.is_numeric() or str(series.dtype) == "Boolean")


_EXACT = 2**53
"""Whole numbers beyond it are not all floats."""


def _column(series: nw.Series[Any], name: str, kind: str, where: Where) -> Column:
    import narwhals as nw

    if series.dtype.is_integer():
        present = series.drop_nulls()
        large = len(present) > 0 and max(-int(present.min()), int(present.max())) > _EXACT
        if large and kind == "numbers":
            row = next(row for row, value in enumerate(series.to_list()) if not is_missing(value) and abs(value) > _EXACT)
            raise InvalidScoresError(
                f"{where(row)}, column {name!r}: {series[row]} is larger than 2**53, so it cannot be told from its neighbours. "
                "Give the numbers in a larger unit."
            )
        if large:
            return column_of([None if is_missing(value) else str(value) for value in series.to_list()], "words", where)
    if series.dtype == nw.Float32 and kind != "numbers":
        return column_of(series.to_numpy(), kind, where)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        # a copy, so that nothing we do reaches the caller's data
        return np.array(series.cast(nw.Float64).to_numpy(), dtype=float)
    return column_of(values_of(series, name), kind, where)


def values_of(series: nw.Series[Any], name: str) -> list[Any]:
    """Values of a column as Python's own."""
    try:
        return series.to_list()
    except BaseException as error:  # a date beyond Python's, which the library of the frame can hold; polars panics at some
        if not isinstance(error, OverflowError | ValueError) and type(error).__name__ != "PanicException":
            raise
        raise InvalidScoresError(f"column {name!r} of the table has a value that Python cannot hold: {error}.") from None
