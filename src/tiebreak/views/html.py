"""The answer as a piece of HTML without script, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tiebreak.views.summary import design_line, footnotes, method_lines, pair_table, ranking_table
from tiebreak.views.text import extra_sentences
from tiebreak.views.text_table import Table

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison


def fragment(comparison: Comparison) -> str:
    """Sentence and ranking, the rest folded; no script, no outside resource, colours left to the notebook."""
    details = [
        _folded(
            "Pairs", table_html(pair_table(comparison)) + "".join(f"<p>{escape(line)}</p>" for line in footnotes(comparison))
        ),
        _folded("Method", "".join(f"<p>{escape(line)}</p>" for line in method_lines(comparison))),
    ]
    if comparison.warnings:
        items = "".join(f"<li>{escape(n.text)} <code>{escape(n.code)}</code></li>" for n in comparison.warnings)
        details.insert(1, _folded(f"Warnings ({len(comparison.warnings)})", f"<ul>{items}</ul>"))
    return (
        '<div class="tiebreak">'
        f"<p><strong>{escape(comparison.sentence)}</strong></p>"
        + "".join(f"<p>{escape(line)}</p>" for line in extra_sentences(comparison))
        + table_html(ranking_table(comparison))
        + f"<p><small>{escape(design_line(comparison))}</small></p>"
        + "".join(details)
        + "</div>"
    )


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def table_html(table: Table) -> str:
    """A table with its title as caption."""
    head = "".join(_cell("th", text, right) for text, right in zip(table.headers, table.right, strict=True))
    body = "".join(
        "<tr>" + "".join(_cell("td", text, right) for text, right in zip(row, table.right, strict=True)) + "</tr>"
        for row in table.rows
    )
    return f"<table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(tag: str, text: str, right: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return f'<{tag}{scope} style="text-align:{"right" if right else "left"}">{escape(text)}</{tag}>'
