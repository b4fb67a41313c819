"""Macro-average over several tasks: the mean of the tasks' means, with items sampled within each of these very tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.comparison.procedures.clustered_t import (
    ANEW,
    FURTHER_ITEM_RUNS,
    ClusteredT,
    Means,
    joined,
    mean_of_rows,
)
from tiebreak.comparison.procedures.items import INDEPENDENT_ITEMS, OverItems, tolerance_of
from tiebreak.comparison.procedures.procedure import ModelValues, Procedure
from tiebreak.errors import MissingSplitsError, Setting, UnsuitableDesignError
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.scores.adjusted_means import adjusted_means
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.tasks import stratified_mean

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

FEWEST_ITEMS = 10
"""Items below which a task counts as small."""


@dataclass(frozen=True)
class MacroAverage(ClusteredT):
    """Student's t of the mean over tasks of the mean difference over items, of which only the spread within tasks counts."""

    by: str | None = TASK

    def applies(self, data: Scores) -> TiebreakError | None:
        """Scores that can be averaged, of several tasks, of each of which every model has some."""
        items = self.items(data)
        if items.tasks is None:
            return UnsuitableDesignError(
                f"{self.name} is the mean over several tasks, and these {items.unit}s are of one: no column {TASK!r} tells more "
                "apart. Leave ",
                Setting("method"),
                " out.",
            )
        if not items.is_mean:
            return UnsuitableDesignError(
                f"{self.name} takes means over {items.unit}s within each task, and {items.metric.name} is of all of them "
                "together, not a mean. Compare task by task."
            )
        refusal = OverItems.applies(self, data)
        return refusal if refusal is not None else _lacks_tasks(items)

    def of_part(self, data: Scores) -> Procedure:
        """On one task the procedure that suits its items by themselves."""
        items = self.items(data)
        if items.tasks is not None:
            return self
        from tiebreak.comparison.procedures import choose_method

        return choose_method("auto", data)

    def for_data(self, data: Scores) -> Self:
        """With the noun of the table; about further runs too, where there are several."""
        found = super().for_data(data)
        if not found.generalises_to.endswith(FURTHER_ITEM_RUNS):
            return found
        return replace(
            found,
            generalises_to=f"further {found.unit}s of these very tasks, each task with the same weight, and {FURTHER_ITEM_RUNS}",
            not_covered=f"other tasks, {ANEW}",
        )

    def _is_plain(self, items: Items) -> bool:
        """False: an item counts by the size of its task."""
        return False

    def _sums(self, items: Items) -> None:
        """None: the sums of tasks are apart."""

    def _of_rows(self, items: Items, values: FloatArray, scale: FloatArray) -> Means:
        """Macro-averages of rows of shape (n_rows, n_runs, n_items), nan where there is no value."""
        if values.shape[1] > 1:
            return _of_runs(items, values, scale)
        found = stratified_mean(
            values[:, 0],
            task_codes(items),
            items.cluster_codes,
            weights=items.weights,
            omit_missing=True,
            scale=scale,
        )
        own, wide = found.within, found.guarded
        columns = (own.estimate, own.se, own.df, found.n_examples, own.kind, tolerance_of(scale), found.skewness)
        return Means(*map(np.asarray, columns))._replace(guarded_error=wide.spread[0], guarded_df=wide.spread[1])

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean of the tasks' means of each model over its own items, with an interval of the kind that differences have."""
        return super().values(data, settings)._replace(label=f"macro-average {data.metric.name}")

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """Values as if every model had met all items, each of which counts by its share of its task."""
        items, score = self.items(data), self.units(data).matrix().score
        return adjusted_means(score, _shares(items)) if np.isnan(score).any() else None

    def reason_for(self, data: Scores) -> str:
        """Reason by the number of tasks and their sizes."""
        items = self.items(data)
        codes = task_codes(items)
        sizes = np.bincount(codes)
        span = f"{sizes.min():,}" if sizes.min() == sizes.max() else f"{sizes.min():,} to {sizes.max():,}"
        return (
            f"the {items.unit}s are of {sizes.size} tasks ({span} {items.unit}s each): every task counts the same however many "
            f"{items.unit}s it has, and the error is that of other {items.unit}s of these very tasks; for a further task of this "
            "kind there is the method 'wilcoxon', and 'clustered-t' pools all"
        )

    def _about_items(self, items: Items) -> Iterator[Notice]:
        """Remarks on tasks of few items; the guarded error allows for tasks in which few items differ."""
        sizes = np.bincount(task_codes(items))
        names = list(dict.fromkeys(items.tasks or ()))
        small = [name for name, size in zip(names, sizes.tolist(), strict=True) if size < FEWEST_ITEMS]
        if small:
            yield Notice(
                "small-tasks",
                f"the task{'s' if len(small) > 1 else ''} {quoted(small)} {'have' if len(small) > 1 else 'has'} fewer than "
                f"{FEWEST_ITEMS} {items.unit}s and count{'' if len(small) > 1 else 's'} as much as every other, so the error of "
                "the whole rests on few numbers",
            )


