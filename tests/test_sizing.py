"""The public function `sample_size`: numbers of textbooks, pilots, and everything that is missing, at once."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError

GRADES: dict[str, Any] = {"metric": "grade", "lower_is_better": False}

NUMBERS: list[tuple[dict[str, Any], str, int]] = [
    ({"difference": 0.02, "discordant": 0.1}, "tango", 1960),  # Connor (1987)
    ({"rates": (0.82, 0.80), "question": "test-sets"}, "newcombe", 6039),  # (z sqrt(2m(1-m)) + z' sqrt(p(1-p) + q(1-q)))^2 / d^2
    ({"difference": 0.05, "sd": 0.3}, "clustered-t", 285),  # scipy's noncentral t
    ({"difference": 0.05, "sd": 0.3, "correlation": 0.5}, "clustered-t", 285),  # as sqrt(2 (1 - .5)) = 1
    ({"difference": 0.1, "sd": 1.0, "n_models": 5}, "clustered-t", 1335),  # each of ten pairs at .005
    ({"difference": 1.0, "sd": 1.0, "question": "seeds", "power": 0.9}, "welch", 23),  # R 4.3, power.t.test: 22.02
    ({"difference": 1.0, "sd": 1.0, "question": "seeds", "correlation": 0.5}, "paired-t", 10),  # scipy's noncentral t
    ({"rope": 0.5, "sd": 1.0, "goal": "equivalent", "alpha": 0.1}, "clustered-t", 36),  # R, TOSTER 0.8: power_t_TOST
    ({"rope": 0.1, "sd": 0.5, "goal": "not worse"}, "clustered-t", 199),  # as a difference of 0.1
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "procedure", "n"), NUMBERS, ids=lambda each: each if isinstance(each, str) else "")
def test_numbers_of_textbooks(arguments: dict[str, Any], procedure: str, n: int) -> None:
    """Within what 4,000 draws leave open: three and a half standard errors of the power are about 6 % of n, and one unit."""
    size = tb.sample_size(**arguments)
    assert size.population.procedure == procedure
    assert size.n == pytest.approx(n, rel=0.06, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {"sd": 0.3},
        {"discordant": 0.2},
        {"sd": 0.3, "question": "seeds"},
        {"rates": 0.6, "question": "test-sets"},
        {"sd": 0.3, "question": "datasets"},
        {"sd": 0.3, "goal": "equivalent"},
    ],
    ids=str,
)
def test_each_of_three_is_found_from_the_other_two(more: dict[str, Any]) -> None:
    """The difference that n units show with 80 % has, given with n, a power of 80 %, and given with the power, about that n."""
    by_n = tb.sample_size(n=80, **more)
    effect = {by_n.solved: getattr(by_n, by_n.solved)}
    by_both = tb.sample_size(n=80, **effect, **more)
    assert (by_both.solved, by_both.power) == ("power", pytest.approx(0.8, abs=0.01))
    assert by_both.power_error == pytest.approx(np.sqrt(by_both.power * (1 - by_both.power) / 4000))
    assert tb.sample_size(**effect, **more).n == pytest.approx(80, rel=0.06)


def test_a_rope_makes_better_harder() -> None:
    """Showing 0.05 to exceed a rope of 0.02 takes as many items as showing 0.03."""
    assert tb.sample_size(difference=0.05, rope=0.02, sd=0.5).n == tb.sample_size(difference=0.03, sd=0.5).n


def test_splits_have_a_floor() -> None:
    """Ever so many repeats have the error sd sqrt(1/9), so z + z' = 2.80 times 0.01 is the least that they show."""
    size = tb.sample_size(difference=0.005, sd=0.03, question="splits")
    assert (size.n, size.solved) == (None, "n")
    assert size.floor == pytest.approx((stats.norm.isf(0.025) + stats.norm.isf(0.2)) * 0.01, rel=0.03)


