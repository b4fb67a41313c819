"""Measuring models: speed against scikit-learn's own search and cross-validation, which give the same scores.

Everything is timed in turn, in one process, on one core (but for the parts on workers and threads), and given as the median of
the rounds' ratios. Run it as a whole, or with the names of parts: gallery small metrics large busy workers.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

if "busy" not in sys.argv:  # one core for everybody; OpenMP reads this when it is loaded
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

import numpy as np
from goals import Goal, report
from sklearn.datasets import make_classification, make_moons
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

ROUNDS = 9
MOONS = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
MORE = ["roc_auc", "accuracy", "neg_log_loss", "f1"]


def timed(run: Callable[[], object]) -> tuple[float, object]:
    """Seconds of one call, and what it gave."""
    start = time.perf_counter()
    answer = run()
    return time.perf_counter() - start, answer


def interleaved(runs: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Seconds of each, in turn, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            elapsed, _ = timed(run)
            if number:
                seconds[name].append(elapsed)
    return seconds


def ratio(seconds: dict[str, list[float]], slow: str, fast: str) -> float:
    """Median over rounds of how many times one is faster than the other."""
    return statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast], strict=True))


def gallery_data() -> tuple[np.ndarray, np.ndarray, object]:
    """100 examples, and 10 x 10 folds of them."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    return X, y, RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)


def blobs(n: int, folds: int) -> tuple[np.ndarray, np.ndarray, object]:
    """Examples with 20 features, and folds of them."""
    X, y = make_classification(n_samples=n, n_features=20, n_informative=5, flip_y=0.1, random_state=0)
    return X, y, StratifiedKFold(folds, shuffle=True, random_state=0)


def gallery() -> list[Goal]:
    """The grid of scikit-learn's example: 4 candidates, 10 x 10 folds of 100 examples, ROC AUC."""
    X, y, cv = gallery_data()
    models = tb.grid(SVC(random_state=0), MOONS)
    search = GridSearchCV(SVC(random_state=0), MOONS, scoring="roc_auc", cv=cv)
    folder = tempfile.TemporaryDirectory()
    count = iter(range(1000))

    def stored() -> tb.Evaluation:
        return tb.evaluate(models, X, y, cv=cv, scoring="roc_auc", store=f"sqlite:///{folder.name}/{next(count)}.db")

    theirs = search.fit(X, y).cv_results_
    ours = tb.evaluate(models, X, y, cv=cv, scoring="roc_auc").scores().matrix().score
    reference = np.array([[theirs[f"split{s}_test_score"][m] for s in range(100)] for m in range(4)])
    seconds = interleaved(
        {
            "GridSearchCV": lambda: search.fit(X, y),
            "memory": lambda: tb.evaluate(models, X, y, cv=cv, scoring="roc_auc"),
            "SQLite": stored,
        }
    )
    folder.cleanup()
    print(f"  GridSearchCV {statistics.median(seconds['GridSearchCV']):.2f} s")
    return [
        Goal("gallery: largest difference of a score", float(np.abs(ours - reference).max()), "at most", 1e-12),
        Goal("gallery: faster than GridSearchCV, memory store", ratio(seconds, "GridSearchCV", "memory"), "at least", 3.0),
        Goal("gallery: faster than GridSearchCV, SQLite store", ratio(seconds, "GridSearchCV", "SQLite"), "at least", 2.4),
    ]


def against_cross_validate(model: object, X: np.ndarray, y: np.ndarray, cv: object, rounds: int = ROUNDS) -> float:
    """How many times faster than cross_validate; the scores must agree."""
    theirs = cross_validate(model, X, y, cv=cv, scoring="roc_auc")["test_score"]
    ours = tb.evaluate({"m": model}, X, y, cv=cv, scoring="roc_auc").scores().matrix().score[0]
    assert np.abs(theirs - ours).max() <= 1e-12, np.abs(theirs - ours).max()
    seconds = interleaved(
        {
            "sklearn": lambda: cross_validate(model, X, y, cv=cv, scoring="roc_auc"),
            "tiebreak": lambda: tb.evaluate({"m": model}, X, y, cv=cv, scoring="roc_auc"),
        },
        rounds,
    )
    return ratio(seconds, "sklearn", "tiebreak")


def small() -> list[Goal]:
    """Learners whose fit takes less than what is around it, seeded for both sides alike: examples and folds of the gallery."""
    models = {
        "scaler + LogisticRegression": (make_pipeline(StandardScaler(), LogisticRegression(random_state=0)), 1.8),
        "GaussianNB": (GaussianNB(), 2.5),
        "decision tree": (DecisionTreeClassifier(random_state=0), 2.5),
    }
    return [
        Goal(f"{name}, n=100: faster than cross_validate", against_cross_validate(model, *gallery_data()), "at least", goal)
        for name, (model, goal) in models.items()
    ]


