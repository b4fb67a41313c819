"""Texts of all results as a person read them: one file a family in texts/."""

from pathlib import Path

import pytest

from tests import golden
from tests.views.results import RESULTS

FOLDER = Path(__file__).parent / "texts"


@pytest.mark.slow
@pytest.mark.parametrize("family", RESULTS)
def test_the_texts_are_those_that_were_read(family: str) -> None:
    """Word for word, but for times, versions and digits that depend on the machine."""
    made = {name: make() for name, make in RESULTS[family].items()}
    texts = {name: result if isinstance(result, str) else result.to_text() for name, result in made.items()}
    steady = str if family == "words" else golden.steady
    golden.check(FOLDER / f"{family}.txt", "\n".join(f"--- {name}\n{steady(text)}" for name, text in texts.items()))
