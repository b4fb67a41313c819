"""How often looks say anything wrong of equal models, what they save, and which orders they refuse.

Kernels on arrays, for all that a plan of `tiebreak.compare` does: fractions, degrees of freedom and levels of its looks, as the
package grants them. For normal units sums and sums of squares are drawn look by look, which is exact; splits share a common part,
as the correction of Nadeau and Bengio assumes. Other cells draw items, clusters, labels and datasets, and ask the
procedures of the package. Beside each: what looks without a plan would say, at the plain level every time.

python benchmarks/validity/looks.py errors [--scale 1.0] [--seed 1]
python benchmarks/validity/looks.py order [--tables 200]
python benchmarks/validity/looks.py savings TABLE.csv [--unit dataset] [--rope 0.01] [--shuffles 20]
python benchmarks/validity/looks.py spending TABLE.csv [--mixed 40] [--shuffles 20]    (savings by spending function)
python benchmarks/validity/looks.py savings made [--shuffles 20]    (54 models on 805 items, drawn)
python benchmarks/validity/looks.py savings TABLE.csv --mixed 40    (40 models on 112 datasets, mixed from those of the table)

Exit code 1 where an error rate is above its limit (1.03 alpha for normal units, 5.5 % at an alpha of 5 % elsewhere) by more than
two standard errors of the simulation, a random order is refused in more than 1 %, a sorted one in less than 95 %, more than 5 %
of decisions are lost, or one with looks contradicts that with all data.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.looks import LOOKED_FROM, Looks, TakenLook, cut, digest_of, fraction_of, plan_unit, refuse_order
from tiebreak.comparison.procedures import procedures_named
from tiebreak.comparison.settings import Settings
from tiebreak.errors import TiebreakError
from tiebreak.numerics import student_multiplier, student_tail
from tiebreak.statistics import alpha_spent, group_sequential_design, split_information, wilcoxon
from tiebreak.statistics.means import cluster_sums, mean_of_clusters

Array = np.ndarray[Any, Any]

SHARES = (0.05, 0.05 / 15, 0.05 / 190)
"""Levels of one pair: alone, and as one of 15 or 190."""

TABLES = {0.05: 400_000, 0.05 / 15: 2_000_000, 0.05 / 190: 6_000_000}
"""Tables of normal units for each level: standard errors of 0.7, 1.2 and 2.5 % of it."""


class Cell(NamedTuple):
    """Units at each look, and n_test / n_train of the splits (0 for units that are independent)."""

    label: str
    n: tuple[int, ...]
    ratio: float = 0.0
    gamma: float = -4.0


CELLS = (
    Cell("2x5, 1 look", (10,), 0.25, -8.0),
    Cell("2x5, 2 looks", (5, 10), 0.25, -8.0),
    Cell("5x5, 5 looks", (5, 10, 15, 20, 25), 0.25, -8.0),
    Cell("10x10, 10 looks", tuple(range(10, 101, 10)), 1 / 9, -8.0),
    Cell("10x10, unequal", (10, 20, 70, 100), 1 / 9, -8.0),
    Cell("5x20, 5 looks", (20, 40, 60, 80, 100), 1 / 19, -8.0),
    Cell("20 units, 5 looks", (4, 8, 12, 16, 20)),
    Cell("20 units, 17 looks", tuple(range(4, 21))),
    Cell("800 units, 5 looks", (160, 320, 480, 640, 800)),
    Cell("800 units, 20 looks", tuple(range(40, 801, 40))),
    Cell("800 units, unequal", (50, 60, 200, 210, 700, 800)),
    Cell("800 units, over-run", (100, 400, 900)),
)


def main() -> None:
    """Run one of the studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("errors", "order", "savings", "spending"))
    parser.add_argument("table", nargs="?")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the tables of a full run")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--unit", default="dataset")
    parser.add_argument("--rope", type=float, default=0.0)
    parser.add_argument("--mixed", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.study == "errors":
        sys.exit(errors(given.scale, given.seed))
    if given.study == "order":
        sys.exit(order(given.tables, given.seed))
    if given.table is None:
        parser.error(f"{given.study} needs a table")
    if given.study == "spending":
        sys.exit(spending(given.table, given.shuffles, given.seed, given.mixed))
    sys.exit(savings(given.table, given.unit, given.rope, given.shuffles, given.seed, given.mixed))


# --- errors -------------------------------------------------------------------------------------------------------------------


def errors(scale: float, seed: int) -> int:
    """Print a line for each cell: any look that says anything of two equal models, as a share of the level."""
    print(f"{'cell':36} {'level':>9} {'tables':>10} {'any look':>9} {'of level':>9} {'s.e.':>6} {'unplanned':>10}")
    worst = 0
    for cell in CELLS:
        for level in SHARES:
            rng = np.random.default_rng((seed, len(cell.n), round(1e6 * level)))
            n_tables = max(20_000, int(TABLES[level] * scale))
            found, unplanned = _normal(cell, level, n_tables, rng)
            worst = max(worst, _line(cell.label, level, n_tables, found, unplanned, 1.03))
    for label, n_tables, draw in OTHERS:
        for level in (0.05, 0.05 / 15):
            rng = np.random.default_rng((seed, len(label), round(1e6 * level)))
            n_tables_here = max(1_000, int(n_tables * scale))
            found, unplanned = draw(level, n_tables_here, rng)
            worst = max(worst, _line(label, level, n_tables_here, found, unplanned, 1.1 if level == 0.05 else np.inf))
    return worst


def _line(label: str, level: float, n_tables: int, found: float, unplanned: float, limit: float) -> int:
    error = np.sqrt(level * (1 - level) / n_tables)
    print(
        f"{label:36} {level:9.6f} {n_tables:10,} {found:9.6f} {found / level:9.3f} {error / level:6.3f} "
        f"{unplanned / level:10.2f}",
        flush=True,
    )
    return int(found > limit * level + 2 * error)


def _normal(cell: Cell, level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """Shares of tables of equal models in which a t statistic exceeds its bound at any look, with a plan and without."""
    n = np.array(cell.n)
    n_total = 800 if n[-1] > 800 else int(n[-1])
    t = np.minimum(split_information(n, n_total, test_train_ratio=cell.ratio), 1.2)
    design = group_sequential_design(t, alpha=level, gamma=cell.gamma, df=n - 1)
    plain = student_multiplier(level, n - 1.0)
    n_wrong = n_unplanned = 0
    for start in range(0, n_tables, 100_000):
        size = min(100_000, n_tables - start)
        common = rng.normal(size=size) * np.sqrt(cell.ratio)
        total, squares = np.zeros(size), np.zeros(size)
        wrong, unplanned = np.zeros(size, bool), np.zeros(size, bool)
        for k, m in enumerate(n.tolist()):
            more = m - (n[k - 1] if k else 0)
            mean = rng.normal(size=size) / np.sqrt(more)  # of the new units, with their own sum of squares about it
            own = rng.chisquare(more - 1, size=size) if more > 1 else np.zeros(size)
            before = total / max(1, m - more)
            squares += own + (np.square(mean - before) * more * (m - more) / m if k else 0.0)
            total += more * mean
            statistic = np.abs(total / m + common) / np.sqrt(squares / (m - 1) * (1 / m + cell.ratio))
            wrong |= statistic > design.critical[k]
            unplanned |= statistic > plain[k]
        n_wrong += int(wrong.sum())
        n_unplanned += int(unplanned.sum())
    return n_wrong / n_tables, n_unplanned / n_tables


def _tango(discordance: float, n: tuple[int, ...], level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """Right and wrong on the same items: the score test of 0, (b - c)^2 / (b + c), which Tango's interval inverts."""
    sizes = np.array(n)
    more = np.diff(np.concatenate([[0], sizes]))
    design = group_sequential_design(sizes / sizes[-1], alpha=level)
    apart = np.cumsum(rng.binomial(more, discordance, size=(n_tables, sizes.size)), axis=1)
    steps = np.diff(np.concatenate([np.zeros((n_tables, 1), int), apart], axis=1), axis=1)
    won = np.cumsum(rng.binomial(steps, 0.5), axis=1)
    z = np.abs(2 * won - apart) / np.sqrt(np.maximum(apart, 1))
    return float((z > design.critical).any(axis=1).mean()), float((z > student_multiplier(level, np.inf)).any(axis=1).mean())


def _best(n_models: int, level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """Equal models, right or wrong on 500 items of different difficulty, ten looks: the first is shown not to be the best.

    Each of its rivals has a one-sided bound at alpha / (M - 1), as comparisons with the best have it.
    """
    sizes = np.arange(50, 501, 50)
    each = 2 * level / (n_models - 1)
    design, alone = group_sequential_design(sizes / 500, alpha=each), student_multiplier(each, np.inf)
    n_wrong = n_unplanned = 0
    for _ in range(n_tables):
        right = rng.random((n_models, 500)) < rng.beta(1, 1, 500)
        d = right[1:].astype(np.int64) - right[0]
        ahead, apart = np.cumsum(d, axis=1)[:, sizes - 1], np.cumsum(np.abs(d), axis=1)[:, sizes - 1]
        z = ahead / np.sqrt(np.maximum(apart, 1))
        n_wrong += bool((z > design.critical).any())
        n_unplanned += bool((z > alone).any())
    return n_wrong / n_tables, n_unplanned / n_tables


def _clusters(level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """100 clusters of 1 to 12 graded items with an effect of their own, five looks: CR2 and its degrees of freedom."""
    looks = np.array([20, 40, 60, 80, 100])
    design = group_sequential_design(looks / 100, alpha=level, df=looks - 1)
    wrong, unplanned, size = np.zeros(n_tables, bool), np.zeros(n_tables, bool), 500
    for start in range(0, n_tables, size):
        code = np.repeat(np.arange(100), rng.integers(1, 13, size=100))
        values = rng.normal(size=(size, 100))[:, code] + rng.normal(size=(size, code.size))
        for k, m in enumerate(looks.tolist()):
            rows = code < m
            found = mean_of_clusters(cluster_sums(values[:, rows], code[rows]), "cr2")
            p = 2 * student_tail(np.abs(found.estimate / found.se), np.asarray(found.df, dtype=float))
            here = slice(start, start + size)
            wrong[here] |= (p <= design.alphas[k])[: n_tables - start]
            unplanned[here] |= (p <= level)[: n_tables - start]
    return float(wrong.mean()), float(unplanned.mean())


def _auc(level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """Areas under ROC curves of two equal models, 400 examples, a quarter positive, five looks by n+ n- / (n+ + n-)."""
    sizes = (100, 175, 250, 325, 400)
    n_wrong = n_unplanned = 0
    for _ in range(n_tables):
        y = rng.random(400) < 0.25
        base = rng.normal(size=400)
        score = 1.2 * y + (base + rng.normal(size=(2, 400))) / np.sqrt(2)
        positive = np.array([np.count_nonzero(y[:m]) for m in sizes])
        information = positive * (sizes - positive) / sizes
        spent = alpha_spent(np.array(sizes) / 400, alpha=level)
        design = group_sequential_design(information / information[-1], alpha=level, spent=spent)
        p = np.array([_auc_pvalue(y[:m], score[:, :m]) for m in sizes])
        n_wrong += bool((p <= design.alphas).any())
        n_unplanned += bool((p <= level).any())
    return n_wrong / n_tables, n_unplanned / n_tables


def _auc_pvalue(y: Array, score: Array) -> float:
    found = tb.compare(tb.read_predictions(y, {"a": score[0], "b": score[1]}, metric="roc_auc"))
    return float(found.pair_table.pvalue[0])


def _datasets(n: tuple[int, ...], level: float, n_tables: int, rng: np.random.Generator) -> tuple[float, float]:
    """Differences of two equal models over datasets, heavy in the tails (Student's t with 3 degrees of freedom)."""
    sizes = np.array(n)
    design = group_sequential_design(sizes / sizes[-1], alpha=level)
    wrong, unplanned, size = np.zeros(n_tables, bool), np.zeros(n_tables, bool), 2_000
    for start in range(0, n_tables, size):
        values = rng.standard_t(3, size=(size, sizes[-1]))
        for k, m in enumerate(sizes.tolist()):
            p = np.asarray(wilcoxon(values[:, :m]).pvalue())
            here = slice(start, start + size)
            wrong[here] |= (p <= design.alphas[k])[: n_tables - start]
            unplanned[here] |= (p <= level)[: n_tables - start]
    return float(wrong.mean()), float(unplanned.mean())


def _learners(
    learner: Callable[[Array, Array, Array], Array],
    repeats: int,
    folds: int,
    n: int,
    level: float,
    n_tables: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Real cross-validation: a learner on one half of the features and on the other, which are worth the same; a look a repeat.

    Each table is a further sample, so the expected difference is 0. Scores are accuracies.
    """
    r = np.arange(1, repeats + 1) * folds
    ratio = 1 / (folds - 1)
    t = split_information(r, repeats * folds, test_train_ratio=ratio)
    critical = group_sequential_design(t, alpha=level, gamma=-8.0, df=r - 1).critical
    alone = student_multiplier(level, r - 1.0)
    n_wrong = n_unplanned = 0
    for _ in range(n_tables):
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        x = rng.normal(size=(n, 10)) + 0.4 * y[:, None]
        is_test = np.concatenate([np.eye(folds, dtype=bool)[rng.permutation(np.arange(n) % folds)].T for _ in range(repeats)])
        d = learner(x[:, :5], y, is_test) - learner(x[:, 5:], y, is_test)
        mean, square = np.cumsum(d)[r - 1] / r, np.cumsum(d**2)[r - 1]
        variance = (square - r * mean**2) / (r - 1)
        statistic = np.abs(mean) / np.sqrt(np.maximum(variance, 1e-12) * (1 / r + ratio))
        n_wrong += bool((statistic > critical).any())
        n_unplanned += bool((statistic > alone).any())
    return n_wrong / n_tables, n_unplanned / n_tables


def _accuracy(decision: Array, y: Array, is_test: Array) -> Array:
    """Of decisions of shape (n_splits, n), on the rows of each split's test fold."""
    return np.asarray((((decision > 0) == (y > 0)) & is_test).sum(axis=1) / is_test.sum(axis=1))


def _ridge(x: Array, y: Array, is_test: Array) -> Array:
    """Ridge regression of the labels on the training rows of each split, by what the test rows take from the sums."""
    with_one = np.column_stack([x, np.ones(len(x))])
    weight = (~is_test).astype(float)
    gram = np.einsum("sn,ni,nj->sij", weight, with_one, with_one, optimize=True) + np.diag([1.0] * x.shape[1] + [0.0])
    moment = weight @ (with_one * y[:, None])
    return _accuracy(np.linalg.solve(gram, moment[..., None])[..., 0] @ with_one.T, y, is_test)


def _centroids(x: Array, y: Array, is_test: Array) -> Array:
    """Nearest of the two class means of the training rows."""
    means = [((~is_test) & (y == label)).astype(float) for label in (1.0, -1.0)]
    plus, minus = ((weight @ x) / weight.sum(axis=1, keepdims=True) for weight in means)
    return _accuracy((plus - minus) @ x.T - ((plus**2).sum(axis=1) - (minus**2).sum(axis=1))[:, None] / 2, y, is_test)


def _naive_bayes(x: Array, y: Array, is_test: Array) -> Array:
    """Gaussian naive Bayes of the training rows."""
    found = []
    for label in (1.0, -1.0):
        weight = ((~is_test) & (y == label)).astype(float)
        n = weight.sum(axis=1, keepdims=True)
        mean = (weight @ x) / n
        variance = np.maximum((weight @ x**2) / n - mean**2, 1e-9)
        log_density = -0.5 * (
            (1 / variance) @ (x**2).T - 2 * (mean / variance) @ x.T + (mean**2 / variance + np.log(variance)).sum(axis=1)[:, None]
        )
        found.append(log_density + np.log(n))
    return _accuracy(found[0] - found[1], y, is_test)


TENTHS = tuple(range(80, 801, 80))
TWENTIETHS = tuple(range(50, 1001, 50))

OTHERS = (
    ("tango, 10 % apart, 10 looks", 400_000, lambda *given: _tango(0.1, TENTHS, *given)),
    ("tango, 40 % apart, 20 looks", 400_000, lambda *given: _tango(0.4, TWENTIETHS, *given)),
    ("tango, 20 % apart, 112 items from 20", 400_000, lambda *given: _tango(0.2, tuple(range(20, 113, 4)), *given)),
    ("tango, 2 % apart, 10 looks", 400_000, lambda *given: _tango(0.02, TENTHS, *given)),
    ("tango, all apart, 20 looks", 400_000, lambda *given: _tango(1.0, TWENTIETHS, *given)),
    ("best of 5 models, tango, 10 looks", 20_000, lambda *given: _best(5, *given)),
    ("best of 20 models, tango, 10 looks", 10_000, lambda *given: _best(20, *given)),
    ("clustered-t, 100 clusters, 5 looks", 20_000, _clusters),
    ("wilcoxon, 40 datasets, 8 looks", 20_000, lambda *given: _datasets((8, 12, 16, 20, 25, 30, 35, 40), *given)),
    ("wilcoxon, 140 datasets, 7 looks", 10_000, lambda *given: _datasets((20, 40, 60, 80, 100, 120, 140), *given)),
    ("ridge regression, 10x10, 10 looks", 2_000, lambda *given: _learners(_ridge, 10, 10, 200, *given)),
    ("nearest centroid, 5x5, 5 looks", 2_000, lambda *given: _learners(_centroids, 5, 5, 100, *given)),
    ("naive Bayes, 2x5, 2 looks", 2_000, lambda *given: _learners(_naive_bayes, 2, 5, 100, *given)),
    ("delong, 400 examples, 5 looks", 2_000, _auc),
)
"""Further cells: label, tables of a full run, and the kernel."""


# --- order --------------------------------------------------------------------------------------------------------------------


SIZES = (200, 400, 800)
MODELS = (2, 4, 6, 10, 20)

ORDERS = (
    ("random", "random", 2_000),
    ("difficulty", "difficulty", 2_000),
    ("subject", "subject", 2_000),
    ("subject, whole table", "subject", None),
    ("task", "task", 2_000),
)
"""Label, what the table is sorted by, and how many items it has of which the first are looked at (None: as many as those)."""


def order(n_tables: int, seed: int) -> int:
    """Print the share of tables that are refused at a first look, by order, items and models, with metadata and without."""
    print(f"{'order':21} {'items':>6} {'models':>7} {'with metadata':>14} {'without':>8}")
    is_wrong, refused_at_random = 0, []
    for label, kind, n_all in ORDERS:
        for n in SIZES:
            for n_models in MODELS:
                refused = np.zeros((n_tables, 2))
                for number in range(n_tables):
                    items = _items(kind, np.random.default_rng((seed, number, n, n_models)), n, n_all or n, n_models)
                    refused[number] = [_is_refused(items), _is_refused(tb.Items(**_without(items)))]
                shares = refused.mean(axis=0)
                print(f"{label:21} {n:6,} {n_models:7} {shares[0]:14.3f} {shares[1]:8.3f}", flush=True)
                # a table of one task alone is about that task, so the first of them is refused once a second one begins
                refused_at_random += [shares] * (kind == "random")
                is_wrong |= int(kind != "random" and (label, n) != ("task", 200) and shares[0] < 0.95)
    at_random = np.mean(refused_at_random, axis=0).max()  # of all sizes together, of which one in forty exceeds two errors
    is_wrong |= int(at_random > 0.01 + 2 * np.sqrt(0.0099 / (n_tables * len(refused_at_random))))
    share = _twenty_looks(n_tables, seed)
    print(f"{'random':21} any of 20 looks: {share:.3f}", flush=True)
    return is_wrong | int(share > 0.01 + 2 * np.sqrt(0.0099 / n_tables))


def _twenty_looks(n_tables: int, seed: int) -> float:
    """Share of tables in random order of which any of twenty looks is refused."""
    n_refused = 0
    for number in range(n_tables):
        items = _items("random", np.random.default_rng((seed, number, 20)), 2_000, 2_000, 4)
        n_refused += any(_is_refused(items.at(np.arange(100 * k)), k) for k in range(1, 21))
    return n_refused / n_tables


def _items(kind: str, rng: np.random.Generator, n: int, n_all: int, n_models: int) -> tb.Items:
    """The first n of so many items of eight subjects (or tasks), to models that differ in what they are good at."""
    subject = rng.integers(0, 8, n_all)
    difficulty = rng.normal(size=n_all) + rng.normal(0, 0.8, 8)[subject]
    skill = rng.normal(0, 0.5, (n_models, 8))[:, subject]
    right = rng.random((n_models, n_all)) < 1 / (1 + np.exp(difficulty - skill))
    by_kind = {"random": np.arange(n_all), "difficulty": np.argsort(difficulty)}
    rows = by_kind.get(kind, np.argsort(subject, kind="stable"))[:n]
    columns = {"difficulty": tuple(f"{value:.4f}" for value in difficulty[rows])} if kind == "difficulty" else {}
    columns["task" if kind == "task" else "subject"] = tuple(f"s{k}" for k in subject[rows])
    models, names = tuple(f"m{k}" for k in range(n_models)), tuple(f"q{k}" for k in rows)
    score = right[:, None, rows].astype(float)
    return tb.Items(tb.Metric("accuracy", True), models, ("",), names, score, columns=columns)


def _without(items: tb.Items) -> dict[str, Any]:
    return {name: getattr(items, name) for name in ("metric", "models", "runs", "items", "score")}


def _is_refused(items: tb.Items, number: int = 1) -> bool:
    try:
        refuse_order(procedures_named("tango")[0], items.as_scores(), "item", number=number)
    except TiebreakError:
        return True
    return False


# --- savings ------------------------------------------------------------------------------------------------------------------


def savings(path: str, unit: str, rope: float, n_shuffles: int, seed: int, n_mixed: int = 0) -> int:
    """Print what decided pairs needed of the units, decisions lost, and contradictions, over shuffled tables with 20 looks."""
    import pandas as pd

    table = _made(seed) if path == "made" else pd.read_csv(path)
    table = _mixed(table, n_mixed, seed) if n_mixed else table
    unit = "question" if path == "made" else unit
    names = table[unit].drop_duplicates().tolist()
    rng = np.random.default_rng(seed)
    needed: list[float] = []
    free: list[float] = []
    n_lost = n_whole = n_contradicted = 0
    for _ in range(n_shuffles):
        place = {name: k for k, name in enumerate(rng.permutation(np.array(names, dtype=object)).tolist())}
        shuffled = table.assign(_place=table[unit].map(place)).sort_values("_place", kind="stable").drop(columns="_place")
        scores = tb.read_scores(shuffled, metric="accuracy")
        whole = _verdicts(compare_scores(scores, Settings(rope=rope)))
        looked = compare_scores(scores, Settings(rope=rope, looks=_twenty(scores, len(names), rope)))
        found = _verdicts(looked)
        decided = [pair for pair, verdict in found.items() if verdict in OVER]
        needed += [at / len(names) for pair, at in _units(looked) if pair in decided]
        sizes = [look.n for look in _twenty(scores, len(names), rope).taken]
        free += _without_a_price(scores, sizes, {pair for pair, verdict in whole.items() if verdict in OVER}, rope)
        n_whole += sum(verdict in OVER for verdict in whole.values())
        n_lost += sum(verdict in OVER and found[pair] not in OVER for pair, verdict in whole.items())
        n_contradicted += sum(
            found[pair] in OVER and verdict in OVER and found[pair] != verdict for pair, verdict in whole.items()
        )
    print(
        f"{n_shuffles} shuffles of {len(names)} {unit}s, 20 looks, rope {rope:g}: decided pairs needed {np.mean(needed):.1%} of "
        f"the {unit}s (median {np.median(needed):.1%}; {np.mean(free):.1%} if looks had no price); of {n_whole} decisions with "
        f"all data {n_lost} were lost ({n_lost / max(1, n_whole):.1%}), {n_contradicted} contradicted"
    )
    return int(n_contradicted > 0 or n_lost > 0.05 * n_whole)


def _without_a_price(scores: tb.Scores, sizes: list[int], decided: set[tuple[str, str]], rope: float) -> list[float]:
    """Share of the units at the first look that decides each pair at the plain level: no plan of these looks needs fewer."""
    method = compare_scores(scores, Settings()).method
    found: dict[tuple[str, str], float] = {}
    for n in sizes:
        verdicts = _verdicts(compare_scores(cut(method, scores, n), Settings(rope=rope)))
        for pair in decided - found.keys():
            if verdicts[pair] in OVER:
                found[pair] = n / sizes[-1]
    return list(found.values())


OVER = ("better", "worse", "equivalent")

SPENDINGS: dict[str, Callable[[Array, float], Array]] = {
    **{
        f"Hwang-Shih-DeCani, gamma {gamma}": lambda t, alpha, gamma=gamma: alpha_spent(t, alpha=alpha, gamma=gamma)
        for gamma in (-8, -6, -4, -3, -2, 1)
    },
    "O'Brien-Fleming": lambda t, alpha: 4 * student_tail(student_multiplier(alpha / 2, np.inf) / np.sqrt(t), np.inf),
    "Pocock": lambda t, alpha: alpha * np.log(1 + (np.e - 1) * t),
}


def spending(path: str, n_shuffles: int, seed: int, n_mixed: int) -> int:
    """Print what pairs over datasets would need by each spending function, at 20 looks and at one after every dataset.

    By p-values of Wilcoxon's signed-rank test, which decide as intervals do at rope 0. Beside it what no plan can undercut: each
    look at the whole level of a pair; and Holm's steps at each look, by which the share of pairs that are decided goes to those
    that are open, and which leave no intervals that hold at once.
    """
    import pandas as pd

    table = pd.read_csv(path)
    table = _mixed(table, n_mixed, seed) if n_mixed else table.drop(columns="split").groupby("dataset").mean().reset_index()
    score = table.drop(columns="dataset").to_numpy()
    first, second = np.triu_indices(score.shape[1], 1)
    n, alpha = len(score), 0.05 / first.size
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n) for _ in range(n_shuffles)]
    differences = [(score[rows][:, first] - score[rows][:, second]).T for rows in orders]
    for n_looks in (20, n):
        sizes = np.array(sorted({max(8, round(n * k / n_looks)) for k in range(1, n_looks + 1)}))
        pvalues = [np.array([wilcoxon(d[:, :size]).pvalue() for size in sizes.tolist()]) for d in differences]
        _print_spending(f"{sizes.size} looks", pvalues, sizes / n, "at no price", lambda p: (p <= alpha).T)
        for label, spent in SPENDINGS.items():
            granted = group_sequential_design(sizes / n, alpha=alpha, spent=spent(sizes / n, alpha)).alphas
            _print_spending(f"{sizes.size} looks", pvalues, sizes / n, label, partial(_beyond, granted))
        for gamma in (-4.0, -2.0, 1.0):
            steps = partial(_holm_over_looks, sizes / n, gamma)
            _print_spending(f"{sizes.size} looks", pvalues, sizes / n, f"gamma {gamma:g}, Holm's steps", steps)
    return 0


def _beyond(granted: Array, p: Array) -> Array:
    return np.asarray((p <= granted[:, None]).T)


def _holm_over_looks(t: Array, gamma: float, p: Array) -> Array:
    """True from the look on that decides each pair, of shape (n_pairs, n_looks), at alpha over the number of open pairs."""
    granted: dict[int, Array] = {}
    is_open, found = np.ones(p.shape[1], bool), np.zeros(p.T.shape, bool)
    for k in range(t.size):
        while is_open.any():
            m = int(is_open.sum())
            if m not in granted:
                granted[m] = group_sequential_design(t, alpha=0.05 / m, gamma=gamma).alphas
            now = is_open & (p[k] <= granted[m][k])
            if not now.any():
                break
            found[now, k:] = True
            is_open &= ~now
    return found


def _print_spending(looks: str, pvalues: list[Array], t: Array, label: str, decide: Callable[[Array], Array]) -> None:
    needed, n_whole, n_lost = [], 0, 0
    for p in pvalues:
        decided = decide(p)
        is_decided, whole = decided.any(axis=1), p[-1] <= 0.05 / p.shape[1]
        needed += t[np.argmax(decided, axis=1)][is_decided].tolist()
        n_whole += int(whole.sum())
        n_lost += int((whole & ~is_decided).sum())
    mean, median = np.mean(needed), np.median(needed)
    print(f"{looks:10} {label:32} needed {mean:6.1%}  median {median:6.1%}  lost {n_lost / n_whole:6.1%}", flush=True)


def _made(seed: int) -> Any:
    """54 models, right or wrong on 805 items: skills between 20 and 90 % right, and items of different difficulty."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    skill, difficulty = rng.normal(0, 1.2, 54), rng.normal(0, 1.5, 805)
    right = rng.random((54, 805)) < 1 / (1 + np.exp(difficulty - skill[:, None]))
    columns = {f"m{k:02}": row.astype(int) for k, row in enumerate(right)}
    return pd.DataFrame({"question": [f"q{k}" for k in range(805)], **columns})


def _mixed(table: Any, n_models: int, seed: int) -> Any:
    """Classifiers on 112 datasets, mixed of two of a table's each, some of them worse by a share of what is wrong."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    names = [name for name in table.columns if name not in ("dataset", "split")]
    held = rng.permutation(table["dataset"].unique())[:112]
    columns = {}
    for k in range(n_models):
        splits = rng.choice(table["split"].unique(), 3, replace=False)
        mean = table[table["split"].isin(splits)].groupby("dataset")[names].mean().loc[held]
        one, other = rng.choice(names, 2, replace=False)
        share = rng.random()
        mixed = share * mean[one] + (1 - share) * mean[other]
        columns[f"m{k:02}"] = mixed - 0.06 * rng.exponential() * rng.integers(0, 2) * (rng.random(112) + 0.5) * (1.1 - mixed)
    return pd.DataFrame(columns).rename_axis("dataset").reset_index()


def _twenty(scores: tb.Scores, n_total: int, rope: float) -> Looks:
    """A plan of which twenty looks are taken, as far as there are units enough for them; the answer fills in its levels."""
    whole = compare_scores(scores, Settings())
    method = whole.method
    fewest, unit = LOOKED_FROM[method.name], plan_unit(method, scores)
    sizes = sorted({max(fewest, round(n_total * k / 20)) for k in range(1, 21)})
    first = compare_scores(cut(method, scores, sizes[0]), Settings(rope=rope, looks=Looks(n_total=n_total))).looks
    assert first is not None
    plan = Looks(n_total=n_total, unit=unit, terms=first.terms)
    taken = []
    for n in sizes:
        now = cut(method, scores, n)
        taken.append(TakenLook(n, fraction_of(plan, method, now, n), float("nan"), digest_of(now), ()))
    return Looks(n_total=n_total, unit=unit, terms=first.terms, taken=tuple(taken))


def _verdicts(answer: tb.Comparison) -> dict[tuple[str, str], str]:
    """Verdict of each pair, its models in order of name."""
    turned = {"better": "worse", "worse": "better", "ahead": "behind", "behind": "ahead"}
    found = {}
    for first, second, verdict in answer.pairs[["first", "second", "verdict"]].itertuples(index=False):
        found[min(first, second), max(first, second)] = verdict if first < second else turned.get(verdict, verdict)
    return found


def _units(answer: tb.Comparison) -> Iterator[tuple[tuple[str, str], int]]:
    """Units at the look of each pair."""
    assert answer.looks is not None
    for first, second, look in answer.pairs[["first", "second", "look"]].itertuples(index=False):
        yield (min(first, second), max(first, second)), answer.looks.taken[look - 1].n


if __name__ == "__main__":
    main()
