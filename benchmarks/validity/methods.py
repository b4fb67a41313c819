"""How often each method of `tb.compare` is wrong on two models, when the truth is known: the table on the site's page of methods.

Every method judges tables drawn as its question has it, of the sizes and shapes that people meet. A table goes through the
whole of `tb.compare`, at alpha 0.05 and with a rope. The true difference is 0, or just the rope. An interval misses where it
does not hold the true difference; a verdict is wrong where it is not true of it (undecided never is). A new method brings its
tables into `DESIGNS`; worlds.py and language_models.py have those of the methods that have none there.

Writes docs/error-rates.csv. The standard error of a rate near 5 % is 0.5 with 2,000 tables.

    python benchmarks/validity/methods.py                     all that have tables here, a quarter of an hour
    python benchmarks/validity/methods.py wilcoxon sign       these only; the lines of the others stay
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

import tiebreak as tb

TARGET = Path(__file__).parents[2] / "docs" / "error-rates.csv"
COLUMNS = ("procedure", "data", "units", "truth", "misses", "wrong", "tables", "noticed", "notices", "decided", "silent", "shape")
ALPHA, SIGMA = 0.05, 0.05
Draw = Callable[[np.random.Generator, float], tuple[Any, dict[str, Any]]]


class Design(NamedTuple):
    """Tables of one kind: what they are called, the units in them, the rope, and how one is drawn around a true difference.

    The true difference is 0, and also the rope unless `always_equal`.
    """

    data: str
    units: int
    rope: float
    draw: Draw
    always_equal: bool = False


def shared(rng: np.random.Generator, n: int, rho: float) -> np.ndarray:
    """Normal numbers of spread SIGMA, any two of which correlate by rho."""
    return SIGMA * (np.sqrt(rho) * rng.normal() + np.sqrt(1 - rho) * rng.normal(size=n))


def splits(n_folds: int, n_repeats: int) -> Design:
    """Splits of one dataset, whose differences correlate as random ones do: by n_test / (n_train + n_test)."""
    n, n_test = n_folds * n_repeats, 1000 // n_folds
    sizes = {"n_train": 1000 - n_test, "n_test": n_test}

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        hard = 0.8 + rng.normal(0, SIGMA, n)
        return {"a": hard + d + shared(rng, n, 1 / n_folds), "b": hard}, sizes

    return Design(f"{n_repeats} x {n_folds}-fold" if n_repeats > 1 else f"{n_folds}-fold", n, SIGMA / 2, draw)


def datasets(n: int, shape: str, n_splits: int = 10) -> Design:
    """Datasets with 10-fold scores each; the difference varies from dataset to dataset, around the true one."""
    spread = {
        "normal": lambda rng: rng.normal(size=n),
        "heavy tails (t with 3 df)": lambda rng: rng.standard_t(3, size=n) / np.sqrt(3),
    }[shape]

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        hard = np.repeat(rng.uniform(0.6, 0.9, n), n_splits) + rng.normal(0, SIGMA, n * n_splits)
        own = np.repeat(d + SIGMA * spread(rng), n_splits)
        folds = np.concatenate([shared(rng, n_splits, 1 / n_splits) for _ in range(n)])
        table = {
            "dataset": np.repeat([f"d{i:03d}" for i in range(n)], n_splits),
            "split": np.tile(np.arange(n_splits), n),
            "a": hard + own + folds,
            "b": hard,
        }
        return pd.DataFrame(table), {"n_train": 900, "n_test": 100}

    return Design(f"differences between datasets: {shape}", n, SIGMA / 2, draw)


def learners(n_folds: int, n_repeats: int, n: int = 200) -> Design:
    """Real splits of fresh datasets: two learners that go to the nearer mean of the classes, each with five features of its own.

    All features are worth the same, so the learners are equally good.
    """
    sizes = {"n_train": n - n // n_folds, "n_test": n // n_folds}

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        y = np.repeat([0, 1], n // 2)
        X = rng.normal(size=(n, 2, 5)) + 0.4 * y[:, None, None]
        rows = []
        for repeat in range(n_repeats):
            parts = np.array_split(rng.permutation(n), n_folds)
            for fold, test in enumerate(parts):
                train = np.concatenate(parts[:fold] + parts[fold + 1 :])
                centre = np.stack([X[train][y[train] == label].mean(axis=0) for label in (0, 1)])
                distance = ((X[test, None] - centre) ** 2).sum(axis=-1)
                right = (distance[:, 1] < distance[:, 0]) == y[test, None]
                rows.append({"repeat": repeat, "fold": fold, **dict(zip("ab", right.mean(axis=0), strict=True))})
        return pd.DataFrame(rows), sizes

    name = f"{n_repeats} x {n_folds}-fold" if n_repeats > 1 else f"{n_folds}-fold"
    return Design(f"{name} of equal learners, {n} examples", n_folds * n_repeats, SIGMA / 2, draw, always_equal=True)


def seeds(n: int, *, paired: bool) -> Design:
    """Training runs on one test set; seeds that are the same for both models share some of their luck."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        luck = rng.normal(0, SIGMA, n) if paired else 0.0
        a, b = 0.8 + d + luck + rng.normal(0, SIGMA, n), 0.8 + luck + rng.normal(0, 2 * SIGMA, n)
        if paired:
            return {"seed": np.arange(n), "a": a, "b": b}, {}
        return {"model": ["a"] * n + ["b"] * n, "seed": np.arange(2 * n), "score": np.concatenate([a, b])}, {}

    kind = "seeds that both models share" if paired else "other seeds for each model, spreads 1 to 2"
    return Design(kind, n, SIGMA, draw)


