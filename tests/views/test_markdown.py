"""Markdown, read back by a Markdown parser (that of rich): names and numbers show as they are."""

from __future__ import annotations

import html
import re

import pytest
from markdown_it import MarkdownIt

from tests.views.situations import around, compared, named, table

NAMES = ("a|b<script>alert(1)</script>", "[x](http://e) *b* #1", "_u_ `c` \\$m$ ~~s~~ &amp; ![i](j)")


@pytest.fixture(scope="module")
def rendered() -> str:
    """Three models with names that are Markdown and HTML."""
    markdown = compared(table(named(*around(0.9, 0.85, 0.8, noise=0.02), names=NAMES)), rope=0.01).to_markdown()
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))


def cells(rendered: str, number: int) -> list[list[str]]:
    """Texts of the cells of one table, its header included."""
    (body,) = re.findall(r"<table>(.*?)</table>", rendered, re.DOTALL)[number : number + 1]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


def test_names_show_as_they_are(rendered: str) -> None:
    """No markup in a name comes to life, and no bar in one opens a cell of its own."""
    ranking, pairs = cells(rendered, 0), cells(rendered, 1)
    assert [row[1] for row in ranking] == ["model", *NAMES]
    assert {len(row) for row in ranking} == {8}
    assert pairs[1][:2] == [NAMES[0], NAMES[1]]
    for tag in ("<script", "<em", "<a ", "<code>c", "<s>", "<img", "<h1"):
        assert tag not in rendered


def test_numbers_need_no_escapes(rendered: str) -> None:
    """The text is read as it stands, too, in a terminal or a diff."""
    markdown = compared(table(named(*around(0.9, 0.85, noise=0.02))), rope=0.01).to_markdown()
    assert "\\" not in markdown.replace("n\\_test", "").replace("n\\_train", "")
    assert cells(rendered, 0)[2][3] == "-0.050"
