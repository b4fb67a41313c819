"""Bradley-Terry: abilities of models from who beat whom, with ties as half wins or by Davidson's model, and their bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.frequentist.pair_outcomes import PairOutcomes
from tiebreak.numerics import FloatArray, IntArray, Interval, check_count, check_probability, student_multiplier

TieModel = Literal["half", "davidson"]


@dataclass(frozen=True, slots=True)
class BradleyTerryResult:
    """Maximum-likelihood abilities; arrays of one shape.

    Attributes
    ----------
    log_ability : ndarray of shape (..., n_models)
        In log-odds: a model beats another with the probability 1 / (1 + exp(-difference)). They add up to 0 over the models that
        can be placed; a model that beat these, directly or through others, and never lost to them is at inf, one that only
        lost at -inf, and one that the results do not place at nan. All are nan where Davidson's model has no finite fit, as there
        are ties, and the wins form no circle.
    tie_parameter : ndarray of shape (...)
        Davidson's nu: two equal models tie with the probability nu / (2 + nu). 0 with ties as half wins.
    n_steps : int
        Newton steps that were made.
    """

    log_ability: FloatArray
    tie_parameter: FloatArray
    n_steps: int


def bradley_terry_mle(wins: ArrayLike, *, ties: ArrayLike | None = None, tie_model: TieModel = "half") -> BradleyTerryResult:
    """Abilities that make the results most probable, by Newton's method until nothing moves; no penalty is added.

    A finite answer exists where every two groups of models have beaten each other [F57]_, that is within a strongly connected
    part of the graph of wins. The largest such part is fitted, by number of models, then of battles; all others lie infinitely
    far above or below it, or cannot be placed.

    Parameters
    ----------
    wins : array_like of shape (..., n_models, n_models)
        How often the model of the row beat that of the column; not negative, need not be whole.
    ties : array_like of shape (..., n_models, n_models), optional
        How often they tied, symmetric.
    tie_model : {"half", "davidson"}
        A tie is half a win for either, or an outcome of its own [D70]_.

    Returns
    -------
    BradleyTerryResult

    Raises
    ------
    TooFewModelsError
        Fewer than two models.
    InvalidScoresError
        Numbers that are negative or not finite, a model that meets itself, or models in groups that never met.

    References
    ----------
    .. [BT52] R. Bradley, M. Terry. Rank analysis of incomplete block designs. Biometrika 39, 1952.
    .. [F57] L. Ford. Solution of a ranking problem from binary comparisons. American Mathematical Monthly 64, 1957.
    .. [D70] R. Davidson. On extending the Bradley-Terry model to accommodate ties. JASA 65, 1970.

    Examples
    --------
    >>> result = bradley_terry_mle([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    >>> [round(float(x), 4) for x in result.log_ability]
    [0.7406, -0.1491, -0.5915]
    """
    won, tied = _check_tables(wins, ties)
    check_tie_model(tie_model)
    groups = unconnected_groups((won + tied).reshape(-1, *won.shape[-2:]).sum(axis=0))
    if len(groups) > 1:
        named = "; ".join(", ".join(map(str, group)) for group in groups)
        raise InvalidScoresError(
            f"the models are in {len(groups)} groups that never met, so their abilities cannot be compared: {named}. Fit each "
            "group by itself, or add battles between them."
        )
    ability, nu, steps = _fit(won.reshape(-1, *won.shape[-2:]), tied.reshape(-1, *won.shape[-2:]), tie_model)
    return BradleyTerryResult(ability.reshape(won.shape[:-1]), nu.reshape(won.shape[:-2]), steps)


def unconnected_groups(met: FloatArray) -> list[list[int]]:
    """Groups of models with no battle between them, as numbers; one group is as it should be."""
    from scipy.sparse import csgraph

    n, label = csgraph.connected_components(met > 0, directed=False)
    return [np.flatnonzero(label == group).tolist() for group in range(n)]


def check_tie_model(tie_model: str) -> None:
    """One of the two ways to count a tie."""
    if tie_model not in get_args(TieModel):
        raise InvalidParameterError(f"ties are counted as 'half' wins or by 'davidson'; got {tie_model!r}.", about="ties")


def _check_tables(wins: ArrayLike, ties: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    won = np.asarray(wins, dtype=float)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=float)
    if won.ndim < 2 or won.shape[-1] != won.shape[-2] or tied.shape != won.shape:
        raise InvalidScoresError(
            f"wins and ties are square tables of the same shape, one row and column for each model; got the shapes {won.shape} "
            f"and {tied.shape}."
        )
    if won.shape[-1] < 2:
        raise TooFewModelsError(f"{won.shape[-1]} model(s), but at least 2 are needed to compare.")
    for name, table in (("wins", won), ("ties", tied)):
        if not np.all(np.isfinite(table)) or np.any(table < 0):
            raise InvalidScoresError(f"the numbers of {name} must be finite and not negative.")
        if np.any(np.diagonal(table, axis1=-2, axis2=-1)):
            raise InvalidScoresError(f"the table of {name} has a model that meets itself; its diagonal must be 0.")
    if not np.array_equal(tied, np.swapaxes(tied, -1, -2)):
        raise InvalidScoresError("the table of ties must be symmetric: both models of a tie have it.")
    return won, tied


# --- the fit --------------------------------------------------------------------------------------------------------


def _fit(
    won: FloatArray,
    tied: FloatArray,
    tie_model: TieModel,
    start: FloatArray | None = None,
    start_nu: float = 1.0,
    tolerance: float = 1e-6,
) -> tuple[FloatArray, FloatArray, int]:
    """Abilities (n_tables, n_models), tie parameters and steps; `start` is where Newton's method begins."""
    beat = (won + tied > 0).astype(np.float32)
    all_reached = (beat @ beat + beat + np.eye(won.shape[1], dtype=np.float32) > 0).all(axis=(1, 2))  # each other, in two steps
    place = np.zeros(won.shape[:2])
    for table in np.flatnonzero(~all_reached):
        place[table] = _places(won[table] + tied[table] / 2)
    if tie_model == "davidson":
        place[[_has_no_cycle(*tables) for tables in zip(won, tied, strict=True)]] = np.nan
    main = place == 0
    inside = main[:, :, None] & main[:, None, :]
    n = np.where(inside, won + won.swapaxes(1, 2) + tied, 0.0)
    n_ties = np.where(inside, tied, 0.0).sum(axis=(1, 2)) / 2 if tie_model == "davidson" else np.zeros(won.shape[0])
    all_tied = n_ties * 2 >= n.sum(axis=(1, 2))
    is_free = (n_ties > 0) & ~all_tied
    tables = _Tables(np.where(inside, won + tied / 2, 0.0), n, n_ties, is_free, main)
    theta = np.zeros(place.shape) if start is None else np.broadcast_to(start, place.shape)
    log_nu = np.full(won.shape[0], np.log(start_nu))
    theta, log_nu, steps = _newton(_centred(np.where(main, theta, 0.0), main), log_nu, tables, tolerance)
    nu = np.where(is_free, np.exp(log_nu), np.where(all_tied & (n_ties > 0), np.inf, 0.0))
    return np.where(main, theta, place), nu, steps


@dataclass(frozen=True, slots=True)
class _Tables:
    """Results of many tables, as the likelihood needs them.

    Attributes
    ----------
    score : ndarray of shape (n_tables, n_models, n_models)
        Wins and half of the ties of the row's model.
    n : ndarray of shape (n_tables, n_models, n_models)
        Battles.
    n_ties : ndarray of shape (n_tables,)
    is_free : ndarray of bool, shape (n_tables,)
        Tables whose tie parameter is fitted.
    main : ndarray of bool, shape (n_tables, n_models)
        Models that are fitted.
    """

    score: FloatArray
    n: FloatArray
    n_ties: FloatArray
    is_free: NDArray[np.bool_]
    main: NDArray[np.bool_]

    def of(self, rows: IntArray) -> _Tables:
        """Some of the tables."""
        if rows.size == self.n.shape[0]:
            return self
        return _Tables(self.score[rows], self.n[rows], self.n_ties[rows], self.is_free[rows], self.main[rows])


def _places(beat: FloatArray) -> FloatArray:
    """Place of each model: 0 in the largest part in which all have beaten each other, else inf, -inf or nan (not placed).

    Without a single largest part of two models or more, all are inf (they only won), -inf or nan.
    """
    from scipy.sparse import csgraph

    n, part = csgraph.connected_components(beat > 0, directed=True, connection="strong")
    if n == 1:
        return np.zeros(beat.shape[0])
    size, battles = np.bincount(part), np.bincount(part, (beat + beat.T).sum(axis=1))
    order = np.lexsort((battles, size))[::-1]
    first, second = order[0], order[1]
    reach = csgraph.shortest_path(np.ascontiguousarray(beat > 0, dtype=float), method="D", unweighted=True) < np.inf
    if size[first] < 2 or (size[first], battles[first]) == (size[second], battles[second]):
        above, below = (reach | ~reach.T).all(axis=1), (reach.T | ~reach).all(axis=1)
        above, below = above & ~below, below & ~above
        met = reach | reach.T
        return np.where(above & met.all(axis=1), np.inf, np.where(below & met.all(axis=1), -np.inf, np.nan))
    member = np.flatnonzero(part == first)[0]
    wins, loses = reach[:, member], reach[member, :]
    place = np.where(wins & ~loses, np.inf, np.where(loses & ~wins, -np.inf, np.nan))
    return np.where(part == first, 0.0, place)


def _has_no_cycle(won: FloatArray, tied: FloatArray) -> bool:
    """True where ties and wins are there but no model both won and lost within some circle of wins.

    Abilities may then move apart for ever, and the tie parameter with them, so that Davidson's model has no finite fit.
    """
    from scipy.sparse import csgraph

    n = csgraph.connected_components(np.ascontiguousarray(won > 0), directed=True, connection="strong")[0]
    return bool(tied.any() and won.any() and n == won.shape[0])


def _newton(theta: FloatArray, log_nu: FloatArray, tables: _Tables, tolerance: float) -> tuple[FloatArray, FloatArray, int]:
    """Newton's method for many tables at once; a step that overshoots is halved, the likelihood being concave.

    The error is about the square of the last step, so nothing is left to do after one below the tolerance.
    """
    active, size, n_steps = np.arange(theta.shape[0]), theta.shape[1], 0
    gradient, information = _derivatives(theta, log_nu, tables)
    while active.size and n_steps < _MOST_STEPS:
        n_steps += 1
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))[:, None]
        slope = np.einsum("bi,bi->b", gradient, step)
        moving = longest > tolerance
        for _ in range(60):
            trial, trial_nu = theta[active] + step[:, :size], log_nu[active] + step[:, size]
            if not moving.any():
                break
            gradient, information = _derivatives(trial, trial_nu, tables.of(active))
            too_far = np.einsum("bi,bi->b", gradient, step) < -0.5 * slope - 1e-12
            if not too_far.any():
                break
            step[too_far] /= 2
            slope[too_far] /= 2
        theta[active], log_nu[active] = trial, trial_nu
        active, gradient, information = active[moving], gradient[moving], information[moving]
    return _centred(theta, tables.main), log_nu, n_steps


