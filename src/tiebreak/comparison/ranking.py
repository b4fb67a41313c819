"""Models from best to worst: their values, and what the family says of them: standings, shortfalls, ranks and letters."""

import string
from collections import Counter
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.family import Family, every_pair
from tiebreak.comparison.procedures.procedure import Method, ModelValues, units_of
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError
from tiebreak.numerics import IDENTICAL, RELATIVE_TOLERANCE, SPREAD, FloatArray, IntArray, Interval, blocks
from tiebreak.scores.means import connected_groups
from tiebreak.scores.scores import Scores
from tiebreak.statistics.copies import first_copies

STANDINGS = ("not best", "may be best", "near best", "best")
"""Names of standing codes."""

NOT_BEST, MAY_BE_BEST, NEAR_BEST, BEST = range(4)

MOST_LETTERED = 40
"""Models up to which letters are shown; beyond, nobody can read them."""

Relation = NDArray[np.bool_]
"""Shape (n_models, n_models): True in row j, column i where j is shown above i."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingTable(ModelValues):
    """Columns of shape (n_models,), best model first, named as in the `ranking` frame: the values, and what the family says.

    What the family cannot say is None: standings with a baseline, ranks and letters with a baseline and in comparisons with the
    best.

    Attributes
    ----------
    order : ndarray of int
        Rows such that no model stands below one that it is shown above: as they stand, once models are in ranking order.
    mean_interval : Interval or None
        At the level of the settings; it ends at the metric's bounds, where they are known.
    is_linked : bool
        True where shared units link all models. Else their adjusted values are of each group's own units, and not comparable.
    entry : ndarray of int
        Row of the first of a model's copies, which share everything that is said of them.
    rank : ndarray of int
        Place, which copies share.
    rank_low, rank_high : ndarray of int, or None
        1 + the number of models shown better, and n_models - that of models shown worse, those of the model's own cycle left out.
    may_be_best : ndarray of bool, or None
    shortfall_high : ndarray or None
        By how much at most each model falls short of the best; nan where no bound is known.
    standing : ndarray of int8, or None
        Codes into `STANDINGS`.
    differs : ndarray of bool, shape (n_models, n_models), or None
        True where two models are told apart; None beyond `MOST_LETTERED` models, too.
    """

    order: IntArray
    mean_interval: Interval | None
    is_linked: bool
    entry: IntArray
    rank: IntArray
    rank_low: IntArray | None
    rank_high: IntArray | None
    may_be_best: NDArray[np.bool_] | None
    shortfall_high: FloatArray | None
    standing: NDArray[np.int8] | None
    differs: Relation | None

    @property
    def contenders(self) -> IntArray:
        """Rows of the models that may be the best; none where the family does not say."""
        return np.flatnonzero(self.may_be_best) if self.may_be_best is not None else np.zeros(0, dtype=np.intp)

    @property
    def letters(self) -> list[str] | None:
        """Compact letter display; None where `differs` is."""
        return None if self.differs is None else compact_letters(self.differs)


def rank_models(scores: Scores, method: Method, pairs: Family) -> RankingTable:
    """The ranking of scores whose models stand in ranking order; `pairs` is the family, or stands outside it."""
    units, values = units_of(scores), method.values(scores)
    n_models, score = len(scores.models), units.matrix().score
    entry = entries_of(scores, method, pairs)
    low, high = pairs.bounds
    above = np.zeros((n_models, n_models), dtype=bool)  # copies alike
    for one, two, is_shown in ((pairs.first, pairs.second, low > 0), (pairs.second, pairs.first, high < 0)):
        above[one[is_shown], two[is_shown]] = True
    above = above if np.all(entry == np.arange(n_models)) else above[np.ix_(entry, entry)]
    component = components(above, entry)
    outside = above & (component[:, None] != component)
    rank_low = rank_high = may_be_best = shortfall = standing = differs = None
    if pairs.family != "baseline":
        may_be_best = ~np.isin(component, component[outside.any(axis=0)])
        shortfall = _shortfalls(pairs, may_be_best, entry)
        standing = np.where(may_be_best, MAY_BE_BEST, NOT_BEST).astype(np.int8)
        if pairs.rope > 0:  # but for rounding
            standing[shortfall <= pairs.rope + float(np.max(pairs.law.tolerance))] = NEAR_BEST  # nan is not <= rope
        if np.unique(entry[may_be_best]).size == 1 and np.all(shortfall[may_be_best] == 0):  # copies count as one
            standing[may_be_best] = BEST
        if pairs.family == "pairs":
            rank_low, rank_high = 1 + outside.sum(axis=0), n_models - outside.sum(axis=1)
            differs = above | above.T if n_models <= MOST_LETTERED else None
    bounds = scores.metric.bounds_of(np.fmin.reduce(score, axis=None), np.fmax.reduce(score, axis=None))
    # the mean of a metric that is a mean by its name is not called so twice
    name, metric = values.value_name, units.metric.name
    label = values.value_label or (metric if metric.startswith(f"{name}_") else f"{name} {metric}")
    return RankingTable(
        **(vars(values) | {"value_label": label}),
        order=_order(outside, component),
        mean_interval=None
        if values.interval is None
        else Interval(*(np.clip(end, *bounds) for end in values.interval(pairs.alpha))),
        is_linked=values.adjusted is None or not connected_groups(~np.isnan(score))[0].any(),
        entry=entry,
        rank=1 + entry,
        rank_low=rank_low,
        rank_high=rank_high,
        may_be_best=may_be_best,
        shortfall_high=shortfall,
        standing=standing,
        differs=differs,
    )


# --- order ------------------------------------------------------------------------------------------------------------------


def entries_of(scores: Scores, method: Method, pairs: Family | None = None) -> IntArray:
    """Row of the first of the models that are copies of each other: the same score on every unit, missing on the same ones.

    With the pairs, of models whose scores differ by rounding only too: pairs of kind IDENTICAL with the same gaps. Differences
    that cancel within every cluster are of that kind as well; such models are no copies. A model with units of its own has none.
    """
    n_models = len(scores.models)
    if not method.is_paired:
        return np.arange(n_models)
    score = units_of(scores).matrix().score
    entry = first_copies(score if scores.items is None else scores.items.score.reshape(n_models, -1))
    for row in () if pairs is None else np.flatnonzero(pairs.law.kind == IDENTICAL).tolist():
        one, two = int(pairs.first[row]), int(pairs.second[row])  # type: ignore[union-attr]
        low, high = sorted((entry[one], entry[two]))
        if low != high and np.allclose(score[one], score[two], rtol=2.0 * RELATIVE_TOLERANCE, atol=0.0, equal_nan=True):
            entry = np.where(entry == high, low, entry)
    return entry


def order_by_value(scores: Scores, method: Method, values: ModelValues) -> list[str]:
    """Names from best to worst value, adjusted where models lack units; ties by name, copies together.

    Values that differ by rounding only are ties, so that the unit of the scores cannot decide the order.
    """
    units = units_of(scores)
    models, entry = units.matrix().models, entries_of(scores, method).tolist()
    value = np.where(np.isnan(values.shown), np.inf, -units.metric.sign * values.shown)
    rows = np.argsort(value, kind="stable")
    with np.errstate(invalid="ignore"):  # inf - inf, of models without a value, which tie
        is_behind = np.diff(value[rows]) > np.fmax(values.tolerance[rows[1:]], values.tolerance[rows[:-1]])
    tied = np.zeros(rows.size, dtype=np.intp)
    tied[rows[1:]] = np.cumsum(is_behind)
    name = {own: each for each, own in sorted(zip(models, entry, strict=True), reverse=True)}
    return [models[row] for row in sorted(rows.tolist(), key=lambda row: (tied[row], name[entry[row]], models[row]))]


def components(above: Relation, entry: IntArray) -> IntArray:
    """Label of each model's strongly connected component, copies in one.

    Gaps in the scores, and centres that are no means, can make cycles: a above b above c above a. Without them each entry is a
    component of its own.
    """
    if not any(bool(row[:place].any()) for place, row in enumerate(above)):  # down the ranking only, as without gaps
        return entry  # looked for row by row, as half of the relation would be a copy
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = np.arange(entry.size)
    winner, loser = np.nonzero(above)
    edges = (np.concatenate([winner, rows, entry]), np.concatenate([loser, entry, rows]))
    graph = coo_array((np.ones(edges[0].size, dtype=np.int8), edges), shape=above.shape)
    return np.asarray(connected_components(graph, directed=True, connection="strong")[1])


def _order(outside: Relation, component: IntArray) -> IntArray:
    """Rows such that no model stands below one that it is shown above; cycles and copies stand together, else the order stays.

    So the first row is a contender, and the place of each model lies between 1 + the number of models shown above it and
    n_models - the number of those that it is shown above, those of its own cycle left out. `outside` is the relation between
    models of different components.
    """
    if np.all(np.diff(component) >= 0) and not np.tril(outside).any():  # as mostly
        return np.arange(component.size)
    is_left, order = np.ones(component.size, dtype=bool), list[int]()
    n_above = np.bincount(component, outside.sum(axis=0))  # of each component: what is still to come above it
    while is_left.any():
        rows = component == component[np.flatnonzero(is_left & (n_above[component] == 0))[0]]
        order += np.flatnonzero(rows).tolist()
        is_left[rows] = False
        n_above -= np.bincount(component, outside[rows].sum(axis=0))
    return np.array(order)


# --- standings --------------------------------------------------------------------------------------------------------------


def _shortfalls(pairs: Family, may_be_best: NDArray[np.bool_], entry: IntArray) -> FloatArray:
    """Bound on how far each model falls short of the best: the largest upper bound of "j minus it" over contenders j.

    At least 0; nan where there is no bound, and where all models are copies, of which none can be told apart. A copy is no rival,
    unless the procedure has an interval for identical scores.
    """
    found = np.zeros(entry.size)
    low, high = pairs.bounds
    for part in blocks(pairs.n_pairs, most=50_000):  # of 3,000 models there are 4.5 million, and few stay in the cache
        first, second = pairs.first[part], pairs.second[part]
        for rivals, others, upper in ((first, second, high[part]), (second, first, -low[part])):
            upper = np.where(may_be_best[rivals], upper, 0.0)
            gaps = np.flatnonzero(np.isnan(upper))
            upper[gaps] = np.where(entry[rivals[gaps]] == entry[others[gaps]], 0.0, np.inf)
            np.maximum.at(found, others, upper)
    found = found[entry]
    return np.where(np.isfinite(found) & (np.any(entry != entry[0]) | np.any(found > 0)), found, np.nan)


def p_best(scores: Scores, method: Method, n_units: IntArray, settings: Settings) -> FloatArray:
    """Probability of each model to be the best; nan for models without all scores.

    Of two models that of their difference, of more the share of draws of the joint posterior in which a model comes first.
    """
    from tiebreak.statistics.posterior.joint import N_DRAWS, combine_pairs

    complete = (n_units == units_of(scores).matrix().n_splits) | (not method.is_paired)
    found, n_complete = np.full(complete.size, np.nan), int(np.count_nonzero(complete))
    if n_complete < 2:
        return found
    first, second = every_pair(n_complete)
    kept = scores.take([name for name, is_whole in zip(scores.models, complete, strict=True) if is_whole])
    judged = method.judged(kept, first, second, settings)
    law = judged.law
    if not law.is_posterior or (judged.draws is None and n_complete > 2):
        raise DataError(
            f"{method.name} gives no joint posterior of all models, so no p_best; shortlist() has those that may be the best."
        )
    draws = None if judged.draws is None else judged.draws(N_DRAWS, np.random.default_rng(settings.rng))
    below, above = np.asarray(law.tail(0.0)), np.asarray(law.tail(0.0, upper=True))
    found[complete] = combine_pairs(n_complete, first, second, below, above, law.kind != SPREAD, draws)
    return found


# --- letters -----------------------------------------------------------------------------------------------------------------


def compact_letters(differs: NDArray[np.bool_]) -> list[str]:
    """Letters of each model: two models share one exactly where they are not told apart.

    Groups are grown along the ranking until every such pair is in one, and those that add nothing are swept.

    Parameters
    ----------
    differs : ndarray of bool, shape (n_models, n_models)
        Symmetric, the best model first.

    Returns
    -------
    list of str
        "a" for the group of the best model, "ab" for a model in two groups. Groups beyond the 52nd are numbered: "(53)".

    References
    ----------
    .. [P04] H.-P. Piepho. An algorithm for a letter-based representation of all-pairwise comparisons. Journal of Computational
       and Graphical Statistics 13, 2004.
    """
    n_models = len(differs)
    groups: list[list[int]] = []
    together = np.zeros(differs.shape, dtype=bool)
    for one, other in combinations_with_replacement(range(n_models), 2):
        if differs[one, other] or together[one, other]:
            continue
        is_in = np.isin(np.arange(n_models), (one, other))
        for model in range(n_models):
            is_in[model] |= not differs[model, is_in].any()
        groups.append(np.flatnonzero(is_in).tolist())
        together[np.ix_(is_in, is_in)] = True
    groups = sorted(_swept(groups))
    signs = [*string.ascii_letters, *(f"({number})" for number in range(53, len(groups) + 1))]
    return ["".join(sign for sign, group in zip(signs, groups, strict=False) if model in group) for model in range(n_models)]


def _swept(groups: list[list[int]]) -> list[list[int]]:
    """Groups without those all of whose pairs stand together in others."""
    pairs = [list(combinations_with_replacement(group, 2)) for group in groups]
    counts, kept = Counter(chain.from_iterable(pairs)), []
    for group, own in zip(groups, pairs, strict=True):
        if min(counts[pair] for pair in own) > 1:
            counts.subtract(own)
        else:
            kept.append(group)
    return kept
