"""Made-up input of every kind: files, frames, dicts, arguments and studies, most of them broken in some way.

    python tests/reliability/fuzz.py                      5,000 cases; the seed is printed
    python tests/reliability/fuzz.py --cases 200000 --seed 7        hours; lines on standard error tell of each 10,000
    python tests/reliability/fuzz.py --cases 200000 --seed 7 --first 90000      the rest of them
    python tests/reliability/fuzz.py --seed 7 --case 123  one of them again, with its input and its traceback

Nothing but a `TiebreakError` may be raised, nothing may take 5 s, and what was read has to be what pandas and plain Python read:
the scores of all models on the same split stand together.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import itertools
import json
import math
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import pandas as pd

import tiebreak as tb
from tiebreak.errors import TiebreakError, UnsupportedSourceError
from tiebreak.readers.battles import Battles, read_battles
from tiebreak.readers.columns import CLUSTER, ITEM, MODEL, RESERVED, RUN, SCORE, WEIGHT

LIMIT = 5
"""Seconds of computing that no case may take; waiting counts from ten times as long, as other programs may be at work here."""


class Verdict(NamedTuple):
    """What came of a case: "read", "refused" or what is wrong, and whether the oracle could judge what was read."""

    outcome: str
    is_judged: bool = False


class TooLongError(Exception):
    """A case that took more than `LIMIT`."""


# --- tables -----------------------------------------------------------------------------------------------------------------

NAMES = [
    "a",
    "b",
    "svm",
    "C=1, x",
    "mod él",
    "x\u200by",
    "=1+1",
    "0",
    "1.5",
    "nan",
    "mean",
    "std",
    "test_score",
    "",
    " ",
    '"',
    "a\nb",
    "split0_test_score",
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


def made_up_table(rng: random.Random) -> dict[str, list[Any]]:
    """Columns of a sound table: long or wide, with keys or without."""
    n_models, n_splits = rng.randint(1, 4), rng.randint(1, 6)
    models = rng.sample(["a", "b", "svm", "C=1, x", "mod él", "rf"], n_models)
    scores = [[round(rng.uniform(0, 1), rng.randint(1, 17)) for _ in range(n_splits)] for _ in models]
    keys = rng.choice([(), ("fold",), ("split",), ("repeat", "fold")])
    key_columns = {key: [i // 2 if key == "repeat" else i % 2 if len(keys) == 2 else i for i in range(n_splits)] for key in keys}
    if rng.random() < 0.3:
        key_columns = {key: [f"{key} {value}" for value in values] for key, values in key_columns.items()}
    sizes = {"n_train": [90] * n_splits, "n_test": [10] * n_splits} if rng.random() < 0.3 else {}
    if rng.random() < 0.5:
        return {**key_columns, **sizes, **dict(zip(models, scores, strict=True))}
    order = [(m, s) for m in range(n_models) for s in range(n_splits)]
    if keys:
        rng.shuffle(order)
    table: dict[str, list[Any]] = {"model": [models[m] for m, _ in order]}
    table |= {name: [column[s] for _, s in order] for name, column in {**key_columns, **sizes}.items()}
    return {**table, "score": [scores[m][s] for m, s in order]}


def table_of_datasets(rng: random.Random) -> dict[str, list[Any]]:
    """Means, folds or seeds of several datasets."""
    return _keyed(rng, rng.choice([("dataset",), ("dataset", "fold"), ("dataset", "seed"), ("dataset", "repeat", "fold")]))


def table_of_losses(rng: random.Random) -> dict[str, list[Any]]:
    """Losses in time, or scores of seeds."""
    table = _keyed(rng, rng.choice([("time",), ("time",), ("seed",), ("dataset", "time")]))
    if "time" in table and rng.random() < 0.3:
        table["time"] = [f"2024-01-{time + 1:02d}" for time in table["time"]]
    return table


def table_of_items(rng: random.Random) -> dict[str, list[Any]]:
    """Scores of items: long, with runs or without, or wide."""
    table = _keyed(rng, rng.choice([("item",), ("item",), ("item", "run")]) if rng.random() < 0.7 else ("item",))
    names = {"item": rng.choice(["item", "Question", "doc_id"]), "model": rng.choice(["model", "system"])}
    names["score"] = rng.choice(["score", "correct", "acc"])
    if "score" in table and rng.random() < 0.5:
        table["score"] = [float(score > 0.5) for score in table["score"]]
    return {names.get(name, name): values for name, values in table.items()}


def table_of_battles(rng: random.Random) -> dict[str, list[Any]]:
    """Who was preferred to whom."""
    n = rng.randint(1, 12)
    pairs = [rng.sample(["a", "b", "svm", "gpt 4", "mod él"], 2) for _ in range(n)]
    winner = [rng.choice([*pair, "tie", "model_a", "model_b", "a", "b", "both_bad"]) for pair in pairs]
    table: dict[str, list[Any]] = {"model_a": [a for a, _ in pairs], "model_b": [b for _, b in pairs], "winner": winner}
    if rng.random() < 0.3:
        table["weight"] = [rng.choice([1, 2, 0.5]) for _ in pairs]
    if rng.random() < 0.3:
        table["cluster"] = [rng.choice("xyz") for _ in pairs]
    return table


def _keyed(rng: random.Random, keys: Sequence[str]) -> dict[str, list[Any]]:
    """A sound table with such keys, long or wide."""
    n = [rng.randint(1, 4) for _ in keys]
    rows = [tuple(each) for each in itertools.product(*(range(size) for size in n))]
    models = rng.sample(["a", "b", "svm", "C=1, x", "mod él", "rf"], rng.randint(1, 4))
    scores = {model: [round(rng.uniform(0, 1), rng.randint(1, 17)) for _ in rows] for model in models}
    table: dict[str, list[Any]] = {}
    order = [(m, r) for m in range(len(models)) for r in range(len(rows))] if rng.random() < 0.5 else []
    rng.shuffle(order)
    for i, key in enumerate(keys):
        column = [f"d{row[i]}" if key == "dataset" else row[i] for row in rows]
        table[key] = [column[r] for _, r in order] if order else column
    if not order:
        return {**table, **scores}
    return {**table, "model": [models[m] for m, _ in order], "score": [scores[models[m]][r] for m, r in order]}


def damaged_table(rng: random.Random, table: dict[str, list[Any]], cells: Sequence[Any]) -> dict[str, list[Any]]:
    """The table with some cells, columns or names put in another way."""
    table = {name: list(values) for name, values in table.items()}
    for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
        names = list(table)
        if not names:
            break
        name = rng.choice(names)
        what = rng.randrange(7)
        if what <= 2 and table[name]:
            table[name][rng.randrange(len(table[name]))] = rng.choice(cells)
        elif what == 3:
            table[rng.choice([*NAMES, *RESERVED])] = table.pop(name)
        elif what == 4:
            del table[name]
        elif what == 5 and table[name]:
            row = rng.randrange(len(table[name]))
            for values in table.values():
                if row < len(values):
                    values.append(values[row]) if rng.random() < 0.5 else values.pop(row)
        else:
            table[rng.choice([*NAMES, *RESERVED])] = [rng.choice(cells) for _ in table[name]]
    return table


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


# --- the second oracle ----------------------------------------------------------------------------------------------------------


def number(value: Any) -> float:
    """A cell as plain Python reads it; empty ones are nan. A ValueError or TypeError where it is no number."""
    if value is None or value is pd.NA or value is pd.NaT:
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        if text in ("", "NA", "null"):
            return math.nan
        if text in ("True", "true", "TRUE", "False", "false", "FALSE"):
            return float(text.lower() == "true")
    return float(value)


def expected(columns: Mapping[str, Sequence[Any]]) -> Found | None:
    """Scores of each split by model, as a bag of splits; None where only a reader that guesses could tell."""
    names = {str(name).strip(): list(values) for name, values in columns.items()}
    reserved = {word: values for name, values in names.items() for word in RESERVED if name.casefold() == word}
    if "metric" in reserved or len(names) != len(columns) or len({"split", "seed", "time"} & set(reserved)) > 1:
        return None
    if {"seed", "time"} & set(reserved) and {"repeat", "fold"} & set(reserved):
        return None
    if {"seed", "dataset"} <= set(reserved):  # means over the seeds of a dataset
        return None
    rows = range(len(next(iter(names.values()), [])))
    if len(set(map(word, reserved.get("seed", [])))) == 1:  # it tells nothing apart
        del reserved["seed"]
    both = "repeat" in reserved and "fold" in reserved  # a split beside both says nothing
    keys = [reserved[key] for key in ("repeat", "fold", "split", "seed", "time") if key in reserved]
    keys = keys[:2] if both else keys
    datasets = [word(each) for each in reserved["dataset"]] if "dataset" in reserved else [""] * len(rows)
    if "dataset" in reserved and set(datasets) & {"", "nan", "None", "<NA>", "NaT", "NA", "null", "NaN"}:  # is one named?
        return None
    splits: dict[Any, dict[str, str]] = {}
    position: Counter[tuple[str, str]] = Counter()
    if "model" in reserved:
        if "score" not in reserved:
            return None
        for row in rows:
            model = word(reserved["model"][row])
            key = tuple(word(column[row]) for column in keys) if keys else position[datasets[row], model]
            position[datasets[row], model] += 1
            splits.setdefault((datasets[row], key), {})[model] = shown(number(reserved["score"][row]))
    else:
        models = [name for name in names if name.casefold() not in RESERVED]
        for row in rows:
            key = tuple(word(column[row]) for column in keys) if keys else row
            splits[datasets[row], key] = {model: shown(number(names[model][row])) for model in models}
    return Counter((dataset, tuple(sorted(_there(split.items())))) for (dataset, _), split in splits.items())


def _there(scores: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Scores that there are, by model: where none is, the model may be named or not."""
    return [(word(model), score) for model, score in scores if score != "nan"]


