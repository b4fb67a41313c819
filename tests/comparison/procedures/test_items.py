"""Means over items: rates by Tango's interval, graded scores, clusters and runs, and macro-averages over tasks."""

from collections.abc import Callable
from typing import Any

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


def codes(answer: tb.Comparison) -> dict[str, str]:
    """Notices by their codes."""
    return {notice.code: notice.text for notice in answer.notices}


# --- right or wrong ---------------------------------------------------------------------------------------------------------


NAMES = ("a", "b", "c", "d")
WRONG = tb.Metric("error_rate", False)


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
    for pair in answer.pairs.itertuples():
        counts = paired_counts(items.score[:, 0], items.models.index(pair.first), items.models.index(pair.second))
        expected = tango(*counts)
        assert_allclose([pair.interval_low, pair.interval_high], expected.interval(1 - 0.05 / 6), atol=1e-12)
        assert_allclose([pair.difference, pair.standard_error], [expected.estimate, expected.se], rtol=1e-12)
        assert pair.pvalue == pytest.approx(mcnemar(*counts[1:3], "chi2").pvalue, rel=1e-9)
        assert (pair.n_units, pair.interval_alpha) == (200, 0.05 / 6)


def test_an_error_rate_is_the_mirrored_accuracy() -> None:
    """Wrong instead of right, lower is better: the same verdicts and oriented differences."""
    one, other = (tb.compare(each, rope=0.02).pairs for each in (answers(), items_of(1 - answers().score, metric=WRONG)))
    columns = ["difference", "interval_low", "interval_high", "pvalue"]
    assert_allclose(one[columns], other[columns], atol=1e-12)
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
        assert "identical-scores" in codes(answer)


def test_single_means_have_wilson_intervals_and_standard_errors() -> None:
    """As tools for language models print them: s / sqrt(n), with divisor n - 1."""
    items = answers()
    ranking = tb.compare(items).ranking.set_index("model")
    for name, row in zip(items.models, items.score[:, 0], strict=True):
        found = ranking.loc[name, ["mean", "standard_error", "mean_low", "mean_high"]].to_numpy(dtype=float)
        expected = [row.mean(), row.std(ddof=1) / np.sqrt(row.size), *proportion_interval(row.sum(), row.size)]
        assert_allclose(found, expected, atol=1e-12)


def test_missing_items_are_named_and_pairs_say_their_number() -> None:
    """An error first; with "pairwise" each pair is on the items that both have."""
    score = answers().score[:, 0]
    kept = np.delete(score, [3, 7], axis=1)
    score[0, [3, 7]] = np.nan
    with pytest.raises(DataError, match=r"'a' lacks 2 of the 200 questions: 'q3', 'q7'; .* on the questions it shares"):
        tb.compare(items_of(score))
    answer = tb.compare(items_of(score), missing="pairwise")
    pair, expected = answer.pair("a", "b"), tango(*paired_counts(kept[:2])).interval(1 - 0.05 / 6)
    assert_allclose([pair.n_units, pair.interval_low, pair.interval_high], [198, *expected], atol=1e-12)
    assert "missing-splits" in codes(answer)


def test_a_pair_without_a_shared_item_has_no_interval() -> None:
    """And says so."""
    score = np.array([[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 1], [1, 1, 0, 1]])
    pair = tb.compare(items_of(score), missing="pairwise").pair("a", "b")
    assert (pair.verdict, pair.reason, pair.n_units) == ("undecided", "missing-splits", 0)


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
        assert two[f"mcnemar-{variant}"].pvalue == pytest.approx(mcnemar(only_first, only_second, variant).pvalue)
    cochran = next(test for test in tb.compare(items).supplementary_tests if test.name == "cochran")
    expected_q = cochran_q(items.score[:, 0])
    assert (cochran.statistic, cochran.pvalue) == pytest.approx((expected_q.statistic, expected_q.pvalue))
    assert (p_words(0.0123), p_words(0.0)) == ("p 0.0123", "p < 1e-300")  # Cochran's Q of 2,808 once had "p 0"


