"""Measuring through joblib's backends."""

from __future__ import annotations

import os

import joblib
import pytest

from tests.runners.test_local import measured, measured_by
from tests.runners.workloads import (
    Entered,
    Marked,
    NeverArrives,
    Once,
    Plain,
    Returns,
    Sized,
    Unreadable,
    Unsendable,
    be_wrong,
    grid,
    kill,
    splits,
)
from tiebreak.errors import ClusterError, InvalidParameterError, LostWorkersError
from tiebreak.runners.joblib import JoblibRunner


@pytest.fixture(scope="module", autouse=True)
def _nobody_left():
    """joblib keeps its workers for a while."""
    yield
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True, kill_workers=True)


@pytest.fixture
def loky():
    """joblib's own processes, two of them."""
    with joblib.parallel_config(backend="loky", n_jobs=2):
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("loky")
def test_every_cell_is_measured_once_in_other_processes():
    """place = 10 split + model."""
    cells = grid(40, 3)
    outcomes = measured(JoblibRunner(), Plain(), cells)
    assert {cell: outcome.scores["place"] for cell, outcome in outcomes.items()} == {
        cell: 10 * cell.split + cell.model for cell in cells
    }
    assert os.getpid() not in measured_by(outcomes)


def test_through_joblib_on_dask(client):
    """`DaskRunner` does that better; this stands for the backends that others have written."""
    with client.as_current(), joblib.parallel_config(backend="dask", n_jobs=2):
        outcomes = measured(JoblibRunner(), Sized(10_000), splits(20)).values()
    assert {outcome.scores["sum"] for outcome in outcomes} == {9_999 * 5_000 + 5}
    assert {outcome.scores["pid"] for outcome in outcomes} <= set(client.run(os.getpid).values())


@pytest.mark.slow
@pytest.mark.usefixtures("loky")
def test_a_workload_is_entered_once_in_each_worker(tmp_path):
    """Though it comes with each task."""
    outcomes = measured(JoblibRunner(), Entered(tmp_path, "a"), splits(100))
    assert len(outcomes) == 100
    assert len(list(tmp_path.glob("a-entered-*"))) == len(measured_by(outcomes))
    assert list(tmp_path.glob("a-left-*")) == []
    measured(JoblibRunner(), Plain(), splits(50))
    assert len(list(tmp_path.glob("a-left-*"))) >= 1


@pytest.mark.slow
@pytest.mark.usefixtures("loky")
def test_what_the_workload_raises_costs_that_cell_only(tmp_path):
    """As anywhere."""
    outcomes = measured(JoblibRunner(), Marked(tmp_path, {2: be_wrong}), splits(6))
    assert [cell.split for cell, outcome in outcomes.items() if not outcome.is_done] == [2]


@pytest.mark.slow
@pytest.mark.usefixtures("loky")
@pytest.mark.parametrize("value", [Unsendable, Unreadable])
def test_an_answer_that_cannot_be_sent_or_read(value):
    """It is a failure, and no cell is missing."""
    outcomes = measured(JoblibRunner(), Returns(25, value), splits(40))
    assert len(outcomes) == 40
    assert [cell.split for cell, outcome in outcomes.items() if not outcome.is_done] == [25]


@pytest.mark.usefixtures("loky")
@pytest.mark.slow
def test_a_worker_that_is_lost_ends_the_run_and_the_next_one_goes_on(tmp_path):
    """Outcomes handed over until then are kept."""
    workload, kept = Marked(tmp_path, {30: Once(tmp_path, kill)}), []
    with pytest.raises(LostWorkersError) as caught:
        kept.extend(outcome for batch in JoblibRunner().run(workload, splits(40)) for outcome in batch)
    text = str(caught.value)
    assert text.startswith("joblib has failed to measure ")
    assert "TerminatedWorkerError" in text
    assert text.endswith(". What was measured until then is kept where there is a store; the same call goes on from there.")
    assert len(measured(JoblibRunner(), workload, splits(40))) == 40


@pytest.mark.usefixtures("loky")
def test_a_workload_that_cannot_be_taken_over_ends_the_run():
    """No cell has failed for that."""
    with pytest.raises(ClusterError) as caught:
        next(JoblibRunner().run(NeverArrives(), splits(5)))
    assert str(caught.value) == ("A worker of joblib cannot take models and data over: ImportError: No module named 'theirs'.")


@pytest.mark.parametrize(
    ("settings", "text"),
    [({}, "LokyBackend with 1"), ({"backend": "threading", "n_jobs": 2}, "ThreadingBackend with 2")],
)
@pytest.mark.slow
def test_a_backend_without_other_processes_is_refused(settings, text):
    """Models and settings of threads are not safe with each other in one process."""
    with joblib.parallel_config(**settings), pytest.raises(InvalidParameterError) as caught:
        next(JoblibRunner().run(Plain(), splits(5)))
    assert str(caught.value) == (
        f"runner='joblib' needs a backend with two or more processes, and joblib has {text}. Choose one around the call: with "
        "joblib.parallel_config(backend='ray', n_jobs=8). Without joblib, n_jobs= says how many processes there are."
    )
