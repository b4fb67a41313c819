"""Data frames of any library that narwhals reads: pandas, polars, pyarrow and more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import MissingDependencyError, UnreadableSourceError
from tiebreak.readers.columns import RESERVED, Column, Labels, NotNumbers, Table, Where, find_layout, from_values, wanted_columns
from tiebreak.readers.search import is_cv_results, read_cv_results
from tiebreak.readers.source import Request, Source
from tiebreak.readers.tables import read_table

if TYPE_CHECKING:
    import narwhals as nw


def as_frame(source: Any) -> nw.DataFrame[Any] | None:
    """The source as a narwhals frame, None if it is no frame."""
    if not _may_be_frame(source):
        return None
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


def _may_be_frame(source: Any) -> bool:
    """Whether it is worth importing narwhals: frames of every library name their columns."""
    # asked of the class, since polars warns when a lazy frame is asked for its columns
    return any(hasattr(type(source), name) for name in ("columns", "__dataframe__", "__narwhals_dataframe__"))


def _with_index_columns(source: Any) -> Any:
    """A pandas frame whose index names splits or models keeps them as columns; narwhals would drop the index."""
    names = getattr(getattr(source, "index", None), "names", None)
    if names is None or not any(isinstance(name, str) and name.casefold() in RESERVED for name in names):
        return source
    return source if any(name in source.columns for name in names) else source.reset_index()


def read_frame(frame: nw.DataFrame[Any], request: Request, name: str = "the table", suffixes: tuple[str, ...] = ()) -> Source:
    """Scores of a long or wide frame.

    Parameters
    ----------
    frame : narwhals.DataFrame
    request : Request
    name : str
        How messages call it.
    suffixes : tuple of str
        As of `Source`.
    """
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
        return read_cv_results({column: frame.get_column(native[column]).to_list() for column in native}, request, name)
    layout = find_layout(tuple(native), name)
    where = row_of(name)
    wanted = wanted_columns(tuple(native), layout)
    columns = {column: _column(frame.get_column(native[column]), kind, where) for column, kind in wanted.items()}
    return read_table(Table(name, len(frame), columns, where), layout, request, suffixes)


def row_of(name: str) -> Where:
    """Rows by their number, counted from 1."""
    return lambda row: f"{name}, row {row + 1}"


def _column(series: nw.Series[Any], kind: str, where: Where) -> Column:
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        # a copy, so that nothing we do reaches the caller's data
        return np.array(series.cast(nw.Float64).to_numpy(), dtype=float)
    return column_of_values(series.to_list(), kind, where)


def column_of_values(values: Iterable[Any], kind: str, where: Where) -> Column:
    """A column of Python objects; one that should be numbers and is not says where."""
    column = from_values(values)
    if kind != "numbers" or not isinstance(column, Labels):
        return column
    return _first_word(values, where)


def _first_word(values: Iterable[Any], where: Where) -> NotNumbers:
    for row, value in enumerate(values):
        alone = from_values([value])
        if isinstance(alone, Labels):
            return NotNumbers(where(row), alone.names[0])
    raise AssertionError("a column of words holds a word")


def read_columns(columns: Mapping[str, Any], request: Request, name: str, suffixes: tuple[str, ...] = ()) -> Source:
    """Scores of a dict of columns, given as lists or arrays."""
    lists = {}
    for column, values in columns.items():
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise UnreadableSourceError(f"column {column!r} of {name} must be a list; got {_brief(values)}.")
        lists[str(column)] = list(values)
    layout = find_layout(tuple(lists), name)
    lengths = {column: len(values) for column, values in lists.items()}
    first, *rest = lengths
    for other in rest:
        if lengths[other] != lengths[first]:
            raise UnreadableSourceError(
                f"the columns of {name} differ in length: {first!r} has {lengths[first]} values, {other!r} has {lengths[other]}."
            )
    where = row_of(name)
    kinds = wanted_columns(tuple(lists), layout)
    table = {column: column_of_values(lists[column], kind, where) for column, kind in kinds.items()}
    return read_table(Table(name, lengths[first], table, where), layout, request, suffixes)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
