"""The jackknife of metrics that are no means."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import f1_score, r2_score, roc_auc_score

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, TooFewSplitsError
from tiebreak.frequentist import bootstrap_auc, bootstrap_mean, jackknife_metric, metric_of_classes, metric_of_numbers
from tiebreak.numerics import IDENTICAL, UNDEFINED


def left_out(score, groups: np.ndarray) -> np.ndarray:
    """A metric without each group, worked out anew."""
    return np.array([score(groups != group) for group in np.unique(groups)])


def test_of_means_it_is_the_paired_t_test(rng: np.random.Generator) -> None:
    """p-value and interval of SciPy's `ttest_rel`, to rounding."""
    one, two = rng.normal(size=(2, 30))
    found = jackknife_metric(bootstrap_mean([one, two])).difference(0, 1)
    theirs = stats.ttest_rel(one, two)
    assert_allclose(found.pvalue(), theirs.pvalue, rtol=1e-10)
    assert_allclose(found.confidence_interval(0.9), theirs.confidence_interval(0.9), rtol=1e-10)


@pytest.mark.parametrize("n_clusters", [None, 12])
def test_errors_are_those_of_metrics_worked_out_anew(rng: np.random.Generator, n_clusters: int | None) -> None:
    """F1, R2 and the area of scikit-learn without each example or cluster; (n - 1) / n of the squared deviations; df by class."""
    n = 60
    y, numbers = np.arange(n) % 3 == 0, rng.normal(size=n)
    groups = np.arange(n) if n_clusters is None else rng.integers(0, n_clusters, n)
    clusters = None if n_clusters is None else groups.tolist()
    said, guess = rng.random((2, n)) < np.where(y, 0.7, 0.2), numbers + rng.normal(size=(2, n))
    cases = {
        "f1": (metric_of_classes(y.astype(int), said.astype(int), "f1"), lambda row, keep: f1_score(y[keep], said[row][keep])),
        "r2": (metric_of_numbers(numbers, guess, "r2"), lambda row, keep: r2_score(numbers[keep], guess[row][keep])),
        "auc": (bootstrap_auc(y, guess), lambda row, keep: roc_auc_score(y[keep], guess[row][keep])),
    }
    for name, (statistic, theirs) in cases.items():
        found = jackknife_metric(statistic, clusters=clusters).difference(0, 1)
        all_of_them = np.ones(n, dtype=bool)
        without = left_out(lambda keep, theirs=theirs: theirs(0, keep) - theirs(1, keep), groups)
        size = without.size
        error = np.sqrt((size - 1) / size * np.square(without - without.mean()).sum())
        assert_allclose(found.estimate, theirs(0, all_of_them) - theirs(1, all_of_them), rtol=1e-10, err_msg=name)
        assert_allclose(found.standard_error, error, rtol=1e-9, err_msg=name)
        parts = [np.square(without - without.mean())[y == own].sum() for own in (True, False)] if size == n else []
        by_class = sum(parts) ** 2 / (parts[0] ** 2 / 19 + parts[1] ** 2 / 39) if parts else size - 1  # 20 positives of 60
        assert found.df == pytest.approx(by_class if name == "f1" else size - 1, rel=1e-9)


def test_each_model_has_an_error_of_its_own(rng: np.random.Generator) -> None:
    """That of a mean is its standard deviation over the root of the number of examples."""
    values = rng.exponential(size=(3, 25))
    found = jackknife_metric(bootstrap_mean(values)).of_models
    assert_allclose(found.standard_error, values.std(axis=1, ddof=1) / 5, rtol=1e-12)


def test_many_pairs_are_each_as_one_by_itself(rng: np.random.Generator) -> None:
    """The matrix product for all pairs takes no digits; the order of a pair changes the sign only."""
    y = np.arange(90) % 3 == 0
    rows = (rng.random((6, 90)) < np.where(y, 0.8, 0.1)).astype(int)
    rows[5] = rows[0]
    rows[5, 0] = 1 - rows[5, 0]  # nearly the same model
    found = jackknife_metric(metric_of_classes(y.astype(int), rows, "balanced_accuracy"))
    first, second = np.triu_indices(6, 1)
    all_pairs, back = found.difference(first, second), found.difference(second, first)
    one_by_one = [found.difference(i, j) for i, j in zip(first, second, strict=True)]
    assert_allclose(all_pairs.standard_error, [each.standard_error for each in one_by_one], rtol=1e-9)
    assert_allclose(back.estimate, -np.asarray(all_pairs.estimate), rtol=0, atol=0)
    assert_allclose(back.standard_error, all_pairs.standard_error, rtol=1e-9)


def test_copies_and_what_is_undefined(rng: np.random.Generator) -> None:
    """A copy differs by 0 without an error; an area without its only positive example is not known."""
    y = np.arange(20) < 1
    scores = rng.normal(size=20)
    assert jackknife_metric(bootstrap_auc(~y ^ (np.arange(20) == 5), [scores, scores])).difference().kind == IDENTICAL
    alone = jackknife_metric(bootstrap_auc(y, [scores, -scores])).difference()
    assert alone.kind == UNDEFINED
    assert np.isnan(alone.pvalue())


def test_bad_input() -> None:
    """One example, and pairs of a single model."""
    with pytest.raises(TooFewSplitsError, match="two or more"):
        jackknife_metric(bootstrap_mean([1.0, 2.0]), clusters=["a", "a"])
    with pytest.raises(InvalidParameterError, match="several models"):
        jackknife_metric(bootstrap_mean([1.0, 2.0, 4.0])).difference()


def test_public_names() -> None:
    """Both are in `tb.frequentist`."""
    assert {"jackknife_metric", "JackknifeResult"} <= set(dir(tb.frequentist))
