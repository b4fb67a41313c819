"""Made-up input of every kind: tables whose content is known, tables that must be refused, damaged files, arguments and studies.

    python tests/reliability/fuzz.py                      5,000 cases; the seed is printed
    python tests/reliability/fuzz.py --cases 200000 --seed 7        lines on standard error tell of each 10,000
    python tests/reliability/fuzz.py --cases 200000 --seed 7 --first 90000      the rest of them
    python tests/reliability/fuzz.py --seed 7 --case 123  one of them again, with its input and its traceback

The oracle is the truth that a table was written from: scores of models on units, put into a random shape, under random names,
in a random format. What is read has to be that truth to the last digit, the scores of all models on one unit together. A table
with a fault that makes its meaning uncertain, such as a row of means, must be refused. Of damaged input nothing is known, but
nothing other than a `TiebreakError` may be raised, and nothing may take 5 s.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import gzip
import io
import itertools
import json
import math
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import pandas as pd

import tiebreak as tb
from tiebreak.errors import TiebreakError

LIMIT = 5
"""Seconds of computing that no case may take; waiting counts from ten times as long, as other programs may be at work here."""


class Verdict(NamedTuple):
    """What came of a case: "read", "refused" or what is wrong, and whether it was held against a truth."""

    outcome: str
    is_judged: bool = False


class TooLongError(Exception):
    """A case that took more than `LIMIT`."""


# --- the truth ----------------------------------------------------------------------------------------------------------------

Columns = dict[str, list[Any]]
NAMES = {
    "model": ["model", "Model", "system", "method", "Algorithm", "classifier", "learner_id"],
    "dataset": ["dataset", "Dataset", "task", "problem", "data_set"],
    "repeat": ["repeat", "Repetition", "rep"],
    "fold": ["fold", "Fold", "cv_fold", "outer_fold", "fold_id"],
    "split": ["split", "resample", "Split"],
    "seed": ["seed", "random_state", "Seed"],
    "time": ["time", "period", "date"],
    "item": ["item", "question_id", "doc_id", "Example", "id"],
    "run": ["run"],
}
"""Names that a column of each part may have."""

KINDS_OF_UNITS = [
    ("fold",),
    ("repeat", "fold"),
    ("split",),
    (),
    ("dataset",),
    ("dataset", "fold"),
    ("dataset", "repeat", "fold"),
    ("seed",),
    ("time",),
    ("item",),
    ("item", "run"),
]
MODELS = ["svm", "rf", "C=1, x", "mod él", "gpt 4", "xgb+lr", "a;b", 'say "x"']
TYPED = ["None", "007", "7", "1.50", "NA", "mean", "fold"]
"""Names that only a column can hold: in a header they would say something else."""


class Truth(NamedTuple):
    """Scores by model and unit; `parts` are those of a unit's name, and `is_percent` says that scores are written in per cent."""

    parts: tuple[str, ...]
    scores: dict[tuple[str, tuple[str, ...]], float]
    metric: str
    is_percent: bool = False

    @property
    def models(self) -> list[str]:
        """Models in order of appearance."""
        return list(dict.fromkeys(model for model, _ in self.scores))

    @property
    def units(self) -> list[tuple[str, ...]]:
        """Units in order of appearance."""
        return list(dict.fromkeys(unit for _, unit in self.scores))

    @property
    def is_of_items(self) -> bool:
        """True where a unit is an example of a test set."""
        return "item" in self.parts


def made_up(rng: random.Random, parts: tuple[str, ...]) -> Truth:
    """Scores of two to four models."""
    sizes = {"fold": (2, 8), "repeat": (2, 3), "dataset": (2, 5), "run": (2, 3)}
    keys = []
    for part in parts or ("place",):
        n = rng.randint(*sizes.get(part, (3, 7)))
        style = rng.randrange(3)
        keys.append([_key(part, number, style) for number in range(1, n + 1)])
    units = list(itertools.product(*keys))
    models = rng.sample(MODELS, rng.randint(2, 4))
    models[1:] = rng.sample(TYPED, len(models) - 1) if rng.random() < 0.2 else models[1:]
    is_percent, is_binary, digits = rng.random() < 0.1, "item" in parts and rng.random() < 0.5, rng.randint(1, 17)
    scores = {}
    for cell in itertools.product(models, units):
        value = round(rng.uniform(0.05, 0.95), digits)
        scores[cell] = float(rng.randint(0, 1)) if is_binary else float(f"{100 * value:.1f}") / 100 if is_percent else value
    return Truth(parts, scores, "quality" if "item" in parts else rng.choice(["accuracy", "roc_auc"]), is_percent)


def _key(part: str, number: int, style: int) -> str:
    if part == "time" and style == 0:
        return f"2024-01-{number:02d}"
    if part in ("dataset", "item"):
        return f"{part[0]}{number}" if style else f"{part} no. {number}"
    return str(number) if style or part in ("time", "run") else f"{part} {number}"


