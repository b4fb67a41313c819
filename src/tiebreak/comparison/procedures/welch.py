"""Welch's t-test of two means whose samples are not paired: each model's training runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tiebreak.comparison.procedures.procedure import ModelValues, Procedure
from tiebreak.comparison.procedures.seeds import FURTHER_RUNS, SEED_REFERENCE, TEST_SET_AS_IS, seeds_only
from tiebreak.comparison.procedures.student import StudentTails
from tiebreak.comparison.procedures.test_sets import FURTHER_EXAMPLES, INDEPENDENT_SETS, counts_of, independent_sets
from tiebreak.errors import Setting, TiebreakError, TooFewSplitsError
from tiebreak.numerics import CONSTANT, IDENTICAL, RELATIVE_TOLERANCE, SPREAD, FloatArray, IntArray, divide, student_multiplier
from tiebreak.scores.differences import model_moments
from tiebreak.scores.scores import Notice, Scores, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class Welch(Procedure):
    """Difference of the means of two models' own samples, whose variances may differ."""

    def for_data(self, data: Scores) -> Procedure:
        """The same test of the means of right and wrong, where each model has a test set of its own."""
        if data.design.kind != "test-sets":
            return self
        return replace(
            self,
            reason="asked for by name: right and wrong as 1 and 0, whose means are compared; the interval is rough for few "
            "examples and rates near 0 or 1",
            question="test-sets",
            unit="example",
            generalises_to=FURTHER_EXAMPLES,
            assumptions=(*INDEPENDENT_SETS, "the means are roughly normal"),
            references=self.references[:1],
        )

    def applies(self, data: Scores) -> TiebreakError | None:
        """Two scores or more of each model."""
        matrix = data.matrix()
        n_units = _samples(data).n
        few = [name for name, n in zip(matrix.models, n_units.tolist(), strict=True) if n < 2]
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
        mean, sd, n, own_tolerance = _samples(data)
        difference = data.metric.sign * (mean[first] - mean[second])
        variance = sd**2 / n
        v, w = variance[first], variance[second]
        tolerance = np.maximum(own_tolerance[first], own_tolerance[second])
        flat = np.where(np.abs(difference) <= tolerance, IDENTICAL, CONSTANT)
        kind = np.where(v + w > 0, SPREAD, flat).astype(np.int8)
        return StudentTails(
            estimate=np.where(kind == IDENTICAL, 0.0, difference),
            n_units=n[first] + n[second] if self.question == "test-sets" else np.minimum(n[first], n[second]),
            kind=kind,
            tolerance=tolerance,
            standard_error=np.sqrt(v + w),
            df=_welch_df(v, w, n[first], n[second]),
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean score of each model, with its own t interval."""
        mean, sd, n, tolerance = _samples(data)
        half = student_multiplier(settings.alpha, np.maximum(n - 1, 1)) * sd / np.sqrt(n)
        half = np.where(sd > 0, half, np.nan)
        return ModelValues("mean", mean, mean - half, mean + half, n, tolerance)

    def reason_for(self, data: Scores) -> str:
        """Why runs are not paired."""
        return f"{self.reason}, as not all models were trained with the same seeds"

    def notices(self, data: Scores) -> Iterator[Notice]:
        """Remark on what seeds leave open."""
        yield seeds_only(data) if self.question == "seeds" else independent_sets()


class _Samples(NamedTuple):
    """Each model's own sample; arrays of shape (n_models,)."""

    mean: FloatArray
    sd: FloatArray
    n: IntArray
    tolerance: FloatArray


def _samples(data: Scores) -> _Samples:
    """Scores of each model's seeds, or the 1 and 0 of its examples."""
    if data.design.kind == "test-sets":
        counts, n = counts_of(data)
        rate = counts / n
        sd = np.sqrt(rate * (1.0 - rate) * n / np.maximum(n - 1.0, 1.0))
        return _Samples(rate, sd, n.astype(np.int64), np.full(n.size, RELATIVE_TOLERANCE))
    moments = model_moments(data.matrix())
    return _Samples(moments.mean, moments.sd, np.broadcast_to(moments.n_splits, moments.mean.shape), moments.tolerance)


def _welch_df(v: FloatArray, w: FloatArray, n: IntArray, m: IntArray) -> FloatArray:
    """Welch (1947), from the squared standard errors of both means."""
    df = divide((v + w) ** 2, v**2 / (n - 1) + w**2 / (m - 1))
    return np.asarray(np.where(v + w > 0, df, n + m - 2.0))


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
