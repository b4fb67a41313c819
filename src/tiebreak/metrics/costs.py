"""Costs of right and wrong decisions: as a metric, and as a guide to decisions from probabilities."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.confusion import ConfusionMatrix, check_labels, confusion_matrix
from tiebreak.metrics.targets import Array, Truth, UndefinedScore, one_column
from tiebreak.numerics import FloatArray, floats, refuse_unless, set_checked
from tiebreak.result import Result
from tiebreak.scores.vocabulary import quoted

_SUM_TOLERANCE = 1e-5
"""How far probabilities of an example, in single precision perhaps, may be from summing to 1."""


def _rows_of(costs: Mapping[Any, Any], known: tuple[Any, ...]) -> list[list[Any]]:
    """Costs of ``{actual: {predicted: cost}}`` as a table."""
    for actual, row in costs.items():
        if not isinstance(row, Mapping):
            raise InvalidParameterError(f"the costs of {actual!r} must be {{predicted: cost}}; got {row!r}.")
        unlike = [label for label in (*row, *known) if (label in row) != (label in known)]
        if unlike:
            word = "lack" if unlike[0] in known else "name"
            raise InvalidParameterError(
                f"the costs of {actual!r} {word} {unlike[0]!r}. The rows are {quoted(known)}: say what it costs to take each one "
                "for each."
            )
    return [[costs[actual][predicted] for predicted in known] for actual in known]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CostMatrix(Result):
    """Costs of taking one class for another; lower is better, and a gain is a negative cost.

    It is a metric as it stands: ``tb.evaluate(..., scoring=cost)`` and ``GridSearchCV(..., scoring=cost)`` score models by the
    expected cost of an example, in the unit of the costs, so that a rope is money too.

    Parameters
    ----------
    costs : mapping or array_like of shape (n_labels, n_labels)
        ``{actual: {predicted: cost}}``, or an array with actual classes in rows and predicted ones in columns.
    labels : sequence, optional
        Of the rows and columns of an array; 0, 1, ... if not given.
    name : str, default "expected_cost"
        Of the metric.

    Attributes
    ----------
    labels : tuple
        In the order given.
    costs : ndarray of shape (n_labels, n_labels)
    name : str

    Raises
    ------
    InvalidParameterError
        Not square, a cost that is missing, not a number or infinite, a label that is unknown, missing or stands twice.

    Examples
    --------
    >>> cost = CostMatrix({"healthy": {"healthy": 0, "ill": 1}, "ill": {"healthy": 100, "ill": -1}})
    >>> cost.expected_cost(["healthy", "ill", "ill"], ["ill", "ill", "healthy"])
    33.333333333333336
    >>> round(cost.threshold("ill"), 6)
    0.009804
    """

    labels: tuple[Any, ...]
    costs: FloatArray
    name: str
    _sign: ClassVar[int] = -1  # as scikit-learn's scorers say that they return a loss with a minus sign

    def __init__(
        self,
        costs: Mapping[Any, Mapping[Any, float]] | ArrayLike,
        labels: Sequence[Any] | None = None,
        *,
        name: str = "expected_cost",
    ) -> None:
        refuse_unless(name and type(name) is str, "name", "be a text that is not empty", name)
        if isinstance(costs, Mapping):
            if labels is not None:
                raise InvalidParameterError("labels= goes with an array; in {actual: {predicted: cost}} the keys are the labels.")
            labels = check_labels(costs)
            costs = _rows_of(costs, labels)
        table = floats(costs, "costs", InvalidParameterError).copy()
        known: tuple[Any, ...] = tuple(range(len(np.atleast_1d(table)))) if labels is None else check_labels(labels)
        if table.shape != (len(known),) * 2 or len(known) < 2:
            raise InvalidParameterError(
                f"a cost matrix is square, with a row and a column for each class, two or more; got an array of shape "
                f"{table.shape} for the labels {quoted(known)}."
            )
        if not np.all(np.isfinite(table)):
            row, column = np.argwhere(~np.isfinite(table))[0].tolist()
            raise InvalidParameterError(
                f"the cost of taking {known[row]!r} for {known[column]!r} is {table[row, column]:g}. Costs are finite numbers; a "
                "gain is negative."
            )
        table.setflags(write=False)
        set_checked(self, labels=known, costs=table, name=name)

    # --- of what was predicted --------------------------------------------------------------------------------------------

    def total_cost(self, y_true: ConfusionMatrix | ArrayLike, y_pred: ArrayLike | None = None) -> float:
        """Sum of the costs; the parameters are those of `expected_cost`."""
        matrix = self._matrix(y_true, y_pred)
        place = [self._place(label) for label in matrix.labels]
        return float(np.sum(matrix.counts * self.costs[np.ix_(place, place)]))

    def expected_cost(self, y_true: ConfusionMatrix | ArrayLike, y_pred: ArrayLike | None = None) -> float:
        """Mean cost of an example.

        Parameters
        ----------
        y_true : ConfusionMatrix or array_like of shape (n_examples,)
            Actual labels, or a matrix that holds all.
        y_pred : array_like of shape (n_examples,), optional
            Predicted labels, where `y_true` holds labels.

        Raises
        ------
        InvalidParameterError
            A label for which there are no costs.
        """
        matrix = self._matrix(y_true, y_pred)
        return self.total_cost(matrix) / matrix.n_examples if matrix.n_examples else math.nan

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """Score a fitted model as scikit-learn's scorers do: the expected cost with a minus sign, so that higher is better."""
        return -self.expected_cost(y, model.predict(X))

    # --- decisions --------------------------------------------------------------------------------------------------------

    def expected_costs(self, probabilities: ArrayLike, *, classes: Sequence[Any] | None = None) -> FloatArray:
        """For each example, what each decision is expected to cost.

        Parameters
        ----------
        probabilities : array_like of shape (n_examples, n_labels)
            Of the classes; rows sum to 1.
        classes : sequence, optional
            Which column is which class, such as ``model.classes_`` (which scikit-learn sorts). The order of `labels` if not
            given.

        Returns
        -------
        ndarray of shape (n_examples, n_labels)
            Columns are decisions, in the order of `labels`.

        Raises
        ------
        InvalidParameterError
            Probabilities outside 0 to 1 or not summing to 1, another number of columns, classes that are not the labels.
        """
        columns = self.labels if classes is None else check_labels(classes)
        places, p = [self._place(label) for label in columns], floats(probabilities, "probabilities", InvalidParameterError)
        if p.ndim != 2 or p.shape[1] != len(columns) or len(columns) != len(self.labels):
            raise InvalidParameterError(
                f"probabilities has the shape {p.shape}, with the classes {quoted(columns)}; a row for each example and a column "
                f"for each of the classes {quoted(self.labels)} are needed, as predict_proba gives them."
            )
        wrong = ~((p >= 0) & (p <= 1)).all(axis=1) | (np.abs(p.sum(axis=1) - 1) > _SUM_TOLERANCE)  # nan too
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidParameterError(
                f"probabilities[{row}] is {p[row].tolist()}; probabilities of an example lie between 0 and 1, and sum to 1."
            )
        return p @ self.costs[places]

    def decisions(self, probabilities: ArrayLike, *, classes: Sequence[Any] | None = None) -> Array:
        """The decision of least expected cost for each example; of equal ones the first in the order of `labels`.

        The parameters are those of `expected_costs`.

        Returns
        -------
        ndarray of shape (n_examples,)
            Labels.
        """
        costs = self.expected_costs(probabilities, classes=classes)
        near = costs <= costs.min(axis=1, keepdims=True) + 1e-12 * np.abs(self.costs).max()  # equal but for rounding
        is_mixed = len({type(label) for label in self.labels}) > 1  # objects keep types apart
        return np.asarray(np.array(self.labels, dtype=object if is_mixed else None)[near.argmax(axis=1)])

    def threshold(self, positive: Any = None) -> float:
        """Probability of `positive`, of two classes, from which deciding for it costs least [E01]_.

        Parameters
        ----------
        positive : label, optional
            The last label if not given.

        Returns
        -------
        float
            0 where that decision is never the dearer one, infinite where it always is.

        Raises
        ------
        InvalidParameterError
            More than two classes, or costs with which no threshold makes sense.

        References
        ----------
        .. [E01] C. Elkan. The foundations of cost-sensitive learning. IJCAI 2001, section 2.2.
        """
        right, missed, alarm, quiet = self.of_decisions(self.labels[-1] if positive is None else positive)
        false_alarm, miss = alarm - quiet, missed - right  # what each costs more than the right decision
        if false_alarm <= 0 and miss <= 0:
            raise InvalidParameterError(
                "there is no threshold: for neither class does the wrong decision cost more than the right one. Rows of a cost "
                "matrix are actual classes, columns predicted ones."
            )
        if false_alarm <= 0:
            return 0.0
        return math.inf if miss < 0 else false_alarm / (false_alarm + miss)

    def of_decisions(self, positive: Any) -> tuple[float, float, float, float]:
        """Costs, of two classes, of a true positive, a false negative, a false positive and a true negative.

        Raises
        ------
        InvalidParameterError
            More than two classes, or no costs for `positive`.
        """
        if len(self.labels) != 2:
            raise InvalidParameterError(f"a threshold is for two classes, and there are {len(self.labels)}. Use decisions().")
        yes = self._place(positive)
        no = 1 - yes
        return tuple(float(self.costs[place]) for place in ((yes, yes), (yes, no), (no, yes), (no, no)))  # type: ignore[return-value]

    # --- as a metric of evaluate ------------------------------------------------------------------------------------------

    def of_truth(self, truth: Truth, answer: Array, *_: object) -> float:
        """Expected cost of what a model predicted, in the form that `Formula` takes."""
        predicted = one_column(answer)
        unknown = [label for label in dict.fromkeys(predicted.tolist()) if label not in self.labels]
        if unknown:
            raise UndefinedScore(f"the model predicted {unknown[0]!r}, and the cost matrix has {quoted(self.labels)}")
        return self.expected_cost(confusion_matrix(truth.values, predicted, labels=self.labels))

    def check_truth(self, truth: Truth) -> None:
        """Check that all classes of a target have costs.

        Raises
        ------
        UndefinedScore
        """
        lacking = [label for label in truth.labels.tolist() if label not in self.labels]
        if lacking:
            raise UndefinedScore(f"y has the class {lacking[0]!r}, and the cost matrix has {quoted(self.labels)}")

    @property
    def fingerprint_parts(self) -> tuple[Any, ...]:
        """Identity of the metric: labels and costs, in whatever order they were given."""
        order = sorted(range(len(self.labels)), key=lambda place: (type(self.labels[place]).__name__, repr(self.labels[place])))
        return "cost matrix", [self.labels[place] for place in order], self.costs[np.ix_(order, order)].tolist()

    @property
    def __name__(self) -> str:
        """The name of the metric, where scikit-learn's searches and `tiebreak.compare` look for that of a scorer."""
        return self.name

    # --- shown ------------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        rows = {
            actual: dict(zip(self.labels, costs, strict=True))
            for actual, costs in zip(self.labels, self.costs.tolist(), strict=True)
        }
        return f"CostMatrix({rows!r}{'' if self.name == 'expected_cost' else f', name={self.name!r}'})"

    # --- helpers ----------------------------------------------------------------------------------------------------------

    def _place(self, label: Any) -> int:
        try:
            return self.labels.index(label)
        except ValueError:
            raise InvalidParameterError(f"there are no costs for {label!r}; the cost matrix has {quoted(self.labels)}.") from None

    def _matrix(self, y_true: ConfusionMatrix | ArrayLike, y_pred: ArrayLike | None) -> ConfusionMatrix:
        if isinstance(y_true, ConfusionMatrix) == (y_pred is None):
            return y_true if isinstance(y_true, ConfusionMatrix) else confusion_matrix(y_true, y_pred)  # type: ignore[arg-type]
        raise InvalidParameterError("pass a confusion matrix alone, or both y_true and y_pred.")
