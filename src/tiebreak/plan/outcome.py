"""What became of a cell: the scores of one model on one split, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    import numpy as np

State = Literal["done", "raised", "timed-out", "out-of-memory", "killed"]
STATES: tuple[State, ...] = get_args(State)

Outputs = Mapping[str, "np.ndarray[Any, Any]"]
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
        By a monotonic clock; nan where it did not come to that.
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

    @property
    def is_done(self) -> bool:
        """Whether the cell has been measured."""
        return self.state == "done"
