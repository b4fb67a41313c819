"""Measure what a plan asks for and a store does not have yet, and keep each cell as it comes."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import (
    SAMPLE_WEIGHT,
    Advice,
    InvalidParameterError,
    InvalidPlanError,
    TiebreakError,
    UnclearSourceError,
    UnknownNameError,
)
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.fit_and_score import Measurement, check_weights
from tiebreak.evaluation.model_calls import as_answered
from tiebreak.evaluation.progress import Sharing, Tracker
from tiebreak.evaluation.run_options import RunOptions, check_flags
from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.metrics.scorer import Scorer, check_model, check_target
from tiebreak.metrics.targets import UndefinedScore, make_truth
from tiebreak.plan.models import is_function
from tiebreak.plan.plan import Plan, metric_record, number_of_workers, threads_for
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.runner import make_runner
from tiebreak.scores.vocabulary import quoted
from tiebreak.stores import open_store, split_address

if TYPE_CHECKING:
    from tiebreak.stores.cells import Claim
    from tiebreak.stores.contract import Lease, RunLog

AHEAD_SECONDS = 1.0
"""How much work is taken on at a time: asking costs a transaction, and what one has taken the others cannot."""

FIRST, GROWTH = 4, 4
"""While nothing is known of their seconds: how many cells are taken on at first, and how many times as many each time after."""

POLL_SECONDS = 0.1, 2.0
"""From one look for what others have lost or finished to the next: at first, and at most."""


class Claims(Iterator[Cell]):
    """Cells to be measured, as a runner takes them: an iterator that asks the store just in time.

    `missing` stands in the order of the plan; `again` are those of them that are measured although they have failed before.
    """

    def __init__(self, lease: Lease, missing: Sequence[Cell], again: Collection[Cell] = ()) -> None:
        self._lease = lease
        self._again = frozenset(again)
        self._unasked = deque(missing)
        self._ready: deque[Cell] = deque()
        self._held: list[Cell] = []
        self._settled: list[Outcome] = []
        self._n_next = FIRST
        self._n_written = 0
        self._begun = time.monotonic()
        self._is_shared = False
        self._is_over = False
        self._lock = threading.RLock()

    def __next__(self) -> Cell:
        with self._lock:
            while not self._ready and self._unasked and not self._is_over:
                self._sort(self._lease.claim(self._next(), again=self._again))
            if not self._ready:
                self._is_over = True  # for the runner that iterates now, whatever becomes free later
                raise StopIteration
            return self._ready.popleft()

    def __length_hint__(self) -> int:
        return len(self._ready) + len(self._unasked)

    @property
    def n_held(self) -> int:
        """Cells that others have taken on."""
        return len(self._held)

    def write(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Keep outcomes, and take on what will be needed next; returns those that were kept."""
        with self._lock:
            self._n_written += len(outcomes)
            wanted = [] if self._is_over else self._next()
            refused, claim = self._lease.write(outcomes, wanted, again=self._again)
            self._sort(claim)
            if refused:  # what was taken on at the same time may be lost as well
                self._unasked.extendleft(reversed(self._ready))
                self._ready.clear()
            lost = {outcome.cell for outcome in refused}
            self._held += sorted(lost)
            return [outcome for outcome in outcomes if outcome.cell not in lost]

    def settled_elsewhere(self) -> list[Outcome]:
        """Outcomes that others have measured since this was asked last."""
        with self._lock:
            settled, self._settled = self._settled, []
            return settled

    def wait(self, pause: Callable[[float], object] = time.sleep) -> bool:
        """Begin another round: wait until something can be measured here that others had taken on; False if all is done.

        `pause` waits for so many seconds.
        """
        seconds, most = POLL_SECONDS
        while self._held:
            with self._lock:
                held, self._held = self._held, []
                self._sort(self._lease.claim(held, again=self._again))
                self._is_over = False
                if self._ready:
                    return True
                seconds = min(seconds * 1.5, most) if len(self._held) == len(held) else POLL_SECONDS[0]
            if self._held:
                pause(seconds)
        return False

    def _next(self) -> list[Cell]:
        """Cells that are to be taken on now, beside those that are ready."""
        if self._n_written:
            rate = self._n_written / max(time.monotonic() - self._begun, 1e-3)
            n = math.ceil(rate * AHEAD_SECONDS)
        else:
            n, self._n_next = self._n_next, self._n_next * GROWTH
        if self._is_shared:  # towards the end a few at a time, so that nobody is idle while others have much before them
            n = max(1, min(n, len(self._unasked) // 4))
        return [self._unasked.popleft() for _ in range(min(n - len(self._ready), len(self._unasked)))]

    def _sort(self, claim: Claim) -> None:
        self._ready += claim.granted
        self._held += claim.held
        self._settled += claim.settled
        self._is_shared |= bool(claim.held or claim.settled)


BATCH = 200
"""Cells whose predictions are in memory at a time."""


def rescore(work: Measurement, log: RunLog, cells: Sequence[Cell]) -> list[Cell]:
    """Add the metrics that cells lack where their predictions tell them; returns the cells that must be measured again.

    The cells given are done, but for some of the metrics.
    """
    truths = [make_truth(each.data.y, classifier=each.task == "classification") for each in work.plan.datasets]
    untold: list[Cell] = []
    for start in range(0, len(cells), BATCH):
        found: list[Outcome] = []
        for outcome in log.outcomes(cells[start : start + BATCH], outputs=True):
            lacking = [scorer for scorer in work.scorers if scorer.metric.name not in outcome.scores]
            truth = truths[outcome.cell.dataset]
            outputs = as_answered(outcome.outputs, truth.classes)
            if any(not scorer.needs or not _tells(outcome, scorer, work) for scorer in lacking):
                untold.append(outcome.cell)
                continue
            rows = work.plan.datasets[outcome.cell.dataset].splits[outcome.cell.split].test
            scores, undefined = {}, {}
            for scorer in lacking:
                name = scorer.metric.name
                try:
                    scores[name] = scorer.score(truth.take(rows), outputs, truth.classes)
                except UndefinedScore as error:
                    scores[name], undefined[name] = float("nan"), str(error)
            found.append(Outcome(outcome.cell, scores=scores, undefined=undefined))
        if found:
            log.write(found)
    return untold


def _tells(outcome: Outcome, scorer: Scorer, work: Measurement) -> bool:
    """True if the method that the metric would ask for was kept: the first of its methods that the model has."""
    model = list(work.plan.models.values())[outcome.cell.model]
    method = next((name for name in scorer.needs if hasattr(model, name)), scorer.needs[0])
    kept = outcome.outputs.get(method)
    return kept is not None and isinstance(kept, np.ndarray)


def measure_plan(
    plan: Plan,
    scorers: tuple[Scorer, ...],
    run: RunOptions,
    *,
    keep_predictions: bool = True,
    train_scores: bool = False,
    only: Collection[Cell] | None = None,
) -> Evaluation:
    """Measure what a store does not have of a plan; of some cells only, where these are given.

    `scorers` come from `find_scorers`; `tiebreak.evaluate` describes the other parameters. A run that goes on keeps its threads.
    """
    import joblib

    check_flags(keep_predictions=keep_predictions, train_scores=train_scores)
    remembered = run.store is not None  # the store outlives this call, so that the plan has to be recognised later
    if remembered:
        opened = open_store(run.store)
    else:
        from tiebreak.stores.memory import MemoryStore

        opened = MemoryStore()
    with closing(opened) as store:
        record = plan.record(
            run.name or (plan.default_name() if remembered else "run"),
            [metric_record(each.metric, each.fingerprint_parts, with_hash=remembered) for each in scorers],
            threads=threads_for(plan, run.threads_per_fit, number_of_workers(run.n_jobs), joblib.cpu_count()),
            settings=run.settings,
            with_hashes=remembered,
        )
        log = store.open(record, accept_versions=run.accept_versions)
        work = Measurement(
            plan,
            scorers,
            threads=log.record.threads,
            keep_predictions=keep_predictions,
            train_scores=train_scores,
            share_steps=run.share_steps,
        )
        sharing = run_missing(work, log, run, store.url, only=only)
        return Evaluation(log, log.table(), store.url, scorers, sharing)


def find_scorers(plan: Plan, scoring: Any) -> tuple[Scorer, ...]:
    """The metrics of a plan, checked against its models.

    Refuses a scorer that scikit-learn does not know, and a model without the method that a metric needs.
    """
    classifier = plan.datasets[0].task == "classification"
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
                    f"model {name!r} is a function, which is given no sample weights. Leave ", SAMPLE_WEIGHT, " out."
                )
            continue
        if weighted:
            check_weights(name, model)
        for scorer in scorers:
            check_model(scorer, name, model)
    return scorers


def run_missing(work: Measurement, log: RunLog, run: RunOptions, url: str, *, only: Collection[Cell] | None = None) -> Sharing:
    """Measure and keep what the log does not have; of some cells only, where these are given. Say what was shared.

    `KeyboardInterrupt` goes through, with a note on what is kept and how to go on.
    """
    runner = make_runner(run.runner, run.n_jobs, run.timeout)
    missing, to_rescore, failed = what_is_missing(work, log, retry_failed=run.retry_failed)
    if only is not None:
        missing, to_rescore = ([cell for cell in cells if cell in only] for cells in (missing, to_rescore))
    tracker = Tracker(log, missing, run.progress)
    pending: Sequence[Outcome] = []
    n_before = 0
    try:
        if to_rescore:
            wanted = {*missing, *rescore(work, log, to_rescore)}
            missing = [cell for cell in work.cells() if cell in wanted]
            tracker.n_missing = len(missing)
        tracker.report()
        with log.lease() as lease:
            claims = Claims(lease, missing, again=failed)
            while missing:
                with closing(runner.run(work, claims)) as batches:  # whatever happens here, nobody is at work any more
                    for outcomes in batches:
                        pending, n_before = outcomes, tracker.n_measured
                        kept = claims.write(outcomes)
                        tracker.add([*kept, *claims.settled_elsewhere()])
                        pending = []
                if not claims.wait(lambda seconds: tracker.wait(seconds, claims.settled_elsewhere(), claims.n_held)):
                    break
            tracker.add(claims.settled_elsewhere())
    except BaseException as error:
        if not isinstance(error, Exception):
            tracker.n_measured = max(tracker.n_measured, n_before + _n_kept(log, pending))
            error.add_note(tracker.how_to_go_on(url))
        raise
    finally:
        tracker.report(is_finished=True)
    return tracker.sharing


def _n_kept(log: RunLog, outcomes: Sequence[Outcome]) -> int:
    """Number kept of those that were being written at an interrupt, which does not tell; 0 where nobody can."""
    try:
        return sum(1 for _ in log.outcomes([outcome.cell for outcome in outcomes])) if outcomes else 0
    except TiebreakError:
        return 0


def what_is_missing(work: Measurement, log: RunLog, *, retry_failed: bool) -> tuple[list[Cell], list[Cell], set[Cell]]:
    """Cells to be measured, and cells that lack only a metric, which their predictions may tell.

    Both are in the order of the plan; last comes the set of those to be measured that have failed before.
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
    return [cell for cell in work.cells() if cell not in settled], incomplete, failed


def read_evaluation(store: Any, name: str | None = None) -> Evaluation:
    """A run out of a store, as far as it has come.

    Parameters
    ----------
    store : str, path or Store
        ``"sqlite:///runs.db"``, or with the name of the run, ``"sqlite:///runs.db#study"``.
    name : str, optional
        Of the run; not needed where there is only one.

    Raises
    ------
    UnknownNameError
        No run is called so.
    UnclearSourceError
        There are several, and none was named.
    """
    if isinstance(store, str) and "#" in store:
        store, fragment = split_address(store)
        if fragment and name is not None and name != fragment:
            raise InvalidParameterError(f"two runs are named: {fragment!r} behind the # of the store, and name={name!r}.")
        name = fragment or name
    opened = open_store(store)
    try:
        log = opened.read(name if name is not None else _only_run(opened))
        return Evaluation(log, log.table(), opened.url)
    finally:
        opened.close()


def _only_run(store: Any) -> str:
    runs = store.runs()
    if not runs:
        raise UnknownNameError(f"there are no runs in {store.url or 'the store'}.")
    if len(runs) > 1:
        names = quoted([run.name for run in runs])
        raise UnclearSourceError(
            f"{store.url or 'the store'} holds {len(runs)} runs: {names}. Name one: ...#NAME", Advice(", or name=", typed=""), "."
        )
    return str(runs[0].name)
