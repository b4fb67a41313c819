"""Searches over pipelines with equal leading steps: `tb.evaluate` against `GridSearchCV`, with and without `Pipeline(memory=)`.

All give the same scores, which is checked to the last bit. Everything is run in turn, in one process, on one core; the goals are
ratios of processor time, the median of the rounds, as other work on a machine leaves that alone. Wall time is printed beside it.
The cache of `Pipeline(memory=)` lies in shared memory where there is some, and is new for each search.

`memory` is about tables ten times as large as the data: the peak of a process that shares them beside that of one that does not.
Run it as a whole, or with `speed` or `memory`.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # one core for everybody; OpenMP reads this when it is loaded
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from goals import Goal, peak_memory, report
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

import tiebreak as tb

ROUNDS = 7
SHARED_MEMORY = Path("/dev/shm")
CV = StratifiedKFold(5, shuffle=True, random_state=0)
EIGHT = np.logspace(-3, 1, 8).tolist()

Case = tuple[Pipeline, dict[str, list[Any]], Any, np.ndarray]


def text() -> Case:
    """TF-IDF of 1,200 texts of 150 words, then a linear model by eight strengths of its penalty."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(4000)])
    y = np.arange(1200) % 2
    texts = [" ".join(rng.choice(words[: 2500 + 500 * each], size=150)) for each in y]
    model = make_pipeline(TfidfVectorizer(), SGDClassifier(random_state=0))
    return model, {"sgdclassifier__alpha": [1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3]}, texts, y


def mixed() -> Case:
    """Columns of both kinds, 6,000 x 20 with gaps, then logistic regression."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(6000, 10)), columns=[f"number{i}" for i in range(10)])
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    for column in range(10):
        frame[f"word{column}"] = rng.choice([f"value{i}" for i in range(8)], size=6000)
    y = (frame["number0"].fillna(0) + (frame["word0"] == "value1") + rng.normal(size=6000) > 0).to_numpy().astype(int)
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include=np.number)),
            ("words", OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=np.number)),
        ]
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000)), {"logisticregression__C": EIGHT}, frame, y


def kernel() -> Case:
    """Scaler, PCA and SVC by three values of two parameters, on 569 x 30."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), PCA(random_state=0), SVC(random_state=0))
    return model, {"svc__C": [0.3, 1.0, 3.0], "svc__gamma": [0.01, 0.03, 0.1]}, X, y


def linear() -> Case:
    """Scaler and logistic regression, on 569 x 30."""
    X, y = load_breast_cancer(return_X_y=True)
    return make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": EIGHT}, X, y


CASES: dict[str, tuple[Callable[[], Case], float]] = {
    "TF-IDF + linear model, 8": (text, 4.5),
    "column transformer + logistic regression, 8": (mixed, 3.3),
    "scaler + PCA + SVC, 9": (kernel, 1.25),
    "scaler + logistic regression, 8": (linear, 1.5),
}


def searched(model: Pipeline, grid: dict[str, list[Any]], X: Any, y: Any) -> np.ndarray:
    """Scores of scikit-learn's search, candidates by splits."""
    found = GridSearchCV(model, grid, cv=CV, refit=False, scoring="accuracy").fit(X, y).cv_results_
    return np.array([found[f"split{split}_test_score"] for split in range(5)]).T


def cached(model: Pipeline, grid: dict[str, list[Any]], X: Any, y: Any) -> np.ndarray:
    """Scores of the same search with a cache."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.exists() else None) as folder:
        return searched(Pipeline(model.steps, memory=folder), grid, X, y)


def evaluated(models: dict[str, Any], X: Any, y: Any, *, share_steps: bool = True) -> np.ndarray:
    """Scores of ours, candidates in the order of the search."""
    scores = tb.evaluate(models, X, y, cv=CV, scoring="accuracy", share_steps=share_steps).scores().matrix()
    assert list(scores.models) == list(models)
    return np.asarray(scores.score)


def measure(name: str, make: Callable[[], Case], at_least: float) -> list[Goal]:
    """Run all ways in turn, after one round that does not count."""
    case = model, grid, X, y = make()
    models = tb.grid(model, grid)
    runs: dict[str, Callable[[], np.ndarray]] = {
        "GridSearchCV": lambda: searched(*case),
        "memory=": lambda: cached(*case),
        "not shared": lambda: evaluated(models, X, y, share_steps=False),
        "shared": lambda: evaluated(models, X, y),
    }
    wall: dict[str, list[float]] = {each: [] for each in runs}
    processor: dict[str, list[float]] = {each: [] for each in runs}
    differing = 0
    for number in range(ROUNDS + 1):
        found = {}
        for each, run in runs.items():
            began, used = time.perf_counter(), time.process_time()
            found[each] = run()
            if number:
                wall[each].append(time.perf_counter() - began)
                processor[each].append(time.process_time() - used)
        differing += sum(not np.array_equal(found["GridSearchCV"], each) for each in found.values())
    print(f"  {name}", flush=True)
    for each in runs:
        ratios = [ratio(seconds, each) for seconds in (processor, wall)]
        print(f"    {each:<13} {statistics.median(wall[each]):7.3f} s, GridSearchCV / it: {ratios[0]:.2f} (wall {ratios[1]:.2f})")
    return [
        Goal(f"{name}: searches with another score", differing, "at most", 0),
        Goal(f"{name}: times as fast as GridSearchCV", ratio(processor, "shared"), "at least", at_least),
    ]


def ratio(seconds: dict[str, list[float]], which: str) -> float:
    """Median over rounds of how many times as long the search of scikit-learn takes."""
    return statistics.median(a / b for a, b in zip(seconds["GridSearchCV"], seconds[which], strict=True))


def speed() -> list[Goal]:
    """All cases against scikit-learn."""
    warnings.simplefilter("ignore")
    return [goal for name, (make, at_least) in CASES.items() for goal in measure(name, make, at_least)]


def widened(n_rows: int, *, share_steps: bool) -> tuple[int, float]:
    """Fits that were shared, and the peak in MB, of four models behind a step that makes 231 columns of 20."""
    X = np.random.default_rng(0).normal(size=(n_rows, 20))
    model = make_pipeline(PolynomialFeatures(2), GaussianNB())
    models = tb.grid(model, {"gaussiannb__var_smoothing": [1e-9, 1e-7, 1e-5, 1e-3]})
    evaluation = tb.evaluate(models, X, (X[:, 0] > 0).astype(int), cv=2, scoring="accuracy", share_steps=share_steps)
    return evaluation.n_shared, peak_memory()


def memory() -> list[Goal]:
    """Each way in a process of its own, as a peak never goes down."""
    goals = []
    for n_rows in (1_000, 10_000, 100_000):
        peaks = {}
        for share_steps in (False, True):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                n_shared, peaks[share_steps] = pool.submit(widened, n_rows, share_steps=share_steps).result()
        print(
            f"  {n_rows:,} x 20, made 231 columns: {peaks[False]:.0f} MB, {n_shared} of 8 shared {peaks[True]:.0f} MB", flush=True
        )
        goals.append(
            Goal(f"{n_rows:,} rows: peak as a share of that of separate fits", peaks[True] / peaks[False], "at most", 1.3)
        )
    return goals


PARTS = {"speed": speed, "memory": memory}


def main() -> int:
    """Run the parts that are named, or all."""
    return report([goal for name in sys.argv[1:] or PARTS for goal in PARTS[name]()])


if __name__ == "__main__":
    sys.exit(main())
