"""An audit in words: what was looked at, what was found, and what to do; for a terminal, a note and a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tiebreak.views.page import escape as escape_markdown
from tiebreak.views.page import wrap
from tiebreak.views.words import printable, quote

if TYPE_CHECKING:
    from tiebreak.audits.findings import Audit, Finding

MARKS = {"error": "✗", "warning": "!", "note": "·"}
MOST_ROWS = 8


def audit_text(audit: Audit) -> str:
    """The findings, 100 columns wide."""
    parts = [
        "\n".join(wrap(line) for line in head_lines(audit)),
        *("\n".join(_finding_lines(finding)) for finding in audit.findings),
        "\n".join(wrap(line) for line in check_lines(audit)),
    ]
    return "\n\n".join(parts) + "\n"


def audit_markdown(audit: Audit) -> str:
    """The findings as Markdown."""
    first, *rest = head_lines(audit)
    parts = [f"**{escape_markdown(first)}**", *(escape_markdown(line) for line in rest)]
    for finding in audit.findings:
        where = f" {escape_markdown(where_line(finding))}" if where_line(finding) else ""
        parts.append(
            f"- **{finding.severity}** `{finding.code}`: {escape_markdown(printable(finding.text))}{where} "
            f"*{escape_markdown(printable(finding.advice))}*"
        )
    return "\n\n".join([*parts, *(escape_markdown(line) for line in check_lines(audit))]) + "\n"


def audit_html(audit: Audit) -> str:
    """The findings as a piece of HTML without script, colours left to the notebook."""
    first, *rest = head_lines(audit)
    items = "".join(_item(finding) for finding in audit.findings)
    return (
        f'<div class="tiebreak"><p><strong>{escape(first)}</strong></p>'
        + "".join(f"<p>{escape(line)}</p>" for line in rest)
        + (f"<ul>{items}</ul>" if items else "")
        + "".join(f"<p><small>{escape(line)}</small></p>" for line in check_lines(audit))
        + "</div>"
    )


def _item(finding: Finding) -> str:
    where = where_line(finding)
    return (
        f"<li><strong>{escape(finding.severity)}</strong> <code>{escape(finding.code)}</code>: {escape(printable(finding.text))}"
        f"<br><em>{escape(printable(finding.advice))}</em>{f'<br><small>{escape(where)}</small>' if where else ''}</li>"
    )


def head_lines(audit: Audit) -> list[str]:
    """How many findings of which severity, and what was audited."""
    return [f"{summary(audit)}.", f"{_subject(audit)}."]


def summary(audit: Audit) -> str:
    """How many findings of which severity: "1 error and 2 notes"; no findings say so."""
    counts = [(severity, n) for severity, n in audit.counts().items() if n]
    if not counts:
        return "Nothing was found that speaks against these splits"
    parts = [f"{n} {severity}{'s' if n > 1 else ''}" for severity, n in counts]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"The audit has {listed}"


def _subject(audit: Audit) -> str:
    folds = audit.folds
    name = f" {quote(audit.dataset)}" if audit.dataset else ""
    kind = f" ({folds.kind})" if folds.kind != "unknown" else ""
    n_classes = f" with {len(folds.classes)} classes" if folds.classes else ""
    splits = "split" if folds.n_splits == 1 else "splits"
    data = f"Data{name}: {audit.n_samples} rows, {audit.n_features} columns, {audit.task}{n_classes}"
    return f"{data}; {folds.n_splits} {splits}{kind} of {_span(folds.n_train)} training and {_span(folds.n_test)} test rows"


def _finding_lines(finding: Finding) -> list[str]:
    where = where_line(finding)
    return [
        f"{MARKS[finding.severity]} {finding.severity} {finding.code}",
        wrap(printable(finding.text), "  "),
        *([wrap(where, "  ")] if where else []),
        wrap(f"→ {printable(finding.advice)}", "  "),
    ]


def where_line(finding: Finding) -> str:
    """The rows and columns that show it, a few of them."""
    evidence, parts = finding.evidence, []
    if evidence.rows:
        shown = ", ".join(map(str, evidence.rows[:MOST_ROWS]))
        parts.append(f"Rows {shown}{', ...' if len(evidence.rows) > MOST_ROWS else ''} (counted from 0).")
    return " ".join(parts)


def check_lines(audit: Audit) -> list[str]:
    """Which checks found nothing, and which were not done."""
    clean = [check.what for check in audit.checks if not check.why_not and not check.codes]
    lines = [f"Looked at without a finding: {', '.join(clean)}."] if clean else []
    reasons = dict.fromkeys(check.why_not for check in audit.checks if check.why_not)
    for reason in reasons:
        what = ", ".join(check.what for check in audit.checks if check.why_not == reason)
        lines.append(f"Not looked at, as {reason}: {what}." if not reason.startswith("only") else f"Looked at {reason}: {what}.")
    return lines


def _span(values: object) -> str:
    low, high = int(min(values)), int(max(values))  # type: ignore[call-overload]
    return str(low) if low == high else f"{low}-{high}"
