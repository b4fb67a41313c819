"""What a reader hands on: the scores of one source, and what joining it with others needs to know."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tiebreak.errors import AmbiguousSourceError, ContradictingSizesError, InvalidParameterError
from tiebreak.numerics import IntArray
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Notice, ScoreMatrix, Scores, quoted


@dataclass(frozen=True, slots=True)
class Source:
    """Scores and where they came from.

    Attributes
    ----------
    scores : Scores
    name : str
        How messages call the source: "scores.csv", "the table".
    suffixes : tuple of str
        What tells its models from those of the same name in another source, best first: "last", "runs/last"; empty where
        there is no path.
    repeat_labels, fold_labels : tuple of str or None
        Where the source names its splits in words: the word behind each code.
    """

    scores: Scores
    name: str
    suffixes: tuple[str, ...] = ()
    repeat_labels: tuple[str, ...] | None = None
    fold_labels: tuple[str, ...] | None = None


def assumed_paired(source: str) -> Notice:
    """That models are paired by the order of their scores."""
    return Notice(
        "assumed-paired",
        f"{source} does not name its splits, so models are paired by the order of their scores; if they were not scored on the "
        "same splits in the same order, the answer is wrong",
    )


def approximate_sizes(source: str) -> Notice:
    """That the sizes of the splits are worked out, not counted."""
    return Notice(
        "approximate-sizes",
        f"the sizes of the splits of {source} are worked out from the number of examples, not counted",
    )


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of `read_scores`."""

    metric: str | None = None
    models: tuple[str, ...] | None = None
    dataset: str | None = None
    lower_is_better: bool | None = None
    X: Any = None
    y: Any = None
    groups: Any = None
    n_samples: int | None = None
    n_train: int | None = None
    n_test: int | None = None

    @property
    def has_data(self) -> bool:
        """Whether X or y was given."""
        return self.X is not None or self.y is not None

    @property
    def has_sizes(self) -> bool:
        """Whether both n_train and n_test were given."""
        return self.n_train is not None and self.n_test is not None


def check_request(
    metric: str | None,
    models: Sequence[str] | None,
    dataset: str | None,
    lower_is_better: bool | None,
    X: Any,
    y: Any,
    groups: Any,
    n_samples: int | None,
    n_train: int | None,
    n_test: int | None,
) -> Request:
    """The request, or an error that says which parameter is wrong."""
    for name, text in (("metric", metric), ("dataset", dataset)):
        if text is not None and not isinstance(text, str):
            raise InvalidParameterError(f"{name} must be a name; got {text!r} of type {type(text).__name__}.")
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        raise InvalidParameterError(f"lower_is_better must be True, False or None; got {lower_is_better!r}.")
    n_samples, n_train, n_test = (
        _check_count(value, name) for value, name in ((n_samples, "n_samples"), (n_train, "n_train"), (n_test, "n_test"))
    )
    if n_samples is not None and (n_train or 0) + (n_test or 0) > n_samples:
        given = " + ".join(f"{name}={value}" for name, value in (("n_train", n_train), ("n_test", n_test)) if value)
        raise ContradictingSizesError(
            f"{given} is more than n_samples={n_samples}. n_samples counts all examples, training and test together."
        )
    return Request(metric, _check_models(models), dataset, lower_is_better, X, y, groups, n_samples, n_train, n_test)


def _check_count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    try:
        count = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = None
    if count is None or count < 1:
        raise InvalidParameterError(f"{name} must be a number of examples, a whole number of at least 1; got {value!r}.")
    return count


def _check_models(models: Any) -> tuple[str, ...] | None:
    if models is None:
        return None
    if isinstance(models, str):
        raise InvalidParameterError(f"models must be a list of names; got the single text {models!r}. Write models=[{models!r}].")
    names = tuple(models)
    if not names:
        raise InvalidParameterError("models is empty. Name the models to keep, or leave it out to keep all.")
    doubled = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if doubled is not None:
        raise InvalidParameterError(f"models names {doubled!r} twice. Name each model once.")
    return names


ITEMS_FROM = 50
"""Rows of nothing but 0 and 1 from which a table is asked whether its rows are examples."""

