"""A thread that does one thing after the other."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from tiebreak.runners.dask.worker import OneThread


def test_calls_are_made_in_their_order_by_one_thread():
    """Whoever asks: twenty calls from four threads, each thread's own in its order."""
    one, order = OneThread("test"), []

    def note(caller, number):
        order.append((caller, number, threading.current_thread().name))

    def ask(caller):
        for number in range(5):
            one.call(note, caller, number).result(10)

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
        one.call(leave).result(10)
    assert one.call(len, "abc").result(10) == 3


def test_arguments_are_let_go_after_the_call():
    """Not kept until the next one: the data of a run would stay in a worker that nobody asks for anything."""

    class Large:
        pass

    one, large = OneThread("test"), Large()
    gone = threading.Event()
    weakref.finalize(large, gone.set)
    assert one.call(isinstance, large, Large).result(10)
    del large
    gc.collect()
    assert gone.wait(10)
