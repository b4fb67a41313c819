"""The notebook of the examples runs, and what notebooks show of results and of errors."""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
LARGEST_HTML = 60_000
"""Characters of a result as a notebook shows it."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(autouse=True)
def imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels import this checkout, and show figures in place."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("MPLBACKEND", raising=False)


def outputs_of(notebook: Any, folder: Path, **settings: Any) -> list[Any]:
    """Outputs of all cells of a notebook, run by a kernel."""
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}, **settings
    ).execute()
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_an_error_in_a_notebook_is_the_line_and_the_message(tmp_path: Path) -> None:
    """No frame of the package; an error of another kind keeps its frames."""
    setup = "import tiebreak as tb\ndef ask(scores):\n    return tb.compare(scores, metric='r2')\n"
    cells = [setup, "ask({'a': [1, 2], 'b': [2, 1]})", "1 / 0"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    ours, other = outputs_of(notebook, tmp_path, allow_errors=True)
    line, message = ours.traceback
    assert line == "line 3: return tb.compare(scores, metric='r2')"
    assert re.match("UnclearSourceError: the correction for shared training data needs to know how large a test set is", message)
    assert len(other.traceback) > 2


@pytest.mark.docs
def test_results_and_plots_are_shown_in_place(tmp_path: Path) -> None:
    """The answer, the pair and the frame with the report; two figures; all small and without a script."""
    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    outputs = outputs_of(notebook, tmp_path)
    results = [each.data["text/html"] for each in outputs if each.output_type == "execute_result" and "text/html" in each.data]
    assert (len(results), sum("image/png" in each.get("data", {}) for each in outputs)) == (3, 2)
    assert max(map(len, results)) < LARGEST_HTML
    assert not any("<script" in page for page in results)
