"""Procedures by name, one file each, and the choice between them."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.comparison.procedures.corrected_t import CORRECTED_T
from tiebreak.comparison.procedures.hierarchical import HIERARCHICAL
from tiebreak.comparison.procedures.paired_t import PAIRED_T
from tiebreak.comparison.procedures.procedure import Procedure
from tiebreak.comparison.procedures.wilcoxon import SIGN, WILCOXON
from tiebreak.scores.scores import Scores

METHODS: dict[str, Procedure] = {
    procedure.name: procedure
    for procedure in (
        CORRECTED_T,
        PAIRED_T,
        WILCOXON,
        SIGN,
        HIERARCHICAL,
    )
}
"""All procedures; a new one is a file and a line here."""


class Methods(dict[str, Procedure]):
    """Procedures by name; shown, a line on each."""

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  by {each.unit}: {each.generalises_to}" for name, each in self.items()]
        return "\n".join([f"{len(self)} methods, and what their answers are about", *lines])


def methods() -> Methods:
    """Procedures that `compare` knows, by name: what each takes for granted and where it comes from."""
    return Methods(METHODS)


def choose_method(name: str, data: Scores) -> Procedure:
    """The procedure that fits the data, with the reason, or the one asked for.

    Raises a `TiebreakError` where the procedure does not apply to these data, which says why and how to go on.
    """
    by_shape = CORRECTED_T if len(data.matrices) == 1 else WILCOXON
    chosen = by_shape if name == "auto" else METHODS[name]
    refusal = chosen.applies(data)
    if refusal is not None:
        raise refusal
    return replace(chosen, reason=chosen.reason_for(data)) if name == "auto" else chosen
