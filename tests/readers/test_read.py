"""The one entry point: what it takes, what it refuses, and what all sources have in common."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import tiebreak as tb
from tests.guarded import told
from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tests.readers.log_files import inspect
from tiebreak.api import read_scores
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    TiebreakError,
    UnclearSourceError,
    UnknownNameError,
    UnsupportedSourceError,
)
from tiebreak.readers.read import read_repeats
from tiebreak.readers.source import ReadOptions
from tiebreak.scores.scores import Scores


@pytest.mark.parametrize("source", [3, None, dict, np.zeros((2, 3)), [[0.1], [0.2]]], ids=lambda source: type(source).__name__)
def test_other_types(source: Any) -> None:
    """The type met, and all that is accepted; one of several by its number. An array does not say whose scores it holds."""
    text = rf"is of type {type(source).__name__!r}, which cannot be read as scores\..* Pass a fitted search .*, or Scores\."
    with pytest.raises(UnsupportedSourceError, match=f"^the source {text}$"):
        read_scores(source)
    with pytest.raises(UnsupportedSourceError, match=f"^source 2 {text}$"):
        read({"fold": [0], "a": [0.1]}, source)


def test_a_dict_of_dicts_is_models_by_metric_or_split() -> None:
    """As people keep what they measured; metrics are no models."""
    by_metric = {"a": {"acc": [0.1, 0.2], "f1": [0.5, 0.6]}, "b": {"acc": np.array([0.3, 0.4]), "f1": [0.7, 0.8]}}
    scores = tb.read_scores(by_metric, metric="acc", cv=2)
    assert (scores.models, scores.matrix().score.tolist()) == (("a", "b"), [[0.1, 0.2], [0.3, 0.4]])
    by_split = {"a": {1: 0.1, 2: 0.2}, "b": {1: 0.3, 2: 0.4}}
    assert tb.read_scores(by_split, metric="acc", cv=2).matrix().score.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_scores_pass_through(write: Write) -> None:
    """Sizes may be added; metric and direction must agree; notices are said once."""
    scores = read(write(WIDE))
    assert_array_equal(read_scores(scores).matrix().score, SCORE)
    assert read_scores(scores, n_train=90, n_test=10).design.sizes == "exact"
    assert "no metric is called 'f1': there is only 'accuracy'" in told(UnknownNameError, read_scores, scores, metric="f1")
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the source"):
        read_scores(scores, lower_is_better=True)
    scores = read({"svm": [91, 90], "rf": [85, 80]}, cv=2)
    assert codes(scores) == codes(read_scores(scores)) == ["assumed-paired", "read-as"]


def test_an_object_with_scores_is_read(write: Write) -> None:
    """An object of your own needs a method that returns Scores, as evaluations and answers have; it is joined like others."""

    class Measured:
        def __tiebreak_scores__(self, metric: str | None) -> Scores:
            return read({"fold": [0, 1], "a": [0.5, 0.6]}, metric=metric)

    assert read(Measured()).models == ("a",)
    assert read({"old": Measured(), "new": read(Measured())}).models == ("old", "new")
    scores = read(Measured(), {"fold": [1, 0], "b": [0.4, 0.3]}, n_train=9, n_test=1)
    assert (scores.models, scores.matrix().score.tolist()) == (("a", "b"), [[0.5, 0.6], [0.3, 0.4]])
    assert "no model is called 'knn'" in told(UnknownNameError, read, Measured(), models=["knn"])
    with pytest.raises(DataError, match="n_train=80 was given, but the source says 9"):
        read_scores(read(Measured(), n_train=9, n_test=1), n_train=80)


def test_models_and_datasets_are_chosen_by_name(write: Write) -> None:
    """In the order asked for; unknown ones are refused with the nearest; an error names the line of the file, not of "
    "the choice."""
    path = write("fold,svm,rf,knn\n0,0.1,0.2,0.3\n")
    scores = read(path, models=["knn", "svm"])
    assert (scores.models, scores.matrix().score.tolist()) == (("knn", "svm"), [[0.3], [0.1]])
    path = write("dataset,fold,svm\niris,0,0.1\nwine,0,0.2\niris,1,0.3\nwine,1,inf\n")
    for source in (path, read(path, dataset="iris")):
        assert read(source, dataset="iris").datasets == ("iris",)
    assert read(path, dataset="iris").matrix().score.tolist() == [[0.1, 0.3]]
    for asked, text in (
        ({"models": ["svn", "x"]}, r"\(1\) no model is called 'svn': did you mean 'svm'\?; \(2\) no model is called 'x'"),
        ({"dataset": "irsi"}, "no dataset is called 'irsi': did you mean 'iris'"),
        ({"dataset": "wine"}, r"^scores\.csv, line 5: accuracy lies between 0 and 1 .* that of 'svm' is inf"),
    ):
        with pytest.raises(TiebreakError, match=text):
            read(path, **({"dataset": "iris"} | asked))
    for source in (write(WIDE), read(write(WIDE))):
        with pytest.raises((UnknownNameError, UnclearSourceError), match=r"'iris' was given, but .* does not name any datasets"):
            read(source, dataset="iris")


