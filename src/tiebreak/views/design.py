"""Description in a line of how scores were made, and advice for a table of means: what would settle a pair, and keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.scores.metric import HIGHER_IS_BETTER
from tiebreak.views.names import quoted_names
from tiebreak.views.words import count, listed, quote, span

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.items import Items
    from tiebreak.scores.scores import Summary


def design_line(comparison: Comparison) -> str:
    """Splits and sizes of the scores, in one line."""
    matrix, design, question = comparison.matrix, comparison.scores.design, comparison.method.question
    if comparison.items is not None and question != "test-sets":
        return _of_items(comparison.items)
    if matrix.summary is not None:
        return design_of_means(matrix.summary)
    if question == "seeds":
        n_test = int(matrix.n_test.max(initial=0))
        size = f" of {n_test:,} examples" if n_test else ""
        return f"{span(comparison.ranking_table.n_units)} seeds of each model, one test set{size}"
    if question == "time":
        return f"{count(matrix.n_splits, 'period')} in order of time, {matrix.columns[0]} to {matrix.columns[-1]}"
    if question == "test-sets":
        return f"a test set of each model's own, of {span(comparison.ranking_table.n_units)} {comparison.method.unit}s"
    if question == "datasets":
        n_splits = np.array([each.n_splits for each in comparison.scores.matrices])
        means = "one score each" if n_splits.max() == 1 else f"means over {span(n_splits)} splits each"
        return f"{count(matrix.n_splits, 'dataset')}, {means}"
    n_repeats = int(np.unique(matrix.repeat).size)
    n_folds, rest = divmod(matrix.n_splits, n_repeats)
    folds = f" ({n_repeats} x {n_folds}-fold)" if n_repeats > 1 and not rest and n_folds > 1 and design.pairing == "key" else ""
    if not folds and matrix.n_folds and not matrix.has_sizes:
        folds = f" ({matrix.n_folds}-fold)"
    dataset = f" of {quote(matrix.dataset)}" if matrix.dataset else ""
    return f"{count(matrix.n_splits, 'split')}{dataset}{folds}"


def sizes_line(comparison: Comparison) -> str:
    """Sizes of the splits; "" where they are not known, or the scores are of no splits."""
    matrix = comparison.matrix
    if comparison.method.unit != "split" or not (matrix.has_sizes or matrix.n_folds):
        return ""
    if not matrix.has_sizes:
        return f"splits are taken to be {matrix.n_folds}-fold cross-validation, so a test set is 1/{matrix.n_folds} of the data"
    about = "about " if comparison.scores.design.sizes == "approximate" else ""
    return f"{about}{span(matrix.n_train)} training and {about}{span(matrix.n_test)} test examples in each split"


def design_words(evaluation: Evaluation, dataset: int) -> str:
    """Kind and sizes of the splits: "kfold, 120 training and 30 test examples each"."""
    record = evaluation.record.datasets[dataset]
    train, test = (span(sizes) for sizes in (record.n_train, record.n_test))
    return f"{record.kind}, {train} training and {test} test examples each"


def _of_items(items: Items) -> str:
    """Numbers of items, clusters and runs."""
    clusters = "" if items.clusters is None else f" in {count(items.n_clusters, 'cluster')}"
    runs = "" if len(items.runs) == 1 else f", {span(items.n_runs)} runs each"
    weights = "" if items.weights is None else ", weighted"
    n_positive = None if items.is_positive is None else int(np.count_nonzero(items.is_positive))
    classes = "" if n_positive is None else f", {n_positive:,} positive and {len(items.items) - n_positive:,} negative"
    return f"{count(len(items.items), items.unit)}{classes}{clusters}{runs}{weights}"


# --- tables of means --------------------------------------------------------------------------------------------------------

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
    "pycaret rates": (
        'table = pd.DataFrame({{str(m): predict_model(m, X)["prediction_label"] for m in models}})',
        _SAVE,
        _COMPARE,
    ),
    "pycaret areas": (
        "table = pd.DataFrame({{str(m): predict_model(m, X, raw_score=True).iloc[:, -1] for m in models}})",
        _SAVE,
        _COMPARE,
    ),
    "autogluon rates": ("table = pd.DataFrame(predictor.predict_multi(X))", _SAVE, _COMPARE),
    "autogluon areas": (
        "table = pd.DataFrame({{n: p.iloc[:, -1] for n, p in predictor.predict_proba_multi(X).items()}})",
        _SAVE,
        _COMPARE,
    ),
    "lm-eval rates": (
        "lm_eval --model_args pretrained=MODEL_A ... --log_samples --output_path results",
        "lm_eval --model_args pretrained=MODEL_B ... --log_samples --output_path results",
        "tiebreak results",
    ),
}
"""Three lines to copy, by what the means are of, and the tool that made the table."""


def lines_to_keep(comparison: Comparison) -> tuple[str, ...]:
    """Lines that keep the single scores and compare them; none where these are known, or no overlap counts."""
    means, metric = comparison.matrix.summary, comparison.metric
    if means is None or means.kind == "runs":
        return ()
    lines = _LINES.get(f"{means.tool} {means.kind}", _LINES[means.kind])
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
    tests = [] if means is None else [test for test in comparison.supplementary_tests if test.name == "overlap"]
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
