"""Nested cross-validation: honest scores, claims, choices, and what happens when something fails."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, MissingSplitsError, UnknownNameError
from tiebreak.studies.nested_choice import first_best

X, Y = make_classification(n_samples=90, n_features=6, n_informative=2, flip_y=0.2, random_state=3)
TREES = tb.grid(DecisionTreeClassifier(), {"max_depth": [1, 2, 4]})
OUTER, INNER = {"kind": "stratified", "n_folds": 3}, {"kind": "stratified", "n_folds": 2}


class Fails(ClassifierMixin, BaseEstimator):
    """Cannot be fitted where the training rows hold the row marked by this value."""

    def __init__(self, marked: float = -1.0, says: int = 0) -> None:
        self.marked = marked
        self.says = says

    def fit(self, X: Any, y: Any) -> Fails:
        if (X[:, 0] == self.marked).any():
            raise ValueError("the marked row is among them")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.says)


def nested(models: Any = TREES, **settings: Any) -> tb.NestedEvaluation:
    """A small nested cross-validation."""
    return tb.nested_cross_validate(models, X, Y, **{"outer": OUTER, "inner": INNER, **settings})


def codes(answer: tb.NestedEvaluation) -> list[str]:
    """Codes of the warnings."""
    return [notice.code for notice in answer.notices]


# --- the lecture's example ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_the_nested_5x2_example_of_the_lecture_is_that_of_scikit_learn(load: Any) -> None:
    """A pipeline that scales inside, a grid search on 2 inner folds, 5 outer folds: the same scores, choices, inner results."""
    X, y = load(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC())
    outer = StratifiedKFold(5, shuffle=True, random_state=0)
    inner = StratifiedKFold(2, shuffle=True, random_state=1)
    search = GridSearchCV(pipeline, {"svc__C": [0.1, 1, 10], "svc__gamma": [0.01, 0.1]}, cv=inner)
    theirs = cross_validate(search, X, y, cv=outer, return_estimator=True)
    ours = tb.nested_cross_validate(search, X, y, outer=outer)
    assert ours.outer_scores().tolist() == theirs["test_score"].tolist()
    choice = ours.choice()
    for split, fitted in enumerate(theirs["estimator"]):
        assert fitted.best_index_ == choice.chosen[split]
        assert choice.inner_mean[:, split] == pytest.approx(fitted.cv_results_["mean_test_score"], abs=1e-12)
    assert ours.score().mean == pytest.approx(theirs["test_score"].mean())
    assert ours.score().inner_claim == pytest.approx(np.mean([fitted.best_score_ for fitted in theirs["estimator"]]))


@pytest.mark.slow
def test_a_loss_a_random_search_and_a_regression_agree_with_scikit_learn() -> None:
    """Lower is better, the search names its metric, and the candidates are drawn."""
    y = X @ np.arange(6) + np.random.default_rng(0).normal(size=90)
    search = RandomizedSearchCV(
        Ridge(), {"alpha": np.logspace(-2, 3, 30)}, n_iter=5, random_state=1, cv=3, scoring="neg_mean_absolute_error"
    )
    theirs = cross_validate(search, X, y, cv=4, scoring="neg_mean_absolute_error", return_estimator=True)
    ours = tb.nested_cross_validate(search, X, y, outer=4)
    assert ours.metrics == ("mean_absolute_error",)
    assert ours.outer_scores() == pytest.approx(-theirs["test_score"])
    chosen = [list(ours.choice().candidates)[c] for c in ours.choice().chosen]
    assert chosen == [f"alpha={fitted.best_params_['alpha']:.6g}" for fitted in theirs["estimator"]]
    assert ours.score().optimism == pytest.approx(ours.score().mean - ours.score().claim)


# --- the numbers ----------------------------------------------------------------------------


def test_the_interval_is_corrected_by_the_real_sizes() -> None:
    """Mean -+ t(0.975, 2) s sqrt(1/3 + 30/60), by hand: t is 4.3027, as tables have it."""
    answer = nested()
    scores, honest = answer.outer_scores(), answer.score()
    half = 4.30265 * scores.std(ddof=1) * np.sqrt(1 / 3 + 30 / 60)
    assert (honest.low, honest.high) == pytest.approx((scores.mean() - half, scores.mean() + half), rel=1e-5)
    assert honest.standard_error == pytest.approx(half / 4.30265, rel=1e-5)
    assert nested(alpha=0.5).score().high < honest.high


def test_the_claim_is_that_of_plain_cross_validation() -> None:
    """The same candidates, splits and seeds through `evaluate`: the best mean, and whose it is."""
    answer = nested()
    means = tb.evaluate(TREES, X, Y, cv=OUTER).summary().set_index("model")["value"]
    assert answer.plain_mean().tolist() == means[list(answer.choice().candidates)].tolist()
    assert (answer.score().claimed_by, answer.score().claim) == (means.idxmax(), means.max())
    assert answer.score().optimism == pytest.approx(means.max() - answer.outer_scores().mean())


def test_outer_scores_are_those_of_the_chosen_candidate() -> None:
    """A look-up in the outer evaluation, whose cells are ordinary ones."""
    answer = nested()
    table = answer.outer.scores().matrix().score
    assert answer.outer_scores().tolist() == [table[c, split] for split, c in enumerate(answer.choice().chosen)]
    frame = answer.inner()
    means = frame.groupby(["fold", "candidate"], sort=False)["score"].mean().unstack()[list(TREES)]
    assert means.to_numpy() == pytest.approx(answer.choice().inner_mean.T)
    assert (
        [list(TREES)[c] for c in answer.choice().chosen] == means.idxmax(axis=1).tolist() == answer.to_frame()["chosen"].tolist()
    )


def test_the_first_of_equally_good_candidates_is_chosen() -> None:
    """As in scikit-learn's searches; means that differ in the last digit only are equally good."""
    assert first_best(np.array([0.3, 0.1 + 0.2, np.nan]), 1) == 0
    assert first_best(np.array([0.30000001, 0.3]), -1) == 1
    assert first_best(np.full(2, np.nan), 1) == -1
    assert nested({"b": GaussianNB(), "a": GaussianNB()}).choice().chosen.tolist() == [0, 0, 0]


