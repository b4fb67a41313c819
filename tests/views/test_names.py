"""Long names are made short and stay different."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.views.plots.samples import GRID
from tiebreak.views.names import short_names

WIDTH = 34


def test_a_short_name_stays_as_it_is() -> None:
    """Nothing is changed without need."""
    assert short_names(["rbf", "poly, degree=2"], WIDTH) == ["rbf", "poly, degree=2"]


def test_a_long_name_loses_its_middle() -> None:
    """Names often differ at their ends."""
    (label,) = short_names(["a" * 30 + "b" * 30], WIDTH)
    assert label == "a" * 17 + "…" + "b" * 16


def test_names_of_a_grid_keep_what_varies() -> None:
    """By ends alone these would all look the same; what they share is left out instead."""
    labels = short_names(GRID[:5], WIDTH)
    assert [label.removesuffix("…")[-5:] for label in labels] == ["=1e-1", "=1e+0", "=1e+1", "=1e+2", "=1e+3"]


def test_names_that_cannot_be_told_apart_are_numbered() -> None:
    """Here the difference lies in the middle, before and after which other differences are."""
    names = [f"{i}{'a' * 25}{j}{'b' * 25}{k}" for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    labels = short_names(names, WIDTH)
    assert len(set(labels)) == 8
    assert all(label.endswith(f" ({number})") for number, label in enumerate(labels, 1))


def test_a_name_that_looks_numbered_is_not_taken_for_another() -> None:
    """The second name is what the first would become by numbering; all are numbered then."""
    long = ["x" * 30 + middle + "y" * 30 for middle in ("1", "2")]
    labels = short_names([*long, short_names(long, WIDTH)[0]], WIDTH)
    assert len(set(labels)) == 3


@given(st.lists(st.text(st.sampled_from("ab _/$…("), max_size=70), unique=True, max_size=12))
def test_names_stay_different_and_short(names: list[str]) -> None:
    """Whatever the names; few letters make collisions likely."""
    labels = short_names(names, WIDTH)
    assert len(set(labels)) == len(names)
    assert max(map(len, labels), default=0) <= WIDTH