def expected_items(columns: Mapping[str, Sequence[Any]]) -> Found | None:
    """Scores by item, model and run, as a bag; None where only a reader that guesses could tell."""
    names = {str(name).strip().casefold(): list(values) for name, values in columns.items()}
    if len(names) != len(columns) or any(str(name) != str(name).strip() for name in columns):
        return None
    known = [[name for name in words if name in names] for words in (ITEM, MODEL, SCORE, RUN)]
    items, models, scores, runs = known
    if len(items) != 1 or {*CLUSTER, *WEIGHT, "n_train", "n_test", "metric"} & set(names):
        return None
    if models:
        if [len(each) for each in known[1:3]] != [1, 1] or len(runs) > 1 or len(names) != 3 + len(runs):
            return None
        n = len(names[items[0]])
        run = names[runs[0]] if runs and len(set(map(plain_word, names[runs[0]]))) > 1 else [""] * n
        if any(isinstance(each, str) and each in ("None", "nan", "NaN", "NA", "N/A", "null") for each in run):
            return None
        keys = zip(*(map(plain_word, column) for column in (names[items[0]], names[models[0]], run)), strict=True)
        return Counter((key, shown(number(score))) for key, score in zip(keys, names[scores[0]], strict=True) if is_there(score))
    if scores or runs:
        return None
    if set(names) & {"row", "index", "number", "nr", "no", "split", "fold", "unnamed: 0", ""}:  # it may number the items
        return None
    by_model = {str(name): list(values) for name, values in columns.items() if str(name).casefold() != items[0]}
    return Counter(
        ((plain_word(item), plain_word(model), ""), shown(number(score)))
        for model, column in by_model.items()
        for item, score in zip(names[items[0]], column, strict=True)
        if is_there(score)
    )


