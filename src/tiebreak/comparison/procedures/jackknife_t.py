"""Student's t of metrics of all items together, with the jackknife's standard error, over whole clusters where there are some."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tiebreak.comparison.procedures.items import (
    FURTHER_ITEMS,
    INDEPENDENT_ITEMS,
    OTHER_CHANCE,
    SAME_ITEMS,
    against_first,
    items_of,
    refuse_one_cluster,
    remarks_on_items,
    unpaired,
)
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, Reach, TestOnly, reached, tolerance_of
from tiebreak.errors import DataError, TiebreakError
from tiebreak.numerics import IntArray, Interval
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.auc import roc_areas
from tiebreak.statistics.influence import Influence, bounded, metric_of_classes, metric_of_numbers

FEW_RARER = 10
"""Items of the rarest class below which it is said that they are few."""


def _refuse(data: Scores) -> TiebreakError | None:
    """Means, several runs, weights, gaps, and too few of a class that one can be left out."""
    items = items_of(data)
    if items.is_mean:
        return DataError(
            f"jackknife-t is for metrics of all {items.unit}s together, and {items.metric.name} is a mean over them. Leave "
            "the method out for the one that suits it."
        )
    if len(items.runs) > 1 or items.weights is not None:
        what = f"there are {len(items.runs)} runs" if len(items.runs) > 1 else f"the {items.unit}s have weights"
        return DataError(
            f"jackknife-t takes every {items.unit} once, but {what}. Leave these out of the table, or compare one run by itself."
        )
    if np.isnan(items.score).any():
        return DataError(
            f"jackknife-t needs a prediction of every model for every {items.unit}; {np.isnan(items.score).sum()} are missing. "
            "Leave out what is not there."
        )
    if items.n_rarest == 0:
        return DataError(f"jackknife-t needs {items.unit}s of both classes, as {items.metric.name} tells them apart.")
    if items.n_rarest == 1 and items.is_positive is None and len(items.classes) == 2:
        return DataError(
            f"only one {items.unit} is of the rarer class, so nothing shows how much {items.metric.name} varies with others "
            "of it; two are the fewest. Give more of it, or compare accuracy."
        )
    if items.is_positive is not None and _pieces_of_rarer(items) < 2:
        return DataError(
            f"all {items.unit}s of one class are in one {'cluster' if items.clusters is not None else items.unit}, so "
            "nothing shows how much an area under the ROC curve varies. More of that class are needed."
        )
    return refuse_one_cluster(items)


def _influence(items: Items) -> Influence:
    """The metric of all models, with what each piece adds."""
    rows = items.score[:, 0]
    if items.is_positive is not None:
        return roc_areas(items.is_positive, rows, items.clusters)
    of = metric_of_classes if items.classes else metric_of_numbers
    return of(np.asarray(items.truth), rows, items.metric.name, items.clusters)


def _judge(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Difference of the metrics of each pair, cut at what the metric can reach."""
    items = items_of(data)
    found = _influence(items)
    law = found.difference(*(first, second)[:: data.metric.sign])
    lowest, highest = data.metric.bounds_of(float(found.estimate.min()), float(found.estimate.max()))
    law = replace(bounded(law, highest - lowest), n_units=np.full(np.shape(first), len(items.items)))
    return Judged(law=law, reach_df=reached(law))


def _values(data: Scores) -> ModelValues:
    """Metric of each model, with its interval of the same kind as the differences have."""
    items = items_of(data)
    found = _influence(items)
    value, own = found.estimate, found.of_models
    bounds = data.metric.bounds_of(float(value.min()), float(value.max()))

    def interval(alpha: float) -> Interval:
        return Interval(*(np.clip(end, *bounds) for end in own.interval_at(alpha)))

    n, error = np.full(value.size, len(items.items)), np.asarray(own.se)
    return ModelValues("measured", value, n, tolerance_of(np.abs(value)), interval, standard_error=error)


def _pieces_of_rarer(items: Items) -> int:
    """Number of items, or clusters that hold some, of the class that has fewer of them."""
    pieces = np.arange(len(items.items)) if items.clusters is None else np.asarray(items.clusters)
    is_positive = np.asarray(items.is_positive)
    return min(np.unique(pieces[own]).size for own in (is_positive, ~is_positive))


def _remarks(data: Scores) -> Iterator[Notice]:
    """Few items of a class, or few on which the metric of a model rests."""
    yield from remarks_on_items(data, unused_by="jackknife-t")
    items = items_of(data)
    rarest = items.n_rarest
    moving = _influence(items).n_moving if items.classes and items.clusters is None else None
    if rarest is not None and rarest < FEW_RARER:
        yield Notice(
            "few-units",
            f"there are only {rarest} {items.unit}s of the rarest class, so that the interval is wide and misses more real "
            f"differences than with {FEW_RARER} or more{', and of 2 it may be too narrow' if rarest == 2 else ''}",
        )
    elif moving is not None and moving.min() < FEW_RARER:
        yield Notice(
            "few-units",
            f"{items.metric.name} of {items.models[int(moving.argmin())]!r} rests on {moving.min()} {items.unit}s only, so that "
            "the interval is wide",
        )


def _beside(data: Scores) -> Iterator[TestOnly]:
    return unpaired(data, _judge(data, *against_first(data)).law, _values(data).standard_error)


def _reason(data: Scores | None) -> str:
    """With the metric that is no mean."""
    if data is None:
        return "Student's t with the standard error of the jackknife, for metrics that are no means"
    pieces = "whole clusters" if items_of(data).clusters is not None else "single {units}"
    return (
        f"{items_of(data).metric.name} is of all {{units}} together and no mean over them, so leaving out {pieces} one by one "
        "shows how much it varies"
    )


JACKKNIFE_T = Procedure(
    name="jackknife-t",
    question="examples",
    reason=_reason,
    generalises_to=Reach(FURTHER_ITEMS, OTHER_CHANCE),
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "no few {units} carry the metric: it changes little and smoothly with each",
    ),
    references=(
        "J. Tukey. Bias and confidence in not-quite large samples. Annals of Mathematical Statistics 29, 1958.",
        "B. Efron, R. Tibshirani. An introduction to the bootstrap, chapter 11. Chapman & Hall, 1993.",
    ),
    traits=frozenset(("no mean",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second),
    values=_values,
    refuse=_refuse,
    remarks=_remarks,
    beside=lambda data, settings: _beside(data),
)
