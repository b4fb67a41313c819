"""Small data, clean and with one fault planted."""

from typing import Any

import numpy as np

import tiebreak as tb


def classes(n: int = 200, p: int = 4, n_classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap, in random order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    latent = X[:, 0] + rng.normal(size=n)
    return X, np.searchsorted(np.quantile(latent, np.arange(1, n_classes) / n_classes), latent)


def numbers(n: int = 200, p: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A regression with as much noise as signal, in random order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.normal(size=n)


def the(code: str, *args: Any, **more: Any) -> tb.Finding:
    """The first finding of that code in an audit that must have it."""
    return next(finding for finding in tb.audit(*args, **more).findings if finding.code == code)


def codes(*args: Any, **more: Any) -> list[str]:
    """Codes of what an audit finds."""
    return [finding.code for finding in tb.audit(*args, **more).findings]
