"""Learning and validation curves, and the parts of a loss, in words and columns."""

import numbers
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.statistics.splits import ANSWERS, LESS_THAN_ROPE, YES
from tiebreak.studies.bias_variance import BiasVariance
from tiebreak.studies.curves import CurveOfMeans, DoublingAnswer, LearningCurve, SweetSpot, ValidationCurve
from tiebreak.views.page import Page, Paragraph, Section, Table
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
from tiebreak.views.view import Columns, View, document, plain, records_of
from tiebreak.views.words import (
    count,
    cut_notes,
    decimals_for,
    format_interval,
    format_percent,
    format_score,
    listed,
    n_of,
    printable,
    quote,
    seconds,
    short_names,
    shorten,
)

# --- what both curves have ------------------------------------------------------------------------------------------------

POINTS = ("test_mean", "test_low", "test_high", "train_mean", "train_low", "train_high", "n_splits", "fit_seconds")


def _columns(curve: CurveOfMeans, **at: Sequence[Any]) -> dict[str, Any]:
    """The points, those of the first model first; `at` is where along the axis each stands."""
    models = {"model": [model for model in curve.models for _ in range(len(next(iter(at.values()))))]}
    along = {name: [value for _ in curve.models for value in values] for name, values in at.items()}
    return {**models, **along, **{name: getattr(curve.points, name).ravel() for name in POINTS}}


def _facts(result: Any, kind: str, columns: Callable[[Any], Columns], names: Sequence[str], **facts: Any) -> dict[str, Any]:
    """Facts of a result: attributes by their names, further ones, and the points as records."""
    if isinstance(result, CurveOfMeans):
        settings = {"rope": result.rope, "alpha": result.alpha}
        facts = {"metric": result.metric, "settings": settings, **facts}
    held = {**{name: getattr(result, name) for name in names}, **facts}
    return document(kind=kind, **held, n_failed=result.evaluation.n_failed, points=map(plain, records_of(columns(result))))


def _decimals(curve: CurveOfMeans) -> int:
    """Decimals that show two digits of a typical half-width; four where there is none."""
    widths = curve.points.test_high - curve.points.test_low
    widths = widths[np.isfinite(widths)]
    return decimals_for(float(np.median(widths)) / 4) if widths.size else 4


def _points(curve: CurveOfMeans, title: str, along: str, texts: Sequence[str], **more: Sequence[str]) -> Table:
    """A row for each point: test mean and interval, training mean, splits, time of a fit, and further columns."""
    decimals, points = _decimals(curve), {name: getattr(curve.points, name).ravel().tolist() for name in POINTS}
    ends = zip(points["test_low"], points["test_high"], strict=True)
    columns = [
        ("model", [name if not place else "" for name in short_names(curve.models) for place in range(len(texts))]),
        (along, [*texts] * len(curve.models)),
        ("test", [format_score(mean, decimals) for mean in points["test_mean"]]),
        (f"{format_percent(1 - curve.alpha)} interval", [format_interval(low, high, decimals) for low, high in ends]),
        ("train", [format_score(mean, decimals) for mean in points["train_mean"]]),
        ("splits", [n_of(n, curve.n_splits) for n in points["n_splits"]]),
        ("fit", [seconds(each) for each in points["fit_seconds"]]),
        *more.items(),
    ]
    return Table.of(f"Mean {printable(curve.metric.name)} by {title}", columns, ("model", *more))


def _notes(curve: CurveOfMeans) -> list[str]:
    """Meaning of the intervals, whether some are cut off where the metric ends, and what was lost."""
    p, level = curve.points, format_percent(1 - curve.alpha)
    ends = (*p.test_low.ravel().tolist(), *p.test_high.ravel().tolist())
    meaning = (
        f"Intervals are corrected {level} t intervals of the mean over splits (Nadeau and Bengio 2003), by n_test / n_train of "
        "the whole training sets; those of two models say little about their difference."
    )
    return [
        meaning,
        *cut_notes(ends, curve.metric.bounds_of(np.nan, np.nan), printable(curve.metric.name)),
        *_lost(curve.evaluation),
    ]


def _lost(evaluation: Evaluation) -> list[str]:
    """Number of failed cells and of undefined scores, with the most frequent reason."""
    failed = f"{{n}} of {evaluation.n_cells} cells failed, most often with: {{most}}. See evaluation.failures."
    undefined = "{n} scores are undefined, most often as {most}. See evaluation.undefined."
    found = ((failed, evaluation.failures, "message"), (undefined, evaluation.undefined, "reason"))
    said = [
        words.format(n=frame["n_cells"].sum(), most=printable(frame[column][0]).rstrip("."))
        for words, frame, column in found
        if len(frame)
    ]
    return [f"{each} Means are over the splits that are left." for each in said]


