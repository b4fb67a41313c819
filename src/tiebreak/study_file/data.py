"""The data of a study file: a table in a file, or a dataset that comes with scikit-learn; and what models get of its columns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.printable import printable
from tiebreak.readers.predictions import whole_numbers
from tiebreak.readers.tables import ENDINGS, SourceTable, Words, is_numeric, read_table
from tiebreak.study_file.toml import Entry

# --- datasets ---------------------------------------------------------------------------------------------------------------

BUNDLED = ("breast_cancer", "iris", "wine", "digits", "diabetes")
"""Datasets that scikit-learn brings along; nothing is downloaded."""

_SPECIAL = ("target", "groups", "weights", "time")
"""Columns that have a use of their own, and so are no features."""


class StudyData(NamedTuple):
    """A dataset as it goes to `tiebreak.evaluate`; the time of each row, which is no feature, is for `tiebreak.audit`."""

    X: Any
    y: Any
    groups: Any = None
    weights: Any = None
    time: Any = None


def read_datasets(entry: Entry, folder: Path) -> dict[str, StudyData]:
    """The data by name, of the table ``[data]``; a single dataset has the name "". Relative paths lead from `folder`."""
    tables = entry.read(dict[str, Any])
    if "source" in tables or not tables or not all(isinstance(each, dict) for each in tables.values()):
        return {"": _read(entry, folder)}
    return {name: _read(entry.at(name), folder) for name in tables}


def _read(entry: Entry, folder: Path) -> StudyData:
    entry.check_keys(("source", *_SPECIAL, "drop", "features"))
    source = entry.at("source")
    name = source.read(str)
    if name.startswith("sklearn:"):
        from sklearn import datasets

        source.check_name(BUNDLED, "dataset of scikit-learn", name[8:])
        entry.check_keys(("source",), "key for a dataset of scikit-learn")
        return StudyData(*getattr(datasets, f"load_{name[8:]}")(return_X_y=True))
    source.require(
        Path(name).suffix.lower() in ENDINGS and "://" not in name,
        "tables are files on this machine: .csv, .tsv, .txt (read as CSV) or .parquet.",
    )
    try:
        table = read_table(folder / name, printable(name))
    except TiebreakError as error:
        raise source.error(str(error), type(error)) from None
    return _columns(entry, _frame_of(table))


def _frame_of(table: SourceTable) -> Any:
    """A data frame; whole numbers without gaps stay whole, so that classes keep their names."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, column in table.columns.items():
        if isinstance(column, Words) and is_numeric(column) and any(text.strip()[:1].isdigit() for text in column.names):
            column = table.numbers(name)
        if isinstance(column, Words):
            columns[name] = pd.Series(np.array([*column.names, np.nan], dtype=object)[column.code])
        else:
            columns[name] = pd.Series(whole_numbers(column))
    return pd.DataFrame(columns)


def _columns(entry: Entry, frame: Any) -> StudyData:
    """Columns of the target and of the features, by name."""
    columns = list(frame.columns)
    entry.require(len(frame), "has column names but no rows.")
    entry.require("weights" not in entry.value or len(entry.keys) == 1, "weights are for a study of one dataset, under [data].")
    special = {key: entry.at(key) for key in _SPECIAL if key == "target" or key in entry.value}
    for each in special.values():
        each.check_name(columns, "column")
        lacking = frame[each.value].isna().to_numpy()
        each.require(
            not lacking.any(),
            f"{lacking.sum()} of {len(frame)} rows have no value in this column, the first is row {lacking.argmax() + 1} (below "
            "the header). Fill them in, or leave these rows out of the file.",
        )
    if "weights" in special:
        weights = frame[special["weights"].value]
        special["weights"].require(
            weights.dtype.kind in "biuf" and (weights >= 0).all(), "weights must be numbers of at least 0."
        )
    taken = [each.value for each in special.values()]
    entry.require(len(set(taken)) == len(taken), "names one column twice: as target, groups, weights or time.")
    others = [column for column in columns if column not in taken]
    for key, known in (("features", others), ("drop", columns)):
        for each in entry.at(key).items():
            each.check_name(known, f"column for {key}")
    named, dropped = ([each.value for each in entry.at(key).items()] for key in ("features", "drop"))
    features = [column for column in dict.fromkeys(named or others) if column not in dropped]
    entry.require(features, "leaves no columns to learn from.")
    unnamed = next((column for column in features if re.fullmatch(r"|column \d+", column) and not named), None)
    advice = f'Leave it out with drop = ["{unnamed}"], or name it.'
    entry.require(unnamed is None, f"has the column {unnamed!r}, perhaps a row index. {advice}")
    return StudyData(frame[features], **{"y" if key == "target" else key: frame[each.value] for key, each in special.items()})


# --- columns on their way into the models ---------------------------------------------------------------------------------


