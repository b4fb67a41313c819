"""Choose on inner splits, score on outer ones: two runs of cells, through the same store and runners as `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.evaluation.choosing import Choice, choice_of_one, choose
from tiebreak.evaluation.evaluate import ThreadsPerFit, check_flags, check_name, find_scorers, open_log, run_missing
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.fit_and_score import Measurement
from tiebreak.evaluation.nested import NestedEvaluation
from tiebreak.evaluation.progress import Progress
from tiebreak.metrics.scorers import Scorer
from tiebreak.numerics import check_probability
from tiebreak.plan.nested import NestedPlan, make_nested_plan
from tiebreak.plan.outcome import Cell
from tiebreak.plan.plan import Plan
from tiebreak.plan.selections import Selection
from tiebreak.runners.make import make_runner
from tiebreak.stores.memory import MemoryStore
from tiebreak.stores.sources import open_store
from tiebreak.stores.store import Store


def nested_cross_validate(
    models: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    outer: Any = None,
    inner: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    store: Any = None,
    name: str | None = None,
    n_jobs: int = 1,
    runner: Any = None,
    threads_per_fit: ThreadsPerFit = "auto",
    keep_predictions: bool = True,
    plain: bool = True,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    timeout: float | None = None,
    retry_failed: bool = False,
    accept_versions: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], object] | None = None,
    rng: Any = 0,
) -> NestedEvaluation:
    """Score the choice of a model; `tiebreak.nested_cross_validate` describes the parameters."""
    check_flags(keep_predictions=keep_predictions, plain=plain, retry_failed=retry_failed, accept_versions=accept_versions)
    alpha = check_probability(alpha, "alpha")
    check_name(name)
    nested = make_nested_plan(
        models, X, y, groups=groups, outer=outer, inner=inner, sample_weight=sample_weight, fit_params=fit_params, rng=rng
    )
    scorers, choosing = _scorers(nested, scoring)
    chosen = MemoryStore() if store is None else open_store(store)
    work = _Work(
        chosen, store is not None, n_jobs, runner, threads_per_fit, timeout, retry_failed, accept_versions, settings, progress
    )
    name = name or ("nested" if store is None else f"nested-{nested.outer.default_name().removeprefix('run-')}")
    try:
        choices = [_choice(nested, place, choosing[place], name, work) for place in range(len(nested.selections))]
        only = None if plain else {cell for choice in choices for cell in choice.cells()}
        evaluation = work.measured(nested.outer, scorers, name, keep_predictions=keep_predictions, only=only)
        return NestedEvaluation.of(evaluation, choices, rope=rope, alpha=alpha, is_plain=plain, notices=nested.notices)
    finally:
        chosen.close()


def _scorers(nested: NestedPlan, scoring: Any) -> tuple[tuple[Scorer, ...], tuple[Scorer, ...]]:
    """The metrics of the outer splits, and the one by which each selection chooses, which is measured there too."""
    own = [_own_scorer(nested.outer, selection) for selection in nested.selections]
    asked = find_scorers(nested.outer, scoring) if scoring is not None or None in own else ()
    choosing = tuple(asked[0] if each is None else each for each in own)
    found = {scorer.metric.name: scorer for scorer in (*choosing, *asked)}  # one that was asked for is the one of its name
    order = dict.fromkeys(scorer.metric.name for scorer in (*asked, *choosing))
    return tuple(found[metric] for metric in order), choosing


def _own_scorer(plan: Plan, selection: Selection) -> Scorer | None:
    return None if selection.scoring is None else find_scorers(plan, selection.scoring)[0]


def _choice(nested: NestedPlan, place: int, scorer: Scorer, name: str, work: _Work) -> Choice:
    """What is chosen of a selection on each outer split."""
    selection, models, inner = nested.selections[place], nested.places[place], nested.inner[place]
    n_outer = len(nested.outer.datasets[0].splits)
    if inner is None:
        return choice_of_one(selection.name, models, next(iter(selection.candidates)), scorer.metric, n_outer)
    of = "" if len(nested.selections) == 1 else f" {selection.name}"
    evaluation = work.measured(inner.plan, (scorer,), f"{name} inner{of}", keep_predictions=False)
    return choose(selection.name, models, evaluation, inner.outer, n_outer)


@dataclass(frozen=True, slots=True)
class _Work:
    """How cells are measured and kept, the same for the inner and the outer run."""

    store: Store
    remembered: bool
    n_jobs: int
    runner: Any
    threads_per_fit: ThreadsPerFit
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    settings: Mapping[str, Any] | None
    progress: Callable[[Progress], object] | None

    def measured(
        self,
        plan: Plan,
        scorers: Sequence[Scorer],
        name: str,
        *,
        keep_predictions: bool,
        only: Collection[Cell] | None = None,
    ) -> Evaluation:
        """The cells of a plan, those that the store lacks measured now."""
        log = open_log(
            plan, scorers, self.store, name, self.n_jobs, self.threads_per_fit,
            remembered=self.remembered, settings=self.settings, accept_versions=self.accept_versions,
        )  # fmt: skip
        work = Measurement(plan, scorers, threads=log.record.threads, keep_predictions=keep_predictions)
        runner = make_runner(self.runner, self.n_jobs, self.timeout)
        run_missing(work, log, runner, self.store.url, retry_failed=self.retry_failed, progress=self.progress, only=only)
        return Evaluation.of(log, self.store.url, scorers)
