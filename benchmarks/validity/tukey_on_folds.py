"""How often 5 x 5 cross-validation with Tukey's test on the folds tells apart learners that are equally good.

A protocol of drug discovery measures models by 5 x 5 cross-validation, takes the 25 folds for 25 independent subjects of a
repeated-measures ANOVA, and tells pairs apart by Tukey's honestly significant difference. The folds are not independent: any
two training sets share about three quarters of their examples, so all folds of a data set are lucky for a learner together.

Here the learners are equally good by construction: each is the same algorithm on features of its own, drawn anew for each data
set, and all features are worth the same. Whoever tells any pair apart is wrong. The 12 learners of a data set also serve as
its 3 and 6 (the first ones). For each situation the script prints how often the ANOVA rejects at 0.05, how often Tukey's test
on the folds tells some pair apart, and how often some interval of `tiebreak.compare` excludes 0, on the same scores.

A goal is missed where the share of `compare` lies above 0.06 + 2 standard errors; nearest neighbours are printed, and have no
goal: what one data set does to all their folds is more than the corrected variance allows for. Below 0.02 is "conservative".

References
----------
.. [A25] J. Ash et al. Practically significant method comparison protocols for machine learning in small molecule drug
   discovery. Journal of Chemical Information and Modeling 65(18), 9398, 2025.
.. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import f as f_distribution
from scipy.stats import studentized_range
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

ALPHA, N_REPEATS, N_FOLDS = 0.05, 5, 5
N_LEARNERS, FAMILIES = 12, (3, 6, 12)
N_FEATURES, SHIFT = 5, 0.75  # half the distance of the classes in standard deviations, over all features: right on 77 of 100
HIGHEST, LOWEST, WITHOUT_GOAL = 0.06, 0.02, "1-NN"

Learner = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Takes training features (n_train, n_features), their classes 0 and 1, and test features; gives classes."""


