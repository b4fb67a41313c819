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
from tiebreak.errors import DataError, TiebreakError, UnclearSourceError, UnknownNameError

TABLES = Path(__file__).parent / "data" / "tables"
CASES = [json.loads(line) for line in (TABLES / "expected.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["files"][0])
def test_tables_as_people_have_them(case: dict[str, Any]) -> None:
    """Shapes of public result files, with names and numbers of their own: answered rightly, or refused with what helps."""
    paths = [TABLES / name for name in case["files"]]
    try:
        answer = tb.compare(*paths, **case["arguments"])
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


def check_refused(write: Write, text: str, error: type[TiebreakError], message: str, **settings: object) -> None:
    """The text of the error, whole."""
    assert told(error, read, write(text), **settings) == f"scores.csv{message}"


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
    message = (
        ", line 2, column 'status': says 'FAILED', and 'accuracy' has a score all the same. Leave the score "
        "empty, or keep the others: tb.read_scores(..., where={'status': 'Finished'})."
    )
    check_refused(write, text, DataError, message)
    assert np.isnan(read(write(text.replace("FAILED,0.0", "FAILED,"))).matrix().score[:, 0]).all()
    assert tb.read_items(write(text.replace("fold", "item")), metric="accuracy").score.min() == 0


BY_COLUMN = "model,fold,accuracy,rmse,note\nsvm,0,0.9,1.5,x\nsvm,1,0.7,1.6,y\nrf,0,0.8,1.7,z\nrf,1,0.6,1.8,w\n"
METRICS = (
    "model,fold,metric,score\nsvm,0,accuracy,0.9\nsvm,0,neg_log_loss,-0.3\nrf,0,accuracy,0.8\nrf,0,neg_log_loss,-0.5\n"
    "svm,1,accuracy,0.7\nsvm,1,neg_log_loss,-0.4\nrf,1,accuracy,0.6\nrf,1,neg_log_loss,-0.6\n"
)


def test_the_metric_picks_its_column_or_its_rows(write: Write) -> None:
    """In its own or another spelling; several, and none asked for, are named."""
    for text in (BY_COLUMN, METRICS, BY_COLUMN.replace("accuracy", "ACC")):
        assert_array_equal(read(write(text)).matrix().score, [[0.9, 0.7], [0.8, 0.6]])
    assert_array_equal(read(write(BY_COLUMN), metric="RMSE").matrix().score, [[1.5, 1.6], [1.7, 1.8]])
    for asked in ("neg_log_loss", "log_loss"):
        scores = read(write(METRICS), metric=asked)
        assert (scores.metric.name, scores.metric.higher_is_better) == ("log_loss", False)
        assert_array_equal(scores.matrix().score, [[0.3, 0.4], [0.5, 0.6]])
    several = " holds 2 metrics: 'accuracy' and {}. Say which one to compare with metric=."
    check_refused(write, BY_COLUMN, UnclearSourceError, several.format("'rmse'"), metric=None)
    check_refused(write, METRICS, UnclearSourceError, several.format("'neg_log_loss'"), metric=None)
    with pytest.raises(UnknownNameError, match="no metric is called 'acuracy': did you mean 'accuracy'"):
        read(write(METRICS), metric="acuracy")
    said = (
        ": which column holds 'f1'? Its columns of numbers are 'accuracy' and 'rmse'. Name it with metric=, or call it 'score'."
    )
    check_refused(write, BY_COLUMN, UnclearSourceError, said, metric="f1")
    with pytest.raises(TiebreakError, match=r"line 2, column 'rmse': '1,237\.5' is not a number"):  # the one metric, spoilt
        read(write('model,fold,rmse\nsvm,0,"1,237.5"\nrf,0,9\n'), metric=None)
    assert read(write("model,fold,note,f1\nsvm,0,x,0.5\nrf,0,y,0.6\nrf,1,y,0.6\n"), metric=None).metric.name == "f1"


def test_rows_that_one_key_has_twice(write: Write) -> None:
    """The column in which they differ is named, with both ways on; in a wide table the rows are."""
    check_refused(
        write,
        "model,fold,calibrator,f1\na,0,none,0.1\na,0,platt,0.2\nb,0,none,0.1\nb,0,platt,0.3\n",
        DataError,
        ": model 'a' has two scores for fold '0' (line 2 and line 3; 2 such row(s) in all). The rows differ in "
        "'calibrator': none, "
        "platt. Keep one: tb.read_scores(..., where={'calibrator': 'none'}); or make it "
        "part of the model: tb.read_scores(..., columns={'model': 'model,calibrator'}).",
        metric="f1",
    )
    check_refused(
        write,
        "fold,svm\n0,0.1\n1,0.2\n0,0.3\n",
        DataError,
        ": two rows are of fold '0' (line 2 and line 4; 1 such row(s) in all). Keep one row for each; rows that "
        "differ by a random "
        "seed have it in a column 'seed', repeats in 'repeat'.",
    )


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
    slices = "model,slice,group,n,accuracy\na,len,low,10,0.5\na,len,high,12,0.6\nb,len,low,10,0.4\nb,len,high,12,0.7\n"
    said = "they differ in 'group': where these are datasets, .*'dataset': 'group'.*; else keep one, .*'group': 'low'"
    with pytest.raises(UnclearSourceError, match=said):
        read(write(slices), metric="accuracy")
    pairs = "pair_idx,method,accuracy,auc\n" + "".join(f"{i},{m},0.{i},0.5\n" for m in "ab" for i in range(3))
    assert tb.read_items(write(pairs), metric="accuracy").items == ("0", "1", "2")
    folds = read(write("model,kfold_iteration,f1\na,0,0.1\na,1,0.2\nb,0,0.3\nb,1,0.1\n"), metric="f1").matrix()
    assert folds.fold.tolist() == [0, 1]
    names = read(write("Label,accuracy\nx,0.5\ny,0.6\nz,0.7\n"), metric="accuracy", n_test=10)
    one = read(write("model,dataset,accuracy\nx,d,0.5\ny,d,0.6\n"), metric="accuracy", n_test=10)
    assert (names.models, one.models, one.design.kind) == (("x", "y", "z"), ("x", "y"), "means")


def test_a_file_that_names_neither_models_nor_rows(write: Write) -> None:
    """Both are asked for, with its columns."""
    text = "Modell,Falte,Genauigkeit\na,1,0.5\nb,1,0.6\n"
    said = (
        ": it names neither models nor rows, in columns 'Modell', 'Falte' and 'Genauigkeit'. Say which column does: "
        "tb.read_scores(..., columns={'model': 'NAME'}), and dataset, fold, seed or item likewise; "
        "of items in the same order in all files pass rows='items'."
    )
    check_refused(write, text, UnclearSourceError, said, metric="Genauigkeit", lower_is_better=False)


def test_what_a_row_is_must_be_known(write: Write) -> None:
    """By a column's name, or said; the error has the four ways."""
    wide, long = "svm,rf\n0.1,0.2\n0.3,0.4\n", "model,score\nsvm,0.1\nrf,0.2\nsvm,0.3\nrf,0.4\n"
    check_refused(
        write,
        wide,
        UnclearSourceError,
        ": what is a row? Its columns are 'svm' and 'rf'. A fold of a cross-validation: pass cv=10, or n_train= and n_test=; an "
        "example of one test set: rows='items'; a dataset, a seed or a period: name it in a column 'dataset', 'seed' "
        "or 'time', or "
        "say which it is: tb.read_scores(..., columns={'dataset': 'NAME'}).",
    )
    check_refused(
        write,
        long,
        UnclearSourceError,
        ": no column numbers the rows of 'svm'. Number them in a column 'fold', 'seed' or 'item', or say what they are: "
        "tb.read_scores(..., columns={'dataset': 'NAME'}); of splits in the same order for all models pass cv=10, of "
        "items rows='items'.",
    )
    with pytest.raises(UnclearSourceError, match=r"among 'site'\. Number them .* columns=\{'dataset': 'site'\}"):
        read(write("model,site,score\na,x,0.1\nb,x,0.2\na,y,0.3\nb,y,0.4\n"))
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
    check_refused(
        write,
        text,
        UnclearSourceError,
        f", column 'split': it names {kind} ({first!r} and {second!r}), not splits of which models have one score each. Keep "
        f"one: tb.read_scores(..., where={{'split': {second!r}}}).",
    )
    assert read(write(text), where={"split": second}).matrix().score.tolist() == [[0.1, 0.2]] * 2


@pytest.mark.parametrize(
    ("rows", "column", "text"),
    [
        ("svm,0,0.1\n,1,0.2\n", "model", "no model is given (1 such row(s) in all). Fill it in, or remove the row."),
        ("svm,0,0.1\nrf,,0.2\nsvm,,0.2\n", "fold", "no fold is given (2 such row(s) in all). Fill it in, or remove the row."),
        ("svm,0,0.1\nsvm,mean,0.2\n", "fold", "'mean' sums up the other rows. Leave it out, or call the fold something else."),
    ],
)
def test_keys_that_name_nothing(rows: str, column: str, text: str, write: Write) -> None:
    """Empty ones, and rows that sum up the others."""
    check_refused(write, f"model,fold,score\n{rows}", TiebreakError, f", line 3, column {column!r}: {text}")


# --- a row for each model, a column for each model --------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["model,fold0,fold1", "model,split_0,split_1", ",cv0,cv1", "model,0,1"])
def test_columns_of_folds(header: str, write: Write) -> None:
    """A row for each model; an index of texts beside folds names the models."""
    scores = read(write(f"{header}\nsvm,0.1,0.2\nrf,0.3,0.4\n"), n_train=9, n_test=1)
    assert (scores.models, scores.matrix().score.tolist()) == (("svm", "rf"), [[0.1, 0.2], [0.3, 0.4]])


def test_a_table_of_means_says_nothing_of_how_they_vary(write: Write) -> None:
    """Unless its columns are datasets, which has to be said."""
    text = "model,mmlu,arc\nsmall,0.5,0.75\nlarge,0.625,\n"
    check_refused(
        write,
        text,
        UnclearSourceError,
        ": it has one row for each model: a single score, or a mean, says nothing of how it varies (columns 'model', 'mmlu' and "
        "'arc'). Pass the single score of each model on each split: columns 'model', 'fold' and the metric, or one "
        "column for each "
        "model. If its columns are datasets, say so: tb.read_scores(..., columns={'datasets': 'mmlu,arc'}).",
    )
    wide = "model," + ",".join(f"q{k}" for k in range(21)) + "\nsmall" + ",0" * 21 + "\nlarge" + ",1" * 21 + "\n"
    with pytest.raises(UnclearSourceError, match="If its columns are items of one test set, turn it: a row for each item, and a"):
        read(write(wide))
    scores = read(write(text), columns={"datasets": "mmlu,arc"})
    assert (scores.datasets, scores.roles) == (("mmlu", "arc"), ("2 datasets",))
    assert_array_equal([matrix.score[:, 0] for matrix in scores.matrices], [[0.5, 0.625], [0.75, np.nan]])
    with pytest.raises(DataError, match="'Mean' sums up the other rows"):
        read(write("model,a,Mean\nx,0.1,0.2\ny,0.1,0.2\n"), columns={"datasets": "a,Mean"})


@pytest.mark.parametrize("column", ["fit_time", "std", "mean", "n_leaves", "p_value", "rank", "note", "total", "Test seconds"])
def test_a_column_that_is_no_model(column: str, write: Write) -> None:
    """Times, counts, means, deviations and words are refused in a table with a column for each model, and named."""
    cell = "x" if column == "note" else "0.5"
    check_refused(
        write,
        f"fold,svm,{column}\n0,0.5,{cell}\n1,0.6,{cell}\n",
        DataError,
        f": {column!r} holds no scores of a model ({column!r} says {cell!r}), and there is no column of models among "
        "'fold', 'svm' and "
        f"{column!r}. Without one every column but those of units holds the scores of a model: name the models "
        "(models=['A', 'B']), leave the "
        "other columns out, or say which column holds what: tb.read_scores(..., columns={'model': 'NAME'}), or "
        "dataset, fold or item in the place of model.",
    )
    assert read(write(f"fold,svm,{column}\n0,0.5,{cell}\n1,0.6,{cell}\n"), models=["svm"]).models == ("svm",)


def test_columns_that_are_metrics_or_running_numbers(write: Write) -> None:
    """Neither is a model; whole scores beside a key are."""
    for text, said in (
        ("fold,f1,recall\n0,0.1,0.2\n", "its columns 'f1' and 'recall' are of several metrics"),
        ("fold,ACC_a,ROC_a\n0,0.1,0.2\n", "its columns 'ACC_a' and 'ROC_a' are of several metrics"),
        ("fold,svm_train,svm_test\n0,0.9,0.5\n1,0.8,0.5\n", "'svm_train' and 'svm_test' are of several parts of the data"),
        ("fold,sen,mcc,auc\n0,0.1,0.2,0.3\n", "of several metrics \\('matthews_corrcoef' and 'roc_auc'\\)"),
        ("number,svm\n0,1.5\n1,0.2\n2,0.9\n", r"column 'number': it counts upwards \(0, 1 \.\.\.\), so it is no model's scores"),
        (
            "number,svm\n3,0.1\n5,0.2\n",
            "column 'number': it holds whole numbers, from 3 on, beside scores from 0 to 1, so it is",
        ),
        (
            "fold,svm,rf,best\n0,0.1,0.2,0.2\n1,0.4,0.3,0.4\n",
            "column 'best': it is the best or the worst of the others in each row",
        ),
        (
            "fold,svm,rf,Min\n0,0.1,0.2,0.1\n1,0.4,0.3,0.3\n",
            "column 'Min': it is the best or the worst of the others in each row",
        ),
        ("fold,svm,rf\n0,0.1,0.2\n1,0.3,0.1\nbest,0.4,0.3\n", "column 'fold': 'best' sums up the other rows"),
        ("dataset,svm,rf\nx,0.1,0.2\nF1 mean,0.4,0.3\n", "column 'dataset': 'F1 mean' sums up the other rows"),
        ("dataset,svm,rf\nx,0.1,0.2\nAll,0.4,0.3\n", "column 'dataset': 'All' sums up the other rows"),
        ("qid,svm,rf\nq1,0.1,0.2\nq2,0.3,0.1\nall,0.4,0.3\n", "column 'qid': 'all' sums up the other rows"),
        ("fold,score\n0,0.1\n", r"has a column of scores \('score'\) but none called 'model'"),
        ("fold,n_train\n0,9\n", "it has no column of scores, only 'fold' and 'n_train'"),
        ("model,fold,note\na,0,x\n", "which column holds 'accuracy'. Its columns of numbers are none"),
        (
            "model_a,model_b,winner\nx,y,a\n",
            "so its rows are battles, not scores. Rate the models, named in columns model_a and model_b: tiebreak rate FILE",
        ),
        (
            "question,model_a,model_b,score_a,score_b\nq1,x,y,1,2\nq2,y,z,3,2\n",
            "has the columns 'model_a' and 'model_b', so its rows are battles",
        ),
        (
            "id,species,setosa,virginica\n1,setosa,0.9,0.1\n2,virginica,0.2,0.8\n",
            r"'species': it names .* Is it the truth\? .*columns=\{'truth': 'species'\}",
        ),
        ("model,score\nsvm,0.1\nsvm,0.2\nrf,0.3\n", "but model 'svm' has 2 scores and 'rf' has 1"),
    ):
        with pytest.raises(TiebreakError, match=said):
            read(write(text), n_train=9, n_test=1)
    for key in ("seed", "dataset", "split", "fold"):
        text = f"{key},svm,rf\n" + "".join(f"{i},{88 + i},{85 - i}\n" for i in range(3))
        assert read(write(text)).models == ("svm", "rf")
    for text in (
        "fold,svm,rf,best\n0,0.1,0.2,0.3\n1,0.3,0.1,0.2\n",
        "fold,svm,rf,best\nMax,0.1,0.2,0.3\nEve,0.3,0.1,0.2\n",
        "fold,svm,rf,best\nsum(1),0.1,0.2,0.3\nsum(2),0.3,0.1,0.2\n",
    ):
        assert read(write(text), n_train=9, n_test=1).models == ("svm", "rf", "best")  # it may be a model, and a fold a man


def test_a_key_without_any_value_is_none(write: Write) -> None:
    """From a file as from a frame; a model without any score stays one."""
    text = "repeat,fold,a,b,c\n,0,0.1,0.2,\n,1,0.2,0.3,\n"
    for source in (write(text), pd.read_csv(write(text))):
        matrix = read(source, n_train=9, n_test=1).matrix()
        assert (matrix.models, matrix.repeat.tolist(), matrix.fold.tolist()) == (("a", "b", "c"), [0, 0], [0, 1])
        assert np.isnan(matrix.score[2]).all()
