"""Means over items: rates by Tango's interval, graded scores, clusters and runs, and macro-averages over tasks."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tiebreak.comparison.procedures.procedure import p_words
from tiebreak.errors import DataError
from tiebreak.statistics import clustered_mean, cochran_q, crossed_mean, mcnemar, paired_counts, proportion_interval, tango
from tiebreak.statistics.skew import hall_inverse

# --- right or wrong ---------------------------------------------------------------------------------------------------------


NAMES = ("a", "b", "c", "d")


def answers(n: int = 200, seed: int = 0, **more: object) -> tb.Items:
    """Four models on the same items, right or wrong, with items that are hard for all."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=n)
    score = (ease + rng.normal(size=(4, n)) > np.array([-0.9, -0.6, -0.5, 0.2])[:, None]).astype(float)
    return items_of(score, **more)


def items_of(score: np.ndarray, **more: object) -> tb.Items:
    """Rows are models, columns items."""
    score = np.asarray(score, dtype=float)
    names = tuple(f"q{i}" for i in range(score.shape[-1]))
    table = score[:, None, :] if score.ndim == 2 else score
    runs = tuple(str(run + 1) for run in range(table.shape[1]))
    settings: dict[str, object] = {"metric": tb.Metric("accuracy", True), "unit": "question", **more}
    return tb.Items(models=NAMES[: len(table)], runs=runs, items=names, score=table, **settings)  # type: ignore[arg-type]


def test_every_pair_agrees_with_the_array_function() -> None:
    """Differences, intervals at the level of the family and p-values to 1e-12."""
    items = answers()
    answer = tb.compare(items, rope=0.02)
    assert answer.method.name == "tango"
    level = 0.05 / 6
    for row in answer.pairs.to_dict("records"):
        one, two = (items.models.index(row[side]) for side in ("first", "second"))
        counts = paired_counts(items.score[:, 0], one, two)
        expected = tango(*counts)
        low, high = expected.interval(1 - level)
        assert_allclose([row["interval_low"], row["interval_high"]], [low, high], atol=1e-12)
        assert row["difference"] == pytest.approx(expected.estimate, abs=1e-15)
        assert row["standard_error"] == pytest.approx(expected.se, rel=1e-12)
        assert row["pvalue"] == pytest.approx(mcnemar(*counts[1:3], "chi2").pvalue, rel=1e-9)
        assert row["n_units"] == 200
        assert row["interval_alpha"] == level


def test_an_error_rate_is_the_mirrored_accuracy() -> None:
    """Wrong instead of right, lower is better: the same verdicts and oriented differences."""
    items = answers()
    wrong = tb.Items(tb.Metric("error_rate", False), items.models, items.runs, items.items, 1 - items.score, unit="question")
    one, other = tb.compare(items, rope=0.02).pairs, tb.compare(wrong, rope=0.02).pairs
    for name in ("difference", "interval_low", "interval_high", "pvalue"):
        assert_allclose(one[name], other[name], atol=1e-12)
    assert list(one["verdict"]) == list(other["verdict"])


