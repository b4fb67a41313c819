"""Release gates: questions named beforehand, a family of their own; where its interval lies is the outcome of each."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tests.comparison.tables import RMSE, compared, noisy, pair_with
from tiebreak.errors import InvalidParameterError, UnknownNameError

SE = np.sqrt(1 / 10 + 1 / 9)
"""Standard error of a mean of 10 differences of standard deviation 1, n_test / n_train = 10 / 90 [Nadeau and Bengio 2003]."""

SD = 0.02
ROPE = 0.01


def half_width(alpha: float, sd: float = SD) -> float:
    """Half-width of the two-sided interval at 1 - alpha, 9 degrees of freedom."""
    return float(stats.t.isf(alpha / 2, 9) * SE * sd)


HALF = half_width(0.05)
NUDGE = 1e-6


@pytest.mark.parametrize(
    ("gate", "mean", "outcome"),
    [
        ("better", ROPE + HALF + NUDGE, "met"),  # the interval begins just above the rope
        ("better", ROPE + HALF - NUDGE, "inconclusive"),
        ("better", ROPE - HALF + NUDGE, "inconclusive"),
        ("better", ROPE - HALF - NUDGE, "broken"),  # it ends just below the rope
        ("not_worse", -ROPE + HALF + NUDGE, "met"),
        ("not_worse", -ROPE + HALF - NUDGE, "inconclusive"),
        ("not_worse", -ROPE - HALF + NUDGE, "inconclusive"),
        ("not_worse", -ROPE - HALF - NUDGE, "broken"),
    ],
)
def test_outcome_is_where_the_interval_lies(gate: str, mean: float, outcome: str) -> None:
    """Against the rope for "better", against minus the rope for "not worse"; the interval is scipy's t."""
    judged = compared(pair_with(mean, SD), rope=ROPE).meets(**{gate: ("a", "b")})
    (requirement,) = judged
    assert (requirement.outcome, bool(judged), judged.outcome) == (outcome, outcome == "met", outcome)
    assert_allclose([requirement.interval_low, requirement.interval_high], [mean - HALF, mean + HALF], rtol=1e-9)
    assert_allclose(requirement.difference, mean, rtol=1e-9)
    assert (requirement.rope, requirement.alpha, requirement.n_questions, requirement.n_units) == (ROPE, 0.05, 1, 10)
    assert requirement.claim == f"a {gate.replace('_', ' ')} than b"


@pytest.mark.parametrize(("correction", "rope"), [("holm", 0), ("bonferroni", ROPE), ("none", ROPE), ("bh", 0)])
def test_n_questions_share_alpha_whatever_the_correction(correction: str, rope: float) -> None:
    """The intervals are at 1 - alpha / n for n questions of one call, and no others."""
    answer = compared(noisy(0.80, 0.78, 0.79, 0.77), rope=rope, correction=correction)
    judged = answer.meets(better=[("a", "d")], not_worse=[("a", "b"), ("c", "d")])
    assert [each.claim for each in judged] == ["a better than d", "a not worse than b", "c not worse than d"]
    for each in judged:
        pair = answer.pair(each.first, each.second)
        t = stats.t.isf(0.05 / 3 / 2, 9) * pair.standard_error
        assert_allclose([each.interval_low, each.interval_high], [pair.difference - t, pair.difference + t], rtol=1e-9)
        assert each.n_questions == 3


def test_a_second_question_makes_the_first_harder() -> None:
    """A gate that is met alone may not be in company; asking for it elsewhere (another metric) counts the same."""
    answer = compared(pair_with(ROPE + (half_width(0.05) + half_width(0.025)) / 2, SD), rope=ROPE)
    assert answer.meets(better=("a", "b")).outcome == "met"
    assert answer.meets(better=("a", "b"), not_worse=("a", "b"))[0].outcome == "inconclusive"
    assert answer.meets(better=("a", "b"), n_questions=2).outcome == "inconclusive"


