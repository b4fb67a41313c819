"""Makes the store that later commits have to open, go on with and export to the same bytes.

``python -m tests.stores.saved.evaluated`` writes ``evaluated.db``, by public functions alone, and beside it what
`tiebreak export` writes of each of its runs, as ``evaluated.json``. Both were made by commit 9c9f852, before the rooms were
regrouped and SQLAlchemy went, and stay as they are.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tiebreak as tb

STORE = Path(__file__).with_name("evaluated.db")
EXPORTED = STORE.with_suffix(".json")


class Fussy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Warns of every training set, and fails on those that hold the first row."""

    def fit(self, X: Any, y: Any) -> Self:
        warnings.warn("these data are not to my taste", UserWarning, stacklevel=2)
        if X[:, 0].min() == 0:
            raise ValueError("not the first row")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def data(n_samples: int) -> tuple[Any, Any]:
    """Two classes that overlap."""
    rows = np.arange(n_samples)
    return np.column_stack([rows, rows * rows % 17, rows % 5]).astype(float), np.where(rows * 7 % 11 < 5, "no", "yes")


def evaluate(url: str, **models: Any) -> tb.Evaluation:
    """Measure models, three of them unless others are given, on two datasets; four of the 18 cells fail."""
    chosen = models or {"bayes": GaussianNB(), "=neighbours()": KNeighborsClassifier(3), "fussy": Fussy()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tb.evaluate(
            chosen,
            datasets={"short": data(24), "long": data(40)},
            cv={"kind": "stratified", "n_folds": 3},
            scoring=["accuracy", "f1_macro"],
            train_scores=True,
            store=url,
            name="evaluated",
            accept_versions=True,
        )


def nested(url: str) -> tb.NestedEvaluation:
    """Choose among neighbours in an inner cross-validation."""
    models = {"neighbours": tb.grid(KNeighborsClassifier(), {"n_neighbors": [1, 3]}), "bayes": GaussianNB()}
    X, y = data(40)
    folds = {"kind": "stratified", "n_folds": 3}
    return tb.nested_cross_validate(models, X, y, outer=folds, inner=folds, store=url, name="nested", accept_versions=True)


def exported(url: str) -> dict[str, dict[str, str]]:
    """Text of each file that can be exported, by run and kind."""
    store = tb.SqlStore(url)
    names = sorted(run.name for run in store.runs())
    store.close()
    return {name: {what: _export(url, name, what) for what in ("scores", "predictions")} for name in names}


def _export(url: str, name: str, what: str) -> str:
    command = [sys.executable, "-m", "tiebreak", "export", name, "--store", url, f"--{what}", "-"]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else done.stderr


if __name__ == "__main__":
    if STORE.exists():
        sys.exit(f"{STORE.name} is there; it is what an earlier commit wrote, and stays.")
    url = f"sqlite:///{STORE}"
    from tests.stores.saved import evaluated  # not __main__, as the name of the module of a class is part of its fingerprint

    evaluated.evaluate(url)
    evaluated.nested(url)
    EXPORTED.write_text(json.dumps(exported(url), indent=1) + "\n", encoding="ascii", newline="\n")
    print(STORE.name, STORE.stat().st_size, "bytes;", EXPORTED.name, EXPORTED.stat().st_size, "bytes")