PERCENT_ABOVE = 1.5
"""A share this large can only be a percentage."""


def refuse_items(matrix: ScoreMatrix, request: Request, source: str) -> None:
    """Ask whether rows of 0 and 1 are folds or examples, where nothing says that they are folds.

    Raises
    ------
    AmbiguousSourceError
        They may be examples of one test set, for which resampling statistics would be wrong.
    """
    if matrix.n_splits < ITEMS_FROM or matrix.has_sizes or request.n_train is not None or request.n_test is not None:
        return
    if all(np.all((row == 0) | (row == 1) | np.isnan(row)) for row in matrix.score):
        raise AmbiguousSourceError(
            f"{source} has {matrix.n_splits} rows in which every score is 0 or 1. Are its rows folds, or items (examples of "
            "one test set, right or wrong)? Items need a procedure that compares models example by example, which this "
            "version does not have. If they are folds, add columns n_train and n_test with the numbers of training and test "
            "examples of each fold."
        )


def percent_notices(matrix: ScoreMatrix, metric: Metric) -> Iterator[Notice]:
    """Say where a share is written in percent, by some models or by all."""
    if not metric.is_share:
        return
    largest = [float(np.nanmax(row, initial=-np.inf)) for row in matrix.score]
    percent = [model for model, value in zip(matrix.models, largest, strict=True) if value > PERCENT_ABOVE]
    fractions = [model for model, value in zip(matrix.models, largest, strict=True) if 0 <= value <= 1]
    if percent and fractions:
        yield Notice(
            "percent-or-fraction",
            f"{metric.name} of {quoted(percent)} looks like percent, that of {quoted(fractions)} like a fraction of 1; write "
            "all in one unit",
        )
    elif percent:
        yield Notice(
            "percent-or-fraction",
            f"{metric.name} looks like percent: a rope is then in percentage points, 1 for one point, not 0.01",
        )


Known = Literal["exact", "missing"]


def with_sizes(matrix: ScoreMatrix, request: Request, source: str) -> ScoreMatrix:
    """The matrix with the caller's n_train and n_test where it has none.

    Raises
    ------
    ContradictingSizesError
        The source has sizes, and they are others; or they add up to more than n_samples.
    InvalidParameterError
        One of the two is still missing.
    """
    n_train = _filled(matrix.n_train, request.n_train, "n_train", matrix, source)
    n_test = _filled(matrix.n_test, request.n_test, "n_test", matrix, source)
    known = [bool(np.all(column > 0)) for column in (n_train, n_test)]
    if known[0] != known[1] and (request.n_train is not None or request.n_test is not None):
        there, absent = ("n_train", "n_test") if known[0] else ("n_test", "n_train")
        raise InvalidParameterError(f"{there} is known but {absent} is not, and the correction needs both. Pass {absent}= too.")
    matrix = dataclasses.replace(matrix, n_train=n_train, n_test=n_test)
    _check_total(matrix, request, source)
    return matrix


def _filled(column: IntArray, given: int | None, name: str, matrix: ScoreMatrix, source: str) -> IntArray:
    if given is None:
        return column
    wrong = np.flatnonzero((column > 0) & (column != given))
    if wrong.size:
        raise ContradictingSizesError(
            f"{name}={given} was given, but {source} says {column[wrong[0]]} for {matrix.split_name(int(wrong[0]))}. "
            f"Leave out {name}= to use the sizes of the source."
        )
    return np.full(matrix.n_splits, given, dtype=np.int64)


def _check_total(matrix: ScoreMatrix, request: Request, source: str) -> None:
    if request.n_samples is None:
        return
    total = matrix.n_train + matrix.n_test
    wrong = np.flatnonzero(total > request.n_samples)
    if wrong.size:
        split = int(wrong[0])
        raise ContradictingSizesError(
            f"n_samples={request.n_samples} was given, but {matrix.split_name(split)} of {source} has {matrix.n_train[split]} "
            f"training and {matrix.n_test[split]} test examples. n_samples counts all examples, training and test together."
        )


def known_sizes(matrices: Iterable[ScoreMatrix]) -> Known:
    """Whether all sizes are known."""
    return "exact" if all(matrix.has_sizes for matrix in matrices) else "missing"
