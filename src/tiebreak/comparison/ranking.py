"""Models from best to worst: their values, and what the family says of them: standings, shortfalls, ranks and letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.best import above_others, components, contenders, order_of, shortfalls
from tiebreak.comparison.copies import entries_of, with_identical_pairs
from tiebreak.comparison.letters import MOST_LETTERED, compact_letters
from tiebreak.comparison.pairs import PairTable, every_pair
from tiebreak.comparison.procedures.procedure import ModelValues, Procedure
from tiebreak.comparison.settings import Settings
from tiebreak.numerics import SPREAD, FloatArray, IntArray, Interval
from tiebreak.scores.adjusted_means import connected_groups
from tiebreak.scores.scores import Scores
from tiebreak.statistics.posterior.joint import N_DRAWS, combine_pairs

STANDINGS = ("not best", "may be best", "near best", "best")
"""Names of standing codes."""

NOT_BEST, MAY_BE_BEST, NEAR_BEST, BEST = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class RankingTable:
    """Columns of shape (n_models,), best model first, named as in the `ranking` frame.

    What the family cannot say is None: standings with a baseline, ranks and letters with a baseline and in comparisons with the
    best.

    Attributes
    ----------
    value_name : str
        Name of the procedure's own value of a model, which `mean` holds.
    value_label : str
        The same in sentences, with the metric's name where it is of a metric.
    mean, mean_interval
        The interval ends at the metric's bounds, where they are known.
    adjusted : ndarray or None
        Value as if every model had been measured on all units; None where none lacks any, or there is no such value.
    is_linked : bool
        True where shared units link all models. Else their adjusted values are of each group's own units, and not comparable.
    n_units : ndarray of int
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
    letters : list of str, or None
        None beyond `MOST_LETTERED` models, too.
    average_rank : ndarray or None
        Mean rank over datasets; None where there are no datasets to rank on.
    standard_error : ndarray or None
        Of each mean by itself, where the procedure gives it.
    """

    value_name: str
    value_label: str
    mean: FloatArray
    mean_interval: Interval | None
    adjusted: FloatArray | None
    is_linked: bool
    n_units: IntArray
    entry: IntArray
    rank: IntArray
    rank_low: IntArray | None
    rank_high: IntArray | None
    may_be_best: NDArray[np.bool_] | None
    shortfall_high: FloatArray | None
    standing: NDArray[np.int8] | None
    letters: list[str] | None
    average_rank: FloatArray | None
    standard_error: FloatArray | None

    @property
    def ordering_value(self) -> FloatArray:
        """Value by which models are ordered where the family shows nothing: the adjusted one where there is one."""
        return self.mean if self.adjusted is None else self.adjusted

    @property
    def contenders(self) -> IntArray:
        """Rows of the models that may be the best; none where the family does not say."""
        return np.flatnonzero(self.may_be_best) if self.may_be_best is not None else np.zeros(0, dtype=np.intp)

    @property
    def are_all_copies(self) -> bool:
        """True where all models have identical scores, and the procedure has no interval for such."""
        return bool(np.all(self.entry == 0)) and self.shortfall_high is not None and bool(np.isnan(self.shortfall_high).all())

    def copies(self, row: int) -> IntArray:
        """Rows of a model and its copies."""
        return np.flatnonzero(self.entry == self.entry[row])


def order_by_value(scores: Scores, procedure: Procedure, settings: Settings) -> list[str]:
    """Names from best to worst value, adjusted where models lack units; ties by name, copies together."""
    values, units = procedure.values(scores, settings), procedure.units(scores)
    models = units.matrix().models
    adjusted = procedure.adjusted_values(scores, values)
    value = values.value if adjusted is None else adjusted
    value = np.where(np.isnan(value), -np.inf, units.metric.sign * value)
    entry = entries_of(scores, units) if procedure.is_paired else np.arange(len(models))
    first_name = {
        int(each): min(name for name, own in zip(models, entry, strict=True) if own == each) for each in _repeated(entry)
    }

    def by_name(row: int) -> tuple[str, str]:
        return first_name.get(int(entry[row]), models[row]), models[row]

    rows = sorted(range(len(models)), key=lambda i: (-value[i], models[i]))
    # values that differ by rounding only are ties, so that the unit of the scores cannot decide the order
    order: list[int] = []
    tied: list[int] = []
    for row in rows:
        if tied and value[tied[-1]] - value[row] > max(values.tolerance[[tied[-1], row]]):
            order += sorted(tied, key=by_name)
            tied = []
        tied.append(row)
    order += sorted(tied, key=by_name)
    return [models[row] for row in order]


def _repeated(entry: IntArray) -> IntArray:
    """Entries of several models."""
    if np.all(entry[1:] > entry[:-1]):
        return entry[:0]
    found, n = np.unique(entry, return_counts=True)
    return found[n > 1]


def order_of_family(scores: Scores, procedure: Procedure, pairs: PairTable) -> list[str]:
    """Names such that none stands below one that it is shown above, whatever their values say."""
    entry = _entries(scores, procedure, pairs)
    are_together = np.all(entry[1:] > entry[:-1]) or 1 + np.count_nonzero(np.diff(entry)) == np.unique(entry).size
    if are_together and pairs.follows_order:  # which spares the relation of all models
        return list(scores.models)
    above = _shown_above(pairs, entry)
    return [scores.models[row] for row in order_of(above, components(above, entry))]


def rank_models(scores: Scores, procedure: Procedure, pairs: PairTable, settings: Settings) -> RankingTable:
    """The ranking of scores whose models stand in ranking order; `pairs` is the family, or stands outside it."""
    n_models = len(scores.models)
    values = procedure.values(scores, settings)
    adjusted = procedure.adjusted_values(scores, values)
    entry = _entries(scores, procedure, pairs)
    rank_low = rank_high = may_be_best = shortfall = standing = letters = None
    if pairs.family != "baseline":
        above = _shown_above(pairs, entry)
        component = components(above, entry)
        may_be_best = contenders(above, component)
        shortfall = _shortfalls(pairs, may_be_best, entry)
        standing = _standings(pairs, may_be_best, shortfall, entry)
        if pairs.family == "pairs":
            outside = above_others(above, component)
            rank_low, rank_high = 1 + outside.sum(axis=0), n_models - outside.sum(axis=1)
            letters = compact_letters(above | above.T) if n_models <= MOST_LETTERED else None
    return RankingTable(
        value_name=values.name,
        value_label=values.label or _label(values.name, procedure.units(scores).metric.name),
        mean=values.value,
        mean_interval=_mean_interval(scores, procedure, values, settings.alpha),
        adjusted=adjusted,
        is_linked=adjusted is None or not connected_groups(~np.isnan(procedure.units(scores).matrix().score))[0].any(),
        n_units=values.n_units,
        entry=entry,
        rank=1 + entry,
        rank_low=rank_low,
        rank_high=rank_high,
        may_be_best=may_be_best,
        shortfall_high=shortfall,
        standing=standing,
        letters=letters,
        average_rank=values.average_rank,
        standard_error=values.standard_error,
    )


def _entries(scores: Scores, procedure: Procedure, pairs: PairTable) -> IntArray:
    """Rows of the first copies; a model with units of its own has none."""
    if not procedure.is_paired:
        return np.arange(len(scores.models))
    units = procedure.units(scores)
    return with_identical_pairs(entries_of(scores, units), pairs, units.matrix().score)


def _shown_above(pairs: PairTable, entry: IntArray) -> NDArray[np.bool_]:
    """Relation of the family's intervals, the same for copies but for rounding."""
    above = pairs.shown_above(entry.size)
    is_first = entry == np.arange(entry.size)
    return above if is_first.all() else above[np.ix_(entry, entry)]


