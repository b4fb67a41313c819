"""How often a plan of `sample_size` shows what it promises: 80 % of tables, for the default procedure of every question.

Each world says how much differences vary; `sample_size` says which difference (or rope) so many units show with a power of 0.8.
Tables with that true difference are drawn and compared by `tb.compare`, and those are counted that show what was asked for. Looks
are taken at the levels of the plan, with the interval of the procedure at each look. The share has to be within 0.03 of 0.8 and
two standard errors.

    python benchmarks/validity/sample_size.py                    all worlds (15 minutes)
    python benchmarks/validity/sample_size.py --tables 500 "items, 0/1"
    python benchmarks/validity/sample_size.py --markdown         the table of docs/questions/how-many.md
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tiebreak.comparison.sample_size import SampleSize
from tiebreak.frequentist import clustered_mean, corrected_ttest, paired_proportions

sys.path.insert(0, str(Path(__file__).parents[1]))
from goals import Goal, report

GRADES = {"metric": "grade", "lower_is_better": False}
RIGHT = {"metric": "accuracy"}
Table = Callable[[np.random.Generator, SampleSize, float], Any]


class World(NamedTuple):
    """Arguments of `sample_size`, what draws a table with a true difference, and settings of `compare`."""

    plan: dict[str, Any]
    table: Table
    settings: dict[str, Any]


def right_or_wrong(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Items on which exactly one model is right with the share of the plan; of the others half are right for both."""
    n, share = size.n or 0, size.data.discordant_at(difference)  # type: ignore[attr-defined]
    who = rng.choice(4, size=n, p=[(share + difference) / 2, (share - difference) / 2, (1 - share) / 2, (1 - share) / 2])
    return {"item": np.arange(n), "a": np.isin(who, (0, 2)).astype(int), "b": np.isin(who, (1, 2)).astype(int)}


