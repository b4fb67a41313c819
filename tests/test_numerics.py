"""Student tails against mpmath and scipy, moments against two plain passes, checks by their texts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from tiebreak import numerics
from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewSplitsError
from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    DifferenceMoments,
    check_differences,
    check_probability,
    check_ratio,
    check_rope,
    check_scale,
    check_score_table,
    divide,
    limit_tails,
    masked_pair_moments,
    pair_moments,
    row_moments,
    student_log_density,
    student_multiplier,
    student_pvalue,
    student_quantile,
    student_tail,
    student_tails,
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

MANY = numerics._TABLE_PAYS_FROM
"""Numbers from which the tail is read from a table."""


# --- Student's t ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "df", "expected"), TAILS)
def test_tail_agrees_with_mpmath(x: float, df: float, expected: float) -> None:
    """To 1e-13 of the probability, far out as well; scipy alone is off by 2e-9 for one degree of freedom."""
    assert_allclose(student_tail(x, df), expected, rtol=1e-13)
    assert_allclose(student_tails(x, df), (1 - expected, expected), rtol=1e-13)


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
    below, above = student_tails(x, 9)
    assert_allclose(below[:4], [1.0, 0.0, np.nan, 0.5], rtol=1e-13)
    assert_allclose(above[:4], [0.0, 1.0, np.nan, 0.5], rtol=1e-13)


def test_tail_takes_a_df_for_each_number() -> None:
    """Incomplete tables have pairs with different df, one degree of freedom among them."""
    df = np.array([1, 2, 30, 1])
    assert_allclose(student_tail([1.0, 1.0, 1.0, -1.0], df), [0.25, stats.t.sf(1, 2), stats.t.sf(1, 30), 0.75], rtol=1e-13)


def test_tails_add_up_to_one_and_mirror(rng: np.random.Generator) -> None:
    """Exchanging the sign exchanges the two tails exactly."""
    x = rng.normal(0, 5, 1000)
    below, above = student_tails(x, 9)
    mirrored = student_tails(-x, 9)
    assert_array_equal(mirrored[0], above)
    assert_array_equal(mirrored[1], below)
    assert_allclose(below + above, 1.0, rtol=1e-15)


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


def test_limit_tails_are_tails_of_the_shifted_distribution() -> None:
    """Mean 0.03 and scale 0.02 against -0.01 and 0.01, by scipy's location-scale t."""
    t = stats.t(9, 0.03, 0.02)
    expected = (t.cdf(-0.01), t.sf(-0.01), t.cdf(0.01), t.sf(0.01))
    assert_allclose(limit_tails(np.array(0.03), np.array(0.02), 9, 0.01), expected, rtol=1e-12)
    both = limit_tails(np.array(0.03), np.array(0.02), 9, 0.0)
    assert_allclose(both, (t.cdf(0), t.sf(0)) * 2, rtol=1e-12)


def test_limit_far_beyond_the_scale_is_certain() -> None:
    """A rope of 1e308 makes everything equivalent, without an overflow warning."""
    tails = limit_tails(np.array(0.1), np.array(1e-5), 9, 1e308)
    assert_array_equal(tails, (0.0, 1.0, 1.0, 0.0))


# --- moments --------------------------------------------------------------------------------------------------------


