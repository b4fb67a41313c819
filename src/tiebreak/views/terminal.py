"""The answer on a terminal: the page of `text`, fitted to the width of the window and with the verdicts in colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiebreak.views.summary import design_line, footnotes, method_lines, pair_table, ranking_table
from tiebreak.views.text import extra_sentences
from tiebreak.views.text_table import Table
from tiebreak.views.words import judgements, printable, shorten

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

PROSE_WIDTH = 100
WIDEST_NAME = 40
NARROWEST_NAME = 12
WHOLE_NAME = 100_000
LINES_OF_NAME = 2
"""A name in the pairs that would take more is shortened, with its rank in front."""

GAP = 2

NAME_COLUMNS = ("model", "first", "second")
RANKING_CAN_SPARE = ("interval",), ("P(best)",)
PAIRS_CAN_SPARE = ("P(better)", "P(equiv.)", "P(worse)"), ("interval",)
"""Ends of the headers of columns that go, group by group, where the window is too narrow for them."""

STYLES = {"better": "bold green", "worse": "red", "equivalent": "cyan", "undecided": "yellow", "met": "green", "NOT": "bold red"}
"""By the first word, which says the same to those who see no colours."""


def show(
    comparison: Comparison,
    requirements: Requirements | None = None,
    *,
    with_method: bool = True,
    console: Console | None = None,
) -> None:
    """Print sentence, ranking, pairs, warnings, method and the judgement of requirements.

    Parameters
    ----------
    comparison : Comparison
    requirements : Requirements, optional
    with_method : bool
    console : rich.console.Console, optional
        Standard output if not given.
    """
    if console is None:
        from rich.console import Console

        console = Console()
    _section(console, "", [comparison.sentence], style="bold")
    _section(console, "", extra_sentences(comparison))
    ranking, pairs = ranking_table(comparison, WHOLE_NAME), pair_table(comparison, WHOLE_NAME)
    _table(console, ranking, [design_line(comparison)], RANKING_CAN_SPARE, ranks={})
    ranks = {printable(name): rank for rank, name in enumerate(comparison.models, 1)}
    _table(console, pairs, footnotes(comparison), PAIRS_CAN_SPARE, ranks)
    _section(console, "Warnings", (f"- {notice.text} [{notice.code}]" for notice in comparison.warnings))
    if with_method:
        _section(console, "Method", method_lines(comparison))
    if requirements is not None:
        _section(console, "Requirements", (f"- {line}" for line in judgements(requirements)))


def _section(console: Console, title: str, lines: Iterable[str], style: str = "") -> None:
    """A title and wrapped lines under it; nothing where there are no lines."""
    lines = list(lines)
    if not lines:
        return
    if title:
        _print(console, title, "bold")
    for line in lines:
        _print(console, line, style, indent=2 if title else 0)
    console.print()


def _print(console: Console, line: str, style: str = "", indent: int = 0) -> None:
    """One paragraph; nothing in it is taken for markup."""
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

    content: RenderableType = Text(line, style=style)
    if line.startswith("- "):  # what is wrapped stands under the text, not under the dash
        content = RichTable.grid(padding=(0, 1, 0, 0))
        content.add_row("-", Text(line.removeprefix("- "), style=STYLES.get(line.split()[1].rstrip(":"), style)))
    console.print(Padding.indent(content, indent), width=min(console.width, PROSE_WIDTH))


def _table(
    console: Console, table: Table, notes: Sequence[str], can_spare: Sequence[tuple[str, ...]], ranks: dict[str, int]
) -> None:
    """A table under its title, in as many columns as fit, and notes under it."""
    from rich import box
    from rich.padding import Padding
    from rich.table import Table as RichTable

    _print(console, table.title, "bold")
    kept, name_width = _fitted(table, console.width - GAP, can_spare)
    grid = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), header_style="dim")
    for column in kept:
        header, justify = table.headers[column], "right" if table.right[column] else "left"
        if header in NAME_COLUMNS:
            grid.add_column(header, max_width=name_width, overflow="fold")
        else:
            grid.add_column(header, justify=justify, min_width=_cell_width(table, column))  # type: ignore[arg-type]
    for row in table.rows:
        grid.add_row(*(_cell(row[column], table.headers[column], name_width, ranks) for column in kept))
    console.print(Padding.indent(grid, GAP))
    spared = [header for column, header in enumerate(table.headers) if column not in kept]
    left_out = [f"left out, as the window is {console.width} columns wide: {', '.join(spared)}"] if spared else []
    for line in (*notes, *left_out):
        _print(console, line, "dim", indent=GAP)
    console.print()


def _fitted(table: Table, width: int, can_spare: Sequence[tuple[str, ...]]) -> tuple[list[int], int]:
    """Columns that fit into the width, and what is left for each name."""
    kept = list(range(len(table.headers)))
    for group in ((), *can_spare):
        kept = [column for column in kept if not table.headers[column].endswith(group or ("\0",))]
        names = [column for column in kept if table.headers[column] in NAME_COLUMNS]
        longest = max((_cell_width(table, column) for column in names), default=0)
        others = sum(_cell_width(table, column) for column in kept if column not in names)
        room = (width - others - GAP * len(kept)) // max(1, len(names))
        if room >= min(longest, NARROWEST_NAME):
            break
    return kept, max(min(room, longest, WIDEST_NAME), NARROWEST_NAME)


def _cell_width(table: Table, column: int) -> int:
    """Columns on the screen of the widest cell; headers and verdicts may break at spaces."""
    from rich.cells import cell_len

    breaks = table.headers[column] == "verdict"
    parts = [
        *table.headers[column].split(),
        *(part for row in table.rows for part in (row[column].split() if breaks else [row[column]])),
    ]
    return max(cell_len(part) for part in parts)


def _cell(text: str, header: str, name_width: int, ranks: dict[str, int]) -> RenderableType:
    from rich.cells import cell_len
    from rich.text import Text

    if header in NAME_COLUMNS and ranks and cell_len(text) > LINES_OF_NAME * name_width:
        number = f"#{ranks[text]} "  # shortened names may look alike; the ranking has each in full
        return Text(number + shorten(text, name_width - len(number)))
    words = text.split()
    return Text(text, style=STYLES.get(words[0], "") if header == "verdict" and words else "")
