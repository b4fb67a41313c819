"""Ratings from battles and from scores on many datasets."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError, UnknownNameError, UnsupportedSourceError

BATTLES = {"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["a"] * 30 + ["b"] * 10}


def of_two(*fights: tuple[str, str, str], times: int = 1, **columns: Any) -> dict[str, Any]:
    """Battles as columns: who stood first, who second, which side won."""
    first, second, winner = (list(column) * times for column in zip(*fights, strict=True))
    return {"model_a": first, "model_b": second, "winner": winner, **columns}


def table() -> pd.DataFrame:
    """Four models, one row for each dataset; the scores are Gumbel noise around abilities, which is the Bradley-Terry model."""
    noise = np.random.default_rng(2).gumbel(size=(60, 4))
    frame = pd.DataFrame(np.array([1.5, 0.5, 0.0, -1.0]) + noise, columns=["best", "second", "third", "last"])
    frame.insert(0, "dataset", [f"d{i}" for i in range(60)])
    return frame


GAIN: dict[str, Any] = {"metric": "gain", "lower_is_better": False}


def test_datasets_in_a_loss_and_in_a_gain_count_alike() -> None:
    """An error on some datasets, an accuracy on others: the smaller error wins, as the larger accuracy does."""
    error = {"a": [0.1, 0.4, 0.2], "b": [0.3, 0.2, 0.5]}
    accuracy = {"a": [0.9, 0.7, 0.8], "b": [0.8, 0.8, 0.6]}
    rows = [
        (f"{metric}{i}", metric, model, score)
        for metric, scores in (("max_error", error), ("accuracy", accuracy))
        for model, column in scores.items()
        for i, score in enumerate(column)
    ]
    mixed = tb.rate(pd.DataFrame(rows, columns=["dataset", "metric", "model", "score"]))
    assert (mixed.models, mixed.wins.tolist()) == (("a", "b"), [4, 2])  # a is better on 2 of 3 of each


def test_a_split_that_one_model_lacks_decides_nothing() -> None:
    """The first is better by .01 on every split; the other lacks the hard one, by which it once won everywhere."""
    splits = [(f"d{d}", m, s) for d in range(8) for s in range(5) for m in "ab" if m == "a" or s]
    rows = [(d, m, s, (0.9 if s else 0.5) + 0.01 * (m == "a")) for d, m, s in splits]
    rated = tb.rate(pd.DataFrame(rows, columns=["dataset", "model", "split", "accuracy"]), metric="accuracy")
    assert (rated.models, rated.wins.tolist()) == (("a", "b"), [8, 0])


def test_the_anchor_is_rated_1000() -> None:
    """And all intervals are of the difference to it, so its own is a point."""
    ratings, free = tb.rate(BATTLES, anchor="y"), tb.rate(BATTLES)
    assert ratings.rating == pytest.approx([1000 + 400 * np.log10(3), 1000.0])
    assert (ratings.rating_low[1], ratings.rating_high[1]) == (1000, 1000)
    assert ratings.rating_low[0] - 1000 == pytest.approx(2 * (free.rating_low[0] - 1000), abs=1e-6)


def test_scores_are_compared_dataset_by_dataset() -> None:
    """Means over the splits of each dataset; a lower loss wins; the order of rows and columns does not matter."""
    ratings = tb.rate(table(), **GAIN)
    assert (ratings.models, ratings.unit, ratings.n_units) == (("best", "second", "third", "last"), "dataset", 60)
    assert np.all(ratings.wins + ratings.ties + ratings.losses == 180)
    losses = table().set_index("dataset").rsub(10.0).iloc[::-1, ::-1].reset_index()
    turned = tb.rate(losses, metric="log_loss")
    assert turned.models == ratings.models
    assert turned.rating == pytest.approx(ratings.rating, abs=1e-6)


def test_missing_cells_are_battles_that_did_not_take_place() -> None:
    """A model that is missing on half of the datasets has half of the battles."""
    frame = table()
    frame.loc[::2, "third"] = np.nan
    ratings = tb.rate(frame, **GAIN)
    assert (ratings.wins + ratings.ties + ratings.losses)[ratings.models.index("third")] == 90


def test_ties_by_margin() -> None:
    """A margin that no difference exceeds leaves ties only, which are half wins: all are alike."""
    assert tb.rate(table(), **GAIN, tie_margin=100).rating == pytest.approx([1000.0] * 4)
    battles = {"model_a": ["x"] * 16, "model_b": ["y"] * 16, "winner": ["a"] * 8 + ["b"] * 2 + ["tie"] * 6}
    ratings = tb.rate(battles)
    assert ratings.rating[0] - ratings.rating[1] == pytest.approx(400 * np.log10(11 / 5))


@pytest.mark.parametrize(
    ("source", "settings", "error", "text"),
    [
        (BATTLES, {"anchor": "w"}, UnknownNameError, "'w'"),
        (
            BATTLES,
            {"level": 95},
            InvalidParameterError,
            r"level must lie between 0 and 1, ends excluded; got 95\. Did you mean 0\.95",
        ),
        (BATTLES, {"metric": "accuracy"}, InvalidParameterError, "metric= is of scores, and these are battles"),
        (BATTLES, {"tie_margin": 0.1}, InvalidParameterError, "tie_margin= is of scores"),
        (of_two(("x", "y", "a"), ("u", "v", "b")), {}, DataError, r"2 groups that never met, .*: 'u' and 'v'; 'x' and 'y'"),
        ({"dataset": ["c", "d"], "model": ["x", "x"], "score": [0.1, 0.2]}, {"metric": "accuracy"}, DataError, "only one model"),
        (of_two(("x", "y", "a"), times=3), {"anchor": "x"}, InvalidParameterError, "anchor 'x' has no finite rating"),
        (BATTLES, {"cluster": "user"}, UnknownNameError, "no column of the battles is called 'user'"),
        (table(), {**GAIN, "cluster": "user"}, InvalidParameterError, "cluster is of battles"),
        (tb.read_battles(BATTLES), {"cluster": "user"}, InvalidParameterError, "say cluster= to read_battles"),
    ],
)
def test_what_cannot_be_rated(source: Any, settings: dict[str, Any], error: type[Exception], text: str) -> None:
    """Settings out of range, groups that never met, one model alone, an anchor without a finite rating, clusters of nothing."""
    with pytest.raises(error, match=text):
        tb.rate(source, **settings)


def judged(bias: float, n: int = 600, seed: int = 0) -> pd.DataFrame:
    """Battles of three models of abilities 0.6, 0 and -0.6, with log-odds of `bias` more for the first."""
    rng = np.random.default_rng(seed)
    ability = np.array([0.6, 0.0, -0.6])
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(1, 3, n)) % 3
    chance = 1 / (1 + np.exp(-(ability[a] - ability[b] + bias)))
    names = np.array(["good", "fair", "poor"])
    return pd.DataFrame(
        {"model_a": names[a], "model_b": names[b], "winner": np.where(rng.random(n) < chance, "a", "b"), "question_id": range(n)}
    )


def test_position_is_taken_out_as_logistic_regression_does() -> None:
    """Maximum likelihood with a column of ones for who stood first, by scikit-learn without a penalty."""
    battles = judged(0.8)
    ratings = tb.rate(battles)
    design = np.stack(
        [(battles["model_a"] == name).astype(float) - (battles["model_b"] == name) for name in ratings.models[:2]], 1
    )
    fit = LogisticRegression(C=np.inf, tol=1e-10).fit(design, battles["winner"] == "a")
    first, second = fit.coef_[0]
    assert np.diff(ratings.rating) * np.log(10) / 400 == pytest.approx([second - first, -second], abs=1e-4)
    assert ratings.position_probability == pytest.approx(1 / (1 + np.exp(-fit.intercept_[0])), abs=1e-5)
    assert ratings.position_low < 1 / (1 + np.exp(-0.8)) < ratings.position_high
    assert "The judge favours the answer that stands first" in ratings.to_text()


@pytest.mark.parametrize(("settings", "rank"), [({"position": False}, 1), ({}, 2)])
def test_models_that_stood_first_more_often_gain_nothing(settings: dict[str, Any], rank: int) -> None:
    """Equal models, of which one always stands first but in a tenth of the battles: plain ratings call it better."""
    rng = np.random.default_rng(3)
    first, winner = np.where(rng.random(400) < 0.1, "y", "x"), np.where(rng.random(400) < 0.7, "a", "b")
    battles = {"model_a": first, "model_b": np.where(first == "x", "y", "x"), "winner": winner}
    assert tb.rate(pd.DataFrame(battles), **settings).rank_high[0] == rank


def test_one_order_tells_nothing_of_position() -> None:
    """And is said; a circle of one order each does tell: a over b, b over c, c over a cannot all be abilities."""
    assert dict(tb.rate(BATTLES).warnings)["one-order"].endswith("Let it judge both orders.")
    circle = {"model_a": ["x", "y", "z"] * 20, "model_b": ["y", "z", "x"] * 20, "winner": ["a"] * 45 + ["b"] * 15}
    assert tb.rate(circle).position == "taken out"


@pytest.mark.parametrize("winner", ["a", "b"])
def test_a_judge_that_always_says_the_same_side(winner: str) -> None:
    """Both orders of 30 questions: no model is better, and two warnings say why."""
    ratings = tb.rate(of_two(("x", "y", winner), ("y", "x", winner), times=30, question=np.repeat(range(30), 2)))
    codes = dict(ratings.warnings)
    assert (ratings.position, ratings.unit, ratings.rating.tolist()) == ("always", "question", pytest.approx([1000, 1000]))
    assert "knows nothing of the models" in codes["always-one-side"]
    assert codes["orders-disagree"].startswith("of 30 questions judged in both orders none kept its winner")
    assert "repeated-questions" not in codes


def test_a_side_that_lost_once_did_not_always_win() -> None:
    """One order is drawn, the other all one model's: a bias without an end, though no side won every battle."""
    assert tb.rate(of_two(("a", "b", "a"), ("a", "b", "b"), ("b", "a", "a"), times=20)).position == "too few"


