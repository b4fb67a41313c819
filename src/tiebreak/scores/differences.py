"""Paired differences of all models, oriented so that positive favours the first model."""

from dataclasses import dataclass, replace

import numpy as np

from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    SPREAD,
    DifferenceMoments,
    FloatArray,
    IntArray,
    blocks,
    concatenate_moments,
    divide,
    masked_pair_moments,
    pair_moments,
    row_moments,
)
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix


@dataclass(frozen=True, slots=True, eq=False)
class PairDifferences:
    """Moments of the differences of many pairs of models.

    The moments are of first against second; positive favours the first, whatever the metric's direction. `ratio` is the mean
    n_test / n_train over the splits of each pair, in the moments' shape or a single number.
    """

    moments: DifferenceMoments
    ratio: FloatArray | float


def pair_differences(
    matrix: ScoreMatrix, metric: Metric, ratio: FloatArray, first: IntArray, second: IntArray
) -> PairDifferences:
    """Differences of the given pairs: one matrix product where the table is complete, an exact masked path where not.

    There are at least two splits. `ratio` is n_test / n_train of each split, zeros for an uncorrected test; `first` and `second`
    are rows of the matrix, of shape (n_pairs,) or (): a single pair is computed by itself.
    """
    if np.ndim(first) == 0:
        moments, pair_ratio = _of_one_pair(matrix.score[first], matrix.score[second], ratio)
    elif matrix.is_complete:
        moments = pair_moments(matrix.score, first, second)
        pair_ratio = float(ratio.mean())
    else:
        moments = masked_pair_moments(matrix.score, first, second)
        pair_ratio = _shared_ratio(~np.isnan(matrix.score), ratio, first, second)
    if not metric.higher_is_better:
        moments = replace(moments, mean=0.0 - moments.mean)  # 0 - x, so that no difference becomes -0.0
    return PairDifferences(moments, pair_ratio)


def _of_one_pair(one: FloatArray, two: FloatArray, ratio: FloatArray) -> tuple[DifferenceMoments, FloatArray | float]:
    shared = ~(np.isnan(one) | np.isnan(two))
    one, two = one[shared], two[shared]
    scale = np.maximum(np.abs(one), np.abs(two)).max(initial=0.0)
    return row_moments(one - two, scale), float(ratio[shared].mean()) if shared.any() else 0.0


def model_moments(matrix: ScoreMatrix) -> DifferenceMoments:
    """Mean and spread of each model over its own splits, in the metric's unit and direction."""
    parts = blocks(len(matrix.models), matrix.n_splits)  # so that a large table is not copied whole
    return concatenate_moments([row_moments(matrix.score[rows], omit_missing=True) for rows in parts])


def model_ratios(matrix: ScoreMatrix, ratio: FloatArray) -> FloatArray:
    """Mean n_test / n_train over the splits that each model has, of shape (n_models,); 0 for a model without any."""
    present = [~np.isnan(row) for row in matrix.score]
    return np.array([ratio[p].mean() if p.any() else 0.0 for p in present])


def model_correlation(matrix: ScoreMatrix) -> FloatArray:
    """Correlation of the models' scores over the splits that each two share, of shape (n_models, n_models).

    nan where a model's scores do not vary on them, or fewer than two splits are shared.
    """
    if matrix.is_complete:
        unit = _unit_deviations(matrix.score)
        return np.asarray(np.clip(unit @ unit.T, -1.0, 1.0))
    import pandas as pd

    # of a row that does not vary beyond rounding nothing is known
    known = np.where(model_moments(matrix).kind[:, None] == SPREAD, matrix.score, np.nan)
    return np.asarray(pd.DataFrame(known.T).corr(min_periods=2))


def _unit_deviations(rows: FloatArray) -> FloatArray:
    """Rows less their means, scaled to length 1; nan for a row that does not vary beyond rounding."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    largest = np.abs(centred).max(axis=1, keepdims=True)
    varies = largest > RELATIVE_TOLERANCE * np.abs(rows).max(axis=1, keepdims=True)
    centred = divide(centred, np.where(varies, largest, np.nan))
    return np.asarray(centred / np.sqrt(np.square(centred).sum(axis=1, keepdims=True)))


def _shared_ratio(present: np.ndarray, ratio: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    weights = present.astype(float)
    shared, total = weights @ weights.T, (weights * ratio) @ weights.T
    one, other = np.minimum(first, second), np.maximum(first, second)  # the product rounds [i, j] and [j, i] apart
    return np.asarray(total[one, other] / np.maximum(shared[one, other], 1.0))
