"""Tables of items from files and frames."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tiebreak as tb
from tiebreak.errors import (
    AmbiguousSourceError,
    InvalidParameterError,
    InvalidScoresError,
    SourceNotFoundError,
    TiebreakError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.readers import item_tables

WIDE = pd.DataFrame({"question": ["q1", "q2", "q3"], "topic": ["x", "y", "x"], "a": [1, 0, 1], "b": [0, 0, 1]})
LONG = WIDE.melt(id_vars=["question", "topic"], value_vars=["a", "b"], var_name="model", value_name="correct")


def check_items(items: tb.Items) -> None:
    assert items.metric == tb.Metric("accuracy", higher_is_better=True)
    assert items.models == ("a", "b")
    assert items.items == ("q1", "q2", "q3")
    assert items.score[:, 0].tolist() == [[1, 0, 1], [0, 0, 1]]
    assert items.columns == {"topic": ("x", "y", "x")}


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["wide", "long"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet", "pandas", "polars", "pyarrow", "dict"])
def test_every_form_holds_the_same_items(table: pd.DataFrame, form: str, tmp_path: Path) -> None:
    """Long or wide, in files and frames."""
    path = tmp_path / f"answers.{form}"
    sources = {
        "csv": lambda: table.to_csv(path, index=False),
        "tsv": lambda: table.to_csv(path, index=False, sep="\t"),
        "jsonl": lambda: table.to_json(path, orient="records", lines=True),
        "json": lambda: table.to_json(path, orient="records"),
        "parquet": lambda: table.to_parquet(path),
        "pandas": lambda: table,
        "polars": lambda: pl.DataFrame(table.to_dict("list")),
        "pyarrow": lambda: pa.table(table.to_dict("list")),
        "dict": lambda: table.to_dict("list"),
    }
    source = sources[form]()
    check_items(tb.read_items(path if source is None or isinstance(source, str) else source))


def test_rows_and_columns_in_another_order_are_the_same_table() -> None:
    """Items are joined by their names, never by their position."""
    shuffled = tb.read_items(LONG.sample(frac=1, random_state=0)[["correct", "topic", "model", "question"]]).take(["a", "b"])
    by_name = {name: shuffled.score[:, 0, i].tolist() for i, name in enumerate(shuffled.items)}
    assert by_name == {"q1": [1, 0], "q2": [0, 0], "q3": [1, 1]}


def test_sources_by_model_are_joined_on_their_items() -> None:
    """A dict names models that the sources do not; their rows may stand in any order."""
    one = pd.DataFrame({"question": ["q1", "q2", "q3"], "score": [1, 0, 1]})
    other = pd.DataFrame({"question": ["q3", "q1", "q2"], "score": [1, 0, 0]})
    items = tb.read_items({"a": one, "b": other})
    assert items.models == ("a", "b")
    assert items.score[:, 0].tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.raises(tb.errors.MissingSplitsError, match=r"'b' lacks 1 of the 3 items: 'q2'"):
        tb.read_items({"a": one, "b": other.iloc[:2]})


def test_answers_as_text_booleans_and_words_are_numbers() -> None:
    """0/1 as text, True and False, yes and no; per cent and other words are refused with their place."""
    frame = WIDE.assign(a=["1", "0", "1"], b=[False, False, True])
    check_items(tb.read_items(frame))
    check_items(tb.read_items(WIDE.assign(b=["no", "No", "yes"])))
    with pytest.raises(InvalidScoresError, match=r"row 2, column 'a': '85%' is not a number. Leave the percent sign out"):
        tb.read_items(WIDE.assign(a=["1", "85%", "1"]))
    with pytest.raises(
        InvalidScoresError, match=r"row 3, column 'a': 'maybe' is not a number. Scores are numbers, or true and false"
    ):
        tb.read_items(WIDE.assign(a=["1", "0", "maybe"]))
    with pytest.raises(InvalidScoresError, match="the scores are 0 and 100, which looks like per cent"):
        tb.read_items(WIDE.assign(a=[100, 0, 100]))


def test_duplicate_items_are_named() -> None:
    """Unless they are runs."""
    doubled = pd.concat([LONG, LONG.iloc[:2]])
    with pytest.raises(
        InvalidScoresError, match=r"2 scores stand twice or more, such as that of 'a' on item 'q1'.*column 'epoch'"
    ):
        tb.read_items(doubled)
    runs = doubled.assign(run=[1] * 6 + [2] * 2)
    assert tb.read_items(runs).score.shape == (2, 2, 3)


@pytest.mark.parametrize("column", ["epoch", "attempt", "Sample"])
def test_epochs_lie_within_items(rng: np.random.Generator, column: str) -> None:
    """The interval is that of the paired means over items: the second answers to two questions have nothing in common."""
    right = (rng.random((2, 200, 3)) < np.array([0.7, 0.6])[:, None, None]).astype(float)
    model, item, epoch = (axis.ravel() for axis in np.indices(right.shape))
    table = pd.DataFrame({"model": np.array(["a", "b"])[model], "item": item, column: epoch, "correct": right.ravel()})
    items = tb.read_items(table)
    assert items.metric.name == "accuracy"
    assert items.runs == ("1",)
    np.testing.assert_allclose(items.score[:, 0], right.mean(axis=2), rtol=1e-15)
    pair = tb.compare(items).pair("a", "b")
    d = (right[0] - right[1]).mean(axis=1)
    assert pair.standard_error == pytest.approx(d.std(ddof=1) / np.sqrt(200), rel=1e-12)
    assert items.sources == ("3 epochs of each item are averaged: answers to one item are no further items",)
    crossed = tb.compare(tb.read_items(table.rename(columns={column: "run"})))
    assert crossed.pair("a", "b").standard_error > pair.standard_error


def test_epochs_may_differ_in_number() -> None:
    """Each item's mean is over the epochs that it has; a row that stands twice is named."""
    table = pd.DataFrame({"item": [1, 1, 2, 1, 2], "model": list("aaabb"), "epoch": [1, 2, 1, 1, 1], "correct": [1, 0, 1, 1, 0]})
    items = tb.read_items(table)
    assert items.score[:, 0].tolist() == [[0.5, 1.0], [1.0, 0.0]]
    assert items.sources == ("1 to 2 epochs of each item are averaged: answers to one item are no further items",)
    with pytest.raises(
        InvalidScoresError,
        match=r"1 scores stand twice or more, such as that of 'a' on item '1'; items: '1'\. If they are of several",
    ):
        tb.read_items(pd.concat([table, table.iloc[:1]]))


