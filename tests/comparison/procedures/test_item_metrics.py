"""Metrics of all items together: areas under ROC curves, and others by the jackknife."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef, root_mean_squared_error

import tiebreak as tb
from tiebreak.errors import DataError
from tiebreak.statistics import metric_of_numbers
from tiebreak.statistics.skew import hall_inverse, skewness_of_mean


def codes(answer: tb.Comparison) -> dict[str, str]:
    """Notices by their codes."""
    return {notice.code: notice.text for notice in answer.notices}


# --- areas under ROC curves -------------------------------------------------------------------------------------------------


def predictions(rng: np.random.Generator, n: int = 200, **more: Any) -> Any:
    """Probabilities of three models that agree in part."""
    y = (rng.random(n) < 0.4).astype(int)
    base = rng.normal(size=n)
    scores = {"a": base + 1.5 * y, "b": base + 1.2 * y + 0.4 * rng.normal(size=n), "c": rng.normal(size=n) + 0.5 * y}
    return tb.read_predictions(y, {name: 1 / (1 + np.exp(-score)) for name, score in scores.items()}, **more)


@pytest.mark.slow
def test_pairs_are_those_of_the_array_functions(rng: np.random.Generator) -> None:
    """Areas and limits at the level of the family, to 1e-12; the statistic is DeLong's z."""
    items = predictions(rng)
    answer = tb.compare(items, rope=0.01)
    assert answer.method.name == "delong"
    array = tb.statistics.roc_areas(items.is_positive, items.score[:, 0])
    for pair in answer.pairs.itertuples():
        found = array.difference(items.models.index(pair.first), items.models.index(pair.second))
        numbers = [pair.difference, pair.standard_error, pair.interval_low, pair.interval_high, pair.pvalue, pair.statistic]
        expected = [found.estimate, found.se, *found.interval(1 - 0.05 / 3), found.pvalue(), found.statistic]
        assert_allclose(numbers, expected, rtol=1e-12)
    ranking = answer.ranking.set_index("model").loc[list(items.models)]
    assert_allclose(ranking[["mean", "mean_low", "mean_high"]].T, [array.estimate, *array.interval()], rtol=1e-12)


def test_only_the_order_of_scores_counts(rng: np.random.Generator) -> None:
    """Logits, which are no shares, give the same answer as probabilities, and no warning of percent; nor does the row order."""
    items = predictions(rng)
    y, p = np.asarray(items.is_positive).astype(int), dict(zip(items.models, items.score[:, 0], strict=True))
    logits = tb.read_predictions(y, {name: 5 * np.log(each / (1 - each)) for name, each in p.items()}, metric="roc_auc")
    shuffled = rng.permutation(y.size)
    turned = tb.read_predictions(y[shuffled], {name: each[shuffled] for name, each in reversed(p.items())})
    for other in (logits, turned):
        assert_allclose(tb.compare(other).pairs["pvalue"], tb.compare(items).pairs["pvalue"], rtol=1e-9)
    assert "read-as" not in codes(tb.compare(logits))


def test_a_rope_in_percent_is_of_the_area(rng: np.random.Generator) -> None:
    """Not of the mean of the probabilities."""
    answer = tb.compare(predictions(rng), rope="1%")
    assert answer.rope == pytest.approx(0.01 * answer.ranking["mean"][0])


@pytest.mark.slow
def test_models_that_separate_the_classes_have_an_interval() -> None:
    """Six examples show nothing, and DeLong's interval of no width does not say otherwise; identical order is said."""
    y, good = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    answer = tb.compare(tb.read_predictions(y, {"a": good, "b": good, "c": [0.1, 0.8, 0.3, 0.4, 0.8, 0.9]}))
    assert list(answer.pairs["verdict"]) == ["undecided"] * 3
    assert (answer.pairs["interval_high"] - answer.pairs["interval_low"] > 0.5).all()
    same = [0.1, 0.8, 0.3, 0.4, 0.85, 0.9]
    pair = tb.compare(tb.read_predictions(y, {"a": same, "b": [each**2 for each in same]})).pairs
    assert (pair["reason"][0], pair["pvalue"][0]) == ("identical-scores", 1.0)


@pytest.mark.parametrize("rarer", ["positive", "negative"])
def test_few_of_a_class_are_counted(rng: np.random.Generator, rarer: str) -> None:
    """Both classes stand on the page."""
    y = (np.arange(200) < 10) == (rarer == "positive")
    few = tb.compare(tb.read_predictions(y.astype(int), {"a": rng.random(200), "b": rng.random(200)}))
    assert f"200 examples, {y.sum()} positive and {200 - y.sum()} negative" in str(few)


def test_there_are_no_differences_to_plot(rng: np.random.Generator) -> None:
    """There is no difference on a single example, and no plot of it."""
    answer = tb.compare(predictions(rng), rope=0.01)
    assert answer.pair("a", "b").differences.size == 0
    for plot in (answer.plot.scores, answer.plot.differences):
        with pytest.raises(DataError, match="as roc_auc is of all examples together"):
            plot()


