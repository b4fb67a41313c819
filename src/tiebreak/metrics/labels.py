"""The labels of a classification target, and where given labels stand among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiebreak.errors import InvalidOutputsError

Array = np.ndarray[Any, Any]
Codes = np.ndarray[tuple[int], np.dtype[np.intp]]

_NUMBERS = "biuf"


class Labels:
    """Distinct labels in sorted order, made once for each dataset.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    one : int or None
        Position of the label that equals 1 (or True), which scikit-learn takes for the positive class in precision,
        recall, F1 and average precision; None where there is no such label.
    """

    __slots__ = ("_is_range", "_position", "classes", "one")

    def __init__(self, classes: Array) -> None:
        labels = classes.tolist()
        self.classes = classes
        self.one: int | None = labels.index(1) if 1 in labels else None
        self._is_range = classes.dtype.kind in "biu" and labels == list(range(len(labels)))
        self._position = {label: position for position, label in enumerate(labels)}

    def encode(self, labels: Array) -> Codes:
        """Positions among the classes, -1 for a label that is none of them."""
        return self.find(labels)[0]

    def find(self, labels: Array) -> tuple[Codes, Array | None]:
        """Positions among the classes, and which of the labels are none of them: -1 there.

        Parameters
        ----------
        labels : ndarray of shape (m,) or (m, 1)

        Returns
        -------
        ndarray of shape (m,)
        ndarray of bool, of shape (m,), or None
            None where all labels are known.
        """
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
    """A column as the one-dimensional array that it is.

    Raises
    ------
    InvalidOutputsError
        There are several columns.
    """
    if answer.ndim == 2 and answer.shape[1] == 1:
        return answer.ravel()
    raise InvalidOutputsError(f"one value for each row is needed; got an array of shape {answer.shape}.")
