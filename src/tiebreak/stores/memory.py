"""Runs that live as long as the process: in a store of their own, or copied out of one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tiebreak.plan.record import Cell, Outcome, RunRecord
from tiebreak.stores.cells import CellTable
from tiebreak.stores.contract import RunLog
from tiebreak.stores.sql import SqlStore
from tiebreak.stores.sqlite import MemoryDatabase


class MemoryStore(SqlStore):
    """Runs that are kept until the process ends, for when nothing needs to survive. Any thread may use it."""

    def __init__(self) -> None:
        self._database = MemoryDatabase()
        self._lease_seconds = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class CopiedLog:
    """The cells of a run as they were when they were copied out of a store: what travels with a result. Nothing can be added.

    `copied` holds all outcomes, with their outputs, in the order of the plan.
    """

    record: RunRecord
    environments: tuple[Mapping[str, str], ...]
    copied: tuple[Outcome, ...]
    cells: CellTable

    @classmethod
    def of(cls, log: RunLog, table: CellTable) -> CopiedLog:
        """Copy all that a log has; the table is what is known of it."""
        environments = tuple(dict(each) for each in log.environments)
        return cls(log.record, environments, tuple(log.outcomes(outputs=True)), table)

    def table(self) -> CellTable:
        """All recorded cells."""
        return self.cells

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The recorded outcomes of the given cells, or of all, in the order of the plan."""
        wanted = None if cells is None else set(cells)
        for outcome in self.copied:
            if wanted is None or outcome.cell in wanted:
                yield outcome if outputs or not outcome.outputs else dataclasses.replace(outcome, outputs={})
