"""Samples of each model's own: rates on test sets, means of items and of training runs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tiebreak.errors import DataError

# --- rates ------------------------------------------------------------------------------------------------------------------


TABLE = {"model": ["a", "b", "c"], "correct": [45, 30, 56], "n": [50, 40, 57]}


def test_a_published_example() -> None:
    """Newcombe (1998), table II, 9/10 against 3/10 by method 10: 0.1705 to 0.8090."""
    answer = tb.compare({"model": ["a", "b"], "correct": [9, 3], "n": [10, 10]})
    assert (answer.method.name, answer.method.unit) == ("newcombe", "example")
    pair = answer.pair("a", "b")
    assert [round(pair.interval_low, 4), round(pair.interval_high, 4)] == [0.1705, 0.8090]
    assert pair.n_units == 20


def test_beside_a_model_stands_the_size_of_its_own_test_set() -> None:
    """Not that of the pair with the first one."""
    lines = [line.split() for line in str(tb.compare(TABLE)).splitlines()]
    assert {line[1]: line[3] for line in lines if line[:1] in (["1"], ["2"], ["3"])} == {"a": "50", "b": "40", "c": "57"}


@pytest.mark.slow
def test_pairs_are_those_of_the_array_function() -> None:
    """Ends at the level of the family to 1e-12, tails their inverse, for accuracies and for error rates."""
    counts = dict(zip("abc", zip(TABLE["correct"], TABLE["n"], strict=True), strict=True))
    for column, higher in (("correct", True), ("errors", False)):
        answer = tb.compare({"model": list("abc"), column: TABLE["correct"], "total": TABLE["n"]}, rope=0.05)
        for pair in answer.pairs.itertuples():
            array = tb.statistics.newcombe(*counts[pair.first], *counts[pair.second], higher_is_better=higher)
            ends = array.interval(1 - 0.05 / 3)
            assert_allclose([pair.difference, pair.interval_low, pair.interval_high], [array.estimate, *ends], rtol=1e-12)
    for row in tb.compare(TABLE).ranking.itertuples():
        assert_allclose([row.mean_low, row.mean_high], tb.statistics.proportion_interval(*counts[row.model]), rtol=1e-12)


def test_welch_of_right_and_wrong() -> None:
    """By name: `welch_ttest` of the 1 and 0 themselves."""
    pair = tb.compare(TABLE, method="welch").pair("a", "b")
    ones = [np.repeat([1.0, 0.0], [k, n - k]) for k, n in ((45, 50), (30, 40))]
    array = tb.statistics.welch_ttest(*ones)
    numbers = [pair.difference, pair.standard_error, pair.df, pair.pvalue, pair.n_units]
    assert_allclose(numbers, [array.estimate, array.se, array.df, array.pvalue(), 90], rtol=1e-9)


def test_rates_and_several_test_sets() -> None:
    """A rate and its n are a count, which need not be whole; several test sets of a model are one."""
    rates = {"model": ["a", "b"], "test_set": ["x", "y"], "score": [0.15, 0.25], "n_test": [30, 5000]}
    pair = tb.compare(rates, metric="error", lower_is_better=True).pair("a", "b")
    array = tb.statistics.newcombe(0.15 * 30, 30, 0.25 * 5000, 5000, higher_is_better=False)
    assert_allclose([pair.interval_low, pair.interval_high], array.interval(), rtol=1e-12)
    parts = {"model": ["a", "a", "b"], "test_set": ["x", "y", "z"], "correct": [20, 25, 30], "n": [20, 30, 40]}
    whole = tb.compare({"model": ["a", "b"], "correct": [45, 30], "n": [50, 40]})
    assert_allclose(tb.compare(parts).pairs["pvalue"], whole.pairs["pvalue"], rtol=1e-12)


@pytest.mark.parametrize(
    ("table", "settings", "text"),
    [
        (
            {**TABLE, "correct": [51, 1, 1]},
            {},
            "row 1, column 'correct': it is 51, of 50 examples; a count is a whole number between 0",
        ),
        (
            {"model": ["a", "b"], "test_set": [1, 2], "score": [0.2, 25], "n_test": [50, 40]},
            {"metric": "accuracy"},
            "row 2, column 'score': it is 25, of 40 examples; a rate lies between 0 and 1",
        ),
        (
            {**TABLE, "model": ["a", "a", "b"]},
            {},
            r"are of model 'a'\. Add them up, or name the test sets in a column",
        ),
        (
            {**TABLE, "test_set": ["x", "x", "y"]},
            {},
            "two rows or more are of test set 'x'.* compare them by items",
        ),
        (TABLE, {"method": "corrected-t"}, "these are scores on a test set of each model's own. Leave method= out .*'newcombe'"),
        (
            {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]},
            {"metric": "accuracy", "method": "newcombe"},
            "pass the columns 'model', 'correct' and 'n'",
        ),
    ],
)
def test_bad_input(table: Any, settings: dict[str, Any], text: str) -> None:
    """More right than there are, percent, a model twice, one test set for two models, and other procedures."""
    with pytest.raises(DataError, match=text):
        tb.compare(table, **settings)


def of_own_items(shared: int = 0) -> dict[str, list[Any]]:
    """The same answers as items: 'q1 of a' and so on, the first ones of all models under one name if some are shared."""
    rows = [
        {"question": f"q{i}" if i < shared else f"q{i} of {model}", "model": model, "score": float(i < correct)}
        for model, correct, n in zip(TABLE["model"], TABLE["correct"], TABLE["n"], strict=True)
        for i in range(n)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("method", ["auto", "newcombe"])
def test_items_that_no_two_models_share_are_counted(method: Any) -> None:
    """Scores of each model's own items give the very pairs of their counts; the page says what was found, and what if not."""
    answer = tb.compare(of_own_items(), method=method)
    counted = tb.compare(TABLE, method=method)
    assert answer.method.name == counted.method.name
    assert (answer.method.question, answer.method.unit) == ("test-sets", "question")
    columns = ["difference", "interval_low", "interval_high", "pvalue"]
    assert_allclose(answer.pairs[columns], counted.pairs[columns], rtol=1e-12)
    text = " ".join(answer.to_text(columns="all").split())
    assert "A test set of each model's own, of 40-57 questions" in text
    assert "if 'q0 of c' of 'c' and 'q0 of a' of 'a' are the same questions under other names, give them one name" in text
    assert "missing-splits" not in text
    assert answer.plot.names == ("ranking", "verdicts")


