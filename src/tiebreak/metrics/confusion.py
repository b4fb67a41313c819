"""Which classes are taken for which: the confusion matrix, and the metrics that can be read off it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.targets import Array
from tiebreak.numerics import (
    FloatArray,
    IntArray,
    check_choice,
    check_number,
    divide,
    is_missing,
    label_column,
    refuse_unless,
    set_checked,
)
from tiebreak.result import Result
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.influence import METRICS_OF_CLASSES

if TYPE_CHECKING:
    import pandas as pd


Average = Literal["micro", "macro", "weighted"]
Share = Literal["actual", "predicted", "all"]


class Averages(NamedTuple):
    """Precision, recall and F-beta of all classes in one number each."""

    precision: float
    recall: float
    f_beta: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMatrix(Result):
    """Counts of examples by true and predicted class.

    Print it for the table. Matrices of the same labels can be added.

    Attributes
    ----------
    labels : tuple
        Of rows and columns.
    counts : ndarray of shape (n_labels, n_labels)
        Actual classes in rows, predicted ones in columns.
    """

    labels: tuple[Any, ...]
    counts: IntArray

    def __post_init__(self) -> None:
        counts, labels = np.asarray(self.counts), check_labels(self.labels)
        if counts.shape != (len(labels),) * 2:
            raise InvalidParameterError(
                f"the counts have the shape {counts.shape}, and there are {len(labels)} labels. A confusion matrix has a row and "
                "a column for each label."
            )
        if counts.dtype.kind not in "biuf" or not np.all((counts >= 0) & (counts < np.inf) & (counts == np.rint(counts))):
            raise InvalidParameterError("the counts of a confusion matrix are whole numbers of at least 0.")
        set_checked(self, labels=labels, counts=counts.astype(np.int64))

    # --- counts -----------------------------------------------------------------------------------------------------------

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.counts.sum())

    @property
    def support(self) -> IntArray:
        """Examples of each class."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def predicted(self) -> IntArray:
        """Predictions of each class."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def hits(self) -> IntArray:
        """Examples of each class that were recognised."""
        return np.diagonal(self.counts)

    def normalised(self, by: Share = "actual") -> FloatArray:
        """The counts as shares.

        Parameters
        ----------
        by : {"actual", "predicted", "all"}
            Of the examples of each class (rows sum to 1), of the predictions of each class (columns do), or of all examples.

        Returns
        -------
        ndarray of shape (n_labels, n_labels)
            nan for a class without examples, or without predictions.
        """
        check_choice(by, get_args(Share), "by")
        sums = {"actual": self.support[:, None], "predicted": self.predicted[None, :], "all": self.n_examples}
        whole: Any = sums[by]
        return divide(self.counts, whole)

    # --- one number -------------------------------------------------------------------------------------------------------

    @property
    def accuracy(self) -> float:
        """Share of examples whose class was predicted."""
        return float(divide(self.hits.sum(), self.n_examples))

    @property
    def majority_rate(self) -> float:
        """Accuracy of always predicting the most frequent class."""
        return float(divide(self.support.max(), self.n_examples))

    @property
    def no_information_rate(self) -> float:
        """Error rate of predictions that have nothing to do with the classes: ``sum(p * (1 - q))`` of the shares of both [ET97]_.

        Some programs call the share of the largest class by this name; that is `majority_rate`.

        References
        ----------
        .. [ET97] B. Efron, R. Tibshirani. Improvements on cross-validation: the .632+ bootstrap method. JASA 92, 1997.
        """
        p, q = divide(self.support, self.n_examples), divide(self.predicted, self.n_examples)
        return float(p.dot(1 - q))

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that have examples."""
        return self._of_all("balanced_accuracy")

    @property
    def mcc(self) -> float:
        """Matthews' correlation of actual and predicted classes, for any number of them [G04]_.

        0 where either is constant, which is its limit, and what scikit-learn gives.

        References
        ----------
        .. [G04] J. Gorodkin. Comparing two K-category assignments by a K-category correlation coefficient. Computational
           Biology and Chemistry 28, 2004.
        """
        return self._of_all("matthews_corrcoef")

    def _of_all(self, metric: str) -> float:
        counts = (each.astype(float) for each in (self.hits, self.predicted, self.support))
        return float(METRICS_OF_CLASSES[metric](*counts)) if self.n_examples else math.nan

    # --- of each class ----------------------------------------------------------------------------------------------------

    @property
    def precision(self) -> FloatArray:
        """Share of each class's predictions that are right; nan for a class that is never predicted."""
        return divide(self.hits, self.predicted)

    @property
    def recall(self) -> FloatArray:
        """Share of each class's examples that are found; nan for a class without examples."""
        return divide(self.hits, self.support)

    def f_beta(self, beta: float = 1.0) -> FloatArray:
        """Mean of precision and recall of each class, in which recall counts `beta` times as much.

        nan only for a class with neither examples nor predictions; 0 where the class is never recognised.
        """
        squared = check_number(beta, "beta", 0, MOST_BETA) ** 2
        return divide((1 + squared) * self.hits, squared * self.support + self.predicted)

    def averaged(self, average: Average, beta: float = 1.0) -> Averages:
        """Precision, recall and F-beta over the classes.

        Parameters
        ----------
        average : {"micro", "macro", "weighted"}
            "micro" counts all classes together, and all three are then the accuracy. "macro" is the mean over the classes,
            "weighted" counts each as often as it has examples. A class for which a metric is undefined counts as 0, as with
            scikit-learn's ``zero_division=0``; `notices` name it. A class with neither examples nor predictions is left out.
        beta : float, default 1
        """
        check_choice(average, get_args(Average), "average")
        each = np.nan_to_num([self.precision, self.recall, self.f_beta(beta)])
        if average == "micro":
            return Averages(self.accuracy, self.accuracy, self.accuracy)
        weights = self.support + self.predicted > 0 if average == "macro" else self.support
        return Averages(*divide(each @ weights, weights.sum()).tolist())

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices for a reader of the numbers: an accuracy that says little, and metrics of classes that have no value."""
        checks = (
            ("precision", self.predicted, "it is never predicted"),
            ("recall", self.support, "there is no example of it"),
            ("f_beta", self.support + self.predicted, "it neither occurs nor is predicted"),
        )
        notices = [
            Notice("undefined-metric", f"the {metric} of class {label!r} is undefined: {reason}")
            for place, label in enumerate(self.labels)
            for metric, counts, reason in checks
            if not counts[place]
        ]
        if self.n_examples and self.hits.sum() <= self.support.max():
            often = self.labels[int(self.support.argmax())]
            word = "equals" if self.hits.sum() == self.support.max() else "is below"
            text = (
                f"the accuracy of {self.accuracy:.4g} {word} the {self.majority_rate:.4g} of always predicting {often!r}, the "
                "most frequent class: it does not show that anything was learnt"
            )
            notices.insert(0, Notice("majority-class", text))
        return tuple(notices)

    # --- together and shown -----------------------------------------------------------------------------------------------

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.labels != other.labels:
            raise InvalidParameterError(
                f"matrices are added label by label; one has the labels {quoted(self.labels)}, the other {quoted(other.labels)}. "
                "Make both with the same labels=."
            )
        return ConfusionMatrix(self.labels, self.counts + other.counts)

    def per_class(self, beta: float = 1.0) -> pd.DataFrame:
        """A row for each class: label, support, predicted, precision, recall, f_beta."""
        import pandas as pd

        return pd.DataFrame(
            {
                "label": list(self.labels),
                "support": self.support,
                "predicted": self.predicted,
                "precision": self.precision,
                "recall": self.recall,
                "f_beta": self.f_beta(beta),
            }
        )


def confusion_matrix(y_true: ArrayLike, y_pred: ArrayLike, *, labels: Sequence[Any] | None = None) -> ConfusionMatrix:
    """Count which classes are taken for which.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n_examples,)
        Actual and predicted labels.
    labels : sequence, optional
        Order of rows and columns, and labels that need not occur. All that occur, sorted, if not given.

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    InvalidParameterError
        Lengths that differ, no examples, nan among the labels, or a label that `labels` does not have.

    Examples
    --------
    >>> matrix = confusion_matrix(["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"])
    >>> matrix.counts.tolist(), matrix.accuracy, matrix.averaged("macro").recall
    ([[1, 1], [0, 2]], 0.75, 0.75)
    """
    actual, predicted = label_column(y_true, "y_true"), label_column(y_pred, "y_pred")
    if actual.size != predicted.size:
        raise InvalidParameterError(
            f"y_true has {actual.size} labels and y_pred {predicted.size}; one of each is needed per example."
        )
    known = check_labels(labels) if labels is not None else labels_in(actual, predicted)
    n, codes = len(known), []
    place = {label: position for position, label in enumerate(known)}
    for column, name in ((actual, "y_true"), (predicted, "y_pred")):
        codes.append(np.array([place.get(label, -1) for label in column.tolist()], dtype=np.intp))
        if codes[-1].min() < 0:
            raise InvalidParameterError(
                f"{name} holds {column.tolist()[codes[-1].argmin()]!r}, which is not among the labels {quoted(known)}. Add it to "
                "labels, or leave those examples out."
            )
    return ConfusionMatrix(known, np.bincount(codes[0] * n + codes[1], minlength=n * n).reshape(n, n))


MOST_BETA = 1e9
"""Weight of recall beyond which nothing but recall would be left of F."""


# --- labels -----------------------------------------------------------------------------------------------------------------


def labels_in(*columns: Array) -> tuple[Any, ...]:
    """All labels that occur, sorted, as Python's own values."""
    found = {label for column in columns for label in column.tolist()}
    try:
        return tuple(sorted(found))
    except TypeError:
        kinds = sorted({type(label).__name__ for label in found})
        raise InvalidParameterError(
            f"labels of the types {quoted(kinds)} cannot be put in order. Make them all text or all numbers."
        ) from None


def check_labels(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels as they are given, as Python's own values: at least one, all different, none missing."""
    plain = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    doubled = [label for place, label in enumerate(plain) if label in plain[:place]]
    if doubled:
        raise InvalidParameterError(f"the label {doubled[0]!r} stands twice in labels.")
    refuse_unless(
        plain and not any(map(is_missing, plain)), "labels", "name at least one class, and none may be nan or None", list(plain)
    )
    return plain
