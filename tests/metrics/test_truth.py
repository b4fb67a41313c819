"""The target, encoded once and cut into splits."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tiebreak.errors import InvalidPlanError
from tiebreak.metrics.scorers import make_truth


def test_labels_keep_their_classes_in_every_split() -> None:
    """A split that lacks a class still counts it, as 0."""
    truth = make_truth(["b", "a", "c", "a"], classifier=True)
    assert truth.classes is not None
    assert truth.classes.tolist() == ["a", "b", "c"]
    assert_array_equal(truth.code, [1, 0, 2, 0])
    part = truth.take(np.array([3, 0, 1]))
    assert part.classes is truth.classes
    assert_array_equal(part.code, [0, 1, 0])
    assert_array_equal(part.values, ["a", "b", "a"])
    assert_array_equal(part.counts, [2, 1, 0])
    assert_array_equal(part.encode(["c", "d"]), [2, -1])
    assert part.n_rows == 3


def test_sides_are_the_rows_of_a_class_and_the_others() -> None:
    """Whichever class is asked for, and again."""
    truth = make_truth([5, 7, 5, 9], classifier=True)
    for position, own, others in [(0, [0, 2], [1, 3]), (2, [3], [0, 1, 2]), (0, [0, 2], [1, 3])]:
        assert_array_equal(truth.sides(position)[0], own)
        assert_array_equal(truth.sides(position)[1], others)


def test_numbers_are_floats() -> None:
    """Of one output; several outputs stay as they are."""
    assert make_truth([1, 2], classifier=False).values.dtype == float
    assert make_truth(np.array([[1], [2]]), classifier=False).values.shape == (2,)
    several = np.array([[1, 2], [3, 4]])
    truth = make_truth(several, classifier=False)
    assert truth.values is several
    assert truth.classes is None
    assert truth.code is None
    assert_array_equal(truth.take(np.array([1])).values, [[3, 4]])
    assert_array_equal(truth.spread, [2, 2])  # 1 and 3 about 2, 2 and 4 about 3


def test_several_labels_a_row_have_no_classes() -> None:
    """They are scored by scikit-learn itself."""
    truth = make_truth(np.eye(3, dtype=int), classifier=True)
    assert truth.classes is None
    with pytest.raises(InvalidPlanError, match="this needs a target with one class label for each row"):
        truth.encode([1])


@pytest.mark.parametrize("y", [pd.Series(["u", "v", "u"]), pd.Series(["u", "v", "u"], dtype="category"), [["u"], ["v"], ["u"]]])
def test_other_containers(y: object) -> None:
    """Series, categories, and a column."""
    truth = make_truth(y, classifier=True)  # type: ignore[arg-type]
    assert truth.classes is not None
    assert truth.classes.tolist() == ["u", "v"]
    assert_array_equal(truth.code, [0, 1, 0])


def test_truth_survives_pickling() -> None:
    """It may be sent to another process, with or without what was computed before."""
    truth = make_truth([0, 1, 1], classifier=True)
    assert truth.counts.tolist() == [1, 2]
    again = pickle.loads(pickle.dumps(truth))
    assert again.counts.tolist() == [1, 2]
    assert again.encode([1]).tolist() == [1]


def test_labels_that_have_no_order() -> None:
    """The text says what to do."""
    with pytest.raises(
        InvalidPlanError, match=r"^the labels in y cannot be put in order: .*Make them all text or all numbers\.$"
    ):
        make_truth(np.array(["a", 1], dtype=object), classifier=True)


def test_a_single_value_is_no_target() -> None:
    """The text gives it back."""
    with pytest.raises(InvalidPlanError, match=r"^y must hold one value for each row; got 3\.$"):
        make_truth(3, classifier=False)
