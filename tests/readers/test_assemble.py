"""Long columns become models by splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tiebreak.errors import DataError
from tiebreak.readers.splits import assemble, number_splits

CODES = np.array([0, 1, 0, 1])


def test_rows_find_their_cell() -> None:
    """Two models, splits in key order whatever the order of rows; an absent score is nan."""
    matrix = assemble("iris", ["a", "b"], CODES, np.array([1, 1, 0, 0]), np.array([2, 2, 5, 5]), np.array([0.1, 0.2, 0.3, 0.4]))
    assert (matrix.dataset, matrix.models) == ("iris", ("a", "b"))
    assert_array_equal([matrix.repeat, matrix.fold, matrix.n_train], [[0, 1], [5, 2], [0, 0]])
    assert_array_equal(matrix.score, [[0.3, 0.1], [0.4, 0.2]])
    matrix = assemble("", ["a", "b"], np.array([0, 0, 1]), np.zeros(3, int), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]))
    assert_array_equal(matrix.score, [[1, 2], [np.nan, 3]])
    assert not matrix.is_complete


def test_sizes_belong_to_splits() -> None:
    """Each split has its own."""
    zero = np.zeros(4, int)
    fold = np.array([0, 0, 1, 1])
    matrix = assemble("", ["a", "b"], CODES, zero, fold, np.ones(4), np.array([9, 9, 8, 8]), np.array([1, 1, 2, 2]))
    assert_array_equal(matrix.ratio, [1 / 9, 1 / 4])
    with pytest.raises(DataError, match=r"n_train of repeat 0 fold 1 is \d for one model and \d for another"):
        assemble("", ["a", "b"], CODES, zero, fold, np.ones(4), np.array([9, 9, 8, 7]), np.array([1, 1, 2, 2]))


def test_scores_of_one_model_and_split_are_averaged() -> None:
    """Of several seeds; a table whose rows stand twice is refused before, with its rows."""
    matrix = assemble("iris", ["a", "b"], np.array([0, 1, 1]), np.zeros(3, int), np.array([3, 3, 3]), np.array([0.5, 0.2, 0.4]))
    assert_array_equal(matrix.score, [[0.5], [(0.2 + 0.4) / 2]])


def test_nearly_empty_table_is_refused() -> None:
    """3,000 models on as many splits would be nine million cells for 3,000 scores."""
    n = 3000
    with pytest.raises(DataError, match="3000 scores of 3000 models on 3000 different splits"):
        assemble("", [str(i) for i in range(n)], np.arange(n), np.zeros(n, int), np.arange(n), np.ones(n))


@given(st.lists(st.tuples(st.integers(-3, 10**9), st.integers(0, 4)), max_size=40))
def test_splits_are_numbered_in_key_order(keys: list[tuple[int, int]]) -> None:
    """By table or by sorting, as Python sorts the distinct keys."""
    repeat, fold = np.array(keys, dtype=int).reshape(-1, 2).T
    *distinct, codes = number_splits(repeat, fold)
    expected = sorted(set(keys))
    assert list(zip(*distinct, strict=True)) == expected
    assert [expected[code] for code in codes] == keys
