"""A run before it is measured: what is planned, what a store has of it, and how long the rest may take."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.evaluation.evaluate import find_scorers
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.plan.plan import Plan, metric_record, number_of_workers
from tiebreak.plan.record import RunRecord
from tiebreak.stores import open_store
from tiebreak.stores.contract import NoStoreError, RunLog
from tiebreak.stores.plan_mapping import environment_of, map_plan, merge_records


@dataclass(frozen=True, slots=True)
class Preview:
    """A run before it is measured.

    `task` is "classification" or "regression". The store has `n_done` and `n_failed` cells, and of those done `n_incomplete`
    lack a metric; `n_left` are to be measured. `is_stored` says that the store has a run of this name. `seconds_left` is the
    time for the rest with all workers, by the times of what is there; nan where there are none.
    """

    record: RunRecord
    task: str
    n_workers: int
    is_stored: bool
    n_done: int
    n_failed: int
    n_incomplete: int
    n_left: int
    seconds_left: float


def preview_plan(plan: Plan, run: RunOptions, *, scoring: Any = None) -> Preview:
    """Look what `measure_plan` would do; the store is read if it is there, and never written.

    Refuses what the run itself would: a changed run, or changed versions.
    """
    metrics = [metric_record(each.metric, each.fingerprint_parts) for each in find_scorers(plan, scoring)]
    record = plan.record(run.name or plan.default_name(), metrics, threads=None)
    log = _stored_run(record, run)
    counts = (0, 0, 0, record.n_cells, float("nan")) if log is None else _counts(record, log, run.retry_failed)
    n_done, n_failed, n_incomplete, n_left, seconds = counts
    n_workers = number_of_workers(run.n_jobs)
    task, is_stored = plan.datasets[0].task, log is not None
    return Preview(record, task, n_workers, is_stored, n_done, n_failed, n_incomplete, n_left, seconds / n_workers)


def _stored_run(record: RunRecord, run: RunOptions) -> RunLog | None:
    """The run in the store, checked as `Store.open` would; None where there is no store, or no such run in it."""
    with closing(open_store(run.store)) as store:
        try:
            if record.name not in [each.name for each in store.runs()]:
                return None
        except NoStoreError:
            return None
        log = store.read(record.name)
        merge_records(log.record, record)
        environment_of(record.name, log.environments, record.versions, run.accept_versions)
        return log


def _counts(record: RunRecord, log: RunLog, retry_failed: bool) -> tuple[int, int, int, int, float]:
    """Planned cells that are done, that failed, that lack a metric and that are left, and the seconds of computing for these."""
    table = log.table()
    places = map_plan(record, merge_records(log.record, record))
    known = [position for position in places.metrics.tolist() if position < table.has_score.shape[1]]
    dataset, _, model = places.planned(table.dataset, table.split, table.model)
    planned = dataset >= 0
    done, failed = planned & (table.state == 0), planned & (table.state != 0)
    lacks = done & (~table.has_score[:, known].all(axis=1) | (len(known) < len(record.metrics)))
    settled = done if retry_failed else done | failed
    seconds = np.where(done, table.fit_seconds + table.predict_seconds, np.nan)
    n_left, in_all = 0, 0.0
    for d, each in enumerate(record.datasets):
        for m in range(len(record.models)):
            mine = (dataset == d) & (model == m)
            n_own, own = each.n_splits - int(np.count_nonzero(mine & settled)), _median(seconds[mine])
            n_left += n_own
            in_all += n_own * (own if own == own else _median(seconds))  # of a model without times that of all others
    return int(done.sum()), int(failed.sum()), int(lacks.sum()), n_left, in_all


def _median(seconds: Any) -> float:
    """Median of the times that are known; nan where none is."""
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if known.size else float("nan")
