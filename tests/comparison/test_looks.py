"""Looks at data that are still coming in: what a plan grants, what it keeps, and what it refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.comparison.looks import Looks, alpha_of_look, refuse_order
from tiebreak.comparison.procedures import procedures_named
from tiebreak.errors import ChangedRunError, DataError, InvalidParameterError
from tiebreak.statistics.looks import group_sequential_design, split_information

N = 800
"""Items of the plan."""


def answers(n: int, shares: tuple[float, ...] = (0.97, 0.65, 0.64), seed: int = 0) -> pd.DataFrame:
    """The first n of N questions, right or wrong, of models that get these shares right."""
    rng = np.random.default_rng(seed)
    columns = {f"m{i}": (rng.random(N) < share).astype(int) for i, share in enumerate(shares)}
    return pd.DataFrame({"question": [f"q{i}" for i in range(N)], **columns}).iloc[:n]


def looked(sizes: list[int], of: Callable[[int], Any] = answers, **settings: Any) -> tb.Comparison:
    """The answer after looks at so many questions, or other units."""
    answer: Any = None
    for n in sizes:
        answer = tb.compare(of(n), looks=answer, **{"metric": "accuracy", "n_total": N, **settings})
    return answer


def levels(answer: tb.Comparison) -> list[float]:
    """Those that the looks were granted."""
    return [look.interval_alpha for look in answer.looks.taken]


def repeats(r: int, effects: tuple[float, ...] = (0.0, 0.03)) -> pd.DataFrame:
    """The first r of ten repeats of five folds."""
    rng = np.random.default_rng(3)
    values = rng.normal(0.8, 0.02, size=(10, 5, len(effects))) + np.array(effects)
    rows = [
        {"repeat": i, "fold": j, **{f"m{k}": values[i, j, k] for k in range(len(effects))}} for i in range(r) for j in range(5)
    ]
    return pd.DataFrame(rows)


def test_levels_are_those_of_the_group_sequential_design() -> None:
    """Hwang-Shih-DeCani at gamma -4 for items, of alpha / 3 as three pairs share alpha; t is n / N."""
    design = group_sequential_design([1 / 8, 2.5 / 8, 1.0], alpha=0.05 / 3)
    assert_allclose(levels(looked([100, 250, 800])), design.alphas, rtol=1e-9)


def test_levels_of_repeats_are_those_of_students_process() -> None:
    """Gamma -8, t_r = Var(m_R) / Var(m_r), and the degrees of freedom of each look (design, section 8)."""
    answer = looked([2, 4, 10], repeats, n_train=80, n_test=20, n_total=10)
    t = split_information([10, 20, 50], 50, test_train_ratio=0.25)
    assert_allclose(levels(answer), group_sequential_design(t, gamma=-8.0, df=[9, 19, 49]).alphas, rtol=1e-6)
    assert (answer.looks.unit, answer.looks.gamma) == ("repeat", -8.0)


def test_a_decided_pair_keeps_the_row_of_its_look() -> None:
    """Its interval is the one that the procedure gives of that look's data alone; an open pair has the row of the last look."""
    answer = looked([100, 250, 800])
    row = answer.pairs.set_index(["first", "second"]).loc[("m0", "m1")]
    assert (row["look"], row["n_units"], row["verdict"]) == (1, 100, "better")
    level = group_sequential_design([1 / 8], alpha=0.05 / 3).alphas[0]
    alone = tb.compare(answers(100), metric="accuracy", alpha=level, correction="none").pair("m0", "m1")
    assert_allclose([row["interval_low"], row["interval_high"]], [alone.interval_low, alone.interval_high], rtol=1e-9)
    assert ("m0", "m1", "better") in answer.looks.taken[0].decided
    assert answer.pair("m1", "m2").n_units == 800


def test_all_that_is_said_of_a_pair_agrees() -> None:
    """p-values are scaled like the intervals: below alpha exactly where 0 lies outside."""
    pairs = looked([100, 250, 500]).pairs
    outside = (pairs["interval_low"] > 0) | (pairs["interval_high"] < 0)
    assert (outside == (pairs["adjusted_pvalue"] <= 0.05)).all()


