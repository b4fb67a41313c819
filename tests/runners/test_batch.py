"""A workload on its way to workers, and its cells in batches."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runners.workloads import Plain, Sized, grid, splits
from tiebreak.errors import InvalidPlanError
from tiebreak.plan.record import Cell
from tiebreak.runners.batch import CellQueue, PackedWorkload


def learnt(cells, seconds):
    """A queue that knows the seconds of some models of dataset 0."""
    queue = CellQueue(cells)
    for model, value in seconds.items():
        queue.learn(Cell(0, 0, model), value)
    return queue


def test_the_first_batch_is_one_cell():
    """Nothing is known yet of how long it takes."""
    assert CellQueue(splits(1000)).take_batch(2) == splits(1)


def test_a_batch_is_a_fifth_of_a_second_of_work():
    """Cells of 40 ms: five of them."""
    assert CellQueue.take_batch(learnt(splits(500), {0: 0.04}), 2) == splits(5)


def test_a_cell_that_takes_longer_goes_alone():
    """At least one cell, however long."""
    assert len(learnt(splits(500), {0: 3.0}).take_batch(2)) == 1


def test_towards_the_end_batches_get_shorter():
    """40 cells of 40 ms make 1.6 s, an eighth of which for each of 2 workers is 0.2 s: from there on they shrink."""
    queue = learnt(splits(40), {0: 0.04})
    lengths = []
    while queue:
        lengths.append(len(queue.take_batch(2)))
    assert lengths[0] == 5
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-8:] == [1] * 8


def test_eight_cells_of_one_split_go_one_by_one():
    """A worker must not take two while the other has none."""
    queue = learnt(grid(1, 8), dict.fromkeys(range(8), 0.3))
    assert [len(queue.take_batch(2)) for _ in range(8)] == [1] * 8


def test_handing_over_must_not_cost_more_than_the_work():
    """Cells of half a millisecond: the last ones still go by 20, which is 10 ms."""
    queue = learnt(splits(30), {0: 0.0005})
    assert len(queue.take_batch(2)) == 20


def test_slow_and_fast_models_are_told_apart():
    """Models of 1 ms, 1 ms and 0.19 s in turn: a batch ends before the second slow one."""
    queue = learnt(grid(200, 3), {0: 0.001, 1: 0.001, 2: 0.19})
    assert queue.take_batch(2) == grid(2, 3)[:5]


def test_an_unknown_model_counts_as_the_mean_of_the_known():
    """Two models of 10 ms and 30 ms: ten cells of an unknown third make 0.2 s."""
    queue = learnt([Cell(0, split, 2) for split in range(1000)], {0: 0.01, 1: 0.03})
    assert len(queue.take_batch(2)) == 10


def test_a_slow_first_fit_is_forgotten():
    """The first took 1 s for its imports, forty others 1 ms: by then 0.8^40 of the excess is left, 0.1 ms."""
    queue = learnt(splits(10_000), {0: 1.0})
    for _ in range(40):
        queue.learn(Cell(0, 0, 0), 0.001)
    assert queue.seconds_left(Cell(0, 0, 0), 0.0) == pytest.approx(10_000 * 0.001, rel=0.2)


def test_a_cell_that_is_running_says_how_long_its_kind_takes_at_least():
    """Model 0 took 0.1 s; model 1 has been running for 7 s, and 3 of each are left."""
    queue = learnt(grid(3, 2), {0: 0.1})
    assert queue.seconds_left(Cell(0, 9, 1), 7.0) == pytest.approx(3 * 0.1 + 3 * 7.0)


def test_other_datasets_have_other_seconds():
    """The same model on a dataset never met counts as the mean: 0.2 s here, 50 cells of it."""
    queue = learnt([Cell(1, split, 0) for split in range(50)], {0: 0.1, 1: 0.3})
    assert queue.seconds_left(Cell(0, 0, 0), 0.0) == pytest.approx(50 * 0.2)


@given(
    st.integers(0, 60),
    st.integers(1, 5),
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 10), st.integers(0, 400)), min_size=1),
)
def test_every_cell_is_taken_exactly_once_and_in_order(n_splits, n_models, n_workers, history):
    """Whatever was measured, and however much of a batch was not got to and put back."""
    cells = grid(n_splits, n_models)
    queue = CellQueue(cells)
    done = []
    step = 0
    while queue:
        seconds, n_left = history[step % len(history)]
        batch = queue.take_batch(n_workers)
        done += queue.finish(batch, [seconds] * max(1, len(batch) - n_left))
        step += 1
    assert done == cells
    assert queue.take_batch(n_workers) == []
    assert queue.take() is None
    assert queue.seconds_left(Cell(0, 0, 0), 1.0) == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder for the files."""
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("n", [0, 10, 200_000])
def test_what_is_unpacked_is_what_was_packed(folder, n):
    """In the message, and in a file from a million bytes on; column order is kept, nothing can be written to."""
    workload = Sized(n)
    packed = PackedWorkload(workload)
    arrived = packed.payload().unpack()
    np.testing.assert_array_equal(arrived.data, workload.data)
    np.testing.assert_array_equal(arrived.order, workload.order)
    assert arrived.order.flags.f_contiguous
    assert not arrived.data.flags.writeable
    assert workload.data.flags.writeable
    packed.close()


