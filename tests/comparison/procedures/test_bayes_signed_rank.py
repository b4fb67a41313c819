"""The Bayesian signed-rank and sign tests over datasets: one interval decides, and the published tests stand beside it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tiebreak as tb
from tests.comparison.procedures.test_wilcoxon import BAKEOFF, table
from tiebreak.cli.group import tiebreak
from tiebreak.errors import InvalidParameterError, NotOfferedError, TooFewModelsError, UnsuitableDesignError

BOTH = ["bayes-signed-rank", "bayes-sign"]


def compared(columns, method, **options):
    return tb.compare(columns, metric="accuracy", method=method, **({"rope": 0.01} | options))


def means_of(columns):
    """Datasets by models, from the long columns."""
    return pd.DataFrame(columns).groupby(["dataset", "model"])["score"].mean().unstack().to_numpy()


def test_signed_rank_answers_are_those_of_the_function(rng) -> None:
    """Interval and probabilities are read off the draws of the centre of the means by dataset."""
    columns = table(rng, n_models=2)
    means = means_of(columns)
    pair = compared(columns, "bayes-signed-rank", rng=7).pair("m1", "m0")
    d = (means[:, 1] - means[:, 0]).round(12)
    centres = tb.bayesian.signed_rank_posterior(d).centres(9999, 7)
    assert (pair.interval_low, pair.interval_high) == pytest.approx(np.quantile(centres, [0.025, 0.975]), abs=1e-9)
    assert pair.difference == pytest.approx(tb.frequentist.hodges_lehmann(d), abs=1e-12)
    regions = [(centres > 0.01).mean(), (np.abs(centres) <= 0.01).mean(), (centres < -0.01).mean()]
    assert [pair.p_better, pair.p_equivalent, pair.p_worse] == pytest.approx(regions, abs=1e-9)


def test_sign_answers_are_those_of_the_function(rng) -> None:
    """Interval and probabilities are those of the posterior of the median."""
    columns = table(rng, n_models=2)
    means = means_of(columns)
    pair = compared(columns, "bayes-sign").pair("m1", "m0")
    d = (means[:, 1] - means[:, 0]).round(12)
    posterior = tb.bayesian.median_posterior(d)
    assert (pair.interval_low, pair.interval_high) == pytest.approx(
        tuple(map(float, posterior.credible_interval(0.95))), abs=1e-9
    )
    assert pair.difference == pytest.approx(np.median(d), abs=1e-12)
    assert pair.p_better == pytest.approx(1 - float(posterior.tail_below(0.01)), abs=1e-9)


@pytest.mark.parametrize("method", BOTH)
def test_swapped_models_mirror_the_answer(rng, method) -> None:
    """Nothing depends on which model is named first."""
    columns = table(rng, n_datasets=7, n_models=2)
    there = compared(columns, method, baseline="m1").pair("m0", "m1")
    back = compared(columns, method, baseline="m0").pair("m1", "m0")
    assert (there.p_better, there.interval_low, there.difference) == pytest.approx(
        (back.p_worse, -back.interval_high, -back.difference), abs=1e-12
    )
    assert {there.verdict, back.verdict} in ({"better", "worse"}, {"ahead", "behind"}, {"undecided"}, {"equivalent"})


@pytest.mark.parametrize("method", BOTH)
def test_few_datasets_have_an_answer(rng, method) -> None:
    """Three datasets are too few for ranks, not for a posterior."""
    answer = compared(table(rng, n_datasets=3, n_models=2), method)
    pair = answer.pair("m1", "m0")
    assert pair.has_interval
    assert pair.p_better + pair.p_equivalent + pair.p_worse == pytest.approx(1)
    text = next(notice.text for notice in answer.notices if notice.code == "few-datasets")
    assert f"{method!r} still answers, but with so few its prior" in text  # and no other method is recommended


@pytest.mark.parametrize("method", BOTH)
def test_the_published_test_stands_beside(rng, method) -> None:
    """Probabilities of which region is the most probable one: of the best against the others, or of the baseline."""
    columns = table(rng)
    answer = compared(columns, method)
    tests = [test for test in answer.supplementary_tests if test.name == method]
    best = answer.models[0]
    assert [test.models for test in tests] == [(best, other) for other in answer.models[1:]]
    means = pd.DataFrame(means_of(columns), columns=["m0", "m1", "m2"])
    d = (means[best] - means[answer.models[1]]).round(12)
    if method == "bayes-sign":
        expected = tb.bayesian.sign_posterior(d, rope=0.01).probabilities()
    else:
        expected = tb.bayesian.signed_rank_posterior(d, rope=0.01).probabilities()
    assert list(tests[0].probabilities.values()) == pytest.approx([float(p) for p in expected], abs=1e-9)
    against = [test.models for test in compared(columns, method, baseline="m1").supplementary_tests if test.name == method]
    assert against == [("m1", "m0"), ("m1", "m2")] or against == [("m1", "m2"), ("m1", "m0")]


@pytest.mark.parametrize("method", BOTH)
def test_gaps_and_ties(rng, method) -> None:
    """A missing cell costs its pairs a dataset, identical models have no interval."""
    score = rng.normal(0.8, 0.05, (9, 3)).round(4)
    columns = {"dataset": [f"d{i}" for i in range(9)], **{f"m{j}": score[:, j].tolist() for j in range(3)}}
    columns["same"] = list(columns["m0"])
    columns["m2"][4] = np.nan
    answer = compared(columns, method)
    assert answer.pair("m2", "m1").n_units == 8
    assert answer.pair("m0", "same").reason == "identical-scores"


@pytest.mark.parametrize("method", BOTH)
def test_a_loss_is_turned_round(rng, method) -> None:
    """The same scores as a loss give the mirrored answer."""
    columns = table(rng, n_models=2)
    score = tb.compare(columns, metric="accuracy", method=method).pair("m1", "m0")
    loss = tb.compare(columns, metric="log_loss", method=method).pair("m1", "m0")
    assert (loss.difference, loss.p_worse) == pytest.approx((-score.difference, score.p_better), abs=1e-12)


def test_options_reach_the_prior_and_the_draws(rng) -> None:
    """A strong prior draws the interval to 0; options that there are not, and draws below one, are refused."""
    columns = table(rng, n_models=2)
    for method in BOTH:
        strong = compared(columns, method, options={"prior_strength": 200.0}).pair("m1", "m0")
        assert strong.interval_low == strong.interval_high == 0
        constant = {"dataset": list("abcd"), "x": [0.7] * 4, "y": [0.8] * 4}
        assert compared(constant, method).pair("x", "y").has_interval
        assert compared(constant, method, options={"prior_strength": 0}).pair("x", "y").reason == "no-spread"
        with pytest.raises(InvalidParameterError, match="has no option 'draws'"):
            compared(columns, method, options={"draws": 5})
        with pytest.raises(InvalidParameterError, match="prior_strength"):
            compared(columns, method, options={"prior_strength": -1})
    with pytest.raises(InvalidParameterError, match="n_draws of bayes-signed-rank must be a whole number from 1"):
        compared(columns, "bayes-signed-rank", options={"n_draws": 0})
    few = compared(columns, "bayes-signed-rank", options={"n_draws": 100}).pair("m1", "m0")
    assert (few.verdict, few.reason) == ("undecided", "too-few-draws")


def test_what_does_not_suit_is_refused(rng) -> None:
    """Metrics without a common unit, and draws of very many pairs."""
    mixed = {"dataset": ["a", "a", "b", "b"], "metric": ["accuracy", "accuracy", "max_error", "max_error"]}
    mixed |= {"model": ["x", "y"] * 2, "score": [0.8, 0.9, 3.0, 2.0]}
    for method in BOTH:
        with pytest.raises(UnsuitableDesignError, match="no common unit"):
            tb.compare(mixed, method=method)
    score = rng.normal(0.8, 0.05, (6, 41))
    many = {"dataset": [f"d{i}" for i in range(6)], **{f"m{j}": score[:, j].tolist() for j in range(41)}}
    with pytest.raises(TooFewModelsError, match="up to 40 models"):
        compared(many, "bayes-signed-rank")
    assert len(compared(many, "bayes-sign").pairs) == 41 * 20


@pytest.mark.parametrize("method", BOTH)
def test_a_posterior_on_points_has_no_curve(rng, method) -> None:
    """Its regions are drawn, and its draws where it has some."""
    answer = compared(table(rng), method)
    assert "regions" in answer.plot.names
    assert "posterior" not in answer.plot.names
    assert ("draws" in answer.plot.names) == (method == "bayes-signed-rank")
    assert answer.pair("m0", "m1").plot.names == ()
    with pytest.raises(NotOfferedError, match="single points"):
        answer.plot.posterior("m0", "m1")


@pytest.mark.slow
@pytest.mark.parametrize("method", BOTH)
def test_the_command_and_what_it_writes_agree(tmp_path, method) -> None:
    """The command, a saved answer read again, and the report, on three real classifiers."""
    scores, path = tmp_path / "bakeoff.csv", tmp_path / "answer.json"
    pd.read_csv(BAKEOFF).iloc[:, :4].to_csv(scores, index=False)
    asked = ["compare", str(scores), "--metric", "accuracy", "--method", method, "--rope", "0.005", "--format", "json"]
    result = CliRunner().invoke(tiebreak, asked, catch_exceptions=False)
    path.write_text(result.stdout, encoding="utf-8")
    answer = tb.compare(scores, metric="accuracy", method=method, rope=0.005)
    content = json.loads(result.stdout)
    assert content["method"]["name"] == method
    again = tb.compare(path)
    pd.testing.assert_frame_equal(again.pairs, answer.pairs)
    answer.to_html(tmp_path / "report.html")
    assert method in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_probabilities_promise_no_confidence_with_the_best(rng: np.random.Generator) -> None:
    """Of comparisons with the best, too, credible intervals do not hold at once, and the note below the ranking says so."""
    columns = {"dataset": [f"d{k}" for k in range(12)], **{name: rng.normal(0.8, 0.02, 12) for name in "abc"}}
    said = {
        method: " ".join(tb.compare(columns, metric="accuracy", family="best", method=method).to_text().split())
        for method in ("bayes-signed-rank", "wilcoxon")
    }
    assert "by posterior probabilities, which do not hold at once" in said["bayes-signed-rank"]
    assert "with 95% confidence the best is among those that may be" not in said["bayes-signed-rank"]
    assert "with 95% confidence the best is among those that may be" in said["wilcoxon"]
