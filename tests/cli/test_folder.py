"""``tiebreak FOLDER``: from the folder where results lie to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.readers.test_item_logs import inspect
from tiebreak.cli.main import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models on one task, and what else lies about."""
    path = tmp_path / "lm"
    path.mkdir()
    inspect(path / "a.eval", ["C", "C", "C", "I"] * 30, "org/a")
    inspect(path / "b.eval", ["C", "I", "I", "I"] * 30, "org/b")
    (path / "notes.txt").write_text("x")
    return path


def test_a_folder_is_compared_to_the_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In about twenty lines: what was found, the pair, the verdict, and what to type next."""
    monkeypatch.chdir(folder.parent)
    assert run(["lm"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 files in lm"
    assert "  2 logs of single samples: 'a.eval' and 'b.eval'" in lines
    assert any(line.startswith("Verdict: org/a is better than org/b") for line in lines)
    assert lines[-3].startswith("  tiebreak compare lm ")
    assert len(lines) <= 25


@pytest.mark.parametrize("typed", [["."], ["compare", "."], [".", "--rope", "0.1"]])
def test_ways_to_say_it(
    typed: list[str], folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder alone, with the command, with its options; the command shows the whole page."""
    monkeypatch.chdir(folder)
    assert run(typed) == 0
    text = capsys.readouterr().out
    assert text.startswith("3 files in .\n")
    assert ("Method" in text) == (typed[0] == "compare")
    assert ("--rope 0.01" in text) == ("--rope" not in typed)
    assert "Verdict: org/a is better" in text


def test_what_programs_read_is_the_answer_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON on standard output, the list as a message; requirements and their exit codes work as with files."""
    assert run(["compare", str(folder), "--format", "json"]) == 0
    written = capsys.readouterr()
    assert json.loads(written.out)["pairs"][0]["n_units"] == 120
    assert "2 logs of single samples" in written.err
    assert run([str(folder), "--require-not-worse", "org/b", "org/a"]) == 1


def test_a_folder_without_results_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what is there, and what could be."""
    (tmp_path / "x.bin").write_bytes(b"x")
    assert run([str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "1 file in " in message
    assert "holds no results that tiebreak reads among 1 file: logs of" in message


def test_a_command_goes_before_a_folder_of_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder called demo is typed as ./demo; what is neither is an unknown command."""
    (tmp_path / "doctor").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(["doctor"]) == 0
    assert run(["./doctor"]) == 2
    assert "holds no results" in capsys.readouterr().err
    assert run(["nowhere"]) == 2
    assert "No such command 'nowhere'" in capsys.readouterr().err
