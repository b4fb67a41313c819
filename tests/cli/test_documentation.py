"""docs/cli.md shows what the commands really print."""

import importlib.util
import os
from pathlib import Path

import pytest

from tests.cli.warm import warm_command

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.docs
@pytest.mark.skipif(os.name != "posix", reason="the page is written for a POSIX shell")
def test_every_documented_command_prints_what_the_page_says(tmp_path: Path) -> None:
    """After a change: python docs/refresh_cli.py, and read the difference."""
    spec = importlib.util.spec_from_file_location("refresh_cli", DOCS / "refresh_cli.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    with warm_command(tmp_path, COLUMNS="100"):
        assert script.refreshed(page, tmp_path) == page
