"""ROC, precision-recall and calibration curves in words, tables and columns."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.views.json import plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    cut_notes,
    first_few,
    format_interval,
    format_percent,
    format_score,
    n_of,
    printable,
    quote,
)

if TYPE_CHECKING:
    from tiebreak.evaluation.class_curves import Lines
    from tiebreak.metrics.curves import CalibrationCurve, PrecisionRecallCurve, RocCurve

MOST_POINTS = 30
"""Points up to which a curve is written out."""

CORRECTED = "corrected for the training data that splits share (Nadeau and Bengio 2003)"

PLOTS = "tiebreak.views.plots.class_curves:"


def _four(value: float) -> str:
    return format_score(value, 4)


def _label(label: Any) -> str:
    return quote(label) if isinstance(label, str) else str(label)


# --- one curve ------------------------------------------------------------------------------------------------------------


def _points(result: Any, names: dict[str, str]) -> str | Table:
    """Points under headers by the names of their columns."""
    columns = [getattr(result, name).tolist() for name in names]
    if len(columns[0]) > MOST_POINTS:
        return f"Its {len(columns[0])} points are in to_frame()."
    forms = [lambda number: format(number, ".6g") if isinstance(number, float) else str(number), _four]
    texts = [map(forms[name in SHARES], held) for name, held in zip(names, columns, strict=True)]
    title = "Points; an example is called positive when its score is at least the threshold"
    return Table(title, tuple(names.values()), tuple(zip(*texts, strict=True)), (True,) * len(names))


ROC_POINTS = {"thresholds": "threshold", "tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "tpr": "TPR", "fpr": "FPR"}
PR_POINTS = {"thresholds": "threshold", "precision": "precision", "recall": "recall"}
SHARES = ("tpr", "fpr", "precision", "recall")
BINS = {"predicted": "predicted", "observed": "observed", "low": "low", "high": "high", "count": "examples"}


def roc_page(curve: RocCurve) -> Page:
    """The area, the pairs behind it, and the points of a short curve."""
    if curve.reason:
        return Page.of(f"The ROC curve is undefined: {curve.reason}.")
    low, high = curve.auc_interval()
    interval = format_interval(float(low), float(high), 4)
    about = f" (95% interval {interval}, by DeLong: other examples, the same model)" if interval != "-" else ""
    sentence = (
        f"AUC {_four(curve.auc)}{about} for class {_label(curve.positive)}: of {curve.n_positive * curve.n_negative} pairs of a "
        f"positive and a negative example {curve.area.pairs_won[0]} are in the right order and {curve.area.pairs_tied[0]} tied."
    )
    return Page.of(sentence, _points(curve, ROC_POINTS))


def precision_recall_page(curve: PrecisionRecallCurve) -> Page:
    """The average precision beside what chance gives, and the points of a short curve."""
    if curve.reason:
        return Page.of(f"The precision-recall curve is undefined: {curve.reason}.")
    sentence = (
        f"Average precision {_four(curve.average_precision)} for class {_label(curve.positive)}; calling everything positive has "
        f"precision {_four(curve.prevalence)} ({curve.n_positive} of {curve.n_positive + curve.n_negative} examples)."
    )
    return Page.of(sentence, _points(curve, PR_POINTS))


def calibration_page(curve: CalibrationCurve) -> Page:
    """Distance of probabilities from what happened, and the bins."""
    sentence = (
        f"Probabilities of class {_label(curve.positive)} are off by {_four(curve.calibration_error)} on average over bins; "
        f"Brier score {_four(curve.brier_score)}."
    )
    *numbers, counts = (getattr(curve, name).tolist() for name in BINS)
    rows = tuple((*map(_four, row), f"{n:.0f}") for *row, n in zip(*numbers, counts, strict=True))
    title = f"Bins of similar probability, with Wilson's {format_percent(1 - curve.alpha)} interval of each"
    warning = [f"Warning: {curve.reason}, so it says little."] if curve.reason else []
    return Page.of(sentence, Table(title, tuple(BINS.values()), rows, (True,) * 5), *warning)


def _attributes(curve: Any, names: dict[str, str]) -> dict[str, Any]:
    """Columns of a curve by their names; a threshold stands by itself."""
    return {"threshold" if name == "thresholds" else name: getattr(curve, name) for name in names}


# --- of several models ----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """Curves of several models: titles, the mean over splits by its name, and what is read off all predictions together."""

    title: str
    average: str
    header: str
    bounded: str
    pooled: dict[str, str]
    last: str
    note: str


KINDS = {
    "Rocs": Kind(
        "ROC curves",
        "auc",
        "mean AUC",
        "AUC",
        {"pooled": "auc"},
        "pooled_auc",
        "'mean AUC' is the mean over splits, and its {level} interval is {corrected}. 'pooled' is of all predictions together, "
        'which mixes the scales of models that were fitted apart. Which differences are real: compare("roc_auc").',
    ),
    "PrecisionRecalls": Kind(
        "Precision-recall curves",
        "average_precision",
        "mean AP",
        "average precision",
        {"pooled": "average_precision", "by chance": "prevalence"},
        "pooled_average_precision",
        "'mean AP' is the mean of the average precision over splits, and its {level} interval is {corrected}. 'pooled' is of all "
        "predictions together; 'by chance' is the share of positive examples.",
    ),
    "Calibrations": Kind(
        "Calibration",
        "brier_score",
        "Brier score",
        "Brier score",
        {"off by": "calibration_error"},
        "calibration_error",
        "The Brier score is the mean over splits, and its {level} interval is {corrected}. 'off by' is the mean distance of "
        "observed shares from probabilities, over bins of all predictions together.",
    ),
}
"""By the type of the result."""


def lines_page(lines: Lines[Any]) -> Page:
    """A row for each model and class, what the numbers are, and splits without a curve."""
    kind, several = KINDS[type(lines).__name__], len(lines.classes) > 1
    shown = dict(zip(lines.models, short_names(list(lines.models), NAME_WIDTH), strict=True))
    averages, rows = [getattr(line, kind.average) for line in lines], []
    for line, each in zip(lines, averages, strict=True):
        interval = format_interval(float(each.low), float(each.high), 4)
        splits = n_of(each.n_splits, each.n_splits + each.n_undefined)
        pooled = (_four(getattr(line.pooled, name)) for name in kind.pooled.values())
        of_class = (printable(str(line.positive)),) if several else ()
        rows.append((shown[line.model], *of_class, _four(float(each.mean)), interval, splits, *pooled))
    whose = "of each class against the rest" if several else f"of class {_label(lines.classes[0])}"
    title = f"{kind.title} {whose}{f' on {quote(lines.dataset)}' if lines.dataset else ''}"
    names = ("model", "class") if several else ("model",)
    headers = (kind.header, "interval", "splits", *kind.pooled)
    right = (*(False,) * len(names), *(True,) * len(headers))
    ends = (float(end) for each in averages for end in (each.low, each.high))
    return Page.of(
        Table(title, (*names, *headers), tuple(rows), right),
        kind.note.format(level=format_percent(1 - lines.alpha), corrected=CORRECTED),
        *cut_notes(ends, (0.0, 1.0), kind.bounded),
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
    averages = [getattr(line, kind.average) for line in lines]
    name, last = kind.average, next(iter(kind.pooled.values()))
    fields = {name: "mean", f"{name}_low": "low", f"{name}_high": "high", "n_splits": "n_splits", "n_undefined": "n_undefined"}
    return {
        **{each: [getattr(line, each) for line in lines] for each in ("model", "positive")},
        **{column: [getattr(each, field) for each in averages] for column, field in fields.items()},
        kind.last: [getattr(line.pooled, last) for line in lines],
    }


ROC = View(roc_page, partial(_attributes, names=ROC_POINTS), plain, f"{PLOTS}ROC")
PRECISION_RECALL = View(precision_recall_page, partial(_attributes, names=PR_POINTS), plain, f"{PLOTS}PRECISION_RECALL")
CALIBRATION = View(calibration_page, partial(_attributes, names=BINS), plain, f"{PLOTS}CALIBRATION")
ROCS = View(lines_page, lines_columns, plain, f"{PLOTS}ROC")
PRECISION_RECALLS = View(lines_page, lines_columns, plain, f"{PLOTS}PRECISION_RECALL")
CALIBRATIONS = View(lines_page, lines_columns, plain, f"{PLOTS}CALIBRATION")
