"""Which display draws which matrix or curve."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from tiebreak.evaluation.calibrations import Calibrations
from tiebreak.evaluation.confusions import Confusions
from tiebreak.evaluation.precision_recalls import PrecisionRecalls
from tiebreak.evaluation.rocs import Rocs
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.metrics.confusion import ConfusionMatrix, Share
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve
from tiebreak.views.plots.base import Display
from tiebreak.views.plots.calibration import CalibrationDisplay
from tiebreak.views.plots.confusion import ConfusionDisplay
from tiebreak.views.plots.precision_recall import PrecisionRecallDisplay
from tiebreak.views.plots.roc import RocDisplay


@singledispatch
def display_of(result: object, **choices: Any) -> Display:
    """The display of a result, not drawn yet."""
    raise TypeError(f"{type(result).__name__} has no display")


display_of.register(ConfusionMatrix)(ConfusionDisplay.from_matrix)
display_of.register(RocCurve)(RocDisplay.from_curve)
display_of.register(Rocs)(RocDisplay.from_rocs)
display_of.register(PrecisionRecallCurve)(PrecisionRecallDisplay.from_curve)
display_of.register(PrecisionRecalls)(PrecisionRecallDisplay.from_curves)
display_of.register(CalibrationCurve)(CalibrationDisplay.from_curve)
display_of.register(Calibrations)(CalibrationDisplay.from_curves)


@display_of.register(Confusions)
def _of_one(confusions: Confusions, *, model: str, by: Share = "actual") -> Display:
    return ConfusionDisplay.from_matrix(confusions[model], by=by, model=model)
