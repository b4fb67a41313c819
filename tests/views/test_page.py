"""The layout: Markdown read back by a Markdown parser shows names as they are, and a terminal gets what fits its window."""

from __future__ import annotations

import html
import io
import re

import numpy as np
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

import tiebreak as tb
from tests.views.situations import around, compared, named, table
from tiebreak.views.comparison import page
from tiebreak.views.page import WHOLE_NAME, _lines_of_name

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
    assert {len(row) for row in ranking} == {7}
    assert pairs[1][:2] == [NAMES[2], NAMES[1]]
    for tag in ("<script", "<em", "<a ", "<code>c", "<s>", "<img", "<h1"):
        assert tag not in rendered


def test_numbers_need_no_escapes(rendered: str) -> None:
    """The text is read as it stands, too, in a terminal or a diff."""
    markdown = compared(table(named(*around(0.9, 0.85, noise=0.02))), rope=0.01).to_markdown()
    assert "\\" not in markdown.replace("n\\_test", "").replace("n\\_train", "")
    assert cells(rendered, 0)[2][2] == "0.850"


LONG = [f"standardscaler-columntransformer-{part}-logisticregression-C=0.1"[:60] for part in ("aaa", "bbb", "ccc", "ddd")]
KERNELS = ["rbf", "linear", "poly, degree=3", "poly, degree=2"]


def shown(names: list[str], width: int, *, colour: bool = False, step: float = 0.01, columns: str = "default") -> str:
    """What appears for models of which each is worse than the one before it by `step`."""
    rng = np.random.default_rng(3)
    base = rng.normal(0.9, 0.02, 50)
    scores = {name: base - step * rank + rng.normal(0, 0.01, 50) for rank, name in enumerate(names)}
    comparison = tb.compare(scores, metric="accuracy", rope=0.01, n_train=512, n_test=57)
    gate = comparison.meets(better=(names[0], names[1]))
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    page(comparison, gate, name_width=WHOLE_NAME, columns=columns).show(console)
    return file.getvalue()


def rows(page: str, title: str) -> list[str]:
    """Lines of a table, without title and headers."""
    lines = page[page.index(title) :].splitlines()
    rule = next(number for number, line in enumerate(lines) if set(line.strip()) == {"─"})
    notes = ("rope", "smallest", "no smallest", "50 splits", "and ")
    end = next(number for number, line in enumerate(lines) if number > rule and line.strip().startswith(notes))
    return lines[rule + 1 : end]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("names", [KERNELS[:2], KERNELS, LONG, [f"model {n}" for n in range(40)]], ids=["2", "4", "long", "40"])
def test_no_line_is_wider_than_the_window(names: list[str], width: int) -> None:
    """Nor is a number or a verdict broken in two."""
    page = shown(names, width)
    assert max(map(cell_len, page.splitlines())) <= width
    verdicts = {"better", "ahead", "equivalent", "undecided", "behind", "worse"}
    assert all(verdicts.intersection(row.split()) for row in rows(page, "Ranking") if " to " in row)
    assert all(row.split()[-1] in verdicts for row in rows(shown(names, width, columns="all"), "Pairs") if "0.0" in row)


def test_requirements_and_the_sentence_come_first() -> None:
    """Before any table."""
    page = " ".join(shown(KERNELS, 80).split())
    assert page.startswith(("Requirement", "All 2 requirements", "Of 2 requirements"))
    assert (
        page.index("'rbf' has the highest mean accuracy")
        < page.index("Ranking by")
        < page.index("Other pairs")
        < page.index("Warnings")
        < page.index("Method")
    )


def test_columns_that_do_not_fit_are_named() -> None:
    """Rather than squeezed; in a wide window all are there."""
    assert "left out, as the window is 70 columns wide: difference, adj. p" in shown(KERNELS, 70, columns="all")
    assert "left out, as the window is 64 columns wide: place, difference" in shown(KERNELS, 64)
    wide = shown(KERNELS, 140, columns="all")
    assert "left out" not in wide
    assert "adj. p" in wide
    assert "P(equiv.)" not in wide  # of single pairs: on their own page, and in the frame


def test_long_names_are_whole_in_the_ranking_and_told_apart_in_the_pairs() -> None:
    """Four names that begin and end alike: the pairs show their ranks."""
    page = shown(LONG, 80, columns="all")
    ranking = "".join("".join(row.split()) for row in rows(page, "Ranking"))
    assert all(name[33:36] in ranking for name in LONG)
    pairs = rows(page, "Pairs")
    assert pairs[0].split()[0] == "#1"
    assert len({row[:28] for row in pairs[:6]}) == 6


def test_colour_only_repeats_what_the_word_says() -> None:
    """The verdict is coloured, and spelled out."""
    page = shown(KERNELS, 140, colour=True)
    assert "\x1b[33mundecided" in page
    assert "\x1b[31mworse" in page


def test_names_are_not_taken_for_markup_or_control_codes() -> None:
    """A model called [red] or one with an escape sequence is shown, not obeyed."""
    page = shown(["[red]x[/red]", "\x1b[31mred", ":smile:"], 140)
    assert "[red]x[/red]" in page
    assert r"\x1b[31mred" in page
    assert ":smile:" in page
    assert "\x1b" not in page


def test_wide_characters_keep_the_columns_straight() -> None:
    """A Chinese name takes two columns for each character."""
    page = rows(shown(["模型", "other"], 140), "Ranking")
    positions = [cell_len(row[: row.index(" 0.")]) for row in page[:2]]
    assert positions[0] == positions[1]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("names", [KERNELS, LONG], ids=["4", "long"])
def test_text_fits_a_narrow_window_and_keeps_the_interval(names: list[str], width: int) -> None:
    """`print(answer)` in a terminal: no line is wider, no word is split, and the interval is the last to go."""
    comparison = compared(table(named(*around(0.9, 0.89, 0.85, 0.8, noise=0.02), names=tuple(names))), rope=0.01)
    text = page(comparison).as_text(width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "95% interval" in text
    assert "verdict" in text
    assert "left out, as the window is" in text or width > 60
    assert "left out, as the window is" not in text or width < 120
    for row in comparison.pairs.itertuples():
        assert row.verdict in text


def test_print_fits_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its width where standard output is one; the whole page where it is a file."""
    comparison = compared(table(named(*around(0.9, 0.89, 0.85, 0.8, noise=0.02))), rope=0.01)
    assert f"{comparison}\n" == comparison.to_text()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, str(comparison).splitlines())) <= 70


def test_names_in_a_narrow_terminal_are_broken_between_their_parts() -> None:
    """Before the bracket where that is enough, else between the words of a class; what has no parts is left to the terminal."""
    assert _lines_of_name("RandomForest(max_depth=2)", 17) == ["RandomForest", "(max_depth=2)"]
    assert _lines_of_name("HistGradientBoosting(max_depth=2)", 17) == ["HistGradient", "Boosting", "(max_depth=2)"]
    assert _lines_of_name("svm", 17) == ["svm"]
    assert _lines_of_name("x" * 40, 17) == ["x" * 40]
