"""``tiebreak FOLDER``: what lies there, what of it is compared, the verdict, and what to type next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tiebreak.cli.process import emit, emit_page, say
from tiebreak.printable import printable

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.readers.folder import Results

MOST_LINES = 12
"""Models, and lines by task, that a short answer shows."""


def as_command(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The arguments with the command that a folder or a file in the place of one stands for."""
    first = arguments[0] if arguments else ""
    if first in commands or first.startswith("-") or not os.path.exists(first):  # noqa: PTH110
        return list(arguments)
    from tiebreak.readers.folder import holds_only_battles, is_folder

    return ["rate" if is_folder(first) and holds_only_battles(first) else "compare", *arguments]


def with_folders(files: Sequence[str]) -> list[Any]:
    """The files, with what was found in it in the place of each folder."""
    from tiebreak.readers.folder import is_folder, read_results

    return [read_results(each) if is_folder(each) else each for each in files]


def found_in(sources: Sequence[Any]) -> list[Results]:
    """Findings in folders, of the sources."""
    return [each for each in sources if hasattr(each, "left_out")]


def show_found(sources: Sequence[Any], *, on_stdout: bool) -> None:
    """Print what was found in folders: with the answer, or as a message where that is for programs."""
    lines = [line for each in found_in(sources) for line in each.lines()]
    if lines and on_stdout:
        emit("\n".join(lines) + "\n\n")
    elif lines:
        say("\n".join(lines), wrapped=False)


def show_brief(comparison: Comparison) -> None:
    """Print the table of models and the tasks, without notes."""
    from tiebreak.views.comparison import models_table
    from tiebreak.views.page import Page, Table
    from tiebreak.views.slices import table as slice_table

    parts = [models_table(comparison, most=MOST_LINES, with_notes=False)]
    if comparison.by is not None:
        tasks = slice_table(comparison.slices())
        n_pairs = comparison.pair_table.n_pairs
        if len(tasks.rows) > MOST_LINES and len(tasks.rows) == n_pairs * len(comparison.slices().names):
            tasks = replace(tasks, rows=tasks.rows[::n_pairs])
        rows, more = tasks.rows[:MOST_LINES], len(tasks.rows) - MOST_LINES
        parts.append(replace(tasks, rows=rows, notes=(f"{more} more tasks",) if more > 0 else ()))
    emit_page(Page(tuple[Table, ...](parts)), end="\n")


def show_end(sources: Sequence[Any], comparison: Comparison) -> None:
    """Print the verdict, the next step and what to type next."""
    from tiebreak.scores.items import SUBTASK
    from tiebreak.views.page import Page, Paragraph

    typed = " ".join(shlex.quote(printable(str(getattr(each, "path", each)))) for each in sources)
    lines = [f"Verdict: {comparison.headline}"]
    if step := comparison.next_step:
        lines.append(step)
    commands = {
        f"tiebreak compare {typed} --columns all": "all columns and pairs, warnings and method",
        f"tiebreak compare {typed} --rope 0.01": "with the smallest difference that matters",
        f"tiebreak compare {typed} --html answer.html": "one page to send",
    }
    if SUBTASK in getattr(comparison.items, "columns", ()) and comparison.by != SUBTASK:
        commands[f"tiebreak compare {typed} --by {SUBTASK}"] = "each part of a group of tasks by itself"
    if comparison.rope:
        del commands[f"tiebreak compare {typed} --rope 0.01"]
    width = max(map(len, commands))
    emit(Page((Paragraph(tuple(lines), n_strong=1),)).as_text())
    emit("Type next:\n" + "".join(f"  {command:<{width}}  {what}\n" for command, what in commands.items()))
