"""Losses in order of time: Diebold and Mariano's test, and the model confidence set beside it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.errors import (
    DataError,
    UnclearSourceError,
)
from tiebreak.statistics.skew import skewed, skewness_of_mean
from tiebreak.statistics.time import memory_bound


def losses(rng: np.random.Generator, n: int = 40) -> pd.DataFrame:
    """Losses of three forecasts with errors that go together."""
    common = rng.gamma(2, 1, n)
    table = {name: common + rng.gamma(2, scale, n) for name, scale in (("arima", 1.0), ("lstm", 1.1), ("naive", 2.0))}
    return pd.DataFrame({"time": np.arange(2000, 2000 + n), **table})


def compared(table: Any, **settings: Any) -> tb.Comparison:
    """Squared errors."""
    return tb.compare(table, metric="squared_error", lower_is_better=True, **settings)


def test_pairs_are_those_of_the_array_function(rng: np.random.Generator) -> None:
    """To 1e-12, a smaller loss being better, at the level of the family; with Hall's t where differences are skewed."""
    table = losses(rng)
    answer = compared(table)
    assert (answer.method.name, answer.method.unit) == ("diebold-mariano", "period")
    for pair in answer.pairs.itertuples():
        d = (table[pair.second] - table[pair.first]).to_numpy()
        array = tb.statistics.diebold_mariano(d)
        skewness = skewness_of_mean(d - d.mean())
        array = skewed(array, skewness) if abs(skewness) * np.sqrt(d.size) > 1 else array
        numbers = [pair.difference, pair.standard_error, pair.statistic, pair.pvalue, pair.interval_low, pair.interval_high]
        expected = [array.estimate, array.se, array.statistic, array.pvalue(), *array.interval(1 - 0.05 / 3)]
        assert_allclose(numbers, expected, rtol=1e-12)


def test_the_model_confidence_set_stands_beside(rng: np.random.Generator) -> None:
    """That of the array function, by blocks as long as the cube root of the series; of scores their negatives."""
    table = losses(rng)
    answer = compared(table)
    names = list(answer.models)
    found = tb.statistics.model_confidence_set(table[names].to_numpy().T, block_length=3, rng=0)
    (test,) = answer.supplementary_tests
    assert test.probabilities == dict(zip(names, found.tolist(), strict=True))
    assert "Beside it: model confidence set at 95%" in answer.details
    higher = table.assign(**{name: -table[name] for name in names})
    other = tb.compare(higher, metric="skill", lower_is_better=False).supplementary_tests[0]
    assert other.probabilities == test.probabilities
    assert "blocks of 3" in test.text


@pytest.mark.parametrize(
    "times",
    [
        pd.date_range("2020-01-31", periods=40, freq="ME"),
        [f"{2020 + i // 12}-{i % 12 + 1:02d}" for i in range(40)],
        [f"{2020 + i // 4}-Q{i % 4 + 1}" for i in range(40)],
        [i / 4 for i in range(40)],
        [f"2020-01-01T{i // 60:02d}:{i % 60:02d}:00+00:00" for i in range(40)],
    ],
)
def test_times_are_put_in_order(rng: np.random.Generator, times: Any) -> None:
    """Dates, months, quarters, numbers and moments; rows in any order, long or wide."""
    table = losses(rng).assign(time=times)
    shuffled = table.sample(frac=1, random_state=0)
    expected = compared(table.assign(time=np.arange(40))).pairs
    for source in (
        shuffled,
        shuffled.melt("time", var_name="model", value_name="score"),
        shuffled.rename(columns={"time": "Period"}),
    ):
        assert_allclose(compared(source).pairs["pvalue"], expected["pvalue"], rtol=1e-12)


def test_a_time_beside_splits_is_no_period() -> None:
    """There it is how long a fit took, as before."""
    table = {"model": list("aabb"), "fold": [0, 1, 0, 1], "score": [0.1, 0.2, 0.3, 0.5], "time": [0.5, 0.6, 9.1, 9.2]}
    assert tb.read_scores(table, metric="accuracy").design.kind == "unknown"


SECONDS = {"model": list("aabb"), "time": [0.5, 0.6, 9.1, 9.2], "score": [0.1, 0.2, 0.3, 0.5]}


