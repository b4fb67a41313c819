"""How often looks err: shares of simulated tables that stop at each look, beside what the calibrated bounds promise.

Units are drawn one by one and the t statistic of every look is formed from them; splits share a common part as the correction
of Nadeau and Bengio assumes. Nothing of the package but the bounds is used. Beside it: the any-look error of normal bounds whose
levels are read as Student's. Exit code 1 where a share is off by more than five standard errors, or a total
exceeds 1.03 alpha by more than two.

python benchmarks/validity/group_sequential.py [--tables 1000000] [--seed 1]
"""

import argparse
import sys
from typing import NamedTuple

import numpy as np

from tiebreak.numerics import student_tail
from tiebreak.statistics import group_sequential_design, split_information

BATCH = 20_000


class World(NamedTuple):
    """Units at each look, what test and training sets share, and the level."""

    label: str
    n_units: list[int]
    ratio: float
    alpha: float


WORLDS = (
    World("two looks, ratio 1 / 4", [4, 10], 0.25, 0.05),
    World("2x5, five looks", [2, 4, 6, 8, 10], 1.0, 0.05),
    World("5x5 by repeat", [5, 10, 15, 20, 25], 0.25, 0.05),
    World("10x10 by repeat", list(range(10, 101, 10)), 1 / 9, 0.05),
    World("10x10, 15 pairs", list(range(10, 101, 10)), 1 / 9, 0.05 / 15),
    World("20 units, unequal", [2, 3, 4, 20], 0.0, 0.05),
    World("40 units, unequal", [5, 7, 19, 20, 40], 0.0, 0.05 / 15),
    World("200 units, 20 looks", list(range(10, 201, 10)), 0.0, 0.05),
)


def main() -> None:
    """Print one line for each world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{'world':24} {'alpha':>8} {'stopped':>9} {'promised':>9} {'normal levels':>14} {'worst look, se':>15}")
    sys.exit(max(_one(world, given.tables, given.seed) for world in WORLDS))


def _one(world: World, n_tables: int, seed: int) -> int:
    rng = np.random.default_rng(seed)
    n = np.array(world.n_units)
    fractions = split_information(n, int(n[-1]), test_train_ratio=world.ratio)
    design = group_sequential_design(fractions, alpha=world.alpha, df=n - 1)
    normal_levels = group_sequential_design(fractions, alpha=world.alpha).alphas
    promised = np.diff(design.spent, prepend=0.0)
    stopped, with_normal = np.zeros(n.size), 0
    variance = 1 / n + world.ratio
    for _ in range(n_tables // BATCH):
        units = rng.normal(size=(BATCH, n[-1]))
        common = rng.normal(size=BATCH) * np.sqrt(world.ratio)
        is_open, is_open_normal = np.ones(BATCH, bool), np.ones(BATCH, bool)
        for k, size in enumerate(n):
            part = units[:, :size]
            t = np.abs(part.mean(axis=1) + common) / (part.std(axis=1, ddof=1) * np.sqrt(variance[k]))
            stopped[k] += np.sum(is_open & (t > design.critical[k]))
            is_open &= t <= design.critical[k]
            is_open_normal &= 2 * student_tail(t, size - 1.0) >= normal_levels[k]
        with_normal += int(np.sum(~is_open_normal))
    drawn = n_tables // BATCH * BATCH
    errors = np.sqrt(np.maximum(promised * (1 - promised), 1 / drawn) / drawn)
    worst = float(np.max(np.abs(stopped / drawn - promised) / errors))
    total = stopped.sum() / drawn
    print(
        f"{world.label:24} {world.alpha:8.5f} {total:9.5f} {promised.sum():9.5f} {with_normal / drawn:14.5f} {worst:15.2f}",
        flush=True,
    )
    too_often = total > 1.03 * world.alpha + 2 * np.sqrt(world.alpha / drawn)
    return int(worst > 5 or too_often)


if __name__ == "__main__":
    main()