def _derivatives(theta: FloatArray, log_nu: FloatArray, tables: _Tables) -> tuple[FloatArray, FloatArray]:
    """Gradient (n_tables, n_models + 1) and information of abilities and of log nu, which is fixed where it is not free.

    An outcome has the weights exp(d / 2), exp(-d / 2) and nu, d the difference of abilities: an exponential family with the
    statistics x = 1/2, -1/2, 0 and [tie], so the information is their covariance.
    """
    from scipy.special import expit

    size, d = theta.shape[1], theta[:, :, None] - theta[:, None, :]
    n, is_free, main = tables.n, tables.is_free, tables.main
    if is_free.any():
        half, side = np.exp(-np.abs(d)), np.sign(d)  # the loser's weight over the winner's, and who that is
        tie = np.where(is_free, np.exp(log_nu), 0.0)[:, None, None] * np.sqrt(half)
        total = 1.0 + half + tie
        p = (np.where(side > 0, 1.0, half) + tie / 2) / total
        variance = n * ((half + 0.25 * tie * (1 + half)) / np.square(total))
        tie = n * (tie / total)
    else:
        p = expit(d)
        variance, tie = n * p * p.swapaxes(1, 2), np.zeros_like(n[:, :1])
    gradient = np.empty((theta.shape[0], size + 1))
    lacking = tables.score * p.swapaxes(1, 2)  # score less its expectation, without cancellation where p is close to 1
    gradient[:, :size] = lacking.sum(axis=2) - lacking.sum(axis=1)
    gradient[:, size] = np.where(is_free, tables.n_ties - tie.sum(axis=(1, 2)) / 2, 0.0)
    information = np.empty((theta.shape[0], size + 1, size + 1))
    information[:, :size, :size] = -variance
    i = np.arange(size)
    largest = variance.sum(axis=2)
    # all abilities may move together, and what is not fitted stays where it is
    shift = largest.max(axis=1, initial=0.0)[:, None, None] / size + np.where(n.any(axis=(1, 2)), 0.0, 1.0)[:, None, None]
    information[:, :size, :size] += shift * (main[:, :, None] & main[:, None, :])
    information[:, i, i] += largest + np.where(main, 0.0, 1.0)
    cross = np.where(is_free[:, None], -((p - 0.5) * tie).sum(axis=2), 0.0)
    information[:, size, :size] = information[:, :size, size] = cross
    chance = tie / np.maximum(n if is_free.any() else 1.0, 1e-300)
    information[:, size, size] = np.where(is_free, (tie * (1 - chance)).sum(axis=(1, 2)) / 2, 1.0)
    return gradient, information