@pytest.mark.slow
def test_looks_cost_a_little_and_save_much() -> None:
    """gsDesign 3.6 (five looks, Hwang-Shih-DeCani -4, power .8): at most 1.027 and on average .81 of the units of one look."""
    without, size = (tb.sample_size(difference=0.02, discordant=0.1, looks=looks) for looks in (1, 5))
    looks = size.looks
    assert without.looks is None
    assert (looks.n[-1], looks.expected) == pytest.approx((1960 * 1.027, 1960 * 0.81), rel=0.04)
    assert looks.expected < looks.expected_if_equal <= looks.n[-1] == size.n
    assert looks.interval_alphas[0] < looks.interval_alphas[-1] < 0.05


@pytest.mark.slow
def test_no_look_is_taken_below_the_measured_units() -> None:
    """Tango's looks begin at 20 items, so of ten looks at 100 items the one at 10 becomes the one at 20."""
    size = tb.sample_size(n=100, discordant=0.3, looks=10)
    assert size.looks.n == (20, 30, 40, 50, 60, 70, 80, 90, 100)
    assert "fewer than 20 were not measured" in " ".join(str(size).split())


def test_units_come_in_whole_clusters() -> None:
    """Items of texts of 7 are planned by the text."""
    assert tb.sample_size(difference=0.2, sd=1.0, cluster_size=7, intraclass_correlation=0.1).n % 7 == 0
    assert tb.sample_size(n=100, sd=1.0, cluster_size=7, intraclass_correlation=0.1).n == 105


