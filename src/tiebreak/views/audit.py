"""An audit in words, as a frame and as JSON: what was looked at, what was found, and what to do."""

from collections import Counter
from typing import Any

from tiebreak.audits.findings import Audit, Finding
from tiebreak.views.page import Page, Paragraph, Section
from tiebreak.views.view import View, document, finite, of_rows, plain
from tiebreak.views.words import count, listed, quote, span

MARKS = {"error": "✗", "warning": "!", "note": "·"}
MOST_ROWS = 8
FOLDS = ("kind", "repeat", "fold", "n_train", "n_test", "classes", "counts", "quartiles")
COLUMNS = ("code", "severity", "text", "advice", "splits", "rows", "columns", "numbers")


def page(audit: Audit) -> Page:
    """Number of findings, what was audited, the findings, and the checks without one."""
    folds, name = audit.folds, f" {quote(audit.dataset)}" if audit.dataset else ""
    n_classes = f" with {len(folds.classes)} classes" if folds.classes else ""
    kind = f" ({folds.kind})" if folds.kind != "unknown" else ""
    subject = (
        f"Data{name}: {audit.n_samples} rows, {audit.n_features} columns, {audit.task}{n_classes}; "
        f"{count(folds.n_splits, 'split')}{kind} of {span(folds.n_train)} training and {span(folds.n_test)} test rows."
    )
    return Page(
        (
            Paragraph((f"{summary(audit)}.", subject), n_strong=1),
            *map(_finding, audit.findings),
            Paragraph(tuple(check_lines(audit)), is_small=True),
        )
    )


def _finding(finding: Finding) -> Section:
    """Text of a finding, the first rows that show it, and what to do."""
    rows = finding.evidence.rows
    shown = f"{', '.join(map(str, rows[:MOST_ROWS]))}{', ...' if len(rows) > MOST_ROWS else ''}"
    where = f"Rows {shown} (counted from 0)." if rows else ""
    title, lines = f"{MARKS[finding.severity]} {finding.severity} {finding.code}", (finding.text, where, f"→ {finding.advice}")
    return Section(title, lines, has_bullets=False, is_folded=False)


def columns(audit: Audit) -> dict[str, Any]:
    """A row for each finding, the gravest first."""
    return of_rows(map(_record, audit.findings), COLUMNS)


def facts(audit: Audit) -> dict[str, Any]:
    """Plain lists, dicts, texts and numbers; nan is None, and nothing depends on the clock."""
    folds = audit.folds
    return document(
        **{name: getattr(audit, name) for name in ("dataset", "task", "n_samples", "n_features", "worst")},
        findings=[_record(finding) for finding in audit.findings],
        checks=[{"what": each.what, "codes": list(each.codes), "why_not": each.why_not} for each in audit.checks],
        splits={name: plain(getattr(folds, name)) for name in FOLDS},
    )


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


def summary(audit: Audit) -> str:
    """Number of findings of each severity: "1 error and 2 notes"; no findings say so."""
    found = Counter(each.severity for each in audit.findings)  # the gravest first
    if not found:
        return "Nothing was found that speaks against these splits"
    return f"The audit has {listed([count(n, severity) for severity, n in found.items()])}"


def check_lines(audit: Audit) -> list[str]:
    """Checks that found nothing, and those that were not done."""
    clean = [check.what for check in audit.checks if not check.why_not and not check.codes]
    lines = [f"Looked at without a finding: {', '.join(clean)}."] if clean else []
    reasons = dict.fromkeys(check.why_not for check in audit.checks if check.why_not)
    for reason in reasons:
        what = ", ".join(check.what for check in audit.checks if check.why_not == reason)
        lines.append(f"Not looked at, as {reason}: {what}." if not reason.startswith("only") else f"Looked at {reason}: {what}.")
    return lines


VIEW = View(page, columns, facts, "tiebreak.views.plots.audit:PLOTS")
