"""Leases: the cells of a run that one of several processes has taken on, and when it loses them to the others."""

import logging
import os
import secrets
import threading
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import TracebackType

from tiebreak.errors import StoreError, TiebreakError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.contract import Claim, Place, cell_text, is_settled
from tiebreak.stores.database import Connection
from tiebreak.stores.encoding import MALFORMED, from_json, sealed, to_json, unsealed
from tiebreak.stores.log import SqlLog

SECONDS = 60.0
"""For how long a holder may show no sign of life before others take over the cells that it has begun."""
BEATS = 4
"""How often a holder shows that it lives, in the time for which it may show nothing."""

_log = logging.getLogger("tiebreak")
_PUT = (
    "INSERT INTO tiebreak_leases (shown, content, run, holder) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (run, holder) DO UPDATE SET shown = excluded.shown, content = excluded.content"
)
_SHOW = "UPDATE tiebreak_leases SET shown = ? WHERE run = ? AND holder = ?"
_DELETE = "DELETE FROM tiebreak_leases WHERE run = ? AND holder = ?"


@dataclass(eq=False)
class SqlLease(AbstractContextManager["SqlLease"]):
    """Share of one process in a run that several may measure at once.

    A row says which cells its holder has taken on, and when it has shown last that it lives, which it does by itself. One that
    has shown nothing for `SECONDS` of the store's own clock (its machine is gone, the process hangs) loses its cells to whoever
    asks for them next; what it hands in later changes nothing that these have taken on or kept.
    """

    log: SqlLog
    _holder: int = field(default_factory=partial(secrets.randbits, 62), init=False)
    _held: set[Place] = field(default_factory=set, init=False)
    _is_over: threading.Event = field(default_factory=threading.Event, init=False)
    _heart: threading.Thread | None = field(default=None, init=False)
    """What shows that this process lives, from the first cell that it takes on."""

    def exchange(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell] = (), *, again: Collection[Cell] = ()
    ) -> tuple[list[Outcome], Claim]:
        """Keep outcomes of cells that were granted, as `SqlLog.write` does, and take on others in the same transaction.

        Parameters
        ----------
        outcomes : sequence of Outcome
            Their cells are given back; one that is another's by now is not kept.
        wanted : sequence of Cell
            Those of them that nobody else has are taken on.
        again : collection of Cell
            Those that are to be measured although they have failed. Other cells that failed are settled, as are those that
            have all metrics of the record.

        Returns
        -------
        list of Outcome
            Those that were refused, as their cells were lost to others.
        Claim
            On the cells wanted.
        """
        log, claim = self.log, Claim([], [], [])
        with log.database.transaction(log.record.name, to_write=True) as connection:
            others, own = self._owners(connection)
            done = {outcome.cell: log.mapping.stored(outcome.cell) for outcome in outcomes}
            lost = others | log.put(connection, [outcome for outcome in outcomes if done[outcome.cell] not in others], own)
            places = {cell: log.mapping.stored(cell) for cell in wanted}
            kept = log.kept(connection, {place: cell for cell, place in places.items()}, log.mapping.metrics)
            for cell, place in places.items():
                if place in kept and is_settled(kept[place].outcome, log.mapping.metrics, is_again=cell in again):
                    claim.settled.append(kept[place].outcome)
                elif place in others:
                    claim.held.append(cell)
                else:
                    claim.granted.append(cell)
            held = self._held.difference(done.values(), others) | {places[cell] for cell in claim.granted}
            if held:
                content = sealed(to_json([[_machine(), os.getpid()], sorted(held)]), b"lease", log.run, self._holder)
                connection.execute(_PUT, [connection.now, content, log.run, self._holder])
            elif own:
                connection.execute(_DELETE, [log.run, self._holder])
        self._held = held
        if held and self._heart is None:
            self._heart = threading.Thread(target=self._beat_on, name="tiebreak-lease", daemon=True)
            self._heart.start()
        refused = [outcome for outcome in outcomes if done[outcome.cell] in lost]
        if refused:
            _log.warning(
                "run %r: what this process measured for %s%s came too late and was not kept, as another process has taken over.",
                log.record.name,
                cell_text(log.record, refused[0].cell),
                f" and {len(refused) - 1} more" if len(refused) > 1 else "",
            )
        return refused, claim

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give back what was taken on and not measured."""
        self._is_over.set()
        if self._heart is not None:
            self._heart.join()
        log = self.log
        try:
            if self._held and not isinstance(error, StoreError):
                with log.database.transaction(log.record.name, to_write=True) as connection:
                    connection.execute(_DELETE, [log.run, self._holder])
        except TiebreakError:
            if error is None:
                raise  # else what went wrong before counts; others will find out that this process has ended

    def _beat_on(self) -> None:
        """Show that this process lives, even while a fit takes long; unless others have taken it for dead."""
        database, run = self.log.database, self.log.run
        while not self._is_over.wait(SECONDS / BEATS):
            if self._held:
                # who measures will meet an error too, and tell
                with suppress(TiebreakError), database.transaction(to_write=True) as connection:
                    connection.execute(_SHOW, [connection.now, run, self._holder])

    # --- within a transaction -------------------------------------------------------------------------------------------------

    def _owners(self, connection: Connection) -> tuple[set[Place], set[Place]]:
        """Cells of others who live, and those that are still this holder's; who does not live any more loses its row."""
        others: set[Place] = set()
        own: set[Place] = set()
        for holder, shown, content in connection.execute(
            "SELECT holder, shown, content FROM tiebreak_leases WHERE run = ?", [self.log.run]
        ):
            try:
                place, listed = from_json(unsealed(content, b"lease", self.log.run, holder))
                cells: set[Place] = {(dataset, split, model) for dataset, split, model in listed}
                # the clock may have been put back meanwhile
                is_living = holder == self._holder or (abs(connection.now - shown) < SECONDS and not is_gone(place))
            except MALFORMED:  # a damaged row holds nothing, and `check` tells of it until then
                is_living = False
            if not is_living:
                connection.execute(_DELETE, [self.log.run, holder])
            else:
                (own if holder == self._holder else others).update(cells)
        return others, own


# --- processes ------------------------------------------------------------------------------------------------------------


def is_gone(place: Sequence[str | int]) -> bool:
    """Find out if a process has certainly ended; False for one that runs, or of which nothing is known here."""
    machine, process = place
    if os.name != "posix" or machine != _machine() or not isinstance(process, int):
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


@cache
def _machine() -> str:
    """Name that tells this machine, since it was started, from all others; containers count as machines."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  (the link leads to no path)
    except OSError:  # not Linux
        import platform
        import uuid

        return f"{platform.node()} {uuid.getnode():x}"
