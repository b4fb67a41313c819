"""Scorers from what callers name as metrics: names, scikit-learn's scorers, functions, lists and dicts of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tiebreak.errors import NAMED_SCORERS, InvalidParameterError, Setting, UnknownNameError
from tiebreak.metrics.fast import FORMULAS, Formula
from tiebreak.metrics.scorer import Scorer
from tiebreak.scores.metric import HIGHER_IS_BETTER, LOWER_IS_BETTER, Metric, full_name
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    pass

_ACCEPTED = (
    'a name such as "roc_auc", a scorer of make_scorer, a CostMatrix, a function (model, X, y) -> float, a list of these, '
    "or a dict {name: any of these}"
)


def resolve_scorers(scoring: Any, *, classifier: bool, n_classes: int | None, models: Sequence[Any] = ()) -> tuple[Scorer, ...]:
    """The metrics that are asked for, in the order given; those of a set by name.

    Parameters
    ----------
    scoring : None, str, scorer, callable, or a list, tuple, set or dict of these
        None is accuracy for classes and R2 for numbers.
    classifier : bool
        Whether the target is labels of classes.
    n_classes : int or None
        Number of classes; None where a row has not just one label. Then metrics are computed by scikit-learn's scorers.
    models : sequence of estimators, optional
        What is to be measured, which must have a default metric where `scoring` is None.

    Raises
    ------
    UnknownNameError
        With the nearest names.
    InvalidParameterError
        Something else than a metric, two metrics of one name, a direction that contradicts the name, or a metric for two
        classes where there are more.
    """
    if scoring is None:
        scoring = "accuracy" if classifier else _default_for_numbers(models)
    if isinstance(scoring, Mapping):
        scorers = [_resolve(each, key, classifier, n_classes) for key, each in scoring.items()]
    else:
        several = scoring if isinstance(scoring, list | tuple | set | frozenset) else [scoring]
        scorers = [_resolve(each, None, classifier, n_classes) for each in several]
    if not scorers:
        raise InvalidParameterError(Setting("scoring", repr(scoring)), f" names no metric. Pass {_ACCEPTED}.")
    if isinstance(scoring, set | frozenset):  # whose own order changes from process to process
        scorers.sort(key=lambda scorer: scorer.metric.name)
    doubled = [name for name, count in Counter(scorer.metric.name for scorer in scorers).items() if count > 1]
    if doubled:
        raise InvalidParameterError(f"two metrics are called {quoted(doubled)}. Name each: ", NAMED_SCORERS, ".")
    return tuple(scorers)


def _default_for_numbers(models: Sequence[Any]) -> str:
    """The name of the metric where none was asked for and nothing is classified."""
    for model in models:
        kind = model.__sklearn_tags__().estimator_type if hasattr(model, "__sklearn_tags__") else None
        if kind not in (None, "classifier", "regressor"):
            raise InvalidParameterError(
                f"{type(model).__name__} is a {kind.replace('_', ' ')}, which has no default metric. Pass ",
                Setting("scoring"),
                f": {_ACCEPTED}.",
            )
    return "r2"


def _resolve(given: Any, key: Any, classifier: bool, n_classes: int | None) -> Scorer:
    """One metric, under the key of a dict or its own name."""
    if key is not None and not (isinstance(key, str) and key):
        raise InvalidParameterError(f"scoring has the key {key!r} of type {type(key).__name__}; names of metrics are text.")
    if isinstance(given, str):
        return _by_name(given, key, classifier, n_classes)
    if hasattr(given, "_score_func"):
        own = _definition(given)
        names = () if hasattr(given, "_metadata_request") else (name for name, other in _definitions().items() if other == own)
        registered = next(iter(names), None)
        if registered is not None:
            return _by_name(registered, key, classifier, n_classes)
        metric, asks = _metric(key or _name_of(given._score_func), given._sign > 0), _asks(given)
        parts = ("make_scorer", given._score_func, given._sign, dict(given._kwargs), asks)
        return Scorer(metric, (), parts, call=given, factor=int(given._sign), asks=asks)
    from tiebreak.metrics.costs import CostMatrix

    if isinstance(given, CostMatrix):
        if not classifier or not n_classes:
            raise InvalidParameterError("a CostMatrix is for classes, and the target does not hold one label for each row.")
        formula = Formula(("predict",), given.of_truth, True, given.check_truth)
        return Scorer(_metric(key or given.name, False), formula.needs, given.fingerprint_parts, how=formula)
    if callable(given):
        return _of_callable(given, key)
    raise InvalidParameterError(f"scoring holds {given!r} of type {type(given).__name__}. Pass {_ACCEPTED}.")


# --- by name ----------------------------------------------------------------------------------------------------------------


def _by_name(name: str, key: str | None, classifier: bool, n_classes: int | None) -> Scorer:
    """A metric of scikit-learn's list, with or without ``neg_``."""
    own = name.removeprefix("neg_")
    higher = own not in LOWER_IS_BETTER
    if higher and name not in HIGHER_IS_BETTER:
        if full_name(name) != name:
            raise UnknownNameError(f"no metric is called {name!r}: did you mean {full_name(name)!r}?", about="metric")
        look_up(name, sorted(HIGHER_IS_BETTER | LOWER_IS_BETTER), "metric")  # an error that offers the nearest names
    scikit_name = own if higher else f"neg_{own}"
    metric = _metric(key, higher) if key else Metric(own, higher_is_better=higher)
    parts = ("sklearn", scikit_name)
    formula = FORMULAS.get(own)
    if formula is None or formula.is_of_classes is not classifier or (classifier and not n_classes):
        from sklearn import __version__
        from sklearn.metrics import get_scorer

        try:
            call = get_scorer(scikit_name)
        except ValueError:
            raise UnknownNameError(
                f"scikit-learn {__version__}, which is installed, has no scorer {scikit_name!r} yet."
            ) from None
        return Scorer(metric, (), parts, call=call, factor=1 if higher else -1, asks=_asks(call))
    if formula.for_more and n_classes and n_classes > 2:
        instead = " or ".join(repr(each) for each in formula.for_more)
        raise InvalidParameterError(f"the metric {own!r} is for two classes, and the target has {n_classes}. Use {instead}.")
    return Scorer(metric, formula.needs, parts, formula=own, how=formula)


