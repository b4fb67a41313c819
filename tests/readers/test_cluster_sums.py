"""Sums by cluster from files of any length."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import stats

import tiebreak as tb
from tiebreak.errors import (
    InvalidParameterError,
    InvalidScoresError,
    MissingDependencyError,
    SourceNotFoundError,
    UnknownNameError,
    UnreadableSourceError,
)
from tiebreak.numerics import IDENTICAL

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "cluster": RNG.integers(0, 40, 1000),
        "a": RNG.random(1000) < 0.7,
        "b": (RNG.random(1000) < 0.6).astype(np.int8),
        "c": RNG.normal(size=1000),
    }
)


@pytest.mark.parametrize("kind", ["numbers", "texts"])
@pytest.mark.parametrize("batch_size", [7, 1000])
def test_sums_give_the_intervals_of_the_whole_table(tmp_path: Path, kind: str, batch_size: int) -> None:
    """However the file is cut into batches, and whatever clusters are called."""
    frame = FRAME.assign(cluster="text " + FRAME["cluster"].astype(str)) if kind == "texts" else FRAME
    frame.to_parquet(tmp_path / "items.parquet")
    found = tb.read_item_sums(tmp_path / "items.parquet", batch_size=batch_size)
    assert found.models == ("a", "b", "c")
    direct = tb.frequentist.clustered_mean(FRAME[["a", "b", "c"]].to_numpy(dtype=float).T, FRAME["cluster"])
    np.testing.assert_allclose(found.means().estimate, direct.estimate)
    np.testing.assert_allclose(found.means().standard_error, direct.standard_error)
    pair = found.differences(["a", "a"], ["b", "c"])
    alone = tb.frequentist.clustered_mean(FRAME["a"].astype(float) - FRAME["c"], FRAME["cluster"])
    assert pair.estimate[1] == pytest.approx(alone.estimate)
    assert pair.confidence_interval().low[1] == pytest.approx(alone.confidence_interval().low)
    assert pair.n_clusters.tolist() == [40, 40]


def test_pairs_in_blocks_are_those_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs are taken at once; and a pair has two models."""
    FRAME.to_parquet(tmp_path / "items.parquet")
    found = tb.read_item_sums(tmp_path / "items.parquet")
    pairs = ["a", "a", "b", "a"], ["b", "c", "c", "a"]
    whole = found.differences(*pairs)
    monkeypatch.setattr("tiebreak.readers.cluster_sums.AT_ONCE", 1)
    for name in ("estimate", "standard_error", "df", "n_examples", "n_clusters", "kind"):
        np.testing.assert_allclose(getattr(found.differences(*pairs), name), getattr(whole, name), rtol=1e-12)
    assert whole.kind[3] == IDENTICAL
    with pytest.raises(InvalidParameterError, match="first names 2 models and second 1; a pair has one of each"):
        found.differences(["a", "b"], ["c"])


def test_what_sums_cannot_say_is_refused(tmp_path: Path) -> None:
    """Missing scores and clusters, other columns, no file."""
    path = tmp_path / "items.parquet"
    FRAME.assign(c=FRAME["c"].where(FRAME["c"] > 0)).to_parquet(path)
    with pytest.raises(InvalidScoresError, match=r"lacks scores of 'c', or has infinite ones.*tb\.read_items"):
        tb.read_item_sums(path)
    assert tb.read_item_sums(path, models=["b", "a"]).models == ("b", "a")
    with pytest.raises(UnknownNameError, match="no column is called 'd'"):
        tb.read_item_sums(path, models=["d"])
    with pytest.raises(UnreadableSourceError, match="has no column 'text'; its columns are 'cluster', 'a', 'b' and 'c'"):
        tb.read_item_sums(path, cluster="text")
    FRAME.assign(cluster=-1).to_parquet(path)
    with pytest.raises(InvalidScoresError, match="are not between 0 and 50,000,000"):
        tb.read_item_sums(path)
    FRAME.assign(cluster=None).to_parquet(path)
    with pytest.raises(InvalidScoresError, match="1000 rows or more without a 'cluster'"):
        tb.read_item_sums(path)
    with pytest.raises(SourceNotFoundError, match="there is no file"):
        tb.read_item_sums(tmp_path / "gone.parquet")
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(UnreadableSourceError, match="cannot be read as Parquet"):
        tb.read_item_sums(tmp_path / "no.parquet")


