"""Cells that a log does not have yet: which they are, what kept predictions tell of them, and who measures which."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.evaluation.predictions import as_answered
from tiebreak.metrics.scorer import Scorer
from tiebreak.metrics.targets import Truth, UndefinedScore, make_truth
from tiebreak.plan.record import Cell, Outcome

if TYPE_CHECKING:
    from tiebreak.evaluation.cell import Measurement
    from tiebreak.stores.contract import Claim
    from tiebreak.stores.lease import SqlLease
    from tiebreak.stores.log import SqlLog

BATCH = 200
"""Cells whose predictions are in memory at a time."""


def find_missing(work: Measurement, log: SqlLog, *, retry_failed: bool) -> tuple[list[Cell], set[Cell]]:
    """Cells to be measured, in the order of the plan, and the set of those of them that have failed before.

    Cells that lack a metric which their kept predictions tell are given it, and are not among them.
    """
    table = log.table()
    cells = [Cell(*key) for key in zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True)]
    is_done, has_all = table.state == 0, table.has_score.all(axis=1)
    again = {cells[row] for row in np.flatnonzero(~is_done).tolist()} if retry_failed else set()
    incomplete = [cells[row] for row in np.flatnonzero(is_done & ~has_all).tolist()]
    settled = {*cells} - again - _untold(work, log, incomplete)
    return [cell for cell in work.cells() if cell not in settled], again


def _untold(work: Measurement, log: SqlLog, cells: Sequence[Cell]) -> set[Cell]:
    """Add the metrics that cells lack where their predictions tell them; the cells that must be measured again."""
    truths = {
        place: make_truth(work.plan.datasets[place].data.y, classifier=work.plan.datasets[place].task == "classification")
        for place in {cell.dataset for cell in cells}
    }
    models, untold = list(work.plan.models.values()), set()
    for start in range(0, len(cells), BATCH):
        found: list[Outcome] = []
        for outcome in log.outcomes(cells[start : start + BATCH], outputs=True):
            dataset, split, model = outcome.cell
            lacking = [scorer for scorer in work.scorers if scorer.metric.name not in outcome.scores]
            if all(_method(scorer, models[model]) in outcome.outputs for scorer in lacking):
                found.append(_told(outcome, lacking, truths[dataset].take(work.plan.datasets[dataset].splits[split].test)))
            else:
                untold.add(outcome.cell)
        if found:
            log.write(found)
    return untold


def _method(scorer: Scorer, model: object) -> str:
    """Method that the metric would ask for: the first of its methods that the model has; "" where it asks the model itself."""
    return next((name for name in scorer.needs if hasattr(model, name)), next(iter(scorer.needs), ""))


def _told(outcome: Outcome, scorers: Sequence[Scorer], truth: Truth) -> Outcome:
    """Outcome of the metrics of what was kept."""
    outputs, scores, undefined = as_answered(outcome.outputs, truth.classes), {}, {}
    for scorer in scorers:
        try:
            scores[scorer.metric.name] = scorer.score(truth, outputs, truth.classes)
        except UndefinedScore as error:
            scores[scorer.metric.name], undefined[scorer.metric.name] = float("nan"), str(error)
    return Outcome(outcome.cell, scores=scores, undefined=undefined)


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

    def __init__(self, lease: SqlLease, missing: Sequence[Cell], again: Collection[Cell] = ()) -> None:
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

    def __next__(self) -> Cell:
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
        settled, self._settled = self._settled, []
        return settled

    def wait(self, pause: Callable[[float], object] = time.sleep) -> bool:
        """Begin another round: wait until something can be measured here that others had taken on; False if all is done.

        `pause` waits for so many seconds.
        """
        seconds, most = POLL_SECONDS
        while self._held:
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
