"""The signed-rank test against enumeration, scipy and its own interval; published figures are in tests/reference."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewSplitsError
from tiebreak.frequentist import hodges_lehmann, wilcoxon, wilcoxon_critical_value

decimals = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(lambda values: np.array(values) * 0.1)
rows = st.lists(st.floats(-10, 10, allow_subnormal=False), min_size=1, max_size=60).map(np.array)


def by_enumeration(d: np.ndarray, zeros: str) -> tuple[float, float]:
    """One-sided p-values over all signs of the ranks; differences are tenths, compared as whole numbers."""
    whole = np.rint(d * 10).astype(int)
    kept = whole if zeros == "pratt" else whole[whole != 0]
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    observed = ranks[kept[kept != 0] > 0].sum()
    sums = np.array([np.dot(ranks, signs) for signs in product((0, 1), repeat=ranks.size)])
    return float(np.mean(sums >= observed - 1e-9)), float(np.mean(sums <= observed + 1e-9))


@given(d=decimals, zeros=st.sampled_from(["drop", "pratt"]))
@pytest.mark.slow
def test_exact_is_enumeration(d: np.ndarray, zeros: Any) -> None:
    """All signs tried, with ties and zeros that only decimals show: 0.3 - 0.2 and 0.8 - 0.7 are the same."""
    greater, less = by_enumeration(d, zeros) if np.any(np.abs(d) > 1e-9) else (1.0, 1.0)
    shifted = (d + 0.7) - 0.7  # rounding noise
    assert wilcoxon(shifted, zeros=zeros, alternative="greater", scale=1).pvalue == pytest.approx(greater)
    assert wilcoxon(shifted, zeros=zeros, alternative="less", scale=1).pvalue == pytest.approx(less)
    assert wilcoxon(shifted, zeros=zeros, scale=1).pvalue == pytest.approx(min(1.0, 2 * min(greater, less)))


@pytest.mark.parametrize("n", [6, 25, 50, 51, 300])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scipy_agrees_without_ties(n: int, alternative: Any) -> None:
    """Exact p-values, and normal ones with and without the correction for continuity."""
    d = np.random.default_rng(n).normal(0.2, 1, n)
    exact = stats.wilcoxon(d, alternative=alternative, method="exact").pvalue
    assert wilcoxon(d, alternative=alternative, method="exact").pvalue == pytest.approx(exact, rel=1e-9)
    for correction in (True, False):
        theirs = stats.wilcoxon(d, alternative=alternative, method="asymptotic", correction=correction)
        ours = wilcoxon(d, alternative=alternative, method="normal", continuity=correction)
        if correction and alternative != "two-sided":  # scipy moves the sum towards the mean whatever is asked
            continue
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert wilcoxon(d).is_exact == (n <= 50)


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_scipy_agrees_with_ties_and_zeros(zeros: Any) -> None:
    """The normal approximation of 60 rounded differences, a few of them zero."""
    d = np.random.default_rng(1).integers(-5, 8, 60).astype(float)
    theirs = stats.wilcoxon(d, zero_method="wilcox" if zeros == "drop" else "pratt", method="asymptotic", correction=False)
    ours = wilcoxon(d, zeros=zeros, method="normal", continuity=False)
    assert (ours.pvalue, abs(ours.zscore)) == (pytest.approx(theirs.pvalue), pytest.approx(abs(theirs.zstatistic)))
    assert ours.n_zero == np.count_nonzero(d == 0)


@given(d=rows, factor=st.sampled_from([1e-3, 0.5, 4.0, 1024.0]), seed=st.integers(0, 99))
@pytest.mark.slow
def test_order_sign_and_unit(d: np.ndarray, factor: float, seed: int) -> None:
    """Datasets in another order and another unit change nothing; exchanged models mirror everything."""
    one = wilcoxon(d)
    same = wilcoxon(factor * np.random.default_rng(seed).permutation(d))
    other = wilcoxon(-d)
    assert same.pvalue == pytest.approx(one.pvalue, rel=1e-12)
    assert same.estimate == pytest.approx(factor * one.estimate, rel=1e-12)
    assert (other.w_plus, other.w_minus, other.pvalue) == (one.w_minus, one.w_plus, pytest.approx(one.pvalue, rel=1e-12))
    assert other.estimate == pytest.approx(-one.estimate, rel=1e-12, abs=1e-15)
    assert other.zscore == pytest.approx(-one.zscore, nan_ok=True)
    low, high = one.confidence_interval(0.8)
    assert other.confidence_interval(0.8) == pytest.approx((-high, -low), rel=1e-12)
    assert low <= one.estimate <= high


@pytest.mark.parametrize("n", [5, 6, 9, 30, 50, 51, 80, 400])
@pytest.mark.parametrize("kind", ["smooth", "rounded", "gaps"])
def test_ends_are_where_the_tails_cross(n: int, kind: str) -> None:
    """Tails rise and fall with the shift, and the interval holds exactly the shifts that the shifted test does not reject."""
    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1, (6, n))
    d = np.round(d, 1) if kind == "rounded" else np.where(rng.random(d.shape) < 0.1, np.nan, d) if kind == "gaps" else d
    test = wilcoxon(d)
    for alpha in (0.3, 0.05, 0.001):
        low, high = test.interval_at(alpha)
        inside = np.isfinite(low)
        assert np.array_equal(inside, np.isfinite(high))
        for end, tail, step in ((low, test.tail_below, -1e-9), (high, test.tail_above, 1e-9)):
            assert np.all(tail(np.where(inside, end, 0))[inside] > alpha / 2)
            assert np.all(tail(np.where(inside, end + step, 0))[inside] <= alpha / 2)
        assert np.all(test.tail_below(-100.0)[~inside] > alpha / 2)
    shifts = np.linspace(-2, 2, 15)
    tails = np.array([test.tail_below(shift) for shift in shifts])
    assert np.all(np.diff(tails, axis=0) >= -1e-15)
    if kind == "smooth":
        assert test.tail_below(0.0) == pytest.approx(wilcoxon(d, alternative="greater").pvalue)
        assert test.tail_above(0.25) == pytest.approx(wilcoxon(d - 0.25, alternative="less").pvalue)


def test_interval_is_that_of_r() -> None:
    """Hollander and Wolfe's depression data, R's wilcox.test(x, y, paired = TRUE, conf.int = TRUE): V = 40, p = 0.03906."""
    first = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    second = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    test = wilcoxon(first - second)
    assert (test.w_plus, test.pvalue) == (40, 0.0390625)
    assert wilcoxon(first - second, alternative="greater").pvalue == 0.01953125
    averages = np.sort([(a + b) / 2 for i, a in enumerate(first - second) for b in (first - second)[i:]])
    # P(W <= 5) = 10/512 is at most 0.025, P(W <= 6) = 14/512 is not: the sixth average from either end
    assert test.confidence_interval(0.95) == pytest.approx((averages[5], averages[-6]))
    assert test.estimate == pytest.approx(np.median(averages))


@pytest.mark.parametrize("n", [1, 2, 3, 40, 299, 300, 301, 640])
def test_hodges_lehmann_is_the_median_of_all_walsh_averages(n: int) -> None:
    """The short way, which makes all of them, and the long way, which does not, against a plain median; ties and gaps too."""
    rng = np.random.default_rng(n)
    for d in (
        rng.normal(size=n),
        np.round(rng.normal(size=n), 1),
        rng.integers(0, 2, n).astype(float),
        np.exp(3 * rng.normal(size=n)),
    ):
        expected = np.median([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
        got = hodges_lehmann(np.array([np.append(d, np.nan), np.append(-d, np.nan)]))
        assert got == pytest.approx([expected, -expected], rel=1e-12, abs=1e-14)


def test_one_dataset_zeros_and_gaps() -> None:
    """One dataset cannot reject, nor zeros; what is missing is left out of its row, and one bad row spoils no other."""
    assert wilcoxon([0.03]).pvalue == 1.0
    assert wilcoxon([0.03]).confidence_interval(0.5) == (-np.inf, np.inf)
    zeros = wilcoxon(np.zeros(8))
    assert (zeros.n_used, zeros.n_zero, zeros.pvalue, zeros.estimate) == (0, 8, 1.0, 0.0)
    assert np.isnan([zeros.zscore, zeros.rank_biserial]).all()
    d = np.array([[0.1, 0.3, np.nan, 0.2], [np.nan] * 4, [0.1, np.inf, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]])
    test = wilcoxon(d)
    assert test.n_units.tolist() == [3, 0, 4, 4]
    assert test.pvalue[[0, 3]].tolist() == [0.25, 0.125]
    for values in (test.pvalue, test.w_plus, test.estimate, *test.confidence_interval(0.8), test.tail_below(0.1)):
        assert np.isnan(values)[1:3].all()


def test_smallest_pvalues_keep_their_digits() -> None:
    """All of 50 differences positive: 2^-49 two-sided, exactly; of 400 the normal tail, never 0."""
    assert wilcoxon(np.arange(1.0, 51)).pvalue == 2.0**-49
    assert wilcoxon(np.arange(1.0, 401), method="exact").pvalue == pytest.approx(2.0**-399, rel=1e-12)
    assert 0 < wilcoxon(np.arange(1.0, 2001)).pvalue < 1e-300


def test_split_zeros_as_demsar() -> None:
    """Three zeros: one is left out, the other two take ranks 1 and 2, of which each side has half; no ties, by hand."""
    test = wilcoxon([0, 0, 0, 1, 2, -3, 4], zeros="split", continuity=False)
    assert (test.n_used, test.w_plus, test.w_minus) == (6, 1.5 + 3 + 4 + 6, 1.5 + 5)
    assert test.zscore == pytest.approx((14.5 - 10.5) / np.sqrt(6 * 7 * 13 / 24))
    assert not test.is_exact


def test_critical_values_as_printed() -> None:
    """Demsar (2006), section 3.1.3: 21 for 14 datasets at 0.05; one-sided 0.025 is two-sided 0.05."""
    assert wilcoxon_critical_value(14) == wilcoxon_critical_value(14, 0.025, alternative="one-sided") == 21
    assert wilcoxon_critical_value(5) is None
    for n in (6, 14, 40):
        cut = wilcoxon_critical_value(n)
        assert cut is not None
        ways = np.zeros(n * (n + 1) // 2 + 1)
        ways[0] = 1
        for rank in range(1, n + 1):
            ways[rank:] += ways[:-rank].copy()
        below = np.cumsum(ways) / 2.0**n
        assert below[cut] <= 0.025 < below[cut + 1]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: wilcoxon(0.1),
            InvalidScoresError,
            "the differences must be a sequence, one per dataset; got the single value 0.1.",
        ),
        (lambda: wilcoxon([]), TooFewSplitsError, "0 dataset(s), but at least 1 are needed."),
        (lambda: wilcoxon([0.1], zeros="zsplit"), InvalidParameterError, "zeros must be one of 'drop', 'pratt', 'split'; got"),
        (lambda: wilcoxon([0.1], method="approx"), InvalidParameterError, "method must be one of 'auto', 'exact', 'normal'; got"),
        (lambda: wilcoxon([0.1], alternative="bigger"), InvalidParameterError, "alternative must be"),
        (
            lambda: wilcoxon([0.1], zeros="split", method="exact"),
            InvalidParameterError,
            "zeros='split' has no exact distribution",
        ),
        (
            lambda: wilcoxon(np.arange(2000.0), method="exact"),
            InvalidParameterError,
            "method='exact' takes 1000 differences at most",
        ),
        (lambda: wilcoxon([0.1, 0.2]).confidence_interval(95), InvalidParameterError, "level must lie between 0 and 1"),
        (lambda: wilcoxon_critical_value(0), InvalidParameterError, "n must be a whole number of at least 1; got 0."),
        (lambda: wilcoxon_critical_value(9, alternative="both"), InvalidParameterError, "'two-sided' or 'one-sided'; got 'both'"),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()
