"""``--dry-run``: what would be measured, what is there of it, how long the rest may take; nothing is measured or written."""

from pathlib import Path

import pytest

from tests.cli.conftest import STUDY, printed, run
from tests.cli.test_run import study_of
from tests.cli.test_show import stop_after

STORE = ("--store", "sqlite:///runs.db")
MORE = '[models.more]\nimport = "sklearn.neighbors:KNeighborsClassifier"\n'


@pytest.fixture
def measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring would fail the test."""
    monkeypatch.delattr("tiebreak.evaluation.evaluate.make_runner")


def dry(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a dry run that went well."""
    out = printed(capsys, "run", "study.toml", *STORE, "--dry-run", *arguments)
    return out.splitlines()


@pytest.mark.usefixtures("measures_nothing")
def test_nothing_is_made(study: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No store, no file, no cell; the whole text."""
    assert " ".join(" ".join(dry(capsys)).split()) == (
        "Run 'flowers' of study.toml: 3 models x 6 splits = 18 cells "
        "Data: 150 examples, 4 features, classification (3 classes); 6 splits (repeated-stratified), 100 training and 50 test "
        "examples each model bayes GaussianNB() tree DecisionTreeClassifier() =1+1 DummyClassifier(strategy='stratified') "
        "Metrics: accuracy, f1_macro "
        "Store: sqlite:///runs.db has nothing of it yet; all 18 cells are to be measured. "
        "Nothing was measured, and nothing was written."
    )
    assert [path.name for path in here.iterdir()] == ["study.toml"]


def test_what_the_store_has_is_counted(study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a run; then the store is as it was."""
    with monkeypatch.context() as patched:
        stop_after(9, patched)
        run(capsys, "run", study, *STORE)
    before = Path("runs.db").read_bytes()
    counts, nothing = dry(capsys)[-2:]
    assert counts == "Store: sqlite:///runs.db has 9 measured; 9 are to be measured."
    assert nothing == "Nothing was measured, and nothing was written."
    assert "leave --format out" in run(capsys, "run", study, *STORE, "--dry-run", "--format", "json")[2]
    assert Path("runs.db").read_bytes() == before


def test_failures_are_measured_again_only_when_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As by the run itself."""
    Path("study.toml").write_text(study_of("fails", "warns"))
    run(capsys, "run", "study.toml", *STORE)
    assert dry(capsys)[-2] == "Store: sqlite:///runs.db has 5 measured, 5 failed; 0 are to be measured."
    assert "Store: sqlite:///runs.db has 5 measured, 5 failed; 5 are to be measured." in dry(capsys, "--retry-failed")


def test_a_metric_more_is_told(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The cells are there, and lack it."""
    run(capsys, "run", study, *STORE)
    Path(study).write_text(STUDY.replace('"f1_macro"', '"f1_macro", "recall_macro"'))
    expected = "Store: sqlite:///runs.db has 18 measured; 0 are to be measured; 18 of those measured lack a metric."
    assert expected in " ".join(dry(capsys))


def test_a_changed_model_is_refused_as_by_the_run(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the same words."""
    run(capsys, "run", study, *STORE)
    Path(study).write_text(STUDY.replace('"stratified"\n', '"prior"\n').replace('strategy = "stratified"', 'strategy = "prior"'))
    refused = run(capsys, "run", study, *STORE)
    assert refused[0] == 2
    assert "the model '=1+1' changed: class, parameters or code" in refused[2]
    assert run(capsys, "run", study, *STORE, "--dry-run") == refused


@pytest.mark.parametrize("command", ["run", "audit", "learning-curve", "validation-curve"])
def test_help_says_that_a_study_file_is_code(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody would expect it of a file of settings."""
    assert "study file is code" in " ".join(printed(capsys, command, "--help").split())
