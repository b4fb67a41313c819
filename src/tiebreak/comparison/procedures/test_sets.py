"""Test sets of each model's own: the facts that all procedures for them share, and the counts on them."""

from __future__ import annotations

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.scores.scores import Notice, Scores

FURTHER_EXAMPLES = "further examples like those of the test sets, with these models as they are"

INDEPENDENT_SETS = (
    "the test sets share no example, and were drawn alike",
    "within each test set the examples are independent of one another",
)


def counts_of(data: Scores) -> tuple[FloatArray, FloatArray]:
    """Right ones (or wrong ones, of a loss) of each model over its test sets, and the number of examples; (n_models,) each."""
    matrix = data.matrix()
    own = ~np.isnan(matrix.score)
    counts = np.where(own, matrix.score, 0.0) * matrix.n_test
    whole = np.rint(counts)
    counts = np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, counts)  # rates are read back from files
    return counts.sum(axis=1), (own * matrix.n_test).sum(axis=1).astype(float)


def independent_sets() -> Notice:
    """Remark on what two test sets cost."""
    return Notice(
        "independent-sets",
        "each model was scored on a test set of its own, so a difference may also be one of the test sets. On the same examples "
        "the models could be compared pair by pair, which tells smaller differences apart",
    )
