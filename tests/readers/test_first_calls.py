"""The calls that everybody types first: each is answered, or told the one way on."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.cli.conftest import run
from tests.readers.conftest import Write
from tiebreak.errors import UnsupportedSourceError

X, Y = make_moons(n_samples=100, noise=0.3, random_state=0)
MODELS = {"lr": LogisticRegression(), "dt": DecisionTreeClassifier(random_state=0)}


def _search(cv: Any) -> Any:
    return GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, cv=cv).fit(X, Y)


def test_a_fitted_search_is_compared_as_it_is() -> None:
    """Of 100 examples in 10 folds n_test / n_train is 10 / 90 = 1 / 9, so nothing differs from counting them with X and y."""
    search = _search(10)
    bare, counted = tb.compare(search), tb.compare(search, X=X, y=Y)
    pd.testing.assert_frame_equal(bare.pairs, counted.pairs)
    assert "taken to be 10-fold cross-validation, so a test set is 1/10 of the" in " ".join(bare.details.split())


@pytest.mark.parametrize("kind", ["arrays", "pairs", "results", "frames", "table", "records", "labelled"])
def test_scores_of_cross_validation_with_its_cv(kind: str) -> None:
    """One answer whatever cross_validate's scores are kept in."""
    results = {name: cross_validate(model, X, Y, cv=10) for name, model in MODELS.items()}
    scores = {name: cross_val_score(model, X, Y, cv=10) for name, model in MODELS.items()}
    source: Any = {
        "arrays": scores,
        "pairs": [*scores.items()],
        "results": results,
        "frames": {name: pd.DataFrame(result) for name, result in results.items()},
        "table": pd.DataFrame(scores),
        "records": pd.DataFrame(scores).to_records(),
        "labelled": pd.DataFrame(scores, index=[f"fold {k}" for k in range(10)]),
    }[kind]
    answer = tb.compare(source, metric="accuracy", cv=10)
    difference = scores["dt"] - scores["lr"]
    # Nadeau and Bengio 2003: the variance of the mean is s^2 (1 / n + 1 / 9)
    error = np.sqrt((1 / 10 + 1 / 9) * difference.var(ddof=1))
    assert answer.pair("dt", "lr").difference == pytest.approx(difference.mean())
    assert answer.pairs["standard_error"].tolist() == pytest.approx([error])


def test_a_number_of_each_model_is_a_table_of_means() -> None:
    """As a table with the columns model and accuracy is."""
    table = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.91, 0.8]})
    expected = tb.compare(table, n_test=1000).pairs
    for source in ({"a": 0.91, "b": np.float64(0.8)}, [("a", 0.91), ("b", 0.8)]):
        pd.testing.assert_frame_equal(tb.compare(source, metric="accuracy", n_test=1000).pairs, expected)


def test_scores_of_training_seeds_need_no_column_that_says_so() -> None:
    """Rows of a table are seeds that models share; of unequal numbers none is another's, so Welch's test judges them."""
    scores = {"a": [0.91, 0.9, 0.92, 0.9, 0.91], "b": [0.88, 0.89, 0.87, 0.9, 0.88]}
    named = pd.DataFrame({"seed": range(5), **scores})
    expected = tb.compare(named, metric="accuracy").pairs
    long = pd.DataFrame([(name, score) for name, own in scores.items() for score in own], columns=["model", "accuracy"])
    numbered = named.rename(columns={"seed": "split"})
    for source in (scores, pd.DataFrame(scores), long, numbered):
        pd.testing.assert_frame_equal(tb.compare(source, metric="accuracy", rows="seeds").pairs, expected)
    difference = stats.ttest_ind(scores["a"], scores["b"][:3], equal_var=False)
    for source in (scores | {"b": scores["b"][:3]}, long[:8]):
        answer = tb.compare(source, metric="accuracy", rows="seeds")
        assert answer.method.name == "welch"
        assert answer.pair("a", "b").law.pvalue() == pytest.approx(difference.pvalue)


def test_answers_by_model_and_question_are_items() -> None:
    """A dict of dicts, as JSON keeps them; without rows='items' its keys may be metrics or datasets."""
    answers = {"a": {f"q{k}": int(k % 3 > 0) for k in range(30)}, "b": {f"q{k}": int(k % 2) for k in range(30)}}
    items = {"item": [*answers["a"]], **{model: [*own.values()] for model, own in answers.items()}}
    pd.testing.assert_frame_equal(tb.compare(answers, rows="items").pairs, tb.compare(items).pairs)


def test_what_pandas_makes_of_groups_is_read() -> None:
    """Columns of two levels and series with an index of two, as `groupby` leaves them; labels with a name are rows."""
    rows = [(model, fold, 0.8 + 0.01 * fold + 0.02 * (model == "a") * fold) for model in "ab" for fold in range(5)]
    long = pd.DataFrame(rows, columns=["model", "fold", "accuracy"])
    expected = tb.compare(long, cv=5).pairs
    of_dataset = long.assign(dataset="x").pivot(index="dataset", columns=["fold", "model"], values="accuracy")
    for source in (
        long.set_index(["model", "fold"])["accuracy"],
        long.set_index(["model", "fold"]),
        long.pivot(index="model", columns="fold", values="accuracy"),
        long.pivot(index="fold", columns="model"),
        pd.concat({model: own.set_index("fold")[["accuracy"]] for model, own in long.groupby("model")}),
        of_dataset,
    ):
        pd.testing.assert_frame_equal(tb.compare(source, metric="accuracy", cv=5).pairs, expected)
    means = long.groupby("model").agg({"accuracy": ["mean", "std"]})
    flat = means["accuracy"].rename(columns={"mean": "accuracy_mean", "std": "accuracy_std"})
    pd.testing.assert_frame_equal(tb.compare(means, cv=5).pairs, tb.compare(flat, cv=5).pairs)


def test_models_are_no_scores() -> None:
    """They are to be measured first, searches too: the scores of each are those of its own candidates."""
    with pytest.raises(UnsupportedSourceError, match=r"these are models .*tb\.evaluate\(models, X, y, cv=10\)\.compare\(\)"):
        tb.compare(MODELS, X=X, y=Y)
    searches = {"a": GridSearchCV(MODELS["dt"], {"max_depth": [1, 2]}, cv=2).fit(X, Y)}
    with pytest.raises(UnsupportedSourceError, match=r"these are models \(such as GridSearchCV\).*tb\.evaluate\(models"):
        tb.compare(searches | {"b": searches["a"]}, metric="accuracy")


def test_two_runs_in_two_files(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """The file's name is the model; texts are left aside."""
    for name, divisor in (("run-old.csv", 2), ("run-new.csv", 4)):
        write("id,input,output,score\n" + "".join(f"{i},what is {i}?,answer,{i % divisor > 0:d}\n" for i in range(40)), name)
    code, out, err = run(capsys, "compare", "run-old.csv", "run-new.csv")
    assert (code, err) == (0, "")
    assert "run-new" in out
    assert "40 items" in out