def test_plans_that_show_nothing_print_without_a_warning() -> None:
    """Differences larger than the items on which models can differ at all, in clusters too, and three items."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "no true difference" in str(
            tb.sample_size(discordant=0.01, cluster_size=5, intraclass_correlation=0.3, n_models=5, n=500)
        )
        assert "3" in str(tb.sample_size(rates=0.5, correlation=0.5, n=3))


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({}, ["2 things are missing or wrong", "discordant= (the share", "difference= (the smallest", "or n="]),
        ({"question": "splits"}, ["nothing was given: sd= (the standard deviation", "difference="]),
        ({"question": "test-sets", "n": 10}, ["rates= (the share that is right) or sd="]),
        ({"goal": "equivalent", "sd": 1.0}, ["rope= (the largest difference that does not matter)"]),
        (
            {"n": 0, "sd": -1, "power": 80, "looks": 10_000},
            ["4 things", "n= must be", "got 0", "sd= must be", "got 80", "got 10000"],
        ),
        ({"n": 1e12, "sd": 1}, ["n= must be a number from 1 to 1e+08"]),
        ({"n": 9, "power": 0, "sd": 1}, ["power= must lie between 0 and 1"]),
        ({"n": 9, "power": 1, "sd": 1}, ["power= must lie between 0 and 1"]),
        ({"n": 10.5, "sd": True}, ["n= must be a whole number", "sd= must be a number"]),
        ({"difference": float("nan"), "sd": 1}, ["difference= must be a number", "got nan"]),
        ({"difference": 0.02, "rope": 0.02, "sd": 1}, ["lies within the rope of 0.02", "goal='not worse'"]),
        ({"difference": -0.02, "sd": 1}, ["a difference of -0.02 is none of a first model that is better"]),
        ({"n": 500, "rates": (0.8, 0.85)}, ["of two rates the higher one first"]),
        ({"difference": 0.03, "rope": 0.02, "sd": 1, "goal": "equivalent"}, ["does not lie within the rope", "not equivalent"]),
        ({"difference": -0.03, "rope": 0.02, "sd": 1, "goal": "not worse"}, ["does not lie within the rope", "worse by more"]),
        ({"difference": 0.1, "n": 10, "power": 0.9, "sd": 1}, ["nothing is left to be worked out"]),
        ({"difference": 0.3, "discordant": 0.1}, ["larger than there can be, 0.1"]),
        ({"difference": 0.3, "rates": 0.8}, ["larger than there can be, 0.2"]),
        ({"difference": 0.1, "rates": (0.82, 0.8)}, ["the two numbers given differ by 0.02"]),
        ({"rates": (0.9, 0.5), "correlation": 0.9}, ["cannot correlate by more than 0.333"]),
        ({"difference": 0.1, "sd": 1, "discordant": 0.2}, ["said in one way, and discordant= and sd= was given"]),
        ({"difference": 0.1, "sd": 1, "cluster_size": 5}, ["cluster_size= and intraclass_correlation="]),
        ({"difference": 0.1, "sd": (1, 2)}, ["one standard deviation, and two scores a correlation="]),
        ({"difference": 0.1, "sd": 1, "question": "datasets", "rates": 0.8}, ["rates= is not of the question 'datasets'"]),
        ({"n": 1, "sd": 1}, ["n=1 is too few: an interval needs at least 2 items"]),
        ({"n": 20, "sd": 1, "looks": 5}, ["leaves no room for looks, which begin at 20 items"]),
        ({"n": 20, "sd": 1, "looks": 5, "question": "seeds"}, ["looks by the method 'welch' were not measured"]),
        ({"difference": 0.1, "sd": 1, "goal": "best"}, ["goal= must be one of 'better', 'equivalent'"]),
        ({"difference": 0.1, "sd": 1, "metric": "accuracy"}, ["are of a pilot, and there is none"]),
    ],
)
def test_bad_input_is_named_all_at_once(arguments: dict[str, Any], texts: list[str]) -> None:
    """One message with everything that is missing or contradicts itself, and the values that were met."""
    assert [text for text in texts if text not in told(InvalidParameterError, tb.sample_size, **arguments)] == []


# --- pilots ---------------------------------------------------------------------------------------------------------------


def pilots(rng: np.random.Generator) -> dict[str, tuple[Any, dict[str, Any]]]:
    """A table of each kind with the settings that `compare` needs."""
    n = 60
    run, item = np.meshgrid(np.arange(4), np.arange(30), indexing="ij")
    y, shared = np.arange(n) % 2, rng.normal(size=n)
    areas = tb.read_predictions(y, {m: 1.2 * y + shared + rng.normal(size=n) for m in "ab"}, metric="roc_auc")
    scores, text = {m: rng.normal(size=n) for m in "ab"}, 2.0 * np.repeat(rng.normal(size=15), 4)
    luck = rng.normal(size=(1, 30)) + rng.normal(size=(4, 1)) + rng.normal(size=(4, 30))
    return {
        "tango": ({"item": range(n), **{m: (value > 0).astype(int) for m, value in scores.items()}}, {}),
        "clustered-t": ({"item": range(n), **scores}, GRADES),
        "clusters": ({"item": range(n), "cluster": np.arange(n) // 4, "a": scores["a"] + text, "b": scores["b"]}, GRADES),
        "runs": ({"item": item.ravel(), "run": run.ravel(), "a": luck.ravel(), "b": np.zeros(120)}, GRADES),
        "delong": (areas, {}),
        "corrected-t": (
            {"repeat": np.arange(n) // 10, "fold": np.arange(n) % 10, **scores},
            {**GRADES, "n_train": 90, "n_test": 10},
        ),
        "paired-t": ({"seed": range(8), "a": scores["a"][:8], "b": scores["b"][:8]}, GRADES),
        "welch": ({"model": ["a"] * 8 + ["b"] * 8, "seed": range(16), "score": scores["a"][:16]}, GRADES),
    }


@pytest.mark.parametrize("kind", ["tango", "clustered-t", "clusters", "runs", "delong", "corrected-t", "paired-t", "welch"])
def test_a_plan_of_the_pilots_size_has_the_pilots_error(kind: str, rng: np.random.Generator) -> None:
    """So many units again have the standard error that the answer shows, which the cautious one exceeds."""
    table, settings = pilots(rng)[kind]
    answer = tb.compare(table, **settings)
    size, pair = tb.sample_size(answer), answer.pair("a", "b")
    assert (size.solved, size.population.procedure) == ("difference", answer.method.name)
    assert size.population.scale(size.n or 0, pair.difference) == pytest.approx(pair.standard_error, rel=1e-6)
    assert size.cautious.scale(size.n or 0, pair.difference) > pair.standard_error


def test_what_runs_share_is_left_by_ever_so_many_items(rng: np.random.Generator) -> None:
    """The floor of a pilot with runs is the part of its error that lies between runs."""
    table, settings = pilots(rng)["runs"]
    answer = tb.compare(table, **settings)
    shared = np.sqrt(answer.pair("a", "b").judged.beside["from_runs"])
    assert tb.sample_size(answer).population.scale(10**9, 0.0) == pytest.approx(float(shared), rel=1e-3)


def test_a_pilot_with_80_percent_confidence() -> None:
    """Of 40 items 6 are right for one model only: 15 %, and at most 22.5 % by Wilson's limit; 10 seeds by chi-squared."""
    a, b = [1] * 34 + [1, 1, 1, 1, 0, 0], [1] * 34 + [0, 0, 0, 0, 1, 1]
    size = tb.sample_size({"item": range(40), "a": a, "b": b}, metric="accuracy", difference=0.05)
    z = 0.841621  # the 80 % point of the normal distribution
    upper = (0.15 + z**2 / 80 + z * np.sqrt(0.15 * 0.85 / 40 + z**2 / 6400)) / (1 + z**2 / 40)
    assert (size.population.discordant, size.cautious.discordant) == (pytest.approx(0.15), pytest.approx(upper, rel=1e-4))
    assert (size.n_cautious or 0) / (size.n or 1) == pytest.approx(upper / 0.15, rel=0.06)
    d = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.2, 0.0, 0.25, -0.1])
    seeds = tb.sample_size({"seed": range(10), "a": d, "b": np.zeros(10)}, difference=0.3, **GRADES)
    assert seeds.cautious is not None  # the lower 20 % point of chi-squared with 9 degrees of freedom is 5.380
    assert seeds.cautious.pilot_error / seeds.population.pilot_error == pytest.approx(np.sqrt(9 / 5.380), rel=1e-3)


