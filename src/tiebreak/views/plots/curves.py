"""Plots of learning and validation curves, and of the parts of a loss."""

import numbers
from typing import Any

from tiebreak.statistics.splits import ANSWERS, YES
from tiebreak.studies.bias_variance import BiasVariance
from tiebreak.studies.curves import LearningCurve, ValidationCurve
from tiebreak.views.curves import LOSS_NAMES
from tiebreak.views.plots.draw import (
    COLOURS,
    MARKS,
    MOST_LINES,
    MOST_ROWS,
    Curve,
    Drawing,
    Plot,
    bars,
    labels,
    lines,
    marked,
    minus,
    of_all,
    short,
)
from tiebreak.views.words import format_percent


def learning_curve(curve: LearningCurve) -> Drawing:
    """Scores by the number of training examples, and whether more of them would help."""
    data = curve.to_frame()
    data.insert(1, "x", data["size"])
    said = {name: f"more data: {answer.answer}" for name, answer in zip(curve.models, curve.answers, strict=True)}
    n_helped = sum(answer.answer == ANSWERS[YES] for answer in curve.answers)
    title = f"More data are shown to help {n_helped} of {len(curve.models)} models"
    if len(curve.models) == 1:
        title = f"{labels(curve.models)[0]}, {said[curve.models[0]]}"
    return _curve(curve, data, said, title, "", "training examples", None)


def validation_curve(curve: ValidationCurve) -> Drawing:
    """Scores by the value of a parameter, with the best value and all that are practically as good."""
    places = _numbers(curve.values)
    data = curve.to_frame()
    data.insert(1, "x", [float(place) for _ in curve.models for place in (places or range(len(curve.values)))])
    data = data.drop(columns="value")
    best = {spot.model: None if spot.position is None else curve.labels[spot.position] for spot in curve.sweet_spots}
    said = {name: "no score" if value is None else f"best: {short(value, 16)}" for name, value in best.items()}
    parameter, first = short(curve.parameter), labels(curve.models)[0]
    title = (
        f"{first}, {said[curve.models[0]]}"
        if len(curve.models) == 1
        else f"{short(curve.metric.name)} of {len(curve.models)} models by {parameter}"
    )
    marks = ", ".join(f"{marked(name)}" for name in ("equivalent", "undecided", "behind", "worse"))
    words = None if places else [minus(short(label, 16)) for label in curve.labels]
    return _curve(curve, data, said, title, f"★ best mean; against it {marks}. ", parameter, words)


def _curve(
    curve: Any, data: Any, said: dict[str, str], title: str, before: str, x_label: str, words: list[str] | None
) -> Drawing:
    """A line for each model, of many for the first, test scores solid, training scores dashed."""
    data = data[data["model"].isin(curve.models[:MOST_LINES])].reset_index(drop=True)
    drawn = [name for name in curve.models if name in set(data["model"])]
    found = []
    for name, label in zip(drawn, labels(drawn), strict=True):
        part = data[data["model"] == name].sort_values("x", kind="stable")
        marks = (
            []
            if "verdict" not in part
            else [
                "*" if is_best else MARKS.get(verdict, MARKS["undecided"]).marker
                for is_best, verdict in zip(part["is_best"], part["verdict"], strict=True)
            ]
        )
        found.append(
            Curve(
                part["x"],
                part["test_mean"],
                f"{label}\n{said[name]}",
                part["test_low"],
                part["test_high"],
                (),
                marks,
                part["train_mean"],
            )
        )
    return lines(
        data,
        found,
        title=title,
        note=f"{before}Solid: test. Dashed: training. Upright: {format_percent(1 - curve.alpha)} intervals of the mean "
        f"over splits; "
        f"whether models differ is not shown by them.{of_all(len(drawn), len(curve.models))}",
        x_label=x_label,
        y_label=f"{short(curve.metric.name)} ({'higher' if curve.metric.higher_is_better else 'lower'} is better)",
        has_marks=True,
        ticks=None if words is None else (range(len(words)), words),
        log=words is None,
        size=(7.6, max(3.9, 0.42 * len(drawn) + 0.6)),
    )


def _numbers(values: Any) -> list[float] | None:
    """The values where all are finite numbers and no two are the same, else None."""
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in values):
        return None
    places = [float(value) for value in values]
    return places if len(set(places)) == len(places) and all(abs(place) < float("inf") for place in places) else None


def parts(result: BiasVariance) -> Drawing:
    """Loss of each model as its bias and its variance, the smallest loss first."""
    known = result.to_frame().dropna(subset=["loss"]).sort_values("loss", kind="stable").reset_index(drop=True)
    data, loss = known.head(MOST_ROWS), LOSS_NAMES[result.loss]
    is_squared = result.loss == "squared"
    costs = "variance" if is_squared else "variance that costs"
    title = "No model has a loss"
    if len(data):
        larger = "bias" if data["bias"].iloc[0] >= data["variance"].iloc[0] else "variance"
        title = f"{labels(list(data['model']))[0]} has the smallest {loss}, most of it {larger}"
    lost = len(result.models) - len(known)
    return bars(
        data,
        {
            "squared bias and noise" if is_squared else "bias": data["bias"],
            costs: data["variance" if is_squared else "unbiased"],
        },
        names=list(data["model"]),
        title=title,
        note=f"Means over one test set, {result.n_rounds} training sets drawn with replacement. "
        + (
            "The noise of the target is in the bias."
            if is_squared
            else "Hatched: what variance helps is taken off, down to the loss."
        )
        + of_all(len(data), len(known))
        + (f" Without a loss: {lost} models." if lost else ""),
        x_label=loss,
        notes=[
            f"{total:.3g} = {bias:.3g} {'+' if variance >= 0 else '−'} {abs(variance):.3g}"
            for total, bias, variance in zip(data["loss"], data["bias"], data["variance"], strict=True)
        ],
        colours=(COLOURS[0], "#E69F00"),
        outlined=None if is_squared else ("variance that helps", data["loss"], data["biased"]),
    )


LEARNING = {"learning_curve": Plot(learning_curve)}
VALIDATION = {"validation_curve": Plot(validation_curve)}
BIAS_VARIANCE = {"parts": Plot(parts)}
