"""How often the defaults call equal models different in worlds that broke them before, and how often the page says so.

Each world draws tables of equal models and judges all of them with the array functions that `tb.compare` reads, at level 0.05
shared by Bonferroni between the pairs; the rate is the share of tables with any difference called. 2,000 tables for 40 worlds
that are named, 500 for the rest; a world fails where its rate lies above its promise by a one-sided binomial test at 0.01 over
the number of worlds. The first of the tables also go through `tb.compare` as a user's would: its verdicts must be those of the
arrays, or the script fails, and its notices are counted.

Adds its rows to docs/error-rates.csv (`truth` is "none": all models are equal; "none, with copies" of units that are no
tables as they should be, which no page cites as its own design), and writes docs/notices.csv: for each world and
each notice on what was measured that its procedure has, the share of tables in which it stands. `kind` is "meant" where the world
has what the notice is about, "by size" where the notice stands below a number of units whatever the data are, "harmless" where
neither is so and the world keeps its 5 %, and "other" where another notice is meant. A notice fails where it stands in more than
5 % of all its harmless tables.

    python benchmarks/validity/worlds.py            all, some twenty minutes
    python benchmarks/validity/worlds.py --tables 200 --pages 20 --only clustered-t
    python benchmarks/validity/worlds.py --write    and both files
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import fftconvolve, lfilter
from scipy.special import ndtri
from scipy.stats import binom, rankdata

import tiebreak as tb
from tiebreak.numerics import student_tail
from tiebreak.statistics import bradley_terry, diebold_mariano, newcombe, tango, wilcoxon
from tiebreak.statistics.auc import roc_areas
from tiebreak.statistics.influence import (
    ClusterSums,
    cluster_sums,
    mean_of_clusters,
    metric_of_classes,
    metric_of_numbers,
    welch_ttest,
)
from tiebreak.statistics.skew import johnson_t, skewness_of_weighted_mean

DOCS = Path(__file__).parents[2] / "docs"
RATES, NOTICES = DOCS / "error-rates.csv", DOCS / "notices.csv"
ALPHA = 0.05
BY_SIZE = ("few-periods", "few-positives", "few-clusters", "few-items", "few-runs", "seeds-only")
"""Notices that stand below a number of units, or always, whatever the data are."""
CHECKED = (
    *BY_SIZE,
    "lasting-autocorrelation",
    "skewed-losses",
    "rare-events",
    "skewed-differences",
    "size-effect",
    "rare-in-small-set",
    "mean-against-centre",
    "asymmetric-differences",
    "copied-units",
    "dataset-families",
)
"""Notices on an assumption that the data may not meet."""
Array = np.ndarray
Source = Callable[[Any], tuple[Any, dict[str, Any]]]


class World(NamedTuple):
    """Tables of equal models: the procedure, what they are, their units, and the promise, which is 1 for an exception.

    `draw` makes n tables, `judge` says of each whether any pair was called different, `source` makes of one what `tb.compare`
    reads, with its settings; without `judge` that is asked. The notices `meant` are about what the world has.
    """

    procedure: str
    data: str
    units: int
    promise: float
    draw: Callable[[np.random.Generator, int], Sequence[Any]]
    judge: Callable[[Sequence[Any]], Array] | None
    source: Source | None
    meant: tuple[str, ...] = ()
    is_named: bool = False


def compared(world: World, table: Any) -> tuple[bool, set[str]]:
    """Whether the page of a table calls any pair different, and the codes of its notices."""
    assert world.source is not None
    source, settings = world.source(table)
    answer = tb.compare(source, **settings)
    assert answer.method.name == world.procedure, (answer.method.name, world)
    return any(verdict not in ("undecided", "") for verdict in answer.pairs["verdict"]), {each.code for each in answer.notices}


COST: dict[str, Any] = {"metric": "cost", "lower_is_better": True}


def against_zero(keys: Callable[[Any], dict[str, Any]]) -> Source:
    """Differences as the costs of a model beside another one's of 0, under the keys of their table."""

    def source(table: Any) -> tuple[Any, dict[str, Any]]:
        values = table[0] if isinstance(table, tuple) else table
        return {**keys(table), "a": np.ravel(values), "b": np.zeros(np.size(values))}, COST

    return source


SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "lognormal 1.5 against a constant": lambda rng, size: rng.lognormal(0, 1.5, size) - np.exp(1.125),
    "lognormal 1 against a constant": lambda rng, size: rng.lognormal(0, 1, size) - np.exp(0.5),
    "exponential against a constant": lambda rng, size: rng.exponential(size=size) - 1,
    "Pareto 2.5 against a constant": lambda rng, size: rng.pareto(2.5, size) - 1 / 1.5,
    "Pareto 1.5 against a constant": lambda rng, size: rng.pareto(1.5, size) - 2,
    "differences of lognormals 1.5": lambda rng, size: rng.lognormal(0, 1.5, size) - rng.lognormal(0, 1.5, size),
    "normal": lambda rng, size: rng.normal(size=size),
    "t with 2 df": lambda rng, size: rng.standard_t(2, size=size),
    "5 % of items carry all, the others next to none": lambda rng, size: (
        (rng.random(size) < 0.05) * rng.uniform(0.9, 1.1, size) - 0.05 + rng.normal(0, 0.01, size)
    ),
    "a ceiling that 4 of 5 items reach": lambda rng, size: (
        np.minimum(rng.normal(0.9, 0.5, size), 0.5) - np.minimum(rng.normal(0.9, 0.5, size), 0.5)
    ),
    "grades 0, .5, 1": lambda rng, size: (rng.integers(0, 3, size) - rng.integers(0, 3, size)) / 2,
    "1 of 10 far out": lambda rng, size: rng.normal(size=size) * np.where(rng.random(size) < 0.1, 20.0, 1.0),
    "1 of 10 runs fails": lambda rng, size: -10.0 * (rng.random(size) < 0.1) + 1.0 + 0.3 * rng.normal(size=size),
    "one of 60 items carries all": lambda rng, size: (rng.random(size) < 1 / 60) - 1 / 60 + rng.normal(0, 1e-3, size),
}
GRADED = tuple(shape for shape in SHAPES if not shape.startswith(("grades", "1 of 10 runs")))
"""Those of items, of which both models have as many."""
SKEWED = ("lognormal", "Pareto")
"""How the shapes begin whose skew is to be named."""


