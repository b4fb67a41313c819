"""Looks at battles that are still coming in: what a plan decides, keeps and refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tiebreak as tb
from tests.comparison.test_looks import answers
from tiebreak.comparison.battle_looks import BattleTable, refuse_matchups
from tiebreak.errors import ChangedLooksError, InvalidParameterError, UnreadableSourceError, UnsuitableDesignError
from tiebreak.frequentist.bradley_terry_resampled import bradley_terry_bootstrap
from tiebreak.frequentist.group_sequential import group_sequential_design
from tiebreak.frequentist.pair_outcomes import outcomes_of_battles
from tiebreak.numerics import student_multiplier

N = 1200
"""Battles of the plan."""

STRENGTH = {"v": 1.0, "w": 0.9, "x": 0.2, "y": -0.6}
"""In log-odds."""


def battles(n: int, seed: int = 0) -> pd.DataFrame:
    """The first n of N battles of four models, any two of which meet equally often."""
    rng = np.random.default_rng(seed)
    names, power = np.array(list(STRENGTH)), np.array(list(STRENGTH.values()))
    met = np.array([rng.choice(4, 2, replace=False) for _ in range(N)])
    won = rng.random(N) < 1 / (1 + np.exp(power[met[:, 1]] - power[met[:, 0]]))
    winner = np.where(rng.random(N) < 0.1, "tie", np.where(won, "a", "b"))
    return pd.DataFrame({"model_a": names[met[:, 0]], "model_b": names[met[:, 1]], "winner": winner}).iloc[:n]


def looked(sizes: list[int], **settings: Any) -> tb.Ratings:
    """The ratings after looks at so many battles."""
    ratings = None
    for n in sizes:
        ratings = tb.rate(battles(n), n_total=N, looks=ratings, **settings)
    assert ratings is not None
    return ratings


def _error(ratings: tb.Ratings, i: int, j: int) -> float:
    """Standard error of a difference in log-odds, of models by their place."""
    return float(ratings.fit.standard_error[ratings.rows[i], ratings.rows[j]])


def test_alphas_are_those_of_students_process() -> None:
    """Six pairs share 5 %, gamma is -4 and t is n / N (shared with items: Hwang, Shih and DeCani)."""
    ratings = looked([150, 400, N])
    assert ratings.looks is not None
    n = np.array([150, 400, N])
    design = group_sequential_design(n / N, alpha=0.05 / 6, df=n - 1)
    assert_allclose([look.interval_alpha for look in ratings.looks.taken], design.alphas, rtol=1e-9)
    of_one = group_sequential_design(n / N, alpha=0.05, df=n - 1).alphas[-1]
    assert_allclose(ratings.interval_alpha, of_one, rtol=1e-9)


def test_a_pair_is_decided_by_the_first_look_that_shows_it() -> None:
    """By the difference in log-odds over its robust standard error, with the multiplier of that look; decided pairs stay."""
    ratings = looked([150, 400, N], position=False)
    assert ratings.looks is not None
    decided: set[tuple[str, str]] = set()
    for look in ratings.looks.taken:
        table = battles(look.n)
        number = {name: k for k, name in enumerate(STRENGTH)}
        a, b = (table[side].map(number).to_numpy() for side in ("model_a", "model_b"))
        outcome = table["winner"].map({"a": 1, "b": -1, "tie": 0}).to_numpy()
        found = bradley_terry_bootstrap(outcomes_of_battles(a, b, outcome, n_models=4), n_resamples=1)
        critical = student_multiplier(look.interval_alpha, look.n - 1)
        ahead = found.log_ability[:, None] - found.log_ability > critical * found.standard_error
        shown = {(list(STRENGTH)[i], list(STRENGTH)[j]) for i, j in np.argwhere(ahead)}
        new = {(one, two) for one, two in shown if (one, two) not in decided and (two, one) not in decided}
        assert {(one, two) for one, two, _ in look.decided} == new
        decided |= new
    place = {name: k for k, name in enumerate(ratings.models)}
    for one, two in decided:
        assert ratings.rank_high[place[one]] < ratings.rank_low[place[two]] or ratings.rank_low[place[two]] > 1
    assert ratings.n_open == 6 - len(decided)


def test_a_single_look_at_the_end_is_students_interval_of_the_ratings() -> None:
    """All of alpha is there; an anchor has no interval of its own."""
    ratings = looked([N], anchor="x", position=False)
    plain = tb.rate(battles(N), anchor="x", position=False)
    assert_allclose(ratings.rating, plain.rating)
    row, anchor = ratings.models.index("v"), ratings.models.index("x")
    half = student_multiplier(0.05, N - 1) * _error(ratings, row, anchor) * 400 / np.log(10)
    assert_allclose([ratings.rating_low[row], ratings.rating_high[row]], ratings.rating[row] + np.array([-half, half]))
    assert ratings.rating_low[anchor] == ratings.rating_high[anchor] == 1000
    assert_allclose(ratings.rank_low, plain.rank_low)


def test_pairs_that_the_rest_will_hardly_decide_are_counted() -> None:
    """By the forecast of one more look at all battles, from the errors of now, by hand; none once the plan is over."""
    ratings = looked([150, 1000], position=False)
    assert ratings.looks is not None
    t = np.array([150, 1000, N]) / N
    last = group_sequential_design(t, alpha=0.05 / 6, df=np.array([149, 999, N - 1])).alphas[-1]
    decided = {frozenset((one, two)) for one, two, _ in ratings.looks.decided}
    futile = 0
    for i, j in itertools.combinations(range(4), 2):
        if frozenset((ratings.models[i], ratings.models[j])) in decided:
            continue
        error = _error(ratings, i, j)
        difference = (ratings.rating[i] - ratings.rating[j]) * np.log(10) / 400
        half = student_multiplier(last, N - 1) * error * np.sqrt(t[1])
        inside = np.diff(stats.t.cdf((np.array([-half, half]) - difference) / (error * np.sqrt(1 - t[1])), 999))
        futile += int(inside[0] >= 0.99)
    assert ratings.n_futile == futile == 1
    assert ratings.n_open == 1
    assert "open 1, which the rest will hardly decide; at most 200 more." in " ".join(ratings.to_text().split())
    assert {name: ratings.to_dict()[name] for name in ("n_open", "n_futile")} == {"n_open": 1, "n_futile": 1}
    assert looked([150, N]).n_futile == 0
    assert "n_futile" not in tb.rate(battles(400)).to_dict()


def test_clusters_of_very_different_sizes_keep_the_level() -> None:
    """Two models, 60 users of whom one has half of the battles: by hand what leaving out each user changes, in one step.

    Of N battles with the share p of wins: ``sum of (won - p) of the user / ((N - its battles) p (1 - p))``; degrees of
    freedom are those of `clustered_mean`, or what the changes show; with 59 the pair would be decided.
    """
    rng = np.random.default_rng(3)
    user = np.repeat(range(60), [590, *[10] * 59])
    won = rng.random(user.size) < np.where(user == 0, 0.62, rng.uniform(0.3, 0.7, 60)[user])
    table = pd.DataFrame({"model_a": "x", "model_b": "y", "winner": np.where(won, "a", "b"), "cluster": user})
    ratings = tb.rate(table, n_total=60, position=False)
    p, n_battles = won.mean(), np.bincount(user)
    change = np.bincount(user, won - p) / ((user.size - n_battles) * p * (1 - p))
    error = np.sqrt(59 / 60 * (change**2).sum())
    df = min(float(tb.statistics.clustered_mean(won.astype(float), user).df), 3 * (change**2).sum() ** 2 / (change**4).sum())
    assert 3 < df < 4
    found = ratings.win_rate("x", "y")
    odds = np.log(p / (1 - p)) + np.array([-1, 1]) * student_multiplier(0.05, df) * error
    assert_allclose([found.low, found.high], 1 / (1 + np.exp(-odds)), rtol=1e-5)
    plain = ratings.fit.standard_error[0, 1] * student_multiplier(0.05, 59)
    assert abs(ratings.fit.log_ability[0] - ratings.fit.log_ability[1]) > plain
    assert ratings.n_open == 1


def test_what_one_cluster_alone_knows_is_not_decided() -> None:
    """Only one user of 60 ever met the third model: without it nothing is known of that model, which stays open."""
    rng = np.random.default_rng(0)
    rows = [("x", "y", rng.choice(["a", "b"], p=[0.8, 0.2]), k) for k in range(1, 60) for _ in range(4)]
    rows += [("x", "z", "a", 0)] * 35 + [("x", "z", "b", 0)] * 5
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "cluster"])
    ratings = tb.rate(table, n_total=60, position=False)
    assert ratings.looks is not None
    assert ratings.looks.decided == (("x", "y", "better"),)
    for one in "xy":
        assert ratings.win_rate(one, "z")[1:] == (0, 1)
    assert "open" in ratings.to_text()
    assert ratings.win_rate("x", "y").low > 0.6


def test_words_and_json() -> None:
    """The page says what is decided, open and left, and how; JSON holds the plan, and is where the next look goes on."""
    ratings = looked([150, 400])
    text = " ".join(ratings.to_text().split())
    assert (
        f"Look 2, 400 of 1,200 battles: decided {6 - ratings.n_open} of 6 pairs; open {ratings.n_open}; at most 800 more." in text
    )
    assert "Intervals are Student's, at the level that the plan leaves this look" in text
    assert "resamples" not in text
    assert ratings.looks is not None
    assert ratings.to_dict()["looks"] == ratings.looks.as_dict()
    assert tb.rate(battles(400)).to_dict()["looks"] is None


def test_a_file_keeps_the_looks(tmp_path: Path) -> None:
    """As of compare; a saved page of ratings holds them too."""
    path, saved = tmp_path / "looks.json", tmp_path / "ratings.json"
    tb.rate(battles(150), n_total=N, looks=path)
    ratings = tb.rate(battles(400), looks=path)
    assert ratings.looks == looked([150, 400]).looks
    ratings.to_json(saved)
    assert tb.rate(battles(N), looks=saved).looks == looked([150, 400, N]).looks
    tb.rate(battles(400)).to_json(saved)
    with pytest.raises(UnreadableSourceError, match="an answer without a plan of looks"):
        tb.rate(battles(N), looks=saved)


def changed(row: int, winner: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The battles with another winner in one row."""
    return lambda table: table.assign(winner=[winner if k == row else w for k, w in enumerate(table["winner"])])


