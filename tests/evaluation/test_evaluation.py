"""What was measured, as frames and in words."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import tiebreak as tb
from tiebreak.errors import UnclearSourceError, UnknownNameError

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=4)
LABELS = np.array(["no", "yes"])[Y]
CV = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
MODELS = {"bayes": GaussianNB(), "logistic": LogisticRegression()}


@pytest.fixture(scope="module")
def evaluation() -> tb.Evaluation:
    """Two models on 2 x 4 folds in three metrics."""
    return tb.evaluate(MODELS, X, LABELS, cv=CV, scoring=["roc_auc", "accuracy", "neg_log_loss"])


def test_the_comparison_is_that_of_cross_validate(evaluation: tb.Evaluation):
    """The same splits, scored by scikit-learn and read by `compare`, give the same pairs to 1e-12 and the same hash."""
    theirs = tb.compare(
        {name: cross_validate(model, X, LABELS, cv=CV, scoring="roc_auc", return_indices=True) for name, model in MODELS.items()},
        metric="roc_auc",
        rope=0.01,
    )
    ours = evaluation.compare("roc_auc", rope=0.01)
    numbers = ours.pairs.select_dtypes("number")
    pd.testing.assert_frame_equal(numbers, theirs.pairs[numbers.columns], rtol=1e-9, atol=1e-12)
    assert ours.scores.design.hash == theirs.scores.design.hash
    assert ours.to_dict()["provenance"]["splits"] is not None


def test_a_stored_run_is_a_source_by_its_address(tmp_path: Path):
    """``sqlite:///file#run``; without the name where there is one run only."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    evaluation = tb.evaluate(MODELS, X, Y, cv=3, store=url, name="first")
    assert tb.compare(f"{url}#first").pairs.equals(evaluation.compare().pairs)
    assert tb.compare(url).pairs.equals(evaluation.compare().pairs)
    tb.evaluate(MODELS, X, Y, cv=4, store=url, name="second")
    with pytest.raises(UnclearSourceError, match=r"holds 2 runs: 'second' and 'first'|holds 2 runs: 'first' and 'second'"):
        tb.compare(url)
    with pytest.raises(UnknownNameError, match="frist"):
        tb.compare(f"{url}#frist")


def test_summary_over_folds_is_the_mean(evaluation: tb.Evaluation):
    """One row for each model and metric, the best first, with the interval and the spread of its splits."""
    frame = evaluation.summary("neg_log_loss")
    assert frame["value"].is_monotonic_increasing
    assert evaluation.summary("roc_auc")["value"].is_monotonic_decreasing
    scores = cross_validate(MODELS["bayes"], X, LABELS, cv=CV, scoring="neg_log_loss")["test_score"]
    bayes = frame.set_index("model").loc["bayes"]
    assert bayes["std (not a test)"] == pytest.approx(scores.std(ddof=1))
    ratio = np.mean([len(test) / len(train) for train, test in CV.split(X, LABELS)])
    half = 2.364624251592785 * scores.std(ddof=1) * np.sqrt(1 / 8 + ratio)  # t quantile of 7 df, [NB03]
    assert (bayes["interval_low"], bayes["interval_high"]) == pytest.approx(
        (max(bayes["value"] - half, 0), bayes["value"] + half)
    )
    frame = frame.sort_values("model")
    theirs = [-cross_validate(model, X, LABELS, cv=CV, scoring="neg_log_loss")["test_score"].mean() for model in MODELS.values()]
    assert frame["model"].tolist() == ["bayes", "logistic"]
    np.testing.assert_allclose(frame["value"], theirs, rtol=1e-12)
    assert frame[["n_splits", "n_failed"]].values.tolist() == [[8, 0], [8, 0]]
    assert evaluation.summary()["metric"].tolist() == ["roc_auc"] * 2 + ["accuracy"] * 2 + ["log_loss"] * 2