def test_rows_are_items_only_where_said() -> None:
    """A table of scores without a column of items may be one of folds, which are something else."""
    with pytest.raises(UnreadableSourceError, match=r"no column that names the items.*Pass item='COLUMN', or rows='items'"):
        tb.read_items(WIDE[["a", "b"]])
    assert tb.read_items(WIDE[["a", "b"]], rows="items").items == ("1", "2", "3")
    assert tb.read_items(WIDE.rename(columns={"question": "frage"}), item="frage").items == ("q1", "q2", "q3")


def test_clusters_and_weights_belong_to_items() -> None:
    """One for each; contradictions and gaps are named, and so are weights that cannot be."""
    frame = LONG.assign(cluster=["t1", "t2", "t1"] * 2, weight=[1, 2, 1] * 2)
    items = tb.read_items(frame)
    assert items.clusters == ("t1", "t2", "t1")
    assert items.weights.tolist() == [1, 2, 1]
    with pytest.raises(InvalidScoresError, match="item 'q1' has more than one cluster"):
        tb.read_items(frame.assign(cluster=list("abcdef")))
    with pytest.raises(InvalidScoresError, match=r"3 items have no cluster: 'q1', 'q2' and 'q3'"):
        tb.read_items(frame.assign(cluster=[None] * 6))
    with pytest.raises(InvalidScoresError, match="the smallest is -1"):
        tb.read_items(frame.assign(weight=[-1, 2, 1] * 2))
    with pytest.raises(InvalidScoresError, match="not all 0"):
        tb.read_items(frame.assign(weight=0))


