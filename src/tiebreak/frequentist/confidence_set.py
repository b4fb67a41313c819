"""The model confidence set: the models that may be the best, by elimination of the worst one as long as the rest differ."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.numerics import FloatArray, IntArray, check_count, check_probability, divide, floats, generator_of

SetStatistic = Literal["range", "max"]


class ModelConfidenceSetResult(NamedTuple):
    """p-values of the model confidence set.

    Attributes
    ----------
    pvalues : ndarray of shape (n_models,)
        In the order of the rows. A model is in the set of level 1 - alpha when its p-value is above alpha; the last one left has
        1.
    order : ndarray of shape (n_models,)
        Rows in the order in which they were eliminated, the last one left at the end.
    statistic : {"range", "max"}
    """

    pvalues: FloatArray
    order: IntArray
    statistic: str

    def members(self, alpha: float = 0.1) -> NDArray[np.bool_]:
        """The models in the set: with probability 1 - alpha or more all the best are among them."""
        return np.asarray(self.pvalues > check_probability(alpha, "alpha"))


def model_confidence_set(
    losses: ArrayLike,
    *,
    statistic: SetStatistic = "range",
    block_length: int = 1,
    n_resamples: int = 9_999,
    rng: int | np.random.Generator = 0,
) -> ModelConfidenceSetResult:
    """Find the models that may be the best, from their losses on the same examples or periods.

    Parameters
    ----------
    losses : array_like of shape (n_models, n_examples)
        Lower is better. For scores of which higher is better pass their negatives.
    statistic : {"range", "max"}
        "range" compares every pair of the models that are left, "max" each with the mean of them [HLN11]_.
    block_length : int, default 1
        Consecutive periods that are drawn together, in a circle; 1 for examples in no order. For forecasts take at least the
        length over which their errors go together.
    n_resamples : int, default 9,999
    rng : int or numpy Generator, default 0

    Returns
    -------
    ModelConfidenceSetResult

    Raises
    ------
    TooFewModelsError
    InvalidScoresError
        Losses that are not finite, or fewer than two.

    References
    ----------
    .. [HLN11] P. R. Hansen, A. Lunde, J. M. Nason. The model confidence set. Econometrica 79, 2011.
    """
    table = floats(losses, "losses")
    if table.ndim != 2 or table.shape[0] < 2:
        raise TooFewModelsError(f"losses of two models or more are needed, one a row; got the shape {table.shape}.")
    if table.shape[1] < 2 or not np.isfinite(table).all():
        raise InvalidScoresError("the losses must be finite, two or more for each model; leave out what is missing.")
    if statistic not in get_args(SetStatistic):
        raise InvalidParameterError(f"statistic must be 'range' or 'max'; got {statistic!r}.", about="statistic")
    n_resamples, length = check_count(n_resamples, "n_resamples"), check_count(block_length, "block_length")
    if length > table.shape[1]:
        raise InvalidParameterError(
            f"block_length must be a whole number from 1 to {table.shape[1]}; got {block_length!r}.", about="block_length"
        )
    generator = generator_of(rng, np.random.PCG64)
    mean = table.mean(axis=1)
    drawn = _resampled_means(table, length, n_resamples, generator) - mean  # (n_resamples, n_models)
    left, order, pvalues, largest = list(range(mean.size)), [], np.ones(mean.size), 0.0
    while len(left) > 1:
        worst, pvalue = (_range_step if statistic == "range" else _max_step)(mean[left], drawn[:, left])
        largest = max(largest, pvalue)  # p-values of the set are cumulative maxima
        order.append(left.pop(worst))
        pvalues[order[-1]] = largest
    return ModelConfidenceSetResult(pvalues, np.array([*order, *left]), statistic)


def _range_step(mean: FloatArray, drawn: FloatArray) -> tuple[int, float]:
    """The model of the largest standardised difference of a pair, and the p-value that all are equally good."""
    i, j = np.triu_indices(mean.size, 1)
    differences, resampled = mean[i] - mean[j], drawn[:, i] - drawn[:, j]
    t, null = _standardised(differences, resampled)
    observed = np.abs(t).max()
    pair = int(np.abs(t).argmax())
    worst = i[pair] if t[pair] > 0 else j[pair]
    return int(worst), float(np.mean(np.abs(null).max(axis=1) >= observed))


def _max_step(mean: FloatArray, drawn: FloatArray) -> tuple[int, float]:
    """The model that is worst against the mean of all, and the p-value that all are equally good."""
    t, null = _standardised(mean - mean.mean(), drawn - drawn.mean(axis=1, keepdims=True))
    return int(t.argmax()), float(np.mean(null.max(axis=1) >= t.max()))


def _standardised(observed: FloatArray, resampled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Over the bootstrap's standard error; models with the same losses throughout do not differ."""
    error = np.sqrt(np.mean(resampled**2, axis=0))
    same = error <= 1e-14 * np.abs(resampled).max(initial=1e-300)
    zero = same & (np.abs(observed) <= 1e-12 * np.abs(observed).max(initial=1e-300))
    return np.where(zero, 0.0, divide(observed, np.where(same, 0.0, error))), np.where(same, 0.0, divide(resampled, error))


def _resampled_means(table: FloatArray, length: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Means of all models over resampled blocks of examples; the same resamples for all models."""
    n = table.shape[1]
    n_blocks = -(-n // length)
    means = np.empty((n_resamples, table.shape[0]))
    step = max(1, 2_000_000 // n)
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        first = rng.integers(0, n, size=(rows, n_blocks))
        drawn = ((first[:, :, None] + np.arange(length)) % n).reshape(rows, -1)[:, :n]
        counts = np.bincount((drawn + np.arange(rows)[:, None] * n).ravel(), minlength=rows * n).reshape(rows, n)
        means[start : start + rows] = counts @ table.T / n
    return means
