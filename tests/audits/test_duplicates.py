"""Equal rows on both sides: copies are told from rows that coincide by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

import tiebreak as tb
from tests.audits.data import classes, codes, found, the
from tiebreak.audits.duplicates import expected_pairs
from tiebreak.audits.material import Columns


@pytest.mark.parametrize(("share", "severity"), [(0.02, "warning"), (0.2, "error")])
def test_copies_are_found_and_weighed_by_their_share(share: float, severity: str) -> None:
    """Of 200 rows so many are there twice; a tenth of the test rows makes it an error."""
    X, y = classes(200)
    n = int(200 * share) + 2
    finding = the("duplicate-rows", np.vstack([X, X[:n]]), np.append(y, y[:n]), "stratified")
    assert finding.severity == severity
    assert finding.evidence.numbers["n_pairs"] == n
    assert finding.evidence.numbers["n_same_target"] == finding.evidence.numbers["n_rows"]


def test_two_test_rows_by_hand() -> None:
    """Rows 0 and 3 are equal, and so are 1 and 4 but for their target; each fold has one of each pair."""
    X = np.array([[1.0, 2.5], [3.0, 4.5], [5.0, 6.5], [1.0, 2.5], [3.0, 4.5], [7.0, 8.5]])
    y = np.array([0, 1, 0, 0, 0, 1])
    finding = the("duplicate-rows", X, y, [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])])
    assert finding.severity == "note"
    assert finding.evidence.rows == (0, 1, 3, 4)
    assert finding.text == (
        "4 test rows of 6 (67%) have an equal row in training in all 2 splits, 2 of them with the same target. Too few to matter."
    )


@pytest.mark.parametrize("kind", ["integers", "binary", "one-hot"])
def test_coincidences_among_discrete_columns_are_a_note(kind: str, rng: np.random.Generator) -> None:
    """Independent draws coincide often where there are few different rows."""
    n = 400
    tables = {
        "integers": rng.integers(0, 3, (n, 4)),
        "binary": (rng.random((n, 6)) < [0.1, 0.3, 0.5, 0.5, 0.7, 0.9]).astype(int),
        "one-hot": np.hstack([np.eye(4)[rng.integers(0, 4, n)], np.eye(3)[rng.integers(0, 3, n)]]),
    }
    finding = the("duplicate-rows", tables[kind], rng.integers(0, 2, n), "stratified")
    assert finding.severity == "note"
    assert finding.text.endswith("About as many as chance makes among these columns.")


def test_copies_are_found_among_discrete_columns_where_chance_makes_few(rng: np.random.Generator) -> None:
    """Ten columns of five values: 9.8 million different rows, of which 300 draws hardly repeat one."""
    X, y = rng.integers(0, 5, (300, 10)), rng.integers(0, 2, 300)
    assert found("duplicate-rows", tb.audit(X, y, "stratified")) is None
    assert the("duplicate-rows", np.vstack([X, X[:40]]), np.append(y, y[:40]), "stratified").severity == "error"


def test_the_expectation_is_near_what_independent_columns_make(rng: np.random.Generator) -> None:
    """Three uniform columns of four values: pairs x (1/4)^3; dependence is what BEYOND_CHANCE allows for."""
    X = rng.integers(0, 4, (500, 3)).astype(float)
    columns = Columns.of(X)
    expected = expected_pairs(columns, columns.row_hashes(), rng)
    assert 500 * 499 / 2 / 64 * 0.8 < expected < 500 * 499 / 2 / 64 * 1.5


def test_the_duplicate_of_iris_is_a_note() -> None:
    """Rows 101 and 142 are equal."""
    X, y = load_iris(return_X_y=True)
    finding = the("duplicate-rows", X, y, "stratified", rng=1)
    assert (finding.severity, finding.evidence.rows) == ("note", (101, 142))


@pytest.mark.parametrize("kind", ["sparse", "pandas", "text", "missing"])
def test_copies_are_found_in_every_kind_of_table(kind: str, rng: np.random.Generator) -> None:
    """The first 30 of 150 rows are there twice."""
    X, y = classes(150)
    rows = np.append(np.arange(150), np.arange(30))
    if kind == "sparse":
        table = sparse.random(150, 300, density=0.05, random_state=0, format="csr")[rows]
    elif kind == "pandas":
        table = pd.DataFrame(X).assign(site=rng.choice(["a", "b", None], 150)).iloc[rows]
    elif kind == "text":
        table = np.array([f"this is the {i}th of many letters that were written" for i in range(150)])[rows]
    else:
        table = np.where(rng.random(X.shape) < 0.2, np.nan, X)[rows]
    assert the("duplicate-rows", table, y[rows], "stratified").severity == "error"


def test_clean_rows_of_numbers_have_no_duplicates() -> None:
    """Continuous columns do not coincide."""
    assert "duplicate-rows" not in codes(*classes(), "stratified")
