"""A plan and the stored run that it is part of: what it adds, what must not have changed, and which position is which."""

import dataclasses
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TypeAlias, TypeVar

import numpy as np

from tiebreak.errors import Advice, ChangedRunError, InvalidParameterError, Setting
from tiebreak.plan.record import Cell, DatasetRecord, MetricRecord, ModelRecord, RunRecord

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
