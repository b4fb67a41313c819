"""What nested cross-validation, BBC-CV and the plain best of a grid say where there is nothing to learn.

400 data sets of 50 x 20: balanced labels, features that are drawn without regard to them. A grid of 50 candidates (nearest
neighbours, 5 numbers of neighbours on 10 subsets of two features) is chosen from by accuracy. The true accuracy of any choice is
0.5. 5 outer folds of 10, 4 inner folds of 10 within each, all stratified, so that every fold has as many examples of one class as
of the other: with unequal ones the majority of the training rows is the minority of the test rows, and any score is biased down.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np

import tiebreak as tb

N_EXAMPLES, N_FEATURES = 50, 20
NEIGHBOURS = (1, 3, 5, 7, 9)
OUTER = {"kind": "stratified", "n_folds": 5}
INNER = {"kind": "stratified", "n_folds": 4}
TRUTH = 0.5


@dataclass(frozen=True)
class Neighbours:
    """The majority of the nearest training rows by two features: much the cheapest of models."""

    k: int
    first: int

    def __call__(self, X_train, y_train, X_test, rng):
        here = slice(self.first, self.first + 2)
        distance = np.square(X_test[:, None, here] - X_train[None, :, here]).sum(axis=2)
        nearest = np.argpartition(distance, self.k - 1, axis=1)[:, : self.k]
        return (2 * y_train[nearest].sum(axis=1) > self.k).astype(int)


GRID = {f"k={k}, features {f} and {f + 1}": Neighbours(k, f) for k in NEIGHBOURS for f in range(0, N_FEATURES, 2)}


def one_run(seed: int) -> tuple[float, float, float, float]:
    """Nested score, best plain score, best inner scores and BBC-CV score on one data set."""
    rng = np.random.default_rng([20, seed])
    X, y = rng.normal(size=(N_EXAMPLES, N_FEATURES)), np.arange(N_EXAMPLES) % 2
    nested = tb.nested_cross_validate({"neighbours": GRID}, X, y, outer=OUTER, inner=INNER, scoring="accuracy", rng=seed)
    honest = nested.honest()
    return honest.mean, honest.claim, honest.inner_claim, nested.bias_corrected(rng=seed).score


def simulate(n_runs: int) -> np.ndarray:
    """Runs by the four scores."""
    return np.array([one_run(seed) for seed in range(n_runs)])


def goals(runs: np.ndarray) -> list[tuple[str, float, float, str, bool]]:
    """Name, mean, standard error, what is asked for, and whether it is met."""
    mean = runs.mean(axis=0)
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    off = abs(mean - TRUTH)
    return [
        ("nested cross-validation", mean[0], error[0], "within 3 standard errors of 0.5", off[0] <= 3 * error[0]),
        ("best of plain cross-validation", mean[1], error[1], "at least 0.55", mean[1] >= TRUTH + 0.05),
        ("best inner scores of the search", mean[2], error[2], "at least 0.55", mean[2] >= TRUTH + 0.05),
        ("BBC-CV", mean[3], error[3], "within 0.02 of 0.5", off[3] <= 0.02),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=400, help="data sets")
    n = parser.parse_args().n
    start = time.perf_counter()
    found = goals(simulate(n))
    print(f"{n} data sets of {N_EXAMPLES} x {N_FEATURES} without signal, {len(GRID)} candidates, true accuracy {TRUTH}")
    for name, mean, error, goal, met in found:
        print(f"  {name:34} {mean:.4f}  standard error {error:.4f}   {goal:32} {'met' if met else 'MISSED'}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 0 if all(met for *_, met in found) else 1


if __name__ == "__main__":
    sys.exit(main())
