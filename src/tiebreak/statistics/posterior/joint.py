"""Joint posterior of the means of several models: which is best, and how the ranks fall."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    FloatArray,
    IntArray,
    blocks,
    check_array,
    check_count,
    check_sizes,
    deviations,
    generator_of,
    law_of_pairs,
    mean_deviations,
)
from tiebreak.statistics.splits import corrected_law

N_DRAWS = 100_000


def joint_posterior(
    scores: ArrayLike,
    *,
    test_train_ratio: ArrayLike,
    rng: int | np.random.Generator = 0,
    n_draws: int = N_DRAWS,
) -> FloatArray:
    """Probability of each model to have the highest mean, by the posterior of all means at once: that of [CB15]_ for vectors.

    The means follow a multivariate t with n - 1 degrees of freedom, location the sample means, and scale matrix
    (1/n + n_test/n_train) S, S the covariance of the models over splits (divisor n - 1). Each pair's difference then has the
    posterior of `tb.statistics.corrected_t`, so that the probability is exact for two models; for more it is drawn.

    Parameters
    ----------
    scores : array_like of shape (n_models, n_splits)
        Higher is better, complete. The result depends on the order of rows within the error of the draws only.
    test_train_ratio : float
        Mean n_test / n_train of the splits.
    rng : int or Generator
        Seed; the same seed gives the same answer.
    n_draws : int
        The standard error is at most 0.5 / sqrt(n_draws).

    Returns
    -------
    ndarray of shape (n_models,)
        Models without a spread between them share theirs.

    Raises
    ------
    DataError
        Scores that are no complete table of finite numbers, or a single split.

    References
    ----------
    .. [CB15] G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
       Machine Learning 100, 2015, section 3.
    """
    scores = check_array(scores, "the scores", "n_models, n_splits", (1, 2))
    ratio = float(check_sizes(test_train_ratio))
    first, second = np.triu_indices(scores.shape[0], 1)
    law = corrected_law(law_of_pairs(scores, first, second), ratio)
    below, above = (np.asarray(law.tail(upper=upper)) for upper in (False, True))
    is_tied = (law.kind == IDENTICAL) | (law.kind == CONSTANT)
    draws = joint_draws(scores, ratio, generator_of(rng, np.random.PCG64), check_count(n_draws, "n_draws"))
    return combine_pairs(scores.shape[0], first, second, below, above, is_tied, draws)


def combine_pairs(
    n_models: int,
    first: IntArray,
    second: IntArray,
    below: FloatArray,
    above: FloatArray,
    is_tied: NDArray[np.bool_],
    draws: Iterable[FloatArray] | None,
) -> FloatArray:
    """Probability of each model to be the best, from the posterior of every pair, and from joint draws.

    Parameters
    ----------
    n_models : int
    first, second : ndarray of shape (n_pairs,)
        All pairs.
    below, above : ndarray of shape (n_pairs,)
        Probabilities of a difference below and above 0.
    is_tied : ndarray of bool, shape (n_pairs,)
        Pairs without a spread: each of the two wins half of the time, and they share their p_best.
    draws : iterable of ndarray of shape (n_draws, n_models), or None
        Blocks of draws of the means, higher is better, which three models or more need.
    """
    if n_models == 2:
        return np.where(is_tied[0], 0.5, np.array([above[0], below[0]]))
    wins = np.zeros(n_models)
    for block in draws or ():
        wins += np.bincount(np.argmax(block, axis=1), minlength=n_models)
    group = np.arange(n_models)  # models that are tied share theirs
    for i, j in zip(first[is_tied].tolist(), second[is_tied].tolist(), strict=True):
        group[group == group[j]] = group[i]
    total, size = np.bincount(group, wins / wins.sum(), n_models), np.bincount(group, minlength=n_models)
    return np.asarray(total[group] / size[group])


def joint_draws(scores: FloatArray, ratio: float, rng: np.random.Generator, n_draws: int) -> Iterator[FloatArray]:
    """Draws of the means of `joint_posterior`, each with both signs of its noise, in blocks of shape (n_draws, n_models).

    What all models share is left out, and the unit is a power of two of theirs: neither says anything about which is best.
    """
    n_models, n = scores.shape
    exponent = int(np.frexp(max(scores.max(), -scores.min()))[1])
    means = mean_deviations(scores, exponent)
    centred = (block - means[:, None] for block in deviations(scores, exponent))
    # z @ factor has covariance (n - 1) S; with as many models as splits these fit into one block, else a square factor is smaller
    if n <= n_models:
        factor = next(centred).T
    else:
        # The symmetric root of centred centred', by QR of block after block. The triangular factor itself would do, but where
        # models depend on each other rounding decides the signs of its rows: the same scores in another unit would move all.
        triangular = np.empty((0, n_models))
        for block in centred:
            triangular = np.asarray(np.linalg.qr(np.vstack([triangular, block.T]), mode="r"))
        _, sizes, directions = np.linalg.svd(triangular)
        factor = (directions.T * sizes) @ directions
    factor = factor * np.sqrt((1.0 / n + ratio) / (n - 1))
    # each draw is used with both signs, which halves the work and lowers the error
    for rows in blocks((n_draws + 1) // 2, n_models, most=_BLOCK):
        size = rows.stop - rows.start
        draw = rng.standard_normal((size, factor.shape[0])) @ factor
        draw *= np.sqrt((n - 1) / rng.chisquare(n - 1, size))[:, None]
        yield means + draw
        yield means - draw


_BLOCK = 1_000_000
"""Numbers drawn at a time (8 MB)."""
