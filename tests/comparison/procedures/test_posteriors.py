"""Posteriors over datasets: the hierarchical one, and that of the signed ranks."""

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.comparison.procedures.test_datasets import table
from tests.guarded import told
from tiebreak.errors import DataError, UnclearSourceError

# --- hierarchical -----------------------------------------------------------------------------------------------------------


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
    found = [pair.p_better, pair.p_equivalent, pair.p_worse, pair.interval_low, pair.interval_high]
    assert found == pytest.approx([*map(float, posterior.law.probabilities(0.01)), *posterior.law.interval(0.95)], abs=1e-9)


@pytest.mark.slow
def test_shrunken_estimates_are_those_of_each_pairs_posterior(rng) -> None:
    """`shrinkage` has raw and shrunken differences by dataset, oriented as the pairs, equal to the function's."""
    columns = table(rng, n_datasets=5, n_models=3)
    frame = compared(columns).shrinkage()
    assert len(frame) == 3 * 5
    row = frame.iloc[:5]
    score = np.array(columns["score"]).reshape(5, 3, 5)
    first, second = (int(name[1]) for name in (row["first"][0], row["second"][0]))
    posterior = tb.statistics.hierarchical_posterior(score[:, first] - score[:, second], test_train_ratio=0.25, rope=0.01)
    assert row["dataset"].tolist() == [f"d{i:02}" for i in range(5)]
    assert pytest.approx(np.array(posterior.datasets()), abs=1e-12) == row[["raw", "shrunken", "sd"]].to_numpy().T


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
    assert f"lies between {low:.3g} and {high:.3g} with probability 0.95" in " ".join(answer.details.split())


def test_other_methods_say_that_they_shrink_nothing(rng) -> None:
    """Only the hierarchical method has these estimates."""
    with pytest.raises(DataError, match="hierarchical"):
        tb.compare(table(rng), metric="accuracy").shrinkage()


@pytest.mark.parametrize(
    ("sizes", "settings", "error", "text"),
    [
        ({"n_datasets": 1}, {}, DataError, "these scores are of one"),
        ({"n_datasets": 6, "n_splits": 1}, {}, DataError, r"and 1 more have one split only.*'wilcoxon'"),
        ({}, {"n_train": None, "n_test": None}, UnclearSourceError, "n_train"),
    ],
)
def test_what_it_needs_is_said(sizes, settings, error, text, rng) -> None:
    """Several datasets, several splits of each, and their sizes."""
    with pytest.raises(error, match=text):
        compared(table(rng, **sizes), **settings)


def test_scores_without_spread_are_called_what_they_are(rng) -> None:
    """The same on every split, or apart by the same amount on every split of a dataset: neither is a lack of datasets."""
    dataset, fold = (index.ravel() for index in np.indices((8, 4)))
    score = rng.integers(0, 64, dataset.size) / 128
    columns = {"dataset": [f"d{i}" for i in dataset], "fold": fold, "one": score}
    pair = compared(columns | {"other": score}).pair("one", "other")
    assert (pair.reason, pair.difference, pair.verdict) == ("identical-scores", 0.0, "undecided")
    assert compared(columns | {"other": score + 0.125}).pair("one", "other").reason == "no-spread"


# --- signed ranks -----------------------------------------------------------------------------------------------------------


METHOD = "bayes-signed-rank"


def signed_ranks(columns, **options):
    return tb.compare(columns, metric="accuracy", method=METHOD, **({"rope": 0.01} | options))


def means_of(columns):
    """Datasets by models, from the long columns."""
    return pd.DataFrame(columns).groupby(["dataset", "model"])["score"].mean().unstack().to_numpy()


def test_signed_rank_answers_are_those_of_the_function(rng) -> None:
    """Interval and probabilities are read off the draws of the centre of the means by dataset."""
    columns = table(rng, n_models=2)
    means = means_of(columns)
    pair = signed_ranks(columns, rng=7).pair("m1", "m0")
    d = (means[:, 1] - means[:, 0]).round(12)
    centres = tb.statistics.signed_rank_centre(d, rng=7).parts[0]
    assert pair.difference == pytest.approx(tb.statistics.hodges_lehmann(d), abs=1e-12)
    regions = [(centres > 0.01).mean(), (np.abs(centres) <= 0.01).mean(), (centres < -0.01).mean()]
    found = [pair.p_better, pair.p_equivalent, pair.p_worse, pair.interval_low, pair.interval_high]
    assert found == pytest.approx([*regions, *np.quantile(centres, [0.025, 0.975])], abs=1e-9)


