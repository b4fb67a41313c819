"""An evaluation in words and as JSON: its plan, what was measured, the means, what failed, and how far a run has come."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tiebreak.errors import DataError
from tiebreak.evaluation.evaluation import Evaluation, mean_interval, scores_frame
from tiebreak.numerics import law_of_rows
from tiebreak.views.answer import table_decimals
from tiebreak.views.page import ROWS, Page, Paragraph, Section, Table
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, Plot, labels, minus, of_all, rows, short
from tiebreak.views.view import View, document
from tiebreak.views.words import (
    count,
    cut_notes,
    first_few,
    format_interval,
    format_score,
    left_out,
    listed,
    model_names,
    more_below,
    n_of,
    printable,
    quote,
    seconds,
    short_names,
    shorten,
    span,
)

ALPHA = 0.05
"""1 - coverage of the intervals of means."""

INTERVAL = f"{100 - 100 * ALPHA:g}% interval"

TEXT_WIDTH = 300
"""Characters of a failure or a warning that are shown."""


def page(evaluation: Evaluation) -> Page:
    """The overview."""
    is_scored = np.isfinite(evaluation.table.score).any(axis=1)
    further = {
        0: "",
        1: "With another model beside it, compare() says which one is better.",
    }.get(np.unique(evaluation.table.model[is_scored]).size, "Means do not say which differences are real: compare() does.")
    tables = mean_tables(evaluation, with_intervals=True)
    return Page((_head(evaluation), *tables, choices_of_searches(evaluation), *troubles(evaluation), Paragraph((further,))))


def run_page(evaluation: Evaluation, *, has_means: bool = True) -> Page:
    """All that there is to say of a run before its models are compared; without the means where the comparison follows."""
    means = mean_tables(evaluation) if has_means and evaluation.n_done else ()
    return Page((_head(evaluation), *means, *troubles(evaluation)))


def facts(evaluation: Evaluation) -> dict[str, Any]:
    """A run for programs, schema 1; nan is None."""
    record = evaluation.record
    return document(
        run=evaluation.name,
        store=evaluation.url,
        **{name: getattr(evaluation, name) for name in ("n_cells", "n_done", "n_failed")},
        models=[{"name": model.name, "text": model.text} for model in record.models],
        metrics=[{"name": each.name, "higher_is_better": each.metric.higher_is_better} for each in record.metrics],
        datasets=[
            {"splits": each.kind, **{name: getattr(each, name) for name in ("name", "n_samples", "n_features", "n_splits")}}
            for each in record.datasets
        ],
        means=[
            {
                "dataset": name,
                "model": model,
                "metric": metric,
                "mean": known.mean() if known.size else None,
                "n_splits": known.size,
            }
            for dataset, name in enumerate(evaluation.datasets)
            for position, metric in enumerate(evaluation.metrics)
            for model, scores in zip(evaluation.models, evaluation.grid(dataset, position), strict=True)
            for known in [scores[~np.isnan(scores)]]
        ],  # over the splits that have a score
        failures=evaluation.failures.drop(columns="traceback").to_dict("records"),
        warnings=evaluation.fit_warnings.to_dict("records"),
        undefined=evaluation.undefined.to_dict("records"),
        **{name: getattr(record, name) for name in ("rng", "threads", "versions", "settings")},
    )


def _head(evaluation: Evaluation) -> Paragraph:
    """Name of the run, its progress, and the number of fits of leading steps that were another model's."""
    record, shared = evaluation.record, evaluation.n_shared
    many = f" of {len(record.datasets)} datasets" if len(record.datasets) > 1 else ""
    missing = evaluation.n_cells - evaluation.n_done - evaluation.n_failed
    parts = [
        f"{count(len(record.models), 'model')} x {count(sum(each.n_splits for each in record.datasets), 'split')}{many}",
        f"{evaluation.n_done} of {count(evaluation.n_cells, 'cell')} measured",
        *([f"{evaluation.n_failed} failed"] if evaluation.n_failed else []),
        *([f"{missing} still to be measured"] if missing else []),
    ]
    where = f" in {evaluation.url}" if evaluation.url else ""
    steps = f"{count(shared, 'cell')} took leading steps that another model had fitted." if shared else ""
    return Paragraph((f"Run {quote(evaluation.name)}{where}: {', '.join(parts)}.", steps))


