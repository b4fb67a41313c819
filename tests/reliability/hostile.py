"""Hostile names in every field, through every output: what gets out, counted.

    python tests/reliability/hostile.py               all names, counts printed; exit code 1 if anything got through
    python tests/reliability/hostile.py --names 8     a few, as in the tests
    python tests/reliability/hostile.py --browser     the HTML pages in Chromium too: scripts that ran, requests that were made

A name is in turn that of a model, metric, dataset, run, label, file or key of a study, and the text of a failure and of a
warning. The outputs are text, terminal, Markdown, HTML, JSON, CSV, plots, names of files, SQL, and what commands write to
standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import html.parser
import http.server
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier

import tiebreak as tb
from tiebreak.cli.main import run as command_line
from tiebreak.printable import printable_lines

TARGET = "http://127.0.0.1:PORT/hit"
"""Address of a server of ours: a page that asks for it has let something through."""

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
"""The hostile names."""


class Counts:
    """Outputs that were looked at, and what was found in them."""

    def __init__(self) -> None:
        self.outputs: Counter[str] = Counter()
        self.broken: list[str] = []

    def clean(self, output: str, field: str, name: str, text: str) -> None:
        """Look at a text: nothing in it may be obeyed or unseen."""
        self.outputs[output] += 1
        if printable_lines(text) != text:
            self.wrong(output, field, name, "a control or unseen character got out")

    def wrong(self, output: str, field: str, name: str, why: str) -> None:
        """Count what got through."""
        self.broken.append(f"{output}, {field} {name[:40]!r}: {why}")

    def table(self) -> str:
        """One line for each output."""
        return "\n".join(f"{output:<12}{count:>6} looked at" for output, count in sorted(self.outputs.items()))


# --- what is made with a name -----------------------------------------------------------------------------------------------

NOISE = np.random.default_rng(5).normal(0.8, 0.02, (2, 6))


def by_compare(name: str) -> Iterator[tuple[str, Any, str]]:
    """Answers in which the name is that of a model, a metric, a dataset: the field, the answer, where the name stands in JSON."""
    sizes: dict[str, Any] = {"n_train": 50, "n_test": 10}
    yield "model", tb.compare({name: NOISE[0], "b": NOISE[1]}, metric="accuracy", rope=0.01, **sizes), name
    yield "metric", tb.compare({"a": NOISE[0], "b": NOISE[1]}, metric=name, lower_is_better=False, **sizes), name
    long = {"model": ["a"] * 6 + ["b"] * 6, "dataset": [name] * 12, "fold": [*range(6)] * 2, "score": NOISE.ravel().tolist()}
    yield "dataset", tb.compare(pd.DataFrame(long), metric="accuracy", **sizes), name


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


def by_evaluate(name: str, folder: Path) -> Iterator[tuple[str, Any, str]]:
    """Measurements in which it is the name of a model, a dataset and a run, a label, a failure and a warning."""
    X = np.arange(12.0)[:, None]
    y = np.array([name, "b"] * 6, dtype=object).astype(str) if "\0" not in name else np.array(["a", "b"] * 6)
    models = {name: DummyClassifier(), "b": DummyClassifier(strategy="uniform"), "fails": Hostile(name)}
    store = f"sqlite:///{folder / 'runs.db'}"
    evaluation = tb.evaluate(models, datasets={name: (X, y)}, cv=2, store=store, name=name)
    yield "run", evaluation, name
    yield "label", evaluation.confusion(), name


# --- outputs ----------------------------------------------------------------------------------------------------------------


class Markup(html.parser.HTMLParser):
    """Tags, attributes and text of a page."""

    TAGS = frozenset(
        "html head meta title style body div p strong small table caption thead tbody tr th td details summary ul li code".split()
    )
    ATTRIBUTES = frozenset(("charset", "lang", "class", "scope", "style"))

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a page of ours has no use for."""
        if tag not in self.TAGS:
            self.foreign.append(f"<{tag}>")
        for key, value in attrs:
            if not self.is_ours(key, value or ""):
                self.foreign.append(f"{tag}.{key}")

    def is_ours(self, key: str, value: str) -> bool:
        """True for an attribute that pages of ours have."""
        return key in self.ATTRIBUTES and "url(" not in value

    def handle_data(self, data: str) -> None:
        """Keep the texts."""
        self.texts.append(data)


