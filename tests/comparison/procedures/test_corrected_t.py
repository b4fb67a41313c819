"""The corrected t-test of scores: it agrees with the test on arrays, and has draws, a floor and its uncorrected law."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

import tiebreak as tb
from tests.comparison.tables import RMSE, noisy, scores_of
from tiebreak.comparison.procedures import procedures_named
from tiebreak.comparison.procedures.corrected_t import CORRECTED_T
from tiebreak.errors import DataError, UnclearSourceError

TABLE = noisy(0.80, 0.79, 0.75, 0.74)
FIRST, SECOND = np.array([0, 0, 1]), np.array([1, 3, 2])


def judged(name: str = "corrected-t") -> Any:
    """Three pairs of four models."""
    return law_of(scores_of(TABLE), FIRST, SECOND, name)


def law_of(scores: tb.Scores, first: Any, second: Any, name: str = "corrected-t") -> Any:
    """Pairs of some scores."""
    return procedures_named(name)[0].judge(scores, first, second, 0.0, 0.05, 0)


def test_one_pair_is_its_row() -> None:
    """Of shape (), for whoever asks about one."""
    many = judged().law
    one = law_of(scores_of(TABLE), np.array(0), np.array(3)).law
    assert_allclose([one.estimate, one.tail(0.0, upper=True)], [many.estimate[1], many.tail(0.0, upper=True)[1]], rtol=1e-12)
    assert np.shape(one.estimate) == ()


def test_draws_have_the_spread_of_the_tails() -> None:
    """Half of 20,000 draws either way; the difference of two models lies below 0 as often as its tail says."""
    found = judged()
    drawn = np.concatenate(list(found.draws(20_000, np.random.default_rng(0))))
    assert drawn.shape == (20_000, 4)
    below = (drawn[:, FIRST] < drawn[:, SECOND]).mean(axis=0)
    assert_allclose(below, found.law.tail(0.0), atol=4 * 0.5 / np.sqrt(20_000))


def test_draws_of_a_loss_are_turned() -> None:
    """The best model is that with the lowest mean."""
    found = law_of(scores_of(TABLE, metric=RMSE), FIRST, SECOND)
    assert np.concatenate(list(found.draws(2_000, np.random.default_rng(0)))).mean(axis=0).argmax() == 3


def test_uncorrected_one_has_a_smaller_standard_error() -> None:
    """By sqrt(1 + n ratio), as nothing is corrected, and it needs no sizes."""
    assert_allclose(judged().law.se, np.sqrt(1 + 10 / 9) * np.asarray(judged("paired-t").law.se), rtol=1e-12)
    without = scores_of(TABLE, n_train=0, n_test=0)
    assert procedures_named("paired-t")[0].refuse(without) is None
    assert isinstance(CORRECTED_T.refuse(without), UnclearSourceError)
    assert isinstance(procedures_named("paired-t")[0].refuse(scores_of(TABLE[:, :1])), DataError)


def test_floor_is_the_limit_of_more_repeats() -> None:
    """The half-width of 10 times 1,000 splits with the same spread is the floor, to 1 percent; uncorrected, there is none."""
    found = judged()
    low, high = law_of(scores_of(np.tile(TABLE, 1000)), FIRST, SECOND).law.interval_at(0.05)
    assert_allclose((high - low) / 2, found.floor(0.05) * np.sqrt(9 / 10), rtol=1e-2)
    assert_allclose(judged("paired-t").floor(0.05), 0.0)


def test_splits_that_tear_groups_are_named() -> None:
    """Pairs of rows that a plain 5-fold separates; whole groups are not named."""
    from sklearn.model_selection import GroupKFold, KFold

    X, y, groups = np.zeros((40, 1)), np.arange(40) % 2, np.arange(40) // 2
    scores = {name: {"test_score": np.array([0.8, 0.7, 0.9, 0.8, 0.7]) + more} for name, more in (("a", 0.0), ("b", 0.01))}
    for cv, is_torn in ((KFold(5, shuffle=True, random_state=0), True), (GroupKFold(5), False)):
        answer = tb.compare(scores, metric="accuracy", X=X, y=y, groups=groups, cv=cv)
        assert ("groups-torn" in [notice.code for notice in answer.notices]) == is_torn
