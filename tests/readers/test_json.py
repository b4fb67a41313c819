"""JSON: answers of tiebreak, and tables as records or columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import tiebreak as tb
from tests.readers.conftest import Write
from tests.readers.helpers import LONG_FRAME, SCORE, WIDE_FRAME, read
from tiebreak.errors import InvalidScoresError, UnreadableSourceError

# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [WIDE_FRAME, LONG_FRAME], ids=["wide", "long"])
@pytest.mark.parametrize("orient", ["records", "columns", "list"])
def test_tables(orient: Any, frame: pd.DataFrame, write: Write) -> None:
    """Records, columns as pandas writes them, and columns as lists."""
    text = json.dumps(frame.to_dict("list")) if orient == "list" else frame.to_json(orient=orient)
    assert_array_equal(read(write(text, "scores.json")).matrix().score, SCORE)


def test_byte_order_mark(write: Write) -> None:
    """As some editors write it."""
    assert read(write(b'\xef\xbb\xbf{"a": [0.1], "b": [0.2]}', "s.json")).models == ("a", "b")


def test_records_may_lack_a_score(write: Write) -> None:
    """It is then nan."""
    text = '[{"model": "a", "fold": 0, "score": 1}, {"model": "a", "fold": 1}, {"model": "b", "fold": 0, "score": true}]'
    assert_array_equal(read(write(text, "s.json")).matrix().score, [[1, np.nan], [1, np.nan]])


TABLE = (
    'A table is a list of records, [{"model": ..., "fold": ..., "score": ...}, ...], or a dict of columns, {"model": [...], '
    '"fold": [...], "score": [...]}.'
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"a": [1, 2', "s.json, line 1, column 12: Expecting ',' delimiter. Is the file complete?"),
        ('{"a":\n [1, x]}', "s.json, line 2, column 6: Expecting value. Is the file complete?"),
        ("", "s.json, line 1, column 1: Expecting value. Is the file complete?"),
        ("[" * 100_000, "s.json is nested too deeply to be a table of scores."),
        ("{}", f"s.json is neither an answer of tiebreak nor a table. {TABLE}"),
        ("3", f"s.json is neither an answer of tiebreak nor a table. {TABLE}"),
        ("[]", "s.json is an empty list, so there are no scores in it."),
        ("[1]", 's.json, row 1: a record such as {"model": ..., "fold": ..., "score": ...} is expected; got 1.'),
        ('{"a": 3}', "column 'a' of s.json must be a list; got 3."),
        ('{"a": [1], "b": [1, 2]}', "the columns of s.json differ in length: 'a' has 1 values, 'b' has 2."),
        (b'{"a": "\xe9"}', "s.json is not UTF-8 text (byte 7). Save it as UTF-8."),
    ],
)
def test_unreadable_files(content: str | bytes, text: str, write: Write) -> None:
    """Line and column where there are any."""
    with pytest.raises(UnreadableSourceError) as caught:
        read(write(content, "s.json"))
    assert str(caught.value) == text


def test_whole_number_of_thousands_of_digits(write: Write) -> None:
    """Python refuses to read it; the file is named."""
    with pytest.raises(UnreadableSourceError, match=r"^s\.json: Exceeds the limit"):
        read(write('{"a": [' + "9" * 5000 + "]}", "s.json"))


def test_cell_of_a_table_that_is_no_number(write: Write) -> None:
    """Row and column."""
    with pytest.raises(InvalidScoresError, match=r"^s\.json, row 2, column 'score': 'x' is not a number\.$"):
        read(write('[{"model": "a", "fold": 0, "score": 1}, {"model": "a", "fold": 1, "score": "x"}]', "s.json"))
    with pytest.raises(InvalidScoresError, match=r"^s\.json, row 1, column 'score': '\[1\]' is not a number\.$"):
        read(write('[{"model": "a", "fold": 0, "score": [1]}]', "s.json"))


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("door", [tb.compare, tb.read_items, tb.rate])
@pytest.mark.parametrize(
    ("record", "text"),
    [
        ('{"item": 1, "model": "a", "score": 1, "score": 0}', "the key 'score' stands twice in one object"),
        ('{"model_a": "x", "model_b": "y", "winner": "a", "winner": "b"}', "the key 'winner' stands twice in one object"),
        ('{"item": 1, "model": "a", "score": NaN}', "NaN is not JSON. Write null for a score that is undefined"),
    ],
)
def test_what_json_does_not_have_is_refused_at_every_door(
    ending: str, door: Callable[[Path], Any], record: str, text: str, tmp_path: Path
) -> None:
    """In the same words, whichever door: of two values of one key a parser keeps one in silence."""
    path = tmp_path / f"table.{ending}"
    path.write_text(f"[{record}]" if ending == "json" else f"{record}\n")
    with pytest.raises(UnreadableSourceError, match=text):
        door(path)
