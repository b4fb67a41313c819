"""Tables of items."""

from dataclasses import replace

import numpy as np
import pytest

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError, UnknownNameError
from tiebreak.scores.items import check_items

FRAME = {
    "item": ["q1", "q2", "q3", "q4"],
    "topic": ["maths", "maths", "law", "law"],
    "cluster": ["t1", "t1", "t2", "t3"],
    "a": [1, 0, 1, 1],
    "b": [0, 0, 1, 0],
}


def test_disagreements_are_the_items_that_one_model_gets() -> None:
    """q1 and q4 are right with the first model only; what else is known of them stands beside."""
    frame = tb.read_items(FRAME).disagreements("a", "b")
    assert frame["item"].tolist() == ["q1", "q4"]
    assert frame["topic"].tolist() == ["maths", "law"]
    assert frame["difference"].tolist() == [1.0, 1.0]
    assert frame.columns.tolist() == ["item", "cluster", "topic", "a", "b", "difference"]


def test_positive_differences_favour_the_first_whatever_the_direction() -> None:
    """Of a loss the model with the lower one is better."""
    losses = tb.read_items({"item": ["x", "y"], "a": [0.5, 0.3], "b": [0.2, 0.4]}, metric="log_loss")
    assert losses.disagreements("a", "b")["difference"].tolist() == pytest.approx([-0.3, 0.1])


def test_slices_keep_what_belongs_to_their_items() -> None:
    """Scores, clusters and further columns, in order of appearance."""
    slices = tb.read_items(FRAME).slices("topic")
    assert list(slices) == ["maths", "law"]
    assert slices["law"].items == ("q3", "q4")
    assert slices["law"].clusters == ("t2", "t3")
    assert slices["law"].score[:, 0].tolist() == [[1, 1], [1, 0]]


def test_five_hundred_values_are_no_slices() -> None:
    """A column that names each item would make a family of single items."""
    items = tb.read_items({"item": range(100), "text": [f"t{i}" for i in range(100)], "a": [0, 1] * 50, "b": [1, 1] * 50})
    with pytest.raises(InvalidParameterError, match="the column 'text' has 100 different values; slices are of 50 or fewer"):
        items.slices("text")
    assert "did you mean 'text'" in told(UnknownNameError, items.slices, "txt")


def test_a_table_survives_its_frame() -> None:
    """Written long and read again it is the same."""
    items = tb.read_items(FRAME)
    again = tb.read_items(items.to_frame())
    np.testing.assert_array_equal(again.score, items.score)
    assert (again.items, again.models, again.clusters, again.columns) == (
        items.items,
        items.models,
        items.clusters,
        items.columns,
    )


def test_missing_items_are_named() -> None:
    """How many, and which; pairwise they stay as nan, of whatever bits."""
    table = {**FRAME, "b": [0, None, None, 0]}
    assert "'b' lacks 2 of the 4 items: 'q2' and 'q3'. Pass missing='pairwise'" in told(DataError, tb.read_items, table)
    items = tb.read_items(table, missing="pairwise")
    same = replace(items, score=np.where(np.isnan(items.item_means())[:, None], -np.nan, items.score)).hash() == items.hash()
    assert (np.isnan(items.item_means()).sum(), same) == (2, True)
    assert "missing must be one of 'raise', 'pairwise'" in told(InvalidParameterError, items.complete, "drop")


def test_runs_are_averaged_for_each_item() -> None:
    """Unbalanced runs too: an item counts the same, whatever number of answers it has."""
    items = tb.read_items({"item": ["x", "x", "y"], "model": ["a"] * 3, "run": [1, 2, 1], "score": [1, 0, 1]})
    assert items.score.shape == (1, 2, 2)
    assert items.item_means().tolist() == [[0.5, 1.0]]
    assert repr(items) == "<Items of accuracy: 1 models, 2 items, 2 runs>"


def test_checks_of_a_table_say_what_was_met() -> None:
    """Infinite scores, and shares beyond 1."""
    items = tb.read_items({"item": ["x", "y"], "a": [0.5, 0.3], "b": [0.2, 0.4]}, metric="f1")
    items.score[1, 0, 1] = np.inf
    assert "the score of 'b' on item 'y' is infinite" in told(DataError, check_items, items)
    with pytest.raises(DataError, match=r"accuracy lies between 0 and 1 on each item; got 85. Divide per cent by 100"):
        tb.read_items({"item": ["x", "y"], "a": [85, 20], "b": [20, 40]}, metric="accuracy")


@pytest.mark.parametrize(
    ("n_classes", "metric", "expected"), [(2, "f1_weighted", 3), (3, "f1_weighted", None), (3, "f1_macro", 2)]
)
def test_the_rarest_class_counts_where_it_has_a_weight_of_its_own(n_classes: int, metric: str, expected: int | None) -> None:
    """Of 12 items the last six go through the classes: 3 of the second of two, 2 of the rarer of three; by size none matters."""
    y = np.where(np.arange(12) < 6, 0, np.arange(12) % n_classes)
    assert tb.read_predictions(y, {"a": y, "b": y[::-1]}, metric=metric).n_rarest == expected