# --- shapes and formats ---------------------------------------------------------------------------------------------------------


def long_table(rng: random.Random, truth: Truth) -> Columns:
    """A row for each score, in any order: the model, the parts of its unit, the score, and columns that say nothing."""
    rows = list(truth.scores)
    if truth.parts:
        rng.shuffle(rows)
    score = rng.choice([truth.metric, truth.metric.upper(), "score"])
    columns: Columns = {rng.choice(NAMES["model"]): [model for model, _ in rows]}
    for place, part in enumerate(truth.parts):
        columns[rng.choice(NAMES[part])] = [unit[place] for _, unit in rows]
    columns[score] = [truth.scores[row] for row in rows]
    if rng.random() < 0.3:
        columns["fit_time"] = [round(rng.uniform(1, 9), 3) for _ in rows]
    if rng.random() < 0.3:
        columns["notes"] = ["ok" for _ in rows]
    if rng.random() < 0.2 and not truth.is_of_items:
        columns["metric"] = [truth.metric for _ in rows]
        columns["value"] = columns.pop(score)
        other = {name: list(values) for name, values in columns.items()}
        other["metric"] = ["f1" for _ in rows]
        other["value"] = [round(rng.random(), 3) for _ in rows]
        columns = {name: values + other[name] for name, values in columns.items()}
    return _shuffled(rng, columns)


def wide_table(rng: random.Random, truth: Truth) -> Columns:
    """A row for each unit and a column for each model."""
    columns: Columns = {rng.choice(NAMES[part]): [unit[place] for unit in truth.units] for place, part in enumerate(truth.parts)}
    return {**columns, **{model: [truth.scores[model, unit] for unit in truth.units] for model in truth.models}}


def table_of_folds(rng: random.Random, truth: Truth) -> Columns:
    """A row for each model and a column for each fold."""
    pattern = rng.choice(["fold{}", "fold_{}", "Fold {}", "cv{}"])
    columns: Columns = {rng.choice(["model", "Model", "method"]): truth.models}
    for number, unit in enumerate(truth.units):
        columns[pattern.format(number)] = [truth.scores[model, unit] for model in truth.models]
    return columns


def _shuffled(rng: random.Random, columns: Columns) -> Columns:
    names = list(columns)
    rng.shuffle(names)
    return {name: columns[name] for name in names}


def shape_of(rng: random.Random, truth: Truth) -> Columns:
    """The truth in one of the shapes that can hold it."""
    shapes = [long_table]
    if not set(truth.models) & set(TYPED) and truth.parts != ("item", "run"):
        shapes += [wide_table]
    if truth.parts == ("fold",):
        shapes += [table_of_folds]
    return rng.choice(shapes)(rng, truth)


def texts_of(rng: random.Random, columns: Columns, scores: Sequence[str], *, comma: bool, percent: bool) -> Columns:
    """Cells as texts: scores with a decimal comma, in per cent, or with blanks around them."""

    def text(value: Any) -> str:
        if isinstance(value, str):
            return value
        written = f"{100 * value:.1f}%" if percent else repr(value)
        written = written.replace(".", ",") if comma else written
        return f" {written} " if rng.random() < 0.05 else written

    return {name: [text(value) if name in scores else str(value) for value in values] for name, values in columns.items()}


