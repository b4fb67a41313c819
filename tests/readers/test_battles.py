"""Battles out of every kind of table, and what is said of those that cannot be read."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tiebreak.errors import InvalidScoresError, SourceNotFoundError, UnreadableSourceError
from tiebreak.readers.battles import read_battles

COLUMNS: dict[str, list[Any]] = {
    "model_a": ["x", "y", "x", "z"],
    "model_b": ["y", "x", "z", "y"],
    "winner": ["a", "x", "tie", "model_b"],
    "cluster": ["u", "u", "v", "w"],
    "weight": [1, 2, 1, 0.5],
}


def _sources(folder: Path) -> dict[str, Any]:
    frame, records = pd.DataFrame(COLUMNS), [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    frame.to_csv(folder / "b.csv", index=False)
    frame.to_csv(folder / "b.tsv", index=False, sep="\t")
    frame.to_parquet(folder / "b.parquet")
    (folder / "b.json").write_text(json.dumps(records))
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, records)))
    paths = {ending: folder / f"b.{ending}" for ending in ("csv", "tsv", "parquet", "json", "jsonl")}
    return {**paths, "text path": str(folder / "b.csv"), "frame": frame, "records": records, "columns": COLUMNS}


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "json", "jsonl", "text path", "frame", "records", "columns"])
def test_every_kind_of_table_is_the_same(kind: str, tmp_path: Path) -> None:
    """The second battle is won by x, which stands second; names, words and ties are all understood."""
    battles = read_battles(_sources(tmp_path)[kind])
    assert battles is not None
    assert battles.models == ("x", "y", "z")
    assert battles.model_a.tolist() == [0, 1, 0, 2]
    assert battles.model_b.tolist() == [1, 0, 2, 1]
    assert battles.outcome.tolist() == [1, -1, 0, -1]
    assert battles.cluster is not None
    assert battles.cluster.tolist() == [0, 0, 1, 2]
    assert battles.weight is not None
    assert battles.weight.tolist() == [1, 2, 1, 0.5]


def test_other_tables_are_left_to_the_reader_of_scores(tmp_path: Path) -> None:
    """A table of scores, a run in a store and an array hold no battles."""
    (tmp_path / "scores.csv").write_text("dataset,x,y\nd,0.1,0.2\n")
    for source in (tmp_path / "scores.csv", "sqlite:///runs.db#study", {"x": [0.1], "y": [0.2]}, {"x": 1}, [1, 2], 3):
        assert read_battles(source) is None


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"winner": None}, UnreadableSourceError, "lacks the column 'winner'.*found: 'model_a', 'model_b', 'cluster', 'weight'"),
        (
            {"winner": ["a", "?", "a", "a"]},
            InvalidScoresError,
            r"row 2: winner is '\?', which is neither a, b or tie, nor 'y' or 'x'",
        ),
        ({"winner": ["a", "", "a", None]}, UnreadableSourceError, r"row 2: winner is empty, and so it is in 2 row"),
        ({"model_b": ["y", "y", "z", "z"]}, InvalidScoresError, r"row 2: 'y' meets itself.*2 row"),
        ({"weight": [1, 1, -1, 1]}, InvalidScoresError, "row 3: weight must be a number of at least 0; got -1"),
        ({"weight": [1, "much", 1, 1]}, InvalidScoresError, "row 2, column 'weight': 'much' is not a number"),
        ({"cluster": ["u", None, "v", "w"]}, UnreadableSourceError, "row 2: cluster is empty"),
        ({name: [] for name in COLUMNS}, UnreadableSourceError, "has column names but no rows"),
    ],
)
def test_a_bad_row_is_named(change: dict[str, Any], error: type[Exception], text: str) -> None:
    """With its number and what stands there."""
    columns = {name: values for name, values in {**COLUMNS, **change}.items() if values is not None}
    with pytest.raises(error, match=text):
        read_battles(columns)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """No file, no UTF-8, no JSON."""
    with pytest.raises(SourceNotFoundError, match="there is no file"):
        read_battles(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"model_a,model_b,winner\n\xe9,b,a\n")
    with pytest.raises(UnreadableSourceError, match=r"line 2: byte 0xe9 is not UTF-8. Save it as UTF-8"):
        read_battles(tmp_path / "latin.csv")
    (tmp_path / "half.json").write_text('[{"model_a": ')
    with pytest.raises(UnreadableSourceError, match="is not JSON"):
        read_battles(tmp_path / "half.json")
    for content in ("[" * 200_000 + "]" * 200_000, '{"model_a": ' + "9" * 5000 + "}"):
        (tmp_path / "deep.json").write_text(content)
        with pytest.raises(UnreadableSourceError, match=r"nested too deeply|is not JSON: Exceeds the limit"):
            read_battles(tmp_path / "deep.json")
    (tmp_path / "lines.jsonl").write_text('{"model_a": "x", "model_b": "y", "winner": "a"}\n3\n')
    with pytest.raises(UnreadableSourceError, match="line 2 holds no object"):
        read_battles(tmp_path / "lines.jsonl")


def test_more_models_than_memory_holds_are_refused() -> None:
    """What is counted of each two of them grows with their square."""
    names = [f"m{number}" for number in range(2_002)]
    with pytest.raises(InvalidScoresError, match="has 2,002 models, and at most 2,000 can be rated together"):
        read_battles({"model_a": names[:-1], "model_b": names[1:], "winner": ["a"] * 2_001})


def test_weights_too_far_apart_for_one_fit_are_refused() -> None:
    """The smaller ones would be lost in rounding, and the equations of the fit have no solution."""
    columns = {"model_a": ["a", "b", "c"], "model_b": ["b", "c", "a"], "winner": ["a", "a", "a"]}
    with pytest.raises(InvalidScoresError, match=r"weights lie between 1e-200 and 1, too far apart for one fit"):
        read_battles({**columns, "weight": [1, 1e-200, 0]})
    assert read_battles({**columns, "weight": [1, 1e-6, 0]}) is not None


@pytest.mark.parametrize("name", ["gpt\n4", "gpt\r\n4", "gpt\x0b4", "gpt\x1c4", "gpt\x854", "gpt\u20284"])
def test_a_line_end_within_a_name(name: str, tmp_path: Path) -> None:
    """Stays in it: it joins no two names, and ends no line of JSON."""
    rows = [[name, "gpt4", "a"], [name, "other", "b"], ["gpt4", "other", "tie"]]
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["model_a", "model_b", "winner"], *rows])
    records = [dict(zip(("model_a", "model_b", "winner"), row, strict=True)) for row in rows]
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8", newline="")
    for path in (tmp_path / "a.csv", tmp_path / "a.jsonl"):
        found = read_battles(path)
        assert found is not None
        assert set(found.models) == {name, "gpt4", "other"}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"winner": ["a", "x"]}, "the columns need one value for each battle; their lengths are {'model_a': 4"),
        ({"model_a": [["x"], "y", "x", "z"]}, "row 1: model_a is ['x']; it must be a single text or number."),
        ({"weight": [1, 2, 1, 10**400]}, "row 4: weight must be a number of at least 0"),
    ],
)
def test_columns_that_are_no_battles(change: dict[str, Any], text: str) -> None:
    """Uneven columns, lists and numbers beyond all floats are refused in words."""
    with pytest.raises(InvalidScoresError, match=re.escape(text)):
        read_battles({**COLUMNS, **change})


def test_a_gap_of_pandas_is_an_empty_name() -> None:
    """pd.NA is neither equal nor unequal to anything."""
    with pytest.raises(UnreadableSourceError, match="row 2: winner is empty"):
        read_battles(pd.DataFrame({**COLUMNS, "winner": ["a", pd.NA, "tie", "b"]}))


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    """As any other file of that kind, and not an error of pyarrow."""
    path = tmp_path / "b.parquet"
    pd.DataFrame(COLUMNS).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableSourceError, match=r"b\.parquet cannot be read as Parquet"):
        read_battles(path)


def test_a_date_that_python_cannot_hold_is_refused_in_words() -> None:
    """The year 292277, at which the library of the frame panics."""
    far = pl.Series("winner", [2**62, 0]).cast(pl.Datetime("ms"))
    with pytest.raises(InvalidScoresError, match="column 'winner' of the table has a value that Python cannot hold"):
        read_battles(pl.DataFrame({"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": far}))


def annotations(path: Path, model: str, seed: int, judge: str = "one", first: str = "base", **more: Any) -> Path:
    """AlpacaEval's annotations of one model: a record for each of 40 instructions, the baseline first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    preferences = np.random.default_rng(seed).choice([1, 1, 2, 2, 2, 0], 40).tolist()
    records = [
        {
            "instruction": f"do {i}",
            "output_1": '{"text": "x}"}',
            "generator_1": first,
            "output_2": "y" * 3000,
            "generator_2": model,
            "annotator": judge,
            "preference": preference,
            **more,
        }
        for i, preference in enumerate(preferences)
    ]
    path.write_text(json.dumps(records))
    return path


