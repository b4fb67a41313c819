"""How often intervals of two models on the same examples hold the truth, on tables drawn with a known one.

``python benchmarks/validity/items.py [TABLES [FEW]]`` draws so many tables for each cell (2,000), and so many for the cells of
DeLong's areas (500). Exit code 1 when a goal is missed: coverage of at least 0.93 in each cell (by a
one-sided binomial test at 0.01, divided by the number of cells), at most 0.98 where five or more discordant examples are
expected. Below that Tango's interval is conservative, which the table says. Tables without an interval are counted apart.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from tiebreak.statistics import clustered_mean, crossed_mean, newcombe, roc_areas, tango

LOWEST, HIGHEST = 0.93, 0.98


@dataclass
class Cell:
    """Coverage of one procedure in one situation."""

    procedure: str
    situation: str
    inside: np.ndarray  # of the tables that have an interval
    n_without: int = 0
    has_upper_goal: bool = False
    beside: str = ""

    @property
    def coverage(self) -> float:
        return float(np.mean(self.inside))

    def misses(self, n_cells: int) -> bool:
        """True where so low, or so high, a coverage would be rare if the goal were met."""
        n, k = self.inside.size, int(self.inside.sum())
        too_low = stats.binom.cdf(k, n, LOWEST) < 0.01 / n_cells
        too_high = self.has_upper_goal and stats.binom.sf(k - 1, n, HIGHEST) < 0.01 / n_cells
        return bool(too_low or too_high)


def tango_cells(n_tables: int, rng: np.random.Generator) -> list[Cell]:
    cells = []
    for n in (15, 30, 100, 500):
        for p in (0.5, 0.8, 0.97):
            for correlation in (0.0, 0.5, 0.9):
                for difference in (0.0, 0.03):
                    q = p - difference
                    both = min(p * q + correlation * np.sqrt(p * (1 - p) * q * (1 - q)), q)
                    shares = [both, p - both, q - both, max(1 - p - q + both, 0.0)]
                    counts = rng.multinomial(n, shares, size=n_tables).T
                    low, high = tango(*counts).interval()
                    inside = (low <= difference + 1e-12) & (difference - 1e-12 <= high)
                    discordant = n * (shares[1] + shares[2])
                    apart = newcombe(counts[0] + counts[1], n, counts[0] + counts[2], n).interval()
                    wider = np.median((apart.high - apart.low) / (high - low))
                    text = f"n {n}, accuracy {p:g} and {q:g}, correlation {correlation:g}, {discordant:.1f} discordant"
                    note = f"unpaired {wider:.2f} times as wide" + ("; conservative, few disagree" if discordant < 5 else "")
                    cells.append(Cell("tango", text, inside, has_upper_goal=discordant >= 5, beside=note))
    return cells


def answers(
    n_tables: int, clusters: np.ndarray, p: float, correlation: float, n_runs: int, run_sd: float, rng: np.random.Generator
) -> np.ndarray:
    """Differences of two models of the same accuracy, of shape (n_tables, n_runs, n): right where a sum of effects is small."""
    n, n_clusters = clusters.size, int(clusters.max()) + 1
    cluster = rng.normal(size=(n_tables, 1, n_clusters))[:, :, clusters]
    item = np.sqrt(0.3) * cluster + np.sqrt(0.7) * rng.normal(size=(n_tables, 1, n)) if n_clusters < n else cluster
    right = []
    for _ in range(2):
        own = rng.normal(size=(n_tables, 1, n_clusters))[:, :, clusters]
        mixed = np.sqrt(0.5) * own + np.sqrt(0.5) * rng.normal(size=(n_tables, n_runs, n))
        run = run_sd * rng.normal(size=(n_tables, n_runs, 1))
        latent = np.sqrt(correlation) * item + np.sqrt(1 - correlation) * mixed + run
        right.append(latent < special.ndtri(p) * np.sqrt(1 + run_sd**2))
    return right[0].astype(float) - right[1]


def cluster_cells(n_tables: int, rng: np.random.Generator) -> list[Cell]:
    cells = []
    for n_clusters in (5, 10, 20, 100):
        for p in (0.5, 0.8):
            for correlation in (0.0, 0.5, 0.9):
                sizes = np.resize([2, 4, 6, 8, 10], n_clusters)  # unequal clusters
                clusters = np.repeat(np.arange(n_clusters), sizes)
                d = answers(n_tables, clusters, p, correlation, 1, 0.0, rng)[:, 0]
                low, high = clustered_mean(d, clusters).interval()
                there = ~np.isnan(low)
                one, apart = (clustered_mean(d, clusters, variance=form).interval() for form in ("cr1", "independent"))
                kept = [np.mean((each.low <= 0) & (each.high >= 0)) for each in (one, apart)]
                text = f"{n_clusters} clusters, {clusters.size} examples, accuracy {p:g}, correlation {correlation:g}"
                note = f"CR1 with G - 1 {kept[0]:.3f}, clusters ignored {kept[1]:.3f}"
                inside = ((low <= 0) & (high >= 0))[there]
                cells.append(Cell("clustered t", text, inside, int((~there).sum()), beside=note))
    return cells


def run_cells(n_tables: int, rng: np.random.Generator) -> list[Cell]:
    cells = []
    for n in (15, 30, 100, 500):
        for p, correlation in ((0.5, 0.0), (0.5, 0.5), (0.8, 0.5), (0.8, 0.9), (0.97, 0.5)):
            for run_sd in (0.0, 0.3):
                d = answers(n_tables, np.arange(n), p, correlation, 3, run_sd, rng)
                low, high = crossed_mean(d).law.interval()
                there = ~np.isnan(low)
                items = crossed_mean(d).items.interval()
                kept = np.nanmean(np.where(np.isnan(items.low), np.nan, (items.low <= 0) & (items.high >= 0)))
                text = f"3 runs, n {n}, accuracy {p:g}, correlation {correlation:g}, runs vary by {run_sd:g}"
                inside = ((low <= 0) & (high >= 0))[there]
                cells.append(Cell("runs x items", text, inside, int((~there).sum()), beside=f"items alone {kept:.3f}"))
    return cells


def ranking_cells(n_tables: int, rng: np.random.Generator) -> list[Cell]:
    """DeLong: two models whose scores are normal, 1 or 2 apart between the classes."""
    cells = []
    for n, share, apart, correlation in (
        (40, 0.5, 1, 0.5),
        (100, 0.3, 1, 0.5),
        (100, 0.5, 2, 0.0),
        (300, 0.1, 1, 0.9),
        (500, 0.5, 1, 0.5),
    ):
        n_positive = int(n * share)
        truth = np.arange(n) < n_positive
        inside = []
        for _ in range(n_tables):
            common, own = rng.normal(size=n), rng.normal(size=(2, n))
            scores = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own + apart * truth
            low, high = roc_areas(truth, scores).difference().interval()
            inside.append(low <= 0 <= high)
        text = f"AUC, {n_positive} of {n} positive, {apart} apart, correlation {correlation:g}"
        cells.append(Cell("delong of", text, np.array(inside)))
    return cells


def main(n_tables: int = 2_000, n_few: int = 500) -> int:
    rng = np.random.default_rng(20261122)
    groups = [tango_cells(n_tables, rng), cluster_cells(n_tables, rng), run_cells(n_tables, rng), ranking_cells(n_few, rng)]
    n_cells = sum(map(len, groups))
    missed = []
    for cells in groups:
        for cell in cells:
            fails = cell.misses(n_cells)
            missed += [cell] if fails else []
            without = f", {cell.n_without} tables without an interval" if cell.n_without else ""
            print(
                f"{cell.coverage:.3f} {cell.procedure:13} {cell.situation}{without}{f' ({cell.beside})' if cell.beside else ''}"
                f"{' MISSED' if fails else ''}"
            )
        lowest = min(cells, key=lambda cell: cell.coverage)
        print(f"--- {len(cells)} cells, lowest {lowest.coverage:.3f}: {lowest.procedure} {lowest.situation}")
        bound = [cell for cell in cells if cell.has_upper_goal]
        if bound:
            print(f"--- where 5 or more are discordant: {len(bound)} cells, highest {max(cell.coverage for cell in bound):.3f}")
    print(f"{len(missed)} of {n_cells} cells miss their goal")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
