"""Training sizes: which, of which rows, and what is refused."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.plan.plan import Plan, make_plan
from tiebreak.studies.curves import with_sizes

N = 90
X = np.arange(2.0 * N).reshape(N, 2)
Y = np.repeat([0, 1, 2], [51, 36, 3])  # one class is rare
NUMBERS = np.arange(N) + 0.5
GROUPS = np.repeat(np.arange(18), 5)


def model(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """Never asked."""
    raise NotImplementedError


def whole(y: Any = Y, **arguments: Any) -> Plan:
    return make_plan([model], X, y, **{"cv": 3, **arguments})


def test_the_default_is_a_ladder_of_halves_down_to_a_sixteenth():
    """90 examples in 3 folds leave 60 for training; 60 / 8 = 7 is below the eight that the default wants."""
    plan, sizes = with_sizes(whole())
    assert sizes == (15, 30, 60)
    assert [each.data.name for each in plan.datasets] == [f"{size} training examples" for size in sizes]
    assert with_sizes(make_plan([model], np.zeros((1000, 1)), np.arange(1000) + 0.5, cv=5))[1] == (50, 100, 200, 400, 800)


def test_shares_and_numbers_are_both_sizes():
    """Of the 60; in ascending order, each once."""
    assert with_sizes(whole(), [1.0, 30, 0.5, 0.25, 7])[1] == (7, 15, 30, 60)
    assert with_sizes(whole(), np.array([0.1, 0.55]))[1] == (6, 33)


@pytest.mark.parametrize("arguments", [{}, {"groups": GROUPS, "y": Y % 2}, {"y": NUMBERS}, {"cv": "time", "y": NUMBERS}])
def test_training_rows_are_nested_and_test_rows_stay(arguments: dict[str, Any]):
    """Classes, groups, numbers and time alike; each size has as many rows as it says."""
    plan, sizes = with_sizes(whole(**arguments))
    for smaller, larger in pairwise(plan.datasets):
        for one, other in zip(smaller.splits, larger.splits, strict=True):
            assert set(one.train) <= set(other.train)
            assert np.array_equal(one.test, other.test)
    for size, each in zip(sizes, plan.datasets, strict=True):
        assert {split.train.size for split in each.splits} == {size}
        assert all(np.unique(split.train).size == size for split in each.splits)
        assert each.n_train.tolist() == [size] * len(each.splits)


def test_every_class_is_in_the_smallest_training_set_and_shares_are_kept():
    """Two of 60 are of the rare class; of 15, one is, and the others are in proportion to 34 and 24 of 58."""
    plan, _ = with_sizes(whole())
    for split in plan.datasets[0].splits:
        counts = np.bincount(Y[split.train])
        assert counts[2] == 1
        assert abs(counts[0] - 14 * 34 / 58) <= 1


def test_groups_come_one_after_the_other():
    """All groups of a size are whole but the last one; five rows each."""
    plan, _ = with_sizes(whole(y=NUMBERS, groups=GROUPS), [13, 30])
    for split in plan.datasets[0].splits:
        assert sorted(np.unique(GROUPS[split.train], return_counts=True)[1].tolist()) == [3, 5, 5]


def test_time_takes_the_most_recent_rows():
    """Nobody trains on a distant past with a gap before what is to be foretold."""
    plan, sizes = with_sizes(whole(cv={"kind": "time", "n_folds": 2}, y=NUMBERS), [10, 30])
    assert sizes == (10, 30)
    for split in plan.datasets[0].splits:
        assert split.train.tolist() == list(range(split.test[0] - 10, split.test[0]))


HOW = "Pass whole numbers from 1 to 60, or shares such as 0.5 of the 60 training examples that every split has."


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            [30, 61],
            f"sizes: 61 training examples are more than the 60 that every split has. {HOW} More folds make larger training sets.",
        ),
        ([1.5], f"sizes: 1.5 is no number or share of training examples. {HOW}"),
        ([0.0], f"sizes: 0.0 is no number or share of training examples. {HOW}"),
        ([float("nan")], f"sizes: nan is no number or share of training examples. {HOW}"),
        ([0], f"sizes: 0 is no number or share of training examples. {HOW}"),
        ([-3, 5], f"sizes: -3 is no number or share of training examples. {HOW}"),
        ([True], f"sizes: True is no number or share of training examples. {HOW}"),
        (["10"], f"sizes: '10' is no number or share of training examples. {HOW}"),
        ([], f"sizes must be a list of training sizes; got []. {HOW}"),
        ("10", f"sizes must be a list of training sizes; got '10'. {HOW}"),
    ],
)
def test_sizes_that_cannot_be_are_refused(sizes: Any, message: str):
    """The text says how many there are."""
    assert told(InvalidParameterError, lambda: with_sizes(whole(), sizes)) == message


def test_sizes_without_room_for_all_classes_are_refused():
    """Three classes do not fit into two rows."""
    message = (
        "sizes: with 2 training examples class 2 is absent from the training rows of repeat 0 fold 0, so no model could learn it "
        "there. Use larger sizes; there are 3 classes."
    )
    assert told(DataError, lambda: with_sizes(whole(), [2, 30])) == message
