"""Classes that are missing from a fold, or rare in it."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold

import tiebreak as tb
from tests.audits.data import classes, codes, found, the


def test_unshuffled_folds_of_sorted_classes() -> None:
    """Each of three folds of 50 is a class: it is absent from training there, and the others from test."""
    X, y = classes(150, n_classes=3)
    order = np.argsort(y, kind="stable")
    audit = tb.audit(X[order], y[order], KFold(3))
    assert [(f.code, f.severity) for f in audit] == [
        ("class-missing-in-training", "error"),
        ("class-missing-in-test", "warning"),
        ("unrepresentative-folds", "warning"),
    ]
    assert audit.findings[0].text == (
        "3 classes (0, 1, 2) are absent from the training rows in all 3 splits, so no model can learn it there."
    )
    assert audit.findings[0].evidence.splits == (0, 1, 2)


def test_a_class_that_chance_leaves_out_of_a_test_set_is_a_note() -> None:
    """Four of 100 examples in five folds of 20: expected are 0.8 in each."""
    X, _ = classes(100)
    y = np.zeros(100, dtype=int)
    y[[1, 2, 50, 70]] = 1  # rows 20 to 39 and 80 to 99 have none
    finding = the("class-missing-in-test", X, y, KFold(5))
    assert (finding.severity, finding.evidence.splits) == ("note", (1, 4))


def test_two_training_examples_of_a_class_are_too_few() -> None:
    """Three in all, of which each of three folds holds out one."""
    X, _ = classes(90)
    y = np.where(np.arange(90) < 3, "rare", "usual")
    finding = the("rare-class", X, y, StratifiedKFold(3))
    assert finding.severity == "warning"
    assert finding.text == (
        "Class 'rare' has 2 examples in the smallest training set and 1 in the usual test set: too few to be learnt."
    )
    assert finding.evidence.rows == (0, 1, 2)


def test_few_test_examples_of_a_class_are_a_note() -> None:
    """Twenty in all, two in each test set of 20."""
    X, _ = classes(200)
    assert the("rare-class", X, (np.arange(200) < 20).astype(int), StratifiedKFold(10)).severity == "note"


def test_a_single_class_is_an_error() -> None:
    """`evaluate` refuses it; the audit says so and goes on."""
    X, _ = classes(100)
    assert [(f.code, f.severity) for f in tb.audit(X, np.ones(100, dtype=int), 5)] == [("one-class", "error")]


def test_stratified_folds_are_clean_and_leaving_one_out_misses_no_class() -> None:
    """One test row cannot be of all classes; that it is one is said once."""
    X, y = classes(150, n_classes=3)
    assert codes(X, y, "stratified") == []
    assert codes(X, y, LeaveOneOut()) == ["small-test-sets"]


def test_regressions_have_no_classes_to_check() -> None:
    """And the audit says so."""
    X, y = classes(100)
    audit = tb.audit(X, y + 0.5, KFold(5))
    assert found("rare-class", audit) is None
    assert next(each.why_not for each in audit.checks if each.what == "classes in every fold") == (
        "the target is not one class for each row"
    )
