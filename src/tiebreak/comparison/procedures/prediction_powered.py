"""Differences of means as people would judge them: a judge's scores of all items, corrected by people's labels of some."""

from collections.abc import Iterator

import numpy as np

from tiebreak.comparison.procedures.items import items_of, judged_means, refuse_items, remarks_on_items, scale_of
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, TestOnly, refusal
from tiebreak.errors import Setting, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, SPREAD, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.labels import (
    MOST_GRADES,
    Labelled,
    labelled_means,
    mean_by_weight,
    weight_of_all,
)
from tiebreak.statistics.means import clustered_mean

FEWEST_LABELS = 3
"""Items labelled for both models of a pair below which it has no answer."""

FEW_LABELS = 20
"""Items labelled below which the interval rests on few numbers."""

_RARE = 0.001
"""Level at which labelled items are said to be unlike the others: a remark that is false once in a thousand tables."""


def _refuse(data: Scores) -> TiebreakError | None:
    """Items without labels by people, of several runs or tasks, or with gaps."""
    items = items_of(data)
    several = f"there are {len(items.runs)} runs" if items.tasks is None else f"the {items.unit}s are of several tasks"
    known = known_of(items)
    n, of = _n_clusters(known), " of {} clusters" if items.clusters is not None else ""
    return refusal(
        (
            items.labels is None,
            (
                f"prediction-powered needs labels by people of some of the {items.unit}s, in a column 'human' beside the scores "
                "of the judge, and there are none. Leave "
            ),
            Setting("method"),
            " out.",
        ),
        (
            len(items.runs) > 1 or items.tasks is not None,
            f"prediction-powered takes every {items.unit} once, and one mean over all of them, but {several}. Leave ",
            Setting("method"),
            " out: the judge's scores are then compared without the labels.",
        ),
        (
            np.isnan(items.score).any(),
            (
                f"prediction-powered needs the judge's score of every {items.unit} for every model, and some are missing. Let "
                "the judge score them, or leave these out."
            ),
        ),
        (
            n < FEWEST_LABELS,
            (
                f"people labelled {np.count_nonzero(known.has_label):,} {items.unit}s{of.format(n)} for all models, and "
                f"{FEWEST_LABELS} or more{of.format(FEWEST_LABELS)} are needed to tell how the "
                "judge errs. Label the answers of all models to more of them, or take another "
            ),
            Setting("method"),
            ".",
        ),
    ) or refuse_items("prediction-powered", data)


