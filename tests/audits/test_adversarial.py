"""Folds that a classifier recognises."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

from tests.audits.data import classes, codes, the

pytestmark = pytest.mark.slow


def test_clean_data_stay_clean() -> None:
    """Shuffled folds of random rows."""
    assert codes(*classes(200), {"kind": "stratified", "n_folds": 3}, deep=True) == []


def test_folds_of_rows_that_were_measured_differently_are_recognised(rng: np.random.Generator) -> None:
    """The second half comes from another instrument, one standard deviation off; y is in no order."""
    X, y = classes(300)
    X = X + (np.arange(300) >= 150)[:, None]
    finding = the("recognisable-folds", X, y, KFold(2), deep=True)
    assert finding.severity == "warning"
    assert finding.evidence.splits == (0, 1)
    assert finding.evidence.numbers["auc"] > 0.8


def test_groups_are_not_recognised_by_their_own_rows(rng: np.random.Generator) -> None:
    """Rows of a group are alike; the classifier sees none of the groups that it is asked about."""
    groups = np.repeat(np.arange(30), 10)
    X = rng.normal(size=(30, 4))[groups] + 0.1 * rng.normal(size=(300, 4))
    assert codes(X, rng.integers(0, 2, 300), GroupKFold(3, shuffle=True, random_state=0), groups=groups, deep=True) == []


def test_columns_without_anything_in_them_are_passed_over() -> None:
    """Constant and missing columns tell nothing apart."""
    X = np.column_stack([np.ones(120), np.full(120, np.nan)])
    assert codes(X, np.arange(120) % 2, {"kind": "stratified", "n_folds": 2}, deep=True) != ["recognisable-folds"]
