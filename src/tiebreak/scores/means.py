"""Means of models over splits and their paired differences, of tables with gaps, and of several datasets."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tiebreak.numerics import (
    SPREAD,
    FloatArray,
    IntArray,
    Law,
    blocks,
    joined,
    law_of_masked_pairs,
    law_of_pairs,
    law_of_rows,
    mean_present,
)
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, quoted


def pair_differences(
    matrix: ScoreMatrix, metric: Metric, ratio: FloatArray, first: IntArray, second: IntArray
) -> tuple[Law, FloatArray | float]:
    """Law of the mean difference of pairs, and mean n_test / n_train over the splits of each: one number, or one for each pair.

    Positive favours the first, whatever the direction of the metric. Complete tables take one matrix product, others a masked
    path.
    There are at least two splits. `ratio` is n_test / n_train of each split, zeros for an uncorrected test; `first` and `second`
    are rows of the matrix, of shape (n_pairs,) or (): a single pair is computed by itself.
    """
    if np.ndim(first) == 0:
        one, two = matrix.score[first], matrix.score[second]
        shared = ~(np.isnan(one) | np.isnan(two))
        law = law_of_rows((one - two)[shared], np.maximum(np.abs(one), np.abs(two))[shared].max(initial=0.0))
        pair_ratio: FloatArray | float = float(ratio[shared].mean()) if shared.any() else 0.0
    elif matrix.is_complete:
        law = law_of_pairs(matrix.score, first, second)
        pair_ratio = float(ratio.mean())
    else:
        law = law_of_masked_pairs(matrix.score, first, second)
        there = (~np.isnan(matrix.score)).astype(float)
        at = np.minimum(first, second), np.maximum(first, second)  # the product rounds [i, j] and [j, i] apart
        pair_ratio = np.asarray(((there * ratio) @ there.T)[at] / np.maximum(law.n_units, 1))
    if not metric.higher_is_better:
        law = replace(law, estimate=0.0 - law.estimate)  # 0 - x, so that no difference becomes -0.0
    return law, pair_ratio


def law_of_models(matrix: ScoreMatrix) -> Law:
    """Law of the mean of each model over its own splits, taken as independent, in the metric's unit and direction."""
    # by part, so that a large table is not copied whole
    return joined([law_of_rows(matrix.score[rows], omit_missing=True) for rows in blocks(len(matrix.models), matrix.n_splits)])


def mean_ratio(score: FloatArray, ratio: FloatArray) -> FloatArray:
    """Mean of the ``n_test / n_train`` of splits over those of each row that have a score; 0 where none has."""
    return np.nan_to_num(mean_present(np.where(np.isnan(score), np.nan, ratio), axis=-1))


def model_correlation(score: FloatArray) -> FloatArray:
    """Correlation of the models' scores over the splits or items that each two share, of shape (n_models, n_models).

    nan where a model's scores do not vary on them, or fewer than two splits are shared.
    """
    import pandas as pd

    known = np.where(law_of_rows(score, omit_missing=True).kind[:, None] == SPREAD, score, np.nan)
    return np.asarray(pd.DataFrame(known.T).corr(min_periods=2))


# --- of models that lack units ------------------------------------------------------------------------------------------------


