"""Measure what a plan asks for and a store does not have yet, and keep each cell as it comes."""

import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from tiebreak.errors import Advice, InvalidParameterError, Setting, TiebreakError, UnclearSourceError, UnknownNameError
from tiebreak.evaluation.cell import Measurement, check_routing, check_weights, method_for, scores_of
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.heads import in_order
from tiebreak.evaluation.predictions import as_answered
from tiebreak.evaluation.progress import Progress
from tiebreak.metrics.scorer import Scorer, check_model, check_target, resolve_scorers
from tiebreak.numerics import refuse_unless
from tiebreak.plan.plan import Plan, number_of_workers, threads_for
from tiebreak.plan.record import Cell, Outcome
from tiebreak.runners.dask import measure_on_cluster
from tiebreak.runners.local import measure_here, measure_on_machine
from tiebreak.runners.worker import Workload
from tiebreak.scores.vocabulary import quoted
from tiebreak.stores import split_address
from tiebreak.stores.contract import CellTable, NoStoreError
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.log import SqlLog
from tiebreak.stores.sql import MemoryStore, open_store


def measure_plan(
    plan: Plan,
    scorers: tuple[Scorer, ...],
    *,
    store: Any = None,
    name: Any = None,
    n_jobs: int = 1,
    runner: Any = None,
    threads_per_fit: Any = "auto",
    share_steps: bool = True,
    timeout: float | None = None,
    retry_failed: bool = False,
    accept_versions: bool = False,
    progress: Any = None,
    keep_predictions: bool = True,
    train_scores: bool = False,
    settings: Mapping[str, Any] | None = None,
    kind: str = "run",
) -> Evaluation:
    """Measure what a store does not have of a plan, and keep it as it comes.

    `scorers` come from `find_scorers`; `settings` are facts that are kept with the run, by name; `kind` begins the name of a run
    that has none; `Run` and `tiebreak.evaluate` describe the other parameters. A run that goes on keeps its threads.
    `KeyboardInterrupt` goes through, with a note on what is kept and how to go on.
    """
    flags = {
        "keep_predictions": keep_predictions,
        "train_scores": train_scores,
        "retry_failed": retry_failed,
        "accept_versions": accept_versions,
        "share_steps": share_steps,
    }
    for flag, value in flags.items():
        refuse_unless(isinstance(value, bool | np.bool_), flag, "be True or False", value)
    refuse_unless(name is None or (isinstance(name, str) and name), "name", "be a text that is not empty", name)
    measure = make_runner(runner, n_jobs, timeout)
    remembered = store is not None  # it outlives this call, so that the plan has to be recognised later
    with closing(open_store(store) if remembered else MemoryStore()) as opened:
        record = plan.record(
            name,
            scorers,
            threads=threads_for(plan, threads_per_fit, n_jobs),
            settings=settings,
            with_hashes=remembered,
            kind=kind,
        )
        log = opened.open(record, accept_versions=accept_versions)
        work = Measurement(
            plan,
            scorers,
            threads=log.record.threads,
            keep_predictions=keep_predictions,
            train_scores=train_scores,
            share_steps=share_steps,
        )
        table = log.table()
        missing, again = find_missing(work, log, table, retry_failed=retry_failed)
        tracker = Tracker(log, progress, len(missing), int(np.count_nonzero(table.state)) - len(again))
        try:
            with SqlLease(log) as lease:
                claims = Claims(lease, deque(missing), again, tracker.add)
                while missing:
                    with closing(measure(work, claims)) as batches:  # whatever happens here, nobody is at work any more
                        for outcomes in batches:
                            claims.write(outcomes)
                    if not claims.wait():
                        break
        except BaseException as error:
            if not isinstance(error, Exception):
                error.add_note(tracker.how_to_go_on(opened.url))
            raise
        finally:
            tracker.report(is_finished=True)
        return Evaluation(log, log.table(), opened.url, scorers, tracker.n_shared)


