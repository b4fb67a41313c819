"""Several datasets: the means are the units, and ranks of their differences are tested."""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import tiebreak as tb
from tiebreak.comparison.procedures.datasets import ASKEW, LEANING
from tiebreak.errors import DataError
from tiebreak.statistics.skew import asymmetry_pvalues

BAKEOFF = Path(__file__).parents[1] / "data" / "ucr_means.csv"
"""Mean accuracies of eight classifiers on 142 datasets of the UCR archive (Middlehurst, Schaefer, Bagnall: Bake off redux, 2024;
means over 30 resamples, from github.com/time-series-machine-learning/tsml-eval, BSD-3-Clause)."""

HOLM = {
    ("FreshPRINCE", "PF"): 0.0119,
    ("H-InceptionTime", "HC2"): 0.0108,
    ("H-InceptionTime", "MR-Hydra"): 0.0466,
    ("FreshPRINCE", "WEASEL-2"): 0.0707,
    ("FreshPRINCE", "H-InceptionTime"): 0.117,
    ("RDST", "WEASEL-2"): 0.572,
    ("QUANT", "RDST"): 0.699,
    ("HC2", "MR-Hydra"): 1.0,
}
"""Holm's p-values over the 28 pairs, by scipy 1.17: normal approximation, no continuity correction, zeros dropped, of means
that were not rounded (so that rounding noise breaks some ties, which moves the last digit)."""


def table(rng, n_datasets=12, n_models=3, n_splits=5):
    """Long columns: scores of models whose differences vary from dataset to dataset."""
    ease = rng.normal(0.8, 0.05, n_datasets)
    effect = rng.normal(np.arange(n_models) * 0.02, 0.01, (n_datasets, n_models))
    score = ease[:, None, None] + effect[..., None] + rng.normal(0, 0.005, (n_datasets, n_models, n_splits))
    dataset, model, fold = (index.ravel() for index in np.indices(score.shape))
    return {
        "dataset": [f"d{i:02}" for i in dataset],
        "model": [f"m{i}" for i in model],
        "fold": fold.tolist(),
        "score": score.ravel().round(6).tolist(),
    }


@pytest.fixture
def columns(rng):
    return table(rng)


def compared(columns, **options):
    return tb.compare(columns, metric="accuracy", **options)


def test_the_bakeoff_has_its_known_p_values() -> None:
    """Each p-value is Wilcoxon's with Holm's correction over all pairs."""
    pairs = tb.compare(BAKEOFF, metric="accuracy", correction="holm").pairs
    found = {tuple(sorted((row.first, row.second))): row.adjusted_pvalue for row in pairs.itertuples()}
    assert {pair: found[tuple(sorted(pair))] for pair in HOLM} == pytest.approx(HOLM, rel=1e-2)


def test_the_bakeoff_has_its_known_ranks_and_omnibus_tests() -> None:
    """Average ranks, Friedman's chi-squared (scipy, of the means rounded to 12 digits) and the critical difference."""
    answer = tb.compare(BAKEOFF, metric="accuracy")
    ranks = dict(zip(answer.ranking["model"], answer.ranking["average_rank"], strict=True))
    known = {"HC2": 3.0599, "MR-Hydra": 3.3063, "RDST": 4.3486, "H-InceptionTime": 4.4894, "QUANT": 4.5211, "PF": 6.0634}
    assert {name: ranks[name] for name in known} == pytest.approx(known, abs=5e-5)
    beside = {test.name: test for test in answer.supplementary_tests}
    means = np.genfromtxt(BAKEOFF, delimiter=",", skip_header=1)[:, 1:].round(12)
    assert beside["friedman"].statistic == pytest.approx(scipy.stats.friedmanchisquare(*means.T).statistic)
    assert beside["nemenyi"].statistic == pytest.approx(0.88108, abs=5e-6)


@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_the_law_of_a_pair_has_the_pvalue_of_one_direction(columns, side) -> None:
    """That of the test itself, which scipy has too: zeros dropped, without ties."""
    pair = compared(columns).pair("m1", "m0")
    expected = scipy.stats.wilcoxon(pair.differences, alternative=side, method="exact").pvalue
    assert pair.law.pvalue(side) == pytest.approx(expected, rel=1e-12)


