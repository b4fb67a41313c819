"""Hostile names in every field, through every output: nothing in them is obeyed, unseen or changed; more names: `POINTS`.

A name is in turn that of a model, metric, dataset, run, label, file or key of a study, and the text of a failure and a warning.
"""

from __future__ import annotations

import csv
import html.parser
import io
import json
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from rich.console import Console
from sklearn.dummy import DummyClassifier

import tiebreak as tb
from tests.reliability import POINTS
from tiebreak.cli.main import run as command_line
from tiebreak.printable import printable_lines
from tiebreak.result import view_of
from tiebreak.views.view import csv_lines

pytestmark = pytest.mark.slow

TARGET = "http://127.0.0.1:9/hit"
"""A page that asks for this address has let something through."""

CALL = f"fetch('{TARGET}')"
SCRIPT = f"<script>{CALL}</script>"

NAMES = [
    # escape sequences of terminals: title, colour, clear, cursor, report, hyperlink, clipboard, character sets
    "\x1b]0;PWNED\x07",
    "a\x1b[31mred\x1b[0m",
    "\x1b[2J\x1b[H",
    "up\x1b[1A\x1b[2K",
    "\x1b[6n",
    "\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJm\x07",
    "\x1b(0lqk\x1b(B",
    '\x1bP$q"p\x1b\\',
    "\x1b[?1049h",
    "\x1b[8;1;1t",
    "\x1bc",
    "\x1b[20;1H\x1b[J",
    "a\x1b",
    # C1 controls, which some terminals obey as they do escapes
    "\x9b31mred",
    "\x9d0;PWNED\x9c",
    "\x90q\x9c",
    "\x85next",
    "\x8ex",
    # other controls
    "a\0b",
    "bell\x07",
    "back\x08\x08\x08good",
    "over\rwritten",
    "two\nlines",
    "tab\tbed",
    "vt\x0bx",
    "ff\x0cx",
    "\x7fdel",
    "us\x1fx",
    # direction of writing
    "\u202egnp.exe",
    "a\u202db",
    "a\u202ab\u202c",
    "a\u202bb\u202c",
    "a\u2066b\u2069",
    "a\u2067b\u2069",
    "a\u2068b\u2069",
    "a\u200eb",
    "a\u200fb",
    "a\u061cb",
    "best\u202e\u2066tsrow\u2069\u2066",
    # no width, and line ends of other kinds
    "sv\u200bm",
    "sv\u200cm",
    "sv\u200dm",
    "sv\u2060m",
    "\ufeffsvm",
    "sv\xadm",
    "sv\u180em",
    "sv\u3164m",
    "sv\U000e0041m",
    "a\u2028b",
    "a\u2029b",
    # markup and scripts
    SCRIPT,
    f"<img src='{TARGET}'>",
    f'<img src=x onerror="{CALL}">',
    f'<svg onload="{CALL}">',
    f"</title>{SCRIPT}",
    f'">{SCRIPT}',
    f"'><img src='{TARGET}'>",
    f"</style>{SCRIPT}",
    f"<iframe src='{TARGET}'></iframe>",
    f"<link rel=stylesheet href='{TARGET}'>",
    f"<style>@import '{TARGET}';</style>",
    f"<b style=\"background:url('{TARGET}')\">x</b>",
    f"<base href='{TARGET}'>",
    f'<meta http-equiv=refresh content="0;url={TARGET}">',
    f"-->{SCRIPT}",
    f'<details open ontoggle="{CALL}">',
    f"<object data='{TARGET}'></object>",
    "&lt;script&gt;",
    "javascript:fetch('x')",
    f"]]>{SCRIPT}",
    # Markdown and LaTeX
    f"![x]({TARGET})",
    "[x](javascript:alert(1))",
    "| a | b |",
    "**bold** _it_ `code`",
    "$\\frac{1}{0}$",
    "\\input{/etc/passwd}",
    # formulas of spreadsheets
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "＝1+1",
    # paths, SQL, templates
    "../../escaped",
    "/tmp/absolute",
    "..\\..\\up",
    "'; DROP TABLE tiebreak_runs; --",
    '" OR 1=1 --',
    "%(x)s %s %d",
    "{0.__class__} {{7*7}}",
    "https://evil.example/",
    "#fragment?x=1",
    "x" * 300,
]


NOISE = np.random.default_rng(5).normal(0.8, 0.02, (2, 6))


# --- what is made with a name -----------------------------------------------------------------------------------------------


def by_compare(name: str) -> Iterator[tuple[str, Any]]:
    """Answers in which the name is that of a model, a metric, a dataset."""
    sizes: dict[str, Any] = {"n_train": 50, "n_test": 10}
    yield "model", tb.compare({name: NOISE[0], "b": NOISE[1]}, metric="accuracy", rope=0.01, **sizes)
    yield "metric", tb.compare({"a": NOISE[0], "b": NOISE[1]}, metric=name, lower_is_better=False, **sizes)
    long = {"model": ["a"] * 6 + ["b"] * 6, "dataset": [name] * 12, "fold": [*range(6)] * 2, "score": NOISE.ravel().tolist()}
    yield "dataset", tb.compare(pd.DataFrame(long), metric="accuracy", **sizes)


