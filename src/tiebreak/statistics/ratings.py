"""Bradley-Terry: abilities of models from who beat whom, with errors that allow for what battles of a cluster share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph, csr_array
from scipy.special import chdtrc, expit

from tiebreak.errors import DataError
from tiebreak.numerics import (
    FloatArray,
    IntArray,
    Interval,
    Law,
    bisected,
    blocks,
    check_array,
    check_count,
    check_number,
    check_probability,
    check_rows,
    check_weights,
    divide,
    floats,
    group_codes,
    student,
)

MOST_BIAS = 12.0
"""Log-odds of the first of two equal models beyond which it wins always, for all that battles can say."""

_MOST_STEPS, _LONGEST_STEP, _TOLERANCE = 500, 4.0, 1e-6
"""Newton steps at most, the largest change of an ability in one, and a step after which the error is its square."""

_MOST_MODELS = 10_000
"""Models: what is counted of each two of them takes some 100 bytes."""

_LIGHT = 0.03
"""Share of a cluster in all that is known up to which it is the bound of its share in every ability, which is not worked out."""

_NUMBERS = 4_000_000
"""Numbers at a time (32 MB) in which shares of clusters are worked out."""


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Abilities of highest likelihood, with their errors over further battles or clusters of them.

    Attributes
    ----------
    log_ability : ndarray of shape (n_models,)
        In log-odds: a model beats another with the probability 1 / (1 + exp(-difference)). They add up to 0 over the models that
        can be placed; a model that beat these, directly or through others, and never lost to them is at inf, one that only
        lost at -inf, and one that the results do not place at nan.
    position : float
        Log-odds by which the first of two equal models is favoured; nan where it was not asked for. `MOST_BIAS` or its negative
        where the same side won always.
    error : ndarray of shape (n_models, n_models)
        Standard errors of the differences; nan where there is none, as of models without a finite ability or a single cluster.
    own_error : ndarray of shape (n_models,)
        Likewise, of the ability itself, which is a difference to the mean of all that are finite.
    df : ndarray of shape (n_models,)
        Degrees of freedom of Student's intervals; a difference has the fewer of its two models.
    position_error, position_df : float
    n_units : int
        Battles, or clusters of them.
    wins, ties : ndarray of shape (n_models, n_models)
        Sums of weights: how often the model of the row beat that of the column, and how often they tied.
    swept : ndarray of shape (n_models, n_models)
        Number of units in which two models without finite abilities met, where the model of the row won all of their battles.
    units_met : ndarray of shape (n_models,)
        Number of units in which each model without a finite ability met others.
    """

    log_ability: FloatArray
    position: float
    error: FloatArray
    own_error: FloatArray
    df: FloatArray
    position_error: float
    position_df: float
    n_units: int
    wins: FloatArray
    ties: FloatArray
    swept: FloatArray
    units_met: IntArray

    def crossed(self, other: BradleyTerry, alone: BradleyTerry) -> BradleyTerry:
        """These abilities with errors by clusters of two kinds, as judges and questions, which are crossed [CGM11]_.

        Squares of both add up, less those of single battles, which both have.

        References
        ----------
        .. [CGM11] A. C. Cameron, J. Gelbach, D. Miller. Robust inference with multiway clustering. Journal of Business & Economic
           Statistics 29, 2011.
        """
        errors = {}
        for name in ("error", "own_error", "position_error"):
            one, two, both = (np.square(getattr(each, name)) for each in (self, other, alone))
            errors[name] = np.sqrt(np.fmax(one + two - both, np.fmax(one, two)))
        return replace(self, **errors, df=np.minimum(self.df, other.df))

    def law(self, first: ArrayLike, second: ArrayLike) -> Law:
        """Student's law of the differences of pairs of models, in log-odds; undefined where one has no finite ability."""
        one, two = np.asarray(first), np.asarray(second)
        with np.errstate(invalid="ignore"):  # inf - inf
            difference = self.log_ability[one] - self.log_ability[two]
        return student(difference, self.error[one, two], np.minimum(self.df[one], self.df[two]), n_units=self.n_units)

    def interval(self, level: float = 0.95, *, against: int | None = None) -> Interval:
        """Student's intervals of the abilities, in log-odds, of shape (n_models,) each.

        With `against`, the number of a model with a finite ability, they are of the differences to that model. A model that
        never lost has the end inf, and as the other one the ability at which winning every time would have the probability
        (1 - level) / 2; likewise one that never won. One that is not placed has two open ends.
        """
        zero, every = 0.0 if against is None else self.log_ability[against], np.arange(self.log_ability.size)
        law = student(self.log_ability, self.own_error, self.df) if against is None else self.law(every, against)
        low, high = law.interval(check_probability(level, "level"))
        low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
        for i in np.flatnonzero(~np.isfinite(self.log_ability)):
            low[i], high[i] = (end - zero for end in self._open_interval(int(i), (1 - level) / 2))
        if against is not None:
            low[against] = high[against] = 0.0
        return Interval(low, high)

    def difference_interval(self, one: int, two: int, level: float = 0.95) -> tuple[float, float]:
        """Interval of the difference of two models, in log-odds.

        Of two without finite abilities it is read off the battles of the two alone: where one won all of n of them its
        probability to win is at least ``((1 - level) / 2)^(1 / n)`` (Clopper and Pearson).
        """
        if np.isfinite(self.log_ability[two]):
            every = self.interval(level, against=two)
            return float(every.low[one]), float(every.high[one])
        if np.isfinite(self.log_ability[one]):
            low, high = self.difference_interval(two, one, level)
            return -high, -low
        ends = []
        for n in (float(self.swept[one, two]), float(self.swept[two, one])):
            least = ((1 - level) / 2) ** (1 / n) if n else 0.0
            ends.append(float(np.log(least) - np.log1p(-least)) if n else -np.inf)
        return ends[0], -ends[1]

    def shown_better(self, level: float = 0.95) -> NDArray[np.bool_]:
        """True where the model of the row is shown better than that of the column, all pairs together at `level`.

        Each of the n (n - 1) / 2 pairs has its part of 1 - level (Bonferroni). Where neither of two models has a finite ability,
        one is better that won all of their battles, if they are so many that equal models would hardly do so (sign test).
        """
        n = self.log_ability.size
        alpha = 2 * (1 - check_probability(level, "level")) / (n * (n - 1))
        multiplier = student(np.zeros(n), np.ones(n), self.df).end(alpha / 2, upper=True)  # for each model, not for each pair
        finite = np.isfinite(self.log_ability)
        low, high = self.interval(1 - alpha)
        with np.errstate(invalid="ignore"):
            shown = self.log_ability[:, None] - self.log_ability > np.maximum(multiplier[:, None], multiplier) * self.error
        is_swept = self.swept * np.log(0.5) <= np.log(alpha / 2)
        shown = np.where(finite[:, None] & finite, shown, low[:, None] > high)
        return np.asarray(shown | (~finite[:, None] & ~finite & is_swept))

    def rank_interval(self, level: float = 0.95) -> Interval:
        """Ranks that hold for all models at once with the confidence `level`; 1 is the best.

        A model's rank is at least 1 plus the models shown better, and at most the number of models less those shown worse.
        """
        shown = self.shown_better(level)
        return Interval(1 + shown.sum(axis=0), self.log_ability.size - shown.sum(axis=1))

    def _open_interval(self, i: int, tail: float) -> tuple[float, float]:
        """Interval of a model without a finite ability: open on its side, and where its record has the probability `tail`.

        The battles of a cluster are not independent, so together they count as one.
        """
        sign = float(np.sign(self.log_ability[i]))
        record = self.wins[i] if sign > 0 else self.wins[:, i]
        others = np.flatnonzero((record > 0) & np.isfinite(self.log_ability))
        if np.isnan(sign) or not others.size:
            return -np.inf, np.inf
        weight = record[others] * min(1.0, self.units_met[i] / (self.wins[i] + self.wins[:, i]).sum())

        def is_unlikely(at: FloatArray) -> NDArray[np.bool_]:
            """The record, every battle won (or lost), has a smaller probability than the tail at this ability."""
            return np.asarray(-(weight @ np.logaddexp(0.0, sign * self.log_ability[others] - at)) <= np.log(tail))

        end = float(bisected(is_unlikely, np.array(-1e3), np.array(1e3)))
        return (end, np.inf) if sign > 0 else (-np.inf, -end)


