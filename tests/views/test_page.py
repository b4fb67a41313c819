"""The layout: Markdown read back by a Markdown parser shows names as they are, and a terminal gets what fits its window."""

import html
import io
import re

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from tests.views.answers import HUB, splits
from tiebreak.views.comparison import page
from tiebreak.views.page import Page, Section, Table
from tiebreak.views.report.document import fragment

NAMES = ("a|b<script>alert(1)</script>", "[x](http://e) *b* #1", "_u_ `c` \\$m$ ~~s~~ &amp; ![i](j)")


def test_names_show_as_they_are_in_markdown() -> None:
    """No markup in a name comes to life, and no bar in one opens a cell of its own."""
    markdown = splits(0.9, 0.85, 0.8, names=NAMES, rope=0.01).to_markdown()
    rendered = str(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rendered, re.DOTALL)
    assert {name for name in NAMES if name in {html.unescape(cell) for cell in cells}} == set(NAMES)
    assert not re.search(r"<(script|em|code|a|img|s)\b", rendered)


def on_terminal(names: list[str], width: int) -> str:
    """What appears in a window of this width, colours included."""
    file = io.StringIO()
    page(splits(0.9, 0.89, 0.85, 0.7, names=names, rope=0.01)).print(Console(file=file, width=width, force_terminal=True))
    return file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 300])
@pytest.mark.parametrize("names", [["a", "b", "c", "d"], HUB, ["模型", "b", "c", "x" * 300]], ids=["short", "hub", "wide"])
def test_effect_interval_and_verdict_stay_in_a_narrow_window(names: list[str], width: int) -> None:
    """No line is wider than the window; the place and the value go first, which is said, and then the rows become a list."""
    comparison = splits(0.9, 0.89, 0.85, 0.7, names=names, rope=0.01)
    text = page(comparison).as_text(width)
    assert max(map(cell_len, text.splitlines())) <= width
    for said in ("95% interval", "verdict", "against", "undecided", "worse", "-0.200"):
        assert said in " ".join(text.split())
    assert ("Left out at" in text) == ("accuracy" not in text.split("verdict")[0].split("\n\n")[-1])
    assert ("- 1, model" in " ".join(text.split())) == (width <= 40)


def test_a_long_header_is_cut_before_its_column_goes() -> None:
    """The value stays under the start of its name; where there is no room for that either, it is said that it is left out."""
    table = Table.of(
        "",
        {"model": ["a" * 12], "macro averaged f1 of all": ["0.91"], "verdict": ["first"]}.items(),
        spare=("macro averaged f1 of all",),
    )
    assert [header for width in (80, 40, 30) for header in table.fitted(width).headers[1:-1]] == [
        "macro averaged f1 of all",
        "macro averaged…",
    ]
    assert table.fitted(30).notes == ("Left out at 30 columns: macro averaged….",)


def test_colour_only_repeats_what_the_word_says() -> None:
    """The verdict is coloured, and spelled out; a name like markup or an escape sequence is shown, not obeyed."""
    shown = on_terminal(["[red]worse[/red]", "\x1b[31mred", ":smile:", "undecided"], 140)
    assert "\x1b[33mundecided" in shown
    assert "\x1b[31mworse" in shown
    for name in ("[red]worse[/red]", r"\x1b[31mred", ":smile:"):
        assert name in re.sub(r"\x1b\[[\d;]*m", "", shown)


def test_print_fits_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its width where standard output is one; 80 columns where it is a file."""
    comparison = splits(0.9, 0.89, 0.85, 0.7, rope=0.01)
    assert f"{comparison}\n" == comparison.to_text()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, str(comparison).splitlines())) <= 60


def test_parts_of_a_page() -> None:
    """Empty parts leave no gap; a section folds in HTML; a rule stands between rows in every form."""
    table = Table("", ("model", "x"), (("a", "1"), ("b", "2")), rule=(1, "worse"), notes=("note",))
    made = Page.of("Answer.", "", table, Section("None", ()), Section("More", [("code", "text")]))
    assert made.headline == "Answer."
    assert made.as_text() == "Answer.\n\n  model  x\n  a      1\n  ---- worse ----\n  b      2\n  note\n\nMore\n  - text [code]\n"
    assert "| :--- | ---: |\n| a | 1 |\n|  | worse |\n| b | 2 |" in made.as_markdown()
    assert '<tr><td colspan="2">worse</td></tr>' in fragment(made.parts)
    assert "<details><summary>More</summary><ul><li>text [code]</li></ul></details>" in fragment(made.parts)