def test_the_mean_over_the_splits_of_a_dataset_is_its_unit(columns) -> None:
    """Five splits of twelve datasets are twelve differences, and their test is scipy's."""
    answer = compared(columns)
    score = np.array(columns["score"]).reshape(12, 3, 5).mean(axis=2)
    pair = answer.pair("m1", "m0")
    expected = scipy.stats.wilcoxon(score[:, 1], score[:, 0], method="exact")
    assert pair.n_units == 12
    assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-12)


def test_models_are_compared_on_the_splits_that_all_have(columns) -> None:
    """A model that lacks one split of a dataset is not given another mean for it."""
    gone = columns["dataset"].index("d00")
    answer = compared({name: column[:gone] + column[gone + 1 :] for name, column in columns.items()})
    score = np.array(columns["score"]).reshape(12, 3, 5)[0, :, 1:].mean(axis=1)
    assert answer.matrix.score[:, 0] == pytest.approx(score[[int(name[1]) for name in answer.models]])
    assert "missing-splits" in [notice.code for notice in answer.notices]


def test_fewer_than_six_datasets_cannot_show_anything(rng) -> None:
    """The smallest two-sided p-value of five datasets is 1/16, and the page says so."""
    answer = compared(table(rng, n_datasets=5, n_models=2))
    assert set(answer.pairs["verdict"]) == {"undecided"}
    assert set(answer.pairs["reason"]) == {"too-few-units"}
    assert "few-units" in [notice.code for notice in answer.notices]


def test_folds_of_one_dataset_are_no_datasets(rng) -> None:
    """Friedman's or Wilcoxon's test over folds is a common mistake."""
    with pytest.raises(DataError, match="folds are no datasets"):
        compared(table(rng, n_datasets=1, n_splits=10), method="wilcoxon", n_train=90, n_test=10)


def test_seeds_are_averaged_within_a_dataset_and_their_spread_is_told(rng) -> None:
    """Of three seeds on one test set the mean is the unit; on a single dataset the same seeds are another question."""
    columns = table(rng, n_splits=3)
    columns["seed"] = columns.pop("fold")
    answer = compared(columns)
    means = np.array(columns["score"]).reshape(12, 3, 3).mean(axis=2)
    assert answer.matrix.score == pytest.approx(means.T[[int(name[1]) for name in answer.models]])
    codes = [notice.code for notice in answer.notices]
    assert ("read-as" in codes, "assumed-paired" in codes) == (True, False)
    with pytest.raises(DataError, match="differ by training seed only"):
        compared(columns, dataset="d00", method="wilcoxon")


@pytest.mark.parametrize("method", ["wilcoxon", "sign"])
@pytest.mark.parametrize("gap", [0.05, 0.1 + 1e-16])
def test_a_constant_difference_is_undecided(method, gap, rng) -> None:
    """Promise 5 of the architecture: twelve times the same difference has no spread, so no p-value, no interval, no verdict."""
    base = rng.normal(0.7, 0.05, 12)
    other = base + rng.normal(0, 0.01, 12)
    columns = {"dataset": [f"d{i:02}" for i in range(12)], "a": base + gap, "b": base, "c": other}
    for rope in (0.0, 0.01, 0.5):
        answer = compared(columns, method=method, rope=rope)
        pair = answer.pair("a", "b")
        assert (pair.verdict, pair.reason, pair.has_interval) == ("undecided", "no-spread", False)
        assert pair.difference == pytest.approx(gap)
        assert np.isnan([pair.pvalue, pair.adjusted_pvalue, pair.interval_low, pair.interval_high]).all()
        assert answer.pair("a", "c").has_interval
        assert {"a", "b"} <= set(answer.shortlist()) or "b" not in answer.shortlist()


