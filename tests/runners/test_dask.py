"""Measuring on a Dask cluster whose workers and scheduler may be lost."""

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import closing
from importlib.util import find_spec

import cloudpickle
import pytest

from tests.guarded import HANGS, ended, told
from tests.runners.clusters import Processes
from tests.runners.test_local import measured, measured_by
from tests.runners.workloads import (
    Arrives,
    Held,
    Marked,
    Once,
    Plain,
    Returns,
    Unreadable,
    be_wrong,
    grid,
    kill,
    lack_a_module,
    splits,
    wait_until,
)
from tiebreak.errors import (
    InvalidParameterError,
    LostWorkersError,
    MissingDependencyError,
    TiebreakWarning,
)
from tiebreak.evaluation.evaluate import make_runner
from tiebreak.plan.record import Outcome
from tiebreak.runners import dask as module
from tiebreak.runners.dask import warn_if_exposed

pytestmark = pytest.mark.slow

GO_ON = "What was measured until then is kept where there is a store; the same call goes on from there."


class Crowded(Plain):
    """Says whether it is measured in one thread, and whether another cell was being measured at the same time."""

    n_inside = 0

    def measure(self, cell):
        self.thread = getattr(self, "thread", threading.get_ident())
        Crowded.n_inside += 1
        time.sleep(0.01)
        n_inside, Crowded.n_inside = Crowded.n_inside, Crowded.n_inside - 1
        same = threading.get_ident() == self.thread
        return Outcome(cell, scores={"inside": n_inside, "same": same, "pid": os.getpid()})


cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize("kind", ["client", "address"])
def test_every_cell_is_measured_once_and_the_same_everywhere(kind, dask_cluster, client):
    """By a client or by an address, on both workers and nowhere else: place = 10 split + model."""
    cells = grid(60, 3)
    outcomes = measured(make_runner(client if kind == "client" else dask_cluster.address), Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert all(outcome.is_done and outcome.attempts == 1 for outcome in outcomes.values())
    assert measured_by(outcomes) == set(client.run(os.getpid).values())
    assert client.status == "running"


def test_nobody_is_asked_where_there_is_nothing_to_do():
    """There is no such scheduler."""
    assert list(make_runner("tcp://127.0.0.1:9")(Plain(), [])) == []


def test_a_worker_measures_one_cell_at_a_time_in_one_thread(client):
    """The workers have two threads each; numerical libraries and scikit-learn have settings for each thread."""
    outcomes = measured(make_runner(client), Crowded(), splits(60)).values()
    assert {(outcome.scores["inside"], outcome.scores["same"]) for outcome in outcomes} == {(1, True)}


def test_what_raises_or_cannot_be_read_costs_that_cell_only(client, tmp_path):
    """As in a worker of this machine."""
    outcomes = measured(make_runner(client), Marked(tmp_path, {2: be_wrong}), splits(6))
    assert [(cell.split, each.message) for cell, each in outcomes.items() if not each.is_done] == [
        (2, "ValueError: the input holds NaN")
    ]
    outcomes = measured(make_runner(client), Returns(5, Unreadable), splits(10))
    assert [(cell.split, each.state) for cell, each in outcomes.items() if not each.is_done] == [(5, "raised")]


def test_a_workload_is_read_once_by_each_worker_and_let_go_of_after_the_run(client, tmp_path):
    """Dask drops the data when nobody needs them, and so do the workers, without being asked by the next run."""
    measured(make_runner(client), Held(tmp_path, "a"), splits(200))
    taken = {int(path.name.split("-")[-1]) for path in tmp_path.glob("a-taken-*")}
    assert taken == set(client.run(os.getpid).values())
    wait_until(lambda: {int(path.name.split("-")[-1]) for path in tmp_path.glob("a-left-*")} == taken)


def test_two_runs_share_the_workers(client, dask_cluster, tmp_path):
    """Each cell of both is measured with its own workload, though each worker holds one at a time."""
    results = {}

    def run(name, target):
        results[name] = len(measured(make_runner(target), Marked(tmp_path / name, seconds=0.003), grid(30, 2)))

    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    other = threading.Thread(target=run, args=("two", dask_cluster.address))
    other.start()
    run("one", client)
    other.join()
    assert results == {"one": 60, "two": 60}
    assert all(len(Marked(tmp_path / name).begun()) == 30 for name in ("one", "two"))


def test_a_consumer_that_stops_leaves_nothing_behind(client, tmp_path):
    """A worker is given more only when more is asked for; then the calls are taken back, and the client is as it was."""
    batches = make_runner(client)(Marked(tmp_path, seconds=0.05), splits(100))
    first = next(batches)
    time.sleep(0.5)
    assert len(first) + 2 >= len(Marked(tmp_path).begun()) >= len(first)
    batches.close()
    wait_until(lambda: client.futures == {})
    assert len(measured(make_runner(client), Plain(), splits(5))) == 5


# --- workers that are not like this process ---------------------------------------------------------------------------------


def test_a_workload_that_cannot_be_taken_over_ends_the_run(client):
    """Such as one of a module that is not there; no cell has failed for that."""
    worker, _, text = (
        told(LostWorkersError, lambda: next(make_runner(client)(Arrives(lack_a_module), splits(5))))
        .removeprefix("A Dask worker cannot take models and data over: ")
        .partition(": ")
    )
    assert worker in client.nthreads()
    assert text == (
        f"ImportError: No module named 'theirs'. Put the same code and packages there, and start the workers anew. {GO_ON}"
    )


def test_a_module_that_was_edited_after_a_worker_had_read_it_ends_the_run(client, tmp_path, monkeypatch):
    """The worker would measure with the old code."""
    file = tmp_path / "own_work_of_mine.py"
    text = "from tiebreak.plan.record import Outcome\n\nclass Work:\n    group = lambda *_: None\n"
    file.write_text(f"{text}    measure = lambda self, cell: Outcome(cell, message='old')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("own_work_of_mine")
    try:
        outcomes = measured(make_runner(client), module.Work(), splits(3)).values()
        assert {outcome.message for outcome in outcomes} == {"old"}
        file.write_text(f"{text}    measure = lambda self, cell: Outcome(cell, message='new!')\n")
        module = importlib.reload(module)
        with pytest.raises(LostWorkersError, match=r"module 'own_work_of_mine' is code .* here, code .* there"):
            next(make_runner(client)(module.Work(), splits(3)))
    finally:
        del sys.modules["own_work_of_mine"]


# --- what is lost -------------------------------------------------------------------------------------------------------------


def kill_when(condition, pids):
    """Kill processes as soon as something is so, beside what this thread does."""

    def watch():
        while not condition():
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


@pytest.mark.parametrize("n_killed", [1, 2])
def test_workers_that_are_killed_are_replaced_and_nothing_is_missing(client, tmp_path, n_killed):
    """One or both, with the scattered data gone; each cell comes once."""
    workload = Marked(tmp_path, seconds=0.02)
    kill_when(lambda: len(workload.begun()) > 20, list(client.run(os.getpid).values())[:n_killed])
    outcomes = measured(make_runner(client), workload, splits(80))
    assert len(outcomes) == 80
    assert all(outcome.is_done for outcome in outcomes.values())
    client.wait_for_workers(2, timeout=HANGS)


def test_a_cell_that_kills_its_workers_is_given_up_and_the_others_are_measured(client, tmp_path):
    """After two deaths alone; one that kills the first time only is measured the second time, and nobody else is blamed."""
    outcomes = measured(make_runner(client), Marked(tmp_path, {7: kill, 12: Once(tmp_path, kill)}), splits(20))
    assert len(outcomes) == 20
    [culprit] = [outcome for outcome in outcomes.values() if not outcome.is_done]
    assert (culprit.cell.split, culprit.state, culprit.attempts) == (7, "killed", 2)
    assert culprit.message == "2 workers died while they measured this cell and nothing else: it is gone"
    client.wait_for_workers(2, timeout=HANGS)


def test_a_cluster_without_workers_and_a_scheduler_that_is_killed(tmp_path, monkeypatch):
    """It is said that there is none; then the scheduler is lost with one at work: the run ends and keeps what it has."""
    distributed = pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.5)
    with (
        closing(Processes(tmp_path, 0, nanny=False)) as cluster,
        distributed.Client(cluster.address, set_as_default=False) as client,
    ):
        assert told(LostWorkersError, lambda: next(make_runner(client)(Plain(), splits(5)))) == (
            f"The Dask cluster at {cluster.address} has had no worker for 0.5 s. {GO_ON} A worker is started by: dask worker "
            f"{cluster.address}"
        )
        cluster.start_worker()
        client.wait_for_workers(1, timeout=HANGS)
        kept = []

        def measure():
            for batch in make_runner(client)(Marked(tmp_path, seconds=0.02), splits(500)):
                kept.extend(batch)
                if len(kept) > 20 and cluster.scheduler.poll() is None:
                    cluster.kill_scheduler()

        message = told(LostWorkersError, ended, measure)
        assert 20 < len(kept) < 500
        assert message.startswith(f"The Dask scheduler at {cluster.address} is gone or does not answer")
        assert message.endswith(GO_ON)


# --- clusters of this machine, and what is none -----------------------------------------------------------------------------

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="needs the extra dask: pip install 'distributed>=2024.8'"
)


