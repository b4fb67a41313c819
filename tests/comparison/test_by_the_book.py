"""Whole answers against plain loops over pairs with scipy: `tables.by_the_book` is the design, read a second time."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.comparison.tables import ACCURACY, RMSE, by_the_book, scores_of
from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric

WORDS = ["first", "second", "n_units", "df", "verdict", "reason"]


def table(rng: np.random.Generator, n_models: int, n_splits: int, *, missing: bool = False) -> np.ndarray:
    """Models that share difficulty, with copies, constant gaps, near-duplicates and, if asked, holes."""
    score = 0.8 + rng.normal(0, 0.04, n_splits) + rng.normal(0, 0.02, (n_models, n_splits)) - rng.uniform(0, 0.06, (n_models, 1))
    if n_models >= 6:
        score[1], score[2], score[3] = score[0], score[0] - 0.01, score[4] + 1e-9 * rng.normal(size=n_splits)
    if missing:
        score[rng.random(score.shape) < 0.2] = np.nan
        score[-1] = np.nan
        score[-1, 0] = 0.8
        score[0, :2] = 0.8, 0.9
    return score


def assert_same_pairs(got: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Words equal, numbers to 1e-9: the book subtracts cumulative probabilities and knows nothing of near-duplicates."""
    assert list(got["first"]) == list(expected["first"])
    for column in got.columns:
        if column in WORDS:
            assert_array_equal(got[column].to_numpy(), expected[column].to_numpy(), err_msg=column)
        else:
            values = got[column].to_numpy(dtype=float), expected[column].to_numpy(dtype=float)
            assert_allclose(*values, rtol=1e-7, atol=1e-9, err_msg=column)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [ACCURACY, RMSE], ids=["higher", "lower"])
@pytest.mark.parametrize(
    ("n_models", "n_splits", "missing", "options"),
    [
        (2, 2, False, {}),
        (2, 10, False, {"rope": 0.01}),
        (3, 5, False, {"rope": 0.02, "correction": "bonferroni"}),
        (7, 10, False, {"rope": 0.01, "alpha": 0.2}),
        (7, 10, False, {"correction": "holm"}),
        (7, 10, False, {"rope": 0.01, "correction": "none"}),
        (7, 10, False, {"rope": 0.01, "baseline": "c"}),
        (7, 100, False, {"rope": 0.005}),
        (7, 100, False, {"baseline": "b", "method": "paired-t"}),
        (8, 20, False, {"rope": 0.01, "method": "paired-t", "correction": "bonferroni"}),
        (9, 100, True, {"rope": 0.01, "missing": "pairwise"}),
        (7, 10, True, {"missing": "pairwise", "baseline": "d"}),
        (9, 30, True, {"rope": 0.03, "alpha": 0.3, "missing": "pairwise"}),
    ],
    ids=str,
)
def test_pairs(n_models: int, n_splits: int, missing: bool, options: dict[str, Any], metric: Metric) -> None:
    """Every column of every pair: complete by one product, incomplete by masks, unequal split sizes."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n_test = rng.integers(8, 13, n_splits)
        scores = scores_of(table(rng, n_models, n_splits, missing=missing), metric=metric, n_train=100 - n_test, n_test=n_test)
        settings = Settings(**options)
        got = compare_scores(scores, settings)
        assert_same_pairs(got.pairs, by_the_book(scores, settings, got.rope))


def test_every_kind_of_verdict_occurs_in_these_tables() -> None:
    """So that the comparison with the book is no comparison of blanks."""
    seen, reasons = set(), set()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scores = scores_of(table(rng, 9, 100, missing=seed == 2), n_train=90, n_test=10)
        for baseline in (None, "a", "e", "i"):
            pairs = compare_scores(scores, Settings(rope=0.01, missing="pairwise", baseline=baseline)).pairs
            seen |= set(pairs["verdict"])
            reasons |= set(pairs["reason"])
    assert seen == {"better", "ahead", "equivalent", "undecided", "behind", "worse"}
    assert reasons == {"", "identical-scores", "no-spread", "missing-splits", "unsettled"}


def test_correlation_is_numpys() -> None:
    """Over splits, in ranking order; a model with constant scores has none."""
    rng = np.random.default_rng(0)
    score = table(rng, 4, 10)
    score[3] = 0.1
    answer = compare_scores(scores_of(score), Settings())
    got = answer.correlation
    assert list(got.columns) == list(got.index) == list(answer.models)
    expected = np.corrcoef(answer.matrix.score[:3])
    assert_allclose(got.to_numpy()[:3, :3], expected, rtol=1e-12)
    assert np.all(np.isnan(got.to_numpy()[3, :3]))
