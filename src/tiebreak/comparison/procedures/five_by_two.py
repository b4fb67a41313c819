"""Dietterich's t-test of five repetitions of two-fold cross-validation, with Alpaydin's F test beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.corrected_t import NORMAL, PAIRED
from tiebreak.comparison.procedures.procedure import Procedure, TestOnly
from tiebreak.comparison.procedures.student import StudentTails
from tiebreak.errors import TiebreakError, UnsuitableDesignError
from tiebreak.frequentist.five_by_two import FiveByTwoResult, five_by_two_cv_test
from tiebreak.numerics import CONSTANT, IDENTICAL, RELATIVE_TOLERANCE, SPREAD, UNDEFINED, FloatArray, IntArray
from tiebreak.scores.scores import ScoreMatrix, Scores
from tiebreak.scores.vocabulary import Notice

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

MOST_TESTS = 10
"""Pairs up to which each has its F test beside the answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FiveByTwoDifferences(StudentTails):
    """Differences on the first split; there are no further repeats that would narrow their intervals."""

    def half_width_floor(self, alpha: float) -> FloatArray:
        """The half-width as it is."""
        return np.where(self.kind == SPREAD, self.quantile(alpha / 2.0, upper=True) - self.estimate, np.nan)


@dataclass(frozen=True)
class FiveByTwo(Procedure):
    """Student's t with 5 degrees of freedom around the difference on the first split, its variance from all ten."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Five repeats of two folds, known by their keys."""
        matrix = data.matrix()
        if _is_five_by_two(matrix) and data.design.pairing == "key" and not data.design.ordered:
            return None
        repeats, n_folds = np.unique(matrix.repeat, return_counts=True)
        folds = f"{n_folds.min()} to {n_folds.max()}" if np.ptp(n_folds) else f"{n_folds[0]}"
        has = f"{repeats.size} repeat(s) of {folds} fold(s)"
        if data.design.pairing != "key":
            has = f"{matrix.n_splits} splits that are not named"
        return UnsuitableDesignError(
            f"5x2cv-t needs 5 repeats of 2-fold cross-validation, named in columns 'repeat' and 'fold'; these scores have {has}. "
            'Evaluate with cv={"kind": "repeated-kfold", "n_folds": 2, "n_repeats": 5}, or use the method \'corrected-t\', which '
            "takes any number of repeats and folds and loses less."
        )

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> FiveByTwoDifferences:
        """Dietterich's t on the differences less any number: their variances within repeats stay what they are."""
        matrix = data.matrix()
        difference = _differences(data, first, second)
        result = five_by_two_cv_test(difference)
        size = np.maximum(np.abs(matrix.score[first]), np.abs(matrix.score[second])).max(axis=-1)
        tolerance = RELATIVE_TOLERANCE * size
        kind = _kinds(difference, result, tolerance)
        return FiveByTwoDifferences(
            estimate=np.where(kind == IDENTICAL, 0.0, difference[..., 0, 0]),
            n_units=np.count_nonzero(~np.isnan(difference), axis=(-2, -1)),
            kind=kind,
            tolerance=tolerance,
            standard_error=np.where(
                kind == SPREAD, np.sqrt(result.variances.mean(axis=-1)), np.where(kind == UNDEFINED, np.nan, 0)
            ),
            df=np.full(np.shape(first), float(result.t_df)),
        )

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Alpaydin's F test of each pair, which no order of folds changes."""
        models = data.matrix().models
        pairs = list(combinations(range(len(models)), 2))
        if len(pairs) > MOST_TESTS:
            return
        for i, j in pairs:
            result = five_by_two_cv_test(_differences(data, np.asarray(i), np.asarray(j)))
            f, p, (df, df2) = float(result.f), float(result.f_pvalue), result.f_df
            if np.isfinite(f) and np.isfinite(p):
                yield TestOnly(
                    name="5x2cv-f",
                    models=(models[i], models[j]),
                    statistic=f,
                    pvalue=p,
                    text=f"combined 5x2cv F test of {models[i]!r} and {models[j]!r}: F {f:.6g}, df {df} and {df2}, p {p:.3g}",
                )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on the numerator."""
        yield Notice(
            "first-fold",
            "the difference that 5x2cv-t judges is that of the first split alone, and models are ranked by their means over all "
            "ten; which split is the first is chance. The corrected t-test and the F test use all ten",
        )


def _is_five_by_two(matrix: ScoreMatrix) -> bool:
    repeats, n_folds = np.unique(matrix.repeat, return_counts=True)
    return repeats.size == 5 and bool(np.all(n_folds == 2))


def _differences(data: Scores, first: IntArray, second: IntArray) -> FloatArray:
    """Differences of shape (..., 5, 2): repeats by folds, as splits stand in the order of their keys."""
    score = data.matrix().score
    difference = data.metric.sign * (score[first] - score[second])
    return np.asarray(difference.reshape(*np.shape(first), 5, 2))


def _kinds(difference: FloatArray, result: FiveByTwoResult, tolerance: FloatArray) -> NDArray[np.int8]:
    """SPREAD where some repeat has any; else IDENTICAL, CONSTANT within each repeat, or UNDEFINED where a split is missing."""
    size = np.abs(difference).max(axis=(-2, -1))
    flat = np.where(size <= tolerance, IDENTICAL, CONSTANT)
    has_spread = np.sqrt(result.variances.max(axis=-1)) > tolerance
    return np.where(np.isnan(size), UNDEFINED, np.where(has_spread, SPREAD, flat)).astype(np.int8)


FIVE_BY_TWO = FiveByTwo(
    name="5x2cv-t",
    reason="asked for by name: five repeats of two folds, whose training sets share nothing within a repeat",
    question="splits",
    unit="split",
    generalises_to="models trained on half as many examples as this dataset has",
    assumptions=(
        PAIRED,
        "the variances within the five repeats estimate that of the first difference",
        NORMAL,
        "the models are those of half of the data",
    ),
    references=(
        "T. Dietterich. Approximate tests for comparing supervised classification learning. Neural Computation 10, 1998.",
        "E. Alpaydin. Combined 5x2 cv F test for comparing classification learning algorithms. Neural Computation 11, 1999.",
    ),
)