def found_items(items: tb.Items) -> Found:
    """The same of what was read."""
    runs = items.runs if len(items.runs) > 1 else ("",)
    keys = itertools.product(items.models, runs, items.items)
    scores = zip(keys, items.score.ravel().tolist(), strict=True)
    return Counter(((item, model, run), shown(score)) for (model, run, item), score in scores if not math.isnan(score))


def is_there(value: Any) -> bool:
    """Tell that a cell holds a score: neither empty nor what stands for a gap."""
    if isinstance(value, np.float32):
        raise TypeError("its digits depend on what else is in the column")
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        raise TypeError("1_000 and other digits are numbers for Python, and texts for pandas")
    return not math.isnan(number(math.nan if isinstance(value, str) and value in ("N/A", "None") else value))


def plain_word(value: Any) -> str:
    """A name as it stands; a TypeError for what pandas may write in several ways."""
    if isinstance(value, str):
        if value != value.strip() or not value.isprintable() or not value:
            raise TypeError("some ways of reading take blanks around names off, and what cannot be shown is escaped")
        with contextlib.suppress(ValueError):
            if value != str(int(float(value))):
                raise TypeError("1e5 and 1.50 are the numbers that they are where all names are numbers")
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError("a number with a fraction, or a gap, as a name")


def expected_battles(columns: Mapping[str, Sequence[Any]]) -> Found | None:
    """Battles in their order, as a bag: first, second, 1 or -1 or 0, weight."""
    names = {str(name).strip().casefold(): list(values) for name, values in columns.items()}
    if len(names) != len(columns) or not {"model_a", "model_b", "winner"} <= set(names):
        return None
    rows = zip(names["model_a"], names["model_b"], names["winner"], names.get("weight", itertools.repeat(1)), strict=False)
    sides = {**dict.fromkeys(WON, 1), **dict.fromkeys(LOST, -1), **dict.fromkeys(TIED, 0)}
    said: list[tuple[str, str, int | None, int | None, float]] = []  # by name, and by side
    for a, b, winner, weight in rows:
        if any(isinstance(each, float | np.floating) for each in (a, b, winner)):
            return None  # as a name
        first, second, word = (str(each).strip() for each in (a, b, winner))
        by_name = 1 if word == first else -1 if word == second else None
        said.append((first, second, by_name, sides.get(word.casefold()), float(weight)))
    is_turned = any(name is not None and side in (1, -1) and side != name for *_, name, side, _ in said)
    holds_sides = is_turned and any(name is None and side in (1, -1) for *_, name, side, _ in said)
    bag: Found = Counter()
    for row, (first, second, name, side, weight) in enumerate(said):
        outcome = side if holds_sides or name is None else name
        bag[row, (first, second, outcome), shown(weight)] += 1
    return bag


