"""Paired differences, the same by matrix product as one by one; means as if all models had all units; means over datasets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.scores.means import (
    adjusted_means,
    connected_groups,
    filled,
    law_of_models,
    model_correlation,
    pair_differences,
)
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix

HIGHER, LOWER = Metric("accuracy", True), Metric("rmse", False)
FIRST, SECOND = np.triu_indices(4, 1)


def as_matrix(score: np.ndarray) -> ScoreMatrix:
    n = score.shape[1]
    sizes = np.full(n, 90), np.full(n, 10)
    return ScoreMatrix("", tuple("abcdefgh"[: len(score)]), np.zeros(n, int), np.arange(n), *sizes, score)


def test_positive_favours_the_first() -> None:
    """The higher accuracy, the lower error."""
    table = as_matrix(np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.4]]))
    one = np.array([0]), np.array([1])
    mean = np.mean([0.4, 0.2, 0.3])
    assert pair_differences(table, HIGHER, table.ratio, *one)[0].estimate == pytest.approx(mean)
    assert pair_differences(table, LOWER, table.ratio, *one)[0].estimate == pytest.approx(-mean)


def test_incomplete_pair_uses_its_shared_splits() -> None:
    """Each pair has its own number of splits and its own ratio."""
    score = np.array([[0.9, np.nan, 0.7, 0.8], [0.5, 0.6, np.nan, 0.7], [0.3, 0.2, 0.6, 0.1]])
    table = as_matrix(score)
    ratio = np.array([0.1, 0.2, 0.3, 0.4])
    first, second = np.array([0, 0]), np.array([1, 2])
    law, ratios = pair_differences(table, HIGHER, ratio, first, second)
    assert_array_equal(law.n_units, [2, 3])
    assert_allclose(ratios, [(0.1 + 0.4) / 2, (0.1 + 0.3 + 0.4) / 3])
    assert_allclose(law.estimate, [np.mean([0.4, 0.1]), np.mean([0.6, 0.1, 0.7])])


def test_models_have_moments_over_their_own_splits() -> None:
    """A missing split is left out of its own model only; a model without any has none."""
    score = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0], [np.nan] * 3])
    table = as_matrix(score)
    law = law_of_models(table)
    assert_array_equal(law.n_units, [2, 3, 0])
    assert_allclose(law.estimate[:2], [2, 5])
    assert np.isnan(law.estimate[2])


def test_correlation_agrees_with_numpy(rng: np.random.Generator) -> None:
    """Complete tables as a whole, incomplete ones over the splits that each two models share."""
    score = rng.random((4, 10))
    assert_allclose(model_correlation(score), np.corrcoef(score), atol=1e-12)
    score[0, 3] = score[1, 7] = np.nan
    found = model_correlation(score)
    shared = [i for i in range(10) if i not in (3, 7)]
    assert found[0, 1] == pytest.approx(np.corrcoef(score[0, shared], score[1, shared])[0, 1])
    assert found[2, 3] == pytest.approx(np.corrcoef(score[2], score[3])[0, 1])
    assert_array_equal(found, found.T)


def test_correlation_that_is_undefined() -> None:
    """Scores that do not vary, or too few shared splits."""
    assert np.isnan(model_correlation(np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]))[0, 1])
    apart = np.array([[0.1, 0.2, np.nan, np.nan], [np.nan, 0.3, 0.4, 0.5]])
    assert np.isnan(model_correlation(apart)[0, 1])


# --- of models that lack units ------------------------------------------------------------------------------------------------

N = float("nan")


def by_lstsq(score: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The same by one column for each model and each unit, solved by numpy's general least squares; all models linked."""
    n_models, n_units = score.shape
    cells = np.argwhere(~np.isnan(score))
    design = np.zeros((len(cells), n_models + n_units))
    for row, (model, unit) in enumerate(cells):
        design[row, [model, n_models + unit]] = 1.0
    root = np.sqrt(weights[cells[:, 1]])
    effects = np.linalg.lstsq(design * root[:, None], score[tuple(cells.T)] * root, rcond=None)[0]
    measured = ~np.isnan(score).all(axis=0)
    return effects[:n_models] + np.average(effects[n_models:][measured], weights=weights[measured])


def with_gaps(rng: np.random.Generator, n_models: int, n_units: int, share: float = 0.3) -> np.ndarray:
    """Scores of which some are missing; the first unit links all models."""
    score = 0.8 + rng.normal(0, 0.1, (n_models, n_units))
    score[rng.random(score.shape) < share] = N
    score[:, 0] = rng.normal(0.8, 0.1, n_models)
    return score


