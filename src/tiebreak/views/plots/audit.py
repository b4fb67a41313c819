"""Plot of an audit: the content of each test set, and the splits in which something was found."""

import numpy as np

from tiebreak.audits.findings import Audit
from tiebreak.views.audit import MARKS as SIGNS
from tiebreak.views.audit import summary
from tiebreak.views.plots.draw import Drawing, Plot, bars, labels, of_all, rows

MOST_SPLITS = 40
"""Splits that one figure can show; of more, those with the gravest findings and the first ones are drawn."""

MOST_CLASSES = 7
"""Classes with a colour of their own; the rarer ones share one."""

_RANK = {"error": 0, "warning": 1, "note": 2, "": 3}


def folds(audit: Audit) -> Drawing:
    """Content of each test set against that of all rows, and where findings are."""
    import pandas as pd

    found = audit.folds
    codes: list[list[str]] = [[] for _ in range(found.n_splits)]
    severity = [""] * found.n_splits
    for finding in audit.findings:  # the gravest first
        for split in finding.evidence.splits:
            codes[split].append(finding.code)
            severity[split] = severity[split] or finding.severity
    shown = sorted(sorted(range(found.n_splits), key=lambda split: _RANK[severity[split]])[:MOST_SPLITS])
    data = pd.DataFrame(
        {
            "split": shown,
            "n_train": found.n_train[shown],
            "n_test": found.n_test[shown],
            "codes": [codes[split] for split in shown],
            "severity": [severity[split] for split in shown],
        }
    )
    repeats = found.repeat.max() > 0
    names = [
        f"{f'repeat {found.repeat[split]} ' if repeats else ''}fold {found.fold[split]}  (n = {found.n_test[split]})"
        for split in shown
    ]
    notes = [f"{SIGNS[severity[split]]} {', '.join(codes[split][:3])}" if severity[split] else "" for split in shown]
    elsewhere = tuple(dict.fromkeys(finding.code for finding in audit.findings if not finding.evidence.splits))
    about = f" About the data as a whole: {', '.join(elsewhere)}." if elsewhere else ""
    few = f"{about}{of_all(len(shown), found.n_splits, 'splits')}"
    title = summary(audit)
    if found.counts is not None:
        counts = np.vstack([found.counts[-1], found.counts[shown]])
        order = np.argsort(-counts[0], kind="stable")
        kept, rest = np.sort(order[:MOST_CLASSES]), order[MOST_CLASSES:]
        share = {
            name: counts[:, place] for name, place in zip(labels([found.classes[k] or "''" for k in kept], 24), kept, strict=True)
        }
        share |= {"other classes": counts[:, rest].sum(axis=1)} if rest.size else {}
        share = {name: n / counts.sum(axis=1) for name, n in share.items()}
        for name, values in share.items():
            data[f"share of {name}"] = values[1:]
        return bars(
            data,
            share,
            names=["all rows", *names],
            title=title,
            note=f"Shares of the classes in each test set; dashed: in all rows.{few}",
            x_label="share of each class in the test set",
            notes=["", *notes],
            lines_at=np.cumsum([values[0] for values in share.values()])[:-1].tolist(),
        )
    if found.quartiles is not None:
        of_target = found.quartiles[[found.n_splits, *shown]]
        data[["low", "q1", "median", "q3", "high"]] = of_target[1:]
        return rows(
            data,
            names=["all rows", *names],
            title=title,
            note=f"Marks: median of the target in each test set; lines: its quartiles.{few}",
            x_label="target of the test rows",
            notes=["", *notes],
            middle=of_target[:, 2],
            low=of_target[:, 1],
            high=of_target[:, 3],
            zero=False,
        )
    return bars(
        data,
        {"examples": data["n_test"]},
        names=names,
        title=title,
        note=f"Bars: examples in each test set.{few}",
        x_label="examples in the test set",
        notes=notes,
    )


PLOTS = {"folds": Plot(folds)}
