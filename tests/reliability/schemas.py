"""Stores of every schema that was ever released, and of one that is yet to come."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from tests.contracts.plans import comparable
from tests.reliability.fault import Fault, Recipe
from tests.stores.later import make_later
from tiebreak.errors import StoreError
from tiebreak.stores.layout import SCHEMA
from tiebreak.stores.sql import SqlStore

NAME = "stores of older releases, and of a later one"
SAVED = Path(__file__).parents[1] / "stores"


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """Each saved store is read whole, upgraded, and gone on with; of a later schema, it is refused and left as it is."""
    points = rows = lost = corrupt = 0
    longest, broken = 0.0, []
    for file in sorted(SAVED.glob("saved/*.db")):
        path = folder / "old.db"
        path.write_bytes(file.read_bytes())
        start = time.perf_counter()
        store = SqlStore(path)
        there = sum(run.n_done + run.n_failed for run in store.runs())
        outcomes = [list(store.read(run.name).outcomes(outputs=True)) for run in store.runs()]
        longest = max(longest, time.perf_counter() - start)
        rows += there
        lost += there - sum(map(len, outcomes))
        store.upgrade()
        for log, kept in zip([store.read(run.name) for run in store.runs()], outcomes, strict=True):
            log.write(kept)  # the same again changes nothing, and is not refused
            if [comparable(each) for each in log.outcomes(outputs=True)] != [comparable(each) for each in kept]:
                broken.append(f"{file.name}: run {log.record.name!r} was changed by writing the same again")
        corrupt += bool(store.check())
        store.close()
        points += 2
        broken += _later(path, file.name)
    return Fault(NAME, points, rows, lost, 0, corrupt, longest, broken=tuple(broken))


def _later(path: Path, name: str) -> list[str]:
    """What is wrong with how a store of a later schema is refused."""
    make_later(path, SCHEMA + 6)
    content = path.read_bytes()
    store = SqlStore(path)
    try:
        store.runs()
    except StoreError as error:
        text = str(error)
    else:
        text = "it was not refused"
    store.close()
    is_right = f"its schema is {SCHEMA + 6}" in text and f"knows schema {SCHEMA} at most" in text and path.read_bytes() == content
    return [] if is_right else [f"{name} as of a later release: {text}"]


RECIPE = Recipe(torment, n_small=2, n_release=2)
