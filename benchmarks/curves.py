"""Learning curves: speed against scikit-learn's `learning_curve`, which gives the same scores on the same training rows.

Both fit the same model on the same rows and score training and test rows; timed in turn, in one process on one core, and given as
the median of the rounds' ratios. scikit-learn takes one prefix of its training rows for each size; so the splits that it is given
are those of tiebreak's plan, shuffled as the plan has them, and the scores have to agree.

Run it as a whole, or with the names of parts: small large.
"""

from __future__ import annotations

import os
import sys
import warnings

if __name__ == "__main__":  # one core for everybody; OpenMP reads this when it is loaded
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import numpy as np
from evaluate import interleaved, ratio
from goals import Goal, report
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.model_selection import learning_curve as their_learning_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tiebreak.plan.plan import make_plan
from tiebreak.studies.curves import with_sizes

ROUNDS = 7


def nested_splits(
    model: object, X: np.ndarray, y: np.ndarray, cv: object
) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[int]]:
    """Splits whose first rows are the training rows of each size, and the sizes: what scikit-learn cuts prefixes from."""
    plan, sizes = with_sizes(make_plan({"m": model}, X, y, cv=cv))
    splits = []
    for number, (_, test) in enumerate(plan.datasets[0].splits):
        order: list[int] = []
        for planned in plan.datasets:
            rows = planned.splits[number].train
            order += sorted(set(rows.tolist()) - set(order))
        splits.append((np.array(order), test))
    return splits, list(sizes)


def against_scikit_learn(model: object, X: np.ndarray, y: np.ndarray, cv: object, rounds: int = ROUNDS) -> float:
    """How many times faster. The scores agree where the order of rows does not matter to the model, which a forest draws from."""
    splits, sizes = nested_splits(model, X, y, cv)

    def theirs() -> tuple[np.ndarray, np.ndarray]:
        return their_learning_curve(model, X, y, cv=splits, train_sizes=sizes, scoring="roc_auc")[1:3]

    def ours() -> tb.LearningCurve:
        return tb.learning_curve({"m": model}, X, y, cv=cv, scoring="roc_auc")

    curve, (train, test) = ours(), theirs()
    largest = max(
        np.abs(curve.points.test_mean[0] - test.mean(axis=1)).max(), np.abs(curve.points.train_mean[0] - train.mean(axis=1)).max()
    )
    print(
        f"  {type(model).__name__}: sizes {sizes}, {len(splits)} splits; largest difference of a mean {largest:.1e}", flush=True
    )
    seconds = interleaved({"sklearn": theirs, "tiebreak": ours}, rounds)
    return ratio(seconds, "sklearn", "tiebreak")


def blobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n_samples=n, n_features=20, n_informative=5, flip_y=0.1, random_state=0)


def small() -> list[Goal]:
    """Fits that take less than what is around them: 100 examples, 10 folds, five sizes."""
    cv = StratifiedKFold(10, shuffle=True, random_state=0)
    models = {
        "GaussianNB": GaussianNB(),
        "decision tree": DecisionTreeClassifier(random_state=0),
        "scaler + LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(random_state=0)),
    }
    return [
        Goal(f"{name}, n=100: faster than learning_curve", against_scikit_learn(model, *blobs(100), cv), "at least", 1.5)
        for name, model in models.items()
    ]


def large() -> list[Goal]:
    """Fits that are nearly all of the time: 3,000 examples, 5 folds, five sizes."""
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    models = {
        "RandomForest": RandomForestClassifier(60, random_state=0),
        "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0, max_iter=40),
    }
    return [
        Goal(f"{name}, n=3000: faster than learning_curve", against_scikit_learn(model, *blobs(3000), cv, 5), "at least", 0.95)
        for name, model in models.items()
    ]


PARTS = {"small": small, "large": large}


def main(names: list[str]) -> int:
    """Run the named parts, or all."""
    warnings.simplefilter("ignore")
    return report([goal for name in names or PARTS for goal in PARTS[name]()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
