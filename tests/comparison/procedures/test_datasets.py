"""Several datasets: what procedures over them share, ranks, signs and means."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from click.testing import CliRunner

import tiebreak as tb
from tests.guarded import told
from tiebreak.cli.group import tiebreak
from tiebreak.comparison.procedures.datasets import families
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
)
from tiebreak.statistics.skew import triples_pvalue

# --- several datasets -------------------------------------------------------------------------------------------------------


ACCURACY = np.array([[0.90, 0.88, 0.70], [0.81, 0.80, 0.82], [0.75, 0.70, 0.71], [0.95, 0.94, 0.90]])
ERROR = np.array([[10.0, 12.0, 30.0], [0.5, 0.6, 0.55], [3.0, 3.5, 3.1], [200.0, 190.0, 260.0], [41.0, 44.0, 43.0]])
"""Scores of the models a, b and c, on four datasets in accuracy and five in an error of other sizes, made up."""


def long_table(score, metrics, models="abc"):
    """Columns of a table, a row for each score that is there; the metric of each dataset is given."""
    rows = [
        (f"d{i:02}", metric, model, value)
        for i, (metric, row) in enumerate(zip(metrics, score, strict=True))
        for model, value in zip(models, row, strict=True)
        if not np.isnan(value)
    ]
    return dict(zip(("dataset", "metric", "model", "score"), map(list, zip(*rows, strict=True)), strict=True))


def mixed(error="root_mean_squared_error", errors=ERROR):
    """Long columns of both, each dataset with its metric."""
    return long_table([*ACCURACY, *errors], ["accuracy"] * 4 + [error] * 5)


def notices(answer):
    return {notice.code: notice.text for notice in answer.notices}


def test_mixed_metrics_are_judged_by_wins() -> None:
    """a beats b on all four accuracies and four errors of five: the exact sign test, with Clopper and Pearson's interval."""
    answer = tb.compare(mixed(), correction="none")
    pair = answer.pair("a", "b")
    assert (answer.method.name, answer.metric.name) == ("sign", "share of datasets won")
    test = scipy.stats.binomtest(8, 9)
    low, high = test.proportion_ci(0.95, method="exact")
    assert (pair.difference, pair.pvalue) == pytest.approx((7 / 9, test.pvalue), rel=1e-12)
    assert (pair.interval_low, pair.interval_high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)
    assert pair.verdict == "better"
    assert "only wins and losses count" in notices(answer)["mixed-metrics"]


def test_models_of_mixed_metrics_are_ranked_by_how_often_they_win() -> None:
    """By hand: a beats both others on 7 datasets, c alone beats it on one and b on one, so its win rate is 16 of 18."""
    first = tb.compare(mixed()).ranking.iloc[0]
    assert (first["model"], first["mean"], first["average_rank"]) == ("a", pytest.approx(16 / 18), pytest.approx((7 + 2 * 2) / 9))


def test_one_of_the_metrics_can_be_asked_for() -> None:
    """Then its datasets alone are compared, in its unit."""
    answer = tb.compare(mixed(), metric="accuracy")
    assert (answer.metric.name, answer.method.name) == ("accuracy", "wilcoxon")
    assert answer.pair("a", "b").n_units == 4
    one = tb.read_scores(mixed(), dataset="d04")
    assert one.metric.name == "root_mean_squared_error"
    assert not one.is_mixed


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        *(
            ({"method": method}, DataError, r"no common unit.*name one metric with metric=")
            for method in ("wilcoxon", "hierarchical")
        ),
        *(({"rope": rope}, InvalidParameterError, "takes no rope") for rope in (0.01, "1%")),
    ],
)
def test_several_units_take_no_size(settings, error, text) -> None:
    """A rank test of differences in accuracy and error together would rank apples among oranges, and a rope has a unit."""
    with pytest.raises(error, match=text):
        tb.compare(mixed(), **settings)


def test_gaps_leave_a_pair_its_own_datasets() -> None:
    """n is said of each pair, and a model with gaps stands where its adjusted value puts it."""
    errors = ERROR.copy()
    errors[[0, 1], 0] = np.nan
    answer = tb.compare(mixed(errors=errors))
    assert [answer.pair(*names).n_units for names in ("ac", "ab", "cb")] == [7, 7, 9]
    ranking = answer.ranking.set_index("model")
    # shares of the other models beaten: a 6 of 7; b 3, c 3.5 of 9. Each dataset's shares have the mean 1/2, so the additive
    # model puts a (6 - 3.5) / 7 above the mean of the three, of which it lacks 2 datasets of 9: 1/2 + 10/9 x 2.5/7
    assert ranking.loc[["a", "b", "c"], "mean"].tolist() == pytest.approx([6 / 7, 3 / 9, 3.5 / 9])
    assert ranking.loc[["a", "b", "c"], "adjusted"].tolist() == pytest.approx([0.5 + 10 / 9 * 2.5 / 7, 3 / 9, 3.5 / 9])
    # there a is expected to beat both, 1/2 + 3/2 x 2.5/7 > 1, and so ranks first
    assert ranking.loc[["a", "b", "c"], "average_rank"].tolist() == pytest.approx([11 / 9, 22 / 9, 21 / 9])
    assert "The win rate is adjusted" in " ".join(answer.to_text().split())


