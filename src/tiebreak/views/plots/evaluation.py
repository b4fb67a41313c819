"""Plots of an evaluation: who is near the best and quick to fit, and how far own best scores of searches flatter."""

import numpy as np

from tiebreak.errors import DataError
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.views.answer import table_decimals
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, Plot, labels, minus, of_all, rows, short
from tiebreak.views.words import format_score, seconds

_MARKS = {"best": "better", "near best": "equivalent", "may be best": "undecided"}
"""Standings, which are no verdicts, with the verdict whose mark and colour they have."""


def times(evaluation: Evaluation, metric: str | None = None, *, dataset: str | None = None, rope: float | str = 0.0) -> Drawing:
    """Time of a fit of every model, the quickest on top, with its mean score and whether it may be the best."""
    comparison = evaluation.compare(metric, dataset=dataset, rope=rope)
    place = evaluation.datasets.index(dataset) if dataset is not None else 0
    fits = dict(zip(evaluation.models, evaluation.fit_times(place)[0].tolist(), strict=True))
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


def choices(evaluation: Evaluation) -> Drawing:
    """Score of what each search chose on rows that took no part, beside its own best score, which flatters."""
    frame = evaluation.choices.dropna(subset=["best_score", "score"])
    if frame.empty:
        raise DataError("no model is a search with a best score of its own; plot.times() draws scores and times.")
    metric = next(each.metric for each in evaluation.record.metrics if each.name == frame["metric"].iloc[0])
    data = frame[frame["metric"] == metric.name].reset_index(drop=True)
    means = data.groupby("model", sort=False)[["score", "best_score"]].mean().head(MOST_ROWS)
    names = list(means.index)
    data = data[data["model"].isin(names)].reset_index(drop=True)
    texts = [minus(format_score(float(value), 4)) for value in means["score"]]
    flatters = float(metric.sign * (means["best_score"] - means["score"]).mean())
    value, shift = short(metric.name), 0.3 * ((np.arange(len(data)) * 0.618034) % 1 - 0.5)
    how = f"{format_score(abs(flatters), 4)} {'better' if flatters > 0 else 'worse'}"
    title = f"Own best scores of {len(names)} searches are {how} than honest ones on average"
    if len(names) == 1:
        claim = minus(format_score(float(means["best_score"].iloc[0]), 4))
        title = f"Choosing in {labels(names)[0]} leads to {value} {texts[0]}; its own best score claims {claim}"
    return rows(
        data,
        title=title,
        note=f"Dots: score of what was chosen on each split, on rows that took no part in the choice. Marks, and right: their "
        f"mean. Lines: from there to the search's own best score.{of_all(len(names), frame['model'].nunique(), 'searches')}",
        x_label=f"{value} ({'higher' if metric.higher_is_better else 'lower'} is better)",
        names=names,
        middle=means["score"],
        low=means.min(axis=1),
        high=means.max(axis=1),
        notes=texts,
        zero=False,
        dots=(data["score"], data["model"].map(names.index).to_numpy(dtype=float) + shift),
    )


PLOTS = {
    "times": Plot(times, lambda evaluation: len(evaluation.models) > 1),
    "choices": Plot(choices, lambda evaluation: bool(evaluation.choices["best_score"].notna().any())),
}
