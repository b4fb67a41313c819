"""What came of an audit: findings, which checks were done, and what each test set holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tiebreak import _facade
from tiebreak.evaluation.audit.finding import SEVERITIES, Finding, Severity
from tiebreak.numerics import FloatArray, IntArray

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.plan.data import Task
    from tiebreak.views.plots.audit import AuditDisplay


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
class Folds:
    """What each test set holds.

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

    kind: str
    repeat: IntArray
    fold: IntArray
    n_train: IntArray
    n_test: IntArray
    classes: tuple[str, ...] = ()
    counts: IntArray | None = None
    quartiles: FloatArray | None = None

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.n_test.size)


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What an audit of data and splits found.

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

    def __len__(self) -> int:
        """Number of findings."""
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        """The findings, the gravest first."""
        return iter(self.findings)

    def __bool__(self) -> bool:
        """Whether there are findings."""
        return bool(self.findings)

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
        return tuple(finding for finding in self.findings if finding.is_at_least(severity))

    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity, the gravest first."""
        return {each: sum(f.severity == each for f in self.findings) for each in reversed(SEVERITIES)}

    def to_frame(self) -> pd.DataFrame:
        """A row for each finding: code, severity, text, advice, splits, rows, columns and the numbers."""
        return _facade.audit_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dicts, texts and numbers, schema 1."""
        return _facade.audit_dict(self)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The same as JSON text, also written to `path` if given."""
        return _facade.audit_json(self, path)

    def to_text(self) -> str:
        """The findings for a terminal."""
        return _facade.audit_text(self)

    def to_markdown(self) -> str:
        """The findings as Markdown."""
        return _facade.audit_markdown(self)

    def plot(self, ax: Axes | None = None) -> AuditDisplay:
        """Draw what each test set holds, and where findings are.

        Parameters
        ----------
        ax : Axes, optional
        """
        return _facade.audit_plot(self, ax)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        return _facade.audit_html(self)
