"""Reports of SWE-bench's harness, written here from the fields that its make_run_report writes (swebench 4, schema 2)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tiebreak as tb
from tests.cli.conftest import run
from tiebreak.errors import AmbiguousSourceError, UnreadableSourceError
from tiebreak.readers import logs


def report(path: Path, resolved: list[bool], n_incomplete: int = 0, n_empty: int = 0) -> Path:
    """A report of as many instances, of which some more have no patch; the last ones are empty patches."""
    ids = [f"django__django-{k}" for k in range(len(resolved) + n_incomplete)]
    submitted, incomplete = ids[: len(resolved)], ids[len(resolved) :]
    right = [name for name, ok in zip(submitted, resolved, strict=True) if ok]
    empty = submitted[len(submitted) - n_empty :]
    wrong = [name for name in submitted if name not in right and name not in empty]
    lists = {
        "completed_ids": sorted(right + wrong),
        "incomplete_ids": incomplete,
        "empty_patch_ids": empty,
        "submitted_ids": submitted,
        "resolved_ids": right,
        "unresolved_ids": wrong,
        "error_ids": [],
    }
    counts = {"total_instances": len(ids), "submitted_instances": len(submitted), "resolved_instances": len(right)}
    path.write_text(json.dumps({**counts, **lists, "schema_version": 2}, indent=4))
    return path


def made(seed: int, n: int = 120, share: float = 0.3) -> list[bool]:
    """Made-up outcomes, of which the last five are not resolved."""
    return [*(np.random.default_rng(seed).random(n - 5) < share).tolist(), *[False] * 5]


def test_two_agents_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder alone: models by their files, empty patches count as not resolved."""
    for seed, name in enumerate(("agent-1.0", "agent-2.0")):
        report(tmp_path / f"{name}.run_1.json", made(seed), n_empty=5)
    items = tb.compare(tmp_path).items
    means = dict(zip(items.models, np.nanmean(items.score, axis=(1, 2)).tolist(), strict=True))
    assert means == pytest.approx({"agent-1.0": np.mean(made(0)), "agent-2.0": np.mean(made(1))})
    code, out, _ = run(capsys, str(tmp_path))
    assert code == 0
    assert "compared: 2 models, 120 items, by accuracy, from 2 logs" in out


def test_instances_that_were_not_submitted_are_missing(tmp_path: Path) -> None:
    """A run of a part of the instances says nothing of the rest."""
    table = logs.read_log(report(tmp_path / "a.r.json", made(0), n_incomplete=30), "a.r.json", is_main=True)
    assert len(table.columns["item"]) == 120
    assert table.remark == "a.r.json: 30 of 150 instances were not submitted: they are missing, not wrong"


def test_other_content_is_refused(tmp_path: Path) -> None:
    """A report without lists, and a metric that it does not hold."""
    path = tmp_path / "a.r.json"
    path.write_text(json.dumps({"total_instances": 10, "resolved_instances": 3}))
    with pytest.raises(UnreadableSourceError, match="says how many instances were resolved, and not which"):
        tb.read_items(path)
    with pytest.raises(AmbiguousSourceError, match="holds no metric 'speed', but 'resolved'"):
        tb.read_items(report(path, made(0)), metric="speed")
