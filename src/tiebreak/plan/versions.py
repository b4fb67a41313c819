"""The versions that results depend on."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from importlib import metadata
from typing import Any

_ALWAYS = ("numpy", "scipy", "scikit-learn")
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def find_versions(models: Iterable[Any]) -> dict[str, str]:
    """Versions of Python, of what every fit uses, and of the packages that the models and their parts come from.

    Parameters
    ----------
    models : iterable of estimator or function

    Returns
    -------
    dict of str to str
        By name of the distribution.
    """
    found = {"python": platform.python_version()} | {name: metadata.version(name) for name in _ALWAYS}
    for top in sorted({top for model in models for top in _packages(model)}):
        version = _version_of(top)
        if version is not None:
            found[_DISTRIBUTIONS.get(top, top)] = version
    return found


def _packages(model: Any) -> set[str]:
    """Top-level packages of a model and of all its parts."""
    parts = [model]
    if hasattr(model, "get_params") and not isinstance(model, type):
        parts += [value for value in model.get_params(deep=True).values() if hasattr(value, "get_params")]
    kinds = [part if hasattr(part, "__qualname__") else type(part) for part in parts]
    return {str(getattr(kind, "__module__", "")).partition(".")[0] for kind in kinds}


def _version_of(top: str) -> str | None:
    try:
        return metadata.version(_DISTRIBUTIONS.get(top, top))
    except (metadata.PackageNotFoundError, ValueError):
        version = getattr(sys.modules.get(top), "__version__", None)
        return str(version) if version is not None else None
