"""Leases: the cells of a run that one of several processes has taken on, and when it loses them to the others."""

from __future__ import annotations

import json
import logging
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tiebreak.errors import StoreError, TiebreakError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.cells import Claim, cell_text, is_settled
from tiebreak.stores.sql.encoding import MALFORMED
from tiebreak.stores.sql.rows import KeptCell, kept_cells
from tiebreak.stores.sql.statements import delete, fetch, put
from tiebreak.stores.sql.tables import HOLDERS, LEASES, HolderRow, LeaseRow, cell_of
from tiebreak.stores.sql.writing import PendingOutcome, Writer

if TYPE_CHECKING:
    from tiebreak.stores.sql.connection import Connection


LONGEST_STEP = 5.0
"""Seconds that count at most from one look at a holder to the next: a clock that jumps does not make anybody late."""

ProcessKey = Mapping[str, str | int]
"""A process: its machine, its number, and when that began to run, in words that only its own machine understands."""


def key_of(process: int) -> ProcessKey:
    """Key of a process of this machine; it began "" where it has ended, or the system does not tell when that was."""
    begun = ""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
            state, *fields = text.rpartition(")")[2].split()  # the name in parentheses may hold anything
            begun = "" if state in ("Z", "X") else fields[18]
    return {"machine": _machine(), "process": process, "begun": begun}


def is_gone(key: ProcessKey) -> bool:
    """Find out if a process has certainly ended; False for one that runs, or of which nothing is known here."""
    process = key.get("process")
    if key.get("machine") != _machine() or not isinstance(process, int) or process == os.getpid():
        return False
    if sys.platform.startswith("linux"):
        return key_of(process)["begun"] != key.get("begun")
    if os.name == "posix":
        with suppress(PermissionError):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return True
    return False


@dataclass(slots=True)
class HolderWatch:
    """Finds out which holders live, by looking at them again and again.

    A holder whose beat has not changed for `seconds` is taken for dead; of the clock, only differences between two looks count.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=0.0, init=False)
    _silent: dict[int, tuple[int, float]] = field(default_factory=dict, init=False)

    def living(self, holders: Iterable[HolderRow]) -> set[int]:
        """Numbers of those that live."""
        now = self.clock()
        step, self._looked = min(max(now - self._looked, 0.0), LONGEST_STEP), now
        silent: dict[int, tuple[int, float]] = {}
        for holder in holders:
            try:
                place = json.loads(holder.place)
            except MALFORMED:
                place = None
            if isinstance(place, dict) and is_gone(place):
                continue
            last_beat, seconds = self._silent.get(holder.id, (None, 0.0))
            silent[holder.id] = holder.beat, seconds + step if holder.beat == last_beat else 0.0
        self._silent = silent
        return {number for number, (_, seconds) in silent.items() if seconds < self.seconds}


@cache
def _machine() -> str:
    """Name that tells this machine, since it was started, from all others; containers count as machines."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            return f"{boot} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  (the link leads to no path)
    import platform
    import uuid

    return f"{platform.node()} {uuid.getnode():x}"


BEATS = 4
"""How often a holder shows that it lives, in the time for which it may show nothing."""

_log = logging.getLogger("tiebreak")


