"""``--html``: one page to send, of runs and of files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import refused, run

STORE = ("--store", "sqlite:///runs.db")


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two metrics of two models in a file of this folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    made = [
        (model, fold, 80, 20, mean + rng.normal(0, 0.01), 0.3 + rng.normal(0, 0.01))
        for model, mean in (("new", 0.9), ("old", 0.8))
        for fold in range(10)
    ]
    frame = pd.DataFrame(made, columns=["model", "fold", "n_train", "n_test", "accuracy", "log_loss"])
    frame.to_csv("scores.csv", index=False)
    return "scores.csv"


def test_the_page_says_how_it_was_written(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By which command."""
    typed = ("compare", scores, "--metric", "accuracy", "--html", "r.html")
    assert run(capsys, *typed)[2] == "the report is in r.html\n"
    assert f"with <code>tiebreak {' '.join(typed)}</code>" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_with_all_its_metrics_and_curves(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was measured, kept predictions, versions; beside the answer of a run by --html, and later from the store the same."""
    assert run(capsys, "run", study, *STORE, "--quiet", "--html", "run.html")[0] == 0
    assert run(capsys, "show", "flowers", *STORE, "--html", "later.html")[2] == "the report is in later.html\n"
    for path in ("run.html", "later.html"):
        page = Path(path).read_text(encoding="utf-8")
        for heading in ("What was measured", "How it was run"):
            assert f">{heading}</h2>" in page


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("page.txt", "does not end in .html"),
        ("no/page.html", "'no/page.html' is in a folder that is not there"),
        ("scores.html", "would write over 'scores.html'"),
    ],
)
def test_a_page_that_cannot_be_written(scores: str, file: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A message before the work, exit code 2, and no file; nor is what is read written over."""
    Path(scores).rename("scores.html")
    before = Path("scores.html").read_bytes()
    assert message in refused(capsys, "compare", "scores.html", "--metric", "accuracy", "--html", file)
    assert [(path.name, path.read_bytes()) for path in Path().iterdir()] == [("scores.html", before)]