def _splits(curve: CurveOfMeans) -> str:
    return f"{count(curve.n_splits, 'split')} ({curve.evaluation.record.datasets[0].kind})"


# --- learning curves --------------------------------------------------------------------------------------------------------

_WHY = {
    "identical-scores": "its scores are the same with half of the data, on all splits, so there is no spread to judge by.",
    "no-spread": "the gain is the same on all splits, so there is no spread to judge by.",
    "too-few-splits": "fewer than two splits have the scores that are needed.",
    "no-halves": "for that the sizes must hold a quarter and a half of the largest one.",
}

_ASSUMED = (
    "Next doubling: gains are taken to shrink from doubling to doubling, by no more than at the rate 1/n or as they have shrunk "
    "before, whichever is faster. A curve that rises in steps or dips breaks that."
)


def learning_page(curve: LearningCurve) -> Page:
    """Sentences, answers, points and notes."""
    sizes = list(map(str, curve.sizes))
    span = " to ".join(dict.fromkeys((sizes[0], sizes[-1])))
    title = f"Learning curve: {printable(curve.metric.name)} with {span} training examples, {_splits(curve)}"
    answers = tuple(sentence(curve, each) for each in curve.answers)
    return Page(
        (
            Paragraph((f"{title}, the same test rows for every size.",)),
            Paragraph(answers, n_strong=len(answers)),
            _points(curve, "training examples", "examples", sizes),
            Section("Notes", (_ASSUMED, *_notes(curve))),
        )
    )


def learning_columns(curve: LearningCurve) -> dict[str, Any]:
    """A row for each point."""
    return _columns(curve, size=curve.sizes)


def sentence(curve: LearningCurve, answer: DoublingAnswer) -> str:
    """Would more data help a model, and how we know."""
    opening = f"Would more data help {quote(answer.model)}?"
    if answer.reason:
        return f"{opening} It cannot be told: {_WHY[answer.reason]}"
    decimals, rope = decimals_for((answer.last_high - answer.last_low) / 4), f"the rope of {curve.rope:.4g}"
    word = "higher" if curve.metric.higher_is_better == (answer.last_gain >= 0) else "lower"
    by = format_score(abs(answer.last_gain), decimals)
    change = f"made {curve.metric.name} {word} by {by}" if float(by) else f"left {curve.metric.name} as it was"
    last = (
        f"the last doubling, to {curve.sizes[-1]} examples, {change} ({format_percent(1 - curve.alpha)} interval of the gain "
        f"{format_interval(answer.last_low, answer.last_high, decimals)})"
    )
    low, high = format_score(answer.next_low, decimals), format_score(answer.next_high, decimals)
    if answer.answer == ANSWERS[YES]:
        return f"{opening} Yes: {last}, and the next one brings at least {low}{f', more than {rope}' if curve.rope else ''}."
    if answer.answer == ANSWERS[LESS_THAN_ROPE]:
        how = f"gains shrink, so the next one brings at most {high}, less than {rope}"
        return f"{opening} By less than the rope on doubling: {last}; {how}."
    sides = f", on either side of {rope}" if curve.rope else "; without a rope only a clear yes can be told"
    return f"{opening} It cannot be told: {last}, and the next one brings {low} to {high}{sides}."


# --- validation curves ------------------------------------------------------------------------------------------------------

BEST = "best mean"
"""Stands in the table where the others have a verdict."""

_AGAINST_BEST = {
    "equivalent": "practically equivalent",
    "undecided": "not told apart from it yet",
    "behind": "behind, maybe by too little to matter",
    "worse": "worse",
    "ahead": "ahead on the splits that it has",
    "better": "better on the splits that it has",
}

_VERDICTS = "Verdicts are those of tiebreak.compare among the values of a model, each pair by one interval (bonferroni)."
_PICKED = (
    "The best of several values was picked by these same scores, so its mean is likely a little too good; nested "
    "cross-validation gives an honest one."
)


def validation_page(curve: ValidationCurve) -> Page:
    """Sentences, points and notes."""
    rope = f"rope {curve.rope}" if curve.rope else "no rope, so none can be called equivalent"
    title = f"Validation curve: {printable(curve.metric.name)} by {printable(curve.parameter)}, {_splits(curve)}; {rope}."
    answers = tuple(_sweet(curve, spot) for spot in curve.sweet_spots)
    against = [
        BEST if place == spot.position else verdict or "-"
        for spot in curve.sweet_spots
        for place, verdict in enumerate(spot.verdicts)
    ]
    texts = [shorten(label, 34) for label in curve.labels]
    return Page(
        (
            Paragraph((title,)),
            Paragraph(answers, n_strong=len(answers)),
            _points(curve, "value", shorten(curve.parameter, 34), texts, **{"against the best": against}),
            Section("Notes", (_VERDICTS, _PICKED, *_notes(curve))),
        )
    )


