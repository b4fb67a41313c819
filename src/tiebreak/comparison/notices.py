"""Remarks of an answer: on what its scores lack, on assumptions that they do not meet, and on the question itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.family import Family, best_alpha
from tiebreak.comparison.procedures.procedure import Method
from tiebreak.comparison.settings import Settings
from tiebreak.scores.means import connected_groups
from tiebreak.scores.scores import ScoreMatrix
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.copies import first_copies
from tiebreak.statistics.family import shared_alpha

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison


def notices_of(comparison: Comparison) -> tuple[Notice, ...]:
    """Remarks on an answer, those of its procedure first."""
    table, settings, method = comparison.pair_table, comparison.settings, comparison.method
    return (
        *method.procedure.remarks(comparison.scores),
        *_table_notices(comparison.matrix, method),
        *_reach_notices(table, settings, method.unit),
    )


def _table_notices(matrix: ScoreMatrix, method: Method) -> Iterator[Notice]:
    """Notices of missing and identical scores."""
    unit = method.unit
    lacking = {name: int(np.isnan(row).sum()) for name, row in zip(matrix.models, matrix.score, strict=True)}
    incomplete = [name for name, n in lacking.items() if n]
    if incomplete and method.is_paired:
        yield Notice(
            "missing-splits",
            f"{quoted(incomplete)} {'lacks' if len(incomplete) == 1 else 'lack'} scores on up to {max(lacking.values())} of the "
            f"{matrix.n_splits} {unit}s; each pair is compared on the {unit}s it shares, and models are ordered by their values "
            "adjusted for the missing scores",
        )
        groups, _ = connected_groups(~np.isnan(matrix.score))
        if groups.any():
            apart = [quoted(np.array(matrix.models)[groups == group].tolist()) for group in range(int(groups.max()) + 1)]
            yield Notice(
                "missing-splits",
                f"no {unit} links {' with '.join(apart)}: their values are of different {unit}s, so their order says nothing",
            )
    entry = first_copies(matrix.score)
    copied = np.unique(entry[entry != np.arange(entry.size)])
    if copied.size and method.is_paired:
        same = quoted([matrix.models[row] for row in np.flatnonzero(entry == copied[0])])
        more = f" (and {copied.size - 1} more such group(s))" if copied.size > 1 else ""
        text = f"{same}{more} have the same score on every {unit}: are they the same model, or one read twice?"
        yield Notice("identical-scores", text)


def _reach_notices(table: Family, settings: Settings, unit: str) -> Iterator[Notice]:
    """Remark where no scores at all on so few units could tell two models apart, as so many pairs share the error rate."""
    smallest = table.judged.least_pvalue
    if smallest is None or table.n_pairs < 2:
        return
    p = np.broadcast_to(smallest, table.first.shape)
    least, alpha, n_models = float(p.min()), settings.alpha, int(max(table.first.max(), table.second.max())) + 1
    reached = shared_alpha(p, table.correction, alpha) if table.is_family else 2.0 * best_alpha(alpha, n_models)
    if least > alpha or least <= reached:
        return
    n = int(np.max(np.broadcast_to(table.law.n_units, table.first.shape)))
    needed_alpha = alpha / table.n_pairs if table.is_family else reached
    needed = int(np.ceil(1 + np.log2(1.0 / needed_alpha)))
    asks = f"{table.correction} asks for" if table.is_family else "comparisons with the best ask for"
    among = f"{table.n_pairs} pairs" if table.is_family else f"{n_models} models"
    baseline = "" if settings.baseline is not None else " A baseline named before looking makes fewer pairs."
    yield Notice(
        "few-units",
        f"with {n} {unit}s and {among} no difference can be shown, whatever the scores: the smallest possible p-value is "
        f"{least:.2g}, and {asks} {needed_alpha:.2g}; {needed} {unit}s are the fewest.{baseline}",
    )
