"""Write the pages of questions as notebooks into examples/notebooks, without outputs: ``python docs/make_notebooks.py``.

Text becomes cells of text, blocks of Python cells of code; outputs are left out, commands shown. A test fails where a notebook
is not as its page is, runs every one, and holds what it prints against the page.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "examples" / "notebooks"
PAGES = {
    page.stem: page
    for page in (ROOT / "docs" / "start.md", ROOT / "docs" / "notebook.md", *sorted((ROOT / "docs" / "questions").glob("*.md")))
    if page.stem != "index"
}
BLOCK = re.compile(r"^```(\{?\w*\}?)(.*?)\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)([^)#]+)(#[^)]*)?\)")
BUILT = ("generated/", "examples-run/")
"""Pages that the build of the site writes: a notebook has no file to lead to."""


def notebook(page: Path) -> dict[str, Any]:
    """The page as a notebook of nbformat 4.5."""
    cells = [
        {"cell_type": kind, "id": f"{kind}-{n}", "metadata": {}, "source": source.splitlines(keepends=True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for n, (kind, source) in enumerate(_cells(page))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cells(page: Path) -> Iterator[tuple[str, str]]:
    """(kind, source) of each cell."""
    text, told, end = page.read_text(encoding="utf-8"), "", 0
    for block in BLOCK.finditer(text):
        language, rest, body = block.groups()
        told += text[end : block.start()]
        end = block.end()
        if language == "python":
            if told.strip():
                yield "markdown", _as_text(told, page)
            told = ""
            yield "code", body.rstrip().replace('"examples/', '"../')
        elif language == "console":
            told += f"```\n{body.splitlines()[0].replace('examples/', '../')}\n```\n"
        elif language not in ("text", "{image}", "{toctree}"):
            told += f"```{language}{rest}\n{body}```\n"
    told += text[end:]
    if told.strip():
        yield "markdown", _as_text(told, page)


def _as_text(told: str, page: Path) -> str:
    """Text whose links lead from the notebook to the pages as they are in the repository."""

    def moved(link: re.Match[str]) -> str:
        path, place = link[1], link[2] or ""
        if any(part in path for part in BUILT):
            return f"]({os.path.relpath(ROOT / 'docs' / 'index.md', TARGET)})"
        return f"]({os.path.relpath((page.parent / path).resolve(), TARGET)}{place})"

    return re.sub(r"\n{3,}", "\n\n", LINK.sub(moved, told)).strip()


def written(page: Path) -> str:
    """Text of the file."""
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (TARGET / f"{name}.ipynb").write_text(written(page), encoding="utf-8", newline="\n")
