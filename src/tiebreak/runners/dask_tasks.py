"""The cells of one run on a Dask cluster: handed out, collected, and measured again where workers were lost under them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiebreak.errors import ClusterError, LostWorkersError
from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.runners import worker
from tiebreak.runners.backlog import Backlog
from tiebreak.runners.dask_calls import Calls, Settled
from tiebreak.runners.dask_cargo import Cargo
from tiebreak.runners.dask_cluster import GO_ON, Cluster
from tiebreak.runners.here import failed
from tiebreak.runners.worker import Failure, Report

DEPTH = 2
"""Batches on their way for each worker: one that it measures, and the next, so that it need not wait for this process."""

MAX_DEATHS = 2
"""A cell that so many workers have died under while it was measured alone is given up."""

MAX_ARRIVALS = 6
"""How often in a row all workers that take the workload over may die of it."""


class Tasks:
    """Hands batches out and collects their outcomes.

    Dask itself repeats what a worker was doing when it was lost, up to a number of times that its scheduler is set to. A batch
    that fails nevertheless, or whose data were lost with all workers, is measured again cell by cell, with nothing else at work,
    on a worker that is known to be there and to have taken the workload over: one that dies then dies of that cell.

    Parameters
    ----------
    cluster : Cluster
    cargo : Cargo
    backlog : Backlog
    patience : float
        Seconds to wait for a worker when there is none.
    """

    def __init__(self, cluster: Cluster, cargo: Cargo, backlog: Backlog, patience: float) -> None:
        self._address = cluster.address
        self._calls = Calls(cluster, cargo, patience)
        self._backlog = backlog
        self._suspects: deque[Cell] = deque()
        self._deaths: Counter[Cell] = Counter()
        self._ready = ""
        self._n_arrivals = 0

    def outcomes(self) -> Iterator[list[Outcome]]:
        """All of the backlog, measured.

        Raises
        ------
        ClusterError
            The scheduler is gone, or a worker cannot take the workload over.
        LostWorkersError
            There are no workers, or all of them die as they take the workload over.
        """
        self._muster()
        while True:
            self._hand_out()
            if not self._calls:
                return
            if outcomes := self._collect():
                yield outcomes

    def drop(self) -> None:
        """Let go of what is left."""
        self._calls.drop()

    # --- out ----------------------------------------------------------------------------------------------------------------

    def _muster(self) -> None:
        """Have each worker take the workload over; what is wrong with one shows before anything is measured."""
        while not self._ready:
            self._prepare(self._calls.wait_for_workers())
            while self._calls:
                self._collect()

    def _hand_out(self) -> None:
        """Give every worker something to do, and the next thing; suspects alone."""
        if self._suspects:
            if not self._calls:
                self._try_alone()
            return
        n_workers = max(1, len(self._calls.workers))
        while len(self._calls) < DEPTH * n_workers and (cells := self._backlog.take_batch(n_workers)):
            self._calls.call(cells)

    def _try_alone(self) -> None:
        """Have the next suspect measured, or first a worker made ready for that."""
        workers = self._calls.wait_for_workers()
        if self._ready in workers:
            self._calls.call([self._suspects.popleft()], self._ready)
        else:
            self._prepare([workers[self._n_arrivals % len(workers)]])

    def _prepare(self, workers: Sequence[str]) -> None:
        """Have workers take the workload over.

        Raises
        ------
        LostWorkersError
            They die of that: it is no property of any cell.
        """
        self._n_arrivals += 1
        if self._n_arrivals > MAX_ARRIVALS:
            raise LostWorkersError(
                f"The workers of the Dask cluster at {self._address} die as they take over models and data, however often that "
                f"is tried; their logs may say why. {GO_ON}."
            )
        for address in workers:
            self._calls.call([], address)

    # --- in -----------------------------------------------------------------------------------------------------------------

    def _collect(self) -> list[Outcome]:
        """The outcomes that have come."""
        return [outcome for settled in self._calls.settled() for outcome in self._read(settled)]

    def _read(self, settled: Settled) -> list[Outcome]:
        """The outcomes of a call."""
        call, answer = settled.call, settled.answer
        if settled.is_lost:
            return self._lost(call.cells, bool(call.worker))
        if isinstance(answer, Failure):
            raise ClusterError(
                f"The Dask worker at {answer.message}. Put the same code and packages there, and start the workers anew. {GO_ON}."
            )
        if answer is None:
            self._ready, self._n_arrivals = call.worker, 0
            return []
        return self._unpacked(call.cells, answer)

    def _unpacked(self, cells: list[Cell], report: Report) -> list[Outcome]:
        """What a worker has sent; the cells of a batch that cannot be read are measured again, each alone."""
        measured = self._backlog.settle(cells, report.seconds)
        try:
            outcomes = worker.unpacked(report.outcomes)
        except Exception as error:
            if len(measured) == 1:
                return [failed(measured[0], error)]
            self._suspects.extend(measured)
            return []
        return [replace(each, attempts=each.attempts + self._deaths[each.cell]) if self._deaths else each for each in outcomes]

    def _lost(self, cells: list[Cell], was_alone: bool) -> list[Outcome]:
        """Set the cells of a lost call aside, to be measured alone; one that was alone is to blame."""
        for cell in cells if was_alone else ():
            self._deaths[cell] += 1
            if self._deaths[cell] >= MAX_DEATHS:
                message = f"{MAX_DEATHS} Dask workers died while they measured this cell and nothing else"
                return [Outcome(cell, "killed", message=message, attempts=self._deaths[cell])]
        self._suspects.extend(cells)
        return []
