"""Signed-rank and sign test against enumeration, scipy and their own intervals; published figures are in tests/reference."""

import re
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics.law import IDENTICAL, SPREAD, UNDEFINED
from tiebreak.statistics import (
    hodges_lehmann,
    sign_counts,
    sign_test,
    sign_test_critical_value,
    signed_ranks,
    wilcoxon,
    wilcoxon_critical_value,
)

decimals = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(lambda values: np.array(values) * 0.1)
tenths = st.lists(st.integers(-5, 5), min_size=1, max_size=80).map(lambda values: np.array(values) / 10)


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
    law = wilcoxon(shifted, zeros=zeros, scale=1)
    assert law.pvalue("greater") == pytest.approx(greater)
    assert law.pvalue("less") == pytest.approx(less)
    assert law.pvalue() == pytest.approx(min(1.0, 2 * min(greater, less)))


@pytest.mark.parametrize("n", [6, 25, 50, 51, 300])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scipy_agrees_without_ties(n: int, alternative: Any) -> None:
    """Exact p-values, and normal ones with and without the correction for continuity."""
    d = np.random.default_rng(n).normal(0.2, 1, n)
    exact = stats.wilcoxon(d, alternative=alternative, method="exact").pvalue
    assert wilcoxon(d, method="exact").pvalue(alternative) == pytest.approx(exact, rel=1e-9)
    for correction in (True, False):
        theirs = stats.wilcoxon(d, alternative=alternative, method="asymptotic", correction=correction)
        ours = wilcoxon(d, method="normal", continuity=correction)
        if correction and alternative != "two-sided":  # scipy moves the sum towards the mean whatever is asked
            continue
        assert ours.pvalue(alternative) == pytest.approx(theirs.pvalue, rel=1e-9)
    expected = wilcoxon(d, method="exact" if n <= 50 else "normal")
    assert wilcoxon(d).pvalue(alternative) == expected.pvalue(alternative)


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_scipy_agrees_with_ties_and_zeros(zeros: Any) -> None:
    """The normal approximation of 60 rounded differences, a few of them zero."""
    d = np.random.default_rng(1).integers(-5, 8, 60).astype(float)
    theirs = stats.wilcoxon(d, zero_method="wilcox" if zeros == "drop" else "pratt", method="asymptotic", correction=False)
    ours, ranks = wilcoxon(d, zeros=zeros, method="normal", continuity=False), signed_ranks(d, zeros=zeros)
    assert (ours.pvalue(), abs(ranks.zscore)) == (pytest.approx(theirs.pvalue), pytest.approx(abs(theirs.zstatistic)))
    assert ranks.n_zero == np.count_nonzero(d == 0)


def test_sums_of_ranks_and_counts_change_places_with_the_models() -> None:
    """What the first wins, the second loses."""
    d = np.array([0.3, -0.1, 0.2, 0.0, 0.2, -0.4])
    ranks, mirrored = signed_ranks(d), signed_ranks(-d)
    assert (mirrored.w_plus, mirrored.w_minus, mirrored.zscore) == (ranks.w_minus, ranks.w_plus, -ranks.zscore)
    assert sign_counts(-d)[:2] == sign_counts(d)[1::-1]


@pytest.mark.slow
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
        for end, tail, step in ((low, test.tail, -1e-9), (high, partial(test.tail, upper=True), 1e-9)):
            assert np.all(tail(np.where(inside, end, 0))[inside] > alpha / 2)
            assert np.all(tail(np.where(inside, end + step, 0))[inside] <= alpha / 2)
        assert np.all(test.tail(-100.0)[~inside] > alpha / 2)
    shifts = np.linspace(-2, 2, 15)
    tails = test.tail(shifts[:, None])
    assert np.all(np.diff(tails, axis=0) >= -1e-15)
    if kind == "smooth":
        assert test.tail(0.0) == pytest.approx(test.pvalue("greater"))
        assert test.tail(0.25, upper=True) == pytest.approx(wilcoxon(d - 0.25).pvalue("less"))


