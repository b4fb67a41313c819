"""Difference of two rates on the same items, right or wrong, by Tango's score interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.items import (
    FURTHER_ITEMS,
    OTHER_CHANCE,
    SAME_ITEMS,
    against_first,
    items_of,
    refuse_items,
    remarks_on_items,
    unpaired,
)
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, Reach, TestOnly, adjusted_of, p_words
from tiebreak.errors import DataError, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval
from tiebreak.scores.scores import Scores
from tiebreak.statistics.rates import (
    McNemarVariant,
    cochran_q,
    mcnemar,
    paired_counts,
    proportion_interval,
    tango,
    tango_statistic,
)

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEWEST_COUNTED = 20
"""Items from which intervals of rates are near enough to those of a normal distribution to tell what they can show."""


def _refuse(data: Scores) -> TiebreakError | None:
    """Scores that are not all 0 or 1, of several runs, in clusters or with weights."""
    items = items_of(data)
    problem = items.structure_note if items.is_binary else f"these scores are not all 0 or 1 ({items.metric.name})"
    if problem and items.is_mean:
        return DataError(
            f"tango counts {items.unit}s that are right or wrong, each once and by itself, but {problem}. The method "
            "'clustered-t', which 'auto' takes for these, allows for that."
        )
    return refuse_items("tango", data)


def judge_rates(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Counts of each pair, over the items that both have; there is an interval also where nobody differs."""
    correct = data.matrix().score if data.metric.higher_is_better else 1.0 - data.matrix().score
    used, rows = np.unique(np.stack([first, second]), return_inverse=True)
    one, two = rows.reshape(2, *np.shape(first))
    law = tango(*paired_counts(correct[used], one, two, omit_missing=True))
    b, c, n = law.parts
    statistic = tango_statistic(b, c, n, 0.0)  # its square is McNemar's chi-squared without a correction
    return Judged(law=law, reach_df=reach_of_rates(law.n_units), statistic=np.asarray(statistic))


def reach_of_rates(n: IntArray | FloatArray | int) -> FloatArray:
    """Infinite degrees of freedom of so many items, which a normal distribution is near enough to; nan of fewer."""
    return np.where(np.asarray(n) >= FEWEST_COUNTED, np.inf, np.nan)


def _values(data: Scores) -> ModelValues:
    """Share of the items that each model has right, or wrong, with Wilson's interval."""
    score = data.matrix().score
    n, total = np.count_nonzero(~np.isnan(score), axis=1), np.nansum(score, axis=1)
    mean = total / n
    error = np.sqrt(mean * (1.0 - mean) / np.maximum(n - 1, 1))

    def interval(alpha: float) -> Interval:
        return proportion_interval(total, n, level=1.0 - alpha)

    tolerance = np.full(n.size, RELATIVE_TOLERANCE)
    return ModelValues("mean", mean, n, tolerance, interval, adjusted_of(score), standard_error=error)


def _beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The unpaired error for contrast, McNemar's tests of two models, Cochran's Q of several."""
    yield from unpaired(data, judge_rates(data, *against_first(data)).law, _values(data).standard_error)
    score, models = data.matrix().score, data.matrix().models
    score = score[:, ~np.isnan(score).any(axis=0)]
    if not score.shape[1]:
        return
    if len(models) > 2:
        q = cochran_q(score)
        statistic, p = float(q.statistic), float(q.pvalue)
        shown = (
            "not defined, as all models agree everywhere" if np.isnan(statistic) else f"{statistic:.6g}, df {q.df}, {p_words(p)}"
        )
        text = f"Cochran's Q, of all models at once: {shown}"
        yield TestOnly(name="cochran", models=models, statistic=statistic, pvalue=p, text=text)
        return
    (_, b, c, _), unit = paired_counts(score), items_of(data).unit
    units = unit if b == 1 else f"{unit}s"
    for variant, label in _MCNEMAR.items():
        test = mcnemar(b, c, variant)
        statistic, p = float(test.statistic), float(test.pvalue)
        text = f"McNemar, {label}: {p_words(p)}"
        if variant == "exact":
            text += f" ({b:.0f} {units} that only {models[0]} gets, {c:.0f} that only {models[1]} does)"
        yield TestOnly(name=f"mcnemar-{variant}", models=models, statistic=statistic, pvalue=p, text=text)


_MCNEMAR: dict[McNemarVariant, str] = {
    "exact": "exact",
    "mid-p": "mid-p",
    "chi2": "chi-squared without correction for continuity",
}
"""Forms of the test that stand beside the interval, and their names."""

TANGO = Procedure(
    name="tango",
    question="examples",
    reason="scores of 0 and 1 on the same {units}: only those that one model gets and the other does not tell them apart, and "
    "the score interval keeps its level where these are few",
    generalises_to=Reach(FURTHER_ITEMS, OTHER_CHANCE),
    assumptions=(
        SAME_ITEMS,
        "the {units} are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "T. Tango. Equivalence test and confidence interval for paired proportions. Statistics in Medicine 17, 1998.",
        "E. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.",
    ),
    judge=lambda data, first, second, rope, alpha, seed: judge_rates(data, first, second),
    values=_values,
    refuse=_refuse,
    remarks=lambda data: remarks_on_items(data, unused_by="tango"),
    beside=_beside,
)
