"""Stores that earlier releases wrote are read, every bit of them."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.plans import comparable, comparable_record
from tests.stores.data import make_schema_1 as written
from tiebreak.plan.outcome import STATES
from tiebreak.stores.sql import SqlStore

SAVED = Path(__file__).with_name("data") / "schema_1.db"


def test_schema_1(tmp_path: Path) -> None:
    """Runs, plans, cells and outputs are what the script that made it says; it can be gone on with."""
    path = tmp_path / "runs.db"
    path.write_bytes(SAVED.read_bytes())
    store = SqlStore(path)
    assert store.check() == []
    assert [(run.name, run.n_cells, run.n_done, run.n_failed) for run in store.runs()] == [
        ("empty", 12, 0, 0),
        (written.NAME, 6, 2, 4),
    ]
    log = store.read(written.NAME)
    expected = {outcome.cell: outcome for outcome in [*written.OUTCOMES, written.LATE]}
    assert {outcome.state for outcome in expected.values()} == set(STATES)
    assert [comparable(outcome) for outcome in log.outcomes(outputs=True)] == [
        comparable(expected[cell]) for cell in sorted(expected)
    ]
    record = comparable_record(log.record)
    assert record == comparable_record(written.PLAN) | {"versions": written.LATER}
    assert log.environments == written.ENVIRONMENTS
    assert log.table().environment.tolist() == [0, 0, 0, 1, 0, 0]
    store.open(written.PLAN).write([written.OUTCOMES[0]])
    store.close()


def test_it_is_not_changed_by_being_read(tmp_path: Path) -> None:
    """Reading writes nothing."""
    path = tmp_path / "runs.db"
    path.write_bytes(SAVED.read_bytes())
    store = SqlStore(path)
    assert len(store.runs()) == 2
    assert store.check() == []
    store.close()
    assert path.read_bytes() == SAVED.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.db"]
