"""Student tails and quantiles against mpmath and scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from tiebreak.numerics import (
    student,
    student_log_density,
    student_multiplier,
    student_pvalue,
    student_quantile,
    student_tail,
)

# P(T > x), from mpmath's betainc, quad and atan2 at 60 digits
TAILS = [
    (0.1, 1, 0.46827448256944642874),
    (3, 1, 0.10241638234956672582),
    (1000, 1, 0.00031830978008055893887),
    (-2, 1, 0.85241638234956672582),
    (0.001, 2, 0.49964644669779504073),
    (12.5, 2, 0.0031696040517723418199),
    (0.75, 3, 0.2538572897120671062),
    (40, 3, 0.000017190340394579264142),
    (2.5, 4, 0.033383272405994072519),
    (1e6, 4, 2.99999999998e-24),
    (0.5, 9, 0.3145356499130132398),
    (2.262157162798205, 9, 0.025000000000000026658),
    (30, 9, 1.2418523520791312223e-10),
    (0.1, 29, 0.46051622224368687298),
    (8, 29, 4.0062878248158513717e-9),
    (1.984, 99, 0.025012286459087200195),
    (12, 99, 2.5653148439487427349e-21),
    (60, 99, 5.9093030361101453035e-80),
    (4.5, 999, 3.7969518775850421487e-6),
    (20, 999, 2.0836922465214988591e-75),
    (0.3, 4999, 0.38209481458204233197),
    (9, 4999, 1.573925185173691071e-19),
]
# the x with P(T < x) = p, from mpmath's findroot at 60 digits and closed forms for df 1 and 2
QUANTILES = [
    (0.975, 1, 12.706204736174693314),
    (1e-09, 1, -318309886.18379065067),
    (0.4999, 1, -0.00031415927569437069231),
    (0.975, 2, 4.3026527297494617894),
    (0.3, 2, -0.61721339984836768183),
    (0.999, 3, 10.214531852407383456),
    (0.975, 4, 2.7764451051977934898),
    (0.49, 4, -0.026670618302639030069),
    (0.495, 4, -0.013333827192320654217),
    (1e-12, 4, -1316.0727465592565424),
    (0.975, 9, 2.2621571627982049992),
    (0.025, 9, -2.2621571627982055086),
    (1e-07, 9, -14.040718740070064951),
    (1e-20, 19, -43.147101227041218335),
    (0.995, 99, 2.6264054572808271827),
    (1e-10, 99, -7.0913506083514612861),
    (0.45, 99, -0.12598411391620590174),
    (1e-06, 999, -4.7816369788300793356),
    (0.75, 4999, 0.6745388301775063155),
]

MANY = student.TABLE_PAYS_FROM
"""Numbers from which the tail is read from a table."""


@pytest.mark.parametrize(("x", "df", "expected"), TAILS)
def test_tail_agrees_with_mpmath(x: float, df: float, expected: float) -> None:
    """To 1e-13 of the probability, far out as well; scipy alone is off by 2e-9 for one degree of freedom."""
    assert_allclose(student_tail(x, df), expected, rtol=1e-13)


@pytest.mark.parametrize("df", [2, 3, 4, 5, 7, 9, 19, 29, 49, 99, 199, 249, 499, 999, 2499, 4999, 5000])
def test_table_of_the_tail_agrees_with_scipy(df: int) -> None:
    """Large arrays take a piecewise polynomial: 5e-14 of any probability, 5e-13 of one of 1e-300."""
    x = np.concatenate([np.linspace(-20, 20, MANY), np.geomspace(1e-12, 1e-2, 50), np.geomspace(20, 1e12, 2000), [0.0]])
    table, scipy = student_tail(x, df), special.stdtr(df, -x)
    assert_allclose(table, scipy, rtol=0, atol=5e-14)
    assert np.all(table[x >= 0] <= 0.5)  # twice a tail is a p-value
    normal = scipy > 1e-300
    assert_allclose(table[normal], scipy[normal], rtol=5e-13)


@pytest.mark.parametrize("df", [1, 4, 99])
def test_size_and_shape_of_the_array_do_not_matter(df: int, rng: np.random.Generator) -> None:
    """A number in a large two-dimensional array has the tail that it has alone, to 2e-13."""
    x = rng.standard_t(3, size=(2, MANY))
    tail = student_tail(x, df)
    assert tail.shape == x.shape
    some = x[:, ::997]
    assert_allclose(tail[:, ::997], np.vectorize(lambda value: float(student_tail(value, df)))(some), rtol=2e-13)


@pytest.mark.parametrize("n", [4, MANY])
def test_tail_of_what_is_no_number(n: int) -> None:
    """Infinite statistics have tails 0 and 1, an undefined one stays undefined, in small and large arrays."""
    x = np.resize([np.inf, -np.inf, np.nan, 0.0], n)
    assert_allclose(student_tail(x, 9)[:4], [0.0, 1.0, np.nan, 0.5], rtol=1e-13)
    assert_array_equal(student_tail(x, np.full(n, 9))[:4], [0.0, 1.0, np.nan, 0.5])


def test_tail_takes_a_df_for_each_number() -> None:
    """Incomplete tables have pairs with different df, one degree of freedom among them."""
    df = np.array([1, 2, 30, 1])
    assert_allclose(student_tail([1.0, 1.0, 1.0, -1.0], df), [0.25, stats.t.sf(1, 2), stats.t.sf(1, 30), 0.75], rtol=1e-13)


@pytest.mark.parametrize(("probability", "df", "expected"), QUANTILES)
def test_quantile_agrees_with_mpmath(probability: float, df: float, expected: float) -> None:
    """To 1e-12; scipy alone is off by 3e-8 near the centre for 4 degrees of freedom, those of five folds."""
    assert_allclose(student_quantile(probability, df), expected, rtol=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 19, 99, 999])
def test_quantile_undoes_the_tail(df: int) -> None:
    """From probability to value and back, on both sides, near the centre too."""
    p = np.concatenate([np.geomspace(1e-100, 0.4, 60), np.linspace(0.4, 0.6, 401), 1 - np.geomspace(1e-9, 0.4, 40)])
    x = student_quantile(p, df)
    assert_allclose(student_tail(-x, df), p, rtol=1e-12)
    assert np.all(np.diff(x[np.argsort(p)]) >= 0)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 9, 99])
def test_quantile_next_to_the_centre(df: int) -> None:
    """There the distribution is a straight line: a step of probability over the density at 0, which scipy's t gives."""
    step = np.array([-1e-6, -1e-9, 1e-12, 1e-7])
    assert_allclose(student_quantile(0.5 + step, df), step / stats.t.pdf(0, df), rtol=1e-9, atol=1e-15)


