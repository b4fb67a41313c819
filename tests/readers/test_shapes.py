"""A table becomes the long table by one strict rule; what no rule settles is refused with the one option that would settle it."""

import json
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
from tiebreak.errors import DataError, TiebreakError

TABLES = Path(__file__).parent / "data" / "tables"
CASES = [json.loads(line) for line in (TABLES / "expected.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["files"][0])
def test_tables_as_people_have_them(case: dict[str, Any]) -> None:
    """Shapes of public result files, with names and numbers of their own: answered rightly, or refused with what helps."""
    paths = [TABLES / name for name in case["files"]]
    arguments, columns = case["arguments"], case.get("columns")
    try:
        answer = tb.compare(tb.read_scores(*paths, **arguments, columns=columns)) if columns else tb.compare(*paths, **arguments)
    except TiebreakError as error:
        assert "refuse" in case["outcome"], str(error)  # noqa: PT017  (either may be right)
        assert any(word in str(error) for word in case.get("says_any_of", [""])), str(error)  # noqa: PT017  (either may be right)
        return
    assert "answer" in case["outcome"], answer.headline
    assert answer.method.question == case.get("question", answer.method.question)
    assert sorted(answer.models) == sorted(case.get("models", answer.models))
    assert len(answer.models) == case.get("n_models", len(answer.models))
    if "n_units" in case:
        assert set(answer.pairs["n_units"]) == {case["n_units"]}


# --- a row for each score ---------------------------------------------------------------------------------------------------


def test_long_and_wide_tables(write: Write) -> None:
    """A row for each score says what a column for each model says; what was taken for what is said, and what is left aside."""
    for text in (WIDE, LONG, LONG.replace("\n", ",note\n").replace("score,note", "score,x")):
        scores = read(write(text))
        assert_array_equal(scores.matrix().score, SCORE)
        assert (scores.models, scores.design.pairing, codes(scores)) == (("svm", "forest"), "key", [])
    assert scores.roles == ("2 repeats, 2 folds; not used: x",)
    assert read(write(WIDE)).roles == ("models = 'svm' and 'forest', 2 repeats, 2 folds",)
    text = "framework,task,fold,seed,F1,time_s\na,x,0,1,0.5,3\na,x,1,2,0.6,3\nb,x,0,3,0.7,3\nb,x,1,4,0.8,3\n"
    roles = "model = framework, 1 dataset = task, 2 folds, score = F1; not used: seed, time_s"
    assert read(write(text), metric="f1").roles == (roles,)


def test_a_run_that_failed_has_no_score(write: Write) -> None:
    """A tool may write 0 for it, which nobody has measured; with an empty score it is missing. Of items it is a result."""
    rows = [f"{model},{fold},{'Finished' if fold else 'FAILED'},{0.8 * bool(fold)}" for model in "ab" for fold in range(3)]
    text = "model,fold,status,accuracy\n" + "\n".join(rows)
    assert np.isnan(read(write(text.replace("FAILED,0.0", "FAILED,"))).matrix().score[:, 0]).all()
    assert tb.read_items(write(text.replace("fold", "item")), metric="accuracy").score.min() == 0


BY_COLUMN = "model,fold,accuracy,rmse,note\nsvm,0,0.9,1.5,x\nsvm,1,0.7,1.6,y\nrf,0,0.8,1.7,z\nrf,1,0.6,1.8,w\n"
METRICS = (
    "model,fold,metric,score\nsvm,0,accuracy,0.9\nsvm,0,neg_log_loss,-0.3\nrf,0,accuracy,0.8\nrf,0,neg_log_loss,-0.5\n"
    "svm,1,accuracy,0.7\nsvm,1,neg_log_loss,-0.4\nrf,1,accuracy,0.6\nrf,1,neg_log_loss,-0.6\n"
)


def test_the_metric_picks_its_column_or_its_rows(write: Write) -> None:
    """In its own or another spelling."""
    for text in (BY_COLUMN, METRICS, BY_COLUMN.replace("accuracy", "ACC")):
        assert_array_equal(read(write(text)).matrix().score, [[0.9, 0.7], [0.8, 0.6]])
    assert_array_equal(read(write(BY_COLUMN), metric="RMSE").matrix().score, [[1.5, 1.6], [1.7, 1.8]])
    for asked in ("neg_log_loss", "log_loss"):
        scores = read(write(METRICS), metric=asked)
        assert (scores.metric.name, scores.metric.higher_is_better) == ("log_loss", False)
        assert_array_equal(scores.matrix().score, [[0.3, 0.4], [0.5, 0.6]])
    assert read(write("model,fold,note,f1\nsvm,0,x,0.5\nrf,0,y,0.6\nrf,1,y,0.6\n"), metric=None).metric.name == "f1"


def test_the_column_that_tells_rows_apart_is_advised_beside_those_that_are_there(write: Write) -> None:
    """With the column of the models as it is called; in a file without one, as the models."""
    text = "classifier,fold,variant,f1\na,0,x,0.1\na,0,y,0.2\nb,0,x,0.1\nb,0,y,0.3\n"
    for rows, column, models in (
        (text, "classifier,variant", ("a x", "a y", "b x", "b y")),
        (text.replace("classifier", "note").replace("b,0", "a,1"), "variant", ("x", "y")),
    ):
        path = write(rows)
        with pytest.raises(DataError, match=rf"columns={{'model': '{column}'}}"):
            read(path, metric="f1")
        assert read(path, metric="f1", columns={"model": column}).models == models


def test_what_may_tell_rows_apart_is_advised_by_its_words_and_never_by_numbers(write: Write) -> None:
    """Slices of one test set with their sizes, and an index of pairs that both models have: public files have these."""
    pairs = "pair_idx,method,accuracy,auc\n" + "".join(f"{i},{m},0.{i},0.5\n" for m in "ab" for i in range(3))
    assert tb.read_items(write(pairs), metric="accuracy").items == ("0", "1", "2")
    folds = read(write("model,kfold_iteration,f1\na,0,0.1\na,1,0.2\nb,0,0.3\nb,1,0.1\n"), metric="f1").matrix()
    assert folds.fold.tolist() == [0, 1]
    names = read(write("Label,accuracy\nx,0.5\ny,0.6\nz,0.7\n"), metric="accuracy", n_test=10)
    one = read(write("model,dataset,accuracy\nx,d,0.5\ny,d,0.6\n"), metric="accuracy", n_test=10)
    assert (names.models, one.models, one.design.kind) == (("x", "y", "z"), ("x", "y"), "means")


def test_what_a_row_is_must_be_known(write: Write) -> None:
    """By a column's name, or said."""
    wide, long = "svm,rf\n0.1,0.2\n0.3,0.4\n", "model,score\nsvm,0.1\nrf,0.2\nsvm,0.3\nrf,0.4\n"
    for text in (wide, long):
        for said in ({"cv": 2}, {"n_train": 9, "n_test": 1}, {"rows": "splits"}):
            scores = read(write(text), **said)
            assert_array_equal(scores.matrix().score, [[0.1, 0.3], [0.2, 0.4]])
            assert (scores.design.pairing, codes(scores)) == ("position", ["assumed-paired"])
        assert tb.read_items(write(text), rows="items", metric="f1").items == ("1", "2")


def test_runs_are_systems_where_they_have_names(write: Write) -> None:
    """As those who evaluate searches call them; numbered ones are runs, and beside folds may be repeats."""
    rows = [(run, item, score) for item, *scores in (("q1", 0, 1), ("q2", 1, 1)) for run, score in zip("ab", scores, strict=True)]
    named = pd.DataFrame(rows, columns=["run", "query_id", "score"]).replace({"a": "bm25", "b": "splade-v3"})
    assert tb.read_items(named).models == ("bm25", "splade-v3")
    assert tb.read_items({"x": named.replace({"bm25": "run 1", "splade-v3": "run 2"})}).runs == ("run 1", "run 2")
    text = "model,run,fold,score\n" + "".join(f"{m},{r},{f},0.{f + 1}\n" for m in "ab" for r in (1, 2) for f in range(3))
    with pytest.raises(DataError, match=r"repeats of a cross-validation, say so: .*columns=\{'repeat': 'run'\}"):
        read(write(text))
    assert read(write(text), columns={"repeat": "run"}).matrix().n_splits == 6


def test_metrics_may_stand_in_rows_of_folds(write: Write) -> None:
    """A row for each model and metric, of which one is asked for."""
    text = "Model,Metric,Fold 1,Fold 2,Mean\na,AUC,0.5,0.6,0.55\na,F1,0.1,0.2,0.15\nb,AUC,0.7,0.8,0.75\nb,F1,0.3,0.4,0.35\n"
    scores = tb.read_scores(write(text), metric="F1")
    assert (scores.metric.name, scores.matrix().score.tolist()) == ("f1", [[0.1, 0.2], [0.3, 0.4]])


@pytest.mark.parametrize(
    ("kind", "first", "second"), [("kinds of splits", "random", "scaffold"), ("parts of the data", "train", "test")]
)
def test_kinds_of_splits_and_parts_of_the_data_are_not_averaged(kind: str, first: str, second: str, write: Write) -> None:
    """Folds by chance and by scaffold, as chemists make them, are two questions, and so are train and test: one is chosen."""
    text = "method,cv_cycle,split,accuracy\n"
    text += "".join(f"{m},{f},{s},0.{f + 1}\n" for m in "ab" for f in (0, 1) for s in (first, second))
    assert read(write(text), where={"split": second}).matrix().score.tolist() == [[0.1, 0.2]] * 2


# --- a row for each model, a column for each model --------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["model,fold0,fold1", "model,split_0,split_1", ",cv0,cv1", "model,0,1"])
def test_columns_of_folds(header: str, write: Write) -> None:
    """A row for each model; an index of texts beside folds names the models."""
    scores = read(write(f"{header}\nsvm,0.1,0.2\nrf,0.3,0.4\n"), n_train=9, n_test=1)
    assert (scores.models, scores.matrix().score.tolist()) == (("svm", "rf"), [[0.1, 0.2], [0.3, 0.4]])


def test_a_table_of_means_says_nothing_of_how_they_vary(write: Write) -> None:
    """Unless its columns are datasets, which has to be said."""
    text = "model,mmlu,arc\nsmall,0.5,0.75\nlarge,0.625,\n"
    scores = read(write(text), columns={"datasets": "mmlu,arc"})
    assert (scores.datasets, scores.roles) == (("mmlu", "arc"), ("2 datasets",))
    assert_array_equal([matrix.score[:, 0] for matrix in scores.matrices], [[0.5, 0.625], [0.75, np.nan]])


@pytest.mark.parametrize("column", ["fit_time", "std", "mean", "n_leaves", "p_value", "rank", "total", "Test seconds", "s_run1"])
def test_a_column_that_is_no_model(column: str, write: Write) -> None:
    """Times, counts, means, deviations and parts of scores are refused in a table with a column for each model, and named."""
    path = write(f"fold,svm,{column}\n0,0.5,0.5\n1,0.6,0.5\n")
    said = f"scores.csv: {column!r} holds no scores of a model ({column!r} says '0.5'), and there is no column of models"
    assert told(DataError, read, path).startswith(said)
    assert read(path, models=["svm"]).models == ("svm",)


def test_columns_that_may_be_models(write: Write) -> None:
    """Whole scores beside a key, and what is called best and is not the best of the others; a fold may be a man."""
    for key in ("seed", "dataset", "split", "fold"):
        text = f"{key},svm,rf\n" + "".join(f"{i},{88 + i},{85 - i}\n" for i in range(3))
        assert read(write(text)).models == ("svm", "rf")
    for text in (
        "fold,svm,rf,best\n0,0.1,0.2,0.3\n1,0.3,0.1,0.2\n",
        "fold,svm,rf,best\nMax,0.1,0.2,0.3\nEve,0.3,0.1,0.2\n",
        "fold,svm,rf,best\nsum(1),0.1,0.2,0.3\nsum(2),0.3,0.1,0.2\n",
    ):
        assert read(write(text), n_train=9, n_test=1).models == ("svm", "rf", "best")


def test_a_key_without_any_value_is_none(write: Write) -> None:
    """From a file as from a frame; a model without any score stays one."""
    text = "repeat,fold,a,b,c\n,0,0.1,0.2,\n,1,0.2,0.3,\n"
    for source in (write(text), pd.read_csv(write(text))):
        matrix = read(source, n_train=9, n_test=1).matrix()
        assert (matrix.models, matrix.repeat.tolist(), matrix.fold.tolist()) == (("a", "b", "c"), [0, 0], [0, 1])
        assert np.isnan(matrix.score[2]).all()