def text_file(rng: random.Random, columns: Columns, folder: Path, *, percent: bool, name: str = "case") -> Path:
    """A text file, packed or not."""
    separator = rng.choice(",,,;;\t|")
    scores = [key for key, values in columns.items() if any(isinstance(value, float) for value in values) and key != "fit_time"]
    comma = separator in ";\t" and "fit_time" not in columns and rng.random() < 0.3
    table = texts_of(rng, columns, scores, comma=comma, percent=percent)
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=separator,
        lineterminator=rng.choice(["\n", "\r\n"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    rows = [list(table), *map(list, zip(*table.values(), strict=True))]
    if rng.random() < 0.2:  # pandas writes its index
        rows = [["", *rows[0]], *([number, *row] for number, row in enumerate(rows[1:]))]
    writer.writerows(rows)
    text = out.getvalue()
    if rng.random() < 0.1:
        text += rng.choice(["\n", "\n\n", "\r\n"])
    content = text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    ending = rng.choice([".csv"] * 4 + [".txt", ".csv.gz", ".csv.bz2", ".zip"] + [".tsv"] * (separator == "\t"))
    path = folder / f"{name}{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inner.csv", content)
    else:
        path.write_bytes({".csv.gz": gzip.compress, ".csv.bz2": bz2.compress}.get(ending, bytes)(content))
    return path


def json_file(rng: random.Random, columns: Columns, folder: Path, name: str = "case") -> Path:
    """Records, lines or columns of JSON."""
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    kind = rng.randrange(3)
    path = folder / f"{name}{'.jsonl' if kind == 1 else '.json'}"
    path.write_text(
        "\n".join(map(json.dumps, records)) if kind == 1 else json.dumps(columns if kind else records), encoding="utf-8"
    )
    return path


def frame_of(rng: random.Random, columns: Columns, *, may_index: bool) -> Any:
    """A frame of pandas, polars or pyarrow."""
    frame = pd.DataFrame(columns)
    kind = rng.randrange(4)
    if kind == 0:
        import polars as pl

        return pl.from_pandas(frame)
    if kind == 1:
        import pyarrow as pa

        return pa.Table.from_pandas(frame)
    keys = [name for name in columns if may_index and any(name in names for names in NAMES.values()) and name not in NAMES["run"]]
    return frame.set_index(keys) if keys and kind == 2 and len(keys) < len(columns) else frame


def arrow_file(rng: random.Random, columns: Columns, folder: Path) -> Path:
    """A Parquet or Feather file."""
    frame = pd.DataFrame(columns)
    path = folder / f"case{rng.choice(['.parquet', '.feather'])}"
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_feather(path)
    return path


def written(rng: random.Random, columns: Columns, folder: Path, form: str, *, percent: bool = False) -> Any:
    """The table in a format."""
    if form == "csv":
        return text_file(rng, columns, folder, percent=percent)
    numbers = {name: [int(each) if _is_whole(values, each) else each for each in values] for name, values in columns.items()}
    numbers = columns if rng.random() < 0.5 else numbers
    if form == "json":
        return json_file(rng, numbers, folder)
    if form == "parquet":
        return arrow_file(rng, numbers, folder)
    return frame_of(rng, numbers, may_index=True) if form == "frame" else numbers


def _is_whole(values: list[Any], each: Any) -> bool:
    """True for a text that spells a whole number as it would be typed, in a column of nothing else."""
    return isinstance(each, str) and all(
        isinstance(value, str) and value.isdecimal() and str(int(value)) == value for value in values
    )


# --- what was read ------------------------------------------------------------------------------------------------------------

Found = Counter[Any]


def read(rng: random.Random, source: Any, truth: Truth) -> Any:
    """The source, with what has to be said of it."""
    sources = source if isinstance(source, list) and source and isinstance(source[0], Path) else [source]
    if truth.is_of_items:
        return tb.read_items(*sources, metric=truth.metric, lower_is_better=False)
    settings: dict[str, Any] = {"metric": truth.metric}
    if not truth.parts:
        settings |= rng.choice([{"cv": len(truth.units)}, {"n_train": 90, "n_test": 10}])
    return tb.read_scores(*sources, **settings)


def told(truth: Truth) -> Found:
    """The truth as a bag of units with their scores by model: items by name, splits of a dataset by what stands together."""
    bag: Found = Counter()
    place = truth.parts.index("dataset") if "dataset" in truth.parts else None
    for unit in truth.units:
        scores = tuple(sorted((model, truth.scores[model, unit]) for model in truth.models))
        bag[unit if truth.is_of_items else "" if place is None else unit[place], scores] += 1
    return bag


def found(read: Any) -> Found:
    """The same of what was read."""
    bag: Found = Counter()
    if isinstance(read, tb.Items):
        runs = read.runs if len(read.runs) > 1 else ("",)
        for (r, run), (i, item) in itertools.product(enumerate(runs), enumerate(read.items)):
            scores = sorted(zip(read.models, read.score[:, r, i].tolist(), strict=True))
            bag[(item, run) if run else (item,), tuple(scores)] += 1
        return bag
    for dataset in read.datasets:
        matrix = read.matrix(dataset)
        for column in matrix.score.T.tolist():
            bag[dataset, tuple(sorted(zip(matrix.models, column, strict=True)))] += 1
    return bag


def kind_of(truth: Truth) -> str:
    """Kind of the design that the names of the parts say."""
    return {"seed": "seeds", "time": "periods"}.get(truth.parts[0] if truth.parts else "", "unknown")


def judged(rng: random.Random, source: Any, truth: Truth) -> Verdict:
    """Read, and compare with the truth."""
    try:
        got = read(rng, source, truth)
    except TiebreakError as error:
        return Verdict(f"refused: {error}", True)
    if found(got) != told(truth):
        more, less = found(got) - told(truth), told(truth) - found(got)
        return Verdict(f"read as {dict(more)}, but the truth is {dict(less)}", True)
    if truth.parts and not truth.is_of_items and got.design.kind != kind_of(truth):
        return Verdict(f"read as {got.design.kind}, but the units are {truth.parts}", True)
    return Verdict("read", True)


def true_case(rng: random.Random, folder: Path, form: str) -> Verdict:
    """A table that must be read as it was meant: in one piece, or a piece for each model."""
    truth = made_up(rng, rng.choice(KINDS_OF_UNITS))
    truth = truth._replace(is_percent=truth.is_percent and form == "csv")
    is_plain = truth.parts and not set("".join(truth.models)) & set('";,=') and not set(truth.models) & {"fold"}
    if is_plain and form in ("csv", "json") and rng.random() < 0.2:
        return judged(rng, [_of_model(rng, truth, model, folder, form) for model in truth.models], truth)
    return judged(rng, written(rng, shape_of(rng, truth), folder, form, percent=truth.is_percent), truth)


def _of_model(rng: random.Random, truth: Truth, model: str, folder: Path, form: str) -> Path:
    """File of one model, called after it."""
    units = truth.units
    if rng.random() < 0.5:
        rng.shuffle(units)
    columns: Columns = {part: [unit[place] for unit in units] for place, part in enumerate(truth.parts)}
    columns[truth.metric] = [truth.scores[model, unit] for unit in units]
    while True:
        path = (
            text_file(rng, columns, folder, percent=truth.is_percent, name=model)
            if form == "csv"
            else json_file(rng, columns, folder, model)
        )
        if path.suffix not in (".gz", ".bz2") and path.stem == model:  # a file is a model of the name without its last ending
            return path
        path.unlink()


# --- what must be refused -----------------------------------------------------------------------------------------------------


def faulty_case(rng: random.Random, folder: Path) -> Verdict:
    """A table with a fault after which nobody can know what it means."""
    truth = made_up(rng, rng.choice([parts for parts in KINDS_OF_UNITS if parts]))
    fault = rng.choice(FAULTS)
    columns = fault(rng, truth)
    if columns is None:
        return Verdict("refused")
    if not isinstance(columns, dict):  # a text that only a file can be
        source: Any = folder / "case.csv"
        source.write_text(columns, encoding="utf-8")
    else:
        source = written(rng, columns, folder, rng.choice(["csv", "json", "parquet", "frame", "dict"]))
    try:
        got = read(rng, source, truth)
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() else "an empty message", True)
    return Verdict(f"{fault.__name__} was read as {got!r}", True)


