"""Next step after an answer: how many units would settle a pair, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf, isfinite, isnan, nan
from typing import Literal

import numpy as np

from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.settings import SINGLE_STEP

TIME_NOISE = 1.1
"""Times as long that the next model must take, for one to be called the fastest."""

Goal = Literal["equivalent", "ahead", "better"]


@dataclass(frozen=True, slots=True)
class Need:
    """Units that would settle a pair, if its difference and its spread stay what they are.

    Attributes
    ----------
    goal : {"equivalent", "ahead", "better"}
        What would be shown.
    n_units : float
        Of the procedure (splits, datasets, examples); infinite where more of them cannot narrow the interval so far.
    times_data : float
        Times as many examples that would, for splits of one dataset.
    can_repeat : bool
        True where there are further splits, or the units are none.
    n_runs : int
        That there are of each model on every item; 0 where runs are no source of chance of the answer.
    runs_needed : float
        Runs that would, on the same items; infinite where no realistic number does.
    """

    goal: Goal
    n_units: float
    times_data: float
    n_runs: int
    runs_needed: float
    can_repeat: bool


def detectable(comparison: Comparison) -> dict[str, float] | None:
    """Smallest and largest true difference that a pair of a table like this one shows in one of two cases: its half-width.

    A true difference of one half-width has its estimate above and below that equally often, and the interval lies above 0 where
    it is above. None where intervals are not like Student's or the normal distribution's, where their level depends on the
    p-values (stepwise corrections), and where pairs are not judged (the family "best").
    """
    table = comparison.pair_table
    df = table.judged.reach_df
    if df is None or table.judged.unit != "metric" or not table.is_family or table.correction not in SINGLE_STEP:
        return None
    half_width = (table.interval.high - table.interval.low) / 2.0
    is_known = np.isfinite(half_width) & (half_width > 0) & ~np.isnan(df)
    smallest, largest = half_width.min(where=is_known, initial=np.inf), half_width.max(where=is_known, initial=0.0)
    return {"smallest": float(smallest), "largest": float(largest), "power": 0.5} if is_known.any() else None


def need_of(pair: PairComparison) -> Need | None:
    """Units that would settle a pair that is undecided, or ahead; None where it is settled or has no interval.

    The distance from the estimate to a limit of n' units is sqrt(f^2 + (h^2 - f^2) n / n'), with h that of n units and the floor
    f that overlapping training data leave (0 for independent units). The margin is the distance that would decide: to be ahead,
    |d| towards 0; to be better, |d| - rope; to be equivalent, rope - |d| away from 0 and rope + |d| beyond it, whichever takes
    more units. Undecided pairs are asked for the nearer of ahead and equivalent, others inside the rope for equivalent.
    """
    if pair.verdict not in ("undecided", "ahead", "behind") or not isfinite(pair.interval_high - pair.interval_low):
        return None
    goal, half_width, margin = _goal(pair)
    floor = 0.0 if pair.judged.floor is None else float(pair.judged.floor(pair.interval_alpha))
    times_data = half_width / margin * (half_width / margin) if margin > 0 else inf  # with ** too vast a number is an error
    n_units = pair.n_units * (times_data - (floor / margin) ** 2) / (1 - (floor / margin) ** 2) if margin > floor else inf
    of_runs = pair.judged.runs_needed
    n_runs, runs_needed = (0, inf) if of_runs is None else of_runs(margin, pair.interval_alpha)
    comparison = pair.comparison
    can_repeat = comparison.method.unit != "split" or comparison.scores.can_be_repeated
    return Need(goal, n_units, times_data, n_runs, runs_needed, can_repeat)


def _goal(pair: PairComparison) -> tuple[Goal, float, float]:
    """Goal of a pair, the distance from its estimate to the limit that is in the way, and the largest that would do."""
    d, rope = abs(pair.difference), pair.rope
    inner, outer = pair.difference - pair.interval_low, pair.interval_high - pair.difference
    if pair.difference < 0:
        inner, outer = outer, inner
    if pair.verdict == "undecided" and rope - d <= d:
        return "ahead", inner, d
    if pair.verdict != "undecided" and d > rope:
        return "better", inner, d - rope
    # the limit beyond 0 is nearer to the estimate than the other one where an interval is lopsided
    return "equivalent", *max([(outer, rope - d), (inner, rope + d)], key=lambda side: side[0] / side[1] if side[1] > 0 else inf)


def cheapest(comparison: Comparison, models: Sequence[str]) -> str | None:
    """The model of several whose fit takes the shortest time.

    None where a time is unknown, or where the next one takes less than a tenth longer or than twice the standard error over
    splits.
    """
    times = {name: comparison.scores.fit_times.get(name, (nan, nan)) for name in models}
    if len(times) < 2 or any(isnan(seconds) for seconds, _ in times.values()):
        return None
    (name, (first, error)), (_, (second, other)) = sorted(times.items(), key=lambda each: each[1][0])[:2]
    return name if second >= TIME_NOISE * first and second - first > 2 * hypot(error, other) else None
