"""One metric and how it is obtained: from what a model said, row by row where it is a mean, or by asking the model itself."""

import inspect
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tiebreak.errors import NAMED_SCORERS, Advice, DataError, InvalidParameterError, Setting, UnknownNameError
from tiebreak.metrics.fast import FORMULAS, Formula, positive_position
from tiebreak.metrics.targets import Array, Truth, UndefinedScore
from tiebreak.numerics import FloatArray
from tiebreak.scores.metric import (
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    Metric,
    direction_of,
    full_name,
    is_known,
    names_loss,
)
from tiebreak.scores.vocabulary import look_up, quoted

Outputs = Mapping[str, Array]
"""What a model said of the test rows, by the method that said it."""

_ROUNDING = 1e-12
"""A perfect loss may come out as -1e-16."""

_INSTEAD = {
    "predict_proba": "Use a model that gives probabilities (CalibratedClassifierCV around it adds them), or another metric such "
    "as 'accuracy'.",
    "predict": "Use a model that has it, or a function (model, X, y) -> float as the metric.",
}


@dataclass(frozen=True, slots=True)
class Scorer:
    """A metric, ready to be computed.

    Attributes
    ----------
    metric : Metric
        Name and direction as users know them; scores are in its own unit, so that a loss is positive.
    fingerprint_parts : object
        What tells, hashed, whether the metric is still computed as it was.
    formula : Formula or None
        Computation from the model's answers; None for a metric that asks the model.
    needs : tuple of str
        Methods of a model that the formula takes, the preferred one first: `score` takes the answer of the first that there is.
        Empty for a metric that asks the fitted model itself, by `score_model`.
    call : callable or None
        ``(model, X, y, **kwargs) -> float`` of a metric that asks the model, as scikit-learn's scorers are called.
    factor : int
        +1 or -1: what turns the value of `call` into the metric's own unit.
    """

    metric: Metric
    fingerprint_parts: Any
    formula: Formula | None = field(default=None, repr=False, compare=False)
    needs: tuple[str, ...] = ()
    call: Any = field(default=None, repr=False)
    factor: int = 1

    def score(self, truth: Truth, outputs: Outputs) -> float:
        """The metric of what a model said of the rows of the truth, by method; columns are those of the dataset's classes.

        Raises `UndefinedScore` where rows and answers do not tell the metric, and `DataError` for an answer of another shape, or
        labels of another type.
        """
        formula, method = self._answered(outputs)
        return float(formula.compute(truth, outputs[method], method))

    def values_by_row(self, truth: Truth, outputs: Outputs) -> FloatArray:
        """Contribution of each row to a metric that is their mean (`is_mean_of_rows`), of shape (n_rows,).

        Undefined where some value is nan or infinite, or the answer is not there.
        """
        formula, method = self._answered(outputs)
        values = np.asarray(formula.by_row(truth, outputs[method]), dtype=float)
        if not np.isfinite(values).all():
            raise UndefinedScore(f"{method} is not finite on {np.count_nonzero(~np.isfinite(values))} row(s)")
        return values

    def is_mean_of_rows(self, truth: Truth) -> bool:
        """True if `values_by_row` knows the metric on such a target."""
        return self.formula is not None and self.formula.by_row is not None and truth.values.ndim == 1

    def _answered(self, outputs: Outputs) -> tuple[Formula, str]:
        """The formula, and the first of its methods that there is an answer of."""
        method = next((each for each in self.needs if each in outputs), None)
        if self.formula is None or method is None:
            raise UndefinedScore(f"it needs {' or '.join(self.needs)}, and there is {quoted(list(outputs))} of the model")
        return self.formula, method

    def score_model(self, model: Any, X_test: Any, y_test: Any, **kwargs: Any) -> float:
        """The metric of a fitted model, for a metric without `needs`.

        Raises `UndefinedScore` where its value is nan or infinite, `InvalidParameterError` where it is no number, and
        `DataError` for a negative value of a loss that never is.
        """
        value = self.call(model, X_test, y_test, **kwargs)
        if isinstance(value, Mapping):
            raise InvalidParameterError(
                f"the metric {self.metric.name!r} returned a dict with {quoted(list(value))}. Pass one scorer for each: ",
                NAMED_SCORERS,
                ".",
            )
        if isinstance(value, np.ndarray | np.generic) and value.size == 1:
            value = value.item()
        if not isinstance(value, int | float):
            raise InvalidParameterError(
                f"the metric {self.metric.name!r} returned {value!r} of type {type(value).__name__}; it has to return one number."
            )
        if not math.isfinite(value):
            raise UndefinedScore(f"its function returned {value:g}")
        if value * self.factor < -_ROUNDING and names_loss(self.metric.name):
            raise DataError(
                f"the metric {self.metric.name!r} is never negative, but {value * self.factor:g} was returned. Call it "
                f"'neg_{self.metric.name}' if the function returns the loss with a minus sign, as scikit-learn's scorers do."
            )
        return float(value * self.factor)