def _plain_long(truth: Truth) -> Columns:
    rows = list(truth.scores)
    columns: Columns = {"model": [model for model, _ in rows]}
    columns |= {part: [unit[place] for _, unit in rows] for place, part in enumerate(truth.parts)}
    return {**columns, truth.metric: [truth.scores[row] for row in rows]}


def _plain_wide(truth: Truth) -> Columns:
    columns: Columns = {part: [unit[place] for unit in truth.units] for place, part in enumerate(truth.parts)}
    return {
        **columns,
        **{f"m{number}": [truth.scores[model, unit] for unit in truth.units] for number, model in enumerate(truth.models)},
    }


def row_of_means(rng: random.Random, truth: Truth) -> Columns | None:
    """A unit that sums up the others."""
    columns = _plain_long(truth) if rng.random() < 0.5 else _plain_wide(truth)
    part, word = (
        rng.choice(truth.parts),
        rng.choice(["mean", "Average", "std", "Avg.", "Mean accuracy", "median", "overall", "STD", "avg rank"]),
    )
    for name, values in columns.items():
        values.append(word if name == part else values[-1])
    return columns


def double(rng: random.Random, truth: Truth) -> Columns | None:
    """Two scores of one model on one unit."""
    columns = _plain_long(truth)
    row = rng.randrange(len(columns["model"]))
    for name, values in columns.items():
        values.append(round(rng.uniform(0.05, 0.95), 4) if name == truth.metric else values[row])
    return columns


def second_factor(rng: random.Random, truth: Truth) -> Columns | None:
    """Each score twice, under two values of a column that is no part of a unit."""
    name, both = rng.choice([("calibrator", ["none", "platt"]), ("threshold", [0.3, 0.5]), ("phase", ["train", "val"])])
    columns = {key: values * 2 for key, values in _plain_long(truth).items()}
    n = len(columns["model"]) // 2
    columns[truth.metric][n:] = [round(rng.uniform(0.05, 0.95), 4) for _ in range(n)]
    return {name: [both[0]] * n + [both[1]] * n, **columns}


def parts_of_data(rng: random.Random, truth: Truth) -> Columns | None:
    """A split that names parts of the data."""
    if "split" in truth.parts or truth.is_of_items:
        return None
    columns = {key: values * 2 for key, values in _plain_long(truth).items()}
    n = len(columns["model"]) // 2
    return {"split": ["train"] * n + ["test"] * n, **columns}


