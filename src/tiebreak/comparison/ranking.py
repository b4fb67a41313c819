"""Models from best to worst: means, the difference to a reference, and which may be best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.bayesian.joint_posterior import JointPosterior, joint_posterior
from tiebreak.comparison.pairs import PairTable
from tiebreak.comparison.shortlist import shortlist
from tiebreak.comparison.verdict import MIRRORED, NONE, Codes
from tiebreak.numerics import (
    SPREAD,
    FloatArray,
    IntArray,
    Interval,
    corrected_standard_error,
    student_multiplier,
)
from tiebreak.scores.differences import model_moments, model_ratios, pair_differences
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix


@dataclass(frozen=True, slots=True, eq=False)
class RankingTable:
    """Columns of shape (n_models,), best model first, named as in the `ranking` frame.

    `difference`, the two intervals, `verdict` and `kind` are those of the model against the reference, oriented; the row of the
    reference has difference 0, no interval and no verdict (`reference` is its position).
    """

    reference: int
    mean: FloatArray
    mean_interval: Interval
    n_splits: IntArray
    difference: FloatArray
    interval: Interval
    simultaneous: Interval
    verdict: Codes
    kind: Codes
    p_best: FloatArray
    expected_rank: FloatArray
    in_shortlist: NDArray[np.bool_]


def ranking_order(matrix: ScoreMatrix, metric: Metric) -> list[str]:
    """Names from best to worst mean; incomplete models after complete ones, ties by name."""
    moments = model_moments(matrix)
    complete = np.asarray(moments.n_splits) == matrix.n_splits
    value = np.where(np.isnan(moments.mean), -np.inf, metric.sign * moments.mean)
    rows = sorted(range(len(matrix.models)), key=lambda i: (not complete[i], -value[i], matrix.models[i]))
    # means that differ by rounding only are ties, so that the unit of the scores cannot decide the order
    order: list[int] = []
    tied: list[int] = []
    for row in rows:
        if tied and (
            complete[row] != complete[tied[0]] or value[tied[-1]] - value[row] > _rounding(moments.tolerance, tied[-1], row)
        ):
            order += sorted(tied, key=lambda i: matrix.models[i])
            tied = []
        tied.append(row)
    order += sorted(tied, key=lambda i: matrix.models[i])
    return [matrix.models[row] for row in order]


def _rounding(tolerance: FloatArray, one: int, other: int) -> float:
    return float(max(tolerance[one], tolerance[other]))


def rank_models(
    matrix: ScoreMatrix,
    metric: Metric,
    ratio: FloatArray,
    pairs: PairTable,
    *,
    reference: int,
    rope: float,
    alpha: float,
    rng: int,
) -> RankingTable:
    """The ranking of a matrix whose rows stand in ranking order.

    Parameters
    ----------
    matrix : ScoreMatrix
    metric : Metric
    ratio : ndarray of shape (n_splits,)
        n_test / n_train of each split.
    pairs : PairTable
        The family, which holds every pair with the reference.
    reference : int
        Row of the best model or of the baseline.
    rope, alpha
        As decided for the comparison; the rope in the metric's unit.
    rng : int
        Seed of the draws behind p_best.
    """
    n_models = len(matrix.models)
    moments = model_moments(matrix)
    standard_error = corrected_standard_error(moments, model_ratios(matrix, ratio))
    half_width = student_multiplier(alpha, np.maximum(moments.df, 1)) * standard_error
    half_width = np.where(standard_error > 0, half_width, np.nan)
    joint = _joint_of_complete(matrix, metric, ratio, np.asarray(moments.n_splits) == matrix.n_splits, rng)
    everyone = pair_differences(matrix, metric, ratio, *np.triu_indices(n_models, 1))
    against = _against_reference(pairs, n_models, reference)
    return RankingTable(
        reference=reference,
        mean=moments.mean,
        mean_interval=Interval(moments.mean - half_width, moments.mean + half_width),
        n_splits=np.asarray(moments.n_splits),
        difference=against.difference,
        interval=against.interval,
        simultaneous=against.simultaneous,
        verdict=against.verdict,
        kind=against.kind,
        p_best=joint.p_best,
        expected_rank=joint.expected_rank,
        in_shortlist=shortlist(everyone, n_models, rope=rope, alpha=alpha),
    )


def _joint_of_complete(
    matrix: ScoreMatrix, metric: Metric, ratio: FloatArray, complete: NDArray[np.bool_], rng: int
) -> JointPosterior:
    """The joint posterior of the models without missing scores; nan for the others."""
    p_best, expected_rank = np.full(complete.size, np.nan), np.full(complete.size, np.nan)
    if np.count_nonzero(complete) >= 2:
        scores = matrix.score if complete.all() else matrix.score[complete]
        joint = joint_posterior(scores if metric.higher_is_better else -scores, test_train_ratio=ratio.mean(), rng=rng)
        p_best[complete], expected_rank[complete] = joint.p_best, joint.expected_rank
    return JointPosterior(p_best, expected_rank)


class _Against(NamedTuple):
    difference: FloatArray
    interval: Interval
    simultaneous: Interval
    verdict: Codes
    kind: Codes


def _against_reference(pairs: PairTable, n_models: int, reference: int) -> _Against:
    """What the pairs say of each model against the reference, whichever way round they stand."""
    rows = pairs.rows_with(reference)
    model = np.where(pairs.first[rows] == reference, pairs.second[rows], pairs.first[rows])
    as_asked = pairs.first[rows] == model
    oriented = np.where(as_asked, 1.0, -1.0) * pairs.difference[rows]
    # models that tie stand in order of name, and rounding must not seem to rank them otherwise
    oriented = np.where(np.abs(oriented) <= pairs.tolerance[rows], 0.0, oriented)

    def of_models(values: NDArray[Any], elsewhere: float) -> NDArray[Any]:
        column = np.full(n_models, elsewhere, dtype=values.dtype)
        column[model] = values
        return column

    def turned(interval: Interval) -> Interval:
        low, high = interval.low[rows], interval.high[rows]
        ends = np.where(as_asked, low, -high), np.where(as_asked, high, -low)
        return Interval(*(of_models(end, np.nan) for end in ends))

    verdict = np.where(as_asked, pairs.verdict[rows], MIRRORED[pairs.verdict[rows]]).astype(np.int8)
    return _Against(
        of_models(oriented, 0.0),
        turned(pairs.interval),
        turned(pairs.simultaneous),
        of_models(verdict, NONE),
        of_models(pairs.kind[rows], SPREAD),
    )
