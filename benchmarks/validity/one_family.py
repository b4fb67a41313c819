"""How often one family of intervals calls a model that ties with the best "not best", or a pair what it is not.

Tables whose truth is known are drawn for each question, as arrays of many tables; the functions of
`tiebreak.statistics` judge all pairs of a batch, and what a page says is read off their intervals here, by the rules themselves:
j is shown above i where the interval of "j minus i" lies above 0, and the models that may be the best are the strongly connected
components of that relation into which no arrow leads. With all pairs as the family an interval is two-sided at alpha / m of m
pairs; with comparisons with the best it is one-sided at alpha / max(2, M - 1) of M models. `tb.compare` answers some hundred of
the same tables and must agree in every verdict and in who may be the best.

Parts, each by its name (all of them without one):

    equal       3, 5, 10 and 20 equal models, 10 to 100 units: share of tables in which a model is called "not best" although it
                ties with the best. Goal for what `compare` takes by itself: at most 5 %. What is taken by name is only printed.
    graded      10 models whose true values are evenly spread: how many may be the best, beside the family "best". Goal of 30
                units and more: at most 1.4 times as many.
    datasets    2, 8 and 20 models on 30 and 60 datasets with a rope, wilcoxon: any wrong verdict. Goal: at most 5 % with
                bonferroni. What Holm's level would give stands beside it.
    splits      the 90 situations of `one_interval.py`, corrected t: any wrong verdict, interval, bound against the best or
                standing. Goal: at most 5 %.
    package     the comparison with `tb.compare`.

A goal is judged by a one-sided binomial test at 0.01 over the cells of its part (Bonferroni). Exit code 1 when one is missed.
Seeds are fixed; `--csv PATH` also puts the rows of the site's page of methods into a file.

    python benchmarks/validity/one_family.py
    python benchmarks/validity/one_family.py equal --only delong,diebold-mariano --tables 8000
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from family_worlds import (
    ALPHA,
    OWN_LEVEL,
    SIGMA,
    SPLIT_NAMES,
    SPLIT_SIZES,
    VERDICTS,
    WORLDS,
    Judged,
    World,
    affordable,
    batches,
    differences,
    draw_splits,
    judge_corrected,
    signed_ranks,
    tables_of,
)
from methods import write_rows
from scipy.stats import binom

import tiebreak as tb
from tiebreak.statistics.family import shared_alpha

TEST_ALPHA = 0.01
CHECKED_TABLES = 300
"""Tables that `tb.compare` answers as well."""

# --- what a page says, read off the intervals of all pairs --------------------------------------------------------------------


def family_alpha(n_models: int, family: str) -> float:
    """One-sided level of each bound: of all pairs, or of comparisons with the best."""
    if family == "best":
        return ALPHA / max(2, n_models - 1)
    return ALPHA / (n_models * (n_models - 1))


def shown_above(n_models: int, wins: np.ndarray, loses: np.ndarray) -> np.ndarray:
    """Arrows of tables x models x models from columns of pairs: [t, j, i] is true where j is shown above i."""
    first, second = np.triu_indices(n_models, 1)
    above = np.zeros((len(wins), n_models, n_models), dtype=bool)
    above[:, first, second], above[:, second, first] = wins, loses
    return above


def arrows_of(judged: Judged, n_models: int, family: str) -> np.ndarray:
    """The same at the level of a family."""
    p = family_alpha(n_models, family)
    return shown_above(n_models, judged.above(0.0, p), judged.below(0.0, p))


def may_be_best(above: np.ndarray) -> np.ndarray:
    """Models in strongly connected components that no arrow from outside enters, of shape (tables, models).

    A component is entered where some model reaches one of its models along the arrows, and is not reached from there.
    """
    reach = above.copy()
    for _ in range(max(1, int(np.ceil(np.log2(above.shape[-1]))))):
        steps = reach.astype(np.float32)
        reach |= steps @ steps > 0
    return ~(reach & ~np.swapaxes(reach, 1, 2)).any(axis=1)


def shortfalls(high: np.ndarray, low: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Largest upper end of "j minus i" over the other models j that may be the best, at least 0; of shape (tables, models)."""
    n_models = best.shape[1]
    first, second = np.triu_indices(n_models, 1)
    upper = np.full((len(best), n_models, n_models), -np.inf)  # [t, j, i]: of j minus i
    upper[:, first, second], upper[:, second, first] = high, -low
    return np.maximum(np.where(best[:, :, None], upper, -np.inf).max(axis=1), 0.0)


