"""The one object that holds the answer; every view reads from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.bayesian.correlated_t import StudentPosterior, correlated_t_posterior
from tiebreak.comparison.choose import Method
from tiebreak.comparison.pairs import PairTable, judge_pairs
from tiebreak.comparison.ranking import RankingTable, rank_models
from tiebreak.comparison.requirements import Gate, Requirements, judge_requirements
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.verdict import CLAIMS, MIRRORED, REASONS, VERDICTS
from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.corrected_t import TTestResult, corrected_ttest, paired_ttest
from tiebreak.numerics import Alternative, FloatArray, check_alternative, student_multiplier
from tiebreak.result import Result, view_of
from tiebreak.scores.differences import model_correlation, pair_differences
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Notice, ScoreMatrix, Scores, SplitDesign, look_up

if TYPE_CHECKING:
    import os

    import pandas as pd

    from tiebreak.views.plots.comparison import ComparisonPlots, PairPlots


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairComparison(Result["PairPlots"]):
    """One pair in the orientation asked for; positive differences favour `first`.

    Attributes
    ----------
    first, second : str
    n_splits : int
        Splits that both models have.
    differences : ndarray of shape (n_splits,)
        One per split, oriented, in the metric's unit.
    test : TTestResult
        The test of the comparison's method.
    uncorrected_test : TTestResult
        The ordinary paired t-test, for contrast.
    posterior : StudentPosterior
        For probabilities at any rope, credible intervals at any level, quantiles and the density.
    rope : float
    ratio : float
        Mean n_test / n_train of the pair's splits; 0 for the uncorrected method.
    difference, standard_error, df, statistic, pvalue, adjusted_pvalue, interval_low, interval_high, simultaneous_low, \