# --- areas, and other metrics of all predictions ------------------------------------------------------------------------------


def ranked(score: Array) -> dict[str, Array]:
    """Probabilities of models in the order of their scores."""
    return {f"m{row}": rankdata(values) / (values.size + 1) for row, values in enumerate(score)}


def areas(n_models: int, m: int, n: int, area: float, tails: str) -> World:
    """Areas under ROC curves of models that share half of their noise."""
    first, second = np.triu_indices(n_models, 1)
    shift, truth = np.sqrt(2) * ndtri(area), np.arange(m + n) < m
    shape = SHAPES["t with 2 df" if tails == "heavy tails" else "normal"]

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[Array]:
        return [np.sqrt(0.5) * (shape(rng, (n_models, m + n)) + shape(rng, (1, m + n))) + shift * truth for _ in range(n_tables)]

    def judge(tables: Sequence[Array]) -> Array:
        p = np.array([roc_areas(truth, score).difference(first, second).pvalue() for score in tables])
        return (np.nan_to_num(p, nan=1.0) < ALPHA / first.size).any(axis=1)

    def source(score: Array) -> tuple[Any, dict[str, Any]]:
        return tb.read_predictions(truth.astype(int), ranked(score)), {"metric": "roc_auc"}

    data = f"{m} positives of {m + n}, area {area:g}, {tails}, {n_models} models"
    meant, is_named = ("few-positives",) if min(m, n) < 20 else (), tails == "normal" or m + n > 1000
    return World("delong", data, m + n, 0.05, draw, judge, source, meant, is_named)


def clustered_areas(n_clusters: int, n_positive: int) -> World:
    """Areas of two models where items come in clusters of 5 that share their noise, of which some are of positives."""
    codes = np.repeat(np.arange(n_clusters), 5)
    truth = codes < n_positive

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        own = rng.normal(size=(n_tables, 2, n_clusters))[..., codes] + rng.normal(size=(n_tables, 2, codes.size))
        return own + rng.normal(size=(n_tables, 1, codes.size)) + 2 * truth

    def source(score: Array) -> tuple[Any, dict[str, Any]]:
        return tb.read_predictions(truth.astype(int), ranked(score), clusters=codes), {"metric": "roc_auc"}

    data = f"areas, {n_clusters} clusters of 5, {n_positive} of them positive"
    return World("jackknife-t", data, 5 * n_clusters, 0.05, draw, None, source)


