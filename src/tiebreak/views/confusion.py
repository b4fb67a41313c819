"""Confusion matrices and costs of decisions, in words, tables and columns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from tiebreak.metrics.confusion import Average
from tiebreak.views.json import plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Table
from tiebreak.views.view import View
from tiebreak.views.words import first_few, format_score, n_of, printable, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from tiebreak.evaluation.confusions import Confusions
    from tiebreak.metrics.confusion import ConfusionMatrix
    from tiebreak.metrics.costs import CostMatrix

MOST_COLUMNS = 10
"""Classes up to which the matrix itself is written; of more, what is said of each class."""

MOST_CLASSES = 40


def matrix_page(matrix: ConfusionMatrix) -> Page:
    """Summary, the counts, and each class."""
    n = len(matrix.labels)
    scores = [format_score(each, 4) for each in (matrix.accuracy, matrix.majority_rate, matrix.balanced_accuracy, matrix.mcc)]
    counts: str | Table = f"The {n} x {n} counts are in to_frame(), and plot() draws them."
    if n <= MOST_COLUMNS:
        counts = _square("Examples", matrix.labels, [map(str, row) for row in matrix.counts.tolist()])
    return Page.of(
        f"Accuracy {scores[0]} on {matrix.n_examples} examples; always predicting the most frequent class gives {scores[1]}. "
        f"Balanced accuracy {scores[2]}, Matthews' correlation {scores[3]}.",
        counts,
        _classes(matrix),
        *first_few([f"Warning: {notice.text} [{notice.code}]" for notice in matrix.notices]),
    )


def _names(labels: Sequence[object]) -> list[str]:
    return short_names([printable(str(label)) for label in labels], 16)


def _square(title: str, labels: Sequence[object], texts: Any) -> Table:
    names = _names(labels)
    rows = tuple((name, *row) for name, row in zip(names, texts, strict=True))
    return Table(f"{title}: actual class in rows, predicted class in columns", ("", *names), rows)


def _classes(matrix: ConfusionMatrix) -> Table:
    """Precision, recall and F1 of each class, and their averages."""
    names, total = _names(matrix.labels), str(matrix.n_examples)
    counts = zip(matrix.support.tolist(), matrix.predicted.tolist(), strict=True)
    of_classes = zip(matrix.precision.tolist(), matrix.recall.tolist(), matrix.f_beta().tolist(), strict=True)
    rows = [(name, *map(str, n), *scores) for name, n, scores in zip(names, counts, of_classes, strict=True)][:MOST_CLASSES]
    rows += [(f"{average} average", total, total, *matrix.averaged(average)) for average in get_args(Average)]
    more = len(names) - MOST_CLASSES
    shown = tuple((*row[:3], *(format_score(float(score), 4) for score in row[3:])) for row in rows)
    headers = ("class", "examples", "predicted", "precision", "recall", "F1")
    return Table(f"Classes; {more} more are in per_class()" if more > 0 else "Classes", headers, shown)


def matrix_facts(matrix: ConfusionMatrix) -> dict[str, Any]:
    """The counts, and all that can be read off them."""
    names = ("accuracy", "majority_rate", "no_information_rate", "balanced_accuracy", "mcc", "precision", "recall")
    held = {name: getattr(matrix, name) for name in ("labels", "counts", *names)} | {"f1": matrix.f_beta()}
    averages = {average: matrix.averaged(average) for average in get_args(Average)}
    return dict(plain({**held, **averages, "undefined": matrix.undefined, "warnings": matrix.notices}))


def models_page(confusions: Confusions) -> Page:
    """A row for each model, and what to beware of."""
    rows, warnings = [], []
    for model, name in zip(confusions.models, short_names(list(confusions.models), NAME_WIDTH), strict=True):
        matrix = confusions[model]
        f1 = matrix.averaged("macro").f_beta
        scores = (matrix.accuracy, matrix.majority_rate, matrix.balanced_accuracy, matrix.mcc, f1)
        splits = n_of(len(confusions.matrices[model]), confusions.n_splits)
        rows.append((name, *(format_score(each, 4) for each in scores), str(matrix.n_examples), splits))
        said = [f"{notice.text} [{notice.code}]" for notice in matrix.notices if notice.code == "majority-class"]
        warnings += [f"{quote(model)}: {text}" for text in said]
    headers = ("model", "accuracy", "majority", "balanced", "MCC", "F1 macro", "predictions", "splits")
    of = f" on {quote(confusions.dataset)}" if confusions.dataset else ""
    note = (
        "Each example counts as often as it was predicted, once for each repeat. 'majority' is the accuracy of always predicting "
        "the most frequent class. confusions[model] is the matrix of a model."
    )
    return Page.of(Table(f"Predictions of all splits together{of}", headers, tuple(rows)), note, *first_few(warnings))


def models_facts(confusions: Confusions) -> dict[str, Any]:
    """Facts of the matrix of each model."""
    models = {name: matrix_facts(confusions[name]) for name in confusions}
    return {"dataset": confusions.dataset, "n_splits": confusions.n_splits, "models": models}


def models_columns(confusions: Confusions) -> dict[str, Any]:
    """A row for each model, split, actual and predicted class."""
    names = ("model", "repeat", "fold", "actual", "predicted", "count")
    rows = [
        (name, repeat, fold, actual, predicted, int(matrix.counts[i, j]))
        for name in confusions.models
        for repeat, fold, matrix in zip(confusions.repeat[name], confusions.fold[name], confusions.matrices[name], strict=True)
        for i, actual in enumerate(matrix.labels)
        for j, predicted in enumerate(matrix.labels)
    ]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _square_frame(result: Any, name: str) -> pd.DataFrame:
    """Counts or costs, with actual classes as index and predicted ones as columns."""
    import pandas as pd

    index, columns = (pd.Index(result.labels, name=side) for side in ("actual", "predicted"))
    return pd.DataFrame(getattr(result, name), index=index, columns=columns)


def costs_page(costs: CostMatrix) -> Page:
    """The costs."""
    texts = [[f"{cost:g}" for cost in row] for row in costs.costs.tolist()]
    return Page.of(_square(f"Costs ({printable(costs.name)})", costs.labels, texts))


def costs_facts(costs: CostMatrix) -> dict[str, Any]:
    """Name, labels and costs."""
    return dict(plain({"name": costs.name, "labels": costs.labels, "costs": costs.costs}))


MATRIX = View(matrix_page, partial(_square_frame, name="counts"), matrix_facts, "tiebreak.views.plots.confusion:MATRIX")
MODELS = View(models_page, models_columns, models_facts, "tiebreak.views.plots.confusion:MODELS")
COSTS = View(costs_page, partial(_square_frame, name="costs"), costs_facts)
