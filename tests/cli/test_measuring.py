"""Which store a command means, and how it is written to be typed again."""

from pathlib import Path

import pytest

from tests.guarded import told
from tiebreak.cli import measuring
from tiebreak.cli.process import CommandError


def test_the_nearest_word_counts(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The option, the study, the environment, and then a file named after the study, which is said."""
    monkeypatch.setenv("TIEBREAK_STORE", "sqlite:///set.db")
    assert measuring.store_for_study("sqlite:///typed.db", "sqlite:///written.db", "s") == "sqlite:///typed.db"
    assert measuring.store_for_study(None, "sqlite:///written.db", "s") == "sqlite:///written.db"
    assert measuring.store_for_study(None, None, "s") == "sqlite:///set.db"
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("TIEBREAK_STORE")
    assert measuring.store_for_study(None, None, "s") == "sqlite:///s.db"
    assert capsys.readouterr().err == "the store is sqlite:///s.db in this folder (--store or TIEBREAK_STORE names another)\n"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("cancer", "sqlite:///cancer.db"),
        ("../../etc/x", "sqlite:///_.._etc_x.db"),
        ("a b\n'c", "sqlite:///a_b_c.db"),
        ("?x=1#y", "sqlite:///_x_1_y.db"),
        ("模型", "sqlite:///模型.db"),
        ("..", "sqlite:///runs.db"),
        ("x" * 10_000, f"sqlite:///{'x' * 60}.db"),
    ],
)
def test_no_name_becomes_a_path_to_elsewhere(here: Path, name: str, url: str) -> None:
    """Nor one that a URL would read in another way."""
    assert measuring.store_for_study(None, None, name) == url


def test_without_any_word_the_stores_here_are_offered(here: Path) -> None:
    """By the names that they have here."""
    Path("one.db").touch()
    Path("two.sqlite").touch()
    assert told(CommandError, measuring.find_run, "b", None) == (
        "which store? Give --store sqlite:///FILE, or set TIEBREAK_STORE. In this folder: sqlite:///one.db."
    )


def test_a_command_to_type_is_quoted() -> None:
    """For a shell; a name that cannot be typed is left to the reader."""
    assert [measuring.typed(name, "RUN") for name in ("a b", "a\nb", "x" * 300)] == ["'a b'", "RUN", "RUN"]
