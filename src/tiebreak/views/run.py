"""One run, wherever it stands: how far it has come, means, failures and warnings, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import tiebreak
from tiebreak.views.evaluation import MOST_FAILURES, failure_lines, head_lines, mean_tables
from tiebreak.views.json import plain
from tiebreak.views.page import wrap
from tiebreak.views.words import format_score, listed, printable, quote, shorten

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.evaluation import Evaluation

SCHEMA = 1
TEXT_WIDTH = 300
"""Characters of a warning that are shown."""


def run_text(evaluation: Evaluation) -> str:
    """Everything that there is to say of a run before its models are compared."""
    return _joined(
        "\n".join(wrap(line) for line in (*head_lines(evaluation), *leader_lines(evaluation))),
        *(table.as_text() for table in mean_tables(evaluation) if evaluation.n_done),
        *_troubles(evaluation),
    )


def overview_text(evaluation: Evaluation) -> str:
    """The same without the means, for where the comparison follows."""
    return _joined("\n".join(wrap(line) for line in head_lines(evaluation)), *_troubles(evaluation))


def leader_lines(evaluation: Evaluation) -> list[str]:
    """Who has the best mean of the first metric, among the models measured on the most splits; a line for each dataset."""
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


def run_dict(evaluation: Evaluation) -> dict[str, Any]:
    """The same for programs, schema 1; nan is None."""
    record = evaluation.record
    return {
        "schema": SCHEMA,
        "tiebreak": tiebreak.__version__,
        "run": evaluation.name,
        "store": evaluation.url,
        "n_cells": evaluation.n_cells,
        "n_done": evaluation.n_done,
        "n_failed": evaluation.n_failed,
        "models": [{"name": model.name, "text": model.text} for model in record.models],
        "metrics": [{"name": each.name, "higher_is_better": each.metric.higher_is_better} for each in record.metrics],
        "datasets": [
            {
                "name": each.name,
                "n_samples": each.n_samples,
                "n_features": each.n_features,
                "splits": each.kind,
                "n_splits": each.n_splits,
            }
            for each in record.datasets
        ],
        "means": _means(evaluation),
        "failures": _records(evaluation.failures, "state", "message", "n_cells", "models", "first", "attempts"),
        "warnings": _records(evaluation.warnings, "warning", "n_cells", "models", "first"),
        "undefined": _records(evaluation.undefined, "reason", "n_cells", "models", "first"),
        "rng": record.rng,
        "threads": record.threads,
        "versions": dict(record.versions),
        "settings": dict(record.settings),
    }


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _troubles(evaluation: Evaluation) -> list[str]:
    """Failures, warnings and undefined scores, each under a title where there are any."""
    sections = {
        "Failures": failure_lines(evaluation) if evaluation.n_failed else [],
        "Warnings": _counted_lines(evaluation.warnings, "warning"),
        "Undefined scores": _counted_lines(evaluation.undefined, "reason"),
    }
    return ["\n".join([title, *(wrap(f"- {line}", "  ") for line in lines)]) for title, lines in sections.items() if lines]


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
