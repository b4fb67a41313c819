"""Stores of every schema that was ever released, and of one that is yet to come."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from random import Random

from tests.contracts.plans import comparable
from tests.reliability.fault import Fault, Recipe
from tiebreak.errors import StoreError
from tiebreak.stores.layout import PREFIX, SCHEMA, STORE
from tiebreak.stores.sql import SqlStore

NAME = "stores of older releases, and of a later one"
SAVED = Path(__file__).parents[1] / "stores"


def torment(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """Each saved store is read whole and gone on with; told to be of a later schema, it is refused and left as it is."""
    points = rows = lost = corrupt = 0
    longest, broken = 0.0, []
    for file in sorted([*SAVED.glob("data/*.db"), *SAVED.glob("saved/*.db")]):
        path = folder / "old.db"
        path.write_bytes(file.read_bytes())
        start = time.perf_counter()
        store = SqlStore(path)
        there = sum(run.n_done + run.n_failed for run in store.runs())
        logs = [store.read(run.name) for run in store.runs()]
        outcomes = [list(log.outcomes(outputs=True)) for log in logs]
        longest = max(longest, time.perf_counter() - start)
        rows += there
        lost += there - sum(map(len, outcomes))
        for log, kept in zip(logs, outcomes, strict=True):
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
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {PREFIX}{STORE.name} SET schema_version = {SCHEMA + 6}")
    connection.close()
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
