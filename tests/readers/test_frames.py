"""Data frames of pandas, polars and pyarrow, with the types that each has for numbers and words."""

from __future__ import annotations

import decimal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import LONG_FRAME, SCORE, WIDE_FRAME, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import InvalidScoresError, MissingDependencyError, UnreadableSourceError, UnsupportedSourceError

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

KINDS = {
    "pandas": lambda frame: frame,
    "pandas with categories": lambda frame: frame.astype(dict.fromkeys(set(frame) & {"model"}, "category")),
    "pandas with nullable types": lambda frame: frame.convert_dtypes(),
    "pandas with arrow types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pandas with objects": lambda frame: frame.astype(object),
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "polars with categories": lambda frame: pl.from_pandas(frame).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow with dictionaries": lambda frame: pa.Table.from_pandas(
        frame.astype(dict.fromkeys(set(frame) & {"model"}, "category"))
    ),
}


@pytest.mark.parametrize("frame", [WIDE_FRAME, LONG_FRAME], ids=["wide", "long"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_frames_of_all_kinds(kind: str, frame: pd.DataFrame) -> None:
    """Wide and long, the same numbers."""
    matrix = read(KINDS[kind](frame)).matrix()
    assert matrix.models == ("svm", "forest")
    assert_array_equal(matrix.score, SCORE)
    assert_array_equal(matrix.repeat, [0, 0, 1, 1])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.5, None, 1.0]),
        pd.Series([0.5, None, 1.0], dtype="Float64"),
        pd.Series([0.5, None, 1.0], dtype="double[pyarrow]"),
        pd.Series([0.5, None, 1], dtype=object),
        pd.Series([decimal.Decimal("0.5"), None, 1], dtype=object),
        pd.Series([0.5, pd.NA, True], dtype=object),
        pl.Series([0.5, None, 1.0]),
        pl.Series([decimal.Decimal("0.5"), None, decimal.Decimal(1)]),
        pl.Series([0.5, None, 1.0], dtype=pl.Float32),
        pa.array([0.5, None, 1.0]),
    ],
    ids=str,
)
def test_missing_scores_of_every_type(column: Any) -> None:
    """Are nan."""
    if isinstance(column, pl.Series):
        frame: Any = pl.DataFrame({"fold": [0, 1, 2], "svm": column})
    elif isinstance(column, pd.Series):
        frame = pd.DataFrame({"fold": [0, 1, 2], "svm": column})
    else:
        frame = pa.table({"fold": [0, 1, 2], "svm": column})
    assert_array_equal(read(frame).matrix().score, [[0.5, np.nan, 1.0]])


def test_bools_are_zero_and_one() -> None:
    """Right and wrong."""
    for frame in (pd.DataFrame({"fold": [0, 1], "svm": [True, False]}), pl.DataFrame({"fold": [0, 1], "svm": [True, False]})):
        assert_array_equal(read(frame).matrix().score, [[1, 0]])


def test_words_and_dates_as_splits() -> None:
    """In their natural order."""
    days = pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"])
    assert_array_equal(read(pd.DataFrame({"split": days, "svm": [0.3, 0.1, 0.2]})).matrix().score, [[0.1, 0.2, 0.3]])
    names = pl.DataFrame({"split": ["s10", "s9", "s8"], "svm": [0.3, 0.2, 0.1]})
    assert_array_equal(read(names).matrix().score, [[0.1, 0.2, 0.3]])


def test_index_that_names_splits_is_kept() -> None:
    """As a pivot leaves it."""
    pivoted = LONG_FRAME.pivot_table(index=["repeat", "fold"], columns="model", values="score")
    matrix = read(pivoted).matrix()
    assert matrix.models == ("forest", "svm")
    assert_array_equal(matrix.score, SCORE[::-1])
    assert codes(read(WIDE_FRAME.set_index(pd.Index(["a", "b", "c", "d"], name="fold")))) == []


def test_other_index_is_left_out() -> None:
    """Row numbers say nothing."""
    frame = WIDE_FRAME.drop(columns=["repeat", "fold"]).set_index(pd.Index([5, 6, 7, 8]))
    assert_array_equal(read(frame).matrix().score, SCORE)
    assert codes(read(frame)) == ["assumed-paired"]


def test_names_that_are_no_text() -> None:
    """As pandas numbers columns."""
    assert read(pd.DataFrame(SCORE.T)).models == ("0", "1")


def test_frame_is_not_changed() -> None:
    """Nor are arrays inside it shared with the scores."""
    frame = WIDE_FRAME.copy()
    scores = read(frame)
    scores.matrix().score[:] = 0
    pd.testing.assert_frame_equal(frame, WIDE_FRAME)


