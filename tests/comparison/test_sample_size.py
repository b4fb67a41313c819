"""Sample sizes as a result: what more and less would show, what to spend on, looks, and the order in which to run."""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.comparison.sample_size import look_units, smallest_whole, whole
from tiebreak.errors import InvalidParameterError


def test_steps_show_less_with_fewer_units() -> None:
    """Smallest differences fall with the number of units, powers rise, and costs count all models."""
    steps = tb.sample_size(difference=0.1, sd=0.5, n_models=3).steps
    assert [step.smallest for step in steps] == sorted((step.smallest for step in steps), reverse=True)
    assert [step.power for step in steps] == sorted(step.power for step in steps)
    assert all(step.cost == 3 * step.n for step in steps)


def test_the_smallest_difference_has_the_power() -> None:
    """What 100 items show with 80 % has a power of 80 % with 100 items."""
    size = tb.sample_size(n=100, sd=1.0)
    assert size.power_at(100, size.smallest(100)) == pytest.approx(0.8, abs=1e-4)
    assert size.smallest(100) == size.difference


def test_spending_on_runs_and_items_by_hand() -> None:
    """Items 0.9, both 0.5 and runs 0.1 as standard deviations, 100 items and 2 runs: squared errors by their parts."""
    size = tb.sample_size(n=100, sd=np.hypot(0.9, 0.5), run_sd=0.5, shared_run_sd=0.1, n_runs=2)
    planned = 0.81 / 100 + 0.01 / 2 + 0.25 / 200
    rows = {way.what: way.error for way in size.spending}
    assert rows["as planned"] == 1.0
    assert rows["twice the items"] == pytest.approx(np.sqrt((0.81 / 200 + 0.01 / 2 + 0.25 / 400) / planned))
    assert rows["twice the runs"] == pytest.approx(np.sqrt((0.81 / 100 + 0.01 / 4 + 0.25 / 400) / planned))
    assert [way.cost for way in size.spending] == [400, 800, 800]


def test_spending_on_larger_clusters_brings_less() -> None:
    """With a correlation of 0.5, twice the items of a cluster of 4 divide the variance by 2 (1 + 3/2) / (1 + 7/2) = 1.11."""
    size = tb.sample_size(n=400, sd=1.0, cluster_size=4, intraclass_correlation=0.5)
    rows = {way.what: way.error for way in size.spending}
    assert rows["twice the clusters"] == pytest.approx(np.sqrt(1 / 2))
    assert rows["twice the items of each cluster"] == pytest.approx(np.sqrt(4.5 / (2 * 2.5)))


def test_units_come_in_whole_clusters() -> None:
    """Items of texts of 7 are planned by the text."""
    size = tb.sample_size(difference=0.2, sd=1.0, cluster_size=7, intraclass_correlation=0.1)
    assert size.n is not None
    assert size.n % 7 == 0
    assert tb.sample_size(n=100, sd=1.0, cluster_size=7, intraclass_correlation=0.1).n == 105


def test_costs_in_seconds() -> None:
    """Three models, five repeats of ten folds, two seconds each: 300 s."""
    size = tb.sample_size(n=5, question="splits", sd=0.03, n_models=3, seconds=2)
    assert (size.cost_of(5), size.total_seconds) == (150, 300.0)


def test_no_look_is_taken_below_the_measured_units() -> None:
    """Tango's looks begin at 20 items, so of ten looks at 100 items the one at 10 becomes the one at 20."""
    size = tb.sample_size(n=100, discordant=0.3, looks=10)
    assert look_units(size.data, 100, 10) == (20, 30, 40, 50, 60, 70, 80, 90, 100)
    assert "fewer than 20 were not measured" in " ".join(str(size).split())


def test_whole_numbers_are_found_by_doubling_and_halving() -> None:
    """The fewest multiple of 3 from 6 on with a square above 1,000 is 33; nothing is enough for a condition that never holds."""
    assert smallest_whole(lambda n: n * n > 1000, 6, 3) == 33
    assert smallest_whole(lambda n: n >= 6, 6, 3) == 6
    assert smallest_whole(lambda n: False, 2, 1) is None
    assert (whole(7.0, 3), whole(9.0, 3)) == (9, 9)


