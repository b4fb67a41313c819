"""Classes that are missing or rare, test sets that are small, and folds that are unlike the whole."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, LeaveOneOut, StratifiedKFold

import tiebreak as tb
from tests.audits.data import classes, codes, numbers, the


def test_unshuffled_folds_of_sorted_classes() -> None:
    """Each of three folds of 50 is a class: it is absent from training there, and the others from test."""
    X, y = classes(150, n_classes=3)
    order = np.argsort(y, kind="stable")
    audit = tb.audit(X[order], y[order], KFold(3))
    assert [(f.code, f.severity) for f in audit.findings] == [
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


def test_a_single_class_is_an_error() -> None:
    """`evaluate` refuses it; the audit says so and goes on."""
    X, _ = classes(100)
    assert [(f.code, f.severity) for f in tb.audit(X, np.ones(100, dtype=int), 5).findings] == [("one-class", "error")]


def test_stratified_folds_are_clean_and_leaving_one_out_misses_no_class() -> None:
    """One test row cannot be of all classes; that it is one is said once."""
    X, y = classes(150, n_classes=3)
    assert codes(X, y, "stratified") == []
    assert codes(X, y, LeaveOneOut()) == ["small-test-sets"]


def test_metrics_that_single_rows_do_not_define_are_an_error() -> None:
    """R2 needs two values, ROC AUC both classes; an error can be averaged over single rows."""
    assert the("metric-undefined", *numbers(50), LeaveOneOut(), metric="r2").text == (
        "r2 is undefined in all 50 splits: it needs at least 2 test examples, and there are 1."
    )
    assert the("metric-undefined", *classes(50), LeaveOneOut(), metric="roc_auc").severity == "error"
    assert codes(*numbers(50), LeaveOneOut(), metric="neg_mean_absolute_error") == ["small-test-sets"]


def test_metrics_that_rest_on_single_examples_are_a_warning() -> None:
    """Thirty positives in ten folds: three each."""
    X, _ = classes(300)
    y = (np.arange(300) % 10 == 0).astype(int)
    finding = the("small-test-sets", X, y, "stratified", metric=["accuracy", "f1"])
    assert finding.severity == "warning"
    assert finding.text.startswith("f1 rests on as few as 3 test examples of the rarest class in all 10 splits")
    assert codes(X, y, "stratified", metric="accuracy") == ["rare-class"]


def test_small_test_sets_are_a_note_where_no_metric_was_named() -> None:
    """Twenty folds of 60 have three rows."""
    finding = the("small-test-sets", *classes(60), {"kind": "stratified", "n_folds": 20})
    assert (finding.severity, finding.evidence.numbers) == ("note", {"n_test": 3.0})


def test_a_fold_of_half_the_data_widens_the_correction() -> None:
    """Folds of 100, 25, 25, 25, 25: mean ratio (1 + 4/7)/5 = 0.314 instead of 0.25; sqrt(0.514 / 0.45) = 1.069."""
    finding = the("unequal-sizes", *numbers(200), LeaveOneGroupOut(), groups=np.repeat(range(5), [100, 25, 25, 25, 25]))
    assert (finding.severity, finding.text.split(":")[0]) == ("warning", "Test sets have 25-100 examples, training sets 100-175")
    assert finding.evidence.numbers["ratio"] == pytest.approx((1 + 4 / 7) / 5)
    assert finding.evidence.numbers["equal_ratio"] == pytest.approx(0.25)
    assert finding.evidence.numbers["shift"] == pytest.approx(((0.2 + (1 + 4 / 7) / 5) / 0.45) ** 0.5 - 1)
    assert finding.evidence.splits == (0,)


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


def test_time_splits_may_drift() -> None:
    """What changes with time is a note there."""
    X, _ = numbers()
    audit = tb.audit(X, np.arange(200.0), "time")
    assert audit.worst == "note"
    assert "unrepresentative-folds" in [finding.code for finding in audit.findings]
