"""The honest score of the best model of a finished evaluation, from the predictions that were kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import DataError, UnknownNameError
from tiebreak.evaluation.cell import scores_of
from tiebreak.evaluation.predictions import Kept
from tiebreak.metrics.scorer import Outputs, Scorer, resolve_scorers
from tiebreak.metrics.targets import Truth, UndefinedScore
from tiebreak.numerics import FloatArray, IntArray, check_count
from tiebreak.plan.plan import check_rng
from tiebreak.plan.record import DatasetRecord
from tiebreak.result import Result
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import Notice, look_up, quoted
from tiebreak.statistics.resampling import WinnerBootstrap, WinnerInterval, bootstrap_winner, bootstrap_winner_by

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BiasCorrectedScore(Result):
    """Expected score of the best of several models, corrected for having picked it by the same predictions (BBC-CV).

    Attributes
    ----------
    metric : Metric
    models : tuple of str
        Among which the best was picked.
    winner : str
        The best by the metric of all predictions together, the first of equally good ones; "" where it is undefined.
    claim : float
        Its score, which flatters.
    score : float
        The corrected one: mean over the bootstraps of the out-of-bag score of whichever model was best in the bag.
    low, high : float
        Interval at level 1 - alpha.
    interval : {"percentile", "exact", "none"}
        "percentile": of the out-of-bag scores, each of about a third of the examples. "exact": Clopper and Pearson's, where every
        prediction counted is right, or wrong. "none": the bootstraps do not vary, and `low` and `high` are nan.
    chosen : ndarray of shape (n_models,)
        Share of the bootstraps in which each model was the best.
    n_resamples, n_undefined : int
        With a score, and without one.
    n_examples, n_repeats : int
    alpha : float
    notices : tuple of Notice
    """

    metric: Metric
    models: tuple[str, ...]
    winner: str
    claim: float
    score: float
    low: float
    high: float
    interval: WinnerInterval
    chosen: FloatArray
    n_resamples: int
    n_undefined: int
    n_examples: int
    n_repeats: int
    alpha: float
    notices: tuple[Notice, ...] = ()

    @property
    def optimism(self) -> float:
        """Excess of the claim over the corrected score, in the metric's unit; positive flatters."""
        return self.metric.sign * (self.claim - self.score)


def bias_corrected(
    evaluation: Evaluation,
    metric: str | None = None,
    *,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    groups: Any = None,
    rng: Any = 0,
) -> BiasCorrectedScore:
    """As `Evaluation.bias_corrected` has it."""
    position = evaluation.metric_position(metric)
    scorer = _scorer_of(evaluation, position)
    kept = Kept(evaluation, dataset)
    rows = _rows_of_repeats(kept.record)
    said, incomplete = _complete(kept, evaluation.models if models is None else models, rows)
    if groups is not None:
        groups = np.asarray(groups)
        if groups.shape != (kept.record.n_samples,):
            raise DataError(
                f"groups must name the group of each of the {kept.record.n_samples} examples; got the shape {groups.shape}."
            )
    seed = check_rng(rng)
    named = evaluation.record.metrics[position].metric
    result = _bootstrapped(
        scorer,
        kept.truth.take(rows),
        list(said.values()),
        higher_is_better=named.higher_is_better,
        n_resamples=check_count(n_resamples, "n_resamples", most=100_000),  # each may take a millisecond
        alpha=alpha,
        groups=None if groups is None else groups[rows],
        rng=0 if seed is None else seed,
    )
    chosen = tuple(said)
    return BiasCorrectedScore(
        metric=named,
        models=chosen,
        winner=chosen[result.winner] if result.winner >= 0 else "",
        claim=result.claim,
        score=result.mean,
        low=result.low,
        high=result.high,
        interval=result.interval,
        chosen=result.chosen,
        n_resamples=result.n_resamples,
        n_undefined=result.n_undefined,
        n_examples=int(rows.size),
        n_repeats=len(said[chosen[0]]),
        alpha=float(alpha),
        notices=tuple(_notices(chosen, incomplete, kept.record, grouped=groups is not None)),
    )


