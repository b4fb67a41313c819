"""A study of twelve cells that is quick to measure, and what can be asked of the store that keeps it."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tests.reliability.kills import scores
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.contract import Workload
from tiebreak.stores import sqlite
from tiebreak.stores.contract import NoStoreError
from tiebreak.stores.sql import SqlStore

NAME = "twelve"
N_CELLS = 12
BATCH = 2
"""Cells that are kept together: six transactions, besides those that make the store and begin the run."""

X = np.random.default_rng(7).normal(size=(40, 3))
Y = (X[:, 0] + np.random.default_rng(8).normal(size=40) > 0).astype(np.int64)


def nearest(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """The label of the nearest row."""
    return y_train[((X_test[:, None] - X_train[None]) ** 2).sum(axis=2).argmin(axis=1)]


def guess(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A label at random: whoever measures a cell again has to get the same."""
    return rng.choice(y_train, len(X_test))


def first_column(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """By the sign of the first column."""
    return (X_test[:, 0] > 0).astype(np.int64)


MODELS = {"nearest": nearest, "guess": guess, "first column": first_column}

Say = Callable[..., None]
"""Tells whoever watches a process something, in words and numbers."""


class Paced:
    """A runner that measures two cells at a time in this process, and says what was measured and what is kept.

    Who asks a runner for more has kept what it was given; that is the acknowledgement.
    """

    def __init__(self, say: Say) -> None:
        self._say = say

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Iterator[list[Outcome]]:
        """Each cell's outcome once, in batches."""
        coming = iter(cells)
        with workload:
            while batch := [workload.measure(cell) for cell in islice(coming, BATCH)]:
                self._say("measured", *(list(outcome.cell) for outcome in batch))
                yield batch
                self._say("kept", *(list(outcome.cell) for outcome in batch))


def use_wal(wal: bool) -> None:
    """In this process, have new stores use that journal mode, whatever the release of SQLite."""
    sqlite.wal_is_safe = lambda version: wal


def evaluate(path: Path, say: Say, n_times: int = 1) -> None:
    """Measure what the store there does not have; with so many times the rows, whose predictions take room."""
    tb.evaluate(
        MODELS,
        np.tile(X, (n_times, 1)),
        np.tile(Y, n_times),
        cv=4,
        scoring=["accuracy", "f1"],
        store=f"sqlite:///{path}",
        name=NAME,
        runner=Paced(say),
    )


def warm_up() -> None:
    """Have this process import all that a study takes, so that its forks need not. It has no store open afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        evaluate(path, lambda word, *values: None)
        evaluate(path, lambda word, *values: None)
        state_of(path)


class State(NamedTuple):
    """What is in a store.

    Attributes
    ----------
    cells : dict
        A hash of all bits of each cell's scores, seed and outputs, by the cell as text.
    n_double : int
        Rows too many.
    damages : list of str
        What the store's own check says.
    seconds : float
        That it took to open the store and read the list of cells, a rollback of what was half-written included.
    """

    cells: dict[str, str]
    n_double: int
    damages: list[str]
    seconds: float


def state_of(path: Path, run: str = NAME) -> State:
    """Everything that is kept of the run; nothing, where there is no store or no run yet."""
    start = time.perf_counter()
    if not path.exists() or not path.stat().st_size:
        return State({}, 0, [], 0.0)
    store = SqlStore(path)
    try:
        table = store.read(run).table()
        seconds = time.perf_counter() - start
        keys = list(zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True))
        damages = _damages(store)
        _, _, cells = scores(path.parent, path.name, run)
    except tb.errors.UnknownNameError:  # not begun
        return State({}, 0, _damages(store), time.perf_counter() - start)
    except tb.errors.TiebreakError as error:
        is_empty = isinstance(error, NoStoreError)  # the tables had not been made
        return State({}, 0, [] if is_empty else [f"{type(error).__name__}: {error}"], time.perf_counter() - start)
    return State({str(list(cell)): digest(each) for cell, each in cells.items()}, len(keys) - len(set(keys)), damages, seconds)


def _damages(store: SqlStore) -> list[str]:
    found = [f"{damage.run} {damage.where}: {damage.what}" for damage in store.check()]
    store.close()
    return found


def digest(cell: object) -> str:
    """Of all bits of what is given."""
    return hashlib.blake2b(repr(cell).encode(), digest_size=12).hexdigest()
