"""The public function `rate`: battles, or scores on many datasets, into ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiebreak.api import read_scores
from tiebreak.comparison.ratings import PositionState, Ratings, rate_outcomes, rate_scores
from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist.bradley_terry_fit import TieModel
from tiebreak.frequentist.pair_outcomes import PairOutcomes, outcomes_of_battles
from tiebreak.readers.battles import Battles, read_battles
from tiebreak.readers.source import pipes_as_files
from tiebreak.scores.scores import Scores


def rate(
    source: Any,
    *,
    metric: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    ties: TieModel = "half",
    tie_margin: float = 0.0,
    anchor: str | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: int = 0,
    cluster: str | None = None,
    position: bool = True,
) -> Ratings:
    """Rate models by whom they beat (Bradley-Terry, on Elo's scale), with intervals of the ratings and of the ranks.

    The ratings are for a further dataset, cluster or battle like these: the bootstrap draws them as a whole.

    Parameters
    ----------
    source
        Battles: a path to CSV, JSON or Parquet, a frame, records or columns with model_a, model_b and winner ("a", "b", "tie", or
        the name of a model), with cluster where battles belong together (a user, a prompt), and weight where some count more. Or
        scores of several datasets, as `compare` reads them: on each dataset the model with the better mean beats the others.
    metric, lower_is_better
        Of scores, as for `compare`.
    ties : {"half", "davidson"}
        A tie is half a win for either, or an outcome of its own, by Davidson's model.
    tie_margin : float
        Of scores: means that differ by no more than this, in the metric's unit, tie.
    anchor : str, optional
        The model that is rated 1000; the mean of all is if none is named.
    level : float
        Coverage of each rating's interval, and of all ranks at once.
    n_resamples : int
        Resamples.
    rng : int
        Seed; the same seed gives the same answer.
    cluster : str, optional
        Column of battles that belong together, such as "question_id" or "user"; "cluster" if not given.
    position : bool, default True
        Take the judge's bias for the answer that stands first (model_a) out, where the battles can tell it: where models met in
        both orders. False where model_a is not who stood first, as in tables that list the winner first.

    Returns
    -------
    Ratings
        Print it for the answer; `.to_frame()`, `.plot()`, `.win_probability(a, b)`, `.to_json()` for the rest.

    Raises
    ------
    TiebreakError
        The source or a setting cannot be used, or models are in groups that never met; the text says why and how to go on.

    References
    ----------
    .. [BT52] R. Bradley, M. Terry. Rank analysis of incomplete block designs. Biometrika 39, 1952.

    Examples
    --------
    >>> battles = {"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["a", "a", "a", "b"] * 10}
    >>> ratings = rate(battles)
    >>> ratings.models, [round(float(value)) for value in ratings.rating]
    (('x', 'y'), [1095, 905])
    """
    settings: dict[str, Any] = {"ties": ties, "anchor": anchor, "level": level, "n_resamples": n_resamples, "rng": rng}
    with pipes_as_files([source]) as (held,):
        battles = read_battles(held, cluster)
        if battles is None:
            if cluster is not None:
                raise InvalidParameterError(
                    "cluster is of battles, and these are scores; each dataset counts once.", about="cluster"
                )
            scores = held if isinstance(held, Scores) else read_scores(held, metric=metric, lower_is_better=lower_is_better)
            return rate_scores(scores, tie_margin=tie_margin, **settings)
    n_both, n_kept = battles.both_orders()
    settings |= {"unit": "battle" if battles.cluster is None else "cluster", "n_both": n_both, "n_kept": n_kept}
    if battles.cluster is None and battles.question is not None and int(battles.question.max()) + 1 < len(battles.question):
        settings["repeated"] = battles.question_column
    state: PositionState = "ignored" if not position or ties != "half" else "taken out" if battles.tells_position else "one order"
    ratings = rate_outcomes(_outcomes(battles, is_ordered=state == "taken out"), battles.models, position=state, **settings)
    if ratings.position_probability in (0.0, 1.0):
        return rate_outcomes(_outcomes(battles), battles.models, position="always", **settings)
    if state == "taken out" and not ratings.position_low < ratings.position_high:
        return rate_outcomes(_outcomes(battles), battles.models, position="too few", **settings)
    return ratings


def _outcomes(battles: Battles, *, is_ordered: bool = False) -> PairOutcomes:
    return outcomes_of_battles(
        battles.model_a,
        battles.model_b,
        battles.outcome,
        n_models=len(battles.models),
        unit=battles.cluster,
        weight=battles.weight,
        is_ordered=is_ordered,
    )
