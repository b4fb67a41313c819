"""A study: models, data, splits and metrics in one TOML file, so that a run can be started, gone on with and shared.

Values know where they stand: they are read by msgspec, and refused with file, path, value and what is allowed.
"""

from __future__ import annotations

import json
import pkgutil
import re
import sys
import tomllib
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np

from tiebreak.errors import InvalidParameterError, TiebreakError, UnknownNameError
from tiebreak.numerics import rope_number
from tiebreak.plan.candidates import grid
from tiebreak.plan.splits import KINDS
from tiebreak.printable import printable
from tiebreak.readers.files import content_of
from tiebreak.readers.predictions import whole_numbers
from tiebreak.readers.tables import ENDINGS, Words, is_numeric, read_table
from tiebreak.scores.vocabulary import look_up, quoted

_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "date": "a date or time",
    "datetime": "a date or time",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a table",
    "str": "a text",
    "time": "a date or time",
}
"""Kinds of values in words, by msgspec's."""


class Entry(NamedTuple):
    """A value in a study file, which messages call `file`; None where the file has none.

    The keys lead to the value; numbers are places in lists, and the whole file has none.
    """

    file: str
    keys: tuple[str | int, ...]
    value: Any

    def error(self, text: str, kind: type[TiebreakError] = InvalidParameterError) -> TiebreakError:
        """The error that says what is wrong, after file, path and value: "s.toml: models.svm.steps[0].name = 3: "."""
        keys = (key if re.fullmatch("[A-Za-z0-9_-]+", str(key)) else shown(key) for key in self.keys)
        path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
        value = "" if self.value is None or isinstance(self.value, dict) else f" = {shown(self.value)}"
        return kind(f"{self.file}: {path}{value}: {text}" if self.keys else f"{self.file}: {text}")

    def require(self, is_fine: object, text: str) -> None:
        """Raise the error unless all is fine."""
        if not is_fine:
            raise self.error(text)

    def at(self, key: str | int) -> Entry:
        """The value under a key of a table, or at a place of a list."""
        return Entry(self.file, (*self.keys, key), self.value.get(key) if isinstance(self.value, dict) else self.value[key])

    def items(self) -> list[Entry]:
        """The entries of a list; of another value itself, if there is one."""
        entries = [self.at(place) for place in range(len(self.value))] if isinstance(self.value, list) else [self]
        return [each for each in entries if each.value is not None]

    def check_name(self, known: Sequence[str], what: str, name: Any = None) -> None:
        """Refuse a value, or a name that is a part of it, which is not known; with the nearest ones."""
        try:
            look_up(self.value if name is None else name, known, what)
        except UnknownNameError as error:
            raise self.error(str(error).replace("is called None:", "is named:")) from None

    def check_keys(self, known: Sequence[str], what: str = "key") -> None:
        """Refuse a key of a table that is not known."""
        for key in self.read(dict[str, Any] | None) or ():
            self.at(key).check_name(known, what, key)

    def read(self, kind: Any) -> Any:
        """The value as a type that msgspec knows."""
        try:
            return msgspec.convert(self.value, kind)
        except msgspec.ValidationError as error:
            text, _, path = str(error).partition(" - at `$")
        place = self
        for key, position in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            place = place.at(key or int(position))
        words = re.sub(r"\w+", lambda word: _KINDS.get(word[0], word[0]), text.replace(" | null", "").replace(" | ", " or "))
        raise place.error(f"{words.replace('Expected', 'must be').replace('`', '')}.")


