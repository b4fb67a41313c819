"""The one layout of sentences, tables and notes: as text, Markdown, HTML and LaTeX, and on a terminal, from the same page."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiebreak.printable import printable
from tiebreak.views.words import columns, cut, short_names

WIDTH = 80
"""Columns of text."""

ROWS = 20
"""Rows of a table of models that are shown; the rest is counted."""

GAP = 2
FEWEST_OF_NAME = 12
"""Characters of a name below which other columns go."""

HEADER_WIDTH = 16
"""Columns to which the header of a column is cut that would be left out."""

NAME_COLUMNS = ("model", "minus", "against", "first", "second", "search", "candidate")

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
"""Colours of words that say the same to those who see none."""

Line = tuple[str, str]
"""Text of a line, and its style."""


@dataclass(slots=True)
class Paragraph:
    """Sentences, each in a line of its own; the first `n_strong` are the answer itself, small ones stand indented.

    Code is shown as it is: lines to copy.
    """

    lines: tuple[str, ...]
    n_strong: int = 0
    is_small: bool = False
    is_code: bool = False

    def __post_init__(self) -> None:
        """Texts from outside stand in these lines."""
        self.lines = tuple(map(printable, filter(None, self.lines)))

    def show(self, width: int) -> Iterator[Line]:
        """Lines of text, wrapped; no width breaks code."""
        for n, line in enumerate(self.lines):
            style = "bold" if n < self.n_strong else "dim" if self.is_small else ""
            shown = [f"  {line}"] if self.is_code else wrapped(line, width, "  " if self.is_small else "")
            yield from ((each, style) for each in shown)

    def as_markdown(self) -> str:
        """Each sentence by itself; code as a block."""
        if self.is_code and self.lines:
            return "\n".join(("```", *self.lines, "```"))
        lines = map(escape, self.lines)
        return "\n\n".join(f"**{line}**" if n < self.n_strong else line for n, line in enumerate(lines))


@dataclass(slots=True)
class Section:
    """Notes under a title, a notice's with its code, as a list or as paragraphs; a notebook opens them where they are folded."""

    title: str
    texts: Iterable[Any]
    has_bullets: bool = True
    is_folded: bool = True

    def __post_init__(self) -> None:
        """Texts from outside stand in the title and in the notes, which may come from a generator."""
        self.title = printable(self.title)
        notes = (note if isinstance(note, str) else f"{note[1]} [{note[0]}]" for note in self.texts)
        self.texts = tuple(map(printable, filter(None, notes)))

    def show(self, width: int) -> Iterator[Line]:
        """Indented lines under the title; nothing where there are none."""
        if self.texts:
            yield from ((line, "bold") for line in wrapped(self.title, width))
        for text in self.texts:
            first = text.split(":")[0].split()[0] if text else ""
            lines = wrapped(f"- {text}" if self.has_bullets else text, width, "  ")
            yield from ((line, STYLES.get(first, "")) for line in lines)

    def as_markdown(self) -> str:
        """A list under the title."""
        lines = [f"**{escape(self.title)}**", "", *(f"- {escape(text)}" for text in self.texts)]
        return "\n".join(lines) if self.texts else ""


