"""Metrics of models: from labels, probabilities and scores to numbers and curves.

`confusion_matrix`, `roc_curve`, `precision_recall_curve` and `calibration_curve` take arrays; a `CostMatrix` says what right and
wrong decisions cost. Of an evaluation, ``evaluation.confusion()``, ``.roc()``, ``.precision_recall()`` and ``.calibration()``
give the same for each model and fold. Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.metrics.calibration import CalibrationCurve, calibration_curve
    from tiebreak.metrics.confusion import ConfusionMatrix, confusion_matrix, no_information_rate
    from tiebreak.metrics.costs import CostMatrix
    from tiebreak.metrics.precision_recall import PrecisionRecallCurve, precision_recall_curve
    from tiebreak.metrics.roc import RocCurve, RocRegion, roc_curve

_HOMES = {
    "CalibrationCurve": "calibration",
    "ConfusionMatrix": "confusion",
    "CostMatrix": "costs",
    "PrecisionRecallCurve": "precision_recall",
    "RocCurve": "roc",
    "RocRegion": "roc",
    "calibration_curve": "calibration",
    "confusion_matrix": "confusion",
    "no_information_rate": "confusion",
    "precision_recall_curve": "precision_recall",
    "roc_curve": "roc",
}

__all__ = [
    "CalibrationCurve",
    "ConfusionMatrix",
    "CostMatrix",
    "PrecisionRecallCurve",
    "RocCurve",
    "RocRegion",
    "calibration_curve",
    "confusion_matrix",
    "no_information_rate",
    "precision_recall_curve",
    "roc_curve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.metrics' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.metrics.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
