"""Models that draw from the global generators: seeded for the time of a fit, so that no cell depends on those before it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def has_foreign_parts(model: Any) -> bool:
    """Whether a model, or a part of it, is not scikit-learn's own: of those it is known that they use their random states."""
    return any(not _module(part).startswith("sklearn.") for part in parts_of(model))


def parts_of(model: Any) -> list[Any]:
    """A model and all estimators and functions among its parameters, at any depth."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return [model]
    parameters = model.get_params(deep=True).values()
    return [model, *(value for value in parameters if hasattr(value, "get_params") or callable(value))]


def _module(part: Any) -> str:
    return str(getattr(part if hasattr(part, "__qualname__") else type(part), "__module__", ""))


@contextmanager
def seeded_globals(seed: int | None) -> Iterator[None]:
    """Seed the generators of `random` and `numpy.random`, and put them back afterwards; None leaves them alone."""
    if seed is None:
        yield
        return
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is the global one that models use
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002