class Hostile(DummyClassifier):
    """A model that warns on each split and fails on the second, in given words."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.text = text

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Hostile:
        """Warn; raise where the first row is not in the training set."""
        warnings.warn(self.text, UserWarning, stacklevel=2)
        if np.asarray(X).min() > 0:
            raise ValueError(self.text)
        super().fit(X, y, sample_weight)
        return self


def by_evaluate(name: str) -> Iterator[Any]:
    """Measurements in which it is the name of a model, a dataset and a run, a label, a failure and a warning."""
    X = np.arange(12.0)[:, None]
    y = np.array([name, "b"] * 6, dtype=object).astype(str) if "\0" not in name else np.array(["a", "b"] * 6)
    models = {name: DummyClassifier(), "b": DummyClassifier(strategy="uniform"), "fails": Hostile(name)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluation = tb.evaluate(models, datasets={name: (X, y)}, cv=2, store="sqlite:///runs.db", name=name)
        yield evaluation
        yield evaluation.confusion()


# --- outputs ----------------------------------------------------------------------------------------------------------------


def check_clean(text: str) -> None:
    """Nothing in a text is obeyed by a terminal or cannot be seen."""
    assert printable_lines(text) == text


class Markup(html.parser.HTMLParser):
    """Tags and attributes of a page that pages of ours have no use for; its scripts are noted too, to be counted."""

    TAGS = frozenset(
        "html head meta title style body div p strong small table caption thead tbody tr th td details summary ul li code a "
        "header main footer section h1 h2 h3 figure figcaption fieldset legend label input select option button dl dt dd svg "
        "line rect circle text img".split()
    )
    ATTRIBUTES = frozenset(
        "charset lang class scope id title hidden tabindex role name content type for value min max step selected disabled alt "
        "width height x x1 x2 y1 y2 cx cy r text-anchor".split()
    )

    def __init__(self, page: str) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it unless it is known; what points somewhere points into the page."""
        if tag not in self.TAGS:
            self.foreign.append(f"<{tag}>")
        self.foreign += [f"{tag}.{key}" for key, value in attrs if not self.is_ours(key, value or "")]

    def is_ours(self, key: str, value: str) -> bool:
        """True for an attribute that pages of ours have."""
        image = "data:image/svg+xml,"
        points = {"href": ("#", image), "src": image, "http-equiv": "Content-Security-Policy"}
        if key == "style":
            return "url(" not in value
        return value.startswith(points[key]) if key in points else key in self.ATTRIBUTES or key.startswith(("data-", "aria-"))


def look(result: Any, name: str) -> list[str]:
    """Look at all that a result can be turned into; returns its HTML pages."""
    terminal = io.StringIO()
    view_of(result).page(result).print(Console(file=terminal, force_terminal=True, color_system=None, width=80))
    pages = [result.to_html(), result._repr_html_()]
    for text in (
        result.to_text(),
        str(result),
        repr(result),
        result.to_markdown(),
        terminal.getvalue(),
        result.to_json(),
        pages[1],
    ):
        check_clean(text)
    assert not any(tag in result.to_markdown() for tag in ("<script", "<img", "<svg", "<iframe"))
    assert result.to_json().isascii()
    assert name in set(texts(json.loads(result.to_json())))
    assert Markup(pages[1]).foreign == []
    look_at_report(pages[0], name)
    return pages


def look_at_report(page: str, name: str) -> None:
    """A report: its markup, its one script, and its data, which hold the name as it is."""
    check_clean(page)
    assert Markup(page).foreign == ["<script>"] * 2
    assert page.count("<script") == page.count("</script") == 2
    assert name in set(texts(json.loads(page.partition('id="data">')[2].partition("</script>")[0])))


def texts(document: Any) -> Iterator[str]:
    """All keys and texts of a JSON document."""
    if isinstance(document, dict):
        yield from document
    for each in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from texts(each)
    if isinstance(document, str):
        yield document


def look_at_csv(answer: Any, name: str | None) -> None:
    """The pairs: escaped, and no formula; raw, a model's name is as it was."""
    columns = view_of(answer).columns(answer)
    written = "".join(csv_lines(columns))
    check_clean(written)
    assert not any(cell.startswith(("=", "@", "＝")) for row in csv.reader(io.StringIO(written)) for cell in row)
    raw = {cell for row in csv.reader(io.StringIO("".join(csv_lines(columns, raw=True)), newline="")) for cell in row}
    assert name is None or name.replace("\r\n", "\n") in raw


def look_at_plot(answer: Any) -> None:
    """Every text of a figure, whose file lies where it was asked for."""
    display = answer.plot.ranking()
    for text in display.figure_.findobj(Text):
        check_clean(text.get_text())
    display.save("plot.png")
    plt.close("all")


