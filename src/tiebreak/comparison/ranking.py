"""Models from best to worst: means, which may be the best, by how much at most each falls short of it, and letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.bayesian.joint_posterior import N_DRAWS, combine_pairs
from tiebreak.comparison.best import BestBounds, best_bounds, best_level
from tiebreak.comparison.letters import MOST_LETTERED, compact_letters
from tiebreak.comparison.pairs import PairTable, every_pair
from tiebreak.comparison.procedures.procedure import Differences, ModelValues, Procedure
from tiebreak.comparison.settings import Settings
from tiebreak.numerics import SPREAD, FloatArray, IntArray, Interval
from tiebreak.scores.scores import Scores

STANDINGS = ("not best", "may be best", "near best", "best")
"""Names of standing codes."""

NOT_BEST, MAY_BE_BEST, NEAR_BEST, BEST = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class RankingTable:
    """Columns of shape (n_models,), best model first, named as in the `ranking` frame.

    Attributes
    ----------
    value_name : str
        Name of the procedure's own value of a model, which `mean` holds.
    value_label : str
        The same in sentences, with the metric's name where it is of a metric.
    mean, mean_interval
        The interval ends at the metric's bounds, where they are known.
    n_units : ndarray of int
    rank_low, rank_high : ndarray of int, or None
        1 + the number of models shown better, and n_models - that of models shown worse, by the intervals of the pairs; None
        with a baseline, as then not all pairs are judged.
    best : BestBounds
        Which may be the best, and how far at most each falls short of it; a shortfall without a bound is nan.
    standing : ndarray of int8
        Codes into `STANDINGS`.
    p_best, expected_rank : ndarray or None
        None where they were not asked for, or the procedure gives no posterior or no draws.
    letters : list of str, or None
        None beyond `MOST_LETTERED` models and with a baseline.
    average_rank : ndarray or None
        Mean rank over datasets among the models that were measured on all of them, nan for others; None where there are no
        datasets to rank on.
    standard_error : ndarray or None
        Of each mean by itself, where the procedure gives it.
    """

    value_name: str
    value_label: str
    mean: FloatArray
    mean_interval: Interval | None
    n_units: IntArray
    rank_low: IntArray | None
    rank_high: IntArray | None
    best: BestBounds
    standing: NDArray[np.int8]
    p_best: FloatArray | None
    expected_rank: FloatArray | None
    letters: list[str] | None
    average_rank: FloatArray | None
    standard_error: FloatArray | None

    @property
    def in_g(self) -> IntArray:
        """Rows of the models that may be the best."""
        return np.flatnonzero(self.best.may_be_best)


def ranking_order(values: ModelValues, units: Scores, *, is_paired: bool) -> list[str]:
    """Names from best to worst value; models that lack units of a paired procedure after complete ones, ties by name."""
    models = units.matrix().models
    complete = (values.n_units == units.matrix().n_splits) | (not is_paired)
    value = np.where(np.isnan(values.value), -np.inf, units.metric.sign * values.value)
    rows = sorted(range(len(models)), key=lambda i: (not complete[i], -value[i], models[i]))
    # values that differ by rounding only are ties, so that the unit of the scores cannot decide the order
    order: list[int] = []
    tied: list[int] = []
    for row in rows:
        if tied and (complete[row] != complete[tied[0]] or value[tied[-1]] - value[row] > max(values.tolerance[[tied[-1], row]])):
            order += sorted(tied, key=lambda i: models[i])
            tied = []
        tied.append(row)
    order += sorted(tied, key=lambda i: models[i])
    return [models[row] for row in order]


def rank_models(scores: Scores, procedure: Procedure, pairs: PairTable, settings: Settings) -> RankingTable:
    """The ranking of scores whose models stand in ranking order; `pairs` is the family."""
    n_models = len(scores.models)
    values = procedure.values(scores, settings)
    best = all_best_bounds(scores, procedure, pairs, settings, best_level(settings.alpha, n_models), needs_low=False)
    best = best._replace(shortfall_high=np.where(np.isfinite(best.shortfall_high), best.shortfall_high, np.nan))
    p_best, expected_rank = _joint_of_complete(scores, procedure, values, settings) if settings.p_best else (None, None)
    has_all_pairs = settings.baseline is None
    low, high = _rank_intervals(pairs, n_models) if has_all_pairs else (None, None)
    return RankingTable(
        value_name=values.name,
        value_label=values.label or _label(values.name, procedure.units(scores).metric.name),
        mean=values.value,
        mean_interval=_mean_interval(scores, procedure, values),
        n_units=values.n_units,
        rank_low=low,
        rank_high=high,
        best=best,
        standing=_standings(best, pairs.rope, float(np.max(pairs.differences.tolerance))),
        p_best=p_best,
        expected_rank=expected_rank,
        letters=_letters(pairs, n_models) if has_all_pairs and n_models <= MOST_LETTERED else None,
        average_rank=values.average_rank,
        standard_error=values.standard_error,
    )


def all_best_bounds(
    scores: Scores, procedure: Procedure, pairs: PairTable, settings: Settings, level: float, *, needs_low: bool = True
) -> BestBounds:
    """Bounds of every model against the best, each one-sided at `level` (`best_level` says which).

    Requirements on a model being near the best read it too: broken where its `shortfall_low` is above the rope, met where its
    `shortfall_high` is at most the rope.
    """
    n_models = len(scores.models)
    if pairs.n_pairs == n_models * (n_models - 1) // 2:
        return best_bounds(pairs.first, pairs.second, pairs.differences.by_itself, n_models, level, needs_low=needs_low)
    first, second = every_pair(n_models)
    judged = procedure.judge(scores, first, second, settings)
    return best_bounds(first, second, judged.by_itself, n_models, level, needs_low=needs_low)


def _mean_interval(scores: Scores, procedure: Procedure, values: ModelValues) -> Interval | None:
    """Intervals of the models' own values, cut off at the metric's bounds."""
    if values.low is None or values.high is None:
        return None
    score = procedure.units(scores).matrix().score
    bounds = scores.metric.bounds_of(np.fmin.reduce(score, axis=None), np.fmax.reduce(score, axis=None))
    return Interval(np.clip(values.low, *bounds), np.clip(values.high, *bounds))


def _standings(best: BestBounds, rope: float, tolerance: float) -> NDArray[np.int8]:
    """Best alone, near best (within the rope at most, but for rounding), may be best, or not best."""
    standing = np.where(best.may_be_best, MAY_BE_BEST, NOT_BEST)
    if rope > 0:
        standing[best.shortfall_high <= rope + tolerance] = NEAR_BEST  # nan is not <= rope
    if np.count_nonzero(best.may_be_best) == 1:
        standing[best.may_be_best] = BEST
    return standing.astype(np.int8)


def _label(value: str, metric: str) -> str:
    """A value in words; the mean of a metric that is a mean by its name is not called so twice."""
    return metric if metric.startswith(f"{value}_") else f"{value} {metric}"


def _rank_intervals(pairs: PairTable, n_models: int) -> tuple[IntArray, IntArray]:
    """Smallest and largest rank of each model that the intervals of the pairs leave open."""
    n_better, n_worse = np.zeros(n_models, dtype=np.intp), np.zeros(n_models, dtype=np.intp)
    for part in pairs.blocks():
        above = part.told_apart
        for winner, loser, rows in ((part.first, part.second, above > 0), (part.second, part.first, above < 0)):
            n_better += np.bincount(loser[rows], minlength=n_models)
            n_worse += np.bincount(winner[rows], minlength=n_models)
    return 1 + n_better, n_models - n_worse


def _letters(pairs: PairTable, n_models: int) -> list[str]:
    apart = np.zeros((n_models, n_models), dtype=bool)
    apart[pairs.first, pairs.second] = apart[pairs.second, pairs.first] = pairs.told_apart != 0
    return compact_letters(apart)


def _joint_of_complete(
    scores: Scores, procedure: Procedure, values: ModelValues, settings: Settings
) -> tuple[FloatArray | None, FloatArray | None]:
    """p_best and expected rank of the models without missing scores, nan for the others; None where nothing tells them."""
    complete = (values.n_units == procedure.units(scores).matrix().n_splits) | (not procedure.is_paired)
    has_draws = True
    p_best, expected_rank = np.full(complete.size, np.nan), np.full(complete.size, np.nan)
    n_complete = int(np.count_nonzero(complete))
    if n_complete >= 2:
        first, second = every_pair(n_complete)
        kept = scores.take([name for name, is_whole in zip(scores.models, complete, strict=True) if is_whole])
        differences: Differences = procedure.judge(kept, first, second, settings)
        if not differences.is_posterior:
            return None, None
        is_tied = differences.kind != SPREAD
        draws = differences.draws(N_DRAWS, np.random.default_rng(settings.seed))
        has_draws = draws is not None or n_complete == 2
        joint = combine_pairs(n_complete, first, second, *differences.tails(0.0), is_tied, draws)
        p_best[complete], expected_rank[complete] = joint.p_best, joint.expected_rank
    return p_best if has_draws else None, expected_rank
