"""A workload on its way to other processes."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from tests.runners.workloads import Plain, Sized
from tiebreak.errors import InvalidPlanError
from tiebreak.runners.batch import Parcel, unpack


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the files go."""
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("n", [0, 10, 200_000])
def test_what_is_unpacked_is_what_was_packed(folder, n):
    """In the message, and in a file from a million bytes on; column order is kept, nothing can be written to."""
    workload = Sized(n)
    parcel = Parcel(workload)
    arrived = unpack(parcel.shipment())
    np.testing.assert_array_equal(arrived.data, workload.data)
    np.testing.assert_array_equal(arrived.order, workload.order)
    assert arrived.order.flags.f_contiguous
    assert not arrived.data.flags.writeable
    assert workload.data.flags.writeable
    parcel.close()


def test_small_data_need_no_file(folder):
    """1000 numbers are 8000 bytes."""
    parcel = Parcel(Sized(1000))
    assert parcel.shipment().path == ""
    assert list(folder.iterdir()) == []


def test_large_data_are_in_one_file_that_only_its_owner_reads(folder):
    """The message itself is short, and arrays begin at multiples of 64 bytes."""
    parcel = Parcel(Sized(200_000))
    shipment = parcel.shipment()
    assert shipment.pieces == ()
    assert len(shipment.path) + 16 * len(shipment.spans) < 1000
    assert all(start % 64 == 0 for start, _ in shipment.spans)
    [only] = folder.iterdir()
    assert only.stat().st_mode & 0o077 == 0
    assert Path(shipment.path).parent == only
    parcel.close()
    assert list(folder.iterdir()) == []


def test_the_file_is_written_once(folder):
    """Sixteen workers share it."""
    parcel = Parcel(Sized(200_000))
    assert parcel.shipment() is parcel.shipment()
    parcel.close()


def test_nothing_is_written_before_it_is_needed(folder):
    """A run that stays in this process packs its workload too, to see that it could go."""
    Parcel(Sized(200_000)).close()
    assert list(folder.iterdir()) == []


def test_a_parcel_that_is_forgotten_is_removed(folder):
    """Should nobody come to close it."""
    parcel = Parcel(Sized(200_000))
    parcel.shipment()
    del parcel
    assert list(folder.iterdir()) == []


def test_without_a_choice_of_folder_the_file_goes_where_there_is_room(monkeypatch):
    """Memory or the folder for temporary files; gone afterwards in any case."""
    monkeypatch.delenv("JOBLIB_TEMP_FOLDER", raising=False)
    parcel = Parcel(Sized(200_000))
    path = Path(parcel.shipment().path)
    assert path.exists()
    parcel.close()
    assert not path.parent.exists()


def test_what_cannot_be_pickled_is_named():
    """A lock means something in this process only."""
    workload = Plain()
    workload.lock = threading.Lock()
    with pytest.raises(InvalidPlanError) as caught:
        Parcel(workload)
    assert str(caught.value) == (
        "The models or the data cannot be sent to worker processes: TypeError: cannot pickle '_thread.lock' object. "
        "Define what cannot be pickled in a module that can be imported, or measure in this process: n_jobs=1, no timeout."
    )
    assert isinstance(caught.value.__cause__, TypeError)
