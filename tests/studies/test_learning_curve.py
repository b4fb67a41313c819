"""Learning curves: measured through one plan, kept, resumed, and asked whether more data would help."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.evaluation.test_evaluate import Counting
from tiebreak.errors import ChangedRunError, InvalidParameterError, UnknownNameError
from tiebreak.plan.plan import make_plan
from tiebreak.statistics import corrected_t, doubling_gain
from tiebreak.studies.curves import halves, with_sizes

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=2)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
CV = {"kind": "repeated-stratified", "n_folds": 4, "n_repeats": 2}


def numbers(curve: tb.LearningCurve) -> np.ndarray:
    """All but the times."""
    return curve.to_frame().drop(columns=["model", "fit_seconds"]).to_numpy(dtype=float)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store that is not there yet."""
    return f"sqlite:///{tmp_path / 'runs.db'}"


# --- what is measured -------------------------------------------------------------------------------------------------------


def test_points_are_what_a_plain_loop_gives():
    """Test and training accuracy of each size, by scikit-learn on the rows of the plan; intervals by the corrected t-test."""
    curve = tb.learning_curve({"bayes": GaussianNB()}, X, Y, cv=CV)
    base = make_plan({"bayes": GaussianNB()}, X, Y, cv=CV)
    plan, sizes = with_sizes(base)
    assert curve.sizes == sizes == (15, 30, 60)
    for place, planned in enumerate(plan.datasets):
        test, train = [], []
        for rows, tested in planned.splits:
            model = GaussianNB().fit(X[rows], Y[rows])
            test.append(accuracy_score(Y[tested], model.predict(X[tested])))
            train.append(accuracy_score(Y[rows], model.predict(X[rows])))
        assert_allclose(curve.points.test_mean[0, place], np.mean(test), rtol=1e-12)
        assert_allclose(curve.points.train_mean[0, place], np.mean(train), rtol=1e-12)
        low, high = corrected_t(test, test_train_ratio=20 / 60).interval()
        assert_allclose([curve.points.test_low[0, place], curve.points.test_high[0, place]], [low, high], rtol=1e-10)


def test_answers_come_of_the_last_two_doublings():
    """The same numbers as from the arrays; a lower-is-better metric is turned."""
    y = X[:, 0] + np.random.default_rng(0).normal(0, 0.1, 80)
    curve = tb.learning_curve(Ridge(), X, y, cv=4, scoring="neg_root_mean_squared_error", rope=0.01)
    quarter, half, full = (curve.evaluation.grid(place, 0)[0] for place in (0, 1, 2))
    _, gain, _ = doubling_gain(half - full, quarter - half, test_train_ratio=20 / 60, rope=0.01)
    answer = curve.answers[0]
    assert_allclose([answer.next_low, answer.next_high], [gain.low, gain.high], rtol=1e-9)
    assert_allclose(answer.last_gain, np.mean(half - full), rtol=1e-9)
    assert answer.answer == curve.answer() == curve.answer("Ridge")


