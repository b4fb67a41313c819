"""Battles out of every kind of table, judgements in both orders, and what is said of those that cannot be read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tiebreak as tb
from tests.readers.conftest import Write
from tiebreak.errors import DataError, SourceNotFoundError, TiebreakError
from tiebreak.readers.battles import read_battles
from tiebreak.scores.battles import Battles

COLUMNS: dict[str, list[Any]] = {
    "model_a": ["x", "y", "x", "z"],
    "model_b": ["y", "x", "z", "y"],
    "winner": ["a", "x", "none", "model_b"],
    "cluster": ["u", "u", "v", "w"],
    "weight": [1.0, 2.0, 1.0, 0.5],
}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def rows_of(battles: Battles) -> list[tuple[str, str, int]]:
    """Names and outcome of each battle."""
    columns = zip(battles.model_a.tolist(), battles.model_b.tolist(), battles.outcome.tolist(), strict=True)
    return [(battles.models[a], battles.models[b], outcome) for a, b, outcome in columns]


def test_every_kind_of_table_is_the_same() -> None:
    """The second battle is won by x, which stands second; names, words and ties are all understood."""
    upper = {f" {name.title()}": values for name, values in COLUMNS.items()}
    for source in (
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).to_records(),
        pl.DataFrame(COLUMNS).lazy(),
        RECORDS,
        COLUMNS,
        upper,
    ):
        battles = read_battles(source)
        assert (battles.models, battles.model_a.dtype) == (("x", "y", "z"), np.int64)  # 32 bits do not hold a pair and its battle
        assert rows_of(battles) == [("x", "y", 1), ("y", "x", -1), ("x", "z", 0), ("z", "y", -1)]
        assert (battles.cluster.tolist(), battles.weight.tolist(), battles.unit) == ([0, 0, 1, 2], [1, 2, 1, 0.5], "cluster")


def test_other_tables_are_left_to_the_reader_of_scores(write: Write) -> None:
    """A table of scores, a run in a store and an array hold no battles; what is not there, or damaged, is said there."""
    scores = write("dataset,x,y\nd,0.1,0.2\n", "scores.csv")
    numbered = {"dataset": ["d"], "model_1": [0.1], "model_2": [0.2]}
    for source in (scores, "sqlite:///runs.db#study", {"x": [0.1], "y": [0.2]}, numbered, {"x": 1}, [1, 2], 3, np.ones(3)):
        assert read_battles(source) is None
    pd.DataFrame(COLUMNS).to_parquet("b.parquet")
    cut = write(Path("b.parquet").read_bytes()[:-20], "cut.parquet")
    for path, text in (("none.csv", "there is no file 'none.csv'"), ("none.json", "no file 'none.json'"), (cut, "cut.parquet")):
        with pytest.raises((SourceNotFoundError, DataError), match=text):
            tb.rate(path)


def test_too_many_models_are_refused() -> None:
    """What is counted of each two of them takes memory."""
    with pytest.raises(DataError, match="has 2,002 models, and at most 2,000 can be rated together"):
        read_battles({"model_a": [*range(2_001)], "model_b": [*range(1, 2_002)], "winner": ["a"] * 2_001})


def test_names_may_be_numbers_and_have_blanks_around_them(write: Write) -> None:
    """No number between two of them becomes a model; 007 is another one than 7."""
    columns = {"model_a": [1, 7], "model_b": [" 7", 1], "winner": ["1 ", 7]}
    for source in (write("model_a,model_b,winner\n1, 7 ,1\n7,1,7\n", "b.csv"), columns):
        assert rows_of(read_battles(source)) == [("1", "7", 1), ("7", "1", 1)]
        assert read_battles(source).models == ("1", "7")
    assert read_battles(write("model_a,model_b,winner\n007,7,b\n", "c.csv")).models == ("007", "7")


def annotations(path: Path, model: str, seed: int) -> Path:
    """AlpacaEval's annotations of one model: a record for each of 40 instructions, the baseline first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = {"output_1": '{"text": "x}"}' * 50, "generator_1": "base", "generator_2": model, "annotator": "one"}
    preferences = np.random.default_rng(seed).choice([1, 1, 2, 2, 2, 0, 1.2], 40).tolist()
    path.write_text(json.dumps([{"instruction": f"do {i}", **texts, "preference": each} for i, each in enumerate(preferences)]))
    return path


