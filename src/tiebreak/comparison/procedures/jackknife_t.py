"""Student's t of metrics of all items together, with the jackknife's standard error, over whole clusters where there are some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.items import (
    INDEPENDENT_ITEMS,
    SAME_ITEMS,
    OverItems,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import ModelValues
from tiebreak.comparison.procedures.student import StudentLaw
from tiebreak.errors import InvalidScoresError, TiebreakError, TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import FloatArray, IntArray, Interval
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.auc import roc_areas
from tiebreak.statistics.influence import Influence, bounded, metric_of_classes, metric_of_numbers

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEW_RARER = 10
"""Items of the rarest class below which it is said that they are few."""


@dataclass(frozen=True)
class JackknifeT(OverItems):
    """Student's t of the difference of F1, balanced accuracy, R2 and others that are no means."""

    def reason_for(self, data: Scores) -> str:
        """With the metric that is no mean."""
        items = self.items(data)
        pieces = "whole clusters" if items.clusters is not None else f"single {items.unit}s"
        return (
            f"{items.metric.name} is of all {items.unit}s together and no mean over them, so leaving out {pieces} one by one "
            "shows how much it varies"
        )

    def applies(self, data: Scores) -> TiebreakError | None:
        """Predictions of one run for all items, and enough of each class that one can be left out."""
        items = self.items(data)
        if items.is_mean:
            return UnsuitableDesignError(
                f"{self.name} is for metrics of all {items.unit}s together, and {items.metric.name} is a mean over them. Leave "
                "the method out for the one that suits it."
            )
        if len(items.runs) > 1 or items.weights is not None:
            what = f"there are {len(items.runs)} runs" if len(items.runs) > 1 else f"the {items.unit}s have weights"
            return UnsuitableDesignError(
                f"{self.name} takes every {items.unit} once, but {what}. Leave these out of the table, or compare one run by "
                "itself."
            )
        if np.isnan(items.score).any():
            return InvalidScoresError(
                f"{self.name} needs a prediction of every model for every {items.unit}; {np.isnan(items.score).sum()} are "
                "missing. Leave out what is not there."
            )
        if items.n_rarest == 0:
            return TooFewSplitsError(f"{self.name} needs {items.unit}s of both classes, as {items.metric.name} tells them apart.")
        if items.n_rarest == 1 and items.is_positive is None and len(items.classes) == 2:
            return TooFewSplitsError(
                f"only one {items.unit} is of the rarer class, so nothing shows how much {items.metric.name} varies with others "
                "of it; two are the fewest. Give more of it, or compare accuracy."
            )
        if items.is_positive is not None and _pieces_of_rarer(items) < 2:
            return TooFewSplitsError(
                f"all {items.unit}s of one class are in one {'cluster' if items.clusters is not None else items.unit}, so "
                "nothing shows how much an area under the ROC curve varies. More of that class are needed."
            )
        return super().applies(data)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> StudentLaw:
        """Difference of the metrics of each pair, cut at what the metric can reach."""
        found = _influence(self.items(data))
        law, sign = found.difference(first, second), data.metric.sign
        lowest, highest = data.metric.bounds_of(*_ends(found))
        law = replace(law, estimate=sign * np.asarray(law.estimate) + 0.0)
        n = np.full(np.shape(first), len(self.items(data).items))
        return StudentLaw.of(bounded(law, highest - lowest), n_units=n)

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Metric of each model, with its interval of the same kind as the differences have."""
        items = self.items(data)
        found = _influence(items)
        value, own = found.estimate, found.of_models
        bounds = data.metric.bounds_of(*_ends(found))

        def interval(alpha: float) -> Interval:
            return Interval(*(np.clip(end, *bounds) for end in own.interval_at(alpha)))

        n, error = np.full(value.size, len(items.items)), np.asarray(own.se)
        return ModelValues("measured", value, n, tolerance_of(np.abs(value)), interval, standard_error=error)

    def scale(self, data: Scores, first: IntArray, second: IntArray) -> FloatArray:
        """Size of the metric of each pair."""
        value = np.abs(np.asarray(_influence(self.items(data)).estimate))
        return np.asarray(np.maximum(value[first], value[second]))

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on few items of a class."""
        yield from super().checks(data, settings)
        items = self.items(data)
        rarest = items.n_rarest
        if rarest is not None and rarest < FEW_RARER:
            yield Notice(
                "few-positives",
                f"there are only {rarest} {items.unit}s of the rarest class, which the interval allows for by being wide: with "
                "3 to 10 of 200, equal models were called different in 0 to 5 % of trials instead of 5 %, so real differences "
                "are missed more often than with many; with 2, by balanced accuracy in 10 %",
            )


@lru_cache(maxsize=1)
def _influence(items: Items) -> Influence:
    """The metric of all models, with what each piece adds; kept, as values, pairs and single pairs are all read from it."""
    rows = items.score[:, 0]
    if items.is_positive is not None:
        return roc_areas(items.is_positive, rows, items.clusters)
    of = metric_of_classes if items.classes else metric_of_numbers
    return of(np.asarray(items.truth), rows, items.metric.name, items.clusters)


def _ends(found: Influence) -> tuple[float, float]:
    """Smallest and largest value of a model."""
    return float(found.estimate.min()), float(found.estimate.max())


def _pieces_of_rarer(items: Items) -> int:
    """Number of items, or clusters that hold some, of the class that has fewer of them."""
    pieces = np.arange(len(items.items)) if items.clusters is None else np.asarray(items.clusters)
    is_positive = np.asarray(items.is_positive)
    return min(np.unique(pieces[own]).size for own in (is_positive, ~is_positive))


JACKKNIFE_T = JackknifeT.worded(
    name="jackknife-t",
    reason="asked for by name: Student's t with the standard error of the jackknife, for metrics that are no means",
    is_mean=False,
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "no few {units} carry the metric: it changes little and smoothly with each",
    ),
    references=(
        "J. Tukey. Bias and confidence in not-quite large samples. Annals of Mathematical Statistics 29, 1958.",
        "B. Efron, R. Tibshirani. An introduction to the bootstrap, chapter 11. Chapman & Hall, 1993.",
    ),
)