def mean_tables(evaluation: Evaluation, *, with_intervals: bool = False) -> Iterator[Table]:
    """For each dataset the mean of each metric over splits, best first by the first metric, and the time of a fit.

    Intervals are of the first metric.
    """
    for dataset, record in enumerate(evaluation.record.datasets):
        grids = [evaluation.grid(dataset, metric) for metric in range(len(evaluation.metrics))]
        counts = np.sum(~np.isnan(grids[0]), axis=1).tolist()
        means = [law_of_rows(grid, omit_missing=True).estimate for grid in grids]
        value = np.nan_to_num(evaluation.record.metrics[0].metric.sign * means[0], nan=-np.inf)
        order = sorted(range(len(evaluation.models)), key=lambda m: (-value[m], evaluation.models[m]))
        shown, times = order[:ROWS], evaluation.fit_times(dataset)[0]
        intervals, notes = _intervals(evaluation, dataset, shown) if with_intervals else ([], [])
        names = model_names(evaluation.models)
        of_metrics = [
            (printable(name), [format_score(float(mean[m]), 4) for m in shown])
            for name, mean in zip(evaluation.metrics, means, strict=True)
        ]
        columns = [
            ("model", [names[m] for m in shown]),
            of_metrics[0],
            *([(INTERVAL, intervals)] if intervals else []),
            *of_metrics[1:],
            ("splits", [n_of(counts[m], grids[0].shape[1]) for m in shown]),
            ("fit", [seconds(float(times[m])) for m in shown]),
        ]
        of = f" on {quote(record.name)}" if record.name else ""
        train, test = span(record.n_train), span(record.n_test)
        design = f"{record.kind}, {train} training and {test} test examples each"
        title = f"Means over splits{of} ({design}){more_below(len(order), ROWS)}"
        yield Table.of(title, columns, notes=(*notes, left_out(evaluation.models)))


def _intervals(evaluation: Evaluation, dataset: int, shown: Sequence[int]) -> tuple[list[str], list[str]]:
    """Intervals of the means of the first metric for some models, and notes on them; nothing where there are none."""
    metric, record = evaluation.record.metrics[0].metric, evaluation.record.datasets[dataset]
    _, (low, high) = mean_interval(evaluation.grid(dataset, 0), record.n_test / record.n_train, ALPHA, metric)
    if not np.isfinite(low).any():
        return [], []
    meaning = (
        f"The {INTERVAL} is of the expected {printable(metric.name)} of a model trained on so many examples (Nadeau and Bengio "
        "2003); those of two models say little about their difference."
    )
    cut = cut_notes((*low.tolist(), *high.tolist()), metric.bounds_of(np.nan, np.nan), printable(metric.name))
    return [format_interval(float(low[m]), float(high[m]), 4) for m in shown], [meaning, *cut]


def choices_of_searches(evaluation: Evaluation) -> Section:
    """Choices of searches, and the optimism of their own best scores."""
    texts = []
    for name, mine in evaluation.choices.groupby("model", sort=False):
        counts = mine["chosen"].value_counts()
        most = [f"{printable(str(chosen))} on {n} of {len(mine)} splits" for chosen, n in counts.head(3).items()]
        more = [f"{len(counts) - 3} others"] if len(counts) > 3 else []
        both = mine.dropna(subset=["best_score", "score"])
        metric = next((each.metric for each in evaluation.record.metrics if each.name in set(both["metric"])), None)
        claim = ""
        if metric is not None:
            best, score = float(both["best_score"].mean()), float(both["score"].mean())
            claim = (
                f" Its own best {printable(metric.name)} is {format_score(best, 4)}, on rows that took no part "
                f"{format_score(score, 4)}: optimism {format_score(metric.sign * (best - score), 4)}."
            )
        texts.append(f"{quote(str(name))} chose {', '.join([*most, *more])}.{claim}")
    return Section("Choices", texts, is_folded=False)