def fits(shape: str, n: int) -> World:
    """R2 of two models with as much noise."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        truth = rng.normal(size=(n_tables, 1, n))
        return np.concatenate([truth, truth + 0.7 * SHAPES[shape](rng, (n_tables, 2, n))], axis=1)

    def source(table: Array) -> tuple[Any, dict[str, Any]]:
        return tb.read_predictions(table[0], {"a": table[1], "b": table[2]}, metric="r2"), {}

    return World("jackknife-t", f"R2, noise {shape}", n, 0.05, draw, None, source)


def classes(metric: str, m: int, n: int) -> World:
    """Metrics of all predictions, with few of the positive class."""
    y = (np.arange(m + n) < m).astype(int)

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        return np.where(rng.random((n_tables, 2, m + n)) < np.where(y == 1, 0.3, 0.1), 1 - y, y)

    def judge(tables: Sequence[Array]) -> Array:
        return np.array([metric_of_classes(y, said, metric).difference().pvalue() < ALPHA for said in tables])

    def source(said: Array) -> tuple[Any, dict[str, Any]]:
        return tb.read_predictions(y, {"a": said[0], "b": said[1]}, metric=metric), {}

    data, meant = f"{metric}, {m} positives of {m + n}", ("few-positives",) if m < 10 else ()
    return World("jackknife-t", data, m + n, 0.05, draw, judge, source, meant)


def uneven(kind: str, n_clusters: int) -> World:
    """F1, areas and R2 of two models whose errors clusters share, with lognormal sizes (sigma 1.2)."""

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[tuple[Array, Array, Array]]:
        tables = []
        for _ in range(n_tables):
            codes = np.repeat(np.arange(n_clusters), np.ceil(8 * rng.lognormal(0, 1.2, n_clusters)).astype(int))
            n, own = codes.size, rng.normal(size=(2, n_clusters))[:, codes]
            y = rng.random(n) < 0.4
            y[:4] = [False, True, False, True]
            if kind == "f1":
                truth, said = y.astype(int), np.where(rng.random((2, n)) < 1 / (1 + np.exp(1.5 - own)), ~y, y).astype(int)
            elif kind == "areas":
                truth, said = y.astype(int), own + rng.normal(size=(2, n)) + rng.normal(size=n) + 1.5 * y
            else:
                truth = rng.normal(size=n) + rng.normal(size=n_clusters)[codes]
                said = truth + own + rng.normal(size=(2, n))
            tables.append((truth, said, codes))
        return tables

    def judge(tables: Sequence[tuple[Array, Array, Array]]) -> Array:
        laws = {
            "f1": lambda y, said, codes: metric_of_classes(y, said, "f1", codes),
            "areas": roc_areas,
            "R2": lambda y, said, codes: metric_of_numbers(y, said, "r2", codes),
        }
        return np.array([laws[kind](*table).difference().pvalue() < ALPHA for table in tables])

    def source(table: tuple[Array, Array, Array]) -> tuple[Any, dict[str, Any]]:
        truth, said, codes = table
        models = ranked(said) if kind == "areas" else {"a": said[0], "b": said[1]}
        metric = {"f1": "f1", "areas": "roc_auc", "R2": "r2"}[kind]
        return tb.read_predictions(truth, models, metric=metric, clusters=codes), {}

    data = f"{kind}, clusters of lognormal sizes (1.2)"
    return World("jackknife-t", data, n_clusters, 0.055, draw, judge, source, is_named=True)


# --- periods ------------------------------------------------------------------------------------------------------------------

TIME_SHAPES = {"heavy tails": "t with 2 df", "lognormal": "lognormal 1 against a constant"}
LASTING = ("AR(0.9)", "long memory, d 0.35", "season of 12, AR(0.7)", "two regimes")
DRIFTING = ("a shift in the middle", "a trend")


def periods(kind: str, n: int, promise: float) -> World:
    """Series of loss differences with mean 0."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        if kind in TIME_SHAPES:
            return SHAPES[TIME_SHAPES[kind]](rng, (n_tables, n))
        noise = rng.normal(size=(n_tables, n + 1500))
        if kind.startswith("cycle"):
            return lfilter([1], [1, -1.8 * np.cos(2 * np.pi / int(kind[9:])), 0.81], noise, axis=1)[:, 1500:]
        if kind == "two regimes":
            switches = np.cumsum(rng.random((n_tables, n)) < 1 / 50, axis=1) + rng.integers(0, 2, (n_tables, 1))
            return np.where(switches % 2, 0.7, -0.7) + noise[:, :n]
        if kind == "a shift in the middle":
            return np.where(np.arange(n) < n // 2, 0.5, -0.5) + noise[:, :n]
        if kind == "a trend":
            return np.linspace(-1, 1, n) + noise[:, :n]
        if kind == "volatile":
            spread = np.exp(lfilter([0.3], [1, -0.95], rng.normal(size=(n_tables, n + 500)), axis=1)[:, 500:])
            return spread * noise[:, :n]
        if kind.startswith("season"):
            return lfilter([1], [1] + [0] * 11 + [-0.7], noise, axis=1)[:, 1500:]
        if kind.startswith("AR"):
            return lfilter([1], [1, -float(kind[3:-1])], noise, axis=1)[:, 1500:]
        if kind == "MA(3)":
            return lfilter([1, 1, 1, 1], [1], noise, axis=1)[:, 1500:]
        k = np.arange(1, 1500)
        weights = np.concatenate([[1.0], np.cumprod((k - 1 + 0.35) / k)])
        return fftconvolve(noise, weights[None], axes=1)[:, 1500 : 1500 + n]

    is_lasting = kind in (*LASTING, *DRIFTING) or kind == "cycle of 60"
    meant = ("lasting-autocorrelation",) if is_lasting else ("skewed-losses",) if kind == "lognormal" else ()
    return World(
        "diebold-mariano",
        f"differences of losses: {kind}",
        n,
        promise,
        draw,
        lambda series: diebold_mariano(series).pvalue() < ALPHA,
        against_zero(lambda series: {"time": np.arange(n)}),
        (*meant, *(("few-periods",) if n < 60 else ())),
        kind == "MA(3)" or kind in ("AR(0.0)", "AR(0.3)", "AR(0.7)"),
    )


# --- items, clusters, runs ----------------------------------------------------------------------------------------------------


def both_reject(sums: ClusterSums, level: float) -> Array:
    """As `clustered-t` judges: Student's and Johnson's t of the mean of clusters."""
    found = mean_of_clusters(sums)
    skewness = skewness_of_weighted_mean(sums.totals / sums.weights, sums.weights)
    t = np.nan_to_num(np.where(np.asarray(found.kind) == 0, found.statistic, 0.0))
    above, below = (
        np.maximum(student_tail(sign * t, found.df), student_tail(johnson_t(sign * t, sign * skewness), found.df))
        for sign in (1, -1)
    )
    return 2 * np.minimum(above, below) < level


def items(shape: str, n: int, promise: float) -> World:
    """Means of graded items."""
    meant = ("few-items",) if n < 60 else ()
    meant += ("skewed-differences", "rare-events") if shape.startswith((*SKEWED, "5 %", "one of")) else ()
    return World(
        "clustered-t",
        f"items: {shape}",
        n,
        promise,
        lambda rng, n_tables: SHAPES[shape](rng, (n_tables, n)),
        lambda values: both_reject(cluster_sums(values), ALPHA),
        against_zero(lambda values: {"item": np.arange(n)}),
        meant,
        promise == 0.065,
    )


def nine_pairs(shape: str, n: int, promise: float) -> World:
    """Nine pairs at the level of a family of 10 models, whose differences are independent."""
    return World(
        "clustered-t",
        f"10 models, items: {shape}, 9 of their pairs",
        n,
        promise,
        lambda rng, n_tables: SHAPES[shape](rng, (n_tables, 9, n)),
        lambda values: both_reject(cluster_sums(values), ALPHA / 45).any(axis=1),
        None,
        (),
        promise == 0.065,
    )


def clusters(effect: str, law: str, n_clusters: int, promise: float, slope: float = 0.0) -> World:
    """Clusters with an effect of their own; it may rise by `slope` for each e-fold of the size, the mean over items being 0."""

    def sizes_of(rng: np.random.Generator, n: int) -> Array:
        if law.startswith("Pareto"):
            return np.minimum(np.ceil(3 * (1 - rng.random(n)) ** (-1 / float(law[7:]))), 300).astype(int)
        if law == "lognormal":
            return np.ceil(10 * rng.lognormal(0, 0.5, n)).astype(int)
        return np.where((np.arange(n) == 0) & (law == "one giant"), 10 * n, 10)

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[tuple[Array, Array]]:
        many = sizes_of(rng, 200_000)
        middle = np.average(np.log(many), weights=many) if slope else 0.0
        tables = []
        for _ in range(n_tables):
            size = sizes_of(rng, n_clusters)
            codes = np.repeat(np.arange(n_clusters), size)
            own = (0.5 if effect == "normal" else 1.0) * SHAPES[effect](rng, (n_clusters,)) + slope * (np.log(size) - middle)
            tables.append((own[codes] + rng.normal(size=codes.size), codes))
        return tables

    def judge(tables: Sequence[tuple[Array, Array]]) -> Array:
        return np.array([both_reject(cluster_sums(values[None], codes), ALPHA)[0] for values, codes in tables])

    by_size = "effect by size, " if slope else "" if effect == "normal" else f"effects {effect.partition(' against')[0]}, "
    data = f"clusters: {by_size}{law}{'' if law in ('one giant', 'equal sizes') else ' sizes'}"
    meant = ("few-clusters",) if n_clusters < 10 else ("few-items",) if n_clusters < 60 else ()
    meant += ("size-effect",) if slope and promise == 1 else ("skewed-differences",) if effect.startswith(SKEWED) else ()
    source = against_zero(lambda table: {"item": np.arange(table[0].size), "cluster": table[1]})
    return World("clustered-t", data, n_clusters, promise, draw, judge, source, meant)


def runs(kind: str, effect: str, n_runs: int, n: int, promise: float) -> World:
    """Items answered in several runs, both of which vary."""
    parts = {"items": (1, 0.1, 0.3), "runs": (0.1, 1, 0.3), "items and runs": (1, 0.3, 1)}[kind]

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        of_items, of_runs = rng.normal(size=(n_tables, 1, n)), SHAPES[effect](rng, (n_tables, n_runs, 1))
        return parts[0] * of_items + parts[1] * of_runs + parts[2] * rng.normal(size=(n_tables, n_runs, n))

    at = {"run": np.repeat(np.arange(n_runs), n), "item": np.tile(np.arange(n), n_runs)}
    data = f"{n_runs} runs of items, {kind} vary" + ("" if effect == "normal" else f", runs {effect.partition(' against')[0]}")
    meant = (*(("few-runs",) if n_runs < 10 else ()), *(("few-items",) if n < 60 else ()))
    return World("clustered-t", data, n, promise, draw, None, against_zero(lambda values: at), meant)


# --- seeds, test sets, right and wrong, datasets, battles ---------------------------------------------------------------------


def seeds(kind: str, n: int, promise: float) -> World:
    """Scores of two models over seeds that they share."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        if kind == "whole per cents":
            return np.round(80 + 2 * rng.normal(size=(n_tables, n))) - np.round(80 + 2 * rng.normal(size=(n_tables, n)))
        return SHAPES[kind](rng, (n_tables, n))

    def judge(difference: Array) -> Array:
        sd = difference.std(axis=1, ddof=1)
        t = np.divide(difference.mean(axis=1) * np.sqrt(n), sd, out=np.zeros(len(sd)), where=sd > 0)  # constant: undecided
        return 2 * student_tail(np.abs(t), n - 1.0) < ALPHA

    source = against_zero(lambda values: {"seed": np.arange(n)})
    return World("paired-t", f"seeds: {kind}", n, promise, draw, judge, source, ("seeds-only",))


def own_seeds(kind: str, n_first: int, n_second: int, promise: float) -> World:
    """Scores of two models over seeds of their own; against a constant the second hardly varies."""
    own = SHAPES[kind.replace(", both", " against a constant")]

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[tuple[Array, Array]]:
        second = own(rng, (n_tables, n_second)) if "against" not in kind else 1e-3 * rng.normal(size=(n_tables, n_second))
        return list(zip(own(rng, (n_tables, n_first)), second, strict=True))

    def judge(tables: Sequence[tuple[Array, Array]]) -> Array:
        first, second = (np.array([table[side] for table in tables]) for side in (0, 1))
        low, high = welch_ttest(first, second).interval(1 - ALPHA)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0)

    def source(table: tuple[Array, Array]) -> tuple[Any, dict[str, Any]]:
        names = np.repeat(["a", "b"], [n_first, n_second])
        return {"model": names, "seed": np.arange(names.size), "score": np.concatenate(table)}, COST

    data = f"seeds of each model's own, {n_first} and {n_second}: {kind}"
    return World("welch", data, n_first, promise, draw, judge, source, ("seeds-only",))


def test_sets(n_first: int, n_second: int, rate: float, promise: float) -> World:
    """Test sets of each model's own."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        return np.stack([rng.binomial(n, rate, n_tables) for n in (n_first, n_second)], axis=1)

    def judge(counts: Array) -> Array:
        low, high = newcombe(counts[:, 0], n_first, counts[:, 1], n_second).interval(1 - ALPHA)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0)

    def source(counts: Array) -> tuple[Any, dict[str, Any]]:
        return {"model": ["a", "b"], "correct": counts, "n": [n_first, n_second]}, {"metric": "accuracy"}

    data, units = f"test sets of {n_first} and {n_second}, rate {rate:g}", n_first + n_second
    return World("newcombe", data, units, promise, draw, judge, source, ("rare-in-small-set",) if promise == 1 else ())


