"""JSON: answers of tiebreak, and tables as records or columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import tiebreak as tb
from tests.readers.conftest import Write
from tests.readers.helpers import LONG_FRAME, SCORE, WIDE_FRAME, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import InvalidParameterError, InvalidScoresError, UnknownNameError, UnreadableSourceError


def answer(**changes: Any) -> dict[str, Any]:
    """What tiebreak writes, as far as scores are concerned."""
    scores = {
        "dataset": "",
        "models": ["svm", "forest"],
        "repeat": [0, 0, 1],
        "fold": [0, 1, 0],
        "n_train": [90, 90, 90],
        "n_test": [10, 10, 10],
        "score": [[0.9, 0.8, None], [0.7, 0.6, 0.5]],
    }
    return {
        "schema": 1,
        "tiebreak": "0.1.0",
        "metric": {"name": "accuracy", "higher_is_better": True},
        "scores": scores | changes.pop("scores", {}),
        "provenance": {
            "splits": "abc",
            "design": {"kind": "repeated-kfold", "ordered": False, "pairing": "key", "sizes": "exact"},
        },
    } | changes


def test_answer_is_read_back(write: Write) -> None:
    """Scores, sizes, metric and design."""
    scores = read_scores(write(json.dumps(answer()), "last.json"))
    matrix = scores.matrix()
    assert matrix.models == ("svm", "forest")
    assert_array_equal(matrix.score, [[0.9, 0.8, np.nan], [0.7, 0.6, 0.5]])
    assert_array_equal(matrix.n_train, [90, 90, 90])
    assert (scores.metric.name, scores.metric.higher_is_better) == ("accuracy", True)
    design = scores.design
    assert (design.kind, design.pairing, design.sizes, design.hash) == ("repeated-kfold", "key", "exact", "abc")
    assert scores.notices == ()


def test_answer_as_a_dict() -> None:
    """As json.load gives it."""
    assert read_scores(answer()).models == ("svm", "forest")


def test_answer_without_sizes() -> None:
    """They are null there; n_train= and n_test= may tell."""
    bare = answer(scores={"n_train": None, "n_test": None})
    assert read_scores(bare).design.sizes == "missing"
    assert read_scores(bare, n_train=90, n_test=10).design.sizes == "exact"


def test_what_the_answer_was_warned_of_is_said_again() -> None:
    """Pairing by position and approximate sizes are properties of the scores."""
    design = {"kind": "new-kind", "ordered": True, "pairing": "position", "sizes": "approximate"}
    scores = read_scores(answer(provenance={"splits": None, "design": design}))
    assert codes(scores) == ["assumed-paired", "approximate-sizes"]
    assert (scores.design.kind, scores.design.ordered, scores.design.sizes) == ("unknown", True, "approximate")


def test_metric_of_an_answer_must_agree() -> None:
    """With metric= and lower_is_better=."""
    with pytest.raises(UnknownNameError, match="no metric is called 'f1': there are 'accuracy'"):
        read_scores(answer(), metric="f1")
    with pytest.raises(
        InvalidParameterError, match="lower_is_better=True contradicts the source, which says of 'accuracy' that higher"
    ):
        read_scores(answer(), lower_is_better=True)
    assert read_scores(answer(), metric="accuracy", lower_is_better=False).metric.name == "accuracy"


def test_newer_schema_is_refused() -> None:
    """Both versions are named."""
    with pytest.raises(UnreadableSourceError) as caught:
        read_scores(answer(schema=3, tiebreak="3.0"))
    assert str(caught.value) == (
        f"the source was written by tiebreak 3.0 with schema 3; tiebreak {tb.__version__} reads schemas 1 and 2. Update "
        "tiebreak, or write the file anew with this version."
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"metric": None}, "metric.name is missing"),
        ({"metric": {"name": "x", "higher_is_better": "yes"}}, "metric.higher_is_better is 'yes'"),
        ({"scores": {"models": ["svm", "svm"]}}, "scores.models is ['svm', 'svm']"),
        ({"scores": {"models": []}}, "scores.models is []"),
        ({"scores": {"repeat": None}}, "scores.repeat is missing"),
        ({"scores": {"fold": None}}, "scores.fold is missing"),
        ({"scores": {"fold": [0, 1]}}, "scores.fold is of length 2, where 3 splits are"),
        ({"scores": {"fold": [0, 1, 0.5]}}, "scores.fold is [0, 1, 0.5]"),
        ({"scores": {"repeat": [0, 0, 0]}}, "scores.fold is twice 0 in repeat 0"),
        ({"scores": {"score": [[0.1, 0.2, 0.3]]}}, "scores.score is 1 lists, where 2 models are"),
        ({"scores": {"score": [[0.1, 0.2], [0.1, 0.2, 0.3]]}}, "scores.score.svm is of length 2, where 3 splits are"),
        ({"scores": {"score": [[0.1, 0.2, "x"], [0.1, 0.2, 0.3]]}}, "scores.score.svm is 'x'"),
        ({"scores": {"score": [7, [0.1, 0.2, 0.3]]}}, "scores.score.svm is 7"),
        ({"provenance": 3}, "provenance is 3"),
    ],
)
def test_damaged_answers(changes: dict[str, Any], text: str) -> None:
    """The place in the file and what is there."""
    with pytest.raises(UnreadableSourceError) as caught:
        read_scores(answer(**changes))
    assert str(caught.value) == f"the source: {text}, which tiebreak does not write. Was the file changed or cut short?"


def test_infinite_score_of_an_answer() -> None:
    """JSON may hold 1e999, and whole numbers beyond all floats."""
    for value in (float("inf"), 10**400):
        with pytest.raises(InvalidScoresError, match="model 'svm', repeat 0 fold 1: the score is infinite"):
            read_scores(answer(scores={"score": [[0.1, value, 0.2], [0.1, 0.2, 0.3]]}))


def test_splits_of_an_answer_are_sorted() -> None:
    """A file written by hand may have them in any order."""
    matrix = read_scores(answer(scores={"repeat": [1, 0, 0], "fold": [0, 1, 0], "n_train": [7, 8, 9]})).matrix()
    assert_array_equal(matrix.fold, [0, 1, 0])
    assert_array_equal(matrix.n_train, [9, 8, 7])
    assert_array_equal(matrix.score[1], [0.5, 0.6, 0.7])


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [WIDE_FRAME, LONG_FRAME], ids=["wide", "long"])
@pytest.mark.parametrize("orient", ["records", "columns", "list"])
def test_tables(orient: Any, frame: pd.DataFrame, write: Write) -> None:
    """Records, columns as pandas writes them, and columns as lists."""
    text = json.dumps(frame.to_dict("list")) if orient == "list" else frame.to_json(orient=orient)
    assert_array_equal(read(write(text, "scores.json")).matrix().score, SCORE)


def test_byte_order_mark(write: Write) -> None:
    """As some editors write it."""
    assert read(write(b'\xef\xbb\xbf{"a": [0.1], "b": [0.2]}', "s.json")).models == ("a", "b")


def test_records_may_lack_a_score(write: Write) -> None:
    """It is then nan."""
    text = '[{"model": "a", "fold": 0, "score": 1}, {"model": "a", "fold": 1}, {"model": "b", "fold": 0, "score": true}]'
    assert_array_equal(read(write(text, "s.json")).matrix().score, [[1, np.nan], [1, np.nan]])


TABLE = (
    'A table is a list of records, [{"model": ..., "fold": ..., "score": ...}, ...], or a dict of columns, {"model": [...], '
    '"fold": [...], "score": [...]}.'
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"a": [1, 2', "s.json, line 1, column 12: Expecting ',' delimiter. Is the file complete?"),
        ('{"a":\n [1, x]}', "s.json, line 2, column 6: Expecting value. Is the file complete?"),
        ("", "s.json, line 1, column 1: Expecting value. Is the file complete?"),
        ("[" * 100_000, "s.json is nested too deeply to be a table of scores."),
        ("{}", f"s.json is neither an answer of tiebreak nor a table. {TABLE}"),
        ("3", f"s.json is neither an answer of tiebreak nor a table. {TABLE}"),
        ("[]", "s.json is an empty list, so there are no scores in it."),
        ("[1]", 's.json, row 1: a record such as {"model": ..., "fold": ..., "score": ...} is expected; got 1.'),
        ('{"a": 3}', "column 'a' of s.json must be a list; got 3."),
        ('{"a": [1], "b": [1, 2]}', "the columns of s.json differ in length: 'a' has 1 values, 'b' has 2."),
        (b'{"a": "\xe9"}', "s.json is not UTF-8 text (byte 7). Save it as UTF-8."),
    ],
)
def test_unreadable_files(content: str | bytes, text: str, write: Write) -> None:
    """Line and column where there are any."""
    with pytest.raises(UnreadableSourceError) as caught:
        read(write(content, "s.json"))
    assert str(caught.value) == text


def test_whole_number_of_thousands_of_digits(write: Write) -> None:
    """Python refuses to read it; the file is named."""
    with pytest.raises(UnreadableSourceError, match=r"^s\.json: Exceeds the limit"):
        read(write('{"a": [' + "9" * 5000 + "]}", "s.json"))


def test_cell_of_a_table_that_is_no_number(write: Write) -> None:
    """Row and column."""
    with pytest.raises(InvalidScoresError, match=r"^s\.json, row 2, column 'score': 'x' is not a number\.$"):
        read(write('[{"model": "a", "fold": 0, "score": 1}, {"model": "a", "fold": 1, "score": "x"}]', "s.json"))
    with pytest.raises(InvalidScoresError, match=r"^s\.json, row 1, column 'score': '\[1\]' is not a number\.$"):
        read(write('[{"model": "a", "fold": 0, "score": [1]}]', "s.json"))


# --- answers of the second edition --------------------------------------------------------------------------------------
# written by the version before "one family a page"; docs/json.md says what reading them does

OLD = Path(__file__).parent / "data"


def test_an_older_answer_whose_correction_was_not_asked_for_is_compared_again_with_bonferronis() -> None:
    """Holm's was the default of the rank tests, with a rope as well; one notice says what changed."""
    path = OLD / "second_edition_holm_by_default.json"
    content = json.loads(path.read_text())
    assert (content["settings"]["correction"], content["resolved"]["correction"]) == (None, "holm")
    answer = tb.compare(path)
    assert (answer.settings.correction, answer.correction, answer.rope) == (None, "bonferroni", 0.01)
    found = [notice.text for notice in answer.notices if notice.code == "saved-correction"]
    assert len(found) == 1
    assert found[0].endswith(
        "second_edition_holm_by_default.json was given with the correction holm, the default then; it is compared again with "
        "bonferroni, with which all verdicts are right at once"
    )
    assert set(answer.pairs["interval_alpha"]) == {0.05 / 3}
    asked = tb.compare(path, correction="sidak")
    assert (asked.correction, "saved-correction" in {notice.code for notice in asked.notices}) == ("sidak", False)


