"""Progress of a run: a bar on a terminal or in a notebook, a line now and then elsewhere."""

from __future__ import annotations

import html
import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.errors import InvalidParameterError
from tiebreak.views.words import format_score, printable, shorten

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress

SHORT = 2.0
"""Seconds after which a bar appears: what is over sooner needs none."""

EVERY = 0.05
"""Share of the cells after which a line is due, but none sooner than `LINE_PAUSE` after the last."""

LINE_PAUSE = 5.0

NOTEBOOK_PAUSE = 0.2
"""Seconds between two updates in a notebook, each of which is a message to the browser."""


def shown(progress: Any) -> Callable[[Progress], object] | None:
    """The callable that a measuring function reports to: the one given, or a bar where that is wanted or fitting."""
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    if progress is not None and not isinstance(progress, bool):
        raise InvalidParameterError(f"progress must be True, False, None or a callable; got {progress!r}.")
    return bar() if progress or (progress is None and (is_interactive() or is_notebook())) else None


def bar() -> Callable[[Progress], None]:
    """A bar on standard error, or in the cell of a notebook, which goes away when the run ends."""
    return _NotebookBar() if is_notebook() else _Bar()


def lines(say: Callable[[str], None]) -> Callable[[Progress], None]:
    """Plain lines, for logs; `say` writes one."""
    return _Lines(say)


def is_interactive() -> bool:
    """True if standard error is a terminal, where somebody watches."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_notebook() -> bool:
    """True in a notebook: under IPython with a kernel, which shows what it is told to in the cell's output."""
    ipython = sys.modules.get("IPython")  # where IPython runs, it is loaded
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class _Lines:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._share = 0.0
        self._seconds = 0.0
        self._is_first = True
        self._is_waiting = False

    def __call__(self, progress: Progress) -> None:
        settled = progress.n_done + progress.n_failed
        share = settled / max(1, progress.n_cells)
        if self._is_first:
            self._is_first = False
            self._share = share
            self._say(opening(progress))
        elif progress.is_finished:
            if settled > progress.n_before:
                self._say(status(progress))
        elif progress.n_elsewhere and not self._is_waiting:
            self._is_waiting = True
            self._say(status(progress))
        elif share - self._share >= EVERY and progress.seconds - self._seconds >= LINE_PAUSE:
            self._share, self._seconds = share, progress.seconds
            self._say(status(progress))


class _Bar:
    def __init__(self) -> None:
        self._live: Any = None
        self._task: Any = None

    def __call__(self, progress: Progress) -> None:
        if progress.is_finished:
            if self._live is not None:
                self._live.stop()
                self._live = None
            return
        if self._live is None:
            if progress.seconds + (progress.seconds_left if progress.seconds_left == progress.seconds_left else 0) < SHORT:
                return
            self._start(progress)
        self._live.update(self._task, completed=progress.n_done + progress.n_failed, status=details(progress))

    def _start(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Live

        self._live = Live(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[status]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._live.start()
        self._task = self._live.add_task(shorten(progress.name, 24), total=progress.n_cells, status="")


class _NotebookBar:
    """A bar of plain HTML with a line of text, and the line alone where there is no HTML; it needs no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._seconds = -NOTEBOOK_PAUSE

    def __call__(self, progress: Progress) -> None:
        if progress.is_finished:
            if self._handle is not None:
                self._handle.update(_Shown("", ""))
            return
        left = progress.seconds_left if progress.seconds_left == progress.seconds_left else 0
        is_early = self._handle is None and progress.seconds + left < SHORT
        if is_early or progress.seconds - self._seconds < NOTEBOOK_PAUSE:
            return
        self._seconds = progress.seconds
        settled, line = progress.n_done + progress.n_failed, status(progress)
        shown = _Shown(line, f'<progress value="{settled}" max="{progress.n_cells}"></progress> {html.escape(line)}')
        if self._handle is None:
            self._handle = importlib.import_module("IPython.display").display(shown, display_id=True)
        else:
            self._handle.update(shown)


class _Shown(NamedTuple):
    """Content of a cell's output, as notebooks ask for it."""

    text: str
    markup: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup


def opening(progress: Progress) -> str:
    """Work that is to be done, in a line."""
    there = f", {progress.n_before} already there" if progress.n_before else ""
    return f"run {shorten(progress.name, 60)}: {progress.n_cells} cells{there}"


def status(progress: Progress) -> str:
    """State of a run, in a line."""
    return (
        f"run {shorten(progress.name, 60)}: {progress.n_done + progress.n_failed}/{progress.n_cells} cells, {details(progress)}"
    )


def details(progress: Progress) -> str:
    """Rate, time left, failures and leader; who is waited for."""
    if progress.n_elsewhere:
        cells = "1 cell is" if progress.n_elsewhere == 1 else f"{progress.n_elsewhere} cells are"
        return f"{cells} being measured by other processes"
    parts = [f"{progress.cells_per_second:.3g}/s"] if progress.cells_per_second else []
    if progress.seconds_left == progress.seconds_left and not progress.is_finished:
        parts.append(f"{duration(progress.seconds_left)} left")
    if progress.n_failed:
        parts.append(f"{progress.n_failed} failed")
    if progress.leader:
        score = format_score(progress.leading_score, 4)
        parts.append(f"best {shorten(progress.leader, 24)} ({printable(progress.metric)} {score})")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """A time as people say it: "40 s", "3 min", "2 h 5 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
