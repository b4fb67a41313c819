"""Samples of each model's own: rates on test sets by Newcombe's interval, means of items or of training runs by Welch's t."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tiebreak.comparison.procedures.corrected_t import FURTHER_RUNS, SEED_REFERENCE, TEST_SET_AS_IS
from tiebreak.comparison.procedures.items import counts_of, means_of_models, reach_of, reach_of_rates, values_of_rates
from tiebreak.comparison.procedures.procedure import (
    Judged,
    ModelValues,
    Procedure,
    question_of,
    reached,
    refusal,
)
from tiebreak.errors import Setting, TiebreakError
from tiebreak.numerics import RELATIVE_TOLERANCE, IntArray, divide, student
from tiebreak.scores.means import law_of_models
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.means import Means, independent_difference
from tiebreak.statistics.rates import newcombe


def _independent_sets(data: Scores) -> Iterator[Notice]:
    """Remark on the names of items, of which none is shared."""
    items = data.items
    if items is None:
        return
    has = np.asarray(~np.isnan(items.score).all(axis=1))
    of = [f"{items.items[int(row.argmax())]!r} of {name!r}" for name, row in zip(items.models, has, strict=True)][:2]
    yield Notice(
        "independent-sets",
        f"no {items.unit} was scored for two models, so each is taken to have a test set of its own; if {' and '.join(of)} are "
        f"the same {items.unit}s under other names, give them one name: pairs tell smaller differences apart",
    )


def _reach(data: Scores | None) -> tuple[str, str]:
    to, not_covered = reach_of("further {units} like those of the test sets", data)
    return to, not_covered if data is not None and data.items is not None else ""


INDEPENDENT_SETS = (
    "the test sets share no {unit}, and were drawn alike",
    "within each test set the {units}, or their clusters, are independent of one another",
)


# --- rates ------------------------------------------------------------------------------------------------------------------


def _refuse_counts(data: Scores) -> TiebreakError | None:
    """Items that are not right or wrong, each by itself and once; models without any."""
    items = data.items
    if items is None:
        return None
    problem = items.structure_note if items.is_binary else "the scores are not only 0 and 1"
    return refusal(
        ((counts_of(data)[1] == 0).any(), f"newcombe needs {items.unit}s of every model; some have none."),
        (
            bool(problem),
            (
                f"newcombe counts {items.unit}s that are right, each of them once, but {problem}. The method 'welch', which "
                "'auto' takes for these, allows for that."
            ),
        ),
    )


def _judge_rates(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Difference of the rates of each pair."""
    counts, n = counts_of(data)
    return Judged(
        law=newcombe(counts[first], n[first], counts[second], n[second], higher_is_better=data.metric.higher_is_better),
        reach_df=reach_of_rates(np.minimum(n[first], n[second])),
        beside={"independent": np.minimum(n[first], n[second])},
    )


NEWCOMBE = Procedure(
    name="newcombe",
    question="test-sets",
    reason="rates on a test set of each model's own: the interval joins the Wilson limits of both, which holds for few {units} "
    "and rates near 0 or 1",
    generalises_to=_reach,
    assumptions=INDEPENDENT_SETS,
    references=(
        "R. Newcombe. Interval estimation for the difference between independent proportions. Statistics in Medicine 17, 1998.",
    ),
    traits=frozenset(("pairwise", "unpaired")),
    judge=lambda data, first, second, rope, alpha, seed: _judge_rates(data, first, second),
    values=lambda data: values_of_rates("measured", *counts_of(data)),
    refuse=_refuse_counts,
    remarks=_independent_sets,
)


# --- means ------------------------------------------------------------------------------------------------------------------


def _samples(data: Scores) -> Means:
    """Mean of each model over its seeds, its items, or the 1 and 0 of its examples."""
    if data.items is not None:
        return means_of_models(data)
    if data.design.kind == "test-sets":
        counts, n = counts_of(data)
        rate = counts / n
        sd = np.sqrt(rate * (1.0 - rate) * n / np.maximum(n - 1.0, 1.0))
        return Means(
            student(rate, sd / np.sqrt(n), n - 1.0, n_units=n.astype(np.int64), tolerance=np.full(n.size, RELATIVE_TOLERANCE))
        )
    return Means(law_of_models(data.matrix()))


def _judge_means(data: Scores, first: IntArray, second: IntArray) -> Judged:
    """Student's t around each difference of means, with Welch's degrees of freedom; of skewed items Hall's beside it."""
    found, (one, two) = _samples(data), (first, second)[:: data.metric.sign]
    own, is_of_seeds = found.by_items, question_of(data) == "seeds"
    law = independent_difference(own.take(one), own.take(two), guarded=is_of_seeds)
    if is_of_seeds:
        n = np.asarray(own.n_units)
        law = replace(law, n_units=np.minimum(n[first], n[second]))
    if found.skewness is not None:
        cubes = found.skewness * own.spread[0] ** 3  # third cumulants of independent means add up
        law = Means(law, divide(cubes[one] - cubes[two], law.spread[0] ** 3)).law
    return Judged(law=law, reach_df=reached(law))


def _refuse_single(data: Scores) -> TiebreakError | None:
    """Fewer than two scores of a model."""
    unit = "seed" if question_of(data) == "seeds" else "example" if data.items is None else data.items.unit
    n_units = np.asarray(_samples(data).by_items.df) + 1.0
    few = [name for name, n in zip(data.matrix().models, n_units.tolist(), strict=True) if not n > 1]
    return refusal(
        (
            bool(few),
            (
                f"{quoted(few)} {'has' if len(few) == 1 else 'have'} fewer than two {unit}s, so nothing shows how much scores "
                f"vary from {unit} to {unit}. Give more, or leave out what has only one with "
            ),
            Setting("models"),
            ".",
        )
    )


WELCH_1947 = (
    "B. Welch. The generalization of Student's problem when several population variances are involved. Biometrika 34, 1947."
)

WELCH = Procedure(
    name="welch",
    question="test-sets",
    reason="scores of each model on {units} of its own: two independent means, each with a spread of its own that allows for "
    "clusters and runs; of right and wrong the interval is rough for few {units} and rates near 0 or 1",
    generalises_to=_reach,
    assumptions=(*INDEPENDENT_SETS, "the means are roughly normal"),
    references=(WELCH_1947,),
    traits=frozenset(("unpaired",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge_means(data, first, second),
    values=lambda data: ModelValues.of(_samples(data).by_items),
    refuse=_refuse_single,
    remarks=_independent_sets,
)

WELCH_SEEDS = Procedure(
    name="welch",
    question="seeds",
    reason="scores on one test set that differ by training seed, not the same ones for all models unless asked for by name: each "
    "model's runs are a sample of their own",
    generalises_to=FURTHER_RUNS,
    assumptions=(
        "the runs of a model are independent of each other and of the other models' runs",
        "the scores of a model are roughly normal, with a spread of its own",
        TEST_SET_AS_IS,
    ),
    references=(WELCH_1947, SEED_REFERENCE),
    traits=frozenset(("unpaired",)),
    judge=WELCH.judge,
    values=WELCH.values,
    refuse=WELCH.refuse,
)
