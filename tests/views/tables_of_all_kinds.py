"""Random comparisons of every question and family, with gaps, copies, ties, cycles, skew, losses and ropes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.errors import TiebreakError
from tiebreak.readers.predictions import read_predictions
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

NAMES = [
    "forest",
    "svm",
    "C=0.1, gamma=scale",
    "C=10, gamma=scale",
    "bayes",
    "ridge regression",
    "knn(5)",
    "tree",
    "boosting",
    "mlp",
    "dummy",
    "lda",
]
METRICS = [
    Metric("accuracy", True),
    Metric("root_mean_squared_error", False),
    Metric("r2", True),
    Metric("profit", True),
    Metric("delay", False),
]
STEPWISE = ["holm", "shaffer", "bh"]
MANY = 0.04
"""Share of the tables with 41 to 45 models, more than get letters."""

Rng = np.random.Generator
Drawn = tuple[Scores, dict[str, Any]]


def table_of(seed: int) -> Comparison:
    """The comparison of a seed; data that the library refuses are drawn anew, as a refusal says nothing of models."""
    for attempt in range(40):
        rng = np.random.default_rng((seed, attempt))
        try:
            scores, options = KINDS[seed % len(KINDS)](rng)
            return compare_scores(scores, Settings(**options_of(rng, scores, options)))
        except TiebreakError:
            continue
    raise AssertionError(f"seed {seed} makes no table that can be compared")


def options_of(rng: Rng, scores: Scores, own: dict[str, Any]) -> dict[str, Any]:
    """Family, rope, correction and alpha that go together; `own` are those that the data ask for."""
    score = scores.matrices[0].score
    means = [row[~np.isnan(row)].mean() for row in score if not np.isnan(row).all()]
    spread = float(np.ptp(means)) or 0.01 if means else 0.01  # a typical difference of two models
    ropes: list[float | str] = [0.0, 0.0, "1%", "0.3%", "20%", 0.1 * spread, 0.5 * spread, 2.0 * spread, 20.0 * spread]
    rope = ropes[int(rng.integers(len(ropes)))]
    options: dict[str, Any] = {
        "rope": float(f"{rope:.3g}") if isinstance(rope, float) else rope,
        "alpha": float(rng.choice([0.05, 0.05, 0.1, 0.01])),
        "missing": "pairwise",
    } | own
    names = list(scores.models)
    family = str(rng.choice(["pairs", "pairs", "baseline", "best"]))
    if family == "best":
        return options | {"family": "best"}
    free = [None, None, "bonferroni", "none", *(STEPWISE if options["rope"] == 0 else [])]
    options["correction"] = free[int(rng.integers(len(free)))]
    if family == "baseline":
        options["baseline"] = names[int(rng.integers(len(names)))]
        options["correction"] = "holm" if options["correction"] == "shaffer" else options["correction"]
    return options


def drawn_names(rng: Rng, n_models: int) -> tuple[str, ...]:
    """Names, numbered ones where there are many."""
    if n_models > len(NAMES):
        return tuple(f"model {number:02}" for number in range(n_models))
    return tuple(str(name) for name in rng.permutation(NAMES)[:n_models])


def n_models_of(rng: Rng, most: int = 13) -> int:
    """Number of models: 2 to 12, now and then more than forty."""
    return int(rng.integers(41, 46)) if rng.random() < MANY else int(rng.integers(2, most))


def disturbed(rng: Rng, score: np.ndarray) -> np.ndarray:
    """Scores with copies, constant differences, ties, gaps, skew or another unit; models are rows, units the last axis."""
    n_models, n_units = score.shape[0], score.shape[-1]
    score = score + float(rng.choice([0.0] * 6 + [0.01, 0.1])) * rng.lognormal(0.0, 1.5, score.shape)
    score = score.round(int(rng.choice([1, 2, 3]))) if rng.random() < 0.15 else score
    score = score * float(rng.choice([1.0] * 28 + [1e-9, 1e-3, 1e3, 1e8]))
    score = score - 2.0 * np.nanmax(np.abs(score)) if rng.random() < 0.08 else score
    special = rng.random()
    if n_models > 2 and special < 0.3:
        score[rng.choice([[1, 1], [1, -1]])] = score[0]
        score[:] = score[0] if special < 0.03 else score
    elif special < 0.4:
        score[1] = score[0] - float(rng.choice([0.0125, 0.25])) * np.abs(score[0]).max()
    return with_gaps(rng, score) if rng.random() < 0.3 and n_units > 4 else score


def with_gaps(rng: Rng, score: np.ndarray) -> np.ndarray:
    """Scores with gaps: anywhere, of one model, of two copies alike or not, or so that two groups share no unit."""
    score, n_units, kind = score.copy(), score.shape[-1], rng.random()
    if kind < 0.5:
        score[rng.random(score.shape) < float(rng.choice([0.03, 0.06, 0.25]))] = np.nan
    elif kind < 0.7:
        score[-1, ..., : int(rng.integers(1, n_units - 1))] = np.nan
    elif kind < 0.9:
        score[0, ..., 0] = np.nan
        score[1, ..., int(rng.random() < 0.5)] = np.nan
    else:
        half = n_units // 2
        score[: max(1, len(score) // 2), ..., :half] = np.nan
        score[max(1, len(score) // 2) :, ..., half:] = np.nan
    return score


# --- the questions ----------------------------------------------------------------------------------------------------------


def of_splits(rng: Rng) -> Drawn:
    """Splits of one dataset: the corrected t, or by name the ordinary one."""
    n_models, n_folds = n_models_of(rng), int(rng.choice([2, 5, 10]))
    n_repeats = 5 if n_folds == 2 else int(rng.choice([1, 1, 2, 5, 10]))
    n_splits = n_folds * n_repeats
    noise, spread = float(rng.choice([0.001, 0.005, 0.02, 0.1])), float(rng.choice([0.0, 0.005, 0.02, 0.1]))
    score = 0.8 + rng.uniform(-spread, spread, (n_models, 1)) + rng.normal(0, 0.03, n_splits)
    score = disturbed(rng, score + rng.normal(0, noise, (n_models, n_splits)))
    method = str(rng.choice(["auto", "auto", "corrected-t", "paired-t"]))
    kind = str(rng.choice(["repeated-kfold", "kfold", "loo", "time", "unknown"]))
    split = np.arange(n_splits)
    sizes = (np.full(n_splits, 90), np.full(n_splits, 1 if kind == "loo" else 10))
    names = drawn_names(rng, n_models)
    matrix = ScoreMatrix("", names, split // n_folds, split % n_folds, *sizes, score)
    design = SplitDesign(kind, ordered=kind == "time", sizes="exact")  # type: ignore[arg-type]
    seconds = {name: float(rng.uniform(0.01, 2)) for name in names} if rng.random() < 0.5 else {}
    metric = (
        METRICS[int(rng.integers(2, 5))] if np.nanmax(np.abs(score)) > 1 or np.nanmin(score) < 0 else METRICS[rng.integers(5)]
    )
    return Scores(metric, (matrix,), design, fit_seconds=seconds), {"method": method}


def of_datasets(rng: Rng) -> Drawn:
    """Several datasets: rank tests, posteriors; cycles, ratios, metrics of several units, splits or single scores."""
    method = str(rng.choice(["auto", "auto", "auto", "wilcoxon", "sign", "sign", "bayes-signed-rank"]))
    method = "hierarchical" if rng.random() < 0.03 else method  # slow
    n_models = n_models_of(rng, 9) if method in ("auto", "wilcoxon", "sign") else int(rng.integers(2, 4))
    n_splits = 3 if method == "hierarchical" else int(rng.choice([1, 1, 3]))
    n_datasets = int(rng.choice([3, 8, 20, 40, 90])) if method != "hierarchical" else int(rng.choice([4, 8]))
    skill = rng.uniform(-1, 1, n_models) * float(rng.choice([0.0, 0.01, 0.05]))
    own = skill + rng.normal(0, float(rng.choice([0.002, 0.02])), (n_datasets, n_models))
    if n_models > 2 and rng.random() < 0.2:
        own[:, :3] = np.array([np.roll([0.03, 0.02, 0.0], turn % 3) for turn in range(n_datasets)])  # a over b over c over a
        own = own + rng.normal(0, 0.001, own.shape)
    score = 0.8 + rng.normal(0, 0.05, (n_datasets, 1, 1)) + own[:, None] + rng.normal(0, 0.002, (n_datasets, n_splits, n_models))
    score = np.moveaxis(disturbed(rng, np.moveaxis(score, 0, 2).transpose(1, 0, 2).copy()), 2, 0)  # models, splits, datasets
    names, metric = drawn_names(rng, n_models), METRICS[int(rng.integers(2, 5))]
    fold, nothing = np.arange(n_splits), np.zeros(n_splits, dtype=np.int64)
    sizes = (nothing + 80, nothing + 20) if n_splits > 1 else (nothing, nothing)
    is_mixed = rng.random() < 0.15 and method in ("auto", "sign")
    own_metric = [Metric("accuracy", True) if i % 2 else Metric("rmse", False) for i in range(n_datasets)]
    matrices = tuple(
        ScoreMatrix(f"d{i:02}", names, nothing, fold, *sizes, of.copy(), **({"metric": own_metric[i]} if is_mixed else {}))
        for i, of in enumerate(score)
    )
    metric = Metric("accuracy and rmse", True) if is_mixed else metric
    options: dict[str, Any] = {"method": method} | ({"rope": 0.0} if is_mixed else {})
    return Scores(metric, matrices, SplitDesign("kfold", sizes="exact")), options


def of_items(rng: Rng) -> Drawn:
    """Items right or wrong or graded, in clusters, runs and slices, weighted."""
    n_models, n_items = n_models_of(rng, 9), int(rng.choice([12, 60, 400]))
    is_binary, n_runs = bool(rng.random() < 0.5), int(rng.choice([1, 1, 1, 2, 4]))
    ease = rng.normal(0, 1, n_items)
    skill = rng.uniform(-1, 1, (n_models, 1, 1)) * float(rng.choice([0.0, 0.1, 0.5]))
    score = ease + skill + rng.normal(0, float(rng.choice([0.2, 1.0])), (n_models, n_runs, n_items))
    score = (score > 0).astype(float) if is_binary else 1 / (1 + np.exp(-score))
    if is_binary:
        if n_models > 2 and rng.random() < 0.3:
            score[1] = score[0]
        score = with_gaps(rng, score) if rng.random() < 0.25 else score
    else:
        score = disturbed(rng, score)
    higher = bool(rng.random() < 0.5)
    metric = Metric(("accuracy" if higher else "error_rate") if is_binary else "judge_score" if higher else "cost", higher)
    clusters = tuple(f"text {i % 5}" for i in range(n_items)) if rng.random() < 0.25 else None
    weights = rng.integers(0, 3, n_items) + np.eye(n_items)[0] if rng.random() < 0.2 else None
    columns = {"topic": tuple(np.array(["law", "code", "maths"])[rng.integers(0, 3, n_items)].tolist())}
    unit = str(rng.choice(["item", "question", "example"]))
    runs, texts = tuple(map(str, range(n_runs))), tuple(f"q{i}" for i in range(n_items))
    items = Items(metric, drawn_names(rng, n_models), runs, texts, score, clusters, weights, columns=columns, unit=unit)
    by = {"by": "topic"} if n_models < 10 and rng.random() < 0.3 else {}
    return items.as_scores(), {"method": str(rng.choice(["auto"] * 4 + ["clustered-t"]))} | by


def of_test_sets(rng: Rng) -> Drawn:
    """Test sets of each model's own, right or wrong or graded."""
    n_models, n = int(rng.integers(2, 9)), int(rng.choice([60, 300, 3000]))
    graded = rng.random() < 0.4
    right = rng.uniform(0.6, 0.6 + float(rng.choice([0.0, 0.1, 0.38])), n_models)
    score = np.full((n_models, 1, n), np.nan)
    owner = np.sort(rng.integers(0, n_models, n - 4 * n_models).tolist() + 4 * list(range(n_models)))
    values = (rng.random(n) < right[owner]) + (rng.normal(0, 0.3, n) if graded else 0.0)
    score[owner, 0, np.arange(n)] = values
    higher = bool(rng.random() < 0.5)
    metric = Metric("grade" if graded else "accuracy" if higher else "error_rate", higher)
    texts = tuple(f"q{i}" for i in range(n))
    items = Items(metric, drawn_names(rng, n_models), ("1",), texts, score, unit="question")
    named = ["auto", "auto", "welch"] if graded else ["auto", "auto", "newcombe"]
    return items.as_scores(), {"method": str(rng.choice(named))}


