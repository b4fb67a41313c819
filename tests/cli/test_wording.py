"""Messages of the library in the words of the command line."""

from __future__ import annotations

import inspect

import pytest

import tiebreak
from tiebreak.cli.wording import _FLAGS, _PARAMETERS, as_typed, in_study


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ('or pass missing="pairwise" to compare', "or pass --missing pairwise to compare"),
        ("Pass n_train= and n_test= (examples per split).", "Pass --n-train and --n-test (examples per split)."),
        ("Leave it out with models=.", "Leave it out with --models."),
        ("alternative='greater' tests in one direction", "--alternative greater tests in one direction"),
        ("pass order=[names] (each", "pass --order NAME once for each (each"),
        ("rope='1%' is a share", "--rope 1% is a share"),
        ("with metric='neg log'", "with --metric 'neg log'"),
        ("rng=7 gives", "--seed 7 gives"),
        ("lower_is_better=False contradicts", "--higher-is-better contradicts"),
        (
            "Pass lower_is_better=True or lower_is_better=False.",
            "Pass --lower-is-better or --higher-is-better.",
        ),
        ("say lower_is_better= too", "say --lower-is-better or --higher-is-better too"),
        ("or begin another run with name=.", "or begin another run with --name."),
        ("Name one: ...#NAME, or name=.", "Name one: ...#NAME."),
        ("or pass accept_versions=True to go on", "or pass --accept-versions to go on"),
        ("or pass overwrite=True to replace it", "or pass --force to replace it"),
        ("or pass even_damaged=True to take it", "or pass --even-damaged to take it"),
        ("with retry_failed= they are measured", "with --retry-failed they are measured"),
        ("Evaluate with keep_predictions=True.", "Evaluate with keep_predictions = true in the study."),
        ("in this process: n_jobs=1, no timeout", "in this process: --n-jobs 1, no timeout"),
        ("ValueError: x See evaluation.failures.", "ValueError: x 'tiebreak show' lists them."),
        ("add columns of these names; for a search, pass X and y.", "add columns of these names."),
    ],
)
def test_parameters_become_options(message: str, typed: str) -> None:
    """As they are typed, values included."""
    assert as_typed(message) == typed


@pytest.mark.parametrize(
    "message",
    [
        "no model is called 'alpha=0.1': did you mean 'alpha=1'?",
        """model "metric='x'" lacks a split""",
        "runs/alpha=0.1/scores.csv, line 3: 'x' is not a number.",
        "alpha=0.1/scores.csv cannot be read",
        "n_train of repeat 0 fold 3 is 5 in one row and 6 in another",
        "scikit-learn's name 'order=1', or the models' own",
        "index=False in pandas",
        "run 'name=x': the model 'store=1' is not what was measured",
    ],
)
def test_names_and_paths_are_left_alone(message: str) -> None:
    """A model may well be called alpha=0.1, and a folder too."""
    assert as_typed(message) == message


def test_each_parameter_is_one_of_the_library() -> None:
    """None is renamed there and forgotten here."""
    functions = (
        tiebreak.compare,
        tiebreak.evaluate,
        tiebreak.learning_curve,
        tiebreak.validation_curve,
        tiebreak.SqlStore.backup,
    )
    known = {name for function in functions for name in inspect.signature(function).parameters}
    assert {*_PARAMETERS, *_FLAGS} <= known


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("Pass groups=, one value for each row of X.", 'Name the column: groups = "..." under [data].'),
        ("Leave sample_weight out.", "Leave weights out."),
        ("was made with rng=0, and now rng is 1. Pass rng=0", "was made with seed = 0, and now seed is 1. Pass seed = 0"),
        ("Name each: scoring={name: scorer}.", "Name each: metrics = {name: scorer}."),
        ("run 'rng=1': the model 'scoring=x' is not", "run 'rng=1': the model 'scoring=x' is not"),
    ],
)
def test_parameters_become_keys_of_a_study(message: str, written: str) -> None:
    """For whoever wrote the study and sees no Python; what is quoted stays."""
    assert in_study(message) == written