def test_scores_that_are_not_0_or_1_need_a_name() -> None:
    """Which says what is better."""
    frame = WIDE.assign(a=[0.5, 0.2, 0.9], b=[0.1, 0.2, 0.3])
    with pytest.raises(AmbiguousSourceError, match=r"not all 0 or 1, and nothing says what they are. Pass metric='NAME'"):
        tb.read_items(frame)
    with pytest.raises(tb.errors.UnknownDirectionError, match="is higher or lower better for the metric 'helpfulness'"):
        tb.read_items(frame, metric="helpfulness")
    assert not tb.read_items(frame, metric="helpfulness", lower_is_better=True).metric.higher_is_better


def test_a_direction_is_never_passed_over() -> None:
    """Scores of 0 and 1 of which lower is better are no accuracy: they need another name, and then they count."""
    for named in ({}, {"metric": "accuracy"}):
        with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the metric 'accuracy'"):
            tb.read_items(WIDE, lower_is_better=True, **named)
        assert tb.read_items(WIDE, lower_is_better=False, **named).metric.higher_is_better
    assert not tb.read_items(WIDE, metric="toxic", lower_is_better=True).metric.higher_is_better


def test_several_columns_of_scores_are_asked_for() -> None:
    """By name."""
    frame = LONG.rename(columns={"correct": "exact_match"}).assign(f1=[0.5] * 6)
    assert tb.read_items(frame, metric="f1").metric.name == "f1"
    assert tb.read_items(frame, metric="exact_match").score[:, 0].tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.raises(AmbiguousSourceError, match="2 columns that may be the scores: 'exact_match' and 'acc'"):
        tb.read_items(frame.rename(columns={"f1": "acc"}))


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    """Files that are not there, of other kinds, empty or broken."""
    with pytest.raises(SourceNotFoundError, match="there is no file"):
        tb.read_items(tmp_path / "answers.csv")
    (tmp_path / "answers.xlsx").write_text("x")
    with pytest.raises(UnsupportedSourceError, match=r"ends in '.xlsx'; item tables can be .csv"):
        tb.read_items(tmp_path / "answers.xlsx")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(UnreadableSourceError, match="is empty"):
        tb.read_items(tmp_path / "empty.csv")
    with pytest.raises(UnsupportedSourceError, match="an object of type int holds no table"):
        tb.read_items(3)
    with pytest.raises(UnreadableSourceError, match="has column names but no rows"):
        tb.read_items(WIDE.iloc[:0])
    with pytest.raises(InvalidScoresError, match="need one value for each item"):
        tb.read_items({"item": [1, 2], "a": [1, 0, 1]})


def test_numbers_as_names_do_not_depend_on_their_type() -> None:
    """1 and 1.0, as pandas makes of a column with a gap, are one item."""
    one = pd.DataFrame({"item": [1, 2], "score": [1, 0]})
    other = pd.DataFrame({"item": [1.0, 2.0], "score": [0, 0]})
    assert tb.read_items({"a": one, "b": other}).items == ("1", "2")
    assert np.isfinite(tb.read_items({"a": one, "b": other}).score).all()


def test_names_in_files_stay_as_they_are_written(tmp_path: Path) -> None:
    """007 is not 7, and NA, None and 1e5 are names, not missing values or numbers."""
    path = tmp_path / "answers.csv"
    path.write_text("item,NA,b\n007,1,0\nNA,0,1\n1e5,1,1\n")
    items = tb.read_items(path)
    assert items.items == ("007", "NA", "1e5")
    path.write_text("item,model,score\nx,None,1\nx,null,0\n")
    assert tb.read_items(path).models == ("None", "null")
    path.write_text("item,model,score\nx,a,1\n,a,0\n")
    with pytest.raises(UnreadableSourceError, match="row 2 has no item; 1 rows in all have none"):
        tb.read_items(path)


@pytest.mark.parametrize(
    "table",
    [
        {"svm": [1, 0, 1], "rf": [1, 1, 0]},
        {"split": [0, 1, 2], "svm": [1, 0, 1], "rf": [1, 1, 0]},
        {"svm": [1, 0, 1], "rf": [1, 1, 0], "n_test": [20, 20, 20]},
        {"model": ["svm", "rf"] * 3, "score": [1, 1, 0, 1, 1, 0]},
    ],
    ids=["wide", "numbered", "sizes", "long"],
)
def test_rows_are_items_where_it_is_said(table: dict[str, list[object]]) -> None:
    """By their order, or a column that numbers them; sizes of splits are no models."""
    items = tb.read_items(table, rows="items")
    assert items.models == ("svm", "rf")
    assert items.score[:, 0].tolist() == [[1, 0, 1], [1, 1, 0]]


