"""Figures as a person saw them, written down in golden/: what is drawn, where, how large and in which colour."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import tiebreak as tb
from tests import golden
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.every import BINARY, COSTS, PLOTS, SEVERAL, X, evaluated, ratable, searched, shrunken
from tests.views.plots.samples import RMSE, graded, over_datasets, over_items
from tests.views.plots.written import written
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.views import evaluation, predictions
from tiebreak.views.plots import comparison
from tiebreak.views.plots.draw import Drawing

FOLDER = Path(__file__).parent / "golden"
NAMES = ("forest", "svm", "bayes")
LETTERS = tuple("abcdefghij")


def kept(table: tuple[str, ...], **settings: Any) -> Drawing:
    """The ranking of models with these names."""
    return graded(table, **settings).plot.drawing("ranking")


def six_classes() -> tb.Evaluation:
    """Two models on as many classes as need wider squares."""
    y = np.digitize(X[:, 0], [-1.0, -0.4, 0.0, 0.4, 1.0])
    return tb.evaluate({"a": shrunken(0.0), "b": shrunken(2.0)}, X, y, cv=3, scoring="accuracy", progress=False)


FIGURES: dict[str, Callable[[], Drawing]] = {
    **{kind: partial(PLOTS[kind], NAMES[: 3 - (", " in kind)]) for kind in PLOTS if ", several" not in kind},
    "ranking, baseline": lambda: kept(NAMES, metric=RMSE, baseline="svm", rope=0.0),
    "ranking, best": lambda: kept(NAMES, family="best"),
    "roc, several": lambda: PLOTS["roc, several"](NAMES[:2]),
    "roc, one curve": lambda: predictions.roc(evaluated(NAMES).roc()["svm"].pooled),
    "precision_recall, one curve": lambda: predictions.precision_recall(evaluated(NAMES).precision_recall()["svm"].pooled),
    "roc, ten": lambda: PLOTS["roc, binary"](LETTERS),
    "verdicts, letters": lambda: graded(LETTERS[:7]).plot.drawing("verdicts"),
    "verdicts, four letters": lambda: graded(("abcd", "b")).plot.drawing("verdicts"),
    "diagram, baseline": lambda: over_datasets(LETTERS[:5], baseline="c").plot.drawing("diagram"),
    "diagram, letters": lambda: over_datasets(LETTERS, correction="none").plot.drawing("diagram"),
    "posterior, no rope": lambda: graded(NAMES, rope=0.0).pair("bayes", "svm").plot.drawing(),
    "bias and variance, squared": lambda: drawn_bias_variance(NAMES, loss="squared").plot.drawing(),
    "matrix, no better": lambda: predictions.matrix(ConfusionMatrix(tuple(range(7)), np.diag([3, *[0] * 6]))),
    "choices, one": lambda: searched(("a",)).plot.drawing("choices"),
    "confusion, long names": lambda: PLOTS["confusion, binary"](("a" * 29, "b")),
    "diagram, two": lambda: over_datasets(("a", "b")).plot.drawing("diagram"),
    "audit, sizes": lambda: tb.audit(np.arange(40.0).reshape(20, 2), np.sort(SEVERAL[:20]), cv=3).plot.drawing(),
}
ON_AXES = ("verdicts", "roc, binary", "bias and variance")
"""Drawn on axes of the caller too."""


@pytest.mark.parametrize("name", [*FIGURES, *(f"{name}, own axes" for name in ON_AXES)])
def test_the_figure_is_the_one_that_was_seen(name: str) -> None:
    """Word for word, and mark for mark."""
    axes = plt.figure(layout="constrained").subplots() if name.endswith(", own axes") else None
    golden.check(
        FOLDER / f"{name.replace(', ', '-').replace(' ', '-')}.txt",
        written(FIGURES[name.removesuffix(", own axes")]().plot(axes)),
    )


MANY_PARTS = drawn_bias_variance(tuple("abcdefghijklmnopqrst"))

SAID: dict[str, Callable[[], Drawing]] = {
    "calibration, several": lambda: PLOTS["calibration, several"](LETTERS),
    "calibration, one curve": lambda: predictions.calibration(evaluated(NAMES).calibration()["svm"].pooled),
    "confusion, several": lambda: PLOTS["confusion, several"](LETTERS),
    "confusion, six classes": lambda: predictions.matrices(six_classes().confusion()),
    "confusion, by predicted": lambda: predictions.matrices(evaluated(NAMES).confusion(), by="predicted"),
    "confusion, one model": lambda: evaluated(("a",), "several").confusion().plot.drawing(),
    "costs, one curve": lambda: predictions.costs(evaluated(NAMES).roc()["svm"].pooled, COSTS),
    "costs, ten": lambda: predictions.costs(evaluated(LETTERS).roc(), COSTS),
    "roc, undefined": lambda: predictions.roc(tb.metrics.roc_curve([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])),
    "roc, one model": lambda: predictions.roc(evaluated(("a",)).roc()),
    "ranking, two": lambda: kept(("a", "b"), rope=0.03),
    "ranking, sixty-two, the last the baseline": lambda: kept(tuple(f"m{k}" for k in range(62)), baseline="m61"),
    "differences, loss": lambda: graded(NAMES, RMSE).plot.drawing("differences"),
    "scores, loss": lambda: graded(NAMES, RMSE).plot.drawing("scores"),
    "verdicts, two": lambda: graded(("a", "b")).plot.drawing("verdicts"),
    "verdicts, twenty-one": lambda: graded(tuple(f"m{k}" for k in range(21)), rope=0.0).plot.drawing("verdicts"),
    "verdicts, baseline": lambda: graded(NAMES, baseline="bayes").plot.drawing("verdicts"),
    "posterior, against the baseline": lambda: comparison.posterior(graded(NAMES, baseline="svm")),
    "posterior, of one": lambda: comparison.posterior(graded(NAMES), "bayes"),
    "paired, many, no rope": lambda: comparison.paired(over_datasets(("a", "b"), tuple(f"d{k}" for k in range(61)), rope=0.0)),
    "diagram, twenty-five": lambda: over_datasets(tuple(f"m{k}" for k in range(25)), baseline="m24").plot.drawing("diagram"),
    "diagram, twenty-one": lambda: over_datasets(tuple(f"m{k}" for k in range(22))).plot.drawing("diagram"),
    "slices, baseline": lambda: over_items(NAMES, baseline="bayes", rope=0.05).slices("topic").plot.drawing(),
    "ratings, anchor": lambda: tb.rate(ratable(LETTERS), metric="accuracy", anchor="c").plot.drawing(),
    "power, pilot": lambda: tb.sample_size(over_items(("a", "b")), difference=0.1).plot.drawing(),
    "power, out of reach": lambda: tb.sample_size(difference=0.01, question="splits", sd=0.03).plot.drawing(),
    "power, equivalent": lambda: tb.sample_size(rope=0.1, sd=0.5, goal="equivalent").plot.drawing(),
    "times, one left": lambda: evaluation.times(drawn_validation_curve(NAMES[:2], (0.1, 1.0)).evaluation),
    "learning curve, one": lambda: drawn_learning_curve(("a",)).plot.drawing(),
    "learning curve, ten": lambda: drawn_learning_curve(LETTERS, rope=0.0).plot.drawing(),
    "validation curve, one": lambda: drawn_validation_curve(("a",), (True, False)).plot.drawing(),
    "validation curve, twice": lambda: drawn_validation_curve(("a", "b"), (1, 2, 1.0)).plot.drawing(),
    "bias first, then variance": lambda: replace(MANY_PARTS, parts=MANY_PARTS.parts[::19]).plot.drawing(),
    "audit, many classes": lambda: tb.audit(
        X, np.arange(150) % 9, cv={"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 9}
    ).plot.drawing(),
    "audit, sorted": lambda: tb.audit(X, np.sort(SEVERAL), cv=3).plot.drawing(),
    "audit, one column tells": lambda: tb.audit(np.c_[X, BINARY], BINARY, cv=3).plot.drawing(),
}


def test_titles_and_notes_are_those_that_were_read() -> None:
    """Of further drawings, with their sizes and the columns of their numbers, in one file."""
    texts = []
    for name, draw in SAID.items():
        drawing = draw()
        size = " x ".join(f"{length:.3g}" for length in drawing.size)
        numbers = f"{len(drawing.data)} x {', '.join(map(str, drawing.data))}; last {drawing.data.iloc[-1, 0]}"
        texts.append(f"{name}\n  {drawing.title}\n  {drawing.note}\n  {size}; {numbers}".rstrip() + "\n")
    golden.check(FOLDER / "titles-and-notes.txt", "\n".join(texts))
