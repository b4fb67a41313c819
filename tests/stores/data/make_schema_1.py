"""Makes ``schema_1.db``, a store as the first release writes it: python -m tests.stores.data.make_schema_1

Every later release must read it. It is made once for each version of the schema and never again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tests.contracts.plans import VERSIONS, a_dataset, a_failure, a_plan, an_outcome
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.stores.layout import SCHEMA
from tiebreak.stores.sql import SqlStore

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
    settings={"rope": 0.01, "path": "study.toml"},
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
ENVIRONMENTS = (VERSIONS, LATER)


MODELS = [model.name for model in PLAN.models]


def make(path: Path) -> None:
    store = SqlStore(path)
    store.open(a_plan("deleted"))
    store.open(PLAN).write(OUTCOMES)
    log = store.open(a_plan(NAME, models=MODELS, datasets=PLAN.datasets, versions=LATER, rng=7), accept_versions=True)
    log.write([LATE])
    store.open(a_plan("empty"))
    store.delete("deleted")
    store.close()


if __name__ == "__main__":
    target = Path(__file__).with_name(f"schema_{SCHEMA}.db")
    if target.exists():
        sys.exit(f"{target.name} is there; it is what an earlier release wrote, and stays.")
    make(target)
    print(target.name, target.stat().st_size, "bytes")
