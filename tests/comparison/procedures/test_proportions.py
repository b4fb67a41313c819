"""Rates on a test set of each model's own, by Newcombe's interval."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.errors import DataError

TABLE = {"model": ["a", "b", "c"], "correct": [45, 30, 56], "n": [50, 40, 57]}


def test_a_published_example() -> None:
    """Newcombe (1998), table II, 9/10 against 3/10 by method 10: 0.1705 to 0.8090."""
    answer = tb.compare({"model": ["a", "b"], "correct": [9, 3], "n": [10, 10]})
    assert (answer.method.name, answer.method.unit) == ("newcombe", "example")
    pair = answer.pair("a", "b")
    assert [round(pair.interval_low, 4), round(pair.interval_high, 4)] == [0.1705, 0.8090]
    assert pair.n_units == 20


def test_beside_a_model_stands_the_size_of_its_own_test_set() -> None:
    """Not that of the pair with the first one."""
    lines = [line.split() for line in str(tb.compare(TABLE)).splitlines()]
    assert {line[1]: line[3] for line in lines if line[:1] in (["1"], ["2"], ["3"])} == {"a": "50", "b": "40", "c": "57"}


@pytest.mark.slow
def test_pairs_are_those_of_the_array_function() -> None:
    """Ends at the level of the family to 1e-12, tails their inverse, for accuracies and for error rates."""
    for column, higher in (("correct", True), ("errors", False)):
        answer = tb.compare({"model": list("abc"), column: TABLE["correct"], "total": TABLE["n"]}, rope=0.05)
        assert answer.metric.higher_is_better == higher
        counts = dict(zip("abc", zip(TABLE["correct"], TABLE["n"], strict=True), strict=True))
        for pair in answer.pairs.itertuples():
            array = tb.statistics.newcombe(*counts[pair.first], *counts[pair.second], higher_is_better=higher)
            ends = array.interval(1 - 0.05 / 3)
            assert_allclose([pair.difference, pair.interval_low, pair.interval_high], [array.estimate, *ends], rtol=1e-12)
    ranking = tb.compare(TABLE).ranking
    for row in ranking.itertuples():
        assert_allclose([row.mean_low, row.mean_high], tb.statistics.proportion_interval(*counts[row.model]), rtol=1e-12)


def test_welch_of_right_and_wrong() -> None:
    """By name: `welch_ttest` of the 1 and 0 themselves."""
    pair = tb.compare(TABLE, method="welch").pair("a", "b")
    ones = [np.repeat([1.0, 0.0], [k, n - k]) for k, n in ((45, 50), (30, 40))]
    array = tb.statistics.welch_ttest(*ones)
    assert_allclose([pair.difference, pair.standard_error, pair.df], [array.estimate, array.se, array.df], rtol=1e-9)
    assert_allclose(pair.pvalue, array.pvalue(), rtol=1e-9)
    assert pair.n_units == 90


def test_rates_and_several_test_sets() -> None:
    """A rate and its n are a count, which need not be whole; several test sets of a model are one."""
    rates = {"model": ["a", "b"], "test_set": ["x", "y"], "score": [0.15, 0.25], "n_test": [30, 5000]}
    pair = tb.compare(rates, metric="error", lower_is_better=True).pair("a", "b")
    array = tb.statistics.newcombe(0.15 * 30, 30, 0.25 * 5000, 5000, higher_is_better=False)
    assert_allclose([pair.interval_low, pair.interval_high], array.interval(), rtol=1e-12)
    parts = {"model": ["a", "a", "b"], "test_set": ["x", "y", "z"], "correct": [20, 25, 30], "n": [20, 30, 40]}
    whole = tb.compare({"model": ["a", "b"], "correct": [45, 30], "n": [50, 40]})
    assert_allclose(tb.compare(parts).pairs["pvalue"], whole.pairs["pvalue"], rtol=1e-12)


def test_the_page_says_that_test_sets_differ() -> None:
    """With their sizes; no unit is missing."""
    answer = tb.compare(TABLE, rope=0.05)
    assert "A test set of each model's own, of 40-57 examples" in str(answer).replace("\n  ", " ")
    assert "missing-splits" not in [notice.code for notice in answer.notices]


def test_bad_input() -> None:
    """More right than there are, percent, a model twice, one test set for two models, and other procedures."""
    with pytest.raises(DataError, match="row 1, column 'correct': it is 51, of 50 examples; it must be between 0 and the number"):
        tb.compare({**TABLE, "correct": [51, 1, 1]})
    with pytest.raises(DataError, match="row 2, column 'score': it is 25, of 40 examples; it must be a rate between 0 and 1"):
        tb.compare({"model": ["a", "b"], "test_set": [1, 2], "score": [0.2, 25], "n_test": [50, 40]}, metric="accuracy")
    with pytest.raises(DataError, match=r"two rows for model 'a'. Add them up, or name the test sets in a column 'test_set'"):
        tb.compare({**TABLE, "model": ["a", "a", "b"]})
    with pytest.raises(DataError, match=r"'a' and 'b' were both scored on the test set 'x'.* a column 'item' and one for"):
        tb.compare({**TABLE, "test_set": ["x", "x", "y"]})
    with pytest.raises(
        DataError, match=r"and these are scores on a test set of each model's own. Leave method= out .*'newcombe'"
    ):
        tb.compare(TABLE, method="corrected-t")
    with pytest.raises(DataError, match="pass the columns 'model', 'correct' and 'n'"):
        tb.compare({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}, metric="accuracy", method="newcombe")


def of_own_items(shared: int = 0) -> dict[str, list[Any]]:
    """The same answers as items: 'q1 of a' and so on, the first ones of all models under one name if some are shared."""
    rows = [
        {"question": f"q{i}" if i < shared else f"q{i} of {model}", "model": model, "score": float(i < correct)}
        for model, correct, n in zip(TABLE["model"], TABLE["correct"], TABLE["n"], strict=True)
        for i in range(n)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("method", ["auto", "newcombe"])
def test_items_that_no_two_models_share_are_counted(method: Any) -> None:
    """Scores of each model's own items give the very pairs of their counts; the page says what was found, and what if not."""
    answer = tb.compare(of_own_items(), method=method)
    counted = tb.compare(TABLE, method=method)
    assert answer.method.name == counted.method.name
    assert (answer.method.question, answer.method.unit) == ("test-sets", "question")
    columns = ["difference", "interval_low", "interval_high", "pvalue"]
    assert_allclose(answer.pairs[columns], counted.pairs[columns], rtol=1e-12)
    assert list(answer.pairs["verdict"]) == list(counted.pairs["verdict"])
    text = " ".join(answer.to_text(columns="all").split())
    assert "A test set of each model's own, of 40-57 questions" in text
    assert "No question was scored for two models" in text
    assert "if 'q0 of c' of 'c' and 'q0 of a' of 'a' are the same questions under other names, give them one name" in text
    assert "missing-splits" not in text
    assert answer.plot.names == ("ranking", "verdicts")


