"""Pages of sixty answers, as a person read them: ``GOLDEN=write pytest tests/views/test_golden.py`` writes them anew."""

import json
import os
import pickle
from pathlib import Path

import pytest

import tiebreak as tb
from tests.views.answers import ANSWERS, page_of

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ANSWERS)
def test_the_page_is_the_one_that_was_read(name: str) -> None:
    """Word for word."""
    path, text = FOLDER / f"{name.replace(' ', '-')}.txt", page_of(name)
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_other_page_is_kept() -> None:
    """A page whose answer is gone would be read for nothing."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == {name.replace(" ", "-") for name in ANSWERS}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_page_is_narrow_and_short(name: str) -> None:
    """80 columns, and 60 lines at forty models; a headline has 15 words."""
    lines = (FOLDER / f"{name.replace(' ', '-')}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 60


@pytest.mark.parametrize("name", ANSWERS)
def test_every_kind_of_answer_can_be_pickled_and_read_back(name: str) -> None:
    """An answer that is sent to another process says the same there, and so does the one that is read from its JSON."""
    made = ANSWERS[name]()
    answer = made[0] if isinstance(made, tuple) else made
    assert pickle.loads(pickle.dumps(answer)).to_text() == answer.to_text()
    if isinstance(answer, tb.Comparison):
        text = answer.to_json()
        again = tb.compare(json.loads(text))
        assert again.to_json() == text
        assert again.to_text() == answer.to_text()
