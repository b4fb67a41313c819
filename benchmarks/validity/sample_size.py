"""How often a plan of `sample_size` shows what it promises: 80 % of tables, for the default procedure of every question.

Each world says how much differences vary; `sample_size` says which difference (or rope) so many units show with a power of 0.8.
Tables with that true difference are drawn and judged by the procedure that `tb.compare` takes, many at once, and those are
counted whose intervals show what was asked for; with looks, at the levels of the plan. The share has to be within 0.03 of 0.8
and two standard errors, and the mean number of units with looks within 5 %.

    python benchmarks/validity/sample_size.py                    all worlds (5 minutes)
    python benchmarks/validity/sample_size.py --tables 500 "items, 0/1"
    python benchmarks/validity/sample_size.py --markdown         the table of docs/questions/how-many.md
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tiebreak.comparison.sample_size import SampleSize

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
    n, share = size.n or 0, size.population.discordant_at(difference)
    who = rng.choice(4, size=n, p=[(share + difference) / 2, (share - difference) / 2, (1 - share) / 2, (1 - share) / 2])
    return {"item": np.arange(n), "a": np.isin(who, (0, 2)).astype(int), "b": np.isin(who, (1, 2)).astype(int)}


def clustered_answers(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """The same where an item copies the outcome of its cluster with a chance that makes the correlation that of the plan."""
    data: Any = size.population
    n, m, share = size.n or 0, int(data.cluster_size), data.discordant_at(difference)
    chances = [(share + difference) / 2, (share - difference) / 2, (1 - share) / 2, (1 - share) / 2]
    own, common = rng.choice(4, size=n, p=chances), np.repeat(rng.choice(4, size=n // m, p=chances), m)
    who = np.where(rng.random(n) < np.sqrt(data.intraclass_correlation), common, own)
    answers = {"a": np.isin(who, (0, 2)).astype(int), "b": np.isin(who, (1, 2)).astype(int)}
    return {"item": np.arange(n), "cluster": np.arange(n) // m, **answers}


def grades(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Normal grades of a difference with the standard deviation of the plan, in clusters where it has some; several models."""
    data: Any = size.population
    n, m, icc = size.n or 0, int(data.cluster_size), data.intraclass_correlation
    sd = data.sd[0] / np.sqrt(2)

    def own() -> Any:
        return sd * (np.sqrt(icc) * np.repeat(rng.normal(size=n // m), m) + np.sqrt(1 - icc) * rng.normal(size=n))

    shared = rng.normal(size=n)
    names = "abcdefgh"[: size.n_models]
    scores = {name: shared + own() + (difference if name == "a" else 0.0) for name in names}
    return {"item": np.arange(n), **({"cluster": np.arange(n) // m} if m > 1 else {}), **scores}


def units(name: str) -> Table:
    """Datasets or seeds with normal differences; of seeds that are not paired, normal scores of each model."""

    def table(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
        n, sd = size.n or 0, size.population.sd
        if size.population.procedure == "welch":
            scores = rng.normal(size=(2, n)) * np.array(sd)[:, None] + np.array([[difference], [0.0]])
            return {"model": ["a"] * n + ["b"] * n, "seed": [*range(n), *range(n, 2 * n)], "score": scores.ravel()}
        d = difference + sd[0] * rng.normal(size=n)
        shared = rng.normal(size=n)
        keys = [f"d{k}" for k in range(n)] if name == "dataset" else list(range(n))
        return {name: keys, "a": shared + d, "b": shared}

    return table


def repeats(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Differences of splits, which share the luck of the data as Nadeau and Bengio have it."""
    data: Any = size.population
    n = (size.n or 0) * data.n_folds
    d = difference + data.sd[0] * (np.sqrt(data.ratio) * rng.normal() + rng.normal(size=n))
    return {"repeat": np.arange(n) // data.n_folds, "fold": np.arange(n) % data.n_folds, "a": d, "b": np.zeros(n)}


def own_rates(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Each model on a test set of its own."""
    n, rate = size.n or 0, size.population.rate
    return {"model": ["a", "b"], "correct": rng.binomial(n, [rate + difference, rate]), "n": [n, n]}


def own_grades(rng: np.random.Generator, size: SampleSize, difference: float) -> Any:
    """Normal grades of items of each model's own."""
    n, sd = size.n or 0, size.population.sd
    scores = rng.normal(size=(2, n)) * np.array(sd)[:, None] + np.array([[difference], [0.0]])
    items = [f"{model}{k}" for model in "ab" for k in range(n)]
    return {"model": ["a"] * n + ["b"] * n, "item": items, "score": scores.ravel()}


SPLITS = {**GRADES, "n_train": 90, "n_test": 10}

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
    "datasets, 10": World({"n": 10, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "datasets, 30": World({"n": 30, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "datasets, 80": World({"n": 80, "sd": 1.0, "question": "datasets"}, units("dataset"), GRADES),
    "splits, 10 repeats": World({"n": 10, "sd": 1.0, "question": "splits"}, repeats, SPLITS),
    "splits, 1 repeat": World({"n": 1, "sd": 1.0, "question": "splits"}, repeats, SPLITS),
    "seeds": World({"n": 6, "sd": (1.0, 2.0), "question": "seeds"}, units("seed"), GRADES),
    "seeds, paired": World({"n": 8, "sd": 1.0, "question": "seeds", "correlation": 0.5}, units("seed"), GRADES),
    "test sets, 0/1": World({"n": 300, "rates": 0.7, "question": "test-sets"}, own_rates, {}),
    "test sets, graded": World({"n": 40, "sd": (1.0, 2.0), "question": "test-sets"}, own_grades, GRADES),
    "more than a rope, 0/1": World({"n": 300, "discordant": 0.2, "rope": 0.03}, right_or_wrong, RIGHT),
    "equivalent, 0/1": World({"n": 300, "discordant": 0.2, "goal": "equivalent"}, right_or_wrong, RIGHT),
    "equivalent, graded": World({"n": 80, "sd": 1.0, "goal": "equivalent"}, grades, GRADES),
    "equivalent, datasets": World({"n": 15, "sd": 1.0, "question": "datasets", "goal": "equivalent"}, units("dataset"), GRADES),
    "not worse, 0/1": World({"n": 300, "discordant": 0.2, "goal": "not worse"}, right_or_wrong, RIGHT),
    "5 looks, 0/1": World({"n": 400, "discordant": 0.2, "looks": 5}, right_or_wrong, RIGHT),
    "5 looks, graded": World({"n": 60, "sd": 1.0, "looks": 5}, grades, GRADES),
    "5 looks, clusters": World(
        {"n": 300, "sd": 1.0, "cluster_size": 5, "intraclass_correlation": 0.3, "looks": 5}, grades, GRADES
    ),
    "5 looks, repeats": World({"n": 5, "sd": 1.0, "question": "splits", "looks": 5}, repeats, SPLITS),
    "4 looks, equivalent": World({"n": 200, "sd": 1.0, "goal": "equivalent", "looks": 4}, grades, GRADES),
}


BLOCK = 200
"""Tables that are compared at once, each with models of its own."""


def joined(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """One table with the models of all, each named after its table."""
    if "model" in tables[0]:  # long: a row for each score
        rows = {name: np.concatenate([np.asarray(table[name]) for table in tables]) for name in tables[0]}
        names = [[f"{model}{k}" for model in table["model"]] for k, table in enumerate(tables)]
        more = {"item": [f"{name}/{k}" for k, table in enumerate(tables) for name in table["item"]]} if "item" in rows else {}
        return {**rows, **more, "model": [name for some in names for name in some]}
    shared = {name: values for name, values in tables[0].items() if name not in MODELS}
    return shared | {f"{m}{k}": table[m] for k, table in enumerate(tables) for m in table if m in MODELS}


MODELS = "abcdefgh"


def intervals(tables: list[dict[str, Any]], size: SampleSize, settings: dict[str, Any], alpha: float) -> list[tuple[Any, Any]]:
    """Intervals at 1 - alpha of the first model of each table against each other one, by the procedure that `compare` takes."""
    table = joined(tables)
    if "y" in table:
        y = table.pop("y")
        answer = tb.compare(tb.read_predictions(y, table, metric="roc_auc"), baseline="a0", correction="none")
    else:
        answer = tb.compare(table, baseline="a0", correction="none", **settings)
    if answer.method.name != size.population.procedure:
        raise AssertionError(f"planned for {size.population.procedure}, compared by {answer.method.name}")
    row = {name: k for k, name in enumerate(answer.models)}
    first = np.array([row[f"a{k}"] for k in range(len(tables))])
    found = []
    for rival in MODELS[1 : size.n_models]:
        second = np.array([row[f"{rival}{k}"] for k in range(len(tables))])
        found.append(answer.method.judged(answer.scores, first, second, answer.settings).law.interval_at(alpha))
    return found


def is_shown(found: list[tuple[Any, Any]], size: SampleSize) -> Any:
    """True for each table whose intervals show what the plan is for."""
    low, high = found[0]
    match size.goal:
        case "equivalent":
            return (low >= -size.rope) & (high <= size.rope)
        case "not worse":
            return low >= -size.rope
    return low > size.rope


class Found(NamedTuple):
    """Share of tables that show what the plan is for, its standard error, and the mean number of units with looks."""

    share: float
    error: float
    used: float


def simulated(world: World, size: SampleSize, n_tables: int, seed: tuple[int, int]) -> Found:
    """Tables with the true difference of the plan."""
    looks, shown, used = size.looks, 0, 0.0
    at = ((size.n or 0, size.interval_alpha),) if looks is None else tuple(zip(looks.n, looks.interval_alphas, strict=True))
    for start in range(0, n_tables, BLOCK):
        rngs = [np.random.default_rng((*seed, k)) for k in range(start, min(start + BLOCK, n_tables))]
        tables = [world.table(rng, size, size.difference) for rng in rngs]
        is_open, before = np.ones(len(tables), dtype=bool), 0
        for n, alpha in at:
            used += (n - before) * is_open.sum()
            before = n
            now = tables if n == size.n else [_first(table, n, size) for table in tables]
            is_open &= ~is_shown(intervals(now, size, world.settings, alpha), size)
        shown += int((~is_open).sum())
    return Found(shown / n_tables, float(np.sqrt(0.16 / n_tables)), used / n_tables)


def _first(table: dict[str, Any], n: int, size: SampleSize) -> dict[str, Any]:
    """The first n units of a wide table."""
    rows = n * size.population.n_folds
    return {name: values[:rows] for name, values in table.items()}


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
        print("| what is planned | units | procedure | tables that show it |\n|---|---|---|---|")
    for number, (name, world) in enumerate(WORLDS.items()):
        if chosen.worlds and name not in chosen.worlds:
            continue
        size = tb.sample_size(**world.plan)
        found = simulated(world, size, chosen.tables, (chosen.seed, number))
        units_said = f"{size.n:,} {size.unit}{'s' if size.n != 1 else ''}"
        if chosen.markdown:
            print(f"| {name} | {units_said} | {size.population.procedure} | {found.share:.3f} |", flush=True)
        else:
            looks = size.looks
            mean = "" if looks is None else f"; {found.used:.1f} units on average, {looks.expected:.1f} were said"
            print(
                f"  {name:28} {size.population.procedure:12} {size.effect:.4g} with {units_said}: shown in {found.share:.3f} of "
                f"tables +- {found.error:.3f}{mean}",
                flush=True,
            )
        goals.append(Goal(f"{name}: distance from the power", abs(found.share - size.power), "at most", 0.03 + 2 * found.error))
        if size.looks is not None:
            ratio = abs(found.used / size.looks.expected - 1)
            goals.append(Goal(f"{name}: units on average, off by a share of", ratio, "at most", 0.05))
    return 0 if chosen.markdown and all(goal.is_met for goal in goals) else report(goals)


if __name__ == "__main__":
    sys.exit(main())
