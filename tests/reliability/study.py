"""A study of twelve cells that is quick to measure, in a process that tells what it was told is kept; and what a store holds.

``evaluate`` measures all three models, ``extend`` adds the third to two that are there, ``backup`` copies the store.
"""

import functools
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import tiebreak as tb
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.worker import Workload
from tiebreak.stores.contract import NoStoreError
from tiebreak.stores.sql import SqlStore

NAME = "twelve"
N_CELLS = 12
BATCH = 2
"""Cells that are kept together: six transactions, besides those that make the store and begin the run."""

X = np.random.default_rng(7).normal(size=(40, 3))
Y = (X[:, 0] + np.random.default_rng(8).normal(size=40) > 0).astype(np.int64)

Say = Callable[..., object]


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


class Paced:
    """Measures two cells at a time in this process, and says what was measured and what is kept.

    Whoever asks for more has kept what was given; that is the acknowledgement.
    """

    def __init__(self, say: Say) -> None:
        self._say = say

    def run(self, workload: Workload, cells: Iterable[Cell]) -> Iterator[list[Outcome]]:
        """Each cell's outcome once, in batches."""
        coming = iter(cells)
        while batch := [workload.measure(cell) for cell in islice(coming, BATCH)]:
            self._say("measured", *(list(outcome.cell) for outcome in batch))
            yield batch
            self._say("kept", *(list(outcome.cell) for outcome in batch))


def evaluate(path: Path, say: Say = lambda *_: None, n_models: int = 3) -> None:
    """Measure what the store there does not have."""
    models = dict(list(MODELS.items())[:n_models])
    store = f"sqlite:///{path}"
    with patch("tiebreak.evaluation.evaluate.make_runner", lambda *_: Paced(say).run):
        tb.evaluate(models, X, Y, cv=4, scoring=["accuracy", "f1"], store=store, name=NAME)


def backup(path: Path, say: Say = lambda *_: None) -> None:
    """Copy the store to a file beside it, unless there is a copy."""
    store, copy = SqlStore(path), path.with_name("copy.db")
    if not copy.exists():
        store.backup(copy)
    store.close()


class Command(NamedTuple):
    """A command that writes a store: what makes the store that it begins with, and what it does."""

    prepare: Callable[[Path], object]
    do: Callable[[Path, Say], object]


COMMANDS = {
    "evaluate": Command(lambda path: None, evaluate),
    "extend": Command(lambda path: evaluate(path, n_models=2), evaluate),
    "backup": Command(evaluate, backup),
}


class State(NamedTuple):
    """Hashes of all bits of each cell that is in a store, by the cell as text, and what is wrong with it."""

    cells: dict[str, str]
    damages: list[str]


def state_of(path: Path) -> State:
    """What is in a store; nothing where there is no store or no run yet."""
    if not path.exists() or not path.stat().st_size:
        return State({}, [])
    store = SqlStore(path)
    try:
        damages = [f"{damage.run} {damage.where}: {damage.what}" for damage in store.check()]
        cells = bits(f"sqlite:///{path}#{NAME}")
        return State({str(list(cell)): digest(each) for cell, each in cells.items()}, damages)
    except tb.errors.UnknownNameError:  # not begun
        return State({}, damages)
    except tb.errors.TiebreakError as error:
        return State({}, [] if isinstance(error, NoStoreError) else [f"{type(error).__name__}: {error}"])
    finally:
        store.close()


def bits(run: str) -> dict[tuple[int, int, int], object]:
    """Scores, seed and outputs of each cell of a run, bit for bit; a cell that is there twice is an error."""
    outcomes = list(tb.read_evaluation(run).log.outcomes(outputs=True))
    assert len({outcome.cell for outcome in outcomes}) == len(outcomes)
    return {
        outcome.cell: (dict(outcome.scores), outcome.seed, {name: each.tobytes() for name, each in outcome.outputs.items()})
        for outcome in outcomes
    }


def digest(cell: object) -> str:
    """Hash of all bits of what is given."""
    return hashlib.blake2b(repr(cell).encode(), digest_size=12).hexdigest()


def main(command: str, store: str, synchronous: str = "EXTRA") -> None:
    """Do it, and say what is measured, what is kept, and how it ended: lines of JSON, in one write each."""
    sqlite3.connect = functools.partial(sqlite3.connect, factory=_weaker(synchronous))  # type: ignore[assignment]

    def say(word: str, *values: Any) -> None:
        os.write(1, f"{json.dumps([word, *values])}\n".encode())

    try:
        COMMANDS[command].do(Path(store), say)
    except tb.errors.TiebreakError as error:
        say("error", type(error).__name__, str(error))
    else:
        say("done")


def _weaker(synchronous: str) -> type[sqlite3.Connection]:
    """Connection that waits for the disk as is said here, where it is told EXTRA."""

    class Weaker(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("synchronous = EXTRA", f"synchronous = {synchronous}"), *parameters)

    return Weaker
