"""Comparisons that a report is opened for, and what Python says of each with another rope or alpha."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import tiebreak as tb
from tests.views.situations import ACCURACY, around, compared, named, table
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.family import REASONS, Family
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.comparison.requirements import Requirements
from tiebreak.numerics.law import VERDICTS
from tiebreak.scores.metric import Metric
from tiebreak.views.answer import limits, table_decimals
from tiebreak.views.report.decide import columns_of, decide_data, takes_rope
from tiebreak.views.report.old_comparison import family_note
from tiebreak.views.requirements import judgements
from tiebreak.views.words import format_interval, format_score

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


def outlier() -> Comparison:
    """One model is far off, and another a copy."""
    scores = _models(6, seed=4)
    scores["f"] = scores["f"] - 0.4
    scores["e"] = scores["d"]
    return compared(table(scores), rope=0.01)


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


def twenty() -> Comparison:
    """Twenty models, 190 pairs."""
    return compared(table(_models(20, gap=0.003, n_splits=100, seed=7)), rope=0.01)


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


def same() -> Comparison:
    """Nothing but copies."""
    row = _models(1, seed=12)["a"]
    return compared(table({name: row.copy() for name in "abc"}), rope=0.01)


def best() -> Comparison:
    """Comparisons with the best, a loss."""
    return compared(table(_models(6, gap=0.01, noise=0.02, seed=13), LOSS), rope=0.02, family="best")


def best_of_two() -> Comparison:
    """Comparisons with the best of two models, of which one is."""
    return compared(table(_models(2, gap=0.03, seed=14)), rope=0.01, family="best")


def best_items() -> Comparison:
    """Comparisons with the best of questions that are right or wrong, with a copy."""
    frame = _right(4)
    return tb.compare(tb.read_items(frame.assign(e=frame["b"])), metric="accuracy", rope=0.05, family="best")


def three_df() -> Comparison:
    """Three pairs, each with degrees of freedom of its own."""
    scores = _models(3, gap=0.01, seed=15)
    scores["a"][:3] = np.nan
    scores["b"][5:10] = np.nan
    scores["c"][9:12] = np.nan
    return compared(table(scores), rope=0.005, missing="pairwise", baseline="b")


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


def baseline_datasets() -> Comparison:
    """Wilcoxon's intervals against a baseline: those of other pairs are at a level of their own."""
    return tb.compare(datasets().scores, metric="accuracy", rope=0.02, baseline="b")


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
    return tb.compare(items, rope=0.05)


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
        outlier,
        gaps,
        loss,
        baseline,
        holm,
        twenty,
        datasets,
        no_spread,
        items,
        clusters,
        even,
        resampled,
        rounded,
        copies,
        same,
        best,
        best_of_two,
        best_items,
        baseline_datasets,
        three_df,
    )
}


def required(comparison: Comparison) -> Requirements:
    """Questions of every kind; beside a noise floor where the number of models is odd."""
    first, last = comparison.models[0], comparison.models[-1]
    asked = {"better": (first, last), "not_worse": [(last, first), (first, last)], "near_best": [first, last]}
    return comparison.meets(**asked, noise_floor=0.01 if len(comparison.models) % 2 else None)


def again(comparison: Comparison, rope: float, alpha: float, given: str | None = None) -> Comparison:
    """The same comparison with another rope and alpha, or with a rope as it was given; models stay in their order."""
    known = KNOWN.setdefault(id(comparison), (comparison, {}))[1]
    known.setdefault(alpha, replace(comparison.pair_table, alpha=alpha))
    table = replace(known[alpha], rope=rope)
    table.__dict__.update({name: getattr(known[alpha], name) for name in ("interval", "interval_alpha", "adjusted_pvalue")})
    settings = replace(comparison.settings, alpha=alpha, rope=rope if given is None else given)
    return replace(comparison, settings=settings, rope=rope, pair_table=table)


KNOWN: dict[int, tuple[Comparison, dict[float, Family]]] = {}
"""Tables at other alphas that were asked about before, as intervals of some procedures take long."""


