"""Missing scores: an error, or pairs that each have their own splits, degrees of freedom and ratio."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tests.guarded import told
from tiebreak.errors import DataError
from tiebreak.scores.means import adjusted_means

NAN = np.nan


def holed() -> np.ndarray:
    """Three models on ten splits: a misses one, b misses three others, c is complete and the worst."""
    table = noisy(0.85, 0.82, 0.80)
    table[0, 4] = NAN
    table[1, [1, 2, 7]] = NAN
    return table


def test_missing_scores_are_an_error_that_names_them() -> None:
    """Model, number, splits, of which three are named, and three ways to go on."""
    assert told(DataError, compared, holed()) == (
        "'a' lacks 1 of the 10 splits: repeat 0 fold 4 (so do 1 other model(s)); a score that is undefined (nan) counts as "
        'missing. Evaluate those, leave the model out with models=, or pass missing="pairwise" to compare each pair on the '
        "splits it shares."
    )
    assert ": repeat 0 fold 1, repeat 0 fold 2, repeat 0 fold 7; a score" in told(DataError, compared, holed()[1:])


@pytest.mark.parametrize("missing", ["raise", "pairwise"])
def test_model_without_any_score_is_an_error(missing: str) -> None:
    """There is nothing to compare, however lenient the caller."""
    table = noisy(0.85, 0.82, 0.80)
    table[1] = NAN
    assert "'b' has no score on any split" in told(DataError, compared, table, missing=missing)


def test_incomplete_models_are_ordered_with_the_others() -> None:
    """By the value adjusted for what they lack; P(best) needs all scores, so the incomplete model has none."""
    table = noisy(0.95, 0.82, 0.80)
    table[0, 4] = NAN
    answer = compared(table, missing="pairwise")
    ranking = answer.ranking
    assert_array_equal(ranking["n_units"], [9, 10, 10])
    assert list(ranking["standing"]) == ["best", "not best", "not best"]
    a, b, c = answer.p_best().values()
    assert (a, b + c) == pytest.approx((np.nan, 1.0), nan_ok=True)
    assert_allclose(ranking["adjusted"], adjusted_means(table), rtol=1e-11)
    assert_allclose(ranking["mean"], np.nanmean(table, axis=1), rtol=1e-12)


def test_the_adjusted_value_orders_and_not_the_mean_of_what_is_there() -> None:
    """b lacks the hardest split, which lifts its mean above a's; on what both met, and adjusted, a is ahead."""
    a = np.array([0.9, 0.92, 0.88, 0.91, 0.5])
    b = a - [0.01, 0.012, 0.008, 0.011, 0.01]
    b[4] = NAN
    ranking = compared([a, b], missing="pairwise").ranking
    assert list(ranking["model"]) == ["a", "b"]
    assert ranking["mean"][1] > ranking["mean"][0]
    # the mean difference on the four shared splits is .01025, and a lacks nothing
    assert_allclose(ranking["adjusted"], [a.mean(), a.mean() - 0.01025], rtol=1e-12)
    assert "adjusted" not in compared([a, a - 0.01 * np.arange(5)]).ranking


def test_zero_spread_is_judged_by_the_shared_splits() -> None:
    """A giant score on a split that the other lacks does not enter the tolerance."""
    answer = compared([[0.5, 0.6, 0.7, 1e6], [0.5, 0.6, 0.7 + 1e-9, NAN]], missing="pairwise")
    assert answer.pair("a", "b").reason == "unsettled"
    copies = compared([[0.5, 0.6, 0.7, 1e6], [0.5, 0.6, 0.7, NAN]], missing="pairwise")
    assert copies.pair("a", "b").reason == "identical-scores"


def test_missing_splits_are_said() -> None:
    """Which models, how many splits, and what follows."""
    texts = {notice.code: notice.text for notice in compared(holed(), missing="pairwise").notices}
    assert texts["missing-splits"] == (
        "'a' and 'b' lack scores on up to 3 of the 10 splits; each pair is compared on the splits it shares, and models "
        "are ordered by their values adjusted for the missing scores"
    )


def over_datasets(score: np.ndarray, names: list[str], **options: object) -> tb.Comparison:
    """Models by datasets as a wide table; nan is an empty cell."""
    columns = {"dataset": [f"d{i:02}" for i in range(score.shape[1])], **dict(zip(names, score, strict=True))}
    return tb.compare(pd.DataFrame(columns), metric="score", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["auto", "sign", "bayes-signed-rank"])
def test_one_missing_cell_does_not_put_the_worst_model_first(method: str) -> None:
    """Thirty datasets: good = base + .05, fair = base + .03, poor = base, and one cell of good and one of fair missing."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.6, 0.9, 30)
    score = np.array([base + 0.05, base + 0.03, base]) + rng.normal(0, 0.005, (3, 30))
    score[0, 3], score[1, 17] = NAN, NAN
    answer = over_datasets(score, ["good", "fair", "poor"], method=method, rope=0.001)
    assert list(answer.models) == ["good", "fair", "poor"]
    assert list(answer.ranking["standing"]) == ["best", "not best", "not best"]
    assert set(answer.pairs["verdict"]) == {"better"}


def test_two_groups_that_share_no_dataset_are_said() -> None:
    """Their values are of different datasets, so their order says nothing; no pair across has an interval, nobody is left out."""
    rng = np.random.default_rng(2)
    score = np.full((4, 24), NAN)
    score[:2, :12] = rng.normal(0.8, 0.02, 12) + np.array([[0.05], [0.0]]) + rng.normal(0, 0.004, (2, 12))
    score[2:, 12:] = rng.normal(0.6, 0.02, 12) + np.array([[0.05], [0.0]]) + rng.normal(0, 0.004, (2, 12))
    answer = over_datasets(score, ["a", "b", "c", "d"], rope=0.01)
    texts = {notice.code: notice.text for notice in answer.notices}
    assert texts["missing-splits"] == (
        "no dataset links 'a' and 'b' with 'c' and 'd': their values are of different datasets, so their order says nothing"
    )
    assert answer.pair("a", "c").reason == "missing-splits"
    assert (answer.shortlist(), answer.ranking_table.is_linked) == (("a", "c"), False)
    ranking = answer.ranking.set_index("model").loc[["a", "b", "c", "d"]]
    assert ranking["shortfall_high"].isna().all()
    assert (list(ranking["rank_low"]), list(ranking["rank_high"])) == ([1, 2, 1, 2], [3, 4, 3, 4])
