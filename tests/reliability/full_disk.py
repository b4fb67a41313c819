"""A disk that is really full: a file system of 1 MB with a ballast that leaves some pages, ``tiebreak run``, then room again.

Every number of free pages is tried, from none at all to as many as the study takes. The command has to say that the disk is
full, where, how many cells are kept, and what to type; it ends with exit code 2. What it says is kept is there, and nothing half.
With room the same command finishes, and its table is the undisturbed one bit for bit.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.reliability import forked, study
from tests.reliability.fault import Fault, Recipe, UnavailableError, in_brief

NAME = "a disk of 1 MB that is really full"
PAGE = 4096
N_PAGES = 256
RUN = "full"
STUDY = f"""\
name = "{RUN}"
cv = {{ kind = "repeated-kfold", n_folds = 2, n_repeats = 2 }}
data = {{ source = "sklearn:iris" }}
models.bayes.import = "sklearn.naive_bayes:GaussianNB"
models.guess.import = "sklearn.dummy:DummyClassifier"
models.guess.params = {{ strategy = "stratified" }}
models.tree.import = "sklearn.tree:DecisionTreeClassifier"
"""
COUNTS = ("points", "acknowledged", "lost", "doubled", "corrupt")
KEPT = re.compile(r"^(\d+) of 12 cells of run 'full' are kept in ", re.MULTILINE)
IS_FULL = re.compile(r"^tiebreak: \S+ cannot grow: the disk is full\. ", re.MULTILINE)


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """So many different numbers of free pages, in both journal modes."""
    file = folder / "full.toml"
    file.write_text(STUDY)
    study.warm_up()
    faults = []
    with _small_disk(folder / "disk") as disk:
        for wal in (False, True):
            faults.append(_one_mode(file, disk, n_points, rng, wal=wal))
    messages = sum((messages for _, messages in faults), Counter())
    parts = [fault for fault, _ in faults]
    return Fault(
        NAME,
        points=sum(part["points"] for part in parts),
        acknowledged=sum(part["acknowledged"] for part in parts),
        lost=sum(part["lost"] for part in parts),
        doubled=sum(part["doubled"] for part in parts),
        corrupt=sum(part["corrupt"] for part in parts),
        longest_recovery_s=max(part["longest"] for part in parts),
        broken=tuple(text for part in parts for text in part["broken"]),
        remark=in_brief(messages, folder / "disk" / "runs.db"),
    )


def _one_mode(file: Path, disk: Path, n_points: int, rng: Random, *, wal: bool) -> tuple[dict[str, Any], Counter[str]]:
    path = disk / "runs.db"
    tally: dict[str, Any] = dict.fromkeys(("points", "acknowledged", "lost", "doubled", "corrupt"), 0) | {
        "longest": 0.0,
        "broken": [],
    }
    messages: Counter[str] = Counter()
    code, answer, _ = command(file, path, wal)
    if code:
        raise RuntimeError(f"the undisturbed run ended with exit code {code}: {answer}")
    expected = forked.call(lambda: study.state_of(path, RUN)._asdict())["cells"]
    _empty(disk)
    most = needed_pages(file, disk, wal)
    for n_free in sorted(rng.sample(range(most), min(n_points, most))):
        where = f"{n_free} pages free, {'WAL' if wal else 'DELETE'}"
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(PAGE * max(0, _free_pages(disk) - n_free)))
        code, _, said = command(file, path, wal)
        ballast.unlink()
        before = forked.call(lambda: study.state_of(path, RUN)._asdict())
        again, late, _ = command(file, path, wal)
        after = forked.call(lambda: study.state_of(path, RUN)._asdict())
        _empty(disk)
        if code == 0:
            continue
        told = KEPT.search(said)
        kept = int(told.group(1)) if told else 0
        wrong = [cell for cell, bits in before["cells"].items() if bits != expected[cell]]
        is_corrupt = bool(wrong or before["damages"] or after["damages"] or after["cells"] != expected)
        tally["points"] += 1
        tally["acknowledged"] += kept
        tally["lost"] += max(0, kept - len(before["cells"]))
        tally["doubled"] += before["n_double"] + after["n_double"]
        tally["corrupt"] += is_corrupt
        tally["longest"] = max(tally["longest"], before["seconds"])
        messages[" ".join(said.splitlines()[-1:])] += 1
        ok = code == 2 and again == 0 and IS_FULL.search(said) and kept == len(before["cells"]) and "internal" not in said
        if not ok or is_corrupt or "Traceback" in said:
            tally["broken"].append(f"{where}: exit codes {code}, {again}; {said!r}; {late!r}; {before}; {after['damages']}")
    return tally, messages


def needed_pages(file: Path, disk: Path, wal: bool) -> int:
    """How many pages are enough: found by halving."""
    enough, few = N_PAGES, 0
    while enough - few > 1:
        middle = (enough + few) // 2
        (disk / "ballast").write_bytes(bytes(PAGE * max(0, _free_pages(disk) - middle)))
        if command(file, disk / "runs.db", wal)[0] == 0:
            enough = middle
        else:
            few = middle
        _empty(disk)
    return enough


def command(file: Path, path: Path, wal: bool) -> tuple[int, str, str]:
    """``tiebreak run``: exit code, answer and messages. Every cell is kept by itself, so that there are several transactions."""

    def run(say: forked.Say) -> None:
        from tiebreak.cli import main
        from tiebreak.runners import local as here

        setattr(here, "BATCH_SECONDS", 0)  # noqa: B010  (a name that it has from elsewhere)
        study.use_wal(wal)
        for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
            os.dup2(os.open(file.parent / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
        say("code", main.run(["run", str(file), "--store", f"sqlite:///{path}"]))

    child = forked.Child(run)
    codes = [code for _, code in child.said()]
    child.end()
    said = [(file.parent / name).read_text(encoding="utf-8") for name in ("out", "err")]
    return codes[0] if codes else 1000 + (child.code or 0), said[0], said[1]


@contextlib.contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    if sys.platform != "linux" or os.geteuid() != 0:
        raise UnavailableError("only the superuser of a Linux system can mount a file system of 1 MB")
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={N_PAGES * PAGE}", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        raise UnavailableError(f"a file system of 1 MB cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _free_pages(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize // PAGE


def _empty(disk: Path) -> None:
    for file in disk.iterdir():
        file.unlink()


RECIPE = Recipe(torment, n_small=3, n_release=N_PAGES)
