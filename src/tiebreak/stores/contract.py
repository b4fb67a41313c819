"""Tables, positions and messages that stores share, the rules of going on with a run and a cell, and damage as it is told."""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Annotated, NamedTuple, NoReturn, TypeAlias, TypeVar

import numpy as np
from msgspec import Meta

from tiebreak.errors import Advice, ChangedRunError, DamagedStoreError, InvalidParameterError, Setting, StoreError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.record import Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, RunRecord

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


# --- positions ------------------------------------------------------------------------------------------------------------

Place: TypeAlias = tuple[int, int, int]
"""A cell by its stored positions: dataset, split, model."""


class PlanMapping:
    """Positions of a plan in the stored run that holds it, which may have more models, splits and metrics in another order.

    The stored run has all of the plan, as one from `merge_records` has. `splits` has the stored dataset and split for each
    dataset and split of the plan, `models` the stored position of each model, and `own_splits` and `own_models` say the same the
    other way round. `metrics` has the stored positions of the plan's metrics by name, `metric_position` those of all metrics of
    the run.
    """

    def __init__(self, record: RunRecord, stored: RunRecord) -> None:
        datasets = {dataset.name: i for i, dataset in enumerate(stored.datasets)}
        models = {model.name: i for i, model in enumerate(stored.models)}
        self.record = record
        self.splits: dict[tuple[int, int], tuple[int, int]] = {}
        for i, dataset in enumerate(record.datasets):
            place = datasets[dataset.name]
            known = split_keys(stored.datasets[place])
            self.splits |= {(i, split): (place, known[key]) for key, split in split_keys(dataset).items()}
        self.models = {i: models[model.name] for i, model in enumerate(record.models)}
        self.own_splits = {stored_split: split for split, stored_split in self.splits.items()}
        self.own_models = {position: i for i, position in self.models.items()}
        self.metric_position = {metric.name: i for i, metric in enumerate(stored.metrics)}
        self.metrics = {metric.name: self.metric_position[metric.name] for metric in record.metrics}

    def stored(self, cell: Cell) -> Place:
        """The stored positions of a cell; raises `InvalidParameterError` where the plan has none."""
        try:
            return *self.splits[cell[:2]], self.models[cell.model]
        except KeyError:
            raise InvalidParameterError(
                f"there is no {cell} in the plan of run {self.record.name!r}; cells are meant by their positions in its record."
            ) from None


# --- what a plan adds -----------------------------------------------------------------------------------------------------

_OTHER_RUN = ("begin another run with ", Setting("name"))
_HOW = {
    "model": "class, parameters or code are not those that were measured under that name",
    "metric": "it is computed in another way than in this run so far",
}
"""Ways in which something changes that a run has."""
Each = TypeVar("Each", ModelRecord, MetricRecord)


def split_keys(dataset: DatasetRecord) -> dict[tuple[int, int], int]:
    """Position of each split, by repeat and fold."""
    return {key: i for i, key in enumerate(zip(dataset.repeat.tolist(), dataset.fold.tolist(), strict=True))}


def merge_records(stored: RunRecord, record: RunRecord) -> RunRecord:
    """Add to the stored run what a plan has beyond it; raises `ChangedRunError` where they contradict."""
    if stored.rng != record.rng:
        raise ChangedRunError(
            f"run {stored.name!r} was made with ",
            Setting("rng", repr(stored.rng)),
            ", and now ",
            Advice(f"rng is {record.rng}", study=f"seed is {record.rng}"),
            ". Pass ",
            Setting("rng", repr(stored.rng)),
            ", or ",
            *_OTHER_RUN,
            ".",
        )
    given, known = {dataset.name: dataset for dataset in record.datasets}, {dataset.name for dataset in stored.datasets}
    merged = [_merged_dataset(stored.name, each, given[each.name]) if each.name in given else each for each in stored.datasets]
    return dataclasses.replace(
        stored,
        models=(*stored.models, *_new("model", stored.models, record.models, stored.name)),
        datasets=(*merged, *(dataset for dataset in record.datasets if dataset.name not in known)),
        metrics=(*stored.metrics, *_new("metric", stored.metrics, record.metrics, stored.name)),
        settings={**stored.settings, **record.settings},
    )


