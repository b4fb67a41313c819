"""What came of a fault that was made to happen at a number of points, as the line that a script prints and a test reads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@dataclass
class Trial:
    """Counts over all points.

    Attributes
    ----------
    points : int
        How often the fault happened.
    acknowledged, lost, doubled : int
        Cells that were said to be kept; those of them that were not there afterwards, or not with the same bits; those that were
        kept twice or measured once more.
    broken : list of str
        Promises that were broken, in words; whatever is lost or doubled is among them.
    skipped : str
        Why nothing was tried.
    """

    points: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    broken: list[str] = field(default_factory=list)
    skipped: str = ""


def told(fault: Callable[..., Trial]) -> None:
    """Be a script: try a fault with the words that were typed behind a temporary folder, and print what came of it."""
    with TemporaryDirectory() as folder:
        print(json.dumps(asdict(fault(Path(folder), *sys.argv[1:]))))


def tried(script: str, *words: str) -> Trial:
    """Run a script in a process of its own, as it forks; skip where the system does not allow the fault."""
    command = [sys.executable, str(Path(__file__).with_name(f"{script}.py")), *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=1800)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    trial = Trial(**said)
    if trial.skipped:
        pytest.skip(f"THE FAULT {script} {' '.join(words)} WAS NOT TRIED: {trial.skipped}")
    return trial
