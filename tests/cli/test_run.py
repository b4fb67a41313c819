"""``tiebreak run``: a study in, each cell measured once, the comparison out; what fails is told, and does not stop the rest."""

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.cli.conftest import N_CELLS, STUDY, printed, refused, run

STORE = ("--store", "sqlite:///runs.db")

OWN = """\
import warnings

def fails(X_train, y_train, X_test, rng):
    raise ValueError("this cannot be learnt")

def fails_at_times(X_train, y_train, X_test, rng):
    if X_test[0, 0] > 5:
        raise ValueError("too large")
    return y_train[: len(X_test)]

def warns(X_train, y_train, X_test, rng):
    warnings.warn("this is odd")
    return rng.permutation(y_train)[: len(X_test)]
"""


def study_of(*models: str, head: str = "") -> str:
    """A study of functions in own.py, or of whatever else is named, on five folds of iris."""
    Path("own.py").write_text(OWN)
    tables = [f'[models."{name}"]\nimport = "{name if ":" in name else f"own:{name}"}"\n' for name in models]
    return f'{head}\ncv = 5\ndata = {{ source = "sklearn:iris" }}\n' + "".join(tables)


def test_the_answer_is_that_of_the_library(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same models, splits, seeds and rope through `tb.evaluate` and `compare` give the same bytes."""
    out = printed(capsys, "run", study, *STORE, "--quiet", "--format", "json")
    X, y = load_iris(return_X_y=True)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(), "=1+1": DummyClassifier(strategy="stratified")}
    cv = {"kind": "repeated-stratified", "n_folds": 3, "n_repeats": 2}
    expected = tb.evaluate(models, X, y, cv=cv, scoring=["accuracy", "f1_macro"]).compare(rope=0.02)
    assert out == expected.to_json() + "\n"


def test_an_overview_comes_before_the_comparison(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Which run, how many cells, and then what `compare` says of the store; progress goes to standard error."""
    code, out, err = run(capsys, "run", study, *STORE)
    assert code == 0
    first, rest = out.split("\n\n", 1)
    assert (
        " ".join(first.split())
        == f"Run 'flowers' in sqlite:///runs.db: 3 models x 6 splits, {N_CELLS} of {N_CELLS} cells measured."
    )
    assert rest == run(capsys, "compare", "sqlite:///runs.db#flowers", "--rope", "0.02")[1]
    assert err.startswith(f"run flowers: {N_CELLS} cells\n")


def test_a_run_is_named_after_its_study_or_as_told(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs of one study stand side by side."""
    run(capsys, "run", study, *STORE)
    run(capsys, "run", study, *STORE, "--name", "another")
    names = [each["run"] for each in json.loads(run(capsys, "runs", *STORE, "--format", "json")[1])["runs"]]
    assert sorted(names) == ["another", "flowers"]


def test_options_and_study_reach_the_library(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is typed goes before what the study says."""
    from tiebreak.evaluation import evaluate as measuring

    seen: dict[str, Any] = {}
    original = measuring.measure_plan

    def spy(plan: Any, scorers: Any, **options: Any) -> Any:
        seen.update(options, rng=plan.rng)
        return original(plan, scorers, **options | {"n_jobs": 1, "timeout": None})

    monkeypatch.setattr(measuring, "measure_plan", spy)
    Path(study).write_text("n_jobs = 3\ntimeout = 60\nthreads_per_fit = 1\nkeep_predictions = false\nseed = 4\n" + STUDY)
    run(capsys, "run", study, *STORE)
    wanted = {"n_jobs": 3, "timeout": 60, "threads_per_fit": 1, "keep_predictions": False, "rng": 4, "name": "flowers"}
    assert {key: seen[key] for key in wanted} == wanted
    assert seen["settings"] == {"study": str(Path(study).absolute()), "rope": 0.02}
    assert (seen["retry_failed"], seen["accept_versions"]) == (False, False)
    run(capsys, "run", study, *STORE, "--n-jobs", "-1", "--timeout", "5", "--retry-failed", "--accept-versions")
    assert (seen["n_jobs"], seen["timeout"], seen["retry_failed"], seen["accept_versions"]) == (-1, 5.0, True, True)


# --- failures -------------------------------------------------------------------------------------------------------------


def test_failures_are_grouped_and_the_rest_is_compared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that fails everywhere is left out; one that fails at times is compared on the splits that it has."""
    text = study_of("fails", "fails_at_times", "warns", "sklearn.naive_bayes:GaussianNB")
    Path("s.toml").write_text(text)
    out = printed(capsys, "run", "s.toml", *STORE, "--quiet")
    said = "- 5 cells of 'fails' failed: ValueError: this cannot be learnt (first on repeat 0 fold 0)"
    assert said in " ".join(out.split())
    assert "cells of 'fails_at_times' failed: ValueError: too large (first on" in out
    assert "  - 5 cells of 'warns': UserWarning: this is odd\n" in out
    assert "'fails' is left out: it has no score on any split." in out
    assert "'fails_at_times' lacks scores on up to" in out
    assert run(capsys, "run", "s.toml", *STORE, "--quiet", "--format", "json")[2].endswith(
        " of 20 cells failed; 'tiebreak show' says why.\n"
    )


@pytest.mark.parametrize(
    ("model", "code", "shown", "why"),
    [
        (
            "sklearn.naive_bayes:GaussianNB",
            0,
            "Means over splits",
            "a comparison needs at least two models; there is only 'sklearn.naive_bayes:GaussianNB'.\n",
        ),
        ("fails", 2, "5 cells of 'fails' failed: ValueError: this cannot be learnt", "no model has a score in 'accuracy'."),
    ],
)
def test_what_was_measured_is_shown_though_there_is_nothing_to_compare(
    model: str, code: int, shown: str, why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model is fine; of one that always fails whoever chains commands is told by the exit code."""
    Path("s.toml").write_text(study_of(model))
    found, out, err = run(capsys, "run", "s.toml", *STORE, "--quiet")
    assert (found, shown in out) == (code, True)
    assert err.startswith(f"there is nothing to compare: {why}")


# --- several datasets -----------------------------------------------------------------------------------------------------

TWO = """\
cv = 4
[data.iris]
source = "sklearn:iris"
[data."wi\\nne"]
source = "sklearn:wine"
[models.bayes]
import = "sklearn.naive_bayes:GaussianNB"
[models.none]
import = "sklearn.dummy:DummyClassifier"
"""


def test_each_dataset_has_its_answer(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One after the other, under its name."""
    Path("s.toml").write_text(TWO)
    out = printed(capsys, "run", "s.toml", *STORE, "--quiet")
    iris, wine = out.split("\nDataset 'iris'\n\n")[1].split("\nDataset 'wi\\nne'\n\n")
    assert iris == run(capsys, "compare", "sqlite:///runs.db", "--dataset", "iris")[1]
    assert wine == run(capsys, "compare", "sqlite:///runs.db", "--dataset", "wi\nne")[1]


def test_a_format_that_holds_one_answer_is_refused_before_the_work(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or all would be measured first."""
    Path("s.toml").write_text(TWO)
    assert refused(capsys, "run", "s.toml", *STORE, "--format", "json") == (
        "tiebreak: the study has 2 datasets, and so as many answers; --format json holds one. Leave it out, and then use "
        "'tiebreak compare' with --dataset.\nSee 'tiebreak run --help'.\n"
    )
    assert not Path("runs.db").exists()


# --- what cannot be used --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        ("rope = 0.02", "ropes = 0.02", (), "study.toml: ropes = 0.02: no key is called 'ropes': did you mean 'rope'?"),
        ('"f1_macro"', '"f1_mcro"', (), "study.toml: no metric is called 'f1_mcro': did you mean 'f1_micro' or 'f1_macro'?"),
        ("rope", "rope", ("--metric", "r2"), "study.toml: no metric is called 'r2': there are 'accuracy' and 'f1_macro'."),
        (
            "n_folds = 3",
            "n_folds = 300",
            (),
            (
                "study.toml: RepeatedStratifiedKFold could not split the data: Cannot have number of splits n_splits=300 greater "
                "than the number of samples: n_samples=150."
            ),
        ),
        (
            '"repeated-stratified", n_folds = 3, n_repeats = 2',
            '"group"',
            (),
            (
                'study.toml: GroupKFold needs to know which examples belong together. Name the column: groups = "..." under '
                "[data]."
            ),
        ),
    ],
)
def test_a_study_that_cannot_be_used_is_refused(
    study: str, old: str, new: str, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the file, with exit code 2, and before a store is made."""
    assert old in STUDY
    Path(study).write_text(STUDY.replace(old, new))
    assert refused(capsys, "run", study, *STORE, *options) == f"tiebreak: {message}\n"
    assert not Path("runs.db").exists()


def test_a_changed_study_is_told_in_its_own_words(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A seed is a seed, and another run is begun with --name."""
    run(capsys, "run", study, *STORE)
    Path(study).write_text("seed = 1\n" + STUDY)
    assert run(capsys, "run", study, *STORE) == (
        2,
        "",
        "tiebreak: run 'flowers' was made with seed = 0, and now seed is 1. Pass seed = 0, or begin another run with --name.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--timeout", "0"], "Invalid value for '--timeout': 0.0 is not in the range x>0."),
        (["--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'table', 'json', 'csv', 'markdown'."),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    study: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is measured."""
    assert run(capsys, "run", study, *STORE, *arguments) == (2, "", f"tiebreak: {message}\nSee 'tiebreak run --help'.\n")


@pytest.mark.slow
def test_the_answer_is_asked_for_as_typed(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Another rope and metric than the study's, and the plots, without measuring anything again."""
    run(capsys, "run", study, *STORE)
    code, out, err = run(
        capsys, "run", study, *STORE, "--rope", "0.5", "--metric", "f1_macro", "--plots", "figures", "--format", "json"
    )
    document = json.loads(out)
    assert (code, document["metric"]["name"]) == (0, "f1_macro")
    assert document["settings"]["rope"] == 0.5
    assert "plots are in figures" in err
    assert (Path("figures") / "ranking.png").read_bytes().startswith(b"\x89PNG")
    assert run(capsys, "run", study, *STORE, "--rope", "wide")[0] == 2
    assert "no metric is called 'f2'" in run(capsys, "run", study, *STORE, "--metric", "f2")[2]
