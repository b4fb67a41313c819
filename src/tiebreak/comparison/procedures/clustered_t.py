"""Differences of means over items by Student's t: cluster-robust where items come in clusters, of all runs, and over tasks."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tiebreak.comparison.procedures.items import (
    ANEW,
    FEW_CLUSTERS,
    FURTHER_ITEM_RUNS,
    FURTHER_ITEMS,
    INDEPENDENT_ITEMS,
    OTHER_CHANCE,
    SAME_ITEMS,
    against_first,
    and_more,
    items_of,
    layout_of,
    refuse_items,
    remarks_on_items,
    scale_of,
    unpaired,
)
from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, Reach, TestOnly, adjusted_of, reached
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.numerics import SPREAD, FloatArray, IntArray, divide, student_quantile
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.means import model_moments, pair_differences
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.influence import bounded
from tiebreak.statistics.means import (
    FEW_RUNS,
    Layout,
    Means,
    cluster_sums,
    differences_of_means,
    effects_of_size,
    means_of_moments,
    means_of_rows,
    run_differences,
    task_shares,
)
from tiebreak.statistics.skew import FEW_ITEMS, carried_by_few, pair_skewness

MOST_TIMES = 100
"""Times as many runs beyond which no number is realistic."""

MOST_CHECKED = 60
"""Models up to which the differences of all pairs are looked at."""

MOST_NUMBERS = 20_000_000
"""Differences of all models with another one, up to which they are looked at."""


def judged_means(found: Means, n_runs: int = 1) -> Judged:
    """Law of mean differences, and what runs leave however many items there are."""
    law = found.law
    parts = {name: getattr(found, name) for name in ("skewness", "runs_error", "from_items", "from_runs", "from_both")}
    if found.from_runs is None:
        return Judged(law=law, reach_df=reached(law), beside=parts)

    def floor(alpha: float) -> FloatArray:
        """As items grow in number the part of the runs stays."""
        low, high = law.interval_at(alpha)
        share = divide(np.asarray(found.from_runs), np.square(found.standard_error))
        return np.asarray((high - low) / 2.0 * np.sqrt(np.minimum(share, 1.0)))

    def runs_needed(margin: float, alpha: float) -> tuple[int, float]:
        """As the parts of the variance say: more runs divide that between runs and that within both."""
        more = np.arange(n_runs + 1, MOST_TIMES * n_runs + 1)
        ratio, stays = n_runs / more, float(np.ravel(found.from_items)[0])  # type: ignore[arg-type]
        error, df, runs_error = (float(np.ravel(each)[0]) for each in (law.se, law.df, found.runs_error))  # type: ignore[arg-type]
        grown = df * (more - 1.0) / (n_runs - 1.0)  # grows as runs do, where these are what the error is made of
        both = np.sqrt(stays + np.maximum(error**2 - stays, 0.0) * ratio) * student_quantile(alpha / 2, grown)
        runs = runs_error * np.sqrt(ratio) * student_quantile(alpha / 2, more - 1.0)
        enough = np.flatnonzero(-np.minimum(both, runs) <= margin)
        return n_runs, float(more[enough[0]]) if enough.size else np.inf

    return Judged(law=law, reach_df=reached(law), floor=floor, runs_needed=runs_needed, beside=parts)


def _differences(data: Scores, first: IntArray, second: IntArray, layout: Layout) -> Means:
    """Mean difference of each pair over the items that both have."""
    items, sign = items_of(data), data.metric.sign
    if layout.tasks is None and not items.structure_note:  # the ordinary t of the differences
        matrix = data.matrix()
        found = means_of_moments(pair_differences(matrix, data.metric, np.zeros(matrix.n_splits), first, second)[0])
        return found._replace(skewness=sign * pair_skewness(matrix.score, first, second))
    one, two = (np.atleast_1d(each) for each in (first, second)[::sign])  # positive favours the first
    scale = np.atleast_1d(scale_of(data, first, second))
    return differences_of_means(items.score, one, two, layout, scale).reshaped(np.shape(first))


def _judge(data: Scores, first: IntArray, second: IntArray, layout: Layout) -> Judged:
    """Mean differences, with ends that are cut at the largest difference of a metric with known bounds."""
    items = items_of(data)
    judged = judged_means(_differences(data, first, second, layout), max(int(items.n_runs.min()), 2))
    low, high = data.metric.bounds_of(float(np.nanmin(items.score)), float(np.nanmax(items.score)))
    return replace(judged, law=bounded(judged.law, high - low)) if np.isfinite(high - low) else judged


def means_of_models(data: Scores, layout: Layout | None = None) -> Means:
    """Mean of each model over its own items, with the error that clusters, runs and tasks leave it."""
    items = items_of(data)
    layout = layout_of(items) if layout is None else layout
    rows = items.score.reshape(len(items.models), -1)
    return means_of_rows(items.score, layout, np.fmax.reduce(np.abs(rows), axis=1))


def _values(data: Scores, layout: Layout) -> ModelValues:
    """Mean over items of each model, with the interval of the same kind as the differences have."""
    items, score = items_of(data), data.matrix().score
    is_plain = layout.tasks is None and not items.structure_note
    found = means_of_moments(model_moments(data.matrix())) if is_plain else means_of_models(data, layout)
    law = found._replace(skewness=None, runs_skewness=None).law
    adjusted = adjusted_of(score, items.weights if layout.tasks is None else task_shares(layout))
    columns = (found.estimate, found.n, found.tolerance)
    return ModelValues("mean", *columns, law.interval_at, adjusted, standard_error=found.standard_error)


def _beside(data: Scores, layout: Layout) -> Iterator[TestOnly]:
    """Contrasts: unpaired, and of the first two models with the clusters forgotten, and the parts of the variance by runs."""
    judged = _judge(data, *against_first(data), layout)
    yield from unpaired(data, judged.law, _values(data, layout).standard_error)
    items, models = items_of(data), data.matrix().models[:2]
    if judged.law.kind[0] != SPREAD:
        return
    error, pair = float(np.asarray(judged.law.se)[0]), f"{models[0]} minus {models[1]}"
    if items.clusters is not None and len(items.runs) == 1:
        first, second = np.array([0]), np.array([1])
        rows = run_differences(items.score, first, second)
        alone = float(means_of_rows(rows, replace(layout, clusters=None), scale_of(data, first, second)).standard_error[0])
        seems = f"the standard error of {pair} would seem to be {alone:.3g} instead of {error:.3g}"
        text = f"clusters forgotten, for contrast: {seems}"
        yield TestOnly(name="independent", models=models, statistic=alone / error, text=text)
    if judged.beside["from_runs"] is not None:
        parts = np.array([judged.beside[name][0] for name in ("from_items", "from_runs", "from_both")])
        share = parts / max(parts.sum(), np.finfo(float).tiny)
        unit = items.unit
        advice = f"{unit}s" if share[0] >= share[1] else "runs"
        text = (
            f"parts of the squared standard error of {pair}: {share[0]:.0%} between {unit}s, {share[1]:.0%} between runs, "
            f"{share[2]:.0%} within both; more {unit}s divide the first and last, more runs the second and last: {advice} "
            "would help most"
        )
        shares = dict(zip(("items", "runs", "both"), share.tolist(), strict=True))
        yield TestOnly(name="variance-parts", models=models, probabilities=shares, text=text)


def _about_runs(items: Items) -> Iterator[Notice]:
    """Few runs, and models that lack some."""
    if len(items.runs) == 1:
        return
    fewest = int(items.n_runs.min())
    if fewest < FEW_RUNS:
        yield Notice(
            "few-units",
            f"{fewest} runs show little of how runs vary; if they are only repeated samples of the same model and prompt, call "
            "the column 'epoch': intervals are then narrower",
        )


def _about_items(items: Items) -> Iterator[Notice]:
    """Few items, and mean differences that a few items carry, or that go with the sizes of clusters."""
    unit, n = ("cluster", items.n_clusters) if items.clusters is not None else (items.unit, len(items.items))
    if n < FEW_ITEMS and not (items.clusters is not None and n < FEW_CLUSTERS):
        yield Notice(
            "few-items",
            f"with {n} {unit}s, what {1 - 0.05 ** (1 / n):.0%} of all {unit}s show is missing from 1 sample in 20: a few that "
            "carry a difference may not have been met",
        )
    n_models = len(items.models)
    if n_models > MOST_CHECKED or items.score.size * n_models > MOST_NUMBERS:
        return
    second, first = np.tril_indices(n_models, -1)
    means = items.score[:, 0] if len(items.runs) == 1 else items.item_means()
    if items.clusters is not None:
        sums = cluster_sums(means, items.cluster_codes, weights=items.weights, omit_missing=True)
        means = np.where(sums.weights > 0, divide(sums.totals, sums.weights), np.nan)
        yield from _size_effects(items, means, first, second)
    rare, skewed = carried_by_few(means, first, second)
    if rare:
        one, two, n_others, size = rare[0]
        yield Notice(
            "carried-by-few",
            f"{quoted([items.models[one], items.models[two]])}{and_more(len(rare))}: the difference is the same on all but "
            f"{n_others} of the {size} {unit}s, which carry all that is seen, and a sample may hold none of them",
        )
    if skewed:
        one, two, share = skewed[0]
        how = "the differences are very skewed"
        if not np.isnan(share):
            how = f"one {unit} carries {share:.0%} of the variance of the difference"
        yield Notice(
            "carried-by-few",
            f"{quoted([items.models[one], items.models[two]])}{and_more(len(skewed))}: {how}, so that the mean stands or falls "
            f"with a few {unit}s",
        )


def _size_effects(items: Items, means: FloatArray, first: IntArray, second: IntArray) -> Iterator[Notice]:
    """Differences that go with the sizes of very uneven clusters: sizes not met yet would change the mean."""
    sizes = cluster_sums(np.ones(len(items.items)), items.cluster_codes, weights=items.weights).weights
    found = effects_of_size(means, sizes, first, second)
    if found.size:
        one, two = items.models[first[found[0]]], items.models[second[found[0]]]
        yield Notice(
            "carried-by-few",
            f"{quoted([one, two])}{and_more(found.size)}: the difference goes with the size of the clusters, of which the "
            f"largest holds {sizes.max() / sizes.sum():.0%} of the {items.unit}s: a large one that was not met would change it",
        )


def _remarks(data: Scores) -> Iterator[Notice]:
    items = items_of(data)
    yield from remarks_on_items(data, unused_by="clustered-t")
    yield from _about_runs(items)
    yield from _about_items(items)


def _reason(data: Scores | None) -> str:
    """Reason by the shape of the table."""
    if data is None:
        return "Student's t of the paired differences, in clusters and runs where there are some"
    items = items_of(data)
    if len(items.runs) > 1:
        clusters = ", and these come in clusters" if items.clusters is not None else ""
        return (
            f"every {{unit}} was answered in {len(items.runs)} runs{clusters}: all runs count, as other runs would give another "
            "mean just as other {units} would"
        )
    if items.clusters is not None:
        return (
            f"the {{units}} come in {items.n_clusters} clusters, which are as many independent pieces of evidence; the variance "
            "(CR2) and its degrees of freedom allow for that"
        )
    if items.weights is not None:
        return "the {units} have weights, which the mean and its error allow for"
    return "scores of single {units} that are not only right and wrong: the mean of their paired differences"


def _reach(data: Scores | None) -> Reach:
    """About further runs too, where there are several."""
    if data is None or len(items_of(data).runs) == 1:
        return Reach(FURTHER_ITEMS, OTHER_CHANCE)
    return Reach(f"further {{units}} like these, and {FURTHER_ITEM_RUNS}", ANEW)


CLUSTERED_T = Procedure(
    name="clustered-t",
    question="examples",
    reason=_reason,
    generalises_to=_reach,
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "the mean of the differences is roughly normal but for its skewness, unless a few rare {units} carry it",
    ),
    references=(
        "P. Hall. On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54, 1992.",
        "E. Miller. Adding error bars to evals: a statistical approach to language model evaluations. arXiv:2411.00640, 2024.",
        "R. Bell, D. McCaffrey. Bias reduction in standard errors for linear regression. Survey Methodology 28, 2002.",
        "J. Pustejovsky, E. Tipton. Small-sample methods for cluster-robust variance estimation. J. Bus. Econ. Stat. 36, 2018.",
        "F. Satterthwaite. An approximate distribution of estimates of variance components. Biometrics Bulletin 2, 1946.",
    ),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, layout_of(items_of(data))),
    values=lambda data: _values(data, layout_of(items_of(data))),
    refuse=lambda data: refuse_items("clustered-t", data),
    remarks=_remarks,
    beside=lambda data, settings: _beside(data, layout_of(items_of(data))),
)


# --- macro-average over tasks -----------------------------------------------------------------------------------------------


def _task_layout(data: Scores) -> Layout:
    items = items_of(data)
    return replace(layout_of(items), tasks=task_codes(items))


def task_codes(items: Items) -> IntArray:
    """Number of each item's task, in order of appearance."""
    tasks = items.tasks or ("",) * len(items.items)
    number = {name: code for code, name in enumerate(dict.fromkeys(tasks))}
    return np.array([number[name] for name in tasks], dtype=np.intp)


