"""What all checks look at: the data by columns, the splits, and what was said besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tiebreak.evaluation.audit.finding import Finding
from tiebreak.evaluation.audit.table import Columns
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.split import Split, Splits

MOST_CELLS = 20_000_000
"""Numbers in an array of a check; what would be larger is done piece by piece, or on a sample of the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Data and splits that are audited.

    Attributes
    ----------
    data : Dataset
    columns : Columns
        Of X.
    task : {"classification", "regression", "other"}
    splits : tuple of Split
    described : Splits
        Their kinds, keys and sizes.
    time : ndarray of shape (n_samples,) or None
        Ranks of the times, ties alike.
    metrics : tuple of str
        What is to be computed on each test set; empty if that was not said.
    classes : tuple
        Labels in sorted order; empty for what is no classification.
    target : ndarray of shape (n_samples,) or None
        Codes into `classes`, or the numbers of a regression; None for anything else.
    seed : int
    """

    data: Dataset
    columns: Columns
    task: Task
    splits: tuple[Split, ...]
    described: Splits
    time: FloatArray | None
    metrics: tuple[str, ...]
    classes: tuple[object, ...]
    target: FloatArray | IntArray | None
    seed: int

    @property
    def n_samples(self) -> int:
        """Rows of X."""
        return self.data.n_samples

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.splits)

    @property
    def group_codes(self) -> IntArray | None:
        """The groups as numbers from 0; None where none were given."""
        if self.data.groups is None:
            return None
        return np.unique(self.data.groups, return_inverse=True)[1]

    @property
    def has_whole_groups(self) -> bool:
        """Whether groups were given, and no split tears one apart."""
        codes = self.group_codes
        if codes is None:
            return False
        return not any(np.isin(codes[split.test], codes[split.train]).any() for split in self.splits)

    def rng(self) -> np.random.Generator:
        """A generator that starts the same in every check."""
        return np.random.default_rng(self.seed)


Check = Callable[[Material], Sequence[Finding]]
"""A check looks at the material and says what it found; nothing, where all is well."""
