"""Every plot there is, collected for any number of models with any names."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.samples import graded, over_datasets, over_items
from tiebreak.views import evaluation, predictions
from tiebreak.views.plots import comparison
from tiebreak.views.plots.draw import Drawing

X = np.random.default_rng(0).normal(size=(150, 3))
BINARY = (X[:, 0] + np.random.default_rng(1).normal(size=150) > 0).astype(int)
SEVERAL = np.digitize(X[:, 0] + np.random.default_rng(2).normal(size=150), [-1.0, 0.0, 1.0])


def shrunken(strength: float) -> Callable[..., Any]:
    """A model that says what the first column lets expect, the more weakly and the more misled the stronger it is shrunken."""

    def answer(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        signal = X_test[:, :1] + 0.2 * strength * X_test[:, 1:2]
        distance = signal - np.linspace(-1.5, 1.5, max(len(np.unique(y_train)), 2))[None, :]
        weight = np.exp(-(distance**2) / (1 + strength) / 2)
        return weight / weight.sum(axis=1, keepdims=True)

    return answer


@cache
def evaluated(names: tuple[str, ...], kind: str = "binary") -> tb.Evaluation:
    """Ever more shrunken models, on two classes or four."""
    y = {"binary": BINARY, "several": SEVERAL}[kind]
    auc = "roc_auc" if kind == "binary" else "roc_auc_ovr"
    models = {name: shrunken(place / 4) for place, name in enumerate(names)}
    return tb.evaluate(
        models, X, y, cv={"kind": "kfold", "n_folds": 3}, scoring=["accuracy", auc, "neg_log_loss"], progress=False
    )


def ratable(names: tuple[str, ...]) -> dict[str, Any]:
    """Scores by dataset, in which the first model wins everywhere, so that its rating is open."""
    score = over_datasets(names).matrix.score.copy()
    score[0] = 1.0
    return {"dataset": [f"data {k}" for k in range(24)]} | dict(zip(over_datasets(names).models, score.tolist(), strict=True))


COSTS = tb.CostMatrix([[0, 1], [5, 0]])


@cache
def searched(names: tuple[str, ...]) -> tb.Evaluation:
    """Searches between two candidates, measured as models."""
    models = {name: GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 0.1 * (k + 1)]}, cv=2) for k, name in enumerate(names)}
    return tb.evaluate(models, X, BINARY, cv={"kind": "kfold", "n_folds": 3}, scoring="accuracy", progress=False)


PLOTS: dict[str, Callable[[tuple[str, ...]], Drawing]] = {
    **{
        kind: lambda names, kind=kind: graded(names).plot.drawing(kind)  # type: ignore[misc]
        for kind in ("ranking", "differences", "scores", "verdicts", "posterior")
    },
    **{
        f"{kind}, {classes}": lambda names, kind=kind, classes=classes: getattr(evaluated(names, classes), kind)().plot.drawing()  # type: ignore[misc]
        for kind in ("roc", "precision_recall", "calibration", "confusion")
        for classes in ("binary", "several")
    },
    "diagram": lambda names: over_datasets(names).plot.drawing("diagram"),
    "paired": lambda names: comparison.paired(over_datasets(("one", "other"), datasets=names)),
    "slices": lambda names: over_items(("one", "other"), topics=names[:20]).slices("topic").plot.drawing(),
    "ratings": lambda names: tb.rate(ratable(names), metric="accuracy").plot.drawing(),
    "power": lambda names: tb.sample_size(over_items(names[:2]), n=300).plot.drawing(),
    "costs": lambda names: predictions.costs(evaluated(names).roc(), COSTS),
    "times": lambda names: evaluation.times(drawn_validation_curve(names, (0.1,)).evaluation, rope=0.02),
    "choices": lambda names: searched(names).plot.drawing("choices"),
    "learning curve": lambda names: drawn_learning_curve(names).plot.drawing(),
    "validation curve": lambda names: drawn_validation_curve(names).plot.drawing(),
    "validation curve, words": lambda names: drawn_validation_curve(names, ("rbf", "linear", "poly")).plot.drawing(),
    "bias and variance": lambda names: drawn_bias_variance(names).plot.drawing(),
    "audit, classes": lambda names: tb.audit(X, np.array(names)[SEVERAL % len(names)], cv=5).plot.drawing(),
    "audit, numbers": lambda names: tb.audit(X, X[:, 1] + 1000.0, cv=5).plot.drawing(),
}
"""Name of each plot and the function that collects it."""
