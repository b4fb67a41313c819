"""docs/cli.md shows what the commands really print."""

import os
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.docs
@pytest.mark.skipif(os.name != "posix", reason="the page is written for a POSIX shell")
def test_every_documented_command_prints_what_the_page_says() -> None:
    """After a change: python docs/refresh_cli.py, and read the difference."""
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(DOCS / "refresh_cli.py"))["refreshed"](page) == page