def test_interval_is_that_of_r() -> None:
    """Hollander and Wolfe's depression data, R's wilcox.test(x, y, paired = TRUE, conf.int = TRUE): V = 40, p = 0.03906."""
    first = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    second = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    test = wilcoxon(first - second)
    assert (signed_ranks(first - second).w_plus, test.pvalue()) == (40, 0.0390625)
    assert test.pvalue("greater") == 0.01953125
    averages = np.sort([(a + b) / 2 for i, a in enumerate(first - second) for b in (first - second)[i:]])
    # P(W <= 5) = 10/512 is at most 0.025, P(W <= 6) = 14/512 is not: the sixth average from either end
    assert test.interval(0.95) == pytest.approx((averages[5], averages[-6]))
    assert test.estimate == pytest.approx(np.median(averages))


@pytest.mark.slow
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
    assert wilcoxon([0.03]).pvalue() == 1.0
    assert wilcoxon([0.03]).interval(0.5) == (-np.inf, np.inf)
    zeros, ranks = wilcoxon(np.zeros(8)), signed_ranks(np.zeros(8))
    assert (ranks.n_used, ranks.n_zero, zeros.pvalue(), zeros.estimate, zeros.kind) == (0, 8, 1.0, 0.0, IDENTICAL)
    assert np.isnan([ranks.zscore, ranks.rank_biserial]).all()
    d = np.array([[0.1, 0.3, np.nan, 0.2], [np.nan] * 4, [0.1, np.inf, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]])
    test = wilcoxon(d)
    assert test.n_units.tolist() == [3, 0, 4, 4]
    assert test.pvalue()[[0, 3]].tolist() == [0.25, 0.125]
    assert (test.kind[1:3] == UNDEFINED).all()
    for values in (test.pvalue(), signed_ranks(d).w_plus, test.estimate, *test.interval(0.8), test.tail(0.1)):
        assert np.isnan(values)[1:3].all()


def test_smallest_pvalues_keep_their_digits() -> None:
    """All of 50 differences positive: 2^-49 two-sided, exactly; of 400 the normal tail, never 0."""
    assert wilcoxon(np.arange(1.0, 51)).pvalue() == 2.0**-49
    assert wilcoxon(np.arange(1.0, 401), method="exact").pvalue() == pytest.approx(2.0**-399, rel=1e-12)
    assert 0 < wilcoxon(np.arange(1.0, 2001)).pvalue() < 1e-300


def test_split_zeros_as_demsar() -> None:
    """Three zeros: one is left out, the other two take ranks 1 and 2, of which each side has half; no ties, by hand."""
    d = [0, 0, 0, 1, 2, -3, 4]
    test = signed_ranks(d, zeros="split")
    assert (test.n_used, test.w_plus, test.w_minus) == (6, 1.5 + 3 + 4 + 6, 1.5 + 5)
    assert test.zscore == pytest.approx((14.5 - 10.5) / np.sqrt(6 * 7 * 13 / 24))
    assert wilcoxon(d, zeros="split", continuity=False).pvalue() == pytest.approx(2 * stats.norm.sf(test.zscore))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: wilcoxon(0.1),
            DataError,
            "the differences must be a sequence, one per dataset; got the single value 0.1.",
        ),
        (lambda: wilcoxon([]), DataError, "0 dataset(s), but at least 1 are needed."),
        (lambda: wilcoxon([0.1], zeros="zsplit"), InvalidParameterError, "zeros must be one of 'drop', 'pratt', 'split'; got"),
        (lambda: wilcoxon([0.1], method="approx"), InvalidParameterError, "method must be one of 'auto', 'exact', 'normal'; got"),
        (lambda: wilcoxon([0.1]).pvalue("bigger"), InvalidParameterError, "alternative must be"),
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
        (lambda: wilcoxon([0.1, 0.2]).interval(95), InvalidParameterError, "level must lie between 0 and 1"),
        (lambda: wilcoxon_critical_value(0), InvalidParameterError, "n must be a whole number of at least 1; got 0."),
        (lambda: wilcoxon_critical_value(9, alternative="both"), InvalidParameterError, "'two-sided', 'one-sided'; got 'both'"),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()