def check_model(scorer: Scorer, model_name: str, model: Any) -> None:
    """Check that a model, fitted or not, has a method that the metric needs; a function is seen when it is called."""
    from sklearn.base import is_clusterer

    methods = scorer.needs or (_asks(scorer.call) if hasattr(scorer.call, "_response_method") else ())
    if callable(model) and not hasattr(model, "fit"):
        if scorer.needs:
            return
        raise DataError(
            f"the metric {scorer.metric.name!r} asks the fitted model itself, and the model {model_name!r} is a function, "
            "which leaves none. Use an object with fit and predict, or another metric."
        )
    finds_clusters = False
    with suppress(Exception):  # an object that is no estimator of scikit-learn, of which nothing can be asked
        finds_clusters = is_clusterer(model)
    if finds_clusters and scorer.formula is not None:
        raise DataError(
            f"the model {model_name!r} ({type(model).__name__}) finds clusters, whose numbers are no labels of y, so that "
            f"{scorer.metric.name!r} says nothing of it. Pass ",
            Setting("scoring", "'adjusted_rand_score'"),
            " or another metric of clusters.",
        )
    if methods and not any(hasattr(model, method) for method in methods):
        raise DataError(
            f"the metric {scorer.metric.name!r} needs {' or '.join(methods)}, which the model {model_name!r} "
            f"({type(model).__name__}) does not have. {_INSTEAD.get(methods[-1], _INSTEAD['predict'])}"
        )


def check_target(scorer: Scorer, truth: Truth, dataset_name: str = "") -> None:
    """Check that a metric can have a value on a target, before anything is fitted.

    It has none, whatever the split and the model, for F1 of the labels "no" and "yes", neither of which is 1.
    """
    try:
        if scorer.formula is not None:
            scorer.formula.check(truth)
        elif _wants_the_label_1(scorer.call):
            positive_position(truth)
    except UndefinedScore as reason:
        of = f" of dataset {dataset_name!r}" if dataset_name else ""
        how = Advice(".")
        if truth.classes is not None and truth.classes.size == 2 and "the label 1" in str(reason):
            label = truth.classes.tolist()[1]
            named = f'{{ metric = "{scorer.metric.name}", positive = {json.dumps(label, default=str)} }}'
            called = f", or name it: scoring=make_scorer(..., pos_label={label!r})."
            how = Advice(called, study=f". Or name it: metrics = [{named}].")
        raise DataError(f"the metric {scorer.metric.name!r} cannot be computed for y{of}: {reason}", how) from None


def _wants_the_label_1(call: Any) -> bool:
    """True for a scorer of scikit-learn of two classes to which nobody has said which one is positive."""
    settings = getattr(call, "_kwargs", {})
    if not hasattr(call, "_score_func") or "pos_label" in settings or settings.get("average", "binary") != "binary":
        return False
    try:
        parameter = inspect.signature(call._score_func).parameters.get("pos_label")
    except (TypeError, ValueError):  # of a function written in C
        return False
    return parameter is not None and parameter.default == 1


