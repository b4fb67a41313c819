"""Order of units that are looked at before all are in: a random one passes, one that carries information is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.comparison.look_order import ALPHA, _signs, alpha_of_look, refuse_order
from tiebreak.comparison.procedures import METHODS
from tiebreak.errors import UnsuitableDesignError

N = 400


def items(order: str, seed: int, *, n: int = N, metadata: bool = True) -> tb.Items:
    """The first n of N questions of eight subjects, to four models, in this order."""
    rng = np.random.default_rng(seed)
    subject = rng.integers(0, 8, N)
    difficulty = rng.normal(size=N) + rng.normal(0, 0.8, 8)[subject]
    right = rng.random((4, N)) < 1 / (1 + np.exp(difficulty - rng.normal(0, 0.5, (4, 8))[:, subject]))
    orders = {"random": np.arange(N), "subject": np.argsort(subject, kind="stable"), "difficulty": np.argsort(difficulty)}
    rows = orders[order][:n]
    columns = {"area": tuple(f"s{k}" for k in subject[rows]), "hard": tuple(f"{d:.4f}" for d in difficulty[rows])}
    models, names = tuple(f"m{k}" for k in range(4)), tuple(f"q{k}" for k in rows)
    score = right[:, None, rows].astype(float)
    return tb.Items(tb.Metric("accuracy", True), models, ("",), names, score, columns=columns if metadata else {})


def is_refused(table: tb.Items) -> bool:
    """True where a look at the table is refused."""
    try:
        refuse_order(METHODS["tango"], table.as_scores(), "question")
    except UnsuitableDesignError:
        return True
    return False


@pytest.mark.parametrize(
    ("order", "text"), [("subject", "'area' comes in blocks"), ("difficulty", "along the table|like that of")]
)
def test_a_sorted_order_is_refused(order: str, text: str) -> None:
    """By the column that it was sorted by, in all of 40 tables; the message says which."""
    assert all(is_refused(items(order, seed)) for seed in range(40))
    with pytest.raises(UnsuitableDesignError, match=rf"do not come in random order: .*({text})"):
        refuse_order(METHODS["tango"], items(order, 0).as_scores(), "question")


def test_an_order_by_difficulty_shows_in_the_scores_alone() -> None:
    """Without any column, in nearly all tables."""
    assert np.mean([is_refused(items("difficulty", seed, metadata=False)) for seed in range(40)]) >= 0.8


def test_two_subjects_one_after_the_other_show_in_all_scores_together() -> None:
    """No model alone and not their mean tells them apart, as each of six is better at one by as much as another is worse."""
    rng = np.random.default_rng(4)
    turn = np.array([1, -1, 1, -1, 1, -1])[:, None] * np.where(np.arange(N) < 220, 0.09, -0.09)
    score = (rng.random((6, N)) < 0.6 + turn)[:, None].astype(float)
    models, names = tuple("abcdef"), tuple(map(str, range(N)))
    table = tb.Items(tb.Metric("accuracy", True), models, ("",), names, score)
    with pytest.raises(UnsuitableDesignError, match=r"the scores change along the table, most after 2\d\d questions"):
        refuse_order(METHODS["tango"], table.as_scores(), "question")
    shuffled = score[:, :, rng.permutation(N)]
    assert not is_refused(tb.Items(tb.Metric("accuracy", True), models, ("",), names, shuffled))


def test_a_few_errors_side_by_side_are_no_change() -> None:
    """Of 400 questions each of two models misses the same four of the first forty, or of any: chance alone does that."""
    score = np.ones((2, 1, N))
    score[:, :, [1, 7, 20, 33]] = 0.0
    score[1, :, 399] = 0.0
    table = tb.Items(tb.Metric("accuracy", True), ("a", "b"), ("",), tuple(map(str, range(N))), score)
    found = [sign for sign in _signs(METHODS["tango"], table.as_scores(), "question") if sign.is_joint]
    assert found == []


def test_a_random_order_is_not_refused() -> None:
    """At most 7 in 1,000 may be at a first look, and 8 in a million at a twentieth: of 200 tables few are, then none."""
    assert sum(is_refused(items("random", seed)) for seed in range(200)) <= 3
    for seed in range(200):
        refuse_order(METHODS["tango"], items("random", seed).as_scores(), "question", number=20)


def test_all_looks_together_refuse_at_most_one_random_order_in_a_hundred() -> None:
    """The parts of a thousand looks add up to less than ALPHA, and the first is the largest."""
    parts = [alpha_of_look(number) for number in range(1, 1001)]
    assert ALPHA * 0.999 < sum(parts) < ALPHA
    assert parts == sorted(parts, reverse=True)


def test_one_group_alone_is_refused_where_its_column_says_what_it_is() -> None:
    """The first 40 of a table that is sorted by subject are of one subject; a column of another name may well be constant."""
    table = items("random", 0, n=40, metadata=False)
    for name, refused in (("subject", True), ("Topic", True), ("prompt", False)):
        named = tb.Items(
            table.metric, table.models, table.runs, table.items, table.score, columns={name: ("x",) * len(table.items)}
        )
        assert is_refused(named) == refused


def test_numbers_that_say_when_an_item_came_go_with_any_order() -> None:
    """An index or a time stamp rises along every table."""
    table = items("random", 0, metadata=False)
    for name, refused in (("index", False), ("start_time", False), ("length", True)):
        numbers = tuple(str(k) for k in range(N))
        named = tb.Items(table.metric, table.models, table.runs, table.items, table.score, columns={name: numbers})
        assert is_refused(named) == refused


def test_clusters_are_tested_as_units() -> None:
    """Items of a cluster stand together in any order of clusters; clusters that are sorted by their scores are refused."""
    rng = np.random.default_rng(0)
    effect = rng.normal(size=60)
    for order, refused in ((np.arange(60), False), (np.argsort(effect), True)):
        score = effect[order].repeat(5) + rng.normal(size=(2, 1, 300))
        clusters = tuple(f"c{k // 5}" for k in range(300))
        names = tuple(map(str, range(300)))
        table = tb.Items(tb.Metric("quality", True), ("a", "b"), ("",), names, score, clusters=clusters)
        try:
            refuse_order(METHODS["clustered-t"], table.as_scores(), "cluster")
            assert not refused
        except UnsuitableDesignError:
            assert refused