class ReportMarkup(Markup):
    """The same of a report, which has drawings, controls, one script and its data."""

    TAGS = Markup.TAGS | frozenset(
        "script a header main footer section h1 h2 h3 figure figcaption fieldset legend label input select option button "
        "dl dt dd svg line rect circle text img".split()
    )
    ATTRIBUTES = frozenset(
        "charset lang class scope id title hidden tabindex role name content http-equiv type for value min max step selected "
        "disabled href src alt width height x x1 x2 y1 y2 cx cy r text-anchor".split()
    )

    def is_ours(self, key: str, value: str) -> bool:
        """True for an attribute that reports have; whatever points somewhere points into the page."""
        if key in ("href", "src"):
            return value.startswith(("#", "data:image/svg+xml,"))
        if key == "http-equiv":
            return value == "Content-Security-Policy"
        return key in self.ATTRIBUTES or key.startswith(("data-", "aria-"))


def look(counts: Counts, field: str, name: str, result: Any, in_json: str) -> list[str]:
    """Look at all that a result can be turned into; returns its HTML pages."""
    from rich.console import Console

    from tiebreak.result import view_of

    for output, text in (
        ("text", result.to_text()),
        ("text", str(result)),
        ("repr", repr(result)),
        ("Markdown", result.to_markdown()),
    ):
        counts.clean(output, field, name, text)
    if any(tag in result.to_markdown() for tag in ("<script", "<img", "<svg", "<iframe")):
        counts.wrong("Markdown", field, name, "markup got out")
    terminal = io.StringIO()
    view_of(result).page(result).print(Console(file=terminal, force_terminal=True, color_system=None, width=80))
    counts.clean("terminal", field, name, terminal.getvalue())
    pages = [result.to_html(), result._repr_html_()]
    look_at_report(counts, field, name, pages[0], in_json)
    counts.clean("HTML", field, name, pages[1])
    look_at_markup(counts, field, name, pages[1], Markup())
    text = result.to_json()
    counts.clean("JSON", field, name, text)
    if not text.isascii() or in_json not in set(texts(json.loads(text))):
        counts.wrong("JSON", field, name, "it does not hold the name as it is")
    return pages


def look_at_markup(counts: Counts, field: str, name: str, page: str, found: Markup) -> None:
    """Tags and attributes of a page."""
    found.feed(page)
    if found.foreign:
        counts.wrong("HTML", field, name, f"{found.foreign[:3]} got out")


def look_at_report(counts: Counts, field: str, name: str, page: str, in_json: str) -> None:
    """A report: its markup, its one script, and its data, which hold the name as it is."""
    counts.clean("report", field, name, page)
    look_at_markup(counts, field, name, page, ReportMarkup())
    if page.count("<script") != 2 or page.count("</script") != 2:
        counts.wrong("report", field, name, "a script got in")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    if in_json not in set(texts(data)):
        counts.wrong("report", field, name, "its data do not hold the name as it is")


