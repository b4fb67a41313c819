"""Nothing that is shown of an answer contradicts its intervals, or anything else that is shown.

Sixty random tables as a rule; ``TRUTH=500 pytest tests/views/test_truth.py`` walks five hundred, ``TRUTH_FROM=1000`` others.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.views.corruptions import CORRUPTIONS, base
from tests.views.tables_of_all_kinds import table_of
from tests.views.walker import Shown, shown_by, walk

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")]

N = int(os.environ.get("TRUTH", "60"))
FIRST = int(os.environ.get("TRUTH_FROM", "0"))
STEP = 10


@pytest.mark.parametrize("start", range(FIRST, FIRST + N, STEP))
def test_every_statement_follows_from_the_intervals(start: int) -> None:
    """Ten tables at a time: text, Markdown, notebook, JSON, frames, LaTeX, report, figures, pairs and requirements."""
    found = []
    for seed in range(start, min(start + STEP, FIRST + N)):
        comparison = table_of(seed)
        found += [f"seed {seed} ({comparison.method.name}): {each}" for each in walk(shown_by(comparison))]
    assert not found, f"{len(found)} contradictions:\n" + "\n".join(found[:20])


@pytest.mark.parametrize("family", ["pairs", "best", "baseline", "holm"])
def test_the_answers_that_are_corrupted_are_right_before(family: str) -> None:
    """Else a corruption would be found that is none."""
    assert list(walk(base(family))) == []


@pytest.mark.parametrize("corrupt", CORRUPTIONS, ids=lambda corrupt: str(corrupt.__name__))
def test_a_planted_corruption_is_found(corrupt: Callable[[], Shown]) -> None:
    """A reader that finds nothing in a corrupted answer would prove nothing of the others."""
    assert walk(corrupt())


def test_the_tables_are_of_all_kinds() -> None:
    """So that the walk is no walk through blanks: families, questions, verdicts, standings, copies, gaps, cycles."""
    seen: set[str] = set()
    for seed in range(60):
        comparison = table_of(seed)
        table = comparison.ranking_table
        seen |= {
            comparison.pair_table.family,
            comparison.method.question,
            *comparison.pairs["verdict"],
            *comparison.pairs["reason"],
        }
        seen |= set() if table.standing is None else {*comparison.ranking["standing"]}
        seen |= {"copies"} if len({*table.entry.tolist()}) < len(comparison.models) else set()
        seen |= {"gaps"} if table.adjusted is not None else set()
        seen |= {"percent"} if isinstance(comparison.settings.rope, str) else set()
    assert seen >= {
        "pairs",
        "baseline",
        "best",
        "splits",
        "datasets",
        "examples",
        "test-sets",
        "time",
        "seeds",
        "better",
        "ahead",
        "equivalent",
        "undecided",
        "worse",
        "near best",
        "may be best",
        "not best",
        "identical-scores",
        "unsettled",
        "copies",
        "gaps",
        "percent",
    }
