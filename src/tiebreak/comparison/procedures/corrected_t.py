"""Corrected t-test and correlated t posterior, which share their tails: for resampled splits of one dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tiebreak.comparison.procedures.procedure import ModelValues, Procedure
from tiebreak.comparison.procedures.student import StudentTails
from tiebreak.errors import Advice, MissingSizesError, Setting, TiebreakError, TooFewSplitsError
from tiebreak.numerics import (
    DifferenceMoments,
    FloatArray,
    IntArray,
    Interval,
    corrected_interval,
    corrected_standard_error,
    student_multiplier,
)
from tiebreak.numerics.law import Law
from tiebreak.scores.differences import model_moments, model_ratios, pair_differences
from tiebreak.scores.scores import ScoreMatrix, Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.posterior.joint import joint_draws
from tiebreak.statistics.splits import law_of_moments

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

SMALL_TEST_SET = 5
"""Test examples per split below which scores are too coarse for a t distribution."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentDifferences(StudentTails):
    """Student's t around each mean difference: confidence distribution and posterior at once.

    `ratio` is the mean n_test / n_train of each pair's splits, `split_ratio` that of each split; `data` are the scores of the
    models that are compared.
    """

    is_posterior: ClassVar[bool] = True
    df: IntArray | int
    ratio: FloatArray | float
    data: Scores
    split_ratio: FloatArray

    def take(self, rows: IntArray | slice) -> Self:
        """Differences of some of the pairs."""

        def some(values: Any) -> Any:
            return values if np.ndim(values) == 0 else np.asarray(values)[rows]

        names = ("estimate", "n_units", "kind", "tolerance", "standard_error", "df", "ratio")
        return replace(self, **{name: some(getattr(self, name)) for name in names})

    @property
    def sd(self) -> FloatArray:
        """Standard deviation of each pair's differences over the splits."""
        return np.asarray(self.standard_error / np.sqrt(1.0 / np.maximum(self.n_units, 1) + self.ratio))

    def density(self, at: FloatArray) -> FloatArray:
        """Density of Student's t."""
        return self.student.density(at)

    def half_width_floor(self, alpha: float) -> FloatArray:
        """As the corrected variance (1/n + n_test/n_train) s^2 tends to n_test/n_train s^2; s is taken as it is here."""
        width = float(student_multiplier(alpha, np.inf)) * (np.sqrt(self.ratio) * self.sd)
        return np.where(self.standard_error > 0, width, np.nan)

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Draws of the joint posterior of the means."""
        score = self.data.matrix().score
        score = score if self.data.metric.higher_is_better else -score
        return joint_draws(score, float(self.split_ratio.mean()), rng, n)

    @property
    def uncorrected(self) -> Law:
        """Law of the ordinary paired t-test."""
        return law_of_moments(DifferenceMoments(self.estimate, self.sd, self.n_units, self.kind, np.asarray(self.tolerance)), 0.0)


@dataclass(frozen=True)
class CorrectedT(Procedure):
    """t-test of paired differences over splits, its variance raised for the training data that splits share."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """At least two splits, and their sizes."""
        matrix = data.matrix()
        if matrix.n_splits < 2:
            return TooFewSplitsError(
                "there is only one split, so nothing shows how much the difference varies from split to split. Either evaluate "
                "on more splits (repeated k-fold is best), or compare the models example by example on that test set: pass the "
                "scores of its examples, a row for each, with ",
                Setting("rows", "'items'"),
                ", or tb.read_predictions(y_true, {name: predictions}).",
            )
        return None if matrix.has_ratio else self._without_sizes()

    def _without_sizes(self) -> TiebreakError | None:
        return MissingSizesError(
            "the correction for shared training data needs to know how large a test set is beside its training set. Pass ",
            Setting("cv", "10"),
            " for 10-fold cross-validation, or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            " (examples per split), or add columns of these names",
            Advice("; or X=, y= and cv= as the splits were made", typed=""),
            ". If each row is a training of its own with another seed, not a fold, name the seeds in a column 'seed'.",
        )

    def split_ratio(self, data: Scores) -> FloatArray:
        """n_test / n_train of each split."""
        return data.matrix().ratio

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> StudentDifferences:
        """Student's t around the mean difference of each pair."""
        split_ratio = self.split_ratio(data)
        differences = pair_differences(data.matrix(), data.metric, split_ratio, first, second)
        moments = differences.moments
        return StudentDifferences(
            estimate=moments.mean,
            n_units=moments.n_splits,
            kind=moments.kind,
            tolerance=moments.tolerance,
            standard_error=corrected_standard_error(moments, differences.ratio, overwrite=True),
            df=moments.df,
            ratio=differences.ratio,
            data=data,
            split_ratio=split_ratio,
        )

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Mean score of each model, with its corrected t interval."""
        matrix = data.matrix()
        moments = model_moments(matrix)

        def interval(alpha: float) -> Interval:
            return corrected_interval(moments, model_ratios(matrix, self.split_ratio(data)), alpha)[1]

        return ModelValues("mean", moments.mean, np.asarray(moments.n_splits), moments.tolerance, interval)

    def reason_for(self, data: Scores) -> str:
        """Reason by how the splits were made."""
        return {
            "loo": "leave-one-out splits share nearly all training data, which the corrected variance allows for",
            "time": "time splits share training data; the corrected variance allows for it, if not for drift",
        }.get(data.design.kind, self.reason)

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on order, sizes and repeats of the splits."""
        matrix, design = data.matrix(), data.design
        if design.ordered:
            yield Notice(
                "ordered-splits",
                "the splits follow time: later models see more data, and drift between splits is not part of the interval",
            )
        n_train, n_test = matrix.n_train, matrix.n_test
        is_one_partition = matrix.n_folds == matrix.n_splits
        if matrix.has_sizes:
            yield from _about_sizes(matrix)
            n_examples = n_train + n_test
            is_one_partition = abs(int(n_test.sum()) - int(n_examples.max())) <= 1 and np.unique(matrix.repeat).size == 1
        if is_one_partition and design.kind not in ("loo", "time", "holdout", "repeated-holdout"):
            yield Notice(
                "single-repeat",
                f"one repeat of {matrix.n_splits}-fold: the answer may change with another shuffling; repeats (10 x 10-fold) "
                "steady it",
            )


