"""Small score tables for the tests of this room, and the whole answer by plain loops to hold against."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

ACCURACY = Metric("accuracy", higher_is_better=True)
RMSE = Metric("rmse", higher_is_better=False)
MOONS = Path(__file__).parents[1] / "reference" / "data" / "moons_svc_auc_10x10.csv"
MOONS_NAMES = {"rbf": "rbf", "linear": "linear", "3_poly": "poly, degree=3", "2_poly": "poly, degree=2"}


def scores_of(
    table: Any,
    names: Sequence[str] | None = None,
    *,
    metric: Metric = ACCURACY,
    n_train: Any = 90,
    n_test: Any = 10,
    n_folds: int | None = None,
    design: SplitDesign | None = None,
) -> Scores:
    """Rows are models, named "a", "b", ... unless given; columns are splits."""
    score = np.array(table, dtype=float)
    n_models, n_splits = score.shape
    split, sizes = np.arange(n_splits), [np.broadcast_to(np.asarray(n), n_splits).copy() for n in (n_train, n_test)]
    names = names if names is not None else [chr(ord("a") + i) for i in range(n_models)]
    matrix = ScoreMatrix("", tuple(names), split // (n_folds or n_splits), split % (n_folds or n_splits), *sizes, score)
    return Scores(metric, (matrix,), design or SplitDesign("repeated-kfold", sizes="exact"))


def compared(table: Any, names: Sequence[str] | None = None, **options: Any) -> Comparison:
    """The comparison of `scores_of`; what it does not know is a setting."""
    ours = {key: options.pop(key) for key in ("metric", "n_train", "n_test", "n_folds", "design") if key in options}
    if isinstance(options.get("order"), list):
        options["order"] = tuple(options["order"])
    return compare_scores(scores_of(table, names, **ours), Settings(**options))


def moons_scores() -> Scores:
    """The gallery's table: four SVC kernels on moons, 10 times 10-fold, AUC."""
    with MOONS.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    table = np.array(rows, dtype=float).T
    return scores_of(
        table[2:], [MOONS_NAMES[name] for name in names[2:]], metric=Metric("roc_auc", higher_is_better=True), n_folds=10
    )


def noisy(*means: float, noise: float = 0.02, n_splits: int = 10, seed: int = 0) -> np.ndarray:
    """A row for each mean, exactly that mean, sharing how hard each split is."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(0, 0.03, n_splits), rng.normal(0, noise, (len(means), n_splits))
    return np.array(means)[:, None] + shared - shared.mean() + own - own.mean(axis=1, keepdims=True)


def around(mean: float, sd: float, n_splits: int = 10) -> np.ndarray:
    """Differences with exactly this mean and standard deviation."""
    d = np.random.default_rng(1).normal(size=n_splits)
    return mean + sd * (d - d.mean()) / d.std(ddof=1)


def pair_with(mean: float, sd: float, n_splits: int = 10) -> np.ndarray:
    """Two models whose differences have this mean and standard deviation."""
    second = np.linspace(0.7, 0.8, n_splits)
    return np.array([second + around(mean, sd, n_splits), second])


# --- the answer by the book -----------------------------------------------------------------------------------------


def by_the_book(scores: Scores, settings: Settings, rope: float) -> pd.DataFrame:
    """`pairs` from design sections 3 and 4, one pair at a time, with scipy's t distribution."""
    matrix, sign = scores.matrix(), scores.metric.sign
    complete = {name: not np.isnan(row).any() for name, row in zip(matrix.models, matrix.score, strict=True)}
    mean = {name: sign * np.nanmean(row) for name, row in zip(matrix.models, matrix.score, strict=True)}
    ranking = sorted(matrix.models, key=lambda name: (not complete[name], -mean[name], name))
    listed = list(settings.order or [name for name in ranking if name != settings.baseline])
    if settings.baseline is not None:
        family = [(name, settings.baseline) for name in listed]
    else:
        family = [(one, two) for i, one in enumerate(listed) for two in listed[i + 1 :]]
    frame = pd.DataFrame([_row(scores, one, two, rope, settings) for one, two in family])
    correction, alpha = settings.correction or "bonferroni", settings.alpha
    frame["adjusted_pvalue"] = _adjust(frame["pvalue"].to_numpy(dtype=float), correction)
    rejected = int(np.sum(_adjust(frame["two_sided"].to_numpy(dtype=float), "holm") <= alpha))
    left = max(1, len(family) - rejected)
    frame["interval_alpha"] = {"bonferroni": alpha / len(family), "none": alpha, "holm": alpha / left}[correction]
    half = stats.t.isf(frame["interval_alpha"] / 2, np.maximum(frame["df"], 1)) * frame["standard_error"]
    has_interval = frame["reason"] == ""
    frame["interval_low"] = np.where(has_interval, frame["difference"] - half, np.nan)
    frame["interval_high"] = np.where(has_interval, frame["difference"] + half, np.nan)
    frame["verdict"] = [_place(low, high, rope) for low, high in zip(frame["interval_low"], frame["interval_high"], strict=True)]
    open_ones = (frame["verdict"] == "undecided") & has_interval
    frame["reason"] = np.where(open_ones, "unsettled", frame["reason"])
    return frame


