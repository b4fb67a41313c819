"""Measuring on a Dask cluster that stays as it is; `test_tasks` has what is lost on the way."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import subprocess
import sys
import threading
import time
import traceback
import warnings
from importlib import metadata
from importlib.util import find_spec

import cloudpickle
import pytest

from tests.guarded import HANGS
from tests.runners.clusters import Processes
from tests.runners.test_local import measured, measured_by
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
    is_alive,
    kill,
    run_out_of_memory,
    splits,
    started,
    wait_until,
)
from tiebreak.errors import (
    ClusterError,
    InvalidParameterError,
    InvalidPlanError,
    MissingDependencyError,
    UnprotectedClusterWarning,
)
from tiebreak.plan.record import Outcome
from tiebreak.runners.dask import runner as module
from tiebreak.runners.dask.runner import DaskRunner, warn_if_exposed

pytestmark = pytest.mark.slow


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
    assert os.getpid() not in measured_by(outcomes)


def test_all_workers_measure(client, tmp_path):
    """40 cells of 20 ms: neither of the two can have measured all of them before the other began."""
    pids = client.run(os.getpid).values()
    assert measured_by(measured(DaskRunner(client), Marked(tmp_path, seconds=0.02), splits(40))) == set(pids)


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
    assert measured_by(outcomes) <= entered == set(client.run(os.getpid).values())
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


@pytest.mark.parametrize("patience", [0, -1.0, float("inf"), float("nan"), "1", True])
def test_a_patience_that_means_nothing(patience):
    """Waiting for ever is not offered."""
    with pytest.raises(InvalidParameterError, match=r"^patience=.* is no number of seconds above 0\.$"):
        DaskRunner("dask", patience=patience)


def test_workers_of_this_machine_are_waited_for_longer():
    """They come by themselves, however busy it is; nobody may ever start one for another cluster."""
    assert DaskRunner("dask").patience == 300
    assert DaskRunner("tcp://host:8786").patience == 60
    assert DaskRunner("dask", patience=2).patience == 2


needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="needs the extra dask: pip install 'distributed>=2024.8'"
)


@needs_dask
def test_worker_processes_of_this_machine_end_with_the_run():
    """Two of them measure, and are gone afterwards; so is the scheduler, and logging is as it was."""
    importlib.import_module("distributed")  # which sets the level
    level = logging.getLogger("distributed").level
    outcomes = measured(DaskRunner("dask", 2), Plain(), splits(200))
    pids = measured_by(outcomes)
    assert len(outcomes) == 200
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2
    wait_until(lambda: not any(map(is_alive, pids)))
    assert logging.getLogger("distributed").level == level


@needs_dask
def test_a_single_worker_that_is_lost_with_the_data_is_replaced(tmp_path):
    """The cell that kills it is to blame, and the others are measured."""
    outcomes = measured(DaskRunner("dask", 1), Marked(tmp_path, {3: kill}), splits(6))
    assert [(cell.split, outcome.state) for cell, outcome in sorted(outcomes.items()) if not outcome.is_done] == [(3, "killed")]


WITHOUT = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tiebreak":
            raise ModuleNotFoundError("No module named 'tiebreak'", name="tiebreak")

sys.meta_path.insert(0, Nothing())
"""

SCRIPT = """
import sys
from tests.runners.workloads import Marked, kill, splits
from tiebreak.runners.dask.runner import DaskRunner

if __name__ == "__main__":
    outcomes = [each for batch in DaskRunner("dask", 2).run(Marked(sys.argv[1], {3: kill}), splits(8)) for each in batch]
    print(sorted(each.cell.split for each in outcomes if each.is_done))
"""


@needs_dask
def test_a_lost_worker_is_no_noise_for_the_user(tmp_path):
    """Dask has a lot to say about that; the outcome of the cell says it all."""
    with started(SCRIPT, tmp_path) as process:
        out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out, err) == (0, "[0, 1, 2, 4, 5, 6, 7]\n", "")


INTERRUPTED = """
import os, signal, sys, threading, time
from tests.runners.workloads import Marked, splits
from tiebreak.runners.dask.runner import DaskRunner

if __name__ == "__main__":
    workload = Marked(sys.argv[1], seconds=0.05)
    try:
        for batch in DaskRunner("dask", 1).run(workload, splits(200)):
            os.killpg(0, signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
"""


