"""Means over the items of one test set: the frame that all procedures over items share, rates, graded scores, and tasks."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from tiebreak.comparison.procedures.procedure import (
    ALLOWED_SHARE,
    MOST_CHECKED,
    MOST_TIMES,
    Judged,
    ModelValues,
    Procedure,
    TestOnly,
    adjusted_of,
    and_more,
    copies_notice,
    noted,
    numbers_of,
    p_words,
    reached,
    refusal,
)
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, SPREAD, FloatArray, IntArray, divide, student_quantile
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.means import law_of_models, pair_differences
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.copies import repeated_rows
from tiebreak.statistics.influence import bounded
from tiebreak.statistics.means import (
    Layout,
    Means,
    cluster_means,
    cluster_sums,
    differences_of_means,
    means_of_rows,
    task_shares,
)
from tiebreak.statistics.rates import (
    McNemarVariant,
    cochran_q,
    mcnemar,
    paired_counts,
    proportion_interval,
    tango,
    tango_statistic,
)
from tiebreak.statistics.skew import carried_by_few, pair_skewness

FEWEST_RUNS = 3
"""Runs up to which it is said that they show little."""

MOST_CELLS = 50_000_000
"""Scores up to which copies are looked for."""

SAME_ITEMS = "all models were scored on the same {units}"
INDEPENDENT_ITEMS = (
    "the {units}, or their clusters, are a sample of those that the answer is meant for, independent of each other"
)
FURTHER_ITEMS = "further {units} like these"


def items_of(data: Scores) -> Items:
    """Scores of single items, which those of the question "examples" hold."""
    return cast("Items", data.items)


def reach_of(further: str, data: Scores | None, beyond: str = "") -> tuple[str, str]:
    """Reach of an answer about further items: about further runs too, where there are several."""
    if data is not None and data.items is not None and len(data.items.runs) > 1:
        return (
            f"{further}, and further runs of these models",
            f"{beyond}another prompt, or models trained anew unless each run was",
        )
    return f"{further}, with these models as they are", f"{beyond}another training run, another prompt or other sampled answers"


def layout_of(items: Items, *, by_task: bool = False) -> Layout:
    """Clusters and weights of items by number, and their tasks where each counts the same."""
    return Layout(items.cluster_codes, items.weights, numbers_of(items.tasks or ()) if by_task else None)


def refuse_items(name: str, data: Scores) -> TiebreakError | None:
    """The error for a metric that is no mean over items, and for fewer than two clusters."""
    items = items_of(data)
    instead = (
        "The method 'jackknife-t', which 'auto' takes for these, leaves them out one by one"
        if items.is_positive is None
        else "The method 'delong', which 'auto' takes for these, compares areas under ROC curves on one test set"
    )
    return refusal(
        (
            not items.is_mean,
            f"{name} takes means over {items.unit}s, and {items.metric.name} is of all of them together, not a mean. {instead}.",
        )
    ) or refuse_one_cluster(items)


def refuse_one_cluster(items: Items) -> TiebreakError | None:
    """The error for fewer than two clusters."""
    n = len(items.items)
    alone = f"all {n} {items.unit}s are of one cluster" if n > 1 else f"there is only one {items.unit}"
    return refusal(
        (
            items.n_clusters < 2,
            (
                f"{alone}, so nothing shows how much the difference varies from one to the next. More are needed, or names of "
                "clusters that say which of them belong together."
            ),
        )
    )


def scale_of(data: Scores, first: IntArray, second: IntArray) -> FloatArray:
    """Size of the scores of each pair, which sets the size of rounding noise."""
    largest = np.fmax.reduce(np.abs(items_of(data).score), axis=(1, 2), initial=0.0)
    return np.asarray(np.maximum(largest[first], largest[second]))


def remarks_on_items(data: Scores, unused_by: str = "") -> Iterator[Notice]:
    """Labels that a procedure leaves unused, and copied items."""
    items = items_of(data)
    yield from noted(
        (
            items.labels is not None and bool(unused_by),
            Notice(
                "left-out",
                f"the labels by people are left out by {unused_by}, which compares the judge's scores; the method "
                "'prediction-powered' takes both together, of one task and one run",
            ),
        ),
    )
    if items.score.size <= MOST_CELLS:
        truth = [np.asarray(each, dtype=float)[None] for each in (items.is_positive, items.truth) if each is not None]
        n_copied = repeated_rows(np.concatenate([items.score.reshape(-1, len(items.items)), *truth]), items.cluster_codes)
        if n_copied or items.clusters is None:  # what stands together in clusters is known to
            advice = "name in a column 'cluster' which belong together"
            yield from copies_notice(data.matrix().score, n_copied, items.unit, advice)


# --- right or wrong --------------------------------------------------------------------------------------------------------

FEWEST_COUNTED = 20
"""Items from which intervals of rates are near enough to those of a normal distribution to tell what they can show."""


def _refuse_rates(data: Scores) -> TiebreakError | None:
    """Scores that are not all 0 or 1, of several runs, in clusters or with weights."""
    items = items_of(data)
    problem = items.structure_note if items.is_binary else f"these scores are not all 0 or 1 ({items.metric.name})"
    return refusal(
        (
            bool(problem) and items.is_mean,
            (
                f"tango counts {items.unit}s that are right or wrong, each once and by itself, but {problem}. The method "
                "'clustered-t', which 'auto' takes for these, allows for that."
            ),
        )
    ) or refuse_items("tango", data)


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


def counts_of(data: Scores) -> tuple[FloatArray, FloatArray]:
    """Right ones (or wrong ones, of a loss) of each model over its test sets, and the number of examples; (n_models,) each."""
    matrix = data.matrix()
    own = ~np.isnan(matrix.score)
    if data.items is not None:
        return np.where(own, matrix.score, 0.0).sum(axis=1), own.sum(axis=1).astype(float)
    counts = np.where(own, matrix.score, 0.0) * matrix.n_test
    whole = np.rint(counts)
    counts = np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, counts)  # rates are read back from files
    return counts.sum(axis=1), (own * matrix.n_test).sum(axis=1).astype(float)


def values_of_rates(name: str, counts: FloatArray, n: FloatArray, score: FloatArray | None = None) -> ModelValues:
    """Share of its examples that each model has right, or wrong, with Wilson's interval; adjusted where they share examples."""
    mean = counts / n
    return ModelValues(
        name,
        mean,
        n.astype(np.int64),
        np.full(n.size, RELATIVE_TOLERANCE),
        lambda alpha: proportion_interval(counts, n, level=1.0 - alpha),
        None if score is None else adjusted_of(score),
        standard_error=None if score is None else np.sqrt(mean * (1.0 - mean) / np.maximum(n - 1, 1)),
    )


