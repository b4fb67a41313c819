"""Ratings: where each model stands by whom it beat, with intervals of ratings and of ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.comparison.battle_looks import BattleTable, judge_battle_looks, next_battle_look
from tiebreak.comparison.looks import Looks
from tiebreak.errors import InvalidParameterError, TooFewModelsError, UnpairedScoresError
from tiebreak.frequentist.bradley_terry import check_tie_model, unconnected_groups
from tiebreak.frequentist.bradley_terry_fit import MOST_BIAS, TieModel
from tiebreak.frequentist.bradley_terry_resampled import BradleyTerryBootstrap, bradley_terry_bootstrap
from tiebreak.frequentist.pair_outcomes import PairOutcomes, outcomes_of_scores
from tiebreak.numerics import FloatArray, IntArray, Interval, check_count, check_probability, check_seed
from tiebreak.result import Result
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    from tiebreak.views.plots.ratings import RatingsPlots

ELO_PER_LOG_ODDS = 400 / np.log(10)
"""A model that is rated 400 above another beats it 10 times as often as not."""

PositionState = Literal["", "taken out", "one order", "always", "too few", "ignored"]

BASE = 1000.0
"""Mean of all ratings, or the rating of the anchor."""


class WinRate(NamedTuple):
    """Probability to be preferred, and its interval."""

    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ratings(Result["RatingsPlots"]):
    """Ratings of models, best first; arrays have one entry for each model.

    Attributes
    ----------
    models : tuple of str
    rating, rating_low, rating_high : ndarray
        On Elo's scale. A model that never lost to those that are rated is at inf, one that never won at -inf, and one that the
        results do not place at nan.
    rank_low, rank_high : ndarray of int
        Ranks that hold for all models at once; 1 is the best.
    wins, ties, losses : ndarray
    n_unplaced : ndarray of int
        Resamples that leave the model without a finite rating; its interval counts them as extremes.
    fit : BradleyTerryBootstrap
        The abilities in log-odds, with their resamples.
    rows : ndarray of int, shape (n_models,)
        Number of each model in the fit.
    unit : {"dataset", "cluster", "question", "battle"}
        Drawn in the bootstrap as a whole.
    n_units, n_resamples : int
    level : float
        Coverage that the intervals aim at.
    tie_model : {"half", "davidson"}
    tie_parameter : float
        Davidson's nu: two equal models tie with the probability nu / (2 + nu).
    anchor : str
        The model that is rated 1000; "" where 1000 is the mean of all finite ratings.
    metric : str
        Of the scores that were compared; "" for battles.
    position : {"", "taken out", "one order", "always", "too few", "ignored"}
        The judge's bias for the answer that stands first: taken out of the ratings; not to be told, as models met in one order
        only, as the same side won always, or as there are too few battles; or not asked about. "" for scores.
    position_probability, position_low, position_high : float
        Probability that of two equal models the one that stands first is preferred, and its interval; nan where it is not known.
    n_both, n_kept : int
        Questions on which two models were judged in both orders, and those of them with the same outcome in both.
    n_without_verdict : int
        Judgements from which no winner could be read, which are left out.
    repeated : str
        Column of questions of which some stand in several battles that are taken for independent; "" where there is none.
    sources : tuple of str
        Tables of battles that were joined; empty where there is one.
    judges : tuple of str
        Who judged, where each table of battles has one judge and says which.
    looks : Looks or None
        The plan with all looks that were taken, this one included; None where the answer is not one of several looks.
    interval_alpha : float
        1 - coverage of the intervals of this look, if it were the only one; nan without looks.
    n_futile : int
        Pairs that no look has decided and the rest of the plan hardly will; 0 without looks, and where the plan is over.
    """

    models: tuple[str, ...]
    rating: FloatArray
    rating_low: FloatArray
    rating_high: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    n_unplaced: IntArray
    fit: BradleyTerryBootstrap
    rows: IntArray
    unit: str
    n_units: int
    n_resamples: int
    level: float
    tie_model: str
    tie_parameter: float
    anchor: str
    metric: str
    position: PositionState = ""
    position_probability: float = float("nan")
    position_low: float = float("nan")
    position_high: float = float("nan")
    n_both: int = 0
    n_kept: int = 0
    n_without_verdict: int = 0
    repeated: str = ""
    sources: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    looks: Looks | None = None
    interval_alpha: float = float("nan")
    n_futile: int = 0

    def win_rate(self, first: str, second: str) -> WinRate:
        """Probability that the first is preferred to the second where they do not tie, with its interval at `level`.

        A bias of the judge for a position is out of it where it is out of the ratings. The interval is that of the difference of
        the two ratings, by percentiles of the resamples, and by Student's at a look of a plan. So of a model and the anchor it
        says what the rating says, and of two models what their ranks say. nan where the two cannot be compared.
        """
        estimate = self.win_probability(first, second)
        one, two = (look_up(name, self.models, "model") for name in (first, second))
        if first == self.anchor:
            high, low = (-end for end in self._difference(two, one))
        else:
            low, high = self._difference(one, two)
        return WinRate(estimate, *(float(1 / (1 + np.exp(-end))) for end in (low, high)))

    def _difference(self, one: int, two: int) -> tuple[float, float]:
        """Interval of the difference of two ratings in log-odds."""
        if self.models[two] == self.anchor:
            return tuple((float(end[one]) - BASE) / ELO_PER_LOG_ODDS for end in (self.rating_low, self.rating_high))
        if not np.isfinite(self.rating[two]):
            if not np.isfinite(self.rating[one]):
                return self.fit.interval_of_sweep(int(self.rows[one]), int(self.rows[two]), self.own_alpha)
            low, high = self._difference(two, one)
            return -high, -low
        against = int(self.rows[two])
        if self.looks is None:
            found = self.fit.confidence_interval(self.level, against=against)
        else:
            found = self.fit.student_interval(self.interval_alpha, against=against)
        return float(found.low[self.rows[one]]), float(found.high[self.rows[one]])

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Codes and texts of what a reader should know of the battles and of the judge, as the page has them."""
        return tuple((each["code"], each["text"]) for each in self.to_dict()["warnings"])

    @property
    def own_alpha(self) -> float:
        """1 - coverage of each interval by itself: what its look was granted, else 1 - level."""
        return 1 - self.level if self.looks is None else self.interval_alpha

    @property
    def n_open(self) -> int:
        """Number of pairs that no look of the plan has decided; all of them without looks."""
        n = len(self.models)
        return n * (n - 1) // 2 - (0 if self.looks is None else len(self.looks.decided))

    def win_probability(self, first: str, second: str) -> float:
        """Probability that the first beats the second, where they do not tie; nan where the two cannot be compared."""
        one, two = (self.rating[look_up(name, self.models, "model")] for name in (first, second))
        if first == second:
            raise InvalidParameterError(f"a model does not meet itself; got {first!r} twice.")
        with np.errstate(invalid="ignore", over="ignore"):
            return float(1 / (1 + np.exp((two - one) / ELO_PER_LOG_ODDS)))


