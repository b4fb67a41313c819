"""Differences around which a procedure puts Student's t: an estimate, its standard error, and degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.procedure import Differences, Tails
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
