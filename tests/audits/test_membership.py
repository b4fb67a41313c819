"""Rows and groups on both sides of a split."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold

from tests.audits.data import classes, codes, the


def test_rows_that_stand_on_both_sides_are_an_error() -> None:
    """Three rows of the second split by hand; `evaluate` would refuse these splits."""
    X, y = classes(100)
    pairs = [(np.arange(50), np.arange(50, 100)), (np.arange(53), np.arange(50, 100))]
    finding = the("overlapping-rows", X, y, pairs)
    assert finding.severity == "error"
    assert finding.evidence.rows == (50, 51, 52)
    assert finding.evidence.splits == (1,)
    assert finding.text == (
        "3 test rows of 50 also stand in training in 1 of 2 splits, by their row numbers: models are tested on what they were "
        "trained on."
    )


def test_overlap_is_not_told_a_second_time_as_duplicates() -> None:
    """A row is equal to itself."""
    X, y = classes(100)
    assert "duplicate-rows" not in codes(X, y, [(np.arange(60), np.arange(50, 100))])


def test_a_row_that_is_tested_twice_is_an_error() -> None:
    """It would count twice."""
    X, y = classes(100)
    finding = the("repeated-test-rows", X, y, [(np.arange(50), np.append(np.arange(50, 100), [99, 99]))])
    assert (finding.severity, finding.evidence.rows) == ("error", (99,))


def test_a_group_on_both_sides_is_an_error_that_names_it() -> None:
    """Rows 48 to 51, of which either fold of two has half."""
    X, y = classes(100)
    groups = np.repeat(np.array([f"p{i:02d}" for i in range(25)], dtype=object), 4)
    groups[48:52] = "torn"
    finding = the("group-on-both-sides", X, y, KFold(2), groups=groups)
    assert finding.severity == "error"
    assert finding.evidence.rows == (48, 49, 50, 51)
    assert finding.evidence.numbers == {"n_groups": 1.0, "n_rows": 4.0, "share": 0.04}
    assert finding.text.startswith("1 group of 25 ('torn') stand on both sides of a split in all 2 splits; 4 of 100 test rows")


def test_whole_groups_and_plain_folds_are_clean() -> None:
    """With splits that keep groups together, and without groups."""
    X, y = classes()
    assert codes(X, y, "stratified-group", groups=np.arange(200) // 5) == []
    assert codes(X, y, "stratified") == []
