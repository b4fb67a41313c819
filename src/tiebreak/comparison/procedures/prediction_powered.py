"""Differences of means as people would judge them: a judge's scores of all items, corrected by people's labels of some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.clustered_t import MeanDifferences, Means
from tiebreak.comparison.procedures.items import OverItems, tolerance_of
from tiebreak.comparison.procedures.procedure import ModelValues, TestOnly
from tiebreak.errors import MissingSplitsError, Setting, TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, FloatArray, IntArray, divide
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.influence import clustered_mean
from tiebreak.statistics.labels import Labelled, mean_by_weight, weight_of_judge
from tiebreak.statistics.tasks import FEW_EVENTS

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

FEWEST_LABELS = 3
"""Items labelled for both models of a pair below which it has no answer."""

FEW_LABELS = 20
"""Items labelled below which the interval rests on few numbers."""

MOST_GRADES = 10
"""Different scores up to which they are grades, of which a share can agree."""

_RARE = 0.001
"""Level at which labelled items are said to be unlike the others: a remark that is false once in a thousand tables."""


@dataclass(frozen=True)
class PredictionPowered(OverItems):
    """Student's t of the prediction-powered mean difference over items that the judge scored, some of them labelled."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Labels by people of some items, of one run and one task."""
        items = self.items(data)
        if items.labels is None:
            return UnsuitableDesignError(
                f"{self.name} needs labels by people of some of the {items.unit}s, in a column 'human' beside the scores of the "
                "judge, and there are none. Leave ",
                Setting("method"),
                " out.",
            )
        if len(items.runs) > 1 or items.tasks is not None:
            several = f"there are {len(items.runs)} runs" if items.tasks is None else f"the {items.unit}s are of several tasks"
            return UnsuitableDesignError(
                f"{self.name} takes every {items.unit} once, and one mean over all of them, but {several}. Leave ",
                Setting("method"),
                " out: the judge's scores are then compared without the labels.",
            )
        if np.isnan(items.score).any():
            return MissingSplitsError(
                f"{self.name} needs the judge's score of every {items.unit} for every model, and some are missing. Let the judge "
                "score them, or leave these out."
            )
        known = _known(items)
        if _n_clusters(known) < FEWEST_LABELS:
            of = f" of {FEWEST_LABELS} clusters" if items.clusters is not None else ""
            return TooFewSplitsError(
                f"people labelled {_labelled(items)} for all models, and {FEWEST_LABELS} or more{of} are needed to tell how the "
                "judge errs. Label the answers of all models to more of them, or take another ",
                Setting("method"),
                ".",
            )
        return super().applies(data)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> MeanDifferences:
        """Prediction-powered mean of the differences of each pair."""
        known = _known(self.items(data))
        pairs = _of_pairs(known, np.atleast_1d(first), np.atleast_1d(second))
        tolerance = tolerance_of(np.atleast_1d(self.scale(data, first, second)))
        return _of_rows(pairs, _weight(known), tolerance, data.metric.sign, np.shape(first))

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Prediction-powered mean of each model, with its own interval; they subtract to the differences."""
        items = self.items(data)
        known = _known(items)
        tolerance = tolerance_of(np.fmax.reduce(np.abs(items.score[:, 0]), axis=1))
        single = _of_rows(known, _weight(known), tolerance, 1, tolerance.shape)
        label = f"{data.metric.name} as people would judge"
        n, error = np.asarray(single.n_units), single.standard_error
        return ModelValues("mean", single.estimate, n, tolerance, single.law.interval_at, standard_error=error, label=label)

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """None: the values are those of all items already."""
        return None

    def reason_for(self, data: Scores) -> str:
        """Reason by the number of labels."""
        items = self.items(data)
        clusters = "" if items.clusters is None else "; the error counts clusters rather than items"
        return (
            f"people labelled {_known(items).labels.shape[1]:,} of the {len(items.items):,} {items.unit}s that the judge scored: "
            "the mean of what people would say of all, in which the judge counts by how well it agrees with them (PPI++)"
            f"{clusters}"
        )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on few labels, and on labelled items that the judge scores unlike the others."""
        yield from super().checks(data, settings)
        items = self.items(data)
        if items.labels is None:
            return
        known = _known(items)
        if _n_clusters(known) < FEW_LABELS:
            yield Notice(
                "few-labels",
                f"people labelled {_labelled(items)} for all models, so the intervals rest on few numbers: label {FEW_LABELS} or "
                f"more{'' if items.clusters is None else ', of as many clusters'}",
            )
        for row in _unlike(known):
            of, labelled, others = items.models[row], known.judged_labelled[row], known.judged[row]
            yield Notice(
                "labels-not-random",
                f"the judge scores the labelled {items.unit}s of {of!r} {labelled.mean():.3g} on average and the others "
                f"{others.mean():.3g}: labels have to be of a random choice, else the answer is of another kind of {items.unit}s",
            )
            return

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Agreement of judge and people, and what the labels alone and the judge alone say of the first two models."""
        items = self.items(data)
        if items.labels is None:
            return
        yield _agreement(items)
        names = data.matrix().models[:2]
        rows = [items.models.index(name) for name in names]
        own = self.judge(data, np.array(rows[:1]), np.array(rows[1:]), settings)
        if own.kind[0] != SPREAD:
            return
        pair, sign = _of_pairs(_known(items), np.array(rows[:1]), np.array(rows[1:])), data.metric.sign
        alone = mean_by_weight(pair, np.zeros(1)).law
        judged = items.score[rows[0], 0] - items.score[rows[1], 0]
        error = float(np.asarray(alone.se)[0])
        yield TestOnly(
            name="labels-and-judge",
            models=names,
            statistic=error / float(own.standard_error[0]),
            text=f"for contrast, {names[0]} minus {names[1]}: by the {pair.labels.shape[1]:,} labels alone "
            f"{sign * alone.estimate[0]:+.3g} with the standard error {error:.3g}, by the judge alone "
            f"{sign * np.average(judged, weights=items.weights):+.3g}; here {float(own.estimate[0]):+.3g} with the standard "
            f"error {float(own.standard_error[0]):.3g}",
        )


def _known(items: Items) -> Labelled:
    """Rows of all models: the items with a weight that people labelled for all of them, and the others."""
    labels = np.full(items.score[:, 0].shape, np.nan) if items.labels is None else items.labels
    has_label = ~np.isnan(labels).any(axis=0)
    if items.weights is not None:
        has_label &= items.weights > 0
    labelled_first = np.argsort(~has_label, kind="stable")
    judged = items.score[:, 0]
    clusters = None if items.cluster_codes is None else items.cluster_codes[labelled_first]
    weights = None if items.weights is None else items.weights[labelled_first]
    return Labelled(labels[:, has_label], judged[:, has_label], judged[:, ~has_label], clusters, weights)


def _of_pairs(known: Labelled, one: IntArray, two: IntArray) -> Labelled:
    """Rows of differences."""
    labels, judged_labelled, judged = (each[one] - each[two] for each in known[:3])
    return known._replace(labels=labels, judged_labelled=judged_labelled, judged=judged)


def _labelled_clusters(known: Labelled) -> IntArray:
    """Cluster of each labelled item; each item by itself without clusters."""
    n = known.labels.shape[1]
    return np.arange(n) if known.clusters is None else known.clusters[:n]


def _n_clusters(known: Labelled) -> int:
    """Clusters with a labelled item; labelled items without clusters."""
    return int(np.unique(_labelled_clusters(known)).size)


def _labelled(items: Items) -> str:
    """Number of labelled items in words: "60 questions", "60 questions of 12 clusters"."""
    known = _known(items)
    of = "" if known.clusters is None else f" of {_n_clusters(known)} clusters"
    return f"{known.labels.shape[1]:,} {items.unit}s{of}"


def _weight(known: Labelled) -> float:
    """Weight of the judge, one for all models, by what tells their answers to one item apart."""
    if known.judged.shape[1] < 2:  # with nothing else to judge, the judge has nothing to add
        return 0.0
    labels, judged_labelled, judged = (each - each.mean(axis=0) for each in known[:3])
    apart = known._replace(labels=labels, judged_labelled=judged_labelled, judged=judged)
    return float(weight_of_judge(apart, is_pooled=True)[0])


def _of_rows(known: Labelled, weight: float, tolerance: FloatArray, sign: int, shape: tuple[int, ...]) -> MeanDifferences:
    """Prediction-powered means of rows.

    The guarded error allows for a judge that was right on every labelled item, or nearly so, by chance: where its grades differ
    from people's in fewer than ten clusters, one more that could have differed is added to the variance, with two degrees of
    freedom.
    """
    n, m = known.labels.shape[1], known.judged.shape[1]
    law = mean_by_weight(known, np.full(len(known.labels), weight), is_estimated=weight != 0).law
    estimate, error, df = (np.asarray(each) for each in (law.estimate, law.se, law.df))
    largest = np.abs(np.concatenate(known[:3], axis=1)).max(axis=1)
    kind = np.where(error > tolerance, SPREAD, np.where(largest <= tolerance, IDENTICAL, CONSTANT)).astype(np.int8)
    clusters = _labelled_clusters(known)
    rows = zip(known.labels, known.judged_labelled, tolerance, strict=True)
    event = weight * np.array([_event(*row, clusters) for row in rows])
    variance = np.square(error)
    guarded = variance + np.square(event)
    guarded_df = np.where(guarded > 0, divide(np.square(guarded), np.square(variance) / df + event**4 / 2.0), df)
    is_spread = kind == SPREAD
    own, wide = np.where(is_spread, error, 0.0), np.where(is_spread, np.sqrt(guarded), 0.0)
    columns = (np.where(kind == IDENTICAL, 0.0, sign * estimate) + 0.0, own, df, np.full(df.shape, n + m), kind, tolerance)
    means = Means(*columns, guarded_error=wide, guarded_df=guarded_df)
    return Means(*(None if each is None else each.reshape(shape) for each in means)).differences(1)  # type: ignore[arg-type]


def _event(labels: FloatArray, judged: FloatArray, noise: float, clusters: IntArray) -> float:
    """Change of the mean by one cluster more in which grades differ by one; 0 where enough differ, or scores are no grades."""
    grades = np.unique(np.concatenate([labels, judged]))
    n_events = int(np.unique(clusters[np.abs(labels - judged) > noise]).size)
    n_clusters = int(np.unique(clusters).size)
    if not 1 < grades.size <= MOST_GRADES or n_events >= min(FEW_EVENTS, n_clusters / 2):
        return 0.0
    return float(np.diff(grades).min()) / n_clusters


def _unlike(known: Labelled) -> IntArray:
    """Rows in which the judge's scores of labelled items are another sample than those of the others.

    By the difference of both means with the error that clusters leave it; where few are on either side nothing is said.
    """
    others = _labelled_clusters(known) if known.clusters is None else known.clusters[known.labels.shape[1] :]
    if min(_n_clusters(known), known.judged.shape[1], np.unique(others).size) < FEW_LABELS:
        return np.array([], dtype=np.int64)
    apart = mean_by_weight(known._replace(labels=np.zeros_like(known.labels)), np.ones(len(known.labels)))
    return np.flatnonzero(np.atleast_1d(apart.law.pvalue()) < _RARE)


def _agreement(items: Items) -> TestOnly:
    """Agreement of judge and people over the labelled answers, and the models that the judge favours most and least."""
    known = _known(items)
    labels, judged = known.labels.ravel(), known.judged_labelled.ravel()
    varies = min(np.ptp(labels), np.ptp(judged)) > 0
    correlation = float(np.corrcoef(labels, judged)[0, 1]) if varies else float("nan")
    is_graded = np.unique(np.concatenate([labels, judged])).size <= MOST_GRADES
    how = f"agree on {(labels == judged).mean():.0%}" if is_graded else f"correlate with {correlation:.2f}"
    errors = known.judged_labelled - known.labels
    bias = clustered_mean(errors.mean(axis=0), _labelled_clusters(known))  # answers to one item are no further items
    errors = errors.mean(axis=1)
    low, high = int(errors.argmin()), int(errors.argmax())
    ends = bias.interval()
    interval = "" if np.isnan(ends.low) else f" (95% interval {ends.low:+.3g} to {ends.high:+.3g})"
    by_model = (
        f"from {errors[low]:+.3g} for {quoted([items.models[low]])} to {errors[high]:+.3g} for {quoted([items.models[high]])}"
    )
    text = (
        f"judge and people {how} over {labels.size:,} labelled answers; the judge scores them {bias.estimate:+.3g} against "
        f"people{interval}{f', {by_model}' if errors[high] > errors[low] else ''}"
    )
    return TestOnly(name="agreement", models=items.models, statistic=correlation, text=text)


PREDICTION_POWERED = PredictionPowered.worded(
    name="prediction-powered",
    reason="asked for by name: the judge's scores of all {units}, corrected by people's labels of some",
    generalises_to="further {units} like these as people would judge them, with these models as they are",
    not_covered="other people, another judge, another training run or other sampled answers",
    assumptions=(
        "the judge scored all {units}, and people labelled a random choice of them",
        "labels and scores are in the same unit",
        "the {units}, or their clusters, are independent of each other",
    ),
    references=("A. Angelopoulos, J. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.",),
)