@pytest.mark.parametrize(
    ("of", "settings", "message"),
    [
        (
            lambda table: table.assign(time=["then", *map(str, range(2001, 2040))]),
            {},
            "'then' is neither a number nor a date",
        ),
        (lambda table: SECONDS, {}, "no column numbers the rows of 'a'"),
        (lambda table: table.assign(time=[1, 1, *range(2, 40)]), {}, r"two rows are of time '1' \(row 1 and row 2; 1 such row"),
        (lambda table: table.mask(table["time"] == 2003).assign(time=table["time"]), {}, "lacks 1 of the 40 periods: '2003'"),
        (lambda table: pd.concat([table.assign(dataset=name) for name in "xy"]), {}, r"periods of 2 datasets; .* with dataset="),
        (lambda table: table, {"n_total": 80}, "diebold-mariano takes no looks: periods depend on each other"),
        (
            lambda table: table,
            {"method": "corrected-t"},
            "for scores on splits of one dataset, and these are losses",
        ),
        (lambda table: table[:2], {}, "there are only 2 periods"),
    ],
)
def test_bad_input(rng: np.random.Generator, of: Any, settings: dict[str, Any], message: str) -> None:
    """Words that are no times, times of single models, a time twice, gaps, several series, looks, wrong methods, too few."""
    with pytest.raises((DataError, UnclearSourceError), match=message):
        compared(of(losses(rng)), **settings)


def test_a_missing_period_leaves_its_pairs_undecided_and_an_uneven_series_is_said(rng: np.random.Generator) -> None:
    """The order of time is broken; where periods are not evenly apart the answer remarks it."""
    table = losses(rng)
    answer = compared(table.assign(arima=table["arima"].where(table["time"] != 2003)), missing="pairwise")
    assert "a missing period breaks the order of time" in answer.pair("arima", "naive").sentence
    assert answer.pairs["reason"].tolist().count("missing-splits") == 2
    uneven = compared(table.assign(time=[*range(39), 50]))
    assert "missing-splits" in [notice.code for notice in uneven.notices]


@pytest.mark.parametrize(("n", "is_walk"), [(60, False), (200, True)])
def test_lasting_autocorrelation_is_said(rng: np.random.Generator, n: int, is_walk: bool) -> None:
    """A random walk is seen at 200, white noise is not."""
    steps = rng.normal(size=n)
    values = 9.5 + (np.cumsum(steps) / 10 if is_walk else steps)
    codes = {notice.code for notice in compared({"time": np.arange(n), "a": values, "b": np.full(n, 9.5)}).notices}
    assert ("lasting-autocorrelation" in codes) == is_walk


def test_series_that_do_not_vary(rng: np.random.Generator) -> None:
    """The same losses, and losses apart by a constant, have no interval."""
    table = losses(rng).assign(same=lambda t: t["arima"], apart=lambda t: t["arima"] + 0.5)
    answer = compared(table[["time", "arima", "same", "apart"]])
    assert sorted(answer.pairs["reason"]) == ["identical-scores", "no-spread", "no-spread"]


@pytest.mark.parametrize(
    ("n", "apart", "words"),
    [(100, 0.0, "show little"), (100, 0.4, "what is said"), (100, 1.0, "show little"), (60, 0.6, "what is said"), (1000, 0, "")],
)
def test_a_claim_that_long_memory_would_undo_is_said(rng: np.random.Generator, n: int, apart: float, words: str) -> None:
    """No claim, one of 4 errors, and one of 10, which no memory that they leave possible undoes; else that periods are few."""
    answer = compared({"time": np.arange(n), "a": 9.5 + apart + rng.normal(size=n), "b": np.full(n, 9.5)})
    assert (answer.pair("a", "b").verdict == "undecided") == (not apart)
    notices = [notice.text for notice in answer.notices if notice.code == "few-items"]
    assert len(notices) == bool(words)
    assert words in str(notices)


def test_the_order_of_memory_that_is_not_ruled_out() -> None:
    """Whittle's estimate by hand over a grid of 0.05, and 2.5 of its errors, 0.5 / sqrt(m), of white noise of 2,000."""
    values = np.random.default_rng(3).normal(size=2000)
    n_low, j = int(2000**0.65), np.arange(1, int(2000**0.65) + 1)
    cosines = np.cos(np.pi * np.outer(j, np.arange(0.5, 2000)) / 2000) @ (values - values.mean())
    own = [np.log(np.mean(cosines**2 * j ** (2 * d))) - 2 * d * np.mean(np.log(j)) for d in np.arange(10) / 20]
    assert memory_bound(values - values.mean()) == pytest.approx(np.argmin(own) / 20 + 2.5 * 0.5 / np.sqrt(n_low))
