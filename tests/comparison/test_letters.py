"""Compact letter display."""

import numpy as np
import pytest

from tests.comparison.tables import compared, noisy
from tiebreak.comparison.ranking import compact_letters


def apart(n_models: int, *pairs: tuple[int, int]) -> np.ndarray:
    """The relation from its pairs."""
    relation = np.zeros((n_models, n_models), dtype=bool)
    for one, other in pairs:
        relation[one, other] = relation[other, one] = True
    return relation


@pytest.mark.parametrize(
    ("relation", "letters"),
    [
        (apart(3), ["a", "a", "a"]),
        (apart(3, (0, 1), (0, 2), (1, 2)), ["a", "b", "c"]),
        (apart(3, (0, 2)), ["a", "ab", "b"]),
        (apart(4, (0, 2), (0, 3), (1, 3)), ["a", "ab", "bc", "c"]),
        (apart(4, (0, 1), (2, 3)), ["ab", "cd", "ac", "bd"]),
    ],
)
def test_small_cases_by_hand(relation: np.ndarray, letters: list[str]) -> None:
    """None apart, all apart, chains, and a square, which needs four letters."""
    assert compact_letters(relation) == letters


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_models_share_a_letter_exactly_where_they_are_not_told_apart(share: float) -> None:
    """Thirty random relations of 2 to 15 models; every model has a letter."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        n_models = int(rng.integers(2, 16))
        relation = np.triu(rng.random((n_models, n_models)) < share, 1)
        relation |= relation.T
        letters = compact_letters(relation)
        assert all(letters)
        for one in range(n_models):
            for other in range(one):
                assert bool(set(letters[one]) & set(letters[other])) != relation[one, other]


def test_they_are_read_off_the_intervals_of_the_pairs() -> None:
    """Whatever the rope; a pair without an interval is not told apart; beyond 40 models and with a baseline there are none."""
    table = noisy(0.80, 0.60, 0.79)
    table = np.vstack([table, table[1]])
    ranking = compared(table, rope=0.5).ranking
    assert dict(zip(ranking["model"], ranking["letters"], strict=True)) == {"a": "a", "c": "a", "b": "b", "d": "b"}
    many = compared(noisy(*np.linspace(0.7, 0.8, 41)), [f"m{i}" for i in range(41)])
    assert "letters" not in many.ranking
    assert "letters" not in compared(table, baseline="a").ranking