def test_rows_are_chosen_by_their_values(write: Write) -> None:
    """Of several columns, by one value or some."""
    path = write(
        "model,part,lang,fold,score\n"
        + "".join(
            f"{model},{part},{lang},{fold},0.{fold + 1}\n"
            for model in "ab"
            for part in ("dev", "test")
            for lang in ("de", "fr")
            for fold in (0, 1)
        )
    )
    assert read(path, where={"part": "test", "lang": "fr"}).matrix().score.tolist() == [[0.1, 0.2]] * 2
    assert tb.read_items(path, item="lang", where={"part": ["test"], "fold": "1"}, metric="f1").items == ("de", "fr")


def test_an_export_is_read_back(write: Write) -> None:
    """to_frame(), and the CSV of it, hold all but absent scores; a dataset without a name is none."""
    scores = read(write(WIDE.replace("0.88", "")), n_train=90, n_test=10)
    for again in (read_scores(scores.to_frame()), read_scores(write(scores.to_frame().to_csv(index=False), "again.csv"))):
        assert_array_equal(again.matrix().score, scores.matrix().score)
        assert_array_equal(again.matrix().n_train, scores.matrix().n_train)
        assert (again.metric, again.datasets) == (scores.metric, ("",))


@pytest.mark.slow
def test_files_are_read_without_what_is_slow_to_import(write: Write) -> None:
    """So that a table, short or long and with gaps, or a log is compared in a fraction of a second."""
    gaps = "model,fold,score,x\na,1,0.5,0.5\nb,1,NA,\n"
    long = gaps + "a,2,0.5,0.25\n" * 10_000
    paths = [str(write(text, f"{number}.csv")) for number, text in enumerate((WIDE, LONG, gaps, long))]
    paths += [str(write('{"fold": [1], "b": [0.2]}', "t.json")), str(inspect(Path("a.eval"), ["C"]))]
    slow = ["pandas", "polars", "narwhals", "sklearn", "scipy.stats", "matplotlib", "rich", "click"]
    code = f"""
import sys, tiebreak as tb
from tiebreak.readers.tables import read_table
for path in {paths[2:4]}: read_table(path, '')
for path in {[*paths[:2], paths[4]]}: tb.read_scores(path, metric='accuracy')
tb.read_items({paths[5]!r})
print(sorted(set({slow}) & set(sys.modules)))
tb.compare({paths[0]!r}, metric='accuracy', n_train=9, n_test=1)
print('msgspec' in sys.modules)  # it checks answers and study files only
"""
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\nFalse\n"


# --- order of rows and form change nothing ----------------------------------------------------------------------------------


