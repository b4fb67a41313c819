"""Metrics of all items together, which are no means: areas under ROC curves by DeLong, all others by the jackknife."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.items import (
    FURTHER_ITEMS,
    INDEPENDENT_ITEMS,
    SAME_ITEMS,
    items_of,
    reach_of,
    refuse_one_cluster,
    remarks_on_items,
)
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, reached, refusal
from tiebreak.errors import TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, IntArray, Interval
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.statistics.auc import roc_areas
from tiebreak.statistics.influence import Influence, bounded, metric_of_classes, metric_of_numbers

FEW_OF_AREAS = 20
"""Items of the rarer class below which intervals of areas are no multiple of an error."""


def _gaps(name: str, items: Items) -> tuple[bool, str]:
    """Reason to refuse items that lack a prediction."""
    n = int(np.isnan(items.score).sum())
    return (
        n > 0,
        f"{name} needs a prediction of every model for every {items.unit}; {n} are missing. Leave out what is not there.",
    )


# --- areas under ROC curves ------------------------------------------------------------------------------------------------


def _refuse_areas(data: Scores) -> TiebreakError | None:
    """Scores that are no predictions of two classes, clusters, weights, runs, gaps, and fewer than two examples of a class."""
    items = items_of(data)
    n, unit = int(np.count_nonzero(np.asarray(items.is_positive))), items.unit
    return refusal(
        (
            items.is_positive is None,
            (
                f"delong compares areas under ROC curves of predictions, and these are scores of {items.metric.name}. Leave the "
                "method out for the one that suits them; tb.read_predictions(y_true, {...}) reads predictions."
            ),
        ),
        (
            bool(items.structure_note),
            (
                f"delong takes every {unit} once, and independent of the others, but {items.structure_note}. Leave these out of "
                "the table, or compare one run by itself."
            ),
        ),
        _gaps("delong", items),
        (
            min(n, len(items.items) - n) < 2,
            (
                f"of the {len(items.items)} {unit}s {n} {'is' if n == 1 else 'are'} positive, and two of each class are the "
                f"fewest that show how much an area varies. Give more of the rarer one, or compare by a mean over {unit}s, such "
                "as log_loss."
            ),
        ),
    )


def _judge_areas(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Difference of the areas of each pair; what few examples of a class show is cut off, and so no multiple of an error."""
    items = items_of(data)
    found = roc_areas(np.asarray(items.is_positive), items.score[:, 0])
    law = found.difference(first, second)
    df, has_variance = np.asarray(law.df), np.asarray(law.se) > 0
    few = min(found.n_positive, found.n_negative) < FEW_OF_AREAS
    statistic = np.where(has_variance, law.statistic, np.nan)  # which is DeLong's z
    return Judged(law=law, reach_df=np.where((df <= 0) | few, np.nan, df), statistic=statistic)


def _values_of_areas(data: Scores) -> ModelValues:
    """Area of each model, with its logit interval."""
    items = items_of(data)
    found = roc_areas(np.asarray(items.is_positive), items.score[:, 0])
    return ModelValues(
        "measured",
        found.estimate,
        np.full(found.estimate.shape, len(items.items)),
        np.full(found.estimate.shape, RELATIVE_TOLERANCE),
        lambda alpha: found.interval(1.0 - alpha),
        standard_error=np.sqrt(found.variance),
    )


DELONG = Procedure(
    name="delong",
    question="examples",
    reason="areas under ROC curves of models on the same {units}: the variance of their difference allows for the pairing, and "
    "Student's t for few {units} of a class",
    generalises_to=partial(reach_of, FURTHER_ITEMS),
    assumptions=(
        SAME_ITEMS,
        "the {units} of each class are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "E. DeLong, D. DeLong, D. Clarke-Pearson. Comparing the areas under correlated ROC curves. Biometrics 44, 1988.",
        "F. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.",
        "G. Zou, A. Donner. Construction of confidence limits about effect measures. Statistics in Medicine 27, 2008.",
        "R. Newcombe. Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Stat. Med. 25, 2006.",
    ),
    traits=frozenset(("no mean",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge_areas(data, first, second),
    values=_values_of_areas,
    refuse=_refuse_areas,
    remarks=lambda data: remarks_on_items(data, unused_by="delong"),
)


# --- other metrics ---------------------------------------------------------------------------------------------------------


def _refuse(data: Scores) -> TiebreakError | None:
    """Means, several runs, weights, gaps, and too few of a class that one can be left out."""
    items = items_of(data)
    unit, metric, n_runs = items.unit, items.metric.name, len(items.runs)
    what = f"there are {n_runs} runs" if n_runs > 1 else f"the {unit}s have weights"
    return refusal(
        (
            items.is_mean,
            (
                f"jackknife-t is for metrics of all {unit}s together, and {metric} is a mean over them. Leave the method out for "
                "the one that suits it."
            ),
        ),
        (
            n_runs > 1 or items.weights is not None,
            f"jackknife-t takes every {unit} once, but {what}. Leave these out of the table, or compare one run by itself.",
        ),
        _gaps("jackknife-t", items),
        (items.n_rarest == 0, f"jackknife-t needs {unit}s of both classes, as {metric} tells them apart."),
        (
            items.n_rarest == 1 and items.is_positive is None and len(items.classes) == 2,
            (
                f"only one {unit} is of the rarer class, so nothing shows how much {metric} varies with others of it; two are "
                "the fewest. Give more of it, or compare accuracy."
            ),
        ),
        (
            items.is_positive is not None and min(_n_pieces(items, items.is_positive == own) for own in (True, False)) < 2,
            (
                f"all {unit}s of one class are in one {'cluster' if items.clusters is not None else unit}, so nothing shows how "
                "much an area under the ROC curve varies. More of that class are needed."
            ),
        ),
        (
            items.truth is not None
            and metric in ("r2", "explained_variance")
            and _n_pieces(items, items.truth != np.median(items.truth)) < 2,
            (
                f"all {unit}s have the same true number but those of one {'cluster' if items.clusters is not None else unit}, so "
                f"nothing shows how much {metric} varies. Give more that differ, or compare mean_absolute_error."
            ),
        ),
    ) or refuse_one_cluster(items)


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
    return ModelValues(
        "measured",
        value,
        np.full(value.size, len(items.items)),
        RELATIVE_TOLERANCE * np.abs(value),
        lambda alpha: Interval(*(np.clip(end, *bounds) for end in own.interval_at(alpha))),
        standard_error=np.asarray(own.se),
    )


def _n_pieces(items: Items, is_in: NDArray[Any]) -> int:
    """Number of the items of a part, or of the clusters that hold some of them."""
    pieces = np.arange(len(items.items)) if items.clusters is None else np.asarray(items.clusters)
    return int(np.unique(pieces[is_in]).size)


JACKKNIFE_T = Procedure(
    name="jackknife-t",
    question="examples",
    reason="a metric of all {units} together and no mean over them: leaving them, or whole clusters, out one by one shows how "
    "much it varies",
    generalises_to=partial(reach_of, FURTHER_ITEMS),
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
    remarks=lambda data: remarks_on_items(data, unused_by="jackknife-t"),
)