def test_identical_answers_have_a_proper_interval() -> None:
    """Nobody differs: p = 1, and the interval, [-3.69 / (n + 3.84), ...], says how much could still be; a wide rope holds it."""
    z2 = 1.959963984540054**2
    for n in (10, 100, 1000):
        row = np.tile([1.0, 0.0], n // 2)
        answer = tb.compare(items_of(np.array([row, row])), rope=0.05)
        pair = answer.pair("a", "b")
        assert pair.pvalue == 1.0
        assert pair.interval_high == pytest.approx(z2 / (n + z2), abs=1e-12)  # Tango 1998: the closed form at b = c = 0
        assert pair.interval_low == -pair.interval_high
        assert pair.verdict == ("equivalent" if n >= 100 else "undecided")
        assert "identical-scores" in {notice.code for notice in answer.notices}


def test_single_means_have_wilson_intervals_and_standard_errors() -> None:
    """As tools for language models print them: s / sqrt(n), with divisor n - 1."""
    items = answers()
    ranking = tb.compare(items).ranking.set_index("model")
    for name, row in zip(items.models, items.score[:, 0], strict=True):
        low, high = proportion_interval(row.sum(), row.size)
        assert_allclose(ranking.loc[name, ["mean_low", "mean_high"]].to_numpy(dtype=float), [low, high], atol=1e-12)
        assert ranking.loc[name, "mean"] == row.mean()
        assert ranking.loc[name, "standard_error"] == pytest.approx(row.std(ddof=1) / np.sqrt(row.size), rel=1e-12)


def test_missing_items_are_named_and_pairs_say_their_number() -> None:
    """An error first; with "pairwise" each pair is on the items that both have."""
    items = answers()
    score = items.score.copy()
    score[0, 0, [3, 7]] = np.nan
    gaps = items_of(score[:, 0])
    with pytest.raises(DataError, match=r"'a' lacks 2 of the 200 questions: 'q3', 'q7'; .* on the questions it shares"):
        tb.compare(gaps)
    answer = tb.compare(gaps, missing="pairwise")
    assert {row["n_units"] for row in answer.pairs.to_dict("records") if "a" in (row["first"], row["second"])} == {198}
    pair = answer.pair("a", "b")
    kept = np.delete(np.arange(200), [3, 7])
    expected = tango(*paired_counts(items.score[:2, 0][:, kept])).interval(1 - 0.05 / 6)
    assert_allclose([pair.interval_low, pair.interval_high], expected, atol=1e-12)
    assert "missing-splits" in {notice.code for notice in answer.notices}


def test_a_pair_without_a_shared_item_has_no_interval() -> None:
    """And says so."""
    score = np.array([[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 1], [1, 1, 0, 1]])
    pair = tb.compare(items_of(score), missing="pairwise").pair("a", "b")
    assert (pair.verdict, pair.reason, pair.n_units) == ("undecided", "missing-splits", 0)
    assert "share 0 questions, too few" in pair.sentence


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (answers(clusters=tuple("ab" * 100)), "come in clusters"),
        (answers(weights=np.arange(200) + 1.0), "have weights"),
        (items_of(np.zeros((2, 3, 10)) + np.array([0, 1, 1])[:, None]), "there are 3 runs"),
        (items_of(np.random.default_rng(0).random((2, 10)), metric=tb.Metric("f1", True)), r"not all 0 or 1 \(f1\)"),
    ],
    ids=["clusters", "weights", "runs", "f1"],
)
def test_it_refuses_what_it_cannot_count(items: tb.Items, why: str) -> None:
    """And names the procedure that can, which "auto" takes."""
    with pytest.raises(DataError, match=f"tango counts questions .*{why}. The method 'clustered-t'"):
        tb.compare(items, method="tango")
    assert tb.compare(items).method.name == "clustered-t"


def test_other_tests_stand_beside() -> None:
    """McNemar's three for two models, Cochran's Q for more, of these items."""
    items = answers()
    two = {test.name: test for test in tb.compare(items.take(["a", "c"])).supplementary_tests}
    _, only_first, only_second, _ = paired_counts(items.score[:, 0], 0, 2)
    for variant in ("exact", "mid-p", "chi2"):
        expected = mcnemar(only_first, only_second, variant)  # type: ignore[arg-type]
        assert two[f"mcnemar-{variant}"].pvalue == pytest.approx(expected.pvalue)
    several = tb.compare(items)
    cochran = next(test for test in several.supplementary_tests if test.name == "cochran")
    expected_q = cochran_q(items.score[:, 0])
    assert (cochran.statistic, cochran.pvalue) == pytest.approx((expected_q.statistic, expected_q.pvalue))
    assert (p_words(0.0123), p_words(0.0)) == ("p 0.0123", "p < 1e-300")  # Cochran's Q of 2,808 once had "p 0"


def test_items_and_splits_are_not_taken_for_each_other() -> None:
    """Either way round it is refused, by name, with the one that fits."""
    with pytest.raises(DataError, match=r"corrected-t is for scores on splits .* and these are scores of single items"):
        tb.compare(answers(), method="corrected-t")
    with pytest.raises(DataError, match=r"welch is for .* the one that suits them, 'tango'"):
        tb.compare(answers(), method="welch")
    splits = {"a": [0.8, 0.7, 0.9], "b": [0.7, 0.7, 0.8]}
    with pytest.raises(DataError, match=r"tango is for scores of single items .*rows='items'"):
        tb.compare(splits, metric="accuracy", n_train=90, n_test=10, method="tango")