@dataclass(slots=True)
class Table:
    """Headers and rows of text, with a title and notes where they need any.

    Attributes
    ----------
    right : tuple of bool
        True for columns that are right-aligned: all but the first if not given.
    spare : tuple of str
        Headers of the columns that go where the window is too narrow, the first one first.
    rule : (int, str), optional
        Row before which a line with these words stands.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    rule: tuple[int, str] | None = None

    def __post_init__(self) -> None:
        """Texts from outside stand in the headers and cells."""
        self.title = printable(self.title)
        self.headers = tuple(map(printable, self.headers))
        self.notes = tuple(map(printable, filter(None, self.notes)))
        self.rows = tuple(tuple(map(printable, row)) for row in self.rows)
        self.right = self.right or (False, *(True,) * (len(self.headers) - 1))

    @classmethod
    def of(cls, title: str, columns: Iterable[tuple[str, Sequence[str]]], left: Sequence[str] = (), **more: Any) -> Table:
        """A table of headers with their columns; those named are left-aligned, or the first."""
        headers, cells = zip(*columns, strict=True)
        right = tuple(header not in left for header in headers) if left else ()
        return cls(title, headers, tuple(zip(*cells, strict=True)), right, **more)

    def show(self, width: int) -> Iterator[Line]:
        """Rows in columns, under their headers, with the columns that fit; a list where the window is too narrow for these."""
        table = self.fitted(width)
        widths = [max(map(columns, column)) for column in zip(table.headers, *table.rows, strict=True)]
        is_list = width < WIDTH and sum(widths) + GAP * len(widths) > width
        table = self if is_list else table
        yield from ((line, "bold") for line in wrapped(self.title, width))
        for n, row in enumerate(table.rows if is_list else (table.headers, *table.rows), 0 if is_list else -1):
            if self.rule and n == self.rule[0]:
                yield from ((line, "dim") for line in wrapped(f"---- {self.rule[1]} ----", width, "  "))
            if is_list:
                held = ", ".join(f"{header} {cell}".strip() for header, cell in zip(table.headers, row, strict=True) if cell)
                yield from ((line, "") for line in wrapped(f"- {held}", width, "  "))
                continue
            cells = [
                " " * (wide - columns(cell)) * right + cell + " " * (wide - columns(cell)) * (not right)
                for cell, wide, right in zip(row, widths, table.right, strict=True)
            ]
            yield f"  {'  '.join(cells)}".rstrip(), "dim" if n < 0 else "verdict"
        for note in table.notes:
            yield from ((line, "dim") for line in wrapped(note, width, "  "))

    def fitted(self, width: int) -> Table:
        """The table with the columns that fit into a width, and names cut to the room that there is."""
        widest = [max(map(columns, column)) for column in zip(self.headers, *self.rows, strict=True)]
        kept = list(range(len(self.headers)))
        for header in (None, *self.spare):
            kept = [k for k in kept if self.headers[k] != header]
            names = [k for k in kept if self.headers[k] in NAME_COLUMNS]
            room = width - sum(widest[k] for k in kept if k not in names) - GAP * len(kept)
            longest = max((widest[k] for k in names), default=0)
            if room >= len(names) * min(longest, FEWEST_OF_NAME):
                break
        fits = room >= len(names) * FEWEST_OF_NAME
        each = max(room // max(1, len(names)), FEWEST_OF_NAME) if fits or self.spare else longest
        known = list(dict.fromkeys(row[k] for row in self.rows for k in names))
        shown = dict(zip(known, short_names(known, each), strict=True)) if longest > each else {}
        rows = tuple(tuple(shown.get(row[k], row[k]) if k in names else row[k] for k in kept) for row in self.rows)
        gone = [header for k, header in enumerate(self.headers) if header and k not in kept]
        # under a shorter header they may stay
        if short := {header: cut(header, HEADER_WIDTH) for header in gone if columns(header) > HEADER_WIDTH}:
            headers, spare = (tuple(short.get(each, each) for each in own) for own in (self.headers, self.spare))
            return replace(self, headers=headers, spare=spare).fitted(width)
        left = [f"Left out at {width} columns: {', '.join(gone)}."] if gone else []
        headers, right = tuple(self.headers[k] for k in kept), tuple(self.right[k] for k in kept)
        return replace(self, headers=headers, rows=rows, right=right, notes=(*self.notes, *left))

    def as_markdown(self) -> str:
        """A table with its title above it, and the rule as a row."""
        rows = [f"| {' | '.join(map(escape, row))} |" for row in (self.headers, *self.rows)]
        rows.insert(1, f"| {' | '.join('---:' if right else ':---' for right in self.right)} |")
        if self.rule:
            cells = ["", self.rule[1], *[""] * (len(self.headers) - 2)]
            rows.insert(self.rule[0] + 2, f"| {' | '.join(cells)} |")
        title = [f"**{escape(self.title)}**", ""] if self.title else []
        return "\n\n".join(["\n".join([*title, *rows]), *map(escape, self.notes)])

    def as_latex(self, bold: Collection[tuple[int, int]] = ()) -> str:
        """Rows between the rules of booktabs, under their caption and above their notes; some cells in bold."""

        def line(cells: Iterable[str]) -> str:
            return " & ".join(cells) + r" \\"

        body = [
            line(rf"\textbf{{{escape_latex(cell)}}}" if (n, k) in bold else escape_latex(cell) for k, cell in enumerate(row))
            for n, row in enumerate(self.rows)
        ]
        if self.rule:
            body.insert(self.rule[0], r"\midrule")
        columns = "".join("r" if each else "l" for each in self.right)
        notes = " ".join(f"{escape_latex(note[:1].upper() + note[1:]).rstrip('.')}." for note in self.notes)
        start = (r"\begin{table}", rf"\caption{{{escape_latex(self.title)}}}", rf"\begin{{tabular}}{{{columns}}}")
        head = (r"\toprule", line(map(escape_latex, self.headers)), r"\midrule")
        small = [rf"\par\smallskip{{\footnotesize {notes}}}"] if notes else []
        return "\n".join([*start, *head, *body, r"\bottomrule", r"\end{tabular}", *small, r"\end{table}"])


@dataclass(frozen=True, slots=True)
class Page:
    """Sentences, tables and notes, in order."""

    parts: tuple[Paragraph | Table | Section, ...]

    @classmethod
    def of(cls, *parts: str | Paragraph | Table | Section) -> Page:
        """A page of parts, of which texts are paragraphs: the first is the answer."""
        return cls(tuple(Paragraph((part,), n_strong=not n) if isinstance(part, str) else part for n, part in enumerate(parts)))

    @property
    def headline(self) -> str:
        """First sentence, or the title of the first table."""
        first = self.parts[0]
        return first.lines[0] if isinstance(first, Paragraph) else first.title

    def blocks(self, width: int) -> Iterator[list[Line]]:
        """Lines of each part that has any."""
        return (lines for part in self.parts if (lines := list(part.show(width))))

    def as_text(self, width: int | None = None) -> str:
        """For a terminal or a file, 80 columns wide unless another width is given."""
        return "\n\n".join("\n".join(line for line, _ in lines) for lines in self.blocks(width or WIDTH)) + "\n"

    def as_markdown(self) -> str:
        """For pull requests and notes; names show as they are."""
        return "\n\n".join(filter(None, (part.as_markdown() for part in self.parts))) + "\n"

    def print(self, console: Any = None) -> None:
        """Print it on standard output or another console, fitted to the window and with the verdicts in colour."""
        from rich.console import Console
        from rich.text import Text

        console = console or Console()
        for lines in self.blocks(max(20, min(console.width, 2 * WIDTH))):
            for line, style in (*lines, ("", "")):
                text = Text(line, "" if style == "verdict" else style)
                if style == "verdict":
                    for word, colour in STYLES.items():
                        text.highlight_regex(rf"(?<=  ){word}(?= \(|$)", colour)
                console.print(text, soft_wrap=True, highlight=False)


def wrapped(text: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """Text in lines, of at most 100 columns; a hanging indent under list items."""
    return textwrap.wrap(
        text,
        max(min(width, 100) // 2, min(width, 100) - columns(text) + len(text)),  # half of it holds wide letters only
        initial_indent=indent,
        subsequent_indent=indent + ("  " if text.startswith("- ") else ""),
        break_long_words=width < WIDTH,
        break_on_hyphens=False,
    )


_SPECIAL = re.compile(r"[\\`*_{}\[\]|~$]")


def escape(text: str) -> str:
    """Text that Markdown and its HTML show as it is."""
    return html.escape(_SPECIAL.sub(r"\\\g<0>", text), quote=False)


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "–": "--",
}


def escape_latex(text: str) -> str:
    """Text that LaTeX shows as it is; in numbers the hyphen becomes a minus, and what is undefined a dash."""
    if re.fullmatch(r"[-+\d.e]*\d( to [-+\d.e]+)?", text):
        return text.replace("-", "$-$")
    return "--" if text == "-" else "".join(_LATEX.get(character, character) for character in printable(text))
