"""Release gates: claims that the caller names in advance, judged as one family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.comparison.settings import Settings
from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.numerics import IDENTICAL, SMALLEST_PVALUE, SPREAD, UNDEFINED

Gate = Literal["better", "not worse"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One claim of a release gate, and whether the scores show it.

    Attributes
    ----------
    claim : str
        In words: "new better than old", "new not worse than old".
    met : bool
    pvalue, adjusted_pvalue : float
        Raw, and adjusted over the requirements of the same call; nan where the pair has no spread.
    reason : str
        Why it is met or not.
    """

    claim: str
    met: bool
    pvalue: float
    adjusted_pvalue: float
    reason: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements of one call; true when all of them are met."""

    requirements: tuple[Requirement, ...]

    def __bool__(self) -> bool:
        """True where every requirement is met."""
        return all(requirement.met for requirement in self.requirements)

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self.requirements)

    def __len__(self) -> int:
        return len(self.requirements)


def judge_requirements(
    asked: Sequence[tuple[Gate, str, str]], differences: Differences, rope: float, settings: Settings
) -> Requirements:
    """Judge claims about pairs, adjusted over all of them.

    Each is asked as (gate, first, second), and judged in that order; the differences are of first against second, and the rope
    is in their unit. Of the settings alpha and correction count. A requirement on a pair without spread is not met.
    """
    is_better = np.array([gate == "better" for gate, _, _ in asked])
    # twice the tail, as the interval of a verdict "better" is two-sided; "not worse" is non-inferiority
    raw = np.where(is_better, np.minimum(1.0, 2.0 * differences.tail_below(rope)), differences.tail_below(-rope))
    raw = np.where(differences.kind == SPREAD, np.maximum(raw, SMALLEST_PVALUE), np.nan)
    adjusted = adjust_pvalues(raw, "bonferroni")
    n_units = np.broadcast_to(differences.n_units, raw.shape)
    judged = []
    for row, (gate, first, second) in enumerate(asked):
        met = bool(adjusted[row] <= settings.alpha)
        reason = _without_spread(int(differences.kind[row]), int(n_units[row]))
        reason = reason or _reason(gate, float(adjusted[row]), rope, settings.alpha)
        judged.append(Requirement(f"{first} {gate} than {second}", met, float(raw[row]), float(adjusted[row]), reason))
    return Requirements(tuple(judged))


def _without_spread(kind: int, n_splits: int) -> str:
    """Reason why a pair cannot be judged, "" where it can."""
    if kind == SPREAD:
        return ""
    if kind == UNDEFINED:
        return "undecided: the two models share fewer than two splits"
    same = "identical" if kind == IDENTICAL else "the same distance apart"
    return f"undecided: the scores are {same} on all {n_splits} splits, which leaves nothing to test with"


def _reason(gate: Gate, adjusted: float, rope: float, alpha: float) -> str:
    bound = {
        "better": f"more than {rope:g} better" if rope else "better",
        "not worse": f"at most {rope:g} worse" if rope else "better (with rope 0, not worse means better)",
    }[gate]
    shown = "shown to be" if adjusted <= alpha else "not shown to be"
    return f"{shown} {bound}: adjusted p {adjusted:.3g}, limit {alpha:g}"
