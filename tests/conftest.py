"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests import postgres


@pytest.fixture
def rng() -> np.random.Generator:
    """The same numbers in every run."""
    return np.random.default_rng(20240229)


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
