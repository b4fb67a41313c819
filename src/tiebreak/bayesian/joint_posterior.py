"""Joint posterior of the means of several models: which is best, and how the ranks fall."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    DifferenceMoments,
    FloatArray,
    IntArray,
    check_ratio,
    check_score_table,
    corrected_standard_error,
    deviations,
    divide,
    mean_deviations,
    pair_moments,
    student_tails,
)

N_DRAWS = 100_000


@dataclass(frozen=True, slots=True)
class JointPosterior:
    """Summary of the joint posterior for each model; arrays of shape (n_models,).

    Attributes
    ----------
    p_best : ndarray
        Probability that the model's mean is the highest; models without a spread between them share theirs.
    expected_rank : ndarray
        Mean rank under the posterior, 1 is best; models without a spread between them take mid-ranks.
    """

    p_best: FloatArray
    expected_rank: FloatArray


def joint_posterior(
    scores: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    rng: int | np.random.Generator = 0,
    n_draws: int = N_DRAWS,
) -> JointPosterior:
    """Posterior of all models' means at once, the correlated posterior of [CB15]_ for vectors.

    The means follow a multivariate t with n - 1 degrees of freedom, location the sample means, and scale matrix
    (1/n + n_test/n_train) S, S the covariance of the models over splits (divisor n - 1). Each pair's difference then has the
    posterior of `correlated_t_posterior`, so expected ranks are sums of pairwise probabilities, and p_best is exact for two
    models; for more it is drawn.

    Parameters
    ----------
    scores : array_like of shape (n_models, n_splits)
        Higher is better, complete. The result depends on the order of rows within the error of the draws only.
    test_train_ratio : float
        Mean n_test / n_train of the splits.
    rng : int or Generator
        Seed; the same seed gives the same answer.
    n_draws : int
        The standard error of p_best is at most 0.5 / sqrt(n_draws).

    Raises
    ------
    InvalidScoresError, TooFewSplitsError
        Scores that are no complete table of finite numbers, or a single split.

    References
    ----------
    .. [CB15] G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
       Machine Learning 100, 2015, section 3.
    """
    scores = check_score_table(scores)
    ratio = float(check_ratio(test_train_ratio))
    n_models = scores.shape[0]
    first, second = np.triu_indices(n_models, 1)
    moments = pair_moments(scores, first, second)
    second_wins, first_wins = _win_probabilities(moments, ratio)
    tied = np.flatnonzero((moments.kind == IDENTICAL) | (moments.kind == CONSTANT))
    expected_rank = np.ones(n_models)
    expected_rank += np.bincount(first, second_wins, n_models) + np.bincount(second, first_wins, n_models)
    if n_models == 2:
        return JointPosterior(np.array([first_wins[0], second_wins[0]]), expected_rank)
    p_best = _share(_drawn_p_best(scores, ratio, np.random.default_rng(rng), n_draws), first[tied], second[tied])
    return JointPosterior(p_best, expected_rank)


def _win_probabilities(moments: DifferenceMoments, ratio: float) -> tuple[FloatArray, FloatArray]:
    """P(difference < 0) and P(difference > 0) of each pair, one half for a pair without spread."""
    standard_error = corrected_standard_error(moments, ratio)
    below, above = student_tails(divide(-moments.mean, standard_error), moments.df)
    flat = standard_error == 0
    return np.where(flat, 0.5, below), np.where(flat, 0.5, above)


def _drawn_p_best(scores: FloatArray, ratio: float, rng: np.random.Generator, n_draws: int) -> FloatArray:
    n_models, n = scores.shape
    exponent = int(np.frexp(max(scores.max(), -scores.min()))[1])
    means = mean_deviations(scores, exponent)  # what all models share says nothing about which is best
    centred = (block - means[:, None] for block in deviations(scores, exponent))
    # z @ factor has covariance (n - 1) S; with as many models as splits these fit into one block, else a square factor is smaller
    factor = next(centred).T if n <= n_models else _symmetric_root(centred, n_models)
    factor = factor * np.sqrt((1.0 / n + ratio) / (n - 1))
    wins = np.zeros(n_models)
    block = max(1, _BLOCK // n_models)
    half = (n_draws + 1) // 2  # each draw is used with both signs, which halves the work and lowers the error
    for start in range(0, half, block):
        size = min(block, half - start)
        draw = rng.standard_normal((size, factor.shape[0])) @ factor
        draw *= np.sqrt((n - 1) / rng.chisquare(n - 1, size))[:, None]
        wins += np.bincount(np.argmax(means + draw, axis=1), minlength=n_models)
        wins += np.bincount(np.argmax(means - draw, axis=1), minlength=n_models)
    return wins / (2 * half)


def _symmetric_root(centred: Iterable[FloatArray], n_models: int) -> FloatArray:
    """The symmetric square root of centred centred', by QR of one block of splits after the other.

    The triangular factor itself would do, but where models depend on each other rounding decides the signs of its rows, and
    with them which draws are made: the same scores in another unit would move p_best.
    """
    triangular = np.empty((0, n_models))
    for block in centred:
        triangular = np.asarray(np.linalg.qr(np.vstack([triangular, block.T]), mode="r"))
    _, sizes, directions = np.linalg.svd(triangular)
    return np.asarray((directions.T * sizes) @ directions)


def _share(p_best: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Probabilities shared evenly within the groups that the pairs (first, second) tie together."""
    group = np.arange(p_best.size)
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        if group[i] != group[j]:
            group[group == group[j]] = group[i]
    total, size = np.bincount(group, p_best, p_best.size), np.bincount(group, minlength=p_best.size)
    return total[group] / size[group]


_BLOCK = 1_000_000
"""Numbers drawn at a time (8 MB)."""
