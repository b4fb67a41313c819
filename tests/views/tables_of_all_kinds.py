"""Random comparisons of every question and family, with gaps, copies, ties, cycles, skew, losses and ropes, from long tables."""

from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tiebreak.errors import TiebreakError

NAMES = ["forest", "svm", "C=0.1, gamma=scale", "C=10, gamma=scale", "bayes", "ridge regression"]
NAMES += ["knn(5)", "tree", "boosting", "mlp", "dummy", "lda"]
METRICS = [("accuracy", False), ("profit", False), ("r2", False), ("root_mean_squared_error", True), ("delay", True)]
"""Name, and whether lower is better; values beyond the bounds of one are refused, and then drawn anew."""
MANY = 0.04
"""Share of the tables with 41 to 45 models, more than get letters."""

Rng = np.random.Generator


class Unit(NamedTuple):
    """What rows may be: how many, what stands within each and how often, and procedures, which decide them."""

    outer: str
    n_outer: tuple[int, ...]
    inner: str
    n_inner: tuple[int, ...]
    methods: tuple[str, ...] = ("auto",)


SPLITS = Unit("repeat", (1, 1, 2, 5, 10), "fold", (2, 5, 10), ("auto", "auto", "corrected-t", "paired-t"))
DATASETS = Unit("dataset", (3, 8, 20, 40, 90), "fold", (1, 1, 3), ("auto", "auto", "wilcoxon", "sign", "bayes-signed-rank"))
ITEMS = Unit("item", (12, 60, 400), "run", (1, 1, 1, 2, 4), ("auto", "auto", "auto", "clustered-t"))
PERIODS = Unit("time", (8, 20, 60), "", (1,))
SEEDS = Unit("seed", (3, 6, 11), "", (1,))
UNITS = (SPLITS, DATASETS, ITEMS, None, SPLITS, DATASETS, ITEMS, PERIODS, DATASETS, SEEDS, SPLITS, ITEMS)
"""By the seed: those that most is asked of come more often. None are predictions."""


def table_of(seed: int) -> tb.Comparison:
    """The comparison of a seed; data that the library refuses are drawn anew, as a refusal says nothing of models."""
    for attempt in range(40):
        rng, unit = np.random.default_rng((seed, attempt)), UNITS[seed % len(UNITS)]
        n_models = int(rng.integers(41, 46)) if rng.random() < MANY else int(rng.integers(2, 10))
        names = (
            [f"model {k:02}" for k in range(n_models)] if n_models > len(NAMES) else rng.permutation(NAMES)[:n_models].tolist()
        )
        try:
            source, own = predictions(rng, names[:5]) if unit is None else long_table(rng, unit, names)
            return tb.compare(source, **options_of(rng, own))
        except TiebreakError:
            continue
    raise AssertionError(f"seed {seed} makes no table that can be compared")


def options_of(rng: Rng, own: dict[str, Any]) -> dict[str, Any]:
    """Family, rope, correction and alpha that go together; `own` are those that the data ask for, with names and the spread."""
    names, spread = own.pop("names"), own.pop("spread")
    rope = pick(rng, 0.0, 0.0, "1%", "0.3%", "20%", *(float(f"{k * spread:.3g}") for k in (0.1, 0.5, 2.0, 20.0)))
    options = {"rope": rope, "alpha": pick(rng, 0.05, 0.05, 0.1, 0.01), "missing": "pairwise", **own}
    family = pick(rng, "pairs", "pairs", "baseline", "best")
    if family == "best":
        return options | {"family": "best"}
    stepwise = ["holm", "bh", *["shaffer"] * (family == "pairs")] if options["rope"] == 0 else []
    options |= {"baseline": pick(rng, *names)} if family == "baseline" else {}
    return options | {"correction": pick(rng, None, None, "bonferroni", "none", *stepwise)}


def pick(rng: Rng, *values: Any) -> Any:
    """One of the values, as it is."""
    return values[int(rng.integers(len(values)))]


