"""Agreement of a judge with people."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist import judge_agreement


def test_kappa_by_hand() -> None:
    """Of 100 answers in three grades 44 + 20 + 6 agree; by chance 0.6 * 0.5 + 0.3 * 0.3 + 0.1 * 0.2 = 0.41 would."""
    cells = np.array([[0.44, 0.07, 0.09], [0.05, 0.20, 0.05], [0.01, 0.03, 0.06]]) * 100
    people, judge = (np.repeat(each.ravel(), cells.astype(int).ravel()) for each in np.indices((3, 3)))
    found = judge_agreement(people, judge)
    assert found.share == pytest.approx(0.70)
    assert found.kappa == pytest.approx((0.70 - 0.41) / (1 - 0.41))


def test_it_agrees_with_scikit_learn_and_scipy(rng: np.random.Generator) -> None:
    """kappa by cohen_kappa_score, correlation by pearsonr, the bias by ttest_1samp."""
    people = rng.integers(0, 4, 80)
    judge = np.where(rng.random(80) < 0.6, people, rng.integers(0, 4, 80))
    found = judge_agreement(people, judge)
    assert found.kappa == pytest.approx(cohen_kappa_score(people, judge))
    assert found.correlation == pytest.approx(stats.pearsonr(people, judge).statistic)
    low, high = stats.ttest_1samp(judge - people, 0).confidence_interval()
    assert (found.bias_low, found.bias_high) == pytest.approx((low, high))


def test_scores_without_grades_have_a_correlation_only(rng: np.random.Generator) -> None:
    """A share of equal numbers says nothing there."""
    found = judge_agreement(rng.normal(size=30), rng.normal(size=30))
    assert found.share is None
    assert found.kappa is None


def test_judges_that_always_say_the_same() -> None:
    """No correlation; where people do so too, no kappa."""
    found = judge_agreement([1, 0, 1, 0], [1, 1, 1, 1])
    assert np.isnan(found.correlation)
    assert found.kappa == 0.0
    same = judge_agreement([1, 1], [1, 1])
    assert (same.share, same.bias) == (1.0, 0.0)
    assert np.isnan(same.kappa)
    assert np.isnan(same.bias_low)


@pytest.mark.parametrize(("labels", "judged"), [([1], [1]), ([1, 0], [1]), ([1, np.nan], [1, 0])])
def test_what_cannot_be_compared(labels: list[float], judged: list[float]) -> None:
    """One answer, other shapes, gaps."""
    with pytest.raises(InvalidScoresError, match="two answers or more with a finite score of both"):
        judge_agreement(labels, judged)
