"""Means of models that were not measured on the same units, as if all of them had been."""

from collections.abc import Iterator

import numpy as np

from tiebreak.numerics import FloatArray, IntArray


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
    for models, units in _groups(score):
        if units.size == 0:
            continue
        model, unit = _fit(score[np.ix_(models, units)], weights[units])
        result[models] = model + (weights[units] * unit).sum() / weights[units].sum()
    return result


def filled(score: FloatArray) -> FloatArray:
    """Scores with what the additive model of `adjusted_means` expects in the place of missing ones.

    A unit that none of the models linked to a model has stays nan for it.
    """
    if not np.isnan(score).any():
        return score
    result = score.copy()
    for models, units in _groups(score):
        cells = np.ix_(models, units)
        model, unit = _fit(score[cells], np.ones(units.size))
        result[cells] = np.where(np.isnan(score[cells]), model[:, None] + unit, score[cells])
    return result


def _groups(score: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Models and units of each group that shared units link."""
    of_model, of_unit = connected_groups(~np.isnan(score))
    for group in np.unique(of_model).tolist():
        yield np.flatnonzero(of_model == group), np.flatnonzero(of_unit == group)


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
