"""Costs and probabilities as callers give them: checked, with what is wrong said by label and row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.label_arrays import check_labels
from tiebreak.numerics import FloatArray
from tiebreak.scores.names import quoted

_SUM_TOLERANCE = 1e-5
"""How far probabilities of an example, in single precision perhaps, may be from summing to 1."""


def check_probabilities(probabilities: ArrayLike, n_classes: int) -> FloatArray:
    """A row of probabilities for each example; refuses what is none.

    Parameters
    ----------
    probabilities : array_like of shape (n_examples, n_classes)
    n_classes : int
    """
    try:
        p = np.asarray(probabilities, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"probabilities must be numbers in rows of equal length; {error}.") from None
    if p.ndim != 2 or p.shape[1] != n_classes:
        raise InvalidParameterError(
            f"probabilities has the shape {p.shape}; a row for each example and a column for each of the {n_classes} classes are "
            "needed, as predict_proba gives them."
        )
    outside = ~((p >= 0) & (p <= 1))  # nan too
    if np.any(outside):
        row, column = np.argwhere(outside)[0].tolist()
        raise InvalidParameterError(f"probabilities[{row}, {column}] is {p[row, column]:g}; probabilities lie between 0 and 1.")
    off = np.abs(p.sum(axis=1) - 1) > _SUM_TOLERANCE
    if np.any(off):
        row = int(off.argmax())
        raise InvalidParameterError(f"probabilities[{row}] sums to {p[row].sum():g}; the probabilities of an example sum to 1.")
    return p


def costs_of_mapping(costs: Mapping[Any, Any], labels: Sequence[Any] | None) -> tuple[tuple[Any, ...], FloatArray]:
    """Labels and costs of ``{actual: {predicted: cost}}``; no `labels` go with it."""
    if labels is not None:
        raise InvalidParameterError("labels= goes with an array; in {actual: {predicted: cost}} the keys are the labels.")
    known = check_labels(costs)
    for actual, row in costs.items():
        if not isinstance(row, Mapping):
            raise InvalidParameterError(f"the costs of {actual!r} must be {{predicted: cost}}; got {row!r}.")
        unknown = [label for label in row if label not in known]
        missing = [label for label in known if label not in row]
        if unknown:
            raise InvalidParameterError(
                f"the costs of {actual!r} name {unknown[0]!r}, which has no row of its own; the rows are {quoted(known)}."
            )
        if missing:
            raise InvalidParameterError(
                f"the costs of {actual!r} lack {missing[0]!r}. Say what it costs to take one for the other, for each pair."
            )
    return known, _checked([[costs[actual][predicted] for predicted in known] for actual in known], known)


def costs_of_array(costs: ArrayLike, labels: Sequence[Any] | None) -> tuple[tuple[Any, ...], FloatArray]:
    """Labels and costs of a square array; 0, 1, ... are the labels where none are given."""
    try:
        shape = np.shape(costs)
    except ValueError:
        raise InvalidParameterError("a cost matrix is square; the rows of this one have different lengths.") from None
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InvalidParameterError(
            f"a cost matrix is square, with a row and a column for each class; got an array of shape {shape}."
        )
    known: tuple[Any, ...] = tuple(range(shape[0])) if labels is None else check_labels(labels)
    if len(known) != shape[0]:
        raise InvalidParameterError(f"the costs have {shape[0]} rows, and labels names {len(known)} classes: {quoted(known)}.")
    return known, _checked(costs, known)


def _checked(costs: Any, labels: tuple[Any, ...]) -> FloatArray:
    """Finite numbers."""
    try:
        table = np.array(costs, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"costs must be numbers; {error}.") from None
    if not np.all(np.isfinite(table)):
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        raise InvalidParameterError(
            f"the cost of taking {labels[row]!r} for {labels[column]!r} is {table[row, column]:g}. Costs are finite numbers; a "
            "gain is negative."
        )
    return table