@pytest.mark.parametrize(
    ("metrics", "n_tied", "method"),
    [(("accuracy",), 0, "wilcoxon"), (("accuracy", "max_error"), 0, "sign"), (("accuracy", "max_error"), 1, "sign")],
)
def test_what_no_scores_could_show_is_said(rng, metrics, n_tied, method) -> None:
    """Eleven datasets give p-values of 2 / 2^11 = .00098 at least, which 55 pairs, at .05 / 55, never accept; twelve could."""

    def said(n, **options):
        score = np.concatenate([rng.normal(0.8, 0.05, (n, 11)), np.full((n_tied, 11), 0.8)])
        columns = long_table(score, [metrics[i % len(metrics)] for i in range(n + n_tied)], [f"m{j}" for j in range(11)])
        answer = tb.compare(columns, method=method, **options)
        return notices(answer).get("few-units", "")

    assert "the smallest possible p-value is 0.00098" in said(11)
    assert "12 datasets are the fewest" in said(11) or n_tied
    assert said(12) == ""
    assert said(11, baseline="m0") == ""
    assert said(11, correction="bh") == ""  # all 55 at once could be rejected at 0.05


def test_a_model_on_one_dataset_has_no_interval() -> None:
    """It stays in the table with n = 1, last, and undecided."""
    scores = {"dataset": [f"d{i}" for i in range(8)], "a": [0.9, 0.8, 0.7, 0.9, 0.8, 0.6, 0.7, 0.9], "b": [0.8] * 7 + [0.7]}
    answer = tb.compare({**scores, "c": [0.5] + [float("nan")] * 7}, metric="accuracy")
    pair = answer.pair("a", "c")
    assert (pair.n_units, pair.verdict, pair.reason) == (1, "undecided", "too-few-units")
    assert answer.ranking["model"].tolist()[-1] == "c"


# --- metrics of several directions ----------------------------------------------------------------------------------------


def two_unknown():
    """Two metrics that scikit-learn does not know: b has the lower latency and the higher quality on all ten datasets."""
    columns = {"dataset": [f"d{i}" for i in range(10)], "metric": ["latency"] * 5 + ["quality"] * 5}
    return columns | {"a": [3.0, 5, 4, 7, 6, 0.7, 0.6, 0.5, 0.8, 0.7], "b": [2.0, 4, 3, 6, 5, 0.8, 0.7, 0.6, 0.9, 0.8]}


def test_metrics_have_a_direction_each() -> None:
    """Ten wins of ten: the exact sign test of one against the other; by one of the metrics the other's direction may be there."""
    directions = {"latency": True, "quality": False}
    pair = tb.compare(two_unknown(), lower_is_better=directions).pair("b", "a")
    assert (pair.pvalue, pair.verdict) == (pytest.approx(2 / 2**10), "better")
    assert tb.compare(two_unknown(), lower_is_better=True).pair("b", "a").difference == 0  # five wins of ten
    scores = tb.read_scores(two_unknown(), lower_is_better=directions)
    assert [scores.metric_of(matrix).higher_is_better for matrix in scores.matrices] == [False] * 5 + [True] * 5
    assert not tb.compare(two_unknown(), metric="latency", lower_is_better=directions).metric.higher_is_better


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, r"Say it by metric, for example lower_is_better={'latency': True, 'quality': False}"),
        ({"latency": True}, r"better for 'quality'\? Say it by metric, for example lower_is_better={'latency': True, 'quality'"),
        ({"latency": True, "qualty": False}, r"no metric 'qualty' in the source, which has 'latency' and 'quality'"),
        (
            {"latency": "lower", "quality": False},
            r"must be True or False for each metric; got {'latency': 'lower', 'quality': False}",
        ),
        ({}, r"must be True, False or None, or {metric: True or False}"),
        ({1: True}, r"must be True, False or None, or {metric: True or False}"),
    ],
)
def test_directions_that_do_not_fit_are_refused(given, text) -> None:
    """Lacking ones, unknown names and what is no direction: the error says how to go on."""
    with pytest.raises(tb.errors.TiebreakError, match=text):
        tb.compare(two_unknown(), lower_is_better=given)