def merge_versions(
    name: str, known: Sequence[Mapping[str, str]], versions: Mapping[str, str], is_accepted: bool
) -> tuple[Mapping[str, str], ...]:
    """Add versions to those that a run was made with; others than these have to be accepted."""
    if versions in known:
        return tuple(known)
    if not is_accepted:
        changed = [
            f"{package} {known[-1].get(package, 'not there')} -> {versions.get(package, 'not there')}"
            for package in sorted({*known[-1], *versions})
            if known[-1].get(package) != versions.get(package)
        ]
        raise ChangedRunError(
            f"run {name!r} was made with other versions: {', '.join(changed)}. Its scores may differ for that reason alone. "
            "Go back to those versions, ",
            *_OTHER_RUN,
            ", or pass ",
            Setting("accept_versions", "True"),
            " to go on: every cell then says which versions it was measured with.",
        )
    return *known, versions


def _new(what: str, stored: Sequence[Each], given: Sequence[Each], run: str) -> list[Each]:
    """Models or metrics that the stored run lacks; one that it has must not have changed."""
    known = {each.name: each for each in stored}
    if changed := [each for each in given if each.name in known and each != known[each.name]]:
        then, now = (getattr(each, "text", "") for each in (known[changed[0].name], changed[0]))
        texts = f" ({shorten(then, 80)} then, {shorten(now, 80)} now)" if then != now else ""
        raise ChangedRunError(
            f"run {run!r}: the {what} {changed[0].name!r}{_more(changed)} changed: {_HOW[what]}{texts}. Give it another name, "
            "put the old one back, or ",
            *_OTHER_RUN,
            ".",
        )
    return [each for each in given if each.name not in known]


def _more(changed: Sequence[object]) -> str:
    return f" and {len(changed) - 1} more" if len(changed) > 1 else ""


def _merged_dataset(run: str, stored: DatasetRecord, given: DatasetRecord) -> DatasetRecord:
    where = f"run {run!r}: the data of dataset {stored.name!r} changed" if stored.name else f"run {run!r}: the data changed"
    if stored.fingerprint != given.fingerprint:
        raise ChangedRunError(
            f"{where} since the run was begun. Bring the old data back, give the new data another dataset name, or ",
            *_OTHER_RUN,
            ".",
        )
    known = split_keys(stored)
    keys = split_keys(given)
    changed = [i for key, i in keys.items() if key in known and stored.split_hashes[known[key]] != given.split_hashes[i]]
    if changed:
        of = f" of dataset {stored.name!r}" if stored.name else ""
        raise ChangedRunError(
            f"run {run!r}: the splits{of} changed: {given.split_name(changed[0])}{_more(changed)} had other training or test "
            "examples. Use the same cv, with the same random_state, or ",
            *_OTHER_RUN,
            ".",
        )
    new = [i for key, i in keys.items() if key not in known]
    covers = len(keys) - len(new) == len(known)  # then it is the given one that says how all splits were made
    return dataclasses.replace(
        stored,
        kind=given.kind if covers else stored.kind,
        ordered=given.ordered if covers else stored.ordered,
        repeat=np.concatenate([stored.repeat, given.repeat[new]]),
        fold=np.concatenate([stored.fold, given.fold[new]]),
        n_train=np.concatenate([stored.n_train, given.n_train[new]]),
        n_test=np.concatenate([stored.n_test, given.n_test[new]]),
        split_hashes=(*stored.split_hashes, *(given.split_hashes[i] for i in new)),
        test_rows=(*stored.test_rows, *(given.test_rows[i] for i in new)),
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