def test_predictions_are_rows_of_the_data(evaluation: tb.Evaluation):
    """Each model says something of each row once a repeat; labels, probabilities by class, the true label beside."""
    frame = evaluation.predictions
    assert len(frame) == 2 * 2 * 80
    assert (frame["target"] == LABELS[frame["row"]]).all()
    assert set(frame["prediction"]) == {"no", "yes"}
    np.testing.assert_allclose(frame["probability no"] + frame["probability yes"], 1.0, rtol=1e-12)
    mine = frame[(frame["model"] == "bayes") & (frame["repeat"] == 0)]
    scores = evaluation.scores("accuracy").matrix().score[0, :4]
    accuracy = (mine["prediction"] == mine["target"]).groupby(mine["fold"]).mean()
    np.testing.assert_allclose(accuracy, scores, rtol=1e-12)


def test_warnings_and_undefined_scores_are_grouped():
    """A model that warns on every fit is one line; a metric that is undefined on every split too."""

    class Loud(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            warnings.warn("loud", UserWarning, stacklevel=1)
            return super().fit(X, y)

    y = np.array([0, 1] * 20 + [1] * 40)
    cv = [(np.arange(40), np.arange(40, 60)), (np.arange(40), np.arange(60, 80))]
    evaluation = tb.evaluate({"loud": Loud()}, X, y, cv=cv, scoring=["accuracy", "roc_auc"])
    assert evaluation.fit_warnings.values.tolist() == [["UserWarning: loud", 2, ("loud",), "repeat 0 fold 0"]]
    (row,) = evaluation.undefined.values.tolist()
    assert row[0].startswith("roc_auc: ")
    assert row[1:] == [2, ("loud",), "repeat 0 fold 0"]


def test_failures_are_grouped_by_message():
    """The most frequent first; where the first was; the traceback of one."""

    def broken(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        raise ValueError("odd" if X_train[0, 0] == X[0, 0] else "even")

    frame = tb.evaluate({"a": broken, "b": broken}, X, Y, cv=4).failures
    assert frame[["state", "message", "n_cells", "models", "first", "attempts"]].values.tolist() == [
        ["raised", "ValueError: odd", 6, ("a", "b"), "repeat 0 fold 1", 1],
        ["raised", "ValueError: even", 2, ("a", "b"), "repeat 0 fold 0", 1],
    ]
    assert "in broken" in frame["traceback"][0]


def test_wrong_names_offer_the_nearest(evaluation: tb.Evaluation):
    """Metrics and models."""
    with pytest.raises(UnknownNameError, match="no metric is called 'acuracy': did you mean 'accuracy'"):
        evaluation.scores("acuracy")
    with pytest.raises(UnknownNameError, match="no model is called 'bays': did you mean 'bayes'"):
        evaluation.scores(models=["bays", "logistic"])


def test_the_overview_shows_means_and_sends_on_to_compare(evaluation: tb.Evaluation):
    """Times differ from run to run, all else is fixed."""
    text = re.sub(r"\d+(\.\d+)? (ms|s)$", "0 ms", str(evaluation), flags=re.MULTILINE)
    summary = evaluation.summary().set_index(["metric", "model"])
    means = summary["value"]
    lines = text.splitlines()
    assert lines[0] == "Run 'run': 2 models x 8 splits, 16 of 16 cells measured."
    assert lines[2] == "Means over splits (repeated-stratified, 60 training and 20 test examples each)"
    best = means["roc_auc"].idxmax()
    low, high = summary.loc[("roc_auc", best), ["interval_low", "interval_high"]]
    assert lines[3].split() == ["model", "roc_auc", "95%", "interval", "accuracy", "log_loss", "splits", "fit"]
    assert lines[4].split() == [
        best,
        f"{means['roc_auc', best]:.4f}",
        *(f"{low:.4f}", "to", f"{high:.4f}"),
        *(f"{means[metric, best]:.4f}" for metric in ("accuracy", "log_loss")),
        "8",
        "0",
        "ms",
    ]
    assert any(line.startswith("  The 95% interval is of the expected roc_auc of a model trained on so") for line in lines)
    assert lines[-1] == "Means do not say which differences are real: compare() does."


def test_the_last_line_of_the_overview_is_the_next_step() -> None:
    """There is nothing to compare where one model was measured, or none could be fitted."""

    def broken(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        raise ValueError("x" * 900)

    def last(models: Any, scoring: Any) -> str:
        text = tb.evaluate(models, X, Y, cv=3, scoring=scoring).to_text()
        assert len(text) < 2000  # messages are cut
        return text.rstrip().splitlines()[-1]

    assert last(MODELS, "accuracy") == "Means do not say which differences are real: compare() does."
    assert last(GaussianNB(), "accuracy") == "With another model beside it, compare() says which one is better."
    assert "compare()" not in last({"a": broken, "b": broken}, "accuracy")


def test_the_overview_says_when_an_interval_is_cut_off() -> None:
    """A corrected interval reaches beyond an accuracy of 1; text, Markdown and HTML say so, and not where there is none."""
    target = np.arange(40) % 2
    features = np.where(np.arange(40) == 3, 1 - target, target).reshape(-1, 1).astype(float)
    cut = tb.evaluate({"nb": GaussianNB(var_smoothing=0.1)}, features, target, cv=KFold(5))
    assert cut.summary()["interval_high"].tolist() == [1.0]
    for text in (cut.to_text(), cut.to_markdown(), cut.to_html()):
        assert "Intervals are cut off at the smallest and largest possible accuracy." in " ".join(text.split())
    single = tb.evaluate({"nb": GaussianNB()}, features, target, cv=[(range(30), range(30, 40))])
    assert "interval" not in single.to_text()


def test_a_comparison_knows_warnings_and_times_of_its_fits() -> None:
    """A notice repeats the most frequent warning and counts the others; medians of fits come along for the next step."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] + 0.1 * X[:, 1] > 0).astype(int)
    models = {"lr": LogisticRegression(max_iter=1), "nb": GaussianNB()}
    answer = tb.evaluate(models, X, y, cv=4).compare(rope=0.01)
    (notice,) = [notice for notice in answer.notices if notice.code == "fit-warnings"]
    assert notice.text.startswith("4 fits of 'lr' warned: ConvergenceWarning: ")
    assert len(notice.text) < 160
    assert set(answer.scores.fit_times) == {"lr", "nb"}
    assert all(seconds > 0 for seconds, _ in answer.scores.fit_times.values())
    alone = tb.evaluate({"a": GaussianNB(), "b": GaussianNB(var_smoothing=1e-3)}, X, y, cv=4).compare()
    assert not [notice for notice in alone.notices if notice.code == "fit-warnings"]


def test_a_search_is_nested_cross_validation(tmp_path: Path) -> None:
    """Scores and choices are those of scikit-learn's `cross_validate`, and the page says what was chosen."""
    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    searches = {
        "accuracy": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=2),
        "loss": make_pipeline(
            "passthrough", GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=2, scoring="neg_log_loss")
        ),
        "function": GridSearchCV(
            GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=2, scoring=lambda model, X, y: model.score(X, y)
        ),
        "plain": GaussianNB(),
    }
    store = tmp_path / "runs.db"
    evaluation = tb.evaluate(searches, X, y, cv=folds, scoring=["accuracy", "neg_log_loss"], rng=None, store=store)
    assert tb.read_evaluation(store).choices.equals(evaluation.choices)
    by_hand = cross_validate(searches["accuracy"], X, y, cv=folds, return_estimator=True)
    choices = evaluation.choices.set_index("model")
    mine = choices.loc["accuracy"]
    assert mine["score"].tolist() == by_hand["test_score"].tolist()
    assert mine["best_score"].tolist() == [each.best_score_ for each in by_hand["estimator"]]
    assert mine["chosen"].tolist() == [f"var_smoothing={each.best_params_['var_smoothing']:g}" for each in by_hand["estimator"]]
    assert choices.loc["loss", "metric"].unique().tolist() == ["log_loss"]
    assert (choices.loc["loss", "best_score"] > 0).all()
    assert choices.loc["function", "metric"].unique().tolist() == [""]
    assert "plain" not in choices.index
    optimism = mine["best_score"].mean() - mine["score"].mean()
    assert f"optimism {optimism:.4f}" in " ".join(evaluation.to_text().split())
