"""The HTML report: its size, what writing it adds to a comparison, and how soon Chromium opens and redoes it.

Times of the browser are the least of several tries, since whatever else the machine does only adds to them. They need playwright
and a Chromium on the path, and are left out, with a line that says so, where there is none.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from goals import Goal, report

import tiebreak as tb

ROUNDS = 7
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

REDONE = """() => {
  const { controls } = document.querySelector("[data-answer]");
  return Array.from({ length: 30 }, (_, k) => {
    const start = performance.now();
    controls.change({ rope: 0.002 + k / 1000, alpha: 0.05 - k / 2000, given: null });
    return performance.now() - start;
  });
}"""
"""Thirty other ropes and alphas, and the milliseconds that each took: everything on the page, drawings too."""

OPENED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
"""Milliseconds from the request to the end of loading."""


def scores(n_models: int, n_splits: int) -> pd.DataFrame:
    """Models a little apart on the same splits of 10-fold cross-validation."""
    rng = np.random.default_rng(n_models)
    split, hardness = np.arange(n_splits), rng.normal(0, 0.03, n_splits)
    models = {
        f"model {n}": np.clip(0.85 - 0.003 * n * 20 / max(n_models, 20) + hardness + rng.normal(0, 0.012, n_splits), 0, 1)
        for n in range(n_models)
    }
    return pd.DataFrame({"repeat": split // 10, "fold": split % 10, "n_train": 900, "n_test": 100, **models})


def compared(frame: pd.DataFrame) -> Any:
    return tb.compare(frame, metric="accuracy", rope=0.01)


def added(frame: pd.DataFrame) -> list[float]:
    """Seconds that a report takes after its comparison: the first one, with all that it imports, and others."""
    times = []
    for _ in range(ROUNDS):
        comparison = compared(frame)
        start = time.perf_counter()
        comparison.to_html()
        times.append(time.perf_counter() - start)
    return times


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium, or None where there is none or no playwright to drive it."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def opened(chromium: Any, html: str, folder: str) -> tuple[float, float]:
    """Milliseconds to open a report, and to redo it for another rope and alpha: the least of seven and of thirty tries."""
    file = Path(folder, "report.html")
    file.write_text(html, encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    times = []
    for _ in range(ROUNDS):
        page.reload()
        times.append(page.evaluate(OPENED))
    redone = min(page.evaluate(REDONE))
    page.close()
    return min(times), redone


def main() -> int:
    tables = {4: scores(4, 100), 20: scores(20, 25), 200: scores(200, 20)}
    first, *others = added(tables[4])
    print(
        f"4 models, 100 splits, beyond the comparison: the first report {first:.2f} s, others {statistics.median(others):.3f} s"
    )
    pages = {n: compared(table).to_html() for n, table in tables.items()}
    sizes = {n: len(page.encode()) / 1e3 for n, page in pages.items()}
    goals = [
        Goal("4 models on 100 splits, KB", sizes[4], "at most", 100),
        Goal("20 models on 25 splits, KB", sizes[20], "at most", 300),
        Goal("first report of 4 models, s beyond the comparison", first, "at most", 0.5),
    ]
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        if chromium is None:
            print("no Chromium on the path, or no playwright: nothing is opened")
        else:
            times = {n: opened(chromium, page, folder) for n, page in pages.items()}
            for n, (load, redone) in times.items():
                print(f"{n:4} models: {sizes[n]:7.1f} KB, opened in {load:6.0f} ms, redone in {redone:6.1f} ms")
            goals += [
                Goal("20 models redone for another rope and alpha, ms", times[20][1], "at most", 30),
                Goal("200 models (19,900 pairs) opened, ms", times[200][0], "at most", 2000),
            ]
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
