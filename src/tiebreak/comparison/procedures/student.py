"""Differences around which a procedure puts Student's t: an estimate, its standard error, and degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.procedure import Differences, Tails
from tiebreak.numerics import FloatArray, divide, student_quantile, student_tails


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentTails(Differences):
    """Student's t around each estimate; `df` need not be whole, and may be infinite for the normal distribution."""

    standard_error: FloatArray
    df: FloatArray

    def tails(self, at: ArrayLike) -> Tails:
        """Both tails, of which the smaller one keeps its relative precision."""
        return Tails(*student_tails(divide(np.asarray(at, dtype=float) - self.estimate, self.standard_error), self._df))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Lower tail."""
        return self.tails(at).below

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Upper tail."""
        return self.tails(at).above

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends in closed form."""
        multiplier = student_quantile(p, self._df)
        return np.asarray(self.estimate + (-multiplier if upper else multiplier) * self.standard_error)

    @property
    def student_df(self) -> FloatArray | None:
        """Those of the differences."""
        return self._df

    @property
    def _df(self) -> FloatArray:
        """Degrees of freedom, of a pair without any 1: it has no tails."""
        return np.where(self.df > 0, self.df, 1.0)
