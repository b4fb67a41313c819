"""``tiebreak nested``: a study in, honest scores out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tiebreak as tb
from tests.cli.conftest import run

STORE = ("--store", "sqlite:///runs.db", "--quiet")
STUDY = """\
name = "flowers"
rope = 0.02
metrics = ["accuracy", "log_loss"]
data = { source = "sklearn:iris" }
cv = { kind = "stratified", n_folds = 3 }
inner = 2

[models.bayes]
import = "sklearn.naive_bayes:GaussianNB"
[models."=near"]
import = "sklearn.neighbors:KNeighborsClassifier"
grid = { n_neighbors = [1, 5, 15] }
"""


@pytest.fixture
def study(here: Path) -> str:
    """A study with a grid and a model without one."""
    (here / "study.toml").write_text(STUDY, encoding="utf-8")
    return "study.toml"


def expected() -> tb.NestedEvaluation:
    """The same through the library."""
    X, y = load_iris(return_X_y=True)
    models = {"bayes": GaussianNB(), "=near": tb.grid(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]})}
    return tb.nested_cross_validate(
        models, X, y, outer={"kind": "stratified", "n_folds": 3}, inner=2, scoring=["accuracy", "neg_log_loss"], rope=0.02
    )


@pytest.mark.slow
def test_the_answer_is_that_of_the_library(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same JSON; text and Markdown but for the name of the run."""
    code, out, err = run(capsys, "nested", study, *STORE, "--format", "json")
    assert (code, err) == (0, "")
    assert out == expected().to_json() + "\n"
    name = "'flowers nested' in sqlite:///runs.db"
    text = run(capsys, "nested", study, *STORE)[1]
    assert " ".join(text.split()) == " ".join(str(expected()).replace("'nested'", name).split())
    assert run(capsys, "nested", study, *STORE, "--format", "markdown")[1] == expected().to_markdown().replace("'nested'", name)


def test_csv_has_a_row_for_each_outer_split(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two searches, two metrics, three splits; names that a spreadsheet would run get an apostrophe unless asked otherwise."""
    rows = list(csv.DictReader(io.StringIO(run(capsys, "nested", study, *STORE, "--format", "csv")[1])))
    assert len(rows) == 12
    frame = expected().to_frame()
    assert [float(row["score"]) for row in rows] == frame["score"].tolist()
    assert {row["search"] for row in rows} == {"bayes", "'=near"}
    assert "=near,accuracy" in run(capsys, "nested", study, *STORE, "--format", "csv", "--raw")[1]


def test_the_same_command_measures_nothing_again(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs in the store, both complete; progress says how many cells there are."""
    code, out, err = run(capsys, "nested", study, "--store", "sqlite:///runs.db")
    assert code == 0
    assert "run flowers nested inner =near: 18 cells" in err
    assert run(capsys, "nested", study, *STORE)[1] == out
    listed = json.loads(run(capsys, "runs", "--store", "sqlite:///runs.db", "--format", "json")[1])["runs"]
    assert {(each["run"], each["n_done"]) for each in listed} == {("flowers nested", 12), ("flowers nested inner =near", 18)}


def test_all_candidates_together(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One search among the four candidates of both models, in a run of its own."""
    run(capsys, "nested", study, *STORE)
    code, out, _ = run(capsys, "nested", study, *STORE, "--together", "--no-plain", "--format", "json")
    assert code == 0
    (search,) = json.loads(out)["searches"]
    assert (search["name"], search["candidates"]) == (
        "flowers",
        ["bayes", "=near, n_neighbors=1", "=near, n_neighbors=5", "=near, n_neighbors=15"],
    )
    assert json.loads(out)["summary"][0]["claim"] is None


@pytest.mark.slow
def test_a_plot_is_drawn_into_a_folder(study: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Made if it is not there; a file in its place is said before anything is measured."""
    code, _, err = run(capsys, "nested", study, *STORE, "--plots", "figures/new")
    assert (code, err) == (0, "nested.png is in figures/new\n")
    assert (here / "figures" / "new" / "nested.png").read_bytes().startswith(b"\x89PNG")
    code, out, err = run(capsys, "nested", study, "--store", "sqlite:///other.db", "--plots", "study.toml")
    assert (code, out) == (2, "")
    assert err == "tiebreak: the folder 'study.toml' cannot be used: File exists\n"
    assert not (here / "other.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("inner = 2", "inner = 1", "tiebreak: study.toml: inner, within the training rows of repeat 0 fold 0: n_folds=1 of "),
        (
            "inner = 2",
            'inner = "kfolds"',
            "tiebreak: study.toml: inner = \"kfolds\": no kind of splits is called 'kfolds': did you mean",
        ),
        (
            "inner = 2",
            "inner = 40",
            (
                "tiebreak: study.toml: inner, within the training rows of repeat 0 fold 0: 40 folds are more than the smallest "
                "class can fill: class 0 has 33 example(s). Use at most 33 folds, or 'kfold', which does not stratify.\n"
            ),
        ),
        ("n_neighbors =", "n_neighbours =", 'tiebreak: study.toml: models."=near".grid: no parameter of KNeighbors'),
    ],
)
def test_what_cannot_be_used_is_told_without_a_traceback(
    here: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one message, which names file, key and value."""
    (here / "study.toml").write_text(STUDY.replace(old, new), encoding="utf-8")
    code, out, err = run(capsys, "nested", "study.toml", *STORE)
    assert (code, out) == (2, "")
    assert err.startswith(message)


def test_a_study_of_several_datasets_needs_one_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has an answer of its own."""
    two = 'data.one = { source = "sklearn:iris" }\ndata.two = { source = "sklearn:wine" }'
    (here / "study.toml").write_text(STUDY.replace('data = { source = "sklearn:iris" }', two), encoding="utf-8")
    code, _, err = run(capsys, "nested", "study.toml", *STORE)
    assert code == 2
    assert err.startswith("tiebreak: the study has 2 datasets: 'one' and 'two'. Choose one with --dataset.\n")
    code, out, _ = run(capsys, "nested", "study.toml", *STORE, "--dataset", "two", "--format", "json")
    assert (code, json.loads(out)["outer_splits"]["n_samples"]) == (0, 178)


def test_nothing_that_can_be_scored_is_exit_code_2(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever chains commands has to be told."""
    (here / "own_of_nested.py").write_text("def fails(X_train, y_train, X_test, rng):\n    raise ValueError('never')\n")
    models = '[models.one]\nimport = "own_of_nested:fails"\n[models.two]\nimport = "own_of_nested:fails"\n'
    (here / "study.toml").write_text('cv = 3\ndata = { source = "sklearn:iris" }\n' + models, encoding="utf-8")
    code, out, _ = run(capsys, "nested", "study.toml", *STORE)
    assert code == 2
    assert out.startswith("'best of 2' has no score on any outer split.\n")