def test_a_direction_contradicts_a_known_metric() -> None:
    """Accuracy is better when it is higher, whoever says what."""
    with pytest.raises(tb.errors.InvalidParameterError, match="contradicts the metric 'accuracy'"):
        tb.compare(mixed("latency"), lower_is_better={"accuracy": True, "latency": True})
    assert tb.compare(mixed("latency"), lower_is_better={"latency": True}).pair("a", "b").difference == pytest.approx(7 / 9)


LATENCY, QUALITY = ("--direction", "latency", "lower"), ("--direction", "quality", "higher")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*LATENCY, *QUALITY), "b is better than a"),
        ((*LATENCY, "--direction", "latency", "higher"), "give one direction of a metric"),
        ((*LATENCY, *QUALITY, "--lower-is-better"), "give one direction of a metric"),
    ],
)
def test_directions_on_the_command_line(tmp_path, options, said) -> None:
    """--direction once for each metric; twice otherwise, or with the direction of all, is wrong use."""
    pd.DataFrame(two_unknown()).to_csv(tmp_path / "scores.csv", index=False)
    assert said in CliRunner().invoke(tiebreak, ["compare", str(tmp_path / "scores.csv"), *options]).output


# --- bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["mnist-1", "mnist-2", "iris"], [("mnist-1", "mnist-2")]),
        (["glass0", "glass1", "glass", "ecoli1"], [("glass0", "glass1", "glass")]),
        (["CricketX", "CricketY", "Beef"], [("CricketX", "CricketY")]),
        (["covtype_v2", "covtype", "wine"], [("covtype_v2", "covtype")]),
        *((numbered, []) for numbered in (["d0", "d1", "x1"], ["task1", "task2", "iris"], ["plant1", "plant2", "plant3"])),
        (["a9a", "w8a", "Adiac"], []),
    ],
)
def test_variants_of_one_source_are_named_by_their_names(names, found) -> None:
    """Names that differ in a number or letter at their end, where there are other sources; a mere numbering says nothing."""
    assert families(names) == found


VARIANTS = ["mnist-1", "mnist-2", "mnist-3", "glass-a", "glass-b", "glass-c", "iris", "wine", "adult", "yeast"]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (
            VARIANTS,
            [
                "'mnist-1', 'mnist-2' and 'mnist-3' look by their names like variants of one source (of 2 such group(s))",
                "10 datasets count where there would be 6",
            ],
        ),
        ([f"d{i}" for i in range(20)], ["20 of the 20 datasets have the same scores"]),  # the ten rows, twice
        (["Iris", "iris ", "wine", "glass", "yeast", "zoo", "adult", "ecoli", "heart", "tae"], ["'Iris' and 'iris '"]),
    ],
)
def test_datasets_that_are_hardly_several_are_said(rng, names, texts) -> None:
    """Variants of two sources, rows that stand twice under other names, and names that differ by a blank or by case only."""
    table = {"dataset": names, **{name: np.resize(rng.random(10), len(names)) for name in "ab"}}
    said = notices(tb.compare(table, metric="accuracy"))["copied-units"]
    assert [text for text in texts if text not in said] == []


# --- ranks, signs and means -------------------------------------------------------------------------------------------------


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


def test_the_mean_over_the_splits_of_a_dataset_is_its_unit(columns) -> None:
    """Five splits of twelve datasets are twelve differences, and their test is scipy's, in either direction."""
    score = np.array(columns["score"]).reshape(12, 3, 5).mean(axis=2)
    pair = compared(columns).pair("m1", "m0")
    assert pair.n_units == 12
    for side in ("greater", "less", "two-sided"):
        expected = scipy.stats.wilcoxon(score[:, 1], score[:, 0], alternative=side, method="exact").pvalue
        assert pair.law.pvalue(side) == pytest.approx(expected, rel=1e-12)


def test_models_are_compared_on_the_splits_that_all_have(columns) -> None:
    """A model that lacks one split of a dataset is not given another mean for it."""
    gone = columns["dataset"].index("d00")
    answer = compared({name: column[:gone] + column[gone + 1 :] for name, column in columns.items()})
    score = np.array(columns["score"]).reshape(12, 3, 5)[0, :, 1:].mean(axis=1)
    assert answer.matrix.score[:, 0] == pytest.approx(score[[int(name[1]) for name in answer.models]])
    assert "missing-splits" in notices(answer)