def wrong_cell(rng: random.Random, truth: Truth) -> Columns | None:
    """A score that is no number, infinite, or one that the metric cannot have."""
    columns = _plain_long(truth) if rng.random() < 0.5 else _plain_wide(truth)
    values = columns[rng.choice([name for name in columns if name not in ("model", *truth.parts)])]
    impossible = [1.7, -0.2] if truth.metric != "quality" else ["x"]
    values[rng.randrange(len(values))] = rng.choice(["abc", "0.9 ± 0.1", "0.9 (0.02)", math.inf, *impossible])
    texts = any(isinstance(value, str) for value in values)
    values[:] = [repr(value) if texts and not isinstance(value, str) else value for value in values]
    return columns


def empty_key(rng: random.Random, truth: Truth) -> Columns | None:
    """A row whose model or unit is not named."""
    columns = _plain_long(truth)
    values = columns[rng.choice(["model", truth.parts[0]])]
    values[rng.randrange(len(values))] = ""
    return columns


def odd_column(rng: random.Random, truth: Truth) -> Columns | None:
    """A column among those of models that holds no scores."""
    columns = _plain_wide(truth)
    n = len(truth.units)
    name = rng.choice(["mean", "std", "fit_time", "n_features", "gain", "winner", "m0_std", "m1_time", "pvalue", "rank"])
    columns[name] = ["m1"] * n if name == "winner" else [round(rng.uniform(0.05, 0.95), 4) for _ in range(n)]
    return None if name == "winner" and truth.is_of_items else _shuffled(rng, columns)


def several_metrics(rng: random.Random, truth: Truth) -> Columns | None:
    """Columns of several metrics, or of parts of the data, where those of models are to be."""
    columns = {name: values for name, values in _plain_wide(truth).items() if name in truth.parts}
    names = rng.choice(
        [
            ["accuracy", "f1", "roc_auc"],
            ["acc_m1", "acc_m2", "f1_m1", "f1_m2"],
            ["m1_acc", "m1_auc"],
            ["m1_train", "m1_test"],
            ["train", "val"],
        ]
    )
    return {**columns, **{name: [round(rng.uniform(0.05, 0.95), 4) for _ in truth.units] for name in names}}


def no_unit(rng: random.Random, truth: Truth) -> Columns | None:
    """Several scores of each model, and nothing that says of what."""
    return {name: values for name, values in _plain_long(truth).items() if name not in truth.parts}


def one_row_each(rng: random.Random, truth: Truth) -> Columns | None:
    """A row for each model, with means or single scores."""
    names = rng.choice([["accuracy"], ["accuracy", "f1"], ["acc_mean", "acc_std"], ["accuracy", "time"]])
    return {"model": truth.models, **{name: [round(rng.uniform(0.05, 0.95), 4) for _ in truth.models] for name in names}}


def torn_text(rng: random.Random, truth: Truth) -> str | None:
    """A text with a row too long or too short, the header twice, or two columns of one name."""
    columns = _plain_long(truth)
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    row = rng.randrange(2, len(rows))
    kind = rng.randrange(4)
    if kind == 0:
        rows[row].append("0.5")
    elif kind == 1:
        rows[row].pop()
    elif kind == 2:
        rows.insert(row, rows[0])
    else:
        rows = [[*each, each[0]] for each in rows]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


FAULTS: list[Callable[[random.Random, Truth], Columns | str | None]] = [
    row_of_means,
    double,
    second_factor,
    parts_of_data,
    wrong_cell,
    empty_key,
    odd_column,
    several_metrics,
    no_unit,
    one_row_each,
    torn_text,
]


# --- damage -------------------------------------------------------------------------------------------------------------------

RESERVED = [
    "model",
    "score",
    "dataset",
    "repeat",
    "fold",
    "split",
    "seed",
    "time",
    "n_train",
    "n_test",
    "metric",
    "item",
    "y_true",
    "mean",
    "",
]
CELLS = [
    "",
    " ",
    "nan",
    "NaN",
    "NA",
    "null",
    "None",
    "inf",
    "-inf",
    "1e999",
    "-0.0",
    "1e-320",
    "1_000",
    "0x10",
    "1,5",
    "50%",
    "true",
    "False",
    "٣",
    "abc",
    "1" * 400,
    "9007199254740993",
    "2020-01-01",
    "0.5 ",
    " 0.5",
    "+0.5",
    ".5",
    "5.",
    "1e5",
    "\0",
    "\ufeff",
    '"0.5"',
    "1e",
    "--1",
]
VALUES = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    2**53 + 1,
    -(2**63),
    True,
    "0.5",
    "x",
    b"x",
    [],
    {},
    [0.5],
    {"a": 1},
    1e308,
    1e-320,
    0,
    1,
    pd.Timestamp("2020"),
    pd.NaT,
    pd.NA,
    1j,
    np.float32(0.1),
    object(),
]


