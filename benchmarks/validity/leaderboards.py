"""What a leaderboard of many systems may say: simultaneous coverage, neighbours that are told apart, and the time of a page.

``python benchmarks/validity/leaderboards.py [BOARDS]`` draws so many boards (100) of 134 systems on 500 items that are right
or wrong, and of 90 systems on 10 scenarios whose scores are means. Printed: the share of boards on which the intervals of
all pairs hold the true difference at once; of neighbours in the ranking the share that the page tells apart, beside that of
an uncorrected paired t-test at 0.05, and how many of either are in the wrong order; and the seconds of one page. Exit code 1
where the coverage is below 0.95 by more than a binomial test at .01 allows, or a page takes more than two seconds.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import stats
from scipy.special import expit

from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric


def board(n_systems: int, n_items: int, is_binary: bool, rng: np.random.Generator) -> tuple[Items, np.ndarray]:
    """A board, and the true mean of each system."""
    skill = np.sort(rng.normal(0, 0.8, n_systems))[::-1]
    hard = rng.normal(size=n_items) * 1.5
    if is_binary:
        score = (rng.random((n_systems, n_items)) < expit(skill[:, None] - hard)).astype(float)
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        truth = expit(skill[:, None] - 1.5 * nodes) @ weights / weights.sum()
    else:
        score = 0.5 + 0.1 * skill[:, None] + 0.05 * hard + rng.normal(0, 0.03, (n_systems, n_items))
        truth = 0.5 + 0.1 * skill
    names = tuple(f"system {k:03d}" for k in rng.permutation(n_systems))
    items = tuple(map(str, range(n_items)))
    return Items(Metric("accuracy", higher_is_better=True), names, ("1",), items, score[:, None]), truth


def judged(answer: Comparison, items: Items, truth: np.ndarray) -> tuple[bool, np.ndarray]:
    """True where all intervals cover; numbers of neighbours told apart here and by single tests, and of those in wrong order."""
    true = dict(zip(items.models, truth.tolist(), strict=True))
    means = np.array([true[name] for name in answer.models])
    table = answer.pair_table
    low, high = table.interval
    d = means[table.first] - means[table.second]
    covered = bool(np.all((low <= d) & (d <= high) | np.isnan(low)))
    is_next = np.abs(table.first - table.second) == 1
    told = table.shown_direction[is_next]
    score = answer.matrix.score
    single = stats.ttest_rel(score[:-1], score[1:], axis=1)
    apart = single.pvalue < 0.05
    truly = np.sign(means[:-1] - means[1:])
    first = np.minimum(table.first, table.second)[is_next]
    oriented = np.where(table.first[is_next] < table.second[is_next], told, -told)
    wrong = [int(((oriented != 0) & (oriented != truly[first])).sum()), int((apart & (np.sign(single.statistic) != truly)).sum())]
    return covered, np.array([int((told != 0).sum()), int(apart.sum()), *wrong])


def main() -> int:
    n_boards = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    missed = False
    for n_systems, n_items, is_binary in ((134, 500, True), (90, 10, False)):
        rng = np.random.default_rng([29, n_systems])
        covered, counts, seconds = 0, np.zeros(4), []
        for _ in range(n_boards):
            items, truth = board(n_systems, n_items, is_binary, rng)
            start = time.perf_counter()
            answer = compare_scores(items.as_scores(), Settings())
            answer.to_text()
            seconds.append(time.perf_counter() - start)
            inside, found = judged(answer, items, truth)
            covered += inside
            counts += found
        share = counts / n_boards / (n_systems - 1)
        print(f"{n_systems} systems x {n_items} items, {n_boards} boards")
        print(f"  all intervals cover at once: {covered / n_boards:.3f} (error {np.sqrt(0.0475 / n_boards):.3f})")
        print(f"  neighbours told apart: {share[0]:.3f}, in the wrong order {share[2]:.4f}")
        print(f"  by an uncorrected test each: {share[1]:.3f}, in the wrong order {share[3]:.4f}")
        print(f"  a page: {np.median(seconds):.2f} s (median), {max(seconds):.2f} s (longest)")
        missed |= stats.binom.cdf(covered, n_boards, 0.95) < 0.01 or float(np.median(seconds)) > 2.0
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
