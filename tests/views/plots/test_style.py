"""Colours, marks and measured text."""

from __future__ import annotations

import pytest

from tests.views.plots.samples import NAMES
from tiebreak.views.plots.style import MARKS, SIZE, literal, minus, readable, text_width, wrap


def test_every_verdict_has_its_own_shape_besides_its_colour() -> None:
    """Printed in grey, or seen without a sense of colour, verdicts are still told apart."""
    assert len({mark.symbol for mark in MARKS.values()}) == len(MARKS)
    assert len({mark.colour for mark in MARKS.values()}) == len(MARKS)
    drawn = ("better", "ahead", "equivalent", "undecided", "behind", "worse")
    assert len({(MARKS[name].marker, MARKS[name].is_filled) for name in drawn}) == 6
    assert len({MARKS[name].hatch for name in ("better", "equivalent", "worse")}) == 3


@pytest.mark.parametrize(
    "text", ["several words that do not fit on one line", "one_word_without_any_blank_in_it", "WWWWWWWWWWWWWW"]
)
def test_wrapped_lines_are_no_wider_than_the_room(text: str) -> None:
    """Also a single word that is too wide is broken; nothing is lost."""
    wrapped = wrap(text, 1.0, SIZE)
    assert max(text_width(line, SIZE) for line in wrapped.split("\n")) <= 1.0
    assert wrapped.replace("\n", "").replace(" ", "") == text.replace(" ", "")


def test_a_long_word_breaks_after_a_sign() -> None:
    """Rather there than inside a syllable."""
    assert wrap("root_mean_squared_error", 1.2, SIZE) == "root_mean_\nsquared_error"


def test_text_that_fits_stays_on_one_line() -> None:
    """Nothing is broken without need."""
    assert wrap("a few words", 3.0, SIZE) == "a few words"


def test_undefined_numbers_are_said_to_be_so() -> None:
    """A lone dash could be taken for a sign."""
    assert [minus("-0.01"), minus("0.01"), minus("-")] == ["−0.01", "0.01", "n/a"]


def test_control_characters_are_shown_and_unknown_glyphs_replaced() -> None:
    """A newline would break the row; a private character has a glyph in no font."""
    assert readable("a\nb\x00") == "a\\nb\\x00"
    assert readable("model \U0010fffd") == "model \N{REPLACEMENT CHARACTER}"
    assert readable("") == "''"


def test_a_dollar_sign_is_no_mathtext() -> None:
    """Matplotlib shows an escaped dollar as a dollar, also after a backslash."""
    assert literal("$a$ \\$") == "\\$a\\$ \\\\$"


def test_the_long_samples_have_60_characters() -> None:
    """So that the tests of the layout test what they say."""
    assert {len(name) for kind, names in NAMES.items() if kind != "short" for name in names} == {60}
