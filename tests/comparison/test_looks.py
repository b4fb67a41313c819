"""Looks at data that are still coming in: what a plan grants, what it keeps, and what it refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.comparison.looks import Looks, alpha_of_look, cut, plan_unit, refuse_order
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


def looked(sizes: list[int], **settings: Any) -> tb.Comparison:
    """The answer after looks at so many questions."""
    answer: tb.Comparison | None = None
    for n in sizes:
        answer = tb.compare(answers(n), metric="accuracy", n_total=N, looks=answer, **settings)
    assert answer is not None
    return answer


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
    taken = looked([100, 250, 800]).looks.taken  # type: ignore[union-attr]
    design = group_sequential_design([1 / 8, 2.5 / 8, 1.0], alpha=0.05 / 3)
    assert_allclose([look.interval_alpha for look in taken], design.alphas, rtol=1e-9)
    assert [look.n for look in taken] == [100, 250, 800]


def test_levels_of_repeats_are_those_of_students_process() -> None:
    """Gamma -8, t_r = Var(m_R) / Var(m_r), and the degrees of freedom of each look (shared/design, section 8)."""
    answer = None
    for r in (2, 4, 10):
        answer = tb.compare(repeats(r), metric="accuracy", n_train=80, n_test=20, n_total=10, looks=answer)
    assert answer is not None
    assert answer.looks is not None
    t = split_information([10, 20, 50], 50, test_train_ratio=0.25)
    design = group_sequential_design(t, gamma=-8.0, df=[9, 19, 49])
    assert_allclose([look.interval_alpha for look in answer.looks.taken], design.alphas, rtol=1e-6)
    assert (answer.looks.unit, answer.looks.gamma) == ("repeat", -8.0)


def test_a_decided_pair_keeps_the_row_of_its_look() -> None:
    """Its interval is the one that the procedure gives of that look's data alone, at the level that the look was granted."""
    answer = looked([100, 250, 800])
    row = answer.pairs.set_index(["first", "second"]).loc[("m0", "m1")]
    assert (row["look"], row["n_units"], row["verdict"]) == (1, 100, "better")
    level = group_sequential_design([1 / 8], alpha=0.05 / 3).alphas[0]
    alone = tb.compare(answers(100), metric="accuracy", alpha=level, correction="none").pair("m0", "m1")
    assert_allclose([row["interval_low"], row["interval_high"]], [alone.interval_low, alone.interval_high], rtol=1e-9)
    assert answer.looks is not None
    assert ("m0", "m1", "better") in answer.looks.taken[0].decided


def test_an_open_pair_has_the_row_of_the_last_look() -> None:
    """So nothing of it is lost; with the level of that look, below alpha / 3."""
    row = looked([100, 250, 800]).pair("m1", "m2")
    assert (row.n_units, row.verdict) == (800, "undecided")


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
    answer = tb.compare(answers(200), metric="accuracy", n_total=300)
    answer = tb.compare(answers(400), metric="accuracy", looks=answer)
    assert answer.looks is not None
    assert answer.looks.taken[-1].fraction == 1.0
    with pytest.raises(InvalidParameterError, match="plan of 300 questions is over"):
        tb.compare(answers(500), metric="accuracy", looks=answer)


def test_a_pair_with_gaps_has_the_level_of_the_look() -> None:
    """One level for the family at a look, that of pairs without gaps."""
    table = answers(N).astype({"m2": float})
    table.loc[:99:2, "m2"] = np.nan
    answer = tb.compare(table.iloc[:200], metric="accuracy", missing="pairwise", n_total=N)
    answer = tb.compare(table, metric="accuracy", missing="pairwise", looks=answer)
    assert answer.looks is not None
    design = group_sequential_design([0.25, 1.0], alpha=0.05 / 3)
    assert_allclose([look.interval_alpha for look in answer.looks.taken], design.alphas, rtol=1e-9)
    row, alone = (
        answer.pair("m1", "m2"),
        tb.compare(table, metric="accuracy", missing="pairwise", alpha=design.alphas[1], correction="none"),
    )
    assert (row.n_units, row.interval_low) == (750, pytest.approx(alone.pair("m1", "m2").interval_low))


