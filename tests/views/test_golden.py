"""The words of ten situations, held against files that were read by a person.

After a wanted change of words: ``UPDATE_GOLDEN=1 .venv/bin/pytest tests/views/test_golden.py``, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.views.situations import SITUATIONS

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", SITUATIONS)
def test_words_of_each_situation_are_those_that_were_read_and_approved(name: str) -> None:
    """Text is for people, so each situation's is kept whole and compared to the letter."""
    path, text = GOLDEN / f"{name}.txt", SITUATIONS[name]()
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
