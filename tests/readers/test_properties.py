"""Whatever the numbers: order of rows, layout and format change nothing."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from tests.readers.helpers import read
from tiebreak.errors import TiebreakError
from tiebreak.scores.scores import ScoreMatrix, Scores

# "r" before each name, since a name such as "fold" or "nan" would mean something; no \r, which Python's csv writer leaves
# unquoted
NAMES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5), min_size=1, max_size=4).map(
    lambda texts: [f"r{text.strip()}" for text in texts]
)
FINITE = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """A long table: some models on some splits, every model on the first."""
    models = list(dict.fromkeys(draw(NAMES)))
    splits = draw(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 10**6)), min_size=1, max_size=6, unique=True))
    there = draw(arrays(bool, (len(models), len(splits))))
    there[:, 0] = True
    score = draw(arrays(float, there.shape, elements=FINITE))
    rows = [
        {"model": model, "repeat": repeat, "fold": fold, "score": score[i, j]}
        for i, model in enumerate(models)
        for j, (repeat, fold) in enumerate(splits)
        if there[i, j]
    ]
    return pd.DataFrame(rows)


def load(source: Any) -> Scores:
    return read(source, metric="anything", lower_is_better=False)


def assert_same(one: ScoreMatrix, two: ScoreMatrix) -> None:
    """But for the order of models."""
    assert set(one.models) == set(two.models)
    assert_array_equal(one.repeat, two.repeat)
    assert_array_equal(one.fold, two.fold)
    assert_array_equal(one.score, two.take(one.models).score)


@settings(max_examples=50, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(table: pd.DataFrame, random: Any) -> None:
    """Permuted rows give the same scores."""
    order = list(range(len(table)))
    random.shuffle(order)
    assert_same(load(table).matrix(), load(table.iloc[order]).matrix())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties")


@settings(deadline=None)
@given(tables(), st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_csv_round_trip(folder: Path, table: pd.DataFrame, end: str, quoting: Any) -> None:
    """To the last digit, whatever the names of models and however quoted."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=quoting)
    writer.writerow(table.columns)
    for model, repeat, fold, score in table.itertuples(index=False):
        writer.writerow([model, repeat, fold, "" if np.isnan(score) else repr(float(score))])
    path = folder / "table.csv"
    path.write_bytes(buffer.getvalue().encode())
    assert_same(load(table).matrix(), load(path).matrix())


@settings(deadline=None)
@given(tables())
def test_json_round_trip(folder: Path, table: pd.DataFrame) -> None:
    """As records."""
    path = folder / "table.json"
    path.write_text(json.dumps(table.to_dict("records")))
    assert_same(load(table).matrix(), load(path).matrix())


@settings(max_examples=50, deadline=None)
@given(tables())
def test_wide_is_long(table: pd.DataFrame) -> None:
    """A column per model says the same as a row per score."""
    wide = table.pivot_table(index=["repeat", "fold"], columns="model", values="score", dropna=False, aggfunc="sum", min_count=1)
    wide = wide.reset_index().dropna(subset=["repeat"])
    wide = wide.merge(table[["repeat", "fold"]].drop_duplicates())
    counting = [name for name in wide.columns[2:] if len(wide) >= 3 and (wide[name].dropna() % 1 == 0).all()]
    if counting:
        return  # whole numbers may look like a running number
    assert_same(load(table).matrix(), load(wide).matrix())


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from('ab,;\t"\n\r0.1e-_ '), max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_in_words(folder: Path, content: bytes) -> None:
    """No file raises anything but our own errors."""
    for name in ("any.csv", "any.tsv", "any.json"):
        path = folder / name
        path.write_bytes(content)
        with contextlib.suppress(TiebreakError):
            load(path)