def test_clear_cases_have_clear_answers():
    """A function that errs by 1 / n of what it is given, and one that is done: by how much the answers say."""
    y = np.random.default_rng(1).normal(size=80)

    def learning(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        return X_test[:, 0] + (10 + rng.normal(0, 0.05)) / len(y_train)

    def done(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        return X_test[:, 0] + 1 + rng.normal(0, 0.001)

    curve = tb.learning_curve(
        [learning, done],
        y[:, None],
        y,
        cv={**CV, "kind": "repeated-kfold"},
        sizes=[0.25, 0.5, 1.0],
        scoring="neg_mean_absolute_error",
        rope=0.05,
    )
    assert [each.answer for each in curve.answers] == ["yes", "less than the rope on doubling"]
    # 10 / 30 - 10 / 60 was the last gain, and the next is half of it
    assert curve.answers[0].last_gain == pytest.approx(1 / 6, abs=0.01)
    assert curve.answers[0].next_low < 1 / 12 < curve.answers[0].next_high


def test_sizes_without_halves_cannot_tell():
    """Of 60, neither 30 nor 15 was measured; near enough is good enough."""
    curve = tb.learning_curve(GaussianNB(), X, Y, cv=4, sizes=[20, 60])
    assert (curve.answer(), curve.answers[0].reason) == ("cannot be told", "no-halves")
    assert halves((22, 45, 91)) == (0, 1, 2)
    assert halves((15, 30, 60, 61)) == (0, 1, 3)
    assert halves((1, 2)) is None
    assert halves((7,)) is None


def test_scores_that_stay_the_same_cannot_tell():
    """A constant guess: identical on all splits, and no interval is made up."""

    def constant(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        return np.zeros(len(X_test), dtype=int)

    answer = tb.learning_curve(constant, X, Y, cv=4, rope=0.1).answers[0]
    assert (answer.answer, answer.reason) == ("cannot be told", "identical-scores")
    assert np.isnan([answer.last_low, answer.next_low, answer.next_high]).all()


def test_a_rope_in_percent_is_of_the_best_mean_with_all_data():
    """1 % of it."""
    curve = tb.learning_curve(MODELS, X, Y, cv=4, rope="1%")
    assert curve.rope == pytest.approx(0.01 * curve.points.test_mean[:, -1].max())


def test_other_metrics_are_there_too():
    """Measured in the same fits; unknown ones are refused by name."""
    curve = tb.learning_curve(MODELS, X, Y, cv=4, scoring=["accuracy", "roc_auc"])
    assert_allclose(numbers(curve.for_metric("roc_auc")), numbers(tb.learning_curve(MODELS, X, Y, cv=4, scoring="roc_auc")))
    with pytest.raises(UnknownNameError, match="no metric is called 'f1'"):
        curve.for_metric("f1")


# --- failures ---------------------------------------------------------------------------------------------------------------


class NeedsTwenty(GaussianNB):
    """Fails with fewer examples."""

    def fit(self, X: Any, y: Any) -> Any:
        if len(y) < 20:
            raise ValueError("too few")
        return super().fit(X, y)


def test_failures_are_counted_and_cost_nothing_else():
    """The smallest size has no point; what needs it cannot be told, and the others are what they are without it."""
    curve = tb.learning_curve({"needs": NeedsTwenty(), "bayes": GaussianNB()}, X, Y, cv=4)
    assert curve.evaluation.n_failed == 4
    assert curve.points.n_splits.tolist() == [[0, 4, 4], [4, 4, 4]]
    assert np.isnan(curve.points.test_mean[0, 0])
    assert curve.answers[0].reason == "too-few-splits"
    assert curve.answers[1] == tb.learning_curve({"bayes": GaussianNB()}, X, Y, cv=4).answers[0]


def test_a_metric_that_is_undefined_on_a_fold_is_counted_with_its_reason():
    """ROC AUC of test rows of one class."""
    rows = np.argsort(Y, kind="stable")
    folds = [rows[:10], rows[10:50], rows[50:]]
    curve = tb.learning_curve(
        GaussianNB(), X, Y, cv=[(np.setdiff1d(rows, fold), fold) for fold in folds], scoring="roc_auc", sizes=[0.25, 0.5, 1.0]
    )
    assert curve.points.n_splits[0].tolist() == [1, 1, 1]  # the first and the last fold have one class each
    assert "scores are undefined, most often as roc_auc:" in str(curve)


# --- kept and gone on with --------------------------------------------------------------------------------------------------


def test_sizes_and_models_are_added_to_what_is_there(url: str, tmp_path: Path):
    """Only the new cells are fitted."""
    path = tmp_path / "fits.txt"
    tb.learning_curve({"m": Counting(str(path))}, X, Y, cv=4, store=url, sizes=[30, 60])
    assert path.read_text().count("fit") == 8
    curve = tb.learning_curve({"m": Counting(str(path)), "bayes": GaussianNB()}, X, Y, cv=4, store=url)
    assert path.read_text().count("fit") == 12
    assert curve.sizes == (15, 30, 60)
    with pytest.raises(ChangedRunError):
        tb.learning_curve({"m": GaussianNB(var_smoothing=1)}, X, Y, cv=4, store=url)


# --- bad input --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": range(1, 10**9)}, "sizes: 61 training examples are more than the 60 that every split has."),
        ({"sizes": [500]}, "sizes: 500 training examples are more than the 60 that every split has."),
        ({"rope": -1}, "rope must be a finite half-width of at least 0"),
        ({"rope": "1"}, "rope must be a number in the metric's unit, or a percentage"),
        ({"alpha": 5}, "alpha must lie between 0 and 1, ends excluded; got 5. Did you mean 0.05?"),
    ],
)
def test_wrong_use_is_refused_before_the_first_fit(arguments: dict[str, Any], message: str, tmp_path: Path):
    """Nothing has been measured when it is said."""
    path = tmp_path / "fits.txt"
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}"):
        tb.learning_curve(Counting(str(path)), X, Y, cv=4, **arguments)
    assert not path.exists()
