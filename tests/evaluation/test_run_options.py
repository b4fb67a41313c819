"""The options that all measuring functions share are packed under their own names."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import tiebreak as tb
from tiebreak.errors import UnknownNameError
from tiebreak.evaluation.run_options import Run, RunOptions

MEASURING: tuple[Callable[..., Any], ...] = (
    tb.evaluate,
    tb.learning_curve,
    tb.validation_curve,
    tb.bias_variance,
)


class Packed(Exception):
    """Raised with the options before anything is measured."""


@pytest.mark.parametrize("function", MEASURING)
def test_each_option_goes_under_its_name(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of `Run` are those of a run, but for facts that are kept with it; what is none is refused, with the nearest."""
    names = {field.name for field in dataclasses.fields(RunOptions)} - {"settings"}
    assert set(Run.__annotations__) == names
    given = {name: f"given as {name}" for name in names} | {"progress": print}

    def stop(**values: Any) -> None:
        raise Packed(values)

    others = {"parameter": "x", "values": [1]} if function is tb.validation_curve else {}
    with pytest.raises(UnknownNameError, match=r"'n_job'.*n_jobs"):
        function(None, None, None, n_job=2, **others)
    with pytest.raises(UnknownNameError, match=r"no parameter is called 'rgn': did you mean 'rng'"):
        function(None, None, None, rgn=2, **others)
    monkeypatch.setattr("tiebreak.evaluation.run_options.RunOptions", stop)
    with pytest.raises(Packed) as caught:
        function(None, None, None, **given, **others)
    assert caught.value.args[0] == given
