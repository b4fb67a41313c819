"""Measuring in this process."""

from __future__ import annotations

import pytest

from tests.runners.workloads import Plain, be_wrong, interrupt, run_out_of_memory, splits
from tiebreak.plan.record import Outcome
from tiebreak.runners.worker import measure_here


class Clock:
    """Time that passes only while something is measured."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Timed(Plain):
    """Takes so many seconds of a clock, and does a deed at one split."""

    def __init__(self, clock, seconds, at=None, deed=None):
        self.clock, self.seconds, self.at, self.deed = clock, seconds, at, deed

    def measure(self, cell):
        self.clock.now += self.seconds
        if cell.split == self.at:
            self.deed()
        return Outcome(cell)


def run(seconds, n, **trouble):
    clock = Clock()
    return measure_here(Timed(clock, seconds, **trouble), splits(n), clock=clock)


def test_a_batch_is_closed_when_its_time_is_over():
    """Cells of 0.0625 s: the fourth is the first to end at or after 0.2 s, and what is left makes the last batch."""
    assert [len(batch) for batch in run(0.0625, 10)] == [4, 4, 2]


def test_a_long_cell_is_handed_over_by_itself():
    """Nothing is kept back once its time is over."""
    assert [len(batch) for batch in run(5, 3)] == [1, 1, 1]


def test_time_that_the_consumer_takes_is_not_counted():
    """A slow record of a batch must not make the next one shorter."""
    clock = Clock()
    lengths = []
    for batch in measure_here(Timed(clock, 0.0625), splits(8), clock=clock):
        lengths.append(len(batch))
        clock.now += 100
    assert lengths == [4, 4]


def test_nothing_to_do_gives_nothing():
    """No empty batch."""
    assert list(run(1, 0)) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_was_measured_before_an_interrupt_is_handed_over_first(kind):
    """The interrupt comes at the third cell of a batch; two were measured."""

    def deed():
        raise kind

    batches = run(0.01, 9, at=2, deed=deed)
    assert [outcome.cell.split for outcome in next(batches)] == [0, 1]
    with pytest.raises(kind):
        next(batches)


def test_an_interrupt_at_the_first_cell_comes_at_once():
    """There is nothing to hand over before."""
    with pytest.raises(KeyboardInterrupt):
        next(run(0.01, 9, at=0, deed=interrupt))


def test_a_workload_that_raises_costs_one_cell():
    """It promised not to; the text of the exception goes into one line, its origin into the traceback."""
    first, second, third = next(run(0.01, 3, at=1, deed=be_wrong))
    assert first.is_done
    assert third.is_done
    assert (second.state, second.message, second.attempts) == ("raised", "ValueError: the input holds NaN", 1)
    assert second.traceback.endswith("ValueError: the input\nholds NaN\n")
    assert "be_wrong" in second.traceback


def test_memory_has_a_state_of_its_own():
    """Others may have room for what this machine has not."""
    [outcome] = next(run(0.01, 1, at=0, deed=run_out_of_memory))
    assert (outcome.state, outcome.message) == ("out-of-memory", "MemoryError: no room for 8 GB")


def test_the_workload_is_entered_once_and_left(tmp_path):
    """Also when the consumer goes away early."""
    log = []

    class Logged(Plain):
        def __enter__(self):
            log.append("entered")

        def __exit__(self, kind, error, trace):
            log.append(kind)

    batches = measure_here(Logged(), splits(3))
    next(batches)
    batches.close()
    assert log == ["entered", None] or log == ["entered", GeneratorExit]
