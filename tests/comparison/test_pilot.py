"""Pilots: the spread is that of the answer, whatever its procedure, and what a pilot cannot say is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.comparison.pilot import pilot_of
from tiebreak.comparison.planned_data import PlannedItems, PlannedLikePilot, PlannedSeeds, PlannedSplits
from tiebreak.errors import InvalidParameterError, TooFewSplitsError, UnsuitableDesignError

GRADES: dict[str, Any] = {"metric": "grade", "lower_is_better": False}


def tables(rng: np.random.Generator) -> dict[str, tuple[Any, dict[str, Any]]]:
    """A table of each kind with the settings that `compare` needs."""
    n = 60
    run, item = np.meshgrid(np.arange(4), np.arange(30), indexing="ij")
    y, shared = np.arange(n) % 2, rng.normal(size=n)
    areas = tb.read_predictions(y, {m: 1.2 * y + shared + rng.normal(size=n) for m in "ab"}, metric="roc_auc")
    scores, text = {m: rng.normal(size=n) for m in "ab"}, 2.0 * np.repeat(rng.normal(size=15), 4)
    luck = rng.normal(size=(1, 30)) + rng.normal(size=(4, 1)) + rng.normal(size=(4, 30))
    return {
        "clustered-t": ({"item": range(n), **scores}, GRADES),
        "clusters": ({"item": range(n), "cluster": np.arange(n) // 4, "a": scores["a"] + text, "b": scores["b"]}, GRADES),
        "runs": ({"item": item.ravel(), "run": run.ravel(), "a": luck.ravel(), "b": np.zeros(120)}, GRADES),
        "delong": (areas, {}),
        "corrected-t": (
            {"repeat": np.arange(n) // 10, "fold": np.arange(n) % 10, **scores},
            {**GRADES, "n_train": 90, "n_test": 10},
        ),
        "paired-t": ({"seed": range(8), "a": scores["a"][:8], "b": scores["b"][:8]}, GRADES),
        "welch": ({"model": ["a"] * 8 + ["b"] * 8, "seed": range(16), "score": scores["a"][:16]}, GRADES),
    }


@pytest.mark.parametrize("kind", ["clustered-t", "clusters", "runs", "delong", "corrected-t", "paired-t", "welch"])
def test_a_plan_of_the_pilots_size_has_the_pilots_error(kind: str, rng: np.random.Generator) -> None:
    """So many units again have the standard error that the answer itself shows."""
    table, settings = tables(rng)[kind]
    answer = tb.compare(table, **settings)
    pilot = pilot_of(answer)
    assert (kind if "-" in kind else "clustered-t") in (answer.method.name, "clustered-t", pilot.data.procedure)
    error = answer.pair(pilot.first, pilot.second).standard_error
    assert pilot.data.standard_error(pilot.n, 0.0) == pytest.approx(error, rel=0.02 if kind == "runs" else 1e-6)
    assert pilot.cautious.standard_error(pilot.n, 0.0) > error


def test_right_and_wrong_by_their_discordance() -> None:
    """Of 40 items 6 are right for one model only: 15 %, and at most 22.5 % by Wilson's limit at 80 %."""
    a, b = [1] * 34 + [1, 1, 1, 1, 0, 0], [1] * 34 + [0, 0, 0, 0, 1, 1]
    pilot = pilot_of(tb.compare({"item": range(40), "a": a, "b": b}, metric="accuracy"))
    assert isinstance(pilot.data, PlannedItems)
    assert (pilot.n, pilot.data.discordant) == (40, pytest.approx(0.15))
    z = 0.841621  # the 80 % point of the normal distribution
    upper = (0.15 + z**2 / 80 + z * np.sqrt(0.15 * 0.85 / 40 + z**2 / 6400)) / (1 + z**2 / 40)
    assert isinstance(pilot.cautious, PlannedItems)
    assert pilot.cautious.discordant == pytest.approx(upper, rel=1e-4)


def test_the_likely_upper_end_of_a_spread() -> None:
    """The lower 20 % point of chi-squared with 9 degrees of freedom is 5.380, so the spread may be 1.293 times as large."""
    d = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.2, 0.0, 0.25, -0.1])
    pilot = pilot_of(tb.compare({"seed": range(10), "a": d, "b": np.zeros(10)}, **GRADES))
    assert isinstance(pilot.data, PlannedSeeds)
    assert isinstance(pilot.cautious, PlannedSeeds)
    assert pilot.data.sd[0] == pytest.approx(np.std(d, ddof=1))
    assert pilot.cautious.sd[0] / pilot.data.sd[0] == pytest.approx(np.sqrt(9 / 5.380), rel=1e-3)