def test_few_datasets_have_an_answer_by_signed_ranks(rng) -> None:
    """Three datasets are too few for ranks, not for a posterior."""
    answer = signed_ranks(table(rng, n_datasets=3, n_models=2))
    assert answer.pair("m1", "m0").has_interval
    text = next(notice.text for notice in answer.notices if notice.code == "few-units")
    assert f"{METHOD!r} still answer, but with so few" in text


def test_the_published_test_stands_beside(rng) -> None:
    """Probabilities of which region is the most probable one: of the best against the others, or of the baseline."""
    columns = table(rng)
    answer = signed_ranks(columns)
    tests = [test for test in answer.supplementary_tests if test.name == METHOD]
    best = answer.models[0]
    assert [test.models for test in tests] == [(best, other) for other in answer.models[1:]]
    means = pd.DataFrame(means_of(columns), columns=["m0", "m1", "m2"])
    d = (means[best] - means[answer.models[1]]).round(12)
    expected = tb.statistics.signed_rank_posterior(d, rope=0.01).probabilities
    assert list(tests[0].probabilities.values()) == pytest.approx([float(p) for p in expected], abs=1e-9)
    against = [test.models for test in signed_ranks(columns, baseline="m1").supplementary_tests if test.name == METHOD]
    assert sorted(against) == [("m1", "m0"), ("m1", "m2")]


def test_gaps_and_ties(rng) -> None:
    """A missing cell costs its pairs a dataset, identical models have no interval."""
    columns = {"dataset": [f"d{i}" for i in range(9)], **{name: rng.normal(0.8, 0.05, 9).round(4) for name in "abc"}}
    columns["c"][4] = np.nan
    answer = signed_ranks(columns | {"same": columns["a"]})
    assert (answer.pair("c", "b").n_units, answer.pair("a", "same").reason) == (8, "identical-scores")


def test_the_prior_lies_beside_differences_that_are_all_the_same() -> None:
    """Four datasets that differ by .1 each have an interval, which reaches from no difference to theirs."""
    pair = signed_ranks({"dataset": list("abcd"), "x": [0.7] * 4, "y": [0.8] * 4}).pair("y", "x")
    assert (pair.interval_low, pair.interval_high) == pytest.approx((0.0, 0.1), abs=0.051)
    assert pair.difference == pytest.approx(0.1)


def test_too_few_draws_say_so(rng) -> None:
    """At alpha .0001 an interval needs 200,000 draws, and 100,000 are the most."""
    columns = table(rng, n_models=2)
    few = signed_ranks(columns, alpha=0.0001).pair("m1", "m0")
    assert (few.verdict, few.reason) == ("undecided", "too-few-draws")


def test_what_does_not_suit_is_refused(rng) -> None:
    """Metrics without a common unit, and draws of very many pairs."""
    mixed = {"dataset": ["a", "a", "b", "b"], "metric": ["accuracy", "accuracy", "max_error", "max_error"]}
    mixed |= {"model": ["x", "y"] * 2, "score": [0.8, 0.9, 3.0, 2.0]}
    assert "no common unit" in told(DataError, tb.compare, mixed, method=METHOD)
    score = rng.normal(0.8, 0.05, (6, 41))
    many = {"dataset": [f"d{i}" for i in range(6)], **{f"m{j}": score[:, j].tolist() for j in range(41)}}
    assert "up to 40 models" in told(DataError, signed_ranks, many)


def test_a_posterior_on_points_has_no_curve(rng) -> None:
    """So none is drawn."""
    answer = signed_ranks(table(rng))
    assert "posterior" not in answer.plot.names
    assert "no posterior with a curve" in told(DataError, answer.plot.posterior, "m0", "m1")


def test_a_pvalue_is_never_smaller_than_one_draw(rng: np.random.Generator) -> None:
    """Where all draws lie on one side, their number is the most that is known: p is one in so many, not the smallest float."""
    columns = {"dataset": [f"d{k}" for k in range(12)], "a": 0.9 + 0.01 * rng.random(12), "b": 0.5 + 0.01 * rng.random(12)}
    answer = tb.compare(columns, metric="accuracy", method=METHOD)
    least = 1 / answer.pair_table.law.parts[0].shape[-1]
    pair = answer.pair("a", "b")
    assert (pair.p_worse, pair.pvalue, pair.law.pvalue("greater")) == (0, least, least)