@pytest.mark.parametrize(
    ("source", "settings", "text"),
    [
        (answers(), {"method": "corrected-t"}, "corrected-t is for scores on splits .* and these are scores of single items"),
        (answers(), {"method": "welch"}, "welch is for .* the one that suits them, 'tango'"),
        (
            {"a": [0.8, 0.7, 0.9], "b": [0.7, 0.7, 0.8]},
            {"metric": "accuracy", "n_train": 90, "n_test": 10, "method": "tango"},
            "tango is for scores of single items .*rows='items'",
        ),
    ],
)
def test_items_and_splits_are_not_taken_for_each_other(source: Any, settings: dict[str, Any], text: str) -> None:
    """Either way round it is refused, by name, with the one that fits."""
    with pytest.raises(DataError, match=text):
        tb.compare(source, **settings)


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


def check(answer: tb.Comparison, law_of: Callable[[int, int], Any]) -> None:
    """Every pair against an array function: its interval is held and Hall's with it, within -1 and 1."""
    for row in answer.pairs.to_dict("records"):
        law = law_of(*(NAMES.index(row[side]) for side in ("first", "second")))
        low, high = np.clip(law.interval(1 - 0.05 / 3), -1, 1)
        assert row["interval_low"] <= low + 1e-12
        assert row["interval_high"] >= high - 1e-12
        assert min(low - row["interval_low"], row["interval_high"] - high) <= 1e-12, "one end is Student's"
        assert_allclose([row["difference"], row["standard_error"], row["df"]], [law.estimate, law.se, law.df], rtol=1e-9)
        assert row["pvalue"] >= float(law.pvalue()) * (1 - 1e-9)


@pytest.mark.parametrize("n_runs", [3, 10])
def test_many_runs_whose_means_are_skewed_stretch_the_interval(n_runs: int) -> None:
    """Ten runs: the farther ends of Student's and of Hall's t of their means with scipy's skewness; three: Student's."""
    rng = np.random.default_rng(3)
    of_runs = rng.lognormal(0, 1, (n_runs, 1)) + 0.01 * rng.normal(size=(n_runs, 40))
    pair = tb.compare(items_of(np.stack([of_runs, np.zeros((n_runs, 40))]), metric=tb.Metric("cost", False))).pair("b", "a")
    means = of_runs.mean(axis=1)
    low, high = stats.t.interval(0.95, n_runs - 1, means.mean(), stats.sem(means))
    end = hall_inverse(-stats.t.ppf(0.975, n_runs - 1), stats.skew(means, bias=False) / np.sqrt(n_runs))
    farther = means.mean() - end * stats.sem(means) if n_runs == 10 else high
    assert (pair.interval_low, pair.interval_high) == pytest.approx((low, farther), rel=1e-3)
    assert farther >= high


def test_plain_items_are_the_paired_t_test_and_halls() -> None:
    """scipy's ttest_rel with its skewness, twice: both must exclude, at the level of the family; by hand from Hall 1992."""
    items = graded()
    answer = tb.compare(items, rope=0.02)
    assert answer.method.name == "clustered-t"
    for row in answer.pairs.to_dict("records"):
        one, two = (items.score[items.models.index(row[side]), 0] for side in ("first", "second"))
        test = stats.ttest_rel(one, two)
        a = 2 * stats.skew(one - two, bias=False) / (3 * np.sqrt(120))
        hall = test.statistic + a * test.statistic**2 + a**2 * test.statistic**3 / 3 + a / 2
        one_sided = [max(stats.t.sf(sign * t, 119) for t in (test.statistic, hall)) for sign in (1, -1)]
        assert row["pvalue"] == pytest.approx(2 * min(one_sided), rel=1e-9)
    check(answer, lambda first, second: clustered_mean(items.score[first, 0] - items.score[second, 0]))


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_and_weights(weighted: bool) -> None:
    """The array function on the differences of each pair, and on the scores of each model."""
    weights = np.random.default_rng(5).random(120) if weighted else None
    items = graded(clusters=CLUSTERS, weights=weights)
    answer = tb.compare(items)
    score = items.score[:, 0]
    check(answer, lambda first, second: clustered_mean(score[first] - score[second], CLUSTERS, weights=weights))
    ranking = answer.ranking.set_index("model")
    for name, row in zip(items.models, items.score[:, 0], strict=True):
        own = clustered_mean(row, CLUSTERS, weights=weights)
        found = ranking.loc[name, ["mean", "standard_error", "mean_low", "mean_high"]].to_numpy(float)
        assert_allclose(found, [own.estimate, own.se, *own.interval()], rtol=1e-9)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_runs_are_all_used(clustered: bool, n_runs: int) -> None:
    """The array function for items and runs, on differences run by run."""
    clusters = CLUSTERS if clustered else None
    items = graded(n_runs=n_runs, clusters=clusters)
    answer = tb.compare(items)
    check(answer, lambda first, second: crossed_mean(items.score[first] - items.score[second], clusters).law)
    assert "and further runs of these models" in answer.method.generalises_to
    assert ("few-units" in codes(answer)) == (n_runs <= 3)