def lda(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    """Linear discriminant analysis with the pooled covariance."""
    low, high = X[y == 0], X[y == 1]
    centres = low.mean(axis=0), high.mean(axis=0)
    residuals = np.concatenate([low - centres[0], high - centres[1]])
    weights = np.linalg.solve(residuals.T @ residuals / (len(X) - 2), centres[1] - centres[0])
    return (X_test - (centres[0] + centres[1]) / 2) @ weights + np.log(len(high) / len(low)) > 0


def naive_bayes(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    """Naive Bayes with a normal distribution for each feature and class."""
    log_odds = np.log(y.mean() / (1 - y.mean()))
    for label, sign in ((1, 1.0), (0, -1.0)):
        mean, variance = X[y == label].mean(axis=0), X[y == label].var(axis=0)
        log_odds = log_odds - sign * ((X_test - mean) ** 2 / variance + np.log(variance)).sum(axis=1) / 2
    return log_odds > 0


def tree(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    """A fully grown classification tree."""
    return DecisionTreeClassifier(random_state=0).fit(X, y).predict(X_test)


def nearest_neighbour(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    """The class of the nearest training example."""
    return y[cdist(X_test, X, "sqeuclidean").argmin(axis=1)]


LEARNERS: dict[str, Learner] = {"LDA": lda, "naive Bayes": naive_bayes, "tree": tree, "1-NN": nearest_neighbour}


def draw_scores(learner: Learner, n_examples: int, rng: np.random.Generator) -> np.ndarray:
    """Accuracy of each learner on each fold of one data set, (N_LEARNERS, N_REPEATS * N_FOLDS)."""
    y = rng.permutation(n_examples) % 2
    step = SHIFT / np.sqrt(N_FEATURES)
    X = rng.normal(size=(N_LEARNERS, n_examples, N_FEATURES)) + step * (2 * y[:, None] - 1)
    fold = np.concatenate([rng.permutation(n_examples) % N_FOLDS + N_FOLDS * repeat for repeat in range(N_REPEATS)])
    fold = fold.reshape(N_REPEATS, n_examples)
    scores = np.empty((N_LEARNERS, N_REPEATS * N_FOLDS))
    for split in range(N_REPEATS * N_FOLDS):
        is_test = fold[split // N_FOLDS] == split
        for row, features in enumerate(X):
            scores[row, split] = (learner(features[~is_test], y[~is_test], features[is_test]) == y[is_test]).mean()
    return scores


def tables(name: str, n_examples: int, n: int, keep: Path | None, *, report: bool) -> np.ndarray:
    """Scores of n data sets, (n, N_LEARNERS, N_REPEATS * N_FOLDS); those kept in a file are not measured again."""
    path = None if keep is None else keep / f"{name.replace(' ', '-')}-{n_examples}.npy"
    kept = np.load(path) if path is not None and path.exists() else np.empty((0, N_LEARNERS, N_REPEATS * N_FOLDS))
    found = list(kept[:n])
    start = time.perf_counter()
    for number in range(len(found), n):
        seed = [5, list(LEARNERS).index(name), n_examples, number]
        found.append(draw_scores(LEARNERS[name], n_examples, np.random.default_rng(seed)))
        if path is not None and (number + 1 == n or number % 20 == 19):
            np.save(path, np.array(found))
    if report and len(kept) < n:
        seconds = time.perf_counter() - start
        print(f"  measured {n - len(kept)} sets of {n_examples} for {name} in {seconds:.0f} s", file=sys.stderr)
    return np.array(found)


# --- the protocol ------------------------------------------------------------------------------------------------------------


def anova_and_tukey(scores: np.ndarray) -> tuple[bool, bool]:
    """Rejections of the repeated-measures ANOVA, and of Tukey's test for any pair, folds being the subjects.

    The mean square of the error is that of the interaction of learners and folds, with (k - 1)(n - 1) degrees of freedom; a
    pair is told apart where its difference of means exceeds q sqrt(MSE / n).
    """
    k, n = scores.shape
    means = scores.mean(axis=1)
    residual = scores - means[:, None] - scores.mean(axis=0) + scores.mean()
    df = (k - 1) * (n - 1)
    error = (residual**2).sum() / df
    ratio = n * means.var(ddof=1) / error
    return bool(f_distribution.sf(ratio, k - 1, df) <= ALPHA), bool(np.ptp(means) > critical_range(k, df) * np.sqrt(error / n))


@lru_cache
def critical_range(k: int, df: int) -> float:
    """Quantile 1 - ALPHA of the studentized range."""
    return float(studentized_range.ppf(1 - ALPHA, k, df))


# --- ours ------------------------------------------------------------------------------------------------------------------


def tells_apart(scores: np.ndarray, n_examples: int) -> bool:
    """Any interval of `compare` that excludes 0."""
    n_test = n_examples // N_FOLDS
    answer = tb.compare(
        {f"m{row:02d}": each for row, each in enumerate(scores)},
        metric="accuracy",
        alpha=ALPHA,
        correction="bonferroni",
        n_train=n_examples - n_test,
        n_test=n_test,
    )
    low, high = answer.pair_table.interval
    return bool(np.any((low > 0) | (high < 0)))


def situations(n: int, sizes: list[int], learners: list[str], keep: Path | None) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Learner, examples, models, and the three rates."""
    for name in learners:
        for n_examples in sizes:
            scores = tables(name, n_examples, n, keep, report=True)
            for k in FAMILIES:
                rows = [(*anova_and_tukey(each[:k]), tells_apart(each[:k], n_examples)) for each in scores]
                yield name, n_examples, k, np.mean(rows, axis=0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=400, help="data sets for each learner and size")
    parser.add_argument("--learner", choices=list(LEARNERS), action="append", help="only this one; repeatable")
    parser.add_argument("--size", type=int, action="append", help="examples of a data set; repeatable, 100 and 300 if not given")
    parser.add_argument("--keep", type=Path, help="folder for the scores, from which an interrupted run goes on")
    parser.add_argument("--only-measure", action="store_true", help="fill the folder, and say nothing")
    given = parser.parse_args()
    sizes, learners = given.size or [100, 300], given.learner or list(LEARNERS)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    if given.only_measure:
        for name in learners:
            for n_examples in sizes:
                tables(name, n_examples, given.n, given.keep, report=True)
        return 0
    start, missed = time.perf_counter(), 0
    print(
        f"{given.n} data sets each, {N_REPEATS} x {N_FOLDS}-fold, equally good learners; share of data sets in which, at {ALPHA},"
    )
    print("the ANOVA rejects, Tukey's test tells some pair apart, and compare does")
    print("| learner | examples | models | ANOVA | Tukey on folds | tiebreak | |")
    print("|---|---|---|---|---|---|---|")
    for name, n_examples, k, (anova, tukey, ours) in situations(given.n, sizes, learners, given.keep):
        is_over = ours > HIGHEST + 2 * np.sqrt(HIGHEST * (1 - HIGHEST) / given.n)
        missed += is_over and name != WITHOUT_GOAL
        note = "conservative" if ours < LOWEST else "no goal" if name == WITHOUT_GOAL else "MISSED" if is_over else "met"
        print(f"| {name} | {n_examples} | {k} | {anova:.3f} | {tukey:.3f} | {ours:.3f} | {note} |", flush=True)
    error = np.sqrt(ALPHA * (1 - ALPHA) / given.n)
    print(f"standard error of a share near {ALPHA}: {error:.3f}; {missed} missed, {time.perf_counter() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