WON, LOST = ("a", "model_a", "1", "1.0", "left", "first"), ("b", "model_b", "2", "2.0", "right", "second")
TIED = ("tie", "tied", "draw", "both", "none", "0", "0.0", "tie (bothbad)", "both_bad", "bothbad", "equal")


def found_battles(battles: Battles) -> Found:
    """The same of what was read."""
    weight = np.ones(battles.outcome.size) if battles.weight is None else battles.weight
    columns = (battles.model_a.tolist(), battles.model_b.tolist(), battles.outcome.tolist(), weight.tolist())
    return Counter(
        (row, (battles.models[a], battles.models[b], outcome), shown(weight))
        for row, (a, b, outcome, weight) in enumerate(zip(*columns, strict=True))
    )


class UndecidableError(Exception):
    """A table that a sound reader may read in several ways, so that the oracle cannot judge."""


def word(value: Any) -> str:
    """A key or name: 3 and 3.0 are the same, and so are the same texts with blanks around; digits of other scripts are words."""
    if value is None or value is pd.NA or value is pd.NaT:
        return "nan"  # one gap is like another
    if isinstance(value, bool | np.bool_):
        raise UndecidableError("a key that is true or false is a number among numbers, and a word among words")
    if isinstance(value, dict | list):
        raise UndecidableError("columns of frames write out what their cells hold in several ways")
    if isinstance(value, np.float32):
        return str(value)
    if isinstance(value, str) and (value.strip().casefold() in ("true", "false", "-0.0") or value.strip().startswith("+")):
        raise UndecidableError("so it is with such a text")
    if isinstance(value, str) and not value.isascii():
        if any(letter.isdecimal() and not letter.isascii() for letter in value):
            raise UndecidableError("digits of other scripts are numbers for Python, and words for pandas")
        return value.strip()
    try:
        read = float(value)
        if isinstance(value, str) and (value.strip().endswith(".") or value.strip().startswith(".")):
            raise UndecidableError("5. and .5 are 5 and 0.5 where all keys are numbers, and words of their own among words")
        if isinstance(value, str) and re.match(r"\s*-?0\d", value):
            raise UndecidableError("01 is 1 where all keys are numbers, and a word of its own among words")
        if isinstance(value, str) and math.isnan(read) and value.strip() != "nan":
            raise UndecidableError("NaN and nan are one gap where all keys are numbers, and words of their own among words")
        if math.isinf(read) and any(letter.isdigit() for letter in str(value)):
            return str(value).strip()  # digits beyond all floats are the word that they are
        return str(int(read)) if read.is_integer() else repr(read)
    except (TypeError, ValueError, OverflowError):
        return str(value).strip()


