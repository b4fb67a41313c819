"""Numbers and names as people read them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.views.words import (
    columns,
    cut,
    decimals_for,
    duration,
    format_bound,
    format_interval,
    format_probability,
    format_score,
    left_out,
    listed,
    model_names,
    printable,
    quoted_names,
    short_names,
    shorten,
)

MISTRAL, LLAMA = "mistralai/Mistral-Small-24B-Instruct-2501", "meta-llama/Llama-3.1-70B-Instruct"
SVC = [f"SVC(C={c}, gamma='scale', kernel='rbf', max_iter=5000)" for c in (0.1, 1)]
WORDS = [f"resnet50-imagenet-pretrained-frozen-encoder-seed{k}-final" for k in (1, 2)]


@pytest.mark.parametrize(
    ("names", "shown", "stated"),
    [
        (["svm", "a forest"], ["svm", "a forest"], ""),
        ([MISTRAL, LLAMA], ["Mistral-Small-24B-Instruct-2501", "Llama-3.1-70B-Instruct"], ""),  # "24B" once became "4B"
        (SVC, ["C=0.1", "C=1"], "SVC(gamma='scale', kernel='rbf', max_iter=5000)"),
        (
            [*SVC, "Forest(max_iter=5000, n_trees=900)"],
            ["SVC(C=0.1, gamma='scale', kernel…", "SVC(C=1, gamma='scale', kernel='…", "Forest(n_trees=900)"],
            "max_iter=5000",
        ),
        (
            [f"svc, C={c}, gamma=scale, kernel=rbf, tol=0.001" for c in (1, 2)],
            ["svc, C=1", "svc, C=2"],
            "gamma=scale, kernel=rbf, tol=0.001",
        ),
        (WORDS, ["seed1", "seed2"], "resnet50-imagenet-pretrained-frozen-encoder, final"),
        (
            ["meta-llama/Llama-3.1-8B-Instruct-Turbo-FP8", "meta-llama/Llama-3.1-70B-Instruct-Turbo-FP8"],
            ["Llama-3.1-8B-Instruct-Turbo-FP8", "Llama-3.1-70B-Instruct-Turbo-FP8"],
            "meta-llama",
        ),
        (["<b>html</b>", "x" * 50], ["<b>html</b>", "x" * 33 + "…"], ""),  # which has no owner
        (["x" * 50 + "1", "y" * 50], ["x" * 33 + "…", "y" * 33 + "…"], ""),
        (["x" * 50 + "1", "x" * 50 + "2"], ["…" + "x" * 32 + "1", "…" + "x" * 32 + "2"], ""),
    ],
)
def test_the_two_rules(names: list[str], shown: list[str], stated: str) -> None:
    """What all share is stated once; an owner goes, then the end, of whole words; what looks alike bears its number."""
    assert model_names(names) == shown
    assert left_out(names) == (f"Names leave out what all share: {stated}" if stated else "")


def test_names_that_were_cut_are_cut_again() -> None:
    """A table has less room than a sentence; one ellipsis is enough."""
    assert short_names(model_names(["x" * 50 + "1", "x" * 50 + "2"]), 16) == ["…" + "x" * 14 + "1", "…" + "x" * 14 + "2"]


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("Mistral-Small-24B-Instruct", 17, "Mistral-Small…"),
        ("Mistral-Small-24B-Instruct", 18, "Mistral-Small-24B…"),
        ("C=9.53674e-07, gamma=scale", 15, "C=9.53674e-07…"),
        ("C=9.53674e-07, gamma=scale", 12, "C=9.53674e-…"),  # no whole number fits
        ("svm", 3, "svm"),
    ],
)
def test_no_number_and_no_word_is_cut(name: str, width: int, shown: str) -> None:
    """But where one alone is too long."""
    assert cut(name, width) == shown


@given(st.lists(st.text(st.sampled_from("ab1 _/-$…(,="), max_size=70), unique=True, max_size=12))
def test_names_stay_different_and_short(names: list[str]) -> None:
    """Whatever the names; few letters make collisions likely."""
    for labels in (short_names(names, 24), model_names(names, 24)):
        assert len(set(labels)) == len(names)
        assert max(map(len, labels), default=0) <= 24


def test_three_thousand_long_names_take_no_time() -> None:
    """Twenty thousand words that two names have, and three thousand names that look alike."""
    assert model_names([f"{letter}{'-x' * 20_000}{letter}" for letter in "ab"], 34) == [
        "a-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x…",
        "b-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x…",
    ]
    assert len(set(short_names([f"{'model ' * 20}{k}" for k in range(3000)], 20))) == 3000


def test_a_name_is_quoted_where_it_would_read_as_several() -> None:
    """A comma, an "and", a full stop at its end."""
    assert [*quoted_names(("svm", "poly, degree=3", "salt and pepper", "v1.", "Llama-3.1")).values()] == [
        "svm",
        "'poly, degree=3'",
        "'salt and pepper'",
        "'v1.'",
        "Llama-3.1",
    ]


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


def test_a_time_to_wait_is_rounded_as_people_say_it() -> None:
    """In seconds up to a minute and a half, in minutes up to an hour and a half."""
    assert [duration(value) for value in (0.2, 89, 600, 5340, 7500)] == ["1 s", "89 s", "10 min", "89 min", "2 h 5 min"]