def metrics() -> list[Goal]:
    """What three more metrics cost beside ROC AUC."""
    X, y, cv = gallery_data()
    goals = []
    for name, model in {
        "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(random_state=0)),
        "GaussianNB": GaussianNB(),
    }.items():
        seconds = interleaved(
            {
                "one": lambda model=model: tb.evaluate({"m": model}, X, y, cv=cv, scoring=MORE[:1]),
                "four": lambda model=model: tb.evaluate({"m": model}, X, y, cv=cv, scoring=MORE),
                "sklearn one": lambda model=model: cross_validate(model, X, y, cv=cv, scoring=MORE[:1]),
                "sklearn four": lambda model=model: cross_validate(model, X, y, cv=cv, scoring=MORE),
            }
        )
        cost = (ratio(seconds, "four", "one") - 1) / 3
        print(f"  {name}: each further metric costs cross_validate {(ratio(seconds, 'sklearn four', 'sklearn one') - 1) / 3:.0%}")
        goals.append(Goal(f"{name}: share that each of three further metrics costs", cost, "at most", 0.10))
    return goals


def large() -> list[Goal]:
    """Learners whose fit is nearly all of the time: 2,000 examples."""
    models = {
        "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(random_state=0)),
        "kNN": KNeighborsClassifier(),
        "RandomForest": RandomForestClassifier(random_state=0),
        "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0, max_iter=50),
    }
    return [
        Goal(f"{name}, n=2000: faster than cross_validate", against_cross_validate(model, *blobs(2000, 5), 5), "at least", 0.95)
        for name, model in models.items()
    ]


def spin(stop: object) -> None:
    """Keep one core busy."""
    while not stop.is_set():  # type: ignore[attr-defined]
        sum(range(10_000))


def busy() -> list[Goal]:
    """Boosting on 100 examples beside another process: its threads wait for each other, unless there is one only."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    other = context.Process(target=spin, args=(stop,), daemon=True)
    other.start()
    time.sleep(1.0)
    try:
        figure = against_cross_validate(HistGradientBoostingClassifier(random_state=0, max_iter=50), *blobs(100, 10), 5)
    finally:
        stop.set()
        other.join()
    return [Goal("HistGradientBoosting, n=100, another process busy: faster than cross_validate", figure, "at least", 8.0)]


def workers() -> list[Goal]:
    """What two workers bring, as a share of what they bring to GridSearchCV; pools are warm on both sides."""
    X, y = make_classification(n_samples=2000, n_features=20, n_informative=5, flip_y=0.02, class_sep=1.5, random_state=0)
    grid = {"C": [0.3, 1.0, 3.0, 10.0], "gamma": [0.003, 0.006, 0.01, 0.02, 0.03]}
    many = speed_ups(SVC(random_state=0), grid, X, y, RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0), 5)
    equal = {"random_state": list(range(8))}
    forest = RandomForestClassifier(60)
    one = speed_ups(forest, equal, X, y, ShuffleSplit(1, random_state=0), 7)
    return [
        Goal("500 SVC fits, 2 workers: speed-up as a share of GridSearchCV's", many, "at least", 0.95),
        Goal("one split x 8 equal models, 2 workers: the same", one, "at least", 0.95),
    ]


def speed_ups(model: object, grid: dict[str, list[object]], X: np.ndarray, y: np.ndarray, cv: object, rounds: int) -> float:
    """Our speed-up from two workers over that of GridSearchCV; one and two workers must give the same bits."""
    models = tb.grid(model, grid)
    evaluations = [tb.evaluate(models, X, y, cv=cv, scoring="roc_auc", n_jobs=n).scores().matrix().score for n in (1, 2)]
    assert np.array_equal(*evaluations)
    runs: dict[str, Callable[[], object]] = {}
    for n in (1, 2):
        runs[f"sklearn {n}"] = lambda n=n: GridSearchCV(model, grid, scoring="roc_auc", cv=cv, n_jobs=n, refit=False).fit(X, y)
        runs[f"tiebreak {n}"] = lambda n=n: tb.evaluate(models, X, y, cv=cv, scoring="roc_auc", n_jobs=n)
    seconds = interleaved(runs, rounds)
    ours, theirs = ratio(seconds, "tiebreak 1", "tiebreak 2"), ratio(seconds, "sklearn 1", "sklearn 2")
    alone = ratio(seconds, "sklearn 1", "tiebreak 1")
    print(
        f"  {type(model).__name__}: speed-up {ours:.2f}, GridSearchCV {theirs:.2f}; on one worker {alone:.2f} times as fast",
        flush=True,
    )
    return ours / theirs


PARTS = {"gallery": gallery, "small": small, "metrics": metrics, "large": large, "workers": workers, "busy": busy}


def main(names: list[str]) -> int:
    """Run the named parts, or all; the busy one in a process of its own, as it is about threads."""
    warnings.simplefilter("ignore")
    if names == ["busy"]:
        return report(busy())
    goals = [goal for name in names or [name for name in PARTS if name != "busy"] for goal in PARTS[name]()]
    code = report(goals)
    if not names:
        import subprocess

        environment = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        code |= subprocess.run([sys.executable, Path(__file__), "busy"], env=environment, check=False).returncode
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