def troubles(evaluation: Evaluation) -> list[Section]:
    """Failures, warnings and undefined scores, each under a title where there are any: the most frequent ones."""
    found = {
        "Failures": (evaluation.failures, "message"),
        "Warnings": (evaluation.fit_warnings, "warning"),
        "Undefined scores": (evaluation.undefined, "reason"),
    }
    return [
        Section(title, first_few([_trouble(group, column) for group in frame.to_dict("records")]), is_folded=False)
        for title, (frame, column) in found.items()
    ]


def _trouble(group: dict[Any, Any], column: str) -> str:
    """A text with the number of cells and the models that it is about; of a failure also how it ended, and where first."""
    ended = f" {_STATES[group['state']]}" if "state" in group else ""
    first = f" (first on {printable(group['first'])})" if ended else ""
    who = listed([quote(name) for name in group["models"]], 3)
    return f"{count(group['n_cells'], 'cell')} of {who}{ended}: {shorten(group[column], TEXT_WIDTH)}{first}"


_STATES = {"raised": "failed", "timed-out": "timed out", "out-of-memory": "ran out of memory", "killed": "ended their process"}


# --- a plan -----------------------------------------------------------------------------------------------------------------


MOST_MODELS = 20


def plan_page(preview: Evaluation, task: str, file: str, url: str, *, retry_failed: bool) -> Page:
    """Plan of a study file, and the part of it that is left to be measured; the store stands there without a password.

    The preview is what the store has of it, the task "classification" or "regression".
    """
    record, n_done, n_failed = preview.record, preview.n_done, preview.n_failed
    n_left = record.n_cells - n_done - (0 if retry_failed else n_failed)
    n_splits = sum(each.n_splits for each in record.datasets)
    shown = record.models[:MOST_MODELS]
    names = short_names([model.name for model in shown])
    more = f"and {len(record.models) - len(shown)} more"
    rows = tuple((name, shorten(model.text, 44)) for name, model in zip(names, shown, strict=True))
    datasets = [
        f"Data{f' {quote(each.name)}' if each.name else ''}: {each.n_samples} examples, {each.n_features} features, "
        f"{task}{f' ({len(each.classes)} classes)' if each.classes else ''}; {each.n_splits} splits ({each.kind}), "
        f"{span(each.n_train)} training and {span(each.n_test)} test examples each"
        for each in record.datasets
    ]
    stored = f"nothing of it yet; all {n_left} cells are to be measured"
    if n_done or n_failed:
        n_incomplete = np.count_nonzero((preview.table.state == 0) & ~preview.table.has_score.all(axis=1))
        failed = f", {n_failed} failed" if n_failed else ""
        lack = f"; {n_incomplete} of those measured lack a metric" if n_incomplete else ""
        stored = f"{n_done} measured{failed}; {n_left} are to be measured{lack}"
    metrics = ", ".join(printable(metric.name) for metric in record.metrics)
    return Page.of(
        f"Run {quote(record.name)} of {file}: {count(len(record.models), 'model')} x {n_splits} splits = {record.n_cells} cells",
        Paragraph(tuple(datasets)),
        Table("", ("model", ""), rows, (False, False), notes=(more,) if len(record.models) > len(shown) else ()),
        Paragraph((f"Metrics: {metrics}", f"Store: {url} has {stored}.", "Nothing was measured, and nothing was written.")),
    )


# --- plots ------------------------------------------------------------------------------------------------------------------

_MARKS = {"best": "better", "near best": "equivalent", "may be best": "undecided"}
"""Standings, which are no verdicts, with the verdict whose mark and colour they have."""


