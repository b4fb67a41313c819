"""The ROC curve: what share of each class is called positive, for every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.caught import caught_warnings
from tiebreak.metrics.labels import Binary, check_binary
from tiebreak.numerics import FloatArray, IntArray, Interval
from tiebreak.result import Result
from tiebreak.statistics.auc import Areas, roc_areas

if TYPE_CHECKING:
    from tiebreak.metrics.costs import CostMatrix


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RocCurve(Result):
    """The points of a ROC curve, from the highest threshold to the lowest.

    An example is called positive when its score is at least the threshold, so that examples of equal score enter together. The
    first point calls none positive; its threshold is infinite.

    Attributes
    ----------
    positive : label
        The class that the scores are for; all others are negative.
    thresholds, fpr, tpr : ndarray of shape (n_points,)
        Rates are nan where there is no example of that class.
    tp, fp : ndarray of shape (n_points,)
        True and false positives.
    n_positive, n_negative : int
    area : Areas
        Area under the curve, its variance by DeLong, and the pairs that it counts; of one model.
    reason : str
        Why the area is nan; "" where it is not.
    """

    positive: Any
    thresholds: FloatArray
    fpr: FloatArray
    tpr: FloatArray
    tp: IntArray
    fp: IntArray
    n_positive: int
    n_negative: int
    area: Areas
    reason: str = ""

    @property
    def fn(self) -> IntArray:
        """Positive examples that are missed."""
        return self.n_positive - self.tp

    @property
    def tn(self) -> IntArray:
        """Negative examples that are called so."""
        return self.n_negative - self.fp

    @property
    def auc(self) -> float:
        """Share of pairs, a positive and a negative example, that are in the right order; ties count half."""
        return float(self.area.estimate[0])

    def auc_interval(self, level: float = 0.95) -> Interval:
        """Interval of the area by DeLong's variance on the scale of its logit, for other examples and the same fitted model.

        It is the one that ``tiebreak.compare`` shows of kept scores; nan where no area is defined, or examples are counted
        several times.
        """
        low, high = self.area.interval(level)
        return Interval(low[0], high[0])

    def tpr_at(self, fpr: ArrayLike) -> FloatArray:
        """The curve at given false positive rates: its upper end where it is vertical, a straight line between points."""
        return np.asarray(np.interp(np.asarray(fpr, dtype=float), self.fpr, self.tpr))

    def expected_costs(self, costs: CostMatrix) -> FloatArray:
        """Mean cost of an example at each threshold.

        Parameters
        ----------
        costs : CostMatrix
            Of two classes, of which one is `positive`.

        Returns
        -------
        ndarray of shape (n_points,)
            In the unit of the costs.

        Raises
        ------
        InvalidParameterError
            More than two classes, or no costs for `positive`.
        """
        right, miss, alarm, quiet = costs.of_decisions(self.positive)
        total = right * self.tp + miss * self.fn + alarm * self.fp + quiet * self.tn
        return np.asarray(total / (self.n_positive + self.n_negative))


def roc_curve(y_true: ArrayLike, scores: ArrayLike, *, positive: Any = None) -> RocCurve:
    """The ROC curve of scores, with ties entering together.

    Parameters
    ----------
    y_true : array_like of shape (n_examples,)
        Labels; with several classes, all that are not `positive` count as the rest.
    scores : array_like of shape (n_examples,)
        Probabilities of the positive class, decision values, or anything that is higher for it.
    positive : label, optional
        1 if not given, for labels that are 0 and 1, -1 and 1, or False and True.

    Returns
    -------
    RocCurve
        Of examples that are all of one class, rates and area are nan, with the reason.

    Raises
    ------
    TiebreakError
        Lengths that differ, a score that is no finite number, or it is not known which label is positive.

    Examples
    --------
    >>> curve = roc_curve([1, 1, 0, 0, 0, 1, 0, 1, 0, 1], [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
    >>> curve.auc, curve.tp.tolist(), curve.fp.tolist()
    (0.56, [0, 1, 2, 2, 3, 3, 4, 4, 5], [0, 0, 0, 1, 3, 4, 4, 5, 5])
    """
    return curve_of(check_binary(y_true, scores, positive))


def curve_of(data: Binary) -> RocCurve:
    """The curve of examples that were checked."""
    from sklearn.metrics import roc_curve as sklearn_curve

    with caught_warnings():  # of one class only: the reason says it
        fpr, tpr, thresholds = sklearn_curve(data.is_positive, data.scores, pos_label=True, drop_intermediate=False)
    area = roc_areas(data.is_positive, data.scores)
    return RocCurve(
        data.positive,
        thresholds,
        fpr,
        tpr,
        _counts(tpr, area.n_positive),
        _counts(fpr, area.n_negative),
        area.n_positive,
        area.n_negative,
        area,
        data.reason,
    )


def _counts(rates: FloatArray, n: int) -> IntArray:
    """The whole numbers that rates came from."""
    return np.rint(np.nan_to_num(rates) * n).astype(np.int64)
