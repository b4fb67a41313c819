"""The one object that holds the answer; every view reads from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.comparison.family import Against, Family, best_alpha, every_pair
from tiebreak.comparison.procedures import choose_method, procedures_named
from tiebreak.comparison.procedures.procedure import (
    MOST_CHECKED,
    Judged,
    Method,
    ModelValues,
    TestOnly,
    and_more,
    pairs_of_reference,
    refusals,
    units_of,
    wins,
)
from tiebreak.comparison.ranking import RankingTable, order_by_value, p_best, rank_models
from tiebreak.comparison.settings import Settings, check_names
from tiebreak.errors import Advice, DataError, InvalidParameterError, Problems, Setting
from tiebreak.numerics import UNDECIDED, FloatArray, IntArray, Law, Missing, rope_number, share_in_units
from tiebreak.printable import printable
from tiebreak.result import Result, view_of
from tiebreak.scores.means import connected_groups
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import LARGEST_SCORE, SavedSettings, ScoreMatrix, Scores, percent_notices
from tiebreak.scores.vocabulary import Notice, look_up, quoted
from tiebreak.statistics.copies import first_copies
from tiebreak.statistics.family import Correction, shared_alpha

if TYPE_CHECKING:
    import os

    import pandas as pd

    from tiebreak.comparison.looks import Looks
    from tiebreak.comparison.noise_floor import NoiseFloor
    from tiebreak.comparison.requirements import Names, PairsOfNames, Requirements
    from tiebreak.comparison.slices import Slices
    from tiebreak.scores.items import Items


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairComparison(Result):
    """One pair in the orientation asked for; positive differences favour `first`.

    Attributes
    ----------
    first, second : str
    n_units : int
        Splits that both models have, or what else the procedure counts.
    judged : Judged
        Law of this pair's difference alone (arrays of shape ()), and what else the procedure knows of it.
    law : Law
        Law of the difference: p-values of any alternative, intervals at any level, probabilities at any rope.
    rope : float
    difference, standard_error, df, statistic, pvalue, adjusted_pvalue, interval_alpha, interval_low, interval_high, p_better, \
