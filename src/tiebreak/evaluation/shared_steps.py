"""Leading steps that several models share: fitted with the first of them on a split, and stood in for with the others.

The first model of a split is fitted as always; a step that only copies what comes by (`_Keeper`) is put behind the steps that it
shares with others. The pipelines of these others then begin with a step (`_StandIn`) that hands out copies of that.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from warnings import WarningMessage

import numpy as np

from tiebreak.caught import give_again
from tiebreak.evaluation.table_copies import (
    UnknownTable,
    arrays_of,
    have_same_values,
    is_too_much,
    maker_of_copies,
    may_overlap,
    n_bytes,
)
from tiebreak.plan.leading_steps import SharedSteps
from tiebreak.plan.record import Cell, LeadingSteps

FIT, TEST, TRAIN = "fit", "test", "train"
"""What a model is doing: it is fitted, asked about the test rows, or about the training rows."""


@dataclass
class _Passed:
    """Table that came out of leading steps while a model did something, with the warnings and seconds of that."""

    table: Any
    copied: Callable[[Any], Any]
    n_bytes: int
    warnings: list[WarningMessage]
    seconds: float


_Kept = dict[str, _Passed]
"""By what the model was doing."""


class SharedTables:
    """Tables of the leading steps that the model measured last shares with others, on one split."""

    def __init__(self, shared: SharedSteps) -> None:
        self._points = shared.points
        self._with_declared = shared.with_declared
        self._kept: dict[int, _Kept] = {}
        self._refused: dict[tuple[int, int], LeadingSteps] = {}

    def drop(self) -> None:
        """Let go of all tables: the split is over, or memory is short."""
        self._kept.clear()

    def enter(self, cell: Cell, model: Any, arguments: Mapping[str, Any], given: Given) -> CellSteps:
        """Put steps into a pipeline that keep or hand out tables, unless this model shares nothing.

        The arguments are those of its fit; it shares nothing where they are for other steps than the last.
        """
        points = self._points[cell.model]
        mine = {number for _, number in points}
        for number in self._kept.keys() - mine:  # as cells are ordered, nobody needs them any more
            del self._kept[number]
        steps = CellSteps(cell, given, self._refused)
        if not points or any(not name.startswith(f"{model.steps[-1][0]}__") for name in arguments):
            return steps
        steps.is_sharing = True
        steps.may_draw = cell.model in self._with_declared
        at = 0
        put: list[tuple[str, Any]] = []
        for end, number in reversed(points):
            if number in self._kept:
                at, steps.is_stood_in = end, True
                put.append((model.steps[end - 1][0], _StandIn(steps, self._kept[number])))
                break
        names = {name for name, _ in model.steps}
        for end, number in (point for point in points if point[0] > at):
            put += model.steps[at:end]
            at = end
            if (cell.dataset, number) not in self._refused:
                name = next(each for each in map("tiebreak{}".format, range(len(names) + 1)) if each not in names)
                names.add(name)
                fitted = [step for _, step in put if not isinstance(step, _StandIn | _Keeper)]
                put.append((name, _Keeper(steps, number, fitted, _bytes_of(self._kept))))
        model.steps = [*put, *model.steps[at:]]
        return steps

    def leave(self, steps: CellSteps) -> LeadingSteps:
        """Keep what a model that was measured to its end has left, and say how its leading steps came about."""
        wanted = set(steps.stages)
        self._kept |= {number: kept for number, kept in steps.passed.items() if kept.keys() >= wanted}
        refused = [self._refused.get((steps.cell.dataset, number)) for _, number in self._points[steps.cell.model]]
        if steps.saved is None:
            return next(filter(None, refused), LeadingSteps("fitted"))
        return LeadingSteps("shared", steps.saved)


def _bytes_of(kept: Mapping[int, _Kept]) -> int:
    return sum(passed.n_bytes for each in kept.values() for passed in each.values())


@dataclass(frozen=True)
class Given:
    """Facts of a cell: where warnings go, the targets with what they were copied from, and the rows of what a model will do."""

    caught: Sequence[WarningMessage]
    y: tuple[Any, Any]
    n_rows: Mapping[str, int]


@dataclass
class CellSteps:
    """Leading steps of one cell: what its model is doing, and what was found out on the way.

    `credit` are seconds to be added to the time of what it is doing, for that of steps that were not fitted here, less those of
    copying; `saved` is that of all, None where the model has fitted all of its steps.
    """

    cell: Cell
    given: Given
    refused: dict[tuple[int, int], LeadingSteps]
    is_sharing: bool = False
    is_stood_in: bool = False
    stage: str = ""
    began: float = 0.0
    mark: int = 0
    credit: float = 0.0
    saved: float | None = None
    X: tuple[Any, Any] = (None, None)
    may_draw: bool = False
    generators: tuple[Any, ...] = ()
    stages: list[str] = field(default_factory=list)
    passed: dict[int, _Kept] = field(default_factory=dict)

    def begin(self, stage: str, X: Any, original: Any) -> None:
        """Say what the model is about to do, and with which table, which is a copy of the original."""
        self.stage, self.X, self.mark, self.credit = stage, (X, original), len(self.given.caught), 0.0
        # not of scikit-learn's own steps, which draw from generators of their own: other threads draw from the process's, too
        self.generators = _generators() if self.may_draw and not self.is_stood_in else ()
        self.stages.append(stage)
        self.began = time.perf_counter()

    def has_drawn(self) -> bool:
        """True if something has drawn from the generators of the process since this was begun."""
        return bool(self.generators) and _generators() != self.generators

    def refuse(self, number: int, reason: LeadingSteps) -> None:
        """Share steps no more on this dataset."""
        self.refused[self.cell.dataset, number] = reason
        self.passed.pop(number, None)


def _generators() -> tuple[Any, ...]:
    """State of the process's generators of random numbers."""
    _, keys, position, *rest = np.random.get_state()  # noqa: NPY002  (it is the global one that steps may draw from)
    return random.getstate(), np.asarray(keys).tobytes(), position, rest


