"""What the caller says about a source, checked once."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.errors import ContradictingSizesError, InvalidParameterError


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of `read_scores`."""

    metric: str | None = None
    models: tuple[str, ...] | None = None
    dataset: str | None = None
    lower_is_better: bool | None = None
    X: Any = None
    y: Any = None
    groups: Any = None
    n_samples: int | None = None
    n_train: int | None = None
    n_test: int | None = None

    @property
    def has_data(self) -> bool:
        """Whether X or y was given."""
        return self.X is not None or self.y is not None

    @property
    def has_sizes(self) -> bool:
        """Whether both n_train and n_test were given."""
        return self.n_train is not None and self.n_test is not None


def check_request(
    metric: str | None,
    models: Sequence[str] | None,
    dataset: str | None,
    lower_is_better: bool | None,
    X: Any,
    y: Any,
    groups: Any,
    n_samples: int | None,
    n_train: int | None,
    n_test: int | None,
) -> Request:
    """The request, or an error that says which parameter is wrong."""
    for name, text in (("metric", metric), ("dataset", dataset)):
        if text is not None and not isinstance(text, str):
            raise InvalidParameterError(f"{name} must be a name; got {text!r} of type {type(text).__name__}.")
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        raise InvalidParameterError(f"lower_is_better must be True, False or None; got {lower_is_better!r}.")
    n_samples, n_train, n_test = (
        _check_count(value, name) for value, name in ((n_samples, "n_samples"), (n_train, "n_train"), (n_test, "n_test"))
    )
    if n_samples is not None and (n_train or 0) + (n_test or 0) > n_samples:
        given = " + ".join(f"{name}={value}" for name, value in (("n_train", n_train), ("n_test", n_test)) if value)
        raise ContradictingSizesError(
            f"{given} is more than n_samples={n_samples}. n_samples counts all examples, training and test together."
        )
    return Request(metric, _check_models(models), dataset, lower_is_better, X, y, groups, n_samples, n_train, n_test)


def _check_count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    try:
        count = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = None
    if count is None or count < 1:
        raise InvalidParameterError(f"{name} must be a number of examples, a whole number of at least 1; got {value!r}.")
    return count


def _check_models(models: Any) -> tuple[str, ...] | None:
    if models is None:
        return None
    if isinstance(models, str):
        raise InvalidParameterError(f"models must be a list of names; got the single text {models!r}. Write models=[{models!r}].")
    names = tuple(models)
    if not names:
        raise InvalidParameterError("models is empty. Name the models to keep, or leave it out to keep all.")
    doubled = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if doubled is not None:
        raise InvalidParameterError(f"models names {doubled!r} twice. Name each model once.")
    return names
