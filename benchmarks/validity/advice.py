"""How often the next step comes true: of pairs that "about N more" would settle, those that N more units of the same world do.

Two models are measured on a pilot, whose true difference is drawn afresh for each table: normal, with a standard deviation of
`SPREAD` standard errors of the pilot, so that many pilots are undecided. Where the answer names a number of units, the pilot goes
on to that many, with the same difference, and is compared again. It counts as settled where the verdict is another than it was,
and decides: better, worse or equivalent, or ahead of an undecided pair.

At least half of the continuations have to be settled, or 40 % where the sentence says that the odds are even at best, or about
even; about even are they up to 65 %.

    python benchmarks/validity/advice.py                 all questions, a few minutes
    python benchmarks/validity/advice.py --pilots 100 time
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tiebreak as tb
from tiebreak.comparison.next_step import MOST_TIMES, need_of

sys.path.insert(0, str(Path(__file__).parents[1]))
from goals import Goal, report

SPREAD = 1.5
MOST_UNITS = 20_000
"""Units beyond which a continuation is not drawn, as it would take long; such pilots are left out."""


class Question(NamedTuple):
    """Units of a pilot, its standard error, the rope, what draws a table of so many units, settings, and what `compare` reads."""

    n_units: int
    error: float
    rope: float
    table: Callable[[np.random.Generator, int, float], Any]
    settings: dict[str, Any]
    source: Callable[[Any], Any] = dict


def items(kind: str) -> Callable[[np.random.Generator, int, float], Any]:
    """Right and wrong answers, or grades, of two models on the same items."""

    def table(rng: np.random.Generator, n: int, difference: float) -> Any:
        if kind == "0/1":
            hard, first, second = rng.random((3, n))
            base = np.where(hard < 0.5, 0.9, 0.5)
            scores = [(luck < base + shift).astype(int) for luck, shift in ((first, difference / 2), (second, -difference / 2))]
        else:
            scores = list(rng.normal(size=(1, n)) + rng.normal(size=(2, n)) + np.array([[difference], [0.0]]))
        return {"item": np.arange(n), "a": scores[0], "b": scores[1]}

    return table


def units(name: str, spread: float = 1.0, memory: float = 0.0) -> Callable[[np.random.Generator, int, float], Any]:
    """Scores by dataset, seed or period; differences of the last may go together over time."""

    def table(rng: np.random.Generator, n: int, difference: float) -> Any:
        own = rng.normal(size=(2, n + 50)) * spread
        for at in range(1, n + 50):
            own[:, at] = memory * own[:, at - 1] + np.sqrt(1 - memory**2) * own[:, at] if memory else own[:, at]
        keys = [f"{name} {number}" for number in range(n)] if name == "dataset" else list(range(n))
        return {name: keys, "a": own[0, 50:] + difference, "b": own[1, 50:]}

    return table


def clusters(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Grades of items in clusters of five."""
    cluster = np.arange(n) // 5
    own = rng.normal(size=(2, n))[:, cluster] + rng.normal(size=(2, n)) + np.array([[difference], [0.0]])
    return {"item": np.arange(n), "cluster": cluster, "a": own[0], "b": own[1]}


