"""Copies among units, by how rows of scores repeat."""

import numpy as np
import pytest

from tiebreak.statistics.repeats import repeated_rows


def drawn(n: int, seed: int = 0, n_models: int = 3) -> np.ndarray:
    """Scores of `n_models` models on n items, no two of them alike."""
    return np.random.default_rng(seed).random((n_models, n))


def test_rows_that_do_not_repeat_are_no_copies() -> None:
    """Different numbers: nothing to see."""
    assert repeated_rows(drawn(50)) is None


@pytest.mark.parametrize("n_times", [2, 3, 5])
def test_a_table_that_stands_several_times_is_named_with_the_number(n_times: int) -> None:
    """All rows n times, in any order: each of 20 different rows is a multiple, of which chance has (1/2)^20 at most."""
    rows = np.tile(drawn(20), n_times)
    found = repeated_rows(rows[:, np.random.default_rng(1).permutation(rows.shape[1])])
    assert found is not None
    assert (found.n_repeated, found.n_times) == (20 * n_times, n_times)


def test_some_rows_twice_and_none_three_times_are_copies() -> None:
    """60 rows once and 40 twice make 2/3 (40 - 6.3)^2 / 67.8 = 11 triples by chance; none is there."""
    table = drawn(100)
    found = repeated_rows(np.concatenate([table, table[:, :40]], axis=1))
    assert found is not None
    assert (found.n_repeated, found.n_times) == (80, 0)


def test_a_few_rows_twice_are_not_enough() -> None:
    """Of 100 rows 5 twice: 2/3 (5 - 2.2)^2 / 105 = 0.05 triples are expected, and none is what chance gives, too."""
    table = drawn(100)
    assert repeated_rows(np.concatenate([table, table[:, :5]], axis=1)) is None


@pytest.mark.parametrize("n_kinds", [4, 30, 300, 3000])
def test_rows_that_are_drawn_independently_repeat_by_nature(n_kinds: int) -> None:
    """Uniform draws are the world in which triples are fewest; of 200 tables of 300 rows at most 5 % are named."""
    rng = np.random.default_rng(5)
    named = [repeated_rows(rng.integers(0, n_kinds, (1, 300))) is not None for _ in range(200)]
    assert sum(named) <= 10


def test_copies_within_a_cluster_are_no_news() -> None:
    """Two rows of one cluster that are the same count as one; between clusters they are copies."""
    twice = np.tile(drawn(30), 2)
    assert repeated_rows(twice, np.tile(np.arange(30), 2)) is None
    assert repeated_rows(twice, np.arange(60)) is not None


def test_signs_of_zero_and_gaps_do_not_hide_copies() -> None:
    """-0.0 is 0.0, and a missing score is like another one."""
    table = drawn(20)
    table[0, :10], table[1, 3] = 0.0, np.nan
    other = table.copy()
    other[0, :10] = -0.0
    found = repeated_rows(np.concatenate([table, other], axis=1))
    assert found is not None
    assert found.n_times == 2


def test_right_and_wrong_of_many_models_are_told_apart() -> None:
    """Keys of 2^12 different rows of 0 and 1 are all different: none is a copy, twice each is."""
    rows = np.array([[number >> bit & 1 for number in range(4096)] for bit in range(12)], dtype=float)
    assert repeated_rows(rows) is None
    found = repeated_rows(np.tile(rows, 2))
    assert found is not None
    assert found.n_repeated == 8192
