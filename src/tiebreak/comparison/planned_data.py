"""Data that are yet to be measured: the law of the interval of each question, what a unit costs, and how to spend more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import ceil, hypot, inf, sqrt
from typing import ClassVar, NamedTuple

from tiebreak.comparison.procedures.procedure import Question
from tiebreak.frequentist.planned_intervals import (
    CrossedParts,
    IntervalLaw,
    TangoLaw,
    area_parts,
    crossed_law,
    independent_rates_law,
    mean_law,
    rank_law,
    student_law,
    welch_law,
)


class Way(NamedTuple):
    """One way of spending more: what in words, the data that it makes, and times as many units as before."""

    what: str
    data: PlannedData
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedData(ABC):
    """Units of one question, so many as `n` says, and how much their differences vary.

    Attributes
    ----------
    unit : str
        Noun for one of them.
    """

    unit: str
    question: ClassVar[Question]
    fewest: ClassVar[int] = 2

    @property
    @abstractmethod
    def procedure(self) -> str:
        """Name of the method that "auto" takes for such data."""

    @abstractmethod
    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Law of the interval of n units at 1 - alpha, if the true difference is this."""

    @abstractmethod
    def standard_error(self, n: int, difference: float) -> float:
        """True standard error of the difference."""

    @abstractmethod
    def df(self, n: int) -> float:
        """Degrees of freedom of the interval; infinite where it is none of Student's."""

    @abstractmethod
    def scaled(self, factor: float) -> PlannedData:
        """Data whose differences vary so many times as much."""

    @property
    @abstractmethod
    def assumed(self) -> str:
        """Assumptions on the differences, in words."""

    @property
    def step(self) -> int:
        """Units that come together."""
        return 1

    @property
    def largest(self) -> float:
        """Largest difference that there can be; infinite where none is known."""
        return inf

    @property
    def has_floor(self) -> bool:
        """True where a part of the error stays, however many units there are."""
        return False

    def ways(self) -> list[Way]:
        """Ways of spending more."""
        return [Way(f"twice the {self.unit}s", self, 2)]

    def cost(self, n: int) -> tuple[int, str]:
        """Results that have to be produced for each model, and what they are."""
        return n, "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItems(PlannedData):
    """Items that both models are scored on: right or wrong, or graded; perhaps in clusters, and in several runs.

    Attributes
    ----------
    discordant : float, optional
        Share of items on which exactly one model is right.
    rate, correlation : float, optional
        Share that the second model has right, and the correlation of being right: they say how many are discordant.
    sd : float, optional
        Standard deviation of the differences over items, in one run.
    cluster_size, intraclass_correlation : float
    n_runs : int
    run_sd : float
        Part of `sd` that changes from run to run of the same item.
    shared_run_sd : float
        Standard deviation from run to run that all items share.
    """

    question: ClassVar[Question] = "examples"
    unit: str = "item"
    discordant: float | None = None
    rate: float | None = None
    correlation: float = 0.0
    sd: float | None = None
    cluster_size: float = 1.0
    intraclass_correlation: float = 0.0
    n_runs: int = 1
    run_sd: float = 0.0
    shared_run_sd: float = 0.0

    @property
    def is_binary(self) -> bool:
        """True where items are right or wrong."""
        return self.sd is None

    @property
    def procedure(self) -> str:
        """Tango's for right and wrong, each once and by itself."""
        return "tango" if self.is_binary and not self.has_clusters and self.n_runs == 1 else "clustered-t"

    @property
    def has_clusters(self) -> bool:
        """True where items come in clusters."""
        return self.cluster_size > 1

    @property
    def step(self) -> int:
        """Items of a cluster."""
        return ceil(self.cluster_size)

    @property
    def has_floor(self) -> bool:
        """True for what runs share."""
        return self.n_runs > 1 and self.shared_run_sd > 0

    @property
    def largest(self) -> float:
        """Share that the models differ on, or that the second model leaves to be gained."""
        if self.discordant is not None:
            return self.discordant
        return 1.0 - self.rate if self.rate is not None else inf

    def discordant_at(self, difference: float) -> float:
        """Share of items on which exactly one model is right, if the rates differ so much."""
        if self.rate is None:
            return float(self.discordant or 0.0)
        return discordant_share(self.rate + difference, self.rate, self.correlation)

    def sd_at(self, difference: float) -> float:
        """Standard deviation of the differences in one run."""
        return self.sd if self.sd is not None else sqrt(max(self.discordant_at(difference) - difference**2, 0.0))

    def parts(self, n: int, difference: float) -> CrossedParts:
        """Parts of the squared standard error."""
        lasting = max(self.sd_at(difference) ** 2 - self.run_sd**2, 0.0)
        inflated = 1.0 + (self.cluster_size - 1.0) * self.intraclass_correlation  # Kish (1965)
        return CrossedParts(lasting * inflated / n, self.shared_run_sd**2 / self.n_runs, self.run_sd**2 / (n * self.n_runs))

    def standard_error(self, n: int, difference: float) -> float:
        """By its parts."""
        return sqrt(sum(self.parts(n, difference)))

    def df(self, n: int) -> float:
        """Clusters less one; those of Tango's interval are the normal distribution's."""
        return inf if self.procedure == "tango" else max(self.n_clusters(n) - 1.0, 1.0)

    def n_clusters(self, n: int) -> int:
        """Whole clusters among n items; items that are none of any count as one each."""
        return max(int(n / self.cluster_size + 1e-9), 1)

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Tango's, Student's over items or clusters, or that of items and runs."""
        if self.procedure == "tango":
            return TangoLaw(difference, self.discordant_at(difference), n, alpha)
        if self.n_runs == 1:
            return mean_law(difference, self.standard_error(n, difference), max(self.n_clusters(n), 2), alpha)
        return crossed_law(difference, self.parts(n, difference), max(self.n_clusters(n), 2), self.n_runs, alpha)

    def scaled(self, factor: float) -> PlannedItems:
        """All parts alike; of right and wrong the discordant share, which lies below 1."""
        if self.sd is not None:
            sds = {name: getattr(self, name) * factor for name in ("sd", "run_sd", "shared_run_sd")}
            return replace(self, **sds)
        return replace(self, discordant=min(self.discordant_at(0.0) * factor**2, 1.0), rate=None)

    @property
    def assumed(self) -> str:
        """The spread as given."""
        if self.rate is not None:
            said = f"the second model has {_percent(self.rate)} right, being right correlates by {self.correlation:.3g}"
        elif self.discordant is not None:
            said = f"exactly one model is right on {_percent(self.discordant)} of the {self.unit}s"
        else:
            said = f"differences have a standard deviation of {self.sd:.4g} over {self.unit}s"
        if self.has_clusters:
            said += f", in clusters of {self.cluster_size:.3g} with a correlation of {self.intraclass_correlation:.3g}"
        if self.n_runs > 1 or self.run_sd:
            said += f", of which {self.run_sd:.4g} from run to run" if self.run_sd else ""
            said += f", {self.n_runs} run{'s' if self.n_runs > 1 else ''}"
            said += f" whose means vary by {self.shared_run_sd:.4g}" if self.shared_run_sd else ""
        return said

    def ways(self) -> list[Way]:
        """Items or clusters, larger clusters, runs."""
        name = "clusters" if self.has_clusters else f"{self.unit}s"
        found = [Way(f"twice the {name}", self, 2)]
        if self.has_clusters:
            found.append(Way(f"twice the {self.unit}s of each cluster", replace(self, cluster_size=2 * self.cluster_size), 2))
        if self.n_runs > 1 or self.run_sd:
            found.append(Way("twice the runs", replace(self, n_runs=2 * self.n_runs), 1))
        return found

    def cost(self, n: int) -> tuple[int, str]:
        """Answers."""
        return n * self.n_runs, "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAreas(PlannedData):
    """Predictions of two classes by both models, compared by areas under ROC curves.

    Attributes
    ----------
    area : float
        Of the second model.
    correlation : float
        Of both models' scores within a class.
    positives : float
        Share of the items that are to be found.
    """

    question: ClassVar[Question] = "examples"
    fewest: ClassVar[int] = 8
    unit: str = "item"
    area: float
    correlation: float
    positives: float
    factor: float = 1.0

    @property
    def procedure(self) -> str:
        """DeLong's."""
        return "delong"

    @property
    def largest(self) -> float:
        """Area that is left."""
        return 1.0 - self.area

    def _parts(self, n: int, difference: float) -> tuple[float, float]:
        """Parts of the squared standard error by class."""
        found = area_parts((min(self.area + difference, 1 - 1e-9), self.area), self.correlation)
        sizes = self._sizes(n)
        return self.factor**2 * found.positive / sizes[0], self.factor**2 * found.negative / sizes[1]

    def _sizes(self, n: int) -> tuple[int, int]:
        positive = min(max(round(n * self.positives), 2), n - 2)
        return positive, n - positive

    def standard_error(self, n: int, difference: float) -> float:
        """As DeLong's estimate is, for binormal scores."""
        return sqrt(sum(self._parts(n, difference)))

    def df(self, n: int) -> float:
        """Satterthwaite's, of two parts that count the same for each example."""
        positive, negative = self._sizes(n)
        parts = 1 / positive, 1 / negative
        return sum(parts) ** 2 / (parts[0] ** 2 / (positive - 1) + parts[1] ** 2 / (negative - 1))

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Student's."""
        return student_law(difference, self.standard_error(n, difference), self.df(n), alpha)

    def scaled(self, factor: float) -> PlannedAreas:
        """Variances are multiplied."""
        return replace(self, factor=self.factor * factor)

    @property
    def assumed(self) -> str:
        """Binormal scores."""
        return (
            f"the second model has an area of {self.area:.4g}, {_percent(self.positives)} of the {self.unit}s are positive, "
            f"scores are normal within a class and correlate there by {self.correlation:.3g}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDatasets(PlannedData):
    """Datasets, on each of which both models have a mean score; `sd` is that of the differences over datasets."""

    question: ClassVar[Question] = "datasets"
    unit: str = "dataset"
    sd: float

    @property
    def procedure(self) -> str:
        """Ranks."""
        return "wilcoxon"

    def standard_error(self, n: int, difference: float) -> float:
        """Standard error of the centre of Hodges and Lehmann, for normal differences and many datasets."""
        from math import pi

        return self.sd * sqrt(pi / 3 / n)

    def df(self, n: int) -> float:
        """None."""
        return inf

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """By draws."""
        return rank_law(difference, self.sd, n, alpha)

    def scaled(self, factor: float) -> PlannedDatasets:
        """With a larger standard deviation."""
        return replace(self, sd=self.sd * factor)

    @property
    def assumed(self) -> str:
        """Normal differences."""
        return f"differences are normal over datasets with a standard deviation of {self.sd:.4g}"

    def cost(self, n: int) -> tuple[int, str]:
        """Datasets on which a model is measured."""
        return n, "dataset measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSplits(PlannedData):
    """Repeats of k folds of one dataset, which share training data.

    Attributes
    ----------
    sd : float
        Standard deviation of the differences over splits.
    n_folds : int
        Splits of a repeat.
    test_train_ratio : float
        n_test / n_train.
    """

    question: ClassVar[Question] = "splits"
    fewest: ClassVar[int] = 1
    unit: str = "repeat"
    sd: float
    n_folds: int
    test_train_ratio: float

    @property
    def procedure(self) -> str:
        """Student's with the variance of Nadeau and Bengio."""
        return "corrected-t"

    @property
    def has_floor(self) -> bool:
        """Always: repeats share their data."""
        return True

    def standard_error(self, n: int, difference: float) -> float:
        """Standard error, of which a part stays, however many repeats there are."""
        return self.sd * sqrt(1.0 / (n * self.n_folds) + self.test_train_ratio)

    def df(self, n: int) -> float:
        """Splits less one."""
        return n * self.n_folds - 1.0

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Student's."""
        return student_law(difference, self.standard_error(n, difference), self.df(n), alpha)

    def scaled(self, factor: float) -> PlannedSplits:
        """With a larger standard deviation."""
        return replace(self, sd=self.sd * factor)

    @property
    def assumed(self) -> str:
        """The spread, and how splits overlap."""
        return (
            f"differences have a standard deviation of {self.sd:.4g} over splits, n_test / n_train is "
            f"{self.test_train_ratio:.3g} and a repeat has {self.n_folds} splits"
        )

    def ways(self) -> list[Way]:
        """Repeats, or data, whose test sets are then twice as large."""
        return [Way("twice the repeats", self, 2), Way("twice the data", replace(self, sd=self.sd / sqrt(2.0)), 1)]

    def cost(self, n: int) -> tuple[int, str]:
        """Fits."""
        return n * self.n_folds, "fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSeeds(PlannedData):
    """Training runs with other seeds on one test set; of each model by itself, or paired by seed.

    Attributes
    ----------
    sd : (float, float)
        Standard deviations of both models' scores over seeds; of their differences, twice the same number, where paired.
    is_paired : bool
    """

    question: ClassVar[Question] = "seeds"
    unit: str = "seed"
    sd: tuple[float, float]
    is_paired: bool

    @property
    def procedure(self) -> str:
        """A t-test."""
        return "paired-t" if self.is_paired else "welch"

    def standard_error(self, n: int, difference: float) -> float:
        """Standard error of a mean difference, or of the difference of two means."""
        return self.sd[0] / sqrt(n) if self.is_paired else hypot(*self.sd) / sqrt(n)

    def df(self, n: int) -> float:
        """Degrees of freedom of Welch for the true variances, where seeds are not paired."""
        v, w = (each**2 for each in self.sd)
        return n - 1.0 if self.is_paired else (v + w) ** 2 / (v**2 + w**2) * (n - 1.0)

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Student's or Welch's."""
        if self.is_paired:
            return student_law(difference, self.standard_error(n, difference), n - 1.0, alpha)
        return welch_law(difference, self.sd, n, alpha)

    def scaled(self, factor: float) -> PlannedSeeds:
        """With larger standard deviations."""
        return replace(self, sd=(self.sd[0] * factor, self.sd[1] * factor))

    @property
    def assumed(self) -> str:
        """Normal scores."""
        if self.is_paired:
            return f"differences are normal over {self.unit}s with a standard deviation of {self.sd[0]:.4g}"
        sds = f"{self.sd[0]:.4g}" if self.sd[0] == self.sd[1] else f"{self.sd[0]:.4g} and {self.sd[1]:.4g}"
        return f"scores of a model are normal over {self.unit}s with a standard deviation of {sds}"

    def cost(self, n: int) -> tuple[int, str]:
        """Fits."""
        return n, "fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedGrades(PlannedSeeds):
    """Graded items of a test set for each model; `sd` are those of the grades over items."""

    question: ClassVar[Question] = "test-sets"
    unit: str = "item"
    is_paired: bool = False

    def cost(self, n: int) -> tuple[int, str]:
        """Answers."""
        return n, "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRates(PlannedData):
    """A test set of n items for each model, which are right or wrong; `rate` is that of the second model."""

    question: ClassVar[Question] = "test-sets"
    unit: str = "item"
    rate: float
    factor: float = 1.0

    @property
    def procedure(self) -> str:
        """Newcombe's."""
        return "newcombe"

    @property
    def largest(self) -> float:
        """Share that the second model leaves to be gained."""
        return 1.0 - self.rate

    def standard_error(self, n: int, difference: float) -> float:
        """Standard error of the difference of two rates."""
        p, q = min(self.rate + difference, 1.0), self.rate
        return sqrt((p * (1 - p) + q * (1 - q)) / n)

    def df(self, n: int) -> float:
        """None."""
        return inf

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Newcombe's."""
        return independent_rates_law((min(max(self.rate + difference, 0.0), 1.0), self.rate), n, alpha)

    def scaled(self, factor: float) -> PlannedRates:
        """The data as they are: rates say themselves how much they vary."""
        return self

    @property
    def assumed(self) -> str:
        """The rate."""
        return f"the second model has {_percent(self.rate)} right, and each model has {self.unit}s of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLikePilot(PlannedData):
    """More units like those of a pilot, by whatever procedure: its standard error shrinks with the root of their number.

    Attributes
    ----------
    question, method : str
        Of the pilot.
    pilot_error, pilot_df : float
        Standard error and degrees of freedom of the pilot's difference.
    pilot_n : int
    """

    question: Question  # type: ignore[misc]
    method: str
    pilot_error: float
    pilot_df: float
    pilot_n: int

    @property
    def procedure(self) -> str:
        """Method of the pilot."""
        return self.method

    def standard_error(self, n: int, difference: float) -> float:
        """Error of the pilot, for other numbers."""
        return self.pilot_error * sqrt(self.pilot_n / n)

    def df(self, n: int) -> float:
        """In proportion."""
        return max(self.pilot_df * n / self.pilot_n, 1.0)

    def law(self, n: int, difference: float, alpha: float) -> IntervalLaw:
        """Student's."""
        return student_law(difference, self.standard_error(n, difference), self.df(n), alpha)

    def scaled(self, factor: float) -> PlannedLikePilot:
        """With a larger error."""
        return replace(self, pilot_error=self.pilot_error * factor)

    @property
    def assumed(self) -> str:
        """The error of the pilot."""
        error = f"{self.pilot_error:.4g} with {self.pilot_n:,} {self.unit}s"
        return f"the standard error is {error} and falls with the root of their number"

    def cost(self, n: int) -> tuple[int, str]:
        """Results, whatever they are."""
        return n, "result"


def discordant_share(first: float, second: float, correlation: float) -> float:
    """Share of items that exactly one model has right, from both rates and the correlation of being right."""
    both = first * second + correlation * sqrt(max(first * (1 - first) * second * (1 - second), 0.0))
    return max(first + second - 2 * min(both, first, second), abs(first - second))


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
