"""Made-up input: tables whose content is known, damaged tables, settings and studies; more of each: `POINTS`.

The oracle is the truth that a table was written from: scores of models on units, put into a random shape, under random names, in
a random format. What is read has to be that truth to the last digit, the scores of all models on one unit together. Of damaged
input nothing is known, but nothing other than a `TiebreakError` with words may be raised. A case is made again by its seed.
"""

import bz2
import csv
import gzip
import io
import itertools
import json
import math
import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tiebreak as tb
from tests.reliability import POINTS
from tiebreak.errors import TiebreakError
from tiebreak.study_file import read_study

Columns = dict[str, list[Any]]
FORMS = ("csv", "json", "parquet", "frame", "dict")
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
"""Names that a column of each part of a key may have."""
UNITS = [
    *(("fold",), ("repeat", "fold"), ("split",), (), ("dataset",), ("dataset", "fold"), ("dataset", "repeat", "fold")),
    *(("seed",), ("time",), ("item",), ("item", "run")),
]
SIZES = {"fold": (2, 8), "repeat": (2, 3), "dataset": (2, 5), "run": (2, 3)}
MODELS = ["svm", "rf", "C=1, x", "mod él", "gpt 4", "xgb+lr", "a;b", 'say "x"']
TYPED = ["None", "007", "7", "1.50", "NA", "mean", "fold"]
"""Names that only a column can hold: in a header they would say something else."""


class Truth(NamedTuple):
    """Scores by model and unit; `parts` are those of a unit's name."""

    parts: tuple[str, ...]
    models: list[str]
    units: list[tuple[str, ...]]
    scores: dict[tuple[str, tuple[str, ...]], float]
    metric: str
    is_percent: bool = False


def made_up(rng: random.Random, parts: tuple[str, ...], form: str) -> Truth:
    """Scores of two to four models."""
    keys = []
    for part in parts or ("place",):
        style = rng.randrange(3)
        keys.append([_key(part, number, style) for number in range(1, rng.randint(*SIZES.get(part, (3, 7))) + 1)])
    units = list(itertools.product(*keys))
    models = rng.sample(MODELS, rng.randint(2, 4))
    models[1:] = rng.sample(TYPED, len(models) - 1) if rng.random() < 0.2 else models[1:]
    is_percent, is_binary, digits = (
        form == "csv" and rng.random() < 0.1,
        "item" in parts and rng.random() < 0.5,
        rng.randint(1, 17),
    )
    scores = {}
    for cell in itertools.product(models, units):
        value = round(rng.uniform(0.05, 0.95), digits)
        scores[cell] = float(rng.randint(0, 1)) if is_binary else float(f"{100 * value:.1f}") / 100 if is_percent else value
    return Truth(parts, models, units, scores, "quality" if "item" in parts else "accuracy", is_percent)


def _key(part: str, number: int, style: int) -> str:
    if part == "time" and style == 0:
        return f"2024-01-{number:02d}"
    if part in ("dataset", "item"):
        return f"{part[0]}{number}" if style else f"{part} no. {number}"
    return str(number) if style or part in ("time", "run") else f"{part} {number}"


def long_table(rng: random.Random, truth: Truth) -> Columns:
    """A row for each score, in any order, with columns that say nothing."""
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
    names = list(columns)
    rng.shuffle(names)
    return {name: columns[name] for name in names}


def wide_table(rng: random.Random, truth: Truth) -> Columns:
    """A row for each unit and a column for each model."""
    columns: Columns = {rng.choice(NAMES[part]): [unit[place] for unit in truth.units] for place, part in enumerate(truth.parts)}
    return {**columns, **{model: [truth.scores[model, unit] for unit in truth.units] for model in truth.models}}


def table_of_folds(rng: random.Random, truth: Truth) -> Columns:
    """A row for each model and a column for each fold."""
    pattern = rng.choice(["fold{}", "fold_{}", "Fold {}", "cv{}"])
    by_fold = {pattern.format(i): [truth.scores[model, unit] for model in truth.models] for i, unit in enumerate(truth.units)}
    return {rng.choice(["model", "Model", "method"]): truth.models, **by_fold}