def test_other_metrics_are_scored_with_the_same_choice() -> None:
    """The first one chooses; a search that names its own chooses by that one, which is measured too."""
    answer = nested(scoring=["accuracy", "roc_auc"])
    assert answer.metrics == ("accuracy", "roc_auc")
    roc = answer.score(metric="roc_auc")
    plain = answer.plain_mean(metric="roc_auc")
    assert roc.claim == plain[list(TREES).index(roc.claimed_by)]
    assert roc.claimed_by == answer.score().claimed_by
    assert np.isnan(roc.inner_claim)
    own = nested(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="neg_log_loss"), scoring="accuracy")
    assert own.metrics == ("accuracy", "log_loss")
    assert own.choice().metric.name == "log_loss"


def test_searches_are_compared_by_what_they_chose() -> None:
    """Two searches and a model without a grid on the same outer splits, with the sizes and the hash of these."""
    answer = nested({"trees": TREES, "bayes": GaussianNB(), "svm": GridSearchCV(SVC(), {"C": [1, 10]}, cv=2)}, rope=0.05)
    comparison = answer.compare()
    assert set(comparison.models) == {"trees", "bayes", "svm"}
    assert (comparison.rope, comparison.design.kind) == (0.05, "stratified")
    assert comparison.design.hash == answer.outer.scores().design.hash
    pair = comparison.pair("trees", "bayes")
    assert pair.difference == pytest.approx(answer.score("trees").mean - answer.score("bayes").mean)
    assert answer.outer.models[3] == "bayes"
    with pytest.raises(InvalidParameterError, match=re.escape("there are 3 searches: 'trees', 'bayes' and 'svm'. Name one.")):
        answer.score()
    with pytest.raises(UnknownNameError, match=re.escape("no search is called 'tree': did you mean 'trees'?")):
        answer.score("tree")


