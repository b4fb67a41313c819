"""What a fault did: the one kind of result that every module here gives, and the table that is made of them."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

MARK = "FAULT "
"""A line of a script's output that begins so holds a `Fault` as JSON."""


class UnavailableError(Exception):
    """This system does not allow the fault to be made; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, tried at a number of points.

    Attributes
    ----------
    name : str
    points : int
        How often the fault was made to happen.
    acknowledged : int
        Rows (cells) that the program was told were kept.
    lost : int
        Acknowledged rows that were not there afterwards.
    doubled : int
        Rows kept twice, and acknowledged rows that were measured once more.
    corrupt : int
        Points after which something was there that nobody wrote: half a batch, other bits, damage that the check reports, a
        final table that is not the undisturbed one.
    longest_recovery_s : float
        Until the store answered again, or until the processes were gone; nan where there is nothing to recover.
    n_kills : int
        How many of the points were a SIGKILL.
    broken : tuple of str
        Promises that were broken, in words; whatever is lost, doubled or corrupt is among them.
    remark : str
        What else there is to say of it.
    skipped : str
        Why nothing was tried.
    """

    name: str
    points: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    corrupt: int = 0
    longest_recovery_s: float = float("nan")
    n_kills: int = 0
    broken: tuple[str, ...] = ()
    remark: str = ""
    skipped: str = ""

    @property
    def is_as_promised(self) -> bool:
        """Whether it was tried, and nothing was lost, doubled, corrupt or otherwise wrong."""
        return self.points > 0 and not (self.lost or self.doubled or self.corrupt or self.broken)

    def line(self) -> str:
        """For whoever reads the output of a script."""
        return MARK + json.dumps(dataclasses.asdict(self))

    @staticmethod
    def read(output: str) -> list[Fault]:
        """The faults in the output of a script."""
        found = [json.loads(line.removeprefix(MARK)) for line in output.splitlines() if line.startswith(MARK)]
        names = {field.name for field in dataclasses.fields(Fault)}
        known = [{name: value for name, value in each.items() if name in names} for each in found]
        return [Fault(**{**each, "broken": tuple(each.get("broken", ()))}) for each in known]


class Recipe(NamedTuple):
    """A fault that can be asked for by name.

    `run` takes a folder to work in, how many points, random numbers, and how many processes may be busy at once. `n_small`
    points are enough for every change, `n_release` are tried before a release.
    """

    run: Callable[[Path, int, Random, int], Fault]
    n_small: int
    n_release: int


def in_brief(messages: Mapping[str, int], path: Path) -> str:
    """How often the store said what, without the advice that follows."""
    counts: Counter[str] = Counter()
    for text, count in messages.items():
        counts[text.replace(str(path), "the store").split(". ")[0].removeprefix("tiebreak: ")] += count
    return "; ".join(f'{count} times "{text}"' for text, count in counts.most_common())


def joined(parts: Sequence[Fault]) -> Fault:
    """What processes that shared the points of one fault found."""
    first = parts[0]
    broken = [text for part in parts for text in part.broken]
    return Fault(
        first.name,
        points=sum(part.points for part in parts),
        acknowledged=sum(part.acknowledged for part in parts),
        lost=sum(part.lost for part in parts),
        doubled=sum(part.doubled for part in parts),
        corrupt=sum(part.corrupt for part in parts),
        longest_recovery_s=max(part.longest_recovery_s for part in parts),
        n_kills=sum(part.n_kills for part in parts),
        broken=tuple(broken),
        remark=first.remark,
    )


# --- the table ------------------------------------------------------------------------------------------------------------

HEADERS = ("fault", "points tried", "rows acknowledged", "lost", "doubled", "corrupt", "longest recovery")


def rows(faults: Sequence[Fault]) -> list[tuple[str, ...]]:
    """The cells of the table, the sums last."""
    tried = [fault for fault in faults if not fault.skipped]
    table = [
        (fault.name, f"not tried here: {fault.skipped}", *[""] * 5) if fault.skipped else _row(fault.name, fault)
        for fault in faults
    ]
    if tried:
        total = joined(tried)
        longest = max((fault.longest_recovery_s for fault in tried if fault.longest_recovery_s >= 0), default=float("nan"))
        table.append(_row("all", dataclasses.replace(total, longest_recovery_s=longest)))
    return table


def _row(name: str, fault: Fault) -> tuple[str, ...]:
    recovery = f"{fault.longest_recovery_s:.2f} s" if fault.longest_recovery_s >= 0 else "-"
    counts = (fault.points, fault.acknowledged, fault.lost, fault.doubled, fault.corrupt)
    return (name, *(f"{count:,}" for count in counts), recovery)


def text_table(faults: Sequence[Fault]) -> str:
    """For a terminal."""
    cells = [HEADERS, *rows(faults)]
    widths = [max(len(row[i]) for row in cells if row[2]) for i in range(len(HEADERS))]
    widths[0] = max(len(row[0]) for row in cells)
    lines = []
    for first, *others in cells:
        aligned = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *aligned]).rstrip())
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def markdown_table(faults: Sequence[Fault]) -> str:
    """For a page."""
    head = ["| " + " | ".join(HEADERS) + " |", "| --- |" + " ---: |" * (len(HEADERS) - 1)]
    return "\n".join([*head, *("| " + " | ".join(row) + " |" for row in rows(faults))])
