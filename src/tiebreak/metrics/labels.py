"""Labels and scores as callers give them in arrays: checked, listed and numbered, for matrices and curves."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.metrics.targets import Array, Codes
from tiebreak.numerics import FloatArray, floats, is_missing, label_column, positive_label
from tiebreak.scores.vocabulary import look_up, quoted


def labels_in(*columns: Array) -> tuple[Any, ...]:
    """All labels that occur, sorted, as Python's own values."""
    found = {label for column in columns for label in column.tolist()}
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
    if not plain or any(is_missing(label) for label in plain):
        raise InvalidParameterError(f"labels must name at least one class, and none may be nan or None; got {list(plain)}.")
    return plain


def encode(column: Array, labels: tuple[Any, ...], name: str) -> Codes:
    """Positions of labels; refuses one that is not there."""
    place = {label: position for position, label in enumerate(labels)}
    codes = np.array([place.get(label, -1) for label in column.tolist()], dtype=np.intp)
    if codes.min() < 0:
        raise InvalidParameterError(
            f"{name} holds {column.tolist()[codes.argmin()]!r}, which is not among the labels {quoted(labels)}. Add it to "
            "labels, or leave those examples out."
        )
    return codes


class Binary(NamedTuple):
    """Examples of one class, the positive one, and of the rest, with a finite score for each."""

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
    """Labels and finite scores of the same examples; all labels that are not `positive` count as one class.

    None as the positive label is 1, for labels that are 0 and 1, -1 and 1, or False and True. Messages call the scores `name`.
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
    own = positive_label(labels)
    if own is not None:
        return own
    if len(labels) > 2:
        raise InvalidParameterError(
            f"there are {len(labels)} classes: {quoted(labels)}. Name one, positive={labels[-1]!r}, for a curve of that class "
            "against the rest."
        )
    raise InvalidParameterError(
        f"which of the labels {quoted(labels)} is the positive one? Say positive={labels[-1]!r}, for one."
    )


def _numbers(scores: ArrayLike, name: str) -> FloatArray:
    values = floats(scores, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1:
        advice = f", such as the column of the positive class: {name}[:, 1]" if values.ndim == 2 else ""
        raise DataError(f"{name} has the shape {values.shape}; one number for each example is needed{advice}.")
    if not np.all(np.isfinite(values)):
        row = int(np.argmin(np.isfinite(values)))
        what = "nan" if np.isnan(values[row]) else "infinite"
        raise DataError(f"{name}[{row}] is {what}; such an example has no place in the order. Leave it out, or mend it.")
    return values