def test_a_row_for_each_model_is_turned() -> None:
    """As its columns are then the items; not where they are metrics, or one of them is asked for."""
    items = tb.read_items({"model": ["svm", "rf"], "q1": [1, 1], "q2": [0, 1], "q3": [1, 0]}, rows="items")
    assert (items.models, items.items) == (("svm", "rf"), ("q1", "q2", "q3"))
    assert items.score[:, 0].tolist() == [[1, 0, 1], [1, 1, 0]]
    with pytest.raises(AmbiguousSourceError, match="2 columns that may be the scores"):
        tb.read_items({"model": ["svm", "rf"], "precision": [0.5, 1], "f1": [0.2, 1]}, rows="items")


def test_rows_of_models_that_differ_in_number_need_names() -> None:
    """Nothing says which belong together."""
    with pytest.raises(UnreadableSourceError, match="its models have different numbers of rows"):
        tb.read_items({"model": ["a", "a", "b"], "score": [1, 0, 1]}, rows="items")


def test_a_metric_that_is_named_is_what_the_scores_are_called() -> None:
    """Whatever their column is; one of AlpacaEval's kind has a direction."""
    table = {"instruction": ["x", "y"], "generator": ["a", "a"], "preference": [0.2, 0.9]}
    assert tb.read_items(table).metric == tb.Metric("preference", higher_is_better=True)
    assert tb.read_items(table).models == ("a",)
    assert tb.read_items(table, metric="win_rate", lower_is_better=False).metric.name == "win_rate"


def test_a_million_columns_are_refused_by_their_names(tmp_path: Path) -> None:
    """Each may be an item, but so many take minutes to read."""
    (tmp_path / "wide.csv").write_text("item," + ",".join(f"m{number}" for number in range(1_000_000)) + "\n")
    with pytest.raises(UnreadableSourceError, match=r"wide.csv has 1,000,001 columns, and at most 100,000 are read"):
        tb.read_items(tmp_path / "wide.csv")


