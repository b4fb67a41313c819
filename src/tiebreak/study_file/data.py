"""The data of a study file: a table in a file, or a dataset that comes with scikit-learn."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.printable import printable
from tiebreak.readers.predictions import whole_numbers
from tiebreak.readers.tables import ENDINGS, SourceTable, Words, is_numeric, read_table
from tiebreak.study_file.toml import Entry

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