def damaged_text(rng: random.Random, text: bytes, pieces: Sequence[bytes]) -> bytes:
    """Bytes with some put in, taken out, doubled or cut off."""
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        place, width = rng.randrange(len(text) + 1), rng.randint(1, 8)
        what = rng.randrange(6)
        if what == 0:
            text = text[:place] + rng.choice(pieces) + text[place:]
        elif what == 1:
            text = text[:place] + text[place + width :]
        elif what == 2:
            text = text[:place] + bytes(rng.randrange(256) for _ in range(width)) + text[place:]
        elif what == 3:
            text = text[:place]
        elif what == 4:
            text = text[:place] + text[max(0, place - 20) :]
        else:
            text = text.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\n"]))
    return text


def damaged_table(rng: random.Random, table: Columns, cells: Sequence[Any]) -> Columns:
    """The table with some cells, columns or names put in another way."""
    table = {name: list(values) for name, values in table.items()}
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        name = rng.choice(list(table) or [""])
        what = rng.randrange(7)
        if what <= 2 and table.get(name):
            table[name][rng.randrange(len(table[name]))] = rng.choice(cells)
        elif what == 3 and name in table:
            table[rng.choice(RESERVED)] = table.pop(name)
        elif what == 4:
            table.pop(name, None)
        elif what == 5 and table.get(name):
            row = rng.randrange(len(table[name]))
            for values in table.values():
                if row < len(values):
                    values.append(values[row]) if rng.random() < 0.5 else values.pop(row)
        else:
            table[rng.choice(RESERVED)] = [rng.choice(cells) for _ in table.get(name, ())]
    return table


def damaged_case(rng: random.Random, folder: Path) -> Verdict:
    """A table with damage of any kind, of which only is asked that it is read or refused."""
    truth = made_up(rng, rng.choice(KINDS_OF_UNITS))
    form = rng.choice(["csv", "json", "parquet", "frame", "dict"])
    table = damaged_table(rng, shape_of(rng, truth), CELLS if form == "csv" else VALUES)
    length = max(map(len, table.values()), default=0)
    even = {name: [*values, *[None] * (length - len(values))] for name, values in table.items()}
    if form in ("frame", "parquet"):
        table = even
    try:
        if form == "json":
            source: Any = folder / "case.json"
            source.write_text(json.dumps(table, default=str), encoding="utf-8", errors="replace")
        elif form == "csv":
            out = io.StringIO()
            csv.writer(out, delimiter=rng.choice(",,;\t")).writerows([list(even), *zip(*even.values(), strict=True)])
            source = folder / "case.csv"
            source.write_bytes(out.getvalue().encode(errors="replace"))
        else:
            source = written(rng, table, folder, form)
    except Exception:  # what the library that writes it does not take
        return Verdict("refused")
    if isinstance(source, Path) and rng.random() < 0.5:
        pieces = [each.encode() for each in (*CELLS, ",", '"', "\n", "{", "]", "NaN", "PAR1")]
        source.write_bytes(damaged_text(rng, source.read_bytes(), pieces))
    return _survives(lambda: read(rng, source, truth))


# --- battles ------------------------------------------------------------------------------------------------------------------


def battle_case(rng: random.Random, folder: Path) -> Verdict:
    """Battles by name or by side: the wins, losses and ties of each model."""
    models = rng.sample(["a1", "svm", "gpt 4", "mod él", "x;y"], rng.randint(2, 4))
    by_side = rng.random() < 0.5
    table: Columns = {"model_a": [], "model_b": [], "winner": []}
    counts = {model: [0, 0, 0] for model in models}
    for first, second in [rng.sample(models, 2) for _ in range(rng.randint(4, 14))]:
        side = rng.randrange(3)
        words = ["model_a", "model_b", "tie"] if by_side else [first, second, "tie"]
        for values, word in zip(table.values(), (first, second, words[side]), strict=True):
            values.append(word)
        counts[first][side] += 1
        counts[second][side if side == 2 else 1 - side] += 1
    source = written(rng, table, folder, rng.choice(["csv", "json", "parquet", "frame", "dict"]))
    try:
        answer = tb.rate(source)
        answer.to_text(), answer.to_json(), repr(answer)
    except TiebreakError as error:  # models that no battle connects
        return Verdict("refused" if str(error).strip() else "an empty message")
    told = {
        model: list(map(int, each)) for model, *each in zip(answer.models, answer.wins, answer.losses, answer.ties, strict=True)
    }
    wrong = {model: own for model, own in told.items() if own != counts[model]}
    return Verdict(f"rated with {wrong}, but {counts}" if wrong else "read", True)


def damaged_rating_case(rng: random.Random, folder: Path) -> Verdict:
    """Damaged tables of battles."""
    n = rng.randint(1, 12)
    pairs = [rng.sample(["a", "b", "svm", "gpt 4"], 2) for _ in range(n)]
    winner = [rng.choice([*pair, "tie", "model_a", "model_b", "a", "both_bad"]) for pair in pairs]
    table: Columns = {"model_a": [a for a, _ in pairs], "model_b": [b for _, b in pairs], "winner": winner}
    return _survives(lambda: tb.rate(damaged_table(rng, table, VALUES)).to_text())


