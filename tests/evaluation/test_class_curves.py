"""ROC, precision-recall and calibration curves of an evaluation."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import DataError, UnclearSourceError, UnknownNameError
from tiebreak.evaluation.class_curves import GRID, average

X, Y = make_classification(n_samples=150, n_features=5, flip_y=0.3, random_state=4)
LABELS = np.array(["no", "yes"])[Y]
MODELS = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
CV = {"kind": "repeated-stratified", "n_folds": 5, "n_repeats": 2}
SCORING = ["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score", "accuracy"]


@pytest.fixture(scope="module")
def evaluation() -> tb.Evaluation:
    """Two models on 2 x 5 folds, of which one decides by probabilities and the other by a decision function."""
    return tb.evaluate(MODELS, X, Y, cv=CV, scoring=SCORING)


@pytest.fixture(scope="module")
def flowers() -> tb.Evaluation:
    """Three classes."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    return tb.evaluate({"bayes": GaussianNB()}, X[:, :2], names, cv=5, scoring=["roc_auc_ovr", "neg_log_loss", "accuracy"])


def test_areas_of_folds_are_the_metric(evaluation: tb.Evaluation) -> None:
    """roc_auc, average_precision and the Brier score, as they were measured, with the interval of the comparison's ranking."""
    rocs, areas, briers = evaluation.roc(), evaluation.precision_recall(), evaluation.calibration()
    for place, model in enumerate(MODELS):
        np.testing.assert_allclose([curve.auc for curve in rocs[model].folds], evaluation.grid(0, 0)[place])
        folds = [curve.average_precision for curve in areas[model].folds]
        np.testing.assert_allclose(folds, evaluation.grid(0, 1)[place])
        assert float(briers[model].brier_score.mean) == pytest.approx(evaluation.grid(0, 3)[place].mean())
    for name, result in (("roc_auc", rocs), ("average_precision", areas), ("brier_score", briers)):
        ranking = evaluation.compare(name).ranking.set_index("model")
        for model in MODELS:
            row = result.to_frame().set_index("model").loc[model]
            ours = row[[column for column in row.index if column in {"auc", "auc_low", "auc_high"} or column.startswith(name)]]
            np.testing.assert_allclose(
                ours.to_numpy(dtype=float), ranking.loc[model, ["mean", "mean_low", "mean_high"]].to_numpy(dtype=float)
            )


def test_the_mean_curve_and_its_band_by_their_formula(evaluation: tb.Evaluation) -> None:
    """Vertical averaging, and at each rate the corrected t interval with n_test / n_train = 1/4, cut at 0 and 1."""
    line = evaluation.roc()["bayes"]
    heights = np.array([np.interp(GRID, curve.fpr, curve.tpr) for curve in line.folds])
    np.testing.assert_allclose(line.tpr.mean, heights.mean(axis=0))
    place = 30
    column = heights[:, place]
    half_width = stats.t.ppf(0.975, 9) * column.std(ddof=1) * np.sqrt(1 / 10 + 1 / 4)
    assert float(line.tpr.low[place]) == pytest.approx(max(column.mean() - half_width, 0))
    assert float(line.tpr.high[place]) == pytest.approx(min(column.mean() + half_width, 1))
    assert (line.tpr.mean[-1], np.isnan(line.tpr.low[-1])) == (1.0, True)  # all folds end at 1: nothing to build a band from


def test_pooled_curves_count_each_example_once_for_each_repeat(evaluation: tb.Evaluation) -> None:
    """scikit-learn's, of all predictions; without a variance, as DeLong's takes examples to be different ones."""
    frame = evaluation.predictions
    mine = frame[frame["model"] == "bayes"]
    pooled = evaluation.roc()["bayes"].pooled
    assert pooled.n_positive + pooled.n_negative == 300
    assert pooled.auc == pytest.approx(sk.roc_auc_score(mine["target"], mine["probability 1"]))
    assert np.isnan(pooled.area.variance)
    area = sk.average_precision_score(mine["target"], mine["probability 1"])
    assert evaluation.precision_recall()["bayes"].pooled.average_precision == pytest.approx(area)
    assert tb.evaluate(MODELS, X, Y, cv=5, scoring="roc_auc").roc()["bayes"].pooled.area.variance > 0


