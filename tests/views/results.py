"""Results of all kinds whose words are kept in texts/: each with what its texts depend on."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from rich.console import Console
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.audits.data import classes, numbers
from tests.comparison.procedures.test_datasets import table
from tests.comparison.tables import RMSE, compared, noisy, pair_with
from tests.views.answers import ANSWERS, datasets, items, splits
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.every import BINARY, X, evaluated, ratable, searched
from tests.views.plots.samples import over_items
from tiebreak.evaluation.progress import Progress
from tiebreak.metrics.confusion import ConfusionMatrix
from tiebreak.scores.metric import Metric
from tiebreak.stores.contract import Damage, RunSummary
from tiebreak.views import comparison as comparison_view
from tiebreak.views import evaluation as evaluation_view
from tiebreak.views import progress, words
from tiebreak.views import store as store_view
from tiebreak.views.curves import sentence as curve_sentence
from tiebreak.views.plots import draw
from tiebreak.views.report.comparison import answer_of
from tiebreak.views.report.document import report as report_of_results
from tiebreak.views.report.evaluation import report
from tiebreak.views.requirements import junit_xml
from tiebreak.views.view import csv_lines, encoded, plain

NAMES = ("forest", "svm", "bayes")


def model(kind: str) -> Callable[..., Any]:
    """A model by hand: it fails, warns, says the same always, or what the first column says."""

    def answer(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        if kind == "fails" or (kind == "fails at times" and X_test[0, 0] > 0):
            raise ValueError(f"no, as {len(y_train)} are too few")
        if kind == "warns":
            warnings.warn("it did not converge", stacklevel=1)
        return (X_test[:, 0] > 0).astype(int) if kind == "first column" else np.zeros(len(X_test), dtype=int)

    return answer


@cache
def measured(*kinds: str, **more: Any) -> tb.Evaluation:
    """Models by hand on four folds."""
    given = {"scoring": ["accuracy", "f1"], "cv": {"kind": "kfold", "n_folds": 4}, "progress": False}
    return tb.evaluate({kind: model(kind) for kind in kinds}, X, BINARY, **{**given, **more})


def choosing() -> tb.Evaluation:
    """A search that chooses anew on almost every split."""
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [0.001 * 2.0**k for k in range(14)]}, cv=2)
    return tb.evaluate({"search": search}, X, BINARY, cv={"kind": "kfold", "n_folds": 10}, scoring="accuracy", progress=False)


def loo() -> tb.Evaluation:
    """Test sets of one row, which have no curve of their own."""
    models = {"first column": GaussianNB()}
    return tb.evaluate(models, X[:20], BINARY[:20], cv="loo", scoring=["accuracy", "neg_log_loss"], progress=False)


def battles(*rows: str, times: int = 10, **columns: Any) -> tb.Ratings:
    """Ratings from battles such as "x>y", in which x stood first and won, "x<y" and "x=y"."""
    winner = {">": "a", "<": "b", "=": "tie"}
    cells = [(row[0], row[2], winner[row[1]]) for row in rows] * times
    names = ("model_a", "model_b", "winner")
    options = {name: columns.pop(name) for name in ("anchor", "position", "level") if name in columns}
    return tb.rate({**dict(zip(names, map(list, zip(*cells, strict=True)), strict=True)), **columns}, **options)


def floor(*runs: int, n: int = 40, **options: Any) -> tb.NoiseFloor:
    """Runs of one model that differ from the first on so many questions."""
    answers = np.array([np.arange(n) % 2 ^ (np.arange(n) < n_turned) for n_turned in runs])
    table = {"question": np.tile(np.arange(n), len(runs)), "run": np.repeat(np.arange(len(runs)), n), "m": answers.ravel()}
    return tb.noise_floor(table, **options)


def run(name: str, **changes: Any) -> RunSummary:
    """A run of two models on six splits."""
    summary = RunSummary(name, 1_700_000_000.0, 1_700_086_400.0, 12, 5, 1, 2, 1, 6, ("accuracy",))
    return replace(summary, **changes) if changes else summary


SIZES: dict[str, dict[str, Any]] = {
    "shares": {"difference": 0.02, "discordant": 0.1, "looks": 4},
    "rates": {"n": 500, "rates": 0.8, "correlation": 0.5, "rope": 0.01, "n_models": 3},
    "repeats": {"difference": 0.01, "question": "splits", "sd": 0.03, "n_models": 3},
    "one repeat": {"n": 1, "sd": 0.03, "question": "splits", "goal": "equivalent"},
    "datasets": {"n": 5, "question": "datasets", "sd": 1.0},
    "seeds": {"n": 9, "difference": 1.0, "sd": (1.0, 0.5), "question": "seeds"},
    "clusters": {"n": 50, "sd": 1.0, "cluster_size": 5, "intraclass_correlation": 0.1},
    "few looks": {"n": 40, "difference": 0.3, "sd": 0.5, "looks": 5},
    "not worse": {"rope": 0.1, "sd": 0.5, "difference": -0.02, "goal": "not worse", "looks": 3},
    "equivalent": {"rope": 0.1, "sd": 0.5, "difference": 0.02, "goal": "equivalent"},
}
FEW = {
    "splits": partial(splits, 0.9, 0.85, 0.7, n=5, rope="1%"),
    "baseline": partial(splits, 0.9, 0.85, 0.7, n=4, baseline="c", correction="holm"),
    "best": partial(splits, 0.9, 0.85, 0.7, n=4, family="best"),
    "datasets": partial(datasets, 0.03, 0.0, n=6),
    "items": partial(items, 0.8, 0.5, n=12, more=("cluster", "topic"), by="topic"),
    "summary": ANSWERS["summary 3 folds"],
}
"""Answers on few units, which are written whole."""
DETAILED = (
    *(
        "splits 3 open",
        "splits 4 gaps",
        "splits 4 copies best",
        "splits 5 baseline",
        "splits 5 against the best",
        "splits 2 constant",
    ),
    *("datasets 4 open", "items 3 clusters", "time 3 best", "seeds 2 own", "look 4 open", "summary 3 folds"),
)
REPORTED = (
    *(
        "splits 4 gaps",
        "splits 4 copies best",
        "splits 5 against the best",
        "splits 5 holm",
        "splits 2 constant",
        "splits 2 loss",
    ),
    *("datasets 2 better", "items 3 topics", "splits 41 even"),
)


GATE = splits(0.86, 0.855, 0.85, 0.84, 0.70, n=10, rope=0.005, baseline="d")


def several() -> tb.Evaluation:
    """Two metrics on two datasets, on one of which a model fails at times."""
    models = {kind: model(kind) for kind in ("first column", "fails at times", "always")}
    data = {"one": (X, BINARY), "two": (X[:60], BINARY[:60])}
    return tb.evaluate(models, datasets=data, cv={"kind": "kfold", "n_folds": 3}, scoring=["accuracy", "f1"], progress=False)


def timed(*means: float, **settings: Any) -> tb.Comparison:
    """Results of scikit-learn's `cross_validate`, whose fits take 3 s for the first model, and less for each after it."""
    rows = noisy(*means, noise=0.002, n_splits=10)
    return tb.compare(
        {chr(97 + k): {"fit_time": np.full(10, 3.0 / (1 + k)), "test_score": row} for k, row in enumerate(rows)},
        **{"metric": "accuracy", "cv": 10, **settings},
    )


