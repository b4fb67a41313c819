"""Bootstrap of Bradley-Terry abilities over datasets, clusters or battles: intervals of abilities and of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist.bradley_terry import bradley_terry_mle
from tiebreak.frequentist.bradley_terry_fit import (
    MOST_BIAS,
    PairGraph,
    PairTables,
    TieModel,
    derivatives,
    fit_abilities,
    information_of,
    solve_information,
)
from tiebreak.frequentist.pair_outcomes import PairOutcomes
from tiebreak.numerics import (
    FloatArray,
    IntArray,
    Interval,
    check_count,
    check_probability,
    divide,
    student_multiplier,
)
from tiebreak.statistics.influence import freedom_of_parts

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class BradleyTerryBootstrap:
    """Abilities with their uncertainty over further datasets, clusters or battles.

    Attributes
    ----------
    log_ability : ndarray of shape (n_models,)
        As in `BradleyTerryResult`.
    tie_parameter : float
    draws : ndarray of shape (n_resamples, n_models)
        Of resamples of the units, fitted to about 1e-6, each centred on the models that it places. A model that one does
        not place at a finite ability has inf, -inf or nan there.
    standard_error : ndarray of shape (n_models, n_models)
        Of the differences, robust to what battles of a unit share (sandwich estimate); nan where one of the two is not finite.
    own_error : ndarray of shape (n_models,)
        Likewise, of the ability itself, which is a difference to the mean of all that are finite.
    n_units : int
    by_unit : UnitErrors
        Errors for Student's intervals without resamples.
    position, position_error : float
        Log-odds by which the first of two equal models is favoured, and their standard error; nan where they are not fitted.
    position_draws : ndarray of shape (n_bootstrap,)
        Those of the resamples.
    """

    log_ability: FloatArray
    tie_parameter: float
    draws: FloatArray
    standard_error: FloatArray
    own_error: FloatArray
    n_units: int
    by_unit: UnitErrors
    position: float
    position_error: float
    position_draws: FloatArray
    _records: dict[int, tuple[FloatArray, FloatArray]]
    _sweeps: FloatArray

    @property
    def n_unplaced(self) -> IntArray:
        """Number of resamples that leave each model without a finite ability."""
        return np.asarray(np.sum(~np.isfinite(self.draws), axis=0))

    def confidence_interval(self, level: float = 0.95, *, against: int | None = None) -> Interval:
        """Percentile intervals of the abilities, expanded for few units [H15]_; log-odds, shape (n_models,) each.

        With `against`, the number of a model with a finite ability, they are of the differences to that model.

        A resample without a finite ability of a model counts as an extreme: inf and -inf as they are, and one that does not place
        it as -inf for the lower end and inf for the upper. So a model that such resamples hit often enough has an open end. A
        model that never lost has the end inf, and as the other one the ability at which winning every time would have the
        probability (1 - level) / 2; likewise one that never won.

        References
        ----------
        .. [H15] T. Hesterberg. What teachers should know about the bootstrap. The American Statistician 69, 2015.
        """
        alpha = 1 - check_probability(level, "level")
        low, high = self._percentiles(self._expanded_tail(alpha), against)
        for i in np.flatnonzero(~np.isfinite(self.log_ability)):
            zero = 0.0 if against is None else self.log_ability[against]
            low[i], high[i] = (end - zero for end in self._open_interval(int(i), alpha / 2))
        if against is not None:
            low[against] = high[against] = 0.0
        return Interval(low, high)

    def _percentiles(self, tail: float, against: int | None) -> tuple[FloatArray, FloatArray]:
        """Percentiles of the abilities, or of their differences to a model; 0 where they are but for rounding."""
        with np.errstate(invalid="ignore"):  # inf - inf: neither is placed
            draws = self.draws if against is None else self.draws - self.draws[:, [against]]
        low = _quantile(np.where(np.isnan(draws), -np.inf, draws), tail)
        high = _quantile(np.where(np.isnan(draws), np.inf, draws), 1 - tail)
        # resamples with as many wins as losses
        return np.where(np.abs(low) < _ZERO, 0.0, low), np.where(np.abs(high) < _ZERO, 0.0, high)

    def interval_of_sweep(self, one: int, two: int, alpha: float) -> tuple[float, float]:
        """Interval of the difference of two models without finite abilities, in log-odds, from the battles of the two alone.

        Where one won all of n of them its probability to win is at least ``(alpha / 2)^(1 / n)`` (Clopper and Pearson).
        """
        ends = []
        for n in (float(self._sweeps[one, two]), float(self._sweeps[two, one])):
            least = (alpha / 2) ** (1 / n) if n else 0.0
            ends.append(float(np.log(least) - np.log1p(-least)) if n else -np.inf)
        return ends[0], -ends[1]

    def _expanded_tail(self, alpha: float) -> float:
        """Share of the resamples beyond either end of an interval, less than half of alpha for few units [H15]_."""
        from scipy.special import ndtr

        n = max(self.n_units, 2)
        return float(ndtr(-np.sqrt(n / (n - 1)) * student_multiplier(alpha, n - 1)))

    def rank_intervals(self, level: float = 0.95) -> Interval:
        """Ranks that hold for all models at once with the confidence `level`; 1 is the best.

        A model's rank is at least 1 plus the models shown better, and at most the number of models less those shown worse. All
        differences are judged at once: the critical value is the quantile of the largest absolute error over its standard error,
        over all pairs in the resamples, carried over to Student's t with n_units - 1 degrees of freedom. Pairs that a resample
        does not place are left out of its largest; differences to a model that more than (1 - level) / 2 of the resamples do not
        place are read off percentiles at that level. Where neither of two models has a finite ability, one is better that won
        all of their battles, if they are so many that equal models would hardly do so (sign test).
        """
        level = check_probability(level, "level")
        shown = self.shown_better(level)
        n = self.log_ability.size
        return Interval(1 + shown.sum(axis=0), n - shown.sum(axis=1))

    def shown_better(self, level: float = 0.95) -> NDArray[np.bool_]:
        """True where the model of the row is shown better than that of the column, all pairs judged at once.

        Of two models it is read off the interval of their difference.
        """
        if self.log_ability.size == 2 and np.isfinite(self.log_ability).all():
            low, high = self.confidence_interval(level, against=1)
            return np.array([[False, low[0] > 0], [high[0] < 0, False]])
        critical, tail = self._critical(level)
        half, own = critical * self.standard_error, critical * self.own_error
        loose = self.n_unplaced > (1 - level) / 2 * self.draws.shape[0]
        sweep_tail = (1 - level) / (self.log_ability.size * (self.log_ability.size - 1))
        shown = self._shown(half, own, tail, sweep_tail, loose)
        finite = np.flatnonzero(np.isfinite(self.log_ability))
        for i in finite[loose[finite]]:
            low, high = self._percentiles(self._expanded_tail(2 * tail), int(i))
            shown[finite, i], shown[i, finite] = low[finite] > 0, high[finite] < 0
        return shown

    def shown_better_alone(self, alpha: float) -> NDArray[np.bool_]:
        """True where Student's interval of a difference by itself, which leaves out alpha, lies above 0; no resample is used."""
        size = self.log_ability.size
        one, two = np.triu_indices(size, 1)
        half = np.full((size, size), np.nan)
        half[one, two] = half[two, one] = self._student_half(self._contrasts(one, two), alpha)
        own = self._student_half(np.eye(size), alpha)
        return self._shown(half, own, alpha / 2, alpha / 2, np.zeros(size, dtype=bool))

    def student_interval(self, alpha: float, *, against: int | None = None) -> Interval:
        """Student's intervals that leave out alpha, of the abilities or of their differences to a model; no resample is used.

        A model without a finite ability has the ends that `confidence_interval` gives it.
        """
        zero = 0.0 if against is None else self.log_ability[against]
        every = np.arange(self.log_ability.size)
        half = self._student_half(np.eye(every.size) if against is None else self._contrasts(every, against), alpha)
        with np.errstate(invalid="ignore"):  # inf - inf, of those that follow
            low, high = self.log_ability - zero - half, self.log_ability - zero + half
        for i in np.flatnonzero(~np.isfinite(self.log_ability)):
            low[i], high[i] = (end - zero for end in self._open_interval(int(i), alpha / 2))
        if against is not None:
            low[against] = high[against] = 0.0
        return Interval(low, high)

    def difference_of(self, one: IntArray, two: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Differences of pairs of models, their standard errors and degrees of freedom; no resample is used."""
        with np.errstate(invalid="ignore"):
            difference = self.log_ability[one] - self.log_ability[two]
        return difference, *self.by_unit.of(self._contrasts(one, two))

    def position_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Percentile interval of the position, as those of the abilities; log-odds."""
        tail = self._expanded_tail(1 - level)
        ends = (_quantile(self.position_draws[:, None], each) for each in (tail, 1 - tail))
        low, high = (float(end[0]) for end in ends)
        return low, high

    def student_position(self, alpha: float) -> tuple[float, float]:
        """Student's interval of the position that leaves out alpha; no resample is used."""
        contrast = np.zeros((1, self.log_ability.size + 1))
        contrast[0, -1] = 1.0
        half = float(self._student_half(contrast, alpha)[0])
        return self.position - half, self.position + half

    def _contrasts(self, one: IntArray, two: IntArray | int) -> FloatArray:
        """Differences of models as sums of parameters, shape (n, n_models)."""
        unit = np.eye(self.log_ability.size)
        return np.asarray(unit[one] - unit[two])

    def _student_half(self, contrasts: FloatArray, alpha: float) -> FloatArray:
        """Half-widths of Student's intervals; infinite where there is no error."""
        error, df = self.by_unit.of(contrasts)
        return np.where(np.isnan(error), np.inf, student_multiplier(alpha, df) * error)

    def _shown(
        self, half: FloatArray, own: FloatArray, tail: float, sweep_tail: float, loose: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Pairs whose difference exceeds its half-width; `loose` are models that are shown neither better nor worse.

        `tail` is that of an open interval, and `sweep_tail` that of a pair without any finite ability.
        """
        finite = np.isfinite(self.log_ability)
        with np.errstate(invalid="ignore"):
            difference = self.log_ability[:, None] - self.log_ability
            shown = difference > half
            low, high = self.log_ability - own, self.log_ability + own
        for i in np.flatnonzero(~finite):
            low[i], high[i] = self._open_interval(int(i), tail)
        apart = low[:, None] > high
        either, neither = ~finite[:, None] | ~finite, ~finite[:, None] & ~finite
        shown = np.where(either, apart, shown & ~(loose[:, None] | loose))
        shown &= ~(either & ((loose & finite)[:, None] | (loose & finite)))
        return np.asarray(shown | (neither & (self._sweeps * np.log(0.5) <= np.log(sweep_tail))))

    def _critical(self, level: float) -> tuple[float, float]:
        """Multiplier of the standard errors of all differences at once, and the share in each tail that it amounts to."""
        from scipy.special import ndtr

        placed = np.flatnonzero(np.isfinite(self.log_ability))
        if placed.size < 2:  # no difference to take a quantile of: all pairs share what is left out
            tail = (1 - level) / (self.log_ability.size * (self.log_ability.size - 1))
            return float(student_multiplier(2 * tail, max(self.n_units - 1, 1))), tail
        error = self.draws[:, placed] - self.log_ability[placed]
        error[~np.isfinite(error)] = np.nan
        precision = 1 / np.maximum(self.standard_error[np.ix_(placed, placed)], 1e-9)  # below is rounding
        largest = np.zeros(self.draws.shape[0])
        for i in range(placed.size - 1):
            apart = np.abs(error[:, i + 1 :] - error[:, [i]]) * precision[i, i + 1 :]
            np.fmax(largest, np.fmax.reduce(apart, axis=1), out=largest)  # which leaves nan out
        tail = max(float(ndtr(-_quantile(largest[:, None], level)[0])), 1e-300)
        return float(student_multiplier(2 * tail, max(self.n_units - 1, 1))), tail

    def _open_interval(self, i: int, tail: float) -> tuple[float, float]:
        """Interval of a model without a finite ability: open on its side, and where its record has the probability `tail`."""
        sign = self.log_ability[i]
        if np.isnan(sign) or i not in self._records:
            return -np.inf, np.inf
        others, weight = self._records[i]
        if not others.size:  # nothing with a finite ability to compare it with
            return -np.inf, np.inf
        low, high = -1e3, 1e3
        for _ in range(80):
            middle = (low + high) / 2
            # log-probability of the record at this ability: every battle won (or lost)
            log_probability = -float(weight @ np.logaddexp(0.0, others - middle))
            low, high = (low, middle) if log_probability > np.log(tail) else (middle, high)
        end = (low + high) / 2
        return (end, np.inf) if sign > 0 else (-np.inf, -end)


@dataclass(frozen=True)
class UnitErrors:
    """Errors of sums of abilities, from what each unit adds to them.

    Where units are single battles their squares are added up, with n_units - 1 degrees of freedom. Clusters may hold very
    different numbers of battles, and one with many draws the fit towards itself, which hides its own error: so what is squared is
    by how much the sum would change without the cluster, in one step from the fit (the jackknife; CV3 in [MNW23]_).

    Attributes
    ----------
    scores : sparse array of shape (n_models + 1, n_units)
        Slopes of the log-likelihood of each unit, in the abilities and the position.
    bread : ndarray of shape (n_models + 1, n_models + 1)
        Inverse of the information of all.
    design : sparse array of shape (n_models + 1, n_pairs)
        Parameters of which the log-odds of each pair are the sum.
    information : sparse array of shape (n_pairs, n_units)
        Of the battles of each unit, in the log-odds of each pair.
    multiplicity : ndarray of shape (n_units,)
    is_known : ndarray of bool, shape (n_models + 1,)
        False for models without a finite ability.
    is_clustered : bool
        True where some unit holds more than one battle.

    References
    ----------
    .. [MNW23] J. MacKinnon, M. Nielsen, M. Webb. Fast and reliable jackknife and bootstrap methods for cluster-robust inference.
       Journal of Applied Econometrics 38, 2023.
    """

    scores: Any
    bread: FloatArray
    design: Any
    information: Any
    multiplicity: IntArray
    is_known: NDArray[np.bool_]
    is_clustered: bool

    def of(self, contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Standard errors and degrees of freedom of sums of abilities, and of the position as one parameter more.

        Parameters
        ----------
        contrasts : ndarray of shape (n, n_models) or (n, n_models + 1)
            A row for each sum.
        """
        n_units = int(self.multiplicity.sum())
        factor = n_units / max(n_units - 1, 1)
        rows = np.zeros((len(contrasts), len(self.bread)))
        rows[:, : contrasts.shape[1]] = contrasts
        error, df = np.empty(len(rows)), np.full(len(rows), max(n_units - 1.0, 1.0))
        step = max(1, _NUMBERS // max(self.scores.shape[1], self.design.shape[1]))
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            reach = rows[some] @ self.bread
            parts = rows[some] @ self._changes[0] if self.is_clustered else (self.scores.T @ reach.T).T
            total = np.square(parts) @ self.multiplicity
            error[some] = np.sqrt(total / factor if self.is_clustered else total * factor)
            if self.is_clustered:
                share = (self.information.T @ np.square(self.design.T @ reach.T)).T
                parts, share = (np.repeat(each, self.multiplicity, axis=1) for each in (parts, share))
                df[some] = freedom_of_parts(parts, divide(share, share.sum(axis=1, keepdims=True)))
        is_lost = (rows[:, ~self.is_known] != 0).any(axis=1)
        for inverse in self._changes[1] if self.is_clustered else ():
            variance, without = (np.einsum("ni,ij,nj->n", rows, each, rows) for each in (self.bread, inverse))
            is_lost |= without > _BLIND * variance
        return np.where(is_lost, np.nan, error), np.maximum(df, 1.0)

    @cached_property
    def _changes(self) -> tuple[FloatArray, list[FloatArray]]:
        """Change of each parameter by leaving out each unit, shape (n_models + 1, n_units): (information of the others)^-1 score.

        As a series in the share of the unit, and solved where that is not small. And the inverse information of the others, where
        they know next to nothing of some sum.
        """
        from scipy.sparse import csr_array

        first = np.asarray(self.bread @ self.scores)
        leverage = self.information.T @ np.asarray(self.design.multiply(self.bread @ self.design).sum(axis=0)).ravel()
        held, found, blind = self.information.tocoo(), first, []
        for _ in range(_SERIES):
            slopes = csr_array((held.data * self._along(found, held.row, held.col), (held.row, held.col)), shape=held.shape)
            found = first + self.bread @ (self.design @ slopes)
        for unit in np.flatnonzero(leverage > _SMALL_LEVERAGE):
            own = (self.design.multiply(self.information[:, [unit]].toarray().T) @ self.design.T).toarray()
            without = np.eye(len(self.bread)) - (1 - _ALMOST) * self.bread @ own
            solved = np.linalg.solve(without, np.column_stack([first[:, unit], self.bread]))
            found[:, unit] = solved[:, 0]
            if np.any(np.diagonal(solved[:, 1:]) > _BLIND * np.diagonal(self.bread)):
                blind.append(solved[:, 1:])
        return found, blind

    def _along(self, parameters: FloatArray, pair: IntArray, unit: IntArray) -> FloatArray:
        """Log-odds of pairs by the parameters of units."""
        design = self.design.tocsc()
        found = np.zeros(pair.size)
        for place in range(int(np.diff(design.indptr).max(initial=0))):
            at = design.indptr[pair] + place
            is_there = at < design.indptr[pair + 1]
            at = at[is_there]
            found[is_there] += design.data[at] * parameters[design.indices[at], unit[is_there]]
        return found


_SERIES, _SMALL_LEVERAGE = 8, 0.2
"""Terms of the series for units with a leverage up to so much, of which each is at most a fifth of the one before."""

_ALMOST, _BLIND = 1e-9, 1e6
"""Part of a unit's information that stays when it is left out, and growth of a variance by which nothing else knows of a sum."""


def bradley_terry_bootstrap(
    outcomes: PairOutcomes, *, tie_model: TieModel = "half", n_resamples: int = 1000, rng: int = 0
) -> BradleyTerryBootstrap:
    """Abilities, and those of bootstrap resamples of the units.

    Parameters
    ----------
    outcomes : PairOutcomes
        From `outcomes_of_scores` or `outcomes_of_battles`.
    tie_model : {"half", "davidson"}
    n_resamples : int
    rng : int
        Seed; the same seed gives the same answer.

    Raises
    ------
    InvalidScoresError
        Models in groups that never met, or no finite fit of Davidson's model.
    """
    n_resamples = check_count(n_resamples, "n_resamples")
    won, tied = outcomes.tables()
    graph = PairGraph.of(outcomes.n_models, outcomes.first, outcomes.second, has_position=outcomes.is_ordered)
    if outcomes.is_ordered:
        abilities, sides, _ = fit_abilities(graph, outcomes.sums(outcomes.once), "half", start_nu=0.0)
        ability, nu = abilities[0], float(sides[0])
    else:
        fit = bradley_terry_mle(won[0], ties=tied[0], tie_model=tie_model)
        ability, nu = fit.log_ability, float(fit.tie_parameter)
    if np.isnan(ability).all() and tie_model == "davidson":
        raise InvalidScoresError(
            "Davidson's model has no finite fit, as the wins form no circle, nor do wins with fewer ties: of every two models "
            "only one ever won, directly or through others. Count ties as half wins."
        )
    finite = np.isfinite(ability)
    draws, positions = [], []
    for again, extra in _resampled_fits(graph, outcomes, ability, nu, tie_model, n_resamples, rng):
        positions.append(extra)
        both = np.isfinite(again) & finite
        shift = np.where(both, ability - np.where(both, again, 0.0), 0.0).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
        draws.append(again + shift[:, None])
    by_unit, covariance, extra_error = _sandwich(graph, outcomes, ability, nu, tie_model)
    variance = np.diagonal(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))
    sweeps = _sweeps(outcomes, ability)
    records = {i: _record(i, outcomes, ability, won[0]) for i in np.flatnonzero(np.isinf(ability)).tolist()}
    has_position = outcomes.is_ordered
    return BradleyTerryBootstrap(
        ability,
        0.0 if has_position else nu,
        np.concatenate(draws),
        error,
        np.sqrt(np.maximum(variance, 0.0)),
        outcomes.n_units,
        by_unit,
        nu if has_position else float("nan"),
        extra_error if has_position else float("nan"),
        np.concatenate(positions),
        records,
        sweeps,
    )


def _resampled_fits(
    graph: PairGraph, outcomes: PairOutcomes, ability: FloatArray, nu: float, tie_model: TieModel, n_resamples: int, rng: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Abilities of resamples, and their positions or tie parameters, in blocks."""
    from threadpoolctl import threadpool_limits

    finite = np.isfinite(ability)
    start = np.where(finite, ability, 0.0)
    start_nu = nu if outcomes.is_ordered or 0 < nu < np.inf else 1.0
    if not (graph.is_dense and tie_model == "half" and finite.all() and np.ptp(ability) < _MODERATE):
        for drawn in outcomes.resamples(n_resamples, rng, graph.width):
            yield fit_abilities(graph, drawn, tie_model, start, start_nu, 1e-3)[:2]
        return
    played = np.zeros((ability.size, ability.size))
    played[graph.first, graph.second] = np.sum(outcomes.sums(outcomes.once), axis=0)[0]
    dense = DenseFit(played, ability, nu if graph.has_position else None)
    with threadpool_limits(
        1, "blas"
    ):  # tables of one resample are too small to be shared by threads, which would wait for each other
        for table in outcomes.resampled_tables(n_resamples, rng):
            found = dense.fit(table)
            if found is None:
                won, lost, tied = table[:, None, graph.first, graph.second]
                yield fit_abilities(graph, (won, lost, tied), tie_model, start, start_nu, 1e-3)[:2]
            else:
                yield found[0][None], np.array(found[1:])


def _sandwich(
    graph: PairGraph, outcomes: PairOutcomes, ability: FloatArray, nu: float, tie_model: TieModel
) -> tuple[UnitErrors, FloatArray, float]:
    """Errors by unit, and covariance of the abilities, robust to dependence within units; nan for those that are not finite.

    And the standard error of the position, or of log nu.
    """
    from scipy.sparse import csr_array, vstack

    finite = np.isfinite(ability)
    theta, first, second = np.where(finite, ability, 0.0), outcomes.first, outcomes.second
    here = finite[first] & finite[second]
    is_free = graph.has_position or (tie_model == "davidson" and 0 < nu < np.inf)
    side = nu if graph.has_position else 0.0
    n = np.where(here, sum(outcomes.sums(outcomes.once)), 0.0)
    tables = PairTables(np.zeros(n.shape), np.zeros(n.shape), n, np.zeros(1), np.array([is_free]), finite[None])
    found = derivatives(
        graph, theta[None], np.array([side or (np.log(nu) if is_free and not graph.has_position else 0.0)]), tables
    )
    size = ability.size
    information = np.empty((size + 1, size + 1))
    information[:size, :size] = information_of(graph, found.variance, finite[None])[0]
    information[:size, size] = information[size, :size] = found.cross[0]
    information[size, size] = found.own[0]
    d = theta[first] - theta[second] + side
    factor = nu if is_free and not graph.has_position else 0.0
    total = 2 * np.cosh(d / 2) + factor
    p_win, p_tie = np.exp(d / 2) / total + factor / total / 2, factor / total
    rows = np.flatnonzero(here)
    won, lost, tied = (csr_array(table[rows]) for table in (outcomes.wins, outcomes.losses, outcomes.ties))
    p_win, p_tie = p_win[rows], (p_tie + 0 * d)[rows]
    residual = _times(1 - p_win, won) - _times(p_win, lost) + _times(0.5 - p_win, tied)
    of_last = np.zeros(outcomes.multiplicity.size)
    if graph.has_position:
        of_last = residual.sum(axis=0)
    elif is_free:
        of_last = (_times(1 - p_tie, tied) - _times(p_tie, won + lost)).sum(axis=0)
    scores = vstack([graph.sign[:, rows] @ residual, csr_array(np.atleast_2d(of_last))], format="csr")
    last = np.ones((1, rows.size)) if graph.has_position else np.zeros((1, rows.size))
    design = vstack([graph.sign[:, rows], csr_array(last)], format="csr")
    battles = won + lost + tied
    information_by_unit, is_clustered = _times(p_win * (1 - p_win), battles), bool(battles.sum(axis=0).max(initial=0) > 1)
    units = outcomes.n_units
    meat = (scores.multiply(outcomes.multiplicity) @ scores.T).toarray() * (units / max(units - 1, 1))
    bread = solve_information(information, np.eye(size + 1))
    covariance = bread @ meat @ bread
    extra = float(np.sqrt(max(covariance[size, size], 0.0)))
    is_known = np.append(finite, True)
    by_unit = UnitErrors(scores, bread, design, information_by_unit, outcomes.multiplicity, is_known, is_clustered)
    return by_unit, np.where(finite[:, None] & finite, covariance[:size, :size], np.nan), extra


def _times(factor: FloatArray, table: Any) -> Any:
    """The rows of a sparse table, each times its factor."""
    from scipy.sparse import csr_array

    number = np.diff(table.indptr)
    return csr_array((table.data * np.repeat(factor, number), table.indices, table.indptr), shape=table.shape)


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=float)


def _record(i: int, outcomes: PairOutcomes, ability: FloatArray, won: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Opponents' abilities and weights of the battles with them, of a model that only won (or, turned, only lost).

    The battles of a unit are not independent, so together they count as one.
    """
    sign = 1.0 if ability[i] > 0 else -1.0
    battles = won[i] if sign > 0 else won[:, i]
    opponents = np.flatnonzero((battles > 0) & np.isfinite(ability))
    mine = (outcomes.first == i) | (outcomes.second == i)
    rows = np.flatnonzero(mine)
    units = sum(_dense(table[rows]) for table in (outcomes.wins, outcomes.losses, outcomes.ties))
    n_units = float(outcomes.multiplicity[np.asarray(units).any(axis=0)].sum())
    total = float((won[i] + won[:, i]).sum())
    share = min(1.0, n_units / total) if total else 1.0  # one that only tied has no battles to weigh
    return sign * ability[opponents], battles[opponents] * share


def _sweeps(outcomes: PairOutcomes, ability: FloatArray) -> FloatArray:
    """Number of units in which two models without finite abilities met, where the model of the row won all of their battles."""
    is_open = ~np.isfinite(ability)
    won, lost, tied = (
        np.asarray((table > 0) @ outcomes.multiplicity) for table in (outcomes.wins, outcomes.losses, outcomes.ties)
    )
    found, against = np.zeros((2, ability.size, ability.size))
    np.add.at(found, (outcomes.first, outcomes.second), won)
    np.add.at(found, (outcomes.second, outcomes.first), lost)
    np.add.at(against, (outcomes.first, outcomes.second), tied)
    against += against.T + found.T
    return np.where((against == 0) & is_open & is_open[:, None], found, 0.0)


def _quantile(values: FloatArray, probability: float) -> FloatArray:
    """Order statistic of each column, the outer one where the quantile lies between two; infinite values are in order too."""
    ordered, n = np.sort(values, axis=0), values.shape[0]
    place = probability * (n + 1) - 1
    index = int(np.floor(place + 1e-9)) if probability < 0.5 else int(np.ceil(place - 1e-9))
    return np.asarray(ordered[min(max(index, 0), n - 1)])


# --- resamples of many models, most of which met -----------------------------------------------------------------------------


class DenseFit:
    """Abilities in one resample after the other, with ties as half wins.

    Resamples differ little from the table that they are drawn from, so each step is the slopes times the inverse of that table's
    information, which is Newton's method with one matrix for all; some eight of these take as long as three with a matrix of
    their own. The first ones are in single precision, the last ones in double.

    Parameters
    ----------
    played : ndarray of shape (n_models, n_models)
        Battles of each two models; the model of the row is the first.
    ability : ndarray of shape (n_models,)
        Of the table; all finite.
    position : float or None
        Log-odds by which the first of two equal models is favoured, where they are fitted.
    """

    def __init__(self, played: FloatArray, ability: FloatArray, position: float | None) -> None:
        size = ability.size
        self._ability, self._position = ability, position or 0.0
        self._probability = _probability(np.exp(ability), self._position)
        variance = played * self._probability * (1 - self._probability)
        rows, columns = variance.sum(axis=1), variance.sum(axis=0)
        information = np.zeros((size + 1, size + 1))
        # and of their sum, as all may move together
        information[:size, :size] = np.diag(rows + columns) - variance - variance.T + (rows + columns).max() / size
        information[:size, size] = information[size, :size] = rows - columns
        information[size, size] = rows.sum()
        fitted = size + (position is not None)
        self._inverse = np.zeros((size + 1, size + 1))
        self._inverse[:fitted, :fitted] = np.linalg.inv(information[:fitted, :fitted])
        # tables to work in, as memory that is asked for anew costs as much as all of the rest
        self._doubles: Numbers = np.empty((2, size, size))
        self._singles: Numbers = np.empty((2, size, size), dtype=np.float32)

    def fit(self, table: FloatArray) -> tuple[FloatArray, float] | None:
        """Abilities and position in a table of wins, losses and ties of the row's model; None where the general method is needed.

        That is where steps do not come to an end: some model has no finite ability, or one far from that of the table as a whole.
        """
        wins, losses, ties = table
        n, expected = self._doubles
        np.add(np.add(wins, losses, out=n), ties, out=n)
        self._singles[0] = n
        one = np.ones(self._ability.size)
        of_first = wins @ one + ties @ one / 2
        # of each model what it scored, less the battles in which it stood second; and of all that stood first
        balance, of_all_first = of_first + one @ losses + one @ ties / 2 - one @ n, of_first.sum()
        ability, position, slope, is_exact = self._ability, self._position, np.empty(one.size + 1), True
        np.multiply(n, self._probability, out=expected)
        for _ in range(_MOST_STEPS):
            of_each: Numbers = one.astype(expected.dtype, copy=False)
            first, second = expected @ of_each, of_each @ expected
            slope[:-1], slope[-1] = balance - first + second, of_all_first - first.sum(dtype=float)
            step = self._inverse @ slope
            longest = float(np.abs(step).max())
            if not longest < _LONGEST_STEP:
                return None
            ability, position = ability + step[:-1], position + float(step[-1])
            if is_exact and longest < _TOLERANCE:
                return (ability, position) if abs(position) < MOST_BIAS else None
            is_exact = longest < _NEAR
            n, expected = self._doubles if is_exact else self._singles
            np.multiply(n, _probability(np.exp(ability).astype(n.dtype), position, expected), out=expected)
        return None


def _probability(weight: Numbers, position: float, out: Numbers | None = None) -> Numbers:
    """Probability that the model of the row, as the first, beats that of the column; weights are exponentials of abilities."""
    own = weight[:, None]
    total: Numbers = np.add(own, weight * weight.dtype.type(np.exp(-position)), out=out)
    np.divide(own, total, out=total)
    return total


_MOST_STEPS, _LONGEST_STEP = 30, 2.0
"""Steps, and the longest one that is taken. Where some models have no finite ability the thirtieth is still about 1 / 30 long."""

_NEAR, _TOLERANCE = 1e-4, 2e-7
"""Steps from which on slopes are in double precision, and one after which nothing is left to do."""

_ZERO = 1e-6
"""Log-odds that are 0 but for the precision to which resamples are fitted."""

_NUMBERS = 2_000_000
"""Numbers at a time (16 MB) in which errors of differences are worked out."""

_MODERATE = 20.0
"""Range of abilities, in log-odds, up to which probabilities keep enough digits in single precision."""
