"""One run in words and for programs, finished or not."""

import html
import json
import warnings
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.views import evaluation as views
from tiebreak.views.report.document import fragment

N_SPLITS = 4


def majority(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """A model by hand."""
    return np.full(len(X_test), np.bincount(y_train).argmax())


def at_random(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """Another."""
    return rng.integers(2, size=len(X_test))


def fails(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """One that cannot."""
    raise ValueError("no")


def warns(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
    """One that does, after a fashion."""
    warnings.warn("it did not converge", stacklevel=1)
    return np.zeros(len(X_test), dtype=int)


def measured(**models: Any) -> tb.Evaluation:
    """Models on four folds of twenty examples, twelve of which are of class 0."""
    y = np.array([0, 0, 0, 1, 1] * 4)
    return tb.evaluate(models, np.arange(20).reshape(-1, 1), y, cv=N_SPLITS)


def test_the_text_has_all_the_parts() -> None:
    """Head, means, failures; the overview leaves out what the comparison shows better."""
    evaluation = measured(majority=majority, random=at_random, broken=fails)
    text = views.run_page(evaluation).as_text()
    head = "Run 'run': 3 models x 4 splits, 8 of 12 cells measured, 4 failed."
    failures = "Failures\n  - 4 cells of 'broken' failed: ValueError: no (first on repeat 0 fold 0)\n"
    assert text.startswith(f"{head}\n\nMeans over splits (stratified, 15 training and 5 test examples each)\n")
    assert text.endswith(failures)
    assert views.run_page(evaluation, has_means=False).as_text() == f"{head}\n\n{failures}"
    assert "<p>Failures</p>" in fragment(views.run_page(evaluation).parts)  # nobody opens what is folded away


def test_what_went_wrong_stands_once_on_the_overview_and_in_the_report() -> None:
    """Failures, and the warnings of fits that went on, each with its number of cells."""
    evaluation = measured(majority=majority, warns=warns, broken=fails)
    texts = ("4 cells of 'broken' failed: ValueError: no", "4 cells of 'warns': UserWarning: it did not converge")
    for page in (str(evaluation), evaluation.to_html()):
        assert [html.unescape(page).count(text) for text in texts] == [1, 1]


def test_the_document_is_plain_json() -> None:
    """Means as the grid has them; what has no mean is null."""
    document = json.loads(measured(majority=majority, broken=fails).to_json())
    assert document["means"] == [
        {"dataset": "", "model": "majority", "metric": "accuracy", "mean": pytest.approx(0.6), "n_splits": N_SPLITS},
        {"dataset": "", "model": "broken", "metric": "accuracy", "mean": None, "n_splits": 0},
    ]
    assert document["failures"][0]["n_cells"] == N_SPLITS
