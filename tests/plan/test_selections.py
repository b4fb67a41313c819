"""Searches, grids and dicts of models as candidates to choose from."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, ParameterSampler, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tiebreak.errors import InvalidPlanError, UnknownNameError
from tiebreak.plan.grid import grid
from tiebreak.plan.selections import all_models, read_selections

GRID = {"C": [1, 10]}


def test_a_search_is_its_candidates_splits_and_metric() -> None:
    """What GridSearchCV would do on a training set: names as of `grid`, its own cv (5 if None), its own scoring."""
    (one,) = read_selections(GridSearchCV(SVC(), GRID, cv=KFold(3), scoring="f1"), 0)
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
    several = {"svm": grid(SVC(), GRID), "logistic": LogisticRegression(), "search": GridSearchCV(SVC(), GRID)}
    selections = read_selections(several, 0)
    assert [each.name for each in selections] == ["svm", "logistic", "search"]
    models, places = all_models(selections)
    assert list(models) == ["svm, C=1", "svm, C=10", "logistic", "search, C=1", "search, C=10"]
    assert [list(place) for place in places] == [[0, 1], [2], [3, 4]]


def test_several_metrics_and_the_one_that_chooses() -> None:
    """``refit`` names it, in a list and in a dict."""
    (one,) = read_selections(GridSearchCV(SVC(), GRID, scoring=["accuracy", "f1"], refit="f1"), 0)
    (two,) = read_selections(GridSearchCV(SVC(), GRID, scoring={"a": "accuracy", "b": "f1"}, refit="a"), 0)
    assert (one.scoring, two.scoring) == ("f1", {"a": "accuracy"})


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        (
            GridSearchCV(SVC(), {"gama": [1]}), UnknownNameError, "no parameter of SVC is called 'gama': did you mean 'gamma'?",
        ),
        (
            HalvingGridSearchCV(SVC(), GRID), InvalidPlanError,
            ("HalvingGridSearchCV decides which candidates it measures as it goes along, so there are no inner results to keep. "
            "Use GridSearchCV, RandomizedSearchCV or tb.grid; or pass the search to tb.evaluate as a model, which fits it on the "
            "training rows of each split only, and so gives its nested score without the inner results."),
        ),
        (
            GridSearchCV(SVC(), GRID, scoring=["accuracy", "f1"], refit=False), InvalidPlanError,
            "'SVC' has several metrics and refit=False. Say by which it chooses: refit='accuracy'.",
        ),
        (
            GridSearchCV(SVC(), GRID, scoring=["accuracy", "f1"], refit="r2"), UnknownNameError,
            "'SVC' chooses by 'r2', but its metrics are 'accuracy' and 'f1'.",
        ),
        (
            GridSearchCV(SVC(), GRID, refit=max), InvalidPlanError,
            ("'SVC' chooses by a function (refit='max'), which needs scikit-learn's own results. Name a metric in refit, or pass "
            "the search to tb.evaluate as a model."),
        ),
        (
            [GridSearchCV(SVC(), GRID), SVC()], InvalidPlanError,
            "several searches or grids need names. Pass them as a dict: {name: search}.",
        ),
        (
            {"a": {"b": GridSearchCV(SVC(), GRID)}}, InvalidPlanError,
            ("'a' holds the search 'b' among its candidates. Pass its candidates (tb.grid makes them), or the search beside it, "
            "with a name of its own."),
        ),
        (
            {3: GridSearchCV(SVC(), GRID)}, InvalidPlanError, "models has the key 3 of type int; names must be text.",
        ),
        (
            RandomizedSearchCV(SVC(), {"C": 3}, random_state=0), InvalidPlanError,
            "the distributions of 'SVC' cannot be drawn from: ",
        ),
        ({}, InvalidPlanError, "there are no models to evaluate. "),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_from_is_refused(models: Any, error: type[Exception], message: str) -> None:
    """Each text says what is wrong and how to go on."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        read_selections(models, 0)


def test_two_candidates_of_one_name_are_refused() -> None:
    """A search called "a" with a candidate "b, c" beside another called "a, b" with "c"."""
    selections = read_selections({"a": {"b, c": SVC(), "d": SVC()}, "a, b": {"c": SVC(), "e": SVC()}}, 0)
    with pytest.raises(InvalidPlanError, match=re.escape("more than one candidate is called 'a, b, c'. Give the searches other")):
        all_models(selections)