@pytest.mark.parametrize("more", [{}, {"clusters": CLUSTERS}])
def test_losses_are_mirrored(more: dict[str, Any]) -> None:
    """Lower is better: positive differences favour the first all the same."""
    items = graded(metric=LOSS, **more)
    answer = tb.compare(items)
    pair = answer.pair("c", "a")
    assert answer.models == ("c", "b", "a")
    assert (pair.difference, pair.verdict) == (pytest.approx(float((items.score[0] - items.score[2]).mean())), "better")


def test_gaps_leave_each_pair_its_own_items() -> None:
    """Clusters and gaps: as the array function on the items that both have; of runs, without those that a model never has."""
    score = graded().score[:, 0]
    score[np.random.default_rng(3).random(score.shape) < 0.1] = np.nan
    answer = tb.compare(items_of(score, metric=F1, clusters=CLUSTERS), missing="pairwise")
    check(answer, lambda first, second: clustered_mean(score[first] - score[second], CLUSTERS, omit_missing=True))
    for pair in answer.pairs.itertuples():
        assert pair.n_units == (~np.isnan(score[NAMES.index(pair.first)] - score[NAMES.index(pair.second)])).sum()
    of_runs = graded(n_runs=3).score
    of_runs[0, :, :5] = np.nan
    answer = tb.compare(items_of(of_runs, metric=F1), missing="pairwise")
    check(answer, lambda first, second: crossed_mean((of_runs[first] - of_runs[second])[:, 0 if first and second else 5 :]).law)


def test_identical_and_constant_differences_have_no_interval() -> None:
    """Of floats whose difference is rounding noise, too: p = 1 for identical ones, undecided both."""
    row = np.random.default_rng(0).random(50)
    for more in ({}, {"clusters": tuple(f"c{i % 9}" for i in range(50))}):
        answer = tb.compare(items_of(np.array([row, row, row - 0.125]), metric=tb.Metric("profit", True), **more))
        assert answer.pair("a", "b").reason == "identical-scores"
        assert answer.pair("a", "b").pvalue == 1.0
        assert answer.pair("a", "c").reason == "no-spread"
        assert answer.pair("a", "c").verdict == "undecided"


def test_one_cluster_is_refused() -> None:
    """Nothing shows how the difference varies from cluster to cluster."""
    with pytest.raises(DataError, match="all 200 questions are of one cluster"):
        tb.compare(answers(clusters=("x",) * 200))
    with pytest.raises(DataError, match="there is only one"):
        tb.compare(items_of([[1.0], [0.0]]))


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
    one, two = (NAMES.index(name) for name in answer.models[:2])
    expected = crossed_mean(items.score[one] - items.score[two])
    whole = expected.from_items + expected.from_runs + expected.from_both
    assert test.probabilities["runs"] == pytest.approx(expected.from_runs / whole)
    assert "runs would help most" in " ".join(answer.details.split())


