"""What cannot be seen, or changes how the rest is seen, leaves as an escape, and everything else as it is."""

import sys
import unicodedata

import pytest

import tiebreak as tb
from tiebreak.errors import DataError, TiebreakWarning
from tiebreak.printable import fault_of_name, printable, printable_lines

UNSEEN = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


def test_every_control_and_format_character_is_escaped() -> None:
    """By Unicode's categories, as this Python knows them; the escape is Python's own, so it can be read back."""
    assert len(UNSEEN) > 2_000
    for character in UNSEEN:
        escaped = printable(f"a{character}b")
        assert escaped.isascii()
        assert escaped.isprintable()
        assert escaped.encode("ascii").decode("unicode_escape") == f"a{character}b"


def test_what_can_be_seen_stays() -> None:
    """Letters of all scripts, marks that combine, emoji, backslashes."""
    for text in ("", "plain", "naïve", "模型", "नमूना", "é", "e\u0301", "🌲", "❤\ufe0f", r"a\b", "½ × 2", "\N{NO-BREAK SPACE}"):
        assert printable(text) == text


def test_twice_is_as_once() -> None:
    """A page escapes what a sentence has escaped already."""
    text = "".join(UNSEEN)
    assert printable(printable(text)) == printable(text)


def test_lines_keep_their_ends() -> None:
    """A line feed only: a carriage return goes back to the start of the line, and writes over it."""
    assert printable_lines("a\nb\rc\x1b[2J") == "a\nb\\rc\\x1b[2J"


@pytest.mark.parametrize("name", ["", " ", "\t", "\u200b", "\u2800", "\u3164 \ufeff", "\N{NO-BREAK SPACE}"])
def test_a_blank_is_no_name(name: str) -> None:
    """Spaces of all kinds, characters without width, letters that are empty."""
    assert fault_of_name(name).startswith("is blank")
    assert fault_of_name(f"{name}.") == ""


def test_half_characters_make_no_name() -> None:
    """Either half of a surrogate pair; a whole pair is one character in Python."""
    assert "half of a character" in fault_of_name("a\ud83d")
    assert "half of a character" in fault_of_name("\ude00")
    assert fault_of_name("\U0001f600") == ""


def test_errors_and_warnings_are_printable() -> None:
    """Their texts quote names and files, and Python prints them as they are."""
    assert str(DataError("of '\x1b]0;x\x07\u202e'\nsee there")) == "of '\\x1b]0;x\\x07\\u202e'\nsee there"
    assert str(TiebreakWarning("at \x9b2J")) == "at \\x9b2J"


@pytest.mark.slow
def test_a_metric_from_a_file_cannot_write_to_the_terminal(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The title of a window, and a colour, in the name of a metric: text, Markdown, HTML and repr show the characters."""
    path = tmp_path / "scores.csv"
    rows = [f"{model},acc\x1b]0;PWNED\x07\x1b[31m,{fold},{0.7 + fold / 100}" for model in "ab" for fold in range(4)]
    path.write_text("\n".join(["model,metric,fold,score", *rows]))
    answer = tb.compare(path, lower_is_better=False, n_train=30, n_test=10)
    assert answer.metric.name == "acc\x1b]0;PWNED\x07\x1b[31m"
    for text in (str(answer), answer.to_markdown(), answer.to_html(), repr(answer), answer._repr_html_()):
        assert printable_lines(text) == text
        assert "x1b]0;" in text.replace("\\]", "]")  # a header is cut there


@pytest.mark.parametrize("code", [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF])
def test_what_is_no_character_is_escaped(code: int) -> None:
    """XML refuses it, and a report has drawings in XML."""
    assert tb.printable.printable(f"a{chr(code)}b").isascii()
