"""Bias and variance of a loss, by hand and by their identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from tiebreak.errors import InvalidOutputsError
from tiebreak.metrics.bias_variance import squared_parts, zero_one_parts


def test_squared_parts_by_hand():
    """Predictions 1 and 3 of a target of 4: mean 2, so 4 of bias and 1 of variance; the loss is (9 + 1) / 2."""
    parts = squared_parts([[1.0], [3.0]], [4.0])
    assert (parts.loss[0], parts.bias[0], parts.variance[0]) == (5.0, 4.0, 1.0)


def test_zero_one_parts_by_hand():
    """Five training sets, three examples: right but for one; wrong but for two; always wrong, in two ways."""
    predictions = np.array([["a", "a", "b"], ["a", "a", "b"], ["a", "a", "c"], ["a", "b", "b"], ["b", "b", "b"]])
    parts = zero_one_parts(predictions, np.array(["a", "b", "a"]))
    assert_allclose(parts.bias, [0, 1, 1])
    assert_allclose(parts.unbiased, [0.2, 0, 0])
    assert_allclose(parts.biased, [0, 0.4, 0])  # a wrong "c" instead of a wrong "b" does not help
    assert_allclose(parts.loss, [0.2, 0.6, 1.0])


def test_of_equally_frequent_labels_the_first_is_the_main_one():
    """0 and 1 come twice each."""
    assert zero_one_parts([[0], [1], [1], [0]], [1]).bias[0] == 1


@given(arrays(np.int64, (7, 5), elements=st.integers(0, 3)), arrays(np.int64, 5, elements=st.integers(0, 3)))
def test_the_parts_add_up(predictions: np.ndarray, target: np.ndarray):
    """Domingos, theorem 2: for every example, with any number of classes; and for the squared loss."""
    parts = zero_one_parts(predictions, target)
    assert_allclose(parts.loss, parts.bias + parts.variance, atol=1e-12)
    squared = squared_parts(predictions, target)
    assert_allclose(squared.loss, squared.bias + squared.variance, atol=1e-12)


def test_shapes_that_do_not_fit_are_refused():
    """A row for each training set."""
    message = r"predictions must have shape \(n_training_sets, n_test\).* got \(2, 3\) and \(2,\)\."
    with pytest.raises(InvalidOutputsError, match=message):
        squared_parts(np.zeros((2, 3)), np.zeros(2))