@needs_dask
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "tcp://"])
def test_a_scheduler_that_cannot_be_reached(address, monkeypatch):
    """Nobody listens at port 9; there are no certificates; there is no such place."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    message = told(LostWorkersError, lambda: next(make_runner(address)(Plain(), splits(3))))
    assert message.startswith(f"The Dask scheduler at {address} cannot be reached: ")
    assert message.endswith(". Is it running, and is that its address? It is started by: dask scheduler --host 127.0.0.1")


@needs_dask
def test_workers_that_are_threads_of_this_process_are_refused():
    """A model that ends its process would end this one."""
    import distributed

    settings = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    with (
        distributed.Client(**settings, set_as_default=False) as client,
        pytest.raises(InvalidParameterError, match="The workers of this Client are threads of your own process"),
    ):
        next(make_runner(client)(Plain(), splits(3)))


def test_an_asynchronous_client_is_refused(dask_cluster):
    """Its answers come to whoever awaits them."""
    import distributed

    async def ask():
        async with distributed.Client(dask_cluster.address, asynchronous=True, set_as_default=False) as client:
            next(make_runner(client)(Plain(), splits(3)))

    assert told(InvalidParameterError, lambda: asyncio.run(ask())).startswith(
        "runner is an asynchronous Client; give one made without"
    )


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    """The extra brings it; importing tiebreak does not."""
    code = "import sys, tiebreak.evaluation.evaluate; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        MissingDependencyError, match=r"^running on Dask needs distributed \(.*\): pip install 'distributed>=2024.8'.$"
    ):
        next(make_runner("tcp://127.0.0.1:9")(Plain(), splits(3)))


@pytest.mark.parametrize(
    ("address", "is_exposed"),
    [
        ("tcp://192.168.1.5:8786", True),
        ("ws://node7:8786", True),
        ("tcp://[2001:db8::1]:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://192.168.1.5:8786", False),
    ],
)
def test_a_scheduler_that_others_can_reach_is_warned_of(address, is_exposed):
    """Whoever connects to it has its workers run any code; not where it is this machine only, or with certificates."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_exposed(address)
    assert [each.category for each in caught] == [TiebreakWarning] * is_exposed
    assert all(f"The Dask scheduler at {address} listens beyond this machine without TLS" in str(each.message) for each in caught)
