"""Differences of pairs as the looks of a plan leave them: each as of the look at which its row stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.looks import Cut, GrantedAlphas, Looks, cut, family_alpha, granted_alphas
from tiebreak.comparison.pairs import PairTable
from tiebreak.comparison.procedures.procedure import Differences, Procedure
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.verdict import OVER, Codes
from tiebreak.errors import ChangedLooksError
from tiebreak.numerics import Alternative, FloatArray, IntArray, StudentDistribution
from tiebreak.numerics.law import AHEAD, BEHIND, UNDECIDED, VERDICTS, verdict_codes
from tiebreak.scores.scores import Scores

MOST_ALPHAS = 8
"""Different alphas, asked for at once, up to which each is calibrated by itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LookedDifferences(Differences):
    """Differences of which each stands at one look of a plan; the alphas of intervals are those of all looks together.

    An interval at 1 - alpha is that of the row's look at the part of `alpha` that the plan grants it. So the intervals of all
    looks cover at once. Tails are scaled so that they agree with the intervals at `home`, the alpha of the intervals that are
    shown.

    Attributes
    ----------
    parts : tuple of Differences
        By look, of the pairs that were open then.
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

    parts: tuple[Differences, ...]
    part: IntArray
    place: IntArray
    granted: GrantedAlphas
    column: IntArray
    home: float
    pair_alpha: float
    over: Codes

    def take(self, rows: IntArray | slice) -> Self:
        """Some of the pairs."""
        names = ("estimate", "n_units", "kind", "tolerance", "standard_error", "df", "part", "place", "column", "over")
        held = {name: getattr(self, name) for name in names}
        return replace(self, **{name: value[rows] for name, value in held.items() if np.ndim(value)})

    @property
    def look(self) -> IntArray:
        """Number of the look, from 1."""
        return self.part + 1

    def share(self, alpha: float) -> FloatArray:
        """Part of an alpha that the look of each pair grants, as a share of it."""
        return np.asarray(self.granted.granted(alpha)[self.part, self.column] / alpha)

    def _each(self, ask: Callable[[Differences, Any], Any], *columns: FloatArray) -> FloatArray:
        """Answers of the differences of its look about each pair, given some columns of shape (..., n_pairs)."""
        if self.part.ndim == 0:
            return np.asarray(ask(self.parts[int(self.part)], columns))
        found: FloatArray | None = None
        for k in np.unique(self.part):
            rows = np.flatnonzero(self.part == k)
            own = np.asarray(ask(self.parts[k].take(self.place[rows]), [each[..., rows] for each in columns]))
            if found is None:
                found = np.empty((*own.shape[:-1], self.part.size), dtype=own.dtype)
            found[..., rows] = own
        return np.zeros(0) if found is None else found

    def _at_home(self, tail: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.minimum(1.0, tail / self.share(self.home))

    def _spread(self, at: ArrayLike) -> FloatArray:
        at = np.asarray(at, dtype=float)
        return np.broadcast_to(at, np.broadcast_shapes(at.shape, self.part.shape))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Lower tail."""
        return self._at_home(self._each(lambda held, own: held.tail_below(own[0]), self._spread(at)))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Upper tail."""
        return self._at_home(self._each(lambda held, own: held.tail_above(own[0]), self._spread(at)))

    def _granted(self, p: ArrayLike) -> FloatArray:
        """One-sided levels of each pair's look; of very many levels by the shares of that of the family."""
        p = np.asarray(p, dtype=float)
        each = np.unique(p)
        if each.size > MOST_ALPHAS:
            return np.asarray(p * self.share(self.home))
        found = self._spread(p).copy()
        for one in each:
            found = np.where(self._spread(p) == one, one * self.share(2.0 * float(one)), found)
        return found

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Bounds of each pair's look at what the plan grants it."""
        return self._each(lambda held, own: held.quantile(own[0], upper=upper), self._granted(p))

    def bound(self, p: ArrayLike, *, upper: bool) -> FloatArray:
        """Bounds of each pair's look at what the plan grants it; nan for a pair without spread."""
        return self._each(lambda held, own: held.bound(own[0], upper=upper), self._granted(p))

    def reasons(self, alpha: float) -> Codes:
        """Reasons at the alpha that each look grants."""
        share = alpha * self.share(alpha)
        return self._each(lambda held, own: held.reasons(float(np.min(own[0]))), share).astype(np.int8)

    def own_pvalue(self, alternative: Alternative) -> FloatArray | None:
        """The procedure's own p-values, scaled as the tails are."""
        if self.parts[0].own_pvalue(alternative) is None:
            return None
        return self._at_home(self._each(lambda held, _: held.own_pvalue(alternative), np.zeros(self.part.shape)))


