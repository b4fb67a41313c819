"""Content of each test set, and the splits in which an audit found something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np

from tiebreak.views.audit import MARKS as SIGNS
from tiebreak.views.audit import summary
from tiebreak.views.plots.display import Display, Plots, TopLook, of_all
from tiebreak.views.plots.style import (
    COLOURS,
    PLOT_WIDTH,
    SMALL,
    background,
    band,
    foreground,
    literal,
    model_axis,
    muted,
    number_axis,
    plain_axes,
    row_note,
    short_labels,
    text_width,
    widest,
    x_label,
)
from tiebreak.views.words import printable, quote

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.audits.findings import Audit

MOST_SPLITS = 40
"""Splits that one figure can show legibly; of more, those with the gravest findings and the first ones are drawn."""

MOST_CLASSES = 7
"""Classes with a colour of their own; the rarer ones share one."""

MOST_CODES = 3
"""Codes that are written beside a split."""

OTHERS = "other classes"

# Okabe and Ito's colours, which the colour-blind tell apart, in an order in which neighbours differ in lightness too
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#bdbdbd")
_SIGN_COLOURS = {"error": "#d9433a", "warning": "#b97800"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditDisplay(Display):
    """Content of each test set: the share of each class or the spread of the target, against that of all rows.

    Attributes
    ----------
    data : DataFrame
        For classes a row for each split and class: split (-1 for all rows), class, n (examples in the test set) and share. For
        numbers a row for each split: split, low, q1, median, q3, high.
    splits : DataFrame
        The splits that are drawn: split, name, n_train, n_test, codes, severity.
    kind : {"classes", "numbers", "sizes"}
        Content of `data`; "sizes" where the target is neither.
    """

    row_height: ClassVar[float] = 0.115

    splits: pd.DataFrame
    kind: str
    audit: Audit = field(repr=False)

    @classmethod
    def from_audit(cls, audit: Audit, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        folds = audit.folds
        codes, severities = _by_split(audit)
        rank = {"error": 0, "warning": 1, "note": 2, "": 3}
        shown = sorted(
            sorted(range(folds.n_splits), key=lambda split: rank[severities[split]])[: min(top or MOST_SPLITS, MOST_SPLITS)]
        )
        splits = pd.DataFrame(
            {
                "split": shown,
                "name": [_name(audit, split) for split in shown],
                "n_train": folds.n_train[shown],
                "n_test": folds.n_test[shown],
                "codes": [codes[split] for split in shown],
                "severity": [severities[split] for split in shown],
            }
        )
        if folds.counts is not None:
            data, kind = _class_data(audit, shown), "classes"
        elif folds.quartiles is not None:
            columns = ("low", "q1", "median", "q3", "high")
            data = pd.DataFrame(folds.quartiles[[folds.n_splits, *shown]], columns=list(columns))
            data.insert(0, "split", [-1, *shown])
            kind = "numbers"
        else:
            data, kind = splits[["split", "n_test"]], "sizes"
        return cls(data, splits, kind, audit)

    @property
    def _labels(self) -> list[str]:
        first = ["all rows"] if self.kind != "sizes" else []
        return [*first, *(f"{name}  (n = {n})" for name, n in zip(self.splits["name"], self.splits["n_test"], strict=True))]

    def _size(self) -> tuple[float, float]:
        rows = len(self._labels)
        remarks = [_remark(codes) for codes in self.splits["codes"]]
        legend = 0.2 * -(-len(self._classes) // self._legend_columns)
        return PLOT_WIDTH + 1.0 + widest(self._labels) + widest(remarks), 2.0 + legend + 0.24 * max(rows, 3)

    @property
    def _classes(self) -> list[str]:
        return list(self.data["class"].cat.categories) if self.kind == "classes" else []

    @property
    def _legend_columns(self) -> int:
        """Number of columns that fit above the bars."""
        return int(np.clip(PLOT_WIDTH // (widest(self._classes, SMALL) + 0.4), 1, max(len(self._classes), 1)))

    def _title(self) -> str:
        return summary(self.audit) + ("; none concerns a single split" if self.elsewhere and not self._has_marks else "")

    def _note(self) -> str:
        what = {
            "classes": "Bars: shares of the classes in each test set; dashed lines: in all rows.",
            "numbers": "Boxes: quartiles of the target in each test set; lines: its range; band: quartiles of all rows.",
            "sizes": "Bars: examples in each test set.",
        }[self.kind]
        signs = f" {SIGNS['error']} error, {SIGNS['warning']} warning, {SIGNS['note']} note." if self._has_marks else ""
        elsewhere = f" About the data as a whole: {', '.join(self.elsewhere)}." if self.elsewhere else ""
        return f"{what}{signs}{elsewhere}{of_all(len(self.splits), self.audit.folds.n_splits, 'splits')}"

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Codes of findings that concern no split."""
        return tuple(dict.fromkeys(finding.code for finding in self.audit if not finding.evidence.splits))

    @property
    def _has_marks(self) -> bool:
        return bool((self.splits["severity"] != "").any())

    def _draw(self, axes: Axes) -> None:
        draw = {"classes": self._draw_classes, "numbers": self._draw_numbers, "sizes": self._draw_sizes}[self.kind]
        plain_axes(axes, "bottom")
        room = self._room(axes)
        size = min(model_axis(axes, self._labels, room=room), SMALL)
        draw(axes)
        first = len(self._labels) - len(self.splits)
        for row, (severity, codes) in enumerate(zip(self.splits["severity"], self.splits["codes"], strict=True), first):
            if severity:
                text = f"{SIGNS[severity]} {_remark(codes)}"
                text = text if text_width(text, size) + 0.15 <= room.right else SIGNS[severity]
                row_note(axes, row, text, colour=_SIGN_COLOURS.get(severity, muted()), size=size)

    def _draw_classes(self, axes: Axes) -> None:
        wide = self.data.pivot(index="split", columns="class", values="share").loc[[-1, *self.splits["split"]]]
        left = np.zeros(len(wide))
        edges = np.cumsum(wide.to_numpy()[0])[:-1]
        last = -1 if OTHERS in self._classes else len(self._classes) - 1
        colours = [*_COLOURS[: len(self._classes) - 1], _COLOURS[last]]
        for colour, name in zip(colours, self._classes, strict=True):
            share = wide[name].to_numpy()
            bars = axes.barh(range(len(wide)), share, left=left, height=0.74, color=colour, label=literal(name))
            for bar in bars:
                bar.set(edgecolor=background(), linewidth=0.5)
            left = left + share
        axes.vlines(edges, 0.5, len(wide) - 0.5, color=foreground(), linewidth=0.8, linestyles=(0, (3, 3)))
        axes.set_xlim(0, 1)
        number_axis(axes)
        x_label(axes, "share of each class in the test set", room=self._room(axes))
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=self._legend_columns,
            fontsize=SMALL,
            frameon=False,
            handlelength=1.0,
            handletextpad=0.4,
            columnspacing=1.2,
            borderaxespad=0.1,
        )

    def _draw_numbers(self, axes: Axes) -> None:
        box = self.data[["low", "q1", "median", "q3", "high"]].to_numpy()
        rows = np.arange(len(box))
        axes.axvspan(box[0, 1], box[0, 3], color=band(), zorder=0)
        axes.axvline(box[0, 2], color=muted(), linewidth=0.8, zorder=1)
        axes.hlines(rows, box[:, 0], box[:, 4], color=muted(), linewidth=0.9, zorder=2)
        axes.barh(rows, box[:, 3] - box[:, 1], left=box[:, 1], height=0.6, color=COLOURS[0], alpha=0.55, zorder=3)
        axes.vlines(box[:, 2], rows - 0.3, rows + 0.3, color=foreground(), linewidth=1.4, zorder=4)
        number_axis(axes)
        x_label(axes, "target of the test rows", room=self._room(axes))

    def _draw_sizes(self, axes: Axes) -> None:
        axes.barh(range(len(self.splits)), self.splits["n_test"], height=0.74, color=COLOURS[0])
        number_axis(axes)
        x_label(axes, "examples in the test set", room=self._room(axes))


