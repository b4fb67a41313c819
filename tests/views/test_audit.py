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
