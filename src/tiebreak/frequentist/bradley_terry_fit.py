"""The maximum of the Bradley-Terry likelihood, with ties by Davidson's model, from pairs that met; many tables at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.numerics import FloatArray, IntArray

TieModel = Literal["half", "davidson"]


def fit_abilities(
    graph: PairGraph,
    outcomes: tuple[FloatArray, FloatArray, FloatArray],
    tie_model: TieModel,
    start: FloatArray | None = None,
    start_nu: float = 1.0,
    tolerance: float = 1e-6,
) -> tuple[FloatArray, FloatArray, int]:
    """Abilities (n_tables, n_models), tie parameters and steps; `outcomes` are wins, losses and ties, (n_tables, n_pairs) each.

    `start` is where Newton's method begins. Where the graph has a position, the log-odds by which it favours the first of two
    equal models stand in the place of the tie parameter (and `start_nu` is where these begin); ties are half wins then.
    """
    won, lost, tied = outcomes
    scored, conceded = won + tied / 2, lost + tied / 2
    place = np.zeros((won.shape[0], graph.n_models))
    exchanged = ((scored > 0) & (conceded > 0)).astype(float)
    in_doubt = (graph.totals(exchanged) < graph.n_models - 1).all(axis=1)  # nobody both beat and lost to all others
    if in_doubt.any():
        place[in_doubt] = _places(graph, scored[in_doubt], conceded[in_doubt])
    if tie_model == "davidson":
        inside = _both(place == 0, graph)
        place[_drift_apart(graph, *(np.where(inside, counted, 0.0) for counted in outcomes))] = np.nan
    main = place == 0
    inside = _both(main, graph)
    n = np.where(inside, won + lost + tied, 0.0)
    n_ties = np.where(inside, tied, 0.0).sum(axis=1) if tie_model == "davidson" else np.zeros(won.shape[0])
    all_tied = n_ties >= n.sum(axis=1)
    is_free = np.asarray(n.any(axis=1) if graph.has_position else (n_ties > 0) & ~all_tied)
    tables = PairTables(np.where(inside, scored, 0.0), np.where(inside, conceded, 0.0), n, n_ties, is_free, main)
    theta = np.zeros(place.shape) if start is None else np.broadcast_to(start, place.shape)
    log_nu = np.full(won.shape[0], start_nu if graph.has_position else np.log(start_nu))
    theta, log_nu, steps = _newton(graph, _centred(np.where(main, theta, 0.0), main), log_nu, tables, tolerance)
    if graph.has_position:
        return np.where(main, theta, place), np.where(is_free, log_nu, 0.0), steps
    nu = np.where(is_free, np.exp(log_nu), np.where(all_tied & (n_ties > 0), np.inf, 0.0))
    return np.where(main, theta, place), nu, steps


def _both(main: NDArray[np.bool_], graph: PairGraph) -> NDArray[np.bool_]:
    return main[:, graph.first] & main[:, graph.second]


@dataclass(frozen=True, slots=True)
class PairGraph:
    """Pairs of models that met in any table.

    Attributes
    ----------
    n_models : int
    first, second : ndarray of int, shape (n_pairs,)
    sign : sparse array of shape (n_models, n_pairs)
        1 for the first model of a pair, -1 for the second.
    order : ndarray of int, shape (n_models,), or None
        Place of each model in an elimination that leaves the information sparse; None where few numbers of it would be 0.
    has_position : bool
        True where whoever stands first may be favoured: pairs are ordered, and one parameter more is fitted.
    """

    n_models: int
    first: IntArray
    second: IntArray
    sign: Any
    order: IntArray | None
    has_position: bool = False

    @classmethod
    def of(cls, n_models: int, first: IntArray, second: IntArray, *, has_position: bool = False) -> PairGraph:
        """The graph, with the way in which its equations are solved."""
        from scipy.sparse import csr_array

        ends, pairs = np.concatenate([first, second]), np.tile(np.arange(first.size), 2)
        sign = csr_array((np.repeat([1.0, -1.0], first.size), (ends, pairs)), shape=(n_models, first.size))
        order = None
        if n_models >= _FEW_MODELS and first.size < n_models**2 / 16:
            diagonal = np.bincount(ends, minlength=n_models).astype(float) + 1
            factor = _factor(np.ones(first.size), diagonal, first, second, "MMD_AT_PLUS_A")
            if factor.L.nnz < _FILLED * n_models:
                order = np.asarray(factor.perm_c)
        return cls(n_models, first, second, sign, order, has_position)

    @property
    def width(self) -> int:
        """Numbers that a table takes."""
        return self.n_models**2 if self.order is None else self.n_models + self.first.size

    @property
    def is_dense(self) -> bool:
        """True of many models of which a good part of all pairs met."""
        return self.n_models >= _FEW_MODELS and self.first.size > self.n_models**2 / 8

    def totals(self, pairs: FloatArray) -> FloatArray:
        """Sum for each model over its pairs, of numbers of shape (n_tables, n_pairs)."""
        return np.asarray((abs(self.sign) @ pairs.T).T)

    def balances(self, pairs: FloatArray) -> FloatArray:
        """Sums over the pairs of each model, with the sign turned where the model is the second of the pair."""
        return np.asarray((self.sign @ pairs.T).T)


@dataclass(frozen=True, slots=True)
class PairTables:
    """Results of many tables, as the likelihood needs them.

    Attributes
    ----------
    scored, conceded : ndarray of shape (n_tables, n_pairs)
        Wins and half of the ties of the first and of the second model.
    n : ndarray of shape (n_tables, n_pairs)
        Battles.
    n_ties : ndarray of shape (n_tables,)
    is_free : ndarray of bool, shape (n_tables,)
        Tables whose tie parameter is fitted.
    main : ndarray of bool, shape (n_tables, n_models)
        Models that are fitted.
    """

    scored: FloatArray
    conceded: FloatArray
    n: FloatArray
    n_ties: FloatArray
    is_free: NDArray[np.bool_]
    main: NDArray[np.bool_]

    def of(self, rows: IntArray) -> PairTables:
        """Some of the tables."""
        if rows.size == self.n.shape[0]:
            return self
        scored, conceded, n, n_ties = (values[rows] for values in (self.scored, self.conceded, self.n, self.n_ties))
        return PairTables(scored, conceded, n, n_ties, self.is_free[rows], self.main[rows])


def _places(graph: PairGraph, scored: FloatArray, conceded: FloatArray) -> FloatArray:
    """Place of each model: 0 in the largest part in which all have beaten each other, else inf, -inf or nan (not placed).

    Without a single largest part of two models or more, those are at inf that beat all others, directly or through others, and
    lost to none of them; likewise -inf.
    """
    n_tables, size = scored.shape[0], graph.n_models
    winner, loser, n_parts, part = _parts(graph, scored > 0, conceded > 0)
    if n_parts == n_tables:
        return np.zeros((n_tables, size))
    table = np.empty(n_parts, dtype=np.int64)  # of each part
    table[part] = np.repeat(np.arange(n_tables), size)
    models, battles = np.bincount(part), np.bincount(part, graph.totals(scored + conceded).ravel())
    ranked = np.lexsort((battles, models, table))
    last = np.flatnonzero(np.append(np.diff(table[ranked]) > 0, True))  # the largest part of each table, in order of the tables
    largest, second = ranked[last], ranked[np.maximum(last - 1, 0)]
    rivals = (table[second] == table[largest]) & (second != largest)
    rivals &= (models[second] == models[largest]) & (battles[second] == battles[largest])
    has_main = (models[largest] >= 2) & ~rivals
    # those that reach a table's main part, and those that it reaches, all tables at once
    member = np.unique(part, return_index=True)[1][largest[has_main]]
    wins, loses = (_reached(tails, heads, member, part.size) for tails, heads in ((loser, winner), (winner, loser)))
    place = np.where(wins & loses, 0.0, np.where(wins, np.inf, np.where(loses, -np.inf, np.nan))).reshape(n_tables, size)
    if not has_main.all():
        # without one: the only part that nobody outside it beat, and the only one that beat nobody outside it
        across = part[winner] != part[loser]
        ends = np.zeros((2, n_parts), dtype=bool)
        ends[0, part[loser[across]]] = ends[1, part[winner[across]]] = True
        top, bottom = (~end & (np.bincount(table[~end], minlength=n_tables) == 1)[table] for end in ends)
        value = np.where(top & ~bottom, np.inf, np.where(bottom & ~top, -np.inf, np.nan))
        place[~has_main] = value[part].reshape(n_tables, size)[~has_main]
    return place


def _parts(graph: PairGraph, forward: NDArray[np.bool_], backward: NDArray[np.bool_]) -> tuple[IntArray, IntArray, int, IntArray]:
    """Winners and losers in all tables side by side; in how many parts all have beaten each other; the part of each model."""
    from scipy.sparse import csgraph, csr_array

    size = graph.n_models
    (table, pair), (other, turned) = np.nonzero(forward), np.nonzero(backward)
    winner = np.concatenate([table * size + graph.first[pair], other * size + graph.second[turned]])
    loser = np.concatenate([table * size + graph.second[pair], other * size + graph.first[turned]])
    n = forward.shape[0] * size
    beat = csr_array((np.ones(winner.size), (winner, loser)), shape=(n, n))
    n_parts, part = csgraph.connected_components(beat, directed=True, connection="strong")
    return winner, loser, int(n_parts), part


def _reached(tails: IntArray, heads: IntArray, starts: IntArray, n: int) -> NDArray[np.bool_]:
    """True for the starts and for all to which a path from one of them leads."""
    from scipy.sparse import csgraph, csr_array

    tails, heads = np.append(tails, np.full(starts.size, n)), np.append(heads, starts)  # one more, before all starts
    graph = csr_array((np.ones(tails.size), (tails, heads)), shape=(n + 1, n + 1))
    reached = np.zeros(n + 1, dtype=bool)
    reached[csgraph.breadth_first_order(graph, n, return_predecessors=False)] = True
    return reached[:n]


def _drift_apart(graph: PairGraph, won: FloatArray, lost: FloatArray, tied: FloatArray) -> NDArray[np.bool_]:
    """True where Davidson's model has no finite fit, as abilities may move apart for ever, and the tie parameter with them.

    While log nu grows by 1/2, no outcome that was seen becomes less probable if each winner moves at least 1 up from the loser,
    and two that tied at most 1 apart. That can be done unless some circle of pairs has more wins, all in its direction, than
    ties; where it cannot, nothing may move without end, and the likelihood, being concave, has its maximum.
    """
    from scipy.sparse import csgraph, csr_array

    _, _, n_parts, part = _parts(graph, won > 0, lost > 0)
    in_circle = np.bincount(part, minlength=n_parts)[part].reshape(won.shape[0], -1).max(axis=1) > 1  # of wins alone
    drifts = tied.any(axis=1) & (won.any(axis=1) | lost.any(axis=1)) & ~in_circle
    for table in np.flatnonzero(drifts):
        beat, was_beaten, tie = won[table] > 0, lost[table] > 0, tied[table] > 0
        there, back = beat | tie, was_beaten | tie
        length = np.concatenate([np.where(beat, -1.0, 1.0)[there], np.where(was_beaten, -1.0, 1.0)[back]])
        tails, heads = (
            np.concatenate([one[there], other[back]]) for one, other in ((graph.first, graph.second), (graph.second, graph.first))
        )
        met, numbers = np.unique([tails, heads], return_inverse=True)
        rows, columns = numbers.reshape(2, -1).astype(np.int32)  # which the graphs of older SciPy take alone
        try:
            csgraph.bellman_ford(csr_array((length, (rows, columns)), shape=(met.size, met.size)), indices=0)
        except csgraph.NegativeCycleError:
            drifts[table] = False
    return np.asarray(drifts)


def _newton(
    graph: PairGraph, theta: FloatArray, log_nu: FloatArray, tables: PairTables, tolerance: float
) -> tuple[FloatArray, FloatArray, int]:
    """Newton's method for many tables at once; a step that overshoots is halved, the likelihood being concave.

    The error is about the square of the last step, so nothing is left to do after one below the tolerance.
    """
    active, size, n_steps = np.arange(theta.shape[0]), theta.shape[1], 0
    found = derivatives(graph, theta, log_nu, tables)
    while active.size and n_steps < _MOST_STEPS:
        n_steps += 1
        step = _step(graph, found, tables.main[active])
        longest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))[:, None]
        slope = np.einsum("bi,bi->b", found.gradient, step)
        moving = longest > tolerance
        for _ in range(60):
            trial, trial_nu = theta[active] + step[:, :size], log_nu[active] + step[:, size]
            if not moving.any():
                break
            found = derivatives(graph, trial, trial_nu, tables.of(active))
            too_far = np.einsum("bi,bi->b", found.gradient, step) < -0.5 * slope - 1e-12
            if not too_far.any():
                break
            step[too_far] /= 2
            slope[too_far] /= 2
        if graph.has_position:  # beyond, the first wins always, as far as these battles go
            moving = moving & (np.abs(trial_nu) < MOST_BIAS)
            trial_nu = np.clip(trial_nu, -MOST_BIAS, MOST_BIAS)
        theta[active], log_nu[active] = trial, trial_nu
        active, found = active[moving], found.of(moving)
    return _centred(theta, tables.main), log_nu, n_steps


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Slopes and information of the log-likelihood of each table, by the abilities and log nu, which is fixed unless free.

    Attributes
    ----------
    gradient : ndarray of shape (n_tables, n_models + 1)
        Of the abilities, and of log nu.
    variance : ndarray of shape (n_tables, n_pairs)
        Information of the pair's difference.
    cross : ndarray of shape (n_tables, n_models)
        Information that the abilities share with log nu.
    own : ndarray of shape (n_tables,)
        Information of log nu.
    """

    gradient: FloatArray
    variance: FloatArray
    cross: FloatArray
    own: FloatArray

    def of(self, rows: NDArray[np.bool_]) -> Derivatives:
        """Derivatives of some of the tables."""
        if rows.all():
            return self
        return Derivatives(self.gradient[rows], self.variance[rows], self.cross[rows], self.own[rows])


