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
  const number = document.querySelector("input[type=number]");
  return Array.from({ length: 50 }, (_, k) => {
    const start = performance.now();
    number.value = 0.0005 * k;
    number.dispatchEvent(new Event("input"));
    document.body.offsetHeight;
    return performance.now() - start;
  });
}"""
"""Fifty other ropes, and the milliseconds in which each was read, its verdicts written and the page laid out."""

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


def compared(frame: pd.DataFrame, **settings: Any) -> Any:
    return tb.compare(frame, metric="accuracy", rope=0.01, **settings)


def tables_of_200() -> dict[str, Any]:
    """Data of 200 models, each for another procedure: what is measured, and how it is read."""
    rng = np.random.default_rng(200)
    names = [f"model {n}" for n in range(200)]
    better = 0.0005 * np.arange(200)[:, None]
    rows = (0.8 - better + rng.normal(0, 0.02, (200, 30))).round(4)
    right = (rng.random(200) + rng.normal(0, 0.3, (200, 200)) < 0.7 - better).astype(int)
    truth = rng.integers(0, 2, 200)
    ranked = (0.8 * truth + rng.normal(0, 1, (200, 200))).round(3)
    with_gaps = scores(200, 20)
    with_gaps[names] = with_gaps[names].mask(rng.random((20, 200)) < 0.06)
    return {
        "corrected-t": (scores(200, 20), {}),
        "corrected-t, gaps": (with_gaps, {"missing": "pairwise"}),
        "wilcoxon": (pd.DataFrame({"dataset": [f"d{n}" for n in range(30)], **dict(zip(names, rows, strict=True))}), {}),
        "tango": (tb.read_items(pd.DataFrame({"item": range(200), **dict(zip(names, right, strict=True))})), {}),
        "areas": (tb.read_predictions(truth, dict(zip(names, ranked, strict=True)), metric="roc_auc"), {"metric": None}),
    }


def of_200() -> Iterator[tuple[str, float, float]]:
    """Procedure and family, megabytes, and processor seconds that the page takes after its comparison."""
    for name, (table, settings) in tables_of_200().items():
        for family, asked in (("pairs", {}), ("baseline", {"baseline": "model 3"}), ("best", {"family": "best"})):
            comparison = tb.compare(table, rope=0.01, **{"metric": "accuracy", **settings, **asked})
            start = time.process_time()
            page = comparison.to_html()
            yield f"{name}, {family}", len(page.encode()) / 1e6, time.process_time() - start


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
    """Milliseconds to open a report, and to redo it for another rope: the least of seven and of fifty tries."""
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
    large = list(of_200())
    for name, size, seconds in large:
        print(f"200 models, {name:27}: {size:.2f} MB, {seconds:.1f} s")
    goals += [
        Goal("200 models, the largest page, MB", max(size for _, size, _ in large), "at most", 1.5),
        Goal("200 models, the slowest page, processor s", max(seconds for *_, seconds in large), "at most", 3),
    ]
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        if chromium is None:
            print("no Chromium on the path, or no playwright: nothing is opened")
        else:
            times = {n: opened(chromium, page, folder) for n, page in pages.items()}
            for n, (load, redone) in times.items():
                print(f"{n:4} models: {sizes[n]:7.1f} KB, opened in {load:6.0f} ms, redone in {redone:6.1f} ms")
            goals += [
                Goal("200 models redone for another rope, ms", times[200][1], "at most", 16),
                Goal("200 models (19,900 pairs) opened, ms", times[200][0], "at most", 2000),
            ]
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
