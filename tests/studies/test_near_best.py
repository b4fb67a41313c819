"""Refit of the cheapest candidate that is shown to be near the best: in searches, and on tables with known answers."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tiebreak.errors import DataError, InvalidParameterError, TiebreakWarning, UnclearSourceError, UnknownNameError

X, Y = load_breast_cancer(return_X_y=True)
GRID = {"max_depth": [1, 2, 3, 4, 6, None]}


def results(table: Any, params: list[dict[str, Any]] | None = None, times: Any = None, key: str = "score") -> dict[str, Any]:
    """What a search keeps, of given scores (candidates by splits)."""
    table = np.asarray(table, dtype=float)
    columns: dict[str, Any] = {f"split{split}_test_{key}": column for split, column in enumerate(table.T)}
    columns["params"] = params or [{"depth": depth} for depth in range(1, len(table) + 1)]
    columns["mean_fit_time"] = np.asarray(times if times is not None else np.arange(1.0, len(table) + 1))
    columns["std_fit_time"] = np.zeros(len(table))
    return columns


NEAR = noisy(0.80, 0.849, 0.850, 0.848, noise=0.003)
"""Ten-fold scores of four candidates: the first far behind, the others within a rope of 0.02 for sure."""


def chosen(table: Any, rope: float | str = 0.02, **options: Any) -> int:
    """Index by `near_best`, told that it is 10-fold unless `options` say otherwise."""
    known = {"prefer", "metric", "cv", "test_fraction", "alpha"}
    own = {name: value for name, value in options.items() if name in known}
    shape = {name: value for name, value in options.items() if name not in known}
    if not {"cv", "test_fraction"} & own.keys():
        own["cv"] = 10
    return tb.near_best(rope, **own)(results(table, **shape))


def test_the_standings_are_those_of_compare() -> None:
    """Of the candidates that comparisons with the best call best or near best, the one with the smallest parameter."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        table = noisy(*(0.85 - rng.choice([0, 0.003, 0.01, 0.03], 6)), noise=0.004, seed=seed)
        ranking = compared(table, [str(index) for index in range(6)], rope=0.012, family="best").ranking.set_index("model")[
            "standing"
        ]
        near = [index for index in range(6) if ranking[str(index)] in ("best", "near best")]
        if near:
            assert chosen(table, 0.012, prefer="depth") == min(near)
        else:
            with pytest.warns(TiebreakWarning, match="no candidate is shown to be within the rope of 0.012 of the best"):
                assert chosen(table, 0.012, prefer="depth") == int(table.mean(axis=1).argmax())


@pytest.mark.parametrize(
    ("prefer", "depths", "index"),
    [
        ("depth", None, 1),
        ("-depth", None, 3),
        (lambda params: abs(params["depth"] - 3), None, 2),
        (lambda params: (params["depth"] % 2, params["depth"]), None, 1),
        (lambda params: str(params["depth"]), None, 1),
        ("depth", (None, None, 7, 9), 2),  # of depth, leaves or features None is no limit in scikit-learn, so the largest
    ],
)
def test_prefer(prefer: Any, depths: Any, index: int) -> None:
    """A parameter, small or large being cheap, or a function of the parameters that returns what can be sorted."""
    assert chosen(NEAR, prefer=prefer, params=depths and [{"depth": depth} for depth in depths]) == index


def test_fit_times_that_differ_by_noise_tie() -> None:
    """Within two standard errors, here 2 sqrt(2) 0.05 / sqrt(10) = 0.045, nobody is slower, and the best mean is taken."""
    table = results(NEAR, times=[0.1, 1.01, 1.04, 1.0])
    table["std_fit_time"] = np.full(4, 0.05)
    assert tb.near_best(0.02, cv=10)(table) == 2
    table["mean_fit_time"][2] = 1.05
    assert tb.near_best(0.02, cv=10)(table) == 1


def test_equal_costs_take_the_best_mean() -> None:
    """Then the first."""
    assert chosen(NEAR, prefer=lambda params: 0) == 2
    twins = np.array([NEAR[2], NEAR[1], NEAR[2]])
    assert chosen(twins, prefer=lambda params: 0) == 0


