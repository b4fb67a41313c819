"""A plan as it is remembered: names, hashes and sizes, without the models and the data themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
from msgspec import Meta

from tiebreak.numerics import IntArray
from tiebreak.plan.splits import Splits
from tiebreak.scores.metric import Metric


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A model by its name, a hash of its class and parameters, and how it is written."""

    name: str
    fingerprint: str
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """A metric and a hash of how it is computed."""

    metric: Metric
    fingerprint: str

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DatasetRecord(Splits):
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
    split_hashes : tuple of str
        Of the training and test rows of each split.
    test_rows : sequence of ndarray
        Row numbers of each split's test examples, in the order in which they are predicted.
    """

    name: str
    fingerprint: str
    n_samples: int
    n_features: int
    classes: tuple[str | bool | int | float, ...] | None
    target: np.ndarray[Any, Any] | None
    split_hashes: tuple[str, ...]
    test_rows: Sequence[IntArray]


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
    threads: Annotated[int, Meta(ge=1, lt=2**20)] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_cells(self) -> int:
        """Number of cells: models times the splits of all datasets."""
        return len(self.models) * sum(dataset.n_splits for dataset in self.datasets)


State = Literal["done", "raised", "timed-out", "out-of-memory", "killed"]
STATES: tuple[State, ...] = get_args(State)

Outputs = Mapping[str, np.ndarray[Any, Any]]
"""What a model said of the test rows, by the method that said it: "predict", "predict_proba", "decision_function"."""


class Cell(NamedTuple):
    """One model on one split of one dataset, by their positions in the plan."""

    dataset: int
    split: int
    model: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """One cell, measured or failed.

    Attributes
    ----------
    cell : Cell
    state : {"done", "raised", "timed-out", "out-of-memory", "killed"}
    scores : mapping of str to float
        By name of the metric, in the metric's own unit and direction; nan where it is undefined. Empty for a failed cell.
    undefined : mapping of str to str
        Why a score is nan, by name of the metric.
    train_scores : mapping of str to float
        The same on the training rows, where they were asked for.
    fit_seconds, predict_seconds : float
        By a monotonic clock; nan where it did not come to that. Of leading steps that were shared the time counts in full, as the
        model would take it alone.
    seed : int or None
        What the random state of the model was derived from.
    warnings : tuple of str
        "ConvergenceWarning: ...", each text once.
    message, traceback : str
        Of a failure, "ValueError: ..." in one line, and where it came from.
    attempts : int
        How many times the cell was tried.
    outputs : mapping of str to ndarray
        What the model said of the test rows, in their order; empty where it was not kept.
    chosen : str
        Parameters that a search chose on the training rows; "" for other models.
    best_score : mapping of str to float
        Its own best mean on inner splits, by name of its metric, in the metric's own unit.
    is_shared : bool
        Whether another model's cell had fitted some leading step. No store keeps it, and two outcomes that differ in it alone are
        equal.
    """

    cell: Cell
    state: State = "done"
    scores: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    train_scores: Mapping[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    seed: int | None = None
    warnings: tuple[str, ...] = ()
    message: str = ""
    traceback: str = ""
    attempts: int = 1
    outputs: Outputs = field(default_factory=dict)
    chosen: str = ""
    best_score: Mapping[str, float] = field(default_factory=dict)
    is_shared: bool = field(default=False, compare=False)

    @property
    def is_done(self) -> bool:
        """True once the cell has been measured."""
        return self.state == "done"
