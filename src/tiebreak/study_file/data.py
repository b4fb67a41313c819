"""The data of a study file: a table in a file, or a dataset that comes with scikit-learn."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import InvalidStudyError, MissingDependencyError, SourceNotFoundError
from tiebreak.scores.scores import nearest_file
from tiebreak.study_file.toml import Entry, nearest, plain

if TYPE_CHECKING:
    import pandas as pd

BUNDLED = ("breast_cancer", "iris", "wine", "digits", "diabetes")
"""Datasets that scikit-learn brings along; nothing is downloaded."""

_CSV = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_KEYS = ("source", "target", "groups", "weights", "time", "drop", "features")
_SPECIAL = ("target", "groups", "weights", "time")
"""Columns that have a use of their own, and so are no features."""


@dataclass(frozen=True, slots=True, eq=False)
class StudyData:
    """A dataset as it goes to `tiebreak.evaluate`; the time of each row, which is no feature, is for `tiebreak.audit`."""

    X: Any
    y: Any
    groups: Any = None
    weights: Any = None
    time: Any = None


def read_datasets(entry: Entry, folder: Path) -> dict[str, StudyData]:
    """The data by name, of the table ``[data]``; a single dataset has the name "". Relative paths lead from `folder`."""
    table = entry.table()
    if not table:
        raise entry.error('is empty. Say where the data are: source = "table.csv" and target = "column".')
    if "source" in table or not all(isinstance(each.value, dict) for each in table.values()):
        return {"": _read(entry, folder)}
    for name, each in table.items():
        if isinstance(each.value, dict) and "weights" in each.value:
            raise each.at("weights").error("weights are for a study of one dataset, under [data].")
        if not name:
            raise each.error("a dataset needs a name.")
    return {name: _read(each, folder) for name, each in table.items()}


def _read(entry: Entry, folder: Path) -> StudyData:
    table = entry.table(_KEYS)
    if "source" not in table:
        raise entry.error('says no source. Add source = "table.csv", or source = "sklearn:breast_cancer".')
    source = table["source"]
    if source.text().startswith("sklearn:"):
        return _bundled(source, [each for key, each in table.items() if key != "source"])
    return _columns(entry, _read_table(source, folder))


def _bundled(source: Entry, others: Sequence[Entry]) -> StudyData:
    from sklearn import datasets

    name = source.value.removeprefix("sklearn:")
    if name not in BUNDLED:
        raise source.error(f"no dataset of scikit-learn is called {name!r}; {nearest(name, BUNDLED, 'there are')}")
    for each in others:
        raise each.error(f"goes with a table in a file; {source.value} has its own target and features.")
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return StudyData(X, y)


# --- columns --------------------------------------------------------------------------------------------------------------


def _columns(entry: Entry, frame: pd.DataFrame) -> StudyData:
    """Columns of the target and of the features, by name."""
    table = entry.table()
    columns = [str(column) for column in frame.columns]
    frame.columns = columns
    if "target" not in table:
        raise entry.error(f"says no target: the column to be predicted. {nearest('', columns, 'The columns are')}")
    special: dict[str, str] = {key: _known(table[key], columns) for key in _SPECIAL if key in table}
    for key, column in special.items():
        if list(special.values()).index(column) != list(special).index(key):
            raise table[key].error("is named twice: as target, groups, weights or time. Each is a column of its own.")
        _check_complete(table[key], frame[column])
    features = _features(entry, columns, special)
    return StudyData(
        X=frame[features],
        y=frame[special["target"]],
        groups=frame[special["groups"]] if "groups" in special else None,
        weights=_weights(table["weights"], frame[special["weights"]]) if "weights" in special else None,
        time=frame[special["time"]] if "time" in special else None,
    )


def _features(entry: Entry, columns: Sequence[str], special: dict[str, str]) -> list[str]:
    table = entry.table()
    if "features" in table and "drop" in table:
        raise entry.error("has both features and drop. Say which columns to use, or which to leave out.")
    if "features" in table:
        features = _several(table["features"], columns)
        for column in features:
            if column in special.values():
                raise table["features"].error(f"{column!r} is the target, the groups, weights or time, and so no feature.")
        return features
    dropped = _several(table["drop"], columns) if "drop" in table else []
    if special["target"] in dropped:
        raise table["drop"].error(f"{special['target']!r} is the target.")
    if "" in columns and "" not in dropped:
        raise entry.error('has a column without a name, perhaps a row index. Leave it out with drop = [""], or name it.')
    features = [column for column in columns if column not in dropped and column not in special.values()]
    if not features:
        raise entry.error("leaves no columns to learn from.")
    return features


def _several(entry: Entry, columns: Sequence[str]) -> list[str]:
    """Names of columns, each of which is there."""
    if isinstance(entry.value, str):
        return [_known(entry, columns)]
    return list(dict.fromkeys(_known(each, columns) for each in entry.items()))


def _known(entry: Entry, columns: Sequence[str]) -> str:
    name = entry.value
    if not isinstance(name, str):
        entry.text()
    if name not in columns:
        raise entry.error(f"there is no column {name!r}; {nearest(name, columns, 'the columns are')}")
    return str(name)


def _check_complete(entry: Entry, column: pd.Series[Any]) -> None:
    lacking = column.isna().to_numpy().nonzero()[0]
    if lacking.size:
        raise entry.error(
            f"{lacking.size} of {column.size} rows have no value in this column, the first is row {lacking[0] + 1} (below the "
            "header). Fill them in, or leave these rows out of the file."
        )


def _weights(entry: Entry, column: pd.Series[Any]) -> Any:
    from pandas.api.types import is_numeric_dtype

    if not is_numeric_dtype(column) or (column < 0).any():
        raise entry.error("weights must be numbers of at least 0.")
    return column.to_numpy(dtype=float)


# --- files ----------------------------------------------------------------------------------------------------------------


def _read_table(source: Entry, folder: Path) -> pd.DataFrame:
    name = source.text()
    if "://" in name:
        raise source.error("is an address; download it and give its path.")
    path = folder / name
    if "\0" in name or path.is_dir():
        raise source.error("is no file.")
    if path.suffix.lower() not in (*_CSV, *_PARQUET):
        raise source.error("tables can be .csv, .tsv, .txt (read as CSV) and .parquet.")
    if not path.exists():
        raise SourceNotFoundError(f"{source.error(f'there is no such file in {plain(str(folder))}.')}{nearest_file(path)}")
    try:
        return _read_parquet(source, path) if path.suffix.lower() in _PARQUET else _read_csv(source, path)
    except OSError as error:
        if isinstance(error, SourceNotFoundError):
            raise
        raise source.error(f"cannot be read: {error.strerror or error}.") from None


def _read_csv(source: Entry, path: Path) -> pd.DataFrame:
    import pandas as pd

    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        header = _header(source, path, separator)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # index_col=False: or pandas takes the first column for an index where rows are longer than the header
            return pd.read_csv(
                path, sep=separator, header=0, names=header, index_col=False, encoding="utf-8-sig", low_memory=False
            )
    except UnicodeDecodeError:
        raise source.error("is not UTF-8 text. Save it as UTF-8.") from None
    except pd.errors.ParserWarning:
        raise source.error("has rows with more cells than the header.") from None
    except (pd.errors.ParserError, csv.Error, ValueError, OverflowError) as error:
        if isinstance(error, InvalidStudyError):
            raise
        raise source.error(f"cannot be read as CSV: {' '.join(str(error).split())}.") from None


def _header(source: Entry, path: Path, separator: str) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file, delimiter=separator), [])
    if not header:
        raise source.error("is empty.")
    doubled = [name for name in dict.fromkeys(header) if header.count(name) > 1]
    if doubled:
        raise source.error(f"has more than one column called {doubled[0]!r}. Rename them.")
    return header


def _read_parquet(source: Entry, path: Path) -> pd.DataFrame:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(
            str(source.error("reading Parquet needs pyarrow: pip install 'tiebreak[parquet]'."))
        ) from None
    try:
        return parquet.ParquetFile(path).read().to_pandas(ignore_metadata=True)  # type: ignore[no-any-return]
    except (pyarrow.ArrowException, ValueError) as error:
        raise source.error(f"cannot be read as Parquet: {' '.join(str(error).split())}.") from None
