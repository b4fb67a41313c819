"""Sample sizes: units for a difference, the difference that units show, or the chance of showing it, with looks and costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, isfinite, nan
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from tiebreak.comparison.looks import GAMMA, GAMMAS, PROCESSES
from tiebreak.comparison.planned_data import PlannedData, PlannedItems, PlannedSplits, Way
from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.frequentist.group_sequential import GroupSequentialDesign, group_sequential_design
from tiebreak.frequentist.planned_intervals import equivalence_by_look, jointly
from tiebreak.numerics import FloatArray, check_count, generator_of, group_codes
from tiebreak.result import Result, view_of

T = TypeVar("T")

Goal = Literal["better", "ahead", "equivalent", "not worse", "near best"]
Solved = Literal["n", "difference", "rope", "power"]

MOST_UNITS = 100_000_000
"""Units beyond which no number is looked for."""

BY_DIFFERENCE = ("better", "ahead")
"""Goals of which a true difference is asked; of the others a rope is."""

WORTH = 1.05
"""Times the smallest difference of ever so many repeats within which further ones are not worth running."""


class SizeStep(NamedTuple):
    """One number of units, and what it shows.

    Attributes
    ----------
    n : int
    smallest : float
        Difference that is shown with the power; for goals within a rope the smallest rope. Infinite where there is none.
    power : float
        For the difference, or the rope, that is asked about.
    cost : int
        Answers or fits of all models.
    """

    n: int
    smallest: float
    power: float
    cost: int


class SizeSpending(NamedTuple):
    """One way of spending more, and what it comes to.

    Attributes
    ----------
    what : str
    error : float
        Standard error, as a share of that of the plan.
    smallest : float
        As of a `SizeStep`; of the plan itself in the first row.
    cost : int
    """

    what: str
    error: float
    smallest: float
    cost: int


@dataclass(frozen=True, slots=True)
class LookCosts:
    """Looks at data that are still coming in: when they are taken, and how many units it takes until the answer is there.

    Attributes
    ----------
    n : tuple of int
        Units at each look; the last one is the largest number that it may take.
    interval_alphas : tuple of float
        1 - coverage of the intervals at each look.
    stopping : tuple of float
        Probability that the answer comes at each look, if the difference is as assumed.
    expected : float
        Units on average, if the difference is as assumed.
    expected_if_equal : float
        Units on average, if there is no difference at all.
    """

    n: tuple[int, ...]
    interval_alphas: tuple[float, ...]
    stopping: tuple[float, ...]
    expected: float
    expected_if_equal: float

    @property
    def largest(self) -> int:
        """Units of the last look."""
        return self.n[-1]


@dataclass(frozen=True, slots=True)
class Target:
    """Goal of a plan, and the level at which it is to be shown.

    Attributes
    ----------
    goal : {"better", "ahead", "equivalent", "not worse", "near best"}
    alpha : float
        Error rate of the family.
    interval_alpha : float
        1 - coverage of the interval of one pair.
    n_questions : int
        Pairs, or requirements, that share alpha.
    n_models : int
    n_looks : int
    """

    goal: Goal
    alpha: float
    interval_alpha: float
    n_questions: int
    n_models: int
    n_looks: int = 1

    @property
    def is_by_difference(self) -> bool:
        """True where a larger true difference is seen more easily; else a wider rope is."""
        return self.goal in BY_DIFFERENCE

    @property
    def n_rivals(self) -> int:
        """Models that the one in question has to be shown near to."""
        return self.n_models - 1 if self.goal == "near best" else 1

    def limit(self, rope: float) -> float:
        """Value that the interval has to lie above."""
        return {"better": rope, "ahead": 0.0}.get(self.goal, -rope)


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class SampleSize(Result):
    """Units that it takes, the difference that they show, and what they cost; made by `tiebreak.sample_size`.

    Attributes
    ----------
    data : PlannedData
        How much differences vary, and what the procedure is.
    target : Target
        Goal, and the level at which it is to be shown.
    solved : {"n", "difference", "rope", "power"}
        Which of these was asked for; the others were given.
    n : int or None
        Units; None where no number is enough.
    difference, rope, power : float
        Infinite where n units show none.
    seconds : float
        Time of one fit, or answer, of one model; nan where it is not known.
    pilot : str
        Where the spread comes from; "" where it was given.
    cautious : PlannedData or None
        The same with the largest spread that the pilot leaves likely (upper limit of a one-sided 80 % interval).
    """

    data: PlannedData
    target: Target
    solved: Solved
    n: int | None
    difference: float
    rope: float
    power: float
    seconds: float = nan
    pilot: str = ""
    cautious: PlannedData | None = None
    cache: dict[str, Any] = field(default_factory=dict, init=False)

    @property
    def unit(self) -> str:
        """Noun of what n counts."""
        return self.data.unit

    @property
    def effect(self) -> float:
        """True difference that is to be seen, or the rope where that is what is asked about."""
        return self.difference if self.target.is_by_difference else self.rope

    def power_at(self, n: int, effect: float | None = None) -> float:
        """Chance that n units show it, if the difference (or the rope) is `effect`; the one that is asked about if not given."""
        n = check_count(n, "n", self.fewest)
        difference, rope = self._with(self.effect if effect is None else float(effect))
        return power_of(self.data, self.target, n, difference, rope)

    def smallest(self, n: int) -> float:
        """Smallest difference, or rope, that n units show with the power; infinite where they show none."""
        return self._smallest(self.data, check_count(n, "n", self.fewest))

    def _smallest(self, data: PlannedData, n: int) -> float:
        return smallest_effect(data, self.target, n, difference=self.difference, rope=self.rope, power=self.power)

    def _with(self, effect: float) -> tuple[float, float]:
        """Difference and rope, one of which is `effect`."""
        return (effect, self.rope) if self.target.is_by_difference else (self.difference, effect)

    @property
    def fewest(self) -> int:
        """Fewest units that have an interval."""
        return fewest_units(self.data)

    @property
    def floor(self) -> float:
        """Smallest effect that ever so many units show with the power; 0 where there is always a smaller one."""
        return self._kept("floor", lambda: self._smallest(self.data, MOST_UNITS) if self.data.has_floor else 0.0)

    @property
    def times_data(self) -> float:
        """Times as much data with which ever so many repeats would show the effect; nan where units are no repeats."""
        if not isinstance(self.data, PlannedSplits) or not self.effect > self._centre:
            return nan
        return ((self.floor - self._centre) / (self.effect - self._centre)) ** 2

    @property
    def _centre(self) -> float:
        """Effect that is shown half of the time by a perfect measurement."""
        return self.target.limit(self.rope) if self.target.is_by_difference else self.difference_beyond

    @property
    def difference_beyond(self) -> float:
        """Rope that the true difference just keeps to."""
        return abs(self.difference) if self.target.goal == "equivalent" else max(-self.difference, 0.0)

    @property
    def worth_running(self) -> int | None:
        """Repeats from which the smallest difference is within 5 % of the floor; None where units are no repeats."""
        if not isinstance(self.data, PlannedSplits):
            return None
        enough = self._centre + WORTH * (self.floor - self._centre)
        return self._kept("worth", lambda: smallest_whole(lambda n: self.smallest(n) <= enough, self.fewest, 1))

    @property
    def n_cautious(self) -> int | None:
        """Units if differences vary as much as the pilot leaves likely; None where that is not known, or no number is enough."""
        data = self.cautious
        if data is None or self.solved != "n":
            return None
        return self._kept("cautious", lambda: units_for(data, self.target, self.difference, self.rope, self.power))

    @property
    def steps(self) -> list[SizeStep]:
        """Some numbers of units below and above, and what they show."""

        def step(n: int) -> SizeStep:
            power = self.power_at(n) if isfinite(self.effect) else nan
            return SizeStep(n, self.smallest(n), power, self.cost_of(n))

        return self._kept("steps", lambda: [step(n) for n in self._numbers()])

    def _numbers(self) -> list[int]:
        """Numbers of units for a table."""
        middle = self.n or self.fewest
        if isinstance(self.data, PlannedSplits):
            numbers = {1, 2, 5, 10, 20, middle} | ({50} if self.n is None else set())
        else:
            times = (0.25, 0.5, 1, 2, 4) if self.n else (1, 10, 100, 1000)
            numbers = {whole(middle * each, self.data.step) for each in times}
        return sorted({max(n, self.fewest) for n in numbers})

    @property
    def spending(self) -> list[SizeSpending]:
        """Ways of spending more on the plan, the plan itself first; none where there is one way only."""
        ways = self.data.ways()
        if len(ways) < 2:
            return []
        n = self.n or max(self.fewest, 10)
        error = self.data.standard_error(n, self.difference)

        def spent(way: Way) -> SizeSpending:
            ratio = way.data.standard_error(n * way.times, self.difference) / error
            cost = way.data.cost(n * way.times)[0] * self.target.n_models
            return SizeSpending(way.what, ratio, self._smallest(way.data, n * way.times), cost)

        plan = Way("as planned" if self.n else f"{n:,} {self.unit}s", self.data, 1)
        return self._kept("spending", lambda: [spent(way) for way in (plan, *ways)])

    def cost_of(self, n: int) -> int:
        """Fits or answers of all models together."""
        return self.data.cost(n)[0] * self.target.n_models

    @property
    def total_seconds(self) -> float:
        """Time of all fits or answers one after the other; nan where that of one is not known."""
        return nan if self.n is None else self.cost_of(self.n) * self.seconds

    @property
    def looks(self) -> LookCosts | None:
        """Costs where looks are planned."""
        if self.target.n_looks == 1 or self.n is None or not isfinite(self.effect):
            return None
        return look_costs(self.data, self.target, self.n, self.difference, self.rope)

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        """Something that is worked out once."""
        if name not in self.cache:
            self.cache[name] = make()
        return self.cache[name]  # type: ignore[no-any-return]

    def order(
        self, ids: Sequence[object] | None = None, clusters: Sequence[object] | None = None, rng: int | np.random.Generator = 0
    ) -> list[dict[str, object]]:
        """Random order in which to run the units, a row for each, so that every look sees a random part of them.

        Of splits it is that of their repeats, which are random themselves.

        Parameters
        ----------
        ids : sequence, optional
            Names of the units there are, at least as many as are planned; numbers from 1 if not given.
        clusters : sequence, optional
            Cluster of each of them: clusters come whole.
        rng : int or Generator, default 0

        Returns
        -------
        list of dict
            Of position, the unit (and its cluster), or repeat and fold, and look, the first one that sees it, where there are
            several.

        Raises
        ------
        InvalidParameterError
            Fewer names than units, one twice, or no number of units that is enough.
        """
        if self.n is None:
            raise InvalidParameterError("no number of units is enough here, so there is nothing to put in order.")
        if isinstance(self.data, PlannedSplits):
            if ids is not None or clusters is not None:
                raise InvalidParameterError(
                    "splits have no names: their order is that of repeats and folds. Leave ids and clusters out.", about="ids"
                )
            k = self.data.n_folds
            rows: list[dict[str, object]] = [{"repeat": repeat, "fold": fold} for repeat in range(self.n) for fold in range(k)]
            ends = [n * k for n in self._look_ends]
        else:
            rows = shuffled_units(self.n, self.data, ids, clusters, generator_of(rng))
            ends = list(self._look_ends)
        look = np.searchsorted(ends, np.arange(len(rows)), side="right") + 1
        more = [{"look": int(min(each, len(ends)))} if ends else {} for each in look]
        return [{"position": k, **row, **seen} for k, (row, seen) in enumerate(zip(rows, more, strict=True), start=1)]

    @property
    def _look_ends(self) -> tuple[int, ...]:
        return () if self.n is None or self.target.n_looks == 1 else look_units(self.data, self.n, self.target.n_looks)

    def write_order(
        self,
        path: str | os.PathLike[str],
        *,
        ids: Sequence[object] | None = None,
        clusters: Sequence[object] | None = None,
        rng: int | np.random.Generator = 0,
    ) -> None:
        """Write the `order` as CSV, whole or not at all.

        Parameters
        ----------
        path : path
        ids, clusters, rng
            As of `order`.
        """
        view_of(self).as_other("order", self, path, ids, clusters, rng)


# --- solving ------------------------------------------------------------------------------------------------------------------


def power_of(data: PlannedData, target: Target, n: int, difference: float, rope: float) -> float:
    """Probability that n units show what is asked."""
    if target.n_looks > 1:
        return float(min(sum(_stopping(data, target, n, difference, rope)), 1.0))
    law = data.law(n, difference, target.interval_alpha)
    if target.goal == "equivalent":
        return law.within(rope)
    if target.goal == "near best":
        return law.all_above(-rope, target.n_rivals)
    return law.above(target.limit(rope))


def units_for(data: PlannedData, target: Target, difference: float, rope: float, power: float) -> int | None:
    """Fewest units with which the power is reached; None where no number has it."""
    fewest = fewest_units(data)

    def is_enough(n: int) -> bool:
        return power_of(data, target, n, difference, rope) >= power

    if target.n_looks == 1:
        return smallest_whole(is_enough, fewest, data.step)
    without = units_for(data, replace(target, n_looks=1), difference, rope, power)
    # looks cost a few units more than none, never less
    return None if without is None else smallest_whole(is_enough, max(whole(without, data.step), fewest), data.step, 1.01)


def smallest_effect(data: PlannedData, target: Target, n: int, *, difference: float, rope: float, power: float) -> float:
    """Smallest true difference (for goals within a rope: smallest rope) that n units show with the power; or infinite."""
    by_difference = target.is_by_difference
    low = target.limit(rope) if by_difference else 0.0
    most = data.largest if by_difference else inf

    def is_enough(effect: float) -> bool:
        pair = (effect, rope) if by_difference else (difference, effect)
        return power_of(data, target, n, *pair) >= power

    size = data.standard_error(n, low if by_difference else difference)
    step, high = size if size > 0 else 1e-3, low
    for _ in range(60):
        high = min(low + step, most * (1 - 1e-9))
        if is_enough(high):
            break
        if high >= most * (1 - 1e-9):
            return inf
        step *= 2
    else:
        return inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
        if high - low <= 1e-6 * max(high, size):
            break
    return high


def smallest_whole(is_enough: Callable[[int], bool], fewest: int, step: int, growth: float = 2.0) -> int | None:
    """Smallest multiple of a step, from `fewest` on, that is enough, where all larger ones are; None beyond `MOST_UNITS`."""
    low, high = fewest - step, fewest
    while not is_enough(high):
        low, high = high, whole(max(high * growth, high + step), step)
        growth = min(growth**2, 2.0)
        if high > MOST_UNITS:
            return None
    while high - low > step:
        middle = low + max((high - low) // (2 * step), 1) * step
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def whole(n: float, step: int) -> int:
    """Smallest multiple of a step that is not below n."""
    return ceil(n / step - 1e-9) * step


def fewest_units(data: PlannedData) -> int:
    """Fewest units that have an interval: two clusters, where they come in some."""
    return max(data.fewest, 2 * data.step if data.step > 1 else 0)


# --- looks --------------------------------------------------------------------------------------------------------------------


def look_units(data: PlannedData, n: int, n_looks: int) -> tuple[int, ...]:
    """Units at each look, of which each brings as many more; none is taken where looks were not measured to keep their level."""
    first = first_look(data)
    return tuple(sorted({min(max(whole(n * k / n_looks, data.step), first), n) for k in range(1, n_looks + 1)}))


def takes_looks(data: PlannedData) -> bool:
    """True where `compare` takes looks at such data."""
    return data.procedure in PROCESSES and not (isinstance(data, PlannedItems) and data.n_runs > 1)


def first_look(data: PlannedData) -> int:
    """Units (in whole clusters) from which looks were measured to keep their level."""
    fewest = PROCESSES[data.procedure].fewest * (data.step if isinstance(data, PlannedItems) and data.has_clusters else 1)
    return max(fewest, fewest_units(data))


def look_design(data: PlannedData, target: Target, n: int, difference: float) -> GroupSequentialDesign:
    """Bounds of the looks at n units: information is what the variance at the end is of that at a look."""
    at = look_units(data, n, target.n_looks)
    end = data.standard_error(n, difference) ** 2
    fractions = [end / data.standard_error(each, difference) ** 2 for each in at[:-1]] + [1.0]
    df = [data.df(each) for each in at] if PROCESSES[data.procedure].is_student else None
    gamma = GAMMAS.get(data.question, GAMMA)
    return group_sequential_design(fractions, alpha=target.interval_alpha, gamma=gamma, df=df)


def _stopping(data: PlannedData, target: Target, n: int, difference: float, rope: float) -> FloatArray:
    """Probability that what is asked is first shown at each look."""
    design, error = look_design(data, target, n, difference), data.standard_error(n, difference)
    if target.goal == "equivalent":
        return equivalence_by_look(design, difference, rope, error)
    each = design.stopping_probabilities((difference - target.limit(rope)) / error).upper
    if target.n_rivals == 1:
        return each
    shown = [jointly(float(up_to), target.n_rivals) for up_to in np.minimum(np.cumsum(each), 1.0)]
    return np.diff(shown, prepend=0.0)


def look_costs(data: PlannedData, target: Target, n: int, difference: float, rope: float) -> LookCosts:
    """Units until the answer is there, on average and at most."""
    at, design = look_units(data, n, target.n_looks), look_design(data, target, n, difference)
    stopping = _stopping(data, target, n, difference, rope)
    if target.is_by_difference and rope == 0:
        equal = design.stopping_probabilities(0.0)
        without = equal.upper + equal.lower
    else:  # without a difference, equivalence within the rope ends it too
        without = equivalence_by_look(design, 0.0, rope, data.standard_error(n, 0.0))
        without = without if target.goal in ("better", "equivalent") else _stopping(data, target, n, 0.0, rope)

    def mean(stops: FloatArray) -> float:
        return float(stops @ np.array(at) + max(1.0 - stops.sum(), 0.0) * n)

    alphas = tuple(design.alphas.tolist())
    return LookCosts(at, alphas, tuple(stopping.tolist()), mean(stopping), mean(np.asarray(without)))


# --- order --------------------------------------------------------------------------------------------------------------------


def shuffled_units(
    n: int, data: PlannedData, ids: Sequence[object] | None, clusters: Sequence[object] | None, rng: np.random.Generator
) -> list[dict[str, object]]:
    """The first n of the units there are in random order, clusters whole."""
    names: list[object] = list(range(1, n + 1)) if ids is None else list(ids)
    if len(names) < n:
        raise InvalidParameterError(
            f"there are {len(names):,} names for {n:,} {data.unit}s. Give more, or ask with n= what so many show.", about="ids"
        )
    if len(set(names)) < len(names):
        doubled = next(name for name in names if names.count(name) > 1)
        raise InvalidParameterError(f"the {data.unit} {doubled!r:.60} is named twice; name each once.", about="ids")
    if clusters is not None and len(clusters) != len(names):
        raise InvalidParameterError(
            f"clusters needs one name for each of the {len(names):,} {data.unit}s; got {len(clusters):,}.", about="clusters"
        )
    if clusters is None and isinstance(data, PlannedItems) and data.has_clusters:
        if ids is not None:
            raise InvalidParameterError(
                f"the {data.unit}s come in clusters here, which have to be run as a whole. Pass the cluster of each as ",
                Setting("clusters"),
                ".",
                about="clusters",
            )
        clusters = [k // data.step + 1 for k in range(n)]
    if clusters is None:
        return [{data.unit: names[k]} for k in rng.permutation(len(names))[:n].tolist()]
    codes, n_clusters = group_codes(list(map(str, clusters)), len(names), "clusters")
    rank = rng.permutation(n_clusters)[codes]
    rows = [{"cluster": clusters[k], data.unit: names[k]} for k in np.lexsort((np.arange(len(names)), rank)).tolist()]
    end = n
    while end < len(rows) and rows[end]["cluster"] == rows[end - 1]["cluster"]:
        end += 1
    return rows[:end]
