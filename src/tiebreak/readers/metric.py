"""Which metric is read, how its values are stored, and whether they can be what their name says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import AmbiguousSourceError, InvalidParameterError, InvalidScoresError, UnknownDirectionError
from tiebreak.numerics import FloatArray
from tiebreak.readers.source import Request
from tiebreak.scores.metric import HIGHER_IS_BETTER, LOWER_IS_BETTER, Metric, NamedMetric, is_abbreviated_loss, name_metric
from tiebreak.scores.scores import ScoreMatrix, look_up, quoted

_ROUNDING = 1e-12
"""A perfect log loss may come out as -1e-16."""


def choose_metric(held: Sequence[str], asked: str | None, source: str) -> str:
    """The one of the held metrics that is to be read; "log_loss" finds "neg_log_loss" and the other way round.

    Raises
    ------
    AmbiguousSourceError
        There are several and none was asked for.
    UnknownNameError
        The one asked for is not there.
    """
    if asked is None:
        if len(held) > 1:
            raise AmbiguousSourceError(
                f"{source} holds {len(held)} metrics: {quoted(held)}. Say which one to compare with metric=."
            )
        return held[0]
    for alias in (asked, f"neg_{asked}", asked.removeprefix("neg_")):
        if alias in held:
            return alias
    return held[look_up(asked, held, "metric")]


def check_held(metric: Metric, request: Request, source: str) -> Metric:
    """A metric whose name and direction the source knows; what the caller says must agree.

    Raises
    ------
    UnknownNameError
        Another metric was asked for.
    InvalidParameterError
        The other direction was given.
    """
    choose_metric([metric.name], request.metric, source)
    if request.lower_is_better is not None and request.lower_is_better == metric.higher_is_better:
        direction = "higher" if metric.higher_is_better else "lower"
        raise InvalidParameterError(
            f"lower_is_better={request.lower_is_better} contradicts {source}, which says of {metric.name!r} that {direction} "
            "is better. Leave it out."
        )
    return metric


def table_metric(held: str | None, request: Request, source: str) -> NamedMetric:
    """The metric of a table, array or file, whose values are taken at their name's word.

    Parameters
    ----------
    held : str or None
        As the source calls it; None where it does not say, so that the caller must.
    request : Request
    source : str
        For messages.
    """
    if held is not None:
        # a caller who says neg_x of a column called x says how its values are stored
        says_negated = request.metric is not None and request.metric == f"neg_{held}"
        return name_metric(f"neg_{held}" if says_negated else held, request.lower_is_better)
    if request.metric is not None:
        return name_metric(request.metric, request.lower_is_better)
    if request.lower_is_better is not None:
        return name_metric("score", request.lower_is_better)
    raise UnknownDirectionError(
        f"{source} does not say which metric its scores are, nor whether higher or lower is better. Pass metric=: a "
        "scikit-learn scorer name such as 'accuracy' or 'neg_log_loss', or any other name together with lower_is_better=True "
        "or lower_is_better=False."
    )


def sklearn_metric(held: str, request: Request, sign: int | None = None) -> NamedMetric:
    """The metric of scores that scikit-learn computed, where a higher stored value is better: losses are stored negated.

    Parameters
    ----------
    held : str
        Name of the scorer, or "score" where it has none.
    request : Request
    sign : {1, -1, None}
        What the scorer multiplied its function by, where the source knows it.
    """
    name = request.metric if held == "score" and request.metric is not None else held
    plain = name.removeprefix("neg_")
    if plain in LOWER_IS_BETTER:
        return NamedMetric(name_metric(plain, request.lower_is_better).metric, -1)
    if name in HIGHER_IS_BETTER:
        return name_metric(name, request.lower_is_better)
    is_loss = request.lower_is_better
    if is_loss is None:
        is_loss = is_abbreviated_loss(plain) if sign is None else sign == -1
    return NamedMetric(Metric(plain if is_loss else name, higher_is_better=not is_loss), -1 if is_loss else 1)


def orient(score: FloatArray, factor: int) -> FloatArray:
    """Stored values in the metric's own unit."""
    return score if factor == 1 else 0.0 - score  # not -score, which would turn 0 into -0


