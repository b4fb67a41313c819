"""Measure what a plan asks for and a store does not have yet, and keep each cell as it comes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from tiebreak.errors import InvalidParameterError, InvalidPlanError, TiebreakError
from tiebreak.evaluation.claims import Claims
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.fit_and_score import Measurement
from tiebreak.evaluation.progress import Progress, Tracker
from tiebreak.evaluation.requests import check_weights
from tiebreak.evaluation.rescore import rescore
from tiebreak.metrics.scorers import Scorer, check_model, check_target, make_truth, resolve_scorers
from tiebreak.plan.fingerprint import fingerprint
from tiebreak.plan.models import is_function
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.plan.plan import Plan, make_plan, threads_for
from tiebreak.plan.record import MetricRecord
from tiebreak.runners.make import make_runner
from tiebreak.runners.runner import Runner
from tiebreak.stores.memory import MemoryStore
from tiebreak.stores.sources import open_store
from tiebreak.stores.store import RunLog, Store

ThreadsPerFit = int | Literal["auto"] | None


def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    groups: Any = None,
    datasets: Any = None,
    cv: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    store: Any = None,
    name: str | None = None,
    n_jobs: int = 1,
    runner: Any = None,
    threads_per_fit: ThreadsPerFit = "auto",
    keep_predictions: bool = True,
    train_scores: bool = False,
    timeout: float | None = None,
    retry_failed: bool = False,
    accept_versions: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], object] | None = None,
    rng: Any = 0,
) -> Evaluation:
    """Measure models on splits; `tiebreak.evaluate` describes the parameters."""
    plan = make_plan(
        models, X, y, groups=groups, datasets=datasets, cv=cv, sample_weight=sample_weight, fit_params=fit_params, rng=rng
    )
    return measure_plan(
        plan, scoring=scoring, store=store, name=name, n_jobs=n_jobs, runner=runner, threads_per_fit=threads_per_fit,
        keep_predictions=keep_predictions, train_scores=train_scores, timeout=timeout, retry_failed=retry_failed,
        accept_versions=accept_versions, settings=settings, progress=progress,
    )  # fmt: skip


def measure_plan(
    plan: Plan,
    *,
    scoring: Any = None,
    store: Any = None,
    name: str | None = None,
    n_jobs: int = 1,
    runner: Any = None,
    threads_per_fit: ThreadsPerFit = "auto",
    keep_predictions: bool = True,
    train_scores: bool = False,
    timeout: float | None = None,
    retry_failed: bool = False,
    accept_versions: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Evaluation:
    """Measure what a store does not have of a plan that is made already; parameters as of `tiebreak.evaluate`."""
    check_flags(
        keep_predictions=keep_predictions, train_scores=train_scores, retry_failed=retry_failed, accept_versions=accept_versions
    )
    scorers = find_scorers(plan, scoring)
    chosen = MemoryStore() if store is None else open_store(store)
    try:
        log = open_log(
            plan, scorers, chosen, name, n_jobs, threads_per_fit,
            remembered=store is not None, settings=settings, accept_versions=accept_versions,
        )  # fmt: skip
        work = Measurement(
            plan, scorers, threads=log.record.threads, keep_predictions=keep_predictions, train_scores=train_scores
        )
        run_missing(work, log, make_runner(runner, n_jobs, timeout), chosen.url, retry_failed=retry_failed, progress=progress)
        return Evaluation.of(log, chosen.url, scorers)
    finally:
        chosen.close()


def find_scorers(plan: Plan, scoring: Any) -> tuple[Scorer, ...]:
    """The metrics of a plan, checked against its models.

    Raises
    ------
    UnknownNameError
        A scorer that scikit-learn does not know.
    InvalidPlanError
        A model without the method that a metric needs.
    """
    classifier = plan.task == "classification"
    counts = [np.unique(each.data.y).size for each in plan.datasets if each.data.y.ndim == 1]
    scorers = resolve_scorers(
        scoring,
        classifier=classifier,
        n_classes=max(counts, default=None) if classifier else None,
        models=list(plan.models.values()),
    )
    for scorer in scorers:
        for each in plan.datasets:
            check_target(scorer, make_truth(each.data.y, classifier=classifier), each.data.name)
    weighted = any("sample_weight" in each.data.fit_params for each in plan.datasets)
    for name, model in plan.models.items():
        if is_function(model):
            if weighted:
                raise InvalidPlanError(
                    f"model {name!r} is a function, which is given no sample weights. Leave sample_weight out."
                )
            continue
        if weighted:
            check_weights(name, model)
        for scorer in scorers:
            check_model(scorer, name, model)
    return scorers


def open_log(
    plan: Plan,
    scorers: Sequence[Scorer],
    store: Store,
    name: Any,
    n_jobs: int,
    threads_per_fit: ThreadsPerFit,
    *,
    remembered: bool,
    settings: Mapping[str, Any] | None = None,
    accept_versions: bool = False,
) -> RunLog:
    """The run in the store, begun or gone on with.

    Parameters
    ----------
    plan, scorers, store
    name : str or None
        None names it after the data.
    n_jobs : int
        Of this call; a run that was begun keeps its threads.
    threads_per_fit : "auto", int or None
    remembered : bool
        Whether the store outlives this call, so that the plan has to be recognised later.
    """
    check_name(name)
    import joblib

    cores = joblib.cpu_count()
    n_workers = n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
    record = plan.record(
        name or (plan.default_name() if remembered else "run"),
        [MetricRecord(each.metric, fingerprint(each.fingerprint_parts) if remembered else "") for each in scorers],
        threads=threads_for(plan, threads_per_fit, n_workers, cores),
        settings=settings,
        with_hashes=remembered,
    )
    return store.open(record, accept_versions=accept_versions)


def run_missing(
    work: Measurement,
    log: RunLog,
    runner: Runner,
    url: str,
    *,
    retry_failed: bool,
    progress: Callable[[Progress], object] | None,
    only: Collection[Cell] | None = None,
) -> None:
    """Measure and keep what the log does not have; of some cells only, where these are given.

    Raises
    ------
    KeyboardInterrupt
        With a note on what is kept and how to go on.
    """
    missing, to_rescore, failed = what_is_missing(work, log, retry_failed=retry_failed)
    if only is not None:
        missing, to_rescore = ([cell for cell in cells if cell in only] for cells in (missing, to_rescore))
    tracker = Tracker(log, missing, progress)
    pending: Sequence[Outcome] = []
    try:
        if to_rescore:
            missing = sorted({*missing, *rescore(work, log, to_rescore)})
            tracker.expect(missing)
        tracker.report()
        with log.lease() as lease:
            claims = Claims(lease, missing, again=failed)
            while missing:
                for outcomes in runner.run(work, claims):
                    pending = outcomes
                    kept = claims.write(outcomes)
                    pending = []
                    tracker.add([*kept, *claims.settled_elsewhere()])
                if not claims.wait(lambda seconds: tracker.wait(seconds, claims.settled_elsewhere(), claims.n_held)):
                    break
            tracker.add(claims.settled_elsewhere())
    except BaseException as error:
        if not isinstance(error, Exception):
            error.add_note(tracker.how_to_go_on(url, _n_kept(log, pending)))
        raise
    finally:
        tracker.finish()


def _n_kept(log: RunLog, outcomes: Sequence[Outcome]) -> int:
    """How many are kept of those that were being written at an interrupt, which does not tell; 0 where nobody can."""
    try:
        return sum(1 for _ in log.outcomes([outcome.cell for outcome in outcomes])) if outcomes else 0
    except TiebreakError:
        return 0


def what_is_missing(work: Measurement, log: RunLog, *, retry_failed: bool) -> tuple[list[Cell], list[Cell], set[Cell]]:
    """Cells to be measured, and cells that lack only a metric, which their predictions may tell.

    Returns
    -------
    list of Cell
        In the order of the plan.
    list of Cell
        Likewise.
    set of Cell
        Those to be measured that have failed before.
    """
    table = log.table()
    cells = zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True)
    complete = np.asarray(table.has_score.all(axis=1)).tolist()
    settled: set[tuple[int, ...]] = set()
    incomplete: list[Cell] = []
    failed: set[Cell] = set()
    for cell, state, has_all in zip(cells, table.state.tolist(), complete, strict=True):
        if state != 0 and retry_failed:
            failed.add(Cell(*cell))
            continue
        settled.add(cell)
        if state == 0 and not has_all:
            incomplete.append(Cell(*cell))
    return [cell for cell in work.plan.cells() if cell not in settled], incomplete, failed


def check_name(name: Any) -> None:
    """Refuse what cannot be the name of a run; None is for one that is made up."""
    if name is not None and not (isinstance(name, str) and name):
        raise InvalidParameterError(f"name must be a text that is not empty; got {name!r}.")


def check_flags(**flags: Any) -> None:
    """Refuse settings that are neither True nor False, by name."""
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidParameterError(f"{name} must be True or False; got {value!r}.")
