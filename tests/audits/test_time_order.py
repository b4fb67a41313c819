"""Splits against time."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit

import tiebreak as tb
from tests.audits.data import codes, numbers, the
from tests.guarded import told
from tiebreak.audits.folds import time_ranks
from tiebreak.errors import DataError
from tiebreak.plan.data import check_dataset

DAYS = pd.date_range("2024-01-01", periods=200)


def test_blocks_of_rows_train_on_the_future_and_shuffled_ones_ignore_time_too() -> None:
    """Unshuffled folds leave later rows in training; only shuffling tears neighbours in time apart."""
    X, y = numbers()
    assert codes(X, y, KFold(5), time=DAYS) == ["future-in-training"]
    assert codes(X, y, KFold(5, shuffle=True, random_state=0), time=DAYS) == ["future-in-training", "folds-ignore-time"]


def test_the_future_is_counted_by_hand() -> None:
    """Row 3 is tested and rows 4 and 5 are in training; a tie (row 2, at the same time as row 3) is no future."""
    X, y = numbers(6)
    finding = the("future-in-training", X, y, [([0, 1, 2, 4, 5], [3])], time=[1, 2, 3, 3, 4, 5])
    assert finding.severity == "error"
    assert finding.evidence.rows == (4, 5)
    assert finding.text == (
        "In the one split models are trained on what came later than test rows: 2 of 5 training rows (40%). In real use the "
        "future is not known."
    )


def test_time_splits_of_rows_in_order_are_clean() -> None:
    """Training always before test, gap included; training sets that grow are noted."""
    X, y = numbers()
    assert codes(X, y, "time", time=DAYS) == ["unequal-sizes"]
    assert codes(X, y, TimeSeriesSplit(4, gap=3, max_train_size=40), time=DAYS) == []


def test_time_splits_of_rows_out_of_order_are_told_to_sort() -> None:
    """They go by the order of rows."""
    X, y = numbers()
    finding = the("future-in-training", X, y, "time", time=np.random.default_rng(0).permutation(200))
    assert finding.advice.endswith("Sort the rows by time first: such splits go by the order of rows.")


def test_times_that_are_all_the_same_are_no_time() -> None:
    """They order nothing, and the checks that need them say why they were not done."""
    X, y = numbers()
    audit = tb.audit(X, y, KFold(5, shuffle=True, random_state=0), time=np.full(200, 7.0))
    assert [check.what for check in audit.checks if check.why_not == "all rows have the same time"] == [
        "training on the future",
        "folds against time",
    ]
    assert not audit.findings


THREE = check_dataset(np.arange(3.0).reshape(3, 1), [0, 1, 0])
HOW = "Pass numbers, dates, or texts such as '2024-03-01' or '2024-03-01T12:00', one for each row."
PANDAS = "pandas.to_datetime(..., format=...) reads other ways to write dates."
THREE_DAYS = ["2024-03-01", "2024-01-05", "2024-03-01"]


@pytest.mark.parametrize(
    "time",
    [
        [7, 3, 7],
        [0.5, -1.0, 0.5],
        THREE_DAYS,
        np.array(THREE_DAYS, dtype="datetime64[D]"),
        pd.Series(pd.to_datetime(THREE_DAYS)),
        pd.Series(pd.to_datetime(THREE_DAYS)).dt.tz_localize("Europe/Berlin"),
        pd.Series(pd.PeriodIndex(THREE_DAYS, freq="M")),
        pl.Series(THREE_DAYS).str.to_date(),
        pl.Series(THREE_DAYS),
        [dt.date(2024, 3, 1), dt.date(2024, 1, 5), dt.date(2024, 3, 1)],
        [dt.timedelta(3), dt.timedelta(1), dt.timedelta(3)],
        [Decimal("2.5"), Decimal(1), Decimal("2.5")],
    ],
    ids=lambda time: type(time).__name__,
)
def test_ranks(time: Any) -> None:
    """The second is the earliest, the others tie."""
    assert time_ranks(time, THREE).tolist() == [1, 0, 1]


def test_texts_of_different_time_zones_are_compared_as_instants() -> None:
    """Noon in UTC+2 is before 11:00 in UTC."""
    assert time_ranks(["2024-01-01T11:00Z", "2024-01-01T12:00+02:00", "2024-01-01T11:00Z"], THREE).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ([1, 2], f"X has 3 rows, but time has 2. {HOW}"),
        ([[1], [2], [3]], "time has shape (3, 1); one value for each example is needed."),
        ([1.0, np.nan, 2.0], "time is nan in row 1. Leave out examples whose time is not known."),
        (["2024-01-01", None, None], "time is None in row 1. Leave out examples whose time is not known."),
        (
            ["31/12/2024", "2024-01-01", "2024-01-02"],
            f"time cannot be sorted: '31/12/2024' in row 0 is text that is no date in ISO 8601. {HOW} {PANDAS}",
        ),
        (
            np.array(["2024-01-01", 5, 6], dtype=object),
            f"time cannot be sorted: it holds int and str ('<' not supported between instances of 'int' and 'str'). {HOW}",
        ),
    ],
)
def test_what_cannot_be_sorted_is_refused(time: Any, message: str) -> None:
    """The text names the row, the value and the way out."""
    assert told(DataError, time_ranks, time, THREE) == message


def test_dates_with_and_without_a_time_zone_do_not_mix() -> None:
    """Python refuses to compare them, and so does the audit."""
    aware = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    naive = aware.replace(tzinfo=None)
    with pytest.raises(DataError, match=r"time cannot be sorted: it holds datetime \(can't compare offset-naive"):
        time_ranks(np.array([naive, aware, naive], dtype=object), THREE)
