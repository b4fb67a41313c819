"""Single columns that give the target away."""

import numpy as np
import pandas as pd

from tests.audits.data import classes, codes, numbers, the


def test_a_copy_of_the_classes_is_found_whatever_its_code() -> None:
    """Numbers in no order, or texts."""
    X, y = classes(300, n_classes=3)
    for leak in (np.array([5.0, -1.0, 2.0])[y], pd.Categorical(np.array(["x", "y", "z"])[y])):
        finding = the("leaking-column", pd.DataFrame(X).assign(outcome=leak), y, "stratified")
        assert (finding.severity, finding.evidence.columns) == ("error", ("outcome",))
        assert finding.text == "Column 'outcome' alone explains all of the errors of guessing."


def test_a_value_that_is_missing_where_the_class_is_one_is_found(rng: np.random.Generator) -> None:
    """The date of a cancellation, for those who cancelled."""
    X, y = classes(300)
    cancelled = np.where(y == 1, rng.random(300), np.nan)
    assert the("leaking-column", np.column_stack([X, cancelled]), y, "stratified").evidence.columns == ("column 4",)


def test_a_row_number_in_sorted_data_is_found() -> None:
    """A shuffled fold has neighbours of every number in training; at each of the two borders up to eight rows are in doubt."""
    X, y = classes(600, n_classes=3)
    order = np.argsort(y, kind="stable")
    assert the("leaking-column", np.column_stack([np.arange(600), X[order]]), y[order], "stratified").severity != "note"


def test_a_monotone_function_of_a_regressions_target_is_found() -> None:
    """In another unit and bent; with a tenth of noise it is a warning."""
    X, y = numbers(400)
    noisy = y + np.random.default_rng(1).normal(0, 0.05 * y.std(), 400)
    assert the("leaking-column", np.column_stack([X, np.exp(-y)]), y, "kfold").severity == "error"
    assert the("leaking-column", np.column_stack([X, noisy]), y, "kfold").severity == "warning"


def test_a_rare_class_is_not_explained_by_guessing_the_frequent_one(rng: np.random.Generator) -> None:
    """One in fifty: always saying no is right in 98 %, and no skill."""
    y = (np.arange(1000) % 50 == 0).astype(int)
    assert "leaking-column" not in codes(rng.normal(size=(1000, 5)), y, "stratified")


def test_identifiers_of_each_row_are_no_leak() -> None:
    """A category of its own for each row says nothing of the others."""
    X, y = classes(300)
    assert codes(pd.DataFrame(X).assign(id=[f"row {i}" for i in range(300)]), y, "stratified") == []
