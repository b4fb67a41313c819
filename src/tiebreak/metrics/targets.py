"""True targets of the test rows, prepared once for all models that are scored on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidOutputsError, InvalidParameterError, InvalidPlanError, InvalidScoresError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.scores import look_up, quoted

Array = np.ndarray[Any, Any]
Codes = np.ndarray[tuple[int], np.dtype[np.intp]]

_NUMBERS = "biuf"


class Labels:
    """Distinct labels in sorted order, made once for each dataset.

    `one` is the position of the label that equals 1 (or True), which scikit-learn takes for the positive class in precision,
    recall, F1 and average precision; None where there is no such label.
    """

    __slots__ = ("_is_range", "_position", "classes", "one")

    def __init__(self, classes: Array) -> None:
        labels = classes.tolist()
        self.classes = classes
        self.one: int | None = labels.index(1) if 1 in labels else None
        self._is_range = classes.dtype.kind in "biu" and labels == list(range(len(labels)))
        self._position = {label: position for position, label in enumerate(labels)}

    def find(self, labels: Array) -> tuple[Codes, Array | None]:
        """Positions among the classes, -1 for a label that is none, and which labels are none; None where all are known."""
        if labels.ndim != 1:
            labels = one_column(labels)
        kind, own_kind = labels.dtype.kind, self.classes.dtype.kind
        if self._is_range and kind in "biu":
            code: Codes = labels.astype(np.intp, copy=False)
            strange = code.view(np.uintp) >= self.classes.size  # without a sign, negative ones are huge
        elif (kind in _NUMBERS and own_kind in _NUMBERS) or kind == own_kind == "U":
            code = self.classes.searchsorted(labels)
            strange = self.classes.take(code, mode="clip") != labels
        else:
            position = self._position
            code = np.array([position.get(label, -1) for label in labels.tolist()], dtype=np.intp)
            strange = code < 0
        if not np.count_nonzero(strange):
            return code, None
        return np.where(strange, -1, code), strange


def one_column(answer: Array) -> Array:
    """A column as the one-dimensional array that it is; refuses several columns."""
    if answer.ndim == 2 and answer.shape[1] == 1:
        return answer.ravel()
    raise InvalidOutputsError(f"one value for each row is needed; got an array of shape {answer.shape}.")


class Truth:
    """The target of some rows. What metrics need of it is computed when first asked for, and kept.

    Attributes
    ----------
    labels : Labels or None
        Of the whole dataset for a classification target with one label for each row, else None.
    classes : ndarray of shape (n_classes,) or None
        Those labels in sorted order.
    code : ndarray of shape (n_rows,) or None
        Position of each row's label among the classes.
    values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The target itself.
    n_rows : int
    """

    __slots__ = ("_counts", "_is_second", "_sides", "_spread", "classes", "code", "labels", "n_rows", "values")

    def __init__(self, labels: Labels | None, code: Codes | None, values: Array) -> None:
        self.labels = labels
        self.classes: Array | None = None if labels is None else labels.classes
        self.code = code
        self.values = values
        self.n_rows: int = values.shape[0]
        self._counts: Codes | None = None
        self._is_second: Array | None = None
        self._sides: tuple[int, Codes, Codes] | None = None
        self._spread: Any = None

    def take(self, rows: IntArray) -> Truth:
        """The same of some rows, in their order."""
        return Truth(self.labels, None if self.code is None else self.code[rows], self.values[rows])

    def encode(self, labels: ArrayLike) -> Codes:
        """Positions of any labels among the classes, -1 for a label that is none of them."""
        return self.known_labels.find(np.asarray(labels))[0]

    @property
    def known_labels(self) -> Labels:
        """The labels, by those who need them; refuses a target without."""
        if self.labels is None:
            raise InvalidPlanError("this needs a target with one class label for each row; the target is no such one.")
        return self.labels

    @property
    def known_code(self) -> Codes:
        """The codes, by those who have seen that there are labels."""
        assert self.code is not None  # noqa: S101 - it is there whenever labels is
        return self.code

    # --- computed once ------------------------------------------------------------------------------------------------------

    @property
    def counts(self) -> Codes:
        """Number of rows of each class, 0 for one that only other rows have."""
        if self._counts is None:
            self._counts = np.bincount(self.known_code, minlength=self.known_labels.classes.size)
        return self._counts

    @property
    def is_second(self) -> Array:
        """Boolean for each row: True for the second class."""
        if self._is_second is None:
            self._is_second = self.known_code == 1
        return self._is_second

    def sides(self, position: int) -> tuple[Codes, Codes]:
        """Row numbers of a class, and of all others; those of the class asked for last are kept."""
        if self._sides is None or self._sides[0] != position:
            is_in = self.known_code == position
            self._sides = position, is_in.nonzero()[0], (~is_in).nonzero()[0]
        return self._sides[1], self._sides[2]

    @property
    def spread(self) -> FloatArray:
        """Sum of squared distances from the mean, of each output; a scalar for one."""
        if self._spread is None:
            y = np.asarray(self.values, dtype=float)
            deviation = y - np.add.reduce(y) / self.n_rows
            self._spread = np.add.reduce(deviation * deviation)
        return self._spread  # type: ignore[no-any-return]


def make_truth(y: ArrayLike, *, classifier: bool) -> Truth:
    """The target of a dataset, encoded once; `Truth.take` gives that of a split.

    The values are labels of classes for a `classifier`. A target with several columns (several labels or outputs for each row)
    is kept as it is.
    """
    values = np.asarray(y)
    if values.ndim == 0:
        raise InvalidPlanError(f"y must hold one value for each row; got {y!r}.")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim > 1 or not classifier:
        is_one_number_each = values.ndim == 1 and values.dtype.kind in _NUMBERS
        return Truth(None, None, values.astype(float, copy=False) if is_one_number_each else values)
    try:
        classes, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InvalidPlanError(f"the labels in y cannot be put in order: {error}. Make them all text or all numbers.") from None
    return Truth(Labels(classes), code.astype(np.intp, copy=False), values)


def label_column(values: ArrayLike, name: str) -> Array:
    """Labels of examples as an array of one dimension, at least one; refuses nan and None. Messages call it `name`."""
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


class UndefinedScore(Exception):
    """These data do not tell the metric; the text is the reason, such as "only one class in the test rows".

    No error of the caller's: whoever asks for the score writes nan and keeps the reason beside it.
    """
