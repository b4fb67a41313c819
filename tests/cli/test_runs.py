"""``tiebreak runs``: what a store holds, quickly."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import STUDY, run
from tests.cli.test_process import modules_after

STORE = ("--store", "sqlite:///runs.db")


@pytest.fixture
def store(study: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Two runs, the second with a name that spreadsheets would run."""
    run(capsys, "run", study, *STORE)
    run(capsys, "run", study, *STORE, "--name", "=cmd\n|calc")
    return "sqlite:///runs.db"


def test_each_run_has_a_line(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The last one updated first; a name stays on its line."""
    code, out, err = run(capsys, "runs", "--store", store)
    assert (code, err) == (0, "")
    title, header, first, second, left_out = out.splitlines()
    assert title == "Runs in sqlite:///runs.db"
    assert header.split() == ["run", "cells", "failed", "models", "metrics", "updated"]
    assert first.split()[:5] == ["=cmd\\n|calc", "18/18", "0", "3", "accuracy,"]
    assert left_out == "  Left out at 80 columns: splits."
    assert second.split()[0] == "flowers"


def test_the_store_may_be_set_once(store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """By TIEBREAK_STORE, for all commands."""
    expected = run(capsys, "runs", "--store", store)
    monkeypatch.setenv("TIEBREAK_STORE", store)
    assert run(capsys, "runs") == expected


def test_programs_read_json_or_csv(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Times in UTC, names as they are; in CSV escaped, and with an apostrophe before a formula, unless --raw."""
    document = json.loads(run(capsys, "runs", "--store", store, "--format", "json")[1])
    assert (document["schema"], document["store"]) == (1, store)
    newest, oldest = document["runs"]
    assert newest["run"] == "=cmd\n|calc"
    assert newest["created"] <= newest["updated"]
    assert newest["created"].endswith("Z")
    counts = {"n_cells": 18, "n_done": 18, "n_failed": 0, "n_models": 3, "n_datasets": 1, "n_splits": 6}
    assert {key: oldest[key] for key in counts} == counts
    assert oldest["metrics"] == ["accuracy", "f1_macro"]
    rows = list(csv.DictReader(io.StringIO(run(capsys, "runs", "--store", store, "--format", "csv")[1])))
    assert [row["run"] for row in rows] == ["'=cmd\\n|calc", "flowers"]
    assert rows[1]["metrics"] == "accuracy; f1_macro"
    raw = list(csv.DictReader(io.StringIO(run(capsys, "runs", "--store", store, "--format", "csv", "--raw")[1])))
    assert raw[0]["run"] == "=cmd\n|calc"


def test_a_store_is_needed(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those in the folder are offered."""
    message = "which store? Give --store sqlite:///FILE, or set TIEBREAK_STORE. In this folder: sqlite:///runs.db."
    assert run(capsys, "runs") == (2, "", f"tiebreak: {message}\n")


def test_a_store_that_is_not_there_is_not_made(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Looking leaves nothing behind."""
    code, out, err = run(capsys, "runs", *STORE)
    assert (code, out) == (2, "")
    assert err.startswith("tiebreak: there is no store runs.db.")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("format_", ["table", "json", "csv"])
def test_listing_loads_nothing_heavy(store: str, format_: str) -> None:
    """Not even numpy, which would take longer than all the rest."""
    heavy = {"numpy", "asyncio", "pandas", "sklearn", "scipy", "joblib", "rich", "tiebreak.api"}
    loaded = modules_after("runs", "--store", store, "--format", format_)
    assert not heavy & loaded
    assert {"sqlite3", "tiebreak.stores.sql"} <= loaded


def test_the_metrics_of_a_run_may_be_many(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table shows those that fit, JSON all."""
    names = ["accuracy", "balanced_accuracy", "f1_macro", "f1_micro", "recall_macro"]
    Path("study.toml").write_text(STUDY.replace('["accuracy", "f1_macro"]', json.dumps(names)))
    run(capsys, "run", "study.toml", *STORE)
    assert "accuracy, balanced_accuracy…" in run(capsys, "runs", *STORE)[1]
    assert json.loads(run(capsys, "runs", *STORE, "--format", "json")[1])["runs"][0]["metrics"] == names
