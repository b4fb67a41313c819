"""The public function `sample_size`: numbers of textbooks and other programs, and everything that is missing, at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist import group_sequential_design


def test_graded_items_are_those_of_the_noncentral_t() -> None:
    """By scipy's noncentral t 285 items show a sixth of a standard deviation with 0.8; Johnson's end asks for one more."""
    power = [stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, np.sqrt(n) / 6) for n in (284, 285)]
    assert power[0] < 0.8 < power[1]
    size = tb.sample_size(difference=0.05, sd=0.3)
    assert (size.n, size.data.procedure) == (286, "clustered-t")


def test_half_the_difference_takes_four_times_the_items() -> None:
    """Power is about the square root of n times the difference."""
    one, half = (tb.sample_size(difference=d, sd=1.0).n or 0 for d in (0.1, 0.05))
    assert half == pytest.approx(4 * one, rel=0.01)


def test_right_and_wrong_is_near_connors_number() -> None:
    """Connor's formula has 1,960 items for a difference of 2 points and 10 % discordant; Tango's exact power says it by 1 %."""
    size = tb.sample_size(difference=0.02, discordant=0.1)
    assert size.n == pytest.approx(1960, rel=0.01)
    assert size.power_at(size.n or 0) >= 0.8 > size.power_at((size.n or 0) - 20)


def test_test_sets_are_near_the_textbooks_number() -> None:
    """n = (z sqrt(2 m (1 - m)) + z' sqrt(p (1 - p) + q (1 - q)))^2 / d^2 is 6,039 for 82 and 80 %."""
    assert tb.sample_size(rates=(0.82, 0.80), question="test-sets").n == pytest.approx(6_039, rel=0.002)


def test_pairing_saves_and_clusters_cost() -> None:
    """Two test sets take the most items; clusters of 5 with a correlation of 0.25 twice as many as none: 1 + 4 x 0.25."""
    apart = tb.sample_size(rates=(0.82, 0.80), question="test-sets").n or 0
    paired = tb.sample_size(rates=(0.82, 0.80), correlation=0.5).n or 0
    clustered = tb.sample_size(rates=(0.82, 0.80), correlation=0.5, cluster_size=5, intraclass_correlation=0.25).n or 0
    assert apart > 1.5 * paired
    assert clustered == pytest.approx(2 * paired, rel=0.01)


def test_seeds_are_those_of_the_two_sample_t_test() -> None:
    """R 4.3, power.t.test(power = .90, delta = 1): n = 22.02110, so 23 seeds of each; Welch's test asks for as many."""
    assert tb.sample_size(difference=1.0, sd=1.0, question="seeds", power=0.9).n == 23


def test_paired_seeds_are_those_of_the_one_sample_t_test() -> None:
    """Fewest n with a noncentral t power of 0.8 for a difference of one standard deviation: 10, where n = 9 has 0.745."""
    power = [stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, np.sqrt(n)) for n in (9, 10)]
    assert power[0] < 0.8 < power[1]
    assert tb.sample_size(difference=1.0, sd=1.0, question="seeds", paired=True).n == 10


