"""How often the learning curve's answer to "would more data help?" is wrong, when the truth is known.

Six generators: a curve that grows, one that is saturated, and a target that is noise, each at two sizes. The truth is the gain
of twice the training data over the same data, the mean over 200 fresh training sets and large test sets. Each run draws a
dataset and asks `tiebreak.learning_curve`. "Yes" is wrong where the true gain is at most the rope, "less than the rope on
doubling" where it is not. For each generator the script prints how often the answer was wrong, and how often there was one; how
often the true gain lay outside the limits that the answer goes by, which is how often it would be wrong with the worst of all
ropes; and how often the intervals of the means miss the true scores.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

import tiebreak as tb

CV = {"kind": "repeated-kfold", "n_folds": 10, "n_repeats": 5}
SHARES = (0.25, 0.5, 1.0)
N_DRAWS, N_TEST = 200, 2_000
MOST_WRONG, FEWEST_ANSWERS = 5, 80  # of 100


class Generator(NamedTuple):
    """A way to draw data, a model to learn from them, and the smallest gain that matters."""

    name: str
    n_samples: int
    rope: float
    draw: Callable[[np.random.Generator, int], tuple[Any, Any]]
    model: Any
    scoring: str
    score: Callable[[Any, Any], float]  # larger is better
    is_precise: bool  # the half-width of the interval of a gain is below rope / 2

    @property
    def n_train(self) -> int:
        """Training examples of a split."""
        return self.n_samples * 9 // 10


def smooth(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """A smooth surface without noise, of which the nearest neighbour learns ever more: its error falls like 1 / sqrt(n)."""
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.sin(3 * X[:, 0]) + np.cos(2 * X[:, 1])


def two_clouds(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Two overlapping normal clouds, whose best boundary is found with few examples."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + y[:, None], y


def noise(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """A target that has nothing to do with the features."""
    return rng.normal(size=(n, 3)), rng.normal(size=n)


def negative_error(y: Any, prediction: Any) -> float:
    return -float(mean_absolute_error(y, prediction))


NEAREST, BAYES, RIDGE = KNeighborsRegressor(1), GaussianNB(), Ridge(1e-3)
GENERATORS = (
    Generator("growing", 200, 0.02, smooth, NEAREST, "neg_mean_absolute_error", negative_error, is_precise=False),
    Generator("growing", 2_000, 0.005, smooth, NEAREST, "neg_mean_absolute_error", negative_error, is_precise=True),
    Generator("saturated", 100, 0.03, two_clouds, BAYES, "accuracy", accuracy_score, is_precise=False),
    Generator("saturated", 600, 0.03, two_clouds, BAYES, "accuracy", accuracy_score, is_precise=True),
    Generator("noise", 60, 0.05, noise, RIDGE, "r2", r2_score, is_precise=False),
    Generator("noise", 1_000, 0.03, noise, RIDGE, "r2", r2_score, is_precise=True),
)


class Truth(NamedTuple):
    """Mean scores, larger is better, with the standard error of the gain."""

    half: float
    full: float
    doubled: float
    standard_error: float

    @property
    def gain(self) -> float:
        """Of twice the training data."""
        return self.doubled - self.full


def find_truth(generator: Generator, n_draws: int = N_DRAWS) -> Truth:
    """Scores with half, all and twice of the training data, each on fresh training sets and large test sets."""
    rng = np.random.default_rng([1, generator.n_samples])
    scores = np.empty((n_draws, 3))
    for row in scores:
        X, y = generator.draw(rng, 2 * generator.n_train)
        X_test, y_test = generator.draw(rng, N_TEST)
        for place, n in enumerate((generator.n_train // 2, generator.n_train, 2 * generator.n_train)):
            row[place] = generator.score(y_test, generator.model.fit(X[:n], y[:n]).predict(X_test))
    gain = scores[:, 2] - scores[:, 1]
    return Truth(*scores.mean(axis=0), float(gain.std(ddof=1) / np.sqrt(n_draws)))


class Tally(NamedTuple):
    """What became of many runs."""

    n_runs: int
    n_wrong: int
    n_answered: int
    n_outside: int  # runs in which the true gain lies outside its limits: wrong for some rope
    half_width: float
    missed: float  # share of the intervals of the mean with all and with half of the data that miss the truth

    @property
    def line(self) -> str:
        return f"{self.n_wrong:>5}  {self.n_answered:>8}  {self.n_outside:>7}  {self.half_width:10.4f}  {self.missed:6.1%}"


def ask(generator: Generator, truth: Truth, n_runs: int, seed: int = 0) -> Tally:
    """Draw datasets, ask, and count."""
    is_yes = truth.gain > generator.rope
    n_wrong = n_answered = n_outside = n_missed = 0
    widths = []
    for run in range(n_runs):
        X, y = generator.draw(np.random.default_rng([2, seed, generator.n_samples, run]), generator.n_samples)
        curve = tb.learning_curve(
            generator.model, X, y, sizes=SHARES, cv=CV, scoring=generator.scoring, rope=generator.rope, rng=run
        )
        answer = curve.answers[0]
        n_answered += answer.answer != "cannot be told"
        n_wrong += answer.answer == ("less than the rope on doubling" if is_yes else "yes")
        n_outside += not answer.next_low <= truth.gain <= answer.next_high
        widths.append((answer.last_high - answer.last_low) / 2)
        sign = curve.metric.sign
        for place, true in ((1, truth.half), (2, truth.full)):
            low, high = sorted((sign * curve.points.test_low[0, place], sign * curve.points.test_high[0, place]))
            n_missed += not low <= true <= high
    return Tally(n_runs, n_wrong, n_answered, n_outside, float(np.mean(widths)), n_missed / (2 * n_runs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"{arguments.runs} runs each, {CV['n_repeats']} x {CV['n_folds']}-fold, alpha 0.05; truth from {N_DRAWS} fresh draws")
    print("generator  examples   rope  gain of doubling (se)  truth  wrong  answered  outside  half-width  missed")
    start, missed = time.perf_counter(), 0
    for each in GENERATORS:
        truth = find_truth(each)
        tally = ask(each, truth, arguments.runs, arguments.seed)
        word = "yes" if truth.gain > each.rope else "less"
        print(
            f"{each.name:<9}  {each.n_samples:>8}  {each.rope:>5}  {truth.gain:12.4f} ({truth.standard_error:.4f})  {word:>5}  "
            f"{tally.line}",
            flush=True,
        )
        missed += tally.n_wrong > MOST_WRONG * tally.n_runs / 100
        if each.is_precise:
            missed += tally.half_width >= each.rope / 2 or tally.n_answered < FEWEST_ANSWERS * tally.n_runs / 100
    print(f"{time.perf_counter() - start:.0f} s; {'all goals met' if not missed else f'{missed} goals MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