def times(evaluation: Evaluation, metric: str | None = None, *, dataset: str | None = None, rope: float | str = 0.0) -> Drawing:
    """Time of a fit of every model, the quickest on top, with its mean score and whether it may be the best."""
    comparison = evaluation.compare(metric, dataset=dataset, rope=rope)
    place = evaluation.datasets.index(dataset) if dataset is not None else 0
    fits = dict(zip(evaluation.models, evaluation.fit_times(place)[0].tolist(), strict=True))
    data = comparison.ranking[["model", "mean", "standing"]].astype({"model": object, "standing": object})
    data["fit_seconds"] = [fits[name] for name in data["model"]]
    data = data.sort_values("fit_seconds", kind="stable").reset_index(drop=True)
    near = data[data["standing"].isin(["best", "near best"])]
    takes = near if len(near) else data[data["standing"] == "may be best"]
    texts, decimals = labels(list(data["model"])), table_decimals(comparison)
    whose = "near the best" if len(near) else "perhaps the best"
    first = seconds(takes["fit_seconds"].iloc[0])
    title = f"{len(takes)} models are {whose}, from {first} a fit"
    if len(takes) == 1:
        title = f"{texts[takes.index[0]]} alone is {whose}; a fit takes {first}"
    data = data.head(MOST_ROWS)
    near_note = (
        f"Near best: short of the best by at most the rope of {comparison.rope:.4g}."
        if comparison.rope
        else "Without a rope none is near best."
    )
    return rows(
        data,
        title=title,
        note=f"Median time of a fit over splits; times that differ little may be noise. Right: mean "
        f"{short(comparison.metric.name)} and "
        f"standing. {near_note}{of_all(len(data), len(comparison.models))}",
        x_label="median time of a fit",
        names=list(data["model"]),
        middle=data["fit_seconds"],
        verdicts=[_MARKS.get(standing, "worse") for standing in data["standing"]],
        notes=[
            f"{minus(format_score(float(mean), decimals))}  {standing}"
            for mean, standing in zip(data["mean"], data["standing"], strict=True)
        ],
        zero=False,
        unit="s",
    )


def choices(evaluation: Evaluation) -> Drawing:
    """Score of what each search chose on rows that took no part, beside its own best score, which flatters."""
    frame = evaluation.choices.dropna(subset=["best_score", "score"])
    if frame.empty:
        raise DataError("no model is a search with a best score of its own; plot.times() draws scores and times.")
    metric = next(each.metric for each in evaluation.record.metrics if each.name == frame["metric"].iloc[0])
    data = frame[frame["metric"] == metric.name].reset_index(drop=True)
    every = data.groupby("model", sort=False)[["score", "best_score"]].mean()
    means, n = every.head(MOST_ROWS), len(every)
    names = list(means.index)
    data = data[data["model"].isin(names)].reset_index(drop=True)
    texts = [minus(format_score(float(value), 4)) for value in means["score"]]
    flatters = float(metric.sign * (every["best_score"] - every["score"]).mean())
    value, shift = short(metric.name), 0.3 * ((np.arange(len(data)) * 0.618034) % 1 - 0.5)
    how = f"{format_score(abs(flatters), 4)} {'better' if flatters > 0 else 'worse'}"
    title = f"Own best scores of {n} searches are {how} than honest ones on average"
    if n == 1:
        claim = minus(format_score(float(means["best_score"].iloc[0]), 4))
        title = f"Choosing in {labels(names)[0]} leads to {value} {texts[0]}; its own best score claims {claim}"
    return rows(
        data,
        title=title,
        note=f"Dots: score of what was chosen on each split, on rows that took no part in the choice. Marks, and right: their "
        f"mean. Lines: from there to the search's own best score.{of_all(len(names), n, 'searches')}",
        x_label=f"{value} ({'higher' if metric.higher_is_better else 'lower'} is better)",
        names=names,
        middle=means["score"],
        low=means.min(axis=1),
        high=means.max(axis=1),
        notes=texts,
        zero=False,
        dots=(data["score"], data["model"].map(names.index).to_numpy(dtype=float) + shift),
    )


RUN = View(run_page, scores_frame, facts)
VIEW = View(
    page,
    scores_frame,
    facts,
    {
        "times": Plot(times, lambda evaluation: len(evaluation.models) > 1),
        "choices": Plot(choices, lambda evaluation: bool(evaluation.choices["best_score"].notna().any())),
    },
    report="tiebreak.views.report.evaluation:report",
)