def test_items_of_own_sets_are_read_back(tmp_path: Path) -> None:
    """A saved answer holds the items, and gives the same pairs."""
    answer = tb.compare(of_own_items(), rope=0.05)
    (tmp_path / "answer.json").write_text(answer.to_json(), encoding="utf-8")
    assert tb.compare(tmp_path / "answer.json").pairs.equals(answer.pairs)


def test_items_shared_in_part_are_no_test_sets_of_their_own() -> None:
    """One shared question is enough: what is missing is named, or left out of each pair."""
    with pytest.raises(DataError, match="'a' lacks 93 of the 143 questions"):
        tb.compare(of_own_items(shared=2))
    answer = tb.compare(of_own_items(shared=2), missing="pairwise")
    assert answer.method.name == "tango"
    assert set(answer.pairs["n_units"]) == {2}


@pytest.mark.parametrize("method", ["tango", "wilcoxon"])
def test_paired_methods_are_refused_for_items_of_own_sets(method: Any) -> None:
    """By the name of the one that suits them, without advice to give what was given."""
    with pytest.raises(DataError, match=r"these are scores on a test set of each model's own\. .*'newcombe'[.]$"):
        tb.compare(of_own_items(), method=method)


def test_counts_are_of_items_once_and_independent() -> None:
    """Clusters are a reason for Welch's test, which the refusal names."""
    table = of_own_items()
    table["cluster"] = [item.split()[-1] + str(i % 7) for i, item in enumerate(table["question"])]
    assert tb.compare(table).method.name == "welch"
    with pytest.raises(DataError, match=r"but the questions come in clusters\. The method 'welch'"):
        tb.compare(table, method="newcombe")
