"""What all tests share."""

import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests import postgres

# A slow machine is no failure. The examples are those of the seed, and a failure says how to make it again.
settings.register_profile("tiebreak", database=None, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tiebreak")

# A run in the background starts with Ctrl-C ignored, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

SERVERS = {"dask_cluster": "dask", "postgres_database": "postgres"}
"""Fixtures that start servers, and the group of tests that one of pytest's workers runs for that reason (make test)."""

SLOW = ("cli", "evaluation", "plots", "reference", "reliability", "report", "runners", "stores")
"""Folders whose tests draw, write, measure or start something, or read all reference cases: none of them is quick."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where quick tests alone are asked for the others are not even imported, which takes seconds."""
    is_of_tests = "tests" in collection_path.parts and collection_path.name in SLOW
    return (config.option.markexpr == "quick" and is_of_tests) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One server for all tests that need it, instead of one for each of pytest's workers; a test that is not slow is quick."""
    for item in items:
        for fixture, group in SERVERS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(group))
        starts_something = not {"postgres_server", *SERVERS}.isdisjoint(getattr(item, "fixturenames", ()))
        if starts_something or any(map(item.get_closest_marker, ("browser", "docs", "lowest"))):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.quick)


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    """Figures that a test leaves to pyplot are closed after it."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def rng() -> np.random.Generator:
    """The same numbers in every run."""
    return np.random.default_rng(20240229)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of the system, started once."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium is on the path, so no page is opened; on Debian: apt install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A server that the tests may do anything to; each of pytest's workers has its own."""
    if postgres.find_binaries() is None:
        pytest.skip(postgres.MISSING)
    server = postgres.Server()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def postgres_database(request: pytest.FixtureRequest) -> str:
    """The address of a database to make schemas in."""
    return postgres.GIVEN or str(request.getfixturevalue("postgres_server").url)


@pytest.fixture
def postgres_url(postgres_database: str) -> Iterator[str]:
    """The address of an empty schema."""
    with postgres.fresh_schema(postgres_database) as url:
        yield url


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    """A Dask scheduler and two workers with nannies and two threads each, processes of their own; workers may be killed."""
    pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")
    from tests.runners.clusters import Processes

    with closing(Processes(tmp_path_factory.mktemp("dask"), threads=2)) as processes:
        yield processes


@pytest.fixture
def client(dask_cluster):
    """A client of the caller's, with both workers there."""
    from distributed import Client

    from tests.guarded import HANGS

    with Client(dask_cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=HANGS)
        yield client
