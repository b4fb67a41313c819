"""Answers that a report is opened for, one of each kind, and the same with another rope."""

from dataclasses import replace

import numpy as np

from tests.views.answers import ANSWERS
from tiebreak.comparison.comparison import Comparison, compare_scores

KINDS = (
    *("splits 2 better", "splits 2 constant", "splits 2 loss", "splits 4 copies best", "splits 4 gaps"),
    *("splits 5 against the best", "splits 5 baseline", "splits 5 holm", "splits 5 uncorrected"),
    *("datasets 4 open", "items 3 clusters", "items 3 error rate", "auc 3", "time 3 best", "seeds 2 own"),
)
"""Names among all answers: far apart, without spread, a rope in per cent, copies, gaps; every family and kind of interval."""


def answer_of(name: str) -> Comparison:
    """The answer of that name."""
    found: Comparison = ANSWERS[name]()
    return found


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
