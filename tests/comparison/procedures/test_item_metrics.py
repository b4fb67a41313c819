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
    row = {name: place for place, name in enumerate(items.models)}
    for pair in answer.pairs.itertuples():
        found = array.difference(row[pair.first], row[pair.second])
        assert_allclose([pair.difference, pair.standard_error], [found.estimate, found.se], rtol=1e-12)
        assert_allclose([pair.interval_low, pair.interval_high], found.interval(1 - 0.05 / 3), rtol=1e-12)
        assert_allclose([pair.pvalue, pair.statistic], [found.pvalue(), found.statistic], rtol=1e-12)
    for model in answer.ranking.itertuples():
        own = tb.statistics.roc_areas(items.is_positive, items.score[row[model.model], 0])
        assert_allclose(model.mean, own.estimate[0], rtol=1e-12)
        assert_allclose([model.mean_low, model.mean_high], [end[0] for end in own.interval()], rtol=1e-12)


def test_only_the_order_of_scores_counts(rng: np.random.Generator) -> None:
    """Logits, which are no shares, give the same answer as probabilities, and no warning of percent; nor does the row order."""
    items = predictions(rng)
    y, p = np.asarray(items.is_positive).astype(int), dict(zip(items.models, items.score[:, 0], strict=True))
    expected = tb.compare(items).pairs
    logits = tb.read_predictions(y, {name: 5 * np.log(each / (1 - each)) for name, each in p.items()}, metric="roc_auc")
    answer = tb.compare(logits)
    assert_allclose(answer.pairs["pvalue"], expected["pvalue"], rtol=1e-9)
    assert "read-as" not in [notice.code for notice in answer.notices]
    shuffled = rng.permutation(y.size)
    other = tb.compare(tb.read_predictions(y[shuffled], {name: each[shuffled] for name, each in reversed(p.items())}))
    assert_allclose(other.pairs["pvalue"], expected["pvalue"], rtol=1e-9)


def test_a_rope_in_percent_is_of_the_area(rng: np.random.Generator) -> None:
    """Not of the mean of the probabilities."""
    answer = tb.compare(predictions(rng), rope="1%")
    assert answer.rope == pytest.approx(0.01 * answer.ranking["mean"][0])


def test_models_that_separate_the_classes_have_an_interval() -> None:
    """Six examples show nothing, and DeLong's interval of no width does not say otherwise; identical order is said."""
    y, good = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    answer = tb.compare(tb.read_predictions(y, {"a": good, "b": good, "c": [0.1, 0.8, 0.3, 0.4, 0.8, 0.9]}))
    assert list(answer.pairs["verdict"]) == ["undecided"] * 3
    assert (answer.pairs["interval_high"] - answer.pairs["interval_low"] > 0.5).all()
    same = [0.1, 0.8, 0.3, 0.4, 0.85, 0.9]
    pair = tb.compare(tb.read_predictions(y, {"a": same, "b": [each**2 for each in same]})).pairs
    assert (pair["reason"][0], pair["pvalue"][0]) == ("identical-scores", 1.0)


def test_few_positives_are_counted_and_said(rng: np.random.Generator) -> None:
    """Both classes stand on the page; below 20 of the rarer one a notice says what that does."""
    y = np.arange(200) < 10
    few = tb.compare(tb.read_predictions(y.astype(int), {"a": rng.random(200), "b": rng.random(200)}))
    assert "200 examples, 10 positive and 190 negative" in str(few)
    (notice,) = [each for each in few.notices if each.code == "few-units"]
    assert "only 10 positive examples" in notice.text
    other = tb.compare(tb.read_predictions(1 - y, {"a": rng.random(200), "b": rng.random(200)}))
    assert any("only 10 negative examples" in each.text for each in other.notices)
    assert "few-units" not in [each.code for each in tb.compare(predictions(rng)).notices]


def test_there_are_no_differences_to_plot(rng: np.random.Generator) -> None:
    """There is no difference on a single example, and no plot of it."""
    answer = tb.compare(predictions(rng), rope=0.01)
    assert answer.pair("a", "b").differences.size == 0
    for plot in (answer.plot.scores, answer.plot.differences):
        with pytest.raises(DataError, match="as roc_auc is of all examples together"):
            plot()


