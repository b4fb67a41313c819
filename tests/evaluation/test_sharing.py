"""Several processes given the same study: they share its cells, and each ends with the whole."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation import sharers
from tests.evaluation.sharers import together

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", name="alone")
def alone_() -> Any:
    """The scores of one process that measures everything itself."""
    return sharers.alone()


def test_each_cell_is_measured_by_one_of_them(tmp_path: Path, alone: Any):
    """Two processes with two workers each: 48 fits in all, more than one at work, and each gives the scores of one alone."""
    with together(tmp_path, 2, 0.3, 2) as these:  # long enough for the others to begin on a busy machine
        answers = [json.loads(these.line(process)) for process in these.processes]
        fits = these.fits()
    assert answers == [alone] * 2
    assert len(fits) == len({cell for _, cell in fits}) == 48
    assert len({process for process, _ in fits}) > 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_a_killed_one_had_begun_is_measured_by_the_other(tmp_path: Path, alone: Any):
    """Only the cells that it had not handed over are measured twice: what it does in 0.2 s, and the one at the kill."""
    with together(tmp_path, 2, 0.05) as these:
        these.wait_for_fits(10)
        these.processes[0].kill()
        answer = json.loads(these.line(these.processes[1]))
        fits = these.fits()
    assert answer == alone
    assert len({cell for _, cell in fits}) == 48
    assert len(fits) <= 48 + 5
