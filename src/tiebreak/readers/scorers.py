"""The one metric of a search: from its ``scoring``, its scorer, or its estimator."""

from __future__ import annotations

from typing import Any, NamedTuple

from tiebreak.readers.metrics import choose_metric
from tiebreak.readers.request import Request


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