def test_what_it_cannot_judge(rng: np.random.Generator) -> None:
    """Labels, means of predictions, and one class only."""
    labels = tb.read_predictions([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    alone = tb.read_predictions([0, 1, 0, 0], {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, 0.2, 0.3, 0.1]})
    for data, method, text in (
        (labels, "delong", r"delong compares areas under ROC curves .* scores of accuracy\. Leave"),
        (predictions(rng), "clustered-t", "'delong', which 'auto' takes for these"),
        (alone, "auto", "of the 4 examples 1 is positive, and two of each class"),
    ):
        with pytest.raises(DataError, match=text):
            tb.compare(data, method=method)


# --- other metrics ----------------------------------------------------------------------------------------------------------


def spam(rng: np.random.Generator, n: int = 200) -> tuple[Any, dict[str, Any]]:
    """Two classes, the second the rarer one, and three models' predictions."""
    y = np.where(np.arange(n) % 3 == 0, "spam", "ham")
    other = np.where(y == "spam", "ham", "spam")
    return y, {name: np.where(rng.random(n) < right, y, other) for name, right in (("a", 0.9), ("b", 0.8), ("c", 0.75))}


@pytest.mark.parametrize("clusters", [None, np.arange(200) // 4])
@pytest.mark.parametrize(("metric", "positive"), [("f1", "spam"), ("f1", "ham"), ("mcc", None), ("balanced_accuracy", None)])
def test_metrics_that_are_no_means(rng: np.random.Generator, metric: str, positive: Any, clusters: Any) -> None:
    """`auto` takes it: values of scikit-learn, intervals of the array functions."""
    y, predicted = spam(rng)
    data = tb.read_predictions(y, predicted, metric=metric, positive=positive, clusters=clusters)
    answer = tb.compare(data)
    assert answer.method.name == "jackknife-t"
    name, last = answer.metric.name, positive or "spam"
    rows = np.array([predicted[model] == last for model in answer.models]).astype(int)
    array = tb.statistics.metric_of_classes((y == last).astype(int), rows, name, clusters)
    theirs = {"f1": f1_score, "matthews_corrcoef": matthews_corrcoef, "balanced_accuracy": balanced_accuracy_score}[name]
    label = {"pos_label": last} if name == "f1" else {}
    expected = [theirs(y, predicted[model], **label) for model in answer.models]
    assert_allclose(answer.ranking["mean"], expected, rtol=1e-12)
    assert_allclose(answer.ranking["standard_error"], array.of_models.se, rtol=1e-12)
    for pair in answer.pairs.itertuples():
        found = array.difference(answer.models.index(pair.first), answer.models.index(pair.second))
        expected = [*found.interval(1 - 0.05 / 3), found.pvalue()]
        assert_allclose([pair.interval_low, pair.interval_high, pair.pvalue], expected, rtol=1e-9)
    assert set(answer.plot.names) == {"ranking", "verdicts"}
    assert set(answer.items.disagreements("a", "b")["a"]) <= {"spam", "ham"}


def test_areas_in_clusters_count_the_rarer_class(rng: np.random.Generator) -> None:
    """`auto` takes it, as DeLong's test knows no clusters; df are the clusters with a positive example, less one."""
    n = 120
    y, clusters = np.arange(n) % 12 == 0, np.arange(n) // 4
    p = {name: 1 / (1 + np.exp(-(rng.normal(size=n) + shift * y))) for name, shift in (("a", 2.0), ("b", 1.0))}
    answer = tb.compare(tb.read_predictions(y.astype(int), p, clusters=clusters))
    assert (answer.method.name, answer.pairs["df"].tolist()) == ("jackknife-t", [9.0])  # 0, 12, ... 108 lie in ten clusters
    two_clusters = np.where(y & (np.arange(n) < 60), "early", np.where(y, "late", np.arange(n).astype(str)))
    assert tb.compare(tb.read_predictions(y.astype(int), p, clusters=two_clusters)).pairs["df"].tolist() == [1.0]
    one_cluster = np.where(y, "positive", np.arange(n).astype(str))
    with pytest.raises(DataError, match="all examples of one class are in one cluster"):
        tb.compare(tb.read_predictions(y.astype(int), p, clusters=one_cluster))


@pytest.mark.parametrize(("metric", "most"), [("f1", 1.0), ("mcc", 2.0)])
def test_ends_are_cut_at_what_a_metric_can_reach(metric: str, most: float) -> None:
    """Six examples say little of F1, and no difference is larger than 1; of Matthews' correlation 2."""
    data = tb.read_predictions([0, 0, 0, 1, 1, 1], {"a": [0, 0, 1, 1, 1, 0], "b": [1, 0, 1, 0, 0, 1]}, metric=metric)
    answer = tb.compare(data, alpha=0.001)
    assert answer.pairs.loc[0, ["interval_low", "interval_high"]].tolist() == [-most, most]
    d = answer.pair_table.law
    tails = [d.tail(-most - 0.1), d.tail(most), d.tail(-most, upper=True), d.tail(most + 0.1, upper=True)]
    assert np.ravel(tails).tolist() == [0.0, 1.0, 1.0, 0.0]


def test_many_models_and_copies(rng: np.random.Generator) -> None:
    """All pairs of 42 models are judged; copies are named and have no interval."""
    y = np.arange(100) % 2 == 0
    rows = {f"m{k:02d}": (rng.random(100) < 0.8) == y for k in range(41)}
    rows["copy"] = rows["m00"]
    answer = tb.compare(tb.read_predictions(y, rows, metric="f1"))
    assert len(answer.pairs) == 42 * 41 // 2
    assert answer.pair("m00", "copy").reason == "identical-scores"


def test_what_it_refuses(rng: np.random.Generator) -> None:
    """Means; a class, or another true number, that one example has alone: what others would change nobody knows."""
    means = tb.read_items({"item": list(range(20)), "a": rng.normal(size=20), "b": rng.normal(size=20)}, metric="r2")
    one = tb.read_predictions([1, 0, 0, 0, 0, 0], {"a": [1, 0, 0, 0, 0, 1], "b": [1, 0, 0, 1, 0, 0]}, metric="f1")
    apart = tb.read_predictions([1.5, 5.5, 5.5, 5.5], {"a": [1.4, 5, 5, 5], "b": [2, 6, 6, 5]}, metric="r2")
    for data, text in (
        (means, "is a mean over them"),
        (one, r"only one example is of the rarer class, .* Give more of it"),
        (apart, "all examples have the same true number but those of one example, so nothing shows how much r2 varies"),
    ):
        with pytest.raises(DataError, match=text):
            tb.compare(data, method="jackknife-t")


def test_numbers_have_metrics_of_all_of_them(rng: np.random.Generator) -> None:
    """Root mean squared error and R2 of one table point the same way, as R2 falls with the squared error."""
    y = rng.normal(size=120)
    predicted = {"a": y + 0.3 * rng.normal(size=120), "b": y + 0.5 * rng.normal(size=120)}
    rmse, r2 = (tb.compare(tb.read_predictions(y, predicted, metric=name)).pair("a", "b") for name in ("rmse", "r2"))
    assert rmse.verdict == r2.verdict == "better"
    of_a, of_b = (root_mean_squared_error(y, predicted[name]) for name in "ab")
    assert rmse.difference == pytest.approx(of_b - of_a, rel=1e-12)


def test_predicted_classes_agree_by_being_right(rng: np.random.Generator) -> None:
    """The correlation of right and wrong."""
    truth = rng.integers(0, 3, 90)
    predicted = {name: np.where(rng.random(90) < 0.6, truth, rng.integers(0, 3, 90)) for name in ("a", "b", "c")}
    answer = tb.compare(tb.read_predictions(truth, predicted, metric="f1_macro"))
    right = np.array([predicted[name] == truth for name in answer.models], dtype=float)
    assert_allclose(answer.correlation, np.corrcoef(right), atol=1e-12)


def test_errors_of_numbers_have_halls_t_beside() -> None:
    """The RMSE of lognormal errors and a constant one: an end is that of Hall's t with 1.75 times the skewness of the parts."""
    rng = np.random.default_rng(0)
    y, wide = rng.normal(size=60), rng.lognormal(size=60)
    answer = tb.compare(tb.read_predictions(y, {"a": y + wide, "b": y + 2.7}, metric="root_mean_squared_error"))
    pair = answer.pair("a", "b")
    found = metric_of_numbers(y, np.array([y + wide, y + 2.7]), "root_mean_squared_error")
    skewness = 1.75 * skewness_of_mean(found.parts[1] - found.parts[0])
    error, t = pair.standard_error, stats.t.ppf(0.975, 59)
    low, high = (pair.difference - side * error * max(t, side * hall_inverse(side * t, skewness)) for side in (1, -1))
    assert_allclose([pair.interval_low, pair.interval_high], [low, high], rtol=1e-9)


def test_precision_rests_on_the_items_that_are_predicted_positive() -> None:
    """Six of 200 leave at most as many degrees of freedom as they have; sixty do not."""
    rng = np.random.default_rng(1)
    y = (rng.random(200) < 0.5).astype(int)
    for n, is_few in ((6, True), (60, False)):
        said = {"a": (np.arange(200) < n).astype(int), "b": (np.arange(200) >= 100).astype(int)}
        answer = tb.compare(tb.read_predictions(y, said, metric="precision"))
        assert (answer.pair("a", "b").df < 8) == is_few