@pytest.mark.parametrize(
    ("change", "settings", "text"),
    [
        (changed(3, "tie"), {}, "first 150 battles are not those of look 1"),
        (lambda table: table.iloc[::-1], {}, "first 150 battles are not those of look 1"),
        (lambda table: table.iloc[:100], {}, "look 1 was at 150 battles, and here are only 100"),
        (lambda table: table.iloc[:150], {}, "look 1 was at these same 150 battles"),
        (lambda table: table.replace("y", "z"), {}, "earlier looks were at other models: 'z' came in and 'y' left"),
        (lambda table: table, {"level": 0.9}, "had level 0.95, and this one has 0.9"),
        (lambda table: table, {"position": False}, "had position True"),
        (lambda table: table, {"n_total": 900}, "the plan was made for 1,200 battles"),
    ],
)
def test_what_changes_between_looks_is_refused(
    change: Callable[[pd.DataFrame], pd.DataFrame], settings: dict[str, Any], text: str
) -> None:
    """In words, and nothing is spent."""
    first = tb.rate(battles(150), n_total=N)
    with pytest.raises(ChangedLooksError, match=text):
        tb.rate(change(battles(400)), **{"looks": first, **settings})


def test_what_is_no_plan_is_refused() -> None:
    """Too few battles, weights, ties by Davidson's model, a plan that is over, looks of items, scores of datasets."""
    with pytest.raises(UnsuitableDesignError, match="30 battles are too few for a look"):
        tb.rate(battles(30), n_total=N)
    few = pd.concat([battles(200).query("model_a != 'y' and model_b != 'y'"), battles(400).query("model_a == 'y'").iloc[:5]])
    with pytest.raises(UnsuitableDesignError, match="'y' has met others 5 times, too few for a look"):
        tb.rate(few, n_total=N)
    with pytest.raises(InvalidParameterError, match="is fewer than the 400 battles that are there already"):
        tb.rate(battles(400), n_total=200)
    with pytest.raises(UnsuitableDesignError, match="with weights were not measured"):
        tb.rate(battles(400).assign(weight=1.5), n_total=N)
    with pytest.raises(UnsuitableDesignError, match="by Davidson's model were not measured"):
        tb.rate(battles(400), n_total=N, ties="davidson")
    with pytest.raises(InvalidParameterError, match="plan of 1,200 battles is over"):
        tb.rate(pd.concat([battles(N), battles(50, 9)]), looks=looked([N]))
    with pytest.raises(ChangedLooksError, match="earlier looks"):
        tb.rate(battles(400), looks=tb.compare(answers(100), metric="accuracy", n_total=N))
    with pytest.raises(ChangedLooksError, match="earlier looks"):
        tb.compare(answers(500), metric="accuracy", looks=looked([150]))
    datasets = pd.DataFrame({"dataset": list("abcdefgh"), "x": range(8), "y": range(8)})
    with pytest.raises(InvalidParameterError, match="Look at datasets with compare"):
        tb.rate(datasets, metric="accuracy", n_total=N)


