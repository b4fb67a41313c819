"""``tiebreak rate``: ratings in every format, a figure, and errors."""

from pathlib import Path

import pytest

from tests.cli.conftest import printed, refused, run
from tests.readers.test_battles import annotations


@pytest.fixture
def battles(here: Path) -> str:
    """Forty battles, three of four won by x."""
    rows = ["x,y,a", "y,x,x", "x,y,tie", "y,x,a"] * 10
    Path("battles.csv").write_text("model_a,model_b,winner\n" + "\n".join(rows) + "\n")
    return "battles.csv"


def test_settings_and_figure(battles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each option reaches the library."""
    options = ("--anchor", "y", "--level", "0.9", "--plots", "figures")
    code, out, err = run(capsys, "rate", battles, *options)
    assert code == 0
    assert "y is at 1000" in " ".join(out.split())
    assert "90% interval" in out
    assert "ratings.png is in figures" in err
    assert Path("figures/ratings.png").stat().st_size > 10_000


def test_columns_are_named_of_battles_and_of_scores(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--column and --where reach the reader of what the file holds."""
    Path("b.csv").write_text("one,two,who,lang\n" + "x,y,x,en\ny,x,one,de\nx,y,two,en\n" * 9)
    sides = ("--column", "model_a=one", "--column", "model_b=two", "--column", "winner=who")
    assert "(18 battles)" in printed(capsys, "rate", "b.csv", *sides, "--where", "lang", "en")
    Path("s.csv").write_text("who,dataset,accuracy\n" + "".join(f"x,d{i},0.9\ny,d{i},0.8\n" for i in range(9)))
    assert "9 datasets" in printed(capsys, "rate", "s.csv", "--column", "model=who", "--metric", "accuracy")


def test_errors_are_messages(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on standard output."""
    Path("bad.csv").write_text("model_a,model_b,winner\nx,x,a\n")
    assert "'x' meets itself" in refused(capsys, "rate", "bad.csv")
    assert run(capsys, "rate", "none.csv")[0] == 2
    assert run(capsys, "rate", "bad.csv", "--raw")[0] == 2


def test_a_folder_of_judged_answers_is_rated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file for each model, as AlpacaEval writes them: the folder alone, the command, and the files say the same ratings.

    A copy and a half-written file are refused.
    """
    paths = [annotations(here / "alpaca" / model / "annotations.json", model, seed) for seed, model in enumerate("xyz")]
    alone = printed(capsys, "alpaca")
    assert run(capsys, "rate", "alpaca") == (0, alone, "")
    of_files = printed(capsys, "rate", *map(str, paths))
    assert of_files.split("Ratings, best")[1].split("\n\n")[0] == alone.split("Ratings, best")[1].split("\n\n")[0]
    assert alone.startswith("3 files in alpaca\n  3 tables of judged battles: ")
    assert "[one-order]" in alone
    for name, content, text in (
        ("z.json", paths[0].read_text(), "would count twice"),
        ("half.json", paths[0].read_text()[:7000], "is not JSON"),
    ):
        (here / "alpaca" / name).write_text(content)
        said = run(capsys, "rate", "alpaca")[2]
        assert text in said
        assert " files in alpaca\n" in said


def test_a_comparison_of_judged_answers_names_the_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What compares scores says what to type; beside logs or tables of scores, both are named."""
    annotations(here / "judged" / "x.json", "x", 0)
    assert "x.json: judged battles: 'tiebreak rate FOLDER' rates their models" in " ".join(
        refused(capsys, "compare", "judged").split()
    )
    rows = "".join(f"{i},{model},{i % 2}\n" for i in range(9) for model in "pq")
    (here / "judged" / "items.csv").write_text("question,model,score\n" + rows)
    assert "left out: x.json: judged battles: 'tiebreak rate FOLDER' rates their models" in printed(capsys, "judged")
    assert "1 table of items: 'items.csv'" in printed(capsys, "rate", "judged")