def looked(
    plan: Looks, method: Procedure, data: Scores, first: IntArray, second: IntArray, settings: Settings
) -> LookedDifferences:
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
    parts: list[Differences] = []
    for k, each in enumerate(cuts):
        rows = np.flatnonzero(is_open & (granted.has_grown[k, column] | (k == 0)))
        if rows.size == 0:
            parts.append(parts[-1].take(rows))
            continue
        judged = method.judge(each.data, first[rows], second[rows], settings)
        parts.append(judged)
        part[rows], place[rows] = k, np.arange(rows.size)
        own = _at_look(judged, parts, k, granted, column[rows], home)
        found = verdict_codes(own.interval(alpha), float(settings.rope), own.tolerance)
        is_over = np.isin(found, OVER)
        over[rows[is_over]], is_open[rows[is_over]] = found[is_over], False
    return _joined(tuple(parts), part, place, granted, column, home, alpha, over)


def at_look(
    plan: Looks, method: Procedure, data: Scores, first: IntArray, second: IntArray, settings: Settings, home: float, k: int
) -> LookedDifferences:
    """Differences of pairs at one look, from 0, whatever the looks before it said; of the shape of `first`."""
    cuts = cuts_of(plan, method, data)
    granted, column = granted_alphas(plan, method, cuts, first, second)
    judged = method.judge(cuts[k].data, first, second, settings)
    return _at_look(judged, [judged] * (k + 1), k, granted, column, home)


def cuts_of(plan: Looks, method: Procedure, data: Scores) -> list[Cut]:
    """The data of each look."""
    return [cut(method, data, look.n) for look in plan.taken]


def _at_look(
    judged: Differences, parts: list[Differences], k: int, granted: GrantedAlphas, column: IntArray, home: float
) -> LookedDifferences:
    shape = np.shape(judged.estimate)
    place = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    over = np.full(shape, UNDECIDED, dtype=np.int8)
    return _joined(tuple(parts), np.full(shape, k, dtype=np.intp), place, granted, column, home, home, over)


def _joined(
    parts: tuple[Differences, ...],
    part: IntArray,
    place: IntArray,
    granted: GrantedAlphas,
    column: IntArray,
    home: float,
    pair_alpha: float,
    over: Codes,
) -> LookedDifferences:
    some = parts[0]

    def column_of(name: str) -> Any:
        if getattr(some, name) is None:
            return None
        values = np.empty(part.shape)
        for k, each in enumerate(parts):
            if np.any(part == k):
                own = np.broadcast_to(getattr(each, name), np.shape(each.estimate))
                values[part == k] = own if part.ndim == 0 else own[place[part == k]]
        return values

    return LookedDifferences(
        estimate=column_of("estimate"),
        n_units=column_of("n_units").astype(np.intp),
        kind=column_of("kind").astype(np.int8),
        tolerance=column_of("tolerance"),
        standard_error=column_of("standard_error"),
        df=column_of("df"),
        unit=some.unit,
        parts=parts,
        part=part,
        place=place,
        granted=granted,
        column=column,
        home=home,
        pair_alpha=pair_alpha,
        over=over,
    )


