"""Plot of bias and variance: the parts of each model's loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.views.curves import LOSS_NAMES
from tiebreak.views.plots.draw import COLOURS, MOST_ROWS, Drawing, bars, labels, of_all
from tiebreak.views.plots.menu import Plot

if TYPE_CHECKING:
    from tiebreak.studies.bias_variance import BiasVariance


def parts(result: BiasVariance) -> Drawing:
    """Loss of each model as its bias and its variance, the smallest loss first."""
    known = result.to_frame().dropna(subset=["loss"]).sort_values("loss", kind="stable").reset_index(drop=True)
    data, loss = known.head(MOST_ROWS), LOSS_NAMES[result.loss]
    is_squared = result.loss == "squared"
    costs = "variance" if is_squared else "variance that costs"
    title = "No model has a loss"
    if len(data):
        larger = "bias" if data["bias"].iloc[0] >= data["variance"].iloc[0] else "variance"
        title = f"{labels(list(data['model']))[0]} has the smallest {loss}, most of it {larger}"
    lost = len(result.models) - len(known)
    return bars(
        data,
        {
            "squared bias and noise" if is_squared else "bias": data["bias"],
            costs: data["variance" if is_squared else "unbiased"],
        },
        names=list(data["model"]),
        title=title,
        note=f"Means over one test set, {result.n_rounds} training sets drawn with replacement. "
        + (
            "The noise of the target is in the bias."
            if is_squared
            else "Hatched: what variance helps is taken off, down to the loss."
        )
        + of_all(len(data), len(known))
        + (f" Without a loss: {lost} models." if lost else ""),
        x_label=loss,
        notes=[
            f"{total:.3g} = {bias:.3g} {'+' if variance >= 0 else '−'} {abs(variance):.3g}"
            for total, bias, variance in zip(data["loss"], data["bias"], data["variance"], strict=True)
        ],
        colours=(COLOURS[0], "#E69F00"),
        outlined=None if is_squared else ("variance that helps", data["loss"], data["biased"]),
    )


PLOTS = {"parts": Plot(parts)}
