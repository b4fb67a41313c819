"""Measuring on a Dask cluster that stays as it is; `test_dask_losses` has what is lost on the way."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from importlib import metadata

import cloudpickle
import pytest

from tests.runners.test_local import measured, processes
from tests.runners.workloads import (
    Entered,
    Marked,
    NeverArrives,
    Plain,
    Returns,
    Sized,
    Unreadable,
    Unsendable,
    be_wrong,
    grid,
    run_out_of_memory,
    splits,
    wait_until,
)
from tiebreak.errors import ClusterError, InvalidParameterError, InvalidPlanError
from tiebreak.plan.record import Outcome
from tiebreak.runners.dask.runner import DaskRunner


class Crowded(Plain):
    """Says in which thread it was entered, and whether another cell was being measured at the same time."""

    n_inside = 0

    def __enter__(self):
        self.thread = threading.get_ident()
        return self

    def measure(self, cell):
        Crowded.n_inside += 1
        time.sleep(0.01)
        n_inside, Crowded.n_inside = Crowded.n_inside, Crowded.n_inside - 1
        same = threading.get_ident() == self.thread
        return Outcome(cell, scores={"inside": n_inside, "same": same, "pid": os.getpid()})


cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize("kind", ["client", "address"])
def test_every_cell_is_measured_once_and_the_same_everywhere(kind, dask_cluster, client):
    """By a client or by an address, in workers only: place = 10 split + model."""
    cells = grid(60, 3)
    outcomes = measured(DaskRunner(client if kind == "client" else dask_cluster.address), Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())
    assert os.getpid() not in processes(outcomes)


def test_all_workers_measure(client, tmp_path):
    """40 cells of 20 ms: neither of the two can have measured all of them before the other began."""
    pids = client.run(os.getpid).values()
    assert processes(measured(DaskRunner(client), Marked(tmp_path, seconds=0.02), splits(40))) == set(pids)


def test_nothing_to_do_gives_nothing():
    """Nobody is asked for that: there is no such scheduler."""
    assert list(DaskRunner("tcp://127.0.0.1:9").run(Plain(), [])) == []


def test_a_worker_measures_one_cell_at_a_time_in_the_thread_that_it_was_set_up_in(client):
    """The workers have two threads each; numerical libraries and scikit-learn have settings for each thread."""
    outcomes = measured(DaskRunner(client), Crowded(), splits(60)).values()
    assert {(outcome.scores["inside"], outcome.scores["same"]) for outcome in outcomes} == {(1, True)}


def test_what_cannot_be_sent_is_an_error_before_anybody_is_asked():
    """There is no such scheduler either."""
    workload = Plain()
    workload.lock = threading.Lock()
    with pytest.raises(InvalidPlanError, match=r"cannot pickle '_thread.lock' object\."):
        next(DaskRunner("tcp://127.0.0.1:9").run(workload, splits(5)))


def test_large_arrays_arrive_and_are_read_only(client):
    """1.6 MB: the sum of 0 ... 199,999 is 199,999 * 100,000, and 5 comes from the other array."""
    outcomes = measured(DaskRunner(client), Sized(200_000), splits(30)).values()
    assert {outcome.scores["sum"] for outcome in outcomes} == {199_999 * 100_000 + 5}
    assert {outcome.scores["writable"] for outcome in outcomes} == {False}


def test_what_the_workload_raises_costs_that_cell_only(client, tmp_path):
    """As in a worker of this machine."""
    outcomes = measured(DaskRunner(client), Marked(tmp_path, {2: be_wrong, 4: run_out_of_memory}), splits(6))
    by_split = {cell.split: outcome for cell, outcome in outcomes.items()}
    assert [by_split[split].state for split in range(6)] == ["done", "done", "raised", "done", "out-of-memory", "done"]
    assert by_split[2].message == "ValueError: the input holds NaN"
    assert "in be_wrong" in by_split[2].traceback


@pytest.mark.parametrize(
    ("value", "text"), [(Unsendable, "TypeError: not this one"), (Unreadable, "ValueError: invalid literal")]
)
def test_an_answer_that_cannot_be_sent_or_read_costs_that_cell_only(client, value, text):
    """Split 5 returns what fails to be pickled, or to be read here."""
    outcomes = measured(DaskRunner(client), Returns(5, value), splits(10))
    assert [cell.split for cell, outcome in sorted(outcomes.items()) if not outcome.is_done] == [5]
    [failure] = [outcome for outcome in outcomes.values() if not outcome.is_done]
    assert failure.state == "raised"
    assert failure.message.startswith(text)


def test_a_workload_is_entered_once_in_each_worker_and_left_after_the_run(client, tmp_path):
    """Dask drops the data when nobody needs them, and so do the workers, without being asked by the next run."""
    outcomes = measured(DaskRunner(client), Entered(tmp_path, "a"), splits(200))
    entered = {int(path.name.split("-")[-1]) for path in tmp_path.glob("a-entered-*")}
    assert processes(outcomes) <= entered == set(client.run(os.getpid).values())
    wait_until(lambda: {int(path.name.split("-")[-1]) for path in tmp_path.glob("a-left-*")} == entered)


def test_two_runs_share_the_workers(client, dask_cluster, tmp_path):
    """Each cell of both is measured with its own workload, though each worker holds one at a time."""
    results = {}

    def run(name, target):
        outcomes = measured(DaskRunner(target), Marked(tmp_path / name, seconds=0.003), grid(30, 2))
        results[name] = len(outcomes)

    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    other = threading.Thread(target=run, args=("two", dask_cluster.address))
    other.start()
    run("one", client)
    other.join()
    assert results == {"one": 60, "two": 60}
    assert all(len(Marked(tmp_path / name).begun()) == 30 for name in ("one", "two"))


def test_a_worker_is_given_more_only_when_more_is_asked_for(client, tmp_path):
    """At a kill of this process at most what is on its way is lost: two batches of one cell for each of the two workers."""
    batches = DaskRunner(client).run(Marked(tmp_path), splits(100))
    first = next(batches)
    time.sleep(0.5)
    assert len(first) + 4 >= len(Marked(tmp_path).begun()) >= len(first)
    batches.close()


def test_a_consumer_that_stops_leaves_nothing_behind(client, tmp_path):
    """The tasks are dropped, and the client is as it was."""
    batches = DaskRunner(client).run(Marked(tmp_path, seconds=0.05), splits(100))
    next(batches)
    batches.close()
    assert client.status == "running"
    wait_until(lambda: client.futures == {})
    begun = len(Marked(tmp_path).begun())
    assert begun < 20
    assert len(measured(DaskRunner(client), Plain(), splits(5))) == 5
    assert len(Marked(tmp_path).begun()) <= begun + 2


def test_a_workload_that_cannot_be_taken_over_ends_the_run(client):
    """Such as one of a module that is not there; no cell has failed for that."""
    with pytest.raises(ClusterError) as caught:
        next(DaskRunner(client).run(NeverArrives(), splits(5)))
    worker, _, text = str(caught.value).removeprefix("The Dask worker at ").partition(": ")
    assert worker in client.nthreads()
    assert text == (
        "ImportError: No module named 'theirs'. Put the same code and packages there, and start the workers anew. What was "
        "measured until then is kept where there is a store; the same call goes on from there."
    )


def test_other_versions_end_the_run(client, monkeypatch):
    """Scores would not be the same to the last bit, and are kept under the versions of this process."""
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0.1" if name == "numpy" else version(name))
    with pytest.raises(ClusterError) as caught:
        next(DaskRunner(client).run(Plain(), splits(5)))
    problem = f"it has other versions than the client: numpy {version('numpy')} here, 0.1 there. Put the same code"
    assert problem in str(caught.value)


def test_a_module_that_was_edited_after_a_worker_had_read_it_ends_the_run(client, tmp_path, monkeypatch):
    """The worker would measure with the old code. Nothing is wrong while the file is as it was, even under another time."""
    file = tmp_path / "own_work_of_mine.py"
    text = "from tiebreak.plan.record import Outcome\n\nclass Work:\n    __enter__ = __exit__ = lambda *_: None\n"
    file.write_text(f"{text}    measure = lambda self, cell: Outcome(cell, message='old')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("own_work_of_mine")
    try:
        outcomes = measured(DaskRunner(client), module.Work(), splits(3)).values()
        assert {outcome.message for outcome in outcomes} == {"old"}
        file.write_text(f"{text}    measure = lambda self, cell: Outcome(cell, message='new!')\n")
        module = importlib.reload(module)
        with pytest.raises(ClusterError, match="module 'own_work_of_mine' was edited after this worker had read it"):
            next(DaskRunner(client).run(module.Work(), splits(3)))
    finally:
        del sys.modules["own_work_of_mine"]


@pytest.mark.parametrize("cluster", [None, "host:8786", 3, DaskRunner])
def test_what_is_no_cluster_is_refused(cluster):
    """An address begins with how to connect."""
    with pytest.raises(InvalidParameterError) as caught:
        DaskRunner(cluster)
    assert str(caught.value) == (
        f"cluster={cluster!r} is no Dask cluster; give a distributed.Client, the address of a scheduler such as "
        "'tcp://host:8786', or 'dask' for processes of this machine."
    )


@pytest.mark.parametrize("patience", [0, -1.0, float("inf"), float("nan"), "1", True, None])
def test_a_patience_that_means_nothing(patience):
    """Waiting for ever is not offered."""
    with pytest.raises(InvalidParameterError, match=r"^patience=.* is no number of seconds above 0\.$"):
        DaskRunner("dask", patience=patience)
