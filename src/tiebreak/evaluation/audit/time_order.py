"""Splits against time: training on the future, and folds that are scattered over it."""

from __future__ import annotations

import numpy as np

from tiebreak.evaluation.audit.finding import Finding, count, evidence, of_splits, percent
from tiebreak.evaluation.audit.material import Material

SCATTERED = 0.5
"""Share of what shuffling would give of test rows whose next row in time is in training, from which on folds are scattered."""


def find_future(material: Material) -> list[Finding]:
    """Training rows that are later than the first test row."""
    time = material.time
    if time is None:
        return []
    early, late, rows = [], 0, []
    for number, (train, test) in enumerate(material.splits):
        later = train[time[train] > time[test].min()]
        if later.size:
            early.append(number)
            late += later.size
            rows.append(later)
    if not early:
        return []
    n_train = sum(material.splits[number].train.size for number in early)
    advice = 'Use cv="time", which trains on the past only; a gap= keeps what is known only later out of training.'
    if not bool((np.diff(time) >= 0).all()):
        advice += " Sort the rows by time first: such splits go by the order of rows."
    return [
        Finding(
            "future-in-training",
            "error",
            f"{of_splits(len(early), material.n_splits).capitalize()} models are trained on what came later than test rows: "
            f"{late} of {n_train} training rows ({percent(late / n_train)}). In real use the future is not known.",
            evidence(np.concatenate(rows), splits=early, numbers={"n_rows": late, "share": late / n_train}),
            advice,
        )
    ]


def find_scattered_folds(material: Material) -> list[Finding]:
    """Test rows that lie between training rows in time, as shuffled and stratified folds of ordered data do."""
    time = material.time
    if time is None or time.min() == time.max():
        return []
    order = np.argsort(time, kind="stable")
    side = np.zeros(material.n_samples, dtype=np.int8)
    n_tested, n_between, expected, scattered = 0, 0, 0.0, []
    for number, (train, test) in enumerate(material.splits):
        side[:] = 0
        side[train], side[test] = 1, 2
        line = side[order]
        line = line[line > 0]  # rows that the split leaves out tell nothing
        is_test = line[:-1] == 2
        between, tested = int((is_test & (line[1:] == 1)).sum()), int(is_test.sum())
        by_shuffling = tested * train.size / max(line.size - 1, 1)
        n_between, n_tested, expected = n_between + between, n_tested + tested, expected + by_shuffling
        if tested and between > SCATTERED * by_shuffling:
            scattered.append(number)
    if not n_tested or n_between <= SCATTERED * expected:
        return []
    return [
        Finding(
            "folds-ignore-time",
            "warning",
            f"Times were given, but the folds are scattered over them ({material.described.kind}): the next row in time of "
            f"{percent(n_between / n_tested)} of test rows is in training. Where neighbours in time are alike, such scores say "
            "how well gaps can be filled, not how well the future can be told.",
            evidence(splits=scattered, numbers={"share": n_between / n_tested}),
            'Use cv="time", or blocks of consecutive rows if the order of training and test does not matter in use.',
        )
    ]


def find_constant_time(material: Material) -> list[Finding]:
    """Times that are all the same order nothing."""
    time = material.time
    if time is None or time.min() < time.max():
        return []
    return [
        Finding(
            "constant-time",
            "note",
            f"All {count(material.n_samples, 'row')} have the same time, so nothing could be checked against it.",
            evidence(),
            "Pass the time at which each row was known, or leave time out.",
        )
    ]
