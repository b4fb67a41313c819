"""Code that runs inside a worker process."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from tests.runners.workloads import Busy, Entered, Plain, Unreadable, Unsendable, splits
from tiebreak.plan.record import Outcome
from tiebreak.runners import processes, worker
from tiebreak.runners.batch import PackedWorkload


@pytest.fixture
def process():
    """A worker process, killed afterwards."""
    process = processes.acquire()
    yield process
    processes.discard(process)


def prepared(process, workload, environment=None):
    """Have a process load a workload."""
    return process.call(worker.prepare, PackedWorkload(workload).payload(), environment or worker.Environment.current()).result()


def test_a_batch_ends_with_its_time(process):
    """Cells of 20 ms in a batch of 50 ms: at least one is measured, far from all 100, and the report says how many."""
    assert prepared(process, Busy(0.02)) is None
    report = process.call(worker.measure, splits(100), 0.05).result()
    outcomes = worker.unpacked(report.outcomes)
    assert 1 <= len(outcomes) == len(report.seconds) <= 3
    assert [outcome.cell for outcome in outcomes] == splits(len(outcomes))
    assert min(report.seconds) >= 0.02


def test_outcomes_come_back_as_they_were():
    """With everything that an outcome can hold."""
    outcome = Outcome(
        splits(1)[0], "raised", {"auc": 0.5}, {"f1": "no positives"}, {"auc": 1.0}, 0.1, 0.2, 7, ("W: x",), "E: y", "trace", 2
    )
    assert worker.unpacked(worker.packed([outcome])) == [outcome]


def test_arrays_come_back_bit_for_bit(rng):
    """Outputs of a model are kept with the scores."""
    said = rng.normal(size=(5, 3))
    [back] = worker.unpacked(worker.packed([Outcome(splits(1)[0], outputs={"predict_proba": said})]))
    np.testing.assert_array_equal(back.outputs["predict_proba"], said)


def test_an_outcome_that_cannot_be_sent_is_replaced():
    """And the others are not."""
    good, bad = splits(2)
    first, second = worker.unpacked(worker.packed([Outcome(good), Outcome(bad, outputs={"predict": Unsendable()})]))
    assert (first.cell, first.is_done) == (good, True)
    assert (second.cell, second.state, second.message) == (bad, "raised", "TypeError: not this one")


def test_classes_without_a_module_are_sent_too():
    """A score of a type that was defined in a notebook."""
    local = type("Local", (float,), {"__module__": "__main__"})
    [back] = worker.unpacked(worker.packed([Outcome(splits(1)[0], scores={"x": local(0.5)})]))
    assert back.scores["x"] == 0.5


def test_what_cannot_be_read_back_raises_in_the_parent():
    """There the cells of the batch are measured again, each alone."""
    packed = worker.packed([Outcome(splits(1)[0], outputs={"predict": Unreadable()})])
    with pytest.raises(ValueError, match="no number"):
        worker.unpacked(packed)


def test_a_worker_without_a_workload_says_so():
    """It would be a mistake of ours."""
    with pytest.raises(RuntimeError, match="this worker process holds no workload"):
        worker.measure(splits(1), 0.2)


def test_the_old_workload_is_left_before_the_new_one_is_entered(process, tmp_path):
    """And the environment of the parent is taken over: folder, import path, variables, also what is gone from it."""
    here = worker.Environment.current()
    there = here._replace(folder=str(tmp_path), variables=here.variables | {"TIEBREAK_TEST": "1"})
    assert prepared(process, Entered(tmp_path, "a"), there) is None
    assert process.call(os.getenv, "TIEBREAK_TEST").result() == "1"
    assert process.call(os.getcwd).result() == str(tmp_path)
    assert prepared(process, Entered(tmp_path, "b"), here) is None
    assert process.call(os.getenv, "TIEBREAK_TEST").result() is None
    assert process.call(os.getcwd).result() == here.folder
    pid = process.pid
    assert {path.name for path in tmp_path.iterdir()} == {f"a-entered-{pid}", f"a-left-{pid}", f"b-entered-{pid}"}
    process.call(worker.release).result()
    assert (tmp_path / f"b-left-{pid}").exists()


def test_a_process_that_has_read_old_code_says_so(process, tmp_path):
    """A module was edited since; a process that has yet to load a workload does not ask, as it has read nothing yet."""
    source = tmp_path / "edited_after_it_was_read.py"
    source.write_text("x = 1\n")
    here = worker.Environment.current()
    there = here._replace(path=(str(tmp_path), *here.path))
    assert prepared(process, Plain(), there) is None
    process.call(exec, f"import {source.stem}").result()
    later = time.time() + 10
    os.utime(source, (later, later))
    assert prepared(process, Plain(), there) == ("a source file was edited after this process had read it", "")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SystemExit(3), 3),
        (SystemExit(None), 0),
        (SystemExit("enough"), 1),
        (SystemExit(-1), 255),
        (KeyboardInterrupt(), 130),
        (GeneratorExit(), 1),
    ],
)
def test_exit_codes_are_those_of_an_interpreter(monkeypatch, error, code):
    """sys.exit() is a success, sys.exit("text") is not."""

    def leave(code):
        raise OSError(code)

    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(OSError, match=rf"^{code}$"):
        worker.leave(error)
