"""Ordinary paired t-test: of training runs paired by their seed, and of splits, for contrast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.corrected_t import NORMAL, PAIRED, CorrectedT
from tiebreak.comparison.procedures.procedure import Procedure
from tiebreak.comparison.procedures.seeds import FURTHER_RUNS, SEED_REFERENCE, TEST_SET_AS_IS, seeds_only
from tiebreak.errors import TiebreakError, TooFewSplitsError
from tiebreak.numerics import FloatArray
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True)
class PairedT(CorrectedT):
    """t-test of paired differences that takes units for independent: no correction, so no sizes are needed."""

    def for_data(self, data: Scores) -> Procedure:
        """The right test, not one for contrast, where runs differ by seed only."""
        if data.design.kind != "seeds":
            return self
        return replace(
            self,
            reason="all models were trained with the same seeds on one test set: paired by seed, what a seed fixes for all of "
            "them cancels (where it fixes nothing, pairing costs width, not truth, and 'welch' by name does without)",
            question="seeds",
            unit="seed",
            generalises_to=FURTHER_RUNS,
            assumptions=(
                "the same seeds were used for both models, and runs with different seeds are independent",
                "the differences over seeds are roughly normal",
                TEST_SET_AS_IS,
            ),
            references=(*self.references, SEED_REFERENCE),
        )

    def applies(self, data: Scores) -> TiebreakError | None:
        """Two seeds or more; splits as for the corrected test."""
        if self.question != "seeds" or data.matrix().n_splits >= 2:
            return super().applies(data)
        return TooFewSplitsError(
            "there is only one seed, so nothing shows how much scores vary from run to run. Train with more."
        )

    def _without_sizes(self) -> None:
        return None

    def split_ratio(self, data: Scores) -> FloatArray:
        """Zeros: nothing is corrected."""
        return np.zeros(data.matrix().n_splits)

    def reason_for(self, data: Scores) -> str:
        """The reason as it stands."""
        return self.reason

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remark on what seeds leave open, or remarks on the splits."""
        if self.question == "seeds":
            yield seeds_only(data)
        else:
            yield from super().checks(data, settings)


PAIRED_T = PairedT(
    name="paired-t",
    reason="asked for by name, for contrast: it treats the splits as independent, which is too confident when they share data",
    question="splits",
    unit="split",
    generalises_to="models trained on samples like this dataset, if splits shared no data",
    assumptions=(PAIRED, "the splits are independent: no training or test example is shared", NORMAL),
    references=("Student. The probable error of a mean. Biometrika 6, 1908.",),
)
