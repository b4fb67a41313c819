"""The hierarchical method reads the scores of all splits of all datasets."""

import numpy as np
import pytest

import tiebreak as tb
from tests.comparison.procedures.test_wilcoxon import table
from tiebreak.errors import DataError, UnclearSourceError

SIZES = {"n_train": 80, "n_test": 20}


def compared(columns, **options):
    return tb.compare(columns, metric="accuracy", method="hierarchical", **({"rope": 0.01} | SIZES | options))


@pytest.mark.slow
def test_the_answer_is_that_of_the_function(rng) -> None:
    """Probabilities and interval of a pair are those of `statistics.hierarchical_posterior` on its differences."""
    columns = table(rng, n_datasets=8, n_models=2)
    pair = compared(columns).pair("m1", "m0")
    score = np.array(columns["score"]).reshape(8, 2, 5)
    posterior = tb.statistics.hierarchical_posterior(score[:, 1] - score[:, 0], test_train_ratio=0.25, rope=0.01)
    assert (pair.p_better, pair.p_equivalent, pair.p_worse) == pytest.approx(
        tuple(map(float, posterior.law.probabilities(0.01))), abs=1e-9
    )
    low, high = posterior.law.interval(0.95)
    assert (pair.interval_low, pair.interval_high) == pytest.approx((float(low), float(high)), abs=1e-9)


def test_few_datasets_have_an_answer(rng) -> None:
    """Four datasets are too few for ranks, not for this."""
    assert compared(table(rng, n_datasets=4, n_models=2)).pair("m1", "m0").has_interval


def test_shrunken_estimates_are_those_of_each_pairs_posterior(rng) -> None:
    """`shrinkage` has raw and shrunken differences by dataset, oriented as the pairs, equal to the function's."""
    columns = table(rng, n_datasets=5, n_models=3)
    frame = compared(columns).shrinkage()
    assert list(frame.columns) == ["first", "second", "dataset", "raw", "shrunken", "sd"]
    assert len(frame) == 3 * 5
    row = frame.iloc[:5]
    score = np.array(columns["score"]).reshape(5, 3, 5)
    first, second = (int(name[1]) for name in (row["first"][0], row["second"][0]))
    posterior = tb.statistics.hierarchical_posterior(score[:, first] - score[:, second], test_train_ratio=0.25, rope=0.01)
    raw, mean, sd = posterior.datasets()
    assert row["dataset"].tolist() == [f"d{i:02}" for i in range(5)]
    for column, expected in (("raw", raw), ("shrunken", mean), ("sd", sd)):
        assert row[column].to_numpy() == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_the_details_tell_of_the_next_dataset(rng) -> None:
    """Its interval and the three probabilities are those of the posterior, and stand beside the answer."""
    columns = table(rng, n_datasets=6, n_models=3)
    answer = compared(columns)
    tests = [test for test in answer.supplementary_tests if test.name == "next-dataset"]
    assert [test.models for test in tests] == [(answer.models[0], other) for other in answer.models[1:]]
    posterior = answer.pair(*tests[0].models).judged.beside["posteriors"].item()
    assert list(tests[0].probabilities.values()) == pytest.approx(
        [float(p) for p in posterior.next_dataset().probabilities(0.01)], abs=1e-12
    )
    low, high = posterior.next_dataset().interval(0.95)
    page = " ".join(answer.details.split())
    assert f"lies between {low:.3g} and {high:.3g} with probability 0.95" in page
    against = [test.models for test in compared(columns, baseline="m1").supplementary_tests if test.name == "next-dataset"]
    assert [first for first, _ in against] == ["m1", "m1"]


def test_other_methods_say_that_they_shrink_nothing(rng) -> None:
    """Only the hierarchical method has these estimates."""
    with pytest.raises(DataError, match="hierarchical"):
        tb.compare(table(rng), metric="accuracy").shrinkage()


def test_what_it_needs_is_said(rng) -> None:
    """Several datasets, several splits of each, and their sizes."""
    with pytest.raises(DataError, match="these scores are of one"):
        compared(table(rng, n_datasets=1))
    with pytest.raises(DataError, match=r"and 1 more have one split only.*'wilcoxon'"):
        compared(table(rng, n_datasets=6, n_splits=1))
    with pytest.raises(UnclearSourceError, match="n_train"):
        compared(table(rng), n_train=None, n_test=None)


def test_scores_without_spread_are_called_what_they_are(rng) -> None:
    """The same on every split, or apart by the same amount on every split of a dataset: neither is a lack of datasets."""
    dataset, fold = (index.ravel() for index in np.indices((8, 4)))
    score = rng.integers(0, 64, dataset.size) / 128
    columns = {"dataset": [f"d{i}" for i in dataset], "fold": fold, "one": score}
    pair = compared(columns | {"other": score}).pair("one", "other")
    assert (pair.reason, pair.difference, pair.verdict) == ("identical-scores", 0.0, "undecided")
    apart = compared(columns | {"other": score + 0.125})
    assert apart.pair("one", "other").reason == "no-spread"
    assert "too few" not in apart.headline