@needs_dask
def test_workers_of_this_machine_leave_ctrl_c_to_the_process_that_started_them(tmp_path):
    """A terminal sends it to all of them; nobody but the caller has to say anything."""
    with started(INTERRUPTED, tmp_path) as process:
        out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def test_a_client_of_the_caller_stays_open(client):
    """And is not made the default of anybody."""
    import distributed

    measured(DaskRunner(client), Plain(), splits(3))
    assert client.status == "running"
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def test_a_client_that_was_closed(dask_cluster):
    """Nothing is waited for."""
    import distributed

    client = distributed.Client(dask_cluster.address, set_as_default=False)
    client.close()
    with pytest.raises(ClusterError, match=r"^The Dask scheduler at .* is gone or does not answer\. What was measured"):
        next(DaskRunner(client).run(Plain(), splits(3)))


@needs_dask
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "what://127.0.0.1:9", "tcp://"])
def test_a_scheduler_that_cannot_be_reached(address, monkeypatch):
    """Nobody listens at port 9; there are no certificates; there is no such way to connect; there is no such place."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError) as caught:
        next(DaskRunner(address).run(Plain(), splits(3)))
    assert str(caught.value).startswith(f"The Dask scheduler at {address} cannot be reached: ")
    assert str(caught.value).endswith(
        ". Is it running, and is that its address? It is started by: dask scheduler --host 127.0.0.1"
    )


@needs_dask
def test_a_client_that_could_not_connect_is_closed(monkeypatch):
    """Collected while another one is starting, it would close itself then, and both would wait for ever."""
    import distributed

    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError) as caught:  # which keeps what was half made
        next(DaskRunner("what://127.0.0.1:9").run(Plain(), splits(3)))
    [made] = [each for each in _locals_of(caught.value.__cause__) if isinstance(each, distributed.Client)]
    assert made.status == "closed"


def _locals_of(error):
    """Objects whose methods an error came through, each once."""
    frames = (frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__))
    return {id(each["self"]): each["self"] for each in frames if "self" in each}.values()


@needs_dask
def test_workers_that_are_threads_of_this_process_are_refused():
    """A model that ends its process would end this one."""
    import distributed

    settings = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    with distributed.Client(**settings, set_as_default=False) as client:
        with pytest.raises(InvalidParameterError) as caught:
            next(DaskRunner(client).run(Plain(), splits(3)))
        assert str(caught.value) == (
            "The workers of this Client are threads of your own process, which models and settings of threads are not safe with. "
            "Make it with processes=True, or use n_jobs= without a runner."
        )


def test_an_asynchronous_client_is_refused(dask_cluster):
    """Its answers come to whoever awaits them."""
    import distributed

    async def ask():
        async with distributed.Client(dask_cluster.address, asynchronous=True, set_as_default=False) as client:
            next(DaskRunner(client).run(Plain(), splits(3)))

    with pytest.raises(InvalidParameterError) as caught:
        asyncio.run(ask())
    assert str(caught.value) == "runner is an asynchronous Client; give one made without asynchronous=True."


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    """The extra brings it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError) as caught:
        next(DaskRunner("dask").run(Plain(), splits(3)))
    assert str(caught.value).startswith("running on Dask needs distributed (")
    assert str(caught.value).endswith("): pip install 'distributed>=2024.8'.")


@needs_dask
def test_a_worker_without_tiebreak(tmp_path, monkeypatch):
    """Nothing at all can be asked of it."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    with Processes(tmp_path, 0) as cluster:
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
        cluster.start_worker()
        with pytest.raises(ClusterError) as caught:
            next(DaskRunner(cluster.address).run(Plain(), splits(3)))
    text = str(caught.value)
    assert text.startswith(f"The Dask cluster at {cluster.address} cannot do the work: ")
    assert text.endswith(
        "tiebreak has to be installed where the scheduler and where the workers run. What was measured until then is kept where "
        "there is a store; the same call goes on from there."
    )


@pytest.mark.parametrize("address", ["tcp://192.168.1.5:8786", "ws://node7:8786", "tcp://[2001:db8::1]:8786", "tcp://0.0.0.0:1"])
def test_a_scheduler_that_others_can_reach_is_warned_of(address):
    """Whoever connects to it has its workers run any code."""
    with pytest.warns(UnprotectedClusterWarning) as caught:
        warn_if_exposed(address)
    assert str(caught[0].message) == (
        f"The Dask scheduler at {address} listens beyond this machine without TLS: whoever can reach it can have its workers run "
        "any code, and read the data. Start it with --host 127.0.0.1, or with TLS and an address that begins with tls://."
    )


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786", "tcp://127.8.8.8:1", "tls://192.168.1.5:8786"]
)
def test_a_scheduler_that_others_cannot_use_is_not(address):
    """This machine only, or with certificates."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_exposed(address)
    assert caught == []


def test_importing_the_runner_does_not_import_dask():
    """Whoever has no use for it does not wait for it, nor needs it."""
    code = "import sys, tiebreak.runners.runner; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
