"""``tiebreak resume``: a run by its name goes on from the study file that it remembers."""

import shutil
from pathlib import Path

import pytest

import tiebreak as tb
from tests.cli.conftest import STUDY, refused, run

STORE = ("--store", "sqlite:///runs.db")


def test_it_measures_what_is_missing_from_anywhere(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path of the study is remembered whole, so the folder does not matter; a model more is the rest to be done."""
    run(capsys, "run", study, *STORE)
    Path(study).write_text(STUDY + '[models.more]\nimport = "sklearn.neighbors:KNeighborsClassifier"\n')
    expected = run(capsys, "run", study, "--store", "sqlite:///other.db")[1].split("\n\n", 1)[1]
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    code, out, err = run(capsys, "resume", "flowers", "--store", "sqlite:///../runs.db")
    assert code == 0
    assert err.startswith(f"the study is {Path('../study.toml').resolve()}\nrun flowers: 24 cells, 18 already there\n")
    assert out.split("\n\n", 1)[1] == expected


def test_a_run_is_found_by_url_and_name_or_by_its_file(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As ``compare`` takes it, or by the name that ``run`` gives a store of its own."""
    expected = run(capsys, "run", study)[1]
    assert Path("flowers.db").exists()
    assert run(capsys, "resume", "flowers", "--quiet") == (0, expected, "")
    assert run(capsys, "resume", "sqlite:///flowers.db#flowers", "--quiet") == (0, expected, "")


def test_a_study_that_is_gone_is_said(study: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two ways to go on; the second works."""
    run(capsys, "run", study, *STORE)
    shutil.move(study, "moved.toml")
    assert refused(capsys, "resume", "flowers", *STORE) == (
        f"tiebreak: run 'flowers' was started from '{here / 'study.toml'}', which is gone. Put the file back, or go on from "
        "where it is now: tiebreak run FILE, with the same --store and --name.\n"
    )
    run(capsys, "run", "moved.toml", *STORE)
    assert run(capsys, "resume", "flowers", *STORE)[0] == 0


def test_a_run_without_a_study_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was begun in Python goes on in Python."""
    from sklearn.dummy import DummyClassifier

    tb.evaluate({"a": DummyClassifier()}, [[0], [1], [2], [3]], [0, 1, 0, 1], cv=2, store="sqlite:///runs.db", name="py")
    assert refused(capsys, "resume", "py", *STORE) == (
        "tiebreak: run 'py' was not started from a study file, so there is nothing here to go on from. Call tiebreak.evaluate "
        "again as before, with the same store and name.\n"
    )


def test_nothing_of_a_store_is_run(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a store says of its models and of the study is text; only the file at the path is read, as a study."""
    run(capsys, "run", study, *STORE)
    Path(study).write_text("import os\n")
    fault = "Expected '=' after a key in a key/value pair (at line 1, column 8)."
    way = "For a table of scores call 'tiebreak compare'."
    message = f"{Path(study).absolute()}: is no study file, which is TOML in UTF-8: {fault} {way}"
    assert run(capsys, "resume", "flowers", *STORE, "--quiet") == (2, "", f"tiebreak: {message}\n")
