"""Twelve comparisons that a report is opened for, and what Python says of each with another rope or alpha."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import tiebreak as tb
from tests.views.situations import around, compared, named, table
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.comparison.requirements import Requirements
from tiebreak.comparison.verdict import REASONS, VERDICTS
from tiebreak.scores.metric import Metric
from tiebreak.views.comparison import family_note
from tiebreak.views.json import plain
from tiebreak.views.requirements import judgements

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
    return compared(table(_models(5, gap=0.02, noise=0.02, seed=3), LOSS), rope=0.02, correction="sidak")


def baseline() -> Comparison:
    """Models against a baseline, in an order that the caller gave."""
    scores = table(_models(7, gap=0.006, seed=4))
    return compared(scores, rope=0.004, baseline="c", order=tuple("gfedba"), alternative="greater")


def holm() -> Comparison:
    """Holm's level."""
    return compared(table(_models(8, gap=0.005, seed=5)), rope=0.01, correction="holm", p_best=True)


def hommel() -> Comparison:
    """Hommel's level, 12 models."""
    return compared(table(_models(12, seed=6)), rope=0.01, correction="hommel")


def twenty() -> Comparison:
    """Twenty models, 190 pairs."""
    return compared(table(_models(20, gap=0.003, n_splits=100, seed=7)), rope=0.01)


def datasets() -> Comparison:
    """Five models on 14 datasets: no Student distribution, so that ends at a choice of levels are in the page."""
    rng = np.random.default_rng(8)
    rows = [
        {"dataset": f"d{d}", "model": name, "score": round(0.7 + 0.02 * d + 0.012 * m + rng.normal(0, 0.02), 4)}
        for d in range(14)
        for m, name in enumerate("abcde")
    ]
    return tb.compare(pd.DataFrame(rows), metric="accuracy", rope=0.01)


def no_spread() -> Comparison:
    """Identical scores, scores the same distance apart, and others; Benjamini and Hochberg's level."""
    scores = _models(5, gap=0.01, seed=9)
    scores["b"], scores["d"] = scores["a"].copy(), scores["c"] - 0.0125
    return compared(table(scores), rope=0.01, correction="bh")


def items() -> Comparison:
    """Four models on 200 questions, right or wrong: Tango's interval, so ends at a choice of levels."""
    return tb.compare(tb.read_items(_right(4)), metric="accuracy", rope=0.03)


def clusters() -> Comparison:
    """Questions in clusters of four: a Student distribution, whatever the level."""
    frame = _right(3).assign(cluster=np.repeat(np.arange(50), 4))
    return tb.compare(tb.read_items(frame), metric="accuracy", rope=0.03, baseline="b")


def even() -> Comparison:
    """Two models that are right on as many questions, though not on the same ones."""
    return tb.compare(tb.read_items({"a": [1, 1, 0, 0] * 50, "b": [1, 0, 1, 0] * 50}, rows="items"), rope=0.15)


def resampled() -> Comparison:
    """Three models by macro F1, which has a score of all examples together and none of each."""
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 3, 200)
    predicted = {
        name: np.where(rng.random(200) < p, truth, rng.integers(0, 3, 200)) for name, p in (("a", 0.7), ("b", 0.6), ("c", 0.3))
    }
    items = tb.read_predictions(truth, predicted, metric="f1_macro")
    return tb.compare(items, rope=0.05, options={"n_draws": 9_999})  # else a smaller alpha has Python draw more


def rounded() -> Comparison:
    """Scores of two decimals by the sign test: shortfalls are the rope itself, but for rounding (0.81 - 0.8 is above 0.01)."""
    rows = [
        {"dataset": f"d{d}", "model": name, "score": round(0.7 + 0.01 * (d * 7 % 5 + better), 2)}
        for d in range(14)
        for name, better in (("a", d % 2), ("b", 1), ("c", d % 3))
    ]
    return tb.compare(pd.DataFrame(rows), metric="accuracy", rope=0.01, method="sign")


def _right(n_models: int) -> pd.DataFrame:
    rng = np.random.default_rng(n_models)
    hard = rng.random(200)
    right = {name: (hard + rng.normal(0, 0.3, 200) < 0.7 - 0.05 * m).astype(int) for m, name in enumerate("abcd"[:n_models])}
    return pd.DataFrame({"item": range(200), **right})


