"""Views and their forms."""

import copy
import csv
import io
import json
import math
import multiprocessing
import os
import pickle
import re
import stat
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple
from unittest import mock

import joblib
import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak
import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tests.guarded import umask
from tests.views.answers import splits
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tests.views.plots.samples import graded
from tests.views.test_comparison import PAIRS, RANKING
from tiebreak import result as results
from tiebreak.errors import StoreError
from tiebreak.result import Result
from tiebreak.scores.means import adjusted_means
from tiebreak.views import comparison as comparison_view
from tiebreak.views import view
from tiebreak.views.comparison import pair_columns
from tiebreak.views.view import FORMULA_STARTS, csv_lines, make_folder, plain, write_whole

KEYS = [
    "schema",
    "tiebreak",
    "metric",
    "settings",
    "resolved",
    "method",
    "headline",
    "next_step",
    "detectable",
    "ranking",
    "pairs",
    "slices",
    "scores",
    "items",
    "warnings",
    "requirements",
    "provenance",
]


def comparison():
    """Three models, one score undefined, two models identical."""
    first, second = noisy(0.90, 0.85)
    first[2] = np.nan
    return compared([first, second, second], ["forest", "svm", "logistic"], rope="1%", missing="pairwise")


def test_schema_two_has_its_keys_and_columns() -> None:
    """docs/api.md lists them; programs of other people depend on them. Nothing depends on the clock or on chance."""
    assert comparison().to_json() == comparison().to_json()
    answer = json.loads(comparison().to_json())
    assert list(answer) == KEYS
    assert (answer["schema"], answer["tiebreak"]) == (2, tiebreak.__version__)
    assert list(answer["pairs"][0]) == PAIRS
    at = RANKING.index("n_units")
    assert list(answer["ranking"][0]) == [*RANKING[:at], "adjusted", *RANKING[at:]]  # a model lacks a split


def test_undefined_is_null_and_the_text_is_strict_json() -> None:
    """NaN and Infinity are not JSON; a strict reader must not trip over them."""
    answer = json.loads(comparison().to_json(), parse_constant=pytest.fail)
    (scores,) = answer["scores"]
    assert scores["score"][scores["models"].index("forest")][2] is None
    identical = next(pair for pair in answer["pairs"] if pair["reason"] == "identical-scores")
    assert identical["statistic"] is None
    assert identical["pvalue"] == 1


def test_rope_is_recorded_as_asked_and_as_used() -> None:
    """A later reader must not guess what 1% was."""
    answer = comparison().to_dict()
    assert answer["settings"]["rope"] == "1%"
    assert answer["settings"]["correction"] is None
    assert answer["resolved"]["correction"] == "bonferroni"
    best = adjusted_means(comparison().matrix.score).max()  # as if all models had all splits
    assert answer["resolved"]["rope"] == pytest.approx(0.01 * best, rel=1e-9)


@pytest.mark.parametrize("settings", [{"alpha": np.float32(0.05)}, {"rope": np.float32(0.01)}, {"rng": np.int64(3)}])
def test_settings_may_be_numbers_of_numpy(settings: dict[str, object]) -> None:
    """JSON knows only Python's; a setting often comes out of an array."""
    one = splits(0.90, 0.85, **settings)
    (name,) = settings
    written = json.loads(one.to_json())["settings"]
    assert written[name] == float(settings[name])  # type: ignore[arg-type]


def test_a_row_of_a_list_stands_on_one_line() -> None:
    """So that answers can be compared line by line."""
    one = comparison()
    lines = one.to_json().splitlines()
    assert len([line for line in lines if line.startswith('{"first": ')]) == one.pair_table.n_pairs


