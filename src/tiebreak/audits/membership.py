"""Rows and groups that stand on both sides of a split."""

from __future__ import annotations

import numpy as np

from tiebreak.audits.findings import Finding, count, evidence, of_splits
from tiebreak.audits.material import Material


def find_shared_rows(material: Material) -> list[Finding]:
    """Rows that a split names on both sides, or more than once among its test rows."""
    in_training = np.zeros(material.n_samples, dtype=bool)
    shared, repeated = {}, {}
    for number, (train, test) in enumerate(material.splits):
        in_training[train] = True
        both = np.unique(test[in_training[test]])
        in_training[train] = False
        if both.size:
            shared[number] = both
        named, times = np.unique(test, return_counts=True)
        if (times > 1).any():
            repeated[number] = named[times > 1]
    findings = []
    if shared:
        n_shared, n_tested = sum(map(len, shared.values())), sum(len(material.splits[number].test) for number in shared)
        where = of_splits(len(shared), material.n_splits)
        findings.append(
            Finding(
                "overlapping-rows",
                "error",
                f"{count(n_shared, 'test row')} of {n_tested} also stand in training {where}, by their row numbers: models are "
                "tested on what they were trained on.",
                evidence(
                    np.concatenate(list(shared.values())),
                    splits=list(shared),
                    numbers={"n_rows": n_shared, "share": n_shared / n_tested},
                ),
                "Take these rows out of training. tb.evaluate refuses such splits.",
            )
        )
    if repeated:
        n_repeated = sum(map(len, repeated.values()))
        findings.append(
            Finding(
                "repeated-test-rows",
                "error",
                f"{count(n_repeated, 'row')} stand more than once among the test rows of a split "
                f"({of_splits(len(repeated), material.n_splits)}), and would count as often.",
                evidence(np.concatenate(list(repeated.values())), splits=list(repeated), numbers={"n_rows": n_repeated}),
                "Name each test row once. tb.evaluate refuses such splits.",
            )
        )
    return findings


def find_torn_groups(material: Material) -> list[Finding]:
    """Groups of which some rows are in training and others in test."""
    codes = material.group_codes
    if codes is None:
        return []
    torn: dict[int, np.ndarray] = {}
    n_rows = n_tested = 0
    for number, (train, test) in enumerate(material.splits):
        on_both = np.intersect1d(codes[train], codes[test])
        n_tested += test.size
        if on_both.size:
            torn[number] = on_both
            n_rows += int(np.isin(codes[test], on_both).sum())
    if not torn:
        return []
    groups = np.unique(np.concatenate(list(torn.values())))
    labels = np.unique(np.asarray(material.data.groups))[groups[:3]].tolist()
    such_as = ", ".join(repr(label) for label in labels) + (", ..." if groups.size > 3 else "")
    rows = np.flatnonzero(np.isin(codes, groups))
    return [
        Finding(
            "group-on-both-sides",
            "error",
            f"{count(groups.size, 'group')} of {codes.max() + 1} ({such_as}) stand on both sides of a split "
            f"{of_splits(len(torn), material.n_splits)}; {n_rows} of {n_tested} test rows have rows of their own group in "
            "training. Scores then say how well models recognise known groups, not how they do on new ones.",
            evidence(
                rows,
                splits=list(torn),
                numbers={"n_groups": groups.size, "n_rows": n_rows, "share": n_rows / n_tested},
            ),
            'Keep groups together: cv="group", or cv="stratified-group" for classes.',
        )
    ]
