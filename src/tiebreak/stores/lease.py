"""Leases: the cells of a run that one of several processes has taken on, and when it loses them to the others."""

from __future__ import annotations

import logging
import os
import secrets
import sys
import threading
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tiebreak.errors import StoreError, TiebreakError
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.cells import Claim, cell_text, is_settled
from tiebreak.stores.encoding import MALFORMED, from_json, sealed, to_json, unsealed

if TYPE_CHECKING:
    from tiebreak.stores.database import Connection
    from tiebreak.stores.rows import Piece, RunRows

BEATS = 4
"""How often a holder shows that it lives, in the time for which it may show nothing."""

_log = logging.getLogger("tiebreak")
_PUT = (
    "INSERT INTO tiebreak_leases (content, run, holder) VALUES (?, ?, ?) "
    "ON CONFLICT (run, holder) DO UPDATE SET content = excluded.content"
)
_DELETE = "DELETE FROM tiebreak_leases WHERE run = ? AND holder = ?"


class SqlLease(AbstractContextManager["SqlLease"]):
    """A share in a run: a row that says which cells its holder has taken on, and when it has shown last that it lives.

    It may show nothing for `seconds` of the store's own clock.
    """

    def __init__(self, rows: RunRows, seconds: float) -> None:
        self._rows = rows
        self._seconds = seconds
        self._holder = secrets.randbits(62)
        self._held: set[Cell] = set()
        self._n_shown = 0
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._heart = threading.Thread(target=self._beat_on, args=(seconds / BEATS,), name="tiebreak-lease", daemon=True)

    def claim(self, cells: Sequence[Cell], *, again: Collection[Cell] = ()) -> Claim:
        """Take on those of the cells that nobody else has."""
        return self._hand_over((), cells, again)[1]

    def write(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell] = (), *, again: Collection[Cell] = ()
    ) -> tuple[list[Outcome], Claim]:
        """Keep outcomes of cells that were granted, and take on others in the same transaction."""
        return self._hand_over(outcomes, wanted, again)

    def _hand_over(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell], again: Collection[Cell]
    ) -> tuple[list[Outcome], Claim]:
        rows = self._rows
        claim = Claim([], [], [])
        lost: set[Cell] = set()
        if not outcomes and not wanted:
            return [], claim
        with self._lock:
            for piece in rows.pieces(outcomes):
                work = partial(self._exchange, piece, wanted, again)
                lost_now, claimed, self._held = rows.do(work, to_write=True)
                lost |= lost_now
                if wanted:
                    claim, wanted = claimed, ()
            if self._held and self._heart.ident is None:
                self._heart.start()
        refused = [outcome for outcome in outcomes if rows.mapping.stored(outcome.cell) in lost] if lost else []
        if refused:
            _log.warning(
                "run %r: what this process measured for %s%s came too late and was not kept, as another process has taken over.",
                rows.record.name,
                cell_text(rows.record, refused[0].cell),
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
        rows = self._rows
        try:
            rows.do(lambda c: c.execute(_DELETE, [rows.run, self._holder]), to_write=True)
            self._held = set()
        except TiebreakError:
            if kind is None:
                raise  # else what went wrong before counts; others will find out that this process has ended

    # --- within a transaction -------------------------------------------------------------------------------------------------

    def _exchange(
        self, piece: Piece, wanted: Sequence[Cell], again: Collection[Cell], connection: Connection
    ) -> tuple[set[Cell], Claim, set[Cell]]:
        """Put those outcomes whose cells are not another's by now, give these cells back, and take on others instead.

        Returns the cells whose outcomes were refused, the claim, and the cells that are held now.
        """
        rows = self._rows
        others, own = self._owners(connection)
        done = {cell for cell, _, _ in piece}
        refused = done & others
        refused |= rows.put([each for each in piece if each[0] not in others], connection, own)
        claim = Claim([], [], [])
        granted = set()
        stored = [rows.mapping.stored(cell) for cell in wanted]
        kept = rows.kept(connection, stored)
        metrics = [metric.name for metric in rows.record.metrics]
        for cell, place in zip(wanted, stored, strict=True):
            outcome = rows.outcome(kept[place]) if place in kept else None
            if outcome is not None and is_settled(outcome, metrics, is_again=cell in again):
                claim.settled.append(rows.mapping.own_part(outcome, cell, {}))
            elif place in others:
                claim.held.append(cell)
            else:
                claim.granted.append(cell)
                granted.add(place)
        held = (self._held - done - others) | granted
        if held:
            connection.execute(_PUT, [self._content(connection, held), rows.run, self._holder])
        elif own:
            connection.execute(_DELETE, [rows.run, self._holder])
        return refused, claim, held

    def _owners(self, connection: Connection) -> tuple[set[Cell], set[Cell]]:
        """Cells of others who live, and those that are still this holder's; who does not live any more loses its row."""
        run = self._rows.run
        now = self._rows.database.now(connection)
        others: set[Cell] = set()
        own: set[Cell] = set()
        for holder, content in connection.execute("SELECT holder, content FROM tiebreak_leases WHERE run = ?", [run]):
            try:
                place, shown, seconds, listed = from_json(unsealed(content, "lease", run, holder))
                cells = {Cell(*cell) for cell in listed}
                # the clock may have been put back meanwhile
                is_living = holder == self._holder or (abs(now - shown) < 1e6 * seconds and not is_gone(place))
            except MALFORMED:  # a damaged row holds nothing, and `check` tells of it until then
                is_living = False
            if not is_living:
                connection.execute(_DELETE, [run, holder])
            elif holder == self._holder:
                own = cells
            else:
                others |= cells
        return others, own

    def _content(self, connection: Connection, held: Collection[Cell]) -> bytes:
        self._n_shown += 1
        now = self._rows.database.now(connection)
        return sealed(to_json([_place(), now, self._seconds, sorted(held)]), "lease", self._rows.run, self._holder)

    # --- between the transactions ---------------------------------------------------------------------------------------------

    def _beat_on(self, seconds: float) -> None:
        """Show that this process lives, even while a fit takes long; unless others have taken it for dead."""
        rows = self._rows
        n_shown = self._n_shown
        update = "UPDATE tiebreak_leases SET content = ? WHERE run = ? AND holder = ?"

        def show(connection: Connection) -> None:
            connection.execute(update, [self._content(connection, self._held), rows.run, self._holder])

        while not self._is_over.wait(seconds):
            if self._held and n_shown == self._n_shown and self._lock.acquire(blocking=False):
                try:
                    with suppress(TiebreakError):  # who measures will meet it too, and tell
                        rows.database.once(show, rows.record.name, to_write=True)  # nobody waits for it
                finally:
                    self._lock.release()
            n_shown = self._n_shown


# --- processes ------------------------------------------------------------------------------------------------------------


def _place(process: int | None = None) -> list[str | int]:
    """A process: its machine, its number, and when it began, in words that only its own machine understands.

    It began "" where it has ended, or the system does not tell when that was.
    """
    process = os.getpid() if process is None else process
    begun = ""
    with suppress(OSError):
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = text.rpartition(")")[2].split()  # the name in parentheses may hold anything
        begun = "" if state in ("Z", "X") else fields[18]
    return [_machine(), process, begun]


def is_gone(place: Sequence[str | int]) -> bool:
    """Find out if a process has certainly ended; False for one that runs, or of which nothing is known here."""
    machine, process, _ = place
    if machine != _machine() or not isinstance(process, int) or process == os.getpid():
        return False
    if sys.platform.startswith("linux"):
        return _place(process) != place
    if os.name == "posix":
        with suppress(PermissionError):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return True
    return False


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