class Pair(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Holder:
    name: str
    pair: Pair
    counts: np.ndarray


def test_everything_becomes_what_json_knows() -> None:
    """Records by name, arrays as lists, nan and infinite numbers as null, at any depth; strange things by their repr."""
    held = Holder("a", Pair(math.nan, 1.0), np.array([[1, 2]]))
    document = plain({1: held, "numbers": (np.float64("inf"), np.int64(3), True, None), "strange": 1j})
    assert json.loads(json.dumps(document, allow_nan=False)) == {
        "1": {"name": "a", "pair": {"low": None, "high": 1.0}, "counts": [[1, 2]]},
        "numbers": [None, 3, True, None],
        "strange": "1j",
    }


# --- files ------------------------------------------------------------------------------------------------------------------

on_posix = pytest.mark.skipif(os.name != "posix", reason="rights, pipes and limits of a POSIX system")


def rights(path: Path) -> int:
    """Permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def disk_of(n_bytes: int) -> Iterator[None]:
    """Files of this process cannot grow beyond so many bytes: the system refuses the rest, as on a full disk.

    Python 3.11 would keep the beginning of a compiled module, and the next import of it would fail.
    """
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with mock.patch.object(sys, "dont_write_bytecode", True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
@on_posix
@pytest.mark.parametrize(
    ("mask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0o002, 0o644, 0o755), (0, 0o644, 0o755)]
)
def test_files_have_the_rights_that_the_umask_leaves(mask: int, file: int, folder: int, tmp_path: Path) -> None:
    """JSON, HTML, plots and their folders, never wider than 0644 and 0755."""
    comparison = splits(0.9, 0.8)
    with umask(mask):
        comparison.to_json(tmp_path / "r.json")
        comparison.to_html(tmp_path / "r.html")
        make_folder(tmp_path / "a" / "b")
        comparison.plot.drawing("ranking").save(tmp_path / "a" / "b" / "plot.svg")
    assert {rights(path) for path in tmp_path.rglob("*") if path.is_file()} == {file}
    assert (rights(tmp_path / "a"), rights(tmp_path / "a" / "b")) == (folder, folder)


@on_posix
def test_a_file_that_is_replaced_keeps_its_rights(tmp_path: Path) -> None:
    """What was private stays private."""
    private = tmp_path / "private.json"
    private.write_text("before")
    private.chmod(0o600)
    splits(0.9, 0.8).to_json(private)
    assert rights(private) == 0o600
    assert json.loads(private.read_text())["schema"] == 2


@on_posix
def test_no_file_is_written_through_a_link(tmp_path: Path) -> None:
    """Who may write a link into a folder must not choose what is overwritten; nor is the link replaced."""
    kept, link = tmp_path / "kept.json", tmp_path / "link.json"
    kept.write_text("before")
    link.symlink_to(kept)
    with pytest.raises(StoreError, match=r"is a link to .*kept\.json, and no file is written through a link"):
        write_whole(link, b"after")
    assert (kept.read_text(), link.is_symlink()) == ("before", True)


@on_posix
def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """The error names the file and the reason; the earlier answer is whole, and nothing half-written stands beside it."""
    comparison, target = splits(0.9, 0.8), tmp_path / "r.json"
    target.write_text("the answer of yesterday")
    with disk_of(1000), pytest.raises(StoreError) as caught:
        comparison.to_json(target)
    reason = "File too large. No part of it was kept. Free some space there, or name another place."
    assert str(caught.value) == f"{target} could not be written: {reason}"
    assert target.read_text() == "the answer of yesterday"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    with disk_of(30_000), pytest.raises(StoreError, match=r"\.png could not be written: File too large"):
        comparison.plot.save_all(tmp_path / "plots")
    assert all(path.read_bytes().endswith(b"IEND\xaeB`\x82") for path in (tmp_path / "plots").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [None, "m3"])
def test_answers_of_very_many_models_leave_pairs_out_that_follow_from_the_scores(
    baseline: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs of the leading model (or the baseline) and of the first ones stand there; read again, all verdicts are as before.

    Here more than 10 pairs are very many, and the first models 3: of 8 models in ranking order these are 7 + 1 pairs.
    """
    monkeypatch.setattr(comparison_view, "MOST_WRITTEN", 10)
    monkeypatch.setattr(comparison_view, "FIRST_MODELS", 3)
    scores = np.random.default_rng(4).normal(0.8, 0.01, (8, 20)) + 0.004 * np.arange(8)[:, None]
    table = {f"m{row}": each for row, each in enumerate(scores)}
    answer = tiebreak.compare(table, metric="accuracy", n_train=90, n_test=10, rope=0.01, baseline=baseline)
    path = tmp_path / "answer.json"
    answer.to_json(path)
    held = json.loads(path.read_text())
    models = [row["model"] for row in held["ranking"]]
    pairs = {(row["first"], row["second"]) for row in held["pairs"]}
    if baseline is None:
        assert pairs == {(models[0], each) for each in models[1:]} | {(models[1], models[2])}
        assert held["n_pairs_omitted"] == 28 - 8
    else:  # which the family has no more pairs than models with
        assert len(pairs) == 7
        assert "n_pairs_omitted" not in held
    again = tiebreak.compare(path)
    assert again.models == answer.models
    np.testing.assert_array_equal(again.pair_table.verdict, answer.pair_table.verdict)
    np.testing.assert_array_equal(again.pair_table.interval, answer.pair_table.interval)
    assert again.headline == answer.headline


def pairs_csv(comparison: tb.Comparison, *, raw: bool = False) -> str:
    """The whole table as one text."""
    return "".join(csv_lines(pair_columns(comparison), raw=raw))


def test_a_frame_is_written_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows, whether they fill the last block or not."""
    monkeypatch.setattr(view, "BLOCK", 2)
    frame = pd.DataFrame({"name": ["=a", "b", "c"], 1: [0.5, float("nan"), 2.0]})
    assert list(csv_lines(frame)) == ["name,1\n", "'=a,0.5\n", "b,\n", "c,2.0\n"]
    assert list(csv_lines({"name": ["c"], "rows": [[1, 2]]})) == ["name,rows\n", 'c,"[1, 2]"\n']


def test_the_table_is_the_frame_of_pairs() -> None:
    """To the last digit, by way of pandas' own reader."""
    comparison = splits(0.9, 0.85, 0.8, names=("a", "b, c", 'd "e"'))
    read = pd.read_csv(io.StringIO(pairs_csv(comparison)), keep_default_na=False)
    expected = comparison.pairs
    assert list(read.columns) == list(expected.columns)
    for column in expected:
        assert read[column].tolist() == expected[column].tolist()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *((f"{start}HYPERLINK(1)", f"'{start}HYPERLINK(1)") for start in FORMULA_STARTS),
        ("a\x1b[31m\u202e\u200b\r\n\tb", r"a\x1b[31m\u202e\u200b\r\n\tb"),
    ],
)
def test_what_a_spreadsheet_runs_or_a_terminal_obeys_is_disarmed(name: str, written: str) -> None:
    """By an apostrophe or an escape, unless names are to be raw; numbers stay numbers, and what is undefined is empty, not 0."""
    for raw, shown in ((False, written), (True, name)):
        (row,) = csv.DictReader(io.StringIO(pairs_csv(splits(0.9, 0.85, names=(name, "plain")), raw=raw), newline=""))
        assert {row["first"], row["second"]} == {shown, "plain"}
        assert math.isfinite(float(row["interval_low"]))
    (row,) = csv.DictReader(io.StringIO(pairs_csv(compared([[0.9, np.nan, 0.8], [0.8, 0.8, np.nan]], missing="pairwise"))))
    assert (row["pvalue"], row["statistic"], row["reason"]) == ("", "", "missing-splits")


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
    """And its view can be imported; what follows draws its plots."""
    assert set(results.VIEWS) == set(KINDS)
    assert all(map(resolve_name, results.VIEWS.values()))


@pytest.mark.slow
def test_text_fits_a_terminal_and_str_is_the_text(shown: Any) -> None:
    """Lines of about 100 columns, and one newline at the end; a console shows one line, and pull requests no markup of names."""
    assert isinstance(shown, Result)
    assert len(repr(shown).splitlines()) == 1
    assert type(shown).__name__ in repr(shown) or repr(shown).startswith(f"<{NAMES[0]!r} against ")
    assert "<b>" not in shown.to_markdown()
    text = shown.to_text()
    assert text == f"{shown}\n"
    assert max(map(len, text.splitlines())) <= 110


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