def texts(document: Any) -> Iterator[str]:
    """All keys and texts of a JSON document."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from texts(value)
    elif isinstance(document, list):
        for value in document:
            yield from texts(value)
    elif isinstance(document, str):
        yield document


def look_at_csv(counts: Counts, field: str, name: str, answer: Any) -> None:
    """The pairs: escaped, and no formula; raw they are as they were."""
    from tiebreak.views.columns import csv_lines
    from tiebreak.views.comparison_facts import pair_columns

    written = "".join(csv_lines(pair_columns(answer)))
    counts.clean("CSV", field, name, written)
    if any(cell.startswith(("=", "@", "＝")) for row in csv.reader(io.StringIO(written)) for cell in row):
        counts.wrong("CSV", field, name, "a formula got out")
    raw = {
        cell for row in csv.reader(io.StringIO("".join(csv_lines(pair_columns(answer), raw=True)), newline="")) for cell in row
    }
    if field == "model" and name.replace("\r\n", "\n") not in raw:
        counts.wrong("CSV", field, name, "--raw does not hold the name as it is")


def look_at_plot(counts: Counts, field: str, name: str, answer: Any, folder: Path) -> None:
    """Every text of a figure; the file lies where it was asked for."""
    import matplotlib.pyplot as plt
    from matplotlib.text import Text

    display = answer.plot.ranking()
    for text in display.figure_.findobj(Text):
        counts.clean("plots", field, name, text.get_text())
    display.save(folder / "plot.png")
    plt.close("all")


def look_at_store(counts: Counts, name: str, folder: Path) -> None:
    """The tables are those that tiebreak makes, and hold the name."""
    counts.outputs["SQL"] += 1
    store = sqlite3.connect(folder / "runs.db")
    tables = {table for (table,) in store.execute("select name from sqlite_master where type = 'table'")}
    kinds = {kind for (kind,) in store.execute("select type from sqlite_master")}
    store.close()
    if "tiebreak_runs" not in tables or not kinds <= {"table", "index"}:
        counts.wrong("SQL", "run", name, f"the store holds {sorted(tables)}")
    if tb.read_evaluation(f"sqlite:///{folder / 'runs.db'}").name != name:
        counts.wrong("SQL", "run", name, "the run has another name")


def typed(counts: Counts, field: str, name: str, *arguments: str) -> None:
    """A command: what it writes, and that it neither breaks nor writes elsewhere."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        code = command_line(arguments)
    counts.clean("stdout", field, name, out.getvalue())
    counts.clean("stderr", field, name, err.getvalue())
    if code not in (0, 1, 2, 3):
        counts.wrong("stderr", field, name, f"exit code {code}: {err.getvalue()[-200:]}")


def look_at_commands(counts: Counts, name: str, folder: Path) -> None:
    """Files, folders, options, keys and addresses of that name."""
    rows = "fold,a,b\n" + "".join(f"{i},{NOISE[0, i]},{NOISE[1, i]}\n" for i in range(6))
    file = (
        "".join("_" if character in "/\\\0" else character for character in name).encode()[:200].decode(errors="ignore") + ".csv"
    )
    (folder / file).write_text(rows)
    sizes = ("--n-train", "50", "--n-test", "10", "--metric", "accuracy")
    typed(counts, "file", name, "compare", file, *sizes)
    typed(counts, "file", name, "compare", file)
    typed(counts, "file", name, "compare", file, *sizes, "--baseline", name)
    typed(counts, "file", name, "compare", f"no {file}", *sizes)
    typed(counts, "file", name, "compare", name, *sizes)
    typed(counts, "study key", name, "compare", name.lstrip("-"), f"--{name}")
    key = "".join(f"\\U{ord(character):08X}" for character in name)
    model = f'[models."{key}"]\nimport = "sklearn.dummy:DummyClassifier"\n'
    for text in (
        f'"{key}" = 1\n',
        f'[data]\nsource = "{key}"\ntarget = "{key}"\n{model}',
        f'name = "{key}"\n[data]\n"{key}" = 1\n{model}',
    ):
        (folder / "study.toml").write_text(text)
        typed(counts, "study key", name, "run", "study.toml", "--dry-run")
    (folder / "study.toml").write_text(f'name = "{key}"\n[data]\nsource = "sklearn:iris"\n[cv]\nkind = "kfold"\n{model}')
    typed(counts, "study key", name, "run", "study.toml", "--dry-run")
    store = f"sqlite:///{folder / 'runs.db'}"
    for arguments in (("runs",), ("show", name), ("export", name, "--scores", "-"), ("export", "no such run", "--scores", "-")):
        typed(counts, "run", name, *arguments, "--store", store)
    typed(counts, "run", name, "show", name, "--store", f"sqlite:///{name}")


