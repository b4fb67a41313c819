"""Differences of means as people would judge them: a judge's scores of all items, corrected by people's labels of some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tiebreak.comparison.procedures.clustered_t import MeanDifferences
from tiebreak.comparison.procedures.items import OverItems, tolerance_of
from tiebreak.comparison.procedures.procedure import ModelValues, TestOnly
from tiebreak.errors import MissingSplitsError, Setting, TooFewSplitsError, UnsuitableDesignError
from tiebreak.frequentist.judge_agreement import MOST_GRADES, judge_agreement
from tiebreak.frequentist.prediction_powered import prediction_powered_mean
from tiebreak.frequentist.stratified import FEW_EVENTS
from tiebreak.frequentist.welch import welch_ttest
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, FloatArray, IntArray, divide
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

FEWEST_LABELS = 3
"""Items labelled for both models of a pair below which it has no answer."""

FEW_LABELS = 20
"""Items labelled below which the interval rests on few numbers."""

_RARE = 0.001
"""Level at which labelled items are said to be unlike the others: a remark that is false once in a thousand tables."""


@dataclass(frozen=True)
class PredictionPowered(OverItems):
    """Student's t of the prediction-powered mean difference over items that the judge scored, some of them labelled."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Labels by people of some items, one run, no clusters, weights or tasks."""
        items = self.items(data)
        if items.labels is None:
            return UnsuitableDesignError(
                f"{self.name} needs labels by people of some of the {items.unit}s, in a column 'human' beside the scores of the "
                "judge, and there are none. Leave ",
                Setting("method"),
                " out.",
            )
        problem = items.structure_note or ("" if items.tasks is None else f"the {items.unit}s are of several tasks")
        if problem:
            return UnsuitableDesignError(
                f"{self.name} takes every {items.unit} once, and independent of the others, but {problem}. Leave ",
                Setting("method"),
                " out: the judge's scores are then compared without the labels.",
            )
        if np.isnan(items.score).any():
            return MissingSplitsError(
                f"{self.name} needs the judge's score of every {items.unit} for every model, and some are missing. Let the judge "
                "score them, or leave these out."
            )
        n = int(np.count_nonzero(~np.isnan(items.labels).any(axis=0)))
        if n < FEWEST_LABELS:
            return TooFewSplitsError(
                f"people labelled {n} {items.unit}s for all models, and {FEWEST_LABELS} or more are needed to tell how the judge "
                "errs. Label the answers of all models to more of them, or take another ",
                Setting("method"),
                ".",
            )
        return super().applies(data)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> MeanDifferences:
        """Prediction-powered mean of the differences of each pair."""
        known = _known(self.items(data))
        pairs = _Known(*(each[np.atleast_1d(first)] - each[np.atleast_1d(second)] for each in known))
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
        return ModelValues("mean", single.estimate, n, tolerance, single.interval, standard_error=error, label=label)

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """None: the values are those of all items already."""
        return None

    def reason_for(self, data: Scores) -> str:
        """Reason by the number of labels."""
        items = self.items(data)
        n = _known(items).labels.shape[1]
        return (
            f"people labelled {n:,} of the {len(items.items):,} {items.unit}s that the judge scored: the mean of what people "
            "would say of all, in which the judge counts by how well it agrees with them (PPI++)"
        )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on few labels, and on labelled items that the judge scores unlike the others."""
        yield from super().checks(data, settings)
        items = self.items(data)
        if items.labels is None:
            return
        labels, labelled, others = _known(items)
        if labels.shape[1] < FEW_LABELS:
            yield Notice(
                "few-labels",
                f"people labelled {labels.shape[1]} {items.unit}s for all models, so the intervals rest on few numbers: label "
                f"{FEW_LABELS} or more",
            )
        for name, one, two in zip(items.models, labelled, others, strict=True):
            if _is_unlike(one, two):
                yield Notice(
                    "labels-not-random",
                    f"the judge scores the labelled {items.unit}s of {name!r} {one.mean():.3g} on average and the others "
                    f"{two.mean():.3g}: labels have to be of a random choice, else the answer is of another kind of "
                    f"{items.unit}s",
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
        judged, label = (each[rows[0]] - each[rows[1]] for each in (items.score[:, 0], items.labels))
        own = self.judge(data, np.array(rows[:1]), np.array(rows[1:]), settings)
        if own.kind[0] != SPREAD:
            return
        sign, alone = data.metric.sign, label[~np.isnan(items.labels).any(axis=0)]
        error = float(alone.std(ddof=1) / np.sqrt(alone.size))
        yield TestOnly(
            name="labels-and-judge",
            models=names,
            statistic=error / float(own.standard_error[0]),
            text=f"for contrast, {names[0]} minus {names[1]}: by the {alone.size:,} labels alone {sign * alone.mean():+.3g} with "
            f"the standard error {error:.3g}, by the judge alone {sign * np.nanmean(judged):+.3g}; here "
            f"{float(own.estimate[0]):+.3g} with the standard error {float(own.standard_error[0]):.3g}",
        )


class _Known(NamedTuple):
    """Labels of some items, the judge's scores of the same, and of the others; arrays of shape (n_rows, n_items of each)."""

    labels: FloatArray
    judged_labelled: FloatArray
    judged: FloatArray