def clustered_answers(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """The same where an item copies the outcome of its cluster with a chance that makes the correlation that of the plan."""
    data: Any = size.data
    n, m, share = size.n or 0, int(data.cluster_size), data.discordant_at(difference)
    chances = [(share + difference) / 2, (share - difference) / 2, (1 - share) / 2, (1 - share) / 2]
    own, common = rng.choice(4, size=n, p=chances), np.repeat(rng.choice(4, size=n // m, p=chances), m)
    who = np.where(rng.random(n) < np.sqrt(data.intraclass_correlation), common, own)
    answers = {"a": np.isin(who, (0, 2)).astype(int), "b": np.isin(who, (1, 2)).astype(int)}
    return {"item": np.arange(n), "cluster": np.arange(n) // m, **answers}


def grades(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Normal grades of a difference with the standard deviation of the plan, in clusters where it has some; several models."""
    data: Any = size.data
    n, m, icc = size.n or 0, int(data.cluster_size), data.intraclass_correlation
    sd = data.sd / np.sqrt(2)

    def own() -> Any:
        return sd * (np.sqrt(icc) * np.repeat(rng.normal(size=n // m), m) + np.sqrt(1 - icc) * rng.normal(size=n))

    shared = rng.normal(size=n)
    names = "abcdefgh"[: size.target.n_models]
    scores = {name: shared + own() + (difference if name == "a" else 0.0) for name in names}
    return {"item": np.arange(n), **({"cluster": np.arange(n) // m} if m > 1 else {}), **scores}


def runs(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Items crossed with runs: items, runs and both have luck of their own."""
    data: Any = size.data
    n, r = size.n or 0, data.n_runs
    lasting = np.sqrt(data.sd**2 - data.run_sd**2)
    d = lasting * rng.normal(size=(1, n)) + data.shared_run_sd * rng.normal(size=(r, 1)) + data.run_sd * rng.normal(size=(r, n))
    run, item = np.meshgrid(np.arange(r), np.arange(n), indexing="ij")
    return {"item": item.ravel(), "run": run.ravel(), "a": (difference + d).ravel(), "b": np.zeros(n * r)}


def areas(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Normal scores of both classes, which correlate within a class."""
    from scipy.special import ndtri

    data: Any = size.data
    n = size.n or 0
    y = (np.arange(n) < round(n * data.positives)).astype(int)
    shift = np.sqrt(2) * ndtri([data.area + difference, data.area])
    shared = np.sqrt(data.correlation) * rng.normal(size=n)
    own = np.sqrt(1 - data.correlation) * rng.normal(size=(2, n))
    return tb.read_predictions(y, {"a": shift[0] * y + shared + own[0], "b": shift[1] * y + shared + own[1]}, metric="roc_auc")


def units(name: str) -> Table:
    """Datasets or seeds with normal differences; of seeds that are not paired, normal scores of each model."""

    def table(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
        n, data = size.n or 0, size.data
        sd: Any = data.sd  # type: ignore[attr-defined]
        if size.data.procedure == "welch":
            scores = rng.normal(size=(2, n)) * np.array(sd)[:, None] + np.array([[difference], [0.0]])
            return {"model": ["a"] * n + ["b"] * n, "seed": [*range(n), *range(n, 2 * n)], "score": scores.ravel()}
        one = sd[0] if isinstance(sd, tuple) else sd
        d = difference + one * rng.normal(size=n)
        shared = rng.normal(size=n)
        keys = [f"d{k}" for k in range(n)] if name == "dataset" else list(range(n))
        return {name: keys, "a": shared + d, "b": shared}

    return table


def repeats(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Differences of splits, which share the luck of the data as Nadeau and Bengio have it."""
    data: Any = size.data
    n = (size.n or 0) * data.n_folds
    d = difference + data.sd * (np.sqrt(data.test_train_ratio) * rng.normal() + rng.normal(size=n))
    return {"repeat": np.arange(n) // data.n_folds, "fold": np.arange(n) % data.n_folds, "a": d, "b": np.zeros(n)}


def own_rates(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Each model on a test set of its own."""
    n, rate = size.n or 0, size.data.rate  # type: ignore[attr-defined]
    return {"model": ["a", "b"], "correct": rng.binomial(n, [rate + difference, rate]), "n": [n, n]}


def own_grades(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Normal grades of items of each model's own."""
    n, sd = size.n or 0, size.data.sd  # type: ignore[attr-defined]
    scores = rng.normal(size=(2, n)) * np.array(sd)[:, None] + np.array([[difference], [0.0]])
    items = [f"{model}{k}" for model in "ab" for k in range(n)]
    return {"model": ["a"] * n + ["b"] * n, "item": items, "score": scores.ravel()}


SPLITS = {**GRADES, "n_train": 90, "n_test": 10}
RUNS = {"sd": 1.0, "run_sd": 0.6, "shared_run_sd": 0.1}

WORLDS: dict[str, World] = {
    "items, 0/1": World({"n": 200, "discordant": 0.2}, right_or_wrong, RIGHT),
    "items, 0/1, few": World({"n": 60, "discordant": 0.3}, right_or_wrong, RIGHT),
    "items, 0/1, two rates": World({"n": 400, "rates": 0.7, "correlation": 0.5}, right_or_wrong, RIGHT),
    "items, 0/1, in clusters": World(
        {"n": 300, "discordant": 0.3, "cluster_size": 6, "intraclass_correlation": 0.2}, clustered_answers, RIGHT
    ),
    "items, graded": World({"n": 100, "sd": 1.0}, grades, GRADES),
    "items, graded, few": World({"n": 15, "sd": 1.0}, grades, GRADES),
    "items, graded, in clusters": World({"n": 150, "sd": 1.0, "cluster_size": 5, "intraclass_correlation": 0.3}, grades, GRADES),
    "items, graded, three models": World({"n": 100, "sd": 1.0, "n_models": 3}, grades, GRADES),
    "items, 4 runs": World({"n": 40, "n_runs": 4, **RUNS}, runs, GRADES),
    "items, 2 runs": World({"n": 40, "n_runs": 2, **RUNS}, runs, GRADES),
    "areas": World({"n": 200, "areas": 0.8, "correlation": 0.5, "positives": 0.3}, areas, {}),
    "datasets, 10": World({"n": 10, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "datasets, 30": World({"n": 30, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "datasets, 80": World({"n": 80, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "splits, 10 repeats": World({"n": 10, "sd": 1.0, "question": "splits"}, repeats, SPLITS),
    "splits, 1 repeat": World({"n": 1, "sd": 1.0, "question": "splits"}, repeats, SPLITS),
    "seeds": World({"n": 6, "sd": (1.0, 2.0), "question": "seeds"}, units("seed"), GRADES),
    "seeds, paired": World({"n": 8, "sd": 1.0, "question": "seeds", "paired": True}, units("seed"), GRADES),
    "test sets, 0/1": World({"n": 300, "rates": 0.7, "question": "test-sets"}, own_rates, {}),
    "test sets, graded": World({"n": 40, "sd": (1.0, 2.0), "question": "test-sets"}, own_grades, GRADES),
    "more than a rope, 0/1": World({"n": 300, "discordant": 0.2, "rope": 0.03}, right_or_wrong, RIGHT),
    "equivalent, 0/1": World({"n": 300, "discordant": 0.2, "goal": "equivalent"}, right_or_wrong, RIGHT),
    "equivalent, graded": World({"n": 80, "sd": 1.0, "goal": "equivalent"}, grades, GRADES),
    "equivalent, datasets": World({"n": 15, "sd": 1.0, "question": "datasets", "goal": "equivalent"}, units("dataset"), GRADES),
    "not worse, 0/1": World({"n": 300, "discordant": 0.2, "goal": "not worse"}, right_or_wrong, RIGHT),
    "near the best of four": World({"n": 100, "sd": 1.0, "goal": "near best", "n_models": 4}, grades, GRADES),
    "5 looks, 0/1": World({"n": 400, "discordant": 0.2, "looks": 5}, right_or_wrong, RIGHT),
    "5 looks, graded": World({"n": 60, "sd": 1.0, "looks": 5}, grades, GRADES),
    "5 looks, clusters": World(
        {"n": 300, "sd": 1.0, "cluster_size": 5, "intraclass_correlation": 0.3, "looks": 5}, grades, GRADES
    ),
    "5 looks, repeats": World({"n": 5, "sd": 1.0, "question": "splits", "looks": 5}, repeats, SPLITS),
    "4 looks, equivalent": World({"n": 200, "sd": 1.0, "goal": "equivalent", "looks": 4}, grades, GRADES),
}


def is_shown(table: Any, size: SampleSize, settings: dict[str, Any]) -> bool:
    """True where `compare` shows what the plan is for."""
    goal = size.target.goal
    if size.target.n_looks > 1:
        return bool(shown_at(table, size) < size.target.n_looks)
    answer = tb.compare(table, rope=size.rope, **settings)
    if goal == "near best":
        return answer.meets(near_best="a").outcome == "met"
    if goal == "not worse":
        return answer.meets(not_worse=("a", "b")).outcome == "met"
    if goal == "equivalent":
        return answer.pair("a", "b").verdict == "equivalent"
    return answer.pair("a", "b").interval_low > size.rope


def shown_at(table: Any, size: SampleSize) -> int:
    """The look at which a table shows it, counted from 0; the number of looks where none does."""
    looks = size.looks
    assert looks is not None
    d = np.asarray(table["a"], dtype=float) - np.asarray(table["b"], dtype=float)
    for number, (n, level) in enumerate(zip(looks.n, looks.levels, strict=True)):
        if size.data.procedure == "tango":
            b, c = np.count_nonzero(d[:n] > 0), np.count_nonzero(d[:n] < 0)
            low, high = paired_proportions(n - b - c, b, c, 0).confidence_interval(1 - level)
        elif size.data.procedure == "corrected-t":
            k: Any = size.data
            low, high = corrected_ttest(d[: n * k.n_folds], test_train_ratio=k.test_train_ratio).confidence_interval(1 - level)
        else:
            low, high = clustered_mean(d[:n], table.get("cluster", np.arange(len(d)))[:n]).confidence_interval(1 - level)
        if (low >= -size.rope and high <= size.rope) if size.target.goal == "equivalent" else low > size.rope:
            return number
    return len(looks.n)


class Found(NamedTuple):
    """Share of tables that show what the plan is for, its standard error, and the mean number of units with looks."""

    share: float
    error: float
    used: float


def simulated(world: World, size: SampleSize, n_tables: int, seed: int) -> Found:
    """Tables with the true difference of the plan."""
    looks, shown, used = size.looks, 0, 0.0
    for k in range(n_tables):
        table = world.table(np.random.default_rng((seed, k)), size, size.difference)
        if looks is None:
            shown += is_shown(table, size, world.settings)
            continue
        at = shown_at(table, size)
        shown += at < len(looks.n)
        used += looks.n[min(at, len(looks.n) - 1)]
    return Found(shown / n_tables, float(np.sqrt(0.16 / n_tables)), used / n_tables)


def main() -> int:
    """Print the share of each world."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("worlds", nargs="*", help="some of: " + ", ".join(WORLDS))
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--markdown", action="store_true", help="print the table of the documentation")
    parser.add_argument("--seed", type=int, default=30)
    chosen = parser.parse_args()
    goals = []
    if chosen.markdown:
        print("| what is planned | units | procedure | power said | tables that show it |\n|---|---|---|---|---|")
    for name, world in WORLDS.items():
        if chosen.worlds and name not in chosen.worlds:
            continue
        size = tb.sample_size(**world.plan)
        found = simulated(world, size, chosen.tables, chosen.seed)
        units_said = f"{size.n:,} {size.unit}{'s' if size.n != 1 else ''}"
        if chosen.markdown:
            print(f"| {name} | {units_said} | {size.data.procedure} | {size.power:.2f} | {found.share:.3f} |", flush=True)
        else:
            looks = size.looks
            mean = "" if looks is None else f"; {found.used:.1f} units on average, {looks.expected:.1f} were said"
            print(
                f"  {name:28} {size.data.procedure:12} {size.effect:.4g} with {units_said}: shown in {found.share:.3f} of tables "
                f"+- {found.error:.3f}{mean}",
                flush=True,
            )
        goals.append(Goal(f"{name}: distance from the power", abs(found.share - size.power), "at most", 0.03 + 2 * found.error))
        if size.looks is not None:
            ratio = abs(found.used / size.looks.expected - 1)
            goals.append(Goal(f"{name}: units on average, off by a share of", ratio, "at most", 0.05))
    return 0 if chosen.markdown and all(goal.is_met for goal in goals) else report(goals)


if __name__ == "__main__":
    sys.exit(main())
