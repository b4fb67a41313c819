"""Work for runners to do; it is sent to worker processes whole, as they cannot import the tests."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import cloudpickle
import numpy as np

from tiebreak.plan.record import Cell, Outcome


class Plain:
    """Scores every cell with a number made of its place."""

    def group(self, cell):
        return None

    def measure(self, cell):
        return Outcome(cell, scores={"place": 100 * cell.dataset + 10 * cell.split + cell.model, "pid": os.getpid()})


class Busy(Plain):
    """Each cell computes for some seconds; the first of a run may take longer."""

    def __init__(self, seconds):
        self.seconds = seconds

    def measure(self, cell):
        ends = time.perf_counter() + self.seconds
        while time.perf_counter() < ends:
            pass
        return super().measure(cell)


class Marked(Plain):
    """Leaves a file for each cell that was begun, with the id of the process in it, and does a deed for some of the cells."""

    def __init__(self, folder, deeds=None, seconds=0.0):
        self.folder, self.deeds, self.seconds = Path(folder), deeds or {}, seconds

    def path(self, split):
        return self.folder / f"begun-{split}"

    def pid(self, split):
        return int(self.path(split).read_text())

    def begun(self):
        return {int(path.name.removeprefix("begun-")) for path in self.folder.glob("begun-*")}

    def measure(self, cell):
        part = self.folder / f"part-{cell.split}"
        part.write_text(str(os.getpid()))
        part.rename(self.path(cell.split))
        time.sleep(self.seconds)
        deed = self.deeds.get(cell.split)
        if deed is not None:
            deed()
        return super().measure(cell)


class Once:
    """Does a deed the first time only."""

    def __init__(self, folder, deed):
        self.mark, self.deed = Path(folder, "done-once"), deed

    def __call__(self):
        if not self.mark.exists():
            self.mark.touch()
            self.deed()


def wait_until(condition, seconds=300.0):
    """Come back when a condition holds; an error when it does not come to that."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError(f"not so after {seconds} s")
        time.sleep(0.01)


def hang():
    time.sleep(1000)


def hold_the_lock():
    """Sleep without letting any other thread of the interpreter run."""
    ctypes.PyDLL(None).sleep(1000)


def hang_in_children():
    from joblib import Parallel, delayed

    Parallel(n_jobs=2)(delayed(time.sleep)(1000) for _ in range(2))


def leave_a_child_and_die():
    if os.fork() == 0:
        time.sleep(1000)
    kill()


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def end_at_once():
    os._exit(3)


def exit_with_success():
    os._exit(0)


def exit_with_code():
    sys.exit(4)


def interrupt():
    raise KeyboardInterrupt


def run_out_of_memory():
    raise MemoryError("no room for 8 GB")


def take_three_seconds():
    time.sleep(3.0)


def lack_a_module():
    raise ImportError("No module named 'theirs'")


def be_wrong():
    raise ValueError("the input\nholds NaN")


class Sized(Plain):
    """Holds an array, and says of each cell what became of that in the process which measures."""

    def __init__(self, n):
        self.data = np.arange(n, dtype=np.float64)
        self.order = np.asfortranarray(np.arange(6.0).reshape(2, 3))

    def measure(self, cell):
        owner = self.data
        while isinstance(owner, np.ndarray):
            owner = owner.base
        kind = type(owner.obj).__name__ if isinstance(owner, memoryview) else type(owner).__name__
        total = float(self.data.sum() + self.order[1, 2])
        return Outcome(cell, scores={"sum": total, "pid": os.getpid(), "writable": self.data.flags.writeable}, message=kind)


class Held(Plain):
    """Says in which processes it arrived, and where it was let go of again."""

    def __init__(self, folder, name):
        self.folder, self.name, self.has_arrived = Path(folder), name, False

    def __setstate__(self, state):
        vars(self).update(state, has_arrived=True)
        (self.folder / f"{self.name}-taken-{os.getpid()}").touch()

    def __del__(self):
        if self.has_arrived:
            (self.folder / f"{self.name}-left-{os.getpid()}").touch()


class Says(Plain):
    """Has a function answer for each cell."""

    def __init__(self, function):
        self.function = function

    def measure(self, cell):
        return Outcome(cell, message=str(self.function()))


class Unsendable:
    """A result that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("not this one")


class Unreadable:
    """A result that is pickled, and cannot be read back."""

    def __reduce__(self):
        return int, ("no number",)


class Returns(Plain):
    """Puts an object into the outcome of one of the splits."""

    def __init__(self, split, value):
        self.split, self.value = split, value

    def measure(self, cell):
        outcome = super().measure(cell)
        return Outcome(cell, outputs={"predict": self.value()}) if cell.split == self.split else outcome


class Arrives(Plain):
    """Does a deed where it is unpickled."""

    def __init__(self, deed):
        self.deed = deed

    def __setstate__(self, state):
        vars(self).update(state)
        self.deed()


def splits(n):
    """Cells of one model on so many splits."""
    return [Cell(0, split, 0) for split in range(n)]


def grid(n_splits, n_models):
    """Cells of several models, in the order of a plan."""
    return [Cell(0, split, model) for split in range(n_splits) for model in range(n_models)]


def is_alive(pid):
    """Tell if there is such a process that has not ended."""
    return any(pid == its_pid for its_pid, _, _ in _living())


def group_members(group):
    """Ids of the living processes of a process group."""
    return [pid for pid, its_group, _ in _living() if its_group == group]


def session_members(session):
    """Ids of the living processes of a session."""
    return [pid for pid, _, its_session in _living() if its_session == session]


def _living():
    """Id, group and session of every process that has not ended."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # ended meanwhile
            continue
        if state not in "ZX":
            yield int(stat.parent.name), int(group), int(session)


@contextmanager
def started(script, *arguments):
    """Python text as a process with a session of its own, in the checkout's folder; nobody of it is left afterwards."""
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))},
    ) as process:
        try:
            yield process
        finally:
            for pid in session_members(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


cloudpickle.register_pickle_by_value(sys.modules[__name__])
