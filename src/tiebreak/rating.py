"""The public function `rate`: battles, or scores on many datasets, into ratings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from tiebreak.api import read_scores
from tiebreak.comparison.battle_looks import BattleTable
from tiebreak.comparison.looks import Looks
from tiebreak.comparison.ratings import PositionState, Ratings, rate_at_looks, rate_outcomes, rate_scores
from tiebreak.errors import InvalidParameterError, UnsuitableDesignError, UnsupportedSourceError
from tiebreak.frequentist.bradley_terry_fit import MOST_BIAS, TieModel
from tiebreak.frequentist.bradley_terry_resampled import bradley_terry_bootstrap
from tiebreak.frequentist.pair_outcomes import PairOutcomes, outcomes_of_battles
from tiebreak.readers.battles import read_battles
from tiebreak.readers.files import pipes_as_files
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.scores.battles import Battles
from tiebreak.scores.scores import Scores
from tiebreak.views.looks import keep, plan_of


def rate(
    *sources: Any,
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
    n_total: int | None = None,
    looks: Looks | Ratings | Mapping[str, Any] | str | os.PathLike[str] | None = None,
) -> Ratings:
    """Rate models by whom they beat (Bradley-Terry, on Elo's scale), with intervals of the ratings and of the ranks.

    The ratings are for a further dataset, cluster, question or battle like these: the bootstrap draws them as a whole.

    Parameters
    ----------
    *sources
        Battles: a path to CSV, JSON or Parquet, a frame, records or columns with model_a, model_b and winner ("a", "b", "tie", or
        the name of a model), with cluster where battles belong together (a user, a prompt), and weight where some count more; or
        the judgements of AlpacaEval, FastChat or Arena-Hard. Several are joined, and of a folder all tables of battles in it. Or
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
        Column of battles that belong together, such as "user". If not given it is "cluster", or where there is none that of the
        questions, such as "question_id", if there are at least 20 and some stand in several battles, as in both orders.
    position : bool, default True
        Take the judge's bias for the answer that stands first (model_a) out, where the battles can tell it: where models met in
        both orders. False where model_a is not who stood first, as in tables that list the winner first.
    n_total, looks : int and Looks, Ratings, mapping or path, optional
        A plan of looks at battles that are still coming in: the battles (or clusters, questions) that are planned in all, and the
        looks before, as for `compare`. Who meets whom has to be drawn from one fixed distribution. Intervals and ranks of all
        looks then hold at once at `level`.

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
    plan, path, content = (None, None, None) if n_total is None and looks is None else plan_of(n_total, looks)
    settings: dict[str, Any] = {"ties": ties, "anchor": anchor, "level": level, "n_resamples": n_resamples, "rng": rng}
    if not sources:
        raise UnsupportedSourceError("nothing to rate: pass battles, a table with the columns model_a, model_b and winner.")
    with pipes_as_files(sources) as found:
        held = [each for source in found for each in _tables_in(source)]
        battles = read_battles(*held, cluster=cluster)
        if battles is None:
            if cluster is not None:
                raise InvalidParameterError(
                    "cluster is of battles, and these are scores; each dataset counts once.", about="cluster"
                )
            if plan is not None:
                raise InvalidParameterError(
                    "ratings take looks at battles, and these are scores. Look at datasets with compare.", about="n_total"
                )
            is_read = len(held) == 1 and isinstance(held[0], Scores)
            scores = held[0] if is_read else read_scores(*held, metric=metric, lower_is_better=lower_is_better)
            return rate_scores(scores, tie_margin=tie_margin, **settings)
    n_both, n_kept = battles.both_orders()
    settings |= {"unit": battles.unit, "repeated": battles.repeated, "n_both": n_both, "n_kept": n_kept}
    settings["n_without_verdict"] = battles.n_without_verdict
    settings |= {"sources": battles.sources if len(battles.sources) > 1 else (), "judges": battles.judges}
    if plan is not None:
        ratings = _at_looks(plan, battles, position, settings)
        if path is not None and ratings.looks is not None:
            keep(path, content, ratings.looks)
        return ratings
    state: PositionState = "ignored" if not position or ties != "half" else "taken out" if battles.tells_position else "one order"
    ratings = rate_outcomes(_outcomes(battles, is_ordered=state == "taken out"), battles.models, position=state, **settings)
    if ratings.position_probability in (0.0, 1.0):
        return rate_outcomes(_outcomes(battles), battles.models, position="always", **settings)
    if state == "taken out" and not ratings.position_low < ratings.position_high:
        return rate_outcomes(_outcomes(battles), battles.models, position="too few", **settings)
    return ratings


def _tables_in(source: Any) -> list[Any]:
    """Tables of battles in a folder, or what was found in one; any other source, and a folder without any, as it is."""
    if isinstance(source, Results):
        return source.battles() or [source]
    return (read_results(source).battles() or [source]) if is_folder(source) else [source]


def _at_looks(plan: Looks, battles: Battles, position: bool, settings: dict[str, Any]) -> Ratings:
    """Ratings at the next look of a plan."""
    if battles.weight is not None or settings.pop("ties") != "half":
        what = "weights" if battles.weight is not None else "ties by Davidson's model"
        raise UnsuitableDesignError(f"looks at battles with {what} were not measured. Rate once, when all are in.")
    for name in ("rng", "n_resamples", "unit"):
        del settings[name]  # nothing is drawn
    table = BattleTable(battles.models, battles.model_a, battles.model_b, battles.outcome, battles.cluster, battles.unit)

    @cache
    def outcomes_to(n: int) -> tuple[PositionState, PairOutcomes]:
        part = battles.first(table.rows_to(n))
        if not position:
            return "ignored", _outcomes(part)
        if not part.tells_position:
            return "one order", _outcomes(part)
        ordered = _outcomes(part, is_ordered=True)
        found = bradley_terry_bootstrap(ordered, n_resamples=1)
        if abs(found.position) >= MOST_BIAS:
            return "always", _outcomes(part)
        return ("taken out", ordered) if found.position_error > 0 else ("too few", _outcomes(part))

    return rate_at_looks(plan, table, outcomes_to, asks_position=position, **settings)


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