def _survives(call: Callable[[], Any]) -> Verdict:
    try:
        call()
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() and "\x1b" not in str(error) else "an empty or unprintable message")
    return Verdict("read")


# --- arguments and studies ----------------------------------------------------------------------------------------------

ARGUMENTS: dict[str, list[Any]] = {
    "metric": ["accuracy", "neg_log_loss", "x", "", 3, [], None, "\ud800", "acc"],
    "models": [None, ["a", "b"], ["a"], "a", 0, [[]], [None], ("b", "c"), {"a": 1, "c": 2}, iter(["a", "b"])],
    "dataset": [None, "", "d", 3, []],
    "rope": [0, 0.01, "1%", "1", "x%", "", -1, math.nan, math.inf, 10**30, 10**400, None, [], "nan%", True, 1j],
    "alpha": [0.05, 0, 1, 5, "0.05", None, 10**400, math.nan, -1, [], 1e-300, 0.999999],
    "baseline": [None, "a", "x", 1, ["a"], ""],
    "correction": [None, "holm", "bonferroni", "bh", "x", 1, [], {}],
    "method": ["auto", "corrected-t", "paired-t", "x", None, [], 1],
    "missing": ["raise", "pairwise", "x", None, []],
    "lower_is_better": [None, True, False, 1, "yes", []],
    "n_train": [90, 1, 0, -1, 10**30, 0.5, "90", None, [], True, np.int64(90)],
    "n_test": [10, 1, 0, -1, 10**30, 0.5, "10", None, []],
    "X": [None, np.zeros((30, 1)), [], 3, "abc", object(), np.zeros(0)],
    "y": [None, np.arange(30) % 2, [], 3, "ab", object(), [None] * 30],
    "groups": [None, np.arange(30) % 5, 3, "x"],
    "cv": [None, 5, 1, 0, "kfold", object(), [], [([0], [1])], iter([([0], [1])]), -1, 10**30],
    "rng": [0, 1, 10**400, -1, "x", None, 0.5, True, []],
}
"""Settings of `compare` with values that make sense and such as do not."""


def argument_case(rng: random.Random, folder: Path) -> Verdict:
    """Settings of a comparison, and what is asked of its answer."""
    source = {name: [round(0.5 + rng.gauss(0, 0.1), 3) for _ in range(5)] for name in "abc"}
    settings = {name: rng.choice(values) for name, values in ARGUMENTS.items() if rng.random() < 0.1}
    settings = {"metric": "accuracy", "n_train": 90, "n_test": 10, **settings}

    def ask() -> None:
        answer = tb.compare(source, **settings)
        answer.to_text(), answer.to_json(), answer.pairs, repr(answer)

    return _survives(ask)


KEYS = [
    "name",
    "rope",
    "metrics",
    "seed",
    "n_jobs",
    "timeout",
    "data",
    "cv",
    "columns",
    "models",
    "source",
    "target",
    "drop",
    "features",
    "groups",
    "weights",
    "kind",
    "n_folds",
    "import",
    "params",
    "steps",
    "grid",
    "impute",
    "one_hot",
    "scale",
    "store",
    "inner",
    "x",
]
TOML = [
    '""',
    '"x"',
    "0",
    "-1",
    "0.5",
    "true",
    "[]",
    "{}",
    "[1, 2]",
    '["a", "t"]',
    "nan",
    "inf",
    "1979-05-27",
    '"os:system"',
    '"sklearn.svm:SVC"',
    "[[]]",
    '"sklearn.svm"',
    '{ import = "sklearn.dummy:DummyClassifier" }',
    '"accuracy"',
    "{ cost = [[0, 1], [1, 0]] }",
    '"\\u202e"',
    "9" * 400,
    '"kfold"',
    '{ metric = "f1", positive = "x" }',
    '"table.csv"',
    '"1%"',
    '["a"]',
    '"t"',
]
STUDY = """\
name = "study"
rope = 0.01
metrics = ["accuracy"]
seed = 1
[data]
source = "table.csv"
target = "t"
[cv]
kind = "kfold"
n_folds = 3
[models.m]
import = "sklearn.dummy:DummyClassifier"
params = { strategy = "prior" }
[models.g]
steps = [{ import = "sklearn.preprocessing:StandardScaler" }, { import = "sklearn.svm:SVC" }]
grid = { svc__C = [1, 2] }
"""


