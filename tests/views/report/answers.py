"""Comparisons that a report is opened for, and the same with another rope."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import tiebreak as tb
from tests.views.situations import ACCURACY, around, compared, named, table
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.scores.metric import Metric

LETTERS = tuple("abcdefghijklmnopqrst")
LOSS = Metric("log_loss", higher_is_better=False)


def _models(n: int, gap: float = 0.004, noise: float = 0.012, n_splits: int = 20, seed: int = 0) -> dict[str, np.ndarray]:
    """Models a, b, c, ..., each a little worse than the one before."""
    return named(*around(*(0.85 - gap * np.arange(n)), noise=noise, n_splits=n_splits, seed=seed), names=LETTERS)


def two() -> Comparison:
    """Two models, far apart."""
    return compared(table(_models(2, gap=0.03)), rope=0.01)


def percent() -> Comparison:
    """A rope that is a share of the best mean."""
    return compared(table(_models(4, seed=1)), rope="1%")


def gaps() -> Comparison:
    """Scores are missing, so that pairs have degrees of freedom of their own and models cannot be ranked in one line."""
    scores = _models(6, gap=0.01, seed=2)
    rng = np.random.default_rng(2)
    for name in "abd":
        scores[name][rng.permutation(20)[:7]] = np.nan
    scores["f"][3:] = np.nan
    return compared(table(scores), rope=0.005, missing="pairwise")


def loss() -> Comparison:
    """A loss, of which lower is better."""
    return compared(table(_models(5, gap=0.02, noise=0.02, seed=3), LOSS), rope=0.02, correction="none")


def baseline() -> Comparison:
    """Models against a baseline."""
    scores = table(_models(7, gap=0.006, seed=4))
    return compared(scores, rope=0.004, baseline="c")


def holm() -> Comparison:
    """Holm's level."""
    return compared(table(_models(8, gap=0.005, seed=5)), correction="holm")


def datasets() -> Comparison:
    """Five models on 14 datasets: no Student distribution, so that ends at a choice of levels are in the page."""
    rng = np.random.default_rng(8)
    rows = [
        {"dataset": f"d{d}", "model": name, "score": round(0.6 + 0.02 * d + 0.012 * m + rng.normal(0, 0.02), 4)}
        for d in range(14)
        for m, name in enumerate("abcde")
    ]
    return tb.compare(pd.DataFrame(rows), metric="accuracy", rope=0.01)


def no_spread() -> Comparison:
    """Identical scores, scores the same distance apart, and others."""
    scores = _models(5, gap=0.01, seed=9)
    scores["b"], scores["d"] = scores["a"].copy(), scores["c"] - 0.0125
    return compared(table(scores), rope=0.01)


def copies() -> Comparison:
    """Three models whose predictions were the same, with gaps, so that the mean is adjusted."""
    scores = _models(6, gap=0.008, seed=11)
    scores["a"][[2, 7]] = np.nan
    scores["c"] = scores["a"].copy()
    scores["e"] = scores["d"].copy()
    return compared(table(scores), rope=0.006, missing="pairwise")


def best() -> Comparison:
    """Comparisons with the best, a loss."""
    return compared(table(_models(6, gap=0.01, noise=0.02, seed=13), LOSS), rope=0.02, family="best")


def random_answer(seed: int) -> Comparison:
    """Gaps, copies, equal means, constant differences, losses, every family and correction, 2 to 9 models."""
    rng = np.random.default_rng(seed)
    n_models, n_splits = int(rng.integers(2, 10)), int(rng.choice([5, 10, 30]))
    score = 0.8 + rng.uniform(-1, 1, (n_models, 1)) * rng.choice([0, 0.01, 0.05]) + rng.normal(0, 0.03, n_splits)
    score = np.round(score + rng.normal(0, rng.choice([0.003, 0.02]), (n_models, n_splits)), int(rng.choice([2, 4, 12])))
    rope = rng.choice(np.array([0.0, 0.01, 0.03, "1%"], dtype=object))
    settings: dict[str, Any] = {"rope": rope, "alpha": float(rng.choice([0.05, 0.02]))}
    if rng.random() < 0.3:
        score[rng.random(score.shape) < 0.2] = np.nan
        score[:, :2] = np.where(np.isnan(score[:, :2]), 0.8, score[:, :2])
        settings["missing"] = "pairwise"
    if n_models > 3 and rng.random() < 0.4:
        score[1], score[3] = score[0], score[2] - rng.choice([0.0, 0.0125])
    kind = rng.choice(["pairs", "baseline", "best"])
    settings |= {"baseline": "b"} if kind == "baseline" else {"family": str(kind)}
    if kind != "best":
        steps = ["holm", "bh", *(["shaffer"] if kind == "pairs" else [])] if settings["rope"] in (0.0, "0%") else []
        settings["correction"] = rng.choice(np.array([None, "none", *steps], dtype=object))
    metric = LOSS if rng.random() < 0.3 else ACCURACY
    return compared(table(dict(zip(LETTERS, score, strict=False)), metric), **settings)


def items() -> Comparison:
    """Four models on 200 questions, right or wrong: Tango's interval, so ends at a choice of levels."""
    return tb.compare(tb.read_items(_right(4)), metric="accuracy", rope=0.03)


def _right(n_models: int) -> pd.DataFrame:
    rng = np.random.default_rng(n_models)
    hard = rng.random(200)
    right = {name: (hard + rng.normal(0, 0.3, 200) < 0.7 - 0.05 * m).astype(int) for m, name in enumerate("abcd"[:n_models])}
    return pd.DataFrame({"item": range(200), **right})


ANSWERS: dict[str, Callable[[], Comparison]] = {
    each.__name__: each for each in (two, percent, gaps, loss, baseline, holm, datasets, no_spread, items, copies, best)
}


def again(comparison: Comparison, rope: float) -> Comparison:
    """The same comparison with another rope."""
    return compare_scores(comparison.scores, replace(comparison.settings, rope=rope))


def ropes(comparison: Comparison, rng: np.random.Generator, n: int = 8) -> list[float]:
    """Ropes from 0 to beyond all intervals; ends of intervals themselves and their neighbours among them."""
    ends = np.abs(np.concatenate(comparison.pair_table.interval))
    ends = ends[np.isfinite(ends)]
    near = rng.choice(ends, min(ends.size, n)).tolist() if ends.size else []
    drawn = rng.uniform(0, 1.2 * float(ends.max(initial=0.1)), n).tolist()
    return [0.0, *drawn, *near, *(float(f"{end:.3g}") for end in near)]