def test_tables_of_several_files_are_one(tmp_path: Path) -> None:
    """One file for each model, as AlpacaEval writes them, is the same as one file with all; a preference of 0 is a tie."""
    paths = [annotations(tmp_path / f"{model}.json", model, seed) for seed, model in enumerate("xyz")]
    joined = read_battles(*paths)
    (tmp_path / "all.json").write_text(json.dumps([record for path in paths for record in json.loads(path.read_text())]))
    whole = read_battles(tmp_path / "all.json")
    assert (joined.models, joined.judges, joined.unit) == (("base", "x", "y", "z"), ("one",), "question")
    assert rows_of(joined) == rows_of(whole)
    assert joined.question.tolist() == whole.question.tolist()
    preferences = [record["preference"] for record in json.loads((tmp_path / "all.json").read_text())]
    assert joined.outcome.tolist() == [{1: 1, 1.2: 1, 0: 0, 2: -1}[each] for each in preferences]
    assert joined.sources == tuple(map(str, paths))
    assert len(set(read_battles(*paths, cluster="instruction").cluster.tolist())) == 40


def test_tables_that_do_not_go_together(write: Write, tmp_path: Path) -> None:
    """A file twice, one of scores, a column that some lack and a bad row are errors that name the file."""
    one = annotations(tmp_path / "x.json", "x", 0)
    others = {
        "x.json": (one.read_text(), r"x\.json stands there twice, and would count twice"),
        "copy.json": (one.read_text(), r"copy\.json holds the battles of .*x\.json, and would count twice"),
        "scores.csv": ("dataset,x,y\nd,0.1,0.2\n", r"x\.json holds battles, and '.*scores\.csv' none"),
        "w.csv": ("model_a,model_b,winner,weight\nx,y,a,2\n", r"w\.csv has a column weight, and .*x\.json has none"),
        "bad.csv": ("model_a,model_b,winner\nx,y,a\nx,y,c\n", r"bad\.csv, line 3: winner is 'c'"),
        "far.json": (one.read_text().replace("1.2", "3"), r"far\.json, row \d+: preference is 3; it lies from 1"),
        "lines.jsonl": ('{"model_a": "x", "model_b": "y", "winner": "a"}\n3\n', r"lines\.jsonl, line 2: it holds no object"),
        "half.json": ('[{"model_a": ', r"half\.json is not JSON"),
    }
    for name, (content, text) in others.items():
        with pytest.raises(TiebreakError, match=text):
            read_battles("x.json", write(content, name))


def test_models_may_be_called_like_sides() -> None:
    """A column whose words all name a model of their row holds names, another one sides."""
    named = {"model_a": ["b", "a"], "model_b": ["a", "b"], "winner": ["b", "b"]}
    sides = {"model_a": ["b", "c"], "model_b": ["a", "d"], "winner": ["b", "b"]}
    assert read_battles(named).outcome.tolist() == [1, -1]
    assert read_battles(sides).outcome.tolist() == [-1, -1]


