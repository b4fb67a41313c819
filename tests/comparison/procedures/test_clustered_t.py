"""Means over items: Student's t, cluster-robust, weighted, over runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tests.comparison.procedures.test_tango import NAMES, answers, items_of
from tiebreak.errors import DataError
from tiebreak.statistics import clustered_mean, crossed_mean
from tiebreak.statistics.skew import hall_inverse

F1 = tb.Metric("f1", True)
LOSS = tb.Metric("log_loss", False)


def graded(n: int = 120, n_runs: int = 1, seed: int = 0, **more: object) -> tb.Items:
    """Three models with scores between 0 and 1, in runs."""
    rng = np.random.default_rng(seed)
    score = 0.5 + 0.2 * rng.normal(size=n) + 0.05 * rng.normal(size=(3, n_runs, 1)) + 0.1 * rng.normal(size=(3, n_runs, n))
    score += np.array([0.05, 0.0, -0.06])[:, None, None]
    return items_of(np.clip(score, 0, 1), **{"metric": F1, **more})


CLUSTERS = tuple(f"text {i // 7}" for i in range(120))


def check(answer: tb.Comparison, expected: dict[tuple[str, str], object], level: float) -> None:
    """Every pair against an array function of its differences: its interval is held and Hall's with it, within -1 and 1."""
    for row in answer.pairs.to_dict("records"):
        result = expected[row["first"], row["second"]]
        low, high = np.clip(result.interval(1 - level), -1, 1)  # type: ignore[attr-defined]
        assert row["interval_low"] <= low + 1e-12
        assert row["interval_high"] >= high - 1e-12
        assert min(low - row["interval_low"], row["interval_high"] - high) <= 1e-12, "one end is Student's"
        for name, theirs in (("difference", "estimate"), ("standard_error", "se"), ("df", "df")):
            assert row[name] == pytest.approx(float(getattr(result, theirs)), rel=1e-9), name
        assert row["pvalue"] >= float(result.pvalue()) * (1 - 1e-9)  # type: ignore[attr-defined]


def test_many_runs_whose_means_are_skewed_stretch_the_interval() -> None:
    """Ten runs: the farther ends of Student's and of Hall's t of their means with scipy's skewness; three: Student's."""
    rng = np.random.default_rng(3)
    for n_runs in (3, 10):
        of_runs = rng.lognormal(0, 1, (n_runs, 1))
        a, b = of_runs + 0.01 * rng.normal(size=(n_runs, 40)), np.zeros((n_runs, 40))
        runs, items = np.divmod(np.arange(40 * n_runs), 40)
        table = pd.DataFrame({"item": items, "run": runs, "a": a.ravel(), "b": b.ravel()})
        pair = tb.compare(table, metric="cost", lower_is_better=True).pair("b", "a")
        means = a.mean(axis=1)
        low, high = stats.t.interval(0.95, n_runs - 1, means.mean(), stats.sem(means))
        assert pair.interval_low == pytest.approx(low, rel=1e-3)
        if n_runs < 10:
            assert pair.interval_high == pytest.approx(high, rel=1e-3)
            continue
        g = stats.skew(means, bias=False) / np.sqrt(n_runs)
        end = hall_inverse(-stats.t.ppf(0.975, n_runs - 1), g)
        assert pair.interval_high == pytest.approx(means.mean() - end * stats.sem(means), rel=1e-3)
        assert pair.interval_high > high


