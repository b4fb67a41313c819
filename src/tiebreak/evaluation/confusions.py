"""Confusion matrices of the models of an evaluation: of each fold, and of all folds together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.evaluation.class_curves import labelled
from tiebreak.evaluation.predictions import Fold, Kept
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.numerics import IntArray
from tiebreak.result import Result
from tiebreak.scores.vocabulary import look_up

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation

OTHER = "(another label)"
"""Stands for what a model predicted that is no label of the data."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusions(Result):
    """A confusion matrix for each model and split.

    ``confusions[model]`` is the matrix of all splits together: each example counts once for each repeat, as often as it was
    predicted. Print for an overview of all models.

    Attributes
    ----------
    models : tuple of str
    dataset : str
    repeat, fold : mapping of str to ndarray
        Of each model's measured splits.
    matrices : mapping of str to tuple of ConfusionMatrix
        Of each model's measured splits, in the same order.
    n_splits : int
        Planned.
    """

    models: tuple[str, ...]
    dataset: str
    repeat: Mapping[str, IntArray]
    fold: Mapping[str, IntArray]
    matrices: Mapping[str, tuple[ConfusionMatrix, ...]]
    n_splits: int

    def __getitem__(self, model: str) -> ConfusionMatrix:
        """All measured splits of a model together."""
        return reduce(add, self.matrices[self.models[look_up(model, self.models, "model")]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)


def confusions_of(evaluation: Evaluation, models: str | Sequence[str] | None = None, dataset: str | None = None) -> Confusions:
    """The matrices of an evaluation; `Evaluation.confusion` describes the parameters."""
    kept = labelled(evaluation, dataset)
    record, names = kept.record, evaluation.models
    found = {names[model]: list(kept.folds(model, ("predict",), 'scoring="accuracy"')) for model in kept.models(models)}
    splits = {name: [split for fold in folds for split in fold.splits] for name, folds in found.items()}
    return Confusions(
        tuple(found),
        record.name,
        {name: record.repeat[chosen] for name, chosen in splits.items()},
        {name: record.fold[chosen] for name, chosen in splits.items()},
        {name: _matrices(kept, folds) for name, folds in found.items()},
        record.n_splits,
    )


def _matrices(kept: Kept, folds: Sequence[Fold]) -> tuple[ConfusionMatrix, ...]:
    """A matrix for each fold; all have a column for labels that are none, if any has."""
    labels = tuple(kept.truth.known_labels.classes.tolist())
    n = len(labels) + 1
    counts = np.zeros((len(folds), n, n), dtype=np.int64)
    for count, fold in zip(counts, folds, strict=True):
        code, _ = kept.truth.known_labels.find(fold.outputs["predict"])
        np.add.at(count, (kept.truth.known_code[fold.rows], code), 1)  # -1 is the last one
    if counts[..., -1].any():
        return tuple(ConfusionMatrix((*labels, OTHER), count) for count in counts)
    return tuple(ConfusionMatrix(labels, count[:-1, :-1]) for count in counts)
