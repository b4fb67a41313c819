"""The models of a plan: whatever was passed, by name."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tiebreak.errors import InvalidPlanError
from tiebreak.plan.candidates import name_candidates
from tiebreak.printable import fault_of_name
from tiebreak.scores.vocabulary import quoted

_ACCEPTED = (
    "an object with fit and predict (an estimator, a pipeline, a class of your own), a function "
    "(X_train, y_train, X_test, rng) -> predictions, or the result of tb.grid"
)
_RESPONSES = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def name_models(models: Any) -> dict[str, Any]:
    """Models by name, in the order given; those in a list are named by their class, and by what varies within it.

    Values of a dict, and entries of a list, may be grids: dicts of models. Raises `InvalidPlanError` where there is nothing to
    evaluate, something that is no model, or two models of one name.
    """
    if isinstance(models, Mapping):
        named = list(_of_mapping(models))
    elif isinstance(models, list | tuple):
        named = list(_of_list(models))
    else:
        named = list(_of_list([models]))
    if not named:
        raise InvalidPlanError(f"there are no models to evaluate. Pass {{name: model}}, where a model is {_ACCEPTED}.")
    doubled = [name for name, count in Counter(name for name, _ in named).items() if count > 1]
    if doubled:
        raise InvalidPlanError(f"more than one model is called {quoted(doubled)}. Give each its own name: {{name: model}}.")
    for name, model in named:
        if fault := fault_of_name(name):
            raise InvalidPlanError(f"the name {name!r} of a model {fault}")
        _check_model(name, model)
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


# --- models that are declared, and not made -------------------------------------------------------------------------------


class DeclaredModel:
    """Model as a study file declares it: a class and parameters, of which no object was made.

    It has what its class has, as far as that can be seen without an object. `kind` is the class whose kind of model it is, of a
    pipeline that of the last step.
    """

    made: type
    kind: type
    params: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        """Methods of the class; no object of it is there to ask for more."""
        if name.startswith("__") or name in ("steps", "kind", "made", "params"):
            raise AttributeError(name)
        if name == "_estimator_type":
            return self._estimator_kind()
        return getattr(self.kind, name)

    def _estimator_kind(self) -> str | None:
        from sklearn.base import ClassifierMixin, RegressorMixin

        for mixin, kind in ((ClassifierMixin, "classifier"), (RegressorMixin, "regressor")):
            if issubclass(self.kind, mixin):
                return kind
        inner = self.params.get("estimator")
        known = getattr(self.kind, "_estimator_type", None)
        return inner._estimator_kind() if isinstance(inner, DeclaredModel) else known if isinstance(known, str) else None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters that are written in the study, those of parts included."""
        found = dict(self.params)
        parts = {**found, **dict(found["steps"])} if self.made.__name__ == "Pipeline" and "steps" in found else found
        for name, value in list(parts.items()) if deep else []:
            if isinstance(value, DeclaredModel):
                found |= {name: value} | {f"{name}__{key}": each for key, each in value.get_params().items()}
        return found

    def varied(self, params: Mapping[str, Any]) -> DeclaredModel:
        """The same with some parameters set."""
        return declare(self.made, {**self.params, **params}, self.kind)

    def __repr__(self) -> str:
        """As scikit-learn writes such a model: parameters in order, without those that have their default."""
        try:
            defaults = {each.name: each.default for each in inspect.signature(self.made).parameters.values()}
        except (TypeError, ValueError):
            defaults = {}
        shown = (
            f"{name}={value!r}" for name, value in sorted(self.params.items()) if repr(value) != repr(defaults.get(name, ...))
        )
        return f"{self.made.__name__}({', '.join(shown)})"

    @property
    def is_known(self) -> bool:
        """True where the text says all: a model of scikit-learn, with numbers and words as parameters."""
        is_plain = all(isinstance(value, str | int | float | None) for value in self.params.values())
        return is_plain and self.made.__module__.startswith("sklearn.")


def declare(made: type, params: Mapping[str, Any], kind: type | None = None) -> DeclaredModel:
    """A stand-in for an object of a class, whose own class bears its name; `kind` is the class that says what it can do."""
    stand_in = type(made.__name__, (DeclaredModel,), {"__module__": made.__module__})()
    stand_in.made, stand_in.kind, stand_in.params = made, kind or made, params
    return stand_in  # type: ignore[no-any-return]


def _of_mapping(models: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, model in models.items():
        if not isinstance(name, str):
            raise InvalidPlanError(f"models has the key {name!r} of type {type(name).__name__}; names must be text.")
        if isinstance(model, Mapping):
            yield from ((f"{name}, {inner}", each) for inner, each in _of_mapping(model))
        else:
            yield name, model


def _of_list(models: Any) -> Iterator[tuple[str, Any]]:
    plain = [model for model in models if not isinstance(model, Mapping)]
    names = iter(_class_names(plain))
    for model in models:
        if isinstance(model, Mapping):
            yield from _of_mapping(model)
        else:
            yield next(names), model


def _class_names(models: list[Any]) -> list[str]:
    names = [_class_name(model) for model in models]
    for shared in (name for name, count in Counter(names).items() if count > 1):
        places = [i for i, name in enumerate(names) if name == shared]
        if all(hasattr(models[i], "get_params") for i in places):
            varying, _ = name_candidates([models[i].get_params(deep=True) for i in places])
            for i, difference in zip(places, varying, strict=True):
                names[i] = f"{shared}, {difference}"
    return names


def _class_name(model: Any) -> str:
    """Name of a model that was given none: of a pipeline that of its last step."""
    steps = getattr(model, "steps", None)
    if steps and isinstance(steps, list) and hasattr(model, "get_params"):
        return _class_name(steps[-1][1])
    return str(getattr(model, "__name__", type(model).__name__))


def _check_model(name: str, model: Any) -> None:
    if isinstance(model, type):
        raise InvalidPlanError(f"model {name!r} is the class {model.__name__}; pass an object of it: {model.__name__}().")
    if hasattr(model, "fit"):
        if not any(hasattr(type(model), method) or hasattr(model, method) for method in _RESPONSES):
            raise InvalidPlanError(f"model {name!r} ({type(model).__name__}) has fit, but no predict. A model is {_ACCEPTED}.")
    elif not callable(model):
        raise InvalidPlanError(f"model {name!r} is of type {type(model).__name__}. A model is {_ACCEPTED}.")
    else:
        _check_function(name, model)


def _check_function(name: str, function: Any) -> None:
    try:
        inspect.signature(function).bind(None, None, None, None)
    except TypeError:
        raise InvalidPlanError(
            f"model {name!r} is a function that does not take four arguments. Write it as "
            "f(X_train, y_train, X_test, rng) and let it return the predictions for X_test."
        ) from None
    except ValueError:  # a built-in whose signature is not known
        pass