def _refuse_tasks(data: Scores) -> TiebreakError | None:
    """Scores that cannot be averaged, of one task, or of tasks of which some model has none."""
    items = items_of(data)
    if items.tasks is None:
        return DataError(
            f"macro-average is the mean over several tasks, and these {items.unit}s are of one: no column {TASK!r} tells more "
            "apart. Leave ",
            Setting("method"),
            " out.",
        )
    if not items.is_mean:
        return DataError(
            f"macro-average takes means over {items.unit}s within each task, and {items.metric.name} is of all of them "
            "together, not a mean. Compare task by task."
        )
    refusal = refuse_items("macro-average", data)
    return refusal if refusal is not None else _lacks_tasks(items)


def _lacks_tasks(items: Items) -> DataError | None:
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
    return DataError(
        f"{items.models[model]!r} has no score of the task{'s' if len(lacking) > 1 else ''} {quoted(lacking)}, so its average "
        f"over tasks would be of other tasks than that of the others. {rest}, or leave models out with ",
        Setting("models"),
        ".",
    )


def _task_remarks(data: Scores) -> Iterator[Notice]:
    """As of one task; the guarded error allows for tasks in which few items differ."""
    yield from remarks_on_items(data, unused_by="macro-average")
    yield from _about_runs(items_of(data))