def test_items_shared_in_part_are_no_test_sets_of_their_own() -> None:
    """One shared question is enough: what is missing is named, or left out of each pair."""
    with pytest.raises(DataError, match="'a' lacks 93 of the 143 questions"):
        tb.compare(of_own_items(shared=2))
    answer = tb.compare(of_own_items(shared=2), missing="pairwise")
    assert answer.method.name == "tango"
    assert set(answer.pairs["n_units"]) == {2}


@pytest.mark.parametrize("method", ["tango", "wilcoxon"])
def test_paired_methods_are_refused_for_items_of_own_sets(method: Any) -> None:
    """By the name of the one that suits them, without advice to give what was given."""
    with pytest.raises(DataError, match=r"these are scores on a test set of each model's own\. .*'newcombe'[.]$"):
        tb.compare(of_own_items(), method=method)


def test_counts_are_of_items_once_and_independent() -> None:
    """Clusters are a reason for Welch's test, which the refusal names."""
    table = of_own_items()
    table["cluster"] = [item.split()[-1] + str(i % 7) for i, item in enumerate(table["question"])]
    assert tb.compare(table).method.name == "welch"
    with pytest.raises(DataError, match=r"but the questions come in clusters\. The method 'welch'"):
        tb.compare(table, method="newcombe")


# --- means ------------------------------------------------------------------------------------------------------------------


SEEDS = {"resnet": 5, "vit": 4, "mlp": 3}


def rows(rng: np.random.Generator, sizes: dict[str, int] = SEEDS, **more: Any) -> list[dict[str, Any]]:
    """Runs of each model with seeds of its own."""
    means, names = {"resnet": 0.80, "vit": 0.82, "mlp": 0.75}, list(sizes)
    return [
        {"model": name, "seed": 100 * names.index(name) + run, "score": means[name] + 0.01 * rng.normal(), **more}
        for name, n in sizes.items()
        for run in range(n)
    ]


def of_model(table: list[dict[str, Any]], name: str) -> list[float]:
    """Scores of a model."""
    return [row["score"] for row in table if row["model"] == name]


def test_pairs_are_those_of_welch_and_of_scipy(rng: np.random.Generator) -> None:
    """To 1e-12 those of `welch_ttest` and of scipy.stats.ttest_ind(equal_var=False), at the level of the family."""
    table = rows(rng)
    answer = tb.compare(table, metric="accuracy", rope=0.005)
    assert answer.method.name == "welch"
    assert "not the same ones for all models" in answer.method.reason
    for pair in answer.pairs.itertuples():
        one, two = of_model(table, pair.first), of_model(table, pair.second)
        array, peer = tb.statistics.welch_ttest(one, two), stats.ttest_ind(one, two, equal_var=False)
        assert_allclose([pair.difference, pair.standard_error, pair.df], [array.estimate, array.se, array.df], 1e-12)
        expected = [peer.pvalue, *peer.confidence_interval(1 - 0.05 / 3)]
        assert_allclose([pair.pvalue, pair.interval_low, pair.interval_high], expected, rtol=1e-9)
        assert pair.n_units == min(len(one), len(two))


