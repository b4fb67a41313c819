"""How often the difference is seen below which a page says that most are not: in half of all tables, by each default procedure.

Tables of two models without a difference say at which one they would show who is ahead. Tables with the mean of these as their
true difference are then compared, and those counted in which the first model is shown to be ahead. The share has to be within
0.03 of 0.5 and two standard errors.

    python benchmarks/validity/detectable.py                 all questions (5 minutes)
    python benchmarks/validity/detectable.py --tables 500 datasets
"""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import tiebreak as tb
from tiebreak.comparison.next_step import detectable

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from advice import GRADES, QUESTIONS, Question, items, units
from goals import Goal, report


def test_sets(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Each model on a test set of its own, with 70 % right."""
    right = rng.binomial(n, [0.7 + difference, 0.7])
    return {"model": ["a", "b"], "correct": right, "n": [n, n]}


def probabilities(rng: np.random.Generator, n: int, difference: float) -> Any:
    """Predictions of two classes by two models that share a part of their noise; the difference is one of areas."""
    y = np.arange(n) % 2
    shared = rng.normal(size=n)
    # an area of Phi(shift / sqrt(2)) for unit normal scores; its slope at 1.2 is 0.196
    shifts = (1.2 + difference / 2 / 0.196, 1.2 - difference / 2 / 0.196)
    return {"y": y, **{m: s * y + (shared + rng.normal(size=n)) / np.sqrt(2) for m, s in zip("ab", shifts, strict=True)}}


WORLDS: dict[str, Question] = {
    **QUESTIONS,
    "items, few": Question(60, 0.04, 0.02, items("0/1"), {"metric": "accuracy"}),
    "datasets, 8": Question(8, 0.5, 0.2, units("dataset"), GRADES),
    "datasets, 30": Question(30, 0.37, 0.2, units("dataset"), GRADES),
    "test sets": Question(400, 0.03, 0.0, test_sets, {}),
    "areas": Question(200, 0.03, 0.0, probabilities, {}),
}


def compared(question: Question, rng: np.random.Generator, difference: float) -> tb.Comparison:
    """A table of the question's own number of units."""
    table = question.table(rng, question.n_units, difference)
    if "y" in table:
        return tb.compare(tb.read_predictions(table.pop("y"), table, metric="roc_auc"), **question.settings)
    return tb.compare(table, **question.settings)


def seen(question: Question, n_tables: int) -> tuple[float, float]:
    """The difference that tables say they would see, and the share of tables that do."""
    if detectable(compared(question, np.random.default_rng(0), 0.0)) is None:
        return float("nan"), float("nan")
    said = [detectable(compared(question, np.random.default_rng((1, k)), 0.0)) for k in range(n_tables // 4)]
    difference = float(np.mean([each["smallest"] for each in said if each is not None]))
    shown = [
        compared(question, np.random.default_rng((2, k)), difference).pair("a", "b").interval_low > 0 for k in range(n_tables)
    ]
    return difference, float(np.mean(shown))


def main() -> int:
    """Print the share of each question."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", nargs="*", help="some of: " + ", ".join(WORLDS))
    parser.add_argument("--tables", type=int, default=4000)
    chosen = parser.parse_args()
    goals = []
    for name, question in WORLDS.items():
        if chosen.questions and name not in chosen.questions:
            continue
        difference, share = seen(question, chosen.tables)
        method = compared(question, np.random.default_rng(0), 0.0).method.name
        if np.isnan(difference):
            print(f"  {name:14} {method:16} says nothing", flush=True)
            continue
        error = np.sqrt(0.25 / chosen.tables)
        print(f"  {name:14} {method:16} {difference:.4g} is shown in {share:.3f} of tables, +- {error:.3f}", flush=True)
        goals.append(Goal(f"{name}: distance from 0.5", abs(share - 0.5), "at most", 0.03 + 2 * error))
    return report(goals)


if __name__ == "__main__":
    sys.exit(main())