def test_a_single_look_at_the_end_is_the_ordinary_answer() -> None:
    """All of alpha is there for it."""
    planned, plain = looked([N]), tb.compare(answers(N), metric="accuracy")
    assert_allclose(planned.pairs["interval_low"], plain.pairs["interval_low"], rtol=1e-9)


def test_more_units_than_planned_spend_the_rest() -> None:
    """t is 1, and no look follows."""
    answer = looked([200, 400], n_total=300)
    assert answer.looks.taken[-1].fraction == 1.0
    with pytest.raises(InvalidParameterError, match="plan of 300 questions is over"):
        tb.compare(answers(500), metric="accuracy", looks=answer)


def test_a_pair_with_gaps_has_the_level_of_the_look() -> None:
    """One level for the family at a look, that of pairs without gaps."""
    table = answers(N).astype({"m2": float})
    table.loc[:99:2, "m2"] = np.nan
    answer = looked([200, N], table.head, missing="pairwise")
    design = group_sequential_design([0.25, 1.0], alpha=0.05 / 3)
    assert_allclose(levels(answer), design.alphas, rtol=1e-9)
    alone = tb.compare(table, metric="accuracy", missing="pairwise", alpha=design.alphas[1], correction="none").pair("m1", "m2")
    row = answer.pair("m1", "m2")
    assert (row.n_units, row.interval_low) == (750, pytest.approx(alone.interval_low))


def test_clusters_are_the_units() -> None:
    """Whole clusters, as many as the plan says."""
    table = answers(200).assign(cluster=[f"c{i // 4}" for i in range(200)])
    answer = tb.compare(table, metric="accuracy", n_total=100)
    assert (answer.looks.n, answer.looks.unit, answer.looks.n_left) == (50, "cluster", 50)
    mixed = table.assign(cluster=[f"c{i % 50}" for i in range(200)])
    first = tb.compare(mixed, metric="accuracy", n_total=100)
    more = pd.concat([mixed, answers(300).iloc[200:].assign(cluster=[f"c{i % 60}" for i in range(100)])])
    with pytest.raises((DataError, ChangedRunError), match=r"whole clusters|are not those of look 1"):
        tb.compare(more, metric="accuracy", looks=first)


def test_pairs_that_are_all_decided_stay_so_at_the_next_look() -> None:
    """No pair of clustered items is left open for it."""
    table = answers(400, (0.97, 0.4)).assign(cluster=[f"c{i // 4}" for i in range(400)])
    first, later = (looked(sizes, table.head, n_total=100).pairs for sizes in ([200], [200, 400]))
    assert (later["look"].tolist(), later["interval_low"].tolist()) == ([1], first["interval_low"].tolist())


def test_a_requirement_stays_as_the_first_look_that_settles_it_says() -> None:
    """Met at 100 questions; at 800 it is read off the same row, at the level of one question over all looks."""
    answer = looked([100, 250, 800])
    (met,) = answer.meets(better=("m0", "m1"))
    assert (met.outcome, met.n_units) == ("met", 100)
    level = group_sequential_design([1 / 8], alpha=0.05).alphas[0]
    alone = tb.compare(answers(100)[["question", "m0", "m1"]], metric="accuracy", alpha=level).pair("m0", "m1")
    assert_allclose([met.interval_low, met.interval_high], [alone.interval_low, alone.interval_high], rtol=1e-9)
    (open_,) = answer.meets(better=("m1", "m2"))
    assert (open_.outcome, open_.n_units) == ("inconclusive", 800)


def test_the_order_of_models_changes_nothing() -> None:
    """Columns the other way round: the same looks."""
    turned = answers(400)[["question", "m2", "m1", "m0"]]
    assert tb.compare(turned, metric="accuracy", looks=looked([250])).looks == looked([250, 400]).looks


def test_a_saved_answer_holds_its_looks(tmp_path: Any) -> None:
    """Compared again it is the same answer, and its file is where the next look goes on."""
    answer = looked([100, 250])
    answer.to_json(tmp_path / "answer.json")
    again = tb.compare(tmp_path / "answer.json")
    assert again.looks == answer.looks
    pd.testing.assert_frame_equal(again.pairs, answer.pairs)
    later = tb.compare(answers(500), metric="accuracy", looks=tmp_path / "answer.json")
    assert later.looks == looked([100, 250, 500]).looks


