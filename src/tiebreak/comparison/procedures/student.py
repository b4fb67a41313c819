"""Differences around which a procedure puts Student's t: an estimate, its standard error, and degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.procedure import Differences, LawDifferences, Tails
from tiebreak.numerics import FloatArray, IntArray, StudentDistribution
from tiebreak.numerics.law import Law, student


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentTails(Differences):
    """Student's t around each estimate; `df` need not be whole, and may be infinite for the normal distribution."""

    standard_error: FloatArray
    df: FloatArray | IntArray | int

    def tails(self, at: ArrayLike) -> Tails:
        """Both tails, of which the smaller one keeps its relative precision."""
        return Tails(*self.student.tails(at))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Lower tail."""
        return self.tails(at).below

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Upper tail."""
        return self.tails(at).above

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends in closed form."""
        return np.asarray(self.student.quantile(p, upper=upper))

    @property
    def law(self) -> Law:
        """Law of the differences."""
        return student(
            self.estimate,
            self.standard_error,
            self.df,
            n_units=self.n_units,
            kind=self.kind,
            tolerance=self.tolerance,
            is_posterior=self.is_posterior,
        )

    @property
    def student(self) -> StudentDistribution:
        """Distribution of the differences."""
        return StudentDistribution(self.estimate, self.standard_error, self.df)

    @property
    def student_df(self) -> FloatArray | None:
        """Degrees of freedom of the differences; 1 of a pair without any, which has no tails."""
        return np.where(np.asarray(self.df) > 0, self.df, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentLaw(LawDifferences):
    """Differences whose law is Student's, or made of it: with a standard error and degrees of freedom."""

    standard_error: FloatArray
    df: FloatArray | IntArray | int

    @classmethod
    def of(cls, law: Law, **facts: Any) -> Self:
        """Differences with the facts of the law, or those given in their place."""
        held = ("estimate", "n_units", "kind", "tolerance", "df")
        return cls(**{name: getattr(law, name) for name in held} | {"standard_error": law.se, "judged": law} | facts)

    def take(self, rows: IntArray | slice) -> Self:
        """Differences of some of the pairs."""
        return replace(Differences.take(self, rows), judged=self.judged.take(rows))

    @property
    def student_df(self) -> FloatArray | None:
        """Degrees of freedom of the differences; 1 of a pair without any, which has no tails."""
        return np.where(np.asarray(self.df) > 0, self.df, 1.0)
