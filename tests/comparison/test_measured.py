"""The measured error rates nearest to the design of an answer."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import tiebreak as tb
from tiebreak.comparison.measured import measured_rates, nearest_rates


def seeds(n_models: int, n: int) -> tb.Comparison:
    """Models without a difference, by seed."""
    rng = np.random.default_rng(n)
    return tb.compare(
        {"seed": list(range(n)), **{f"m{i}": rng.normal(0.8, 0.01, n).tolist() for i in range(n_models)}}, metric="accuracy"
    )


def test_the_row_of_as_many_units_and_models_is_taken() -> None:
    """Of 10 models and 30 seeds there is such a row; 9 models and 28 seeds are nearest to it."""
    exact, near = nearest_rates(seeds(10, 30)), nearest_rates(seeds(9, 28))
    assert [(row.units, row.models) for row in exact] == [(30, 10)] * len(exact)
    assert exact == near
    assert all("seed" in row.data for row in exact)


def test_every_rate_is_of_equal_models_and_a_share() -> None:
    """The file of the docs is the one that the package reads; tables with copies in them are no design to cite."""
    docs = Path(__file__).parents[2] / "docs" / "error-rates.csv"
    lines = docs.read_text(encoding="utf-8").splitlines()
    n_rows = sum(",none," in line for line in lines)
    assert sum(',"none, with copies",' in line for line in lines) >= 20
    names = {line.split(",")[0] for line in lines[1:]}
    rows = [row for name in names for row in measured_rates(name)]
    assert len(rows) == n_rows
    assert all(0 <= row.rate <= 100 and row.tables >= 200 and row.models >= 2 for row in rows)


def notices_measured() -> list[dict[str, str]]:
    """Rows of the shares of pages on which notices stood."""
    with (Path(tb.__file__).parent / "comparison" / "notices.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_notices_stand_where_they_are_meant_and_not_on_harmless_tables() -> None:
    """Of all harmless tables at most 5 % bear each notice; those by size always stand; exceptions of their worlds have one."""
    rows = notices_measured()
    assert {row["kind"] for row in rows} == {"meant", "by size", "harmless", "other"}
    for name in {(row["procedure"], row["notice"]) for row in rows}:
        own = [row for row in rows if (row["procedure"], row["notice"]) == name and row["kind"] == "harmless"]
        n = sum(int(row["pages"]) for row in own)
        assert sum(float(row["stands"]) * int(row["pages"]) for row in own) <= 5.0 * n, name
    assert all(row["stands"] == "100.0" for row in rows if row["kind"] == "by size")
    meant = {(row["procedure"], row["data"], row["units"]) for row in rows if row["kind"] in ("meant", "by size")}
    wrong = [row for row in rows if float(row["wrong"]) > 9.0]
    assert wrong
    assert all((row["procedure"], row["data"], row["units"]) in meant for row in wrong)


def test_each_world_of_the_notices_has_its_error_rate() -> None:
    """The same procedure, data and units, and the same share of wrong tables, in the table of error rates."""
    with (Path(tb.__file__).parent / "comparison" / "error-rates.csv").open(encoding="utf-8", newline="") as file:
        rates = {
            (row["procedure"], row["data"], int(row["units"])): float(row["wrong"] or row["misses"])
            for row in csv.DictReader(file)
            if row["truth"].startswith("none")
        }
    for row in notices_measured():
        assert rates[row["procedure"], row["data"], int(row["units"])] == float(row["wrong"]), row


def test_worlds_that_break_a_default_are_named() -> None:
    """Skewed losses, a season of 12 and effects of the sizes of uneven clusters are named; their harmless kin are not."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=240)
    season = noise.copy()
    for at in range(12, season.size):
        season[at] += 0.9 * season[at - 12]

    def of_losses(difference: np.ndarray) -> set[str]:
        table = {"time": list(range(difference.size)), "a": difference.tolist(), "b": np.zeros(difference.size).tolist()}
        return {each.code for each in tb.compare(table, metric="loss", lower_is_better=True).notices}

    assert {"skewed-losses", "lasting-autocorrelation"}.isdisjoint(of_losses(noise))
    assert "skewed-losses" in of_losses(rng.lognormal(0, 1.5, 240))
    assert "lasting-autocorrelation" in of_losses(season)

    sizes = np.array([2] * 15 + [4] * 10 + [200] * 2)
    codes = np.repeat(np.arange(sizes.size), sizes)
    for slope, is_named in ((1.0, True), (0.0, False)):
        score = slope * np.log(sizes)[codes] + 0.2 * rng.normal(size=sizes.size)[codes] + 0.1 * rng.normal(size=codes.size)
        table = {"item": list(range(codes.size)), "cluster": codes.tolist(), "a": score.tolist(), "b": [0.0] * codes.size}
        found = tb.compare(table, metric="grade", lower_is_better=False)
        assert ("size-effect" in {each.code for each in found.notices}) is is_named