def test_requirements_of_several_metrics_are_one_family() -> None:
    """Each is judged by the comparison in its own metric, at its rope and at alpha / n, in the order asked."""
    accuracy, error = compared(noisy(0.90, 0.80, 0.80), rope=ROPE), compared(noisy(0.30, 0.20, 0.20), metric=RMSE, rope=0.05)
    wanted: dict[str, Any] = {"better": [("a", "b"), ("rmse:b", "rmse:a")], "not_worse": ("b", "rmse:c"), "near_best": "rmse:c"}
    judged = accuracy.meets(**wanted, others=error)
    alone = [
        *accuracy.meets(better=("a", "b"), n_questions=4),
        *error.meets(better=("b", "a"), not_worse=("b", "c"), near_best="c", n_questions=4),
    ]
    assert list(judged) == alone
    assert [(each.metric.name, each.rope) for each in judged] == [("accuracy", ROPE)] + [("rmse", 0.05)] * 3
    assert list(accuracy.meets(**wanted, others=[accuracy, error])) == alone
    assert list(accuracy.meets(**wanted, others={"rmse": error}.__getitem__)) == alone
    assert accuracy.meets(better=("accuracy:a", "b"))[0] == accuracy.meets(better=("a", "b"))[0]


@pytest.mark.parametrize(
    ("asked", "error", "text"),
    [
        ({"near_best": "f1:a"}, UnknownNameError, r"others= has 'rmse'"),
        ({"near_best": "rmse:d"}, UnknownNameError, "no model is called 'd'"),
        ({"better": ("f1:a", "rmse:b")}, InvalidParameterError, "f1:a rmse:b names two metrics"),
        (
            {"better": ("f1:a", "b"), "others": ()},
            UnknownNameError,
            r"names the metric 'f1' in front of 'a', and no comparison in it was given\. Pass",
        ),
    ],
)
def test_a_metric_that_no_comparison_has(asked: dict[str, Any], error: type[Exception], text: str) -> None:
    """The message says which metric, and what is there."""
    accuracy, rmse = compared(noisy(0.90, 0.80), rope=ROPE), compared(noisy(0.30, 0.20), metric=RMSE)
    with pytest.raises(error, match=text):
        accuracy.meets(**{"others": rmse, **asked})


def test_a_model_may_have_a_colon_in_its_name() -> None:
    """What stands in front of it is no metric then."""
    named = tb.compare({"hub:svm": [0.9, 0.8, 0.9], "hub:tree": [0.7, 0.6, 0.7]}, metric="accuracy", n_train=90, n_test=10)
    assert len(named.meets(better=("hub:svm", "hub:tree"))) == 1


def test_one_broken_breaks_all() -> None:
    """Broken before inconclusive before met."""
    answer = compared(noisy(0.90, 0.80, 0.80), rope=ROPE)
    met, broken, open_ = ("a", "b"), ("c", "a"), ("b", "c")
    assert answer.meets(better=[met], not_worse=[open_]).outcome == "inconclusive"
    assert answer.meets(better=[met, broken], not_worse=[open_]).outcome == "broken"


def near_best_by_hand(table: np.ndarray, row: int, alpha: float, n_questions: int) -> tuple[float, float]:
    """Ends by plain loops: the largest upper bound at alpha / 2n, the largest lower one at alpha / (n max(2, M - 1))."""
    n_models, n_splits = table.shape
    p_high, p_low = alpha / (2 * n_questions), alpha / (n_questions * max(2, n_models - 1))
    lows, highs = [0.0], [0.0]
    for j in range(n_models):
        if j != row:
            d = table[j] - table[row]
            error = SE * d.std(ddof=1)
            highs.append(d.mean() + stats.t.isf(p_high, n_splits - 1) * error)
            lows.append(d.mean() - stats.t.isf(p_low, n_splits - 1) * error)
    return max(lows), max(highs)