def test_battles_are_read_once_and_rated_later() -> None:
    """As `rate` reads them; what holds none is refused."""
    source = of_two(("x", "y", "a"), ("x", "y", "a"), ("x", "y", "a"), ("x", "y", "b"), times=10, user=list("abcdefgh") * 5)
    battles = tb.read_battles(source, cluster="user")
    assert (battles.models, battles.outcome[:4].tolist(), battles.unit) == (("x", "y"), [1, 1, 1, -1], "cluster")
    np.testing.assert_array_equal(tb.rate(battles).rating, tb.rate(source, cluster="user").rating)
    with pytest.raises(UnsupportedSourceError, match="there are no battles here"):
        tb.read_battles({"model": ["x"], "score": [1.0]})


@pytest.mark.parametrize("column", ["question_id", "prompt"])
def test_a_question_counts_once_however_often_it_was_judged(column: str) -> None:
    """Three judgements that say the same are no more than one: the interval stays; that of 90 questions is narrower."""
    once = {column: [f"q{k}" for k in range(30)], "model_a": ["x"] * 30, "model_b": ["y"] * 30, "winner": list("aab") * 10}
    thrice = {name: np.repeat(values, 3).tolist() for name, values in once.items()}
    of_once, of_thrice = (tb.rate(each) for each in (once, thrice))
    assert (of_once.unit, of_thrice.unit, of_thrice.n_units) == ("battle", "question", 30)
    assert of_thrice.rating_low.tolist() == pytest.approx(of_once.rating_low.tolist(), abs=12)  # one win of 30
    apart = tb.rate({**thrice, column: [f"q{k}" for k in range(90)]})
    assert apart.rating_low[0] > of_thrice.rating_low[0] + 10


