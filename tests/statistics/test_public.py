"""The public functions of the package."""

import inspect
import re
from pathlib import Path

import tiebreak as tb


def test_each_function_stands_among_the_formulas_with_its_source() -> None:
    """A row of the table in docs/formulas.md has what it computes, and a source with its year."""
    text = (Path(__file__).parents[2] / "docs" / "formulas.md").read_text(encoding="utf-8")
    rows = [row.strip("|").split(" | ") for row in re.findall(r"^\| `.*\|$", text, flags=re.MULTILINE)]
    listed = {name for functions, *_ in rows for name in re.findall(r"`(\w+)`", functions)}
    assert listed == {name for name in tb.statistics.__all__ if inspect.isfunction(getattr(tb.statistics, name))}
    assert all(formula and re.search(r"\d{4}|textbooks", source) for *_, formula, source in rows)
