"""Copies of models; scikit-learn's clone and set_params are the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from tiebreak.evaluation.cell import copies_of
from tiebreak.plan.seeds import open_random_states, seeded_parameters

MODELS = [
    StandardScaler(),
    SVC(random_state=3),
    RandomForestClassifier(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    VotingClassifier([("tree", DecisionTreeClassifier()), ("bag", BaggingClassifier(DecisionTreeClassifier()))]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("seed", [None, 0, 2**31 - 1])
def test_a_copy_is_a_clone_with_its_seeds_set(model: Any, is_known: bool, seed: int | None):
    """By either way of making it, and the model itself stays as it was."""
    before = repr(clone(model).get_params())
    copied = copies_of(model, seeded=True, is_known=is_known)(seed)
    expected = clone(model)
    if seed is not None:
        expected.set_params(**seeded_parameters(open_random_states(model), seed))
    assert repr(copied.get_params()) == repr(expected.get_params())
    assert repr(model.get_params()) == before


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of what the next release will not have
def test_copies_of_all_that_scikit_learn_has_are_clones() -> None:
    """Attribute for attribute, of every estimator that can be made without arguments: plain values, functions, kernels."""
    n_copied = 0
    for name, kind in all_estimators():
        try:
            model = kind()
        except TypeError:  # it needs an estimator
            continue
        copied, expected = copies_of(model, seeded=False, is_known=True)(None), clone(model)
        assert type(copied) is kind, name
        assert {key: repr(value) for key, value in vars(copied).items()} == {
            key: repr(value) for key, value in vars(expected).items()
        }, name
        n_copied += 1
    assert n_copied > 150


@pytest.mark.parametrize("is_known", [True, False])
def test_copies_share_nothing(is_known: bool):
    """Fitting one leaves the next as new, and each has its own seed."""
    make = copies_of(make_pipeline(StandardScaler(), DecisionTreeClassifier()), seeded=True, is_known=is_known)
    first, second = make(1), make(2)
    first.fit(np.eye(4), [0, 1, 0, 1])
    assert not hasattr(second[-1], "tree_")
    assert (first[-1].random_state, second[-1].random_state, make(1)[-1].random_state) == (1, 2, 1)


@pytest.mark.parametrize("is_known", [True, False])
def test_random_states_stay_none_where_nothing_is_to_be_seeded(is_known: bool):
    """The run that was asked for with rng=None."""
    assert copies_of(DecisionTreeClassifier(), seeded=False, is_known=is_known)(7).random_state is None


class Half(BaseEstimator):
    """Keeps half of the seed that it is given."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def set_params(self, **parameters: Any) -> Any:
        self.random_state = parameters["random_state"] // 2
        return self


@pytest.mark.parametrize("model", [Half(), make_pipeline(FunctionTransformer(lambda X: X), DecisionTreeClassifier())])
def test_what_cannot_be_made_from_bytes_is_cloned(model: Any):
    """A parameter that computes with its seed, and one that pickle does not know."""
    copied = copies_of(model, seeded=True, is_known=True)(8)
    assert {value for name, value in copied.get_params().items() if name.endswith("random_state")} <= {4, 8}


def test_an_object_without_parameters_is_copied_as_it_is():
    """Nothing is known of it but that it has fit and predict."""

    class Plain:
        def __init__(self) -> None:
            self.seen: list[int] = []

    model = Plain()
    copied = copies_of(model, seeded=True, is_known=False)(1)
    copied.seen.append(1)
    assert model.seen == []