def test_identical_candidates_stand_together() -> None:
    """A deeper limit that is never reached gives the same scores; that must not keep all from being near the best."""
    table = np.array([NEAR[0], NEAR[2], NEAR[2], NEAR[3]])
    assert chosen(table, prefer="depth") == 1
    assert chosen(table, prefer="-depth") == 3
    assert chosen([NEAR[1]] * 3, prefer="-depth") == 2
    assert chosen([NEAR[1]], prefer="depth") == 0


def test_failed_candidates_are_out() -> None:
    """A candidate with an undefined score is never chosen; none left is an error."""
    table = NEAR.copy()
    table[1, 3] = np.nan
    assert chosen(table, prefer="depth") == 2
    with pytest.raises(DataError, match="no candidate of the search has a score on every split"):
        chosen(np.full((2, 10), np.nan))


def standard_error_factor(rope: float, **options: Any) -> bool:
    """Whether a candidate whose differences have mean 0 and spread 1 is near the best at this rope."""
    n_splits = options.pop("n_splits")
    d = np.random.default_rng(0).normal(size=n_splits)
    d = (d - d.mean()) / d.std(ddof=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TiebreakWarning)
        return tb.near_best(rope, prefer="depth", **options)(results([5.0 - 1e-9 + 0 * d + d, 5.0 + 0 * d])) == 0


@pytest.mark.parametrize(
    ("options", "n_splits", "ratio"),
    [
        ({"cv": 10}, 10, 1 / 9),
        ({"test_fraction": 0.2}, 7, 1 / 4),
        ({"cv": KFold(5)}, 5, 1 / 4),
        ({"cv": StratifiedKFold(4)}, 4, 1 / 3),
        ({"cv": GroupKFold(5)}, 5, 1 / 4),
        ({"cv": RepeatedKFold(n_splits=5, n_repeats=5)}, 25, 1 / 4),
        ({"cv": RepeatedStratifiedKFold(n_splits=10, n_repeats=2)}, 20, 1 / 9),
        ({}, 10, 1 / 9),  # assumed, with a warning
    ],
)
def test_the_share_of_test_examples_widens_the_bounds(options: dict[str, Any], n_splits: int, ratio: float) -> None:
    """The bound is t(1 - alpha / 2) sqrt(1/n + ratio) for two candidates: near at a rope just above it, and not just below."""
    bound = float(stats.t.isf(0.025, n_splits - 1) * np.sqrt(1 / n_splits + ratio))
    assert standard_error_factor(bound * (1 + 1e-6), n_splits=n_splits, **options)
    assert not standard_error_factor(bound * (1 - 1e-6), n_splits=n_splits, **options)


def test_assumed_folds_are_said() -> None:
    """A search does not tell its splits; up to ten are taken for k-fold, with a warning, and more are not."""
    with pytest.warns(
        TiebreakWarning, match="takes the 10 splits for those of 10-fold cross-validation. Give it the cv= of the search"
    ):
        assert tb.near_best(0.02, prefer="depth")(results(NEAR)) == 1
    with pytest.warns(TiebreakWarning, match="the best mean, number 2: a search does not say how its 20 splits were made"):
        assert tb.near_best(0.02, prefer="depth")(results(np.tile(NEAR, 2))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 5}, "the search has 10 splits, and the cv= given to near_best has 5"),
        ({"cv": RepeatedKFold(n_splits=10, n_repeats=3)}, "the search has 10 splits, and the cv= given to near_best has 30"),
        ({"prefer": "dept"}, "prefer='dept' is no parameter of the search, which has 'depth'"),
        ({"prefer": lambda params: params["depht"]}, "prefer= failed on a candidate: KeyError: 'depht'"),
        ({"prefer": dict}, "the costs of candidates cannot be put in order"),
    ],
)
def test_what_shows_only_after_fitting_is_a_warning(options: dict[str, Any], message: str) -> None:
    """An error in a refit would lose all that was fitted; so the best mean is taken, and the warning says why."""
    with pytest.warns(TiebreakWarning, match="near_best takes the candidate with the best mean, number 2: ") as caught:
        assert chosen(NEAR, **options) == 2
    assert any(message in str(each.message) for each in caught)