def test_an_older_answer_with_a_stepwise_correction_and_a_rope_is_an_error_that_shows_what_it_said() -> None:
    """And that says how to compare it again: with another correction, or without the rope."""
    path = OLD / "second_edition_holm_with_a_rope.json"
    content = json.loads(path.read_text())
    with pytest.raises(InvalidParameterError) as caught:
        tb.compare(path)
    message = str(caught.value)
    assert "second_edition_holm_with_a_rope.json was compared with the correction 'holm' and a rope of 0.01." in message
    assert f"It said then: {content['sentence']} To compare it again, say with which correction=: " in message
    assert "With a rope choose 'bonferroni' (the default), 'sidak' or 'none', or compare with a rope of 0." in message
    again = tb.compare(path, correction="bonferroni")
    assert (again.correction, again.rope) == ("bonferroni", 0.01)
    assert tb.compare(path, rope=0).correction == "holm"
    assert tb.read_scores(path).models == ("forest", "svm", "tree")


def test_an_older_column_level_is_interval_alpha() -> None:
    """The same scores give the same intervals, under the name of today; what was 1 - coverage is so still."""
    path = OLD / "second_edition_level_column.json"
    rows = json.loads(path.read_text())["pairs"]
    pairs = tb.compare(path).pairs
    assert "level" not in pairs.columns
    for column, old in (("interval_alpha", "level"), ("interval_low",) * 2, ("interval_high",) * 2, ("verdict",) * 2):
        assert pairs[column].tolist() == pytest.approx([row[old] for row in rows], rel=1e-12), column