def test_questions_judged_in_both_orders_are_counted() -> None:
    """Four questions: one kept, one tie in both, one turned, and one in one order only."""
    kept, tie, turned = (
        [("x", "y", "a"), ("y", "x", "b")],
        [("x", "y", "tie"), ("y", "x", "tie")],
        [("x", "y", "a"), ("y", "x", "a")],
    )
    ratings = tb.rate(of_two(*kept, *tie, *turned, ("x", "y", "b"), question=[1, 1, 2, 2, 3, 3, 4]), cluster="question")
    assert (ratings.n_both, ratings.n_kept, ratings.unit, ratings.repeated) == (3, 2, "cluster", "")


def test_win_rates_are_intervals_of_the_ratings() -> None:
    """30 of 40: log-odds log(3) with the standard error sqrt(1/30 + 1/10), times sqrt(40/39), and t of 39, nearly.

    One difference has one interval: that of the rating against the anchor, of either model against the other, and of the ranks.
    """
    found = tb.rate(BATTLES).win_rate("x", "y")
    half = stats.t.isf(0.025, 39) * np.sqrt((1 / 30 + 1 / 10) * 40 / 39)
    assert found == pytest.approx((0.75, *(1 / (1 + np.exp(-(np.log(3) + s * half))) for s in (-1, 1))), abs=0.03)
    anchored = tb.rate(BATTLES, anchor="y")
    assert anchored.win_rate("x", "y") == pytest.approx(found)
    mirrored = anchored.win_rate("y", "x")
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))
    odds = 10 ** ((np.array([anchored.rating_low[0], anchored.rating_high[0]]) - 1000) / 400)
    assert (found.low, found.high) == pytest.approx(tuple(odds / (1 + odds)))
    assert "preferred to y" in anchored.to_text()
    with pytest.raises(InvalidParameterError, match="does not meet itself"):
        anchored.win_probability("x", "x")


