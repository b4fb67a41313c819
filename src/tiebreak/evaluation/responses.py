"""What a model says of the test rows: asked once, in the order of the known classes, whatever it is scored by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.metrics.scorers import Scorer, Truth
from tiebreak.plan.models import is_function

Array = np.ndarray[Any, Any]


def methods_for(model: Any, scorers: Sequence[Scorer]) -> tuple[str, ...]:
    """The methods that a model is asked by: for each scorer the first of those it can use that the model has."""
    wanted: dict[str, None] = {}
    for scorer in scorers:
        method = next((name for name in scorer.needs if hasattr(model, name)), None)
        if method is not None:
            wanted[method] = None
    if not wanted and not is_function(model):
        wanted = dict.fromkeys(name for name in ("predict",) if hasattr(model, name))
    return tuple(wanted)


def ask(model: Any, methods: Sequence[str], X: Any, truth: Truth) -> dict[str, Array]:
    """The model's answers by method, one row for each row of X; columns in the order of the classes.

    Raises
    ------
    InvalidPlanError
        An answer of another length.
    """
    outputs: dict[str, Array] = {}
    for method in methods:
        answer = np.asarray(getattr(model, method)(X))
        _check_length(answer, truth, method)
        outputs[method] = answer if method == "predict" else _in_class_order(answer, model, truth)
    return outputs


def ask_function(answer: Any, truth: Truth) -> dict[str, Array]:
    """What a function returned: predictions, or for classes a table of probabilities, a column for each."""
    if isinstance(answer, tuple):
        raise InvalidPlanError("the function returned a tuple; predictions for the test rows are needed, one for each.")
    predictions = np.asarray(answer.to_numpy() if hasattr(answer, "to_numpy") else answer)
    _check_length(predictions, truth, "the function")
    if truth.classes is not None and predictions.ndim == 2 and predictions.shape[1] == len(truth.classes):
        return {"predict_proba": predictions, "predict": truth.classes[np.argmax(predictions, axis=1)]}
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions.ravel()
    return {"predict": predictions}


def as_stored(outputs: Mapping[str, Array], truth: Truth) -> dict[str, Array]:
    """The answers as plain numbers: labels by their position among the classes, -1 for one that is no class."""
    stored = {}
    for method, answer in outputs.items():
        if method == "predict" and truth.classes is not None:
            answer = truth.encode(answer).astype(np.int32)
        if answer.dtype.kind in "biuf":
            stored[method] = answer
    return stored


def as_answered(stored: Mapping[str, Array], classes: Array | None) -> dict[str, Array]:
    """The answers of a model out of what was stored: labels again instead of positions."""
    answers = dict(stored)
    if classes is not None and "predict" in answers:
        position = answers["predict"]
        labels = classes[np.maximum(position, 0)]
        if np.any(position < 0):
            labels = labels.astype(object)
            labels[position < 0] = None
        answers["predict"] = labels
    return answers


def _check_length(answer: Array, truth: Truth, source: str) -> None:
    if answer.ndim == 0 or answer.shape[0] != len(truth.values):
        got = "a single value" if answer.ndim == 0 else f"{answer.shape[0]} predictions"
        raise InvalidPlanError(f"{source} gave {got} for {len(truth.values)} test rows; one for each is needed.")


def _in_class_order(answer: Array, model: Any, truth: Truth) -> Array:
    """Columns, or the sign of a decision, as if the model had the classes in sorted order; a class it lacks gets 0."""
    own = getattr(model, "classes_", None)
    if truth.classes is None or not isinstance(own, np.ndarray) or own.ndim != 1 or _are_equal(own, truth.classes):
        return answer
    place = truth.encode(own)
    if np.any(place < 0) or answer.ndim > 2:
        return answer
    if answer.ndim == 1:
        return -answer if own.size == 2 and place[0] > place[1] else answer
    ordered = np.zeros((answer.shape[0], len(truth.classes)), dtype=answer.dtype)
    if answer.shape[1] != own.size:
        return answer
    ordered[:, place] = answer
    return ordered


def _are_equal(one: Array, other: Array) -> bool:
    """As `numpy.array_equal` has it, which takes as long as a short metric."""
    return one.shape == other.shape and (one is other or (one == other).tolist() == [True] * one.size)
