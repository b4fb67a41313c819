"""``tiebreak runs``: what a store holds, quickly."""

from pathlib import Path

import pytest

from tests.cli.conftest import printed, refused, run
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
    title, header, first, second, left_out = printed(capsys, "runs", "--store", store).splitlines()
    assert title == "Runs in sqlite:///runs.db"
    assert header.split() == ["run", "cells", "failed", "models", "metrics", "updated"]
    assert first.split()[:5] == ["=cmd\\n|calc", "18/18", "0", "3", "accuracy,"]
    assert left_out == "  Left out at 80 columns: splits."
    assert second.split()[0] == "flowers"
    assert "--raw goes with --format csv." in refused(capsys, "runs", "--store", store, "--raw")


def test_a_store_that_is_not_there_is_not_made(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Looking leaves nothing behind."""
    assert refused(capsys, "runs", *STORE).startswith("tiebreak: there is no store runs.db.")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("format_", ["table", "json", "csv"])
def test_listing_loads_nothing_heavy(store: str, format_: str) -> None:
    """What would take longer than all the rest."""
    heavy = {"asyncio", "pandas", "sklearn", "scipy", "joblib", "rich", "tiebreak.api"}
    loaded = modules_after("runs", "--store", store, "--format", format_)
    assert not heavy & loaded
    assert {"sqlite3", "tiebreak.stores.sql"} <= loaded
