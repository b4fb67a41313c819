"""Labels found among the classes, by every way they may be written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.metrics.helpers import LABELS, Array, label_array
from tiebreak.errors import InvalidOutputsError
from tiebreak.metrics.labels import Labels


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
    assert_array_equal(Labels(classes).encode(array), expected)


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
    assert_array_equal(Labels(np.array(classes)).encode(labels), expected)


@pytest.mark.parametrize(
    ("classes", "one"), [([0, 1], 1), ([1, 2], 0), ([False, True], 1), ([-1.0, 1.0], 1), (["0", "1"], None), ([0, 2], None)]
)
def test_the_label_one(classes: list[object], one: int | None) -> None:
    """By equality with 1, so that True is one and the text is not."""
    assert Labels(np.array(classes)).one == one


def test_several_columns_are_no_labels() -> None:
    """The text says what came."""
    with pytest.raises(InvalidOutputsError, match=r"^one value for each row is needed; got an array of shape \(3, 2\)\.$"):
        Labels(np.arange(2)).encode(np.zeros((3, 2), dtype=int))
