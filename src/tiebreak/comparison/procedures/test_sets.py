"""Test sets of each model's own: the facts that all procedures for them share, and the counts on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tiebreak.comparison.procedures.items import OverItems
from tiebreak.comparison.procedures.procedure import Procedure, Wording
from tiebreak.numerics import FloatArray
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice

FURTHER_OF_SETS = "further {units} like those of the test sets"
FURTHER_EXAMPLES = f"{FURTHER_OF_SETS}, with these models as they are"

INDEPENDENT_SETS = (
    "the test sets share no {unit}, and were drawn alike",
    "within each test set the {units} are independent of one another",
)


P = TypeVar("P", bound=Procedure)


def counts_of(data: Scores) -> tuple[FloatArray, FloatArray]:
    """Right ones (or wrong ones, of a loss) of each model over its test sets, and the number of examples; (n_models,) each."""
    matrix = data.matrix()
    own = ~np.isnan(matrix.score)
    if data.items is not None:
        return np.where(own, matrix.score, 0.0).sum(axis=1), own.sum(axis=1).astype(float)
    counts = np.where(own, matrix.score, 0.0) * matrix.n_test
    whole = np.rint(counts)
    counts = np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, counts)  # rates are read back from files
    return counts.sum(axis=1), (own * matrix.n_test).sum(axis=1).astype(float)


def has_own_sets(data: Scores) -> bool:
    """True where each model was scored on a test set of its own: counts of them, or items that no two models share."""
    return data.design.kind == "test-sets" or (data.items is not None and data.items.is_disjoint)


def of_own_sets(procedure: P, data: Scores, wording: Wording) -> P:
    """The procedure with the facts that hold for test sets of each model's own, in the noun of their items."""
    words = wording.of("example" if data.items is None else data.items.unit)
    return replace(procedure, question="test-sets", not_covered="" if data.items is None else OverItems.not_covered, **words)


def independent_sets(data: Scores) -> Notice:
    """Remark on what two test sets cost, and on the names of items, of which none is shared."""
    unit, found = "example", "each model was scored on a test set of its own"
    if data.items is not None:
        items, unit = data.items, data.items.unit
        has = np.asarray(~np.isnan(items.score).all(axis=1))
        of = [f"{items.items[int(row.argmax())]!r} of {name!r}" for name, row in zip(items.models, has, strict=True)][:2]
        found = (
            f"no {unit} was scored for two models, so each is taken to have a test set of its own; if {' and '.join(of)} are the "
            f"same {unit}s under other names, give them one name in all sources"
        )
    return Notice(
        "independent-sets",
        f"{found}. A difference may also be one of the test sets. On the same {unit}s the models could be compared pair by pair, "
        "which tells smaller differences apart",
    )
