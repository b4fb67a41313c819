"""Small tables with fixed seeds, whose means are exactly what they are said to be."""

import numpy as np

from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

ACCURACY = Metric("accuracy", higher_is_better=True)


def table(
    scores: dict[str, np.ndarray], metric: Metric = ACCURACY, n_folds: int = 10, n_train: int = 900, n_test: int = 100
) -> Scores:
    """Scores of repeated k-fold with exact sizes."""
    matrix = np.array(list(scores.values()))
    split = np.arange(matrix.shape[1])
    repeat, fold = split // n_folds, split % n_folds
    sizes = np.full(split.size, n_train), np.full(split.size, n_test)
    built = ScoreMatrix("", tuple(scores), repeat, fold, *sizes, matrix)
    return Scores(metric, (built,), SplitDesign("repeated-kfold", sizes="exact"))


def around(*means: float, noise: float, n_splits: int = 100, seed: int = 0) -> list[np.ndarray]:
    """One row of scores for each mean, which share how hard each split is; each row has exactly its mean."""
    rng = np.random.default_rng(seed)
    hardness = rng.normal(0, 0.03, n_splits)
    rows = []
    for mean in means:
        row = hardness + rng.normal(0, noise, n_splits)
        rows.append(mean + row - row.mean())
    return rows


def compared(scores: Scores, **settings: object) -> Comparison:
    """The comparison of a table."""
    return compare_scores(scores, Settings(**settings))  # type: ignore[arg-type]


def named(*rows: np.ndarray, names: tuple[str, ...] = ("forest", "svm", "logistic", "bayes")) -> dict[str, np.ndarray]:
    """Rows under model names."""
    return dict(zip(names, rows, strict=False))