def test_clusters_are_the_units() -> None:
    """Whole clusters, as many as the plan says."""
    table = answers(200).assign(cluster=[f"c{i // 4}" for i in range(200)])
    answer = tb.compare(table, metric="accuracy", n_total=100)
    assert answer.looks is not None
    assert (answer.looks.n, answer.looks.unit, answer.looks.n_left) == (50, "cluster", 50)
    mixed = table.assign(cluster=[f"c{i % 50}" for i in range(200)])
    first = tb.compare(mixed, metric="accuracy", n_total=100)
    more = pd.concat([mixed, answers(300).iloc[200:].assign(cluster=[f"c{i % 60}" for i in range(100)])])
    with pytest.raises((DataError, ChangedRunError), match=r"whole clusters|are not those of look 1"):
        tb.compare(more, metric="accuracy", looks=first)


def test_pairs_that_are_all_decided_stay_so_at_the_next_look() -> None:
    """No pair of clustered items is left open for it."""
    table = answers(400, (0.97, 0.4)).assign(cluster=[f"c{i // 4}" for i in range(400)])
    first = tb.compare(table.iloc[:200], metric="accuracy", n_total=100)
    later = tb.compare(table, metric="accuracy", looks=first)
    assert later.pairs["look"].tolist() == [1]
    assert later.pairs["interval_low"].equals(first.pairs["interval_low"])


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
    answer = tb.compare(answers(250), metric="accuracy", n_total=N)
    turned = answers(400)[["question", "m2", "m1", "m0"]]
    later = tb.compare(turned, metric="accuracy", looks=answer)
    assert later.looks == tb.compare(answers(400), metric="accuracy", looks=answer).looks


def test_a_saved_answer_holds_its_looks(tmp_path: Any) -> None:
    """Compared again it is the same answer, and its file is where the next look goes on."""
    answer = looked([100, 250])
    answer.to_json(tmp_path / "answer.json")
    again = tb.compare(tmp_path / "answer.json")
    assert again.looks == answer.looks
    pd.testing.assert_frame_equal(again.pairs, answer.pairs)
    later = tb.compare(answers(500), metric="accuracy", looks=tmp_path / "answer.json")
    assert later.looks is not None
    assert [look.n for look in later.looks.taken] == [100, 250, 500]


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
        ({"interval_alpha": None}, r"Expected `float`, got `null` at `taken\[0\].interval_alpha`"),
        ({"decided": [["m0", "m1"]]}, r"Expected `array` of length 3, got 2 at `taken\[0\].decided\[0\]`"),
    ],
)
def test_a_look_that_was_changed_is_named(change: dict[str, Any], text: str) -> None:
    """By its place in the record and what is wrong with it."""
    first = tb.compare(answers(100), metric="accuracy", n_total=N).looks
    assert first is not None
    record = first.as_dict()
    record["taken"][0].update(change)
    with pytest.raises((DataError, InvalidParameterError), match=text):
        tb.compare(answers(200), metric="accuracy", looks=record)


def test_a_record_that_lacks_a_field_or_goes_back_is_refused() -> None:
    """It names the field; a later look at a smaller share of the plan is none."""
    first = looked([100, 250]).looks
    assert first is not None
    record = first.as_dict()
    del record["taken"][1]["digest"]
    with pytest.raises(DataError, match=r"missing required field `digest` at `taken\[1\]`"):
        tb.compare(answers(400), metric="accuracy", looks=record)
    record = first.as_dict()
    record["taken"][1]["fraction"] = 0.01
    with pytest.raises(InvalidParameterError, match=r"looks at 100 and then at 250 questions, as 0\.125 and 0\.01 of the plan"):
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
    with pytest.raises(DataError, match="15 questions are too few for a look"):
        tb.compare(answers(15), metric="accuracy", n_total=N)


def test_ten_thousand_looks_are_refused() -> None:
    """In words, not in hours."""
    first = looked([100]).looks
    assert first is not None
    record = first.as_dict()
    record["taken"] = [{**record["taken"][0], "n": 100 + k} for k in range(10_000)]
    with pytest.raises(InvalidParameterError, match="10,000 looks, and a plan has at most 1,000"):
        tb.compare(answers(N), metric="accuracy", looks=record)


