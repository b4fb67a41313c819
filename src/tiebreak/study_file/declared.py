"""Models of a study that are declared, and not made, so that a preview runs nothing of theirs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any


class DeclaredModel:
    """Model as a study file declares it: a class and parameters, of which no object was made.

    It has what its class has, as far as that can be seen without an object. `kind` is the class whose kind of model it is, of a
    pipeline that of the last step.
    """

    model_class: type
    kind: type
    params: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        """Methods of the class; no object of it is there to ask for more."""
        if name.startswith("__") or name in ("steps", "kind", "model_class", "params"):
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
        parts = {**found, **dict(found["steps"])} if self.model_class.__name__ == "Pipeline" and "steps" in found else found
        for name, value in list(parts.items()) if deep else []:
            if isinstance(value, DeclaredModel):
                found |= {name: value} | {f"{name}__{key}": each for key, each in value.get_params().items()}
        return found

    def varied(self, params: Mapping[str, Any]) -> DeclaredModel:
        """Model with some parameters set."""
        return declare(self.model_class, {**self.params, **params}, self.kind)

    def __repr__(self) -> str:
        """As scikit-learn writes such a model: parameters in order, without those that have their default."""
        try:
            defaults = {each.name: each.default for each in inspect.signature(self.model_class).parameters.values()}
        except (TypeError, ValueError):
            defaults = {}
        shown = (
            f"{name}={value!r}" for name, value in sorted(self.params.items()) if repr(value) != repr(defaults.get(name, ...))
        )
        return f"{self.model_class.__name__}({', '.join(shown)})"

    @property
    def is_known(self) -> bool:
        """True where the text says all: a model of scikit-learn, with numbers and words as parameters."""
        is_plain = all(isinstance(value, str | int | float | None) for value in self.params.values())
        return is_plain and self.model_class.__module__.startswith("sklearn.")


def declare(model_class: type, params: Mapping[str, Any], kind: type | None = None) -> DeclaredModel:
    """A stand-in for an object of a class, whose own class bears its name; `kind` is the class that says what it can do."""
    stand_in = type(model_class.__name__, (DeclaredModel,), {"__module__": model_class.__module__})()
    stand_in.model_class, stand_in.kind, stand_in.params = model_class, kind or model_class, params
    return stand_in  # type: ignore[no-any-return]
