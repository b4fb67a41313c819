"""Inner splits: made within each outer training set, of the same kind as the outer ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    ParameterSampler,
    RandomizedSearchCV,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tiebreak.errors import InvalidPlanError, UnknownNameError
from tiebreak.plan.candidates import grid
from tiebreak.plan.nested import NestedPlan, all_models, make_nested_plan, read_selections

X, Y = make_classification(n_samples=60, n_features=4, random_state=0)
GROUPS = np.arange(60) // 4
GRID = grid(SVC(), {"C": [1, 10]})


def plan(models: Any = GRID, X: Any = X, y: Any = Y, **settings: Any) -> NestedPlan:
    """A nested plan on the data above."""
    return make_nested_plan(models, X, y, **settings)


def codes(made: NestedPlan) -> list[str]:
    """Codes of the notices."""
    return [notice.code for notice in made.notices]


@pytest.mark.slow
@given(outer=st.integers(2, 6), inner=st.integers(2, 4), seed=st.integers(0, 9), kind=st.sampled_from(["kfold", "group"]))
def test_inner_splits_never_see_an_outer_test_row(outer: int, inner: int, seed: int, kind: str) -> None:
    """Inner training and test rows of an outer split together are exactly its training rows."""
    groups = GROUPS if kind == "group" else None
    cv = [{"kind": kind, "n_folds": n, "seed": seed} for n in (outer, inner)]
    made = plan(outer=cv[0], inner=cv[1], groups=groups)
    assert made.inner[0] is not None
    planned = made.inner[0].datasets[0]
    for split, owner in zip(planned.splits, planned.described.repeat, strict=True):
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
    assert [(a.tolist(), b.tolist()) for a, b in made.inner[0].datasets[0].splits] == expected


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
    outer, inner = made.outer.datasets[0], made.inner[0].datasets[0]
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
        return [test.tolist() for _, test in made.datasets[0].splits]

    assert rows(0) == rows(0) != rows(1)


GRID_OF_CHOICE = {"C": [1, 10]}


def test_a_search_is_its_candidates_splits_and_metric() -> None:
    """What GridSearchCV would do on a training set: names as of `grid`, its own cv (5 if None), its own scoring."""
    (one,) = read_selections(GridSearchCV(SVC(), GRID_OF_CHOICE, cv=KFold(3), scoring="f1"), 0)
    assert (one.name, list(one.candidates), one.inner.n_splits, one.scoring) == ("SVC", ["C=1", "C=10"], 3, "f1")
    (other,) = read_selections(GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 10]}), 0)
    assert (other.name, list(other.candidates), other.inner, other.scoring) == ("SVC", ["C=1", "C=10"], 5, None)


def test_a_random_search_draws_the_candidates_that_scikit_learn_draws() -> None:
    """With a seed of its own those of ParameterSampler; without one those of a seed that is derived, and the same again."""
    distributions = {"C": loguniform(1e-3, 1e3)}
    (seeded,) = read_selections(RandomizedSearchCV(SVC(), distributions, n_iter=4, random_state=3), 0)
    expected = [each["C"] for each in ParameterSampler(distributions, 4, random_state=3)]
    assert [model.C for model in seeded.candidates.values()] == expected
    open_ = RandomizedSearchCV(SVC(), distributions, n_iter=4)
    draws = [[model.C for model in read_selections(open_, rng)[0].candidates.values()] for rng in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_a_generator_of_the_caller_does_not_move_on() -> None:
    """Reading the search twice gives the same candidates, and leaves the generator as it was."""
    search = RandomizedSearchCV(SVC(), {"C": loguniform(1e-3, 1e3)}, n_iter=2, random_state=np.random.RandomState(1))
    first, second = (list(read_selections(search, 0)[0].candidates) for _ in range(2))
    assert first == second


def test_candidates_that_are_drawn_twice_stand_once() -> None:
    """Five draws from three values with replacement leave at most three candidates."""

    class Three:
        def rvs(self, random_state: Any) -> int:
            return int(random_state.randint(1, 4))

    (one,) = read_selections(RandomizedSearchCV(SVC(), {"C": Three()}, n_iter=20, random_state=0), 0)
    assert sorted(model.C for model in one.candidates.values()) == [1, 2, 3]


def test_a_dict_of_models_is_one_selection_and_a_dict_with_a_grid_several() -> None:
    """What is beside a search or a grid is a selection of its own, of one candidate."""
    plain = {"a": SVC(), "b": LogisticRegression()}
    assert [(each.name, list(each.candidates)) for each in read_selections(plain, 0)] == [("best of 2", ["a", "b"])]
    several = {
        "svm": grid(SVC(), GRID_OF_CHOICE),
        "logistic": LogisticRegression(),
        "search": GridSearchCV(SVC(), GRID_OF_CHOICE),
    }
    selections = read_selections(several, 0)
    assert [each.name for each in selections] == ["svm", "logistic", "search"]
    models, places = all_models(selections)
    assert list(models) == ["svm, C=1", "svm, C=10", "logistic", "search, C=1", "search, C=10"]
    assert [list(place) for place in places] == [[0, 1], [2], [3, 4]]


def test_several_metrics_and_the_one_that_chooses() -> None:
    """``refit`` names it, in a list and in a dict."""
    (one,) = read_selections(GridSearchCV(SVC(), GRID_OF_CHOICE, scoring=["accuracy", "f1"], refit="f1"), 0)
    (two,) = read_selections(GridSearchCV(SVC(), GRID_OF_CHOICE, scoring={"a": "accuracy", "b": "f1"}, refit="a"), 0)
    assert (one.scoring, two.scoring) == ("f1", {"a": "accuracy"})


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        (
            GridSearchCV(SVC(), {"gama": [1]}),
            UnknownNameError,
            "no parameter of SVC is called 'gama': did you mean 'gamma'?",
        ),
        (
            HalvingGridSearchCV(SVC(), GRID_OF_CHOICE),
            InvalidPlanError,
            (
                "HalvingGridSearchCV decides which candidates it measures as it goes along, so there are no inner "
                "results to keep. "
                "Use GridSearchCV, RandomizedSearchCV or tb.grid; or pass the search to tb.evaluate as a model, "
                "which fits it on the "
                "training rows of each split only, and so gives its nested score without the inner results."
            ),
        ),
        (
            GridSearchCV(SVC(), GRID_OF_CHOICE, scoring=["accuracy", "f1"], refit=False),
            InvalidPlanError,
            "'SVC' has several metrics and refit=False. Say by which it chooses: refit='accuracy'.",
        ),
        (
            GridSearchCV(SVC(), GRID_OF_CHOICE, scoring=["accuracy", "f1"], refit="r2"),
            UnknownNameError,
            "'SVC' chooses by 'r2', but its metrics are 'accuracy' and 'f1'.",
        ),
        (
            GridSearchCV(SVC(), GRID_OF_CHOICE, refit=max),
            InvalidPlanError,
            (
                "'SVC' chooses by a function (refit='max'), which needs scikit-learn's own results. Name a metric in "
                "refit, or pass "
                "the search to tb.evaluate as a model."
            ),
        ),
        (
            [GridSearchCV(SVC(), GRID_OF_CHOICE), SVC()],
            InvalidPlanError,
            "several searches or grids need names. Pass them as a dict: {name: search}.",
        ),
        (
            {"a": {"b": GridSearchCV(SVC(), GRID_OF_CHOICE)}},
            InvalidPlanError,
            (
                "'a' holds the search 'b' among its candidates. Pass its candidates (tb.grid makes them), or the "
                "search beside it, "
                "with a name of its own."
            ),
        ),
        (
            {3: GridSearchCV(SVC(), GRID_OF_CHOICE)},
            InvalidPlanError,
            "models has the key 3 of type int; names must be text.",
        ),
        (
            RandomizedSearchCV(SVC(), {"C": 3}, random_state=0),
            InvalidPlanError,
            "the distributions of 'SVC' cannot be drawn from: ",
        ),
        ({}, InvalidPlanError, "there are no models to evaluate. "),
    ],
)
def test_what_cannot_be_chosen_from_is_refused(models: Any, error: type[Exception], message: str) -> None:
    """Each text says what is wrong and how to go on."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        read_selections(models, 0)


def test_two_candidates_of_one_name_are_refused() -> None:
    """A search called "a" with a candidate "b, c" beside another called "a, b" with "c"."""
    selections = read_selections({"a": {"b, c": SVC(), "d": SVC()}, "a, b": {"c": SVC(), "e": SVC()}}, 0)
    with pytest.raises(InvalidPlanError, match=re.escape("more than one candidate is called 'a, b, c'. Give the searches other")):
        all_models(selections)
