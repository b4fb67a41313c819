"""The display of one pair's posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.views.plots.samples import NAMES, RMSE, compared, graded, words_of
from tiebreak.errors import InvalidParameterError, UnknownNameError
from tiebreak.views.plots.display import default_pair

pytestmark = pytest.mark.slow

STEADY = [0.90, 0.80, 0.85, 0.95]


def test_numbers_are_those_of_the_pair() -> None:
    """Density, probabilities and intervals come from the pair's posterior."""
    comparison = graded(tuple(NAMES["short"][:4]))
    display, pair = comparison.plot.posterior("model 2", "model 0"), comparison.pair("model 2", "model 0")
    law, at = pair.law, display.data["difference"]
    expected = stats.t.pdf(at, float(law.df), float(law.estimate), float(law.se))
    np.testing.assert_allclose(display.data["density"], expected, rtol=1e-3, atol=1e-6 * expected.max())
    assert (display.pair.first, display.pair.p_better, display.pair.p_worse) == ("model 2", pair.p_better, pair.p_worse)
    assert list(display.intervals["level"]) == [0.5, 0.75, 0.95]
    np.testing.assert_array_equal(display.intervals[["low", "high"]].iloc[2], pair.law.interval(0.95))


def test_the_curve_holds_the_posterior() -> None:
    """The area under what is drawn is 1 but for the far tails."""
    data = graded(tuple(NAMES["short"][:4])).plot.posterior().data
    assert np.trapezoid(data["density"], data["difference"]) == pytest.approx(1.0, abs=0.02)


def test_three_probabilities_are_written() -> None:
    """As percentages that are those of the pair."""
    display = graded(tuple(NAMES["short"][:4])).plot.posterior("model 0", "model 1")
    words = words_of(display.figure_)
    for name in ("worse", "equivalent", "better"):
        assert f" {name} " in words
    assert f"{100 * display.pair.p_equivalent:.1f}%" in words


def test_direction_is_named_where_lower_is_better() -> None:
    """Positive favours the first, which then has the lower score."""
    words = words_of(graded(tuple(NAMES["short"][:2]), metric=RMSE).plot.posterior().figure_)
    assert "positive favours model 0 (lower root_mean_squared_error)" in words


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ({"a": STEADY, "b": STEADY}, "Identical scores on all 4 splits: nothing tells the two apart here"),
        ({"a": STEADY, "b": [x - 0.5 for x in STEADY]}, "The same difference, +0.5000, on all 4 splits"),
        ({"a": STEADY, "b": [0.8, np.nan, np.nan, np.nan]}, "The two models share fewer than two splits"),
    ],
)
@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_a_pair_without_a_curve_says_why(scores: dict[str, list[float]], text: str, rope: float) -> None:
    """A point mass or nothing at all is not drawn as a curve."""
    display = compared(scores, missing="pairwise", rope=rope).plot.posterior("a", "b")
    assert display.data.empty
    assert text in words_of(display.figure_)


def test_zero_and_the_rope_are_always_in_view() -> None:
    """However far off; the curve is still drawn closely where it is."""
    display = compared({"a": [0.90, 0.91, 0.92, 0.90], "b": [0.1, 0.1, 0.1, 0.1]}, rope=0.001).plot.posterior()
    assert display.data["difference"].min() < -0.001
    assert {-0.001, 0.0, 0.001} <= set(display.data["difference"])
    inside = display.data["difference"].between(*display.intervals[["low", "high"]].iloc[2])
    assert inside.sum() > 50
    assert "Grey band: the rope, ±0.001" in words_of(display.figure_)


def test_the_default_pair_is_the_two_best_or_the_best_and_the_baseline() -> None:
    """With a baseline, pairs of others are not asked."""
    names = tuple(NAMES["short"][:4])
    chosen = [
        graded(names).plot.posterior(),
        graded(names).plot.posterior("model 1"),
        graded(names).plot.posterior(b="model 0"),
        graded(names, baseline="model 2").plot.posterior(),
        graded(names, baseline="model 2").plot.posterior("model 2"),
    ]
    assert [(display.pair.first[-1], display.pair.second[-1]) for display in chosen] == [
        *map(tuple, ("01", "10", "10", "02", "20"))
    ]


def test_the_default_pair_is_not_a_model_and_its_copy() -> None:
    """Where another model is there, that is what people want to see the first one against."""
    a, b = np.random.default_rng(0).normal(0.9, 0.02, (2, 20)) - np.array([[0.0], [0.1]])
    assert default_pair(compared({"a": a, "b": a, "c": b}), None, None) == ("a", "c")
    assert default_pair(compared({"a": a, "b": a}), None, None) == ("a", "b")


def test_wrong_names_are_refused_as_by_the_comparison() -> None:
    """With the errors of Comparison.pair."""
    plot = graded(tuple(NAMES["short"][:2])).plot
    with pytest.raises(UnknownNameError, match="did you mean"):
        plot.posterior("model 9", "model 0")
    with pytest.raises(InvalidParameterError, match="two different models"):
        plot.posterior("model 0", "model 0")
