"""Write the example tables: five pipelines on scikit-learn's breast cancer data, a release gate's last and new scores, and the
samples of three language models, and of three runs of one, in the layout of lm-evaluation-harness (made up).

Run once with scikit-learn installed; the tables are kept beside this script, so that examples need no fitting.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

HERE = Path(__file__).parent


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)
    models = {
        "svm": make_pipeline(StandardScaler(), SVC()),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)),
        "forest": RandomForestClassifier(n_estimators=100, random_state=0),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "bayes": GaussianNB(),
    }
    results = {
        name: cross_validate(model, X, y, cv=cv, scoring="accuracy", return_indices=True, n_jobs=2)
        for name, model in models.items()
    }
    sizes = [(len(train), len(test)) for train, test in cv.split(X, y)]
    write(HERE / "fold_scores.csv", {name: r["test_score"] for name, r in results.items()}, sizes)
    last = {"last": results["forest"]["test_score"]}
    smaller = RandomForestClassifier(n_estimators=30, random_state=0)
    new = {"smaller": cross_validate(smaller, X, y, cv=cv, scoring="accuracy", n_jobs=2)["test_score"]}
    write(HERE / "last_release.csv", last, sizes)
    write(HERE / "today.csv", new, sizes)
    language_models(HERE / "lm")
    three_runs(HERE / "runs")


def write(path: Path, scores: dict[str, np.ndarray], sizes: list[tuple[int, int]]) -> None:
    """One row for each split, one column for each model."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["repeat", "fold", "n_train", "n_test", *scores])
        for split, (n_train, n_test) in enumerate(sizes):
            writer.writerow([split // 10, split % 10, n_train, n_test, *(f"{float(s[split]):.6f}" for s in scores.values())])


def language_models(folder: Path) -> None:
    """Answers of three models to the questions of two tasks, each right where its skill is above what the question asks."""
    draws = random.Random(12)
    for task, n, metric in (("arithmetic", 60, "exact_match"), ("history", 40, "acc")):
        hard = [draws.gauss(0, 1) for _ in range(n)]
        for model, skill in (("org__large", 1.0), ("org__small", 0.2), ("org__tuned", 0.35)):
            path = folder / model / f"samples_{task}_2026-01-02T03-04-05.000000.jsonl"
            samples(path, metric, [float(ease + 0.6 * draws.gauss(0, 1) < skill) for ease in hard])


def three_runs(folder: Path) -> None:
    """Answers of one model to 200 questions, asked in three ways, each in a folder of its own."""
    draws = random.Random(3)
    hard = [draws.gauss(0, 1) for _ in range(200)]
    for day, (name, skill) in enumerate((("plain", 0.0), ("examples", 0.25), ("step-by-step", 0.6)), 1):
        path = folder / name / "org__m" / f"samples_gsm8k_2026-01-0{day}T03-04-05.000000.jsonl"
        samples(path, "exact_match", [float(ease + 0.5 * draws.gauss(0, 1) < skill) for ease in hard])


def samples(path: Path, metric: str, right: list[float]) -> None:
    """A line for each question, with what the model answered and whether that was right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    task = path.stem.split("_")[1]
    with path.open("w", encoding="utf-8") as file:
        for number, score in enumerate(right):
            said = ["x" if score else "y"]
            record = {
                "doc_id": number,
                "doc": {"question": f"question {number}"},
                "target": "x",
                "arguments": {},
                "resps": [said],
                "filtered_resps": said,
                "filter": "none",
                "metrics": [metric],
                "doc_hash": f"{task}{number}",
                metric: score,
            }
            file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