# --- long tables and CSV, through DuckDB ------------------------------------------------------------------------------------

WIDE = FRAME.assign(item=[f"question {i}" for i in range(1000)])
LONG = WIDE.melt(["item", "cluster"], ["a", "b", "c"], var_name="model", value_name="score")
LONG = LONG.astype({"score": float}).sample(frac=1, random_state=0)


def written(frame: pd.DataFrame, path: Path) -> Path:
    """The frame in a file of the kind that the ending says."""
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "file"),
    [(LONG, "t.csv"), (LONG, "t.tsv"), (LONG, "t.parquet"), (WIDE, "t.csv"), (WIDE.drop(columns="item"), "t.csv")],
)
@pytest.mark.parametrize("cluster", ["numbers", "texts"])
def test_every_form_gives_the_answer_of_the_table_in_memory(tmp_path: Path, table: pd.DataFrame, file: str, cluster: str) -> None:
    """`read_items` holds the whole table, and `clustered_mean` takes its items one by one: the same to the last digits."""
    pytest.importorskip("duckdb")
    if cluster == "texts":
        table = table.assign(cluster='a "text", no. ' + table["cluster"].astype(str))
    path = written(table, tmp_path / file)
    found = tb.read_item_sums(path)
    held = tb.read_items(path, metric="gain", lower_is_better=False, rows="items").take(["a", "b", "c"])
    assert found.models == held.models
    for first, second in [("a", "b"), ("c", "a")]:
        i, j = held.models.index(first), held.models.index(second)
        expected = tb.frequentist.clustered_mean(held.score[i, 0] - held.score[j, 0], held.clusters)
        pair = found.differences([first], [second])
        for name in ("estimate", "standard_error", "df", "n_examples", "n_clusters"):
            np.testing.assert_allclose(getattr(pair, name)[0], getattr(expected, name), rtol=1e-12)
    assert tb.read_item_sums(path, models=["c", "a"]).models == ("c", "a")
    np.testing.assert_array_equal(tb.read_item_sums(path, models=["c", "a"]).sums.totals, found.sums.totals[[2, 0]])


def test_each_item_may_stand_by_itself(tmp_path: Path) -> None:
    """With the column of the items as that of the clusters it is the ordinary paired t interval of scipy."""
    pytest.importorskip("duckdb")
    pair = tb.read_item_sums(written(LONG, tmp_path / "t.csv"), cluster="item").differences(["a"], ["c"])
    interval = stats.ttest_1samp(FRAME["a"].astype(float) - FRAME["c"], 0).confidence_interval(0.95)
    np.testing.assert_allclose(np.ravel(pair.confidence_interval()), interval, rtol=1e-10)


@pytest.mark.slow
def test_many_long_names_in_little_memory(tmp_path: Path) -> None:
    """Where each of many items stands by itself the sums are those of numpy."""
    pytest.importorskip("duckdb")
    n = 200_000
    values = np.random.default_rng(1).integers(0, 2, (2, n))
    names = np.array([f"an item with a name of some length, and its number {i}" for i in range(n)], dtype=object)
    long = pd.DataFrame({"item": np.tile(names, 2), "model": np.repeat(["a", "b"], n), "score": values.ravel()})
    path = written(long.assign(cluster=long["item"]), tmp_path / "t.parquet")
    found = tb.read_item_sums(path, memory_limit="200 MB")
    assert (found.sums.totals.shape, found.sums.n_examples) == ((2, n), n)
    pair, d = found.differences(["a"], ["b"]), values[0] - values[1]
    assert pair.estimate[0] == pytest.approx(d.mean(), rel=1e-12)
    assert pair.standard_error[0] == pytest.approx(d.std(ddof=1) / np.sqrt(n), rel=1e-9)


