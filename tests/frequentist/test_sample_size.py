"""Numbers of examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.errors import InvalidParameterError


def test_power_of_the_paired_test_is_as_asked() -> None:
    """Discordant share 0.2 and a difference of 0.08: McNemar's chi-squared shows it in 80 % of 4,000 tables of that size."""
    n = tb.items_needed(0.08, discordant=0.2)
    counts = np.random.default_rng(0).multinomial(n, [0.14, 0.06, 0.8], size=4_000)
    pvalues = tb.frequentist.mcnemar_test(counts[:, 0], counts[:, 1], "chi2").pvalue
    assert np.mean(pvalues <= 0.05) == pytest.approx(0.8, abs=0.025)


def test_scores_with_a_standard_deviation() -> None:
    """((1.96 + 0.8416) 0.3 / 0.05)^2 = 282.6, by hand; two test sets need twice the variance."""
    assert tb.items_needed(0.05, sd=0.3) == 283
    assert tb.items_needed(0.05, sd=0.3, paired=False) == 566


def test_two_test_sets_are_those_of_textbooks() -> None:
    """Fleiss, Levin and Paik: 0.82 against 0.80, from the formula of two proportions."""
    za, zb = stats.norm.ppf([0.975, 0.8])
    expected = (za * np.sqrt(2 * 0.81 * 0.19) + zb * np.sqrt(0.82 * 0.18 + 0.8 * 0.2)) ** 2 / 0.02**2
    assert tb.items_needed(0.02, rates=(0.82, 0.80), paired=False) == np.ceil(expected)


def test_pairing_clusters_and_runs() -> None:
    """Correlated answers need fewer examples, clusters and runs that vary more."""
    apart = tb.items_needed(0.02, rates=(0.82, 0.80), paired=False)
    paired = tb.items_needed(0.02, rates=(0.82, 0.80), correlation=0.5)
    assert paired < 0.55 * apart
    clustered = tb.items_needed(0.02, rates=(0.82, 0.80), correlation=0.5, cluster_size=5, intraclass_correlation=0.25)
    assert clustered == pytest.approx(2 * paired, abs=2)
    few, many = (tb.items_needed(0.02, sd=0.3, run_sd=0.2, runs=runs) for runs in (1, 100))
    assert few > many > tb.items_needed(0.02, sd=0.3)


def test_many_differences_at_once() -> None:
    """Half the difference takes four times the examples."""
    numbers = tb.items_needed([0.01, 0.02], sd=1.0)
    assert numbers[0] == pytest.approx(4 * numbers[1], abs=4)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"difference": 0, "sd": 1}, "a finite number other than 0"),
        ({"difference": 0.1}, "in one way: discordant=, rates="),
        ({"difference": 0.1, "sd": 1, "discordant": 0.2}, "in one way"),
        ({"difference": 0.1, "discordant": 0.05}, "lies between the difference and 1"),
        ({"difference": 0.1, "discordant": 0.2, "paired": False}, "two test sets have no discordant examples"),
        ({"difference": 0.1, "sd": -1}, "sd must be positive"),
        ({"difference": 0.1, "sd": 1, "cluster_size": 0}, "cluster_size and runs are at least 1"),
        ({"difference": 0.1, "rates": (0.5, 0.6), "correlation": 2}, "correlation must lie between 0 and 1"),
    ],
)
def test_contradictions_are_refused(arguments: dict[str, object], text: str) -> None:
    """With what was met."""
    with pytest.raises(InvalidParameterError, match=text):
        tb.items_needed(**arguments)