def bradley_terry(
    first: ArrayLike,
    second: ArrayLike,
    score: ArrayLike,
    *,
    n_models: int | None = None,
    weight: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    position: bool = False,
) -> BradleyTerry:
    """Abilities that make the battles most probable [BT52]_, by Newton's method until nothing moves; no penalty is added.

    A tie is half a win for either. A finite answer exists where every two groups of models have beaten each other [F57]_, that
    is within a strongly connected part of the graph of wins. The largest such part is fitted, by number of models, then of
    battles; all others lie infinitely far above or below it, or cannot be placed.

    Errors come from the slopes of the likelihood of each battle or cluster (sandwich estimate [LZ86]_). What a cluster adds
    to the variance of an ability is divided by 1 - h, h being its share in what is known of that ability (as in CR2 [BM02]_;
    shares leave out products of two abilities, and are exact for two models and for clusters that are alike). Degrees of
    freedom are 1 / (sum h^2) - 1, and no more than the parts u of the clusters show themselves, 3 (sum u^2)^2 / sum u^4. No error
    is smaller than that of independent battles with the same ties: a few sure outcomes, or opposite ones within a cluster, would
    look like certainty.

    Parameters
    ----------
    first, second : array_like of int, shape (n_battles,)
        Numbers of the two models, from 0 on.
    score : array_like of shape (n_battles,)
        1 where the first won, 0 where the second did, 1/2 for a tie.
    n_models : int, optional
        One more than the largest number that occurs, if not given.
    weight : array_like of shape (n_battles,), optional
        How much each battle counts, 1 if not given; not negative.
    cluster : array_like of shape (n_battles,), optional
        Battles that belong together, as of one judge, user or question; each is alone if not given.
    position : bool, default False
        Fit by how much the first of two equal models is favoured, and take it out of the abilities. Models must have met in both
        orders, or in circles, so that it can be told.

    Returns
    -------
    BradleyTerry

    Raises
    ------
    DataError
        Fewer than two models.
        Numbers that are out of range, a model that meets itself, or models in groups that never met.

    References
    ----------
    .. [BT52] R. Bradley, M. Terry. Rank analysis of incomplete block designs. Biometrika 39, 1952.
    .. [F57] L. Ford. Solution of a ranking problem from binary comparisons. American Mathematical Monthly 64, 1957.
    .. [LZ86] K.-Y. Liang, S. L. Zeger. Longitudinal data analysis using generalized linear models. Biometrika 73, 1986.
    .. [BM02] R. M. Bell, D. F. McCaffrey. Bias reduction in standard errors for linear regression with multi-stage samples.
       Survey Methodology 28, 2002.

    Examples
    --------
    >>> found = bradley_terry([0] * 40, [1] * 40, [1, 1, 1, 0] * 10)
    >>> [round(float(x), 3) for x in found.log_ability], round(float(found.error[0, 1]), 3)
    ([0.549, -0.549], 0.37)
    """
    battles, n_models = _checked(first, second, score, weight, cluster, n_models)
    check_met(battles.first, battles.second, n_models, lambda group: ", ".join(map(str, group)))
    won, lost, tied = (battles.table(battles.weight * (battles.score == value), n_models) for value in (1.0, 0.0, 0.5))
    ability = _places(won + lost.T + (tied + tied.T) / 2, won + lost + tied)
    main = np.flatnonzero(ability == 0)
    errors, own, freedom = np.full((n_models, n_models), np.nan), np.full(n_models, np.nan), np.ones(n_models + 1)
    is_told, bias, of_position = False, 0.0, np.nan
    if main.size:
        scored, conceded = ((each + tied / 2)[np.ix_(main, main)] for each in (won, lost))
        is_told = bool(position) and tells_position(scored + conceded)
        ability[main], bias = _newton(scored, conceded, is_told)
        *covariances, freedom[np.append(main, n_models)] = _errors(battles.between(main, n_models), ability[main], bias, is_told)
        own[main], errors[np.ix_(main, main)], of_position = (
            np.sqrt(np.maximum(*each)) for each in zip(*map(_squared_errors, covariances), strict=True)
        )
    np.fill_diagonal(errors, 0.0)
    swept, units_met = _units_of_open(battles, ~np.isfinite(ability))
    swept[((won + lost.T).T > 0) | (tied + tied.T > 0)] = 0.0  # not all of them were won
    return BradleyTerry(
        log_ability=ability,
        position=bias if position else np.nan,
        error=errors,
        own_error=own,
        df=freedom[:-1],
        position_error=float(of_position) if is_told else np.nan,
        position_df=float(freedom[-1]),
        n_units=int(battles.unit.max()) + 1,
        wins=won + lost.T,
        ties=tied + tied.T,
        swept=swept,
        units_met=units_met,
    )