def test_quantile_at_the_ends() -> None:
    """0 and 1 lie infinitely far out, on their own sides; one half is the centre; outside there is nothing."""
    assert_array_equal(student_quantile([0.0, 1.0], 3), [-np.inf, np.inf])
    assert_allclose(student_quantile(0.5, [1, 3, 4, 99]), 0.0, atol=1e-16)
    assert np.all(np.isnan(student_quantile([np.nan, -0.1, 1.1], 3)))


def test_multiplier_of_a_tiny_alpha_keeps_its_digits() -> None:
    """alpha over the 499,500 pairs of 1,000 models, against scipy's survival side."""
    assert_allclose(student_multiplier(0.05 / 499_500, 99), stats.t.isf(0.05 / 999_000, 99), rtol=1e-12)
    assert_allclose(student_multiplier(0.05, [4, 9]), [2.7764451051977987, 2.2621571627982049], rtol=1e-12)


def test_pvalue_of_each_alternative() -> None:
    """Against scipy's t distribution: "greater" is small for a large statistic, "less" for a negative one."""
    for statistic in (-2.5, -0.1, 0.0, 1.7):
        assert_allclose(student_pvalue(statistic, 9), 2 * stats.t.sf(abs(statistic), 9), rtol=1e-13)
        assert_allclose(student_pvalue(statistic, 9, "greater"), stats.t.sf(statistic, 9), rtol=1e-13)
        assert_allclose(student_pvalue(statistic, 9, "less"), stats.t.cdf(statistic, 9), rtol=1e-13)


def test_log_density_is_scipys() -> None:
    """Also where the square of the distance leaves the range of floats, and the density is 0."""
    x = np.linspace(-30, 30, 61)
    assert_allclose(student_log_density(x, 4), stats.t.logpdf(x, 4), rtol=1e-13)
    assert np.exp(student_log_density(1e200, 4)) == 0
