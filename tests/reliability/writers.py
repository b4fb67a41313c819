"""Processes that write to one store as fast as they can, killed at random moments.

Three writers at a time, two of them with the same cells of the same run: each says which batch it will write and then that it
is kept. All are killed with SIGKILL after 50 to 300 ms of writing. What was said to be kept has to be there bit for bit, what had
been begun may be there as a whole, and nothing else; the store's own check finds nothing.
"""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

from tests.contracts.plans import a_dataset, a_plan, all_cells, an_outcome, comparable
from tests.reliability import forked, study
from tests.reliability.fault import Fault, Recipe, joined
from tiebreak.errors import DamagedStoreError, StoreError, UnknownNameError
from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.sql.store import SqlStore

NAME = "writers killed at random, 3 at a time"
N_WRITERS = 3
LARGEST_BATCH = 100
MODELS = [f"m{i}" for i in range(100)]
KEYS = [(repeat, fold) for repeat in range(10) for fold in range(10)]


def plan(run: str) -> RunRecord:
    """10,000 cells, more than anyone writes before it is killed."""
    return a_plan(run, models=MODELS, datasets=(a_dataset(keys=KEYS),))


def outcome(cell: Cell) -> Outcome:
    """Every tenth with outputs."""
    return an_outcome(cell) if sum(cell) % 10 == 0 else an_outcome(cell, outputs={})


def write(path: Path, run: str, sizes: Random, wal: bool, say: forked.Say) -> None:
    """Write all cells of a run in batches, and tell of each."""
    study.use_wal(wal)
    record = plan(run)
    log = SqlStore(path).open(record)
    cells = all_cells(record)
    start = 0
    while start < len(cells):
        stop = start + sizes.randint(1, LARGEST_BATCH)
        say("begun", start, stop)
        log.write([outcome(cell) for cell in cells[start:stop]])
        say("kept", start, stop)
        start = stop


def torment(folder: Path, n_rounds: int, rng: Random, n_jobs: int) -> Fault:
    """So many rounds, in alternating journal modes."""
    study.warm_up()
    seeds = [rng.random() for _ in range(n_rounds)]

    def part(i: int) -> list[str]:
        mine = range(i, n_rounds, n_jobs)
        return [_round(folder / f"{turn}.db", Random(seeds[turn]), wal=turn % 2 == 1).line() for turn in mine]

    return joined(Fault.read("\n".join(line for lines in forked.shared(part, n_jobs) for line in lines)))


def _round(path: Path, rng: Random, *, wal: bool) -> Fault:
    runs = ["shared", "shared", "own"]
    seeds = [rng.random() for _ in runs]
    children = [
        forked.Child(lambda say, run=run, seed=seed: write(path, run, Random(seed), wal, say))
        for run, seed in zip(runs, seeds, strict=True)
    ]
    first = next(children[0].said())  # all of them are at work by then, or about to be
    time.sleep(rng.uniform(0.05, 0.3))
    for child in children:
        child.kill()
    told = [[first, *children[0].said()], *(list(child.said()) for child in children[1:])]
    codes = [child.end() for child in children]
    found = forked.call(lambda: _look(path, runs, told, wal))
    broken = [f"{path.name}: {text}" for text in found.pop("broken")]
    broken += [f"{path.name}: a writer ended with exit code {code}" for code in codes if code != -9]
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    return Fault(NAME, points=N_WRITERS, n_kills=N_WRITERS, broken=tuple(broken), **found)


def _look(path: Path, runs: list[str], told: list[list[tuple[Any, ...]]], wal: bool) -> dict[str, Any]:
    """What is in the store, beside what the writers said."""
    study.use_wal(wal)
    acknowledged = lost = doubled = corrupt = 0
    broken: list[str] = []
    start = time.perf_counter()
    store = SqlStore(path)
    is_there = _is_there(store)
    seconds = time.perf_counter() - start
    for run in sorted(set(runs)):
        mine = [said for name, said in zip(runs, told, strict=True) if name == run]
        kept = {i for said in mine for word, *ends in said if word == "kept" for i in range(*ends)}
        begun = [set(range(*said[-1][1:])) - kept for said in mine if said and said[-1][0] == "begun"]
        there, n_rows, wrong = _cells_of(store, run)
        acknowledged += len(kept)
        missing = kept - there
        extra = there - kept
        halves = extra - set().union(*begun) if len(mine) > 1 else extra if extra not in ([set(), *begun]) else set()
        lost += len(missing)
        doubled += n_rows - len(there)
        corrupt += bool(halves or wrong)
        if missing or halves or wrong or n_rows != len(there):
            broken.append(f"run {run}: lost {sorted(missing)}, beyond what was begun {sorted(halves)}, other bits {wrong}")
    damages = store.check() if is_there else []
    corrupt += bool(damages)
    broken += [str(damage) for damage in damages]
    store.close()
    return {
        "acknowledged": acknowledged,
        "lost": lost,
        "doubled": doubled,
        "corrupt": corrupt,
        "longest_recovery_s": seconds,
        "broken": broken,
    }


def _is_there(store: SqlStore) -> bool:
    """Whether anybody had come to making the tables."""
    try:
        store.runs()
    except StoreError:
        return False
    return True


def _cells_of(store: SqlStore, run: str) -> tuple[set[int], int, list[str]]:
    """Which cells of a run there are, by their place in the plan; how many rows; what is not as it was written."""
    try:
        log = store.read(run)
        place = {cell: i for i, cell in enumerate(all_cells(log.record))}
        there = {place[each.cell]: each for each in log.outcomes(outputs=True)}
        n_rows = len(log.table().state)
    except (UnknownNameError, StoreError):  # nobody had come to beginning it
        return set(), 0, []
    except DamagedStoreError as error:
        return set(), 0, [str(error)]
    wrong = [f"cell {i}" for i, each in there.items() if comparable(each) != comparable(outcome(each.cell))]
    return set(there), n_rows, wrong


RECIPE = Recipe(torment, n_small=4, n_release=200)