def test_a_record_that_was_changed_is_refused() -> None:
    """A level that was written larger would spend more than there is."""
    first = looked([150]).looks
    assert first is not None
    record = first.as_dict()
    record["taken"][0]["interval_alpha"] *= 2
    with pytest.raises(ChangedLooksError, match="look 1 does not say what its 150 battles say"):
        tb.rate(battles(400), looks=record)


def test_clusters_are_the_units() -> None:
    """Whole clusters, as many as the plan says."""
    table = battles(400).assign(cluster=[f"q{k // 4}" for k in range(400)])
    ratings = tb.rate(table, n_total=200)
    assert ratings.looks is not None
    assert (ratings.looks.n, ratings.looks.unit) == (100, "cluster")
    assert "from errors that allow for what battles of a cluster share" in " ".join(ratings.to_text().split())
    more = pd.concat([table, battles(440).iloc[400:].assign(cluster="q7")])
    with pytest.raises(
        (UnsuitableDesignError, ChangedLooksError), match=r"whole clusters|are not those of look 1|these same 100"
    ):
        tb.rate(more, looks=ratings)


def schedule(kind: str, n: int, seed: int) -> BattleTable:
    """Battles of six models: drawn, by popularity, in turn, later for one, winners stay, sorted, near in strength or rating."""
    rng = np.random.default_rng(seed)
    power, pairs = np.linspace(1, -1, 6), [(i, j) for i in range(6) for j in range(i)]
    first, second, outcome = [], [], []
    rating = np.zeros(6)
    for t in range(n):
        if kind in ("near in strength", "near in rating"):
            near = power * 2 if kind == "near in strength" else rating / 60
            share = np.array([np.exp(-abs(near[i] - near[j])) for i, j in pairs])
            i, j = pairs[int(rng.choice(15, p=share / share.sum()))]
        elif kind in ("in turn", "sorted"):
            i, j = pairs[t % 15 if kind == "in turn" else t * 15 // n]
        elif kind == "winner stays" and t:
            i = first[-1] if outcome[-1] > 0 else second[-1]
            j = int(rng.choice([k for k in range(6) if k != i]))
        else:
            share = np.arange(1, 7) / 21 if kind == "popularity" else np.ones(6) / 6
            share = np.where((np.arange(6) == 5) & (kind == "joins") & (t < n // 3), 0.0, share)
            i, j = rng.choice(6, 2, replace=False, p=share / share.sum()).tolist()
        first.append(i)
        second.append(j)
        outcome.append(1 if rng.random() < 1 / (1 + np.exp(power[j] - power[i])) else -1)
        moved = 32 * ((outcome[-1] + 1) / 2 - 1 / (1 + 10 ** ((rating[j] - rating[i]) / 400)))
        rating[i], rating[j] = rating[i] + moved, rating[j] - moved
    return BattleTable(tuple("abcdef"), np.array(first), np.array(second), np.array(outcome), None)


@pytest.mark.parametrize("kind", ["drawn", "popularity", "in turn", "near in strength"])
def test_matchups_that_are_fixed_beforehand_pass(kind: str) -> None:
    """In any of 30 tables, whichever the shares; a schedule that repeats itself knows nothing of the outcomes either."""

    def is_refused(seed: int) -> bool:
        try:
            refuse_matchups(schedule(kind, 300, seed))
        except UnsuitableDesignError:
            return True
        return False

    assert not [seed for seed in range(30) if is_refused(seed)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("joins", "'f' joined after the first 1"),
        ("winner stays", "the winner of a battle is in the next one more often"),
        ("sorted", "'matchup' comes in blocks|meets .*changes|joined after"),
        ("near in rating", "models whose ratings are near each other at the time meet|how far apart|changes along"),
    ],
)
def test_matchups_that_change_or_follow_the_outcomes_are_refused(kind: str, text: str) -> None:
    """In all of 30 tables; the message says by what."""
    for seed in range(30):
        with pytest.raises(UnsuitableDesignError, match=rf"do not come from one fixed distribution of matchups: .*({text})"):
            refuse_matchups(schedule(kind, 300, seed))


def test_a_model_that_never_lost_is_shown_by_its_record() -> None:
    """It has no finite rating; its interval is open, and the others may lie below its lower end."""
    rng = np.random.default_rng(3)
    rows = [("ace", other, "a") for other in ("x", "y") for _ in range(100)]
    rows += [("x", "y", "a" if rng.random() < 0.5 else "b") for _ in range(100)]
    table = pd.DataFrame([rows[k] for k in rng.permutation(300)], columns=["model_a", "model_b", "winner"])
    ratings = tb.rate(table, n_total=600, position=False)
    assert ratings.models[0] == "ace"
    assert (ratings.rank_low[0], ratings.rank_high[0]) == (1, 1)
    assert np.isposinf(ratings.rating_high[0])
    assert ratings.n_open == 1