def _centred(theta: FloatArray, main: NDArray[np.bool_]) -> FloatArray:
    mean = np.where(main, theta, 0.0).sum(axis=1) / np.maximum(main.sum(axis=1), 1)
    return np.where(main, theta - mean[:, None], theta)


_MOST_STEPS, _LONGEST_STEP = 500, 4.0
"""Newton steps at most, and the largest change of an ability in one."""


# --- bootstrap ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BradleyTerryBootstrap:
    """Abilities with their uncertainty over further datasets, clusters or battles.

    Attributes
    ----------
    log_ability : ndarray of shape (n_models,)
        As in `BradleyTerryResult`.
    tie_parameter : float
    draws : ndarray of shape (n_bootstrap, n_models)
        Of resamples of the units, fitted to about 1e-6, each centred on the models that it places. A model that one does
        not place at a finite ability has inf, -inf or nan there.
    standard_error : ndarray of shape (n_models, n_models)
        Of the differences, robust to what battles of a unit share (sandwich estimate); nan where one of the two is not finite.
    own_error : ndarray of shape (n_models,)
        Likewise, of the ability itself, which is a difference to the mean of all that are finite.
    n_units : int
    """

    log_ability: FloatArray
    tie_parameter: float
    draws: FloatArray
    standard_error: FloatArray
    own_error: FloatArray
    n_units: int
    _records: dict[int, tuple[FloatArray, FloatArray]]

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
        from scipy.special import ndtr

        alpha = 1 - check_probability(level, "level")
        n = max(self.n_units, 2)
        tail = float(ndtr(-np.sqrt(n / (n - 1)) * student_multiplier(alpha, n - 1)))
        with np.errstate(invalid="ignore"):  # inf - inf: neither is placed
            draws = self.draws if against is None else self.draws - self.draws[:, [against]]
        low = _quantile(np.where(np.isnan(draws), -np.inf, draws), tail)
        high = _quantile(np.where(np.isnan(draws), np.inf, draws), 1 - tail)
        for i in np.flatnonzero(~np.isfinite(self.log_ability)):
            zero = 0.0 if against is None else self.log_ability[against]
            low[i], high[i] = (end - zero for end in self._open_interval(int(i), alpha / 2))
        if against is not None:
            low[against] = high[against] = 0.0
        return Interval(low, high)

    def rank_intervals(self, level: float = 0.95) -> Interval:
        """Ranks that hold for all models at once with the confidence `level`; 1 is the best.

        A model's rank is at least 1 plus the models shown better, and at most the number of models less those shown worse. All
        differences are judged at once: the critical value is the quantile of the largest absolute error over its standard error,
        over all pairs in the resamples, carried over to Student's t with n_units - 1 degrees of freedom. Pairs that a resample
        does not place are left out of its largest; a model that more than (1 - level) / 2 of the resamples do not place is shown
        neither better nor worse.
        """
        level = check_probability(level, "level")
        shown = self.shown_better(level)
        n = self.log_ability.size
        return Interval(1 + shown.sum(axis=0), n - shown.sum(axis=1))

    def shown_better(self, level: float = 0.95) -> NDArray[np.bool_]:
        """True where the model of the row is shown better than that of the column, all pairs judged at once."""
        critical, tail = self._critical(level)
        finite = np.isfinite(self.log_ability)
        loose = self.n_unplaced > (1 - level) / 2 * self.draws.shape[0]
        with np.errstate(invalid="ignore"):
            difference = self.log_ability[:, None] - self.log_ability
            shown = difference > critical * self.standard_error
            low, high = self.log_ability - critical * self.own_error, self.log_ability + critical * self.own_error
        for i in np.flatnonzero(~finite):
            low[i], high[i] = self._open_interval(int(i), tail)
        apart = low[:, None] > high
        either = ~finite[:, None] | ~finite
        shown = np.where(either, apart, shown & ~(loose[:, None] | loose))
        return np.asarray(shown & ~(either & ((loose & finite)[:, None] | (loose & finite))))

    def _critical(self, level: float) -> tuple[float, float]:
        """Multiplier of the standard errors of all differences at once, and the share in each tail that it amounts to."""
        from scipy.special import ndtr

        largest = np.zeros(self.draws.shape[0])
        for b, draw in enumerate(self.draws):
            here = np.flatnonzero(np.isfinite(draw) & np.isfinite(self.log_ability))
            error = draw[here] - self.log_ability[here]
            ratio = np.abs(error[:, None] - error) / np.maximum(self.standard_error[np.ix_(here, here)], 1e-300)
            largest[b] = ratio[~np.eye(here.size, dtype=bool)].max(initial=0.0)
        tail = max(float(ndtr(-_quantile(largest[:, None], level)[0])), 1e-300)
        return float(student_multiplier(2 * tail, max(self.n_units - 1, 1))), tail

    def _open_interval(self, i: int, tail: float) -> tuple[float, float]:
        """Interval of a model without a finite ability: open on its side, and where its record has the probability `tail`."""
        sign = self.log_ability[i]
        if np.isnan(sign) or i not in self._records:
            return -np.inf, np.inf
        others, weight = self._records[i]
        low, high = -1e3, 1e3
        for _ in range(80):
            middle = (low + high) / 2
            # log-probability of the record at this ability: every battle won (or lost)
            log_probability = -float(weight @ np.logaddexp(0.0, others - middle))
            low, high = (low, middle) if log_probability > np.log(tail) else (middle, high)
        end = (low + high) / 2
        return (end, np.inf) if sign > 0 else (-np.inf, -end)


