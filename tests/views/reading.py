"""An answer as a reader finds it: pages taken apart into sentences and tables, and numbers as they are printed."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

NAME = r"'(?:[^']+)'"
NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*(?:e[-+]?\d+)?|inf)"


@dataclass
class TableRead:
    """A table: its title, its rows by header, and the notes below it."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def records(self) -> list[dict[str, str]]:
        """Rows by header."""
        return [dict(zip(self.headers, row, strict=True)) for row in self.rows]


@dataclass
class Read:
    """A page: sentences, tables in order, and lists by their titles."""

    paragraphs: list[str]
    tables: list[TableRead]
    sections: dict[str, list[str]]

    @property
    def ranking(self) -> TableRead:
        """Table of the models."""
        return next(table for table in self.tables if table.title.startswith("Ranking"))

    @property
    def pairs(self) -> TableRead:
        """Table of the pairs."""
        return next(table for table in self.tables if table.title.startswith("Pairs"))


def read_markdown(text: str) -> Read:
    """Page in Markdown."""
    blocks = [html.unescape(re.sub(r"\\(.)", r"\1", block)) for block in text.strip().split("\n\n")]
    read = Read([], [], {})
    place = 0
    while place < len(blocks):
        block, after = blocks[place], blocks[place + 1] if place + 1 < len(blocks) else ""
        if block.startswith("**") and after.startswith("|"):
            header, _, *body = [[cell.strip() for cell in row.strip("|").split("|")] for row in after.splitlines()]
            read.tables.append(TableRead(block.strip("*"), header, body))
            place += 2
            while place < len(blocks) and not blocks[place].startswith("**"):
                read.tables[-1].notes.append(blocks[place])
                place += 1
        elif block.startswith("**") and after.startswith("- "):
            lines = [re.sub(r" \(`[\w-]+`\)$", "", line.removeprefix("- ")) for line in after.splitlines()]
            read.sections[block.strip("*")] = lines
            place += 2
        else:
            read.paragraphs.append(block.strip("*") if block.startswith("**") else block)
            place += 1
    return read


class _Pieces(HTMLParser):
    """Texts of paragraphs, lists, captions and cells of a page, in order; drawings and scripts are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[tuple[str, str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.tables: list[tuple[str, list[list[str]], dict[str, str | None]]] = []
        self._open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._hidden = 0
        self.captions: list[str] = []
        self.is_of: list[str] = []
        self.marks: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("svg", "script", "style"):
            self._hidden += 1
        if tag in ("p", "li", "caption", "th", "td", "summary", "small"):
            self._open.append((tag, dict(attrs), []))
        if tag == "table":
            self.rows, self._table = [], dict(attrs)
            self.captions.append("")
        if tag == "tr":
            self.rows.append([])
        is_of = dict(attrs).get("data-is")
        if is_of:
            self.is_of.append(is_of)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("svg", "script", "style"):
            self._hidden -= 1
        if self._open and self._open[-1][0] == tag:
            name, attrs, texts = self._open.pop()
            text = " ".join("".join(texts).split())
            if name in ("th", "td"):
                self.rows[-1].append(text)
            elif name == "caption":
                self.captions[-1] = text
            elif name != "small" or not self._open:
                self.pieces.append((name, text, attrs))
            if self._open and name == "small":
                self._open[-1][2].append(text)
        if tag == "table":
            self.tables.append((self.captions[-1], self.rows, self._table))

    def handle_data(self, data: str) -> None:
        if self._open and not self._hidden:
            self._open[-1][2].append(data)


def read_fragment(text: str) -> Read:
    """Page as a notebook shows it."""
    parser = _Pieces()
    parser.feed(re.sub(r" <code>[\w-]+</code>", "", text))
    read = Read([], [TableRead(title, rows[0], rows[1:]) for title, rows, _ in parser.tables], {})
    before = _Pieces()
    before.feed(text[: text.index("<table>")])
    read.paragraphs = [piece for tag, piece, _ in before.pieces if tag == "p"]
    title = ""
    for tag, piece, _ in parser.pieces:
        if tag == "summary":
            title = re.sub(r" \(\d+\)$", "", piece)
        elif title in ("Warnings", "Method"):
            read.sections.setdefault(title, []).append(piece)
    return read


@dataclass
class ReportRead:
    """A report: its visible text, and its tables."""

    text: str
    tables: list[TableRead]

    def with_headers(self, *headers: str) -> list[TableRead]:
        """Tables that have all of these headers."""
        return [table for table in self.tables if set(headers) <= set(table.headers)]


def read_report(text: str) -> ReportRead:
    """Visible text and tables of a report, without scripts and drawings."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", "", text, flags=re.S)
    parser = _Pieces()
    parser.feed(text)
    tables = [TableRead(title, rows[0], rows[1:]) for title, rows, _ in parser.tables if rows]
    flat = html.unescape(re.sub(r"<[^>]+>", " ", text.replace("<wbr>", "")))
    return ReportRead(" ".join(flat.split()), tables)