def test_files_of_one_name_are_called_after_their_folders(tmp_path: Path) -> None:
    """Each model has a folder with its results in it, perhaps far down; of items and of predictions alike."""
    rows = {"q": "question,correct\n1,0\n2,1\n", "p": "id,y_true,y_pred\n1,x,x\n2,y,x\n"}
    for kind, text in rows.items():
        paths = [tmp_path / kind / model / "out" / "results.csv" for model in ("small", "org/large")]
        for path in paths:
            path.parent.mkdir(parents=True)
            path.write_text(text)
        assert tb.read_items(*paths).models == ("small", "org/large")


def test_a_file_of_each_run_may_hold_what_it_measured(write: Write) -> None:
    """One score of each metric, as the metrics.json of runs; what cross_validate returned; and metrics within an object."""
    runs = (
        write('{"accuracy": 0.9, "f1": 0.8, "seed": 42, "timestamp": "2024-05-01"}', "0.9.json"),
        write("accuracy,seed\n0.8,42\n", "1.0.csv"),
    )
    means = tb.read_scores(*runs, metric="accuracy", n_test=100)
    assert (means.models, means.design.kind, means.matrix().score.ravel().tolist()) == (("0.9", "1.0"), "means", [0.9, 0.8])
    result = '{"fit_time": [1, 1, 1], "score_time": [1, 1, 1], "test_score": [0.7, 0.8, 0.9]}'
    folds = tb.read_scores(write(result, "x.json"), write(result.replace("0.9", "0.6"), "y.json"), metric="accuracy", cv=3)
    assert (folds.models, folds.matrix().score.tolist()) == (("x", "y"), [[0.7, 0.8, 0.9], [0.7, 0.8, 0.6]])
    lines = "".join(f'{{"id": {i}, "scores": {{"rouge": 0.{i}, "bleu": 0.5}}}}\n' for i in range(1, 5))
    graded = tb.read_items(write(lines, "p.jsonl"), write(lines, "q.jsonl"), metric="rouge", lower_is_better=False)
    assert (graded.models, graded.score[0, 0].tolist()) == (("p", "q"), [0.1, 0.2, 0.3, 0.4])


def test_a_dict_names_the_one_model_of_each_source(write: Write) -> None:
    """Of a table of any shape; a source of several has names of its own."""
    one = pd.DataFrame({"item": [1, 2], "score": [1, 0]})
    for source in (one, one.rename(columns={"score": "svm"}), one.assign(model="svm"), tb.read_items(one.assign(model="svm"))):
        assert tb.read_items({"a": source, "b": one}).models == ("a", "b")
    versions = [one.assign(model="svm"), one.assign(model="svm", score=[0, 1])]  # without a name of its own each is numbered
    assert tb.read_items(*versions).models == ("svm (source 1)", "svm (source 2)")
    with pytest.raises(UnclearSourceError, match=r"^the source given for 'a' holds 2 models\. Pass it without a name\."):
        tb.read_items({"a": pd.concat([one.assign(model=model) for model in "xy"])})


def test_what_is_said_of_scores_of_items_is_obeyed_or_refused() -> None:
    """As of scores of splits: they have their metric, whose direction is known."""
    scores = tb.read_scores({"question": [1, 2], "a": [0, 1], "b": [1, 1]})
    assert tb.read_scores(scores, metric="Accuracy").metric.name == "accuracy"
    assert "no metric is called 'f1'" in told(UnknownNameError, tb.read_scores, scores, metric="f1")
    assert "says of 'accuracy' that higher" in told(TiebreakError, tb.read_scores, scores, lower_is_better=True)


# --- runs of one model ----------------------------------------------------------------------------------------------------


ONE = pd.DataFrame({"question": ["q1", "q2"] * 2, "model": ["m"] * 4, "epoch": [1, 1, 2, 2], "score": [1, 0, 0, 0]})
PLAIN = ONE[:2].drop(columns="epoch")


