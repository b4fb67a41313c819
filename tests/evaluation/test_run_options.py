"""The options that all measuring functions share are packed under their own names."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tiebreak.errors import UnknownNameError
from tiebreak.evaluation.evaluate import measure_plan
from tiebreak.evaluation.run_options import Run

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
    names = set(inspect.signature(measure_plan).parameters)
    names -= {"plan", "scorers", "keep_predictions", "train_scores", "settings", "kind"}
    assert set(Run.__annotations__) == names
    given = {name: f"given as {name}" for name in names} | {"progress": print}

    def stop(plan: Any, scorers: Any, **values: Any) -> None:
        raise Packed({name: values[name] for name in names})

    others = {"parameter": "priors", "values": [None]} if function is tb.validation_curve else {}
    with pytest.raises(UnknownNameError, match=r"'n_job'.*n_jobs"):
        function(None, None, None, n_job=2, **others)
    with pytest.raises(UnknownNameError, match=r"no parameter is called 'rgn': did you mean 'rng'"):
        function(None, None, None, rgn=2, **others)
    # all are imported before one is changed, or they would keep the change
    for module in list(
        map(import_module, ("tiebreak.evaluation.evaluate", "tiebreak.studies.curves", "tiebreak.studies.bias_variance"))
    ):
        monkeypatch.setattr(module, "measure_plan", stop)
    with pytest.raises(Packed) as caught:
        function(GaussianNB(), *load_iris(return_X_y=True), **given, **others)
    assert caught.value.args[0] == given
