"""The notebooks are the pages of questions, and run."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.test_docs import BLOCK, ROOT, UPDATE, script

PAGES: dict[str, Path] = script("make_notebooks").PAGES
NOTEBOOKS = ROOT / "examples" / "notebooks"
LARGEST_HTML = 60_000
"""Characters of a result as a notebook shows it."""


def run(name: str, folder: Path) -> Any:
    """The notebook with its outputs; it ran in a copy of the examples."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("*.db"))
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    here = folder / "examples" / "notebooks"
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(here)}}).execute()
    return notebook


def printed(notebook: Any) -> str:
    """Everything that its cells printed."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_is_its_page(name: str) -> None:
    """There is one text of each; after a change: python docs/make_notebooks.py, or UPDATE_DOCS=1."""
    target = NOTEBOOKS / f"{name}.ipynb"
    text = script("make_notebooks").written(PAGES[name])
    if UPDATE:
        target.write_text(text, encoding="utf-8", newline="\n")
    assert target.read_text(encoding="utf-8") == text
    notebook = nbformat.read(target, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")


def test_links_of_notebooks_lead_to_files() -> None:
    """A link that leads from a page of the site has to lead from the notebook as well."""
    for name in PAGES:
        for target in re.findall(r"\]\((?!\w+:)([^)#]+)", (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")):
            assert (NOTEBOOKS / target).resolve().is_file(), f"{name}: {target}"


def test_every_notebook_is_one_of_a_page() -> None:
    """One whose page is gone would not be run."""
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(PAGES)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning")
def test_an_error_in_a_notebook_is_the_line_and_the_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame of the package; an error of another kind keeps its frames."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    setup = "import tiebreak as tb\ndef ask(scores):\n    return tb.compare(scores, metric='r2')\n"
    cells = [setup, "ask({'a': [1, 2], 'b': [2, 1]})", "1 / 0"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(
        notebook, timeout=60, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": tmp_path}}
    ).execute()
    (ours,), (other,) = notebook.cells[1].outputs, notebook.cells[2].outputs
    line, message = ours.traceback
    assert line == "line 3: return tb.compare(scores, metric='r2')"
    assert message.startswith("UnclearSourceError: the correction for shared training data needs to know how large a test set is")
    assert message.endswith("another seed, not a fold, name the seeds in a column 'seed'.")
    assert len(other.traceback) > 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_prints_what_its_page_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by a kernel, cell after cell, beside the files of the examples; what it shows is small and has no script."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures are shown in place
    notebook = run(name, tmp_path)
    blocks = BLOCK.findall(PAGES[name].read_text(encoding="utf-8"))
    assert printed(notebook) == "".join(body for language, body in blocks if language == "text")
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    pages = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    if name == "notebook":
        figures = [output for output in outputs if "image/png" in output.get("data", {})]
        results = [output for output in outputs if output.output_type == "execute_result"]  # progress is shown of long runs only
        shown = [output for output in results if "text/html" in output.data]
        assert (len(shown), len(figures)) == (3, 2)  # the answer, the pair and the frame with the report; two plots
    for page in pages:
        assert len(page) < LARGEST_HTML
        assert "<script" not in page
