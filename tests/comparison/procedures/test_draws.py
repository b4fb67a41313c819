"""Procedures that draw, over items: bootstrap, sign flips and the Bayesian bootstrap."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef, root_mean_squared_error

import tiebreak as tb
from tests.comparison.procedures.showing import check_shown
from tiebreak.errors import InvalidParameterError, TooFewSplitsError, UnsuitableDesignError

METHODS = ("bootstrap", "permutation", "bayes-bootstrap")


def items(rng: np.random.Generator, n: int = 60, *, clusters: bool = False, lower: bool = False) -> Any:
    """Skew scores of three models that go together."""
    base = rng.normal(size=n)
    table: dict[str, Any] = {"item": list(range(n))}
    table |= {name: base + rng.exponential(1, n) + shift for name, shift in (("a", 0.4), ("b", 0.1), ("c", -0.5))}
    if clusters:
        table["cluster"] = np.arange(n) // 4
    return tb.read_items(table, metric="quality", lower_is_better=lower)


def rows_of(table: Any, pair: Any) -> tuple[int, int]:
    """Rows of the models of a pair."""
    return table.models.index(pair.first), table.models.index(pair.second)


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_bootstrap_is_the_array_function(rng: np.random.Generator, interval: Any, clusters: bool) -> None:
    """Limits at the level of the family to 1e-12, from the same resamples."""
    table = items(rng, clusters=clusters)
    answer = tb.compare(table, method="bootstrap", options={"interval": interval})
    statistic = tb.frequentist.bootstrap_mean(table.score[:, 0])
    array = tb.frequentist.bootstrap_metric(statistic, n_resamples=9_999, clusters=table.clusters, resampling="random", rng=0)
    for pair in answer.pairs.itertuples():
        found = array.difference(*rows_of(table, pair))
        ends = found.confidence_interval(1 - 0.05 / 3, interval)
        assert_allclose([pair.difference, pair.standard_error], [found.estimate, found.standard_error], rtol=1e-12)
        assert_allclose([pair.interval_low, pair.interval_high], ends, rtol=1e-12)


@pytest.mark.slow
def test_bootstrap_of_areas(rng: np.random.Generator) -> None:
    """By name, within classes too, and of whole clusters."""
    n = 120
    y = np.arange(n) % 3 == 0
    p = {name: 1 / (1 + np.exp(-(rng.normal(size=n) + shift * y))) for name, shift in (("a", 2.0), ("b", 1.0))}
    table = tb.read_predictions(y.astype(int), p)
    for stratified in (False, True):
        pair = tb.compare(table, method="bootstrap", options={"stratified": stratified}).pair("a", "b")
        array = tb.frequentist.bootstrap_metric(
            tb.frequentist.bootstrap_auc(y, table.score[:, 0]),
            n_resamples=9_999,
            strata=y if stratified else None,
            resampling="random",
        )
        assert_allclose([pair.interval_low, pair.interval_high], array.difference(0, 1).confidence_interval(0.95), rtol=1e-12)
    clustered = tb.compare(tb.read_predictions(y.astype(int), p, clusters=np.arange(n) // 4), method="bootstrap")
    assert {"scores", "differences"}.isdisjoint(clustered.plot.names)


def spam(rng: np.random.Generator, n: int = 200) -> tuple[Any, dict[str, Any]]:
    """Two classes, the second the rarer one, and three models' predictions."""
    y = np.where(np.arange(n) % 3 == 0, "spam", "ham")
    other = np.where(y == "spam", "ham", "spam")
    return y, {name: np.where(rng.random(n) < right, y, other) for name, right in (("a", 0.9), ("b", 0.8), ("c", 0.75))}


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"stratified": True}, {"interval": "percentile"}])
@pytest.mark.parametrize(("metric", "positive"), [("f1", "spam"), ("f1", "ham"), ("mcc", None), ("balanced_accuracy", None)])
def test_metrics_that_are_no_means(rng: np.random.Generator, metric: str, positive: Any, options: dict[str, Any]) -> None:
    """Values of scikit-learn, limits and permutation tests of the array functions."""
    y, predicted = spam(rng)
    data = tb.read_predictions(y, predicted, metric=metric, positive=positive)
    answer = tb.compare(data, method="bootstrap", options=options)
    assert answer.method.name == "bootstrap"
    name, last = answer.metric.name, positive or "spam"
    rows = np.array([predicted[model] == last for model in answer.models]).astype(int)
    statistic = tb.frequentist.metric_of_classes((y == last).astype(int), rows, name)
    array = tb.frequentist.bootstrap_metric(
        statistic, n_resamples=9_999, strata=y == last if options.get("stratified") else None, resampling="random"
    )
    theirs = {"f1": lambda p: f1_score(y, p, pos_label=last), "matthews_corrcoef": lambda p: matthews_corrcoef(y, p)}
    score = theirs.get(name, lambda p: balanced_accuracy_score(y, p))
    assert_allclose(answer.ranking["mean"], [score(predicted[model]) for model in answer.models], rtol=1e-12)
    tests = {test.models: test.pvalue for test in answer.supplementary_tests if test.name == "permutation"}
    for pair in answer.pairs.itertuples():
        i, j = answer.models.index(pair.first), answer.models.index(pair.second)
        found = array.difference(i, j).confidence_interval(1 - 0.05 / 3, options.get("interval", "bca"))
        assert_allclose([pair.interval_low, pair.interval_high], found, rtol=1e-12)
        assert tests[pair.first, pair.second] == tb.frequentist.permutation_test_metric(statistic, i, j).pvalue()
    assert {"outcomes", "agreement", "disagreements", "differences", "correlation"}.isdisjoint(answer.plot.names)
    assert f"so its own {name} is likely" in " ".join(answer.to_text().split())
    assert set(answer.disagreements("a", "b")["a"]) <= {"spam", "ham"}


