"""Test sets against the whole."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

import tiebreak as tb
from tests.audits.data import classes, codes, numbers, the


def test_unshuffled_folds_of_a_sorted_target_depart() -> None:
    """The first and the last fold most; the middle one has the median."""
    X, y = numbers()
    order = np.argsort(y)
    finding = the("unrepresentative-folds", X[order], y[order], KFold(5))
    assert finding.severity == "warning"
    assert finding.evidence.splits == (0, 1, 3, 4)


def test_classes_by_hand() -> None:
    """The first fold of four has all 50 of class 1 among 200: (150 choose 0) / (200 choose 50) and nothing more extreme."""
    X, _ = classes(200)
    y = np.zeros(200, dtype=int)
    y[:50] = 1
    finding = the("unrepresentative-folds", X, y, KFold(4))
    assert finding.text == (
        "Test rows differ from the whole by more than chance in all 4 splits: class 0 makes up 0% of repeat 0 fold 0, and 75% of "
        "all rows."
    )


@pytest.mark.parametrize("kind", ["kfold", "repeated-kfold", "holdout", "repeated-holdout"])
def test_shuffled_folds_are_clean_whatever_the_target(kind: str, rng: np.random.Generator) -> None:
    """Also with a heavy tail, of which one fold in ten has the largest value."""
    X, _ = numbers()
    for seed in range(10):
        assert codes(X, np.exp(2 * rng.normal(size=200)), kind, rng=seed) == []


def test_groups_that_differ_are_what_group_folds_are_for(rng: np.random.Generator) -> None:
    """Each of 40 groups has one class; by rows, folds of eight groups would depart."""
    groups = np.repeat(np.arange(40), 25)
    X, y = rng.normal(size=(1000, 3)), rng.integers(0, 2, 40)[groups]
    assert codes(X, y, GroupKFold(5, shuffle=True, random_state=0), groups=groups) == []


def test_groups_sorted_by_their_class_depart() -> None:
    """The first fold of group numbers has one class only."""
    groups = np.repeat(np.arange(80), 5)
    X, _ = classes(400)
    y = (groups >= 40).astype(int)
    folds = [(np.flatnonzero(groups // 20 != fold), np.flatnonzero(groups // 20 == fold)) for fold in range(4)]
    assert the("unrepresentative-folds", X, y, folds, groups=groups).severity == "warning"


def test_time_splits_may_drift() -> None:
    """What changes with time is a note there."""
    X, _ = numbers()
    audit = tb.audit(X, np.arange(200.0), "time")
    assert audit.worst == "note"
    assert "unrepresentative-folds" in [finding.code for finding in audit]