def binary(n: int, discordant: float) -> World:
    """Items right or wrong, of which models disagree on a share."""
    shares = [(1 - discordant) / 2, discordant / 2, discordant / 2, (1 - discordant) / 2]

    def judge(counts: Array) -> Array:
        low, high = tango(*counts.T).interval(1 - ALPHA)
        return (np.asarray(low) > 0) | (np.asarray(high) < 0)

    def source(counts: Array) -> tuple[Any, dict[str, Any]]:
        a, b = (np.repeat(values, counts) for values in ([1, 1, 0, 0], [1, 0, 1, 0]))
        return {"item": np.arange(n), "a": a, "b": b}, {"metric": "accuracy"}

    data = f"items right or wrong, {discordant:.0%} decided differently"
    return World("tango", data, n, 0.05, lambda rng, n_tables: rng.multinomial(n, shares, n_tables), judge, source)


def models(what: str, n_models: int, n: int, promise: float = 0.05) -> World:
    """Items of several models, as a user has them; missing scores are left to each pair."""

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[Array]:
        tables = []
        for _ in range(n_tables):
            hard, own = rng.normal(size=(1, n)), rng.normal(size=(n_models, n))
            score = {"correlated 0.9": 3 * hard + own, "right or wrong": (hard + own > -0.5) * 1.0}.get(what, hard + own)
            if what == "grades 0, .5, 1":
                score = np.digitize(score, [-1, 1]) / 2
            if what == "solved by nearly all":
                score = (hard + own > -3) * 1.0
            if what == "10 % of scores missing":
                score[1:][rng.random((n_models - 1, n)) < 0.1] = np.nan
            tables.append(score)
        return tables

    def source(score: Array) -> tuple[Any, dict[str, Any]]:
        columns = {f"m{row}": values for row, values in enumerate(score)}
        asked = {"missing": "pairwise"} if what.startswith("10 %") else {}
        return {"item": np.arange(n), **columns}, {"metric": "quality", "lower_is_better": False, **asked}

    is_binary = what.startswith(("right", "solved"))
    meant = ("few-items",) if n < 60 and not is_binary else ()
    return World(
        "tango" if is_binary else "clustered-t", f"{n_models} models, items: {what}", n, promise, draw, None, source, meant
    )


