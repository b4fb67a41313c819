"""``tiebreak sample-size``: in every format, from a pilot, with an order and a figure, and errors as messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tiebreak as tb
from tests.cli.conftest import run


@pytest.fixture
def pilot(here: Path) -> str:
    """Forty items, of which 6 are right for one model only."""
    rows = [f"{k},{int(k not in (0, 1))},{int(k not in (2, 3, 4, 5))}" for k in range(40)]
    Path("pilot.csv").write_text("item,old,new\n" + "\n".join(rows) + "\n")
    return "pilot.csv"


def test_table_json_csv_and_markdown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same numbers as the library has, in every format."""
    size = tb.sample_size(difference=0.05, sd=0.3)
    asked = ("sample-size", "--difference", "0.05", "--sd", "0.3")
    code, out, err = run(capsys, *asked)
    assert (code, out, err) == (0, size.to_text(), "")
    assert json.loads(run(capsys, *asked, "--format", "json")[1]) == size.to_dict()
    lines = run(capsys, *asked, "--format", "csv")[1].splitlines()
    assert lines[0] == "n,smallest,power,cost,seconds"
    assert [line.split(",")[0] for line in lines[1:]] == [str(step.n) for step in size.steps]
    assert run(capsys, *asked, "--format", "markdown")[1] == size.to_markdown()


def test_every_option_reaches_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two rates, clusters, several models with a baseline, a rope, a goal, looks and times."""
    typed = ("--rates", "0.8", "--correlation", "0.4", "--cluster-size", "5", "--intraclass-correlation", "0.1", "--rope", "0.03",
             "--goal", "equivalent", "--n-models", "4", "--with-baseline", "--power", "0.9", "--alpha", "0.1", "--looks", "3",
             "--correction", "none", "--seconds", "2")  # fmt: skip
    size = tb.sample_size(
        rates=0.8, correlation=0.4, cluster_size=5, intraclass_correlation=0.1, rope=0.03, goal="equivalent", n_models=4,
        baseline=True, power=0.9, alpha=0.1, looks=3, correction="none", seconds=2,
    )  # fmt: skip
    assert run(capsys, "sample-size", *typed)[:2] == (0, size.to_text())
    others = (
        (("--n", "20", "--question", "seeds", "--sd", "1,2"), {"n": 20, "question": "seeds", "sd": (1.0, 2.0)}),
        (("--n", "9", "--question", "seeds", "--sd", "1", "--paired"), {"n": 9, "question": "seeds", "sd": 1.0, "paired": True}),
        (("--n", "5", "--question", "splits", "--sd", "1", "--n-folds", "5", "--n-train", "80", "--n-test", "20"),
         {"n": 5, "question": "splits", "sd": 1.0, "n_folds": 5, "n_train": 80, "n_test": 20}),
        (("--areas", "0.85,0.8", "--positives", "0.2"), {"areas": (0.85, 0.8), "positives": 0.2}),
        (("--n", "90", "--sd", "1", "--n-runs", "3", "--run-sd", "0.5", "--shared-run-sd", "0.1"),
         {"n": 90, "sd": 1.0, "n_runs": 3, "run_sd": 0.5, "shared_run_sd": 0.1}),
        (("--n", "90", "--sd", "1", "--goal", "not worse", "--n-questions", "3"),
         {"n": 90, "sd": 1.0, "goal": "not worse", "n_questions": 3}),
        (("--n", "90", "--discordant", "0.2"), {"n": 90, "discordant": 0.2}),
    )  # fmt: skip
    for options, arguments in others:
        assert run(capsys, "sample-size", *options)[1] == tb.sample_size(**arguments).to_text()  # type: ignore[arg-type]


def test_a_pilot_is_a_file(pilot: str, capsys: pytest.CaptureFixture[str]) -> None:
    """15 % are discordant in it, which is said; a pair of names chooses."""
    code, out, _ = run(capsys, "sample-size", pilot, "--difference", "0.05", "--metric", "accuracy", "--pair", "old", "new")
    assert code == 0
    assert "exactly one model is right on 15% of the items" in out
    assert "a pilot, 40 items of 'old' and 'new'" in out


def test_order_and_figure_are_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names come from a file, with or without clusters; the seed decides."""
    Path("ids.csv").write_text("item,cluster\n" + "".join(f"q{k},text {k // 2}\n" for k in range(10)))
    options = ("--n", "6", "--sd", "1", "--write-order", "order.csv", "--ids", "ids.csv", "--seed", "2", "--plots", "figures")
    code, _, err = run(capsys, "sample-size", *options)
    assert code == 0
    assert "the order is in order.csv" in err
    assert "power.png is in figures" in err
    assert Path("figures/power.png").stat().st_size > 10_000
    lines = Path("order.csv").read_text().splitlines()
    assert lines[0] == "position,cluster,item"
    assert len(lines) == 7
    Path("plain.csv").write_text("a\nb\nc\n")
    assert run(capsys, "sample-size", "--n", "3", "--sd", "1", "--write-order", "order.csv", "--ids", "plain.csv")[0] == 0
    assert sorted(line.split(",")[1] for line in Path("order.csv").read_text().splitlines()[1:]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "--difference (the smallest difference that is worth seeing) or --n"),
        (("--difference", "0.1"), "--discordant (the share of items"),
        (("--n", "0", "--sd", "-1"), "--n must be a whole number"),
        (("--n", "9", "--sd", "x"), "'x' is no number"),
        (("--n", "9", "--sd", "1,2,3"), "'1,2,3' is no number"),
        (("--difference", "0.1", "--rope", "0.2", "--sd", "1"), "or --goal ahead"),
        (("--n", "9", "--sd", "1", "--ids", "ids.csv"), "--ids goes with --write-order"),
        (("--n", "9", "--sd", "1", "--write-order", "o.csv", "--ids", "none.csv"), "'none.csv' cannot be read"),
        (("--n", "9", "--sd", "1", "--write-order", "o.csv", "--ids", "empty.csv"), "'empty.csv' holds no names"),
        (("--n", "9", "--sd", "1", "--write-order", "o.csv", "--ids", "odd.csv"), "one column of names in all rows, or two"),
        (("--n", "9", "--sd", "1", "--write-order", "nowhere/o.csv"), "nowhere"),
        (("--n", "9", "--sd", "1", "--metric", "accuracy"), "of a pilot, and there is none"),
        (("missing.csv", "--n", "9"), "missing.csv"),
    ],
)
def test_errors_are_messages(options: tuple[str, ...], text: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on standard output, no traceback."""
    Path("empty.csv").write_text("item\n")
    Path("odd.csv").write_text("a,1,2\nb\n")
    code, out, err = run(capsys, "sample-size", *options)
    assert (code, out) == (2, "")
    assert text in err
    assert "Traceback" not in err