def column_steps(entry: Entry, datasets: dict[str, StudyData]) -> tuple[Any, dict[str, set[str]]]:
    """The table ``[columns]`` as a ColumnTransformer, which is fitted on training rows only, with the model; and columns by key.

    ``impute`` fills what is missing with the median, or the most frequent word, ``one_hot`` makes a column for each word, and
    ``scale`` brings numbers to mean 0 and standard deviation 1. Columns that are treated alike make one part, and the others
    pass as they are.
    """
    from sklearn import compose, impute, pipeline, preprocessing

    frames = [data.X for data in datasets.values()]
    entry.require(
        all(hasattr(each, "columns") and list(each.columns) == list(frames[0].columns) for each in frames),
        "goes with tables in files, all of the same columns; the data of scikit-learn have no names.",
    )
    columns, texts = list(frames[0].columns), _texts(frames[0])
    fitting = {"impute": columns, "one_hot": list(texts), "scale": [column for column in columns if column not in texts]}
    entry.check_keys(list(fitting))
    chosen = {}
    for key, usual in fitting.items():
        given = entry.at(key).read(bool | list[str] | None) or []
        for each in entry.at(key).items() if given is not True else ():
            each.check_name(usual if key == "scale" else columns, "column for it")
        chosen[key] = set(usual if given is True else given)
    steps = {
        "most_frequent": (chosen["impute"] & chosen["one_hot"], impute.SimpleImputer(strategy="most_frequent")),
        "median": (chosen["impute"] - chosen["one_hot"], impute.SimpleImputer(strategy="median")),
        "one_hot": (chosen["one_hot"], preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
        "scale": (chosen["scale"] - chosen["one_hot"], preprocessing.StandardScaler()),
    }
    treatments = {column: tuple(key for key, (treated, _) in steps.items() if column in treated) for column in columns}
    parts = []
    for keys in filter(None, dict.fromkeys(treatments.values())):
        part = pipeline.make_pipeline(*(steps[key][1] for key in keys))
        parts.append(("_".join(keys), part, [column for column in columns if treatments[column] == keys]))
    chosen["impute"] |= chosen["one_hot"]  # to the encoder an empty cell is a word
    return compose.ColumnTransformer(parts, remainder="passthrough", verbose_feature_names_out=False), chosen


def with_columns(entry: Entry, model: Any, transformer: Any) -> Any:
    """A model, or each candidate of a grid, behind the transformer: the step ``columns`` before the step ``model``."""
    from sklearn.pipeline import Pipeline

    if isinstance(model, dict):
        return {name: with_columns(entry, each, transformer) for name, each in model.items()}
    entry.require(hasattr(model, "fit"), "is a function, which is given the table as it is. [columns] goes with estimators.")
    return Pipeline([("columns", transformer), ("model", model)])


def refuse_unreadable(entry: Entry, datasets: dict[str, StudyData], models: dict[str, Any], treated: dict[str, set[str]]) -> None:
    """Refuse text, and empty cells, on which a model of scikit-learn would fail each time; says which column, and what to do."""
    frames = {name: data.X for name, data in datasets.items() if hasattr(data.X, "columns")}
    for name, frame in frames.items():
        gaps = {column: f"has {n} empty cells" for column, n in frame.isna().sum().items() if n}
        for treatment, found in {"one_hot": _texts(frame), "impute": gaps}.items():
            column = next((each for each in found if each not in treated.get(treatment, ())), None)
            unable = [model for model, each in models.items() if column is not None and not _reads(each, treatment)]
            (entry.at(name) if name else entry).require(
                not unable,
                f"the column {column!r} {found.get(column)}, which {' and '.join(map(repr, unable[:3]))} cannot read. "
                f'Leave it out with drop = ["{column}"], or treat it under [columns]: {treatment} = true.',
            )


def _reads(model: Any, treatment: str) -> bool:
    """True where a model can do without a treatment of columns, or nothing says that it cannot."""
    from sklearn import pipeline, utils

    model = next(iter(model.values())) if isinstance(model, dict) else model
    first = model.steps[0][1] if type(model) is pipeline.Pipeline else model
    if not type(first).__module__.startswith("sklearn.") or any(hasattr(each, "fit") for each in first.get_params().values()):
        return True
    tags = utils.get_tags(first)
    reads_texts = tags.input_tags.string or tags.input_tags.categorical
    return bool(tags.no_validation or (tags.input_tags.allow_nan if treatment == "impute" else reads_texts))


def _texts(frame: Any) -> dict[str, str]:
    """Columns of text, each with its first text."""
    rows = {name: column.notna().to_numpy().argmax() for name, column in frame.items() if column.dtype.kind not in "biuf"}
    return {name: f"holds text ({str(frame[name].iloc[row])[:40]!r} in row {row + 1})" for name, row in rows.items()}