def copies(what: str, n_models: int, n: int, share: float) -> World:
    """Items, or a share of them, that stand in the table twice under other names."""
    rest = models(what, n_models, n)

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[Array]:
        n_own = round(n / (1 + share))
        return [np.concatenate([table[:, :n_own], table[:, : n - n_own]], axis=1) for table in rest.draw(rng, n_tables)]

    data = f"{n_models} models, items: {what}, {'all' if share == 1 else f'{share:.0%} of them'} twice"
    return rest._replace(data=data, promise=1.0, draw=draw, meant=(*rest.meant, "copied-units"))


def variants(n_sources: int, n_each: int, names: str) -> World:
    """Datasets that are variants of fewer sources, from which they differ half as much as sources from each other."""
    n = n_sources * n_each
    if names == "named so":
        called = [f"{'abcdefghijklmnop'[source] * 4}-{number}" for source in range(n_sources) for number in range(n_each)]
    else:
        called = [f"d{number}" for number in range(n)]
    return World(
        "wilcoxon",
        f"datasets that are {n_each} variants each of {n_sources} sources, {names}",
        n,
        1.0,
        lambda rng, n_tables: (
            rng.normal(size=(n_tables, n_sources)).repeat(n_each, axis=1) + 0.5 * rng.normal(size=(n_tables, n))
        ),
        lambda values: np.asarray(wilcoxon(values, scale=1.0).pvalue()) < ALPHA,
        against_zero(lambda values: {"dataset": called}),
        ("dataset-families",),
    )


def many_datasets(n_models: int, n: int) -> World:
    """Datasets of several models."""
    return World(
        "wilcoxon",
        f"{n_models} models, datasets: normal",
        n,
        0.05,
        lambda rng, n_tables: rng.normal(size=(n_tables, 1, n)) + 0.3 * rng.normal(size=(n_tables, n_models, n)),
        None,
        lambda score: (
            {"dataset": [f"d{number}" for number in range(n)], **{f"m{row}": values for row, values in enumerate(score)}},
            {"metric": "quality", "lower_is_better": False},
        ),
    )


