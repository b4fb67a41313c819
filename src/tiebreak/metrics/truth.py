"""What the test rows really are, prepared once for all models that are scored on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidPlanError
from tiebreak.metrics.labels import Array, Codes, Labels
from tiebreak.numerics import FloatArray, IntArray


class Truth:
    """The target of some rows. What metrics need of it is computed when first asked for, and kept.

    Attributes
    ----------
    labels : Labels or None
        Of the whole dataset for a classification target with one label for each row, else None.
    code : ndarray of shape (n_rows,) or None
        Position of each row's label among the classes.
    values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The target itself.
    n_rows : int
    """

    __slots__ = ("_counts", "_is_second", "_sides", "_spread", "code", "labels", "n_rows", "values")

    def __init__(self, labels: Labels | None, code: Codes | None, values: Array) -> None:
        self.labels = labels
        self.code = code
        self.values = values
        self.n_rows: int = values.shape[0]
        self._counts: Codes | None = None
        self._is_second: Array | None = None
        self._sides: tuple[int, Codes, Codes] | None = None
        self._spread: Any = None

    @property
    def classes(self) -> Array | None:
        """Sorted distinct labels of the whole dataset; None for regression, several labels or several outputs a row."""
        return None if self.labels is None else self.labels.classes

    def take(self, rows: IntArray) -> Truth:
        """The same of some rows, in their order."""
        return Truth(self.labels, None if self.code is None else self.code[rows], self.values[rows])

    def encode(self, labels: ArrayLike) -> Codes:
        """Positions of any labels among the classes, -1 for a label that is none of them."""
        return self.known_labels.encode(np.asarray(labels))

    @property
    def known_labels(self) -> Labels:
        """The labels, by those who need them.

        Raises
        ------
        InvalidPlanError
            The target has none.
        """
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
        """Whether a row is of the second class."""
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

    Parameters
    ----------
    y : array_like of shape (n_samples,) or (n_samples, n_outputs)
    classifier : bool
        Whether the values are labels of classes. A target with several columns (several labels or outputs for each row)
        is kept as it is.

    Raises
    ------
    InvalidPlanError
        No sequence, or labels that cannot be put in order.
    """
    values = np.asarray(y)
    if values.ndim == 0:
        raise InvalidPlanError(f"y must hold one value for each row; got {y!r}.")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim > 1 or not classifier:
        return Truth(None, None, values.astype(float, copy=False) if _is_one_number_each(values) else values)
    try:
        classes, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InvalidPlanError(f"the labels in y cannot be put in order: {error}. Make them all text or all numbers.") from None
    return Truth(Labels(classes), code.astype(np.intp, copy=False), values)


def _is_one_number_each(values: Array) -> bool:
    return values.ndim == 1 and values.dtype.kind in "biuf"