def of_predictions(rng: Rng) -> Drawn:
    """Areas under ROC curves, F1 and other metrics of all predictions together."""
    n_models, n = int(rng.integers(2, 6)), int(rng.choice([60, 300]))
    names, truth = drawn_names(rng, n_models), np.arange(n) % 3 == 0
    right = rng.uniform(0.6, 0.6 + float(rng.choice([0.0, 0.1, 0.38])), (n_models, 1))
    correct, noise = rng.random((n_models, n)) < right, rng.normal(size=(n_models, n))
    clusters = np.arange(n) // 3 if rng.random() < 0.2 else None
    if n_models > 2 and rng.random() < 0.3:
        correct[1], noise[1], right[1] = correct[0], noise[0], right[0]
    y = rng.normal(size=n)
    actual, said, metrics = (
        (truth, 2.0 * right * truth + noise, ["roc_auc"]),
        (truth, correct == truth, ["f1", "balanced_accuracy", "mcc", "precision_macro"]),
        (y, y + (1.5 - right) * np.where(correct, 0.3, 1.0) * noise, ["rmse", "r2"]),
    )[int(rng.integers(3))]
    given: dict[str, Any] = {"metric": str(rng.choice(metrics)), "clusters": clusters}
    return read_predictions(actual, dict(zip(names, said, strict=True)), **given).as_scores(), {}