def test_parameters_that_are_no_numbers_need_a_function() -> None:
    """Nobody knows which kernel is cheap."""
    params = [{"kernel": name} for name in ("rbf", "poly", "linear", "sigmoid")]
    with pytest.warns(TiebreakWarning, match="parameter 'kernel' is 'poly' for some candidate, which is no number"):
        assert chosen(NEAR, prefer="kernel", params=params) == 2
    order = ["linear", "rbf", "poly", "sigmoid"]
    assert chosen(NEAR, prefer=lambda each: order.index(each["kernel"]), params=params) == 2


@pytest.mark.parametrize(
    ("rope", "options", "message"),
    [
        (0.0, {}, "near_best needs a rope above 0"),
        ("0%", {}, "near_best needs a rope above 0"),
        (-0.01, {}, "rope"),
        ("much", {}, "rope"),
        (0.01, {"alpha": 5}, "alpha"),
        (0.01, {"prefer": 3}, "prefer must be the name of a parameter, or a function of the parameters; got 3"),
        (0.01, {"cv": 5, "test_fraction": 0.2}, "both cv= and test_fraction= were given"),
        (0.01, {"test_fraction": 1.0}, "test_fraction must be between 0 and 1"),
        (0.01, {"test_fraction": "a fifth"}, "test_fraction must be between 0 and 1"),
        (0.01, {"cv": 1}, "cv must be at least 2 folds; got 1"),
        (0.01, {"cv": "5"}, "are not known without the data. Pass test_fraction= instead"),
        (0.01, {"cv": ShuffleSplit(5)}, "are not known without the data. Pass test_fraction= instead"),
    ],
)
def test_what_can_be_known_before_is_an_error(rope: Any, options: dict[str, Any], message: str) -> None:
    """Before anything is fitted."""
    with pytest.raises(InvalidParameterError, match=message):
        tb.near_best(rope, **options)


def test_pipelines_random_searches_clones_and_pickles() -> None:
    """Steps stand in front of the parameter; a clone and a pickle of the search choose the same."""
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    grid = {"decisiontreeclassifier__max_depth": [1, 2, 3, 5, 8]}
    refit = tb.near_best(0.05, prefer="decisiontreeclassifier__max_depth", cv=5)
    search = RandomizedSearchCV(pipeline, grid, n_iter=4, cv=5, refit=refit, random_state=0)
    again = pickle.loads(pickle.dumps(clone(search)))
    search.fit(X, Y)
    again.fit(X, Y)
    assert again.best_index_ == search.best_index_
    assert again.refit == refit
    assert pickle.loads(pickle.dumps(search)).predict(X[:5]).tolist() == search.predict(X[:5]).tolist()
    assert search.set_params(refit=tb.near_best(0.02, cv=5)).refit.rope == 0.02
    assert "NearBest(rope=0.02" in repr(search)


def test_several_metrics() -> None:
    """The one that is named; without a name there is nothing to go by, which is an error."""
    refit = tb.near_best(1.0, prefer="max_depth", metric="neg_log_loss", cv=5)
    model, scoring = DecisionTreeClassifier(random_state=0), ["accuracy", "neg_log_loss"]
    search = GridSearchCV(model, {"max_depth": [1, 2, 3]}, scoring=scoring, cv=5, refit=refit).fit(X, Y)
    alone = GridSearchCV(model, {"max_depth": [1, 2, 3]}, scoring="neg_log_loss", cv=5, refit=False).fit(X, Y)
    assert tb.near_best(1.0, prefer="max_depth", cv=5)(alone.cv_results_) == search.best_index_
    assert tb.near_best(1.0, prefer="max_depth", metric="log_loss", cv=5)(search.cv_results_) == search.best_index_
    with pytest.raises(UnclearSourceError, match="holds 2 metrics: 'accuracy' and 'neg_log_loss'"):
        tb.near_best(0.05, cv=5)(search.cv_results_)
    with pytest.raises(UnknownNameError, match="no metric is called 'acuracy': did you mean 'accuracy'"):
        tb.near_best(0.05, metric="acuracy", cv=5)(search.cv_results_)
