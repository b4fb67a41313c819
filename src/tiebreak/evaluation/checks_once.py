"""Which of scikit-learn's own checks need not be made again for each fit: they take a tenth of the time of small ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

from tiebreak.evaluation.randomness import parts_of
from tiebreak.plan.data import Dataset


def settings_after_success(model: Any, dataset: Dataset, is_open: bool) -> dict[str, bool]:
    """Settings of scikit-learn under which a model that was fitted once is fitted again on other rows of the same data.

    Its parameters were found valid then, and do not change; a search makes up new ones for each fit, and is checked each
    time. That the data are finite is seen once for all rows; a model with parts may compute something else from them, whose
    check stays.

    Parameters
    ----------
    model : estimator
    dataset : Dataset
    is_open : bool
        Whether some part is not scikit-learn's own, of which nothing is known, or a search.
    """
    if is_open:
        return {}
    settings = {"skip_parameter_validation": True}
    if len(parts_of(model)) == 1 and not dataset.fit_params and _is_finite(dataset.X):
        settings["assume_finite"] = True
    return settings


class Settings:
    """As `sklearn.config_context`, to be entered many times; it knows what to go back to, and takes half the time.

    Parameters
    ----------
    during, before : mapping of str to bool
        Settings within, and otherwise.
    """

    def __init__(self, during: Mapping[str, bool], before: Mapping[str, bool]) -> None:
        self._during = dict(during)
        self._before = {name: before[name] for name in during}

    def __enter__(self) -> None:
        if self._during:
            from sklearn import set_config

            set_config(**self._during)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._during:
            from sklearn import set_config

            set_config(**self._before)


def _is_finite(X: Any) -> bool:
    """Whether all values are known to be finite numbers; False for a data frame, which is not looked into."""
    values = X.data if hasattr(X, "tocsr") else X
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        return False
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())