def _task_reason(data: Scores | None) -> str:
    """Reason by the number of tasks and their sizes."""
    if data is None:
        return "the mean over tasks of the mean difference over the {units} of each"
    sizes = np.bincount(task_codes(items_of(data)))
    span = f"{sizes.min():,}" if sizes.min() == sizes.max() else f"{sizes.min():,} to {sizes.max():,}"
    return (
        f"the {{units}} are of {sizes.size} tasks ({span} {{units}} each): every task counts the same however many {{units}} it "
        "has, and the error is that of other {units} of these very tasks; for a further task of this kind there is the method "
        "'wilcoxon', and 'clustered-t' pools all"
    )


def _task_reach(data: Scores | None) -> Reach:
    has_runs = data is not None and len(items_of(data).runs) > 1
    whose = f"and {FURTHER_ITEM_RUNS}" if has_runs else "with these models as they are"
    further = f"further {{units}} of these very tasks, each task with the same weight, {whose}"
    return Reach(further, f"other tasks, {ANEW if has_runs else OTHER_CHANCE}")


MACRO_AVERAGE = Procedure(
    name="macro-average",
    question="examples",
    reason=_task_reason,
    generalises_to=_task_reach,
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
    traits=frozenset(("pairwise", "tasks")),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, _task_layout(data)),
    values=lambda data: _values(data, _task_layout(data))._replace(label=f"macro-average {data.metric.name}"),
    refuse=_refuse_tasks,
    remarks=_task_remarks,
    beside=lambda data, settings: _beside(data, _task_layout(data)),
)
