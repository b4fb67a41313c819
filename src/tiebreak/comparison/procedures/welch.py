"""Welch's t-test of two means whose samples are not paired: each model's training runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tiebreak.comparison.procedures.clustered_t import ANEW, FURTHER_ITEM_RUNS, means_of_models
from tiebreak.comparison.procedures.procedure import ModelValues, Procedure, Wording
from tiebreak.comparison.procedures.proportions import NEWCOMBE
from tiebreak.comparison.procedures.seeds import FURTHER_RUNS, SEED_REFERENCE, TEST_SET_AS_IS, seeds_only
from tiebreak.comparison.procedures.student import StudentTails
from tiebreak.comparison.procedures.test_sets import (
    FURTHER_EXAMPLES,
    FURTHER_OF_SETS,
    INDEPENDENT_SETS,
    counts_of,
    has_own_sets,
    independent_sets,
    of_own_sets,
)
from tiebreak.errors import Setting, TiebreakError, TooFewSplitsError
from tiebreak.numerics import CONSTANT, IDENTICAL, RELATIVE_TOLERANCE, SPREAD, FloatArray, IntArray, StudentDistribution, divide
from tiebreak.scores.differences import model_moments
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class Welch(Procedure):
    """Difference of the means of two models' own samples, whose variances may differ."""

    def for_data(self, data: Scores) -> Procedure:
        """Test of the means of right and wrong, where each model has a test set of its own."""
        if not has_own_sets(data):
            return self
        rough = "; the interval is rough for few {units} and rates near 0 or 1"
        if data.items is None or NEWCOMBE.applies(data) is None:
            reason = f"asked for by name: right and wrong as 1 and 0, whose means are compared{rough}"
        else:
            allows = {"clusters": data.items.clusters is not None, "runs": len(data.items.runs) > 1}
            counted = " and ".join(what for what, is_there in allows.items() if is_there)
            also = f"; the error of each mean allows for its {counted}" if counted else ""
            reason = f"scores of each model on {{units}} of its own: two independent means, each with a spread of its own{also}"
        has_runs = data.items is not None and len(data.items.runs) > 1
        further = f"{FURTHER_OF_SETS}, and {FURTHER_ITEM_RUNS}" if has_runs else FURTHER_EXAMPLES
        own = of_own_sets(self, data, Wording(reason, further, (*_independent(data), "the means are roughly normal")))
        return replace(own, references=self.references[:1], not_covered=ANEW if has_runs else own.not_covered)

    def applies(self, data: Scores) -> TiebreakError | None:
        """Two scores or more of each model."""
        matrix = data.matrix()
        n_units = _samples(data).df + 1.0
        few = [name for name, n in zip(matrix.models, n_units.tolist(), strict=True) if not n > 1]
        if not few:
            return None
        return TooFewSplitsError(
            f"{quoted(few)} {'has' if len(few) == 1 else 'have'} fewer than two {self.unit}s, so nothing shows how much scores "
            f"vary from {self.unit} to {self.unit}. Give more, or leave out what has only one with ",
            Setting("models"),
            ".",
        )

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> StudentTails:
        """Student's t around each difference of means, with Welch's degrees of freedom."""
        mean, error, own_df, n, own_tolerance = _samples(data)
        difference = data.metric.sign * (mean[first] - mean[second])
        v, w = error[first] ** 2, error[second] ** 2
        tolerance = np.maximum(own_tolerance[first], own_tolerance[second])
        flat = np.where(np.abs(difference) <= tolerance, IDENTICAL, CONSTANT)
        kind = np.where(v + w > 0, SPREAD, flat).astype(np.int8)
        return StudentTails(
            estimate=np.where(kind == IDENTICAL, 0.0, difference),
            n_units=n[first] + n[second] if self.question == "test-sets" else np.minimum(n[first], n[second]),
            kind=kind,
            tolerance=tolerance,
            standard_error=np.sqrt(v + w),
            df=_welch_df(v, w, own_df[first], own_df[second]),
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean score of each model, with its own t interval."""
        mean, error, df, n, tolerance = _samples(data)
        return ModelValues("mean", mean, n, tolerance, StudentDistribution(mean, error, df).interval)

    def reason_for(self, data: Scores) -> str:
        """Why runs are not paired."""
        return f"{self.reason}, as not all models were trained with the same seeds" if self.question == "seeds" else self.reason

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on what seeds leave open."""
        yield seeds_only(data) if self.question == "seeds" else independent_sets(data)


class _Samples(NamedTuple):
    """Each model's own sample; arrays of shape (n_models,)."""

    mean: FloatArray
    error: FloatArray
    df: FloatArray
    n: IntArray
    tolerance: FloatArray


def _samples(data: Scores) -> _Samples:
    """Scores of each model's seeds, of its items, or the 1 and 0 of its examples."""
    if data.items is not None:
        found = means_of_models(data.items)
        return _Samples(found.estimate, found.standard_error, found.df, found.n, found.tolerance)
    if data.design.kind == "test-sets":
        counts, n = counts_of(data)
        rate = counts / n
        sd = np.sqrt(rate * (1.0 - rate) * n / np.maximum(n - 1.0, 1.0))
        return _Samples(rate, sd / np.sqrt(n), n - 1.0, n.astype(np.int64), np.full(n.size, RELATIVE_TOLERANCE))
    moments = model_moments(data.matrix())
    n_seeds = np.broadcast_to(moments.n_splits, moments.mean.shape)
    return _Samples(moments.mean, moments.sd / np.sqrt(n_seeds), np.asarray(n_seeds - 1.0), n_seeds, moments.tolerance)


def _independent(data: Scores) -> tuple[str, ...]:
    """Assumptions on test sets, of clusters where there are some."""
    if data.items is None or data.items.clusters is None:
        return INDEPENDENT_SETS
    return (INDEPENDENT_SETS[0], "within each test set the clusters are independent of one another")


def _welch_df(v: FloatArray, w: FloatArray, df: FloatArray, other_df: FloatArray) -> FloatArray:
    """Welch (1947), from the squared standard errors of both means and their degrees of freedom."""
    both = divide((v + w) ** 2, v**2 / df + w**2 / other_df)
    return np.asarray(np.where(v + w > 0, both, df + other_df))


WELCH = Welch(
    name="welch",
    reason="scores on one test set that differ by training seed: each model's runs are a sample of their own",
    question="seeds",
    unit="seed",
    generalises_to=FURTHER_RUNS,
    assumptions=(
        "the runs of a model are independent of each other and of the other models' runs",
        "the scores of a model are roughly normal, with a spread of its own",
        TEST_SET_AS_IS,
    ),
    references=(
        "B. Welch. The generalization of Student's problem when several population variances are involved. Biometrika 34, 1947.",
        SEED_REFERENCE,
    ),
    is_paired=False,
)
