"""How often answers over several tasks of a language-model evaluation are right, on made suites with a known truth.

``python benchmarks/validity/language_models.py [SUITES] [WORD ...]`` draws so many suites for each cell (400), of those whose
name has one of the words if there are any. Cells are of tasks of 50 to 2,000 items: one answer each, epochs (2 and 4), crossed
runs (3), clusters, missing items, a task that nearly everybody solves; a judge who favours the answer that stands first; and
answers scored by a judge who favours one model, some of them labelled by people. It prints the coverage of the 95 % interval of
the difference of two models, the share of suites of three equal models in which some pair is called different, and, with epochs,
how wide the interval is beside that of the paired means over items. Exit code 1 when a coverage lies outside .93 to .98, or more
than 5 % are wrong, by more than a binomial test at .01 over all cells allows. The shares of suites of equal models are the rows
of macro-average and prediction-powered in docs/error-rates.csv.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats
from scipy.special import ndtr

from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.ratings import BASE, ELO_PER_LOG_ODDS
from tiebreak.comparison.settings import Settings
from tiebreak.rating import rate
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric

LOWEST, HIGHEST, MOST_WRONG = 0.93, 0.98, 0.05
SIZES = (50, 120, 400, 2000)


@dataclass(frozen=True)
class World:
    """A way in which suites are made: the skill of each model in each task, and what answers of one item share."""

    name: str
    sizes: tuple[int, ...] = SIZES
    easy: tuple[float, ...] = (0.0, 0.3, 0.8, -0.4)
    """Mean ease of the items of each task; 2.5 is solved nearly always."""
    n_epochs: int = 1
    n_runs: int = 1
    cluster_size: int = 1
    missing: float = 0.0
    advantage: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Skill of each model, the same in every task; 0 for all is the world of equal models."""
    run_sd: float = 0.15


WORLDS = (
    World("one answer each"),
    World("two tasks of 50", sizes=(50, 50), easy=(0.0, 0.5)),
    World("ten tasks of 50", sizes=(50,) * 10, easy=(0.0,) * 10),
    World("a small task solved nearly always", sizes=(50, 500), easy=(2.2, 0.0)),
    World("2 epochs", n_epochs=2),
    World("4 epochs", n_epochs=4),
    World("3 crossed runs", n_runs=3),
    World("clusters of 5", cluster_size=5),
    World("10 % missing", missing=0.1),
)


def suite(world: World, rng: np.random.Generator) -> tuple[Items, np.ndarray]:
    """A suite, and the expected macro-average of each model over all items that there could be."""
    n_models = len(world.advantage)
    scores, truth, tasks, clusters = [], [], [], []
    run_effects = rng.normal(0, world.run_sd if world.n_runs > 1 else 0.0, (n_models, world.n_runs, 1))
    for task, (n, ease) in enumerate(zip(world.sizes, world.easy, strict=True)):
        cluster = np.arange(n) // world.cluster_size
        share = 0.5 if world.cluster_size > 1 else 0.0  # of the variance that items of a cluster share, for each model by itself
        hard = rng.normal(size=n)
        own = np.sqrt(share) * rng.normal(size=(n_models, cluster.max() + 1))[:, cluster]
        own = 0.7 * (own + np.sqrt(1 - share) * rng.normal(size=(n_models, n)))
        skill = np.array(world.advantage)[:, None]
        latent = (ease + skill + hard + own)[:, None, :] + run_effects
        p = ndtr(2.0 * latent)
        answers = rng.binomial(world.n_epochs, p) / world.n_epochs
        sd = np.sqrt(1 + 0.49 + (world.run_sd**2 if world.n_runs > 1 else 0.0) + 0.25)
        truth.append(ndtr((ease + skill[:, 0]) / sd))
        if world.missing:
            answers = np.where(rng.random(answers.shape) < world.missing, np.nan, answers)
        scores.append(answers)
        tasks += [f"task {task}"] * n
        clusters += [f"{task}/{each}" for each in cluster]
    score = np.concatenate(scores, axis=2)
    items = Items(
        Metric("accuracy", higher_is_better=True),
        tuple("abc"[:n_models]),
        tuple(map(str, range(1, world.n_runs + 1))),
        tuple(map(str, range(score.shape[2]))),
        score,
        clusters=tuple(clusters) if world.cluster_size > 1 else None,
        columns={"task": tuple(tasks)},
    )
    return items, np.mean(truth, axis=0)


