"""``--dry-run``: what would be measured, what the store has of it, and how long the rest may take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tiebreak.cli.process import emit
from tiebreak.cli.stores import open_url, without_password
from tiebreak.runners.local import number_of_workers

if TYPE_CHECKING:
    from tiebreak.cli.measuring import Options
    from tiebreak.plan.plan import Plan
    from tiebreak.plan.record import RunRecord
    from tiebreak.stores.contract import RunLog
    from tiebreak.study_file.study import Study

MOST_MODELS = 20


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store has of a plan.

    Attributes
    ----------
    n_done, n_failed : int
    n_incomplete : int
        Of those done, cells that lack a metric.
    seconds_left : float
        Of computing for what is missing, by the times of what is there; nan where there are none.
    """

    n_done: int = 0
    n_failed: int = 0
    n_incomplete: int = 0
    seconds_left: float = float("nan")


def preview(study: Study, name: str, url: str, options: Options) -> None:
    """Print what ``tiebreak run`` would do.

    Parameters
    ----------
    study : Study
    name : str
        Of the run.
    url : str
        Of the store, which is read if it is there, and never written.
    options : Options
    """
    if options.format_ not in ("table", "json"):
        raise click.UsageError("--dry-run goes with --format table or json.")
    plan, record = _planned(study, name)
    stored = _stored(record, url, options.accept_versions, options.retry_failed)
    n_jobs = options.n_jobs or study.n_jobs
    if options.format_ == "json":
        emit(json.dumps(_as_dict(plan, record, stored, url, n_jobs), indent=2, allow_nan=False) + "\n")
        return
    emit("\n".join(_lines(study, plan, record, stored, url, options, n_jobs)) + "\n")


def _planned(study: Study, name: str) -> tuple[Plan, RunRecord]:
    from tiebreak.evaluation.evaluate import find_scorers
    from tiebreak.plan.fingerprint import fingerprint
    from tiebreak.plan.plan import make_plan
    from tiebreak.plan.record import MetricRecord

    plan = make_plan(**study.plan_arguments)
    scorers = find_scorers(plan, study.scoring)
    metrics = [MetricRecord(each.metric, fingerprint(each.fingerprint_parts)) for each in scorers]
    return plan, plan.record(name, metrics, threads=None)


# --- what is there --------------------------------------------------------------------------------------------------------


def _stored(record: RunRecord, url: str, accept_versions: bool, retry_failed: bool) -> Stored | None:
    """What the store has; None where there is no store, or no such run in it.

    Raises
    ------
    ChangedRunError, ChangedVersionsError
        As the run itself would.
    """
    from tiebreak.stores.plan_mapping import environment_of, map_plan, merge_records
    from tiebreak.stores.sql.database import NoStoreError

    store = open_url(url)
    try:
        if record.name not in [run.name for run in store.runs()]:
            return None
        log = store.read(record.name)
        merged = merge_records(log.record, record)
        environment_of(record.name, log.environments, record.versions, accept_versions)
        return _counted(record, log, map_plan(record, merged), retry_failed)
    except NoStoreError:
        return None
    finally:
        store.close()


def _counted(record: RunRecord, log: RunLog, places: Any, retry_failed: bool) -> Stored:
    table = log.table()
    dataset, _, model = places.planned(table.dataset, table.split, table.model)
    planned = dataset >= 0
    done = planned & (table.state == 0)
    failed = planned & (table.state != 0)
    known = [position for position in places.metrics.tolist() if position < table.has_score.shape[1]]
    lacks = ~table.has_score[:, known].all(axis=1) if known else np.zeros(table.state.size, dtype=bool)
    lacks |= len(known) < len(record.metrics)
    settled = done if retry_failed else done | failed
    seconds = _seconds_left(record, dataset, model, settled, done, table.fit_seconds + table.predict_seconds)
    return Stored(int(done.sum()), int(failed.sum()), int((done & lacks).sum()), seconds)