def test_results_of_a_search_as_a_frame(fit: Any) -> None:
    """pd.DataFrame(search.cv_results_), the usual way to look at them."""
    search = fit(cv=3)
    scores = read(pd.DataFrame(search.cv_results_), n_train=40, n_test=20)
    expected = read_scores(search.cv_results_, metric="accuracy", n_train=40, n_test=20)
    assert scores.models == expected.models == ("max_depth=1", "max_depth=2", "max_depth=3")
    assert_array_equal(scores.matrix().score, expected.matrix().score)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (
            pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]),
            (
                "the table has columns of the same name: Expected unique column names, got: - 'a' 2 times. Give each model a "
                "name of its own."
            ),
        ),
        (pd.DataFrame({1: [0.1], "1": [0.2]}), "the table has two columns called '1'. Give each model a name of its own."),
        (
            pd.DataFrame(np.zeros((2, 2)), columns=pd.MultiIndex.from_tuples([("a", "x"), ("b", "y")])),
            (
                "the table has columns with several levels, such as ('a', 'x'). Give each model one name, for example with "
                "frame.columns = ['/'.join(map(str, names)) for names in frame.columns]."
            ),
        ),
        (WIDE_FRAME.head(0), "the table has column names but no rows."),
        (
            pd.DataFrame(),
            "the table has no columns, so there are no scores in it.",
        ),
    ],
)
def test_unreadable_frames(frame: pd.DataFrame, text: str) -> None:
    """What is wrong and how to go on."""
    with pytest.raises(UnreadableSourceError) as caught:
        read(frame)
    assert str(caught.value) == text


def test_numbers_as_text() -> None:
    """A common slip of reading; they are not converted silently."""
    with pytest.raises(InvalidScoresError) as caught:
        read(pd.DataFrame({"fold": [0, 1], "svm": [0.5, "0.7"]}))
    assert str(caught.value) == (
        "the table, row 2, column 'svm': '0.7' is not a number. It is text: turn the column into numbers."
    )
    with pytest.raises(InvalidScoresError, match=r"^the table, row 1, column 'when': '2024-01-01 00:00:00' is not a number\."):
        read(pd.DataFrame({"fold": [0], "when": pd.to_datetime(["2024-01-01"])}))


def test_series_is_no_table() -> None:
    """It has no names for models."""
    for series in (pd.Series([0.1, 0.2]), pl.Series([0.1, 0.2])):
        with pytest.raises(UnsupportedSourceError, match=r"the source is of type 'Series', which cannot be read as scores"):
            read(series)


# --- Parquet ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scores.parquet", "scores.pq"])
def test_wide_and_long(name: str, tmp_path: Path) -> None:
    """As pandas writes them."""
    for frame in (WIDE_FRAME, LONG_FRAME):
        frame.to_parquet(tmp_path / name)
        assert_array_equal(read(tmp_path / name).matrix().score, SCORE)


def test_no_parquet(write: Write) -> None:
    """Only called so."""
    with pytest.raises(UnreadableSourceError, match=r"^scores\.parquet cannot be read as Parquet: "):
        read(write("svm,rf\n", "scores.parquet"))


def test_without_pyarrow(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError) as caught:
        read(write(b"PAR1", "scores.parquet"))
    assert str(caught.value) == "reading scores.parquet needs pyarrow: pip install 'pyarrow>=17'."


def test_a_date_that_python_cannot_hold_is_refused() -> None:
    """pyarrow and polars know years beyond 9999; polars raises what is no Exception at some of them."""
    import polars as pl

    for vast in (pl.Series([2**62, 1]).cast(pl.Datetime("ms")), pl.Series([2**30, 1], dtype=pl.Int32).cast(pl.Date)):
        with pytest.raises(InvalidScoresError, match="column 'a' of the table has a value that Python cannot hold"):
            read_scores(pl.DataFrame({"a": vast, "b": [0.1, 0.2]}), metric="accuracy")
    pa = pytest.importorskip("pyarrow")
    column = pa.array([2**62, 1], type=pa.timestamp("s"))
    with pytest.raises(InvalidScoresError, match="column 'a' of the table has a value that Python cannot hold"):
        read_scores(pa.table({"a": column, "b": [0.1, 0.2]}), metric="accuracy")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "dict"])
def test_names_of_32_bits_are_as_they_were_written(library: str) -> None:
    """A model called 0.1 is that of other sources, whose scores keep their bits; a missing key stays missing."""
    columns = {
        "model": np.array([0.1, 0.1, 3.0, 3.0], dtype=np.float32),
        "fold": np.array([0, 1, 0, 1], dtype=np.float32),
        "score": np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32),
    }
    made = {
        "pandas": pd.DataFrame,
        "polars": pytest.importorskip("polars").DataFrame,
        "pyarrow": pytest.importorskip("pyarrow").table,
        "dict": dict,
    }
    matrix = read_scores(made[library](columns), metric="accuracy").matrix()
    assert matrix.models == ("0.1", "3")
    assert matrix.fold.tolist() == [0, 1]
    assert matrix.score[0].tolist() == [float(np.float32(0.1)), float(np.float32(0.2))]


def test_gaps_beside_whole_numbers_beyond_floats() -> None:
    """As keys they are words, a gap none; as scores they are refused by their row."""
    import pandas as pd

    vast = pd.array([2**60, None, 2**60 + 1, 3], dtype="Int64")
    frame = pd.DataFrame({"a": vast, "b": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(InvalidScoresError, match=r"1152921504606846976 is larger than 2\*\*53"):
        read_scores(frame, metric="accuracy")