def validation_columns(curve: ValidationCurve) -> dict[str, Any]:
    """A row for each point."""
    spots = [(spot, place) for spot in curve.sweet_spots for place in range(len(curve.values))]
    return {
        **_columns(curve, value=curve.values, label=curve.labels),
        "is_best": [place == spot.position for spot, place in spots],
        "verdict": [spot.verdicts[place] for spot, place in spots],
    }


def validation_facts(curve: ValidationCurve) -> dict[str, Any]:
    """Settings, the best value of each model, and the points."""
    spots = [
        {
            "model": spot.model,
            "value": None if spot.position is None else curve.values[spot.position],
            **{verdict: [curve.values[place] for place in spot.where(verdict)] for verdict in ("equivalent", "undecided")},
            "reason": spot.reason,
        }
        for spot in curve.sweet_spots
    ]
    names = ("models", "n_splits", "parameter", "values")
    return _facts(curve, "validation-curve", validation_columns, names, sweet_spots=spots)


def _sweet(curve: ValidationCurve, spot: SweetSpot) -> str:
    """The best value of a model, and which others may do as well."""
    if spot.position is None:
        return f"{quote(spot.model)}: {spot.reason}."
    mean = float(curve.points.test_mean[curve.models.index(spot.model), spot.position])
    values, parameter = [shorten(label, 40) for label in curve.labels], printable(curve.parameter)
    side = "highest" if curve.metric.higher_is_better else "lowest"
    best = f"{format_score(mean, _decimals(curve))}, at {parameter}={values[spot.position]}"
    found = f"{quote(spot.model)}: the {side} mean {curve.metric.name} is {best}"
    if spot.reason:
        return f"{found}. How the others stand to it is not known: {spot.reason.rstrip('.')}."
    clauses = [found]
    for verdict, words in _AGAINST_BEST.items():
        if places := spot.where(verdict):
            who = listed([f"{parameter}={values[places[0]]}", *(values[place] for place in places[1:])], 6)
            clauses.append(f"{who} {'is' if len(places) == 1 else 'are'} {words}")
    return f"{'; '.join(clauses)}."


# --- bias and variance ------------------------------------------------------------------------------------------------------

LOSS_NAMES = {"squared": "mean squared error", "zero-one": "error rate"}

_PARTS = {
    "squared": {"bias² + noise": "bias", "variance": "variance"},
    "zero-one": {"bias": "bias", "net variance": "variance", "costs": "unbiased", "helps": "biased"},
}
"""Parts of a loss as they are called on the page."""

_OF_ZERO_ONE = (
    "Bias: the share of test examples that most training sets get wrong (Domingos 2000, labels taken to be right). Net variance: "
    "how often single training sets get the others wrong (costs), less how often they get these right (helps)."
)
_OF_LOSS = {
    "squared": (
        "The noise of the target is in the squared bias: one target for each example cannot tell them apart.",
        "The variance comes out too small, and the squared bias too large, by about the variance / {n}.",
    ),
    "zero-one": (_OF_ZERO_ONE,),
}
_DRAWN = (
    "Training sets drawn with replacement hold about 63% of the examples, some of them more than once, so all parts are those of "
    "somewhat less data."
)


def parts_page(result: BiasVariance) -> Page:
    """Design, the parts and the notes."""
    is_squared, loss = result.loss == "squared", LOSS_NAMES[result.loss]
    numbers = {loss: "loss", **_PARTS[result.loss]}
    columns = {
        "model": short_names(result.models),
        **{
            header: [
                f"{getattr(each, name):.4g}" if is_squared else format_score(getattr(each, name), 4) for each in result.parts
            ]
            for header, name in numbers.items()
        },
        "rounds": [n_of(each.n_rounds, result.n_rounds) for each in result.parts],
    }
    notes = [note.format(n=result.n_rounds) for note in _OF_LOSS[result.loss]]
    how = f"{result.n_rounds} training sets of {result.n_train} examples, drawn with replacement"
    return Page(
        (
            Paragraph((f"Bias and variance of the {loss}: {how}, and one test set of {result.n_test}.",)),
            Table.of("Parts of the loss, means over the test examples", columns.items()),
            Section("Notes", (*notes, _DRAWN, *_lost(result.evaluation))),
        )
    )


def parts_columns(result: BiasVariance) -> dict[str, Any]:
    """A row for each model."""
    names = ("model", "n_rounds", "loss", "bias", "variance", "unbiased", "biased")
    return {name: [getattr(each, name) for each in result.parts] for name in names}


# --- plots ------------------------------------------------------------------------------------------------------------------


