"""Comparisons on parts of the items: every pair in every slice, judged together as one family."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.family import Family
from tiebreak.comparison.procedures import choose_method
from tiebreak.comparison.procedures.procedure import Judged
from tiebreak.errors import InvalidParameterError, TiebreakError
from tiebreak.numerics import UNDEFINED, VERDICTS, IntArray, law_of_rows, student
from tiebreak.result import Result
from tiebreak.statistics.family import Correction, adjust_pvalues, shared_alpha

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.scores.items import Items


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slices(Result):
    """Pairs of a comparison on each slice of its items: one family, so that many slices make no false alarm likelier.

    Attributes
    ----------
    comparison : Comparison
        Of all items; its pairs are a family of their own.
    by : str
        Column of the items whose texts are the slices.
    names : tuple of str
        Of the slices, in order of appearance.
    n_items : tuple of int
        Items of each.
    tables : tuple of Family
        The pairs on each, at the one level of the family of all pairs and slices.
    correction : str
        That of the comparison; "holm" in the place of "shaffer", which knows no slices.
    """

    comparison: Comparison
    by: str
    names: tuple[str, ...]
    n_items: tuple[int, ...]
    tables: tuple[Family, ...]
    correction: Correction

    @property
    def n_pairs(self) -> int:
        """Size of the family: pairs times slices."""
        return sum(table.n_pairs for table in self.tables)

    @property
    def interval_alpha(self) -> float:
        """1 - coverage of all intervals."""
        return self.tables[0].interval_alpha

    def count_verdicts(self) -> dict[str, int]:
        """Number of pairs and slices by verdict."""
        counts = np.sum([table.count_verdicts() for table in self.tables], axis=0)
        return {name: int(n) for name, n in zip(VERDICTS, counts, strict=True) if name}

    def contradictions(self) -> Iterator[tuple[str, str, str, str]]:
        """Pairs with opposite differences shown in two slices: the two models, and a slice in which each is ahead."""
        apart = np.stack([table.shown_direction for table in self.tables])
        for row in np.flatnonzero((apart > 0).any(axis=0) & (apart < 0).any(axis=0)).tolist():
            first, second = (self.comparison.models[side[row]] for side in (self.tables[0].first, self.tables[0].second))
            above, below = (self.names[int(np.flatnonzero(sign * apart[:, row] > 0)[0])] for sign in (1, -1))
            yield first, second, above, below


def sliced(comparison: Comparison, by: str) -> Slices:
    """Every pair of the family on each slice; a slice on which the procedure has no interval leaves its pairs undecided."""
    items = comparison.items
    if items is None:
        raise InvalidParameterError(
            f"by={by!r} makes slices of the items of one test set, and these scores are of {comparison.method.unit}s.", about="by"
        )
    parts = items.slices(by)
    whole = comparison.pair_table
    correction: Correction = "holm" if comparison.correction == "shaffer" else comparison.correction
    tables = [replace(whole, judged=_judged(comparison, part, whole.first, whole.second)) for part in parts.values()]
    pvalues = np.concatenate([table.pvalue for table in tables])
    alpha = shared_alpha(pvalues, correction, whole.alpha)
    tables = [
        replace(table, shared=(alpha, own))
        for table, own in zip(tables, np.split(adjust_pvalues(pvalues, correction), len(tables)), strict=True)
    ]
    names, n_items = tuple(name or "(none)" for name in parts), tuple(len(part.items) for part in parts.values())
    return Slices(comparison, by, names, n_items, tuple(tables), correction)


def _judged(comparison: Comparison, part: Items, first: IntArray, second: IntArray) -> Judged:
    """Differences on one slice; of kind UNDEFINED where the procedure cannot judge it, such as in one cluster."""
    data, method = part.as_scores(), comparison.method
    try:
        if method.by is not None and part.tasks is None:  # one task, whose items have a procedure of their own
            method = choose_method("auto", data)
        refusal = method.refuse(data)
    except TiebreakError as found:
        refusal = found
    if refusal is None:
        return method.judged(data, first, second, comparison.resolved)
    score = data.matrix().score
    means = law_of_rows(score[first] - score[second], omit_missing=True)
    return Judged(
        law=student(
            comparison.metric.sign * means.estimate,
            np.nan,
            n_units=means.n_units,
            kind=np.full(first.shape, UNDEFINED, dtype=np.int8),
        )
    )