@pytest.mark.parametrize("what", ["item", "model", "run", "cluster", "weight"])
def test_lists_where_a_name_is_to_be_are_refused(what: str) -> None:
    """With the row; as keys they would end in an error of Python's."""
    records = [{"item": n // 2, "model": "ab"[n % 2], "score": n % 2, "run": 1, "cluster": n // 4, "weight": 1} for n in range(8)]
    records[3][what] = [1, 2]
    with pytest.raises(UnreadableSourceError, match=rf"row 4: {what} is \[1, 2\]; it must be a single text or number"):
        tb.read_items(pd.DataFrame(records))


@pytest.mark.parametrize(
    ("weight", "message"), [("", "1 items have no weight: '1'"), ("x", "row 3, column 'weight': 'x' is not a number")]
)
def test_weights_that_are_no_numbers(weight: str, message: str) -> None:
    """In a table of texts."""
    records = [{"item": n // 2, "model": "ab"[n % 2], "score": n % 2, "weight": "1" if n // 2 != 1 else weight} for n in range(8)]
    with pytest.raises(InvalidScoresError, match=message):
        tb.read_items(pd.DataFrame(records))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_larger_than_memory_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """On a computer of 64 bytes, nothing fits."""
    path = tmp_path / f"answers.{ending}"
    LONG.to_csv(path, index=False) if ending == "csv" else LONG.to_parquet(path)
    monkeypatch.setattr("os.sysconf", lambda name: 8)
    with pytest.raises(UnreadableSourceError, match=r"and this computer has 0\.0 GB of memory\. Write a file of fewer models"):
        tb.compare(path, rows="items")


@pytest.mark.parametrize("second", ["question_id", "id", "Index", "Unnamed: 0", ""])
def test_a_second_number_of_the_items_is_no_model(second: str, tmp_path: Path) -> None:
    """Beside their names; a model that is called so, whose scores do not number the rows, stays one."""
    WIDE.assign(**{second: [3, 4, 5]}).to_csv(tmp_path / "answers.csv", index=False)
    assert tb.read_items(tmp_path / "answers.csv").models == ("a", "b")
    assert tb.read_items(pd.concat([WIDE, WIDE]).assign(run=list("xxxyyy"), **{second: [3, 4, 5] * 2})).models == ("a", "b")
    assert tb.read_items(WIDE.assign(id=[1, 1, 0])).models == ("a", "b", "id")


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "dict", "texts"])
def test_scores_are_read_to_the_last_bit(ending: str, tmp_path: Path) -> None:
    """Python's own numbers; the quick parsers of pandas made 0.6 of these 0.6000000000000001."""
    scores = [0.6, 0.35, 0.3474697555, 0.8382131175599998, 0.0508, 1e-300, 0.1 + 0.2]
    table: dict[str, list[Any]] = {"item": list(range(7)), "a": scores, "b": [0.0] * 7}
    path = tmp_path / f"table.{ending}"
    if ending in ("csv", "tsv"):
        separator = "," if ending == "csv" else "\t"
        lines = [separator.join(map(str, row)) for row in [tuple(table), *zip(*table.values(), strict=True)]]
        path.write_text("\n".join(lines))
    elif ending == "json":
        path.write_text(json.dumps([dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]))
    elif ending == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)))
    source: Any = {**table, "a": list(map(repr, scores))} if ending == "texts" else table if ending == "dict" else path
    assert tb.read_items(source, metric="quality", lower_is_better=False).score[0, 0].tolist() == scores


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"item": [["q1"], "q2"], "a": [1, 0], "b": [0, 1]}, "row 1: item is ['q1']; it must be a single text or number."),
        ({"item": ["q1", "q2"], "a": 1, "b": [0, 1]}, "their lengths are {'item': 2, 'a': None, 'b': 2}"),
        ({"item": ["q1", "q2"], "score": ["?", "!"], "a": [1, 0], "b": [0, 1]}, "score"),
    ],
)
def test_cells_that_are_no_names_or_scores(table: dict[str, Any], text: str) -> None:
    """Refused in words, wherever the table came from."""
    with pytest.raises(TiebreakError, match=re.escape(text)):
        tb.read_items(table)


def test_what_describes_items_may_be_of_any_kind() -> None:
    """Complex numbers and lists are no slices, lists as scores are no scores; neither is an error of pandas."""
    table = {"item": ["q1", "q2"], "phase": [1j, 2j], "tags": [["x"], ["y"]], "a": [1, 0], "b": [0, 1]}
    assert tb.read_items(table).models == ("a", "b")


def test_numbers_below_all_ordinary_ones(tmp_path: Path) -> None:
    """For which the exact parser of pandas has no answer."""
    path = tmp_path / "table.json"
    path.write_text('[{"item": 1, "a": 1e-320, "b": 0.5}, {"item": 2, "a": 0, "b": 1}]')
    assert tb.read_items(path, metric="quality", lower_is_better=False).score[0, 0].tolist() == [1e-320, 0]


def test_sizes_of_splits_in_a_table_of_items(tmp_path: Path) -> None:
    """No models called n_train and n_test; repeats are runs, which a notice says: their means over repeats would be silent."""
    path = tmp_path / "splits.csv"
    rows = [(repeat, item, 90, 10, a, 1 - a) for repeat in range(2) for item, a in enumerate([0, 1, 1, repeat])]
    path.write_text("repeat,item,n_train,n_test,a,b\n" + "\n".join(",".join(map(str, row)) for row in rows))
    items = tb.read_items(path)
    assert (items.models, items.runs) == (("a", "b"), ("0", "1"))
    assert items.score[0].tolist() == [[0, 1, 1, 0], [0, 1, 1, 1]]
    remark = "n_train or n_test are of splits and were left out; repeats count as runs."
    assert [each.partition(": ")[2] for each in items.sources] == [remark]
    assert remark in " ".join(tb.compare(path, rope=0.01).to_text().split())


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_json_is_read_to_the_last_bit_beside_numbers_that_pandas_refuses(ending: str, tmp_path: Path) -> None:
    """1e-320 is below what pandas' exact parser takes; 0.4971719949605503 is off by one unit in its other one."""
    rows = [{"item": item, "a": score, "b": 0.5} for item, score in (("q1", 0.4971719949605503), ("q2", 1e-320), ("q3", 0.95))]
    path = tmp_path / f"scores.{ending}"
    path.write_text(json.dumps(rows) if ending == "json" else "".join(f"{json.dumps(row)}\n" for row in rows))
    items = tb.read_items(path, metric="quality", lower_is_better=False)
    assert items.score[items.models.index("a"), 0].tolist() == [0.4971719949605503, 1e-320, 0.95]


