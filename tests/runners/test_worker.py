"""Code that runs inside a worker process: outcomes and workloads on their way, and the thread that measures on Dask."""

import gc
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.guarded import told
from tests.runners.workloads import Arrives, Busy, Held, Sized, lack_a_module, splits
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
    packed, _ = worker.measure(Payload(pickled(Busy(0.02))), splits(100), 0.05)
    outcomes = pickle.loads(packed)
    assert 1 <= len(outcomes) <= 3
    assert [outcome.cell for outcome in outcomes] == splits(len(outcomes))


def test_a_worker_holds_one_workload_at_a_time(held, tmp_path):
    """And one that it has already is not read again."""
    first, second = Payload(pickled(Held(tmp_path, "a"))), Payload(pickled(Held(tmp_path, "b")))
    for payload in (first, first, second):
        worker.measure(payload, [], 0.2)
    assert {path.name.rpartition("-")[0] for path in tmp_path.iterdir()} == {"a-taken", "a-left", "b-taken"}
    assert (
        told(Unfit, lambda: worker.measure(Payload(pickled(Arrives(lack_a_module))), [], 0.2))
        == "ImportError: No module named 'theirs'"
    )


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


def test_the_origin_names_what_has_to_be_the_same():
    """Versions of what decides about scores, the sources of modules without a version, and where they are."""
    origin, own = Origin.current(), f"module {__name__!r}"
    assert list(origin.facts)[:5] == ["Python", "tiebreak", "numpy", "scipy", "scikit-learn"]
    assert own in origin.facts
    assert not {"module 'numpy'", "module 'os'"} & origin.facts.keys()
    assert str(Path(__file__).parents[2]) in origin.folders
    origin.check()
    for name, there in (("numpy", "0.1"), (own, "code 0")):
        other = origin._replace(facts={**origin.facts, name: there})
        assert told(Unfit, other.check) == f"it is not like the client: {name} is {origin.facts[name]} here, {there} there"
