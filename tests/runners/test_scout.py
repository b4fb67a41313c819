"""Measuring here until workers are worth their start."""

from __future__ import annotations

import os

import pytest

from tests.runners.test_local import drain, measured, processes
from tests.runners.workloads import Busy, Marked, NeverArrives, WaitFor, hang, interrupt, is_alive, splits, wait_until
from tiebreak.runners import local as scout
from tiebreak.runners import worker_group as slot
from tiebreak.runners.batch import Parcel
from tiebreak.runners.local import LocalRunner, pays


@pytest.fixture
def hasty(monkeypatch):
    """Workers are called at once."""
    monkeypatch.setattr(scout, "START_SECONDS", 0.0)
    monkeypatch.setattr(scout, "FIRST_LOOK_SECONDS", 0.0)


@pytest.mark.parametrize(
    ("rest_seconds", "n_workers", "worth_it"),
    [(2.9, 2, False), (3.1, 2, True), (1.6, 16, False), (1.7, 16, True), (1e9, 1, False)],
)
def test_workers_pay_when_they_are_done_sooner(rest_seconds, n_workers, worth_it):
    """They start in 1.5 s: half of 3 s, or 15/16 of 1.6 s, is what they save."""
    assert pays(rest_seconds, n_workers) is worth_it


def test_workers_begin_while_the_first_cell_still_runs(tmp_path, cold, hasty):
    """It waits for the third to begin, which only a worker can do; when it has ended, this process is not needed any more."""
    workload = Marked(tmp_path, {0: WaitFor(tmp_path / "begun-2")})
    outcomes = measured(LocalRunner(2), workload, splits(100))
    assert len(outcomes) == 100
    assert [cell.split for cell, outcome in outcomes.items() if outcome.scores["pid"] == os.getpid()] == [0]


def test_an_interrupt_here_keeps_the_batch_and_ends_the_workers(tmp_path, cold, hasty):
    """It comes in the third cell here, which first waits until a worker hangs in one of its own."""
    workload = Marked(tmp_path, {2: _After(WaitFor(tmp_path / "begun-3"), interrupt), 3: hang})
    kept = []
    with pytest.raises(KeyboardInterrupt):
        drain(LocalRunner(2).run(workload, splits(100)), kept)
    assert kept == [0, 1]
    hanging = workload.pid(3)
    assert hanging != os.getpid()
    wait_until(lambda: not is_alive(hanging), 5)


def test_workers_that_cannot_start_leave_the_work_here(tmp_path, cold, hasty, monkeypatch):
    """This process can do it all: slower, but done."""
    monkeypatch.setattr(slot, "MAX_STARTS", 1)
    outcomes = measured(LocalRunner(2), _Immobile(tmp_path, seconds=0.03), splits(40))
    assert processes(outcomes) == {os.getpid()}
    assert len(outcomes) == 40


def test_an_error_on_the_way_to_the_workers_ends_the_run(cold, hasty, monkeypatch):
    """Such as no room for the file with the data."""

    def no_room(parcel):
        raise OSError("no space left on device")

    monkeypatch.setattr(Parcel, "shipment", no_room)
    with pytest.raises(OSError, match="no space left on device"):
        measured(LocalRunner(2), Busy(0.02), splits(60))


class _After:
    """One deed after another."""

    def __init__(self, *deeds):
        self.deeds = deeds

    def __call__(self):
        for deed in self.deeds:
            deed()


class _Immobile(Marked, NeverArrives):
    """Works here only."""