def test_a_wide_table_with_an_empty_column_of_scores_is_refused_in_words(tmp_path: Path) -> None:
    """A file that was cut off in its first row; a column called score stands beside others of scores."""
    path = tmp_path / "cut.csv"
    path.write_text("doc_id,correct,other,right,score\n0,0.138001,rf,0,\n")
    with pytest.raises(TiebreakError, match="score"):
        tb.read_items(path, metric="quality", lower_is_better=False)


def test_categories_name_items_and_tasks() -> None:
    """A frame that keeps items and tasks as categories, with a gap among the tasks, is read as the same frame of objects."""
    scores = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.5, 0.6, 0.7, 0.8]}
    table = pd.DataFrame({"item": [1, 2, 1, 2], "task": ["x", "x", "y", None], **scores})
    plain = tb.read_items(table, metric="grade", lower_is_better=False)
    read = tb.read_items(table.astype({"item": "category", "task": "category"}), metric="grade", lower_is_better=False)
    assert (read.items, read.models, read.score.tolist()) == (plain.items, plain.models, plain.score.tolist())
    assert plain.items == ("x/1", "x/2", "y/1", "/2")


@pytest.mark.parametrize("number", [3, 2**53 + 1])
@pytest.mark.parametrize("kind", ["int64", object])
def test_a_column_of_numbers_called_dataset_is_read_once(number: int, kind: Any) -> None:
    """Beside columns of scores it is one of them, under its own name; beside a column of models it tells the tasks."""
    table = pd.DataFrame({"doc_id": [0, 1], "b": [0.9, 0.2], "a": [0.4, 0.5], "dataset": pd.Series([number] * 2, dtype=kind)})
    assert tb.read_items(table, metric="grade", lower_is_better=False).models == ("b", "a", "dataset")
    long = table.melt(["doc_id", "dataset"], var_name="model", value_name="score")
    read = tb.read_items(long, metric="grade", lower_is_better=False)
    assert (read.models, set(read.columns["task"])) == (("b", "a"), {str(number)})


@pytest.mark.parametrize(
    "further", [{}, {"cluster": ["u", "u", "v"]}, {"weight": [1, 2, 0.5]}, {"topic": ["x", "y", None]}, {"a ": [0.5, 1, 0]}]
)
def test_a_wide_table_is_the_same_as_the_long_one(further: dict[str, list[Any]]) -> None:
    """It is never made long where each item has one row; the result is the same to the last bit."""
    table = pd.DataFrame({"item": ["q1", "q2", "q3"], "a": [0.5, np.nan, 1.0], "b": [-0.0, 1.0, 0.25], **further})
    wide = item_tables._table_of(table, None, None, "auto", None, is_main=False)
    long = item_tables._table_of(table, None, None, "auto", None, is_main=False)
    assert isinstance(wide, item_tables.WideTable)
    assert isinstance(long, item_tables.WideTable)
    expected = item_tables.items_of_tables([long.long()], [""], "grade", False) if "a " not in further else None
    found = wide.items("grade", lower_is_better=False)
    if expected is None:
        assert found is None  # two models of one name, which the long form refuses
        return
    assert found is not None
    np.testing.assert_array_equal(found.score, expected.score)
    assert (found.models, found.items, found.clusters, found.columns) == (
        expected.models,
        expected.items,
        expected.clusters,
        expected.columns,
    )
    assert (found.weights is None) == (expected.weights is None)
    if found.weights is not None:
        np.testing.assert_array_equal(found.weights, expected.weights)


