"""Release gates: claims that the caller names in advance, judged as one family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tiebreak.comparison.settings import Settings
from tiebreak.frequentist.adjustment import adjust_pvalues
from tiebreak.frequentist.corrected_t import TTestResult
from tiebreak.frequentist.equivalence import noninferiority_pvalue, superiority_pvalue
from tiebreak.numerics import FloatArray

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
        """Whether every requirement is met."""
        return all(requirement.met for requirement in self.requirements)

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self.requirements)

    def __len__(self) -> int:
        return len(self.requirements)


def judge_requirements(
    asked: Sequence[tuple[Gate, str, str]], tests: Sequence[TTestResult], rope: float, settings: Settings
) -> Requirements:
    """Judge claims about pairs, adjusted over all of them.

    Parameters
    ----------
    asked : sequence of (gate, first, second)
    tests : sequence of TTestResult
        The test of first against second for each, of shape ().
    rope : float
        In the metric's unit.
    settings : Settings
        Its alpha and correction are used.

    Returns
    -------
    Requirements
        In the order asked. A requirement on a pair without spread is not met.
    """
    raw = np.array([float(_pvalue(gate, test, rope)) for (gate, _, _), test in zip(asked, tests, strict=True)])
    adjusted = adjust_pvalues(raw, settings.correction)
    judged = []
    for (gate, first, second), test, p, adjusted_p in zip(asked, tests, raw, adjusted, strict=True):
        met = bool(adjusted_p <= settings.alpha)
        claim = f"{first} {gate} than {second}"
        reason = _reason(gate, test, float(adjusted_p), rope, settings.alpha)
        judged.append(Requirement(claim, met, float(p), float(adjusted_p), reason))
    return Requirements(tuple(judged))


def _pvalue(gate: Gate, test: TTestResult, rope: float) -> FloatArray:
    if gate == "better":
        return np.minimum(1.0, 2.0 * superiority_pvalue(test, rope))  # the claim p-value of a verdict "better"
    return noninferiority_pvalue(test, rope)


def _reason(gate: Gate, test: TTestResult, adjusted: float, rope: float, alpha: float) -> str:
    if test.standard_error == 0:
        same = "identical" if test.difference == 0 else "the same distance apart"
        return f"undecided: the scores are {same} on all {int(test.df) + 1} splits, which leaves nothing to test with"
    if np.isnan(adjusted):
        return "undecided: the two models share fewer than two splits"
    bound = {
        "better": f"more than {rope:g} better" if rope else "better",
        "not worse": f"at most {rope:g} worse" if rope else "better (with rope 0, not worse means better)",
    }[gate]
    shown = "shown to be" if adjusted <= alpha else "not shown to be"
    return f"{shown} {bound}: adjusted p {adjusted:.3g}, limit {alpha:g}"
