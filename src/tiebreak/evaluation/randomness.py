"""Models that draw from the global generators: seeded for the time of a fit, so that no cell depends on those before it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_SEARCHED = ("param_grid", "param_distributions")


def is_open(model: Any) -> bool:
    """Whether something in a model may draw from the global generators, or otherwise differ from fit to fit.

    Of scikit-learn's own estimators it is known that they draw from their random state alone, which is set. Nothing sets that of
    a splitter (``cv=KFold(shuffle=True)``) or of a search's candidates.
    """
    return any(
        not _module(part).startswith("sklearn.") or any(hasattr(part, name) for name in ("get_n_splits", *_SEARCHED))
        for part in parts_of(model)
    )


def parts_of(model: Any) -> list[Any]:
    """A model and all estimators, functions and splitters among its parameters, at any depth."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return [model]
    parameters = model.get_params(deep=True).values()
    return [
        model,
        *(value for value in parameters if callable(value) or hasattr(value, "get_params") or hasattr(value, "get_n_splits")),
    ]


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