def areas(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Scores of two models for items of which every fourth is positive; the difference is of the shift of positives."""
    truth = np.arange(n) % 4 == 0
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    return {"truth": truth.astype(int), "a": shared + own[0] + (1.4 + difference) * truth, "b": shared + own[1] + 1.4 * truth}


def own_sets(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Right answers of two models, each on a test set of its own with half of the examples, one by one."""
    luck = rng.random((2, n // 2))
    right = (luck < np.clip(0.8 + np.array([[difference], [0.0]]), 0, 1)).astype(int)
    return {"a": right[0], "b": right[1]}


def repeats(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Repeats of ten folds; splits share a luck of the data, with a correlation of n_test / (n_train + n_test)."""
    rho = 0.1
    luck = np.sqrt(rho) * rng.normal(size=2)
    own = luck[:, None] + np.sqrt(1 - rho) * rng.normal(size=(2, n))
    return {"repeat": np.arange(n) // 10, "fold": np.arange(n) % 10, "a": own[0] + difference, "b": own[1]}


GRADES = {"metric": "grade", "lower_is_better": False}

QUESTIONS: dict[str, Question] = {
    "items, 0/1": Question(200, 0.04, 0.02, items("0/1"), {"metric": "accuracy"}),
    "items, graded": Question(100, 0.14, 0.07, items("graded"), GRADES),
    "datasets": Question(15, 0.37, 0.2, units("dataset"), GRADES),
    "seeds": Question(8, 0.5, 0.25, units("seed"), GRADES),
    "time": Question(60, 0.22, 0.1, units("time", memory=0.3), GRADES),
    "clusters": Question(150, 0.28, 0.14, clusters, GRADES),
    "areas": Question(
        200,
        0.16,
        0.02,
        areas,
        {"metric": "roc_auc"},
        lambda table: tb.read_predictions(table["truth"], {name: 1 / (1 + np.exp(-table[name])) for name in "ab"}),
    ),
    "test sets": Question(
        400,
        0.04,
        0.02,
        own_sets,
        {"metric": "accuracy"},
        lambda table: {
            "model": ["a", "b"],
            "correct": [table[name].sum() for name in "ab"],
            "n": [table[name].size for name in "ab"],
        },
    ),
    "repeats": Question(30, 0.5, 0.2, repeats, {**GRADES, "n_train": 90, "n_test": 10}),
}


def compared(question: Question, rng: np.random.Generator, n: int, difference: float, rope: float) -> Any:
    """Pair of the first n units of a world, which a larger n goes on with."""
    return tb.compare(question.source(question.table(rng, n, difference)), rope=rope, **question.settings).pair("a", "b")


class Tally(NamedTuple):
    """Pilots that named a number, those of them that so many units settled, and the sentence of the last one."""

    named: int
    settled: int
    sentence: str


def tally(question: Question, n_pilots: int, seed: int) -> Tally:
    """Go on with pilots until so many have named a number of units."""
    named = settled = tried = 0
    sentence = ""
    while named < n_pilots and tried < 20 * n_pilots:
        tried += 1
        rng = np.random.default_rng((seed, tried))
        difference, rope = rng.normal() * SPREAD * question.error, float(rng.choice([0.0, question.rope]))
        begun = rng.integers(2**60)
        pilot = compared(question, np.random.default_rng(begun), question.n_units, difference, rope)
        need = need_of(pilot)
        if need is None or not need.can_repeat or need.n_units > min(MOST_TIMES * pilot.n_units, MOST_UNITS):
            continue
        n = 10 * need.n_repeats if need.n_repeats else int(np.ceil(max(need.n_units, pilot.n_units + 1)))
        # as the draws of a larger table are others, the pilot's units stand first and only those beyond them are new
        later = longer(question, begun, n, difference)
        again = tb.compare(question.source(later), rope=rope, **question.settings).pair("a", "b")
        named += 1
        sentence = pilot.comparison.next_step
        settled += again.verdict not in (pilot.verdict, "undecided") and not (
            pilot.verdict in ("ahead", "behind") and again.verdict in ("ahead", "behind")
        )
    return Tally(named, settled, sentence)


def longer(question: Question, begun: int, n: int, difference: float) -> dict[str, Any]:
    """Table of n units that begins with those of the pilot."""
    pilot = question.table(np.random.default_rng(begun), question.n_units, difference)
    if question.table is repeats:  # the luck of the data is drawn first, so it is the same
        return dict(repeats(np.random.default_rng(begun), n, difference)) | _first(pilot, n, begun, difference)
    more = question.table(np.random.default_rng((begun, 1)), n, difference)
    kept = len(pilot["a"])
    return {name: _joined(pilot[name], more[name], kept, name in ("a", "b")) for name in more}


def _first(pilot: dict[str, Any], n: int, begun: int, difference: float) -> dict[str, Any]:
    """Scores of the repeats of the pilot, and new ones with the same luck of the data."""
    rng = np.random.default_rng(begun)
    luck = np.sqrt(0.1) * rng.normal(size=2)
    new = luck[:, None] + np.sqrt(0.9) * np.random.default_rng((begun, 1)).normal(size=(2, n))
    kept = len(pilot["a"])
    return {
        "a": np.concatenate([pilot["a"], new[0, kept:] + difference]),
        "b": np.concatenate([pilot["b"], new[1, kept:]]),
    }


def _joined(first: Any, more: Any, kept: int, is_score: bool) -> Any:
    return np.concatenate([first, more[kept:]]) if is_score else more


def main() -> int:
    """Print the share of each question."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", nargs="*", help="some of: " + ", ".join(QUESTIONS))
    parser.add_argument("--pilots", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    goals = []
    for name, question in QUESTIONS.items():
        if chosen.questions and name not in chosen.questions:
            continue
        found = tally(question, chosen.pilots, chosen.seed)
        share = found.settled / max(found.named, 1)
        says = "even odds" in found.sentence
        print(f"  {name:14} {found.settled} of {found.named} settled ({share:.0%}){', and it says even odds' if says else ''}")
        print(f"                 {found.sentence}", flush=True)
        goals.append(Goal(f"{name}: share that is settled", share, "at least", 0.4 if says else 0.5))
        if says and "at best" not in found.sentence:
            goals.append(Goal(f"{name}: the same", share, "at most", 0.65))
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