def answers(n: int, n_clusters: int | None = None, *, graded: bool = False) -> Design:
    """Two models on the same items, right or wrong or graded; hard items, and hard clusters of items, are hard for both."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        cluster = np.arange(n) if n_clusters is None else np.repeat(np.arange(n_clusters), n // n_clusters)
        liked = 0.1 * rng.normal(size=cluster[-1] + 1)[cluster] if n_clusters else np.zeros(n)
        if graded:
            hard = rng.normal(0.5, 0.2, n)
            score = {"a": hard + liked + d + rng.normal(0, 0.2, n), "b": hard + rng.normal(0, 0.2, n)}
        else:
            luck = rng.random(n)
            own = np.where(rng.random(n) < 0.6, luck, rng.random(n))
            score = {"a": (own < 0.7 + d).astype(float), "b": (luck < 0.7).astype(float)}
        clusters = {"cluster": cluster} if n_clusters else {}
        table = pd.DataFrame({"item": np.arange(n), **clusters, **score})
        return tb.read_items(table, metric="quality" if graded else "accuracy", lower_is_better=False), {}

    kind = "graded" if graded else "right or wrong"
    where = f" in {n_clusters} clusters" if n_clusters else ""
    return Design(f"items, {kind}{where}", n, SIGMA, draw)


def predictions(n: int) -> Design:
    """Scores of two models on the same examples of two classes, normal in each class; half of the spread is shared."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        y = np.repeat([0, 1], n // 2)
        shared = rng.normal(size=n)
        signal = np.sqrt(2) * norm.ppf([0.75 + d, 0.75])  # of these areas under the curve
        found = [np.sqrt(0.5) * (shared + rng.normal(size=n)) + y * each for each in signal]
        return tb.read_predictions(y, {name: 1 / (1 + np.exp(-each)) for name, each in zip("ab", found, strict=True)}), {}

    return Design("predictions of two classes, areas near 0.75", n, SIGMA, draw)


def classes(n: int) -> Design:
    """Predicted classes of two models, balanced accuracy; a third of the examples are positive."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        y = np.arange(n) % 3 == 0
        luck = rng.random(n)
        own = np.where(rng.random(n) < 0.6, luck, rng.random(n))
        found = {"a": np.where(own < 0.75 + d, y, ~y), "b": np.where(luck < 0.75, y, ~y)}
        return tb.read_predictions(y, found, metric="balanced_accuracy"), {}

    return Design("predicted classes, balanced accuracy near 0.75", n, SIGMA, draw)


def forecasts(n: int, horizon: int) -> Design:
    """Losses in order of time; forecasts `horizon` periods ahead share the surprises of the periods between."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        surprise = SIGMA * rng.normal(size=n + horizon - 1)
        b = 1.0 + 0.2 * rng.random(n)
        a = b - d + sum(0.5**k * surprise[k : k + n] for k in range(horizon))
        return pd.DataFrame({"time": np.arange(n), "a": a, "b": b}), {"metric": "mean_absolute_error"}

    return Design(f"losses of forecasts {horizon} period{'s' if horizon > 1 else ''} ahead", n, SIGMA / 2, draw)


