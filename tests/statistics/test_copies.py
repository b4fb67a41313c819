"""Copies among models, and among units by how rows of scores repeat."""

import numpy as np
import pytest

from tiebreak.statistics.copies import first_copies, likeness_at, near_copies, repeated_rows


def drawn(n: int, seed: int = 0, n_models: int = 3) -> np.ndarray:
    """Scores of `n_models` models on n items, no two of them alike."""
    return np.random.default_rng(seed).random((n_models, n))


@pytest.mark.parametrize("n_times", [2, 3, 5])
def test_a_table_that_stands_several_times_is_named(n_times: int) -> None:
    """All rows n times, in any order: each of 20 different rows is a multiple, of which chance has (1/2)^20 at most."""
    rows = np.tile(drawn(20), n_times)
    assert repeated_rows(rows[:, np.random.default_rng(1).permutation(rows.shape[1])]) == 20 * n_times


@pytest.mark.parametrize(("n", "found"), [(40, 80), (5, 0)])
def test_some_rows_twice_and_none_three_times_are_copies(n: int, found: int) -> None:
    """60 rows once and 40 twice make 2/3 (40 - 6.3)^2 / 67.8 = 11 triples by chance, of which none is there.

    5 twice make 2/3 (5 - 2.2)^2 / 105 = 0.05: none is what chance gives, too.
    """
    table = drawn(100)
    assert repeated_rows(np.concatenate([table, table[:, :n]], axis=1)) == found


@pytest.mark.parametrize("n_kinds", [4, 30, 300, 3000])
def test_rows_that_are_drawn_independently_repeat_by_nature(n_kinds: int) -> None:
    """Uniform draws are the world in which triples are fewest; of 200 tables of 300 rows at most 5 % are named."""
    rng = np.random.default_rng(5)
    named = [repeated_rows(rng.integers(0, n_kinds, (1, 300))) > 0 for _ in range(200)]
    assert sum(named) <= 10


def test_copies_within_a_cluster_are_no_news() -> None:
    """Two rows of one cluster that are the same count as one; between clusters they are copies."""
    twice = np.tile(drawn(30), 2)
    assert repeated_rows(twice, np.tile(np.arange(30), 2)) == 0
    assert repeated_rows(twice, np.arange(60)) == 60


def test_signs_of_zero_and_gaps_do_not_hide_copies() -> None:
    """-0.0 is 0.0, and a missing score is like another one."""
    table = drawn(20)
    table[0, :10], table[1, 3] = 0.0, np.nan
    other = table.copy()
    other[0, :10] = -0.0
    assert repeated_rows(np.concatenate([table, other], axis=1)) == 40


def test_right_and_wrong_of_many_models_are_told_apart() -> None:
    """Keys of 2^12 different rows of 0 and 1 are all different: none is a copy, twice each is."""
    rows = np.array([[number >> bit & 1 for number in range(4096)] for bit in range(12)], dtype=float)
    assert repeated_rows(rows) == 0
    assert repeated_rows(np.tile(rows, 2)) == 8192


def test_the_first_of_equal_rows_stands_for_all() -> None:
    """Gaps in the same places are equal, -0.0 is 0.0, and rows of the same sum are looked at number by number."""
    nan = np.nan
    rows = np.array([[0.0, 1, 2], [1, 2, 0], [-0.0, 1, 2], [nan, 1, 2], [1, nan, 2], [nan, 1, 2], [0, 1, 2.5]])
    assert first_copies(rows).tolist() == [0, 1, 0, 3, 4, 3, 6]


@pytest.mark.parametrize("n_times", [2, 3, 5])
def test_sources_that_stand_several_times_are_seen(n_times: int) -> None:
    """Where they stand: side by side, below the table itself; in order of a difference, or in blocks of subjects none are.

    And wherever they stand, with little noise, of 60 units; of 100 tables of independent ones three at most, rounded or skewed.
    """
    rng = np.random.default_rng(2)
    source, other = rng.normal(size=(2, 60)), rng.normal(size=(2, 60 * n_times))
    subjects = np.repeat(source[:, :4], 100, axis=1) + rng.normal(size=(2, 400))
    tables = (np.repeat(source, n_times, axis=1) + 0.4 * other, np.tile(source, n_times) + 0.4 * other, subjects)
    assert [likeness_at(table) for table in (*tables, source[:, np.argsort(source[0] - source[1])])] == [1, 60, 0, 0]
    near = np.repeat(source, n_times, axis=1) + 0.005 * other
    assert [near_copies(table) for table in (near[:, rng.permutation(near.shape[1])], near[:, :19])] == [True, False]
    independent = [draw for _ in range(50) for draw in (rng.lognormal(0, 1.5, (2, 200)), rng.normal(size=(2, 99)).round(1))]
    assert sum(map(near_copies, independent)) <= 3
