"""pass@k."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import pass_at_k


@pytest.mark.parametrize("k", [1, 2, 5])
def test_it_is_the_share_of_the_sets_with_a_right_answer(k: int) -> None:
    """All sets of k of five answers, c of them right."""
    for c in range(6):
        answers = [1] * c + [0] * (5 - c)
        share = np.mean([any(chosen) for chosen in combinations(answers, k)])
        assert pass_at_k(c, 5, k) == pytest.approx(share)


def test_pass_at_1_is_the_mean() -> None:
    """One answer is right as often as answers are."""
    np.testing.assert_allclose(pass_at_k([0, 3, 10], 10, 1), [0, 0.3, 1])


def test_many_answers_do_not_overflow() -> None:
    """1 - (1 - 1/1000)(1 - 1/999)... by hand: 100 of 1,000 drawn hold the one right answer with chance 0.1."""
    assert pass_at_k(1, 1000, 100) == pytest.approx(0.1)


def test_wrong_counts_are_refused() -> None:
    """More right answers than answers, fewer answers than k."""
    with pytest.raises(InvalidScoresError, match="0 or more right answers of 2 or more; got 6 of 5"):
        pass_at_k([1, 6], 5, 2)
    with pytest.raises(InvalidScoresError, match=r"pass@10 needs whole numbers, .* of 10 or more; got 1 of 5"):
        pass_at_k(1, 5, 10)
    with pytest.raises(InvalidParameterError, match="k must be a whole number"):
        pass_at_k(1, 5, 0)