class PairFit(NamedTuple):
    """Battles of each two models as they were counted, and a test that the ratings say the same; arrays (n_models, n_models).

    Attributes
    ----------
    share : ndarray
        Won by the model of the row, ties as half wins; nan of models that never met.
    n_effective : ndarray
        Independent battles that the share rests on, no more than there are.
    pvalue : float
        That win rates are those of the ratings, by Pearson's chi-squared over pairs that met ten times or more, with as many
        degrees of freedom as the ratings leave of these pairs. With the pairs less the models, though rarer pairs have part in
        the ratings too, 11 to 13 % of tables of equal models did not fit where two of ten are in most of 300 battles; so at
        most 1 %, and circles in which each wins 60 of 100 are seen as often (80 % of 300 battles).
    likeness : float
        Of battles to the one before, of another cluster, in what they say of models beside the ratings: nearly standard normal
        where battles are independent.
    """

    share: FloatArray
    n_effective: FloatArray
    pvalue: float
    likeness: float


def pair_fit(
    found: BradleyTerry,
    first: IntArray,
    second: IntArray,
    score: FloatArray,
    weight: FloatArray | None,
    cluster: IntArray | None,
    question: IntArray | None = None,
) -> PairFit:
    """Battles of each two models beside their ratings; what battles of a cluster share counts where it makes them vary more."""
    n, w = found.log_ability.size, np.ones(first.size) if weight is None else weight
    unit = np.arange(first.size) if cluster is None else cluster
    with np.errstate(invalid="ignore"):  # inf - inf
        expected = expit(found.log_ability[first] - found.log_ability[second] + np.nan_to_num(found.position))
    won, expected = (np.where(first > second, 1.0 - each, each) for each in (score, expected))  # by the smaller number
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair = low * n + high
    of_both, place = np.unique(pair * (int(unit.max()) + 1) + unit, return_inverse=True)

    def total(values: ArrayLike) -> FloatArray:
        return np.bincount(pair, np.broadcast_to(values, pair.shape), n * n).astype(float, copy=False)

    def spread(residual: FloatArray) -> FloatArray:
        """Variance of a sum of residuals of each pair, over clusters."""
        return np.bincount(of_both // (int(unit.max()) + 1), np.square(np.bincount(place, residual)), n * n).astype(float)

    met, weights = total(1.0), total(w)
    share = divide(total(w * won), weights)
    by_chance = total(w**2 * expected * (1.0 - expected))
    counts = (met >= FEWEST_MET) & (by_chance > 0)
    residual = w * (won - expected)
    in_common = 1.0 * (low[1:] == low[:-1]) + (high[1:] == high[:-1]) - (low[1:] == high[:-1]) - (high[1:] == low[:-1])
    asked = np.arange(first.size) if question is None else question
    is_new = (unit[1:] != unit[:-1]) & (asked[1:] != asked[:-1])
    outcome = 2.0 * (first * n + second) + score
    is_mixed = np.count_nonzero(np.diff(outcome)) >= np.unique(outcome).size  # not counts of wins, one outcome after the other
    alike = residual[1:] * residual[:-1] * in_common * is_new * is_mixed
    rest = divide(np.square(total(residual)), np.maximum(by_chance, spread(residual)))[counts].sum()
    fitted = by_chance[counts] * np.square(found.error.ravel()[counts])  # of each pair's residual, what the ratings took up
    least = int(counts.sum()) - np.unique(np.divmod(np.flatnonzero(counts), n)).size + 1  # whatever clusters add to the errors
    df = max(float(np.maximum(1.0 - fitted, 0.0).sum()), least)
    by_share = weights**2 * share * (1 - share)
    own = np.maximum(spread(w * (won - share[pair])), divide(by_share, met))
    effective = np.where(own > 0, np.minimum(divide(by_share, own), met), met).reshape(n, n)
    share = share.reshape(n, n)  # nan where they did not meet in this order of their numbers
    return PairFit(
        np.where(np.isnan(share), 1.0 - share.T, share),
        effective + effective.T,
        float(chdtrc(df, rest)) if df > 0 else 1.0,
        float(divide(alike.sum(), np.sqrt(np.square(alike).sum()))),
    )


FEWEST_MET = 10
"""Battles of two models from which they count in the test of fit."""


def battles_of_scores(scores: ArrayLike, *, margin: float = 0.0) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Battles of every two models on every dataset, which is their cluster: the higher score wins.

    Parameters
    ----------
    scores : array_like of shape (n_models, n_datasets)
        Higher is better; nan where a model has no score on a dataset, on which it then meets nobody.
    margin : float
        Scores that differ by no more than this, in the metric's unit, tie.
    """
    table = check_array(scores, "scores", "n_models, n_datasets", (0, 0), can_lack=True)
    margin = check_number(margin, "tie_margin", 0.0)
    first, second = np.triu_indices(table.shape[0], 1)
    difference = table[first] - table[second]
    near = margin + 1e-12 * float(np.nanmax(np.abs(table), initial=0.0))
    pair, dataset = np.nonzero(~np.isnan(difference))
    difference = difference[pair, dataset]
    return first[pair], second[pair], np.where(np.abs(difference) <= near, 0.5, (difference > 0).astype(float)), dataset


def check_met(first: IntArray, second: IntArray, n_models: int, named: Callable[[list[int]], str]) -> None:
    """Refuse models in groups with no battle between them, in words on the models of each."""
    met = csr_array((np.ones(first.size), (first, second)), shape=(n_models, n_models))
    n, label = csgraph.connected_components(met, directed=False)
    if n > 1:
        groups = [named(np.flatnonzero(label == group).tolist()) for group in range(n)]
        raise DataError(
            f"the models are in {n} groups that never met, so their ratings cannot be compared: {'; '.join(groups)}. Rate each "
            "group by itself, or add results between them."
        )


class _Battles(NamedTuple):
    """Battles that were checked; units are numbered from 0 on."""

    first: IntArray
    second: IntArray
    score: FloatArray
    weight: FloatArray
    unit: IntArray

    def table(self, values: FloatArray, n_models: int) -> FloatArray:
        """Sums of values over the battles of each two models; the model of the row is the first."""
        sums = np.bincount(self.first * n_models + self.second, values, n_models**2)
        return sums.reshape(n_models, n_models).astype(float, copy=False)

    def of(self, rows: NDArray[np.bool_]) -> _Battles:
        """Some of the battles; their units are numbered anew."""
        unit = np.unique(self.unit[rows], return_inverse=True)[1]
        return _Battles(self.first[rows], self.second[rows], self.score[rows], self.weight[rows], unit)

    def between(self, models: IntArray, n_models: int) -> _Battles:
        """Battles of some models with each other, which are numbered anew."""
        number = np.full(n_models, -1)
        number[models] = np.arange(models.size)
        inner = self.of((number[self.first] >= 0) & (number[self.second] >= 0))
        return inner._replace(first=number[inner.first], second=number[inner.second])


def _checked(
    first: ArrayLike,
    second: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None,
    cluster: ArrayLike | None,
    n_models: int | None,
) -> tuple[_Battles, int]:
    model_a, model_b, won = (floats(each, name) for each, name in ((first, "first"), (second, "second"), (score, "score")))
    if not won.size or won.ndim != 1 or not model_a.shape == model_b.shape == won.shape:
        shapes = ", ".join(str(each.shape) for each in (model_a, model_b, won))
        raise DataError(f"battles are columns of one length, one or more of them; got the shapes {shapes}.")
    limit = _MOST_MODELS if n_models is None else check_count(n_models, "n_models", most=_MOST_MODELS)
    one, two = check_rows(model_a, limit, "first"), check_rows(model_b, limit, "second")
    n_models = int(max(one.max(), two.max())) + 1 if n_models is None else limit
    if n_models < 2:
        raise DataError(f"{n_models} model(s), but at least 2 are needed to compare.")
    if np.any(one == two):
        raise DataError(f"{int(np.sum(one == two))} battle(s) of a model with itself; leave them out.")
    if not np.all((won == 0) | (won == 1) | (won == 0.5)):
        raise DataError("the score of a battle is 1 where the first won, 0 where the second did, and 1/2 for a tie.")
    weights = check_weights(weight, one.size)
    unit = np.arange(one.size) if cluster is None else group_codes(cluster, one.size, "cluster")[0]
    battles = _Battles(one, two, won, weights, unit)
    return (battles if weights.all() else battles.of(weights > 0)), n_models


def _places(beaten: FloatArray, played: FloatArray) -> FloatArray:
    """Place of each model: 0 in the largest part in which all have beaten each other, else inf, -inf or nan (not placed).

    Without a single largest part of two models or more, those are at inf that beat all others, directly or through others, and
    lost to none of them; likewise -inf. `beaten` and `played` are tables of the row's wins, and of battles.
    """
    graph, n_models = csr_array(beaten > 0), len(beaten)
    n_parts, part = csgraph.connected_components(graph, directed=True, connection="strong")
    if n_parts == 1:
        return np.zeros(n_models)
    models, battles = np.bincount(part), np.bincount(part, (played + played.T).sum(axis=1))
    second, largest = np.lexsort((battles, models))[-2:]
    if models[largest] < 2 or (models[second], battles[second]) == (models[largest], battles[largest]):
        # the only part that nobody outside it beat, and the only one that beat nobody outside it
        winner, loser = (part[ends] for ends in np.nonzero(beaten))
        across = winner != loser
        top, bottom = (np.bincount(ends[across], minlength=n_parts) == 0 for ends in (loser, winner))
        top, bottom = (ends & (ends.sum() == 1) for ends in (top, bottom))
        return np.asarray(np.where(top & ~bottom, np.inf, np.where(bottom & ~top, -np.inf, np.nan))[part])
    start = int(np.flatnonzero(part == largest)[0])
    reached = np.zeros((2, n_models), dtype=bool)
    for row, arrows in zip(reached, (graph.T.tocsr(), graph), strict=True):
        row[csgraph.breadth_first_order(arrows, start, return_predecessors=False)] = True
    wins, loses = reached
    return np.where(wins & loses, 0.0, np.where(wins, np.inf, np.where(loses, -np.inf, np.nan)))


def _newton(scored: FloatArray, conceded: FloatArray, has_position: bool) -> tuple[FloatArray, float]:
    """Abilities of highest likelihood, which add up to 0, and the bias for the first; tables have the first in the row.

    The log-likelihood is concave; a step that overshoots is halved. The error is about the square of the last step, so nothing
    is left to do after one below the tolerance.
    """
    played, at = scored + conceded, np.zeros(len(scored) + 1)  # abilities, and the bias

    def slopes(at: FloatArray) -> FloatArray:
        d = at[:-1, None] - at[:-1] + at[-1]
        # score less its expectation, without cancellation where the probability is close to 1
        lacking = scored * expit(-d) - conceded * expit(d)
        return np.append(lacking.sum(axis=1) - lacking.sum(axis=0), lacking.sum() if has_position else 0.0)

    gradient = slopes(at)
    for _ in range(_MOST_STEPS):
        p = expit(at[:-1, None] - at[:-1] + at[-1])
        try:
            step = np.linalg.solve(_information(played * p * (1 - p), has_position=has_position), gradient)
        except np.linalg.LinAlgError:  # some outcomes are so sure that nothing is known of a direction
            break
        longest = float(np.abs(step).max())
        if not longest < np.inf:
            break
        step *= min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        slope = float(gradient @ step)
        for _ in range(60):
            gradient = slopes(at + step)
            if float(gradient @ step) >= -0.5 * slope - 1e-12:
                break
            step, slope = step / 2, slope / 2
        at = at + step
        if longest <= _TOLERANCE:
            break
        if abs(at[-1]) >= MOST_BIAS:  # beyond, the first wins always, as far as these battles go
            at[-1] = np.clip(at[-1], -MOST_BIAS, MOST_BIAS)
            break
    return at[:-1] - at[:-1].mean(), float(at[-1])


def tells_position(played: FloatArray | IntArray) -> bool:
    """True where the order in which models met can be told from which of them is better.

    It cannot where some abilities explain any bias for the first, as where each two models met in one order only and no circle
    of pairs contradicts it. `played` holds the battles of each two models, the first in the row.
    """
    information = _information(played, has_position=True)
    explained = information[-1, :-1] @ np.linalg.solve(information[:-1, :-1], information[:-1, -1])
    return bool(information[-1, -1] - explained > 1e-9 * information[-1, -1])


def _information(values: FloatArray | IntArray, *, has_position: bool, is_bounded: bool = True) -> FloatArray:
    """Sum over battles of a value times x x', x being 1 for the first model, -1 for the second, and 1 for the position.

    `values` are sums by pair, the first model in the row. All abilities may move together, which is bounded by their sum.
    """
    across = values + values.T
    size, met = len(values), across.sum(axis=1)
    found = np.zeros((size + 1, size + 1))
    found[:-1, :-1] = np.diag(met) - across + (met.max() / size if is_bounded else 0.0)
    found[-1, -1] = 1.0 if is_bounded else 0.0
    if has_position:
        found[-1, :-1] = found[:-1, -1] = values.sum(axis=1) - values.sum(axis=0)
        found[-1, -1] = values.sum()
    return found


def _errors(battles: _Battles, ability: FloatArray, bias: float, has_position: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Covariance of abilities and position by unit, that of independent battles with these ties, and degrees of freedom."""
    size = ability.size
    one, two, score, weight, unit = battles
    n_units = int(unit.max()) + 1
    p = expit(ability[one] - ability[two] + bias)
    information, residual = weight * p * (1 - p), weight * (score - p)
    known = _information(battles.table(information, size), has_position=has_position)
    try:
        bread = np.asarray(np.linalg.inv(known), dtype=float)
    except np.linalg.LinAlgError:  # as where Newton's method stops
        bread = np.asarray(np.linalg.pinv(known, hermitian=True), dtype=float)
    tied = np.square(weight) * (score == 0.5) / 4
    least = _information(battles.table(weight * information - tied, size), has_position=has_position, is_bounded=False)
    least = bread @ least @ bread
    if n_units == 1:
        return np.full(bread.shape, np.nan), least, np.ones(size + 1)
    if n_units == one.size:
        meat = _information(battles.table(np.square(residual), size), has_position=has_position, is_bounded=False)
        return bread @ meat @ bread * (n_units / (n_units - 1)), least, np.full(size + 1, n_units - 1.0)
    sandwich, freedom = _by_cluster(battles, residual, information, bread, has_position)
    return sandwich, least, freedom


def _squared_errors(covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Variances of abilities less their mean, of their differences, and of the position."""
    among = covariance[:-1, :-1] - covariance[:-1, :-1].mean(axis=0)
    among -= among.mean(axis=1, keepdims=True)
    own = np.diagonal(among)
    return own.clip(0.0), (own[:, None] + own - 2 * among).clip(0.0), covariance[-1, -1].clip(0.0)


def _by_cluster(
    battles: _Battles, residual: FloatArray, information: FloatArray, bread: FloatArray, has_position: bool
) -> tuple[FloatArray, FloatArray]:
    """Covariance of the parameters by cluster, and degrees of freedom of each parameter."""
    one, two, unit = battles.first, battles.second, battles.unit
    size, n_units, side = len(bread), int(unit.max()) + 1, float(has_position)

    places = np.concatenate([one, two, np.full(unit.size if has_position else 0, size - 1)])

    def by_unit(values: FloatArray, sign: float) -> Any:
        """Sums of values by unit and parameter, the second model's with a sign."""
        held = np.concatenate([values, sign * values, values])[: places.size]
        return csr_array((held, (np.tile(unit, 3)[: places.size], places)), shape=(n_units, size))

    slopes, known = by_unit(residual, -1.0), by_unit(information, 1.0)
    degree = known.sum(axis=0)
    weight = np.append(degree[:-1] / degree[:-1].sum(), 0.0)
    bread = bread.copy()  # abilities less their weighted mean, of which a model with few battles is hardly a part
    bread[:-1] -= weight @ bread
    bread[:, :-1] -= (bread @ weight)[:, None]
    own, last = np.diagonal(bread), bread[-1]
    leverage = own[one] + own[two] - 2 * bread[one, two] + side * (2 * (last[one] - last[two]) + last[-1])
    leverage = np.bincount(unit, information * leverage)
    is_light = leverage <= _LIGHT
    light = slopes[is_light].multiply(1 / np.sqrt(1 - leverage[is_light, None])).tocsr()
    covariance = bread @ (light.T @ light).toarray() @ bread
    reach = np.square(bread)  # by which a battle counts, (x' bread)^2, without the product of its two models
    everything = degree @ reach
    shared = (known[is_light].T @ known[is_light]).toarray()
    squares, fourth = divide((reach * (shared @ reach)).sum(axis=0), np.square(everything)), np.zeros(size)
    heavy = np.flatnonzero(~is_light)
    for rows in blocks(heavy.size, size, most=_NUMBERS):
        some = heavy[rows]
        share = np.nan_to_num(divide(known[some] @ reach, everything))
        parts = (slopes[some] @ bread) / np.sqrt((1 - share).clip(1e-9))
        covariance += parts.T @ parts
        fourth += (parts**4).sum(axis=0)
        squares += np.square(share).sum(axis=0)
    seen = np.where(fourth > 0, 3 * divide(np.square(np.diagonal(covariance)), fourth), np.inf)
    return covariance, np.minimum(divide(1.0, squares) - 1, seen).clip(1.0, n_units - 1.0)


def _units_of_open(battles: _Battles, is_open: NDArray[np.bool_]) -> tuple[FloatArray, IntArray]:
    """Units in which each two models without finite abilities met, and those in which each of these met any other."""
    n_models, ends = is_open.size, (battles.first, battles.second)
    one, two, unit = np.concatenate(ends), np.concatenate(ends[::-1]), np.tile(battles.unit, 2)
    met = np.zeros((n_models, n_models))
    among = np.unique(np.stack([one, two, unit])[:, is_open[one] & is_open[two]], axis=1)
    np.add.at(met, (among[0], among[1]), 1)
    seen = np.unique(np.stack([one, unit])[:, is_open[one]], axis=1)
    return met, np.bincount(seen[0], minlength=n_models)
