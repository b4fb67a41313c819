"""Means of models that were not measured on the same units, as if all of them had been."""

from __future__ import annotations

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
    deviation = np.where(present, score - centre, 0.0)
    cells = present * weights
    of_model, of_unit = cells.sum(axis=1), cells.sum(axis=0)
    model_sum, unit_sum = (deviation * weights).sum(axis=1), (deviation * weights).sum(axis=0)
    if score.shape[0] <= score.shape[1]:  # the normal equations of the smaller side
        shared = cells / of_unit
        model = _solve(np.diag(of_model) - shared @ cells.T, model_sum - shared @ unit_sum)
        unit = (unit_sum - cells.T @ model) / of_unit
    else:
        shared = cells.T / of_model
        unit = _solve(np.diag(of_unit) - shared @ cells, unit_sum - shared @ model_sum)
        model = (model_sum - cells @ unit) / of_model
    return np.asarray(centre + model), unit


def _solve(normal: FloatArray, right: FloatArray) -> FloatArray:
    """Solution whose first value is 0, as the sum of model and unit leaves a constant open."""
    solution = np.zeros(right.size)
    if right.size > 1:
        solution[1:] = np.linalg.solve(normal[1:, 1:], right[1:])
    return solution


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
    n_models, n_units = present.shape
    model, unit = np.full(n_models, -1), np.full(n_units, -1)
    for group in range(n_models):
        if (model >= 0).all():
            break
        reached = np.zeros(n_models, dtype=bool)
        reached[np.flatnonzero(model < 0)[0]] = True
        n_reached = 0
        while np.count_nonzero(reached) > n_reached:
            n_reached = int(np.count_nonzero(reached))
            linked = present[reached].any(axis=0)
            reached |= present[:, linked].any(axis=1)
        model[reached], unit[linked] = group, group
    return model, unit
