"""Hostile names through every field and output: a few of them here, all by ``make test-browser``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.hostile import NAMES, Counts, Markup, naive, try_all


@pytest.mark.slow
def test_nothing_gets_through(tmp_path: Path) -> None:
    """No escape, no markup, no file outside, no name that is changed in data; one name of each kind."""
    counts, pages = try_all([name.replace("PORT", "9") for name in NAMES[::13]], tmp_path)
    assert counts.broken == []
    assert min(counts.outputs.values()) >= 8
    assert len(counts.outputs) == 13
    assert len(pages) == 104


def test_what_gets_through_is_seen() -> None:
    """The names as they are fail each check that has to do with them, or the counts above would say nothing."""
    assert len(NAMES) == len(set(NAMES)) == 92
    counts = Counts()
    for name in NAMES:
        counts.clean("text", "model", name, name)
    assert len(counts.broken) >= 50
    foreign = 0
    for page in naive(NAMES):
        markup = Markup()
        markup.feed(page)
        foreign += bool(markup.foreign)
    assert foreign >= 17  # the others are caught in a browser only