def changed(column: str, value: float) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """A table with another score in its first row."""
    return lambda table: table.assign(**{column: [value, *table[column].tolist()[1:]]})


@pytest.mark.parametrize(
    ("change", "settings", "text"),
    [
        (lambda table: table.iloc[::-1], {}, "first 100 questions are not those of look 1"),
        (changed("m0", 0), {}, "first 100 questions are not those of look 1"),
        (lambda table: table.iloc[:50], {}, "only 50"),
        (lambda table: table.assign(m9=1), {}, "'m9' came in"),
        (lambda table: table.drop(columns="m2"), {}, "'m2' left"),
        (lambda table: table, {"rope": 0.02}, "had rope 0.0, and this one has 0.02"),
        (lambda table: table, {"baseline": "m0"}, "had baseline None"),
        (lambda table: table, {"alpha": 0.1}, "had alpha 0.05"),
        (lambda table: table, {"metric": "recall"}, "had metric 'accuracy'"),
        (lambda table: table, {"n_total": 900}, "the plan was made for 800 questions, so it does not go with n_total=900"),
        (lambda table: table.iloc[:100], {}, "look 1 was at these same 100 questions"),
    ],
)
def test_what_changes_between_looks_is_refused(
    change: Callable[[pd.DataFrame], pd.DataFrame], settings: dict[str, Any], text: str
) -> None:
    """With what was met, and how to go on."""
    first = tb.compare(answers(100), metric="accuracy", n_total=N)
    with pytest.raises(ChangedRunError, match=text):
        tb.compare(change(answers(200)), **{"metric": "accuracy", "looks": first, **settings})


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"n_total": 100}, InvalidParameterError, "fewer than the 200 questions that are there"),
        ({"n_total": 0}, InvalidParameterError, "a whole number above 0; got 0"),
        ({"n_total": 8.5}, InvalidParameterError, "a whole number above 0; got 8.5"),
        ({"n_total": N, "correction": "holm"}, InvalidParameterError, "take 'bonferroni'"),
        ({"n_total": N, "rope": "1%"}, InvalidParameterError, "give it in the metric's unit"),
        ({"looks": 3}, InvalidParameterError, "looks is a file, an earlier answer"),
        ({"looks": {"kind": "looks", "schema": 2}}, DataError, "schema 1.*of a newer tiebreak, update this one"),
        ({"looks": {"kind": "other"}}, DataError, "holds no looks"),
        (
            {"looks": {"kind": "looks", "schema": 1, "n_total": "5"}},
            DataError,
            "no whole record of looks.*at `n_total`",
        ),
    ],
)
def test_what_is_no_plan_is_refused(settings: dict[str, Any], error: type[Exception], text: str) -> None:
    """Before anything is spent."""
    with pytest.raises(error, match=text):
        tb.compare(answers(200), metric="accuracy", **settings)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"n": 0}, "looks at 0 and then at 0 questions"),
        ({"n": "100"}, r"Expected `int`, got `str` at `taken\[0\].n`"),
        ({"fraction": 5}, "as 0 and 5 of the plan: .* at most all of the plan"),
        ({"fraction": -1}, "as 0 and -1 of the plan"),
        ({"fraction": 0.5}, r"looks at 100 and then at 250 questions, as 0\.5 and 0\.312 of the plan"),  # it goes back
        ({"interval_alpha": None}, r"Expected `float`, got `null` at `taken\[0\].interval_alpha`"),
        ({"interval_alpha": 0.01}, "look 1 does not say what its 100 questions say"),  # would spend more than alpha
        ({"decided": [["m0", "m1"]]}, r"Expected `array` of length 3, got 2 at `taken\[0\].decided\[0\]`"),
        ({"digest": None}, r"Expected `str`, got `null` at `taken\[0\].digest`"),
    ],
)
def test_a_look_that_was_changed_is_named(change: dict[str, Any], text: str) -> None:
    """By its place in the record and what is wrong with it."""
    record = looked([100, 250]).looks.as_dict()
    record["taken"][0].update(change)
    with pytest.raises((DataError, InvalidParameterError, ChangedRunError), match=text):
        tb.compare(answers(400), metric="accuracy", looks=record)


