"""An evaluation in words: what was measured, the means, what failed; the same lines for a terminal and a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.views.page import NAME_WIDTH, ROWS, Table, wrap
from tiebreak.views.words import format_score, listed, printable, quote, short_names

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation

MOST_FAILURES = 5


def evaluation_text(evaluation: Evaluation) -> str:
    """The overview, 100 columns wide where names allow."""
    tables = mean_tables(evaluation)
    parts = [
        "\n".join(wrap(line) for line in head_lines(evaluation)),
        *(table.as_text() for table in tables),
        "\n".join(["Failures", *(wrap(f"- {line}", "  ") for line in failure_lines(evaluation))]) if evaluation.n_failed else "",
        wrap(advice(evaluation)),
    ]
    return "\n\n".join(part for part in parts if part)


def evaluation_html(evaluation: Evaluation) -> str:
    """The overview as a piece of HTML without script."""
    items = "".join(f"<li>{escape(line)}</li>" for line in failure_lines(evaluation)) if evaluation.n_failed else ""
    return (
        '<div class="tiebreak">'
        + "".join(f"<p>{escape(line)}</p>" for line in head_lines(evaluation))
        + "".join(table.as_html() for table in mean_tables(evaluation))
        + (f"<p>Failures</p><ul>{items}</ul>" if items else "")
        + f"<p>{escape(advice(evaluation))}</p></div>"
    )


def head_lines(evaluation: Evaluation) -> list[str]:
    """Which run, and how far it has come."""
    record = evaluation.record
    n_splits = sum(dataset.n_splits for dataset in record.datasets)
    many = f" of {len(record.datasets)} datasets" if len(record.datasets) > 1 else ""
    where = f" in {evaluation.url}" if evaluation.url else ""
    failed = f", {evaluation.n_failed} failed" if evaluation.n_failed else ""
    missing = evaluation.n_cells - evaluation.n_done - evaluation.n_failed
    outstanding = f", {missing} still to be measured" if missing else ""
    size = f"{_count(len(record.models), 'model')} x {_count(n_splits, 'split')}{many}"
    done = f"{evaluation.n_done} of {_count(evaluation.n_cells, 'cell')} measured"
    return [f"Run {quote(evaluation.name)}{where}: {size}, {done}{failed}{outstanding}."]


def mean_tables(evaluation: Evaluation) -> list[Table]:
    """For each dataset the mean of each metric over splits, best first by the first metric, and the time of a fit."""
    return [_means(evaluation, dataset) for dataset in range(len(evaluation.datasets))]


def _means(evaluation: Evaluation, dataset: int) -> Table:
    grids = [evaluation.grid(dataset, metric) for metric in range(len(evaluation.metrics))]
    counts = np.sum(~np.isnan(grids[0]), axis=1)
    means = [_row_means(grid) for grid in grids]
    sign = evaluation.record.metrics[0].metric.sign
    order = sorted(
        range(len(evaluation.models)), key=lambda m: (np.isnan(means[0][m]), -sign * means[0][m], evaluation.models[m])
    )
    shown = order[:ROWS]
    names = short_names([evaluation.models[m] for m in shown], NAME_WIDTH)
    seconds = evaluation.fit_medians(dataset)
    rows = tuple(
        (
            name,
            *(format_score(float(mean[m]), 4) for mean in means),
            _n_of(int(counts[m]), grids[0].shape[1]),
            _seconds(float(seconds[m])),
        )
        for name, m in zip(names, shown, strict=True)
    )
    record = evaluation.record.datasets[dataset]
    of = f" on {quote(record.name)}" if record.name else ""
    more = f"; {len(order) - len(shown)} more below these" if len(order) > len(shown) else ""
    return Table(
        f"Means over splits{of} ({design_words(evaluation, dataset)}){more}",
        ("model", *(printable(name) for name in evaluation.metrics), "splits", "fit"),
        rows,
        (False, *(True for _ in evaluation.metrics), True, True),
    )


def _row_means(grid: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    n = np.sum(~np.isnan(grid), axis=1)
    return np.asarray(np.where(n > 0, np.nansum(grid, axis=1) / np.maximum(n, 1), np.nan))


def design_words(evaluation: Evaluation, dataset: int) -> str:
    """Kind and sizes of the splits: "kfold, 120 training and 30 test examples each"."""
    record = evaluation.record.datasets[dataset]
    train, test = (_span(sizes) for sizes in (record.n_train, record.n_test))
    return f"{record.kind}, {train} training and {test} test examples each"


def failure_lines(evaluation: Evaluation) -> list[str]:
    """The most frequent failures, those of the same message together."""
    groups = evaluation.failure_groups()
    lines = [
        f"{_count(group.n_cells, 'cell')} of {listed([quote(name) for name in group.models], 3)} {_STATES[group.state]}: "
        f"{printable(group.message)} (first on {printable(group.first)})"
        for group in groups[:MOST_FAILURES]
    ]
    rest = len(groups) - len(lines)
    return [*lines, f"and {_count(rest, 'other message')}"] if rest > 0 else lines


_STATES = {"raised": "failed", "timed-out": "timed out", "out-of-memory": "ran out of memory", "killed": "ended their process"}


def advice(evaluation: Evaluation) -> str:
    """What to do next."""
    if evaluation.n_done == 0:
        return "No cell has been measured."
    return "Means do not say which differences are real: compare() does."


def _n_of(n: int, total: int) -> str:
    return str(n) if n == total else f"{n} of {total}"


def _seconds(value: float) -> str:
    if value != value:
        return "-"
    if value < 0.1:
        return f"{1000 * value:.2g} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _span(values: np.ndarray[Any, Any]) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}-{high}"
