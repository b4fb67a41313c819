"""What all tests share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """The same numbers in every run."""
    return np.random.default_rng(20240229)


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    """A Dask scheduler and two workers with nannies and two threads each, processes of their own; workers may be killed."""
    pytest.importorskip("distributed", reason="needs the extra dask: pip install 'tiebreak[dask]'")
    from tests.runners.clusters import Processes

    with Processes(tmp_path_factory.mktemp("dask"), threads=2) as processes:
        yield processes


@pytest.fixture
def client(dask_cluster):
    """A client of the caller's, with both workers there."""
    from distributed import Client

    with Client(dask_cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client
