"""An evaluation in words and as JSON: what was measured, the means, what failed, and how far a run has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.evaluation.frames import mean_interval, scores_frame
from tiebreak.numerics import row_moments
from tiebreak.views.design import design_words
from tiebreak.views.json import dataset_facts, document, plain
from tiebreak.views.names import left_out, model_names
from tiebreak.views.page import NAME_WIDTH, ROWS, Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import (
    count,
    cut_notes,
    format_interval,
    format_score,
    listed,
    printable,
    quote,
    seconds,
    shorten,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.evaluation.progress import Sharing

ALPHA = 0.05
"""1 - coverage of the intervals of means."""

WORTH_SAYING = 1.0
"""Seconds that were saved are said from here on; of fewer nobody notices."""

INTERVAL = f"{100 - 100 * ALPHA:g}% interval"

MOST_FAILURES = 5

TEXT_WIDTH = 300
"""Characters of a warning that are shown."""


def page(evaluation: Evaluation) -> Page:
    """The overview."""
    tables, further = mean_tables(evaluation, with_intervals=True), Paragraph((advice(evaluation),))
    return Page((_head(evaluation), *tables, *choice_sections(evaluation), *troubles(evaluation), further))


def run_page(evaluation: Evaluation) -> Page:
    """All that there is to say of a run before its models are compared."""
    head = Paragraph((*_head(evaluation).lines, *leader_lines(evaluation)))
    return Page((head, *(mean_tables(evaluation) if evaluation.n_done else ()), *troubles(evaluation)))


def overview_page(evaluation: Evaluation) -> Page:
    """Page of an evaluation without the means, for where the comparison follows."""
    return Page((_head(evaluation), *troubles(evaluation)))


def facts(evaluation: Evaluation) -> dict[str, Any]:
    """A run for programs, schema 1; nan is None."""
    record = evaluation.record
    return document(
        run=evaluation.name,
        store=evaluation.url,
        n_cells=evaluation.n_cells,
        n_done=evaluation.n_done,
        n_failed=evaluation.n_failed,
        models=[{"name": model.name, "text": model.text} for model in record.models],
        metrics=[{"name": each.name, "higher_is_better": each.metric.higher_is_better} for each in record.metrics],
        datasets=dataset_facts(record),
        means=_means(evaluation),
        failures=_records(evaluation.failures, "state", "message", "n_cells", "models", "first", "attempts"),
        warnings=_records(evaluation.fit_warnings, "warning", "n_cells", "models", "first"),
        undefined=_records(evaluation.undefined, "reason", "n_cells", "models", "first"),
        rng=record.rng,
        threads=record.threads,
        versions=dict(record.versions),
        settings=dict(record.settings),
    )


def _head(evaluation: Evaluation) -> Paragraph:
    """Name of the run, and its progress."""
    record = evaluation.record
    n_splits = sum(dataset.n_splits for dataset in record.datasets)
    many = f" of {len(record.datasets)} datasets" if len(record.datasets) > 1 else ""
    where = f" in {evaluation.url}" if evaluation.url else ""
    failed = f", {evaluation.n_failed} failed" if evaluation.n_failed else ""
    missing = evaluation.n_cells - evaluation.n_done - evaluation.n_failed
    outstanding = f", {missing} still to be measured" if missing else ""
    size = f"{count(len(record.models), 'model')} x {count(n_splits, 'split')}{many}"
    done = f"{evaluation.n_done} of {count(evaluation.n_cells, 'cell')} measured"
    run = f"Run {quote(evaluation.name)}{where}: {size}, {done}{failed}{outstanding}."
    return Paragraph((run, *sharing_lines(evaluation.sharing)))


def sharing_lines(sharing: Sharing) -> list[str]:
    """Number of fits of leading steps that were another model's; none where there are none."""
    if not sharing.n_shared:
        return []
    saved = f", about {seconds(sharing.seconds)} saved" if sharing.seconds >= WORTH_SAYING else ""
    return [f"{count(sharing.n_shared, 'cell')} took leading steps that another model had fitted{saved}."]


def leader_lines(evaluation: Evaluation) -> list[str]:
    """Best mean of the first metric, among the models measured on the most splits; a line for each dataset."""
    if len(evaluation.models) < 2:
        return []
    metric = evaluation.record.metrics[0]
    is_finished = evaluation.n_done + evaluation.n_failed == evaluation.n_cells
    lines = []
    for dataset, name in enumerate(evaluation.datasets):
        grid = evaluation.grid(dataset, 0)
        counts = np.count_nonzero(~np.isnan(grid), axis=1)
        most = [model for model, count in enumerate(counts.tolist()) if count and count == counts.max()]
        if not most:
            continue
        means = {model: float(np.nanmean(grid[model])) for model in most}
        best = min(most, key=lambda model: (-metric.metric.sign * means[model], evaluation.models[model]))
        where = (f" on {quote(name)}" if name else "") + ("" if is_finished else " so far")
        lines.append(
            f"{quote(evaluation.models[best])} has the best mean {printable(metric.name)}{where}: "
            f"{format_score(means[best], 4)} over {counts.max()} of {grid.shape[1]} splits."
        )
    return lines