def test_settings_of_the_answer_are_taken_over() -> None:
    """Models, alpha, rope and baseline of the pilot, unless others are given; a pair of it chooses."""
    rng = np.random.default_rng(0)
    table = {"item": range(50), **{m: rng.normal(size=50) for m in "abc"}}
    answer = tb.compare(table, rope=0.1, alpha=0.1, baseline="c", **GRADES)
    size = tb.sample_size(answer, difference=0.5)
    assert (size.rope, size.alpha, size.n_models, size.interval_alpha) == (0.1, 0.1, 3, 0.05)
    assert tb.sample_size(answer, difference=0.5, rope=0.0, alpha=0.02).interval_alpha == 0.01
    assert "'c'" in tb.sample_size(answer.pair("b", "c"), difference=0.5).pilot


@pytest.mark.parametrize(
    ("table", "settings", "error", "text"),
    [
        ({"item": [1, 2, 3], "a": [1, 0, 1], "b": [0, 0, 1]}, {}, DataError, "at least 5 are needed"),
        ({"item": range(30), "a": [1] * 30, "b": [1] * 30}, {}, DataError, "do not differ on any item"),
        (
            {"time": range(40), "a": np.arange(40) % 7, "b": np.arange(40) % 5},
            GRADES,
            DataError,
            "not like Student's",
        ),
        (
            {"fold": range(10), "a": np.arange(10) / 20, "b": np.arange(10) % 3 / 7},
            {**GRADES, "n_train": 9, "n_test": 1},
            DataError,
            "cannot be repeated",
        ),
    ],
)
def test_pilots_that_say_nothing(table: Any, settings: dict[str, Any], error: type[Exception], text: str) -> None:
    """Too few units, models that never differ, intervals of another kind, splits of which there are no others."""
    with pytest.raises(error, match=text):
        tb.sample_size(tb.compare(table, **settings))


def test_what_a_pilot_says_itself_is_refused() -> None:
    """Its spread and its question."""
    table = {"item": range(50), "a": np.arange(50) % 7, "b": np.arange(50) % 5}
    with pytest.raises(InvalidParameterError, match="leave sd=, question= out"):
        tb.sample_size(table, difference=0.1, sd=1.0, question="examples", **GRADES)
