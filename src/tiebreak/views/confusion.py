"""Confusion matrices in words, tables and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from tiebreak.evaluation.confusions import Confusions
from tiebreak.metrics.confusion import Average, ConfusionMatrix
from tiebreak.views.json import plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Table
from tiebreak.views.view import View
from tiebreak.views.words import format_score, printable, quote

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 10
"""Classes up to which the matrix itself is written; of more, what is said of each class."""

MOST_CLASSES = 40
MOST_NOTICES = 5


def matrix_page(matrix: ConfusionMatrix) -> Page:
    """Summary, the counts, and each class."""
    counts = (
        _counts(matrix)
        if len(matrix.labels) <= MOST_COLUMNS
        else f"The {len(matrix.labels)} x {len(matrix.labels)} counts are in to_frame(), and plot() draws them."
    )
    return Page.of(_sentence(matrix), counts, _classes(matrix), *_notices(matrix))


def models_page(confusions: Confusions) -> Page:
    """A row for each model, and what to beware of."""
    matrices = {name: confusions[name] for name in confusions.models}
    names = short_names(list(matrices), NAME_WIDTH)
    rows = tuple(
        (
            name,
            _score(matrix.accuracy),
            _score(matrix.majority_rate),
            _score(matrix.balanced_accuracy),
            _score(matrix.mcc),
            _score(matrix.averaged("macro").f_beta),
            str(matrix.n_examples),
            _splits(len(confusions.matrices[model]), confusions.n_splits),
        )
        for name, (model, matrix) in zip(names, matrices.items(), strict=True)
    )
    headers = ("model", "accuracy", "majority", "balanced", "MCC", "F1 macro", "predictions", "splits")
    of = f" on {quote(confusions.dataset)}" if confusions.dataset else ""
    table = Table(f"Predictions of all splits together{of}", headers, rows)
    warnings = [
        f"{quote(model)}: {notice.text} [{notice.code}]"
        for model, matrix in matrices.items()
        for notice in matrix.notices
        if notice.code == "majority-class"
    ]
    note = (
        "Each example counts as often as it was predicted, once for each repeat. 'majority' is the accuracy of always predicting "
        "the most frequent class. confusions[model] is the matrix of a model."
    )
    return Page.of(table, note, *_first(warnings))


def matrix_facts(matrix: ConfusionMatrix) -> dict[str, Any]:
    """The counts, and all that can be read off them."""
    return dict(
        plain(
            {
                "labels": matrix.labels,
                "counts": matrix.counts,
                "accuracy": matrix.accuracy,
                "majority_rate": matrix.majority_rate,
                "no_information_rate": matrix.no_information_rate,
                "balanced_accuracy": matrix.balanced_accuracy,
                "mcc": matrix.mcc,
                "precision": matrix.precision,
                "recall": matrix.recall,
                "f1": matrix.f_beta(),
                **{average: matrix.averaged(average) for average in get_args(Average)},
                "undefined": matrix.undefined,
                "warnings": matrix.notices,
            }
        )
    )


def models_facts(confusions: Confusions) -> dict[str, Any]:
    """Facts of the matrix of each model."""
    models = {name: matrix_facts(confusions[name]) for name in confusions}
    return {"dataset": confusions.dataset, "n_splits": confusions.n_splits, "models": models}


def matrix_frame(matrix: ConfusionMatrix) -> pd.DataFrame:
    """The counts, with actual classes as index and predicted ones as columns."""
    import pandas as pd

    index, columns = pd.Index(matrix.labels, name="actual"), pd.Index(matrix.labels, name="predicted")
    return pd.DataFrame(matrix.counts, index=index, columns=columns)


def models_frame(confusions: Confusions) -> pd.DataFrame:
    """Long form: model, repeat, fold, actual, predicted, count."""
    import pandas as pd

    rows = [
        (name, repeat, fold, actual, predicted, int(matrix.counts[i, j]))
        for name in confusions.models
        for repeat, fold, matrix in zip(confusions.repeat[name], confusions.fold[name], confusions.matrices[name], strict=True)
        for i, actual in enumerate(matrix.labels)
        for j, predicted in enumerate(matrix.labels)
    ]
    return pd.DataFrame(rows, columns=["model", "repeat", "fold", "actual", "predicted", "count"])


def _sentence(matrix: ConfusionMatrix) -> str:
    return (
        f"Accuracy {_score(matrix.accuracy)} on {matrix.n_examples} examples; always predicting the most frequent class gives "
        f"{_score(matrix.majority_rate)}. Balanced accuracy {_score(matrix.balanced_accuracy)}, Matthews' correlation "
        f"{_score(matrix.mcc)}."
    )


def _counts(matrix: ConfusionMatrix) -> Table:
    names = _names(matrix)
    rows = tuple((name, *(str(count) for count in row)) for name, row in zip(names, matrix.counts.tolist(), strict=True))
    return Table("Examples: actual class in rows, predicted class in columns", ("", *names), rows)


def _classes(matrix: ConfusionMatrix) -> Table:
    columns = (matrix.precision, matrix.recall, matrix.f_beta())
    rows = [
        (name, str(support), str(predicted), *(_score(float(values[i])) for values in columns))
        for i, (name, support, predicted) in enumerate(
            zip(_names(matrix), matrix.support.tolist(), matrix.predicted.tolist(), strict=True)
        )
    ][:MOST_CLASSES]
    more = len(matrix.labels) - len(rows)
    total = str(matrix.n_examples)
    rows += [
        (f"{average} average", total, total, *(_score(value) for value in matrix.averaged(average)))
        for average in get_args(Average)
    ]
    headers = ("class", "examples", "predicted", "precision", "recall", "F1")
    title = f"Classes; {more} more are in per_class()" if more else "Classes"
    return Table(title, headers, tuple(rows))


def _notices(matrix: ConfusionMatrix) -> list[str]:
    return _first([f"Warning: {notice.text} [{notice.code}]" for notice in matrix.notices])


def _first(lines: list[str]) -> list[str]:
    """A few lines, and how many more there are."""
    more = len(lines) - MOST_NOTICES
    return [*lines[:MOST_NOTICES], f"and {more} more"] if more > 0 else lines


def _names(matrix: ConfusionMatrix) -> list[str]:
    return short_names([printable(str(label)) for label in matrix.labels], 16)


def _score(value: float) -> str:
    return format_score(value, 4)


def _splits(n: int, planned: int) -> str:
    return str(n) if n == planned else f"{n} of {planned}"


MATRIX = View(matrix_page, matrix_frame, matrix_facts, "tiebreak.views.plots.confusion:MATRIX")
MODELS = View(models_page, models_frame, models_facts, "tiebreak.views.plots.confusion:MODELS")
