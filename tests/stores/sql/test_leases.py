"""Several processes at work on one run in a database."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.plans import a_plan, all_cells, an_outcome
from tests.stores.rows import execute, put_rows, rows_in
from tiebreak.errors import DamagedStoreError, InvalidParameterError
from tiebreak.stores.sql import leases
from tiebreak.stores.sql.leases import LONGEST_STEP, HolderWatch, is_gone, key_of
from tiebreak.stores.sql.sqlite import SqliteDatabase
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import HOLDERS, LEASES, HolderRow, LeaseRow

CELLS = all_cells(a_plan())


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """Whose holders are lost after a second of silence."""
    store = SqlStore(path, lease_seconds=1)
    yield store
    store.close()


def rows(path: Path) -> tuple[int, int]:
    """Numbers of holders and leases that the store has."""
    return len(rows_in(path, HOLDERS)), len(rows_in(path, LEASES))


def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on leases are taken on as if on another machine."""
    monkeypatch.setattr(leases, "key_of", lambda _: {"machine": "another", "process": 1, "begun": ""})


def test_a_finished_run_has_no_leases(store: SqlStore, path: Path):
    """Neither while nothing is taken on, nor at the end."""
    with store.open(a_plan()).lease() as lease:
        assert rows(path) == (0, 0)
        lease.claim(CELLS[:2])
        assert rows(path) == (1, 2)
        lease.write([an_outcome(CELLS[0])])
        assert rows(path) == (1, 1)
        lease.write([an_outcome(CELLS[1])])
        assert rows(path) == (0, 0)
        lease.claim(CELLS[2:])
    assert rows(path) == (0, 0)