def _tests_of_rates(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """McNemar's tests of two models, Cochran's Q of several."""
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
        yield TestOnly(
            name="cochran",
            models=models,
            statistic=statistic,
            pvalue=p,
            text=f"Cochran's Q, of all models at once: {shown}",
        )
        return
    (_, b, c, _), unit = paired_counts(score), items_of(data).unit
    counts = f" ({b:.0f} {unit if b == 1 else f'{unit}s'} that only {models[0]} gets, {c:.0f} that only {models[1]} does)"
    for variant, label in _MCNEMAR.items():
        test = mcnemar(b, c, variant)
        statistic, p = float(test.statistic), float(test.pvalue)
        yield TestOnly(
            name=f"mcnemar-{variant}",
            models=models,
            statistic=statistic,
            pvalue=p,
            text=f"McNemar, {label}: {p_words(p)}{counts if variant == 'exact' else ''}",
        )


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
    generalises_to=partial(reach_of, FURTHER_ITEMS),
    assumptions=(
        SAME_ITEMS,
        "the {units} are a sample of those that the answer is meant for, independent of each other",
    ),
    references=(
        "T. Tango. Equivalence test and confidence interval for paired proportions. Statistics in Medicine 17, 1998.",
        "E. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.",
    ),
    judge=lambda data, first, second, rope, alpha, seed: judge_rates(data, first, second),
    values=lambda data: values_of_rates("mean", *counts_of(data), data.matrix().score),
    refuse=_refuse_rates,
    remarks=lambda data: remarks_on_items(data, unused_by="tango"),
    beside=_tests_of_rates,
)


# --- graded scores, clusters, runs -----------------------------------------------------------------------------------------

MOST_NUMBERS = 20_000_000
"""Differences of all models with another one, up to which they are looked at."""


