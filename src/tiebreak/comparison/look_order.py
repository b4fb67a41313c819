"""Order of units that are looked at before all are in: random, or one that carries information."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tiebreak.comparison.procedures.procedure import Method, units_of
from tiebreak.errors import UnsuitableDesignError
from tiebreak.numerics import FloatArray, student_tail, weighted_chi_square_tail
from tiebreak.scores.scores import Scores

ALPHA = 0.01
"""Chance, at most, that a random order is refused at any look."""

FIRST = 0.7
"""Share of it that the first look spends; the k-th of the later ones spends 1 / (k (k - 1)) of the rest."""

JOINT = 0.8
"""Share of what a look spends that the tests of all series together have; the tests of single ones see what is plain to them."""

FEWEST = 8
"""Units below which no order can be told from a random one."""

MOST_SERIES = 60
"""Models whose scores are tested by themselves; of more only the mean over models is."""

MOST_COMPONENTS = 10
"""Principal components of the scores in which a change is looked for."""

FEWEST_DISTINCT = 20
"""Units that a component has to rest on, as chance alone puts a few of them side by side: n over its kurtosis."""

WAVES = 24
"""Cosine waves along the table by which a change is looked for: from half a wave to a dozen."""

MARGIN = 0.1
"""Share of the units at either end in which the words name no place of a change."""

OF_THE_ORDER = re.compile(
    r"(^|[_\W])(time|timestamp|date|index|idx|id|order|position|row|number|no|line|seed)s?([_\W]|$)", re.IGNORECASE
)
"""Names of columns that say when or where an item came, and so go with any order."""


OF_GROUPS = re.compile("subject|topic|category|domain|group|section|chapter|level|difficulty|language", re.IGNORECASE)
"""Names of columns by which tables are sorted; a look at one group alone is none at the plan."""


class Sign(NamedTuple):
    """One test of the order: its p-value, what it found in words, and whether it is that of all scores together."""

    pvalue: float
    text: str
    is_joint: bool = False


def refuse_order(method: Method, data: Scores, unit: str, *, number: int = 1) -> None:
    """Refuse an order of the units that carries information, at the look of this number, from 1.

    The mean score over models is tested for a trend and for likeness of neighbours, the scores of each model less that mean
    likewise, all scores together for changes along the table, and every further column of the items: a number as the scores
    are, a text by how many neighbours share it. Repeats of folds are drawn anew each, and are not tested.

    Raises
    ------
    UnsuitableDesignError
        Some test finds so few random orders like this one that all tests of all looks together refuse at most 1 % of them.
    """
    if method.question == "splits":
        return
    _refuse_one_group(data, unit)
    signs = list(_signs(method, data, unit))
    n_joint = sum(sign.is_joint for sign in signs)
    shares = [JOINT / n_joint if sign.is_joint else (1 - JOINT) / (len(signs) - n_joint) for sign in signs]
    pvalues = [sign.pvalue / share for sign, share in zip(signs, shares, strict=True)]
    if min(pvalues, default=1.0) >= alpha_of_look(number):
        return
    found = signs[int(np.argmin(pvalues))]
    raise UnsuitableDesignError(
        f"the {unit}s do not come in random order: {found.text}. The first part of such a table is no sample of the whole, so a "
        f"look at it would be wrong far more often than alpha says. Shuffle the {unit}s before any of them is run, or compare "
        "once, when all are in, without a plan."
    )


def alpha_of_look(number: int) -> float:
    """Chance, at most, that the look of this number, from 1, refuses a random order."""
    return ALPHA * (FIRST if number == 1 else (1 - FIRST) / (number * (number - 1)))


def _refuse_one_group(data: Scores, unit: str) -> None:
    """Refuse units that are all of one group, where a column that names groups says so: others may follow."""
    for name, values in {} if data.items is None else data.items.columns.items():
        if OF_GROUPS.fullmatch(name) and len(set(values)) == 1:
            raise UnsuitableDesignError(
                f"all {len(values):,} {unit}s have the {name} {values[0]!r}. If others follow, the order is not random: shuffle "
                f"the {unit}s before any of them is run. If the whole plan has only this one, leave the column {name!r} out."
            )


def _signs(method: Method, data: Scores, unit: str) -> Iterator[Sign]:
    score, columns = _by_unit(method, data)
    if score.shape[1] < FEWEST:
        return
    present = ~np.isnan(score)
    n = present.sum(axis=0)
    mean = np.where(present, score, 0.0).sum(axis=0) / np.maximum(n, 1)
    yield from of_numbers(np.where(n > 0, mean, np.nan), f"the mean score of a {unit}")
    if 2 < score.shape[0] <= MOST_SERIES:
        for name, row in zip(data.models, score - mean, strict=True):
            yield from of_numbers(row, f"the score of {name!r} beside the others'")
    elif score.shape[0] == 2:
        yield from of_numbers(score[0] - score[1], "the difference of the two models")
    if 2 <= score.shape[0] <= MOST_SERIES:
        yield from of_a_change(score, unit)
    for name, values in columns.items():
        numbers = _as_numbers(values)
        if numbers is None:
            yield from of_texts(values, name, unit)
        elif not OF_THE_ORDER.search(name):
            yield from of_numbers(numbers, f"{name!r}")


def _by_unit(method: Method, data: Scores) -> tuple[FloatArray, dict[str, tuple[str, ...]]]:
    """Scores of shape (n_models, n_units), and the columns that say something of units: of clusters what all items share."""
    score, items = units_of(data).matrix().score, data.items
    if items is None:
        return score, {}
    if items.truth is not None or items.is_positive is not None:  # what models say is no score; what is so, is of the order
        actual = items.is_positive if items.is_positive is not None else items.truth
        return np.asarray(actual, dtype=float)[None], dict(items.columns)
    if items.clusters is None:
        return score, dict(items.columns)
    names = list(dict.fromkeys(items.clusters))
    place = {name: k for k, name in enumerate(names)}
    code = np.array([place[name] for name in items.clusters])
    present = ~np.isnan(score)
    sums = np.stack([np.bincount(code, np.where(there, row, 0.0), len(names)) for row, there in zip(score, present, strict=True)])
    counts = np.stack([np.bincount(code, there, len(names)) for there in present])
    first = [int(np.flatnonzero(code == k)[0]) for k in range(len(names))]
    shared = {
        name: tuple(values[row] for row in first)
        for name, values in items.columns.items()
        if all(value == values[first[k]] for value, k in zip(values, code.tolist(), strict=True))
    }
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), shared


def _as_numbers(values: tuple[str, ...]) -> FloatArray | None:
    try:
        numbers = np.array([float(value) if value else np.nan for value in values])
    except ValueError:
        return None
    return numbers if np.unique(numbers[~np.isnan(numbers)]).size > 2 else None


def of_numbers(values: FloatArray, what: str) -> Iterator[Sign]:
    """Trend by the rank correlation with the place, and likeness of neighbours by that of each with the next."""
    from scipy.stats import rankdata

    values = values[~np.isnan(values)]
    if values.size < FEWEST or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return
    ranks = rankdata(values)
    trend = _correlation(ranks, np.arange(values.size, dtype=float))
    yield Sign(
        2 * _tail(abs(trend), values.size),
        f"{what} {'rises' if trend > 0 else 'falls'} along the table (rank correlation {trend:.2f})",
    )
    # the expected correlation of neighbours is -1 / n
    alike = _correlation(ranks[:-1], ranks[1:]) + 1.0 / values.size
    yield Sign(_tail(min(alike, 1.0), values.size - 1), f"{what} is like that of its neighbours (rank correlation {alike:.2f})")


def of_a_change(score: FloatArray, unit: str) -> Iterator[Sign]:
    """Changes of the scores of all models together along the table, slow ones first: a weighted sum of chi-squares.

    Each component of the scores is taken apart into cosine waves along the table (Neyman's smooth test of a constant mean
    [N37]_). Under a random order their amplitudes have mean 0 and the same variance, are uncorrelated and nearly normal. Their
    squares are added with a weight that falls as 1 over the number of half-waves, which finds one change and many, and rises
    with the spread of the component: what makes all models better at once is the likeliest to change.

    References
    ----------
    .. [N37] J. Neyman. "Smooth test" for goodness of fit. Skandinavisk Aktuarietidskrift 20, 1937.
    """
    component, spread = _components(score)
    p, n = component.shape
    if p == 0:
        return
    wave = np.arange(1, min(WAVES, n // 2) + 1)[:, None]
    amplitude = component @ np.cos(np.pi * wave * (np.arange(n) + 0.5) / n).T * np.sqrt(2 * (n - 1)) / n
    weight = (spread / spread.mean())[:, None] / wave.T
    found = weighted_chi_square_tail(weight, float((weight * amplitude**2).sum()))
    yield Sign(found, f"the scores change along the table, most after {_most_changed(component):,} {unit}s", is_joint=True)


def _most_changed(component: FloatArray) -> int:
    """Units before the place at which the mean components of both parts differ most, for their number."""
    n = component.shape[1]
    place = np.arange(1, n)
    place = place[(place >= MARGIN * n) & (place <= (1 - MARGIN) * n)]
    sums = np.cumsum(component, axis=1)[:, place - 1]
    return int(place[np.argmax((sums**2).sum(axis=0) / (place * (n - place)))])


def _components(score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Uncorrelated scores with mean 0 and variance 1, of shape (p, n): the leading principal components of their ranks.

    With the standard deviation that each had, in ranks.

    Those that rest on a few units are left out, as partial sums of them are far from normal.
    """
    from scipy.stats import rankdata

    n = score.shape[1]
    ranks = np.stack([_centred(row, rankdata) for row in score])
    _, size, component = np.linalg.svd(ranks, full_matrices=False)
    is_there = size > 1e-9 * size.max(initial=1e-300)
    component, size = component[is_there] * np.sqrt(n), size[is_there]
    chosen = np.flatnonzero((component**4).mean(axis=1) <= n / FEWEST_DISTINCT)[:MOST_COMPONENTS]
    return component[chosen], size[chosen]


