"""What cannot be seen, or changes how the rest is seen, leaves as an escape, and everything else as it is."""

import sys
import unicodedata

import pytest

import tiebreak as tb
from tiebreak.errors import DataError, TiebreakWarning
from tiebreak.printable import fault_of_name, printable, printable_lines


@pytest.fixture(scope="module")
def unseen() -> list[str]:
    """The last are no characters: XML refuses them, and a report has drawings in XML."""
    all_of_them, kinds = map(chr, range(sys.maxunicode + 1)), ("Cc", "Cf", "Cs", "Zl", "Zp")
    return [
        *(character for character in all_of_them if unicodedata.category(character) in kinds),
        *map(chr, (0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF)),
    ]


def test_every_control_and_format_character_is_escaped(unseen: list[str]) -> None:
    """By Unicode's categories, as this Python knows them; the escape is Python's own, so it can be read back."""
    assert len(unseen) > 2_000
    for character in unseen:
        escaped = printable(f"a{character}b")
        assert escaped.isprintable()
        assert escaped.encode("ascii").decode("unicode_escape") == f"a{character}b"


def test_what_can_be_seen_stays(unseen: list[str]) -> None:
    """Letters of all scripts, marks that combine, emoji, backslashes; and an escape, as a page escapes what a sentence has."""
    escaped = printable("".join(unseen))
    for seen in ("", "naïve", "模型", "नमूना", "é", "e\u0301", "🌲", "❤\ufe0f", r"a\b", "½ × 2", "\N{NO-BREAK SPACE}", escaped):
        assert printable(seen) == seen


def test_lines_keep_their_ends() -> None:
    """A line feed only: a carriage return goes back to the start of the line, and writes over it."""
    assert printable_lines("a\nb\rc\x1b[2J") == "a\nb\\rc\\x1b[2J"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        *((blank, "is blank") for blank in ("", " ", "\t", "\u200b", "\u2800", "\u3164 \ufeff", "\N{NO-BREAK SPACE}")),
        *((half, "half of a character") for half in ("a\ud83d", "\ude00")),
    ],
)
def test_a_blank_and_half_characters_are_no_names(name: str, fault: str) -> None:
    """Spaces of all kinds, characters without width, empty letters; either half of a pair, which is whole in Python."""
    assert fault in fault_of_name(name)
    assert fault_of_name("\u3164.") == fault_of_name("\U0001f600") == ""


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
