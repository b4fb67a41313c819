"""Drawn intervals: those that `compare` shows of the same data, with the powers of textbooks."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.statistics.power import N_DRAWS, Population, _standard_laws

GRADES: dict[str, Any] = {"metric": "grade", "lower_is_better": False}
ERROR = 3.5 * np.sqrt(0.16 / N_DRAWS)  # of a power of 0.8, with one false alarm in 2,000


def power(population: Population, n: int, difference: float, alpha: float = 0.05) -> float:
    """Share of drawn intervals above 0."""
    return float((population.intervals((n,), difference, (alpha,))[0].low > 0).mean())


POWERS: list[tuple[Population, int, float, float]] = [
    # scipy's noncentral t, of the t-tests of one and of two samples and of the corrected variance
    (Population(procedure="paired-t", sd=(1.0,)), 10, 1.0, stats.nct.sf(stats.t.ppf(0.975, 9), 9, np.sqrt(10))),
    (Population(procedure="clustered-t", sd=(0.3,)), 285, 0.05, stats.nct.sf(stats.t.ppf(0.975, 284), 284, np.sqrt(285) / 6)),
    (Population(procedure="welch", sd=(1.0, 1.0)), 23, 1.0, stats.nct.sf(stats.t.ppf(0.975, 44), 44, np.sqrt(23 / 2))),
    (
        Population(procedure="corrected-t", sd=(0.03,), n_folds=10, ratio=1 / 9),
        10,
        0.03,
        stats.nct.sf(stats.t.ppf(0.975, 99), 99, 1 / np.sqrt(1 / 100 + 1 / 9)),
    ),
    # the normal distribution: Connor (1987) for discordant items, the textbooks' formula for two test sets
    (Population(procedure="tango", discordant=0.1), 1960, 0.02, 0.8),
    (Population(procedure="newcombe", rate=0.8), 6039, 0.02, 0.8),
    # clusters of 5 with a correlation of .25 double the variance: 1 + 4 x .25
    (Population(procedure="clustered-t", sd=(1.0,), cluster_size=5, intraclass_correlation=0.25), 1570, 0.1, 0.8),
    # 0.955 of the t-test's efficiency for normal differences (Hodges and Lehmann 1956): as 30 x .955 values
    (Population(procedure="wilcoxon", sd=(1.0,)), 30, 0.55, 0.814),
    (Population(procedure="jackknife-t", pilot_n=100, pilot_df=50.0, pilot_error=0.1), 400, 0.1415, 0.8),
]


@pytest.mark.slow
@pytest.mark.parametrize(("population", "n", "difference", "expected"), POWERS, ids=lambda each: getattr(each, "procedure", ""))
def test_powers_are_those_of_the_textbooks(population: Population, n: int, difference: float, expected: float) -> None:
    """Within the error of the draws, and a hundredth where the source is for many units."""
    assert power(population, n, difference) == pytest.approx(expected, abs=ERROR + 0.01)


@pytest.mark.parametrize("kind", ["items", "clusters", "datasets", "splits", "seeds", "paired seeds"])
def test_a_drawn_table_has_the_interval_that_compare_shows(kind: str, rng: np.random.Generator) -> None:
    """The law of the first drawn data set, and the interval of the very table by `compare`."""
    n, ratio = 20, 1 / 9 if kind == "splits" else 0.0
    procedure = {"items": "clustered-t", "clusters": "clustered-t", "datasets": "wilcoxon", "splits": "corrected-t",
                 "seeds": "welch", "paired seeds": "paired-t"}[kind]  # fmt: skip
    law = _standard_laws(procedure, (n,), ratio, 0.6, 0.0, np.random.default_rng(4))[0]
    drawn = np.random.default_rng(4)
    z = drawn.normal(size=(n, N_DRAWS))[:, 0]
    if kind == "splits":
        np.random.default_rng(4).normal(size=(n, N_DRAWS))
        z = z + np.sqrt(ratio) * drawn.normal(size=(N_DRAWS, 1))[0, 0]
    k, zero = np.arange(n), np.zeros(n)
    tables: dict[str, tuple[Any, dict[str, Any]]] = {
        "items": ({"item": k, "a": z, "b": zero}, {}),
        "clusters": ({"item": range(3 * n), "cluster": np.repeat(k, 3), "a": np.repeat(z, 3), "b": np.zeros(3 * n)}, {}),
        "datasets": ({"dataset": [f"d{i}" for i in k], "a": z, "b": zero}, {}),
        "splits": ({"repeat": k // 10, "fold": k % 10, "a": z, "b": zero}, {"n_train": 90, "n_test": 10}),
        "paired seeds": ({"seed": k, "a": z, "b": zero}, {}),
    }
    if kind == "seeds":
        other = drawn.normal(size=(n, N_DRAWS))[:, 0] * 0.8
        rows = {"model": ["a"] * n + ["b"] * n, "seed": range(2 * n), "score": np.append(0.6 * z, other)}
        tables["seeds"] = rows, {}
    table, more = tables[kind]
    answer = tb.compare(table, **GRADES, **more)
    pair = answer.pair("a", "b")
    assert answer.method.name == procedure
    assert (pair.interval_low, pair.interval_high) == pytest.approx([end[0] for end in law.interval()], rel=1e-9)


def test_many_units_lie_as_fewer_do_nearer_by_the_root() -> None:
    """4,000 items have half the standard error of 1,000, and 400 of either are drawn."""
    population = Population(procedure="clustered-t", sd=(2.0,))
    ends = [population.intervals((n,), 0.3, (0.05,))[0] for n in (1000, 4000)]
    assert (ends[0].low - 0.3) / 2 == pytest.approx(ends[1].low - 0.3)
    assert population.drawn((500, 4000)) == (50, 400)
    assert population.scale(4000, 0.3) == pytest.approx(2 / np.sqrt(4000))


@pytest.mark.slow
def test_looks_see_the_first_part_of_the_same_data() -> None:
    """The last of two looks has the interval of one look; the first has that of its own number of units."""
    for population in (Population(procedure="clustered-t", sd=(1.0,)), Population(procedure="wilcoxon", sd=(1.0,))):
        two, one, first = (population.intervals(n, 0.0, (0.05,) * len(n)) for n in ((20, 40), (40,), (20,)))
        np.testing.assert_array_equal(two[1].low, one[0].low)
        np.testing.assert_allclose(two[0].low, first[0].low)
    counts = Population(procedure="tango", discordant=0.2).intervals((50, 100), 0.05, (0.05, 0.05))
    assert np.corrcoef(counts[0].low, counts[1].low)[0, 1] == pytest.approx(np.sqrt(0.5), abs=0.05)


def test_discordant_share_of_two_rates() -> None:
    """Independent answers of 0.8 and 0.6 disagree on 0.8 x 0.4 + 0.2 x 0.6 = 0.44; at their closest on 0.2."""
    apart, close = (Population(procedure="tango", rate=0.6, correlation=r) for r in (0.0, 1.0))
    assert (apart.discordant_at(0.2), close.discordant_at(0.2)) == (pytest.approx(0.44), pytest.approx(0.2))
