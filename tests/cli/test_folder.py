"""``tiebreak FOLDER``: from the folder where results lie to the verdict."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import printed, refused, run
from tests.readers.log_files import harness, inspect
from tiebreak.readers import files


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
    """In about twenty lines: what was found, the pair, and the verdict."""
    monkeypatch.chdir(folder.parent)
    lines = printed(capsys, "lm").splitlines()
    assert lines[0] == "3 files in lm"
    assert "  2 logs of single samples: 'a.eval' and 'b.eval'" in lines
    assert any(line.startswith("org/a is better than org/b") for line in lines)
    assert len(lines) <= 25


@pytest.mark.parametrize("typed", [["."], ["compare", "."], [".", "--rope", "0.1"]])
def test_ways_to_say_it(
    typed: list[str], folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder alone, with the command, with its options; the command shows the whole page."""
    monkeypatch.chdir(folder)
    text = printed(capsys, *typed)
    assert text.startswith("3 files in .\n")
    assert "org/a is better" in text


def test_what_programs_read_is_the_answer_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON on standard output, the list as a message; requirements and their exit codes work as with files."""
    code, out, err = run(capsys, "compare", str(folder), "--format", "json")
    assert (code, json.loads(out)["pairs"][0]["n_units"]) == (0, 120)
    assert "2 logs of single samples" in err
    assert run(capsys, str(folder), "--require-not-worse", "org/b", "org/a")[0] == 1


def test_a_command_goes_before_a_folder_of_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder called runs is typed as ./runs; what is neither is an unknown command."""
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TIEBREAK_STORE", raising=False)
    assert "which store?" in refused(capsys, "runs")
    assert "holds no results" in refused(capsys, "./runs")
    assert "No such command 'nowhere'" in refused(capsys, "nowhere")


def pair(folder: Path) -> None:
    """Two logs that can be compared, with what is wrong beside."""
    inspect(folder / "a.eval", ["C", "I"] * 30, "a")
    inspect(folder / "b.eval", ["C", "C"] * 30, "b")


def many_others(folder: Path) -> None:
    pair(folder)
    for i in range(2000):
        (folder / f"{i}.txt").write_text("a letter, and no table\n")


def spoilt(folder: Path) -> None:
    """Beside the pair: cut off, too large, and of another scorer."""
    pair(folder)
    whole = inspect(folder / "c.eval", ["C", "I"] * 30, "c")
    whole.write_bytes(whole.read_bytes()[:900])
    cut = harness(folder / "samples_t_2026-01-02T03-04-05.1.jsonl", [1, 0] * 10)
    cut.write_text(cut.read_text()[:-30])
    (folder / "big.json").write_text(json.dumps({"version": 2, "eval": {"model": "c"}, "pad": "x" * 9000}))
    inspect(folder / "d.eval", ["good", "bad"] * 30, "d")


def unequal_epochs(folder: Path) -> None:
    inspect(folder / "a.eval", [["C", "I", "C", "C"]] * 30, "a")
    inspect(folder / "b.eval", [["I", "C"], ["C"]] * 15, "b")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (many_others, "2,000 others, not opened or without results"),
        (spoilt, "was the evaluation or the copy stopped?"),
        (spoilt, "samples_t_2026-01-02T03-04-05.1.jsonl: line 20, is not JSON"),
        (spoilt, "left out: big.json: it takes 0.0 GB, more than"),
        (spoilt, "d.eval: sample '0': 'good' is a word and no score. Choose a scorer"),
        (unequal_epochs, "1 to 4 epochs of each item are averaged"),
    ],
)
def test_what_lies_beside_is_named_and_the_rest_compared(
    make: Callable[[Path], None],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No log is lost in silence, and none keeps the others from their verdict."""
    make(tmp_path)
    monkeypatch.setattr(files, "MOST_READ", 9000)
    text = printed(capsys, str(tmp_path))
    assert said in text
    assert "compared: 2 models" in text


def all_words(folder: Path) -> None:
    for model in "ab":
        inspect(folder / f"{model}.eval", ["good", "bad"] * 30, model)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: None, "holds no results that tiebreak reads among 0 files"),
        (lambda folder: (folder / "x.bin").touch(), "holds no results that tiebreak reads among 1 file: logs of"),
        (all_words, "are none that can be read (left out: a.eval: sample '0': 'good' is a word and no score"),
    ],
)
def test_what_cannot_be_compared_is_wrong_use(
    make: Callable[[Path], None], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, what lies there, and how to go on; nothing on standard output."""
    make(tmp_path)
    assert said in refused(capsys, str(tmp_path))


def test_a_file_in_the_place_of_a_command_is_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`tiebreak FILE` is `tiebreak compare FILE`, options included."""
    path = tmp_path / "answers.csv"
    path.write_text("question,a,b\n" + "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in range(60)))
    assert printed(capsys, str(path), "--rope", "0.1") == printed(capsys, "compare", str(path), "--rope", "0.1")