# --- from what callers name ------------------------------------------------------------------------------------------------


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
        for model in () if classifier else models:
            kind = model.__sklearn_tags__().estimator_type if hasattr(model, "__sklearn_tags__") else None
            if kind not in (None, "classifier", "regressor"):
                raise InvalidParameterError(
                    f"{type(model).__name__} is a {kind.replace('_', ' ')}, which has no default metric. Pass ",
                    Setting("scoring"),
                    f": {_ACCEPTED}.",
                )
        scoring = "accuracy" if classifier else "r2"
    several = scoring if isinstance(scoring, Mapping | list | tuple | set | frozenset) else [scoring]
    named = several.items() if isinstance(several, Mapping) else [(None, each) for each in several]
    scorers = [_resolve(each, key, classifier, n_classes) for key, each in named]
    if not scorers:
        raise InvalidParameterError(Setting("scoring", repr(scoring)), f" names no metric. Pass {_ACCEPTED}.")
    if isinstance(scoring, set | frozenset):  # whose own order changes from process to process
        scorers.sort(key=lambda scorer: scorer.metric.name)
    doubled = [name for name, count in Counter(scorer.metric.name for scorer in scorers).items() if count > 1]
    if doubled:
        raise InvalidParameterError(f"two metrics are called {quoted(doubled)}. Name each: ", NAMED_SCORERS, ".")
    return tuple(scorers)


def _resolve(given: Any, key: Any, classifier: bool, n_classes: int | None) -> Scorer:
    """One metric, under the key of a dict or its own name."""
    if key is not None and not (isinstance(key, str) and key):
        raise InvalidParameterError(f"scoring has the key {key!r} of type {type(key).__name__}; names of metrics are text.")
    if isinstance(given, str):
        return _by_name(given, key, classifier, n_classes)
    if hasattr(given, "_score_func"):
        own = _definition(given)
        registered = next((name for name, other in _definitions().items() if other == own), None)
        if registered is not None and not hasattr(given, "_metadata_request"):
            return _by_name(registered, key, classifier, n_classes)
        metric = _metric(key or _name_of(given._score_func), given._sign > 0)
        return Scorer(metric, ("make_scorer", *own), call=given, factor=int(given._sign))
    from tiebreak.metrics.costs import CostMatrix

    if isinstance(given, CostMatrix):
        if not classifier or not n_classes:
            raise InvalidParameterError("a CostMatrix is for classes, and the target does not hold one label for each row.")
        formula = Formula(("predict",), given.of_truth, True, given.check_truth)
        return Scorer(_metric(key or given.name, False), given.fingerprint_parts, formula, formula.needs)
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
    metric = _metric(key, higher) if key else Metric(own, higher)
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
        return Scorer(metric, parts, call=call, factor=1 if higher else -1)
    if formula.for_more and n_classes and n_classes > 2:
        instead = " or ".join(repr(each) for each in formula.for_more)
        raise InvalidParameterError(f"the metric {own!r} is for two classes, and the target has {n_classes}. Use {instead}.")
    return Scorer(metric, parts, formula, formula.needs)


# --- scorer objects and functions -------------------------------------------------------------------------------------------


def _of_callable(function: Callable[..., Any], key: str | None) -> Scorer:
    """A function of model, X and y: higher is better, unless its name is that of a loss; one that only sounds so is refused."""
    name = key or _name_of(function)
    if (getattr(function, "__module__", None) or "").startswith("sklearn.metrics.") and hasattr(function, "__name__"):
        raise InvalidParameterError(
            f"{function.__name__} is a function of labels and predictions, and a function of model, X and y is needed. Pass the "
            f"name of the metric, or make_scorer({function.__name__}) from sklearn.metrics."
        )
    own = name.removeprefix("neg_")
    if direction_of(own) is None and own == name and re.search("(?i)loss|error|cost|distance|divergence|regret", name):
        raise InvalidParameterError(
            f"of a function higher is better, and the name {name!r} sounds as if lower were. Return the negative and call it ",
            Setting("scoring", f"{{'neg_{name}': function}}"),
            ", or give it a name without doubt: ",
            NAMED_SCORERS,
            ".",
        )
    is_loss = direction_of(own) is False
    return Scorer(_metric(name, not is_loss), ("callable", function), call=function, factor=-1 if is_loss and own != name else 1)


def _metric(name: str, higher: bool) -> Metric:
    """A metric as it is shown: a loss without ``neg_``; refuses a name that is known to have the other direction."""
    shown = name if higher else name.removeprefix("neg_")
    if is_known(shown.removeprefix("neg_")) and direction_of(shown.removeprefix("neg_")) is not higher:
        raise InvalidParameterError(
            f"of the metric {shown!r} {'lower' if higher else 'higher'} is better, but the scorer says that "
            f"{'higher' if higher else 'lower'} is. Give make_scorer greater_is_better={not higher}, or the metric another "
            "name: ",
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