def test_parts_of_runs_are_found_again(rng: np.random.Generator) -> None:
    """400 items in 40 runs with known standard deviations, within a tenth (a fifth for what runs share)."""
    n, r = 400, 40
    d = 1.0 * rng.normal(size=(1, n)) + 0.3 * rng.normal(size=(r, 1)) + 0.7 * rng.normal(size=(r, n))
    run, item = np.meshgrid(np.arange(r), np.arange(n), indexing="ij")
    table = {"item": item.ravel(), "run": run.ravel(), "a": d.ravel(), "b": np.zeros(n * r)}
    data = pilot_of(tb.compare(table, **GRADES)).data
    assert isinstance(data, PlannedItems)
    assert (data.n_runs, data.run_sd) == (r, pytest.approx(0.7, rel=0.1))
    assert data.sd == pytest.approx(np.hypot(1.0, 0.7), rel=0.1)
    assert data.shared_run_sd == pytest.approx(0.3, rel=0.3)


def test_settings_of_the_answer_are_taken_over() -> None:
    """Models, alpha, rope and baseline of the pilot, unless others are given."""
    rng = np.random.default_rng(0)
    table = {"item": range(50), **{m: rng.normal(size=50) for m in "abc"}}
    answer = tb.compare(table, rope=0.1, alpha=0.1, baseline="c", **GRADES)
    size = tb.sample_size(answer, difference=0.5)
    assert (size.rope, size.target.alpha, size.target.n_models, size.target.interval_alpha) == (0.1, 0.1, 3, 0.05)
    assert tb.sample_size(answer, difference=0.5, rope=0.0, alpha=0.02).target.interval_alpha == 0.01
    assert "'c'" in tb.sample_size(answer.pair("b", "c"), difference=0.5).pilot


def test_without_a_difference_it_says_what_so_many_units_show() -> None:
    """The same as the page says that it could not see, for Student's intervals: within 2 %."""
    rng = np.random.default_rng(0)
    answer = tb.compare({"item": range(80), "a": rng.normal(size=80), "b": rng.normal(size=80)}, **GRADES)
    from tiebreak.comparison.next_step import detectable

    said = detectable(answer)
    size = tb.sample_size(answer)
    assert said is not None
    assert (size.n, size.solved) == (80, "difference")
    assert size.difference == pytest.approx(said.smallest, rel=0.02)


def test_times_of_an_evaluation_are_costs() -> None:
    """The mean time of a fit of both models, times the fits."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    models = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    answer = tb.evaluate(models, X, y, cv={"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2}, progress=False).compare()
    size = tb.sample_size(answer, n=4)
    assert isinstance(size.data, PlannedSplits)
    assert (size.data.n_folds, size.data.test_train_ratio) == (5, pytest.approx(0.25))
    assert size.seconds == pytest.approx(np.mean(list(answer.scores.fit_seconds.values())))
    assert size.total_seconds == pytest.approx(40 * size.seconds)


def test_other_procedures_shrink_with_the_root_of_n(rng: np.random.Generator) -> None:
    """F1 is no mean, so its pilot is taken as it is: four times the items have half the error."""
    y = rng.integers(0, 2, 120)
    answers = {m: np.where(rng.random(120) < 0.8, y, 1 - y) for m in "ab"}
    answer = tb.compare(tb.read_predictions(y, answers, metric="f1"))
    pilot = pilot_of(answer)
    assert isinstance(pilot.data, PlannedLikePilot)
    assert pilot.data.standard_error(480, 0.0) == pytest.approx(answer.pair("a", "b").standard_error / 2)


@pytest.mark.parametrize(
    ("table", "settings", "error", "text"),
    [
        ({"item": [1, 2, 3], "a": [1, 0, 1], "b": [0, 0, 1]}, {}, TooFewSplitsError, "at least 5 are needed"),
        ({"item": range(30), "a": [1] * 30, "b": [1] * 30}, {}, TooFewSplitsError, "do not differ on any item"),
        (
            {"time": range(40), "a": np.arange(40) % 7, "b": np.arange(40) % 5},
            GRADES,
            UnsuitableDesignError,
            "not like Student's",
        ),
        (
            {"fold": range(10), "a": np.arange(10) / 20, "b": np.arange(10) % 3 / 7},
            {**GRADES, "n_train": 9, "n_test": 1},
            UnsuitableDesignError,
            "cannot be repeated",
        ),
    ],
)
def test_pilots_that_say_nothing(table: Any, settings: dict[str, Any], error: type[Exception], text: str) -> None:
    """Too few units, models that never differ, intervals of another kind, splits of which there are no others."""
    with pytest.raises(error, match=text):
        pilot_of(tb.compare(table, **settings))


def test_what_contradicts_a_pilot() -> None:
    """Numbers that a pilot says itself, runs that it does not have, and a pair that is none."""
    rng = np.random.default_rng(0)
    table = {"item": range(50), "a": rng.normal(size=50), "b": rng.normal(size=50)}
    answer = tb.compare(table, **GRADES)
    with pytest.raises(InvalidParameterError, match="leave question=, sd= out"):
        tb.sample_size(answer, difference=0.1, sd=1.0, question="examples")
    with pytest.raises(InvalidParameterError, match="one run only"):
        tb.sample_size(answer, difference=0.1, n_runs=3)
    with pytest.raises(InvalidParameterError, match="pair names two models"):
        tb.sample_size(answer, difference=0.1, pair="ab")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="'z'"):
        tb.sample_size(answer, difference=0.1, pair=("a", "z"))
