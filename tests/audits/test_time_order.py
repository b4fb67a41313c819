"""Splits against time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, TimeSeriesSplit

from tests.audits.data import codes, numbers, the

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


def test_times_that_are_all_the_same_are_noted() -> None:
    """They order nothing."""
    X, y = numbers()
    assert codes(X, y, KFold(5, shuffle=True, random_state=0), time=np.zeros(200)) == ["constant-time"]
