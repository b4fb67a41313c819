"""Plot of an evaluation: who is near the best, and quick to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.views.answer import table_decimals
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, labels, minus, of_all, rows, short
from tiebreak.views.plots.menu import Plot
from tiebreak.views.words import format_score, seconds

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation

NOISE = 1.1
"""Ratio of two times of a fit up to which none is called the quicker."""

_MARKS = {"best": "better", "near best": "equivalent", "may be best": "undecided"}
"""Standings, which are no verdicts, with the verdict whose mark and colour they have."""


def times(evaluation: Evaluation, metric: str | None = None, *, dataset: str | None = None, rope: float | str = 0.0) -> Drawing:
    """Time of a fit of every model, the quickest on top, with its mean score and whether it may be the best."""
    comparison = evaluation.compare(metric, dataset=dataset, rope=rope)
    place = evaluation.datasets.index(dataset) if dataset is not None else 0
    fits = dict(zip(evaluation.models, evaluation.fit_medians(place).tolist(), strict=True))
    data = comparison.ranking[["model", "mean", "standing"]].copy()
    data = data.astype({"model": object, "standing": object})
    data["fit_seconds"] = [fits[name] for name in data["model"]]
    data = data.sort_values("fit_seconds", kind="stable").head(MOST_ROWS).reset_index(drop=True)
    near = data[data["standing"].isin(["best", "near best"])]
    takes = near if len(near) else data[data["standing"] == "may be best"]
    texts, decimals = labels(list(data["model"])), table_decimals(comparison)
    whose = "near the best" if len(near) else "perhaps the best"
    first = seconds(takes["fit_seconds"].iloc[0])
    title = f"{len(takes)} models are {whose}, from {first} a fit"
    if len(takes) == 1:
        title = f"{texts[takes.index[0]]} alone is {whose}; a fit takes {first}"
    elif takes["fit_seconds"].iloc[1] > NOISE * takes["fit_seconds"].iloc[0]:
        title = f"{texts[takes.index[0]]} is the quickest to fit of {len(takes)} that are {whose}: {first}"
    near_note = (
        f"Near best: short of the best by at most the rope of {comparison.rope:.4g}."
        if comparison.rope
        else "Without a rope none is near best."
    )
    return rows(
        data,
        title=title,
        note=f"Median time of a fit over splits; times that differ little may be noise. Right: mean "
        f"{short(comparison.metric.name)} and "
        f"standing. {near_note}{of_all(len(data), len(comparison.models))}",
        x_label="median time of a fit",
        names=list(data["model"]),
        middle=data["fit_seconds"],
        verdicts=[_MARKS.get(standing, "worse") for standing in data["standing"]],
        notes=[
            f"{minus(format_score(float(mean), decimals))}  {standing}"
            for mean, standing in zip(data["mean"], data["standing"], strict=True)
        ],
        zero=False,
        unit="s",
    )


PLOTS = {"times": Plot(times, lambda evaluation: len(evaluation.models) > 1)}