def test_a_model_that_always_won_is_better() -> None:
    """30 to 0: no finite rating, and a win rate of at least 0.025^(1/30) (Clopper and Pearson); in a chain by pairs.

    On one dataset those between the first and the last are in the order of their scores.
    """
    ratings = tb.rate(of_two(("x", "y", "a"), times=30))
    assert (ratings.rank_low.tolist(), ratings.rank_high.tolist()) == ([1, 2], [1, 2])
    assert ratings.win_rate("x", "y") == pytest.approx((1.0, 0.025 ** (1 / 30), 1.0))
    assert ratings.win_rate("y", "x") == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 30)))
    assert [code for code, _ in ratings.warnings] == ["no-finite-rating", "one-order"]
    found = tb.rate(of_two(*[("z", "y", "a")] * 20, *[("y", "x", "a")] * 20, *[("z", "x", "a")] * 3))
    alone = tb.rate({"dataset": ["d"], "m1": [0.7], "m2": [0.9], "m3": [0.8], "m4": [0.6]}, metric="accuracy")
    assert (found.models, alone.models) == (("z", "y", "x"), ("m2", "m3", "m1", "m4"))
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 2, 2], [2, 2, 3])


def test_a_win_rate_has_the_open_end_of_the_rating() -> None:
    """One that never lost: its interval ends at 1, and that of the other at 0."""
    ratings = tb.rate(of_two(*[("x", "y", "a")] * 8, *[("y", "z", "a"), ("y", "z", "b")] * 4))
    found, mirrored = ratings.win_rate("x", "y"), ratings.win_rate("y", "x")
    assert (found.probability, found.high, mirrored.low) == (1.0, 1.0, 0.0)
    assert 0.5 < found.low == pytest.approx(1 - mirrored.high)


def test_judges_are_clusters_by_name() -> None:
    """Battles of 8 judges have the errors of clusters; of one each they stand alone, and fewer than five are named."""
    rng = np.random.default_rng(0)
    battles = {"model_a": ["x", "y"] * 80, "model_b": ["y", "x"] * 80, "winner": rng.choice(["a", "b"], 160).tolist()}
    who = [f"j{i % 8}" for i in range(160)]
    found = tb.rate({**battles, "annotator": who})
    assert (found.unit, found.n_units) == ("judge", 8)
    assert found.rating_low.tolist() == tb.rate({**battles, "cluster": who}).rating_low.tolist()
    assert tb.rate({**battles, "annotator": [f"j{i}" for i in range(160)]}).unit == "battle"
    few = tb.rate({**battles, "judge": [f"j{i % 3}" for i in range(160)]})
    assert (few.unit, few.judges) == ("battle", ("j0", "j1", "j2"))
    assert "of 3 judges" in dict(few.warnings)["several-judges"]
    copied = {name: np.repeat(values[:40], 8).tolist() for name, values in battles.items()} | {"judge": who * 2}
    assert "in-a-row" in dict(tb.rate(copied).warnings)  # each battle before all judges
    assert tb.rate({**copied, "question": np.repeat(np.arange(40), 8).tolist()}).rating_high[0] > tb.rate(copied).rating_high[0]


def test_pairs_that_one_rating_does_not_fit_are_given_as_counted() -> None:
    """A circle in which each wins 70 of 100, where ratings say one half: Wilson's interval of what was counted."""
    first, second = ["x"] * 100 + ["y"] * 100 + ["z"] * 100, ["y"] * 100 + ["z"] * 100 + ["x"] * 100
    found = tb.rate({"model_a": first, "model_b": second, "winner": (["a"] * 70 + ["b"] * 30) * 3}, position=False)
    assert not found.fits
    assert "does-not-fit" in dict(found.warnings)
    assert found.win_rate("x", "y") == pytest.approx((0.7, *tb.statistics.proportion_interval(70, 100)))
    ladder = tb.rate({"model_a": first, "model_b": second, "winner": (["a"] * 60 + ["b"] * 40) * 2 + ["a"] * 31 + ["b"] * 69})
    assert ladder.fits


@pytest.mark.parametrize(("n", "is_few"), [(6, True), (90, False)])
def test_few_turned_battles_are_said(n: int, is_few: bool) -> None:
    """Six of 300 have the rarer order; ninety are enough."""
    turned = np.arange(300) >= 300 - n
    battles = {"model_a": np.where(turned, "y", "x"), "model_b": np.where(turned, "x", "y"), "winner": ["a", "a", "b"] * 100}
    assert ("few-turned" in dict(tb.rate(battles).warnings)) == is_few
