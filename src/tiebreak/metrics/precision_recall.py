"""The precision-recall curve: how clean and how complete the positive calls are, for every threshold."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.metrics.labels import Binary, check_binary
from tiebreak.numerics import FloatArray
from tiebreak.result import Result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionRecallCurve(Result):
    """The points of a precision-recall curve, from the highest threshold to the lowest.

    Between two points the curve is a step, not a straight line, which no threshold would reach.

    Attributes
    ----------
    positive : label
    thresholds, precision, recall : ndarray of shape (n_points,)
        Empty for examples of one class only.
    average_precision : float
        Mean of the precision over the positive examples, each at its own score: the area under the steps.
    n_positive, n_negative : int
    reason : str
        Why there is no curve; "" where there is one.
    """

    positive: Any
    thresholds: FloatArray
    precision: FloatArray
    recall: FloatArray
    average_precision: float
    n_positive: int
    n_negative: int
    reason: str = ""

    @property
    def prevalence(self) -> float:
        """Share of positive examples, which is the precision of calling everything positive."""
        return self.n_positive / (self.n_positive + self.n_negative)


def precision_recall_curve(y_true: ArrayLike, scores: ArrayLike, *, positive: Any = None) -> PrecisionRecallCurve:
    """The precision-recall curve of scores, with ties entering together.

    The parameters are those of `roc_curve`.

    Examples
    --------
    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall.tolist(), round(curve.average_precision, 4)
    ([0.5, 0.5, 1.0, 1.0], 0.8333)
    """
    return curve_of(check_binary(y_true, scores, positive))


def curve_of(data: Binary) -> PrecisionRecallCurve:
    """The curve of examples that were checked."""
    n_positive = int(np.count_nonzero(data.is_positive))
    n_negative = data.is_positive.size - n_positive
    if data.reason:
        nothing = np.empty(0)
        return PrecisionRecallCurve(data.positive, nothing, nothing, nothing, math.nan, n_positive, n_negative, data.reason)
    from sklearn.metrics import average_precision_score
    from sklearn.metrics import precision_recall_curve as sklearn_curve

    precision, recall, thresholds = sklearn_curve(data.is_positive, data.scores, pos_label=True)
    area = float(average_precision_score(data.is_positive, data.scores))
    # scikit-learn ends with a point of recall 0 and precision 1 that no threshold gives
    return PrecisionRecallCurve(data.positive, thresholds[::-1], precision[-2::-1], recall[-2::-1], area, n_positive, n_negative)
