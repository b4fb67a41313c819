"""Stores of every schema that was ever released, of one that is yet to come, and an upgrade that is killed at every call."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.contracts.plans import comparable
from tests.reliability import forked, strace, study
from tests.reliability.fault import Fault, Recipe, UnavailableError, joined
from tests.stores.rows import make_later
from tiebreak.errors import StoreError, TiebreakError
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

STORES = Path(__file__).parents[1] / "stores"
LATER = SCHEMA + 6


def saved() -> list[Path]:
    """A store of each schema."""
    return sorted([*STORES.glob("data/*.db"), *STORES.glob("saved/*.db")])


# --- old and later ones ---------------------------------------------------------------------------------------------------


def read_old(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """Each saved store is read whole and gone on with; told to be of a later schema, it is refused and left as it is."""
    points = rows = lost = corrupt = 0
    longest, broken = 0.0, []
    for file in saved():
        path = folder / "old.db"
        path.write_bytes(file.read_bytes())
        start = time.perf_counter()
        store = SqlStore(path)
        there = sum(run.n_done + run.n_failed for run in store.runs())
        kept = {run.name: list(store.read(run.name).outcomes(outputs=True)) for run in store.runs()}
        longest = max(longest, time.perf_counter() - start)
        rows += there
        lost += there - sum(map(len, kept.values()))
        if can_upgrade():
            store.upgrade()  # type: ignore[attr-defined]
        for name, outcomes in kept.items():
            log = store.read(name)
            log.write(outcomes)  # the same again changes nothing, and is not refused
            if [comparable(each) for each in log.outcomes(outputs=True)] != [comparable(each) for each in outcomes]:
                broken.append(f"{file.name}: run {name!r} was changed by writing the same again")
        corrupt += bool(store.check())
        store.close()
        points += 2
        broken += _later(path, file.name)
    return Fault("stores of older releases, and of a later one", points, rows, lost, 0, corrupt, longest, broken=tuple(broken))


def _later(path: Path, name: str) -> list[str]:
    """What is wrong with how a store of a later schema is refused."""
    make_later(path, LATER)
    content = path.read_bytes()
    store = SqlStore(path)
    try:
        store.runs()
    except StoreError as error:
        text = str(error)
    else:
        text = "it was not refused"
    store.close()
    is_right = f"its schema is {LATER}" in text and f"knows schema {SCHEMA} at most" in text and path.read_bytes() == content
    return [] if is_right else [f"{name} as of a later release: {text}"]


# --- upgrades -------------------------------------------------------------------------------------------------------------


def can_upgrade() -> bool:
    """Whether there is more than one schema."""
    return SCHEMA > 1 and hasattr(SqlStore, "upgrade")


def kill_upgrades(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """SIGKILL on entering each write or sync call of an upgrade, in both journal modes; then the upgrade once more."""
    strace.check()
    if not can_upgrade():
        raise UnavailableError("there is one schema only, so nothing is upgraded yet")
    study.warm_up()
    olds = [(file, wal) for file in saved() if not file.name.endswith(f"-{SCHEMA}.db") for wal in (False, True)]
    expected = {str(old): forked.call(lambda old=old: _contents(_fresh(folder / "undisturbed", *old))) for old in olds}
    points = []
    for old in olds:
        child, tracer = _upgrade(_fresh(folder / "undisturbed", *old), "")
        if list(child.said()) != [("done",)] or child.end():
            raise RuntimeError(f"the undisturbed upgrade of {old} ended with exit code {child.end()}")
        points += [(old, call, number) for call, number in strace.calls_in(tracer.end())]
    chosen = sorted(rng.sample(range(len(points)), min(n_points, len(points))))

    def part(i: int) -> list[str]:
        return [_kill(folder / f"part{i}", *points[k], expected[str(points[k][0])]).line() for k in chosen[i::n_jobs]]

    return joined(Fault.read("\n".join(line for lines in forked.shared(part, n_jobs) for line in lines)))


def _fresh(home: Path, file: Path, wal: bool) -> Path:
    """A copy of a saved store, alone in its folder."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "store").mkdir(parents=True)
    path = home / "store" / "runs.db"
    path.write_bytes(file.read_bytes())
    if wal:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = wal")
        connection.close()
    return path


def _upgrade(path: Path, inject: str) -> tuple[forked.Child, strace.Tracer]:
    """The upgrade in a child at which strace is; the backup that it makes first is watched too."""

    def work(say: forked.Say) -> None:
        study.use_wal(True)  # so that the file stays in the mode that it is in
        SqlStore(path).upgrade()  # type: ignore[attr-defined]
        say("done")

    child = forked.Child(work, ready=strace.allow)
    backups = [Path(f"{path}.schema-{schema}.backup") for schema in range(1, SCHEMA)]
    tracer = strace.Tracer(child, path, path.parent.parent / "strace.txt", inject, others=backups)
    child.go()
    return child, tracer