def _bootstrapped(scorer: Scorer, truth: Truth, said: list[list[Outputs]], **settings: Any) -> WinnerBootstrap:
    """One matrix product for a metric that is a mean over examples, else the metric itself for each bootstrap.

    `said` is what each model said of the rows of the truth, in each repeat.
    """
    if scorer.is_mean_of_rows(truth):
        try:
            values = [np.mean([scorer.values_by_row(truth, outputs) for outputs in repeats], axis=0) for repeats in said]
        except UndefinedScore as reason:
            raise DataError(f"{scorer.metric.name!r} is undefined on what was predicted: {reason}.") from None
        return bootstrap_winner(np.column_stack(values), **settings)

    for outputs in (outputs for repeats in said for outputs in repeats):
        if not any(method in outputs for method in scorer.needs):
            raise DataError(
                f"{scorer.metric.name!r} needs {' or '.join(scorer.needs)}, but what was kept of the models is "
                f"{quoted(list(outputs))}."
            )

    def score(rows: IntArray, models: IntArray) -> FloatArray:
        drawn = truth.take(rows)
        answers = [[{method: answer[rows] for method, answer in each.items()} for each in said[model]] for model in models]
        scores = [[scores_of([scorer], drawn, each)[0][scorer.metric.name] for each in repeats] for repeats in answers]
        return np.asarray(np.mean(scores, axis=1))

    return bootstrap_winner_by(score, len(truth.values), len(said), **settings)


def _complete(kept: Kept, names: Sequence[str], rows: IntArray) -> tuple[dict[str, list[Outputs]], list[str]]:
    """Outputs of the models that were measured on all splits, repeat by repeat in the order of the rows, and the other models."""
    n_splits = kept.record.n_splits
    said: dict[str, list[Outputs]] = {}
    for name in names:
        repeats = kept.repeats(look_up(name, kept.evaluation.models, "model")).values()
        if sum(len(fold.splits) for fold in repeats) == n_splits:
            said[name] = [{method: answer[np.argsort(fold.rows)] for method, answer in fold.outputs.items()} for fold in repeats]
    if not said:
        raise DataError("no model has predictions on all splits. evaluation.failures says why.")
    return said, [name for name in names if name not in said]


def _rows_of_repeats(record: DatasetRecord) -> IntArray:
    """The rows that each repeat tests, sorted; refuses repeats that test different rows, or one row several times."""
    repeats = [
        np.sort(np.concatenate([record.test_rows[split] for split in np.flatnonzero(record.repeat == repeat).tolist()]))
        for repeat in np.unique(record.repeat).tolist()
    ]
    first = repeats[0]
    if np.unique(first).size < first.size or any(not np.array_equal(first, rows) for rows in repeats[1:]):
        raise DataError(
            f"the bias-corrected score needs each repeat to test the same examples, each once, and splits of the kind "
            f"{record.kind!r} do not. Use folds, repeated or not, or measure the search as a model."
        )
    return first


def _notices(models: Sequence[str], incomplete: Sequence[str], record: DatasetRecord, *, grouped: bool) -> Iterator[Notice]:
    if incomplete:
        text = f"{quoted(incomplete)} {'is' if len(incomplete) == 1 else 'are'} left out: no predictions on some split"
        yield Notice("left-out", text)
    if "group" in record.kind and not grouped:
        yield Notice(
            "groups-torn",
            "the splits keep groups together, and the bootstrap does not know them, so the interval is too narrow. Pass groups=",
        )
    if record.ordered:
        yield Notice("ordered-splits", "the examples are in order of time, and the bootstrap draws them as if they were not")


def _scorer_of(evaluation: Evaluation, metric: int) -> Scorer:
    """Scorer that computes a metric from predictions, also of a run that was read from a store."""
    named = evaluation.record.metrics[metric].metric
    scorer = next((scorer for scorer in evaluation.scorers if scorer.metric == named), None)
    if scorer is None:
        classes = evaluation.record.datasets[0].classes
        name = named.name if named.higher_is_better else f"neg_{named.name}"
        try:
            [scorer] = resolve_scorers([name], classifier=classes is not None, n_classes=len(classes) if classes else None)
        except UnknownNameError:
            raise DataError(
                f"how {named.name!r} is computed is not kept with the run, only its scores are; it cannot be pooled. Call "
                "evaluate with the same metric and store, which measures nothing again, and pool what it returns."
            ) from None
    if not scorer.needs:
        raise DataError(f"{named.name!r} is computed from the fitted models, which are not kept; predictions do not tell it.")
    return scorer
