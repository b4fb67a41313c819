"""Items of one test set: the facts, refusals, remarks and contrasts that all procedures over them share."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from tiebreak.comparison.procedures.procedure import TestOnly
from tiebreak.errors import DataError, TiebreakError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.numerics.law import Law
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.copies import repeated_rows
from tiebreak.statistics.means import Layout

FEW_CLUSTERS = 10
"""Clusters below which intervals are wide, and rest on a variance of few numbers."""

MOST_CELLS = 50_000_000
"""Scores up to which copies are looked for."""

SAME_ITEMS = "all models were scored on the same {units}"
INDEPENDENT_ITEMS = (
    "the {units}, or their clusters, are a sample of those that the answer is meant for, independent of each other"
)
FURTHER_ITEMS = "further {units} like these, with these models as they are"
OTHER_CHANCE = "another training run, another prompt or other sampled answers"
FURTHER_ITEM_RUNS = "further runs of these models"
ANEW = "another prompt, or models trained anew unless each run was"


def items_of(data: Scores) -> Items:
    """Scores of single items, which those of the question "examples" hold."""
    return cast("Items", data.items)


def layout_of(items: Items) -> Layout:
    """Clusters, weights and tasks of items by number."""
    return Layout(items.cluster_codes, items.weights)


def refuse_items(name: str, data: Scores) -> TiebreakError | None:
    """The error for a metric that is no mean over items, and for fewer than two clusters."""
    items = items_of(data)
    if not items.is_mean:
        instead = (
            "The method 'jackknife-t', which 'auto' takes for these, leaves them out one by one"
            if items.is_positive is None
            else "The method 'delong', which 'auto' takes for these, compares areas under ROC curves on one test set"
        )
        return DataError(
            f"{name} takes means over {items.unit}s, and {items.metric.name} is of all of them together, not a mean. {instead}."
        )
    return refuse_one_cluster(items)


def refuse_one_cluster(items: Items) -> TiebreakError | None:
    """The error for fewer than two clusters."""
    if items.n_clusters >= 2:
        return None
    n = len(items.items)
    alone = f"all {n} {items.unit}s are of one cluster" if n > 1 else f"there is only one {items.unit}"
    return DataError(
        f"{alone}, so nothing shows how much the difference varies from one to the next. More are needed, or names of clusters "
        "that say which of them belong together."
    )


def scale_of(data: Scores, first: IntArray, second: IntArray) -> FloatArray:
    """Size of the scores of each pair, which sets the size of rounding noise."""
    rows = items_of(data).score.reshape(len(data.models), -1)
    largest = np.maximum(np.fmax.reduce(rows, axis=1, initial=0.0), -np.fmin.reduce(rows, axis=1, initial=0.0))
    return np.asarray(np.maximum(largest[first], largest[second]))


def remarks_on_items(data: Scores, unused_by: str = "") -> Iterator[Notice]:
    """Few clusters, labels that a procedure leaves unused, and copied items."""
    items = items_of(data)
    if items.clusters is not None and items.n_clusters < FEW_CLUSTERS:
        yield Notice(
            "few-units",
            f"the {len(items.items)} {items.unit}s are of {items.n_clusters} clusters only, so that the intervals are wide, and "
            "err where the difference goes with the sizes of very uneven clusters",
        )
    if items.labels is not None and unused_by:
        yield Notice(
            "left-out",
            f"the labels by people are left out by {unused_by}, which compares the judge's scores; the method "
            "'prediction-powered' takes both together, of one task and one run",
        )
    if items.score.size <= MOST_CELLS:
        n_items = len(items.items)
        truth = [np.asarray(each, dtype=float)[None] for each in (items.is_positive, items.truth) if each is not None]
        copied = repeated_rows(np.concatenate([items.score.reshape(-1, n_items), *truth]), items.cluster_codes)
        if copied:
            yield copies_notice(copied, items.unit, n_items, "name in a column 'cluster' which belong together")


def copies_notice(n_repeated: int, unit: str, n: int, advice: str) -> Notice:
    """Remark on units that look like copies of each other."""
    return Notice(
        "copied-units",
        f"{n_repeated} of the {n} {unit}s have the same scores of all models as another one: they look like copies, each "
        f"of which counts as evidence of its own. Leave copies out, or {advice}",
    )


def unpaired(data: Scores, law: Law, error: FloatArray | None) -> Iterator[TestOnly]:
    """Contrast of the first model with the others: the error as if they had met different items.

    Parameters
    ----------
    law : Law
        Of the first model against each other one.
    error : ndarray of shape (n_models,), optional
        Standard error of each model by itself.
    """
    if error is None or law.se is None:
        return
    paired, apart = np.asarray(law.se), np.hypot(error[0], error[1:])
    known = np.flatnonzero((paired > 0) & (apart > 0))
    if not known.size:
        return
    ratio = apart[known] / paired[known]
    typical = known[int(np.argsort(ratio)[known.size // 2])]
    how = apart[typical] / paired[typical]
    models = data.matrix().models[0], data.matrix().models[typical + 1]
    yield TestOnly(
        name="unpaired",
        models=models,
        statistic=float(how),
        text=f"unpaired, for contrast: as if the models had met different {items_of(data).unit}s, the standard error of "
        f"{models[0]} minus {models[1]} would be {apart[typical]:.3g} instead of {paired[typical]:.3g}, and its interval "
        f"{how:.2g} times as wide",
    )


def against_first(data: Scores) -> tuple[IntArray, IntArray]:
    """Rows of the first model and of each other one."""
    others = np.arange(1, len(data.models))
    return np.zeros_like(others), others


def and_more(n: int) -> str:
    """Words on the pairs beside the one that is named."""
    return f" (and {n - 1} more pair(s))" if n > 1 else ""
