"""The data of a study file: a table in a file, or a dataset that comes with scikit-learn; and what models get of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import MissingDependencyError, SourceNotFoundError, TiebreakError
from tiebreak.plan.models import is_function
from tiebreak.readers.columns import is_unnamed
from tiebreak.readers.source import check_path, pipes_as_files
from tiebreak.readers.table import TEXT, read_frame
from tiebreak.scores.vocabulary import nearest_file
from tiebreak.study_file.toml import Entry, nearest, plain

if TYPE_CHECKING:
    import pandas as pd

BUNDLED = ("breast_cancer", "iris", "wine", "digits", "diabetes")
"""Datasets that scikit-learn brings along; nothing is downloaded."""

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
    if frame.empty:
        raise entry.error("has column names but no rows.")
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
    unnamed = next((each for each in columns if is_unnamed(each) and each not in dropped), None)
    if unnamed is not None:
        what = f"the column {unnamed!r}" if unnamed else "a column without a name"
        raise entry.error(f'has {what}, perhaps a row index. Leave it out with drop = ["{unnamed}"], or name it.')
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
    if path.suffix.lower() not in (*TEXT, *_PARQUET):
        raise source.error("tables can be .csv, .tsv, .txt (read as CSV) and .parquet.")
    try:
        if "\0" not in name and not path.exists() and not path.is_symlink():
            raise SourceNotFoundError(f"{source.error(f'there is no such file in {plain(str(folder))}.')}{nearest_file(path)}")
        check_path(path, plain(name))
        if path.suffix.lower() in _PARQUET:
            return _read_parquet(source, path)
        with pipes_as_files([path]) as (held,):
            return read_frame(held, plain(name))[0]
    except OSError as error:
        if isinstance(error, TiebreakError):
            raise source.about(error) from None
        raise source.error(f"cannot be read: {error.strerror or error}.") from None
    except TiebreakError as error:
        raise source.about(error) from None


def _read_parquet(source: Entry, path: Path) -> pd.DataFrame:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(str(source.error("reading Parquet needs pyarrow: pip install 'pyarrow>=17'."))) from None
    try:
        return parquet.ParquetFile(path).read().to_pandas(ignore_metadata=True)  # type: ignore[no-any-return]
    except (pyarrow.ArrowException, ValueError) as error:
        raise source.error(f"cannot be read as Parquet: {' '.join(str(error).split())}.") from None


# --- columns on their way into the models ---------------------------------------------------------------------------------

_TREATMENTS = ("impute", "one_hot", "scale")


def column_steps(entry: Entry, datasets: Mapping[str, StudyData]) -> Any:
    """The table ``[columns]`` as a ColumnTransformer, which is fitted on training rows only, with the model.

    ``impute`` fills what is missing with the median, or the most frequent word, ``one_hot`` makes a column for each word, and
    ``scale`` brings numbers to mean 0 and standard deviation 1; each is true, for all columns that it fits, or a list of columns.
    Columns of words that are not named are left out by no rule: they have to be named, or dropped.
    """
    table = entry.table(_TREATMENTS)
    frame = _one_table(entry, datasets)
    words, numbers = _text_columns(frame), _columns_of_numbers(frame)
    imputed = _chosen(table.get("impute"), list(frame.columns), list(frame.columns))
    encoded = _chosen(table.get("one_hot"), words, list(frame.columns))
    scaled = _chosen(table.get("scale"), numbers, numbers)
    for column in words:
        if column not in encoded:
            raise entry.error(
                f"the column {column!r} holds text ({_example(frame[column])}), which hardly any model can read. Name it in "
                f'one_hot, or leave it out of the data: drop = ["{column}"].'
            )
    return _transformer(frame, imputed, encoded, scaled)


def _one_table(entry: Entry, datasets: Mapping[str, StudyData]) -> pd.DataFrame:
    frames = [data.X for data in datasets.values()]
    if any(not hasattr(frame, "columns") for frame in frames):
        raise entry.error("goes with a table in a file; the data of scikit-learn are numbers without names.")
    first: pd.DataFrame = frames[0]
    for name, other in zip(datasets, frames, strict=True):
        if list(other.columns) != list(first.columns):
            raise entry.error(f"goes with datasets of the same columns; those of {name!r} are others.")
    return first


def _chosen(entry: Entry | None, fitting: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """Columns that a key names: none without it, all that fit where it is true."""
    if entry is None or entry.value is False:
        return []
    if entry.value is True:
        return list(fitting)
    chosen = []
    for each in entry.items():
        if each.value not in allowed:
            raise each.error(f"there is no such column for it; {nearest(each.text(), allowed, 'there are')}")
        chosen.append(str(each.value))
    return chosen


def _transformer(frame: pd.DataFrame, imputed: Sequence[str], encoded: Sequence[str], scaled: Sequence[str]) -> Any:
    """One part for all columns that are treated alike; the others pass as they are."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    alike: dict[tuple[bool, bool, bool], list[str]] = {}
    for column in frame.columns:
        treatment = (column in imputed, column in encoded, column in scaled)
        if any(treatment):
            alike.setdefault(treatment, []).append(str(column))
    parts = []
    for (fills, encodes, scales), columns in alike.items():
        steps = [SimpleImputer(strategy="most_frequent" if encodes else "median")] if fills else []
        steps += [OneHotEncoder(handle_unknown="ignore", sparse_output=False)] if encodes else []
        steps += [StandardScaler()] if scales and not encodes else []
        words = [word for word, does in zip(("filled", "encoded", "scaled"), (fills, encodes, scales), strict=True) if does]
        parts.append(("_".join(words), make_pipeline(*steps) if len(steps) > 1 else steps[0], columns))
    return ColumnTransformer(parts, remainder="passthrough", verbose_feature_names_out=False)