def derivatives(graph: PairGraph, theta: FloatArray, log_nu: FloatArray, tables: PairTables) -> Derivatives:
    """Gradient and information.

    An outcome has the weights exp(d / 2), exp(-d / 2) and nu, d the difference of abilities: an exponential family with the
    statistics x = 1/2, -1/2, 0 and [tie], so the information is their covariance.
    """
    from scipy.special import expit

    d = theta[:, graph.first] - theta[:, graph.second]
    n, is_free = tables.n, tables.is_free
    gradient = np.zeros((theta.shape[0], graph.n_models + 1))
    cross, own = np.zeros(theta.shape), np.ones(theta.shape[0])
    if graph.has_position:
        d = d + log_nu[:, None]
        p, q = expit(d), expit(-d)
        variance = n * p * q
        gradient[:, -1] = np.where(is_free, (tables.scored * q - tables.conceded * p).sum(axis=1), 0.0)
        cross = np.where(is_free[:, None], graph.balances(variance), 0.0)
        own = np.where(is_free, variance.sum(axis=1), 1.0)
    elif is_free.any():
        half = np.exp(-np.abs(d))  # the loser's weight over the winner's
        tie = np.where(is_free, np.exp(log_nu), 0.0)[:, None] * np.sqrt(half)
        total = 1.0 + half + tie
        p, q = (np.where(ahead, 1.0, half) for ahead in (d > 0, d < 0))
        p, q = (p + tie / 2) / total, (q + tie / 2) / total
        variance = n * ((half + 0.25 * tie * (1 + half)) / np.square(total))
        chance = tie / total
        tie = n * chance
        gradient[:, -1] = np.where(is_free, tables.n_ties - tie.sum(axis=1), 0.0)
        cross = np.where(is_free[:, None], -graph.balances((p - 0.5) * tie), 0.0)
        own = np.where(is_free, (tie * (1 - chance)).sum(axis=1), 1.0)
    else:
        p, q = expit(d), expit(-d)
        variance = n * p * q
    # score less its expectation, without cancellation where p is close to 1
    gradient[:, :-1] = graph.balances(tables.scored * q - tables.conceded * p)
    return Derivatives(gradient, variance, cross, own)


