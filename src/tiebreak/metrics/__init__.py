"""Metrics of models: from labels, probabilities and scores to numbers and curves.

`confusion_matrix`, `roc_curve`, `precision_recall_curve` and `calibration_curve` take arrays; a `CostMatrix` says what right and
wrong decisions cost. Of an evaluation, ``evaluation.confusion()``, ``.roc()``, ``.precision_recall()`` and ``.calibration()``
give the same for each model and fold. Names are loaded when they are first used.
"""

from tiebreak.lazy_names import lazy_names

_HOMES = {
    "tiebreak.metrics.confusion": "Averages ConfusionMatrix confusion_matrix",
    "tiebreak.metrics.curves": "CalibrationCurve PrecisionRecallCurve RocCurve calibration_curve precision_recall_curve "
    "roc_curve",
}
"""Public names by the module that they stand in, as in the stub beside."""

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
