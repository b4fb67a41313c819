"""``tiebreak show``: a run from its store alone, finished or not."""

from pathlib import Path
from typing import Any

import pytest

import tiebreak as tb
from tests.cli.conftest import N_CELLS, printed, run
from tests.cli.test_process import modules_after
from tiebreak.runners.local import measure_here

STORE = ("--store", "sqlite:///runs.db")


def test_a_finished_run_is_summed_up(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells, the means, the best first, and what to do next; neither study nor data are needed."""
    run(capsys, "run", study, *STORE)
    Path(study).unlink()
    lines = printed(capsys, "show", "flowers", *STORE).splitlines()
    cells = f"{N_CELLS} of {N_CELLS} cells measured."
    assert " ".join(lines[:2]) == f"Run 'flowers' in sqlite:///runs.db: 3 models x 6 splits, {cells}"
    assert [line.split()[0] for line in lines[4:8]] == ["model", "bayes", "tree", "=1+1"]
    assert lines[-1] == "Which differences are real: tiebreak compare 'sqlite:///runs.db#flowers' --rope 0.02"


def test_an_unfinished_run_says_how_to_go_on(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And how far each model has come."""
    stop_after(7, monkeypatch)
    assert run(capsys, "run", study, *STORE)[0] == 130
    out = run(capsys, "show", "flowers", *STORE)[1]
    assert out.startswith(
        "Run 'flowers' in sqlite:///runs.db: 3 models x 6 splits, 7 of 18 cells measured,\n11 still to be measured.\n"
    )
    assert " 3 of 6 " in out
    assert out.endswith(f"\nTo go on: tiebreak run {Path(study).absolute()} --store sqlite:///runs.db --name flowers\n")


def stop_after(n_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ctrl-C come when so many cells are kept; cells come one by one."""

    def interrupted(workload: Any, cells: Any) -> Any:
        for i, cell in enumerate(cells):
            if i == n_cells:
                raise KeyboardInterrupt
            yield from measure_here(workload, [cell])

    monkeypatch.setattr("tiebreak.evaluation.evaluate.make_runner", lambda *_: interrupted)


def test_a_store_stands_for_the_only_run_in_it(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its path or its URL, shown or compared, in a shell or from Python."""
    run(capsys, "run", study, *STORE)
    shown, compared = run(capsys, "show", "flowers", *STORE), run(capsys, "compare", "sqlite:///runs.db#flowers")
    for address in ("runs.db", "sqlite:///runs.db", "runs.db#flowers"):
        assert run(capsys, "show", address) == shown
        assert run(capsys, "compare", address) == compared
    assert str(tb.compare(Path("runs.db"))) == str(tb.compare("sqlite:///runs.db#flowers"))


@pytest.mark.slow
def test_showing_needs_no_scikit_learn(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run is numbers and names."""
    run(capsys, "run", study, *STORE)
    assert not {"sklearn", "scipy.special", "joblib", "rich"} & modules_after("show", "flowers", *STORE)
