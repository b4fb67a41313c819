"""Properties of every answer, on tables made to break them: ties, copies, constant gaps, two splits, rounded shares, giants."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.comparison.tables import compared
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.family import best_alpha
from tiebreak.scores.metric import Metric
from tiebreak.statistics.posterior import joint
from tiebreak.views.comparison import pair_columns, ranking_columns
from tiebreak.views.view import Coded

pytestmark = pytest.mark.slow

every_table = settings(max_examples=150)
some_tables = settings(max_examples=60)

UP, DOWN = Metric("score", higher_is_better=True), Metric("loss", higher_is_better=False)
"""Without bounds, at which intervals of means would be cut off whatever the unit."""

MIRROR = {"better": "worse", "ahead": "behind", "behind": "ahead", "worse": "better"}
WORDS = ("first", "second", "verdict", "reason", "model", "may_be_best", "standing", "letters", "n_units", "df")
WORDS += ("rank", "rank_low", "rank_high")
SAMPLED = {"p_best": 0.005}
IN_UNITS = ("difference", "standard_error", "interval_low", "interval_high", "shortfall_high")
MEANS = ("mean", "mean_low", "mean_high", "adjusted")


class Table(NamedTuple):
    """A nasty table, as scores of models over splits, and how it is to be compared."""

    score: np.ndarray
    names: list[str]
    n_test: np.ndarray
    options: dict[str, Any]


@pytest.fixture(autouse=True, scope="module")
def few_draws() -> Iterator[None]:
    """The same draws serve both answers of a property, so a few thousand do; test_joint.py is about the draws themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint, "N_DRAWS", 2000)
        yield


KINDS = ("tenths", "fortieths", "normal", "constant", "copy", "shifted", "close")


