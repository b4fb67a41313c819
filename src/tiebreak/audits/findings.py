"""Result of an audit: findings, the checks that were done, and the contents of each test set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.data import Task
from tiebreak.plan.splits import Splits
from tiebreak.result import Result

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least grave to the gravest."""

MOST_ROWS = 20
"""Rows that are named as evidence; `numbers` says how many there are."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence of a finding: splits and rows.

    Attributes
    ----------
    rows : tuple of int
        Rows of X, counted from 0; the first 20 of them.
    columns : tuple of str
    splits : tuple of int
        Positions of the splits that it concerns; empty where it concerns the data as a whole.
    numbers : mapping of str to float
        The figures that it rests on.
    """

    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    splits: tuple[int, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the data or the splits that a reader of the scores has to know.

    Attributes
    ----------
    code : str
        Stable, in kebab case, such as "future-in-training".
    severity : {"note", "warning", "error"}
        A note is good to know. A warning is to be looked into before scores are believed. With an error, scores do not mean
        what they seem to.
    text : str
        What was found.
    evidence : Evidence
    advice : str
        What to do.
    """

    code: str
    severity: Severity
    text: str
    evidence: Evidence
    advice: str


def found(
    code: str,
    severity: Severity,
    text: str,
    advice: str,
    *,
    rows: Any = (),
    columns: Sequence[str] = (),
    splits: Any = (),
    **numbers: float,
) -> Finding:
    """A finding, with its evidence out of arrays."""
    return Finding(
        code,
        severity,
        text,
        Evidence(
            rows=tuple(np.unique(np.asarray(rows, dtype=int))[:MOST_ROWS].tolist()),
            columns=tuple(columns),
            splits=tuple(np.unique(np.asarray(splits, dtype=int)).tolist()),
            numbers={name: float(value) for name, value in numbers.items()},
        ),
        advice,
    )


def percent(share: float) -> str:
    """A share above 0 as people read it: never "0%"."""
    return "less than 0.1%" if share < 0.001 else f"{100 * share:.{1 if share < 0.1 else 0}f}%"


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that was done, or why it was not.

    Attributes
    ----------
    what : str
        What was looked at.
    codes : tuple of str
        Of what was found; empty where all is well.
    why_not : str
        Why it was not done; "" where it was.
    """

    what: str
    codes: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Folds(Splits):
    """The splits, and the contents of each test set.

    Attributes
    ----------
    kind : str
        Of the splits.
    repeat, fold, n_train, n_test : ndarray of shape (n_splits,)
    classes : tuple of str
        Empty for what is no classification.
    counts : ndarray of shape (n_splits + 1, n_classes) or None
        Test examples of each class; the last row is of all rows.
    quartiles : ndarray of shape (n_splits + 1, 5) or None
        Of the target of a regression: smallest, quartiles, largest; the last row is of all rows.
    """

    classes: tuple[str, ...] = ()
    counts: IntArray | None = None
    quartiles: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(Result):
    """Result of an audit of data and splits.

    Attributes
    ----------
    findings : tuple of Finding
        The gravest first; each with code, severity, text, evidence and advice.
    checks : tuple of Checked
        What was looked at, and what was not for which reason.
    dataset : str
        Its name, "" where it has none.
    n_samples, n_features : int
    task : {"classification", "regression", "other"}
    folds : Folds
        What each test set holds.
    """

    findings: tuple[Finding, ...]
    checks: tuple[Checked, ...]
    dataset: str
    n_samples: int
    n_features: int
    task: Task
    folds: Folds = field(repr=False)

    @property
    def worst(self) -> Severity | None:
        """Severity of the gravest finding; None where there is none."""
        return self.findings[0].severity if self.findings else None

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Findings as grave as that, or graver.

        Parameters
        ----------
        severity : {"note", "warning", "error"}
        """
        return tuple(each for each in self.findings if SEVERITIES.index(each.severity) >= SEVERITIES.index(severity))
