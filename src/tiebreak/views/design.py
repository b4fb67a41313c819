"""Description in a line of how scores were made: splits, datasets, training runs, and their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.views.summary import design_of_means
from tiebreak.views.words import count, quote, span

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.items import Items


def design_line(comparison: Comparison) -> str:
    """Splits and sizes of the scores, in one line."""
    matrix, design, question = comparison.matrix, comparison.design, comparison.method.question
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
    about = "about " if comparison.design.sizes == "approximate" else ""
    return f"{about}{span(matrix.n_train)} training and {about}{span(matrix.n_test)} test examples in each split"


def design_words(evaluation: Evaluation, dataset: int) -> str:
    """Kind and sizes of the splits: "kfold, 120 training and 30 test examples each"."""
    record = evaluation.record.datasets[dataset]
    train, test = (span(sizes) for sizes in (record.n_train, record.n_test))
    return f"{record.kind}, {train} training and {test} test examples each"


def _of_items(items: Items) -> str:
    """Numbers of items, clusters and runs."""
    clusters = "" if items.clusters is None else f" in {count(items.n_clusters, 'cluster')}"
    runs = "" if len(items.runs) == 1 else f", {len(items.runs)} runs each"
    weights = "" if items.weights is None else ", weighted"
    n_positive = None if items.is_positive is None else int(np.count_nonzero(items.is_positive))
    classes = "" if n_positive is None else f", {n_positive:,} positive and {len(items.items) - n_positive:,} negative"
    return f"{count(len(items.items), items.unit)}{classes}{clusters}{runs}{weights}"
