"""Labels that callers give as arrays: checked, collected, and turned into positions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.labels import Array, Codes
from tiebreak.scores.names import quoted


def label_column(values: ArrayLike, name: str) -> Array:
    """Labels of examples as an array of one dimension, at least one; refuses nan and None.

    Parameters
    ----------
    values : array_like
    name : str
        Of the argument, for messages.
    """
    column = np.asarray(values)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.ravel()
    if column.ndim != 1 or not column.size:
        got = "none" if column.ndim == 1 else f"an array of shape {column.shape}"
        raise InvalidParameterError(f"{name} must hold one label for each example; got {got}.")
    missing = np.isnan(column) if column.dtype.kind == "f" else np.array([_is_missing(each) for each in column.tolist()])
    if np.any(missing):
        raise InvalidParameterError(
            f"{name}[{int(np.argmax(missing))}] is missing ({column[np.argmax(missing)]!s}). Leave out examples without a label."
        )
    return column


def labels_in(*columns: Array) -> tuple[Any, ...]:
    """All labels that occur, sorted, as Python's own values."""
    found = {label for column in columns for label in _distinct(column)[0]}
    try:
        return tuple(sorted(found))
    except TypeError:
        kinds = sorted({type(label).__name__ for label in found})
        raise InvalidParameterError(
            f"labels of the types {quoted(kinds)} cannot be put in order. Make them all text or all numbers."
        ) from None


def check_labels(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels as they are given, as Python's own values: at least one, all different, none missing."""
    plain = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    doubled = [label for place, label in enumerate(plain) if label in plain[:place]]
    if doubled:
        raise InvalidParameterError(f"the label {doubled[0]!r} stands twice in labels.")
    if not plain or any(_is_missing(label) for label in plain):
        raise InvalidParameterError(f"labels must name at least one class, and none may be nan or None; got {list(plain)}.")
    return plain


def encode(column: Array, labels: tuple[Any, ...], name: str) -> Codes:
    """Positions of labels; refuses one that is not there."""
    distinct, inverse = _distinct(column)
    place = {label: position for position, label in enumerate(labels)}
    unknown = [label for label in distinct if label not in place]
    if unknown:
        raise InvalidParameterError(
            f"{name} holds {unknown[0]!r}, which is not among the labels {quoted(labels)}. Add it to labels, or leave those "
            "examples out."
        )
    return np.array([place[label] for label in distinct], dtype=np.intp)[inverse]


def _distinct(column: Array) -> tuple[list[Any], Codes]:
    """The different labels, and for each example which of them it has."""
    if column.dtype.kind != "O":
        distinct, inverse = np.unique(column, return_inverse=True)
        return distinct.tolist(), inverse
    place: dict[Any, int] = {}  # labels of mixed types cannot be sorted
    inverse = np.array([place.setdefault(label, len(place)) for label in column.tolist()], dtype=np.intp)
    return list(place), inverse


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))
