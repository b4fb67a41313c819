"""Coverage of the intervals of the signed-rank and the sign test, and how often each test rejects where nothing differs.

Differences of 6 to 100 datasets: normal, heavy-tailed, rounded so that many tie or are zero, and skewed. The signed-rank interval
is for the centre of Hodges and Lehmann (the median of the mean of two differences), the sign test's for the median; of skewed
differences they are not the same, and the signed-rank test, which takes differences for symmetric, has no goal there. An exact
interval may cover more than its level says, as ranks are few, but not less: that is the goal, by a one-sided binomial test at
0.01 over all cells.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from scipy import stats

from tiebreak.statistics import sign_test, wilcoxon

LEVEL = 0.95
SIZES = (6, 12, 30, 60, 100)
SHIFT = 0.3

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
KINDS: dict[str, tuple[Draw, float, float]] = {
    # a way to draw, the centre of Hodges and Lehmann, and the median; that of the mean of two exponentials is gamma's
    "normal": (lambda rng, shape: rng.normal(SHIFT, 1, shape), SHIFT, SHIFT),
    "t with 2 df": (lambda rng, shape: SHIFT + rng.standard_t(2, shape), SHIFT, SHIFT),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), float(stats.gamma.ppf(0.5, 2)) / 2, float(np.log(2))),
    "rounded": (lambda rng, shape: np.round(rng.normal(0, 1, shape)) + SHIFT, SHIFT, SHIFT),
}


def coverage(kind: str, n: int, n_tables: int) -> tuple[list[float], list[float]]:
    """Shares of intervals that hold the truth, and of tests that reject a difference of 0 where there is none."""
    draw, centre, median = KINDS[kind]
    d = draw(np.random.default_rng([n, len(kind)]), (n_tables, n))
    covered, rejected = [], []
    for test, truth in ((wilcoxon, centre), (sign_test, median)):
        low, high = test(d).interval(LEVEL)
        covered.append(float(np.mean((low <= truth + 1e-9) & (truth - 1e-9 <= high))))
        rejected.append(float(np.mean(test(d - truth, scale=1.0).pvalue() <= 1 - LEVEL)))
    return covered, rejected


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=20_000, help="tables of each kind and size")
    n_tables = parser.parse_args().n
    print(f"{n_tables:,} tables each; coverage of {100 * LEVEL:g} % intervals and rejections at {1 - LEVEL:.2f}, in %")
    print(f"{'differences':14}{'datasets':>9}   {'signed-rank':>22}{'sign':>22}")
    n_goals = (2 * len(KINDS) - 1) * len(SIZES)
    least = stats.binom.ppf(0.01 / n_goals, n_tables, LEVEL) / n_tables
    missed = 0
    for kind in KINDS:
        for n in SIZES:
            covered, rejected = coverage(kind, n, n_tables)
            cells = [f"{100 * c:.1f} ({100 * r:.1f})" for c, r in zip(covered, rejected, strict=True)]
            goals = covered[1:] if kind == "exponential" else covered
            wrong = sum(c < least for c in goals)
            missed += wrong
            print(f"{kind:14}{n:9}   {cells[0]:>22}{cells[1]:>22}{'   MISSED' if wrong else ''}", flush=True)
    print(f"goal: no cell below {100 * least:.2f} %: {'met' if not missed else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
