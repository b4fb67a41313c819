"""Ordinary paired t-test, for contrast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.comparison.procedures.corrected_t import NORMAL, PAIRED, CorrectedT
from tiebreak.numerics import FloatArray
from tiebreak.scores.scores import Scores


@dataclass(frozen=True)
class PairedT(CorrectedT):
    """t-test of paired differences that takes splits for independent: no correction, so no sizes are needed."""

    def _without_sizes(self) -> None:
        return None

    def split_ratio(self, data: Scores) -> FloatArray:
        """Zeros: nothing is corrected."""
        return np.zeros(data.matrix().n_splits)


PAIRED_T = PairedT(
    name="paired-t",
    reason="asked for by name, for contrast: it treats the splits as independent, which is too confident when they share data",
    question="splits",
    unit="split",
    generalises_to="models trained on samples like this dataset, if splits shared no data",
    assumptions=(PAIRED, "the splits are independent: no training or test example is shared", NORMAL),
    references=("Student. The probable error of a mean. Biometrika 6, 1908.",),
)
