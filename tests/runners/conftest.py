"""Fixtures of this package."""

from __future__ import annotations

import pytest

from tiebreak.runners import processes


@pytest.fixture
def cold():
    """No worker process is waiting when the test begins."""
    processes.discard_all()


@pytest.fixture(scope="session", autouse=True)
def _nobody_left():
    """Worker processes do not outlive the tests that use them."""
    yield
    processes.discard_all()