def study_case(rng: random.Random, folder: Path) -> Verdict:
    """A study file with lines changed, and its table."""
    from tiebreak.study_file.study import read_study

    lines = STUDY.splitlines()
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        place = rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            lines.insert(place, f"{rng.choice(KEYS)} = {rng.choice(TOML)}")
        elif what == 1 and "=" in lines[place]:
            lines[place] = f"{lines[place].partition('=')[0]}= {rng.choice(TOML)}"
        elif what == 2:
            lines.insert(place, f"[{rng.choice(KEYS)}{rng.choice(['', '.x', '.'])}]")
        else:
            del lines[place]
    text = (
        damaged_text(rng, "\n".join(lines).encode(), [b'"', b"[", b"=", b"\0", b"\xff"])
        if rng.random() < 0.2
        else "\n".join(lines).encode()
    )
    (folder / "study.toml").write_bytes(text)
    table = damaged_table(rng, {"a": list(range(6)), "b": [1, 2] * 3, "t": list("uvuvuv")}, CELLS)
    out = io.StringIO()
    csv.writer(out).writerows([list(table), *zip(*table.values(), strict=False)])
    (folder / "table.csv").write_bytes(damaged_text(rng, out.getvalue().encode(errors="replace"), [b",", b'"', b"\0"]))
    return _survives(lambda: read_study(folder / "study.toml"))


def of_form(form: str) -> Callable[[random.Random, Path], Verdict]:
    """Cases of tables in one format."""
    return lambda rng, folder: true_case(rng, folder, form)


KINDS = {
    **{form: of_form(form) for form in ("csv", "json", "parquet", "frame", "dict")},
    "faulty": faulty_case,
    "damaged": damaged_case,
    "arguments": argument_case,
    "study": study_case,
    "battles": battle_case,
    "ratings": damaged_rating_case,
}


# --- all of them ------------------------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """Cases by kind and outcome, how many the oracle judged, the longest time, and what is wrong."""

    counts: Counter[tuple[str, str]]
    n_judged: int
    longest: float
    broken: list[str]


def one_case(seed: int, case: int, folder: Path) -> tuple[str, Verdict]:
    """A case by its number; the same in every process."""
    rng = random.Random(f"{seed}/{case}")
    kind = list(KINDS)[case % len(KINDS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind, KINDS[kind](rng, folder)


def _too_long(*_: Any) -> None:
    raise TooLongError(f"more than {LIMIT} s")


def try_cases(seed: int, cases: Iterable[int], folder: Path) -> Result:
    """Try all cases, each for `LIMIT` seconds at most."""
    counts: Counter[tuple[str, str]] = Counter()
    broken, n_judged, longest = [], 0, 0.0
    path = list(sys.path)
    import sklearn.dummy
    import sklearn.pipeline
    import sklearn.preprocessing
    import sklearn.svm  # noqa: F401  loading it is no part of a case

    before = [signal.signal(each, _too_long) for each in (signal.SIGPROF, signal.SIGALRM)]
    try:
        for case in cases:
            start = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            signal.setitimer(signal.ITIMER_REAL, 10 * LIMIT)
            try:
                kind, verdict = one_case(seed, case, folder)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too, and the panics of polars
                kind, verdict = list(KINDS)[case % len(KINDS)], Verdict(f"{type(error).__name__}: {error}")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.setitimer(signal.ITIMER_REAL, 0)
            if (case + 1) % 10_000 == 0:
                print(f"{case + 1:,} cases, wrong: {len(broken)}", file=sys.stderr, flush=True)
            longest = max(longest, time.process_time() - start)
            n_judged += verdict.is_judged
            is_fine = verdict.outcome in ("read", "refused")
            counts[kind, verdict.outcome if is_fine else "wrong"] += 1
            if not is_fine:
                broken.append(f"case {case} ({kind}): {verdict.outcome[:300]}")
                print(broken[-1], file=sys.stderr, flush=True)
    finally:
        for each, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(each, handler)
        sys.path[:] = path
    return Result(counts, n_judged, longest, broken)


def main() -> int:
    """Try, print the counts, and return the exit code."""
    parser = argparse.ArgumentParser(description="Made-up input of every kind.")
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if options.case is not None:
            try:
                print(one_case(options.seed, options.case, folder))
            except Exception:
                traceback.print_exc()
            for path in folder.iterdir():
                print(f"--- {path.name}\n{path.read_bytes()!r}")
            return 0
        start = time.perf_counter()
        result = try_cases(options.seed, range(options.first, options.cases), folder)
        for kind in KINDS:
            print(f"{kind:<10}", *(f"{outcome} {result.counts[kind, outcome]:<7}" for outcome in ("read", "refused", "wrong")))
        n_cases, seconds = options.cases - options.first, time.perf_counter() - start
        print(f"{n_cases} cases in {seconds:.0f} s, at most {result.longest:.1f} s each; the oracle judged {result.n_judged}")
    print(f"wrong: {len(result.broken)}")
    for line in result.broken[:30]:
        print(f"  {line}")
    return 1 if result.broken else 0


if __name__ == "__main__":
    sys.exit(main())
