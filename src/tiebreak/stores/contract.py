"""Tables and messages that all stores share, damage as it is told, and the rule of writing a cell again."""

import dataclasses
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Annotated, NamedTuple, NoReturn, TypeAlias

import numpy as np
from msgspec import Meta

from tiebreak.errors import ChangedRunError, DamagedStoreError, Setting, StoreError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.record import Cell, Outcome, RunRecord

Count: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]


class NoStoreError(StoreError):
    """There is no store, and none was to be made."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a line.

    Attributes
    ----------
    name : str
    created, updated : float
        Seconds since 1970, of the run's beginning and of the last cell recorded.
    n_cells, n_done, n_failed : int
        Planned, measured, and failed so far.
    n_models, n_datasets, n_splits : int
        n_splits over all datasets.
    metrics : tuple of str
    """

    name: str
    created: float
    updated: float
    n_cells: Count
    n_done: Count
    n_failed: Count
    n_models: Count
    n_datasets: Count
    n_splits: Count
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """The recorded cells of a run as columns, in the order of the plan (dataset, split, model).

    Attributes
    ----------
    dataset, split, model : ndarray of shape (n_recorded,)
        Positions in the record.
    state : ndarray of shape (n_recorded,)
        Positions in `STATES`; 0 is "done".
    score : ndarray of shape (n_recorded, n_metrics)
        In the order of the record's metrics; nan where undefined, not measured or failed.
    has_score : ndarray of bool, same shape
        Whether the metric was measured there, undefined included.
    fit_seconds, predict_seconds : ndarray of shape (n_recorded,)
    environment : ndarray of shape (n_recorded,)
        The versions that each was measured with: positions in `SqlLog.environments`.
    noted : ndarray of shape (n_recorded,)
        Bits of `NOTES`: which outcomes have warnings, reasons of undefined scores, or choices of a search.
    """

    dataset: IntArray
    split: IntArray
    model: IntArray
    state: IntArray
    score: FloatArray
    has_score: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    fit_seconds: FloatArray
    predict_seconds: FloatArray
    environment: IntArray
    noted: IntArray


NOTES = {"warnings": 1, "undefined": 2, "chosen": 4}
"""Bit of what an outcome may have to tell in words, by the name of its field."""


class Claim(NamedTuple):
    """Answer to asking for cells. Each of those asked for is in one of the three.

    Attributes
    ----------
    granted : list of Cell
        To be measured by whoever asked, and by nobody else as long as it lives.
    held : list of Cell
        Taken on by somebody else who has not lost them yet.
    settled : list of Outcome
        There is nothing left to do for these; their outputs are left out.
    """

    granted: list[Cell]
    held: list[Cell]
    settled: list[Outcome]


def cell_text(record: RunRecord, cell: Cell) -> str:
    """A cell as people are told of it: "the cell of model 'svm' on repeat 0 fold 3 of dataset 'iris'"."""
    try:
        if min(cell) < 0:
            raise IndexError
        dataset, model = record.datasets[cell.dataset], record.models[cell.model]
        of = f" of dataset {dataset.name!r}" if dataset.name else ""
        return f"the cell of model {model.name!r} on {dataset.split_name(cell.split)}{of}"
    except (IndexError, TypeError):  # from a damaged row
        return f"a cell outside the plan (dataset {cell.dataset}, split {cell.split}, model {cell.model})"


# --- the rule of writing a cell again ---------------------------------------------------------------------------------------


def settle(stored: RunRecord, cell: Cell, old: Outcome | None, new: Outcome) -> Outcome:
    """Find out what a cell becomes when an outcome is written over what is kept of it; that itself where nothing changes.

    The cell is meant by its positions in the stored run. Raises `ChangedRunError` where a metric was measured before and has
    another score now, in a run that can be reproduced.
    """
    if old is None or not old.is_done:
        return new
    if not new.is_done:
        return old
    if stored.rng is not None:
        _check_agreement(stored, cell, old, new)
    merged = dataclasses.replace(
        old,
        scores={**new.scores, **old.scores},
        undefined={**{name: new.undefined[name] for name in new.undefined.keys() - old.scores.keys()}, **old.undefined},
        train_scores={**new.train_scores, **old.train_scores},
        warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))),
        outputs={**old.outputs, **new.outputs, **old.outputs},  # in the order in which they came, the first ones staying
    )
    parts = [(len(each.scores), len(each.train_scores), len(each.outputs)) for each in (old, merged)]
    return old if parts[0] == parts[1] else merged


def is_settled(outcome: Outcome, metrics: Collection[str], *, is_again: bool) -> bool:
    """True where nothing is left to do for a cell that somebody has measured.

    The outcome is what is kept of it, the metrics those that it is to have; `is_again` where it is to be measured even though it
    has failed.
    """
    if not outcome.is_done:
        return not is_again
    return all(name in outcome.scores for name in metrics)


def _check_agreement(stored: RunRecord, cell: Cell, old: Outcome, new: Outcome) -> None:
    for rows, then, now in (("", old.scores, new.scores), (" on the training rows", old.train_scores, new.train_scores)):
        for name, score in now.items():
            if name in then and then[name] != score and (then[name] == then[name] or score == score):  # nan is the same as nan
                raise ChangedRunError(
                    f"run {stored.name!r}: {cell_text(stored, cell)} was measured before with {name!r} "
                    f"{float(then[name])!r}{rows}, and now with {float(score)!r}. The first score stays. Something in the model "
                    "is not settled by its random_state (threads, a clock, a global generator). Settle it and begin another run "
                    "with ",
                    Setting("name"),
                    ", or one with rng=None, which keeps first scores.",
                )


# --- damage ---------------------------------------------------------------------------------------------------------------

MISMATCH = "its hash does not match"


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a store that is not what was written.

    Attributes
    ----------
    run : str
        "" where it cannot be told.
    where : str
        "the cell of model 'svm' on repeat 0 fold 3", "the list of models", "the file", ...
    what : str
        "its hash does not match", "1 of 40 is gone", ...
    """

    run: str
    where: str
    what: str


Report = Callable[[Damage], None]
"""What is done about damage: `refuse` it, or keep it for a list."""


class FoundDamageError(DamagedStoreError):
    """Damage that was met while something was read."""

    damage: Damage


def damaged(text: str, damage: Damage) -> FoundDamageError:
    """The error that tells people of some damage."""
    error = FoundDamageError(text)
    error.damage = damage
    return error


def refuse(damage: Damage) -> NoReturn:
    """Raise what is wrong as a `DamagedStoreError`."""
    run = f"run {damage.run!r}: " if damage.run else ""
    remedy = "delete the run and measure it again" if damage.run else "delete the store and measure its runs again"
    text = f"{run}{damage.where} is not what was written: {damage.what}. Put a copy of the store in its place, or {remedy}."
    raise damaged(text, damage)