# --- graded scores, clusters, runs ------------------------------------------------------------------------------------------


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


# --- tasks ------------------------------------------------------------------------------------------------------------------


SIZES = {"arc": 200, "gsm8k": 60, "mmlu": 500}


def table(rng: np.random.Generator, sizes: dict[str, int] = SIZES, column: str = "task") -> pd.DataFrame:
    """Right and wrong answers of three models to the questions of several tasks, numbered anew in each."""
    rows = []
    for task, n in sizes.items():
        hard = rng.normal(size=n)
        for model, skill in (("large", 0.5), ("medium", 0.1), ("small", 0.0)):
            right = hard + rng.normal(size=n) < skill
            rows += [(task, number, model, int(each)) for number, each in enumerate(right)]
    return pd.DataFrame(rows, columns=[column, "question", "model", "score"])


def by_hand(frame: pd.DataFrame, first: str, second: str) -> tuple[pd.Series, float, float, float]:
    """Differences of each task, their mean, its standard error and Satterthwaite's degrees of freedom."""
    wide = frame.pivot_table(index=["task", "question"], columns="model", values="score")
    of_task = (wide[first] - wide[second]).dropna().groupby("task")
    v = of_task.var() / of_task.size() / of_task.ngroups**2
    return of_task.mean(), of_task.mean().mean(), np.sqrt(v.sum()), v.sum() ** 2 / (v**2 / (of_task.size() - 1)).sum()


def test_macro_average_and_tasks_are_those_by_hand(rng: np.random.Generator) -> None:
    """To 1e-12: the mean of the tasks' differences, the stratified error, and each task's own difference."""
    frame = table(rng)
    found = tb.compare(frame)
    assert found.method.name == "macro-average"
    tasks, mean, error, df = by_hand(frame, "large", "small")
    pair = found.pair("large", "small")
    assert (pair.difference, pair.standard_error, pair.df) == (
        pytest.approx(mean, rel=1e-12),
        pytest.approx(error, rel=1e-12),
        pytest.approx(df, rel=1e-12),
    )
    rows = found.slices().to_frame().query("first == 'large' and second == 'small'")
    assert dict(zip(rows["slice"], rows["difference"], strict=True)) == {
        task: pytest.approx(value, rel=1e-12) for task, value in tasks.items()
    }
    values = found.ranking.set_index("model")["mean"]
    assert values["medium"] == pytest.approx(frame[frame.model == "medium"].groupby("task").score.mean().mean(), rel=1e-12)


def test_a_task_is_judged_by_the_procedure_of_its_items(rng: np.random.Generator) -> None:
    """Right and wrong: Tango's interval, as for the same task alone, at the level of pairs times tasks."""
    frame = table(rng)
    row = tb.compare(frame, models=["large", "small"]).slices().to_frame().query("slice == 'gsm8k'").iloc[0]
    alone = tb.compare(frame[frame.task == "gsm8k"], models=["large", "small"], alpha=0.05 / 3)
    assert alone.method.name == "tango"
    assert (row.interval_low, row.interval_high) == pytest.approx((alone.pairs.interval_low[0], alone.pairs.interval_high[0]))


def test_the_page_says_what_the_answer_is_about(rng: np.random.Generator) -> None:
    """These very tasks with the same weight, and a table by task."""
    text = " ".join(tb.compare(table(rng)).to_text(columns="all").split())
    assert "further questions of these very tasks, each task with the same weight" in text
    assert "Nothing is said of other tasks" in text
    assert "By task; a positive difference favours the first" in text


@pytest.mark.parametrize("column", ["task", "subtask", "benchmark"])
def test_tasks_are_told_by_their_column(column: str, rng: np.random.Generator) -> None:
    """By any of the names that the field has for it."""
    frame = table(rng, column=column)
    assert tb.compare(frame).method.name == "macro-average"
    assert tb.read_items(frame).tasks is not None


