"""Welch's t-test of two means whose samples are not paired: each model's training runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.procedure import ModelValues, Procedure
from tiebreak.comparison.procedures.seeds import FURTHER_RUNS, SEED_REFERENCE, TEST_SET_AS_IS, seeds_only
from tiebreak.comparison.procedures.student import StudentTails
from tiebreak.errors import Setting, TiebreakError, TooFewSplitsError
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, FloatArray, IntArray, divide, student_multiplier
from tiebreak.scores.differences import model_moments
from tiebreak.scores.scores import Notice, Scores, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class Welch(Procedure):
    """Difference of the means of two models' own samples, whose variances may differ."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Two scores or more of each model."""
        matrix = data.matrix()
        n_units = np.count_nonzero(~np.isnan(matrix.score), axis=1)
        few = [name for name, n in zip(matrix.models, n_units.tolist(), strict=True) if n < 2]
        if not few:
            return None
        return TooFewSplitsError(
            f"{quoted(few)} {'has' if len(few) == 1 else 'have'} fewer than two {self.unit}s, so nothing shows how much scores "
            f"vary from {self.unit} to {self.unit}. Train with more seeds, or leave out what has only one with ",
            Setting("models"),
            ".",
        )

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> StudentTails:
        """Student's t around each difference of means, with Welch's degrees of freedom."""
        moments = model_moments(data.matrix())
        n = np.broadcast_to(moments.n_splits, moments.mean.shape)
        one, two = moments.mean[first], moments.mean[second]
        difference = data.metric.sign * (one - two)
        variance = moments.sd**2 / n
        v, w = variance[first], variance[second]
        tolerance = np.maximum(moments.tolerance[first], moments.tolerance[second])
        flat = np.where(np.abs(difference) <= tolerance, IDENTICAL, CONSTANT)
        kind = np.where(v + w > 0, SPREAD, flat).astype(np.int8)
        return StudentTails(
            estimate=np.where(kind == IDENTICAL, 0.0, difference),
            n_units=np.minimum(n[first], n[second]),
            kind=kind,
            tolerance=tolerance,
            standard_error=np.sqrt(v + w),
            df=_welch_df(v, w, n[first], n[second]),
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean score of each model, with its own t interval."""
        moments = model_moments(data.matrix())
        n = np.broadcast_to(moments.n_splits, moments.mean.shape)
        half = student_multiplier(settings.alpha, np.maximum(n - 1, 1)) * moments.sd / np.sqrt(n)
        half = np.where(moments.sd > 0, half, np.nan)
        return ModelValues("mean", moments.mean, moments.mean - half, moments.mean + half, n, moments.tolerance)

    def reason_for(self, data: Scores) -> str:
        """Why runs are not paired."""
        return f"{self.reason}, as not all models were trained with the same seeds"

    def notices(self, data: Scores) -> Iterator[Notice]:
        """Remark on what seeds leave open."""
        yield seeds_only(data)


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