def of_time(rng: Rng) -> Drawn:
    """Losses in order of time."""
    n_models, n = int(rng.integers(2, 9)), int(rng.choice([8, 20, 60]))
    level = float(rng.choice([0.0, 0.03, 0.1]))
    score = 0.8 + rng.uniform(-level, level, (n_models, 1)) + rng.normal(0, 0.05, n) + rng.normal(0, 0.02, (n_models, n))
    score = disturbed(rng, score)
    column, nothing = np.arange(n), np.zeros(n, dtype=np.int64)
    matrix = ScoreMatrix("", drawn_names(rng, n_models), nothing, column, nothing, nothing, score, tuple(map(str, column)))
    return Scores(METRICS[1] if score[~np.isnan(score)].min() > 0 else METRICS[4], (matrix,), SplitDesign("periods")), {}


def of_seeds(rng: Rng) -> Drawn:
    """Training seeds on one test set, the same for all models or others for each."""
    n_models, n = int(rng.integers(2, 9)), int(rng.integers(3, 12))
    score = 0.8 + rng.uniform(-0.03, 0.03, (n_models, 1)) + rng.normal(0, float(rng.choice([0.001, 0.01])), (n_models, n))
    if rng.random() < 0.5:  # each has its own
        is_own = np.eye(n_models, dtype=bool).repeat(n, axis=1) & (np.tile(np.arange(n), n_models) < rng.integers(2, n + 1))
        score = np.where(is_own, np.tile(score, n_models), np.nan)[:, is_own.any(axis=0)]
    elif n_models > 2 and rng.random() < 0.4:
        score[1] = score[0] - float(rng.choice([0.0, 0.0125]))
    column, nothing = np.arange(score.shape[1]), np.zeros(score.shape[1], dtype=np.int64)
    matrix = ScoreMatrix("", drawn_names(rng, n_models), column, nothing, nothing, nothing, score, tuple(map(str, column)))
    return Scores(METRICS[int(rng.integers(2))], (matrix,), SplitDesign("seeds")), {}


KINDS: tuple[Callable[[Rng], Drawn], ...] = (
    of_splits,
    of_datasets,
    of_items,
    of_test_sets,
    of_splits,
    of_datasets,
    of_items,
    of_predictions,
    of_datasets,
    of_time,
    of_splits,
    of_seeds,
)
"""Questions by the seed: those that most is asked of come more often."""
