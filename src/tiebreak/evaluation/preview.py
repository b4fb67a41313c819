"""A run before it is measured: what is planned, and what a store has of it."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.evaluation.evaluate import find_scorers
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.plan.plan import Plan, metric_record
from tiebreak.plan.record import RunRecord
from tiebreak.stores import open_store
from tiebreak.stores.contract import NoStoreError
from tiebreak.stores.log import SqlLog
from tiebreak.stores.plan_mapping import environment_of, map_plan, merge_records


@dataclass(frozen=True, slots=True)
class Preview:
    """A run before it is measured.

    `task` is "classification" or "regression". The store has `n_done` and `n_failed` cells, and of those done `n_incomplete`
    lack a metric; `n_left` are to be measured. `is_stored` says that the store has a run of this name.
    """

    record: RunRecord
    task: str
    is_stored: bool
    n_done: int
    n_failed: int
    n_incomplete: int
    n_left: int


def preview_plan(plan: Plan, run: RunOptions, *, scoring: Any = None) -> Preview:
    """Look what `measure_plan` would do; the store is read if it is there, and never written.

    Refuses what the run itself would: a changed run, or changed versions.
    """
    metrics = [metric_record(each.metric, each.fingerprint_parts) for each in find_scorers(plan, scoring)]
    record = plan.record(run.name or plan.default_name(), metrics, threads=None)
    log = _stored_run(record, run)
    counts = (0, 0, 0, record.n_cells) if log is None else _counts(record, log, run.retry_failed)
    return Preview(record, plan.datasets[0].task, log is not None, *counts)


def _stored_run(record: RunRecord, run: RunOptions) -> SqlLog | None:
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


def _counts(record: RunRecord, log: SqlLog, retry_failed: bool) -> tuple[int, int, int, int]:
    """Planned cells that are done, that failed, that lack a metric and that are left."""
    table = log.table()
    places = map_plan(record, merge_records(log.record, record))
    known = [position for position in places.metrics.tolist() if position < table.has_score.shape[1]]
    planned = places.planned(table.dataset, table.split, table.model)[0] >= 0
    is_done = table.state == 0
    lacks = is_done & (~table.has_score[:, known].all(axis=1) | (len(known) < len(record.metrics)))
    n_done, n_failed, n_incomplete = (int(np.count_nonzero(planned & each)) for each in (is_done, ~is_done, lacks))
    return n_done, n_failed, n_incomplete, record.n_cells - n_done - (0 if retry_failed else n_failed)