def bradley_terry_bootstrap(
    outcomes: PairOutcomes, *, tie_model: TieModel = "half", n_bootstrap: int = 1000, rng: int = 0
) -> BradleyTerryBootstrap:
    """Abilities, and those of bootstrap resamples of the units.

    Parameters
    ----------
    outcomes : PairOutcomes
        From `outcomes_of_scores` or `outcomes_of_battles`.
    tie_model : {"half", "davidson"}
    n_bootstrap : int
    rng : int
        Seed; the same seed gives the same answer.

    Raises
    ------
    InvalidScoresError
        Models in groups that never met, or no finite fit of Davidson's model.
    """
    n_bootstrap = check_count(n_bootstrap, "n_bootstrap")
    won, tied = outcomes.tables()
    fit = bradley_terry_mle(won[0], ties=tied[0], tie_model=tie_model)
    ability, nu = fit.log_ability, float(fit.tie_parameter)
    if np.isnan(ability).all() and tie_model == "davidson":
        raise InvalidScoresError(
            "Davidson's model has no finite fit, as the wins form no circle: of every two models only one ever won, directly or "
            "through others. Count ties as half wins."
        )
    finite = np.isfinite(ability)
    start = np.where(finite, ability, 0.0)
    draws = []
    for won_again, tied_again in outcomes.resamples(n_bootstrap, rng):
        again, _, _ = _fit(won_again, tied_again, tie_model, start, nu if 0 < nu < np.inf else 1.0, 1e-3)
        both = np.isfinite(again) & finite
        shift = np.where(both, ability - np.where(both, again, 0.0), 0.0).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
        draws.append(again + shift[:, None])
    covariance = _sandwich(outcomes, ability, nu, won + won.swapaxes(1, 2) + tied, tie_model)
    variance = np.diagonal(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))
    records = {i: _record(i, outcomes, ability, won[0]) for i in np.flatnonzero(np.isinf(ability)).tolist()}
    return BradleyTerryBootstrap(
        ability, nu, np.concatenate(draws), error, np.sqrt(np.maximum(variance, 0.0)), outcomes.n_units, records
    )