def _by_split(audit: Audit) -> tuple[list[list[str]], list[str]]:
    """Codes of the findings about each split, and the gravest severity; the findings come the gravest first."""
    codes: list[list[str]] = [[] for _ in range(audit.folds.n_splits)]
    severities = [""] * audit.folds.n_splits
    for finding in audit:
        for split in finding.evidence.splits:
            codes[split].append(finding.code)
            severities[split] = severities[split] or finding.severity
    return codes, severities


def _name(audit: Audit, split: int) -> str:
    folds = audit.folds
    fold = f"fold {folds.fold[split]}"
    if folds.repeat.max() == 0:
        return fold
    return f"repeat {folds.repeat[split]} {fold}" if folds.fold.max() else f"repeat {folds.repeat[split]}"


def _remark(codes: list[str]) -> str:
    more = f", +{len(codes) - MOST_CODES}" if len(codes) > MOST_CODES else ""
    return ", ".join(codes[:MOST_CODES]) + more


def _class_data(audit: Audit, shown: list[int]) -> pd.DataFrame:
    """Classes in their order; the rarer ones together at the end, where there are many."""
    import pandas as pd

    folds = audit.folds
    assert folds.counts is not None  # noqa: S101 - the caller has looked
    whole = folds.counts[-1]
    order = np.argsort(-whole, kind="stable")
    is_many = order.size > MOST_CLASSES + 1
    order = np.append(np.sort(order[:MOST_CLASSES]), order[MOST_CLASSES:]) if is_many else np.arange(order.size)
    counts = np.vstack([whole, folds.counts[shown]])[:, order]
    names = short_labels([folds.classes[place] or quote("") for place in order])
    if is_many:
        counts = np.hstack([counts[:, :MOST_CLASSES], counts[:, MOST_CLASSES:].sum(axis=1, keepdims=True)])
        names = [*names[:MOST_CLASSES], OTHERS]
    split, place = np.indices(counts.shape)
    return pd.DataFrame(
        {
            "split": np.array([-1, *shown])[split.ravel()],
            "class": pd.Categorical.from_codes(place.ravel(), pd.Index([printable(name) for name in names])),
            "n": counts.ravel(),
            "share": (counts / counts.sum(axis=1, keepdims=True)).ravel(),
        }
    )


class AuditPlots(Plots["Audit"]):
    """Plots of the result."""

    __slots__ = ()

    def folds(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> AuditDisplay:
        """Content of each test set, and where findings are."""
        return self._draw(AuditDisplay.from_audit, ax=ax, look=look)

    __call__ = folds
