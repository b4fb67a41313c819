"""What the tests of this room share."""

from __future__ import annotations

import pytest

from tiebreak.runners import processes as pool


@pytest.fixture
def cold():
    """No worker process is waiting when the test begins."""
    pool.dismiss_all()


@pytest.fixture(scope="session", autouse=True)
def _nobody_left():
    """Worker processes do not outlive the tests that use them."""
    yield
    pool.dismiss_all()
