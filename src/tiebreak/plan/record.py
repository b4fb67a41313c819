"""A plan as it is remembered: names, hashes and sizes, without the models and the data themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.numerics import IntArray
    from tiebreak.scores.metric import Metric
    from tiebreak.scores.scores import Kind


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A model by its name, a hash of its class and parameters, and how it is written."""

    name: str
    fingerprint: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """A metric and a hash of how it is computed."""

    metric: Metric
    fingerprint: str

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name


@dataclass(frozen=True, slots=True, eq=False)
class DatasetRecord:
    """A dataset by its name and a hash of its content, with the splits made of it.

    Attributes
    ----------
    name : str
        "" where there is only one and it was not named.
    fingerprint : str
        Hash of X, y, groups and sample weights.
    n_samples, n_features : int
    classes : tuple or None
        Labels (str, int, float or bool) in sorted order for classification, None for regression.
    target : ndarray of shape (n_samples,) or None
        Positions in `classes`, or the values of a regression; None where the task has another form of target.
    kind : str
        As of `SplitDesign`.
    ordered : bool
        Training data always come before test data.
    repeat, fold, n_train, n_test : ndarray of shape (n_splits,)
    split_hashes : tuple of str
        Of the training and test rows of each split.
    test_rows : sequence of ndarray
        Row numbers of each split's test examples, in the order in which they are predicted.
    """

    name: str
    fingerprint: str
    n_samples: int
    n_features: int
    classes: tuple[Any, ...] | None
    target: np.ndarray[Any, Any] | None
    kind: Kind
    ordered: bool
    repeat: IntArray
    fold: IntArray
    n_train: IntArray
    n_test: IntArray
    split_hashes: tuple[str, ...]
    test_rows: Sequence[IntArray]

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.repeat.size)

    def split_name(self, split: int) -> str:
        """The split at a position, as people are told of it: "repeat 0 fold 3"."""
        return f"repeat {self.repeat[split]} fold {self.fold[split]}"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything that identifies a run.

    Attributes
    ----------
    name : str
        Of the run, unique in its store.
    models : tuple of ModelRecord
    datasets : tuple of DatasetRecord
    metrics : tuple of MetricRecord
    rng : int or None
        What all seeds are derived from; None for a run that cannot be reproduced.
    threads : int or None
        Threads that each fit may use; None where the libraries' own default was left alone.
    versions : mapping of str to str
        Python and the packages that the models come from.
    settings : mapping of str to JSON-like values
        What else is worth knowing, such as the rope of a study and the path of its file; not part of the identity.
    """

    name: str
    models: tuple[ModelRecord, ...]
    datasets: tuple[DatasetRecord, ...]
    metrics: tuple[MetricRecord, ...]
    rng: int | None = 0
    threads: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_cells(self) -> int:
        """Number of cells: models times the splits of all datasets."""
        return len(self.models) * sum(dataset.n_splits for dataset in self.datasets)
