"""How often the defaults call equal models different, how often a notice says so, and how often they find a true difference.

Each world draws tables as people have them, and `tb.compare`, `tb.rate` or `tb.noise_floor` judges them by default. *Wrong* is
the share of tables of equal models with any verdict, or at the rope with an untrue one, *noticed* that of all tables with a
notice (by *shape* with another one than those of few units, which say nothing of the scores), *silent* that of tables that are
wrong without any, and *decided* that of tables in which model a is better by `effect`.
A world that is wrong in more than 5.5 % of its tables and noticed in fewer than nine tenths is drawn anew with 2,000 tables at
least, as that may be chance. It fails where it is above 5.5 % then, beyond chance (1 %), and silent in a tenth of these or more;
it is marked where its notice stands beside nearly all that is wrong, but in fewer than nine tenths of all tables.

    python benchmarks/validity/worlds.py                        all, 300 tables each
    python benchmarks/validity/worlds.py --tables 1000 --only costs runs
    python benchmarks/validity/worlds.py --write                into docs/error-rates.csv, in the place of their rows
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from methods import COLUMNS, TARGET, write_rows
from scipy.signal import lfilter
from scipy.stats import binom, norm, rankdata

import tiebreak as tb
from tiebreak.views.noise_floor import warnings as floor_warnings

Array = np.ndarray
Rng = np.random.Generator
Shape = Callable[[Rng, Any], Array]
ALWAYS = {"independent-sets", "assumed-paired", "identical-scores", "read-as"}
"""Notices that stand on every answer of their kind, and say nothing of the data."""
OF_NUMBER = {"few-items", "few-units"}
"""Notices that say how many units there are, whatever the scores; without them a world is noticed by its `shape`."""
LIMIT, SILENT, NOTICED = 0.055, 0.1, 0.9
MANY = 2000
"""Tables of a world that would not hold what is promised: the standard error of 5.5 % is .5 %."""
COST: dict[str, Any] = {"metric": "cost", "lower_is_better": True}
QUALITY: dict[str, Any] = {"metric": "quality", "lower_is_better": False}


class World(NamedTuple):
    """Tables: their procedure, what they are, their units, and `judge(rng, effect)`: any verdict, and the codes of notices."""

    procedure: str
    name: str
    units: int
    judge: Callable[[Rng, float], tuple[bool, set[str]]]
    effect: float = 0.0


WORLDS: list[World] = []


def add(procedure: str, name: str, units: int, judge: Callable[[Rng, float], tuple[bool, set[str]]], effect: float = 0.0) -> None:
    WORLDS.append(World(procedure, name, units, judge, effect))


def compared(
    procedure: str, name: str, units: int, draw: Callable[[Rng, float], tuple[Any, dict[str, Any]]], effect: float = 0.0
) -> None:
    """Add a world whose tables `tb.compare` judges."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        source, settings = draw(rng, effect)
        answer = tb.compare(source, **settings)
        assert procedure in (answer.method.name, "paired-t"), (answer.method.name, name)
        return any(each not in ("undecided", "equivalent", "") for each in answer.pairs["verdict"]), {
            n.code for n in answer.notices
        }

    add(procedure, name, units, judge, effect)


# --- shapes, all with mean 0 (or 1, of costs) -----------------------------------------------------------------------------------


def normal(rng: Rng, size: Any) -> Array:
    return rng.normal(size=size)


def heavy(rng: Rng, size: Any) -> Array:
    return rng.standard_t(2, size=size)


def exponential(rng: Rng, size: Any) -> Array:
    return rng.exponential(size=size) - 1


def grades(rng: Rng, size: Any) -> Array:
    return rng.integers(0, 3, size) - 1.0


def far_out(rng: Rng, size: Any) -> Array:
    return rng.normal(size=size) * np.where(rng.random(size) < 0.1, 20.0, 1.0)


def outliers(rng: Rng, size: Any) -> Array:
    """One of twenty 10 times as large, with the root mean square of `OUTLIERS`."""
    return rng.normal(size=size) * np.where(rng.random(size) < 0.05, 10.0, 1.0)


def two_modes(rng: Rng, size: Any) -> Array:
    return rng.choice([-1.0, 1.0], size) + 0.2 * rng.normal(size=size)


def lognormal(sigma: float) -> Shape:
    return lambda rng, size: rng.lognormal(-(sigma**2) / 2, sigma, size)


def rarely(share: float, sigma: float) -> Shape:
    """Costs of 0 but for a share."""
    return lambda rng, size: (rng.random(size) < share) * lognormal(sigma)(rng, size) / share


def constant(value: float) -> Shape:
    return lambda rng, size: np.full(size, value)


def autoregression(phi: float) -> Shape:
    return lambda rng, n: lfilter([1], [1, -phi], rng.normal(size=n + 200))[200:]


def moving(terms: int) -> Shape:
    return lambda rng, n: np.convolve(rng.normal(size=n + terms), np.ones(terms + 1), "valid")[:n]


def long_memory(order: float) -> Shape:
    """Fractionally integrated noise."""
    weights = np.cumprod(np.append(1.0, (np.arange(1, 2000) - 1 + order) / np.arange(1, 2000)))
    return lambda rng, n: np.convolve(rng.normal(size=n + 1999), weights, "valid")[:n]


