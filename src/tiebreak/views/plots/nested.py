"""Plot of a nested evaluation: honest scores beside what would have been claimed without nesting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.evaluation.cells import metric_position
from tiebreak.views.nested import nested_frame
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, labels, minus, of_all, rows, short
from tiebreak.views.plots.menu import Plot
from tiebreak.views.words import decimals_for, format_percent, format_score

if TYPE_CHECKING:
    from tiebreak.studies.nested import NestedEvaluation


def scores(nested: NestedEvaluation, metric: str | None = None) -> Drawing:
    """Outer scores, honest means with their intervals, and the claims of plain cross-validation; of the first metric."""
    known = nested.outer.record.metrics[metric_position(nested.outer, metric)].metric
    names = list(nested.searches[:MOST_ROWS])
    outer, table = (
        frame[(frame["metric"] == known.name) & frame["search"].isin(names)].reset_index(drop=True)
        for frame in (nested_frame(nested, "outer"), nested_frame(nested, "summary"))
    )
    data = outer.loc[outer["score"].notna(), ["search", "repeat", "fold", "score", "chosen"]].reset_index(drop=True)
    widths = (table["interval_high"] - table["interval_low"]).dropna()
    decimals = decimals_for(float(np.median(widths)) / 4 if len(widths) else float("nan"))
    row = data["search"].map(names.index).to_numpy(dtype=float)
    shift = 0.3 * ((np.arange(len(data)) * 0.618034) % 1 - 0.5)
    claims = table["claim"].fillna(table["inner_claim"]).to_numpy(dtype=float)
    value, first = short(known.name), labels(names)[0]
    honest = [minus(format_score(float(score), decimals)) for score in table["score"]]
    title = f"Choosing in {first} leads to {value} {honest[0]}"
    if len(names) > 1:
        title = f"Honest {value} of {len(nested.searches)} searches, each choosing anew on every outer training set"
    elif np.isfinite(claims[0]):
        title += f"; its cross-validation claims {minus(format_score(float(claims[0]), decimals))}"
    return rows(
        data,
        title=title,
        note=f"Dots: scores of what was chosen on each of {nested.n_outer} outer splits. Lines: "
        f"{format_percent(1 - nested.alpha)} "
        f"intervals of the honest mean. x: what cross-validation without nesting claims. Right: honest mean."
        f"{of_all(len(names), len(nested.searches), 'searches')}",
        x_label=f"{value} ({'higher' if known.higher_is_better else 'lower'} is better)",
        names=names,
        middle=table["score"],
        low=table["interval_low"],
        high=table["interval_high"],
        notes=honest,
        zero=False,
        dots=(data["score"], row + shift),
        further=[("x", "claim", claims)],
    )


PLOTS = {"scores": Plot(scores)}