def shown(value: float) -> str:
    """A score to the last digit."""
    return "nan" if math.isnan(value) else repr(value + 0.0)


def found(scores: tb.Scores) -> Found:
    """The same of what was read."""
    bag: Found = Counter()
    for dataset in scores.datasets:
        matrix = scores.matrix(dataset)
        for column in matrix.score.T.tolist():
            bag[word(dataset), tuple(sorted(_there(zip(matrix.models, map(shown, column), strict=True))))] += 1
    return bag


Found = Counter[Any]


class Table(NamedTuple):
    """A kind of table: how a sound one is made, read, told by the oracle, and found in what was read."""

    make: Callable[[random.Random], dict[str, list[Any]]]
    read: Callable[[Any], Any]
    expected: Callable[[Mapping[str, Sequence[Any]]], Found | None]
    found: Callable[[Any], Found]


def _battles_of(source: Any) -> Battles:
    battles = read_battles(source)
    if battles is None:
        raise UnsupportedSourceError("these are no battles")
    return battles


OPTIONS: dict[str, Any] = {"metric": "accuracy"}
SPLITS = Table(made_up_table, lambda source: tb.read_scores(source, **OPTIONS), expected, found)
DATASETS, LOSSES = SPLITS._replace(make=table_of_datasets), SPLITS._replace(make=table_of_losses)
ITEMS = Table(
    table_of_items,
    lambda source: tb.read_items(source, metric="quality", lower_is_better=False, missing="pairwise"),
    expected_items,
    found_items,
)
BATTLES = Table(table_of_battles, _battles_of, expected_battles, found_battles)


def judged(read: Callable[[], Any], oracle: Callable[[], Mapping[str, Sequence[Any]] | None], table: Table = SPLITS) -> Verdict:
    """Read, and compare with what the oracle reads."""
    try:
        scores = read()
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() and "\x1b" not in str(error) else "an empty or unprintable message")
    try:
        columns = oracle()
        if columns is not None and any(str(name).strip() != str(name).strip().strip("\ufeff") for name in columns):
            raise UndecidableError("byte-order marks around names are what joined files leave, and parts of them for pandas")
        wanted = None if columns is None else table.expected(columns)
    except (UndecidableError, ValueError, TypeError, KeyError, IndexError, csv.Error, OverflowError):
        return Verdict("read")
    if wanted is None:
        return Verdict("read")
    if table.found(scores) != wanted:
        more, less = table.found(scores) - wanted, wanted - table.found(scores)
        return Verdict(f"read as {dict(more)}, but the oracle says {dict(less)}", True)
    return Verdict("read", True)


