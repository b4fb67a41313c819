"""Nemenyi's test, and its distribution against scipy's."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import (
    adjust_pvalues,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
    rank_quantile,
    wilcoxon,
)
from tiebreak.frequentist.nemenyi import rank_cliques

BAKEOFF = Path(__file__).parents[1] / "comparison" / "data" / "ucr_means.csv"


@pytest.mark.parametrize("k", [2, 3, 5, 10, 40, 200])
@pytest.mark.slow
def test_range_is_scipys(k: int) -> None:
    """Critical values of the studentized range with infinitely many degrees of freedom, over the square root of 2."""
    for alpha in (0.1, 0.05, 0.01, 1e-4):
        assert rank_quantile(k, alpha) == pytest.approx(stats.studentized_range.ppf(1 - alpha, k, np.inf) / 2**0.5, rel=1e-7)
    assert rank_quantile(k, 0.05, df=30) == pytest.approx(stats.studentized_range.ppf(0.95, k, 30) / 2**0.5, rel=1e-9)


def test_small_pvalues_keep_their_digits() -> None:
    """Of five models that differ by far, the p-value is that of the pair times the pairs, as no other exceeds so much."""
    result = nemenyi_test([1.0, 2.0, 3.0, 4.0, 5.0], 200)
    z = 4 / result.standard_error
    assert result.pvalues[0, 4] == pytest.approx(10 * 2 * stats.norm.sf(z), rel=1e-6)
    assert np.array_equal(result.pvalues, result.pvalues.T)
    assert np.all(np.diag(result.pvalues) == 1)


@given(seed=st.integers(0, 1000))
def test_told_apart_by_p_is_told_apart_by_distance(seed: int) -> None:
    """A p-value is at most alpha exactly where the distance is at least the critical difference."""
    ranks = average_ranks(np.random.default_rng(seed).normal(size=(9, 6)) + np.linspace(0, 2, 6))
    result = nemenyi_test(ranks, 9)
    distance = np.abs(ranks[:, None] - ranks)
    for alpha in (0.05, 0.2):
        clear = np.abs(distance - result.critical_difference(alpha)) > 1e-9
        assert np.array_equal((result.pvalues <= alpha) & clear, (distance >= result.critical_difference(alpha)) & clear)


@given(
    ranks=st.lists(st.integers(0, 30).map(lambda i: i / 4), min_size=1, max_size=12), span=st.integers(0, 20).map(lambda i: i / 4)
)
def test_cliques_are_the_largest_groups(ranks: list[float], span: float) -> None:
    """Every group spans no more than allowed, cannot be added to, and each pair that is near stands in one."""
    groups = rank_cliques(ranks, span)
    for group in groups:
        values = [ranks[i] for i in group]
        assert max(values) - min(values) <= span + 1e-9
        others = [r for i, r in enumerate(ranks) if i not in group]
        assert all(max(*values, r) - min(*values, r) > span for r in others)
        assert list(group) == sorted(group)
    near = {pair for pair in combinations(range(len(ranks)), 2) if abs(ranks[pair[0]] - ranks[pair[1]]) <= span}
    assert near == {pair for group in groups for pair in combinations(group, 2)}


def bakeoff() -> tuple[list[str], np.ndarray]:
    """Eight classifiers, mean accuracy over 30 resamples on each of 142 datasets (Middlehurst, Schaefer, Bagnall 2024)."""
    with BAKEOFF.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return names[1:], np.array([[float(cell) for cell in row[1:]] for row in rows])


def test_eight_time_series_classifiers() -> None:
    """Figures computed with scipy from the published results."""
    names, scores = bakeoff()
    ranks = dict(zip(names, average_ranks(scores).round(4).tolist(), strict=True))
    assert ranks == {
        "FreshPRINCE": 5.4261,
        "H-InceptionTime": 4.4894,
        "HC2": 3.0599,
        "MR-Hydra": 3.3063,
        "PF": 6.0634,
        "QUANT": 4.5211,
        "RDST": 4.3486,
        "WEASEL-2": 4.7852,
    }
    omnibus = friedman_test(scores)
    theirs = stats.friedmanchisquare(*scores.round(12).T)  # of raw means it is 167.3239: rounding noise breaks ties
    assert omnibus.friedman.statistic == pytest.approx(theirs.statistic)
    assert omnibus.iman_davenport.statistic == pytest.approx(141 * theirs.statistic / (142 * 7 - theirs.statistic))
    assert critical_difference(8, 142) == pytest.approx(0.88108, abs=5e-6)
    first, second = np.triu_indices(8, 1)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    p = wilcoxon(scores[:, first].T - scores[:, second].T, method="normal", continuity=False, scale=1).pvalue
    adjusted = {frozenset((names[i], names[j])): value for (i, j), value in zip(pairs, adjust_pvalues(p, "holm"), strict=True)}
    for pair, value in {
        ("FreshPRINCE", "WEASEL-2"): 0.0707,
        ("FreshPRINCE", "H-InceptionTime"): 0.117,
        ("RDST", "WEASEL-2"): 0.572,
        ("QUANT", "RDST"): 0.699,
        ("HC2", "MR-Hydra"): 1.0,
        ("H-InceptionTime", "MR-Hydra"): 0.0466,
        ("FreshPRINCE", "PF"): 0.0119,
        ("HC2", "H-InceptionTime"): 0.0108,
    }.items():
        assert adjusted[frozenset(pair)] == pytest.approx(value, rel=1e-2)  # as printed, of means with rounding noise
    assert sum(value > 0.05 for value in adjusted.values()) == 9


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: nemenyi_test([1.0, 1.5], 9),
            InvalidScoresError,
            "the average ranks of 2 models add up to 3; these are off by 0.5.",
        ),
        (lambda: nemenyi_test([[1.0, 2.0]], 9), InvalidScoresError, "the average ranks of one table have one axis"),
        (lambda: critical_difference(1, 9), InvalidParameterError, "n_models must be a whole number of at least 2; got 1."),
        (lambda: critical_difference(3, 1), InvalidParameterError, "n_datasets must be a whole number of at least 2; got 1."),
        (lambda: rank_quantile(3, 5), InvalidParameterError, "alpha must lie between 0 and 1"),
        (
            lambda: rank_quantile(3, test="dunn"),
            InvalidParameterError,
            "test must be 'nemenyi' or 'bonferroni-dunn'; got 'dunn'.",
        ),
        (lambda: rank_quantile(3, df=0), InvalidParameterError, "df must be above 0; got 0."),
    ],
)
def test_wrong_use_is_refused(call: Any, error: type[Exception], text: str) -> None:
    """Each text says what is wrong."""
    with pytest.raises(error, match=re.escape(text)):
        call()