def test_weights_count_in_a_rope_of_per_cent() -> None:
    """Of the weighted mean of the best model, not of the plain one."""
    weights = np.r_[np.full(60, 5.0), np.ones(60)]
    items = graded(weights=weights)
    answer = tb.compare(items, rope="10%")
    assert answer.rope == pytest.approx(0.1 * np.average(items.score[0, 0], weights=weights))


def test_an_end_beside_a_long_tail_is_far_out() -> None:
    """One item carries nearly all: on the side of its tail the end is the more distant one, and it is said."""
    answer = tb.compare(items_of(np.stack([[*np.linspace(1.0, 1.1, 29), 90.0], np.ones(30)]), metric=LOSS))
    pair = answer.pairs.iloc[0]
    below, above = pair["difference"] - pair["interval_low"], pair["interval_high"] - pair["difference"]
    assert 1.5 * min(below, above) < max(below, above) < np.inf
    assert (
        "1 question carries nearly all of the variance" in codes(answer)["carried-by-few"]
    )  # 29/30, the most that one of 30 can


def test_few_items_and_skew_are_said() -> None:
    """Thirty, with the share that 1 sample in 20 misses (1 - 0.05^(1/30)); skew of 200, ten of 400, not fat tails."""
    rng = np.random.default_rng(4)

    def said(values: np.ndarray, other: float = 0.0, **more: object) -> dict[str, str]:
        return codes(tb.compare(items_of(np.stack([values, np.full(values.size, other)]), metric=LOSS, **more)))

    assert "1 sample in 20 has none of a kind that makes up 9.5%" in said(rng.normal(2, 1, size=30))["few-items"]
    twenty = said(rng.normal(2, 1, size=60), clusters=tuple("abcdefghijklmnopqrst" * 3))
    assert "1 sample in 20 has none of a kind that makes up 14% of all" in twenty["few-items"]
    assert list(said(rng.normal(size=30))) == ["few-items"]
    assert not said(rng.normal(9, 1, size=1001))
    aside = np.concatenate([np.full(10, 2.0), np.linspace(0.99, 1.01, 390)])
    assert "questions carry nearly all of the variance" in said(aside, 1.0)["carried-by-few"]
    assert "carried-by-few" in said(rng.lognormal(0, 1.5, 200))
    assert sum("carried-by-few" in said(rng.standard_t(2, 100)) for _ in range(40)) <= 6  # 5 % of 40 exceed 6 in 0.3 %


def test_items_that_stand_twice_are_said(rng: np.random.Generator) -> None:
    """Every item under two names, and half of them; named clusters say already what belongs together."""
    once = rng.random((2, 40))
    half = np.concatenate([once, once[:, :20]], axis=1)
    for rows, n in ((np.tile(once, 2), 80), (half, 40)):
        text = codes(tb.compare(items_of(rows, metric=F1, unit="item")))["copied-units"]
        assert text.startswith(f"{n} of the {rows.shape[1]} items have the same scores of all models")
    assert "copied-units" not in codes(tb.compare(items_of(half, metric=F1, clusters=tuple(f"text {i % 40}" for i in range(60)))))
    near = np.repeat(once, 2, axis=1) + 1e-3 * rng.normal(size=(2, 80))
    for rows, text in (
        (near, "alike on items that stand 1 apart"),
        (near[:, rng.permutation(80)], "nearly the same scores"),
    ):
        assert text in codes(tb.compare(items_of(rows, metric=F1, unit="item")))["copied-units"]


def test_runs_of_unequal_numbers_are_two_samples() -> None:
    """2 and 5 runs: the error of the runs' means is that of both models' own, with Welch's degrees of freedom for the larger."""
    rng = np.random.default_rng(3)
    score = rng.normal(size=(2, 5, 40)) + rng.normal(size=40) + rng.normal(size=(2, 5, 1))
    score[0, 2:] = np.nan
    answer = tb.compare(items_of(score, metric=tb.Metric("quality", True)))
    pair = answer.pair("a", "b")
    v, w = (np.var(own, ddof=1) / own.size for own in (score[0, :2].mean(axis=1), score[1].mean(axis=1)))
    assert pair.judged.beside["by_runs"].se == pytest.approx(np.sqrt(v + w))
    v_guarded = max(v, w * 5 / 2)
    df = (v_guarded + w) ** 2 / (v_guarded**2 + w**2 / 4)
    assert pair.interval_high - pair.interval_low >= -2 * stats.t.ppf(0.025, df) * np.sqrt(v + w) * (1 - 1e-12)
    assert "40 questions, 2-5 runs each" in str(answer)
    assert "2 runs show little" in codes(answer)["few-units"]