def test_what_it_cannot_judge(rng: np.random.Generator) -> None:
    """Labels, one class only, and means of predictions."""
    labels = tb.read_predictions([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    with pytest.raises(DataError, match=r"delong compares areas under ROC curves .* scores of accuracy\. Leave"):
        tb.compare(labels, method="delong")
    with pytest.raises(DataError, match="'delong', which 'auto' takes for these"):
        tb.compare(predictions(rng), method="clustered-t")
    alone = tb.read_predictions([0, 1, 0, 0], {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, 0.2, 0.3, 0.1]})
    with pytest.raises(DataError, match="of the 4 examples 1 is positive, and two of each class"):
        tb.compare(alone)


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
    theirs = {"f1": lambda p: f1_score(y, p, pos_label=last), "matthews_corrcoef": lambda p: matthews_corrcoef(y, p)}
    score = theirs.get(name, lambda p: balanced_accuracy_score(y, p))
    assert_allclose(answer.ranking["mean"], [score(predicted[model]) for model in answer.models], rtol=1e-12)
    assert_allclose(answer.ranking["standard_error"], array.of_models.se, rtol=1e-12)
    for pair in answer.pairs.itertuples():
        i, j = answer.models.index(pair.first), answer.models.index(pair.second)
        found = array.difference(i, j)
        assert_allclose([pair.interval_low, pair.interval_high], found.interval(1 - 0.05 / 3), rtol=1e-9)
        assert pair.pvalue == pytest.approx(found.pvalue(), rel=1e-9)
    assert set(answer.plot.names) == {"ranking", "verdicts"}
    text = " ".join(answer.to_text(columns="all").split())
    assert "jackknife-t: a metric of all examples together and no mean over them" in text
    assert set(answer.items.disagreements("a", "b")["a"]) <= {"spam", "ham"}


def test_losses_favour_the_lower(rng: np.random.Generator) -> None:
    """A root mean squared error of 0.3 against 0.5: the interval of the better one is positive."""
    y = rng.normal(size=120)
    answer = tb.compare(
        tb.read_predictions(y, {"a": y + 0.5 * rng.normal(size=120), "b": y + 0.3 * rng.normal(size=120)}, metric="rmse")
    )
    pair = answer.pair("b", "a")
    assert answer.models[0] == "b"
    assert pair.verdict == "better"
    assert 0 < pair.interval_low < pair.difference < pair.interval_high


def test_areas_in_clusters_count_the_rarer_class(rng: np.random.Generator) -> None:
    """`auto` takes it, as DeLong's test knows no clusters; df are the clusters with a positive example, less one."""
    n = 120
    y, clusters = np.arange(n) % 12 == 0, np.arange(n) // 4
    p = {name: 1 / (1 + np.exp(-(rng.normal(size=n) + shift * y))) for name, shift in (("a", 2.0), ("b", 1.0))}
    answer = tb.compare(tb.read_predictions(y.astype(int), p, clusters=clusters))
    assert answer.method.name == "jackknife-t"
    assert answer.pairs["df"].tolist() == [9.0]  # positives 0, 12, ... 108 lie in ten clusters
    assert {"scores", "differences"}.isdisjoint(answer.plot.names)
    two_clusters = np.where(y & (np.arange(n) < 60), "early", np.where(y, "late", np.arange(n).astype(str)))
    assert tb.compare(tb.read_predictions(y.astype(int), p, clusters=two_clusters)).pairs["df"].tolist() == [1.0]
    one_cluster = np.where(y, "positive", np.arange(n).astype(str))
    with pytest.raises(DataError, match="all examples of one class are in one cluster"):
        tb.compare(tb.read_predictions(y.astype(int), p, clusters=one_cluster))


def test_ends_are_cut_at_what_a_metric_can_reach() -> None:
    """Six examples say little of F1, and no difference is larger than 1; of Matthews' correlation 2."""
    y = np.array([0, 0, 0, 1, 1, 1])
    for metric, most in (("f1", 1.0), ("mcc", 2.0)):
        data = tb.read_predictions(y, {"a": [0, 0, 1, 1, 1, 0], "b": [1, 0, 1, 0, 0, 1]}, metric=metric)
        answer = tb.compare(data, alpha=0.001)
        low, high = answer.pairs.loc[0, ["interval_low", "interval_high"]]
        assert (low, high) == (-most, most)
        d = answer.pair_table.law
        assert [float(d.tail(at)[0]) for at in (-most - 0.1, most)] == [0.0, 1.0]
        assert [float(d.tail(at, upper=True)[0]) for at in (-most, most + 0.1)] == [1.0, 0.0]


def test_many_models_and_copies(rng: np.random.Generator) -> None:
    """All pairs of 42 models are judged; copies are named and have no interval."""
    y = np.arange(100) % 2 == 0
    rows = {f"m{k:02d}": (rng.random(100) < 0.8) == y for k in range(41)}
    rows["copy"] = rows["m00"]
    answer = tb.compare(tb.read_predictions(y, rows, metric="f1"))
    assert len(answer.pairs) == 42 * 41 // 2
    assert answer.pair("m00", "copy").reason == "identical-scores"


def test_what_it_refuses(rng: np.random.Generator) -> None:
    """Means, a class that no example has."""
    right = tb.read_items({"item": list(range(20)), "a": rng.normal(size=20), "b": rng.normal(size=20)}, metric="r2")
    with pytest.raises(DataError, match="is a mean over them"):
        tb.compare(right, method="jackknife-t")
    y = np.zeros(30, dtype=int)
    with pytest.raises(DataError, match="class"):
        tb.compare(tb.read_predictions(y, {"a": y, "b": 1 - y}, metric="f1"))


def test_one_item_of_the_rarer_of_two_classes_is_refused() -> None:
    """What recall would be with others of it nobody knows; of three classes a single one stays a remark."""
    said = {"a": [1, 0, 0, 0, 0, 1], "b": [1, 0, 0, 1, 0, 0]}
    with pytest.raises(DataError, match=r"only one example is of the rarer class, .* Give more of it"):
        tb.compare(tb.read_predictions([1, 0, 0, 0, 0, 0], said, metric="f1"))
    three = {"a": [1, 0, 0, 2, 2, 1], "b": [1, 0, 0, 2, 0, 2]}
    answer = tb.compare(tb.read_predictions([1, 0, 0, 2, 2, 2], three, metric="f1_macro"))
    assert "few-units" in {each.code for each in answer.notices}


def test_numbers_have_metrics_of_all_of_them(rng: np.random.Generator) -> None:
    """Root mean squared error and R2 of one table point the same way, as R2 falls with the squared error."""
    y = rng.normal(size=120)
    predicted = {"a": y + 0.3 * rng.normal(size=120), "b": y + 0.5 * rng.normal(size=120)}
    rmse, r2 = (tb.compare(tb.read_predictions(y, predicted, metric=name)).pair("a", "b") for name in ("rmse", "r2"))
    assert rmse.verdict == r2.verdict == "better"
    assert rmse.difference == pytest.approx(
        root_mean_squared_error(y, predicted["b"]) - root_mean_squared_error(y, predicted["a"]), rel=1e-12
    )


def test_predicted_classes_agree_by_being_right(rng: np.random.Generator) -> None:
    """The correlation of right and wrong: names of classes as other numbers leave it as it is."""
    truth = rng.integers(0, 3, 90)
    predicted = {name: np.where(rng.random(90) < 0.6, truth, rng.integers(0, 3, 90)) for name in ("a", "b", "c")}
    answer = tb.compare(tb.read_predictions(truth, predicted, metric="f1_macro"))
    right = np.array([predicted[name] == truth for name in answer.models], dtype=float)
    assert_allclose(answer.correlation, np.corrcoef(right), atol=1e-12)
    renamed = np.array([7, 1, 4])
    other = tb.compare(tb.read_predictions(renamed[truth], {k: renamed[v] for k, v in predicted.items()}, metric="f1_macro"))
    assert_allclose(other.correlation.loc[answer.models, answer.models], answer.correlation, atol=1e-12)


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
    """Six of 200 leave at most as many degrees of freedom as they have, and are said; of sixty they do not."""
    rng = np.random.default_rng(1)
    y = (rng.random(200) < 0.5).astype(int)
    for n, is_few in ((6, True), (60, False)):
        said = {"a": (np.arange(200) < n).astype(int), "b": (np.arange(200) >= 100).astype(int)}
        answer = tb.compare(tb.read_predictions(y, said, metric="precision"))
        assert (answer.pair("a", "b").df < 8) == is_few
        assert ("few-units" in [notice.code for notice in answer.notices]) == is_few
