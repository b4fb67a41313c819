"""Which candidate the inner splits choose for each outer split, and why there is none."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from tiebreak.evaluation.cells import log_of
from tiebreak.evaluation.evaluate import measure_plan
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.metrics.scorer import Scorer
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.plan.nested import NestedPlan
from tiebreak.plan.record import Cell
from tiebreak.scores.metric import Metric

NOTHING = -1
"""Stands for a candidate where none could be chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Choice among the candidates of one search on each outer split.

    Attributes
    ----------
    name : str
        Of the search.
    models : ndarray of shape (n_candidates,)
        Positions of the candidates among the models of the outer evaluation.
    candidates : tuple of str
        Names within the search.
    metric : Metric
        By which it chooses.
    inner_mean : ndarray of shape (n_candidates, n_outer)
        Mean score of each candidate on the inner splits of each outer training set; nan where a split lacks a score.
    chosen : ndarray of shape (n_outer,)
        Positions among the candidates; -1 where none could be chosen.
    reasons : tuple of str
        For each outer split why none could be chosen; "" where one was.
    inner : Evaluation or None
        The candidates on the inner splits, whose `repeat` is the position of the outer split; None for a single candidate.
    """

    name: str
    models: IntArray
    candidates: tuple[str, ...]
    metric: Metric
    inner_mean: FloatArray
    chosen: IntArray
    reasons: tuple[str, ...]
    inner: Evaluation | None = field(default=None, repr=False)

    @property
    def n_chosen(self) -> IntArray:
        """On how many outer splits each candidate was chosen, of shape (n_candidates,)."""
        return np.bincount(self.chosen[self.chosen != NOTHING], minlength=len(self.candidates))

    @property
    def n_distinct(self) -> int:
        """Number of different candidates that were chosen."""
        return int(np.count_nonzero(self.n_chosen))

    @property
    def favourite(self) -> int:
        """The candidate that was chosen most often, the first of several; -1 where none ever was."""
        counts = self.n_chosen
        return int(counts.argmax()) if counts.any() else NOTHING

    def n_inner(self) -> tuple[int, int]:
        """The smallest and the largest number of inner splits of an outer one; zeros for a single candidate."""
        if self.inner is None:
            return 0, 0
        counts = np.unique(self.inner.record.datasets[0].repeat, return_counts=True)[1]
        return int(counts.min()), int(counts.max())

    def best_inner(self) -> FloatArray:
        """Inner mean of the candidate that was chosen on each outer split, which is what the search itself reports."""
        best = np.full(self.chosen.size, np.nan)
        has = np.flatnonzero(self.chosen != NOTHING)
        best[has] = self.inner_mean[self.chosen[has], has]
        return best

    def cells(self) -> list[Cell]:
        """The cells of the outer evaluation that score what was chosen."""
        return [Cell(0, split, int(self.models[c])) for split, c in enumerate(self.chosen.tolist()) if c != NOTHING]


def choose(nested: NestedPlan, place: int, scorer: Scorer, run: RunOptions) -> Choice:
    """Measure the candidates of a selection on the inner splits, and choose on each outer split the one with the best mean.

    As in scikit-learn's searches the first of equally good ones is chosen, and a candidate without a score on some inner split
    is never chosen while another has all. Means that differ by rounding only (1e-12 of them) are equally good. `place` is that
    of the selection among those of the plan.
    """
    selection, plan = nested.selections[place], nested.inner[place]
    models, n_outer = np.array(nested.places[place], dtype=np.intp), len(nested.outer.datasets[0].splits)
    if plan is None:
        nothing, first = np.full((1, n_outer), np.nan), np.zeros(n_outer, dtype=np.intp)
        return Choice(selection.name, models, tuple(selection.candidates), scorer.metric, nothing, first, ("",) * n_outer)
    of = "" if len(nested.selections) == 1 else f" {selection.name}"
    inner = measure_plan(plan, (scorer,), dataclasses.replace(run, name=f"{run.name} inner{of}"), keep_predictions=False)
    grid, outer, metric = inner.grid(0, 0), plan.datasets[0].described.repeat, scorer.metric
    mean = np.stack([grid[:, outer == position].mean(axis=1) for position in range(n_outer)], axis=1)
    chosen = np.array([first_best(column, metric.sign) for column in mean.T], dtype=np.intp)
    reasons = tuple("" if c != NOTHING else _why_nothing(inner, outer == at) for at, c in enumerate(chosen.tolist()))
    return Choice(selection.name, models, inner.models, metric, mean, chosen, reasons, inner)


def first_best(scores: FloatArray, sign: int) -> int:
    """Position of the best score, the first of those that differ by rounding only; -1 where all are nan."""
    if np.isnan(scores).all():
        return NOTHING
    oriented = sign * scores
    best = np.nanmax(oriented)
    return int(np.flatnonzero(oriented >= best - RELATIVE_TOLERANCE * abs(best))[0])


def _why_nothing(inner: Evaluation, mine: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    """Reason of the first cell without a score, and how many are like it."""
    cells = [Cell(0, split, model) for split in np.flatnonzero(mine).tolist() for model in range(len(inner.models))]
    texts = [
        outcome.message or next(iter(outcome.undefined.values()), "")
        for outcome in log_of(inner).outcomes(cells)
        if not outcome.is_done or outcome.undefined
    ]
    return f"no candidate has all its inner scores: {len(texts)} of {len(cells)} are missing, the first because of {texts[0]}"