def _seconds_left(record: RunRecord, dataset: Any, model: Any, settled: Any, done: Any, seconds: Any) -> float:
    """The median time of a model on a dataset for each cell that is missing; of a model without times, that of all others."""
    timed = done & ~np.isnan(seconds)
    if not timed.any():
        return float("nan")
    anyhow = float(np.median(seconds[timed]))
    left = 0.0
    for d, each in enumerate(record.datasets):
        for m in range(len(record.models)):
            mine = (dataset == d) & (model == m)
            own = seconds[mine & timed]
            left += (each.n_splits - int((mine & settled).sum())) * (float(np.median(own)) if own.size else anyhow)
    return left


# --- in words -------------------------------------------------------------------------------------------------------------


def _lines(
    study: Study, plan: Plan, record: RunRecord, stored: Stored | None, url: str, options: Options, n_jobs: int
) -> Sequence[str]:
    from tiebreak.views.page import wrap
    from tiebreak.views.words import printable, quote, short_names, shorten

    n_splits = sum(each.n_splits for each in record.datasets)
    names = short_names([model.name for model in record.models[:MOST_MODELS]], 34)
    width = max(map(len, names))
    more = len(record.models) - len(names)
    return [
        f"Run {quote(record.name)} of {study.file}: {len(record.models)} models x {n_splits} splits = {record.n_cells} cells",
        "",
        *(wrap(_dataset_line(each, plan.task)) for each in record.datasets),
        f"Metrics: {', '.join(printable(metric.name) for metric in record.metrics)}",
        "Models",
        *(
            f"  {name:<{width}}  {shorten(model.text, 96 - width)}".rstrip()
            for name, model in zip(names, record.models, strict=False)
        ),
        *([f"  and {more} more"] if more > 0 else []),
        "",
        _stored_line(record, stored, without_password(url), options.retry_failed),
        *_time_lines(stored, n_jobs),
        "Nothing was measured, and nothing was written.",
    ]


def _dataset_line(dataset: Any, task: str) -> str:
    from tiebreak.views.words import quote

    name = f" {quote(dataset.name)}" if dataset.name else ""
    classes = f" ({len(dataset.classes)} classes)" if dataset.classes else ""
    train, test = (_span(sizes) for sizes in (dataset.n_train, dataset.n_test))
    return (
        f"Data{name}: {dataset.n_samples} examples, {dataset.n_features} features, {task}{classes}; {dataset.n_splits} splits "
        f"({dataset.kind}), {train} training and {test} test examples each"
    )


def _span(values: Any) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}-{high}"


def _stored_line(record: RunRecord, stored: Stored | None, url: str, retry_failed: bool) -> str:
    if stored is None:
        return f"Store: {url} has nothing of it yet; all {record.n_cells} cells are to be measured."
    left = record.n_cells - stored.n_done - (0 if retry_failed else stored.n_failed)
    failed = f", {stored.n_failed} failed" if stored.n_failed else ""
    lack = f"; {stored.n_incomplete} of those measured lack a metric" if stored.n_incomplete else ""
    return f"Store: {url} has {stored.n_done} measured{failed}; {left} are to be measured{lack}."


def _time_lines(stored: Stored | None, n_jobs: int) -> list[str]:
    if stored is None or stored.seconds_left != stored.seconds_left or not stored.seconds_left:
        return []
    from tiebreak.views.progress import duration

    n_workers = number_of_workers(n_jobs)
    processes = "1 process" if n_workers == 1 else f"{n_workers} processes"
    seconds = stored.seconds_left / n_workers
    how_long = f"about {duration(seconds)}" if seconds >= 1 else "less than a second"
    return [f"By the times in the store that takes {how_long} with {processes}."]


def _as_dict(plan: Plan, record: RunRecord, stored: Stored | None, url: str, n_jobs: int) -> dict[str, Any]:
    seconds = stored.seconds_left / number_of_workers(n_jobs) if stored is not None else float("nan")
    return {
        "schema": 1,
        "run": record.name,
        "store": without_password(url),
        "n_cells": record.n_cells,
        "n_done": stored.n_done if stored else 0,
        "n_failed": stored.n_failed if stored else 0,
        "n_incomplete": stored.n_incomplete if stored else 0,
        "seconds_left": None if seconds != seconds else seconds,
        "task": plan.task,
        "models": [{"name": model.name, "text": model.text} for model in record.models],
        "metrics": [metric.name for metric in record.metrics],
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
    }