def datasets(shape: str, n: int) -> World:
    """Differences over datasets, symmetric around 0, or moved so that their centre (median of pair means) is 0."""

    def draw(rng: np.random.Generator, n_tables: int) -> Array:
        if shape == "exponential, centre 0":
            return rng.exponential(size=(n_tables, n)) - 0.8391735  # median of Gamma(2) / 2
        return SHAPES[shape](rng, (n_tables, n))

    meant = ("asymmetric-differences", "mean-against-centre") if shape.startswith("exp") else ()
    source = against_zero(lambda values: {"dataset": [f"d{number}" for number in range(n)]})
    return World(
        "wilcoxon",
        f"differences between datasets: {shape}",
        n,
        0.05,
        draw,
        lambda values: np.asarray(wilcoxon(values, scale=1.0).pvalue()) < ALPHA,
        source,
        meant,
    )


BATTLES = {
    "each alone": (0, 0),
    "half of them ties": (0, 0),
    "half of them of two models": (0, 0),
    "a cycle": (12, 0),
    "judges alike": (20, 0),
    "judges of lognormal 1.2 sizes": (20, 0),
    "both orders of each question": (2, 0),
    "one loud judge": (12, 1),
    "one judge with 4 of 5 battles": (12, 4),
}
"""Battles of each judge, 0 where nobody shares any, and of the first judge as a multiple of all others'."""


def battles(kind: str, n_models: int, n: int) -> World:
    """Battles of equal models, so many or before so many judges, who have tastes of their own; in a cycle each beats the next."""
    each, loud = BATTLES[kind]

    def draw(rng: np.random.Generator, n_tables: int) -> Sequence[tuple[Array, ...]]:
        tables = []
        for _ in range(n_tables):
            n_of = np.full(n if each else 1, each or n)
            if kind.startswith("judges of lognormal"):
                n_of = np.ceil(n_of / 2 * rng.lognormal(0, 1.2, n)).astype(int)
            n_of[0] = loud * each * (n - 1) or n_of[0]
            judge = np.repeat(np.arange(n_of.size), n_of)
            first = rng.integers(0, n_models, judge.size)
            second = (first + (1 if kind == "a cycle" else rng.integers(1, n_models, judge.size))) % n_models
            if kind == "half of them of two models":
                rare = rng.random(judge.size) < 0.5
                first, second = np.where(rare, first, 0), np.where(rare, second, 1)
            if kind == "both orders of each question":
                first, second = first[judge * 2], second[judge * 2]
                first[1::2], second[1::2] = second[1::2].copy(), first[1::2].copy()
            taste = (0.5 if each else 0.0) * rng.normal(size=(n_of.size, n_models))
            log_odds = taste[judge, first] - taste[judge, second] + (1.0 if kind == "a cycle" else 0.0)
            score = (rng.random(judge.size) < 1 / (1 + np.exp(-log_odds))).astype(float)
            if kind == "half of them ties":
                score = np.where(rng.random(judge.size) < 0.5, 0.5, score)
            tables.append((first, second, score, judge))
        return tables

    def judge(tables: Sequence[tuple[Array, ...]]) -> Array:
        found = []
        for first, second, score, unit in tables:
            fit = bradley_terry(first, second, score, n_models=n_models, cluster=unit if each else None)
            found.append(fit.shown_better(1 - ALPHA).any())
        return np.array(found)

    data = f"{n_models} models, battles: {kind}" if not each else f"{n_models} models, battles before {n} judges: {kind}"
    return World("bradley-terry", data, n, 0.05, draw, judge, None)


