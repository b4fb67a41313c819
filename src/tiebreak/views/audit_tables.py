"""An audit as a frame and as JSON, schema 1."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.views.json import finite, write_whole

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.audits.findings import Audit, Finding

SCHEMA = 1
COLUMNS = ("code", "severity", "text", "advice", "splits", "rows", "columns", "numbers")


def audit_frame(audit: Audit) -> pd.DataFrame:
    """A row for each finding, the gravest first."""
    import pandas as pd

    return pd.DataFrame([_record(finding) for finding in audit.findings], columns=list(COLUMNS))


def _record(finding: Finding) -> dict[str, Any]:
    evidence = finding.evidence
    return {
        "code": finding.code,
        "severity": finding.severity,
        "text": finding.text,
        "advice": finding.advice,
        "splits": list(evidence.splits),
        "rows": list(evidence.rows),
        "columns": list(evidence.columns),
        "numbers": {name: finite(value) for name, value in evidence.numbers.items()},
    }


def audit_dict(audit: Audit) -> dict[str, Any]:
    """Plain lists, dicts, texts and numbers; nan is None, and nothing depends on the clock."""
    folds = audit.folds
    return {
        "schema": SCHEMA,
        "tiebreak": tiebreak.__version__,
        "dataset": audit.dataset,
        "task": audit.task,
        "n_samples": audit.n_samples,
        "n_features": audit.n_features,
        "worst": audit.worst,
        "findings": [_record(finding) for finding in audit.findings],
        "checks": [{"what": each.what, "codes": list(each.codes), "why_not": each.why_not} for each in audit.checks],
        "splits": {
            "kind": folds.kind,
            "repeat": folds.repeat.tolist(),
            "fold": folds.fold.tolist(),
            "n_train": folds.n_train.tolist(),
            "n_test": folds.n_test.tolist(),
            "classes": list(folds.classes),
            "counts": None if folds.counts is None else folds.counts.tolist(),
            "quartiles": None if folds.quartiles is None else folds.quartiles.tolist(),
        },
    }


def audit_json(audit: Audit, path: str | os.PathLike[str] | None = None) -> str:
    """The same as text, also written to `path` if given: whole or not at all."""
    text = json.dumps(audit_dict(audit), indent=2, allow_nan=False)
    if path is not None:
        write_whole(Path(path), f"{text}\n".encode())
    return text


def audit_csv_rows(audit: Audit) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for a CSV file; lists as JSON, and numbers too."""
    rows = [
        [value if isinstance(value, str) else json.dumps(value) for value in _record(finding).values()]
        for finding in audit.findings
    ]
    return list(COLUMNS), rows