def covered(world: World, n_suites: int, rng: np.random.Generator) -> tuple[float, float]:
    """Share of suites whose interval of two models holds the truth, and the median of its width over the plain one."""
    inside, widths = [], []
    for _ in range(n_suites):
        items, truth = suite(replace(world, advantage=(0.1, 0.0)), rng)
        pair = compare_scores(items.as_scores(), Settings()).pair("a", "b")
        inside.append(pair.interval_low <= truth[0] - truth[1] <= pair.interval_high)
        if world.n_epochs > 1:
            d = items.score[0, 0] - items.score[1, 0]
            tasks = np.array(items.tasks)
            own = [d[tasks == each] for each in dict.fromkeys(tasks)]
            v = np.array([each.var(ddof=1) / each.size for each in own]) / len(own) ** 2
            df = v.sum() ** 2 / (v**2 / (np.array([each.size for each in own]) - 1)).sum()
            widths.append((pair.interval_high - pair.interval_low) / (2 * stats.t.isf(0.025, df) * np.sqrt(v.sum())))
    return float(np.mean(inside)), float(np.median(widths)) if widths else float("nan")


def wrong(world: World, n_suites: int, rng: np.random.Generator) -> float:
    """Share of suites of three equal models in which some pair is called different."""
    found = 0
    for _ in range(n_suites):
        table = compare_scores(suite(world, rng)[0].as_scores(), Settings()).pair_table
        found += bool((table.shown_direction != 0).any())
    return found / n_suites


def is_asked(name: str) -> bool:
    """True for a cell that has one of the words of the command line in its name, or where there are none."""
    words = sys.argv[2:]
    return not words or any(word in name for word in words)


def _rows(n_suites: int) -> Iterator[tuple[str, bool]]:
    n_cells = 2 * len(WORLDS)
    is_rare: Callable[[float], bool] = lambda p: p < 0.01 / n_cells  # noqa: E731
    for number, world in enumerate(WORLDS):
        if not is_asked(world.name):
            continue
        rng = np.random.default_rng([29, number])
        inside, width = covered(world, n_suites, rng)
        called = wrong(world, n_suites, rng)
        k, w = round(inside * n_suites), round(called * n_suites)
        misses = is_rare(stats.binom.cdf(k, n_suites, LOWEST)) or is_rare(stats.binom.sf(k - 1, n_suites, HIGHEST))
        misses = misses or is_rare(stats.binom.sf(w - 1, n_suites, MOST_WRONG)) or width > 1.05
        beside = "" if np.isnan(width) else f"  {width:.3f} times as wide as the paired means"
        yield f"{world.name:<46} {inside:8.3f} {called:8.3f}{beside}{'  MISSED' if misses else ''}", misses


JUDGES = (
    ("a judge without bias", 0.0),
    ("a judge who prefers the first, 62 %", 0.5),
    ("a judge who prefers the first, 82 %", 1.5),
)
"""Log-odds by which the judge favours the answer that stands first."""


