"""The ranking: order, intervals of means, the baseline, and what is drawn."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tiebreak as tb
from tests.comparison.tables import RMSE, compared, noisy
from tiebreak.comparison.ranking import compact_letters
from tiebreak.errors import DataError
from tiebreak.scores.metric import Metric
from tiebreak.statistics import corrected_t

MEANS = (0.72, 0.80, 0.77, 0.79)
MOONS = Path(__file__).parents[1] / "reference" / "data" / "moons_svc_auc_10x10.csv"


def test_lowest_mean_first_where_lower_is_better() -> None:
    """Means stay positive; differences favour the better model, so they are at most 0 against the best."""
    answer = compared(noisy(*MEANS), metric=RMSE, rope=0.01)
    assert list(answer.ranking["model"]) == ["a", "c", "d", "b"]
    assert_allclose(answer.ranking["mean"], [0.72, 0.77, 0.79, 0.80], rtol=1e-12)
    assert_allclose(answer.against_reference.difference, [0, -0.05, -0.07, -0.08], atol=1e-12)
    assert_allclose(answer.pair("a", "b").difference, 0.08, rtol=1e-9)
    assert answer.pair("a", "b").verdict == "better"
    assert_allclose(answer.pair("a", "b").differences.mean(), 0.08, rtol=1e-9)


def test_ties_stand_in_order_of_name() -> None:
    """Also where the means differ by rounding: (0.1 + 0.2 + 0.3) / 3 is not 0.2 in floats."""
    table = [[0.1, 0.2, 0.3], [0.2, 0.2, 0.2], [0.3, 0.1, 0.2]]
    for names in (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]):
        answer = compared(table, names)
        assert answer.models == ("a", "b", "c")
        assert_array_equal(answer.against_reference.difference, 0.0)
    assert compared([table[0], table[1], table[0]], ["c", "b", "a"]).models == ("a", "c", "b")  # copies stand together


def test_interval_of_a_mean_is_the_corrected_one() -> None:
    """t interval of the model's own scores with n_test / n_train in its variance."""
    answer = compared(noisy(*MEANS), alpha=0.1)
    for row, scores in zip(answer.ranking.itertuples(), answer.matrix.score, strict=True):
        low, high = corrected_t(scores, test_train_ratio=1 / 9).interval(0.9)
        assert_allclose([row.mean_low, row.mean_high], [low, high], rtol=1e-12)


def test_interval_of_a_constant_model_is_undefined() -> None:
    """A model that scores the same on every split has a mean without a spread."""
    ranking = compared([[0.9] * 5, [0.5, 0.6, 0.7, 0.5, 0.6]]).ranking
    assert_array_equal(np.isnan(ranking[["mean_low", "mean_high"]]), [[True, True], [False, False]])


def test_reference_is_the_baseline_where_one_is_named() -> None:
    """Better and worse models stand around it: each row mirrors its pair, whose family is of M - 1."""
    answer = compared(noisy(*MEANS), baseline="c", rope=0.005)
    ranking = answer.ranking.set_index("model")
    assert answer.reference == "c"
    assert_allclose(ranking["difference"], [0.03, 0.02, 0, -0.05], atol=1e-12)
    columns = ["difference", "verdict", "interval_low", "interval_high"]
    for model in "bda":
        pair = answer.pair(model, "c")
        assert list(ranking.loc[model, columns]) == [getattr(pair, column) for column in columns]
    assert (ranking["verdict"]["c"], ranking["verdict"]["a"], np.isnan(ranking["interval_low"]["c"])) == ("", "worse", True)
    assert not {"difference", "verdict"} & set(compared(noisy(*MEANS)).ranking.columns)


def test_interval_of_a_mean_ends_at_the_bounds_of_the_metric() -> None:
    """No accuracy beyond 1 and no error below 0, where the scores themselves respect the bounds; percents do not."""
    table = noisy(0.98, 0.90, noise=0.03).clip(0, 1)
    low, high = corrected_t(table[0], test_train_ratio=1 / 9).interval()
    assert high > 1
    assert_allclose(compared(table).ranking.loc[0, ["mean_low", "mean_high"]].astype(float), [low, 1.0], rtol=1e-12)
    assert compared(100 * table).ranking["mean_high"][0] > 100
    errors = [[0.0, 0.2, 0.1, 0.0, 0.3], [0.5, 0.6, 0.5, 0.7, 0.6]]
    lows = compared(errors, metric=Metric("root_mean_squared_error", False)).ranking["mean_low"]
    assert lows[0] == 0.0 < lows[1]