# --- scorer objects and functions -------------------------------------------------------------------------------------------


def _of_callable(function: Callable[..., Any], key: str | None) -> Scorer:
    """A function of model, X and y: higher is better, unless its name is known to be a loss."""
    name = key or _name_of(function)
    module = getattr(function, "__module__", None) or ""
    if module.startswith("sklearn.metrics.") and hasattr(function, "__name__"):
        raise InvalidParameterError(
            f"{function.__name__} is a function of labels and predictions, and a function of model, X and y is needed. Pass the "
            f"name of the metric, or make_scorer({function.__name__}) from sklearn.metrics."
        )
    loss = name.removeprefix("neg_")
    if loss in LOWER_IS_BETTER:
        metric, factor = Metric(loss, higher_is_better=False), 1 if name == loss else -1
    else:
        metric, factor = Metric(name, higher_is_better=True), 1
    return Scorer(metric, (), ("callable", function), call=function, factor=factor)


def _metric(name: str, higher: bool) -> Metric:
    """A metric as it is shown: a loss without ``neg_``; refuses a name that is known to have the other direction."""
    shown = name if higher else name.removeprefix("neg_")
    known = HIGHER_IS_BETTER if higher else LOWER_IS_BETTER
    others = LOWER_IS_BETTER if higher else HIGHER_IS_BETTER
    if shown.removeprefix("neg_") in others and shown not in known:
        said, true = ("higher", "lower") if higher else ("lower", "higher")
        raise InvalidParameterError(
            f"of the metric {shown!r} {true} is better, but the scorer says that {said} is. Give make_scorer "
            f"greater_is_better={not higher}, or the metric another name: ",
            NAMED_SCORERS,
            ".",
        )
    return Metric(shown, higher_is_better=higher)


def _name_of(function: Any) -> str:
    """The function's name; "score" for one that has none of its own."""
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    name = str(getattr(function, "__name__", type(function).__name__))
    return "score" if name.startswith(("<", "_")) else name


def _asks(scorer: Any) -> tuple[str, ...]:
    """The methods that a scorer of scikit-learn uses the first of."""
    methods = scorer._response_method
    return (methods,) if isinstance(methods, str) else tuple(methods)


@cache
def _definitions() -> dict[str, Any]:
    from sklearn.metrics import get_scorer, get_scorer_names

    return {name: _definition(get_scorer(name)) for name in get_scorer_names()}


def _definition(scorer: Any) -> tuple[Any, ...]:
    """Identity of a scorer."""
    return scorer._score_func, scorer._sign, scorer._kwargs, _asks(scorer)