def few_datasets() -> tb.Comparison:
    """Splits of four datasets, judged by a hierarchical model."""
    columns = table(np.random.default_rng(0), n_datasets=4, n_models=2)
    return tb.compare(columns, metric="accuracy", method="hierarchical", n_train=80, n_test=20)


def two_answers() -> str:
    """What the report of an evaluation leaves out, where it holds two comparisons."""
    with patch("tiebreak.views.report.evaluation.MOST_ANSWERS", 2):
        return markup(report(several())).partition("What was left out")[2].partition("</section>")[0]


def mixed() -> tb.Comparison:
    """Accuracies on three datasets, and errors on two, of which one lacks a model."""
    held = [("u", "accuracy", 0.9, 0.8), ("v", "accuracy", 0.75, 0.7), ("w", "accuracy", 0.7, 0.7), ("x", "rmse", 2.0, 1.0)]
    rows = [
        (dataset, metric, model, score) for dataset, metric, *scores in held for model, score in zip("ab", scores, strict=True)
    ]
    return tb.compare({name: [row[k] for row in rows] for k, name in enumerate(("dataset", "metric", "model", "score"))})


def markup(page: str) -> str:
    """A report without its style, its script, its pictures, and hashes of these."""
    page = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\n+", "\n", re.sub(r'src="[^"]*"|sha256-[^&]*|tiebreak \d[\w.]*|"tiebreak":"[^"]*"', "", page))


def head(text: str) -> str:
    """The first lines."""
    return "\n".join(text.splitlines()[:8])