def judged_means(found: Means, n_runs: int = 1) -> Judged:
    """Law of mean differences, and what runs leave however many items there are."""
    law, by_runs, beside = found.law, found.by_runs, found._asdict()
    if by_runs is None:
        return Judged(law=law, reach_df=reached(law), beside=beside)

    def floor(alpha: float) -> FloatArray:
        """As items grow in number the part of the runs stays."""
        low, high = law.interval_at(alpha)
        share = divide(np.asarray(found.from_runs), np.square(law.spread[0]))
        return np.asarray((high - low) / 2.0 * np.sqrt(np.minimum(share, 1.0)))

    def runs_needed(margin: float, alpha: float) -> tuple[int, float]:
        """As the parts of the variance say: more runs divide that between runs and that within both."""
        more = np.arange(n_runs + 1, MOST_TIMES * n_runs + 1)
        ratio, stays = n_runs / more, float(np.ravel(found.from_items)[0])  # type: ignore[arg-type]
        error, df, runs_error = (float(np.ravel(each)[0]) for each in (*law.spread, by_runs.spread[0]))
        grown = df * (more - 1.0) / (n_runs - 1.0)  # grows as runs do, where these are what the error is made of
        both = np.sqrt(stays + np.maximum(error**2 - stays, 0.0) * ratio) * student_quantile(alpha / 2, grown)
        runs = runs_error * np.sqrt(ratio) * student_quantile(alpha / 2, more - 1.0)
        enough = np.flatnonzero(-np.minimum(both, runs) <= margin)
        return n_runs, float(more[enough[0]]) if enough.size else np.inf

    return Judged(law=law, reach_df=reached(law), floor=floor, runs_needed=runs_needed, beside=beside)


def _differences(data: Scores, first: IntArray, second: IntArray, layout: Layout) -> Means:
    """Mean difference of each pair over the items that both have."""
    items, sign = items_of(data), data.metric.sign
    if layout.tasks is None and not items.structure_note:  # the ordinary t of the differences
        matrix = data.matrix()
        law, _ = pair_differences(matrix, data.metric, np.zeros(matrix.n_splits), first, second)
        return Means(law, sign * pair_skewness(matrix.score, first, second))
    one, two = (np.atleast_1d(each) for each in (first, second)[::sign])  # positive favours the first
    scale = np.atleast_1d(scale_of(data, first, second))
    return differences_of_means(items.score, one, two, layout, scale).take(np.arange(one.size).reshape(np.shape(first)))


def _judge(data: Scores, first: IntArray, second: IntArray, layout: Layout) -> Judged:
    """Mean differences, with ends that are cut at the largest difference of a metric with known bounds."""
    items = items_of(data)
    judged = judged_means(_differences(data, first, second, layout), max(int(items.n_runs.min()), 2))
    low, high = data.metric.bounds_of(float(np.nanmin(items.score)), float(np.nanmax(items.score)))
    return replace(judged, law=bounded(judged.law, high - low)) if np.isfinite(high - low) else judged


def means_of_models(data: Scores, layout: Layout | None = None) -> Means:
    """Mean of each model over its own items, with the error that clusters, runs and tasks leave it."""
    items = items_of(data)
    return means_of_rows(items.score, layout or layout_of(items), np.fmax.reduce(np.abs(items.score), axis=(1, 2)))


def _values(data: Scores, layout: Layout) -> ModelValues:
    """Mean over items of each model, with the interval of the same kind as the differences have."""
    items, score = items_of(data), data.matrix().score
    is_plain = layout.tasks is None and not items.structure_note
    found = Means(law_of_models(data.matrix())) if is_plain else means_of_models(data, layout)
    law = found._replace(skewness=None, runs_skewness=None).law
    adjusted = adjusted_of(score, items.weights if layout.tasks is None else task_shares(layout))
    return ModelValues.of(law, adjusted=adjusted, standard_error=law.spread[0])


def _beside(data: Scores, layout: Layout) -> Iterator[TestOnly]:
    """Parts of the variance of the first two models by items and runs, where there are several."""
    items, models = items_of(data), data.matrix().models[:2]
    judged = _judge(data, np.array([0]), np.array([1]), layout)
    if judged.law.kind[0] != SPREAD or judged.beside["from_runs"] is None:
        return
    parts = np.array([judged.beside[name][0] for name in ("from_items", "from_runs", "from_both")])
    share = parts / max(parts.sum(), np.finfo(float).tiny)
    advice = f"{items.unit}s" if share[0] >= share[1] else "runs"
    yield TestOnly(
        name="variance-parts",
        models=models,
        probabilities=dict(zip(("items", "runs", "both"), share.tolist(), strict=True)),
        text=f"parts of the squared standard error of {models[0]} minus {models[1]}: {share[0]:.0%} between {items.unit}s, "
        f"{share[1]:.0%} between runs, {share[2]:.0%} within both; more {items.unit}s divide the first and last, more runs the "
        f"second and last: {advice} would help most",
    )