def test_one_task_is_compared_as_before(rng: np.random.Generator) -> None:
    """A column that names one task changes nothing."""
    frame = table(rng, {"arc": 80})
    assert tb.compare(frame).pairs.equals(tb.compare(frame.drop(columns="task")).pairs)
    with pytest.raises(DataError, match="is the mean over several tasks, and these questions are of one"):
        tb.compare(frame, method="macro-average")


def test_pooled_items_and_further_tasks_are_asked_for(rng: np.random.Generator) -> None:
    """Pooled, a large task counts more; over datasets, each task is one unit, with the same means."""
    frame = table(rng)
    pooled = tb.compare(frame, method="clustered-t").pair("large", "small")
    wide = frame.pivot_table(index=["task", "question"], columns="model", values="score")
    assert pooled.difference == pytest.approx((wide["large"] - wide["small"]).mean(), rel=1e-12)
    datasets = tb.compare(frame, method="wilcoxon")
    assert datasets.scores.datasets == ("arc", "gsm8k", "mmlu")
    assert datasets.pair("large", "small").differences.tolist() == pytest.approx(by_hand(frame, "large", "small")[0].tolist())


def test_missing_items_are_left_out_of_their_pair(rng: np.random.Generator) -> None:
    """Each pair by the items that both have; the page names the model that lacks some."""
    frame = table(rng)
    frame = frame.drop(frame[(frame.model == "small") & (frame.task == "gsm8k") & (frame.question < 20)].index)
    found = tb.compare(frame)
    _, mean, error, _ = by_hand(frame, "large", "small")
    pair = found.pair("large", "small")
    assert (pair.difference, pair.standard_error, pair.n_units) == (pytest.approx(mean), pytest.approx(error), 740)
    assert any(notice.code == "missing-splits" and "'small' lacks" in notice.text for notice in found.notices)


def test_a_model_without_a_task_is_refused_with_what_is_shared(rng: np.random.Generator) -> None:
    """Its average would be of other tasks than that of the others."""
    frame = table(rng)
    frame = frame[(frame.model != "small") | (frame.task != "mmlu")]
    with pytest.raises(DataError, match=r"'small' has no score of the task 'mmlu'.*All models share 'arc' and 'gsm8k'"):
        tb.compare(frame)


def test_epochs_are_averaged_within_items(rng: np.random.Generator) -> None:
    """Two answers to one question are one unit, so the answer is that of their means."""
    frame = table(rng)
    second = frame.assign(epoch=2, score=np.where(rng.random(len(frame)) < 0.2, 1 - frame.score, frame.score))
    both = pd.concat([frame.assign(epoch=1), second])
    means = both.groupby(["task", "question", "model"], as_index=False).score.mean()
    pair, alone = (tb.compare(each, metric="accuracy").pair("large", "small") for each in (both, means))
    assert (pair.difference, pair.interval_low, pair.interval_high) == pytest.approx(
        (alone.difference, alone.interval_low, alone.interval_high)
    )


def test_runs_are_crossed_with_the_items_of_all_tasks(rng: np.random.Generator) -> None:
    """The mean is that over tasks of all runs; runs that shift a model everywhere widen the error, tasks that differ do not."""
    frame = pd.concat([table(rng).assign(run=run) for run in range(4)])
    means = frame.groupby(["task", "question", "model"], as_index=False).score.mean()
    _, mean, error, _ = by_hand(means, "large", "small")
    found = tb.compare(frame)
    pair = found.pair("large", "small")
    assert pair.difference == pytest.approx(mean, rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=0.2)
    eased = frame.assign(score=frame.score + 10.0 * ((frame.task == "arc") & (frame.model == "large")))
    assert tb.compare(eased, metric="points", lower_is_better=False).pair("large", "small").standard_error == pytest.approx(
        pair.standard_error, rel=1e-9
    )
    shifted = frame.assign(score=frame.score + np.where((frame.model == "large") & (frame.run == 0), 1.0, 0.0))
    assert tb.compare(shifted, metric="points", lower_is_better=False).pair("large", "small").standard_error > 2 * error
