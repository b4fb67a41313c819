"""Models of which a table of means is all that is left: what it shows whatever the overlap of their mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.procedure import Judged, ModelValues, Procedure, TestOnly
from tiebreak.errors import DataError, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.numerics.law import Law
from tiebreak.scores.scores import Scores, Summary, SummaryKind
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


def _means_of(data: Scores) -> tuple[Summary, FloatArray]:
    """Facts of the means, and these."""
    matrix = data.matrix()
    return cast("Summary", matrix.summary), matrix.score[:, 0]


def _law(data: Scores, first: IntArray, second: IntArray, overlap: ArrayLike = 0.0) -> Law:
    """Law of the difference of each pair at an overlap, from 0, where it is the least sure, to 1, the most that it can be."""
    means, value = _means_of(data)
    sign, n = data.metric.sign, means.n
    share = np.asarray(overlap, dtype=float)
    if means.kind == "rates":
        right = value if sign > 0 else 1.0 - value
        return summary_rates(right[first], right[second], n[0], rounding=means.rounding[first], shared=share)
    error, df = _errors(means, value)
    e, f = error[first], error[second]
    correlation = 0.0 if means.kind == "runs" else 2.0 * share - 1.0
    return summary_means(
        sign * value[first],
        sign * value[second],
        e,
        f,
        (e**2 + f**2) ** 2 / (e**4 + f**4) * df if means.kind == "runs" else df,  # Welch's
        correlation=correlation,
        rounding=means.rounding[first] + means.rounding[second],
        n_units=sum(n) if means.kind == "areas" else n[0],
    )


def _errors(means: Summary, value: FloatArray) -> tuple[FloatArray, float]:
    """Standard error of each mean, and their degrees of freedom."""
    if means.kind == "areas":
        positive, negative = means.n
        return np.asarray(hanley_mcneil(value, positive, negative)), min(means.n) - 1.0
    n, k = means.n[0], means.n[-1]
    return means.deviation * np.sqrt(1.0 / n + (1.0 / (k - 1.0) if means.kind == "folds" else 0.0)), n - 1.0


def _judge(data: Scores, first: IntArray, second: IntArray, rope: float, alpha: float, seed: int) -> Judged:
    law = _law(data, first, second)
    return Judged(law=law, reach_df=np.broadcast_to(np.inf if law.df is None else law.df, np.shape(law.estimate)))


def _values(data: Scores) -> ModelValues:
    means, value = _means_of(data)
    n = np.full(value.size, sum(means.n) if means.kind == "areas" else means.n[0])
    return ModelValues("mean", value, n, RELATIVE_TOLERANCE * np.maximum(np.abs(value), 1.0))


def _remarks(data: Scores) -> Iterator[Notice]:
    """Remark on how deviations were read."""
    if note := _means_of(data)[0].note:
        yield Notice("means-only", note)


# --- how much overlap would settle it -----------------------------------------------------------------------------------------

_SHARES = np.linspace(0.0, 1.0, 101)


def _overlaps(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """For the leader, or the baseline, and each other model that is not told apart from it: the overlap at which it would be."""
    means, _ = _means_of(data)
    models = data.matrix().models
    is_stepwise = settings.correction not in (None, "bonferroni", "none")  # whose levels are those of the data as they are
    if means.kind == "runs" or is_stepwise or settings.family == "best":  # runs are independent
        return
    own = 0 if settings.baseline is None else models.index(settings.baseline)
    others = np.array([row for row in range(len(models)) if row != own])
    n_pairs = len(others) if settings.baseline is not None else len(models) * (len(models) - 1) // 2
    alpha = settings.alpha / (1 if settings.correction == "none" else n_pairs)
    law = _law(data, np.full((others.size, 1), own), others[:, None], _SHARES)
    is_decided = law.verdict(float(settings.rope), alpha) != "undecided"
    for row, decided in zip(others.tolist(), is_decided, strict=True):
        if not decided[0]:
            share = float(_SHARES[np.argmax(decided)]) if decided.any() else float("nan")
            how = (
                f"an overlap of {share:.0%} of what it can be would settle them"
                if decided.any()
                else "no overlap would settle them"
            )
            text = f"{models[own]} and {models[row]}: {how}"
            yield TestOnly(name="overlap", models=(models[own], models[row]), statistic=share, text=text)


# --- procedures -----------------------------------------------------------------------------------------------------------


class _Facts(NamedTuple):
    """Facts in which procedures for tables of means differ."""

    reason: str
    generalises_to: str
    assumptions: tuple[str, ...]
    references: tuple[str, ...]


_ONE_TEST_SET = "all models were tested on the same examples, which are a sample of those that the answer is meant for"
_WORST = "nothing is taken for granted of the overlap of the models' mistakes: the answer holds for the least favourable one"
_TANGO = "T. Tango. Equivalence test and confidence interval for the paired-sample design. Statistics in Medicine 17, 1998."

_KINDS: dict[SummaryKind, _Facts] = {
    "rates": _Facts(
        "rates of one test set, of which the number of examples that only one model gets right is not known: Tango's interval at "
        "the largest number that both rates allow",
        "further examples like these, with these models as they are",
        (_ONE_TEST_SET, _WORST),
        (_TANGO,),
    ),
    "areas": _Facts(
        "areas under ROC curves of one test set: the standard errors of both by Hanley and McNeil, added",
        "further examples like these, with these models as they are",
        (_ONE_TEST_SET, _WORST),
        ("J. Hanley, B. McNeil. The meaning and use of the area under a ROC curve. Radiology 143, 1982.",),
    ),
    "folds": _Facts(
        "means over folds of cross-validation: a difference varies at most by the sum of both deviations, which the corrected t "
        "takes",
        "models trained on samples like this dataset",
        ("all models were tested on the same folds, or not: that makes no difference", _WORST),
        ("C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.",),
    ),
    "runs": _Facts(
        "means over training runs of each model: Welch's t from means, deviations and numbers of runs",
        "further training runs on this very test set",
        (
            "the runs of each model are independent of each other and of those of other models",
            "scores are roughly normal over runs",
            "the test set is what it is: nothing is said of other data",
        ),
        ("B. L. Welch. The generalization of Student's problem. Biometrika 34, 1947.",),
    ),
}


def _refuse_others(kind: SummaryKind) -> Callable[[Scores], TiebreakError | None]:
    def refuse(data: Scores) -> TiebreakError | None:
        means = data.matrix().summary
        if means is None or means.kind == kind:
            return None
        return DataError(f"summary-{kind} is for means of another kind than these: take 'summary-{means.kind}'.")

    return refuse


RATES, AREAS, FOLDS, RUNS = (
    Procedure(
        name=f"summary-{kind}",
        question="summary",
        **facts._asdict(),
        traits=frozenset(("unpaired", "no mean")),
        judge=_judge,
        values=_values,
        refuse=_refuse_others(kind),
        remarks=_remarks,
        beside=_overlaps,
    )
    for kind, facts in _KINDS.items()
)
