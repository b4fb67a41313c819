"""Rows and groups on both sides of a split."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
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
    assert "duplicate-rows" not in codes(X, y, "stratified")
    assert the("duplicate-rows", np.vstack([X, X[:40]]), np.append(y, y[:40]), "stratified").severity == "error"


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


@pytest.mark.slow
def test_near_copies_are_found(rng: np.random.Generator) -> None:
    """A fifth of the rows again, with noise of 1 % of a standard deviation, beside a column of categories."""
    X, y = classes(200)
    X = np.vstack([X, X[:40] + rng.normal(0, 0.01, (40, 4))])
    site = np.array(["a", "b"])[(np.arange(240) < 120).astype(int)]
    site[200:] = site[:40]
    finding = the("near-duplicate-rows", pd.DataFrame(X).assign(site=site), np.append(y, y[:40]), "stratified", deep=True)
    assert finding.severity == "error"
    assert finding.evidence.numbers["n_rows"] > 60


@pytest.mark.slow
def test_rows_on_a_lattice_are_no_near_copies(rng: np.random.Generator) -> None:
    """Counts are either equal or a whole step apart."""
    X, y = rng.integers(0, 30, (300, 3)), rng.integers(0, 2, 300)
    assert "near-duplicate-rows" not in codes(X, y, {"kind": "stratified", "n_folds": 3}, deep=True)