def test_tables_of_several_files_are_one(tmp_path: Path) -> None:
    """One file for each model, as AlpacaEval writes them, is the same as one file with all; a preference of 0 is a tie."""
    paths = [annotations(tmp_path / model / "annotations.json", model, seed) for seed, model in enumerate("xyz")]
    joined = read_battles(*paths)
    (tmp_path / "all.json").write_text(json.dumps([record for path in paths for record in json.loads(path.read_text())]))
    whole = read_battles(tmp_path / "all.json")
    assert joined is not None
    assert whole is not None
    assert joined.models == whole.models == ("base", "x", "y", "z")
    for name in ("model_a", "model_b", "outcome", "question"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()
    assert joined.sources == tuple(map(str, paths))
    assert 0 in joined.outcome.tolist()
    assert joined.judges == ("one",)
    clustered = read_battles(*paths, cluster="instruction")
    assert clustered is not None
    assert clustered.cluster is not None
    assert len(set(clustered.cluster.tolist())) == 40


def test_tables_of_mixed_kinds_are_one(tmp_path: Path) -> None:
    """CSV, JSON lines and Parquet, with names of models in other orders, and words or names as the winner."""
    (tmp_path / "b.csv").write_text("model_a,model_b,winner\nz,y,a\ny,x,b\n")
    (tmp_path / "b.jsonl").write_text('{"model_b": "z", "model_a": "x", "winner": "model_b"}\n')
    pd.DataFrame({"model_a": ["a"], "model_b": ["z"], "winner": ["tie"]}).to_parquet(tmp_path / "b.parquet")
    found = read_battles(*(tmp_path / f"b.{ending}" for ending in ("csv", "jsonl", "parquet")))
    assert found is not None
    assert found.models == ("a", "x", "y", "z")
    assert found.model_a.tolist() == [3, 2, 1, 0]
    assert found.model_b.tolist() == [2, 1, 3, 3]
    assert found.outcome.tolist() == [1, -1, -1, 0]


def test_tables_that_do_not_go_together(tmp_path: Path) -> None:
    """A file twice, one of scores, a column that some lack and a bad row are errors that name the file."""
    one, other = (annotations(tmp_path / f"{model}.json", model, seed) for seed, model in enumerate("xy"))
    with pytest.raises(InvalidScoresError, match=r"x\.json stands there twice, and would count twice"):
        read_battles(one, other, one)
    (tmp_path / "copy.json").write_text(one.read_text())
    with pytest.raises(InvalidScoresError, match=r"copy\.json holds the very battles of .*x\.json, and would count twice"):
        read_battles(one, tmp_path / "copy.json")
    (tmp_path / "scores.csv").write_text("dataset,x,y\nd,0.1,0.2\n")
    with pytest.raises(UnreadableSourceError, match=r"x\.json holds battles, and '.*scores\.csv' none"):
        read_battles(one, tmp_path / "scores.csv")
    (tmp_path / "weighted.csv").write_text("model_a,model_b,winner,weight\nx,y,a,2\n")
    with pytest.raises(InvalidScoresError, match=r"weighted\.csv has a column weight, and .*x\.json has none"):
        read_battles(one, tmp_path / "weighted.csv")
    (tmp_path / "bad.csv").write_text("model_a,model_b,winner\nx,y,a\nx,y,c\n")
    with pytest.raises(InvalidScoresError, match=r"bad\.csv, line 3: winner is 'c'"):
        read_battles(one, tmp_path / "bad.csv")


def test_models_may_be_called_like_sides() -> None:
    """A column whose words all name a model of their row holds names, another one sides; both is refused."""
    named = {"model_a": ["b", "a"], "model_b": ["a", "b"], "winner": ["b", "b"]}
    sides = {"model_a": ["b", "c"], "model_b": ["a", "d"], "winner": ["b", "b"]}
    both = {"model_a": ["b", "c", "c"], "model_b": ["a", "d", "d"], "winner": ["b", "b", "d"]}
    for table, outcome in ((named, [1, -1]), (sides, [-1, -1])):
        battles = read_battles(table)
        assert battles is not None
        assert battles.outcome.tolist() == outcome
    with pytest.raises(InvalidScoresError, match="row 1: winner is 'b', the name of a model that stands on the other"):
        read_battles(both)
