"""Intervals for the score of one model: four ways, each from its own inputs, each for its own quantity.

An interval of one model is no comparison of two: models measured on the same splits share their luck, so their differences are
known far better than their scores. Use `tb.statistics.corrected_t`, or `tiebreak.compare`, for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, check_probability, floats, plain
from tiebreak.statistics.splits import corrected_t

EXPECTED = "expected score of models trained on further samples of n_train examples"
FITTED = "score of the model that is fitted on all these examples"
OF_FOLDS = "mean score of the k models that were fitted on the training sets of these folds"

WaldVariance = Literal["all-pairs", "within-fold"]


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """A score with an interval; numbers, or arrays of the rows' shape.

    Attributes
    ----------
    estimate, standard_error : ndarray or float
        In the metric's unit.
    low, high : ndarray or float
        Ends of the interval, in the metric's unit, not cut off where the metric ends; nan where the standard error is 0, as no
        spread is no certainty.
    estimand : str
        The quantity that the interval is for.
    """

    estimate: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    estimand: str


@dataclass(frozen=True, slots=True)
class NestedCvInterval(ScoreInterval):
    """A score with the interval of nested cross-validation, and what it is made of.

    Attributes
    ----------
    estimate, standard_error, low, high, estimand
        As of `ScoreInterval`.
    inner_mean, outer_mean : float
        Mean over all inner, and all outer, values.
    bias : float
        Estimated error of `inner_mean`, whose models were trained on fewer examples; `estimate` is ``inner_mean - bias``.
    mean_squared_error : float
        Of the outer mean, rescaled from the inner to all folds; may be negative.
    squared_difference, fold_variance : ndarray of shape (n_repetitions, n_folds)
        ``a`` and ``b`` of the paper: squared difference of the means of an outer fold and of the inner values beside it, and
        variance of the mean of the outer fold.
    least, most : float
        Limits between which the standard error is kept.
    """

    inner_mean: float
    outer_mean: float
    bias: float
    mean_squared_error: float
    squared_difference: FloatArray
    fold_variance: FloatArray
    least: float
    most: float


def corrected_t_interval(scores: ArrayLike, *, test_train_ratio: ArrayLike, level: float = 0.95) -> ScoreInterval:
    """Corrected t interval of the expected score, from the scores of splits.

    It is for models trained on `n_train` examples of a further sample, not for the model at hand. It is narrow for a learner
    whose fits go far apart from sample to sample, as splits of one sample show little of that.

    Parameters
    ----------
    scores : array_like of shape (..., n_splits)
        In the metric's unit, whatever the metric.
    test_train_ratio : array_like, broadcast over the leading axes
        Mean ``n_test / n_train`` of the splits; 1 / (n_folds - 1) for k-fold, repeated or not.
    level : float, default 0.95
        Coverage, between 0 and 1.

    Returns
    -------
    ScoreInterval

    Raises
    ------
    TooFewSplitsError
        Fewer than two splits.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003, section 3.

    Examples
    --------
    >>> result = corrected_t_interval([0.81, 0.84, 0.79, 0.86, 0.80], test_train_ratio=1 / 4)
    >>> print(f"{result.estimate:.3f}, {result.low:.3f} to {result.high:.3f}: {result.estimand}")
    0.820, 0.766 to 0.874: expected score of models trained on further samples of n_train examples
    """
    law = corrected_t(scores, test_train_ratio)  # of the mean itself rather than of a difference
    low, high = law.interval(level)
    return ScoreInterval(law.estimate, np.asarray(law.se), low, high, EXPECTED)


def conservative_z_interval(
    scores: ArrayLike, first_half: ArrayLike, second_half: ArrayLike, *, level: float = 0.95
) -> ScoreInterval:
    """Conservative z interval of the expected score, from splits of the whole data and of pairs of halves.

    The data are split into two halves again and again, and the model is measured on each half by itself, with the same number of
    training examples as on the whole. The halves share no example, so their difference shows the variance of such a mean without
    bias; of the mean over the whole it is an overestimate, and the interval is rather too wide. It costs many fits, and as
    `n_train` is less than half of the data, it is about models trained on few.

    Parameters
    ----------
    scores : array_like of shape (..., n_splits)
        Of splits of all the data, each trained on `n_train` examples, in the metric's unit.
    first_half, second_half : array_like of shape (..., n_pairs)
        Mean score on the one half of the data and on the other, over as many splits each, each trained on `n_train` examples.
    level : float, default 0.95
        Coverage, between 0 and 1.

    Returns
    -------
    ScoreInterval

    Raises
    ------
    InvalidScoresError
        Halves of different shapes, none at all, or values that are nan or infinite.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> result = conservative_z_interval([0.81, 0.84, 0.79], [0.80, 0.84, 0.78], [0.83, 0.79, 0.82])
    >>> print(f"{result.low:.3f} to {result.high:.3f}")
    0.757 to 0.870
    """
    values, one, other = (_finite(part) for part in (scores, first_half, second_half))
    if one.shape != other.shape or one.shape[:-1] != values.shape[:-1]:
        raise InvalidScoresError(
            "first_half and second_half are pairs, each with the leading axes of the scores; got the shapes "
            f"{one.shape} and {other.shape} beside {values.shape}."
        )
    estimate = values.mean(axis=-1)
    difference = one - other
    variance = np.square(difference).mean(axis=-1) / 2  # [NB03]: unbiased at half the data
    return _normal_interval(estimate, np.sqrt(variance), np.abs(values).max(axis=-1), level, EXPECTED)


def nested_cv_interval(
    outer: Sequence[Sequence[ArrayLike]], inner: Sequence[Sequence[ArrayLike]], *, level: float = 0.95
) -> NestedCvInterval:
    """Interval of the score of the fitted model, from nested cross-validation that is repeated many times.

    Each outer fold is left out in turn. A cross-validation of the other folds estimates the score, the fold itself, predicted by
    a model fitted on all the others, shows how far off such an estimate is. "Nested" has nothing to do with choosing a model
    here. The mean of few repetitions varies, and the variance estimate too, which may even be negative; the authors take 200.

    Parameters
    ----------
    outer : nested sequence of shape (n_repetitions, n_folds, n_examples of the fold)
        What each example of the fold, predicted by the model fitted on all other folds, contributes to the score: a loss, or 1 or
        0 for accuracy. The score has to be a mean over examples.
    inner : nested sequence of shape (n_repetitions, n_folds, n_examples outside of the fold)
        The same for each example outside of the fold, each predicted in a cross-validation of these alone.
    level : float, default 0.95
        Coverage, between 0 and 1.

    Returns
    -------
    NestedCvInterval
        The estimate is corrected for the smaller training sets of the inner models, and so is about a model fitted on all
        examples.

    Raises
    ------
    InvalidScoresError
        Fewer than three folds, folds of one example, numbers of folds or repetitions that differ, or values that are nan or
        infinite.

    References
    ----------
    .. [BHT24] S. Bates, T. Hastie, R. Tibshirani. Cross-validation: what does it estimate and how well does it do it? JASA 119,
       2024. The factor of the bias, 1 + (K - 2) / K, is that of the package mlr3inferr, which the article does not print in this
       form.
    """
    level = check_probability(level, "level")
    outer_means, outer_variances, outer_values, n_outer = _by_fold(outer, "outer")
    inner_means, _, inner_values, _ = _by_fold(inner, "inner")
    if outer_means.shape != inner_means.shape:
        raise InvalidScoresError(f"outer has {outer_means.shape} repetitions and folds, inner {inner_means.shape}.")
    n_folds = outer_means.shape[1]
    n_examples = int(n_outer[0].sum())
    a = np.square(inner_means - outer_means)
    b = outer_variances / n_outer
    rescaled = float((a - b).mean()) * (n_folds - 1) / n_folds
    spread = float(inner_values.std(ddof=1))
    least, most = spread / n_examples**0.5, spread * (n_folds / n_examples) ** 0.5
    error = float(np.clip(np.sqrt(max(rescaled, 0.0)), least, most))
    inner_mean, outer_mean = float(inner_values.mean()), float(outer_values.mean())
    bias = (1 + (n_folds - 2) / n_folds) * (inner_mean - outer_mean)
    size = np.asarray(np.abs(inner_values).max())
    interval = _normal_interval(np.asarray(inner_mean - bias), np.asarray(error), size, level, FITTED)
    return NestedCvInterval(
        interval.estimate,
        interval.standard_error,
        interval.low,
        interval.high,
        FITTED,
        inner_mean=inner_mean,
        outer_mean=outer_mean,
        bias=bias,
        mean_squared_error=rescaled,
        squared_difference=a,
        fold_variance=b,
        least=least,
        most=most,
    )


def cv_wald_interval(
    values_by_fold: Sequence[ArrayLike], *, level: float = 0.95, variance: WaldVariance = "all-pairs"
) -> ScoreInterval:
    """Wald interval of a single cross-validation, from the value of each example.

    It takes the values of all examples for independent, which holds for stable learners and many examples, and is for the mean
    score of the very models that were fitted. As an interval of the expected score, or of a comparison, it is too narrow.

    Parameters
    ----------
    values_by_fold : sequence of array_like
        For each fold what each of its examples contributes to the score: a loss, or 1 or 0 for accuracy. Folds need not be of one
        size.
    level : float, default 0.95
        Coverage, between 0 and 1.
    variance : {"all-pairs", "within-fold"}
        Spread of all values around their mean, or the mean over folds of the spread within each.

    Returns
    -------
    ScoreInterval

    Raises
    ------
    InvalidScoresError
        Fewer than two folds, folds of one example with "within-fold", or values that are nan or infinite.

    References
    ----------
    .. [BBJM20] P. Bayle, A. Bayle, L. Janson, L. Mackey. Cross-validation confidence intervals for test error. NeurIPS 33, 2020.

    Examples
    --------
    >>> result = cv_wald_interval([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 1]])
    >>> print(f"{result.estimate:.3f}, {result.low:.3f} to {result.high:.3f}")
    0.833, 0.622 to 1.044
    """
    if variance not in get_args(WaldVariance):
        raise InvalidParameterError(f"variance must be 'all-pairs' or 'within-fold'; got {variance!r}.")
    _, variances, values, n = _by_fold([values_by_fold], "values_by_fold", least=2, smallest=1 if variance == "all-pairs" else 2)
    squared = values.var() if variance == "all-pairs" else variances.mean()
    size = np.asarray(np.abs(values).max())
    return _normal_interval(np.asarray(values.mean()), np.sqrt(np.asarray(squared) / n.sum()), size, level, OF_FOLDS)


# --- parts ------------------------------------------------------------------------------------------------------------------


def _normal_interval(
    estimate: FloatArray, standard_error: FloatArray, size: FloatArray, level: float, estimand: str
) -> ScoreInterval:
    """Normal interval; none where the standard error is rounding noise of scores of that size."""
    from scipy.special import ndtri

    level = check_probability(level, "level")
    error = np.where(standard_error > RELATIVE_TOLERANCE * size, standard_error, 0.0)
    half_width = np.where(error > 0, -ndtri((1 - level) / 2) * error, np.nan)
    return ScoreInterval(
        plain(estimate),
        plain(error),
        plain(np.asarray(estimate - half_width)),
        plain(np.asarray(estimate + half_width)),
        estimand,
    )


def _finite(scores: ArrayLike) -> FloatArray:
    values = floats(scores)
    if values.ndim == 0 or values.shape[-1] == 0 or not np.isfinite(values).all():
        raise InvalidScoresError(f"the scores must be finite numbers, one or more in a row; got the shape {values.shape}.")
    return values


def _by_fold(
    values: Sequence[Sequence[ArrayLike]], name: str, least: int = 3, smallest: int = 2
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean, variance (divisor n - 1) and size of each fold, of shape (n_repetitions, n_folds), and all values in a row."""
    folds = [[np.asarray(fold, dtype=float).ravel() for fold in repetition] for repetition in values]
    numbers = {len(repetition) for repetition in folds}
    if len(numbers) != 1 or min(numbers) < least:
        raise InvalidScoresError(f"{name} must have {least} or more folds in each repetition, and as many in all of them.")
    flat = [fold for repetition in folds for fold in repetition]
    sizes = np.array([fold.size for fold in flat])
    if sizes.min() < smallest:
        raise InvalidScoresError(f"a fold of {name} has {sizes.min()} example(s); {smallest} or more are needed.")
    together = np.concatenate(flat)
    if not np.isfinite(together).all():
        raise InvalidScoresError(f"{name} must be finite numbers.")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    means = np.add.reduceat(together, starts) / sizes
    squares = np.add.reduceat(np.square(together - np.repeat(means, sizes)), starts)
    shape = (len(folds), numbers.pop())
    return means.reshape(shape), (squares / np.maximum(sizes - 1, 1)).reshape(shape), together, sizes.reshape(shape).astype(float)