def judged(bias: float, ability: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Battles of all pairs on 60 questions, each in one of the two orders or in both; some models stand first more often."""
    first, second = np.triu_indices(ability.size, 1)
    question, pair = (each.ravel() for each in np.meshgrid(np.arange(60), np.arange(first.size), indexing="ij"))
    turned = rng.random(question.size) < 0.3
    again = rng.random(question.size) < 0.3
    a, b = np.where(turned, second[pair], first[pair]), np.where(turned, first[pair], second[pair])
    a, b = np.concatenate([a, b[again]]), np.concatenate([b, a[again]])
    question = np.concatenate([question, question[again]])
    chance = 1 / (1 + np.exp(-(ability[a] - ability[b] + bias)))
    outcome = np.where(rng.random(a.size) < 0.05, "tie", np.where(rng.random(a.size) < chance, "a", "b"))
    names = np.array(list("wxyz"))
    return {"model_a": names[a], "model_b": names[b], "winner": outcome, "cluster": question}


def judge_rows(n_suites: int) -> Iterator[tuple[str, bool]]:
    """Coverage of the interval of a rating above that of another model, and how often equal models are told apart."""
    for number, (name, bias) in enumerate(JUDGES):
        if not is_asked(name):
            continue
        rng = np.random.default_rng([2900, number])
        inside, called = 0, 0
        ability = np.array([0.8, 0.3, 0.0, -0.4])
        for _ in range(n_suites):
            # 5 % of ties, half a win each, pull probabilities towards a half: the ability that the mean score has
            found = rate(judged(bias, ability, rng), anchor="y")
            row = found.models.index("w")
            inside += found.rating_low[row] <= BASE + ELO_PER_LOG_ODDS * with_ties(ability, bias)[0] <= found.rating_high[row]
            equal = rate(judged(bias, np.zeros(4), rng))
            called += int(equal.rank_low.max() > 1)
        misses = stats.binom.cdf(inside, n_suites, LOWEST) < 0.01 / 6 or stats.binom.sf(inside - 1, n_suites, HIGHEST) < 0.01 / 6
        misses = misses or stats.binom.sf(called - 1, n_suites, MOST_WRONG) < 0.01 / 6
        yield f"{name:<46} {inside / n_suites:8.3f} {called / n_suites:8.3f}{'  MISSED' if misses else ''}", bool(misses)


LABELLED = ((20, 0.05, 0.0, 1), (20, 0.2, 0.1, 1), (50, 0.2, 0.1, 1), (200, 0.2, 0.1, 1), (60, 0.2, 0.1, 5), (200, 0.2, 0.1, 5))
"""Questions labelled of 500, share of the answers of one model that the judge calls right anyhow, share that it mistakes, and
questions on one text, of which the models know more or less than of others, and whose answers the judge mistakes together."""


def labelled(n_labels: int, favour: float, noise: float, of_text: int, n_models: int, rng: np.random.Generator) -> Items:
    """Answers of models that people find equally good, scored by a judge who favours the first."""
    n = 500
    texts = np.arange(n) // of_text
    skill = rng.normal(size=n) + 0.7 * rng.normal(size=(n_models, n))
    if of_text > 1:
        skill = skill + rng.normal(size=(n_models, n))[:, texts]
    truth = (skill > -0.4).astype(float)
    mistaken = rng.random(truth.shape) < noise
    judge = np.where(mistaken if of_text == 1 else mistaken[:, texts], 1 - truth, truth)
    judge[0] = np.where(rng.random(n) < favour, 1.0, judge[0])
    people = np.full(truth.shape, np.nan)
    people[:, :n_labels] = truth[:, :n_labels]
    names, questions = tuple("abcdefghij"[:n_models]), tuple(map(str, range(n)))
    clusters = tuple(map(str, texts)) if of_text > 1 else None
    metric = Metric("accuracy", higher_is_better=True)
    return Items(metric, names, ("1",), questions, judge[:, None], labels=people, clusters=clusters)


def label_rows(n_suites: int) -> Iterator[tuple[str, bool]]:
    """Coverage of the difference that people would find, 0, and how often three equal models are told apart."""
    for number, world in enumerate(LABELLED):
        texts = f", {world[0] // world[3]} texts" if world[3] > 1 else ""
        name = f"{world[0]} labels{texts}, favour {world[1]:.0%}, mistakes {world[2]:.0%}"
        if not is_asked(name):
            continue
        rng = np.random.default_rng([29000, number])
        inside, called = 0, 0
        for _ in range(n_suites):
            pair = compare_scores(labelled(*world, 2, rng).as_scores(), Settings()).pair("a", "b")
            inside += pair.interval_low <= 0 <= pair.interval_high
            table = compare_scores(labelled(*world, 3, rng).as_scores(), Settings()).pair_table
            called += bool((table.shown_direction != 0).any())
        # few labels of a judge who errs rarely make the interval wider than need be, so only the lower limit counts
        misses = (
            stats.binom.cdf(inside, n_suites, LOWEST) < 0.01 / 12 or stats.binom.sf(called - 1, n_suites, MOST_WRONG) < 0.01 / 12
        )
        yield f"{name:<46} {inside / n_suites:8.3f} {called / n_suites:8.3f}{'  MISSED' if misses else ''}", bool(misses)


def with_ties(ability: np.ndarray, bias: float, share: float = 0.05) -> np.ndarray:
    """Abilities above the third model's that best fit the expected scores where a share of battles ties by chance."""
    first, second = (each.ravel() for each in np.meshgrid(range(4), range(4), indexing="ij"))
    # 70 % of pairs stand in order and 30 % turned, and 30 % of either stand the other way round too
    met, weight = first != second, np.where(first < second, 0.7 + 0.3 * 0.3, 0.3 + 0.3 * 0.7)
    first, second, weight = first[met], second[met], weight[met]
    expected = (1 - share) / (1 + np.exp(-(ability[first] - ability[second] + bias))) + share / 2
    design = np.zeros((first.size, 5))
    design[np.arange(first.size), first] += 1
    design[np.arange(first.size), second] -= 1
    design[:, 4] = 1
    w = np.zeros(5)
    for _ in range(50):
        p = 1 / (1 + np.exp(-(design @ w)))
        w += np.linalg.lstsq(
            (design * (weight * p * (1 - p))[:, None]).T @ design, design.T @ (weight * (expected - p)), rcond=None
        )[0]
    return np.asarray(w[:4] - w[2])


def wrong_of_two(world: World, n_suites: int) -> float:
    """Share of suites of two equal models whose interval leaves 0 out, a row of docs/error-rates.csv too."""
    rng = np.random.default_rng([290, WORLDS.index(world)])
    return wrong(replace(world, advantage=(0.0, 0.0)), n_suites, rng)


def main() -> int:
    n_suites = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"{n_suites} suites a cell; standard error {np.sqrt(0.95 * 0.05 / n_suites):.3f}")
    print(f"{'':<46} {'coverage':>8} {'wrong':>8}")
    missed = False
    for line, is_missed in _rows(n_suites):
        print(line, flush=True)
        missed = missed or is_missed
    for rows in (judge_rows, label_rows):
        for line, is_missed in rows(n_suites):
            print(line, flush=True)
            missed = missed or is_missed
    for place in (0, 1, 3):
        if is_asked(name := f"two equal models, {WORLDS[place].name}"):
            print(f"{name}: {wrong_of_two(WORLDS[place], n_suites):.3f} wrong", flush=True)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
