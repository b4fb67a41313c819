"""Code that runs inside a worker process: outcomes and workloads on their way, and the thread that measures on Dask."""

import gc
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.runners.workloads import Busy, Entered, NeverArrives, Sized, Unreadable, Unsendable, splits
from tiebreak.plan.record import Outcome
from tiebreak.runners import worker
from tiebreak.runners.worker import ALIGNMENT, Origin, Payload, Unfit, pickled


@pytest.fixture
def held():
    """Whatever a test has this process hold is left afterwards."""
    yield
    worker.leave()
    gc.unfreeze()


def test_a_batch_ends_with_its_time(held):
    """Cells of 20 ms in a batch of 50 ms: at least one is measured, far from all 100."""
    report = worker.measure(Payload(pickled(Busy(0.02))), splits(100), 0.05)
    outcomes = worker.unpacked(report.outcomes)
    assert report.pid == os.getpid()
    assert 1 <= len(outcomes) <= 3
    assert [outcome.cell for outcome in outcomes] == splits(len(outcomes))


def test_the_old_workload_is_left_before_the_new_one_is_entered(held, tmp_path):
    """And one that is held already is not entered again."""
    first, second = Payload(pickled(Entered(tmp_path, "a"))), Payload(pickled(Entered(tmp_path, "b")))
    for payload in (first, first, second):
        worker.measure(payload, [], 0.2)
    assert {path.name.rpartition("-")[0] for path in tmp_path.iterdir()} == {"a-entered", "a-left", "b-entered"}
    with pytest.raises(Unfit, match=r"^ImportError: No module named 'theirs'$"):
        worker.measure(Payload(pickled(NeverArrives())), [], 0.2)


def test_outcomes_come_back_as_they_were(rng):
    """With everything that an outcome can hold, arrays bit for bit, and a score of a type that was defined in a notebook."""
    said = rng.normal(size=(5, 3))
    local = type("Local", (float,), {"__module__": "__main__"})
    outcome = Outcome(
        splits(1)[0],
        "raised",
        {"auc": local(0.5)},
        {"f1": "no positives"},
        {"auc": 1.0},
        0.1,
        0.2,
        7,
        ("W: x",),
        "E: y",
        "trace",
        2,
    )
    assert worker.unpacked(worker.packed([outcome])) == [outcome]
    [back] = worker.unpacked(worker.packed([Outcome(splits(1)[0], outputs={"predict_proba": said})]))
    np.testing.assert_array_equal(back.outputs["predict_proba"], said)


def test_an_outcome_that_cannot_be_sent_or_read():
    """One that cannot be pickled is replaced, and the others are not; one that cannot be read raises where it arrives."""
    good, bad = splits(2)
    first, second = worker.unpacked(worker.packed([Outcome(good), Outcome(bad, outputs={"predict": Unsendable()})]))
    assert (first.cell, first.is_done) == (good, True)
    assert (second.cell, second.state, second.message) == (bad, "raised", "TypeError: not this one")
    with pytest.raises(ValueError, match="no number"):
        worker.unpacked(worker.packed([Outcome(good, outputs={"predict": Unreadable()})]))


@pytest.mark.parametrize("shift", [0, 1, 8])
def test_arrays_are_read_only_and_begin_where_numpy_would_have_them(shift):
    """Wherever Dask has put the bytes; sums over vectors may depend on it. The order in memory is kept."""
    pieces = []
    for piece in pickled(Sized(1000)):
        room = np.empty(piece.nbytes + 2 * ALIGNMENT, dtype=np.uint8)
        start = -room.ctypes.data % ALIGNMENT + shift
        room[start : start + piece.nbytes] = np.frombuffer(piece, dtype=np.uint8)
        pieces.append(room[start : start + piece.nbytes])
    arrived = pickle.loads(pickle.dumps(Payload(pieces))).unpack()
    assert arrived.data.ctypes.data % ALIGNMENT == 0
    assert not arrived.data.flags.writeable
    assert arrived.order.flags.f_contiguous
    assert np.array_equal(arrived.data, np.arange(1000.0))


def test_the_origin_names_what_has_to_be_the_same(tmp_path, monkeypatch):
    """Versions of what decides about scores, the sources of modules without a version, and where they are."""
    origin = Origin.current()
    assert list(origin.versions) == ["Python", "tiebreak", "numpy", "scipy", "scikit-learn"]
    assert origin.versions["numpy"] == np.__version__
    assert __name__ in origin.sources
    assert "numpy" not in origin.sources
    assert "os" not in origin.sources
    assert str(Path(__file__).parents[2]) in origin.folders
    origin.check()
    older = origin._replace(versions={**origin.versions, "numpy": "0.1"})
    with pytest.raises(Unfit, match=f"^it has other versions than the client: numpy {np.__version__} here, 0.1 there$"):
        older.check()
    edited = origin._replace(sources={**origin.sources, __name__: "0"})
    with pytest.raises(Unfit, match=f"^module {__name__!r} is not the same code here as where the client runs$"):
        edited.check()
