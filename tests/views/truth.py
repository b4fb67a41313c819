"""Random comparisons, and a reader that takes their pages apart again: every sentence and number is held against the frames."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.readers.predictions import read_predictions
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

NAMES = [
    "forest", "svm", "C=0.1, gamma=scale", "C=10, gamma=scale", "bayes", "ridge regression", "knn(5)", "tree", "boosting", "mlp",
    "dummy", "lda",
]  # fmt: skip
METRICS = [
    Metric("accuracy", True),
    Metric("root_mean_squared_error", False),
    Metric("r2", True),
    Metric("profit", True),
    Metric("delay", False),
]
CORRECTIONS = [None, None, "bonferroni", "sidak", "holm", "hommel", "bh", "none"]
KINDS = ["repeated-kfold", "kfold", "loo", "time", "unknown"]


def random_comparison(seed: int) -> Comparison:
    """Complete or with gaps, identical or constant pairs, losses, baselines, ropes, 2 to 12 models."""
    rng = np.random.default_rng(seed)
    n_models, n_folds = int(rng.integers(2, 13)), int(rng.choice([5, 10]))
    n_repeats = int(rng.choice([1, 1, 2, 5, 10]))
    n_splits = n_folds * n_repeats
    noise = float(rng.choice([0.001, 0.005, 0.02, 0.1]))
    spread = float(rng.choice([0.0, 0.005, 0.02, 0.1]))
    score = 0.8 + rng.uniform(-spread, spread, (n_models, 1)) + rng.normal(0, 0.03, n_splits)
    score = score + rng.normal(0, noise, (n_models, n_splits))
    special = rng.random()
    if n_models > 2 and special < 0.15:
        score[1] = score[0]
    elif n_models > 2 and special < 0.3:
        score[1] = score[0] - 0.0125
    metric = METRICS[rng.integers(len(METRICS))]
    if metric.name == "profit":
        score *= 1000.0
    options: dict[str, Any] = {
        "rope": rng.choice(np.array([0.0, 0.01, 0.005, 0.03, "1%", "0.3%"], dtype=object)),
        "correction": CORRECTIONS[rng.integers(len(CORRECTIONS))],
        "alpha": float(rng.choice([0.05, 0.05, 0.1])),
        "p_best": bool(rng.random() < 0.3),
    }
    if metric.name == "profit" and not isinstance(options["rope"], str):
        options["rope"] = float(options["rope"]) * 1000.0
    if rng.random() < 0.25:
        score[rng.random(score.shape) < 0.25] = np.nan
        score[:, 0] = np.where(np.isnan(score[:, 0]), 0.8, score[:, 0])
        options["missing"] = "pairwise"
    names = tuple(str(name) for name in rng.permutation(NAMES)[:n_models])
    if rng.random() < 0.3:
        options["baseline"] = names[0]
        if rng.random() < 0.3:
            options["alternative"] = str(rng.choice(["greater", "less"]))
    kind = str(rng.choice(KINDS))
    split = np.arange(n_splits)
    sizes = (np.full(n_splits, 90), np.full(n_splits, 1 if kind == "loo" else 10))
    matrix = ScoreMatrix("", names, split // n_folds, split % n_folds, *sizes, score)
    design = SplitDesign(kind, ordered=kind == "time", sizes="exact")  # type: ignore[arg-type]
    seconds = {name: float(rng.uniform(0.01, 2)) for name in names} if rng.random() < 0.5 else {}
    return compare_scores(Scores(metric, (matrix,), design, fit_seconds=seconds), Settings(**options))


def comparison_of_runs(seed: int) -> Comparison:
    """Runs on one test set with the same seeds or others for each model, periods of time, and five repeats of two folds."""
    rng = np.random.default_rng(seed)
    n_models, n = int(rng.integers(2, 8)), int(rng.integers(2, 9))
    asked = ("seeds", "own seeds", "5x2", "time")[seed % 4]
    n = 10 if asked == "5x2" else n
    metric = METRICS[rng.integers(2)]
    score = 0.8 + rng.uniform(-0.03, 0.03, (n_models, 1)) + rng.normal(0, float(rng.choice([0.001, 0.01])), (n_models, n))
    if n_models > 2 and rng.random() < 0.3:
        score[1] = score[0] - float(rng.choice([0.0, 0.0125]))
    if asked == "own seeds":
        own = np.full((n_models, n_models * n), np.nan)
        for row in range(n_models):
            size = int(rng.integers(2, n + 1))
            own[row, row * n : row * n + size] = score[row, :size]
        score = own[:, ~np.isnan(own).all(axis=0)]
    names = tuple(str(name) for name in rng.permutation(NAMES)[:n_models])
    column, nothing = np.arange(score.shape[1]), np.zeros(score.shape[1], dtype=np.int64)
    options: dict[str, Any] = {"rope": float(rng.choice([0.0, 0.01])), "correction": CORRECTIONS[rng.integers(len(CORRECTIONS))]}
    if rng.random() < 0.3:
        options["baseline"] = names[0]
    if asked == "5x2":
        matrix = ScoreMatrix("", names, column // 2, column % 2, nothing + 50, nothing + 50, score)
        scores = Scores(metric, (matrix,), SplitDesign(sizes="exact"))
        return compare_scores(scores, Settings(method="5x2cv-t", **options))
    is_time = asked == "time" and n > 2
    keys = (nothing, column) if is_time else (column, nothing)
    matrix = ScoreMatrix("", names, *keys, nothing, nothing, score, tuple(map(str, column)))
    return compare_scores(Scores(metric, (matrix,), SplitDesign("periods" if is_time else "seeds")), Settings(**options))


def random_dataset_comparison(seed: int) -> Comparison:
    """Scores on several datasets by each method in turn, with splits or without, gaps, ties, identical models; losses too."""
    rng = np.random.default_rng(seed)
    method = ("wilcoxon", "sign", "bayes-signed-rank", "bayes-sign")[seed % 4]
    n_models, n_splits = int(rng.integers(2, 6)), int(rng.choice([1, 3]))
    n_datasets = int(rng.choice([3, 8, 20, 40]))
    skill = rng.uniform(-1, 1, n_models) * float(rng.choice([0.0, 0.01, 0.05]))
    own = skill + rng.normal(0, float(rng.choice([0.002, 0.02])), (n_datasets, n_models))
    score = 0.8 + rng.normal(0, 0.05, (n_datasets, 1, 1)) + own[:, None] + rng.normal(0, 0.01, (n_datasets, n_splits, n_models))
    score = score.round(int(rng.choice([2, 6])))
    if n_models > 2 and rng.random() < 0.2:
        score[..., 1] = score[..., 0]
    if rng.random() < 0.25 and n_datasets > 3:
        score[0, :, n_models - 1] = np.nan
    metric = METRICS[rng.integers(2)]
    names = tuple(str(name) for name in rng.permutation(NAMES)[:n_models])
    rope = rng.choice(np.array([0.0, 0.01, 0.02, "1%"], dtype=object))
    options: dict[str, Any] = {"rope": rope, "method": method, "alpha": float(rng.choice([0.05, 0.1]))}
    if rng.random() < 0.3:
        options["baseline"] = names[0]
    fold, nothing = np.arange(n_splits), np.zeros(n_splits, dtype=np.int64)
    sizes = (nothing + 80, nothing + 20) if n_splits > 1 else (nothing, nothing)
    matrices = tuple(ScoreMatrix(f"d{i:02}", names, nothing, fold, *sizes, of.T.copy()) for i, of in enumerate(score))
    return compare_scores(Scores(metric, matrices, SplitDesign("kfold", sizes="exact")), Settings(**options))


def random_item_comparison(seed: int) -> Comparison:
    """Items right or wrong or graded, in clusters, runs and slices, weighted, with gaps or identical models; losses too."""
    rng = np.random.default_rng(seed)
    n_models, n_items, n_runs = int(rng.integers(2, 9)), int(rng.choice([12, 60, 400])), int(rng.choice([1, 1, 1, 2, 4]))
    ease = rng.normal(0, 1, n_items)
    skill = rng.uniform(-1, 1, (n_models, 1, 1)) * float(rng.choice([0.0, 0.1, 0.5]))
    score = ease + skill + rng.normal(0, float(rng.choice([0.2, 1.0])), (n_models, n_runs, n_items))
    metric = [Metric("accuracy", True), Metric("error_rate", False), Metric("f1", True), Metric("log_loss", False)][seed % 4]
    score = (score > 0).astype(float) if seed % 4 < 2 else 1 / (1 + np.exp(-score))
    if n_models > 2 and rng.random() < 0.2:
        score[1] = score[0]
    options: dict[str, Any] = {
        "rope": rng.choice(np.array([0.0, 0.01, 0.05, "1%"], dtype=object)),
        "correction": CORRECTIONS[rng.integers(len(CORRECTIONS))],
    }
    if rng.random() < 0.25:
        score[rng.random(score.shape) < 0.1] = np.nan
        score[:, :, :2] = np.where(np.isnan(score[:, :, :2]), 0.5 if seed % 4 > 1 else 1.0, score[:, :, :2])
        options["missing"] = "pairwise"
    names = tuple(str(name) for name in rng.permutation(NAMES)[:n_models])
    if rng.random() < 0.3:
        options["baseline"] = names[0]
    if rng.random() < 0.3:
        options["by"] = "topic"
    items = Items(
        metric,
        names,
        tuple(map(str, range(n_runs))),
        tuple(f"q{i}" for i in range(n_items)),
        score,
        tuple(f"text {i % 5}" for i in range(n_items)) if rng.random() < 0.25 else None,
        rng.integers(0, 3, n_items) + np.eye(n_items)[0] if rng.random() < 0.2 else None,
        columns={"topic": tuple(np.array(["law", "code", "maths"])[rng.integers(0, 3, n_items)])},
        unit=str(rng.choice(["item", "question", "example"])),
    )
    return compare_scores(items.as_scores(), Settings(**options))


def comparison_of_predictions(seed: int) -> Comparison:
    """Test sets of each model's own, areas under ROC curves, and what is resampled: F1 and others, means by name."""
    rng = np.random.default_rng(seed)
    n_models, n = int(rng.integers(2, 6)), int(rng.choice([60, 300]))
    names = tuple(str(name) for name in rng.permutation(NAMES)[:n_models])
    options: dict[str, Any] = {
        "rope": rng.choice(np.array([0.0, 0.01, 0.1, "1%"], dtype=object)),
        "correction": CORRECTIONS[rng.integers(len(CORRECTIONS))],
    }
    if rng.random() < 0.3:
        options["baseline"] = names[0]
    right = rng.uniform(0.6, 0.6 + float(rng.choice([0.0, 0.1, 0.38])), (n_models, 1))
    correct = rng.random((n_models, n)) < right
    if n_models > 2 and rng.random() < 0.2:
        correct[1] = correct[0]
    clusters = np.arange(n) // 3 if rng.random() < 0.3 else None
    kind, truth = seed % 5, np.arange(n) % 3 == 0
    if kind == 0:  # no item is shared
        graded = rng.random() < 0.5
        score = np.full((n_models, 1, n), np.nan)
        owner = np.sort(rng.integers(0, n_models, n - 4 * n_models).tolist() + 4 * list(range(n_models)))
        values = correct + (rng.normal(0, 0.3, correct.shape) if graded else 0.0)
        score[owner, 0, np.arange(n)] = values[owner, np.arange(n)]
        texts = None if clusters is None else tuple(map(str, clusters.tolist()))
        higher = bool(seed % 2)
        metric = Metric("grade" if graded else "accuracy" if higher else "error_rate", higher)
        items = Items(metric, names, ("1",), tuple(f"q{i}" for i in range(n)), score, texts, unit="question")
    elif kind == 1:
        noisy = 2.0 * right * truth + rng.normal(size=(n_models, n))
        items = read_predictions(truth, dict(zip(names, noisy, strict=True)), metric="roc_auc", clusters=clusters)
    elif kind == 2:
        name = str(rng.choice(["f1", "balanced_accuracy", "mcc", "precision_macro"]))
        items = read_predictions(truth, dict(zip(names, correct == truth, strict=True)), metric=name, clusters=clusters)
    elif kind == 3:
        y = rng.normal(size=n)
        noisy = y + (1.5 - right) * np.where(correct, 0.3, 1.0) * rng.normal(size=n)
        name = str(rng.choice(["rmse", "r2"]))
        items = read_predictions(y, dict(zip(names, noisy, strict=True)), metric=name, clusters=clusters)
    else:
        items = read_predictions(truth, dict(zip(names, correct == truth, strict=True)), clusters=clusters)
        options["method"] = str(rng.choice(["bootstrap", "permutation"]))
    return compare_scores(items.as_scores(), Settings(**options))


