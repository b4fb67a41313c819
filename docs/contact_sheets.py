"""Pictures to look at before a release: reports and plots with few and many models, on narrow, wide, dark and printed pages.

    python docs/contact_sheets.py FOLDER [reports] [plots] [site]

Writes PNG files into FOLDER, all kinds or those that are named; nothing is checked, a person looks. It needs Chromium on the
path, and `site` what `make docs` built in docs/_build.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tiebreak as tb

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.views.plots.every import PLOTS

WIDTHS = (375, 768, 1280)
MODELS = (3, 12, 40, 200)
DRAWN_MODELS = (3, 12, 40, 200)
MOST_MEASURED = {"choices": 12, "diagram": 40, "times": 40, "costs": 40, "bias and variance": 40, "ratings": 40, "slices": 12}
MOST_MEASURED |= {f"{kind}, binary": 40 for kind in ("roc", "precision_recall", "calibration", "confusion")}
MOST_MEASURED |= {f"{kind}, several": 12 for kind in ("roc", "precision_recall", "calibration", "confusion")}
"""Models up to which a plot is drawn here, as measuring more takes long."""

BUILT = Path(__file__).parent / "_build"
PAGES = ("index", "choose", "examples-run/index", "questions/best", "questions/items", "questions/rope")
TALLEST = 3000
"""Pixels of a page that are shown."""


def compared(n_models: int, **settings: Any) -> tb.Comparison:
    """Candidates with long names of two families, each a little worse than the one before."""
    rng = np.random.default_rng(0)
    base = rng.normal(0.9, 0.03, 50)
    kinds = ("HistGradientBoostingClassifier", "RandomForestClassifier")
    names = [f"{kinds[k % 2]}(max_depth={2 + k}, min_samples_leaf=5, n_estimators=500)" for k in range(n_models)]
    scores = {name: base - 0.004 * k + rng.normal(0, 0.012, 50) for k, name in enumerate(names)}
    return tb.compare(scores, metric="accuracy", n_train=900, n_test=100, **{"rope": 0.01, **settings})


def long_names(n_models: int) -> list[str]:
    """Names as people type them for language models."""
    sizes = ("8b", "70b", "405b")
    return [f"vendor/llama-3.{k}-{sizes[k % 3]}-instruct-long-context-2026-{k:02}" for k in range(n_models)]


def reports(browser: Any, folder: Path) -> Iterator[Path]:
    """Reports at each width, in the dark, and printed."""
    for n_models in MODELS:
        page_file = folder / f"report-{n_models}.html"
        compared(n_models).to_html(page_file, title="Which model ships?", note="Asked by the team.", data={"rows": 1000})
        for width in WIDTHS:
            yield shot(browser, page_file, folder / f"report-{n_models}-{width}.png", width)
        yield shot(browser, page_file, folder / f"report-{n_models}-dark.png", 1280, color_scheme="dark")
        context = browser.new_context(viewport={"width": 794, "height": 1123})
        page = context.new_page()
        page.goto(page_file.resolve().as_uri())
        page.pdf(path=folder / f"report-{n_models}.pdf", format="A4")
        page.emulate_media(media="print")
        page.screenshot(path=folder / f"report-{n_models}-print.png", full_page=True)
        context.close()
        yield folder / f"report-{n_models}-print.png"


def plots(folder: Path) -> Iterator[Path]:
    """Every plot there is, of few, several and many models."""
    for n_models in DRAWN_MODELS:
        for kind, collect in PLOTS.items():
            if n_models <= MOST_MEASURED.get(kind, n_models):
                yield collect(tuple(long_names(n_models))).save(folder / f"{kind.replace(', ', '-')}-{n_models}.png")


def site(browser: Any, folder: Path) -> Iterator[Path]:
    """The first pages of the built site."""
    for name in PAGES:
        for width in WIDTHS:
            yield shot(browser, BUILT / f"{name}.html", folder / f"site-{name.replace('/', '-')}-{width}.png", width)


def shot(browser: Any, page_file: Path, target: Path, width: int, **options: Any) -> Path:
    """Picture of a page, its beginning where it is long."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    page.goto(page_file.resolve().as_uri())
    height = min(int(page.evaluate("document.documentElement.scrollHeight")), TALLEST)
    page.set_viewport_size({"width": width, "height": height})
    page.screenshot(path=target)
    context.close()
    return target


def main(folder: Path, kinds: list[str]) -> None:
    """Write the pictures, and print their names."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        sys.exit("No Chromium is on the path; on Debian: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        makers = {
            "reports": lambda: reports(browser, folder),
            "plots": lambda: plots(folder),
            "site": lambda: site(browser, folder),
        }
        for kind in kinds or makers:
            for path in makers[kind]():
                print(path)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
