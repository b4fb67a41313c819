"""Metrics of predicted labels, from three counts for each class: its rows, its predictions, and where both agree."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError
from tiebreak.metrics.targets import Array, Codes, Truth, UndefinedScore, values_of_rows
from tiebreak.numerics import FloatArray
from tiebreak.scores.vocabulary import quoted


class LabelCounts(NamedTuple):
    """Counts by label: the classes in order, then predicted labels that are none of them."""

    true: Codes
    predicted: Codes
    hits: Codes

    @property
    def present(self) -> int:
        """Number of labels that some row has or was predicted to have."""
        return int(np.count_nonzero(self.true + self.predicted))


PerLabel = Callable[[LabelCounts], FloatArray]

_NONE: Counter[Any] = Counter()


def precision_by_label(counts: LabelCounts) -> FloatArray:
    """Share of a label's predictions that are right; 0 for a label that is never predicted."""
    return np.asarray(np.divide(counts.hits, np.maximum(counts.predicted, 1)))


def recall_by_label(counts: LabelCounts) -> FloatArray:
    """Share of a label's rows that are found; 0 for a label without rows."""
    return np.asarray(np.divide(counts.hits, np.maximum(counts.true, 1)))


def f1_by_label(counts: LabelCounts) -> FloatArray:
    """Harmonic mean of precision and recall, ``2 hits / (rows + predictions)``; 0 where precision and recall are."""
    return np.asarray(np.divide(2 * counts.hits, np.maximum(counts.true + counts.predicted, 1)))


def of_positive(by_label: PerLabel, truth: Truth, predicted: Array, *_: object) -> float:
    """The value of the positive class, which is the label 1, of at most two."""
    position = positive_position(truth)
    return float(by_label(count_labels(truth, predicted))[position])


def macro(by_label: PerLabel, truth: Truth, predicted: Array, *_: object) -> float:
    """Mean over the labels that these rows have or were predicted to have."""
    counts = count_labels(truth, predicted)
    return float(np.add.reduce(by_label(counts))) / counts.present


def weighted(by_label: PerLabel, truth: Truth, predicted: Array, *_: object) -> float:
    """Mean over the labels, each as often as rows have it."""
    counts = count_labels(truth, predicted)
    return float(by_label(counts).dot(counts.true)) / truth.n_rows


def accuracy(truth: Truth, predicted: Array, *_: object) -> float:
    """Share of rows whose label was predicted; also what precision, recall and F1 are when all labels are pooled."""
    predicted = values_of_rows(predicted, truth, "predict")
    kind, own_kind = predicted.dtype.kind, truth.values.dtype.kind
    if (kind in "biu" and own_kind in "biu") or kind == own_kind == "U":
        return float(np.count_nonzero(truth.values == predicted) / truth.n_rows)
    return float(np.count_nonzero(truth.known_code == _find(truth, predicted)[0]) / truth.n_rows)


def balanced_accuracy(truth: Truth, predicted: Array, *_: object) -> float:
    """Mean recall of the classes that these rows have."""
    counts = count_labels(truth, predicted)
    return float(np.add.reduce(recall_by_label(counts)) / np.count_nonzero(counts.true))


def matthews_corrcoef(truth: Truth, predicted: Array, *_: object) -> float:
    """Correlation of true and predicted labels, for any number of classes [Gorodkin 2004]; 0 where either is constant."""
    counts = count_labels(truth, predicted)
    n = truth.n_rows
    covariance = float(n * int(np.add.reduce(counts.hits)) - int(counts.true.dot(counts.predicted)))
    variances = float(n * n - int(counts.true.dot(counts.true))) * float(n * n - int(counts.predicted.dot(counts.predicted)))
    return covariance / math.sqrt(variances) if variances else 0.0


def positive_position(truth: Truth) -> int:
    """Position of the positive class where there are at most two, as scikit-learn has it: that of the label 1."""
    labels = truth.known_labels
    if labels.classes.size > 2:
        raise UndefinedScore(f"it is for two classes, and there are {labels.classes.size}")
    if labels.one is None:
        raise UndefinedScore(
            f"its positive class is the label 1, and the labels are {quoted(labels.classes.tolist())}; "
            "make the positive class 1 and the other 0"
        )
    return labels.one


# --- counting ---------------------------------------------------------------------------------------------------------------


def count_labels(truth: Truth, predicted: Array) -> LabelCounts:
    """The counts that the metrics above are made of."""
    code, strange = _find(truth, values_of_rows(predicted, truth, "predict"))
    n_classes = truth.known_labels.classes.size
    own_code = truth.known_code
    hits = np.bincount(own_code[own_code == code], minlength=n_classes)
    if not strange:
        return LabelCounts(truth.counts, np.bincount(code, minlength=n_classes), hits)
    no_rows = np.zeros(len(strange), dtype=np.intp)
    predictions = np.bincount(code[code >= 0], minlength=n_classes)
    return LabelCounts(
        np.concatenate((truth.counts, no_rows)),
        np.concatenate((predictions, list(strange.values()))),
        np.concatenate((hits, no_rows)),
    )


def _find(truth: Truth, predicted: Array) -> tuple[Codes, Counter[Any]]:
    """Positions of the predicted labels, -1 for those that are no class, and how often each of these was predicted."""
    code, is_strange = truth.known_labels.find(predicted)
    if is_strange is None:
        return code, _NONE
    strange = Counter(predicted[is_strange].tolist())
    _check_strange(strange, truth.known_labels.classes)
    return code, strange


def _check_strange(strange: Iterable[Any], classes: Array) -> None:
    """Predicted labels that are no class are wrong predictions, unless they are no labels.

    Undefined where one is nan or infinite; refused where one is a fraction, or a number among texts or the other way round.
    """
    is_text = isinstance(classes.flat[0], str)
    for label in strange:
        if isinstance(label, float) and not math.isfinite(label):
            raise UndefinedScore("nan in predict" if math.isnan(label) else "an infinite number in predict")
        is_fraction = isinstance(label, float) and not label.is_integer()
        if is_fraction or (label is not None and isinstance(label, str) is not is_text):
            raise DataError(
                f"predict returned {label!r}, and the labels are {quoted(classes.tolist())}. A model of classes has to "
                "predict labels; numbers on a scale have to be turned into labels first."
            )
