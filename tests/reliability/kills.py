"""Kill ``tiebreak run`` at random moments, start it again, and see that nothing is lost.

    python tests/reliability/kills.py --kills 20 --n-jobs 2 [--sharing]

The study runs once undisturbed. Then it is started in a session of its own, its first process is killed with SIGKILL at a random
moment, and after five seconds nothing of that session may be left; the same command is started again, and so on, until the
kills are used up; the last start runs to the end. The table must be the undisturbed one, bit for bit. Every process notes each
cell that it has measured in a file, so that cells measured twice can be counted: after a kill, each worker may have lost what
it measured at a stretch, which is one task.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

STUDY = Path(__file__).parents[2] / "examples" / "study.toml"
GRACE = 60.0
"""Seconds after which a process is one that was left behind; the time that it took is reported, and depends on the load."""
STRETCH = 0.2
"""Seconds that a worker measures before it hands over what it has; a longer cell is a task by itself."""

WITNESS = """
import os, time
if os.environ.get("TIEBREAK_WITNESS"):
    from tiebreak.evaluation.cell import Measurement
    def witnessed(self, cell, measure=Measurement.measure):
        start = time.monotonic()
        outcome = measure(self, cell)
        line = f"{os.getpid()} {cell.dataset} {cell.split} {cell.model} {time.monotonic() - start!r}\\n".encode()
        file = os.open(os.environ["TIEBREAK_WITNESS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)
        return outcome
    Measurement.measure = witnessed
"""
"""Put on the path as sitecustomize, so that every process of the run notes what it measures."""


SHARING = """\
name = "sharing"
metrics = ["roc_auc", "accuracy"]

[data]
source = "sklearn:breast_cancer"

[cv]
kind = "repeated-stratified"
n_folds = 5
n_repeats = 6

[models.svm]
steps = [
    { import = "sklearn.preprocessing:StandardScaler" },
    { import = "sklearn.preprocessing:PolynomialFeatures" },
    { import = "sklearn.decomposition:PCA", params = { random_state = 0 } },
    { import = "sklearn.svm:SVC" },
]
grid = { pca__n_components = [5, 10], svc__C = [0.1, 1.0, 10.0] }
"""
"""Six candidates with leading steps in common, all of them up to the polynomials, three each up to the PCA."""


def sharing_study(folder: Path) -> Path:
    """Study whose workers always hold tables of leading steps."""
    path = folder / "sharing.toml"
    path.write_text(SHARING, encoding="utf-8")
    return path


class Measured(NamedTuple):
    """A cell that some process has measured."""

    pid: int
    cell: tuple[int, int, int]
    seconds: float


SHARE = 0.4
"""Of the work, how much one start is left to do at most before it is killed."""


@dataclass
class Toll:
    """What the kills did.

    Attributes
    ----------
    n_kills : int
        Kills that met a running process.
    kept : list of int
        Cells in the store after each.
    lost : list of dict
        For each kill, seconds and cells that each worker had measured and that were not kept.
    left : list of str
        Processes that were still there after the grace period.
    is_equal : bool
        Whether the final table is the undisturbed one.
    n_kept, n_vanished, n_kept_again : int
        Cells that were in the store, those of them that were not there later, and those that were measured once more.
    """

    n_kills: int = 0
    kept: list[int] = field(default_factory=list)
    lost: list[dict[int, tuple[float, int]]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    slowest_end: float = 0.0
    is_equal: bool = False
    n_cells: int = 0
    n_twice: int = 0
    longest: float = 0.0
    n_kept: int = 0
    n_vanished: int = 0
    n_kept_again: int = 0
    _kept: set[tuple[int, int, int]] = field(default_factory=set)
    _n_lost: int = 0

    @property
    def is_as_promised(self) -> bool:
        """Bit-equal, nothing left behind, and no worker lost more than one task."""
        return self.is_equal and not self.left and self.most_lost <= max(STRETCH, self.longest) + self.longest

    @property
    def most_lost(self) -> float:
        """Seconds of work that one worker lost at one kill."""
        return max((seconds for workers in self.lost for seconds, _ in workers.values()), default=0.0)


def torment(folder: Path, n_kills: int, n_jobs: int, rng: random.Random, study: Path = STUDY) -> Toll:
    """Run the study undisturbed, then with kills, and compare."""
    (folder / "sitecustomize.py").write_text(WITNESS)
    startup, whole = _undisturbed(folder, n_jobs, study)
    toll = Toll()
    witness = folder / "witness.txt"
    while toll.n_kills < n_kills:
        process = subprocess.Popen(
            command("runs.db", n_jobs, study),
            cwd=folder,
            env=environment(folder, witness),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # from within the imports on; a run goes through several kills, and what is left of them falls on the next run
        time.sleep(rng.uniform(0.3 * startup, startup + SHARE * (whole - startup)))
        if process.poll() is not None:  # it was done before the kill: once more from the beginning
            if scores(folder, "runs.db") != scores(folder, "undisturbed.db"):
                return toll
            _settle(witness, toll)
            (folder / "runs.db").unlink()
            witness.unlink(missing_ok=True)
            continue
        process.send_signal(signal.SIGKILL)
        process.wait()
        toll.n_kills += 1
        _await_end(process.pid, toll)
        _count(folder, witness, toll)
    final = subprocess.run(
        command("runs.db", n_jobs, study), cwd=folder, env=environment(folder, witness), capture_output=True, check=True
    )
    toll.is_equal = final.returncode == 0 and scores(folder, "runs.db") == scores(folder, "undisturbed.db")
    measured = list(_witnessed(witness))
    toll.n_twice = sum(count - 1 for count in Counter(each.cell for each in measured).values())
    _keep(set(scores(folder, "runs.db")[2]), toll)
    _settle(witness, toll)
    toll.longest = max((each.seconds for each in measured), default=0.0)
    return toll


def _undisturbed(folder: Path, n_jobs: int, study: Path) -> tuple[float, float]:
    """The seconds until the first cell was measured and until the end."""
    witness = folder / "undisturbed.txt"
    start = time.monotonic()
    with subprocess.Popen(
        command("undisturbed.db", n_jobs, study),
        cwd=folder,
        env=environment(folder, witness),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and not witness.exists():
            time.sleep(0.02)
        startup = time.monotonic() - start
        process.communicate()
    if process.returncode:
        raise RuntimeError(f"the undisturbed run ended with exit code {process.returncode}")
    return startup, time.monotonic() - start


def command(store: str, n_jobs: int, study: Path) -> list[str]:
    """The run as a user would type it."""
    return [
        sys.executable,
        "-m",
        "tiebreak",
        "run",
        str(study),
        "--store",
        f"sqlite:///{store}",
        "--n-jobs",
        str(n_jobs),
        "--format",
        "json",
    ]


def environment(folder: Path, witness: Path | None = None) -> dict[str, str]:
    """The caller's, with the witness on the path."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "TIEBREAK_WITNESS": str(witness or "")}


def scores(folder: Path, store: str, run: str | None = None) -> tuple[tuple[str, ...], int, dict[tuple[int, int, int], object]]:
    """Models, number of cells measured, and scores and predictions of all cells, bit for bit."""
    import tiebreak as tb

    evaluation = tb.read_evaluation(f"sqlite:///{folder / store}" + (f"#{run}" if run else ""))
    cells: dict[tuple[int, int, int], object] = {
        outcome.cell: (dict(outcome.scores), outcome.seed, {name: each.tobytes() for name, each in outcome.outputs.items()})
        for outcome in evaluation.log.outcomes(outputs=True)
    }
    return tuple(evaluation.models), evaluation.n_done, cells


def _await_end(session: int, toll: Toll) -> None:
    """Wait until nothing of the session is left; what is left after the grace period is noted and ended."""
    start = time.monotonic()
    while (left := list(members(session))) and time.monotonic() - start < GRACE:
        time.sleep(0.05)
    toll.slowest_end = max(toll.slowest_end, time.monotonic() - start)
    for pid, name in left:
        toll.left.append(name)
        os.kill(pid, signal.SIGKILL)


def members(session: int) -> Iterator[tuple[int, str]]:
    """Processes of a session that are not merely waiting to be reaped, by number and command."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, *fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            name = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:100]
        except OSError:
            continue
        if int(fields[2]) == session and state != "Z":
            yield int(entry.name), name


def _count(folder: Path, witness: Path, toll: Toll) -> None:
    """What had been measured in the session just killed and is not in the store."""
    import tiebreak as tb

    kept: set[tuple[int, int, int]] = set()
    if (folder / "runs.db").exists():
        try:
            evaluation = tb.read_evaluation(f"sqlite:///{folder / 'runs.db'}")
        except tb.errors.UnknownNameError:  # killed before the run was begun
            pass
        else:
            table = evaluation.table
            kept = set(zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True))
            toll.n_cells = evaluation.n_cells
    toll.kept.append(len(kept))
    _keep(kept, toll)
    lost: dict[int, tuple[float, int]] = {}
    for each in _witnessed(witness):
        if each.cell not in kept and not _is_noted(toll, each):
            seconds, cells = lost.get(each.pid, (0.0, 0))
            lost[each.pid] = (seconds + each.seconds, cells + 1)
    toll.lost.append(lost)
    toll._n_lost += sum(cells for _, cells in lost.values())


def _keep(kept: set[tuple[int, int, int]], toll: Toll) -> None:
    """Remember what is in the store now, and what is not there any more."""
    toll.n_kept += len(kept - toll._kept)
    toll.n_vanished += len(toll._kept - kept)
    toll._kept = kept


def _settle(witness: Path, toll: Toll) -> None:
    """At the end of a run: what was measured more often than the kills explain."""
    n_twice = sum(count - 1 for count in Counter(each.cell for each in _witnessed(witness)).values())
    toll.n_kept_again += max(0, n_twice - toll._n_lost)
    toll._kept, toll._n_lost = set(), 0


def _is_noted(toll: Toll, each: Measured) -> bool:
    """Whether it was lost at an earlier kill: processes do not outlive one."""
    return any(each.pid in workers for workers in toll.lost)


def _witnessed(witness: Path) -> Iterator[Measured]:
    for line in witness.read_text().splitlines() if witness.exists() else ():
        pid, dataset, split, model, seconds = line.split()
        yield Measured(int(pid), (int(dataset), int(split), int(model)), float(seconds))


def main() -> int:
    """Print the toll; the exit code is 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--sharing", action="store_true", help="kill a study whose workers hold tables of leading steps")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    with tempfile.TemporaryDirectory() as folder:
        study = sharing_study(Path(folder)) if arguments.sharing else STUDY
        toll = torment(Path(folder), arguments.kills, arguments.n_jobs, random.Random(seed), study=study)
    worst = max((cells for workers in toll.lost for _, cells in workers.values()), default=0)
    print(f"seed {seed}; {arguments.n_jobs} worker(s); cells kept at each kill: {json.dumps(toll.kept)} of {toll.n_cells}")
    print(f"kills                                   {toll.n_kills}")
    print(f"final table bit-equal                   {'yes' if toll.is_equal else 'NO'}")
    print(f"cells measured twice, in all            {toll.n_twice}")
    print(f"most that one worker lost at one kill   {worst} cell(s), {toll.most_lost:.2f} s (longest cell {toll.longest:.2f} s)")
    print(f"processes left after {GRACE:.0f} s                {len(toll.left)} {toll.left or ''}")
    print(f"slowest end of a session                {toll.slowest_end:.1f} s")
    return 0 if toll.is_as_promised and toll.n_kills == arguments.kills else 1


if __name__ == "__main__":
    sys.exit(main())
