"""The few things that everybody does, as a user does them, with the lowest versions allowed: `make lowest`."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

pytestmark = pytest.mark.lowest

ROOT = Path(__file__).parents[1]
STUDY = """\
name = "flowers"
rope = 0.02
metrics = ["accuracy", "f1_macro"]
data = { source = "sklearn:iris" }
cv = { kind = "repeated-stratified", n_folds = 3, n_repeats = 2 }

[models.bayes]
import = "sklearn.naive_bayes:GaussianNB"
[models.tree]
import = "sklearn.tree:DecisionTreeClassifier"
"""


def tiebreak(*arguments: str, folder: Path) -> str:
    """The answer of a command that goes well and has nothing to complain of."""
    done = subprocess.run([sys.executable, "-m", "tiebreak", *arguments], cwd=folder, capture_output=True, encoding="utf-8")
    assert (done.returncode, "Traceback" in done.stderr, "Warning" in done.stderr) == (0, False, False), done.stderr
    return done.stdout


def assert_drawn(folder: Path) -> None:
    """At least one plot, and each of them an image of some size."""
    sizes = [plot.stat().st_size for plot in folder.glob("*.png") if plot.read_bytes()[:4] == b"\x89PNG"]
    assert sizes
    assert min(sizes) > 5000


def test_compare_files(tmp_path: Path) -> None:
    """CSV and Parquet hold the same scores, so they get the same answer; all plots are drawn."""
    frame = pd.read_csv(ROOT / "examples" / "fold_scores.csv")
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.to_parquet(tmp_path / "scores.parquet")
    options = ("--metric", "accuracy", "--rope", "0.01", "--format", "json")
    answers = [
        json.loads(tiebreak("compare", f"scores.{kind}", *options, "--plots", kind, folder=tmp_path))
        for kind in ("csv", "parquet")
    ]
    assert answers[0]["pairs"] == answers[1]["pairs"]
    assert_drawn(tmp_path / "csv")
    assert "svm" in tiebreak("compare", "scores.csv", *options[:4], folder=tmp_path)


def test_study_in_a_store(tmp_path: Path) -> None:
    """Measured by two processes into SQLite, read again, compared, its scores written."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    store = ("--store", "sqlite:///runs.db")
    answer = tiebreak("run", "study.toml", *store, "--n-jobs", "2", "--quiet", "--format", "json", folder=tmp_path)
    again = tiebreak("run", "study.toml", *store, "--quiet", "--format", "json", folder=tmp_path)
    assert json.loads(answer)["pairs"] == json.loads(again)["pairs"]
    assert "flowers" in tiebreak("runs", *store, folder=tmp_path)
    assert tiebreak("show", "flowers", *store, "--format", "csv", folder=tmp_path).count("\n") >= 12
    assert "every row verified" in tiebreak("store", "check", "sqlite:///runs.db", folder=tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ("learning-curve", "study.toml", "--sizes", "30,60", "--plots", "plots"),
        ("validation-curve", "study.toml", "--models", "tree", "--parameter", "max_depth", "--values", "1,2", "--plots", "plots"),
        ("audit", "study.toml", "--plots", "plots"),
    ],
    ids=lambda command: command[0],
)
def test_other_questions_about_a_study(command: tuple[str, ...], tmp_path: Path) -> None:
    """Each is answered, and its plots are drawn."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    assert "tree" in tiebreak(*command, folder=tmp_path) or command[0] == "audit"
    if "--plots" in command:
        assert_drawn(tmp_path / "plots")


def test_search() -> None:
    """scikit-learn's grid search, and its best candidate."""
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, cv=5).fit(X, y)
    comparison = tb.compare(search, X=X, y=y, rope=0.01)
    assert (len(comparison.models), len(comparison.pairs)) == (3, 3)