def _about_sizes(matrix: ScoreMatrix) -> Iterator[Notice]:
    """Remarks on test sets that are very small, or of very different sizes."""
    n_test = matrix.n_test
    if n_test.min() < SMALL_TEST_SET:
        yield Notice(
            "small-test-sets",
            f"some test sets hold only {n_test.min()} example(s), so scores on them are coarse and the t distribution is a "
            "rough fit; comparing predictions example by example would be better, or fewer and larger folds",
        )
    if n_test.max() - n_test.min() > 1 and n_test.max() > 1.2 * n_test.min():
        yield Notice(
            "unequal-sizes",
            f"test sets hold {n_test.min()} to {n_test.max()} examples; each split counts the same, and the correction uses "
            f"the mean ratio {matrix.ratio.mean():.4g}",
        )


PAIRED = "both models were scored on the same splits"
NORMAL = "the differences over splits are roughly normal"

CORRECTED_T = CorrectedT(
    name="corrected-t",
    reason="resampled splits of one dataset share training data, which the corrected variance allows for",
    question="splits",
    unit="split",
    generalises_to="models trained on samples like this dataset",
    assumptions=(
        PAIRED,
        "the splits overlap as random ones do: their differences correlate by n_test / (n_train + n_test)",
        NORMAL,
        "the answer is about models trained on samples like this dataset; its own luck cannot be seen from inside",
    ),
    references=(
        "C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.",
        "R. Bouckaert, E. Frank. Evaluating the replicability of significance tests. PAKDD 2004.",
        "G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms. Machine Learning 100, 2015.",
        "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017.",
    ),
)
