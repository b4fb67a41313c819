"""The honest score of the best model of a finished evaluation, from the predictions that were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError, Setting, UnclearSourceError, UnknownNameError
from tiebreak.evaluation.cells import metric_position
from tiebreak.evaluation.frames import pooled_outputs, scorer_of
from tiebreak.evaluation.model_calls import as_answered
from tiebreak.metrics.scorer import Outputs, Scorer, is_mean_of_rows, values_by_row
from tiebreak.metrics.targets import Truth, UndefinedScore, make_truth
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.plan import check_rng
from tiebreak.plan.record import DatasetRecord
from tiebreak.result import Result
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import Notice, look_up, quoted
from tiebreak.statistics.selection import WinnerBootstrap, WinnerInterval, bootstrap_winner, bootstrap_winner_by

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
    notices: tuple[Notice, ...] = field(default=())

    @property
    def optimism(self) -> float:
        """Excess of the claim over the corrected score, in the metric's unit; positive flatters."""
        return self.metric.sign * (self.claim - self.score)


class _Kept(NamedTuple):
    """Predictions of complete models: for each repeat and model the outputs of the same rows, in the same order."""

    models: tuple[str, ...]
    incomplete: tuple[str, ...]
    truth: Truth
    rows: IntArray
    outputs: tuple[tuple[Outputs, ...], ...]


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
    position = metric_position(evaluation, metric)
    named = evaluation.record.metrics[position].metric
    place = _dataset(evaluation, dataset)
    record = evaluation.record.datasets[place]
    scorer = _scorer(evaluation, position)
    kept = _kept(evaluation, place, models)
    if groups is not None:
        groups = np.asarray(groups)
        if groups.shape != (record.n_samples,):
            raise DataError(
                f"groups must name the group of each of the {record.n_samples} examples; got the shape {groups.shape}."
            )
        groups = groups[kept.rows]
    seed = check_rng(rng)
    settings: dict[str, Any] = {
        "higher_is_better": named.higher_is_better,
        "n_resamples": n_resamples,
        "alpha": alpha,
        "groups": groups,
        "rng": 0 if seed is None else seed,
    }
    result = _bootstrapped(scorer, kept, settings)
    return BiasCorrectedScore(
        metric=named,
        models=kept.models,
        winner=kept.models[result.winner] if result.winner >= 0 else "",
        claim=result.claim,
        score=result.mean,
        low=result.low,
        high=result.high,
        interval=result.interval,
        chosen=result.chosen,
        n_resamples=result.n_resamples,
        n_undefined=result.n_undefined,
        n_examples=int(kept.rows.size),
        n_repeats=len(kept.outputs),
        alpha=float(alpha),
        notices=tuple(_notices(kept, record, grouped=groups is not None)),
    )


def _bootstrapped(scorer: Scorer, kept: _Kept, settings: dict[str, Any]) -> WinnerBootstrap:
    """One matrix product for a metric that is a mean over examples, else the metric itself for each bootstrap."""
    if is_mean_of_rows(scorer, kept.truth):
        try:
            tables = [
                np.column_stack([values_by_row(scorer, kept.truth, outputs) for outputs in models]) for models in kept.outputs
            ]
        except UndefinedScore as reason:
            raise DataError(f"{scorer.metric.name!r} is undefined on what was predicted: {reason}.") from None
        return bootstrap_winner(np.mean(tables, axis=0), **settings)

    def score(rows: IntArray, models: IntArray) -> FloatArray:
        truth = kept.truth.take(rows)
        scores = [[_score(scorer, truth, repeat[m], rows) for m in models.tolist()] for repeat in kept.outputs]
        return np.asarray(np.mean(scores, axis=0))

    return bootstrap_winner_by(score, int(kept.rows.size), len(kept.models), **settings)


def _score(scorer: Scorer, truth: Truth, outputs: Outputs, rows: IntArray) -> float:
    try:
        return scorer.score(truth, {method: answer[rows] for method, answer in outputs.items()}, truth.classes)
    except UndefinedScore:
        return float("nan")


def _scorer(evaluation: Evaluation, metric: int) -> Scorer:
    """Scorer that computes the metric from predictions."""
    named = evaluation.record.metrics[metric].metric
    try:
        return scorer_of(evaluation, metric)
    except (DataError, UnknownNameError):  # one of the caller's own, or one that scikit-learn asks the model for
        raise DataError(
            f"{named.name!r} is computed from the fitted models, which are not kept; it has no bias-corrected score."
        ) from None


# --- predictions ------------------------------------------------------------------------------------------------------------


def _dataset(evaluation: Evaluation, dataset: str | None) -> int:
    if dataset is not None:
        return look_up(dataset, evaluation.datasets, "dataset")
    if len(evaluation.datasets) > 1:
        raise UnclearSourceError(f"the run has {len(evaluation.datasets)} datasets: {quoted(evaluation.datasets)}. Name one.")
    return 0


def _kept(evaluation: Evaluation, dataset: int, names: Sequence[str] | None) -> _Kept:
    """Predictions of each example, in the order of the rows."""
    record = evaluation.record.datasets[dataset]
    repeats = _rows_of_repeats(record)
    whole = evaluation.models if names is None else tuple(names)
    outputs: dict[str, list[Outputs]] = {}
    for name in whole:
        try:
            found = list(pooled_outputs(evaluation, dataset, look_up(name, evaluation.models, "model")))
        except DataError:
            raise DataError(
                "the bias-corrected score needs the predictions, and they were not kept (",
                Setting("keep_predictions", "False"),
                "). Evaluate with ",
                Setting("keep_predictions", "True"),
                ", under another ",
                Setting("name"),
                " where a store has the run already; or measure the search as a model.",
            ) from None
        if len(found) == len(repeats) and all(rows.size == repeats[0].size for rows, _, _ in found):
            outputs[name] = [{method: answer[np.argsort(rows)] for method, answer in said.items()} for rows, said, _ in found]
    if not outputs:
        raise DataError("no model has predictions on all splits. evaluation.failures says why.")
    if record.target is None or record.target.ndim != 1:
        raise DataError("the targets are not kept in a form that can be scored again, as there are several for each row.")
    classes = np.array(record.classes) if record.classes is not None else None
    truth = make_truth(record.target if classes is None else classes[record.target], classifier=classes is not None)
    by_repeat = tuple(tuple(as_answered(said[r], truth.classes) for said in outputs.values()) for r in range(len(repeats)))
    missing = tuple(name for name in whole if name not in outputs)
    return _Kept(tuple(outputs), missing, truth.take(repeats[0]), repeats[0], by_repeat)


def _rows_of_repeats(record: DatasetRecord) -> list[IntArray]:
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
    return repeats


def _notices(kept: _Kept, record: DatasetRecord, *, grouped: bool) -> list[Notice]:
    notices = []
    if kept.incomplete:
        text = f"{quoted(kept.incomplete)} {'is' if len(kept.incomplete) == 1 else 'are'} left out: no predictions on some split"
        notices.append(Notice("incomplete-models", text))
    if len(kept.models) == 1:
        notices.append(Notice("one-candidate", f"{kept.models[0]!r} is the only model, so nothing was picked"))
    if "group" in record.kind and not grouped:
        notices.append(
            Notice(
                "grouped-examples",
                "the splits keep groups together, and the bootstrap does not know them, so the interval is too narrow. Pass "
                "groups=",
            )
        )
    if record.ordered:
        notices.append(
            Notice("ordered-splits", "the examples are in order of time, and the bootstrap draws them as if they were not")
        )
    return notices