def _centred(row: FloatArray, rankdata: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Ranks less their mean, 0 where there is no score."""
    there = ~np.isnan(row)
    found = np.zeros(row.size)
    ranks = rankdata(row[there])
    found[there] = ranks - (ranks.mean() if ranks.size else 0.0)
    return found


def of_texts(values: tuple[str, ...], name: str, unit: str) -> Iterator[Sign]:
    """Neighbours that share a text: under a random order nearly Poisson, and less spread than that where texts are few."""
    from scipy.special import pdtrc

    _, counts = np.unique(np.array(values), return_counts=True)
    n = len(values)
    expected = float((counts * (counts - 1.0)).sum() / n)
    if n < FEWEST or counts.size in (1, n):
        return
    shared = sum(one == two for one, two in itertools.pairwise(values))
    p = float(pdtrc(shared - 1, expected)) if shared else 1.0
    yield Sign(
        p, f"{name!r} comes in blocks ({shared:,} of {n - 1:,} neighbouring {unit}s share it, {expected:,.0f} in random order)"
    )


def _correlation(one: FloatArray, two: FloatArray) -> float:
    one, two = one - one.mean(), two - two.mean()
    size = float(np.sqrt((one @ one) * (two @ two)))
    return float(one @ two) / size if size > 0 else 0.0


def _tail(correlation: float, n: int) -> float:
    """One-sided p-value of a correlation of n pairs, by Student's t."""
    rest = max(1e-300, 1.0 - correlation**2)
    return float(student_tail(correlation * np.sqrt((n - 2) / rest), n - 2.0))