def test_metrics_that_are_no_means_are_shown_and_read_back(rng: np.random.Generator, tmp_path: Path) -> None:
    """Text, JSON, frames and report of one F1 answer agree, and a saved answer gives it again, clusters too."""
    y, predicted = spam(rng)
    data = tb.read_predictions(y, predicted, metric="f1", positive="spam", clusters=np.arange(200) // 4)
    answer = tb.compare(data, method="bootstrap", rope=0.02)
    check_shown(answer, tmp_path, plots={"ranking", "verdicts", "draws"})


def test_numbers_have_metrics_of_all_of_them(rng: np.random.Generator) -> None:
    """Root mean squared error and R2 of one table point the same way, as R2 falls with the squared error."""
    y = rng.normal(size=120)
    predicted = {"a": y + 0.3 * rng.normal(size=120), "b": y + 0.5 * rng.normal(size=120)}
    rmse, r2 = (tb.compare(tb.read_predictions(y, predicted, metric=name)).pair("a", "b") for name in ("rmse", "r2"))
    assert rmse.verdict == r2.verdict == "better"
    assert rmse.difference == pytest.approx(
        root_mean_squared_error(y, predicted["b"]) - root_mean_squared_error(y, predicted["a"]), rel=1e-12
    )
    with pytest.raises(InvalidParameterError, match="r2 has no classes to draw within"):
        tb.compare(tb.read_predictions(y, predicted, metric="r2"), method="bootstrap", options={"stratified": True})


@pytest.mark.parametrize("method", ["permutation", "bayes-bootstrap", "clustered-t", "tango", "delong"])
def test_methods_for_means_refuse_other_metrics(rng: np.random.Generator, method: Any) -> None:
    """None of them takes predicted classes for scores."""
    y, predicted = spam(rng)
    with pytest.raises(UnsuitableDesignError, match=r"'jackknife-t'|Leave the method out"):
        tb.compare(tb.read_predictions(y, predicted, metric="f1", positive="spam"), method=method)


def test_few_of_a_class_are_not_resampled(rng: np.random.Generator) -> None:
    """Nine positive examples of two hundred are nine pieces of evidence for F1."""
    y = np.arange(200) < 9
    with pytest.raises(TooFewSplitsError, match="9 examples of the rarer class are too few"):
        tb.compare(tb.read_predictions(y, {"a": y, "b": ~y}, metric="f1"), method="bootstrap")


@pytest.mark.parametrize("at", [0.0, 0.3, -0.2])
def test_flips_are_all_tried_where_items_are_few(rng: np.random.Generator, at: float) -> None:
    """Every p-value of shifted differences is that of `permutation_test_paired` with all signs; scores with ties too."""
    table = tb.read_items({"item": list(range(9)), "a": rng.integers(0, 4, 9) / 2, "b": rng.integers(0, 3, 9) / 2}, metric="r2")
    answer = tb.compare(table, method="permutation")
    pair = answer.pairs.iloc[0]
    one, two = (table.score[table.models.index(pair[side]), 0] for side in ("first", "second"))
    array = tb.frequentist.permutation_test_paired(one - two - at, method="exact")
    d = answer.pair_table.differences
    assert_allclose([d.tail_below(at)[0], d.tail_above(at)[0]], [array.pvalue("greater"), array.pvalue("less")], rtol=1e-12)
    signs = np.array(list(product((1, -1), repeat=9)))
    sums = signs @ (one - two - at)
    assert_allclose(d.tail_below(at)[0], np.mean(sums >= (one - two - at).sum() - 1e-9), rtol=1e-12)


def test_ends_of_flips_are_where_they_start_to_reject(rng: np.random.Generator) -> None:
    """Random flips: rejected at the end of the interval and beyond, not a little inside."""
    d = tb.compare(items(rng), method="permutation").pair_table.differences
    for alpha in (0.2, 0.05):
        low, high = d.interval(alpha)
        inside = 1e-7
        assert np.all(d.tail_below(low - inside) <= alpha / 2)
        assert np.all(d.tail_below(low + inside) > alpha / 2)
        assert np.all(d.tail_above(high + inside) <= alpha / 2)
        assert np.all(d.tail_above(high - inside) > alpha / 2)


@pytest.mark.parametrize("clusters", [False, True])
def test_posterior_is_the_array_function(rng: np.random.Generator, clusters: bool) -> None:
    """Credible intervals, probabilities of the regions and joint P(best), from the same draws."""
    table = items(rng, clusters=clusters)
    answer = tb.compare(table, method="bayes-bootstrap", rope=0.1, p_best=True)
    rows = table.score[:, 0]
    array = tb.bayesian.bayesian_bootstrap(rows, table.clusters, n_draws=9_999)
    for pair in answer.pairs.itertuples():
        i, j = rows_of(table, pair)
        own = type(array)(array.estimate[i] - array.estimate[j], array.draws[i] - array.draws[j])
        assert_allclose([pair.interval_low, pair.interval_high], own.credible_interval(1 - 0.05 / 3), rtol=1e-12)
        assert_allclose([pair.p_better, pair.p_equivalent, pair.p_worse], own.probabilities(0.1), atol=1e-9)
        assert pair.pvalue >= 1e-4
    p_best = dict(zip(answer.ranking["model"], answer.ranking["p_best"], strict=True))
    assert [p_best[name] for name in table.models] == pytest.approx(list(array.p_best()), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_loss_is_a_score_turned_round(rng: np.random.Generator, method: str) -> None:
    """The same items as a loss give the mirrored differences, with the same p-values and mirrored ends."""
    seed = int(rng.integers(1000))
    gain = tb.compare(items(np.random.default_rng(seed)), method=method).pair("a", "c")
    loss = tb.compare(items(np.random.default_rng(seed), lower=True), method=method).pair("a", "c")
    assert loss.difference == pytest.approx(-gain.difference)
    assert [loss.interval_low, loss.interval_high] == pytest.approx([-gain.interval_high, -gain.interval_low], rel=1e-2)
    assert loss.pvalue == pytest.approx(gain.pvalue, rel=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_too_few_draws_say_so(rng: np.random.Generator, method: str) -> None:
    """500 draws give a 95% interval of one pair (20 / 0.05 = 400), but not those of three pairs at once."""
    table = items(rng)
    few = tb.compare(table, method=method, options={"n_draws": 500})
    assert set(few.pairs["reason"]) == {"too-few-draws"}
    assert few.pairs["interval_low"].isna().all()
    assert "too few draws" in few.pair("a", "b").sentence
    assert np.isfinite(tb.compare(table.take(["a", "c"]), method=method, options={"n_draws": 500}).pairs["interval_low"]).all()
    for wrong in (0, 1.5, True, "many"):
        with pytest.raises(InvalidParameterError, match=f"n_draws of {method} must be a whole number from 1"):
            tb.compare(table, method=method, options={"n_draws": wrong})


@pytest.mark.parametrize("method", METHODS)
def test_models_that_do_not_differ(rng: np.random.Generator, method: str) -> None:
    """The same answers: p-value 1 and no interval; apart by a constant: no interval."""
    n = 40
    base = rng.integers(0, 2, n).astype(float)
    table = {"item": list(range(n)), "a": base, "b": base, "c": base + 0.5}
    pairs = tb.compare(tb.read_items(table, metric="points", lower_is_better=False), method=method).pairs
    reason = {frozenset((pair.first, pair.second)): (pair.reason, pair.pvalue) for pair in pairs.itertuples()}
    assert reason[frozenset("ab")] == ("identical-scores", 1.0)
    assert reason[frozenset("ac")][0] == "no-spread"


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_shown_everywhere(rng: np.random.Generator, tmp_path: Path, method: str) -> None:
    """And the same answer from JSON."""
    answer = tb.compare(items(rng, 30), method=method, rope=0.1)
    expected = {"ranking", "verdicts", "correlation", "scores", "differences", "matrix", "disagreements"}
    check_shown(answer, tmp_path, plots=expected | (set() if method == "permutation" else {"draws"}))


@pytest.mark.parametrize("method", METHODS)
def test_what_they_cannot_judge(rng: np.random.Generator, method: str) -> None:
    """Runs, gaps, one cluster and splits, each with what would do."""
    table = items(rng)
    long = table.to_frame()
    runs = tb.read_items(pd.concat([long.assign(run=run) for run in (1, 2)]), metric="quality", lower_is_better=False)
    with pytest.raises(UnsuitableDesignError, match=r"takes every item once, and there are 2 runs\. The method 'clustered-t'"):
        tb.compare(runs, method=method)
    gaps = tb.read_items(long[1:], metric="quality", lower_is_better=False, missing="pairwise")
    with pytest.raises(UnsuitableDesignError, match="draws the same items for all models, and 1 scores are missing"):
        tb.compare(gaps, method=method, missing="pairwise")
    with pytest.raises(TooFewSplitsError, match="are of one cluster"):
        tb.compare(tb.read_items({"item": [1, 2], "cluster": [1, 1], "a": [1, 2], "b": [2, 2]}, metric="r2"), method=method)
    with pytest.raises(UnsuitableDesignError, match="or give the scores of single items: a column 'item', or rows='items'"):
        tb.compare({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}, metric="accuracy", method=method)


@pytest.mark.parametrize("method", ["bootstrap", "bayes-bootstrap"])
def test_few_items_are_not_resampled(rng: np.random.Generator, method: str) -> None:
    """Below ten intervals would be far too narrow, and below fifty it is said that they are somewhat so; flipped signs hold."""
    with pytest.raises(TooFewSplitsError, match=r"9 items are too few for that.*The method 'clustered-t' allows for few\."):
        tb.compare(items(rng, 9), method=method)
    with pytest.raises(TooFewSplitsError, match="5 clusters are too few"):
        tb.compare(items(rng, 20, clusters=True), method=method)
    for n, is_few in ((10, True), (49, True), (50, False)):
        found = [notice for notice in tb.compare(items(rng, n), method=method).notices if notice.code == "few-clusters"]
        assert [f"resamples of {n} items vary less than new ones would" in notice.text for notice in found] == [True] * is_few
    said = [notice.text for notice in tb.compare(items(rng, 48, clusters=True), method=method).notices]
    assert any("resamples of 12 clusters" in text for text in said)
    flipped = tb.compare(items(rng, 20, clusters=True), method="permutation")
    assert any("so the intervals are wide" in notice.text for notice in flipped.notices)


def test_few_examples_of_a_class_are_not_resampled(rng: np.random.Generator) -> None:
    """The rarer class counts, or the clusters; each with what takes them instead."""
    y = np.arange(80) < 8
    p = {name: 1 / (1 + np.exp(-(rng.normal(size=80) + y))) for name in ("a", "b")}
    with pytest.raises(TooFewSplitsError, match=r"8 examples of the rarer class are too few.*The method 'delong' allows for few"):
        tb.compare(tb.read_predictions(y.astype(int), p), method="bootstrap")
    clustered = tb.read_predictions(y.astype(int), p, clusters=np.arange(80) % 5)
    with pytest.raises(TooFewSplitsError, match=r"5 clusters are too few.*The method 'jackknife-t' allows for few"):
        tb.compare(clustered, method="bootstrap")


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
