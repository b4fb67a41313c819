"""A store that lives as long as the process."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import numpy as np

from tiebreak.errors import StoreError
from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.cells import CellTable, Claim, deleted_text, is_settled, settle
from tiebreak.stores.contract import Note, RunLog, RunSummary
from tiebreak.stores.damage import Damage
from tiebreak.stores.plan_mapping import PlanMapping, check_record, environment_of, map_plan, merge_records
from tiebreak.stores.sql.encoding import from_npy, to_npy


@dataclass(slots=True, eq=False)
class _Run:
    """A run: what is known of it, and its cells with the version set that each was measured with."""

    record: RunRecord
    environments: list[Mapping[str, str]]
    created: float
    updated: float
    cells: dict[Cell, tuple[Outcome, int]] = field(default_factory=dict)
    owners: dict[Cell, MemoryLease] = field(default_factory=dict)
    is_deleted: bool = False


class MemoryStore:
    """Runs that are kept until the process ends, for when nothing needs to survive. Any thread may use it."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._lock = threading.RLock()

    @property
    def url(self) -> str:
        """Nowhere: ""."""
        return ""

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first."""
        with self._lock:
            summaries = [_summary(run) for run in self._runs.values()]
        return sorted(summaries, key=lambda run: run.updated, reverse=True)

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> MemoryLog:
        """Begin a run, or go on with the one of the same name."""
        check_record(record)
        with self._lock:
            run = self._runs.get(record.name)
            if run is None:
                run = self._runs[record.name] = _Run(record, [dict(record.versions)], time.time(), time.time())
            else:
                merged = merge_records(run.record, record)
                environment = environment_of(record.name, run.environments, record.versions, accept_versions)
                run.environments += [dict(record.versions)] * (environment == len(run.environments))
                run.record = merged
            environment = run.environments.index(dict(record.versions))
            own = dataclasses.replace(record, threads=run.record.threads)
            return MemoryLog(run, map_plan(own, run.record), environment, self._lock)

    def read(self, name: str) -> MemoryLog:
        """A stored run with everything that it has."""
        with self._lock:
            run = self._found(name)
            last = len(run.environments) - 1
            whole = dataclasses.replace(run.record, versions=run.environments[last])
            return MemoryLog(run, map_plan(whole, run.record), last, self._lock)

    def delete(self, name: str) -> None:
        """Forget a run."""
        with self._lock:
            self._found(name).is_deleted = True
            del self._runs[name]

    def check(self) -> list[Damage]:
        """Memory is taken at its word."""
        return []

    def close(self) -> None:
        """There is nothing to let go of."""

    def _found(self, name: str) -> _Run:
        if name not in self._runs:
            look_up(name, list(self._runs), "run")
        return self._runs[name]


class MemoryLog:
    """The cells of one run in memory."""

    def __init__(self, run: _Run, mapping: PlanMapping, environment: int, lock: threading.RLock) -> None:
        self._run = run
        self._mapping = mapping
        self._environment = environment
        self._lock = lock

    @property
    def record(self) -> RunRecord:
        """The plan that this log was opened with, or all that the run has where it was opened for reading."""
        return self._mapping.record

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The version sets that the run was made with."""
        with self._lock:
            return tuple(self._run.environments)

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none."""
        own = [self._own_copy(outcome) for outcome in outcomes]
        with self._lock:
            self._check_kept()
            changed: dict[Cell, tuple[Outcome, int]] = {}
            for outcome in own:
                old, environment = changed.get(outcome.cell) or self._run.cells.get(outcome.cell) or (None, self._environment)
                kept = old.outputs if old is not None else {}
                settled = settle(self._run.record, old, kept, outcome)
                if settled is None:
                    continue
                if old is not None and old.is_done:
                    changed[outcome.cell] = dataclasses.replace(settled, outputs={**kept, **settled.outputs}), environment
                else:
                    changed[outcome.cell] = settled, self._environment
            self._run.cells.update(changed)
            self._run.updated = time.time() if changed else self._run.updated

    def lease(self) -> MemoryLease:
        """A share in measuring the run, for one thread among several."""
        return MemoryLease(self, self._run, self._mapping, self._lock)

    def table(self) -> CellTable:
        """All recorded cells."""
        with self._lock:
            self._check_kept()
            cells = self._cells_in_order(None)
            entries = [self._run.cells[self._mapping.stored(cell)] for cell in cells]
        names = [metric.name for metric in self.record.metrics]
        positions = np.array(cells, dtype=np.int64).reshape(-1, 3)
        scores = [[outcome.scores.get(name, np.nan) for name in names] for outcome, _ in entries]
        measured = [[name in outcome.scores for name in names] for outcome, _ in entries]
        shape = len(entries), len(names)
        return CellTable(
            dataset=positions[:, 0],
            split=positions[:, 1],
            model=positions[:, 2],
            state=np.array([STATES.index(outcome.state) for outcome, _ in entries], dtype=np.int64),
            score=np.array(scores, dtype=np.float64).reshape(shape),
            has_score=np.array(measured, dtype=np.bool_).reshape(shape),
            fit_seconds=np.array([outcome.fit_seconds for outcome, _ in entries], dtype=np.float64),
            predict_seconds=np.array([outcome.predict_seconds for outcome, _ in entries], dtype=np.float64),
            environment=np.array([environment for _, environment in entries], dtype=np.int64),
        )

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The recorded outcomes of the given cells, or of all, in the order of the plan."""
        with self._lock:
            self._check_kept()
            chosen = [(cell, self._run.cells[self._mapping.stored(cell)][0]) for cell in self._cells_in_order(cells)]
        for cell, outcome in chosen:
            yield self._mapping.own_part(outcome, cell, outcome.outputs if outputs else {})

    def noted(self, what: Note) -> Iterator[Outcome]:
        """The recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan."""
        return (outcome for outcome in self.outcomes() if getattr(outcome, what))

    def _cells_in_order(self, cells: Iterable[Cell] | None) -> list[Cell]:
        """The recorded ones among the given cells, or all, in the order of the plan."""
        if cells is not None:
            chosen = sorted(set(cells))
            for cell in chosen:
                self._mapping.check(Outcome(cell))
            return [cell for cell in chosen if self._mapping.stored(cell) in self._run.cells]
        stored = np.array(list(self._run.cells), dtype=np.int64).reshape(-1, 3)
        planned = np.column_stack(self._mapping.planned(stored[:, 0], stored[:, 1], stored[:, 2]))
        return sorted(Cell(*row) for row in planned[planned[:, 0] >= 0].tolist())

    def _own_copy(self, outcome: Outcome) -> Outcome:
        """The outcome by stored positions, sharing nothing with the caller that could change."""
        self._mapping.check(outcome)
        return dataclasses.replace(
            outcome,
            cell=self._mapping.stored(outcome.cell),
            scores={name: float(score) for name, score in outcome.scores.items()},
            undefined=dict(outcome.undefined),
            train_scores={name: float(score) for name, score in outcome.train_scores.items()},
            warnings=tuple(outcome.warnings),
            outputs={method: from_npy(to_npy(output, f"the output of {method!r}")) for method, output in outcome.outputs.items()},
        )

    def _check_kept(self) -> None:
        if self._run.is_deleted:
            raise StoreError(deleted_text(self.record.name))


