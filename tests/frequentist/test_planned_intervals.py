"""Laws of intervals that are yet to be measured: against closed forms, other programs, and simulated tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tiebreak.frequentist import group_sequential_design
from tiebreak.frequentist.planned_intervals import (
    CrossedParts,
    IntervalLaw,
    TangoLaw,
    area_parts,
    bivariate_excess,
    crossed_law,
    equivalence_by_look,
    independent_rates_law,
    jointly,
    mean_law,
    rank_law,
    student_law,
    welch_law,
)
from tiebreak.statistics import crossed_mean, newcombe, tango, wilcoxon
from tiebreak.statistics.skew import johnson_inverse


@pytest.mark.parametrize(("df", "limit"), [(3, 0.0), (9, 0.2), (29, -0.1)])
def test_students_power_is_the_noncentral_t(df: int, limit: float) -> None:
    """The chance that an interval lies above a limit has a textbook form, here scipy's."""
    law = student_law(1.0, 0.4, df, 0.05)
    assert law.above(limit) == pytest.approx(stats.nct.sf(stats.t.ppf(0.975, df), df, (1.0 - limit) / 0.4), abs=1e-6)


@pytest.mark.parametrize("n", [15, 30, 60])
def test_johnsons_side_costs_power(n: int, rng: np.random.Generator) -> None:
    """The wider of Student's and Johnson's end of 20,000 normal samples; the standard error of a share is 0.003."""
    difference, rope = 3.0 / np.sqrt(n), 4.5 / np.sqrt(n)
    values = rng.normal(size=(20_000, n)) + difference
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(n)
    skewness, t = stats.skew(values, axis=1, bias=False) / np.sqrt(n), stats.t.ppf(0.975, n - 1)
    low, high = (mean + s * np.maximum(t, -johnson_inverse(-t, -s * skewness)) * error for s in (-1, 1))
    law = mean_law(difference, 1 / np.sqrt(n), n, 0.05)
    assert law.above(0.0) == pytest.approx(np.mean(low > 0), abs=0.012)
    assert law.within(difference + rope) == pytest.approx(
        np.mean((low >= -difference - rope) & (high <= difference + rope)), abs=0.02
    )


def test_equivalence_is_that_of_powertost() -> None:
    """R's PowerTOST prints for sampleN.TOST(CV = 0.30): 40 subjects of a 2x2 crossover, power 0.815845."""
    sd = np.sqrt(np.log(1 + 0.30**2))
    law = student_law(np.log(0.95), sd * np.sqrt(2 / 40), 38, 0.10)  # two one-sided tests at 0.05
    assert law.within(np.log(1.25)) == pytest.approx(0.815845, abs=1e-6)


def test_known_variance_is_the_normal_distribution() -> None:
    """With infinitely many degrees of freedom powers are those of z."""
    law = student_law(2.8, 1.0, np.inf, 0.05)
    assert law.above(0.0) == pytest.approx(stats.norm.sf(1.959964 - 2.8), abs=1e-6)
    assert law.within(5.0) == pytest.approx(stats.norm.cdf(5 - 1.959964 - 2.8) - stats.norm.cdf(-5 + 1.959964 - 2.8), abs=1e-6)


@pytest.mark.parametrize(("n", "sd"), [(4, (1.0, 1.0)), (6, (1.0, 3.0)), (30, (1.0, 0.5))])
def test_welch_against_simulated_samples(n: int, sd: tuple[float, float], rng: np.random.Generator) -> None:
    """scipy's Welch test of 20,000 pairs of samples; the standard error of a share is 0.0035."""
    difference = 3.0 * np.hypot(*sd) / np.sqrt(n)
    x, y = (rng.normal(size=(20_000, n)) * each for each in sd)
    found = stats.ttest_ind(x + difference, y, axis=1, equal_var=False)
    shown = np.mean((found.pvalue < 0.05) & (found.statistic > 0))
    assert welch_law(difference, sd, n, 0.05).above(0.0) == pytest.approx(shown, abs=0.012)


