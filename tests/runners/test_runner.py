"""The runner that a user has asked for."""

import pytest

from tests.guarded import told
from tiebreak.errors import InvalidParameterError
from tiebreak.runners.dask import DaskRunner
from tiebreak.runners.local import LocalRunner
from tiebreak.runners.runner import make_runner


class Own:
    """Anything that can run."""

    def run(self, workload, cells):
        yield [workload.measure(cell) for cell in cells]


def test_each_kind_of_runner():
    """Of this machine with the settings of the call, Dask by an address, and one of the caller as it is."""
    local, own = make_runner(None, 3, 2.5), Own()
    assert isinstance(local, LocalRunner)
    assert (local.n_workers, local.timeout) == (3, 2.5)
    assert make_runner(own) is own
    for runner in ("tcp://127.0.0.1:8786", "tls://node7:8786"):
        made = make_runner(runner)
        assert isinstance(made, DaskRunner)
        assert made.cluster == runner


def test_a_client_is_a_cluster(client):
    """The caller's own."""
    runner = make_runner(client)
    assert isinstance(runner, DaskRunner)
    assert runner.cluster is client


@pytest.mark.parametrize("runner", [3, "local", "dask", "http://host:8786", "what://host", "host:8786", LocalRunner])
def test_what_cannot_run_is_refused(runner):
    """The class itself is not a runner either."""
    assert told(InvalidParameterError, make_runner, runner) == (
        f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
        "a distributed.Client, the address of a Dask scheduler, 'tcp://host:8786' or 'tls://host:8786', and any object with a "
        "method run(workload, cells) as tiebreak.runners.contract.Runner describes it."
    )


@pytest.mark.parametrize("runner", [Own(), LocalRunner(), "tcp://127.0.0.1:8786"])
def test_settings_that_a_given_runner_would_not_see_are_refused(runner):
    """Rather than silently without effect."""
    assert told(InvalidParameterError, make_runner, runner, timeout=3.0).startswith(
        "timeout=3.0 is for processes that tiebreak starts"
    )
    assert told(InvalidParameterError, make_runner, runner, 2).startswith("n_jobs=2 is for processes that tiebreak starts")
