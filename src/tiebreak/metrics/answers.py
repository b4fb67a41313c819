"""Answers of a model in the form that formulas take: one value for each row, or one column for each class."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from tiebreak.errors import InvalidOutputsError
from tiebreak.metrics.targets import Array, Truth, UndefinedScore, one_column


def check_length(answer: Array, truth: Truth, method: str) -> Array:
    """The answer, if it has as many rows as there are."""
    if answer.ndim == 0 or answer.shape[0] != truth.n_rows:
        got = "a single value" if answer.ndim == 0 else f"{answer.shape[0]} rows"
        raise InvalidOutputsError(
            f"{method} returned {got} for {truth.n_rows} test rows. It has to return one for each row, in their order."
        )
    return answer


def values_of_rows(answer: Array, truth: Truth, method: str) -> Array:
    """An answer with one value for each row."""
    if answer.shape == truth.values.shape and answer.ndim == 1:
        return answer
    return one_column(check_length(answer, truth, method))


def positive_column(answer: Array, truth: Truth, model_classes: Array | None, position: int) -> Array:
    """Probability, for each row, of that of two classes at `position`; 0 throughout where the model lacks it.

    A single column is the probability of the second class, unless the model knows one class only.
    """
    if answer.ndim == 1 or (answer.shape[1:] == (1,) and _has_all_classes(truth, model_classes)):
        second = numbers(values_of_rows(answer, truth, "predict_proba"))
        return second if position == 1 else 1 - second
    return class_columns(answer, truth, model_classes, "predict_proba")[:, position]


def class_columns(answer: Array, truth: Truth, model_classes: Array | None, method: str) -> Array:
    """A column for each class of the dataset, in sorted order; 0 throughout where the model lacks the class."""
    answer = numbers(check_length(answer, truth, method))
    classes = truth.known_labels.classes
    n_columns = classes.size if model_classes is None else len(model_classes)
    if answer.ndim != 2 or answer.shape[1] != n_columns:
        raise InvalidOutputsError(
            f"{method} returned an array of shape {answer.shape}; a column for each of the {n_columns} classes is needed."
        )
    if _has_all_classes(truth, model_classes):
        return answer
    place = truth.encode(np.asarray(model_classes))
    if np.count_nonzero(place < 0):
        strange = np.asarray(model_classes)[place < 0].tolist()
        raise InvalidOutputsError(f"the model has the class {strange[0]!r}, which is not among the labels of y.")
    placed = np.zeros((truth.n_rows, classes.size), dtype=answer.dtype)
    placed[:, place] = answer
    return placed


def numbers(answer: Array) -> Array:
    """An array of integers or of floats in single or double precision; anything else becomes double."""
    if answer.dtype.char in "dflqihb":
        return answer
    try:
        return answer.astype(float)
    except (TypeError, ValueError):
        raise InvalidOutputsError(f"numbers are needed; the model returned {answer.reshape(-1)[:1].tolist()[0]!r}.") from None


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


def _has_all_classes(truth: Truth, model_classes: Array | None) -> bool:
    """True if the model's classes are the dataset's, in the same order; taken for granted where the model names none."""
    classes = truth.known_labels.classes
    if model_classes is None or model_classes is classes:
        return True
    return len(model_classes) == classes.size and not np.count_nonzero(model_classes != classes)