def _sandwich(outcomes: PairOutcomes, ability: FloatArray, nu: float, n: FloatArray, tie_model: TieModel) -> FloatArray:
    """Covariance of the abilities, robust to dependence within units; nan rows for those that are not finite."""
    from scipy.sparse import csr_array

    finite = np.isfinite(ability)
    theta, main = np.where(finite, ability, 0.0)[None], finite[None]
    inside = main[:, :, None] & main[:, None, :]
    is_free = np.array([tie_model == "davidson" and 0 < nu < np.inf])
    log_nu = np.array([np.log(nu) if is_free[0] else 0.0])
    tables = _Tables(np.zeros(n.shape), np.where(inside, n, 0.0), np.zeros(1), is_free, main)
    information = _derivatives(theta, log_nu, tables)[1]
    first, second = outcomes.first, outcomes.second
    here = finite[first] & finite[second]
    d = theta[0, first] - theta[0, second]
    factor = nu if is_free[0] else 0.0
    total = 2 * np.cosh(d / 2) + factor
    p_win, p_tie = np.exp(d / 2) / total + factor / total / 2, factor / total
    size = ability.size
    scores = np.zeros((size + 1, outcomes.multiplicity.size))
    sign = csr_array((np.tile([1.0, -1.0], first.size), np.stack([first, second], axis=1).ravel(), 2 * np.arange(first.size + 1)))
    for start in range(0, first.size, 512):
        rows = np.arange(start, min(start + 512, first.size))[here[start : start + 512]]
        won, lost, tied = (_dense(table[rows]) for table in (outcomes.wins, outcomes.losses, outcomes.ties))
        played = won + lost + tied
        scores[: sign.shape[1]] += sign[rows].T @ (won + tied / 2 - played * p_win[rows, None])
        scores[size] += (tied - played * p_tie[rows, None]).sum(axis=0) if is_free[0] else 0.0
    units = outcomes.n_units
    meat = (scores * outcomes.multiplicity) @ scores.T * (units / max(units - 1, 1))
    bread = np.linalg.inv(information[0])
    covariance = (bread @ meat @ bread)[:size, :size]
    return np.where(finite[:, None] & finite, covariance, np.nan)


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


def _quantile(values: FloatArray, probability: float) -> FloatArray:
    """Order statistic of each column, the outer one where the quantile lies between two; infinite values are in order too."""
    ordered, n = np.sort(values, axis=0), values.shape[0]
    place = probability * (n + 1) - 1
    index = int(np.floor(place + 1e-9)) if probability < 0.5 else int(np.ceil(place - 1e-9))
    return np.asarray(ordered[min(max(index, 0), n - 1)])