def exact_moments(row: np.ndarray) -> tuple[float, float]:
    """Mean and variance (divisor n - 1) in rational arithmetic."""
    values = [Fraction(float(value)) for value in row]
    mean = sum(values) / len(values)
    return float(mean), float(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


@pytest.mark.parametrize("size", [1e-290, 1e-150, 1.0, 1e6, 1e160, 1e299])
def test_moments_of_any_magnitude_are_exact(size: float, rng: np.random.Generator) -> None:
    """Squares of such numbers under- or overflow; rational arithmetic does not."""
    d = rng.normal(0.3, 1, (5, 11)) * size
    got = row_moments(d)
    for row, mean, sd in zip(d, got.mean, got.sd, strict=True):
        exact_mean, exact_variance = exact_moments(row / size)
        assert_allclose(mean / size, exact_mean, rtol=1e-14)
        assert_allclose(sd / size, np.sqrt(exact_variance), rtol=1e-14)
    assert_array_equal(got.kind, SPREAD)


def test_kinds_of_rows() -> None:
    """Design promise 5, a row of each kind in one batch; none spoils another."""
    rows = np.array(
        [
            [0.1, 0.2, 0.3],
            [0.0, 0.0, 0.0],
            [0.02, 0.02, 0.02],
            [1.0, np.nan, 1.0],
            [1.0, np.inf, 1.0],
            [-0.0, 0.0, -0.0],
        ]
    )
    got = row_moments(rows)
    assert_array_equal(got.kind, [SPREAD, IDENTICAL, CONSTANT, UNDEFINED, UNDEFINED, IDENTICAL])
    assert_array_equal(got.sd[1:], [0, 0, np.nan, np.nan, 0])
    assert_array_equal(got.mean[1:], [0, 0.02, np.nan, np.nan, 0])
    assert not np.any(np.signbit(got.mean))


def test_missing_splits_may_be_left_out() -> None:
    """A row with nan is the row without it; one score left has a mean and no spread, none left has neither."""
    rows = np.array([[1.0, np.nan, 2.0, 4.0], [np.nan, np.nan, 5.0, np.nan], [np.nan] * 4, [1.0, np.inf, np.nan, 1.0]])
    got = row_moments(rows, omit_missing=True)
    assert_array_equal(got.n_splits, [3, 1, 0, 3])
    assert_array_equal(got.df, [2, 0, 0, 2])
    assert_allclose(got.mean[:2], [7 / 3, 5.0])
    assert_allclose(got.sd[0], np.std([1, 2, 4], ddof=1))
    assert_array_equal(got.kind, [SPREAD, UNDEFINED, UNDEFINED, UNDEFINED])
    assert np.all(np.isnan(got.sd[1:]))


def test_rounding_noise_is_no_spread() -> None:
    """0.91 - 0.90 and 0.61 - 0.60 differ in the last digits of the scores they come from, not of their own."""
    d = np.array([0.91 - 0.90, 0.61 - 0.60, 0.51 - 0.50, 0.11 - 0.10])
    assert len(set(d)) > 1
    assert row_moments(d, scale=0.91).kind == CONSTANT
    assert row_moments(d + 2e-12 * np.arange(4), scale=0.91).kind == SPREAD
    assert row_moments(1e-13 * np.arange(4.0), scale=0.91).kind == IDENTICAL


def test_noise_has_a_floor_near_the_smallest_float() -> None:
    """Below 1e-300 floats lose digits, so such differences are none."""
    assert row_moments(np.array([1e-320, 2e-320, 5e-320])).kind == IDENTICAL
    assert row_moments(np.array([1e-290, 2e-290, 5e-290])).kind == SPREAD


def all_pairs(n_models: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n_models, 1)


def assert_same_moments(got: DifferenceMoments, expected: DifferenceMoments, rtol: float = 1e-12) -> None:
    """As statistics see them: mean and sd to `rtol` of the sd, kinds and tolerances exactly."""
    assert_array_equal(got.kind, expected.kind)
    assert_allclose(got.tolerance, expected.tolerance, rtol=1e-15)
    assert_allclose(got.sd, expected.sd, rtol=rtol)
    spread = expected.kind == SPREAD
    wrong = np.abs(got.mean - expected.mean)[spread]
    assert np.all(wrong <= rtol * np.maximum(np.abs(expected.mean), expected.sd)[spread])
    assert_allclose(got.mean[~spread], expected.mean[~spread], rtol=1e-12)


def direct_moments(scores: np.ndarray, first: np.ndarray, second: np.ndarray) -> DifferenceMoments:
    scale = np.maximum(np.abs(scores).max(axis=1)[first], np.abs(scores).max(axis=1)[second])
    return row_moments(scores[first] - scores[second], scale)


@pytest.mark.parametrize("n_splits", [2, 3, 10, 100])
@pytest.mark.parametrize("gap", [0.0, 1e-13, 1e-9, 1e-6, 4e-4, 1e-3])
def test_product_agrees_with_direct_differences_of_near_duplicates(gap: float, n_splits: int, rng: np.random.Generator) -> None:
    """C_ii + C_jj - 2 C_ij cancels for models that differ by `gap`; those pairs are computed directly."""
    scores = rng.normal(0.8, 0.05, (40, n_splits))
    scores[10:40] = scores[9] + gap * rng.normal(size=(30, n_splits))
    scores[1], scores[5] = scores[0] + gap, scores[4] + gap * rng.normal(size=n_splits)
    scores[7] = scores[6]
    first, second = all_pairs(40)
    assert_same_moments(pair_moments(scores, first, second), direct_moments(scores, first, second))


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([[1e6, 1e6, 1e6], [1e-3, 2e-3, 4e-3], [3e-3, 1e-3, 2e-3]], id="constant giant"),
        pytest.param([[1e290, 3e290, -2e290], [1e-9, 2e-9, 4e-9], [3e-9, 1e-9, 5e-9]], id="diverged model"),
        pytest.param(
            [[1e290, 3e290, -2e290], [-1e290, -3e290, 2e290], [1e-9, 2e-9, 4e-9], [3e-9, 1e-9, 5e-9]], id="opposite giants"
        ),
        pytest.param([[1e-290, 3e-290, 2e-290], [2e-290, 3e-290, 5e-290], [1e-291, 1e-290, 9e-291]], id="tiny"),
        pytest.param([[0.5, 0.75, 0.5], [0.5, 0.75, 0.5], [0.25, 0.5, 0.25], [0.1, 0.1, 0.1]], id="zero spread"),
        pytest.param([[0.5, 0.6, 0.7], [0.5 + 1e-13, 0.6, 0.7 - 1e-13]], id="rounding noise alone"),
        pytest.param([[-0.0, 0.0, 0.0], [0.0, 0.0, -0.0], [1.0, 1.0, 1.0]], id="zeros"),
        pytest.param([[1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4], [1e9, 1e9, 1e9], [1e9 + 0.3, 1e9, 1e9]], id="large offset"),
    ],
)
def test_product_agrees_with_direct_differences_of_nasty_tables(scores: list[list[float]]) -> None:
    """Magnitudes, offsets and ties that the matrix product alone would spoil."""
    table = np.array(scores)
    first, second = all_pairs(len(table))
    got = pair_moments(table, first, second)
    assert_same_moments(got, direct_moments(table, first, second))
    assert_same_moments(masked_pair_moments(table, first, second), got)


