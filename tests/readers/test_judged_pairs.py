"""Answers that were judged in both orders, as FastChat and Arena-Hard write them: every record here is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tiebreak as tb
from tests.cli.conftest import run
from tiebreak.errors import UnreadableSourceError
judged_pairs = None


def arena_hard(question: int, *scores: str | None, **more: Any) -> dict[str, Any]:
    """A record of Arena-Hard, whose second game has the sides turned."""
    games = [None if score is None else {"user_prompt": "?", "judgment": "...", "score": score} for score in scores]
    return {"question_id": f"q{question}", "model": "new", "judge": "gpt-4", "games": games, **more}


def fastchat(question: int, first: str, second: str) -> dict[str, Any]:
    """A record of FastChat's judge of pairs."""
    said = {"g1_winner": first, "g2_winner": second}
    return {"question_id": question, "model_1": "x", "model_2": "y", **said, "judge": ["gpt-4", "pair-v2"], "turn": 1}


def _battles(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found = judged_pairs(records, "t")
    assert found is not None
    return [tuple(battle[key] for key in ("question_id", "judge", "model_a", "model_b", "winner")) for battle in found.battles]


def test_games_of_arena_hard() -> None:
    """The baseline stands first in the first game; a clear win is a win; the newer form names the baseline and has a uid."""
    assert _battles([arena_hard(1, "A>>B", "B>A"), arena_hard(2, "A=B", "A<B")]) == [
        ("q1", "gpt-4", "baseline", "new", "a"),
        ("q1", "gpt-4", "new", "baseline", "b"),
        ("q2", "gpt-4", "baseline", "new", "tie"),
        ("q2", "gpt-4", "new", "baseline", "b"),
    ]
    newer = {"uid": "7", "category": "hard", **arena_hard(1, "B>A", "A>B", baseline="o3-mini")}
    del newer["question_id"]
    assert _battles([newer]) == [("7", "gpt-4", "o3-mini", "new", "b"), ("7", "gpt-4", "new", "o3-mini", "a")]


def test_games_of_fastchat() -> None:
    """model_2 stands first in the second game; winners are named, whichever side they stood on."""
    assert _battles([fastchat(81, "model_1", "model_1"), fastchat(82, "tie", "model_2")]) == [
        (81, "gpt-4", "x", "y", "a"),
        (81, "gpt-4", "y", "x", "b"),
        (82, "gpt-4", "x", "y", "tie"),
        (82, "gpt-4", "y", "x", "a"),
    ]


def test_judgements_without_a_winner_are_counted_and_named() -> None:
    """A null score or game, and FastChat's "error"; where none has a winner there is nothing to rate."""
    records = [arena_hard(k, "A>B", "B>A") for k in range(30)] + [arena_hard(30, None, "A>B")]
    ratings = tb.rate(records, n_resamples=50)
    assert (ratings.n_without_verdict, ratings.n_units, ratings.unit) == (1, 31, "question")
    assert "from 1 judgement no winner could be read, and it is left out" in ratings.to_text().replace("\n    ", " ")
    assert tb.rate([fastchat(k, "error", "model_1") for k in range(30)], n_resamples=50).n_without_verdict == 30
    with pytest.raises(UnreadableSourceError, match="no winner can be read from any of 2 judgements"):
        tb.rate([fastchat(1, "error", "error")])


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([arena_hard(1, "A>B", "A or B")], "record 1: the score of a game is 'A or B', which is none such as A>B"),
        ([arena_hard(1, "A>B"), fastchat(1, "tie", "tie")], "record 2 is no judged pair like the first one"),
        ([fastchat(1, "x", "tie")], "record 1: g1_winner is 'x', which is neither model_1"),
        ([{**arena_hard(1), "games": "A>B"}], "record 1: games is 'A>B', and should be a list"),
        ([arena_hard(1, 3)], "record 1: the score of a game is 3"),  # type: ignore[arg-type]
    ],
)
def test_records_that_cannot_be_read_are_named(records: list[dict[str, Any]], message: str) -> None:
    """The number of the record, what it says, and what it may say."""
    with pytest.raises(UnreadableSourceError, match=message):
        tb.rate(records)


def test_other_records_are_none_of_these() -> None:
    """Battles with a winner are read as they are."""
    assert judged_pairs([], "t") is None
    assert judged_pairs([{"model_a": "x", "model_b": "y", "winner": "a"}], "t") is None


@pytest.mark.parametrize(
    "records", [[arena_hard(k, "A>B", "B>A") for k in range(25)], [fastchat(k, "tie", "model_1") for k in range(25)]]
)
def test_a_folder_of_judgements_is_rated(
    records: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file, its folder, its frame and its records say the same; compare says what the file is."""
    path = tmp_path / "model_judgment" / "judge" / "new.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    expected = tb.rate(records).to_frame()
    for source in (path, tmp_path, pd.DataFrame(records)):
        pd.testing.assert_frame_equal(tb.rate(source).to_frame(), expected)
    code, out, _ = run(capsys, str(tmp_path))
    assert code == 0
    assert "1 table of judged battles" in out
    code, _, err = run(capsys, "compare", str(path))
    assert code == 2
    assert "so its rows are battles, not scores. Rate the models: tiebreak rate" in err