def _shortfalls(pairs: PairTable, may_be_best: NDArray[np.bool_], entry: IntArray) -> FloatArray:
    """Shortfalls, nan where there is no bound, and where all models are copies, of which none can be told apart."""
    found = shortfalls(pairs.first, pairs.second, pairs.differences, pairs.bound_alpha(entry.size), may_be_best, entry)
    is_known = np.isfinite(found) & (np.any(entry != entry[0]) | np.any(found > 0))
    return np.where(is_known, found, np.nan)


def _standings(pairs: PairTable, may_be_best: NDArray[np.bool_], shortfall: FloatArray, entry: IntArray) -> NDArray[np.int8]:
    """Best alone, near best (within the rope at most, but for rounding), may be best, or not best; copies count as one."""
    standing = np.where(may_be_best, MAY_BE_BEST, NOT_BEST)
    if pairs.rope > 0:
        standing[shortfall <= pairs.rope + float(np.max(pairs.differences.tolerance))] = NEAR_BEST  # nan is not <= rope
    if np.unique(entry[may_be_best]).size == 1 and np.all(shortfall[may_be_best] == 0):
        standing[may_be_best] = BEST
    return standing.astype(np.int8)


def _mean_interval(scores: Scores, procedure: Procedure, values: ModelValues, alpha: float) -> Interval | None:
    """Intervals of the models' own values, cut off at the metric's bounds."""
    if values.interval is None:
        return None
    low, high = values.interval(alpha)
    score = procedure.units(scores).matrix().score
    bounds = scores.metric.bounds_of(np.fmin.reduce(score, axis=None), np.fmax.reduce(score, axis=None))
    return Interval(np.clip(low, *bounds), np.clip(high, *bounds))


def _label(value: str, metric: str) -> str:
    """A value in words; the mean of a metric that is a mean by its name is not called so twice."""
    return metric if metric.startswith(f"{value}_") else f"{value} {metric}"


def p_best(scores: Scores, procedure: Procedure, settings: Settings) -> FloatArray | None:
    """Probability of each model to be the best; nan for models without all scores, None where the procedure gives none.

    Of two models that of their difference, of more the share of draws of the joint posterior in which a model comes first.
    """
    n_units = procedure.values(scores, settings).n_units
    complete = (n_units == procedure.units(scores).matrix().n_splits) | (not procedure.is_paired)
    found = np.full(complete.size, np.nan)
    n_complete = int(np.count_nonzero(complete))
    if n_complete < 2:
        return found
    first, second = every_pair(n_complete)
    kept = scores.take([name for name, is_whole in zip(scores.models, complete, strict=True) if is_whole])
    differences = procedure.judge(kept, first, second, settings)
    if not differences.is_posterior:
        return None
    draws = differences.draws(N_DRAWS, np.random.default_rng(settings.seed))
    if draws is None and n_complete > 2:
        return None
    is_tied = differences.kind != SPREAD
    found[complete] = combine_pairs(n_complete, first, second, *differences.tails(0.0), is_tied, draws).p_best
    return found
