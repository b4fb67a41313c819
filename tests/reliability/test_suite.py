"""Each fault of the suite, at a few points; and the table that is made of them."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from tests.reliability import sweep
from tests.reliability.fault import Fault, joined, markdown_table, text_table
from tests.reliability.suite import BEGIN, END, RECIPES, ROOT, SCRIPTS, totals, write_page

pytestmark = pytest.mark.slow

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the suite forks, which this system does not know")
INTERRUPTS = "tests/cli/test_interrupts.py"
ELSEWHERE = {
    "runner": "tests/reliability/test_kills.py",
    "bad-models": "tests/evaluation/test_faults.py",
    "dask": "tests/reliability/test_dask_kills.py",
    "sharers": "tests/evaluation/test_sharing.py",
    "stopped": "tests/evaluation/test_sharing.py",
    "ctrl-c": INTERRUPTS,
    "sigterm": INTERRUPTS,
}
"""Faults that have tests of their own, and where."""
SWEEPS = {mode: [name for name in RECIPES if name.endswith(f"-{mode}")] for mode in sweep.MODES}
TOGETHER = [*SWEEPS.values(), *([name] for name in RECIPES if name not in {*ELSEWHERE, *chain(*SWEEPS.values())})]
"""What a process tries: the sweeps share what has to be imported."""


@needs_fork
@pytest.mark.parametrize("names", TOGETHER, ids=" ".join)
def test_nothing_is_lost_doubled_or_corrupt(names: list[str], tmp_path: Path) -> None:
    """What was acknowledged is there once and bit for bit, whatever happens; the suite's own process tries it, as it forks."""
    command = [sys.executable, str(ROOT / "tests" / "reliability" / "suite.py"), "--small", "--lines", "--folder", str(tmp_path)]
    only = [word for name in names for word in ("--only", name)]
    done = subprocess.run([*command, *only], capture_output=True, text=True, cwd=ROOT, timeout=3600)
    found = Fault.read(done.stdout)
    assert len(found) == len(names), done.stderr
    if skipped := {fault.skipped for fault in found if fault.skipped}:
        pytest.skip(f"THE FAULTS {' '.join(names)} WERE NOT TRIED: {'; '.join(skipped)}")
    assert all(fault.is_as_promised for fault in found), done.stderr
    assert done.returncode == 0
    print(done.stderr)


A = Fault("kills", 10, 1200, 0, 0, 0, 0.5, 10, remark="a remark")
B = Fault("full disks", 5, 34, 1, 2, 3, float("nan"), broken=("lost one",))
C = Fault("clock", skipped="no faketime")


def test_the_table() -> None:
    """Sums come last; what was not tried says why, and is not in them."""
    assert markdown_table([A, B, C]).splitlines() == [
        "| fault | points tried | rows acknowledged | lost | doubled | corrupt | longest recovery |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| kills | 10 | 1,200 | 0 | 0 | 0 | 0.50 s |",
        "| full disks | 5 | 34 | 1 | 2 | 3 | - |",
        "| clock | not tried here: no faketime |  |  |  |  |  |",
        "| all | 15 | 1,234 | 1 | 2 | 3 | 0.50 s |",
    ]
    assert text_table([A, B]).splitlines() == [
        "fault       points tried  rows acknowledged  lost  doubled  corrupt  longest recovery",
        "-------------------------------------------------------------------------------------",
        "kills                 10              1,200     0        0        0            0.50 s",
        "full disks             5                 34     1        2        3                 -",
        "all                   15              1,234     1        2        3            0.50 s",
    ]
    assert totals([A, B, C]) == "15 points, 10 of them kills; 1,234 rows acknowledged, 1 lost, 2 doubled, 3 corrupt."


def test_a_fault_as_a_line() -> None:
    """Scripts hand their faults over as lines among others."""
    assert Fault.read("\n".join(["hello", A.line(), C.line()]))[0] == A
    assert [fault.is_as_promised for fault in (A, B, C)] == [True, False, False]


def test_parts_of_a_fault_are_added() -> None:
    """Counts are summed, the longest recovery is the longest."""
    assert joined([A, A]) == Fault("kills", 20, 2400, 0, 0, 0, 0.5, 20, remark="a remark")


def test_the_page_keeps_its_words(tmp_path: Path) -> None:
    """Only what is between the marks is written afresh."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_page(page, [A])
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\n10 points, 10 of them kills")
    assert "| kills | 10 |" in text
    assert "- kills: a remark." in text
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text


def test_the_page_of_the_documentation_has_the_marks() -> None:
    """So that the suite can write its table there."""
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


def test_every_fault_has_points_to_try() -> None:
    """More before a release than for every change."""
    assert all(0 < recipe.n_small <= recipe.n_release for recipe in RECIPES.values())
    assert not set(RECIPES) & set(SCRIPTS)