def test_forecasts_take_no_looks() -> None:
    """Periods depend on each other."""
    losses = pd.DataFrame({"time": range(60), "a": np.arange(60) % 7 + 0.5, "b": np.arange(60) % 5 + 0.4})
    with pytest.raises(DataError, match="periods depend on each other"):
        tb.compare(losses, metric="mean_squared_error", n_total=100)


def test_datasets_that_often_tie_are_looked_at_by_ranks_if_asked() -> None:
    """By themselves they are judged by their means, and the error says which method takes looks."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.7, 0.9, 12)
    scores = {name: np.round(base + rng.normal(0, 0.006, 12), 2) for name in "ab"}
    table = pd.DataFrame({"dataset": [f"d{k}" for k in range(12)], **scores})
    with pytest.raises(DataError, match="paired-t takes no looks: of methods for datasets only the error of 'wilcoxon'"):
        tb.compare(table, metric="accuracy", n_total=20)
    assert tb.compare(table, metric="accuracy", n_total=20, method="wilcoxon").looks is not None


def test_too_few_units_are_refused_and_spend_nothing() -> None:
    """Below the number at which the procedure was measured."""
    with pytest.raises(DataError, match=r"15 questions are too few for a look: tango was measured .* from 20 on"):
        looked([15])


def test_ten_thousand_looks_are_refused() -> None:
    """In words, not in hours."""
    record = looked([100]).looks.as_dict()
    record["taken"] = [{**record["taken"][0], "n": 100 + k} for k in range(10_000)]
    with pytest.raises(InvalidParameterError, match="10,000 looks, and a plan has at most 1,000"):
        tb.compare(answers(N), metric="accuracy", looks=record)


def test_skewed_graded_scores_wait_for_more_units() -> None:
    """A few vast differences make the tails of t wrong where a look asks for them; the last look is the ordinary answer.

    The skewness that a sample of normal scores shows by chance is none: 10 models and 100 of 500 are looked at.
    """
    rng = np.random.default_rng(0)
    names = [f"q{i}" for i in range(400)]
    table = pd.DataFrame({"question": names, "a": np.exp(rng.normal(0, 1.5, 400)), "b": rng.normal(size=400)})
    with pytest.raises(DataError, match=r"the differences of two models are skewed .* nothing is spent"):
        tb.compare(table.iloc[:100], metric="cost", lower_is_better=True, n_total=400)
    assert tb.compare(table, metric="cost", lower_is_better=True, n_total=400).looks is not None
    even = pd.DataFrame({"question": names[:100], **{f"m{k}": rng.normal(size=100) for k in range(10)}})
    assert tb.compare(even, metric="cost", lower_is_better=True, n_total=500).looks is not None


def test_areas_under_roc_curves_go_by_both_classes() -> None:
    """The information is n+ n- / (n+ + n-), and below 20 of the rarer class no look is taken."""
    rng = np.random.default_rng(2)
    y = np.array([True] * 5 + [False] * 55 + [True, False] * 70)
    score, shuffled = {name: y + rng.normal(size=200) for name in "ab"}, rng.permutation(200)

    def first(n: int, order: np.ndarray = shuffled) -> tb.Items:
        return tb.read_predictions(y[order[:n]], {name: each[order[:n]] for name, each in score.items()}, metric="roc_auc")

    with pytest.raises(DataError, match="5 items of the rarer class are too few"):
        tb.compare(first(60, np.arange(200)), n_total=200)
    answer = tb.compare(first(200), looks=tb.compare(first(100), n_total=200))
    information = np.array([(n - p) * p / n for n, p in ((100, y[shuffled[:100]].sum()), (200, y.sum()))])
    design = group_sequential_design(information / information[1], spent=tb.statistics.alpha_spent([0.5, 1.0]))
    assert_allclose(levels(answer), design.alphas, rtol=1e-9)


# --- differences as looks leave them ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_some_pairs_are_what_they_are_among_all() -> None:
    """Rows in any order, and one pair by itself, either way round; three looks, of which the first decides two pairs."""
    answer = looked([100, 250, 500])
    found: Any = answer.pair_table.judged
    rows = np.array([2, 0])
    some = found.take(rows)
    assert_allclose(some.law.end(0.01), found.law.end(0.01)[rows], rtol=1e-12)
    assert_allclose(some.law.tail(0.1, upper=True), found.law.tail(0.1, upper=True)[rows], rtol=1e-12)
    for row in answer.pairs.itertuples():
        pair, mirrored = answer.pair(row.first, row.second), answer.pair(row.second, row.first)
        assert_allclose([pair.interval_low, pair.interval_high], [row.interval_low, row.interval_high], rtol=1e-9)
        assert_allclose([mirrored.interval_low, mirrored.interval_high], [-row.interval_high, -row.interval_low], rtol=1e-9)
        assert len(pair.differences) == pair.n_units


def test_tails_and_ends_of_pairs_of_several_looks_are_one_function() -> None:
    """As of any differences: levels of shape (k, 1) give (k, n_pairs) ends, monotone, and a bound has the tail that it misses."""
    answer = looked([100, 250, 500])
    law: Any = answer.pair_table.judged.law
    for upper in (False, True):
        assert_allclose(law.tail(law.end(0.05 / 3 / 2, upper=upper), upper=upper), 0.05 / 3 / 2, rtol=1e-6)
    many = np.linspace(0.001, 0.2, 20)[:, None]
    assert_allclose(law.end(many[:2]), [law.end(many[0, 0]), law.end(many[1, 0])], rtol=1e-12)
    assert np.all(np.diff(law.end(many), axis=0) >= 0)
    assert (answer.supplementary_tests, answer.to_dict()["detectable"]) == ((), None)  # what knows of no looks is not offered


def test_comparisons_with_the_best_share_alpha_one_sided() -> None:
    """Each bound spends alpha / (M - 1); a model that another was shown above stays out, though later data would let it in."""

    def table(n: int) -> pd.DataFrame:
        return answers(n, (0.85, 0.72, 0.7, 0.7))

    answer = looked([100, 400, 800], table, family="best")
    design = group_sequential_design([1 / 8, 0.5, 1.0], alpha=2 * 0.05 / 3)
    assert_allclose(levels(answer), design.alphas, rtol=1e-9)
    alone = tb.compare(table(400), metric="accuracy", alpha=float(design.alphas[1]), correction="none")
    first, second, _ = answer.looks.taken[1].decided[0]
    row, _ = answer.pair_table.row_of(answer.models.index(first), answer.models.index(second))
    ends = [end[row] for end in answer.pair_table.law.interval_at(2 * 0.05 / 3)]
    assert_allclose(ends, [alone.pair(first, second).interval_low, alone.pair(first, second).interval_high], rtol=1e-9)
    assert tb.compare(answer).looks == answer.looks


# --- order ----------------------------------------------------------------------------------------------------------------------


def items(order: str, seed: int, *, n: int = 400, metadata: bool = True) -> tb.Items:
    """The first n of 400 questions of eight subjects, to four models, in this order."""
    rng = np.random.default_rng(seed)
    subject = rng.integers(0, 8, 400)
    difficulty = rng.normal(size=400) + rng.normal(0, 0.8, 8)[subject]
    right = rng.random((4, 400)) < 1 / (1 + np.exp(difficulty - rng.normal(0, 0.5, (4, 8))[:, subject]))
    orders = {"random": np.arange(400), "subject": np.argsort(subject, kind="stable"), "difficulty": np.argsort(difficulty)}
    rows = orders[order][:n]
    columns = {"area": tuple(f"s{k}" for k in subject[rows]), "hard": tuple(f"{d:.4f}" for d in difficulty[rows])}
    models, names = tuple(f"m{k}" for k in range(4)), tuple(f"q{k}" for k in rows)
    score = right[:, None, rows].astype(float)
    return tb.Items(tb.Metric("accuracy", True), models, ("",), names, score, columns=columns if metadata else {})


def is_refused(table: tb.Items, method: str = "tango", unit: str = "question") -> bool:
    """True where a look at the table is refused."""
    try:
        refuse_order(procedures_named(method)[0], table.as_scores(), unit)
    except DataError:
        return True
    return False


@pytest.mark.parametrize(
    ("order", "text"), [("subject", "'area' comes in blocks"), ("difficulty", "along the table|like that of")]
)
def test_a_sorted_order_is_refused(order: str, text: str) -> None:
    """By the column that it was sorted by, in all of 40 tables; the message says which."""
    assert all(is_refused(items(order, seed)) for seed in range(40))
    with pytest.raises(DataError, match=rf"do not come in random order: .*({text})"):
        refuse_order(procedures_named("tango")[0], items(order, 0).as_scores(), "question")


def test_an_order_by_difficulty_shows_in_the_mean_scores_alone() -> None:
    """Without any column, in nearly all tables."""
    assert np.mean([is_refused(items("difficulty", seed, metadata=False)) for seed in range(40)]) >= 0.8


@pytest.mark.slow
def test_a_random_order_is_not_refused() -> None:
    """At most 7 in 1,000 may be at a first look, and 8 in a million at a twentieth: of 200 tables few are, then none."""
    assert sum(is_refused(items("random", seed)) for seed in range(200)) <= 3
    for seed in range(200):
        refuse_order(procedures_named("tango")[0], items("random", seed).as_scores(), "question", number=20)


def test_units_with_one_mean_score_have_no_order() -> None:
    """Nothing is tested then, and so nothing is found."""
    table = {"dataset": [f"d{n}" for n in range(20)], "a": [0.8, 0.7] * 10, "b": [0.7, 0.8] * 10}
    assert tb.compare(table, metric="accuracy", n_total=40).pairs["verdict"].tolist() == ["undecided"]


def test_all_looks_together_refuse_at_most_one_random_order_in_a_hundred() -> None:
    """The parts of a thousand looks add up to less than one per cent, and the first is the largest."""
    parts = [alpha_of_look(number) for number in range(1, 1001)]
    assert (0.01 * 0.999 < sum(parts) < 0.01, parts) == (True, sorted(parts, reverse=True))


@pytest.mark.parametrize(
    ("n", "name", "values", "refused"),
    [
        (40, "subject", ("x",) * 40, True),  # the first 40 of a table that is sorted by subject
        (40, "Topic", ("x",) * 40, True),
        (40, "prompt", ("x",) * 40, False),  # a column of another name may well be constant
        (40, "length", ("7",) * 40, False),
        (400, "index", tuple(map(str, range(400))), False),  # it says when an item came, and rises along every table
        (400, "start_time", tuple(map(str, range(400))), False),
        (400, "length", tuple(map(str, range(400))), True),
    ],
)
def test_a_column_tells_of_an_order_where_its_name_does(n: int, name: str, values: tuple[str, ...], refused: bool) -> None:
    """One group alone is refused where its column says what it is; numbers that say when an item came go with any order."""
    table = items("random", 0, n=n, metadata=False)
    named = tb.Items(table.metric, table.models, table.runs, table.items, table.score, columns={name: values})
    assert is_refused(named) == refused


def test_clusters_are_tested_as_units() -> None:
    """Items of a cluster stand together in any order of clusters; clusters that are sorted by their scores are refused."""
    rng = np.random.default_rng(0)
    effect, names = rng.normal(size=60), tuple(map(str, range(300)))
    for order, refused in ((np.arange(60), False), (np.argsort(effect), True)):
        score = effect[order].repeat(5) + rng.normal(size=(2, 1, 300))
        clusters = tuple(f"c{k // 5}" for k in range(300))
        table = tb.Items(tb.Metric("quality", True), ("a", "b"), ("",), names, score, clusters=clusters)
        assert is_refused(table, "clustered-t", "cluster") == refused


def test_an_order_that_is_known_to_be_random_is_not_checked(tmp_path: Path) -> None:
    """The plan says so at every further look, in its file too, and the page remarks it; the error tells the way."""
    table = answers(N)
    table = table.sort_values("m1", kind="stable").assign(question=[f"q{i}" for i in range(N)])
    with pytest.raises(DataError, match=r"looks=tb\.Looks\(n_total=\.\.\., check_order=False\)"):
        tb.compare(table[:600], metric="accuracy", n_total=N)
    answer = tb.compare(table[:600], metric="accuracy", looks=Looks(n_total=N, check_order=False))
    assert "That the order is random is taken for granted here" in " ".join(str(answer).split())
    answer.to_json(tmp_path / "answer.json")
    assert not tb.compare(table, metric="accuracy", looks=tmp_path / "answer.json").looks.check_order