# --- one function for each kind of input ----------------------------------------------------------------------------------------


def csv_case(rng: random.Random, folder: Path, what: Table = SPLITS) -> Verdict:
    """A CSV file."""
    table = damaged_table(rng, what.make(rng), CELLS)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=rng.choice([",", ",", ",", ";", "\t"]), lineterminator=rng.choice(["\n", "\r\n"]))
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=False))
    text = damaged_text(
        rng, out.getvalue().encode(errors="replace"), [each.encode() for each in (*CELLS, *NAMES, ",", '"', "\n")]
    )
    path = folder / "case.csv"
    path.write_bytes(text)

    def oracle() -> Mapping[str, Sequence[Any]] | None:
        rows = [
            row for row in csv.reader(io.StringIO(text.decode("utf-8-sig"), newline=""), strict=True) if any(map(str.strip, row))
        ]
        if len({len(row) for row in rows}) != 1 or len(set(rows[0])) < len(rows[0]):
            return None
        if len(rows[0]) == 1 and re.search(r"[;\t|]", rows[0][0]):  # or is that what separates its columns?
            return None
        frame = pd.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False, encoding="utf-8-sig", index_col=False)
        plain = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
        if len(frame) == len(rows) - 1 and [list(frame[name]) for name in frame] != list(plain.values()):
            return None  # pandas and csv do not agree on the text
        return plain

    return judged(lambda: what.read(path), oracle, what)


def json_case(rng: random.Random, folder: Path, what: Table = SPLITS) -> Verdict:
    """A JSON file: records, columns, or an answer of ours."""
    table: Any = damaged_table(
        rng, what.make(rng), [cell for cell in VALUES if isinstance(cell, int | float | str | list | dict | None)]
    )
    kind = rng.randrange(4)
    if kind == 0:
        table = [dict(zip(table, row, strict=False)) for row in zip(*table.values(), strict=False)]
    if kind == 1 and rng.random() < 0.5:
        table = _ANSWER
    text = damaged_text(
        rng,
        json.dumps(table, default=str).encode(),
        [b"NaN", b"Infinity", b'"a"', b"{", b"]", b",", b"1e999", b"\\ud800", b"null", b"1" * 5000],
    )
    path = folder / "case.json"
    path.write_bytes(text)

    def oracle() -> Mapping[str, Sequence[Any]] | None:
        content = json.loads(text.decode("utf-8-sig"))
        if isinstance(content, list):
            names = dict.fromkeys(name for record in content for name in record)
            return {name: [record.get(name) for record in content] for name in names}
        if not isinstance(content, dict) or "schema" in content or any(isinstance(values, dict) for values in content.values()):
            return None
        return content if len({len(values) for values in content.values()}) == 1 else None

    if kind == 1 and what is SPLITS:
        return judged(lambda: tb.read_scores(path), oracle)
    return judged(lambda: what.read(path), oracle, what)


def parquet_case(rng: random.Random, folder: Path, what: Table = SPLITS) -> Verdict:
    """A Parquet file, sound or with bytes changed."""
    frame = _frame(rng, damaged_table(rng, what.make(rng), [None, math.nan, 0.5, 2**53 + 1, "x", math.inf, True]))
    path = folder / "case.parquet"
    try:
        frame.to_parquet(path)
    except Exception:  # mixed columns, which Parquet does not hold
        return Verdict("refused")
    is_sound = rng.random() < 0.6
    if not is_sound:
        path.write_bytes(damaged_text(rng, path.read_bytes(), [b"PAR1", b"\0" * 50]))
    return judged(lambda: what.read(path), lambda: pd.read_parquet(path).to_dict("list") if is_sound else None, what)