def test_an_older_report_is_read_as_its_answer(tmp_path: Path) -> None:
    """A report holds the same record between its tags, for each metric."""
    for name in ("holm_by_default", "level_column"):
        path = OLD / f"second_edition_{name}.json"
        page = tmp_path / f"{name}.html"
        data = json.dumps({"answers": [{"view": json.loads(path.read_text())}]})
        page.write_text(f'<html><body><script type="application/json" id="data">{data}</script></body></html>')
        assert tb.compare(page).pairs.equals(tb.compare(path).pairs)
        codes = [{notice.code for notice in tb.compare(source).notices} for source in (page, path)]
        assert codes[0] == codes[1]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("door", [tb.compare, tb.read_items, tb.rate])
@pytest.mark.parametrize(
    ("record", "text"),
    [
        ('{"item": 1, "model": "a", "score": 1, "score": 0}', "the key 'score' stands twice in one object"),
        ('{"model_a": "x", "model_b": "y", "winner": "a", "winner": "b"}', "the key 'winner' stands twice in one object"),
        ('{"item": 1, "model": "a", "score": NaN}', "NaN is not JSON. Write null for a score that is undefined"),
    ],
)
def test_what_json_does_not_have_is_refused_at_every_door(
    ending: str, door: Callable[[Path], Any], record: str, text: str, tmp_path: Path
) -> None:
    """In the same words, whichever door: of two values of one key a parser keeps one in silence."""
    path = tmp_path / f"table.{ending}"
    path.write_text(f"[{record}]" if ending == "json" else f"{record}\n")
    with pytest.raises(UnreadableSourceError, match=text):
        door(path)