def test_cells_of_a_process_that_was_killed_are_free_at_once(store: SqlStore, path: Path):
    """On the same machine nobody has to wait: it is seen that the process has ended."""
    script = (
        "import time; from tests.contracts.plans import a_plan, all_cells; from tiebreak.stores.sql.store import SqlStore\n"
        f"lease = SqlStore({str(path)!r}).open(a_plan()).lease(); lease.claim(all_cells(a_plan())[:5])\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    folder = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            patient = SqlStore(path, lease_seconds=1000)
            with patient.open(a_plan()).lease() as lease:
                assert lease.claim(CELLS[:6]) == (CELLS[5:6], CELLS[:5], [])
                process.kill()
                process.wait()
                if sys.platform.startswith("linux"):
                    assert lease.claim(CELLS[:6]).granted == CELLS[:6]
            patient.close()
        finally:
            process.kill()


@pytest.mark.slow
def test_cells_of_a_holder_that_shows_nothing_are_lost(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """On another machine it cannot be asked; after a second of silence others measure, and what it hands in late is refused."""
    monkeypatch.setattr(leases, "BEATS", 1e-3)  # it shows something every 1,000 s
    elsewhere(monkeypatch)
    late = store.open(a_plan()).lease()
    late.claim(CELLS[:3])
    monkeypatch.undo()
    with store.open(a_plan()).lease() as lease:
        began = time.monotonic()
        assert lease.claim(CELLS[:2]).held == CELLS[:2]
        while not (claim := lease.claim(CELLS[:2])).granted:
            time.sleep(0.05)
        assert claim.granted == CELLS[:2]
        assert time.monotonic() - began >= 1
        lease.write([an_outcome(CELLS[0])])
        with caplog.at_level(logging.WARNING, "tiebreak"):
            outcomes = [an_outcome(cell, accuracy=0.1) for cell in CELLS[:3]]
            refused, _ = late.write(outcomes)
        assert refused == outcomes[:2]
        [message] = caplog.messages
        assert message == (
            "run 'moons': what this process measured for the cell of model 'svm' on repeat 0 fold 0 and 1 more came too late and "
            "was not kept, as another process has taken over."
        )
        lease.write([an_outcome(CELLS[1])])
    kept = {outcome.cell: outcome.scores["accuracy"] for outcome in store.read("moons").outcomes()}
    assert kept == {CELLS[0]: 0.75, CELLS[1]: 0.75, CELLS[2]: 0.1}
    late.__exit__(None, None, None)


@pytest.mark.slow
def test_a_holder_that_shows_that_it_lives_keeps_its_cells(path: Path, monkeypatch: pytest.MonkeyPatch):
    """A fit of twice the time after which a silent one would have lost it; four times as long as a busy disk may stop a write."""
    store = SqlStore(path, lease_seconds=4)
    elsewhere(monkeypatch)
    with store.open(a_plan()).lease() as slow:
        slow.claim(CELLS[:1])
        monkeypatch.undo()
        with store.open(a_plan()).lease() as lease:
            until = time.monotonic() + 8.5
            while time.monotonic() < until:
                assert lease.claim(CELLS[:1]).held == CELLS[:1]
                time.sleep(0.05)
        assert slow.write([an_outcome(CELLS[0])])[0] == []
    store.close()


def test_the_same_outcome_twice_is_not_too_late(store: SqlStore):
    """A transaction whose end was not heard of is repeated."""
    with store.open(a_plan()).lease() as lease:
        lease.claim(CELLS[:2])
        for _ in range(2):
            failure = an_outcome(CELLS[1], state="raised", scores={}, fit_seconds=float("nan"), outputs={})
            assert lease.write([an_outcome(CELLS[0]), failure])[0] == []


def test_a_damaged_store_does_not_hide_what_went_wrong_before(store: SqlStore, path: Path):
    """The leases cannot be given back then; the first error is the one that is told."""
    lease = store.open(a_plan()).lease()
    lease.claim(CELLS[:1])
    execute(path, "UPDATE tiebreak_store SET schema_version = 0")
    lease.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    with pytest.raises(DamagedStoreError):
        lease.__exit__(None, None, None)


def test_a_damaged_lease_holds_nothing(store: SqlStore, path: Path):
    """It is reported, and its cell is measured by whoever asks."""
    one = store.open(a_plan()).lease()
    one.claim(CELLS[:1])
    execute(path, "UPDATE tiebreak_leases SET holder = holder + 1")
    assert [(damage.run, damage.where) for damage in store.check()] == [("moons", "the list of leases")]
    with store.open(a_plan()).lease() as lease:
        assert lease.claim(CELLS[:1]).granted == CELLS[:1]


def test_a_lease_without_a_holder_holds_nothing(store: SqlStore, path: Path):
    """As when a process was killed while others tidied up."""
    log = store.open(a_plan())
    put_rows(SqliteDatabase(str(path)), LEASES, [LeaseRow(1, *CELLS[0], 12345)])
    with log.lease() as lease:
        assert lease.claim(CELLS[:1]).granted == CELLS[:1]


@pytest.mark.parametrize("seconds", [0, 0.5, -1, float("nan"), float("inf"), True, "60"])
def test_seconds_that_mean_nothing_are_refused(path: Path, seconds: object):
    """Less than one would take cells from those who merely wait for the disk."""
    with pytest.raises(InvalidParameterError) as caught:
        SqlStore(path, lease_seconds=seconds)  # type: ignore[arg-type]
    assert str(caught.value) == f"lease_seconds must be a number of seconds of at least 1; got {seconds!r}."


def test_a_holder_says_where_it_is(store: SqlStore, path: Path):
    """The number of its process, for whoever looks into the table."""
    with store.open(a_plan()).lease() as lease:
        lease.claim(CELLS[:1])
        [holder] = rows_in(path, HOLDERS)
        assert json.loads(holder.place)["process"] == os.getpid()


# --- holders --------------------------------------------------------------------------------------------------------------

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not say when a process began")


def a_holder(number: int, beat: int, place: dict[str, Any] | None = None) -> HolderRow:
    """A row, of another machine unless told otherwise."""
    return HolderRow(1, number, beat, json.dumps(place or {"machine": "another", "process": 1, "begun": "1"}))


def test_this_process_is_not_gone():
    """Whatever else can be told of it."""
    assert not is_gone(key_of(os.getpid()))


def test_a_process_of_another_machine_is_not_known_to_be_gone():
    """Its number means nothing here."""
    assert not is_gone({**key_of(os.getpid()), "machine": "another", "process": 2**22 + 1})


@LINUX
def test_a_process_that_ended_is_gone():
    """Waited for by its parent or not."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        text = Path(f"/proc/{process.pid}/stat").read_text()
        place = {**key_of(os.getpid()), "process": process.pid, "begun": text.rpartition(")")[2].split()[19]}
        assert not is_gone(place)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(place)
    assert is_gone(place)


@LINUX
def test_another_process_of_the_same_number_is_not_the_holder():
    """Numbers are given again."""
    assert is_gone({**key_of(os.getpid()), "process": os.getppid(), "begun": "0"})


def test_a_silent_holder_dies_after_the_time():
    """Looked at every second, with 10 s to show something: it lives at 9 s and is dead at 10 s."""
    now = [0.0]
    watch = HolderWatch(10, clock=lambda: now[0])
    lives = []
    for second in range(12):
        now[0] = float(second)
        lives.append(watch.living([a_holder(7, 1)]) == {7})
    assert lives == [True] * 10 + [False] * 2


def test_a_beat_makes_it_live_again():
    """Even one that was taken for dead."""
    now = [0.0]
    watch = HolderWatch(4, clock=lambda: now[0])
    for second in range(6):
        now[0] = float(second)
        last = watch.living([a_holder(7, 1)])
    assert last == set()
    assert watch.living([a_holder(7, 2)]) == {7}


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.booleans()), min_size=1, max_size=30))
def test_a_clock_that_jumps_makes_nobody_late(steps):
    """However far it goes on or back between two looks, a step counts 5 s at most: fewer than 12 of them are no minute."""
    now = [0.0]
    watch = HolderWatch(60, clock=lambda: now[0])
    beat = n_silent = 0
    watch.living([a_holder(1, 0)])
    for step, has_beaten in steps:
        now[0] += step
        beat += has_beaten
        n_silent = 0 if has_beaten else n_silent + 1
        alive = watch.living([a_holder(1, beat)])
        if n_silent * LONGEST_STEP < 60:
            assert alive == {1}


def test_those_who_are_gone_are_forgotten():
    """A holder that is not among the rows any more does not count, nor does one whose process has ended."""
    watch = HolderWatch(60)
    assert watch.living([a_holder(1, 0), a_holder(2, 0)]) == {1, 2}
    assert watch.living([a_holder(2, 0)]) == {2}
