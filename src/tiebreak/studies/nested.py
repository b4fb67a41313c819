"""Nested cross-validation: the honest score of a choice, and what would have been claimed without nesting."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import InvalidParameterError, MissingSplitsError
from tiebreak.evaluation.cells import log_of, metric_position
from tiebreak.evaluation.evaluate import find_scorers, measure_plan
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.run_options import RunOptions, check_flags
from tiebreak.metrics.scorer import Scorer
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    check_probability,
    check_rope_given,
    corrected_interval,
    rope_share,
    row_moments,
)
from tiebreak.plan.nested import NestedPlan
from tiebreak.plan.record import Cell
from tiebreak.result import Result, view_of
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import Notice, look_up, quoted
from tiebreak.studies.nested_choice import NOTHING, Choice, choose, first_best

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.bbc import BiasCorrectedScore
    from tiebreak.scores.scores import Scores


@dataclass(frozen=True, slots=True)
class NestedScore:
    """The score of a choice on examples that took no part in it, beside what would be claimed without nesting.

    Attributes
    ----------
    metric : Metric
    mean : float
        Over the outer splits, in the metric's unit.
    standard_error, low, high : float
        Corrected for shared training data, and the interval of the mean, cut off at bounds of the metric that are known (an
        accuracy is at most 1); nan where `reason` says why.
    n_splits : int
        Outer splits with a score.
    claim : float
        Plain cross-validation of the same candidates on the same outer splits: the mean of the one with the best mean. nan
        where the candidates were not measured there.
    claimed_by : str
        That candidate; "" where there is none.
    inner_claim : float
        Mean over the outer splits of the best inner mean, which a fitted search calls its best score; nan where the choice was
        by another metric, or where there was none.
    reason : str
        Why there is no interval: "", "one-split", "no-spread" or "missing-splits".
    is_cut : bool
        Whether an end of the interval was cut off.
    """

    metric: Metric
    mean: float
    standard_error: float
    low: float
    high: float
    n_splits: int
    claim: float
    claimed_by: str
    inner_claim: float
    reason: str = ""
    is_cut: bool = False

    @property
    def optimism(self) -> float:
        """Excess of the claim over the honest score, in the metric's unit; positive flatters."""
        return self.metric.sign * (self.claim - self.mean)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NestedEvaluation(Result):
    """Honest scores of choices, with everything that they are made of.

    Attributes
    ----------
    outer : Evaluation
        All candidates on the outer splits: plain cross-validation, whose cells hold the outer scores of what was chosen.
    choices : tuple of Choice
        One for each search, with the inner results.
    rope : float or str
        Smallest difference that matters, in the metric's unit or as a percentage of the honest score.
    alpha : float
        1 - coverage of the intervals.
    is_plain : bool
        Whether all candidates were measured on the outer splits, not only those that were chosen.
    notices : tuple of Notice
    """

    outer: Evaluation
    choices: tuple[Choice, ...]
    rope: float | str
    alpha: float
    is_plain: bool
    notices: tuple[Notice, ...]

    @property
    def searches(self) -> tuple[str, ...]:
        """Names of the searches."""
        return tuple(choice.name for choice in self.choices)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics on the outer splits; the first one is what is reported."""
        return self.outer.metrics

    @property
    def n_outer(self) -> int:
        """Number of outer splits."""
        return self.outer.record.datasets[0].n_splits

    def choice(self, search: str | None = None) -> Choice:
        """The choices of one search; it need not be named where there is only one."""
        if search is None and len(self.choices) > 1:
            raise InvalidParameterError(f"there are {len(self.choices)} searches: {quoted(self.searches)}. Name one.")
        return self.choices[0 if search is None else look_up(search, self.searches, "search")]

    # --- scores -----------------------------------------------------------------------------------------------------------

    def outer_scores(self, search: str | None = None, metric: str | None = None) -> FloatArray:
        """Score of what was chosen on each outer split, of shape (n_outer,); nan where there is none."""
        choice = self.choice(search)
        grid = self.outer.grid(0, metric_position(self.outer, metric))
        scores = np.full(self.n_outer, np.nan)
        has = np.flatnonzero(choice.chosen != NOTHING)
        scores[has] = grid[choice.models[choice.chosen[has]], has]
        return scores

    def reasons(self, search: str | None = None, metric: str | None = None) -> tuple[str, ...]:
        """For each outer split why there is no score; "" where there is one."""
        choice = self.choice(search)
        name = self.metrics[metric_position(self.outer, metric)]
        reasons = list(choice.reasons)
        for split in np.flatnonzero(np.isnan(self.outer_scores(choice.name, metric)) & (choice.chosen != NOTHING)).tolist():
            cell = Cell(0, split, int(choice.models[choice.chosen[split]]))
            outcome = next(log_of(self.outer).outcomes([cell]), None)
            said = outcome.message or outcome.undefined.get(name, "") if outcome is not None else "it was not measured"
            reasons[split] = f"{choice.candidates[choice.chosen[split]]!r} was chosen and has no score: {said}"
        return tuple(reasons)

    def score(self, search: str | None = None, metric: str | None = None) -> NestedScore:
        """The honest score of a search, with its interval, and the claims beside it.

        Parameters
        ----------
        search : str, optional
            Not needed where there is only one.
        metric : str, optional
            The first one if not given.
        """
        choice = self.choice(search)
        known = self.outer.record.metrics[metric_position(self.outer, metric)].metric
        scores = self.outer_scores(choice.name, metric)
        has = ~np.isnan(scores)
        n_splits = int(np.count_nonzero(has))
        record = self.outer.record.datasets[0]
        ratio = (record.n_test / record.n_train)[has].sum() / max(n_splits, 1)
        moments = row_moments(scores[has])
        error, (low, high) = corrected_interval(moments, ratio, self.alpha)
        reason = "" if error > 0 else "no-spread"
        if n_splits < 2:
            reason = "one-split" if scores.size == 1 else "missing-splits"
        bounds = known.bounds_of(np.fmin.reduce(scores, initial=np.nan), np.fmax.reduce(scores, initial=np.nan))
        # who would be chosen without nesting, by the metric of the search
        best = first_best(self.plain_mean(choice.name, choice.metric.name), choice.metric.sign)
        is_claimed = best != NOTHING and len(choice.candidates) > 1
        inner = choice.best_inner()[choice.chosen != NOTHING] if choice.metric == known else np.empty(0)
        return NestedScore(
            metric=known,
            mean=float(moments.mean),
            standard_error=float(error),
            low=float(np.clip(low, *bounds)),
            high=float(np.clip(high, *bounds)),
            n_splits=n_splits,
            claim=float(self.plain_mean(choice.name, metric)[best]) if is_claimed else float("nan"),
            claimed_by=choice.candidates[best] if is_claimed else "",
            inner_claim=float(inner.mean()) if inner.size else float("nan"),
            reason=reason,
            is_cut=bool(low < bounds[0] or high > bounds[1]),
        )

    def plain_mean(self, search: str | None = None, metric: str | None = None) -> FloatArray:
        """Mean of each candidate over all outer splits, of shape (n_candidates,); nan where one is missing."""
        choice = self.choice(search)
        if not self.is_plain:
            return np.full(len(choice.candidates), np.nan)
        return np.asarray(self.outer.grid(0, metric_position(self.outer, metric))[choice.models].mean(axis=1))

    def rope_width(self, search: str | None = None) -> float:
        """The rope in the unit of the metric by which a search chooses."""
        choice = self.choice(search)
        if not isinstance(self.rope, str):
            return self.rope
        return rope_share(self.rope, "honest score") * abs(self.score(choice.name, choice.metric.name).mean)

    # --- other answers ----------------------------------------------------------------------------------------------------

    def scores(self, metric: str | None = None) -> Scores:
        """Searches by outer splits in one metric, as `tiebreak.compare` takes them: scores of what each search chose.

        Raises
        ------
        MissingSplitsError
            No search has a score.
        """
        from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

        record = self.outer.record.datasets[0]
        table = np.stack([self.outer_scores(name, metric) for name in self.searches])
        if np.isnan(table).all():
            why = next(filter(None, self.reasons(self.searches[0])))
            raise MissingSplitsError(f"no search has a score on any outer split: {why}")
        order = np.lexsort((record.fold, record.repeat))
        repeat, fold, n_train, n_test = (key[order] for key in (record.repeat, record.fold, record.n_train, record.n_test))
        matrix = ScoreMatrix(record.name, self.searches, repeat, fold, n_train, n_test, table[:, order])
        known = self.outer.record.metrics[metric_position(self.outer, metric)].metric
        design = SplitDesign(record.kind, record.ordered, "key", "exact", self.outer.scores(metric).design.hash)
        return Scores(known, (matrix,), design)

    def compare(self, metric: str | None = None, **settings: Any) -> Comparison:
        """Say which search is better, each with its choice made anew on every outer training set.

        Parameters
        ----------
        metric : str, optional
            The first one if not given.
        **settings
            Of `tiebreak.compare`; rope and alpha are those of this evaluation if not given.
        """
        from tiebreak.comparison.compare import compare_scores
        from tiebreak.comparison.settings import settings_for

        scores = self.scores(metric)
        return compare_scores(scores, settings_for(scores, {"rope": self.rope, "alpha": self.alpha, **settings}))

    def bias_corrected(self, search: str | None = None, metric: str | None = None, **settings: Any) -> BiasCorrectedScore:
        """The other way to an honest score, from the outer predictions alone: `Evaluation.bias_corrected` of the candidates.

        Parameters
        ----------
        search : str, optional
            Not needed where there is only one.
        metric : str, optional
        **settings
            n_resamples, alpha, groups and rng.
        """
        choice = self.choice(search)
        if not self.is_plain:
            raise MissingSplitsError(
                "only the candidates that were chosen were measured on the outer splits (plain=False). Measure the others too, "
                "with plain=True; what is there is not measured again."
            )
        models = [self.outer.models[position] for position in choice.models]
        return self.outer.bias_corrected(metric, models=models, **{"alpha": self.alpha, **settings})

    # --- views ------------------------------------------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """A row for each search and metric: honest score, its interval, the claims, the optimism, how stable the choice is."""
        return view_of(self).frames["summary"](self)

    def chosen(self) -> pd.DataFrame:
        """A row for each search and candidate: how often it was chosen, its means on the inner splits and without nesting."""
        return view_of(self).frames["chosen"](self)

    def inner(self) -> pd.DataFrame:
        """A row for each search, outer split, candidate and inner split with its score."""
        return view_of(self).frames["inner"](self)


# --- warnings ---------------------------------------------------------------------------------------------------------------


def _notices(nested: NestedEvaluation, choice: Choice) -> Iterator[Notice]:
    """Splits without a score, and a choice of which no candidate is chosen, or as good as chosen, on half of the splits."""
    reasons = [reason for reason in nested.reasons(choice.name) if reason]
    if reasons:
        yield Notice(
            "failed-splits",
            f"{choice.name!r} has no score on {len(reasons)} of {nested.n_outer} outer splits, which are left out of its mean; "
            f"the first because {reasons[0]}",
        )
    n = int(choice.n_chosen.sum())
    if len(choice.candidates) == 1 or n < 2:
        return
    rope = nested.rope_width(choice.name)
    best, favourite = choice.best_inner(), choice.favourite
    behind = choice.metric.sign * (best - choice.inner_mean[favourite])
    is_near = (behind <= rope + RELATIVE_TOLERANCE * np.abs(best)) | (choice.chosen == favourite)
    n_near = int(np.count_nonzero(is_near))
    if 2 * n_near < n:
        near = f", and is within the rope of what was chosen on {n_near}" if rope else ""
        yield Notice(
            "unstable-choice",
            f"the choice of {choice.name!r} is unstable: {choice.n_distinct} of {len(choice.candidates)} candidates were chosen "
            f"on {n} outer splits, the most frequent, {choice.candidates[favourite]!r}, on {int(choice.n_chosen.max())}"
            f"{near}. The score is that of the procedure, not of one candidate; these data hardly say which one to use",
        )


def nested_cross_validate(
    nested: NestedPlan,
    run: RunOptions,
    *,
    scoring: Any = None,
    keep_predictions: bool = True,
    plain: bool = True,
    rope: float | str = 0.0,
    alpha: float = 0.05,
) -> NestedEvaluation:
    """Score the choice of a model; `tiebreak.nested_cross_validate` describes the parameters."""
    check_flags(keep_predictions=keep_predictions, plain=plain)
    alpha = check_probability(alpha, "alpha")
    rope = check_rope_given(rope, "honest score")
    scorers, choosing = _scorers(nested, scoring)
    default = "nested" if run.store is None else f"nested-{nested.outer.default_name().removeprefix('run-')}"
    run = dataclasses.replace(run, name=run.name or default)
    choices = tuple(choose(nested, place, scorer, run) for place, scorer in enumerate(choosing))
    only = None if plain else {cell for choice in choices for cell in choice.cells()}
    outer = measure_plan(nested.outer, scorers, run, keep_predictions=keep_predictions, only=only)
    answer = NestedEvaluation(outer, choices, rope, alpha, plain, nested.notices)
    found = (notice for choice in choices for notice in _notices(answer, choice))
    return dataclasses.replace(answer, notices=(*nested.notices, *found))


def _scorers(nested: NestedPlan, scoring: Any) -> tuple[tuple[Scorer, ...], tuple[Scorer, ...]]:
    """The metrics of the outer splits, and the one by which each selection chooses, which is measured there too."""
    own = [None if each.scoring is None else find_scorers(nested.outer, each.scoring)[0] for each in nested.selections]
    asked = find_scorers(nested.outer, scoring) if scoring is not None or None in own else ()
    choosing = tuple(asked[0] if each is None else each for each in own)
    found = {scorer.metric.name: scorer for scorer in (*choosing, *asked)}  # one that was asked for is the one of its name
    order = dict.fromkeys(scorer.metric.name for scorer in (*asked, *choosing))
    return tuple(found[metric] for metric in order), choosing
