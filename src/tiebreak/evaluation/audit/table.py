"""X by columns, whatever it is: numbers with nan for what is missing, or codes of categories; and a hash of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tiebreak.numerics import FloatArray

Hashes = np.ndarray[Any, np.dtype[np.uint64]]

LONG_TEXT = 30
"""Characters from which on two equal texts are no coincidence."""


class Column(NamedTuple):
    """A column of X.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        Numbers, nan where missing; or codes of categories, -1 where missing.
    is_category : bool
        Whether the values have no order.
    is_free_text : bool
        Whether the categories are long texts, which do not coincide by chance.
    """

    values: FloatArray
    is_category: bool = False
    is_free_text: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns of X, made one at a time as they are asked for.

    Attributes
    ----------
    table : ndarray, sparse matrix or data frame
        As models are given it; sparse by columns, arrays of more than two dimensions with all but the first laid out flat.
    names : tuple of str
        "column 0" and so on where the table has no names.
    """

    table: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, X: Any) -> Columns:
        """The columns of what models are given."""
        if hasattr(X, "tocsc"):
            return cls(X.tocsc(), _numbered(X.shape[1]))
        if hasattr(X, "columns"):
            return cls(X, tuple(str(name) for name in X.columns))
        flat = X.reshape(X.shape[0], -1)
        return cls(flat, _numbered(flat.shape[1]))

    def __len__(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.table.shape[0])

    def __getitem__(self, place: int) -> Column:
        """One column."""
        if hasattr(self.table, "indptr"):
            return Column(np.asarray(self.table[:, [place]].toarray(), dtype=float).ravel())
        if hasattr(self.table, "iloc"):
            return _of_series(self.table.iloc[:, place])
        if hasattr(self.table, "columns"):
            return _of_values(self.table[self.table.columns[place]].to_numpy())
        return _of_values(self.table[:, place])

    def row_hashes(self) -> Hashes:
        """A number for each row, the same for rows that are equal; sums of those of the cells, so a column can be left out."""
        if hasattr(self.table, "indptr"):
            return _sparse_hashes(self.table)
        total = np.zeros(self.n_rows, dtype=np.uint64)
        for place in range(len(self)):
            total += self.cell_hashes(place)
        return total

    def cell_hashes(self, place: int) -> Hashes:
        """What the cells of a column add to the hashes of their rows; of a sparse one, the zeros add nothing."""
        bits = _bits(self[place].values)
        hashed = _mixed(bits ^ _mixed(np.uint64(place + 1)))
        if hasattr(self.table, "indptr"):
            hashed = hashed - _mixed(_bits(np.zeros(1)) ^ _mixed(np.uint64(place + 1)))
        return np.asarray(hashed, dtype=np.uint64)

    def encoded(self, places: Sequence[int] | None = None) -> FloatArray:
        """Columns beside each other as numbers: categories as codes, the missing as nan; rows by columns."""
        chosen = range(len(self)) if places is None else places
        encoded = np.empty((self.n_rows, len(chosen)))
        for at, place in enumerate(chosen):
            column = self[place]
            encoded[:, at] = np.where(column.values < 0, np.nan, column.values) if column.is_category else column.values
        return encoded


def _numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(f"column {place}" for place in range(n_columns))


def _of_series(series: Any) -> Column:
    """A column of a pandas frame, with its own kinds of numbers and of what is missing."""
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

    if is_datetime64_any_dtype(series.dtype):
        return _of_values(series.to_numpy(dtype="datetime64[ns]"))
    if is_bool_dtype(series.dtype) or is_numeric_dtype(series.dtype):
        values = series.to_numpy()
        return _of_values(values if values.dtype.kind in "biuf" else series.to_numpy(dtype=float, na_value=np.nan))
    return _of_values(series.to_numpy())


def _of_values(values: np.ndarray[Any, Any]) -> Column:
    if values.dtype.kind in "biuf":
        return Column(values.astype(float))
    if values.dtype.kind in "mM":
        return Column(_days(values))
    return _category(values)


def _days(values: np.ndarray[Any, Any]) -> FloatArray:
    """Times and durations as days since the first one, nan where missing."""
    missing = np.isnat(values)
    if missing.all():
        return np.full(values.shape, np.nan)
    since = (values - values[~missing].min()) / np.timedelta64(1, "D")
    return np.where(missing, np.nan, since)


def _category(values: np.ndarray[Any, Any]) -> Column:
    import pandas as pd

    try:
        codes, labels = pd.factorize(values.astype(object))
    except TypeError:  # lists, arrays or dicts in the cells
        codes, labels = pd.factorize(np.array([repr(value) for value in values.tolist()], dtype=object))
    if labels.size and all(isinstance(label, int | float) and not isinstance(label, bool) for label in labels):
        return Column(np.append(labels.astype(float), np.nan)[codes])  # numbers as objects; -1 is the last entry, nan
    lengths = [len(label) for label in labels if isinstance(label, str)]
    return Column(codes.astype(float), is_category=True, is_free_text=bool(lengths) and float(np.median(lengths)) >= LONG_TEXT)


# --- hashes -----------------------------------------------------------------------------------------------------------------


def _bits(values: FloatArray) -> Hashes:
    """The bits of numbers; one zero and one nan."""
    values = values + 0.0
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


def _mixed(bits: Any) -> Any:
    """Bits spread over all 64 [Steele, Lea and Flood 2014, splitmix64]."""
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return bits ^ (bits >> np.uint64(31))


def _sparse_hashes(table: Any) -> Hashes:
    """Sums over what is stored, row by row."""
    total = np.zeros(table.shape[0], dtype=np.uint64)
    table = table.copy()
    table.sum_duplicates()
    place = _mixed(np.repeat(np.arange(1, table.shape[1] + 1, dtype=np.uint64), np.diff(table.indptr)))
    with np.errstate(over="ignore"):
        hashed = _mixed(_bits(table.data.astype(float)) ^ place) - _mixed(_bits(np.zeros(1)) ^ place)
    np.add.at(total, table.indices, hashed)
    return total


def codes_of(hashes: Hashes) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Equal rows as equal numbers from 0."""
    return np.unique(hashes, return_inverse=True)[1].astype(np.int64)