def find_scorers(plan: Plan, scoring: Any) -> tuple[Scorer, ...]:
    """The metrics of a plan, checked against its models.

    Refuses a scorer that scikit-learn does not know, and a model without the method that a metric needs.
    """
    counts = [each.truth.classes.size for each in plan.datasets if each.truth.classes is not None]
    scorers = resolve_scorers(
        scoring,
        classifier=plan.datasets[0].task == "classification",
        n_classes=max(counts, default=None),
        models=list(plan.models.values()),
    )
    for scorer in scorers:
        if not scorer.needs:
            check_routing(scorer)
        for each in plan.datasets:
            check_target(scorer, each.truth, each.data.name)
    weighted = any("sample_weight" in each.data.fit_params for each in plan.datasets)
    for name, model in plan.models.items():
        if weighted:
            check_weights(name, model)
        for scorer in scorers:
            check_model(scorer, name, model)
    return scorers


def preview_plan(plan: Plan, scorers: Sequence[Scorer], store: Any, name: str, *, accept_versions: bool = False) -> Evaluation:
    """Look what a store has of a plan; it is read if it is there, and never written.

    Refuses what the run itself would: a changed run, or changed versions.
    """
    record = plan.record(name, scorers, threads=None)
    with closing(open_store(store)) as opened, suppress(NoStoreError):
        if name in [each.name for each in opened.runs()]:
            log = opened.open(record, accept_versions=accept_versions, is_preview=True)
            return Evaluation(log, log.table())
    log = MemoryStore().open(record)
    return Evaluation(log, log.table())


def read_evaluation(store: Any, name: str | None = None) -> Evaluation:
    """A run out of a store, as far as it has come.

    Parameters
    ----------
    store : str, path or SqlStore
        ``"sqlite:///runs.db"`` or ``"runs.db"``, or with the name of the run, ``"sqlite:///runs.db#study"``.
    name : str, optional
        Of the run; not needed where there is only one.

    Raises
    ------
    UnknownNameError
        No run is called so.
    UnclearSourceError
        There are several, and none was named.
    """
    if isinstance(store, str | os.PathLike) and "#" in os.fsdecode(store):
        store, fragment = split_address(os.fsdecode(store))
        if fragment and name is not None and name != fragment:
            raise InvalidParameterError(f"two runs are named: {fragment!r} behind the # of the store, and name={name!r}.")
        name = fragment or name
    with closing(open_store(store)) as opened:
        names = [run.name for run in opened.runs()] if name is None else [name]
        where = opened.url or "the store"
        if not names:
            raise UnknownNameError(f"there are no runs in {where}.")
        if len(names) > 1:
            raise UnclearSourceError(
                f"{where} holds {len(names)} runs: {quoted(names)}. Name one: ...#NAME", Advice(", or name=", typed=""), "."
            )
        log = opened.read(names[0])
        return Evaluation(log, log.table(), opened.url)


# --- who measures ------------------------------------------------------------------------------------------------------------


def make_runner(
    runner: Any, n_jobs: int = 1, timeout: float | None = None
) -> Callable[[Workload, Iterable[Cell]], Generator[list[Outcome], None, None]]:
    """The function that measures the cells of a call, with its settings: in this process, on this machine, or on a cluster.

    `runner` None means processes of this machine, so many as `n_jobs` says; a ``distributed.Client`` or the address of a
    scheduler means Dask, which must do without `n_jobs` and `timeout`. Raises `InvalidParameterError` for what is no runner, for
    a number of jobs or seconds that means nothing, and for a setting that Dask does not get to see.
    """
    if runner is None:
        is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
        if timeout is not None and not (is_number and 0 < timeout < math.inf):
            raise InvalidParameterError(
                Setting("timeout", repr(timeout)), " is no number of seconds above 0 for a cell; give one, or None for no limit."
            )
        n_workers = number_of_workers(n_jobs)
        if timeout is None:
            return measure_here if n_workers == 1 else partial(measure_on_machine, n_workers=n_workers)
        return partial(measure_on_machine, n_workers=n_workers, timeout=float(timeout))
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    is_address = isinstance(runner, str) and runner.startswith(("tcp://", "tls://"))
    if not is_address and (distributed is None or not isinstance(runner, distributed.Client)):
        raise InvalidParameterError(
            f"runner={runner!r} cannot measure anything. Accepted are None, for processes of this machine (n_jobs, timeout), "
            "a distributed.Client, and the address of a Dask scheduler, 'tcp://host:8786' or 'tls://host:8786'."
        )
    for name, value, usual in (("n_jobs", n_jobs, 1), ("timeout", timeout, None)):
        if value != usual:
            raise InvalidParameterError(
                Setting(name, repr(value)),
                " is for processes that tiebreak starts, and a runner was given: its workers are its own, and on Dask a cell "
                "that hangs could be ended only along with its worker. Leave it out, or measure without a runner.",
            )
    return partial(measure_on_cluster, cluster=runner)


