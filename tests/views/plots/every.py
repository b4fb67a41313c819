"""Every plot there is, drawn for any number of models with any names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import tiebreak as tb
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.samples import graded, over_datasets, over_items
from tiebreak.views.plots.display import Display

X = np.random.default_rng(0).normal(size=(150, 3))
BINARY = (X[:, 0] + np.random.default_rng(1).normal(size=150) > 0).astype(int)
SEVERAL = np.digitize(X[:, 0] + np.random.default_rng(2).normal(size=150), [-1.0, 0.0, 1.0])
NUMBERS = X[:, 0] + np.random.default_rng(3).normal(size=150)


def shrunken(strength: float, target: np.ndarray) -> Callable[..., Any]:
    """A model that says what the first column lets expect, the more weakly and the more misled the stronger it is shrunken."""

    def answer(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        signal = X_test[:, :1] + 0.2 * strength * X_test[:, 1:2]
        distance = signal - np.linspace(-1.5, 1.5, max(len(np.unique(y_train)), 2))[None, :]
        if target is NUMBERS:
            return signal[:, 0] / (1 + strength)
        weight = np.exp(-(distance**2) / (1 + strength) / 2)
        return weight / weight.sum(axis=1, keepdims=True)

    return answer


@cache
def evaluated(names: tuple[str, ...], kind: str = "binary") -> tb.Evaluation:
    """Ever more shrunken models, on two classes, four classes, or numbers."""
    y = {"binary": BINARY, "several": SEVERAL, "numbers": NUMBERS}[kind]
    auc = "roc_auc" if kind == "binary" else "roc_auc_ovr"
    scoring = ["neg_root_mean_squared_error"] if kind == "numbers" else ["accuracy", auc, "neg_log_loss"]
    models = {name: shrunken(place / 4, y) for place, name in enumerate(names)}
    return tb.evaluate(models, X, y, cv={"kind": "kfold", "n_folds": 3}, scoring=scoring, progress=False)


def ratable(names: tuple[str, ...]) -> dict[str, Any]:
    """Scores by dataset, in which the first model wins everywhere, so that its rating is open."""
    score = over_datasets(names).matrix.score.copy()
    score[0] = 1.0
    return {"dataset": [f"data {k}" for k in range(24)]} | dict(zip(over_datasets(names).models, score.tolist(), strict=True))


COSTS = tb.CostMatrix([[0, 1], [5, 0]])


PLOTS: dict[str, Callable[[Sequence[str]], Callable[..., Display]]] = {
    **{
        kind: lambda names, kind=kind: getattr(graded(tuple(names)).plot, kind)  # type: ignore[misc]
        for kind in ("ranking", "differences", "scores", "verdicts", "posterior")
    },
    **{
        f"{kind}, {classes}": lambda names, kind=kind, classes=classes: getattr(evaluated(tuple(names), classes), kind)().plot  # type: ignore[misc]
        for kind in ("roc", "precision_recall", "calibration", "confusion")
        for classes in ("binary", "several")
    },
    **{
        kind: lambda names, kind=kind: getattr(over_datasets(tuple(names)).plot, kind)  # type: ignore[misc]
        for kind in ("diagram", "paired")
    },
    "paired, few datasets": lambda names: over_datasets(("one", "other"), datasets=tuple(names[:12])).plot.paired,
    "regions": lambda names: graded(tuple(names)).plot.regions,
    "slices": lambda names: over_items(("one", "other"), topics=tuple(names[:20])).slices("topic").plot.differences,
    "ratings": lambda names: tb.rate(ratable(tuple(names)), metric="accuracy").plot.ratings,
    "power": lambda names: tb.sample_size(over_items(tuple(names[:2])), n=300).plot.power,
    "costs": lambda names: lambda ax=None, **look: evaluated(tuple(names)).roc().plot.costs(COSTS, ax, **look),
    "times": lambda names: lambda ax=None, **look: evaluated(tuple(names)).plot.times(rope=0.02, ax=ax, **look),
    "predicted": lambda names: evaluated(tuple(names), "numbers").plot.predicted,
    "residuals": lambda names: evaluated(tuple(names), "numbers").plot.residuals,
    "learning curve": lambda names: drawn_learning_curve(names).plot,
    "validation curve": lambda names: drawn_validation_curve(names).plot,
    "bias and variance": lambda names: drawn_bias_variance(names).plot,
}
"""Name of each plot and the callable that draws it, with `ax`, `title` and the like."""
