"""The answer as Markdown, for pull requests and notes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tiebreak.views.summary import design_line, footnotes, method_lines, pair_table, ranking_table
from tiebreak.views.text import extra_sentences
from tiebreak.views.text_table import Table
from tiebreak.views.words import judgements

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

_SPECIAL = re.compile(r"[\\`*_{}\[\]|~$]")


def to_markdown(comparison: Comparison, requirements: Requirements | None = None) -> str:
    """Sentence, ranking, pairs, warnings, method and the judgement of requirements; names show as they are."""
    parts = [
        f"**{escape(comparison.sentence)}**",
        *(escape(line) for line in extra_sentences(comparison)),
        table_markdown(ranking_table(comparison)),
        escape(design_line(comparison)),
        table_markdown(pair_table(comparison)),
        *(escape(line) for line in footnotes(comparison)),
    ]
    if comparison.warnings:
        parts.append(items_markdown("Warnings", (f"{escape(n.text)} (`{n.code}`)" for n in comparison.warnings)))
    parts.append(items_markdown("Method", map(escape, method_lines(comparison))))
    if requirements is not None:
        parts.append(items_markdown("Requirements", map(escape, judgements(requirements))))
    return "\n\n".join(parts) + "\n"


def items_markdown(title: str, items: Iterable[str]) -> str:
    """A list under a title; the items are Markdown already."""
    return "\n".join([f"**{title}**", "", *(f"- {item}" for item in items)])


def escape(text: str) -> str:
    """Text that Markdown and its HTML show as it is."""
    return html.escape(_SPECIAL.sub(r"\\\g<0>", text), quote=False)


def table_markdown(table: Table) -> str:
    """A table with its title above it."""
    rule = ["---:" if right else ":---" for right in table.right]
    rows = [[escape(cell) for cell in row] for row in (table.headers, *table.rows)]
    rows.insert(1, rule)
    return "\n".join([f"**{escape(table.title)}**", "", *(f"| {' | '.join(row)} |" for row in rows)])
