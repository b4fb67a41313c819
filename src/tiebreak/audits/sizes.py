"""Numbers of examples: enough for the metric, and equal enough for the correction."""

from __future__ import annotations

import numpy as np

from tiebreak.audits.classes import class_counts
from tiebreak.audits.findings import Finding, Severity, count, evidence, of_splits, percent
from tiebreak.audits.material import Material

FEW = 5
"""Test examples below which a score is little but noise; the corrected t-test warns there too."""

NOTED_SHIFT, WARNED_SHIFT = 0.02, 0.05
"""Relative change of the corrected standard error by unequal folds, from which on it is noted, and is a warning."""

_RANKING = ("roc_auc", "average_precision")
_PER_CLASS = ("f1", "precision", "recall", "jaccard", "balanced_accuracy", "matthews", *_RANKING)
_VARIANCE = ("r2", "explained_variance", "d2_")


def find_small_tests(material: Material) -> list[Finding]:
    """Test sets that are too small for what is to be computed on them."""
    n_test = material.described.n_test
    found = [finding for metric in material.metrics for finding in _for_metric(material, metric)]
    if found or n_test.min() >= FEW:
        return found
    small = np.flatnonzero(n_test < FEW)
    return [
        Finding(
            "small-test-sets",
            "note",
            f"Test sets have as few as {count(int(n_test.min()), 'example')} {of_splits(small.size, material.n_splits)}. "
            "Accuracy and errors can be averaged over them; ROC AUC, R2 and what is said of each class need more than "
            "that.",
            evidence(splits=small, numbers={"n_test": n_test.min()}),
            'Use fewer folds, or name the metric: metric="roc_auc" is checked against these sizes.',
        )
    ]


def _for_metric(material: Material, metric: str) -> list[Finding]:
    """Finding on what a metric cannot do on these test sets."""
    name = metric.removeprefix("neg_")
    if name.startswith(_VARIANCE) and material.task != "classification":
        return _undefined_or_small(material, metric, np.asarray(material.described.n_test), 2, "test examples")
    if name.startswith(_PER_CLASS) and material.task == "classification" and len(material.classes) > 1:
        least = class_counts(material, "test").min(axis=1)
        needed = 1 if name.startswith(_RANKING) else 0
        return _undefined_or_small(material, metric, least, needed, "test examples of the rarest class")
    return []


def _undefined_or_small(material: Material, metric: str, n: np.ndarray, needed: int, what: str) -> list[Finding]:
    """An error where there are fewer than needed, a warning where there are few in most splits."""
    undefined, few = np.flatnonzero(n < needed), np.flatnonzero(n < FEW)
    if undefined.size:
        return [
            Finding(
                "metric-undefined",
                "error",
                f"{metric} is undefined {of_splits(undefined.size, material.n_splits)}: it needs at least {needed} {what}, and "
                f"there are {int(n.min())}.",
                evidence(splits=undefined, numbers={"n_splits": undefined.size, "n": n.min()}),
                "Use fewer folds or stratified ones, or a metric that is defined on each example.",
            )
        ]
    if few.size * 2 <= material.n_splits:
        return []
    return [
        Finding(
            "small-test-sets",
            "warning",
            f"{metric} rests on as few as {int(n.min())} {what} {of_splits(few.size, material.n_splits)}: single examples "
            "decide it.",
            evidence(splits=few, numbers={"n": n.min()}),
            "Use fewer folds, so that test sets are larger, and repeat them.",
        )
    ]


def find_unequal_sizes(material: Material) -> list[Finding]:
    """Folds so unequal that the correction for shared training data is not what equal folds would have."""
    n_train, n_test = (np.asarray(n, dtype=float) for n in (material.described.n_train, material.described.n_test))
    ratio, equal = float(np.mean(n_test / n_train)), float(n_test.mean() / n_train.mean())
    own = 1 / material.n_splits
    shift = np.sqrt((own + ratio) / (own + equal)) - 1
    if shift < NOTED_SHIFT:
        return []
    # training sets of time splits grow by design
    severity: Severity = "warning" if shift >= WARNED_SHIFT and not material.described.ordered else "note"
    largest = np.flatnonzero(n_test / n_train > 2 * equal)
    return [
        Finding(
            "unequal-sizes",
            severity,
            f"Test sets have {int(n_test.min())} to {int(n_test.max())} examples, training sets {int(n_train.min())} to "
            f"{int(n_train.max())}: n_test / n_train is {ratio:.3g} on average, and would be {equal:.3g} with equal folds. "
            f"Corrected standard errors are {percent(shift)} larger for it, and scores of small folds count as much as those of "
            "large ones.",
            evidence(splits=largest, numbers={"ratio": ratio, "equal_ratio": equal, "shift": shift}),
            "Nothing needs to be done: training sets of time splits grow, or a window= keeps them equal."
            if material.described.ordered
            else "Use folds of about equal size; with groups of very different size, use fewer folds.",
        )
    ]
