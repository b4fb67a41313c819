"""The public function `rate`: battles, or scores on many datasets, into ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.api import read_scores
from tiebreak.comparison.ratings import Ratings, rate_battles, rate_scores
from tiebreak.errors import DataError, InvalidParameterError, Setting, UnclearSourceError, UnsupportedSourceError
from tiebreak.readers import battles as reader
from tiebreak.readers.files import pipes_as_files
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.readers.header import column_advice
from tiebreak.scores.battles import Battles
from tiebreak.scores.scores import Scores


def read_battles(
    *sources: Any,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
) -> Battles:
    """Read battles, for `rate`.

    Parameters
    ----------
    *sources, cluster
        As for `rate`.
    columns : mapping of str to str, optional
        Columns by what they hold, where their names do not say it: ``{"model_a": "my column"}``; model_a, model_b, winner,
        cluster, weight, question or judge.
    where : mapping, optional
        Keep only the rows with this value, or one of these, in a column: ``{"language": "English"}``.

    Returns
    -------
    Battles
        Models, who met whom, the outcomes, and what belongs together.

    Raises
    ------
    TiebreakError
        There are no battles in the sources, or they cannot be read.

    Examples
    --------
    >>> read_battles({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["a", "tie"]}).outcome.tolist()
    [1, 0]
    """
    with pipes_as_files(sources) as files:
        found = _battles_in(files, cluster, columns, where)[0]
    if found is None:
        raise UnsupportedSourceError(
            "there are no battles here: pass a table with the columns model_a, model_b and winner, or say which they are: ",
            column_advice("model_a", "NAME", "read_battles"),
            ".",
        )
    return found


def rate(
    *sources: Any,
    metric: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    tie_margin: float = 0.0,
    anchor: str | None = None,
    level: float = 0.95,
    cluster: str | None = None,
    position: bool = True,
) -> Ratings:
    """Rate models by whom they beat (Bradley-Terry, on Elo's scale), with intervals of the ratings and of the ranks.

    The ratings are for a further dataset, cluster, question or battle like these. A tie is half a win for either.

    Parameters
    ----------
    *sources
        Battles: a path to CSV, JSON or Parquet, a frame, records or columns with model_a, model_b and winner ("a", "b", "tie", or
        the name of a model), or what else people call these (left, right and preference), with cluster where battles belong
        together (a user, a prompt), and weight where some count more; or winner and loser; or model_a, model_b, wins_a, wins_b
        and ties, counted; or AlpacaEval's annotations; or what `read_battles` has read. Several are joined, of a folder all those
        in it. Or scores of several datasets, as `compare` reads them: on each dataset the model with the better mean
        beats the others, over the splits that all models there have.
    metric, lower_is_better
        Of scores, as for `compare`.
    tie_margin : float
        Of scores: means that differ by no more than this, in the metric's unit, tie.
    anchor : str, optional
        The model that is rated 1000; the mean of all is if none is named.
    level : float
        Coverage of each rating's interval, and of all ranks at once.
    cluster : str, optional
        Column of battles that belong together. If not given it is "cluster"; where there is none that of the judges, such as
        "judge", "annotator", "user" or "rater", if there are at least 5 and some judged several battles, as tastes differ; else
        that of the questions, such as "question_id", if there are at least 20 and some stand in several battles. Of judges and
        more than 20 questions the errors of both are taken together.
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
    if not sources:
        raise UnsupportedSourceError("nothing to rate: pass battles, a table with the columns model_a, model_b and winner.")
    with pipes_as_files(sources) as files:
        is_made = len(files) == 1 and isinstance(files[0], Battles)
        if is_made and cluster is not None:
            raise InvalidParameterError("these battles have been read: say cluster= to read_battles.", about="cluster")
        held = files[0] if is_made else read_rated(*files, cluster=cluster, metric=metric, lower_is_better=lower_is_better)
        if isinstance(held, Battles):
            _refuse_of_scores({"metric": metric, "lower_is_better": lower_is_better, "tie_margin": tie_margin or None})
            return rate_battles(held, position=position, anchor=anchor, level=level)
        return rate_scores(held, tie_margin=tie_margin, anchor=anchor, level=level)


def read_rated(
    *sources: Any,
    cluster: str | None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    **of_scores: Any,
) -> Battles | Scores:
    """Battles or, where there are none in the sources, scores; `columns` and `where` are as for either's reader."""
    is_of_scores = columns is not None and not columns.keys() <= reader.HELD
    battles, held = (None, sources) if is_of_scores else _battles_in(sources, cluster, columns, where)
    if battles is not None:
        _refuse_of_scores(of_scores)
        return battles
    if cluster is not None:
        raise InvalidParameterError("cluster is of battles, and these are scores; each dataset counts once.", about="cluster")
    try:
        return read_scores(*held, columns=columns, where=where, **of_scores)
    except (DataError, UnclearSourceError) as error:
        raise type(error)(
            *error.parts,
            " If its rows are battles: they have columns model_a, model_b and winner; say which they are: ",
            column_advice("model_a", "NAME", "read_battles"),
            ".",
        ) from None


def _refuse_of_scores(given: Mapping[str, Any]) -> None:
    """Refuse what was said of scores where battles were found."""
    for name in [name for name, value in given.items() if value is not None][:1]:
        raise InvalidParameterError(Setting(name), " is of scores, and these are battles: leave it out.", about=name)


def _battles_in(
    sources: Sequence[Any],
    cluster: str | None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
) -> tuple[Battles | None, list[Any]]:
    """The battles in sources, and the tables in these: of a folder those of battles, if it has any."""
    held: list[Any] = []
    for source in sources:
        found = source if isinstance(source, Results) else read_results(source) if is_folder(source) else None
        held += ([] if found is None else [str(each.path) for each in found.of_kind("battles")]) or [source]
    return reader.read_battles(*held, cluster=cluster, columns=columns, where=where), held
