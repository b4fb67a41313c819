"""Plots of kept predictions: ROC, precision-recall, calibration and cost curves, and confusion matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.evaluation.class_curves import Calibrations, Confusions, PrecisionRecalls, Rocs
from tiebreak.metrics.confusion import ConfusionMatrix, Share
from tiebreak.metrics.costs import CostMatrix
from tiebreak.metrics.curves import CalibrationCurve, PrecisionRecallCurve, RocCurve
from tiebreak.numerics import FloatArray
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
from tiebreak.views.view import as_frame
from tiebreak.views.words import format_interval, format_percent, format_score

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


# --- What they share ------------------------------------------------------------------------------------------------

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


ROC = {"curve": Plot(roc), "costs": Plot(costs)}
PRECISION_RECALL = {"curve": Plot(precision_recall)}
CALIBRATION = {"curve": Plot(calibration)}


_SHARES = {
    "actual": "the actual class (rows sum to 100%)",
    "predicted": "the predicted class (columns sum to 100%)",
    "all": "all",
}


def matrix(result: ConfusionMatrix, *, by: Share = "actual") -> Drawing:
    """Counts as a square; colours are shares `by` actual or predicted class, or of all."""
    import pandas as pd

    if len(result.labels) > MOST_CELLS:
        raise InvalidParameterError(
            f"a square holds at most {MOST_CELLS} classes, and there are {len(result.labels)}; .to_frame() has all."
        )
    share = result.normalised(by)
    names = [str(label) for label in result.labels]
    data = pd.DataFrame(
        [(names[i], names[j], int(result.counts[i, j]), share[i, j]) for i in range(len(names)) for j in range(len(names))],
        columns=["actual", "predicted", "n", "share"],
    )
    beats = "better" if result.accuracy > result.majority_rate else "no better"
    return square(
        data,
        share,
        [[str(int(n)) if n or len(names) <= 6 else "" for n in row] for row in result.counts],
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


MATRIX = {"matrix": Plot(matrix)}
MODELS = {"matrix": Plot(matrices)}
