"""Names that callers give are found, or refused with the nearest."""

from __future__ import annotations

import pytest

from tiebreak.errors import UnknownNameError
from tiebreak.scores.names import look_up, quoted


def test_position_of_a_known_name() -> None:
    """Exact names only."""
    assert look_up("rf", ["svm", "rf"], "model") == 1


def test_near_names_are_offered() -> None:
    """A misspelling is likelier than anything else."""
    with pytest.raises(UnknownNameError, match=r"no model is called 'forrest': did you mean 'forest'\?"):
        look_up("forrest", ["svm", "forest"], "model")


def test_all_names_are_listed_where_none_is_near() -> None:
    """Up to five, the rest counted."""
    known = [f"m{i}" for i in range(7)]
    with pytest.raises(UnknownNameError, match=r"there are 'm0', 'm1', 'm2', 'm3', 'm4' and 2 more\."):
        look_up("zebra", known, "model")


def test_message_reads_as_text() -> None:
    """KeyError alone would print the repr of its message."""
    with pytest.raises(KeyError) as caught:
        look_up("x", ["a'b"], "model")
    assert str(caught.value).startswith("no model is called 'x'")


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "none"), (["a"], "'a'"), (["a", "b"], "'a' and 'b'"), (["a", "b", "c"], "'a', 'b' and 'c'")],
)
def test_quoted(names: list[str], text: str) -> None:
    """Names in a sentence."""
    assert quoted(names) == text
