"""Differences of pairs as the looks of a plan leave them: each as of the look at which its row stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.family import OVER, Codes, Family
from tiebreak.comparison.looks import Cut, GrantedAlphas, Looks, cut, family_alpha, granted_alphas
from tiebreak.comparison.procedures.procedure import Judged, Method
from tiebreak.comparison.settings import Settings
from tiebreak.errors import ChangedLooksError
from tiebreak.numerics import Alternative, FloatArray, IntArray, StudentDistribution
from tiebreak.numerics.law import AHEAD, BEHIND, STUDENT, UNDECIDED, VERDICTS, Law, Shape, verdict_codes
from tiebreak.scores.scores import Scores

MOST_ALPHAS = 8
"""Different alphas, asked for at once, up to which each is calibrated by itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Looked(Judged):
    """Differences of which each stands at one look of a plan; the alphas of intervals are those of all looks together.

    Attributes
    ----------
    part, place : ndarray of int
        The look of each pair, from 0, and its position there.
    granted : GrantedAlphas
    column : ndarray of int
        Of each pair in `granted`.
    home : float
    pair_alpha : float
        Two-sided, of each pair over all looks: that of its verdict, or of comparisons with the best.
    over : ndarray of int
        Verdict code with which a pair is over, UNDECIDED where it is open.
    """

    part: IntArray
    place: IntArray
    granted: GrantedAlphas
    column: IntArray
    home: float
    pair_alpha: float
    over: Codes

    def take(self, rows: IntArray | slice) -> Looked:
        """Some of the pairs."""
        part, place, column = (each[rows] for each in (self.part, self.place, self.column))
        reach = None if self.reach_df is None else self.reach_df[rows]
        law, look = self.law.take(rows), {"look": part + 1}
        return replace(self, law=law, reach_df=reach, part=part, place=place, column=column, over=self.over[rows], beside=look)

    def share(self, alpha: float) -> FloatArray:
        """Part of an alpha that the look of each pair grants, as a share of it."""
        return np.asarray(self.granted.granted(alpha)[self.part, self.column] / alpha)


