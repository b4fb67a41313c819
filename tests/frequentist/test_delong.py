"""The area under the ROC curve and its variance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.frequentist import delong_auc

LABELS = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
SCORES = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]

few_values = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=4, max_size=30)


def by_definition(truth: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """DeLong's area and variance from the kernel of all pairs, without any sorting."""
    positive, negative = scores[truth][:, None], scores[~truth][None, :]
    kernel = (positive > negative) + 0.5 * (positive == negative)
    rows, columns = kernel.mean(axis=1), kernel.mean(axis=0)
    return float(kernel.mean()), float(rows.var(ddof=1) / rows.size + columns.var(ddof=1) / columns.size)


@settings(deadline=None)
@given(few_values)
def test_area_and_variance_are_those_of_all_pairs(data: list[tuple[bool, int]]) -> None:
    """Ties count half, whichever way they were sorted; scikit-learn has the same area."""
    truth, scores = np.array([each for each, _ in data]), np.array([float(each) for _, each in data])
    if min(truth.sum(), (~truth).sum()) < 2:
        return
    result = delong_auc(truth, scores)
    area, variance = by_definition(truth, scores)
    assert result.auc == pytest.approx(area, abs=1e-14)
    assert result.auc == pytest.approx(roc_auc_score(truth, scores), abs=1e-14)
    assert result.variance == pytest.approx(variance, abs=1e-14)


@given(few_values)
def test_the_mirrored_problem_has_the_mirrored_area(data: list[tuple[bool, int]]) -> None:
    """Positive and negative exchanged: 1 - area, and the same variance."""
    truth, scores = [each for each, _ in data], [float(each) for _, each in data]
    if 1 < sum(truth) < len(truth) - 1:
        one, other = delong_auc(truth, scores), delong_auc([not each for each in truth], scores)
        assert one.auc == pytest.approx(1 - other.auc, abs=1e-14)
        assert one.variance == pytest.approx(other.variance, abs=1e-14)


def test_several_models_at_once_are_each_by_itself() -> None:
    """A row that is nan does not spoil the others."""
    result = delong_auc(LABELS, [SCORES, [np.nan, *SCORES[1:]], SCORES[::-1]])
    alone = [delong_auc(LABELS, row) for row in (SCORES, SCORES[::-1])]
    np.testing.assert_array_equal(result.auc, [alone[0].auc, np.nan, alone[1].auc])
    np.testing.assert_array_equal(result.variance, [alone[0].variance, np.nan, alone[1].variance])
    np.testing.assert_array_equal(result.pairs_won, [13, 0, alone[1].pairs_won])


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1]])
def test_one_class_has_no_area(labels: list[int]) -> None:
    """Neither 0 nor 1 nor a half."""
    result = delong_auc(labels, [1, 2, 3])
    assert np.isnan([result.auc, result.variance, *result.confidence_interval()]).all()


def test_one_example_of_a_class_has_an_area_without_a_variance() -> None:
    """A single example says nothing about how others vary."""
    result = delong_auc([1, 0, 0], [2, 1, 3])
    assert result.auc == 0.5
    assert np.isnan(result.variance)


def test_interval_is_normal_and_stays_between_0_and_1() -> None:
    """0.56 +- 1.96 sqrt(0.0462) of the lecture's ten examples; perfect order leaves nothing to build an interval from."""
    low, high = delong_auc(LABELS, SCORES).confidence_interval()
    half_width = 1.959963984540054 * np.sqrt(0.0462)
    assert (low, high) == pytest.approx((0.56 - half_width, 0.56 + half_width), abs=1e-12)
    assert delong_auc(LABELS, SCORES).confidence_interval(0.999999)[1] == 1.0
    assert np.isnan(delong_auc([0, 0, 1, 1], [1, 2, 3, 4]).confidence_interval()).all()


def test_shapes_and_levels_that_do_not_fit_are_refused() -> None:
    """With both shapes in the text."""
    with pytest.raises(InvalidScoresError, match=r"is_positive has the shape \(3,\) and scores \(2,\); one score is needed"):
        delong_auc([1, 0, 1], [0.1, 0.2])
    with pytest.raises(InvalidParameterError, match="level must lie between 0 and 1"):
        delong_auc(LABELS, SCORES).confidence_interval(95)
