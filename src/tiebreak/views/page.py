"""A page of sentences, tables and notes, written for a terminal, as Markdown and as HTML from the same words."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape as escape_html

from tiebreak.views.html import table_html
from tiebreak.views.markdown import escape, table_markdown
from tiebreak.views.text import wrap
from tiebreak.views.text_table import Table, aligned


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say.

    Attributes
    ----------
    title : str
        What was measured, in a sentence.
    answers : tuple of str
        Sentences.
    tables : tuple of Table
    notes : tuple of str
        How to read it, and what to beware of.
    """

    title: str
    answers: tuple[str, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    def as_text(self) -> str:
        """For a terminal, 100 columns wide where names allow."""
        parts = [
            wrap(self.title),
            "\n".join(wrap(line) for line in self.answers),
            *("\n".join([wrap(table.title), *aligned(table)]) for table in self.tables),
            "\n".join(["Notes", *(wrap(f"- {line}", "  ") for line in self.notes)]) if self.notes else "",
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def as_markdown(self) -> str:
        """For pull requests and notes."""
        parts = [
            escape(self.title),
            *(f"**{escape(line)}**" for line in self.answers),
            *map(table_markdown, self.tables),
            "\n".join(f"- {escape(line)}" for line in self.notes),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def as_html(self) -> str:
        """For notebooks: no script, no outside resource; notes are folded."""
        notes = "".join(f"<li>{escape_html(line)}</li>" for line in self.notes)
        return (
            '<div class="tiebreak">'
            + "".join(f"<p><strong>{escape_html(line)}</strong></p>" for line in self.answers)
            + f"<p>{escape_html(self.title)}</p>"
            + "".join(map(table_html, self.tables))
            + (f"<details><summary>Notes</summary><ul>{notes}</ul></details>" if notes else "")
            + "</div>"
        )