@pytest.mark.parametrize(
    ("sources", "same", "kind", "shape"),
    [
        ([ONE], False, "epochs", (1, 2, 2)),
        ([ONE, ONE], False, "runs", (1, 2, 2)),
        ([PLAIN.assign(task="one"), PLAIN.assign(task="two")], False, "runs", (1, 1, 4)),
        ([PLAIN, PLAIN.assign(model="other")], True, "runs", (1, 2, 2)),
    ],
    ids=["epochs", "files before epochs", "a file for each task", "all one model"],
)
def test_runs_of_a_model_stand_apart(sources: list[pd.DataFrame], same: bool, kind: str, shape: tuple[int, ...]) -> None:
    """What reading for a comparison averages is what noise is made of: of two files with two epochs 1 and 0 are 0.5."""
    items, found = read_repeats(sources, ReadOptions(metric="toxic", lower_is_better={"toxic": True}), same=same)
    assert (found, items.models, items.score.shape) == (kind, ("m",), shape)
    assert items.score[0, 0].tolist()[:2] == ([0.5, 0.0] if len(sources) == 2 and sources[1] is ONE else [1.0, 0.0])
    assert not items.metric.higher_is_better


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """A folder without results, and a model that nobody named."""
    assert "holds no" in told(TiebreakError, read_repeats, [tmp_path], ReadOptions())
    assert "no model is called 'x'" in told(UnknownNameError, read_repeats, [ONE], ReadOptions(models=["x"]))


def test_results_of_mteb_are_models_over_tasks(tmp_path: Path) -> None:
    """A file for each task, in a folder of the model, which model_meta.json names; of several subsets the mean counts."""
    paths = []
    for model, scores in {"org__small": (0.5, 0.75), "org__large": (0.625, 1.0)}.items():
        folder = tmp_path / model / "1"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text(f'{{"name": "{model.replace("__", "/")}"}}')
        for task, score in zip(("banking", "scifact"), scores, strict=True):
            subsets = f'[{{"main_score": {score}, "ndcg_at_1": 0.1, "hf_subset": "en"}}, {{"main_score": {score + 0.25}}}]'
            text = f'{{"task_name": "{task}", "mteb_version": "1.38", "scores": {{"test": {subsets}}}, "evaluation_time": 4.5}}'
            paths.append(folder / f"{task}.json")
            paths[-1].write_text(text)
    scores = tb.read_scores(*paths)
    assert (scores.models, scores.datasets) == (("org/small", "org/large"), ("banking", "scifact"))
    assert [matrix.score[:, 0].tolist() for matrix in scores.matrices] == [[0.625, 0.75], [0.875, 1.125]]
    paths[0].write_text('{"task_name": "banking", "mteb_version": "1.38", "scores": {"test": []}}')
    with pytest.raises(UnsupportedSourceError, match="it is of MTEB, but holds no main_score of a task"):
        tb.read_scores(*paths)


def test_results_of_lm_evaluation_harness_are_scores_over_tasks(write: Write) -> None:
    """Where its samples were not logged: a file for each model; groups of tasks sum up others, and metrics lose ",none"."""
    text = """{"results": {"arc": {"alias": "arc", "acc,none": %s, "acc_stderr,none": 0.01, "em,strict": 0.5},
        "law": {"acc,none": 0.5, "em,strict": 0.5},
        "mmlu": {"acc,none": 0.9, "acc_stderr,none": 0.01}}, "group_subtasks": {"mmlu": ["mmlu_law"], "arc": []},
        "model_name": "org/%s", "lm_eval_version": "0.4.12"}"""
    paths = [write(text % (score, name), f"{name}.json") for name, score in (("small", 0.3), ("large", 0.5))]
    scores = tb.read_scores(*paths, metric="acc")
    assert (scores.models, scores.datasets, scores.notices) == (("org/small", "org/large"), ("arc", "law"), ())
    assert scores.matrices[0].score.ravel().tolist() == [0.3, 0.5]
    assert tb.read_scores(*paths, metric="em,strict", lower_is_better=False).datasets == ("arc", "law")
