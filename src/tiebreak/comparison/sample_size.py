"""Sample sizes: units for a difference, the difference that units show, or the chance of showing it, from drawn data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, isfinite, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.looks import GAMMA, GAMMAS, LOOKED_FROM, STUDENTS
from tiebreak.errors import DataError, Setting
from tiebreak.numerics import FloatArray, check_count
from tiebreak.result import Result
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.looks import group_sequential_design
from tiebreak.statistics.power import N_DRAWS, Population
from tiebreak.statistics.rates import proportion_interval

Goal = Literal["better", "equivalent", "not worse"]
Solved = Literal["n", "difference", "rope", "power"]

MOST_UNITS = 100_000_000
"""Units beyond which no number is looked for."""

FEWEST_DF = 4.0
"""Degrees of freedom of a pilot below which its spread says next to nothing: with 4 it may be 1.6 times as large."""

CONFIDENCE = 0.8
"""Of the one-sided upper limit of a pilot's spread [B95]_.

References
----------
.. [B95] R. H. Browne. On the use of a pilot sample for sample size determination. Statistics in Medicine 14, 1995.
"""


class LookCosts(NamedTuple):
    """Looks at data that are still coming in: when they are taken, and how many units it takes until the answer is there.

    Attributes
    ----------
    n : tuple of int
        Units at each look; the last one is the largest number that it may take.
    interval_alphas : tuple of float
        1 - coverage of the intervals at each look.
    expected, expected_if_equal : float
        Units on average until the pair is decided, if the difference is as assumed, and if there is none.
    """

    n: tuple[int, ...]
    interval_alphas: tuple[float, ...]
    expected: float
    expected_if_equal: float


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SampleSize(Result):
    """Units that it takes, the difference that they show, and what they cost; made by `tiebreak.sample_size`.

    Attributes
    ----------
    population : Population
        How much differences vary, and the procedure that judges them.
    question, unit : str
        To what the answer generalises, and the noun of what n counts.
    goal : {"better", "equivalent", "not worse"}
    alpha, interval_alpha : float
        Error rate of the family, and 1 - coverage of the interval of one pair.
    n_models, n_looks : int
        Models, and looks at data that are still coming in.
    n : int or None
        Units; None where no number is enough.
    difference, rope, power : float
        Infinite where n units show none.
    solved : {"n", "difference", "rope", "power"}
        Which of these was asked for; the others were given.
    pilot : str
        Where the spread comes from; "" where it was given.
    cautious : Population or None
        The same with the largest spread that the pilot leaves likely (upper limit of a one-sided 80 % interval).
    """

    population: Population
    question: str = "examples"
    unit: str = "item"
    goal: Goal = "better"
    alpha: float = 0.05
    interval_alpha: float = 0.05
    n_models: int = 2
    n_looks: int = 1
    n: int | None = None
    difference: float = 0.0
    rope: float = 0.0
    power: float = 0.8
    solved: Solved = "n"
    pilot: str = ""
    cautious: Population | None = None

    def solve(self) -> SampleSize:
        """With the number that `solved` names worked out from the others."""
        if self.solved == "n":
            return replace(self, n=smallest_whole(lambda n: self.power_at(n) >= self.power, self.fewest, self.step))
        found = self.power_at(self.n or 0) if self.solved == "power" else self.smallest(self.n or 0)
        return replace(self, **{self.solved: found})  # type: ignore[arg-type]

    @property
    def effect(self) -> float:
        """True difference that is to be seen, or the rope where that is what is asked about: for all goals but "better"."""
        return self.difference if self.goal == "better" else self.rope

    @property
    def step(self) -> int:
        """Units that come together."""
        return ceil(self.population.cluster_size)

    @property
    def fewest(self) -> int:
        """Fewest units that have an interval: two, or two clusters; one repeat of splits."""
        return 1 if self.question == "splits" else 2 * self.step

    @property
    def first_look(self) -> float:
        """Units (in whole clusters) from which looks keep their level; infinite where `compare` takes none at such data."""
        name, of_pilot = self.population.procedure, self.population.pilot_n
        return max(LOOKED_FROM[name] * self.step, self.fewest) if name in LOOKED_FROM and not of_pilot else inf

    @property
    def power_error(self) -> float:
        """Standard error of the power, as it is a share of drawn data sets."""
        return sqrt(self.power * (1.0 - self.power) / N_DRAWS)

    def power_at(self, n: int, effect: float | None = None) -> float:
        """Chance that n units show it, if the difference (or the rope) is `effect`; the one that is asked about if not given."""
        effect = self.effect if effect is None else float(effect)
        difference, rope = (effect, self.rope) if self.goal == "better" else (self.difference, effect)
        return float(self._stopping(check_count(n, "n", self.fewest), difference, rope).sum())

    def smallest(self, n: int) -> float:
        """Smallest difference, or rope, that n units show with the power; infinite where they show none."""
        by_difference = self.goal == "better"
        low, most = (self.rope, self.largest) if by_difference else (0.0, inf)
        step, high = self.population.scale(n, low if by_difference else self.difference) or 1e-3, low
        while self.power_at(n, high) < self.power:
            if high >= most * (1 - 1e-9) or step > 1e15:
                return inf
            high, step = min(low + step, most * (1 - 1e-9)), 2 * step
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.power_at(n, middle) >= self.power else (middle, high)
        return high

    def cost_of(self, n: int) -> int:
        """Fits or answers of all models together."""
        return n * self.population.n_folds * self.n_models

    def _look_alphas(self, n: int, difference: float) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Units at each look, of which each brings as many more, and the alphas of their intervals."""
        if self.n_looks == 1:
            return (n,), (self.interval_alpha,)
        sizes = (max(whole(n * k / self.n_looks, self.step), int(self.first_look)) for k in range(1, self.n_looks + 1))
        at = tuple(sorted({min(each, n) for each in sizes}))
        population = self.population
        # information is what the variance at the end is of that at a look
        fractions = [(population.scale(n, difference) / population.scale(each, difference)) ** 2 for each in at]
        df = [each - 1 for each in population.drawn(at)] if population.procedure in STUDENTS else None
        return at, tuple(
            group_sequential_design(
                fractions, alpha=self.interval_alpha, gamma=GAMMAS.get(self.unit, GAMMA), df=df
            ).alphas.tolist()
        )

    def _stopping(self, n: int, difference: float, rope: float, *, decided: bool = False) -> FloatArray:
        """Share of data sets that show what is asked, or are decided in any way, for the first time at each look."""
        sizes, alphas = self._look_alphas(n, difference)
        is_open, found = np.ones(N_DRAWS, dtype=bool), []
        for low, high in self.population.intervals(sizes, difference, alphas):
            is_inside = (low >= -rope) & (high <= rope)
            stops = is_inside if self.goal == "equivalent" else low > (rope if self.goal == "better" else -rope)
            if decided:
                stops = stops | (low > rope) | (high < -rope) | (is_inside & (rope > 0))
            found.append((is_open & stops).mean())
            is_open &= ~stops
        return np.array(found)

    @property
    def largest(self) -> float:
        """Largest difference that there can be; infinite where none is known."""
        rate = self.population.rate
        return self.population.discordant or (inf if rate is None else 1.0 - rate)

    @cached_property
    def floor(self) -> float:
        """Smallest effect that ever so many units show with the power; 0 where there is always a smaller one."""
        return self.smallest(MOST_UNITS) if self.population.ratio or self.population.floor else 0.0

    @cached_property
    def n_cautious(self) -> int | None:
        """Units if differences vary as much as the pilot leaves likely; None where that is not known, or no number is enough."""
        return None if self.cautious is None or self.solved != "n" else replace(self, population=self.cautious).solve().n

    @cached_property
    def steps(self) -> list[tuple[int, float, float, int]]:
        """Some numbers of units below and above, the smallest effect that they show, the power for the one asked, and costs."""
        numbers = {1, 2, 5, 10, 20, self.n or 50}
        if self.question != "splits":
            times = (0.25, 0.5, 1, 2, 4) if self.n else (1, 10, 100, 1000)
            numbers = {max(whole((self.n or self.fewest) * each, self.step), self.fewest) for each in times}
        power = self.power_at if isfinite(self.effect) else lambda n: nan
        return [(n, self.smallest(n), power(n), self.cost_of(n)) for n in sorted(numbers)]

    @cached_property
    def looks(self) -> LookCosts | None:
        """Costs where looks are planned."""
        n = self.n
        if self.n_looks == 1 or n is None or not isfinite(self.effect):
            return None
        sizes, alphas = self._look_alphas(n, self.difference)
        stops = [self._stopping(n, each, self.rope, decided=True) for each in (self.difference, 0.0)]
        return LookCosts(sizes, alphas, *(float(each @ np.array(sizes) + (1.0 - each.sum()) * n) for each in stops))


