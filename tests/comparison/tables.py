"""Small score tables for the tests of this package, and the ranking by plain loops to hold against."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components

from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

ACCURACY = Metric("accuracy", higher_is_better=True)
RMSE = Metric("rmse", higher_is_better=False)


def scores_of(
    table: Any,
    names: Sequence[str] | None = None,
    *,
    metric: Metric = ACCURACY,
    n_train: Any = 90,
    n_test: Any = 10,
    n_folds: int | None = None,
    design: SplitDesign | None = None,
) -> Scores:
    """Rows are models, named "a", "b", ... unless given; columns are splits."""
    score = np.array(table, dtype=float)
    n_models, n_splits = score.shape
    split, sizes = np.arange(n_splits), [np.broadcast_to(np.asarray(n), n_splits).copy() for n in (n_train, n_test)]
    names = names if names is not None else [chr(ord("a") + i) for i in range(n_models)]
    matrix = ScoreMatrix("", tuple(names), split // (n_folds or n_splits), split % (n_folds or n_splits), *sizes, score)
    return Scores(metric, (matrix,), design or SplitDesign("repeated-kfold", sizes="exact"))


def compared(table: Any, names: Sequence[str] | None = None, **options: Any) -> Comparison:
    """The comparison of `scores_of`; what it does not know is a setting."""
    ours = {key: options.pop(key) for key in ("metric", "n_train", "n_test", "n_folds", "design") if key in options}
    return compare_scores(scores_of(table, names, **ours), Settings(**options))


def noisy(*means: float, noise: float = 0.02, n_splits: int = 10, seed: int = 0) -> np.ndarray:
    """A row for each mean, exactly that mean, sharing how hard each split is."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 0.03, n_splits) + rng.normal(0, noise, (len(means), n_splits))
    return np.array(means)[:, None] + rows - rows.mean(axis=1, keepdims=True)


def around(mean: float, sd: float, n_splits: int = 10) -> np.ndarray:
    """Differences with exactly this mean and standard deviation."""
    d = np.random.default_rng(1).normal(size=n_splits)
    return mean + sd * (d - d.mean()) / d.std(ddof=1)


def pair_with(mean: float, sd: float, n_splits: int = 10) -> np.ndarray:
    """Two models whose differences have this mean and standard deviation."""
    second = np.linspace(0.7, 0.8, n_splits)
    return np.array([second + around(mean, sd, n_splits), second])


# --- the ranking by hand ----------------------------------------------------------------------------------------------

Ends = dict[tuple[int, int], tuple[float, float]]
"""Interval of "j minus i", where j is the better one if it is positive, by (j, i); a pair without one is not there."""


class ByHand(NamedTuple):
    """What a family's intervals say of each model, in the order of the models that were given."""

    order: list[str]
    in_g: list[bool]
    shortfall: list[float]
    standing: list[str]
    rank_low: list[int]
    rank_high: list[int]
    above: list[list[bool]]


def _together(above: list[list[bool]], copies: list[int]) -> list[list[bool]]:
    """True for two models of one cycle, or of a cycle through copies: each is reached from the other."""
    n = len(above)
    links = np.array([[above[j][i] or copies[j] == copies[i] for i in range(n)] for j in range(n)])
    _, group = connected_components(links, connection="strong")
    return [[bool(group[j] == group[i]) for i in range(n)] for j in range(n)]


def _above(n: int, ends: Ends) -> list[list[bool]]:
    return [[(j, i) in ends and ends[j, i][0] > 0 for i in range(n)] for j in range(n)]


def order_by_hand(names: Sequence[str], value: np.ndarray, copies: list[int], ends: Ends) -> list[str]:
    """Best value first, ties by name, copies together; but nobody below a model that it is shown above."""
    first_name = [min(name for name, other in zip(names, copies, strict=True) if other == own) for own in copies]
    left = sorted(range(len(names)), key=lambda i: (-round(float(value[i]), 12), first_name[i], names[i]))
    above = _above(len(names), ends)
    together, order = _together(above, copies), []
    while left:
        cycles = [[i for i in left if together[i][first]] for first in left]
        free = next(cycle for cycle in cycles if not any(above[j][i] for i in cycle for j in left if j not in cycle))
        order += free
        left = [i for i in left if i not in free]
    return [names[i] for i in order]


def ranked_by_hand(names: Sequence[str], value: np.ndarray, copies: list[int], ends: Ends, rope: float) -> ByHand:
    """Design section 3 by plain loops: G, shortfalls, standings and ranks from the ends of the family's intervals."""
    everyone = range(len(names))
    above = _above(len(names), ends)
    together = _together(above, copies)
    beaten = [any(above[j][i] and not together[j][i] for j in everyone) for i in everyone]
    in_g = [not any(beaten[k] for k in everyone if together[i][k]) for i in everyone]
    shortfall = []
    for i in everyone:
        highs = [0.0]
        for j in everyone:
            if j == i or not in_g[j] or (copies[j] == copies[i] and (j, i) not in ends):
                continue
            highs.append(ends[j, i][1] if (j, i) in ends else np.inf)
        shortfall.append(max(highs))
    if len(set(copies)) == 1 and not ends:
        shortfall = [np.inf] * len(names)
    n_best = len({copies[i] for i in everyone if in_g[i]})
    is_alone = n_best == 1 and all(shortfall[i] == 0 for i in everyone if in_g[i])
    standing = []
    for i in everyone:
        word = "may be best" if in_g[i] else "not best"
        word = "near best" if rope > 0 and shortfall[i] <= rope else word
        standing.append("best" if in_g[i] and is_alone else word)
    low = [1 + sum(above[j][i] and not together[j][i] for j in everyone) for i in everyone]
    high = [len(names) - sum(above[i][j] and not together[i][j] for j in everyone) for i in everyone]
    short = [bound if np.isfinite(bound) else np.nan for bound in shortfall]
    return ByHand(order_by_hand(names, value, copies, ends), in_g, short, standing, low, high, above)


def assert_ranked_as_by_hand(answer: Comparison, expected: ByHand, names: Sequence[str]) -> None:
    """All columns of the ranking that are read off the intervals; `names` are those of the lists in `expected`."""
    ranking = answer.ranking
    place = {name: row for row, name in enumerate(names)}
    rows = [place[name] for name in ranking["model"]]
    assert list(answer.models) == list(ranking["model"]) == expected.order
    assert_array_equal(ranking["may_be_best"], np.array(expected.in_g)[rows])
    assert_allclose(ranking["shortfall_high"].to_numpy(dtype=float), np.array(expected.shortfall)[rows], rtol=1e-8, atol=1e-12)
    assert list(ranking["standing"]) == [expected.standing[row] for row in rows]
    assert answer.shortlist() == tuple(name for name in answer.models if expected.in_g[place[name]])
    assert bool(ranking["may_be_best"][0])
    if answer.settings.family == "best":
        assert not {"rank_low", "rank_high", "letters"} & set(ranking.columns)
        return
    assert_array_equal(ranking[["rank_low", "rank_high"]].T, np.array([expected.rank_low, expected.rank_high])[:, rows])
    assert np.all((ranking["rank_low"] <= ranking["rank"]) & (ranking["rank"] <= ranking["rank_high"]))
    letters = dict(zip(ranking["model"], ranking["letters"], strict=True))
    for one in names:
        for two in names:
            is_apart = expected.above[place[one]][place[two]] or expected.above[place[two]][place[one]]
            assert bool(set(letters[one]) & set(letters[two])) != is_apart, (one, two)
