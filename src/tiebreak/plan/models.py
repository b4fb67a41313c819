"""The models of a plan: whatever was passed, by name."""

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tiebreak.errors import DataError
from tiebreak.printable import fault_of_name, printable
from tiebreak.scores.vocabulary import quoted

_ACCEPTED = (
    "an object with fit and predict (an estimator, a pipeline, a class of your own), a function "
    "(X_train, y_train, X_test, rng) -> predictions, or the result of tb.grid"
)
_RESPONSES = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def name_models(models: Any) -> dict[str, Any]:
    """Models by name, in the order given; those in a list are named by their class, unless they are pairs of a name and a model.

    Values of a dict, and entries of a list, may be grids: dicts of models. Raises `DataError` where there is nothing to
    evaluate, something that is no model, or two models of one name.
    """
    named = list(_pairs(models))
    if not named:
        raise DataError(f"there are no models to evaluate. Pass {{name: model}}, where a model is {_ACCEPTED}.")
    doubled = [name for name, count in Counter(name for name, _ in named).items() if count > 1]
    if doubled:
        raise DataError(f"more than one model is called {quoted(doubled)}. Give each its own name: {{name: model}}.")
    for name, model in named:
        if fault := fault_of_name(name):
            raise DataError(f"the name {name!r} of a model {fault}")
        if isinstance(model, type):
            raise DataError(f"model {name!r} is the class {model.__name__}; pass an object of it: {model.__name__}().")
        if is_function(model):
            _check_function(name, model)
        elif not hasattr(model, "fit"):
            raise DataError(f"model {name!r} is of type {type(model).__name__}. A model is {_ACCEPTED}.")
        elif not any(hasattr(type(model), method) or hasattr(model, method) for method in _RESPONSES):
            raise DataError(f"model {name!r} ({type(model).__name__}) has fit, but no predict. A model is {_ACCEPTED}.")
        try:
            parts_of(model)
        except Exception as error:
            raise DataError(
                f"model {name!r} cannot say what it is: {type(error).__name__}: {printable(str(error))}. Mend its get_params."
            ) from error
    return dict(named)


def is_function(model: Any) -> bool:
    """True for a model that is a function rather than an object with `fit`."""
    return callable(model) and not hasattr(model, "fit")


def parts_of(model: Any) -> list[Any]:
    """A model and all estimators, functions and splitters among its parameters, at any depth."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return [model]
    parameters = model.get_params(deep=True).values()
    return [
        model,
        *(value for value in parameters if callable(value) or hasattr(value, "get_params") or hasattr(value, "get_n_splits")),
    ]


def module_of(part: Any) -> str:
    """Module that a function, or the class of an object, comes from."""
    return str(getattr(part if hasattr(part, "__qualname__") else type(part), "__module__", ""))


def _pairs(models: Any) -> Iterator[tuple[str, Any]]:
    """Names and models, those of grids by both names."""
    if isinstance(models, Mapping):
        for name, model in models.items():
            if not isinstance(name, str):
                raise DataError(f"models has the key {name!r} of type {type(name).__name__}; names must be text.")
            if isinstance(model, Mapping):
                yield from ((f"{name}, {inner}", each) for inner, each in _pairs(model))
            else:
                yield name, model
    else:
        for model in models if isinstance(models, list | tuple) else [models]:
            if isinstance(model, tuple) and len(model) == 2:  # a name and a model, as in scikit-learn's pipelines
                model = dict([model])
            yield from _pairs(model) if isinstance(model, Mapping) else [(_class_name(model), model)]


def _class_name(model: Any) -> str:
    """Name of a model that was given none: of a pipeline that of its last step."""
    steps = getattr(model, "steps", None)
    if steps and isinstance(steps, list) and hasattr(model, "get_params"):
        return _class_name(steps[-1][1])
    return str(getattr(model, "__name__", type(model).__name__))


def _check_function(name: str, function: Any) -> None:
    try:
        inspect.signature(function).bind(None, None, None, None)
    except TypeError:
        raise DataError(
            f"model {name!r} is a function that does not take four arguments. Write it as "
            "f(X_train, y_train, X_test, rng) and let it return the predictions for X_test."
        ) from None
    except ValueError:  # a built-in whose signature is not known
        pass
