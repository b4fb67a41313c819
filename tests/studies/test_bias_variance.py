"""Bias and variance of models over resampled training sets."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tiebreak as tb
from tests.evaluation.test_evaluate import Counting
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.studies.bias_variance import squared_parts, zero_one_parts

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=2)


def test_parts_add_up_to_the_mean_loss():
    """The mean accuracy over the rounds is one minus the loss; test rows are the same in all rounds."""
    result = tb.bias_variance({"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}, X, Y, n_rounds=12)
    assert result.loss == "zero-one"
    assert (result.n_rounds, result.n_train, result.n_test) == (12, 60, 20)
    for position, parts in enumerate(result.parts):
        assert_allclose(parts.loss, 1 - result.evaluation.grid(0, 0)[position].mean(), rtol=1e-12)
        assert_allclose(parts.loss, parts.bias + parts.variance, rtol=1e-12)
        assert_allclose(parts.variance, parts.unbiased - parts.biased, atol=1e-12)
    record = result.evaluation.record.datasets[0]
    assert all(np.array_equal(rows, record.test_rows[0]) for rows in record.test_rows)


def test_a_stiff_model_has_bias_and_a_supple_one_variance():
    """A parabola by a straight line and by a full tree."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 1))
    y = x[:, 0] ** 2 + rng.normal(0, 0.05, 200)
    result = tb.bias_variance({"line": LinearRegression(), "tree": DecisionTreeRegressor()}, x, y, n_rounds=30)
    assert result.loss == "squared"
    line, tree = result.parts
    assert line.bias > 10 * line.variance
    assert tree.variance > line.variance
    assert tree.bias < line.bias / 5
    assert np.isnan([line.unbiased, line.biased]).all()


def test_training_sets_are_drawn_with_replacement_and_keep_the_classes():
    """Each has as many rows of each class as the training part, and they differ."""
    seen: list[Any] = []

    def watch(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        seen.append((np.bincount(y_train).tolist(), len(np.unique(X_train[:, 0]))))
        return np.zeros(len(X_test), dtype=int)

    tb.bias_variance(watch, X, Y, n_rounds=6)
    assert len({tuple(counts) for counts, _ in seen}) == 1
    assert all(30 < n_different < 50 for _, n_different in seen)  # 63% of 60 are 38
    assert len({n for _, n in seen}) > 1


def test_rounds_are_added_to_what_is_there(tmp_path: Path):
    """With a store, only the new ones are fitted; failures are counted."""
    path, url = tmp_path / "fits.txt", f"sqlite:///{tmp_path / 'runs.db'}"
    tb.bias_variance(Counting(str(path)), X, Y, n_rounds=4, store=url)
    more = tb.bias_variance(Counting(str(path)), X, Y, n_rounds=6, store=url)
    assert path.read_text().count("fit") == 6
    assert more.to_frame().equals(tb.bias_variance(Counting(str(path)), X, Y, n_rounds=6).to_frame())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_rounds": 1}, InvalidParameterError, "n_rounds must be a whole number of at least 2; got 1."),
        ({"n_rounds": 10**9}, DataError, "cv: 1,000,000,000 splits of 80 examples; at most 100,000 splits"),
        ({"test_size": 1.5}, DataError, "StratifiedShuffleSplit could not split the data: test_size=1.5 should be"),
    ],
)
def test_wrong_use_is_refused(arguments: dict[str, Any], error: type[Exception], message: str):
    """The text says what would do."""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        tb.bias_variance(GaussianNB(), X, Y, **arguments)


def test_several_targets_are_refused():
    """Their errors have no one bias."""
    with pytest.raises(DataError, match=r"y must hold one class or one number for each row\.$"):
        tb.bias_variance(Ridge(), X, X[:, :2])


def test_squared_parts_by_hand():
    """Predictions 1 and 3 of a target of 4: mean 2, so 4 of bias and 1 of variance; the loss is (9 + 1) / 2."""
    assert squared_parts(np.array([[1.0], [3.0]]), np.array([4.0])).tolist() == [[5.0], [4.0], [1.0]]


def test_zero_one_parts_by_hand():
    """Five training sets: right but for one; wrong but for two; always wrong, in two ways. Of equally frequent ones the first."""
    predictions = np.array([[0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 2, 1], [0, 1, 1, 0], [1, 1, 1, 2]])
    loss, bias, _, costs, helps = zero_one_parts(predictions, np.array([0, 1, 0, 1]))
    assert_allclose(bias, [0, 1, 1, 1])
    assert_allclose(costs, [0.2, 0, 0, 0])
    assert_allclose(helps, [0, 0.4, 0, 0.4])  # a wrong 2 instead of a wrong 1 does not help
    assert_allclose(loss, [0.2, 0.6, 1.0, 0.6])


@given(arrays(np.int64, (7, 5), elements=st.integers(0, 3)), arrays(np.int64, 5, elements=st.integers(0, 3)))
def test_the_parts_add_up(predictions: np.ndarray, target: np.ndarray):
    """Domingos, theorem 2: for every example, with any number of classes; and for the squared loss."""
    for loss, bias, variance, *_ in (zero_one_parts(predictions, target), squared_parts(predictions, target)):
        assert_allclose(loss, bias + variance, atol=1e-12)
