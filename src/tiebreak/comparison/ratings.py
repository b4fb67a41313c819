"""Ratings: where each model stands by whom it beat, with intervals of ratings and of ranks."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import FloatArray, IntArray, student
from tiebreak.result import Result
from tiebreak.scores.battles import Battles
from tiebreak.scores.means import dataset_means
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.rates import proportion_interval
from tiebreak.statistics.ratings import (
    MOST_BIAS,
    BradleyTerry,
    PairFit,
    battles_of_scores,
    bradley_terry,
    check_met,
    pair_fit,
    tells_position,
)

ELO_PER_LOG_ODDS = 400 / np.log(10)
"""A model that is rated 400 above another beats it 10 times as often as not."""

BASE = 1000.0
"""Mean of all ratings, or the rating of the anchor."""

MISFIT = 0.01
"""p-value of the test of fit below which pairs are shown as they were counted."""

FEW_QUESTIONS = 20
"""Questions up to which what their answers share is not reckoned with beside what judges share."""

FEW_TURNED, SMALL_SHARE = 30, 0.1
"""Battles in the rarer order of two models up to which they are few where they are less than this share of all."""

PositionState = Literal["", "taken out", "one order", "always", "too few", "ignored"]


class WinRate(NamedTuple):
    """Probability to be preferred, and its interval."""

    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ratings(Result):
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
    fit : BradleyTerry
        The abilities in log-odds, with their errors.
    rows : ndarray of int, shape (n_models,)
        Number of each model in the fit.
    unit : {"dataset", "cluster", "question", "battle"}
        Noun for what is independent.
    n_units : int
    level : float
        Coverage that the intervals aim at.
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
    few_turned : bool
        Few battles have the two models in the rarer order, so that the bias rests on them alone.
    counted : PairFit or None
        Battles of each two models as they were counted, in the rows of the fit; None for scores.
    repeated : str
        Column of questions of which some stand in several battles that are taken for independent; "" where there is none.
    sources : tuple of str
        Tables of battles that were joined; empty where there is one.
    judges : tuple of str
        Who judged, where each table of battles has one judge and says which.
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
    fit: BradleyTerry
    rows: IntArray
    unit: str
    n_units: int
    level: float
    anchor: str
    metric: str = ""
    position: PositionState = ""
    position_probability: float = float("nan")
    position_low: float = float("nan")
    position_high: float = float("nan")
    n_both: int = 0
    n_kept: int = 0
    few_turned: bool = False
    counted: PairFit | None = None
    repeated: str = ""
    sources: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    def win_rate(self, first: str, second: str) -> WinRate:
        """Probability that the first is preferred to the second where they do not tie, with its interval at `level`.

        A bias of the judge for a position is out of it where it is out of the ratings. The interval is that of the difference of
        the two ratings. So of a model and the anchor it says what the rating says, and of two models what their ranks say. nan
        where the two cannot be compared. Where win rates are not those of one rating for each model, as of models that beat each
        other in a circle, it is the share that was counted, with Wilson's interval.
        """
        estimate = self.win_probability(first, second)
        one, two = (int(self.rows[look_up(name, self.models, "model")]) for name in (first, second))
        if self.counted is not None and not self.fits:
            share, n = float(self.counted.share[one, two]), float(self.counted.n_effective[one, two])
            return WinRate(share, *(proportion_interval(share * n, n, level=self.level) if n else (0.0, 1.0)))
        return WinRate(estimate, *map(float, expit(self.fit.difference_interval(one, two, self.level))))

    def win_probability(self, first: str, second: str) -> float:
        """Probability that the first beats the second, where they do not tie; nan where the two cannot be compared."""
        one, two = (self.rating[look_up(name, self.models, "model")] for name in (first, second))
        if first == second:
            raise InvalidParameterError(f"a model does not meet itself; got {first!r} twice.")
        with np.errstate(invalid="ignore"):  # inf - inf
            return float(expit((one - two) / ELO_PER_LOG_ODDS))

    @property
    def fits(self) -> bool:
        """True where nothing shows that win rates of pairs are others than the ratings say."""
        return self.counted is None or not self.counted.pvalue < MISFIT

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Codes and texts of what a reader should know of the battles and of the judge, as the page has them."""
        return tuple((each["code"], each["text"]) for each in self.to_dict()["warnings"])


def rate_scores(scores: Scores, *, tie_margin: float = 0.0, anchor: str | None = None, level: float = 0.95) -> Ratings:
    """Ratings from scores: on each dataset that two models share, the one with the better mean beats the other.

    Means are over the splits that all models of a dataset have, as where they are compared.
    """
    table = scores.metric.sign * dataset_means(scores).matrix().score
    first, second, score, dataset = battles_of_scores(table, margin=tie_margin)
    fixed = _checked(first, second, scores.models, anchor)
    found = bradley_terry(first, second, score, n_models=len(scores.models), cluster=dataset)
    return _ratings(found, scores.models, fixed, level, unit="dataset", metric=scores.metric.name)


