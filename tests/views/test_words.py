"""Numbers and names as people read them."""

import math

import numpy as np
import pytest

from tiebreak.views.words import (
    columns,
    decimals_for,
    format_bound,
    format_interval,
    format_probability,
    format_score,
    listed,
    printable,
    shorten,
)


@pytest.mark.parametrize(("error", "decimals"), [(0.0133, 3), (0.5, 2), (12.0, 0), (3e-5, 6), (0.0, 4), (math.nan, 4)])
def test_two_digits_of_the_standard_error_set_the_decimals(error: float, decimals: int) -> None:
    """More digits than the standard error supports would pretend."""
    assert decimals_for(error) == decimals


@pytest.mark.parametrize(
    ("value", "decimals", "text"), [(0.1234, 3, "0.124"), (2.576e-14, 12, "2.580e-14"), (1e-13, 12, "1.000e-13"), (0.0, 3, "0")]
)
def test_an_upper_bound_is_rounded_up(value: float, decimals: int, text: str) -> None:
    """So that "at most" stays true, however small it is."""
    assert format_bound(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "decimals", "signed", "text"),
    [
        (0.0123, 3, True, "+0.012"),
        (-0.0001, 2, True, "0.00"),
        (-0.0001, 2, False, "0.00"),
        (math.nan, 3, False, "-"),
        (math.inf, 3, False, "inf"),
        (-math.inf, 3, False, "-inf"),
        (1.5e9, 2, False, "1.500e+09"),
        (2e-10, 12, False, "2.000e-10"),
        (-4.388e-15, 12, True, "-4.388e-15"),  # of scores of 1e-12, where 0.000000000000 would say nothing
        (1e-10, 3, False, "0.000"),
    ],
)
def test_scores_have_fixed_decimals_and_no_negative_zero(value: float, decimals: int, signed: bool, text: str) -> None:
    """Worked by hand."""
    assert format_score(value, decimals, signed=signed) == text


def test_the_order_of_a_sum_changes_no_digit() -> None:
    """Twenty scores of two decimals with the mean 0.7525: the last bit of their sum depends on their order, the text does not."""
    for value in (0.7525, np.nextafter(0.7525, 0), np.nextafter(0.7525, 1), 0.7525 + 4e-16):
        assert format_score(value, 3) == "0.752"  # the even digit, as of a tie
    assert format_score(0.12345678912345678, 15) == "0.123456789123457"  # digits that are asked for are shown


def test_small_and_large_probabilities_are_bounds() -> None:
    """0.000 would claim certainty that nobody has."""
    assert [format_probability(p) for p in (0.0, 1e-9, 0.4321, 0.99999, 1.0)] == ["0.000", "<0.001", "0.432", ">0.999", "1.000"]
    assert [format_probability(p) for p in (1e-12, 0.0312, math.nan)] == ["<0.001", "0.031", "-"]


def test_undefined_interval_is_a_dash() -> None:
    """A pair without spread has none."""
    assert format_interval(math.nan, math.nan, 3) == "-"
    assert format_interval(-0.0164, 0.0364, 3) == "-0.016 to 0.036"


def test_names_stay_on_one_line_and_lose_their_end() -> None:
    """Whole words stay; control characters and broken surrogates would spoil the page."""
    assert printable("a\nb\x00\ud800") == "a\\nb\\x00\\ud800"
    assert shorten("gradient boosting, depth=3", 20) == "gradient boosting…"
    assert len(shorten("x" * 200, 34)) == 34


def test_wide_characters_take_two_columns_and_accents_none() -> None:
    """Tables with such names stay aligned."""
    assert [columns(text) for text in ("svm", "模型", "e\u0301", "é…")] == [3, 4, 1, 2]


def test_lists_never_name_more_than_asked() -> None:
    """Five names is what a sentence can carry."""
    names = [f"'m{i}'" for i in range(9)]
    assert listed(names) == "'m0', 'm1', 'm2', 'm3' and 5 more"
    assert listed(names[:2]) == "'m0' and 'm1'"
    assert listed(names[:1]) == "'m0'"