def rows_of_latex(text: str) -> list[list[list[str]]]:
    """Rows of each table of a text in LaTeX, header first, as plain text."""
    tables = []
    for body in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.S):
        rows = [line[:-3] for line in body.splitlines() if line.endswith(r" \\")]
        tables.append([[_plain(cell) for cell in row.split(" & ")] for row in rows])
    return tables


def _plain(cell: str) -> str:
    for shown, meant in (("$-$", "-"), (r"$\pm$", "±"), (r"\textless{}", "<"), (r"\textgreater{}", ">"), (r"\ldots{}", "…")):
        cell = cell.replace(shown, meant)
    return re.sub(r"\\([&%$#_{}])", r"\1", cell).strip()


def rows_of_text(text: str) -> list[list[str]]:
    """Rows of the tables of a text, each as its cells that are not empty."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith("  ")]


# --- numbers ----------------------------------------------------------------------------------------------------------------


def step_of(text: str) -> float:
    """Value of one in the last digit that is printed."""
    mantissa, _, exponent = text.partition("e")
    return float(10.0 ** (-len(mantissa.partition(".")[2]) + int(exponent or 0)))


def number(text: str) -> float:
    """Value of a printed number."""
    return float(text.replace(",", "").replace("−", "-"))


def is_printed(text: str, value: float) -> bool:
    """True where a text is a value rounded to the digits that it shows; "-" is undefined."""
    if value != value:
        return text == "-"
    if text in ("-", ""):
        return False
    if value in (float("inf"), float("-inf")):
        return number(text) == value
    return abs(number(text) - value) <= 0.5000001 * step_of(text.replace("−", "-")) + 1e-12 * abs(value)


def is_bound(text: str, value: float) -> bool:
    """True where a text is a value rounded up, by less than one in its last digit; "-" is no bound."""
    if value != value:
        return text == "-"
    if text == "-":
        return False
    coarse = max(0.02 * abs(value), 1.01e-12) if "e" in text else 0.0  # twelve decimals are the most that bounds are rounded to
    return value * (1 - 1e-9) <= number(text) <= value + max(1.0001 * step_of(text), coarse) + 1e-12 * abs(value)


def side(value: float, limit: float, noise: float = 0.0) -> int:
    """1 above a limit, -1 below, 0 on it."""
    distance = value - limit
    return 0 if abs(distance) <= 1e-12 * abs(limit) + noise else 1 if distance > 0 else -1


def names_in(text: str) -> tuple[list[str], int]:
    """Quoted names of a list, and how many models it counts: 'a', 'b' and 3 more."""
    names = [name.strip("'") for name in re.findall(NAME, text)]
    more = re.search(r"(\d+) (?:more|others?\b|other model)", text)
    return names, len(names) + (int(more.group(1)) if more else 0)
