"""Messages of the library in the words of the command line and of study files."""

import inspect
import pickle

import pytest

import tiebreak as tb
from tiebreak.cli.measuring import error_of_study
from tiebreak.cli.process import as_typed
from tiebreak.errors import (
    NAMED_SCORERS,
    SAMPLE_WEIGHT,
    SEE_FAILURES,
    Advice,
    ChangedRunError,
    DataError,
    InvalidParameterError,
    Setting,
    TiebreakError,
)
from tiebreak.study_file import read_study


@pytest.mark.parametrize(
    ("part", "python", "typed"),
    [
        (Setting("missing", '"pairwise"'), 'missing="pairwise"', "--missing pairwise"),
        (Setting("n_train"), "n_train=", "--n-train"),
        (Setting("metric", "'neg log'"), "metric='neg log'", "--metric 'neg log'"),
        (Setting("rope", "'1%'"), "rope='1%'", "--rope 1%"),
        (Setting("rng", "7"), "rng=7", "--seed 7"),
        (Setting("lower_is_better", "True"), "lower_is_better=True", "--lower-is-better"),
        (Setting("lower_is_better", "False"), "lower_is_better=False", "--higher-is-better"),
        (Setting("accept_versions", "True"), "accept_versions=True", "--accept-versions"),
        (Setting("even_damaged", "True"), "even_damaged=True", "--even-damaged"),
        (Setting("keep_predictions", "True"), "keep_predictions=True", "keep_predictions = true in the study"),
        (NAMED_SCORERS, "scoring={name: scorer}", "scoring={name: scorer}"),
        (SEE_FAILURES, "See evaluation.failures", "'tiebreak show' lists them"),
        (Advice("; for a search, pass X", typed=""), "; for a search, pass X", ""),
        (Advice("as it is"), "as it is", "as it is"),
    ],
)
def test_each_side_has_its_own_words(part: Setting | Advice, python: str, typed: str) -> None:
    """In Python as Python writes it, on the command line as it is typed."""
    error = InvalidParameterError("Say ", part, ".")
    assert str(error) == f"Say {python}."
    assert as_typed(error) == f"Say {typed}."


def test_each_setting_of_a_message_is_an_option(study: str) -> None:
    """What is advised can be typed: messages of real errors name options that the commands have."""
    from tiebreak.cli.compare import compare_command

    options = {name for parameter in compare_command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    parameters = {*inspect.signature(tb.compare).parameters} - {
        "sources",
        "X",
        "y",
        "groups",
        "cv",
        "lower_is_better",
    }
    for name in sorted(parameters):
        assert as_typed(TiebreakError(Setting(name))) in options


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (Advice("Pass groups=.", study='Write groups = "...".'), 'Write groups = "...".'),
        (SAMPLE_WEIGHT, "weights"),
        (Setting("rng", "0"), "seed = 0"),
        (NAMED_SCORERS, "metrics = {name: scorer}"),
        (Setting("name"), "--name"),
    ],
)
def test_a_study_file_has_its_own_words(study: str, part: Setting | Advice, written: str) -> None:
    """For whoever wrote the study and sees no Python; what stands in no study is an option."""
    read = read_study(study)
    error = error_of_study(read, DataError("Look at ", part, "."))
    assert isinstance(error, InvalidParameterError)
    assert as_typed(error) == f"study.toml: Look at {written}."
    kept = error_of_study(read, ChangedRunError("Look at ", part, "."))
    assert type(kept) is ChangedRunError
    assert as_typed(kept) == f"Look at {written}."


def test_an_error_survives_a_process() -> None:
    """With its parts: it may have been raised in a worker."""
    error = pickle.loads(pickle.dumps(InvalidParameterError("Say ", Setting("n_train"), ".", about="n_train")))
    assert (str(error), as_typed(error), error.about) == ("Say n_train=.", "Say --n-train.", "n_train")
