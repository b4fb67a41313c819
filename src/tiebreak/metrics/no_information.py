"""How often predictions would be wrong that have nothing to do with the classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError


def no_information_rate(class_proportions: ArrayLike, prediction_proportions: ArrayLike) -> float:
    """Error rate of predictions that have nothing to do with the classes: ``sum(p * (1 - q))`` [ET97]_.

    Some programs call the share of the largest class by this name; that is `ConfusionMatrix.majority_rate`.

    Parameters
    ----------
    class_proportions, prediction_proportions : array_like of shape (n_classes,)
        Share of the examples, and of the predictions, of each class.

    References
    ----------
    .. [ET97] B. Efron, R. Tibshirani. Improvements on cross-validation: the .632+ bootstrap method. JASA 92, 1997.

    Examples
    --------
    >>> no_information_rate([0.3, 0.5, 0.2], [0.4, 0.45, 0.15])
    0.625
    """
    p, q = np.asarray(class_proportions, dtype=float), np.asarray(prediction_proportions, dtype=float)
    if p.ndim != 1 or p.shape != q.shape:
        raise InvalidParameterError(f"one proportion for each class is needed; got the shapes {p.shape} and {q.shape}.")
    for name, shares in (("class_proportions", p), ("prediction_proportions", q)):
        if not (np.all(shares >= 0) and abs(shares.sum() - 1) <= 1e-6):
            raise InvalidParameterError(f"{name} must be shares of at least 0 that sum to 1; got {shares.tolist()}.")
    return float(p.dot(1 - q))