def test_exchanged_pairs_mirror_exactly(rng: np.random.Generator) -> None:
    """First and second changing places turns the sign of the mean and nothing else, to the last digit."""
    scores = rng.normal(0.8, 0.05, (9, 10))
    scores[3] = scores[2]
    first, second = all_pairs(9)
    one, other = pair_moments(scores, first, second), pair_moments(scores, second, first)
    assert_array_equal(one.mean, 0.0 - other.mean)
    assert_array_equal(one.sd, other.sd)
    assert_array_equal(one.kind, other.kind)


def test_masked_path_is_the_plain_computation_on_shared_splits(rng: np.random.Generator) -> None:
    """Pair by pair over the splits that both have, also where nothing or one split is left."""
    scores = rng.normal(0.8, 0.05, (6, 8))
    scores[rng.random(scores.shape) < 0.3] = np.nan
    scores[0, :4], scores[1, 4:], scores[2, 1:] = np.nan, np.nan, np.nan
    first, second = all_pairs(6)
    got = masked_pair_moments(scores, first, second)
    for row, (i, j) in enumerate(zip(first, second, strict=True)):
        d = scores[i] - scores[j]
        d = d[~np.isnan(d)]
        assert np.asarray(got.n_splits)[row] == d.size
        if d.size < 2:
            assert got.kind[row] == UNDEFINED
        else:
            assert_allclose([got.mean[row], got.sd[row]], [d.mean(), d.std(ddof=1)], rtol=1e-13)


# --- checks ---------------------------------------------------------------------------------------------------------