def frame_case(rng: random.Random, folder: Path, what: Table = SPLITS) -> Verdict:
    """A data frame of pandas, polars or pyarrow."""
    frame = _frame(rng, damaged_table(rng, what.make(rng), VALUES))
    source: Any = frame
    try:
        if rng.random() < 0.3:
            import polars as pl

            source = pl.from_pandas(frame)
        elif rng.random() < 0.3:
            import pyarrow as pa

            source = pa.Table.from_pandas(frame)
    except Exception:  # what the other library does not take
        source = frame
    # polars names a column without a name, and makes bytes of texts among bytes
    holds_bytes = any(isinstance(value, bytes) for name in frame for value in frame[name])
    is_renamed = source is not frame and ("" in frame.columns or holds_bytes)
    return judged(lambda: what.read(source), lambda: None if is_renamed else _plain(frame), what)


def columns_case(rng: random.Random, folder: Path, what: Table = SPLITS) -> Verdict:
    """A dict of lists."""
    table = damaged_table(rng, what.make(rng), VALUES)
    is_even = len({len(values) for values in table.values()}) == 1
    return judged(lambda: what.read(table), lambda: table if is_even else None, what)


def of_table(what: Table) -> Callable[[random.Random, Path], Verdict]:
    """Cases of a kind of table, in all that tables come in."""

    def case(rng: random.Random, folder: Path) -> Verdict:
        return rng.choice([csv_case, csv_case, json_case, parquet_case, frame_case, columns_case])(rng, folder, what)

    return case


def rating_case(rng: random.Random, folder: Path) -> Verdict:
    """Ratings of battles, and what is asked of them."""
    source = damaged_table(rng, table_of_battles(rng), VALUES)
    try:
        answer = tb.rate(source, n_resamples=rng.choice([20, 20, 20, 0, -1, "x"]))
        answer.to_text(), answer.to_json(), repr(answer)
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() else "an empty message")
    return Verdict("read")


def dict_case(rng: random.Random, folder: Path) -> Verdict:
    """A dict of lists, arrays, Series, or results of cross_validate; a list of records; an array."""
    table: Any = damaged_table(rng, made_up_table(rng), VALUES)
    kind = rng.randrange(7)
    source: Any = table
    if kind == 1:
        source = {name: np.array(values, dtype=object) for name, values in table.items()}
    elif kind == 2:
        source = {name: pd.Series(values, index=rng.sample(range(len(values)), len(values))) for name, values in table.items()}
        return judged(lambda: tb.read_scores(source, **OPTIONS), lambda: None)
    elif kind == 3:
        source = {name: {"test_score": values, "fit_time": values, rng.choice(CELLS): 1} for name, values in table.items()}
        return judged(lambda: tb.read_scores(source, **OPTIONS), lambda: None)
    elif kind == 4:
        source = [dict(zip(table, row, strict=False)) for row in zip(*table.values(), strict=False)]
        records = source
        table = {
            name: [record.get(name) for record in records] for name in dict.fromkeys(key for each in records for key in each)
        }
    elif kind == 5:
        source = rng.choice(
            [np.ones((2, 3)), [[1, 2], [3]], [[0.1, 0.2], [0.3, 0.4]], np.ma.masked_all((2, 3)), list(table), np.array("x")]
        )
        models = rng.choice([None, ["a", "b"], ["a"], [], "ab", 3, ["a", "a"], [None, 1]])
        return judged(lambda: tb.read_scores(source, models=models, **OPTIONS), lambda: None)
    elif kind == 6:
        source = {rng.choice([name, 1, None, (1, 2), 0.5, b"x"]): values for name, values in table.items()}
        return judged(lambda: tb.read_scores(source, **OPTIONS), lambda: None)
    lengths = {len(values) for values in table.values()}
    is_table = bool(set(table) & set(RESERVED))
    return judged(
        lambda: tb.read_scores(source, **OPTIONS), lambda: table if len(lengths) == 1 and (is_table or kind == 4) else None
    )


