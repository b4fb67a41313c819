"""Check that each test set looks like the whole: its classes, or the mean of its target.

What a test set holds is compared with a draw without replacement. For classes that is a hypergeometric count, exactly; for
numbers the mean of ranks, which heavy tails do not disturb, is close to normal. Where whole groups go to one side, a fold is a
draw of groups, not of rows, so the spread between groups is what chance has to be measured by.
"""

from __future__ import annotations

import numpy as np

from tiebreak.audits.classes import class_counts
from tiebreak.audits.findings import Finding, Severity, evidence, of_splits
from tiebreak.audits.material import Material
from tiebreak.numerics import FloatArray, IntArray, student_pvalue

ALPHA = 0.001
"""Rate of false alarms over all splits and classes together (Bonferroni)."""

FEW = 5
"""Test rows, or test groups, below which a fold is not judged."""


def find_departures(material: Material) -> list[Finding]:
    """Test sets whose classes or target depart from the whole by more than chance."""
    if material.target is None or (material.task == "classification" and len(material.classes) < 2):
        return []
    pvalue = _by_groups(material) if material.has_whole_groups else _by_rows(material)
    if pvalue.size == 0 or np.isnan(pvalue).all():
        return []
    adjusted = np.where(np.isnan(pvalue), 1.0, pvalue) * np.count_nonzero(~np.isnan(pvalue))
    departing = np.flatnonzero((adjusted <= ALPHA).any(axis=1))
    if departing.size == 0:
        return []
    split, column = np.unravel_index(int(np.argmin(adjusted)), adjusted.shape)
    # times change what is measured; a fold of the future is not meant to look like the past
    severity: Severity = "note" if material.described.ordered else "warning"
    where = of_splits(departing.size, material.n_splits)
    return [
        Finding(
            "unrepresentative-folds",
            severity,
            f"Test rows differ from the whole by more than chance {where}: {_how(material, int(split), int(column))}.",
            evidence(
                splits=departing,
                numbers={"n_splits": departing.size, "adjusted_pvalue": min(float(adjusted.min()), 1.0)},
            ),
            "What is measured changes with time, which is what such splits are for; look at the scores in their order."
            if material.described.ordered
            else "Shuffle or stratify the folds if rows are in no order that matters: unshuffled folds of sorted rows are not "
            "like the data. If the order does matter, this is what new data may do to a model.",
        )
    ]


def _by_rows(material: Material) -> FloatArray:
    """Two-sided p-values of each split and class, or of each split."""
    if material.task == "classification":
        return _of_counts(material)
    centred = _centred_ranks(material)
    n_test = np.asarray(material.described.n_test, dtype=float)
    n = material.n_samples
    sums = np.array([centred[split.test].sum() for split in material.splits])
    variance = n_test * centred.var(ddof=1) * (1 - n_test / n)
    return _normal((sums / np.sqrt(np.maximum(variance, 1e-300)))[:, None], (n_test >= FEW) & (variance > 0))


def _of_counts(material: Material) -> FloatArray:
    from scipy.stats import hypergeom

    test = class_counts(material, "test")
    n_test = test.sum(axis=1)
    whole = np.bincount(np.asarray(material.target, dtype=np.intp), minlength=len(material.classes))
    lower = hypergeom.cdf(test, material.n_samples, whole[None, :], n_test[:, None])
    upper = hypergeom.sf(test - 1, material.n_samples, whole[None, :], n_test[:, None])
    pvalue = np.minimum(1.0, 2 * np.minimum(lower, upper))
    return np.where((n_test >= FEW)[:, None], pvalue, np.nan)


def _by_groups(material: Material) -> FloatArray:
    """The same with groups as what is drawn: residuals of whole groups, and Student's t with their degrees of freedom."""
    codes = material.group_codes
    assert codes is not None  # noqa: S101 - the caller has looked
    columns = _residuals(material)
    n_groups = int(codes.max()) + 1
    by_group = np.stack([np.bincount(codes, weights=column, minlength=n_groups) for column in columns.T], axis=1)
    tested = [np.unique(codes[split.test]) for split in material.splits]
    m = np.array([groups.size for groups in tested], dtype=float)[:, None]
    sums = np.array([by_group[groups].sum(axis=0) for groups in tested])
    variance = m * (1 - m / n_groups) * by_group.var(axis=0, ddof=1) if n_groups > 1 else np.zeros_like(sums)
    z = np.divide(sums, np.sqrt(variance), out=np.zeros_like(sums), where=variance > 0)
    pvalue = student_pvalue(z, n_groups - 1) if n_groups > 1 else np.ones_like(z)
    return np.where((m >= FEW) & (variance > 0), pvalue, np.nan)


def _residuals(material: Material) -> FloatArray:
    """Excess of each row over the average row: of each class, or of the rank of its target."""
    if material.task != "classification":
        return _centred_ranks(material)[:, None]
    target = np.asarray(material.target, dtype=np.intp)
    indicator = np.eye(len(material.classes))[target]
    return np.asarray(indicator - indicator.mean(axis=0))


def _centred_ranks(material: Material) -> FloatArray:
    from scipy.stats import rankdata

    ranks = rankdata(np.asarray(material.target, dtype=float))
    return np.asarray(ranks - ranks.mean())


def _normal(z: FloatArray, is_judged: np.ndarray) -> FloatArray:
    from scipy.special import ndtr

    return np.where(is_judged[:, None], 2 * ndtr(-np.abs(z)), np.nan)


def _how(material: Material, split: int, column: int) -> str:
    """The gravest departure in words."""
    described = material.described
    name = f"repeat {described.repeat[split]} fold {described.fold[split]}"
    test: IntArray = material.splits[split].test
    target = np.asarray(material.target)
    if material.task == "classification":
        here, whole = float(np.mean(target[test] == column)), float(np.mean(target == column))
        return f"class {material.classes[column]!r} makes up {100 * here:.3g}% of {name}, and {100 * whole:.3g}% of all rows"
    return f"the mean target of {name} is {target[test].mean():.4g}, and {target.mean():.4g} over all rows"
