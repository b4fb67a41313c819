"""What scores look like, as far as it should be asked about or said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiebreak.errors import AmbiguousSourceError
from tiebreak.readers.request import Request
from tiebreak.scores.metric import Metric
from tiebreak.scores.names import quoted
from tiebreak.scores.notice import Notice
from tiebreak.scores.scores import ScoreMatrix

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
