"""The pairs as CSV: the columns of the frame, and nothing that a spreadsheet would run."""

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tiebreak.views import columns
from tiebreak.views.columns import FORMULA_STARTS, csv_lines
from tiebreak.views.comparison_facts import pair_columns


def compared(*names: str, lacking: bool = False) -> tb.Comparison:
    """Models with noise between them; with `lacking`, the first two share one split only."""
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(0.8, 0.02, 10) - 0.05 * rank for rank, name in enumerate(names)}
    if lacking:
        scores[names[0]][1:5] = np.nan
        scores[names[1]][5:] = np.nan
    return tb.compare(scores, metric="accuracy", n_train=90, n_test=10, missing="pairwise")


def pairs_csv(comparison: tb.Comparison, *, raw: bool = False) -> str:
    """The whole table as one text."""
    return "".join(csv_lines(pair_columns(comparison), raw=raw))


def test_a_frame_is_written_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows, whether they fill the last block or not."""
    monkeypatch.setattr(columns, "BLOCK", 2)
    frame = pd.DataFrame({"name": ["=a", "b", "c"], 1: [0.5, float("nan"), 2.0]})
    assert list(csv_lines(frame)) == ["name,1\n", "'=a,0.5\n", "b,\n", "c,2.0\n"]
    assert list(csv_lines({"name": ["c"], "rows": [[1, 2]]})) == ["name,rows\n", 'c,"[1, 2]"\n']


def test_the_table_is_the_frame_of_pairs() -> None:
    """To the last digit, by way of pandas' own reader."""
    comparison = compared("a", "b, c", 'd "e"')
    read = pd.read_csv(io.StringIO(pairs_csv(comparison)), keep_default_na=False)
    expected = comparison.pairs
    assert list(read.columns) == list(expected.columns)
    for column in expected:
        assert read[column].tolist() == expected[column].tolist()


def test_what_is_undefined_is_an_empty_cell() -> None:
    """Never 0, and the reason stands beside it."""
    row = next(csv.DictReader(io.StringIO(pairs_csv(compared("a", "b", lacking=True)))))
    assert (row["pvalue"], row["statistic"], row["reason"]) == ("", "", "missing-splits")


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_formulas_are_disarmed(start: str) -> None:
    """A leading apostrophe makes a spreadsheet show the text instead of running it."""
    rows = list(csv.DictReader(io.StringIO(pairs_csv(compared(f"{start}HYPERLINK(1)", "plain")))))
    assert {row["first"] for row in rows} | {row["second"] for row in rows} == {f"'{start}HYPERLINK(1)", "plain"}


def test_raw_leaves_names_as_they_are() -> None:
    """For programs, which run no formulas."""
    rows = list(csv.DictReader(io.StringIO(pairs_csv(compared("=1+1", "plain"), raw=True))))
    assert {rows[0]["first"], rows[0]["second"]} == {"=1+1", "plain"}


def test_what_a_terminal_would_obey_is_an_escape() -> None:
    """A table is looked at, too; with raw names are what they are."""
    name = "a\x1b[31m\u202e\u200b\r\n\tb"
    assert {row["first"] for row in csv.DictReader(io.StringIO(pairs_csv(compared(name, "b"))))} <= {
        r"a\x1b[31m\u202e\u200b\r\n\tb",
        "b",
    }
    assert name in {row["first"] for row in csv.DictReader(io.StringIO(pairs_csv(compared(name, "b"), raw=True), newline=""))}


def test_negative_numbers_stay_numbers() -> None:
    """An apostrophe before them would make text of them."""
    row = next(csv.DictReader(io.StringIO(pairs_csv(compared("a", "b")))))
    assert math.isfinite(float(row["interval_low"]))
    assert not any(value.startswith("'") for value in row.values())
