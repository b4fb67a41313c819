"""Points and notes that curves have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.views.json import document, plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH
from tiebreak.views.words import (
    cut_notes,
    decimals_for,
    format_interval,
    format_percent,
    format_score,
    printable,
    seconds,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.metric import Metric
    from tiebreak.studies.curves import CurvePoints


def columns_frame(columns: dict[str, Any]) -> pd.DataFrame:
    """Columns as a frame."""
    import pandas as pd

    return pd.DataFrame(columns)


def curve_document(kind: str, columns: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Facts about a curve, and its points as records; what is undefined is None."""
    points = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return document(**{key: plain(value) for key, value in {"kind": kind, **facts, "points": points}.items()})


def point_columns(points: CurvePoints) -> dict[str, Any]:
    """The numbers of all points, those of the first model first."""
    return {
        "test_mean": points.test_mean.ravel(),
        "test_low": points.test_low.ravel(),
        "test_high": points.test_high.ravel(),
        "train_mean": points.train_mean.ravel(),
        "train_low": points.train_low.ravel(),
        "train_high": points.train_high.ravel(),
        "n_splits": points.n_splits.ravel(),
        "fit_seconds": points.fit_seconds.ravel(),
    }


def point_decimals(points: CurvePoints) -> int:
    """Decimals that show two digits of a typical half-width; four where there is none."""
    widths = (points.test_high - points.test_low)[np.isfinite(points.test_high - points.test_low)]
    return decimals_for(float(np.median(widths)) / 4) if widths.size else 4


def point_cells(points: CurvePoints, model: int, place: int, decimals: int, n_splits: int) -> tuple[str, ...]:
    """Cells of a point: test mean and interval, training mean, splits, time of a fit."""
    at = (model, place)
    n = int(points.n_splits[at])
    return (
        format_score(float(points.test_mean[at]), decimals),
        format_interval(float(points.test_low[at]), float(points.test_high[at]), decimals),
        format_score(float(points.train_mean[at]), decimals),
        str(n) if n == n_splits else f"{n} of {n_splits}",
        seconds(float(points.fit_seconds[at])),
    )


def point_headers(alpha: float) -> tuple[str, ...]:
    """Over `point_cells`."""
    return ("test", f"{format_percent(1 - alpha)} interval", "train", "splits", "fit")


def names_in_table(models: Sequence[str]) -> list[str]:
    """Short names, all different."""
    return short_names(list(models), NAME_WIDTH)


def lost_notes(evaluation: Evaluation) -> list[str]:
    """Number of failed cells and of undefined scores, with the most frequent reason."""
    notes = []
    if evaluation.n_failed:
        group = evaluation.failure_groups()[0]
        notes.append(
            f"{evaluation.n_failed} of {evaluation.n_cells} cells failed, most often with: {_ended(group.message)} See "
            "evaluation.failures. Means are over the splits that are left."
        )
    undefined = evaluation.undefined
    if len(undefined):
        first = undefined.iloc[0]
        notes.append(
            f"{int(undefined['n_cells'].sum())} scores are undefined, most often as {_ended(str(first['reason']))} See "
            "evaluation.undefined. Means are over the splits that are left."
        )
    return notes


def _ended(text: str) -> str:
    """A message as a sentence within a text."""
    return f"{printable(text).rstrip('.')}."


def interval_notes(points: CurvePoints, metric: Metric, alpha: float) -> list[str]:
    """Meaning of the intervals, and whether some are cut off where the metric ends."""
    ends = (*points.test_low.ravel().tolist(), *points.test_high.ravel().tolist())
    meaning = (
        f"Intervals are corrected {format_percent(1 - alpha)} t intervals of the mean over splits (Nadeau and Bengio 2003), by "
        "n_test / n_train of the whole training sets; those of two models say little about their difference."
    )
    return [meaning, *cut_notes(ends, metric.bounds_of(np.nan, np.nan), printable(metric.name))]
