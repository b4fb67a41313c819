"""Single columns that give the target away: copies of it, its consequences, or a row number in sorted data.

Each column alone predicts the target of every row from that of its neighbours in the order of the column: the four nearest on
either side, the row itself left out. For categories, and numbers of few different values, the neighbours are all other rows of
the same category. The skill is how much of what is to be explained this explains: of the errors of always saying the most
frequent class, or of the variance of the target's ranks. It needs no model, no direction and no scale, and a column that only
knows one of three classes has none to boast.
"""

from collections.abc import Iterator

import numpy as np

from tiebreak.audits.findings import MOST_CELLS, AuditInput, Column, Finding, Severity, found
from tiebreak.numerics import FloatArray, IntArray, mid_ranks
from tiebreak.scores.vocabulary import count

NEIGHBOURS = 4
"""On either side."""

MOST_ROWS = 5_000
LEAST_ROWS = 30
"""A sample of so many rows is enough to see what is almost perfect; below so few, chance is."""

WARNING = {"classification": 0.97, "regression": 0.98}
ERROR = {"classification": 0.999, "regression": 0.9995}
"""Skill from which on a column is suspected, and all but certain. Petal width tells iris' classes with a skill of 0.94."""


def find_leaks(audit_input: AuditInput) -> Iterator[Finding]:
    """Columns that alone predict the target almost perfectly."""
    skills = {place: skill for place, skill in _skills(audit_input) if skill >= WARNING[audit_input.task]}
    if not skills:
        return
    best = max(skills.values())
    names = [audit_input.columns.names[place] for place in sorted(skills, key=lambda place: -skills[place])]
    severity: Severity = "error" if best >= ERROR[audit_input.task] else "warning"
    shown = ", ".join(repr(name) for name in names[:3]) + (", ..." if len(names) > 3 else "")
    what = "of the errors of guessing" if audit_input.task == "classification" else "of the target's variance in ranks"
    subject = f"Column {shown} alone explains" if len(names) == 1 else f"{count(len(names), 'column')} ({shown}) each explain"
    yield found(
        "leaking-column",
        severity,
        f"{subject} {'all' if best == 1 else f'{100 * best:.3g}%'} {what}.",
        "Ask how the column comes about: is it known when a prediction is to be made, and not a copy or a consequence of the "
        "target? If the rows are sorted by the target, a row number gives it away too. If in doubt, leave it out.",
        columns=names,
        skill=best,
        n_columns=len(names),
    )


def _skills(audit_input: AuditInput) -> Iterator[tuple[int, float]]:
    """The skill of each column, on all rows or a sample of them."""
    most = min(MOST_ROWS, max(500, MOST_CELLS // max(len(audit_input.columns.names), 1)))
    rows = audit_input.sample(audit_input.data.n_samples, most)
    target = audit_input.target[rows]
    if np.ptp(target) == 0:  # nothing is to be explained
        return
    skill = _of_classes if audit_input.task == "classification" else _of_numbers
    shuffle = audit_input.rng().permutation(rows.size)  # ties are in no order of their own
    for place in range(len(audit_input.columns.names)):
        column = audit_input.columns[place]
        column = column._replace(values=column.values[rows][shuffle])
        if column.varies:
            yield place, skill(column, target[shuffle])


def _of_classes(column: Column, target: IntArray) -> float:
    labels, target = np.unique(target, return_inverse=True)
    frequent = np.bincount(target).max() / target.size
    votes = _sums_of_others(column, np.eye(labels.size)[target])
    guess = np.where(votes.max(axis=1) > 0, votes.argmax(axis=1), np.bincount(target).argmax())
    return float((np.mean(guess == target) - frequent) / (1 - frequent))


def _of_numbers(column: Column, target: FloatArray) -> float:
    ranks = mid_ranks(target)
    sums = _sums_of_others(column, np.stack([ranks, np.ones(ranks.size)], axis=1))
    n = sums[:, 1]
    guess = np.where(n > 0, sums[:, 0] / np.maximum(n, 1), ranks.mean())
    return float(1 - np.mean((ranks - guess) ** 2) / ranks.var())


def _sums_of_others(column: Column, values: FloatArray) -> FloatArray:
    """For each row the sum of `values` over its neighbours in the column, itself left out."""
    codes = np.unique(column.values, return_inverse=True)[1]
    if column.is_category or (codes.max() + 1) * (2 * NEIGHBOURS + 1) <= codes.size:
        total = np.zeros((codes.max() + 1, values.shape[1]))
        np.add.at(total, codes, values)
        return np.asarray(total[codes] - values)
    order = np.argsort(np.where(np.isnan(column.values), -np.inf, column.values), kind="stable")
    running = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values[order], axis=0)])
    place = np.arange(order.size)
    low, high = np.maximum(place - NEIGHBOURS, 0), np.minimum(place + NEIGHBOURS + 1, order.size)
    sums = np.empty_like(values)
    sums[order] = running[high] - running[low] - values[order]
    return sums
