"""One pair: in either orientation, in one direction, in the family and outside it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.comparison.tables import around, compared, noisy
from tiebreak.errors import InvalidParameterError, UnknownNameError
from tiebreak.statistics import paired_t

MEANS = (0.80, 0.79, 0.72)


@pytest.mark.parametrize("rope", [0.0, 0.005])
def test_pair_is_its_row_of_the_table(rope: float) -> None:
    """Every column, number for number."""
    answer = compared(noisy(*MEANS), rope=rope)
    for row in answer.pairs.to_dict("records"):
        pair = answer.pair(row["first"], row["second"])
        for column, value in row.items():
            assert getattr(pair, column) == value, column


def test_no_number_is_a_negative_zero() -> None:
    """-0.0 would be printed with its sign."""
    answer = compared([[0.5, 0.75, 1.0], [0.75, 0.75, 0.75], [0.75, 0.75, 0.75]])
    for first, second in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")):
        pair = answer.pair(first, second)
        numbers = [pair.difference, pair.statistic, pair.interval_low, pair.interval_high]
        assert not any(value == 0 and np.signbit(value) for value in numbers)


def test_tests_and_posterior_are_those_of_the_differences() -> None:
    """Uncorrected for contrast, and a floor that the mean ratio of the splits sets; test_compare.py has the corrected one."""
    n_test = np.array([9, 10, 11, 12, 8, 10, 10, 9, 11, 10])
    pair = compared(noisy(*MEANS), n_train=100 - n_test, n_test=n_test, rope=0.005).pair("b", "a")
    ratio = float(np.mean(n_test / (100 - n_test)))
    assert pair.judged.beside["ratio"] == pytest.approx(ratio, rel=1e-15)
    assert_allclose(pair.uncorrected.pvalue(), paired_t(pair.differences).pvalue(), rtol=1e-12)
    # with ever more splits the variance of their mean becomes ratio s^2 [Nadeau and Bengio 2003], and t normal
    assert_allclose(pair.judged.floor(0.05), stats.norm.isf(0.025) * np.sqrt(ratio) * pair.differences.std(ddof=1), rtol=1e-9)


def test_a_one_sided_pvalue_keeps_its_digits() -> None:
    """A tail of 2e-20 is no difference of two numbers near 1: by Student's t at 9 degrees of freedom."""
    answer = compared([around(0.9, 0.002), np.full(10, 0.2)])
    p = answer.pair("a", "b").law.pvalue("greater")
    assert p == pytest.approx(stats.t.sf(answer.pair("a", "b").statistic, 9), rel=1e-9)
    assert 0 < p < 1e-15
    assert answer.pair("a", "b").law.pvalue("less") == 1.0


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_a_pvalue_of_scores_that_do_not_vary(side: str) -> None:
    """1 for identical scores and nan for a constant difference, in every direction."""
    answer = compared([[0.8] * 5, [0.8] * 5, [0.7] * 5])
    assert answer.pair("a", "b").law.pvalue(side) == 1.0  # type: ignore[arg-type]
    assert np.isnan(answer.pair("a", "c").law.pvalue(side))  # type: ignore[arg-type]


def test_pair_outside_the_family_has_no_adjusted_answer() -> None:
    """With a baseline, two other models: difference, two-sided test and posterior, but nothing that the family decides."""
    answer, plain = compared(noisy(*MEANS), baseline="c", rope=0.005), compared(noisy(*MEANS), rope=0.005).pair("a", "b")
    pair = answer.pair("a", "b")
    numbers = [pair.difference, pair.statistic, pair.pvalue, pair.p_better, pair.interval_low, pair.interval_high]
    expected = [plain.difference, plain.statistic, plain.pvalue, plain.p_better, *plain.law.interval(0.95)]
    assert_allclose(numbers, expected, rtol=1e-12)
    assert np.all(np.isnan([pair.adjusted_pvalue, pair.interval_alpha]))
    assert (pair.verdict, pair.reason) == ("", "")


def test_errors_of_names() -> None:
    """Unknown models come with the nearest names, the same model twice is no pair."""
    answer = compared(noisy(*MEANS), ["forest", "svm", "ridge"])
    with pytest.raises(UnknownNameError, match="no model is called 'forrest': did you mean 'forest'"):
        answer.pair("forrest", "svm")
    with pytest.raises(InvalidParameterError, match="a pair needs two different models; got 'svm' twice"):
        answer.pair("svm", "svm")
