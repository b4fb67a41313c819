"""Rows of scores that are the same."""

import numpy as np

from tiebreak.scores.copies import first_copies


def test_the_first_of_equal_rows_stands_for_all() -> None:
    """Gaps in the same places are equal, -0.0 is 0.0, and rows of the same sum are looked at number by number."""
    nan = np.nan
    rows = np.array([[0.0, 1, 2], [1, 2, 0], [-0.0, 1, 2], [nan, 1, 2], [1, nan, 2], [nan, 1, 2], [0, 1, 2.5]])
    assert first_copies(rows).tolist() == [0, 1, 0, 3, 4, 3, 6]
