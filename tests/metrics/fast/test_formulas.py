"""Metrics of predicted numbers against scikit-learn's scorers, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.helpers import Array, ours, same, theirs
from tiebreak.errors import DataError
from tiebreak.metrics.targets import Truth, make_truth

NAMES = [
    "r2",
    "explained_variance",
    "neg_mean_absolute_error",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
]


def numbers(y: Array) -> Truth:
    return make_truth(y, classifier=False)


@st.composite
def predicted(draw: st.DrawFn) -> tuple[Array, Array]:
    """A target and predictions: any, few different ones or constant; of one or more outputs; or perfect, or off by 1."""
    shape = (draw(st.integers(1, 30)),) + ((draw(st.integers(1, 3)),) if draw(st.booleans()) else ())
    size = math.prod(shape)

    def column() -> Array:
        number = draw(st.sampled_from([st.floats(-1e6, 1e6), st.integers(-2, 2).map(float), st.just(0.1)]))
        return np.array(draw(st.lists(number, min_size=size, max_size=size))).reshape(shape)

    y = column()
    how = draw(st.sampled_from(["any", "perfect", "off"]))
    return y, column() if how == "any" else y + (how == "off")


@pytest.mark.slow
@given(predicted())
@settings(max_examples=200)
def test_scikit_learns_value(case: tuple[Array, Array]) -> None:
    """Also of constant targets, whose mean may be a rounding error away from them, and of a single row."""
    y, p = case
    for name in NAMES:
        expected = theirs(name, y, {"predict": p})
        assert ours(name, numbers(y), {"predict": p}) == ("fewer than two test rows" if expected is None else same(expected)), (
            name
        )


def test_values_by_hand() -> None:
    """The example of scikit-learn's documentation: errors 0.5, -0.5, 0, -1; y about its mean 2.875 has squares 29.1875."""
    truth, answers = numbers(np.array([3, -0.5, 2, 7])), {"predict": np.array([2.5, 0.0, 2, 8])}
    assert ours("mean_absolute_error", truth, answers) == -0.5
    assert ours("mean_squared_error", truth, answers) == -0.375
    assert ours("root_mean_squared_error", truth, answers) == -math.sqrt(0.375)
    assert ours("r2", truth, answers) == pytest.approx(1 - 1.5 / 29.1875, rel=1e-15)
    assert ours("explained_variance", truth, answers) == pytest.approx(1 - (1.5 - 4 * 0.25**2) / 29.1875, rel=1e-15)


def test_a_target_without_spread() -> None:
    """1 for perfect predictions, else 0: scikit-learn's way to stay finite."""
    truth = numbers(np.array([2.0, 2.0]))
    assert ours("r2", truth, {"predict": np.array([2.0, 2.0])}) == 1
    assert ours("r2", truth, {"predict": np.array([2.0, 3.0])}) == 0


@pytest.mark.parametrize("form", ["column", "integers", "single precision", "objects", "integer target", "target column"])
def test_numbers_in_other_forms(form: str) -> None:
    """What libraries return, and targets of whole numbers."""
    y, p = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
    target = {"integer target": y.astype(int), "target column": y[:, None]}.get(form, y)
    other = {
        "column": p[:, None],
        "integers": p.astype(int),
        "single precision": p.astype(np.float32),
        "objects": p.astype(object),
    }.get(form, p)
    for name in NAMES:
        assert ours(name, numbers(target), {"predict": other}) == ours(name, numbers(y), {"predict": p}), name


def test_several_outputs_of_whole_numbers() -> None:
    """The mean over the outputs, of targets and predictions that are integers."""
    y, p = np.array([[1, 5], [2, 7], [4, 5]]), np.array([[1, 5], [2, 8], [3, 6]])
    for name in NAMES:
        assert ours(name, numbers(y), {"predict": p}) == same(theirs(name, y, {"predict": p})), name
    assert ours("mean_absolute_error", numbers(y), {"predict": p}) == -(1 / 3 + 2 / 3) / 2


def test_single_precision_is_computed_in_double() -> None:
    """scikit-learn computes in single precision where nothing is double; the difference is rounding."""
    y, p = np.array([0.1, 0.2, 0.4], dtype=np.float32), np.array([0.1, 0.3, 0.3], dtype=np.float32)
    for name in NAMES:
        expected = theirs(name, y.astype(float), {"predict": p.astype(float)})
        assert ours(name, numbers(y), {"predict": p}) == same(expected)
        assert ours(name, numbers(y), {"predict": p}) == pytest.approx(theirs(name, y, {"predict": p}), rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([np.nan, 1.0, 2.0], "nan in predict"),
        ([np.inf, 1.0, 2.0], "an infinite number in predict"),
        ([np.inf, -np.inf, 2.0], "an infinite number in predict"),
    ],
)
@pytest.mark.parametrize("target", [np.arange(3.0), np.ones(3)], ids=["spread", "constant"])
def test_what_is_no_number(name: str, values: list[float], reason: str, target: Array) -> None:
    """scikit-learn raises; here the score is undefined and says why."""
    answers = {"predict": np.array(values)}
    assert theirs(name, target, answers) is None
    assert ours(name, numbers(target), answers) == reason


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_reasons() -> None:
    """An error that no float can hold, nan in the target, and a target that is no number."""
    answers = {"predict": np.array([1e200, 0.0])}
    assert ours("r2", numbers(np.zeros(2)), answers) == "the errors are too large for a float"
    assert ours("mean_absolute_error", numbers(np.zeros(2)), answers) == -5e199
    assert ours("mean_squared_error", numbers(np.array([np.nan, 1])), {"predict": np.zeros(2)}) == "nan in the target"
    assert ours("r2", numbers(np.array(["a", "b"])), answers) == "it is for numbers, and the target holds 'a'"


@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (np.zeros(1), "predict returned 1 rows for 3 test rows. It has to return one for each row, in their order."),
        (np.float64(1), "predict returned a single value for 3 test rows."),
        (np.zeros((3, 2)), r"predict returned an array of shape \(3, 2\) for a target of shape \(3,\)."),
        (np.array(["a", "b", "c"]), "numbers are needed; the model returned 'a'."),
    ],
    ids=["length", "scalar", "columns", "text"],
)
def test_what_is_no_prediction_is_an_error(prediction: Array, text: str) -> None:
    """A single value would be taken for all rows."""
    with pytest.raises(DataError, match=text):
        ours("r2", numbers(np.arange(3.0)), {"predict": np.asarray(prediction)})