@dataclass
class Read:
    """A page as a reader finds it: its paragraphs, and its tables as rows by header."""

    paragraphs: list[str]
    ranking: list[dict[str, str]]
    pairs: list[dict[str, str]]
    pair_title: str
    notes: str


def read_markdown(text: str) -> Read:
    """From Markdown."""
    text = html.unescape(re.sub(r"\\(.)", r"\1", text))
    parts = text.strip().split("\n\n")
    tables = [(i, part) for i, part in enumerate(parts) if part.startswith("|")]
    ranking, pairs = ([_cells(row) for row in table.splitlines()] for _, table in tables[:2])
    first = parts.index(next(part for part in parts if part.startswith("**Ranking")))
    return Read(
        [part.strip("*") for part in parts[:first]],
        _by_header(ranking),
        _by_header(pairs),
        parts[tables[1][0] - 1].strip("*"),
        " ".join(parts[tables[1][0] + 1 :]),
    )


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _by_header(rows: list[list[str]]) -> list[dict[str, str]]:
    header, _, *body = rows
    return [dict(zip(header, row, strict=True)) for row in body]


def read_html(text: str) -> Read:
    """From HTML."""
    tables = []
    for table in re.findall(r"<table>(.*?)</table>", text, re.S):
        rows = [
            [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", table)
        ]
        tables.append([dict(zip(rows[0], row, strict=True)) for row in rows[1:]])
    captions = [html.unescape(caption) for caption in re.findall(r"<caption>(.*?)</caption>", text)]
    before = text[: text.index("<table>")]
    paragraphs = [html.unescape(re.sub("<[^>]+>", "", each)) for each in re.findall(r"<p>(.*?)</p>", before)]
    notes = " ".join(html.unescape(each) for each in re.findall(r"<small>(.*?)</small>", text))
    return Read(paragraphs, tables[0], tables[1], captions[1], notes)


def rows_of_text(text: str) -> list[list[str]]:
    """Rows of the tables of a text, each as its cells that are not empty."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith("  ")]


def end_of(text: str) -> tuple[float, float]:
    """The ends of an interval as it is printed."""
    low, high = text.split(" to ")
    return float(low), float(high)


def place(low: float, high: float, rope: float) -> str:
    """The verdict that a reader gives to a printed interval and rope."""
    if low > rope:
        return "better"
    if high < -rope:
        return "worse"
    if rope and low >= -rope and high <= rope:
        return "equivalent"
    return "ahead" if low > 0 else "behind" if high < 0 else "undecided"


def records(text: str) -> dict[str, Any]:
    """The JSON of an answer."""
    content: dict[str, Any] = json.loads(text)
    return content
