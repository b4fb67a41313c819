"""A disk that is really full: a file system of 1 MB with a ballast that leaves some pages, a study, then room again.

    python tests/reliability/full_disk.py 256

The study has to end with the message that the disk is full. What was acknowledged is there, and nothing half. With room the same
study goes on, and its table is the undisturbed one bit for bit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import tiebreak as tb
from tests.reliability import forked, study
from tests.reliability.trial import Trial, told

PAGE = 4096
N_PAGES = 256


def fill(folder: Path, n_points: str) -> Trial:
    """Try so many numbers of free pages, in both journal modes."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={N_PAGES * PAGE}", "tmpfs", str(disk)]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        return Trial(skipped="only the superuser of a Linux system can mount a file system of 1 MB")
    trial = Trial()
    try:
        study.warm_up()
        for wal in (False, True):
            _one_mode(disk, int(n_points), trial, wal=wal)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    return trial


def _one_mode(disk: Path, n_points: int, trial: Trial, *, wal: bool) -> None:
    path = disk / "runs.db"
    for left in disk.iterdir():
        left.unlink()

    def state() -> dict[str, Any]:
        return dict(forked.call(lambda: study.state_of(path)._asdict()))

    _measure(path, wal)
    expected = state()["cells"]
    n_needed = path.stat().st_size // PAGE
    assert len(expected) == study.N_CELLS
    for n_free in Random(7).sample(range(2 * n_needed), 2 * n_needed):
        if not n_points:
            return
        for left in disk.iterdir():
            left.unlink()
        found = os.statvfs(disk)
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(PAGE * max(0, found.f_bavail * found.f_frsize // PAGE - n_free)))
        kept, errors = _measure(path, wal)
        ballast.unlink()
        if not errors:  # it was enough
            continue
        n_points -= 1
        before = state()
        _, late = _measure(path, wal)
        after = state()
        trial.points += 1
        trial.acknowledged += len(kept)
        trial.lost += sum(before["cells"].get(cell) != expected[cell] for cell in kept)
        is_whole = not before["damages"] and not after["damages"] and not late and after["cells"] == expected
        if errors != [f"{path} cannot grow: the disk is full"] or not is_whole or set(before["cells"]) - set(kept):
            trial.broken.append(f"{n_free} pages free, wal {wal}: {errors}, {late}; {kept}; {before}; {after}")


def _measure(path: Path, wal: bool) -> tuple[list[str], list[str]]:
    """The cells that were acknowledged, and what an error said first."""

    def run(say: forked.Say) -> None:
        study.use_wal(wal)
        try:
            study.evaluate(path, say, n_times=40)
        except tb.errors.TiebreakError as error:
            say("error", str(error).partition(". ")[0])

    child = forked.Child(run)
    said = list(child.said())
    errors = [values[0] for word, *values in said if word == "error"]
    if child.end():
        errors.append(f"exit code {child.code}")
    return [str(cell) for word, *cells in said if word == "kept" for cell in cells], errors


if __name__ == "__main__":
    told(fill)
