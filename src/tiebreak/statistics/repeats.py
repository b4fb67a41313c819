"""Copies among units: rows of scores that repeat in another way than independent draws from anything would.

Rows of right and wrong, or of a few grades, repeat by nature, and so do rows of numbers where what is measured takes few values.
Copies betray themselves by how: each row stands twice and hardly any once, or many stand twice and too few three times.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics import IntArray

MULTIPLE_ALPHA, TRIPLE_ALPHA = 0.01, 0.04
"""Levels of the two tests of `repeated_rows`, of which draws of any distribution are named in at most 2 and 3 %."""

MOST_COPIES = 5
"""Copies of each row up to which they are looked for."""

FEWEST_PAIRS = 3
"""Rows that stand twice, below which no copies are seen."""


class RepeatedRows(NamedTuple):
    """Rows that repeat more than chance lets them.

    Attributes
    ----------
    n_repeated : int
        Rows that are the same as another one.
    n_times : int
        Times that nearly every row stands; 0 where only some of them have copies.
    """

    n_repeated: int
    n_times: int


def repeated_rows(table: ArrayLike, clusters: IntArray | None = None) -> RepeatedRows | None:
    """Copies among the rows of a table, by the numbers of times that its different rows stand in it.

    Two tests. Of independent draws from any distribution at most about one row in k stands a multiple of k times (a Poisson
    number that is not 0 is one with a probability below 1 / k): more by a binomial test are rows of which each was taken k times.
    And the numbers m1, m2, m3 of different rows that stand once, twice and three times are moments of one mixture of Poisson
    numbers, so that on average ``m3 >= (2 / 3) m2^2 / m1`` by the inequality of Cauchy and Schwarz, with equality where all rows
    are as likely: fewer, by a Poisson test against a bound with m2 lower and m1 higher by a standard error each, are rows some of
    which were taken twice. What is drawn uniformly from 30 to 20,000 rows, 30 to 1,000 times, is named in at most 3 % of trials,
    and nearly never where rows are not all as likely (benchmarks/validity/worlds.py has the rates of tables of scores). Rows of
    two models that are right or wrong are of four kinds, too few for copies to be seen.

    Parameters
    ----------
    table : array_like of shape (n_columns, n_rows)
        A row of the table in each column, as scores are kept: one for each model, and more that must agree.
    clusters : ndarray of int of shape (n_rows,), optional
        Copies within one are no news, as rows of a cluster count as going together.

    Returns
    -------
    RepeatedRows or None
        None where chance lets them be.
    """
    values = np.atleast_2d(np.asarray(table, dtype=float))
    ordered = np.sort(values[0])
    if not (ordered[1:] == ordered[:-1]).any() and not np.isnan(ordered[-1:]).any():
        return None  # which spares most tables of numbers the rest
    key = _keys(values)
    if clusters is not None:
        key = np.unique(np.stack([key, np.asarray(clusters).astype(np.uint64)]), axis=1)[0]
    key.sort()
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    counts = np.diff(starts, append=key.size)
    n_times, n_repeated = _times(counts), int(counts[counts > 1].sum())
    return RepeatedRows(n_repeated, n_times) if n_times or _lacks_triples(counts) else None


def _keys(table: NDArray[np.float64]) -> NDArray[np.uint64]:
    """A number for each row, the same for the same rows and hardly ever for others."""
    factors = np.random.default_rng(0).integers(0, 2**63, (len(table), 1), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    key = np.zeros(table.shape[1], dtype=np.uint64)
    for column, factor in zip(table, factors[:, 0], strict=True):  # one after the other, which takes little room
        bits = (column + 0.0).view(np.uint64)  # + 0.0: no -0.0
        bits = (bits ^ (bits >> np.uint64(29))) * factor  # short numbers have no low bits
        key += bits ^ (bits >> np.uint64(32))
    return key


def _times(counts: IntArray) -> int:
    """Times that nearly every row stands, 0 where that is not so."""
    from scipy.special import bdtrc

    for k in range(MOST_COPIES, 1, -1):
        n_multiples = int(np.count_nonzero(counts % k == 0))
        if n_multiples and bdtrc(n_multiples - 1, counts.size, 1.0 / k) < MULTIPLE_ALPHA / (MOST_COPIES - 1):
            return k
    return 0


def _lacks_triples(counts: IntArray) -> bool:
    """True where fewer rows stand three times than those that stand once and twice let be."""
    from scipy.special import pdtr

    once, twice, thrice = (int(np.count_nonzero(counts == k)) for k in (1, 2, 3))
    if twice < FEWEST_PAIRS:
        return False
    bound = 2.0 / 3.0 * (twice - np.sqrt(twice)) ** 2 / (once + np.sqrt(once + 1.0))
    return bool(pdtr(thrice, bound) < TRIPLE_ALPHA)