def shape_of(rng: random.Random, truth: Truth) -> Columns:
    """The truth in one of the shapes that can hold it."""
    can_be_wide = not set(truth.models) & set(TYPED) and truth.parts != ("item", "run")
    shapes = [long_table, *[wide_table] * can_be_wide, *[table_of_folds] * (truth.parts == ("fold",))]
    return rng.choice(shapes)(rng, truth)


def text_of(rng: random.Random, value: Any, *, comma: bool, percent: bool) -> str:
    """A score with a decimal comma, in per cent, or with blanks around it."""
    written = f"{100 * value:.1f}%" if percent else repr(value)
    written = written.replace(".", ",") if comma else written
    return f" {written} " if rng.random() < 0.05 else written


def text_file(rng: random.Random, columns: Columns, folder: Path, *, percent: bool) -> Path:
    """A text file, packed or not."""
    separator = rng.choice(",,,;;\t|")
    scores = {key for key, values in columns.items() if key != "fit_time" and any(isinstance(each, float) for each in values)}
    comma = separator in ";\t" and "fit_time" not in columns and rng.random() < 0.3
    table = [
        [
            text_of(rng, each, comma=comma, percent=percent) if name in scores and isinstance(each, float) else each
            for each in values
        ]
        for name, values in columns.items()
    ]
    rows = [list(columns), *map(list, zip(*table, strict=True))]
    if rng.random() < 0.2:  # pandas writes its index
        rows = [["", *rows[0]], *([number, *row] for number, row in enumerate(rows[1:]))]
    out = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(out, delimiter=separator, lineterminator=rng.choice(["\n", "\r\n"]), quoting=quoting).writerows(rows)
    text = out.getvalue() + rng.choice([""] * 9 + ["\n"])
    content = text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"]), errors="replace")
    path = folder / f"case{rng.choice(['.csv', '.txt', '.csv.gz', '.csv.bz2'])}"
    path.write_bytes({".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)(content))
    return path


def written(rng: random.Random, columns: Columns, folder: Path, form: str, *, percent: bool = False) -> Any:
    """The table in a format."""
    if form == "csv":
        return text_file(rng, columns, folder, percent=percent)
    if form == "json":
        records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        lines, whole = "\n".join(json.dumps(each, default=str) for each in records), rng.choice([records, columns])
        path = folder / rng.choice(["case.json", "case.jsonl"])
        path.write_text(lines if path.suffix == ".jsonl" else json.dumps(whole, default=str), encoding="utf-8")
        return path
    if form == "dict":
        return columns
    frame = pd.DataFrame(columns)
    if form == "parquet":
        path = folder / rng.choice(["case.parquet", "case.feather"])
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_feather(path)
        return path
    keys = [name for name in columns if name not in NAMES["run"] and any(name in names for names in NAMES.values())]
    indexed = frame.set_index(keys) if 0 < len(keys) < len(columns) else frame
    return rng.choice([lambda: frame, lambda: indexed, lambda: pl.from_pandas(frame), lambda: pa.Table.from_pandas(frame)])()


def read(rng: random.Random, source: Any, truth: Truth) -> Any:
    """The source, with what has to be said of it."""
    if "item" in truth.parts:
        return tb.read_items(source, metric=truth.metric, lower_is_better=False)
    sizes: dict[str, Any] = {} if truth.parts else rng.choice([{"cv": len(truth.units)}, {"n_train": 90, "n_test": 10}])
    return tb.read_scores(source, metric=truth.metric, **sizes)


def told(truth: Truth) -> Counter[Any]:
    """The truth as a bag of units with their scores by model: items by name, splits of a dataset by what stands together."""
    bag: Counter[Any] = Counter()
    place = truth.parts.index("dataset") if "dataset" in truth.parts else None
    for unit in truth.units:
        scores = tuple(sorted((model, truth.scores[model, unit]) for model in truth.models))
        bag[unit if "item" in truth.parts else "" if place is None else unit[place], scores] += 1
    return bag


def found(got: Any) -> Counter[Any]:
    """Such a bag of what was read."""
    bag: Counter[Any] = Counter()
    if isinstance(got, tb.Items):
        runs = got.runs if len(got.runs) > 1 else ("",)
        for (r, run), (i, item) in itertools.product(enumerate(runs), enumerate(got.items)):
            scores = sorted(zip(got.models, got.score[:, r, i].tolist(), strict=True))
            bag[(item, run) if run else (item,), tuple(scores)] += 1
        return bag
    for dataset in got.datasets:
        matrix = got.of_dataset(dataset).matrix()
        for column in matrix.score.T.tolist():
            bag[dataset, tuple(sorted(zip(matrix.models, column, strict=True)))] += 1
    return bag


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_table_is_read_as_it_was_meant(form: str, tmp_path: Path) -> None:
    """Every score is that of its model on its unit, to the last digit, and the kind of units is that of their names."""
    for seed in range(60 * POINTS):
        rng = random.Random(f"{form} {seed}")
        truth = made_up(rng, rng.choice(UNITS), form)
        got = read(rng, written(rng, shape_of(rng, truth), tmp_path, form, percent=truth.is_percent), truth)
        assert found(got) == told(truth), seed
        kind = {"seed": "seeds", "time": "periods"}.get(truth.parts[0] if truth.parts else "", "unknown")
        assert not truth.parts or "item" in truth.parts or got.design.kind == kind, seed


# --- damage: only an error of ours, with words --------------------------------------------------------------------------------

RESERVED = [*NAMES, "score", "n_train", "n_test", "metric", "y_true", "mean", ""]
CELLS = [
    *(
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
    ),
    *(
        "False",
        "٣",
        "abc",
        "1" * 400,
        "9007199254740993",
        "2020-01-01",
        "0.5 ",
        "+0.5",
        ".5",
        "5.",
        "\0",
        "\ufeff",
        '"0.5"',
        "--1",
    ),
]
VALUES = [
    *(None, math.nan, math.inf, -math.inf, 10**400, 2**53 + 1, -(2**63), True, "0.5", "x", b"x", [], {}, [0.5], {"a": 1}, 1e308),
    *(1e-320, 0, 1, pd.Timestamp("2020"), pd.NaT, pd.NA, 1j, np.float32(0.1), object()),
]
ARGUMENTS: dict[str, list[Any]] = {
    "metric": ["accuracy", "neg_log_loss", "x", "", 3, [], None, "\ud800"],
    "models": [None, ["a", "b"], ["a"], "a", 0, [[]], [None], {"a": 1, "c": 2}, iter(["a", "b"])],
    "dataset": [None, "", "d", 3, []],
    "rope": [0, 0.01, "1%", "1", "x%", "", -1, math.nan, math.inf, 10**400, None, [], "nan%", True, 1j],
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
    "cv": [None, 5, 1, 0, "kfold", object(), [], [([0], [1])], -1, 10**30],
    "rng": [0, 1, 10**400, -1, "x", None, 0.5, True, []],
}
"""Settings of `compare` with values that make sense and such as do not."""
TOML = [
    *('""', '"x"', "0", "-1", "0.5", "true", "[]", "{}", "[1, 2]", '["a", "t"]', "nan", "1979-05-27", '"os:system"', "[[]]"),
    *('"sklearn.svm:SVC"', '"sklearn.svm"', '{ import = "sklearn.dummy:DummyClassifier" }', "{ cost = [[0, 1], [1, 0]] }"),
    *('"\\u202e"', "9" * 400, '{ metric = "f1", positive = "x" }', '"table.csv"', '"1%"'),
]
KEYS = (
    "name rope metrics seed timeout data cv columns models source target drop features groups weights kind n_folds import params "
    "steps grid impute store x"
).split()
STUDY = """\
name = "study"
rope = 0.01
metrics = ["accuracy"]
[data]
source = "table.csv"
target = "t"
[cv]
kind = "kfold"
n_folds = 3
[models.g]
steps = [{ import = "sklearn.preprocessing:StandardScaler" }, { import = "sklearn.svm:SVC" }]
grid = { svc__C = [1, 2] }
"""


def damaged(rng: random.Random, table: Columns, cells: list[Any]) -> Columns:
    """The table with some cells, columns or names put in another way."""
    table = {name: list(values) for name, values in table.items()}
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        name = rng.choice(list(table) or [""])
        what = rng.randrange(6)
        if what <= 2 and table.get(name):
            table[name][rng.randrange(len(table[name]))] = rng.choice(cells)
        elif what == 3 and name in table:
            table[rng.choice(RESERVED)] = table.pop(name)
        elif what == 4:
            table.pop(name, None)
        else:
            table[rng.choice(RESERVED)] = [rng.choice(cells) for _ in table.get(name, ())]
    return table


def damaged_bytes(rng: random.Random, text: bytes) -> bytes:
    """Bytes with some put in, taken out, doubled or cut off."""
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        place, width = rng.randrange(len(text) + 1), rng.randint(1, 8)
        put_in = rng.choice([each.encode() for each in (*CELLS, ",", '"', "\n", "{", "]", "PAR1")])
        changes = [text[:place] + put_in + text[place:], text[:place] + text[place + width :], text[:place]]
        changes += [text[:place] + rng.randbytes(width) + text[place:], text[:place] + text[max(0, place - 20) :]]
        text = rng.choice(changes)
    return text


def read_damaged(rng: random.Random, folder: Path) -> None:
    """A table with damage of any kind, then its file."""
    form = rng.choice(FORMS)
    truth = made_up(rng, rng.choice(UNITS), form)
    table = damaged(rng, shape_of(rng, truth), CELLS if form == "csv" else VALUES)
    try:
        source = written(rng, table, folder, form)
    except Exception:  # what the library that writes it does not take
        return
    if isinstance(source, Path) and rng.random() < 0.5:
        source.write_bytes(damaged_bytes(rng, source.read_bytes()))
    read(rng, source, truth)


def compare_wrongly(rng: random.Random, folder: Path) -> None:
    """Settings of a comparison, and what is asked of its answer."""
    source = {name: [round(0.5 + rng.gauss(0, 0.1), 3) for _ in range(5)] for name in "abc"}
    settings = {name: rng.choice(values) for name, values in ARGUMENTS.items() if rng.random() < 0.1}
    answer = tb.compare(source, **{"metric": "accuracy", "n_train": 90, "n_test": 10, **settings})
    assert answer.to_text()
    assert answer.to_json()


def read_damaged_study(rng: random.Random, folder: Path) -> None:
    """A study file with lines changed, and its table."""
    lines = STUDY.splitlines()
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        place = rng.randrange(len(lines))
        key = lines[place].partition(" =")[0]
        new = rng.choice([f"{rng.choice(KEYS)} = {rng.choice(TOML)}", f"{key} = {rng.choice(TOML)}", f"[{rng.choice(KEYS)}]"])
        lines[place : place + rng.randint(0, 1)] = [new] * (rng.random() < 0.8)
    text = "\n".join(lines).encode()
    (folder / "study.toml").write_bytes(damaged_bytes(rng, text) if rng.random() < 0.2 else text)
    table = damaged(rng, {"a": list(range(6)), "b": [1, 2] * 3, "t": list("uvuvuv")}, CELLS if rng.random() < 0.5 else ["1"])
    out = io.StringIO()
    csv.writer(out).writerows([list(table), *zip(*table.values(), strict=False)])
    content = out.getvalue().encode(errors="replace")
    (folder / "table.csv").write_bytes(damaged_bytes(rng, content) if rng.random() < 0.5 else content)
    read_study(folder / "study.toml")


@pytest.mark.slow
@pytest.mark.parametrize("case", [read_damaged, compare_wrongly, read_damaged_study])
def test_whatever_is_wrong_is_said_in_words(case: Any, tmp_path: Path) -> None:
    """Damaged input is read or refused by an error of ours that can be printed, and both happen."""
    outcomes: Counter[str] = Counter()
    for seed in range(150 * POINTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                case(random.Random(seed), tmp_path)
            except TiebreakError as error:
                outcomes["refused" if str(error).strip() and "\x1b" not in str(error) else f"without words: {seed}"] += 1
            except BaseException as error:  # SystemExit too, and the panics of polars
                raise AssertionError(f"case {seed}") from error
            else:
                outcomes["read"] += 1
    assert set(outcomes) == {"read", "refused"}
    assert min(outcomes.values()) > 10, outcomes