@pytest.mark.parametrize(("last", "is_plain"), [(3.1, True), (30.0, False)])
def test_halls_t_of_few_clusters_only_where_skew_is_seen(last: float, is_plain: bool) -> None:
    """Eight clusters whose means are about symmetric have Student's interval; one far out stretches it."""
    cluster = np.repeat(np.arange(8), 4)
    values = np.array([-3.0, -2, -1, 0, 0.5, 1, 2, last])[cluster]
    items = items_of(np.stack([values, np.zeros(32)]), metric=tb.Metric("cost", False), clusters=tuple(map(str, cluster)))
    pair = tb.compare(items).pair("a", "b")
    same = np.allclose([pair.interval_low, pair.interval_high], clustered_mean(-values, cluster).interval(), rtol=1e-9)
    assert same == is_plain


# --- tasks ------------------------------------------------------------------------------------------------------------------


SIZES = {"arc": 200, "gsm8k": 60, "mmlu": 500}


def table(rng: np.random.Generator, sizes: dict[str, int] = SIZES) -> pd.DataFrame:
    """Right and wrong answers of three models to the questions of several tasks, numbered anew in each."""
    rows = []
    for task, n in sizes.items():
        hard = rng.normal(size=n)
        for model, skill in (("large", 0.5), ("medium", 0.1), ("small", 0.0)):
            right = hard + rng.normal(size=n) < skill
            rows += [(task, number, model, int(each)) for number, each in enumerate(right)]
    return pd.DataFrame(rows, columns=["task", "question", "model", "score"])


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
    tasks, *expected = by_hand(frame, "large", "small")
    pair = found.pair("large", "small")
    assert_allclose([pair.difference, pair.standard_error, pair.df], expected, rtol=1e-12)
    rows = found.slices().to_frame().query("first == 'large' and second == 'small'")
    assert dict(zip(rows["slice"], rows["difference"], strict=True)) == pytest.approx(tasks.to_dict(), rel=1e-12)
    values = found.ranking.set_index("model")["mean"]
    assert values["medium"] == pytest.approx(frame[frame.model == "medium"].groupby("task").score.mean().mean(), rel=1e-12)


def test_a_task_is_judged_by_the_procedure_of_its_items(rng: np.random.Generator) -> None:
    """Right and wrong: Tango's interval, as for the same task alone, at the level of pairs times tasks."""
    frame = table(rng)
    row = tb.compare(frame, models=["large", "small"]).slices().to_frame().query("slice == 'gsm8k'").iloc[0]
    alone = tb.compare(frame[frame.task == "gsm8k"], models=["large", "small"], alpha=0.05 / 3)
    assert alone.method.name == "tango"
    assert (row.interval_low, row.interval_high) == pytest.approx((alone.pairs.interval_low[0], alone.pairs.interval_high[0]))


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
    pair = tb.compare(frame).pair("large", "small")
    assert pair.difference == pytest.approx(mean, rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=0.2)
    eased = frame.assign(score=frame.score + 10.0 * ((frame.task == "arc") & (frame.model == "large")))
    shifted = frame.assign(score=frame.score + 1.0 * ((frame.model == "large") & (frame.run == 0)))
    answers = [tb.compare(each, metric="points", lower_is_better=False) for each in (eased, shifted)]
    of_eased, of_shifted = (each.pair("large", "small").standard_error for each in answers)
    assert of_eased == pytest.approx(pair.standard_error, rel=1e-9)
    assert of_shifted > 2 * error
