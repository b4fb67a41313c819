"""Which cells make a batch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runners.workloads import grid, splits
from tiebreak.plan.record import Cell
from tiebreak.runners.batch import Backlog


def learnt(cells, seconds):
    """A backlog that knows the seconds of some models of dataset 0."""
    backlog = Backlog(cells)
    for model, value in seconds.items():
        backlog.note(Cell(0, 0, model), value)
    return backlog


def test_the_first_batch_is_one_cell():
    """Nothing is known yet of how long it takes."""
    assert Backlog(splits(1000)).take_batch(2) == splits(1)


def test_a_batch_is_a_fifth_of_a_second_of_work():
    """Cells of 40 ms: five of them."""
    assert Backlog.take_batch(learnt(splits(500), {0: 0.04}), 2) == splits(5)


def test_a_cell_that_takes_longer_goes_alone():
    """At least one cell, however long."""
    assert len(learnt(splits(500), {0: 3.0}).take_batch(2)) == 1


def test_towards_the_end_batches_get_shorter():
    """40 cells of 40 ms make 1.6 s, an eighth of which for each of 2 workers is 0.2 s: from there on they shrink."""
    backlog = learnt(splits(40), {0: 0.04})
    lengths = []
    while backlog:
        lengths.append(len(backlog.take_batch(2)))
    assert lengths[0] == 5
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-8:] == [1] * 8


def test_eight_cells_of_one_split_go_one_by_one():
    """A worker must not take two while the other has none."""
    backlog = learnt(grid(1, 8), dict.fromkeys(range(8), 0.3))
    assert [len(backlog.take_batch(2)) for _ in range(8)] == [1] * 8


def test_handing_over_must_not_cost_more_than_the_work():
    """Cells of half a millisecond: the last ones still go by 20, which is 10 ms."""
    backlog = learnt(splits(30), {0: 0.0005})
    assert len(backlog.take_batch(2)) == 20


def test_slow_and_fast_models_are_told_apart():
    """Models of 1 ms, 1 ms and 0.19 s in turn: a batch ends before the second slow one."""
    backlog = learnt(grid(200, 3), {0: 0.001, 1: 0.001, 2: 0.19})
    assert backlog.take_batch(2) == grid(2, 3)[:5]


def test_an_unknown_model_counts_as_the_mean_of_the_known():
    """Two models of 10 ms and 30 ms: ten cells of an unknown third make 0.2 s."""
    backlog = learnt([Cell(0, split, 2) for split in range(1000)], {0: 0.01, 1: 0.03})
    assert len(backlog.take_batch(2)) == 10


def test_a_slow_first_fit_is_forgotten():
    """The first took 1 s for its imports, forty others 1 ms: by then 0.8^40 of the excess is left, 0.1 ms."""
    backlog = learnt(splits(10_000), {0: 1.0})
    for _ in range(40):
        backlog.note(Cell(0, 0, 0), 0.001)
    assert backlog.rest_seconds(Cell(0, 0, 0), 0.0) == pytest.approx(10_000 * 0.001, rel=0.2)


def test_a_cell_that_is_running_says_how_long_its_kind_takes_at_least():
    """Model 0 took 0.1 s; model 1 has been running for 7 s, and 3 of each are left."""
    backlog = learnt(grid(3, 2), {0: 0.1})
    assert backlog.rest_seconds(Cell(0, 9, 1), 7.0) == pytest.approx(3 * 0.1 + 3 * 7.0)


def test_other_datasets_have_other_seconds():
    """The same model on a dataset never met counts as the mean: 0.2 s here, 50 cells of it."""
    backlog = learnt([Cell(1, split, 0) for split in range(50)], {0: 0.1, 1: 0.3})
    assert backlog.rest_seconds(Cell(0, 0, 0), 0.0) == pytest.approx(50 * 0.2)


@given(
    st.integers(0, 60),
    st.integers(1, 5),
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 10), st.integers(0, 400)), min_size=1),
)
def test_every_cell_is_taken_exactly_once_and_in_order(n_splits, n_models, n_workers, history):
    """Whatever was measured, and however much of a batch was not got to and put back."""
    cells = grid(n_splits, n_models)
    backlog = Backlog(cells)
    done = []
    step = 0
    while backlog:
        seconds, n_left = history[step % len(history)]
        batch = backlog.take_batch(n_workers)
        done += backlog.settle(batch, [seconds] * max(1, len(batch) - n_left))
        step += 1
    assert done == cells
    assert backlog.take_batch(n_workers) == []
    assert backlog.take_one() is None
    assert backlog.rest_seconds(Cell(0, 0, 0), 1.0) == 0
