"""A fault at every write and sync call of a study of twelve cells, and then the same study again.

    python tests/reliability/sweep.py signal=SIGKILL delete 1000
    python tests/reliability/sweep.py error=ENOSPC+ wal 20

For each call that the undisturbed study makes on its store, on the journals and on the folder they are in, the study is run once
more from the beginning, and strace kills it as it enters that call, or has the call fail: this one alone, or with "+" this one
and all that follow. Afterwards the store is read: what was acknowledged has to be there, batches whole or not at all. Then the
same call goes on, and the table has to be the undisturbed one bit for bit, without a cell measured again that was acknowledged.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import tiebreak as tb
from tests.reliability import forked, strace, study
from tests.reliability.trial import Trial, told


def sweep(folder: Path, what: str, mode: str, n_points: str) -> Trial:
    """Try a fault, as strace has it, at so many calls drawn at random, in one journal mode ("delete" or "wal")."""
    if why := strace.missing():
        return Trial(skipped=why)
    study.warm_up()
    expected, calls = undisturbed(folder, mode)
    trial = Trial()
    for call, number in Random(7).sample(calls, min(int(n_points), len(calls))):
        when = f"{number}{'+' * what.endswith('+')}"
        _try(f"{call}:{what.removesuffix('+')}:when={when}", folder, mode, expected, trial)
    return trial


def undisturbed(home: Path, mode: str) -> tuple[dict[str, str], list[tuple[str, int]]]:
    """What the store should hold in the end, and the calls that are made on the way there."""
    path = fresh(home)
    child, tracer = _traced(path, mode, "")
    said = list(child.said())
    if child.end() or said[-1] != ("done",):
        raise RuntimeError(f"the undisturbed study ended with exit code {child.code}")
    state = forked.call(lambda: study.state_of(path)._asdict())
    assert len(state["cells"]) == study.N_CELLS
    assert state["damages"] == []
    return state["cells"], strace.calls_in(tracer.end())


def fresh(home: Path) -> Path:
    """Of a store that is not there yet, alone in its folder."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "store").mkdir(parents=True)
    return home / "store" / "runs.db"


def _traced(path: Path, mode: str, inject: str) -> tuple[forked.Child, strace.Tracer]:
    """The study in a child at which strace is."""

    def work(say: forked.Say) -> None:
        study.use_wal(mode == "wal")
        try:
            study.evaluate(path, say)
        except tb.errors.TiebreakError as error:
            say("error", type(error).__name__, str(error))
        else:
            say("done")

    child = forked.Child(work, ready=strace.allow)
    tracer = strace.Tracer(child, path, path.parent.parent / "strace.txt", inject)
    child.go()
    return child, tracer


def _try(inject: str, home: Path, mode: str, expected: dict[str, str], trial: Trial) -> None:
    """One point."""
    path = fresh(home)
    child, tracer = _traced(path, mode, inject)
    said = list(child.said())
    if not strace.is_injected(tracer.end(), child.end()):  # the calls differ from run to run by a few: this one was not made
        return
    errors = [values for word, *values in said if word == "error"]
    wrong = [f"exit code {child.code}"] if child.code not in (0, -9) else []
    wrong += [f"{kind}: {text}" for kind, text in errors if kind != "StoreError" or str(path) not in text]
    kept = [str(cell) for word, *cells in said if word == "kept" for cell in cells]
    pending = {str(cell) for word, *cells in said if word == "measured" for cell in cells} - set(kept)
    before = forked.call(lambda: study.state_of(path)._asdict())
    after = forked.call(lambda: _go_on(path, mode))
    lost = [cell for cell in kept if before["cells"].get(cell) != expected[cell]]
    again = [cell for cell in after["measured"] if cell in kept]
    extra = set(before["cells"]) - set(kept)
    if extra not in (set(), pending) or any(before["cells"][cell] != expected[cell] for cell in extra):
        wrong.append(f"there is {extra} of {pending}")
    if lost or again or before["damages"] or after["damages"] or after["cells"] != expected:
        wrong.append(f"lost {lost}, measured again {again}, {json.dumps([before, after])}")
    trial.points += 1
    trial.acknowledged += len(kept)
    trial.lost += len(lost)
    trial.doubled += len(again) + before["n_double"] + after["n_double"]
    trial.broken += [f"{inject}: {each}" for each in wrong]


def _go_on(path: Path, mode: str) -> dict[str, Any]:
    """The same study once more, undisturbed; what it measured and what is there then."""
    measured: list[str] = []
    study.use_wal(mode == "wal")
    study.evaluate(path, lambda word, *cells: measured.extend(map(str, cells)) if word == "measured" else None)
    return {**study.state_of(path)._asdict(), "measured": measured}


if __name__ == "__main__":
    told(sweep)
