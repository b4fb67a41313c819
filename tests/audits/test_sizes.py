"""Sizes of test sets against the metric, and of folds against each other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut, LeaveOneOut

import tiebreak as tb
from tests.audits.data import classes, codes, numbers, the
from tiebreak.errors import UnknownNameError


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


def test_a_metric_that_is_not_there_is_refused() -> None:
    """With the nearest names."""
    with pytest.raises(UnknownNameError, match="'roc_auc'"):
        tb.audit(*classes(60), 5, metric="roc_acu")


def test_a_fold_of_half_the_data_widens_the_correction() -> None:
    """Folds of 100, 25, 25, 25, 25: mean ratio (1 + 4/7)/5 = 0.314 instead of 0.25; sqrt(0.514 / 0.45) = 1.069."""
    finding = the("unequal-sizes", *numbers(200), LeaveOneGroupOut(), groups=np.repeat(range(5), [100, 25, 25, 25, 25]))
    assert finding.severity == "warning"
    assert finding.evidence.numbers["ratio"] == pytest.approx((1 + 4 / 7) / 5)
    assert finding.evidence.numbers["equal_ratio"] == pytest.approx(0.25)
    assert finding.evidence.numbers["shift"] == pytest.approx(((0.2 + (1 + 4 / 7) / 5) / 0.45) ** 0.5 - 1)
    assert finding.evidence.splits == (0,)


def test_folds_of_almost_equal_size_are_clean() -> None:
    """203 rows in ten folds: 20 or 21."""
    assert codes(*classes(203), "stratified") == []
