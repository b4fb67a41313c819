"""Checks by their texts."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import (
    check_array,
    check_count,
    check_differences,
    check_number,
    check_probability,
    check_rope,
    check_sizes,
    divide,
    group_codes,
)


def test_divide_says_what_it_cannot_divide() -> None:
    """0/0 is nan, anything else over 0 and anything too large is infinite with its sign, and nothing warns."""
    assert_array_equal(divide([0.0, 1.0, -1.0, -1e300], [0.0, 0.0, 0.0, 1e-300]), [np.nan, np.inf, -np.inf, -np.inf])


@pytest.mark.parametrize(
    ("differences", "error", "text"),
    [
        ([0.1], DataError, "1 split(s), but at least 2 are needed to estimate how much a difference varies"),
        ([], DataError, "0 split(s)"),
        (0.1, DataError, "a sequence, one per split; got the single value 0.1"),
        (["a", "b"], DataError, "numbers in rows of equal length"),
        ([[1, 2], [3]], DataError, "numbers in rows of equal length"),
    ],
)
def test_differences_that_are_none(differences: object, error: type[Exception], text: str) -> None:
    """Each kind of bad input has its own sentence."""
    assert text in told(error, check_differences, differences)


@pytest.mark.parametrize("ratio", [-0.1, np.nan, np.inf, [0.1, -1.0]])
def test_ratio_that_is_none(ratio: object) -> None:
    """Negative or not finite, alone or among others."""
    with pytest.raises(InvalidParameterError, match=r"test_train_ratio must be n_test / n_train, a finite number of at least 0"):
        check_sizes(ratio, np.shape(ratio))  # type: ignore[arg-type]


@pytest.mark.parametrize(("shape", "rows"), [((5,), ()), ((5,), (3,)), ((3, 5), (3,)), ((4,), (1,)), ((4, 3), (2, 3))])
def test_one_ratio_for_each_split_is_refused(shape: tuple[int, ...], rows: tuple[int, ...]) -> None:
    """numpy would make five tests of one row; the mean is asked for, here and for the scale."""
    with pytest.raises(InvalidParameterError, match="test_train_ratio is one number, or one for each row of differences"):
        check_sizes(np.full(shape, 0.1), rows)
    with pytest.raises(InvalidParameterError, match="scale is one number, or one for each row of differences"):
        check_sizes(np.full(shape, 0.1), rows, "scale")
    assert check_sizes(np.full((3, 1), 0.1), (3, 4)).shape == (3, 1)


@pytest.mark.parametrize("rope", [-0.01, np.nan, np.inf, True, "0.01", None, [0.01]])
def test_rope_that_is_none(rope: object) -> None:
    """The text says what a rope is."""
    with pytest.raises(InvalidParameterError, match="It is the smallest difference that matters to you"):
        check_rope(rope)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, 1e-320, np.nan, "0.05", True])
def test_probability_that_is_none(value: object) -> None:
    """Ends excluded, and what 1 minus it does not tell from 0."""
    with pytest.raises(InvalidParameterError, match="alpha must lie between 0 and 1, ends excluded; got"):
        check_probability(value, "alpha")  # type: ignore[arg-type]


def test_percentages_are_guessed_at() -> None:
    """5 for 0.05 is the usual slip."""
    with pytest.raises(InvalidParameterError, match=r"Did you mean 0\.05\?"):
        check_probability(5, "alpha")


@pytest.mark.parametrize("scale", [-1.0, np.nan, np.inf, [1.0, np.nan]])
def test_scale_that_is_none(scale: object) -> None:
    """A scale of nan would call rounding noise spread."""
    with pytest.raises(InvalidParameterError, match=r"scale must be the largest \|score\|"):
        check_sizes(scale, np.shape(scale), "scale")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "axes", "least", "met"),
    [
        ([0.1, 0.2], "n_models, n_splits", (1, 2), "1 by 2 or more; got the shape (2,)."),
        (np.zeros((0, 3)), "n_models, n_splits", (1, 2), "got the shape (0, 3)."),
        ([[0.1], [0.2]], "n_models, n_splits", (1, 2), "got the shape (2, 1)."),
        ([[0.1, np.nan], [np.inf, 0.3]], "n_models, n_splits", (1, 2), "got the shape (2, 2); 2 are nan or infinite."),
        (0.1, "..., n_items", (1,), "must be finite numbers of the shape (..., n_items), 1 or more; got the shape ()."),
        (np.zeros((4, 0)), "..., n_items", (1,), "got the shape (4, 0)."),
        (["a"], "n_items", (1,), "the scores must be numbers in rows of equal length"),
    ],
)
def test_array_that_is_none(values: object, axes: str, least: tuple[int, ...], met: str) -> None:
    """Shapes, sizes and holes are named with what is allowed; infinite ones where numbers may be missing."""
    assert met in told(DataError, check_array, values, "the scores", axes, least)
    with pytest.raises(DataError, match=r"or nan where they are missing, of the shape .* \(1, 2\); 1 are infinite"):
        check_array([[np.nan, np.inf]], "it", "n_models, n_items", can_lack=True)


def test_array_of_any_leading_shape() -> None:
    """Named are the last axes, and of those that are given the last ones are counted."""
    assert check_array(np.zeros((3, 0, 2)), "it", "..., n_items", (2,)).shape == (3, 0, 2)
    assert np.isnan(check_array([[1, np.nan]], "it", "n_models, n_items", can_lack=True)[0, 1])


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (np.int64(7), 7), (100.0, 100), (10**9, 10**9)])
def test_a_count_is_whole(value: object, expected: int) -> None:
    """However its type is called, and however many."""
    assert check_count(value, "n") == expected


@pytest.mark.parametrize("value", [0, 1.5, np.nan, np.inf, True, "5", None, [3]])
def test_count_that_is_none(value: object) -> None:
    """The message names the argument, and the least number that it takes."""
    with pytest.raises(InvalidParameterError, match=re.escape(f"n must be a whole number of at least 1; got {value!r}.")):
        check_count(value, "n")
    with pytest.raises(InvalidParameterError, match="at least 2; got 1"):
        check_count(1, "n", 2)
    with pytest.raises(InvalidParameterError, match=r"n must be at most 1,000,000,000; got 10000"):
        check_count(10**400, "n")


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_whole_number_that_no_float_holds_is_refused(value: int) -> None:
    """It is no number of an array."""
    with pytest.raises(InvalidParameterError, match=r"n must be a number of at least -inf; got -?1000"):
        check_number(value, "n", -np.inf)


@pytest.mark.parametrize("names", [["b", "a", "b"], [7, 3, 7], [2.5, 1.0, 2.5], np.array(["b", None, "b"], dtype=object)])
def test_groups_are_numbered_in_the_order_of_their_names(names: list[object]) -> None:
    """Whatever they are called; a name that is nan, or a wrong number of names, is refused."""
    codes, n_groups = group_codes(names, 3, "clusters")
    assert n_groups == 2
    assert codes[0] == codes[2] != codes[1]
    with pytest.raises(DataError, match=r"clusters needs one name for each of the 4 examples; got the shape \(3,\)"):
        group_codes(names, 4, "clusters")
    with pytest.raises(DataError, match="1 of the strata are nan; give each example one"):
        group_codes([1.0, np.nan, 2.0], 3, "strata")