def mean_tables(evaluation: Evaluation, *, with_intervals: bool = False) -> list[Table]:
    """For each dataset the mean of each metric over splits, best first by the first metric, and the time of a fit.

    Intervals are of the first metric.
    """
    return [_means_table(evaluation, dataset, with_intervals) for dataset in range(len(evaluation.datasets))]


def _means_table(evaluation: Evaluation, dataset: int, with_intervals: bool) -> Table:
    grids = [evaluation.grid(dataset, metric) for metric in range(len(evaluation.metrics))]
    counts = np.sum(~np.isnan(grids[0]), axis=1)
    means = [row_moments(grid, omit_missing=True).mean for grid in grids]
    sign = evaluation.record.metrics[0].metric.sign
    order = sorted(
        range(len(evaluation.models)), key=lambda m: (np.isnan(means[0][m]), -sign * means[0][m], evaluation.models[m])
    )
    shown = order[:ROWS]
    medians = evaluation.fit_times(dataset)[0]
    record = evaluation.record.datasets[dataset]
    intervals, notes = _intervals(evaluation, dataset, shown) if with_intervals else ([], [])
    names = model_names(evaluation.models, NAME_WIDTH)
    columns = [
        ("model", [names[m] for m in shown]),
        *(
            (printable(name), [format_score(float(mean[m]), 4) for m in shown])
            for name, mean in zip(evaluation.metrics, means, strict=True)
        ),
        ("splits", [_n_of(int(counts[m]), grids[0].shape[1]) for m in shown]),
        ("fit", [seconds(float(medians[m])) for m in shown]),
    ]
    columns[2:2] = [(INTERVAL, intervals)] if intervals else []
    of = f" on {quote(record.name)}" if record.name else ""
    more = f"; {len(order) - len(shown)} more below these" if len(order) > len(shown) else ""
    return Table(
        f"Means over splits{of} ({design_words(evaluation, dataset)}){more}",
        tuple(header for header, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
        tuple(header != "model" for header, _ in columns),
        notes=tuple(filter(None, (*notes, left_out(evaluation.models)))),
    )


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


def choice_sections(evaluation: Evaluation) -> list[Section]:
    """Choices of searches, and the optimism of their own best scores."""
    lines = []
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
        lines.append(f"{quote(str(name))} chose {', '.join([*most, *more])}.{claim}")
    return [Section("Choices", lines, is_folded=False)] if lines else []


def failure_lines(evaluation: Evaluation) -> list[str]:
    """The most frequent failures, those of the same message together."""
    groups = evaluation.failure_groups() if evaluation.n_failed else []
    lines = [
        f"{count(group.n_cells, 'cell')} of {listed([quote(name) for name in group.models], 3)} {_STATES[group.state]}: "
        f"{printable(group.message)} (first on {printable(group.first)})"
        for group in groups[:MOST_FAILURES]
    ]
    rest = len(groups) - len(lines)
    return [*lines, f"and {count(rest, 'other message')}"] if rest > 0 else lines


_STATES = {"raised": "failed", "timed-out": "timed out", "out-of-memory": "ran out of memory", "killed": "ended their process"}


def advice(evaluation: Evaluation) -> str:
    """Next step."""
    if evaluation.n_done == 0:
        return "No cell has been measured."
    return "Means do not say which differences are real: compare() does."


def _n_of(n: int, total: int) -> str:
    return str(n) if n == total else f"{n} of {total}"


def troubles(evaluation: Evaluation) -> list[Section]:
    """Failures, warnings and undefined scores, each under a title where there are any."""
    sections = {
        "Failures": failure_lines(evaluation),
        "Warnings": _counted_lines(evaluation.fit_warnings, "warning"),
        "Undefined scores": _counted_lines(evaluation.undefined, "reason"),
    }
    return [Section(title, lines, is_folded=False) for title, lines in sections.items()]


def _counted_lines(frame: pd.DataFrame, column: str) -> list[str]:
    """The most frequent texts, with the number of cells and the models that they are about."""
    lines = []
    for row in frame.head(MOST_FAILURES).to_dict("records"):
        cells = f"{row['n_cells']} cell{'s' if row['n_cells'] != 1 else ''}"
        lines.append(f"{cells} of {listed([quote(name) for name in row['models']], 3)}: {shorten(row[column], TEXT_WIDTH)}")
    rest = len(frame) - len(lines)
    return [*lines, f"and {rest} other texts"] if rest > 0 else lines


def _means(evaluation: Evaluation) -> list[dict[str, Any]]:
    records = []
    for dataset, name in enumerate(evaluation.datasets):
        for position, metric in enumerate(evaluation.metrics):
            for model, scores in zip(evaluation.models, evaluation.grid(dataset, position), strict=True):
                scores = scores[~np.isnan(scores)]
                mean = float(scores.mean()) if scores.size else None
                records.append({"dataset": name, "model": model, "metric": metric, "mean": mean, "n_splits": int(scores.size)})
    return records


def _records(frame: pd.DataFrame, *columns: str) -> list[dict[str, Any]]:
    return [
        {column: plain(value) for column, value in zip(columns, row, strict=True)}
        for row in frame[list(columns)].itertuples(index=False, name=None)
    ]


RUN = View(run_page, scores_frame, facts)
VIEW = View(
    page,
    scores_frame,
    facts,
    "tiebreak.views.plots.evaluation:PLOTS",
    report="tiebreak.views.report.evaluation:report",
)