def task_codes(items: Items) -> IntArray:
    """Number of each item's task, in order of appearance."""
    tasks = items.tasks or ("",) * len(items.items)
    number = {name: code for code, name in enumerate(dict.fromkeys(tasks))}
    return np.array([number[name] for name in tasks], dtype=np.intp)


def _shares(items: Items) -> FloatArray:
    """Weight of each item in the macro-average: its share of its task; those of a task sum to 1."""
    codes = task_codes(items)
    weights = np.ones(codes.size) if items.weights is None else items.weights
    return np.asarray(divide(weights, np.bincount(codes, weights)[codes]))


def _of_runs(items: Items, values: FloatArray, scale: FloatArray) -> Means:
    """Macro-averages where runs are crossed with items: the two-way layout of items that are centred within their task.

    Centred values have no spread between tasks, which are fixed; they are stretched by what centring takes of it.
    """
    if not np.isnan(values).any():
        return _of_centred(items, values, scale)
    rows = range(len(values))
    return joined([_of_centred(items, values[row : row + 1], scale[row : row + 1]) for row in rows])


def _of_centred(items: Items, values: FloatArray, scale: FloatArray) -> Means:
    """Means of rows that lack the same items."""
    codes = task_codes(items)
    n_tasks = int(codes.max()) + 1
    present = ~np.isnan(values[0]).all(axis=0)
    named = items.clusters
    clusters = None if named is None else tuple(f"{code} {name}" for code, name in zip(codes, named, strict=True))
    units = np.arange(codes.size) if clusters is None else np.unique(np.array(clusters), return_inverse=True)[1]
    n_units = np.array([np.unique(units[present & (codes == code)]).size for code in range(n_tasks)])
    shares = np.where(present, np.ones(codes.size) if items.weights is None else items.weights, 0.0)
    shares = divide(shares, np.bincount(codes, shares, n_tasks)[codes])
    number = (~np.isnan(values)).sum(axis=1)
    by_item = divide(np.nansum(values, axis=1), np.maximum(number, 1))
    means = np.stack([np.bincount(codes, np.where(present, shares, 0.0) * row, n_tasks) for row in by_item])
    if (n_units == 0).any():  # a task that these models do not share
        values = np.full_like(values, np.nan)
    stretch = np.sqrt(divide(n_units, np.where(n_units > 1, n_units - 1.0, 1.0)))[codes]
    centred = means.mean(axis=1)[:, None, None] + (values - means[:, None, codes]) * stretch
    own = replace(items, weights=np.where(present, shares, 0.0), clusters=clusters)
    return mean_of_rows(own, centred, scale)


def _lacks_tasks(items: Items) -> MissingSplitsError | None:
    """The error for a model without any score of some task, whose average would be of other tasks than that of the others."""
    tasks, codes = list(dict.fromkeys(items.tasks or ())), task_codes(items)
    has = np.asarray(~np.isnan(items.score).all(axis=1))
    of_task = np.stack([has[:, codes == code].any(axis=1) for code in range(len(tasks))], axis=1)
    of_all = np.asarray(of_task.all(axis=0))
    if of_all.all():
        return None
    model = int(np.flatnonzero(~of_task.all(axis=1))[0])
    lacking = [tasks[code] for code in np.flatnonzero(~of_task[model])]
    shared = [name for name, is_shared in zip(tasks, of_all.tolist(), strict=True) if is_shared]
    rest = f"All models share {quoted(shared)}: compare these alone" if shared else "No task is shared by all models: take fewer"
    return MissingSplitsError(
        f"{items.models[model]!r} has no score of the task{'s' if len(lacking) > 1 else ''} {quoted(lacking)}, so its average "
        f"over tasks would be of other tasks than that of the others. {rest}, or leave models out with ",
        Setting("models"),
        ".",
    )


MACRO_AVERAGE = MacroAverage.worded(
    name="macro-average",
    reason="asked for by name: the mean over tasks of the mean difference over the {units} of each",
    generalises_to="further {units} of these very tasks, each task with the same weight, with these models as they are",
    not_covered="other tasks, another training run, another prompt or other sampled answers",
    missing="pairwise",
    assumptions=(
        "all models were scored on the same {units} of the same tasks",
        INDEPENDENT_ITEMS + ", within each task",
        "the tasks are these and no sample of tasks, so differences between them are part of what is estimated and no error",
    ),
    references=(
        "W. Cochran. Sampling Techniques, 3rd edition, 1977, chapter 5: stratified random sampling.",
        "E. Miller. Adding error bars to evals: a statistical approach to language model evaluations. arXiv:2411.00640, 2024.",
        "F. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.",
    ),
)