def stops(comparison: Comparison, seed: int, n_ropes: int = 50) -> list[dict[str, Any]]:
    """As it was asked, and many ropes from 0 to beyond all intervals, at every alpha that the page offers.

    Among the ropes are round ones, ends of intervals themselves, and their neighbours.
    """
    rng = np.random.default_rng(seed)
    alphas = [each["alpha"] for each in decide_data(comparison)["alphas"]]
    ends = np.abs(np.concatenate(comparison.pair_table.interval))
    ends = ends[np.isfinite(ends)]
    most = 1.2 * float(ends.max(initial=0.0)) or 0.1
    drawn = rng.uniform(0, most, n_ropes // 2)
    ropes = [0.0, *drawn[::2].tolist(), *(float(f"{rope:.2g}") for rope in drawn[1::2])]
    near = rng.choice(ends, min(ends.size, n_ropes - len(ropes)), replace=False) if ends.size else ends
    ropes += [float(f"{end:.{3 + 3 * (n % 5)}g}") for n, end in enumerate(near)]
    ropes += rng.uniform(0, most, n_ropes - len(ropes)).tolist()
    if not takes_rope(comparison):
        ropes = [0.0]
    given = comparison.settings.rope if isinstance(comparison.settings.rope, str) else None
    asked = [{"rope": comparison.rope, "alpha": alpha, "given": given} for alpha in alphas]
    return asked + [{"rope": rope, "alpha": alpha, "given": None} for rope in ropes for alpha in alphas]


def said(comparison: Comparison, *, is_whole: bool = True) -> dict[str, Any]:
    """All words and printed numbers of an answer; sentences on pairs and requirements, which take long, only of a whole one."""
    table, ranking, models, lines = comparison.pair_table, comparison.ranking_table, comparison.models, columns_of(comparison)
    few, decimals = models[:4], table_decimals(comparison)
    return {
        "sentence": comparison.sentence,
        "verdict": [VERDICTS[code] for code in table.verdict],
        "reason": [REASONS[code] for code in table.reason],
        "standing": None if ranking.standing is None else [STANDINGS[code] for code in ranking.standing],
        "requirements": judgements(required(comparison), comparison) if is_whole else [],
        "pairs": [comparison.pair(one, two).sentence for one in few for two in few if one != two] if is_whole else [],
        "intervals": [format_interval(*ends, decimals, limits(comparison)) for ends in np.transpose(table.interval).tolist()],
        "differences": [format_score(d, decimals, signed=True) for d in np.asarray(table.difference).tolist()],
        "note": family_note(comparison),
        "texts": {name: texts for name, texts in lines.items() if name != "n"},
    }


READ = """(answer, written, isWhole = true) => {
  const few = isWhole ? [...answer.data.names.keys()].slice(0, 4) : [], { first, second } = answer.family;
  const pairs = Array.from(first, (one, row) => answer.pair(one, second[row]));
  const texts = pairs.map((pair) => answer.pairTexts(pair.first, pair.second));
  const all = { ...written, ...answer.held.texts };
  for (const [k, row] of answer.lines.entries()) {
    for (const [name, text] of Object.entries(answer.rankingTexts(row))) {
      if (text !== undefined && name in all) all[name] = all[name].with(k, text);
    }
  }
  return {
    sentence: answer.sentence, verdict: pairs.map((pair) => pair.verdict), reason: pairs.map((pair) => pair.reason),
    standing: answer.standing?.map((code) => Decide.STANDINGS[code]) ?? null,
    requirements: isWhole ? answer.requirements.map((each) => each.line) : [],
    pairs: few.flatMap((one) => few.filter((two) => one !== two).map((two) => answer.pairSentence(one, two))),
    intervals: texts.map((each) => each.interval), differences: texts.map((each) => each.difference),
    note: answer.familyNote, texts: all,
  };
}"""
"""JavaScript that says the same of an answer of decide.js, given the texts of the ranking as Python wrote them."""