def regimes(length: int) -> Shape:
    """Noise around a level that changes its sign by chance after so many periods."""

    def draw(rng: Rng, n: int) -> Array:
        level = np.repeat(rng.choice([-0.8, 0.8], n // length + 2), length)
        return rng.normal(size=n) + level[rng.integers(length) :][:n]

    return draw


def mixed(share: float) -> Shape:
    """Costs of mean 1, of which a share is ten times as large."""
    return lambda rng, size: np.where(rng.random(size) < share, 10.0, 1.0) * rng.gamma(4, 0.25, size) / (1 + 9 * share)


def outlying(rng: Rng, size: Any) -> Array:
    found = rng.normal(size=size)
    found[rng.integers(size)] -= 20 * (rng.random() < 0.5)
    return found


def fails(share: float) -> Shape:
    """Runs of which a share collapses, of mean 0."""
    return lambda rng, size: np.where(rng.random(size) < share, 1 - 1 / share, 1.0) + 0.3 * rng.normal(size=size)


# --- metrics of all predictions -----------------------------------------------------------------------------------------------


def numbers(metric: str, n: int, a: Shape, b: Shape, effect: float = 0.0, procedure: str = "jackknife-t") -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = 3 * rng.normal(size=n)
        return tb.read_predictions(y, {"a": y + (1 - effect) * a(rng, n), "b": y + b(rng, n)}, metric=metric), {}

    compared(procedure, f"{metric} of {_named(a)} errors beside {_named(b)} ones", n, draw, effect)


def large_targets(metric: str, n: int, sigma: float, effect: float = 0.0) -> None:
    """Lognormal targets and errors that grow with them, which few items carry."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = rng.lognormal(0, sigma, size=n)
        a, b = y + 0.4 * y * rng.normal(size=(2, n)) * np.array([[1 - effect], [1.0]])
        return tb.read_predictions(y, {"a": a, "b": b}, metric=metric), {}

    name = f"{metric} of lognormal {f'({sigma:g}) ' if sigma != 1 else ''}targets, errors in proportion to them"
    compared("jackknife-t", name, n, draw, effect)


def precision(n: int, predicted: int, effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        few = np.arange(n) < predicted
        y = rng.random(n) < np.where(few, 0.5 + effect, 0.5)
        return tb.read_predictions(
            y.astype(int), {"a": few.astype(int), "b": (np.arange(n) >= n // 2).astype(int)}, metric="precision"
        ), {}

    compared("jackknife-t", f"precision, one model predicts {predicted} positive", n, draw, effect)


def rare_class(metric: str, positives: int, n: int) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = (np.arange(n) < positives).astype(int)
        said = np.where(rng.random((2, n)) < np.where(y == 1, 0.3, 0.1), 1 - y, y)
        return tb.read_predictions(y, {"a": said[0], "b": said[1]}, metric=metric), {}

    compared("jackknife-t", f"{metric}, {positives} positives of {n}", n, draw)


def areas(positives: int, n: int, effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = np.arange(n) < positives
        score = rng.normal(size=(2, n)) + rng.normal(size=n) + 1.4 * y
        score[0] += effect * y
        chance = 1 / (1 + np.exp(-score))
        return tb.read_predictions(y.astype(int), {"a": chance[0], "b": chance[1]}, metric="roc_auc"), {}

    compared("delong", f"areas, {positives} positives of {n}", n, draw, effect)


def clustered_classes(metric: str, n_clusters: int) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        codes = np.repeat(np.arange(n_clusters), np.ceil(8 * rng.lognormal(0, 1.0, n_clusters)).astype(int))
        own, y = rng.normal(size=(2, n_clusters))[:, codes], rng.random(codes.size) < 0.4
        y[:4] = [False, True, False, True]
        if metric == "f1":
            said = np.where(rng.random(own.shape) < 1 / (1 + np.exp(1.5 - own)), ~y, y).astype(int)
        else:
            said = 1 / (1 + np.exp(-(own + rng.normal(size=own.shape) + 1.5 * y)))
        return tb.read_predictions(y.astype(int), {"a": said[0], "b": said[1]}, metric=metric, clusters=codes), {}

    compared("jackknife-t", f"{metric}, clusters of lognormal sizes", n_clusters, draw)


# --- items, clusters, runs, tasks ---------------------------------------------------------------------------------------------


def items(name: str, n: int, shapes: list[Shape], effect: float = 0.0) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        columns = {chr(97 + place): shape(rng, n) for place, shape in enumerate(shapes)}
        return {"item": np.arange(n), **columns, "a": columns["a"] - effect}, COST

    compared("clustered-t", f"items: {name}", n, draw, effect)


def against_the_best(n_models: int, n: int, effect: float) -> None:
    """Equal models; wrong is that the first, one of the best, stands below the line, or that another is called the best alone."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        columns = dict(zip(letters(n_models), rng.normal(size=(n_models, n)), strict=True))
        table = {"item": np.arange(n), **columns, "a": columns["a"] + effect}
        standing = tb.compare(table, family="best", **QUALITY).ranking.set_index("model")["standing"]
        return standing["a"] == ("best" if effect else "not best"), set()

    add("clustered-t", f"{n_models} equal models against the best: one of them below the line", n, judge, effect)


def binary(n: int, rate: float, effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        hard = rng.random(n)
        a, b = ((0.5 * hard + 0.5 * rng.random(n) < level) * 1 for level in (rate + effect, rate))
        return {"item": np.arange(n), "a": a, "b": b}, {"metric": "accuracy"}

    compared("tango", f"items right or wrong, rate {rate:g}", n, draw, effect)


def clusters(shape: Shape, n_clusters: int, effect: float = 0.0) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        codes = np.repeat(np.arange(n_clusters), rng.integers(2, 15, n_clusters))
        a = 0.5 * shape(rng, n_clusters)[codes] + rng.normal(size=codes.size) - effect
        return {"item": np.arange(codes.size), "cluster": codes, "a": a, "b": np.zeros(codes.size)}, COST

    compared("clustered-t", f"clusters of 2 to 14 items: {_named(shape)}", n_clusters, draw, effect)


def large_cluster(n_clusters: int) -> None:
    """Clusters of 5 items beside one that holds half of all."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        codes = np.repeat(np.arange(n_clusters + 1), np.append(5 * n_clusters, np.full(n_clusters, 5)))
        a = rng.normal(size=n_clusters + 1)[codes] + rng.normal(size=codes.size)
        return {"item": np.arange(codes.size), "cluster": codes, "a": a, "b": np.zeros(codes.size)}, COST

    compared("clustered-t", "clusters of 5 items, and one of half of all", n_clusters + 1, draw)


def gaps(n_models: int, n: int, share: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = rng.normal(size=(n_models, n)) + rng.normal(size=n)
        score[rng.random(score.shape) < share] = np.nan
        columns = dict(zip(letters(n_models), score, strict=True))
        return {"item": np.arange(n), **columns}, {**QUALITY, "missing": "pairwise"}

    compared("clustered-t", f"items of {n_models} models, {share:.0%} missing: normal", n, draw)


def own_items(n_a: int, n_b: int, a: Shape, b: Shape, effect: float = 0.0) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = np.concatenate([a(rng, n_a) - effect, b(rng, n_b)])
        return {"model": ["a"] * n_a + ["b"] * n_b, "item": np.arange(n_a + n_b), "score": score}, COST

    compared("welch", f"{n_a} and {n_b} items of each model's own: {_named(a)} beside {_named(b)}", n_a, draw, effect)


def runs(n_a: int, n_b: int, sd_a: float = 0.3, sd_b: float = 0.3, effect: float = 0.6, n: int = 50) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        hard = rng.normal(size=n)
        rows = [
            (model, run, hard + sd * rng.normal() + 0.5 * rng.normal(size=n) + shift)
            for model, count, sd, shift in (("a", n_a, sd_a, effect), ("b", n_b, sd_b, 0.0))
            for run in range(count)
        ]
        keys = {name: np.repeat([row[place] for row in rows], n) for place, name in enumerate(("model", "run"))}
        return {**keys, "item": np.tile(np.arange(n), len(rows)), "score": np.concatenate([row[2] for row in rows])}, QUALITY

    compared("clustered-t", f"{n_a} and {n_b} runs of items, of sd {sd_a:g} and {sd_b:g}", n, draw, effect)


def tasks(shape: Shape, sizes: tuple[int, ...], effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        n = sum(sizes)
        names = np.repeat([f"t{place}" for place in range(len(sizes))], sizes)
        return {"task": names, "item": np.arange(n), "a": shape(rng, n) - effect, "b": np.zeros(n)}, COST

    compared("macro-average", f"tasks of {', '.join(map(str, sizes))} items: {_named(shape)}", sum(sizes), draw, effect)


def slices(n_slices: int, n: int) -> None:
    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        columns = {"topic": np.repeat([f"s{place}" for place in range(n_slices)], n), "a": lognormal(1)(rng, n_slices * n)}
        answer = tb.compare({"item": np.arange(n_slices * n), **columns, "b": np.ones(n_slices * n)}, **COST)
        parts = answer.slices("topic")
        said = {"few-items"} if "such slices err" in str(parts).replace("\n", " ") else set[str]()
        is_called = any(number for verdict, number in parts.count_verdicts().items() if verdict != "undecided")
        return is_called, said | {each.code for each in answer.notices}

    add("clustered-t", f"{n_slices} slices of {n} items: lognormal costs beside a constant", n_slices * n, judge)


# --- datasets, seeds, test sets, time, splits -----------------------------------------------------------------------------------


def datasets(shape: Shape, n: int, sd: float, effect: float, decimals: int = 8, procedure: str = "wilcoxon") -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        base = rng.uniform(0.6, 0.95, n)
        a, b = (np.round(each, decimals) for each in (base + sd * shape(rng, n) + effect, base))
        return {"dataset": [f"d{place}" for place in range(n)], "a": a, "b": b}, QUALITY

    rounded = "" if decimals == 8 else f", {decimals} decimals"
    compared(procedure, f"datasets: {_named(shape)}{rounded}", n, draw, effect)


def small_tests(n: int, size: int) -> None:
    """Accuracies of small test sets, of which models decide 5 % differently."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        base = rng.uniform(0.6, 0.95, n)
        right = rng.binomial(size, base)
        other = right - rng.binomial(right, 0.05) + rng.binomial(size - right, np.clip(0.05 * base / (1 - base), 0, 1))
        gain = np.round(effect * size) * (rng.random(n) < 0.2)
        return {
            "dataset": [f"d{place}" for place in range(n)],
            "a": np.minimum(other + gain, size) / size,
            "b": right / size,
        }, QUALITY

    compared("paired-t", f"datasets: accuracies of {size} examples", n, draw, 0.05)


def seeds(n_a: int, n_b: int, sd_a: float, sd_b: float, effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = 0.8 + np.concatenate([effect + sd_a * rng.normal(size=n_a), sd_b * rng.normal(size=n_b)])
        return {"model": ["a"] * n_a + ["b"] * n_b, "seed": np.arange(n_a + n_b), "quality": score}, QUALITY

    compared("welch", f"{n_a} and {n_b} seeds of their own, of sd {sd_a:g} and {sd_b:g}", n_a, draw, effect)


def shaped_seeds(n: int, a: Shape, b: Shape, name: str, paired: bool = False) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        one, two = (0.8 + 0.01 * shape(rng, n) for shape in (a, b))
        if paired:
            return {"seed": np.arange(n), "a": one, "b": two}, {**QUALITY, "rows": "seeds"}
        return {"model": ["a"] * n + ["b"] * n, "seed": np.arange(2 * n), "quality": np.append(one, two)}, QUALITY

    procedure, of_whom = ("paired-t", "shared seeds") if paired else ("welch", "seeds of each model")
    compared(procedure, f"{n} {of_whom}: {name}", n, draw)


def at_the_rope(
    procedure: str, name: str, units: int, rope: float, draw: Callable[[Rng, float], tuple[Any, dict[str, Any]]]
) -> None:
    """A true difference just beyond the rope, where "equivalent" is wrong, or just within it, where better and worse are."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        is_beyond = rng.random() < 0.5
        source, settings = draw(rng, rope * (1.0001 if is_beyond else 0.9999))
        answer = tb.compare(source, rope=rope, **settings)
        is_wrong = answer.pairs["verdict"].isin(["equivalent"] if is_beyond else ["better", "worse"]).any()
        return bool(is_wrong), {each.code for each in answer.notices}

    add(procedure, f"at the rope: {name}", units, judge)


def ropes() -> None:
    def right(rng: Rng, d: float) -> tuple[Any, dict[str, Any]]:
        u, both = rng.random(250), rng.random(250) < 0.8
        a, b = u < 0.2 + d / 2, (u >= 0.2 + d / 2) & (u < 0.4)
        return {"item": np.arange(250), "a": (a | (both & ~b)) * 1, "b": (b | (both & ~a)) * 1}, {"metric": "accuracy"}

    def costs(rng: Rng, d: float) -> tuple[Any, dict[str, Any]]:
        return {"item": np.arange(100), "a": 2 * LN(rng, 100) + 3 - d, "b": np.full(100, 5.0)}, COST

    def forecasts(rng: Rng, d: float) -> tuple[Any, dict[str, Any]]:
        return {"time": np.arange(80), "a": long_memory(0.3)(rng, 80) - d, "b": np.zeros(80)}, COST

    def trained(rng: Rng, d: float) -> tuple[Any, dict[str, Any]]:
        score = 0.8 + 0.01 * rng.normal(size=10) + np.repeat([d, 0.0], 5)
        return {"model": ["a"] * 5 + ["b"] * 5, "seed": np.arange(10), "quality": score}, QUALITY

    at_the_rope("tango", "right or wrong", 250, 0.08, right)
    at_the_rope("clustered-t", "lognormal costs beside a constant", 100, 0.6, costs)
    at_the_rope("diebold-mariano", "long memory (.3)", 80, 0.5, forecasts)
    at_the_rope("welch", "5 and 5 seeds", 5, 0.018, trained)


def ceilings(n: int) -> None:
    """Ratings from 1 to 5, mostly 5, of the same mean: rarely 1, or now and then 4."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        return {
            "item": np.arange(n),
            "a": np.where(rng.random(n) < 0.04, 1, 5),
            "b": np.where(rng.random(n) < 0.16, 4, 5),
        }, QUALITY

    compared("clustered-t", "ratings with a ceiling: 4 % of 1 beside 16 % of 4", n, draw)


def near_zero(n: int) -> None:
    """Percentage errors of targets near 0, lognormal ones beside even ones."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = rng.uniform(0.02, 1, n)
        return {"item": np.arange(n), "a": 0.1 * LN(rng, n) / y, "b": 0.1 / y}, COST

    compared("clustered-t", "percentage errors of targets near 0, lognormal beside even ones", n, draw)


def sure_and_wrong(n: int, share: float) -> None:
    """Log loss of a model that is certain and wrong in a share, beside one with the same mean and no such."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = rng.integers(0, 2, n)
        loss = -(1 - share) * np.log(0.9) - share * np.log(0.001)
        a, b = np.where(rng.random(n) < share, 0.001, 0.9), np.exp(-loss)
        said = {name: np.where(y == 1, p, 1 - p) + 1e-6 * rng.random(n) for name, p in (("a", a), ("b", b))}
        return tb.read_predictions(y, said, metric="log_loss"), {}

    compared("clustered-t", f"log loss, {share:.1%} certain and wrong beside none", n, draw)


def balanced(n: int, small: float, large: float) -> None:
    """Items of which one model is a little dearer in some, which a few large ones balance."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        rare = small / large
        return {
            "item": np.arange(n),
            "a": rng.choice([3, 4, 3 - large], n, p=[1 - small - rare, small, rare]),
            "b": np.full(n, 3.0),
        }, COST

    compared("clustered-t", f"items: +1 in {small:.1%}, -{large:g} in {small / large:.2%}", n, draw)


def many_datasets(n_models: int, n: int) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = np.round(rng.uniform(0.6, 0.9, n) + 0.02 * rng.normal(size=(n_models, n)), 3)
        return {"dataset": [f"d{place}" for place in range(n)], **{f"m{place}": row for place, row in enumerate(score)}}, QUALITY

    compared("wilcoxon", f"{n_models} models, datasets: normal, 3 decimals", n, draw)


def test_sets(n_a: int, n_b: int, rate: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        return {"model": ["a", "b"], "correct": [rng.binomial(n, rate) for n in (n_a, n_b)], "n": [n_a, n_b]}, {
            "metric": "accuracy"
        }

    compared("newcombe", f"test sets of {n_a:,} and {n_b:,}, rate {rate:g}", n_a + n_b, draw)


def periods(name: str, shape: Shape, n: int, effect: float = 0.0) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        return {"time": np.arange(n), "a": shape(rng, n) - effect, "b": np.zeros(n)}, COST

    compared("diebold-mariano", f"differences of losses: {name}", n, draw, effect)


def seasons(lag: int, phi: float, n: int) -> None:
    """Differences that go together from one season to the next, and with nothing between."""
    ar = np.concatenate([[1.0], np.zeros(lag - 1), [-phi]])
    periods(f"AR({phi:g}) of seasons of {lag}", lambda rng, n: lfilter([1], ar, rng.normal(size=n + 600))[600:], n)


def torn(n_groups: int, size: int) -> None:
    """Splits that tear groups with effects of their own, which are told."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        from sklearn.model_selection import KFold

        groups, n = np.repeat(np.arange(n_groups), size), n_groups * size
        own = 0.7 * rng.normal(size=n_groups)[groups] + rng.normal(size=n)
        cv = KFold(10, shuffle=True, random_state=int(rng.integers(1 << 30)))
        X, y = np.zeros((n, 1)), np.arange(n) % 2
        score = np.array([own[test].mean() for _, test in cv.split(X)])
        scores = {"a": {"test_score": score}, "b": {"test_score": np.zeros(10)}}
        return scores, {"X": X, "y": y, "groups": groups, "cv": cv, **QUALITY}

    compared("corrected-t", f"10-fold that tears {n_groups} groups of {size}", 10, draw)


# --- tables of means ------------------------------------------------------------------------------------------------------------


def latent(rng: Rng, n_models: int, n: int, correlation: float) -> Array:
    """Standard normal numbers of each model and unit, of models that are correlated so; of two it may be negative."""
    if n_models == 2:
        one, other = rng.normal(size=(2, n))
        return np.stack([one, correlation * one + np.sqrt(1 - correlation**2) * other])
    return np.sqrt(correlation) * rng.normal(size=n) + np.sqrt(1 - correlation) * rng.normal(size=(n_models, n))


def few(n_models: int) -> str:
    return "two" if n_models == 2 else str(n_models)


def letters(n_models: int) -> list[str]:
    return [chr(97 + place) for place in range(n_models)]


def rates(n: int, rate: float, n_models: int, overlap: float, decimals: int, effect: float) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        own = rate + effect * (np.arange(n_models) == 0)
        right = latent(rng, n_models, n, overlap) <= norm.ppf(own)[:, None]
        return {"model": letters(n_models), "accuracy": right.mean(axis=1).round(decimals)}, {"n_test": n}

    said = {-1.0: "disjoint", 0.0: "independent"}.get(overlap, f"correlated by {overlap:g}")
    compared("summary-rates", f"{few(n_models)} models, rate {rate:g}, {decimals} decimals, mistakes {said}", n, draw, effect)


def deviations(k: int, n_models: int, correlation: float | None, ratio: float, effect: float, df: float = np.inf) -> None:
    """Scores of folds that share 1 / k of their variance, as training sets overlap, or without a correlation of separate runs."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        if correlation is not None:
            own = latent(rng, n_models, k, correlation) * np.sqrt(1 - 1 / k)
            own += latent(rng, n_models, 1, correlation) * np.sqrt(1 / k)
        else:
            own = rng.normal(size=(n_models, k)) if np.isinf(df) else rng.standard_t(df, (n_models, k)) / np.sqrt(df / (df - 2))
        is_first = (np.arange(n_models) == 0)[:, None]
        score = 0.7 + 0.01 * np.where(is_first, ratio, 1.0) * own + effect * is_first
        table = {"f1": score.mean(axis=1).round(4), "f1_std": score.std(axis=1).round(4)}
        return {"model": letters(n_models), **table}, {"cv": k, **({"rows": "seeds"} if correlation is None else {})}

    said = f"{few(n_models)} models" + (f", correlation {correlation:g} over folds" if correlation is not None else "")
    said += f", one varies {ratio:g} times as much" if ratio != 1 else ""
    said += f", tails of t with {df:g} df" if np.isfinite(df) else ""
    compared("summary-runs" if correlation is None else "summary-folds", said, k, draw, effect)


def mean_areas(
    n_positive: int, n_negative: int, area: float, n_models: int, correlation: float, sd: float, effect: float
) -> None:
    """Areas of normal scores, those of positives with this standard deviation."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y = np.repeat([1, 0], [n_positive, n_negative])
        own = area + effect * (np.arange(n_models) == 0)
        z = latent(rng, n_models, y.size, correlation) * np.where(y == 1, sd, 1.0)
        ranks = rankdata(z + y * (norm.ppf(own) * np.sqrt(1 + sd**2))[:, None], axis=1)[:, :n_positive].sum(axis=1)
        found = (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
        return {"model": letters(n_models), "roc_auc": found.round(4)}, {"n_test": (n_positive, n_negative)}

    said = f"{few(n_models)} models, area {area:g}, {n_positive} positive, correlation {correlation:g}"
    said += f", positives vary {sd:g} times as much" if sd != 1 else ""
    compared("summary-areas", said, n_positive + n_negative, draw, effect)


# --- battles, noise floor -------------------------------------------------------------------------------------------------------


def rated(name: str, units: int, battles: Callable[[Rng], tuple[Array, Array, Array, dict[str, Any]]]) -> None:
    """Add a world of battles: first and second model, log-odds of the first, and columns."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        first, second, log_odds, columns = battles(rng)
        names = np.array([f"m{place}" for place in range(max(first.max(), second.max()) + 1)])
        won = np.where(rng.random(first.size) < 1 / (1 + np.exp(-log_odds)), "model_a", "model_b")
        found = tb.rate({"model_a": names[first], "model_b": names[second], "winner": won, **columns})
        return bool(found.rank_low.max() > 1), {code for code, _ in found.warnings}  # some model is shown better

    add("bradley-terry", name, units, judge)


def judges(n_judges: int, each: int, column: str) -> None:
    def battles(rng: Rng) -> tuple[Array, Array, Array, dict[str, Any]]:
        who = np.repeat(np.arange(n_judges), each)
        first = rng.integers(0, 4, who.size)
        second, taste = (first + rng.integers(1, 4, who.size)) % 4, rng.normal(size=(n_judges, 4))
        return first, second, taste[who, first] - taste[who, second], {column: [f"j{place}" for place in who]}

    rated(f"4 models, battles before {n_judges} of a column {column!r}, with tastes of their own", n_judges, battles)


def turned(n: int, n_turned: int) -> None:
    def battles(rng: Rng) -> tuple[Array, Array, Array, dict[str, Any]]:
        first = (np.arange(n) < n_turned).astype(int)
        return first, 1 - first, np.ones(n), {}

    rated(f"2 models, battles of which {n_turned} are turned, first favoured by 1 logit", n, battles)


def crowded(n_models: int, n: int) -> None:
    """Equal models, of which two are in most battles: pairs of the others hardly met."""
    share = np.append([0.5, 0.2], np.full(n_models - 2, 0.3 / (n_models - 2)))

    def battles(rng: Rng) -> tuple[Array, Array, Array, dict[str, Any]]:
        first = rng.choice(n_models, n, p=share)
        return first, (first + rng.integers(1, n_models, n)) % n_models, np.zeros(n), {}

    rated(f"{n_models} equal models, two of them in most battles", n, battles)


def cycle(p: float, n: int) -> None:
    """Models that beat each other in a circle; wrong is an interval of a win rate without the true one."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        first = rng.integers(0, 3, n)
        step = rng.integers(1, 3, n)
        won = rng.random(n) < np.where(step == 1, p, 1 - p)
        names = np.array(["x", "y", "z"])
        found = tb.rate(
            {"model_a": names[first], "model_b": names[(first + step) % 3], "winner": np.where(won, "model_a", "model_b")}
        )
        rate = found.win_rate("x", "y")
        return not rate.low <= p <= rate.high, {code for code, _ in found.warnings}

    add("bradley-terry", f"3 models, battles: a cycle at {p:g}", n, judge)


def floor(n_runs: int, run_sd: float, shape: Shape, n: int = 60) -> None:
    """Noise floors of suites; wrong is a difference of two further runs beyond it."""

    def judge(rng: Rng, effect: float) -> tuple[bool, set[str]]:
        hard, runs = rng.normal(size=n), [run_sd * rng.normal() + 0.5 * shape(rng, n) for _ in range(n_runs + 2)]
        keys = {"model": ["a"] * (n_runs * n), "run": np.repeat(np.arange(n_runs), n), "item": np.tile(np.arange(n), n_runs)}
        found = tb.noise_floor({**keys, "score": np.concatenate([hard + each for each in runs[:n_runs]])}, **QUALITY)
        return bool(abs(runs[-1].mean() - runs[-2].mean()) > found.floor), {code for code, _ in floor_warnings(found)}

    add("clustered-t", f"noise floor of {n_runs} runs, effect {run_sd:g}: {_named(shape)}", n, judge)


# --- notices of single items, labels, gaps and copies -----------------------------------------------------------------------


def spread_areas(positives: int, n: int) -> None:
    """Equal areas of normal scores, those of one model's positives three times as wide."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        y, z = np.arange(n) < positives, rng.normal(size=(2, n))
        score = np.stack([z[0] * np.where(y, 3, 1) + 2.5 * np.sqrt(5) * y, z[1] + 2.5 * y])
        a, b = 1 / (1 + np.exp(-score))
        return tb.read_predictions(y.astype(int), {"a": a, "b": b}, metric="roc_auc"), {}

    compared("delong", f"areas of .96, {positives} positives of {n}, of one model three times as wide", n, draw)


def labelled(n: int, n_labels: int, chosen: bool = False) -> None:
    """Judged answers from 1 to 5, of which people labelled some: 5 % of 1 beside 20 % of 4, or the better ones of a model."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        said = np.stack([np.where(rng.random(n) < 0.05, 1.0, 5.0), np.where(rng.random(n) < 0.2, 4.0, 5.0)])
        said = rng.integers(1, 6, (2, n)).astype(float) if chosen else said
        judged = np.clip(said + rng.integers(-1, 2, (2, n)), 1, 5)
        order = np.argsort(-judged[0] - rng.random(n)) if chosen else rng.permutation(n)
        labels = np.where(np.isin(np.arange(n), order[:n_labels]), said, np.nan)
        keys = {"model": ["a"] * n + ["b"] * n, "item": np.tile(np.arange(n), 2)}
        return {**keys, "score": judged.ravel(), "human": labels.ravel()}, QUALITY

    said = "those that the judge likes best" if chosen else "5 % of 1 beside 20 % of 4"
    compared("prediction-powered", f"{n} judged items, {n_labels} labelled: {said}", n, draw)


def sparse_runs(n_runs: int, share: float, effect: float = 0.4, sd: float = 0.2, n: int = 60) -> None:
    """Runs that have a share of the items each."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = rng.normal(size=n) + sd * rng.normal(size=(2, n_runs, 1)) + 0.5 * rng.normal(size=(2, n_runs, n))
        score[0] += effect
        model, run, item = np.nonzero(rng.random(score.shape) < share)
        columns = {"model": np.array(["a", "b"])[model], "run": run, "item": item, "score": score[model, run, item]}
        return columns, {**QUALITY, "missing": "pairwise"}

    compared("clustered-t", f"{n_runs} runs of {share:.0%} of the items each, of sd {sd:g}", n, draw, effect)


def skewed_runs(k: int) -> None:
    """Means and deviations of runs, lognormal ones beside normal ones."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = 0.8 + 0.01 * np.stack([CENTRED(rng, k), normal(rng, k)])
        table = {"f1": score.mean(axis=1).round(6), "f1_std": score.std(axis=1).round(6)}
        return {"model": ["a", "b"], **table}, {"cv": k, "rows": "seeds"}

    compared("summary-runs", "two models, lognormal beside normal", k, draw)


def copies(n: int, times: int) -> None:
    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        a, b = np.repeat(rng.normal(size=(2, n)), times, axis=1)
        return {"item": np.arange(n * times), "a": a, "b": b}, QUALITY

    compared("clustered-t", f"{n} items that stand {times} times each", n * times, draw)


def variants(n_sources: int, each: int) -> None:
    """Datasets of a few sources, which their names tell."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        n = n_sources * each
        own = np.repeat(rng.normal(size=n_sources), each) + 0.5 * rng.normal(size=n)
        base = rng.uniform(0.6, 0.9, n)
        names = [f"{3 * chr(97 + source)}-v{place}" for source in range(n_sources) for place in range(each)]
        return {"dataset": names, "a": base + 0.01 * own, "b": base}, QUALITY

    compared("wilcoxon", f"datasets: {each} variants of {n_sources} sources each", n_sources * each, draw)


def wordings(n: int, times: int, correlation: float) -> None:
    """One question in several wordings beside each other, right or wrong."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        own = np.sqrt(correlation) * np.repeat(rng.normal(size=(2, n)), times, axis=1)
        own += np.sqrt(1 - correlation) * rng.normal(size=own.shape)
        a, b = (own + 0.7 * np.repeat(rng.normal(size=n), times) < 0.8) * 1
        return {"item": np.arange(n * times), "a": a, "b": b}, {"metric": "accuracy"}

    compared("tango", f"{n} items in {times} wordings each, correlated by {correlation:g}", n * times, draw)


def near(n: int, times: int, noise: float, is_shuffled: bool) -> None:
    """Copies of items with small noise."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        score = np.repeat(rng.normal(size=(2, n)), times, axis=1)
        score = (score + noise * rng.normal(size=score.shape))[:, rng.permutation(n * times) if is_shuffled else slice(None)]
        return {"item": np.arange(n * times), "a": score[0], "b": score[1]}, QUALITY

    order = "in random order" if is_shuffled else "side by side"
    compared("clustered-t", f"{n} items {times} times with noise {noise:g}, {order}", n * times, draw)


def unnamed(n_sources: int, each: int, spread: float) -> None:
    """Variants of a few datasets side by side, under names that say nothing."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        n = n_sources * each
        own = np.repeat(rng.normal(size=n_sources), each) + spread * rng.normal(size=n)
        base = rng.uniform(0.6, 0.9, n)
        return {"dataset": [f"d{place}" for place in range(n)], "a": base + 0.01 * own, "b": base}, QUALITY

    compared("wilcoxon", f"datasets: {each} variants of {n_sources} sources each, without names", n_sources * each, draw)


def mostly_equal(n: int, share: float, shape: Shape, effect: float = 0.0) -> None:
    """Datasets of which a share differs at all."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        base = rng.uniform(0.6, 0.9, n)
        own = (rng.random(n) < share) * (shape(rng, n) + effect)
        return {"dataset": [f"d{place}" for place in range(n)], "a": base + 0.01 * own, "b": base}, QUALITY

    compared("paired-t", f"datasets of which {share:.0%} differ: {_named(shape)}", n, draw, effect)


def noisy_fold(k: int, n_repeats: int, times: float) -> None:
    """Folds of which one varies more than all others, in every repeat."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        fold = np.tile(np.arange(k), n_repeats)
        own = np.sqrt(1 / k) * rng.normal() + np.sqrt(1 - 1 / k) * rng.normal(size=fold.size)
        base, repeat = 0.8 + 0.05 * rng.normal(size=fold.size), np.repeat(np.arange(n_repeats), k)
        scores = {"a": base + 0.02 * own * np.where(fold == 0, times, 1.0), "b": base}
        return {"repeat": repeat, "fold": fold, **scores}, {**QUALITY, "n_train": 100 * (k - 1), "n_test": 100}

    compared("corrected-t", f"{n_repeats} x {k}-fold, one fold {times:g} times as noisy", k * n_repeats, draw)


def folds_of(n: int, k: int, n_repeats: int, shape: Shape) -> None:
    """Folds of examples whose differences have a shape."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        own = shape(rng, n)
        score = [own[part].mean() for _ in range(n_repeats) for part in np.array_split(rng.permutation(n), k)]
        fold, repeat = np.tile(np.arange(k), n_repeats), np.repeat(np.arange(n_repeats), k)
        sizes = {"n_train": n - n // k, "n_test": n // k}
        return {"repeat": repeat, "fold": fold, "a": score, "b": np.zeros(fold.size)}, {**QUALITY, **sizes}

    compared("corrected-t", f"{n_repeats} x {k}-fold of {n} examples: {_named(shape)}", k * n_repeats, draw)


def failing_clusters(n_clusters: int, share: float) -> None:
    """Clusters of 20 items of which a share fails as a whole."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        codes = np.repeat(np.arange(n_clusters), 20)
        own = np.where(rng.random(n_clusters) < share, 1 - 1 / share, 1.0) + 0.5 * rng.normal(size=n_clusters)
        a = own[codes] + rng.normal(size=codes.size)
        return {"item": np.arange(codes.size), "cluster": codes, "a": a, "b": np.zeros(codes.size)}, QUALITY

    compared("clustered-t", f"clusters of 20 items of which {share:.0%} fail", n_clusters, draw)


def failing_runs(n_runs: int, n: int = 50) -> None:
    """Runs of items of which one in ten collapses."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        off = np.stack([fails(0.1)(rng, n_runs), np.zeros(n_runs)])[..., None]
        score = rng.normal(size=n) + 0.3 * off + 0.3 * rng.normal(size=(2, n_runs, n))
        keys = {"model": np.repeat(["a", "b"], n_runs * n), "run": np.tile(np.repeat(np.arange(n_runs), n), 2)}
        return {**keys, "item": np.tile(np.arange(n), 2 * n_runs), "score": score.ravel()}, QUALITY

    compared("clustered-t", f"{n_runs} runs of items, 1 of 10 of one model fails", n, draw)


def small_gains(n: int, share: float, loss: float) -> None:
    """Items of which one model is a little better in all, which rare large losses balance."""

    def draw(rng: Rng, effect: float) -> tuple[Any, dict[str, Any]]:
        gain = share * loss / (1 - share) * (1 + rng.normal(size=n))
        return {"item": np.arange(n), "a": 5 + np.where(rng.random(n) < share, -loss, gain), "b": np.full(n, 5.0)}, QUALITY

    compared("clustered-t", f"items: small gains, -{loss:g} in {share:.1%}", n, draw)


def copying(n_judges: int, n: int, share: float, is_named: bool) -> None:
    """Judges who copy each other's votes on the same battles in a share of them, with names of what was asked or without."""

    def battles(rng: Rng) -> tuple[Array, Array, Array, dict[str, Any]]:
        first = rng.integers(0, 4, n)
        second = (first + rng.integers(1, 4, n)) % 4
        won = np.where(rng.random((n, n_judges)) < share, rng.random((n, 1)) < 0.5, rng.random((n, n_judges)) < 0.5)
        columns = {"judge": np.tile([f"j{place}" for place in range(n_judges)], n)}
        columns |= {"question": np.repeat([f"q{place}" for place in range(n)], n_judges)} if is_named else {}
        return np.repeat(first, n_judges), np.repeat(second, n_judges), np.where(won, 99, -99).ravel(), columns

    told = "of named questions" if is_named else "in a row"
    rated(f"4 models, {n_judges} judges who copy {share:.0%} of their votes on {n} battles {told}", n_judges, battles)


def drifting(n_models: int, n: int, phi: float) -> None:
    """A judge whose tastes change in time."""

    def battles(rng: Rng) -> tuple[Array, Array, Array, dict[str, Any]]:
        first = rng.integers(0, n_models, n)
        second = (first + rng.integers(1, n_models, n)) % n_models
        taste = 1.5 * np.sqrt(1 - phi**2) * lfilter([1], [1, -phi], rng.normal(size=(n_models, n + 300)))[:, 300:]
        return first, second, taste[first, np.arange(n)] - taste[second, np.arange(n)], {}

    rated(f"{n_models} models, a judge whose tastes drift (AR({phi:g}))", n, battles)


def _named(shape: Shape) -> str:
    return NAMES.get(shape, getattr(shape, "__name__", "").replace("_", " "))


LN, LN_COST = lognormal(1), lognormal(1.5)
CENTRED: Shape = lambda rng, size: 1.65 * (lognormal(1)(rng, size) - 1)  # noqa: E731
ERRORS: Shape = lambda rng, size: rng.lognormal(0, 1, size)  # noqa: E731
TAILS: Shape = lambda rng, size: rng.standard_t(3, size=size)  # noqa: E731
NEARLY: Shape = lambda rng, size: 1 + 0.1 * rng.normal(size=size)  # noqa: E731
LN_12 = lognormal(1.2)
RARELY_BAD: Shape = lambda rng, size: np.where(rng.random(size) < 0.05, 5.0, 1.0)  # noqa: E731
OFTEN_LESS: Shape = lambda rng, size: np.where(rng.random(size) < 0.2, 2.0, 1.0)  # noqa: E731
OUTLIERS = np.sqrt(0.95 + 0.05 * 100)
EVEN: Shape = lambda rng, size: OUTLIERS * rng.normal(size=size)  # noqa: E731
AS_TAILS: Shape = lambda rng, size: np.sqrt(3) * rng.normal(size=size)  # noqa: E731
AS_OUTLIERS: Shape = lambda rng, size: 1.45 * rng.normal(size=size)  # noqa: E731
FLAT = {value: constant(value) for value in (1.0, np.sqrt(3.0), np.e)}
NAMES: dict[Any, str] = {
    CENTRED: "lognormal",
    ERRORS: "lognormal",
    TAILS: "t with 3 df",
    heavy: "t with 2 df",
    LN: "lognormal of mean 1",
    LN_12: "lognormal (1.2)",
    LN_COST: "lognormal (1.5)",
    NEARLY: "nearly constant",
    RARELY_BAD: "1 and 5 % of 5",
    OFTEN_LESS: "1 and 20 % of 2",
    EVEN: "normal",
    AS_TAILS: "normal",
    AS_OUTLIERS: "normal",
    outliers: "normal and 5 % large",
}
NAMES |= {exponential: "exponential of mean 0, read as means"}
NAMES |= dict.fromkeys(FLAT.values(), "constant")


def make_worlds() -> None:
    for n in (40, 150):
        numbers("root_mean_squared_error", n, normal, FLAT[1.0])
        numbers("root_mean_squared_error", n, ERRORS, FLAT[np.e])
    numbers("root_mean_squared_error", 40, TAILS, FLAT[np.sqrt(3.0)])
    numbers("root_mean_squared_error", 80, normal, normal, 0.25)
    numbers("r2", 80, ERRORS, FLAT[np.e])
    for predicted, effect in ((8, 0.3), (15, 0.3), (60, 0.2)):
        precision(400, predicted, effect)
    for metric in ("f1", "balanced_accuracy"):
        rare_class(metric, 8, 250)
    for positives, effect in ((12, 0.6), (100, 0.4)):
        areas(positives, 250, effect)
    for metric in ("f1", "roc_auc"):
        clustered_classes(metric, 15)
    for n, effect in ((40, 0.5), (120, 0.4), (400, 0.3)):
        items("costs lognormal .5 and 1.5", n, [lognormal(0.5), LN_COST], effect)
    items("costs of 8 models, lognormal .5 and 1.5", 100, [lognormal(0.5)] * 4 + [LN_COST] * 4)
    items("costs nearly all 0 and nearly none", 60, [rarely(0.2, 1), rarely(0.8, 0.5)], 0.5)
    items("costs lognormal 1 both", 60, [LN, LN], 0.5)
    for n, effect in ((15, 1.0), (80, 0.4)):
        items("normal", n, [normal, normal], effect)
    items("grades", 80, [grades, grades], 0.35)
    items("t with 2 df", 80, [heavy, heavy], 1.0)
    items("1 of 10 far out", 80, [far_out, far_out], 2.0)
    for n in (40, 400):
        binary(n, 0.8, 0.1 if n == 40 else 0.04)
    for shape, n_clusters, effect in ((normal, 8, 0.75), (normal, 25, 0.4), (CENTRED, 10, 0.0), (CENTRED, 30, 0.0)):
        clusters(shape, n_clusters, effect)
    for sizes in ((2, 4), (3, 6), (4, 10), (3, 3), (5, 5)):
        runs(*sizes)
    for sizes in ((2, 6), (3, 9)):
        runs(*sizes, sd_b=0.01)
    tasks(CENTRED, (25, 25, 25), 0.5)
    tasks(normal, (12, 30, 150), 0.3)
    for each in ((8, 15), (8, 40), (10, 10), (10, 30)):
        slices(*each)
    for n in (10, 25, 50):
        datasets(normal, n, 0.006, 0.005, 2, "paired-t")
        datasets(normal, n, 0.006, 0.004)
    for n in (20, 60):
        small_tests(n, 50)
        datasets(heavy, n, 0.01, 0.01)
        datasets(exponential, n, 0.02, 0.0)
    for each in ((2, 8, 0.02, 0.005, 0.05), (3, 12, 0.02, 0.005, 0.05), (3, 5, 0.01, 0.01, 0.025), (6, 6, 0.01, 0.02, 0.025)):
        seeds(*each)
    for each in ((12, 5_000, 0.9), (15, 15, 0.8), (200, 2_000, 0.95)):
        test_sets(*each)
    for n in (12, 40, 80, 250):
        for phi in (0.0, 0.7):
            periods(f"AR({phi:g})", autoregression(phi), n, 3 / np.sqrt(n) / (1 - phi) ** 0.5)
    periods("zero but 10 %", lambda rng, n: rarely(0.1, 1)(rng, n) - 1, 120)
    periods("lognormal", CENTRED, 50)
    periods("MA(9)", moving(9), 150)
    torn(16, 8)
    judges(8, 60, "judge")
    judges(15, 40, "annotator")
    for each in ((400, 7), (400, 12), (300, 90)):
        turned(*each)
    cycle(0.7, 300)
    cycle(0.5, 300)
    for n_runs, sd, shape in ((2, 0.0, CENTRED), (5, 0.1, normal), (8, 0.1, normal)):
        floor(n_runs, sd, shape)
    for each in (
        (100, 0.5, 2, -1.0, 2, 0.2),
        (1000, 0.9, 2, -1.0, 3, 0.05),
        (1000, 0.99, 2, -1.0, 3, 0.008),
        (10000, 0.95, 2, -1.0, 4, 0.01),
        (100, 0.8, 2, 0.0, 2, 0.15),
        (1000, 0.9, 2, 0.0, 3, 0.05),
        (1000, 0.9, 2, 0.9, 3, 0.02),
        (1000, 0.8, 10, 0.0, 3, 0.06),
        (10000, 0.99, 10, 0.8, 4, 0.005),
        (1000, 0.9, 5, 0.98, 3, 0.03),
    ):
        rates(*each)
    for each in (
        (5, 2, -0.5, 1.0, 0.04),
        (5, 2, 0.0, 1.0, 0.04),
        (5, 2, 0.95, 1.0, 0.04),
        (10, 2, -0.9, 1.0, 0.03),
        (10, 10, 0.5, 1.0, 0.04),
        (10, 2, -0.5, 5.0, 0.1),
        (3, 2, None, 1.0, 0.04),
        (5, 2, None, 5.0, 0.1),
        (5, 10, None, 1.0, 0.05),
        (10, 5, None, 1.0, 0.02, 3.0),
    ):
        deviations(*each)
    for each in (
        (40, 160, 0.8, 2, -0.9, 1.0, 0.12),
        (40, 160, 0.8, 2, 0.8, 1.0, 0.1),
        (20, 980, 0.95, 2, -0.9, 1.0, 0.04),
        (100, 100, 0.7, 5, 0.0, 1.0, 0.15),
        (30, 300, 0.85, 2, -0.9, 2.0, 0.12),
        (30, 300, 0.85, 2, -0.9, 0.5, 0.12),
    ):
        mean_areas(*each)
    numbers("r2", 80, TAILS, FLAT[np.sqrt(3.0)])
    large_cluster(20)
    gaps(4, 80, 0.3)
    for each in (
        (60, 60, LN_12, NEARLY),
        (20, 300, LN, LN),
        (30, 30, LN_COST, NEARLY),
        (40, 40, normal, normal, 0.6),
        (20, 200, normal, normal, 0.65),
    ):
        own_items(*each)
    seasons(12, 0.6, 72)
    seasons(7, 0.5, 140)
    crowded(10, 300)
    floor(3, 0.1, normal)
    for n in (14, 22, 45):
        datasets(two_modes, n, 0.02, 0.01)
    datasets(exponential, 35, 0.02, 0.0)
    datasets(CENTRED, 40, 0.01, 0.0)
    against_the_best(8, 80, 0.6)
    large_targets("r2", 60, 1.0, 0.4)
    large_targets("r2", 120, 1.3)
    large_targets("root_mean_squared_error", 120, 1.3, 0.4)
    for n in (30, 100):
        numbers("root_mean_squared_error", n, outliers, outliers)
    numbers("root_mean_squared_error", 30, outliers, EVEN)
    numbers("root_mean_squared_error", 80, TAILS, TAILS, 0.3)
    for each in ((4, 0.6, 80), (12, 0.5, 60), (12, 0.6, 66), (24, 0.5, 168)):
        seasons(*each)
    for sizes in ((3, 300), (6, 8, 10)):
        tasks(CENTRED, sizes, 0.0)
    items("1 of 10 far out", 40, [far_out, far_out])
    items("costs of 10 models, lognormal 1", 80, [LN] * 10)
    for n in (60, 200, 400):
        for order in (0.2, 0.35):
            periods(f"long memory ({order:g})", long_memory(order), n)
    for n in (60, 240):
        periods("regimes of 40 periods", regimes(40), n)
    seasons(6, 0.6, 60)
    for n in (5, 10, 25):
        shaped_seeds(n, fails(0.1), lambda rng, size: 0.3 * rng.normal(size=size), "1 of 10 of one fails")
    shaped_seeds(20, CENTRED, normal, "lognormal beside normal")
    for n in (4, 10, 30):
        shaped_seeds(n, CENTRED, normal, "lognormal beside normal", paired=True)
    shaped_seeds(10, normal, normal, "normal")
    shaped_seeds(5, normal, normal, "normal", paired=True)
    for n in (100, 300):
        numbers("root_mean_squared_error", n, TAILS, AS_TAILS)
    numbers("mean_absolute_error", 100, outliers, AS_OUTLIERS, procedure="clustered-t")
    near_zero(200)
    for n in (40, 120):
        ceilings(n)
    sure_and_wrong(150, 0.01)
    test_sets(8, 8, 0.8)
    test_sets(50, 5_000, 0.99)
    ropes()
    for each in ((60, 0.09, 9), (250, 0.02, 9), (400, 0.02, 9), (1000, 0.02, 9)):
        balanced(*each)
    for n in (80, 200):
        items("gamma, 3 % ten times as dear, beside even", n, [mixed(0.03), mixed(0.0)])
    for n in (40, 150):
        own_items(n, n, RARELY_BAD, OFTEN_LESS)
    many_datasets(20, 30)
    for n in (3, 5):
        shaped_seeds(n, outlying, normal, "1 of 2 models has an outlier", paired=True)
    judges(10, 40, "worker")
    judges(6, 40, "reviewer_id")
    for n in (100, 200):
        items("10 models beside an even one, lognormal", n, [LN] * 10 + [lognormal(0.3)])
    periods("AR(0.95)", autoregression(0.95), 100)
    periods(
        "AR(0.5) and 5 % large", lambda rng, n: autoregression(0.5)(rng, n) + 8 * (rng.random(n) < 0.05) * normal(rng, n), 100
    )
    periods(
        "a step of mean 0", lambda rng, n: normal(rng, n) + 0.7 * rng.choice([-1, 1]) * np.sign(np.arange(n) - n / 2 + 0.5), 100
    )
    spread_areas(25, 400)
    for n_labels in (25, 80):
        labelled(300, n_labels)
    labelled(300, 80, chosen=True)
    for each in ((3, 0.7), (6, 0.5), (4, 0.95)):
        sparse_runs(*each)
    for k in (5, 10):
        skewed_runs(k)
    copies(40, 2)
    variants(10, 3)
    for each in ((60, 3, 0.9), (200, 2, 0.8), (40, 5, 0.7)):
        wordings(*each)
    for each in ((60, 2, 0.1, False), (150, 3, 0.5, False), (400, 2, 0.01, True)):
        near(*each)
    for each in ((10, 3, 0.5), (20, 2, 0.3)):
        unnamed(*each)
    for n, share, shape in ((40, 0.2, CENTRED), (60, 0.3, normal), (100, 0.1, exponential)):
        mostly_equal(n, share, shape)
    for each in ((10, 1, 20), (10, 10, 5)):
        noisy_fold(*each)
    for each in ((100, 10, 1), (300, 10, 10)):
        folds_of(*each, CENTRED)
    for each in ((30, 0.05), (12, 0.1)):
        failing_clusters(*each)
    for n_runs in (10, 20):
        failing_runs(n_runs)
    for each in ((100, 0.01, 20), (500, 0.005, 20), (1500, 0.002, 20)):
        small_gains(*each)
    for each in ((3000, 0.005, 10), (2000, 0.01, 20)):
        balanced(*each)
    for each in ((12, 60, 1.0, True), (25, 40, 1.0, True), (60, 30, 0.5, True), (25, 40, 1.0, False), (25, 40, 0.0, True)):
        copying(*each)
    for each in ((4, 600, 0.98), (2, 300, 0.95)):
        drifting(*each)
    periods(
        "a spread five times as large at the end", lambda rng, n: normal(rng, n) * np.where(np.arange(n) < 0.8 * n, 1, 5), 100
    )
    periods("season of 12 and noise", lambda rng, n: 2 * np.sin(np.pi * np.arange(n) / 6 + 7 * rng.random()) + normal(rng, n), 90)
    for n, effect in ((400, 0.15), (1500, 0.08)):
        items("normal", n, [normal, normal], effect)


class Row(NamedTuple):
    world: World
    wrong: float
    noticed: float
    silent: float
    notices: str
    decided: float
    shape: float


def measured(world: World, number: int, n_tables: int) -> Row:
    codes: Counter[str] = Counter()
    wrong = noticed = silent = shape = 0
    for place in range(n_tables):
        any_called, found = world.judge(np.random.default_rng([31, number, place]), 0.0)
        told = found - ALWAYS
        wrong, noticed, silent = wrong + any_called, noticed + bool(told), silent + (any_called and not told)
        shape += bool(told - OF_NUMBER)
        codes.update(told)
    decided = np.nan
    if world.effect:
        decided = np.mean([world.judge(np.random.default_rng([32, number, place]), world.effect)[0] for place in range(n_tables)])
    shown = "; ".join(f"{code} {100 * count / n_tables:.0f}" for code, count in codes.most_common() if count >= 0.05 * n_tables)
    return Row(world, wrong / n_tables, noticed / n_tables, silent / n_tables, shown, float(decided), shape / n_tables)


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--only", nargs="+", help="words of which one stands in the procedure or the name")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    make_worlds()
    rows, has_failed = [], False
    for number, world in enumerate(WORLDS):
        if asked.only and not any(word in f"{world.procedure} {world.name}" for word in asked.only):
            continue
        row, n = measured(world, number, asked.tables), asked.tables
        if row.wrong > LIMIT and row.noticed < NOTICED and n < MANY:
            row, n = measured(world, number, MANY), MANY
        is_above = binom.sf(row.wrong * n - 1, n, LIMIT) < 0.01 and row.noticed < NOTICED
        is_silent = is_above and row.silent >= SILENT * row.wrong
        has_failed |= bool(is_silent)
        error = np.sqrt(row.wrong * (1 - row.wrong) / n)
        found = "" if np.isnan(row.decided) else f", decided {row.decided:.2f}"
        label = f"{world.procedure:16} {world.units:6} {world.name:66}"
        fails = " FAILS" if is_silent else " SELDOM NOTICED" if is_above else ""
        told = f"silent {row.silent:.3f}, noticed {row.noticed:.2f}, by shape {row.shape:.2f}{found} {row.notices}"
        print(f"{label} wrong {row.wrong:.3f} ({error:.3f}), {told}{fails}", flush=True)
        rows.append(record(row, n))
    if asked.write:
        write_rows(TARGET, rows)
    return int(has_failed)


def record(row: Row, n_tables: int) -> dict[str, str]:
    """A row of docs/error-rates.csv."""
    world, wrong, decided = row.world, f"{100 * row.wrong:.1f}", "" if np.isnan(row.decided) else f"{100 * row.decided:.0f}"
    values = (
        world.procedure,
        world.name,
        world.units,
        "none",
        wrong,
        wrong,
        n_tables,
        f"{100 * row.noticed:.0f}",
        row.notices,
        decided,
        f"{100 * row.silent:.1f}",
        f"{100 * row.shape:.0f}",
    )
    return dict(zip(COLUMNS, map(str, values), strict=True))


if __name__ == "__main__":
    sys.exit(main())
