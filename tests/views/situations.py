"""Ten situations in which the words matter, each a small table with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.errors import TiebreakError
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


def tie() -> str:
    """Noise around the same mean: neither a difference nor equivalence is shown."""
    return compared(table(named(*around(0.85, 0.845, noise=0.03))), rope=0.01).to_text()


def clear_win() -> str:
    """Far apart compared with the noise."""
    return compared(table(named(*around(0.90, 0.85, noise=0.02))), rope=0.01).to_text()


def equivalent() -> str:
    """Close together compared with the rope."""
    return compared(table(named(*around(0.851, 0.850, noise=0.004))), rope=0.01).to_text()


def too_small_to_matter() -> str:
    """A difference that is certainly there and certainly inside the rope."""
    return compared(table(named(*around(0.853, 0.850, noise=0.002))), rope=0.01).to_text()


def missing_splits() -> str:
    """Two scores of one model are undefined, and the caller said how to go on."""
    scores = named(*around(0.90, 0.85, 0.84, noise=0.02, n_splits=20))
    scores["svm"][[3, 11]] = np.nan
    return compared(table(scores), rope=0.01, missing="pairwise").to_text()


def one_split() -> str:
    """A single holdout: the answer is an error that says how to go on."""
    try:
        compared(table(named(*around(0.90, 0.85, noise=0.02, n_splits=1))))
    except TiebreakError as error:
        return f"{type(error).__name__}: {error}\n"
    raise AssertionError("one split must be refused")


def forty_models() -> str:
    """A search with forty candidates, of which the best few cannot be told apart."""
    means = 0.85 - 0.002 * np.arange(40)
    names = tuple(f"C={2.0**i:g}, gamma=scale" for i in range(-20, 20))
    return compared(table(named(*around(*means, noise=0.01), names=names)), rope=0.01).to_text()


def zero_spread() -> str:
    """Identical scores on all splits."""
    row = around(0.85, noise=0.02, n_splits=5)[0]
    return compared(table(named(row, row.copy())), rope=0.01).to_text()


def lower_is_better() -> str:
    """A loss, shown as its users call it, with the smaller mean first."""
    metric = Metric("root_mean_squared_error", higher_is_better=False)
    return compared(table(named(*around(2.42, 2.30, noise=0.05)), metric), rope="1%").to_text()


def gate_undecided() -> str:
    """A release gate on scores that cannot decide it."""
    comparison = compared(table(named(*around(0.850, 0.848, noise=0.03), names=("new", "last"))), rope=0.005)
    judged = comparison.meets(not_worse=("new", "last"), better=("new", "last"))
    return f"{comparison.sentence}\n{judged}\n"


SITUATIONS: dict[str, Callable[[], str]] = {
    f.__name__: f
    for f in (
        tie,
        clear_win,
        equivalent,
        too_small_to_matter,
        missing_splits,
        one_split,
        forty_models,
        zero_spread,
        lower_is_better,
        gate_undecided,
    )
}
