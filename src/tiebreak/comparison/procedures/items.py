"""Procedures whose unit is the item: the facts that they share, and what the answer is and is not about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from tiebreak.comparison.procedures.procedure import ModelValues, Procedure, Question, TestOnly, Wording
from tiebreak.errors import TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.scores.adjusted_means import adjusted_means
from tiebreak.scores.copies import first_copies
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.repeats import RepeatedRows, repeated_rows

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

FEW_CLUSTERS = 10
"""Clusters below which intervals are wide, and rest on a variance of few numbers."""

FEW_RUNS = 10
"""Runs below which nothing shows whether they vary symmetrically."""

SAME_ITEMS = "all models were scored on the same {units}"
INDEPENDENT_ITEMS = (
    "the {units}, or their clusters, are a sample of those that the answer is meant for, independent of each other"
)
FURTHER_ITEMS = "further {units} like these, with these models as they are"


@dataclass(frozen=True, kw_only=True)
class OverItems(Procedure):
    """Procedure over the items of one test set, that all models were scored on."""

    question: Question = "examples"
    unit: str = "item"
    not_covered: str = "another training run, another prompt or other sampled answers"
    wording: Wording

    @classmethod
    def worded(cls, *, reason: str, assumptions: tuple[str, ...], generalises_to: str = FURTHER_ITEMS, **facts: Any) -> Self:
        """The procedure with texts that take the noun of a table in the place of {unit} and {units}."""
        wording = Wording(reason, generalises_to, assumptions)
        return cls(wording=wording, **wording.of("item"), **facts)

    def items(self, data: Scores) -> Items:
        """Scores of single items, which those of the question "examples" hold."""
        return cast("Items", data.items)

    def applies(self, data: Scores) -> TiebreakError | None:
        """Scores that can be averaged over items, and two clusters or more."""
        items = self.items(data)
        if not items.is_mean and self.is_mean:
            instead = (
                "The method 'jackknife-t', which 'auto' takes for these, leaves them out one by one"
                if items.is_positive is None
                else "The method 'delong', which 'auto' takes for these, compares areas under ROC curves on one test set"
            )
            return UnsuitableDesignError(
                f"{self.name} takes means over {items.unit}s, and {items.metric.name} is of all of them together, not a mean. "
                f"{instead}."
            )
        if items.n_clusters < 2:
            alone = (
                f"all {len(items.items)} {items.unit}s are of one cluster"
                if len(items.items) > 1
                else f"there is only one {items.unit}"
            )
            return TooFewSplitsError(
                f"{alone}, so nothing shows how much the difference varies from one to the next. More are needed, or names of "
                "clusters that say which of them belong together."
            )
        return None

    def for_data(self, data: Scores) -> Self:
        """With the noun of the table."""
        return replace(self, **self.wording.of(self.items(data).unit if data.items is not None else self.unit))

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """Values as if every model had met all items, which count by their weights."""
        items, score = self.items(data), self.units(data).matrix().score
        return adjusted_means(score, items.weights) if self.is_mean and np.isnan(score).any() else None

    def scale(self, data: Scores, first: IntArray, second: IntArray) -> FloatArray:
        """Size of the scores of each pair, which sets the size of rounding noise."""
        largest = largest_of(self.items(data).score)
        return np.asarray(np.maximum(largest[first], largest[second]))

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on few clusters and runs, and on models with the same answers everywhere."""
        items = self.items(data)
        if items.clusters is not None and items.n_clusters < FEW_CLUSTERS:
            yield Notice(
                "few-clusters",
                f"the {len(items.items)} {items.unit}s are of {items.n_clusters} clusters only: as many independent pieces of "
                "evidence as there are clusters, so the intervals are wide; of equal models 3 to 5 % were called different, but "
                "up to 24 % where a few clusters are far larger than the others and the difference goes with their size",
            )
        if items.labels is not None and self.name != "prediction-powered":
            yield Notice(
                "labels-unused",
                f"the labels by people are not used by {self.name}, which compares the judge's scores; the method "
                "'prediction-powered' takes both together, of one task and one run",
            )
        same = same_answers(items)
        if same:
            more = f" (and {len(same) - 1} more such group(s))" if len(same) > 1 else ""
            yield Notice(
                "same-answers",
                f"{quoted(same[0])}{more} have the same score on every {items.unit}: are they the same model, or one read twice?",
            )
        yield from _copied_items(items)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Contrast: the error as if the models had met different items, which intervals of each by itself come to."""
        error = self.values(data, settings).standard_error
        if error is None or len(error) < 2:
            return
        second = np.arange(1, len(error))
        paired = self.judge(data, np.zeros_like(second), second, settings).standard_error
        if paired is None:
            return
        unpaired = np.hypot(error[0], error[1:])
        known = np.flatnonzero((paired > 0) & (unpaired > 0))
        if not known.size:
            return
        ratio = unpaired[known] / paired[known]
        typical = known[int(np.argsort(ratio)[known.size // 2])]
        how = unpaired[typical] / paired[typical]
        models = data.matrix().models
        pair = f"{models[0]} minus {models[second[typical]]}"
        yield TestOnly(
            name="unpaired",
            models=(models[0], models[int(second[typical])]),
            statistic=float(how),
            text=f"unpaired, for contrast: as if the models had met different {self.unit}s, the standard error of {pair} would "
            f"be {unpaired[typical]:.3g} instead of {paired[typical]:.3g}, and its interval {how:.2g} times as wide",
        )


def _copied_items(items: Items) -> Iterator[Notice]:
    """Remark on items that look like copies of each other, which count as if each were evidence of its own."""
    n = len(items.items)
    if items.score.size > MOST_CELLS:
        return
    truth = [np.asarray(each, dtype=float)[None] for each in (items.is_positive, items.truth) if each is not None]
    rows = items.score.reshape(-1, n)
    found = repeated_rows(np.concatenate([rows, *truth]) if truth else rows, items.cluster_codes)
    if found is not None:
        yield copies_notice(found, items.unit, n, "name in a column 'cluster' which belong together")


def copies_notice(found: RepeatedRows, unit: str, n: int, advice: str) -> Notice:
    """Remark on units that look like copies of each other."""
    how = (
        f"nearly every one stands a multiple of {found.n_times} times"
        if found.n_times
        else "more of them stand twice, and fewer three times, than chance makes"
    )
    return Notice(
        "copied-units",
        f"{found.n_repeated} of the {n} {unit}s have the same scores of all models as another one, and {how}: they look like "
        f"copies, each of which counts as evidence of its own. Where all {unit}s stood twice, equal models were called different "
        "in 13 to 20 % of trials of 2 models and 40 % of 10, and where half of them did in 10 to 15 %, instead of 5 %. Leave "
        f"copies out, or {advice}",
    )


MOST_CELLS = 50_000_000
"""Scores up to which copies are looked for."""


def same_answers(items: Items) -> list[tuple[str, ...]]:
    """Groups of models with the same score on every item of every run."""
    entry = first_copies(items.score.reshape(len(items.models), -1))
    found, n = np.unique(entry, return_counts=True)
    return [tuple(items.models[row] for row in np.flatnonzero(entry == each)) for each in found[n > 1].tolist()]


def largest_of(score: FloatArray) -> FloatArray:
    """Size of the largest score of each model, 0 where it has none; without an array of all sizes."""
    rows = score.reshape(len(score), -1)
    low, high = np.fmin.reduce(rows, axis=1, initial=0.0), np.fmax.reduce(rows, axis=1, initial=0.0)
    return np.asarray(np.maximum(high, -low))


def tolerance_of(scale: FloatArray) -> FloatArray:
    """Rounding noise of means of scores of this size."""
    return np.asarray(RELATIVE_TOLERANCE * scale)