def test_seed_changes_p_best_only() -> None:
    """Same seed, same answer; another moves p_best by less than 0.005."""
    one, again, other = (compared(noisy(*MEANS), rng=seed) for seed in (0, 0, 1))
    assert one.p_best() == again.p_best() != other.p_best()
    assert one.p_best() == pytest.approx(other.p_best(), abs=0.005)
    assert one.ranking.equals(other.ranking)


def test_p_best_is_that_of_other_draws() -> None:
    """Of the kernels of scikit-learn's gallery, to 10 million draws by numpy; tests/reference has all else of them."""
    table = np.genfromtxt(MOONS, delimiter=",", skip_header=1)[:, 2:].T
    p_best = compared(table, ["rbf", "linear", "3_poly", "2_poly"], n_folds=10).p_best()
    assert list(p_best.values()) == pytest.approx([0.7408, 0.2178, 0.0413, 0.0], abs=0.005)


def test_p_best_needs_a_joint_posterior() -> None:
    """Ranks over datasets have none; the error names what there is instead."""
    rng = np.random.default_rng(0)
    columns = {"dataset": [f"d{i}" for i in range(8)], **{name: rng.normal(0.8, 0.05, 8).tolist() for name in "abc"}}
    answer = tb.compare(columns, metric="accuracy")
    with pytest.raises(DataError, match=r"wilcoxon gives no joint posterior of all models, so no p_best; shortlist\(\)"):
        answer.p_best()


@pytest.mark.parametrize(
    ("name", "label"),
    [("mean_absolute_error", "mean_absolute_error"), ("accuracy", "mean accuracy"), ("meanness", "mean meanness")],
)
def test_the_mean_of_a_metric_that_is_a_mean_is_not_called_so_twice(name: str, label: str) -> None:
    """mean_absolute_error is ranked by its mean over splits; "mean mean_absolute_error" says no more."""
    assert compared(noisy(*MEANS), metric=Metric(name, higher_is_better=False)).ranking_table.value_label == label


# --- letters ----------------------------------------------------------------------------------------------------


def apart(n_models: int, *pairs: tuple[int, int]) -> np.ndarray:
    """The relation from its pairs."""
    relation = np.zeros((n_models, n_models), dtype=bool)
    for one, other in pairs:
        relation[one, other] = relation[other, one] = True
    return relation


@pytest.mark.parametrize(
    ("relation", "letters"),
    [
        (apart(3), ["a", "a", "a"]),
        (apart(3, (0, 1), (0, 2), (1, 2)), ["a", "b", "c"]),
        (apart(3, (0, 2)), ["a", "ab", "b"]),
        (apart(4, (0, 2), (0, 3), (1, 3)), ["a", "ab", "bc", "c"]),
        (apart(4, (0, 1), (2, 3)), ["ab", "cd", "ac", "bd"]),
        (apart(6, (0, 4), (1, 5), (2, 3), (3, 4), (3, 5), (4, 5)), ["ab", "ac", "bc", "a", "c", "b"]),
    ],
)
def test_small_cases_by_hand(relation: np.ndarray, letters: list[str]) -> None:
    """None apart, all apart, chains, a square, which needs four letters, and a triangle whose pairs share those of others."""
    assert compact_letters(relation) == letters


def test_letters_beyond_those_of_the_alphabet_are_numbers() -> None:
    """40 models of which half of the pairs are apart need more than 52; two share one exactly where they are not told apart."""
    relation = np.triu(np.random.default_rng(0).random((40, 40)) < 0.5, 1)
    relation |= relation.T
    letters = [set(re.findall(r"[A-Za-z]|\(\d+\)", own)) for own in compact_letters(relation)]
    numbered = sorted(int(sign[1:-1]) for sign in set().union(*letters) if sign.startswith("("))
    assert numbered == list(range(53, 53 + len(numbered)))
    assert [[bool(one & other) for other in letters] for one in letters] == (~relation).tolist()


def test_beyond_40_models_and_with_a_baseline_there_are_no_letters() -> None:
    """Those of fewer are read off the intervals of the pairs (test_best.py)."""
    many = compared(noisy(*np.linspace(0.7, 0.8, 41)), [f"m{i}" for i in range(41)])
    assert "letters" not in {*many.ranking, *compared(noisy(*MEANS), baseline="a").ranking}