# --- which cells are missing, and who measures which ---------------------------------------------------------------------------


def find_missing(work: Measurement, log: SqlLog, table: CellTable, *, retry_failed: bool) -> tuple[list[Cell], set[Cell]]:
    """Cells to be measured, in the order of the plan, and the set of those of them that have failed before.

    The table is the log's. Cells that lack a metric which their kept predictions tell are given it, and are not among them.
    """
    cells = [Cell(*key) for key in zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True)]
    is_done, has_all = table.state == 0, table.has_score.all(axis=1)
    again = {cells[row] for row in np.flatnonzero(~is_done).tolist()} if retry_failed else set()
    incomplete = [cells[row] for row in np.flatnonzero(is_done & ~has_all).tolist()]
    settled = {*cells} - again - (_untold(work, log, incomplete) if incomplete else set())
    # those that share a fit next to each other; without seeds a score may depend on what was drawn before it, so the order stays
    order = in_order(work.heads) if any(work.heads) and work.plan.rng is not None else None
    return [cell for cell in work.plan.cells(order) if cell not in settled], again


def _untold(work: Measurement, log: SqlLog, cells: Sequence[Cell]) -> set[Cell]:
    """Add the metrics that cells lack where their predictions tell them; the cells that must be measured again."""
    models, untold, found = list(work.plan.models.values()), set(), []
    for outcome in log.outcomes(cells, outputs=True):
        dataset, split, model = outcome.cell
        lacking = [scorer for scorer in work.scorers if scorer.metric.name not in outcome.scores]
        if all(method_for(scorer, models[model]) in outcome.outputs for scorer in lacking):
            planned = work.plan.datasets[dataset]
            truth = planned.truth.take(planned.splits[split].test)
            scores, undefined = scores_of(lacking, truth, as_answered(outcome.outputs, truth.classes))
            found.append(Outcome(outcome.cell, scores=scores, undefined=undefined))
        else:
            untold.add(outcome.cell)
    if found:
        log.write(found)
    return untold


AHEAD_SECONDS = 1.0
"""How much work is taken on at a time: asking costs a transaction, and what one has taken the others cannot."""

FIRST = 4
"""Cells that are taken on at first, when nothing is known of their seconds."""

POLL_SECONDS = 0.5
"""From one look for what others have lost or finished to the next."""