def test_a_record_that_does_not_say_what_its_data_say_is_refused() -> None:
    """A level that was written larger would spend more than alpha."""
    first = looked([100]).looks
    assert first is not None
    record = first.as_dict()
    record["taken"][0]["interval_alpha"] *= 2
    with pytest.raises(ChangedRunError, match="look 1 does not say what its 100 questions say"):
        tb.compare(answers(200), metric="accuracy", looks=record)


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
    score = {"a": y + rng.normal(size=200), "b": y + rng.normal(size=200)}

    def first(n: int) -> tb.Items:
        return tb.read_predictions(y[:n], {name: values[:n] for name, values in score.items()}, metric="roc_auc")

    with pytest.raises(DataError, match="5 items of the rarer class are too few"):
        tb.compare(first(60), n_total=200)
    shuffled = rng.permutation(200)
    y, score = y[shuffled], {name: values[shuffled] for name, values in score.items()}
    answer = tb.compare(first(100), n_total=200)
    answer = tb.compare(first(200), looks=answer)
    information = [(n - p) * p / n for n, p in ((100, y[:100].sum()), (200, y.sum()))]
    design = group_sequential_design(np.array(information) / information[1], spent=tb.statistics.alpha_spent([0.5, 1.0]))
    assert answer.looks is not None
    assert_allclose([look.interval_alpha for look in answer.looks.taken], design.alphas, rtol=1e-9)


def test_data_are_cut_by_the_unit_of_the_plan() -> None:
    """Repeats of splits, datasets, items."""
    scores = tb.read_scores(repeats(4), metric="accuracy", n_train=80, n_test=20)
    method: Any = tb.compare(scores).method
    assert (cut(method, scores, 2).matrix().n_splits, plan_unit(method, scores)) == (10, "repeat")
    datasets = tb.read_scores(pd.DataFrame({"dataset": list("abcdefgh"), "x": range(8), "z": range(8)}), metric="score")
    method = tb.compare(datasets).method
    assert (cut(method, datasets, 3).datasets, plan_unit(method, datasets)) == (("a", "b", "c"), "dataset")


# --- differences as looks leave them ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer() -> tb.Comparison:
    """Three looks, of which the first decides two pairs."""
    return looked([100, 250, 500])


def test_tails_and_quantiles_are_one_function_at_the_level_of_the_family(answer: tb.Comparison) -> None:
    """A bound that misses with half of that level has just that tail."""
    found: Any = answer.pair_table.judged
    p = 0.05 / 3 / 2
    for upper in (False, True):
        assert_allclose(found.law.tail(found.law.end(p, upper=upper), upper=upper), p, rtol=1e-6)


@pytest.mark.slow
def test_some_pairs_are_what_they_are_among_all(answer: tb.Comparison) -> None:
    """Rows in any order, and one pair by itself."""
    found: Any = answer.pair_table.judged
    rows = np.array([2, 0])
    some = found.take(rows)
    assert_allclose(some.law.end(0.01), found.law.end(0.01)[rows], rtol=1e-12)
    assert_allclose(some.law.tail(0.1, upper=True), found.law.tail(0.1, upper=True)[rows], rtol=1e-12)
    low, high = answer.pair_table.interval
    for row, (one, two) in enumerate(zip(answer.pair_table.first, answer.pair_table.second, strict=True)):
        pair = answer.pair(answer.models[one], answer.models[two])
        assert_allclose([pair.interval_low, pair.interval_high], [low[row], high[row]], rtol=1e-9)
        mirrored = answer.pair(answer.models[two], answer.models[one])
        assert_allclose([mirrored.interval_low, mirrored.interval_high], [-high[row], -low[row]], rtol=1e-9)
        assert len(pair.differences) == pair.n_units


def test_levels_broadcast(answer: tb.Comparison) -> None:
    """As of any differences: levels of shape (k, 1) give (k, n_pairs) ends."""
    found: Any = answer.pair_table.judged
    levels = np.array([[0.01], [0.05]])
    low, high = found.law.interval_at(levels)
    for k, level in enumerate(levels[:, 0]):
        assert_allclose([low[k], high[k]], found.law.interval_at(level), rtol=1e-12)
    many = np.linspace(0.001, 0.2, 20)[:, None]  # by the shares at the level of the family: still monotone
    assert np.all(np.diff(found.law.end(many), axis=0) >= 0)


def test_what_knows_of_no_looks_is_not_offered(answer: tb.Comparison) -> None:
    """Tests beside an answer, slices and what the table could not see are of one look."""
    assert answer.supplementary_tests == ()
    assert answer.by is None
    assert answer.to_dict()["detectable"] is None