def _judge(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Prediction-powered mean of the differences of each pair."""
    known = known_of(items_of(data))
    tolerance = RELATIVE_TOLERANCE * np.atleast_1d(scale_of(data, first, second))
    one, two = (np.atleast_1d(each) for each in (first, second)[:: data.metric.sign])  # positive favours the first
    found = labelled_means(_of_pairs(known, one, two), weight_of_all(known), tolerance)
    return judged_means(found.take(np.arange(one.size).reshape(np.shape(first))))


def _values(data: Scores) -> ModelValues:
    """Prediction-powered mean of each model, with its own interval; they subtract to the differences."""
    items = items_of(data)
    known = known_of(items)
    tolerance = RELATIVE_TOLERANCE * np.fmax.reduce(np.abs(items.score[:, 0]), axis=1)
    law = labelled_means(known, weight_of_all(known), tolerance).law
    label = f"{data.metric.name} as people would judge"
    return ModelValues.of(law, tolerance=tolerance, standard_error=law.spread[0], value_label=label)


def _remarks(data: Scores) -> Iterator[Notice]:
    """Labelled items that the judge scores unlike the others."""
    yield from remarks_on_items(data)
    items = items_of(data)
    known = known_of(items)
    if min(_n_clusters(known), np.unique(known.codes[~known.has_label]).size) < FEW_LABELS:  # of so few nothing is said
        return
    # the difference of the judge's means on labelled items and on the others, with the error that clusters leave it
    apart = mean_by_weight(known._replace(labels=0.0 * known.labels), np.ones(len(known.labels)))
    for row in np.flatnonzero(np.atleast_1d(apart.pvalue()) < _RARE)[:1]:
        of, (labelled, others) = items.models[row], (known.judged[row, own] for own in (known.has_label, ~known.has_label))
        yield Notice(
            "labels-not-random",
            f"the judge scores the labelled {items.unit}s of {of!r} {labelled.mean():.3g} on average and the others "
            f"{others.mean():.3g}: labels have to be of a random choice, else the answer is of another kind of {items.unit}s",
        )


def _beside(data: Scores) -> Iterator[TestOnly]:
    """Agreement of judge and people, and what the labels alone and the judge alone say of the first two models."""
    items = items_of(data)
    yield _agreement(items)
    first, second = np.array([0]), np.array([1])
    own, names = _judge(data, first, second).law, data.models[:2]
    if own.kind[0] != SPREAD:
        return
    pair, sign = _of_pairs(known_of(items), first, second), data.metric.sign
    alone = mean_by_weight(pair, np.zeros(1))
    error, own_error = (float(np.asarray(law.se)[0]) for law in (alone, own))
    judged = sign * np.average(items.score[0, 0] - items.score[1, 0], weights=items.weights)
    yield TestOnly(
        name="labels-and-judge",
        models=names,
        statistic=error / own_error,
        text=f"for contrast, {names[0]} minus {names[1]}: by the {np.count_nonzero(pair.has_label):,} labels alone "
        f"{sign * alone.estimate[0]:+.3g} with the standard error {error:.3g}, by the judge alone {judged:+.3g}; here "
        f"{float(own.estimate[0]):+.3g} with the standard error {own_error:.3g}",
    )


def known_of(items: Items) -> Labelled:
    """Rows of all models, with the labels of items with a weight that people labelled for all of them."""
    labels = np.full(items.score[:, 0].shape, np.nan) if items.labels is None else items.labels
    has_label = ~np.isnan(labels).any(axis=0)
    if items.weights is not None:
        has_label &= items.weights > 0
    return Labelled(np.where(has_label, labels, np.nan), items.score[:, 0], items.cluster_codes, items.weights)


def _of_pairs(known: Labelled, one: IntArray, two: IntArray) -> Labelled:
    """Rows of differences."""
    labels, judged = (each[one] - each[two] for each in known[:2])
    return known._replace(labels=labels, judged=judged)


def _n_clusters(known: Labelled) -> int:
    """Clusters with a labelled item; labelled items without clusters."""
    return int(np.unique(known.codes[known.has_label]).size)


def _agreement(items: Items) -> TestOnly:
    """Agreement of judge and people over the labelled answers, and the models that the judge favours most and least."""
    known = known_of(items)
    own = known.has_label
    labels, judged = known.labels[:, own].ravel(), known.judged[:, own].ravel()
    correlation = float(np.corrcoef(labels, judged)[0, 1]) if min(np.ptp(labels), np.ptp(judged)) > 0 else float("nan")
    is_graded = np.unique(np.concatenate([labels, judged])).size <= MOST_GRADES
    how = f"agree on {(labels == judged).mean():.0%}" if is_graded else f"correlate with {correlation:.2f}"
    errors = (known.judged - known.labels)[:, own]
    bias = clustered_mean(errors.mean(axis=0), known.codes[own])  # answers to one item are no further items
    errors = errors.mean(axis=1)
    low, high = int(errors.argmin()), int(errors.argmax())
    ends = bias.interval()
    interval = "" if np.isnan(ends.low) else f" (95% interval {ends.low:+.3g} to {ends.high:+.3g})"
    by_model = (
        f"from {errors[low]:+.3g} for {quoted([items.models[low]])} to {errors[high]:+.3g} for {quoted([items.models[high]])}"
    )
    return TestOnly(
        name="agreement",
        models=items.models,
        statistic=correlation,
        text=f"judge and people {how} over {labels.size:,} labelled answers; the judge scores them {bias.estimate:+.3g} against "
        f"people{interval}{f', {by_model}' if errors[high] > errors[low] else ''}",
    )


PREDICTION_POWERED = Procedure(
    name="prediction-powered",
    question="examples",
    reason="people labelled some of the {units} that the judge scored: the mean of what people would say of all, in which the "
    "judge counts by how well it agrees with them (PPI++); the error counts clusters where there are some",
    generalises_to=(
        "further {units} like these as people would judge them, with these models as they are",
        "other people, another judge, another training run or other sampled answers",
    ),
    assumptions=(
        "the judge scored all {units}, and people labelled a random choice of them",
        "labels and scores are in the same unit",
        "the {units}, or their clusters, are independent of each other",
    ),
    references=("A. Angelopoulos, J. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.",),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second),
    values=_values,
    refuse=_refuse,
    remarks=_remarks,
    beside=lambda data, settings: _beside(data),
)
