"""What nested cross-validation, BBC-CV and the plain best of a grid say where there is nothing to learn.

400 data sets of 50 x 20: balanced labels, features that are drawn without regard to them. One of 50 candidates is chosen by
accuracy; the true accuracy of any choice is 0.5. 5 outer folds of 10, 4 inner folds of 10 within each, all stratified, so that
every fold has as many examples of one class as of the other: with unequal ones the majority of the training rows is the minority
of the test rows, and any score is biased down.

Three grids, because BBC-CV depends on them: it takes the predictions of different examples for independent. For stumps they
nearly are. They are not for nearest neighbours (two examples that are each other's neighbour are both right or both wrong), nor
for linear models (what happens to separate the classes in the whole sample is found in every training set, and helps on every
fold): there a candidate that is right by luck in the bag is right by luck out of it too, and some optimism is left. So the goal
for BBC-CV is set for stumps, and the other two are shown.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from itertools import product

import numpy as np

import tiebreak as tb

N_EXAMPLES, N_FEATURES = 50, 20
OUTER = {"kind": "stratified", "n_folds": 5}
INNER = {"kind": "stratified", "n_folds": 4}
TRUTH = 0.5


@dataclass(frozen=True)
class Neighbours:
    """The majority of the nearest training rows by two features."""

    first: int
    k: int

    def __call__(self, X_train, y_train, X_test, rng):
        here = slice(self.first, self.first + 2)
        distance = np.square(X_test[:, None, here] - X_train[None, :, here]).sum(axis=2)
        nearest = np.argpartition(distance, self.k - 1, axis=1)[:, : self.k]
        return (2 * y_train[nearest].sum(axis=1) > self.k).astype(int)


@dataclass(frozen=True)
class Linear:
    """The sign of a ridge regression on two features."""

    first: int
    penalty: float

    def __call__(self, X_train, y_train, X_test, rng):
        here = slice(self.first, self.first + 2)
        centre, target = X_train[:, here].mean(axis=0), 2 * y_train - 1
        X = X_train[:, here] - centre
        weight = np.linalg.solve(X.T @ X + self.penalty * np.eye(2), X.T @ target)
        return ((X_test[:, here] - centre) @ weight > 0).astype(int)


@dataclass(frozen=True)
class Stump:
    """One cut of one feature at a quantile, the side with more of a class for that class."""

    feature: int
    share: float

    def __call__(self, X_train, y_train, X_test, rng):
        column = X_train[:, self.feature]
        cut = np.quantile(column, self.share)
        is_up = y_train[column > cut].mean() >= y_train[column <= cut].mean()
        return ((X_test[:, self.feature] > cut) == is_up).astype(int)


PAIRS = range(0, N_FEATURES, 2)
GRIDS = {
    "stumps": {f"feature {f} at {q}": Stump(f, q) for f, q in product(PAIRS, (0.3, 0.4, 0.5, 0.6, 0.7))},
    "linear": {f"features {f} and {f + 1}, penalty {p}": Linear(f, p) for f, p in product(PAIRS, (0.1, 1, 10, 30, 100))},
    "neighbours": {f"k={k}, features {f} and {f + 1}": Neighbours(f, k) for k, f in product((1, 3, 5, 7, 9), PAIRS)},
}
WITH_GOAL = "stumps"


def one_run(grid: str, seed: int) -> tuple[float, float, float, float]:
    """Nested score, best plain score, best inner scores and BBC-CV score on one data set."""
    rng = np.random.default_rng([20, seed])
    X, y = rng.normal(size=(N_EXAMPLES, N_FEATURES)), np.arange(N_EXAMPLES) % 2
    nested = tb.nested_cross_validate({grid: GRIDS[grid]}, X, y, outer=OUTER, inner=INNER, scoring="accuracy", rng=seed)
    honest = nested.score()
    return honest.mean, honest.claim, honest.inner_claim, nested.bias_corrected(rng=seed).score


def simulate(grid: str, n_runs: int) -> np.ndarray:
    """Runs by the four scores."""
    return np.array([one_run(grid, seed) for seed in range(n_runs)])


def goals(grid: str, runs: np.ndarray) -> list[tuple[str, float, float, str, bool]]:
    """Name, mean, standard error, what is asked for, and whether it is met."""
    mean = runs.mean(axis=0)
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    off = abs(mean - TRUTH)
    bbc = ("within 0.02 of 0.5", off[3] <= 0.02) if grid == WITH_GOAL else ("shown, no goal", True)
    return [
        ("nested cross-validation", mean[0], error[0], "within 3 standard errors of 0.5", off[0] <= 3 * error[0]),
        ("best of plain cross-validation", mean[1], error[1], "at least 0.55", mean[1] >= TRUTH + 0.05),
        ("best inner scores of the search", mean[2], error[2], "at least 0.55", mean[2] >= TRUTH + 0.05),
        ("BBC-CV", mean[3], error[3], *bbc),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=400, help="data sets")
    parser.add_argument("--grid", choices=list(GRIDS), action="append", help="only this one; repeatable")
    arguments = parser.parse_args()
    start, missed = time.perf_counter(), 0
    print(f"{arguments.n} data sets of {N_EXAMPLES} x {N_FEATURES} without signal, 50 candidates, true accuracy {TRUTH}")
    for grid in arguments.grid or GRIDS:
        print(f"{grid}:")
        for name, mean, error, goal, met in goals(grid, simulate(grid, arguments.n)):
            missed += not met
            print(f"  {name:34} {mean:.4f}  standard error {error:.4f}   {goal:32} {'met' if met else 'MISSED'}", flush=True)
    print(f"{missed} missed, {time.perf_counter() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
