"""True targets of the test rows, prepared once for all models, and answers of a model in the form that formulas take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError
from tiebreak.numerics import IntArray

Array = np.ndarray[Any, Any]
Codes = np.ndarray[tuple[int], np.dtype[np.intp]]

_NUMBERS = "biuf"


class Labels:
    """Distinct labels in sorted order, made once for each dataset.

    `one` is the position of the label that equals 1 (or True), which scikit-learn takes for the positive class in precision,
    recall, F1 and average precision; None where there is no such label.
    """

    def __init__(self, classes: Array) -> None:
        labels = classes.tolist()
        self.classes = classes
        self.one: int | None = labels.index(1) if 1 in labels else None
        self._is_range = classes.dtype.kind in "biu" and labels == list(range(len(labels)))
        self._position = {label: position for position, label in enumerate(labels)}

    def find(self, labels: Array) -> tuple[Codes, Array | None]:
        """Positions among the classes, -1 for a label that is none, and which labels are none; None where all are known."""
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
    """One value for each row; refuses several columns."""
    if answer.ndim == 1:
        return answer
    if answer.ndim == 2 and answer.shape[1] == 1:
        return answer.ravel()
    raise DataError(f"one value for each row is needed; got an array of shape {answer.shape}.")


@dataclass(eq=False, repr=False)
class Truth:
    """The target of some rows. What metrics need of it is computed when first asked for, and kept.

    Attributes
    ----------
    labels : Labels or None
        Of the whole dataset for a classification target with one label for each row, else None.
    classes : ndarray of shape (n_classes,) or None
        Those labels in sorted order.
    code : ndarray of shape (n_rows,)
        Position of each row's label among the classes; empty where there are no labels.
    values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The target itself.
    n_rows : int
    """

    labels: Labels | None
    classes: Array | None
    code: Codes
    values: Array
    n_rows: int
    _sides: tuple[int, Codes, Codes] | None = None

    def take(self, rows: IntArray) -> Truth:
        """Targets of some rows, in their order."""
        values = self.values[rows]
        return Truth(self.labels, self.classes, self.code if self.labels is None else self.code[rows], values, values.shape[0])

    @property
    def known_labels(self) -> Labels:
        """The labels, by those who need them; refuses a target without."""
        if self.labels is None:
            raise DataError("this needs a target with one class label for each row; the target is no such one.")
        return self.labels

    # --- computed once ------------------------------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> Codes:
        """Number of rows of each class, 0 for one that only other rows have."""
        return np.bincount(self.code, minlength=self.known_labels.classes.size)

    @cached_property
    def is_second(self) -> Array:
        """Boolean for each row: True for the second class."""
        return np.asarray(self.code == 1)

    def sides(self, position: int) -> tuple[Codes, Codes]:
        """Row numbers of a class, and of all others; those of the class asked for last are kept."""
        if self._sides is None or self._sides[0] != position:
            is_in = self.code == position
            self._sides = position, is_in.nonzero()[0], (~is_in).nonzero()[0]
        return self._sides[1], self._sides[2]

    @cached_property
    def spread(self) -> Any:
        """Sum of squared distances from the mean, of each output; a scalar for one."""
        y = np.asarray(self.values, dtype=float)
        deviation = y - np.add.reduce(y) / self.n_rows
        return np.add.reduce(deviation * deviation)


def make_truth(y: ArrayLike, *, classifier: bool) -> Truth:
    """The target of a dataset, encoded once; `Truth.take` gives that of a split.

    The values are labels of classes for a `classifier`. A target with several columns (several labels or outputs for each row)
    is kept as it is.
    """
    values = np.asarray(y)
    if values.ndim == 0:
        raise DataError(f"y must hold one value for each row; got {y!r}.")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim > 1 or not classifier:
        is_one_number_each = values.ndim == 1 and values.dtype.kind in _NUMBERS
        values = values.astype(float, copy=False) if is_one_number_each else values
        return Truth(None, None, np.empty(0, dtype=np.intp), values, values.shape[0])
    try:
        classes, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise DataError(f"the labels in y cannot be put in order: {error}. Make them all text or all numbers.") from None
    return Truth(Labels(classes), classes, code.astype(np.intp, copy=False), values, values.size)


class UndefinedScore(Exception):
    """These data do not tell the metric; the text is the reason, such as "only one class in the test rows".

    No error of the caller's: whoever asks for the score writes nan and keeps the reason beside it.
    """


# --- answers --------------------------------------------------------------------------------------------------------------


def positive_column(answer: Array, truth: Truth, position: int) -> Array:
    """Probability, for each row, of that of two classes at `position`; a single column is that of the second class."""
    if answer.ndim == 1 or answer.shape[1:] == (1,):
        second = numbers(one_column(answer))
        return second if position == 1 else 1 - second
    return class_columns(answer, truth, "predict_proba")[:, position]


def class_columns(answer: Array, truth: Truth, method: str) -> Array:
    """The answer, which has a column for each class of the dataset, in sorted order."""
    n_classes = truth.known_labels.classes.size
    if answer.shape[1:] != (n_classes,):
        raise DataError(
            f"{method} returned an array of shape {answer.shape}; a column for each of the {n_classes} classes is needed."
        )
    return numbers(answer)


def numbers(answer: Array) -> Array:
    """An array of integers or of floats in single or double precision; anything else becomes double."""
    if answer.dtype.char in "dflqihb":
        return answer
    try:
        return answer.astype(float)
    except (TypeError, ValueError):
        raise DataError(f"numbers are needed; the model returned {answer.reshape(-1)[:1].tolist()[0]!r}.") from None


def raise_for_unusable(answer: Array, method: str) -> None:
    """Say what is wrong with an answer that holds nan or an infinite number; return if it holds none."""
    if np.isnan(answer).any():
        raise UndefinedScore(f"nan in {method}")
    if np.isinf(answer).any():
        raise UndefinedScore(f"an infinite number in {method}")


def raise_for_overflow(answer: Array, truth: Truth, method: str) -> NoReturn:
    """Say why a sum over the rows is not finite."""
    raise_for_unusable(answer, method)
    raise_for_unusable(np.asarray(truth.values, dtype=float), "the target")
    raise UndefinedScore("the errors are too large for a float")