@pytest.mark.parametrize("n_runs", [2, 4])
def test_runs_and_items_against_simulated_tables(n_runs: int, rng: np.random.Generator) -> None:
    """The interval of `crossed_mean` on 8,000 tables of 25 items; the standard error of a share is 0.0055."""
    n, items, runs, rest, difference = 25, 1.0, 0.1, 0.6, 0.9
    shape = (8_000, n_runs, n)
    values = difference + items * rng.normal(size=(shape[0], 1, n)) + runs * rng.normal(size=(*shape[:2], 1))
    low, high = crossed_mean(values + rest * rng.normal(size=shape)).law.interval()
    law = crossed_law(difference, CrossedParts(items**2 / n, runs**2 / n_runs, rest**2 / n / n_runs), n, n_runs, 0.05)
    assert law.above(0.0) == pytest.approx(np.mean(low > 0), abs=0.02)
    assert law.within(2.0) == pytest.approx(np.mean((low >= -2.0) & (high <= 2.0)), abs=0.02)


def test_tangos_law_sums_over_all_counts() -> None:
    """Every way in which 9 items can fall is looked at by hand: the multinomial probabilities of those that decide."""
    n, first, second = 9, 0.5, 0.1
    above = inside = 0.0
    for b, c in product(range(n + 1), repeat=2):
        if b + c > n:
            continue
        p = stats.multinomial.pmf([b, c, n - b - c], n, [first, second, 1 - first - second])
        low, high = tango(n - b - c, b, c, 0).interval(0.95)
        above += p * (low > 0)
        inside += p * (low >= -0.7 and high <= 0.7)
    law = TangoLaw(first - second, first + second, n, 0.05)
    assert law.above(0.0) == pytest.approx(above, abs=1e-9)
    assert law.within(0.7) == pytest.approx(inside, abs=1e-9)


def test_many_counts_are_those_of_connor() -> None:
    """Connor's formula has 80 % power at n = (z sqrt(p) + z' sqrt(p - d^2))^2 / d^2, here 9,809 for p = 0.125 and d = 0.01."""
    z, w = stats.norm.isf(0.025), stats.norm.isf(0.2)
    n = int(np.ceil((z * np.sqrt(0.125) + w * np.sqrt(0.125 - 0.01**2)) ** 2 / 0.01**2))
    assert n == 9_809
    assert TangoLaw(0.01, 0.125, n, 0.05).above(0.0) == pytest.approx(0.8, abs=1e-4)


def test_listed_and_unlisted_counts_agree() -> None:
    """Where the sum over all counts gives way to the normal distribution, powers differ by less than 0.01."""
    listed, not_listed = TangoLaw(0.02, 0.1, 2_000, 0.05), TangoLaw(0.02, 0.1, 2_200, 0.05)
    assert 0.0 < not_listed.above(0.0) - listed.above(0.0) < 0.05
    assert 0.0 < not_listed.above(-0.02) - listed.above(-0.02) < 0.01
    assert abs(not_listed.within(0.05) - listed.within(0.05)) < 0.05


def test_newcombes_law_sums_over_both_counts() -> None:
    """Power of 12 against 12 by the binomial probabilities of all 169 tables."""
    n, p, q = 12, 0.8, 0.3
    above = 0.0
    for x, y in product(range(n + 1), repeat=2):
        low, _ = newcombe(x, n, y, n).interval(0.95)
        above += stats.binom.pmf(x, n, p) * stats.binom.pmf(y, n, q) * (low > 0)
    assert independent_rates_law((p, q), n, 0.05).above(0.0) == pytest.approx(above, abs=1e-9)
    many = independent_rates_law((0.82, 0.80), 6_039, 0.05)
    assert many.above(0.0) == pytest.approx(0.8, abs=0.002)  # 6,039 is the textbook's number for these rates


@pytest.mark.parametrize(("n", "shift"), [(8, 1.2), (15, 0.8), (40, 0.5), (70, 0.35)])
def test_ranks_against_simulated_differences(n: int, shift: float, rng: np.random.Generator) -> None:
    """Wilcoxon's interval on 8,000 normal samples; the standard error of a share is 0.005."""
    low, high = wilcoxon(rng.normal(size=(8_000, n)) + shift).interval(0.95)
    law = rank_law(shift, 1.0, n, 0.05)
    assert law.above(0.0) == pytest.approx(np.mean(low > 0), abs=0.02)
    assert law.within(2.0 * shift) == pytest.approx(np.mean((low >= -2 * shift) & (high <= 2 * shift)), abs=0.02)


