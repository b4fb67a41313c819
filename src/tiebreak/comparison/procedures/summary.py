"""Models of which a table of means is all that is left: what it shows whatever the overlap of their mistakes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from tiebreak.comparison.family import family_alpha
from tiebreak.comparison.procedures.procedure import (
    Judged,
    ModelValues,
    Procedure,
    TestOnly,
    mean_values,
    noted,
    pairs_of_reference,
    refusal,
)
from tiebreak.comparison.settings import SINGLE_STEP, Settings
from tiebreak.errors import TiebreakError
from tiebreak.numerics import FloatArray, IntArray, Law
from tiebreak.scores.scores import Scores, Summary, SummaryKind
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates


def _means_of(data: Scores) -> tuple[Summary, FloatArray]:
    """Facts of the means, and these."""
    matrix = data.matrix()
    return cast("Summary", matrix.summary), matrix.score[:, 0]


def _law(data: Scores, first: IntArray, second: IntArray, overlap: FloatArray | float = 0.0) -> Law:
    """Law of the difference of each pair at an overlap, from 0, where it is the least sure, to 1, the most that it can be."""
    (means, value), sign = _means_of(data), data.metric.sign
    n, k = means.n[0], means.n[-1]
    if means.kind == "rates":
        right = value if sign > 0 else 1.0 - value
        return summary_rates(right[first], right[second], n, rounding=means.rounding[first], shared=overlap)
    if means.kind == "areas":
        error, df = np.asarray(hanley_mcneil(value, n, k)), min(n, k) - 1.0
    else:
        error, df = means.deviation * np.sqrt(1.0 / n + (1.0 / (k - 1.0) if means.kind == "folds" else 0.0)), n - 1.0
    e, f = error[first], error[second]
    return summary_means(
        sign * value[first],
        sign * value[second],
        e,
        f,
        (e**2 + f**2) ** 2 / (e**4 + f**4) * df if means.kind == "runs" else df,  # Welch's
        correlation=0.0 if means.kind == "runs" else 2.0 * overlap - 1.0,
        rounding=means.rounding[first] + means.rounding[second],
        n_units=n + k if means.kind == "areas" else n,
    )


def _judge(data: Scores, first: IntArray, second: IntArray, rope: float, alpha: float, seed: int) -> Judged:
    law = _law(data, first, second)
    return Judged(law=law, reach_df=np.broadcast_to(np.inf if law.df is None else law.df, np.shape(law.estimate)))


def _values(data: Scores) -> ModelValues:
    """Means, each of so many examples, splits or runs."""
    means, value = _means_of(data)
    return replace(mean_values(data), n_units=np.full(value.size, sum(means.n) if means.kind == "areas" else means.n[0]))


def _remarks(data: Scores) -> Iterator[Notice]:
    """A reading of the deviations that was taken for granted."""
    means, _ = _means_of(data)
    return noted((means.note != "", Notice("read-as", means.note)))


_SHARES = np.linspace(0.0, 1.0, 101)


def _overlaps(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """For the leader, or the baseline, and each other model that is not told apart from it: the overlap at which it would be."""
    means, models = _means_of(data)[0], data.matrix().models
    # runs are independent, and the levels of other corrections are those of the data as they are
    if means.kind == "runs" or settings.correction not in SINGLE_STEP or settings.family == "best":
        return
    own, others = pairs_of_reference(models, settings)
    law = _law(data, own[:, None], others[:, None], _SHARES)
    is_open = law.verdict(float(settings.rope), family_alpha(settings, len(models))) == "undecided"
    for row in np.flatnonzero(is_open[:, 0]).tolist():
        pair, share = (models[own[row]], models[others[row]]), float(np.fmin.reduce(_SHARES[~is_open[row]], initial=np.nan))
        how = "no overlap" if np.isnan(share) else f"an overlap of {share:.0%} of what it can be"
        yield TestOnly(name="overlap", models=pair, statistic=share, text=f"{' and '.join(pair)}: {how} would settle them")


# --- procedures -----------------------------------------------------------------------------------------------------------

_ONE_TEST_SET = "all models were tested on the same examples, which are a sample of those that the answer is meant for"
_WORST = "nothing is taken for granted of the overlap of the models' mistakes: the answer holds for the least favourable one"

_FACTS: dict[SummaryKind, dict[str, Any]] = {
    "rates": {
        "reason": "rates of one test set, of which the number of examples that only one model gets right is not known: Tango's "
        "interval at the largest number that both rates allow",
        "generalises_to": "further examples like these, with these models as they are",
        "assumptions": (_ONE_TEST_SET, _WORST),
        "references": (
            "T. Tango. Equivalence test and confidence interval for the paired-sample design. Statistics in Medicine 17, 1998.",
        ),
    },
    "areas": {
        "reason": "areas under ROC curves of one test set: the standard errors of both by Hanley and McNeil, added",
        "generalises_to": "further examples like these, with these models as they are",
        "assumptions": (_ONE_TEST_SET, _WORST),
        "references": ("J. Hanley, B. McNeil. The meaning and use of the area under a ROC curve. Radiology 143, 1982.",),
    },
    "folds": {
        "reason": "means over folds of cross-validation: a difference varies at most by the sum of both deviations, which the "
        "corrected t takes",
        "generalises_to": "models trained on samples like this dataset",
        "assumptions": ("all models were tested on the same folds, or not: that makes no difference", _WORST),
        "references": ("C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.",),
    },
    "runs": {
        "reason": "means over training runs of each model: Welch's t from means, deviations and numbers of runs",
        "generalises_to": "further training runs on this very test set",
        "assumptions": (
            "the runs of each model are independent of each other and of those of other models",
            "scores are roughly normal over runs",
            "the test set is what it is: nothing is said of other data",
        ),
        "references": ("B. L. Welch. The generalization of Student's problem. Biometrika 34, 1947.",),
    },
}


def _refuse(kind: SummaryKind, data: Scores) -> TiebreakError | None:
    """Error where the procedure of a kind meets means of another one."""
    own = _means_of(data)[0].kind
    return refusal((own != kind, f"summary-{kind} is for means of another kind than these: take 'summary-{own}'."))


RATES, AREAS, FOLDS, RUNS = (
    Procedure(
        name=f"summary-{kind}",
        question="summary",
        **facts,
        traits=frozenset(("unpaired", "no mean")),
        judge=_judge,
        values=_values,
        refuse=partial(_refuse, kind),
        remarks=_remarks,
        beside=_overlaps,
    )
    for kind, facts in _FACTS.items()
)
"""Differences of models of which only means are left: bounds that hold whatever the overlap of their mistakes."""
