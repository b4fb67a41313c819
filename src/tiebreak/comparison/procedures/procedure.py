"""Protocol of a procedure, and of what it returns: the differences of all pairs, each with its distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.verdict import TOO_FEW_UNITS, Codes
from tiebreak.numerics import SPREAD, Alternative, FloatArray, IntArray, Interval, Missing, divide
from tiebreak.numerics.law import Law, Shape, end_of_tail
from tiebreak.scores.adjusted_means import adjusted_means
from tiebreak.scores.differences import model_moments
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

Question = Literal["splits", "datasets", "examples", "test-sets", "time", "battles", "seeds"]


FEWEST_COUNTED = 20
"""Items from which intervals of rates are near enough to those of a normal distribution to tell what they can show."""


class Tails(NamedTuple):
    """One-sided tails of each difference at one point; together at least 1."""

    below: FloatArray
    above: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences(ABC):
    """Confidence distribution, or posterior, of the difference of each pair; arrays over pairs, of one shape.

    A procedure gives one monotone function of `at` with its two tails: the same procedure on differences less `at`. p-values,
    bounds and intervals at any level are all read from it, so they agree.

    Attributes
    ----------
    estimate : ndarray
        Of first against second; positive favours the first.
    n_units : ndarray or int
        Splits, datasets, examples, as the procedure counts.
    kind : ndarray
        SPREAD, IDENTICAL, CONSTANT or UNDEFINED, of `numerics`; only a pair of kind SPREAD has tails and intervals. A procedure
        that has them for identical data (Tango's score interval) calls these SPREAD.
    tolerance : ndarray or float
        Differences up to this size are rounding noise.
    standard_error, df : ndarray, int or None
        None where the procedure knows none; degrees of freedom need not be whole.
    unit : {"metric", "wins", "log-odds"}
        Of the estimate. A rope that is a number is in the metric's unit, and no other unit takes one.
    has_coverage : bool
        Intervals cover the truth at their level, whatever it is; those of a posterior with a prior need not.
    is_posterior : bool
        Tails are probabilities of the difference, not only p-values.
    has_density : bool
        There is a curve of the posterior, which does not lie on some points only.
    """

    estimate: FloatArray
    n_units: IntArray | int
    kind: NDArray[np.int8]
    tolerance: FloatArray | float = 0.0
    standard_error: FloatArray | None = None
    df: FloatArray | IntArray | int | None = None
    unit: Literal["metric", "wins", "log-odds"] = "metric"
    has_coverage: ClassVar[bool] = True
    is_posterior: ClassVar[bool] = False
    has_density: ClassVar[bool] = True

    @abstractmethod
    def tail_below(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the difference is at most `at`"; of a posterior the probability of it. Rises with `at`."""

    @abstractmethod
    def tail_above(self, at: ArrayLike) -> FloatArray:
        """One-sided p-value of "the difference is at least `at`"; of a posterior the probability of it. Falls with `at`."""

    def tails(self, at: ArrayLike) -> Tails:
        """Both tails, for procedures where two cost no more than one."""
        return Tails(self.tail_below(at), self.tail_above(at))

    def take(self, rows: IntArray | slice) -> Self:
        """Differences of some of the pairs: of every array whose first axis is the pairs, these rows."""
        n_pairs = np.size(self.estimate)
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        some = {name: value[rows] for name, value in held.items() if np.ndim(value) and len(value) == n_pairs}
        return replace(self, **some)

    @property
    def statistic(self) -> FloatArray | None:
        """Test statistic, or None; nan for identical scores, infinite for a constant difference."""
        return None if self.standard_error is None else divide(self.estimate, self.standard_error)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Value below which the tail is at most `p`; infinite where no value has so small a tail.

        Parameters
        ----------
        p : array_like
            Between 0 and 1; broadcast against the pairs, so that (k, 1) levels give (k, n_pairs) values.
        upper : bool
            Of the upper tail: the value above which it is at most `p`. A small `p` keeps its digits so.
        """
        size = np.abs(self.estimate) if self.standard_error is None else self.standard_error
        step = np.where(size > self.tolerance, size, 1.0)
        tail = self.tail_above if upper else self.tail_below
        return end_of_tail(tail, np.asarray(p, dtype=float), np.asarray(self.estimate), step, upper=upper)

    def interval(self, alpha: ArrayLike) -> Interval:
        """Two-sided interval at level 1 - alpha, which broadcasts as in `quantile`; nan for a pair without spread."""
        half = np.asarray(alpha, dtype=float) / 2.0
        return Interval(*(self.bound(half, upper=upper) for upper in (False, True)))

    def bound(self, p: ArrayLike, *, upper: bool) -> FloatArray:
        """One-sided bound that misses with probability `p`: `quantile`, but nan for a pair without spread."""
        end = self.quantile(p, upper=upper)
        has_spread = self.kind == SPREAD
        return end if np.all(has_spread) else np.where(has_spread, end, np.nan)

    @property
    def prefers_tails(self) -> bool:
        """True where it takes less to ask on which side of a point an interval lies than to find its ends."""
        return False

    def is_beyond(self, limit: float, p: float, *, upper: bool, closed: bool = False) -> NDArray[np.bool_]:
        """True where the lower bound that misses with probability `p` lies above a limit, or the upper one below it.

        Within rounding of the limit counts as beyond it where that is `closed`.
        """
        noise = -np.asarray(self.tolerance) if closed else np.asarray(self.tolerance)
        end = self.bound(p, upper=upper)
        return np.asarray(end < limit - noise if upper else end > limit + noise)

    def reasons(self, alpha: float) -> Codes:
        """Code of the reason, of `verdict.REASONS`, why a pair has no interval at level 1 - alpha; 0 where it has one.

        By default its kind, and too few units where the interval reaches from -inf to inf. A procedure whose intervals can fail
        otherwise, such as too few draws for so small an alpha, says so here.
        """
        if np.all(self.kind == SPREAD) and self.standard_error is not None:
            return self.kind
        low, high = self.interval(alpha)
        return np.where((self.kind == SPREAD) & np.isneginf(low) & np.isposinf(high), TOO_FEW_UNITS, self.kind).astype(np.int8)

    def density(self, at: FloatArray) -> FloatArray:
        """Density of one posterior (arrays of shape ()) at many points, by differences of its tail."""
        low, high = self.interval(0.5)
        step = (high - low) * 1e-3
        below = np.array([[float(self.tail_below(x + side)) for x in at] for side in (-step, step)])
        return np.asarray((below[1] - below[0]) / (2.0 * step))

    @property
    def law(self) -> Law:
        """These differences as one law, off which p-values, intervals and probabilities are read."""
        return Law(
            estimate=self.estimate,
            se=self.standard_error,
            df=self.df,
            n_units=self.n_units,
            kind=self.kind,
            tolerance=self.tolerance,
            shape=JUDGED,
            parts=(self,),
            is_posterior=self.is_posterior,
        )

    def own_pvalue(self, alternative: Alternative) -> FloatArray | None:
        """p-values of no difference, where the procedure has its own that allow for more than its tails; else None."""
        return None

    @property
    def smallest_pvalue(self) -> FloatArray | None:
        """Smallest two-sided p-value of each pair that so many units can give, whatever the scores; None without such a limit."""
        return None

    @property
    def look(self) -> IntArray | None:
        """Number of the look at which each row stands, from 1; None where there is no plan of looks."""
        return None

    @property
    def student_df(self) -> FloatArray | None:
        """Degrees of freedom of the t distribution that the intervals are near enough to for telling what they can show.

        So their half-width is a multiple of a standard error, and the estimate, in those, follows the noncentral t. Infinite
        for the normal distribution; None where that is not so.
        """
        return None

    def half_width_floor(self, alpha: float) -> FloatArray | None:
        """Half-width that 1 - alpha intervals approach with ever more repeats; None where it is not known."""
        return None

    def runs_needed(self, margin: float, alpha: float) -> tuple[int, float] | None:
        """Runs that there are of one pair (arrays of shape ()), and those with which its 1 - alpha interval would be so short.

        On the same items, `margin` being half its width; infinite where no realistic number is enough. None where runs are none
        of its sources of chance.
        """
        return None

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray] | None:
        """About `n` joint draws of all models' values, higher is better, in blocks of shape (n_draws, n_models); or None."""
        return None


def _tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    judged: Differences = law.parts[0]
    return judged.tail_above(at) if upper else judged.tail_below(at)


def _end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    judged: Differences = law.parts[0]
    return judged.quantile(p, upper=upper)


def _pvalue(law: Law, side: Alternative) -> FloatArray:
    judged: Differences = law.parts[0]
    own = judged.own_pvalue(side)
    if own is not None:
        return own
    if side == "two-sided":
        return np.asarray(2.0 * np.minimum(*judged.tails(0.0)))
    return _tail(law, np.asarray(0.0), side == "less")


JUDGED = Shape(_tail, _end, _pvalue)
"""Tails of the differences that a procedure judged, which are the part."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LawDifferences(Differences):
    """Differences of which everything is read off their law."""

    judged: Law

    @property
    def law(self) -> Law:
        """The law."""
        return self.judged

    @classmethod
    def of(cls, law: Law) -> Self:
        """Differences of pairs that this law, of arrays, is of."""
        return cls(
            estimate=np.asarray(law.estimate),
            n_units=law.n_units,
            kind=law.kind,
            tolerance=law.tolerance,
            standard_error=None if law.se is None else np.asarray(law.se),
            judged=law,
        )

    def take(self, rows: IntArray | slice) -> Self:
        """Differences of some of the pairs."""
        return self.of(self.judged.take(rows))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Lower tail."""
        return np.asarray(self.judged.tail(at))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Upper tail."""
        return np.asarray(self.judged.tail(at, upper=True))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of the law."""
        return np.asarray(self.judged.end(p, upper=upper))


class ModelValues(NamedTuple):
    """The value by which each model is ranked; arrays of shape (n_models,).

    `name` heads its column, and `label` names it in sentences, where that is not the name with the metric's.
    Values within `tolerance` of each other tie. `interval` gives the two-sided 1 - alpha intervals of the values, nan for a model
    without one; it is None where the procedure gives none. `standard_error` is of the value by itself, None where the procedure
    does not give it.
    """

    name: str
    value: FloatArray
    n_units: IntArray
    tolerance: FloatArray
    interval: Callable[[float], Interval] | None = None
    average_rank: FloatArray | None = None
    standard_error: FloatArray | None = None
    label: str | None = None


class Shrunken(NamedTuple):
    """Differences of one pair on each dataset, as they were measured and as the other datasets let them be estimated.

    Attributes
    ----------
    pair : int
        Position among the pairs that were judged.
    datasets : tuple of str
    raw : ndarray of shape (n_datasets,)
        Mean difference over the dataset's splits; positive favours the first model.
    mean, sd : ndarray of shape (n_datasets,)
        Of the posterior of the dataset's own difference.
    """

    pair: int
    datasets: tuple[str, ...]
    raw: FloatArray
    mean: FloatArray
    sd: FloatArray


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


class Wording(NamedTuple):
    """Facts of a procedure in words, with {unit} and {units} where the noun of the data stands."""

    reason: str
    generalises_to: str
    assumptions: tuple[str, ...]

    def of(self, unit: str) -> dict[str, Any]:
        """Fields of a procedure whose unit has this noun."""
        noun = {"unit": unit, "units": f"{unit}s"}
        return {
            "unit": unit,
            "reason": self.reason.format(**noun),
            "generalises_to": self.generalises_to.format(**noun),
            "assumptions": tuple(text.format(**noun) for text in self.assumptions),
        }


@dataclass(frozen=True, kw_only=True)
class Procedure(ABC):
    """A way of judging differences: facts about it, and the questions that it answers.

    Attributes
    ----------
    name : str
    reason : str
        For choosing it.
    question : str
        To what the answer generalises, as a key; `generalises_to` says it in words.
    unit : str
        Of repetition: "split", "dataset", "item".
    assumptions, references : tuple of str
    missing : {"raise", "pairwise"}
        Meaning of a missing score where the caller does not say.
    is_paired : bool
        Models were measured on the same units, so that one without a score on some of them is incomplete. Not so where each has
        units of its own: its seeds, its test set.
    is_mean : bool
        The value of a model is a mean over units, each of which has a difference. Not so of an area under a ROC curve.
    is_centre : bool
        Differences are centres (a median, or that of Hodges and Lehmann), so that a model is "typically" higher, and its mean
        need not be.
    not_covered : str
        Sources of further chance that the answer says nothing of, in words; "" where `assumptions` say all.
    by : str or None
        Column of the items by whose texts the pairs are shown too, unless another is asked for.
    """

    name: str
    reason: str
    question: Question
    unit: str
    generalises_to: str
    assumptions: tuple[str, ...]
    references: tuple[str, ...]
    missing: Missing = "raise"
    is_paired: bool = True
    is_mean: bool = True
    is_centre: bool = False
    not_covered: str = ""
    by: str | None = None

    def for_data(self, data: Scores) -> Procedure:
        """Procedure with the facts that hold for these data, where it answers more than one question."""
        return self

    def of_part(self, data: Scores) -> Procedure:
        """The procedure that judges a slice of the items."""
        return self

    def units(self, data: Scores) -> Scores:
        """Scores of one matrix, models by units of repetition; by default the splits of the one dataset."""
        data.matrix()
        return data

    def applies(self, data: Scores) -> TiebreakError | None:
        """None where the procedure suits the data, else the error that says why not."""
        return None

    @abstractmethod
    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> Differences:
        """Differences of pairs.

        Parameters
        ----------
        data : Scores
            As they were read, of one dataset or several; `units` has the table of them that counts.
        first, second : ndarray of int, of one shape
            Rows of the models in the matrix.
        settings : Settings
            With the rope in the metric's unit.

        Returns
        -------
        Differences
            Arrays of the same shape.
        """

    def differences_by_unit(self, data: Scores, first: int, second: int) -> FloatArray:
        """Differences of one pair on the units that both have; positive favours the first."""
        units = self.units(data)
        score = units.matrix().score
        differences = units.metric.sign * (score[first] - score[second])
        return np.asarray(differences[~np.isnan(differences)])

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """The value of each model: its mean score, without an interval."""
        moments = model_moments(self.units(data).matrix())
        return ModelValues("mean", moments.mean, np.asarray(moments.n_splits), moments.tolerance)

    def adjusted_values(self, data: Scores, values: ModelValues) -> FloatArray | None:
        """Values as if every model had been measured on all units; None where none lacks any, or the value is no mean."""
        score = self.units(data).matrix().score
        return adjusted_means(score) if self.is_paired and self.is_mean and np.isnan(score).any() else None

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Tests shown beside the answer, which have no part in the verdicts."""
        return iter(())

    def shrunken(self, differences: Differences) -> Iterator[Shrunken] | None:
        """Estimates of each dataset that borrow from the others, of the pairs that have any; None where it has none."""
        return None

    def reason_for(self, data: Scores) -> str:
        """Reason for choosing it for these data."""
        return self.reason

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on how the data were made, and on assumptions that they do not meet, with measured consequences."""
        return iter(())
