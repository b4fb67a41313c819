"""Names in a figure are short, different, and plain text."""

from __future__ import annotations

from tests.views.plots.samples import NAMES
from tiebreak.views.plots.labels import literal, numbered_labels, readable


def test_numbers_end_the_labels_of_rows() -> None:
    """There they stand in line at the axis."""
    assert numbered_labels(["a", "b"]) == ["a  1", "b  2"]


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