def test_plain_items_are_the_paired_t_test_and_halls() -> None:
    """scipy's ttest_rel with its skewness, twice: both must exclude, at the level of the family; by hand from Hall 1992."""
    items = graded()
    answer = tb.compare(items, rope=0.02)
    assert answer.method.name == "clustered-t"
    for row in answer.pairs.to_dict("records"):
        a, b = (items.score[items.models.index(row[side]), 0] for side in ("first", "second"))
        test = stats.ttest_rel(a, b)
        d, n = a - b, 120
        g = stats.skew(d, bias=False)
        a = 2 * g / (3 * np.sqrt(n))
        hall = test.statistic + a * test.statistic**2 + a**2 * test.statistic**3 / 3 + a / 2
        one_sided = [max(stats.t.sf(sign * t, n - 1) for t in (test.statistic, hall)) for sign in (1, -1)]
        assert row["pvalue"] == pytest.approx(2 * min(one_sided), rel=1e-9)
        low, high = test.confidence_interval(1 - 0.05 / 3)
        assert row["interval_low"] <= low * (1 + 1e-12)
        assert row["interval_high"] >= high * (1 - 1e-12)
        assert row["df"] == 119


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_and_weights(weighted: bool) -> None:
    """The array function on the differences of each pair, and on the scores of each model."""
    weights = np.random.default_rng(5).random(120) if weighted else None
    items = graded(clusters=CLUSTERS, weights=weights)
    answer = tb.compare(items)
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    expected = {}
    for one, two in pairs:
        d = items.score[NAMES.index(one), 0] - items.score[NAMES.index(two), 0]
        expected[one, two] = clustered_mean(d, CLUSTERS, weights=weights)
    check(answer, expected, 0.05 / 3)
    ranking = answer.ranking.set_index("model")
    for name, row in zip(items.models, items.score[:, 0], strict=True):
        own = clustered_mean(row, CLUSTERS, weights=weights)
        assert ranking.loc[name, "mean"] == pytest.approx(own.estimate, rel=1e-12)
        assert ranking.loc[name, "standard_error"] == pytest.approx(own.se, rel=1e-12)
        assert_allclose(ranking.loc[name, ["mean_low", "mean_high"]].to_numpy(float), own.interval(), rtol=1e-9)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_runs_are_all_used(clustered: bool, n_runs: int) -> None:
    """The array function for items and runs, on differences run by run."""
    clusters = CLUSTERS if clustered else None
    items = graded(n_runs=n_runs, clusters=clusters)
    answer = tb.compare(items)
    expected = {}
    for one, two in [("a", "b"), ("a", "c"), ("b", "c")]:
        d = items.score[NAMES.index(one)] - items.score[NAMES.index(two)]
        expected[one, two] = crossed_mean(d, clusters).law
    check(answer, {pair: expected[pair] for pair in expected}, 0.05 / 3)
    assert "and further runs of these models" in answer.method.generalises_to
    assert "few-units" in {notice.code for notice in answer.notices}


def test_losses_are_mirrored() -> None:
    """Lower is better: positive differences favour the first all the same."""
    for more in ({}, {"clusters": CLUSTERS}):
        items = graded(metric=LOSS, **more)
        answer = tb.compare(items)
        assert answer.models == ("c", "b", "a")
        pair = answer.pair("c", "a")
        assert pair.difference == pytest.approx(float((items.score[0] - items.score[2]).mean()))
        assert pair.verdict == "better"


def test_gaps_leave_each_pair_its_own_items() -> None:
    """Clusters and gaps: as the array function on the items that both have."""
    rng = np.random.default_rng(3)
    items = graded(clusters=CLUSTERS)
    score = np.where(rng.random(items.score.shape) < 0.1, np.nan, items.score)
    answer = tb.compare(items_of(score[:, 0], metric=F1, clusters=CLUSTERS), missing="pairwise")
    expected = {}
    for row in answer.pairs.to_dict("records"):
        d = score[NAMES.index(row["first"]), 0] - score[NAMES.index(row["second"]), 0]
        expected[row["first"], row["second"]] = clustered_mean(d, CLUSTERS, omit_missing=True)
        assert row["n_units"] == np.count_nonzero(~np.isnan(d))
    check(answer, expected, 0.05 / 3)


def test_runs_with_gaps() -> None:
    """Items that a model has in no run leave the pair, the others stay."""
    items = graded(n_runs=3)
    score = items.score.copy()
    score[0, :, :5] = np.nan
    answer = tb.compare(items_of(score, metric=F1), missing="pairwise")
    pair = answer.pair("a", "c")
    assert pair.n_units == 115
    expected = crossed_mean((score[0] - score[2])[:, 5:]).law.interval(1 - 0.05 / 3)
    assert pair.interval_low <= expected[0] + 1e-12
    assert pair.interval_high >= expected[1] - 1e-12