class MemoryLease:
    """A share in measuring a run; its holder lives as long as it is open."""

    def __init__(self, log: MemoryLog, run: _Run, mapping: PlanMapping, lock: threading.RLock) -> None:
        self._log = log
        self._run = run
        self._mapping = mapping
        self._lock = lock
        self._own_metrics = [metric.name for metric in mapping.record.metrics]

    def claim(self, cells: Sequence[Cell], *, again: Collection[Cell] = ()) -> Claim:
        """Take on those of the cells that nobody else has."""
        claim = Claim([], [], [])
        with self._lock:
            for cell in cells:
                stored = self._mapping.stored(cell)
                outcome, _ = self._run.cells.get(stored, (None, 0))
                if outcome is not None and is_settled(outcome, self._own_metrics, is_again=cell in again):
                    claim.settled.append(self._mapping.own_part(outcome, cell, {}))
                elif self._run.owners.setdefault(stored, self) is self:
                    claim.granted.append(cell)
                else:
                    claim.held.append(cell)
        return claim

    def write(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell] = (), *, again: Collection[Cell] = ()
    ) -> tuple[list[Outcome], Claim]:
        """Keep outcomes of cells that were granted, and take on others; nothing is ever lost to others."""
        with self._lock:
            self._log.write(outcomes)
            for outcome in outcomes:
                self._run.owners.pop(self._mapping.stored(outcome.cell), None)
            return [], self.claim(wanted, again=again)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give back what was taken on and not measured."""
        with self._lock:
            for cell in [cell for cell, owner in self._run.owners.items() if owner is self]:
                del self._run.owners[cell]


def _summary(run: _Run) -> RunSummary:
    record = run.record
    n_done = sum(outcome.is_done for outcome, _ in run.cells.values())
    return RunSummary(
        name=record.name,
        created=run.created,
        updated=run.updated,
        n_cells=record.n_cells,
        n_done=n_done,
        n_failed=len(run.cells) - n_done,
        n_models=len(record.models),
        n_datasets=len(record.datasets),
        n_splits=sum(dataset.n_splits for dataset in record.datasets),
        metrics=tuple(metric.name for metric in record.metrics),
    )


@dataclass(frozen=True, slots=True, eq=False)
class CopiedLog:
    """The cells of a run as they were when they were copied out of a store: what travels with a result. Nothing is added to them.

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

    def noted(self, what: Note) -> Iterator[Outcome]:
        """The recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan."""
        return (outcome for outcome in self.outcomes() if getattr(outcome, what))

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Refuse, as there is no store."""
        raise StoreError(self._refusal())

    def lease(self) -> MemoryLease:
        """Refuse, as there is no store."""
        raise StoreError(self._refusal())

    def _refusal(self) -> str:
        return f"run {self.record.name!r} was copied out of its store, so nothing can be added to it. Open it in the store again."