def with_columns(entry: Entry, model: Any, transformer: Any) -> Any:
    """A model, or each candidate of a grid, behind the transformer: the step ``columns`` before the step ``model``."""
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    from tiebreak.study_file.declared import DeclaredModel

    if isinstance(model, dict):
        return {name: with_columns(entry, each, transformer) for name, each in model.items()}
    if isinstance(model, DeclaredModel):
        return model
    if is_function(model):
        raise entry.error("is a function, which is given the table as it is. [columns] goes with estimators.")
    return Pipeline([("columns", clone(transformer)), ("model", model)])


# --- without [columns] ----------------------------------------------------------------------------------------------------


def refuse_unreadable(entry: Entry, datasets: Mapping[str, StudyData], models: Mapping[str, Any]) -> None:
    """Refuse text, and empty cells, on which a model of scikit-learn would fail each time; says which column, and what to do."""
    for name, data in datasets.items():
        if not hasattr(data.X, "columns"):
            continue
        place = entry.at(name) if name else entry
        words = _text_columns(data.X)
        lacking = [column for column in data.X.columns if data.X[column].isna().any()]
        for model_name, model in _each(models) if words or lacking else ():
            reads_words, reads_gaps = _abilities(model)
            if words and not reads_words:
                column = words[0]
                raise place.error(
                    f"the column {column!r} holds text ({_example(data.X[column])}), which the model {model_name!r} cannot read. "
                    f'Leave it out with drop = ["{column}"], or make numbers of all text: a table [columns] with one_hot = true.'
                )
            if lacking and not reads_gaps:
                column = lacking[0]
                raise place.error(
                    f"the column {column!r} has {int(data.X[column].isna().sum())} empty cells, which the model {model_name!r} "
                    f'cannot read. Leave it out with drop = ["{column}"], or fill them in: a table [columns] with impute = true.'
                )


def _each(models: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Models by name, one candidate of each grid."""
    return [(name, next(iter(model.values())) if isinstance(model, dict) else model) for name, model in models.items()]


def _abilities(model: Any) -> tuple[bool, bool]:
    """Abilities to read text and empty cells; taken for granted where nothing says otherwise."""
    from sklearn.base import BaseEstimator
    from sklearn.pipeline import Pipeline
    from sklearn.utils import get_tags

    if type(model) is Pipeline:
        model = model.steps[0][1]
    module = type(model).__module__
    if not isinstance(model, BaseEstimator) or not module.startswith("sklearn."):
        return True, True
    holds_others = any(hasattr(each, "fit") for each in model.get_params(deep=False).values())
    tags = get_tags(model)
    if (
        holds_others
        or tags.no_validation
        or module.startswith(("sklearn.compose.", "sklearn.feature_extraction.", "sklearn.dummy"))
    ):
        return True, True
    return tags.input_tags.string or tags.input_tags.categorical, tags.input_tags.allow_nan


def _text_columns(frame: pd.DataFrame) -> list[str]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return [str(name) for name in frame.columns if not is_numeric_dtype(frame[name]) and not is_bool_dtype(frame[name])]


def _columns_of_numbers(frame: pd.DataFrame) -> list[str]:
    words = _text_columns(frame)
    return [str(name) for name in frame.columns if name not in words]


def _example(column: pd.Series[Any]) -> str:
    """A word of a column, with its row."""
    row = int((~column.isna()).to_numpy().argmax())
    return f"{str(column.iloc[row])[:40]!r} in row {row + 1}"