def learning_curve(curve: LearningCurve) -> Drawing:
    """Scores by the number of training examples, and whether more of them would help."""
    data = curve.to_frame()
    data.insert(1, "x", data["size"])
    said = [f"more data: {answer.answer}" for answer in curve.answers]
    n_helped = sum(answer.answer == ANSWERS[YES] for answer in curve.answers)
    title = f"More data are shown to help {n_helped} of {len(curve.models)} models"
    return _curve(curve, data, said, title, "", "training examples", None)


def validation_curve(curve: ValidationCurve) -> Drawing:
    """Scores by the value of a parameter, with the best value and all that are practically as good."""
    places = _numbers(curve.values)
    data = curve.to_frame()
    data.insert(1, "x", [float(place) for _ in curve.models for place in (places or range(len(curve.values)))])
    data = data.drop(columns="value")
    texts, parameter = [short(label, 16) for label in curve.labels], short(curve.parameter)
    said = ["no score" if spot.position is None else f"best: {texts[spot.position]}" for spot in curve.sweet_spots]
    title = f"{short(curve.metric.name)} of {len(curve.models)} models by {parameter}"
    marks = ", ".join(marked(name) for name in ("equivalent", "undecided", "behind", "worse"))
    words = None if places else list(map(minus, texts))
    return _curve(curve, data, said, title, f"★ best mean; against it {marks}. ", parameter, words)


def _curve(
    curve: CurveOfMeans, data: Any, said: list[str], title: str, before: str, x_label: str, words: list[str] | None
) -> Drawing:
    """A line for each model, of many for the first, test scores solid, training scores dashed; `said` is of each model."""
    drawn = curve.models[:MOST_LINES]
    data, texts, found = data[data["model"].isin(drawn)].reset_index(drop=True), labels(drawn), []
    for name, label, answer in zip(drawn, texts, said, strict=False):
        part = data[data["model"] == name].sort_values("x", kind="stable")
        against_best = zip(part.get("is_best", ()), part.get("verdict", ()), strict=True)
        marks = ["*" if is_best else MARKS[verdict].marker for is_best, verdict in against_best]
        test = {"low": part["test_low"], "high": part["test_high"]}
        found.append(Curve(part["x"], part["test_mean"], f"{label}\n{answer}", marks=marks, train=part["train_mean"], **test))
    return lines(
        data,
        found,
        title=f"{texts[0]}, {said[0]}" if len(curve.models) == 1 else title,
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
    places = list(map(float, values))
    return places if len(set(places)) == len(places) and np.isfinite(places).all() else None


def parts(result: BiasVariance) -> Drawing:
    """Loss of each model as its bias and its variance, the smallest loss first."""
    known = result.to_frame().dropna(subset=["loss"]).sort_values("loss", kind="stable").reset_index(drop=True)
    data, loss = known.head(MOST_ROWS), LOSS_NAMES[result.loss]
    is_squared, lost, title = result.loss == "squared", len(result.models) - len(known), "No model has a loss"
    if len(data):
        larger = "bias" if data["bias"].iloc[0] >= data["variance"].iloc[0] else "variance"
        title = f"{labels(list(data['model']))[0]} has the smallest {loss}, most of it {larger}"
    stacked = {"bias": data["bias"], "variance that costs": data["unbiased"]}
    about = "Hatched: what variance helps is taken off, down to the loss."
    if is_squared:
        stacked = {"squared bias and noise": data["bias"], "variance": data["variance"]}
        about = "The noise of the target is in the bias."
    without = f" Without a loss: {lost} models." if lost else ""
    return bars(
        data,
        stacked,
        names=list(data["model"]),
        title=title,
        note=f"Means over one test set, {result.n_rounds} training sets drawn with replacement. {about}"
        f"{of_all(len(data), len(known))}{without}",
        x_label=loss,
        notes=[
            f"{total:.3g} = {bias:.3g} {'+' if variance >= 0 else '−'} {abs(variance):.3g}"
            for total, bias, variance in zip(data["loss"], data["bias"], data["variance"], strict=True)
        ],
        colours=(COLOURS[0], "#E69F00"),
        outlined=None if is_squared else ("variance that helps", data["loss"], data["biased"]),
    )


LEARNING = View(
    learning_page,
    learning_columns,
    partial(_facts, kind="learning-curve", columns=learning_columns, names=("models", "n_splits", "sizes", "answers")),
    {"learning_curve": Plot(learning_curve)},
)
VALIDATION = View(validation_page, validation_columns, validation_facts, {"validation_curve": Plot(validation_curve)})
BIAS_VARIANCE = View(
    parts_page,
    parts_columns,
    partial(_facts, kind="bias-variance", columns=parts_columns, names=("loss", "n_rounds", "n_train", "n_test")),
    {"parts": Plot(parts)},
)
