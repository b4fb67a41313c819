"""The target, encoded once and cut into splits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.metrics.helpers import LABELS, Array, label_array
from tiebreak.errors import DataError
from tiebreak.metrics.targets import make_truth


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
    assert_array_equal(part.find(np.array(["c", "d"])), [2, -1])


def test_numbers_are_floats() -> None:
    """Of one output; several outputs stay as they are."""
    assert make_truth([1, 2], classifier=False).values.dtype == float
    assert make_truth(np.array([[1], [2]]), classifier=False).values.shape == (2,)
    several = np.array([[1, 2], [3, 4]])
    truth = make_truth(several, classifier=False)
    assert truth.values is several
    assert truth.classes is None
    assert truth.code.size == 0
    assert_array_equal(truth.take(np.array([1])).values, [[3, 4]])


def test_several_labels_a_row_have_no_classes() -> None:
    """They are scored by scikit-learn itself."""
    truth = make_truth(np.eye(3, dtype=int), classifier=True)
    assert truth.classes is None
    with pytest.raises(DataError, match="this needs a target with one class label for each row"):
        truth.labels  # noqa: B018


@pytest.mark.parametrize("y", [pd.Series(["u", "v", "u"]), pd.Series(["u", "v", "u"], dtype="category"), [["u"], ["v"], ["u"]]])
def test_other_containers(y: object) -> None:
    """Series, categories, and a column."""
    truth = make_truth(y, classifier=True)  # type: ignore[arg-type]
    assert truth.classes is not None
    assert truth.classes.tolist() == ["u", "v"]
    assert_array_equal(truth.code, [0, 1, 0])


def test_labels_that_have_no_order() -> None:
    """The text says what to do."""
    with pytest.raises(DataError, match=r"^the labels in y cannot be put in order: .*Make them all text or all numbers\.$"):
        make_truth(np.array(["a", 1], dtype=object), classifier=True)


def test_a_single_value_is_no_target() -> None:
    """The text gives it back."""
    with pytest.raises(DataError, match=r"^y must hold one value for each row; got 3\.$"):
        make_truth(3, classifier=False)


@given(st.sampled_from(sorted(LABELS)), st.lists(st.integers(-1, 3), max_size=20), st.booleans())
def test_labels_are_found_by_equality(kind: str, wanted: list[int], as_objects: bool) -> None:
    """Looked up one by one in a list; -1 stands for a label that is no class."""
    classes = label_array(kind, len(LABELS[kind]))
    known = classes.tolist()
    strange = "other" if isinstance(known[0], str) else 5
    labels = [known[i] if 0 <= i < len(known) else strange for i in wanted]
    if as_objects or kind == "objects":
        array = np.array(labels, dtype=object)
    else:
        array = np.array(labels, dtype=None if labels else classes.dtype)
    expected = [known.index(label) if label in known else -1 for label in labels]
    assert_array_equal(make_truth(classes, classifier=True).find(array), expected)


@pytest.mark.parametrize(
    ("classes", "labels", "expected"),
    [
        ([0, 1, 2], np.array([2.0, 0.5, np.nan, -np.inf, 1.0]), [2, -1, -1, -1, 1]),
        ([0, 1], np.array([True, False]), [1, 0]),
        ([False, True], np.array([1, 0, 2, -1]), [1, 0, -1, -1]),
        ([0, 1], np.array([2**64 - 1, 1], dtype=np.uint64), [-1, 1]),
        ([0, 1], np.array([-(2**62), 2**62, 1]), [-1, -1, 1]),
        ([10, 20], np.array([20, 30, 5], dtype=np.int8), [1, -1, -1]),
        (["no", "yes"], np.array(["yes", "yes please", ""]), [1, -1, -1]),
        (["no", "yes"], np.array(["yes", None, "no"], dtype=object), [1, -1, 0]),
        (["no", "yes"], np.array([0, 1]), [-1, -1]),
        ([0, 1], np.array(["0", "1"]), [-1, -1]),
        ([0, 1], np.array([[1], [0]]), [1, 0]),
    ],
)
def test_other_types_and_far_numbers(classes: list[object], labels: Array, expected: list[int]) -> None:
    """Numbers count by their value whatever their type; a text is never a number."""
    assert_array_equal(make_truth(classes, classifier=True).find(labels), expected)


def test_several_columns_are_no_labels() -> None:
    """The text says what came."""
    with pytest.raises(DataError, match=r"^one value for each row is needed; got an array of shape \(3, 2\)\.$"):
        make_truth(np.arange(2), classifier=True).find(np.zeros((3, 2), dtype=int))