def test_the_order_is_random_and_the_same_for_a_seed() -> None:
    """Each item once, in another order for another seed, with the look that first sees it."""
    size = tb.sample_size(n=100, discordant=0.3, looks=5)
    order = size.order(rng=1)
    assert sorted(row["item"] for row in order) == list(range(1, 101))  # type: ignore[type-var]
    assert [row["position"] for row in order] == list(range(1, 101))
    assert [row["look"] for row in order] == [1] * 20 + [2] * 20 + [3] * 20 + [4] * 20 + [5] * 20
    assert order == size.order(rng=1) != size.order(rng=2)


def test_an_order_of_named_units_takes_some_of_them() -> None:
    """Of 10 named datasets the 6 of the plan, at random."""
    names = [f"data {k}" for k in range(10)]
    order = tb.sample_size(n=6, question="datasets", sd=1.0).order(names, rng=3)
    chosen = [row["dataset"] for row in order]
    assert len(set(chosen)) == 6
    assert set(chosen) < set(names)
    assert chosen != sorted(chosen, key=str)


def test_an_order_keeps_clusters_whole() -> None:
    """Items of one text stand together, though the plan ends within it."""
    size = tb.sample_size(n=8, sd=1.0, cluster_size=4, intraclass_correlation=0.2)
    ids = [f"q{k}" for k in range(20)]
    texts = [f"text {k % 5}" for k in range(20)]
    order = size.order(ids, texts, rng=0)
    named = [str(row["cluster"]) for row in order]
    assert len(order) == 8
    assert sum(a != b for a, b in pairwise(named)) == 1
    assert len(size.order(rng=0)) == 8


def test_an_order_of_splits_is_that_of_their_repeats(tmp_path: Path) -> None:
    """Two repeats of five folds, written as CSV."""
    tb.sample_size(n=2, question="splits", sd=0.1, n_folds=5).write_order(tmp_path / "order.csv")
    lines = (tmp_path / "order.csv").read_text().splitlines()
    assert lines[:2] == ["position,repeat,fold", "1,0,0"]
    assert lines[-1] == "10,1,4"


def test_bad_names_for_an_order() -> None:
    """Too few of them, one twice, clusters of another number, or none where they are needed."""
    size = tb.sample_size(n=5, question="datasets", sd=1.0)
    with pytest.raises(InvalidParameterError, match="there are 3 names for 5 datasets"):
        size.order(["a", "b", "c"])
    with pytest.raises(InvalidParameterError, match="the dataset 'a' is named twice"):
        size.order(list("aabcde"))
    with pytest.raises(InvalidParameterError, match="one name for each of the 5 datasets; got 2"):
        size.order(list("abcde"), ["x", "y"])
    clustered = tb.sample_size(n=8, sd=1.0, cluster_size=4, intraclass_correlation=0.2)
    with pytest.raises(InvalidParameterError, match="come in clusters here"):
        clustered.order(range(8))
    with pytest.raises(InvalidParameterError, match="splits have no names"):
        tb.sample_size(n=2, question="splits", sd=0.1).order(["a"])
    with pytest.raises(InvalidParameterError, match="no number of units is enough"):
        tb.sample_size(difference=0.001, question="splits", sd=0.1).order()


def test_numbers_that_cannot_be_asked() -> None:
    """Fewer units than an interval needs, or half of one."""
    size = tb.sample_size(n=50, sd=1.0)
    for n in (1, 2.5):
        with pytest.raises(InvalidParameterError, match="n must be a whole number of at least 2"):
            size.power_at(n)  # type: ignore[arg-type]


def test_a_plan_of_three_items_warns_of_nothing() -> None:
    """Differences that are larger than the items on which models can differ at all are tried on the way, in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "3" in str(tb.sample_size(rates=0.5, correlation=0.5, n=3))
