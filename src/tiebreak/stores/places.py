"""Where the cells of a plan stand in the stored run, which may have more models, splits and metrics in another order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.numerics import IntArray
from tiebreak.plan.record import Cell, Outcome, Outputs, RunRecord
from tiebreak.scores.scores import look_up
from tiebreak.stores.contract import check_outcome
from tiebreak.stores.merging import split_keys

ABSENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """A plan seen in the stored run that holds it.

    Attributes
    ----------
    record : RunRecord
        The plan.
    datasets, models, metrics : ndarray
        The stored position of each.
    splits : tuple of ndarray
        For each dataset of the plan, the stored position of each split.
    metric_place : mapping of str to int
        The stored position of every metric of the run, those that the plan lacks included.
    """

    record: RunRecord
    datasets: IntArray
    models: IntArray
    metrics: IntArray
    splits: tuple[IntArray, ...]
    metric_place: Mapping[str, int]

    def stored(self, cell: Cell) -> Cell:
        """The cell by its stored positions."""
        dataset, split, model = cell
        return Cell(self.datasets.item(dataset), self.splits[dataset].item(split), self.models.item(model))

    def stored_positions(self, positions: IntArray) -> IntArray:
        """The same of many cells, in rows of dataset, split and model."""
        stored = np.empty_like(positions)
        stored[:, 0] = self.datasets[positions[:, 0]]
        stored[:, 2] = self.models[positions[:, 2]]
        for i, places in enumerate(self.splits):
            rows = positions[:, 0] == i
            stored[rows, 1] = places[positions[rows, 1]]
        return stored

    def planned(self, dataset: IntArray, split: IntArray, model: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Positions in the plan of cells given by their stored ones; `ABSENT` in the first where the plan lacks the cell."""
        own_dataset = _look_up(self.datasets, dataset)
        own_model = _look_up(self.models, model)
        own_split = np.full(split.shape, ABSENT)
        for i, stored in enumerate(self.splits):
            rows = own_dataset == i
            own_split[rows] = _look_up(stored, split[rows])
        absent = (own_split == ABSENT) | (own_model == ABSENT)
        return np.where(absent, ABSENT, own_dataset), own_split, own_model

    @property
    def keep_order(self) -> bool:
        """Whether the cells of the plan stand in the same order in the stored run."""
        return all(bool(np.all(np.diff(places) > 0)) for places in (self.datasets, self.models, *self.splits))

    def check(self, outcome: Outcome) -> None:
        """An outcome of a cell or a metric that the run does not have could not be kept."""
        check_outcome(self.record, outcome)
        for scores in (outcome.scores, outcome.undefined, outcome.train_scores):
            for name in scores:
                if name not in self.metric_place:
                    look_up(name, list(self.metric_place), "metric")

    def own_part(self, outcome: Outcome, cell: Cell, outputs: Outputs) -> Outcome:
        """A stored outcome as the plan sees it: under its own cell, with its own metrics in its own order."""
        names = [metric.name for metric in self.record.metrics]
        return dataclasses.replace(
            outcome,
            cell=cell,
            scores=_part(outcome.scores, names),
            undefined=_part(outcome.undefined, names),
            train_scores=_part(outcome.train_scores, names),
            outputs=outputs,
        )


def find_places(record: RunRecord, stored: RunRecord) -> Places:
    """Where a plan stands in a stored run that has all of it, as one from `merge_records` has."""
    dataset_place = {dataset.name: i for i, dataset in enumerate(stored.datasets)}
    model_place = {model.name: i for i, model in enumerate(stored.models)}
    metric_place = {metric.name: i for i, metric in enumerate(stored.metrics)}
    splits = []
    for dataset in record.datasets:
        known = split_keys(stored.datasets[dataset_place[dataset.name]])
        splits.append(_integers([known[key] for key in split_keys(dataset)]))
    return Places(
        record,
        datasets=_integers([dataset_place[dataset.name] for dataset in record.datasets]),
        models=_integers([model_place[model.name] for model in record.models]),
        metrics=_integers([metric_place[metric.name] for metric in record.metrics]),
        splits=tuple(splits),
        metric_place=metric_place,
    )


def _part(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values} if values else {}


def _integers(positions: Sequence[int]) -> IntArray:
    return np.array(positions, dtype=np.int64)


def _look_up(places: IntArray, positions: IntArray) -> IntArray:
    """Positions in the plan of stored ones; `ABSENT` for those that the run has for other plans only."""
    inverse = np.full(max(int(places.max(initial=ABSENT)), int(positions.max(initial=ABSENT))) + 1, ABSENT)
    inverse[places] = np.arange(places.size)
    own: IntArray = inverse[positions]
    return own
