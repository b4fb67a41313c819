"""Metrics of models: from labels, probabilities and scores to numbers and curves.

`confusion_matrix`, `roc_curve`, `precision_recall_curve` and `calibration_curve` take arrays; a `CostMatrix` says what right and
wrong decisions cost. Of an evaluation, ``evaluation.confusion()``, ``.roc()``, ``.precision_recall()`` and ``.calibration()``
give the same for each model and fold. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.lazy_names import lazy_names

if TYPE_CHECKING:
    from tiebreak.metrics.calibration import CalibrationCurve, calibration_curve
    from tiebreak.metrics.confusion import ConfusionMatrix, confusion_matrix, no_information_rate
    from tiebreak.metrics.costs import CostMatrix
    from tiebreak.metrics.precision_recall import PrecisionRecallCurve, precision_recall_curve
    from tiebreak.metrics.roc import RocCurve, RocRegion, roc_curve

_HOMES = {
    "CalibrationCurve": "tiebreak.metrics.calibration",
    "ConfusionMatrix": "tiebreak.metrics.confusion",
    "CostMatrix": "tiebreak.metrics.costs",
    "PrecisionRecallCurve": "tiebreak.metrics.precision_recall",
    "RocCurve": "tiebreak.metrics.roc",
    "RocRegion": "tiebreak.metrics.roc",
    "calibration_curve": "tiebreak.metrics.calibration",
    "confusion_matrix": "tiebreak.metrics.confusion",
    "no_information_rate": "tiebreak.metrics.confusion",
    "precision_recall_curve": "tiebreak.metrics.precision_recall",
    "roc_curve": "tiebreak.metrics.roc",
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

__getattr__, __dir__ = lazy_names(__name__, _HOMES, __all__)