@pytest.mark.slow
@pytest.mark.parametrize("n_models", [2, 3, 6])
@pytest.mark.parametrize("n_others", [0, 2])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", ["pairs", "best"])
def test_near_best_by_hand(n_models: int, n_others: int, seed: int, family: str) -> None:
    """Intersection-union [Berger 1982]: met by bounds that are not divided by M, broken by ones that allow for the choice."""
    rng = np.random.default_rng(seed)
    table = noisy(*(0.8 + rng.uniform(0, 0.05, n_models)), noise=0.01, seed=seed)
    answer = compared(table, rope=0.02, family=family)
    for row in range(n_models):
        name = "abcdef"[row]
        (found,) = answer.meets(near_best=name, n_questions=1 + n_others)
        low, high = near_best_by_hand(table, row, 0.05, 1 + n_others)
        assert_allclose([found.interval_low, found.interval_high], [low, high], rtol=1e-9, atol=1e-12)
        assert_allclose(found.difference, table.mean(axis=1).max() - table[row].mean(), atol=1e-12)
        assert found.outcome == ("met" if high <= 0.02 else "broken" if low > 0.02 else "inconclusive")
        assert found.claim == f"{name} near the best"


@pytest.mark.parametrize("end", [1.0, 1.0 + 1e-14, 1.0 - 1e-14])
@pytest.mark.parametrize(
    ("best", "bound", "on", "beyond"),
    [(0.80, "interval_high", "met", "inconclusive"), (0.90, "interval_low", "inconclusive", "broken")],
)
def test_a_bound_of_near_best_on_the_rope_is_within_it(best: float, bound: str, on: str, beyond: str, end: float) -> None:
    """Also where rounding puts it a last digit beyond; by a billionth it is beyond."""
    table = noisy(best, 0.79, 0.795, noise=0.01)
    at = getattr(compared(table).meets(near_best="b")[0], bound)
    assert compared(table, rope=at * end).meets(near_best="b").outcome == on
    assert compared(table, rope=at * (1 - 1e-9)).meets(near_best="b").outcome == beyond


@pytest.mark.parametrize(("gap", "reason"), [(0.0, "identical-scores"), (0.3, "no-spread")])
@pytest.mark.parametrize("gate", ["better", "not_worse"])
@pytest.mark.parametrize("pair", [("a", "b"), ("b", "a")])
def test_zero_spread_is_inconclusive(gap: float, reason: str, gate: str, pair: tuple[str, str]) -> None:
    """Identical scores and a constant gap leave nothing to test with, in either direction (design promise 5)."""
    base = np.linspace(0.5, 0.7, 5)
    (found,) = compared([base + gap, base], rope=0.01).meets(**{gate: pair})
    assert (found.outcome, found.reason, np.isnan(found.interval_low)) == ("inconclusive", reason, True)


GOOD, FAR = noisy(0.90, 0.80)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([GOOD, GOOD, FAR], ("met", 0.0, "")),  # a copy is no rival of its model
        ([GOOD, GOOD, GOOD], ("inconclusive", np.inf, "identical-scores")),  # nothing shows that they are alike elsewhere
        ([GOOD, GOOD + 0.005, FAR], ("inconclusive", np.inf, "no-spread")),  # a rival at the same distance leaves no bound
    ],
)
def test_near_best_beside_copies_and_constant_gaps(table: Any, expected: tuple[str, float, str]) -> None:
    """Of a copy nothing is asked; without a bound it is inconclusive, and another model is still shown to fall short."""
    found, other = compared(table, rope=0.01).meets(near_best=["a", "c"])
    assert (found.outcome, found.interval_high, found.reason) == expected
    assert other.outcome == ("broken" if table[2] is FAR else "inconclusive")


