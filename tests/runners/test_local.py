"""Measuring on this machine."""

from __future__ import annotations

import os
import threading

import joblib
import pytest

from tests.runners.workloads import Marked, Plain, Sized, exit_with_code, grid, splits
from tiebreak.errors import InvalidParameterError, InvalidPlanError
from tiebreak.runners import processes as pool
from tiebreak.runners.local import LocalRunner


def measured(runner, workload, cells):
    """All outcomes by cell; none comes twice."""
    outcomes = [outcome for batch in runner.run(workload, cells) for outcome in batch]
    by_cell = {outcome.cell: outcome for outcome in outcomes}
    assert len(by_cell) == len(outcomes)
    return by_cell


def drain(batches, kept):
    """Keep the splits of all outcomes, as far as it goes."""
    for batch in batches:
        kept += [outcome.cell.split for outcome in batch]


def processes(outcomes):
    """Ids of the processes that measured."""
    return {outcome.scores["pid"] for outcome in outcomes.values()}


@pytest.mark.parametrize(
    "runner",
    [
        LocalRunner(),
        LocalRunner(2),
        LocalRunner(1, isolate=True),
        LocalRunner(2, isolate=True),
        LocalRunner(3, isolate=True),
        LocalRunner(2, timeout=60),
    ],
    ids=lambda runner: f"{runner.n_workers} {runner.timeout} {runner.isolate}",
)
def test_every_cell_is_measured_once_and_the_same_everywhere(runner):
    """One process or several, batches of many cells or of one: place = 10 split + model."""
    cells = grid(40, 3)
    outcomes = measured(runner, Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())


@pytest.mark.parametrize("isolate", [False, True])
def test_nothing_to_do_gives_nothing(isolate):
    """No process is started for that, and no empty batch handed over."""
    assert list(LocalRunner(2, isolate=isolate).run(Plain(), [])) == []


def test_one_job_stays_in_this_process():
    """Nothing has to be picklable then."""
    workload = Plain()
    workload.lock = threading.Lock()
    assert processes(measured(LocalRunner(), workload, splits(3))) == {os.getpid()}


def test_a_single_cell_stays_in_this_process_however_many_jobs():
    """There is nothing to share."""
    assert processes(measured(LocalRunner(4), Plain(), splits(1))) == {os.getpid()}


def test_little_work_stays_in_this_process(cold):
    """Starting workers takes longer than these twenty cells."""
    assert processes(measured(LocalRunner(2), Plain(), splits(20))) == {os.getpid()}
    assert pool.n_idle() == 0


def test_isolated_cells_are_never_measured_here():
    """Not even a single one."""
    assert os.getpid() not in processes(measured(LocalRunner(1, isolate=True), Plain(), splits(1)))


def test_what_cannot_be_sent_is_an_error_before_anything_is_measured(tmp_path):
    """Whether workers will be needed is not known yet; the same call must not fail on slow machines only."""
    workload = Marked(tmp_path)
    workload.lock = threading.Lock()
    with pytest.raises(InvalidPlanError, match=r"cannot pickle '_thread.lock' object\. Define .* n_jobs=1, no timeout\.$"):
        next(LocalRunner(2).run(workload, splits(5)))
    assert workload.begun() == set()


def test_a_large_array_is_shared_and_its_file_removed(tmp_path, monkeypatch):
    """1.6 MB: both workers map one file, read-only; the sum of 0 ... 199,999 is 199,999 * 100,000, and 5 comes from the other."""
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    batches = LocalRunner(2, isolate=True).run(Sized(200_000), splits(30))
    first = next(batches)
    [folder] = tmp_path.iterdir()
    assert [path.name for path in folder.iterdir()] == ["workload"]
    outcomes = first + [outcome for batch in batches for outcome in batch]
    assert list(tmp_path.iterdir()) == []
    assert {outcome.message for outcome in outcomes} == {"mmap"}
    assert {outcome.scores["writable"] for outcome in outcomes} == {False}
    assert {outcome.scores["sum"] for outcome in outcomes} == {199_999 * 100_000 + 5}


def test_negative_jobs_count_down_from_the_cores(monkeypatch):
    """As joblib does it: of 4 cores -1 is all, -2 three, and at least one."""
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    assert [LocalRunner(n).n_workers for n in (1, 7, -1, -2, -4, -9)] == [1, 7, 4, 3, 1, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", None, True])
def test_a_number_of_jobs_that_means_nothing(n_jobs):
    """0 may be none or all; True is a mistake."""
    with pytest.raises(InvalidParameterError) as caught:
        LocalRunner(n_jobs)
    assert str(caught.value) == (
        f"n_jobs={n_jobs!r} is no number of processes; give 1 or more, or -1 for all cores that may be used, -2 for one less."
    )


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), "1", True])
def test_a_timeout_that_means_nothing(timeout):
    """No limit is None."""
    with pytest.raises(InvalidParameterError) as caught:
        LocalRunner(timeout=timeout)
    assert str(caught.value) == (
        f"timeout={timeout!r} is no number of seconds above 0 for a cell; give one, or None for no limit."
    )


def test_a_model_that_exits_takes_an_unprotected_run_with_it(tmp_path):
    """In this process SystemExit goes through, as scikit-learn lets it; what was measured comes first."""
    kept = []
    with pytest.raises(SystemExit):
        drain(LocalRunner().run(Marked(tmp_path, {2: exit_with_code}), splits(5)), kept)
    assert kept == [0, 1]
