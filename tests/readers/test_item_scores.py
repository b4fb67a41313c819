"""Scores of single items from tables: joined on their names, of one row for each score or a column for each model."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tiebreak.errors import (
    DataError,
    TiebreakError,
)

WIDE = pd.DataFrame({"question": ["q1", "q2", "q3"], "topic": ["x", "y", "x"], "a": [1, 0, 1], "b": [0, 0, 1]})
LONG = WIDE.melt(id_vars=["question", "topic"], value_vars=["a", "b"], var_name="model", value_name="correct")


@pytest.mark.parametrize("table", [WIDE, LONG, LONG[["correct", "topic", "model", "question"]]], ids=["wide", "long", "turned"])
def test_every_shape_holds_the_same_items(table: pd.DataFrame) -> None:
    """Texts of the items are slices; answers may be written as words."""
    for held in (table, table.replace({"correct": {1: "yes", 0: "No"}}), table.to_dict("records")):
        items = tb.read_items(held)
        assert items.metric == tb.Metric("accuracy", higher_is_better=True)
        assert (items.models, items.items, items.unit) == (("a", "b"), ("q1", "q2", "q3"), "question")
        assert items.score[:, 0].tolist() == [[1, 0, 1], [0, 0, 1]]
        assert items.columns == {"topic": ("x", "y", "x")}


def test_sources_by_model_are_joined_on_their_items() -> None:
    """Their rows may stand in any order, and 1.0, as pandas makes of a column with a gap, is 1."""
    one = pd.DataFrame({"item": [1, 2, 3], "score": [1, 0, 1]})
    other = pd.DataFrame({"item": [3.0, 1.0, 2.0], "score": [1, 0, 0]})
    items = tb.read_items({"a": one, "b": other})
    assert (items.models, items.items, items.score[:, 0].tolist()) == (("a", "b"), ("1", "2", "3"), [[1, 0, 1], [0, 0, 1]])
    with pytest.raises(DataError, match=r"'b' lacks 1 of the 3 items: '2'"):
        tb.read_items({"a": one, "b": other.iloc[:2]})


@pytest.mark.parametrize("column", ["epoch", "attempt", "Sample", "trial"])
def test_answers_that_stand_several_times(column: str) -> None:
    """Epochs lie within items and are averaged, runs cross them and stay apart; without either they are doubled."""
    table = pd.DataFrame({"item": [1, 1, 2, 1, 2], "model": [*"aaabb"], column: [1, 2, 1, 1, 1], "correct": [1, 0, 1, 1, 0]})
    items = tb.read_items(table)
    if column == "trial":
        np.testing.assert_array_equal(items.score[0], [[1, 1], [0, np.nan]])
    else:
        assert items.score[:, 0].tolist() == [[0.5, 1.0], [1.0, 0.0]]
        assert items.sources == ("1 to 2 epochs of each item are averaged: answers to one item are no further items",)
    with pytest.raises(
        DataError, match=r"model 'a' has two scores for item '1' \(row 1 and row 2; .*number them in a column 'epoch'"
    ):
        tb.read_items(table.drop(columns=column))


@pytest.mark.parametrize(
    ("table", "items"),
    [
        ({"svm": [1, 0, 1], "rf": [1, 1, 0]}, ("1", "2", "3")),
        ({"split": [5, 6, 7], "svm": [1, 0, 1], "rf": [1, 1, 0]}, ("5", "6", "7")),
        ({"fold": [0, 0, 1], "svm": [1, 0, 1], "rf": [1, 1, 0], "n_test": [20, 20, 20]}, ("1", "2", "3")),
        ({"model": ["svm", "rf"] * 3, "score": [1, 1, 0, 1, 1, 0]}, ("1", "2", "3")),
        ({"task": ["x", "x", "y"], "svm": [1, 0, 1], "rf": [1, 1, 0]}, ("x/1", "x/2", "y/1")),
    ],
)
def test_rows_are_items_where_it_is_said(table: dict[str, Any], items: tuple[str, ...]) -> None:
    """By a column that numbers them, or their order; sizes of splits are no models."""
    read = tb.read_items(table, rows="items")
    assert (read.models, read.items) == (("svm", "rf"), items)
    assert read.score[:, 0].tolist() == [[1, 0, 1], [1, 1, 0]]
    seeds = tb.read_items({"seed": [0, 0, 1, 1], "a": [1, 0, 1, 1]}, rows="items")
    assert seeds.score.tolist() == [[[1, 0], [1, 1]]]


def test_any_column_may_name_the_items() -> None:
    """By option; where the first one is doubled, another is told."""
    renamed = WIDE.rename(columns={"question": "frage"})
    for said in ({"item": "frage"}, {"columns": {"item": "frage"}}):
        assert tb.read_items(renamed, **said).items == ("q1", "q2", "q3")
    with pytest.raises(TiebreakError, match="'frage' and 'topic' hold no scores of a model"):
        tb.read_items(renamed)
    table = {"prompt": ["x", "x"], "id": [1, 2], "a": [1, 0], "b": [0, 1]}
    with pytest.raises(DataError, match="The rows differ in 'id': 1, 2"):
        tb.read_items(table)
    assert tb.read_items(table, item="id").items == ("1", "2")


@pytest.mark.parametrize("second", ["question_id", "id", "Index"])
def test_a_second_number_of_the_items_is_no_model(second: str) -> None:
    """Beside their names it is a text of theirs."""
    assert tb.read_items(WIDE.assign(**{second: [3, 4, 5]})).models == ("a", "b")


def test_clusters_weights_and_tasks_belong_to_items() -> None:
    """One for each; lists beside them, which are none, are passed by."""
    frame = LONG.assign(cluster=["t1", "t2", "t1"] * 2, weight=[1, 2, 1] * 2, task=["m", "n", "n"] * 2)
    items = tb.read_items(frame)
    assert (items.clusters, items.weights.tolist(), items.items) == (("t1", "t2", "t1"), [1, 2, 1], ("m/q1", "n/q2", "n/q3"))
    assert tb.read_items(frame.drop(columns="cluster"), cluster="topic").clusters == ("x", "y", "x")
    assert tb.read_items([{**row, "tags": ["x"]} for row in LONG.to_dict("records")]).models == ("a", "b")


def test_sizes_of_splits_in_a_table_of_items() -> None:
    """No models called n_train and n_test; repeats are runs."""
    table = {"repeat": [0, 0, 1, 1], "item": [0, 1] * 2, "n_train": 90, "n_test": 10, "a": [0, 1, 0, 0]}
    items = tb.read_items(pd.DataFrame(table))
    assert (items.models, items.runs, items.score.tolist()) == (("a",), ("0", "1"), [[[0, 1], [0, 0]]])
