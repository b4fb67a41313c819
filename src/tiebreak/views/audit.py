"""An audit in words, as a frame and as JSON: what was looked at, what was found, and what to do."""

from collections import Counter
from typing import Any

import numpy as np

from tiebreak.audits.findings import Audit, Finding
from tiebreak.views.page import Page, Paragraph, Section
from tiebreak.views.plots.draw import Drawing, Plot, bars, labels, of_all, rows
from tiebreak.views.view import View, as_frame, document, of_rows, plain
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
    found = finding.evidence.rows
    shown = f"{', '.join(map(str, found[:MOST_ROWS]))}{', ...' if len(found) > MOST_ROWS else ''}"
    where = f"Rows {shown} (counted from 0)." if found else ""
    title, texts = f"{MARKS[finding.severity]} {finding.severity} {finding.code}", (finding.text, where, f"→ {finding.advice}")
    return Section(title, texts, has_bullets=False, is_folded=False)


def columns(audit: Audit) -> dict[str, Any]:
    """A row for each finding, the gravest first."""
    return of_rows(map(_record, audit.findings), COLUMNS)


def facts(audit: Audit) -> dict[str, Any]:
    """Plain lists, dicts, texts and numbers; nan is None, and nothing depends on the clock."""
    folds = audit.folds
    return document(
        **{name: getattr(audit, name) for name in ("dataset", "task", "n_samples", "n_features", "worst")},
        findings=[_record(finding) for finding in audit.findings],
        checks=audit.checks,
        splits={name: getattr(folds, name) for name in FOLDS},
    )


def _record(finding: Finding) -> dict[str, Any]:
    held = {**plain(finding), **plain(finding.evidence)}
    return {name: held[name] for name in COLUMNS}


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


# --- plots ------------------------------------------------------------------------------------------------------------------

MOST_SPLITS = 40
"""Splits that one figure can show; of more, those with the gravest findings and the first ones are drawn."""

MOST_CLASSES = 7
"""Classes with a colour of their own; the rarer ones share one."""

_RANK = {"error": 0, "warning": 1, "note": 2, "": 3}


def folds(audit: Audit) -> Drawing:
    """Content of each test set against that of all rows, and where findings are."""
    found = audit.folds
    findings = [[each for each in audit.findings if split in each.evidence.splits] for split in range(found.n_splits)]
    gravest = [each[0].severity if each else "" for each in findings]  # which is the first
    shown = sorted(sorted(range(found.n_splits), key=lambda split: _RANK[gravest[split]])[:MOST_SPLITS])
    codes = [[each.code for each in findings[split]] for split in shown]
    data = as_frame(
        {
            "split": shown,
            "n_train": found.n_train[shown],
            "n_test": found.n_test[shown],
            "codes": codes,
            "severity": [gravest[split] for split in shown],
        }
    )
    repeats = found.repeat.max() > 0
    names = [
        f"{f'repeat {found.repeat[split]} ' if repeats else ''}fold {found.fold[split]}  (n = {found.n_test[split]})"
        for split in shown
    ]
    notes = [f"{MARKS[gravest[split]]} {', '.join(mine[:3])}" if mine else "" for split, mine in zip(shown, codes, strict=True)]
    elsewhere = dict.fromkeys(finding.code for finding in audit.findings if not finding.evidence.splits)
    about = f" About the data as a whole: {', '.join(elsewhere)}." if elsewhere else ""
    few = f"{about}{of_all(len(shown), found.n_splits, 'splits')}"
    beside_all: dict[str, Any] = {"title": summary(audit), "names": ["all rows", *names], "notes": ["", *notes]}
    if found.counts is not None:
        counts = found.counts[[found.n_splits, *shown]]
        order = np.argsort(-counts[0], kind="stable")
        kept, rest = np.sort(order[:MOST_CLASSES]), order[MOST_CLASSES:]
        share = dict(zip(labels([found.classes[k] or "''" for k in kept], 24), counts[:, kept].T, strict=True))
        share |= {"other classes": counts[:, rest].sum(axis=1)} if rest.size else {}
        share = {name: n / counts.sum(axis=1) for name, n in share.items()}
        for name, values in share.items():
            data[f"share of {name}"] = values[1:]
        return bars(
            data,
            share,
            note=f"Shares of the classes in each test set; dashed: in all rows.{few}",
            x_label="share of each class in the test set",
            lines_at=np.cumsum([values[0] for values in share.values()])[:-1].tolist(),
            **beside_all,
        )
    if found.quartiles is not None:
        of_target = found.quartiles[[found.n_splits, *shown]]
        data[["low", "q1", "median", "q3", "high"]] = of_target[1:]
        return rows(
            data,
            note=f"Marks: median of the target in each test set; lines: its quartiles.{few}",
            x_label="target of the test rows",
            middle=of_target[:, 2],
            low=of_target[:, 1],
            high=of_target[:, 3],
            zero=False,
            **beside_all,
        )
    return bars(
        data,
        {"examples": data["n_test"]},
        names=names,
        title=summary(audit),
        note=f"Bars: examples in each test set.{few}",
        x_label="examples in the test set",
        notes=notes,
    )


VIEW = View(page, columns, facts, {"folds": Plot(folds)})