def test_identical_and_constant_differences_have_no_interval() -> None:
    """Of floats whose difference is rounding noise, too: p = 1 for identical ones, undecided both."""
    row = np.random.default_rng(0).random(50)
    for more in ({}, {"clusters": tuple(f"c{i % 9}" for i in range(50))}):
        answer = tb.compare(items_of(np.array([row, row, row - 0.125]), metric=tb.Metric("profit", True), **more))
        assert answer.pair("a", "b").reason == "identical-scores"
        assert answer.pair("a", "b").pvalue == 1.0
        assert answer.pair("a", "c").reason == "no-spread"
        assert answer.pair("a", "c").verdict == "undecided"
        assert "identical scores on all 50 questions" in answer.pair("a", "b").sentence


def test_one_cluster_is_refused() -> None:
    """Nothing shows how the difference varies from cluster to cluster."""
    with pytest.raises(DataError, match="all 200 questions are of one cluster"):
        tb.compare(answers(clusters=("x",) * 200))
    with pytest.raises(DataError, match="there is only one"):
        tb.compare(items_of([[1.0], [0.0]]))


def test_few_clusters_are_said() -> None:
    """Three of them: a wide interval, with about two degrees of freedom."""
    answer = tb.compare(answers(clusters=tuple(f"c{i % 3}" for i in range(200))))
    assert "few-units" in {notice.code for notice in answer.notices}
    assert float(answer.pairs["df"].iloc[0]) < 2.1


