"""Adversarial validation: can a classifier tell the rows of a fold from the rest by their columns? It should not.

A random forest is cross-validated (2 x 5-fold, groups kept together) on the question "is this row in the fold?". The ROC AUC of
its splits, minus 1/2, goes through the corrected resampled t-test, one-sided; p-values are adjusted over the folds
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.audits.audit_input import MOST_CELLS, AuditInput, standardised
from tiebreak.audits.findings import Finding, Severity, evidence, of_splits
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.statistics.splits import corrected_t

ALPHA = 0.001
"""Rate of false alarms over all folds."""

LEAST_AUC = 0.6
"""What is told apart less well than so is not worth a warning."""

MOST_ROWS, MOST_FOLDS, LEAST_TESTED = 1_000, 5, 20
"""Rows of a sample, folds that are tried (from the first to the last, evenly), and test rows below which a fold is not."""

N_FOLDS, N_REPEATS, N_TREES = 5, 2, 25


def find_recognisable_folds(audit_input: AuditInput) -> Iterator[Finding]:
    """Test sets that a classifier tells from the rest."""
    large = [number for number, split in enumerate(audit_input.splits) if _is_large(audit_input, split.test)]
    if not large:
        return
    tried = [large[place] for place in np.unique(np.linspace(0, len(large) - 1, MOST_FOLDS).round().astype(int))]
    means, pvalues = [], []
    for number in tried:
        auc = _aucs(audit_input, audit_input.splits[number].test, seed=number)
        if auc.size < 2:
            means.append(np.nan)
            pvalues.append(np.nan)
            continue
        law = corrected_t(auc - 0.5, 1 / (N_FOLDS - 1), scale=1.0)
        means.append(float(auc.mean()))
        # told apart perfectly on every split there is no spread, and no p-value
        pvalues.append(0.0 if auc.min() == 1.0 else float(law.pvalue("greater")))
    if np.isnan(pvalues).all():
        return
    adjusted = np.minimum(1.0, np.array(pvalues) * np.count_nonzero(~np.isnan(pvalues)))
    told = np.flatnonzero((adjusted <= ALPHA) & (np.array(means) >= LEAST_AUC))
    if told.size == 0:
        return
    worst = int(told[np.argmax(np.array(means)[told])])
    severity: Severity = "note" if audit_input.described.ordered else "warning"
    described = audit_input.described
    name = f"repeat {described.repeat[tried[worst]]} fold {described.fold[tried[worst]]}"
    yield Finding(
        "recognisable-folds",
        severity,
        f"A classifier tells test rows from the others by their columns {of_splits(told.size, len(tried))} that were tried: "
        f"ROC AUC {means[worst]:.2f} for {name}, where 0.5 is chance.",
        evidence(
            splits=np.array(tried)[told],
            numbers={"auc": means[worst], "adjusted_pvalue": adjusted[worst], "n_tried": len(tried)},
        ),
        "What is measured changes with time, which is what such splits are for; look at the scores in their order."
        if audit_input.described.ordered
        else "Shuffle the folds if rows are in no order that matters; else expect scores on new data to differ as they do "
        "between these folds.",
    )


def _is_large(audit_input: AuditInput, test: IntArray) -> bool:
    rest = audit_input.n_samples - np.unique(test).size
    if audit_input.group_codes is not None:
        n_tested = np.unique(audit_input.group_codes[test]).size
        return bool(n_tested >= N_FOLDS and audit_input.group_codes.max() + 1 - n_tested >= N_FOLDS and test.size >= LEAST_TESTED)
    return bool(test.size >= LEAST_TESTED and rest >= LEAST_TESTED)


def _aucs(audit_input: AuditInput, test: IntArray, seed: int) -> FloatArray:
    """ROC AUC of "is it in the fold?" on each split of its own cross-validation."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng([audit_input.seed, seed])
    is_test = np.zeros(audit_input.n_samples, dtype=int)
    is_test[test] = 1
    rows = _sample(is_test, rng) if is_test.size > MOST_ROWS else np.arange(is_test.size, dtype=np.intp)
    table, label = standardised(audit_input, max_cells=MOST_CELLS, rows=rows), is_test[rows]
    if table.shape[1] == 0:
        return np.empty(0)
    aucs = []
    for train, held_out in _splits(audit_input, table, label, rows, seed):
        if min(np.bincount(label[train], minlength=2).min(), np.bincount(label[held_out], minlength=2).min()) == 0:
            continue
        forest = RandomForestClassifier(N_TREES, min_samples_leaf=5, class_weight="balanced", random_state=seed)
        said = forest.fit(table[train], label[train]).predict_proba(table[held_out])[:, 1]
        aucs.append(roc_auc_score(label[held_out], said))
    return np.array(aucs)


def _splits(audit_input: AuditInput, table: FloatArray, label: IntArray, rows: IntArray, seed: int) -> Any:
    """Its own folds, over which whole groups are spread, or else a classifier would know them by their group."""
    from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold

    if audit_input.group_codes is None:
        folds = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=seed)
        return list(folds.split(table, label))
    groups = audit_input.group_codes[rows]
    return [
        pair
        for repeat in range(N_REPEATS)
        for pair in StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=seed + repeat).split(table, label, groups)
    ]


def _sample(is_test: IntArray, rng: np.random.Generator) -> IntArray:
    """Rows of the fold and of the rest, the smaller part as large as it may be up to a half."""
    test, rest = np.flatnonzero(is_test), np.flatnonzero(is_test == 0)
    n_test = min(test.size, max(MOST_ROWS // 2, MOST_ROWS - rest.size))
    n_rest = min(rest.size, MOST_ROWS - n_test)
    return np.sort(np.concatenate([rng.choice(test, n_test, replace=False), rng.choice(rest, n_rest, replace=False)]))
