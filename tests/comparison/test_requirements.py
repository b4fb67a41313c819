"""Release gates: claims named in advance, one family, met or not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.comparison.tables import RMSE, compared, noisy, pair_with
from tiebreak.errors import InvalidParameterError, UnknownNameError
from tiebreak.frequentist import adjust_pvalues

SE = np.sqrt(1 / 10 + 1 / 9)


def sf(x: float) -> float:
    """Upper tail with 9 degrees of freedom."""
    return float(stats.t.sf(x, 9))


def test_better_is_the_claim_of_better() -> None:
    """By more than the rope, twice the one-sided p."""
    answer = compared(pair_with(0.05, 0.02), rope=0.01)
    (requirement,) = answer.meets(better=("a", "b"))
    assert requirement.met
    assert requirement.claim == "a better than b"
    assert_allclose(requirement.pvalue, 2 * sf(0.04 / (SE * 0.02)), rtol=1e-9)
    assert requirement.reason.startswith("shown to be more than 0.01 better: adjusted p ")
    assert not answer.meets(better=("b", "a"))


def test_not_worse_is_noninferiority() -> None:
    """The one-sided p of d <= -rope, not doubled; a model a little worse passes, at rope 0 it cannot."""
    table = pair_with(-0.002, 0.005)
    (requirement,) = compared(table, rope=0.01).meets(not_worse=("a", "b"))
    assert requirement.met
    assert_allclose(requirement.pvalue, sf(0.008 / (SE * 0.005)), rtol=1e-9)
    assert "shown to be at most 0.01 worse" in requirement.reason
    (strict,) = compared(table, rope=0.0).meets(not_worse=("a", "b"))
    assert not strict.met
    assert_allclose(strict.pvalue, sf(-0.002 / (SE * 0.005)), rtol=1e-9)
    assert "better (with rope 0, not worse means better)" in strict.reason


def test_not_worse_at_rope_zero_is_superiority() -> None:
    """One-sided, so half of what the claim "better" has."""
    answer = compared(pair_with(0.01, 0.01))
    better, not_worse = answer.meets(better=("a", "b"), not_worse=("a", "b"))
    assert_allclose(better.pvalue, 2 * not_worse.pvalue, rtol=1e-12)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_requirements_of_one_call_are_one_family(correction: str) -> None:
    """Adjusted over what is required, whatever the number of pairs of the comparison."""
    answer = compared(noisy(0.80, 0.78, 0.79, 0.77), rope=0.01, correction=correction)
    judged = answer.meets(better=[("a", "d")], not_worse=[("a", "b"), ("c", "d")])
    assert [requirement.claim for requirement in judged] == ["a better than d", "a not worse than b", "c not worse than d"]
    raw = [requirement.pvalue for requirement in judged]
    assert_allclose([r.adjusted_pvalue for r in judged], adjust_pvalues(raw, "bonferroni"), rtol=1e-15)
    assert len(judged) == 3
    assert bool(judged) == all(requirement.met for requirement in judged)


def test_a_second_requirement_makes_the_first_harder() -> None:
    """A gate that is met alone may fail in company: 0.03 alone, 0.06 of two."""
    answer = compared(pair_with(2.0 * SE * 0.02, 0.02), correction="bonferroni", alpha=0.1)
    assert answer.meets(better=("a", "b"))
    (first, _) = answer.meets(better=("a", "b"), not_worse=("b", "a"))
    assert not first.met


@pytest.mark.parametrize("gap", [0.0, 0.3])
@pytest.mark.parametrize("gate", ["better", "not_worse"])
def test_zero_spread_is_not_met(gap: float, gate: str) -> None:
    """Identical scores and a constant gap leave nothing to test with, in either direction (design promise 5)."""
    base = np.linspace(0.5, 0.7, 5)
    answer = compared([base + gap, base], rope=0.01)
    for pair in (("a", "b"), ("b", "a")):
        (requirement,) = answer.meets(**{gate: pair})
        assert not requirement.met
        assert np.isnan(requirement.pvalue)
        same = "identical" if gap == 0 else "the same distance apart"
        assert requirement.reason == f"undecided: the scores are {same} on all 5 splits, which leaves nothing to test with"


def test_zero_spread_still_counts_in_the_family() -> None:
    """Two requirements, one without spread: the other is adjusted for two."""
    table = noisy(0.80, 0.78)
    answer = compared([table[0], table[1], table[1]], correction="bonferroni")
    judged = list(answer.meets(better=[("a", "b"), ("b", "c")]))
    assert_allclose(judged[0].adjusted_pvalue, 2 * judged[0].pvalue, rtol=1e-15)
    assert not judged[1].met


def test_too_few_shared_splits_are_not_met() -> None:
    """The two models never met on two splits."""
    answer = compared([[0.8, 0.9, np.nan, np.nan], [np.nan, np.nan, 0.7, 0.8], [0.7, 0.8, 0.9, 0.6]], missing="pairwise")
    (requirement,) = answer.meets(not_worse=("a", "b"))
    assert not requirement.met
    assert requirement.reason == "undecided: the two models share fewer than two splits"


def test_requirement_does_not_depend_on_settings_of_the_family() -> None:
    """Neither baseline, nor order, nor alternative: a gate names its own pairs and direction."""
    table = noisy(0.80, 0.78, 0.79)
    plain = compared(table, rope=0.01).meets(better=("a", "b"))
    for options in (
        {"baseline": "c"},
        {"order": ["b", "a", "c"], "alternative": "less"},
        {"baseline": "a", "alternative": "greater"},
    ):
        (one,), (other,) = plain, compared(table, rope=0.01, **options).meets(better=("a", "b"))
        assert_allclose(other.pvalue, one.pvalue, rtol=1e-13)


def test_lower_is_better() -> None:
    """A gate speaks of the better model, not of the larger number."""
    answer = compared(noisy(0.80, 0.60), metric=RMSE)
    assert answer.meets(better=("b", "a"))
    assert not answer.meets(better=("a", "b"))


def test_errors_of_input() -> None:
    """No requirement, a single name, an unknown one."""
    answer = compared(noisy(0.80, 0.78))
    with pytest.raises(InvalidParameterError, match=r"no requirement was given; pass better=\(a, b\) or not_worse=\(a, b\)"):
        answer.meets()
    with pytest.raises(InvalidParameterError, match=r"a requirement names two models, \(a, b\); got \('a', 'b', 'c'\)"):
        answer.meets(better=[("a", "b", "c")])  # type: ignore[list-item]
    for given, shown in (("ab", "'ab'"), (["ab", "ba", "ab"], "'ab'"), ([1, 2], "1")):
        with pytest.raises(InvalidParameterError, match=f"a requirement names two models, \\(a, b\\); got {shown}"):
            answer.meets(not_worse=given)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no model is called 'z'"):
        answer.meets(better=("a", "z"))
