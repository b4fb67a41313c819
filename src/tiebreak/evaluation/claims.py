"""The cells that this process measures of a run that others may measure as well, taken on a few at a time."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Self

from tiebreak.plan.outcome import Cell, Outcome
from tiebreak.stores.store import Claim, Lease

AHEAD_SECONDS = 1.0
"""How much work is taken on at a time: asking costs a transaction, and what one has taken the others cannot."""

FIRST, GROWTH = 4, 4
"""While nothing is known of their seconds: how many cells are taken on at first, and how many times as many each time after."""

POLL_SECONDS = 0.1, 2.0
"""From one look for what others have lost or finished to the next: at first, and at most."""


class Claims:
    """Cells to be measured, as a runner takes them: an iterator that asks the store just in time.

    Parameters
    ----------
    lease : Lease
    missing : sequence of Cell
        In the order of the plan.
    again : collection of Cell
        Those of them that are measured although they have failed before.
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

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Cell:
        with self._lock:
            while not self._ready and self._unasked and not self._is_over:
                self._sort(self._lease.claim(self._take(self._how_many()), again=self._again))
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
            n_wanted = 0 if self._is_over else self._how_many() - len(self._ready)
            wanted = self._take(n_wanted) if n_wanted > 0 else []
            refused, claim = self._lease.write(outcomes, wanted, again=self._again)
            self._sort(claim)
            if refused:  # what was taken on at the same time may be lost as well
                self._unasked.extendleft(reversed(self._ready))
                self._ready.clear()
            lost = {outcome.cell for outcome in refused}
            self._held += sorted(lost)
            return [outcome for outcome in outcomes if outcome.cell not in lost]

    def settled_elsewhere(self) -> list[Outcome]:
        """What others are known to have measured since this was asked last."""
        with self._lock:
            settled, self._settled = self._settled, []
            return settled

    def wait(self, pause: Callable[[float], object] = time.sleep) -> bool:
        """Begin another round: wait until something can be measured here that others had taken on; False if all is done.

        Parameters
        ----------
        pause : callable
            Waits for so many seconds.
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

    def _how_many(self) -> int:
        """Cells that are to be taken on at a time by now."""
        if self._n_written:
            rate = self._n_written / max(time.monotonic() - self._begun, 1e-3)
            n = math.ceil(rate * AHEAD_SECONDS)
        else:
            n, self._n_next = self._n_next, self._n_next * GROWTH
        # towards the end a few at a time, so that nobody is idle while others have much before them
        return max(1, min(n, len(self._unasked) // 4)) if self._is_shared else n

    def _take(self, n: int) -> list[Cell]:
        return [self._unasked.popleft() for _ in range(min(n, len(self._unasked)))]

    def _sort(self, claim: Claim) -> None:
        self._ready += claim.granted
        self._held += claim.held
        self._settled += claim.settled
        self._is_shared |= bool(claim.held or claim.settled)
