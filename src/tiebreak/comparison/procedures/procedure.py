"""A procedure: a record of facts, and at most five functions of the data; and what these return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval, Law, Missing
from tiebreak.scores.items import TASK
from tiebreak.scores.means import adjusted_means, dataset_means, law_of_models
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.copies import likeness_at, near_copies

Question = Literal["splits", "datasets", "examples", "test-sets", "time", "seeds", "summary"]

Trait = Literal["pairwise", "unpaired", "no mean", "centre", "tasks"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """Law of the difference of every pair, and what else the procedure knows of it; only the law is needed.

    Attributes
    ----------
    law : Law
        Of first less second, turned so that positive favours the first; arrays over pairs.
    unit : {"metric", "wins"}
        Of the differences. A rope is in the metric's unit, and no other unit takes one.
    statistic : ndarray or None
        Test statistic, where it is another than the estimate over its standard error.
    reach_df : ndarray or None
        Degrees of freedom of the t distribution that the intervals are near enough to for telling what they can show: their
        half-width is a multiple of a standard error then. Infinite for the normal distribution, nan for a pair without any.
    least_pvalue : ndarray or None
        Smallest two-sided p-value that so many units can give, whatever the scores; None without such a limit.
    credible : {"", "curve", "points"}
        Shape of a posterior with a prior, whose intervals need not cover the truth at their level; "" where they do.
    floor : callable or None
        Of an alpha, the half-width that 1 - alpha intervals approach with ever more repeats.
    runs_needed : callable or None
        Of a half-width and an alpha, for a single pair: the runs that there are, and those on the same items with which its
        interval would be so short, infinite where no realistic number is enough.
    draws : callable or None
        Of a number and a generator, about so many joint draws of all models' values, higher is better, in blocks of shape
        (n_draws, n_models).
    beside : mapping
        What only this procedure has, by name, such as the ratio that it corrected for. "caution" is a function of
        the rows of first and second, about a law that is less sure, and code and words of the notice of claims it does not make;
        "independent" are the units that a difference rests on, where they are neither the law's nor its degrees of freedom.
    """

    law: Law
    unit: Literal["metric", "wins"] = "metric"
    statistic: FloatArray | None = None
    reach_df: FloatArray | None = None
    least_pvalue: FloatArray | None = None
    credible: Literal["", "curve", "points"] = ""
    floor: Callable[[float], FloatArray] | None = None
    runs_needed: Callable[[float, float], tuple[int, float]] | None = None
    draws: Callable[[int, np.random.Generator], Iterator[FloatArray]] | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)

    def take(self, rows: IntArray | slice) -> Judged:
        """Law and columns of some of the pairs; what the procedure alone has, which is of all of them, is left out."""
        held = {name: getattr(self, name) for name in ("statistic", "reach_df", "least_pvalue")}
        some = {name: each[rows] if each is not None and each.ndim else each for name, each in held.items()}
        return replace(self, law=self.law.take(rows), beside={}, **some)


@dataclass(frozen=True, eq=False)
class ModelValues:
    """The value by which each model is ranked: its mean, but of metrics that are none; arrays of shape (n_models,).

    Attributes
    ----------
    value_name : str
        Head of its column.
    mean : ndarray
    n_units : ndarray of int
    tolerance : ndarray
        Values within it of each other tie.
    interval : callable or None
        Of an alpha, the two-sided 1 - alpha intervals, nan for a model without one; None where the procedure gives none.
    adjusted : ndarray or None
        Value as if every model had been measured on all units; None where none lacks any, or the value is no mean.
    average_rank : ndarray or None
        Mean rank over datasets; None where there are no datasets to rank on.
    standard_error : ndarray or None
        Of each value by itself, where the procedure gives it.
    value_label : str
        The value in sentences; "" where that is its name with the metric's.
    """

    value_name: str
    mean: FloatArray
    n_units: IntArray
    tolerance: FloatArray
    interval: Callable[[float], Interval] | None = None
    adjusted: FloatArray | None = None
    average_rank: FloatArray | None = None
    standard_error: FloatArray | None = None
    value_label: str = ""

    @property
    def shown(self) -> FloatArray:
        """Values by which models are ranked and shown: adjusted ones where models lack units."""
        return self.mean if self.adjusted is None else self.adjusted

    @classmethod
    def of(cls, law: Law, **other: Any) -> ModelValues:
        """Means of models with the law of each, whose intervals they have unless others are given."""
        held = {name: np.asarray(getattr(law, name)) for name in ("n_units", "tolerance")}
        return cls(**{"value_name": "mean", "mean": np.asarray(law.estimate), **held, "interval": law.interval_at, **other})


@dataclass(frozen=True, kw_only=True)
class TestOnly:
    """Test that has no interval, as it cannot be asked about shifted data: shown beside an answer, never a verdict.

    McNemar's exact test, Cochran's Q, Friedman's test, the model confidence set, the sign test of a posterior.

    Attributes
    ----------
    name : str
    models : tuple of str
        That it is about.
    statistic, pvalue : float
        nan where it has none.
    probabilities : dict of str to float
        By name; empty where it gives none.
    text : str
        The outcome in a sentence.
    """

    __test__: ClassVar[bool] = False  # pytest would take the class for a test

    name: str
    models: tuple[str, ...]
    statistic: float = float("nan")
    pvalue: float = float("nan")
    probabilities: Mapping[str, float] = field(default_factory=dict, hash=False)
    text: str


Reach = str | tuple[str, str]
"""Words on what an answer generalises to; and on the sources of further chance that it says nothing of, where there are some."""


def p_words(pvalue: float) -> str:
    """A p-value in a sentence; one that no floating-point number is small enough for is not 0."""
    return f"p {pvalue:.3g}" if pvalue else "p < 1e-300"


Reason = tuple[bool | np.bool_, *tuple[str | Setting, ...]]
"""True where it holds, and the text of the error in parts."""


def refusals(*reasons: Reason) -> Iterator[DataError]:
    """Errors of those of several reasons that hold."""
    return (DataError(*text) for holds, *text in reasons if holds)


def refusal(*reasons: Reason) -> DataError | None:
    """Error of the first of several reasons that holds; None where none does."""
    return next(refusals(*reasons), None)


def noted(*remarks: tuple[bool | np.bool_, Notice]) -> Iterator[Notice]:
    """Those of several notices that hold."""
    return (notice for holds, notice in remarks if holds)


MOST_CHECKED = 60
"""Models up to which the differences of all pairs are looked at."""

ALLOWED_SHARE = 0.15
"""Share of the pairs that may look odd by chance, where there are several."""

MOST_TIMES = 100
"""Times as many units, or runs, beyond which no number is realistic."""


def and_more(n: int) -> str:
    """Words on the pairs beside the one that is named."""
    return f" (and {n - 1} more pair(s))" if n > 1 else ""


def copies_notice(score: FloatArray, n_repeated: int, unit: str, advice: str) -> Iterator[Notice]:
    """Remark on units that look like copies of each other, by their scores or by where they stand."""
    apart = 0 if n_repeated else likeness_at(score)
    if n_repeated:
        found = f"{n_repeated} of the {score.shape[1]} {unit}s have the same scores of all models as another one"
    elif apart:
        found = f"models differ alike on {unit}s that stand {apart} apart in the table, more than on those around"
    elif near_copies(score):
        found = f"{unit}s have nearly the same scores of all models as another one, much nearer than to further ones"
    else:
        return
    yield Notice(
        "copied-units",
        f"{found}: they look like copies or variants, each of which counts as evidence of its own. Leave such out, or {advice}",
    )


def mean_values(data: Scores) -> ModelValues:
    """The mean score of each model over its units, without an interval."""
    matrix = units_of(data).matrix()
    return ModelValues.of(law_of_models(matrix), interval=None, adjusted=adjusted_of(matrix.score))


def adjusted_of(score: FloatArray, weights: FloatArray | None = None) -> FloatArray | None:
    """Means as if every model had been measured on all units; None where none lacks any."""
    return adjusted_means(score, weights) if np.isnan(score).any() else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Procedure:
    """A way of judging differences: facts about it, and functions of the scores.

    Texts have {unit} and {units} where the noun of the data stands; what it generalises to may be a function of the scores, or of
    None for any.

    Attributes
    ----------
    name : str
    question : str
        To what the answer generalises, as a key; `generalises_to` says it in words.
    reason : str
        For choosing it.
    generalises_to : str or tuple of str
        And what the answer says nothing of.
    assumptions, references : tuple of str
    traits : set of str
        "pairwise": a missing score leaves out its unit for the pairs that lack it, unless the caller says otherwise. "unpaired":
        each model has units of its own, so that none is incomplete. "no mean": the value of a model is no mean over units, each
        of which has a difference. "centre": differences are centres (a median, or that of Hodges and Lehmann), so that a model
        is "typically" higher, and its mean need not be. "tasks": pairs are shown on each task too.
    judge : callable
        ``judge(data, first, second, rope, alpha, seed)``: the law of the difference of each pair of rows of the models, a `Law`
        or `Judged`, in the shape of `first` and `second`.
    values : callable
        ``values(data)``: the `ModelValues` of all models.
    refuse : callable
        ``refuse(data)``: None where the procedure suits the scores, else the error that says why not.
    remarks : callable
        ``remarks(data)``: notices of how the data were made, and of assumptions that they do not meet.
    beside : callable
        ``beside(data, settings)``: tests that are shown beside the answer, which have no part in the verdicts.
    """

    name: str
    question: Question
    reason: str
    generalises_to: Reach | Callable[[Scores | None], Reach]
    assumptions: tuple[str, ...]
    references: tuple[str, ...]
    traits: frozenset[Trait] = frozenset()
    judge: Callable[[Scores, IntArray, IntArray, float, float, int], Judged | Law]
    values: Callable[[Scores], ModelValues] = mean_values
    refuse: Callable[[Scores], TiebreakError | None] = lambda data: None
    remarks: Callable[[Scores], Iterator[Notice]] = lambda data: iter(())
    beside: Callable[[Scores, Settings], Iterator[TestOnly]] = lambda data, settings: iter(())


@dataclass(frozen=True, kw_only=True, eq=False)
class Method(Procedure):
    """A procedure with its facts and words as they hold for the scores that it judges.

    Attributes
    ----------
    unit : str
        Noun of what is counted: "split", "dataset", "question".
    not_covered : str
        Sources of further chance that the answer says nothing of; "" for none.
    missing : {"raise", "pairwise"}
        Meaning of a missing score where the caller does not say.
    is_paired : bool
        True where models were measured on the same units.
    is_mean : bool
        True where the value of a model is a mean over units.
    is_centre : bool
        True where differences are centres rather than means.
    by : str or None
        Column of the items by whose texts the pairs are shown too, unless another is asked for.
    """

    unit: str
    not_covered: str
    missing: Missing
    is_paired: bool
    is_mean: bool
    is_centre: bool
    by: str | None

    def judged(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> Judged:
        """Differences of pairs; the settings have the rope in the metric's unit."""
        found = self.judge(data, first, second, float(settings.rope), settings.alpha, settings.rng)
        return found if isinstance(found, Judged) else Judged(law=found)


