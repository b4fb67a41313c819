"""Where one curve is above another."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.metrics.roc import RocCurve, roc_curve
from tiebreak.metrics.roc_regions import regions_of_curves

UNIT = np.array([0.0, 1.0])
labelled = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=3, max_size=15)


def line(*points: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Rates of a curve."""
    x, y = zip(*points, strict=True)
    return np.array(x), np.array(y)


def test_two_curves_that_cross_once() -> None:
    """The lecture's M1 and M2: M1 is better for small false positive rates, M2 for large ones; 3x = 0.6 + x/2.5 at 3/13."""
    m1 = line((0, 0), (0.2, 0.6), (1, 1))
    m2 = line((0, 0), (0.1, 0.2), (0.5, 0.9), (1, 1))
    low, high = regions_of_curves(m1, m2)
    assert (low.low, low.better, high.high, high.better) == (0.0, "first", 1.0, "second")
    crossing = low.high
    assert crossing == high.low
    np.testing.assert_allclose(np.interp(crossing, *m1), np.interp(crossing, *m2))


def test_the_same_curve_is_better_nowhere() -> None:
    """Even where its points are others on the same lines."""
    assert regions_of_curves((UNIT, UNIT), line((0, 0), (0.3, 0.3), (1, 1))) == ((0.0, 1.0, "neither"),)


def test_vertical_steps_are_looked_at_from_both_sides() -> None:
    """One steps up at 0.25 and the other at 0.75: between them the first is higher, elsewhere neither."""
    first = line((0, 0), (0.25, 0), (0.25, 1), (1, 1))
    second = line((0, 0), (0.75, 0), (0.75, 1), (1, 1))
    assert regions_of_curves(first, second) == ((0.0, 0.25, "neither"), (0.25, 0.75, "first"), (0.75, 1.0, "neither"))


def test_an_undefined_curve_has_no_regions() -> None:
    """Of one class only."""
    assert roc_curve([0, 0], [1, 2]).better_where(roc_curve([0, 1], [1, 2])) == ()


@settings(deadline=None)
@given(labelled, labelled)
def test_regions_agree_with_the_curves_everywhere(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    """They cover 0 to 1, neighbours differ, the mirror image is the mirror, and inside each the named curve is higher."""
    curves = [roc_curve([y for y, _ in data], [float(score) for _, score in data]) for data in (one, other)]
    regions = curves[0].better_where(curves[1])
    if any(curve.reason for curve in curves):
        assert regions == ()
        return
    ends = [end for region in regions for end in (region.low, region.high)]
    assert (ends[0], ends[-1]) == (0.0, 1.0)
    assert ends[1:-1:2] == ends[2:-1:2]
    assert all(a.better != b.better for a, b in itertools.pairwise(regions))
    exchanged = {"first": "second", "second": "first", "neither": "neither"}
    mirror = curves[1].better_where(curves[0])
    np.testing.assert_allclose([r[:2] for r in mirror], [r[:2] for r in regions], atol=1e-12)
    assert [exchanged[r.better] for r in mirror] == [r.better for r in regions]
    assert all(_holds(*curves, *region) for region in regions)


def _holds(first: RocCurve, second: RocCurve, low: float, high: float, better: str) -> bool:
    """At places inside that are no end of any line."""
    if high - low < 1e-9:
        return True
    x = low + (high - low) * np.array([0.0137, 0.2711, 0.5183, 0.7719, 0.9871])
    gap = first.tpr_at(x) - second.tpr_at(x)
    if better == "neither":
        return bool(np.all(np.abs(gap) <= 1e-9))
    return bool(np.all((gap if better == "first" else -gap) >= -1e-9))
