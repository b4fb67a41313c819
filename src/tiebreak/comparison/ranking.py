"""Models from best to worst: means, the difference to a reference, and which may be best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.bayesian.joint_posterior import N_DRAWS, combine_pairs
from tiebreak.comparison.pairs import PairTable
from tiebreak.comparison.procedures.procedure import Differences, ModelValues, Procedure
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.shortlist import shortlist
from tiebreak.comparison.verdict import MIRRORED, NONE, Codes
from tiebreak.numerics import SPREAD, FloatArray, IntArray, Interval
from tiebreak.scores.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class RankingTable:
    """Columns of shape (n_models,), best model first, named as in the `ranking` frame.

    `difference`, the two intervals, `verdict` and `kind` are those of the model against the reference, oriented; the row of the
    reference has difference 0, no interval and no verdict (`reference` is its position). `mean` is the procedure's own value of
    each model, called `value_name`. `p_best` and `expected_rank` are None where it gives no posterior or no draws.
    """

    reference: int
    value_name: str
    mean: FloatArray
    mean_interval: Interval
    n_splits: IntArray
    difference: FloatArray
    interval: Interval
    simultaneous: Interval
    verdict: Codes
    kind: Codes
    p_best: FloatArray | None
    expected_rank: FloatArray | None
    in_shortlist: NDArray[np.bool_]


def ranking_order(values: ModelValues, scores: Scores) -> list[str]:
    """Names from best to worst value; incomplete models after complete ones, ties by name."""
    models = scores.matrix().models
    complete = values.n_units == scores.matrix().n_splits
    value = np.where(np.isnan(values.value), -np.inf, scores.metric.sign * values.value)
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


def rank_models(
    scores: Scores, procedure: Procedure, pairs: PairTable, settings: Settings, *, reference: int, rope: float
) -> RankingTable:
    """The ranking of scores whose models stand in ranking order.

    `pairs` is the family, which holds every pair with the reference: the row of the best model or of the baseline. The rope is
    in the unit of the differences.
    """
    n_models = len(scores.models)
    values = procedure.values(scores, settings)
    first, second = np.triu_indices(n_models, 1)
    everyone = procedure.judge(scores, first, second, settings)
    p_best, expected_rank = _joint_of_complete(scores, procedure, everyone, values.n_units == scores.matrix().n_splits, settings)
    against = _against_reference(pairs, n_models, reference)
    return RankingTable(
        reference=reference,
        value_name=values.name,
        mean=values.value,
        mean_interval=Interval(values.low, values.high),
        n_splits=values.n_units,
        difference=against.difference,
        interval=against.interval,
        simultaneous=against.simultaneous,
        verdict=against.verdict,
        kind=against.kind,
        p_best=p_best,
        expected_rank=expected_rank,
        in_shortlist=shortlist(first, second, everyone, n_models, rope=rope, alpha=settings.alpha),
    )


def _joint_of_complete(
    scores: Scores, procedure: Procedure, everyone: Differences, complete: NDArray[np.bool_], settings: Settings
) -> tuple[FloatArray | None, FloatArray | None]:
    """p_best and expected rank of the models without missing scores, nan for the others; None where nothing tells them."""
    if not everyone.is_posterior:
        return None, None
    has_draws = True
    p_best, expected_rank = np.full(complete.size, np.nan), np.full(complete.size, np.nan)
    n_complete = int(np.count_nonzero(complete))
    if n_complete >= 2:
        first, second = np.triu_indices(n_complete, 1)
        differences = everyone
        if n_complete < complete.size:
            kept = scores.take([name for name, is_whole in zip(scores.models, complete, strict=True) if is_whole])
            differences = procedure.judge(kept, first, second, settings)
        is_tied = differences.kind != SPREAD
        draws = differences.draws(N_DRAWS, np.random.default_rng(settings.rng))
        has_draws = draws is not None or n_complete == 2
        joint = combine_pairs(n_complete, first, second, *differences.tails(0.0), is_tied, draws)
        p_best[complete], expected_rank[complete] = joint.p_best, joint.expected_rank
    return p_best if has_draws else None, expected_rank


class _Against(NamedTuple):
    difference: FloatArray
    interval: Interval
    simultaneous: Interval
    verdict: Codes
    kind: Codes


def _against_reference(pairs: PairTable, n_models: int, reference: int) -> _Against:
    """Each model against the reference, whichever way round the pairs stand."""
    rows = pairs.rows_with(reference)
    model = np.where(pairs.first[rows] == reference, pairs.second[rows], pairs.first[rows])
    as_asked = pairs.first[rows] == model
    oriented = np.where(as_asked, 1.0, -1.0) * pairs.difference[rows]
    # models that tie stand in order of name, and rounding must not seem to rank them otherwise
    tolerance = np.broadcast_to(pairs.differences.tolerance, pairs.first.shape)[rows]
    oriented = np.where(np.abs(oriented) <= tolerance, 0.0, oriented)

    def of_models(values: NDArray[Any], elsewhere: float) -> NDArray[Any]:
        column = np.full(n_models, elsewhere, dtype=values.dtype)
        column[model] = values
        return column

    def turned(interval: Interval) -> Interval:
        low, high = interval.low[rows], interval.high[rows]
        ends = np.where(as_asked, low, -high), np.where(as_asked, high, -low)
        return Interval(*(of_models(end, np.nan) for end in ends))

    verdict = pairs.verdict[rows]
    verdict = np.where(as_asked, verdict, MIRRORED[verdict]).astype(np.int8)
    return _Against(
        of_models(oriented, 0.0),
        turned(pairs.interval),
        turned(pairs.simultaneous),
        of_models(verdict, NONE),
        of_models(pairs.kind[rows], SPREAD),
    )
