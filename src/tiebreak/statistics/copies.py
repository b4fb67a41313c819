"""Copies among models, which are the same number by number, and among units, which repeat as no independent draws would.

Rows of right and wrong, or of a few grades, repeat by nature, and so do rows of numbers where what is measured takes few values.
Copies betray themselves by how: each row stands twice and hardly any once, or many stand twice and too few three times.
"""

from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics import FloatArray, IntArray, mean_present, mid_ranks

MULTIPLE_ALPHA, TRIPLE_ALPHA = 0.01, 0.04
"""Levels of the two tests of `repeated_rows`, of which draws of any distribution are named in at most 2 and 3 %."""

MOST_COPIES = 5
"""Copies of each row up to which they are looked for."""

FEWEST_PAIRS = 3
"""Rows that stand twice, below which no copies are seen."""

FEWEST_ALIKE, MOST_ALIKE = 20, 20_000
"""Units from which, and of which so many are looked at for likeness of neighbours."""

ALIKE, ALIKE_APART = (0.1, 2.05), (0.4, 3.0)
"""Correlation, and errors above 0, from which neighbours, or units further apart, are alike."""

NEARER, MOST_AXES, MOST_POINTS = 3.5, 4, 500
"""Errors from which units lie too near another one; models that are looked at for that, and units with the highest scores."""


def first_copies(rows: FloatArray) -> IntArray:
    """Number of the first row that is the same as each row, gaps included; its own for a row without copies."""
    # rows of different sums are no copies, and need no closer look; takes no room
    _, place, count = np.unique(rows.sum(axis=1), return_inverse=True, return_counts=True)
    entry, first = np.arange(len(rows)), dict[bytes, int]()
    for row in np.flatnonzero(count[place] > 1).tolist():
        entry[row] = first.setdefault(sha256(rows[row] + 0.0).digest(), row)  # + 0.0: no -0.0
    return entry


def repeated_rows(table: ArrayLike, clusters: IntArray | None = None) -> int:
    """Number of rows that are the same as another one, where they repeat more than chance lets them; else 0.

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
    """
    values = np.atleast_2d(np.asarray(table, dtype=float))
    # a number for each row, the same for the same rows and hardly ever for others
    factors = np.random.default_rng(0).integers(0, 2**63, (len(values), 1), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    key = np.zeros(values.shape[1], dtype=np.uint64)
    for column, factor in zip(values, factors[:, 0], strict=True):  # one after the other, which takes little room
        bits = (column + 0.0).view(np.uint64)  # + 0.0: no -0.0
        bits = (bits ^ (bits >> np.uint64(29))) * factor  # short numbers have no low bits
        key += bits ^ (bits >> np.uint64(32))
    if clusters is not None:
        key = np.unique(np.stack([key, np.asarray(clusters).astype(np.uint64)]), axis=1)[0]
    key.sort()
    counts = np.diff(np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])), append=key.size)
    from scipy.special import bdtrc, pdtr

    # nearly every row stands a multiple of the same number of times
    multiples = [(k, int(np.count_nonzero(counts % k == 0))) for k in range(2, MOST_COPIES + 1)]
    is_copied = any(n and bdtrc(n - 1, counts.size, 1.0 / k) < MULTIPLE_ALPHA / (MOST_COPIES - 1) for k, n in multiples)
    # or fewer rows stand three times than those that stand once and twice let be
    once, twice, thrice = (int(np.count_nonzero(counts == k)) for k in (1, 2, 3))
    bound = 2.0 / 3.0 * (twice - np.sqrt(twice)) ** 2 / (once + np.sqrt(once + 1.0))
    is_copied |= twice >= FEWEST_PAIRS and pdtr(thrice, bound) < TRIPLE_ALPHA
    return int(counts[counts > 1].sum()) if is_copied else 0


def likeness_at(score: FloatArray) -> int:
    """Distance of units in which models differ alike, as those of one source do: 1 for neighbours; 0 where none is seen.

    Ranks of each model's scores less the mean of all models are correlated with those of the next unit, and where the table may
    stand below itself, half, a third, a fourth or a fifth of it on. What units 3 to 6 further have in common is taken off, as
    tables are sorted, and subjects stand together.

    Parameters
    ----------
    score : ndarray of shape (n_models, n_units)
        Gaps count as a score in the middle.
    """
    own = score[:, :MOST_ALIKE] - mean_present(score[:, :MOST_ALIKE], axis=0)
    n = int(own.shape[1])
    ranks = mid_ranks(np.nan_to_num(own)) - (n + 1) / 2
    squares = float(np.square(ranks).sum())
    if n < FEWEST_ALIKE or not squares:
        return 0

    def likeness(at: int) -> float:
        return float((ranks[:, at:] * ranks[:, :-at]).sum()) / squares * n / (n - at) + 1.0 / n  # by chance it is -1 / n

    for at in [1] + [n // k for k in range(2, MOST_COPIES + 1) if n % k == 0 and n >= k * FEWEST_ALIKE]:
        beyond = likeness(at) - max(0.0, sum(likeness(at + more) for more in (3, 4, 5, 6)) / 4)
        least, errors = ALIKE if at == 1 else ALIKE_APART
        if beyond > max(least, errors / np.sqrt(n - at)):
            return at
    return 0


def near_copies(score: FloatArray) -> bool:
    """True where units have all but the same scores of all models as one to four others, and the next lie much further off.

    With r_k the distance to the k-th nearest unit, and d the number of dimensions that scores fill, ``(r_k / r_k+1)^(k d)`` is
    uniform between 0 and 1 where units lie at random, whatever d, and independent of that of the next k. So k times the logarithm
    of ``r_k+1 / r_k`` is larger than for the next k by a fair coin, with an error 1.26 times that of independent units, as two
    are each other's nearest. Of normal, lognormal, rounded scores, t with 2 df, and models that mostly agree, less than 1 % of
    tables of 40 to 2,000 units are named; units that lie on top of each other are not counted.
    """
    points = score[:MOST_AXES, :MOST_ALIKE].T
    points = points[~np.isnan(points).any(axis=1)]
    if len(points) < FEWEST_ALIKE:
        return False
    points = points[np.argsort(points[:, 0])][-MOST_POINTS:]  # copies are neighbours by any model's scores
    distance = np.square(points[:, None] - points).sum(axis=-1)  # all of them, as scipy's trees take as long to import
    np.fill_diagonal(distance, np.inf)
    distance = np.sort(np.partition(distance, MOST_COPIES)[:, : MOST_COPIES + 1])
    steps = np.arange(1, MOST_COPIES + 1) * np.diff(np.log(distance[distance[:, 0] > 0]), axis=1)
    excess = np.sign(steps[:, :-1] - steps[:, 1:]).sum(axis=0)
    return bool(excess.max() > NEARER * 1.26 * np.sqrt(len(steps)))
