"""Comparisons to draw, and what a figure says and where."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

import tiebreak as tb
from tests.comparison.tables import ACCURACY, compared
from tiebreak.comparison.comparison import Comparison
from tiebreak.scores.metric import Metric

RMSE = Metric("root_mean_squared_error", higher_is_better=False)

GRID = [
    f"scale+svc, kernel={kernel}, gamma={gamma}, C={C}, class_weight=none"
    for kernel, gamma, C in product(("rbf", "cos"), ("1e-3", "1e-2", "1e-1", "1e+0"), ("1e-1", "1e+0", "1e+1", "1e+2", "1e+3"))
]
HOSTILE = [
    "a$b$_{x}\\frac{1}",
    "two\nlines\tand a tab",
    "<b>html</b>&amp;",
    "emoji 🚀 模型",
    "100% {} %d under_score^2",
    "bidi \u202egpj.\u200b",
]


@cache
def graded(names: tuple[str, ...], metric: Metric = ACCURACY, **settings: Any) -> Comparison:
    """Each model a little worse than the one before, so that every verdict occurs."""
    rng = np.random.default_rng(0)
    step = 0.012 * np.arange(len(names))[:, None]
    score = 0.9 - metric.sign * step + rng.normal(0, 0.03, 50) + rng.normal(0, 0.005, (len(names), 50))
    return compared(score, names, metric=metric, n_folds=10, **({"rope": 0.02} | settings))


@cache
def over_datasets(
    names: tuple[str, ...], datasets: Sequence[str] = tuple(f"data {k}" for k in range(24)), **settings: Any
) -> Comparison:
    """Each model a little worse than the one before, on datasets of different difficulty."""
    rng = np.random.default_rng(5)
    n, k = len(datasets), len(names)
    score = 0.8 + rng.normal(0, 0.05, (n, 1)) + rng.normal(0, 0.02, (n, k)) - 0.004 * np.arange(k)
    columns = {name: score[:, place].round(6).tolist() for place, name in enumerate(names)}
    return tb.compare({"dataset": list(datasets)} | columns, metric="accuracy", **({"rope": 0.01} | settings))


@cache
def over_items(
    names: tuple[str, ...], n: int = 60, topics: Sequence[str] = ("law", "physics", "history"), **settings: Any
) -> Comparison:
    """Each model right a little less often than the one before, on questions of different difficulty and of some topics."""
    rng = np.random.default_rng(7)
    ease = rng.normal(size=n)
    right = ease + rng.normal(size=(len(names), n)) + 0.9 - 0.05 * np.arange(len(names))[:, None] > 0
    table = {"question": [f"q{k}" for k in range(n)], "topic": [topics[k % len(topics)] for k in range(n)]}
    columns = {name: row.astype(int).tolist() for name, row in zip(names, right, strict=True)}
    items = tb.read_items(table | columns, metric="accuracy")
    return tb.compare(items, **settings)


def drawn_texts(figure: Figure) -> list[Text]:
    """Every text that can be seen, after the layout is done."""
    figure.draw_without_rendering()
    hidden: set[Text] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():  # ticks outside the view exist, and are not drawn
                if not low <= tick.get_loc() <= high:
                    hidden |= {tick.label1, tick.label2}
    texts = figure.findobj(Text)
    return [text for text in texts if text.get_visible() and text.get_text().strip() and text not in hidden]


def words_of(figure: Figure) -> str:
    """All texts of a figure on one line."""
    return " ".join(" ".join(text.get_text().split()) for text in drawn_texts(figure))


def misplaced(figure: Figure) -> list[str]:
    """Texts that leave the figure, and pairs that overlap by more than half a pixel."""
    texts = drawn_texts(figure)
    boxes = np.array([text.get_window_extent().extents for text in texts])
    left, bottom, right, top = boxes.T
    outside = (left < 0) | (bottom < 0) | (right > figure.bbox.width) | (top > figure.bbox.height)
    problems = [f"cut: {texts[i].get_text()!r}" for i in np.flatnonzero(outside)]
    width = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    height = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
    for i, j in np.argwhere(np.triu((width > 0.5) & (height > 0.5), 1)):
        problems.append(f"overlap: {texts[i].get_text()!r} and {texts[j].get_text()!r}")
    return problems