def worlds() -> Iterator[World]:
    """All of them."""
    for m in (5, 10, 20):
        for area in (0.76, 0.92, 0.98):
            for tails in ("normal", "heavy tails"):
                yield areas(2, m, 200 - m, area, tails)
    yield from (areas(2, 10, 1990, area, "heavy tails") for area in (0.76, 0.92))
    yield from (areas(4, m, 100 - m, 0.76, "normal") for m in (3, 5, 10))
    yield from (areas(10, m, 200 - m, 0.76, "normal") for m in (5, 20))
    for n in (30, 60, 200):
        yield from (periods(f"AR({phi})", n, 0.09 if n < 60 and phi == 0.7 else 0.05) for phi in (0.0, 0.3, 0.7))
        yield periods("MA(3)", n, 0.05)
        yield from (periods(kind, n, 1.0) for kind in (*LASTING, "lognormal"))
        yield periods("heavy tails", n, 0.05)
    yield from (periods(f"cycle of {period}", n, 0.05) for period in (7, 10) for n in (60, 200, 500))
    yield from (periods("cycle of 60", n, 1.0 if n < 500 else 0.05) for n in (60, 200, 500))
    yield from (periods(kind, n, 0.05) for kind in (*DRIFTING, "volatile") for n in (60, 200))
    for n in (10, 30, 100):
        yield items("grades 0, .5, 1", n, 0.05)
    for n in (5, 8, 12, 20):
        for shape in ("lognormal 1.5 against a constant", "lognormal 1 against a constant", "Pareto 2.5 against a constant"):
            yield items(shape, n, 1.0)
        yield from (items(shape, n, 0.05) for shape in ("normal", "t with 2 df"))
    for n in (30, 100):
        for shape in GRADED:
            promise = 1.0 if shape.startswith(("5 %", "Pareto", "one of")) else 0.065 if "constant" in shape else 0.05
            yield items(shape, n, promise)
            yield nine_pairs(shape, n, promise)
    yield from (items("Pareto 1.5 against a constant", n, 1.0) for n in (200, 500))
    yield from (items(shape, 200, 0.05) for shape in ("t with 2 df", "differences of lognormals 1.5"))
    yield from (
        models(what, 4, n) for what in ("grades 0, .5, 1", "right or wrong", "10 % of scores missing") for n in (30, 100, 300)
    )
    yield from (models("solved by nearly all", 4, n) for n in (30, 100, 1000))
    yield from (models("correlated 0.9", 10, n) for n in (10, 30, 100))
    yield from (models(what, n_models, 10) for what in ("normal", "right or wrong") for n_models in (20, 60))
    yield from (copies(what, 2, n, 1.0) for what in ("normal", "grades 0, .5, 1", "right or wrong") for n in (30, 100))
    yield from (copies("normal", 2, n, share) for n, share in ((100, 0.5), (100, 0.2), (300, 0.5), (300, 0.2), (1000, 0.2)))
    yield from (copies(what, n_models, 100, 1.0) for what in ("grades 0, .5, 1", "right or wrong") for n_models in (4, 10))
    for law in ("equal sizes", "one giant", "Pareto 1.5"):
        yield from (clusters("normal", law, n, 0.05) for n in (5, 10, 30))
    yield from (clusters("t with 2 df", law, n, 0.05) for law in ("equal sizes", "Pareto 1.5") for n in (12, 30, 100))
    for n in (5, 12, 30):
        yield clusters("normal", "lognormal", n, 0.05, slope=0.5)
        yield clusters("normal", "Pareto 1.5", n, 1.0, slope=0.5)
    for n in (5, 12, 30, 100):
        yield clusters("lognormal 1 against a constant", "equal sizes", n, 0.065 if n > 12 else 1.0)
        yield clusters("lognormal 1 against a constant", "Pareto 1.1", n, 0.065 if n > 5 else 1.0)
    for n_runs in (2, 3, 5):
        yield from (runs(kind, "normal", n_runs, 30, 0.05) for kind in ("items", "runs", "items and runs"))
    for effect in ("exponential against a constant", "lognormal 1 against a constant"):
        yield from (runs("runs", effect, n_runs, 30, 1.0) for n_runs in (2, 3, 5, 10))
    for n in (3, 5, 10):
        yield from (seeds(kind, n, 0.05) for kind in ("normal", "whole per cents", "1 of 10 far out"))
        yield from (seeds(f"{kind} against a constant", n, 1.0) for kind in ("exponential", "lognormal 1"))
    for sizes in ((2, 2), (2, 6), (3, 3), (5, 5), (10, 10)):
        yield own_seeds("normal", *sizes, 0.065 if sizes == (2, 6) else 0.05)
        yield from (own_seeds(f"lognormal 1{how}", *sizes, 1.0) for how in (", both", " against a constant"))
    yield from (own_seeds("1 of 10 runs fails", n, n, 0.05) for n in (3, 5, 10))
    for sizes in ((20, 200), (50, 500), (100, 1000), (200, 200)):
        yield from (test_sets(*sizes, rate, 0.05) for rate in (0.8, 0.95))
    yield from (test_sets(20, 1000, rate, 1.0) for rate in (0.98, 0.995))
    yield from (binary(n, share) for n in (10, 30, 100, 1000) for share in (0.5, 0.1, 0.04))
    yield from (classes(metric, m, 200 - m) for metric in ("f1", "balanced_accuracy", "recall") for m in (4, 10, 40))
    yield from (clustered_areas(n, m) for n, m in ((20, 5), (40, 10), (40, 20), (100, 50)))
    yield from (uneven(kind, n) for kind in ("f1", "areas", "R2") for n in (12, 25))
    yield from (fits(shape, n) for shape in ("normal", "t with 2 df") for n in (10, 30, 100))
    for n in (10, 30):
        yield from (datasets(shape, n) for shape in ("normal", "t with 2 df", "exponential, centre 0"))
    yield from (many_datasets(n_models, n) for n_models in (4, 20) for n in (8, 30))
    yield from (variants(n, each, names) for names in ("named so", "not named so") for n, each in ((10, 3), (6, 5), (4, 3)))
    yield from (battles(kind, 3, n) for kind in ("a cycle", "one loud judge", "one judge with 4 of 5 battles") for n in (10, 30))
    yield from (battles("each alone", n_models, n) for n_models, n in ((2, 40), (2, 400), (6, 60), (6, 300), (20, 400)))
    yield from (battles(kind, 6, n) for kind in ("half of them ties", "half of them of two models") for n in (100, 400))
    yield from (battles("judges alike", n_models, n) for n_models, n in ((2, 5), (2, 10), (2, 30), (6, 5), (6, 10), (6, 30)))
    yield from (battles("judges of lognormal 1.2 sizes", n_models, n) for n_models in (2, 6) for n in (10, 30, 100))
    yield from (battles("both orders of each question", n_models, n) for n_models in (2, 6) for n in (30, 100))