def long_table(rng: Rng, unit: Unit, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A row for each score that is there, and the options that such a table asks for."""
    n_outer, n_inner, method = pick(rng, *unit.n_outer), pick(rng, *unit.n_inner), pick(rng, *unit.methods)
    if rng.random() < 0.03 and unit is DATASETS:
        method, n_inner = "hierarchical", 3
    if method in ("hierarchical", "bayes-signed-rank"):  # slow
        names, n_outer = names[:3], min(n_outer, 20)
    score = scores(rng, len(names), n_outer, n_inner)
    metric, lower = pick(rng, *METRICS)
    is_binary = unit is ITEMS and rng.random() < 0.5
    if is_binary:
        metric, lower = ("accuracy", False) if rng.random() < 0.5 else ("error_rate", True)
        score = np.where(np.isnan(score), np.nan, score > np.nanmean(score))
    if unit in (ITEMS, SEEDS) and rng.random() < 0.3:  # each model has its own
        owner = rng.integers(len(names), size=n_outer)
        score[owner != np.arange(len(names))[:, None]] = np.nan
    model, outer, inner = np.nonzero(~np.isnan(score))
    table: dict[str, Any] = {"model": np.array(names)[model], unit.outer: outer, "score": score[model, outer, inner]}
    table |= {unit.inner: inner} if n_inner > 1 or unit is SPLITS else {}
    own = {"metric": metric, "lower_is_better": lower, "method": method, "names": names, "spread": spread_of(score)}
    if unit is SPLITS:
        table |= {"fit_time": 0.1 + model + rng.random(len(model))} if rng.random() < 0.5 else {}
    if unit is SPLITS or method == "hierarchical":
        own |= {"n_train": 90, "n_test": 10}
    if unit is DATASETS:
        table["dataset"] = [f"d{each:02}" for each in outer]
        if method in ("auto", "sign") and rng.random() < 0.15:
            table["metric"] = [("accuracy", "rmse")[each % 2] for each in outer]
            own = {"method": method, "rope": 0.0, "names": names, "spread": 0.0}
    if unit is ITEMS:
        table |= {"cluster": [f"text {each % 5}" for each in outer]} if rng.random() < 0.25 else {}
        table |= {"weight": 1 + outer % 3} if rng.random() < 0.2 else {}
        if len(names) < 10 and rng.random() < 0.3:
            table["topic"], own["by"] = np.array(["law", "code", "maths"])[outer % 3], "topic"
    return table, own


def spread_of(score: np.ndarray) -> float:
    """A typical difference of two models."""
    means = [row[~np.isnan(row)].mean() for row in score if not np.isnan(row).all()]
    return float(np.ptp(means)) or 0.01


def scores(rng: Rng, n_models: int, n_outer: int, n_inner: int) -> np.ndarray:
    """Models, some of equal skill, and units, with copies, constant differences, ties, cycles, gaps, skew or another unit."""
    shape = (n_models, n_outer, n_inner)
    score = 0.8 + rng.uniform(-1, 1, (n_models, 1, 1)) * pick(rng, 0.0, 0.005, 0.02, 0.1) + rng.normal(0, 0.03, shape[1:])
    score = score + rng.normal(0, pick(rng, 0.001, 0.005, 0.02), shape)
    if n_models > 2 and rng.random() < 0.1:  # a over b over c over a
        score[:3] += np.array([np.roll([0.09, 0.06, 0.0], turn % 3) for turn in range(n_outer)]).T[..., None]
    score = score + pick(rng, *[0.0] * 6, 0.01, 0.1) * rng.lognormal(0.0, 1.5, shape)
    score = score.round(pick(rng, 1, 2, 3)) if rng.random() < 0.15 else score
    score = score * pick(rng, *[1.0] * 28, 1e-9, 1e-3, 1e3, 1e8)
    score = score - 2.0 * np.abs(score).max() if rng.random() < 0.08 else score
    special = rng.random()
    if n_models > 2 and special < 0.3:
        score[pick(rng, [1, 1], [1, -1])] = score[0]
        score[:] = score[0] if special < 0.03 else score
    elif special < 0.4:
        score[1] = score[0] - pick(rng, 0.0125, 0.25) * np.abs(score[0]).max()
    return with_gaps(rng, score) if rng.random() < 0.3 and n_outer > 4 else score


def with_gaps(rng: Rng, score: np.ndarray) -> np.ndarray:
    """Scores with gaps: anywhere, of one model, of two copies alike or not, or so that two groups share no unit."""
    half, n_outer, kind = max(1, len(score) // 2), score.shape[1], rng.random()
    if kind < 0.5:
        score[rng.random(score.shape) < pick(rng, 0.03, 0.06, 0.25)] = np.nan
    elif kind < 0.7:
        score[-1, : int(rng.integers(1, n_outer - 1))] = np.nan
    elif kind < 0.9:
        score[0, 0] = score[1, int(rng.random() < 0.5)] = np.nan
    else:
        score[:half, : n_outer // 2] = score[half:, n_outer // 2 :] = np.nan
    return score


def predictions(rng: Rng, names: list[str]) -> tuple[Any, dict[str, Any]]:
    """Areas under ROC curves, F1 and other metrics of all predictions together."""
    n = pick(rng, 60, 300)
    truth, y = np.arange(n) % 3 == 0, rng.normal(size=n)
    right = rng.uniform(0.6, 0.6 + pick(rng, 0.0, 0.1, 0.38), (len(names), 1))
    correct, noise = rng.random((len(names), n)) < right, rng.normal(size=(len(names), n))
    if len(names) > 2 and rng.random() < 0.3:
        correct[1], noise[1], right[1] = correct[0], noise[0], right[0]
    actual, said, metric = pick(
        rng,
        (truth, 2.0 * right * truth + noise, "roc_auc"),
        (truth, correct == truth, pick(rng, "f1", "balanced_accuracy", "mcc", "precision_macro")),
        (y, y + (1.5 - right) * np.where(correct, 0.3, 1.0) * noise, pick(rng, "rmse", "r2")),
    )
    clusters = np.arange(n) // 3 if rng.random() < 0.2 else None
    read = tb.read_predictions(actual, dict(zip(names, said, strict=True)), metric=metric, clusters=clusters)
    return read, {"names": names, "spread": 0.02}
