"""The script that measures one family of intervals: its rules for arrays of tables, and that `compare` agrees with it."""

from __future__ import annotations

import csv
import importlib
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "validity"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, beside the files that it imports."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("one_family")


def contenders_by_walking(above: np.ndarray) -> list[bool]:
    """The definition, step by step: whoever reaches a model along the arrows is reached from it."""
    n_models = len(above)

    def reached(start: int) -> set[int]:
        found, waiting = {start}, [start]
        while waiting:
            for other in np.flatnonzero(above[waiting.pop()]).tolist():
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    reach = [reached(model) for model in range(n_models)]
    return [all(other in reach[model] for other in range(n_models) if model in reach[other]) for model in range(n_models)]


def test_contenders_are_the_components_that_no_arrow_enters(script: ModuleType) -> None:
    """All 729 relations of four models in which no two are above each other, cycles among them, against a walk by hand."""
    signs = np.array(list(product((-1, 0, 1), repeat=6)))
    above = script.shown_above(4, signs > 0, signs < 0)
    assert len(above) == 729
    assert script.may_be_best(above).tolist() == [contenders_by_walking(table) for table in above]


def test_contenders_of_longer_chains_and_cycles(script: ModuleType) -> None:
    """A chain of 20 has one; a cycle of 20 that beats nobody else has all of its models, however long the way round."""
    chain = np.eye(20, k=1, dtype=bool)
    cycle = chain.copy()
    cycle[19, 0] = True
    assert script.may_be_best(np.stack([chain, cycle])).sum(axis=1).tolist() == [1, 20]


def test_shortfall_is_the_largest_upper_end_over_the_other_contenders(script: ModuleType) -> None:
    """By hand: a - b in [-1, 2], a - c in [1, 4], b - c in [-0.5, 3]; c is below a, and neither a nor b is below another."""
    low, high = np.array([[-1.0, 1.0, -0.5]]), np.array([[2.0, 4.0, 3.0]])
    best = script.may_be_best(script.shown_above(3, low > 0, high < 0))
    assert best.tolist() == [[True, True, False]]
    assert script.shortfalls(high, low, best).tolist() == [[1.0, 2.0, 4.0]]


def test_levels_of_both_families(script: ModuleType) -> None:
    """Five models: ten pairs share 0.05 by two sides, and each of the four rivals has a quarter of it by one side."""
    assert script.family_alpha(5, "pairs") == pytest.approx(0.05 / 10 / 2)
    assert script.family_alpha(5, "best") == pytest.approx(0.05 / 4)
    assert script.family_alpha(2, "best") == pytest.approx(0.05 / 2)


def test_verdicts_are_where_the_interval_lies(script: ModuleType) -> None:
    """One interval for each place, with a rope of 1; ends on a limit count as inside, and without an interval nothing is said."""
    worlds = importlib.import_module("family_worlds")
    low = np.array([[1.1, 0.2, -1.0, 0.2, -3.0, -2.0, -3.0, np.nan]])
    high = np.array([[2.0, 2.0, 1.0, 0.8, 3.0, -0.2, -1.1, np.nan]])
    codes = worlds.ByEnds(lambda p: (low, high)).verdicts(1.0, 0.025)[0]
    found = [worlds.VERDICTS[code] for code in codes]
    assert found == ["better", "ahead", "equivalent", "equivalent", "undecided", "behind", "worse", "undecided"]


def test_a_verdict_is_wrong_where_it_is_not_true_of_the_difference(script: ModuleType) -> None:
    """At the rope itself a model is ahead and equivalent, not better; undecided is never wrong."""
    worlds = importlib.import_module("family_worlds")
    wrong = script.is_wrong(np.arange(6), np.full(6, 0.02), 0.02)
    assert dict(zip(worlds.VERDICTS, wrong.tolist(), strict=True)) == {
        "better": True,
        "ahead": False,
        "equivalent": False,
        "undecided": False,
        "behind": True,
        "worse": True,
    }


@pytest.mark.parametrize("name", ["corrected-t", "wilcoxon", "newcombe"])
def test_compare_says_what_the_script_says(script: ModuleType, name: str) -> None:
    """Eight of the tables that the script compares in full, of equal and graded models, with and without a rope."""
    worlds = importlib.import_module("family_worlds")
    world = next(world for world in worlds.WORLDS if world.procedure == name and world.source)
    found = [script.compared(world, place) for place in range(8)]
    assert not any(table.differs for table in found)
    assert sum(table.decided for table in found) > 0
    assert sum(table.outside for table in found) > 0


def test_rows_take_the_place_of_those_of_their_world(script: ModuleType, tmp_path: Path) -> None:
    """The two scripts write one file, and neither may drop what the other has measured."""
    path = tmp_path / "rates.csv"
    old = script.row_of("wilcoxon", "a world", 10, "none", (1, 1), 100)
    script.write_rows(path, [script.row_of("corrected-t", "splits", 10, "none", (5, 4), 100), old])
    script.write_rows(path, [script.row_of("wilcoxon", "a world", 10, "none", (7, 3), 100)])
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["procedure"], row["misses"], row["wrong"]) for row in csv.DictReader(file)]
    assert rows == [("corrected-t", "5.0", "4.0"), ("wilcoxon", "7.0", "3.0")]