def adjusted_means(score: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Means over all units from the additive model "score = model + unit", fitted by least squares to the scores that are there.

    A model that lacks hard units has too high a mean by itself; here each unit counts for all. The adjusted mean of a model with
    all scores is its mean.

    Parameters
    ----------
    score : ndarray of shape (n_models, n_units)
        nan where a model has no score; every model has one at least.
    weights : ndarray of shape (n_units,), optional
        Not negative; all the same if not given. Units of weight 0 do not count.

    Returns
    -------
    ndarray of shape (n_models,)
        In the metric's unit. Where models fall into groups that share no unit, each group by itself, over its own units: means of
        two groups then cannot be compared. nan for a model without a score on units that count.

    References
    ----------
    .. [S87] S. Searle. Linear Models for Unbalanced Data. Wiley, 1987, chapter 4: two factors without interaction.
    """
    weights = np.ones(score.shape[1]) if weights is None else weights
    score, weights = score[:, weights > 0], weights[weights > 0]
    result = np.full(score.shape[0], np.nan)
    for models, units, model, unit in _effects(score, weights):
        result[models] = model + (weights[units] * unit).sum() / weights[units].sum()
    return result


def filled(score: FloatArray) -> FloatArray:
    """Scores with what the additive model of `adjusted_means` expects in the place of missing ones.

    A unit that none of the models linked to a model has stays nan for it.
    """
    if not np.isnan(score).any():
        return score
    result = score.copy()
    for models, units, model, unit in _effects(score, np.ones(score.shape[1])):
        cells = np.ix_(models, units)
        result[cells] = np.where(np.isnan(score[cells]), model[:, None] + unit, score[cells])
    return result


def _effects(score: FloatArray, weights: FloatArray) -> Iterator[tuple[IntArray, IntArray, FloatArray, FloatArray]]:
    """Models and units of each group that shared units link, and their effects; no group without units."""
    of_model, of_unit = connected_groups(~np.isnan(score))
    for group in np.unique(of_unit[of_unit >= 0]).tolist():
        models, units = np.flatnonzero(of_model == group), np.flatnonzero(of_unit == group)
        yield models, units, *_fit(score[np.ix_(models, units)], weights[units])


def _fit(score: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Model and unit effects, whose sums are the expected scores, where every two models are linked by shared units."""
    present = ~np.isnan(score)
    centre = score[present].mean()
    cells, values = present * weights, np.where(present, score - centre, 0.0) * weights
    is_turned = score.shape[0] > score.shape[1]  # the normal equations of the smaller side
    if is_turned:
        cells, values = cells.T, values.T
    of_row, of_column = cells.sum(axis=1), cells.sum(axis=0)
    shared = cells / of_column
    normal, right = np.diag(of_row) - shared @ cells.T, values.sum(axis=1) - shared @ values.sum(axis=0)
    row = np.zeros(right.size)  # the first is 0, as the sum of model and unit leaves a constant open
    row[1:] = np.linalg.solve(normal[1:, 1:], right[1:])
    column = (values.sum(axis=0) - cells.T @ row) / of_column
    model, unit = (column, row) if is_turned else (row, column)
    return centre + model, unit


def connected_groups(present: np.ndarray) -> tuple[IntArray, IntArray]:
    """Group of each model and of each unit: two models are in one group where a chain of shared units links them.

    Parameters
    ----------
    present : ndarray of bool, shape (n_models, n_units)

    Returns
    -------
    tuple of ndarray of int, shapes (n_models,) and (n_units,)
        A unit that no model has is in a group of its own, -1.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_models, n_units = present.shape
    model, unit = np.nonzero(present)
    links = coo_array((np.ones(model.size), (model, n_models + unit)), shape=(n_models + n_units,) * 2)
    group = np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)  # numbered as models come
    return group[:n_models], np.where(present.any(axis=0), group[n_models:], -1)


# --- over datasets -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def dataset_means(scores: Scores) -> Scores:
    """Models by datasets as one table, each cell the mean of a model over the splits of one dataset; nan where it has none.

    Means of mixed metrics are turned so that higher is better, each in its own unit. Where models of a dataset lack some splits,
    the mean is over the splits that all of them have, so that it compares like with like; a model that lacks all of these has no
    mean.
    """
    models, datasets = scores.models, scores.datasets
    row_of = {name: row for row, name in enumerate(models)}
    means = np.full((len(models), len(datasets)), np.nan)
    uneven: list[str] = []
    empty: list[str] = []
    for column, matrix in enumerate(scores.matrices):
        present = ~np.isnan(matrix.score)
        shared = present[present.any(axis=1)].all(axis=0) & present.any()
        if not shared.all():
            (uneven if shared.any() else empty).append(matrix.dataset)
        if shared.any():
            sign = scores.metric_of(matrix).sign if scores.is_mixed else 1
            means[[row_of[name] for name in matrix.models], column] = sign * matrix.score[:, shared].mean(axis=1)
    nothing = np.zeros(len(datasets), dtype=np.int64)
    table = ScoreMatrix("", models, nothing, np.arange(len(datasets)), nothing, nothing, means, datasets)
    return Scores(scores.metric, (table,), SplitDesign(), (*scores.notices, *_notices(datasets, uneven, empty)))


def _notices(datasets: Sequence[str], uneven: Sequence[str], empty: Sequence[str]) -> Iterator[Notice]:
    """Remarks on datasets that look like one, on those where not all models have all splits, and where no split has all."""
    alike: dict[str, list[str]] = {}
    for name in datasets:
        alike.setdefault("".join(name.split()).casefold(), []).append(name)
    doubled = next((names for names in alike.values() if len(names) > 1), None)
    if doubled is not None:
        yield Notice("copied-units", f"the datasets {quoted(doubled)} differ by case or blanks only: are they one?")
    if uneven:
        yield Notice(
            "missing-splits",
            f"on {quoted(uneven)} not every model has every split; the means are over the splits that all models there have",
        )
    if empty:
        yield Notice("missing-splits", f"{quoted(empty)} tells nothing, as no split there has a score of each of its models")
