"""Slices of the items: every pair in every slice, one family."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tests.comparison.procedures.test_items import answers, items_of
from tiebreak.errors import InvalidParameterError, UnknownNameError
from tiebreak.statistics import paired_counts, tango
from tiebreak.statistics.family import adjust_pvalues, shared_alpha

TOPICS = tuple(np.array(["law", "code", "maths"])[np.arange(200) % 3])


def sliced(**settings: object) -> tb.Comparison:
    """Four models, right or wrong on 200 questions of three topics."""
    return tb.compare(answers(columns={"topic": TOPICS}), **{"rope": 0.02, **settings})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", "none"])
def test_pairs_and_slices_are_one_family(correction: str) -> None:
    """Six pairs on three slices share the level of eighteen, by every correction; intervals are the array function's."""
    answer = sliced(correction=correction, rope=0)  # stepwise ones take none
    frame = answer.slices("topic").to_frame()
    assert len(frame) == 18
    level = shared_alpha(frame["pvalue"], correction, 0.05)  # type: ignore[arg-type]
    assert set(frame["interval_alpha"]) == {level}
    assert_allclose(frame["adjusted_pvalue"], adjust_pvalues(frame["pvalue"], correction), rtol=1e-12)  # type: ignore[arg-type]
    items = answers()
    for row in frame.to_dict("records"):
        chosen = np.array(TOPICS) == row["slice"]
        one, two = (items.models.index(row[side]) for side in ("first", "second"))
        expected = tango(*paired_counts(items.score[:, 0][:, chosen], one, two))
        assert_allclose([row["interval_low"], row["interval_high"]], expected.interval(1 - level), atol=1e-9)
        assert row["n_units"] == chosen.sum()
        assert row["adjusted_pvalue"] > 0.05 or row["interval_low"] > 0 or row["interval_high"] < 0


@pytest.mark.slow
def test_the_page_and_json_have_them(tmp_path: Path) -> None:
    """Asked for with by=, and again when the saved answer is read."""
    answer = sliced(by="topic")
    text = " ".join(answer.to_text().split())
    assert "By topic; a positive difference favours the first" in text
    assert "All 18 intervals of slices hold together; the pairs on all questions are a family apart." in text
    assert len(json.loads(answer.to_json(tmp_path / "answer.json"))["slices"]) == 18
    assert tb.compare(tmp_path / "answer.json").to_json() == answer.to_json()


def test_two_models_are_said_by_slice() -> None:
    """With the slices that show a difference by name, in either direction."""
    n = 300
    one = np.where(np.arange(n) < 150, 1, np.arange(n) % 4 == 0)
    two = np.where(np.arange(n) < 150, np.arange(n) % 2, 1)
    items = items_of(np.array([one, two]), columns={"topic": ("law",) * 150 + ("code",) * 150})
    slices = tb.compare(items).slices("topic")
    assert set(slices.to_frame()["verdict"]) == {"better", "worse"}
    assert "b is ahead of a on 'code' and behind it on 'law'" in " ".join(slices.to_text().split())
    assert list(slices.contradictions())


def test_a_slice_of_one_cluster_stays_undecided() -> None:
    """It has no interval; the others do."""
    clusters = tuple("x" if topic == "law" else f"{topic} {i % 10}" for i, topic in enumerate(TOPICS))
    frame = tb.compare(answers(columns={"topic": TOPICS}, clusters=clusters)).slices("topic").to_frame()
    law = frame[frame["slice"] == "law"]
    assert (set(law["verdict"]), set(law["reason"])) == ({"undecided"}, {"missing-splits"})
    assert (frame["interval_low"].isna() == (frame["slice"] == "law")).all()
    score, own = answers().score[:, 0], np.array(TOPICS) == "law"
    assert_allclose(law.iloc[0]["difference"], (score[0] - score[1])[own].mean())


def test_what_makes_no_slices_is_refused() -> None:
    """500 different texts, a column that is not there, and scores of splits."""
    many = answers(500, columns={"url": tuple(f"u{i}" for i in range(500))})
    splits = tb.compare({"a": [0.8, 0.7, 0.9], "b": [0.7, 0.7, 0.8]}, metric="accuracy", n_train=90, n_test=10)
    for answer, column, error, text in (
        (tb.compare(many), "url", InvalidParameterError, "the column 'url' has 500 different values; slices are of 50 or fewer"),
        (sliced(), "topics", UnknownNameError, "'topics': did you mean 'topic'"),
        (sliced(), None, InvalidParameterError, "say by which column"),
        (splits, "topic", InvalidParameterError, "slices of the items of one test set, and these scores are of splits"),
    ):
        with pytest.raises(error, match=text):
            answer.slices(column)


def test_gaps_are_slices_and_are_in_slices() -> None:
    """Items without a text are a slice called (none); a pair is undecided in one of which a model has no score."""
    table = {"question": range(60), "topic": ["law", None, "code"] * 20, "a": [1, 0.5, 0] * 20, "b": [1, 1, None] * 20}
    answer = tb.compare(pd.DataFrame(table), metric="score", lower_is_better=False, missing="pairwise")
    assert answer.slices("topic").to_frame()["reason"].tolist() == ["identical-scores", "no-spread", "missing-splits"]
