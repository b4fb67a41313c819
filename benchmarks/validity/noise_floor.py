"""How often a release gate flips on identical systems, and how often it still finds a true drop, with a noise floor beside it.

``python benchmarks/validity/noise_floor.py [SUITES]`` draws so many suites (2,000) of 3 to 300 items, right or wrong or
graded. A model is run twice for the noise floor, and four times more for two gates "not worse by more than 0.1" between a
system and itself. Printed: how often one of them is met and the other broken, how often two further runs lie further apart
than the floor, and what the gates say at 3 items; then a true drop of 0.2 at 300 items, with paired differences of standard
deviation 0.5. Exit code 1 where more than 5 % flip, a gate at 3 items is settled, fewer than 80 % of the drops are found, or
the floor is exceeded by more than 5 % and what a binomial test at .01 allows.
"""

import sys

import numpy as np
from scipy import stats

from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.noise_floor import NoiseFloor, noise_floor_of
from tiebreak.comparison.settings import Settings
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric

MARGIN, DROP, SD = 0.1, 0.2, 0.5
ACCURACY, QUALITY = Metric("accuracy", higher_is_better=True), Metric("quality", higher_is_better=True)


def runs_of(n: int, n_runs: int, is_binary: bool, rng: np.random.Generator) -> np.ndarray:
    """Runs of one model on n items, of shape (n_runs, n): hard items stay hard, answers vary."""
    hard = rng.normal(size=n)
    if is_binary:
        return (rng.random((n_runs, n)) < stats.norm.cdf(0.3 + 1.2 * hard)).astype(float)
    return 0.5 * hard + rng.normal(0, SD / np.sqrt(2), (n_runs, n))


def items_of(score: np.ndarray, is_binary: bool) -> Items:
    """Two models, or two runs of one where the first axis is 1."""
    n_models, n_runs, n = score.shape
    names, runs = ("new", "old")[:n_models], tuple(map(str, range(n_runs)))
    return Items(ACCURACY if is_binary else QUALITY, names, runs, tuple(map(str, range(n))), score)


def gate(pair: np.ndarray, is_binary: bool, floor: NoiseFloor) -> str:
    """Outcome of "new is not worse than old by more than the margin"."""
    scores = items_of(pair[:, None], is_binary).as_scores()
    return compare_scores(scores, Settings(rope=MARGIN)).meets(not_worse=("new", "old"), noise_floor=floor).outcome


def identical(n: int, is_binary: bool, rng: np.random.Generator) -> tuple[str, str, bool]:
    """Outcomes of two gates between a system and itself, and whether two further runs lie within the floor."""
    runs = runs_of(n, 6, is_binary, rng)
    floor = noise_floor_of(items_of(runs[None, :2], is_binary), "runs")
    inside = abs(float(runs[2].mean() - runs[3].mean())) <= floor.floor
    return gate(runs[2:4], is_binary, floor), gate(runs[4:6], is_binary, floor), inside


def dropped(rng: np.random.Generator) -> str:
    """Outcome where the new model is worse by 0.2 on each of 300 items, but for noise."""
    runs = runs_of(300, 4, False, rng)
    floor = noise_floor_of(items_of(runs[None, :2], False), "runs")
    return gate(runs[2:4] - np.array([[DROP], [0.0]]), False, floor)


def main() -> int:
    n_suites = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(29)
    missed = False
    for is_binary in (True, False):
        sizes = np.round(np.exp(rng.uniform(np.log(3), np.log(300), n_suites))).astype(int)
        found = [identical(int(n), is_binary, rng) for n in sizes]
        flips = sum({one, other} == {"met", "broken"} for one, other, _ in found)
        beyond = sum(not inside for _, _, inside in found)
        open_ = sum(one == "inconclusive" for one, _, _ in found)
        kind = "right or wrong" if is_binary else "graded"
        print(f"{kind}: {n_suites} suites of 3 to 300 items (standard error of 5 %: {np.sqrt(0.0475 / n_suites):.4f})")
        print(f"  gates that flip between met and broken: {flips / n_suites:.4f}; inconclusive: {open_ / n_suites:.3f}")
        print(f"  two further runs beyond the floor: {beyond / n_suites:.4f}")
        missed |= flips > 0.05 * n_suites or stats.binom.sf(beyond - 1, n_suites, 0.05) < 0.01
        three = [identical(3, is_binary, rng)[0] for _ in range(n_suites // 4)]
        print(f"  at 3 items inconclusive: {three.count('inconclusive')} of {len(three)}")
        missed |= three.count("inconclusive") < len(three)
    outcomes = [dropped(rng) for _ in range(n_suites // 2)]
    share = outcomes.count("broken") / len(outcomes)
    error = np.sqrt(share * (1 - share) / len(outcomes))
    print(f"margin {MARGIN}, true drop {DROP}, 300 items, sd {SD}: broken in {share:.3f} of {len(outcomes)} (error {error:.3f})")
    return int(missed or share < 0.8)


if __name__ == "__main__":
    raise SystemExit(main())