def test_scores_are_read_as_in_memory(tmp_path: Path) -> None:
    """Words for right and wrong, blanks around cells, quotation marks, an item called NA, windows' line ends and a blank line."""
    pytest.importorskip("duckdb")
    path = tmp_path / 'it\'s a "table".csv'
    second = '"q,""2"'  # the cell that holds q,"2
    rows = [
        "\ufeffQuestion, model,correct,Text",
        "NA,a, True ,t1",
        "NA,b,0,t1",
        f"{second},a,1e0,t2",
        "",
        f"{second},b,no,t2",
        "",
    ]
    path.write_text("\r\n".join(rows), encoding="utf-8", newline="")
    found = tb.read_item_sums(path, cluster="Text")
    assert found.models == ("a", "b")
    np.testing.assert_array_equal(found.sums.totals, [[1, 1], [0, 0]])
    held = tb.read_items(path)
    np.testing.assert_array_equal(held.score[:, 0].sum(axis=1), found.sums.totals.sum(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (pd.concat([LONG, LONG.iloc[:1]]), "the scores of 1 items stand twice or more, such as those of item 'question"),
        (LONG.iloc[1:], r"lacks the scores of some model on 1 of the 1000 items, such as 'question \d+'.*tb\.read_items"),
        (LONG.assign(score=LONG["score"].where(LONG["model"] != "b")), "lacks scores of 'b', or has infinite ones"),
        (LONG.assign(score=LONG["score"].replace(1, np.inf)), "lacks scores of 'a', or has infinite ones"),
        (LONG.assign(score=LONG["score"].astype(str).replace("1.0", "85%")), "'85%' is no score. Write per cent as shares"),
        (LONG.assign(score=LONG["score"].astype(str).replace("1.0", "1_000")), "'1_000' is no score. Scores are numbers"),
        (LONG.assign(cluster=np.arange(3000)), "item 'question .*' is in more than one cluster"),
        (LONG.assign(cluster=None), "rows or more without a 'cluster'; give each item a cluster"),
        (LONG.assign(item=LONG["item"].where(LONG["model"] != "b")), "rows or more without a name in its column 'item'"),
        (LONG.assign(model=None), "has 3000 rows without a model"),
        (LONG.assign(seed=np.arange(3000) % 2), "different values in its column 'seed', and sums count each row once"),
        (LONG.assign(weight=np.arange(3000) % 2), "different values in its column 'weight'"),
        (LONG.drop(columns="item"), "has no column that names the items"),
        (LONG.drop(columns="cluster"), "has no column 'cluster'; .* name the column of the items"),
    ],
)  # fmt: skip
def test_what_read_items_refuses_or_sums_cannot_say(tmp_path: Path, ending: str, changed: pd.DataFrame, message: str) -> None:
    """Doubled and missing scores and names, texts, items in two clusters, several runs, weights."""
    pytest.importorskip("duckdb")
    path = written(changed, tmp_path / f"t.{ending}")
    with pytest.raises((InvalidScoresError, UnreadableSourceError), match=message):
        tb.read_item_sums(path)