simultaneous_high, p_better, p_equivalent, p_worse, claim, claim_pvalue, adjusted_claim_pvalue, verdict, bayesian_verdict, reason
        As in the row of `Comparison.pairs`. A pair that is not in the family (both are not the baseline) has no adjusted
        p-values (nan), no simultaneous interval and no verdict ("").
    comparison : Comparison
        Where the pair comes from.
    """

    first: str
    second: str
    n_splits: int
    differences: FloatArray
    test: TTestResult
    uncorrected_test: TTestResult
    posterior: StudentPosterior
    rope: float
    ratio: float
    difference: float
    standard_error: float
    df: int
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    interval_low: float
    interval_high: float
    simultaneous_low: float
    simultaneous_high: float
    p_better: float
    p_equivalent: float
    p_worse: float
    claim: str
    claim_pvalue: float
    adjusted_claim_pvalue: float
    verdict: str
    bayesian_verdict: str
    reason: str
    comparison: Comparison

    @property
    def sentence(self) -> str:
        """Meaning of the verdict on this pair, in plain words."""
        return view_of(self).headline(self)

    def __repr__(self) -> str:
        """Short: the pair and what is said of it."""
        return f"<{self.first!r} against {self.second!r}: {self.sentence}>"

    def half_width_floor(self, alpha: float = 0.05) -> float:
        """Half-width that the 1 - alpha interval approaches with ever more repeats of the same splits, in the metric's unit.

        The corrected variance (1/n + n_test/n_train) s^2 tends to n_test/n_train s^2, so below this only more data help;
        s is taken as it is here. nan for a pair without spread.
        """
        s = self.standard_error / np.sqrt(1.0 / max(self.n_splits, 1) + self.ratio)
        width = float(student_multiplier(alpha, 1e9)) * float(np.sqrt(self.ratio) * s)
        return width if self.standard_error > 0 else float("nan")


class Comparison(Result["ComparisonPlots"]):
    """Which models are better, equivalent or undecided, with everything the answer rests on.

    Made by `tiebreak.compare`. Everything is computed from the scores and settings it holds; the ranking, which draws from
    the joint posterior, when it is first asked for.

    Attributes
    ----------
    metric : Metric
    settings : Settings
        As the caller gave them.
    rope : float
        The rope that was used, in the metric's unit.
    method : Method
        Name, reason for choosing it, assumptions, references.
    notices : tuple of Notice
        (code, text) pairs.
    models : tuple of str
        In ranking order: best mean first.
    matrix : ScoreMatrix
        The scores, rows in ranking order.
    pair_table : PairTable
        The columns behind `pairs`.
    """

    def __init__(
        self,
        *,
        metric: Metric,
        matrix: ScoreMatrix,
        design: SplitDesign,
        settings: Settings,
        rope: float,
        method: Method,
        split_ratio: FloatArray,
        pair_table: PairTable,
        notices: tuple[Notice, ...],
    ) -> None:
        self.metric = metric
        self.matrix = matrix
        self.design = design
        self.settings = settings
        self.rope = rope
        self.method = method
        self.split_ratio = split_ratio
        self.pair_table = pair_table
        self.notices = notices

    @property
    def models(self) -> tuple[str, ...]:
        """Names in ranking order."""
        return self.matrix.models

    @property
    def scores(self) -> Scores:
        """The scores that were compared, models in ranking order."""
        return Scores(self.metric, (self.matrix,), self.design)

    def __tiebreak_scores__(self, metric: str | None = None) -> Scores:
        """Scores, as `tiebreak.compare` reads them."""
        return self.scores

    @property
    def reference(self) -> str:
        """The model that the ranking's differences are taken against: the baseline if one was named, else the best."""
        return self.settings.baseline if self.settings.baseline is not None else self.models[0]

    @cached_property
    def ranking_table(self) -> RankingTable:
        """The columns behind `ranking`."""
        return rank_models(
            self.matrix,
            self.metric,
            self.split_ratio,
            self.pair_table,
            reference=self.models.index(self.reference),
            rope=self.rope,
            alpha=self.settings.alpha,
            rng=self.settings.rng,
        )

    @cached_property
    def correlation_matrix(self) -> FloatArray:
        """The numbers behind `correlation`, models in ranking order."""
        return model_correlation(self.matrix)

    # --- questions -------------------------------------------------------------------------------------------------

    def pair(self, first: str, second: str, *, alternative: Alternative | None = None) -> PairComparison:
        """Everything about one pair, in the orientation asked for.

        Parameters
        ----------
        first, second : str
            Names; positive differences favour `first`.
        alternative : {"two-sided", "greater", "less"}, optional
            For `pvalue` and `adjusted_pvalue` only; that of the comparison if not given. You name the order here, so it must
            not come from these scores. The adjusted p-value is that of the family with this pair's p-value in its place.

        Raises
        ------
        UnknownNameError
            No model of that name.
        InvalidParameterError
            The same model twice.
        """
        one, two = (look_up(name, self.models, "model") for name in (first, second))
        if one == two:
            raise InvalidParameterError(f"a pair needs two different models; got {first!r} twice.")
        row, mirrored = self.pair_table.row_of(one, two), False
        if row is None:
            row = self.pair_table.row_of(two, one)
            mirrored = row is not None  # a pair outside the family is judged in the orientation asked for
        direction = check_alternative(alternative) if alternative is not None else self._own_alternative(row, mirrored)
        differences, scale, ratio = self._paired(one, two)
        corrected = self.method.name != "paired-t"
        # fewer than two shared splits is a question that these data cannot answer: nan with its reason, no error
        usable = differences if differences.size >= 2 else np.full(2, np.nan)
        test = corrected_ttest(usable, test_train_ratio=ratio, alternative=direction, scale=scale)
        return PairComparison(
            first=first,
            second=second,
            n_splits=differences.size,
            differences=differences,
            test=test,
            uncorrected_test=paired_ttest(usable, alternative=direction, scale=scale) if corrected else test,
            posterior=correlated_t_posterior(usable, test_train_ratio=ratio, scale=scale),
            rope=self.rope,
            ratio=ratio,
            comparison=self,
            **self._row_values(one, two, row, mirrored, test, direction),
        )

    def meets(
        self,
        *,
        better: Sequence[tuple[str, str]] | tuple[str, str] = (),
        not_worse: Sequence[tuple[str, str]] | tuple[str, str] = (),
    ) -> Requirements:
        """Whether claims named in advance are shown: a release gate.

        Parameters
        ----------
        better : pair of names, or sequence of pairs
            ``(a, b)``: a is better than b by more than the rope.
        not_worse : pair of names, or sequence of pairs
            ``(a, b)``: a is not worse than b by more than the rope (non-inferiority); at rope 0 that is superiority.

        Returns
        -------
        Requirements
            True when all are met. All requirements of one call are one family under the comparison's `correction`; what is
            undecided is not met.
        """
        asked: list[tuple[Gate, str, str]] = [("better", a, b) for a, b in _as_pairs(better)]
        asked += [("not worse", a, b) for a, b in _as_pairs(not_worse)]
        if not asked:
            raise InvalidParameterError("no requirement was given; pass better=(a, b) or not_worse=(a, b).")
        tests = [self.pair(first, second, alternative="two-sided").test for _, first, second in asked]
        return judge_requirements(asked, tests, self.rope, self.settings)

    def shortlist(self) -> tuple[str, ...]:
        """Models that may be the best: the truly best one is among them with probability at least 1 - alpha."""
        return tuple(name for name, stays in zip(self.models, self.ranking_table.in_shortlist, strict=True) if stays)

    # --- views -----------------------------------------------------------------------------------------------------

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        return view_of(self).headline(self)

    @property
    def ranking(self) -> pd.DataFrame:
        """One row for each model, best first; a fresh frame at each access."""
        return view_of(self).frames["ranking"](self)

    @property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair of the family; a fresh frame at each access."""
        return self.to_frame()

    @property
    def correlation(self) -> pd.DataFrame:
        """Correlation of the models' scores over splits, in ranking order; nan for a model with constant scores."""
        return view_of(self).frames["correlation"](self)

    def to_text(self, requirements: Requirements | None = None) -> str:
        """Sentence, tables, warnings and method, for a terminal."""
        return view_of(self).as_text(self, requirements)

    def to_markdown(self, requirements: Requirements | None = None) -> str:
        """The same as Markdown."""
        return view_of(self).as_markdown(self, requirements)

    def to_html(self, path: str | os.PathLike[str] | None = None, requirements: Requirements | None = None) -> str:
        """The same as a page of HTML without script, also written to `path` if given."""
        return view_of(self).as_html(self, path, requirements)

    def to_dict(self, requirements: Requirements | None = None) -> dict[str, Any]:
        """The answer in schema 1, as documented in docs/json.md; nan is None."""
        return view_of(self).as_dict(self, requirements)

    def to_json(self, path: str | os.PathLike[str] | None = None, requirements: Requirements | None = None) -> str:
        """The answer as JSON text, also written to `path` if given; `tiebreak.compare` reads it back."""
        return view_of(self).as_json(self, path, requirements)

    def __repr__(self) -> str:
        """Short: what was compared, by what."""
        return (
            f"<Comparison of {len(self.models)} models by {self.metric.name} on {self.matrix.n_splits} splits: {self.sentence}>"
        )

    # --- one pair --------------------------------------------------------------------------------------------------

    def _paired(self, one: int, two: int) -> tuple[FloatArray, float, float]:
        """Oriented differences on shared splits, the size of the scores, and the mean ratio."""
        scores = self.matrix.score[[one, two]]
        shared = ~np.isnan(scores).any(axis=0)
        scores = scores[:, shared]
        differences = self.metric.sign * (scores[0] - scores[1])
        ratio = float(self.split_ratio[shared].mean()) if shared.any() else 0.0
        return differences, float(np.abs(scores).max(initial=0.0)), ratio

    def _own_alternative(self, row: int | None, mirrored: bool) -> Alternative:
        own = self.settings.alternative
        if own == "two-sided" or row is None:
            return "two-sided"
        exchanged: dict[str, Alternative] = {"greater": "less", "less": "greater"}
        return exchanged[own] if mirrored else own

    def _row_values(
        self, one: int, two: int, row: int | None, mirrored: bool, test: TTestResult, alternative: Alternative
    ) -> dict[str, Any]:
        """The pair's row of the table, mirrored where needed; a pair outside the family is judged without adjustment."""
        if row is None:
            first, second = np.array([one]), np.array([two])
            differences = pair_differences(self.matrix, self.metric, self.split_ratio, first, second)
            table, row_in = judge_pairs(differences, self.rope, self.settings), 0
        else:
            table, row_in = self.pair_table, row
        sign = -1.0 if mirrored else 1.0
        interval, simultaneous = (
            sorted((sign * float(ends.low[row_in]) + 0.0, sign * float(ends.high[row_in]) + 0.0))  # + 0.0: no -0.0
            for ends in (table.interval, table.simultaneous)
        )
        better, worse = float(table.p_better[row_in]), float(table.p_worse[row_in])
        claim, verdict, bayesian = (
            MIRRORED[code] if mirrored else code
            for code in (table.claim[row_in], table.verdict[row_in], table.bayesian_verdict[row_in])
        )
        in_family = row is not None
        is_own = in_family and alternative == self._own_alternative(row, mirrored)
        pvalue = float(table.pvalue[row_in] if is_own else test.pvalue)
        return {
            "difference": sign * float(table.difference[row_in]) + 0.0,
            "standard_error": float(table.standard_error[row_in]),
            "df": int(np.broadcast_to(table.df, table.first.shape)[row_in]),
            "statistic": sign * float(table.statistic[row_in]) + 0.0,
            "pvalue": pvalue,
            "adjusted_pvalue": self._adjusted(row, pvalue) if row is not None else float("nan"),
            "interval_low": interval[0],
            "interval_high": interval[1],
            "simultaneous_low": simultaneous[0] if in_family else float("nan"),
            "simultaneous_high": simultaneous[1] if in_family else float("nan"),
            "p_better": worse if mirrored else better,
            "p_equivalent": float(table.p_equivalent[row_in]),
            "p_worse": better if mirrored else worse,
            "claim": CLAIMS[claim],
            "claim_pvalue": float(table.claim_pvalue[row_in]),
            "adjusted_claim_pvalue": float(table.adjusted_claim_pvalue[row_in]) if in_family else float("nan"),
            "verdict": VERDICTS[verdict] if in_family else "",
            "bayesian_verdict": VERDICTS[bayesian],
            "reason": REASONS[table.kind[row_in]],
        }

    def _adjusted(self, row: int, pvalue: float) -> float:
        family = self.pair_table.pvalue.copy()
        family[row] = pvalue
        return float(adjust_pvalues(family, self.settings.correction)[row])


def _as_pairs(given: Iterable[Any]) -> list[tuple[str, str]]:
    """One pair or many, as a list of pairs."""
    items = [given] if isinstance(given, str) else list(given)
    if len(items) == 2 and all(isinstance(item, str) for item in items):
        return [(items[0], items[1])]
    for item in items:
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise InvalidParameterError(f"a requirement names two models, (a, b); got {item!r}.")
    return [(item[0], item[1]) for item in items]