def test_battles_of_lmsys_and_of_numbered_models_are_read(tmp_path: Path) -> None:
    """A 1 in one of three columns, as in the data of LMSYS's competition; model_1 and model_2 with a preference."""
    path = tmp_path / "arena.csv"
    path.write_text(
        "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\n"
        "1,x,y,hi,1,0,0\n2,y,x,ho,0,0,1\n3,x,y,hm,0,1,0\n4,y,x,ha,0,1,0\n"
    )
    arena = read_battles(path)
    assert (arena.models, arena.outcome.tolist()) == (("x", "y"), [1, 0, -1, -1])
    assert rows_of(read_battles({name.title(): each.tolist() for name, each in pd.read_csv(path).items()})) == rows_of(arena)
    numbered = {"model_1": ["x", "y", "x"], "model_2": ["y", "x", "y"], "preference": ["model_1", "tie", "B>>A"]}
    assert read_battles(numbered).outcome.tolist() == [1, 0, -1]
    path.write_text(path.read_text().replace("ha,0,1,0", "ha,0,1,1"))
    with pytest.raises(DataError, match=r"line 5.*one of 'winner_model_a', 'winner_model_b' and 'winner_tie' must be 1"):
        read_battles(path)
    with pytest.raises(DataError, match="its rows are battles, not scores"):
        tb.compare(pd.DataFrame(numbered))


@pytest.mark.parametrize(
    ("columns", "first", "second", "tie"),
    [
        ("model1,model2,winner", "p", "r", "tie"),
        ("Model A,Model B,Winner", "Model A", "model_b", "Tie"),
        ("left,right,preference", "left", "right", "both bad"),
        ("A,B,verdict", "[[A]]", "[[B]]", "[[C]]"),
        ("system_a,system_b,better", "A", "B", "equal"),
        ("left_model,right_model,vote", "left", "right_model", "none"),
        ("assistant_a,assistant_b,judgement", "assistant_a", "b", "neither"),
        ("player1,player2,result", "1-0", "0-1", "1/2-1/2"),
        ("candidate_1,candidate_2,choice", "1", "candidate_2", "0"),
        ("model_x,model_y,preferred_model", "x", "y", "draw"),
        ("response_a_model,response_b_model,winner", "a", "response_b_model", "tie"),
        ("model,opponent,result", "win", "loss", "draw"),
    ],
)
def test_battles_as_people_call_their_columns(write: Write, columns: str, first: str, second: str, tie: str) -> None:
    """Two models and who won, by whatever of these names; where the model is not who stood first, no order is told."""
    battles = read_battles(write(f"{columns},note\np,q,{first},a\nq,r,{second},b\nr,p,{tie},c\n", "b.csv"))
    assert rows_of(battles) == [("p", "q", 1), ("q", "r", -1), ("r", "p", 0)]
    assert battles.position == ("opponent" not in columns)


def test_battles_by_winner_and_loser_and_by_counts(write: Write) -> None:
    """Who stood first is not known of these, so no bias for it is looked for."""
    for columns in ("winner,loser,tie", "chosen_model,rejected_model,is_draw"):
        battles = read_battles(write(f"{columns},prompt\nx,y,0,p\nz,y,1,q\ny,x,0,p\n", "w.csv"))
        assert (rows_of(battles), battles.position) == ([("x", "y", 1), ("z", "y", 0), ("y", "x", 1)], False)
        ratings = tb.rate(battles)
        assert (ratings.position, ratings.n_both) == ("ignored", 0)  # who lost a prompt once and won it once
    counted = read_battles(write("model_a,model_b,wins_a,wins_b,ties\nx,y,2,1,1\ny,z,0,2,0\n", "c.csv"))
    assert sorted(rows_of(counted)) == [("x", "y", -1), ("x", "y", 0), ("x", "y", 1), ("x", "y", 1), *[("y", "z", -1)] * 2]


def test_columns_and_rows_of_battles_may_be_said(write: Write) -> None:
    """As for scores; what battles have no column of is refused."""
    path = write("one,two,who,lang\nx,y,x,en\ny,x,a,de\nx,y,tie,en\n", "b.csv")
    said = {"model_a": "one", "model_b": "two", "winner": "who"}
    assert rows_of(tb.read_battles(path, columns=said, where={"lang": "en"})) == [("x", "y", 1), ("x", "y", 0)]
    with pytest.raises(TiebreakError, match=r"a column of battles holds one of .*; got 'score'"):
        tb.read_battles(path, columns={**said, "score": "lang"})