def test_a_centre_against_the_mean_is_said() -> None:
    """Eleven datasets slightly for b, one much for a: b is typically higher, a has the better mean (0.808 and 0.777)."""
    table = {
        "dataset": [f"d{i}" for i in range(12)],
        "a": [0.80] * 11 + [0.90],
        "b": [0.81, 0.812, 0.811, 0.813, 0.809, 0.8105, 0.8115, 0.8125, 0.8095, 0.8135, 0.8085, 0.40],
    }
    answer = tb.compare(table, metric="accuracy", rope=0.005)
    assert "accuracy typically 0.01075 higher" in answer.headline
    notices = {notice.code: notice.text for notice in answer.notices}
    assert "'b' is typically ahead of 'a'" in notices["mean-against-centre"]
    assert "'a' has the better mean" in notices["mean-against-centre"]


def test_differences_that_lie_askew_are_named() -> None:
    """Sixty quantiles of the exponential distribution, whose mean lies 0.3 standard deviations above the median."""
    values = -np.log(1 - (np.arange(60) + 0.5) / 60)
    table = {"dataset": [f"d{i}" for i in range(60)], "a": values, "b": np.zeros(60)}
    notices = {notice.code: notice.text for notice in tb.compare(table, metric="loss", lower_is_better=True).notices}
    assert "are not symmetric" in notices["mean-against-centre"]


def test_a_difference_that_ranks_show_and_means_do_not_is_named_where_it_leans() -> None:
    """Twenty exponential values less their mean, drawn with seed 17: ranks show b ahead, Student's and Hall's t nothing."""
    values = np.random.default_rng(17).exponential(size=20) - 1
    table = {"dataset": [f"name {letter}x" for letter in "abcdefghijklmnopqrst"], "a": values, "b": np.zeros(20)}
    answer = tb.compare(table, metric="gain", lower_is_better=False)
    assert ASKEW < float(asymmetry_pvalues(values)) < LEANING
    assert answer.pair("b", "a").verdict == "better"
    assert tb.compare(table, metric="gain", lower_is_better=False, method="paired-t").pair("a", "b").verdict == "undecided"
    assert "its mean is not shown to be higher" in dict(answer.notices)["mean-against-centre"]


def test_symmetric_differences_raise_no_notice() -> None:
    """400 tables of 30 datasets, normal and t with 2 df: at most a tenth, and four fifths of lognormal ones are seen."""
    rng = np.random.default_rng(9)
    for values, low, high in (
        (rng.normal(size=(400, 30)), 0.0, 0.1),
        (rng.standard_t(2, size=(400, 30)), 0.0, 0.1),
        (rng.lognormal(size=(400, 30)), 0.8, 1.0),
    ):
        assert low <= (asymmetry_pvalues(values) < ASKEW).mean() <= high


def test_many_exact_ties_are_judged_by_means() -> None:
    """Two of eight differences are 0: Student's interval of the mean by scipy (about symmetric, so Hall's is hardly wider)."""
    a, b = [0.91, 0.82, 0.73, 0.94, 0.85, 0.66, 0.71, 0.9], [0.9, 0.8, 0.73, 0.94, 0.84, 0.63, 0.73, 0.88]
    answer = tb.compare({"dataset": [f"d{i}" for i in range(8)], "a": a, "b": b}, metric="accuracy")
    pair, peer = answer.pair("a", "b"), scipy.stats.ttest_rel(a, b)
    assert answer.method.name == "paired-t"
    ends = peer.confidence_interval()
    assert (pair.difference, pair.df) == (pytest.approx(np.mean(a) - np.mean(b)), 7)
    assert pair.interval_low <= ends.low + 1e-12
    assert pair.interval_high >= ends.high - 1e-12
    assert pair.interval_high - pair.interval_low < 1.2 * (ends.high - ends.low)


@pytest.mark.slow
def test_intervals_of_ranks_never_contradict_their_pvalue() -> None:
    """Of 500 tables with ties, zeros and up to 70 datasets, 0 is outside the interval exactly where p is at most the level."""
    rng = np.random.default_rng(4)
    for _ in range(500):
        law = tb.statistics.wilcoxon(np.round(rng.normal(0.3, 1, rng.integers(6, 70)), rng.integers(0, 2)), continuity=False)
        low, high = law.interval()
        assert (low > 0 or high < 0) == (law.pvalue() <= 0.05)