def test_fewer_than_six_datasets_cannot_show_anything(rng) -> None:
    """The smallest two-sided p-value of five datasets is 1/16, and the page says so."""
    answer = compared(table(rng, n_datasets=5, n_models=2))
    assert answer.pairs[["verdict", "reason"]].to_numpy().tolist() == [["undecided", "too-few-units"]]
    assert "few-units" in notices(answer)


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
    assert ("read-as" in notices(answer), "assumed-paired" in notices(answer)) == (True, False)
    assert "differ by training seed only" in told(DataError, compared, columns, dataset="d00", method="wilcoxon")


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
        assert (pair.verdict, pair.reason, pair.difference) == ("undecided", "no-spread", pytest.approx(gap))
        assert np.isnan([pair.pvalue, pair.adjusted_pvalue, pair.interval_low, pair.interval_high]).all()
        assert answer.pair("a", "c").has_interval


def test_a_centre_against_the_mean_is_said() -> None:
    """Eleven datasets slightly for b, one much for a: b is typically higher, a has the better mean; by signs as by ranks."""
    table = {
        "dataset": [f"d{i}" for i in range(12)],
        "a": [0.80] * 11 + [0.90],
        "b": [0.81, 0.812, 0.811, 0.813, 0.809, 0.8105, 0.8115, 0.8125, 0.8095, 0.8135, 0.8085, 0.40],
    }
    answer = tb.compare(table, metric="accuracy", rope=0.005)
    assert "accuracy typically 0.01075 higher" in answer.headline
    assert "mean-against-centre" in notices(answer)
    assert "their means do not show it" in notices(answer.with_(method="sign"))["mean-against-centre"]


def test_differences_that_lie_askew_are_named() -> None:
    """Sixty quantiles of the exponential distribution, whose mean lies 0.3 standard deviations above the median."""
    values = -np.log(1 - (np.arange(60) + 0.5) / 60)
    table = {"dataset": [f"d{i}" for i in range(60)], "a": values, "b": np.zeros(60)}
    assert "do not look symmetric" in notices(tb.compare(table, metric="loss", lower_is_better=True))["mean-against-centre"]


def test_two_modes_of_the_same_height_are_not_askew() -> None:
    """Six differences near -1 and eight near 1, whose median lies in a mode: the triples about their middle are balanced."""
    values = np.append(np.linspace(-1.2, -0.8, 6), np.linspace(0.8, 1.2, 8))
    table = {"dataset": [f"d{i}" for i in range(14)], "a": values, "b": np.zeros(14)}
    assert "mean-against-centre" not in notices(tb.compare(table, metric="loss", lower_is_better=True))


def test_triples_count_as_their_definition_says() -> None:
    """All triples one by one, and without each value in turn for the jackknife's error."""
    values = np.round(np.random.default_rng(0).exponential(size=13), 1)

    def mean_sign(kept):
        return np.mean([np.sign(round(np.mean(each) - np.median(each), 9)) for each in combinations(kept, 3)])

    without = np.array([mean_sign(np.delete(values, place)) for place in range(13)])
    t = mean_sign(values) / np.sqrt(12 / 13 * np.square(without - without.mean()).sum())
    assert triples_pvalue(values) == pytest.approx(2 * scipy.stats.t.sf(abs(t), 12), rel=1e-9)


def test_a_difference_that_ranks_show_and_means_do_not_is_named() -> None:
    """Twenty exponential values less their mean, drawn with seed 20: ranks show b ahead, Student's and Hall's t nothing."""
    values = np.random.default_rng(20).exponential(size=20) - 1
    table = {"dataset": [f"name {letter}x" for letter in "abcdefghijklmnopqrst"], "a": values, "b": np.zeros(20)}
    answer = tb.compare(table, metric="gain", lower_is_better=False)
    assert triples_pvalue(values) > 0.05  # so symmetry by itself says nothing
    assert answer.pair("b", "a").verdict == "better"
    assert tb.compare(table, metric="gain", lower_is_better=False, method="paired-t").pair("a", "b").verdict == "undecided"
    assert "their means do not show it" in dict(answer.notices)["mean-against-centre"]


def test_many_exact_ties_are_judged_by_means() -> None:
    """Two of eight differences are 0: Student's interval of the mean by scipy (about symmetric, so Hall's is hardly wider)."""
    a, b = [0.91, 0.82, 0.73, 0.94, 0.85, 0.66, 0.71, 0.9], [0.9, 0.8, 0.73, 0.94, 0.84, 0.63, 0.73, 0.88]
    answer = tb.compare({"dataset": [f"d{i}" for i in range(8)], "a": a, "b": b}, metric="accuracy")
    pair, peer = answer.pair("a", "b"), scipy.stats.ttest_rel(a, b)
    assert answer.method.name == "paired-t"
    ends = peer.confidence_interval()
    assert pair.interval_low <= ends.low + 1e-12
    assert pair.interval_high >= ends.high - 1e-12
    assert pair.interval_high - pair.interval_low < 1.2 * (ends.high - ends.low)
