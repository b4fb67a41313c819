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
from tiebreak.views.plots.display import without_pyplot

WIDTHS = (375, 768, 1280)
MODELS = (3, 12, 40, 200)
DRAWN_MODELS = (3, 12, 60)
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


def over_datasets(n_models: int) -> tb.Comparison:
    """Scores on forty datasets."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.6, 0.95, 40)
    table: dict[str, list[Any]] = {"dataset": [f"dataset {k} of the archive" for k in range(40)]}
    for k in range(n_models):
        table[f"a model with a rather long name, number={k}, depth={k + 2}"] = (
            base - 0.004 * k + rng.normal(0, 0.01, 40)
        ).tolist()
    return tb.compare(table, metric="accuracy", rope=0.01)


def of_items(n_models: int) -> tb.Comparison:
    """Answers to 400 questions, right or wrong."""
    rng = np.random.default_rng(2)
    hard = rng.normal(0, 1, 400)
    right = {name: (rng.normal(0.8 - 0.02 * k, 1, 400) > hard).astype(int) for k, name in enumerate(long_names(n_models))}
    return tb.compare(tb.read_items({"item": [f"question {k}" for k in range(400)], **right}, metric="accuracy"))


def rated(n_models: int) -> tb.Ratings:
    """Two thousand battles between neighbours and others."""
    rng = np.random.default_rng(3)
    names = long_names(n_models)
    one, step = rng.integers(n_models, size=2000), rng.integers(1, n_models, size=2000)
    other = (one + step) % n_models
    wins = rng.random(2000) < 1 / (1 + np.exp(0.1 * (one - other)))
    winner = np.where(wins, "model_a", "model_b")
    table = {"model_a": [names[k] for k in one], "model_b": [names[k] for k in other], "winner": winner.tolist()}
    return tb.rate(table)


def evaluated(n_models: int) -> tb.Evaluation:
    """Trees of more and more depth on a small dataset."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    models = {name: DecisionTreeClassifier(max_depth=1 + k % 8, random_state=k) for k, name in enumerate(long_names(n_models))}
    return tb.evaluate(models, X, y, cv=5, scoring=["accuracy", "roc_auc"], keep_predictions=True)


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
    """Every plot of comparisons over splits, datasets and items, of ratings, and of an evaluation."""
    with without_pyplot():
        for n_models in DRAWN_MODELS:
            for kind, comparison in (("splits", compared(n_models)), ("datasets", over_datasets(n_models))):
                for name in comparison.plot.names:
                    yield getattr(comparison.plot, name)().save(folder / f"{kind}-{name}-{n_models}.png")
            for kind, result in (("items", of_items(n_models)), ("ratings", rated(n_models))):
                for name in result.plot.names:
                    yield getattr(result.plot, name)().save(folder / f"{kind}-{name}-{n_models}.png")
            evaluation = evaluated(n_models)
            yield evaluation.plot.times().save(folder / f"evaluation-times-{n_models}.png")
            for name in ("roc", "precision_recall", "calibration"):
                yield getattr(evaluation, name)().plot.curve().save(folder / f"evaluation-{name}-{n_models}.png")
            yield evaluation.confusion().plot.matrix().save(folder / f"evaluation-confusion-{n_models}.png")
            if "diagram" in comparison.plot.names:
                yield comparison.plot.diagram(style="demsar").save(folder / f"datasets-demsar-{n_models}.png")


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
