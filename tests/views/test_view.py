"""Every result in every form: text, Markdown, HTML, frame, JSON, plots and one line."""

import copy
import json
import multiprocessing
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import joblib
import matplotlib
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.samples import graded
from tiebreak import result as results
from tiebreak.result import Result

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=4)
NAMES = ("tree", "<b>bayes</b>")


@cache
def evaluation() -> tb.Evaluation:
    """Two models, one with a name like markup, with their predictions."""
    models = {NAMES[0]: DecisionTreeClassifier(max_depth=2, random_state=0), NAMES[1]: GaussianNB()}
    return tb.evaluate(models, X, Y, cv=4, scoring=["roc_auc", "accuracy", "neg_log_loss"])


def answered() -> tb.Comparison:
    """Two models on questions of two topics."""
    answers = {NAMES[0]: [1, 0, 1, 1] * 10, NAMES[1]: [0, 1, 1, 0] * 10}
    return tb.compare({"question": range(40), "topic": ["<i>law", "code"] * 20, **answers})


MAKERS: dict[str, Callable[[], Any]] = {
    "Comparison": lambda: graded(NAMES),
    "PairComparison": lambda: graded(NAMES).pair(*NAMES),
    "Requirements": lambda: graded(NAMES).meets(better=NAMES, not_worse=NAMES, near_best=NAMES[0]),
    "Slices": lambda: answered().slices("topic"),
    "Ratings": lambda: tb.rate({"model_a": [NAMES[0]] * 30, "model_b": [NAMES[1]] * 30, "winner": ["a", "tie", "b"] * 10}),
    "NoiseFloor": lambda: tb.noise_floor({"question": [*range(40)] * 2, "run": [1] * 40 + [2] * 40, NAMES[1]: [1, 1, 0, 0] * 20}),
    "SampleSize": lambda: tb.sample_size(answered(), n=200, looks=3),
    "Evaluation": evaluation,
    "BiasCorrectedScore": lambda: evaluation().bias_corrected("accuracy", n_resamples=50),
    "LearningCurve": lambda: drawn_learning_curve(NAMES),
    "ValidationCurve": lambda: drawn_validation_curve(NAMES),
    "BiasVariance": lambda: drawn_bias_variance(NAMES),
    "Audit": lambda: tb.audit(X, Y, "kfold"),
    "ConfusionMatrix": lambda: evaluation().confusion()[NAMES[0]],
    "Confusions": lambda: evaluation().confusion(),
    "CostMatrix": lambda: tb.CostMatrix({"no": {"no": 0, "yes": 1}, "yes": {"no": 5, "yes": 0}}),
    "RocCurve": lambda: evaluation().roc()[NAMES[0]].pooled,
    "Rocs": lambda: evaluation().roc(),
    "PrecisionRecallCurve": lambda: evaluation().precision_recall()[NAMES[0]].pooled,
    "PrecisionRecalls": lambda: evaluation().precision_recall(),
    "CalibrationCurve": lambda: evaluation().calibration()[NAMES[0]].pooled,
    "Calibrations": lambda: evaluation().calibration(),
}
KINDS = list(MAKERS)


@pytest.fixture(params=KINDS)
def shown(request: pytest.FixtureRequest) -> Any:
    """One result of each kind."""
    return MAKERS[request.param]()


def test_every_kind_in_the_registry_is_tried() -> None:
    """And its plots can be imported."""
    assert set(results.VIEWS) == set(KINDS)
    assert all(resolve_name(resolve_name(place).plots or place) for place in results.VIEWS.values())


@pytest.mark.slow
def test_text_fits_a_terminal_and_str_is_the_text(shown: Any) -> None:
    """Lines of about 100 columns, and one newline at the end."""
    assert isinstance(shown, Result)
    text = shown.to_text()
    assert text == f"{shown}\n"
    assert max(map(len, text.splitlines())) <= 110


def test_repr_is_one_line(shown: Any) -> None:
    """A console or a traceback shows it."""
    assert len(repr(shown).splitlines()) == 1
    assert type(shown).__name__ in repr(shown) or repr(shown).startswith(f"<{NAMES[0]!r} against ")


@pytest.mark.slow
def test_html_is_a_page(shown: Any, tmp_path: Path) -> None:
    """No outside resource, and no markup out of names; the form for notebooks has no script either."""
    path = tmp_path / "page.html"
    page = shown.to_html(path)
    assert path.read_text(encoding="utf-8") == page
    assert page.startswith("<!DOCTYPE html>")
    markup = re.sub(r'src="data:[^"]*"', "", page) + shown._repr_html_()
    for forbidden in ("http:", "https:", "src=", "onclick", "<b>"):
        assert forbidden not in markup
    assert "<script" not in shown._repr_html_()
    assert page.count("<script") == 2  # its data and its script


@pytest.mark.slow
def test_markdown_has_no_markup_of_names(shown: Any) -> None:
    """As it is pasted into pull requests."""
    assert "<b>" not in shown.to_markdown()
    assert shown.to_markdown().endswith("\n")


@pytest.mark.slow
def test_frame_and_json_hold_numbers(shown: Any, tmp_path: Path) -> None:
    """Strict JSON, the same as the dict, and written whole."""
    assert isinstance(shown.to_frame(), pd.DataFrame)
    path = tmp_path / "facts.json"
    text = shown.to_json(path)
    assert json.loads(text) == json.loads(path.read_text()) == json.loads(json.dumps(shown.to_dict(), allow_nan=False))


@pytest.mark.slow
def test_plots_are_listed_and_drawn_by_name(shown: Any, tmp_path: Path) -> None:
    """The list names each; each draws on the caller's axes; a single one is drawn by the call."""
    plots = shown.plot
    assert all(f".plot.{name}(" in repr(plots) for name in plots.names)
    for name in plots.names:
        axes = matplotlib.figure.Figure().subplots()
        assert getattr(plots, name)(ax=axes).ax_ is axes


@pytest.mark.slow
@pytest.mark.parametrize("copied", [lambda result: pickle.loads(pickle.dumps(result)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_results_can_be_copied(shown: Any, copied: Callable[[Any], Any]) -> None:
    """They say the same afterwards, in every form."""
    again = copied(shown)
    assert again.to_text() == shown.to_text()
    assert again.to_json() == shown.to_json()
    assert again.to_frame().equals(shown.to_frame())


@pytest.mark.slow
def test_results_go_to_other_processes_and_back(tmp_path: Path) -> None:
    """By multiprocessing, by joblib and its cache, one whose store is a file included."""
    kept = tb.evaluate(GaussianNB(), X, Y, cv=3, scoring="accuracy", store=tmp_path / "runs.db", progress=False)
    sent = [evaluation(), kept]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(str, sent)) == [str(each) for each in sent]
    joblib.dump(kept, tmp_path / "kept.joblib")
    (tmp_path / "runs.db").unlink()
    again = joblib.load(tmp_path / "kept.joblib")
    assert again.predictions.equals(pickle.loads(pickle.dumps(again)).predictions)
    assert again.items("accuracy").score.shape[-1] == len(Y)


def test_a_copied_evaluation_has_its_cells() -> None:
    """They are no longer those of a store."""
    log = copy.deepcopy(evaluation()).log
    outcome = next(log.outcomes(outputs=True))
    assert [each.cell for each in log.outcomes([outcome.cell])] == [outcome.cell]
    assert log.table().state.size == evaluation().n_cells
    assert [*map(dict, log.environments)] == [*map(dict, evaluation().log.environments)]
