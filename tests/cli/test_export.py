"""``tiebreak export``: tables that other programs read, written whole or not at all."""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

import tiebreak as tb
from tests.cli.conftest import N_CELLS, run
from tests.cli.test_run import study_of

STORE = ("--store", "sqlite:///runs.db")
RUN = "sqlite:///runs.db#flowers"


@pytest.fixture
def measured(study: str, capsys: pytest.CaptureFixture[str]) -> tb.Evaluation:
    """A run in the store runs.db."""
    run(capsys, "run", study, *STORE)
    return tb.read_evaluation(RUN)


def test_exported_scores_are_compared_as_the_run_is(measured: tb.Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    """To the last digit: the file holds repeats, folds and sizes too. Models with apostrophes are other names, so --raw."""
    assert run(capsys, "export", "flowers", *STORE, "--scores", "s.csv", "--raw") == (0, "", "36 rows of scores are in s.csv\n")
    options = ("--metric", "accuracy", "--rope", "0.02", "--format", "csv")
    assert run(capsys, "compare", "s.csv", *options)[1] == run(capsys, "compare", RUN, *options)[1]


def test_names_that_a_spreadsheet_would_run_are_disarmed(measured: tb.Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    """By an apostrophe, unless --raw; scores are never touched."""
    rows = list(csv.DictReader(io.StringIO(run(capsys, "export", RUN, "--scores", "-")[1])))
    assert {row["model"] for row in rows} == {"bayes", "tree", "'=1+1"}
    assert [float(row["score"]) for row in rows] == measured.to_frame()["score"].tolist()
    raw = list(csv.DictReader(io.StringIO(run(capsys, "export", RUN, "--scores", "-", "--raw")[1])))
    assert {row["model"] for row in raw} == {"bayes", "tree", "=1+1"}


def test_predictions_are_those_of_the_run(measured: tb.Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each model and test example of each split: 3 models, 2 repeats, 150 examples."""
    code, out, err = run(capsys, "export", RUN, "--predictions", "p.csv")
    assert (code, out, err) == (0, "", "900 rows of predictions are in p.csv\n")
    read, expected = pd.read_csv("p.csv"), measured.predictions
    assert list(read.columns) == list(expected.columns)
    assert read["prediction"].tolist() == expected["prediction"].tolist()
    assert read["row"].tolist() == expected["row"].tolist()


def test_both_may_be_written_at_once_as_parquet(measured: tb.Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    """By the ending of the file; names stay as they are."""
    run(capsys, "export", RUN, "--scores", "s.parquet", "--predictions", "p.pq")
    scores = pd.read_parquet("s.parquet")
    assert scores["score"].tolist() == measured.to_frame()["score"].tolist()
    assert set(scores["model"].astype(str)) == {"bayes", "tree", "=1+1"}
    assert len(pd.read_parquet("p.pq")) == 900
    assert run(capsys, "compare", "s.parquet", "--metric", "accuracy")[0] == 0


def test_what_failed_is_an_empty_cell(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Never 0; `compare` takes it for missing."""
    Path("s.toml").write_text(study_of("fails_at_times", "warns", "sklearn.naive_bayes:GaussianNB"))
    run(capsys, "run", "s.toml", *STORE)
    out = run(capsys, "export", "s", *STORE, "--scores", "-")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    empty = [row["model"] for row in rows if row["score"] == ""]
    assert set(empty) == {"fails_at_times"}
    Path("s.csv").write_text(out)
    assert run(capsys, "compare", "s.csv", "--metric", "accuracy", "--missing", "pairwise")[0] == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_odd_names_are_written(study: str, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line break, a carriage return, a quotation mark; half a surrogate pair is no UTF-8 and is written escaped."""
    from tests.cli.conftest import STUDY

    Path(study).write_text(STUDY.replace("[models.bayes]", '[models."a\\nb\\rc\\"d"]'))
    run(capsys, "run", study, *STORE)
    assert run(capsys, "export", RUN, "--raw", "--scores", f"s.{ending}")[0] == 0
    if ending == "csv":
        with Path("s.csv").open(encoding="utf-8", newline="") as file:
            names = {row["model"] for row in csv.DictReader(file)}
    else:
        names = set(pd.read_parquet("s.parquet")["model"].astype(str))
    assert 'a\nb\rc"d' in names
    assert run(capsys, "compare", f"s.{ending}", "--metric", "accuracy")[0] == 0


def test_a_place_that_cannot_be_written_is_said(measured: tb.Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing is left behind."""
    Path("taken.csv").mkdir()
    before = set(Path().iterdir())
    code, out, err = run(capsys, "export", RUN, "--scores", "taken.csv")
    assert (code, out) == (2, "")
    assert err == "tiebreak: the scores could not be written to 'taken.csv': Is a directory\n"
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to write: --scores FILE, --predictions FILE, or both."),
        (["--scores", "-", "--predictions", "-"], "scores and predictions cannot go to the same place."),
        (
            ["--scores", "s.txt"],
            "Invalid value for '--scores': 's.txt' ends in neither .csv nor .parquet ('-' is standard output, as CSV).",
        ),
    ],
)
def test_wrong_use_is_refused(here: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the store is opened."""
    expected = f"tiebreak: {message}\nSee 'tiebreak export --help'.\n"
    assert run(capsys, "export", "flowers", *arguments) == (2, "", expected)


def test_predictions_that_were_not_kept_are_missing(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A study may say so; the scores are there all the same."""
    from tests.cli.conftest import STUDY

    Path(study).write_text("keep_predictions = false\n" + STUDY)
    run(capsys, "run", study, *STORE)
    code, out, error = run(capsys, "export", RUN, "--predictions", "-")
    assert (code, out) == (2, "")
    assert error.startswith("tiebreak: predictions were not kept. Evaluate with keep_predictions = true in the study, ")
    assert run(capsys, "export", RUN, "--scores", "-")[1].count("\n") == 2 * N_CELLS + 1