class _Step:
    """A step of a pipeline as scikit-learn looks at them."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()

    def fit(self, X: Any, y: Any = None) -> Any:
        """Never called, as there is `fit_transform`."""
        raise NotImplementedError


class _StandIn(_Step):
    """Step that hands out what came out of equal steps, and gives their warnings again."""

    def __init__(self, steps: CellSteps, kept: _Kept) -> None:
        self._steps = steps
        self._kept = kept

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Table that equal steps made of the training rows as they were fitted."""
        return self.transform(X)

    def transform(self, X: Any, **_: Any) -> Any:
        """Table that equal steps made of these rows."""
        began = time.perf_counter()
        passed = self._kept[self._steps.stage]
        give_again(passed.warnings)
        table = passed.copied(passed.table)
        saved = passed.seconds - (time.perf_counter() - began)
        self._steps.credit += saved
        self._steps.saved = (self._steps.saved or 0.0) + saved
        return table


class _Keeper(_Step):
    """Step that copies what comes by, where that is safe, and hands it on as it is."""

    def __init__(self, steps: CellSteps, number: int, fitted: Sequence[Any], n_kept: int) -> None:
        self._steps = steps
        self._number = number
        self._fitted = fitted
        self._n_kept = n_kept

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Hand the table on that the steps before made of the training rows."""
        return self._pass(X, y)

    def transform(self, X: Any, **_: Any) -> Any:
        """Hand the table on that the steps before made of these rows."""
        return self._pass(X, None)

    def _pass(self, table: Any, y: Any) -> Any:
        began = time.perf_counter()
        steps = self._steps
        kept = steps.passed.setdefault(self._number, {})
        is_begun = steps.stage == FIT or bool(kept)
        if is_begun and steps.stage not in kept and (steps.cell.dataset, self._number) not in steps.refused:
            seconds = began - steps.began + steps.credit
            try:
                self._keep(kept, table, y, seconds)
            except UnknownTable:
                steps.refuse(self._number, LeadingSteps("unsafe"))
            except MemoryError:
                steps.refuse(self._number, LeadingSteps("too-large"))
        steps.credit -= time.perf_counter() - began
        return table

    def _keep(self, kept: _Kept, table: Any, y: Any, seconds: float) -> None:
        """Copy a table, unless that needs too much memory.

        Raises `UnknownTable` where a model that writes into its own table might have changed something else, too: what the steps
        before hold on to, or the rows that they are given again; and where these have written into what they were given, or have
        drawn from the generators of the process.
        """
        steps = self._steps
        copied = maker_of_copies(table)
        mine = list(arrays_of(table))
        given, original = steps.given.y if steps.stage == FIT else steps.X
        if steps.has_drawn() or not have_same_values(given, original):
            raise UnknownTable
        others = [*arrays_of(*self._fitted)]
        if steps.stage == FIT:
            if may_overlap(others, arrays_of(y)):
                raise UnknownTable
        else:
            others += arrays_of_rows(given)
        if may_overlap(mine, others):
            raise UnknownTable
        size = n_bytes(table)
        rows = steps.given.n_rows
        ahead = sum(n for stage, n in rows.items() if stage not in kept) / max(1, rows[steps.stage])
        if is_too_much(self._n_kept + _bytes_of(steps.passed) + int(size * ahead), size):
            steps.refuse(self._number, LeadingSteps("too-large", n_bytes=size))
            return
        kept[steps.stage] = _Passed(copied(table), copied, size, list(steps.given.caught[steps.mark :]), seconds)


def arrays_of_rows(table: Any) -> Sequence[Any]:
    """Arrays of a table that a model was given; none of one that nobody can write into."""
    return () if type(table).__module__.startswith("polars") else list(arrays_of(table))