# --- stability ----------------------------------------------------------------------------


def noise(**settings: Any) -> tb.NestedEvaluation:
    """Trees on noise, where any candidate may be chosen."""
    rng = np.random.default_rng(5)
    grid = tb.grid(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 4, 5], "min_samples_leaf": [1, 3, 9]})
    return tb.nested_cross_validate(grid, rng.normal(size=(60, 5)), np.arange(60) % 2, outer=10, inner=2, **settings)


@pytest.mark.slow
def test_an_unstable_choice_is_warned_of() -> None:
    """Nothing is chosen on half of the splits; counts and names are those of the frame."""
    answer = noise()
    choice = answer.choice()
    assert codes(answer) == ["unstable-choice"]
    chosen = answer.chosen()
    assert chosen["n_chosen"].sum() == 10
    assert choice.n_distinct == (chosen["n_chosen"] > 0).sum()
    text = answer.notices[0].text
    assert text.startswith(
        f"the choice of 'DecisionTreeClassifier' is unstable: {choice.n_distinct} of 15 candidates were chosen"
    )
    assert f"{chosen.loc[chosen['n_chosen'].idxmax(), 'candidate']!r}, on {chosen['n_chosen'].max()}" in text


@pytest.mark.slow
def test_a_choice_that_changes_between_equivalent_candidates_is_not_warned_of() -> None:
    """Within a rope of 0.5 in accuracy everything is as good as chosen; in percent of the score likewise."""
    assert codes(noise(rope=0.5)) == []
    assert codes(noise(rope="100%")) == []
    assert codes(noise(rope="0.001%")) == ["unstable-choice"]


# --- through the store and the runners ----------------------------------------------------------------------------


def frames(answer: tb.NestedEvaluation) -> list[dict[str, Any]]:
    """Everything that the answer says."""
    return [part.to_dict("list") for part in (answer.to_frame(), answer.inner(), answer.chosen())]


@pytest.mark.slow
def test_two_workers_give_the_same_bits_as_one() -> None:
    """Trees draw at random among equally good splits; the JSON holds every number."""
    one, two = (nested(n_jobs=n, timeout=60, scoring=["accuracy", "neg_log_loss"]) for n in (1, 2))
    assert one.to_json() == two.to_json() == nested(scoring=["accuracy", "neg_log_loss"]).to_json()