def test_each_of_three_is_found_from_the_other_two() -> None:
    """The difference that n units show with 80 % has, given with n, a power of 80 %, and given with the power, that n."""
    for more in (
        {"sd": 0.3},
        {"discordant": 0.2},
        {"areas": 0.8},
        {"sd": 0.3, "question": "seeds"},
        {"rates": 0.6, "question": "test-sets"},
    ):
        by_n = tb.sample_size(n=80, **more)  # type: ignore[arg-type]
        assert by_n.solved == "difference"
        by_both = tb.sample_size(n=80, difference=by_n.difference, **more)  # type: ignore[arg-type]
        assert (by_both.solved, by_both.power) == ("power", pytest.approx(0.8, abs=0.01))
        assert tb.sample_size(difference=by_n.difference, **more).n == pytest.approx(80, abs=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("goal", ["equivalent", "not worse", "near best"])
def test_goals_within_a_rope(goal: Any) -> None:
    """Of two equal models the smallest rope that n units show is found again by n."""
    by_n = tb.sample_size(n=300, sd=1.0, goal=goal)
    assert by_n.solved == "rope"
    assert tb.sample_size(rope=by_n.rope, sd=1.0, goal=goal).n == pytest.approx(300, abs=1)


def test_goals_are_ordered_by_what_they_ask() -> None:
    """Among two models "near best" is "not worse"; among more it takes more items, and so does equivalence."""
    n = {goal: tb.sample_size(rope=0.05, sd=0.5, goal=goal).n or 0 for goal in ("not worse", "near best", "equivalent")}  # type: ignore[arg-type]
    assert n["not worse"] == n["near best"] < n["equivalent"]
    assert (tb.sample_size(rope=0.05, sd=0.5, goal="near best", n_models=6).n or 0) > n["near best"]


def test_a_rope_makes_better_harder() -> None:
    """Showing 0.05 to exceed a rope of 0.02 takes as many items as showing 0.03, but for the spread."""
    beyond = tb.sample_size(difference=0.05, rope=0.02, sd=0.5).n
    assert beyond == tb.sample_size(difference=0.03, sd=0.5).n
    assert tb.sample_size(difference=0.05, sd=0.5, goal="ahead").n == tb.sample_size(difference=0.05, sd=0.5).n


def test_pairs_share_alpha() -> None:
    """Ten pairs of five models are judged at 0.005 each, and four pairs with a baseline at 0.0125."""
    one = tb.sample_size(difference=0.1, sd=1.0, alpha=0.005).n
    assert tb.sample_size(difference=0.1, sd=1.0, n_models=5).n == one
    assert tb.sample_size(difference=0.1, sd=1.0, n_models=5, baseline=True).target.interval_alpha == pytest.approx(0.0125)
    assert tb.sample_size(difference=0.1, sd=1.0, n_models=5, correction="none").target.interval_alpha == 0.05
    assert tb.sample_size(rope=0.1, sd=1.0, goal="not worse", n_questions=5).target.interval_alpha == pytest.approx(0.01)


def test_splits_have_a_floor() -> None:
    """Ever so many repeats have the error sd sqrt(1/9), so z + z' = 2.80 times 0.01 is the least that they show."""
    size = tb.sample_size(difference=0.005, sd=0.03, question="splits")
    assert (size.n, size.solved) == (None, "n")
    assert size.floor == pytest.approx((stats.norm.isf(0.025) + stats.norm.isf(0.2)) * 0.01, rel=1e-4)
    assert size.times_data == pytest.approx((size.floor / 0.005) ** 2)
    assert size.smallest(size.worth_running or 0) <= 1.05 * size.floor < size.smallest((size.worth_running or 0) - 1)


def test_splits_are_those_of_the_noncentral_t() -> None:
    """Ten repeats of ten folds: df 99, and the corrected variance sd^2 (1/100 + 1/9)."""
    size = tb.sample_size(difference=0.03, n=10, sd=0.03, question="splits")
    error = 0.03 * np.sqrt(1 / 100 + 1 / 9)
    assert size.power == pytest.approx(stats.nct.sf(stats.t.ppf(0.975, 99), 99, 0.03 / error), abs=1e-6)
    assert tb.sample_size(difference=0.03, n=10, sd=0.03, question="splits", n_train=90, n_test=10).power == pytest.approx(
        size.power
    )


def test_runs_save_items_until_what_they_share_is_all_that_is_left() -> None:
    """With an item's luck averaged over runs fewer items do; luck that all items share sets a floor."""
    one, many = (tb.sample_size(difference=0.05, sd=0.5, run_sd=0.4, n_runs=runs).n or 0 for runs in (1, 20))
    assert one > 2 * many
    assert tb.sample_size(difference=0.05, sd=0.5, run_sd=0.4, n_runs=3, shared_run_sd=0.1).n is None


def test_looks_cost_a_little_and_save_much() -> None:
    """The plan grows by the inflation of the design, and stops early on average."""
    without = tb.sample_size(difference=0.02, discordant=0.1)
    size = tb.sample_size(difference=0.02, discordant=0.1, looks=5)
    design = group_sequential_design(np.arange(1, 6) / 5)
    inflation = (design.drift_for(0.8) / (stats.norm.isf(0.025) + stats.norm.isf(0.2))) ** 2
    looks = size.looks
    assert looks is not None
    assert looks.largest == size.n == pytest.approx(1960 * inflation, rel=0.01)
    assert looks.expected == pytest.approx(design.expected_fraction(design.drift_for(0.8)) * (size.n or 0), rel=0.01)
    assert looks.expected < (without.n or 0) < looks.expected_if_equal <= looks.largest
    assert sum(looks.stopping) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("goal", ["equivalent", "not worse", "near best"])
def test_looks_for_goals_within_a_rope(goal: Any) -> None:
    """They take more items at most, and fewer on average, than one look at the end."""
    without = tb.sample_size(rope=0.1, sd=0.5, goal=goal, n_models=3).n or 0
    looks = tb.sample_size(rope=0.1, sd=0.5, goal=goal, n_models=3, looks=4).looks
    assert looks is not None
    assert looks.expected <= looks.largest
    assert without <= looks.largest <= 1.1 * without


def test_looks_at_repeats_go_by_their_information() -> None:
    """The first of five repeats has (1/50 + 1/9) / (1/10 + 1/9) = 0.62 of the information, and its level is spent so."""
    size = tb.sample_size(difference=0.05, n=5, sd=0.03, question="splits", looks=5)
    expected = group_sequential_design(
        [(1 / 50 + 1 / 9) / (1 / (10 * k) + 1 / 9) for k in range(1, 6)], gamma=-8.0, df=[10 * k - 1 for k in range(1, 6)]
    )
    assert size.looks is not None
    assert size.looks.interval_alphas == pytest.approx(expected.alphas.tolist(), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({}, ["2 things are missing or wrong", "discordant= (the share", "difference= (the smallest", "or n="]),
        ({"question": "splits"}, ["sd=, the standard deviation of the differences over splits", "difference="]),
        ({"question": "datasets", "n": 10}, ["sd=, the standard deviation of the differences over datasets"]),
        ({"question": "seeds", "n": 10}, ["sd=, the standard deviation of a model's scores over seeds"]),
        ({"question": "test-sets", "n": 10}, ["rates= (right and wrong) or sd="]),
        ({"goal": "equivalent", "sd": 1.0}, ["rope= (the largest difference that does not matter)"]),
        (
            {"n": 0, "sd": -1, "power": 80, "looks": 10_000},
            [
                "4 things",
                "n= must be a whole number of at least 1",
                "got 0",
                "sd= must be a number above 0",
                "got 80",
                "got 10000",
            ],
        ),
        ({"n": 10.5, "sd": True}, ["n= must be a whole number", "sd= must be a number above 0"]),
        ({"difference": float("nan"), "sd": 1}, ["difference= must be a number; got nan"]),
        ({"difference": 0.02, "rope": 0.02, "sd": 1}, ["lies within the rope of 0.02", "goal='ahead'"]),
        ({"difference": -0.02, "sd": 1}, ["a difference of -0.02 is none of a first model that is better"]),
        ({"difference": 0.03, "rope": 0.02, "sd": 1, "goal": "equivalent"}, ["does not lie within the rope of 0.02"]),
        ({"difference": -0.03, "rope": 0.02, "sd": 1, "goal": "not worse"}, ["behind by 0.03 is worse by more than the rope"]),
        ({"difference": 0.01, "rope": 0.02, "sd": 1, "goal": "near best"}, ["all models are taken to be equally good"]),
        ({"difference": 0.1, "rope": 0.02, "sd": 1, "goal": "ahead"}, ["takes no notice of the rope"]),
        ({"difference": 0.1, "n": 10, "power": 0.9, "sd": 1}, ["nothing is left to be worked out"]),
        ({"difference": 0.3, "discordant": 0.1}, ["larger than there can be, 0.1"]),
        ({"difference": 0.3, "rates": 0.8}, ["larger than there can be, 0.2"]),
        ({"difference": 0.1, "rates": (0.82, 0.8)}, ["the two numbers given differ by 0.02"]),
        ({"rates": (0.9, 0.5), "correlation": 0.9}, ["cannot correlate by more than 0.333"]),
        ({"difference": 0.1, "sd": 1, "discordant": 0.2}, ["said in one way, and discordant= and sd= are given"]),
        ({"difference": 0.1, "sd": 1, "cluster_size": 5}, ["clusters need the intraclass_correlation="]),
        ({"difference": 0.1, "sd": 1, "intraclass_correlation": 0.1}, ["needs the cluster_size="]),
        ({"difference": 0.1, "sd": 1, "n_runs": 3}, ["several runs need run_sd="]),
        ({"difference": 0.1, "sd": 1, "shared_run_sd": 0.3}, ["seen in n_runs= of 2 or more only"]),
        ({"difference": 0.1, "sd": 1, "run_sd": 2}, ["cannot be 2"]),
        ({"difference": 0.1, "sd": (1, 2)}, ["one standard deviation; got two"]),
        ({"difference": 0.1, "areas": 0.4}, ["below that of guessing"]),
        ({"difference": 0.1, "sd": 1, "question": "datasets", "rates": 0.8}, ["rates= is not of the question 'datasets'"]),
        ({"n": 1, "sd": 1}, ["n=1 is too few: an interval needs at least 2 items"]),
        ({"n": 20, "sd": 1, "looks": 5}, ["leaves no room for looks, which begin at 20 items"]),
        ({"n": 20, "sd": 1, "looks": 5, "question": "seeds"}, ["looks by the method 'welch' were not measured"]),
        ({"n": 99, "sd": 1, "looks": 5, "n_runs": 3, "run_sd": 0.5}, ["looks at several runs were not measured"]),
        ({"n": 5, "sd": 1, "question": "splits", "n_train": 90}, ["n_train= and n_test= go together"]),
        ({"difference": 0.1, "sd": 1, "goal": "best"}, ["goal= must be one of 'better', 'ahead'"]),
        ({"difference": 0.1, "sd": 1, "metric": "accuracy"}, ["are of a pilot, and there is none"]),
    ],
)
def test_bad_input_is_named_all_at_once(arguments: dict[str, Any], texts: list[str]) -> None:
    """One message with everything that is missing or contradicts itself, and the values that were met."""
    with pytest.raises(InvalidParameterError) as caught:
        tb.sample_size(**arguments)
    for text in texts:
        assert text in str(caught.value)