def test_comparisons_with_the_best_share_alpha_one_sided() -> None:
    """Each bound spends alpha / (M - 1); a model that another was shown above stays out, though later data would let it in."""
    shares = (0.85, 0.72, 0.7, 0.7)
    answer = None
    for n in (100, 400, 800):
        answer = tb.compare(answers(n, shares), metric="accuracy", family="best", n_total=N, looks=answer)
    assert answer is not None
    assert answer.looks is not None
    design = group_sequential_design([1 / 8, 0.5, 1.0], alpha=2 * 0.05 / 3)
    assert_allclose([look.interval_alpha for look in answer.looks.taken], design.alphas, rtol=1e-9)
    differences: Any = answer.pair_table.judged
    assert set(differences.beside["look"].tolist()) > {3}
    alone = tb.compare(answers(400, shares), metric="accuracy", alpha=float(design.alphas[1]), correction="none")
    one = next(name for look in answer.looks.taken[1:2] for name in look.decided)
    low, high = answer.pair_table.law.interval_at(2 * 0.05 / 3)
    place = answer.pair_table.row_of(answer.models.index(one[0]), answer.models.index(one[1]))
    assert place is not None
    row, mirrored = place
    assert not mirrored
    assert_allclose([low[row], high[row]], [alone.pair(*one[:2]).interval_low, alone.pair(*one[:2]).interval_high], rtol=1e-9)
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


def is_refused(table: tb.Items) -> bool:
    """True where a look at the table is refused."""
    try:
        refuse_order(procedures_named("tango")[0], table.as_scores(), "question")
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


def test_all_looks_together_refuse_at_most_one_random_order_in_a_hundred() -> None:
    """The parts of a thousand looks add up to less than one per cent, and the first is the largest."""
    parts = [alpha_of_look(number) for number in range(1, 1001)]
    assert 0.01 * 0.999 < sum(parts) < 0.01
    assert parts == sorted(parts, reverse=True)


def test_one_group_alone_is_refused_where_its_column_says_what_it_is() -> None:
    """The first 40 of a table that is sorted by subject are of one subject; a column of another name may well be constant."""
    table = items("random", 0, n=40, metadata=False)
    for name, said, refused in (("subject", "x", True), ("Topic", "x", True), ("prompt", "x", False), ("length", "7", False)):
        named = tb.Items(
            table.metric, table.models, table.runs, table.items, table.score, columns={name: (said,) * len(table.items)}
        )
        assert is_refused(named) == refused


def test_numbers_that_say_when_an_item_came_go_with_any_order() -> None:
    """An index or a time stamp rises along every table."""
    table = items("random", 0, metadata=False)
    for name, refused in (("index", False), ("start_time", False), ("length", True)):
        numbers = tuple(str(k) for k in range(400))
        named = tb.Items(table.metric, table.models, table.runs, table.items, table.score, columns={name: numbers})
        assert is_refused(named) == refused


def test_clusters_are_tested_as_units() -> None:
    """Items of a cluster stand together in any order of clusters; clusters that are sorted by their scores are refused."""
    rng = np.random.default_rng(0)
    effect = rng.normal(size=60)
    for order, refused in ((np.arange(60), False), (np.argsort(effect), True)):
        score = effect[order].repeat(5) + rng.normal(size=(2, 1, 300))
        clusters = tuple(f"c{k // 5}" for k in range(300))
        names = tuple(map(str, range(300)))
        table = tb.Items(tb.Metric("quality", True), ("a", "b"), ("",), names, score, clusters=clusters)
        try:
            refuse_order(procedures_named("clustered-t")[0], table.as_scores(), "cluster")
            assert not refused
        except DataError:
            assert refused


def test_an_order_that_is_known_to_be_random_is_not_checked(tmp_path: Path) -> None:
    """The plan says so at every further look, in its file too, and the page remarks it; the error tells the way."""
    table = answers(N)
    table = table.sort_values("m1", kind="stable").assign(question=[f"q{i}" for i in range(N)])
    with pytest.raises(DataError, match=r"looks=tb\.Looks\(n_total=\.\.\., check_order=False\)"):
        tb.compare(table[:600], metric="accuracy", n_total=N)
    answer = tb.compare(table[:600], metric="accuracy", looks=Looks(n_total=N, check_order=False))
    assert "That the order is random is taken for granted here" in " ".join(str(answer).split())
    answer.to_json(tmp_path / "answer.json")
    later = tb.compare(table, metric="accuracy", looks=tmp_path / "answer.json")
    assert later.looks is not None
    assert not later.looks.check_order