# --- the sign test -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(d=tenths, alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_sign_scipy_agrees(d: np.ndarray, alternative: Any) -> None:
    """Wins among the differences that are no ties, by scipy's exact binomial test."""
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    counts = sign_counts(d)
    expected = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    assert sign_test(d).pvalue(alternative) == pytest.approx(expected, rel=1e-10)
    assert (counts.wins, counts.losses, counts.ties) == (wins, losses, d.size - wins - losses)


@pytest.mark.slow
@settings(max_examples=50)
@given(n=st.integers(1, 200), seed=st.integers(0, 100), alpha=st.sampled_from([0.5, 0.05, 0.001]))
def test_sign_ends_are_where_the_tails_cross(n: int, seed: int, alpha: float) -> None:
    """The interval holds exactly the shifts that the shifted test does not reject; gaps and ties as well."""
    rng = np.random.default_rng(seed)
    d = np.round(rng.normal(0.3, 1, (4, n)), 2)
    d[0, 0] = np.nan
    test = sign_test(d)
    low, high = test.interval_at(alpha)
    inside = np.isfinite(low)
    for end, tail, step in ((low, test.tail, -1e-9), (high, partial(test.tail, upper=True), 1e-9)):
        assert np.all(tail(np.where(inside, end, 0))[inside] > alpha / 2)
        assert np.all(tail(np.where(inside, end + step, 0))[inside] <= alpha / 2)
    usable = ~inside & (test.kind == SPREAD)
    assert np.all(test.tail(-100.0)[usable] > alpha / 2)


def test_sign_interval_by_hand() -> None:
    """Ten differences: P(X <= 1) = 11/1024 is at most 0.025, P(X <= 2) = 56/1024 is not; so the second from either end."""
    test = sign_test(np.arange(10.0))
    assert test.interval(0.95) == (1.0, 8.0)
    assert test.estimate == 4.5


def test_sign_ties_are_dropped_or_split() -> None:
    """Demsar (2006): half of the ties count as wins, one is left out where their number is odd."""
    d = [1, 1, 1, -1, 0, 0, 0]
    dropped, split = sign_counts(d), sign_counts(d, ties="split")
    assert (dropped.wins_counted, dropped.n_counted, sign_test(d).pvalue()) == (3, 4, 0.625)
    assert (split.wins_counted, split.n_counted) == (4, 6)
    assert sign_test(d, ties="split").pvalue() == pytest.approx(stats.binomtest(4, 6).pvalue)
    assert sign_counts([0.3 - 0.2, 0.8 - 0.7 - 0.1], scale=1).ties == 1


def test_sign_gaps_and_bad_rows() -> None:
    """What is missing is left out; an infinite value or no value at all is undefined, and spoils no other row."""
    d = np.array([[0.1, np.nan, 0.2], [np.nan] * 3, [0.1, np.inf, 0.1], [0.1, 0.1, 0.1]])
    test = sign_test(d)
    assert test.n_units.tolist() == [2, 0, 3, 3]
    assert test.pvalue()[[0, 3]].tolist() == [0.5, 0.25]
    for values in (test.pvalue(), test.estimate, *test.interval(0.5), test.tail(0.0, upper=True)):
        assert np.isnan(values)[1:3].all()


def test_wrong_use_of_the_sign_test_is_refused() -> None:
    """Each text says what is wrong."""
    for call, text in (
        (lambda: sign_test([0.1], ties="half"), "ties must be one of 'drop', 'split'; got 'half'."),  # type: ignore[arg-type]
        (lambda: sign_test([0.1]).pvalue("up"), "alternative must be"),  # type: ignore[arg-type]
        (lambda: sign_test_critical_value(0), "n must be a whole number of at least 1; got 0."),
        (lambda: sign_test_critical_value(9, 5), "alpha must lie between 0 and 1"),
    ):
        with pytest.raises(InvalidParameterError, match=re.escape(text)):
            call()
