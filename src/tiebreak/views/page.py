"""The one layout of sentences, tables and notes: as text, as Markdown, as HTML and on a terminal, from the same page."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from html import escape as escape_html
from typing import TYPE_CHECKING, TypeVar

from tiebreak.printable import printable
from tiebreak.views.words import columns, shorten

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

T = TypeVar("T")

WIDTH = 100
"""Columns of text, where names allow."""

NAME_WIDTH = 34
"""Characters of a name in a table."""

ROWS = 20
"""Rows of a table of models that are shown; the rest is counted."""


# --- what a page is made of -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Paragraph:
    """Sentences that belong together; the first `n_strong` are the answer itself, and small ones are said in passing."""

    lines: tuple[str, ...]
    n_strong: int = 0
    is_small: bool = False

    def __post_init__(self) -> None:
        """Texts from outside stand in these lines."""
        self.lines = tuple(map(printable, self.lines))

    def as_text(self, width: int | None = None) -> str:
        """For a terminal, of a width if one is given."""
        return "\n".join(wrap(line, width=width) for line in self.lines)

    def as_markdown(self) -> str:
        """Each sentence by itself."""
        return "\n\n".join(f"**{escape(line)}**" if n < self.n_strong else escape(line) for n, line in enumerate(self.lines))

    def as_html(self) -> str:
        """Each sentence by itself, as HTML."""
        tags = ("strong" if n < self.n_strong else "small" if self.is_small else "" for n in range(len(self.lines)))
        return "".join(f"<p>{_tagged(tag, escape_html(line))}</p>" for tag, line in zip(tags, self.lines, strict=True))

    def show(self, console: Console) -> None:
        """On a terminal."""
        _print_lines(console, "", self.lines, n_strong=self.n_strong)


@dataclass(slots=True)
class Table:
    """A title, headers, rows of text, and which columns are right-aligned: all but the first where that is not said.

    `notes` stand below it. A notebook hides it under the words `folded`, unless they are "". Where a window is too narrow,
    columns go whose headers end as in `spare`, group by group, and long names are told apart by the numbers in `ranks`. Title and
    notes are wrapped at `text_width`.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    folded: str = ""
    spare: tuple[tuple[str, ...], ...] = ()
    ranks: Mapping[str, int] = field(default_factory=dict)
    text_width: int | None = None

    def __post_init__(self) -> None:
        """Texts from outside stand in the title and in these cells."""
        self.title = printable(self.title)
        self.headers = tuple(map(printable, self.headers))
        self.rows = tuple(tuple(map(printable, row)) for row in self.rows)
        self.right = self.right or (False, *(True,) * (len(self.headers) - 1))
        self.notes = tuple(map(printable, self.notes))
        self.ranks = {printable(name): rank for name, rank in self.ranks.items()}

    def as_text(self, width: int | None = None) -> str:
        """Rows in columns, under their headers; of a given width, with the columns that fit."""
        if width is not None:
            return self._fitted_to(width).as_text()
        widths = [max(columns(cell) for cell in column) for column in zip(self.headers, *self.rows, strict=True)]
        lines = []
        for row in (self.headers, *self.rows):
            cells = []
            for cell, wide, right in zip(row, widths, self.right, strict=True):
                space = " " * (wide - columns(cell))
                cells.append(space + cell if right else cell + space)
            lines.append(("  " + "  ".join(cells)).rstrip())
        wrapped = (wrap(line, "  ", width=self.text_width) for line in self.notes)
        return "\n".join([wrap(self.title, width=self.text_width), *lines, *wrapped])

    def _fitted_to(self, width: int) -> Table:
        """The table with the columns that fit into a width, long names shortened."""
        kept, name_width = _fitted(self, width - GAP, breaks=False)
        n_names = sum(self.headers[column] in NAME_COLUMNS for column in kept)
        others = sum(_cell_width(self, column, breaks=False) for column in kept if self.headers[column] not in NAME_COLUMNS)
        name_width = max(8, min(name_width, (width - others - GAP * len(kept)) // max(1, n_names)))

        def cell(text: str, header: str) -> str:
            if header not in NAME_COLUMNS or columns(text) <= name_width:
                return text
            number = f"#{self.ranks[text]} " if text in self.ranks else ""
            return number + shorten(text, name_width - len(number))

        def some(values: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(values[column] for column in kept)

        headers = some(self.headers)
        rows = tuple(tuple(map(cell, some(row), headers)) for row in self.rows)
        notes = (*self.notes, *_left_out(self, kept, width))
        return replace(self, headers=headers, rows=rows, right=some(self.right), notes=notes, text_width=width)

    def as_markdown(self) -> str:
        """A table with its title above it."""
        rule = ["---:" if right else ":---" for right in self.right]
        rows = [[escape(cell) for cell in row] for row in (self.headers, *self.rows)]
        rows.insert(1, rule)
        table = "\n".join([f"**{escape(self.title)}**", "", *(f"| {' | '.join(row)} |" for row in rows)])
        return "\n\n".join([table, *map(escape, self.notes)])

    def as_html(self) -> str:
        """A table with its title as caption."""
        head = "".join(_cell("th", text, right) for text, right in zip(self.headers, self.right, strict=True))
        body = "".join(
            "<tr>" + "".join(_cell("td", text, right) for text, right in zip(row, self.right, strict=True)) + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<p><small>{escape_html(line)}</small></p>" for line in self.notes)
        caption = f"<caption>{escape_html(self.title)}</caption>"
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
        return _folded(self.folded, table) if self.folded else table

    def show(self, console: Console) -> None:
        """On a terminal, in as many columns as fit."""
        _print_table(console, self)


@dataclass(slots=True)
class Section:
    """Notes under a title: texts, or code and text as notices have them.

    `code` is that of what the title names. With `has_bullets` it is a list, else paragraphs; a folded one is hidden under its
    title in a notebook. `lines` are the codes, "" where there is none, and texts.
    """

    title: str
    notes: InitVar[Iterable[str | tuple[str, str]]]
    has_bullets: bool = True
    is_folded: bool = True
    code: str = ""
    lines: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self, notes: Iterable[str | tuple[str, str]]) -> None:
        """Texts from outside stand in the title and in the notes."""
        self.title = printable(self.title)
        coded = (("", note) if isinstance(note, str) else note for note in notes)
        self.lines = tuple((code, printable(text)) for code, text in coded)

    def as_text(self, width: int | None = None) -> str:
        """Indented lines under the title; nothing where there are none."""
        title, lines = self._coded()
        return "\n".join([title, *(wrap(line, "  ", width=width) for line in lines)]) if lines else ""

    def as_markdown(self) -> str:
        """A list under the title."""
        if not self.lines:
            return ""
        title = f"**{escape(self.title)}**" + (f" `{self.code}`" if self.code else "")
        items = (escape(line) + (f" (`{code}`)" if code else "") for code, line in self.lines)
        return "\n".join([title, "", *(f"- {item}" for item in items)])

    def as_html(self) -> str:
        """As HTML, within <details> where it is folded."""
        if not self.lines:
            return ""
        lines = [escape_html(line) + (f" <code>{escape_html(code)}</code>" if code else "") for code, line in self.lines]
        tag = "li" if self.has_bullets else "p"
        body = "".join(f"<{tag}>{line}</{tag}>" for line in lines)
        body = f"<ul>{body}</ul>" if self.has_bullets else body
        if self.is_folded:
            return _folded(self.title + (f" ({len(lines)})" if self.has_bullets else ""), body)
        return f"<p>{escape_html(self.title)}{f' <code>{escape_html(self.code)}</code>' if self.code else ''}</p>{body}"

    def show(self, console: Console) -> None:
        """On a terminal."""
        title, lines = self._coded()
        _print_lines(console, title, lines)

    def _coded(self) -> tuple[str, list[str]]:
        """Title and lines with their codes, as text."""
        bullet = "- " if self.has_bullets else ""
        lines = [f"{bullet}{line}{f' [{code}]' if code else ''}" for code, line in self.lines]
        return f"{self.title} {self.code}".rstrip(), lines


# --- the page ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Page:
    """Sentences, tables and notes, in order."""

    parts: tuple[Paragraph | Table | Section, ...]

    @classmethod
    def of(cls, *parts: str | Table) -> Page:
        """Sentences, each a paragraph, and tables."""
        return cls(tuple(Paragraph((part,)) if isinstance(part, str) else part for part in parts))

    @property
    def headline(self) -> str:
        """First sentence, or the title of the first table."""
        first = next(part for part in self.parts if not isinstance(part, Paragraph) or part.lines)
        return first.lines[0] if isinstance(first, Paragraph) else first.title

    def as_text(self, width: int | None = None) -> str:
        """For a terminal, 100 columns wide where names allow; of a given width, with the columns of tables that fit."""
        return "\n\n".join(text for part in self.parts if (text := part.as_text(width))) + "\n"

    def as_markdown(self, *, folds: bool = False) -> str:
        """For pull requests and notes; names show as they are. If it `folds`, what a notebook folds is folded here too."""
        shown = ((part, part.as_markdown()) for part in self.parts)
        return "\n\n".join(_details(part, text) if folds else text for part, text in shown if text) + "\n"

    def as_fragment(self) -> str:
        """For notebooks: no script, no outside resource, colours left to the notebook."""
        return f'<div class="tiebreak">{"".join(part.as_html() for part in self.parts)}</div>'

    def show(self, console: Console | None = None) -> None:
        """Print it on standard output or another console, fitted to the window and with the verdicts in colour."""
        if console is None:
            from rich.console import Console

            console = Console()
        for part in self.parts:
            part.show(console)


# --- text, Markdown and HTML ------------------------------------------------------------------------------------------------


def wrap(text: str, indent: str = "", width: int | None = None) -> str:
    """Text in lines of at most 100 columns, or of a smaller width; a hanging indent under list items."""
    hanging = indent + ("  " if text.startswith("- ") else "")
    return textwrap.fill(
        text,
        min(width or WIDTH, WIDTH),
        initial_indent=indent,
        subsequent_indent=hanging,
        break_long_words=width is not None,
        break_on_hyphens=False,
    )


_SPECIAL = re.compile(r"[\\`*_{}\[\]|~$]")


def escape(text: str) -> str:
    """Text that Markdown and its HTML show as it is."""
    return html.escape(_SPECIAL.sub(r"\\\g<0>", text), quote=False)


def _details(part: Paragraph | Table | Section, text: str) -> str:
    """Markdown under a title that opens it, where the part is one that folds."""
    is_section = isinstance(part, Section) and part.is_folded
    title = part.title if is_section else part.folded if isinstance(part, Table) else ""  # type: ignore[union-attr]
    return f"<details><summary>{escape(title)}</summary>\n\n{text}\n\n</details>" if title else text


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>" if tag else text


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{escape_html(title)}</summary>{body}</details>"


def _cell(tag: str, text: str, right: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return f'<{tag}{scope} style="text-align:{"right" if right else "left"}">{escape_html(text)}</{tag}>'


# --- the terminal -----------------------------------------------------------------------------------------------------------

WIDEST_NAME = 40
NARROWEST_NAME = 12
WHOLE_NAME = 100_000
LINES_OF_NAME = 2
"""A name in a table with ranks that would take more is shortened, with its rank in front."""

GAP = 2

NAME_COLUMNS = ("model", "minus", "first", "second")

STYLES = {
    "better": "bold green",
    "ahead": "green",
    "behind": "red",
    "worse": "red",
    "equivalent": "cyan",
    "undecided": "yellow",
    "met": "green",
    "broken": "bold red",
    "inconclusive": "yellow",
}
"""By the first word, which says the same to those who see no colours."""


def _print_lines(console: Console, title: str, lines: Iterable[str], n_strong: int = 0) -> None:
    """A title and wrapped lines under it; nothing where there are no lines."""
    lines = list(lines)
    if not lines:
        return
    if title:
        _print(console, title, "bold")
    for number, line in enumerate(lines):
        _print(console, line, "bold" if number < n_strong else "", indent=2 if title else 0)
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
    console.print(Padding.indent(content, indent), width=min(console.width, WIDTH))


def _print_table(console: Console, table: Table) -> None:
    """A table under its title, in as many columns as fit, and notes under it."""
    from rich import box
    from rich.padding import Padding
    from rich.table import Table as RichTable

    _print(console, table.title, "bold")
    kept, name_width = _fitted(table, console.width - GAP)
    grid = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), header_style="dim")
    for column in kept:
        header, justify = table.headers[column], "right" if table.right[column] else "left"
        if header in NAME_COLUMNS:
            grid.add_column(header, max_width=name_width, overflow="fold")
        else:
            grid.add_column(header, justify=justify, min_width=_cell_width(table, column))  # type: ignore[arg-type]
    for row in table.rows:
        grid.add_row(*(_rich_cell(row[column], table.headers[column], name_width, table.ranks) for column in kept))
    console.print(Padding.indent(grid, GAP))
    for line in (*table.notes, *_left_out(table, kept, console.width)):
        _print(console, line, "dim", indent=GAP)
    console.print()


def _left_out(table: Table, kept: list[int], width: int) -> list[str]:
    """Note on the columns that do not fit."""
    spared = [header for column, header in enumerate(table.headers) if column not in kept]
    return [f"left out, as the window is {width} columns wide: {', '.join(spared)}"] if spared else []


def _fitted(table: Table, width: int, *, breaks: bool = True) -> tuple[list[int], int]:
    """Columns that fit into the width, and what is left for each name; headers and verdicts may break at spaces, or not."""
    kept = list(range(len(table.headers)))
    for group in ((), *table.spare):
        kept = [column for column in kept if not table.headers[column].endswith(group or ("\0",))]
        names = [column for column in kept if table.headers[column] in NAME_COLUMNS]
        longest = max((_cell_width(table, column, breaks) for column in names), default=0)
        others = sum(_cell_width(table, column, breaks) for column in kept if column not in names)
        room = (width - others - GAP * len(kept)) // max(1, len(names))
        if room >= min(longest, NARROWEST_NAME):
            break
    return kept, max(min(room, longest, WIDEST_NAME), NARROWEST_NAME)


def _cell_width(table: Table, column: int, breaks: bool = True) -> int:
    """Columns on the screen of the widest cell; headers and verdicts may break at spaces, or not."""
    from rich.cells import cell_len

    header = table.headers[column]
    breaks_cells = breaks and header == "verdict"
    parts = [
        *(header.split() if breaks else [header]),
        *(part for row in table.rows for part in (row[column].split() if breaks_cells else [row[column]])),
    ]
    return max((cell_len(part) for part in parts), default=0)


def _rich_cell(text: str, header: str, name_width: int, ranks: Mapping[str, int]) -> RenderableType:
    from rich.cells import cell_len
    from rich.text import Text

    if header in NAME_COLUMNS and ranks and cell_len(text) > LINES_OF_NAME * name_width:
        # shortened names may look alike; the ranking has each in full, but for those that were shortened before
        number = f"#{ranks[text]} " if text in ranks else ""
        return Text(number + shorten(text, name_width - len(number)))
    if header in NAME_COLUMNS:
        return Text("\n".join(_lines_of_name(text, name_width)))
    words = text.split()
    return Text(text, style=STYLES.get(words[0], "") if header == "verdict" and words else "")


_PARTS = re.compile(r"(?=\()|(?<=[,_=/ ])|(?<=[a-z0-9])(?=[A-Z])")


def _lines_of_name(name: str, width: int) -> list[str]:
    """A name in lines of at most `width` columns, broken between its parts: before a bracket if that is enough, else inside."""
    from rich.cells import cell_len

    lines = [""]
    for whole in re.split(r"(?=\()|(?<=, )", name):
        for part in [whole] if cell_len(whole) <= width else _PARTS.split(whole):
            if lines[-1] and cell_len(lines[-1] + part) > width:
                lines.append("")
            lines[-1] += part
    return lines