def check_sign(matrix: ScoreMatrix, named: NamedMetric, source: str, *, by_sklearn: bool = False) -> None:
    """Refuse values that cannot be what their name says: a log loss below zero, or a ``neg_log_loss`` above.

    Raises
    ------
    InvalidScoresError
        Sign and name contradict each other.
    """
    metric = named.metric
    is_never_negative = metric.name in LOWER_IS_BETTER or (by_sklearn and is_abbreviated_loss(metric.name))
    if metric.higher_is_better or not is_never_negative:
        return
    for model, row in zip(matrix.models, matrix.score, strict=True):
        split = int(np.argmin(np.where(np.isnan(row), np.inf, row))) if row.size else 0
        if row.size and row[split] < -_ROUNDING:
            stored = float(row[split]) * named.factor
            where = f"model {model!r} has {stored:g} on {matrix.split_name(split)}"
            raise InvalidScoresError(f"{source}: {where}, but {_contradiction(metric.name, named.factor, by_sklearn)}")


def _contradiction(name: str, factor: int, by_sklearn: bool) -> str:
    if by_sklearn:
        return (
            f"scikit-learn stores the loss {name!r} negated, never above zero: sign and name contradict each other. If the "
            "scorer was made without greater_is_better=False, the search took large losses for good ones; pass the losses "
            f"themselves as {{name: array}} with metric={name!r}."
        )
    if factor == -1:
        return (
            f"a value called 'neg_{name}' is a negated loss, never above zero: sign and name contradict each other. If these "
            f"are the losses themselves, call the metric {name!r}."
        )
    return (
        f"{name!r} is never negative: sign and name contradict each other. If these are scikit-learn's negated losses, call "
        f"the metric 'neg_{name}' (in the source, or with metric=)."
    )


def check_finite(matrix: ScoreMatrix, source: str) -> None:
    """Refuse infinite scores; nan stands for a score that is undefined.

    Raises
    ------
    InvalidScoresError
        Naming the first infinite score.
    """
    for model, row in zip(matrix.models, matrix.score, strict=True):
        infinite = np.flatnonzero(np.isinf(row))
        if infinite.size:
            raise infinite_score(f"{source}: model {model!r}, {matrix.split_name(int(infinite[0]))}", row[infinite[0]])


def infinite_score(where: str, value: float) -> InvalidScoresError:
    """The error for one infinite score."""
    return InvalidScoresError(
        f"{where}: the score is {'' if value > 0 else 'minus '}infinite. Means and differences would be infinite too; correct "
        "it, or leave the cell empty (nan) if the score is undefined."
    )


class Scorer(NamedTuple):
    """Under which key of ``cv_results_`` scores are stored, what they are called, and what their function was multiplied by."""

    key: str
    name: str
    sign: int | None


def scorer_of(search: Any, request: Request) -> Scorer:
    """The scorer of a search with one metric; of a bare ``cv_results_`` (None) nothing is known.

    A name that is only supposed yields to ``metric=``; one that is certain must agree with it.
    """
    name, sign, is_certain = ("score", None, False) if search is None else _known(search)
    if request.metric is None:
        return Scorer("score", name, sign)
    if is_certain:
        choose_metric([name], request.metric, f"the {type(search).__name__}")
        return Scorer("score", name, sign)
    return Scorer("score", "score", sign)  # metric= names it


def _known(search: Any) -> tuple[str, int | None, bool]:
    """Name, sign, and whether the name is certain."""
    scoring = getattr(search, "scoring", None)
    if isinstance(scoring, str):
        return scoring, None, True
    if scoring is None:
        return _default(getattr(search, "estimator", None))
    registered = _registered_name(scoring)
    if registered is not None:
        return registered, None, True
    name = getattr(getattr(scoring, "_score_func", scoring), "__name__", "score")
    return ("score" if name == "<lambda>" else str(name)), getattr(scoring, "_sign", None), False


def _default(estimator: Any) -> tuple[str, int | None, bool]:
    """What an estimator's own ``score`` is: accuracy or R2, surely so where it is scikit-learn's method."""
    from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor

    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    method = getattr(type(last), "score", None)
    if is_classifier(estimator):
        return "accuracy", None, method is ClassifierMixin.score
    if is_regressor(estimator):
        return "r2", None, method is RegressorMixin.score
    return "score", None, False


def _registered_name(scoring: Any) -> str | None:
    """The name under which scikit-learn knows a scorer object, such as that of get_scorer("roc_auc")."""
    if not hasattr(scoring, "_score_func"):
        return None
    from sklearn.metrics import get_scorer, get_scorer_names

    return next((name for name in get_scorer_names() if repr(get_scorer(name)) == repr(scoring)), None)