def rate_scores(scores: Scores, *, tie_margin: float = 0.0, **settings: object) -> Ratings:
    """Ratings from scores: on each dataset that two models share, the one with the better mean beats the other."""
    table = np.full((len(scores.models), len(scores.matrices)), np.nan)
    for column, matrix in enumerate(scores.matrices):
        rows = [scores.models.index(name) for name in matrix.models]
        there = ~np.isnan(matrix.score)
        sums = np.where(there, matrix.score, 0.0).sum(axis=1)
        means = np.where(there.any(axis=1), sums / np.maximum(there.sum(axis=1), 1), np.nan)
        table[rows, column] = scores.metric_of(matrix).sign * means
    outcomes = outcomes_of_scores(table, tie_margin=tie_margin)
    return rate_outcomes(outcomes, scores.models, unit="dataset", metric=scores.metric.name, **settings)  # type: ignore[arg-type]


def rate_outcomes(
    outcomes: PairOutcomes,
    models: tuple[str, ...],
    *,
    unit: str,
    metric: str = "",
    ties: TieModel = "half",
    anchor: str | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: int = 0,
    **about: Any,
) -> Ratings:
    """Ratings from who beat whom; `about` are facts of the battles, as in `Ratings`."""
    check_tie_model(ties)
    level, rng, n_resamples = check_probability(level, "level"), check_seed(rng), check_count(n_resamples, "n_resamples")
    if len(models) < 2:
        raise TooFewModelsError(f"there is only one model ({quoted(models)}), and at least 2 are needed to rate them.")
    fixed = None if anchor is None else look_up(anchor, models, "model")
    (won,), (tied,) = outcomes.tables()
    _check_connected(won + tied, models)
    found = bradley_terry_bootstrap(outcomes, tie_model=ties, n_resamples=n_resamples, rng=rng)
    if fixed is not None and not np.isfinite(found.log_ability[fixed]):
        raise InvalidParameterError(
            f"anchor {anchor!r} has no finite rating, as it never lost or never won. Name another model.", about="anchor"
        )
    facts = {
        "unit": unit,
        "metric": metric,
        "tie_model": ties,
        **about,
        **_position_facts(found, partial(found.position_interval, level)),
    }
    intervals, ranks = found.confidence_interval(level, against=fixed), found.rank_intervals(level)
    return _ratings(found, models, won, tied, fixed, level, facts, intervals, ranks)


