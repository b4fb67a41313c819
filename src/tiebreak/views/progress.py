"""Progress of a run in a line: done, failed, cells a second, time left; on a terminal, in a notebook, now and then in a log."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from tiebreak.evaluation.progress import Progress
from tiebreak.numerics import refuse_unless
from tiebreak.scores.vocabulary import count
from tiebreak.views.words import duration, shorten

SHORT = 2.0
"""Seconds after which a line appears: what is over sooner needs none."""

EVERY = 0.05
"""Share of the cells after which a line is due, but none sooner than `LINE_PAUSE` after the last."""

LINE_PAUSE = 5.0

NOTEBOOK_PAUSE = 0.2
"""Seconds between two updates in a notebook, each of which is a message to the browser."""


def shown(progress: Any) -> Callable[[Progress], object] | None:
    """The callable that a measuring function reports to: the one given, or a bar where that is wanted or fitting."""
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    refuse_unless(progress is None or isinstance(progress, bool), "progress", "be True, False, None or a callable", progress)
    is_watched = (sys.stderr is not None and sys.stderr.isatty()) or is_notebook()
    return bar() if progress or (progress is None and is_watched) else None


def bar() -> Callable[[Progress], None]:
    """A line on standard error, with a bar of rich, or in the cell of a notebook; it goes away when the run ends."""
    draw: Callable[[Progress], None] | None = None

    def show(progress: Progress) -> None:
        nonlocal draw
        is_short = progress.seconds + max(0.0, progress.seconds_left) < SHORT  # max(0, nan) is 0
        if draw is None and not progress.is_finished and not is_short:
            draw = _in_notebook(progress) if is_notebook() else _on_terminal(progress)
        if draw is not None:
            draw(progress)
            draw = None if progress.is_finished else draw

    return show


def is_notebook() -> bool:
    """True in a notebook: under IPython with a kernel, which shows what it is told to in the cell's output."""
    ipython = sys.modules.get("IPython")  # where IPython runs, it is loaded
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def lines(say: Callable[[str], None]) -> Callable[[Progress], None]:
    """Plain lines, for logs: the first and the last, one now and then, and one when others are waited for; `say` writes one."""
    last: Progress | None = None  # of which there was a line

    def show(progress: Progress) -> None:
        nonlocal last
        settled = progress.n_done + progress.n_failed
        if last is None:
            there = f", {progress.n_before} already there" if progress.n_before else ""
            text = f"run {shorten(progress.name, 60)}: {progress.n_cells} cells{there}"
        else:
            gained, pause = settled - last.n_done - last.n_failed, progress.seconds - last.seconds
            is_due = gained >= EVERY * progress.n_cells and pause >= LINE_PAUSE
            is_due |= bool(progress.n_elsewhere and not last.n_elsewhere)
            is_due = settled != progress.n_before if progress.is_finished else is_due
            text = status(progress) if is_due else ""
        if text:
            say(text)
            last = progress

    return show


def _on_terminal(first: Progress) -> Callable[[Progress], None]:
    """A bar of rich, which moves from the first call on: so whoever interrupts that has a bar that can be taken away."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    texts = (TextColumn(f"{{task.{name}}}", markup=False) for name in ("description", "fields[status]"))
    columns = (next(texts), BarColumn(bar_width=24), MofNCompleteColumn(), next(texts))
    live = Progress(*columns, console=Console(stderr=True), transient=True)
    task = live.add_task(shorten(first.name, 24), total=first.n_cells, status="")

    def draw(progress: Any) -> None:
        live.start()  # does nothing where it has started
        live.update(task, completed=progress.n_done + progress.n_failed, status=details(progress))
        if progress.is_finished:
            live.stop()

    return draw


def _in_notebook(first: Progress) -> Callable[[Progress], None]:
    """A line of text that IPython updates in place; it needs no widgets."""
    handle = importlib.import_module("IPython.display").display({"text/plain": status(first)}, raw=True, display_id=True)
    seconds = first.seconds

    def draw(progress: Progress) -> None:
        nonlocal seconds
        if progress.is_finished or progress.seconds - seconds >= NOTEBOOK_PAUSE:
            seconds = progress.seconds
            handle.update({"text/plain": "" if progress.is_finished else status(progress)}, raw=True)

    return draw


def status(progress: Progress) -> str:
    """State of a run, in a line."""
    return (
        f"run {shorten(progress.name, 60)}: {progress.n_done + progress.n_failed}/{progress.n_cells} cells, {details(progress)}"
    )


def details(progress: Progress) -> str:
    """Rate, time left and failures; who is waited for."""
    if progress.n_elsewhere:
        return f"other processes measure {count(progress.n_elsewhere, 'cell')}"
    is_known = progress.seconds_left == progress.seconds_left and not progress.is_finished
    parts = (
        f"{progress.cells_per_second:.3g}/s" if progress.cells_per_second else "",
        f"{duration(progress.seconds_left)} left" if is_known else "",
        f"{progress.n_failed} failed" if progress.n_failed else "",
    )
    return ", ".join(filter(None, parts))