def test_an_interrupted_call_goes_on_where_it_was(tmp_path: Path) -> None:
    """Ctrl-C in the inner run and again in the outer one: each cell is measured once, and the answer is that of one go."""
    url, fits = f"sqlite:///{tmp_path / 'runs.db'}", tmp_path / "fits.txt"

    def counting(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        with fits.open("a") as file:
            file.write("fit\n")
        return rng.integers(0, 2, len(X_test))

    def interrupted(moment: Any, at: tuple[str, int]) -> None:
        if moment.name == at[0] and moment.n_done >= at[1] and not moment.is_finished:
            raise KeyboardInterrupt

    models = {"one": counting, "two": counting}
    for at in (("noise inner", 0), ("noise", 0)):
        with pytest.raises(KeyboardInterrupt):
            nested(models, store=url, name="noise", progress=lambda moment, at=at: interrupted(moment, at))
    answer = nested(models, store=url, name="noise")
    assert fits.read_text().count("fit") == 2 * (3 + 3 * 2)
    assert frames(answer) == frames(nested(models))
    assert frames(nested(models, store=url, name="noise")) == frames(answer)
    assert sorted(run.name for run in tb.SqlStore(url).runs()) == ["noise", "noise inner"]
    assert tb.read_evaluation(url, "noise").n_done == 6


def test_a_candidate_more_adds_only_its_cells(tmp_path: Path) -> None:
    """What was measured of the others stays."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nested(store=url)
    seen: list[int] = []
    more = nested({**TREES, "bayes": GaussianNB()}, store=url, progress=lambda moment: seen.append(moment.n_before))
    assert set(seen) == {18, 9}
    assert len(more.choice().candidates) == 4


def test_without_the_plain_scores_only_what_was_chosen_is_measured(tmp_path: Path) -> None:
    """Three outer cells instead of nine, the same honest score, no claim; asking for the claim later adds the six."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    brief = nested(store=url, plain=False)
    assert brief.outer.n_done == 3
    honest = brief.score()
    assert np.isnan(honest.claim)
    assert honest.claimed_by == ""
    with pytest.raises(MissingSplitsError, match=re.escape("only the candidates that were chosen were measured on the outer")):
        brief.bias_corrected()
    full = nested(store=url)
    assert full.outer.n_done == 9
    assert full.score().mean == honest.mean


@pytest.mark.slow
def test_groups_and_time_go_through() -> None:
    """No group on both sides at either level; where the outer splits are in order of time, so are the inner ones."""
    groups = np.repeat(np.arange(30), 3)
    grouped = nested(groups=groups, outer="group", inner=None).choice().inner
    y = X[:, 0] + X[:, 1]
    ordered = tb.nested_cross_validate(tb.grid(Ridge(), {"alpha": [1, 10]}), X, y, outer="time").choice().inner
    assert grouped is not None
    assert ordered is not None
    assert (grouped.record.datasets[0].kind, ordered.record.datasets[0].kind) == ("stratified-group", "time")


# --- what fails ----------------------------------------------------------------------------


def test_a_split_on_which_all_candidates_fail_is_left_out_with_its_reason() -> None:
    """The marked row is in two of three outer training sets; there some inner cell of each candidate fails."""
    marked = float(X[7, 0])
    answer = nested({"no": Fails(marked, 0), "yes": Fails(marked, 1)})
    has = ~np.isnan(answer.outer_scores())
    assert has.sum() == 1
    assert answer.choice().chosen[~has].tolist() == [-1, -1]
    reason = next(filter(None, answer.reasons()))
    assert reason == (
        "no candidate has all its inner scores: 2 of 4 are missing, the first because of ValueError: the marked row is among them"
    )
    assert codes(answer) == ["failed-splits"]
    assert answer.notices[0].text.startswith("'Fails' has no score on 2 of 3 outer splits, which are left out of its mean; the ")
    honest = answer.score()
    assert (honest.n_splits, honest.reason) == (1, "missing-splits")
    assert honest.mean == answer.outer_scores()[has][0]
    assert np.isnan(honest.low)


def test_a_candidate_that_fails_is_not_chosen_and_the_others_go_on() -> None:
    """It would have been first; on the split that it is good for it may be chosen."""
    answer = nested({"fails": Fails(float(X[7, 0]), 1), "bayes": GaussianNB()})
    assert not np.isnan(answer.outer_scores()).any()
    assert answer.choice().n_chosen[1] >= 2


def test_a_chosen_candidate_that_fails_on_the_outer_rows_says_so() -> None:
    """Two rows that are never together in an inner training set, but are in an outer one."""

    class Crowded(Fails):
        def fit(self, X: Any, y: Any) -> Crowded:
            if len(X) > 30:
                raise ValueError("too many rows")
            return super().fit(X, y)  # type: ignore[return-value]

    answer = nested({"one": Crowded(), "two": Crowded(says=1)})
    assert answer.score().n_splits == 0
    assert answer.reasons()[0].endswith("was chosen and has no score: ValueError: too many rows")
    with pytest.raises(MissingSplitsError, match=r"^no search has a score on any outer split: '"):
        answer.compare()
    assert "'Crowded' has no score on any outer split." in str(answer)


def test_one_outer_split_has_no_interval() -> None:
    """A holdout; its spread cannot be told."""
    honest = nested(outer="holdout").score()
    assert (honest.n_splits, honest.reason) == (1, "one-split")
    assert np.isnan(honest.standard_error)


def test_equal_scores_have_no_interval() -> None:
    """Promise 5: no spread, no interval, a reason."""
    honest = nested({"no": Fails(), "yes": Fails(says=1)}).score()
    assert honest.mean == pytest.approx(np.bincount(Y).max() / 90)  # each fold has the share of the larger class
    assert (honest.standard_error, honest.reason) == (0.0, "no-spread")
    assert np.isnan([honest.low, honest.high]).all()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"rope": -1}, InvalidParameterError, "rope must be a finite half-width of at least 0"),
        (
            {"rope": "wide"},
            InvalidParameterError,
            "rope must be a number in the metric's unit, or a percentage of the honest score such as '1%'; got 'wide'.",
        ),
        ({"alpha": 5}, InvalidParameterError, "alpha must lie between 0 and 1, ends excluded; got 5. Did you mean 0.05?"),
        ({"plain": "no"}, InvalidParameterError, "plain must be True or False; got 'no'."),
        ({"name": ""}, InvalidParameterError, "name must be a text that is not empty; got ''."),
        ({"scoring": "acuracy"}, UnknownNameError, "no metric is called 'acuracy': did you mean 'accuracy'"),
    ],
)
def test_wrong_use_is_refused(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    """Before anything is fitted where it can be told."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        nested(**settings)


# --- validity ----------------------------------------------------------------------------


@pytest.mark.slow
def test_on_noise_the_nested_score_is_chance_and_the_claim_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten of the 400 data sets of benchmarks/validity/nested_noise.py, whose figures docs/nested.md has."""
    path = Path(__file__).parents[2] / "benchmarks" / "validity" / "nested_noise.py"
    spec = importlib.util.spec_from_file_location("nested_noise", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "nested_noise", script)  # dataclasses look there
    spec.loader.exec_module(script)
    runs = script.simulate("stumps", 10)
    mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(10)
    assert abs(mean[0] - 0.5) <= 3 * error[0]
    assert abs(mean[3] - 0.5) <= 3 * error[3]
    assert mean[1] >= 0.55
    assert json.dumps(script.simulate("stumps", 1).tolist()) == json.dumps(runs[:1].tolist())


def test_a_logistic_regression_beside_a_search_needs_no_inner_cells() -> None:
    """One candidate: its outer scores are plain ones, and the warning says so."""
    answer = nested({"trees": TREES, "logistic": LogisticRegression()})
    plain = tb.evaluate({"logistic": LogisticRegression()}, X, Y, cv=OUTER)
    assert answer.outer_scores("logistic").tolist() == plain.scores().matrix().score[0].tolist()
    assert answer.choice("logistic").inner is None
    assert "one-candidate" in codes(answer)


def test_intervals_end_where_the_metric_ends() -> None:
    """Accuracies of small folds near 1: the t interval of their mean reaches beyond, what is shown does not, and says so."""
    rows = np.random.default_rng(3).normal(size=(24, 2))
    labels = rows[:, 0] > 0
    labels[0] = not labels[0]  # one wrong label: 3 folds all right, one with 5 of 6
    nested = tb.nested_cross_validate({"trees": tb.grid(DecisionTreeClassifier(), {"max_depth": [1, 2]})}, rows, labels, outer=4)
    honest = nested.score()
    scores = nested.outer_scores()
    assert honest.standard_error > 0
    assert scores.mean() + 3.18 * honest.standard_error > 1  # t quantile of 3 df
    assert (honest.high, honest.is_cut) == (1.0, True)
    assert "Intervals are cut off at the smallest and largest possible accuracy." in " ".join(str(nested).split())
