"""Looks at data that are still coming in.

``data/rpact_designs.csv`` was written with rpact 3.3.4 under R 4.2.2: ``getDesignGroupSequential(informationRates=, alpha=,
sided=2, typeOfDesign="asHSD" | "asOF" | "asP", gammaA=, tolerance=1e-10)``.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from tiebreak.statistics.looks import alpha_spent, group_sequential_design, split_information

with (Path(__file__).parent / "data" / "rpact_designs.csv").open(encoding="utf-8") as file:
    DESIGNS = list(csv.DictReader(file))


SPENT = {
    "obrien-fleming": lambda t, alpha: 4 * stats.norm.sf(stats.norm.isf(alpha / 4) / np.sqrt(t)),
    "pocock": lambda t, alpha: alpha * np.log(1 + (np.e - 1) * t),
}
"""By share of the plan and alpha, as Lan and DeMets (1983) have them; others are those of Hwang, Shih and DeCani."""


def numbers(text: str) -> np.ndarray:
    return np.array([float(each) for each in text.split()])


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", DESIGNS, ids=lambda row: f"{row['spending']}-{row['gamma']}-{row['fractions']}-{row['alpha'][:6]}"
)
def test_bounds_are_those_of_rpact(row: dict[str, str]) -> None:
    """Bounds to 1e-6 where a look spends at least 1e-3; rpact solves for what is spent to 1e-10, which is less exact for less."""
    fractions, alpha, gamma = numbers(row["fractions"]), float(row["alpha"]), float(row["gamma"] or -4)
    granted = SPENT[row["spending"]](fractions, alpha) if row["spending"] in SPENT else None
    design = group_sequential_design(fractions, alpha=alpha, gamma=gamma, spent=granted)
    spent = np.diff(design.spent, prepend=0)
    for least, tolerance in ((1e-3, 1e-6), (1e-4, 2e-6), (1e-5, 1e-5)):
        known = spent >= least
        np.testing.assert_allclose(design.critical[known], numbers(row["critical"])[known], rtol=0, atol=tolerance)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 190 / 2])
def test_two_looks_by_a_double_integral(alpha: float) -> None:
    """P(|Z1| <= c1, |Z2| > c2) integrated by scipy is what the second look may spend, to 1e-8 of itself."""
    design = group_sequential_design([0.3, 1.0], alpha=alpha)
    c1, c2 = design.critical
    root, spread = np.sqrt(0.3), np.sqrt(0.7)

    def beyond(z: float) -> float:
        return stats.norm.pdf(z) * (stats.norm.sf((c2 - root * z) / spread) + stats.norm.cdf((-c2 - root * z) / spread))

    mass, _ = integrate.quad(beyond, -c1, c1, epsabs=0, epsrel=1e-11, limit=500)
    assert 2 * stats.norm.sf(c1) == pytest.approx(design.spent[0], rel=1e-10)
    assert mass == pytest.approx(alpha - design.spent[0], rel=1e-8)


@pytest.mark.parametrize(("df", "law"), [(None, stats.norm()), (7, stats.t(7))])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 190 / 2, 1e-12])
def test_a_single_look_is_the_plain_quantile(df: float | None, law: object, alpha: float) -> None:
    """All of alpha is spent there."""
    design = group_sequential_design([1.0], alpha=alpha, df=df)
    assert design.critical[0] == pytest.approx(law.isf(alpha / 2), rel=1e-9)
    assert design.alphas[0] == pytest.approx(alpha, rel=1e-9)


def shares_stopped(n_units: list[int], ratio: float, critical: np.ndarray, n_paths: int) -> np.ndarray:
    """Share of simulated tables beyond the bounds for the first time at each look; t is formed from raw units."""
    rng = np.random.default_rng(5)
    units = rng.normal(size=(n_paths, n_units[-1]))
    common = (rng.normal(size=n_paths) * np.sqrt(ratio))[:, None]
    is_open, shares = np.ones(n_paths, bool), []
    for size, bound in zip(n_units, critical, strict=True):
        so_far = units[:, :size] + common
        t = so_far.mean(axis=1) / (so_far.std(axis=1, ddof=1) * np.sqrt(1 / size + ratio))
        shares.append(np.mean(is_open & (np.abs(t) > bound)))
        is_open &= np.abs(t) <= bound
    return np.array(shares)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_units", "ratio", "gamma"),
    [
        ([4, 10], 0.0, -4.0),
        ([2, 4, 6, 8, 10], 1.0, -4.0),
        ([10, 20, 30, 60, 61], 1 / 9, 1.0),
        ([2, 3, 4, 12], 0.0, 1.0),
        ([5, 7, 19, 20, 40], 0.25, -4.0),
    ],
)
def test_student_looks_by_simulation(n_units: list[int], ratio: float, gamma: float) -> None:
    """100,000 tables of units with a common part, as splits have: every look's share within 4.5 standard errors.

    A million tables, and more designs, are in ``benchmarks/validity/group_sequential.py``.
    """
    fractions = split_information(n_units, n_units[-1], test_train_ratio=ratio)
    design = group_sequential_design(fractions, df=np.array(n_units) - 1, gamma=gamma)
    expected = np.diff(design.spent, prepend=0.0)
    shares = shares_stopped(n_units, ratio, design.critical, 100_000)
    assert np.all(np.abs(shares - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / 100_000) + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "wrong"), [([2, 4, 6, 8, 10], 0.079), ([4, 10], 0.062)])
def test_normal_bounds_read_as_student_levels_are_too_wide(n_units: list[int], wrong: float) -> None:
    """Two folds, after each of five repeats (as the docstring says), and after two and five: calibrated alphas are smaller."""
    fractions = split_information(n_units, 10, test_train_ratio=1.0)
    normal = group_sequential_design(fractions)
    as_student = stats.t(np.array(n_units) - 1).isf(normal.alphas / 2)
    assert shares_stopped(n_units, 1.0, as_student, 100_000).sum() == pytest.approx(wrong, abs=0.003)
    assert np.all(group_sequential_design(fractions, df=np.array(n_units) - 1).alphas[1:] < normal.alphas[1:])


@pytest.mark.parametrize("scale", [4e5, 6e5, 1e9, np.inf])
def test_many_degrees_of_freedom_are_the_normal_process(scale: float) -> None:
    """On both sides of the 1e5 from which it is taken for that, the bounds are the normal ones, to 2e-4."""
    t = np.array([0.2, 0.5, 0.6, 1.0])
    student = group_sequential_design(t, df=scale * t)
    np.testing.assert_allclose(student.critical, group_sequential_design(t).critical, atol=2e-4)


@pytest.mark.parametrize("df", [None, [9, 19, 29, 39]])
def test_looks_may_be_added_on_the_way(df: list[int] | None) -> None:
    """The bound of a look does not know the looks after it."""
    planned = group_sequential_design([0.2, 0.5, 1.0], df=None if df is None else [9, 19, 39])
    changed = group_sequential_design([0.2, 0.5, 0.7, 1.0], df=df)
    np.testing.assert_array_equal(planned.critical[:2], changed.critical[:2])
    assert changed.critical[3] > planned.critical[2]


def test_looks_very_close_to_each_other() -> None:
    """A second look at nearly the same data spends nearly nothing more: the later bound stays what it was, to 1e-3."""
    for df in (None, [50, 51, 100]):
        close = group_sequential_design([0.5, 0.50001, 1.0], df=df)
        apart = group_sequential_design([0.5, 1.0], df=None if df is None else [50, 100])
        assert close.critical[2] == pytest.approx(apart.critical[1], abs=1e-3)


def test_more_data_than_planned_spend_all() -> None:
    """The last look at 1.2 of the plan has the alpha that is left, and its own correlation with the looks before."""
    over = group_sequential_design([0.5, 1.2])
    assert over.spent[-1] == 0.05
    c1, c2 = over.critical
    both = stats.multivariate_normal(cov=[[1, np.sqrt(0.5 / 1.2)], [np.sqrt(0.5 / 1.2), 1]])
    assert 1 - both.cdf([c1, c2], lower_limit=[-c1, -c2]) == pytest.approx(0.05, abs=1e-5)


def test_a_look_that_spends_nothing_has_no_bound() -> None:
    """Amounts that keep all for the end leave the plain quantile there."""
    design = group_sequential_design([0.3, 0.6, 1.0], spent=[0.0, 0.0, 0.05])
    np.testing.assert_array_equal(np.isinf(design.critical), [True, True, False])
    np.testing.assert_array_equal(design.alphas[:2], 0.0)
    assert design.critical[2] == pytest.approx(stats.norm.isf(0.025), rel=1e-9)
    between = group_sequential_design([0.3, 0.6, 1.0], df=[5, 11, 19], spent=[0.02, 0.02, 0.05])
    assert np.isinf(between.critical[1])


def test_spending_functions_by_hand() -> None:
    """The formulas, at a half; twice the one-sided function at alpha / 2."""
    half = [0.5]
    assert alpha_spent(half)[0] == pytest.approx(0.05 * (1 - np.exp(2)) / (1 - np.exp(4)))
    assert alpha_spent(half, gamma=0)[0] == pytest.approx(0.025)
    np.testing.assert_array_equal(alpha_spent([1.0, 1.5]), 0.05)


def test_information_of_repeats() -> None:
    """Ten repeats of ten folds: .57, .75, .84 (shared/design, section 8); independent units have n / N."""
    np.testing.assert_allclose(split_information([10, 20, 30], 100, test_train_ratio=1 / 9), [0.57, 0.75, 0.84], atol=0.005)
    np.testing.assert_allclose(split_information([1, 5], 20, test_train_ratio=0), [0.05, 0.25])
