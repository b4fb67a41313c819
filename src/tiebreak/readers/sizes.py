"""Numbers of training and test examples that the caller gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

import numpy as np

from tiebreak.errors import ContradictingSizesError, InvalidParameterError
from tiebreak.numerics import IntArray
from tiebreak.readers.request import Request
from tiebreak.scores.scores import ScoreMatrix

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