def _known(items: Items) -> _Known:
    """Rows of all models, on the items that people labelled for all of them."""
    labels = np.full(items.score[:, 0].shape, np.nan) if items.labels is None else items.labels
    has_label = ~np.isnan(labels).any(axis=0)
    judged = items.score[:, 0]
    return _Known(labels[:, has_label], judged[:, has_label], judged[:, ~has_label])


def _weight(known: _Known) -> float:
    """Weight of the judge, one for all models, by what tells their answers to one item apart."""
    if known.judged.shape[1] < 2:  # everything is labelled, so that the judge has nothing to add
        return 0.0
    apart = (each - each.mean(axis=0) for each in known)
    return float(np.atleast_1d(prediction_powered_mean(*apart, is_pooled=True).tuning)[0])


def _of_rows(known: _Known, weight: float, tolerance: FloatArray, sign: int, shape: tuple[int, ...]) -> MeanDifferences:
    """Prediction-powered means of rows.

    The guarded error allows for a judge that was right on every labelled item, or nearly so, by chance: where fewer than ten of
    its grades differ from people's, one more that could have differed is added to the variance, with two degrees of freedom.
    """
    labels, judged_labelled, judged = known
    n, m = labels.shape[1], judged.shape[1]
    rest = labels - weight * judged_labelled
    estimate = rest.mean(axis=1) + (weight * judged.mean(axis=1) if m > 1 else 0.0)
    df = n - 2.0 if weight else n - 1.0  # the weight is estimated
    variance = np.square(rest - rest.mean(axis=1, keepdims=True)).sum(axis=1) / df / n
    if m > 1:
        variance = variance + weight**2 * judged.var(axis=1, ddof=1) / m
    error = np.sqrt(variance)
    largest = np.abs(np.concatenate([labels, judged_labelled, judged], axis=1)).max(axis=1)
    kind = np.where(error > tolerance, SPREAD, np.where(largest <= tolerance, IDENTICAL, CONSTANT)).astype(np.int8)
    event = weight * np.array([_event(*row) for row in zip(labels, judged_labelled, tolerance, strict=True)])
    guarded = variance + np.square(event)
    guarded_df = np.where(guarded > 0, divide(np.square(guarded), np.square(variance) / df + event**4 / 2.0), df)
    is_spread = kind == SPREAD
    return MeanDifferences(
        estimate=np.reshape(np.where(kind == IDENTICAL, 0.0, sign * estimate) + 0.0, shape),
        n_units=np.full(shape, n + m, dtype=np.int64),
        kind=kind.reshape(shape),
        tolerance=np.reshape(tolerance, shape),
        standard_error=np.reshape(np.where(is_spread, error, 0.0), shape),
        df=np.full(shape, df),
        guarded_error=np.reshape(np.where(is_spread, np.sqrt(guarded), 0.0), shape),
        guarded_df=np.reshape(guarded_df, shape),
    )


def _event(labels: FloatArray, judged: FloatArray, noise: float) -> float:
    """Change of the mean by one grade that could have differed; 0 where enough of them differ, or scores are no grades."""
    grades = np.unique(np.concatenate([labels, judged]))
    n_events = int(np.count_nonzero(np.abs(labels - judged) > noise))
    if not 1 < grades.size <= MOST_GRADES or n_events >= min(FEW_EVENTS, labels.size / 2):
        return 0.0
    return float(np.diff(grades).min()) / labels.size


def _is_unlike(labelled: FloatArray, others: FloatArray) -> bool:
    """True where the judge's scores of labelled items are another sample than those of the others, by Welch's test."""
    return min(labelled.size, others.size) >= FEW_LABELS and bool(welch_ttest(labelled, others).pvalue() < _RARE)


def _agreement(items: Items) -> TestOnly:
    """Agreement of judge and people over the labelled answers, and the models that the judge favours most and least."""
    labels, judged, _ = _known(items)
    found = judge_agreement(labels.ravel(), judged.ravel())
    by_item = judge_agreement(labels.mean(axis=0), judged.mean(axis=0))  # answers to one item are no further items
    if found.share is None:
        how = f"correlate with {found.correlation:.2f}"
    else:
        how = f"agree on {found.share:.0%} (Cohen's kappa {found.kappa:.2f})"
    errors = (judged - labels).mean(axis=1)
    low, high = int(errors.argmin()), int(errors.argmax())
    interval = "" if np.isnan(by_item.bias_low) else f" (95% interval {by_item.bias_low:+.3g} to {by_item.bias_high:+.3g})"
    by_model = (
        f"from {errors[low]:+.3g} for {quoted([items.models[low]])} to {errors[high]:+.3g} for {quoted([items.models[high]])}"
    )
    text = (
        f"judge and people {how} over {found.n:,} labelled answers; the judge scores them {by_item.bias:+.3g} against "
        f"people{interval}{f', {by_model}' if errors[high] > errors[low] else ''}"
    )
    return TestOnly(name="agreement", models=items.models, statistic=found.correlation, text=text)


PREDICTION_POWERED = PredictionPowered.worded(
    name="prediction-powered",
    reason="asked for by name: the judge's scores of all {units}, corrected by people's labels of some",
    generalises_to="further {units} like these as people would judge them, with these models as they are",
    not_covered="other people, another judge, another training run or other sampled answers",
    assumptions=(
        "the judge scored all {units}, and people labelled a random choice of them",
        "labels and scores are in the same unit",
        "the {units} are independent of each other",
    ),
    references=(
        "A. Angelopoulos, J. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.",
        "J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.",
    ),
)
