"""The noise floor of a suite, and what it does beside a gate."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.errors import DataError, InvalidParameterError, SourceNotFoundError


def suite(n: int, drop: float = 0.0, seed: int = 0) -> pd.DataFrame:
    """Two models on n questions, graded; the differences have a standard deviation of 0.14."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n)
    new, old = hard + rng.normal(0, 0.1, (2, n))
    return pd.DataFrame({"question": range(n), "new": new - drop, "old": old})


def gate(n: int, rope: float, drop: float = 0.0, **given: object) -> tb.Comparison:
    """The comparison of a suite."""
    return tb.compare(suite(n, drop), metric="quality", lower_is_better=False, rope=rope, **given)


@pytest.mark.parametrize(
    ("rope", "drop", "floor", "outcome", "reason"),
    [
        (0.1, 0.0, 0.05, "met", ""),
        (0.1, 0.4, 0.05, "broken", ""),
        (0.1, 0.0, 0.11, "inconclusive", "below-noise"),
        (0.1, 0.4, 0.11, "inconclusive", "below-noise"),
        (0.1, 0.0, 0.1, "met", ""),  # a margin on the floor is not below it
    ],
)
def test_a_margin_below_the_floor_leaves_a_gate_open(rope: float, drop: float, floor: float, outcome: str, reason: str) -> None:
    """Whatever the interval says: differences of that size come from runs of one model too."""
    (found,) = gate(200, rope, drop).meets(not_worse=("new", "old"), noise_floor=floor)
    assert (found.outcome, found.reason, found.noise_floor) == (outcome, reason, floor)
    assert f"; the noise floor is {floor:.3g}" in found.sentence
    assert ("the margin of 0.1 lies below it" in found.sentence) == bool(reason)


def test_better_without_a_margin_needs_a_difference_beyond_the_floor() -> None:
    """A drop of 0.4 is beyond a floor of 0.1 and within one of 0.5."""
    answer = gate(200, 0.0, 0.4)
    assert answer.meets(better=("old", "new"), noise_floor=0.1).outcome == "met"
    (found,) = answer.meets(better=("old", "new"), noise_floor=0.5)
    assert (found.outcome, found.reason) == ("inconclusive", "within-noise")


@pytest.mark.parametrize(("n", "is_open"), [(3, True), (5, True), (6, False)])
def test_few_questions_settle_nothing(n: int, is_open: bool) -> None:
    """With 5 questions all differences have one sign by chance in 2 / 2^5 = 6 % of suites, with 6 in 3 %."""
    (found,) = gate(n, 5.0).meets(not_worse=("new", "old"), noise_floor=0.1)
    assert (found.reason, found.outcome) == (("few-units", "inconclusive") if is_open else ("", "met"))
    assert not gate(n, 5.0).meets(not_worse=("new", "old"))[0].reason  # without a floor a gate is as it was


def test_floor_from_a_table_a_file_and_a_smaller_suite(tmp_path: Path) -> None:
    """What is written is read back, and counts for a suite of a quarter of the questions twice."""
    frame = suite(400).melt("question", var_name="run", value_name="score").assign(model="m")
    floor = tb.noise_floor(frame, metric="quality", lower_is_better=False)
    assert (floor.kind, floor.n_runs, floor.n_items, floor.unit) == ("runs", 2, 400, "question")
    floor.to_json(tmp_path / "noise.json")
    assert tb.read_noise_floor(tmp_path / "noise.json") == floor
    found = gate(100, 1.0).meets(not_worse=("new", "old"), noise_floor=tmp_path / "noise.json")
    assert_allclose(found[0].noise_floor, 2 * floor.floor, rtol=1e-12)


def test_epochs_average_and_share_no_run() -> None:
    """Four epochs: the noise of their mean is half that of one, and an item with three counts by three of each."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"question": np.tile(range(50), 4), "epoch": np.repeat(range(4), 50), "m": rng.integers(0, 2, 200)})
    floor = tb.noise_floor(frame)
    assert (floor.kind, floor.n_averaged, floor.differs_as_whole) == ("epochs", 4, False)
    assert_allclose(tb.noise_floor(frame, n_averaged=1).floor, 2 * floor.floor, rtol=1e-12)
    fewer = tb.noise_floor(frame.drop(index=199))
    assert (fewer.n_averaged, fewer.n_items) == (3, 50)


def test_files_of_one_model_are_its_runs(tmp_path: Path) -> None:
    """Two files that name the same model, or with same=True whatever they name."""
    for name in ("new", "old"):
        suite(30)[["question"]].assign(model="m", score=suite(30)[name]).to_csv(tmp_path / f"{name}.csv", index=False)
    settings = {"metric": "quality", "lower_is_better": False}
    files = [tmp_path / "new.csv", tmp_path / "old.csv"]
    floor = tb.noise_floor(*files, **settings)
    assert (floor.models, floor.n_runs) == (("m",), 2)
    assert tb.noise_floor(tmp_path, **settings).floor == floor.floor
    with pytest.raises(DataError, match="each of 'new' and 'old' was run once"):
        tb.noise_floor(suite(30), **settings)
    assert tb.noise_floor(suite(30), same=True, **settings).floor == pytest.approx(floor.floor, rel=1e-12)


def test_seeds_on_one_test_set_and_what_is_none() -> None:
    """Three seeds have a floor, splits of a dataset have none."""
    table = {"seed": [1, 2, 3], "a": [0.90, 0.92, 0.94]}
    assert tb.noise_floor(table | {"b": [0.8, 0.82, 0.84]}, metric="accuracy").kind == "seeds"
    folds = {"fold": [0, 1, 2], "a": [0.9, 0.92, 0.94], "b": [0.8, 0.82, 0.84], "n_train": [20] * 3, "n_test": [10] * 3}
    with pytest.raises(DataError, match="splits or datasets"):
        tb.noise_floor(folds, metric="accuracy")


RUNS = {"question": [*range(40)] * 2, "run": [1] * 40 + [2] * 40}


def test_a_floor_never_exceeds_the_metric() -> None:
    """Two runs that differ by a quarter leave one degree of freedom, a bound of 3.2; an accuracy has room for 1."""
    assert tb.noise_floor(RUNS | {"m": [1, 0] * 30 + [1, 1] * 10}).floor == 1.0


@pytest.mark.parametrize(
    ("floor", "error", "said"),
    [
        *((wrong, InvalidParameterError, "noise_floor must be") for wrong in (-1.0, float("nan"), True, [0.1])),
        ("none.json", SourceNotFoundError, r"none\.json cannot be read"),
        *((f"{name}.json", DataError, "holds no noise floor") for name in ("words", "object", "list")),
        (
            tb.noise_floor(RUNS | {"m": [1, 1, 0, 0] * 20}),
            InvalidParameterError,
            "is of 'accuracy', and the gate is of 'quality'",
        ),
    ],
    ids=str,
)
def test_wrong_floors_are_refused(floor: object, error: type[Exception], said: str, tmp_path: Path) -> None:
    """Each message says what was given and what is taken."""
    for name, text in (("words", "no json"), ("object", "{}"), ("list", "[1]")):
        (tmp_path / f"{name}.json").write_text(text)
    with pytest.raises(error, match=said):
        gate(50, 0.1).meets(not_worse=("new", "old"), noise_floor=tmp_path / floor if isinstance(floor, str) else floor)