def test_many_pairs_in_blocks_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few numbers are handled at a time."""
    items = graded(clusters=CLUSTERS, n_runs=3)
    whole = tb.compare(items).pairs
    monkeypatch.setattr("tiebreak.numerics.checks.BLOCK", 1)
    assert tb.compare(items).pairs.equals(whole)


def test_the_parts_of_the_variance_stand_beside() -> None:
    """By items and runs, with what more of either would bring."""
    items = graded(n_runs=3)
    answer = tb.compare(items)
    (test,) = answer.supplementary_tests
    parts = test.probabilities
    one, two = (NAMES.index(name) for name in answer.models[:2])
    expected = crossed_mean(items.score[one] - items.score[two])
    whole = expected.from_items + expected.from_runs + expected.from_both
    assert parts["runs"] == pytest.approx(expected.from_runs / whole)
    assert parts["runs"] > parts["items"]
    assert "runs would help most" in " ".join(answer.details.split())


def test_weights_count_in_a_rope_of_per_cent() -> None:
    """Of the weighted mean of the best model, not of the plain one."""
    weights = np.r_[np.full(60, 5.0), np.ones(60)]
    items = graded(weights=weights)
    answer = tb.compare(items, rope="10%")
    assert answer.rope == pytest.approx(0.1 * np.average(items.score[0, 0], weights=weights))


def test_an_end_beside_a_long_tail_is_far_out(tmp_path: Path) -> None:
    """One item carries nearly all: on the side of its tail the end is the more distant one, and it is said."""
    costs = np.stack([[*np.linspace(1.0, 1.1, 29), 90.0], np.ones(30)])
    answer = tb.compare(items_of(costs, metric=LOSS))
    pair = answer.pairs.iloc[0]
    below, above = pair["difference"] - pair["interval_low"], pair["interval_high"] - pair["difference"]
    assert 1.5 * min(below, above) < max(below, above) < np.inf
    assert pair["verdict"] == "undecided"
    (notice,) = [each for each in answer.notices if each.code == "carried-by-few"]
    assert "one question carries 97% of the variance" in notice.text  # 29/30, the most that one of 30 can
    assert str(answer)
    assert answer.to_json()
    answer.to_html(tmp_path / "report.html")


def test_few_items_and_skew_are_said() -> None:
    """Below 60 always, with the share that 1 sample in 20 misses (1 - 0.05^(1/30) = 9.5 %); skew of 200, not heavy tails."""
    rng = np.random.default_rng(4)

    def codes(values: np.ndarray, **more: object) -> dict[str, str]:
        found = tb.compare(items_of(np.stack([values, np.zeros(values.size)]), metric=LOSS, **more)).notices
        return {each.code: each.text for each in found}

    assert "with 30 questions, what 10% of all questions show" in codes(rng.normal(size=30))["few-items"]
    twenty = codes(rng.normal(size=60), clusters=tuple("abcdefghijklmnopqrst" * 3))
    assert "with 20 clusters, what 14% of all clusters" in twenty["few-items"]
    assert {"few-items", "carried-by-few"}.isdisjoint(codes(rng.normal(size=60)))
    assert "carried-by-few" in codes(rng.lognormal(0, 1.5, 200))
    assert sum("carried-by-few" in codes(rng.standard_t(2, 100)) for _ in range(40)) <= 6  # 5 % of 40 exceed 6 in 0.3 %


def test_rare_events_are_said() -> None:
    """The difference is the same on all but two of 30 items: what these two show is as good as nothing."""
    score = np.stack([np.where(np.arange(30) < 2, 5.0, 0.0), np.full(30, 0.3)])
    (notice,) = [each for each in tb.compare(items_of(score, metric=LOSS)).notices if each.code == "carried-by-few"]
    assert "all but 2 of the 30 questions" in notice.text
    assert "carried-by-few" not in [each.code for each in tb.compare(graded()).notices]


def test_items_that_stand_twice_are_said(rng: np.random.Generator) -> None:
    """Every item under two names, and half of them; named clusters say already what belongs together."""
    once = rng.random((2, 40))
    for rows, n in ((np.tile(once, 2), 80), (np.concatenate([once, once[:, :20]], axis=1), 40)):
        table = {"item": np.arange(rows.shape[1]), "a": rows[0], "b": rows[1]}
        text = {each.code: each.text for each in tb.compare(table, metric="quality", lower_is_better=False).notices}
        assert text["copied-units"].startswith(f"{n} of the {rows.shape[1]} items have the same scores of all models")
    table |= {"cluster": [f"text {i % 40}" for i in range(60)]}
    assert "copied-units" not in [each.code for each in tb.compare(table, metric="quality", lower_is_better=False).notices]


def test_runs_of_unequal_numbers_are_two_samples() -> None:
    """2 and 5 runs: the error of the runs' means is that of both models' own, with Welch's degrees of freedom for the larger."""
    rng = np.random.default_rng(3)
    score = rng.normal(size=(2, 5, 40)) + rng.normal(size=40) + rng.normal(size=(2, 5, 1))
    score[0, 2:] = np.nan
    pair = tb.compare(items_of(score, metric=tb.Metric("quality", True))).pair("a", "b")
    v, w = (np.var(own, ddof=1) / own.size for own in (score[0, :2].mean(axis=1), score[1].mean(axis=1)))
    assert pair.judged.beside["runs_error"] == pytest.approx(np.sqrt(v + w))
    v_guarded = max(v, w * 5 / 2)
    df = (v_guarded + w) ** 2 / (v_guarded**2 + w**2 / 4)
    half = -stats.t.ppf(0.025, df) * np.sqrt(v + w)
    assert pair.interval_high - pair.interval_low >= 2 * half * (1 - 1e-12)
    one = tb.compare(items_of(score[:, :, :], metric=tb.Metric("quality", True))).notices
    assert "40 questions, 2-5 runs each" in str(tb.compare(items_of(score, metric=tb.Metric("quality", True))))
    assert "2 runs show little" in next(notice.text for notice in one if notice.code == "few-units")


def test_halls_t_of_few_clusters_only_where_skew_is_seen() -> None:
    """Eight clusters whose means are about symmetric have Student's interval; one far out stretches it."""
    cluster = np.repeat(np.arange(8), 4)
    means = np.array([-3.0, -2, -1, 0, 0.5, 1, 2, 3.1])
    for value, is_plain in ((3.1, True), (30.0, False)):
        means[-1] = value
        table = {"item": np.arange(32), "cluster": cluster, "a": means[cluster], "b": np.zeros(32)}
        pair = tb.compare(table, metric="cost", lower_is_better=True).pair("a", "b")
        low, high = clustered_mean(-means[cluster], cluster).interval()
        same = np.allclose([pair.interval_low, pair.interval_high], [low, high], rtol=1e-9)
        assert same == is_plain