def test_calibration_intervals_count_an_example_once(evaluation: tb.Evaluation) -> None:
    """300 predictions of 150 examples are worth 150: the interval of a bin of 30 is Wilson's for 15."""
    curve = evaluation.calibration(n_bins=10)["logistic"].pooled
    assert curve.n_copies == 2
    share, n, z = curve.observed[0], curve.count[0] / 2, stats.norm.ppf(0.975)
    roots = np.roots([1 + z**2 / n, -(2 * share + z**2 / n), share**2])  # (p - share)^2 = z^2 p (1 - p) / n
    assert sorted(roots) == pytest.approx([curve.low[0], curve.high[0]])


def test_several_classes_are_each_against_the_rest(flowers: tb.Evaluation) -> None:
    """The mean of the three areas of a fold is roc_auc_ovr."""
    rocs = flowers.roc()
    assert rocs.classes == ("setosa", "versicolor", "virginica")
    means = np.mean([[curve.auc for curve in rocs["bayes", label].folds] for label in rocs.classes], axis=0)
    np.testing.assert_allclose(means, flowers.grid(0, 0)[0])
    assert len(flowers.roc(positive="setosa").lines) == 1
    with pytest.raises(UnclearSourceError, match="there are curves of 3 classes"):
        rocs["bayes"]
    with pytest.raises(UnknownNameError, match="there is no curve of the class 'rose'"):
        rocs["bayes", "rose"]
    assert len(flowers.precision_recall().lines) == len(flowers.calibration().lines) == 3


def test_folds_of_one_class_are_counted_and_have_a_reason() -> None:
    """Leave-one-out has no curve in any fold; what all say together has one."""
    evaluation = tb.evaluate(MODELS, X[:40], Y[:40], cv="loo", scoring=["accuracy", "neg_log_loss"])
    line = evaluation.roc()["bayes"]
    assert (line.auc.n_splits, line.auc.n_undefined) == (0, 40)
    assert np.isnan([float(line.auc.mean), *line.tpr.mean]).all()
    assert line.folds[0].reason
    assert not np.isnan(line.pooled.auc)
    some = tb.evaluate(MODELS, X[:40], np.r_[np.ones(3, int), np.zeros(37, int)], cv="kfold", scoring="neg_log_loss").roc()[
        "bayes"
    ]
    assert some.auc.n_undefined + some.auc.n_splits == 10
    assert 0 < some.auc.n_splits < 10


@pytest.mark.parametrize(
    ("method", "advice"),
    [
        ("roc", 'scoring="roc_auc" (of several classes "roc_auc_ovr")'),
        ("precision_recall", 'scoring="average_precision"'),
        ("calibration", 'scoring="neg_log_loss"'),
    ],
)
def test_what_was_not_kept_is_said_with_what_keeps_it(method: str, advice: str) -> None:
    """Labels alone draw no curve."""
    evaluation = tb.evaluate({"bayes": GaussianNB()}, X, Y, cv=3)
    needed = "predict_proba" if method == "calibration" else "decision_function or predict_proba"
    assert told(DataError, getattr(evaluation, method)) == (
        f"{needed} of the model 'bayes' was not kept; what was kept is 'predict'. What the metrics ask for is kept: evaluate "
        f"with {advice} too. In a store only what is missing is measured."
    )


def test_means_of_one_split_and_of_equal_splits_have_no_interval() -> None:
    """One number has no spread, and equal ones none that an interval could be made of."""
    one = average(np.array([0.7, np.nan]), 0.1, 0.05)
    assert (float(one.mean), one.n_splits, one.n_undefined) == (0.7, 1, 1)
    assert np.isnan([one.low, one.high]).all()
    equal = average(np.array([0.7, 0.7]), 0.1, 0.05)
    assert float(equal.mean) == 0.7
    assert np.isnan([equal.low, equal.high]).all()