def test_the_reason_of_near_best_is_that_of_its_own_level() -> None:
    """Six datasets: Wilcoxon has bounds down to 1/64 one-sided, so one question at .025 has one, and two at .0125 have none."""
    rng = np.random.default_rng(0)
    base = rng.uniform(0.6, 0.8, 6)
    score = {"a": base + 0.01 + rng.normal(0, 0.001, 6), "b": base + rng.normal(0, 0.001, 6)}
    answer = tb.compare({"dataset": list("uvwxyz"), **score}, metric="accuracy", rope=0.05)
    assert answer.meets(near_best="b")[0].reason == ""
    (found,) = answer.meets(near_best="b", n_questions=2)
    assert (found.outcome, found.interval_high, found.reason) == ("inconclusive", np.inf, "too-few-units")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_requirement_contradicts_a_verdict_or_standing(seed: int) -> None:
    """ "Met" never stands beside the opposite verdict, nor "broken" beside the verdict that it asks for (design, section 3)."""
    rng = np.random.default_rng(seed)
    n_models = int(rng.integers(2, 6))
    table = noisy(*(0.8 + rng.choice([0, 0.005, 0.02, 0.05], n_models)), noise=rng.choice([0.002, 0.01, 0.03]), seed=seed)
    answer = compared(table, rope=0.01, correction=rng.choice(["bonferroni", "none"]))
    opposite = {"better": {"worse", "behind", "equivalent"}, "not worse": {"worse"}}
    wanted = {"better": {"better"}, "not worse": {"better", "ahead", "equivalent"}}
    for first, second in itertools.permutations(answer.models, 2):
        verdict = answer.pair(first, second).verdict
        for each in answer.meets(better=(first, second), not_worse=(first, second)):
            assert each.outcome != "met" or verdict not in opposite[each.gate]
            assert each.outcome != "broken" or verdict not in wanted[each.gate]
    for name, standing in zip(answer.models, answer.ranking["standing"], strict=True):
        outcome = answer.meets(near_best=name, n_questions=3).outcome
        others = [answer.pair(other, name).verdict for other in answer.models if other != name]
        assert outcome != "met" or "better" not in others
        assert outcome != "broken" or standing not in ("best", "near best")


NOBODY = "no model is called 'z'"
PAIRS = r"a requirement names two models, \(a, b\); got"
COUNT = "n_questions counts all questions asked beforehand, the 2 given here included; got"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "error", "text"),
    [
        ({}, InvalidParameterError, r"no requirement was given; pass better=\(a, b\), not_worse=\(a, b\) or near_best=a"),
        ({"better": [("a", "b", "c")]}, InvalidParameterError, rf"{PAIRS} \('a', 'b', 'c'\)"),
        ({"not_worse": "ab"}, InvalidParameterError, f"{PAIRS} 'ab'"),
        ({"not_worse": [1, 2]}, InvalidParameterError, rf"2 things .*\(1\) {PAIRS} 1; \(2\) {PAIRS} 2"),
        ({"better": 3}, InvalidParameterError, f"{PAIRS} 3"),
        (
            {"near_best": [("a", "b")]},
            InvalidParameterError,
            r"near_best takes the name of a model, or several; got \('a', 'b'\)",
        ),
        ({"better": ("a", "z")}, UnknownNameError, NOBODY),
        ({"near_best": "z"}, UnknownNameError, NOBODY),
        ({"better": [("a", "y"), ("z", "b")]}, UnknownNameError, rf"2 things .*\(1\) no model is called 'y'.*; \(2\) {NOBODY}"),
        ({"not_worse": ("a", "a")}, InvalidParameterError, "a pair needs two different models; got 'a' twice"),
        ({"better": [("a", "b"), ("a", "b")]}, InvalidParameterError, "the requirement 'a' better than 'b' is given twice"),
        ({"near_best": ["a", "a"]}, InvalidParameterError, "the requirement 'a' near the best is given twice"),
        (
            {"better": [("a", "b"), ("b", "a")]},
            InvalidParameterError,
            "^the requirements 'a' better than 'b' and 'b' better than 'a'",
        ),
        ({"better": ("b", "a"), "not_worse": ("a", "b")}, InvalidParameterError, "'a' not worse than 'b' cannot both be met"),
        ({"better": ("f1:a", "b"), "others": 3}, InvalidParameterError, "others= takes comparisons in other metrics; got 3"),
        *(
            ({"better": ("a", "b"), "not_worse": ("a", "b"), "n_questions": n}, InvalidParameterError, f"{COUNT} {n!r}")
            for n in (1, 0, 2.5, True, "3")
        ),
    ],
    ids=str,
)
def test_what_cannot_be_asked(asked: dict[str, Any], error: type[Exception], text: str) -> None:
    """No requirement, wrong or unknown names, one model or question twice, two that exclude each other, too small a count."""
    with pytest.raises(error, match=text):
        compared(noisy(0.80, 0.78)).meets(**asked)
