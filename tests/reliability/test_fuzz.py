"""Made-up input: as many cases as fit into half a minute; the suite's own script tries more, and prints its seed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.reliability import fuzz

SEED = 20240229


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="a case that hangs could not be ended here")
def test_nothing_but_our_own_errors(tmp_path: Path) -> None:
    """Two thousand files, frames, dicts, settings and studies: the truth that was written, or refused in words."""
    result = fuzz.try_cases(SEED, range(2_000), tmp_path)
    print(f"seed {SEED}: {result.counts}")
    assert result.broken == []
    assert result.n_judged > 900
    assert all(result.counts[kind, "read"] > 10 for kind in fuzz.KINDS if kind != "faulty")
    assert result.counts["faulty", "refused"] > 150


@pytest.mark.parametrize("parts", [("fold",), ("dataset", "fold"), ("item",)])
def test_a_wrong_reader_is_seen(parts: tuple[str, ...]) -> None:
    """A score of another model, of another unit, or in the last digit."""
    rng = random.Random(7)
    truth = fuzz.made_up(rng, parts)._replace(is_percent=False)
    truth = truth._replace(scores={cell: 0.1 + number / 100 for number, cell in enumerate(truth.scores)})
    got = fuzz.read(rng, fuzz.long_table(rng, truth), truth)
    assert fuzz.found(got) == fuzz.told(truth)
    one, two = truth.models[:2]
    unit, other = truth.units[:2]

    def told(**changed: float) -> fuzz.Found:
        cells = {"one": (one, unit), "two": (two, unit), "other": (one, other)}
        return fuzz.told(truth._replace(scores={**truth.scores, **{cells[name]: value for name, value in changed.items()}}))

    score = truth.scores
    assert told(one=score[two, unit], two=score[one, unit]) != fuzz.found(got)
    assert told(one=score[one, other], other=score[one, unit]) != fuzz.found(got)
    assert told(one=float(np.nextafter(score[one, unit], 1))) != fuzz.found(got)


def test_a_reader_that_answers_too_much_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that reads a table with a fault, and one that refuses a sound one."""
    monkeypatch.setattr(fuzz, "read", lambda *_: "an answer")
    assert "was read as" in fuzz.faulty_case(random.Random(3), tmp_path).outcome
    monkeypatch.undo()

    def refuse(*_: object) -> None:
        raise fuzz.TiebreakError("no")

    monkeypatch.setattr(fuzz, "read", refuse)
    assert fuzz.true_case(random.Random(3), tmp_path, "csv").outcome == "refused: no"