def smallest_whole(is_enough: Callable[[int], bool], fewest: int, step: int) -> int | None:
    """Smallest multiple of a step, from `fewest` on, that is enough, where all larger ones are; None beyond `MOST_UNITS`."""
    low, high = fewest - step, fewest
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return None
    while high - low > step:
        middle = low + max((high - low) // (2 * step), 1) * step
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def whole(n: float, step: int) -> int:
    """Smallest multiple of a step that is not below n."""
    return ceil(n / step - 1e-9) * step


# --- pilots ---------------------------------------------------------------------------------------------------------------


def pilot_of(comparison: Comparison, pair: tuple[str, str] | None = None) -> SampleSize:
    """Plan with what a pair of an answer says, by default that with the widest interval; n are the units of the pilot.

    Raises
    ------
    DataError
        Fewer than five units (or clusters), or models that never differ.
        Splits that cannot be repeated, or a procedure whose intervals are not like Student's.
    """
    if pair is None:
        table = comparison.pair_table
        low, high = table.interval
        widest = int(np.argmax(np.where(np.isfinite(high - low), high - low, -1.0)))
        pair = comparison.models[int(table.first[widest])], comparison.models[int(table.second[widest])]
    population, n, df = _population(comparison, *pair)
    unit, names = comparison.method.unit, quoted(pair)
    if not population.scale(n, 0.0) > 0:
        raise DataError(
            f"{names} do not differ on any {unit} of the pilot, so it does not show how much they vary. Measure more, or say "
            "what is likely instead of giving a pilot."
        )
    if df < FEWEST_DF:
        raise DataError(
            f"the pilot has {df + 1:.3g} independent {unit}s or clusters of {names}, and at least {FEWEST_DF + 1:.0f} are "
            "needed to see how much they vary. Measure more, or say what is likely instead of giving a pilot."
        )
    counted = "repeat" if comparison.method.question == "splits" else unit
    return SampleSize(
        population=population,
        question=comparison.method.question,
        unit=counted,
        alpha=comparison.settings.alpha,
        interval_alpha=comparison.settings.alpha / (1 if comparison.correction == "none" else comparison.pair_table.n_pairs),
        n_models=len(comparison.models),
        n=n,
        rope=comparison.rope,
        pilot=f"{n:,} {counted}s of {names}",
        cautious=_cautious(population, n, df),
    )


def _cautious(population: Population, n: int, df: float) -> Population:
    """The upper limit of a variance by its chi-squared distribution, of a share by Wilson's; rates vary as they say."""
    from scipy.special import chdtri

    if population.discordant is not None:
        return replace(
            population, discordant=float(proportion_interval(population.discordant * n, n, level=2 * CONFIDENCE - 1).high)
        )
    times = sqrt(df / float(chdtri(df, CONFIDENCE)))
    sd, error = tuple(each * times for each in population.sd), population.pilot_error * times
    return replace(population, sd=sd, pilot_error=error, floor=population.floor * times)


def _population(comparison: Comparison, first: str, second: str) -> tuple[Population, int, float]:
    """Population like a pair, its number of units, and degrees of freedom of the spread."""
    method, found, items = comparison.method, comparison.pair(first, second), comparison.items
    judged, name, n = found.judged, method.name, found.n_units
    if name == "tango":
        only_first, only_second, _ = found.law.parts
        return Population(procedure=name, discordant=float(only_first + only_second) / n), n, inf if n > 4 else n - 1.0
    if name == "newcombe":
        # of wrong answers the second model's come first
        x, n_one, y, n_two = (float(np.ravel(part)[0]) for part in found.law.parts)
        n = int(min(n_one, n_two))
        return Population(procedure=name, rate=y / n_two if comparison.metric.higher_is_better else 1.0 - x / n_one), n, n - 1.0
    if name == "wilcoxon" and items is None:
        one, two = (comparison.matrix.score[comparison.models.index(each)] for each in (first, second))
        return Population(procedure=name, sd=(float(np.nanstd(one - two, ddof=1)) if n > 1 else 0.0,)), n, n - 1.0
    error, df = float(found.standard_error), float("nan" if judged.reach_df is None else judged.reach_df)
    if name == "corrected-t":
        matrix = comparison.matrix
        if not comparison.scores.can_be_repeated:
            raise DataError(
                "splits of this kind cannot be repeated, so no number of repeats is looked for: only more data would show a "
                "smaller difference."
            )
        n_repeats, ratio = np.unique(matrix.repeat).size, float(matrix.ratio.mean())
        sd, n_folds = error / sqrt(1.0 / n + ratio), max(round(matrix.n_splits / n_repeats), 1)
        return Population(procedure=name, sd=(sd,), n_folds=n_folds, ratio=ratio), n_repeats, n - 1.0
    if judged.unit != "metric" or method.unit == "split" or not (isfinite(error) and df > 0):
        raise DataError(
            f"the intervals of {name!r} on this pilot are not like Student's, so they do not say how many {method.unit}s are "
            "needed. Say what is likely instead of giving a pilot; or, for items, compare them by ",
            Setting("method", "'clustered-t'"),
            ".",
        )
    from_runs = judged.beside.get("from_runs")
    if name == "clustered-t" and items is not None and items.weights is None and items.tasks is None and from_runs is None:
        n_clusters = n if items.clusters is None else items.n_clusters  # whose means vary
        sd, size = error * sqrt(n_clusters), n / n_clusters
        return Population(procedure=name, sd=(sd,), cluster_size=size, intraclass_correlation=1.0), n, n_clusters - 1.0
    floor, n = 0.0 if from_runs is None else sqrt(float(from_runs)), n // (2 if method.question == "test-sets" else 1)
    population = Population(procedure=name, pilot_n=n, pilot_df=min(df, 1e9), pilot_error=error, floor=floor)
    return population, n, items.n_clusters - 1.0 if floor and items is not None else df