def _shape(laws: tuple[Law, ...], granted: GrantedAlphas, home: float) -> Shape:
    """Tails of laws by look; the part, place and column of each pair are the parts.

    An interval at 1 - alpha is that of the pair's look at the part of `alpha` that the plan grants it. So the intervals of all
    looks cover at once. Tails are scaled so that they agree with the intervals at `home`, the alpha of the intervals that are
    shown.
    """

    def share(law: Law, alpha: float) -> FloatArray:
        part, _, column = law.parts
        return np.asarray(granted.granted(alpha)[part, column] / alpha)

    def each(law: Law, ask: Callable[[Law, FloatArray], FloatArray], given: FloatArray) -> FloatArray:
        """Answers of the law of its look about each pair."""
        part, place, _ = law.parts
        given = np.broadcast_to(given, np.broadcast_shapes(given.shape, part.shape))
        if part.ndim == 0:
            return np.asarray(ask(laws[int(part)], given))
        found = np.zeros(given.shape)
        for k in np.unique(part):
            rows = np.flatnonzero(part == k)
            found[..., rows] = ask(laws[k].take(place[rows]), given[..., rows])
        return found

    def at_home(law: Law, tail: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.minimum(1.0, tail / share(law, home))

    def tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
        return at_home(law, each(law, lambda held, own: np.asarray(held.tail(own, upper=upper)), at))

    def end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
        each_alpha = np.unique(p)
        if each_alpha.size > MOST_ALPHAS:  # of very many by the shares of that of the family
            given = p * share(law, home)
        else:
            given = np.broadcast_to(p, np.broadcast_shapes(p.shape, law.parts[0].shape))
            for one in each_alpha.tolist():
                given = np.where(p == one, one * share(law, 2.0 * one), given)
        return each(law, lambda held, own: np.asarray(held.end(own, upper=upper)), given)

    def pvalue(law: Law, side: Alternative) -> FloatArray:
        if laws[0].shape.pvalue is None or laws[0].shape is STUDENT:
            both = tuple(tail(law, np.zeros(()), upper) for upper in (False, True))
            return 2.0 * np.minimum(*both) if side == "two-sided" else both[side == "less"]
        return at_home(law, each(law, lambda held, _: np.asarray(held.pvalue(side)), np.zeros(law.parts[0].shape)))

    return Shape(tail, end, pvalue)


def looked(plan: Looks, method: Method, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> Looked:
    """Differences of pairs at the looks of a plan: each at the look that decided it, else at the last that had more of it.

    `settings` have the rope in the metric's unit. In comparisons with the best a pair is over where their bounds decide it.
    """
    alpha = family_alpha(settings, method, int(np.size(first)), len(data.models))
    home = settings.alpha if settings.family == "best" and settings.baseline is None else alpha
    cuts = cuts_of(plan, method, data)
    granted, column = granted_alphas(plan, method, cuts, first, second)
    n_pairs = int(np.size(first))
    part, place = np.zeros(n_pairs, dtype=np.intp), np.zeros(n_pairs, dtype=np.intp)
    is_open = np.ones(n_pairs, dtype=bool)
    over = np.full(n_pairs, UNDECIDED, dtype=np.int8)
    parts: list[Judged] = []
    for k, each in enumerate(cuts):
        rows = np.flatnonzero(is_open & (granted.has_grown[k, column] | (k == 0)))
        if rows.size == 0:
            parts.append(parts[-1].take(rows))
            continue
        judged = method.judge(each.data, first[rows], second[rows], settings)
        parts.append(judged)
        part[rows], place[rows] = k, np.arange(rows.size)
        own = _at_look(judged, parts, k, granted, column[rows], home)
        found = verdict_codes(own.law.interval_at(alpha), float(settings.rope), own.law.tolerance)
        is_over = np.isin(found, OVER)
        over[rows[is_over]], is_open[rows[is_over]] = found[is_over], False
    return _joined(tuple(parts), part, place, granted, column, home, alpha, over)


def at_look(
    plan: Looks, method: Method, data: Scores, first: IntArray, second: IntArray, settings: Settings, home: float, k: int
) -> Looked:
    """Differences of pairs at one look, from 0, whatever the looks before it said; of the shape of `first`."""
    cuts = cuts_of(plan, method, data)
    granted, column = granted_alphas(plan, method, cuts, first, second)
    judged = method.judge(cuts[k].data, first, second, settings)
    return _at_look(judged, [judged] * (k + 1), k, granted, column, home)


def cuts_of(plan: Looks, method: Method, data: Scores) -> list[Cut]:
    """The data of each look."""
    return [cut(method, data, look.n) for look in plan.taken]


def _at_look(judged: Judged, parts: list[Judged], k: int, granted: GrantedAlphas, column: IntArray, home: float) -> Looked:
    shape = np.shape(judged.law.estimate)
    place = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    over = np.full(shape, UNDECIDED, dtype=np.int8)
    return _joined(tuple(parts), np.full(shape, k, dtype=np.intp), place, granted, column, home, home, over)


def _joined(
    parts: tuple[Judged, ...],
    part: IntArray,
    place: IntArray,
    granted: GrantedAlphas,
    column: IntArray,
    home: float,
    pair_alpha: float,
    over: Codes,
) -> Looked:
    laws = tuple(each.law for each in parts)

    def column_of(name: str) -> Any:
        if getattr(laws[0], name) is None:
            return None
        values = np.empty(part.shape)
        for k, each in enumerate(laws):
            if np.any(part == k):
                own = np.broadcast_to(getattr(each, name), np.shape(each.estimate))
                values[part == k] = own if part.ndim == 0 else own[place[part == k]]
        return values

    law = Law(
        estimate=column_of("estimate"),
        se=column_of("se"),
        df=column_of("df"),
        n_units=column_of("n_units").astype(np.intp),
        kind=column_of("kind").astype(np.int8),
        tolerance=column_of("tolerance"),
        shape=_shape(laws, granted, home),
        parts=(part, place, column),
    )
    return Looked(
        law=law,
        unit=parts[0].unit,
        beside={"look": part + 1},
        part=part,
        place=place,
        granted=granted,
        column=column,
        home=home,
        pair_alpha=pair_alpha,
        over=over,
    )


def forecast(table: Family) -> FloatArray | None:
    """Forecast probability that each pair's verdict is at the end of the plan what it is now; None without looks ahead.

    1 for a pair that is over, nan where its interval does not end. None for comparisons with the best, too, whose pairs have no
    verdicts.
    """
    end = _end_of_plan(table)
    if end is None or not table.is_family:
        return None
    return np.where(end.is_over, 1.0, np.where(end.is_known, _stays(table, end.estimate, end.half), np.nan))


def contenders_stay(table: Family, may_be_best: NDArray[np.bool_]) -> float | None:
    """Forecast probability, at least, that the models that may be the best are the same at the end of the plan.

    They are unless some model is shown above one of them, so it is 1 less the sum of the probabilities that one is. None without
    looks ahead, and nan where the interval of some pair of them does not end.
    """
    end = _end_of_plan(table)
    if end is None or table.is_family:
        return None
    first, second = may_be_best[table.first], may_be_best[table.second]
    lost = np.where(second, end.estimate.tail_above(end.half), 0.0) + np.where(first, end.estimate.tail_below(-end.half), 0.0)
    lost = np.where(end.is_over | ~(first | second), 0.0, np.where(end.is_known, lost, np.nan))
    return max(0.0, 1.0 - float(lost.sum()))


class _End(NamedTuple):
    """Estimates at the end of a plan as far as they are known now, and the half-widths of their intervals; of every pair."""

    estimate: StudentDistribution
    half: FloatArray
    is_over: NDArray[np.bool_]
    is_known: NDArray[np.bool_]


def _end_of_plan(table: Family) -> _End | None:
    """The end of the plan if one more look is taken, at the whole of it; None where no look is ahead.

    The estimate then differs from that of now by Student's t with the variance ``se^2 (1 - t)``, given all that is known at the
    share t of the information and nothing before; its half-width is that of the last look.

    References
    ----------
    .. [1] D. Spiegelhalter, L. Freedman, P. Blackburn. Monitoring clinical trials: conditional or predictive power? Controlled
       Clinical Trials 7, 1986.
    """
    d = table.judged
    if not isinstance(d, Looked):
        return None
    t = d.granted.plan.taken[-1].fraction
    if t >= 1:
        return None
    df = np.full(d.part.shape, np.inf) if d.law.df is None else np.broadcast_to(np.asarray(d.law.df, dtype=float), d.part.shape)
    low, high = d.law.interval_at(d.pair_alpha)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = (high - low) / 2 / StudentDistribution(0.0, 1.0, df).interval(d.pair_alpha * d.share(d.pair_alpha)).high
        ends = {column: _half_width(*d.granted.at_the_end(d.pair_alpha, column)) for column in np.unique(d.column).tolist()}
        half = error * np.sqrt(t) * np.array([ends[column] for column in d.column.tolist()]).reshape(d.part.shape)
        last = StudentDistribution(d.law.estimate, error * np.sqrt(1 - t), df)
    return _End(last, half, np.isin(d.over, OVER), np.isfinite(error) & (error > 0))


def _half_width(alpha: float, df: float) -> float:
    """Half-width of an interval in standard errors."""
    return float(StudentDistribution(0.0, 1.0, df).interval(alpha).high)


def _stays(table: Family, last: StudentDistribution, half: FloatArray) -> FloatArray:
    """Probability that the last estimate lies where a half-width gives the verdict of now, for the verdicts of open pairs."""
    rope, verdict = table.rope, table.verdict

    def within(low: FloatArray, high: FloatArray) -> FloatArray:
        return np.asarray(np.where(high > low, last.tail_above(low) - last.tail_above(high), 0.0))

    room = rope - half  # of the estimate, for equivalence
    undecided = within(-half, half) - within(np.maximum(-room, -half), np.minimum(room, half))
    ahead = within(half, rope + half) - within(half, np.minimum(room, rope + half))
    behind = within(-rope - half, -half) - within(np.maximum(-room, -rope - half), -half)
    return np.select([verdict == UNDECIDED, verdict == AHEAD, verdict == BEHIND], [undecided, ahead, behind], np.nan)


def decided_at(plan: Looks, table: Family, models: tuple[str, ...]) -> Looks:
    """The plan with what its looks granted and decided.

    Raises
    ------
    ChangedLooksError
        An earlier look said otherwise than its data say now.
    """
    differences = table.judged
    if not isinstance(differences, Looked):
        return plan
    granted = differences.granted.granted(differences.pair_alpha)
    looks = []
    for k, look in enumerate(plan.taken):
        rows = np.flatnonzero((differences.part == k) & np.isin(differences.over, OVER))
        named = tuple(sorted(_named(models, table, int(row), int(differences.over[row])) for row in rows))
        alpha = float(granted[k].min())
        if np.isfinite(look.interval_alpha) and (look.decided != named or abs(look.interval_alpha - alpha) > 1e-6 * alpha):
            raise ChangedLooksError(
                f"look {k + 1} does not say what its {look.n:,} {plan.unit}s say: {_told(look.decided, look.interval_alpha)} "
                f"stands there, and they give {_told(named, alpha)}. Was it changed, or written by another version? Go on "
                "from another copy."
            )
        looks.append(look._replace(interval_alpha=alpha, decided=named))
    return replace(plan, taken=tuple(looks))


def _told(decided: tuple[tuple[str, str, str], ...], alpha: float) -> str:
    pairs = "; ".join(f"{first!r} {verdict} {second!r}" for first, second, verdict in decided[:2])
    more = f" and {len(decided) - 2} more" if len(decided) > 2 else ""
    return f"{pairs or 'nothing decided'}{more} at alpha {alpha:.6g}"


def _named(models: tuple[str, ...], table: Family, row: int, code: int) -> tuple[str, str, str]:
    """A pair with its verdict, the better model first, else in order of name; so that no order of rows changes it."""
    first, second = models[table.first[row]], models[table.second[row]]
    verdict = VERDICTS[code]
    if verdict == "worse":
        return second, first, "better"
    return (first, second, verdict) if verdict == "better" else (*sorted((first, second)), verdict)
