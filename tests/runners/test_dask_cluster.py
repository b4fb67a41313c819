"""Reaching a Dask cluster, or starting one."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import warnings

import pytest

from tests.runners.clusters import Processes
from tests.runners.test_local import measured, processes
from tests.runners.workloads import Marked, Plain, is_alive, kill, splits, started, wait_until
from tiebreak.errors import ClusterError, InvalidParameterError, MissingDependencyError, UnprotectedClusterWarning
from tiebreak.runners.dask import cluster as dask_cluster
from tiebreak.runners.dask.cluster import warn_if_exposed
from tiebreak.runners.dask.runner import DaskRunner

distributed = pytest.importorskip("distributed", reason="needs the extra dask: pip install 'tiebreak[dask]'")


def test_worker_processes_of_this_machine_end_with_the_run():
    """Two of them measure, and are gone afterwards; so is the scheduler, and logging is as it was."""
    level = logging.getLogger("distributed").level
    outcomes = measured(DaskRunner("dask", 2), Plain(), splits(200))
    pids = processes(outcomes)
    assert len(outcomes) == 200
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2
    wait_until(lambda: not any(map(is_alive, pids)))
    assert logging.getLogger("distributed").level == level


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


def test_a_lost_worker_is_no_noise_for_the_user(tmp_path):
    """Dask has a lot to say about that; the outcome of the cell says it all."""
    with started(SCRIPT, tmp_path) as process:
        out, err = process.communicate(timeout=120)
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


def test_workers_of_this_machine_leave_ctrl_c_to_the_process_that_started_them(tmp_path):
    """A terminal sends it to all of them; nobody but the caller has to say anything."""
    with started(INTERRUPTED, tmp_path) as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def test_a_client_of_the_caller_stays_open(client):
    """And is not made the default of anybody."""
    measured(DaskRunner(client), Plain(), splits(3))
    assert client.status == "running"
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def test_a_client_that_was_closed(dask_cluster):
    """Nothing is waited for."""
    client = distributed.Client(dask_cluster.address, set_as_default=False)
    client.close()
    with pytest.raises(ClusterError, match=r"^The Dask scheduler at .* is gone or does not answer\. What was measured"):
        next(DaskRunner(client).run(Plain(), splits(3)))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "what://127.0.0.1:9", "tcp://"])
def test_a_scheduler_that_cannot_be_reached(address, monkeypatch):
    """Nobody listens at port 9; there are no certificates; there is no such way to connect; there is no such place."""
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError) as caught:
        next(DaskRunner(address).run(Plain(), splits(3)))
    assert str(caught.value).startswith(f"The Dask scheduler at {address} cannot be reached: ")
    assert str(caught.value).endswith(
        ". Is it running, and is that its address? It is started by: dask scheduler --host 127.0.0.1"
    )


def test_workers_that_are_threads_of_this_process_are_refused():
    """A model that ends its process would end this one."""
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
    assert str(caught.value).endswith("): pip install 'tiebreak[dask]'.")


def test_a_worker_without_tiebreak(tmp_path, monkeypatch):
    """Of which nothing can be asked at all."""
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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_exposed(address)


def test_importing_the_runner_does_not_import_dask():
    """Whoever has no use for it does not wait for it, nor needs it."""
    code = "import sys, tiebreak.runners.start; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