def _step(graph: PairGraph, found: Derivatives, main: NDArray[np.bool_]) -> FloatArray:
    """Newton's step (n_tables, n_models + 1): the information's inverse times the gradient, log nu being eliminated last."""
    solve = _solve_dense if graph.order is None else _solve_sparse
    has_cross = bool(found.cross.any())
    right = np.stack([found.gradient[:, :-1], found.cross] if has_cross else [found.gradient[:, :-1]], axis=2)
    solved = solve(graph, found.variance, main, right)
    step, own, lacking = np.empty(found.gradient.shape), found.own, found.gradient[:, -1]
    if has_cross:
        own = own - np.einsum("bi,bi->b", found.cross, solved[:, :, 1])
        lacking = lacking - np.einsum("bi,bi->b", found.cross, solved[:, :, 0])
    # what the abilities leave of it is nothing where no pair tells the position from them, as in some resamples
    step[:, -1] = np.where(own > _LEAST_SHARE * found.own, lacking / np.where(own > 0, own, 1.0), 0.0)
    step[:, :-1] = solved[:, :, 0]
    if has_cross:
        step[:, :-1] -= solved[:, :, 1] * step[:, -1:]
    return step


def _solve_dense(graph: PairGraph, variance: FloatArray, main: NDArray[np.bool_], right: FloatArray) -> FloatArray:
    """Solution of the abilities' equations for each table, (n_tables, n_models, n_sides), centred."""
    return solve_information(information_of(graph, variance, main), right)