def test_a_model_has_the_t_interval_of_its_own_runs(rng: np.random.Generator) -> None:
    """scipy.stats.ttest_1samp, whatever seeds the others have; none is ranked below for having fewer runs."""
    table = rows(rng)
    ranking = tb.compare(table, metric="accuracy").ranking
    assert list(ranking["model"]) == ["vit", "resnet", "mlp"]
    for row in ranking.itertuples():
        own = of_model(table, row.model)
        ends = stats.ttest_1samp(own, 0).confidence_interval()
        expected = [np.mean(own), ends.low, ends.high, len(own)]
        assert_allclose([row.mean, row.mean_low, row.mean_high, row.n_units], expected, rtol=1e-10)


def test_the_same_seeds_are_paired(rng: np.random.Generator) -> None:
    """scipy.stats.ttest_rel on the seeds; Welch's by name does not pair."""
    score = 0.8 + 0.01 * rng.normal(size=6) + np.array([[0.0], [0.004]]) + 0.002 * rng.normal(size=(2, 6))
    table = {"seed": list(range(6)), "a": score[0], "b": score[1]}
    answer = tb.compare(table, metric="accuracy")
    assert (answer.method.name, answer.method.unit, answer.method.question) == ("paired-t", "seed", "seeds")
    assert "paired by seed" in answer.method.reason
    assert "on about 6 independent seeds: of so many" in dict(answer.notices)["few-units"]  # as a difference is shown
    pair, peer = answer.pair("b", "a"), stats.ttest_rel(score[1], score[0])
    assert_allclose([pair.pvalue, pair.statistic, pair.df], [peer.pvalue, peer.statistic, 5], rtol=1e-10)
    other = tb.compare(table, metric="accuracy", method="welch").pair("b", "a")
    assert_allclose(other.pvalue, stats.ttest_ind(score[1], score[0], equal_var=False).pvalue, rtol=1e-10)
    assert pair.pvalue < 0.05 < other.pvalue


