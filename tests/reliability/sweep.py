"""A fault at every single write and sync call of a study of twelve cells, and then the same study again.

For each call that the undisturbed study makes on its store, on the journals and on the folder they are in, the study is run
once more from the beginning, and strace kills it as it enters that call, or has the call fail: this one alone, or this one and
all that follow. Afterwards the store is read: what was acknowledged has to be there, batches whole or not at all. Then the same
call goes on, and the table has to be the undisturbed one bit for bit, without a cell measured again that was acknowledged.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import tiebreak as tb
from tests.reliability import forked, strace, study
from tests.reliability.fault import Fault, Recipe, in_brief, joined

MODES = ("delete", "wal")
KILL = "signal=SIGKILL"


@dataclass
class Tally:
    """Of the points tried so far."""

    points: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    corrupt: int = 0
    longest: float = 0.0
    kept_all_the_same: int = 0
    broken: list[str] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)


def sweep(name: str, what: str, mode: str, folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """Try a fault at every call; at `n_points` of them, drawn at random, where there are more.

    Parameters
    ----------
    name : str
    what : str
        Of the fault, as strace has it: "signal=SIGKILL", "error=ENOSPC"; with "+" at its end for all calls from there on.
    mode : {"delete", "wal"}
        Of the journal.
    folder : Path
        To work in.
    n_points : int
    rng : Random
    n_jobs : int
    """
    strace.check()
    study.warm_up()
    home = folder / "undisturbed"
    expected, points = undisturbed(home, mode)
    chosen = sorted(rng.sample(range(len(points)), min(n_points, len(points))))

    def part(i: int) -> Any:
        tally = Tally()
        for position in chosen[i::n_jobs]:
            call, number = points[position]
            when = f"{number}{'+' * what.endswith('+')}"
            _try(f"{call}:{what.removesuffix('+')}:when={when}", folder / f"part{i}", mode, expected, tally)
        return {**vars(tally), "messages": dict(tally.messages)}

    tallies = [Tally(**{**each, "messages": Counter(each["messages"])}) for each in forked.shared(part, n_jobs)]
    messages = sum((tally.messages for tally in tallies), Counter())
    said = in_brief(messages, Path("STORE"))
    if n_more := sum(tally.kept_all_the_same for tally in tallies):
        said += f"; at {n_more} points the batch that was refused was there all the same, and whole"
    parts = [
        Fault(
            name,
            each.points,
            each.acknowledged,
            each.lost,
            each.doubled,
            each.corrupt,
            each.longest,
            n_kills=each.points if what == KILL else 0,
            broken=tuple(each.broken),
            remark=said,
        )
        for each in tallies
    ]
    return joined(parts)


def undisturbed(home: Path, mode: str) -> tuple[dict[str, str], list[tuple[str, int]]]:
    """What the store should hold in the end, and the calls that are made on the way there."""
    path = fresh(home)
    child, log = _traced(path, mode, "")
    said = list(child.said())
    if child.end():
        raise RuntimeError(f"the undisturbed study ended with exit code {child.code}")
    assert said[-1] == ("done",)
    state = forked.call(lambda: _look(path))
    assert len(state["cells"]) == study.N_CELLS
    assert state["damages"] == []
    return state["cells"], strace.calls_in(log.end())


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


def _try(inject: str, home: Path, mode: str, expected: dict[str, str], tally: Tally) -> None:
    """One point."""
    path = fresh(home)
    child, tracer = _traced(path, mode, inject)
    said = list(child.said())
    if not strace.is_injected(tracer.end(), child.end()):  # the calls differ from run to run by a few: this one was not made
        return
    tally.points += 1
    wrong = [f"{inject}: exit code {child.code}"] if child.code not in (0, -9) else []
    for word, *values in said:
        if word == "error":
            kind, text = values
            tally.messages[text.replace(str(path), "STORE")] += 1
            if kind != "StoreError" or str(path) not in text:
                wrong.append(f"{inject}: {kind}: {text}")
    kept, pending = _batches(said)
    before = forked.call(lambda: _look(path))
    after = forked.call(lambda: _go_on(path, mode))
    tally.acknowledged += len(kept)
    tally.longest = max(tally.longest, before["seconds"])
    lost = [cell for cell in kept if before["cells"].get(cell) != expected[cell]]
    again = [cell for cell in after["measured"] if cell in kept]
    extra = set(before["cells"]) - set(kept)
    is_corrupt = bool(before["damages"] or after["damages"]) or after["cells"] != expected
    is_corrupt |= extra not in (set(), pending) or any(before["cells"][cell] != expected[cell] for cell in extra)
    tally.lost += len(lost)
    tally.doubled += len(again) + before["n_double"] + after["n_double"]
    tally.corrupt += is_corrupt
    tally.kept_all_the_same += bool(extra) and ("error" in [word for word, *_ in said])
    if lost or again or is_corrupt:
        wrong.append(f"{inject}: lost {lost}, measured again {again}, {json.dumps([before, after])}")
    tally.broken += wrong


def _batches(said: list[tuple[Any, ...]]) -> tuple[list[str], set[str]]:
    """The cells that were acknowledged, and those that had been measured and not yet acknowledged."""
    kept = [str(cell) for word, *cells in said if word == "kept" for cell in cells]
    measured = {str(cell) for word, *cells in said if word == "measured" for cell in cells}
    return kept, measured - set(kept)


def _look(path: Path) -> dict[str, Any]:
    return study.state_of(path)._asdict()


def _go_on(path: Path, mode: str) -> dict[str, Any]:
    """The same study once more, undisturbed; what it measured and what is there then."""
    measured: list[str] = []
    study.use_wal(mode == "wal")
    try:
        study.evaluate(path, lambda word, *cells: measured.extend(map(str, cells)) if word == "measured" else None)
    except tb.errors.TiebreakError as error:
        return {"cells": {}, "n_double": 0, "damages": [f"{type(error).__name__}: {error}"], "measured": measured}
    return {**_look(path), "measured": measured}


def recipes() -> Iterator[tuple[str, Recipe]]:
    """Every kind of fault in both journal modes."""
    kinds = {
        "kill": (KILL, "SIGKILL at a write or sync call"),
        "full": ("error=ENOSPC", "disk full at one call"),
        "full-from-then-on": ("error=ENOSPC+", "disk full from a call on"),
        "broken": ("error=EIO", "I/O error at one call"),
        "broken-from-then-on": ("error=EIO+", "I/O error from a call on"),
    }
    for mode in MODES:
        for key, (what, name) in kinds.items():

            def run(folder: Path, n: int, rng: Random, n_jobs: int, what=what, mode=mode, name=name) -> Fault:  # type: ignore[no-untyped-def]
                return sweep(f"{name}, {mode.upper()}", what, mode, folder, n, rng, n_jobs)

            yield f"{key}-{mode}", Recipe(run, n_small=12 if key == "kill" else 5, n_release=100_000)