def solve_information(information: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of the equations; some outcomes may be so sure that nothing is known of a direction, and it is 0 there."""
    try:
        return np.asarray(np.linalg.solve(information, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(information, hermitian=True) @ right)


def information_of(graph: PairGraph, variance: FloatArray, main: NDArray[np.bool_]) -> FloatArray:
    """Information of the abilities, (n_tables, n_models, n_models), and of their sum, as they may all move together.

    What is not fitted stays where it is.
    """
    size, i, largest = graph.n_models, np.arange(graph.n_models), graph.totals(variance)
    shift = largest.max(axis=1, initial=0.0) / size
    shift += np.where(shift > 0, 0.0, 1.0)
    information = np.where(main[:, :, None] & main[:, None, :], shift[:, None, None], 0.0)
    information[:, graph.first, graph.second] -= variance
    information[:, graph.second, graph.first] -= variance
    information[:, i, i] += largest + np.where(main, 0.0, 1.0)
    return information


def _solve_sparse(graph: PairGraph, variance: FloatArray, main: NDArray[np.bool_], right: FloatArray) -> FloatArray:
    """Solution by elimination in an order that leaves zeros alone, all tables side by side in one matrix."""
    places = np.full(main.shape, -1)
    back = np.argsort(np.asarray(graph.order))
    table, place = np.nonzero(main[:, back])
    places[table, back[place]] = np.arange(table.size)
    largest = graph.totals(variance)
    held = np.argmax(main, axis=1)  # one model of each table is held, as all may move together
    some = np.arange(main.shape[0])
    diagonal = largest.copy()
    diagonal[some, held] += np.maximum(largest.max(axis=1, initial=0.0), 1e-300)
    edge, pair = np.nonzero(variance)
    ends = places[edge, graph.first[pair]], places[edge, graph.second[pair]]
    there = places[main]
    ordered = np.empty(there.size)
    ordered[there] = diagonal[main]
    sides = np.empty((there.size, right.shape[2]))
    sides[there] = right[main]
    solved = np.zeros(right.shape)
    try:
        solved[main] = _factor(variance[edge, pair], ordered, *ends, "NATURAL").solve(sides)[there]
    except RuntimeError:  # singular, as it may be where some outcomes are all but sure
        return _solve_dense(graph, variance, main, right)
    mean = solved.sum(axis=1, keepdims=True) / np.maximum(main.sum(axis=1), 1)[:, None, None]
    return np.where(main[:, :, None], solved - mean, right)


def _factor(variance: FloatArray, diagonal: FloatArray, first: IntArray, second: IntArray, order: str) -> Any:
    """Sparse factors of a symmetric matrix with a dominant diagonal."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    i = np.arange(diagonal.size)
    values = np.concatenate([-variance, -variance, diagonal])
    matrix = csc_array((values, (np.concatenate([first, second, i]), np.concatenate([second, first, i]))), shape=(i.size, i.size))
    return splu(matrix, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def _centred(theta: FloatArray, main: NDArray[np.bool_]) -> FloatArray:
    mean = np.where(main, theta, 0.0).sum(axis=1) / np.maximum(main.sum(axis=1), 1)
    return np.where(main, theta - mean[:, None], theta)


_MOST_STEPS, _LONGEST_STEP = 500, 4.0
"""Newton steps at most, and the largest change of an ability in one."""

MOST_BIAS = 12.0
"""Log-odds of the first of two equal models beyond which it wins always, for all that battles can say."""

_LEAST_SHARE = 1e-9

_FEW_MODELS, _FILLED = 60, 20
"""Models from which on elimination of a sparse system may pay, and its entries for each of them up to which it does."""