def test_five_datasets_show_nothing_by_ranks() -> None:
    """The smallest two-sided p of five is 2 / 32, above 0.05, so the interval has no end."""
    assert rank_law(100.0, 1.0, 5, 0.05).above(0.0) == 0.0
    assert rank_law(100.0, 1.0, 6, 0.05).above(0.0) == pytest.approx(1.0)


@pytest.mark.parametrize(("h", "k", "r"), [(0.3, -0.5, 0.5), (1.2, 1.2, 0.25), (-1.0, 0.4, 0.0)])
def test_bivariate_normal_probabilities(h: float, k: float, r: float) -> None:
    """Plackett's integral is scipy's bivariate normal probability less the product of the margins."""
    both = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([h, k])
    assert bivariate_excess(h, k, r) == pytest.approx(both - stats.norm.cdf(h) * stats.norm.cdf(k), abs=1e-7)


def test_areas_vary_as_simulated_ones(rng: np.random.Generator) -> None:
    """4,000 tables of 40 positive and 60 negative examples: the standard deviation of the difference of areas, within 5 %."""
    areas, r, sizes = (0.85, 0.80), 0.5, (40, 60)
    shift = np.array([stats.norm.ppf(each) * np.sqrt(2) for each in areas])
    shared = rng.normal(size=(4_000, 100, 1)) * np.sqrt(r)
    scores = shared + np.sqrt(1 - r) * rng.normal(size=(4_000, 100, 2))
    scores[:, : sizes[0]] += shift
    ranks = stats.rankdata(scores, axis=1)[:, : sizes[0]].sum(axis=1)
    found = (ranks - sizes[0] * (sizes[0] + 1) / 2) / (sizes[0] * sizes[1])
    parts = area_parts(areas, r)
    expected = np.sqrt(parts.positive / sizes[0] + parts.negative / sizes[1])
    assert expected == pytest.approx(np.std(found[:, 0] - found[:, 1]), rel=0.05)


def test_near_best_is_a_multivariate_normal_probability() -> None:
    """Three differences that correlate by a half, each beyond its limit with 0.9, are so together as scipy says."""
    z = stats.norm.ppf(0.9)
    together = stats.multivariate_normal(np.zeros(3), np.full((3, 3), 0.5) + 0.5 * np.eye(3)).cdf([z] * 3)
    assert jointly(0.9, 3) == pytest.approx(together, abs=1e-4)
    assert (jointly(0.9, 1), jointly(1.0, 3), jointly(0.0, 3)) == (0.9, 1.0, 0.0)


def test_equivalence_at_each_look_against_simulated_paths(rng: np.random.Generator) -> None:
    """200,000 random walks seen at five places; the standard error of a share is 0.0011."""
    t = np.arange(1, 6) / 5
    design = group_sequential_design(t)
    walk = (rng.normal(size=(200_000, 5)) * np.sqrt(0.2)).cumsum(axis=1) + 0.4 * t
    within = np.abs(walk) <= t * 3.6 - design.critical * np.sqrt(t)
    first = np.where(within.any(axis=1), within.argmax(axis=1), 9)
    expected = [np.mean(first == k) for k in range(5)]
    assert equivalence_by_look(design, 0.4, 3.6, 1.0) == pytest.approx(expected, abs=0.005)


def test_one_look_is_no_look() -> None:
    """At the end of the plan only, equivalence has the power of the interval itself."""
    found = equivalence_by_look(group_sequential_design([1.0]), 0.3, 3.0, 1.0)
    assert found == pytest.approx([student_law(0.3, 1.0, np.inf, 0.05).within(3.0)], abs=1e-9)


@pytest.mark.parametrize(
    "law",
    [
        student_law(0.5, 0.2, 9, 0.05),
        TangoLaw(0.1, 0.3, 60, 0.05),
        independent_rates_law((0.7, 0.6), 80, 0.05),
        rank_law(0.5, 1.0, 20, 0.05),
    ],
    ids=["student", "tango", "newcombe", "ranks"],
)
def test_a_higher_limit_is_harder(law: IntervalLaw) -> None:
    """The chance of lying above a limit falls with it, and that of lying within a rope rises with it."""
    limits = np.linspace(-0.4, 0.6, 9)
    above = [law.above(limit) for limit in limits]
    within = [law.within(rope) for rope in np.linspace(0.0, 3.0, 9)]
    assert above == sorted(above, reverse=True)
    assert within == sorted(within)
    assert within[0] == pytest.approx(0.0, abs=1e-12)