def _about_items(items: Items) -> Iterator[Notice]:
    """Mean differences that a few items carry."""
    unit = items.unit if items.clusters is None else "cluster"
    n_models = len(items.models)
    if n_models > MOST_CHECKED or items.score.size * n_models > MOST_NUMBERS:
        return
    second, first = np.tril_indices(n_models, -1)
    means = items.item_means()
    if items.clusters is not None:
        means = cluster_means(cluster_sums(means, items.cluster_codes, weights=items.weights, omit_missing=True))
    skewed = carried_by_few(means, first, second)
    if len(skewed) > ALLOWED_SHARE * (first.size - 1):
        one, two, n_far = skewed[0]
        how = (
            f"{n_far} {unit}{'s carry' if n_far > 1 else ' carries'} nearly all of the variance of the difference"
            if n_far
            else "the differences are very skewed"
        )
        yield Notice(
            "carried-by-few",
            f"{quoted([items.models[one], items.models[two]])}{and_more(len(skewed))}: {how}, so that the mean stands or falls "
            f"with a few {unit}s",
        )


def _remarks(data: Scores, name: str) -> Iterator[Notice]:
    """As of all items, few runs, and items that carry a difference; of tasks the guarded error allows for those."""
    items = items_of(data)
    yield from remarks_on_items(data, unused_by=name)
    fewest = int(items.n_runs.min())
    if len(items.runs) > 1 and fewest <= FEWEST_RUNS:
        yield Notice(
            "few-units",
            f"{fewest} runs show little of how runs vary; if they are only repeated samples of the same model and prompt, call "
            "the column 'epoch': intervals are then narrower",
        )
    if name == "clustered-t":
        yield from _about_items(items)


CLUSTERED_T = Procedure(
    name="clustered-t",
    question="examples",
    reason="the mean of the paired differences of single {units} by Student's t: clusters, of which the variance (CR2) and its "
    "degrees of freedom take account, runs, all of which count, and weights where there are some",
    generalises_to=partial(reach_of, FURTHER_ITEMS),
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
    remarks=lambda data: _remarks(data, "clustered-t"),
    beside=lambda data, settings: _beside(data, layout_of(items_of(data))),
)


# --- macro-average over tasks -----------------------------------------------------------------------------------------------


def _refuse_tasks(data: Scores) -> TiebreakError | None:
    """Scores that cannot be averaged, of one task, or of tasks of which some model has none: its average would be of others."""
    items = items_of(data)
    found = refusal(
        (
            items.tasks is None,
            (
                f"macro-average is the mean over several tasks, and these {items.unit}s are of one: no column {TASK!r} tells "
                "more apart. Leave "
            ),
            Setting("method"),
            " out.",
        ),
        (
            not items.is_mean,
            (
                f"macro-average takes means over {items.unit}s within each task, and {items.metric.name} is of all of them "
                "together, not a mean. Compare task by task."
            ),
        ),
    ) or refuse_one_cluster(items)
    tasks, codes = np.array(list(dict.fromkeys(items.tasks or ()))), numbers_of(items.tasks or ())
    has = np.asarray(~np.isnan(items.score).all(axis=1))
    of_task = np.stack([has[:, codes == code].any(axis=1) for code in range(len(tasks))], axis=1) if len(tasks) else has
    if found is not None or of_task.all():
        return found
    model = int(np.argmin(of_task.all(axis=1)))
    lacking, shared = (tasks[each].tolist() for each in (~of_task[model], of_task.all(axis=0)))
    rest = f"All models share {quoted(shared)}: compare these alone" if shared else "No task is shared by all models: take fewer"
    return DataError(
        f"{items.models[model]!r} has no score of the task{'s' if len(lacking) > 1 else ''} {quoted(lacking)}, so its average "
        f"over tasks would be of other tasks than that of the others. {rest}, or leave models out with ",
        Setting("models"),
        ".",
    )


MACRO_AVERAGE = Procedure(
    name="macro-average",
    question="examples",
    reason="every task counts the same however many {units} it has, and the error is that of other {units} of these very tasks; "
    "for a further task of this kind there is the method 'wilcoxon', and 'clustered-t' pools all",
    generalises_to=lambda data: reach_of(
        "further {units} of these very tasks, each task with the same weight", data, beyond="other tasks, "
    ),
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
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, layout_of(items_of(data), by_task=True)),
    values=lambda data: replace(
        _values(data, layout_of(items_of(data), by_task=True)), value_label=f"macro-average {data.metric.name}"
    ),
    refuse=_refuse_tasks,
    remarks=lambda data: _remarks(data, "macro-average"),
    beside=lambda data, settings: _beside(data, layout_of(items_of(data), by_task=True)),
)
