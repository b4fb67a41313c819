"""A workload on its way to Dask workers, and the thread that measures there."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from tests.guarded import HANGS
from tests.runners.workloads import Sized
from tiebreak.runners.batch import ALIGNMENT
from tiebreak.runners.dask.worker import OneThread, Origin, ScatteredWorkload, source_hash


def sent(scattered, shift=0):
    """A scattered as it arrives: arrays beside the pickle, at any address."""
    buffers = []
    stream = pickle.dumps(scattered, protocol=5, buffer_callback=buffers.append)
    moved = []
    for buffer in buffers:
        raw = buffer.raw()
        room = np.empty(raw.nbytes + 2 * ALIGNMENT, dtype=np.uint8)
        start = -room.ctypes.data % ALIGNMENT + shift
        room[start : start + raw.nbytes] = np.frombuffer(raw, dtype=np.uint8)
        moved.append(room[start : start + raw.nbytes].data)
    return pickle.loads(stream, buffers=moved), stream


def test_arrays_travel_beside_the_pickle():
    """Dask sends them without a copy: what is left (a hash of each test module, mostly) is small beside their 800,000 bytes."""
    arrived, stream = sent(ScatteredWorkload.of(Sized(100_000)))
    assert len(stream) < 200_000
    assert np.array_equal(arrived.unpack().data, np.arange(100_000.0))


@pytest.mark.parametrize("shift", [0, 1, 8])
def test_arrays_are_read_only_and_begin_where_numpy_would_have_them(shift):
    """Wherever Dask has put the bytes; sums over vectors may depend on it."""
    data = sent(ScatteredWorkload.of(Sized(1000)), shift)[0].unpack().data
    assert data.ctypes.data % ALIGNMENT == 0
    assert not data.flags.writeable
    assert np.array_equal(data, np.arange(1000.0))


def test_dask_is_told_of_the_size():
    """8,000 bytes of one array, 48 of the other, and the pickle."""
    assert 8_048 < sys.getsizeof(ScatteredWorkload.of(Sized(1000))) < 200_000


def test_the_same_cargo_can_be_sent_again_under_another_name():
    """As is needed when all workers that had it are lost."""
    first = ScatteredWorkload.of(Sized(10))
    again = first.again()
    assert again.token != first.token
    assert np.array_equal(sent(again)[0].unpack().data, np.arange(10.0))


def test_a_protocol_without_room_beside_the_pickle_does_as_well():
    """As Dask writes it to disk where memory is short."""
    assert np.array_equal(pickle.loads(pickle.dumps(ScatteredWorkload.of(Sized(10)), protocol=4)).unpack().data, np.arange(10.0))


def test_the_origin_names_what_has_to_be_the_same():
    """Versions of what decides about scores, the sources of modules without a version, and where they are."""
    origin = Origin.current()
    assert list(origin.versions) == ["Python", "tiebreak", "numpy", "scipy", "scikit-learn"]
    assert origin.versions["Python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert origin.versions["numpy"] == np.__version__
    assert origin.sources[__name__] == source_hash(__file__)
    assert "numpy" not in origin.sources
    assert "os" not in origin.sources
    assert str(Path(__file__).parents[3]) in origin.folders
    assert not any(f"site-packages{os.sep}" in f"{folder}{os.sep}" for folder in origin.folders)


def test_calls_are_made_in_their_order_by_one_thread():
    """Whoever asks: twenty calls from four threads, each thread's own in its order."""
    one, order = OneThread("test"), []

    def note(caller, number):
        order.append((caller, number, threading.current_thread().name))

    def ask(caller):
        for number in range(5):
            one.call(note, caller, number).result(HANGS)

    callers = [threading.Thread(target=ask, args=(caller,)) for caller in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert {name for _, _, name in order} == {"test"}
    assert [[number for its, number, _ in order if its == caller] for caller in range(4)] == [[0, 1, 2, 3, 4]] * 4


def test_what_a_call_raises_is_in_its_future():
    """Even what ends a program; the next call is served all the same."""
    one = OneThread("test")

    def leave():
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        one.call(leave).result(HANGS)
    assert one.call(len, "abc").result(HANGS) == 3


def test_arguments_are_let_go_after_the_call():
    """Not kept until the next one: the data of a run would stay in a worker that nobody asks for anything."""

    class Large:
        pass

    one, large = OneThread("test"), Large()
    gone = threading.Event()
    weakref.finalize(large, gone.set)
    assert one.call(isinstance, large, Large).result(HANGS)
    del large
    gc.collect()
    assert gone.wait(HANGS)