def shown(value: Any) -> str:
    """A value in a message, in brief."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


# --- data ---------------------------------------------------------------------------------------------------------------------

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
    import pandas as pd

    words = {
        key: pd.Series(np.array([*column.names, np.nan], dtype=object)[column.code])
        for key, column in table.columns.items()
        if isinstance(column, Words) and not (is_numeric(column) and any(text.strip()[:1].isdigit() for text in column.names))
    }
    numbers = {key: whole_numbers(table.numbers(key)) for key in table.columns if key not in words}
    return _columns(entry, pd.DataFrame({**words, **numbers})[list(table.columns)])


def _columns(entry: Entry, frame: Any) -> StudyData:
    """Columns of the target and of the features, by name."""
    columns = list(frame.columns)
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
    data = {"y" if key == "target" else key: frame[each.value] for key, each in special.items()}
    if "weights" in data:
        is_fine = data["weights"].dtype.kind in "biuf" and (data["weights"] >= 0).all()
        special["weights"].require(is_fine, "weights must be numbers of at least 0.")
    taken = [each.value for each in special.values()]
    entry.require(len(set(taken)) == len(taken), "names one column twice: as target, groups, weights or time.")
    others = [column for column in columns if column not in taken]
    named, dropped = entry.at("features").items(), entry.at("drop").items()
    for each in (*named, *dropped):
        each.check_name(others if each in named else columns, f"column for {each.keys[len(entry.keys)]}")
    wanted = dict.fromkeys([each.value for each in named] or others)
    features = [column for column in wanted if column not in {each.value for each in dropped}]
    entry.require(features, "leaves no columns to learn from.")
    unnamed = next((column for column in features if re.fullmatch(r"|column \d+", column) and not named), None)
    entry.require(
        unnamed is None,
        f'has the column {unnamed!r}, perhaps a row index. Leave it out with drop = ["{unnamed}"], or name it.',
    )
    return StudyData(frame[features], **data)


# --- the study ----------------------------------------------------------------------------------------------------------------

_HOW = 'Write "module:name", such as "sklearn.svm:SVC".'


class Study(msgspec.Struct, kw_only=True, eq=False):
    """Request of a study file, with the models made and the data read.

    `file` is the path as messages call it. The name is that of the run, the file's name without its ending where the file says
    none; a single dataset that was not named is called "". `rope` is for the comparison that follows, `store` a URL;
    the rest is as for `tiebreak.evaluate`.
    """

    file: str = ""
    path: Path = Path()
    name: str = ""
    models: dict[str, Any] = {}
    datasets: dict[str, Any] = msgspec.field(name="data", default_factory=dict)
    cv: Any = None
    scoring: Any = msgspec.field(name="metrics", default=None)
    rope: float | str = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    n_jobs: int = 1
    timeout: Annotated[float, msgspec.Meta(gt=0, le=1e9)] | None = None
    threads_per_fit: Any = "auto"
    keep_predictions: bool = True
    store: str | None = None

    @property
    def plan_arguments(self) -> dict[str, Any]:
        """Arguments of `make_plan` and of `evaluate` that say what is to be measured, but for the metrics."""
        alone = self.datasets.get("", StudyData(None, None))
        named = {name: data[: 2 if data.groups is None else 3] for name, data in self.datasets.items() if name}  # X, y, groups
        return {
            "models": self.models,
            "datasets": named or None,
            "X": alone.X,
            "y": alone.y,
            "groups": alone.groups,
            "sample_weight": alone.weights,
            "cv": self.cv,
            "rng": self.seed,
        }


def read_study(path: Path | str) -> Study:
    """Read a study file: check it, import and make its models, read its data.

    A study file is code: what it imports is run.

    Modules beside the file can be imported from then on, after everything that could be before. What cannot be used is an
    `InvalidParameterError` that names file, key and value; a file that is not there a `SourceNotFoundError`.
    """
    path = Path(path)
    whole = _read_toml(path)
    whole.check_keys([key for key in Study.__struct_encode_fields__ if key not in ("file", "path")])
    asked: Study = whole.read(Study)
    whole.require(asked.models, 'there are no models. Add [models.NAME] with import = "module:class".')
    try:
        rope_number(asked.rope)
    except InvalidParameterError as error:
        raise whole.at("rope").error(str(error)) from None
    cv = whole.at("cv")
    kind = cv.at("kind") if isinstance(cv.value, dict) and "import" not in cv.value else cv
    if kind is not cv or isinstance(cv.value, str):
        kind.check_name(KINDS, "kind of splits")
    folder = path.absolute().parent
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last of all: no module beside the study can stand in for an installed one
    return msgspec.structs.replace(
        asked,
        file=whole.file,
        path=path.absolute(),
        name=asked.name or path.stem,
        models={name: _model(whole.at("models").at(name)) for name in asked.models},
        datasets=read_datasets(whole.at("data"), folder),
        cv=_resolve(cv),
        scoring=[_metric(each) for each in whole.at("metrics").items()] if "metrics" in whole.value else None,
    )


def _read_toml(path: Path) -> Entry:
    """The whole of a study file."""
    name, content = printable(str(path)), content_of(path, str(path))
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
        shown(table)  # fails where whole numbers have more digits than Python writes in a message
    except (RecursionError, ValueError) as error:
        raise Entry(name, (), None).error(
            f"is no study file, which is TOML in UTF-8: {error}. For a table of scores call 'tiebreak compare'."
        ) from None
    return Entry(name, (), table)


# --- metrics ------------------------------------------------------------------------------------------------------------------


def _metric(entry: Entry) -> Any:
    """The name of a scorer as it is; what is written "module:name" is imported, and a table is made into an object."""
    value = entry.read(str | dict[str, Any])
    if isinstance(value, str):
        return _imported(entry) if ":" in value else value
    if "metric" not in value:
        return _object(entry)
    from sklearn.metrics import get_scorer

    entry.check_keys(("metric", "positive"))
    entry.at("metric").check_name(
        ("average_precision", "f1", "jaccard", "neg_brier_score", "precision", "recall"), "metric with a positive class"
    )
    entry.require("positive" in value, 'says no positive: the label that is to be found, such as positive = "yes".')
    scorer = get_scorer(value["metric"])
    scorer._kwargs["pos_label"] = value["positive"]
    return scorer


# --- models and other objects -----------------------------------------------------------------------------------------------


def _model(entry: Entry) -> Any:
    """The model of a table, or its candidates by name where it has a grid."""
    model, place = _object(entry, "grid"), entry.at("grid")
    if place.value is None:
        return model
    tables = [{name: _resolve(each.at(name)) for name in each.read(dict[str, Any])} for each in place.items()]
    place.require(tables, "it has no table, so there is no model to measure. Give one, or leave it out.")
    try:
        return grid(model, tables)
    except TiebreakError as error:
        raise place.error(str(error)) from error


def _object(entry: Entry, *more: str) -> Any:
    """The object that a table has to name, which may have `more` keys."""
    said = entry.read(dict[str, Any])
    entry.require({"import", "steps"} & {*said}, f"says {quoted(list(said))}, and neither import nor steps. {_HOW}")
    return _resolve(entry, *more)


def _resolve(entry: Entry, *more: str) -> Any:
    """The value of an entry, in which tables with ``import`` or ``steps`` become objects.

    A class is called with its parameters; what is no class stays as it is.
    """
    value = entry.value
    if isinstance(value, list):
        return [_resolve(each) for each in entry.items()]
    if not isinstance(value, dict):
        return value
    if "steps" in value:
        entry.check_keys(("steps", *more))
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*(_object(each) for each in entry.at("steps").items()))
    if "import" not in value:
        return {name: _resolve(entry.at(name)) for name in value}
    entry.check_keys(("import", "params", *more))
    found, params = _imported(entry.at("import")), entry.at("params")
    values = {name: _resolve(params.at(name)) for name in params.read(dict[str, Any] | None) or {}}
    if not isinstance(found, type):
        params.require(not values, f"{value['import']} is no class, and takes no parameters.")
        return found
    try:
        return found(**values)
    except Exception as error:
        raise entry.error(f"{found.__name__} could not be made: {error!r:.300}.") from error


def _imported(entry: Entry) -> Any:
    """Object that a text such as "sklearn.svm:SVC" (or "sklearn.svm.SVC") names."""
    text = entry.read(str)
    entry.require(re.fullmatch(r"\w+(\.\w+)*[:.]\w+(\.\w+)*", text), f"is no name to import. {_HOW}")
    try:
        return pkgutil.resolve_name(text)
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if last.filename.startswith("<") else f" ({Path(last.filename).name}, line {last.lineno})"
        raise entry.error(f"cannot be imported: {error!r:.300}{where}.") from error
