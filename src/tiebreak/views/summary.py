"""Advice for a table of means: the overlap that would settle a pair, and three lines that keep what settles it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.scores.metric import HIGHER_IS_BETTER
from tiebreak.views.names import quoted_names
from tiebreak.views.words import count, listed

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.scores.scores import Summary

_SAVE = 'table.assign(y_true=y).to_csv("predictions.csv", index=False)'
_COMPARE = "tiebreak compare predictions.csv --metric {metric}"
_LINES = {
    "rates": ("table = pd.DataFrame({{n: m.predict(X) for n, m in models.items()}})", _SAVE, _COMPARE),
    "areas": ("table = pd.DataFrame({{n: m.predict_proba(X)[:, 1] for n, m in models.items()}})", _SAVE, _COMPARE),
    "folds": (
        "how = dict(cv={cv}, scoring={scorer!r})",
        "scores = {{n: cross_validate(m, X, y, **how) for n, m in models.items()}}",
        "print(tb.compare(scores, metric={scorer!r}, cv={cv}))",
    ),
    "pycaret": (
        'table = pd.DataFrame({{str(m): predict_model(m, X)["prediction_label"] for m in models}})',
        _SAVE,
        _COMPARE,
    ),
    "autogluon": ("table = pd.DataFrame(predictor.predict_multi(X))", _SAVE, _COMPARE),
    "lm-eval": (
        "lm_eval --model_args pretrained=MODEL_A ... --log_samples --output_path results",
        "lm_eval --model_args pretrained=MODEL_B ... --log_samples --output_path results",
        "tiebreak results",
    ),
}
"""Three lines to copy, by the tool that made the table, else by what the means are of."""


def lines_to_keep(comparison: Comparison) -> tuple[str, ...]:
    """Lines that keep the single scores and compare them; none where these are known, or no overlap counts."""
    means, metric = comparison.matrix.summary, comparison.metric
    if means is None or means.kind == "runs":
        return ()
    lines = _LINES[means.tool if means.tool and means.kind != "folds" else means.kind]
    scorer = metric.name if metric.higher_is_better else f"neg_{metric.name}"
    # of predictions a rate under another name, such as exact match or an error rate, is an accuracy
    known = metric.name if metric.name in HIGHER_IS_BETTER else "accuracy"
    return tuple(line.format(metric=known, scorer=scorer, cv=means.n[-1]) for line in lines)


def design_of_means(means: Summary) -> str:
    """Description in a line of what means are of."""
    if means.kind == "runs":
        return f"means of {count(means.n[0], 'run')} of each model"
    if means.kind == "folds":
        repeats = f" ({means.n[0] // means.n[1]} x {means.n[1]}-fold)" if means.n[0] > means.n[1] else ""
        return f"means of {count(means.n[0], 'split')}{repeats}, whatever their correlation"
    classes = f" ({means.n[0]:,} positive)" if means.kind == "areas" else ""
    return f"{count(sum(means.n), 'test example')}{classes}, whatever the overlap"


_NEEDED = {
    "rates": ("{0:.0%}", "{} of the better one's mistakes are shared"),
    "folds": ("{1:.2f}", "scores over folds correlate by {} or more"),
    "areas": ("{1:.2f}", "areas correlate by {} or more"),
}
"""Overlap that settles a pair: a share of what it can be or a correlation, and the words around it."""


def overlap_notes(comparison: Comparison) -> tuple[str, ...]:
    """Models that are not told apart from the leader: with the overlap that would settle each, and those that none would."""
    means, names = comparison.matrix.summary, quoted_names(comparison.models)
    tests = [test for test in comparison.supplementary_tests if test.name == "overlap"]
    if means is None or not tests:
        return ()
    some = {names[test.models[1]]: test.statistic for test in tests if not np.isnan(test.statistic)}
    never = [names[test.models[1]] for test in tests if np.isnan(test.statistic)]
    number, what = _NEEDED.get(means.kind, ("", ""))
    parts = [f"{number.format(share, 2 * share - 1)} ({name})" for name, share in some.items()]
    more = f" (and {len(parts) - 3} more models)" if len(parts) > 3 else ""
    return (
        *([f"Depends on the overlap: decided if {what.format(' or '.join(parts[:3]))}{more}."] if parts else []),
        *([f"Not shown, whatever the overlap: {listed(never, 5)}."] if never else []),
    )