def method_for(procedure: Procedure, data: Scores | None = None, *, asked: bool = False) -> Method:
    """A procedure with its words for these scores, or for any; where it was `asked` for by name, the reason says so."""
    items = None if data is None else data.items
    unit = NOUNS.get(procedure.name, NOUNS[procedure.question]) if items is None else items.unit
    noun = {"unit": unit, "units": f"{unit}s"}

    told = procedure.generalises_to
    reach = told(data) if callable(told) else told
    to, not_covered = (reach, "") if isinstance(reach, str) else reach
    words: dict[str, Any] = {
        "reason": f"{'asked for by name: ' if asked else ''}{procedure.reason}".format(**noun),
        "generalises_to": to.format(**noun),
        "assumptions": tuple(text.format(**noun) for text in procedure.assumptions),
    }
    traits = procedure.traits
    return Method(
        **(vars(procedure) | words),
        unit=unit,
        not_covered=not_covered,
        missing="pairwise" if "pairwise" in traits else "raise",
        is_paired="unpaired" not in traits,
        is_mean="no mean" not in traits,
        is_centre="centre" in traits,
        by=TASK if "tasks" in traits else None,
    )


NOUNS: Mapping[str, str] = {
    "splits": "split",
    "datasets": "dataset",
    "examples": "item",
    "test-sets": "example",
    "time": "period",
    "seeds": "seed",
    "summary": "example",
    "summary-folds": "split",
    "summary-runs": "run",
}
"""Nouns of what is counted, by the question or the procedure, where the data have none of their own."""


