"""The answer as columns, and as pandas frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.verdict import CLAIMS, REASONS, VERDICTS
from tiebreak.numerics import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names as codes into `names`."""

    codes: IntArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.names)

    def tolist(self) -> list[str]:
        """The names themselves."""
        return [self.names[code] for code in self.codes.tolist()]


Columns = dict[str, "FloatArray | IntArray | np.ndarray[Any, Any] | Coded"]


def pair_columns(comparison: Comparison) -> Columns:
    """Columns of the pairs, named and ordered as design and documentation have them."""
    t, models = comparison.pair_table, comparison.models
    shape = t.first.shape
    return {
        "first": Coded(t.first, models),
        "second": Coded(t.second, models),
        "n_splits": np.broadcast_to(t.n_splits, shape),
        "difference": t.difference,
        "standard_error": t.standard_error,
        "df": np.broadcast_to(t.df, shape),
        "statistic": t.statistic,
        "pvalue": t.pvalue,
        "adjusted_pvalue": t.adjusted_pvalue,
        "interval_low": t.interval.low,
        "interval_high": t.interval.high,
        "simultaneous_low": t.simultaneous.low,
        "simultaneous_high": t.simultaneous.high,
        "p_better": t.p_better,
        "p_equivalent": t.p_equivalent,
        "p_worse": t.p_worse,
        "claim": Coded(t.claim, CLAIMS),
        "claim_pvalue": t.claim_pvalue,
        "adjusted_claim_pvalue": t.adjusted_claim_pvalue,
        "verdict": Coded(t.verdict, VERDICTS),
        "bayesian_verdict": Coded(t.bayesian_verdict, VERDICTS),
        "reason": Coded(t.kind, REASONS),
    }


def ranking_columns(comparison: Comparison) -> Columns:
    """Columns of the ranking, named and ordered as design and documentation have them."""
    t, models = comparison.ranking_table, comparison.models
    return {
        "rank": np.arange(1, len(models) + 1),
        "model": Coded(np.arange(len(models)), models),
        "mean": t.mean,
        "mean_low": t.mean_interval.low,
        "mean_high": t.mean_interval.high,
        "n_splits": t.n_splits,
        "difference": t.difference,
        "interval_low": t.interval.low,
        "interval_high": t.interval.high,
        "verdict": Coded(_verdict_or_none(t.verdict, t.reference), ("", *VERDICTS)),
        "p_best": t.p_best,
        "expected_rank": t.expected_rank,
        "in_shortlist": t.in_shortlist,
    }


def _verdict_or_none(verdict: np.ndarray[Any, Any], reference: int) -> IntArray:
    """Codes into ("", *VERDICTS); the reference has no verdict against itself."""
    codes = verdict.astype(np.int64) + 1
    codes[reference] = 0
    return codes


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """One row for each pair of the family."""
    return _frame(pair_columns(comparison))


def ranking_frame(comparison: Comparison) -> pd.DataFrame:
    """One row for each model, best first."""
    return _frame(ranking_columns(comparison))


def correlation_frame(comparison: Comparison) -> pd.DataFrame:
    """Models by models, in ranking order."""
    import pandas as pd

    return pd.DataFrame(comparison.correlation_matrix, index=list(comparison.models), columns=list(comparison.models))


def _frame(columns: Columns) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, pd.Index(column.names)) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )
