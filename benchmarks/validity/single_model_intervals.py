"""Coverage of the four intervals for one model's score, where each true score is known in closed form.

Five generators with learners that are fitted from sums, so that thousands of fits take a second: least squares and ridge
regression (squared error), linear discriminant analysis, nearest centroid and naive Bayes (error rate). The true score of a
fitted model is a formula; for naive Bayes all 64 rows of features are counted.

Each set of n examples is measured in four ways: corrected-t on 10 times 10 folds, conservative-z on 15 splits of the whole and of
each half in 10 pairs (trained on 0.4 n), nested-cv with 25 repetitions of 10 folds, wald-cv on 10 folds. Three truths are asked
for: the score of the model fitted on all examples, the mean score of the 10 models that were fitted on the training sets of the
first 10 folds, and the expected score of models trained on as many examples as the splits train on (0.9 n; 0.4 n for
conservative-z). The star marks the truth that an interval says it is for.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from tiebreak.frequentist import conservative_z_interval, corrected_t_interval, cv_wald_interval, nested_cv_interval

SIZES = (50, 100, 500)
N_FOLDS, N_REPEATS, N_CORRECTED = 10, 25, 10
N_SPLITS, N_PAIRS, HALF_TRAIN = 15, 10, 0.4
METHODS = {"corrected-t": "expected", "conservative-z": "expected", "nested-cv": "fitted", "wald-cv": "folds"}
TRUTHS = ("fitted", "folds", "expected")


class Generator:
    """Examples, what a learner sums up of them, the weights that it makes of sums, and the true score of weights.

    Weights have the constant first. `sums` of an example have a shape (n, ...), those of a training set are their sum.
    """

    name: str

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def sums(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Products of (1, x) and (1, x, y), which hold all that linear learners need, of shape (n, p + 1, p + 2)."""
        one = np.column_stack([np.ones(len(x)), x])
        return one[:, :, None] * np.column_stack([one, y])[:, None, :]

    def fit(self, sums: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def loss(self, value: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of predicted values: the error rate of their signs."""
        return ((value > 0) != (y > 0)).astype(float)

    def truth(self, weights: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@dataclass(frozen=True)
class Regression(Generator):
    """Ridge regression (least squares without a penalty) of y on independent normal features; noise of a t distribution."""

    name: str
    p: int
    penalty: float
    noise_df: float

    @cached_property
    def beta(self) -> np.ndarray:
        return np.concatenate([[0.5], 1 / np.arange(1, self.p + 1)])

    def draw(self, rng, n):
        x = rng.normal(size=(n, self.p))
        return x, self.beta[0] + x @ self.beta[1:] + rng.standard_t(self.noise_df, size=n)

    def fit(self, sums):
        ridge = self.penalty * np.diag(np.concatenate([[0.0], np.ones(self.p)]))
        return np.linalg.solve(sums[..., :-1] + ridge, sums[..., -1:])[..., 0]

    def loss(self, value, y):
        return np.square(value - y)

    def truth(self, weights):
        noise = self.noise_df / (self.noise_df - 2)
        return noise + np.square(weights - self.beta).sum(axis=-1)


@dataclass(frozen=True)
class Gaussians(Generator):
    """Two normal classes, y is +1 or -1: linear discriminant analysis, or the nearest of the two centroids."""

    name: str
    p: int
    distance: float
    share: float
    uses_covariance: bool

    @cached_property
    def shift(self) -> np.ndarray:
        return self.distance * np.sqrt(np.arange(self.p, 0, -1) / np.arange(1, self.p + 1).sum())

    def draw(self, rng, n):
        y = np.where(rng.random(n) < self.share, 1.0, -1.0)
        return rng.normal(size=(n, self.p)) + (y[:, None] > 0) * self.shift, y

    def fit(self, sums):
        n, total, signed = sums[..., 0, 0], sums[..., 0, 1:-1], sums[..., 1:, -1]
        difference = sums[..., 0, -1]
        n_plus, n_minus = (np.maximum(count, 1e-9)[..., None] for count in ((n + difference) / 2, (n - difference) / 2))
        plus, minus = (total + signed) / 2 / n_plus, (total - signed) / 2 / n_minus
        direction, constant = plus - minus, 0.0
        if self.uses_covariance:
            outer = n_plus[..., None] * plus[..., :, None] * plus[..., None, :]
            outer = outer + n_minus[..., None] * minus[..., :, None] * minus[..., None, :]
            covariance = (sums[..., 1:, 1:-1] - outer) / (n - 2)[..., None, None]
            direction = np.linalg.solve(covariance, direction[..., None])[..., 0]
            constant = np.log(n_plus / n_minus)[..., 0]
        constant = constant - (direction * (plus + minus)).sum(axis=-1) / 2
        return np.concatenate([np.asarray(constant)[..., None], direction], axis=-1)

    def truth(self, weights):
        spread = np.sqrt(np.square(weights[..., 1:]).sum(axis=-1))
        middle = weights[..., 0]
        above = weights[..., 1:] @ self.shift + middle
        return self.share * ndtr(-above / spread) + (1 - self.share) * ndtr(middle / spread)


@dataclass(frozen=True)
class Bits(Generator):
    """Six features of 0 or 1 that go together: naive Bayes with one example of each added."""

    name: str
    share: float

    @cached_property
    def rows(self) -> np.ndarray:
        return (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)

    @cached_property
    def masses(self) -> np.ndarray:
        """Probability of each row and class, of shape (64, 2): the classes differ, and neighbouring features agree."""
        agree = (self.rows[:, :-1] == self.rows[:, 1:]).sum(axis=1)
        lean = self.rows @ np.array([0.9, 0.7, 0.5, 0.3, 0.1, 0.0])
        mass = np.exp(0.4 * agree[:, None] + lean[:, None] * np.array([-0.6, 0.6]))
        return mass / mass.sum(axis=0) * np.array([1 - self.share, self.share])

    def draw(self, rng, n):
        cell = rng.choice(128, size=n, p=self.masses.ravel())
        return self.rows[cell // 2], np.where(cell % 2, 1.0, -1.0)

    def fit(self, sums):
        n, total, signed, difference = sums[..., 0, 0], sums[..., 0, 1:-1], sums[..., 1:, -1], sums[..., 0, -1]
        n_plus, n_minus = ((n + difference) / 2)[..., None], ((n - difference) / 2)[..., None]
        plus, minus = ((total + signed) / 2 + 1) / (n_plus + 2), ((total - signed) / 2 + 1) / (n_minus + 2)
        weights = np.log(plus / minus) - np.log((1 - plus) / (1 - minus))
        constant = np.log((n_plus + 1) / (n_minus + 1))[..., 0] + np.log((1 - plus) / (1 - minus)).sum(axis=-1)
        return np.concatenate([constant[..., None], weights], axis=-1)

    def truth(self, weights):
        is_plus = weights[..., :1] + weights[..., 1:] @ self.rows.T > 0
        return np.where(is_plus, self.masses[:, 0], self.masses[:, 1]).sum(axis=-1)


GENERATORS = (
    Regression("least squares, 5 features", p=5, penalty=0.0, noise_df=30.0),
    Regression("ridge, 20 features, heavy tails", p=20, penalty=10.0, noise_df=5.0),
    Gaussians("discriminant analysis, 5 features", p=5, distance=1.6, share=0.5, uses_covariance=True),
    Gaussians("nearest centroid, 20 features, 30 %", p=20, distance=2.0, share=0.3, uses_covariance=False),
    Bits("naive Bayes, 6 bits", share=0.4),
)


def values_of(maker: Generator, weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Loss of each example under each of the weights; x and y may have leading axes of their own."""
    return maker.loss(weights[..., None, 0] + (x @ weights[..., 1:, None])[..., 0], y)


def nested(maker: Generator, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outer losses, inner losses, and weights of the outer models; of shape (repeats, folds, ...)."""
    n, k = len(y), N_FOLDS
    order = np.array([rng.permutation(n) for _ in range(N_REPEATS)]).reshape(N_REPEATS, k, n // k)
    sums = maker.sums(x, y)
    by_fold = sums[order].sum(axis=2)
    without = sums.sum(axis=0) - by_fold  # one fold left out
    weights = maker.fit(without)
    outer = values_of(maker, weights, x[order], y[order])
    others = np.array([[j for j in range(k) if j != i] for i in range(k)])  # left out beside fold i
    twice = maker.fit(without[:, :, None] - by_fold[:, others])  # (repeats, folds, folds - 1, p + 1)
    inner = values_of(maker, twice, x[order][:, others], y[order][:, others])
    return outer, inner.reshape(N_REPEATS, k, -1), weights


def halves(maker: Generator, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[list[float], ...]:
    """Mean losses of splits of the whole, and of pairs of halves, all with as many training examples."""
    n_train, sums = int(HALF_TRAIN * len(y)), maker.sums(x, y)

    def score(rows: np.ndarray) -> np.ndarray:
        order = np.array([rng.permutation(rows) for _ in range(N_SPLITS)])
        weights = maker.fit(sums[order[:, :n_train]].sum(axis=1))
        test = order[:, n_train:]
        return values_of(maker, weights, x[test], y[test]).mean(axis=1)

    pairs = []
    for _ in range(N_PAIRS):
        order = rng.permutation(len(y))
        pairs.append([score(half).mean() for half in (order[: len(y) // 2], order[len(y) // 2 :])])
    return score(np.arange(len(y))).tolist(), *map(list, zip(*pairs, strict=True))


def expected(maker: Generator, n_train: int, rng: np.random.Generator, n_sets: int = 4000) -> float:
    """Mean true score over training sets of one size; its standard error is a hundredth of the intervals' width."""
    return float(np.mean([maker.truth(maker.fit(maker.sums(*maker.draw(rng, n_train)).sum(axis=0))) for _ in range(n_sets)]))


def simulate(maker: Generator, n: int, n_sets: int, seed: int) -> dict[str, dict[str, float]]:
    """Coverage of each truth, and mean width, of each interval."""
    rng = np.random.default_rng([seed, n])
    by_size = {share: expected(maker, int(share * n), rng) for share in (0.9, HALF_TRAIN)}
    hits = {method: dict.fromkeys((*TRUTHS, "width"), 0.0) for method in METHODS}
    for _ in range(n_sets):
        x, y = maker.draw(rng, n)
        outer, inner, weights = nested(maker, x, y, rng)
        intervals = {
            "corrected-t": corrected_t_interval(outer[:N_CORRECTED].mean(axis=2).ravel(), test_train_ratio=1 / (N_FOLDS - 1)),
            "conservative-z": conservative_z_interval(*halves(maker, x, y, rng)),
            "nested-cv": nested_cv_interval(outer, inner),
            "wald-cv": cv_wald_interval(outer[0]),
        }
        truths = {
            "fitted": float(maker.truth(maker.fit(maker.sums(x, y).sum(axis=0)))),
            "folds": float(maker.truth(weights[0]).mean()),
        }
        for method, interval in intervals.items():
            truths["expected"] = by_size[HALF_TRAIN if method == "conservative-z" else 0.9]
            for name, truth in truths.items():
                hits[method][name] += (interval.low <= truth <= interval.high) / n_sets
            hits[method]["width"] += (interval.high - interval.low) / n_sets
    return hits


def check(maker: Generator) -> bool:
    """Whether the formula of the true score agrees with 100,000 further examples, to five standard errors."""
    rng = np.random.default_rng(1)
    weights = maker.fit(maker.sums(*maker.draw(rng, 60)).sum(axis=0))
    losses = values_of(maker, weights, *maker.draw(rng, 100_000))
    return bool(abs(losses.mean() - maker.truth(weights)) < 5 * losses.std() / losses.size**0.5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=200, help="data sets of each generator and size")
    parser.add_argument("--seed", type=int, default=13)
    arguments = parser.parse_args()
    start = time.perf_counter()
    wrong = [maker.name for maker in GENERATORS if not check(maker)]
    error = 100 * (0.95 * 0.05 / arguments.n) ** 0.5
    print(f"coverage of 95 % intervals in %, {arguments.n} sets each (standard error {error:.1f} at 95 %); * the truth it is for")
    print(f"{'':38}{'n':>4}  {'interval':<15}{'fitted':>8}{'folds':>8}{'expected':>10}{'mean width':>12}")
    by_method: dict[str, list[float]] = {method: [] for method in METHODS}
    for maker in GENERATORS:
        for n in SIZES:
            for method, found in simulate(maker, n, arguments.n, arguments.seed).items():
                cells = "".join(
                    f"{100 * found[truth]:.1f}{'*' if METHODS[method] == truth else ' '}".rjust(9) for truth in TRUTHS
                )
                print(f"{maker.name:<38}{n:>4}  {method:<15}{cells}{found['width']:>12.3f}", flush=True)
                by_method[method].append(100 * found[METHODS[method]])
    print("\ncoverage of the truth that an interval is for, over all cells: mean, lowest, highest")
    for method, cells in by_method.items():
        print(f"{method:<15} {np.mean(cells):.1f} {min(cells):.1f} {max(cells):.1f}   ({METHODS[method]})")
    print(
        f"{time.perf_counter() - start:.0f} s; true scores agree with 100,000 examples: {'no, ' + str(wrong) if wrong else 'yes'}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
