"""Several processes at work on one run, and clocks that jump."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, all_cells, an_outcome, claimed, executed
from tiebreak.errors import ChangedRunError
from tiebreak.stores import lease as leases
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import SqlStore

CELLS = all_cells(a_plan())
DAY = 24 * 3600.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the store's own clock forth by so many seconds."""
    ahead, now = [0.0], time.time

    def set_forth(seconds: float) -> None:
        ahead[0] += seconds

    monkeypatch.setattr(time, "time", lambda: now() + ahead[0])
    return set_forth


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases are taken on as if on another machine, whose processes cannot be looked at, and show nothing by themselves."""
    monkeypatch.setattr(leases, "is_gone", lambda _: False)
    monkeypatch.setattr(leases, "BEATS", 1e-3)


def n_leases(store: SqlStore) -> int:
    return len(executed(store, "SELECT * FROM tiebreak_leases"))


def test_a_finished_run_has_no_leases(store: SqlStore) -> None:
    """Neither while nothing is taken on, nor at the end."""
    with SqlLease(store.open(a_plan())) as lease:
        assert n_leases(store) == 0
        claimed(lease, CELLS[:2])
        assert n_leases(store) == 1
        lease.exchange([an_outcome(cell) for cell in CELLS[:2]])
        assert n_leases(store) == 0
        claimed(lease, CELLS[2:])
    assert n_leases(store) == 0


def test_cells_of_a_process_that_was_killed_are_free_at_once(store: SqlStore, path: Path) -> None:
    """On the same machine nobody has to wait: it is seen that the process has ended."""
    script = (
        "import time; from tests.contracts.plans import a_plan, all_cells, claimed\n"
        "from tiebreak.stores.lease import SqlLease; from tiebreak.stores.sql import SqlStore\n"
        f"lease = SqlLease(SqlStore({str(path)!r}).open(a_plan())); claimed(lease, all_cells(a_plan())[:5])\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    folder = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with SqlLease(store.open(a_plan())) as lease:
                assert claimed(lease, CELLS[:6]) == (CELLS[5:6], CELLS[:5], [])
                process.kill()
                process.wait()
                if sys.platform.startswith("linux"):
                    assert not leases.is_gone(["another machine", process.pid])
                    assert claimed(lease, CELLS[:6]).granted == CELLS[:6]
        finally:
            process.kill()


def test_a_holder_that_shows_nothing_loses_its_cells(
    store: SqlStore, elsewhere: None, clock: Callable[[float], None], caplog: pytest.LogCaptureFixture
) -> None:
    """After a minute others measure them; what it hands in late changes nothing of theirs, and else is kept."""
    late = SqlLease(store.open(a_plan()))
    claimed(late, CELLS[:4])
    with SqlLease(store.open(a_plan())) as lease:
        clock(59)
        assert claimed(lease, CELLS[:2]).held == CELLS[:2]
        clock(2)
        assert claimed(lease, CELLS[:3]).granted == CELLS[:3]
        lease.exchange([an_outcome(CELLS[0])])
        lease.exchange([an_outcome(CELLS[1])])
        outcomes = [
            an_outcome(CELLS[0]),  # the same as the other's
            an_outcome(CELLS[1], accuracy=0.5),  # not the same
            an_outcome(CELLS[2], accuracy=0.5),  # which the other is at
            an_outcome(CELLS[3]),  # which nobody is at
        ]
        refused, claim = late.exchange(outcomes, CELLS[4:5])
        assert ([outcome.cell for outcome in refused], claim.granted) == (CELLS[1:3], CELLS[4:5])
        lease.exchange([an_outcome(CELLS[2])])
        assert [outcome.scores["accuracy"] for outcome in store.read("moons").outcomes()] == [0.75] * 4
    assert "for the cell of model 'forest' on repeat 0 fold 0 and 1 more came too late and was not kept" in caplog.text


@pytest.mark.parametrize("seconds", [DAY, -DAY])
def test_a_clock_that_jumps(
    store: SqlStore, elsewhere: None, clock: Callable[[float], None], seconds: float, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody waits for a day: the cells are free, and measured twice if their holder lives; they are kept once."""
    with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
        claimed(one, CELLS[:2])
        clock(seconds)
        assert claimed(other, CELLS[:2]).granted == CELLS[:2]
        assert [outcome.cell for outcome in one.exchange([an_outcome(CELLS[0])])[0]] == CELLS[:1]
        assert claimed(one, CELLS[:2]).held == CELLS[:2]
        assert other.exchange([an_outcome(cell) for cell in CELLS[:2]])[0] == []
    assert store.runs()[0].n_done == 2
    assert store.check() == []
    assert "for the cell of model 'svm' on repeat 0 fold 0 came too late and was not kept" in caplog.text


def test_another_score_of_a_cell_that_is_held_is_an_error(store: SqlStore) -> None:
    """It was measured for a metric that it lacked, and the model is not settled."""
    store.open(a_plan(metrics=["log_loss"])).write([an_outcome(CELLS[0], scores={"log_loss": 0.5})])
    with SqlLease(store.open(a_plan())) as lease:
        assert claimed(lease, CELLS[:1]).granted == CELLS[:1]
        with pytest.raises(ChangedRunError):
            lease.exchange([an_outcome(CELLS[0], scores={"accuracy": 0.5, "log_loss": 0.25})])


def test_a_damaged_lease_holds_nothing(store: SqlStore) -> None:
    """It is no result: the check tells of it, and the next who asks removes it."""
    with SqlLease(store.open(a_plan())) as one, SqlLease(store.open(a_plan())) as other:
        claimed(one, CELLS[:2])
        executed(store, "UPDATE tiebreak_leases SET content = ?", [b"x" * 40], to_write=True)
        assert [damage.where for damage in store.check()] == ["the list of leases"]
        assert claimed(other, CELLS[:2]).granted == CELLS[:2]
    assert store.check() == []