def _place(low: float, high: float, rope: float) -> str:
    """The verdict of an interval."""
    if low > rope:
        return "better"
    if high < -rope:
        return "worse"
    if rope and -rope <= low and high <= rope:
        return "equivalent"
    return "ahead" if low > 0 else "behind" if high < 0 else "undecided"


def _row(scores: Scores, one: str, two: str, rope: float, settings: Settings) -> dict[str, Any]:
    matrix = scores.matrix()
    first, second = (matrix.score[matrix.models.index(name)] for name in (one, two))
    shared = ~np.isnan(first) & ~np.isnan(second)
    d = scores.metric.sign * (first - second)[shared]
    n, df = d.size, max(d.size - 1, 0)
    ratio = 0.0 if settings.method == "paired-t" or n == 0 else float(np.mean(matrix.ratio[shared]))
    scale = max(np.abs(first[shared]).max(initial=0), np.abs(second[shared]).max(initial=0))
    row: dict[str, Any] = {"first": one, "second": two, "n_units": n, "df": df}
    nothing = {"two_sided": np.nan}
    if n < 2:
        undefined = dict.fromkeys(("standard_error", "statistic", "pvalue", "p_better", "p_equivalent", "p_worse"), np.nan)
        return row | nothing | undefined | {"difference": d.mean() if n else np.nan, "reason": "missing-splits"}
    mean = float(d.mean())
    if np.abs(d - mean).max() <= 1e-12 * scale:
        zero = abs(mean) <= 1e-12 * scale
        inside = abs(mean) <= rope + 1e-12 * scale
        return (
            row
            | nothing
            | {
                "difference": 0.0 if zero else mean,
                "standard_error": 0.0,
                "statistic": np.nan if zero else np.copysign(np.inf, mean),
                "pvalue": 1.0 if zero else np.nan,
                "two_sided": 1.0,
                "p_better": float(mean > 0 and not inside),
                "p_equivalent": float(inside),
                "p_worse": float(mean < 0 and not inside),
                "reason": "identical-scores" if zero else "no-spread",
            }
        )
    se = np.sqrt((1 / n + ratio) * d.var(ddof=1))
    t = stats.t(df)
    tail = {"two-sided": 2 * t.sf(abs(mean / se)), "greater": t.sf(mean / se), "less": t.cdf(mean / se)}
    regions = {"better": t.sf((rope - mean) / se), "worse": t.cdf((-rope - mean) / se)}
    regions["equivalent"] = 1 - regions["better"] - regions["worse"]
    return row | {
        "difference": mean,
        "standard_error": se,
        "statistic": mean / se,
        "pvalue": tail[settings.alternative],
        "two_sided": tail["two-sided"],
        "p_better": regions["better"],
        "p_equivalent": regions["equivalent"],
        "p_worse": regions["worse"],
        "reason": "",
    }


def _adjust(p: np.ndarray, correction: str) -> np.ndarray:
    filled = np.where(np.isnan(p), 1.0, p)
    order, m = np.argsort(filled, kind="stable"), p.size
    adjusted = p if correction == "none" else np.minimum(1.0, m * filled)
    if correction == "holm":
        steps = np.maximum.accumulate(filled[order] * (m - np.arange(m)))
        adjusted[order] = np.minimum(1.0, steps)
    return np.where(np.isnan(p), np.nan, adjusted)
