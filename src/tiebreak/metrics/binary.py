"""One class against the rest: labels and scores as callers give them, checked once for all curves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.metrics.label_arrays import label_column, labels_in
from tiebreak.numerics import FloatArray
from tiebreak.scores.names import look_up, quoted


class Binary(NamedTuple):
    """Examples of one class and of the rest, with a score for each.

    Attributes
    ----------
    is_positive : ndarray of bool
    scores : ndarray
        Finite.
    positive : label
    """

    is_positive: NDArray[np.bool_]
    scores: FloatArray
    positive: Any

    @property
    def reason(self) -> str:
        """Why nothing can be told of them; "" where it can."""
        if not self.is_positive.any():
            return f"there is no example of the positive class {self.positive!r}"
        return f"all examples are of the positive class {self.positive!r}" if self.is_positive.all() else ""


def check_binary(y_true: ArrayLike, scores: ArrayLike, positive: Any, *, name: str = "scores") -> Binary:
    """Labels and scores of the same examples.

    Parameters
    ----------
    y_true : array_like of shape (n_examples,)
        Labels; all that are not `positive` count as one class.
    scores : array_like of shape (n_examples,)
    positive : label or None
        None is 1, for labels that are 0 and 1, -1 and 1, or False and True.
    name : str
        Of the scores, for messages.

    Raises
    ------
    InvalidParameterError
        Lengths that differ, no examples, or it is not known which label is positive.
    UnknownNameError
        No example has the label `positive`, though there are several others.
    InvalidScoresError
        A score that is no finite number.
    """
    labels = label_column(y_true, "y_true")
    values = _numbers(scores, name)
    if values.shape != labels.shape:
        raise InvalidParameterError(
            f"y_true has {labels.size} labels, and {name} the shape {values.shape}; one of each is needed per example."
        )
    chosen = find_positive(labels_in(labels), positive)
    return Binary(np.array([label == chosen for label in labels.tolist()], dtype=bool), values, chosen)


def find_positive(labels: tuple[Any, ...], positive: Any) -> Any:
    """The positive one of some labels, which its name tells or the caller."""
    if positive is not None:
        if len(labels) > 1 and positive not in labels:
            look_up(positive, labels, "class")
        return positive
    if set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
        return next((label for label in labels if label == 1), 1)
    if len(labels) > 2:
        raise InvalidParameterError(
            f"there are {len(labels)} classes: {quoted(labels)}. Name one, positive={labels[-1]!r}, for a curve of that class "
            "against the rest."
        )
    raise InvalidParameterError(
        f"which of the labels {quoted(labels)} is the positive one? Say positive={labels[-1]!r}, for one."
    )


def _numbers(scores: ArrayLike, name: str) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidScoresError(f"{name} must be one number for each example; {error}.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim == 2:
        raise InvalidScoresError(
            f"{name} has the shape {values.shape}; one number for each example is needed, such as the column of the positive "
            f"class: {name}[:, 1]."
        )
    if not np.all(np.isfinite(values)):
        row = int(np.argmin(np.isfinite(values)))
        what = "nan" if np.isnan(values[row]) else "infinite"
        raise InvalidScoresError(f"{name}[{row}] is {what}; such an example has no place in the order. Leave it out, or mend it.")
    return values