def look_at_store(name: str) -> None:
    """The tables are those that tiebreak makes, and hold the name."""
    store = sqlite3.connect("runs.db")
    kinds = dict(store.execute("SELECT name, type FROM sqlite_master"))
    store.close()
    assert kinds["tiebreak_runs"] == "table"
    assert set(kinds.values()) <= {"table", "index"}
    assert tb.read_evaluation("sqlite:///runs.db").name == name


def commands(name: str) -> Iterator[tuple[str, ...]]:
    """Commands with files, folders, options, keys and addresses of that name."""
    stem = "".join("_" if character in "/\\\0" else character for character in name).encode()[:200].decode(errors="ignore")
    file = f"{stem}.csv"
    Path(file).write_text("fold,a,b\n" + "".join(f"{i},{NOISE[0, i]},{NOISE[1, i]}\n" for i in range(6)))
    sizes = ("--n-train", "50", "--n-test", "10", "--metric", "accuracy")
    yield "compare", file, *sizes
    yield "compare", file
    yield "compare", file, *sizes, "--baseline", name
    yield "compare", f"no {file}", *sizes
    yield "compare", name, *sizes
    yield "compare", name.lstrip("-"), f"--{name}"
    key = "".join(f"\\U{ord(character):08X}" for character in name)
    model = f'[models."{key}"]\nimport = "sklearn.dummy:DummyClassifier"\n'
    for text in (
        f'"{key}" = 1\n',
        f'[data]\nsource = "{key}"\ntarget = "{key}"\n{model}',
        f'name = "{key}"\n[data]\n"{key}" = 1\n{model}',
        f'name = "{key}"\n[data]\nsource = "sklearn:iris"\n[cv]\nkind = "kfold"\n{model}',
    ):
        Path("study.toml").write_text(text)
        yield "run", "study.toml", "--dry-run"
    for arguments in (("runs",), ("show", name), ("show", name, "--format", "csv"), ("show", "no such run", "--format", "csv")):
        yield *arguments, "--store", "sqlite:///runs.db"
    yield "show", name, "--store", f"sqlite:///{name}"


def pages_of(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Check all fields and outputs in the working folder; the HTML pages."""
    pages = []
    for field, answer in by_compare(name):
        pages += look(answer, name)
        look_at_csv(answer, name if field == "model" else None)
        first, second = answer.models
        pages.append(answer.to_html(requirements=answer.meets(better=(first, second), near_best=second)))
        look_at_report(pages[-1], name)
        look_at_plot(answer)
    for result in by_evaluate(name):
        pages += look(result, name)
    look_at_store(name)
    for command in commands(name):
        with warnings.catch_warnings():
            code = command_line(command)
        out, err = capsys.readouterr()
        check_clean(out)
        check_clean(err)
        assert code in (0, 1, 2, 3), (command, err)
    return pages


@pytest.mark.parametrize("name", NAMES[5 :: max(1, 23 // POINTS)])
def test_nothing_gets_through(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No escape, no markup, no file outside, no name that is changed in data; one name of each kind."""
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert len(pages_of(name, capsys)) == 13
    assert list(tmp_path.iterdir()) == [inside]


def test_what_gets_through_is_seen() -> None:
    """The names as they are fail the checks that have to do with them, or the test above would say nothing."""
    assert len(NAMES) == len(set(NAMES)) == 92
    assert sum(printable_lines(name) != name for name in NAMES) >= 50
    assert sum(bool(Markup(f"<p>{name}</p>").foreign) for name in NAMES) >= 17  # the others are caught in a browser only


# --- a browser --------------------------------------------------------------------------------------------------------------


def asked_by(pages: list[str], folder: Path, chromium: Any) -> list[str]:
    """Addresses that pages ask for when they are opened, and a moment later: by scripts, images, styles, frames."""
    asked: list[str] = []
    with chromium.new_context() as context:
        context.on("request", lambda request: asked.append(request.url))
        for text in pages:
            (folder / "page.html").write_text(text, encoding="utf-8")
            page = context.new_page()  # a page of its own, as one may lead elsewhere
            page.goto((folder / "page.html").as_uri(), wait_until="commit")
            page.wait_for_timeout(100)
            page.close()
    return [address for address in asked if address.startswith("http")]


@pytest.mark.browser
def test_no_page_asks_for_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], chromium: Any
) -> None:
    """Pages with markup in every name make no request in Chromium; the names as they are make many."""
    names = [name for name in NAMES if TARGET in name]
    plain = [f'<!DOCTYPE html><meta charset="utf-8"><p>{name}</p>' for name in names]
    assert len(asked_by(plain, tmp_path, chromium)) >= 10
    pages = []
    for number, name in enumerate(names[:: max(1, 3 // POINTS)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        pages += pages_of(name, capsys)
    assert asked_by(pages, tmp_path, chromium) == []
