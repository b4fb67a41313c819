"""The file of looks: whole after every look, and safe against two writers; and the looks in words."""

import json
import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import tiebreak as tb
from tests.cli.conftest import run
from tests.comparison.test_looks import N, answers, looked, repeats
from tests.views.test_walk import Shown, walk
from tiebreak.errors import ChangedRunError, DataError, InvalidParameterError, StoreError
from tiebreak.views import looks as looks_view
from tiebreak.views.looks import keep, plan_of, sentence

UNPLANNED = "To compare again as data come in, plan it beforehand (n_total): unplanned looks add false claims."


def test_a_file_is_made_by_the_first_look_and_goes_on(tmp_path: Path) -> None:
    """It holds the plan, so n_total is said once."""
    path = tmp_path / "looks.json"
    tb.compare(answers(100), metric="accuracy", n_total=N, looks=path)
    answer = tb.compare(answers(250), metric="accuracy", looks=path)
    assert answer.looks is not None
    assert [look.n for look in answer.looks.taken] == [100, 250]
    assert plan_of(None, path)[0] == answer.looks == looked([100, 250]).looks
    assert [each.name for each in tmp_path.iterdir()] == ["looks.json"]  # neither a lock nor a temporary file


def test_two_looks_at_once_do_not_both_count(tmp_path: Path) -> None:
    """The second writer finds another content than it read, and nothing of it is kept."""
    path = tmp_path / "looks.json"
    tb.compare(answers(100), metric="accuracy", n_total=N, looks=path)
    before = path.read_bytes()
    other = tb.compare(answers(250), metric="accuracy", looks=path).looks
    written = path.read_bytes()
    assert other is not None
    with pytest.raises(ChangedRunError, match=r"another look was written into .* this one was not kept"):
        keep(path, before, other)
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'{"kind": "looks", "sch', "no whole file of looks"),
        (b"\xff\xfe", "no whole file of looks"),
        (b'{"kind": "looks", "schema": 7}', "reads, which are of schema 1"),
        (b'{"schema": 2, "settings": {"rope": 0}}', "an answer without a plan"),
        (b"[]", "holds no looks"),
    ],
)
def test_a_file_that_holds_no_looks_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    """Half-written, not text, of a newer version, an answer without a plan, anything else."""
    path = tmp_path / "looks.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=text):
        tb.compare(answers(100), metric="accuracy", n_total=N, looks=path)
    assert path.read_bytes() == content


def test_a_new_file_needs_the_size_of_the_plan(tmp_path: Path) -> None:
    """And its folder."""
    with pytest.raises(InvalidParameterError, match="say how many units it has with n_total="):
        tb.compare(answers(100), metric="accuracy", looks=tmp_path / "looks.json")
    with pytest.raises(StoreError, match="folder"):
        tb.compare(answers(100), metric="accuracy", n_total=N, looks=tmp_path / "no" / "looks.json")


def test_the_lock_of_a_writer_who_died_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh one is waited for, one of more than a minute is not."""
    path = tmp_path / "looks.json"
    lock = tmp_path / ".looks.json.lock"
    lock.touch()
    monkeypatch.setattr(looks_view, "MOST_SECONDS", 0.1)
    with pytest.raises(StoreError, match="is being written by another look"):
        tb.compare(answers(100), metric="accuracy", n_total=N, looks=path)
    os.utime(lock, (time.time() - 100,) * 2)
    tb.compare(answers(100), metric="accuracy", n_total=N, looks=path)
    assert json.loads(path.read_text())["taken"][0]["n"] == 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rope": 0.05},
        {"baseline": "m1", "rope": 0.02},
        {"correction": "none"},
        {"family": "best"},
        {"family": "best", "rope": 0.05},
    ],
)
def test_all_that_is_said_of_looks_follows_from_the_intervals(settings: dict[str, Any]) -> None:
    """The walker of tests/views/test_walk.py reads the page beside the data."""
    for seed, shares in ((0, (0.97, 0.65, 0.64)), (1, (0.8, 0.8, 0.78, 0.5)), (2, (0.8, 0.8))):
        answer = None
        for n in (100, 500, 800):
            answer = tb.compare(answers(n, shares, seed), metric="accuracy", n_total=N, looks=answer, **settings)
            if n >= 500:
                assert list(walk(Shown(answer))) == []


def test_comparisons_with_the_best_count_who_may_be_it() -> None:
    """Three of three at first; once one is left alone, nothing more is needed."""
    few = tb.compare(answers(50), metric="accuracy", n_total=N, family="best")
    assert sentence(few) == "Look 1, 50 of 800 questions: 3 of 3 models may be the best."
    assert "Go on, as m0 and m2 may both be the best: at most 750 questions are left" in " ".join(few.to_text().split())
    later = tb.compare(answers(250), metric="accuracy", looks=few, family="best")
    assert sentence(later) == "Look 2, 250 of 800 questions: the best is found; it needs no further questions."


def test_the_command_says_that_an_order_is_random(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the option, and with it the look is taken and remarked; without a plan it is wrong use."""
    monkeypatch.chdir(tmp_path)
    table = answers(N).sort_values("m1", kind="stable").assign(question=[f"q{i}" for i in range(N)])
    table[:600].to_csv("answers.csv", index=False)
    asked = ("compare", "answers.csv", "--metric", "accuracy", "--n-total", str(N), "--looks", "looks.json")
    code, out, err = run(capsys, *asked)
    assert (code, out) == (2, "")
    assert "go on with --random-order" in " ".join(err.split())
    code, out, _ = run(capsys, *asked, "--random-order")
    assert code == 0
    assert "That the order is random is taken for granted here: it was not checked." in " ".join(out.split())
    assert json.loads(Path("looks.json").read_text())["check_order"] is False
    assert "say how many units there will be, with --n-total" in run(capsys, "compare", "answers.csv", "--random-order")[2]


def test_the_sentence_counts_pairs_and_units() -> None:
    """Of three models two pairs are decided at 250 of 800 questions; of two models the pair is named as such."""
    assert sentence(looked([100, 250])) == "Look 2, 250 of 800 questions: decided 2 of 3 pairs; open 1."
    assert sentence(looked([100, 800])).endswith("open 1.")
    one = tb.compare(answers(100)[["question", "m0", "m1"]], metric="accuracy", n_total=N)
    assert sentence(one) == "Look 1, 100 of 800 questions: the pair is decided; it needs no more."
    one = tb.compare(answers(100)[["question", "m1", "m2"]], metric="accuracy", n_total=N)
    assert sentence(one) == "Look 1, 100 of 800 questions: the pair is open."


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, True),
        ({"rope": 0.001}, True),
        ({"rope": "1%"}, False),  # a share of a mean that moves from look to look
        ({"correction": "holm"}, False),
    ],
)
def test_a_plan_is_named_only_where_there_can_be_one(given: dict[str, Any], named: bool) -> None:
    """The page does not send to n_total where n_total would be refused."""
    at: dict[str, Any] = {"metric": "accuracy", "n_train": 80, "n_test": 20, **given}
    answer = tb.compare(repeats(10, (0.0, 0.0)), **at)
    assert (UNPLANNED in " ".join(answer.details.split())) is named
    with nullcontext() if named else pytest.raises(tb.TiebreakError):
        tb.compare(repeats(10, (0.0, 0.0)), n_total=20, **at)
