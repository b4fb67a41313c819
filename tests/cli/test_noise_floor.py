"""``tiebreak noise-floor``: every format, the file for gates, and gates that find it in a folder."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import printed, refused, run


@pytest.fixture
def runs(here: Path) -> str:
    """Two runs of one model on 100 questions, of which 10 change each way: a standard error of sqrt(0.2 / 99)."""
    answers = np.array([[1] * 45 + [0] * 45 + [1, 0] * 5, [1] * 45 + [0] * 45 + [0, 1] * 5])
    frame = pd.DataFrame({"question": np.tile(range(100), 2), "run": np.repeat([1, 2], 100), "m": answers.ravel()})
    Path("results").mkdir()
    frame.to_csv("results/runs.csv", index=False)
    return "results/runs.csv"


def test_every_format_and_the_file(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten of 100 answers change: standard error sqrt(0.1 / 99), times 1.984."""
    code, out, err = run(capsys, "noise-floor", runs, "--output", "noise.json")
    assert (code, "the noise floor is in noise.json" in err) == (0, True)
    held = json.loads(Path("noise.json").read_text(encoding="utf-8"))
    assert held["noise_floor"] >= 1.984 * np.sqrt(0.1 / 99) - 1e-4
    assert f"{held['noise_floor']:.3g}" in out
    assert json.loads(run(capsys, "noise-floor", runs, "--format", "json")[1]) == held
    assert run(capsys, "noise-floor", runs, "--format", "csv")[1].startswith("noise_floor,level,kind")
    assert "**" in run(capsys, "noise-floor", runs, "--format", "markdown")[1]


def test_columns_may_be_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the errors say: --column, and --where."""
    Path("r.csv").write_text(
        "who,run,q,ok,lang\n" + "".join(f"m,{run},q{q},{(run + q) % 2},en\n" for run in (1, 2) for q in range(9))
    )
    said = ("--column", "model=who", "--column", "item=q", "--column", "score=ok", "--where", "lang", "en")
    assert "2 runs of 'm' on 9 items" in printed(capsys, "noise-floor", "r.csv", *said)


def test_gates_print_it(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A number, a file, and a file that lies with the results; below it a gate is open, exit code 3."""
    rng = np.random.default_rng(0)
    Path("pair").mkdir()
    table = pd.DataFrame({"question": range(100), "new": rng.integers(0, 2, 100), "old": rng.integers(0, 2, 100)})
    table.to_csv("pair/answers.csv", index=False)
    gate = ("--rope", "0.02", "--require-not-worse", "new", "old")
    assert run(capsys, "noise-floor", runs, "--output", "pair/noise.json")[0] == 0
    for source, floor in (
        ("pair/answers.csv", ("--noise-floor", "0.06")),
        ("pair/answers.csv", ("--noise-floor", "pair/noise.json")),
        ("pair", ()),
    ):
        code, out, _ = run(capsys, "compare", source, *gate, *floor)
        assert (code, "the margin of 0.02 lies below it" in " ".join(out.split())) == (3, True)
    assert "1 noise floor, for gates: 'noise.json'" in out


def test_wrong_use_is_a_message(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on standard output."""
    Path("once.csv").write_text("question,a,b\n1,1,0\n2,0,1\n", encoding="utf-8")
    for arguments, said in (
        (("noise-floor", "once.csv"), "--same"),
        (("noise-floor", runs, "--output", runs), "would write over"),
        (("noise-floor", "nothing.csv"), "nothing.csv"),
        (("compare", "once.csv", "--noise-floor", "0.1"), "goes with a requirement"),
        (("compare", "once.csv", "--require-better", "a", "b", "--noise-floor", "gone.json"), "gone.json cannot be read"),
        (("compare", "once.csv", "--require-better", "a", "b", "--noise-floor", "-1"), "must be 0 or more"),
    ):
        assert said in refused(capsys, *arguments)