def test_small_data_need_no_file(folder):
    """1000 numbers are 8000 bytes."""
    packed = PackedWorkload(Sized(1000))
    assert packed.payload().path == ""
    assert list(folder.iterdir()) == []


def test_large_data_are_in_one_file_that_only_its_owner_reads(folder):
    """The message itself is short, and arrays begin at multiples of 64 bytes."""
    packed = PackedWorkload(Sized(200_000))
    payload = packed.payload()
    assert payload.pieces == ()
    assert len(payload.path) + 16 * len(payload.spans) < 1000
    assert all(start % 64 == 0 for start, _ in payload.spans)
    [only] = folder.iterdir()
    assert only.stat().st_mode & 0o077 == 0
    assert Path(payload.path).parent == only
    packed.close()
    assert list(folder.iterdir()) == []


def test_the_file_is_written_once(folder):
    """Sixteen workers share it."""
    packed = PackedWorkload(Sized(200_000))
    assert packed.payload() is packed.payload()
    packed.close()


def test_nothing_is_written_before_it_is_needed(folder):
    """A run that stays in this process packs its workload too, to see that it could go."""
    PackedWorkload(Sized(200_000)).close()
    assert list(folder.iterdir()) == []


def test_a_parcel_that_is_forgotten_is_removed(folder):
    """Should nobody come to close it."""
    packed = PackedWorkload(Sized(200_000))
    packed.payload()
    del packed
    assert list(folder.iterdir()) == []


def test_without_a_choice_of_folder_the_file_goes_where_there_is_room(monkeypatch):
    """Memory or the folder for temporary files; gone afterwards in any case."""
    monkeypatch.delenv("JOBLIB_TEMP_FOLDER", raising=False)
    packed = PackedWorkload(Sized(200_000))
    path = Path(packed.payload().path)
    assert path.exists()
    packed.close()
    assert not path.parent.exists()


def test_what_cannot_be_pickled_is_named():
    """A lock means something in this process only."""
    workload = Plain()
    workload.lock = threading.Lock()
    with pytest.raises(InvalidPlanError) as caught:
        PackedWorkload(workload)
    assert str(caught.value) == (
        "The models or the data cannot be sent to worker processes: TypeError: cannot pickle '_thread.lock' object. "
        "Define what cannot be pickled in a module that can be imported, or measure in this process: n_jobs=1, no timeout."
    )
    assert isinstance(caught.value.__cause__, TypeError)


def grouped(cell: Cell) -> int | None:
    """Models 0 to 3 share the work of a split, the last one does not."""
    return cell.split if cell.model < 4 else None


def test_a_group_is_one_batch_although_nothing_is_known_of_its_seconds() -> None:
    """Four of five models share the work of a split: the first batch is these, the next one cell, then the next split."""
    queue = CellQueue([Cell(0, split, model) for split in range(4) for model in range(5)], grouped)
    batches = [queue.take_batch(2) for _ in range(3)]
    assert batches == [[Cell(0, 0, model) for model in range(4)], [Cell(0, 0, 4)], [Cell(0, 1, model) for model in range(4)]]


def test_a_group_is_cut_where_another_worker_would_have_nothing_to_do() -> None:
    """Four cells of one group for two workers are two each."""
    queue = CellQueue([Cell(0, 0, model) for model in range(4)], grouped)
    assert [queue.take_batch(2), queue.take_batch(2), queue.take_batch(2)] == [
        [Cell(0, 0, 0), Cell(0, 0, 1)],
        [Cell(0, 0, 2)],
        [Cell(0, 0, 3)],
    ]


def test_what_is_left_of_a_group_goes_to_the_worker_that_began_it() -> None:
    """Both workers put something back at once; each goes on with its own."""
    queue = CellQueue([Cell(0, split, model) for split in range(4) for model in range(4)], grouped)
    first, second = queue.take_batch(2), queue.take_batch(2)
    for batch in (first, second):
        queue.finish(batch, [1.0])
    assert [cell.split for cell in queue.take_batch(2, first[0])] == [0, 0, 0]
    assert [cell.split for cell in queue.take_batch(2, second[0])] == [1, 1, 1]
