"""Made-up input: as many cases as fit into half a minute; the suite's own script tries more, and prints its seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.reliability import fuzz
from tiebreak.api import read_scores

SEED = 20240229


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="a case that hangs could not be ended here")
def test_nothing_but_our_own_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Six thousand files, frames, dicts, settings and studies: refused in words, or read as another reader reads them."""
    result = fuzz.try_cases(SEED, range(6_000), tmp_path)
    print(f"seed {SEED}: {result.counts}")
    assert result.broken == []
    assert result.n_judged > 700
    assert all(result.counts[kind, "read"] > 20 for kind in fuzz.KINDS)


def test_a_wrong_reader_is_seen() -> None:
    """The oracle tells a score under another model, and a split that was paired with another one."""
    table = {"fold": [0, 1, 2], "a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6]}
    right = fuzz.found(read_scores(pd.DataFrame(table), metric="accuracy"))
    assert fuzz.expected(table) == right
    assert fuzz.expected({**table, "b": [0.5, 0.4, 0.6]}) != right
    assert fuzz.expected({"fold": table["fold"], "b": table["a"], "a": table["b"]}) != right
    assert fuzz.expected({**table, "a": [0.1, 0.2, np.nextafter(0.3, 1)]}) != right


def test_a_wrong_reader_of_items_and_battles_is_seen() -> None:
    """A score of another item, another run or the last bit; a battle that was won by the other one."""
    table = {"item": ["q1", "q2"], "a": [0.1, 0.2], "b": [0.3, 0.4]}
    right = fuzz.found_items(fuzz.ITEMS.read(table))
    assert fuzz.expected_items(table) == right
    assert fuzz.expected_items({**table, "a": [0.1, np.nextafter(0.2, 1)]}) != right
    assert fuzz.expected_items({**table, "item": ["q2", "q1"]}) != right
    battles = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["a", "tie"]}
    told = fuzz.found_battles(fuzz.BATTLES.read(battles))
    assert fuzz.expected_battles(battles) == told
    assert fuzz.expected_battles({**battles, "winner": ["b", "tie"]}) != told
