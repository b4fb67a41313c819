"""The runner that a user has asked for."""

from __future__ import annotations

import pytest

from tiebreak.errors import InvalidParameterError
from tiebreak.runners.dask.runner import DaskRunner
from tiebreak.runners.joblib import JoblibRunner
from tiebreak.runners.local import LocalRunner
from tiebreak.runners.runner import make_runner


def test_without_a_runner_one_for_this_machine_is_made():
    """With the settings of the call."""
    runner = make_runner(None, 3, 2.5)
    assert isinstance(runner, LocalRunner)
    assert (runner.n_workers, runner.timeout, runner.isolate) == (3, 2.5, False)


def test_a_runner_of_the_caller_is_used_as_it_is():
    """Anything that can run."""

    class Own:
        def run(self, workload, cells):
            yield [workload.measure(cell) for cell in cells]

    own = Own()
    assert make_runner(own) is own


@pytest.mark.parametrize("runner", [3, "local", LocalRunner])
def test_what_cannot_run_is_refused(runner):
    """The class itself is not a runner either."""
    with pytest.raises(InvalidParameterError) as caught:
        make_runner(runner)
    assert str(caught.value) == (
        f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
        "a distributed.Client, the address of a Dask scheduler such as 'tcp://host:8786', 'dask', 'joblib', a LocalRunner, and "
        "any object with a method run(workload, cells) as tiebreak.runners.contract.Runner describes it."
    )


@pytest.mark.parametrize(("settings", "text"), [((2, None), "n_jobs=2"), ((1, 3.0), "timeout=3.0")])
def test_settings_that_a_given_runner_would_not_see_are_refused(settings, text):
    """Rather than silently without effect."""
    with pytest.raises(InvalidParameterError) as caught:
        make_runner(LocalRunner(), *settings)
    assert str(caught.value) == (
        f"{text} is for the runner that tiebreak makes, and a runner was given. "
        f"Give that to the runner itself, such as LocalRunner({text}), or leave out runner=."
    )


def test_dask_on_this_machine_has_as_many_workers_as_jobs():
    """Nothing is started before there is something to measure."""
    runner = make_runner("dask", 3)
    assert isinstance(runner, DaskRunner)
    assert (runner.cluster, runner.n_workers) == ("dask", 3)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tls://node7:8786"])
def test_an_address_is_that_of_a_dask_scheduler(address):
    """Nobody is asked yet."""
    runner = make_runner(address)
    assert isinstance(runner, DaskRunner)
    assert runner.cluster == address


def test_a_client_is_a_cluster(client):
    """The caller's own."""
    runner = make_runner(client)
    assert isinstance(runner, DaskRunner)
    assert runner.cluster is client


def test_jobs_are_not_for_a_cluster_that_is_there():
    """All of its workers are used."""
    with pytest.raises(InvalidParameterError) as caught:
        make_runner("tcp://127.0.0.1:8786", 2)
    assert str(caught.value) == (
        "n_jobs=2 is for processes that tiebreak starts, and the workers of this Dask cluster are there already. Leave it out; "
        "all of them are used."
    )


@pytest.mark.parametrize("runner", ["dask", "tcp://127.0.0.1:8786"])
def test_a_timeout_is_not_for_dask(runner):
    """A thread of a worker cannot be ended."""
    with pytest.raises(InvalidParameterError) as caught:
        make_runner(runner, timeout=3.0)
    assert str(caught.value) == (
        "timeout=3.0 cannot be kept on Dask, where a cell that hangs could be ended only along with its worker. Leave it out, or "
        "measure without Dask."
    )


def test_joblib_is_a_runner_that_has_its_own_settings():
    """They are those of `joblib.parallel_config`."""
    assert isinstance(make_runner("joblib"), JoblibRunner)
    for settings, text in (((2, None), "n_jobs=2"), ((1, 3.0), "timeout=3.0")):
        with pytest.raises(InvalidParameterError) as caught:
            make_runner("joblib", *settings)
        assert str(caught.value) == (
            f"{text} is for the runner that tiebreak makes. With runner='joblib' the number of processes is that of "
            "joblib.parallel_config, and there is no limit for a cell."
        )