def is_wrong(verdict: np.ndarray, d: np.ndarray, rope: float) -> np.ndarray:
    """True where a verdict is not true of the true difference; equality counts to rounding, and undecided is never wrong."""
    noise = 1e-9 * max(rope, 1e-3)
    right = [d > rope + noise, d > noise, np.abs(d) <= rope + noise, d == d, d < -noise, d < -rope - noise]
    return ~np.choose(verdict, right)


def goal(n_tables: int, n_cells: int) -> int:
    """Most of the tables that may be wrong."""
    return int(binom.isf(TEST_ALPHA / max(n_cells, 1), n_tables, ALPHA))


# --- parts --------------------------------------------------------------------------------------------------------------------

Row = dict[str, Any]


def row_of(procedure: str, data: str, n: int, truth: str, counts: tuple[int, int], n_tables: int) -> Row:
    """A row of docs/error-rates.csv, from the tables with an interval that misses, and with a wrong verdict."""
    misses, wrong = (f"{count / n_tables:.1%}"[:-1] for count in counts)
    return {
        "procedure": procedure,
        "data": data,
        "units": n,
        "truth": truth,
        "misses": misses,
        "wrong": wrong,
        "tables": n_tables,
    }


def equal_models(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `equal`."""
    worlds = [world for world in WORLDS if not arguments.only or world.procedure in arguments.only]
    n_cells = sum(len(world.units) * len(world.models) for world in worlds if world.auto)
    print(f"\nEqual models: share of tables, in %, in which some model is called 'not best'; goal by {n_cells} binomial tests")
    print(f"{'procedure':18}{'data':58}{'units':>6}{'models':>7}{'tables':>8}{'pairs':>8}{'best':>8}{'goal':>8}")
    missed, rows = 0, []
    for world in worlds:
        begun = time.process_time()
        for n in world.units:
            for n_models in world.models:
                by_pairs, by_best, n_arrows, n_tables = wrongly_not_best(world, n_models, n, arguments.tables)
                most = goal(n_tables, n_cells)
                is_missed = world.auto and by_pairs > most
                missed += is_missed
                columns = [
                    f"{100 * by_pairs / n_tables:.2f}",
                    "" if world.procedure in OWN_LEVEL else f"{100 * by_best / n_tables:.2f}",
                    f"{100 * most / n_tables:.2f}" if world.auto else "none",
                ]
                note = "  MISSED" * is_missed
                print(
                    f"{world.procedure:18}{world.data_of(n):58}{n:6}{n_models:7}{n_tables:8}"
                    + "".join(f"{text:>8}" for text in columns)
                    + note,
                    flush=True,
                )
                if n_models in (min(world.models), max(m for m in world.models if m <= 10)) and world.procedure in tb.methods():
                    data = f"{n_models} models, {world.data_of(n)}"
                    rows.append(row_of(world.procedure, data, n, "none", (n_arrows, n_arrows), n_tables))
        print(f"{'':18}{time.process_time() - begun:.0f} s", flush=True)
    return missed, rows


def wrongly_not_best(world: World, n_models: int, n: int, n_tables: int) -> tuple[int, int, int, int]:
    """Tables of equal models with one outside of those that may be the best, by either family; with a pair told apart; all."""
    by_pairs = by_best = n_arrows = done = 0
    for scores, judged in tables_of(world, np.zeros(n_models), n, n_tables, 21):
        pairs, best = (arrows_of(judged, n_models, family) for family in ("pairs", "best"))
        by_pairs += int((~may_be_best(pairs)).any(axis=1).sum())
        by_best += int((~may_be_best(best)).any(axis=1).sum())
        n_arrows += int(pairs.any(axis=(1, 2)).sum())
        done += len(scores)
    return by_pairs, by_best, n_arrows, done


GRADED_STEPS = (0.25, 0.5, 1.0, 2.0)
"""Distance of neighbours, in standard errors of a difference."""


FEWEST_GRADED = 30
"""Units from which the goal holds: of ten, Student's t has nine df or fewer at 0.05 / 45, and no rank test reaches that level."""

GRADED = ("corrected-t", "wilcoxon", "paired-t", "welch", "clustered-t")


def graded_models(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `graded`."""
    print("\n10 models whose true values are evenly spread: mean number that may be the best, and how often the best may not")
    print(f"{'procedure':18}{'data':44}{'units':>6}{'step':>6}{'pairs':>8}{'best':>8}{'ratio':>8}{'lost %':>8}")
    missed = 0
    for world in WORLDS:
        if world.procedure not in GRADED or world.source is None:
            continue
        for n in world.units:
            for step in GRADED_STEPS:
                means = -step * world.error(n) * np.arange(10.0)
                sizes, n_lost, n_tables = np.zeros(2), 0, 0
                for scores, judged in tables_of(world, means, n, arguments.tables // 4, 22):
                    pairs, best = (may_be_best(arrows_of(judged, 10, family)) for family in ("pairs", "best"))
                    sizes += pairs.sum(), best.sum()
                    n_lost += int((~pairs[:, 0]).sum())
                    n_tables += len(scores)
                ratio = float(sizes[0] / sizes[1])
                is_missed = n >= FEWEST_GRADED and ratio > 1.4
                missed += is_missed
                numbers = (*(sizes / n_tables), ratio, 100 * n_lost / n_tables)
                print(
                    f"{world.procedure:18}{world.data_of(n):44}{n:6}{step:6.2f}"
                    + "".join(f"{number:8.2f}" for number in numbers)
                    + "  MISSED" * is_missed,
                    flush=True,
                )
    return missed, []


DATASET_ROPE = 0.02
DATASET_TRUTHS = {"none": 0.0, "half the rope": 0.5, "the rope": 1.0}


def dataset_cells() -> Iterator[tuple[int, int, str, str]]:
    """Models, datasets, true difference, and family: all pairs of two groups or of a chain, or a baseline against all others."""
    for n_models in (2, 8, 20):
        for n in (30, 60):
            for truth in DATASET_TRUTHS:
                yield n_models, n, truth, "all pairs"
                if n_models > 2:
                    yield n_models, n, truth, "baseline"
                    if truth != "none":
                        yield n_models, n, truth, "chain"


def with_rope(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `datasets`: normal scores whose differences have a standard deviation of 0.4 ropes over datasets."""
    cells = list(dataset_cells())
    print(
        "\nDatasets with a rope, sd of differences 0.4 ropes, wilcoxon: share of tables, in %, with any wrong verdict, with any"
    )
    print(f"interval that misses, and with any wrong verdict at Holm's level; goal by {len(cells)} binomial tests")
    print(
        f"{'models':>6}{'datasets':>9} {'difference':16}{'family':12}{'tables':>8}{'wrong':>8}{'misses':>8}{'goal':>8}{'Holm':>8}"
    )
    missed, rows = 0, []
    for n_models, n, truth, family in cells:
        n_tables = affordable(arguments.tables, n_models, n)
        wrong, misses, by_holm = wrong_with_rope(n_models, n, DATASET_TRUTHS[truth] * DATASET_ROPE, family, n_tables)
        most = goal(n_tables, len(cells))
        is_missed = wrong > most
        missed += is_missed
        rates = "".join(f"{100 * count / n_tables:8.2f}" for count in (wrong, misses, most, by_holm))
        print(f"{n_models:6}{n:9} {truth:16}{family:12}{n_tables:8}{rates}{'  MISSED' * is_missed}", flush=True)
        if n_models > 2 and n == 30:
            names = {"all pairs": "all pairs", "chain": "all pairs of a chain", "baseline": "a baseline"}
            data = f"{n_models} models, {names[family]}, differences of sd 0.4 ropes"
            rows.append(row_of("wilcoxon", data, n, truth, (misses, wrong), n_tables))
    return missed, rows


def wrong_with_rope(n_models: int, n: int, shift: float, family: str, n_tables: int) -> tuple[int, int, int]:
    """Tables with a wrong verdict, with an interval that misses, and with a wrong verdict at Holm's level."""
    step = np.arange(n_models)
    means = shift * {"all pairs": step % 2, "chain": step, "baseline": step > 0}[family]
    first, second = np.triu_indices(n_models, 1)
    kept = first == 0 if family == "baseline" else np.ones(first.size, dtype=bool)
    d = (means[first] - means[second])[kept]
    p = ALPHA / (2 * d.size)
    rng = np.random.default_rng([23, n_models, n, round(1e6 * shift), len(family)])
    counts = np.zeros(3, dtype=int)
    for size in batches(n_tables, n_models, n):
        noise = 0.4 * DATASET_ROPE / np.sqrt(2) * rng.normal(size=(size, n_models, n))
        scores = rng.uniform(0.6, 0.9, (size, 1, n)) + means[:, None] + noise
        difference, scale = differences(scores)[:, kept], np.abs(scores).max()
        judged, centred = signed_ranks(difference, scale), signed_ranks(difference - d[:, None], scale)
        pvalue = np.minimum(2 * np.minimum(judged.tail(False, 0.0), judged.tail(True, 0.0)), 1.0)
        level = np.array([shared_alpha(row, "holm", ALPHA) for row in pvalue])[:, None]
        counts[0] += is_wrong(judged.verdicts(DATASET_ROPE, p), d, DATASET_ROPE).any(axis=1).sum()
        counts[1] += (centred.above(0.0, p) | centred.below(0.0, p)).any(axis=1).sum()
        counts[2] += is_wrong(judged.verdicts(DATASET_ROPE, level / 2), d, DATASET_ROPE).any(axis=1).sum()
    wrong, misses, by_holm = counts.tolist()
    return wrong, misses, by_holm


SPLIT_TRUTHS = ("0", "rope / 2", "rope", "rope + 1 se", "mixed")


def split_means(n_models: int, rope: float, error: float, truth: str) -> np.ndarray:
    """True means as in `one_interval.py`: half of the models at the base, the others above it."""
    steps = {"0": (0.0,), "rope / 2": (rope / 2,), "rope": (rope,), "rope + 1 se": (rope + error,)}
    steps["mixed"] = (rope / 2, rope, 0.0, rope + error)
    return np.array([steps[truth][row // 2 % len(steps[truth])] if row % 2 == 0 else 0.0 for row in range(n_models)])


def corrected_splits(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `splits`."""
    cells = [(m, n, r, t) for m in (2, 5, 20) for n in (10, 25, 100) for r in (1.0, 4.0) for t in SPLIT_TRUTHS]
    n_tables = arguments.tables
    most = goal(n_tables, 3 * len(cells))
    print(
        f"\nCorrected t, the {len(cells)} situations of one_interval.py, {n_tables} tables each: share with anything wrong, in %;"
    )
    print(f"goal at most {100 * most / n_tables:.2f}")
    print(f"{'models':>6}{'splits':>7}{'rope':>6} {'difference':14}{'verdicts':>9}{'intervals':>10}{'ranking':>8}")
    missed, rows, worst = 0, [], {}
    names = {"0": "none", "rope / 2": "half the rope", "rope": "the rope"}
    for n_models, n, rope_in_errors, truth in cells:
        n_train, n_test = SPLIT_SIZES[n]
        rho = n_test / (n_train + n_test)
        error = float(np.sqrt(2 * (rho + (1 - rho) / n)) * SIGMA)
        rope = rope_in_errors * error
        means = split_means(n_models, rope, error, truth)
        first, second = np.triu_indices(n_models, 1)
        d, shortfall = means[first] - means[second], means.max() - means
        p = family_alpha(n_models, "pairs")
        rng = np.random.default_rng([24, n_models, n, int(rope_in_errors), SPLIT_TRUTHS.index(truth)])
        counts = np.zeros(3, dtype=int)
        for size in batches(n_tables, n_models, n):
            judged = judge_corrected(draw_splits(rng, size, means, n), n)
            low, high = judged.ends(p)
            counts[0] += int(is_wrong(judged.verdicts(rope, p), d, rope).any(axis=1).sum())
            counts[1] += int(((low > d) | (high < d)).any(axis=1).sum())
            counts[2] += int(ranking_is_wrong(n_models, low, high, shortfall, rope).sum())
        is_missed = bool((counts > most).any())
        missed += is_missed
        for what, count in zip(("verdicts", "intervals", "ranking"), counts, strict=True):
            worst[n_models, what] = max(worst.get((n_models, what), 0.0), 100 * count / n_tables)
        if is_missed or arguments.all:
            print(
                f"{n_models:6}{n:7}{rope_in_errors:6g} {truth:14}"
                + "".join(f"{100 * count / n_tables:{width}.2f}" for count, width in zip(counts, (9, 10, 8), strict=True))
                + "  MISSED" * is_missed,
                flush=True,
            )
        if n == 25 and rope_in_errors == 4.0 and n_models > 2 and truth in names:
            rows.append(
                row_of(
                    "corrected-t",
                    f"{n_models} models, {SPLIT_NAMES[n]}, a rope of 4 standard errors",
                    n,
                    names[truth],
                    (int(counts[1]), int(counts[0])),
                    n_tables,
                )
            )
    for (n_models, what), rate in worst.items():
        print(f"worst of {n_models} models, {what}: {rate:.2f}")
    return missed, rows


def ranking_is_wrong(n_models: int, low: np.ndarray, high: np.ndarray, shortfall: np.ndarray, rope: float) -> np.ndarray:
    """Tables in which a best model is called "not best", a shortfall is larger than its bound, or a standing says too much."""
    best = may_be_best(shown_above(n_models, low > 0, high < 0))
    bound = shortfalls(high, low, best)
    noise = 1e-12
    is_best = shortfall <= noise
    alone = best & (best.sum(axis=1, keepdims=True) == 1)
    near = bound <= rope + noise
    wrong = (~best & is_best) | (shortfall > bound + noise) | (alone & ~is_best) | (near & (shortfall > rope + noise))
    return wrong.any(axis=1)


def same_as_package(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `package`: verdicts of all pairs, and who may be the best, of equal and of graded models with a rope and without."""
    worlds = [world for world in WORLDS if world.source and (not arguments.only or world.procedure in arguments.only)]
    n_tables = -(-CHECKED_TABLES // len(worlds))
    print(f"\nThe same tables through tb.compare, {n_tables} of each of {len(worlds)} worlds")
    missed = 0
    for world in worlds:
        found = [compared(world, place) for place in range(n_tables)]
        n_differing = sum(each.differs for each in found)
        missed += n_differing > 0
        decided, of, outside = (sum(column) for column in list(zip(*found, strict=True))[1:])
        print(
            f"{world.procedure:18}{world.data_of(world.units[1]):58}{n_differing:4} differ: of {of} pairs {decided} are decided, "
            f"{outside} models are not best{'  MISSED' * (n_differing > 0)}",
            flush=True,
        )
    return missed, []


class Compared(NamedTuple):
    """One table: whether `tb.compare` says anything else, pairs that are decided, all pairs, and models that are not best."""

    differs: bool
    decided: int
    pairs: int
    outside: int


def compared(world: World, place: int) -> Compared:
    """One table by both."""
    assert world.source is not None
    n, n_models = world.units[1], world.models[place % min(3, len(world.models))]
    means = -2.0 * world.error(n) * np.arange(n_models)[::-1] * (place % 4 > 0)
    means = np.maximum(means, -0.2) if world.spread > 0.25 else means
    rope = 2.0 * world.error(n) * (place % 2)
    scores = world.draw(np.random.default_rng([25, place, n_models, *world.procedure.encode()]), 1, means, n)
    judged = world.judge(scores, n)
    source, settings = world.source(scores[0], n)
    names = [f"m{row:02d}" for row in range(n_models)]
    differs, outside = False, 0
    for family in ("pairs", "best"):
        answer = tb.compare(source, rope=rope, alpha=ALPHA, family=family, **settings)
        if answer.method.name != world.procedure:
            raise AssertionError(f"tb.compare takes {answer.method.name} of {world.data}, not {world.procedure}")
        best = may_be_best(arrows_of(judged, n_models, family))[0]
        differs |= set(answer.shortlist()) != {names[row] for row in np.flatnonzero(best)}
        if family == "pairs":
            mine = [VERDICTS[code] for code in judged.verdicts(rope, family_alpha(n_models, family))[0]]
            theirs = [answer.pair(names[i], names[j]).verdict for i, j in zip(*np.triu_indices(n_models, 1), strict=True)]
            differs |= mine != theirs
            decided, outside = sum(verdict != "undecided" for verdict in theirs), int((~best).sum())
    return Compared(differs, decided, len(theirs), outside)


PARTS: dict[str, Callable[[argparse.Namespace], tuple[int, list[Row]]]] = {
    "equal": equal_models,
    "graded": graded_models,
    "datasets": with_rope,
    "splits": corrected_splits,
    "package": same_as_package,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is given")
    parser.add_argument("--tables", type=int, default=2000, help="tables for each cell; a quarter of them in `graded`")
    parser.add_argument("--only", type=lambda text: text.split(","), help="procedures of `equal` and `package`, with commas")
    parser.add_argument("--all", action="store_true", help="print all 90 situations of `splits`, not only what misses")
    parser.add_argument("--csv", type=Path, help="put the rows of the site's page of methods into this file")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS) | set(arguments.only or ()) - {world.procedure for world in WORLDS}
    if unknown:
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    parts = arguments.parts or (["equal", "package"] if arguments.only else list(PARTS))
    start, missed = time.perf_counter(), {}
    for part in parts:
        begun = time.perf_counter()
        missed[part], found = PARTS[part](arguments)
        if arguments.csv:
            write_rows(arguments.csv, found)
        print(f"{part}: {missed[part]} missed, {time.perf_counter() - begun:.0f} s", flush=True)
    print(f"\n{sum(missed.values())} missed in all, {time.perf_counter() - start:.0f} s")
    return 1 if any(missed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