# --- files in folders -------------------------------------------------------------------------------------------------------


def write_answers(path: Path, n: int = 4, **more: Any) -> Path:
    """A file of one model, which it does not name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"question": range(n), "correct": [i % 2 for i in range(n)], **more}).to_csv(path, index=False)
    return path


def test_files_of_one_name_are_called_after_their_folders(tmp_path: Path) -> None:
    """Each model has a folder with its results in it, perhaps far down."""
    paths = [write_answers(tmp_path / "runs" / model / "out" / "results.csv") for model in ("small", "org/large")]
    assert tb.read_items(*paths).models == ("small", "org/large")


@pytest.mark.parametrize("layout", ["{model}/{task}.csv", "{task}/{model}.csv"])
def test_of_folders_and_files_those_that_tell_the_items_are_the_tasks(layout: str, tmp_path: Path) -> None:
    """All models answered the 4 questions of one task and the 6 of the other."""
    paths = [
        write_answers(tmp_path / layout.format(model=model, task=task), n)
        for model in ("a", "b", "c")
        for task, n in (("law", 4), ("math", 6))
    ]
    items = tb.read_items(*paths)
    assert items.models == ("a", "b", "c")
    assert sorted(items.columns["task"]) == ["law"] * 4 + ["math"] * 6


def test_folders_and_files_that_both_may_be_the_models_are_asked_for(tmp_path: Path) -> None:
    """Where every file holds the same questions nothing tells them apart."""
    paths = [write_answers(tmp_path / folder / f"{file}.csv") for folder in ("x", "y") for file in ("p", "q")]
    with pytest.raises(AmbiguousSourceError, match=r"4 files lie under the names 'p' and 'q' in the folders 'x' and 'y'"):
        tb.read_items(*paths)


def test_files_that_name_their_models_are_not_called_after_folders(tmp_path: Path) -> None:
    """A column of models says more than where a file lies."""
    paths = [write_answers(tmp_path / folder / "results.csv", model=model) for folder, model in (("x", "a"), ("y", "b"))]
    assert tb.read_items(*paths).models == ("a", "b")


def test_scores_in_an_object_are_columns() -> None:
    """As records of evaluations often hold them; one that is lacking is missing."""
    records = [{"question": i, "model": m, "scores": {"em": i % 2, "f1": i / 4}} for m in "ab" for i in range(4)]
    items = tb.read_items(pd.DataFrame(records), metric="f1")
    assert items.score[:, 0].tolist() == [[0, 0.25, 0.5, 0.75]] * 2
    with pytest.raises(AmbiguousSourceError, match="2 columns that may be the scores: 'em' and 'f1'"):
        tb.read_items(pd.DataFrame(records))


def test_another_name_of_the_items_is_offered_where_the_first_is_doubled() -> None:
    """A prompt that is asked twice may be two questions with ids of their own."""
    table = {"prompt": ["x", "x"], "id": [1, 2], "a": [1, 0], "b": [0, 1]}
    with pytest.raises(InvalidScoresError, match=r"If 'id' names the items, pass item='id'\."):
        tb.read_items(table)
    assert tb.read_items(table, item="id").items == ("1", "2")


def test_battles_are_no_items() -> None:
    """They are rated, not compared."""
    with pytest.raises(UnreadableSourceError, match="so its rows are battles, not scores"):
        tb.read_items({"prompt": ["p", "q"], "model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["a", "b"]})


def test_tasks_may_be_named_by_a_column_of_any_type() -> None:
    """Truths and whole numbers with gaps too, as nullable columns of pandas and Parquet have them."""
    for kind, values in (("boolean", [True, False, None]), ("Int64", [1, 2, None]), ("string", ["x", "y", None])):
        tasks = pd.array(values, dtype=kind).repeat(4)
        frame = pd.DataFrame({"item": list(range(12)) * 2, "model": ["a"] * 12 + ["b"] * 12, "score": [0.5, 0.75] * 12})
        items = tb.read_items(frame.assign(task=pd.concat([pd.Series(tasks)] * 2, ignore_index=True)), metric="f1")
        assert items.tasks is not None
        assert set(items.tasks) == {"" if value is None else str(value) for value in values}