def tails(text: str) -> str:
    """The first and the last lines."""
    lines = text.splitlines()
    return "\n".join([*lines[:8], "...", *lines[-8:]])


def middle(text: str) -> str:
    """Titles of tables, and the lines below them."""
    lines = text.splitlines()
    return "\n".join(line for k, line in enumerate(lines) if any(each[:1].strip() for each in lines[max(0, k - 3) : k + 1]))


def rated(n: int) -> tb.Ratings:
    """Each model beats the next one twice, and loses to it once."""
    names = [f"m{k}" for k in range(n)]
    pairs = [pair for pair in pairwise(names) for _ in range(3)]
    first, second = (list(side) for side in zip(*pairs, strict=True))
    return tb.rate({"model_a": first, "model_b": second, "winner": ["a", "a", "b"] * (n - 1)})


def sliced(n: int) -> Any:
    """Two models on slices of ten questions."""
    topics = tuple(f"topic {k}" for k in range(n))
    return over_items(("a", "b"), n=10 * n, topics=topics).slices("topic")


def refusal(call: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Message of an error."""
    with pytest.raises((tb.TiebreakError, AttributeError)) as caught:
        call(*given, **named)
    return f"{type(caught.value).__name__}: {caught.value}"


def log(*states: tuple[Any, ...], before: int = 0) -> str:
    """Lines about a run of 40 cells: done, failed, seconds, and cells of others."""
    said: list[str] = []
    show = progress.lines(said.append)
    for done, failed, passed, *others in states:
        known = dict.fromkeys(Progress.__annotations__, 0) | {"name": "run", "n_cells": 40, "n_before": before}
        known |= {"n_done": done, "n_failed": failed, "seconds": passed, "n_elsewhere": sum(others)}
        known |= {"cells_per_second": 0.5 * bool(passed), "seconds_left": 3.0 * (40 - done), "is_finished": done + failed == 40}
        show(Progress(**{name: known[name] for name in Progress.__annotations__}))
    return "\n".join(said)


def cut_names(*names: str) -> str:
    """Names of 24 characters."""
    return "\n".join(words.short_names(names, 24))


def in_notebook(result: Any) -> str:
    """Markup that a notebook shows, an element a line."""
    return re.sub(">(?=<(?!/))", ">\n", result._repr_html_())


def report_of(name: str) -> str:
    """What the template of the report is given, without the parts of the page."""
    held = answer_of(ANSWERS[name]())
    rows = [{name: row[name] for name in ("name", "verdict", "ends", "otherwise", "x")} for row in held["ranking"].pop("rows")]
    few = {name: held[name] for name in ("label", "ranking", "slider", "provenance")}
    parts = [f"{name}: {len(held[name])}" for name in ("after", "pictures", "tables", "notes")]
    return "\n".join(
        [*parts, *(f"{name}: {encoded(plain(value))}" for name, value in few.items()), *(encoded(plain(row)) for row in rows[:5])]
    )


def terminal(answer: tb.Comparison, *widths: int) -> str:
    """What windows of these widths show, with the sequences that colour it."""
    shown = []
    for width in widths:
        file = io.StringIO()
        comparison_view.page(answer).print(Console(file=file, width=width, force_terminal=True, color_system="standard"))
        shown.append(f"{width} columns\n{file.getvalue()}")
    return "\n".join(shown).replace("\x1b", "␛")


LONG = Metric("m" * 90, higher_is_better=True)
WORDS: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    words.seconds: [(x,) for x in (np.nan, 0.001, 0.0099, 0.01, 0.0999, 0.1, 9.96, 99.9, 100.0, 1234.5)],
    words.duration: [(x,) for x in (0.2, 1, 89.4, 90, 149, 151, 5369, 5400, 7500)],
    words.format_probability: [(x,) for x in (0.0, 1e-9, 0.00049, 0.0005, 0.4321, 0.9994, 0.9995, 0.99951, 1.0, np.nan)],
    words.format_percent: [(x,) for x in (0.95, 0.999999, 0.1234567, 1 - 1e-7)],
    words.level_words: [(x,) for x in (0.5, 0.1, 0.05, 0.0123, 0.01, 1 / 3, 0.001)],
    words.span: [(np.array(x),) for x in ([1, 1], [3, 1, 2])],
    words.n_of: [(3, 3), (2, 3)],
    words.first_few: [(list("abcde"),), (list("abcdef"),), ([],)],
    words.listed: [(list("abcdef")[:n],) for n in range(1, 7)] + [(list("abcd"), 3), (list("abc"), 3)],
    words.decimals_for: [
        (x,) for x in (100.0, 10.0, 9.99, 1.0, 0.5, 0.1, 0.0999, 1e-10, 1e-11, 1e-15, 0.0, -1.0, np.inf, np.nan)
    ],
    words.format_score: [
        *((x, 2) for x in (9.99e6, 9.999999e6, 1e7, -1e7, np.nan, np.inf, -np.inf, 0.005, 0.015, 123456789.125)),
        *((x, 12) for x in (1e-9, 1.1e-9, 9e-10, -1e-13, 0.0, 0.5)),
        *((x, 1) for x in (-0.04, 0.25, 0.35)),
    ],
    words.format_bound: [
        (0.0, 2),
        (np.nan, 2),
        (np.inf, 2),
        (0.123, 2),
        (0.12, 2),
        (1e-10, 3),
        (1e-13, 12),
        (0.0991, 2, (0.1,)),
        (-0.004, 2),
    ],
    words.format_interval: [
        *((-0.004, 0.5, 2), (-0.004, 0.5, 2, (0.0,)), (0.0, 0.096, 2, (0.0, 0.1))),
        *((np.nan, np.nan, 2), (-np.inf, 0.5, 1), (0.2, np.inf, 1)),
    ],
    words.columns: [(x,) for x in ("svm", "模型", "e\u0301", "ａ1")],
    words.cut: [("gradient boosting, depth=3", n) for n in (26, 25, 18, 17, 9, 8, 3)] + [("x" * 40, 12), ("abc-" + "x" * 40, 12)],
    words.model_names: [
        (["a(x=1)", "b(x=2)"], 4),
        ([f"Forest(n={n}, depth=(1, 2), criterion='entropy', seed=0)" for n in (1, 2)],),
        ([f"Forest({'a, ' * 12}n={n})" for n in (1, 2)],),
        ([f"owner/{'word-' * 8}{n}-end" for n in (1, 2)],),
        ([f"{'word ' * 8}one)", f"{'word ' * 8}two)"],),
        ([f"owner-{n}/{'model' * 7}" for n in (1, 2)],),
        (["x" * 50],),
        (["x" * 34, "x" * 35],),
    ],
    draw.of_all: [(5, 5), (4, 5)],
    draw.minus: [("-",), ("-0.5 to -0.1",)],
    draw.short: [("x" * 40,), ("x" * 41,), (" ",), ("a\nb",)],
}
"""Functions that write numbers and names, and what they are given: at limits, and beside them."""

ONE_OF_EACH: dict[str, Callable[[], Any]] = {
    "pair": lambda: FEW["splits"]().pair("b", "a"),
    "learning curve": lambda: drawn_learning_curve(("a",)),
    "validation curve": lambda: drawn_validation_curve(("a",), (0.1, 1.0)),
    "bias and variance": lambda: drawn_bias_variance(("a", "b"), loss="squared"),
    "roc": lambda: tb.metrics.roc_curve([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
    "calibration": lambda: tb.metrics.calibration_curve([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
    "precision and recall": lambda: evaluated(NAMES[:2]).precision_recall(),
    "confusions": lambda: evaluated(NAMES[:2]).confusion(),
    "matrix": lambda: ConfusionMatrix(("no", "yes"), np.array([[9, 0], [1, 0]])),
    "costs": lambda: tb.CostMatrix({"no": {"no": 0, "yes": 1}, "yes": {"no": 5, "yes": 0}}),
    "best of two": lambda: evaluated(NAMES[:2]).bias_corrected("accuracy", n_resamples=50),
    "ratings": lambda: battles("x>y", "y>z", "z>y", "x>z"),
    "floor": lambda: floor(0, 6),
    "slices": lambda: ANSWERS["items 3 topics"]().slices("topic"),
    "size": lambda: tb.sample_size(n=9, difference=1.0, sd=(1.0, 0.5), question="seeds"),
    "no size": lambda: tb.sample_size(n=5, question="datasets", sd=1.0),
    "audit": lambda: tb.audit(X[:20], BINARY[:20], "kfold"),
    "gate": lambda: items(0.8, 0.75, rope=0.02).meets(not_worse=("b", "a"), near_best="a", noise_floor=0.1),
    "curve of four": lambda: drawn_learning_curve(("gains", "between", "done", "failed"), rope=0.025),
    "rocs": lambda: evaluated(NAMES[:2]).roc(),
    "evaluation": lambda: drawn_validation_curve(("svm",), (0.1, 1.0)).evaluation,
    "pilot": lambda: tb.sample_size(over_items(("a", "b")), n=100),
}
"""Small ones, by name."""

RESULTS: dict[str, dict[str, Callable[[], Any]]] = {
    "details": {name: lambda name=name: ANSWERS[name]().details for name in DETAILED},  # type: ignore[misc]
    "json": {name: lambda make=make: make().to_json() for name, make in FEW.items()},  # type: ignore[misc]
    "csv": {name: lambda make=make: "".join(csv_lines(comparison_view.pair_columns(make()))) for name, make in FEW.items()},  # type: ignore[misc]
    "latex": {
        "pairs": lambda: FEW["baseline"]().to_latex(),
        "best": lambda: FEW["best"]().to_latex("ranking"),
        "loss": lambda: ANSWERS["splits 2 loss"]().to_latex(),
        "datasets": lambda: datasets(0.03, 0.02, 0.0, n=4).to_latex(),
        "gaps": lambda: tb.compare(
            {"dataset": ["d_1", "50%", "x"], "a": [0.9, 0.8, 0.7], "b": [0.8, 0.8, 0.1], "c": [0.1, np.nan, 0.3]},
            metric="accuracy",
        ).to_latex("scores"),
        "mixed": lambda: mixed().to_latex("scores"),
    },
    "markdown": {
        **{name: lambda name=name: ANSWERS[name]().to_markdown() for name in ("splits 4 gaps", "items 3 topics")},  # type: ignore[misc]
        **{name: lambda make=make: head(make().to_markdown()) for name, make in ONE_OF_EACH.items()},  # type: ignore[misc]
    },
    "reports": {
        "gate": lambda: markup(GATE.to_html(requirements=GATE.meets(better=("a", "e"), near_best="b"), title="Release 7")),
        **{name: partial(report_of, name) for name in REPORTED},
        "evaluation": lambda: markup(report(several())).partition("What was measured")[2],
        "evaluation, two answers": two_answers,
        "two audits": lambda: markup(report_of_results(*[tb.audit(X[:20], BINARY[:20], "kfold")] * 2, command="tiebreak audit")),
        "learning curve": lambda: markup(drawn_learning_curve(("a",)).to_html()),
    },
    "notebook": {
        "answer": lambda: in_notebook(ANSWERS["splits 4 gaps"]()),
        "evaluation": lambda: in_notebook(measured("first column", "fails")),
        "searches": lambda: in_notebook(searched(NAMES[:1])),
        "gate": lambda: in_notebook(splits(0.90, 0.80).meets(near_best="a")),
        "audit": lambda: in_notebook(tb.audit(X[:20], BINARY[:20], "kfold")),
        "ratings": lambda: in_notebook(battles("x>y", times=1)),
    },
    "facts": {
        name: lambda make=make: "".join([make().to_json(), "\n", *csv_lines(make().to_frame())])  # type: ignore[misc]
        for name, make in ONE_OF_EACH.items()
    },
    "times": {
        "the fastest of three": lambda: timed(0.861, 0.860, 0.859, rope=0.01),
        "the faster of two": lambda: timed(0.861, 0.860, rope=0.01),
        "no time": lambda: timed(0.861, 0.860, 0.859),
    },
    "terminal": {"hub names": lambda: terminal(ANSWERS["splits 4 hub names"](), 20, 60, 120)},
    "curves": {
        "three": lambda: drawn_learning_curve(NAMES),
        "four": lambda: drawn_learning_curve(("gains", "between", "done", "failed"), rope=0.025),
        "no rope": lambda: drawn_learning_curve(("gains", "between"), rope=0.0),
        "no halves": lambda: curve_sentence(
            drawn_learning_curve(("one",)), drawn_learning_curve(("one",)).answers[0]._replace(reason="no-halves")
        ),
        "values": lambda: drawn_validation_curve(NAMES[:2]),
        "words": lambda: drawn_validation_curve(("svm",), ("rbf", "linear", "poly"), rope=0.0),
        "zero-one": lambda: drawn_bias_variance(NAMES),
        "squared": lambda: drawn_bias_variance(NAMES, loss="squared"),
    },
    "predictions": {
        "roc": lambda: tb.metrics.roc_curve([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
        "roc, undefined": lambda: tb.metrics.roc_curve([0, 0], [1, 2]),
        "precision and recall": lambda: tb.metrics.precision_recall_curve(
            ["y", "n", "y", "n"], [0.9, 0.5, 0.5, 0.1], positive="y"
        ),
        "calibration": lambda: tb.metrics.calibration_curve([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
        "calibration, one class": lambda: tb.metrics.calibration_curve([0, 0], [0.1, 0.2]),
        "rocs": lambda: evaluated(NAMES[:2]).roc(),
        "rocs, several": lambda: evaluated(NAMES[:2], "several").roc(),
        "precision and recall of two": lambda: evaluated(NAMES[:2]).precision_recall(),
        "calibrations": lambda: evaluated(NAMES[:2]).calibration(),
        "confusions": lambda: evaluated(NAMES[:2]).confusion(),
        "rocs, one row at a time": lambda: loo().roc(),
        "classes": lambda: ConfusionMatrix(tuple(range(41)), np.zeros((41, 41))),
        "matrix": lambda: ConfusionMatrix(("no", "yes"), np.array([[9, 0], [1, 0]])),
        "matrix of eleven": lambda: ConfusionMatrix(tuple(range(11)), np.diag(np.arange(11))),
        "costs": lambda: tb.CostMatrix({"no": {"no": 0, "yes": 1}, "yes": {"no": 5, "yes": 0}}),
        "best of two": lambda: evaluated(NAMES[:2]).bias_corrected("accuracy", n_resamples=50),
        "constant models": lambda: measured("always", "never").bias_corrected("accuracy", n_resamples=50),
    },
    "evaluations": {
        "two": lambda: evaluation_view.VIEW.page(drawn_validation_curve(("svm",), (0.1, 1.0)).evaluation).as_text(),
        "one that fails": lambda: measured("fails"),
        "troubles": lambda: measured("first column", "fails at times", "warns", "fails"),
        "before a comparison": lambda: evaluation_view.run_page(measured("first column", "fails"), has_means=False).as_text(),
        "run": lambda: evaluation_view.run_page(measured("first column", "fails")).as_text(),
        "many": lambda: drawn_validation_curve(tuple("abcdefg"), (1, 2, 3)).evaluation,
        "searches": lambda: searched(NAMES[:2]),
        "many choices": choosing,
        "datasets": lambda: tb.evaluate(
            {"first column": model("first column")},
            datasets={"one": (X, BINARY), "two": (X[:60], BINARY[:60])},
            cv=3,
            progress=False,
        ),
    },
    "ratings": {
        "two": lambda: battles("x>y", "y<x", "x=y", "y<x"),
        "three, an anchor": lambda: battles("x>y", "y>x", "y>z", "z<x", "x=z", "z>y", times=12, anchor="y"),
        "a circle": lambda: battles("x>y", "y>z", "z>x", "y<x", "z<y", "x<z"),
        "one that never lost": lambda: battles("x>y", "y>z", "z>y", "x>z"),
        "one battle": lambda: battles("x>y", times=1),
        "always the first": lambda: battles("x>y", "y>x"),
        "no position": lambda: battles("x>y", "y>x", position=False),
        "few turned": lambda: battles(*["x>y"] * 20, *["x<y"] * 9, "y>x", times=3),
        "users": lambda: battles(
            "x>y", "y<x", "x<y", "y>x", "x>y", times=15, cluster=[f"u{k % 25}" for k in range(75)], level=0.9
        ),
        "questions": lambda: battles(
            "x>y", "y<x", times=15, question_id=[f"q{k // 2}" for k in range(30)], judge=["one", "two"] * 15
        ),
        "one judge": lambda: battles("x>y", "y<x", "x<y", judge=["one"] * 30),
        "datasets": lambda: tb.rate(ratable(NAMES), metric="accuracy"),
    },
    "floors": {
        "two runs": lambda: floor(0, 6),
        "five runs that differ as wholes": lambda: floor(0, 1, 2, 30, 40),
        "the same": lambda: floor(0, 0),
        "means of three": lambda: floor(0, 6, 8, 4, n_averaged=3, level=0.9),
        "seeds": lambda: tb.noise_floor(
            {"seed": range(5), "a": [0.8, 0.82, 0.81, 0.8, 0.83], "b": [0.7, 0.72, 0.75, 0.7, 0.71]}, metric="accuracy"
        ),
        "one left out": lambda: tb.noise_floor(
            {"question": [*range(40)] * 2 + [41], "run": [0] * 40 + [1] * 41, "m": [0, 1] * 40 + [1]}
        ),
    },
    "slices": {
        "two topics": lambda: ANSWERS["items 3 topics"]().slices("topic"),
        "graded, small": lambda: items(0.5, 0.48, 0.2, n=30, graded=True, more=("topic",)).slices("topic"),
        "turned round": lambda: tb.compare(
            {"question": range(80), "topic": ["law"] * 40 + ["code"] * 40, "a": [1] * 35 + [0] * 45, "b": [0] * 45 + [1] * 35}
        ).slices("topic"),
        "many": lambda: over_items(tuple("abcdef"), n=120, topics=("law", "physics"), baseline="b", correction="none").slices(
            "topic"
        ),
        "holm": lambda: over_items(NAMES, n=120, topics=("law", "physics"), correction="holm").slices("topic"),
    },
    "sizes": {
        **{name: partial(tb.sample_size, **given) for name, given in SIZES.items()},
        "pilot": lambda: tb.sample_size(over_items(("a", "b")), difference=0.1),
        "pilot with a number": lambda: tb.sample_size(over_items(("a", "b")), n=300),
    },
    "audits": {
        "clean": lambda: tb.audit(*classes(), "stratified"),
        "sorted": lambda: tb.audit(*load_iris(return_X_y=True), KFold(3)),
        "numbers, named": lambda: tb.audit(*numbers(60), cv=3, deep=True),
        "copies": lambda: tb.audit(
            np.repeat(X[:20], 4, axis=0), np.repeat(BINARY[:20], 4), {"kind": "kfold", "n_folds": 4, "shuffle": True}
        ),
    },
    "gates": {
        "all kinds": lambda: splits(0.86, 0.855, 0.84, rope=0.01, n=20).meets(
            better=("a", "c"), not_worse=("b", "a"), near_best=["a", "b", "c"]
        ),
        "best": lambda: splits(0.90, 0.80).meets(near_best="a"),
        "two": lambda: splits(0.90, 0.80).meets(near_best="b", not_worse=("a", "b")),
        "floor": lambda: items(0.8, 0.75, rope=0.02).meets(not_worse=("a", "b"), better=("a", "b"), noise_floor=0.1),
        "both": lambda: compared(noisy(0.90, 0.80, 0.80)).meets(better=[("a", "b"), ("a", "c")]),
        "three": lambda: compared(noisy(0.90, 0.80, 0.80)).meets(better=[("b", "a")], not_worse=[("b", "c"), ("a", "c")]),
        "no rope": lambda: compared(noisy(0.90, 0.80, 0.80)).meets(better=("a", "b"), not_worse=("c", "a"), near_best="b"),
        "near best": lambda: compared(noisy(0.850, 0.849, 0.838, 0.80, noise=0.004), rope=0.012).meets(near_best=list("abcd")),
        "loss": lambda: compared(pair_with(0.05, 0.02)[::-1], metric=RMSE, rope=0.01).meets(not_worse=("a", "b")),
        "junit": lambda: junit_xml(GATE.meets(better=[("a", "e"), ("e", "d")], near_best="b"), allow_inconclusive=True).decode(),
        "junit, none inconclusive": lambda: junit_xml(GATE.meets(near_best="b")).decode(),
        "few": lambda: items(0.8, 0.5, n=10, rope=0.05).meets(not_worse=("a", "b")),
        "copies": lambda: ANSWERS["splits 2 copies"]().meets(not_worse=("a", "b"), better=("a", "b")),
        "constant": lambda: ANSWERS["splits 2 constant"]().meets(better=("a", "b")),
    },
    "words": {
        f.__name__: lambda f=f, given=given: "\n".join(f"{str(each)[1:-1]:<40} {f(*each)}" for each in given)  # type: ignore[misc]
        for f, given in WORDS.items()
    },
    "limits": {
        "details of 20": lambda: tails(splits(*(0.9 - 0.01 * np.arange(20)), n=20).details),
        "details of 21": lambda: middle(splits(*(0.9 - 0.01 * np.arange(21)), n=20).details),
        "a metric of one word": lambda: comparison_view.page(
            splits(0.9, 0.8, metric=Metric("m" * 90, higher_is_better=True))
        ).as_text(80),
        **{f"matrix of {n}": lambda n=n: head(str(ConfusionMatrix(tuple(range(n)), np.eye(n)))) for n in (10, 11, 40)},  # type: ignore[misc]
        **{f"{n} rated": lambda n=n: head(str(rated(n))) for n in (50, 51)},  # type: ignore[misc]
        **{
            f"{n} measured": lambda n=n: tails(str(drawn_validation_curve(tuple("abcde"), tuple(range(n))).evaluation))
            for n in (4, 5)
        },  # type: ignore[misc]
        **{f"{n} slices": lambda n=n: tails(str(sliced(n))) for n in (20, 21)},  # type: ignore[misc]
        **{
            f"best of {n}": lambda n=n: head(str(measured(*map(str, range(n))).bias_corrected("accuracy", n_resamples=20)))
            for n in (20, 21)
        },  # type: ignore[misc]
        "two splits": lambda: tb.compare({"a": [0.9, 0.8], "b": [0.8, 0.6]}, metric="accuracy", cv=2),
        **{f"{n} models": lambda n=n: splits(*(0.9 - 0.01 * np.arange(n)), noise=0.004, n=20) for n in (12, 13)},  # type: ignore[misc]
        "ends of names": lambda: cut_names(
            *(f"a model with a name of many words, alpha-beta, {end} 1" for end in ("gamma", "delta-2"))
        ),
        "numbers of names": lambda: cut_names(*(f"{'very ' * 9}{k} long{' name' * 9}" for k in range(11))),
        "shrinkage": lambda: "".join(csv_lines(few_datasets().shrinkage().round(3))),
        "a long header": lambda: splits(
            0.9, 0.8, metric=Metric("a metric with a name that is far too long for it", higher_is_better=True)
        ),
        "a cut name": lambda: splits(0.9, 0.8, names=("x" * 35, "y" * 34), n=20),
    },
    "refused": {
        "a folder of looks": lambda: refusal(tb.compare, {"a": [1, 2], "b": [2, 1]}, metric="mae", n_total=9, looks="/"),
        "another size": lambda: refusal(
            tb.compare, ANSWERS["look 2 open"]().items, metric="accuracy", looks=ANSWERS["look 2 open"](), n_total=9
        ),
        "no looks": lambda: refusal(tb.compare, {"a": [1, 2], "b": [2, 1]}, looks=3),
        "an answer without looks": lambda: refusal(tb.compare, {"a": [1, 2], "b": [2, 1]}, looks={"models": {}}),
        "a plot": lambda: refusal(getattr, splits(0.9, 0.8).plot, "rankings"),
        "a table": lambda: refusal(splits(0.9, 0.8).to_latex, "scores"),
        "shrinkage": lambda: refusal(splits(0.9, 0.8).shrinkage),
        "classes": lambda: refusal(ConfusionMatrix(tuple(range(21)), np.eye(21, dtype=int)).plot),
        "a figure": lambda: refusal(splits(0.9, 0.8).plot.drawing().save, "figure"),
        "a format": lambda: refusal(splits(0.9, 0.8).plot.save_all, "folder", format="bmp"),
        "plots": lambda: repr(splits(0.9, 0.8).plot),
    },
    "progress": {
        "quick": lambda: log((0, 0, 0.0), (10, 0, 1.0), (40, 0, 2.0)),
        "slow, with failures": lambda: log(
            (4, 1, 0.0), (4, 2, 6.0), (5, 2, 7.0), (6, 3, 20.0), (8, 3, 24.0), (8, 5, 25.0), (34, 6, 9000.0)
        ),
        "others": lambda: log((0, 0, 0.0), (3, 0, 1.0, 4), (3, 0, 2.0, 3), (39, 1, 3.0)),
        "all there": lambda: log((40, 0, 0.0), (40, 0, 1.0), before=40),
        "some there": lambda: log((30, 0, 0.0), (40, 0, 1.0), before=30),
    },
    "stores": {
        "runs": lambda: store_view.runs_page(
            ([run("a"), run("b" * 60, n_done=12, metrics=tuple("abcdefghijklmn"))], "sqlite:///r.db")
        ).as_text(40),
        "no run": lambda: store_view.runs_page(([], "sqlite:///r.db")).as_text(),
        "whole": lambda: store_view.check_page((), 1, "sqlite:///r.db").as_text(),
        "damaged": lambda: store_view.check_page(
            [Damage("a", "the cell of model 'svm'", "its hash does not match")], 0, "sqlite:///r.db"
        ).as_text(),
        "damaged twice": lambda: store_view.check_page(
            [Damage("", "the list of runs", "1 of 4 is gone"), Damage("", "the file", "it is cut")], 0, "sqlite:///r.db"
        ).as_text(),
    },
}
"""By family and name."""
