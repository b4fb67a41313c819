"""Classes that are missing from a fold, or rare in it."""

from __future__ import annotations

import numpy as np

from tiebreak.audits.findings import Finding, Severity, count, evidence, of_splits
from tiebreak.audits.material import Material
from tiebreak.numerics import IntArray

SURE = 10.0
"""Expected number of a class in a test set from which on chance hardly leaves none there (e^-10 of the time)."""

FEW_TRAINED, FEW_TESTED = 3, 5.0
"""Training examples of a class below which it cannot be learnt; test examples below which one decides its score."""


def find_class_gaps(material: Material) -> list[Finding]:
    """Classes that are missing from a training set or a test set, or have few examples there."""
    if material.task != "classification" or material.target is None:
        return []
    if len(material.classes) < 2:
        return [
            Finding(
                "one-class",
                "error",
                f"y has a single class, {material.classes[0]!r}: nothing is to be learnt, and most metrics are undefined.",
                evidence(numbers={"n_classes": 1}),
                "Check what was passed as y.",
            )
        ]
    train, test = (class_counts(material, side) for side in ("train", "test"))
    return [*_missing_in_training(material, train), *_missing_in_test(material, test), *_rare(material, train, test)]


def class_counts(material: Material, side: str) -> IntArray:
    """Examples of each class on a side of each split; splits by classes."""
    target = np.asarray(material.target, dtype=np.intp)
    n_classes = len(material.classes)
    return np.array([np.bincount(target[getattr(split, side)], minlength=n_classes) for split in material.splits])


def _missing_in_training(material: Material, train: IntArray) -> list[Finding]:
    missing = train == 0
    if not missing.any():
        return []
    splits = np.flatnonzero(missing.any(axis=1))
    return [
        Finding(
            "class-missing-in-training",
            "error",
            f"{_named(material, missing)} absent from the training rows {of_splits(splits.size, material.n_splits)}, so no "
            "model can learn it there.",
            evidence(splits=splits, numbers={"n_classes": int(missing.any(axis=0).sum()), "n_splits": splits.size}),
            'Use stratified splits (cv="stratified"), fewer folds, or leave rare classes out. tb.evaluate refuses such splits.',
        )
    ]


def _missing_in_test(material: Material, test: IntArray) -> list[Finding]:
    """Test sets smaller than the number of classes cannot have them all; they are a finding of their own."""
    missing = (test == 0) & (test.sum(axis=1) >= len(material.classes))[:, None]
    if not missing.any():
        return []
    share = np.bincount(np.asarray(material.target, dtype=np.intp)) / material.n_samples
    expected = test.sum(axis=1)[:, None] * share
    splits = np.flatnonzero(missing.any(axis=1))
    severity: Severity = "warning" if bool((expected[missing] >= SURE).any()) else "note"
    return [
        Finding(
            "class-missing-in-test",
            severity,
            f"{_named(material, missing)} absent from the test rows {of_splits(splits.size, material.n_splits)}"
            + (", where chance would hardly leave it out. " if severity == "warning" else ". ")
            + "What is said of each class, and ROC curves, is undefined there.",
            evidence(
                splits=splits,
                numbers={"n_splits": splits.size, "most_expected": expected[missing].max()},
            ),
            'Use stratified splits: cv="stratified", or "stratified-group" with groups.',
        )
    ]


def _rare(material: Material, train: IntArray, test: IntArray) -> list[Finding]:
    """By the smallest training set, and by the median test set; those without any are told above."""
    fewest, usual = train.min(axis=0), np.median(test, axis=0)
    enough_tested = np.median(test.sum(axis=1)) >= FEW_TESTED * len(material.classes)
    unlearnt = (fewest > 0) & (fewest < FEW_TRAINED)
    rare = unlearnt | (enough_tested & (usual < FEW_TESTED) & (fewest > 0) & (usual > 0))
    if not rare.any():
        return []
    rarest = int(np.flatnonzero(rare)[np.argmin(fewest[rare])])
    n_rare = int(rare.sum())
    label = _label(material, rarest)
    whose = f"Class {label} has" if n_rare == 1 else f"{count(n_rare, 'class')} are rare; {label} has"
    severity: Severity = "warning" if unlearnt.any() else "note"
    return [
        Finding(
            "rare-class",
            severity,
            f"{whose} {count(int(fewest[rarest]), 'example')} in the smallest training set and {usual[rarest]:g} in the usual "
            "test set"
            + (": too few to be learnt." if severity == "warning" else ": what is said of it alone rests on single examples."),
            evidence(
                np.flatnonzero(rare[np.asarray(material.target, dtype=np.intp)]),
                splits=np.flatnonzero(train[:, rarest] == fewest[rarest]) if severity == "warning" else (),
                numbers={"n_classes": n_rare, "n_train": fewest[rarest], "n_test": usual[rarest]},
            ),
            "Use fewer folds, or more repeats of holdout with larger test sets; collect more examples, or merge classes.",
        )
    ]


def _named(material: Material, missing: IntArray) -> str:
    """The classes that it concerns, as the subject of a sentence."""
    which = np.flatnonzero(missing.any(axis=0))
    if which.size == 1:
        return f"Class {_label(material, int(which[0]))} is"
    labels = ", ".join(_label(material, int(code)) for code in which[:3])
    return f"{which.size} classes ({labels}{', ...' if which.size > 3 else ''}) are"


def _label(material: Material, code: int) -> str:
    return repr(material.classes[code])
