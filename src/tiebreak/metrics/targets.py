"""True targets of the test rows, prepared once for all models, and answers of a model in the form that formulas take."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError
from tiebreak.numerics import IntArray

Array = np.ndarray[Any, Any]
Codes = np.ndarray[tuple[int], np.dtype[np.intp]]

_NUMBERS = "biuf"


def one_column(answer: Array) -> Array:
    """One value for each row; refuses several columns."""
    if answer.ndim == 1:
        return answer
    if answer.ndim == 2 and answer.shape[1] == 1:
        return answer.ravel()
    raise DataError(f"one value for each row is needed; got an array of shape {answer.shape}.")


@dataclass(eq=False, repr=False)
class Truth:
    """The target of some rows.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,) or None
        Labels of the whole dataset in sorted order, for a classification target with one label for each row; else None.
    code : ndarray of shape (n_rows,)
        Position of each row's label among the classes; empty where there are no labels.
    values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The target itself.
    """

    classes: Array | None
    code: Codes
    values: Array
    _sides: dict[int, tuple[Codes, Codes]] = field(default_factory=dict, init=False)

    def take(self, rows: IntArray) -> Truth:
        """Targets of some rows, in their order."""
        return Truth(self.classes, self.code if self.classes is None else self.code[rows], self.values[rows])

    @property
    def labels(self) -> Array:
        """The classes, by those who need them; refuses a target without."""
        if self.classes is None:
            raise DataError("this needs a target with one class label for each row; the target is no such one.")
        return self.classes

    @cached_property
    def counts(self) -> Codes:
        """Number of rows of each class, 0 for one that only other rows have."""
        return np.bincount(self.code, minlength=self.labels.size)

    def sides(self, position: int) -> tuple[Codes, Codes]:
        """Rows of the class at a position, and those of all others; kept, as several models are scored on the same rows."""
        if position not in self._sides:
            is_own = self.code == position
            self._sides[position] = is_own.nonzero()[0], (~is_own).nonzero()[0]
        return self._sides[position]

    def find(self, labels: Array) -> Codes:
        """Positions of labels among the classes; -1 for one that is none."""
        labels, classes = one_column(labels), self.labels
        kind, own_kind = labels.dtype.kind, classes.dtype.kind
        if (kind in _NUMBERS and own_kind in _NUMBERS) or kind == own_kind == "U":
            code = classes.searchsorted(labels)
            return np.where(classes.take(code, mode="clip") == labels, code, -1)
        position = {label: place for place, label in enumerate(classes.tolist())}
        return np.array([position.get(label, -1) for label in labels.tolist()], dtype=np.intp)


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
        values = values.astype(float, copy=False) if values.ndim == 1 and values.dtype.kind in _NUMBERS else values
        return Truth(None, np.empty(0, dtype=np.intp), values)
    try:
        classes, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise DataError(f"the labels in y cannot be put in order: {error}. Make them all text or all numbers.") from None
    return Truth(classes, code.astype(np.intp, copy=False), values)


class UndefinedScore(Exception):
    """These data do not tell the metric; the text is the reason, such as "only one class in the test rows".

    No error of the caller's: whoever asks for the score writes nan and keeps the reason beside it.
    """


# --- answers --------------------------------------------------------------------------------------------------------------


def class_columns(answer: Array, truth: Truth, method: str) -> Array:
    """The answer with a column for each class of the dataset, in sorted order; a single column is that of the second of two."""
    n_classes = truth.labels.size
    if n_classes <= 2 and (method != "predict_proba" or answer.shape[1:] in ((), (1,))):
        second = numbers(one_column(answer))
        return np.array([1 - second if method == "predict_proba" else -second, second]).T
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
