"""Words that all packages share: names and counts in messages, the codes of notices, and the kinds of splits."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tiebreak.errors import UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path


def look_up(name: str, known: Sequence[str], what: str) -> int:
    """Position of a name; raises `UnknownNameError` with the nearest names, e.g. for `what` = "model"."""
    if name in known:
        return known.index(name)
    near = difflib.get_close_matches(str(name), [str(k) for k in known], 3, 0.6)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"there {'is only' if len(known) == 1 else 'are'} {quoted(known, 9)}."
    )
    raise UnknownNameError(f"no {what} is called {name!r}: {hint}", about=what.partition(" ")[0])


def look_up_metric(name: str | None, known: Sequence[str]) -> int:
    """Position of a metric, of the first if none is named; a loss may be named as scikit-learn does, negated."""
    return 0 if name is None else look_up(name if name in known else name.removeprefix("neg_"), known, "metric")


def nearest_file(path: Path) -> str:
    """A question after a file that is there, if one of nearly that name is."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):  # no folder, or a text that is no path
        return ""
    near = difflib.get_close_matches(path.name, names, 1, 0.6)
    return f" Did you mean {str(path.with_name(near[0]))!r}?" if near else ""


def quoted(names: Sequence[str], most: int = 5) -> str:
    """Names for a message, never more than `most` of them: 'a', 'b' and 3 more."""
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"


def count(n: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2 rows"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def span(values: Any) -> str:
    """The smallest and the largest number, once where they are the same."""
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}-{high}"


NoticeCode = Literal[
    "assumed-paired",
    "read-as",
    "left-out",
    "missing-splits",
    "identical-scores",
    "copied-units",
    "groups-torn",
    "shared-training",
    "ordered-splits",
    "independent-sets",
    "few-units",
    "few-items",
    "carried-by-few",
    "mean-against-centre",
    "mixed-metrics",
    "lasting-autocorrelation",
    "labels-not-random",
    "fit-warnings",
    "majority-class",
    "undefined-metric",
]
"""Codes of notices: what is told, and so what can be done, is of these kinds (docs/notices.csv)."""


class Notice(NamedTuple):
    """Remark that a reader of the answer should know.

    The code is stable, so that a program can look for it or ignore it; the text is for people.
    """

    code: NoticeCode
    text: str


SplitKind = Literal[
    "unknown",
    "holdout",
    "repeated-holdout",
    "kfold",
    "repeated-kfold",
    "stratified",
    "repeated-stratified",
    "loo",
    "group",
    "stratified-group",
    "time",
]
"""Schemes of splits."""
Kind = Literal[SplitKind, "seeds", "periods", "test-sets", "means"]
"""Schemes of splits, or what is none: training runs on one test set, forecasts of periods, independent test sets, means."""
