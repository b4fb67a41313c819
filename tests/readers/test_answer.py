"""Scores read back from answers that tiebreak has written as JSON."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tiebreak as tb
from tests.comparison.tables import noisy, scores_of
from tests.guarded import told
from tests.readers.conftest import Write
from tests.readers.helpers import codes
from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, TiebreakError, UnsupportedSourceError
from tiebreak.readers.files import is_answer

SCORES = scores_of(noisy(0.9, 0.89, 0.8, n_splits=20), ["forest", "svm", "logistic"], n_folds=10)
ITEMS = {"item": [f"q{i // 2}" for i in range(40)], "model": ["a", "b"] * 20, "score": [float(i % 3 > 0) for i in range(40)]}
ITEMS |= {"cluster": [f"c{i // 8}" for i in range(40)], "topic": ["x"] * 20 + ["y"] * 20}


def answer(**changes: Any) -> dict[str, Any]:
    """What tiebreak writes, as far as scores are concerned; changes in "scores" are of its only dataset."""
    splits = {"dataset": "", "repeat": [0, 0, 1], "fold": [0, 1, 0], "n_train": [90, 90, 90], "n_test": [10, 10, 10]}
    scores = {**splits, "models": ["svm", "forest"], "score": [[0.9, 0.8, None], [0.7, 0.6, 0.5]]}
    design = {"kind": "repeated-kfold", "ordered": False, "pairing": "key", "sizes": "exact"}
    provenance = {"splits": "abc", "design": design | changes.pop("design", {})}
    held = {"schema": 2, "tiebreak": "0.1.0", "metric": {"name": "accuracy", "higher_is_better": True}}
    return {**held, "scores": [scores | changes.pop("scores", {})], "provenance": provenance, **changes}


def about_items(**changes: Any) -> dict[str, Any]:
    """An answer about single items, as tiebreak writes it, with changes in "items"."""
    held: dict[str, Any] = json.loads(tb.compare(tb.read_items(ITEMS, metric="accuracy", cluster="cluster")).to_json())
    return held | {"items": held["items"] | changes}


def test_an_answer_is_read_back(write: Write) -> None:
    """Scores, sizes, metric and design, from the file and from what json.load gives."""
    for source in (write(json.dumps(answer()), "last.json"), answer()):
        scores = tb.read_scores(source)
        assert (scores.models, scores.notices) == (("svm", "forest"), ())
        assert_array_equal(scores.matrix().score, [[0.9, 0.8, np.nan], [0.7, 0.6, 0.5]])
        assert_array_equal(scores.matrix().n_train, [90, 90, 90])
        assert (scores.metric.name, scores.metric.higher_is_better) == ("accuracy", True)
        design = scores.design
        assert (design.kind, design.pairing, design.sizes, design.hash) == ("repeated-kfold", "key", "exact", "abc")


def test_what_is_compared_again_is_the_same(tmp_path: Path) -> None:
    """The answer is, byte for byte, the one that was written, with its settings; a report is told of the way on."""
    first = compare_scores(SCORES, Settings(rope=0.01, baseline="svm", correction="none"))
    first.to_json(tmp_path / "answer.json")
    assert tb.compare(str(tmp_path / "answer.json")).to_json() == first.to_json()
    first.to_html(tmp_path / "report.html")
    with pytest.raises(UnsupportedSourceError, match=r"ends in '\.html'; .*; of an answer keep the JSON\."):
        tb.compare(str(tmp_path / "report.html"))


def test_single_items_are_compared_again() -> None:
    """Clusters, further columns and the hash of the table come back."""
    items = tb.read_items(ITEMS, metric="accuracy", cluster="cluster")
    held = tb.read_scores(about_items()).items
    assert (held.hash(), held.clusters, held.columns["topic"]) == (items.hash(), items.clusters, items.columns["topic"])


def test_sizes_that_an_answer_lacks() -> None:
    """They are null there, or the number of folds; n_train= and n_test= may tell."""
    bare = answer(scores={"n_train": None, "n_test": None, "n_folds": 2})
    assert (tb.read_scores(bare).design.sizes, tb.read_scores(bare).matrix().n_folds) == ("missing", 2)
    assert tb.read_scores(bare, n_train=90, n_test=10).design.sizes == "exact"


def test_what_the_answer_was_warned_of_is_said_again() -> None:
    """Pairing by position is a property of the scores."""
    scores = tb.read_scores(answer(design={"ordered": True, "pairing": "position", "sizes": "approximate"}))
    assert (codes(scores), scores.design.ordered) == (["assumed-paired"], True)


def test_datasets_of_several_metrics() -> None:
    """Each has its own, and one of them can be asked for; what the caller says of a metric must agree."""
    metrics = [{"name": name, "higher_is_better": name == "accuracy"} for name in ("accuracy", "max_error")]
    mixed = answer() | {"scores": [{**answer()["scores"][0], "dataset": each["name"], "metric": each} for each in metrics]}
    scores = tb.read_scores(mixed)
    assert [scores.metric_of(matrix).higher_is_better for matrix in scores.matrices] == [True, False]
    assert tb.read_scores(mixed, metric="max_error").datasets == ("max_error",)
    said = {"no metric is called 'f1'": {"metric": "f1"}, "says of 'accuracy' that higher": {"lower_is_better": True}}
    for text, settings in said.items():
        with pytest.raises(TiebreakError, match=text):
            tb.read_scores(answer(), **settings)


def test_another_schema_is_refused() -> None:
    """Both versions are named; other results of tiebreak, such as a run's, are of schema 1."""
    assert told(DataError, tb.read_scores, answer(schema=3, tiebreak="3.0")) == (
        f"the source was written by tiebreak 3.0 with schema 3; tiebreak {tb.__version__} reads comparisons, of schema 2. "
        "Compare anew, or update tiebreak."
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"metric": None}, "metric: Expected `object`, got `null`; met None"),
        ({"metric": {"name": "x", "higher_is_better": "yes"}}, "metric.higher_is_better: Expected `bool`, got `str`; met 'yes'"),
        ({"scores": {"models": ["svm", "svm"]}}, "scores[0]: its columns do not go together"),
        ({"scores": {"fold": [0, 1]}}, "scores[0]: its columns do not go together"),
        ({"scores": {"fold": [0, 1, 0.5]}}, "scores[0].fold: Expected numbers; met [0, 1, 0.5]"),
        ({"scores": {"fold": [0, 1, 2**80]}}, "Python int too large"),
        ({"scores": {"repeat": [0, 0, 0]}}, "a split stands twice"),
        ({"scores": {"score": [[0.1], [0.1, 0.2, 0.3]]}}, "scores[0].score: Expected numbers; met [[0.1], [0.1, 0.2, 0.3]]"),
        ({"scores": {"score": [[0.1, "x", 0.2], [0.1, 0.2, 0.3]]}}, "scores[0].score: Expected numbers; met [[0.1, 'x', 0.2]"),
        ({"design": {"kind": "new-kind"}}, "provenance.design.kind: Invalid enum value 'new-kind'; met 'new-kind'"),
        ({"settings": {"alpha": "much"}}, "settings.alpha: Expected `float | null`, got `str`; met 'much'"),
        ({"items": 3}, "items: Expected `object | null`, got `int`; met 3"),
        ({"items": {"runs": []}}, "items: its columns do not go together"),
        ({"items": {"columns": {"topic": [3] * 20}}}, "items.columns[...][0]: Expected `str`, got `int`; met {'topic': "),
        ({"items": {"score": [[[1.0] * 20]]}}, "items: its columns do not go together"),
        ({"items": {"classes": ["no", "yes"], "truth": [0.0] * 19 + [2.0]}}, "items: its columns do not go together"),
    ],
)
def test_a_damaged_answer_is_refused(changes: dict[str, Any], text: str, write: Write) -> None:
    """With the file, the key and what stands there; columns have to go together."""
    held = about_items(**changes["items"]) if isinstance(changes.get("items"), dict) else answer(**changes)
    with pytest.raises(DataError, match=rf"^last\.json.*{re.escape(text)}"):
        tb.read_scores(write(json.dumps(held), "last.json"))


def test_an_answer_cut_short_and_numbers_beyond_all_floats(write: Write) -> None:
    """JSON may hold 1e999, which is infinite, and whole numbers of thousands of digits."""
    text = json.dumps(answer())
    for held in (text[:-30], text.replace("svm", "\\"), text.replace("0.8", "9" * 5000)):
        with pytest.raises(DataError, match=r"^last\.json"):
            tb.read_scores(write(held, "last.json"))
    with pytest.raises(DataError, match="model 'svm', repeat 0 fold 1: the score is infinite"):
        tb.read_scores(write(text.replace("0.8", "1e999"), "last.json"))


def test_what_is_no_answer(write: Write) -> None:
    """A table, the schema of a frame that pandas writes, a file that is not there."""
    assert is_answer(write(json.dumps(answer()), "last.json"))
    frame = write('{"schema":{"fields":[{"name":"a"}]},"data":[]}', "frame.json")
    for source in (frame, write('{"a": [1], "b": [2]}', "table.json"), "nothing.json", "x" * 5000 + ".json", {"a": [1]}, [1], 3):
        assert not is_answer(source)