def test_divide_says_what_it_cannot_divide() -> None:
    """0/0 is nan, anything else over 0 and anything too large is infinite with its sign, and nothing warns."""
    assert_array_equal(divide([0.0, 1.0, -1.0, -1e300], [0.0, 0.0, 0.0, 1e-300]), [np.nan, np.inf, -np.inf, -np.inf])


@pytest.mark.parametrize(
    ("differences", "error", "text"),
    [
        ([0.1], TooFewSplitsError, "1 split(s), but at least 2 are needed to estimate how much a difference varies"),
        ([], TooFewSplitsError, "0 split(s)"),
        (0.1, InvalidScoresError, "a sequence, one per split; got the single value 0.1"),
        (["a", "b"], InvalidScoresError, "numbers in rows of equal length"),
        ([[1, 2], [3]], InvalidScoresError, "numbers in rows of equal length"),
    ],
)
def test_differences_that_are_none(differences: object, error: type[Exception], text: str) -> None:
    """Each kind of bad input has its own sentence."""
    with pytest.raises(error) as caught:
        check_differences(differences)  # type: ignore[arg-type]
    assert text in str(caught.value)


@pytest.mark.parametrize("ratio", [-0.1, np.nan, np.inf, [0.1, -1.0]])
def test_ratio_that_is_none(ratio: object) -> None:
    """Negative or not finite, alone or among others."""
    with pytest.raises(InvalidParameterError, match=r"test_train_ratio must be n_test / n_train, a finite number of at least 0"):
        check_ratio(ratio, np.shape(ratio))  # type: ignore[arg-type]


@pytest.mark.parametrize(("shape", "rows"), [((5,), ()), ((5,), (3,)), ((3, 5), (3,)), ((4,), (1,))])
def test_one_ratio_for_each_split_is_refused(shape: tuple[int, ...], rows: tuple[int, ...]) -> None:
    """numpy would make five tests of one row; the mean is asked for, here and for the scale."""
    with pytest.raises(InvalidParameterError, match="test_train_ratio is one number, or one for each row of differences"):
        check_ratio(np.full(shape, 0.1), rows)
    with pytest.raises(InvalidParameterError, match="scale is one number, or one for each row of differences"):
        check_scale(np.full(shape, 0.1), rows)
    assert check_ratio(np.full((3, 1), 0.1), (3, 4)).shape == (3, 1)


@pytest.mark.parametrize("rope", [-0.01, np.nan, np.inf, True, "0.01", None, [0.01]])
def test_rope_that_is_none(rope: object) -> None:
    """The text says what a rope is."""
    with pytest.raises(InvalidParameterError, match="It is the largest difference that does not matter to you"):
        check_rope(rope)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, np.nan, "0.05", True])
def test_probability_that_is_none(value: object) -> None:
    """Ends excluded."""
    with pytest.raises(InvalidParameterError, match="alpha must lie between 0 and 1, ends excluded; got"):
        check_probability(value, "alpha")  # type: ignore[arg-type]


def test_percentages_are_guessed_at() -> None:
    """5 for 0.05 is the usual slip."""
    with pytest.raises(InvalidParameterError, match=r"Did you mean 0\.05\?"):
        check_probability(5, "alpha")


@pytest.mark.parametrize("scale", [-1.0, np.nan, np.inf, [1.0, np.nan]])
def test_scale_that_is_none(scale: object) -> None:
    """A scale of nan would call rounding noise spread."""
    with pytest.raises(InvalidParameterError, match=r"scale must be the largest \|score\|"):
        check_scale(scale, np.shape(scale))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "error", "text"),
    [
        ([0.1, 0.2], InvalidScoresError, "shape (n_models, n_splits); got the shape (2,)"),
        (np.zeros((0, 3)), InvalidScoresError, "got the shape (0, 3)"),
        ([[0.1], [0.2]], TooFewSplitsError, "1 split(s), but at least 2"),
        ([[0.1, np.nan], [0.2, 0.3]], InvalidScoresError, "complete and finite"),
    ],
)
def test_score_table_that_is_none(scores: object, error: type[Exception], text: str) -> None:
    """Shapes, sizes and holes."""
    with pytest.raises(error) as caught:
        check_score_table(scores)  # type: ignore[arg-type]
    assert text in str(caught.value)