ARGUMENTS: dict[str, list[Any]] = {
    "metric": ["accuracy", "neg_log_loss", "x", "", 3, [], None, "\ud800", "acc"],
    "models": [None, ["a", "b"], ["a"], "a", 0, [[]], [None], ("b", "c"), {"a": 1, "c": 2}, iter(["a", "b"])],
    "dataset": [None, "", "d", 3, []],
    "rope": [
        0,
        0.01,
        "1%",
        "1",
        "x%",
        "",
        -1,
        math.nan,
        math.inf,
        10**30,
        10**400,
        None,
        [],
        "nan%",
        "1e999%",
        True,
        np.float64(0.1),
        1j,
    ],
    "alpha": [0.05, 0, 1, 5, "0.05", None, 10**400, math.nan, -1, [], 1e-300, 0.999999],
    "baseline": [None, "a", "x", 1, ["a"], ""],
    "correction": [None, "holm", "bonferroni", "bh", "x", 1, [], {}],
    "alternative": ["two-sided", "greater", "less", "x", None, []],
    "order": [None, ["a", "b", "c"], ["c", "b", "a"], ["a"], 1, "abc", [["a"], "b", "c"], {"a": 1}, object()],
    "method": ["auto", "corrected-t", "paired-t", "x", None, [], 1],
    "missing": ["raise", "pairwise", "x", None, []],
    "lower_is_better": [None, True, False, 1, "yes", []],
    "n_train": [90, 1, 0, -1, 10**30, 0.5, "90", None, [], True, np.int64(90)],
    "n_test": [10, 1, 0, -1, 10**30, 0.5, "10", None, []],
    "n_samples": [None, 100, 1, 0, 10**30, "x", []],
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
    try:
        answer = tb.compare(source, **settings)
        answer.to_text(), answer.to_json(), answer.pairs, repr(answer)
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() else "an empty message")
    return Verdict("read")


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
[columns]
one_hot = true
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
    table = damaged_table(rng, {"a": list(range(6)), "b": list("xyxyxy"), "t": list("uvuvuv")}, CELLS)
    out = io.StringIO()
    csv.writer(out).writerows([list(table), *zip(*table.values(), strict=False)])
    (folder / "table.csv").write_bytes(damaged_text(rng, out.getvalue().encode(errors="replace"), [b",", b'"', b"\0"]))
    try:
        read_study(folder / "study.toml", make_models=rng.random() < 0.5)
    except TiebreakError as error:
        return Verdict("refused" if str(error).strip() else "an empty message")
    return Verdict("read")


def _frame(rng: random.Random, table: dict[str, list[Any]]) -> pd.DataFrame:
    length = max((len(values) for values in table.values()), default=0)
    frame = pd.DataFrame({name: [*values, *[None] * (length - len(values))] for name, values in table.items()})
    if rng.random() < 0.2:
        frame = frame.convert_dtypes()
    if rng.random() < 0.1 and len(frame.columns):
        with contextlib.suppress(OverflowError):  # pandas sorts a whole number beyond all floats among floats
            frame = frame.astype({frame.columns[0]: "category"}, errors="ignore")
    return frame


def _plain(frame: pd.DataFrame) -> Mapping[str, Sequence[Any]]:
    # as objects, numbers of 32 bits would be Python's, with digits that nobody wrote
    return {
        str(name): list(frame[name].to_numpy() if str(frame[name].dtype).lower() == "float32" else frame[name].astype(object))
        for name in frame
    }


_ANSWER: Any = None
KINDS = {
    "csv": csv_case,
    "json": json_case,
    "parquet": parquet_case,
    "frame": frame_case,
    "dict": dict_case,
    "arguments": argument_case,
    "study": study_case,
    "items": of_table(ITEMS),
    "datasets": of_table(DATASETS),
    "battles": of_table(BATTLES),
    "ratings": rating_case,
    "losses": of_table(LOSSES),
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
    global _ANSWER
    _ANSWER = tb.compare({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.3, 0.3]}, metric="accuracy", n_train=20, n_test=10).to_dict()
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
