"""Confusion matrices of the models of an evaluation: of each fold, and of all folds together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import UnknownNameError
from tiebreak.evaluation.predictions import Kept
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.metrics.targets import Truth
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
        return reduce(add, self.matrices[self._name(model)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def of_split(self, model: str, *, repeat: int = 0, fold: int = 0) -> ConfusionMatrix:
        """The matrix of one split.

        Raises
        ------
        UnknownNameError
            There is no such model or split, or the model failed on it.
        """
        name = self._name(model)
        here = np.flatnonzero((self.repeat[name] == repeat) & (self.fold[name] == fold))
        if not here.size:
            raise UnknownNameError(f"model {name!r} was not measured on repeat {repeat} fold {fold}.")
        return self.matrices[name][int(here[0])]

    def _name(self, model: str) -> str:
        return self.models[look_up(model, self.models, "model")]


def confusions_of(evaluation: Evaluation, models: str | Sequence[str] | None = None, dataset: str | None = None) -> Confusions:
    """The matrices of an evaluation; `Evaluation.confusion` describes the parameters."""
    kept = Kept(evaluation, models, dataset)
    splits: dict[str, Any] = {}
    matrices: dict[str, tuple[ConfusionMatrix, ...]] = {}
    for model in kept.models:
        folds = list(kept.folds(model, ("predict",), 'scoring="accuracy"'))
        splits[kept.name(model)] = np.array([fold.split for fold in folds], dtype=np.intp)
        matrices[kept.name(model)] = _same_labels(
            [_matrix(kept.truth.take(fold.rows), fold.outputs["predict"]) for fold in folds]
        )
    return Confusions(
        tuple(matrices),
        kept.record.name,
        {name: kept.record.repeat[chosen] for name, chosen in splits.items()},
        {name: kept.record.fold[chosen] for name, chosen in splits.items()},
        matrices,
        kept.record.n_splits,
    )


def _matrix(truth: Truth, predicted: np.ndarray[Any, Any]) -> ConfusionMatrix:
    labels = tuple(truth.known_labels.classes.tolist())
    code, _ = truth.known_labels.find(predicted)
    n = len(labels) + 1  # the last one for labels that are none
    counts = np.bincount(truth.known_code * n + np.where(code < 0, n - 1, code), minlength=n * n)[: n * n].reshape(n, n)
    if counts[:, -1].any():
        return ConfusionMatrix((*labels, OTHER), counts)
    return ConfusionMatrix(labels, counts[:-1, :-1])


def _same_labels(matrices: list[ConfusionMatrix]) -> tuple[ConfusionMatrix, ...]:
    """Matrices that can be added, where only some have a column for what is no label."""
    longest = max((matrix.labels for matrix in matrices), key=len)
    return tuple(
        matrix
        if matrix.labels == longest
        else ConfusionMatrix(longest, np.pad(matrix.counts, (0, len(longest) - len(matrix.labels))))
        for matrix in matrices
    )
