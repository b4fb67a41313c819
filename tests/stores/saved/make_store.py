"""Makes the store that later releases have to read and to upgrade: python -m tests.stores.saved.make_store

It writes ``schema-N.db`` and, beside it, what the store holds as ``schema-N.json``, both with the code of the schema N that is
checked out. That is done once for each schema, before the next one is begun; the files then stay as they are.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.contracts.plans import (
    a_dataset,
    a_failure,
    a_plan,
    all_cells,
    an_outcome,
    comparable,
    comparable_record,
)
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.contract import RunLog
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

FOLDER = Path(__file__).parent

# --- one run with everything that a cell can be ---------------------------------------------------------------------------

NAME = 'every "kind" of thing \ud83d\ude00 \ud800\n'
LATER = {"Python": "3.11.7", "scikit-learn": "1.9.1"}
PLAN = a_plan(
    NAME,
    models=("svm", "forest <b>"),
    datasets=(
        a_dataset("iris", keys=[(0, 0), (0, 1)]),
        a_dataset("houses", keys=[(0, 0)], classes=None, target=np.linspace(-0.0, 1, 20), kind="holdout", ordered=True),
    ),
    rng=7,
    threads=2,
    settings={"rope": 0.01, "study": "study.toml"},
)
OUTCOMES = [
    an_outcome(
        (0, 0, 0),
        scores={"accuracy": -0.0, "log_loss": np.nan},
        undefined={"log_loss": "one class only"},
        train_scores={"accuracy": 1.0},
        warnings=("ConvergenceWarning: lbfgs failed",),
        outputs={"predict": np.arange(3) % 2, "decision_function": np.array([0.1, np.nan, -np.inf])},
    ),
    a_failure((0, 0, 1)),
    Outcome(Cell(0, 1, 0), "timed-out", message="TimeoutError: more than 1 s", attempts=2),
    a_failure((0, 1, 1)),
    Outcome(Cell(1, 0, 0), "out-of-memory"),
    Outcome(Cell(1, 0, 1), "killed"),
]
LATE = an_outcome((0, 1, 1), accuracy=1e-320, seed=2**70, outputs={"predict": np.array([True, False])})

# --- others ---------------------------------------------------------------------------------------------------------------

ODD = (
    "'\"`'' \"\"",
    "a\nb\r\nc\x0b\u2028",
    "a\0b\0",
    "a\ud800b\udfff",
    "\ud83d\0\ude00",
    "\U0001f600",
    "'; DROP TABLE tiebreak_runs; --",
    "",
)
ODD_PLAN = a_plan(ODD[0] + ODD[1], models=ODD, metrics=ODD, datasets=(a_dataset(ODD[1], keys=[(0, 0), (0, 1)], classes=ODD),))
LARGE_PLAN = a_plan(
    "three datasets",
    models=("svm", "forest", "linear", "dummy"),
    datasets=(
        a_dataset("iris"),
        a_dataset("wine", n_samples=31, classes=(1, 2, 3), target=np.arange(31) % 3, kind="group"),
        a_dataset("no target", target=None, classes=None, kind="time", ordered=True),
    ),
    rng=None,
)


def make(path: Path) -> None:
    store = SqlStore(path)
    store.open(a_plan("deleted")).write([an_outcome((0, 0, 0))])
    store.open(PLAN).write(OUTCOMES)
    names = [model.name for model in PLAN.models]
    log = store.open(a_plan(NAME, models=names, datasets=PLAN.datasets, versions=LATER, rng=7), accept_versions=True)
    log.write([LATE])
    store.open(a_plan("empty"))
    store.delete("deleted")
    store.open(ODD_PLAN).write([_odd_outcome(cell) for cell in all_cells(ODD_PLAN)])
    log = store.open(LARGE_PLAN)
    log.write([an_outcome(cell, accuracy=1 / (1 + i)) for i, cell in enumerate(all_cells(LARGE_PLAN)) if i % 5])
    more = dataclasses.replace(LARGE_PLAN, metrics=a_plan(metrics=("f1_macro",)).metrics)
    store.open(more).write([Outcome(cell, scores={"f1_macro": 0.5}, outputs={}) for cell in all_cells(more)[:7]])
    store.close()


def _odd_outcome(cell: Cell) -> Outcome:
    scores = {name: i + cell.model / 8 for i, name in enumerate(ODD)}
    return an_outcome(cell, scores=scores, outputs={ODD[cell.model]: np.arange(2.0)}, warnings=ODD[: cell.model])


# --- what it holds --------------------------------------------------------------------------------------------------------


def contents(store: SqlStore) -> dict[str, Any]:
    """Everything in a store, bit by bit, in values that JSON keeps as they are."""
    return _plain({"runs": store.runs(), "logs": [_of_log(store.read(run.name)) for run in store.runs()]})


def _of_log(log: RunLog) -> dict[str, Any]:
    table = log.table()
    return {
        "record": comparable_record(log.record),
        "environments": log.environments,
        "outcomes": [comparable(outcome) for outcome in log.outcomes(outputs=True)],
        "table": {field.name: getattr(table, field.name).tobytes() for field in dataclasses.fields(table)},
        "noted": [[comparable(outcome) for outcome in log.noted(what)] for what in ("warnings", "undefined")],
    }


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value) if field.compare}
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, type):
        return value.__name__
    # JSON would make one character of two surrogates side by side
    return ascii(value) if isinstance(value, str) and not value.isascii() else value


def saved(schema: int) -> tuple[Path, Path]:
    """The store of a schema, and the file that says what it holds."""
    return FOLDER / f"schema-{schema}.db", FOLDER / f"schema-{schema}.json"


if __name__ == "__main__":
    target, description = saved(SCHEMA)
    if target.exists():
        sys.exit(f"{target.name} is there; it is what an earlier release wrote, and stays.")
    make(target)
    text = json.dumps(contents(SqlStore(target)))
    description.write_text(text + "\n", encoding="ascii", newline="\n")
    print(target.name, target.stat().st_size, "bytes;", description.name, description.stat().st_size, "bytes")
