"""What `fit` is given besides X and y: by name, or where metadata routing is on, by what each part of a model asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tiebreak.errors import InvalidPlanError


def fit_arguments(model: Any, parameters: Mapping[str, Any], scorers: Iterable[Any] = ()) -> dict[str, Any]:
    """Keyword arguments for the model's `fit`.

    Parameters
    ----------
    model : estimator
    parameters : mapping of str to array or anything
        Already cut to the training rows.
    scorers : iterable of callable
        Of scikit-learn, which may ask for some of the parameters too.
    """
    if _is_routed(model):
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner="evaluate").add(estimator=model, method_mapping=mapping)
        for number, scorer in enumerate(scorers):  # so that what only a metric asks for is known to be wanted
            if _is_routed(scorer):
                router.add(**{f"scorer {number}": scorer}, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return dict(process_routing(router, "fit", **parameters).estimator.fit)
    arguments = dict(parameters)
    weights = arguments.pop("sample_weight", None)
    if weights is not None:
        arguments[_weights_name(model)] = weights
    return arguments


def score_arguments(scorer: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments for a scorer of scikit-learn: what it asks for by metadata routing.

    Parameters
    ----------
    scorer : callable
        ``(model, X, y, **kwargs) -> float``.
    parameters : mapping of str to array or anything
        Already cut to the rows that are scored.
    """
    if not _is_routed(scorer):
        return {}
    wanted = scorer.get_metadata_routing().score.requests
    return {name: value for name, value in parameters.items() if wanted.get(name) is True}


def _is_routed(consumer: Any) -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing")) and hasattr(consumer, "get_metadata_routing")


def check_weights(name: str, model: Any) -> None:
    """Refuse sample weights for a model that cannot use them.

    Raises
    ------
    InvalidPlanError
        Naming the model.
    """
    from sklearn import get_config
    from sklearn.utils.validation import has_fit_parameter

    if get_config().get("enable_metadata_routing"):
        return
    last = model.steps[-1][1] if _is_pipeline(model) else model
    if not hasattr(last, "fit") or not (has_fit_parameter(last, "sample_weight") or _takes_anything(last)):
        raise InvalidPlanError(
            f"model {name!r} ({type(last).__name__}) cannot use sample weights: its fit takes none. Leave sample_weight out, or "
            "evaluate that model in a call of its own."
        )


def _weights_name(model: Any) -> str:
    return f"{model.steps[-1][0]}__sample_weight" if _is_pipeline(model) else "sample_weight"


def _is_pipeline(model: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return isinstance(model, Pipeline)


def _takes_anything(model: Any) -> bool:
    """Whether `fit` has ``**kwargs``."""
    import inspect

    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(model.fit).parameters.values())
