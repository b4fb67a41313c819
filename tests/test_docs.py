"""Every command and Python block of the documentation runs, and prints what the page says."""

import contextlib
import functools
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import pytest

import tiebreak as tb
from tiebreak.result import VIEWS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = {"cli.md"}
"""It has a test of its own."""
PAGES_THAT_RUN = [
    page.relative_to(ROOT).as_posix()
    for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/questions/*.md")])
    if page.name not in NOT_RUN and re.search("^```(python|console)", page.read_text(encoding="utf-8"), re.MULTILINE)
]
UPDATE = bool(os.environ.get("UPDATE_DOCS"))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the examples in it, so that stores are not made in the checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


def cut(printed: str, shown: list[str]) -> str:
    """What was printed, with a line [...] in the place of lines that the page leaves out."""
    lines = printed.splitlines()
    if "[...]" in shown:
        head = shown.index("[...]")
        lines = [*lines[:head], "[...]", *lines[len(lines) - (len(shown) - head - 1) :]]
    return "".join(f"{line}\n" for line in lines)


def run_console(text: str) -> str:
    """A console block of one command with its real output."""
    command, *shown = text.splitlines()
    words = shlex.split(command.removeprefix("$ "))
    assert words[0] == "tiebreak", command
    tiebreak = str(Path(sys.executable).with_name("tiebreak"))
    done = subprocess.run([tiebreak, *words[1:]], capture_output=True, encoding="utf-8")
    assert done.returncode in (0, 1, 3), done.stderr
    return f"{command}\n{cut(done.stdout, shown)}"


@pytest.mark.docs
@pytest.mark.parametrize("name", ["README.md", *PAGES_THAT_RUN])
@pytest.mark.usefixtures("elsewhere")
def test_blocks_print_what_the_page_says(name: str) -> None:
    """A reader who copies a block gets the same words; after a wanted change: UPDATE_DOCS=1, then read the difference."""
    page = ROOT / name
    namespace: dict[str, object] = {}
    printed = ""

    def as_run(block: re.Match[str]) -> str:
        nonlocal printed
        language, body = block.groups()
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(body, str(page), "exec"), namespace)
            printed = output.getvalue()
        elif language == "text":
            body = cut(printed, body.splitlines())
        elif language == "console":
            body = run_console(body)
        return f"```{language}\n{body}```"

    text = page.read_text(encoding="utf-8")
    new = BLOCK.sub(as_run, text)
    if UPDATE:
        page.write_text(new, encoding="utf-8")
    assert new == text or UPDATE


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_to_files_lead_somewhere(page: str) -> None:
    """A moved file must not leave a dead link; `make docs` checks those of the site."""
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), f"{page}: {target}"


def test_the_reference_names_every_public_name_once() -> None:
    """A function that is not in the reference is not found; one that is gone breaks the site."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = [line.strip() for line in text.splitlines() if re.fullmatch(r"   \w+", line)]
    packages = {"errors", "metrics", "statistics", "testing"}
    public = [*tb.__all__, *chain.from_iterable(getattr(tb, name).__all__ for name in packages - {"errors"})]
    assert sorted(named) == sorted(set(public) - packages - {"TiebreakError", "__version__"})


def script(name: str) -> SimpleNamespace:
    """A module of docs/, which is no package."""
    return SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / f"{name}.py")))


def test_every_method_has_its_formula_and_measured_error_rates() -> None:
    """A method without them would be taken on trust; CONTRIBUTING says where they go."""
    from_code = script("from_code")
    assert list(from_code.formulas()) == list(tb.methods())
    assert set(from_code.error_rates()) == {*tb.methods(), "bradley-terry"}  # which rates, and is no method of `compare`
    page = from_code.methods_page()
    for name, each in tb.methods().items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert all(fact in section for fact in (each.generalises_to, *each.assumptions, *each.references)), name


def test_every_formula_can_be_shown() -> None:
    """A word of LaTeX that the renderer does not know would end the build of the site."""
    tex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml").tex2mathml
    for text in (
        *script("from_code").formulas().values(),
        (ROOT / "docs" / "questions" / "judge.md").read_text(encoding="utf-8"),
    ):
        for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", text, re.DOTALL):
            assert "<math" in tex2mathml(block or inline)


def test_the_check_of_the_site_finds_each_kind_of_fault(tmp_path: Path) -> None:
    """Dead links within the site, and whatever a page or a style sheet loads from elsewhere; links out are fine."""
    (tmp_path / "index.html").write_text(
        '<link rel="canonical" href="https://example.org/"><link rel="stylesheet" href="site.css"><h1 id="top">x</h1>'
        '<a href="#top">up</a> <a href="https://example.org/">out</a> <a href="other.html#here">there</a>'
        '<img src="data:image/png;base64,AA">',
        encoding="utf-8",
    )
    (tmp_path / "other.html").write_text('<p id="here">y</p>', encoding="utf-8")
    (tmp_path / "site.css").write_text("p { color: red }", encoding="utf-8")
    check = script("check_site")
    assert list(check.faults(tmp_path)) == []
    faults = {
        '<a href="#gone">': "other.html: no place for #gone",
        '<a href="gone.html">': "other.html: no file for gone.html",
        '<script src="//example.org/x.js"></script>': "other.html loads //example.org/x.js",
        '<img srcset="a.png, https://example.org/b.png 2x">': "other.html loads https://example.org/b.png",
        '<p style="background: url(http://example.org/c.png)">': "other.html loads http://example.org/c.png",
        '<style>@import "https://example.org/d.css"</style>': "other.html loads https://example.org/d.css",
        '<link rel="preload stylesheet" href="https://example.org/e.css">': "other.html loads https://example.org/e.css",
    }
    for text, fault in faults.items():
        (tmp_path / "other.html").write_text(f'<p id="here">y</p>{text}', encoding="utf-8")
        assert fault in list(check.faults(tmp_path))
    (tmp_path / "site.css").write_text("p { src: url('https://example.org/f.woff') }", encoding="utf-8")
    assert "site.css loads https://example.org/f.woff" in list(check.faults(tmp_path))


@pytest.mark.docs
def test_the_gallery_draws_every_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its examples run as a reader would run them, and between them they draw every plot of every result."""
    import matplotlib.pyplot as plt

    held = (resolve_name(view).plots for view in VIEWS.values())
    every, drawn = {id(plots): plots for each in held if (plots := resolve_name(each) if isinstance(each, str) else each)}, set()

    def noted(plot: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plot)
        def noting(*given: Any, **named: Any) -> Any:
            drawn.add(plot)
            return plot(*given, **named)

        return noting

    for plots in every.values():
        for name, plot in dict(plots).items():
            monkeypatch.setitem(plots, name, plot._replace(draw=noted(plot.draw)))
    asked = {plot.draw.__wrapped__ for plots in every.values() for plot in plots.values()}
    monkeypatch.chdir(ROOT / "docs" / "gallery")
    for example in sorted(Path().glob("plot_*.py")):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(example))
        plt.close("all")
    assert {plot.__qualname__ for plot in drawn} == {plot.__qualname__ for plot in asked}
