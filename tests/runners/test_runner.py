"""The runner that a user has asked for."""

import pytest

from tests.guarded import told
from tiebreak.errors import InvalidParameterError
from tiebreak.evaluation.evaluate import make_runner
from tiebreak.runners.dask import measure_on_cluster
from tiebreak.runners.local import measure_on_machine


def test_each_kind_of_runner():
    """Of this machine with the settings of the call, and Dask by an address."""
    local = make_runner(None, 3, 2.5)
    assert (local.func, local.keywords) == (measure_on_machine, {"n_workers": 3, "timeout": 2.5})
    for runner in ("tcp://127.0.0.1:8786", "tls://node7:8786"):
        made = make_runner(runner)
        assert (made.func, made.keywords) == (measure_on_cluster, {"cluster": runner})


def test_a_client_is_a_cluster(client):
    """The caller's own."""
    assert make_runner(client).keywords == {"cluster": client}


@pytest.mark.parametrize("runner", [3, "local", "dask", "http://host:8786", "what://host", "host:8786", measure_on_machine])
def test_what_cannot_run_is_refused(runner):
    """Also what measures on this machine: that is `n_jobs` and `timeout`."""
    assert told(InvalidParameterError, make_runner, runner) == (
        f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
        "a distributed.Client, and the address of a Dask scheduler, 'tcp://host:8786' or 'tls://host:8786'."
    )


def test_settings_that_a_given_runner_would_not_see_are_refused():
    """Rather than silently without effect."""
    runner = "tcp://127.0.0.1:8786"
    assert told(InvalidParameterError, make_runner, runner, timeout=3.0).startswith(
        "timeout=3.0 is for processes that tiebreak starts"
    )
    assert told(InvalidParameterError, make_runner, runner, 2).startswith("n_jobs=2 is for processes that tiebreak starts")