p_equivalent, p_worse, verdict, reason
        As in the row of `Comparison.pairs`. A pair that is not in the family (neither is the baseline, or models are compared
        with the best) has no adjusted p-value and no interval_alpha (nan) and no verdict (""); its interval is its own, at
        1 - alpha. What the procedure does not give is nan.
    comparison : Comparison
        Where the pair comes from.
    look : int
        Place, among the looks of a plan, of the one that decided it; the last one unless there is such.
    """

    first: str
    second: str
    n_units: int
    judged: Judged
    law: Law
    rope: float
    difference: float
    standard_error: float
    df: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    interval_alpha: float
    interval_low: float
    interval_high: float
    p_better: float
    p_equivalent: float
    p_worse: float
    verdict: str
    reason: str
    comparison: Comparison
    look: int = -1

    @property
    def has_interval(self) -> bool:
        """True where the data give the difference an interval; where not, `reason` says why, if the pair is in the family."""
        return bool(np.isfinite(self.interval_low) or np.isfinite(self.interval_high))

    @property
    def is_in_family(self) -> bool:
        """True where the pair is one of those judged together, and so has a verdict."""
        return self.verdict != ""

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparison.pair, (self.comparison, self.first, self.second)

    @property
    def sentence(self) -> str:
        """Meaning of the verdict on this pair, in plain words."""
        return view_of(self).headline(self)

    def __repr__(self) -> str:
        """Short: the pair and what is said of it."""
        return printable(f"<{self.first!r} against {self.second!r}: {self.sentence}>")

    @property
    def differences(self) -> FloatArray:
        """Difference on each unit that both models have, in the metric's unit; none where units have none, 1, 0, -1 of wins."""
        comparison, data = self.comparison, self.comparison.scores
        if not (comparison.method.is_paired and comparison.method.is_mean):
            return np.zeros(0)
        if comparison.looks is not None:
            from tiebreak.comparison.looks import cut

            data = cut(comparison.method, data, comparison.looks.taken[self.look].n)
        units = units_of(data)
        one, two = (units.matrix().score[row] for row in comparison._rows(self.first, self.second))
        differences = wins(one, two) if data.is_mixed else units.metric.sign * (one - two)
        return np.asarray(differences[~np.isnan(differences)])

    def flips(self) -> dict[str, tuple[str, ...]]:
        """Items that only one of the two models gets right, by the model, of items that are right or wrong.

        Raises
        ------
        DataError
            The scores are of no such items.
        """
        items = self.comparison.items
        found = items.flips(self.first, self.second) if items is not None and self.comparison.method.is_paired else None
        if found is None:
            raise DataError("flips are of the same items for both models, each right or wrong; these scores are others.")
        return found

    @property
    def uncorrected(self) -> Law:
        """Law of the ordinary paired t-test, for contrast, where the procedure corrects for shared training data."""
        found = self.judged.beside.get("uncorrected")
        if found is None:
            raise DataError(
                f"{self.comparison.method.name} corrects nothing, so there is no uncorrected law; pair.law has its tails and "
                "intervals."
            )
        return found()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Which models are better, equivalent or undecided, with everything the answer rests on.

    Made by `tiebreak.compare`. Everything is computed from the scores and settings it holds, when it is first asked for.

    Attributes
    ----------
    metric : Metric
        That of the scores, or what the method makes of it, which differences and values of models are of.
    settings : Settings
        As the caller gave them, or as a saved answer had them.
    resolved : Settings
        The same with the rope in the metric's unit, as procedures are given them.
    rope : float
        The rope that was used, in the metric's unit.
    correction : str
        The correction that was used: the procedure's own where none was asked for.
    looks : Looks or None
        The plan with all looks that were taken, this one included; None where the answer is not one of several looks.
    reference : str
        The model that the ranking's differences are taken against: the baseline if one was named, else the best.
    method : Method
        Name, reason for choosing it, assumptions, references.
    notices : tuple of Notice
        (code, text) pairs.
    models : tuple of str
        In ranking order: best mean first.
    scores : Scores
        As they were compared: models in ranking order.
    read : Scores
        As they were read.
    matrix : ScoreMatrix
        Scores of the units that were counted: the splits of one dataset, the means of several, or items; rows in ranking order.
    items : Items or None
        Where the scores are of single items of one test set; models in ranking order.
    pair_table : Family
        The columns behind `pairs`.
    ranking_table : RankingTable
        The columns behind `ranking`.
    by : str or None
        Column of the items by which the pairs are shown too: that of the settings, or the procedure's own.
    """

    metric: Metric
    settings: Settings
    resolved: Settings
    rope: float
    correction: Correction
    looks: Looks | None
    reference: str
    method: Method
    models: tuple[str, ...]
    scores: Scores
    read: Scores
    reading_notices: tuple[Notice, ...]
    matrix: ScoreMatrix
    items: Items | None
    pair_table: Family
    ranking_table: RankingTable
    by: str | None

    def __reduce__(self) -> tuple[Any, ...]:
        """The scores as they were read and the settings, from which the answer is made anew."""
        return compare_scores, (self.read, self.settings)

    def with_(self, **settings: Any) -> Comparison:
        """Comparison of the same scores with other settings, named as in `tiebreak.compare`: ``answer.with_(rope=0.01)``."""
        if self.looks is not None and settings.get("looks", self.looks) is not None:
            raise DataError("a look of a plan keeps the settings of the plan; add looks=None to compare the data by themselves.")
        check_names(settings)
        return compare_scores(self.read, replace(self.settings, **settings))

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """Remarks on the scores, on assumptions that they do not meet, and on the answer."""
        unsure = tuple(_unsure(self.matrix.models, self.method, self.pair_table))
        said = dict(unsure).keys() - {"few-units"}
        own = (each for each in self.method.remarks(self.scores) if each.code not in said)
        return (
            *self.reading_notices,
            *own,
            *unsure,
            *_remarks(self.matrix, self.method, self.pair_table, self.settings.baseline),
        )

    def __tiebreak_scores__(self, metric: str | None = None) -> Scores:
        """Scores, as `tiebreak.compare` reads them, with the settings of this comparison."""
        return replace(self.scores, saved_settings=(SavedSettings("", vars(self.settings)),))

    @property
    def reference_row(self) -> int:
        """Row of the reference in the ranking."""
        return self.models.index(self.reference)

    @cached_property
    def against_reference(self) -> Against:
        """Every model against the reference, as the pairs say it."""
        return self.pair_table.against(self.reference_row, len(self.models))

    @cached_property
    def supplementary_tests(self) -> tuple[TestOnly, ...]:
        """Tests shown beside the answer, which have no part in the verdicts."""
        return () if self.looks is not None else tuple(self.method.beside(self.scores, self.resolved))  # they know of no looks

    # --- questions -------------------------------------------------------------------------------------------------

    def pair(self, first: str, second: str) -> PairComparison:
        """Everything about one pair, in the orientation asked for.

        Parameters
        ----------
        first, second : str
            Names; positive differences favour `first`.

        Raises
        ------
        UnknownNameError
            No model of that name.
        InvalidParameterError
            The same model twice.
        """
        one, two = self._rows(first, second)
        table, found = self.pair_table, self.pair_table.row_of(one, two)
        of_look = table.judged.beside.get("look")
        look = -1 if found is None or of_look is None else int(of_look[found[0]]) - 1
        if found is None:  # outside the family it is judged in the orientation asked for, without adjustment
            pair = np.array([one]), np.array([two])
            table, found = Family(*pair, self._judged(*pair), self.rope, self.settings.alpha, "none", family="best"), (0, False)
        judged = self._judged(np.asarray(one), np.asarray(two), look)
        return PairComparison(
            first=first,
            second=second,
            judged=judged,
            law=judged.law,
            rope=self.rope,
            comparison=self,
            look=look,
            **table.row_values(*found),
        )

    def slices(self, by: str | None = None) -> Slices:
        """Every pair on parts of the items: the texts of one of their columns, judged together as one family.

        Parameters
        ----------
        by : str, optional
            Name of a column of the table of items, such as "topic"; that of the comparison if not given.

        Returns
        -------
        Slices
            Print it for the answer; `.to_frame()` has a row for each slice and pair.

        Raises
        ------
        InvalidParameterError
            The scores are not of single items, or the column has more than 50 different texts.
        UnknownNameError
            No such column.
        """
        from tiebreak.comparison.slices import sliced  # as with looks and requirements, most answers have none

        column = by if by is not None else self.by
        if column is None:
            raise InvalidParameterError("say by which column of the items to slice: comparison.slices('COLUMN').", about="by")
        return sliced(self, column)

    def meets(
        self,
        *,
        better: PairsOfNames = (),
        not_worse: PairsOfNames = (),
        near_best: Names = (),
        others: Comparison | Sequence[Comparison] | Callable[[str], Comparison] = (),
        n_questions: int | None = None,
        noise_floor: NoiseFloor | str | os.PathLike[str] | float | None = None,
    ) -> Requirements:
        """Judge requirements named beforehand: a release gate with three outcomes.

        The name of a model may have a metric in front, ``("log_loss:new", "log_loss:old")``; `others` then has the comparison.

        Parameters
        ----------
        better : pair of names, or sequence of pairs
            ``(a, b)``: a is better than b by more than the rope.
        not_worse : pair of names, or sequence of pairs
            ``(a, b)``: a is not worse than b by more than the rope (non-inferiority).
        near_best : name, or sequence of names
            The model falls short of the best of all models by the rope at most.
        others : Comparison, sequence of them, or callable, optional
            Comparisons of the same models in the other metrics that requirements name, each with a rope of its own; a callable
            makes that of a metric from its name.
        n_questions : int, optional
            Number of requirements that share the error rate, where others are asked elsewhere. Those of this call if not given.
        noise_floor : NoiseFloor, path or float, optional
            How far two runs of one model lie apart on this suite, from `tiebreak.noise_floor`, the JSON of one, or a number in
            the metric's unit; it counts for requirements in its own metric. A requirement whose rope is below it is inconclusive,
            and so is one of very few units.

        Returns
        -------
        Requirements
            True when all are met; `.outcome` is "met", "broken" if any is, else "inconclusive". n questions are a family of
            their own: each is asked at ``alpha / n``, whatever the comparison's `correction`.

        Raises
        ------
        InvalidParameterError
            No requirement, the same model twice in one, the same one twice, or fewer `n_questions` than are given.
        UnknownNameError
            No model of that name, or no comparison in a metric that is named.
        """
        from tiebreak.comparison.requirements import asked_requirements, judge_requirements

        asked = asked_requirements(better, not_worse, near_best, models=self.models, metric=self.metric.name)
        return judge_requirements(self, asked, others, n_questions, noise_floor)

    def shrinkage(self) -> pd.DataFrame:
        """Difference of each pair on each dataset, as measured and shrunken towards the other datasets.

        Of the method "hierarchical", in the metric's unit; positive favours `first`.

        Returns
        -------
        DataFrame
            A row for each pair of the family and dataset: first, second, dataset, raw (mean over the dataset's splits), shrunken
            and sd (mean and standard deviation of the posterior of the dataset's own difference).

        Raises
        ------
        DataError
            Another method.
        """
        return view_of(self).frame(self, "shrinkage")

    def shortlist(self) -> tuple[str, ...]:
        """Models that may be the best: the truly best one is among them with probability at least 1 - alpha.

        Of several that are equally good all are, but with family="best", which promises that of each by itself.

        Raises
        ------
        DataError
            Models were compared with a baseline, which does not say which is the best.
        """
        if self.ranking_table.may_be_best is None:
            raise DataError(
                "a comparison with a baseline judges every model against that one, and does not say which is the best. Leave ",
                Setting("baseline"),
                " out.",
            )
        return tuple(self.models[row] for row in self.ranking_table.contenders)

    def p_best(self) -> dict[str, float]:
        """Probability of each model to be the best, by the joint posterior of all; in ranking order.

        Drawn with the seed of the comparison for three models or more, exact for two; models whose difference does not vary
        share theirs. nan for a model that lacks scores. It keeps no error rate over the models: with many equal ones some has a
        large probability by luck. `shortlist` and the standings do keep it.

        Raises
        ------
        DataError
            The procedure gives no joint posterior, or the answer is a look of a plan, over which posteriors keep no error rate.
        """
        if self.looks is not None:
            raise DataError("p_best keeps no error rate over looks. Compare without a plan of looks, when all data are in.")
        found = p_best(self.scores, self.method, self.ranking_table.n_units, self.resolved)
        return dict(zip(self.models, found.tolist(), strict=True))

    # --- views -----------------------------------------------------------------------------------------------------

    @property
    def headline(self) -> str:
        """The answer in at most 15 words, a name counting as one."""
        return view_of(self).headline(self)

    @property
    def next_step(self) -> str:
        """Which model to take, or what would settle it and at what cost; "" where nothing is left to do."""
        return view_of(self).texts["next_step"](self)

    @property
    def details(self) -> str:
        """The rest that is known: all columns of models and pairs, further notices, method, assumptions and references."""
        return view_of(self).texts["details"](self)

    @property
    def ranking(self) -> pd.DataFrame:
        """One row for each model, best first; a fresh frame at each access."""
        return view_of(self).frame(self, "ranking")

    @property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair of the family; a fresh frame at each access."""
        return self.to_frame()

    @property
    def correlation(self) -> pd.DataFrame:
        """Correlation of the models' scores over splits, datasets or items, in ranking order; nan for a model with constant ones.

        Of predicted classes it is that of right and wrong.
        """
        return view_of(self).frame(self, "correlation")

    def to_text(self, requirements: Requirements | None = None, *, columns: Literal["default", "all"] = "default") -> str:
        """Answer, table of models, warnings and method, for a terminal.

        Parameters
        ----------
        requirements : Requirements, optional
            Judged by `meets`; their outcome stands first.
        columns : {"default", "all"}
            By default one table: value, difference to the first model with its interval and verdict, and standing. "all" shows
            what else is known of each model, and a table of the pairs with their p-values.
        """
        return view_of(self).page(self, requirements, columns=columns).as_text()

    def to_markdown(
        self,
        requirements: Requirements | None = None,
        *,
        columns: Literal["default", "all"] = "default",
    ) -> str:
        """The answer as Markdown, for pull requests and notes."""
        return view_of(self).page(self, requirements, columns=columns).as_markdown()

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        requirements: Requirements | None = None,
        *,
        title: str = "",
    ) -> str:
        """The report: one HTML file that opens offline, also written to `path` if given, whole or not at all.

        Parameters
        ----------
        path : path, optional
            Where to write it; a file of that name is replaced.
        requirements : Requirements, optional
            What `meets` answered, to stand above the answer.
        title : str, optional
            Instead of "3 models by accuracy" and its like, which then stands below it.
        """
        return view_of(self).as_html(self, path, requirements, title=title)

    def to_latex(self, table: Literal["ranking", "pairs", "scores"] | None = None) -> str:
        """Ranking, pairs and, of several datasets, scores as tables of LaTeX, with the rules of its package booktabs.

        Parameters
        ----------
        table : {"ranking", "pairs", "scores"}, optional
            One of them; all if not given. The scores are a row for each dataset, the best of each in bold, and the average ranks.

        Raises
        ------
        InvalidParameterError
            Another name.
        DataError
            Scores by dataset of a comparison on one dataset.
        """
        return view_of(self).texts["latex"](self, table)

    def to_json(self, path: str | os.PathLike[str] | None = None, requirements: Requirements | None = None) -> str:
        """The answer as JSON text, also written to `path` if given; `tiebreak.compare` reads it back."""
        return view_of(self).as_json(self, path, requirements)

    def __repr__(self) -> str:
        """Short: what was compared, by what."""
        units = f"{self.matrix.n_splits} {self.method.unit}s" if self.method.is_paired else f"{self.method.unit}s of their own"
        return printable(f"<Comparison of {len(self.models)} models by {self.metric.name} on {units}: {self.headline}>")

    # --- one pair --------------------------------------------------------------------------------------------------

    def _rows(self, first: str, second: str) -> tuple[int, int]:
        """Rows of two different models."""
        one, two = (look_up(name, self.models, "model") for name in (first, second))
        if one == two:
            raise InvalidParameterError(f"a pair needs two different models; got {first!r} twice.")
        return one, two

    def _judged(self, first: IntArray, second: IntArray, look: int = -1) -> Judged:
        """Differences of pairs of rows by themselves; with looks as of one of them, the last unless another is named."""
        return _differences(self.scores, self.method, self.resolved, first, second, look)


# --- from scores and settings ------------------------------------------------------------------------------------------------

SMALLEST_SCORE = 1e-60
"""Where all scores are smaller, the fourth powers of differences may be 0."""

MOST_MODELS = 10_000
"""Of that many the 50 million pairs take 2.5 GB, and a page of them as much again."""


def compare_scores(scores: Scores, settings: Settings) -> Comparison:
    """Compare all models of scores; each error says what is wrong and how to go on."""
    given = scores
    _check_models(scores, settings.baseline)
    items, is_named = scores.items, settings.method != "auto"
    is_of_datasets = is_named and procedures_named(settings.method)[0].question == "datasets"
    if is_of_datasets and items is not None and items.tasks is not None and items.is_mean:  # the tasks are some
        scores = items.as_datasets()
    method = choose_method(settings.method, scores)
    units = units_of(scores)
    _check_scores(units.matrix(), settings.missing or method.missing, method)
    percent = percent_notices(units.matrix(), units.metric) if method.is_mean else ()
    values = method.values(scores)
    order = order_by_value(scores, method, values)
    rope = _rope_in_units(settings, scores, values, order)
    scores = _in_order(scores, order)
    if settings.looks is not None:
        from tiebreak.comparison.looks import decided_at, next_look

        settings = replace(settings, looks=next_look(settings.looks, scores, settings, method, rope))
    resolved = replace(settings, rope=rope)
    table, ranking = _ranked(scores, resolved, method)
    if (np.diff(ranking.order) < 0).any():  # one is shown above one whose value is higher: pairs say more than values
        scores = _in_order(scores, np.array(scores.models, dtype=object)[ranking.order].tolist())
        table, ranking = _ranked(scores, resolved, method)
    if rope and table.judged.unit != "metric":
        raise InvalidParameterError(
            f"{method.name} judges differences of {units.metric.name}, in another unit than the metric's, so it takes no rope. "
            "Leave out ",
            Setting("rope"),
            ".",
            about="rope",
        )
    if settings.looks is not None:
        settings = replace(settings, looks=decided_at(settings.looks, table, scores.models))
    scores = replace(scores, notices=(), saved_settings=())  # those of reading are among the comparison's
    matrix = units_of(scores).matrix()
    comparison = Comparison(
        metric=units.metric,
        settings=settings,
        resolved=resolved,
        rope=rope,
        correction=table.correction,
        looks=settings.looks,
        reference=matrix.models[0] if settings.baseline is None else settings.baseline,
        method=method,
        models=matrix.models,
        scores=scores,
        read=given,
        reading_notices=tuple(dict.fromkeys((*units.notices, *percent))),
        matrix=matrix,
        items=scores.items,
        pair_table=table,
        ranking_table=ranking,
        by=method.by if settings.by is None and table.is_family else settings.by,
    )
    if settings.by is not None:
        comparison.slices()  # refuses a column that makes none
    return comparison


_UNNAMED = (
    " If a column of the table names others, say which: ",
    Advice("tb.read_scores(..., columns={'model': 'NAME'})", typed="--column model=NAME"),
    ".",
)
"""What to do where a table holds one model."""


def _check_models(scores: Scores, baseline: str | None) -> None:
    """Refuse a single model, more than memory holds the pairs of, and a baseline that is none of them."""
    models, n = scores.models, len(scores.models)
    gone = "".join(f" {notice.text}." for notice in scores.notices if notice.code == "left-out")
    problems = Problems(
        refusals(
            (
                n < 2,
                f"a comparison needs at least two models; there is only {quoted(models)}.{gone}",
                *(_UNNAMED if scores.roles else ()),
            ),
            (
                n > MOST_MODELS,
                (
                    f"{n:,} models make {n * (n - 1) // 2:,} pairs, for which memory would be short; at most {MOST_MODELS:,} "
                    "models can be compared. Choose some of them with "
                ),
                Setting("models"),
                ".",
            ),
        )
    )
    with problems.noted():
        if baseline is not None:
            look_up(baseline, models, "model (given as baseline)")
    problems.stop()


def _ranked(scores: Scores, settings: Settings, method: Method) -> tuple[Family, RankingTable]:
    """The pairs of scores whose models stand in ranking order, and the ranking that they make."""
    if settings.baseline is None:
        first, second = every_pair(len(scores.models))
    else:
        second, first = pairs_of_reference(scores.models, settings)
    judged = _differences(scores, method, settings, first, second)
    name = settings.family if settings.baseline is None else "baseline"
    table = Family(first, second, judged, float(settings.rope), settings.alpha, settings.correction or "bonferroni", family=name)
    return table, rank_models(scores, method, table)


def _differences(
    scores: Scores, method: Method, settings: Settings, first: IntArray, second: IntArray, look: int | None = None
) -> Judged:
    """Differences of pairs of rows; with a plan of looks at the look that decided each, or all at one of them."""
    if settings.looks is None:
        return method.judged(scores, first, second, settings)
    from tiebreak.comparison.looks import looked

    return looked(settings.looks, method, scores, first, second, settings, look)


def _in_order(scores: Scores, models: Sequence[str]) -> Scores:
    """The models in this order in every dataset; one that was not measured there has no scores."""
    taken = scores.take(models)
    if len(scores.matrices) == 1:
        return taken
    matrices = []
    for matrix in taken.matrices:
        score = np.full((len(models), matrix.n_splits), np.nan)
        score[[models.index(name) for name in matrix.models]] = matrix.score
        matrices.append(replace(matrix, models=tuple(models), score=score))
    return replace(taken, matrices=tuple(matrices))


def _check_scores(matrix: ScoreMatrix, missing: Missing, method: Method) -> None:
    """Refuse missing scores unless pairs may differ in their units; a model without any, or vast scores, in any case."""
    unit, absent = method.unit, np.isnan(matrix.score)
    largest = np.array([np.fmax.reduce(np.abs(row), initial=0.0) for row in matrix.score])  # by row, as a table may be large
    names = np.array(matrix.models, dtype=object)
    vast, empty = names[largest > LARGEST_SCORE], names[absent.all(axis=1)]
    has, it = ("has", "it") if empty.size == 1 else ("have", "them")
    problems = Problems(
        refusals(
            (
                vast.size > 0,
                (
                    f"the scores of {quoted(vast.tolist())} reach beyond {LARGEST_SCORE:g}, where powers of differences "
                    "leave the range of numbers. Give the metric in a larger unit, or leave the model out with "
                ),
                Setting("models"),
                ".",
            ),
            (
                0 < largest.max() < SMALLEST_SCORE,
                (
                    f"no score is larger than {largest.max():g}, where powers of differences leave the range of numbers. Give "
                    "the metric in a smaller unit: multiply all scores by the same number."
                ),
            ),
            (
                empty.size > 0,
                f"{quoted(empty.tolist())} {has} no score on any {unit}. Leave {it} out with ",
                Setting("models"),
                ".",
            ),
        )
    )
    incomplete = np.flatnonzero(absent.any(axis=1) & ~absent.all(axis=1))
    if incomplete.size and missing == "raise" and method.is_paired:
        row = incomplete[0]
        lacking = np.flatnonzero(absent[row])
        shown = ", ".join(matrix.split_name(split) for split in lacking[:3])
        more = f" and {lacking.size - 3} more" if lacking.size > 3 else ""
        others = f" (so do {incomplete.size - 1} other model(s))" if incomplete.size > 1 else ""
        problems.append(
            DataError(
                f"{matrix.models[row]!r} lacks {lacking.size} of the {matrix.n_splits} {unit}s: {shown}{more}{others}; a score "
                "that is undefined (nan) counts as missing. Evaluate those, leave the model out with ",
                Setting("models"),
                ", or pass ",
                Setting("missing", '"pairwise"'),
                f" to compare each pair on the {unit}s it shares.",
            )
        )
    problems.stop()


def _rope_in_units(settings: Settings, scores: Scores, values: ModelValues, order: Sequence[str]) -> float:
    """The rope in the unit of differences; a percentage is of the best value, or of the baseline's.

    One within which all differences of the metric lie, such as 1 for an accuracy, meant for one per cent, is refused.
    """
    matrix, metric = units_of(scores).matrix(), units_of(scores).metric
    rope = rope_number(settings.rope)
    if isinstance(settings.rope, str) and not scores.is_mixed:  # of several metrics it is refused, as differences have no unit
        of = order[0] if settings.baseline is None else settings.baseline
        row = matrix.models.index(of)
        whose = "best mean" if settings.baseline is None else "baseline's mean"
        mean, tolerance = float(values.shown[row]), float(values.tolerance[row])
        rope = share_in_units(settings.rope, mean, tolerance, f"{whose}, but the mean {metric.name} of {of!r}")
    low, high = metric.bounds_of(np.fmin.reduce(matrix.score, axis=None), np.fmax.reduce(matrix.score, axis=None))
    if rope and rope >= high - low:
        raise InvalidParameterError(
            Setting("rope", f"{rope:g}"),
            f" is as wide as {metric.name} itself, which lies between {low:g} and {high:g}: all models would be equivalent. "
            "Give the smallest difference that matters to you, such as ",
            Setting("rope", "0.01"),
            ", or ",
            Setting("rope", "'1%'"),
            " of the best mean.",
            about="rope",
        )
    return rope


# --- remarks -----------------------------------------------------------------------------------------------------------------


FEW_CLAIMED, FEW_UNITS = 10, 1_000
"""Units below which it is said on the page, of what is claimed, and in the details that what matters may not be among them."""


def _unsure(models: Sequence[str], method: Method, table: Family) -> Iterator[Notice]:
    """Notices of claims that a less sure law does not make, and of few independent units."""
    claims, law = table.claims(), table.law
    caution, rows = table.judged.beside.get("caution"), np.flatnonzero(claims != UNDECIDED)
    if len(models) > MOST_CHECKED:
        return
    if caution is not None and rows.size:
        surer, code, reason = caution(table.first[rows], table.second[rows])
        unsure = rows[table.claims(surer) != claims[rows]]
        if unsure.size:
            pair = [models[table.first[unsure[0]]], models[table.second[unsure[0]]]]
            yield Notice(code, f"what is said of {quoted(pair)}{and_more(unsure.size)} {reason}")
    independent = table.judged.beside.get("independent", law.n_units if law.df is None else np.asarray(law.df) + 1.0)
    # splits are no sample, of periods the procedure speaks, and rates of right and wrong hold for any number
    if method.unit in ("split", "period") or (method.question == "examples" and law.df is None):
        return
    n_units = np.broadcast_to(independent, claims.shape)
    n = max(int(np.nanmin(n_units, initial=FEW_UNITS)), 2)
    if n < FEW_UNITS:
        yield Notice(
            "few-units" if rows.size and n_units[rows].min() < FEW_CLAIMED else "few-items",
            f"the intervals rest on about {n} independent {method.unit}s: of so many, 1 sample in 20 has none of a kind that "
            f"makes up {100 * (1 - 0.05 ** (1 / n)):.2g}% of all, so that a few which carry a difference may be missing",
        )


def _remarks(matrix: ScoreMatrix, method: Method, table: Family, baseline: str | None) -> Iterator[Notice]:
    """Notices of missing and identical scores, and where no scores at all on so few units could tell two models apart."""
    unit = method.unit
    lacking = {name: int(np.isnan(row).sum()) for name, row in zip(matrix.models, matrix.score, strict=True)}
    incomplete = [name for name, n in lacking.items() if n]
    if incomplete and method.is_paired:
        yield Notice(
            "missing-splits",
            f"{quoted(incomplete)} {'lacks' if len(incomplete) == 1 else 'lack'} scores on up to {max(lacking.values())} of the "
            f"{matrix.n_splits} {unit}s; each pair is compared on the {unit}s it shares, and models are ordered by their values "
            "adjusted for the missing scores",
        )
        groups, _ = connected_groups(~np.isnan(matrix.score))
        if groups.any():
            apart = [quoted(np.array(matrix.models)[groups == group].tolist()) for group in range(int(groups.max()) + 1)]
            yield Notice(
                "missing-splits",
                f"no {unit} links {' with '.join(apart)}: their values are of different {unit}s, so their order says nothing",
            )
    entry = first_copies(matrix.score)
    copied = np.unique(entry[entry != np.arange(entry.size)])
    if copied.size and method.is_paired:
        same = quoted([matrix.models[row] for row in np.flatnonzero(entry == copied[0])])
        more = f" (and {copied.size - 1} more such group(s))" if copied.size > 1 else ""
        yield Notice(
            "identical-scores", f"{same}{more} have the same score on every {unit}: are they the same model, or one read twice?"
        )
    smallest = table.judged.least_pvalue
    if smallest is None or table.n_pairs < 2:
        return
    least, alpha, n_models = float(np.min(smallest)), table.alpha, len(matrix.models)
    needed_alpha, among, asks = alpha / table.n_pairs, f"{table.n_pairs} pairs", f"{table.correction} asks for"
    if not table.is_family:
        needed_alpha, among, asks = 2.0 * best_alpha(alpha, n_models), f"{n_models} models", "comparisons with the best ask for"
    p = np.broadcast_to(smallest, table.first.shape)
    if least > alpha or least <= (shared_alpha(p, table.correction, alpha) if table.is_family else needed_alpha):
        return
    n, needed = int(np.max(table.law.n_units)), int(np.ceil(1 + np.log2(1.0 / needed_alpha)))
    fewer = "" if baseline is not None else " A baseline named before looking makes fewer pairs."
    yield Notice(
        "few-units",
        f"with {n} {unit}s and {among} no difference can be shown, whatever the scores: the smallest possible p-value is "
        f"{least:.2g}, and {asks} {needed_alpha:.2g}; {needed} {unit}s are the fewest.{fewer}",
    )