def forecast(table: PairTable) -> FloatArray | None:
    """Forecast probability that each pair's verdict is at the end of the plan what it is now; None without looks ahead.

    1 for a pair that is over, nan where its interval does not end. None for comparisons with the best, too, whose pairs have no
    verdicts.
    """
    end = _end_of_plan(table)
    if end is None or not table.is_family:
        return None
    return np.where(end.is_over, 1.0, np.where(end.is_known, _stays(table, end.estimate, end.half), np.nan))


def contenders_stay(table: PairTable, may_be_best: NDArray[np.bool_]) -> float | None:
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


def _end_of_plan(table: PairTable) -> _End | None:
    """The end of the plan if one more look is taken, at the whole of it; None where no look is ahead.

    The estimate then differs from that of now by Student's t with the variance ``se^2 (1 - t)``, given all that is known at the
    share t of the information and nothing before; its half-width is that of the last look.

    References
    ----------
    .. [1] D. Spiegelhalter, L. Freedman, P. Blackburn. Monitoring clinical trials: conditional or predictive power? Controlled
       Clinical Trials 7, 1986.
    """
    d = table.differences
    if not isinstance(d, LookedDifferences):
        return None
    t = d.granted.plan.taken[-1].fraction
    if t >= 1:
        return None
    df = np.full(d.part.shape, np.inf) if d.df is None else np.broadcast_to(np.asarray(d.df, dtype=float), d.part.shape)
    low, high = d.interval(d.pair_alpha)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = (high - low) / 2 / StudentDistribution(0.0, 1.0, df).interval(d.pair_alpha * d.share(d.pair_alpha)).high
        ends = {column: _half_width(*d.granted.at_the_end(d.pair_alpha, column)) for column in np.unique(d.column).tolist()}
        half = error * np.sqrt(t) * np.array([ends[column] for column in d.column.tolist()]).reshape(d.part.shape)
        last = StudentDistribution(d.estimate, error * np.sqrt(1 - t), df)
    return _End(last, half, np.isin(d.over, OVER), np.isfinite(error) & (error > 0))


def _half_width(alpha: float, df: float) -> float:
    """Half-width of an interval in standard errors."""
    return float(StudentDistribution(0.0, 1.0, df).interval(alpha).high)


def _stays(table: PairTable, last: StudentDistribution, half: FloatArray) -> FloatArray:
    """Probability that the last estimate lies where a half-width gives the verdict of now, for the verdicts of open pairs."""
    rope, verdict = table.rope, table.verdict

    def within(low: FloatArray, high: FloatArray) -> FloatArray:
        return np.asarray(np.where(high > low, last.tail_above(low) - last.tail_above(high), 0.0))

    room = rope - half  # of the estimate, for equivalence
    undecided = within(-half, half) - within(np.maximum(-room, -half), np.minimum(room, half))
    ahead = within(half, rope + half) - within(half, np.minimum(room, rope + half))
    behind = within(-rope - half, -half) - within(np.maximum(-room, -rope - half), -half)
    return np.select([verdict == UNDECIDED, verdict == AHEAD, verdict == BEHIND], [undecided, ahead, behind], np.nan)


def decided_at(plan: Looks, table: PairTable, models: tuple[str, ...]) -> Looks:
    """The plan with what its looks granted and decided.

    Raises
    ------
    ChangedLooksError
        An earlier look said otherwise than its data say now.
    """
    differences = table.differences
    if not isinstance(differences, LookedDifferences):
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


def _named(models: tuple[str, ...], table: PairTable, row: int, code: int) -> tuple[str, str, str]:
    """A pair with its verdict, the better model first, else in order of name; so that no order of rows changes it."""
    first, second = models[table.first[row]], models[table.second[row]]
    verdict = VERDICTS[code]
    if verdict == "worse":
        return second, first, "better"
    return (first, second, verdict) if verdict == "better" else (*sorted((first, second)), verdict)
