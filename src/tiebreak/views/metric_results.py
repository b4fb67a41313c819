"""Confusion matrices and curves in words: the same sentences and tables for a terminal and a notebook, and plain numbers."""

from __future__ import annotations

import dataclasses
from functools import singledispatch
from html import escape
from typing import Any

from tiebreak.evaluation.calibrations import Calibrations
from tiebreak.evaluation.confusions import Confusions
from tiebreak.evaluation.precision_recalls import PrecisionRecalls
from tiebreak.evaluation.rocs import RocDifference, Rocs
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve
from tiebreak.views import class_curves, confusion
from tiebreak.views.json import plain
from tiebreak.views.page import Table, wrap

Part = str | Table
"""A sentence, or a table with its title."""


@singledispatch
def parts_of(result: object) -> list[Part]:
    """What is shown of a result, in order."""
    raise TypeError(f"{type(result).__name__} has no view")


parts_of.register(ConfusionMatrix)(confusion.matrix_parts)
parts_of.register(Confusions)(confusion.model_parts)
parts_of.register(RocCurve)(class_curves.roc_parts)
parts_of.register(PrecisionRecallCurve)(class_curves.precision_recall_parts)
parts_of.register(CalibrationCurve)(class_curves.calibration_parts)
parts_of.register(Rocs)(class_curves.rocs_parts)
parts_of.register(RocDifference)(class_curves.difference_parts)
parts_of.register(PrecisionRecalls)(class_curves.precision_recalls_parts)
parts_of.register(Calibrations)(class_curves.calibrations_parts)


def result_text(result: Any) -> str:
    """Sentences and tables, 100 columns wide where names allow."""
    return "\n\n".join(wrap(part) if isinstance(part, str) else part.as_text() for part in parts_of(result))


def result_html(result: Any) -> str:
    """The same as a piece of HTML without script."""
    pieces = (f"<p>{escape(part)}</p>" if isinstance(part, str) else part.as_html() for part in parts_of(result))
    return f'<div class="tiebreak">{"".join(pieces)}</div>'


def result_dict(result: Any) -> dict[str, Any]:
    """All fields as plain lists, texts and numbers; of a matrix also what can be read off it. nan and infinite are None."""
    if isinstance(result, ConfusionMatrix):
        return dict(plain(confusion.matrix_numbers(result)))
    if isinstance(result, Confusions):
        models = {name: confusion.matrix_numbers(result[name]) for name in result}
        return dict(plain({"dataset": result.dataset, "n_splits": result.n_splits, "models": models}))
    return dict(plain({field.name: getattr(result, field.name) for field in dataclasses.fields(result)}))