@dataclass(eq=False)
class Claims(Iterator[Cell]):
    """Cells to be measured, as a runner takes them: an iterator that asks the store just in time.

    `missing` are those that nobody was asked for yet, in the order of the plan; `again` are those of them that are measured
    although they have failed before; `held` are those that others have taken on. `tell` is told of outcomes that are kept, here
    or by others, and of the number of cells that are waited for.
    """

    lease: SqlLease
    missing: deque[Cell]
    again: Collection[Cell]
    tell: Callable[[Sequence[Outcome], int], object]
    held: list[Cell] = field(default_factory=list, init=False)
    _ready: deque[Cell] = field(default_factory=deque, init=False)
    _n_taken: int = field(default=0, init=False)
    _begun: float = field(default_factory=time.monotonic, init=False)
    _is_shared: bool = field(default=False, init=False)
    _is_over: bool = field(default=False, init=False)

    def __next__(self) -> Cell:
        while not self._ready and self.missing and not self._is_over:
            self.write(())
        if not self._ready:
            self._is_over = True  # for the runner that iterates now, whatever becomes free later
            raise StopIteration
        self._n_taken += 1
        return self._ready.popleft()

    def __length_hint__(self) -> int:
        return len(self._ready) + len(self.missing)

    def write(self, outcomes: Sequence[Outcome], held: Sequence[Cell] = ()) -> None:
        """Keep outcomes, and take on what will be needed next, or what of `held` is free by now; tell of what is kept."""
        seconds = max(time.monotonic() - self._begun, AHEAD_SECONDS / 3)  # so that at first it is three times as many each time
        n = math.ceil((self._n_taken or FIRST) * AHEAD_SECONDS / seconds)
        if self._is_shared:  # towards the end a few at a time, so that nobody is idle while others have much before them
            n = max(1, min(n, len(self.missing) // 4))
        n = 0 if self._is_over or held else min(n - len(self._ready), len(self.missing))
        wanted = held or [self.missing.popleft() for _ in range(n)]
        refused, claim = self.lease.exchange(outcomes, wanted, again=self.again)
        self._ready += claim.granted
        self.held += claim.held
        self._is_shared |= bool(claim.held or claim.settled)
        lost = {outcome.cell for outcome in refused}
        kept = [outcome for outcome in outcomes if outcome.cell not in lost]
        self.tell([*kept, *claim.settled], len(claim.held) if held and not self._ready else 0)
        if lost:  # what was taken on at the same time may be lost as well
            self.missing.extendleft(reversed(self._ready))
            self._ready.clear()
        self.held += sorted(lost)

    def wait(self) -> bool:
        """Begin another round: wait until something can be measured here that others had taken on; False if all is done."""
        self._is_over = False
        while self.held:
            held, self.held = self.held, []
            self.write((), held)
            if self._ready:
                return True
            if self.held:
                time.sleep(POLL_SECONDS)
        return False


# --- how far it is -----------------------------------------------------------------------------------------------------------

PAUSE = 0.1
"""Seconds from one report to the next, at least."""


class Tracker:
    """Counts the cells of a run as they are settled, and reports at most ten times a second.

    So many are missing when it begins, and so many have failed and are not measured again. `n_shared` of those that it counts
    took leading steps that another model had fitted.
    """

    def __init__(self, log: SqlLog, report: Callable[[Progress], object] | None, n_missing: int, n_failed: int) -> None:
        self._log, self._report = log, report
        self._begun = self._reported = time.monotonic()
        self._n_cells = log.record.n_cells
        self._n_settled = self._n_before = self._n_cells - n_missing
        self._n_failed, self._n_elsewhere, self.n_shared = n_failed, 0, 0
        self.report()

    def add(self, outcomes: Sequence[Outcome], n_elsewhere: int = 0) -> None:
        """These outcomes are kept, and so many cells are waited for, as others measure what is left."""
        self._n_settled += len(outcomes)
        self._n_failed += sum(not outcome.is_done for outcome in outcomes)
        self.n_shared += sum(outcome.is_shared for outcome in outcomes)
        is_due = n_elsewhere != self._n_elsewhere or time.monotonic() - self._reported >= PAUSE
        self._n_elsewhere = n_elsewhere
        if is_due:
            self.report()

    def report(self, *, is_finished: bool = False) -> None:
        """Tell whoever listens where the run stands, or that this was all."""
        if self._report is None:
            return
        self._reported = time.monotonic()
        seconds = self._reported - self._begun
        rate = (self._n_settled - self._n_before) / seconds if seconds > 0 else 0.0
        moment = Progress(
            name=self._log.record.name,
            n_cells=self._n_cells,
            n_done=self._n_settled - self._n_failed,
            n_failed=self._n_failed,
            n_before=self._n_before,
            seconds=seconds,
            cells_per_second=rate,
            seconds_left=(self._n_cells - self._n_settled) / rate if rate else float("nan"),
            is_finished=is_finished,
            n_elsewhere=0 if is_finished else self._n_elsewhere,
        )
        self._report(moment)

    def how_to_go_on(self, url: str) -> str:
        """Advice after an interruption: what is kept, and how to go on."""
        with suppress(TiebreakError):  # else what was counted; not what was being written meanwhile
            state = self._log.table().state
            self._n_settled, self._n_failed = state.size, int(np.count_nonzero(state))
        if not url:
            return "Nothing was kept; with store='sqlite:///runs.db', evaluate would go on from here."
        cells = f"{self._n_settled} of {self._n_cells} cells of run {self._log.record.name!r}"
        return f"{cells} are kept in {url}; the same call goes on from there."
