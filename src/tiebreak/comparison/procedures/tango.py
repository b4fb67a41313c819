"""Difference of two rates on the same items, right or wrong, by Tango's score interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.items import SAME_ITEMS, OverItems
from tiebreak.comparison.procedures.procedure import FEWEST_COUNTED, LawDifferences, ModelValues, TestOnly
from tiebreak.errors import TiebreakError, UnsuitableDesignError
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


@dataclass(frozen=True, kw_only=True, eq=False)
class TangoDifferences(LawDifferences):
    """Differences of paired rates by the score test, which has an interval also where nobody differs."""

    @property
    def student_df(self) -> FloatArray:
        """Degrees of freedom of the normal distribution, which counts of 20 items and more are near enough to."""
        return np.where(np.asarray(self.n_units) >= FEWEST_COUNTED, np.inf, np.nan)

    @property
    def statistic(self) -> FloatArray:
        """Score statistic of no difference; its square is McNemar's chi-squared without a correction."""
        b, c, n = self.law.parts
        return np.asarray(tango_statistic(b, c, n, 0.0))


@dataclass(frozen=True)
class Tango(OverItems):
    """Test and interval of the difference of two rates on the same items, by their counts."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Scores that are all 0 or 1, of one run, without clusters and weights."""
        items = self.items(data)
        problem = items.structure_note if items.is_binary else f"these scores are not all 0 or 1 ({items.metric.name})"
        if problem and items.is_mean:
            return UnsuitableDesignError(
                f"{self.name} counts {items.unit}s that are right or wrong, each once and by itself, but {problem}. The method "
                "'clustered-t', which 'auto' takes for these, allows for that."
            )
        return super().applies(data)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> TangoDifferences:
        """Counts of each pair, over the items that both have."""
        correct = data.matrix().score if data.metric.higher_is_better else 1.0 - data.matrix().score
        used, rows = np.unique(np.stack([first, second]), return_inverse=True)
        one, two = rows.reshape(2, *np.shape(first))
        chosen = correct if used.size == correct.shape[0] else correct[used]
        return TangoDifferences.of(tango(*paired_counts(chosen, one, two, omit_missing=True)))

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Share of the items that each model has right, or wrong, with Wilson's interval."""
        score = data.matrix().score
        n, total = np.count_nonzero(~np.isnan(score), axis=1), np.array([np.nansum(row) for row in score])
        mean = total / n
        error = np.sqrt(mean * (1.0 - mean) / np.maximum(n - 1, 1))
        tolerance = np.full(n.size, RELATIVE_TOLERANCE)

        def interval(alpha: float) -> Interval:
            return proportion_interval(total, n, level=1.0 - alpha)

        return ModelValues("mean", mean, n, tolerance, interval, standard_error=error)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """McNemar's tests of two models, Cochran's Q of several, and the unpaired error for contrast."""
        yield from super().supplementary_tests(data, settings)
        score, models = data.matrix().score, data.matrix().models
        absent = np.isnan(score).any(axis=0)
        score = score[:, ~absent] if absent.any() else score
        if not score.shape[1]:
            return
        if len(models) > 2:
            q = cochran_q(score)
            statistic, p = float(q.statistic), float(q.pvalue)
            shown = (
                "not defined, as all models agree everywhere" if np.isnan(statistic) else f"{statistic:.6g}, df {q.df}, p {p:.3g}"
            )
            text = f"Cochran's Q, of all models at once: {shown}"
            yield TestOnly(name="cochran", models=models, statistic=statistic, pvalue=p, text=text)
            return
        counts = paired_counts(score)
        b, c = counts.only_first, counts.only_second
        units = self.unit if b == 1 else f"{self.unit}s"
        discordant = f" ({b:.0f} {units} that only {models[0]} gets, {c:.0f} that only {models[1]} does)"
        for variant, label in _MCNEMAR.items():
            test = mcnemar(b, c, variant)
            p, text = float(test.pvalue), f"McNemar, {label}: p {float(test.pvalue):.3g}"
            yield TestOnly(
                name=f"mcnemar-{variant}",
                models=models,
                statistic=float(test.statistic),
                pvalue=p,
                text=text + (discordant if variant == "exact" else ""),
            )


_MCNEMAR: dict[McNemarVariant, str] = {
    "exact": "exact",
    "mid-p": "mid-p",
    "chi2": "chi-squared without correction for continuity",
}
"""Forms of the test that stand beside the interval, and their names."""


TANGO = Tango.worded(
    name="tango",
    reason="scores of 0 and 1 on the same {units}: only those that one model gets and the other does not tell them apart, and "
    "the score interval keeps its level where these are few",
    assumptions=(
        SAME_ITEMS,
        "the {units} are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "T. Tango. Equivalence test and confidence interval for paired proportions. Statistics in Medicine 17, 1998.",
        "E. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.",
    ),
)
