"""``tiebreak sample-size``: in every format, from a pilot, with a figure, and errors as messages."""

import json
from pathlib import Path

import pytest

import tiebreak as tb
from tests.cli.conftest import refused, run


def test_table_json_csv_and_markdown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same numbers as the library has, in every format."""
    size = tb.sample_size(difference=0.05, sd=0.3)
    asked = ("sample-size", "--difference", "0.05", "--sd", "0.3")
    assert run(capsys, *asked) == (0, size.to_text(), "")
    assert json.loads(run(capsys, *asked, "--format", "json")[1]) == size.to_dict()
    lines = run(capsys, *asked, "--format", "csv")[1].splitlines()
    assert lines[0] == "n,smallest,power,cost"
    assert [line.split(",")[0] for line in lines[1:]] == [str(n) for n, *_ in size.steps]
    assert run(capsys, *asked, "--format", "markdown")[1] == size.to_markdown()


def test_every_option_reaches_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two rates, clusters, several models, a rope, a goal, looks; seeds, splits and discordant items."""
    typed = ("--rates", "0.8", "--correlation", "0.4", "--cluster-size", "5", "--intraclass-correlation", "0.1", "--rope", "0.03",
             "--goal", "equivalent", "--n-models", "4", "--power", "0.9", "--alpha", "0.1", "--looks", "3")  # fmt: skip
    size = tb.sample_size(
        rates=0.8, correlation=0.4, cluster_size=5, intraclass_correlation=0.1, rope=0.03, goal="equivalent", n_models=4,
        power=0.9, alpha=0.1, looks=3,
    )  # fmt: skip
    assert run(capsys, "sample-size", *typed)[:2] == (0, size.to_text())
    others = (
        (("--n", "20", "--question", "seeds", "--sd", "1,2"), {"n": 20, "question": "seeds", "sd": (1.0, 2.0)}),
        (("--n", "5", "--question", "splits", "--sd", "1", "--n-folds", "5"),
         {"n": 5, "question": "splits", "sd": 1.0, "n_folds": 5}),
        (("--n", "90", "--discordant", "0.2"), {"n": 90, "discordant": 0.2}),
    )  # fmt: skip
    for options, arguments in others:
        assert run(capsys, "sample-size", *options)[1] == tb.sample_size(**arguments).to_text()  # type: ignore[arg-type]


def test_a_pilot_is_a_file_and_the_power_is_drawn(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Forty items, of which 6 are right for one model only: 15 % are discordant."""
    rows = [f"{k},{int(k not in (0, 1))},{int(k not in (2, 3, 4, 5))}" for k in range(40)]
    Path("pilot.csv").write_text("item,old,new\n" + "\n".join(rows) + "\n")
    options = ("--difference", "0.05", "--metric", "accuracy", "--plots", "figures")
    code, out, err = run(capsys, "sample-size", "pilot.csv", *options)
    assert code == 0
    assert "exactly one model is right on 15% of the items" in out
    assert "a pilot, 40 items of 'old' and 'new'" in out
    assert "power.png is in figures" in err
    assert Path("figures/power.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "--difference (the smallest difference that is worth seeing) or --n"),
        (("--difference", "0.1"), "--discordant (the share of items"),
        (("--n", "0", "--sd", "-1"), "--n must be a number from 1"),
        (("--n", "9", "--sd", "x"), "'x' is no number"),
        (("--n", "9", "--sd", "1,2,3"), "'1,2,3' is no number"),
        (("--difference", "0.1", "--rope", "0.2", "--sd", "1"), "or --goal 'not worse'"),
        (("--n", "9", "--sd", "1", "--metric", "accuracy"), "of a pilot, and there is none"),
        (("missing.csv", "--n", "9"), "missing.csv"),
        (("words.csv", "--difference", "0.1"), "'tiebreak compare' has the options of reading, and its answer"),
    ],
)
def test_errors_are_messages(options: tuple[str, ...], text: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on standard output, no traceback."""
    Path("words.csv").write_text("thing,which,value\nq1,a,0.5\nq1,b,0.6\n")
    err = refused(capsys, "sample-size", *options)
    assert text in " ".join(err.split())
    assert "Traceback" not in err
