"""ROC, precision-recall and calibration curves in words, tables and frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.evaluation.class_curves import Average, Calibrations, Line, Lines, PrecisionRecalls, RocDifference, Rocs
from tiebreak.metrics.calibration import CalibrationCurve
from tiebreak.metrics.precision_recall import PrecisionRecallCurve
from tiebreak.metrics.roc import RocCurve
from tiebreak.views.json import plain
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Table
from tiebreak.views.view import View
from tiebreak.views.words import cut_notes, format_interval, format_percent, format_score, printable, quote, shorten

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 30
"""Points up to which a curve is written out."""

CORRECTED = "corrected for the training data that splits share (Nadeau and Bengio 2003)"


# --- one curve ------------------------------------------------------------------------------------------------------------


def roc_page(curve: RocCurve) -> Page:
    """The area, the pairs behind it, and the points of a short curve."""
    if curve.reason:
        return Page.of(f"The ROC curve is undefined: {curve.reason}.")
    n_pairs = curve.n_positive * curve.n_negative
    low, high = curve.auc_interval()
    interval = format_interval(float(low), float(high), 4)
    about = f" (95% interval {interval}, by DeLong: other examples, the same model)" if interval != "-" else ""
    sentence = (
        f"AUC {format_score(curve.auc, 4)}{about} for class {_label(curve.positive)}: of {n_pairs} pairs of a positive and a "
        f"negative example {curve.area.pairs_won[0]} are in the right order and {curve.area.pairs_tied[0]} tied."
    )
    counts = zip(curve.thresholds.tolist(), *(each.tolist() for each in (curve.tp, curve.fp, curve.fn, curve.tn)), strict=True)
    rows = tuple(
        (format_threshold(threshold), *(str(count) for count in numbers), format_score(tpr, 4), format_score(fpr, 4))
        for (threshold, *numbers), tpr, fpr in zip(counts, curve.tpr.tolist(), curve.fpr.tolist(), strict=True)
    )
    return Page.of(sentence, _points(("threshold", "TP", "FP", "FN", "TN", "TPR", "FPR"), rows))


def precision_recall_page(curve: PrecisionRecallCurve) -> Page:
    """The average precision beside what chance gives, and the points of a short curve."""
    if curve.reason:
        return Page.of(f"The precision-recall curve is undefined: {curve.reason}.")
    sentence = (
        f"Average precision {format_score(curve.average_precision, 4)} for class {_label(curve.positive)}; calling everything "
        f"positive has precision {format_score(curve.prevalence, 4)} ({curve.n_positive} of "
        f"{curve.n_positive + curve.n_negative} examples)."
    )
    columns = (curve.thresholds.tolist(), curve.precision.tolist(), curve.recall.tolist())
    rows = tuple(
        (format_threshold(threshold), format_score(precision, 4), format_score(recall, 4))
        for threshold, precision, recall in zip(*columns, strict=True)
    )
    return Page.of(sentence, _points(("threshold", "precision", "recall"), rows))


def calibration_page(curve: CalibrationCurve) -> Page:
    """Distance of probabilities from what happened, and the bins."""
    sentence = (
        f"Probabilities of class {_label(curve.positive)} are off by {format_score(curve.calibration_error, 4)} on average over "
        f"bins; Brier score {format_score(curve.brier_score, 4)}."
    )
    names = ("predicted", "observed", "low", "high")
    rows = tuple(
        (*(format_score(float(getattr(curve, name)[place]), 4) for name in names), str(int(count)))
        for place, count in enumerate(curve.count)
    )
    title = f"Bins of similar probability, with Wilson's {format_percent(1 - curve.alpha)} interval of each"
    table = Table(title, ("predicted", "observed", "low", "high", "examples"), rows, (True,) * 5)
    warning = [f"Warning: {curve.reason}, so it says little."] if curve.reason else []
    return Page.of(sentence, table, *warning)


# --- of several models ----------------------------------------------------------------------------------------------------


def rocs_page(rocs: Rocs) -> Page:
    """A row for each model."""
    rows = [(*_average(line.auc), format_score(line.pooled.auc, 4)) for line in rocs]
    note = (
        f"'mean AUC' is the mean over splits, and its {format_percent(1 - rocs.alpha)} interval is {CORRECTED}. 'pooled' is of "
        "all predictions together, which mixes the scales of models that were fitted apart. Which differences are real: "
        'compare("roc_auc"); where each of two is better: difference(first, second).'
    )
    table = _table(rocs, "ROC curves", ("mean AUC", "interval", "splits", "pooled"), rows)
    return Page.of(table, note, *_cut([line.auc for line in rocs], "AUC"), *_undefined(rocs))


def precision_recalls_page(curves: PrecisionRecalls) -> Page:
    """A row for each model."""
    rows = [
        (
            *_average(line.average_precision),
            format_score(line.pooled.average_precision, 4),
            format_score(line.pooled.prevalence, 4),
        )
        for line in curves
    ]
    note = (
        f"'mean AP' is the mean of the average precision over splits, and its {format_percent(1 - curves.alpha)} interval is "
        f"{CORRECTED}. 'pooled' is of all predictions together; 'by chance' is the share of positive examples."
    )
    table = _table(curves, "Precision-recall curves", ("mean AP", "interval", "splits", "pooled", "by chance"), rows)
    cut = _cut([line.average_precision for line in curves], "average precision")
    return Page.of(table, note, *cut, *_undefined(curves))


def calibrations_page(curves: Calibrations) -> Page:
    """A row for each model."""
    rows = [(*_average(line.brier_score), format_score(line.pooled.calibration_error, 4)) for line in curves]
    note = (
        f"The Brier score is the mean over splits, and its {format_percent(1 - curves.alpha)} interval is {CORRECTED}. 'off by' "
        "is the mean distance of observed shares from probabilities, over bins of all predictions together."
    )
    table = _table(curves, "Calibration", ("Brier score", "interval", "splits", "off by"), rows)
    return Page.of(table, note, *_cut([line.brier_score for line in curves], "Brier score"))


def difference_page(difference: RocDifference) -> Page:
    """The ranges of the false positive rate, and who is better in each."""
    first, second = quote(difference.first), quote(difference.second)
    if not difference.regions:
        return Page.of(f"Where {first} and {second} differ is undefined: on no split do both have a curve.")
    rows = tuple(
        (
            f"{low:.3f} to {high:.3f}",
            shorten(difference.winner(region), NAME_WIDTH) or "neither",
            format_percent(round(difference.clear_share(region), 2)),
        )
        for region in difference.regions
        for low, high in [(region.low, region.high)]
    )
    title = f"Where {first} and {second} are better, by their mean ROC curves"
    table = Table(title, ("false positive rate", "better", "clear"), rows, (False, False, True))
    note = (
        "'clear' is the share of the range in which the interval of the difference excludes 0, for each rate by itself and "
        f"{CORRECTED}."
    )
    return Page.of(table, note)


# --- shared ---------------------------------------------------------------------------------------------------------------


def format_threshold(threshold: float) -> str:
    """A threshold in brief; that of the first point is infinite."""
    return format(threshold, ".6g")


def _points(headers: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str | Table:
    if len(rows) > MOST_POINTS:
        return f"Its {len(rows)} points are in to_frame()."
    return Table(
        "Points; an example is called positive when its score is at least the threshold", headers, rows, (True,) * len(headers)
    )


def _label(label: Any) -> str:
    return quote(label) if isinstance(label, str) else str(label)


def _average(each: Average) -> tuple[str, str, str]:
    n = each.n_splits + each.n_undefined
    splits = str(n) if not each.n_undefined else f"{each.n_splits} of {n}"
    return format_score(float(each.mean), 4), format_interval(float(each.low), float(each.high), 4), splits


def _cut(averages: Sequence[Average], of: str) -> list[str]:
    """A sentence where intervals are cut off: all of these means lie between 0 and 1."""
    return cut_notes((float(end) for each in averages for end in (each.low, each.high)), (0.0, 1.0), of)


def _table(lines: Lines[Any], title: str, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    """Rows under model, and where there are several classes under class too."""
    shown = dict(zip(lines.models, short_names(list(lines.models), NAME_WIDTH), strict=True))
    several = len(lines.classes) > 1
    of_class = "of each class against the rest" if several else f"of class {_label(lines.classes[0])}"
    of = f" on {quote(lines.dataset)}" if lines.dataset else ""
    full = tuple(
        (shown[line.model], *((printable(str(line.positive)),) if several else ()), *row)
        for line, row in zip(lines, rows, strict=True)
    )
    names = ("model", "class") if several else ("model",)
    return Table(f"{title} {of_class}{of}", (*names, *headers), full, (*(False,) * len(names), *(True,) * len(headers)))


def _undefined(lines: Lines[Any]) -> list[str]:
    """Splits without a curve, and why."""
    texts = []
    for line in lines:
        reasons = Counter(curve.reason for curve in line.folds if curve.reason)
        why = "; ".join(f"on {n}, {reason}" for reason, n in reasons.most_common())
        if reasons:
            texts.append(
                f"Undefined for {_name(line)}, on {reasons.total()} of {len(line.folds)} splits: {why} [undefined-metric]"
            )
    return [*texts[:5], f"and {len(texts) - 5} more"] if len(texts) > 5 else texts


def _name(line: Line) -> str:
    return f"{quote(line.model)}, class {_label(line.positive)}"


# --- frames ---------------------------------------------------------------------------------------------------------------


def roc_frame(curve: RocCurve) -> pd.DataFrame:
    """A row for each point: threshold, tp, fp, fn, tn, tpr, fpr."""
    import pandas as pd

    counts = {"tp": curve.tp, "fp": curve.fp, "fn": curve.fn, "tn": curve.tn}
    return pd.DataFrame({"threshold": curve.thresholds, **counts, "tpr": curve.tpr, "fpr": curve.fpr})


def precision_recall_frame(curve: PrecisionRecallCurve) -> pd.DataFrame:
    """A row for each point: threshold, precision, recall."""
    import pandas as pd

    return pd.DataFrame({"threshold": curve.thresholds, "precision": curve.precision, "recall": curve.recall})


def calibration_frame(curve: CalibrationCurve) -> pd.DataFrame:
    """A row for each bin: predicted, observed, low, high, count."""
    import pandas as pd

    return pd.DataFrame({name: getattr(curve, name) for name in ("predicted", "observed", "low", "high", "count")})


def rocs_frame(rocs: Rocs) -> pd.DataFrame:
    """A row for each model and class: model, positive, auc, auc_low, auc_high, n_splits, n_undefined, pooled_auc."""
    return _averages_frame([(line.auc, line.pooled.auc) for line in rocs], rocs, "auc", "pooled_auc")


def precision_recalls_frame(curves: PrecisionRecalls) -> pd.DataFrame:
    """A row for each model and class: model, positive, average_precision, its interval, n_splits, n_undefined, pooled."""
    values = [(line.average_precision, line.pooled.average_precision) for line in curves]
    return _averages_frame(values, curves, "average_precision", "pooled_average_precision")


def calibrations_frame(curves: Calibrations) -> pd.DataFrame:
    """A row for each model and class: model, positive, brier_score, its interval, n_splits, calibration_error."""
    values = [(line.brier_score, line.pooled.calibration_error) for line in curves]
    return _averages_frame(values, curves, "brier_score", "calibration_error")


def _averages_frame(values: Sequence[tuple[Average, float]], lines: Lines[Any], name: str, last: str) -> pd.DataFrame:
    import pandas as pd

    rows = [(line.model, line.positive, *each, pooled) for line, (each, pooled) in zip(lines, values, strict=True)]
    columns = ["model", "positive", name, f"{name}_low", f"{name}_high", "n_splits", "n_undefined", last]
    return pd.DataFrame(rows, columns=columns)


def difference_frame(difference: RocDifference) -> pd.DataFrame:
    """A row for each region: low, high, better, clear_share."""
    import pandas as pd

    rows = [(each.low, each.high, difference.winner(each), difference.clear_share(each)) for each in difference.regions]
    return pd.DataFrame(rows, columns=["low", "high", "better", "clear_share"])


ROC = View(roc_page, roc_frame, plain, "tiebreak.views.plots.class_curves:ROC")
ROCS = View(rocs_page, rocs_frame, plain, "tiebreak.views.plots.class_curves:ROC")
ROC_DIFFERENCE = View(difference_page, difference_frame, plain)
PRECISION_RECALL = View(
    precision_recall_page, precision_recall_frame, plain, "tiebreak.views.plots.class_curves:PRECISION_RECALL"
)
PRECISION_RECALLS = View(
    precision_recalls_page, precision_recalls_frame, plain, "tiebreak.views.plots.class_curves:PRECISION_RECALL"
)
CALIBRATION = View(calibration_page, calibration_frame, plain, "tiebreak.views.plots.class_curves:CALIBRATION")
CALIBRATIONS = View(calibrations_page, calibrations_frame, plain, "tiebreak.views.plots.class_curves:CALIBRATION")
