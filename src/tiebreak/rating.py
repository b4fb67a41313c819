"""The public function `rate`: battles, or scores on many datasets, into ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiebreak.api import read_scores
from tiebreak.comparison.ratings import Ratings, rate_outcomes, rate_scores
from tiebreak.frequentist.bradley_terry_fit import TieModel
from tiebreak.frequentist.pair_outcomes import outcomes_of_battles
from tiebreak.readers.battles import read_battles
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
        battles = read_battles(held)
        if battles is None:
            scores = held if isinstance(held, Scores) else read_scores(held, metric=metric, lower_is_better=lower_is_better)
            return rate_scores(scores, tie_margin=tie_margin, **settings)
    outcomes = outcomes_of_battles(
        battles.model_a,
        battles.model_b,
        battles.outcome,
        n_models=len(battles.models),
        unit=battles.cluster,
        weight=battles.weight,
    )
    return rate_outcomes(outcomes, battles.models, unit="battle" if battles.cluster is None else "cluster", **settings)