def _kill(home: Path, old: tuple[Path, bool], call: str, number: int, expected: dict[str, Any]) -> Fault:
    """One point."""
    path = _fresh(home, *old)
    inject = f"{call}:signal=SIGKILL:when={number}"
    child, tracer = _upgrade(path, inject)
    list(child.said())
    is_killed = strace.is_injected(tracer.end(), child.end())
    before = forked.call(lambda: _contents(path))
    after = forked.call(lambda: _contents(path, upgrade=True))
    n_rows = len(expected["cells"])
    lost = sum(before["cells"].get(cell) != bits or after["cells"].get(cell) != bits for cell, bits in expected["cells"].items())
    is_right = not before["damages"] and not after["damages"] and before["cells"] == after["cells"] == expected["cells"]
    broken = () if is_right else (f"{old[0].name}, {inject}: {before['damages']}, {after['damages']}",)
    return Fault(
        "SIGKILL at a write or sync call of an upgrade",
        int(is_killed),
        n_rows,
        lost,
        0,
        int(not is_right),
        before["seconds"],
        int(is_killed),
        broken,
    )


def read_upgrades(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """Three processes read a store again and again while a fourth upgrades it, in both journal modes."""
    if not can_upgrade():
        raise UnavailableError("there is one schema only, so nothing is upgraded yet")
    olds = [(file, wal) for file in saved() if not file.name.endswith(f"-{SCHEMA}.db") for wal in (False, True)]
    expected = {str(old): forked.call(lambda old=old: _contents(_fresh(folder / "undisturbed", *old))) for old in olds}
    points = [olds[i % len(olds)] for i in range(n_points)]

    def part(i: int) -> list[str]:
        chosen = range(i, n_points, n_jobs)
        return [_read_while_upgraded(folder / f"part{i}", points[k], expected[str(points[k])]).line() for k in chosen]

    return joined(Fault.read("\n".join(line for lines in forked.shared(part, n_jobs) for line in lines)))


def _read_while_upgraded(home: Path, old: tuple[Path, bool], expected: dict[str, Any]) -> Fault:
    """One upgrade; each reader starts before it and ends with a reading that began after it."""
    path = _fresh(home, *old)
    done = home / "done"
    done.unlink(missing_ok=True)

    def read(say: forked.Say) -> None:
        is_last = False
        while not is_last:
            is_last = done.exists()
            found = _contents(path)
            is_same = list(found["cells"].values()) == list(expected["cells"].values())  # JSON joins surrogates in their names
            say("read", len(found["cells"]), is_same, found["damages"], found["seconds"])

    readers = [forked.Child(read) for _ in range(3)]
    begun = [next(reader.said()) for reader in readers]
    upgraded = forked.call(lambda: _contents(path, upgrade=True))
    done.touch()
    readings = [*begun, *(said for reader in readers for said in reader.said())]
    codes = [reader.end() for reader in readers]
    wrong = [f"{old[0].name}: {n} cells, {damages}" for _, n, is_same, damages, _ in readings if damages or not is_same]
    wrong += [f"{old[0].name}: a reader ended with {code}" for code in codes if code]
    wrong += [f"{old[0].name}: {upgraded['damages']}"] if upgraded["damages"] or upgraded["cells"] != expected["cells"] else []
    n_read = sum(said[1] for said in readings)
    lost = sum(max(len(expected["cells"]) - said[1], 0) for said in readings)
    longest = max(said[4] for said in readings)
    return Fault("three processes read during an upgrade", 1, n_read, lost, 0, len(wrong), longest, broken=tuple(wrong))


def _contents(path: Path, *, upgrade: bool = False) -> dict[str, Any]:
    """A hash of each cell's bits, by run and cell, and what the check finds; after another upgrade where it is asked for."""
    study.use_wal(True)
    start = time.perf_counter()
    cells: dict[str, str] = {}
    damages: list[str] = []
    store = SqlStore(path)
    try:
        if upgrade:
            store.upgrade()  # type: ignore[attr-defined]
        runs = [run.name for run in store.runs()]
        seconds = time.perf_counter() - start
        for name in runs:
            for each in store.read(name).outcomes(outputs=True):
                cells[f"{name} {each.cell}"] = study.digest(sorted(comparable(each).items()))
        damages = [str(damage) for damage in store.check()]
    except TiebreakError as error:
        damages, seconds = [f"{type(error).__name__}: {error}"], time.perf_counter() - start
    store.close()
    return {"cells": cells, "damages": damages, "seconds": seconds}


def recipes() -> Iterator[tuple[str, Recipe]]:
    """All of them."""
    yield "schemas", Recipe(read_old, n_small=2, n_release=2)
    yield "kill-upgrade", Recipe(kill_upgrades, n_small=8, n_release=100_000)
    yield "read-upgrade", Recipe(read_upgrades, n_small=4, n_release=40)
