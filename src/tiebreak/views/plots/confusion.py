"""Plots of confusion matrices: counts as a square, a panel for each model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError
from tiebreak.views.plots.draw import MOST_CELLS, MOST_PANELS, Drawing, labels, of_all, panels, square
from tiebreak.views.plots.menu import Plot

if TYPE_CHECKING:
    from tiebreak.evaluation.confusions import Confusions
    from tiebreak.metrics.confusion import ConfusionMatrix, Share

_SHARES = {
    "actual": "the actual class (rows sum to 100%)",
    "predicted": "the predicted class (columns sum to 100%)",
    "all": "all",
}


def matrix(result: ConfusionMatrix, *, by: Share = "actual") -> Drawing:
    """Counts as a square; colours are shares `by` actual or predicted class, or of all."""
    import pandas as pd

    if len(result.labels) > MOST_CELLS:
        raise InvalidParameterError(
            f"a square holds at most {MOST_CELLS} classes, and there are {len(result.labels)}; .to_frame() has all."
        )
    share = result.normalised(by)
    names = [str(label) for label in result.labels]
    data = pd.DataFrame(
        [(names[i], names[j], int(result.counts[i, j]), share[i, j]) for i in range(len(names)) for j in range(len(names))],
        columns=["actual", "predicted", "n", "share"],
    )
    beats = "better" if result.accuracy > result.majority_rate else "no better"
    return square(
        data,
        share,
        [[str(int(n)) if n or len(names) <= 6 else "" for n in row] for row in result.counts],
        names=names,
        title=f"{result.accuracy:.1%} of {result.n_examples:,} predictions are right, {beats} than always the largest "
        f"class ({result.majority_rate:.1%})",
        note=f"Cells: predictions; colours: share of {_SHARES[by]}.",
        x_label="predicted class",
        y_label="actual class",
        bar="share",
    )


def matrices(result: Confusions, model: str | None = None, *, by: Share = "actual") -> Drawing:
    """Matrix of one model, or a panel for each, the most accurate first."""
    import pandas as pd

    if model is not None or len(result) == 1:
        return matrix(result[model if model is not None else result.models[0]], by=by)
    order = sorted(result.models, key=lambda name: -result[name].accuracy)
    shown = order[:MOST_PANELS]
    parts = [matrix(result[name], by=by) for name in shown]
    frames = [part.data.assign(model=name) for name, part in zip(shown, parts, strict=True)]
    best = result[order[0]].accuracy
    titles = [f"{label}: {result[name].accuracy:.1%}" for name, label in zip(shown, labels(shown, 28), strict=True)]
    n_classes = len(result[order[0]].labels)
    return panels(
        pd.concat(frames, ignore_index=True),
        list(zip(titles, parts, strict=True)),
        title=f"{labels(order)[0]} is right most often of {len(order)}, on {best:.1%} of {result[order[0]].n_examples:,} "
        f"predictions",
        note=f"Cells: predictions; colours: share of {_SHARES[by]}. Which differences are real, comparing says."
        f"{of_all(len(shown), len(order))}",
        size=(max(2.6, 0.42 * n_classes + 1.2), max(2.4, 0.32 * n_classes + 1.1)),
    )


MATRIX = {"matrix": Plot(matrix)}
MODELS = {"matrix": Plot(matrices)}
