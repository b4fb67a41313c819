"""Curves of the scores of one class against the rest: ROC, precision-recall and calibration."""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.metrics.confusion import labels_in
from tiebreak.metrics.costs import CostMatrix
from tiebreak.numerics import (
    FloatArray,
    IntArray,
    Interval,
    check_choice,
    check_count,
    check_probability,
    divide,
    floats,
    label_column,
    positive_label,
)
from tiebreak.result import Result
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.auc import Areas, roc_areas
from tiebreak.statistics.rates import proportion_interval

Strategy = Literal["quantile", "uniform"]


class Binary(NamedTuple):
    """Examples of one class, the positive one, and of the rest, with a finite score for each."""

    is_positive: NDArray[np.bool_]
    scores: FloatArray
    positive: Any

    @property
    def reason(self) -> str:
        """Why nothing can be told of them; "" where it can."""
        if not self.is_positive.any():
            return f"there is no example of the positive class {self.positive!r}"
        return f"all examples are of the positive class {self.positive!r}" if self.is_positive.all() else ""

    def steps(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Different scores, the highest first, and the positive and negative examples with at least that score."""
        negated, place = np.unique(-self.scores, return_inverse=True)
        n_positive, n_negative = (np.bincount(place[of], minlength=negated.size) for of in (self.is_positive, ~self.is_positive))
        return -negated, np.cumsum(n_positive), np.cumsum(n_negative)


def check_binary(y_true: ArrayLike, scores: ArrayLike, positive: Any, *, name: str = "scores") -> Binary:
    """Labels and finite scores of the same examples; all labels that are not `positive` count as one class.

    None as the positive label is 1, for labels that are 0 and 1, -1 and 1, or False and True. Messages call the scores `name`.
    """
    labels = label_column(y_true, "y_true")
    values = floats(scores, name)
    values = values.ravel() if values.shape[1:] == (1,) else values
    if values.shape != labels.shape:
        raise DataError(
            f"{name} has the shape {values.shape}, and y_true {labels.size} labels; one number for each example is needed, such "
            f"as the column of the positive class: {name}[:, 1]."
        )
    if not np.all(np.isfinite(values)):
        row = int(np.argmin(np.isfinite(values)))
        what = "nan" if np.isnan(values[row]) else "infinite"
        raise DataError(f"{name}[{row}] is {what}; such an example has no place in the order. Leave it out, or mend it.")
    chosen = find_positive(labels_in(labels), positive)
    return Binary(np.array([label == chosen for label in labels.tolist()], dtype=bool), values, chosen)


def find_positive(labels: tuple[Any, ...], positive: Any) -> Any:
    """The positive one of some labels, which its name tells or the caller."""
    if positive is not None:
        if len(labels) > 1 and positive not in labels:
            look_up(positive, labels, "class")
        return positive
    own = positive_label(labels)
    if own is not None:
        return own
    if len(labels) > 2:
        raise InvalidParameterError(
            f"there are {len(labels)} classes: {quoted(labels)}. Name one, positive={labels[-1]!r}, for a curve of that class "
            "against the rest."
        )
    raise InvalidParameterError(
        f"which of the labels {quoted(labels)} is the positive one? Say positive={labels[-1]!r}, for one."
    )


# --- ROC --------------------------------------------------------------------------------------------------------------------


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
    return roc_of(check_binary(y_true, scores, positive))


def roc_of(data: Binary) -> RocCurve:
    """The curve of examples that were checked."""
    thresholds, tp, fp = (np.append(first, each) for first, each in zip((np.inf, 0, 0), data.steps(), strict=True))
    area = roc_areas(data.is_positive, data.scores)
    rates = divide(fp, area.n_negative), divide(tp, area.n_positive)
    return RocCurve(data.positive, thresholds, *rates, tp, fp, area.n_positive, area.n_negative, area, data.reason)


# --- precision and recall ---------------------------------------------------------------------------------------------------


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
    return precision_recall_of(check_binary(y_true, scores, positive))


def precision_recall_of(data: Binary) -> PrecisionRecallCurve:
    """The curve of examples that were checked."""
    n_positive = int(np.count_nonzero(data.is_positive))
    n_negative = data.is_positive.size - n_positive
    if data.reason:
        nothing = np.empty(0)
        return PrecisionRecallCurve(data.positive, nothing, nothing, nothing, math.nan, n_positive, n_negative, data.reason)
    thresholds, tp, fp = data.steps()
    precision, recall = tp / (tp + fp), tp / n_positive
    area = float(np.diff(recall, prepend=0.0) @ precision)
    return PrecisionRecallCurve(data.positive, thresholds, precision, recall, area, n_positive, n_negative)


# --- calibration ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationCurve(Result):
    """Bins of examples of similar probability, and how many of them are positive.

    Attributes
    ----------
    positive : label
    predicted : ndarray of shape (n_bins,)
        Mean probability of the examples of each bin that holds any.
    observed : ndarray of shape (n_bins,)
        Share of them that are positive.
    count : ndarray of shape (n_bins,)
        How many they are.
    low, high : ndarray of shape (n_bins,)
        Wilson's interval of the share, at level 1 - alpha for each bin by itself.
    alpha : float
    brier_score : float
        Mean squared distance of the probabilities from what happened.
    calibration_error : float
        Mean distance of `observed` from `predicted`, each bin as often as it has examples.
    n_copies : float
        How often each example was counted, once for each repeat; intervals count it once.
    reason : str
        Why it says little: all examples are of one class. "" where they are not.
    """

    positive: Any
    predicted: FloatArray
    observed: FloatArray
    count: IntArray
    low: FloatArray
    high: FloatArray
    alpha: float
    brier_score: float
    calibration_error: float
    n_copies: float = 1.0
    reason: str = ""


def calibration_curve(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    *,
    positive: Any = None,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    alpha: float = 0.05,
) -> CalibrationCurve:
    """Compare probabilities with what happened, in bins.

    Parameters
    ----------
    y_true : array_like of shape (n_examples,)
    probabilities : array_like of shape (n_examples,)
        Of the positive class.
    positive : label, optional
        1 if not given, for labels that are 0 and 1, -1 and 1, or False and True.
    n_bins : int, default 10
    strategy : {"quantile", "uniform"}
        Bins of about equally many examples, or of equal width.
    alpha : float, default 0.05
        1 - coverage of each bin's interval.

    Raises
    ------
    TiebreakError
        A probability outside 0 to 1, fewer than one bin, and what `roc_curve` refuses.

    Examples
    --------
    >>> curve = calibration_curve([0, 0, 1, 1], [0.2, 0.3, 0.7, 0.8], n_bins=2)
    >>> curve.predicted.tolist(), curve.observed.tolist()
    ([0.25, 0.75], [0.0, 1.0])
    """
    return calibration_of(
        check_binary(y_true, probabilities, positive, name="probabilities"), n_bins=n_bins, strategy=strategy, alpha=alpha
    )


def calibration_of(
    data: Binary, *, n_bins: int = 10, strategy: Strategy = "quantile", alpha: float = 0.05, n_copies: float = 1.0
) -> CalibrationCurve:
    """The curve of examples of which each stands in the data so many times."""
    p, happened = data.scores, data.is_positive.astype(float)
    outside = (p < 0) | (p > 1)
    if np.any(outside):
        row = int(outside.argmax())
        raise InvalidParameterError(f"probabilities[{row}] is {p[row]:g}; probabilities lie between 0 and 1.")
    check_choice(strategy, get_args(Strategy), "strategy")
    steps = np.linspace(0, 1, check_count(n_bins, "n_bins") + 1)
    place = np.searchsorted((np.percentile(p, steps * 100) if strategy == "quantile" else steps)[1:-1], p)  # scikit-learn's rule
    _, place, count = np.unique(place, return_inverse=True, return_counts=True)  # of bins that hold any
    predicted, observed = (np.asarray(np.bincount(place, values) / count) for values in (p, happened))
    n = count / n_copies
    low, high = proportion_interval(observed * n, n, level=1 - check_probability(alpha, "alpha"))
    return CalibrationCurve(
        data.positive,
        predicted,
        observed,
        count,
        low,
        high,
        alpha,
        float(np.mean((p - happened) ** 2)),
        float(np.average(np.abs(observed - predicted), weights=count)),
        n_copies,
        data.reason,
    )