@pytest.mark.slow
def test_wide_csv_is_checked_too(tmp_path: Path) -> None:
    """Doubled items, gaps and texts in a column of a model, and columns that are none."""
    pytest.importorskip("duckdb")
    path = tmp_path / "t.csv"
    assert tb.read_item_sums(written(WIDE.assign(topic="t", seed=1, n_test=10), path)).models == ("a", "b", "c")
    for changed, message in [
        (pd.concat([WIDE, WIDE.iloc[:2]]), "the scores of 2 items stand twice or more, such as those of item 'question 0'"),
        (WIDE.assign(c=WIDE["c"].where(WIDE["c"] > 0)), "lacks scores of 'c', or has infinite ones"),
        (WIDE.assign(b=WIDE["b"].astype(str).replace("0", "none of it")), "column 'b': 'none of it' is no score"),
        (WIDE.assign(seed=WIDE["b"]), "different values in its column 'seed'"),
        (WIDE.assign(item=None), "1000 rows or more without a name in its column 'item'"),
        (WIDE.iloc[:0], "needs columns of numbers|has no rows"),
    ]:
        written(changed, path)
        with pytest.raises((InvalidScoresError, UnreadableSourceError), match=message):
            tb.read_item_sums(path)
    path.write_text("item,cluster,a,b\nq1,1,0,1\nq2,1,0\n")
    with pytest.raises(UnreadableSourceError, match=r"cannot be read: .*Expected Number of Columns: 4 Found: 3"):
        tb.read_item_sums(path)


def test_settings_and_names_that_duckdb_cannot_take(tmp_path: Path) -> None:
    """A limit that is no size, too small a one, and a file whose name would be a pattern."""
    pytest.importorskip("duckdb")
    path = written(LONG, tmp_path / "t.csv")
    with pytest.raises(InvalidParameterError, match="memory_limit must be a size such as '500 MB'"):
        tb.read_item_sums(path, memory_limit="lots")
    with pytest.raises(UnreadableSourceError, match="need more than memory_limit='1 MB'"):
        tb.read_item_sums(path, memory_limit="1 MB")
    with pytest.raises(UnreadableSourceError, match=r"as a pattern\. Rename the file"):
        tb.read_item_sums(written(LONG, tmp_path / "t[1].csv"))
    with pytest.raises(UnknownNameError, match="no model is called 'd'"):
        tb.read_item_sums(path, models=["d"])


def test_without_duckdb_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where DuckDB is not installed the error says what to install; wide Parquet files do without."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'duckdb>=1.5'"):
        tb.read_item_sums(written(LONG, tmp_path / "t.csv"))
    assert tb.read_item_sums(written(WIDE, tmp_path / "t.parquet")).models == ("a", "b", "c")


def test_columns_of_wide_parquet_that_are_no_models(tmp_path: Path) -> None:
    """Numbers of items and a constant seed are no models; several runs and weights are refused."""
    path = tmp_path / "t.parquet"
    frame = FRAME.assign(id=range(1000), seed=7)
    assert tb.read_item_sums(written(frame, path)).models == ("a", "b", "c")
    assert tb.read_item_sums(path, models=["seed", "a"]).models == ("seed", "a")
    for column in ("seed", "weight"):
        with pytest.raises(InvalidScoresError, match=f"different values in its column '{column}'"):
            tb.read_item_sums(written(frame.assign(**{column: frame["id"] % 3}), path))


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["wide", "long"])
def test_an_index_of_pandas_is_a_column_of_the_file(tmp_path: Path, table: pd.DataFrame) -> None:
    """Frames keep clusters or items in their index too; two columns of one name are refused."""
    pytest.importorskip("duckdb")
    table.set_index(["cluster", "item"]).to_parquet(tmp_path / "t.parquet")
    found, flat = (tb.read_item_sums(path) for path in (tmp_path / "t.parquet", written(table, tmp_path / "flat.parquet")))
    assert found.models == flat.models == ("a", "b", "c")
    np.testing.assert_allclose(found.sums.totals, flat.sums.totals, rtol=1e-12)
    doubled = pa.table([[1], [0], [1]], names=["cluster", "a", "a"])
    parquet.write_table(doubled, tmp_path / "doubled.parquet")
    with pytest.raises(UnreadableSourceError, match="has two columns called 'a'"):
        tb.read_item_sums(tmp_path / "doubled.parquet")