def rate_battles(battles: Battles, *, position: bool = True, anchor: str | None = None, level: float = 0.95) -> Ratings:
    """Ratings from battles, without the judge's bias for a position where that is asked for and can be told."""
    n = len(battles.models)
    position = position and battles.position
    counts = np.full(battles.outcome.size, True) if battles.weight is None else battles.weight > 0
    fixed = _checked(battles.model_a[counts], battles.model_b[counts], battles.models, anchor)
    score = (1 + battles.outcome) / 2
    fitted = partial(
        bradley_terry, battles.model_a, battles.model_b, score, n_models=n, weight=battles.weight, cluster=battles.cluster
    )
    played = np.bincount(battles.model_a[counts] * n + battles.model_b[counts], minlength=n * n).reshape(n, n)
    state: PositionState = "ignored" if not position else "taken out" if tells_position(played) else "one order"
    found, about = fitted(position=state == "taken out"), {}
    n_turned, n_met = int(np.minimum(played, played.T).sum()) // 2, int(played.sum())
    if state == "taken out":
        low, high = student(found.position, found.position_error, found.position_df).interval(level)
        sides = np.unique(battles.outcome[counts & (battles.outcome != 0)])
        if sides.size == 1:
            state, about = "always", {"position_probability": float(sides[0] > 0)}
        elif not high - low < 2 * MOST_BIAS:
            state = "too few"
        else:
            names = ("position_probability", "position_low", "position_high")
            about = dict(zip(names, expit([found.position, low, high]).tolist(), strict=True))
        found = found if state == "taken out" else fitted(position=False)
    if battles.unit == "judge" and battles.question is not None and battles.question.max() >= FEW_QUESTIONS:
        found = found.crossed(*(fitted(position=state == "taken out", cluster=each) for each in (battles.question, None)))
    n_both, n_kept = battles.both_orders() if position else (0, 0)
    return _ratings(
        found,
        battles.models,
        fixed,
        level,
        unit=battles.unit,
        position=state,
        n_both=n_both,
        n_kept=n_kept,
        few_turned=state == "taken out" and n_turned <= FEW_TURNED and n_turned < SMALL_SHARE * n_met,
        counted=pair_fit(found, battles.model_a, battles.model_b, score, battles.weight, battles.cluster, battles.question),
        repeated=battles.repeated,
        sources=battles.sources if len(battles.sources) > 1 else (),
        judges=battles.judges,
        **about,
    )


def _checked(first: IntArray, second: IntArray, models: tuple[str, ...], anchor: str | None) -> int | None:
    """Number of the anchor, once the models are known to be fit."""
    if len(models) < 2:
        raise DataError(f"there is only one model ({quoted(models)}), and at least 2 are needed to rate them.")
    fixed = None if anchor is None else look_up(anchor, models, "model")
    check_met(first, second, len(models), lambda group: quoted([models[i] for i in group]))
    return fixed


def _ratings(found: BradleyTerry, models: tuple[str, ...], fixed: int | None, level: float, **about: Any) -> Ratings:
    """Ratings on Elo's scale; `about` are facts of the data, as in `Ratings`."""
    ability = found.log_ability
    if fixed is not None and not np.isfinite(ability[fixed]):
        raise InvalidParameterError(
            f"anchor {models[fixed]!r} has no finite rating, as it never lost or never won. Name another model.", about="anchor"
        )
    zero = 0.0 if fixed is None else ability[fixed]
    ranks, (low, high) = found.rank_interval(level), found.interval(level, against=fixed)
    # best first; those that cannot be placed come last, and equal ones by name. Without any finite ability by rank, and between
    # the one that beat all and the one that lost to all by what they won
    is_rated = np.isfinite(ability).any()
    won = (found.wins + found.ties / 2).sum(axis=1) / (found.wins + found.ties + found.wins.T).sum(axis=1)
    by_rank, best = (ranks.low + ranks.high) * ~is_rated, np.where(np.isnan(ability) & ~is_rated, won, ability)
    rows = np.array(sorted(range(len(models)), key=lambda i: (by_rank[i], np.isnan(best[i]), -best[i], models[i])))
    rating, rating_low, rating_high = ((BASE + ELO_PER_LOG_ODDS * values)[rows] for values in (ability - zero, low, high))
    return Ratings(
        models=tuple(models[i] for i in rows),
        rating=rating,
        rating_low=rating_low,
        rating_high=rating_high,
        rank_low=ranks.low[rows],
        rank_high=ranks.high[rows],
        wins=found.wins.sum(axis=1)[rows],
        ties=found.ties.sum(axis=1)[rows],
        losses=found.wins.sum(axis=0)[rows],
        fit=found,
        rows=rows,
        n_units=found.n_units,
        level=level,
        anchor="" if fixed is None else models[fixed],
        **about,
    )
