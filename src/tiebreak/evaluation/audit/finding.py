"""What an audit finds: a code, how grave it is, where it shows, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least grave to the gravest."""

MOST_ROWS = 20
"""Rows that are named as evidence; `numbers` says how many there are."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a finding shows.

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

    def is_at_least(self, severity: Severity) -> bool:
        """Whether it is as grave as that, or graver."""
        return SEVERITIES.index(self.severity) >= SEVERITIES.index(severity)


def evidence(
    rows: Any = (), *, columns: Sequence[str] = (), splits: Any = (), numbers: Mapping[str, Any] | None = None
) -> Evidence:
    """Evidence out of arrays."""
    return Evidence(
        rows=tuple(np.unique(np.asarray(rows, dtype=int))[:MOST_ROWS].tolist()),
        columns=tuple(columns),
        splits=tuple(np.unique(np.asarray(splits, dtype=int)).tolist()),
        numbers={name: float(value) for name, value in (numbers or {}).items()},
    )


def percent(share: float) -> str:
    """A share as people read it: never "0%" unless it is none."""
    if share <= 0:
        return "0%"
    return "less than 0.1%" if share < 0.001 else f"{100 * share:.{1 if share < 0.1 else 0}f}%"


def count(n: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2 rows"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}{'es' if noun.endswith('ss') else 's'}"
    return f"{n} {noun if n == 1 else plural}"


def of_splits(n: int, total: int) -> str:
    """How many of the splits: "in all 10 splits", "in 3 of 10 splits", "in the one split"."""
    if total == 1:
        return "in the one split"
    return f"in all {total} splits" if n == total else f"in {n} of {total} splits"