class Measured(NamedTuple):
    """Tables of a world that called any pair different, of how many, and the share of pages on which each notice stood.

    On `n_apart` of the pages the verdicts were not those of the arrays.
    """

    world: World
    n_called: int
    n_tables: int
    stands: dict[str, float]
    n_pages: int
    n_apart: int


def measured(world: World, number: int, n_tables: int, n_pages: int) -> Measured:
    """Draw and judge a world."""
    n = n_tables if world.is_named else min(n_tables, max(500, n_tables // 4))
    tables = world.draw(np.random.default_rng([27, number]), n)
    pages = tables[:n_pages] if world.judge is not None else tables
    shown = [compared(world, table) for table in pages] if world.source is not None else []
    called = world.judge(tables) if world.judge is not None else np.array([each[0] for each in shown])
    apart = sum(bool(mine) != theirs for mine, (theirs, _) in zip(called, shown, strict=False))
    stands = {code: float(np.mean([code in codes for _, codes in shown])) for code in CHECKED} if shown else {}
    return Measured(world, int(called.sum()), n, stands, len(shown), apart)


def kind_of(world: World, code: str) -> str:
    """What a notice is in a world."""
    if code in world.meant:
        return "by size" if code in BY_SIZE else "meant"
    return "harmless" if world.promise < 1 else "other"


def main() -> int:
    """Print a row for each world and each notice, and write them where that is asked for."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=100, help="tables that go through tb.compare")
    parser.add_argument("--only", nargs="+", help="procedures")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    every = list(worlds())
    found, has_failed = [], False
    for number, world in enumerate(every):
        if asked.only and world.procedure not in asked.only:
            continue
        each = measured(world, number, asked.tables, asked.pages)
        rate = each.n_called / each.n_tables
        p = 1.0 if world.promise == 1.0 else float(binom.sf(each.n_called - 1, each.n_tables, world.promise))
        verdict = "exception" if world.promise == 1.0 else "ABOVE" if p < 0.01 / len(every) else "holds"
        has_failed |= verdict == "ABOVE" or each.n_apart > 0
        said = ", ".join(f"{code} {share:.0%}" for code, share in each.stands.items() if share)
        print(
            f"{world.procedure:16} {world.units:5} {world.data:66} {rate:6.1%} of {each.n_tables}, promise {world.promise:.1%}, "
            f"{verdict}; {said}{f'; {each.n_apart} PAGES SAY OTHERWISE' if each.n_apart else ''}",
            flush=True,
        )
        found.append(each)
    rows = list(notice_rows(found))
    for procedure, code in dict.fromkeys((row[0], row[1]) for row in rows):
        own = [row for row in rows if row[:2] == [procedure, code]]
        harmless = [(float(row[6]), int(row[7])) for row in own if row[4] == "harmless"]
        share = sum(share * n for share, n in harmless) / max(1, sum(n for _, n in harmless))
        worst = max((share for share, _ in harmless), default=0.0)
        print(
            f"{procedure:16} {code:24} stands in {share:.1f} % of tables of {len(harmless)} harmless worlds, at most {worst:g} %",
            flush=True,
        )
        has_failed |= share > 5.0
    if asked.write:
        write_rates(found)
        write_notices(rows)
    return int(has_failed)


def notice_rows(found: Sequence[Measured]) -> Iterator[list[str]]:
    """Rows of docs/notices.csv: each world with each notice that its procedure gave, or that was meant."""
    for procedure in dict.fromkeys(each.world.procedure for each in found):
        own = [each for each in found if each.world.procedure == procedure and each.stands]
        for code in CHECKED:
            if not any(each.stands[code] or code in each.world.meant for each in own):
                continue
            for each in own:
                rate, share = 100 * each.n_called / each.n_tables, 100 * each.stands[code]
                yield [
                    procedure,
                    code,
                    each.world.data,
                    str(each.world.units),
                    kind_of(each.world, code),
                    f"{rate:.1f}",
                    f"{share:.1f}",
                    str(each.n_pages),
                ]


def write_notices(rows: Sequence[list[str]]) -> None:
    """Write them, after those of procedures that were not measured now."""
    kept = []
    if NOTICES.exists():
        with NOTICES.open(encoding="utf-8", newline="") as file:
            kept = [row for row in list(csv.reader(file))[1:] if row[0] not in {row[0] for row in rows}]
    with NOTICES.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([["procedure", "notice", "data", "units", "kind", "wrong", "stands", "pages"], *kept, *rows])


def write_rates(found: Sequence[Measured]) -> None:
    """Put the rows of the worlds into docs/error-rates.csv, in the place of those that had their names."""
    rows = []
    for each in found:
        rate = f"{100 * each.n_called / each.n_tables:.1f}"
        world = each.world
        truth = "none" if not {"copied-units", "dataset-families"} & set(world.meant) else "none, with copies"
        rows.append([world.procedure, world.data, str(world.units), truth, rate, rate, str(each.n_tables)])
    with RATES.open(encoding="utf-8", newline="") as file:
        kept = list(csv.reader(file))
    names = {(row[0], row[1]) for row in rows}
    kept = [row for row in kept if (row[0], row[1]) not in names]
    order = {name: place for place, name in reversed(list(enumerate(row[0] for row in kept)))}
    everything = kept[:1] + sorted(kept[1:] + rows, key=lambda row: order.get(row[0], 1e9))
    with RATES.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(everything)


if __name__ == "__main__":
    sys.exit(main())
