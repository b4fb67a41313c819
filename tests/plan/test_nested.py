"""Inner splits: made within each outer training set, of the same kind as the outer ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from tiebreak.errors import InvalidPlanError
from tiebreak.plan.grid import grid
from tiebreak.plan.nested import NestedPlan, make_nested_plan

X, Y = make_classification(n_samples=60, n_features=4, random_state=0)
GROUPS = np.arange(60) // 4
GRID = grid(SVC(), {"C": [1, 10]})


def plan(models: Any = GRID, X: Any = X, y: Any = Y, **settings: Any) -> NestedPlan:
    """A nested plan on the data above."""
    return make_nested_plan(models, X, y, **settings)


def codes(made: NestedPlan) -> list[str]:
    """Codes of the notices."""
    return [notice.code for notice in made.notices]


@given(outer=st.integers(2, 6), inner=st.integers(2, 4), seed=st.integers(0, 9), kind=st.sampled_from(["kfold", "group"]))
def test_inner_splits_never_see_an_outer_test_row(outer: int, inner: int, seed: int, kind: str) -> None:
    """Inner training and test rows of an outer split together are exactly its training rows."""
    groups = GROUPS if kind == "group" else None
    cv = [{"kind": kind, "n_folds": n, "seed": seed} for n in (outer, inner)]
    made = plan(outer=cv[0], inner=cv[1], groups=groups)
    assert made.inner[0] is not None
    planned = made.inner[0].plan.datasets[0]
    for split, owner in zip(planned.splits, made.inner[0].outer, strict=True):
        train = made.outer.datasets[0].splits[owner].train
        assert np.array_equal(np.sort(np.concatenate(split)), np.sort(train))
        if groups is not None:
            assert not set(groups[split.train]) & set(groups[split.test])
    assert planned.described.repeat.tolist() == np.repeat(np.arange(outer), inner).tolist()
    assert planned.described.fold.tolist() == list(range(inner)) * outer


def test_inner_splits_are_those_of_the_splitter_on_the_training_rows() -> None:
    """By row numbers of the whole: what a search with this cv would do when it is fitted on the outer training rows."""
    outer, inner = KFold(3), StratifiedKFold(2, shuffle=True, random_state=1)
    made = plan(outer=outer, inner=inner)
    assert made.inner[0] is not None
    expected = [(train[a].tolist(), train[b].tolist()) for train, _ in outer.split(X) for a, b in inner.split(X[train], Y[train])]
    assert [(a.tolist(), b.tolist()) for a, b in made.inner[0].plan.datasets[0].splits] == expected


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({}, ("stratified", "stratified")),
        ({"groups": GROUPS}, ("stratified-group", "stratified-group")),
        ({"outer": "time"}, ("time", "time")),
        ({"models": grid(Ridge(), {"alpha": [1, 2]}), "y": X[:, 0]}, ("kfold", "kfold")),
    ],
)
def test_what_is_not_said_suits_the_data(settings: dict[str, Any], kinds: tuple[str, str]) -> None:
    """Ten outer and five inner folds, stratified for classes, groups together; in order of time where the outer ones are."""
    made = plan(**settings)
    assert made.inner[0] is not None
    outer, inner = made.outer.datasets[0], made.inner[0].plan.datasets[0]
    assert (outer.described.kind, inner.described.kind) == kinds
    n_outer = 5 if kinds[0] == "time" else 10
    assert (len(outer.splits), len(inner.splits)) == (n_outer, 5 * n_outer)
    if kinds[0] == "time":
        assert all(train.max() < test.min() for train, test in inner.splits)
    assert codes(made) == []


def test_inner_splits_that_do_not_mirror_the_outer_ones_are_told_of() -> None:
    """Groups torn apart inside, and training on the future inside."""
    torn = plan(groups=GROUPS, outer="group", inner=KFold(3, shuffle=True, random_state=0))
    assert codes(torn) == ["groups-torn"]
    assert torn.notices[0].text == (
        "the inner splits of 'SVC' put examples of one group on both sides, so they choose by scores that are too good. Pass "
        "inner='group' or 'stratified-group'"
    )
    future = plan(outer="time", inner=3)
    assert codes(future) == ["future-training"]
    assert future.notices[0].text == (
        "the outer splits are in order of time, and the inner ones of 'SVC' are not: what is chosen was trained on what came "
        "later. Pass inner='time'"
    )


def test_one_candidate_is_told_of_and_has_no_inner_splits() -> None:
    """Alone there is a shorter way to the same score; beside others it may be meant."""
    alone = plan({"only": SVC()})
    assert alone.inner == (None,)
    assert alone.notices[0].text == (
        "'only' has one candidate, so nothing is chosen there. Plain cross-validation (tb.evaluate) gives the same score"
    )
    beside = plan({"svm": GRID, "logistic": LogisticRegression()})
    assert [notice.text for notice in beside.notices] == ["'logistic' has one candidate, so nothing is chosen there"]


def test_more_inner_folds_than_the_smallest_class_can_fill_are_refused() -> None:
    """Six of a class, of which an outer training set has four: five inner folds need five."""
    y = np.array([1] * 6 + [0] * 54)
    message = (
        "inner, within the training rows of repeat 0 fold 0: 5 folds are more than the smallest class can fill: class 1 has 4 "
        "example(s). Use at most 4 folds, or 'kfold', which does not stratify."
    )
    with pytest.raises(InvalidPlanError, match=f"^{re.escape(message)}$"):
        plan(y=y, outer={"kind": "stratified", "n_folds": 3}, inner={"kind": "stratified", "n_folds": 5})


def test_rows_by_number_are_refused_inside() -> None:
    """They belong to one training set, and there are as many as outer splits."""
    message = (
        "inner is of type list. Rows that are named once fit one training set only, and each outer split has its own: pass a "
        "number of folds, a name such as 'repeated-stratified', or a splitter of scikit-learn."
    )
    with pytest.raises(InvalidPlanError, match=f"^{re.escape(message)}$"):
        plan(inner=[(np.arange(10), np.arange(10, 20))])


def test_inner_seeds_depend_on_rng_and_on_nothing_else() -> None:
    """The same call, the same splits; another rng, other ones; each outer split has its own."""

    def rows(rng: int) -> list[list[int]]:
        made = plan(outer=KFold(2), rng=rng).inner[0]
        assert made is not None
        return [test.tolist() for _, test in made.plan.datasets[0].splits]

    assert rows(0) == rows(0) != rows(1)