# --- scores as a procedure counts them --------------------------------------------------------------------------------------


def question_of(data: Scores) -> Question:
    """Key of what scores can be asked, by how they were made."""
    if data.items is not None:
        return "test-sets" if data.items.is_disjoint else "examples"
    questions: dict[str, Question] = {"seeds": "seeds", "periods": "time", "test-sets": "test-sets", "means": "summary"}
    return questions.get(data.design.kind, "splits" if len(data.matrices) == 1 else "datasets")


def units_of(data: Scores) -> Scores:
    """Scores of one matrix, models by units of repetition: the means of several datasets, else the scores as they are.

    Of datasets in several metrics only wins count, and what differences are of is named so.
    """
    if question_of(data) != "datasets":
        return data
    units = dataset_means(data)
    return replace(units, metric=Metric(WINS, higher_is_better=True)) if data.is_mixed else units


WINS = "share of datasets won"


def numbers_of(names: Sequence[str]) -> IntArray:
    """Number of each name, such as that of a task or a cluster, in order of appearance."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.intp)


def pairs_of_reference(models: Sequence[str], settings: Settings) -> tuple[IntArray, IntArray]:
    """Row of the first model, or of the baseline, for each other model; and the rows of these."""
    own = 0 if settings.baseline is None else models.index(settings.baseline)
    others = np.delete(np.arange(len(models)), own)
    return np.full(others.size, own), others


def wins(one: FloatArray, two: FloatArray) -> FloatArray:
    """1 where the first score is higher, -1 where it is lower, 0 where they are the same but for rounding."""
    return np.where(np.abs(one - two) <= RELATIVE_TOLERANCE * np.maximum(np.abs(one), np.abs(two)), 0.0, np.sign(one - two))


def reached(law: Law) -> FloatArray:
    """Degrees of freedom of a Student's law, for `Judged.reach_df`; 1 of a pair without any, which has no tails."""
    df = np.asarray(law.df, dtype=float)
    return np.where(df > 0, df, 1.0)