def model(kind: str, base: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One row: shares of ten or forty examples, real numbers, a constant, or the base with a gap or a little noise."""
    n_splits = base.size
    if kind in ("tenths", "fortieths"):
        n = {"tenths": 10, "fortieths": 40}[kind]
        return np.round(rng.integers(n // 2, n + 1, n_splits) / n, 3)
    if kind == "constant":
        return np.full(n_splits, rng.integers(5, 10) / 10)
    if kind == "normal":
        return rng.normal(0.8, 0.05, n_splits)
    return base + {"copy": 0.0, "shifted": rng.choice([0.01, -0.1]), "close": rng.normal(0, 1e-3, n_splits)}[kind]


@st.composite
def tables(draw: st.DrawFn, *, max_models: int = 5, missing: bool = False, families: bool = False) -> Table:
    """Two to five models on two to twelve splits, with any rope, family, correction that goes with them, direction and sizes."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=max_models))
    n_splits = draw(st.sampled_from([2, 3, 4, 5, 10, 12]))
    rng = np.random.default_rng(draw(st.integers(0, 2**30)))
    base = rng.integers(5, 11, n_splits) / 10
    score = np.array([model(kind, base, rng) for kind in kinds])
    names = rng.permutation(["svm", "forest", "ridge", "knn", "tree"])[: len(kinds)].tolist()
    rope = draw(st.sampled_from([0.0, 0.01, 0.05, 0.1, "1%"]))
    family = draw(st.sampled_from(["pairs", "pairs", "best"])) if families else "pairs"
    corrections = [None] if family == "best" else ["bonferroni", "none", *(() if rope else ("holm", "bh"))]
    options: dict[str, Any] = {
        "rope": rope,
        "family": family,
        "correction": draw(st.sampled_from(corrections)),
        "alpha": draw(st.sampled_from([0.05, 0.4])),
        "metric": draw(st.sampled_from([UP, DOWN])),
    }
    if missing:
        holes = rng.random(score.shape) < 0.2
        holes[:, rng.integers(n_splits)] = False  # one split that all have: no model is without a score
        score[holes] = np.nan
        options["missing"] = "pairwise"
    n_test = np.full(n_splits, 10) if draw(st.booleans()) else 5 + np.arange(n_splits)
    return Table(score, names, n_test, options)


def table_with_gaps() -> Table:
    """Five models on ten splits of 5 to 14 test examples. A matrix product rounds its ratios by order on many processors."""
    rng = np.random.default_rng(7)
    score = rng.normal(0.8, 0.05, (5, 10))
    score[rng.random(score.shape) < 0.2] = np.nan
    options = {"rope": 0.01, "correction": "none", "alpha": 0.05, "metric": UP, "missing": "pairwise"}
    return Table(score, ["svm", "forest", "ridge", "knn", "tree"], 5 + np.arange(10), options)


def answered(table: Table, **changes: Any) -> Comparison:
    return compared(table.score, table.names, n_train=90, n_test=table.n_test, **{**table.options, **changes})


Columns = dict[str, np.ndarray]


def plain(columns: dict[str, Any]) -> Columns:
    return {
        name: np.array(column.names)[column.codes] if isinstance(column, Coded) else np.asarray(column)
        for name, column in columns.items()
    }


def pairs_of(answer: Comparison) -> Columns:
    """The columns of `pairs`, without the cost of a frame."""
    return plain(pair_columns(answer))


def ranking_of(answer: Comparison) -> Columns:
    """The columns of `ranking`, likewise, and the probabilities to be the best."""
    return plain(ranking_columns(answer)) | {"p_best": np.array(list(answer.p_best().values()))}


def assert_close(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float, name: str) -> None:
    """numpy's check, which is slow, only where a fast one fails and a message is needed."""
    with np.errstate(invalid="ignore"):  # inf - inf
        close = np.abs(got - expected) <= atol + rtol * np.abs(expected)
    if not np.all(close | (got == expected) | (np.isnan(got) & np.isnan(expected))):
        assert_allclose(got, expected, rtol=rtol, atol=atol, err_msg=name)


def assert_same(got: Columns, expected: Columns, units: dict[str, float] | None = None, rtol: float = 1e-12) -> None:
    """Words and counts equal; numbers to 1e-12 of themselves or of 1, those in units after dividing by the factor."""
    for column, other in expected.items():
        if column in WORDS:
            assert np.array_equal(got[column], other), f"{column}: {got[column]} is not {other}"
        else:
            assert_close(got[column] / (units or {}).get(column, 1.0), other, rtol, SAMPLED.get(column, rtol), column)


def assert_same_answer(got: Comparison, expected: Comparison, factor: float = 1.0, rtol: float = 1e-12) -> None:
    """All columns of pairs and ranking, and the shortlist; differences and means `factor` times as large."""
    units = dict.fromkeys((*IN_UNITS, *MEANS), factor)
    assert_same(pairs_of(got), pairs_of(expected), units, rtol)
    assert_same(ranking_of(got), ranking_of(expected), units, rtol)
    assert got.shortlist() == expected.shortlist()


def is_settled(answer: Comparison) -> bool:
    """Whether no verdict, standing, place or level hangs on the last digits of an end, a p-value or a value."""
    pairs, ranks = pairs_of(answer), ranking_of(answer)
    low, high = answer.pair_table.law.interval_at(2 * best_alpha(answer.settings.alpha, len(answer.models)))
    ends = np.concatenate([pairs["interval_low"], pairs["interval_high"], low, high, ranks["shortfall_high"]])
    limits = np.array([[0.0], [answer.rope], [-answer.rope]])
    near_limit = np.abs(ends - limits) < 1e-9 * np.abs(answer.matrix.score).max()
    near_limit[:, ends == 0] = False  # a shortfall of 0 is exact
    return not np.any(near_limit) and not np.any(np.abs(pairs["adjusted_pvalue"] / answer.settings.alpha - 1) < 1e-9)


# --- models and rows ------------------------------------------------------------------------------------------------


@every_table
@given(table=tables(families=True), seed=st.integers(0, 2**20))
def test_order_of_models_and_splits_changes_nothing(table: Table, seed: int) -> None:
    """Every column of pairs and ranking, shortlist and rope; which split is called fold 0 does not matter (see test_joint.py)."""
    models, splits = (np.random.default_rng(seed).permutation(n) for n in table.score.shape)
    one = answered(table)
    assume(is_settled(one))
    other = answered(table._replace(score=table.score[models], names=[table.names[i] for i in models]))
    assert_same_answer(other, one)
    assert other.rope == one.rope
    other, expected = answered(table._replace(score=table.score[:, splits], n_test=table.n_test[splits])), ranking_of(one)
    del expected["p_best"]
    assert_same(pairs_of(other), pairs_of(one))
    assert_same(ranking_of(other), expected)


# --- orientation ----------------------------------------------------------------------------------------------------


@every_table
@given(table=tables(missing=True))
@example(table=table_with_gaps())
def test_a_pair_the_other_way_round_is_its_mirror(table: Table) -> None:
    """Better and worse change places, intervals change sign and ends, one-sided p-values too; the rest stays."""
    answer = answered(table)
    for first, second in zip(answer.pairs["first"], answer.pairs["second"], strict=True):
        one, other = answer.pair(first, second), answer.pair(second, first)
        same = ("n_units", "df", "standard_error", "pvalue", "adjusted_pvalue", "p_equivalent", "interval_alpha")
        assert_array_equal([getattr(other, name) for name in same], [getattr(one, name) for name in same])
        turned = [-one.difference, -one.statistic, -one.interval_high, -one.interval_low, one.p_worse, one.p_better]
        names = ("difference", "statistic", "interval_low", "interval_high", "p_better", "p_worse")
        assert_array_equal([getattr(other, name) for name in names], turned)
        assert (other.verdict, other.reason) == (MIRROR.get(one.verdict, one.verdict), one.reason)
        assert_array_equal(other.law.pvalue("less"), one.law.pvalue("greater"))


# --- units ----------------------------------------------------------------------------------------------------------


def rescaled(table: Table, factor: float) -> Comparison:
    rope = table.options["rope"]
    return answered(table._replace(score=table.score * factor), rope=rope if isinstance(rope, str) else rope * factor)


@some_tables
@given(table=tables(missing=True, families=True), power=st.sampled_from([-170, -100, -40, -1, 1, 7, 60, 100, 170]))
def test_unit_does_not_matter_for_any_magnitude(table: Table, power: int) -> None:
    """Powers of two are exact in floats, so the answer is the same to the last digits for scores of 1e-51 and 1e51."""
    assert_same_answer(rescaled(table, 2.0**power), answered(table), 2.0**power)


@some_tables
@given(table=tables(families=True))
def test_lower_is_better_is_the_negative(table: Table) -> None:
    """The same scores with turned signs in a metric of the other direction: the same pairs."""
    other_metric = DOWN if table.options["metric"] is UP else UP
    one, other = answered(table), answered(table._replace(score=-table.score), metric=other_metric)
    assert_same(pairs_of(other), pairs_of(one))
    turned = ranking_of(other)
    turned |= {"mean": -turned["mean"], "mean_low": -turned["mean_high"], "mean_high": -turned["mean_low"]}
    assert_same(turned, ranking_of(one))


# --- consistency within an answer -----------------------------------------------------------------------------------


@some_tables
@given(table=tables(missing=True))
def test_answer_is_consistent(table: Table) -> None:
    """Probabilities add up, ends nest, p-values and intervals agree on 0, verdicts follow, undefined is undefined."""
    answer = answered(table)
    pairs, ranks = pairs_of(answer), ranking_of(answer)
    spread, defined = np.isin(pairs["reason"], ["", "unsettled"]), pairs["reason"] != "missing-splits"
    assert_allclose((pairs["p_better"] + pairs["p_equivalent"] + pairs["p_worse"])[defined], 1.0, rtol=1e-12)
    good, bad = ({name: column[rows] for name, column in pairs.items()} for rows in (spread, ~spread))
    assert np.all(np.diff([good[name] for name in ("interval_low", "difference", "interval_high")], axis=0) >= 0)
    assert np.all(good["adjusted_pvalue"] >= good["pvalue"] * (1 - 1e-15))
    assert_array_equal(good["reason"] == "unsettled", good["verdict"] == "undecided")
    assume(is_settled(answer))
    apart = (good["interval_low"] > 0) | (good["interval_high"] < 0)
    assert_array_equal(apart, good["adjusted_pvalue"] <= answer.settings.alpha)
    assert np.all(apart[np.isin(good["verdict"], ["better", "ahead", "behind", "worse"])])
    assert np.all(np.isnan([bad["interval_low"], bad["interval_high"]]))
    assert set(bad["verdict"]) <= {"undecided"}
    assert np.all(pairs["standard_error"][defined & ~spread] == 0)
    complete = ranks["n_units"] == answer.matrix.n_splits
    assert np.all(answer.against_reference.difference <= 0) or not complete.all()
    if complete.sum() >= 2:
        assert_allclose(ranks["p_best"][complete].sum(), 1.0, rtol=1e-12)
