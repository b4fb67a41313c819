"""Kept predictions, in words and figures: ROC, precision-recall, calibration, confusion, costs, the score of the best model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.evaluation.bbc import BiasCorrectedScore
from tiebreak.evaluation.class_curves import Calibrations, Confusions, Lines, PrecisionRecalls, Rocs
from tiebreak.metrics.confusion import Average, ConfusionMatrix, Share
from tiebreak.metrics.costs import CostMatrix
from tiebreak.metrics.curves import CalibrationCurve, PrecisionRecallCurve, RocCurve
from tiebreak.numerics import FloatArray
from tiebreak.views.page import ROWS, Page, Paragraph, Section, Table
from tiebreak.views.plots.draw import (
    MOST_CELLS,
    MOST_LINES,
    MOST_PANELS,
    Curve,
    Drawing,
    Plot,
    labels,
    lines,
    of_all,
    panels,
    short,
    square,
)
from tiebreak.views.view import View, as_frame, document, plain
from tiebreak.views.words import (
    cut_notes,
    decimals_for,
    first_few,
    format_interval,
    format_percent,
    format_probability,
    format_score,
    more_below,
    n_of,
    printable,
    quote,
    short_names,
)

CORRECTED = "corrected for the training data that splits share (Nadeau and Bengio 2003)"


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
            "together, which mixes the scales of models that were fitted apart. Which differences are real, compare() by roc_auc "
            "(of several classes roc_auc_ovr) says."
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
        *first_few(list(_undefined(lines))),
    )


def _undefined(lines: Lines[Any]) -> Iterator[str]:
    """Splits without a curve, and why; every split has a calibration."""
    for line in lines:
        reasons = Counter(curve.reason for curve in getattr(line, "folds", ()) if curve.reason)
        why = "; ".join(f"on {n}, {reason}" for reason, n in reasons.most_common())
        if reasons:
            name = f"{quote(line.model)}, class {_label(line.positive)}"
            yield f"Undefined for {name}, on {reasons.total()} of {len(line.folds)} splits: {why} [undefined-metric]"


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
    return short_names(list(map(str, labels)), 16)


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


def corrected_page(score: BiasCorrectedScore) -> Page:
    """The corrected score, how often each model was the best, warnings, and what was done."""
    models, shares = corrected_columns(score).values()
    names = short_names(models[:ROWS])
    rows = tuple((name, format_probability(share)) for name, share in zip(names, shares[:ROWS], strict=True))
    repeats = f" of {score.n_repeats} repeats, averaged" if score.n_repeats > 1 else ""
    undefined = f"; undefined in {score.n_undefined} more" if score.n_undefined else ""
    how = (
        f"BBC-CV: predictions of {score.n_examples} examples{repeats}, {score.n_resamples} bootstraps{undefined}. In each the "
        f"best model is picked on the examples drawn and scored on the others; nothing is fitted again. "
        f"{COVERED[score.interval]}"
    )
    return Page.of(
        _sentence(score),
        Table(f"How often each model was the best{more_below(len(models), ROWS)}", ("model", "share"), rows),
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


# --- plots ------------------------------------------------------------------------------------------------------------------

_REAL = " Which differences are real, the curves do not say: comparing does."


def roc(result: RocCurve | Rocs) -> Drawing:
    """ROC curves, the mean of the folds strong, folds faint; of several classes a panel for each model."""
    if isinstance(result, RocCurve):
        detail = _detail("AUC", result.auc, *result.auc_interval(), 0.05)
        found = [("", Curve(result.fpr, result.tpr, detail), result.auc)]
        note = "Interval: by DeLong, for other examples and the same model. Dotted: chance."
        return _lines(found, "roc", f"ROC curve of class {short(result.positive)}: {detail}", note)
    found = []
    for each in result:
        value, detail = _average(each, "auc", "AUC", result.alpha)
        defined = [curve for curve in each.folds if not curve.reason]
        whole = defined[0] if defined else each.pooled
        curve = Curve(whole.fpr, whole.tpr, detail)
        if len(defined) > 1:
            faint = [(fold.fpr, fold.tpr) for fold in defined]
            curve = Curve(each.fpr, each.tpr.mean, detail, each.tpr.low, each.tpr.high, faint)
        found.append((each.model, curve, value))
    note = (
        "Strong: mean of the folds' curves. Faint: folds. "
        f"Bands: {format_percent(1 - result.alpha)} interval of the mean at each rate, corrected for shared training "
        f"data. Dotted: chance."
    )
    return _several(result, found, "AUC", "roc", note)


def precision_recall(result: PrecisionRecallCurve | PrecisionRecalls) -> Drawing:
    """Precision-recall curves of all predictions, folds faint; of several classes a panel for each model."""
    if isinstance(result, PrecisionRecallCurve):
        detail = _detail("AP", result.average_precision, np.nan, np.nan, 0.05)
        found = [("", Curve(*_steps(result), detail), result.average_precision)]
        title = f"Precision-recall curve of class {short(result.positive)}: {detail}"
        return _lines(found, "pr", title, "Dotted: calling everything positive.", [result.prevalence])
    found = []
    for each in result:
        value, detail = _average(each, "average_precision", "AP", result.alpha)
        faint = [_steps(curve) for curve in each.folds] if len(each.folds) > 1 else []
        found.append((each.model, Curve(*_steps(each.pooled), detail, faint=faint), value))
    note = "Steps: all predictions together. Faint: folds. AP: mean over folds. Dotted: calling everything positive."
    prevalence = sorted({each.pooled.prevalence for each in result})
    return _several(result, found, "average precision (AP)", "pr", note, prevalence)


def calibration(result: CalibrationCurve | Calibrations) -> Drawing:
    """Share of positives by predicted probability; of several classes a panel for each model."""

    def line(curve: CalibrationCurve) -> Curve:
        detail = f"off by {format_score(curve.calibration_error, 3)} on average"
        return Curve(curve.predicted, curve.observed, detail, curve.low, curve.high)

    note = "Points: bins of similar probability. Dotted: probabilities that hold; above it more happens than was said."
    if isinstance(result, CalibrationCurve):
        title = f"Probabilities of class {short(result.positive)} are {line(result).name}"
        return _lines([("", line(result), 0.0)], "calibration", title, note)
    found = [(each.model, line(each.pooled), each.pooled.calibration_error) for each in result]
    return _several(result, found, "calibration error", "calibration", note)


def costs(result: RocCurve | Rocs, costs: CostMatrix) -> Drawing:
    """Expected cost of an example for every threshold, by the costs of right and wrong decisions."""
    import pandas as pd

    curves = {"this curve": result} if isinstance(result, RocCurve) else {line.model: line.pooled for line in result}
    parts = [
        pd.DataFrame(
            {
                "model": model,
                "threshold": curve.thresholds,
                "called_positive": (curve.tp + curve.fp) / (curve.n_positive + curve.n_negative),
                "cost": curve.expected_costs(costs),
            }
        )
        for model, curve in curves.items()
    ]
    order = sorted(range(len(parts)), key=lambda place: parts[place]["cost"].min())[:MOST_LINES]
    least = [parts[place].iloc[int(parts[place]["cost"].to_numpy().argmin())] for place in order]
    never, always = parts[0]["cost"].iloc[[0, -1]].tolist()
    name, first, unit = labels([row["model"] for row in least]), least[0], short(costs.name)
    advised = costs.threshold(next(iter(curves.values())).positive)
    return lines(
        pd.concat([parts[place] for place in order], ignore_index=True),
        [
            Curve(parts[place]["called_positive"], parts[place]["cost"], f"{label}\nleast {row['cost']:.4g}")
            for place, label, row in zip(order, name, least, strict=True)
        ],
        title=f"{'' if len(curves) == 1 else f'{name[0]}: '}{unit} is least, {first['cost']:.4g} an example, at the threshold "
        f"{first['threshold']:.3g}; the same decision for all costs {min(never, always):.4g}",
        note="All predictions together. Dots: the least; it was picked by these data, so expect a little more. Dotted: "
        "calling none or all "
        f"positive. Probabilities that hold are called positive from {advised:.3g} on.{of_all(len(order), len(curves))}",
        x_label="share of examples called positive",
        y_label=f"{unit} of an example",
        dotted=[([0, 1], [cost, cost]) for cost in (never, always)],
        points=[(row["called_positive"], row["cost"]) for row in least],
    )


# --- what figures share ------------------------------------------------------------------------------------------------

_SQUARES = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "calibration": ("predicted probability", "share that is positive"),
}
"""Names of the axes."""

Named = tuple[str, Curve, float]
"""A model, its line, which bears what is said of it, and the number that stands for it."""


def _points(found: Sequence[Named], kind: str) -> Any:
    """Points of all lines, with their models and numbers."""
    n = [np.size(line.x) for _, line, _ in found]
    x_name, y_name = _SQUARES[kind]
    return as_frame(
        {
            "model": np.repeat([model for model, _, _ in found], n),
            x_name: np.concatenate([line.x for _, line, _ in found]),
            y_name: np.concatenate([line.y for _, line, _ in found]),
            "value": np.repeat([value for _, _, value in found], n),
        }
    )


def _lines(found: Sequence[Named], kind: str, title: str, note: str, levels: Sequence[float] = ()) -> Drawing:
    """Lines of models in a square of two shares; dotted are these levels, or the diagonal where that means something."""
    across = np.array([0, 1])
    return lines(
        _points(found, kind),
        [line for _, line, _ in found],
        title=title,
        note=note,
        x_label=_SQUARES[kind][0],
        y_label=_SQUARES[kind][1],
        dotted=[(across, np.full(2, level)) for level in levels] if kind == "pr" else [(across, across)],
        shares=True,
        has_marks=kind == "calibration",
        size=(7.6, max(4.4, 0.42 * min(len(found), MOST_LINES) + 0.4)),
    )


def _several(result: Any, found: Sequence[Named], value_name: str, kind: str, note: str, levels: Sequence[float] = ()) -> Drawing:
    """The models of one class as lines, best first; of several classes a panel for each model with a line for each class."""
    n_classes, names = len(result.classes), labels(result.models)
    values = np.mean(np.reshape([value for _, _, value in found], (-1, n_classes)), axis=1)
    order = np.argsort(values if kind == "calibration" else -values, kind="stable").tolist()  # undefined ones last
    best = names[order[0]]
    if n_classes == 1:
        shown = [(model, line._replace(name=f"{names[k]}\n{line.name}"), value) for k, (model, line, value) in enumerate(found)]
        title = f"{best} ranks first of {len(order)} for class {short(result.classes[0], 20)}: {found[order[0]][1].name}"
        few = f" Grey: the other {len(order) - MOST_LINES} of {len(order)} models." if len(order) > MOST_LINES else ""
        return _lines([shown[k] for k in order], kind, title, f"{note}{_REAL if len(order) > 1 else ''}{few}", levels)
    classes, parts, drawn = labels(result.classes, 20), [], list[Named]()
    for place in order[:MOST_PANELS]:
        mine = zip(classes, found[place * n_classes : (place + 1) * n_classes], strict=True)
        bare = [(model, line._replace(name=name, faint=(), low=None, high=None), value) for name, (model, line, value) in mine]
        parts.append((f"{names[place]}\nmean {value_name} {format_score(float(values[place]), 3)}", _lines(bare, kind, "", "")))
        drawn += bare
    data = _points(drawn, kind)
    data["class"] = np.repeat([line.name for _, line, _ in drawn], [np.size(line.x) for _, line, _ in drawn])
    return panels(
        data,
        parts,
        title=f"{best} ranks first of {len(order)}: mean {value_name} over {n_classes} classes "
        f"{format_score(float(values[order[0]]), 3)}",
        note=f"Each class against the rest.{_REAL}{of_all(len(parts), len(order))}",
    )


def _average(line: Any, name: str, short_name: str, alpha: float) -> tuple[float, str]:
    """The mean area over folds, or that of all predictions where no fold has one; and it in words, with its interval."""
    mean = getattr(line, name)
    value = float(mean.mean) if mean.n_splits else getattr(line.pooled, name)
    return value, _detail(short_name, value, mean.low, mean.high, alpha)


def _detail(name: str, area: float, low: Any, high: Any, alpha: float) -> str:
    """An area with its interval, where there is one."""
    if np.isnan(area):
        return f"{name} undefined"
    interval = format_interval(float(low), float(high), 3)
    return f"{name} {format_score(area, 3)}" + (f" ({format_percent(1 - alpha)}: {interval})" if interval != "-" else "")


def _steps(curve: PrecisionRecallCurve) -> tuple[FloatArray, FloatArray]:
    """The corners of the curve: each precision holds from the recall before it; of the points of one recall the first counts."""
    is_step = np.diff(curve.recall, prepend=0.0) > 0
    recall, precision = curve.recall[is_step], curve.precision[is_step]
    return np.concatenate([[0.0], np.repeat(recall, 2)[:-1]]) if recall.size else recall, np.repeat(precision, 2)


_SHARES = {
    "actual": "the actual class (rows sum to 100%)",
    "predicted": "the predicted class (columns sum to 100%)",
    "all": "all",
}


def matrix(result: ConfusionMatrix, *, by: Share = "actual") -> Drawing:
    """Counts as a square; colours are shares `by` actual or predicted class, or of all."""
    if len(result.labels) > MOST_CELLS:
        raise InvalidParameterError(
            f"a square holds at most {MOST_CELLS} classes, and there are {len(result.labels)}; .to_frame() has all."
        )
    share = result.normalised(by)
    names = [str(label) for label in result.labels]
    n, columns = len(names), {"n": result.counts.ravel(), "share": share.ravel()}
    data = as_frame({"actual": np.repeat(names, n), "predicted": np.tile(names, n), **columns})
    beats = "better" if result.accuracy > result.majority_rate else "no better"
    return square(
        data,
        share,
        [[str(int(each)) if each or n <= 6 else "" for each in row] for row in result.counts],
        names=names,
        title=f"{result.accuracy:.1%} of {result.n_examples:,} predictions are right, {beats} than always the largest "
        f"class ({result.majority_rate:.1%})",
        note=f"Cells: predictions; colours: share of {_SHARES[by]}.",
        x_label="predicted class",
        y_label="actual class",
        bar="share",
    )


def matrices(result: Confusions, model: str | None = None, *, by: Share = "actual") -> Drawing:
    """Matrix of one model, or a panel for each, the most accurate first."""
    import pandas as pd

    if model is not None or len(result.models) == 1:
        return matrix(result[model if model is not None else result.models[0]], by=by)
    order = sorted(result.models, key=lambda name: -result[name].accuracy)
    shown = order[:MOST_PANELS]
    parts = [matrix(result[name], by=by) for name in shown]
    frames = [part.data.assign(model=name) for name, part in zip(shown, parts, strict=True)]
    best = result[order[0]].accuracy
    titles = [f"{label}: {result[name].accuracy:.1%}" for name, label in zip(shown, labels(shown, 28), strict=True)]
    n_classes = len(result[order[0]].labels)
    return panels(
        pd.concat(frames, ignore_index=True),
        list(zip(titles, parts, strict=True)),
        title=f"{labels(order)[0]} is right most often of {len(order)}, on {best:.1%} of {result[order[0]].n_examples:,} "
        f"predictions",
        note=f"Cells: predictions; colours: share of {_SHARES[by]}. Which differences are real, comparing says."
        f"{of_all(len(shown), len(order))}",
        size=(max(2.6, 0.42 * n_classes + 1.2), max(2.4, 0.32 * n_classes + 1.1)),
    )


ROC = View(roc_page, partial(_attributes, names=ROC_POINTS), plain, {"curve": Plot(roc), "costs": Plot(costs)})
ROCS = View(lines_page, lines_columns, plain, ROC.plots)
PRECISION_RECALL = View(precision_recall_page, partial(_attributes, names=PR_POINTS), plain, {"curve": Plot(precision_recall)})
PRECISION_RECALLS = View(lines_page, lines_columns, plain, PRECISION_RECALL.plots)
CALIBRATION = View(calibration_page, partial(_attributes, names=BINS), plain, {"curve": Plot(calibration)})
CALIBRATIONS = View(lines_page, lines_columns, plain, CALIBRATION.plots)
MATRIX = View(matrix_page, partial(_square_frame, name="counts"), matrix_facts, {"matrix": Plot(matrix)})
MODELS = View(models_page, models_columns, models_facts, {"matrix": Plot(matrices)})
COSTS = View(costs_page, partial(_square_frame, name="costs"), plain)
CORRECTED_SCORE = View(corrected_page, corrected_columns, corrected_facts)