def try_name(counts: Counts, name: str, folder: Path) -> list[str]:
    """One name in all fields; returns the HTML pages."""
    folder.mkdir()
    pages = []
    before = Path.cwd()
    os.chdir(folder)
    try:
        for field, answer, in_json in by_compare(name):
            pages += look(counts, field, name, answer, in_json)
            look_at_csv(counts, field, name, answer)
            first, second = answer.models
            judged = answer.meets(better=(first, second), near_best=second)
            pages.append(answer.to_html(requirements=judged))
            look_at_report(counts, f"{field}, requirements", name, pages[-1], in_json)
            look_at_plot(counts, field, name, answer, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for field, evaluation, in_json in by_evaluate(name, folder):
                pages += look(counts, field, name, evaluation, in_json)
        look_at_store(counts, name, folder)
        look_at_commands(counts, name, folder)
    except Exception as error:
        counts.wrong("any", "any", name, f"{type(error).__name__}: {error}")
    finally:
        os.chdir(before)
    return pages


def try_all(names: list[str], folder: Path, *, progress: Callable[[str], object] = lambda _: None) -> tuple[Counts, list[str]]:
    """All names in all fields, with what was found, and all HTML pages."""
    counts, pages = Counts(), []
    inside = folder / "inside"
    inside.mkdir()
    around = {path.name for path in folder.iterdir()}
    for number, name in enumerate(names):
        progress(f"{number + 1} of {len(names)}")
        pages += try_name(counts, name, inside / str(number))
        counts.outputs["file names"] += 1
        if {path.name for path in folder.iterdir()} != around or len(list(inside.iterdir())) != number + 1:
            counts.wrong("file names", "any", name, "a file lies outside")
    return counts, pages


# --- a browser --------------------------------------------------------------------------------------------------------------


class _Listener(http.server.BaseHTTPRequestHandler):
    hits = 0

    def do_GET(self) -> None:
        """Count what asks."""
        type(self).hits += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def chromium() -> str | None:
    """The browser, where there is one."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def hits_in_browser(pages: list[str], folder: Path, browser: str) -> int:
    """Requests that pages make when they are opened, a hundred side by side: by scripts, images, styles, frames."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _Listener.hits = 0
    profile = folder / "profile"
    try:
        for start in range(0, len(pages), 100):
            frames = []
            for number, page in enumerate(pages[start : start + 100], start):
                path = folder / f"page-{number}.html"
                path.write_text(page.replace(":PORT/", f":{server.server_port}/"), encoding="utf-8")
                frames.append(f'<iframe src="{path.name}"></iframe>')
            whole = folder / f"all-{start}.html"
            whole.write_text(f"<!DOCTYPE html><meta charset=utf-8>{''.join(frames)}", encoding="utf-8")
            quiet = [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                "--virtual-time-budget=3000",
            ]
            command = [browser, *quiet, f"--user-data-dir={profile}", "--virtual-time-budget=3000", "--dump-dom", whole.as_uri()]
            subprocess.run(command, capture_output=True, timeout=180, check=True)
    finally:
        server.shutdown()
    return _Listener.hits


def naive(names: list[str]) -> list[str]:
    """Pages with the names as they are: the control, which has to be caught."""
    return [f'<!DOCTYPE html><meta charset="utf-8"><p>{name}</p>' for name in names]


def main() -> int:
    """Try, print the counts, and return the exit code."""
    parser = argparse.ArgumentParser(description="Hostile names in every field, through every output.")
    parser.add_argument("--names", type=int, default=len(NAMES))
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = [name.replace("PORT", "9") for name in NAMES[: options.names]]
        counts, pages = try_all(names, folder, progress=lambda text: print(text, end="\r", file=sys.stderr))
        print(f"{len(names)} names, {sum(counts.outputs.values())} outputs")
        print(counts.table())
        if options.browser:
            browser = chromium()
            if browser is None:
                print("there is no Chromium here: THE PAGES WERE NOT OPENED", file=sys.stderr)
                return 2
            pages = [page.replace("127.0.0.1:9/", "127.0.0.1:PORT/") for page in pages]
            work = folder / "browser"
            work.mkdir()
            control, hits = hits_in_browser(naive(NAMES), work, browser), hits_in_browser(pages, work, browser)
            print(f"{len(pages)} pages opened in {Path(browser).name}: {hits} requests (names as they are: {control})")
            if hits or control < 10:
                counts.wrong("HTML", "any", "", f"{hits} requests by our pages, {control} by the control")
    print(f"got through: {len(counts.broken)}")
    for line in counts.broken[:50]:
        print(f"  {line}")
    return 1 if counts.broken else 0


if __name__ == "__main__":
    sys.exit(main())
