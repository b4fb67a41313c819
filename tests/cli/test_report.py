"""``tiebreak report`` and ``--html``: one page to send, of runs and of files."""

import os
import re
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.cli.conftest import run

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


def test_a_switch_between_metrics(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its own answer; the file is read back by metric, and says by which command it was written."""
    metrics = ("--metric", "accuracy", "--metric", "log_loss")
    typed = ("report", scores, *metrics, "--rope", "0.02", "--out", "r.html")
    assert run(capsys, *typed) == (0, "", "the report is in r.html\n")
    page = Path("r.html").read_text(encoding="utf-8")
    assert re.findall(r'<option value="\d">(\w+)</option>', page) == ["accuracy", "log_loss"]
    assert len(re.findall(r'<section[^>]* data-answer="\d"', page)) == 2
    assert f"with <code>tiebreak {' '.join(typed)}</code>" in page
    for metric in metrics[1::2]:
        again = tb.compare("r.html", metric=metric)
        assert again.headline == tb.compare(scores, metric=metric, rope=0.02).headline


def test_a_title_a_note_and_facts(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands above the answer; a fact without a name is refused."""
    heading = ("--title", "Release 3", "--note", "Asked by the team.", "--data", "rows=12400", "--data", "split=by=user")
    assert run(capsys, "report", scores, "--metric", "accuracy", *heading, "--out", "r.html")[0] == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<h1>Release 3</h1>" in page
    assert "<p>Asked by the team.</p>" in page
    assert "<dt>rows</dt><dd>12400</dd>" in page
    assert "<dt>split</dt><dd>by=user</dd>" in page
    code, _, error = run(capsys, "report", scores, "--data", "=3", "--out", "r.html")
    assert code == 2
    assert "'=3' has no name; write NAME=VALUE." in error


@pytest.mark.slow
def test_a_run_with_all_its_metrics_and_curves(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was measured, kept predictions, versions; beside the answer of a run by --html, and later from the store the same."""
    assert run(capsys, "run", study, *STORE, "--quiet", "--html", "run.html")[0] == 0
    assert run(capsys, "report", "flowers", *STORE, "--out", "later.html")[0] == 0
    for path in ("run.html", "later.html"):
        page = Path(path).read_text(encoding="utf-8")
        for heading in ("What was measured", "How it was run"):
            assert f">{heading}</h2>" in page
        assert tb.read_scores(path, metric="accuracy").models


def test_a_gate_leads_its_page(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code stays that of the gate, and standard output the answer."""
    typed = ("compare", scores, "--metric", "accuracy", "--require-better", "old", "new", "--html", "gate.html")
    code, out, error = run(capsys, *typed)
    assert (code, error) == (1, "the report is in gate.html\n")
    assert out.startswith("Requirement broken")
    page = Path("gate.html").read_text(encoding="utf-8")
    assert page.index('<li class="broken">') < page.index('class="headline"')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scores.csv",), "Missing option '--out'"),
        (("scores.csv", "--out", "page.txt"), "does not end in .html"),
        (("scores.csv", "--out", "no/page.html"), "'no/page.html' is in a folder that is not there"),
        (("scores.csv", "other", "--metric", "accuracy", "--out", "page.html"), "other"),
        (("x" * 300, "--out", "page.html"), "which store?"),
        (("one", "two", "--out", "page.html"), "a report is of one run, or of files"),
        (("score.csv", "--out", "page.html"), "there is no file 'score.csv'"),
        (("score.TXT", "--out", "page.html"), "there is no file 'score.TXT'"),
        (("last.htm", "--out", "page.html"), "there is no file 'last.htm'"),
        (("score.pq", "--out", "page.html"), "there is no file 'score.pq'"),
        (("answers.jsonl", "--out", "page.html"), "there is no file 'answers.jsonl'"),
        (("moons.v2", "--out", "page.html"), "which store?"),
        (("runs.db#nightly.csv", "--out", "page.html"), "which store?"),
        (("scores.csv", "--metric", "recall", "--out", "page.html"), "recall"),
    ],
)
def test_wrong_use(scores: str, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A message, exit code 2, and no file."""
    code, out, error = run(capsys, "report", *arguments)
    assert (code, out) == (2, "")
    assert message in error
    assert [path.name for path in Path().iterdir()] == ["scores.csv"]


def test_a_source_is_not_written_over(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By a report of itself."""
    run(capsys, "report", scores, "--metric", "accuracy", "--out", "r.html")
    before = Path("r.html").read_bytes()
    for typed in (("report", "r.html", "--out", "r.html"), ("compare", "r.html", "--html", "r.html")):
        code, _, error = run(capsys, *typed)
        assert code == 2
        assert "would write over 'r.html'" in error
    assert Path("r.html").read_bytes() == before


def test_directions_of_several_metrics(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each metric has its own, as `compare` has it; none of a run, whose metrics are known."""
    frame = pd.read_csv(scores).rename(columns={"accuracy": "speed", "log_loss": "cost"})
    frame.to_csv("own.csv", index=False)
    metrics = ("--metric", "speed", "--metric", "cost", "--direction", "speed", "higher", "--direction", "cost", "lower")
    assert run(capsys, "report", "own.csv", *metrics, "--out", "r.html")[0] == 0
    for metric, lower in (("speed", False), ("cost", True)):
        expected = tb.compare("own.csv", metric=metric, lower_is_better=lower)
        assert tb.compare("r.html", metric=metric).headline == expected.headline
    wrong = run(capsys, "report", "own.csv", *metrics, "--lower-is-better", "--out", "r.html")
    assert wrong[0] == 2
    assert "--direction says for each metric what --lower-is-better" in wrong[2]
    of_run = run(capsys, "report", "run", *STORE, "--direction", "speed", "higher", "--out", "r.html")
    assert of_run[0] == 2
    assert "the metrics of a run have their direction" in of_run[2]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once_for_all_metrics(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As the shell's <(...) makes it; the page is that of the file."""
    os.mkfifo("pipe")
    metrics = ("--metric", "accuracy", "--metric", "log_loss")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(Path(scores).read_bytes(),), daemon=True)
    writer.start()
    assert run(capsys, "report", "pipe", *metrics, "--out", "r.html")[0] == 0
    writer.join(timeout=300)  # a guard against hanging
    for metric in metrics[1::2]:
        assert tb.compare("r.html", metric=metric).headline == tb.compare(scores, metric=metric).headline
