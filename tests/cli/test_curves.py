"""Learning and validation curves on the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import printed, refused, run

Capture = pytest.CaptureFixture[str]

QUIET = ("--quiet", "--store", "sqlite:///runs.db")
LEARNING = ("learning-curve", "study.toml", *QUIET)
VALIDATION = ("validation-curve", "study.toml", *QUIET, "--models", "tree", "--parameter", "max_depth")


@pytest.mark.slow
@pytest.mark.usefixtures("study")
def test_a_learning_curve_is_measured_shown_and_kept(capsys: Capture, here: Path) -> None:
    """With the rope of the study; the second call finds all cells, and times that it has not measured anew."""
    code, first, err = run(capsys, *LEARNING, "--plots", "pictures")
    assert (code, "learning_curve.png is in pictures" in err) == (0, True)
    assert "Would more data help 'bayes'?" in first
    assert (here / "pictures" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert printed(capsys, *LEARNING) == first
    assert "flowers-learning-curve" in printed(capsys, "runs", "--store", "sqlite:///runs.db")


@pytest.mark.usefixtures("study")
def test_sizes_metric_models_and_rope_are_options(capsys: Capture) -> None:
    """As JSON, whose numbers are those of the curve."""
    options = "--sizes 0.25,0.5,100 --metric f1_macro --models bayes --rope 0.1 --format json".split()
    document = json.loads(printed(capsys, *LEARNING, *options))
    assert (document["sizes"], document["models"]) == ([25, 50, 100], ["bayes"])
    assert (document["metric"]["name"], document["settings"]["rope"]) == ("f1_macro", 0.1)


@pytest.mark.usefixtures("study")
def test_a_validation_curve_finds_the_best_value(capsys: Capture) -> None:
    """Values as they are typed: numbers and null; the points as CSV and the page as Markdown."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *VALIDATION, "--values", "[1, 3, null]", "--format", "csv"))))
    assert [row["label"] for row in rows] == ["1", "3", "None"]
    assert [row["is_best"] for row in rows].count("True") == 1
    page = printed(capsys, *VALIDATION, "--values", "1", "--values", "3,null", "--format", "markdown")
    assert page.startswith("Validation curve: accuracy by max\\_depth")
    assert "flowers-validation-curve-max_depth" in printed(capsys, "runs", "--store", "sqlite:///runs.db")


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*LEARNING, "--sizes", "10,500"), "sizes: 500 training examples are more than the 100 that every split has."),
        ((*LEARNING, "--sizes", "ten"), "'ten' is no list of training sizes such as 50,100,200 or 0.25,0.5,1.0."),
        ((*LEARNING, "--models", "bays"), "no model of study.toml is called 'bays': did you mean 'bayes'?"),
        ((*LEARNING, "--dataset", "moon"), "no dataset of study.toml is called 'moon'"),
        ((*LEARNING, "--metric", "f1"), "no metric is called 'f1': there are 'accuracy' and 'f1_macro'."),
        ((*LEARNING, "--rope", "much"), "rope must be a number in the metric's unit, or a percentage"),
        ((*VALIDATION, "--values", "[1,"), "'[1,' is no JSON list"),
        (
            (*VALIDATION[:-1], "max_dept", "--values", "1"),
            "no parameter of model 'tree' is called 'max_dept': did you mean 'max_depth'",
        ),
        (("validation-curve", "study.toml", "--values", "1"), "Missing option '--parameter'"),
        (("learning-curve", "nothing.toml"), "nothing.toml"),
    ],
)
def test_wrong_use_ends_with_a_message_and_exit_code_2(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    """With the nearest names."""
    assert message in " ".join(refused(capsys, *arguments).split())


def test_several_datasets_need_one_to_be_named(capsys: Capture, study: str, here: Path) -> None:
    """A curve is about one."""
    text = (here / study).read_text(encoding="utf-8")
    iris, wine = '{ source = "sklearn:iris" }', '{ source = "sklearn:wine" }'
    (here / study).write_text(text.replace(f"data = {iris}", f"data = {{ a = {iris}, b = {wine} }}"), encoding="utf-8")
    assert "Name it with --dataset." in refused(capsys, *LEARNING)
    assert run(capsys, *LEARNING, "--dataset", "b", "--models", "bayes")[0] == 0


def test_when_all_fails_the_exit_code_says_so(capsys: Capture, study: str, here: Path) -> None:
    """As with tiebreak run: whoever chains commands has to know."""
    with (here / study).open("a", encoding="utf-8") as file:
        file.write('[models.worse]\nimport = "sklearn.tree:DecisionTreeClassifier"\nparams = { max_depth = -3 }\n')
    code, out, _ = run(capsys, *LEARNING, "--models", "worse")
    assert (code, "cells failed, most often with: InvalidParameterError" in out) == (2, True)
