"""An audit in words, as a table and as JSON."""

import json

import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold

import tiebreak as tb
from tests.audits.data import classes


@pytest.fixture(scope="module")
def sorted_iris() -> tb.Audit:
    """One class in each of three folds."""
    return tb.audit(*load_iris(return_X_y=True), KFold(3))


CLEAN = """\
Nothing was found that speaks against these splits.
Data: 200 rows, 4 columns, classification with 2 classes; 10 splits (stratified) of 180 training and
20 test rows.

Looked at without a finding: rows on both sides, equal rows on both sides, classes in every fold,
test sets large enough, folds of equal size, folds like the whole, single columns that tell the
target.
Not looked at, as no groups were given: groups on both sides.
Not looked at, as no time was given: training on the future, folds against time.
Looked at only with deep=True (--deep): near copies on both sides.
"""


def test_a_clean_audit_says_what_was_looked_at_and_what_was_not() -> None:
    """The whole text."""
    audit = tb.audit(*classes(), "stratified")
    assert " ".join(audit.to_text().split()) == " ".join(CLEAN.split())


def test_findings_have_severity_code_text_and_advice(sorted_iris: tb.Audit) -> None:
    """The first one, whole."""
    text = str(sorted_iris)
    assert text.startswith("The audit has 1 error and 2 warnings.\nData: 150 rows, 4 columns, classification with 3 classes;")
    assert (
        "✗ error class-missing-in-training "
        "3 classes (0, 1, 2) are absent from the training rows in all 3 splits, so no model can learn it there. "
        '→ Use stratified splits (cv="stratified"), fewer folds, or leave rare classes out. tb.evaluate refuses such splits.'
    ) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_the_frame_has_a_row_for_each_finding(sorted_iris: tb.Audit) -> None:
    """And the same columns where there are none."""
    frame = sorted_iris.to_frame()
    columns = ["code", "severity", "text", "advice", "splits", "rows", "columns", "numbers"]
    assert list(frame.columns) == columns
    assert frame["splits"].tolist() == [[0, 1, 2]] * 3
    assert list(tb.audit(*classes(), "stratified").to_frame().columns) == columns


def test_json_holds_findings_checks_and_splits(sorted_iris: tb.Audit, tmp_path) -> None:
    """Schema 1, also as a file; counts of each class in each test set, and in all rows at the end."""
    document = json.loads(sorted_iris.to_json(tmp_path / "audit.json"))
    assert json.loads((tmp_path / "audit.json").read_text()) == document == sorted_iris.to_dict()
    assert (document["schema"], document["worst"], len(document["findings"])) == (1, "error", 3)
    assert document["findings"][0]["numbers"] == {"n_classes": 3.0, "n_splits": 3.0}
    assert document["splits"]["counts"] == [[50, 0, 0], [0, 50, 0], [0, 0, 50], [50, 50, 50]]
