"""Difference of areas under ROC curves on the same examples, with the covariance of DeLong and others."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from tiebreak.comparison.procedures.items import (
    FURTHER_ITEMS,
    OTHER_CHANCE,
    SAME_ITEMS,
    items_of,
    remarks_on_items,
)
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, Reach, TestOnly, p_words
from tiebreak.errors import DataError, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, IntArray, Interval
from tiebreak.numerics.law import student
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.auc import Areas, roc_areas

FEW_RARER = 20
"""Examples of the rarer class below which it is said that they are few."""

MOST_TESTS = 10
"""Pairs up to which each has its z test beside the answer."""


def _refuse(data: Scores) -> TiebreakError | None:
    """Scores that are no predictions of two classes, clusters, weights, runs, gaps, and fewer than two examples of a class."""
    items = items_of(data)
    if items.is_positive is None:
        return DataError(
            f"delong compares areas under ROC curves of predictions, and these are scores of {items.metric.name}. Leave "
            "the method out for the one that suits them; tb.read_predictions(y_true, {...}) reads predictions."
        )
    if items.structure_note:
        return DataError(
            f"delong takes every {items.unit} once, and independent of the others, but {items.structure_note}. Leave "
            "these out of the table, or compare one run by itself."
        )
    if np.isnan(items.score).any():
        return DataError(
            f"delong needs a prediction of every model for every {items.unit}; {np.isnan(items.score).sum()} are "
            "missing. Leave out what is not there."
        )
    n_positive = int(np.count_nonzero(items.is_positive))
    if min(n_positive, len(items.items) - n_positive) < 2:
        return DataError(
            f"of the {len(items.items)} {items.unit}s {n_positive} {'is' if n_positive == 1 else 'are'} positive, and two of "
            "each class are the fewest that show how much an area varies. Give more of the rarer one, or compare by a mean "
            f"over {items.unit}s, such as log_loss."
        )
    return None


def _areas(data: Scores) -> Areas:
    items = items_of(data)
    return roc_areas(np.asarray(items.is_positive), items.score[:, 0])


def _judge(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Difference of the areas of each pair; what few examples of a class show is cut off, and so no multiple of an error."""
    found = _areas(data)
    law = found.difference(first, second)
    df, has_variance = np.asarray(law.df), np.asarray(law.se) > 0
    few = min(found.n_positive, found.n_negative) < FEW_RARER
    statistic = np.where(has_variance, law.statistic, np.nan)  # which is DeLong's z
    return Judged(law=law, reach_df=np.where((df <= 0) | few, np.nan, df), statistic=statistic)


def _values(data: Scores) -> ModelValues:
    """Area of each model, with its logit interval."""
    found = _areas(data)
    shape = found.estimate.shape
    n, tolerance = np.full(shape, found.n_positive + found.n_negative), np.full(shape, RELATIVE_TOLERANCE)

    def interval(alpha: float) -> Interval:
        return found.interval(1.0 - alpha)

    return ModelValues("measured", found.estimate, n, tolerance, interval, standard_error=np.sqrt(found.variance))


def _remarks(data: Scores) -> Iterator[Notice]:
    """Few examples of the rarer class."""
    yield from remarks_on_items(data, unused_by="delong")
    items = items_of(data)
    n = int(np.count_nonzero(np.asarray(items.is_positive)))
    rarer, name = min((n, "positive"), (len(items.items) - n, "negative"))
    if rarer < FEW_RARER:
        yield Notice(
            "few-units",
            f"there are only {rarer} {name} {items.unit}s, so that the interval is wide and misses more real differences than "
            f"with {FEW_RARER} or more",
        )


def _beside(data: Scores) -> Iterator[TestOnly]:
    """DeLong's z test of each pair."""
    models, found = data.models, _areas(data)
    pairs = list(combinations(range(len(models)), 2))
    if len(pairs) > MOST_TESTS:
        return
    for i, j in pairs:
        law = found.difference(i, j)
        test = student(law.estimate, law.spread[0])
        statistic, pvalue = float(test.statistic), float(test.pvalue())
        if np.isfinite(statistic) and np.isfinite(pvalue):
            text = f"DeLong's z test of {models[i]!r} and {models[j]!r}: z {statistic:.5g}, {p_words(pvalue)}"
            yield TestOnly(name="delong-z", models=(models[i], models[j]), statistic=statistic, pvalue=pvalue, text=text)


DELONG = Procedure(
    name="delong",
    question="examples",
    reason="areas under ROC curves of models on the same {units}: the variance of their difference allows for the pairing, and "
    "Student's t for few {units} of a class",
    generalises_to=Reach(FURTHER_ITEMS, OTHER_CHANCE),
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
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second),
    values=_values,
    refuse=_refuse,
    remarks=_remarks,
    beside=lambda data, settings: _beside(data),
)
