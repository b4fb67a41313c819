"""Kept predictions: ROC, precision-recall and calibration curves, confusion matrices, costs, and the score of the best model."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

from tiebreak.evaluation.bbc import BiasCorrectedScore
from tiebreak.evaluation.class_curves import Confusions, Lines
from tiebreak.metrics.confusion import Average, ConfusionMatrix
from tiebreak.metrics.costs import CostMatrix
from tiebreak.metrics.curves import CalibrationCurve, PrecisionRecallCurve, RocCurve
from tiebreak.views.page import ROWS, Page, Paragraph, Section, Table
from tiebreak.views.view import View, document, plain
from tiebreak.views.words import (
    cut_notes,
    decimals_for,
    first_few,
    format_interval,
    format_percent,
    format_probability,
    format_score,
    n_of,
    printable,
    quote,
    short_names,
)

CORRECTED = "corrected for the training data that splits share (Nadeau and Bengio 2003)"

PLOTS = "tiebreak.views.plots.predictions:"


def _four(value: float) -> str:
    return format_score(value, 4)


def _label(label: Any) -> str:
    return quote(label) if isinstance(label, str) else str(label)


# --- one curve ------------------------------------------------------------------------------------------------------------


ROC_POINTS = ("thresholds", "tp", "fp", "fn", "tn", "tpr", "fpr")
PR_POINTS = ("thresholds", "precision", "recall")
BINS = ("predicted", "observed", "low", "high", "count")


def roc_page(curve: RocCurve) -> Page:
    """The area, and the pairs behind it."""
    if curve.reason:
        return Page.of(f"The ROC curve is undefined: {curve.reason}.")
    low, high = curve.auc_interval()
    interval = format_interval(float(low), float(high), 4)
    about = f" (95% interval {interval}, by DeLong: other examples, the same model)" if interval != "-" else ""
    sentence = (
        f"AUC {_four(curve.auc)}{about} for class {_label(curve.positive)}: of {curve.n_positive * curve.n_negative} pairs of a "
        f"positive and a negative example {curve.area.pairs_won[0]} are in the right order and {curve.area.pairs_tied[0]} tied."
    )
    return Page.of(sentence, POINTS)


def precision_recall_page(curve: PrecisionRecallCurve) -> Page:
    """The average precision beside what chance gives."""
    if curve.reason:
        return Page.of(f"The precision-recall curve is undefined: {curve.reason}.")
    sentence = (
        f"Average precision {_four(curve.average_precision)} for class {_label(curve.positive)}; calling everything positive has "
        f"precision {_four(curve.prevalence)} ({curve.n_positive} of {curve.n_positive + curve.n_negative} examples)."
    )
    return Page.of(sentence, POINTS)


POINTS = "Its points are in to_frame(); an example is called positive when its score is at least the threshold."


def calibration_page(curve: CalibrationCurve) -> Page:
    """Distance of probabilities from what happened."""
    sentence = (
        f"Probabilities of class {_label(curve.positive)} are off by {_four(curve.calibration_error)} on average over bins; "
        f"Brier score {_four(curve.brier_score)}."
    )
    bins = f"Its bins, with Wilson's {format_percent(1 - curve.alpha)} interval of each share, are in to_frame()."
    return Page.of(sentence, bins, f"Warning: {curve.reason}, so it says little." if curve.reason else "")


def _attributes(curve: Any, names: Sequence[str]) -> dict[str, Any]:
    """Columns of a curve by their names; a threshold stands by itself."""
    return {"threshold" if name == "thresholds" else name: getattr(curve, name) for name in names}


# --- of several models ----------------------------------------------------------------------------------------------------


KINDS: dict[str, dict[str, Any]] = {
    "Rocs": {
        "title": "ROC curves",
        "average": "auc",
        "header": "mean AUC",
        "bounded": "AUC",
        "pooled": {"pooled": "auc"},
        "last": "pooled_auc",
        "note": (
            "'mean AUC' is the mean over splits, and its {level} interval is {corrected}. 'pooled' is of all predictions "
            'together, which mixes the scales of models that were fitted apart. Which differences are real: compare("roc_auc").'
        ),
    },
    "PrecisionRecalls": {
        "title": "Precision-recall curves",
        "average": "average_precision",
        "header": "mean AP",
        "bounded": "average precision",
        "pooled": {"pooled": "average_precision", "by chance": "prevalence"},
        "last": "pooled_average_precision",
        "note": (
            "'mean AP' is the mean over splits, and its {level} interval is {corrected}. 'pooled' is of all "
            "predictions together; 'by chance' is the share of positive examples."
        ),
    },
    "Calibrations": {
        "title": "Calibration",
        "average": "brier_score",
        "header": "Brier score",
        "bounded": "Brier score",
        "pooled": {"off by": "calibration_error"},
        "last": "calibration_error",
        "note": (
            "The Brier score is the mean over splits, and its {level} interval is {corrected}. 'off by' is the mean distance of "
            "observed shares from probabilities, over bins of all predictions together."
        ),
    },
}
"""Titles, the mean over splits by its name, and what is read off all predictions together, by the type of the result."""


def lines_page(lines: Lines[Any]) -> Page:
    """A row for each model and class, what the numbers are, and splits without a curve."""
    kind, several = KINDS[type(lines).__name__], len(lines.classes) > 1
    shown = dict(zip(lines.models, short_names(list(lines.models)), strict=True))
    averages = [getattr(line, kind["average"]) for line in lines]
    columns = [
        ("model", [shown[line.model] for line in lines]),
        *([("class", [printable(str(line.positive)) for line in lines])] if several else []),
        (kind["header"], [_four(float(each.mean)) for each in averages]),
        ("interval", [format_interval(float(each.low), float(each.high), 4) for each in averages]),
        ("splits", [n_of(each.n_splits, each.n_splits + each.n_undefined) for each in averages]),
        *((header, [_four(getattr(line.pooled, name)) for line in lines]) for header, name in kind["pooled"].items()),
    ]
    whose = "of each class against the rest" if several else f"of class {_label(lines.classes[0])}"
    title = f"{kind['title']} {whose}{f' on {quote(lines.dataset)}' if lines.dataset else ''}"
    ends = (float(end) for each in averages for end in (each.low, each.high))
    return Page.of(
        Table.of(title, columns, ("model", "class")),
        kind["note"].format(level=format_percent(1 - lines.alpha), corrected=CORRECTED),
        *cut_notes(ends, (0.0, 1.0), kind["bounded"]),
        *first_few(_undefined(lines)),
    )


def _undefined(lines: Lines[Any]) -> list[str]:
    """Splits without a curve, and why; every split has a calibration."""
    texts = []
    for line in lines:
        reasons = Counter(curve.reason for curve in getattr(line, "folds", ()) if curve.reason)
        why = "; ".join(f"on {n}, {reason}" for reason, n in reasons.most_common())
        if reasons:
            name = f"{quote(line.model)}, class {_label(line.positive)}"
            texts.append(f"Undefined for {name}, on {reasons.total()} of {len(line.folds)} splits: {why} [undefined-metric]")
    return texts


def lines_columns(lines: Lines[Any]) -> dict[str, Any]:
    """A row for each model and class: the mean over splits with its interval, splits, and the number of all predictions."""
    kind = KINDS[type(lines).__name__]
    averages = [getattr(line, kind["average"]) for line in lines]
    name, last = kind["average"], next(iter(kind["pooled"].values()))
    fields = {name: "mean", f"{name}_low": "low", f"{name}_high": "high", "n_splits": "n_splits", "n_undefined": "n_undefined"}
    return {
        **{each: [getattr(line, each) for line in lines] for each in ("model", "positive")},
        **{column: [getattr(each, field) for each in averages] for column, field in fields.items()},
        kind["last"]: [getattr(line.pooled, last) for line in lines],
    }


ROC = View(roc_page, partial(_attributes, names=ROC_POINTS), plain, f"{PLOTS}ROC")
PRECISION_RECALL = View(precision_recall_page, partial(_attributes, names=PR_POINTS), plain, f"{PLOTS}PRECISION_RECALL")
CALIBRATION = View(calibration_page, partial(_attributes, names=BINS), plain, f"{PLOTS}CALIBRATION")
ROCS = View(lines_page, lines_columns, plain, f"{PLOTS}ROC")
PRECISION_RECALLS = View(lines_page, lines_columns, plain, f"{PLOTS}PRECISION_RECALL")
CALIBRATIONS = View(lines_page, lines_columns, plain, f"{PLOTS}CALIBRATION")


MOST_COLUMNS = 10
"""Classes up to which the matrix itself is written; of more, what is said of each class."""

MOST_CLASSES = 40


def matrix_page(matrix: ConfusionMatrix) -> Page:
    """Summary, the counts, and each class."""
    n = len(matrix.labels)
    scores = list(map(_four, (matrix.accuracy, matrix.majority_rate, matrix.balanced_accuracy, matrix.mcc)))
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
    more = f"; {len(names) - MOST_CLASSES} more are in per_class()" if len(names) > MOST_CLASSES else ""
    shown = tuple((*row[:3], *map(_four, row[3:])) for row in rows)
    return Table(f"Classes{more}", ("class", "examples", "predicted", "precision", "recall", "F1"), shown)


def matrix_facts(matrix: ConfusionMatrix) -> dict[str, Any]:
    """The counts, and all that can be read off them."""
    names = ("accuracy", "majority_rate", "no_information_rate", "balanced_accuracy", "mcc", "precision", "recall")
    held = {name: getattr(matrix, name) for name in ("labels", "counts", *names)} | {"f1": matrix.f_beta()}
    averages = {average: matrix.averaged(average) for average in get_args(Average)}
    return dict(plain({**held, **averages, "warnings": matrix.notices}))


def models_page(confusions: Confusions) -> Page:
    """A row for each model, and what to beware of."""
    matrices = {model: confusions[model] for model in confusions.models}
    columns = [
        ("model", short_names(list(matrices))),
        ("accuracy", [_four(matrix.accuracy) for matrix in matrices.values()]),
        ("majority", [_four(matrix.majority_rate) for matrix in matrices.values()]),
        ("balanced", [_four(matrix.balanced_accuracy) for matrix in matrices.values()]),
        ("MCC", [_four(matrix.mcc) for matrix in matrices.values()]),
        ("F1 macro", [_four(matrix.averaged("macro").f_beta) for matrix in matrices.values()]),
        ("predictions", [str(matrix.n_examples) for matrix in matrices.values()]),
        ("splits", [n_of(len(confusions.matrices[model]), confusions.n_splits) for model in matrices]),
    ]
    warnings = [
        f"{quote(model)}: {each.text} [{each.code}]"
        for model, matrix in matrices.items()
        for each in matrix.notices
        if each.code == "majority-class"
    ]
    of = f" on {quote(confusions.dataset)}" if confusions.dataset else ""
    note = (
        "Each example counts as often as it was predicted, once for each repeat. 'majority' is the accuracy of always predicting "
        "the most frequent class. confusions[model] is the matrix of a model."
    )
    return Page.of(Table.of(f"Predictions of all splits together{of}", columns), note, *first_few(warnings))


def models_facts(confusions: Confusions) -> dict[str, Any]:
    """Facts of the matrix of each model."""
    models = {name: matrix_facts(confusions[name]) for name in confusions.models}
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


def _square_frame(result: Any, name: str) -> Any:
    """Counts or costs, with actual classes as index and predicted ones as columns."""
    import pandas as pd

    index, columns = (pd.Index(result.labels, name=side) for side in ("actual", "predicted"))
    return pd.DataFrame(getattr(result, name), index=index, columns=columns)


def costs_page(costs: CostMatrix) -> Page:
    """The costs."""
    texts = [[f"{cost:g}" for cost in row] for row in costs.costs.tolist()]
    return Page.of(_square(f"Costs ({printable(costs.name)})", costs.labels, texts))


MATRIX = View(matrix_page, partial(_square_frame, name="counts"), matrix_facts, "tiebreak.views.plots.predictions:MATRIX")
MODELS = View(models_page, models_columns, models_facts, "tiebreak.views.plots.predictions:MODELS")
COSTS = View(costs_page, partial(_square_frame, name="costs"), plain)


def corrected_page(score: BiasCorrectedScore) -> Page:
    """The corrected score, how often each model was the best, warnings, and what was done."""
    models, shares = corrected_columns(score).values()
    names = short_names(models[:ROWS])
    rows = tuple((name, format_probability(share)) for name, share in zip(names, shares[:ROWS], strict=True))
    more = f"; {len(models) - ROWS} more below these" if len(models) > ROWS else ""
    repeats = f" of {score.n_repeats} repeats, averaged" if score.n_repeats > 1 else ""
    undefined = f"; undefined in {score.n_undefined} more" if score.n_undefined else ""
    how = (
        f"BBC-CV: predictions of {score.n_examples} examples{repeats}, {score.n_resamples} bootstraps{undefined}. In each the "
        f"best model is picked on the examples drawn and scored on the others; nothing is fitted again. "
        f"{COVERED[score.interval]}"
    )
    return Page.of(
        _sentence(score),
        Table(f"How often each model was the best{more}", ("model", "share"), rows),
        Section("Warnings", score.notices),
        Paragraph((how,), is_small=True),
    )


def corrected_columns(score: BiasCorrectedScore) -> dict[str, Any]:
    """A row for each model, the one first that was the best most often."""
    order = sorted(range(len(score.models)), key=lambda row: -score.chosen[row])
    return {"model": [score.models[row] for row in order], "share_best": [float(score.chosen[row]) for row in order]}


def corrected_facts(score: BiasCorrectedScore) -> dict[str, Any]:
    """The answer in schema 1; nan is None."""
    names = ("score", "interval", "alpha", "claim", "winner", "optimism", "n_resamples", "n_undefined", "n_examples", "n_repeats")
    return document(
        metric=score.metric,
        **{name: getattr(score, name) for name in names},
        interval_low=score.low,
        interval_high=score.high,
        share_best=dict(zip(score.models, score.chosen, strict=True)),
        warnings=score.notices,
    )


def _sentence(score: BiasCorrectedScore) -> str:
    if not score.winner or score.score != score.score:
        return f"The {printable(score.metric.name)} of these predictions is undefined."
    metric, decimals = printable(score.metric.name), decimals_for((score.high - score.low) / 4)
    interval = f"{format_percent(1 - score.alpha)} interval {format_interval(score.low, score.high, decimals)}"
    if score.interval == "none":
        interval = "no interval, as the bootstraps do not vary"
    value, claim = format_score(score.score, decimals), format_score(score.claim, decimals)
    first = (
        f"Picking the best of {len(score.models)} models by {metric} leads to {value} ({interval}), corrected for having picked "
        f"it; {quote(score.winner)} was the best, with {claim}"
    )
    off = format_score(abs(score.optimism), decimals)
    return f"{first}: {off} {'better' if score.optimism > 0 else 'worse'} than that."


_SUBJECT = (
    "The interval is for the score of the best of these models on further examples like these; it does not allow for other "
    "training sets."
)

COVERED = {
    "percentile": f"{_SUBJECT} Its ends are percentiles of the scores on the examples not drawn, about a "
    "third of all, which makes it wider than one of all examples.",
    "exact": f"{_SUBJECT} Every bootstrap gives the same score, so its ends are the exact ones of Clopper and "
    "Pearson for one proportion.",
    "none": "Every bootstrap gives the same score, which says nothing of how sure it is.",
}
"""Kind of the interval and its subject."""


CORRECTED_SCORE = View(corrected_page, corrected_columns, corrected_facts)
