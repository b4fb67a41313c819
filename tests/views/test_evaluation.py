"""One run in words and for programs, finished or not."""

import json
from typing import Any

import numpy as np
import pytest

import tiebreak as tb

N_SPLITS = 4


def majority(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model by hand."""
    return np.full(len(X_test), np.bincount(y_train).argmax())


def fails(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """One that cannot."""
    raise ValueError("no")


def measured(**models: Any) -> tb.Evaluation:
    """Models on four folds of twenty examples, twelve of which are of class 0."""
    y = np.array([0, 0, 0, 1, 1] * 4)
    return tb.evaluate(models, np.arange(20).reshape(-1, 1), y, cv=N_SPLITS)


def test_the_document_is_plain_json() -> None:
    """Means as the grid has them; what has no mean is null."""
    document = json.loads(measured(majority=majority, broken=fails).to_json())
    assert document["means"] == [
        {"dataset": "", "model": "majority", "metric": "accuracy", "mean": pytest.approx(0.6), "n_splits": N_SPLITS},
        {"dataset": "", "model": "broken", "metric": "accuracy", "mean": None, "n_splits": 0},
    ]
    assert document["failures"][0]["n_cells"] == N_SPLITS