ANSWERS: dict[str, Callable[[], Comparison]] = {
    each.__name__: each
    for each in (
        two,
        percent,
        gaps,
        loss,
        baseline,
        holm,
        hommel,
        twenty,
        datasets,
        no_spread,
        items,
        clusters,
        even,
        resampled,
        rounded,
    )
}


def required(comparison: Comparison) -> Requirements:
    """Questions of every kind."""
    first, last = comparison.models[0], comparison.models[-1]
    return comparison.meets(better=(first, last), not_worse=[(last, first), (first, last)], near_best=[first, last])


def again(comparison: Comparison, rope: float, alpha: float, given: str | None = None) -> Comparison:
    """The same scores compared with another rope and alpha, or with a rope as it was given."""
    asked = replace(comparison.settings, rope=rope if given is None else given, alpha=alpha)
    return compare_scores(comparison.scores, asked)


def said(comparison: Comparison) -> dict[str, Any]:
    """All words of an answer."""
    table, ranking, models = comparison.pair_table, comparison.ranking_table, comparison.models
    few = models[:4]
    return {
        "sentence": comparison.sentence,
        "verdict": [VERDICTS[code] for code in table.verdict],
        "reason": [REASONS[code] for code in table.reason],
        "standing": [STANDINGS[code] for code in ranking.standing],
        "letters": ranking.letters,
        "requirements": judgements(required(comparison), comparison),
        "pairs": [comparison.pair(one, two).sentence for one in few for two in few if one != two],
        "note": family_note(comparison),
    }


def measured(comparison: Comparison) -> dict[str, Any]:
    """All numbers of an answer; None where there is none."""
    table, ranking = comparison.pair_table, comparison.ranking_table
    first = comparison.pair(*comparison.models[:2])
    return {
        "level": table.level,
        "low": plain(table.interval.low),
        "high": plain(table.interval.high),
        "shortfall": plain(ranking.best.shortfall_high),
        "regions": plain([first.p_better, first.p_equivalent, first.p_worse]),
        "requirements": plain([[each.interval_low, each.interval_high] for each in required(comparison)]),
    }


READ = """(answer) => {
  const finite = (value) => (Number.isFinite(value) ? value : null);
  const few = [...answer.data.names.keys()].slice(0, 4), first = answer.pair(0, 1), requirements = answer.requirements;
  return {
    said: {
      sentence: answer.sentence,
      verdict: Array.from(answer.verdict, (code) => Decide.VERDICTS[code]),
      reason: Array.from(answer.verdict, (_, row) => answer.reason(row)),
      standing: answer.standing.map((code) => Decide.STANDINGS[code]),
      letters: answer.letters,
      requirements: requirements.map((each) => each.line),
      pairs: few.flatMap((one) => few.filter((two) => one !== two).map((two) => answer.pairSentence(one, two))),
      note: answer.familyNote,
    },
    measured: {
      level: answer.level, low: Array.from(answer.low, finite), high: Array.from(answer.high, finite),
      shortfall: Array.from(answer.best.shortfallHigh, finite),
      regions: ["p_better", "p_equivalent", "p_worse"].map((name) => finite(first[name])),
      requirements: requirements.map((each) => [each.interval_low, each.interval_high].map(finite)),
    },
  };
}"""
"""JavaScript that says the same of an answer of decide.js."""


def differences(found: Any, expected: Any, where: str = "") -> list[str]:
    """Places where numbers differ by more than 1e-9 of their size, or where one is missing."""
    if isinstance(expected, dict):
        return [line for name, value in expected.items() for line in differences(found[name], value, f"{where} {name}")]
    if isinstance(expected, list):
        pairs = zip(found, expected, strict=True)
        return [line for at, (one, other) in enumerate(pairs) for line in differences(one, other, f"{where} {at}")]
    if expected is None or found is None:
        return [] if expected is found else [f"{where}: {found} is not {expected}"]
    is_close = abs(found - expected) <= 1e-9 * max(abs(expected), 1e-3)
    return [] if is_close else [f"{where}: {found!r} is not {expected!r}"]