class SqlLease(AbstractContextManager["SqlLease"]):
    """A share in a run; `seconds` is for how long a holder may show nothing."""

    def __init__(self, writer: Writer, seconds: float) -> None:
        self._writer = writer
        self._database = writer.database
        self._number = writer.number
        self._stored = writer.stored
        self._mapping = writer.mapping
        self._metrics = [metric.name for metric in writer.stored.metrics]
        self._own_metrics = [metric.name for metric in writer.mapping.record.metrics]
        self._holder = secrets.randbits(62)
        self._place = json.dumps(key_of(os.getpid()))
        self._beat = 0
        self._held: set[Cell] = set()
        self._watch = HolderWatch(seconds)
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._heart = threading.Thread(target=self._beat_on, args=(seconds / BEATS,), name="tiebreak-lease", daemon=True)

    def claim(self, cells: Sequence[Cell], *, again: Collection[Cell] = ()) -> Claim:
        """Take on those of the cells that nobody else has."""
        with self._lock:
            claim = self._database.read(partial(self._survey, cells, again), self._stored.name)
            if claim.granted:
                _, claim = self._database.write(partial(self._exchange, (), cells, again), self._stored.name)
                self._held.update(map(self._mapping.stored, claim.granted))
            return claim

    def write(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell] = (), *, again: Collection[Cell] = ()
    ) -> tuple[list[Outcome], Claim]:
        """Keep outcomes of cells that were granted, and take on others in the same transaction."""
        claim = Claim([], [], [])
        lost: set[Cell] = set()
        with self._lock:
            for piece in self._writer.pieces(outcomes):
                lost_now, claimed = self._database.write(partial(self._exchange, piece, wanted, again), self._stored.name)
                self._held -= {each.cell for each in piece} - lost_now
                self._held.update(map(self._mapping.stored, claimed.granted))
                lost |= lost_now
                if wanted:
                    claim, wanted = claimed, ()
        refused = [outcome for outcome in outcomes if self._mapping.stored(outcome.cell) in lost] if lost else []
        if refused:
            _log.warning(
                "run %r: what this process measured for %s%s came too late and was not kept, as another process has taken over.",
                self._stored.name,
                cell_text(self._mapping.record, refused[0].cell),
                f" and {len(refused) - 1} more" if len(refused) > 1 else "",
            )
        return refused, claim

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give back what was taken on and not measured."""
        self._is_over.set()
        if self._heart.is_alive():
            self._heart.join()
        if not self._held or isinstance(error, StoreError):  # a store that is lost is not waited for again
            return
        try:
            with self._lock:
                self._database.write(self._end, self._stored.name)
                self._held.clear()
        except TiebreakError:
            if kind is None:
                raise  # else what went wrong before counts; others will find out that this process has ended

    def _end(self, connection: Connection) -> None:
        self._put_leases(connection, self._owners(connection), self._held, ())

    # --- within a transaction -------------------------------------------------------------------------------------------------

    def _exchange(
        self, piece: Sequence[PendingOutcome], wanted: Sequence[Cell], again: Collection[Cell], connection: Connection
    ) -> tuple[set[Cell], Claim]:
        """Put those outcomes whose cells are not another's by now, give these cells back, and take on others instead."""
        owners = self._owners(connection)
        unowned = [each.cell for each in piece if each.cell not in owners]
        kept = kept_cells(connection, self._number, self._stored, self._metrics, unowned)
        lost = {each.cell for each in piece if owners.get(each.cell, self._holder) != self._holder}
        lost |= {each.cell for each in piece if each.cell in kept and not _is_same(kept[each.cell], each)}
        own = [each for each in piece if each.cell not in lost]
        if own:
            self._writer.put(own, connection)
        claim = self._survey(wanted, again, connection) if wanted else Claim([], [], [])
        self._put_leases(connection, owners, {each.cell for each in own}, claim.granted)
        return lost, claim

    def _survey(self, cells: Sequence[Cell], again: Collection[Cell], connection: Connection) -> Claim:
        """Find out which cells can be granted now."""
        claim = Claim([], [], [])
        holders = fetch(connection, HOLDERS, run=self._number)
        damaged = HOLDERS.damaged(holders)  # holds nothing, and `check` tells of it
        living = self._watch.living(holder for i, holder in enumerate(holders) if i not in damaged)
        owners = self._owners(connection)
        stored_cells = [self._mapping.stored(cell) for cell in cells]
        kept = kept_cells(connection, self._number, self._stored, self._metrics, stored_cells)
        for cell, stored in zip(cells, stored_cells, strict=True):
            outcome = kept[stored].outcome if stored in kept else None
            owner = owners.get(stored)
            if outcome is not None and is_settled(outcome, self._own_metrics, is_again=cell in again):
                claim.settled.append(self._mapping.own_part(outcome, cell, {}))
            elif owner in living and owner != self._holder:
                claim.held.append(cell)
            else:
                claim.granted.append(cell)
        return claim

    def _owners(self, connection: Connection) -> Mapping[Cell, int]:
        """Find out who has taken on which cells, alive or not; a damaged row holds nothing, and `check` tells of it."""
        leases = fetch(connection, LEASES, run=self._number)
        damaged = set(LEASES.damaged(leases))
        return {cell_of(lease): lease.holder for i, lease in enumerate(leases) if i not in damaged}

    def _put_leases(self, connection: Connection, owners: Mapping[Cell, int], ended: Set[Cell], taken: Sequence[Cell]) -> None:
        """End the leases of cells that are this holder's still, take on others, and show that it lives while it has any."""
        delete(connection, LEASES, *((self._number, *cell) for cell in ended if owners.get(cell) == self._holder))
        put(connection, LEASES, [LeaseRow(self._number, *self._mapping.stored(cell), self._holder) for cell in taken])
        if taken or self._held - ended:
            self._beat += 1
            put(connection, HOLDERS, [HolderRow(self._number, self._holder, self._beat, self._place)])
            if self._heart.ident is None:
                self._heart.start()
        else:
            delete(connection, HOLDERS, (self._number, self._holder))

    def _show(self, connection: Connection) -> None:
        """Show that this holder lives, unless others have taken it for dead."""
        if fetch(connection, HOLDERS, run=self._number, id=self._holder):
            self._put_leases(connection, {}, set(), ())

    # --- between the transactions ---------------------------------------------------------------------------------------------

    def _beat_on(self, seconds: float) -> None:
        """Show that this process lives, even while a fit takes long."""
        beat = self._beat
        while not self._is_over.wait(seconds):
            if self._held and beat == self._beat and self._lock.acquire(blocking=False):
                try:
                    with self._database.transaction(self._stored.name, to_write=True) as connection:  # once: nobody waits for it
                        self._show(connection)
                except TiebreakError:  # who measures will meet it too, and tell
                    pass
                finally:
                    self._lock.release()
            beat = self._beat


def _is_same(kept: KeptCell, new: PendingOutcome) -> bool:
    """Tell that it is this very outcome that was kept, by a transaction whose end was not heard of: its times are its own."""
    old, own = kept.outcome, new.outcome
    return _marks(old, own.scores) == _marks(own, own.scores)


def _marks(outcome: Outcome, metrics: Collection[str]) -> tuple[str, ...]:
    """Texts that tell an outcome from another one of its cell; in texts, nan is nan."""
    scores = [outcome.scores.get(name) for name in metrics]
    return outcome.state, outcome.message, repr((outcome.fit_seconds, outcome.predict_seconds)), repr([*map(_number, scores)])


def _number(score: float | None) -> float | None:
    return None if score is None else float(score)