def test_it_says_that_it_knows_nothing_of_other_data(rng: np.random.Generator) -> None:
    """Under what the answer is not about, on the page too; never that it lacks splits."""
    for table in (rows(rng, n_test=10_000), {"seed": [1, 2, 3], "a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}):
        answer = tb.compare(table, metric="accuracy")
        assert answer.method.generalises_to == "further training runs on this very test set"
        assert "Nothing is said of other data." in str(answer).replace("\n  ", " ")
        assert {"missing-splits", "assumed-paired"}.isdisjoint(notice.code for notice in answer.notices)


def test_what_would_settle_it_is_said_in_seeds(rng: np.random.Generator) -> None:
    """About (half-width / difference)^2 times as many, not repeats of splits."""
    table = {"model": list("aaabbb"), "seed": [1, 2, 3, 4, 5, 6], "score": [0.80, 0.81, 0.82, 0.81, 0.82, 0.83]}
    answer = tb.compare(table, metric="accuracy")
    pair = answer.pair("b", "a")
    assert pair.verdict == "undecided"
    needed = 3 * ((pair.interval_high - pair.interval_low) / 2 / pair.difference) ** 2
    assert f"To settle b and a: about {int(np.ceil(needed))} seeds instead of 3" in answer.next_step


@pytest.mark.slow
def test_seeds_of_their_own_have_no_differences_to_plot(rng: np.random.Generator) -> None:
    """Without pairing there are none on single seeds."""
    answer = tb.compare(rows(rng), metric="accuracy")
    with pytest.raises(tb.errors.DataError, match="there is no plot of differences, as the models were not measured on the"):
        answer.plot.differences()
    assert answer.pair("vit", "mlp").differences.size == 0
    assert "3-5 seeds of each model" in answer.to_text()


FOLDS = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}


def test_wrong_procedures_are_refused_with_what_would_do(rng: np.random.Generator) -> None:
    """Folds as seeds, seeds as splits or datasets, too few runs, and joining seeds with splits."""
    seeds, splits = tb.read_scores(rows(rng), metric="accuracy"), tb.read_scores(FOLDS, metric="accuracy")
    for sources, settings, text in (
        ([rows(rng)], {"method": "corrected-t"}, "corrected-t is for .* out for the one that suits them, 'welch'"),
        ([rows(rng)], {"method": "wilcoxon"}, "wilcoxon is for .* out for the one that suits them, 'welch'"),
        ([FOLDS], {"method": "welch"}, "'corrected-t', or if they do differ by seed only, name the seeds in a column"),
        ([rows(rng, {"resnet": 3, "mlp": 1})], {}, r"'mlp' has fewer than two seeds.* Give more, or leave out"),
        ([seeds, splits], {}, "scores by seed, source 2 scores by split; these answer different questions"),
    ):
        with pytest.raises(DataError, match=text):
            tb.compare(*sources, **{"metric": "accuracy", **settings})


def own_items(rng: np.random.Generator, n_runs: int = 1, *, in_clusters: bool = False) -> pd.DataFrame:
    """Graded answers of two models, each to questions of its own, the same in each run but for noise."""
    frames = []
    for model, n, mean in (("new", 60, 0.7), ("old", 40, 0.4)):
        base = mean + rng.normal(size=n)
        for run_ in range(n_runs):
            frame = pd.DataFrame({"question": [f"{model} {i}" for i in range(n)], "model": model, "score": base})
            frame["score"] += 0.2 * rng.normal(size=n) + 0.1 * rng.normal()
            frames.append(frame.assign(run=run_, cluster=[f"{model} {i % 9}" for i in range(n)]))
    columns = ["question", "model", "score", *(["run"] if n_runs > 1 else []), *(["cluster"] if in_clusters else [])]
    return pd.concat(frames, ignore_index=True)[columns]


def test_items_that_no_two_models_share(rng: np.random.Generator) -> None:
    """Graded items of each model's own: scipy.stats.ttest_ind(equal_var=False), to 1e-10, in both directions of the metric."""
    table = own_items(rng)
    expected = stats.ttest_ind(*(table["score"][table["model"] == name] for name in ("new", "old")), equal_var=False)
    ends = np.array(expected.confidence_interval())
    for lower, low, high in ((False, *ends), (True, *-ends[::-1])):
        answer = tb.compare(table, metric="grade", lower_is_better=lower)
        pair = answer.pair("new", "old")
        assert (answer.method.name, answer.method.question, pair.n_units) == ("welch", "test-sets", 100)
        assert_allclose([pair.pvalue, pair.interval_low, pair.interval_high], [expected.pvalue, low, high], rtol=1e-10)


@pytest.mark.parametrize(("n_runs", "in_clusters"), [(1, True), (3, False), (3, True)])
def test_own_items_in_clusters_and_runs(rng: np.random.Generator, n_runs: int, in_clusters: bool) -> None:
    """Squared errors of both means add, Satterthwaite's degrees of freedom of each joined by Welch's formula, by hand."""
    table = own_items(rng, n_runs, in_clusters=in_clusters)
    answer = tb.compare(table, metric="grade", lower_is_better=False)
    means = []
    for name in ("new", "old"):
        own = table[table["model"] == name]
        values = own["score"].to_numpy().reshape(n_runs, -1)
        clusters = own["cluster"].to_numpy()[: values.shape[1]] if in_clusters else None
        crossed, clustered = tb.statistics.crossed_mean, tb.statistics.clustered_mean
        means.append(crossed(values, clusters).law if n_runs > 1 else clustered(values[0], clusters))
    v, w = (float(mean.se) ** 2 for mean in means)
    df = (v + w) ** 2 / (v**2 / means[0].df + w**2 / means[1].df)
    half = stats.t.ppf(0.975, df) * np.sqrt(v + w)
    pair = answer.pair("new", "old")
    difference = means[0].estimate - means[1].estimate
    assert_allclose([pair.interval_low, pair.interval_high], [difference - half, difference + half], rtol=1e-9)
    covers = "further runs of these models" if n_runs > 1 else "with these models as they are"
    assert covers in " ".join(answer.details.split())


def test_few_seeds_count_as_if_they_varied_no_less_than_many() -> None:
    """Two seeds that hardly differ by chance, and six that do: Welch's degrees of freedom for the variance of the six in both."""
    few, many = [0.80, 0.801], [0.78, 0.82, 0.79, 0.83, 0.77, 0.81]
    table = {"model": ["a"] * 2 + ["b"] * 6, "seed": range(8), "score": few + many}
    pair = tb.compare(table, metric="accuracy").pair("a", "b")
    v, w = np.var(many, ddof=1) / 2, np.var(many, ddof=1) / 6
    assert pair.df == pytest.approx((v + w) ** 2 / (v**2 + w**2 / 5))
    assert pair.standard_error == pytest.approx(np.hypot(np.std(few, ddof=1) / 2**0.5, w**0.5))