def test_one_missing_score_by_hand() -> None:
    """a on units 1 and 2 is .9, .5; b on unit 1 only is .8: b is .1 worse where both are, so .6 over both; a has its mean, .7."""
    assert_allclose(adjusted_means(np.array([[0.9, 0.5], [0.8, N]])), [0.7, 0.6], rtol=1e-12)


@pytest.mark.parametrize(("n_models", "n_units"), [(2, 30), (5, 5), (20, 40), (40, 8), (3, 1), (30, 2)])
def test_additive_scores_are_recovered_with_gaps(rng: np.random.Generator, n_models: int, n_units: int) -> None:
    """Model effect plus the mean of all unit effects, exactly, with more models than units and the reverse."""
    model, unit = rng.normal(0.8, 0.05, n_models), rng.normal(0, 0.2, n_units)
    score = model[:, None] + unit
    score[rng.random(score.shape) < 0.3] = N
    score[:, 0] = model + unit[0]
    measured = ~np.isnan(score).all(axis=0)
    assert_allclose(adjusted_means(score), model + unit[measured].mean(), rtol=1e-11)
    weights = rng.uniform(0.5, 3, n_units)
    expected = model + np.average(unit[measured], weights=weights[measured])
    assert_allclose(adjusted_means(score, weights), expected, rtol=1e-11)
    whole = filled(score)
    assert_allclose(whole[:, measured], (model[:, None] + unit)[:, measured], rtol=1e-11)
    assert np.isnan(whole[:, ~measured]).all()
    assert_array_equal(whole[~np.isnan(score)], score[~np.isnan(score)])


@pytest.mark.parametrize(("n_models", "n_units"), [(2, 12), (6, 6), (4, 25), (25, 4)])
def test_it_is_the_least_squares_fit(rng: np.random.Generator, n_models: int, n_units: int) -> None:
    """Of scores that are not additive, against numpy's general solver, with weights and without."""
    for _ in range(10):
        score, weights = with_gaps(rng, n_models, n_units), rng.uniform(0.5, 3, n_units)
        assert_allclose(adjusted_means(score), by_lstsq(score, np.ones(n_units)), rtol=1e-9)
        assert_allclose(adjusted_means(score, weights), by_lstsq(score, weights), rtol=1e-9)


def test_order_and_unit_do_not_matter(rng: np.random.Generator) -> None:
    """Models and units in any order; scores times a number, plus another one."""
    score, weights = with_gaps(rng, 7, 11), rng.uniform(0.5, 3, 11)
    models, units = rng.permutation(7), rng.permutation(11)
    found = adjusted_means(score, weights)
    assert_allclose(adjusted_means(score[np.ix_(models, units)], weights[units]), found[models], rtol=1e-12)
    for factor, shift in ((100.0, 0.0), (-1.0, 3.0), (1e-9, 0.0), (1e9, 1e9)):
        assert_allclose(adjusted_means(factor * score + shift, weights), factor * found + shift, rtol=1e-11)


def test_groups_that_share_no_unit_are_adjusted_by_themselves(rng: np.random.Generator) -> None:
    """Each over its own units; a unit that nobody has counts for nobody."""
    score = np.full((5, 12), N)
    score[:3, :5], score[3:, 6:] = rng.normal(size=(3, 5)), rng.normal(size=(2, 6))
    score[[0, 1, 4], [1, 4, 9]] = N
    weights = rng.uniform(0.5, 3, 12)
    expected = [*by_lstsq(score[:3, :5], weights[:5]), *by_lstsq(score[3:, 6:], weights[6:])]
    assert_allclose(adjusted_means(score, weights), expected, rtol=1e-9)
    models, units = connected_groups(~np.isnan(score))
    assert models.tolist() == [0, 0, 0, 1, 1]
    assert units.tolist() == [0] * 5 + [-1] + [1] * 6
    assert np.isnan(filled(score)[3:, :6]).all()
    assert np.isfinite(filled(score)[:3, :5]).all()


def test_a_chain_of_shared_units_links_models() -> None:
    """a and b meet on unit 0, b and c on unit 1: one group, though a and c never met; differences add up along the chain."""
    score = np.array([[0.9, N, N], [0.8, 0.6, N], [N, 0.5, 0.7]])
    assert connected_groups(~np.isnan(score))[0].tolist() == [0, 0, 0]
    found = adjusted_means(score)
    assert_allclose([found[0] - found[1], found[1] - found[2]], [0.1, 0.1], rtol=1e-12)


def test_complete_scores_are_not_filled(rng: np.random.Generator) -> None:
    """They come back as they are."""
    score = rng.normal(size=(3, 4))
    assert filled(score) is score