def rate_at_looks(
    plan: Looks,
    table: BattleTable,
    outcomes_to: Callable[[int], tuple[PositionState, PairOutcomes]],
    *,
    asks_position: bool,
    anchor: str | None = None,
    level: float = 0.95,
    **about: Any,
) -> Ratings:
    """Ratings at the next look of a plan; `outcomes_to` gives those of the battles in the first n units.

    Intervals are Student's, at what the plan grants their look, so that those of all looks hold at once. Ranks are read off the
    pairs, each as of the look that decided it.
    """
    models, level = table.models, check_probability(level, "level")
    fixed = None if anchor is None else look_up(anchor, models, "model")
    terms = {"models": sorted(models), "method": "bradley-terry", "level": level, "position": asks_position}
    plan = next_battle_look(plan, table, terms)

    def fit(n: int) -> BradleyTerryBootstrap:
        held = outcomes_to(n)[1]
        (won,), (tied,) = held.tables()
        _check_connected(won + tied, models)
        return bradley_terry_bootstrap(held, n_resamples=1)  # of which nothing is used

    judged = judge_battle_looks(plan, models, 1 - level, fit)
    state, outcomes = outcomes_to(plan.n)
    (won,), (tied,) = outcomes.tables()
    found = fit(plan.n)
    facts = {"unit": table.unit, "metric": "", "tie_model": "half", "position": state, **about}
    facts |= _position_facts(found, partial(found.student_position, judged.interval_alpha))
    facts |= {"looks": judged.plan, "interval_alpha": judged.interval_alpha, "n_futile": judged.n_futile}
    intervals = found.student_interval(judged.interval_alpha, against=fixed)
    ranks = Interval(1 + judged.shown.sum(axis=0), len(models) - judged.shown.sum(axis=1))
    ratings = _ratings(found, models, won, tied, fixed, level, facts, intervals, ranks)
    return replace(ratings, n_resamples=0, n_unplaced=np.zeros(len(models), dtype=np.intp))


def _position_facts(found: BradleyTerryBootstrap, interval: Callable[[], tuple[float, float]]) -> dict[str, float]:
    """Probability that the first of two equal models is preferred, with the interval of its log-odds."""
    if np.isnan(found.position):
        return {}
    if abs(found.position) >= MOST_BIAS:
        return {"position_probability": float(found.position > 0)}
    names = ("position_probability", "position_low", "position_high")
    return {name: float(1 / (1 + np.exp(-end))) for name, end in zip(names, (found.position, *interval()), strict=True)}


def _check_connected(met: FloatArray, models: tuple[str, ...]) -> None:
    groups = unconnected_groups(met)
    if len(groups) > 1:
        named = "; ".join(quoted([models[i] for i in group]) for group in groups)
        raise UnpairedScoresError(
            f"the models are in {len(groups)} groups that never met, so their ratings cannot be compared: {named}. Rate each "
            "group by itself, or add results between them."
        )


def _ratings(
    found: BradleyTerryBootstrap,
    models: tuple[str, ...],
    won: FloatArray,
    tied: FloatArray,
    fixed: int | None,
    level: float,
    facts: dict[str, Any],
    intervals: Interval,
    ranks: Interval,
) -> Ratings:
    zero = 0.0 if fixed is None else found.log_ability[fixed]
    low, high = intervals
    # best first; those that cannot be placed come last, and equal ones by name; without any finite ability by rank
    ability, middle = found.log_ability, np.asarray(ranks.low) + np.asarray(ranks.high)
    by_rank = np.zeros(len(models)) if np.isfinite(ability).any() else middle
    order = sorted(range(len(models)), key=lambda i: (by_rank[i], np.isnan(ability[i]), -ability[i], models[i]))
    rows = np.array(order)
    with np.errstate(invalid="ignore"):
        rating, rating_low, rating_high = (
            (BASE + ELO_PER_LOG_ODDS * values)[rows] for values in (found.log_ability - zero, low, high)
        )
    return Ratings(
        models=tuple(models[i] for i in order),
        rating=rating,
        rating_low=rating_low,
        rating_high=rating_high,
        rank_low=np.asarray(ranks.low)[rows].astype(int),
        rank_high=np.asarray(ranks.high)[rows].astype(int),
        wins=won.sum(axis=1)[rows],
        ties=tied.sum(axis=1)[rows],
        losses=won.sum(axis=0)[rows],
        n_unplaced=found.n_unplaced[rows],
        fit=found,
        rows=rows,
        n_units=found.n_units,
        n_resamples=found.draws.shape[0],
        level=level,
        tie_parameter=found.tie_parameter,
        anchor="" if fixed is None else models[fixed],
        **facts,
    )