def test_sets(n: int) -> Design:
    """Right answers of two models, each on a test set of its own."""

    def draw(rng: np.random.Generator, d: float) -> tuple[Any, dict[str, Any]]:
        return {"model": ["a", "b"], "correct": rng.binomial(n, [0.85 + d, 0.85]), "n": [n, n]}, {}

    return Design("test sets of each model's own, rates near 0.85", n, SIGMA, draw)


SPLITS = [splits(10, 1), splits(5, 5), splits(10, 10), learners(5, 5)]
DATASETS = [datasets(n, shape) for shape in ("normal", "heavy tails (t with 3 df)") for n in (10, 30)]
DESIGNS: dict[str, list[Design]] = {
    "corrected-t": SPLITS,
    "paired-t": [*SPLITS, seeds(5, paired=True)],
    "wilcoxon": DATASETS,
    "sign": DATASETS,
    "hierarchical": DATASETS[:1],
    "bayes-signed-rank": DATASETS,
    "welch": [seeds(n, paired=False) for n in (5, 20)],
    "newcombe": [test_sets(n) for n in (30, 500)],
    "jackknife-t": [classes(n) for n in (60, 400)],
    "diebold-mariano": [forecasts(n, horizon) for horizon in (1, 3) for n in (50, 200)],
    "tango": [answers(n) for n in (50, 500)],
    "delong": [predictions(n) for n in (60, 400)],
    "clustered-t": [answers(500, graded=True), answers(500, 50, graded=True)],
}


def is_true(verdict: str, d: float, rope: float) -> bool:
    """A verdict on the first against the second is true of the true difference; equality counts to rounding."""
    beyond = d > rope * (1 + 1e-9)
    return {"better": beyond, "ahead": d > 0, "equivalent": abs(d) <= rope * (1 + 1e-9), "undecided": True}.get(verdict, False)


def measure(name: str, design: Design, n_tables: int) -> Iterator[dict[str, Any]]:
    """A row for each true difference."""
    truths = (("none", 0.0), ("the rope", design.rope))
    for truth, d in truths[: 1 if design.always_equal else None]:
        rng = np.random.default_rng([len(name), design.units, round(d * 1e6)])
        missed = wrong = 0
        for _ in range(n_tables):
            source, settings = design.draw(rng, d)
            settings = {"metric": "accuracy", "rope": design.rope, "alpha": ALPHA, "method": name, **settings}
            pair = tb.compare(source, **settings).pair("a", "b")
            missed += not pair.interval_low <= d <= pair.interval_high
            wrong += not is_true(pair.verdict, d, design.rope)
        row = (name, design.data, design.units, truth, f"{missed / n_tables:.1%}"[:-1], f"{wrong / n_tables:.1%}"[:-1], n_tables)
        yield dict(zip(COLUMNS, row, strict=False))  # the last five are of worlds.py


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="methods; all of DESIGNS if none is given")
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=TARGET, help="file whose lines of other methods stay")
    arguments = parser.parse_args()
    asked = arguments.names or list(DESIGNS)
    rows = []
    for name in asked:
        for design in DESIGNS[name]:
            start = time.perf_counter()
            for row in measure(name, design, arguments.tables):
                rows.append(row)
                print(*row.values(), f"{time.perf_counter() - start:.0f} s", sep="  ", flush=True)
    write_rows(arguments.out, rows)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Put rows into the file, each in the place of the one of the same world; those of methods that are gone leave it."""

    def world(row: dict[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[column]) for column in COLUMNS[:4])

    kept: dict[tuple[str, ...], dict[str, Any]] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            kept = {world(row): row for row in csv.DictReader(file)}
    kept |= {world(row): row for row in rows}
    order = [*tb.methods(), "bradley-terry"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        known = (row for row in kept.values() if row["procedure"] in order)
        writer.writerows(sorted(known, key=lambda row: order.index(row["procedure"])))


if __name__ == "__main__":
    main()
