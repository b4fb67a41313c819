"""The answer as Markdown, for pull requests and notes."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from tiebreak.views.summary import Table, design_line, footnotes, method_lines, pair_table, ranking_table
from tiebreak.views.text import extra_sentences

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-!|~$])")


def to_markdown(comparison: Comparison) -> str:
    """Sentence, ranking, pairs, warnings and method; names are escaped, so that they show as they are."""
    parts = [
        f"**{escape(comparison.sentence)}**",
        *(escape(line) for line in extra_sentences(comparison)),
        _table(ranking_table(comparison)),
        escape(design_line(comparison)),
        _table(pair_table(comparison)),
        *(escape(line) for line in footnotes(comparison)),
    ]
    if comparison.warnings:
        parts.append("\n".join(["**Warnings**", "", *(f"- {escape(n.text)} (`{n.code}`)" for n in comparison.warnings)]))
    parts.append("\n".join(["**Method**", "", *(f"- {escape(line)}" for line in method_lines(comparison))]))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text that Markdown and its HTML show as it is."""
    return html.escape(_SPECIAL.sub(r"\\\1", text), quote=False)


def _table(table: Table) -> str:
    rule = ["---:" if right else ":---" for right in table.right]
    rows = [[escape(cell) for cell in row] for row in (table.headers, *table.rows)]
    rows.insert(1, rule)
    return "\n".join([f"**{escape(table.title)}**", "", *(f"| {' | '.join(row)} |" for row in rows)])
