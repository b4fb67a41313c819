"""Dask workers and schedulers that are lost while they are needed."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from tests.guarded import HANGS, ended
from tests.runners.clusters import Processes
from tests.runners.test_local import measured
from tests.runners.workloads import DiesOnArrival, Marked, Once, Plain, exit_with_code, kill, splits
from tiebreak.errors import ClusterError, LostWorkersError
from tiebreak.runners.dask.runner import DaskRunner

distributed = pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")


def pids_of(client):
    """Process ids of the workers."""
    return list(client.run(os.getpid).values())


def kill_when(condition, pids):
    """Kill processes as soon as something is so, beside what this thread does."""

    def watch():
        while not condition():
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_that_is_killed_is_replaced_and_nothing_is_missing(client, tmp_path):
    """Dask repeats what it was doing on the other one; each cell comes once."""
    workload = Marked(tmp_path, seconds=0.02)
    kill_when(lambda: len(workload.begun()) > 20, pids_of(client)[:1])
    outcomes = measured(DaskRunner(client), workload, splits(80))
    assert len(outcomes) == 80
    assert all(outcome.is_done for outcome in outcomes.values())
    client.wait_for_workers(2, timeout=HANGS)


def test_models_and_data_are_sent_again_when_all_workers_are_lost(client, tmp_path):
    """The scattered data are gone with them, and Dask cannot get it back."""
    workload = Marked(tmp_path, seconds=0.02)
    kill_when(lambda: len(workload.begun()) > 20, pids_of(client))
    outcomes = measured(DaskRunner(client), workload, splits(80))
    assert len(outcomes) == 80
    assert all(outcome.is_done for outcome in outcomes.values())
    client.wait_for_workers(2, timeout=HANGS)


def test_a_cell_under_which_a_worker_dies_once_is_measured_all_the_same(client, tmp_path):
    """The second time nothing happens."""
    outcomes = measured(DaskRunner(client), Marked(tmp_path, {7: Once(tmp_path, kill)}), splits(20))
    assert len(outcomes) == 20
    assert all(outcome.is_done for outcome in outcomes.values())


@pytest.mark.parametrize("deed", [kill, exit_with_code])
def test_a_cell_that_kills_its_workers_is_given_up_and_the_others_are_measured(client, tmp_path, deed):
    """However it does that; those that were on their way with it are measured again, and not blamed."""
    outcomes = measured(DaskRunner(client), Marked(tmp_path, {7: deed}), splits(20))
    assert len(outcomes) == 20
    assert [cell.split for cell, outcome in outcomes.items() if not outcome.is_done] == [7]
    [culprit] = [outcome for outcome in outcomes.values() if not outcome.is_done]
    assert culprit.state == "killed"
    assert culprit.message == "2 Dask workers died while they measured this cell and nothing else"
    assert culprit.attempts == 2
    client.wait_for_workers(2, timeout=HANGS)


def test_workers_that_die_as_they_take_the_workload_over_end_the_run(client):
    """It is no property of any cell."""
    with pytest.raises(LostWorkersError) as caught:
        next(DaskRunner(client).run(DiesOnArrival(), splits(5)))
    assert str(caught.value) == (
        f"The workers of the Dask cluster at {client.scheduler.address} die as they take over models and data, however often "
        "that is tried; their logs may say why. What was measured until then is kept where there is a store; the same call "
        "goes on from there."
    )
    client.wait_for_workers(2, timeout=HANGS)


@pytest.mark.slow
def test_workers_without_nannies_and_a_scheduler_that_is_killed(tmp_path):
    """First one worker dies, and the other one does the rest; then that one, and it is said that there is none; then, with a new
    one at work, the scheduler, and the run ends by itself."""
    with Processes(tmp_path, nanny=False) as cluster, distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=HANGS)
        check_one_left_and_none(client, tmp_path)
        cluster.start_worker()
        check_scheduler_lost(cluster, client, tmp_path)


def check_one_left_and_none(client, folder):
    """Two workers, neither of which is replaced."""
    workload = Marked(folder / "one", seconds=0.02)
    workload.folder.mkdir()
    first, second = pids_of(client)
    kill_when(lambda: len(workload.begun()) > 20, [first])
    outcomes = measured(DaskRunner(client), workload, splits(60))
    assert len(outcomes) == 60
    assert all(outcome.is_done for outcome in outcomes.values())
    os.kill(second, signal.SIGKILL)
    with pytest.raises(LostWorkersError) as caught:
        next(DaskRunner(client, patience=0.5).run(Plain(), splits(5)))
    address = client.scheduler.address
    assert str(caught.value) == (
        f"The Dask cluster at {address} has had no worker for 0.5 s. What was measured until then is kept where there is a "
        f"store; the same call goes on from there, when there are some: dask worker {address}"
    )


def check_scheduler_lost(cluster, client, folder):
    """In the middle of a run."""
    workload, kept = Marked(folder / "two", seconds=0.02), []
    workload.folder.mkdir()

    def measure():
        for batch in DaskRunner(client).run(workload, splits(500)):
            kept.extend(batch)
            if len(kept) > 20 and cluster.scheduler.poll() is None:
                cluster.kill_scheduler()

    with pytest.raises(ClusterError) as caught:
        ended(measure)
    assert 20 < len(kept) < 500
    assert str(caught.value).startswith(f"The Dask scheduler at {cluster.address} is gone or does not answer")
    assert str(caught.value).endswith(
        "What was measured until then is kept where there is a store; the same call goes on from there, with this scheduler or a "
        "new one."
    )
